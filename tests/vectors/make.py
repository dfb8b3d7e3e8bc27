"""Makes the tables in this folder from the published files.

    python tests/vectors/make.py [--sources ../shared] [--output tests/vectors]

A table is a file of JSON lines: comments (`# …`) with its source, revision, licence and columns, then one array a row.
README.md names the source of each table. tests/test_vectors.py tests that the tables equal this script's output.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from support.seeds import DOCUMENTS, paragraphs  # noqa: E402 - it is found now

SOURCES = HERE.parents[2] / "shared"

HTML5LIB = "https://github.com/html5lib/html5lib-tests, revision"
WPT = (
    "https://github.com/web-platform-tests/wpt, as copied into mozilla-esr140 at revision"
    " 7df86525c2c876c7c92320e49c3e0771f7a605c0"
)
MIT, BSD = "MIT, copyright 2006-2013 James Graham, Geoffrey Sneddon, and other contributors", "BSD-3-Clause"
IETF = "excerpts of RFCs under the IETF Trust's Legal Provisions, section 3.c; copyright IETF Trust and the authors"

Row = list[object]


class Table(NamedTuple):
    """A table of this folder: `NAME.jsonl`."""

    title: str
    source: str
    licence: str
    columns: tuple[str, ...]
    rows: list[Row]


# html5lib-tests


def encoding(sources: Path) -> Table:
    """The encoding of a document, from its bytes alone."""
    folder = sources / "conformance/encoding"
    rows: list[Row] = []
    for file in ("tests1.dat", "tests2.dat", "test-yahoo-jp.dat", "scripted/tests1.dat"):
        for test in (folder / file).read_bytes().split(b"#data\n")[1:]:
            data, label = test.split(b"\n#encoding\n")
            rows.append([file, data.decode("latin-1"), label.decode("ascii").strip()])
    rows.append(["chardet/test_big5.txt", (folder / "chardet/test_big5.txt").read_bytes().decode("latin-1"), "big5"])
    return Table(
        "The encoding of a document; the bytes of `data` are written as the code points of the same numbers.",
        f"{HTML5LIB} 224991ec10db04f056a89eed8b0bd8695fd2950e, encoding/",
        MIT,
        ("file", "data", "encoding"),
        rows,
    )


def _unescaped(value: object) -> object:
    """The value of a test that is "doubleEscaped"."""
    if isinstance(value, str):
        return json.loads('"{}"'.format(value.replace('"', '\\"'))) if "\\u" in value else value
    return [_unescaped(one) for one in value] if isinstance(value, list) else value


def tokenizer(sources: Path) -> Table:
    """The tags that a tokenizer finds."""
    rows: list[Row] = []
    for path in sorted((sources / "conformance/tokenizer").glob("*.test")):
        tests = json.loads(path.read_text("utf-8"))
        for test in tests.get("tests") or tests["xmlViolationTests"]:
            source, output = test["input"], test["output"]
            if test.get("doubleEscaped"):
                source, output = _unescaped(source), _unescaped(output)
            tags: list[Row] = [
                ["StartTag", token[1], token[2], len(token) > 3] if token[0] == "StartTag" else ["EndTag", token[1]]
                for token in output
                if token[0] in {"StartTag", "EndTag"}
            ]
            states = test.get("initialStates", ["Data state"])
            rows.append([path.name, states, test.get("lastStartTag"), source, tags])
    return Table(
        "The tags that a tokenizer finds in an input: StartTag, name, attributes, self-closing; or EndTag, name.",
        f"{HTML5LIB} 224991ec10db04f056a89eed8b0bd8695fd2950e, tokenizer/",
        MIT,
        ("file", "states", "last_start_tag", "input", "tags"),
        rows,
    )


_SECTION = re.compile(
    r"^#(data|errors|new-errors|document-fragment|script-on|script-off|document)\n(.*?)(?=^#[a-z-]+\n|\Z)",
    re.MULTILINE | re.DOTALL,
)
_ELEMENT = re.compile(r"\| ( *)<(?:(svg|math) )?([^ >!?][^>]*)>")
_ATTRIBUTE = re.compile(r'\| ( *)([^<"]+)="(.*)"')
_NAMESPACES = {None: "html", "svg": "svg", "math": "mathml"}


def _documents(path: Path) -> Iterator[tuple[str, str]]:
    """The data and the tree of each test that parses a document, with scripting off."""
    for block in re.split(r"(?m)^(?=#data\n)", path.read_text("utf-8")):
        sections = {name: text.removesuffix("\n") for name, text in _SECTION.findall(block)}
        if "data" in sections and not sections.keys() & {"document-fragment", "script-on"}:
            yield sections["data"], sections["document"]


def _attributes(dump: str) -> list[Row]:
    """(namespace, element, attribute, value) of a tree as html5lib's tests write it."""
    found: dict[tuple[str, str, str, str], None] = {}
    open_elements: dict[int, tuple[str, str]] = {}
    for line in dump.split("\n"):
        if element := _ELEMENT.fullmatch(line):
            open_elements[len(element[1])] = (_NAMESPACES[element[2]], element[3].lower())
        elif (attribute := _ATTRIBUTE.fullmatch(line)) and len(attribute[1]) - 2 in open_elements:
            name = attribute[2].replace(" ", ":").lower()
            found[*open_elements[len(attribute[1]) - 2], name, attribute[3]] = None
    return [list(one) for one in found]


def tree_construction(sources: Path) -> Table:
    """The attributes that are in a document's tree."""
    rows: list[Row] = []
    for path in sorted((sources / "conformance/tree-construction").glob("*.dat")):
        rows += [[path.name, data, _attributes(tree)] for data, tree in _documents(path)]
    return Table(
        "The attributes of a document's tree, scripting off: namespace, element, attribute, value, each once.",
        f"{HTML5LIB} 9329e64694e7835d0dcff9811e22856ef6ad16f9, tree-construction/",
        MIT,
        ("file", "data", "attributes"),
        rows,
    )


# web-platform-tests


def srcset(sources: Path) -> Table:
    """The image candidate that a browser selects."""
    tests = json.loads((sources / "vectors/srcset-parse.json").read_text("utf-8"))["tests"]
    return Table(
        "The URL of the image candidate that a browser selects from a srcset attribute; empty for none.",
        f"{WPT}, html/semantics/embedded-content/the-img-element/srcset/parse-a-srcset-attribute.html",
        BSD,
        ("input", "expected"),
        [[test["input"], test["expected"]] for test in tests],
    )


def refresh(sources: Path) -> Table:
    """The time and the URL of a refresh."""
    tests = json.loads((sources / "vectors/meta-refresh-parse.json").read_text("utf-8"))["tests"]
    return Table(
        "The time and URL of a refresh; empty for none. The URL __filename__ is that of the document itself.",
        f"{WPT}, html/semantics/document-metadata/the-meta-element/pragma-directives/attr-meta-http-equiv-refresh/"
        "parsing.html",
        BSD,
        ("input", "expected"),
        [[test["input"], test["expected"]] for test in tests],
    )


def percent_encoding(sources: Path) -> Table:
    """The percent-encoding of a query, by encoding."""
    rows = json.loads((sources / "vectors/percent-encoding.json").read_text("utf-8"))
    return Table(
        "The percent-encoding of texts in a URL's query, by the document's encoding.",
        "https://github.com/web-platform-tests/wpt, url/resources/percent-encoding.json, copied in November 2026",
        BSD,
        ("input", "encoding", "output"),
        [
            [row["input"], label, output]
            for row in rows
            if isinstance(row, dict)
            for label, output in row["output"].items()
        ],
    )


def url_attributes(sources: Path) -> Table:
    """The attributes that the IDL reflects as URLs."""
    elements = json.loads((sources / "vectors/url-attributes-reflection.json").read_text("utf-8"))["elements"]
    return Table(
        "The content attributes whose IDL attribute reflects a URL.",
        f"{WPT}, html/dom/elements-*.js",
        BSD,
        ("element", "attribute"),
        [[element, one["content_attr"]] for element, reflected in elements.items() for one in reflected],
    )


def _cases(file: str, test: dict[str, object], above: dict[str, object], path: tuple[str, ...]) -> Iterator[Row]:
    """The cases of a test of import maps, and of those in it, which inherit its members."""
    known = above | {name: value for name, value in test.items() if name != "tests"}
    inner = test.get("tests")
    if isinstance(inner, dict):
        for name, one in inner.items():
            yield from _cases(file, one, known, (*path, name))
        return
    import_map = known["importMap"]
    text = import_map if isinstance(import_map, str) else json.dumps(import_map, ensure_ascii=False)
    for name, what in (("expectedParsedImportMap", "parsed"), ("expectedResults", "resolved")):
        if name in known:
            base = known.get("baseURL") if what == "resolved" else None
            yield [file, " / ".join(path), text, known["importMapBaseURL"], what, base, known[name]]


def import_maps(sources: Path) -> Table:
    """Parsed import maps, and the URLs of module specifiers."""
    rows: list[Row] = []
    for path in sorted((sources / "vectors/import-maps").glob("*.json")):
        rows += _cases(path.name, json.loads(path.read_text("utf-8")), {}, ())
    return Table(
        "Import maps: parsed, or null for one with an error; or what specifiers resolve to for a script's base URL,"
        " null for an error.",
        "https://github.com/web-platform-tests/wpt, import-maps/data-driven/resources, as copied in 2022 by"
        " https://github.com/takker99/importmap",
        BSD,
        ("file", "test", "import_map", "map_base", "what", "script_base", "expected"),
        rows,
    )


# The IETF and IANA


def resolution(sources: Path) -> Table:
    """The tables of examples that the texts about relative references have."""
    tests = json.loads((sources / "vectors/resolution-tables.json").read_text("utf-8"))
    columns = ("base", "ref", "expected", "alternative", "also")
    specs = {"RFC 1808": "rfc1808", "RFC 2396": "rfc2396", "RFC 3986": "rfc3986"}
    return Table(
        "Examples of resolution. `alternative`: what the loophole for the base's scheme gives; `also`: what"
        " the text says that some implementations make of it.",
        "RFC 1808 section 5, RFC 2396 appendix C, RFC 3986 section 5.4; fielding1994: Roy Fielding's proposal of"
        " 27 July 1994 for an appendix B of the URL draft, examples",
        "facts; RFCs are at https://www.rfc-editor.org/",
        ("spec", "section", "base", "reference", "expected", "alternative", "also"),
        [
            [specs.get(test["spec"], "fielding1994"), test["section"], *(test.get(name) for name in columns)]
            for test in tests
        ],
    )


def uri_schemes(sources: Path) -> Table:
    """IANA's registry of URI schemes."""
    with (sources / "iana/iana-uri-schemes-2024-04.csv").open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    return Table(
        "IANA's registry of URI schemes, with the columns of its file uri-schemes-1.csv.",
        "https://www.iana.org/assignments/uri-schemes/, April 2024",
        "CC0-1.0, https://www.iana.org/help/licensing-terms",
        tuple(head),
        [list(row) for row in rows],
    )


def templates(sources: Path) -> Table:
    """Registration templates of URI schemes."""
    folder = sources / "iana/templates"
    index = json.loads((folder / "INDEX.json").read_text("utf-8"))
    return Table(
        "Registration templates of URI schemes, and the two forms, as their RFCs print them without page breaks.",
        "https://www.rfc-editor.org/, the RFC and the lines that each row names",
        IETF,
        ("file", "rfc", "lines", "form", "text"),
        [
            [row["file"], row["rfc"], row["lines"], row.get("form"), (folder / row["file"]).read_text("ascii")]
            for row in sorted(index, key=lambda row: str(row["file"]))
        ],
    )


def mime(sources: Path) -> Table:
    """MIME messages made of HTML and its resources."""
    folder = sources / "mime"
    return Table(
        "Messages with HTML in them. Those of the RFCs are without indentation and page breaks.",
        "RFC 2110 section 9 and RFC 2557 section 9, by section; chromium/: https://chromium.googlesource.com/,"
        " third_party/blink/web_tests/mhtml/",
        f"{IETF}; chromium/: BSD-3-Clause, copyright The Chromium Authors",
        ("name", "message"),
        [
            [path.relative_to(folder).as_posix().removesuffix(".mht"), path.read_bytes().decode("latin-1")]
            for path in sorted(folder.rglob("*.mht"))
        ],
    )


def appendix_e(sources: Path) -> Table:
    """The paragraph of RFC 2396 with delimited references in it."""
    text = (sources / "seeds/003_dce64beaf347fbf3.txt").read_text("utf-8")
    start = text.index("Yes, Jim")
    return Table(
        "A paragraph with references in it, and the references.",
        "RFC 2396 appendix E",
        IETF,
        ("text", "references"),
        [
            [
                text[start : text.index("contains the URI references", start)],
                [
                    "http://www.w3.org/Addressing/",
                    "ftp://ds.internic.net/rfc/",
                    "http://www.ics.uci.edu/pub/ietf/uri/historical.html#WARNING",
                ],
            ]
        ],
    )


def seed_paragraphs(sources: Path) -> Table:
    """The number of paragraphs per section, for the documents whose clauses docs/seeds.md lists."""
    return Table(
        "Sections of the four texts that linkfix implements, and how many paragraphs tests/support/seeds.py finds"
        " in them.",
        "Fielding's message to uri@bunyip.com of 27 July 1994; RFC 1808, RFC 2396 and RFC 4395, as in ../shared/seeds",
        "facts; RFCs are at https://www.rfc-editor.org/",
        ("document", "section", "paragraphs"),
        [
            [document, section, len(found)]
            for document in DOCUMENTS
            for section, found in paragraphs(document, sources / "seeds").items()
        ],
    )


# Savers


def savers(sources: Path) -> Table:
    """The text files of trees that savers wrote."""
    folder = sources / "savers/samples"
    suffixes = {".png", ".gif", ".gz"}
    return Table(
        "A small site made for this, `site-original`, and how savers wrote it: the files that are text. The bytes of"
        " `data` are written as the code points of the same numbers.",
        "GNU Wget 1.21.3 and HTTrack 3.49-4, November 2026",
        "MIT, as the project",
        ("path", "data"),
        [
            [path.relative_to(folder).as_posix(), path.read_bytes().decode("latin-1")]
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.suffix not in suffixes
        ],
    )


#: The name of a table -> the function that makes it.
TABLES = {
    "encoding": encoding,
    "tokenizer": tokenizer,
    "tree-construction": tree_construction,
    "srcset": srcset,
    "refresh": refresh,
    "percent-encoding": percent_encoding,
    "url-attributes": url_attributes,
    "import-maps": import_maps,
    "resolution": resolution,
    "uri-schemes": uri_schemes,
    "templates": templates,
    "mime": mime,
    "appendix-e": appendix_e,
    "seed-paragraphs": seed_paragraphs,
    "savers": savers,
}


def written(table: Table) -> str:
    """The text of a table's file."""
    head = {
        "": table.title,
        "source: ": table.source,
        "licence: ": table.licence,
        "columns: ": ", ".join(table.columns),
    }
    lines = [f"# {name}{value}" for name, value in head.items()]
    lines += [json.dumps(row, separators=(",", ":")) for row in table.rows]
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> None:
    """Write every table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sources", type=Path, default=SOURCES, help="the published files")
    parser.add_argument("--output", type=Path, default=HERE, help="the folder of the tables")
    given = parser.parse_args(arguments)
    for name, make in TABLES.items():
        text = written(make(given.sources))
        (given.output / f"{name}.jsonl").write_text(text, encoding="ascii", newline="\n")
        sys.stdout.write(f"{name}.jsonl: {len(text):,} characters\n")


if __name__ == "__main__":
    main()
