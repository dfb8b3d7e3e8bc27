"""linkfix has the absolute URLs that browsers have, and the page on the comparison says what the benchmark prints."""

from __future__ import annotations

import re
import runpy

import pytest
from support.absolute_urls import UrlCase, read_cases
from support.each import for_each
from support.paths import CHECKOUT

import linkfix

BROWSERS, CASES = read_cases()
COUNTED = [case for case in CASES if case.expected is not None]
PAGE = (CHECKOUT / "docs" / "comparison.md").read_text("utf-8")

#: Cases that linkfix has otherwise than browsers. An equal result fails too.
KNOWN = {
    "elements/applet": "HTML 4.01 has applet; browsers have dropped it",
    "srcset/invalid-descriptor": "it rewrites candidates that browsers drop; the audit reports them (LF501)",
}


@pytest.fixture
def bench():
    return runpy.run_path(str(CHECKOUT / "bench" / "right.py"))


def urls(case: UrlCase, data: bytes, url: str) -> dict[str, list[str]]:
    """The URLs at the places that a case asks about."""
    found: dict[str, list[str]] = {place: [] for place in case.places}
    for link in linkfix.links(data, url=url, media_type=case.media_type, charset=case.charset):
        place = f"{link.element}[{link.attribute}]" if link.attribute else link.element
        if place in found and link.target is not None:
            found[place].append(link.target)
    return found


@for_each(COUNTED, label=lambda case: case.name)
def test_a_document_has_the_links_that_it_has_in_browsers(case):
    assert (urls(case, case.data, case.url) == case.expected) is (case.name not in KNOWN)


@for_each(COUNTED, label=lambda case: case.name)
def test_a_converted_document_has_them_anywhere(case):
    options = {"url": case.url, "media_type": case.media_type, "charset": case.charset}
    converted = linkfix.absolutize(case.data, fragments="absolutize", **options)
    assert urls(case, converted, "http://unrelated.test/x/y") == urls(case, case.data, case.url)


@for_each(CASES, label=lambda case: case.name)
def test_a_case_has_answers_to_all_that_it_asks(case):
    by = [name for names, _ in case.answers for name in names]
    if case.by_browsers:
        assert sorted(by) == sorted(BROWSERS)
    else:
        assert len(by) == 1
        assert re.search(r"RFC \d+, section|XML Base, section", by[0])
    assert all(list(answer) == case.places for _, answer in case.answers)


def test_names_of_cases_are_unique_and_their_kinds_have_columns(bench):
    names = [case.name for case in CASES]
    assert len(set(names)) == len(names)
    assert {case.kind for case in CASES} == set(bench["KINDS"])


def test_the_page_has_the_row_of_linkfix_and_the_benchmarks_head(bench, capsys):
    for name in set(bench["TOOLS"]) - {"linkfix"}:
        del bench["TOOLS"][name]
    bench["main"]([])
    head, line, browsers, own, *_ = capsys.readouterr().out.splitlines()
    assert f"{head}\n{line}\n{browsers}\n{own}\n" in PAGE


def test_the_page_has_a_row_for_each_tool_and_names_the_cases_that_do_not_count(bench):
    rows = re.findall(r"^\| ([^|]+?) \|.* of \d+ \|$", PAGE, re.MULTILINE)
    assert rows == ["browsers", *bench["TOOLS"]]
    named = re.search(r"^Browsers disagree on (.*?)\.$", PAGE, re.MULTILINE | re.DOTALL)
    assert re.findall(r"`([a-z]+/[a-z0-9-]+)`", named[1]) == [case.name for case in CASES if case.expected is None]
    assert set(re.findall(r"`([a-z]+/[a-z0-9-]+)`", PAGE.replace(named[0], ""))) == set(KNOWN)


def test_the_page_has_the_number_of_documents_and_the_versions_of_browsers():
    numbers = {name: version.partition("/")[2].split(".") for name, version in BROWSERS.items()}
    chromium, firefox, (webkit, minor, *_) = numbers["chromium"], numbers["firefox"], numbers["webkit"]
    assert f"The input is {len(CASES)} short documents" in PAGE
    assert f"Chromium {chromium[0]}, Firefox {firefox[0]} and WebKitGTK {webkit}.{minor} read" in PAGE


def test_a_tool_that_is_not_installed_is_named_and_left_out(bench, capsys):
    tool = bench["TOOLS"]["lxml"]
    bench["TOOLS"].clear()
    bench["TOOLS"]["other"] = tool._replace(packages=("linkfix-no-such-package",))
    bench["main"]([])
    lines = capsys.readouterr().out.splitlines()
    assert "left out, not installed: other" in lines
    assert len(lines) == 7


class TestIsRight:
    """A benchmark's judgement."""

    @pytest.fixture
    def judge(self, bench):
        case = next(case for case in bench["cases"]() if case.name == "url/spaces")
        return lambda *found: bench["is_right"](case, found)

    def test_a_url_counts_as_a_browser_reads_it_in_any_order(self, judge):
        one, other = ("a[href]", "http://site.example/dir/a b"), ("a[href]", "HTTP://site.example:80/dir/./c")
        assert judge(one, other)
        assert judge(other, one)

    def test_missing_and_further_urls_are_wrong(self, judge):
        one, other = ("a[href]", "http://site.example/dir/a%20b"), ("a[href]", "http://site.example/dir/c")
        assert judge(one, other)
        assert not judge(one)
        assert not judge(one, other, other)
        assert not judge(one, ("a[href]", "http://site.example/c"))

    def test_other_places_and_references_without_a_url_do_not_count(self, judge):
        one, other = ("a[href]", "http://site.example/dir/a%20b"), ("a[href]", "http://site.example/dir/c")
        assert judge(one, other, ("base[href]", "http://site.example/"), ("a[href]", "http://["))
