"""Percent-encode after encoding (URL §1.3), with the encoders of the Encoding standard.

Python's codecs are not these encoders: in many encodings they write other bytes for some characters, or have
characters that the standard has not, or lack some that it has. An encoder of the standard inverts an *index*, and the
indexes are what Python's decoders read, but for the rows in `_PATCHES`: so each index is read out of a decoder, once,
and inverted as its encoder says. Held against the standard's indexes over all code points, no difference remains.
"""

from __future__ import annotations

import codecs
import itertools
from collections.abc import Callable, Iterable
from functools import cache
from typing import TypeAlias

import webencodings

from linkfix.errors import UnknownCharset

__all__ = ["encoding_name", "percent_encode_query"]

#: "Get an output encoding" (Encoding §4.3): what documents in these put into a URL is UTF-8.
_UTF_8 = frozenset({"replacement", "utf-16be", "utf-16le", "utf-8"})

#: The special-query percent-encode set (URL §1.3), as bytes.
_SPECIAL_QUERY = frozenset({*range(0x21), *b"\"#<>'", *range(0x7F, 0x100)})
_FORMS = tuple(f"%{byte:02X}" if byte in _SPECIAL_QUERY else chr(byte) for byte in range(0x100))

_Index: TypeAlias = dict[str, bytes]


def _rows(characters: str, data: str) -> _Index:
    return {character: bytes.fromhex(row) for character, row in zip(characters, data.split(), strict=True)}


#: encoding -> character -> bytes: what the standard's indexes have, and Python's decoders have not.
_PATCHES: dict[str, _Index] = {
    # Two letters of Belarusian in place of two box drawings.
    "koi8-u": _rows("\u045e\u040e", "AE BE"),
    "windows-1255": _rows("\u05ba", "CA"),
    # The control pictures, and characters that Python has at other pointers only.
    "big5": {chr(0x2400 + i): bytes((0xA3, 0xC0 + i)) for i in range(0x20)}
    | _rows(
        "\u2421\u4edd\u5605\u5ed0\u5ef4\u60a4\u65e0\u732a\u7676\u96b6",
        "A3E0 C6DF FB48 FBF9 C6CF FC6C C6D3 FE52 C6D5 C6D7",
    ),
    # GB 18030-2022; Python has an older edition.
    "gb18030": _rows(
        "\u1e3f\u9fb4\u9fb5\u9fb6\u9fb7\u9fb8\u9fb9\u9fba\u9fbb\ue7c7",
        "A8BC FE59 FE61 FE66 FE67 FE6D FE7E FE90 FEA0 8135F437",
    )
    | _rows(
        "\ufe10\ufe11\ufe12\ufe13\ufe14\ufe15\ufe16\ufe17\ufe18\ufe19",
        "A6D9 A6DB A6DA A6DC A6DD A6DE A6DF A6EC A6ED A6F3",
    ),
}
#: encoding -> characters that Python's decoders have and the standard's encoders have not.
_ABSENT = {"koi8-u": "\u255d\u256c", "gb18030": "\ue5e5"}

#: Index Big5 pointer (Encoding §5): characters whose last pointer counts, not the first.
_BIG5_LAST = "\u2550\u255e\u2561\u256a\u5341\u5345"

#: Shift_JIS's bytes for the 94 rows of 94 cells of index jis0208: each lead byte is two rows.
_LEADS = bytes((*range(0x81, 0xA0), *range(0xE0, 0xF0)))
_TRAILS = bytes((*range(0x40, 0x7F), *range(0x80, 0xFD)))
_CELLS = 94
#: Encoding §12.3.2, index Shift_JIS pointer: the copy of IBM's extension in these rows is for decoding only.
_IBM_COPY = b"\xed\xee"
_IBM_EXTENSION = b"\xfa\xfb\xfc"

_C1_CONTROLS = range(0x80, 0xA0)
_HALFWIDTH = [chr(point) for point in range(0xFF61, 0xFFA0)]
#: Index ISO-2022-JP katakana: what the halfwidth forms become in that encoding.
_KATAKANA = (
    "。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツ"
    "テトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン゛゜"
)

#: What ISO-2022-JP's Roman set has in place of two of ASCII's.
_ROMAN = {"\u00a5": "\\", "\u203e": "~"}
_MINUS_SIGN, _FULLWIDTH_HYPHEN_MINUS = "\u2212", "\uff0d"


def encoding_name(label: str) -> str:
    """Get an encoding (Encoding §4.2): the name of the encoding that `label` stands for.

    Raises `UnknownCharset` where it stands for none.

    >>> encoding_name("Latin1")
    'windows-1252'
    """
    return _lookup(label).name


def _lookup(label: str) -> webencodings.Encoding:
    encoding = webencodings.lookup(label)
    if encoding is None:
        message = f"{label!r} is not a label of the Encoding standard: give one such as 'utf-8' or 'windows-1251'"
        raise UnknownCharset(message)
    return encoding


def percent_encode_query(text: str, encoding: str) -> str:
    """Percent-encode after encoding, with the special-query percent-encode set.

    `text`: a scalar value string, the query of a URL whose scheme is special. `encoding`: a name (not a label) in the
    Encoding standard. A character that the encoding has not becomes a numeric character reference, percent-encoded.

    >>> percent_encode_query("1+1 ≡ 2%20‽", "shift_jis")
    '1+1%20%81%DF%202%20%26%238253%3B'
    """
    if encoding == "iso-2022-jp":
        return _iso_2022_jp(text)
    if encoding in _UTF_8:
        return _percent_encode(text.encode())
    index = _index(encoding)
    parts = []
    for character in text:
        if character.isascii():
            parts.append(_FORMS[ord(character)])
        elif character in index:
            parts.append(_percent_encode(index[character]))
        elif encoding == "gb18030" and character not in _ABSENT["gb18030"]:
            parts.append(_percent_encode(character.encode("gb18030")))  # the index gb18030 ranges
        else:
            parts.append(_reference(character))
    return "".join(parts)


def _percent_encode(data: bytes) -> str:
    return "".join([_FORMS[byte] for byte in data])


def _reference(character: str) -> str:
    return f"%26%23{ord(character)}%3B"


def _iso_2022_jp(text: str) -> str:
    """Encode by the one encoder that has a state (Encoding §12.2.2), from ASCII and back to ASCII."""
    to_ascii, to_roman, to_jis0208 = "%1B(B", "%1B(J", "%1B$B"
    index = _index("iso-2022-jp")
    parts: list[str] = []
    state = to_ascii
    for character in text:
        if character in index:
            needed, form = to_jis0208, _percent_encode(index[character])
        elif character in _ROMAN:
            needed, form = to_roman, _ROMAN[character]
        else:
            needed = to_ascii if state == to_jis0208 or character in _ROMAN.values() else state
            if character in "\x0e\x0f\x1b":  # shifts and escapes are the encoding's own
                form = _reference("\ufffd")
            else:
                form = _FORMS[ord(character)] if character.isascii() else _reference(character)
        if needed != state:
            state = needed
            parts.append(state)
        parts.append(form)
    if state != to_ascii:
        parts.append(to_ascii)
    return "".join(parts)


@cache
def _index(encoding: str) -> _Index:
    """Invert the encoding's index: character -> bytes, for what is not ASCII."""
    make = _INDEXES.get(encoding)
    index = (make() if make else _single_byte(encoding)) | _PATCHES.get(encoding, {})
    for character in _ABSENT.get(encoding, ""):
        index.pop(character, None)
    return index


def _single_byte(encoding: str) -> _Index:
    """Encoding §9. Python's decoders leave some bytes undefined that the indexes have C1 controls for."""
    decode = _lookup(encoding).codec_info.decode
    index = {}
    for byte in range(0x80, 0x100):
        data = bytes((byte,))
        character = _decoded(data, decode) or (chr(byte) if byte in _C1_CONTROLS else None)
        if character is not None:
            index[character] = data
    return index


def _gb18030() -> _Index:
    return _double_byte("gb18030", range(0x81, 0xFF), range(0x40, 0xFF))


def _gbk() -> _Index:
    """Encoding §10.1.2: the encoder of GB18030 without the four-byte forms, and with a euro sign of its own."""
    index = {character: data for character, data in _index("gb18030").items() if len(data) == len(b"\xa1\xa1")}
    return index | {"\u20ac": b"\x80"}


def _big5() -> _Index:
    """Encoding §11.1.2: the extension of Hong Kong below 0xA1 is for decoding only."""
    trails = (*range(0x40, 0x7F), *range(0xA1, 0xFF))
    symbols = _double_byte("cp950", range(0xA1, 0xA4), trails)
    others = _double_byte("big5hkscs", range(0xA4, 0xFF), trails)
    return others | symbols | {character: others[character] for character in _BIG5_LAST}


def _euc_kr() -> _Index:
    return _double_byte("cp949", range(0x81, 0xFF), range(0x41, 0xFF))


def _shift_jis() -> _Index:
    """Encoding §12.3.2."""
    leads = (*(lead for lead in _LEADS if lead not in _IBM_COPY), *_IBM_EXTENSION)
    katakana = {character: bytes((0xA1 + i,)) for i, character in enumerate(_HALFWIDTH)}
    return _with_variants(_double_byte("cp932", leads, _TRAILS)) | {"\x80": b"\x80"} | katakana


def _euc_jp() -> _Index:
    """Encoding §12.1.2."""
    katakana = {character: bytes((0x8E, 0xA1 + i)) for i, character in enumerate(_HALFWIDTH)}
    return _with_variants(_jis0208(0xA1)) | katakana


def _iso_2022_jp_jis0208() -> _Index:
    """Encoding §12.2.2, steps 8-13."""
    index = _jis0208(0x21)
    katakana = {narrow: index[wide] for narrow, wide in zip(_HALFWIDTH, _KATAKANA, strict=True)}
    return index | {_MINUS_SIGN: index[_FULLWIDTH_HYPHEN_MINUS]} | katakana


def _with_variants(index: _Index) -> _Index:
    """Add the characters that EUC-JP and Shift_JIS write as others of the same look."""
    roman = {character: form.encode() for character, form in _ROMAN.items()}
    return index | roman | {_MINUS_SIGN: index[_FULLWIDTH_HYPHEN_MINUS]}


def _jis0208(offset: int) -> _Index:
    """Write the rows and cells of index jis0208 as pairs of bytes that count from `offset`."""
    index = {}
    for character, (lead, trail) in _double_byte("cp932", _LEADS, _TRAILS).items():
        row, cell = divmod(_LEADS.index(lead) * len(_TRAILS) + _TRAILS.index(trail), _CELLS)
        index[character] = bytes((offset + row, offset + cell))
    return index


def _double_byte(codec: str, leads: Iterable[int], trails: Iterable[int]) -> _Index:
    """Read an index out of Python's decoder; the first pointer counts."""
    decode = codecs.lookup(codec).decode
    index: _Index = {}
    for data in map(bytes, itertools.product(leads, trails)):
        character = _decoded(data, decode)
        if character is not None:
            index.setdefault(character, data)
    return index


def _decoded(data: bytes, decode: Callable[[bytes, str], tuple[str, int]]) -> str | None:
    """Decode to one character, or None."""
    try:
        text = decode(data, "strict")[0]
    except UnicodeDecodeError:
        return None
    return text if len(text) == 1 else None


_INDEXES: dict[str, Callable[[], _Index]] = {
    "big5": _big5,
    "euc-jp": _euc_jp,
    "euc-kr": _euc_kr,
    "gb18030": _gb18030,
    "gbk": _gbk,
    "iso-2022-jp": _iso_2022_jp_jis0208,
    "shift_jis": _shift_jis,
}
