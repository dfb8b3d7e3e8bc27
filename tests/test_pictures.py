"""The pictures of the site are drawn from the tables of its pages."""

from __future__ import annotations

import runpy

import pytest
from lxml import etree
from support.paths import CHECKOUT

from linkfix import Layer

SCRIPT = runpy.run_path(str(CHECKOUT / "docs" / "pictures.py"))
DRAWN = list(SCRIPT["drawn"]())
SVG = "{http://www.w3.org/2000/svg}"


def page(name):
    return (CHECKOUT / "docs" / f"{name}.md").read_text("utf-8")


def test_the_files_are_what_the_script_draws():
    """If a page has changed: python docs/pictures.py"""
    assert {path: path.read_text("utf-8") for path in SCRIPT["FOLDER"].iterdir()} == dict(DRAWN)


@pytest.mark.parametrize(("path", "text"), DRAWN, ids=lambda value: getattr(value, "name", ""))
def test_a_picture_has_a_title_a_description_and_colours_for_dark_screens(path, text):
    root = etree.fromstring(text)
    named = root.get("aria-labelledby").split()
    assert [root.find(f"{SVG}{name}").get("id") for name in ("title", "desc")] == named
    assert all(root.find(f"{SVG}{name}").text for name in ("title", "desc"))
    assert "prefers-color-scheme: dark" in root.find(f"{SVG}style").text
    assert any(
        "![" in line and f"pictures/{path.name})" in line for line in (page("base") + page("speed")).splitlines()
    )


def test_bars_are_as_long_as_the_page_says():
    speeds = SCRIPT["speeds"](page("speed"))
    assert set(SCRIPT["SPEEDS"]) <= set(speeds)
    root = etree.fromstring(SCRIPT["speed_bars"]())
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
