"""The memory that a document full of links needs. Results do not depend on the saving of memory."""

from __future__ import annotations

import tracemalloc

import pytest
from support.memory import peak_growth

import linkfix
from linkfix import Document, Envelope

URL = "https://example.com/d/"
DENSE = b"".join(b'<a href="page%06d.html">x</a>\n' % number for number in range(100_000))


@pytest.mark.skipif(not linkfix.COMPILED, reason="plain Python's integers are objects, and take more")
def test_a_page_full_of_links_takes_four_times_its_size(tmp_path):
    small, large = tmp_path / "small.html", tmp_path / "large.html"
    small.write_bytes(DENSE[:3000])
    large.write_bytes(DENSE)
    bound = 4 * len(DENSE)
    assert peak_growth(*(["absolutize", str(path), "--url", URL] for path in (small, large)), bound) < bound


@pytest.mark.parametrize("before", [b"", b"<base href=b/>", b"<!doctype html><base href='data:,'><meta charset=x>"])
def test_a_dropped_outline_is_rebuilt(before):
    data = before + b"<a href=x>" * 20_000 + b"<a href='http://['>"
    one, other = (Document(data, envelope=Envelope(URL)) for _ in range(2))
    made = one.convert()
    assert "_outline" not in vars(one)
    assert one.links == other.links
    assert one.convert() == made == other.convert()
    assert (one.base, one.problems) == (other.base, other.problems)
    assert one.rewrite(lambda link: link.target) == other.rewrite(lambda link: link.target)
    assert one.with_url("https://h/").absolutize() == linkfix.absolutize(data, "https://h/")


MANY_BASES = b"".join(b"<base href=%06d>" % number for number in range(50_000))
MANY_LABELS = b"<a href='http://%s/'>" % (b"a." * 500_000)


@pytest.mark.skipif(not linkfix.COMPILED, reason="plain Python's integers are objects, and take more")
@pytest.mark.parametrize(("data", "times"), [(MANY_BASES, 12), (MANY_LABELS, 7)], ids=["BASE elements", "labels"])
def test_text_that_decides_nothing_takes_little_memory(data, times):
    tracemalloc.start()
    try:
        assert len(linkfix.absolutize(data, URL)) >= len(data)
        assert tracemalloc.get_traced_memory()[1] < times * len(data)
    finally:
        tracemalloc.stop()
