"""The option `placeholders`: what a mail service fills in later."""

from __future__ import annotations

import pytest
from support.running import run

import linkfix

URL = "https://h.example/d/"


@pytest.mark.parametrize(
    ("reference", "patterns", "stays"),
    [
        ("*|UNSUB|*", ("*|*|*",), True),
        ("/x?id=%%id%%", ("%%*%%",), True),
        ("/x?id=%%id", ("%%*%%",), False),
        ("[[link]]", ("{*}", "[[*]]"), True),
        ("a/$name$.png", ("$*$",), True),
        ("a/b.png", ("b",), True),
        ("a/b.png", (), False),
        ("{{ url }}", (), True),
    ],
)
@pytest.mark.parametrize("page", ["<a href='{}'>x</a>", "<img srcset='{} 2x'>", "<p style='background:url({})'>"])
def test_relative_references_with_a_placeholder_stay(reference, patterns, stays, page):
    html = page.replace("{}", reference)
    made = linkfix.absolutize(html, URL, placeholders=patterns)
    assert (made == html) is stays
    assert linkfix.absolutize(html.encode(), URL, placeholders=patterns) == made.encode()


def test_a_placeholder_of_ones_own_is_no_problem():
    made = linkfix.Document('<a href="*|A|*">x</a><a href="b">y</a>', url=URL, placeholders=("*|*|*",)).convert()
    assert (made.problems, made.links) == ((), 2)
    assert [link.target for link in linkfix.links('<a href="*|A|*">', URL, placeholders=("*|*|*",))] == [None]


def test_an_absolute_reference_is_written_as_it_is():
    html = '<a href="https://x.example/*|A|*">x</a>'
    assert linkfix.absolutize(html, URL, placeholders=("*|*|*",)) == html


def test_a_wrong_value_is_a_mistake():
    with pytest.raises(linkfix.InvalidOption, match="placeholders"):
        linkfix.absolutize("", URL, placeholders="%%*%%")


@pytest.mark.parametrize("pattern", ["", "*", "***"])
def test_a_pattern_without_text_is_a_mistake(tmp_path, monkeypatch, pattern):
    with pytest.raises(linkfix.InvalidOption, match="placeholders="):
        linkfix.absolutize('<a href="a">', URL, placeholders=("%%*%%", pattern))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.html").write_text('<a href="a">')
    given = run("absolutize", "a.html", "--url", URL, "--placeholder", pattern)
    (tmp_path / "linkfix.toml").write_text(f'[absolutize]\nplaceholder = ["{pattern}"]\n')
    for made in (given, run("absolutize", "a.html", "--url", URL)):
        assert (made.exit_code, made.stdout) == (2, "")
        assert f"{pattern!r} is in every link: write other characters than '*' too, as in '%%*%%'." in made.stderr


@pytest.mark.parametrize("tree", ["lxml.html", "bs4"])
def test_parsed_trees(tree):
    html = '<html><body><a href="*|A|*">x</a><a href="b">y</a></body></html>'
    if tree == "bs4":
        from bs4 import BeautifulSoup

        parsed = BeautifulSoup(html, "html.parser")
        linkfix.absolutize_tree(parsed, url=URL, placeholders=("*|*|*",))
        found = [one["href"] for one in parsed.find_all("a")]
    else:
        from lxml import html as parser

        parsed = parser.fromstring(html)
        linkfix.absolutize_tree(parsed, url=URL, placeholders=("*|*|*",))
        found = parsed.xpath("//a/@href")
    assert found == ["*|A|*", f"{URL}b"]
