"""Plain references and all others: both ways give the same targets, counts and problems, in every option."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.edge_values import BASES, FIXED_VALUES, ampersands, document_of, values
from support.sizes import examples

import linkfix
from linkfix import Conversion, Document
from linkfix.document import decide
from linkfix.document.decide import plain_references
from linkfix.kernels.splicer import Edit

ELSEWHERE = "http://elsewhere.test/"
#: Options that the plain way has to mind.
OPTIONS: list[dict[str, Any]] = [
    {},
    {"fragments": "absolutize"},
    {"normalize": True},
    {"spec": "rfc3986"},
    {"base_element": "drop-href"},
    {"base_element": "empty"},
    {"placeholders": ("b*c",)},
    {"keep": lambda target: "a" in target},
    {"escape_ampersands": True},
    {"escape_ampersands": True, "fragments": "absolutize"},
]


def convert(html: str, base: str | None, **options: Any) -> Conversion[bytes]:
    return Document(html.encode("utf-8", "surrogatepass"), url=base, charset="utf-8", **options).convert()


def convert_slowly(html: str, base: str | None, **options: Any) -> Conversion[bytes]:
    """Every reference is asked of the resolver."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decide.Decider, "plain", lambda *_, **__: (None, None))
        patch.setattr(decide.Decider, "_plain_target", lambda _self, _base, _reference: None)
        patch.setattr(decide, "_is_settled", lambda _reference, _base: False)
        return convert(html, base, **options)


def references(data: bytes) -> list[str]:
    return [link.reference for link in linkfix.links(data, url=ELSEWHERE, charset="utf-8")]


def assert_ways_agree(html: str, base: str | None, **options: Any) -> None:
    quick, slow = convert(html, base, **options), convert_slowly(html, base, **options)
    for one, other in zip(references(quick.data), references(slow.data), strict=True):
        assert one == other, (base, options)
    assert (quick.links, quick.rewritten) == (slow.links, slow.rewritten)
    assert quick.problems == slow.problems
    if not slow.rewritten and options.get("base_element") != "drop-href":
        assert quick.data == html.encode("utf-8", "surrogatepass")


@pytest.mark.parametrize("base", [*BASES, None])
def test_edges_get_the_resolvers_target(base: str | None) -> None:
    assert_ways_agree(document_of(FIXED_VALUES), base)


@pytest.mark.parametrize(("quote", "tag"), [("'", "img src"), ("", "form action"), ('"', "svg><use href")])
def test_edges_get_the_resolvers_target_however_they_are_written(quote: str, tag: str) -> None:
    assert_ways_agree(document_of(FIXED_VALUES, quote, tag), BASES[0])


@pytest.mark.parametrize("options", OPTIONS[1:])
def test_edges_get_the_resolvers_target_in_every_option(options: dict[str, Any]) -> None:
    assert_ways_agree(document_of(FIXED_VALUES), BASES[0], **options)


@pytest.mark.parametrize("base_element", ["keep", "drop-href"])
@pytest.mark.parametrize("href", ["/other/", "https://o.test/a&amp;b?c", "data:,"])
def test_edges_get_the_resolvers_target_below_a_base_element(href: str, base_element: str) -> None:
    html = f'<base href="{href}">{document_of(FIXED_VALUES)}'
    assert_ways_agree(html, BASES[0], base_element=base_element)


@pytest.mark.parametrize("quote", ['"', ""])
def test_a_bare_ampersand_before_every_name_is_read_as_by_the_parser(quote: str) -> None:
    """HTML §13.2.5.73: in an attribute, a name without semicolon before "=" or an alphanumeric is no reference."""
    assert_ways_agree(document_of(ampersands(), quote), BASES[0])


@settings(max_examples=examples(500))
@given(st.lists(values, max_size=8), st.sampled_from([*BASES, None]), st.sampled_from(OPTIONS))
def test_generated_values_get_the_resolvers_target(found: list[str], base: str | None, options: dict[str, Any]) -> None:
    assert_ways_agree(document_of(found), base, **options)
    assert_ways_agree(document_of(found, "", "img src"), base, **options)


@settings(max_examples=examples(300))
@given(
    st.lists(
        st.tuples(
            st.sampled_from(
                [
                    b"http://h/",
                    b"HTTPS://h?",
                    b"mailto:",
                    b"data:,",
                    b"//h/",
                    b"/",
                    b"",
                    b"http:",
                    b"HTTP:",
                    b"Data:",
                    b"a://b#",
                ]
            ),
            st.lists(st.sampled_from([b"\xc3\xa9", b"\xff", b"\xc3", b"\xed\xa0\x80", b"a", b" ", b"\xe3\x81\x82"])),
        ),
        max_size=4,
    ),
    st.sampled_from(["utf-8", "windows-1252", "windows-1253", "euc-jp", "gbk"]),
    st.sampled_from(OPTIONS),
)
def test_bytes_outside_ascii_get_the_resolvers_target(
    found: list[tuple[bytes, list[bytes]]], charset: str, options: dict[str, Any]
) -> None:
    html = b"".join(b'<a href="%b%b">' % (start, b"".join(rest)) for start, rest in found)
    quick = Document(html, url=BASES[0], charset=charset, **options).convert()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decide.Decider, "plain", lambda *_, **__: (None, None))
        assert quick == Document(html, url=BASES[0], charset=charset, **options).convert()


@pytest.mark.parametrize("base", BASES[:-1])
def test_plain_targets_of_edges_are_the_resolvers(base: str) -> None:
    assert_targets_agree(FIXED_VALUES, base)


@settings(max_examples=examples(500))
@given(st.lists(values, max_size=20), st.sampled_from(BASES[:-1]))
def test_plain_targets_are_the_resolvers(found: list[str], base: str) -> None:
    assert_targets_agree(found, base)


def assert_targets_agree(found: list[str], base: str) -> None:
    plain = plain_references(linkfix.resolve(base, "").target or "", fragments=True)
    assert plain is not None
    _, texts = plain
    for value in found:
        target = texts.target(value.encode()) if value.isascii() else None
        if target is not None:
            assert target.decode() == linkfix.resolve(base, value).target


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("//fonts.example", "https://fonts.example/"),
        ("//fonts.example?a&b=1", "https://fonts.example/?a&b=1"),
        (" a.html\n", " https://example.com/dir/sub/a.html\n"),
        ("?a=1&b=2&copy=3", "https://example.com/dir/sub/page.html?a=1&b=2&copy=3"),
        ("Visual%20C.html", "https://example.com/dir/sub/Visual%20C.html"),
        ("/.well-known/x", "https://example.com/.well-known/x"),
        ("x.html#A<B> &lt;C&gt;", "https://example.com/dir/sub/x.html#A%3CB%3E%20%3CC%3E"),
        ("x[0]?y[]='z'", "https://example.com/dir/sub/x[0]?y[]=%27z%27"),
        ("mailto:?subject=x&amp;body=y", None),
        ("javascript:;", None),
        ("übersicht.html?ä#ö", "https://example.com/dir/sub/%C3%BCbersicht.html?%C3%A4#%C3%B6"),
        ("s/süß b", "https://example.com/dir/sub/s/s%C3%BC%C3%9F%20b"),
        ("/a/%20?b=%2B", "https://example.com/a/%20?b=%2B"),
        ("x?a=1&#38;b=2&#x26;c", "https://example.com/dir/sub/x?a=1&#38;b=2&#x26;c"),
        ("&#109;&#x61;ilto:a&#64;b", None),
        ("https://h.test/für?ä", None),
        ("JavaScript:alert('é')", None),
        ("HTTP://WWW.Example.COM", None),
        ("http://example.com:8080", None),
        ("android-app://com.example/http/x", None),
        ("file:///C|/x", None),
        ("", None),
    ],
)
def test_references_decided_in_place(value: str, written: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each class is decided in place: the slow way is not asked."""
    monkeypatch.setattr(Document, "_edits", None)
    html = document_of([value]).encode()
    expected = html if written is None else document_of([written]).encode()
    assert linkfix.absolutize(html, url=BASES[0], charset="utf-8") == expected


@pytest.mark.parametrize(
    ("charset", "value", "written"),
    [
        ("windows-1252", "/thema/ökostrom", "https://example.com/thema/%C3%B6kostrom"),
        ("euc-jp", "日本/a#語", "https://example.com/dir/sub/%E6%97%A5%E6%9C%AC/a#%E8%AA%9E"),
        ("euc-jp", "JavaScript:alert('商品がありません')", None),
        ("gbk", "https://h.test/中文?丂", None),
    ],
)
def test_references_in_other_encodings_decided_in_place(
    charset: str, value: str, written: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Document, "_edits", None)
    html = document_of([value]).encode(charset)
    expected = html if written is None else document_of([written]).encode(charset)
    assert linkfix.absolutize(html, url=BASES[0], charset=charset) == expected


def test_a_record_before_base_is_decided_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """The BASE element is the only one that is looked at by itself."""
    seen: list[int] = []
    edits = Document._edits

    def noted(document: Document[Any], number: int, counts: list[int]) -> list[Edit]:
        seen.append(number)
        return edits(document, number, counts)

    monkeypatch.setattr(Document, "_edits", noted)
    html = "<link rel=stylesheet href=a><link rel=icon href=b><style>c{d:url(e)}</style><base href=/f/><img src=g>"
    expected = html.replace("=a>", "=https://example.com/dir/sub/a>").replace("=b>", "=https://example.com/f/b>")
    expected = expected.replace("(e)", "(https://example.com/dir/sub/e)").replace("=g>", "=https://example.com/f/g>")
    expected = expected.replace("=/f/>", "=https://example.com/f/>")
    assert linkfix.absolutize(html, url=BASES[0]) == expected
    assert seen == [3]
