from __future__ import annotations

import base64
import hashlib
import io
import json
import re
from collections import Counter
from importlib.resources import files

import html5lib
import pytest
from support.samples import AUDITS, HOSTILE, MADE_UP, assemble, finding, many

from linkfix.auditing import Coverage, Folder
from linkfix.auditing.reporters.html import _mark, write
from linkfix.display import visible

XHTML = "{http://www.w3.org/1999/xhtml}"
ASSETS = files("linkfix.auditing.reporters") / "assets"
STYLE = (ASSETS / "report.css").read_text("ascii")
SCRIPT = (ASSETS / "tree.js").read_text("ascii") + (ASSETS / "report.js").read_text("ascii")

ONE = Coverage(files=1, pages=1, bytes=1, links=1, checked=1)
SHARP = ("</script><script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "<!--<script>", "javascript:alert(1)")


def report(audit):
    out = io.StringIO()
    write(audit, out)
    return out.getvalue()


def parsed(audit):
    return html5lib.parse(report(audit))


def one(tree, path):
    (element,) = tree.iterfind(re.sub(r"/(?=\w)", f"/{XHTML}", path))
    return element


def data_of(audit):
    return json.loads(one(parsed(audit), ".//script[@id='data']").text)


def said(element):
    return " ".join("".join(element.itertext()).split())


def filled(text):
    """An audit with `text` wherever documents and names can put text, or with `x` for a shape to compare with."""
    return assemble(
        finding("LF101", text, 1, 2, text, message=text, target=text, excerpt=text, element=text, cause=text),
        root=text,
        base_source=text,
        folders={text.replace("/", ""): Folder(1, 1, Counter(error=1))},
        coverage=Coverage(1, 1, 1, 1, 1, Counter({text: 1}), {text: text}),
        hidden=Counter({text: 1}),
    )


def shape(tree):
    return [(element.tag, sorted(element.keys())) for element in tree.iter()]


@pytest.mark.parametrize("name", AUDITS)
def test_the_page_is_ascii_and_the_same_every_time(name):
    page = report(AUDITS[name])
    assert page.isascii()
    assert page.startswith("<!DOCTYPE html>")
    assert page == report(AUDITS[name])
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", page)


def test_the_policy_allows_only_this_style_and_this_script():
    tree = parsed(AUDITS["ordinary"])
    style = one(tree, ".//style").text
    behaviour = [script for script in tree.iterfind(f".//{XHTML}script") if script.get("type") is None]
    assert len(behaviour) == 1
    hashes = [
        f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
        for text in (style, behaviour[0].text)
    ]
    policy = one(tree, ".//meta[@http-equiv='Content-Security-Policy']").get("content")
    assert policy.split("; ") == [
        "default-src 'none'",
        f"style-src {hashes[0]}",
        f"script-src {hashes[1]}",
        "base-uri 'none'",
        "form-action 'none'",
    ]


@pytest.mark.parametrize("name", AUDITS)
def test_nothing_in_the_page_loads_or_acts(name):
    for element in parsed(AUDITS[name]).iter():
        assert element.tag.removeprefix(XHTML) not in {"link", "img", "iframe", "object", "embed", "base"}
        for attribute, value in element.items():
            assert attribute not in {"src", "srcset", "style", "action", "ping"}
            assert not attribute.startswith("on")
            assert attribute != "href" or value.startswith("#")


def test_the_script_makes_no_markup_of_text():
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|new Function|srcdoc", SCRIPT)
    assert not re.search(r"url\(|@import", STYLE)


@pytest.mark.parametrize("text", [*HOSTILE, *SHARP])
def test_text_never_becomes_markup(text):
    assert shape(parsed(filled(text))) == shape(parsed(filled("x")))


@pytest.mark.parametrize("text", [*HOSTILE, *SHARP])
def test_text_arrives_made_visible(text):
    tree = parsed(filled(text))
    data = json.loads(one(tree, ".//script[@id='data']").text)
    assert visible(text) in data["strings"]
    assert [visible(one) for one in data["strings"]] == data["strings"]
    assert "".join(one(tree, ".//h1/span").itertext()) == visible(text)


def test_the_data_hold_every_finding_cause_and_folder():
    audit = AUDITS["ordinary"]
    data = data_of(audit)
    strings = data["strings"]
    assert [(strings[row[3]], row[4], row[5], strings[row[7]]) for row in data["findings"]] == [
        (found.path, found.line if found.end else 0, found.column, found.reference) for found in audit.findings
    ]
    assert [(strings[code], tuple(members)) for code, _, _, members in data["causes"]] == [
        (cause.code, cause.findings) for cause in audit.causes
    ]
    assert {strings[name]: tuple(counts) for name, *counts in data["folders"]} == {
        name: (folder.pages, folder.links, *(folder.findings[level] for level in data["levels"]))
        for name, folder in audit.folders.items()
        if folder.pages or folder.findings
    }
    assert len(set(strings)) == len(strings)


@pytest.mark.parametrize(
    ("reference", "column", "excerpt", "expected"),
    [
        ("x.html", 10, '<a href="x.html">', ('<a href="', "x.html", '">')),
        ("x", 10, '<x> <a b="x">x', ('<x> <a b="', "x", '">x')),
        ("x", 1, "x x", ("", "x", " x")),
        ("a&b", 7, "\t <a b=a&amp;b>", ("<a b=", "a&amp;b", ">")),
        ('a"b', 1, "a&quot;b", ("", "a&quot;b", "")),
        ("gone", 3, "\ta  ", ("a", "", "")),
        ("", 1, "a", ("a", "", "")),
        ("x", 9000, "\u2026 x \u2026", ("\u2026 ", "x", " \u2026")),
    ],
)
def test_the_reference_is_marked_in_its_line(reference, column, excerpt, expected):
    assert _mark(finding("LF101", "a", 1, column, reference, excerpt=excerpt)) == expected


@pytest.mark.parametrize(
    ("name", "state", "words"),
    [
        ("clean", "good", "No findings"),
        ("empty", "error", "NOTHING WAS CHECKED"),
        ("nothing", "error", "NOTHING WAS CHECKED"),
        ("ordinary", "error", "11 errors"),
    ],
)
def test_the_verdict(name, state, words):
    verdict = one(parsed(AUDITS[name]), ".//p[@id='verdict']")
    assert verdict.get("class") == f"verdict {state}"
    assert words in said(verdict)


@pytest.mark.parametrize(
    "audit",
    [
        assemble(finding("LF102", "a.html", 1, 1, "x")),
        assemble(coverage=Coverage(2, 1, 1, 1, 1, unread={"b.html": "not text"})),
    ],
)
def test_less_than_an_error_is_no_good_news_either(audit):
    assert one(parsed(audit), ".//p[@id='verdict']").get("class") == "verdict warning"


def test_the_title_states_the_result():
    assert one(parsed(AUDITS["ordinary"]), ".//title").text == "11 errors \u2013 site"
    assert one(parsed(AUDITS["empty"]), ".//title").text == "Nothing was checked \u2013 site"


def test_a_made_up_url_is_never_shown():
    page = report(AUDITS["unserved"])
    assert MADE_UP not in page
    assert "tree.invalid" not in page
    assert {"a/c d.html#top", "/x.html", "http://other.example/"} <= set(data_of(AUDITS["unserved"])["strings"])
    assert "is not known" in said(one(parsed(AUDITS["unserved"]), ".//p[@class='base']"))


def test_a_known_url_is_shown_with_its_source():
    assert said(one(parsed(AUDITS["clean"]), ".//p[@class='base']")) == (
        "Served at https://example.com/docs/ (--root-url)"
    )


def test_the_causes_come_first_and_then_the_map():
    headings = [said(heading) for heading in parsed(AUDITS["ordinary"]).iter(f"{XHTML}h2")]
    assert headings == ["Findings by cause", "The site", "Totals", "Coverage", "Rules"]


def test_folders_without_a_page_are_not_in_the_map():
    audit = assemble(
        folders={"": Folder(1, 1), "img": Folder(), "img/x": Folder(), "gone": Folder(0, 0, Counter(error=1))}
    )
    data = data_of(audit)
    assert [data["strings"][name] for name, *_ in data["folders"]] == ["", "gone"]
    assert "img" not in said(one(parsed(audit), ".//section[@id='tree']"))


def test_without_scripts_there_are_totals_causes_findings_and_coverage():
    tree = parsed(AUDITS["ordinary"])
    totals = {said(row[0]): said(row[1]) for row in one(tree, ".//dl[@class='totals']")}
    assert totals == {
        "errors": "11",
        "warnings": "2",
        "notes": "2",
        "causes": "7",
        "files with findings": "11",
        "pages checked": "12",
        "other files checked": "0",
        "references": "130",
        "references checked": "117",
    }
    rows = [[said(cell) for cell in row] for row in tree.iter(f"{XHTML}tr")]
    assert ["no such file in the tree: img/logo.png", "error", "LF101 missing-target", "8", "8"] in rows
    assert ["index.html:12:1", "error", "LF101", "no such file in the tree", '<a href="old/">'] in rows
    assert ["guide/", "8", "80", "8", "0", "0"] in rows
    assert ["bad.html", "not text"] in rows
    assert ["outside the tree", "10"] in rows
    assert ["baseline", "4"] in rows
    assert "117 (90.0%) were checked" in said(tree)


def test_without_scripts_only_the_first_are_written_out():
    audit = assemble(*(finding("LF101", "a.html", line, 1, f"x{line}") for line in range(1, 151)))
    static = one(parsed(audit), ".//div[@id='static']")
    rows = {table[0].text: len(list(table[2])) for table in static.iter(f"{XHTML}table")}
    assert rows == {
        "The first 100 of 150 causes, worst first": 100,
        "The first 100 of 150 findings, by place; enable scripts to search all of them": 100,
    }


def test_files_that_could_not_be_read_are_named_up_to_a_limit():
    audit = assemble(coverage=Coverage(2000, 1, 1, 1, 1, unread={f"{one:04}.html": "not text" for one in range(1500)}))
    page = report(audit)
    assert "1,500 files could not be read, the first 1,000" in page
    assert "0999.html" in page
    assert "1000.html" not in page


def test_a_rule_can_be_linked_to_and_has_its_help():
    tree = parsed(AUDITS["ordinary"])
    rule = one(tree, ".//details[@id='rule-LF101']")
    assert "LF101 missing-target 9 findings" not in said(rule)
    assert "LF101 missing-target 11 findings" in said(rule)
    assert '\n    <img src="img/Logo.png">' in "".join(rule.itertext())


def test_texts_of_any_length_are_shown_in_part():
    long = "x" * 100_000
    audit = assemble(finding("LF101", "a.html", 1, 1, long, message=long, excerpt="x", cause=""))
    assert len(report(audit)) < len(report(AUDITS["ordinary"]))


@pytest.mark.growth
def test_the_file_grows_with_the_number_of_different_findings():
    assert len(report(many(10_000))) < 2_000_000


def luminance(colour):
    """The relative luminance of WCAG 2.2."""
    digits = colour.removeprefix("#")
    channels = [
        int(digits[at : at + len(digits) // 3] * (6 // len(digits)), 16) / 255
        for at in range(0, len(digits), len(digits) // 3)
    ]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def schemes():
    light, dark = (
        dict(re.findall(r"--([\w-]+): (#\w+);", block))
        for block in re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)[:2]
    )
    assert light.keys() == dark.keys()
    return {"light": light, "dark": dark}


TEXTS = ["ink", "quiet", "error", "warning", "note", "good"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_the_contrast_of_wcag_aa(scheme):
    colours = schemes()[scheme]
    pairs = [(text, ground) for text in TEXTS for ground in ("paper", "raised")]
    pairs += [(f"on-{share}", f"share-{share}") for share in range(6)] + [("mark-ink", "mark")]
    low = {pair: contrast(colours[pair[0]], colours[pair[1]]) for pair in pairs}
    assert {pair: ratio for pair, ratio in low.items() if ratio < 4.5} == {}
    edges = [("focus", "paper"), ("control", "paper"), ("control", "raised")]
    assert all(contrast(colours[one], colours[other]) >= 3 for one, other in edges)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_shares_differ_in_lightness_and_not_only_in_hue(scheme):
    colours = schemes()[scheme]
    steps = [luminance(colours[f"share-{share}"]) for share in range(1, 6)]
    assert steps == sorted(steps, reverse=scheme == "light")
    assert all(contrast(colours[f"share-{one}"], colours[f"share-{one + 1}"]) >= 1.4 for one in range(1, 5))
