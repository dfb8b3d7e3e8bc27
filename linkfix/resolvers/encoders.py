"""Percent-encode after encoding (URL §1.3): the query of a special URL."""

from __future__ import annotations

import codecs

from linkfix.encodings.codecs import codec

__all__ = ["percent_encode_query"]

#: "Get an output encoding" (Encoding §4.3): URLs in documents of these encodings use UTF-8.
_OUTPUT_ENCODINGS = dict.fromkeys(("replacement", "utf-16be", "utf-16le"), "utf-8")

#: The special-query percent-encode set (URL §1.3): byte -> its percent-encoding.
_SPECIAL_QUERY = {byte: f"%{byte:02X}" for byte in (*range(0x21), *b"\"#<>'", *range(0x7F, 0x100))}

#: SHIFT OUT, SHIFT IN and ESCAPE: errors in ISO-2022-JP alone, reported as U+FFFD (Encoding §12.2.2, step 3).
_ERRORS = dict.fromkeys("\x0e\x0f\x1b", "\N{REPLACEMENT CHARACTER}")


def percent_encode_query(text: str, encoding: str) -> str:
    """Percent-encode after encoding, with the special-query percent-encode set.

    `text`: a scalar value string, the query of a URL whose scheme is special. `encoding`: the name (not a label) of an
    encoding. Unencodable characters become percent-encoded numeric character references. Raises LookupError for an
    unknown name.

    >>> percent_encode_query("1+1 ≡ 2%20‽", "shift_jis")
    '1+1%20%81%DF%202%20%26%238253%3B'
    """
    data = codec(_OUTPUT_ENCODINGS.get(encoding, encoding)).encode(text, _PERCENT_ENCODED_REFERENCES)
    return data.decode("latin-1").translate(_SPECIAL_QUERY)


def _percent_encoded_references(error: UnicodeError) -> tuple[str, int]:
    """An error handler. Its result is the same bytes in every encoding, and outside the percent-encode set."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    characters = error.object[error.start : error.end]
    return "".join(f"%26%23{ord(_ERRORS.get(each, each))}%3B" for each in characters), error.end


_PERCENT_ENCODED_REFERENCES = "linkfix-percent-encoded-references"
codecs.register_error(_PERCENT_ENCODED_REFERENCES, _percent_encoded_references)
