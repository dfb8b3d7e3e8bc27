"""The srcset attribute (also `imagesrcset`): syntax "srcset", image candidate strings (HTML §4.8.4.2.1)."""

from __future__ import annotations

from collections.abc import Iterable

from linkfix.lazy import lazy_pattern

from .url import Found, past

_SEPARATORS = lazy_pattern(r"[\t\n\f\r ,]*")
_URL = lazy_pattern(r"[^\t\n\f\r ]+")
#: The descriptors of a candidate, up to its comma; commas and whitespace in parentheses do not count.
_DESCRIPTORS = lazy_pattern(r"(?:[^,(]++|\([^)]*+\)?+)*+")
_DESCRIPTOR = lazy_pattern(r"(?:[^\t\n\f\r ,(]++|\([^)]*+\)?+)++")

_NON_NEGATIVE_INTEGER = lazy_pattern(r"[0-9]+")
_FLOATING_POINT_NUMBER = lazy_pattern(r"-?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")

_ESCAPED = {ord(character): f"%{ord(character):02X}" for character in "\t\n\f\r "}


def _is_positive(number: str) -> bool:
    return _NON_NEGATIVE_INTEGER.fullmatch(number) is not None and number.strip("0") != ""


def _is_density(number: str) -> bool:
    return _FLOATING_POINT_NUMBER.fullmatch(number) is not None and not float(number) < 0


#: unit -> (whether a number is allowed, units allowed before it): "parse a srcset attribute", step 8
_UNITS = {
    "w": (_is_positive, {"h"}),
    "x": (_is_density, set[str]()),
    "h": (_is_positive, {"w"}),
}


def _are_valid(descriptors: Iterable[str]) -> bool:
    """Whether the descriptors are valid (HTML, "parse a srcset attribute", steps 7-10)."""
    seen: set[str] = set()
    for descriptor in descriptors:
        number, unit = descriptor[:-1], descriptor[-1]
        if unit not in _UNITS:
            return False
        is_allowed, companions = _UNITS[unit]
        if not is_allowed(number) or not seen <= companions:
            return False
        seen.add(unit)
    return seen != {"h"}


def _escape(url: str) -> str:
    """Percent-encode ASCII white space, and a comma at either end: a candidate's URL cannot have them."""
    url = url.translate(_ESCAPED)
    if url.startswith(","):
        url = "%2C" + url[1:]
    if url.endswith(","):
        url = url[:-1] + "%2C"
    return url


def find(text: str) -> list[Found]:
    """Find the URLs of the image candidate strings (HTML §4.8.4.2.1, "parse a srcset attribute").

    A candidate with invalid descriptors is found too, with problem "srcset-descriptor"; browsers ignore it.
    """
    found: list[Found] = []
    position = 0
    while True:
        url = _URL.match(text, past(_SEPARATORS, text, position))
        if url is None:
            return found
        start, position = url.span()
        end = start + len(url[0].rstrip(","))
        problem = None
        if end == position:
            position = past(_DESCRIPTORS, text, end)
            if not _are_valid(_DESCRIPTOR.findall(text, end, position)):
                problem = "srcset-descriptor"
        found.append(Found(start, end, text[start:end], _escape, "url", problem))
