from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from linkfix.html.syntaxes.markdown import escape, find


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("a", "a"),
        ("", ""),
        (r"a\_b\\c\d", r"a_b\c\d"),
        ("a&amp;b&ouml;&#246;&#xF6;&#XF6;", "a&böööö"[:3] + "öööö"),
        ("&nosuch;&amp&copy=1", "&nosuch;&amp&copy=1"),
        ("&#0;&#xD800;&#9999999;", "\ufffd\ufffd\ufffd"),
        (r"\&amp;", "&amp;"),
    ],
)
def test_decoding(text, reference):
    (found,) = find(text)
    assert (found.start, found.end, found.reference) == (0, len(text), reference)


@pytest.mark.parametrize("form", ["[a]({})", "[a](<{}>)", "|x|\n|-|\n|[a]({})|", "[a]\n\n[a]: {}", "`x [a]({})"])
@given(url=st.text(st.sampled_from("ab/()[]\\&;#|`<>?é!*_ \"'.am"), min_size=1))
def test_a_parser_reads_the_written_reference(form, url):
    url = "https://x.example/" + url
    parser = MarkdownIt("commonmark").enable("table")
    parser.normalizeLink = lambda link: link
    tokens = parser.parse(form.format(escape(url)))
    hrefs = [one.attrs["href"] for token in tokens for one in token.children or () if one.type == "link_open"]
    expected = "".join(f"%{ord(one):02X}" if one in " <>`" else one for one in url)
    assert hrefs == [expected]
    assert find(escape(url))[0].reference == expected
