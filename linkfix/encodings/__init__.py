"""Character encodings by the Encoding standard: labels, codecs, and the encoding of a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkfix.lazy import lazy_attributes

if TYPE_CHECKING:
    from linkfix.encodings.encoding import STR, codec, decode_reversibly, get_encoding, lookup

__all__ = ["STR", "codec", "decode_reversibly", "get_encoding", "lookup"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_attributes(
        __name__,
        {
            "linkfix.encodings.encoding": "STR codec decode_reversibly get_encoding lookup",
        },
    )
