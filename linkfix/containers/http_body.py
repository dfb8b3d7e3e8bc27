"""Header blocks and bodies of HTTP messages as archives keep them: reading, decoding within limits, editing.

A header block is edited line by line, so that the rest stays byte for byte; WARC's own headers have the same syntax.
Codings are decoded as RFC 9110 §8.4 and RFC 9112 §7.1 define them.
"""

from __future__ import annotations

import base64
import binascii
import enum
import io
import re
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple

from linkfix.containers.digests import digest
from linkfix.containers.pieces import inflate, join_pieces, split_pieces
from linkfix.containers.stream_readers import read_stream
from linkfix.files.media_types import is_binary
from linkfix.lazy import lazy_pattern

#: How many codings one body may have: curl's limit.
_MOST_CODINGS = 5

#: How many bytes are fed to a decompressor at a time.
_FED = 1 << 16

#: RFC 9112 §5: a field line, with the lines that continue it (obs-fold, §5.2).
_FIELD = lazy_pattern(r"^([^\n:]*):([^\n]*(?:\n[ \t][^\n]*)*)\n", re.MULTILINE)

_FOLD = lazy_pattern(r"\r?\n[ \t]+")

#: Is called with what follows the end of a coded body, in words.
OnRest = Callable[[str], None]

#: The end of a header block.
EMPTY_LINE = lazy_pattern(rb"\n\r?\n")

#: RFC 9112 §7.1: chunk-size and chunk-ext; 16 digits hold any possible size.
_CHUNK = lazy_pattern(rb"([0-9A-Fa-f]{1,16})[ \t]*(?:;[^\n]*)?\r?\n")

#: §7.1.2: fields after the last chunk, and the empty line that ends them. Who removes the coding may discard them.
_TRAILERS = lazy_pattern(rb"(?:[!#$%&'*+.^_`|~0-9A-Za-z-]++:[^\n]*+\n)*+\r?\n?")


class BodyFault(NamedTuple):
    """Why a body cannot be decoded."""

    code: str
    """A code of `linkfix.model.PROBLEMS`."""
    detail: str


class HeaderBlock:
    """A header block, from start line to empty line. Each byte of a value is a character (latin-1)."""

    def __init__(self, block: bytes) -> None:
        self.block = block
        #: Name in lower case -> the values of its fields, with the line ends of folds.
        self._values: dict[str, list[str]] = {}
        for name, value in _FIELD.findall(*_after_start_line(block)):
            self._values.setdefault(_field_name(name), []).append(value)

    def all(self, name: str) -> list[str]:
        """The values of every field of a name (lower case), in order."""
        return [_unfolded(value) for value in self._values.get(name, ())]

    def first(self, name: str) -> str:
        """The value of the first field of a name (lower case), "" where there is none."""
        values = self._values.get(name)
        return _unfolded(values[0]) if values else ""

    def list_members(self, name: str) -> list[str]:
        """The members, in lower case, of a field whose value is a list (RFC 9110 §5.6.1)."""
        members = (member.strip().lower() for value in self.all(name) for member in value.split(","))
        return [member for member in members if member]

    def edit(self, values: Mapping[str, str | None]) -> bytes:
        """The block with new values of fields, by name in lower case; None removes the fields of a name.

        The first field of a name gets the value, and further ones are removed; a name without a field gets one at the
        end. Every other byte stays.
        """
        out: list[bytes] = []
        at = 0
        seen: set[str] = set()
        for field in _FIELD.finditer(*_after_start_line(self.block)):
            name = _field_name(field[1])
            if name not in values:
                continue
            out.append(self.block[at : field.start()])
            at = field.end()
            value = values[name]
            if value is not None and name not in seen:
                out.append(_replace_value(self.block[field.start() : at], value))
            seen.add(name)
        rest = self.block[at:]
        end = len(rest) - (2 if rest.endswith(b"\r\n") else 1)
        out.append(rest[:end])
        ending = rest[end:]
        for name, value in values.items():
            if name not in seen and value is not None:
                out.append(f"{name.title()}: {value}".encode("latin-1") + ending)
        return b"".join([*out, ending])


def _after_start_line(block: bytes) -> tuple[str, int]:
    """The text of a header block, and where its fields begin."""
    text = block.decode("latin-1")
    return text, text.find("\n") + 1


def _field_name(text: str) -> str:
    return text.strip().lower()


def _unfolded(value: str) -> str:
    return (_FOLD.sub(" ", value) if "\n" in value else value).strip()


def _replace_value(line: bytes, value: str) -> bytes:
    colon = line.index(b":") + 1
    space = len(line[colon:]) - len(line[colon:].lstrip(b" \t"))
    return line[: colon + space] + value.encode("latin-1") + (b"\r\n" if line.endswith(b"\r\n") else b"\n")


def decode_body(
    body: bytes, fields: HeaderBlock, limit: int, on_rest: OnRest = lambda _detail: None
) -> bytes | BodyFault:
    """Decode a body's transfer codings and content codings, to no more than `limit` bytes.

    Browsers ignore what follows the end of a coded body: a second member of gzip, bytes after the last chunk and its
    trailer fields. It is not in what is returned; `on_rest` is called with what it is. Several frames of zstd are one
    body (RFC 8878 §3).

    A body that plainly lacks the coding that its header states (no chunk size, not gzip's first bytes) is taken as it
    is: many archives store decoded bodies with the original header. So is text with a coding that does not exist
    ("none", "utf-8", "binary"), as in browsers.
    """
    codings = fields.list_members("content-encoding") + fields.list_members("transfer-encoding")
    if len(codings) > _MOST_CODINGS:
        return BodyFault("part-encoding", f"{len(codings)} codings, more than {_MOST_CODINGS}")
    for coding in reversed(codings):
        decode = _DECODERS.get(coding)
        if decode is None:
            if is_content_coding(coding) or is_binary(body):
                return BodyFault("part-encoding", f"unknown coding {coding[:40]!r}")
            continue
        decoded = decode(body, limit, on_rest)
        if isinstance(decoded, BodyFault):
            return decoded
        body = decoded
    return body if len(body) <= limit else _too_large(limit)


def _too_large(limit: int) -> BodyFault:
    return BodyFault("part-too-large", f"the body has more than {limit:,} bytes when its codings are decoded")


def _identity(body: bytes, _limit: int, _on_rest: OnRest) -> bytes:
    return body


def _decode_chunked(body: bytes, _limit: int, on_rest: OnRest) -> bytes | BodyFault:
    """RFC 9112 §7.1.3. It needs no limit: decoding only makes a body shorter."""
    out = io.BytesIO()
    view = memoryview(body)
    at = 0
    while True:
        size = _CHUNK.match(body, at)
        if size is None:
            return BodyFault("part-damaged", f"no chunk size at byte {at} of the body") if at else body
        start, at = size.end(), size.end() + int(size[1], 16)
        if at == start:
            if trailers := _TRAILERS.match(body, at):
                at = trailers.end()
            if body[at:].strip(b"\r\n"):
                on_rest(f"more bytes follow the last chunk ({len(body) - at:,})")
            return out.getvalue()
        if at > len(body):
            return BodyFault(
                "part-damaged", f"the chunk at byte {size.start()} of the body lacks {at - len(body)} bytes"
            )
        out.write(view[start:at])
        if body.startswith(b"\r\n", at):
            at += 2
        elif body.startswith(b"\n", at):
            at += 1
        else:
            return BodyFault("part-damaged", f"the chunk at byte {size.start()} of the body has no end")


def _join_within(pieces: Iterator[bytes], limit: int) -> bytes | BodyFault:
    joined = join_pieces(pieces, limit)
    return _too_large(limit) if joined is None else joined


def _zlib(body: bytes, limit: int, window_bits: int, on_rest: OnRest) -> bytes | BodyFault:
    what = "gzip" if window_bits > zlib.MAX_WBITS else "deflate"

    def say_rest(count: int) -> None:
        on_rest(f"more bytes follow the {what} stream ({count:,})")

    try:
        return _join_within(inflate(split_pieces(body, size=_FED), window_bits, say_rest), limit)
    except zlib.error as error:
        return BodyFault("part-damaged", f"the {what} body does not inflate: {error}")


def _gzip(body: bytes, limit: int, on_rest: OnRest) -> bytes | BodyFault:
    return _zlib(body, limit, 31, on_rest) if body.startswith(b"\x1f\x8b") else body


def _deflate(body: bytes, limit: int, on_rest: OnRest) -> bytes | BodyFault:
    """RFC 9110 §8.4.1.2: with zlib's header, or without one, which all browsers accept too."""
    if not body:
        return body
    # RFC 1950 §2.2: CM is 8, and the two bytes are a multiple of 31.
    has_header = body[0] & 15 == 8 and int.from_bytes(body[:2], "big") % 31 == 0
    return _zlib(body, limit, 15 if has_header else -15, on_rest)


def _by_library(body: bytes, limit: int, coding: str) -> bytes | BodyFault:
    try:
        pieces = read_stream(coding, body)
    except ImportError as error:
        return BodyFault("extra-needed", f"a body with coding {coding!r} needs {error}")
    try:
        return _join_within(pieces, limit)
    except OSError as error:  # for invalid content; the stream itself is in memory
        return BodyFault("part-damaged", f"the {coding} body does not inflate: {error}")


def _brotli(body: bytes, limit: int, _on_rest: OnRest) -> bytes | BodyFault:
    return _by_library(body, limit, "br") if body else body


def _zstd(body: bytes, limit: int, _on_rest: OnRest) -> bytes | BodyFault:
    return _by_library(body, limit, "zstd") if body.startswith(b"\x28\xb5\x2f\xfd") else body


#: Coding (https://www.iana.org/assignments/http-parameters) -> its decoder.
_DECODERS: dict[str, Callable[[bytes, int, OnRest], bytes | BodyFault]] = {
    "identity": _identity,
    "chunked": _decode_chunked,
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}

#: Content codings that are not decoded: those of IANA's registry, others that are in use, and those of MIME (RFC 2045
#: §6), whose result looks like text. So are private ones, "x-…".
_NOT_DECODED = frozenset(
    {
        *("aes128gcm", "compress", "dcb", "dcz", "exi", "pack200-gzip"),
        *("bzip2", "lzma", "sdch", "xz"),
        *("base64", "quoted-printable", "uuencode"),
    }
)


def is_content_coding(name: str) -> bool:
    """Whether a name in a Content-Encoding (lower case) means that the body is coded.

    >>> is_content_coding("gzip"), is_content_coding("utf-8"), is_content_coding("identity")
    (True, False, False)
    """
    is_decoded = name in _DECODERS and name not in {"identity", "chunked"}
    return is_decoded or name in _NOT_DECODED or name.startswith("x-")


# Header fields that describe a body: what each covers, and what becomes of it when the body changes.
#
# The forms of a body, after RFC 9110 §6.4 and §8.1:
#
# - its *content*, as the message has it: with content codings, without transfer codings (and, in MIME, without
#   Content-Transfer-Encoding);
# - the *representation* of which that is all or, in a partial response, a part. Partial responses are never changed, so
#   that both are the same bytes here.
#
# A changed body is written without content codings, so that its content is the data itself. A digest is renewed where
# it was right: one that fits no form of the old body, renewed, would vouch for bytes that it never described.
#
# Some fields may come from the origin alone, and are dropped. Last-Modified and cache fields tell of the resource at
# its origin, which has not changed, and stay.


#: Is called with the code of a problem and the detail.
Tell = Callable[[str, str], None]


class BodyCoverage(enum.Enum):
    """What a field describes."""

    CONTENT = "content"
    """The content of the message (RFC 9110 §6.4)."""
    REPRESENTATION = "representation"
    """The data of the whole representation (RFC 9110 §8.1), even if the content is only a part of it."""
    CODINGS = "codings"
    """How the representation is coded in the content, or the content in the message."""


class BodyHeader(NamedTuple):
    """A row of `BODY_HEADERS`."""

    covers: BodyCoverage
    """What the field describes."""
    renew: Callable[[str, Collection[bytes], bytes, Tell], str | None] | None
    """`renew(value, old, new, tell)`: the value for the `new` content, None where it has to be dropped. None: the
    specification gives nobody but the origin the right to write it.
    """
    section: str
    """The section of the specification."""


def renew_body_headers(
    fields: Mapping[str, str], old: Collection[bytes], new: bytes, tell: Tell
) -> dict[str, str | None]:
    """The fields of `BODY_HEADERS` among `fields`, with their value for new content; None for one that is dropped.

    `fields`: name in lower case -> value, that of several fields of a name joined with ", ". `old`: the old body in
    each form that a digest may cover: as it is stored, without transfer codings, decoded. `new`: the new content, which
    has no codings. `tell` is called with the code and the detail of each problem.

    >>> renew_body_headers({"content-length": "3", "etag": '"a"', "date": "today"}, [b"old"], b"newer", print)
    {'content-length': '5', 'etag': None}
    """
    return {
        name: None if row.renew is None else row.renew(fields[name], old, new, tell)
        for name, row in BODY_HEADERS.items()
        if name in fields
    }


def _renew_length(_value: str, _old: Collection[bytes], new: bytes, _tell: Tell) -> str:
    return str(len(new))


#: An algorithm's name in lower case -> its name in `linkfix.containers.digests`. RFC 3230 §4.1.1, RFC 5843 §2, RFC 9530
#: §5: "sha" is SHA-1; the algorithms that begin with "id-" leave content codings out. Others (unixsum, crc32c, …) are
#: deprecated, and are not renewed.
_ALGORITHMS = {
    "md5": "md5",
    "sha": "sha1",
    "sha-256": "sha256",
    "sha-512": "sha512",
    "id-sha-256": "sha256",
    "id-sha-512": "sha512",
}

#: RFC 9530 §2-§3: a dictionary of structured fields (RFC 9651 §3.2), whose values are byte sequences; RFC 3230 §4.3.2:
#: a list of `algorithm=encoded`. Parameters of a member, which mean nothing here, are left out.
_MEMBER = lazy_pattern(r"\s*([^\s=,;:]+)=(:?)([A-Za-z0-9+/]*={0,2})(:?)(?:;[^,]*)?\s*")


def _renew_digests(value: str, old: Collection[bytes], new: bytes, tell: Tell) -> str | None:
    return ", ".join(_renew_members(value, old, new, tell)) or None


def _renew_members(value: str, old: Collection[bytes], new: bytes, tell: Tell) -> Iterator[str]:
    """The members of a list of digests, renewed, without those that cannot be."""
    for member in filter(str.strip, value.split(",")):
        match = _MEMBER.fullmatch(member)
        algorithm = _ALGORITHMS.get(match[1].lower()) if match else None
        if match is None or algorithm is None or match[2] != match[4]:
            tell("digest-unknown", member.strip()[:80])
        elif not any(_fits(match[3], algorithm, form) for form in old):
            tell("digest-wrong", f"{member.strip()[:80]} is left out")
        else:
            text = base64.b64encode(digest(algorithm, new) or b"").decode("ascii")
            yield f"{match[1]}={match[2]}{text}{match[4]}"


def _fits(written: str, algorithm: str, data: bytes) -> bool:
    try:
        return base64.b64decode(written + "=" * (-len(written) % 4), validate=True) == digest(algorithm, data)
    except binascii.Error:
        return False


_CONTENT, _REPRESENTATION, _CODED = BodyCoverage

#: Name in lower case -> what the field covers, and what becomes of it.
BODY_HEADERS: dict[str, BodyHeader] = {
    "content-length": BodyHeader(_CONTENT, _renew_length, "RFC 9110 §8.6"),
    "content-encoding": BodyHeader(_CODED, None, "RFC 9110 §8.4"),
    "transfer-encoding": BodyHeader(_CODED, None, "RFC 9112 §6.1"),
    # "Message relays and gateways are expressly forbidden from generating" it; "only origin servers or clients may".
    "content-md5": BodyHeader(_CONTENT, None, "RFC 1864 §2, RFC 2616 §14.15"),
    "content-digest": BodyHeader(_CONTENT, _renew_digests, "RFC 9530 §2"),
    "repr-digest": BodyHeader(_REPRESENTATION, _renew_digests, "RFC 9530 §3"),
    # What RFC 3230 calls the instance is the representation (RFC 9530 §1.3).
    "digest": BodyHeader(_REPRESENTATION, _renew_digests, "RFC 3230 §4.3.2"),
    # An opaque validator that the origin server alone assigns: it would name bytes that are not those.
    "etag": BodyHeader(_REPRESENTATION, None, "RFC 9110 §8.8.3"),
}
