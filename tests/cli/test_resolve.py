from __future__ import annotations

import json
import re

import pytest
from support.running import run, terminal

BASE = "http://a/b/c/d;p?q"


def test_a_target_a_line():
    result = run("resolve", BASE, "g", "../../../g", "#s", "")
    assert result.stdout.splitlines() == ["http://a/b/c/g", "http://a/g", f"{BASE}#s", BASE]
    assert result.exit_code == 0


@pytest.mark.parametrize(("arguments", "code"), [((), 0), (("--strict",), 1)])
def test_a_reference_without_a_target_prints_a_message_and_an_empty_line(arguments, code):
    result = run("resolve", BASE, "http://[", "g", *arguments)
    assert result.stdout.splitlines() == ["", "http://a/b/c/g"]
    assert result.stderr == "'http://[': the reference cannot be parsed as a URL [unresolvable]\n"
    assert result.exit_code == code


@pytest.mark.parametrize(
    ("option", "target"),
    [
        (["--spec", "rfc2396"], "http://a/../g"),
        (["--spec", "rfc2396", "--excess-dots", "drop"], "http://a/g"),
        (["--spec", "rfc3986"], "http://a/g"),
    ],
)
def test_options(option, target):
    assert run("resolve", BASE, "../../../g", *option).stdout == target + "\n"


def test_all_is_an_aligned_table():
    result = run("resolve", BASE, "?y", "", "http:g", "漢", "--spec", "all")
    header, *rows = result.stdout.splitlines()
    assert header.split() == ["reference", "fielding1994", "rfc1808", "rfc2396", "rfc3986", "whatwg"]
    cells = [re.split(r" {2,}", row) for row in rows]
    assert cells[0] == [
        "'?y'",
        "http://a/b/c/?y",
        "http://a/b/c/d;p?y",
        "http://a/b/c/?y",
        "http://a/b/c/d;p?y",
        "http://a/b/c/d;p?y",
    ]
    assert cells[1][0] == "''"
    assert cells[1][3] == "(same document)"
    assert cells[1][4] == f"{BASE} (same document)"
    assert cells[2][2] == "http:g"
    column = header.index("fielding1994")
    assert {row[column - 2 : column + 4] for row in rows[:3]} == {"  http"}
    assert rows[3][column - 3 : column + 3] == "  http"  # the wide character takes two columns


def test_all_applies_a_choice_to_the_specifications_that_have_it():
    row = run("resolve", BASE, "../../../g", "--spec", "all", "--excess-dots", "drop").stdout.splitlines()[1]
    assert row.split()[3] == "http://a/g"


def test_json_is_an_object_a_line():
    lines = run("resolve", BASE, "", "http://[", "--spec", "all", "--format", "json").stdout.splitlines()
    rows = [json.loads(line) for line in lines]
    assert len(rows) == 10
    assert rows[3] == {
        "base": BASE,
        "reference": "",
        "spec": "rfc3986",
        "target": BASE,
        "same_document": True,
        "problem": None,
    }
    assert rows[9]["problem"] == "unresolvable"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["b/c", "g"], "'b/c' is not an absolute URL"),
        ([BASE], "Missing argument 'REF...'"),
        ([BASE, "g", "--spec", "html"], "'html' is not one of"),
        ([BASE, "g", "--excess-dots", "keep"], "excess_dots is not an option of whatwg"),
    ],
)
def test_wrong_use(arguments, message):
    result = run("resolve", *arguments)
    assert message in result.stderr
    assert result.exit_code == 2


def test_a_reference_that_begins_with_a_hyphen():
    assert run("resolve", BASE, "--", "-x").stdout == "http://a/b/c/-x\n"


def test_on_a_terminal_the_table_is_folded_to_its_width(tmp_path):
    output = terminal("resolve", BASE, "a/very/long/reference", "--spec", "all", cwd=tmp_path)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", output).splitlines()
    assert max(map(len, lines)) <= 70
    assert len(lines) > 4
    assert "…" not in output


@pytest.mark.parametrize(
    ("base", "reference", "spec", "reason"),
    [
        ("mailto:a@b", "x", "fielding1994", "no reference can be relative to the base 'mailto:a@b'"),
        ("mailto:a@b", "x", "whatwg", "no reference can be relative to the base 'mailto:a@b'"),
        ("news:a", "g", "fielding1994", "no reference can be relative to the base 'news:a'"),
        ("http:", "g", "rfc2396", "no reference can be relative to the base 'http:'"),
        ("mailto:a@b", "http://[", "whatwg", "the reference cannot be parsed as a URL"),
        ("http://h/", "http://[", "whatwg", "the reference cannot be parsed as a URL"),
    ],
)
def test_faults_of_the_base_and_the_reference(base, reference, spec, reason):
    result = run("resolve", base, reference, "--spec", spec)
    assert result.stderr == f"{reference!r}: {reason} [unresolvable]\n"


def test_an_empty_base_is_unknown():
    """RFC 1808 §3.4, §4 step 1; Fielding's rule 1."""
    result = run("resolve", "", "g", "http://h/", "--spec", "all")
    assert result.exit_code == 0
    assert [line.split() for line in result.stdout.splitlines()[1:]] == [
        ["'g'", "g", "g", "[no-base]", "[no-base]", "[no-base]"],
        ["'http://h/'", *["http://h/"] * 5],
    ]
    assert run("resolve", "", "g", "--spec", "rfc1808").stdout == "g\n"
    unknown = run("resolve", "", "g")
    assert (unknown.stdout, unknown.stderr.endswith("[no-base]\n")) == ("\n", True)
