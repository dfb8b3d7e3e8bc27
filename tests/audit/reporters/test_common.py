from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.growth import processor_limit
from support.reports import report
from support.samples import AUDITS, HOSTILE, MADE_UP, assemble, finding, many

from linkfix import Layer
from linkfix.auditing import Coverage, Hint
from linkfix.auditing.reporters import REPORTERS, common, reporter
from linkfix.display import display_name, visible

FORMATS = [name for name in REPORTERS if name != "html"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain é\n\x1b", "plain é\n\x1b"),
        ("caf\udce9", "caf\\xe9"),
        ("\ud800x\udfff", "\\ud800x\\udfff"),
    ],
)
def test_plain(text, expected):
    assert common.without_surrogates(text) == expected


@given(st.binary())
def test_plain_names_are_as_they_are_shown(data):
    name = os.fsdecode(data)
    assert common.without_surrogates(name) == display_name(name)


@pytest.mark.parametrize(
    ("base", "url", "expected"),
    [
        (f"{MADE_UP}root/", f"{MADE_UP}root/a%20b/%C3%A9.html?q%20#f%20", "a b/é.html?q #f%20"),
        (f"{MADE_UP}root/", f"{MADE_UP}root/", "/"),
        (f"{MADE_UP}root/", f"{MADE_UP}up.html", "/up.html"),
        (f"{MADE_UP}root/", MADE_UP.rstrip("/"), "/"),
        (f"{MADE_UP}root/", f"{MADE_UP}root/%E9", "\udce9"),
        (f"{MADE_UP}root/", MADE_UP.rstrip("/") + ".example/", MADE_UP.rstrip("/") + ".example/"),
        (f"{MADE_UP}root/", "mailto:a@b", "mailto:a@b"),
        ("file:///made/up/", "file:///made/up/x", "x"),
        (MADE_UP, None, None),
    ],
)
def test_target_with_an_unknown_site_url(base, url, expected):
    one = finding("LF101", "a.html", target=url)
    audit = assemble(one, base_url=base, base_layer=Layer.NONE)
    assert common.target(audit, one) == expected
    assert common.target(assemble(one, base_url=base), one) == url


@pytest.mark.parametrize("name", FORMATS)
def test_a_made_up_url_is_never_shown(name):
    assert "tree.invalid" not in report(name, AUDITS["unserved"])
    assert "c%20d.html" in report(name, AUDITS["unserved"]).replace("%25", "%")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a b/é#?%.html", "a%20b/%C3%A9%23%3F%25.html"),
        ("a:b", "a%3Ab"),
        ("\udce9[x]", "%E9%5Bx%5D"),
        ("!$&'()*+,;=@-._~", "!$&'()*+,;=@-._~"),
    ],
)
def test_uri(path, expected):
    assert common.uri(path) == expected


@pytest.mark.parametrize(
    ("root", "expected"),
    [("site", "site/"), (".", ""), ("./a/../b", "b/"), ("..", None), ("../elsewhere", None)],
)
def test_prefix(root, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert common.prefix(assemble(root=root), Path.cwd()) == expected
    assert common.prefix(assemble(root=str(tmp_path / "x" / "y")), Path.cwd()) == "x/y/"


def test_workspace(tmp_path, monkeypatch):
    inner = tmp_path / "inner"
    inner.mkdir()
    monkeypatch.chdir(inner)
    assert common.workspace() == inner.resolve()
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    assert common.workspace() == tmp_path.resolve()
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path / "other"))
    assert common.workspace() == inner.resolve()


def test_a_data_url_is_clipped():
    text = common.message_with_reference(finding("LF101", "a.html", reference="data:," + "x" * 10_000))
    assert text == "no such file in the tree: data:," + "x" * 193 + "…"


@pytest.mark.parametrize(
    ("hint", "expected"),
    [
        (Hint("did you mean b.html?", "b.html"), "hint: did you mean b.html?"),
        (Hint("did you mean docs/b.html?", "b.html"), "hint: did you mean docs/b.html? (write b.html)"),
        (Hint("did you mean b.html.gz?", "b.html"), "hint: did you mean b.html.gz? (write b.html)"),
        (Hint("did you mean b?", "b?"), "hint: did you mean b?"),
        (Hint("write ./ before it", "./a:b"), "hint: write ./ before it (write ./a:b)"),
        (Hint("there is another", "b\n.html"), "hint: there is another (write b\\n.html)"),
        (Hint("remove\tit", ""), "hint: remove\\tit"),
        (Hint("nothing is known"), "hint: nothing is known"),
        (Hint("write b", "b", certain=True), "fix: write b"),
    ],
)
def test_advice(hint, expected):
    assert common.hint_text(hint) == expected


@pytest.mark.parametrize("name", ["empty", "nothing"])
@pytest.mark.parametrize("format_name", ["text", "json", "jsonl", "sarif", "junit", "github", "markdown"])
def test_an_audit_without_checks_is_reported(format_name, name):
    assert "NOTHING WAS CHECKED" in report(format_name, AUDITS[name])
    assert "NOTHING WAS CHECKED" not in report(format_name, AUDITS["clean"])


def test_the_verdict_counts_findings_even_if_nothing_was_checked():
    audit = assemble(finding("LF101", "a.html"), coverage=Coverage(files=1, pages=1), hidden=Counter(baseline=1))
    assert common.verdict(audit) == (
        "1 error (1 cause in 1 file); NOTHING WAS CHECKED: 0 references in 1 page; this is not a success; "
        "1 finding hidden"
    )


@pytest.mark.parametrize("name", FORMATS)
def test_reports_have_no_surrogates_and_end_their_lines(name):
    assert report(name, AUDITS["hostile"]).endswith("\n")  # the stream refuses surrogates


@pytest.mark.parametrize("name", ["text", "junit", "github", "markdown", "json", "jsonl", "sarif"])
def test_text_for_terminals_is_visible(name):
    lines = report(name, AUDITS["hostile"]).removesuffix("\n").split("\n")
    assert [line for line in lines if visible(line) != line] == []


class Counting:
    """A stream that records the size of the largest write."""

    def __init__(self):
        self.largest = 0
        self.total = 0

    def isatty(self):
        return False

    def write(self, text):
        self.largest = max(self.largest, len(text))
        self.total += len(text)

    def writelines(self, lines):
        for line in lines:
            self.write(line)


@pytest.mark.growth
@pytest.mark.parametrize("name", FORMATS)
def test_large_reports_are_quick_and_streamed(name):
    out = Counting()
    audit = many(10_000)
    with processor_limit(3):
        reporter(name)(audit, out)
    assert (out.total > 100_000) == (name != "text")  # it counts the findings that it leaves out
    assert out.largest < 60_000


def test_the_samples_are_hostile_in_every_field():
    findings = AUDITS["hostile"].findings
    assert {one.reference for one in findings} == {one.message for one in findings} == set(HOSTILE)
