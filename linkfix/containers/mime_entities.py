"""Where the entities of a MIME message begin and end (RFC 2045 §2.4, RFC 2046 §5), to the byte.

Each line is looked at once, however deep entities stand inside each other, and nothing is copied but headings.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from linkfix.containers.mime_headers import MimeHeader, heading, media_type, parameters, token
from linkfix.containers.mime_transfer import IDENTITY
from linkfix.containers.part import Limits

__all__ = ["Entity", "scan"]

#: Code of `linkfix.model.PROBLEMS`, the detail, byte offset.
Report = Callable[[str, str, int], None]

#: More entities than that are not looked at in one message, whatever the limits say: each takes memory.
_ENTITIES = 1_000_000
#: What tools may leave before the first field: a byte order mark, empty lines.
_BEFORE = re.compile(rb"(?:\xef\xbb\xbf)?(?:(?:[ \t]*+\r?\n)++(?=[!-9;-~]++[ \t]*+:))?")
#: A heading ends at an empty line (RFC 5322 §2.1); one that lacks it, at a delimiter or at markup.
_HEADING_END = re.compile(rb"^(?:\r?\n|\r?\Z|--|<)", re.MULTILINE)
#: The fields that name URLs: what is kept of a heading.
_URL_FIELDS = ("content-base", "content-location", "base", "content-id", "snapshot-content-location")


@dataclass(slots=True)
class Entity:
    """One entity: a message or a body part, with the span of its heading and of its body in bytes of the file.

    `number`: as IMAP counts (RFC 9051 §6.4.5), "" for a message whose body is a multipart. `parent`: the index of the
    enclosing entity, -1 for none. `message`: the index of the message that it belongs to. `boundary`: of a multipart
    that has parts. `encloses`: it has entities in it. `transfer`: its Content-Transfer-Encoding, lower case.
    """

    number: str
    parent: int
    message: int
    start: int
    body: int = 0
    end: int = 0
    media_type: str = "text/plain"
    charset: bytes | None = None
    transfer: str = "7bit"
    boundary: bytes | None = None
    encloses: bool = False
    children: int = 0
    urls: dict[str, list[bytes]] = field(default_factory=dict)

    def child(self, *, multipart: bool) -> str:
        """The number of the next entity in it. `multipart`: of a message's, whose parts take the message's number."""
        self.children += 1
        prefix = f"{self.number}." if self.number else ""
        return self.number if multipart else f"{prefix}{self.children}"


class _EntityScanner:
    """The state of one scan: the entities so far, and those that are open, outermost first."""

    def __init__(self, data: bytes, report: Report, limits: Limits) -> None:
        self.data = data
        self.report = report
        self.limit = min(limits.parts, _ENTITIES)
        self.depth = limits.depth
        self.entities: list[Entity] = []
        self.open: list[int] = []
        #: boundary -> the places in `open` of the multiparts that have it and are not closed.
        self.boundaries: dict[bytes, list[int]] = {}

    def run(self) -> list[Entity]:
        before = _BEFORE.match(self.data)
        position = before.end() if before else 0
        # -1: no more entities.
        while position >= 0 and len(self.entities) < self.limit:
            position = self._after(self._entity(position))
        if position >= 0:
            self.report("mime-limit", f"more than {self.limit:,} parts", position)
        self._close(0, len(self.data), len(self.data))
        return self.entities

    def _entity(self, start: int) -> int:
        """Begin an entity. Gives where to look on: the begin of its body."""
        end = _HEADING_END.search(self.data, start)
        text = end[0] if end else b""
        stop = end.start() if end else len(self.data)
        body = stop if text in {b"--", b"<"} else end.end() if end else stop
        read = heading(self.data[start:stop])
        parent = self.open[-1] if self.open else -1
        outer = self.entities[parent] if parent >= 0 else None
        index = len(self.entities)
        is_message = outer is None or outer.boundary is None
        entity = Entity("", parent, index if is_message or outer is None else outer.message, start, body, body)
        self.entities.append(entity)
        entity.urls = {name: read.fields[name] for name in _URL_FIELDS if name in read.fields}
        self.open.append(index)
        digest = outer is not None and outer.media_type == "multipart/digest"
        self._describe(entity, read, "message/rfc822" if digest else "text/plain")
        multipart = is_message and entity.boundary is not None
        if outer is not None:
            entity.number = outer.child(multipart=multipart)
        elif not multipart:
            entity.number = "1"
        if text == b"<" or (text == b"--" and self._delimiter(body) is None):
            self.report("mime-header", "no empty line ends the heading", body)
        if read.stray >= 0:
            self.report("mime-header", "a line that is no header field is skipped", start + read.stray)
        return body

    def _describe(self, entity: Entity, read: MimeHeader, default: str) -> None:
        """What the heading says of the body (RFC 2045 §5.2, RFC 2046 §5.1.5: the defaults)."""
        given = read.first("content-type")
        entity.media_type = default if given is None else media_type(given) or "text/plain"
        said = parameters(given) if given is not None else {}
        entity.charset = said.get("charset")
        entity.transfer = token(read.first("content-transfer-encoding") or b"") or "7bit"
        multipart = entity.media_type.startswith("multipart/")
        if not multipart and entity.media_type not in {"message/rfc822", "message/global"}:
            return
        if len(self.open) > self.depth:
            self.report("mime-limit", f"nested deeper than {self.depth:,}", entity.start)
            return
        if not multipart:
            # RFC 2046 §5.2.1: no other encoding is allowed.
            entity.encloses = entity.transfer in IDENTITY
            if not entity.encloses:
                self.report("mime-encoding", f"a message in {entity.transfer} is left alone", entity.start)
            return
        boundary = said.get("boundary", b"").rstrip()
        if not boundary:
            self.report("mime-boundary", f"{entity.media_type} without a boundary", entity.start)
            return
        entity.boundary = boundary
        entity.encloses = True
        self.boundaries.setdefault(boundary, []).append(len(self.open) - 1)

    def _delimiter(self, start: int) -> tuple[int, bool, int] | None:
        """What the line at `start`, which begins with "--", delimits.

        The place in `open` of the multipart, whether it is the close-delimiter, where the next line begins; None for
        an ordinary line. RFC 2046 §5.1.1 would be content with a line that begins with a boundary, which other
        boundaries may do: the line must be the delimiter, with padding, as its grammar says.
        """
        end = self.data.find(b"\n", start) + 1 or len(self.data)
        line = self.data[start + 2 : end].rstrip(b" \t\r\n")
        found = [(self.boundaries[line][-1], False, end)] if line in self.boundaries else []
        if line.endswith(b"--") and line[:-2] in self.boundaries:
            found.append((self.boundaries[line[:-2]][-1], True, end))
        return max(found, default=None)

    def _after(self, position: int) -> int:
        """Where the entity after the one begins whose body begins at `position`; -1 when there is none."""
        latest = self.entities[self.open[-1]]
        if latest.encloses and latest.boundary is None:
            return position
        while self.boundaries:
            if not self.data.startswith(b"--", position):
                position = self.data.find(b"\n--", position) + 1
                if not position:
                    break
            found = self._delimiter(position)
            if found is None:
                position += 2
                continue
            place, closes, after = found
            self._close(place + 1, self._before_line_end(position), position)
            if not closes:
                return after
            self._forget(place)
            position = after
        return -1

    def _before_line_end(self, position: int) -> int:
        """The line end before a delimiter belongs to it (RFC 2046 §5.1.1)."""
        end = position - 1 if self.data.endswith(b"\n", 0, position) else position
        return end - 1 if self.data.endswith(b"\r\n", 0, position) else end

    def _close(self, place: int, end: int, noticed: int) -> None:
        """The entities from `place` on in `open` end at `end`."""
        while len(self.open) > place:
            entity = self.entities[self.open[-1]]
            entity.end = max(entity.body, end)
            if entity.boundary is not None:
                if not entity.children:
                    self.report("mime-boundary", f"its boundary {entity.boundary!r} never comes", noticed)
                    entity.encloses = False
                if self._forget(len(self.open) - 1) and entity.children:
                    self.report("mime-boundary", f"no close-delimiter of {entity.boundary!r}", noticed)
            self.open.pop()

    def _forget(self, place: int) -> bool:
        """Look no longer for the boundary of the multipart at `place`; False where it was closed before."""
        boundary = self.entities[self.open[place]].boundary or b""
        places = self.boundaries.get(boundary, [])
        if not places or places[-1] != place:
            return False
        places.pop()
        if not places:
            del self.boundaries[boundary]
        return True


def scan(data: bytes, report: Report, limits: Limits) -> list[Entity]:
    """The entities of a message, in the order in which they begin: an enclosing one before those in it.

    `report` is told of what is wrong, in the order of the bytes.
    """
    return _EntityScanner(data, report, limits).run()
