"""Digests as web archives write them (`sha1:…`, `sha-256:…`, or without a label): made, compared, and renewed.

A digest of new bytes has the form of the old digest. WARC 1.1 §5.8 does not specify algorithm and encoding. Tools write
base32, hexadecimal and base64, with and without padding.
"""

from __future__ import annotations

import base64
import contextlib
from collections.abc import Callable, Iterable

#: The algorithms that web archives use.
DIGEST_ALGORITHMS = frozenset({"md5", "sha1", "sha224", "sha256", "sha384", "sha512"})


def digest(algorithm: str, *pieces: bytes) -> bytes | None:
    """Return the digest of some bytes, in pieces; None for an unknown algorithm. `sha-256` is `sha256`."""
    return digest_of(algorithm, pieces)


def digest_of(algorithm: str, pieces: Iterable[bytes]) -> bytes | None:
    """Return the digest of some bytes, as `digest` does. Pieces are read one by one."""
    name = algorithm.lower().replace("-", "")
    if name not in DIGEST_ALGORITHMS:
        return None
    import hashlib  # few runs digest anything

    made = hashlib.new(name, usedforsecurity=False)
    for piece in pieces:
        made.update(piece)
    return made.digest()


def digest_key(stated: str) -> str:
    """Return a key that is equal for all forms of a digest. Without a label, the algorithm is SHA-1. A digest of an
    unknown form is its own key.

    >>> digest_key("md5:D41D8CD98F00B204E9800998ECF8427E") == digest_key("MD5:1B2M2Y8AsgTpgAmY7PhCfg==")
    True
    """
    label, _, text = stated.rpartition(":")
    value = digest(label or "sha1", b"")
    for decode in _DECODERS if value is not None else ():
        with contextlib.suppress(ValueError):
            decoded = decode(text.rstrip("="))
            if len(decoded) == len(value or b""):
                return f"{(label or 'sha1').lower().replace('-', '')}:{decoded.hex()}"
    return stated


def digest_fits(stated: str, *forms: Callable[[], Iterable[bytes]]) -> bool | None:
    """Whether a digest fits the bytes that one of the functions returns; None for a digest of an unknown form.

    `forms`: functions that return bytes in pieces. They are called one by one until the digest fits.

    >>> digest_fits("md5:9DD4E461268C8034F5C8564E155C67A6", lambda: [b"y"], lambda: [b"x"])
    True
    """
    algorithm, _, value = digest_key(stated).partition(":")
    empty = digest(algorithm, b"")
    if empty is None or len(value) != len(empty.hex()):
        return None
    return any((digest_of(algorithm, form()) or b"").hex() == value for form in forms)


def renew_digest(stated: str, compute: Callable[[str], bytes | None], unlabelled: str = "sha1") -> str | None:
    """Return the digest of new bytes, with the label, encoding and case of the digest `stated`; None for an unknown
    form.

    `compute`: function that returns the digest of the new bytes by an algorithm; None for an unknown algorithm.
    `unlabelled`: the algorithm of a digest without a label.

    >>> renew_digest("md5:D41D8CD98F00B204E9800998ECF8427E", lambda name: digest(name, b"x"))
    'md5:9DD4E461268C8034F5C8564E155C67A6'
    """
    label, colon, old = stated.rpartition(":")
    value = compute(label or unlabelled)
    if value is None:
        return None
    bare = old.rstrip("=")
    for encode, ignores_case in _ENCODINGS:
        new = encode(value)
        if len(new.rstrip("=")) == len(bare):
            new = new if old != bare else new.rstrip("=")
            if ignores_case:
                new = new.upper() if old.isupper() else new.lower()
            elif set("-_") & set(old):
                new = new.translate(_URL_SAFE)
            return label + colon + new
    return None


_URL_SAFE = str.maketrans("+/", "-_")
#: The encodings of digests: function that encodes, and whether the encoding ignores case.
_ENCODINGS: list[tuple[Callable[[bytes], str], bool]] = [
    (bytes.hex, True),
    (lambda value: base64.b32encode(value).decode(), True),
    (lambda value: base64.b64encode(value).decode(), False),
]
#: The functions that decode these encodings, from text without padding. They raise ValueError.
_DECODERS: list[Callable[[str], bytes]] = [
    bytes.fromhex,
    lambda text: base64.b32decode(text + "=" * (-len(text) % 8), casefold=True),
    lambda text: base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_" if set("-_") & set(text) else None),
]
