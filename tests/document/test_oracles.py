"""The same links as tree builders find: (namespace, element, attribute, decoded value), on real and made documents.

A tree builder drops and clones tags: a second `body` only adds attributes, a misnested `a` comes twice. So sets are
compared, and the tags that the tree builder drops are listed by document.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import html5lib
import pytest
from selectolax.lexbor import LexborHTMLParser
from support.paths import FIXTURES
from support.vectors import CORPUS, corpus_sample, table

from linkfix import Document, Options
from linkfix.document import Finder
from linkfix.encodings import STR
from linkfix.html import Value, row_index, row_table
from linkfix.kernels.outline import Outline

DOCUMENTS = sorted(path for path in FIXTURES.rglob("*") if path.suffix in {".html", ".htm"})
SMALL = [path for path in CORPUS if path.stat().st_size < 60_000]
#: Pages that savers wrote: name -> bytes.
SAVED = {name: data.encode("latin-1") for name, data in table("savers", "path", "data") if name.endswith(".html")}

NAMESPACES = {
    "http://www.w3.org/1999/xhtml": "html",
    "http://www.w3.org/2000/svg": "svg",
    "http://www.w3.org/1998/Math/MathML": "mathml",
}

Found = set[tuple[str, str, str, str]]

#: Attributes of tags that tree builders ignore (a form in a form, a frame in a body): file name -> attributes that only
#: linkfix finds. No browser sees them, so that rewriting them does no harm.
DROPPED = {"sloppy.html": {("html", "form", "action"), ("html", "frame", "src")}}


def utf8(data: bytes) -> bytes:
    """The document in UTF-8, so that every parser decodes it alike."""
    encoding = Document(data).encoding
    return encoding.decode(data[encoding.bom :]).replace("\r\n", "\n").replace("\r", "\n").encode()


def ours(data: bytes) -> Found:
    outline = Outline(row_index(Options()), data, 0)
    encoding = Document(data, charset="utf-8").encoding
    found = set()
    for number in range(outline.count):
        record = outline.record(number)
        if not record.text:
            value = Value(data, record, encoding).text
            found.add(
                (
                    record.row.namespace,
                    Finder(data, STR, STR, xml=False).element_name(record),
                    record.row.attribute,
                    value,
                )
            )
    return found


def html5libs(data: bytes) -> Found:
    tree = html5lib.HTMLParser(html5lib.getTreeBuilder("etree")).parse(data, transport_encoding="utf-8")
    rows = row_table(Options())
    found = set()
    for element in tree.iter():
        if isinstance(element.tag, str):
            uri, _, name = element.tag.rpartition("}")
            namespace = NAMESPACES.get(uri[1:], "html")
            values = {key.replace("{http://www.w3.org/1999/xlink}", "xlink:"): v for key, v in element.attrib.items()}
            for attribute, value in values.items():
                if rows.row(namespace, name.lower(), attribute.lower(), values) is not None:
                    found.add((namespace, name.lower(), attribute.lower(), value))
    return found


def agrees_with_html5lib(name: str, data: bytes) -> None:
    data = utf8(data)
    expected = html5libs(data)
    found = ours(data)
    assert expected - found == set()
    assert {row[:3] for row in found - expected} == DROPPED.get(name, set())


@pytest.mark.parametrize("path", DOCUMENTS + corpus_sample(SMALL), ids=lambda path: path.stem[:40])
def test_html5lib_finds_the_same(path: Path) -> None:
    agrees_with_html5lib(path.name, path.read_bytes())


@pytest.mark.parametrize("name", SAVED)
def test_html5lib_finds_the_same_in_saved_pages(name: str) -> None:
    agrees_with_html5lib(name, SAVED[name])


def lexbors(data: bytes) -> Found:
    found = set()
    rows = row_table(Options())
    for node, namespace in _walk(LexborHTMLParser(data).root):
        values = {key: value or "" for key, value in node.attributes.items()}
        for attribute, value in values.items():
            if rows.row(namespace, node.tag.lower(), attribute.lower(), values) is not None:
                found.add((namespace, node.tag.lower(), attribute.lower(), value))
    return found


def _walk(root: object) -> Iterator[tuple[object, str]]:
    stack = [(root, "html")]
    while stack:
        node, outer = stack.pop()
        namespace = {"svg": "svg", "math": "mathml"}.get(node.tag, outer)
        yield node, namespace
        inner = "html" if node.tag in {"foreignObject", "desc", "title"} else namespace
        stack += [(child, inner) for child in node.iter(include_text=False)]


@pytest.mark.parametrize("path", corpus_sample(CORPUS), ids=lambda path: path.stem[:12])
def test_lexbor_finds_the_same(path: Path) -> None:
    data = utf8(path.read_bytes())
    expected = lexbors(data)
    found = ours(data)
    assert expected - found == set()
    more = found - expected
    # selectolax does not show the content of a template; html5lib does.
    assert more == set() or more <= html5libs(data)
