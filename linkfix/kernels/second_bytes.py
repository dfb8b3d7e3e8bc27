"""The bytes of a multi-byte encoding's characters, so that compiled loops can read its text without decoding it."""

from __future__ import annotations

from functools import cache

from linkfix.encodings.encoding import codec
from linkfix.kernels.constants import APART, JOINED, UNCLEAR

#: Encoding -> the first byte of characters of three bytes, or of characters that are two code points.
_UNCLEAR = {"euc-jp": 0x8F, "big5": 0x88}


@cache
def second_bytes(name: str) -> bytes:
    """The table of the bytes that follow a byte from 80 on in an encoding, by its name in the Encoding standard.

    `table[(first - 0x80) * 256 + second]` is APART, JOINED or UNCLEAR (`linkfix.kernels.constants`). JOINED bytes are
    one character, or one error. The table is derived from the decoder.
    """
    decode = codec(name).decode
    table = bytearray(128 * 256)
    for first in range(0x80, 0x100):
        if decode(bytes([first, 0xA1])) == decode(bytes([first])) + decode(b"\xa1"):
            continue  # a character of one byte, or an error of one
        row = (first - 0x80) * 256
        table[row + 0x80 : row + 0x100] = bytes([JOINED]) * 0x80
        if first == _UNCLEAR.get(name):
            table[row : row + 0x100] = bytes([UNCLEAR]) * 0x100
        elif name != "euc-jp":  # the only one whose second bytes are not ASCII
            table[row + 0x30 : row + 0x3A] = bytes([UNCLEAR]) * 10  # perhaps one of GB18030's characters of four bytes
            pairs = decode(b"\n".join(bytes([first, second]) for second in range(0x40, 0x7F))).split("\n")
            for second, text in enumerate(pairs, 0x40):
                table[row + second] = APART if text.endswith(chr(second)) else JOINED
    return bytes(table)
