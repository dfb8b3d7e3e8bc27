"""URL attributes of a document, by parsers that share nothing with linkfix: lexbor and html5lib.

Parsers have faults of their own. linkfix is wrong only if both parsers disagree with it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import html5lib
from selectolax.lexbor import LexborHTMLParser

from linkfix import Options
from linkfix.document import Finder
from linkfix.encodings import STR
from linkfix.html import Value, row_index, row_table
from linkfix.kernels.outline import Outline

__all__ = ["Fact", "by_html5lib", "by_lexbor", "by_linkfix"]

#: Namespace, element, attribute, decoded value.
Fact = tuple[str, str, str, str]

_NAMESPACES = {"http://www.w3.org/2000/svg": "svg", "http://www.w3.org/1998/Math/MathML": "mathml"}
_XLINK = "{http://www.w3.org/1999/xlink}"


def by_linkfix(data: bytes) -> set[Fact]:
    """Facts by linkfix's scanner about a document in UTF-8."""
    outline = Outline(row_index(Options()), data, 0)
    finder = Finder(data, STR, STR, xml=False)
    found = set()
    for number in range(outline.count):
        record = outline.record(number)
        if not record.text:
            name = finder.element_name(record)
            found.add((record.row.namespace, name, record.row.attribute, Value(data, record, STR).text))
    return found


def _lower(name: str) -> str:
    """ASCII lowercase (Infra §4.6)."""
    return name.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


def _facts(namespace: str, element: str, values: Mapping[str, str]) -> Iterator[Fact]:
    rows = row_table(Options())
    for attribute, text in values.items():
        if rows.row(namespace, element, _lower(attribute), values) is not None:
            yield namespace, element, _lower(attribute), text


def by_html5lib(data: bytes) -> set[Fact] | None:
    """Facts by html5lib; None if it fails."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = html5lib.HTMLParser(html5lib.getTreeBuilder("etree")).parse(data, transport_encoding="utf-8")
        except (AttributeError, AssertionError, IndexError, KeyError, RecursionError, TypeError, ValueError):
            return None
    found: set[Fact] = set()
    for element in tree.iter():
        if isinstance(element.tag, str):
            uri, _, name = element.tag.rpartition("}")
            values = {key.replace(_XLINK, "xlink:"): text for key, text in element.attrib.items()}
            found.update(_facts(_NAMESPACES.get(uri[1:], "html"), _lower(name), values))
    return found


def by_lexbor(data: bytes) -> set[Fact]:
    """Facts by lexbor, in templates too."""
    found: set[Fact] = set()
    stack: list[tuple[Any, str, str]] = [(LexborHTMLParser(data).root, "html", "")]
    while stack:
        node, outer, parent = stack.pop()
        if node is None or node.tag is None:
            continue  # a processing instruction has no name
        namespace = _ROOTS.get(node.tag, outer) if outer == "html" or parent == "annotation-xml" else outer
        values = {key: text or "" for key, text in node.attributes.items()}
        found.update(_facts(namespace, _lower(node.tag), values))
        inner = "html" if _is_integration_point(node.tag, namespace, values) else namespace
        stack += [(child, inner, node.tag) for child in node.iter(include_text=False)]
        if node.tag == "template":
            stack += [(child, "html", "") for child in node.template_fragments() if child.is_element_node]
    return found


#: The elements that begin a namespace.
_ROOTS = {"svg": "svg", "math": "mathml"}
_INTEGRATION_POINTS = {
    "svg": {"foreignobject", "desc", "title"},
    "mathml": {"mi", "mo", "mn", "ms", "mtext"},
}


def _is_integration_point(tag: str, namespace: str, values: Mapping[str, str]) -> bool:
    """Whether the children of an element are HTML (HTML §13.2.6)."""
    if tag == "annotation-xml" and namespace == "mathml":
        return _lower(values.get("encoding", "")) in {"text/html", "application/xhtml+xml"}
    return _lower(tag) in _INTEGRATION_POINTS.get(namespace, set())
