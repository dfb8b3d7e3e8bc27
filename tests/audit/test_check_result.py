"""The cached results for a folder's references equal the rules' findings on each page."""

from __future__ import annotations

import dataclasses
from html import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.audit_trees import write
from support.sizes import examples

from linkfix.auditing import AuditOptions, list_tree
from linkfix.auditing.engine import _TreeAudit
from linkfix.auditing.reader import PageReader

FILES = {
    "index.html": "<p id=a>",
    "a.html": "<p id=a>",
    "a/index.html": "<p id=b><a href=//h/>",
    "a/b/c.html": "<p id=c>",
    "Case.html": "<p id=top>",
    "page_files/x.png": "",
    "x y.html": "",
    "%D0%B6.html": "",
}
SAVED = "<!-- saved from url=(0015)https://h.test/ -->"

references = st.sampled_from(
    """
    a.html|gone.html|gone.html#x|../a.html|../../gone/a.html|a.html#gone|a.html#a|case.html|?x|#x|;x|| gone.html
    |&#63;x|&#x23;x|&num;x|http:?x|https:?x|https:#a|https:gone|http://other.example/x.png|https://other.example/
    |http://user:secret@h/|mailto:x|javascript:x|page_files/gone.png|./Old name_files/gone.png|x y.html|ж.html|gone?ж
    |gone?q=&copy=1|/sub/gone|/gone|//h|www.example.com|a:b|C:\\x|{{ x }}|%zz|a\\b.html|.|..|a|x:y
    """.strip()
    .replace("\n    ", "")
    .split("|")
)
places = st.sampled_from(
    """
    <a href=@>|<img src=@>|<form action=@>|<link rel=stylesheet href=@>|<link rel=canonical href=@>|<body background=@>
    |<script src=@></script>|<svg><a href=@ /></svg>|<svg><use href=@ /></svg>|<object data=@></object>|<area href=@>
    |<blockquote cite=@>|<x onclick=@ background=@>
    """.strip()
    .replace("\n    ", "")
    .split("|")
)
links = st.lists(st.tuples(places, references), min_size=1, max_size=12)
heads = st.sampled_from(
    ["", "", "", "<base href=b/>", "<base href=https://h.test/>", "<meta charset=windows-1251>", SAVED]
)
names = ["p.html", "q.html", "a/p.html", "a/q.html", "a/b/index.html", "page.html"]


def found(root, options, *, quick):
    run = _TreeAudit(root, options, lambda _size, _links: None, list_tree(root))
    run.reader = PageReader(dataclasses.replace(run.reader.settings, quick=quick))
    audit = run.run(0.0)
    coverage = audit.coverage
    return audit.findings, (coverage.links, coverage.checked, coverage.unchecked, coverage.fragments), run


@pytest.mark.parametrize("root_url", ["https://site.example/", "http://site.example/sub/", None])
@settings(max_examples=examples(100), deadline=None)
@given(shared=links, pages=st.lists(st.tuples(st.sampled_from(names), heads, links), min_size=2, max_size=5))
def test_the_same_findings_as_by_the_rules(tmp_path_factory, root_url, shared, pages):
    root = tmp_path_factory.getbasetemp() / "check_results"
    if not root.exists():
        write(root, FILES)
    for name in names:
        (root / name).unlink(missing_ok=True)
    for name, head, own in pages:
        body = "".join(place.replace("@", f'"{reference}"') + "\n" for place, reference in own + shared)
        write(root, {name: head + body})
    options = AuditOptions(base_url=root_url)
    *remembered, _ = found(str(root), options, quick=True)
    *checked, _ = found(str(root), options, quick=False)
    assert remembered == checked


#: A project of Docusaurus: only the plugin of a page decides what its links of Markdown lead to.
PROJECT = {
    "docusaurus.config.js": "module.exports = {baseUrl: '/', presets: [['classic', {}]]}",
    "docs/a.md": "# A\n## Part\n",
    "docs/sub/b.md": "---\nslug: other\n---\n# B\n",
    "docs/_part.md": "# Partial\n",
    "docs/x.png": "",
    "blog/2024-01-02-post.md": "# Post\n",
    "blog/2024-01-03-other.md": "# Other\n",
    "src/pages/about.md": "# About\n",
    "README.md": "# Project\n",
}
targets = st.sampled_from(
    """
    a.md|./a.md|../docs/a.md|sub/b.md|../sub/b.md|b.md|/a.md|/sub/b.md|/docs/a.md|a.md#part|a.md#gone|_part.md|_part|x.png
    |../x.png|a|../a|sub/other|/docs/sub/other|../blog/2024-01-02-post.md|2024-01-02-post.md|/blog/2024/01/02/post|gone.md
    |../README.md|../../README.md|about.md|/about|../src/pages/about.md|A.md|a.mdx|a.MD|@site/docs/a.md|a.md?x
    """.strip()
    .replace("\n    ", "")
    .split("|")
)
syntaxes = st.sampled_from(["[t](@)", "![t](@)", '<a href="@">t</a>', "[t][@]\n\n[@]: @"])
lines = st.lists(st.tuples(syntaxes, targets), min_size=1, max_size=12)
sources = [
    "docs/p.md",
    "docs/q.md",
    "docs/sub/p.md",
    "docs/sub/q.md",
    "blog/2024-02-01-p.md",
    "src/pages/p.md",
    "CHANGES.md",
]


@settings(max_examples=examples(100), deadline=None)
@given(shared=lines, pages=st.lists(st.tuples(st.sampled_from(sources), lines), min_size=2, max_size=5))
def test_the_same_findings_in_sources_of_plugins(tmp_path_factory, shared, pages):
    root = tmp_path_factory.getbasetemp() / "plugins"
    if not root.exists():
        write(root, PROJECT)
    for name in sources:
        (root / name).unlink(missing_ok=True)
    for name, own in pages:
        write(root, {name: "\n\n".join(syntax.replace("@", target) for syntax, target in own + shared)})
    *remembered, _ = found(str(root), AuditOptions(), quick=True)
    *checked, _ = found(str(root), AuditOptions(), quick=False)
    assert remembered == checked


#: Pieces of references that rules look for, and characters that browsers remove from them.
PIECES = r"""
    http https ftp mailto javascript file data tel fon C: // / : ; ? # @ .. . %2e %2E %zz \ {{ x }} {% <% ${ <? ( ) [ ]
    “ ” ' , http://user:secret@h/ https://h/x a@b.example gopher: mailto:// javascript:x www.example.com example.org
    gone.html a.html Case.html case.html a b c user 80 é ж
    """
made_references = st.lists(st.sampled_from([*PIECES.split(), " ", "\t", "\n"]), min_size=1, max_size=7).map("".join)


@pytest.mark.parametrize("root_url", ["https://site.example/", "http://site.example/sub/", None])
@pytest.mark.parametrize("head", ["", "<meta charset=windows-1251>", "<base href='http://h.test/a/b/'>"])
@settings(max_examples=examples(30), deadline=None)
@given(made=st.lists(st.tuples(places, made_references), min_size=1, max_size=30))
def test_unselected_rules_find_nothing(tmp_path_factory, root_url, head, made):
    root = tmp_path_factory.getbasetemp() / "asked"
    if not root.exists():
        write(root, FILES)
    body = [place.replace("@", '"' + escape(reference) + '"') for place, reference in made]
    write(root, {"p.html": head + "\n".join(body), "sitemap.xml": sitemap([reference for _, reference in made])})
    options = AuditOptions(base_url=root_url, select=("LF",))
    *some, _ = found(str(root), options, quick=True)
    *all_, _ = found(str(root), options, quick=False)
    assert some == all_


def sitemap(references):
    locations = "".join(f"<url><loc>{escape(reference)}</loc></url>" for reference in references)
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locations}</urlset>'


def test_a_missing_target_is_checked_once_for_a_folder(tmp_path, monkeypatch):
    write(
        tmp_path,
        {f"{number}.html": "<a href=gone.html>" * 3 for number in range(5)} | {"a/b.html": "<a href=gone.html>"},
    )
    run = _TreeAudit(str(tmp_path), AuditOptions(), lambda _size, _links: None, list_tree(str(tmp_path)))
    asked = []
    rules = run.reader.link_rules
    monkeypatch.setattr(run.reader, "link_rules", [CountingRule(rules[0], asked), *rules[1:]])
    assert len(run.run(0.0).findings) == 16
    assert [link.page.name for link in asked] == ["0.html", "a/b.html"]


class CountingRule:
    """A rule that records its arguments."""

    def __init__(self, rule, asked):
        self.info, self.concerns = rule.info, rule.concerns
        self._rule, self._asked = rule, asked

    def check(self, link):
        self._asked.append(link)
        return self._rule.check(link)
