"""Changes a document or a container at random, along its structure: tags, attributes, values, lines, and bytes."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from fuzz.pieces import piece, reference, referenced, value

__all__ = ["mutate", "mutate_lines", "window"]

_TOKEN = re.compile(rb"<!--.*?-->|<[^<>]*>|[^<]+|<", re.DOTALL)
_ATTRIBUTE_VALUE = re.compile(rb"""=[ \t\n\f\r]*(?:"([^"]*)"|'([^']*)'|([^\s"'>][^\s>]*))""")
_NAME = re.compile(rb"(?<=[<\s/])[A-Za-z][A-Za-z0-9:-]*")
_SYNTAXES = ("url", "url", "srcset", "css", "refresh", "space-list", "importmap", "srcdoc", "json-ld")
#: Bytes that mean much to some state, encoding or syntax.
_SPECIAL = (
    *(bytes([byte]) for byte in b"<>\"'&;=/ !-[]?#%\\\0\t\n\r\f,()`{}:@"),
    *(
        b"\x80",
        b"\xff",
        b"\xfe\xff",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"\x1b$B",
        b"\x1b(B",
        b"\x8e",
        b"\x81",
        b"\x81\x30\x81\x30",
    ),
    *(
        b"\xed\xa0\x80",
        b"\xc0\xaf",
        b"\xe9",
        b"\xc3",
        b"--!>",
        b"-->",
        b"]]>",
        b"<!--",
        b"<![CDATA[",
        b"</script",
        b"&#",
    ),
)
#: The most bytes of a document that is fuzzed: small ones are quick, and have all that large ones have.
_LONGEST = 1500


def window(random: Random, data: bytes) -> bytes:
    """A part of a long document that begins and ends between tokens; a short one as it is."""
    if len(data) <= _LONGEST:
        return data
    tokens = _TOKEN.findall(data)
    start = random.randrange(len(tokens))
    end, length = start, 0
    while end < len(tokens) and length < _LONGEST:
        length += len(tokens[end])
        end += 1
    return b"".join(tokens[start:end])[: 2 * _LONGEST]


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _tokens(random: Random, data: bytes, other: bytes) -> bytes:
    """Tokens are removed, repeated, moved, or taken from another document."""
    tokens = _TOKEN.findall(data) or [b""]
    at = random.randrange(len(tokens))
    how = random.randrange(5)
    if how == 0:
        del tokens[at : at + random.randrange(1, 4)]
    elif how == 1:
        tokens[at:at] = tokens[at : at + random.randrange(1, 4)]
    elif how == 2:
        tokens.insert(random.randrange(len(tokens)), tokens.pop(at))
    elif how == 3:
        others = _TOKEN.findall(other) or [b""]
        begin = random.randrange(len(others))
        tokens[at:at] = others[begin : begin + random.randrange(1, 6)]
    else:
        tokens.insert(at, _encoded(piece(random)))
    return b"".join(tokens)


def _values(random: Random, data: bytes, _other: bytes) -> bytes:
    """The value of an attribute becomes another one, or is written otherwise."""
    found = list(_ATTRIBUTE_VALUE.finditer(data))
    if not found:
        return data
    match = random.choice(found)
    start, end = match.span(match.lastindex or 0)
    old = data[start:end]
    how = random.randrange(4)
    if how == 0:
        new = _encoded(value(random, random.choice(_SYNTAXES)))
    elif how == 1:
        new = _encoded(
            referenced(random, old.decode("utf-8", "surrogateescape"))
            .encode("utf-8", "surrogateescape")
            .decode("utf-8", "replace")
        )
    elif how == 2:
        at = random.randrange(len(old) + 1)
        new = old[:at] + _encoded(reference(random)) + old[at:]
    else:
        new = old * random.randrange(4)
    return data[:start] + new + data[end:]


def _names(random: Random, data: bytes, _other: bytes) -> bytes:
    """The name of a tag or an attribute becomes that of another one."""
    found = list(_NAME.finditer(data))
    if not found:
        return data
    start, end = random.choice(found).span()
    from_start, from_end = random.choice(found).span()
    return data[:start] + data[from_start:from_end] + data[end:]


def _bytes(random: Random, data: bytes, _other: bytes) -> bytes:
    """Bytes are removed, repeated, changed, or put in."""
    at = random.randrange(len(data) + 1)
    length = random.choice((0, 0, 1, 1, 2, 5, 20))
    how = random.randrange(4)
    if how == 0:
        return data[:at] + data[at + max(1, length) :]
    if how == 1:
        return data[: at + length] + data[at:]
    if how == 2:
        return data[:at] + bytes([random.randrange(256)]) + data[at + length :]
    return data[:at] + random.choice(_SPECIAL) + data[at + length :]


def _end(random: Random, data: bytes, _other: bytes) -> bytes:
    """The document ends early, or begins late."""
    at = random.randrange(len(data) + 1)
    return data[:at] if random.random() < 0.8 else data[at:]


_MUTATIONS: tuple[Callable[[Random, bytes, bytes], bytes], ...] = (
    _tokens,
    _tokens,
    _values,
    _values,
    _names,
    _bytes,
    _bytes,
    _end,
)


def mutate(random: Random, data: bytes, other: bytes) -> bytes:
    """The document after a few changes. `other`: another one to take pieces from."""
    for _ in range(random.choice((1, 1, 2, 3, 5))):
        data = random.choice(_MUTATIONS)(random, data, other)
    return data


def mutate_lines(random: Random, data: bytes) -> bytes:
    """A container after a few changes of lines and bytes."""
    for _ in range(random.choice((0, 1, 1, 2, 4))):
        if random.random() < 0.5:
            data = _bytes(random, data, b"")
            continue
        lines = data.splitlines(keepends=True) or [b""]
        at = random.randrange(len(lines))
        how = random.randrange(5)
        if how == 0:
            del lines[at]
        elif how == 1:
            lines.insert(random.randrange(len(lines)), lines[at])
        elif how == 2:
            lines[at] = lines[at].rstrip(b"\r\n") + random.choice((b"\n", b"\r\n", b"\r", b""))
        elif how == 3:
            lines[at] = re.sub(rb"[0-9]+", lambda _: b"%d" % random.choice((0, 1, 7, 99, 10**9, 10**20)), lines[at])
        else:
            del lines[at:]
        data = b"".join(lines)
    return data
