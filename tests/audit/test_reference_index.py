from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from support.sizes import examples

from linkfix import Options
from linkfix.auditing.page_document import PageDocument, base_tags
from linkfix.html import ROWS, index_rows
from linkfix.kernels.outline import Outline
from linkfix.kernels.reference_index import has_tag

URL = "https://site.example/a.html"
pieces = st.sampled_from([b"<", b"b", b"base", b"BASE", b"<bAsE", b"<bas", b"<<base>", b"/", b"e", b"\xc3"])


@given(st.lists(pieces, max_size=8).map(b"".join))
def test_a_tag_is_found_in_either_case_and_at_the_end(data):
    assert has_tag(data, b"base") == (b"<base" in data.lower())


TAGS = [
    "<meta http-equiv=refresh content='0; url=x'>",
    "<META HTTP-EQUIV=Refresh CONTENT=1>",
    "<meta content=0 http-equiv=refresh>",
    "<meta http-equiv=' refresh ' content=0>",
    "<noscript>",
    "</noscript>",
    "<template>",
    "</template>",
    "<svg>",
    "</svg>",
    "<script>",
    "</script>",
    "<!--",
    "-->",
    "<title>",
    "</title>",
    "<frameset>",
    "</frameset>",
    "<body>",
    "<p>",
    "<table>",
    "<select>",
    "<base href=x>",
]


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(st.sampled_from(TAGS), min_size=1, max_size=9))
def test_a_refresh_in_noscript_is_in_the_index_if_scripts_are_off(tags):
    data = "".join(tags).encode()
    document = PageDocument(data, url=URL, options=Options(anchors=True))
    alone = Outline(index_rows([row for row in ROWS if row.syntax == "refresh"]), data, 0)
    records = [alone.record(number) for number in range(alone.count)]
    assert document.reference_index.has_refresh == any(not record.in_template for record in records)


def test_another_name_of_a_page_has_the_same_references():
    page = PageDocument(b"<base href=b/><p id=a&amp;b><a href=c>", url=URL, options=Options(anchors=True))
    assert (page.ids, page.may_have_base) == ((b"a&b",), True)
    other = page.with_url("https://site.example/d/e.html")
    assert other.ids is page.ids
    assert other.reference_index is page.reference_index
    assert other.document_base.url == "https://site.example/d/b/"
    assert [tag.href for tag in base_tags(other)] == ["b/"]
