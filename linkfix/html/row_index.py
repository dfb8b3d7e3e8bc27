"""A vocabulary as arrays of numbers, in which the outline looks up tags and attributes."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import pairwise

from linkfix.html.constants import ANCHOR, BASE, CSS, LOCAL_URL, OTHER, REFRESH, SRCSET, URL
from linkfix.html.element_flags import DECISIVE_ATTRIBUTES, FLAGS
from linkfix.html.names import NameTable, RowIndex
from linkfix.model import Row
from linkfix.named_tuple import NamedTuple

__all__ = ["NAMESPACES", "RowTables", "index_rows"]

NAMESPACES = {"html": 0, "svg": 1, "mathml": 2}

#: A syntax -> the kind of its rows.
_KINDS = {"url": URL, "local-url": LOCAL_URL, "css": CSS, "anchor": ANCHOR, "srcset": SRCSET, "refresh": REFRESH}


class RowTables(NamedTuple):
    """What a `RowIndex` has. Names and rows have numbers from 1; 0 is any other name, and no row."""

    rows: list[Row]
    """The rows by number; that of 0 is never used."""
    heads: list[tuple[str, str, str, str, str]]
    """Of each row what a `Link` begins with, and its namespace."""
    attributes: NameTable
    """The names of attributes: first `DECISIVE_ATTRIBUTES`, then those of rows and of their guards."""
    elements: NameTable
    """The names of elements: first those of `FLAGS`, then others of rows."""
    flags: array[int]
    """Number of an element -> its flags."""
    table: array[int]
    """(namespace * elements + element) * attributes + attribute, 0 for the text -> the number of the first such row."""
    nexts: array[int]
    """Row -> the next of the same element and attribute, or 0."""
    guards: array[int]
    """Row -> the attribute that is its guard, or 0."""
    kinds: array[int]
    """Row -> its kind, see `linkfix.html.constants`."""
    guard_words: list[NameTable | None]
    """Row -> the values that its guard asks for; None where any will do."""


def index_rows(rows: Sequence[Row]) -> RowIndex:
    """The index of a vocabulary."""
    guards = [row.guard.partition("=") for row in rows]
    named = dict.fromkeys([*DECISIVE_ATTRIBUTES, *(row.attribute for row in rows), *(guard[0] for guard in guards)])
    named.pop("", None)  # of rows of texts, and of rows without a guard
    attributes = {name: number for number, name in enumerate(named, 1)} | {"": 0}
    elements = {
        name: number
        for number, name in enumerate(dict.fromkeys([*FLAGS, *(row.element for row in rows if row.element != "*")]), 1)
    }
    numbered = [rows[0], *rows]
    table = array("i", bytes(4 * len(NAMESPACES) * (len(elements) + 1) * len(attributes)))
    nexts = array("i", bytes(4 * len(numbered)))
    for places, numbers in _chains(rows, elements, attributes):
        for place in places:
            table[place] = numbers[0]
        for number, following in pairwise(numbers):
            nexts[number] = following
    return RowIndex(
        RowTables(
            numbered,
            [(*row[:4], row.namespace) for row in numbered],
            NameTable(named),
            NameTable(elements),
            array("i", [0, *(FLAGS.get(name, 0) for name in elements)]),
            table,
            nexts,
            array("i", [0, *(attributes[guard[0]] for guard in guards)]),
            array("i", [0, *map(_kind, rows)]),
            [None, *(NameTable(guard[2].split()) if guard[2] else None for guard in guards)],
        )
    )


def _kind(row: Row) -> int:
    if row.role == "base":
        return BASE
    return OTHER if row.role in {"code", "codebase"} else _KINDS.get(row.syntax, OTHER)


def _chains(
    rows: Sequence[Row], elements: dict[str, int], attributes: dict[str, int]
) -> Iterator[tuple[Sequence[int], list[int]]]:
    """The rows of each element and attribute: their places in the table, and their numbers.

    Rows of "*" come first: those of one element take their places.
    """
    chains: dict[tuple[str, str, str], list[int]] = {}
    for number, row in enumerate(rows, 1):
        chains.setdefault((row.namespace, row.element, row.attribute), []).append(number)
    width = len(attributes)
    height = len(elements) + 1
    for (namespace, element, attribute), numbers in sorted(chains.items(), key=lambda chain: chain[0][1] != "*"):
        first = NAMESPACES[namespace] * height * width + attributes[attribute]
        if element == "*":
            yield range(first, first + height * width, width), numbers
        else:
            yield [first + elements[element] * width], numbers
