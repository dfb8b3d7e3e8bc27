"""The URL standard (https://url.spec.whatwg.org/), as in browsers, by the ada engine.

The engine assumes documents in UTF-8 and rejects lone surrogates. This module handles both before it calls the engine.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from linkfix.encodings.encoding import codec
from linkfix.lazy import lazy_pattern
from linkfix.model import Resolution
from linkfix.resolvers.common import NO_BASE, UNRESOLVABLE
from linkfix.schemes.uses import QUERY_IN_DOCUMENT_ENCODING, SPECIAL
from linkfix.urls import SCHEME, scheme_of, strip_url

# Percent-encode after encoding (URL §1.3): the query of a special URL.


#: "Get an output encoding" (Encoding §4.3): URLs in documents of these encodings use UTF-8.
_OUTPUT_ENCODINGS = dict.fromkeys(("replacement", "utf-16be", "utf-16le"), "utf-8")

#: The special-query percent-encode set (URL §1.3): byte -> its percent-encoding.
_SPECIAL_QUERY = {byte: f"%{byte:02X}" for byte in (*range(0x21), *b"\"#<>'", *range(0x7F, 0x100))}

#: SHIFT OUT, SHIFT IN and ESCAPE: errors only in ISO-2022-JP, reported as U+FFFD (Encoding §12.2.2, step 3).
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
    """An error handler. Its result has the same bytes in every encoding, all outside the percent-encode set."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    characters = error.object[error.start : error.end]
    return "".join(f"%26%23{ord(_ERRORS.get(each, each))}%3B" for each in characters), error.end


_PERCENT_ENCODED_REFERENCES = "linkfix-percent-encoded-references"

codecs.register_error(_PERCENT_ENCODED_REFERENCES, _percent_encoded_references)


_SCHEME_AND_SLASHES = lazy_pattern(rf"({SCHEME}):([/\\]{{0,2}})")

#: The number of characters of a reference to search for its scheme.
_SCHEME_LENGTH = 256


@dataclass(frozen=True, slots=True)
class WHATWG:
    r"""The resolver `whatwg`.

    >>> print(WHATWG().resolve("http://a/b/c/d;p?q", r"..\%2E%2E/g?≡", "shift_jis"))
    http://a/g?%81%DF
    """

    name: ClassVar[str] = "whatwg"
    choices: ClassVar[frozenset[str]] = frozenset()
    empty_base_allowed: ClassVar[bool] = False
    relative_base_allowed: ClassVar[bool] = True
    empty_action_is_document: ClassVar[bool] = True

    def resolve(self, base: str | None, reference: str, encoding: str = "utf-8") -> Resolution:
        """Run the URL parser (§4.4) on `reference` and serialize the URL (§4.5)."""
        if not reference.isascii() or encoding == "iso-2022-jp":  # the only encoding that does not keep ASCII bytes
            reference = _prepare(base, reference, encoding)
        parse, join = _engine()
        try:
            target = parse(reference) if not base else join(_scalar_value_string(base), reference)
        except ValueError:
            return NO_BASE if not base and scheme_of(strip_url(reference)) is None else UNRESOLVABLE
        # All leading characters that the parser strips sort before "#".
        return Resolution(target, reference[:1] <= "#" and strip_url(reference)[:1] in ("", "#"))

    def is_absolute_reference(self, reference: str) -> bool:
        """Whether `reference` has a scheme, followed by "//" if the scheme is special.

        On a base of the same special scheme, "http:x" is relative (§4.4 "special relative or authority state").
        """
        start = reference[:_SCHEME_LENGTH]
        match = _SCHEME_AND_SLASHES.match(strip_url(start)) if ":" in start else None
        return match is not None and (match[1].lower() not in SPECIAL or len(match[2]) == len("//"))

    def is_absolute(self, url: str) -> bool:
        """Whether `url` can be parsed without a base."""
        return self.normalize(url) is not None

    def normalize(self, url: str) -> str | None:
        """The href of an absolute URL (§6.1)."""
        parse, _ = _engine()
        try:
            return parse(_scalar_value_string(url))
        except ValueError:
            return None


@cache
def _engine() -> tuple[Callable[[str], str], Callable[[str, str], str]]:
    """Functions that parse a URL, and parse it with a base; both raise ValueError. The import takes 25 ms."""
    from ada_url import join_url, normalize_url

    return normalize_url, join_url


def _prepare(base: str | None, reference: str, encoding: str) -> str:
    """Convert `reference` to a scalar value string, and percent-encode its query as the query state does (§4.4).

    The document's encoding matters only for special URLs whose scheme is neither ws nor wss. The engine itself handles
    the queries of UTF-8 documents.
    """
    reference = strip_url(_scalar_value_string(reference))
    before, mark, after = reference.partition("?")
    if encoding == "utf-8" or not mark or "#" in before:
        return reference
    if (scheme_of(reference) or scheme_of(strip_url(base or ""))) not in QUERY_IN_DOCUMENT_ENCODING:
        return reference
    query, number_sign, fragment = after.partition("#")
    return f"{before}?{percent_encode_query(query, encoding)}{number_sign}{fragment}"


def _scalar_value_string(text: str) -> str:
    """Convert to a scalar value string (Infra §4.7): replace lone surrogates by U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
