from __future__ import annotations

import io
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.growth import assert_linear

from linkfix.files.window import Window
from linkfix.runs.delta import (
    Span,
    changed_spans,
    pack_spans,
    restore,
    unpack_spans,
)


def spans(old, new, content=Window):
    """The spans of two contents, which give the old one back, packed or not."""
    found = list(changed_spans(content(old), content(new)))
    assert list(unpack_spans(pack_spans(found, 1 << 19))) == found
    assert b"".join(restore(io.BytesIO(new), found)) == old
    return found


def in_files(data):
    return Window(io.BytesIO(data))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (b"", b"", []),
        (b"same", b"same", []),
        (b"", b"new", [Span(0, 3, b"")]),
        (b"old", b"", [Span(0, 0, b"old")]),
        (b"old", b"new", [Span(0, 3, b"old")]),
        (b'<a href="x">', b'<a href="//h/x">', [Span(9, 4, b"")]),
        (b'<a href="../x">and what follows', b'<a href="//h/x">and what follows', [Span(9, 3, b"..")]),
        (b"a common beginning; b", b"a common beginning; c", [Span(20, 1, b"b")]),
        (b"b; a common ending", b"cc; a common ending", [Span(0, 2, b"b")]),
    ],
)
def test_spans(old, new, expected):
    assert spans(old, new) == expected


@pytest.mark.parametrize("content", [Window, in_files])
def test_each_link_of_a_page_is_a_span_of_its_own(content):
    old = b"".join(b'<li><a href="page-%d.html">The page</a> and a few words.\n' % number for number in range(1000))
    new = old.replace(b'href="', b'href="https://example.com/docs/')
    found = spans(old, new, content)
    assert len(found) == 1000
    assert sum(len(span.old) for span in found) == 0
    assert len(b"".join(pack_spans(found, 1 << 19))) < 4000


pieces = st.lists(st.one_of(st.binary(max_size=40), st.sampled_from([b"<a href=", b"x" * 300, b"ab" * 60])), max_size=8)


@given(pieces, pieces, st.randoms())
def test_the_old_content_is_restored_after_any_change(kept, others, order):
    new = [*kept, *others]
    order.shuffle(new)
    old, new = b"".join(kept), b"".join(new)
    assert spans(old, new) == spans(old, new, in_files)


@pytest.mark.parametrize("size", [1 << 12, 1 << 16, 1 << 20])
def test_only_recompressed_members_are_kept(size):
    source = random.Random(size)  # noqa: S311 - a test's
    members = [source.randbytes(source.randrange(size // 2, size)) for _ in range(12)]
    changed = [source.randbytes(len(one) + 50) if number % 3 == 1 else one for number, one in enumerate(members)]
    found = spans(b"".join(members), b"".join(changed), in_files)
    kept = sum(len(span.old) for span in found)
    assert kept == sum(len(one) for one in members[1::3])
    assert max(len(span.old) for span in found) <= 1 << 18


@pytest.mark.parametrize(
    "packed",
    [b"\x80", b"\1", b"\1\1", b"\1\1\5abc", b"\xff" * 12],
    ids=["cut number", "no length", "no size", "cut bytes", "endless number"],
)
def test_invalid_spans_are_refused(packed):
    with pytest.raises(ValueError, match="cut off"):
        list(unpack_spans([packed]))


@pytest.mark.growth
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"a", b"ab"),
        (b"a" * 30 + b"b", b"a" * 29 + b"b"),
        (b"abcdefgh" * 8, b"abcdefgx" * 8),
        (b"<a href='x'>", b"<a href='//h/x'>"),
    ],
)
def test_time_grows_with_the_content(old, new):
    def prepare(count):
        contents = old * count, new * count
        return lambda: list(changed_spans(*map(Window, contents)))

    assert_linear(prepare, 2000)
