"""The headers of a message and its entities as separate parts, for the links in their fields.

RFC 1808 §3.1: the base of a message also applies to relative URLs in its header.
"""

from __future__ import annotations

from linkfix.containers.mime_entities import Entity
from linkfix.containers.part import Part
from linkfix.containers.window import Window
from linkfix.model import HEADER_TYPE, Envelope


def header_part(raw: Window, entities: list[Entity], index: int, around: Envelope) -> Part | None:
    """Return the header of an entity as a part; None if none of its fields has a URL.

    The part has no siblings: the URL of a field locates a resource, independently of copies in the message.

    `around`: the envelope of the enclosing entity. The URLs that the header itself states are read from the header.
    """
    entity = entities[index]
    if not entity.has_links:
        return None
    data = raw.read(entity.start, entity.body - entity.start)
    return Part(_section(entities, index), data, HEADER_TYPE, Envelope(media_type=HEADER_TYPE, parent=around))


def _section(entities: list[Entity], index: int) -> str:
    """Return the name of a header, as IMAP names sections (RFC 9051 §6.4.5)."""
    entity = entities[index]
    if not entity.is_message(index):
        return f"{entity.number}.MIME"
    return f"{entities[entity.parent].number}.HEADER" if entity.parent >= 0 else "HEADER"
