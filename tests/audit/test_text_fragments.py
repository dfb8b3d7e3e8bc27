"""Text fragments, compared with the texts of pages (URL Fragment Text Directives, WICG)."""

from __future__ import annotations

import pytest
from support.audit_trees import audited, told
from support.growth import processor_limit

from linkfix.auditing.fragments import TextDirective, TextSearch, normalize, page_text, text_directives
from linkfix.auditing.page_document import PageDocument

PAGE = """<!doctype html><meta charset=utf-8><title>Title words</title><script>"script words"</script>
<style>style words</style><!-- comment words --><h1>Head<b>line</b></h1><p>The quick&nbsp;brown
  fox&shy;es &amp; <i>Café</i> owls.<p>Next paragraph<br>with 東京都 and end<iframe>frame words</iframe>"""


def text_of(page):
    return page_text(PageDocument(page.encode()))


@pytest.mark.parametrize(
    "directive",
    [
        "headline",
        "Headline",
        "THE%20QUICK",
        "quick%20brown%20fox",
        "foxes%20%26%20cafe",
        "café",
        "the,owls",
        "quick,paragraph",
        "headline-,the%20quick",
        "the-,quick,café,-owls",
        "brown,-fox",
        "paragraph%20with",
        "京",
        "owls.-,next",
    ],
)
def test_texts_that_are_there(directive):
    search = TextSearch(text_of(PAGE.replace("fox&shy;es", "fox foxes")), 1)
    assert search.finds(f"text={directive}")


@pytest.mark.parametrize(
    "directive",
    [
        "head",
        "line",
        "quic",
        "title%20words",
        "script%20words",
        "style%20words",
        "comment%20words",
        "frame%20words",
        "owls,the",
        "quick-,the",
        "the,-brown",
        "the,cafe,-quick",
        "missing",
        "headline%20missing",
        "owls%20paragraph",
    ],
)
def test_texts_that_are_missing(directive):
    assert TextSearch(text_of(PAGE), 1).finds(f"text={directive}") is False


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a", ("", "a", "", "")),
        ("a,b", ("", "a", "b", "")),
        ("p-,a", ("p", "a", "", "")),
        ("p-,a,b,-s", ("p", "a", "b", "s")),
        ("a,-s", ("", "a", "", "s")),
        ("%41%2Cb%2D", ("", "a,b-", "", "")),
        ("p-", None),
        ("p-,-s", None),
        ("", None),
        ("a,b,c", None),
        ("p-,a,b,c,-s", None),
        (",b", None),
        ("-,a", None),
        ("a,-", None),
    ],
)
def test_the_parts_of_a_directive(text, parts):
    assert TextDirective.parse(text) == (parts and TextDirective(*parts))


def test_directives_of_a_fragment():
    found = text_directives("text=a&other=b&text=c,d&text=,")
    assert [(one.start, one.end) for one in found] == [("a", ""), ("c", "d")]


def test_normalized_texts():
    assert normalize(" Ünïcode \n ẞ co\xadoperate ") == " unicode ss cooperate "


def test_an_audit(tmp_path):
    links = ["b.html#:~:text=quick", "b.html#:~:text=slow", "b.html#x:~:text=quick", "b.html#no:~:text=quick"]
    links += ["b.html#x:~:text=slow", "#:~:text=own%20words", "b.html#:~:unknown", "c.md#:~:text=x", "b.html#x"]
    links += ["moved.html#:~:text=x", "b.html#:~:text=quick&text=slow"]
    files = {
        "a.html": "<p>Own words</p>" + "".join(f'<a href="{link}">x</a>' for link in links),
        "b.html": "<p id=x>A quick text",
        "c.md": "x\n",
        "moved.html": "<meta http-equiv=refresh content='0; url=b.html'>",
    }
    default = audited(tmp_path, files, include=("a.html",))
    assert told(default) == [("a.html", "missing-fragment", "b.html#no:~:text=quick")]
    found = audited(tmp_path, include=("a.html",), select=("LF102", "missing-text"))
    assert told(found) == [
        ("a.html", "missing-text", "b.html#:~:text=slow"),
        ("a.html", "missing-fragment", "b.html#no:~:text=quick"),
        ("a.html", "missing-text", "b.html#x:~:text=slow"),
        ("a.html", "missing-text", "b.html#:~:text=quick&text=slow"),
    ]
    assert [one.cause for one in found.findings][1] == "b.html#no"
    assert found.coverage.fragments == {
        "found": 5,
        "not found": 1,
        "a text that was not found": 3,
        "not checked: the text of a redirect, of a very large page, or not of HTML": 2,
    }


class TestLimits:
    def test_what_takes_long_is_not_judged(self):
        assert TextSearch("x " * 1000, 10**6).finds("text=x") is None
        assert TextSearch("x " * 1000, 1).finds(f"text={'x%20' * 1000}") is None
        assert TextSearch(None, 1).finds("text=x") is None

    @pytest.mark.growth
    def test_linear_time(self):
        with processor_limit(20):
            text = "a " * 2_000_000
            assert TextSearch(text, 1).finds("text=" + "a%20" * 200 + "b-,a,a,-c") is False
            assert len(text_of("<!-- <p>a" * 300_000)) < 10
