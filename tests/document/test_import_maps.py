"""What specifiers mean by import maps: the examples of the HTML standard (§8.1.6.2) and of its web platform tests."""

from __future__ import annotations

import json

import pytest
from support.growth import assert_linear

from linkfix.document.document import Document
from linkfix.document.import_maps import ImportMaps
from linkfix.html.vocabulary import MODULES
from linkfix.resolvers import RESOLVERS

BASE = "https://h.example/app/index.html"


def maps(*texts, base=BASE):
    found = ImportMaps(RESOLVERS["whatwg"])
    for text in texts:
        found.add(text if isinstance(text, str) else json.dumps(text), base)
    return found


@pytest.mark.parametrize(
    ("import_map", "specifier", "expected"),
    [
        ({}, "./a.js", "https://h.example/app/a.js"),
        ({}, "a", None),
        ({"imports": {"a": "./b.js"}}, "a", "https://h.example/app/b.js"),
        ({"imports": {"a": "/b.js", "a/": "/c/"}}, "a/d.js", "https://h.example/c/d.js"),
        ({"imports": {"a/": "/c/", "a/d/": "/e/"}}, "a/d/f", "https://h.example/e/f"),
        ({"imports": {"a/": "/c/", "a/d": "/e"}}, "a/d", "https://h.example/e"),
        ({"imports": {"a/": "/c/"}}, "a/", "https://h.example/c/"),
        ({"imports": {"a/": "/c/"}}, "a", None),
        ({"imports": {"a/": "/c/"}}, "a/../../x", None),
        ({"imports": {"a/": "/c"}}, "a/b", None),
        ({"imports": {"a": None}}, "a", None),
        ({"imports": {"a": 5, "b": "c"}}, "b", None),
        ({"imports": {"./a.js": "./b.js"}}, "/app/a.js", "https://h.example/app/b.js"),
        ({"imports": {"./a.js": "./b.js"}}, "./x/../a.js", "https://h.example/app/b.js"),
        ({"imports": {"/app/": "/v2/"}}, "./a.js", "https://h.example/v2/a.js"),
        ({"imports": {"./a.js": None}}, "./a.js", None),
        ({"imports": {"": "/x"}}, "", None),
        ({"imports": {"https://o.example/a": "./b.js"}}, "https://o.example/a", "https://h.example/app/b.js"),
        ({"imports": {"tag:x/": "/y/"}}, "tag:x/z", None),
        ({"scopes": {"/app/": {"a": "/s.js"}}, "imports": {"a": "/t.js"}}, "a", "https://h.example/s.js"),
        ({"scopes": {"/": {"a": "/r.js"}, "/app/": {"a": "/s.js"}}}, "a", "https://h.example/s.js"),
        ({"scopes": {"/app/index.html": {"a": "/s.js"}}}, "a", "https://h.example/s.js"),
        (
            {"scopes": {"/app/index": {"a": "/s.js"}, "http://[": {}}, "imports": {"a": "/t.js"}},
            "a",
            "https://h.example/t.js",
        ),
        ({"scopes": {"/app/": {"b": "/s.js"}}, "imports": {"a": "/t.js"}}, "a", "https://h.example/t.js"),
        ({"imports": [], "scopes": {}}, "a", None),
        ({"imports": {"a": "/t.js"}, "scopes": {"/": 5}}, "a", None),
        ([], "./a", "https://h.example/app/a"),
        ("{", "a", None),
    ],
)
def test_what_a_specifier_means(import_map, specifier, expected):
    found = maps(import_map).resolve(specifier, BASE)
    if specifier == "tag:x/z":
        assert found == "tag:x/z"  # no scheme of the web: prefixes do not count
    else:
        assert found == expected


def test_the_first_of_several_maps_has_precedence():
    merged = maps(
        {"imports": {"a": "/1.js"}}, {"imports": {"a": "/2.js", "b/": "/3/"}, "scopes": {"/app/": {"c": "/4"}}}
    )
    assert [merged.resolve(one, BASE) for one in ("a", "b/x", "c")] == [
        "https://h.example/1.js",
        "https://h.example/3/x",
        "https://h.example/4",
    ]
    assert not maps()
    assert maps({"imports": {"a": "/1.js"}})
    assert maps({"imports": {"./a": "/1.js", "b": "/"}}).urls == {"https://h.example/app/a"}


def page(html, **fields):
    document = Document(html, url=BASE, rows=MODULES, **fields)
    return [(link.reference, link.target, link.role) for link in document.links if link.syntax == "javascript"]


def test_modules_in_a_page_go_by_its_maps_and_its_base():
    html = (
        '<base href="/b/"><script type="importmap">{"imports": {"a": "./a.js"}}</script>'
        '<template><script type=importmap>{"imports": {"t": "./t.js"}}</script></template>'
        '<script type=module>import "a"; import "./b.js"; import "t"; new URL("./a.png", import.meta.url)</script>'
        '<script>import("./classic.js")</script>'
    )
    expected = [
        ("a", "https://h.example/b/a.js", "module"),
        ("./b.js", "https://h.example/b/b.js", "module"),
        ("t", None, "module"),
        ("./a.png", "https://h.example/b/a.png", "resource"),
    ]
    assert page(html) == expected
    body = html.replace("type=importmap", "type='importmap'").replace("type=module", "type='module'")
    xhtml = '<html xmlns="http://www.w3.org/1999/xhtml"><head>' + body.replace('"/b/">', '"/b/"/>') + "</head></html>"
    assert page(xhtml.encode(), media_type="application/xhtml+xml") == expected


def test_a_conversion_leaves_modules_alone():
    html = "<script type=module>import './a.js'</script><a href=b>"
    assert Document(html, url=BASE).absolutize() == html.replace("href=b", "href=https://h.example/app/b")


@pytest.mark.growth
def test_large_maps_take_linear_time():
    def run(size):
        import_map = json.dumps({"imports": {f"{number}/" * 3: "/x/" for number in range(size)}})
        specifiers = [f"{number}/" * 3 + "y" for number in range(size)]

        def resolve():
            found = maps(import_map)
            return [found.resolve(one, BASE) for one in specifiers]

        return resolve

    assert_linear(run, 500)
