"""The exchanges of a container: its parts with their URLs and times, and the redirects and revisits of web archives.

A message and an archive of files have a part for each URL. A WARC or HAR has a response for each request: of one URL,
it can have several; a response can lead to another URL (RFC 9110 §15.4), or have its payload in another record (WARC
1.1 §6.7).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from linkfix.containers.arc import SYNTAX
from linkfix.containers.digests import digest_key
from linkfix.containers.har import JsonSpan, JsonSpans, Names
from linkfix.containers.har_zip import har_text
from linkfix.containers.http_body import HeaderBlock
from linkfix.containers.part import HEADER_NAME, Allowance, Container, Limits, Note, Part, absolute_url, digits_of_time
from linkfix.containers.warc import WarcReader
from linkfix.containers.warc_records import WARC, RecordSyntax, Unit, WarcRecord, units
from linkfix.containers.web_archive import WarcFile, WebArchive
from linkfix.document.base import fallback_base
from linkfix.files.media_types import ANY_TYPE
from linkfix.files.window import Window
from linkfix.html.syntaxes.json_reader import InvalidJson
from linkfix.lazy import lazy_pattern
from linkfix.model import HTTP_HEADER_TYPE, Envelope
from linkfix.resolvers import RESOLVERS
from linkfix.urls import scheme_of

_WHATWG = RESOLVERS["whatwg"]


class Exchange(NamedTuple):
    """One part or exchange of a container."""

    part: Part | None
    """The document or file; None for an exchange without a body that can be read."""
    urls: tuple[str, ...] = ()
    """The absolute URLs of the part, its own URL first; none if it is not known."""
    time: str = ""
    """The time of the exchange in UTC, as digits: YYYYMMDDhhmmss; "" if it is not known."""
    status: int | None = None
    """The status code of the response, 200 if it states none, 0 for no response; None in a container that is no web
    archive.
    """
    location: str = ""
    """The absolute URL that a redirect leads to."""
    method: str = ""
    """The method of a request; "" if it is not known."""
    records: frozenset[str] = frozenset()
    """The IDs of the record and of those of the same exchange."""
    digest: str = ""
    """A key of the payload's digest; "" if it is not known."""
    revisited: str = ""
    """Of a revisit: the URL of the record with the payload. `digest` counts before it."""
    header: Part | None = None
    """The header of the response, if headers are wanted, and it has URLs."""


def has_captures(container: Container) -> bool:
    """Whether a format is that of web archives, whose exchanges have times."""
    return isinstance(container, WebArchive) or _name(container) in {"arc", "har", "har_zip"}


def _name(container: Container) -> str:
    """The name of a format's module, in `CONTAINERS`."""
    return getattr(container, "__name__", "").rpartition(".")[2]


def exchanges(
    container: Container, source: BinaryIO, envelope: Envelope, note: Note, limits: Limits
) -> Iterator[Exchange]:
    """Yield the exchanges of a container, always in the same order. The arguments are those of `Container.parts`.

    `source` must be seekable. Memory holds one part, and for a HAR a few facts about each entry.
    """
    source.seek(0)
    name = _name(container)
    if isinstance(container, WebArchive):
        allowance = Allowance(limits, Window(source).size)
        for archive in container.archives(source, limits, note):
            yield from _of_warc(archive, envelope, limits, allowance, WARC)
    elif name == "arc":
        archive = WarcFile("", "", source, note)
        yield from _of_warc(archive, envelope, limits, Allowance(limits, Window(source).size), SYNTAX)
    elif name in {"har", "har_zip"}:
        text = Window(source) if name == "har" else har_text(source, envelope, limits)
        yield from _of_har(container, source, envelope, note, limits, text)
    else:
        for part in container.parts(source, envelope, note, limits):
            yield Exchange(part, tuple(_urls(part)) if name != "http_file" else tuple(filter(None, [envelope.url])))


def _urls(part: Part) -> Iterator[str]:
    """The URLs of a part of a message or of an archive of files."""
    base = fallback_base(part.envelope, _WHATWG).url if part.labels else None
    yield from dict.fromkeys(url for url in (part.envelope.url, base) if url and (not base or url in part.labels))
    yield from sorted(part.labels - {part.envelope.url, base})


def readable_time(digits: str) -> str:
    """`Exchange.time` as people read it.

    >>> readable_time("20240501100000"), readable_time("")
    ('2024-05-01 10:00', '')
    """
    return f"{digits[:4]}-{digits[4:6]}-{digits[6:8]} {digits[8:10]}:{digits[10:12]}" if digits else ""


# WARC files

_STATUS = lazy_pattern(rb"HTTP/\d(?:\.\d)? +(\d{3})")

#: The maximum size of an HTTP header block, in bytes.
_HTTP_HEADER = 1 << 20

_REQUEST = lazy_pattern(rb"([A-Z]{1,20}) ")

#: The schemes of records that are no part of a page: notes of crawlers, and their pictures and texts of pages.
_OF_CRAWLERS = frozenset({"dns", "whois", "filedesc", "metadata", "urn", "info"})


def _of_warc(
    archive: WarcFile, envelope: Envelope, limits: Limits, allowance: Allowance, syntax: RecordSyntax
) -> Iterator[Exchange]:
    raw = Window(archive.source)
    wants_headers = HTTP_HEADER_TYPE in limits.media_types
    limits = limits._replace(media_types=ANY_TYPE)
    reader = WarcReader(raw, envelope, archive.note, limits, allowance, syntax, empty=True)
    for unit in units(raw, lambda _: True, reader.report, allowance, syntax=syntax):
        for record in unit.records:
            exchange = _of_record(reader, unit, record)
            if exchange is not None:
                if wants_headers:
                    exchange = exchange._replace(header=reader.header(unit, record))
                if archive.name and exchange.part is not None:
                    exchange = exchange._replace(
                        part=exchange.part._replace(name=f"{archive.name} {exchange.part.name}")
                    )
                yield exchange
        if allowance.is_spent:
            return


def _of_record(reader: WarcReader, unit: Unit, record: WarcRecord) -> Exchange | None:
    """The exchange of a record; None for a record of another kind."""
    header = record.header
    kind = header.first("warc-type").lower()
    ids = frozenset(filter(None, [header.first("warc-record-id"), *header.all("warc-concurrent-to")]))
    if kind == "request":
        method = _REQUEST.match(unit.text.read(record.block, min(record.end - record.block, 32)))
        return Exchange(None, method=method[1].decode() if method else "", records=ids)
    target = header.first("warc-target-uri").strip("<>")
    url = absolute_url(target.replace(" ", "%20"))
    if kind not in {"response", "resource", "revisit"} or url is None or scheme_of(url) in _OF_CRAWLERS:
        return None
    head = unit.text.read(record.block, min(record.end - record.block, 1 << 12))
    status = _STATUS.match(head)
    http = HeaderBlock.read(head) if status else None
    if status and http is None:
        http = HeaderBlock.read(unit.text.read(record.block, min(record.end - record.block, _HTTP_HEADER)))
    exchange = Exchange(
        None,
        (url,),
        digits_of_time(header.first("warc-date")),
        int(status[1]) if status else 200,
        _location(url, int(status[1]) if status else 200, http.first("location") if http else ""),
        records=ids,
        digest=digest_key(stated) if (stated := header.first("warc-payload-digest")) else "",
    )
    if kind == "revisit":
        return exchange._replace(revisited=header.first("warc-refers-to-target-uri").strip("<>") or url)
    document = reader.document(unit, record)
    return exchange if document is None else exchange._replace(part=document.part)


def _location(url: str, status: int, location: str) -> str:
    """The target of a redirect (Fetch §2.2.6 "location URL"); "" for another response."""
    is_redirect = status in {301, 302, 303, 307, 308}
    return (_WHATWG.resolve(url, location).target or "") if is_redirect and location else ""


# HAR files

_FACTS: Names = {
    "startedDateTime": {},
    "request": {"method": {}, "url": {}},
    "response": {"status": {}, "redirectURL": {}},
}


def _of_har(
    container: Container, source: BinaryIO, envelope: Envelope, note: Note, limits: Limits, text: Window
) -> Iterator[Exchange]:
    facts = dict(_facts(text, limits))
    for part in container.parts(source, envelope, note, limits):
        if part.media_type == HTTP_HEADER_TYPE:
            entry = part.name.removesuffix(HEADER_NAME)
            facts[entry] = facts.get(entry, Exchange(None, status=200))._replace(header=part)
        else:
            yield facts.pop(part.name, Exchange(None, status=200))._replace(part=part)
    yield from facts.values()


def _facts(raw: Window, limits: Limits) -> Iterator[tuple[str, Exchange]]:
    """The entries of a HAR by their names, without their bodies."""
    spans = JsonSpans(raw)
    bom = b"\xef\xbb\xbf"
    try:
        har = spans.whole(len(bom) if raw.read(0, len(bom)) == bom else 0, {"log": {"entries": {}}})
    except InvalidJson:  # `Container.parts` reports it
        return
    for number, entry in enumerate(spans.elements(har.member("log", "entries"), _FACTS) or ()):
        if number == limits.parts:
            return
        yield f"log.entries[{number}]", _of_entry(spans, entry)


def _of_entry(spans: JsonSpans, entry: JsonSpan) -> Exchange:
    stated = spans.text(entry.member("response", "status"), 4)
    status = int(stated) if stated.isdigit() and len(stated) <= 3 else 200
    url = absolute_url(spans.string(entry.member("request", "url"))) or ""
    return Exchange(
        None,
        (url,) if url else (),
        digits_of_time(spans.string(entry.member("startedDateTime"))),
        status,
        _location(url, status, spans.string(entry.member("response", "redirectURL"))) if url else "",
        spans.string(entry.member("request", "method")).upper(),
    )
