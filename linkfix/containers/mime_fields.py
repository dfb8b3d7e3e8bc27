"""The headers of a message and its parts as parts of their own, for the links in their fields.

RFC 1808 §3.1: the base of a message serves for relative URLs in its header, too.
"""

from __future__ import annotations

from linkfix.containers.mime_entities import Entity
from linkfix.containers.part import Part
from linkfix.containers.window import Window
from linkfix.model import HEADER_TYPE, Envelope


def header_part(raw: Window, entities: list[Entity], index: int, around: Envelope) -> Part | None:
    """The header of an entity; None where none of its fields has a URL.

    `around`: the envelope of what encloses the entity. What the header itself says is read in the header. It has no
    siblings: a field says where things are, wherever they are kept.
    """
    entity = entities[index]
    if not entity.has_links:
        return None
    data = raw.read(entity.start, entity.body - entity.start)
    return Part(_section(entities, index), data, HEADER_TYPE, Envelope(media_type=HEADER_TYPE, parent=around))


def _section(entities: list[Entity], index: int) -> str:
    """The name of a header, as IMAP names sections (RFC 9051 §6.4.5)."""
    entity = entities[index]
    if not entity.is_message(index):
        return f"{entity.number}.MIME"
    return f"{entities[entity.parent].number}.HEADER" if entity.parent >= 0 else "HEADER"
