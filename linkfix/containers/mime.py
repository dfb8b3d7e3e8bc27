"""MIME messages: MHTML (RFC 2110, RFC 2557) and mail. Each entity that encloses no other entities is a part.

If an entity's header states base URLs, the entity has an envelope of its own. The fields are Content-Base (RFC 2110
§4.2), Content-Location (RFC 2557 §4.2; a relative URL is resolved against the base around it) and `Base` (RFC 1808
§3.1). The parent of this envelope is the envelope of the enclosing entity. Around all of them is the envelope of the
message as it was retrieved, and then `thismessage:/` (RFC 2557 §5 (e)). `linkfix.document.base` decides which of
these count, and in which order.

A header with URLs is also a part, if headers are wanted.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from typing import BinaryIO, cast
from urllib.parse import quote

from linkfix.containers.mime_entities import Entity, header_part, parse_url, scan
from linkfix.containers.mime_transfer import TRANSFER_ENCODINGS
from linkfix.containers.mime_writing import MessageWriter, sealed_content
from linkfix.containers.part import Allowance, Change, LeaveAlone, Limits, Note, Part, ignore_count
from linkfix.document.base import document_url, fallback_base
from linkfix.document.decide import resolver_of
from linkfix.document.document import Document
from linkfix.document.header_lines import HIERARCHICAL
from linkfix.encodings.encoding import get_encoding
from linkfix.errors import LinkfixError
from linkfix.files.folder import URL_OF_TREE
from linkfix.files.media_types import HEADER, DeclaredType, MimeType
from linkfix.files.window import Window, WindowEdit, WindowPositions, WindowSpan, open_window
from linkfix.model import HEADER_TYPE, PROBLEMS, BaseSource, Candidate, Envelope, Layer, Options, Problem, StatedBase
from linkfix.urls import without_fragment

# The base of a document or style sheet without a URL. Blink omits this base from the messages that it saves.
#
# A STYLE element becomes a part whose Content-Location is `cid:css-…@mhtml.blink`, after the part of its document. A
# srcdoc or about:blank frame becomes a part without a Content-Location, after the part that refers to it by Content-ID.
# Blink keeps their relative URLs, which are relative to the base of that document (CSS Values §4.5.2 "style resource
# base URL", HTML §2.4.3 "fallback base URL").


_SHEET = re.compile(r"cid:css-[^@]*@mhtml\.blink")

_FRAME = re.compile(r"frame-[^@]*@mhtml\.blink")

_REFERENCE = re.compile(rb"cid:(frame-[0-9A-Za-z]+@mhtml\.blink)")


class BlinkPages:
    """The HTML parts of one message so far. `options`: the options for its documents."""

    def __init__(self, options: Options) -> None:
        self._options = options
        #: The last HTML part, and a list with the envelope of its base. The list is empty until the base is needed.
        self._latest: tuple[Part, list[Envelope]] | None = None
        #: A mapping of a frame's Content-ID to the first part that refers to it, as in `_latest`.
        self._containers: dict[str, tuple[Part, list[Envelope]]] = {}

    def add(self, part: Part) -> None:
        """Add the next part, in the order of the message."""
        if part.media_type != "text/html":
            return
        self._latest = part, []
        for match in _REFERENCE.finditer(part.data):
            self._containers.setdefault(match[1].decode("ascii"), self._latest)

    def enclosing(self, envelope: Envelope, media_type: str, location: str, identifier: str) -> Envelope:
        """Return the parent envelope of a part: `envelope`, or an envelope with the base of the part's document. The
        parent of the latter is `envelope`.

        `location`: the part's Content-Location, or "".
        `identifier`: the part's Content-ID, or "".
        """
        page = None
        if media_type == "text/css" and _SHEET.fullmatch(location):
            page = self._latest
        elif media_type == "text/html" and not location and _FRAME.fullmatch(identifier):
            page = self._containers.get(identifier)
        if page is None:
            return envelope
        part, bases = page
        if not bases:
            bases.append(self._base(part))
        return bases[0]._replace(parent=envelope)

    def _base(self, part: Part) -> Envelope:
        """Return an envelope with the base of a part's document; an empty envelope if the base is unknown."""
        try:
            document = Document(part.data, envelope=part.envelope, options=self._options)
            base = document.document_base
        except LinkfixError:
            return Envelope()
        if base.layer is Layer.DEFAULT:  # the part also has this default
            return Envelope()
        where = f"base of its document, part {part.name}"
        return Envelope(base=base.url, where=where, inherits_base_element=document.decider.fragments_leave_page)


_SNAPSHOT = "Snapshot-Content-Location of the message"

#: The size up to which a new encoded body is kept in memory and not in a temporary file, in bytes.
_IN_MEMORY = 1 << 20

#: The reason why some URLs are not a base. A URL such as "cid:x" only names an entity.
_NO_BASE = "not a URL that can be a base"

_THIS_MESSAGE = Envelope(stated=(StatedBase(BaseSource.THIS_MESSAGE, "thismessage:/", "RFC 2557 §5 (e)"),))

#: RFC 3986 §3.3: characters of a Content-ID that need no escape in a cid URL (RFC 2392 §2).
_SAFE = "!$&'()*+,;=:@/?%"


def parts(source: BinaryIO, envelope: Envelope, note: Note, limits: Limits) -> Iterator[Part]:
    """Yield the parts of a message, in order: the entities that enclose no other entities. Entities with an unknown
    transfer encoding are skipped. Headers with URLs are parts too, if `limits.media_types` contains their type.

    The message is first read to its end, in pieces, because a part's siblings may come after the part. A message larger
    than `limits.part` yields no parts.

    `source`: a stream that need not be seekable.
    """
    with open_window(source) as raw:
        message = _open(raw, envelope, note, limits)
        for index in range(len(message.entities)):
            header = message.header(index)
            if header is not None:
                yield header
            part = message.part(index)
            if part is not None:
                yield part
            del part  # keep only one part in memory


def rewrite(
    source: BinaryIO,
    out: BinaryIO,
    envelope: Envelope,
    change: Change,
    note: Note,
    limits: Limits,
    *,
    leave_alone: LeaveAlone = ignore_count,
) -> None:
    """Copy the message, with changed parts written in their own transfer encoding.

    A part stays unchanged, with a problem, if its new data cannot be written in that encoding. So does a part that a
    signature covers, unless `limits.break_signatures` is set. The signatures themselves always stay. RFC 6376 §6.1
    tells verifiers to treat a message with failing signatures like a message without signatures. Readers of S/MIME or
    OpenPGP see from them, correctly, that the message was changed later.
    """
    with open_window(source) as raw, tempfile.SpooledTemporaryFile(_IN_MEMORY) as file:
        message = _open(raw, envelope, note, limits)
        new_body = cast("BinaryIO", file)
        may_break = limits.break_signatures
        writer = MessageWriter(raw, message.entities, message.name, message.report, new_body, may_break=may_break)
        # A header comes before the bodies that it encloses. A change of such a body may change the header again.
        for index in range(len(message.entities)):
            header = message.header(index)
            new = None if header is None else change(header)
            if header is None or new is None or new == header.data:
                continue
            if not writer.rewrite_header(index, header.data, new):
                leave_alone(1)
        out.writelines(raw.edited(_edits(message, writer, change, leave_alone)))


def _edits(message: _Message, writer: MessageWriter, change: Change, leave_alone: LeaveAlone) -> Iterator[WindowEdit]:
    """Yield the edits for changed parts and headers, in order."""
    for index in range(len(message.entities)):
        part = message.part(index)
        new = None if part is None else change(part)
        if part is not None and new is not None and new != part.data:
            edits = writer.rewrite(index, part.data, new)
            if not edits:
                leave_alone(1)
            yield from edits
        del part, new  # keep only one part in memory
    yield from writer.headers(len(message.entities))


def _open(raw: Window, envelope: Envelope, note: Note, limits: Limits) -> _Message:
    """Return the message. If it is larger than `limits.part`, report a problem and return an empty message."""
    if raw.size <= limits.part:
        return _Message(raw, envelope, note, limits)
    message = _Message(Window(b""), envelope, note, limits)
    message.report("too-large", f"more than {limits.part:,} bytes", 0)
    message.entities.clear()
    return message


def _enclose(envelope: Envelope, outermost: Envelope) -> Envelope:
    """Return `envelope` with one more envelope around its outermost parent."""
    chain = [envelope]
    while (outer := chain[-1].parent) is not None:
        chain.append(outer)
    for inner in reversed(chain):
        outermost = inner._replace(parent=outermost)
    return outermost


class _Message:
    """The entities of a message, with the envelopes that their headers define."""

    def __init__(self, raw: Window, envelope: Envelope, note: Note, limits: Limits) -> None:
        self.raw = raw
        self._note = note
        self._resolver = resolver_of(limits.options)
        self._allowance = Allowance(limits, raw.size)
        self._positions = WindowPositions(raw)
        self.entities = scan(raw, self.report, limits)
        snapshot = parse_url((self.entities[0].urls.get("snapshot-content-location") or [b""])[0])
        outermost = _THIS_MESSAGE
        if snapshot and envelope.where == URL_OF_TREE:  # the message's own statement precedes its place in a folder
            envelope = Envelope(url=snapshot, where=_SNAPSHOT, parent=envelope)
        elif snapshot:
            known = document_url(envelope, self._resolver)
            if known and without_fragment(known) != without_fragment(snapshot):
                self.report("sources-disagree", f"{known} and the message's Snapshot-Content-Location, {snapshot}", 0)
            outermost = Envelope(url=snapshot, where=_SNAPSHOT, parent=outermost)
        self._outermost = _enclose(envelope, outermost)
        self._wants_headers = HEADER_TYPE in limits.media_types
        self._pages = BlinkPages(limits.options)
        #: The labels of each entity; and those of all entities of a message, by the index of the message.
        self._own_labels: dict[int, frozenset[str]] = {}
        self._labels: dict[int, set[str]] = {}
        #: The envelopes that the entities' headers define for their contents, by the index of the entity.
        self._envelopes: list[Envelope] = []
        for index, entity in enumerate(self.entities):
            self._envelopes.append(self._envelope(index, entity))
        self._siblings = {message: frozenset(labels) for message, labels in self._labels.items()}

    def report(self, code: str, detail: str, offset: int) -> None:
        line, column = self._positions.of(offset)
        self._note(Problem(code, f"{PROBLEMS[code]}: {detail}", offset, line, column))

    def name(self, index: int) -> str:
        """Return the name of an entity in messages."""
        entity = self.entities[index]
        if entity.message != index:
            return f"part {entity.number}"
        return "the message" if entity.parent < 0 else f"the message in part {self.entities[entity.parent].number}"

    def _envelope(self, index: int, entity: Entity) -> Envelope:
        """Return the envelope that an entity's header defines, within the envelope of the enclosing entity."""
        envelope = self._outermost if entity.parent < 0 else self._envelopes[entity.parent]
        if not entity.urls:
            return envelope
        own = Envelope(parent=envelope)
        for source in (BaseSource.CONTENT_BASE, BaseSource.BASE_FIELD):
            own = self._with_base(index, source, own)
        own = self._with_location(index, own)
        return own if own.stated or own.rejected else envelope

    def _with_base(self, index: int, source: BaseSource, envelope: Envelope) -> Envelope:
        """Return the envelope with the URL from the entity's Content-Base or Base field. The first field counts."""
        entity = self.entities[index]
        given = [url for url in map(parse_url, entity.urls.get(source.lower(), ())) if url]
        if len(set(given)) > 1:
            self.report("mime-header", f"{len(given)} fields {source}; the first is used", entity.start)
        for number, url in enumerate(given):
            reason = f"only the first {source} is used" if number else "" if HIERARCHICAL.match(url) else _NO_BASE
            if reason == _NO_BASE:
                self.report("mime-header", f"{source} {url!r} is {_NO_BASE}", entity.start)
            envelope = self._with_stated(envelope, source, url, f"{source} of {self.name(index)}", reason)
        return envelope

    @staticmethod
    def _with_stated(envelope: Envelope, source: BaseSource, url: str, where: str, reason: str) -> Envelope:
        """Return the envelope with a base URL that its header states. `reason`: the reason why the URL cannot count, or
        "".
        """
        if reason:
            lost = Candidate(Layer.ENCAPSULATING, url, where, reason)
            return envelope._replace(rejected=(*envelope.rejected, lost))
        return envelope._replace(stated=(*envelope.stated, StatedBase(source, url, where)))

    def _with_location(self, index: int, envelope: Envelope) -> Envelope:
        """The envelope with the entity's Content-Location, resolved against it. Adds the entity's labels.

        RFC 2557 §4.2 allows one field. Of several, each is a label, and the first counts, as in browsers.
        """
        entity = self.entities[index]
        given = [location for location in map(parse_url, entity.urls.get("content-location", ())) if location]
        located = [self._resolve(location, envelope) for location in given]
        self._add_labels(index, [target for target, _ in located])
        if len(set(given)) > 1:
            self.report("mime-header", f"{len(given)} Content-Locations; the first is used", entity.start)
        for number, (target, how) in enumerate(located):
            where = f"Content-Location of {self.name(index)}{how}"
            reason = "only the first one is used" if number else "" if HIERARCHICAL.match(target) else _NO_BASE
            url = target or given[number]
            envelope = self._with_stated(envelope, BaseSource.CONTENT_LOCATION, url, where, reason)
        return envelope

    def _resolve(self, location: str, around: Envelope) -> tuple[str, str]:
        """Return the absolute URL of a Content-Location, or "", and a text that describes its resolution."""
        if self._resolver.is_absolute_reference(location):
            return location, ""
        base = fallback_base(around, self._resolver)
        place = base.url if base.layer is Layer.DEFAULT else base.where
        return self._resolver.resolve(base.url, location).target or "", f" ({location}), relative to {place}"

    def _add_labels(self, index: int, located: list[str]) -> None:
        """Add the URLs by which other entities of its message refer to an entity (RFC 2557 §4.2, §4.3)."""
        entity = self.entities[index]
        if entity.message == index:
            return
        labels = set()
        for identifier in map(parse_url, entity.urls.get("content-id", ())):
            if identifier:
                labels.add(f"cid:{quote(identifier, safe=_SAFE)}")
        for target in located:
            labels.update(form.partition("#")[0] for form in (target, self._resolver.normalize(target)) if form)
        self._own_labels[index] = frozenset(labels)
        self._labels.setdefault(entity.message, set()).update(labels)

    def header(self, index: int) -> Part | None:
        """Return the header of an entity as a part; None if it has no URLs or headers are not wanted."""
        if not self._wants_headers:
            return None
        parent = self.entities[index].parent
        around = self._outermost if parent < 0 else self._envelopes[parent]
        return header_part(self.raw, self.entities, index, around)

    def part(self, index: int) -> Part | None:
        """Return the entity as a part; None if it encloses other entities or cannot be decoded.

        Call this method in the order of the indexes.
        """
        entity = self.entities[index]
        if entity.has_entities:
            self._tell_sealed(index, b"")
        if entity.has_entities or self._allowance.is_spent:
            return None
        charset = None if entity.charset is None else entity.charset.decode("latin-1")
        if entity.charset is not None and get_encoding(entity.charset) is None:
            self.report("charset-unknown", f"{charset!r} in the header of {self.name(index)}", entity.start)
            charset = None
        transfer = TRANSFER_ENCODINGS.get(entity.transfer)
        if transfer is None:
            self.report("mime-encoding", f"{self.name(index)} is in {entity.transfer!r}; skipped", entity.body)
            return None
        encoded = entity.end - entity.body
        data, valid = transfer.decode(WindowSpan(self.raw, entity.body, entity.end))
        if len(data) > self._allowance.limit(encoded):
            reached = self._allowance.reached(encoded)
            self.report(reached.code, f"{self.name(index)}: {reached.detail}", entity.body)
            return None
        self._allowance.spend(len(data))
        if not valid:
            self.report("mime-encoding", f"{self.name(index)} is not all {entity.transfer}", entity.body)
        self._tell_sealed(index, data)
        location = parse_url(entity.urls.get("content-location", [b""])[0])
        identifier = parse_url(entity.urls.get("content-id", [b""])[0])
        # A message states the type (RFC 2045 §5.2), so no other content decides than that of XML.
        media_type = DeclaredType(MimeType(entity.media_type), no_sniff=True).media_type(data[:HEADER])
        outer = self._pages.enclosing(self._envelopes[index], media_type, location, identifier)
        envelope = Envelope(charset=charset, media_type=media_type, parent=outer)
        siblings = self._siblings.get(entity.message, frozenset())
        labels = self._own_labels.get(index, frozenset())
        part = Part(entity.number or "1", data, media_type, envelope, siblings, labels=labels)
        self._pages.add(part)
        return part

    def _tell_sealed(self, index: int, data: bytes) -> None:
        """Report an entity whose content cannot be read because it is signed or encrypted as a whole."""
        sealed = sealed_content(self.entities[index], data)
        if sealed is not None:
            self.report(sealed[0], f"{self.name(index)}, {sealed[1]}", self.entities[index].start)
