"""A page after the header of its HTTP response in one file, as `wget --save-headers` and `curl -i` write it.

The header states media type and charset; its Content-Location sets no base (RFC 9110 §8.7). `curl -iL` writes a header
for each redirect: the last one counts. The bytes of the headers stay. The body is stored without its codings, whatever
the header says; a body that is still compressed is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from linkfix.containers.http_body import HeaderBlock
from linkfix.containers.part import (
    Allowance,
    Change,
    LeaveAlone,
    Limits,
    Note,
    Part,
    container_problem,
    ignore_count,
)
from linkfix.files.media_types import HEADER, declared_type
from linkfix.files.window import Window, open_window
from linkfix.lazy import lazy_pattern
from linkfix.model import Envelope

#: The largest header, and the number of headers: that of curl's redirects.
_LARGEST_HEADER, _MOST_HEADERS = 1 << 16, 50

_STATUS = lazy_pattern(rb"HTTP/\d(?:\.\d)? +(\d{3})")

_PARTIAL = b"206"

_GZIP = b"\x1f\x8b\x08"

_NAME = "body"


class _ResponseHeader(NamedTuple):
    """The last header of a file."""

    http: HeaderBlock
    status: bytes
    start: int
    """The offset of the body."""


def _response(raw: Window) -> _ResponseHeader | None:
    """Return the last header; None if a header has no end."""
    start, found = 0, None
    for _ in range(_MOST_HEADERS):
        head = raw.read(start, _LARGEST_HEADER)
        status = _STATUS.match(head)
        if status is None:
            return found
        http = HeaderBlock.read(head)
        if http is None:
            return None
        start += len(http.block)
        found = _ResponseHeader(http, status[1], start)
    return found


def _part(raw: Window, envelope: Envelope, note: Note, limits: Limits) -> tuple[int, Part] | None:
    """Return the offset of the body, and the body; None if there is none, or it cannot be read."""

    def report(code: str, offset: int, detail: str) -> None:
        note(container_problem(code, offset, detail))

    response = _response(raw)
    if response is None:
        report("container-damaged", 0, "the HTTP header has no end")
        return None
    http, status, start = response
    size = raw.size - start
    allowance = Allowance(limits, raw.size)
    if status == _PARTIAL:
        report("response-partial", start, http.first("content-range") or "status 206")
    elif size > allowance.limit(size):
        reached = allowance.reached(size)
        report(reached.code, start, reached.detail)
    elif raw.read(start, len(_GZIP)) == _GZIP:
        report("part-encoding", start, f"{_NAME}: it is compressed ({http.first('content-encoding') or 'gzip'})")
    elif size:
        data = raw.read(start, size)
        type_ = declared_type(http.all)
        media_type = type_.media_type(data[:HEADER])
        policy = ", ".join(http.all("content-security-policy")) or None
        known = Envelope(None, type_.own.charset, media_type, parent=envelope, content_security_policy=policy)
        return start, Part(_NAME, data, media_type, known)
    return None


def parts(source: BinaryIO, envelope: Envelope, note: Note, limits: Limits) -> Iterator[Part]:
    """Yield the body; see `Container.parts`."""
    with open_window(source) as raw:
        found = _part(raw, envelope, note, limits)
        if found is not None:
            yield found[1]


def rewrite(
    source: BinaryIO,
    out: BinaryIO,
    envelope: Envelope,
    change: Change,
    note: Note,
    limits: Limits,
    *,
    leave_alone: LeaveAlone = ignore_count,  # noqa: ARG001 - every change can be written
) -> None:
    """Copy a file, with the body that `change` changes; see `Container.rewrite`."""
    with open_window(source) as raw:
        found = _part(raw, envelope, note, limits)
        new = None if found is None else change(found[1])
        end = raw.size if found is None or new is None else found[0]
        out.writelines(raw.pieces(0, end))
        out.write(new or b"")
