from __future__ import annotations

import re

import pytest
from support.growth import processor_limit
from support.sizes import sized
from support.vectors import by_file

from linkfix import Row
from linkfix.encodings.character_references import decode
from linkfix.html import index_rows
from linkfix.kernels.outline import Outline
from linkfix.kernels.tokenizer import Tokenizer

IN_HTML = False  # the current node, for `next_tag`

CONFORMANCE = by_file("tree-construction")

#: Tests whose tree lacks attributes that stand in the data: the tree builder ignores those tags (file, data). We keep
#: them, which does no harm: nobody follows a link that is not in the tree.
IGNORED_TAGS = {
    ("noscript01.dat", '<head><noscript><head class="foo"><!--foo--></noscript>'),
    ("noscript01.dat", '<head><noscript><noscript class="foo"><!--foo--></noscript>'),
    ("pending-spec-changes.dat", '<input type="hidden"><frameset>'),
    ("template.dat", "<body a=b><template><div></div><body c=d><div></div></body></template></body>"),
    ("template.dat", "<html a=b><template><div><html b=c><span></template>"),
    ("template.dat", "<html a=b><template><col></col><html b=c><col></col></template>"),
    ("template.dat", "<html a=b><template><frame></frame><html b=c><frame></frame></template>"),
    ("tests14.dat", "<!DOCTYPE html><html xml:lang=bar><html xml:lang=foo>"),
    ("webkit01.dat", "<body foo='bar'><body foo='baz' yo='mama'>"),
    ("webkit01.dat", '<!doctype html><input type="hidden"><frameset>'),
}

NAMESPACES = ("html", "svg", "mathml")


def places(source, names):
    """The same of the outline, for the attributes `names`; with whether it is in a template."""
    data = source.encode("utf-8", "surrogatepass")
    index = index_rows(
        [Row("*", name, "url", "resource", namespace=namespace) for namespace in NAMESPACES for name in names]
    )
    outline = Outline(index, data, 0)
    for record in map(outline.record, range(outline.count)):
        tokenizer = Tokenizer(data, record.tag_start, len(data))
        tokenizer.next_tag(IN_HTML)
        element = data[tokenizer.name_start : tokenizer.name_end].decode().lower()
        if (record.row.namespace, element) == ("html", "image"):
            element = "img"
        value = decode(data[record.start : record.end].decode()).text
        yield (record.row.namespace, element, record.row.attribute, value), record.in_template


@pytest.mark.parametrize("file", CONFORMANCE)
def test_html5lib_tree_construction_tests(file):
    more = set()
    for test in CONFORMANCE[file]:
        data = test["data"]
        expected = set(map(tuple, test["attributes"]))
        names = {place[2] for place in expected} | {name.lower() for name in re.findall(r"[\w:-]+(?==)", data)} | {"k"}
        found = {place for place, _ in places(data, sorted(names))}
        assert expected <= found, data
        if expected != found:
            more.add((file, data))
    assert more == {test for test in IGNORED_TAGS if test[0] == file}


def test_there_are_as_many_tests_as_were_published():
    assert sum(map(len, CONFORMANCE.values())) == 1592
    assert {file for file, _ in IGNORED_TAGS} <= set(CONFORMANCE)


def namespaces(source):
    """The elements with an attribute `k`, as "namespace element"; "in template" after elements in a template."""
    return [f"{place[0]} {place[1]}{' in template' * in_template}" for place, in_template in places(source, ["k"])]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<svg k><a k></svg><a k>", ["svg svg", "svg a", "html a"]),
        ("<math k><mi k></math><a k>", ["mathml math", "mathml mi", "html a"]),
        ("<svg k/><a k>", ["svg svg", "html a"]),
        ("<svg><g/><a k>", ["svg a"]),
        ("<SVG><A k></SVG><A k>", ["svg a", "html a"]),
        # §13.2.6.5: start tags that end foreign content
        ("<svg><g><p k><a k>", ["html p", "html a"]),
        ("<math><mrow><img k><a k>", ["html img", "html a"]),
        ("<svg><g></p><a k>", ["html a"]),
        ("<svg><g></br><a k>", ["html a"]),
        ("<svg><g></div><a k>", ["svg a"]),
        ("<svg><foreignObject><svg><p k></svg><a k>", ["html p", "html a"]),
        ("<svg><font k><a k>", ["svg font", "svg a"]),
        ("<svg><font color=x k><a k>", ["html font", "html a"]),
        ("<svg><font FACE=x k>", ["html font"]),
        ("<svg><font k size>", ["html font"]),
        ("<svg><image k>", ["svg image"]),
        ("<image k>", ["html img"]),
        # integration points (§13.2.6)
        ("<svg><foreignObject k><a k></a></foreignObject><a k>", ["svg foreignobject", "html a", "svg a"]),
        ("<svg><desc><p k></p></desc><a k>", ["html p", "svg a"]),
        ("<svg><title><a k></a></title><a k>", ["html a", "svg a"]),
        ("<svg><title><p></title><a k>", ["html a"]),
        ("<svg><desc/><p k>", ["html p"]),
        ("<math><mi><a k></a></mi><a k>", ["html a", "mathml a"]),
        ("<math><mtext><mglyph k><a k>", ["mathml mglyph", "mathml a"]),
        ("<math><mi><svg k><a k>", ["svg svg", "svg a"]),
        ("<math><annotation-xml><a k>", ["mathml a"]),
        ("<math><annotation-xml encoding=x><a k>", ["mathml a"]),
        ("<math><annotation-xml encoding=TEXT/html><a k>", ["html a"]),
        ("<math><annotation-xml encoding='application/xhtml+xml'><a k>", ["html a"]),
        ("<math><annotation-xml encoding=te&#x78t/html><a k>", ["html a"]),
        ("<math><annotation-xml encoding=text/html encoding=x><a k>", ["html a"]),
        ("<math><annotation-xml><svg k><a k>", ["svg svg", "svg a"]),
        ("<math><mrow><svg k><a k>", ["mathml svg", "mathml a"]),
        # raw text of HTML is markup in foreign content
        ("<svg><title><g k></title>", ["html g"]),
        ("<svg><style><a k></style><script><a k></script><textarea><a k>", ["svg a", "svg a", "svg a"]),
        ("<svg><style/><a k>", ["svg a"]),
        ("<title><a k></title><style><a k></style><script><a k></script><textarea><a k></textarea><a k>", ["html a"]),
        ("<xmp><a k></xmp><iframe><a k></iframe><noembed><a k></noembed><noframes><a k></noframes><a k>", ["html a"]),
        ("<noscript><a k></noscript>", ["html a"]),
        ("<svg><foreignObject><style><a k></style><a k>", ["html a"]),
        ("<plaintext><a k></plaintext><a k>", []),
        ("<svg><plaintext><a k>", ["svg a"]),
        # CDATA sections are foreign content's
        ("<svg><![CDATA[<a k>]]><a k>", ["svg a"]),
        ("<![CDATA[<a k>]]>", []),
        ("<![CDATA[><a k>", ["html a"]),
        ("<svg><foreignObject><![CDATA[<a k>]]><a k>", ["html a"]),
        ("<svg><foreignObject><p><![CDATA[><a k>", ["html a"]),
        ("<math><mi><![CDATA[<a k>]]><a k>", ["html a"]),
        # end tags
        ("<svg><g><a k></svg><a k>", ["svg a", "html a"]),
        ("<div><svg><g></div><a k>", ["html a"]),
        ("<svg><foreignObject><div></foreignObject><a k>", ["html a"]),
        ("<svg><foreignObject><div></div></foreignObject><a k>", ["svg a"]),
        ("<svg></html></body><a k>", ["svg a"]),
        ("<form><svg></form><a k>", ["svg a"]),
        # integration points are special, and bound all scopes except tables' (§13.2.4.2)
        ("<object><math><mtext><svg></object><a k>", ["svg a"]),
        ("<x-y><svg><foreignObject><svg></x-y><a k>", ["svg a"]),
        ("<object><svg><g></object><a k>", ["html a"]),
        ("<table><tr><td><svg><desc><div></table><svg><a k></svg></desc><a k>", ["svg a", "html a"]),
        ("<svg><desc><form><svg></form><a k></svg><p></p></desc><a k>", ["svg a", "svg a"]),
        ("<svg><desc><form></form></desc><a k>", ["svg a"]),
        ("<template><form><svg></form><a k>", ["html a in template"]),
        # §13.2.6.4.7: start tags that are ignored while a body is open
        ("<svg><foreignObject><body k></foreignObject><a k>", ["html body", "svg a"]),
        ("<svg><foreignObject><html><head><p></p></svg><a k>", ["html a"]),
        ("<i><svg><desc><frameset></svg><a k>", ["html a"]),
        ("<svg><foreignObject><body></body></foreignObject></svg><a k>", ["html a"]),
        ("<head><svg></head><a k>", ["svg a"]),
        # a noscript in the head ends at the beginning of the body (§13.2.6.4.4, §13.2.6.4.5); one in the body has its
        # end tag
        ("<noscript><svg></noscript><a k>", ["svg a"]),
        ("<noscript><p></p><svg></noscript><a k>", ["svg a"]),
        ("<noscript><link></noscript><svg></noscript><a k>", ["svg a"]),
        ("<noscript><title></title><svg></noscript><a k>", ["svg a"]),
        ("<noscript><script></script><noscript><svg></noscript><a k>", ["svg a"]),
        ("<noscript>x<noscript><svg></noscript><a k>", ["html a"]),
        ("<noscript></br><noscript><svg></noscript><a k>", ["html a"]),
        ("<noscript></head></body></html></p><noscript><svg></noscript><a k>", ["svg a"]),
        ("<noscript></noscript></head><noscript><svg></noscript><a k>", ["html a"]),
        ("<!DOCTYPE html><html><head><style>p</style> <!-- x --> <noscript><svg></noscript><a k>", ["svg a"]),
        ("&#x20;&Tab;\f<noscript><svg></noscript><a k>", ["svg a"]),
        ("&#x20;x<noscript><svg></noscript><a k>", ["html a"]),
        (" &<noscript><svg></noscript><a k>", ["html a"]),
        ("x<noscript><svg></noscript><a k>", ["html a"]),
        ("<noscript></noscript>x<noscript><svg></noscript><a k>", ["html a"]),
        ("<body><noscript><svg></noscript><a k>", ["html a"]),
        ("<p></p><noscript><svg></noscript><a k>", ["html a"]),
        ("</p><noscript><svg></noscript><a k>", ["svg a"]),
        ("</br><noscript><svg></noscript><a k>", ["html a"]),
        ("</body><noscript><svg></noscript><a k>", ["html a"]),
        ("<template>x<p></template><noscript><svg></noscript><a k>", ["svg a"]),
        ("<template><noscript><svg><a k></noscript><a k>", ["svg a in template", "html a in template"]),
        # outside a table, its parts make no element (§13.2.6.4.7)
        ("<tr><svg></tr><a k>", ["svg a"]),
        ("<a<table><tr><svg></tr><a k>", ["svg a"]),
        ("<table><tr><svg></tr><a k>", ["html a"]),
        ("<table></table><td><svg></td><a k>", ["svg a"]),
        ("<svg><foreignObject><tr><svg></tr><a k>", ["svg a"]),
        ("<svg><foreignObject><table><tr><svg></tr><a k>", ["html a"]),
        ("<svg><foreignObject><table></table><tr><svg></tr><a k>", ["svg a"]),
        ("<template><tr><svg></tr><a k>", ["html a in template"]),
        # templates
        ("<template k><a k></template><a k>", ["html template", "html a in template", "html a"]),
        ("<template><template></template><a k></template><a k>", ["html a in template", "html a"]),
        ("<template><svg><a k></template><a k>", ["svg a in template", "html a"]),
        ("<svg><template k></template><a k>", ["svg template", "svg a"]),
        ("<svg><foreignObject><template><a k></svg><a k></template><a k>", ["html a in template"] * 2 + ["html a"]),
        ("</template><a k>", ["html a"]),
    ],
)
def test_namespaces_and_templates(source, expected):
    assert namespaces(source) == expected


@pytest.mark.growth
@pytest.mark.parametrize(
    "piece",
    [
        "<div>",
        "<x-y>",
        "<svg>",
        "<svg><g>",
        "<svg><foreignObject>",
        "<math><mi>",
        "<template>",
        "<svg><desc><template>",
    ],
)
@pytest.mark.parametrize("end", ["", "</b>", "</svg>", "</template>", "<p>"])
def test_deep_nesting_takes_linear_time(piece, end):
    count = sized(40_000)
    with processor_limit(10):
        assert len(namespaces(piece * count + (end or "x") * count + "</svg></template><p k>")) == 1


@pytest.mark.growth
def test_a_million_elements_inside_each_other():
    source = "<svg><foreignObject>" * sized(500_000) + "<a k>"
    with processor_limit(20):
        assert namespaces(source) == ["html a"]


def test_elements_with_numbers_of_their_own_are_not_limited():
    """A caller's rows may name any number of elements; the context counts the open ones of each."""
    rows = [Row(f"x-{number}", "k", "url", "resource") for number in range(3000)] + [Row("a", "k", "url", "resource")]
    data = b"".join(b"<x-%d k><svg></x-%d><a k>" % (number, number) for number in range(3000))
    outline = Outline(index_rows(rows), data, 0)
    assert [outline.record(i).row.element for i in range(4)] == ["x-0", "a", "x-1", "a"]
    assert outline.count == 6000
