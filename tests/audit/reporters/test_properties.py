"""Any text in any field, read back by other parsers."""

from __future__ import annotations

import csv
import io
import json
import re

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from support.reports import lines_of, report
from support.samples import HOSTILE, assemble, finding

from linkfix.auditing import Coverage, Hint
from linkfix.auditing.reporters.common import without_surrogates
from linkfix.display import unguard, visible

TEXT = st.one_of(st.text(st.characters()), st.lists(st.sampled_from(HOSTILE)).map("".join))
NAME = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0/"), min_size=1).filter(
    lambda name: name not in {".", ".."}
)


@st.composite
def audits(draw):
    found = [
        finding(
            draw(st.sampled_from(["LF101", "LF102", "LF201"])),
            draw(NAME),
            reference=draw(TEXT),
            message=draw(TEXT),
            target=draw(st.none() | TEXT),
            cause=draw(TEXT),
            excerpt=draw(TEXT),
            hint=draw(st.none() | st.builds(Hint, TEXT, st.none() | TEXT)),
        )
        for _ in range(draw(st.integers(0, 3)))
    ]
    coverage = Coverage(pages=3, links=1, checked=draw(st.integers(0, 1)), unread=draw(st.dictionaries(NAME, TEXT)))
    return assemble(*found, coverage=coverage, base_source=draw(TEXT))


@given(audits())
def test_every_report_holds_any_text(audit):
    references = [without_surrogates(one.reference) for one in audit.findings]
    assert [one["reference"] for one in json.loads(report("json", audit))["findings"]] == references
    records = [json.loads(line) for line in lines_of(report("jsonl", audit))]
    assert [one["reference"] for one in records if one["type"] == "finding"] == references
    assert len(json.loads(report("sarif", audit))["runs"][0]["results"]) == len(references)
    rows = list(csv.DictReader(io.StringIO(report("csv", audit), newline=""), strict=True))
    assert [unguard(row["reference"]) for row in rows] == [visible(one.reference) for one in audit.findings]
    suites = etree.fromstring(report("junit", audit).encode())
    assert len(suites.findall(".//failure")) == sum(one.level != "note" for one in audit.findings)
    commands = lines_of(report("github", audit))[:-1]
    assert len([line for line in commands if " file=" in line]) == len(references)
    assert all(re.match(r"::(error|warning|notice) (file|title)=", line) for line in commands)
    assert all(line.count("<code>") == line.count("</code>") for line in lines_of(report("markdown", audit)))
