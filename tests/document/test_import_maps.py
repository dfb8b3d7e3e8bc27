"""The meaning of specifiers under import maps: examples of HTML §8.1.6.2 and of the web platform tests."""

from __future__ import annotations

import json

import bs4
import lxml.html
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.each import for_each
from support.growth import assert_linear
from support.sizes import examples
from support.vectors import table

from linkfix import Document
from linkfix.document.import_maps import ImportMaps
from linkfix.hooks.bs4 import absolutize as absolutize_bs4
from linkfix.hooks.lxml import absolutize as absolutize_lxml
from linkfix.html import MODULES
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
def test_targets_of_specifiers(import_map, specifier, expected):
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


PUBLISHED = table("import-maps")
OPEN, CLOSE = '<script type="importmap">', "</script>"
#: A map whose keys stay: they mean a URL with a final "/", and the last one's address has none.
LAST_OF_EQUAL = next(one for one in PUBLISHED if r"./foo\\\\" in one["import_map"])
#: A base at which each relative reference means something else.
ELSEWHERE = "https://elsewhere.example/x/y/z/"


def meaning(maps, case):
    """The result that the published test expects of import maps."""
    if case["what"] == "parsed":
        return maps.key
    return {one: maps.resolve(one, case["script_base"]) for one in case["expected"]}


def expected_meaning(case):
    if case["what"] == "resolved":
        return case["expected"]
    parsed = case["expected"] or {"imports": {}, "scopes": {}}
    module_maps = {"": parsed["imports"], **parsed["scopes"]}
    return {(scope, *entry) for scope, module_map in module_maps.items() for entry in module_map.items()}


def converted(text, base, **fields):
    """An import map in a page with absolute links, and the codes of problems."""
    conversion = Document(OPEN + text + CLOSE, url=base, **fields).convert()
    return conversion.data.removeprefix(OPEN).removesuffix(CLOSE), [problem.code for problem in conversion.problems]


def html_tree(html):
    """The text of the only script of a tree of lxml with absolute links, and the codes of problems."""
    tree = lxml.html.document_fromstring(html)
    done = absolutize_lxml(tree, BASE)
    return tree.findtext(".//script"), [problem.code for problem in done.problems]


def soup_tree(html):
    """The same of Beautiful Soup."""
    tree = bs4.BeautifulSoup(html, "html.parser")
    done = absolutize_bs4(tree, BASE)
    return tree.script.string, [problem.code for problem in done.problems]


def names(pairs):
    """The names of objects that are lists of pairs, in the order of the text."""
    return [one for name, value in pairs for one in [name, *(names(value) if isinstance(value, list) else [])]]


def number_and_name(case):
    return f"{case['file']}: {case['test']}"


@pytest.mark.parametrize("case", PUBLISHED, ids=number_and_name)
def test_import_maps_pass_the_web_platform_tests(case):
    assert meaning(maps(case["import_map"], base=case["map_base"]), case) == expected_meaning(case)
    if case["what"] == "parsed":
        scopes = (case["expected"] or {}).get("scopes", {})
        links = Document(OPEN + case["import_map"] + CLOSE, url=case["map_base"]).links
        targets = {link.target for link in links if link.role == "identifier"} | {link.target for link in links}
        assert scopes.keys() <= targets


@pytest.mark.parametrize(
    "case",
    [one for one in PUBLISHED if one["map_base"].startswith("https:") and one != LAST_OF_EQUAL],
    ids=number_and_name,
)
def test_import_maps_mean_the_same_when_they_are_rewritten_and_read_at_another_url(case):
    text, problems = converted(case["import_map"], case["map_base"])
    assert "import-map-key" not in problems
    assert meaning(maps(text, base=ELSEWHERE), case) == expected_meaning(case)
    assert converted(text, ELSEWHERE)[0] == text


@pytest.mark.parametrize(
    ("import_map", "fields", "stays"),
    [
        ('{"imports":{"./lib/..":"./a.js"}}', {}, ["./lib/.."]),
        ('{"imports":{"./lib/.":"./a.js"}}', {}, ["./lib/."]),
        ('{"imports":{"./lib/ ":"./a.js"}}', {}, ["./lib/ "]),
        ('{"imports":{"https://o.example":"./a.js"}}', {"normalize": True}, ["https://o.example"]),
        ('{"scopes":{"./s":{"./lib/..":"./a.js"}}}', {}, ["./lib/.."]),
        ('{"imports":{"/app/":"./b/","./lib/..":"./a.js"}}', {}, ["/app/", "./lib/.."]),
        ('{"imports":{"./a":"./1","/app/a":"./2","./a":"./3"}}', {}, ["./a", "/app/a", "./a"]),
        ('{"scopes":{"a/":{},"./a/":{},"a/":{}}}', {}, ["a/", "./a/", "a/"]),
        ('{"integrity":{"./a":"1","/app/a":"2","./a":"3"}}', {}, ["./a", "/app/a", "./a"]),
        (LAST_OF_EQUAL["import_map"], {}, ["./foo/\\", "./foo//", "./foo\\\\"]),
    ],
)
def test_a_key_stays_that_would_mean_something_else_if_it_were_absolute(import_map, fields, stays):
    document = Document(OPEN + import_map + CLOSE, url=BASE, **fields)
    assert [link.reference for link in document.links if link.problem == "import-map-key"] == stays
    text, problems = converted(import_map, BASE, **fields)
    assert problems == ["import-map-key"] * len(stays)
    assert [name for name in names(json.loads(text, object_pairs_hook=list)) if name in stays] == stays
    assert maps(text).key == maps(import_map).key


@pytest.mark.parametrize(
    ("import_map", "fields", "expected"),
    [
        # The address ends in "/" too, or is no URL, or the key is a scope or a key of integrity.
        ('{"imports":{"./lib/..":"./b/."}}', {}, '{"imports":{"H/app/":"H/app/b/"}}'),
        ('{"imports":{"./lib/..":null}}', {}, '{"imports":{"H/app/":null}}'),
        ('{"imports":{"./lib/..":"bare"}}', {}, '{"imports":{"H/app/":"bare"}}'),
        ('{"scopes":{"./lib/..":{}}}', {}, '{"scopes":{"H/app/":{}}}'),
        ('{"integrity":{"./lib/..":"a"}}', {}, '{"integrity":{"H/app/":"a"}}'),
        ('{"imports":{"./b/..":"./a.js","/app/":"./"}}', {}, '{"imports":{"H/app/":"H/app/a.js","H/app/":"H/app/"}}'),
        ('{"imports":{"./a":"./1","./a":"./2"}}', {}, '{"imports":{"H/app/a":"H/app/1","H/app/a":"H/app/2"}}'),
        ('{"imports":{"./a":"./1","./a":null}}', {}, '{"imports":{"H/app/a":"H/app/1","H/app/a":null}}'),
        ('{"imports":{"./a":"./1","/app/a":"./2"}}', {}, '{"imports":{"H/app/a":"H/app/1","H/app/a":"H/app/2"}}'),
        ('{"scopes":{"":{},"#a":{},"?b":{},"s":{}}}', {},
         '{"scopes":{"H/app/index.html":{},"H/app/index.html#a":{},"H/app/index.html?b":{},"H/app/s":{}}}'),
        ('{"imports":{"https:o/a":"https:o/b"}}', {}, '{"imports":{"https:o/a":"https:o/b"}}'),
        ('{"imports":{"https:o/a":"https:o/b"}}', {"normalize": True}, '{"imports":{"https://o/a":"https://o/b"}}'),
        ('{"scopes":{"https:s/":{}}}', {}, '{"scopes":{"H/app/s/":{}}}'),
    ],
)  # fmt: skip
def test_written_keys_and_addresses_keep_their_meaning(import_map, fields, expected):
    text, problems = converted(import_map, BASE, **fields)
    assert (text, problems) == (expected.replace("H/", "https://h.example/"), [])
    assert maps(text).key == maps(import_map).key == maps(text, base=ELSEWHERE).key


@for_each([html_tree, soup_tree])
def test_a_tree_is_converted_as_the_document_is(convert):
    for import_map in ('{"imports":{"./lib/..":"./a.js","./a":"https:b","./a":"/c"},"scopes":{"":{}}}', "{"):
        expected, problems = converted(import_map, BASE)
        assert convert(OPEN + import_map + CLOSE) == (expected, problems)


def test_in_xhtml_each_section_is_an_import_map_of_its_own():
    first, second = '{"imports":{"./lib/..":"./a.js"}}', '{"imports":{"./lib/..":"./a/"}}'
    head = f"<script type='importmap'><![CDATA[{first}]]><!-- --><![CDATA[{second}]]></script>"
    xhtml = f'<html xmlns="http://www.w3.org/1999/xhtml"><head>{head}</head></html>'
    data = Document(xhtml, url=BASE, media_type="application/xhtml+xml").absolutize()
    assert data == xhtml.replace('"./a', '"https://h.example/app/a').replace(
        '"./lib/..":"https://h.example/app/a/"', '"https://h.example/app/":"https://h.example/app/a/"'
    )


#: Spellings of few URLs, and texts that are no URLs.
SPECIFIERS = st.sampled_from(
    [
        *["./a", "/app/a", "./b/../a", "HTTPS:h.example/app/a", "./l/", "./l/.", "./l\\\\", "/app/l/", "./l/ "],
        *["a", "a/", "", "https://["],
    ]
)
ADDRESSES = st.one_of(SPECIFIERS.map(json.dumps), st.sampled_from(["null", "1", '{"./a":"./b"}', "[]"]))


def objects(names, values):
    members = st.lists(st.tuples(names, values), max_size=5)
    return members.map(lambda pairs: "{" + ",".join(f"{json.dumps(name)}:{value}" for name, value in pairs) + "}")


MODULE_MAPS = objects(SPECIFIERS, ADDRESSES)
IMPORT_MAPS = st.builds(
    '{{"imports":{},"scopes":{},"integrity":{}}}'.format, MODULE_MAPS, objects(SPECIFIERS, MODULE_MAPS), MODULE_MAPS
)


@settings(deadline=None, max_examples=examples(500))
@given(IMPORT_MAPS, st.booleans())
def test_rewritten_import_maps_with_doubled_keys_mean_the_same_everywhere(import_map, normalize):
    text, problems = converted(import_map, BASE, normalize=normalize)
    expected = maps(import_map).key
    assert maps(text).key == expected
    if "import-map-key" not in problems:
        assert maps(text, base=ELSEWHERE).key == expected


@pytest.mark.parametrize(
    "imports",
    [
        '{"/app/a":"./a","HTTPS:h.example/app/a":"./a","./a":null}',
        '{"./a":"./1","https:h.example/app/a":"./2","/app/a":"./3","https:h.example/app/a":"./4"}',
        '{"./b/../a":"./1","HTTPS:h.example/app/a":"./2","./a":"./3","./b/../a":"./4"}',
    ],
)
def test_a_repeated_name_keeps_its_first_place(imports):
    """Two keys that become one name would come before an equal key between them, which then would be the last."""
    import_map = f'{{"imports":{imports},"scopes":{{"/x/":{imports}}}}}'
    text, problems = converted(import_map, BASE)
    assert set(problems) == {"import-map-key"}
    assert maps(text).key == maps(import_map).key
    written = [name for name, _ in json.loads(imports, object_pairs_hook=list)]
    assert all(f'"{name}":' in text for name in written)


def test_imports_with_a_scheme_take_no_base():
    html = '<script type=module>import "https:o.example/a.js"; import("https:o.example/b.js"); import "./c.js"</script>'
    expected = ["https://o.example/a.js", "https://o.example/b.js", "https://h.example/app/c.js"]
    assert [target for _, target, _ in page(html)] == expected
    with_map = OPEN + '{"imports":{"https://o.example/a.js":"/mapped.js"}}' + CLOSE + html
    assert [target for _, target, _ in page(with_map)] == ["https://h.example/mapped.js", *expected[1:]]


def test_an_import_map_with_an_error_in_any_member_is_dropped():
    for text in ('{"imports":{"a":"/b"},"integrity":[]}', '{"imports":{"a":"/b"},"scopes":{"/":null}}'):
        assert not maps(text)


def test_the_last_equal_key_of_one_map_and_the_first_of_several_maps_is_used():
    one = '{"imports":{"./a":"/1","/app/a":"/2"},"scopes":{"/":{"s":"/1","t":"/3"},"/x/..":{"s":"/2"}}}'
    both = maps(one, {"imports": {"./a": "/4"}, "scopes": {"/": {"s": "/5", "t": "/6"}}})
    resolved = [both.resolve(specifier, BASE) for specifier in ("./a", "s", "t")]
    assert resolved == ["https://h.example/2", "https://h.example/2", "https://h.example/6"]


@for_each(["", "normalize"])
def test_every_changed_published_import_map_keeps_its_meaning(option):
    for case in PUBLISHED:
        text, _ = converted(case["import_map"], case["map_base"], **({option: True} if option else {}))
        assert meaning(maps(text, base=case["map_base"]), case) == expected_meaning(case), case["test"]


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
