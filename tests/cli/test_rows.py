"""The option --row: URLs in other attributes."""

from __future__ import annotations

import pytest
from support.running import run

PAGE = (
    '<!DOCTYPE html><html lang="en"><title>x</title><amp-img src="a.png"></amp-img>'
    '<object><param name="Movie" value="m.swf"><param name="x" value="n.swf"></object>'
    '<p data-bg="url(x.png)" data-html="&lt;a href=q&gt;" data-set="a.png 1x, b.png 2x">'
)
URL = ("--url", "https://h.example/d/")


@pytest.fixture(autouse=True)
def page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "page.html").write_text(PAGE)
    return tmp_path


@pytest.mark.parametrize(
    ("row", "before", "after"),
    [
        ("amp-img[src]=url", 'amp-img src="a', 'amp-img src="https://h.example/d/a'),
        ("amp-img[src]=URL", 'amp-img src="a', 'amp-img src="https://h.example/d/a'),
        ("AMP-IMG[SRC]=url", 'amp-img src="a', 'amp-img src="https://h.example/d/a'),
        ("param[value][name=movie src]=url", "m.swf", "https://h.example/d/m.swf"),
        ("*[data-bg]=css", "url(", "url(https://h.example/d/"),
        ("p[data-html]=srcdoc", "href=q", "href=https://h.example/d/q"),
        ("p[data-set]=srcset", "a.png 1x, b.png", "https://h.example/d/a.png 1x, https://h.example/d/b.png"),
    ],
)
def test_urls_in_other_attributes(row, before, after):
    assert run("absolutize", "page.html", *URL, "--row", row).stdout == PAGE.replace(before, after)


def test_several_rows_are_listed_and_audited(page):
    rows = ("--row", "amp-img[src]=url", "--row", "param[value]=url")
    listed = run("links", "page.html", *URL, *rows).stdout.splitlines()
    assert [line.partition(" ")[2].partition(" ->")[0] for line in listed] == [
        "amp-img[src] a.png",
        "param[value] m.swf",
        "param[value] n.swf",
    ]
    assert run("audit", ".", *rows).stdout.count("LF101") >= 1
    (page / "linkfix.toml").write_text('[audit]\nrow = ["amp-img[src]=url"]\n')
    assert "a.png" in run("audit", ".").stdout


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("amp-img", "write ELEMENT[ATTRIBUTE]=SYNTAX, as in 'amp-img[src]=url'"),
        ("a[b]=foo", "unknown syntax 'foo': give one of url, srcset, space-list, comma-list, css, srcdoc"),
        ("a[b][!c]=url", "only rows of feeds have one with !"),
        ("param[value][=x]=url", "row param value: guard '=x': name the attribute before ="),
        ("*[*]=url", "row * *: name one attribute; only the element can be *"),
        ("a[href]=css", "'a[href]=css': a[href] is read already."),
        ("META[content]=url", "'META[content]=url': meta[content] is read already."),
    ],
)
@pytest.mark.parametrize("command", ["absolutize", "links", "audit"])
def test_a_wrong_row_is_one_message(command, row, message):
    made = run(command, "page.html" if command != "audit" else ".", "--row", row)
    assert made.exit_code == 2
    assert message in made.stderr
    assert "Traceback" not in made.stderr
