"""The quick path and the slow one agree: a cached result for a text equals the check of the resolved reference."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.audit_trees import BASE, audited, write
from support.sizes import examples

from linkfix.auditing import AuditOptions, engine, list_tree
from linkfix.auditing.engine import _TreeAudit
from linkfix.auditing.page_document import PageDocument
from linkfix.auditing.reader import PageReader

FILES = {
    "index.html": "<p id=a>",
    "a.html": "<p id=a><p id=B.c>",
    "a/index.html": "<p id=b>",
    "a/b/c.html": "<p id=c>",
    "a/b/d.txt": "",
    "a/empty/x.txt": "",
    "Case.html": "<p id=top>",
    "a/www.x/y.html": "",
    "x y.html": "",
    "a;b.html": "",
}

segment = st.sampled_from(["..", ".", "", "a", "b", "a.html", "c.html", "d.txt", "index.html", "empty", "Case.html"])
odd = st.sampled_from(
    ["case.html", "%61", "www.x", "...", "a;b.html", "x y.html", "%2e%2e", "a:b", "-", "~", "@", "\\"]
)
path = st.lists(st.one_of(segment, segment, segment, odd), min_size=1, max_size=5).map("/".join)
fragment = st.sampled_from(["", "", "#", "#a", "#b", "#B.c", "#top", "#TOP", "#%61", "#nowhere", "#:~:text=x", "#1-2"])
query = st.sampled_from(["", "", "", "?", "?x=1"])
start = st.sampled_from(["", "", "", "/", "//", "https://site.example/", "http://other.example/", "mailto:", " "])
reference = st.builds(lambda *parts: "".join(parts), start, path, query, fragment)
bases = st.sampled_from(["", "", "", '<base href="/a/">', '<base href="https://other.example/x/">', '<base href="b/">'])
pages = st.sampled_from(["page.html", "a/page.html", "a/b/page.html"])
replacement = st.sampled_from(
    [r"^/(?:a/)?=", r"^(\w+)\.html=\1/index.html", "[?#].*=", "^$=a/", "^=#a", "other=site", "b="]
)
indexes = st.sampled_from([None, (), ("a.html", "c.html")])


def checked(root, options, *, quick):
    run = _TreeAudit(root, options, lambda _size, _links: None, list_tree(root))
    run.reader = PageReader(dataclasses.replace(run.reader.settings, quick=quick))
    found = run.run(0.0)
    coverage = found.coverage
    return found.findings, (coverage.links, coverage.checked, coverage.unchecked)


@pytest.mark.parametrize("base_url", [BASE, "https://site.example/sub/", None])
@settings(max_examples=examples(150), deadline=None)
@given(
    references=st.lists(reference, min_size=1, max_size=30),
    at=st.tuples(pages, bases),
    fields=st.fixed_dictionaries(
        {"clean_urls": st.booleans(), "indexes": indexes, "replacements": st.lists(replacement, max_size=2).map(tuple)}
    ),
)
def test_quick_and_slow_agree(tmp_path_factory, base_url, references, at, fields):
    page, base = at
    root = tmp_path_factory.getbasetemp() / "quick"
    if not root.exists():
        write(root, FILES)
    for name in ("page.html", "a/page.html", "a/b/page.html"):
        (root / name).unlink(missing_ok=True)
    body = "".join(f'<a href="{one}">x</a>\n' for one in references)
    write(root, {page: base + body})
    options = AuditOptions(base_url=base_url, **fields)
    assert checked(str(root), options, quick=True) == checked(str(root), options, quick=False)


label = st.sampled_from(
    ["a", "www", "example", "site", "com", "org", "xn--bcher-kva", "xn--a", "a--b", "-a", "127", "0x1", "A", "é"]
)
host = st.lists(label, min_size=1, max_size=4).map(".".join)
port = st.sampled_from(["", "", "", ":80", ":x", "@b.com"])
behind = st.sampled_from(
    [
        "",
        "/",
        "/x",
        "/x/y.html?a=1#b",
        "/..",
        "/.x",
        "//x",
        "/%2e%2e/",
        "/{{ x }}",
        "?x",
        "#",
        "/ x",
        "/x?a&copy=1",
        "\\x",
    ]
)
scheme = st.sampled_from(
    ["https://", "https://", "http://", "HTTPS://", "https:", "https:///", "//", "ftp://", "https://http://"]
)
elsewhere = st.builds(lambda *parts: "".join(parts), scheme, host, port, behind)
tag = st.sampled_from(
    [
        "<a href",
        "<img src",
        "<form action",
        "<link rel=x href",
        "<script src",
        "<iframe src",
        "<q cite",
        "<input formaction",
    ]
)
element = st.builds('{}="{}">'.format, tag, st.one_of(elsewhere, st.sampled_from(["", "", "#", " ", "?", "a.html"])))


@pytest.mark.parametrize("base_url", ["http://www.example.com/", "https://a.com/sub/", None])
@settings(max_examples=examples(150), deadline=None)
@given(elements=st.lists(element, min_size=1, max_size=20), base=bases)
def test_quick_and_slow_agree_on_other_sites_and_on_the_page_itself(tmp_path_factory, base_url, elements, base):
    root = tmp_path_factory.getbasetemp() / "elsewhere"
    body = "".join(f"{one}</a>\n" for one in elements)
    write(root, {"a.html": body, "b/index.html": body, "c.html": base + body, "d e.html": body})
    options = AuditOptions(base_url=base_url, select=("all",))
    assert checked(str(root), options, quick=True) == checked(str(root), options, quick=False)


def test_a_reference_that_is_repeated_counts_each_time(tmp_path):
    found = audited(tmp_path, {"a.html": "<a href=gone></a><a href=gone></a><a href=a.html></a><a href=a.html></a>"})
    assert [one.column for one in found.findings] == [9, 26]
    assert (found.coverage.links, found.coverage.checked) == (4, 4)


def test_a_file_with_several_names_is_read_once_and_checked_under_each(tmp_path, monkeypatch):
    write(tmp_path, {"en/page.html": '<a href="x.html">', "en/x.html": "", "de/other.html": ""})
    (tmp_path / "de/page.html").symlink_to("../en/page.html")
    opened = []
    real = PageReader.open
    monkeypatch.setattr(PageReader, "open", lambda self, page: opened.append(page.name) or real(self, page))
    found = audited(tmp_path)
    assert [(one.path, one.reference) for one in found.findings] == [("de/page.html", "x.html")]
    assert len(opened) == 3
    assert len(list_tree(str(tmp_path)).pages) == 4


def test_links_in_markdown_to_other_sites_are_counted_without_being_resolved(tmp_path, monkeypatch):
    seen = []
    real = PageDocument.links_of
    monkeypatch.setattr(PageDocument, "links_of", lambda self, numbers: seen.extend(numbers) or real(self, numbers))
    text = (
        "[a](https://a.example/x) ![b](https://a.example/y.png) <https://a.example/> [c](https://ex\\ample/) [d](d.md)"
    )
    found = audited(tmp_path, {"a.md": text})
    assert found.coverage.links == 5
    assert found.coverage.unchecked["another site"] == 4
    assert seen == [3, 4]


@pytest.mark.parametrize(("suffix", "started"), [("html", False), ("md", True)])
def test_the_estimated_cost_decides_about_processes(tmp_path, monkeypatch, suffix, started):
    asked = []
    real = engine.map_in_order

    def map_in_order(*arguments, processes, **options):
        asked.append(processes)
        return real(*arguments, processes=1, **options)

    monkeypatch.setattr(engine, "map_in_order", map_in_order)
    monkeypatch.setattr(engine, "_SMALL", 0.05)
    assert audited(tmp_path, {f"p.{suffix}": "x " * 250_000}, processes=2).coverage.pages == 1
    assert asked[0] == (2 if started else 1)


@pytest.mark.parametrize("processes", [1, 3])
def test_processes_agree(tmp_path, monkeypatch, processes):
    monkeypatch.setattr(engine, "_SMALL", 0)
    filler = "<!--" + "x" * 1_100_000 + "-->"
    files = {f"p{number:02}.html": f'{filler}<p id=a><a href="p{number + 1:02}.html#a">x</a>' for number in range(50)}
    found = audited(tmp_path, files, processes=processes)
    assert [(one.path, one.name, one.reference) for one in found.findings] == [
        ("p49.html", "missing-target", "p50.html#a")
    ]
    assert found.coverage.pages == 50
