"""Indexes of web archives, CDXJ and its compressed blocks: renewing offsets, lengths and digests when records move.

Sources: https://specs.webrecorder.net/cdxj/0.1.0/ and https://specs.webrecorder.net/wacz/1.1.1/#indexes. A line is
`KEY TIMESTAMP {JSON}`. In an index of blocks (`.idx`), the JSON states the offset of a gzip member of lines. Only
changed values are replaced. All other bytes of a line stay.
"""

from __future__ import annotations

import io
import json
import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from typing import BinaryIO, NamedTuple

from linkfix.containers.digests import digest, digest_fits, digest_key, renew_digest
from linkfix.containers.pieces import join_pieces
from linkfix.containers.warc_records import Gzip
from linkfix.files.window import Window
from linkfix.urls import excerpt

#: The maximum size of a block of an index, and of a line, in bytes. Blocks usually have 3,000 lines.
_BLOCK = 1 << 25
_LINE = 1 << 21

#: The algorithms of the digests in indexes.
_INDEXED = ("sha1", "sha256", "md5")
_FIELD = re.compile(rb'("(?:offset|length|digest|recordDigest|mime)"\s*:\s*"?)([^",}\s]*)')
_NAME = re.compile(rb'"([A-Za-z]+)"')


class StaleIndex(Exception):
    """Raised if an index cannot be renewed. The text is the reason."""


class IndexedPayload(NamedTuple):
    """The payload of a record, as an index describes it."""

    digests: Callable[[str], bytes | None] | None
    """Function that returns the payload's digest by an algorithm, or None for an unknown algorithm. The field is None
    if the payload did not change."""
    media_type: str = ""
    """The payload's media type; "" if the media type in the index stays."""
    old: Callable[[], frozenset[str]] | None = None
    """Function that returns the `digest_keys` of the old payload, which only indexes need. The field is None if every
    digest counts as right."""


class Block(NamedTuple):
    """The new content of a replaced span of a file."""

    length: int
    """The number of bytes."""
    record: Callable[[str], bytes | None]
    """Function that returns the digest of the record by an algorithm; None for an unknown algorithm."""
    payload: IndexedPayload
    """The payload of the record."""
    old: dict[bytes, frozenset[str]]
    """The `digest_keys` of the old data, by the name of the index's member that states its digest."""


def digest_keys(*forms: Iterable[bytes]) -> frozenset[str]:
    """Return the keys (`digest_key`) of the digests that indexes use. `forms`: the data, each in pieces."""
    computed = map(digests_of, forms)
    return frozenset(f"{name}:{(compute(name) or b'').hex()}" for compute in computed for name in _INDEXED)


def digests_of(pieces: Iterable[bytes]) -> Callable[[str], bytes | None]:
    """Return a function that returns the digest of some data by an algorithm. The digests that indexes use are computed
    at once, so that the data need not be kept.
    """
    pieces = tuple(pieces)
    made = {name: digest(name, *pieces) for name in _INDEXED}
    return lambda name: made.get(name.lower().replace("-", ""))


class Moves:
    """The replaced spans of a file, added in order, and the new offsets of all other bytes."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._shifts = [0]
        self._blocks: dict[int, Block | None] = {}
        #: Digests of an index that did not fit their payloads.
        self.wrong: list[str] = []

    def __bool__(self) -> bool:
        """Whether anything was replaced."""
        return bool(self._starts)

    def add(
        self,
        start: int,
        end: int,
        length: int,
        record: Collection[bytes],
        payload: IndexedPayload | None,
        old: Iterable[bytes],
    ) -> None:
        """Add a replaced span.

        `length`: the number of its new bytes.
        `record`: the new record, in pieces.
        `payload`: the payload of the record; None if the span contains several records.
        `old`: the old bytes of the span, in pieces.
        """
        block = None
        if payload is not None:
            keys = {b"recordDigest": digest_keys(old)}
            if payload.old is not None:
                keys[b"digest"] = payload.old()
            block = Block(length, digests_of(record), payload, keys)
        self._blocks[start] = block
        self._starts.append(start)
        self._shifts.append(self._shifts[-1] + length - (end - start))

    def locate(self, start: int) -> tuple[int, Block | None]:
        """Return the new offset of the bytes at `start`, and their new content if they were replaced, else None. Raises
        `StaleIndex`.
        """
        block = self._blocks.get(start)
        if block is None and start in self._blocks:
            message = f"several records were at byte {start}, and now have different offsets"
            raise StaleIndex(message)
        return start + self._shifts[bisect_left(self._starts, start)], block


def lines_of(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a stream. Raises `StaleIndex` for a line that is too long for an index."""
    while line := stream.readline(_LINE):
        if len(line) == _LINE:
            message = f"a line of more than {_LINE:,} bytes"
            raise StaleIndex(message)
        yield line


def renew_lines(lines: Iterator[bytes], moves: Callable[[str], Moves | None], default: str = "") -> Iterator[bytes]:
    """Renew the lines of an index. Raises `StaleIndex`.

    `moves`: function that returns the moves in a file by the `filename` of a line; None if nothing moved.
    `default`: the file of lines without a `filename`.
    """
    for line in lines:
        brace = line.find(b"{")
        if brace < 0 and line.strip():
            message = f"not a line of CDXJ: {_quote(line)}"
            raise StaleIndex(message)
        if brace < 0:
            yield line
            continue
        fields = _fields(line[brace:])
        name = fields.get("filename", default)
        if line.startswith(b"!meta"):
            default = str(name)
        offset = fields.get("offset")
        moved = moves(str(name)) if offset is not None else None
        yield line if moved is None else line[:brace] + _renew_fields(line[brace:], str(offset), moved)


def _quote(line: bytes) -> str:
    """Return the beginning of a line, for a message."""
    return repr(excerpt(line.decode("latin-1"), 60))


def _fields(text: bytes) -> dict[str, object]:
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        message = f"a line's fields are not JSON: {_quote(text)}"
        raise StaleIndex(message)
    return fields


def _renew_fields(text: bytes, offset: str, moved: Moves) -> bytes:
    if not offset.isdecimal():
        message = f"an offset is not a number: {excerpt(offset, 20)!r}"
        raise StaleIndex(message)
    now, block = moved.locate(int(offset))

    def value(match: re.Match[bytes]) -> bytes:
        named = _NAME.match(match[1])
        name = named[1] if named else b""
        if name == b"offset":
            return match[1] + str(now).encode()
        if block is None:
            return match[0]
        if name == b"length":
            return match[1] + str(block.length).encode()
        if name == b"mime":
            return match[1] + block.payload.media_type.encode("latin-1") if block.payload.media_type else match[0]
        compute = block.payload.digests if name == b"digest" else block.record
        if compute is None:
            return match[0]
        stated = match[2].decode("latin-1")
        if digest_fits(stated) is not None and digest_key(stated) not in block.old.get(name, [digest_key(stated)]):
            moved.wrong.append(stated)
            return match[0]
        made = renew_digest(stated, compute)
        if made is None:
            message = f"a digest in an unknown form: {excerpt(stated, 40)!r}"
            raise StaleIndex(message)
        return match[1] + made.encode("latin-1")

    return _FIELD.sub(value, text)


def renew_blocks(stream: BinaryIO, moves: Callable[[str], Moves | None], moved: Moves) -> Iterator[bytes]:
    """Renew a compressed index block by block, and add the changed blocks to `moved`. Raises `StaleIndex`."""
    raw = Window(stream)
    form = Gzip(raw)
    at = 0
    while at < raw.size:
        member = form.open(at)
        old = join_pieces(member, _BLOCK)
        if old is None:
            message = f"the block at byte {at} has more than {_BLOCK:,} bytes"
            raise StaleIndex(message)
        if member.fault:
            raise StaleIndex(member.fault[1])
        renewed = io.BytesIO()
        renewed.writelines(renew_lines(lines_of(io.BytesIO(old)), moves))
        new = renewed.getvalue()
        if new == old:
            yield from raw.pieces(at, member.reached)
        else:
            packed = form.pack(new)
            replaced = tuple(raw.pieces(at, member.reached))
            payload = IndexedPayload(digests_of([packed]), old=partial(digest_keys, replaced))
            moved.add(at, member.reached, len(packed), [packed], payload, replaced)
            yield packed
        at = member.reached
