from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.samples import HOSTILE

from linkfix.display import UNSAFE, unguard, visible, visible_line, write_rows

TEXT = st.one_of(st.text(st.characters()), st.lists(st.sampled_from([*HOSTILE, "'", " "])).map("".join))


def cells(*row):
    out = io.StringIO(newline="")
    write_rows(out, [row])
    [read] = csv.reader(io.StringIO(out.getvalue(), newline=""), strict=True)
    return read


@pytest.mark.parametrize(
    "text",
    [
        "=cmd|'/C calc'!A0",
        "+1",
        "-1",
        "@SUM(A1)",
        "\uff1d1",
        "\uff0b1",
        "\uff0d1",
        "\uff201",
        "::error::x",
        "~~~ x",
        "^^^ +++",
        "'=x",
    ],
)
@pytest.mark.parametrize("before", ["", " ", "\u3000 "])
def test_a_formula_gets_an_apostrophe(text, before):
    [cell] = cells(before + text)
    assert cell == "'" + before + text
    assert unguard(cell) == before + text


@pytest.mark.parametrize("mark", "\t\r\n")
def test_a_tab_or_line_end_before_a_formula_is_escaped(mark):
    [cell] = cells(f"{mark}=1")
    assert cell == visible(mark) + "=1"


def test_a_command_after_invisible_characters_is_escaped():
    assert cells("\u00ad::error::x", "\u200b~~~ x") == ["\\xad::error::x", "\\u200b~~~ x"]


def test_numbers_and_ordinary_text_stay():
    assert cells("a=b", "'tis", "1-2", "", None, -3, "https://h/+x") == [
        "a=b",
        "'tis",
        "1-2",
        "",
        "",
        "-3",
        "https://h/+x",
    ]
    assert unguard("'tis") == "'tis"


@given(st.lists(TEXT, min_size=1))
def test_every_row_is_one_line_and_is_read_back(row):
    out = io.StringIO(newline="")
    write_rows(out, [["", *row]])
    written = out.getvalue()
    assert written.count("\n") == 1
    assert not UNSAFE & set(map(ord, written[:-1]))
    [[_, *read]] = csv.reader([written], strict=True)
    assert all(unguard(cell) in {visible(text), visible_line(text)} for cell, text in zip(read, row, strict=True))
    assert not any(cell.strip()[:1] in tuple("=+-@\uff1d\uff0b\uff0d\uff20") for cell in read)
