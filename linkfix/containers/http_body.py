"""Header blocks and bodies of HTTP messages, as archives keep them: reading, decoding within limits, editing.

A header block is edited line by line, so that the rest stays byte for byte. WARC's own headers have the same syntax.
Codings are decoded as RFC 9110 §8.4 and RFC 9112 §7.1 define them.
"""

from __future__ import annotations

import base64
import binascii
import enum
import io
import zlib
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from typing import NamedTuple

from linkfix.containers.digests import digest
from linkfix.containers.pieces import compress, inflate, join_pieces, read_stream, split_pieces
from linkfix.files.media_types import is_binary
from linkfix.html.vocabulary import ANY_FIELD
from linkfix.lazy import lazy_pattern
from linkfix.urls import excerpt

#: The maximum number of codings of one body: curl's limit.
_MOST_CODINGS = 5

#: The number of bytes that are fed to a decompressor at a time.
_FED = 1 << 16

#: The level of gzip and deflate: zlib's default.
_LEVEL = 6

_FOLD = lazy_pattern(r"\r?\n[ \t]+")

#: A function that is called with a description of the bytes after the end of a coded body.
OnRest = Callable[[str], None]

#: The end of a header block.
EMPTY_LINE = lazy_pattern(rb"\n\r?\n")

#: RFC 9112 §7.1: chunk-size and chunk-ext. 16 digits are enough for any possible size.
_CHUNK = lazy_pattern(rb"([0-9A-Fa-f]{1,16})[ \t]*(?:;[^\n]*)?\r?\n")

#: §7.1.2: fields after the last chunk, and the empty line that ends them. A recipient that removes the coding may
#: discard them.
_TRAILERS = lazy_pattern(rb"(?:[!#$%&'*+.^_`|~0-9A-Za-z-]++:[^\n]*+\n)*+\r?\n?")

#: RFC 9110 §15.3: the codes of success whose responses have no content (§15.3.5, §15.3.6) or a part of it (§15.3.7).
_NOT_WHOLE = frozenset({204, 205, 206})


def has_content(status: int) -> bool:
    """Whether a response with this status code has content: an empty body is an empty file then."""
    return 200 <= status < 300 and status not in _NOT_WHOLE


class BodyFault(NamedTuple):
    """The reason why a body cannot be decoded."""

    code: str
    """A code of `linkfix.model.PROBLEMS`."""
    detail: str


class HeaderBlock:
    """A header block: of an HTTP message or WARC record, with its start line and empty line; or of a MIME entity.

    Each byte of a value is a character (latin-1). A line that begins with white space continues a field. If no field
    precedes it, it is ignored (RFC 9112 §2.2).
    """

    def __init__(self, block: bytes, *, has_start_line: bool = True, names: Container[str] | None = None) -> None:
        """`names`: the names in lower case of the fields that are read; None for all fields."""
        self.block = block
        self._start = block.find(b"\n") + 1 if has_start_line else 0
        #: The raw values of the fields, with the line ends of folds, by name in lower case.
        self.raw: dict[str, list[bytes]] = {}
        # A list of all fields is quicker. A header with chosen fields may be long, and most of its fields unwanted.
        all_fields: Iterable[tuple[bytes, bytes]] = (
            ANY_FIELD.findall(block, self._start)
            if names is None
            else ((field[1], field[2]) for field in ANY_FIELD.finditer(block, self._start))
        )
        for written, value in all_fields:
            name = written.decode("ascii").lower()
            if names is None or name in names:
                self.raw.setdefault(name, []).append(value)

    @classmethod
    def read(cls, data: bytes, start: int = 0) -> HeaderBlock | None:
        """Return the header block with a start line at an offset; None if no empty line ends it."""
        ending = EMPTY_LINE.search(data, start)
        return None if ending is None else cls(data[start : ending.end()])

    def all(self, name: str) -> list[str]:
        """Return the values of all fields with a name, in order. `name`: in lower case."""
        return [_unfolded(value) for value in self.raw.get(name, ())]

    def first(self, name: str) -> str:
        """Return the value of the first field with a name, or "". `name`: in lower case."""
        values = self.raw.get(name)
        return _unfolded(values[0]) if values else ""

    def joined(self, names: Iterable[str]) -> dict[str, str]:
        """Return the values of the existing fields among `names`, by name. The values of one name are joined by ", "
        (RFC 9110 §5.3).
        """
        return {name: ", ".join(self.all(name)) for name in names if name in self.raw}

    def list_members(self, name: str) -> list[str]:
        """Return the members, in lower case, of a field with a list as its value (RFC 9110 §5.6.1)."""
        members = (member.strip().lower() for value in self.all(name) for member in value.split(","))
        return [member for member in members if member]

    def edit(self, values: Mapping[str, str | None]) -> bytes:
        """Return the block with new values of fields. All other bytes stay.

        The first field with a name gets the new value, and further fields with the name are removed. If the block has
        no such field, the field is added at the end.

        `values`: the new values, by name in lower case. None removes all fields with the name.
        """
        out: list[bytes] = []
        at = 0
        seen: set[str] = set()
        for field in ANY_FIELD.finditer(self.block, self._start):
            name = field[1].decode("ascii").lower()
            if name not in values:
                continue
            value = values[name]
            if value is None or name in seen:
                out.append(self.block[at : field.start()])
                at = field.end() + len(b"\n")
            else:
                written = field[2].removesuffix(b"\r")
                value_end = field.start(2) + len(written)
                out += [self.block[at : value_end - len(written.lstrip(b" \t"))], value.encode("latin-1")]
                at = value_end
            seen.add(name)
        rest = self.block[at:]
        end = len(rest) - (2 if rest.endswith(b"\r\n") else 1)
        out.append(rest[:end])
        ending = rest[end:]
        for name, value in values.items():
            if name not in seen and value is not None:
                out.append(f"{name.title()}: {value}".encode("latin-1") + ending)
        return b"".join([*out, ending])


def _unfolded(value: bytes) -> str:
    text = value.decode("latin-1")
    return (_FOLD.sub(" ", text) if "\n" in text else text).strip()


def decode_body(
    body: bytes, fields: HeaderBlock, limit: int, on_rest: OnRest = lambda _detail: None
) -> bytes | BodyFault:
    """Decode a body's transfer codings and content codings, to at most `limit` bytes.

    Browsers ignore bytes after the end of a coded body: a second member of gzip, or bytes after the last chunk and its
    trailer fields. The result does not contain them; `on_rest` is called with a description. Several frames of zstd are
    one body (RFC 8878 §3).

    Many archives store decoded bodies with the original header. So a body that plainly lacks the stated coding (no
    chunk size, or not the first bytes of gzip) is returned undecoded. Text with a coding that does not exist ("none",
    "utf-8", "binary") is returned undecoded too, as in browsers.
    """
    codings = fields.list_members("content-encoding") + fields.list_members("transfer-encoding")
    if len(codings) > _MOST_CODINGS:
        return BodyFault("part-encoding", f"{len(codings)} codings, more than {_MOST_CODINGS}")
    for coding in reversed(codings):
        decode = _DECODERS.get(coding)
        if decode is None:
            if is_content_coding(coding) or is_binary(body):
                return BodyFault("part-encoding", f"unknown coding {excerpt(coding, 40)!r}")
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
    """Decode chunks (RFC 9112 §7.1.3). No limit is needed, since the decoded body is never longer."""
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
    """Decode deflate (RFC 9110 §8.4.1.2), with the header of zlib or without it, which all browsers also accept."""
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
    except OSError as error:  # raised for invalid content, since the stream itself is in memory
        return BodyFault("part-damaged", f"the {coding} body does not inflate: {error}")


def _brotli(body: bytes, limit: int, _on_rest: OnRest) -> bytes | BodyFault:
    return _by_library(body, limit, "br") if body else body


def _zstd(body: bytes, limit: int, _on_rest: OnRest) -> bytes | BodyFault:
    return _by_library(body, limit, "zstd") if body.startswith(b"\x28\xb5\x2f\xfd") else body


#: The decoders, by coding (https://www.iana.org/assignments/http-parameters).
_DECODERS: dict[str, Callable[[bytes, int, OnRest], bytes | BodyFault]] = {
    "identity": _identity,
    "chunked": _decode_chunked,
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}


def encode_body(data: bytes, coding: str) -> bytes | None:
    r"""Encode a body. None if the coding is unknown, or if no installed library encodes it. `coding`: in lower case.

    >>> decode_body(encode_body(b"x", "gzip"), HeaderBlock(b"\nContent-Encoding: gzip\n"), 9)
    b'x'
    """
    if coding in {"gzip", "x-gzip"}:
        import gzip  # few runs compress anything

        return gzip.compress(data, _LEVEL, mtime=0)  # the same bytes at any time
    return zlib.compress(data, _LEVEL) if coding == "deflate" else compress(coding, data)


#: Content codings that are not decoded: codings of IANA's registry, other codings in use, and transfer encodings of
#: MIME (RFC 2045 §6), whose output looks like text. Private codings, "x-…", are not decoded either.
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


# Header fields that describe a body, the bytes that each field covers, and the field's value when the body changes.
#
# The forms of a body, after RFC 9110 §6.4 and §8.1:
#
# - The *content* of the message: with content codings, without transfer codings (and, in MIME, without
#   Content-Transfer-Encoding).
# - The *representation*. The content is the whole representation or, in a partial response, a part of it. Partial
#   responses are never changed, so the two are the same bytes here.
#
# A changed body is written without content codings, so its content is the data itself. A digest is renewed only if it
# was right. A renewed digest that fitted no form of the old body would vouch for bytes that it never described.
#
# Some fields may only come from the origin, and are dropped. Last-Modified and cache fields describe the resource at
# its origin, which has not changed. They stay.


#: A function that is called with the code and the detail of a problem.
Tell = Callable[[str, str], None]


class BodyCoverage(enum.Enum):
    """The bytes that a field describes."""

    CONTENT = "content"
    """The content of the message (RFC 9110 §6.4)."""
    REPRESENTATION = "representation"
    """The data of the whole representation (RFC 9110 §8.1), even if the content is only a part of it."""
    CODINGS = "codings"
    """The codings of the representation in the content, or of the content in the message."""


class BodyHeader(NamedTuple):
    """A row of `BODY_HEADERS`."""

    covers: BodyCoverage
    """The bytes that the field describes."""
    renew: Callable[[str, Collection[bytes], bytes, Tell], str | None] | None
    """`renew(value, old, new, tell)` returns the value for the content `new`, or None if the field must be dropped.
    `renew` is None if the specification allows only the origin to write the field.
    """
    section: str
    """The section of the specification that defines the field."""


def renew_body_headers(
    fields: Mapping[str, str], old: Collection[bytes], new: bytes, tell: Tell
) -> dict[str, str | None]:
    """Return the fields of `BODY_HEADERS` among `fields`, with their values for new content; None for a dropped field.

    `fields`: values by name in lower case. Values of several fields with one name are joined by ", ".
    `old`: the old body in each form that a digest may cover: stored, without transfer codings, and decoded.
    `new`: the new content, without codings.
    `tell`: called with the code and the detail of each problem.

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


#: The names of algorithms in `linkfix.containers.digests`, by name in lower case (RFC 3230 §4.1.1, RFC 5843 §2, RFC
#: 9530 §5). "sha" is SHA-1. The algorithms that begin with "id-" cover the body without content codings. Other
#: algorithms (unixsum, crc32c, …) are deprecated, and are not renewed.
_ALGORITHMS = {
    "md5": "md5",
    "sha": "sha1",
    "sha-256": "sha256",
    "sha-512": "sha512",
    "id-sha-256": "sha256",
    "id-sha-512": "sha512",
}

#: A member of a digest field. RFC 9530 §2-§3: a dictionary of structured fields (RFC 9651 §3.2), whose values are byte
#: sequences. RFC 3230 §4.3.2: a list of `algorithm=encoded`. Parameters of a member have no meaning here, and are
#: dropped.
_MEMBER = lazy_pattern(r"\s*([^\s=,;:]+)=(:?)([A-Za-z0-9+/]*={0,2})(:?)(?:;[^,]*)?\s*")


def _renew_digests(value: str, old: Collection[bytes], new: bytes, tell: Tell) -> str | None:
    return ", ".join(_renew_members(value, old, new, tell)) or None


def _renew_members(value: str, old: Collection[bytes], new: bytes, tell: Tell) -> Iterator[str]:
    """Yield the renewed members of a list of digests. Members that cannot be renewed are dropped."""
    for member in filter(str.strip, value.split(",")):
        match = _MEMBER.fullmatch(member)
        algorithm = _ALGORITHMS.get(match[1].lower()) if match else None
        if match is None or algorithm is None or match[2] != match[4]:
            tell("digest-unknown", member.strip()[:80])
        elif not any(_fits(match[3], algorithm, form) for form in old):
            tell("digest-wrong", f"{excerpt(member.strip(), 80)} is omitted")
        else:
            text = base64.b64encode(digest(algorithm, new) or b"").decode("ascii")
            yield f"{match[1]}={match[2]}{text}{match[4]}"


def _fits(written: str, algorithm: str, data: bytes) -> bool:
    try:
        return base64.b64decode(written + "=" * (-len(written) % 4), validate=True) == digest(algorithm, data)
    except binascii.Error:
        return False


_CONTENT, _REPRESENTATION, _CODED = BodyCoverage

#: The header fields that describe a body, by name in lower case.
BODY_HEADERS: dict[str, BodyHeader] = {
    "content-length": BodyHeader(_CONTENT, _renew_length, "RFC 9110 §8.6"),
    "content-encoding": BodyHeader(_CODED, None, "RFC 9110 §8.4"),
    "transfer-encoding": BodyHeader(_CODED, None, "RFC 9112 §6.1"),
    # "Message relays and gateways are expressly forbidden from generating" it; "only origin servers or clients may".
    "content-md5": BodyHeader(_CONTENT, None, "RFC 1864 §2, RFC 2616 §14.15"),
    "content-digest": BodyHeader(_CONTENT, _renew_digests, "RFC 9530 §2"),
    "repr-digest": BodyHeader(_REPRESENTATION, _renew_digests, "RFC 9530 §3"),
    # The instance of RFC 3230 is the representation (RFC 9530 §1.3).
    "digest": BodyHeader(_REPRESENTATION, _renew_digests, "RFC 3230 §4.3.2"),
    # An opaque validator that only the origin server assigns. The old value would identify other bytes.
    "etag": BodyHeader(_REPRESENTATION, None, "RFC 9110 §8.8.3"),
}
