"""References that are judged as others: the finding shows the written reference and the target that was judged."""

from __future__ import annotations

import pytest
from support.audit_trees import BASE, audited, fixed, told, write

from linkfix import InvalidOption
from linkfix.auditing import AuditOptions, audit
from linkfix.auditing.selection import Replacements


@pytest.mark.parametrize(
    ("texts", "reference", "expected"),
    [
        ([], "a.html", "a.html"),
        (["^/docs/=/"], "/docs/a.html", "/a.html"),
        (["^/docs/=/"], "/x/docs/a.html", "/x/docs/a.html"),
        (["a="], "banana", "bnn"),  # every match, as gsub of html-proofer
        (["^/a/=/b/", "^/b/=/c/"], "/a/x", "/c/x"),  # in order, each on the result of the one before
        (["^/b/=/c/", "^/a/=/b/"], "/a/x", "/b/x"),
        ([r"^https://(\w+)\.example/(.*)=/\1/\2"], "https://docs.example/a#x", "/docs/a#x"),
        ([r"^/(?P<kind>\w+)/=\g<kind>-"], "/a/b", "a-b"),
        ([r"\?id\=(\d+)=-\1.html"], "page?id=7", "page-7.html"),
        (["(?=b)=/"], "ab", "a/b"),
        (["(?<=a)b=/"], "ab", "a/"),
        ([r"(?P<x>a)(?P=x)=b"], "aac", "bc"),
        (["a=b=c"], "a", "b=c"),
        (["^$=index.html"], "", "index.html"),
        ([r"\\=/"], r"a\b", "a/b"),
    ],
)
def test_replacements_are_applied_in_order(texts, reference, expected):
    assert Replacements(texts).of(reference) == expected


def test_long_references_stay_as_they_are():
    reference = "data:," + "a" * 5000
    assert Replacements(["^data:=/"]).of(reference) == reference
    assert Replacements(["^data:=/"]).of("data:,") == "/,"


@pytest.mark.parametrize("text", ["", "a", "=a", "(=a", "a=\\q", "a=\\1", "(a)=$1", "(?P<x>a)=${x}", "a=$<x>"])
def test_a_wrong_one_is_refused(text):
    with pytest.raises(InvalidOption, match=r"^replace "):
        Replacements([text])


FILES = {"a.html": "<p id=x>", "g/index.html": "<p id=y>"}


def judged(tmp_path, page, *replacements, name="page.html", **fields):
    found = audited(tmp_path, {**FILES, name: page}, replacements=replacements, **fields)
    return [(one.code, one.reference, one.target) for one in found.findings if one.path == name]


@pytest.mark.parametrize(
    ("page", "replacement"),
    [
        ('<a href="/v1/a.html#x">1</a>', "^/v1/=/"),
        ('<img srcset="/v1/a.html 1x, /v1/g/ 2x">', "^/v1/=/"),
        ('<style>p { background: url("/v1/a.html") }</style>', "^/v1/=/"),
        ('<iframe srcdoc="<a href=/v1/a.html>1</a>"></iframe>', "^/v1/=/"),
        ('<a href="">1</a>', "^$=a.html#x"),
        ('<a href="wiki:a">1</a>', r"^wiki:(.*)=\1.html"),
        ('<a href="{{ROOT}}/a.html">1</a>', r"^\{\{ROOT\}\}=."),
        ('<a href="a.html&#35;x&amp;1">1</a>', "&1="),
        ('<meta charset=utf-8><a href="ä.html">1</a>', "ä=a"),
        ('<a href=" a.htm ">1</a>', "htm$=html"),
        ('<p id=q><a href="a.html#q">1</a>', r"^a\.html="),
        ('<a href="https://other.example/a.html">1</a>', "^https://other.example/=/"),
        ('<script type=module>import "/v1/a.html"</script>', "^/v1/=/"),
        ('<a href="a\\b">1</a>', r"\\b=.html"),
        ('<a href="gone.html">1</a>', "^gone.html=https://other.example/"),
    ],
)
def test_a_reference_is_judged_as_it_is_replaced(tmp_path, page, replacement):
    page = f"<!doctype html>{page}<a href=last.html>2</a>"
    assert judged(tmp_path, page, replacement) == [("LF101", "last.html", f"{BASE}last.html")]
    everything = {(code, target) for code, _, target in judged(tmp_path, page, "^.*$=/gone.html")}
    assert everything == {("LF101", f"{BASE}gone.html")}


def test_markdown_is_judged_so_too(tmp_path):
    page = '[1]({{root}}/a.html#x) <img src="/v1/g/">'
    assert judged(tmp_path, page, r"^\{\{root\}\}=.", "^/v1/=/", name="page.md") == []


def test_a_finding_shows_the_written_reference_and_the_judged_target(tmp_path):
    page = '<!doctype html>\n<a href="a.html">0</a> <a href="/v1/b.html">1</a> <a href="/v1/a.html#z">2</a>'
    assert judged(tmp_path, page, "^/v1/=/") == [
        ("LF101", "/v1/b.html", f"{BASE}b.html"),
        ("LF102", "/v1/a.html#z", f"{BASE}a.html#z"),
    ]
    found = audited(tmp_path, replacements=("^/v1/=/",)).findings
    assert [(one.line, page.split("\n")[1][one.column - 1 :][: len(one.reference)]) for one in found] == [
        (2, one.reference) for one in found
    ]


def test_a_good_reference_can_become_a_broken_one(tmp_path):
    assert judged(tmp_path, '<a href="a.html">1</a><a href="a.html#x">2</a>', "^a=b") == [
        ("LF101", "a.html", f"{BASE}b.html"),
        ("LF101", "a.html#x", f"{BASE}b.html#x"),
    ]


def test_the_same_reference_on_two_pages_is_judged_for_each(tmp_path):
    body = '<!doctype html><p id={}><a href="/v1/own">1</a><a href="/v1/own">2</a>'
    files = {"b.html": body.format("own"), "c.html": body.format("other")}
    found = audited(tmp_path, files, replacements=("^/v1/=#",))
    assert told(found) == [("c.html", "missing-fragment", "/v1/own")] * 2


def test_no_fix_is_certain(tmp_path):
    page = '<!doctype html><a href="/v1/A.html">1</a><a href="/v1/g\\">2</a><a href="A.html">3</a>'
    write(tmp_path, {**FILES, "page.html": page})
    options = AuditOptions(base_url=BASE, replacements=("^/v1/=/",))
    hints = {one.reference: one.hint for one in audit(str(tmp_path), options).findings}
    assert hints["/v1/A.html"].text == "the file is a.html"
    assert {one.certain for reference, one in hints.items() if reference.startswith("/v1/") and one} == {False}
    written = {one.reference for reference, one in hints.items() if reference.startswith("/v1/") and one}
    assert written == {"/v1/a.html", "/v1/g/"}
    assert fixed(tmp_path, replacements=("^/v1/=/",))["page.html"] == page.replace('"A.html', '"a.html').encode()


def test_names_of_modules_are_for_import_maps_alone(tmp_path):
    imports = '<script type=importmap>{"imports": {"vue": "./vue.js"}}</script><script type=module>import "vue"'
    page = f"<!doctype html>{imports}"
    files = {"vue.js": "//", "page.html": page}
    assert told(audited(tmp_path, files, replacements=("^vue$=./gone.js",))) == []


def test_two_processes_judge_so_too(tmp_path, monkeypatch):
    monkeypatch.setattr("linkfix.auditing.engine._SMALL", 0)
    monkeypatch.setattr("linkfix.auditing.engine._JOB", 0)
    monkeypatch.setattr("linkfix.runs.workers.FEW", 1)
    files = {f"p{number}.html": '<a href="/v1/a.html#gone">1</a>' for number in range(60)}
    found = audited(tmp_path, {**FILES, **files}, replacements=("^/v1/=/",), processes=2)
    assert {(one.code, one.reference) for one in found.findings} == {("LF102", "/v1/a.html#gone")}
    assert len(found.findings) == 60
    with pytest.raises(InvalidOption, match="takes too long"):
        audited(tmp_path, {"p9.html": f"<a href='{'a' * 60}!'>1</a>"}, replacements=("(a+)+$=b",), processes=2)
