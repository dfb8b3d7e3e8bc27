"""Values of several URLs, rewritten in place, have the resolver's targets."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.sizes import examples
from support.vectors import CORPUS, needs_corpus

from linkfix import Document
from linkfix.document import decide

BASES = [
    "https://h.test/a/b/c.html?d=e",
    "http://h.test/",
    "https://h.test/a&b/c'd/(e)/f?g&h",
    "https://h.test/a?b&c'(",
    "ftp://h.test/a/b",
    None,
]
URLS = [
    *(
        "a.png",
        "/b?c=1",
        "../d",
        "//i.test/e",
        "https://j.test/f",
        "http://J.test:80/../f",
        "?g",
        "#h",
        "",
        "data:x/y,é",
    ),
    *("/.k/l", "./m", "n:o", "javascript:p", "q'r", "s t", "u ", " v", "w(x)", "y<z>", "é", "\\{{a}}", "/b?c=1&d=2"),
    *(
        "/b?c=1&amp;d=2",
        "/b?copy=1&copy=2",
        "data:,e f",
        "DATA:x",
        "file:a",
        "http://[",
        "//",
        "a%2eb/%2e%2e/c",
        "\ufffd",
    ),
]
CSS = [
    *(
        "a{{b:url({0})}}",
        'a{{b:url("{0}")}}',
        "a{{b:url( '{0}' )}}",
        '@import "{0}";',
        "@import url({0});",
        "b:url({0}",
    ),
    *("/*{0}*/", "a{{b:src('{0}')}}", "a{{content:'{0}'}}", "a{{b:image-set('{0}' 1x)}}", "b:url(&quot;{0}&quot;)"),
]
SRCSET = ["{0}", "{0} 1x", "{0} 200w", "{0} 0w", "{0},"]
REFRESH = ["0;url={0}", "0; url='{0}'", "5", "1,{0}"]
OPTIONS = {"fragments": st.just("absolutize"), **dict.fromkeys(("normalize", "escape_ampersands"), st.booleans())}
PAGES = [
    ("<style>{0}</style>", CSS, "\n"),
    ("<svg><style>{0}</style></svg>", CSS, "\n"),
    ("<svg><style><![CDATA[{0}]]></style></svg>", CSS, "\n"),
    ('<p style="{0}">', CSS, ";"),
    ("<p style='{0}'>", CSS, ";"),
    ('<svg fill="{0}">', CSS, " "),
    ('<img srcset="{0}">', SRCSET, ", "),
    ("<img srcset={0}>", SRCSET, ","),
    ("<template><img srcset='{0}'></template>", SRCSET, ", "),
    ('<meta http-equiv=refresh content="{0}">', REFRESH, ""),
    ("<base href='/other/'><meta http-equiv=refresh content=\"{0}\">", REFRESH, ""),
    ("<meta http-equiv=refresh content=\"{0}\"><base href='/other/'>", REFRESH, ""),
]


@st.composite
def elements(draw):
    element, forms, between = draw(st.sampled_from(PAGES))
    form = st.builds(str.format, st.sampled_from(forms), st.sampled_from(URLS))
    return element.format(between.join(draw(st.lists(form, max_size=1 if not between else 4))))


def converted(page, base, fields):
    result = Document(page, url=base, **fields).convert()
    links = Document(result.data, url="http://elsewhere.test/", charset=fields.get("charset")).links
    references = [(link.element, link.attribute, link.reference) for link in links]
    return references, result.links, result.rewritten, result.problems, result.base


def agrees(page, base, /, **fields):
    quick = converted(page, base, fields)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decide.Decider, "plain", lambda *_, **__: (None, None))
        assert quick == converted(page, base, fields)
    slow = []
    Document(page, url=base, **fields).rewrite(slow.append)
    assert Document(page, url=base, **fields).links == slow


@settings(deadline=None, max_examples=examples(1500))
@given(
    st.lists(elements(), max_size=4).map("".join),
    st.sampled_from(BASES),
    st.sampled_from(["utf-8", "windows-1252", "gbk"]),
    st.fixed_dictionaries({}, optional=OPTIONS),
)
@example("<style>a{b:url('u ')}</style>", BASES[0], "utf-8", {})
@example("<img srcset='#h 1x'>", BASES[0], "utf-8", {"fragments": "absolutize"})
@example("<style>a{b:url(#h)}</style>", BASES[0], "utf-8", {"fragments": "absolutize"})
@example("<img srcset=a.png,https://j.test/f>", BASES[0], "utf-8", {})
@example("<style>a{b:url()}</style><img srcset=a><p style='b:url(c)'>", BASES[0], "utf-8", {})
def test_targets_of_values_equal_the_results_of_the_resolver(page, base, charset, fields):
    agrees(page.encode(charset, "xmlcharrefreplace"), base, charset=charset, **fields)


@pytest.mark.parametrize("base", BASES[:2])
def test_plain_references_do_not_reach_the_resolver(monkeypatch, base):
    page = (
        "<style>/* é */@import 'a.css';b{c:url(d.png) url( \"/e?f&g\" ) url(#h) url(data:,i) url(//j.test)}</style>"
        "<p style='b:url(&quot;k.png&quot;)'><img srcset='l 1x, m?n&amp;o 2x'>"
        "<meta http-equiv=refresh content='0;url=p'>"
    )
    expected = Document(page, url=base).convert()
    monkeypatch.setattr(decide.Decider, "decide", None)
    assert Document(page, url=base).convert() == expected
    listed = page.replace("url(#h) url(data:,i) url(//j.test)", "url(https://j.test/)")
    assert [link.reference for link in Document(listed, url=base).links] == [
        *("a.css", "d.png", "/e?f&g", "https://j.test/", "k.png", "l", "m?n&o", "p")
    ]
    assert (expected.links, expected.rewritten) == (10, 8)


@pytest.mark.parametrize(
    "reference", ["User_talk:A", "a,b:c", "a@b:1", "a~b://c/d", "a=b:c", "a(b):c", "a!b:c", "a;b:"]
)
def test_text_that_is_no_scheme_is_relative(reference):
    page = f'<a href="{reference}"><img srcset="{reference} 1x">'
    agrees(page, "https://h.test/a/")
    assert f'"https://h.test/a/{reference}' in Document(page, url="https://h.test/a/").absolutize()


@needs_corpus
@pytest.mark.parametrize("page", CORPUS[::10], ids=lambda page: page.name[:8])
def test_real_pages(page):
    agrees(page.read_bytes(), "https://h.test/a/b/c.html?d=e")
