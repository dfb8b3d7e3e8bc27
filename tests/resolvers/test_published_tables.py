"""Every row of the published resolution tables, in the resolver of its own text."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from support.paths import CHECKOUT
from support.vectors import table

from linkfix.resolvers import resolver

ROWS = table("resolution")

#: Rows of the 1994 message against its own rule 3d2 and its own row `g = <URL:magic://a/b/c/g>`: both lose the
#: base's directories /b/c, which nothing in the reference climbs out of. reference -> what the rule gives.
ERRATA = {"g/./h": "magic://a/b/c/g/h", "g/../h": "magic://a/b/c/h"}

#: RFC 2396's words for a same-document reference. Its target is the reference itself.
CURRENT_DOCUMENT = "(current document)"


def label(row):
    return f"{row['spec']} {row['section']} {row['reference']!r}"


def is_erratum(row):
    return row["spec"] == "fielding1994" and row["reference"] in ERRATA


@pytest.mark.parametrize("row", [row for row in ROWS if not is_erratum(row)], ids=label)
def test_a_row_is_resolved_as_published(row):
    resolution = resolver(row["spec"]).resolve(row["base"], row["reference"])
    same_document = row["expected"].startswith(CURRENT_DOCUMENT)
    assert resolution.target == row["expected"].removeprefix(CURRENT_DOCUMENT)
    assert resolution.problem is None
    if same_document:
        assert resolution.same_document


@pytest.mark.parametrize("row", [row for row in ROWS if is_erratum(row)], ids=label)
def test_an_erratum_is_resolved_by_the_rule(row):
    target = resolver("fielding1994").resolve(row["base"], row["reference"]).target
    assert target == ERRATA[row["reference"]]
    assert target != row["expected"]


def test_every_erratum_is_still_published():
    assert {row["reference"] for row in ROWS if is_erratum(row)} == ERRATA.keys()


def test_the_page_about_resolvers_has_the_results_of_rule_and_table():
    page = (CHECKOUT / "docs" / "resolvers.md").read_text("utf-8")
    prose = page.partition("### Fielding, 1994\n")[2].partition(":::")[0]
    by_reference = {row["reference"]: row for row in ROWS if is_erratum(row)}
    given = [resolver("fielding1994").resolve(by_reference[one]["base"], one).target for one in ERRATA]
    printed = [by_reference[one]["expected"] for one in ERRATA]
    assert re.findall(r"`(magic:[^`]+)`", prose) == [by_reference["g/./h"]["base"], *given, *printed]
    assert re.findall(r"`(g/[^`]+)`", prose) == list(ERRATA)


@pytest.mark.parametrize("row", [row for row in ROWS if row["alternative"]], ids=label)
def test_the_alternative_equals_the_result_with_the_loophole(row):
    found = resolver(row["spec"], same_scheme="relative")
    assert found.resolve(row["base"], row["reference"]).target == row["alternative"]


@pytest.mark.parametrize("row", [row for row in ROWS if row["also"]], ids=label)
def test_some_implementations_drop_excess_dots(row):
    found = resolver(row["spec"], excess_dots="drop")
    assert found.resolve(row["base"], row["reference"]).target == row["also"]


def test_the_tables_are_whole():
    assert Counter(row["spec"] for row in ROWS) == {"fielding1994": 14, "rfc1808": 40, "rfc2396": 43, "rfc3986": 42}
