"""Percent-encode after encoding (URL §1.3): the query of a special URL, by the encoders of `whatwg_codecs`."""

from __future__ import annotations

import codecs

from linkfix.encodings.codecs import codec

__all__ = ["percent_encode_query"]

#: "Get an output encoding" (Encoding §4.3): what documents in these put into a URL is UTF-8.
_OUTPUT_ENCODINGS = dict.fromkeys(("replacement", "utf-16be", "utf-16le"), "utf-8")

#: The special-query percent-encode set (URL §1.3), as bytes, and what is written for each.
_SPECIAL_QUERY = {byte: f"%{byte:02X}" for byte in (*range(0x21), *b"\"#<>'", *range(0x7F, 0x100))}

#: SHIFT OUT, SHIFT IN and ESCAPE are an error in ISO-2022-JP alone, and one of U+FFFD (Encoding §12.2.2, step 3).
_ERRORS = dict.fromkeys("\x0e\x0f\x1b", "\N{REPLACEMENT CHARACTER}")


def percent_encode_query(text: str, encoding: str) -> str:
    """Percent-encode after encoding, with the special-query percent-encode set.

    `text`: a scalar value string, the query of a URL whose scheme is special. `encoding`: a name (not a label) in the
    Encoding standard. A character that the encoding has not becomes a numeric character reference, percent-encoded.
    Raises LookupError for what is no encoding.

    >>> percent_encode_query("1+1 ≡ 2%20‽", "shift_jis")
    '1+1%20%81%DF%202%20%26%238253%3B'
    """
    data = codec(_OUTPUT_ENCODINGS.get(encoding, encoding)).encode(text, _PERCENT_ENCODED_REFERENCES)
    return data.decode("latin-1").translate(_SPECIAL_QUERY)


def _percent_encoded_references(error: UnicodeError) -> tuple[str, int]:
    """An error handler. What it writes is outside of the percent-encode set, and the same bytes in every encoding."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    characters = error.object[error.start : error.end]
    return "".join(f"%26%23{ord(_ERRORS.get(each, each))}%3B" for each in characters), error.end


_PERCENT_ENCODED_REFERENCES = "linkfix-percent-encoded-references"
codecs.register_error(_PERCENT_ENCODED_REFERENCES, _percent_encoded_references)
