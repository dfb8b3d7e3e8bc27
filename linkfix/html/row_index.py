"""A vocabulary as arrays of numbers: the index for the outline's lookups of tags and attributes."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import pairwise

from linkfix.kernels.constants import ANCHOR, BASE, CSS, LOCAL_URL, OTHER, REFRESH, SRCSET, URL
from linkfix.kernels.element_flags import DECISIVE_ATTRIBUTES, FLAGS
from linkfix.kernels.names import NameTable, RowIndex
from linkfix.model import Row

NAMESPACES = {"html": 0, "svg": 1, "mathml": 2}

#: A syntax -> the kind of its rows.
_KINDS = {"url": URL, "local-url": LOCAL_URL, "css": CSS, "anchor": ANCHOR, "srcset": SRCSET, "refresh": REFRESH}


def index_rows(rows: Sequence[Row]) -> RowIndex:
    """Return the index of a vocabulary."""
    guards = [row.guard.partition("=") for row in rows]
    # "" is the attribute of text rows, and the guard of rows without a guard.
    attributes = _numbered("", *DECISIVE_ATTRIBUTES, *(row.attribute for row in rows), *(name for name, _, _ in guards))
    elements = _numbered("", *FLAGS, *(row.element for row in rows if row.element != "*"))
    numbered = [rows[0], *rows]
    table = array("i", bytes(4 * len(NAMESPACES) * len(elements) * len(attributes)))
    nexts = array("i", bytes(4 * len(numbered)))
    for places, numbers in _chains(rows, elements, attributes):
        for place in places:
            table[place] = numbers[0]
        for number, following in pairwise(numbers):
            nexts[number] = following
    return RowIndex(
        numbered,
        [(*row[:4], row.namespace) for row in numbered],
        NameTable(list(attributes)[1:]),
        NameTable(list(elements)[1:]),
        array("i", [FLAGS.get(name, 0) for name in elements]),
        [
            table,
            nexts,
            array("i", [0, *(attributes[name] for name, _, _ in guards)]),
            array("i", [0, *map(_kind, rows)]),
        ],
        [None, *(NameTable(words.split()) if words else None for _, _, words in guards)],
    )


def _numbered(*names: str) -> dict[str, int]:
    """Each distinct name -> its number, from 0, in the order of first occurrence."""
    return {name: number for number, name in enumerate(dict.fromkeys(names))}


def _kind(row: Row) -> int:
    if row.role == "base":
        return BASE
    return OTHER if row.role in {"code", "codebase"} else _KINDS.get(row.syntax, OTHER)


def _chains(
    rows: Sequence[Row], elements: dict[str, int], attributes: dict[str, int]
) -> Iterator[tuple[Sequence[int], list[int]]]:
    """The rows of each element and attribute: their positions in the table, and their numbers.

    Rows of "*" come first, so that rows of a named element overwrite them.
    """
    chains: dict[tuple[str, str, str], list[int]] = {}
    for number, row in enumerate(rows, 1):
        chains.setdefault((row.namespace, row.element, row.attribute), []).append(number)
    width = len(attributes)
    height = len(elements)
    for (namespace, element, attribute), numbers in sorted(chains.items(), key=lambda chain: chain[0][1] != "*"):
        first = NAMESPACES[namespace] * height * width + attributes[attribute]
        if element == "*":
            yield range(first, first + height * width, width), numbers
        else:
            yield [first + elements[element] * width], numbers
