"""The pictures of the site are drawn from the tables of its pages, and from the output of commands."""

from __future__ import annotations

import functools
import re
import runpy
import struct

import pytest
from lxml import etree
from support.paths import CHECKOUT

from linkfix import Layer

SCRIPT = runpy.run_path(str(CHECKOUT / "docs" / "pictures.py"))
FOLDER = SCRIPT["FOLDER"]
PAGES = [CHECKOUT / "README.md", *sorted((CHECKOUT / "docs").rglob("*.md"))]
SVG = "{http://www.w3.org/2000/svg}"


def page(name):
    return (CHECKOUT / "docs" / f"{name}.md").read_text("utf-8")


@functools.cache
def drawn(name):
    return SCRIPT["PICTURES"][name]()


def test_each_file_is_a_picture_of_the_script():
    assert {path.name for path in FOLDER.iterdir()} == {*SCRIPT["PICTURES"], *SCRIPT["REPORTS"]}


@pytest.mark.parametrize("name", SCRIPT["PICTURES"])
def test_a_file_is_what_the_script_draws(name):
    """If a page or the output of a command has changed: python docs/pictures.py"""
    assert (FOLDER / name).read_text("utf-8") == drawn(name)


@pytest.mark.parametrize("name", SCRIPT["PICTURES"])
def test_a_picture_has_a_title_a_description_and_colours_for_dark_screens(name):
    root = etree.fromstring(drawn(name))
    named = root.get("aria-labelledby").split()
    assert [root.find(f"{SVG}{part}").get("id") for part in ("title", "desc")] == named
    assert all(root.find(f"{SVG}{part}").text for part in ("title", "desc"))
    assert "prefers-color-scheme: dark" in root.find(f"{SVG}style").text


@pytest.mark.parametrize("name", [*SCRIPT["PICTURES"], *SCRIPT["REPORTS"]])
def test_a_page_shows_the_picture_with_an_alternative(name):
    """The picture for dark screens is a source of the one for light screens."""
    alternative = re.compile(
        rf'!\[[^\]]{{20,}}\]\(\S*pictures/{name}\)|srcset="\S*pictures/{name}">\s*<img [^>]*alt="[^"]{{20,}}"'
        rf'|<img src="\S*pictures/{name}" alt="[^"]{{20,}}"'
    )
    assert any(alternative.search(path.read_text("utf-8")) for path in PAGES)


def test_bars_are_as_long_as_the_page_says():
    speeds = SCRIPT["speeds"](page("speed"))
    assert set(SCRIPT["SPEEDS"]) <= set(speeds)
    root = etree.fromstring(drawn("speed.svg"))
    texts = [one.text for one in root.iter(f"{SVG}text")]
    for name, title in SCRIPT["SPEEDS"].items():
        own, others = speeds[name]
        assert others
        told = [f"{seconds:.3f} s" for seconds in (own, *others.values())]
        start = texts.index(title)
        assert texts[start + 2 : start + 2 + 2 * len(told) : 2] == told


def test_the_ladder_has_the_layers_in_order():
    assert [name for name, _, _ in SCRIPT["layers"](page("base"))] == [
        layer.value for layer in Layer if layer is not Layer.NONE
    ]


@pytest.mark.parametrize(("name", "tutorial"), [("diff.svg", "convert"), ("audit.svg", "audit")])
def test_a_terminal_has_a_command_of_the_tutorial_and_fits(name, tutorial):
    root = etree.fromstring(drawn(name))
    assert f"\n$ {root.find(f'{SVG}title').text}\n" in page(f"tutorials/{tutorial}")
    lines = root.find(f"{SVG}desc").text.splitlines()
    assert len(lines) < 24
    right, bottom = map(float, root.get("viewBox").split()[2:])
    for text in root.iter(f"{SVG}text"):
        assert float(text.get("textLength")) == pytest.approx(len(text.text) * SCRIPT["CELL"])
        assert float(text.get("x")) + float(text.get("textLength")) <= right
        assert float(text.get("y")) < bottom


def test_the_marked_words_of_a_difference_are_the_references():
    """A ground comes before the word on it."""
    grounds = {"gone": [], "come": []}
    for ground in etree.fromstring(drawn("diff.svg")).iter(f"{SVG}rect"):
        if (kind := ground.get("class")) in grounds:
            grounds[kind].append(ground.getnext().text)
    assert grounds["gone"] == [
        *("../css/main.css", "setup.html"),
        *("../img/lamp.svg", "../img/lamp.svg", "../img/lamp.svg?large", "../lamps.html", "setup.html"),
    ]
    assert grounds["come"]
    assert all(word.startswith("http") for word in grounds["come"])


@pytest.mark.parametrize("name", SCRIPT["REPORTS"])
def test_a_picture_of_the_report_has_its_size_and_text(name):
    """`browser/test_report.py` compares the text with the report."""
    png = (FOLDER / name).read_bytes()
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", png[16:24]) == SCRIPT["SIZE"]
    assert len(png) < 150_000
    assert "LF101 missing-target" in SCRIPT["text_of"](png)
