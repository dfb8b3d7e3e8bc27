"""Which BASE elements a page's own Content-Security-Policy blocks (HTML §4.2.3, CSP3 §6.3.1)."""

from __future__ import annotations

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkfix import Candidate, Document, Envelope, Layer
from linkfix.document.base import Policy, blocking_policy, header_policies, meta_policy
from linkfix.model import PROBLEMS

PAGE = "http://site.example/dir/page.html"
BASE = '<base href="http://base.example/b/"><a href=x>'
TARGET, OWN = "http://base.example/b/x", "http://site.example/dir/x"


def allows(sources, url, own=PAGE):
    return blocking_policy(url, [Policy(tuple(sources.split()), "here")], own) is None


@pytest.mark.parametrize(
    ("sources", "allowed", "blocked"),
    [
        ("", "", "http://base.example/ http://site.example/ data:,x"),
        ("'none'", "", "http://base.example/ http://site.example/"),
        ("'NONE'", "", "http://site.example/"),
        ("'none' base.example", "http://base.example/", "http://site.example/"),
        ("'unsafe-inline' 'nonce-x' 'report-sample'", "", "http://site.example/"),
        (
            "'self'",
            "http://site.example/ https://site.example/x http://site.example:80/",
            "http://site.example:8080/ https://site.example:8443/ http://www.site.example/ ws://other.example/",
        ),
        ("'Self'", "http://site.example/ ws://site.example/ wss://site.example/", "ftp://site.example/"),
        (
            "*",
            "http://base.example/ https://x/ ws://x/ wss://x/ http://[::1]/",
            "ftp://x/ mailto:a@b file:///x about:x",
        ),
        ("http:", "http://x/ https://x/", "ftp://x/ ws://x/"),
        ("HTTPS:", "https://x/", "http://x/"),
        ("ftp: mailto:", "ftp://x/ mailto:a@b", "http://x/"),
        ("base.example", "http://base.example/ https://base.example/x", "http://www.base.example/ ftp://base.example/"),
        ("BASE.example", "http://base.example/", "http://base.example:8080/"),
        ("https://base.example", "https://base.example/", "http://base.example/"),
        ("*.example", "http://base.example/ http://a.b.example/", "http://example/ http://xexample/"),
        ("http://*", "http://base.example/ https://x/", "http://x:8080/ http://[::1]/"),
        ("base.example.", "http://base.example./", "http://base.example/"),
        ("http://192.0.2.1", "http://192.0.2.1/", "http://192.0.2.2/"),
        ("http://[::1]", "", "http://[::1]/"),
        ("base.example:8080", "http://base.example:8080/", "http://base.example/"),
        ("base.example:080", "http://base.example/ https://base.example/", "http://base.example:8080/"),
        ("base.example:*", "http://base.example:8080/ https://base.example/", "http://x:8080/"),
        ("base.example:443", "https://base.example/", "http://base.example/"),
        ("base.example:0", "http://base.example:0/", "http://base.example/"),
        ("base.example/", "http://base.example/ http://base.example/b/c", "http://x/"),
        (
            "base.example/b/",
            "http://base.example/b/ http://base.example/b/c?q",
            "http://base.example/b http://base.example/",
        ),
        (
            "base.example/b",
            "http://base.example/b http://base.example/b?q#f",
            "http://base.example/b/ http://base.example/c",
        ),
        ("base.example/%62/c%2f", "http://base.example/b/c%2F", "http://base.example/b/c/"),
        (
            "http://base.example/b?q http://base.example/b#f a_b.example b,c.example",
            "",
            "http://base.example/b http://a_b.example/",
        ),
        ("//base.example http:base.example http://u@base.example", "", "http://base.example/"),
    ],
)
def test_source_expressions(sources, allowed, blocked):
    assert [url for url in allowed.split() if not allows(sources, url)] == []
    assert [url for url in blocked.split() if allows(sources, url)] == []


def test_the_scheme_of_the_page():
    assert not allows("base.example", "http://base.example/", "https://site.example/")
    assert not allows("'self'", "http://site.example/", "https://site.example/")
    assert not allows("'self'", "file:///x/", "file:///x/page.html")  # an opaque origin
    assert not allows("base.example", "http://base.example/", "file:///x/page.html")
    assert allows("http://base.example", "http://base.example/", "file:///x/page.html")
    assert allows("*", "ftp://base.example/", "ftp://site.example/")


def test_any_origin_may_be_the_pages_own_if_its_url_is_unknown():
    assert allows("'self'", "http://base.example/", None)
    assert allows("base.example", "https://base.example/", None)
    assert not allows("'self'", "ftp://base.example/", None)
    assert not allows("'none'", "http://base.example/", None)


@pytest.mark.parametrize(
    ("value", "sources"),
    [
        (None, []),
        ("", []),
        ("default-src 'none'", []),
        ("BASE-URI 'self'", [("'self'",)]),
        ("base-uri", [()]),
        ("base-uri;", [()]),
        (";;\tbase-uri\f'self'\n", [("'self'",)]),
        ("base-uri a; base-uri b", [("a",)]),
        ("base-uri a, base-uri b", [("a",), ("b",)]),
        ("default-src *, base-uri b,,", [("b",)]),
        ("base-uri\x0ba", []),
        ("base-uri a\xe9; base-uri b", [("b",)]),
        ("base-uri'none'", []),
    ],
)
def test_header_fields(value, sources):
    assert [policy.sources for policy in header_policies(value)] == sources


def test_the_content_of_a_meta_is_one_policy():
    assert meta_policy("base-uri a, base-uri b", "here").sources == ("a,", "base-uri", "b")


def meta(policy, name="Content-Security-Policy"):
    return f'<meta http-equiv="{name}" content="{html.escape(policy)}">'


NONE = meta("base-uri 'none'")


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (NONE + BASE, OWN),
        (meta("base-uri base.example") + BASE, TARGET),
        (meta("base-uri base.example") + NONE + BASE, OWN),
        (BASE + NONE, TARGET),
        (f"<head></head>{NONE}{BASE}", OWN),
        (f"<body>{NONE}{BASE}", TARGET),
        (f"x{NONE}{BASE}", TARGET),
        (f"<template>{NONE}</template>{BASE}", TARGET),
        (f"<noscript>{NONE}</noscript>{BASE}", OWN),
        (f"<!--{NONE}-->{BASE}", TARGET),
        (f"<title>{NONE}</title>{BASE}", TARGET),
        (meta("base-uri 'none'", "Content-Security-Policy-Report-Only") + BASE, TARGET),
        (meta("base-uri 'none'", " Content-Security-Policy") + BASE, TARGET),
        (meta("base-uri 'none'", "content-security-policy") + BASE, OWN),
        (meta("base-uri 'none'", "Content-Security&#45;Policy") + BASE, OWN),
        ("<meta content=\"base-uri 'none'\" http-equiv=x http-equiv=Content-Security-Policy>" + BASE, TARGET),
        ("<meta http-equiv=Content-Security-Policy>" + BASE, TARGET),
        ("<meta http-equiv=Content-Security-Policy content=base-uri&#32;&apos;none&apos;>" + BASE, OWN),
        # the next BASE does not replace it; a BASE without an href is no base, and is not blocked
        (NONE + '<base href="http://base.example/b/"><base href="/c/"><a href=x>', OWN),
        (NONE + "<base target=_top><a href=x>", OWN),
    ],
)
def test_metas(source, target):
    document = Document(source, url=PAGE)
    assert [link.target for link in document.links if link.element == "a"] == [target]
    blocked = target == OWN and "<base target" not in source
    assert [problem.code for problem in document.problems] == ["base-blocked"] * blocked
    assert (document.base.problem == "base-blocked") == blocked


def test_it_is_among_the_reasons():
    document = Document("\n" + NONE + BASE, url=PAGE)
    start = len("\n" + NONE)
    reason = "the Content-Security-Policy does not allow it (base-uri 'none', meta element in line 2, column 1)"
    where = f"line 2, column {start}"
    assert document.base.rejected == (Candidate(Layer.EMBEDDED, "http://base.example/b/", where, reason, start),)
    (problem,) = document.problems
    assert problem.message == f"{PROBLEMS['base-blocked']}: {reason}"
    assert (problem.line, problem.column) == (2, start + len('<base href="'))


def test_a_header_field():
    document = Document(BASE, url=PAGE, content_security_policy="default-src *, base-uri 'self'")
    assert document.links[1].target == OWN
    assert "(base-uri 'self', header of the response)" in document.base.rejected[0].reason
    envelope = Envelope(PAGE, content_security_policy="base-uri base.example")
    assert Document(BASE, envelope=envelope).links[1].target == TARGET


def test_an_unusable_base_is_not_reported_as_blocked():
    document = Document("<base href=data:,x>", url=PAGE, content_security_policy="base-uri 'none'")
    assert document.base.problem == "base-unusable"


def test_a_policy_in_xhtml():
    head = NONE.replace("'", "&apos;").replace(">", "/>")
    base = '<base href="http://base.example/b/"/>'
    text = '<html xmlns="http://www.w3.org/1999/xhtml"><head>{}</head><body>{}<a href="x"/></body></html>'
    kind = "application/xhtml+xml"
    found = [
        Document(text.format(*parts), url=PAGE, media_type=kind).base.problem
        for parts in (
            (head + base, ""),
            (base + head, ""),
            (head, base),
            ("", head + base),
            (f"<b>{head}</b>{base}", ""),
        )
    ]
    assert found == ["base-blocked", None, "base-blocked", None, "base-blocked"]


@pytest.mark.parametrize("policy", ["base-uri 'none'", "base-uri site.example"])
def test_srcdoc_documents_inherit_policies(policy):
    inner = html.escape("<base href='//base.example/'><a href=x>")
    nested = html.escape(f"<iframe srcdoc='{inner}'></iframe>")
    for source, header in (
        (f"{meta(policy)}<iframe srcdoc='{nested}'>", None),
        (f"<iframe srcdoc='{nested}'>", policy),
        (f"<p>{meta(policy)}<iframe srcdoc='{inner}'>", policy),
    ):
        document = Document(source, url=PAGE, content_security_policy=header)
        assert document.links[-1].target == OWN
        assert {problem.code for problem in document.problems} == {"base-blocked"}
    assert Document(f"<iframe srcdoc='{inner}'>", url=PAGE).links[-1].target == "http://base.example/x"


class TestConversion:
    """A copy means the same, whether or not it comes with the policy."""

    def test_the_problem_of_a_blocked_base_names_the_base_in_use(self):
        document = Document(BASE + "<a href='#f'>", url=PAGE, content_security_policy="base-uri 'none'")
        conversion = document.convert()
        assert conversion.data == f"<base href=\"{PAGE}\"><a href={OWN}><a href='#f'>"
        assert (conversion.rewritten, conversion.links) == (2, 3)

    @pytest.mark.parametrize("mode", ["keep", "drop-href", "empty", "remove", "insert"])
    @given(
        policies=st.lists(
            st.sampled_from(["base-uri 'none'", "base-uri 'self'", "base-uri *", "img-src *"]), max_size=2
        ),
        inside=st.booleans(),
        href=st.sampled_from(["http://base.example/b/", "/b/", "", "?q", "data:,x", "http://["]),
        header=st.booleans(),
    )
    def test_targets_stay(self, mode, policies, inside, href, header):
        metas = "".join(map(meta, policies)) if inside else ""
        source = f'<!DOCTYPE html>{metas}<head><base href="{href}"></head><a href=x></a><a href="#f"></a><img src=/y>'
        field = None if inside else ", ".join(policies)
        document = Document(source, url=PAGE, content_security_policy=field)
        copy = document.absolutize(base_element=mode)

        def targets(html_):
            again = Document(html_, url=PAGE, content_security_policy=field if header else None)
            return [link.target for link in again.links if link.role != "base"]

        if not (mode == "insert" and header and field):  # there the inserted one is blocked, which is a problem
            assert targets(copy) == [link.target for link in document.links if link.role != "base"]
        assert Document(copy, url=PAGE, content_security_policy=field).absolutize(base_element=mode) == copy

    def test_an_inserted_base_is_before_the_policies(self):
        source = f"{NONE}<head>{BASE}"
        assert Document(source, url=PAGE).absolutize(base_element="insert") == f'<base href="{PAGE}">{source}'
        source = f"{NONE}<head><a href=x>"
        assert Document(source, url=PAGE).absolutize(base_element="insert") == f'<base href="{PAGE}">{source}'

    def test_a_base_blocked_by_the_response_is_a_problem(self):
        document = Document("<a href=x>", url=PAGE, content_security_policy="base-uri 'none'", base_element="insert")
        conversion = document.convert()
        assert conversion.data == f'<base href="{PAGE}"><a href=x>'
        assert [problem.code for problem in conversion.problems] == ["base-blocked"]


WORDS = st.sampled_from(
    ["'self'", "'none'", "*", "http:", "h", "*.h", "h:80", "h:*", "https://h/a/", "h/a", ",", "h,", "é"]
)


@given(st.lists(st.lists(WORDS, max_size=3), min_size=1, max_size=3), st.booleans())
def test_every_policy_is_applied(lists, as_header):
    """CSP3 §6.3.1.1: one policy that does not match is enough."""
    values = [f"base-uri {' '.join(words)}" for words in lists]
    url = "http://h/a/"
    policies = header_policies(", ".join(values)) if as_header else [meta_policy(value, "") for value in values]
    parsed = [policy for policy in policies if policy is not None]
    each = [blocking_policy(url, [policy], PAGE) is None for policy in parsed]
    assert (blocking_policy(url, parsed, PAGE) is None) == all(each)
