from __future__ import annotations

import pytest
import webencodings.labels
from hypothesis import given
from hypothesis import strategies as st
from support.each import for_each

from linkfix import Encoding
from linkfix.encodings import STR, decode_reversibly

NAMES = sorted(set(webencodings.labels.LABELS.values()))
NOT_ASCII_COMPATIBLE = {"utf-16le", "utf-16be", "iso-2022-jp", "replacement"}


@for_each(NAMES)
def test_ascii_compatible(name):
    encoding = Encoding(name, "transport", "")
    assert encoding.ascii_compatible is (name not in NOT_ASCII_COMPATIBLE)
    markup = "".join(map(chr, range(0x80)))
    if encoding.ascii_compatible:
        assert encoding.decode(markup.encode()) == markup
        assert encoding.encode(markup) == markup.encode()


@pytest.mark.parametrize(
    ("name", "codec"),
    [("utf-8", "utf-8"), ("windows-1252", "cp1252"), ("utf-16le", "utf-16-le"), ("shift_jis", "cp932")],
)
def test_codec(name, codec):
    assert Encoding(name, "meta", "").codec == codec


def test_str():
    assert (STR.name, STR.source, STR.bom, STR.ascii_compatible, STR.problems) == ("utf-8", "str", 0, True, ())


def test_encode_with_an_error_handler():
    encoding = Encoding("windows-1252", "transport", "")
    assert encoding.encode("é漢", "xmlcharrefreplace") == b"\xe9&#28450;"
    with pytest.raises(UnicodeEncodeError):
        encoding.encode("漢")


class TestDecodeReversibly:
    @pytest.mark.parametrize(
        ("name", "bom", "data", "text"),
        [
            ("utf-16le", 2, "\ufeff<a href=漢>".encode("utf-16-le"), "<a href=漢>"),
            ("utf-16be", 2, "\ufeff<a href=\U0001f600>".encode("utf-16-be"), "<a href=\U0001f600>"),
            ("utf-8", 3, "\ufeff<a>".encode(), "<a>"),
            ("utf-16le", 2, "\ufeff\ufeff".encode("utf-16-le"), "\ufeff"),
            ("utf-16be", 0, "<?xml version='1.0'?>".encode("utf-16-be"), "<?xml version='1.0'?>"),
            ("iso-2022-jp", 0, b"<meta charset=iso-2022-jp>\x1b$B4A;z\x1b(B", "<meta charset=iso-2022-jp>漢字"),
            ("iso-2022-jp", 0, b"<meta charset=iso-2022-jp>\x1b(J\\\x1b(B", "<meta charset=iso-2022-jp>¥"),
            ("windows-1252", 0, b"\x81\x8d", "\x81\x8d"),
            ("windows-1252", 0, b"", ""),
        ],
    )
    def test_there_and_back(self, name, bom, data, text):
        encoding = Encoding(name, "meta", "", bom)
        assert decode_reversibly(data, encoding) == text
        assert data[: encoding.bom] + encoding.encode(text) == data

    @pytest.mark.parametrize(
        ("name", "bom", "data"),
        [
            ("utf-16le", 2, b"\xff\xfea"),  # half a code unit
            ("utf-16le", 2, b"\xff\xfe\0\xd8"),  # a lone surrogate
            ("utf-16be", 2, b"\xfe\xff\xdc\0\xd8\0"),
            ("iso-2022-jp", 0, b"<meta charset=iso-2022-jp>\x1b$@4A\x1b(B"),  # another escape sequence means the same
            ("iso-2022-jp", 0, b"<meta charset=iso-2022-jp>\x1b(Ja\x1b(B"),
            ("iso-2022-jp", 0, b"<meta charset=iso-2022-jp>\x1b(I1\x1b(B"),  # half-width katakana are not written
            ("iso-2022-jp", 0, b"<meta charset=iso-2022-jp>\x1b$B4A"),
            ("iso-2022-jp", 0, b"<meta charset=iso-2022-jp>\xff"),
            ("replacement", 0, b"<meta charset=hz-gb-2312>"),
            ("utf-8", 0, b"<meta charset=utf-8>\xff"),
        ],
    )
    def test_no_way_back(self, name, bom, data):
        assert decode_reversibly(data, Encoding(name, "meta", "", bom)) is None

    @given(text=st.text(max_size=30), name=st.sampled_from(["utf-16le", "utf-16be", "utf-8"]), marked=st.booleans())
    def test_unicode_always(self, text, name, marked):
        mark = {"utf-16le": b"\xff\xfe", "utf-16be": b"\xfe\xff", "utf-8": b"\xef\xbb\xbf"}[name] if marked else b""
        encoding = Encoding(name, "transport", "", len(mark))
        assert decode_reversibly(mark + encoding.encode(text), encoding) == text

    @given(data=st.binary(max_size=30), name=st.sampled_from(NAMES))
    def test_decoded_text_is_encoded_to_the_same_bytes(self, data, name):
        encoding = Encoding(name, "transport", "")
        text = decode_reversibly(data, encoding)
        assert text is None or encoding.encode(text) == data


def test_a_part_of_a_text_that_ends_within_a_character_is_decoded():
    assert STR.decode("漀\ud800".encode("utf-8", "surrogatepass")) == "漀\ufffd"
    assert STR.decode("a漀".encode()[:-1]) == "a\ufffd"
