"""Labels of encodings (https://encoding.spec.whatwg.org/#names-and-labels)."""

from __future__ import annotations

import webencodings.labels

from linkfix.errors import UnknownCharset

__all__ = ["get_encoding", "lookup"]

_NAMES = {label.encode(): name for label, name in webencodings.labels.LABELS.items()}


def get_encoding(label: bytes) -> str | None:
    """The lower-case name of the encoding that `label` names, or None (Encoding §4.2 "get an encoding")."""
    return _NAMES.get(label.strip(b"\t\n\f\r ").lower())


def lookup(label: str) -> str:
    """The name of the encoding that a caller's `label` names. Raises UnknownCharset if it names none.

    >>> lookup(" Latin1")
    'windows-1252'
    """
    name = get_encoding(label.encode("utf-8", "replace"))
    if name is None:
        message = f"{label!r} is not a label of the Encoding standard: use one such as 'utf-8' or 'windows-1252'"
        raise UnknownCharset(message)
    return name
