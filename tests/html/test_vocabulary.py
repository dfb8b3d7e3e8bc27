from __future__ import annotations

from collections import Counter

import pytest
from support.each import for_each
from support.vectors import table

from linkfix import InvalidOption, Options, Row
from linkfix.document.document import DOCUMENTS
from linkfix.html import GROUPS, ROLES, ROWS, row_index, row_table
from linkfix.html.syntaxes import SYNTAXES
from linkfix.html.vocabulary import NAMESPACES, RowTable
from linkfix.kernels.outline import Outline

ALL_ROWS = [*ROWS, *(row for rows in GROUPS.values() for row in rows)]
each_row = for_each(ALL_ROWS, label=lambda row: f"{row.namespace} {row.element} {row.attribute} {row.guard}".rstrip())


def attribute(row):
    """The attributes of a tag that a row is for."""
    name, _, words = row.guard.partition("=")
    guard = {name: words.split(" ")[0]} if name else {}
    return guard | ({row.attribute: "x"} if row.attribute else {})


def tag(row):
    if row.element == "#comment":
        return b"<!--[if mso]>x<![endif]-->"
    values = " ".join(f'{name}="{value}"' for name, value in attribute(row).items())
    root = {"html": "", "svg": "<svg>", "mathml": "<math>"}[row.namespace]
    return f"{root}<{'x-y' if row.element == '*' else row.element} {values}>x".encode()


def test_every_reflected_url_attribute_is_there():
    """The web platform tests hold the IDL attributes of type url against browsers."""
    published = set(table("url-attributes", "element", "attribute"))
    assert published
    assert published <= {(row.element, row.attribute) for row in ROWS if row.namespace == "html"}


def test_the_attributes_that_hold_references_are_there():
    names = """
        action archive background cite classid codebase data dynsrc formaction href icon imagesrcset itemid longdesc
        lowsrc manifest ping poster profile src srcdoc srcset
    """
    assert set(names.split()) <= {row.attribute for row in ROWS if row.namespace == "html"}


@pytest.mark.parametrize(("element", "name"), [("a", "itemtype"), ("img", "usemap"), ("a", "name"), ("html", "xmlns")])
def test_names_that_look_like_references_are_ignored(element, name):
    assert row_table(Options()).row("html", element, name, {name: "x", "itemscope": ""}) is None


@each_row
def test_every_row_uses_known_words(row):
    assert row.syntax in {*SYNTAXES, *DOCUMENTS}
    assert row.role in ROLES
    assert row.namespace in NAMESPACES
    assert row.section
    assert row.element
    assert (row.element, row.attribute, row.guard) == (row.element.lower(), row.attribute.lower(), row.guard.lower())


def test_no_row_is_repeated():
    assert Counter(row[:2] + row[4:5] + row[6:] for row in ALL_ROWS).most_common(1)[0][1] == 1


@each_row
def test_scanner_and_table_find_every_row(row):
    options = Options(**dict.fromkeys(GROUPS, True))
    data = tag(row)
    outline = Outline(row_index(options), data, 0)
    assert [outline.record(number).row for number in range(outline.count)] == [row]
    assert row_table(options).row(row.namespace, row.element, row.attribute, attribute(row)) == row


@pytest.mark.parametrize("group", GROUPS)
def test_groups_are_selected(group):
    rows = GROUPS[group]
    chosen = Options(**{group: True})
    for row in rows:
        place = (row.namespace, row.element, row.attribute, attribute(row))
        assert row_table(Options()).row(*place) is None
        assert row_table(chosen).row(*place) == row
        assert Outline(row_index(Options()), tag(row), 0).count == 0
        assert Outline(row_index(chosen), tag(row), 0).count == 1


def test_callers_rows_come_first():
    own = Row("a", "href", "space-list", "metadata")
    options = Options(rows=(own,))
    assert row_table(options).row("html", "a", "href", {"href": "x"}) is own
    assert row_table(options).row("html", "area", "href", {"href": "x"}) in ROWS
    outline = Outline(row_index(options), b"<a href=x><area href=y>", 0)
    assert [outline.record(number).row.syntax for number in range(outline.count)] == ["space-list", "url"]


def test_the_same_options_share_a_vocabulary():
    assert row_index(Options(lazy=True)) is row_index(Options(lazy=True, spec="rfc3986"))
    assert row_table(Options(lazy=True)) is not row_table(Options(social=True))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (Row("a", "b", "uri", "hyperlink"), "row a b: unknown syntax 'uri', not one of anchor, comma-list, css, "),
        (Row("a", "b", "url", "link"), "row a b: unknown role 'link', not one of anchor, base, code, "),
        (
            Row("a", "b", "url", "hyperlink", namespace="xul"),
            "row a b: unknown namespace 'xul', not one of html, mathml, svg",
        ),
        (Row("A", "b", "url", "hyperlink"), "row 'A' 'b': write names in lower case"),
        (Row("a", "b", "url", "hyperlink", "!c"), "row a b: guard '!c': only rows of feeds have one with !"),
        (Row("a", "B", "url", "hyperlink"), "row 'a' 'B': write names in lower case"),
        (Row("", "b", "url", "hyperlink"), "row '' 'b': write names in lower case; an element needs a name"),
    ],
)
@pytest.mark.parametrize("read", [row_index, row_table])
def test_callers_rows_that_cannot_be(read, row, message):
    with pytest.raises(InvalidOption) as refusal:
        read(Options(rows=(row,)))
    assert str(refusal.value).startswith(message)


TABLE = RowTable(
    (
        Row("a", "b", "url", "hyperlink", "c"),
        Row("a", "b", "srcset", "hyperlink", "d=e f"),
        Row("*", "b", "css", "hyperlink", "g"),
        Row("*", "b", "refresh", "hyperlink"),
    )
)


@pytest.mark.parametrize(
    ("element", "values", "syntax"),
    [
        ("a", {"c": ""}, "url"),
        ("a", {"d": "e"}, "srcset"),
        ("a", {"d": " F\n"}, "srcset"),
        ("a", {"d": "e f"}, None),
        ("a", {"d": ""}, None),
        ("a", {"c": "", "d": "e"}, "url"),
        ("a", {"g": ""}, None),
        ("b", {"g": ""}, "css"),
        ("b", {}, "refresh"),
    ],
)
def test_guards(element, values, syntax):
    row = TABLE.row("html", element, "b", values)
    assert (row and row.syntax) == syntax
