from __future__ import annotations

import html
import json
import pickle
from functools import partial

import ada_url
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.growth import assert_linear
from support.passwords import SECRET, generated
from support.running import run

import linkfix
from linkfix import InvalidOption, LinkfixError, Problem
from linkfix.urls import excerpt, hide_passwords, password_spans, without_credentials

FORMS = generated(10_000)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://me:secret@h/x", "https://me:…@h/x"),
        ("see 'ftp://me@h/' and 'WSS:\\\\me:a@b@h\\x'", "see 'ftp://me@h/' and 'WSS:\\\\me:…@h\\x'"),
        ('<a href="//:secret@h/">', '<a href="//:…@h/">'),
        ("https:me:secret@h/", "https:me:…@h/"),
        ("http:/me:secret@h/", "http:/me:…@h/"),
        ("https:///me:secret@h/", "https:///me:…@h/"),
        ("https://me:se\ncr\tet@h/", "https://me:…@h/"),
        ("https://h/@x https://h?a@b https://h#a@b", "https://h/@x https://h?a@b https://h#a@b"),
        ("mailto:me@example.com", "mailto:me@example.com"),
        ("http://h a@b.c", "http://h a@b.c"),
        ("dir//img@2x.png", "dir//img@2x.png"),
        ("https://h/ :@", "https://h/ :@"),
        ("https://me@corp.example:secret@h/", "https://me@corp.example:…@h/"),
        ("https://me:s\"e'c <r>@h/", "https://me:…@h/"),
        ("https:/\t/me:secret@h/", "https:/\t/me:…@h/"),
        ("ht\ntps:\n/\r\n/me:secret@h/", "ht\ntps:\n/\r\n/me:…@h/"),
        ("git+ssh://me:sec\\ret@h/", "git+ssh://me:…@h/"),
        ("https://h:80\\g@b", "https://h:80\\g@b"),
        ("http:/me:a@h and http:/me:b@h", "http:/me:…@h and http:/me:…@h"),
        ("https://web.example/2020/https://me:secret@h/", "https://web.example/2020/https://me:…@h/"),
    ],
)
def test_hide_passwords(text, expected):
    assert hide_passwords(text) == expected
    assert hide_passwords(expected) == expected


@given(st.text(alphabet="ab:/\\@?#. \"'\n"), st.sampled_from(["https", "HTTP", "ftp", "x-y"]))
def test_no_password_of_a_url_is_left(text, scheme):
    """urllib's own view of passwords."""
    url = f"{scheme}://me:secret@h/{text}"
    assert "secret" not in hide_passwords(f"{text} {url}")


@pytest.mark.growth
@pytest.mark.parametrize(
    "unit", ["/", ":", "a:", "//a", "http:", "//a:", "a@", "http://a:", "\\", "&#64;", "&amp;", "\\40", "h\t", "a:@/"]
)
@pytest.mark.parametrize("before", ["@ ", ""])
def test_hiding_passwords_takes_linear_time(unit, before):
    assert_linear(lambda number: partial(hide_passwords, f"{before}{unit * number}/a:b@"), 20_000)


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("https&colon;//me:secret&#64;h/", "https&colon;//me:…&#64;h/"),
        ("&#104;ttps&#x3A;&sol;&#47;me&#0058secret&#X40h/", "&#104;ttps&#x3A;&sol;&#47;me&#0058…&#X40h/"),
        ("srcdoc='//me:secret&amp;#64;h/'", "srcdoc='//me:…&amp;#64;h/'"),
        ("//me:se&Tab;cret&commat;h", "//me:…&commat;h"),
        (r'"https:\/\/me:secret\u0040h\/"', r'"https:\/\/me:…\u0040h\/"'),
        (r"'\x68ttps:/\/me:se\'cret\u{40}h'", r"'\x68ttps:/\/me:…\u{40}h'"),
        (r"url(https\3a //me\3A secret\000040 h)", r"url(https\3a //me\3A …\000040 h)"),
        (r"[x](https://me:secret\@h)", r"[x](https://me:…\@h)"),
        (r"'https:/\n/me:se\'cret@h/' is no base", r"'https:/\n/me:…@h/' is no base"),
    ],
)
def test_escaped_passwords_are_hidden(source, shown):
    assert hide_passwords(source) == shown


def test_no_password_that_the_url_engine_reads_is_left():
    assert [url for url in FORMS if SECRET in hide_passwords(url)] == []


@pytest.mark.parametrize("quote", [repr, json.dumps, html.escape, "see {0} and {0}: nothing".format, str.encode])
def test_no_password_is_left_in_quoted_urls(quote):
    assert [url for url in FORMS if SECRET in hide_passwords(str(quote(url)))] == []


def test_a_url_without_user_information_is_the_same_but_for_it():
    """The URL engine reads the rest as before."""
    for url in FORMS:
        expected = ada_url.URL(url)
        expected.username = expected.password = ""
        assert ada_url.URL(without_credentials(url)).href == expected.href, url


@given(st.text(alphabet='ab:/\\@?#&64;u0"\n '))
def test_spans_are_in_order_and_apart(text):
    ends = [0]
    for start, end in password_spans(text):
        assert ends[-1] <= start < end <= len(text)
        ends.append(end + 1)


def test_exceptions_have_no_password():
    assert str(LinkfixError("no base: https://me:secret@h/")) == "no base: https://me:…@h/"
    error = InvalidOption.of("url", f"https://me:{'secret' * 100}@h/", "a URL")
    assert str(error) == "url='https://me:…@h/': expected a URL"
    assert "secret" in str(error.value)


@pytest.mark.parametrize("spec", ["whatwg", "rfc3986", "rfc2396", "rfc1808", "fielding1994"])
@pytest.mark.parametrize(
    "page",
    [
        '<a href="http://me:secret@[/">',
        '<a href="http://me:secret@h:99999/">',
        '<base href="http://me:secret@["><a href=x>',
        '<base href="http://me:secret@h/"><base href="http://me:secret@i/"><a href=x>',
        "<meta http-equiv=refresh content='0;url=http://me:secret@['>",
        '<img srcset="http://me:secret@[ 2q">',
        '<meta charset="http://me:secret@h/">',
        f'<meta charset="http://me:secret{"x" * 99}@h/">',
        '<script type="importmap">{"imports": {"a": "http://me:secret@["}}</script>',
        "<iframe srcdoc='<a href=&quot;http://me:secret@[&quot;>'>",
    ],
)
def test_problems_and_reasons_have_no_password(page, spec):
    for url in ("http://h/", "http://me:secret@h/"):
        document = linkfix.Document(page.encode(), url=url, spec=spec)
        messages = [problem.message for problem in (*document.problems, *document.convert().problems)]
        messages += [document.base.where, *(f"{lost.where}: {lost.reason}" for lost in document.base.rejected)]
        assert [message for message in messages if "secret" in message] == []


def test_a_problem_of_a_url_has_no_password():
    (problem,) = linkfix.Document('<a href="http://me:secret@[/">', url="http://h/").problems
    assert problem.message == "the reference cannot be parsed as a URL: http://me:…@[/"


def test_an_excerpt_is_cut_after_passwords_are_hidden():
    assert excerpt(f"http://me:{'secret' * 20}@h/", 20) == "http://me:…@h/"


def test_problems_that_are_changed_or_pickled_have_none():
    problem = Problem("unresolvable", "x", 0, 1, 1)._replace(message="http://me:secret@h/: x")
    assert problem == ("unresolvable", "http://me:…@h/: x", 0, 1, 1)
    again = pickle.loads(pickle.dumps(problem))  # noqa: S301 - of this test
    assert (type(again), again) == (Problem, problem)


def test_resolve_prints_no_password_of_a_reference_without_a_target():
    result = run("resolve", "http://a/", "http://me:secret@[")
    assert result.stderr == "'http://me:…@[': the reference cannot be parsed as a URL [unresolvable]\n"
