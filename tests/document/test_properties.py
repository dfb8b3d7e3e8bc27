"""Properties of every document: it agrees with itself, and equivalent ways give equal results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.documents import URL, documents, plain
from support.sizes import examples

import linkfix
from linkfix import Document, Options
from linkfix.document.decide import Decider

ENCODINGS = ["utf-8", "windows-1251", "shift_jis", "gb18030", "euc-kr", "big5", "utf-16le", "iso-2022-jp"]


def encoded(html: str, encoding: str) -> bytes:
    return html.encode(encoding, "xmlcharrefreplace")


@settings(max_examples=examples(300))
@given(documents, st.sampled_from(ENCODINGS))
def test_converting_twice_equals_converting_once(html: str, encoding: str) -> None:
    once = linkfix.absolutize(encoded(html, encoding), url=URL, charset=encoding)
    assert linkfix.absolutize(once, url=URL, charset=encoding) == once


@settings(max_examples=examples(300))
@given(documents, st.sampled_from(ENCODINGS))
def test_only_bytes_of_references_change(html: str, encoding: str) -> None:
    """DESIGN: bytes outside the edited spans are equal."""
    data = encoded(html, encoding)
    document = Document(data, url=URL, charset=encoding)
    spans = [(link.start, link.end) for link in document.links]
    assert spans == sorted(spans)
    converted = document.absolutize()
    assert isinstance(converted, bytes)
    kept = []
    done = 0
    for start, end in spans:
        kept.append(data[done:start])
        done = end
    kept.append(data[done:])
    position = 0
    for piece in kept:
        found = converted.find(piece, position)
        assert found >= 0, (piece, converted)
        position = found + len(piece)


@given(documents)
def test_an_unchanged_document_is_the_same_object(html: str) -> None:
    data = html.encode()
    assert linkfix.rewrite(data, lambda _link: None, url=URL) is data
    assert linkfix.rewrite(data, lambda link: link.reference, url=URL) is data


@pytest.mark.parametrize("keep", [None, lambda target: len(target) % 2 == 0])
@settings(max_examples=examples(500))
@given(html=documents)
def test_the_quick_path_is_the_slow_path(keep: Callable[[str], bool] | None, html: str) -> None:
    """Without plain references, each reference is decided: the same ones come out, escaping aside."""
    data = html.encode("utf-8", "surrogatepass")
    options = Options(keep=keep)
    quick = Document(data, url=URL, charset="utf-8", options=options).convert()
    with patch.object(Decider, "plain", lambda *_, **__: (None, None)):
        slow = Document(data, url=URL, charset="utf-8", options=options).convert()
    assert isinstance(quick.data, bytes)
    assert isinstance(slow.data, bytes)
    references = [[link.reference for link in linkfix.links(x.data, url=URL, charset="utf-8")] for x in (quick, slow)]
    assert references[0] == references[1]
    assert (quick.problems, quick.rewritten) == (slow.problems, slow.rewritten)


@settings(max_examples=examples(500))
@given(
    plain,
    st.sampled_from(["https://example.com/dir/sub/page.html?q#f", "http://h", "https://a.b/c//d/", "http://h/x&y/z"]),
)
def test_plain_references_get_the_resolvers_target(reference: str, base: str) -> None:
    html = f'<img src="{reference.replace("&", "&amp;")}">'
    (link,) = linkfix.links(linkfix.absolutize(html, url=base), url="http://elsewhere.test/")
    if reference and not reference.startswith("#"):
        assert link.reference == (linkfix.resolve(base, reference).target or reference)


@settings(max_examples=examples(200))
@given(documents)
def test_targets_are_written(html: str) -> None:
    before = linkfix.links(html, url=URL, fragments="absolutize")
    after = linkfix.links(linkfix.absolutize(html, url=URL, fragments="absolutize"), url=URL)
    assert len(before) == len(after)
    for old, new in zip(before, after, strict=True):
        if old.problem is None and old.target is not None and old.role != "base":
            assert new.target == old.target


@given(documents)
def test_str_and_bytes_agree(html: str) -> None:
    assert linkfix.absolutize(html.encode(), url=URL, charset="utf-8").decode() == linkfix.absolutize(html, url=URL)


@settings(max_examples=examples(300))
@given(st.binary(max_size=200), st.sampled_from(["text/html", "application/xhtml+xml", "image/svg+xml", "text/css"]))
def test_no_bytes_raise(data: bytes, media_type: str) -> None:
    document = Document(data, url=URL, media_type=media_type)
    assert isinstance(document.absolutize(), bytes)
    assert all(0 <= link.start <= link.end <= len(data) for link in document.links)
    assert all(problem.code in linkfix.PROBLEMS for problem in document.problems)


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["fielding1994", "rfc1808", "rfc2396", "rfc3986", "whatwg"])
@settings(max_examples=50)
@given(html=documents)
def test_every_resolver_converts_every_document(spec: str, html: str) -> None:
    once = linkfix.absolutize(html, url=URL, spec=spec)
    assert linkfix.absolutize(once, url=URL, spec=spec) == once


@pytest.mark.parametrize(
    "options",
    [
        *({"spec": spec} for spec in ("fielding1994", "rfc1808", "rfc2396", "rfc3986", "whatwg")),
        *({"spec": spec, "same_scheme": "relative"} for spec in ("rfc2396", "rfc3986")),
        {"spec": "rfc2396", "excess_dots": "drop"},
    ],
    ids=lambda options: "-".join(options.values()),
)
@settings(max_examples=examples(300))
@given(
    st.sampled_from(["http://h", "HTTP://U@H:80", "http:", "file://", "x:"]),
    st.lists(st.sampled_from(["/..", "/.", "/a", "b", "/", ";", "?", "#"]), max_size=6).map("".join),
    st.lists(st.sampled_from(["?", "#", "b", "/", "..", ";", ".", "http:", "x:"]), max_size=5).map("".join),
)
def test_written_references_have_the_same_targets(
    options: dict[str, Any], start: str, path: str, reference: str
) -> None:
    """With dot segments in the base too, and whatever the reference inherits from it."""
    kept = Options(fragments="absolutize", **options)
    try:
        document = Document(f'<a href="{reference}">', url=start + path, options=kept)
    except linkfix.LinkfixError:
        return
    (before,) = document.links
    (after,) = Document(document.absolutize(), url=start + path, options=kept).links
    if before.target is not None and before.problem is None:
        assert after.target == before.target
