"""Targets that are ignored: by path, URL, regular expression, and for single rules."""

from __future__ import annotations

import pytest
from support.audit_trees import BASE, audited, told

from linkfix import InvalidOption, UnknownRule

PAGE = (
    '<base href="/docs/"><a href="libs/x.js">1</a><a href="../libs/deep/y.js">2</a><a href="a.html#gone">3</a>'
    '<a href="gone.html?x=libs">4</a><a href="gr%C3%B6%C3%9Fe.html">5</a><a href="http://http://cdn.example/x">6</a>'
    '<a href="http:///cdn.example/y">7</a>'
)
FILES = {"docs/index.html": PAGE, "docs/a.html": ""}
ALL = {
    "libs/x.js",
    "../libs/deep/y.js",
    "a.html#gone",
    "gone.html?x=libs",
    "gr%C3%B6%C3%9Fe.html",
    "http://http://cdn.example/x",
    "http:///cdn.example/y",
}


def left(tmp_path, *patterns):
    found = audited(tmp_path, FILES, ignore_target=patterns)
    references = {reference for _, _, reference in told(found)}
    assert found.hidden == ({"ignore-target": len(ALL - references)} if ALL - references else {})
    return ALL - references


@pytest.mark.parametrize(
    ("patterns", "ignored"),
    [
        ([], set()),
        (["libs/**"], {"../libs/deep/y.js"}),
        (["/libs/**"], {"../libs/deep/y.js"}),
        (["libs/"], {"libs/x.js", "../libs/deep/y.js"}),
        (["*.js"], {"libs/x.js", "../libs/deep/y.js"}),
        (["docs/gone.html"], {"gone.html?x=libs"}),
        (["größe.html"], {"gr%C3%B6%C3%9Fe.html"}),
        (["docs/a.html"], {"a.html#gone"}),
        (["LF101:*"], {"libs/x.js", "../libs/deep/y.js", "gone.html?x=libs", "gr%C3%B6%C3%9Fe.html"}),
        (["missing-fragment:*.html"], {"a.html#gone"}),
        (["LF101,LF102:docs/*.html"], {"a.html#gone", "gone.html?x=libs", "gr%C3%B6%C3%9Fe.html"}),
        (["http://cdn.example/*"], {"http:///cdn.example/y"}),
        (["http://*/**"], {"http://http://cdn.example/x", "http:///cdn.example/y"}),
        ([BASE + "docs/*"], {"a.html#gone", "gone.html?x=libs", "gr%C3%B6%C3%9Fe.html"}),
        ([BASE + "docs/**"], {"libs/x.js", "a.html#gone", "gone.html?x=libs", "gr%C3%B6%C3%9Fe.html"}),
        (["LF405:http://**"], {"http://http://cdn.example/x", "http:///cdn.example/y"}),
        (["LF101:http://**"], set()),
        (["re:#gone$"], {"a.html#gone"}),
        (["re:^[.][.]/"], {"../libs/deep/y.js"}),
        (["re:^docs/libs"], {"libs/x.js"}),
        (["re:x=libs", "*.js"], {"gone.html?x=libs", "libs/x.js", "../libs/deep/y.js"}),
    ],
)
def test_patterns(tmp_path, patterns, ignored):
    assert left(tmp_path, *patterns) == ignored


def test_findings_without_a_target_stay(tmp_path):
    files = {"a.html": "<base href=/><base href=/x/>"}
    assert audited(tmp_path, files, ignore_target=("*", "re:.*")).findings


def test_the_sum_of_root_relative_references(tmp_path):
    files = {f"p{n}.html": f"<a href=/usr/share/{n}.js>1</a><a href=/app/{n % 2}.html>2</a>" for n in range(8)}
    found = audited(tmp_path, files, ignore_target=("/usr/",))
    assert [one.message.partition(",")[0] for one in found.findings] == [
        "8 of 16 references that begin with / have no target"
    ]
    assert not audited(tmp_path, ignore_target=("/usr/", "re:^/app/")).findings
    assert not audited(tmp_path, ignore_target=("LF109,LF101:/usr/", "LF109,LF101:/app/")).findings


@pytest.mark.parametrize(
    ("pattern", "error", "message"),
    [
        ("re:(", InvalidOption, "ignore-target 're:(': not a valid regular expression: missing )"),
        ("", InvalidOption, "ignore-target '': the pattern is empty"),
        ("LF101:", InvalidOption, "ignore-target 'LF101:': the pattern is empty"),
        ("re:", InvalidOption, "ignore-target 're:': the pattern is empty"),
        ("LF999:x", UnknownRule, "ignore-target 'LF999:x': unknown rule 'LF999'"),
        ("!", InvalidOption, "ignore-target '!': not a valid pattern"),
    ],
)
def test_wrong_patterns(tmp_path, pattern, error, message):
    with pytest.raises(error) as caught:
        audited(tmp_path, FILES, ignore_target=(pattern,))
    assert str(caught.value).startswith(message)
