"""Engines read small pages as the table says; pages that linkfix converted mean the same elsewhere."""

from __future__ import annotations

from typing import Any

import pytest
from support.browser.engine import Engine
from support.browser.framed import PAGE, Case, Outcome, outcomes
from support.browser.pages import PAGES
from support.vectors import table

import linkfix

pytestmark = pytest.mark.browser

ROWS = table("engines")


def expected(row: dict[str, Any], name: str) -> Outcome:
    [outcome] = [rest for names, *rest in row["outcomes"] if name in names]
    url, base_uri, links, frames = outcome
    return Outcome(url, base_uri, tuple(links), tuple(frames))


def test_the_table_has_the_pages() -> None:
    assert [(row["group"], row["html"], row["headers"], row["scripts"]) for row in ROWS] == [
        (group, case.html, [list(header) for header in case.headers], case.scripts) for group, case in PAGES
    ]


def test_engines_behave_as_in_the_table(engine: Engine) -> None:
    """If a new version of one does not: python tests/vectors/record.py"""
    found = outcomes(engine, [case for _, case in PAGES])
    assert {
        (case, outcome, said)
        for (_, case), outcome, row in zip(PAGES, found, ROWS, strict=True)
        if outcome != (said := expected(row, engine.name))
    } == set()


def converted(row: dict[str, Any]) -> Case:
    """A page that was saved with absolute links, and is now served without its headers."""
    policies = [value for name, value in row["headers"] if name == "Content-Security-Policy"]
    received = {"content_security_policy": ", ".join(policies)} if policies else {}
    scripting = "on" if row["scripts"] else "off"
    return Case(linkfix.absolutize(row["html"], url=PAGE, scripting=scripting, **received), scripts=row["scripts"])


@pytest.mark.parametrize(
    "groups",
    [
        ("base-place", "base-value"),
        ("http-equiv", "refresh"),
        ("frameset",),
        ("noscript",),
        ("csp-header", "csp-meta", "csp-place"),
    ],
    ids="-".join,
)
def test_a_converted_page_means_the_same_elsewhere(engine: Engine, groups: tuple[str, ...]) -> None:
    # If engines disagree, linkfix follows the standard, and some engines do not.
    rows = [row for row in ROWS if row["group"] in groups and len(row["outcomes"]) == 1]
    found = outcomes(engine, [converted(row) for row in rows], "http://site.example/else/where/")
    assert {
        (row["html"], (outcome.url, outcome.links, outcome.frames), (said.url, said.links, said.frames))
        for row, outcome in zip(rows, found, strict=True)
        if (outcome.url, *outcome[2:]) != ((said := expected(row, engine.name)).url, *said[2:])
    } == set()
