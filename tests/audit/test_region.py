from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.growth import processor_limit

from linkfix import Document
from linkfix.auditing.findings import Regions

HERE = "»here«"


def region(text, place=HERE, encoding="utf-8"):
    """The region of a place in a page of that encoding, and the page's bytes."""
    data = text.encode(encoding)
    document = Document(data, charset=encoding)
    working = document.source.data
    marked = place.encode(document.source.working.name)
    start = working.index(marked)
    return Regions(document).of(start, start + len(marked)), data


class TestPlace:
    @pytest.mark.parametrize("encoding", ["utf-8", "utf-16le", "utf-16be", "windows-1252"])
    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_in_bytes_of_the_file_and_in_characters(self, encoding, end):
        found, data = region(f"one{end}{end}ü {HERE} x{end}", encoding=encoding)
        assert (found.line, found.column, found.end_line, found.end_column) == (3, 3, 3, 3 + len(HERE))
        assert data[found.start : found.end].decode(encoding) == HERE
        assert found.excerpt == f"ü {HERE} x"

    @pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
    def test_a_byte_order_mark_is_part_of_the_file_and_no_character(self, encoding):
        data = f"ü {HERE}".encode(encoding)
        document = Document(data)
        working = document.source.data
        start = working.index(HERE.encode())
        found = Regions(document).of(start, start + len(HERE.encode()))
        assert (found.line, found.column) == (1, 3)
        assert data[found.start : found.end] == HERE.encode(encoding.replace("-sig", "").replace("16", "16-le"))

    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_over_lines(self, end):
        found, _ = region(f"x{end}ab{HERE}c{end}de", place=f"{HERE}c{end}d")
        assert (found.line, found.column, found.end_line, found.end_column) == (2, 3, 3, 2)
        assert found.excerpt == f"ab{HERE}c de"

    def test_the_line_and_column_that_are_known(self):
        document = Document(b"abc")
        assert Regions(document).of(1, 2, (7, 9))[:4] == (7, 9, 7, 10)

    def test_a_page_as_a_whole(self):
        assert Regions(Document(b"")).of(0, 0) == (1, 1, 1, 1, 0, 0, "")


class TestExcerpt:
    @pytest.mark.parametrize(
        ("text", "excerpt"),
        [
            (f"a\n  b\t{HERE}  c  \nd", f"b {HERE} c"),
            (f"a\r  b\t{HERE}  c  \rd", f"b {HERE} c"),
            (HERE, HERE),
            (f"{HERE}\n", HERE),
            (f"\n{HERE}", HERE),
            (f"a\n{'-' * 40}{HERE}{'-' * 40}\nd", f"{'-' * 40}{HERE}{'-' * 40}"),
            (f"{'a' * 500}{HERE}{'b' * 500}", f"…{'a' * 100}{HERE}{'b' * 160}…"),
            (f"{'a' * 100}{HERE}{'b' * 160}", f"{'a' * 100}{HERE}{'b' * 160}"),
            (f"\n{'a' * 100}{HERE}{'b' * 160}\n", f"{'a' * 100}{HERE}{'b' * 160}"),
            (f"{'€' * 500}{HERE}{'€' * 500}", f"…{'€' * 33}{HERE}{'€' * 53}…"),
            (f"{'😀' * 500}{HERE}x{'😀' * 500}", f"…{'😀' * 25}{HERE}x{'😀' * 39}…"),
        ],
    )
    def test_examples(self, text, excerpt):
        assert region(text)[0].excerpt == excerpt

    def test_of_a_long_place(self):
        place = "x" * 10_000
        assert region(f"a {place} b", place=place)[0].excerpt == f"a {'x' * 320}…"

    def test_of_pages_in_other_encodings(self):
        text = f"{'漢' * 500}here{'漢' * 500}"
        found = region(text, place="here", encoding="shift_jis")[0].excerpt
        assert found == f"…{'漢' * 50}here{'漢' * 80}…"

    @given(st.text(alphabet="a \n\r\té€😀", max_size=400), st.text(alphabet="a \n\r\té€😀", max_size=400))
    def test_is_a_part_of_the_text_on_one_line(self, before, after):
        found = region(f"{before}{HERE}{after}")[0].excerpt
        assert HERE in found
        assert "\ufffd" not in found
        assert found.splitlines() == [found]
        assert found.strip("…").strip() in " ".join(f"{before}{HERE}{after}".split())

    @pytest.mark.parametrize(
        "encoding", ["utf-8", "windows-1252", "shift_jis", "gbk", "big5", "utf-16le", "iso-2022-jp"]
    )
    @pytest.mark.parametrize("user", ["//me:{}@h/", "//me:{}&#64;h/", "https&colon;me&#58;{}@h/", r"\/\/me:{}\u0040h/"])
    def test_has_no_part_of_a_password_at_any_cut(self, encoding, user):
        url = user.format("QWZ" * 10 + ("é" if encoding == "windows-1252" else "表") * 3 + "QWZ" * 10)
        for distance in range(0, 200, 3):
            found = region(f"a {url}{'x' * distance}here{'y' * distance}{url} b", "here", encoding)[0]
            assert not set("QWZé表") & set(found.excerpt), distance
            assert "here" in found.excerpt

    @pytest.mark.growth
    def test_a_page_of_one_line_is_handled_quickly(self):
        line = "<a href=x>é</a>" * 100_000
        document = Document(line.encode(), charset="utf-8")
        regions = Regions(document)
        size = len(document.source.data)
        with processor_limit(5):
            columns = [regions.of(place, place + 1).column for place in range(9, size, 160)]
        assert columns == [place - 16 * (place // 16) + 15 * (place // 16) + 1 for place in range(9, size, 160)]
