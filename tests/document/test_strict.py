"""`strict=True`: the first problem of a document is an exception that names the argument to pass."""

from __future__ import annotations

import copy

import pytest
from support.each import for_each

import linkfix
from linkfix.model import PROBLEMS, REMEDIES, DocumentFields
from linkfix.runs import RunSettings

PAGE = b'<meta charset=utf-8><a href="../x">x</a><img src=y.png>'
URL = "https://h.example/d/p.html"

FUNCTIONS = {
    "absolutize": linkfix.absolutize,
    "links": linkfix.links,
    "rewrite": lambda html, url=None, **options: linkfix.rewrite(html, lambda link: link.target, url, **options),
}


@for_each(FUNCTIONS)
def test_without_a_base_the_first_problem_raises(name):
    with pytest.raises(linkfix.DocumentProblem) as raised:
        FUNCTIONS[name](PAGE, strict=True)
    assert str(raised.value) == (
        f"line 1, column 30: {PROBLEMS['no-base']}: ../x [no-base] (1 of 2 problems); pass url= or default_base="
    )
    assert [problem.code for problem in raised.value.problems] == ["no-base", "no-base"]


@for_each(FUNCTIONS)
def test_a_document_without_problems_has_the_same_result(name):
    function = FUNCTIONS[name]
    assert function(PAGE, URL, strict=True) == function(PAGE, URL)
    assert function(PAGE.decode(), default_base=URL, strict=True) == function(PAGE.decode(), default_base=URL)


@for_each(FUNCTIONS)
def test_nothing_raises_by_default(name):
    assert FUNCTIONS[name](PAGE) == FUNCTIONS[name](PAGE, strict=False)


def test_rewrite_asks_about_no_link_of_a_document_with_problems():
    asked = []
    with pytest.raises(linkfix.DocumentProblem):
        linkfix.rewrite(PAGE, asked.append, strict=True)
    assert asked == []


def test_a_problem_that_no_argument_solves_has_no_advice():
    with pytest.raises(linkfix.DocumentProblem, match=r"http://\[ \[unresolvable\]$"):
        linkfix.absolutize("<a href='http://['>", URL, strict=True)


@pytest.mark.parametrize("page", ["<base href=/x/><a href=y>", "<base href=x/>", "<base href=/x/><a href=https://h/>"])
def test_a_relative_base_needs_the_url(page):
    with pytest.raises(linkfix.DocumentProblem, match=r"\[base-unusable\].*; pass url= or default_base=$"):
        linkfix.absolutize(page, strict=True)
    for argument in ({"url": URL}, {"default_base": URL}):
        linkfix.absolutize(page, strict=True, **argument)


@pytest.mark.parametrize("url", [None, URL])
def test_no_argument_makes_a_data_url_a_base(url):
    with pytest.raises(linkfix.DocumentProblem, match=r"\[base-unusable\]$"):
        linkfix.absolutize("<base href='data:,x'>", url, strict=True)


@pytest.mark.parametrize(
    ("page", "code"),
    [
        (b"<a>" + b" " * 2000 + b"<meta charset=utf-8>", "charset-late"),
        (b"<meta charset=bogus>", "charset-unknown"),
    ],
)
def test_charset_solves_the_problems_of_declarations(page, code):
    with pytest.raises(linkfix.DocumentProblem, match=rf"\[{code}\]; pass charset=$"):
        linkfix.absolutize(page, strict=True)
    assert linkfix.absolutize(page, strict=True, charset="utf-8") == page


def test_the_error_can_be_copied_and_hides_passwords():
    with pytest.raises(linkfix.LinkfixError) as raised:
        linkfix.absolutize("<a href='http://me:secret@['>", URL, strict=True)
    same = copy.copy(raised.value)
    assert (str(same), same.problems) == (str(raised.value), raised.value.problems)
    assert "secret" not in str(same)


def test_a_long_reference_is_cut():
    with pytest.raises(linkfix.DocumentProblem) as raised:
        linkfix.absolutize(f"<a href='{'x' * 100_000}'>", strict=True)
    assert len(str(raised.value)) < 700


def test_strict_is_no_option_of_the_engine():
    assert "strict" not in {*linkfix.Options.__annotations__, *DocumentFields.__annotations__}


@for_each(REMEDIES)
def test_remedies_are_options_that_exist(code):
    assert code in PROBLEMS
    known = {"url", "root_url", *DocumentFields.__annotations__, *RunSettings.__annotations__}
    assert set(REMEDIES[code]) <= known
