from __future__ import annotations

import json

import pytest
from support.running import runner
from support.vectors import table

from linkfix.cli import cli
from linkfix.schemes import Template

GOOD = """   URI scheme name: example-geo
   Status: provisional
   Security considerations: See RFC 9999.
   Contact: A. Uthor <a@example.com>
   Author/Change controller: A. Uthor <a@example.com>
   URI scheme syntax: See RFC 9999.
   URI scheme semantics: See RFC 9999.
   Encoding considerations: See RFC 9999.
   Applications/protocols that use this URI scheme name: Examples.
   Interoperability considerations: None.
   References: RFC 9999
"""


def run(*arguments, stdin=None):
    return runner().invoke(cli, ["schemes", "template", *map(str, arguments)], input=stdin, prog_name="linkfix")


@pytest.fixture
def good(tmp_path):
    path = tmp_path / "good.txt"
    path.write_text(GOOD, "ascii")
    return path


def test_fields_and_verdicts_are_printed(tmp_path):
    path = tmp_path / "foo.txt"
    path.write_text(GOOD.replace("See RFC 9999.\n   Contact", "None.\n   Contact") + "   Status: historical\n", "ascii")
    result = run(path)
    lines = result.stdout.splitlines()
    assert lines[0] == f"{path}:1: example-geo (provisional, form of RFC 4395, 12 fields)"
    assert lines[1] == "     1  name               example-geo"
    assert lines[13] == (
        f"{path}:3: error: the security considerations are 'None.', which is not an analysis "
        "[security-none] (RFC 4395 §3)"
    )
    assert lines[14].startswith(f"{path}:12: error: 'Status' is repeated in line 12; it is first in line 2 ")
    assert len(lines) == 15
    assert result.exit_code == 1


def test_names_with_full_stops_as_rfc_4395_prints_them(tmp_path):
    path = tmp_path / "stops.txt"
    path.write_text(GOOD.replace(":", "."), "ascii")
    result = run(path, "--strict")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == f"{path}:1: example-geo (provisional, form of RFC 4395, 11 fields)"
    assert run(path, "--format", "template").stdout == Template.parse(GOOD).format()


@pytest.mark.parametrize("mark", [":", "."])
def test_lines_that_no_field_is_read_from(tmp_path, mark):
    path = tmp_path / "foo.txt"
    text = GOOD.replace("provisional\n", "provisional\n   more\n   Creation date: 2011\n\n").replace(":", mark)
    path.write_text(f"A scheme\n\n{text}", "ascii")
    result = run(path, "--strict")
    assert result.exit_code == 0
    before, unknown = result.stdout.splitlines()[12:]
    assert before.startswith(f"{path}:1: note: line 1 comes before the first field, 'URI scheme name': ")
    assert before.endswith(" [text-before] (RFC 4395 §5.4)")
    assert unknown.startswith(f"{path}:6: note: 'Creation date{mark}' looks like a field, but is read as text ")
    assert unknown.endswith("of 'Status' [line-unknown] (RFC 4395 §5.4)")
    rows = json.loads(run(path, "--json").stdout)["verdicts"]
    assert [(row["code"], row["level"], row["line"]) for row in rows] == [
        ("text-before", "note", 1),
        ("line-unknown", "note", 6),
    ]
    assert "foo.txt:6: note: 'Creation date" in run(path, "--format", "template").stderr


def test_warnings_count_under_strict(tmp_path):
    path = tmp_path / "foo.txt"
    path.write_text(GOOD.replace("example-geo", "universal-geo"), "ascii")
    assert (run(path).exit_code, run(path, "--strict").exit_code) == (0, 1)


def test_without_errors_or_warnings_strict_is_content(good):
    result = run(good, "--strict")
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == 12


@pytest.mark.parametrize(
    ("name", "code", "line"), [("example_geo", "name-syntax", 2), ("Example-geo", "name-case", 2), ("http", "", 2)]
)
def test_the_name_is_checked_too(good, name, code, line):
    good.write_text("\n" + GOOD.replace("example-geo", name), "ascii")
    rows = [one for one in json.loads(run(good, "--json").stdout)["verdicts"] if one["code"].startswith("name-")]
    if code:
        assert (code, "error", line) in [(row["code"], row["level"], row["line"]) for row in rows]
    else:
        assert [(row["code"], row["level"], row["section"]) for row in rows] == [
            ("name-registered", "note", "RFC 4395 §5.3")
        ]


@pytest.mark.parametrize("option", [["--json"], ["--format", "json"]])
def test_as_json_and_back_as_a_template(good, tmp_path, option):
    written = tmp_path / "good.json"
    assert run(good, *option, "-o", written).stdout == ""
    record = json.loads(written.read_text("utf-8"))
    assert record["path"] == str(good)
    assert record["scheme"] == "example-geo"
    assert record["verdicts"] == []
    assert record["fields"][1] == {"field": "status", "heading": "Status", "value": "provisional", "lines": [2, 2]}
    back = run(written, "--format", "template")
    assert back.stdout == Template.parse(GOOD).format()
    assert back.stderr == ""


def test_verdicts_on_a_template_are_on_standard_error(good):
    good.write_text(GOOD.replace("A. Uthor <a@example.com>\n   Author", "me\n   Author"), "ascii")
    result = run(good, "--format", "template")
    assert Template.parse(result.stdout).scheme == "example-geo"
    assert result.stderr.startswith(f"{good}:4: warning: 'Contact' does not say how to reach anyone ")


def test_standard_input_and_several_templates():
    result = run("-", "--json", stdin=f"{GOOD}\n{GOOD.replace('example-geo', 'example-two')}")
    assert [json.loads(line)["scheme"] for line in result.stdout.splitlines()] == ["example-geo", "example-two"]
    again = run("-", "--format", "template", stdin=result.stdout)
    assert [one.scheme for one in Template.parse_all(again.stdout)] == ["example-geo", "example-two"]


def test_a_blank_template(tmp_path):
    result = run("--new")
    assert result.stdout == Template.new().format()
    assert run("--new", "--output", tmp_path / "new.txt").stdout == ""
    assert (tmp_path / "new.txt").read_bytes() == result.stdout_bytes
    checked = run(tmp_path / "new.txt", "--strict")
    assert checked.exit_code == 1
    assert "name-" not in checked.stdout
    assert json.loads(run("--new", "--json").stdout)["fields"][0]["field"] == "name"


def test_a_file_that_is_not_utf_8(tmp_path):
    path = tmp_path / "latin.txt"
    path.write_bytes("   URI scheme name: foo\n   Contact: Jos\xe9 <j@example.com>\n".encode("latin-1"))
    assert json.loads(run(path, "--json").stdout)["fields"][1]["value"] == "José <j@example.com>"


def test_terminal_commands_are_escaped():
    result = run("-", stdin="URI scheme name: a\x1b[2J\nStatus: permanent\n")
    assert "\x1b" not in result.output
    assert "\\x1b[2J" in result.output


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "(standard input) has no registration template"),
        ("Some text.\n", "(standard input) has no registration template"),
        ('\n{"fields": [\n x', "(standard input):3:2: a value is missing, or has no double"),
        (
            '{"fields": [{"field": "name", "value": "x"}]}\n\n{"fields": 3}',
            "(standard input):3: a template is an object",
        ),
        ('{"fields": []}', "(standard input):1: the template has no fields"),
        ('{"fields": ' + "[" * 100_000, "(standard input):1: the values are nested too deeply"),
        ('{"fields": ' + "1" * 5_000, "(standard input):1: Exceeds the limit"),
    ],
)
def test_a_text_without_a_template(text, message):
    result = run("-", stdin=text)
    assert result.exit_code == 2
    assert f"Error: {message}" in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give either FILE, to check it, or --new"),
        (["-", "--new"], "give either FILE, to check it, or --new"),
        (["-", "--json", "--format", "text"], "--json and --format text cannot be combined"),
        (["nowhere.txt"], "'nowhere.txt' does not exist"),
    ],
)
def test_wrong_use(arguments, message):
    result = run(*arguments, stdin=GOOD)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_real_template(tmp_path):
    file = tmp_path / "rsync.rfc5781.txt"
    file.write_text(dict(table("templates", "file", "text"))[file.name], "ascii")
    result = run(file, "--strict")
    assert result.exit_code == 0
    assert "    42  contact            Russ Housley <housley@vigilsec.com>\n" in result.stdout
