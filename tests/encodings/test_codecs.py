from __future__ import annotations

import hashlib
from collections.abc import Iterable

import pytest
import webencodings.labels
from hypothesis import given, settings
from hypothesis import strategies as st
from support.each import for_each

from linkfix import UnknownCharset
from linkfix.encodings import codec, get_encoding, lookup
from linkfix.encodings.encoding import is_single_byte, python_codec

NAMES = sorted(set(webencodings.labels.LABELS.values()))
MULTI_BYTE = ["big5", "euc-jp", "euc-kr", "gb18030", "gbk", "shift_jis"]
UNICODE = ["utf-16be", "utf-16le", "utf-8"]
SINGLE_BYTE = [name for name in NAMES if name not in {*MULTI_BYTE, *UNICODE, "iso-2022-jp", "replacement"}]

#: The differences from the standard that the module's docstring names.
KNOWN_TO_DIFFER = {b"\xa2\x41", b"\xa2\x42", b"\x8f\xa2\xb7"}

# Digests of the results of an independent implementation of the standard, with its indexes (the npm package
# @exodus/bytes 1.16.0).
SINGLE_BYTE_DIGEST = "b679529dec5d3901"
DECODE_DIGESTS = {
    "big5": "9d13bee8e274668f",
    "euc-jp": "284328afc1c27205",
    "euc-kr": "a70cb0db6c6f738b",
    "gb18030": "ee552985d349aaa6",
    "gbk": "ee552985d349aaa6",
    "shift_jis": "dc41c920ca79b540",
}
EUC_JP_THREE_BYTE_DIGEST = "3837df8df53f1e02"
ISO_2022_JP_DIGEST = "67e0fc3cb7a0f3e2"
ENCODE_DIGESTS = {
    "big5": "e67a8d027da8e6bf",
    "euc-jp": "74449809831b01cd",
    "euc-kr": "4d520844ed4ec0ee",
    "gb18030": "b26aa81ad6853215",
    "gbk": "efb88aa836b1814b",
    "iso-2022-jp": "9a53c2089f966b47",
    "shift_jis": "e0fc8c7e92ecd258",
}
#: Characters that an encoder writes as the bytes of another: of Japanese encodings, and of GB18030 before 2022.
ENCODER_ONLY = {*"¥‾−", *map(chr, range(0xE78D, 0xE865))}


def digest(name: str, sequences: Iterable[bytes]) -> str:
    decode = codec(name).decode
    text = "\n".join(decode(sequence) for sequence in sequences)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@for_each(NAMES)
def test_single_byte_encodings_make_one_character_of_each_byte(name):
    assert is_single_byte(name) is (name in SINGLE_BYTE)
    if is_single_byte(name):
        assert len(codec(name).decode(bytes(range(256)))) == 256


def test_single_byte_decoders_are_the_standards():
    assert len(SINGLE_BYTE) == 29
    text = "\n".join(codec(name).decode(bytes(range(256))) for name in SINGLE_BYTE)
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == SINGLE_BYTE_DIGEST


@pytest.mark.slow
@pytest.mark.parametrize("name", MULTI_BYTE)
def test_all_pairs_decode_as_in_the_standard(name):
    pairs = (bytes([lead, trail]) for lead in range(0x80, 0x100) for trail in range(0x100))
    known = KNOWN_TO_DIFFER if name == "big5" else set()
    assert digest(name, (pair for pair in pairs if pair not in known)) == DECODE_DIGESTS[name]


def test_all_three_byte_sequences_of_euc_jp_decode_as_in_the_standard():
    sequences = (bytes([0x8F, second, third]) for second in range(0x80, 0x100) for third in range(0x80, 0x100))
    known = (sequence for sequence in sequences if sequence not in KNOWN_TO_DIFFER)
    assert digest("euc-jp", known) == EUC_JP_THREE_BYTE_DIGEST


@pytest.mark.slow
def test_all_pairs_of_jis_x_0208_decode_as_in_the_standard():
    pairs = (b"\x1b$B" + bytes([lead, trail]) + b"\x1b(B" for lead in range(0x100) for trail in range(0x100))
    assert digest("iso-2022-jp", pairs) == ISO_2022_JP_DIGEST


@pytest.mark.parametrize(
    ("name", "data", "text", "standard"),
    [("big5", b"\xa2\x41\xa2\x42", "／＼", "\u2215\ufe68"), ("euc-jp", b"\x8f\xa2\xb7", "~", "～")],
)
def test_known_differences_are_still_there(name, data, text, standard):
    assert codec(name).decode(data) == text != standard


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(ENCODE_DIGESTS))
def test_all_characters_encode_as_in_the_standard(name):
    """Planes 0 and 2: no index has a character of another plane. Each is a line, "?" if the encoding lacks it."""
    code_points = [*range(0xD800), *range(0xE000, 0x10000), *range(0x20000, 0x30000)]
    encode = codec(name).encode
    data = b"".join(encode(chr(code), "replace") + b"\n" for code in code_points)
    assert hashlib.sha256(data).hexdigest()[:16] == ENCODE_DIGESTS[name]


@for_each(SINGLE_BYTE)
def test_single_byte_encoders_invert_their_decoders(name):
    text = codec(name).decode(bytes(range(256)))
    for byte, character in enumerate(text):
        if character == "\ufffd":
            with pytest.raises(UnicodeEncodeError):
                codec(name).encode(character, "strict")
        else:
            assert codec(name).encode(character, "strict") == bytes([byte])


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [
        # Encoding §9.1 and §14.5: the characters that Python's windows-1252 lacks, and those that it must lack.
        ("windows-1252", b"\x80\x81\x8d\x8f\x90\x9d", "\u20ac\x81\x8d\x8f\x90\x9d"),
        ("windows-1253", b"\xd2", "\ufffd"),
        ("windows-1255", b"\xca", "\u05ba"),
        ("windows-874", b"\x81\xdb\xdc", "\x81\ufffd\ufffd"),
        ("koi8-u", b"\xae\xbe", "ўЎ"),
        ("macintosh", b"\xdb", "€"),
        ("x-user-defined", b"a\x80\xff", "a\uf780\uf7ff"),
        ("iso-8859-8-i", b"\xe0", "א"),
        # An ASCII byte after a lead byte is never consumed: no quote or bracket disappears.
        ("shift_jis", b'\x81">', '\ufffd">'),
        ("gbk", b'\x81">', '\ufffd">'),
        ("big5", b'\x81">', '\ufffd">'),
        ("euc-jp", b'\x8f\xa2">', '\ufffd">'),
        ("euc-kr", b'\x81">', '\ufffd">'),
        ("shift_jis", b"\x81\xff\x81", "\ufffd\ufffd"),
        # GB18030: four bytes, also when they end too soon, and the euro sign of GBK.
        ("gb18030", b"\x81\x30\x81\x30\x80", "\x80€"),
        ("gb18030", b"\x81\x30\x81", "\ufffd"),
        ("gb18030", b"\x81\x30", "\ufffd"),
        ("gb18030", b"\xfe\x39\xfe\x39", "\ufffd"),
        ("gb18030", b"\x81\x30<", "\ufffd0<"),
        ("gbk", b"\x90\x30\x81\x30", "\U00010000"),
        # Big5: HKSCS-2008, and one sequence that means two characters.
        ("big5", b"\x87\xdf\x88\x62\xa3\xe1", "\u9fcb\xca\u0304€"),
        ("euc-jp", b"\xad\xa1\x8e\xb1\x8f\xb0\xa1\xa1\xc1", "①ｱ丂～"),
        ("shift_jis", b"\x87\x40\xb1\xa0\xf0\x40", "①ｱ\ufffd\ue000"),
        # ISO-2022-JP: its states last beyond the end of the line; two escape sequences in a row are an error.
        ("iso-2022-jp", b"\x1b$B4A;z\x1b(B<\x1b(J\\~\x1b(I1", "漢字<¥‾ｱ"),
        ("iso-2022-jp", b"\x1b$@4A\x1b$B-!", "漢①"),
        ("iso-2022-jp", b"\x1b$B4A\n4A", "漢\ufffd漢"),
        ("iso-2022-jp", b"a\x1b(B\x1b(Bb", "a\ufffdb"),
        ("iso-2022-jp", b"\x0e\x0f\x1b\x80", "\ufffd" * 4),
        ("utf-16le", b"a\0\0\xd8b\0c", "a\ufffdb\ufffd"),
        ("utf-16be", b"\xd8\x3d\xde\0", "\U0001f600"),
        ("utf-8", b"\xe2\x82<\xf0\x9f\x98", "\ufffd<\ufffd"),
        ("replacement", b"<a href=x>", "\ufffd"),
        ("replacement", b"", ""),
    ],
)
def test_decode(name, data, text):
    assert codec(name).decode(data) == text


@pytest.mark.parametrize(
    ("name", "text", "data"),
    [
        ("gbk", "€", b"\x80"),
        ("gb18030", "€", b"\xa2\xe3"),
        ("gb18030", "\ue7c7\ue78d\U0001f600", b"\x81\x35\xf4\x37\xa6\xd9\x94\x39\xfc\x36"),
        ("big5", "十═", b"\xa4\x51\xf9\xf9"),
        ("shift_jis", "¥‾−ｱ", b"\\~\x81\x7c\xb1"),
        ("euc-jp", "¥‾−ｱ①", b"\\~\xa1\xdd\x8e\xb1\xad\xa1"),
        ("iso-2022-jp", "漢a¥b", b"\x1b$B4A\x1b(Ba\x1b(J\\b\x1b(B"),
        ("iso-2022-jp", "¥b\\‾漢", b"\x1b(J\\b\x1b(B\\\x1b(J~\x1b$B4A\x1b(B"),
        ("iso-2022-jp", "ｱﾞ", b"\x1b$B%\x22!+\x1b(B"),
        ("utf-16be", "a", b"\0a"),
        ("replacement", "é", b"\xc3\xa9"),
    ],
)
def test_encode(name, text, data):
    assert codec(name).encode(text, "strict") == data


@pytest.mark.parametrize(
    ("name", "character"),
    [
        ("gbk", "\U0001f600"),
        ("gbk", "\ue7c7"),
        ("gb18030", "\ue5e5"),
        ("gb18030", "\ud800"),
        ("big5", "\u9fcb"),  # only HKSCS has it
        ("euc-jp", "丂"),  # only JIS X 0212 has it
        ("shift_jis", "\ue000"),
        ("iso-2022-jp", "\x1b"),
        ("iso-2022-jp", "é"),
        ("windows-1252", "Ā"),
    ],
)
def test_a_character_that_the_encoding_has_not(name, character):
    with pytest.raises(UnicodeEncodeError):
        codec(name).encode(f"a{character}", "strict")
    assert codec(name).encode(f"a{character}b", "xmlcharrefreplace") == f"a&#{ord(character)};b".encode()


@for_each(sorted(webencodings.labels.LABELS.items()))
def test_every_label(label, name):
    assert get_encoding(label.encode()) == name
    assert get_encoding(b"\t\n\f\r " + label.upper().encode() + b" \r\f\n\t") == name
    assert get_encoding(b"\x0b" + label.encode()) is None


@pytest.mark.parametrize(
    "label", [b"", b" ", b"utf-7", b"utf-32", b"utf-8\0", b"utf\xad-8", b"\xff", b"\xe2\x84\xaaoi8-r"]
)
def test_no_label(label):
    assert get_encoding(label) is None


@pytest.mark.parametrize("label", ["", "none", "utf-7", "utf-32", "utf–8", "\ud800", "ﬁ"])
def test_an_unknown_label_of_a_caller(label):
    with pytest.raises(UnknownCharset, match="is not a label of the Encoding standard"):
        lookup(label)


def test_no_encoding():
    with pytest.raises(LookupError, match="'utf-7' is not an encoding"):
        codec("utf-7")
    with pytest.raises(LookupError, match="'utf-7' is not an encoding"):
        python_codec("utf-7")


@pytest.mark.slow
class TestProperties:
    @pytest.mark.parametrize("name", NAMES)
    @settings(max_examples=40)
    @given(data=st.binary(max_size=40))
    def test_decoding_never_raises_and_returns_no_surrogate(self, name, data):
        codec(name).decode(data).encode()

    @pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith(("utf-16", "repl", "iso-2022"))])
    @settings(max_examples=40)
    @given(data=st.binary(max_size=40).map(lambda data: bytes(byte & 0x7F for byte in data)))
    def test_ascii_is_ascii(self, name, data):
        assert codec(name).decode(data) == data.decode("ascii")
        assert codec(name).encode(data.decode("ascii"), "strict") == data

    @pytest.mark.parametrize("name", [name for name in NAMES if name not in {"replacement", "iso-2022-jp"}])
    @settings(max_examples=40)
    @given(data=st.data())
    def test_encoded_text_is_decoded_again(self, name, data):
        text = data.draw(st.text(max_size=20))
        text = "".join(character for character in text if character not in ENCODER_ONLY and _has(name, character))
        assert codec(name).decode(codec(name).encode(text, "strict")) == text

    @given(text=st.text(alphabet="aé漢字ｱ¥‾\n<①", max_size=20))
    def test_iso_2022_jp_is_read_again(self, text):
        data = codec("iso-2022-jp").encode(text, "xmlcharrefreplace")
        assert codec("iso-2022-jp").decode(data) == text.replace("é", "&#233;").replace("ｱ", "ア")


def _has(name, character):
    try:
        codec(name).encode(character, "strict")
    except UnicodeEncodeError:
        return False
    return True


@pytest.mark.growth
@pytest.mark.parametrize("name", [*MULTI_BYTE, "iso-2022-jp", "utf-8"])
def test_many_errors(name):
    """That this ends is the test: each error must cost the same, however long the data."""
    assert codec(name).decode(b"\xff\x81 " * 300_000) == "\ufffd\ufffd " * 300_000
