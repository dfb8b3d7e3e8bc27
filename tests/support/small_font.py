"""A TrueType font that browsers accept: every printable ASCII character is one box, wider than any font's letter."""

from __future__ import annotations

import struct

__all__ = ["small_font"]

#: In units, of which an em has 1,000: the advance width of each character, and the sides of the box.
_WIDTH, _LEFT, _BOTTOM, _RIGHT, _TOP = 2000, 100, 0, 1900, 700
_FIRST, _LAST = 0x20, 0x7E
#: Seconds from 1904 until the font was made; any time does.
_TIME = 3_800_000_000


def _glyph() -> bytes:
    """A box of four points (OpenType, "glyf")."""
    head = struct.pack(">5hHH", 1, _LEFT, _BOTTOM, _RIGHT, _TOP, 3, 0)
    flags = bytes([1, 1, 1, 1])  # on the curve, with coordinates of two bytes
    across, up = _RIGHT - _LEFT, _TOP - _BOTTOM
    return head + flags + struct.pack(">4h", _LEFT, 0, across, 0) + struct.pack(">4h", _BOTTOM, up, 0, -up)


def _characters() -> bytes:
    """A map of format 4 with two segments (OpenType, "cmap"): the characters are all glyph 1."""
    count = _LAST - _FIRST + 1
    ids = struct.pack(f">{count}H", *[1] * count)
    segments = struct.pack(">2HH2H2h2H", _LAST, 0xFFFF, 0, _FIRST, 0xFFFF, 0, 1, 4, 0)
    body = struct.pack(">4H", 4, 4, 1, 0) + segments + ids
    return struct.pack(">HHHHI", 0, 1, 3, 1, 12) + struct.pack(">HHH", 4, len(body) + 6, 0) + body


def _names() -> bytes:
    """The names that a font must have (OpenType, "name"): family, style, full and PostScript name."""
    text = "Small".encode("utf-16-be")
    rows = b"".join(struct.pack(">6H", 3, 1, 0x409, number, len(text), 0) for number in (1, 2, 4, 6))
    return struct.pack(">3H", 0, 4, 6 + len(rows)) + rows + text


def small_font() -> bytes:
    """Return the font."""
    glyph = _glyph()
    tables = {
        b"OS/2": struct.pack(
            ">HhHHH11h10s4I4sHHHhhhHH",
            *(1, _WIDTH, 400, 5, 0),
            *(500, 500, 0, 0, 500, 500, 0, 500, 50, 250, 0),
            *(bytes(10), 1, 0, 0, 0, b"TEST"),
            *(0x40, _FIRST, _LAST, 800, -200, 0, 800, 200),
        )
        + struct.pack(">2I", 1, 0),
        b"cmap": _characters(),
        b"glyf": glyph * 2,
        b"head": struct.pack(
            ">IIIIHHqqhhhhHHhhh",
            *(0x10000, 0x10000, 0, 0x5F0F3CF5, 3, 1000, _TIME, _TIME),
            *(_LEFT, _BOTTOM, _RIGHT, _TOP, 0, 8, 2, 1, 0),
        ),
        b"hhea": struct.pack(
            ">I3hH11hH", 0x10000, 800, -200, 0, _WIDTH, _LEFT, _WIDTH - _RIGHT, _RIGHT, 1, *[0] * 7, 2
        ),
        b"hmtx": struct.pack(">HhHh", _WIDTH, _LEFT, _WIDTH, _LEFT),
        b"loca": struct.pack(">3I", 0, len(glyph), 2 * len(glyph)),
        b"maxp": struct.pack(">I14H", 0x10000, 2, 4, 1, 0, 0, 1, *[0] * 8),
        b"name": _names(),
        b"post": struct.pack(">IihhIIIII", 0x30000, 0, -100, 50, 0, 0, 0, 0, 0),
    }
    return _file(tables)


def _file(tables: dict[bytes, bytes]) -> bytes:
    """A font file of tables (OpenType, "Table Directory")."""
    directory, data = b"", b""
    start = 12 + 16 * len(tables)
    for tag, table in sorted(tables.items()):
        padded = table + bytes(-len(table) % 4)
        total = sum(struct.unpack(f">{len(padded) // 4}I", padded)) & 0xFFFFFFFF
        directory += struct.pack(">4s3I", tag, total, start + len(data), len(table))
        data += padded
    power = len(tables).bit_length() - 1
    return (
        struct.pack(">I4H", 0x10000, len(tables), 16 << power, power, (len(tables) << 4) - (16 << power))
        + directory
        + data
    )
