"""MIME: MHTML (RFC 2110, RFC 2557) and mail. Each entity that encloses no others is a part.

An entity's base comes from its heading: Content-Base (RFC 2110 §4.2), Content-Location (RFC 2557 §4.2; a relative one
is resolved against what is around it), `Base` (RFC 1808 §3.1); then from the headings of the entities that enclose it,
outward; then it is the URL that the whole was retrieved from; last `thismessage:/` (RFC 2557 §5 (e)). So many envelopes
stand around each other in that order.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO
from urllib.parse import quote

from linkfix.containers.mime_blink import BlinkPages
from linkfix.containers.mime_entities import Entity, scan
from linkfix.containers.mime_headers import url
from linkfix.containers.mime_transfer import TRANSFER_ENCODINGS, line_end
from linkfix.containers.part import Change, Limits, Note, Part
from linkfix.document.base import document_url, fallback_base, page
from linkfix.document.linker import is_absolute_reference
from linkfix.document.positions import Positions
from linkfix.encodings.codecs import get_encoding
from linkfix.encodings.encoding import Encoding
from linkfix.model import PROBLEMS, Envelope, Problem
from linkfix.resolvers import RESOLVERS
from linkfix.urls import SCHEME

__all__ = ["SUFFIXES", "parts", "recognise", "rewrite"]

SUFFIXES = (".mht", ".mhtml", ".eml")

_CHUNK = 1 << 20
#: A heading begins with a field, or a mailbox's line before it.
_HEADING = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:From [^\n]*\n)?[!-9;-~]+[ \t]*:")
#: What a message has and other text with colons has not.
_MESSAGE = re.compile(rb"^(?:mime-version|content-type|snapshot-content-location)[ \t]*:", re.IGNORECASE | re.MULTILINE)
_EMPTY_LINE = re.compile(rb"\n\r?\n")
_EMPTY_LINE_AT_END = re.compile(rb"(?:\A|\n)\r?\n\Z")
#: A URL that others can be relative to: "cid:", "about:" or "data:" name an entity, and are no base.
_HIERARCHICAL = re.compile(rf"{SCHEME}:/")
_RESOLVER = RESOLVERS["whatwg"]
_THIS_MESSAGE = Envelope(default="thismessage:/", where="RFC 2557 §5 (e)")
#: RFC 3986 §3.3: what a Content-ID may have that needs no escape in a cid URL (RFC 2392 §2).
_SAFE = "!$&'()*+,;=:@/?%"


def recognise(head: bytes, name: str) -> bool:
    """Whether a file with these first bytes (4,096) and this name is a message."""
    if not _HEADING.match(head):
        return False
    return name.lower().endswith(SUFFIXES) or _MESSAGE.search(_EMPTY_LINE.split(head.lstrip(), 1)[0]) is not None


def parts(source: BinaryIO, envelope: Envelope, note: Note, limits: Limits) -> Iterator[Part]:
    """The entities that enclose no others, in order.

    The message is held in memory, since a part's siblings come after it; one that is longer than `limits.part` gives
    no parts. `source` need not be seekable. A part whose transfer encoding is not known is none.
    """
    data, complete = _read(source, limits.part)
    message = _Message(data if complete else b"", envelope, note, limits)
    if not complete:
        message.report("too-large", f"more than {limits.part:,} bytes", 0)
        return
    for index in range(len(message.entities)):
        part = message.part(index)
        if part is not None:
            yield part


def rewrite(  # noqa: PLR0913, PLR0917 - what it takes to go through it once
    source: BinaryIO, out: BinaryIO, envelope: Envelope, change: Change, note: Note, limits: Limits
) -> None:
    """Copy the message, with the parts that `change` changes in their own transfer encoding.

    A part that cannot be written in it, or that a signature covers, stays as it is, with a problem.
    """
    data, complete = _read(source, limits.part)
    message = _Message(data if complete else b"", envelope, note, limits)
    if not complete:
        message.report("too-large", f"more than {limits.part:,} bytes", 0)
        out.write(data)
        shutil.copyfileobj(source, out)
        return
    done = 0
    for index, entity in enumerate(message.entities):
        part = message.part(index)
        new = None if part is None else change(part)
        if part is None or new is None or new == part.data:
            continue
        body = message.written(index, new)
        if body is not None:
            out.write(data[done : entity.body])
            out.write(body)
            done = entity.end
    out.write(data[done:])


def _read(source: BinaryIO, limit: int) -> tuple[bytes, bool]:
    """The bytes of `source`, and whether they are all: no more than `limit` and a chunk are read."""
    chunks = []
    length = 0
    while length <= limit and (chunk := source.read(_CHUNK)):
        chunks.append(chunk)
        length += len(chunk)
    return b"".join(chunks), length <= limit


def _around(envelope: Envelope, outermost: Envelope) -> Envelope:
    """`envelope`, with one more around all that is around it."""
    chain = [envelope]
    while (outer := chain[-1].parent) is not None:
        chain.append(outer)
    for inner in reversed(chain):
        outermost = replace(inner, parent=outermost)
    return outermost


class _Message:
    """A message's entities, and what is known of each from outside its body."""

    def __init__(self, data: bytes, envelope: Envelope, note: Note, limits: Limits) -> None:
        self.data = data
        self._note = note
        self._positions = Positions(data, Encoding("windows-1252", "default", ""))  # a character a byte
        self.entities = scan(data, self.report, limits)
        snapshot = url((self.entities[0].urls.get("snapshot-content-location") or [b""])[0])
        outermost = _THIS_MESSAGE
        if snapshot:
            known = document_url(envelope)
            if known and page(known) != page(snapshot):
                self.report("sources-disagree", f"{known} and the message's Snapshot-Content-Location, {snapshot}", 0)
            outermost = Envelope(url=snapshot, where="Snapshot-Content-Location of the message", parent=outermost)
        self._outside = _around(envelope, outermost)
        self._pages = BlinkPages()
        self._labels: dict[int, set[str]] = {}
        #: For each entity, the envelope that its heading gives to what is in it.
        self._envelopes: list[Envelope] = []
        for index, entity in enumerate(self.entities):
            self._envelopes.append(self._stated(index, entity))
        self._siblings = {message: frozenset(labels) for message, labels in self._labels.items()}

    def report(self, code: str, detail: str, offset: int) -> None:
        line, column = self._positions.of(offset)
        self._note(Problem(code, f"{PROBLEMS[code]}: {detail}", offset, line, column))

    def _name(self, index: int) -> str:
        entity = self.entities[index]
        if entity.message != index:
            return f"part {entity.number}"
        return "the message" if entity.parent < 0 else f"the message in part {self.entities[entity.parent].number}"

    def _stated(self, index: int, entity: Entity) -> Envelope:
        """The envelope that an entity's heading makes, in the one of the enclosing entity."""
        envelope = self._outside if entity.parent < 0 else self._envelopes[entity.parent]
        if not entity.urls:
            return envelope
        name = self._name(index)
        stated = {header: self._base(header, entity) for header in ("content-base", "base")}
        if stated["base"]:
            envelope = Envelope(base=stated["base"], where=f"Base of {name}", parent=envelope)
        around = envelope
        if stated["content-base"]:
            around = Envelope(base=stated["content-base"], where=f"Content-Base of {name}", parent=envelope)
        envelope = self._located(index, envelope, around)
        if stated["content-base"]:
            envelope = replace(around, parent=envelope)
        return envelope

    def _base(self, header: str, entity: Entity) -> str:
        """The absolute URL of Content-Base or Base, or ""."""
        given = url(entity.urls.get(header, [b""])[0])
        if given and not _HIERARCHICAL.match(given):
            self.report("mime-header", f"{header.title()} {given!r} is not an absolute URL", entity.start)
            return ""
        return given

    def _located(self, index: int, envelope: Envelope, around: Envelope) -> Envelope:
        """The envelope with the entity's Content-Location, which is resolved against `around`; notes its labels.

        RFC 2557 §4.2 allows one. Of several, each is a label, and the first counts, as in browsers.
        """
        entity = self.entities[index]
        given = [location for location in map(url, entity.urls.get("content-location", ())) if location]
        located = [self._resolved(location, around) for location in given]
        self._label(index, [target for target, _ in located])
        if len(set(given)) > 1:
            self.report("mime-header", f"{len(given)} Content-Locations; the first counts", entity.start)
        if not located:
            return envelope
        target, where = located[0]
        if not _HIERARCHICAL.match(target):
            return envelope
        where = f"Content-Location of {self._name(index)}{where}"
        return Envelope(url=target, base=target, where=where, parent=envelope)

    @staticmethod
    def _resolved(location: str, around: Envelope) -> tuple[str, str]:
        """The absolute URL that a Content-Location means, "" for none, and in words how it came to be one."""
        if is_absolute_reference(location):
            return location, ""
        base = fallback_base(around, _RESOLVER)
        return _RESOLVER.resolve(base.url, location).target or "", f" ({location}), relative to {base.where}"

    def _label(self, index: int, located: list[str]) -> None:
        """What an entity is called by others of its message (RFC 2557 §4.2, §4.3), without fragments."""
        entity = self.entities[index]
        if entity.message == index:
            return
        labels = self._labels.setdefault(entity.message, set())
        for identifier in map(url, entity.urls.get("content-id", ())):
            if identifier:
                labels.add(f"cid:{quote(identifier, safe=_SAFE)}")
        for target in located:
            labels.update(form.partition("#")[0] for form in (target, _RESOLVER.normalize(target)) if form)

    def part(self, index: int) -> Part | None:
        """The entity as a part; None where it encloses others or cannot be decoded. To be asked for in order."""
        entity = self.entities[index]
        if entity.encloses:
            return None
        charset = None if entity.charset is None else entity.charset.decode("latin-1")
        if entity.charset is not None and get_encoding(entity.charset) is None:
            self.report("charset-unknown", f"{charset!r} in the heading of {self._name(index)}", entity.start)
            charset = None
        transfer = TRANSFER_ENCODINGS.get(entity.transfer)
        if transfer is None:
            self.report("mime-encoding", f"{self._name(index)} is in {entity.transfer!r}; left alone", entity.body)
            return None
        data, valid = transfer.decode(self.data[entity.body : entity.end])
        if not valid:
            self.report("mime-encoding", f"{self._name(index)} is not all {entity.transfer}", entity.body)
        location, identifier = (url(entity.urls.get(name, [b""])[0]) for name in ("content-location", "content-id"))
        outer = self._pages.around(self._envelopes[index], entity.media_type, location, identifier)
        envelope = Envelope(charset=charset, media_type=entity.media_type, parent=outer)
        siblings = self._siblings.get(entity.message, frozenset())
        part = Part(entity.number or "1", data, entity.media_type, envelope, siblings)
        self._pages.add(part)
        return part

    def written(self, index: int, new: bytes) -> bytes | None:
        """The body of an entity with other data; None, with a problem, where it has to stay as it is."""
        entity = self.entities[index]
        old = self.data[entity.body : entity.end]
        body = TRANSFER_ENCODINGS[entity.transfer].rewrite(old, new)
        reason = "" if body is not None else f"the new data cannot be written in its {entity.transfer}"
        outer = entity.parent
        while outer >= 0 and not reason:
            enclosing = self.entities[outer]
            if enclosing.media_type == "multipart/signed":
                reason = "it is signed"
            elif enclosing.boundary and body is not None:
                delimiter = b"\n--" + enclosing.boundary
                if (b"\n" + body).count(delimiter) > (b"\n" + old).count(delimiter):
                    reason = "the new data has a delimiter of the message"
            outer = enclosing.parent
        # Where a heading has no empty line, only markup is known to follow it.
        if not _EMPTY_LINE_AT_END.search(self.data[entity.start : entity.body]) and not (body or b"").startswith(b"<"):
            reason = reason or "no empty line ends its heading"
        if reason or body is None:
            self.report("mime-left-alone", f"{self._name(index)}: {reason}", entity.body)
            return None
        # Of an empty body, the empty line may be the one that belongs to the delimiter.
        shares = body and self.data.startswith(b"--", entity.end)
        return body + line_end(self.data[entity.start : entity.body]) if shares else body
