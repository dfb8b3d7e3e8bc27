"""The syntaxes of values that have URLs: each finds the references in a decoded text, with their spans.

No syntax depends on HTML, on documents or on the resolution of references. A new syntax is a module and a row here.
"""

from __future__ import annotations

from collections.abc import Mapping

from linkfix.lazy import LazyTable

from .url import Finder, Found

__all__ = ["SYNTAXES", "Finder", "Found"]

#: The name of a syntax in the vocabulary's rows -> the function that finds its references.
SYNTAXES: Mapping[str, Finder] = LazyTable(
    {
        "url": "linkfix.html.syntaxes.url:find",
        "local-url": "linkfix.html.syntaxes.url:find_local",
        "srcset": "linkfix.html.syntaxes.srcset:find",
        "space-list": "linkfix.html.syntaxes.url:find_space_separated",
        "comma-list": "linkfix.html.syntaxes.url:find_comma_separated",
        "refresh": "linkfix.html.syntaxes.url:find_in_refresh",
        "css": "linkfix.html.syntaxes.css:find",
        "importmap": "linkfix.html.syntaxes.json_data:find_in_import_map",
        "speculationrules": "linkfix.html.syntaxes.json_data:find_in_speculation_rules",
        "webmanifest": "linkfix.html.syntaxes.json_data:find_in_web_manifest",
        "robots": "linkfix.html.syntaxes.text:find_in_robots",
        "javascript": "linkfix.html.syntaxes.javascript:find",
        "source-map": "linkfix.html.syntaxes.text:find_in_script",
        "css-source-map": "linkfix.html.syntaxes.text:find_in_css",
        "json-ld": "linkfix.html.syntaxes.json_data:find_in_json_ld",
        "lazy-url": "linkfix.html.syntaxes.lazy_value:find",
        "lazy-srcset": "linkfix.html.syntaxes.lazy_value:find_srcset",
        "anchor": "linkfix.html.syntaxes.url:find_nothing",
        "text": "linkfix.html.syntaxes.text:find_in_text",
        "opensearch-template": "linkfix.html.syntaxes.url:find_in_template",
        "markdown": "linkfix.html.syntaxes.markdown:find",
        "wikilink": "linkfix.html.syntaxes.markdown:find_wikilink",
        "header-url": "linkfix.html.syntaxes.header_field:find_url",
        "header-absolute-url": "linkfix.html.syntaxes.header_field:find_absolute_url",
        "header-urls": "linkfix.html.syntaxes.header_field:find_urls",
        "header-links": "linkfix.html.syntaxes.header_field:find_links",
        "header-refresh": "linkfix.html.syntaxes.header_field:find_refresh",
    },
    made=False,
)
