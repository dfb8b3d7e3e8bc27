"""Records `heading-ids.jsonl`: the IDs that Pandoc gives headings, with github-slugger's published IDs of GitHub.

    python tests/vectors/record_headings.py [--output tests/vectors]

It runs the installed Pandoc. The rows of a scheme are the headings of one page, in order.
"""

from __future__ import annotations

import argparse
import html
import json
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TITLE = "# The IDs of headings: rows of a scheme are the headings of one page. GitHub's have texts, Pandoc's Markdown."
SLUGGER = "https://github.com/Flet/github-slugger 285fe87, test/fixtures.json (ISC), the text and ID of 43 rows"

#: Headings and IDs from github-slugger's fixtures, observed on GitHub.
GITHUB = [
    ("alpha", "alpha"),
    ("alpha", "alpha-1"),
    ("bravoCharlieDelta", "bravocharliedelta"),
    ("__proto__", "__proto__"),
    ("__proto__", "__proto__-1"),
    ("hasOwnProperty", "hasownproperty"),
    ("echo", "echo"),
    ("echo", "echo-1"),
    ("echo 1", "echo-1-1"),
    ("echo-1", "echo-1-2"),
    ("echo", "echo-2"),
    ("foxtrot-1", "foxtrot-1"),
    ("foxtrot", "foxtrot"),
    ("foxtrot", "foxtrot-2"),
    ("heading with a - dash", "heading-with-a---dash"),
    ("heading with an _ underscore", "heading-with-an-_-underscore"),
    ("heading with a period.txt", "heading-with-a-periodtxt"),
    (
        "exchange.bind_headers(exchange, routing [, bindCallback])",
        "exchangebind_headersexchange-routing--bindcallback",
    ),
    (" ", "-"),
    (" a", "-a"),
    ("a ", "a-"),
    (" a ", "-a-"),
    ("-a-", "-a--1"),
    ("apostrophe\u2019s should be trimmed", "apostrophes-should-be-trimmed"),
    ("golf", "golf"),
    ("golf", "golf-1"),
    ("golf", "golf-2"),
    ("I \u2665 unicode", "i--unicode"),
    ("dash-dash", "dash-dash"),
    ("en\u2013dash", "endash"),
    ("em\u2013dash", "emdash"),
    ("\U0001f604 unicode emoji", "-unicode-emoji"),
    ("\U0001f604-\U0001f604 unicode emoji", "--unicode-emoji"),
    ("\U0001f604_\U0001f604 unicode emoji", "_-unicode-emoji"),
    ("\U0001f604 - an emoji", "---an-emoji"),
    (":smile: - a gemoji", "smile---a-gemoji"),
    ("\u041f\u0440\u0438\u0432\u0435\u0442", "\u043f\u0440\u0438\u0432\u0435\u0442"),
    (
        "\u041f\u0440\u0438\u0432\u0435\u0442 non-latin \u4f60\u597d",
        "\u043f\u0440\u0438\u0432\u0435\u0442-non-latin-\u4f60\u597d",
    ),
    (":ok: No underscore", "ok-no-underscore"),
    (":ok_hand: Single", "ok_hand-single"),
    (":ok_hand::hatched_chick: Two in a row with no spaces", "ok_handhatched_chick-two-in-a-row-with-no-spaces"),
    ("a\u0489 \u20dd \u20e3 \ua672b", "a\u0489-\u20dd-\u20e3-\ua672b"),
    ("a_ \u203f \u2040 \uff3fb", "a_-\u203f-\u2040-\uff3fb"),
]

#: The Markdown of headings that Pandoc is given.
PANDOC = [
    "Heading identifiers in HTML",
    "Ma\u00eetre d'h\u00f4tel",
    "*Dogs*?--in *my* house?",
    "[HTML], [S5], or [RTF]?",
    "3. Applications",
    "33",
    "34",
    "Applications",
    "Applications",
    "applications-1",
    "`code_x.y` and -- dash ... it's",
    "`--flag` and `a...b`",
    "![alt text](x.png) image",
    "\u4f60\u597d world",
    "A_b-c.d  e",
    "Foo {#bar}",
    "Bar {#baz .cls}",
    "Numbers {.unnumbered #late key=value}",
    "No {braces here}",
    "Emoji :tada: x",
    "<b>raw</b> html",
    "a&amp;b &copy; c",
    "[link](x) *em* **strong**",
    "-dash first",
    "_under_ first",
    "It\u2019s \u201cq\u201d \u2013 x",
    "a - b -- c --- d",
    "\u00dcn\u00efcode",
    "a/b\\_c \\* d",
    "\u0928\u092e\u0938\u094d\u0924\u0947",
    "-",
    "bar",
    "x+y=z",
    "<https://example.com/a>",
    "dots.and.more...",
]


def pandoc_ids(headings: list[str]) -> list[str]:
    """Return the IDs that Pandoc gives headings of one page."""
    text = "".join(f"# {heading}\n\n" for heading in headings)
    command = ["pandoc", "--from", "markdown", "--to", "html", "--wrap", "none"]
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=True)
    tags = re.findall(r"<h1[^>]*>", done.stdout.decode())
    return [html.unescape(re.search(r'\bid="([^"]*)"', tag)[1]) for tag in tags]  # type: ignore[index]


def main(arguments: list[str]) -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=HERE, help="folder to write to (default: this one)")
    output: Path = parser.parse_args(arguments).output
    version = subprocess.run(["pandoc", "--version"], capture_output=True, text=True, check=True)  # noqa: S607
    ids = pandoc_ids(PANDOC)
    lines = [
        TITLE,
        f"# source: {version.stdout.splitlines()[0]}, by tests/vectors/record_headings.py; {SLUGGER}",
        "# licence: facts",
        "# columns: scheme, heading, ID",
        *(json.dumps(["github", *row]) for row in GITHUB),
        *(json.dumps(["pandoc", *row]) for row in zip(PANDOC, ids, strict=True)),
    ]
    (output / "heading-ids.jsonl").write_text("\n".join(lines) + "\n", "ascii")


if __name__ == "__main__":
    main(sys.argv[1:])
