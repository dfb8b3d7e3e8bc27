"""Puts edits into bytes: what nobody edits is copied as it is."""

from __future__ import annotations

from collections.abc import Callable

try:
    import cython
except ImportError:
    from linkfix.html import no_cython as cython

from linkfix.document.plain import PlainReferences
from linkfix.html.outline import Outline, Record

if not cython.compiled:
    from linkfix.document.plain import LEAVE, NUMBER, PREFIX, RESOLVE, SKIP
    from linkfix.html.bytesearch import lacks_references
    from linkfix.html.outline import CSS, LOCAL_URL, TEXT, URL, WIDTH

__all__ = ["Edit", "Splicer", "keep_nonempty", "splice"]

#: Replace data[start:end] by these bytes.
Edit = tuple[int, int, bytes]

NUMBER_SIGN = 0x23
#: Longer spans are not copied before they are joined: memory holds them in the old data and in the new, and no more.
LARGE = 1 << 16


class Splicer:
    """Rewrites the references of an outline: plain ones in place, all others by the edits that `resolve(number)` gives.

    `plain`: None where every record has to go to `resolve`. After `run()`: `seen` and `rewritten` count the plain
    references.
    """

    def __init__(self, outline: Outline, plain: PlainReferences | None, resolve: Callable[[int], list[Edit]]) -> None:
        self.outline: Outline = outline
        self.data: bytes = outline.data
        self.plain: PlainReferences | None = plain
        self.resolve: Callable[[int], list[Edit]] = resolve
        self.pieces: list[bytes | memoryview] = []
        self.done: int = 0
        self.seen: int = 0
        self.rewritten: int = 0

    def run(self) -> bytes:
        """The edited bytes; the same object where nothing changes."""
        outline = self.outline
        data = self.data
        cells = outline.cells
        kinds = outline.index.kinds
        plain = self.plain
        number = 0
        while number < outline.count:
            at = number * WIDTH
            kind = kinds[cells[at]]
            start = cells[at + 1]
            end = cells[at + 2]
            verdict = RESOLVE
            if kind == CSS:
                if lacks_references(data, start, end):
                    verdict = LEAVE
            elif plain is not None and (kind == URL or kind == LOCAL_URL) and not cells[at + 4] & TEXT:  # noqa: PLR1714, SIM109
                if start < end:
                    if kind == LOCAL_URL and data[start] == NUMBER_SIGN:
                        verdict = LEAVE
                    else:
                        verdict = plain.classify(data, start, end)
                if verdict != RESOLVE:
                    self.seen += 1
                    if verdict >= PREFIX:
                        self.rewritten += 1
                        self._copy_until(start)
                        self.pieces.append(plain.prefixes[(verdict - PREFIX) & NUMBER])
                        self.done = start + ((verdict - PREFIX) >> SKIP)
            if verdict == RESOLVE:
                self._put(self.resolve(number))
            number += 1
        if not self.pieces:
            return data
        self._copy_until(len(data))
        return b"".join(self.pieces)

    def _copy_until(self, end: int) -> None:
        if end - self.done < LARGE:
            self.pieces.append(self.data[self.done : end])
        else:
            self.pieces.append(memoryview(self.data)[self.done : end])

    def _put(self, edits: list[Edit]) -> None:
        for start, end, text in edits:
            self._copy_until(start)
            self.pieces.append(text)
            self.done = end


def keep_nonempty(record: Record, edits: list[Edit]) -> list[Edit]:
    """The edits of an unquoted value, which must not become empty: the next attribute would be taken for the value."""
    if (
        not edits
        or any(text for _, _, text in edits)
        or sum(end - start for start, end, _ in edits) < record.end - record.start
    ):
        return edits
    return [(record.start, record.end, b'""')]


def splice(data: bytes, edits: list[Edit]) -> bytes:
    """`data` with the edits, which are in order and disjoint."""
    if not edits:
        return data
    view = memoryview(data)
    pieces: list[bytes | memoryview] = []
    done = 0
    for start, end, text in edits:
        pieces += (view[done:start] if start - done >= LARGE else data[done:start], text)
        done = end
    pieces.append(view[done:])
    return b"".join(pieces)
