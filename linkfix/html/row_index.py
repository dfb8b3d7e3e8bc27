"""A vocabulary as arrays of numbers, in which the outline looks up tags and attributes."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import pairwise

try:
    import cython
except ImportError:
    from linkfix.html import no_cython as cython

from linkfix.html.names import NameTable
from linkfix.html.tree_context import FLAGS
from linkfix.model import Row

if not cython.compiled:
    from linkfix.html.cells import ints
    from linkfix.html.constants import ANCHOR, BASE, CSS, LOCAL_URL, OTHER, REFRESH, SRCSET, URL

__all__ = ["NAMESPACES", "RowIndex"]

NAMESPACES = {"html": 0, "svg": 1, "mathml": 2}

# Attributes that decide how the tree builder treats `font`, `annotation-xml` and `input`, numbered from 1: see
# `TreeContext.start`. Then those of meta, in which a document states a policy.
_DECISIVE_ATTRIBUTES = ("color", "face", "size", "encoding", "type", "http-equiv", "content")
TYPE, HTTP_EQUIV, CONTENT = 5, 6, 7
#: Encodings that make an annotation-xml element an HTML integration point (§13.2.6).
_INTEGRATION_ENCODINGS = ("text/html", "application/xhtml+xml")


#: A syntax -> the kind of its rows.
_KINDS = {"url": URL, "local-url": LOCAL_URL, "css": CSS, "anchor": ANCHOR, "srcset": SRCSET, "refresh": REFRESH}


def _kind(row: Row) -> int:
    if row.role == "base":
        return BASE
    return OTHER if row.role in {"code", "codebase"} else _KINDS.get(row.syntax, OTHER)


class RowIndex:
    """A vocabulary as arrays: (namespace, element, attribute) -> the number of the first such row, from 1."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows: list[Row] = [rows[0], *rows]  # rows are numbered from 1; row 0 is never used
        self.heads: list[tuple[str, str, str, str, str]] = [(*row[:4], row.namespace) for row in self.rows]
        guards = [row.guard.partition("=") for row in rows]
        attributes = [*_DECISIVE_ATTRIBUTES]
        for name in [row.attribute for row in rows] + [guard[0] for guard in guards]:
            if name and name not in attributes:
                attributes.append(name)
        elements = [*FLAGS]
        for row in rows:
            if row.element != "*" and row.element not in elements:
                elements.append(row.element)
        self.attributes: NameTable = NameTable(attributes)
        self.elements: NameTable = NameTable(elements)
        self.flags: array[int] = array("i", [0, *[FLAGS.get(name, 0) for name in elements]])
        self.integration_encodings: NameTable = NameTable(_INTEGRATION_ENCODINGS)
        self.hidden: NameTable = NameTable(["hidden"])
        self.policy: NameTable = NameTable(["content-security-policy"])
        self.head: int = elements.index("head") + 1
        self.image: int = elements.index("image") + 1
        self.img: int = elements.index("img") + 1
        self.html: int = elements.index("html") + 1
        self.width: int = len(attributes) + 1
        self.height: int = len(elements) + 1
        self.memory: list[array[int]] = [
            array("i", bytes(4 * 3 * self.height * self.width)),
            array("i", bytes(4 * len(self.rows))),
            array("i", bytes(4 * len(self.rows))),
            array("i", [0, *[_kind(row) for row in rows]]),
        ]
        self.table: array[int] = ints(self.memory[0])
        self.nexts: array[int] = ints(self.memory[1])
        self.guards: array[int] = ints(self.memory[2])
        self.kinds: array[int] = ints(self.memory[3])
        self.guard_words: list[NameTable | None] = [None]
        self._fill_table(rows, elements, attributes)
        for number, guard in enumerate(guards, 1):
            self.guards[number] = attributes.index(guard[0]) + 1 if guard[0] else 0
            self.guard_words.append(NameTable(guard[2].split()) if guard[2] else None)

    def _fill_table(self, rows: Sequence[Row], elements: list[str], attributes: list[str]) -> None:
        """Fill the table. Rows of one element and attribute form a chain; rows of "*" apply where there is no other."""
        chains: dict[tuple[str, str, str], list[int]] = {}
        for number, row in enumerate(rows, 1):
            chains.setdefault((row.namespace, row.element, row.attribute), []).append(number)
        of_any = [chain for chain in chains.items() if chain[0][1] == "*"]
        of_one = [chain for chain in chains.items() if chain[0][1] != "*"]
        for (namespace, element, attribute), numbers in of_any + of_one:  # those of one element overwrite
            line = NAMESPACES[namespace] * self.height
            lines = range(line, line + self.height) if element == "*" else [line + elements.index(element) + 1]
            column = attributes.index(attribute) + 1 if attribute else 0
            for place in lines:
                self.table[place * self.width + column] = numbers[0]
            for number, following in pairwise(numbers):
                self.nexts[number] = following
