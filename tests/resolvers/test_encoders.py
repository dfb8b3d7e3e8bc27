"""Percent-encode after encoding: the standards' own examples, and each place where Python's codecs go other ways."""

from __future__ import annotations

import hashlib
import subprocess
import sys

import pytest

from linkfix.resolvers.whatwg import percent_encode_query

#: Every scalar value of planes 0 and 2, in order.
PLANES = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x10000), *range(0x20000, 0x30000))))

#: encoding -> the start of the SHA-256 of `PLANES` percent-encoded by another implementation of the URL standard's
#: algorithm, @exodus/bytes 1.16 (npm), which carries the indexes of the Encoding standard with it.
DIGESTS = {
    "ibm866": "d18992d9a5d8d37a",
    "iso-8859-2": "f048d3fa4e19adc1",
    "iso-8859-3": "55bb35131d9e949c",
    "iso-8859-4": "713abc2b1f748166",
    "iso-8859-5": "f399c53824a8db40",
    "iso-8859-6": "9ee80706a7bedd29",
    "iso-8859-7": "2ae5be34962e8849",
    "iso-8859-8": "6d301cfaba62549a",
    "iso-8859-8-i": "6d301cfaba62549a",
    "iso-8859-10": "c765dbfd56fb85fe",
    "iso-8859-13": "d32ecf1629280d59",
    "iso-8859-14": "8ba2970d056094ff",
    "iso-8859-15": "9e94c55a3815eec8",
    "iso-8859-16": "9dd54db8c95416ac",
    "koi8-r": "71c03bd536019b5b",
    "koi8-u": "0cb1ad0b9015465f",
    "macintosh": "a9b7587cb48c5c89",
    "windows-874": "635316d437e9369c",
    "windows-1250": "9c8ec366bcd22b15",
    "windows-1251": "afd764efd4cce20b",
    "windows-1252": "a1a3462e75fc4c88",
    "windows-1253": "407898ee80c9637f",
    "windows-1254": "d5d18100f9956a5c",
    "windows-1255": "dfe14341f1159584",
    "windows-1256": "9bb4a5bdbb347c68",
    "windows-1257": "76e26ba014c1f100",
    "windows-1258": "15cedccdcd4650cf",
    "x-mac-cyrillic": "6ef3b75222f70c32",
    "gbk": "f8ac4e30dac634df",
    "gb18030": "c316a209b4e8157f",
    "big5": "c5e08380e69fc5e8",
    "euc-jp": "acae080c21c9a6b1",
    "iso-2022-jp": "e4a0fe4b3deca19b",
    "shift_jis": "e12fa91cd6027e33",
    "euc-kr": "501ca98b5d819d4c",
    "x-user-defined": "cb86ce02b5508159",
}


@pytest.mark.slow
@pytest.mark.parametrize(("encoding", "digest"), DIGESTS.items())
def test_an_encoder_is_the_standard_s_for_every_character(encoding, digest):
    encoded = percent_encode_query(PLANES, encoding)
    assert hashlib.sha256(encoded.encode("ascii")).hexdigest().startswith(digest)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16le", "utf-16be", "replacement"])
def test_an_output_encoding_is_utf_8_for_these(encoding):
    """Encoding §4.3, get an output encoding."""
    assert percent_encode_query("\u20ac\U00020000", encoding) == "%E2%82%AC%F0%A0%80%80"


@pytest.mark.parametrize(
    ("text", "encoding", "encoded"),
    [
        # URL §1.3, the table of examples, except the space: that one uses another percent-encode set.
        ("\u2261", "shift_jis", "%81%DF"),
        ("\u203d", "shift_jis", "%26%238253%3B"),
        ("\u00a5", "iso-2022-jp", "%1B(J\\%1B(B"),
        ("1+1 \u2261 2%20\u203d", "shift_jis", "1+1%20%81%DF%202%20%26%238253%3B"),
        # The special-query percent-encode set.
        ("\0\x1f \"#<>'\x7f", "windows-1252", "%00%1F%20%22%23%3C%3E%27%7F"),
        ("!$%&()*+,-./09:;=?@AZ[\\]^_`az{|}~", "windows-1252", "!$%&()*+,-./09:;=?@AZ[\\]^_`az{|}~"),
        # Windows encodings have C1 controls at the bytes that Python leaves undefined.
        ("\x81\u20ac", "windows-1252", "%81%80"),
        ("\x80", "windows-1252", "%26%23128%3B"),
        ("\u05ba", "windows-1255", "%CA"),
        ("\u045e\u040e\u255d", "koi8-u", "%AE%BE%26%239565%3B"),
        ("\uf780\uf7ff", "x-user-defined", "%80%FF"),
        # Encoding §10: one index, two encoders.
        ("\u20ac", "gbk", "%80"),
        ("\u20ac", "gb18030", "%A2%E3"),
        ("\ue5e5", "gb18030", "%26%2358853%3B"),
        ("\ue7c7\u1e3f\ufe10", "gb18030", "%815%F47%A8%BC%A6%D9"),
        ("\U0001f4a9", "gb18030", "%949%DA3"),
        ("\U0001f4a9", "gbk", "%26%23128169%3B"),
        # Encoding §11: Hong Kong's extension is for decoding only; six characters have their last pointer.
        ("\u00a2\u2020", "big5", "%26%23162%3B%26%238224%3B"),
        ("\u2550\u5341\u5345", "big5", "%F9%F9%A4Q%A4%CA"),
        # Encoding §12: one index, three encoders.
        ("\u2212\u00a5\u203e\uff71", "shift_jis", "%81|\\~%B1"),
        ("\u2212\u00a5\u203e\uff71", "euc-jp", "%A1%DD\\~%8E%B1"),
        ("\u2170\u301c\ue000", "shift_jis", "%FA@%26%2312316%3B%26%2357344%3B"),
        ("\u2170\u00a6", "euc-jp", "%FC%F1%26%23166%3B"),
    ],
)
def test_examples(text, encoding, encoded):
    assert percent_encode_query(text, encoding) == encoded


@pytest.mark.parametrize(
    ("text", "encoded"),
    [
        ("a\u3042b", "a%1B$B$%22%1B(Bb"),
        ("\u3042\u3044", "%1B$B$%22$$%1B(B"),  # one escape for a run
        ("\u3042\u00a5\u3044", "%1B$B$%22%1B(J\\%1B$B$$%1B(B"),
        ("\u00a5a\u203e", "%1B(Ja~%1B(B".replace("a", "\\a", 1)),  # most of ASCII is in Roman too
        ("\u00a5\\", "%1B(J\\%1B(B\\"),
        ("\u3042\u20ac\u3042", "%1B$B$%22%1B(B%26%238364%3B%1B$B$%22%1B(B"),  # an error ends a run
        ("\u00a5\u20ac\u00a5", "%1B(J\\%26%238364%3B\\%1B(B"),  # but not Roman
        ("\u3042\x0e", "%1B$B$%22%1B(B%26%2365533%3B"),
        ("\x0e\x0f\x1b", "%26%2365533%3B" * 3),
        ("\uff71\uff9e", "%1B$B%%22!+%1B(B"),
        ("\u2212", "%1B$B!]%1B(B"),
    ],
)
def test_iso_2022_jp_has_a_state(text, encoded):
    assert percent_encode_query(text, "iso-2022-jp") == encoded


def test_unknown_encodings():
    with pytest.raises(LookupError, match="'klingon' is not an encoding"):
        percent_encode_query("", "klingon")


def test_the_tables_are_read_at_first_use():
    code = (
        "from linkfix.resolvers import resolve; from linkfix.encodings.encoding import codec; "
        "before = codec.cache_info().currsize; resolve('http://a/', '?\\xe9', encoding='big5'); "
        "print(before, codec.cache_info().currsize)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["0", "1"]
