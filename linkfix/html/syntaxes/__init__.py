"""The syntaxes of values that have URLs: each finds the references in a decoded text, with their spans.

No syntax depends on HTML, on documents or on how references are resolved. A new syntax is a module and a row here.
"""

from __future__ import annotations

from . import anchor, css, import_map, json_ld, lists, refresh, speculation_rules, srcset, text, url
from .found import Finder, Found

__all__ = ["SYNTAXES", "Finder", "Found"]

#: The name of a syntax in the vocabulary's rows -> the function that finds its references.
SYNTAXES: dict[str, Finder] = {
    "url": url.find,
    "local-url": url.find_local,
    "srcset": srcset.find,
    "space-list": lists.find_space_separated,
    "comma-list": lists.find_comma_separated,
    "refresh": refresh.find,
    "css": css.find,
    "importmap": import_map.find,
    "speculationrules": speculation_rules.find,
    "json-ld": json_ld.find,
    "anchor": anchor.find,
    "text": text.find,
}
