"""The values in a tree that can have references, and the maximum length of a base for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from linkfix.document.budget import BASES, DELIMITERS, longest_base
from linkfix.html.syntaxes import SYNTAXES
from linkfix.html.vocabulary import RowTable
from linkfix.html.xml_outline import STYLESHEET, XML_BASE
from linkfix.model import Row
from linkfix.trees.context import ElementKind
from linkfix.trees.element import Element, TreeColumns

_XML_ROWS = {(row.element, row.attribute): row for row in (STYLESHEET, XML_BASE)}


def attribute_row(
    table: RowTable, kind: ElementKind, attribute: str, values: Mapping[str, str], *, xml: bool
) -> Row | None:
    """The row of the vocabulary for an attribute of an element, "" for its text."""
    if xml and attribute and kind.namespace == "svg":
        row = _XML_ROWS.get((kind.name, attribute)) or _XML_ROWS.get(("*", attribute))
        if row is not None:
            return row
    return table.row(kind.namespace, kind.name, attribute, values)


def longest_base_of(columns: TreeColumns, table: RowTable, parts: int, *, xml: bool) -> int:
    """The maximum length of a base, in characters, if each reference's target repeats it: see `budget.longest_base`."""
    count = size = 0
    for number, attribute in enumerate(columns.attributes):
        values = [(attribute.row, columns.values[number])] if attribute is not None else []
        if attribute is None:
            values = list(_values(columns.nodes[number], table, xml=xml))
        for row, text in values:
            size += len(text)
            if row.syntax == "srcdoc":
                count += 1 + sum(map(text.count, DELIMITERS))  # an upper bound of the number of references
            else:
                count += sum(1 for _ in SYNTAXES[row.syntax](text))
    return longest_base(count * parts, size, BASES)


def _values(element: Element, table: RowTable, *, xml: bool) -> Iterator[tuple[Row, str]]:
    """The values of an element that can have references, each with its row."""
    kind, values = element.kind, element.values
    for attribute, value in values.items():
        row = attribute_row(table, kind, attribute, values, xml=xml)
        if row is not None:
            yield row, value
    row = table.row(kind.namespace, kind.name, "", values) if kind.has_text else None
    if row is not None:
        yield from ((row, text) for text in element.texts() if text)
