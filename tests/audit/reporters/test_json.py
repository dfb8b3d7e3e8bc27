"""The JSON document and JSON lines, and the schema of both."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from support.paths import CHECKOUT
from support.reports import lines_of, report
from support.samples import AUDITS, RULES, assemble, finding, many

from linkfix import __version__
from linkfix.auditing import Hint
from linkfix.auditing.reporters.common import without_surrogates
from linkfix.auditing.reporters.records import SCHEMA_VERSION
from linkfix.display import json_text

SCHEMA = json.loads(CHECKOUT.joinpath("docs", "audit-report.schema.json").read_text("utf-8"))
Draft202012Validator.check_schema(SCHEMA)
DOCUMENT = Draft202012Validator(SCHEMA | {"oneOf": [{"$ref": "#/$defs/report"}]})
RECORD = Draft202012Validator(SCHEMA | {"oneOf": [{"$ref": "#/$defs/record"}]})


def document(name):
    return json.loads(report("json", AUDITS[name]))


def records(audit):
    return [json.loads(line) for line in lines_of(report("jsonl", audit))]


@pytest.mark.parametrize("name", AUDITS)
def test_documents_match_the_schema(name):
    DOCUMENT.validate(document(name))
    Draft202012Validator(SCHEMA).validate(document(name))


@pytest.mark.parametrize("name", AUDITS)
def test_records_match_the_schema(name):
    for record in records(AUDITS[name]):
        RECORD.validate(record)
        Draft202012Validator(SCHEMA).validate(record)


def test_the_schema_refuses_other_shapes():
    good = document("ordinary")
    assert not DOCUMENT.is_valid(good | {"more": 1})
    assert not DOCUMENT.is_valid(good | {"schema_version": SCHEMA_VERSION + 1})
    assert not DOCUMENT.is_valid({key: value for key, value in good.items() if key != "coverage"})
    assert not DOCUMENT.is_valid(good | {"findings": [good["findings"][0] | {"line": 0}]})
    assert not DOCUMENT.is_valid(good | {"findings": [good["findings"][0] | {"level": "fatal"}]})
    assert not RECORD.is_valid(good)
    assert not RECORD.is_valid({"type": "finding"})


def test_every_field_of_a_finding():
    read = document("ordinary")
    one = AUDITS["ordinary"].findings[0]
    expected = one._asdict() | {"level": one.level.value, "hint": one.hint._asdict()}
    assert read["findings"][0] == expected
    rules = [rule._asdict() | {"level": rule.level.value} for rule in RULES]
    assert read["rules"] == [{name: value for name, value in rule.items() if name != "cause_kind"} for rule in rules]
    assert read["tool"] == {"name": "linkfix", "version": __version__}
    assert read["base"] == {"url": "https://example.com/docs/", "layer": "retrieval", "where": "--root-url"}
    assert read["totals"] == {
        "findings": 15,
        "errors": 11,
        "warnings": 2,
        "notes": 2,
        "causes": 7,
        "pages_with_findings": 11,
    }
    assert read["coverage"] == {
        "files": 40,
        "pages": 12,
        "bytes": 123_456,
        "links": 130,
        "judged": 117,
        "unjudged": {"outside the tree": 10, "mailto:": 3},
        "fragments": {"there": 20, "nowhere": 3},
        "left_out": {},
        "unread": [{"path": "bad.html", "why": "not text"}, {"path": "big.html", "why": "larger than the limit"}],
    }
    assert read["hidden"] == {"baseline": 4, "comment": 1}
    assert read["judged_nothing"] is False
    assert {folder["path"]: folder["findings"]["error"] for folder in read["folders"]} == {
        "": 2,
        "guide": 8,
        "über uns": 1,
    }


def test_causes_name_findings():
    read = document("ordinary")
    for cause in read["causes"]:
        named = [read["findings"][number] for number in cause["findings"]]
        assert len({(one["code"], one["cause"]) for one in named}) == 1
        assert len({one["path"] for one in named}) == cause["pages"]
    numbers = [number for cause in read["causes"] for number in cause["findings"]]
    assert sorted(numbers) == list(range(len(read["findings"])))


def test_a_made_up_url_is_null():
    read = document("unserved")
    assert read["base"]["url"] is None
    assert [one["target"] for one in read["findings"]] == ["a/c d.html#top", "/x.html", "http://other.example/"]


def test_hostile_text_comes_back():
    text = report("json", AUDITS["hostile"])
    assert text.isascii()
    read = json.loads(text)
    for one, found in zip(AUDITS["hostile"].findings, read["findings"], strict=True):
        fields = (found["reference"], found["message"], found["path"], found["excerpt"], found["hint"]["reference"])
        assert fields == tuple(
            map(without_surrogates, (one.reference, one.message, one.path, one.excerpt, one.hint.reference))
        )
    assert [row["path"] for row in read["coverage"]["unread"]] == [
        *map(without_surrogates, AUDITS["hostile"].coverage.unread)
    ]


def test_lines_have_the_same_as_the_document():
    audit = AUDITS["ordinary"]
    first, *between, last = records(audit)
    read = document("ordinary")
    assert first.pop("type") == "audit"
    assert last.pop("type") == "summary"
    kinds = Counter(record["type"] for record in between)
    assert kinds == {"finding": 15, "cause": 7, "folder": 3}
    found = {kind: [one for one in between if one["type"] == kind] for kind in kinds}
    assert [one.pop("index") for one in found["finding"]] == list(range(15))
    for one in between:
        del one["type"]
    assert first | last | {f"{kind}s": rows for kind, rows in found.items()} == read


def test_a_line_is_a_record_even_of_hostile_text():
    text = report("jsonl", AUDITS["hostile"])
    assert text.isascii()
    assert len(text.splitlines()) == len(lines_of(text)) == len(records(AUDITS["hostile"]))


def test_large_documents_have_a_line_a_finding():
    text = report("json", many(1000))
    assert len([line for line in lines_of(text) if line.startswith('{"code"')]) >= 1000


#: Texts with characters that JSON escapes, and without those that reports lack: lone surrogates, runner commands.
TEXTS = st.text(
    st.sampled_from([*'a"\\/\t\n\x00\x1f\x7fü…##[\U0001f600\ud83d\ude00\udcff']) | st.characters(), max_size=9
)


@given(
    st.dictionaries(st.sampled_from(["message", "path", "element", "reference", "target", "cause", "excerpt"]), TEXTS),
    st.none() | st.builds(Hint, TEXTS, st.none() | TEXTS, st.booleans()),
)
def test_any_text_is_written_as_the_encoder_of_json_does(fields, hint):
    one = finding("LF101", "a.html")._replace(**fields, hint=hint)
    text = report("json", assemble(one))
    hinted = hint and hint._asdict() | {"text": without_surrogates(hint.text)}
    if hinted and hint.reference is not None:
        hinted["reference"] = without_surrogates(hint.reference)
    expected = one._asdict() | {"level": "error", "hint": hinted}
    expected |= {name: without_surrogates(value) for name, value in expected.items() if isinstance(value, str)}
    line = json_text(expected)
    assert f"{line},\n" in text or f"{line}\n" in text
    assert f'{{"type": "finding", "index": 0, {line[1:]}\n' in report("jsonl", assemble(one))
