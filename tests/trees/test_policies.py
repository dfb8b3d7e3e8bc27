"""A tree's own Content-Security-Policy, and framesets that only a simpler parser gives a BASE element."""

from __future__ import annotations

import pytest
from support.tree_parsers import URL, absolutize, attributes, every_parser, page

NONE = """<meta http-equiv="Content-Security-Policy" content="base-uri 'none'">"""
BASE = '<base href="http://base.example/">'
LINK = '<p><a href="x">x</a></p>'


def converted(parse, head, body=LINK, **fields):
    tree = parse(page(body, head))
    return absolutize(tree, URL, **fields), attributes(tree)


@every_parser
def test_a_policy_of_the_head(parse):
    conversion, after = converted(parse, NONE + BASE)
    assert conversion.base.url == URL
    assert conversion.base.problem == "base-blocked"
    assert [problem.code for problem in conversion.problems] == ["base-blocked"]
    assert "base-uri 'none', " in conversion.base.rejected[0].reason
    assert ("base", "href", URL) in after
    assert ("a", "href", "https://h/d/x") in after


@every_parser
@pytest.mark.parametrize(
    ("head", "body"),
    [
        (BASE + NONE, LINK),
        (BASE, NONE + LINK),
        ("", f"<div>{NONE}{BASE}</div>{LINK}"),
        (NONE.replace("'none'", "http://base.example") + BASE, LINK),
        (NONE.replace("Policy", "Policy-Report-Only") + BASE, LINK),
        (NONE.replace('"Content', '" Content') + BASE, LINK),
    ],
)
def test_a_policy_that_blocks_nothing(parse, head, body):
    conversion, _ = converted(parse, head, body)
    assert conversion.base.url == "http://base.example/"
    assert conversion.problems == ()


@every_parser
def test_the_responses_policy_is_a_keyword(parse):
    conversion, _ = converted(parse, BASE, content_security_policy="img-src *, base-uri 'self'")
    assert conversion.base.problem == "base-blocked"
    conversion, _ = converted(parse, BASE, content_security_policy="base-uri http://base.example")
    assert conversion.base.problem is None


@every_parser
def test_a_srcdoc_document_inherits(parse):
    inner = "<iframe srcdoc='&lt;base href=http://base.example/&gt;&lt;a href=x&gt;'></iframe>"
    for head, header in ((NONE, None), ("", "base-uri 'none'")):
        conversion, _ = converted(parse, head, inner, content_security_policy=header)
        assert [link.target for link in conversion.links if link.element == "a"] == ["https://h/d/x"]
        assert [problem.code for problem in conversion.problems] == ["base-blocked"]


@every_parser
def test_a_base_in_a_frameset(parse):
    tree = parse('<html><head></head><frameset><base href="/b/"><frame src="x"></frame></frameset></html>')
    assert absolutize(tree, URL).base.url == URL
