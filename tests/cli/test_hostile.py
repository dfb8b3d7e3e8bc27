"""Names, URLs and text that would act on a terminal, a log or a spreadsheet, in everything that the command prints."""

from __future__ import annotations

import base64
import csv
import io
import os
import re
from pathlib import Path

import pytest
from support.running import run, terminal
from support.web_archives import http, record

from linkfix.auditing.reporters import REPORTERS
from linkfix.display import UNSAFE, unguard

#: Escapes: an operating system command that sets a terminal's title (ECMA-48 §8.3.89), and a C1 control.
ESCAPE = "\x1b]0;owned\x07\x9b31m"
NAMES = (
    f"{ESCAPE}.html",
    "a\n::error::b.html",
    "::stop-commands::x.html",
    "\u202elmth.html",
    "##[set-output name=x]y.html",
    "a ##vso[task.setvariable variable=x]y.html",
    "##teamcity[message text='x'].html",
    "#\u00ad#\u200bVSO[task.x]y.html",
    "\u00ad:\u200b:error::x.html",
    "--- x.html",
    "+++ x.html",
    "~~~ x.html",
    "^^^ +++.html",
    "=cmd|' calc'!A0.html",
    "caf\udce9.html",
)
PAGE = f"""
<a href="{ESCAPE}">1</a> <a href="&#x9b;31m&#x202e;&#x2028;">2</a> <a href="::error::x">3</a> <a href="##[error]x">4</a>
<a href="=cmd|' /C calc'!A0">5</a> <a href="https://me:Passw0rd@h.example/%5B">6</a> <a href="https://me:Passw0rd@[">7</a>
<a href="{"x" * 100_000}">8</a> <a href="a&#10;b">9</a> <a href="{{{{ {ESCAPE} }}}}">10</a>
<a href="##vso[task.setvariable variable=x]y">11</a> <a href="https://[##teamcity[x]">12</a> <a href="--- x">13</a>
<a href="&#35;&#35;VSO[task.x]y">14</a> <a href="gone.html##teamcity[x]">15</a> <a href="#&shy;#vso[x]">16</a>
<a href="https://me@corp.example:Passw0rd@["></a> <a href="https:/&#9;/me:x'y Passw0rd@["></a>
<a href="https&colon;//me:Passw0rd&commat;h.example/%5B"></a> <a href="http:{"/" * 300}me:{"x" * 150}Passw0rd@["></a>
<a href="\\\\me:Passw0rd@["></a><a href="https://me:Passw0rd@h.example{ESCAPE}/">
""".encode()
MESSAGE = (
    "MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n"
    "--b\r\nContent-Type: text/html\r\nContent-Location: https://me:Passw0rd@h.example/\x1b[31m\r\n"
    "Content-Transfer-Encoding: base64\r\n\r\n" + base64.encodebytes(PAGE).decode() + "\r\n--b--\r\n"
).encode("latin-1")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.chdir(site)
    for name in NAMES:
        (site / name).write_bytes(PAGE)
    (site / "::notice::x.md").write_text("::error::x [a](gone.html)\n\n--- [a](gone)\n\n##vso[x]y [a](gone)\n", "utf-8")
    (site / f"{ESCAPE}.mht").write_bytes(MESSAGE)
    (site / "damaged\x1b[1m.warc").write_bytes(
        record(http(PAGE), url=f"https://me:Passw0rd@h.example/{ESCAPE}".encode().decode("latin-1")) + b"WARC/1.0\r\nx"
    )
    (site / "link\x1b[1m.html").symlink_to("/etc/\x1b[1m")
    return site


def seen(output: bytes) -> str:
    """The output, after the check that nothing in it acts on the program that shows it."""
    text = output.decode().replace("\r\n", "\n")
    assert not UNSAFE & set(map(ord, text.replace("\n", "").replace("\x1b[0m", "")))
    # .NET, and so the runners of GitHub and Azure Pipelines, ignores characters without weight in collation.
    assert not re.search(r"##(?:\[|[a-z]+\[)", text.replace("\u00ad", "").replace("\u200b", ""), re.IGNORECASE)
    return text


def assert_no_command(text: str) -> None:
    """GitHub's runner takes a line for a command, Buildkite for the heading of a group."""
    lines = text.replace("\u00ad", "").replace("\u200b", "").split("\n")
    assert not [line for line in lines if line.lstrip().startswith("::")]
    assert not [line for line in lines if re.match(r"(?:---|\+\+\+|~~~)\s|\^\^\^\s\+\+\+", line)]


COMMANDS = [
    *(("audit", ".", "--format", form) for form in REPORTERS),
    ("audit", ".", "--fix"),
    *(
        ("links", ".", "--root-url", "https://h.example/", "--format", form)
        for form in ("text", "json", "jsonl", "csv")
    ),
    *(("base", ".", "--root-url", "https://h.example/", "--format", form) for form in ("text", "json")),
    ("absolutize", ".", "--dry-run", "--root-url", "https://h.example/"),
    ("absolutize", ".", "--in-place", "--root-url", "https://me:Passw0rd@h.example/", "--format", "json"),
    ("absolutize", ".", "--output", f"../out{ESCAPE}", "--spec", "rfc3986"),
    ("absolutize", ".", "--output", "."),
    *(("resolve", "https://h.example/", ESCAPE, "##[error]", "--format", form) for form in ("text", "json")),
    ("resolve", "https://h.example/", ESCAPE, "##[error]", "--spec", "all"),
    ("schemes", "check-uri", ESCAPE),
    ("schemes", "check-uri", "::error::x", "--", "--- x", "##vso[x]y", "https://me:Passw0rd@/"),
    ("schemes", "show", ESCAPE),
    ("schemes", "show", "::error::x", "##teamcity[x]"),
    *(("schemes", "template", "::notice::x.md", "--format", form) for form in ("text", "json")),
    *(("unpack", name, "--output", f"../parts{ESCAPE}") for name in (f"{ESCAPE}.mht", "damaged\x1b[1m.warc", NAMES[0])),
    ("links", *NAMES),
    ("links", f"--{ESCAPE}", "x"),
    ("unpack", "x.mht", f"{ESCAPE}\n::error::x", "--output", "y"),
    ("links", f"{ESCAPE}\n.html"),
    (ESCAPE,),
    (f"--{ESCAPE}##vso[x]https://me:Passw0rd@h.example",),
    ("links", "https://me:Passw0rd@h.example/", "##vso[x]y"),
    ("links", ".", "--spec", "https://me:Passw0rd@h.example/"),
    ("absolutize", ".", "--dry-run", "--url", f"https://me:{'x' * 190}Passw0rd@["),
    ("audit", ".", "--select", ESCAPE),
    ("audit", NAMES[0]),
    ("links", ".", "--url-map", NAMES[0]),
    ("absolutize", ".", "--dry-run", "--default-base", f"x{ESCAPE}"),
    ("absolutize", ".", "--dry-run", "--charset", ESCAPE),
]


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: " ".join(map(ascii, arguments))[:60])
@pytest.mark.usefixtures("folder")
def test_output_has_no_terminal_commands(arguments):
    result = run(*arguments)
    assert not isinstance(result.exception, Exception)
    out, err = seen(result.stdout_bytes), seen(result.stderr_bytes)
    assert_no_command(err)
    if "github" in arguments:
        assert all(
            re.match(r"::(error|warning|notice) file=[^:]*::|linkfix audit: ", line) for line in out.splitlines()
        )
    else:
        assert_no_command(out)


@pytest.mark.parametrize(
    "arguments",
    [arguments for arguments in COMMANDS if arguments[0] not in {"links", "base"}],
    ids=lambda arguments: " ".join(map(ascii, arguments))[:60],
)
def test_no_password_is_printed(folder, arguments):
    result = run(*arguments)
    assert "Passw0rd" not in result.output
    assert not [path for path in folder.parent.glob("parts*/manifest.csv") if "Passw0rd" in path.read_text("utf-8")]


@pytest.mark.usefixtures("folder")
def test_the_baseline_has_no_password():
    assert run("audit", ".", "--write-baseline", "known.json").exit_code == 0
    assert "Passw0rd" not in Path("known.json").read_text("utf-8")
    assert "hidden" in run("audit", ".", "--baseline", "known.json").output


@pytest.mark.usefixtures("folder")
def test_results_have_unchanged_urls():
    assert "https://me:Passw0rd@h.example/%5B" in run("links", ".").stdout
    assert run("resolve", "https://me:Passw0rd@h/", "x").stdout == "https://me:Passw0rd@h/x\n"


@pytest.mark.usefixtures("folder")
def test_csv_of_links_has_no_formula():
    rows = list(csv.reader(io.StringIO(run("links", ".", "--format", "csv").stdout)))
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "@"))]
    assert {unguard(row[5]) for row in rows} >= {"=cmd|' /C calc'!A0"}


def test_a_message_is_no_flood(folder):
    (folder / "long.html").write_bytes(b'<a href="http://[' + b"x" * 100_000 + b'">')
    result = run("absolutize", "long.html", "--url", "https://h/")
    assert "…" in result.stderr
    assert len(result.stderr) < 1000


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="terminals of Unix")
@pytest.mark.parametrize(
    "arguments",
    [
        ("audit", ".", "--format", "csv"),
        ("links", ".", "--format", "csv"),
        ("absolutize", ".", "--diff", "--root-url", "https://h.example/"),
        ("absolutize", ".", "--dry-run"),
        ("audit", ".", "--fix", "--diff"),
    ],
)
def test_a_terminal_gets_no_escape_sequence_of_a_document(folder, arguments):
    shown = terminal(*arguments, cwd=folder, NO_COLOR="1")
    own = re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", shown)  # the progress bar's escapes; ESCAPE has other forms
    seen(re.sub(r"[\t\r]", "", own).encode())
