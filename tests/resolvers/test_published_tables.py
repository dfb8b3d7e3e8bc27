"""Every row of the published resolution tables, in the resolver of its own text."""

from __future__ import annotations

import json

import pytest
from support.shared import SHARED, needs_shared

from linkfix.resolvers import resolver

pytestmark = needs_shared

TABLES = SHARED / "vectors" / "resolution-tables.json"
ROWS = json.loads(TABLES.read_text(encoding="utf-8")) if TABLES.is_file() else []
SPECS = {"RFC 1808": "rfc1808", "RFC 2396": "rfc2396", "RFC 3986": "rfc3986"}

#: Rows of the 1994 message against its own rule 3d2 and its own row `g = <URL:magic://a/b/c/g>`: both lose the
#: base's directories /b/c, which nothing in the reference climbs out of. reference -> what the rule gives.
ERRATA = {"g/./h": "magic://a/b/c/g/h", "g/../h": "magic://a/b/c/h"}

#: RFC 2396's words for a same-document reference. Its target is the reference itself.
CURRENT_DOCUMENT = "(current document)"


def spec_of(row):
    return SPECS.get(row["spec"], "fielding1994")


def label(row):
    return f"{spec_of(row)} {row['section']} {row['ref']!r}"


def is_erratum(row):
    return spec_of(row) == "fielding1994" and row["ref"] in ERRATA


@pytest.mark.parametrize("row", [row for row in ROWS if not is_erratum(row)], ids=label)
def test_a_row_is_resolved_as_published(row):
    resolution = resolver(spec_of(row)).resolve(row["base"], row["ref"])
    same_document = row["expected"].startswith(CURRENT_DOCUMENT)
    assert resolution.target == row["expected"].removeprefix(CURRENT_DOCUMENT)
    assert resolution.problem is None
    if same_document:
        assert resolution.same_document


@pytest.mark.parametrize("row", [row for row in ROWS if is_erratum(row)], ids=label)
def test_an_erratum_is_resolved_by_the_rule(row):
    target = resolver("fielding1994").resolve(row["base"], row["ref"]).target
    assert target == ERRATA[row["ref"]]
    assert target != row["expected"]


def test_every_erratum_is_still_published():
    assert {row["ref"] for row in ROWS if is_erratum(row)} == ERRATA.keys()


@pytest.mark.parametrize("row", [row for row in ROWS if "alternative" in row], ids=label)
def test_the_alternative_is_what_the_loophole_gives(row):
    found = resolver(spec_of(row), same_scheme="relative")
    assert found.resolve(row["base"], row["ref"]).target == row["alternative"]


@pytest.mark.parametrize("row", [row for row in ROWS if "also" in row], ids=label)
def test_what_some_implementations_do_is_to_drop_excess_dots(row):
    found = resolver(spec_of(row), excess_dots="drop")
    assert found.resolve(row["base"], row["ref"]).target == row["also"]


def test_the_tables_are_whole():
    assert [sum(spec_of(row) == spec for row in ROWS) for spec in ("fielding1994", *SPECS.values())] == [14, 40, 43, 42]
