"""Labelled digests (`sha1:…`, `sha-256:…`) as web archives write them: made again for other bytes, in the same form.

WARC 1.1 §5.8 leaves algorithm and encoding open; tools write base32, hexadecimal and base64, with and without padding.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable

__all__ = ["digest", "renew_digest"]

_ALGORITHMS = frozenset({"md5", "sha1", "sha224", "sha256", "sha384", "sha512"})


def digest(algorithm: str, data: bytes) -> bytes | None:
    """The digest of some bytes; None for an algorithm that is not known. `sha-256` is `sha256`."""
    name = algorithm.lower().replace("-", "")
    return hashlib.new(name, data, usedforsecurity=False).digest() if name in _ALGORITHMS else None


def renew_digest(stated: str, made: Callable[[str], bytes | None], unlabelled: str = "sha1") -> str | None:
    """A digest written as `stated` is: its label, its encoding, its case. None where that is not known.

    `made(algorithm)` gives the digest. `unlabelled`: the algorithm of a digest that has no label.
    """
    label, colon, old = stated.rpartition(":")
    value = made(label or unlabelled)
    if value is None:
        return None
    bare = old.rstrip("=")
    for encode, case in _ENCODINGS:
        new = encode(value)
        if len(new.rstrip("=")) == len(bare):
            new = new if old != bare else new.rstrip("=")
            if case:
                new = new.upper() if old.isupper() else new.lower()
            elif set("-_") & set(old):
                new = new.translate(_URL_SAFE)
            return label + colon + new
    return None


_URL_SAFE = str.maketrans("+/", "-_")
#: How a digest is written, and whether case means nothing in it.
_ENCODINGS: list[tuple[Callable[[bytes], str], bool]] = [
    (bytes.hex, True),
    (lambda value: base64.b32encode(value).decode(), True),
    (lambda value: base64.b64encode(value).decode(), False),
]
