"""Attributes of lazy loaders: syntaxes "lazy-url" and "lazy-srcset".

No standard defines their contents. The loaders' scripts take a URL or a srcset. Some take CSS in the same attributes
(vanilla-lazyload, WP Rocket), several srcsets with media queries (lazysizes bgset), or a URL with placeholders
(lazysizes rias, Shopify). So the value itself decides its syntax.
"""

from __future__ import annotations

import re
from functools import partial

from linkfix.lazy import lazy_pattern

from . import css, srcset, url
from .json_data import parse
from .json_reader import InvalidJson
from .url import SCRIPT_PLACEHOLDER, Finder, Found

_FUNCTION = (
    r"(?:-[a-z]+-)?(?:url|src|image-set|cross-fade|element|paint|(?:repeating-)?(?:linear|radial|conic)-gradient"
    r"|rgba?|hsla?|hwb|(?:ok)?lab|(?:ok)?lch|color|color-mix|var|env|calc)"
)
_ARGUMENTS = r"""(?:[^()"']++|"[^"]*+"|'[^']*+'|["']|\((?:[^()"']++|"[^"]*+"|'[^']*+'|["'])*+\)?+)*+"""
#: A CSS function at the beginning ("url(1).jpg" is a file name), a declaration, or a URL function after other parts of
#: a background.
_CSS = lazy_pattern(
    rf"\s*+(?:{_FUNCTION}\({_ARGUMENTS}(?:\)(?![^\s,;()]*\.)|\Z)"
    r"|[a-z-]++\s*+:\s*+(?:-[a-z]+-)?(?:url|image-set)\("
    r"|[^()\s][^()]*\s(?:-[a-z]+-)?(?:url|image-set)\()",
    re.IGNORECASE,
)
#: A placeholder at a URL's beginning or in its host: the URL's meaning is not known.
_UNKNOWN_BEGINNING = lazy_pattern(r"(?:(?:[A-Za-z][A-Za-z0-9+.-]*:)?[/\\]{2}[^/\\?#{]*|[A-Za-z][A-Za-z0-9+.-]*:)?\{")
#: The separator between the srcsets of bgset, and the media queries after a srcset, at most two.
_BETWEEN_SETS = lazy_pattern(r"(?<!\s)\s++\|\s*+|\|\s++")
_MEDIA = lazy_pattern(r"(?:(?<!\s)\s++\[[^\[\]]*+\]){1,2}\s*+\Z")


def _encoded(placeholder: re.Match[str]) -> str:
    return f"%7B{placeholder[1].replace(' ', '%20')}%7D"


def _escape(placeholders: list[re.Match[str]], one: Found, new: str) -> str:
    """The new URL as the syntax writes it, with the reference's own placeholders unchanged."""
    written = SCRIPT_PLACEHOLDER.sub(_encoded, one.escape(new))
    end = len(written)
    for placeholder in reversed(placeholders):
        encoded = _encoded(placeholder)
        start = written.rfind(encoded, 0, end)
        if start >= 0:
            written = written[:start] + placeholder[0] + written[start + len(encoded) :]
            end = start
    return written


def _literal(one: Found) -> Found:
    """The reference, with an escape function that leaves its placeholders unchanged."""
    if one.kind != "url":
        return one
    placeholders = list(SCRIPT_PLACEHOLDER.finditer(one.reference)) if "{" in one.reference else []
    if placeholders and _UNKNOWN_BEGINNING.match(one.reference):
        return one._replace(kind="bare", problem="template-syntax")
    return one._replace(escape=partial(_escape, placeholders, one))


def _is_json(text: str) -> bool:
    """Whether a value is a JSON object or array: settings of a script, not a URL."""
    if not text.lstrip().startswith(("{", "[")):
        return False
    try:
        return isinstance(parse(text), dict | list)
    except InvalidJson:
        return False


def _find(text: str, otherwise: Finder) -> list[Found]:
    find = css.find if _CSS.match(text) else otherwise
    return [] if _is_json(text) else [_literal(one) for one in find(text)]


def _find_sets(text: str) -> list[Found]:
    """Find the URLs of a srcset, or of the several srcsets of a bgset."""
    # A placeholder can be a part of a descriptor: "a_{width}.jpg {width}w".
    masked = SCRIPT_PLACEHOLDER.sub(lambda placeholder: "9" * len(placeholder[0]), text)
    found: list[Found] = []
    start = 0
    for separator in (*_BETWEEN_SETS.finditer(masked), None):
        end = separator.start() if separator else len(text)
        one = masked[start:end]
        media = _MEDIA.search(one)
        for candidate in srcset.find(one[: media.start()] if media else one):
            first, last = start + candidate.start, start + candidate.end
            found.append(candidate._replace(start=first, end=last, reference=text[first:last]))
        start = separator.end() if separator else end
    return found


def find(text: str) -> list[Found]:
    """Find the URL in a value, or the URLs in CSS (`url(a.jpg), url(b.jpg)`).

    Placeholders such as `{width}` stay unchanged in the new URL. A value with a placeholder at its beginning or in its
    host is not a URL: problem "template-syntax". A JSON object or array has no references.
    """
    return _find(text, url.find)


def find_srcset(text: str) -> list[Found]:
    """Find the URLs of a srcset, of several srcsets (`a.jpg [(max-width: 9em)] | b.jpg 1x`), or of CSS."""
    return _find(text, _find_sets)
