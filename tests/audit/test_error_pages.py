"""LF702: relative references of error pages."""

from __future__ import annotations

import pytest
from support.audit_trees import audited, fixed, told

from linkfix.auditing import AuditOptions, audit

FILES = {"index.html": "", "css/x.css": "", "a.png": "", "d/e.html": ""}


def reported(tmp_path, html, name="404.html", **fields):
    return [one[2] for one in told(audited(tmp_path, FILES | {name: html}, select=("LF702",), **fields))]


@pytest.mark.parametrize(
    "reference", ["css/x.css", "./css/x.css", "index.html", ".", "./", "d/e.html#x", "index.html?x", "../a.png"]
)
def test_relative_references(tmp_path, reference):
    assert reported(tmp_path, f'<a href="{reference}">x</a>') == [reference]


@pytest.mark.parametrize(
    "reference",
    ["/css/x.css", "https://site.example/css/x.css", "//site.example/a.png", "#x", "", "?x", "mailto:a@b.example"],
)
def test_references_that_are_the_same_anywhere(tmp_path, reference):
    assert reported(tmp_path, f'<a href="{reference}">x</a>') == []


def test_a_missing_target_has_its_own_finding(tmp_path):
    assert told(audited(tmp_path, {"404.html": '<a href="gone.html">x</a>'})) == [
        ("404.html", "missing-target", "gone.html")
    ]


@pytest.mark.parametrize("name", ["404.html", "404.htm", "500.html", "50x.html", "403.html"])
def test_error_pages(tmp_path, name):
    assert reported(tmp_path, "<img src=a.png>", name) == ["a.png"]


@pytest.mark.parametrize("name", ["d/404.html", "404/index.html", "index2.html", "x404.html", "404.css", "40.html"])
def test_other_pages(tmp_path, name):
    assert reported(tmp_path, "<img src=../a.png>", name) == []


@pytest.mark.parametrize("href", ["/", "https://site.example/", "//site.example/", "/d/"])
def test_base_makes_them_right(tmp_path, href):
    assert reported(tmp_path, f'<base href="{href}"><img src="../a.png">') == []


@pytest.mark.parametrize("href", ["./", "d/", "index.html"])
def test_a_relative_base_does_not(tmp_path, href):
    assert reported(tmp_path, f'<base href="{href}"><img src="/a.png"><img src="../a.png">') == ["../a.png"]


@pytest.mark.parametrize(
    "script", ["document.write('<base href=/>')", 'b = document.createElement("base")', "createElement('base')"]
)
def test_a_script_may_set_the_base(tmp_path, script):
    assert reported(tmp_path, f"<script>{script}</script><img src=a.png>") == []


def test_each_kind_of_reference(tmp_path):
    html = (
        '<link rel=stylesheet href=css/x.css><img srcset="a.png 2x"><p style="background: url(a.png)">'
        '<meta http-equiv=refresh content="3; url=index.html"><link rel=canonical href=404.html>'
    )
    assert reported(tmp_path, html) == ["css/x.css", "a.png", "a.png", "index.html"]


def test_places_and_cause(tmp_path):
    result = audited(tmp_path, FILES | {"404.html": "<p>\n<img src=a.png>\n<img src=a.png>"}, select=("LF702",))
    assert [(one.line, one.column, one.element, one.target, one.level) for one in result.findings] == [
        (line, 10, "img", "https://site.example/a.png", "warning") for line in (2, 3)
    ]
    assert [cause.text for cause in result.causes] == ["404.html"]


def test_a_comment_hides_it(tmp_path):
    assert reported(tmp_path, "<img src=a.png> <!-- linkfix-ignore LF702 -->") == []


@pytest.mark.parametrize(
    ("base_url", "written"), [("https://site.example/", "/css/x.css#y"), ("https://site.example/p/", "/p/css/x.css#y")]
)
def test_fix_writes_the_path_from_the_root(tmp_path, base_url, written):
    files = FILES | {"404.html": "<link rel=stylesheet href=css/x.css#y>"}
    expected = {"404.html": f"<link rel=stylesheet href={written}>".encode()}
    assert fixed(tmp_path, files, base_url=base_url, select=("LF702",)) == expected


def test_without_a_known_url_it_is_a_hint(tmp_path):
    audited(tmp_path, FILES | {"404.html": "<img src=a.png>"})
    (finding,) = audit(str(tmp_path), AuditOptions(select=("LF702",))).findings
    assert (finding.hint.reference, finding.hint.certain) == ("/a.png", False)
