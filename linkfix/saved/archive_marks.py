"""The marks of web archives: what they write into the pages that they serve, and which URL of the archive it states.

The archive is where such a page was retrieved from, and the links that it rewrote point into it. Its URLs have the form
PREFIX/TIMESTAMP[MODIFIER]/URL; a modifier such as "im_" or "mp_" says how the archive rewrites what it sends.
"""

from __future__ import annotations

import re

from linkfix.saved.mark import Mark, MarkValue, attribute_text, script_string

__all__ = ["ARCHIVE_MARKS"]

_ARCHIVE = "https://web.archive.org/"
_WAYBACK, _PYWB, _TODAY = "the Wayback Machine", "pywb", "archive.today"
_INTO_WAYBACK = "the page was retrieved from the archive, and its links point into it: /web/TIMESTAMP/URL"
_INTO_ARCHIVE = "the page was retrieved from the archive, and its links point into it"
#: How far from a mark what belongs to it is searched for, in bytes.
_AROUND = 4096


def _wombat(match: re.Match[bytes]) -> MarkValue:
    url, timestamp, prefix, collection = (script_string(part or b"") for part in match.groups())
    return MarkValue(f"{prefix or _ARCHIVE}{collection or 'web'}/{timestamp}/{url}")


def _printed_header(match: re.Match[bytes]) -> MarkValue:
    return MarkValue(attribute_text(match[1]))


def _toolbar_script(match: re.Match[bytes]) -> MarkValue:
    collection, url, timestamp = map(script_string, match.groups())
    return MarkValue(f"{_ARCHIVE}{collection}/{timestamp}/{url}")


_ACTION = re.compile(rb"[\t\n\f\r ]action=\"([^\"]{1,1024})\"")
_DATE = re.compile(rb"name=\"date\"[^>]{0,200}? value=\"(\d{4,14})\"")


def _toolbar_form(match: re.Match[bytes]) -> MarkValue | None:
    """The form states URL and time. Where it is sent tells the archive: OpenWayback is the program of others too."""
    data, start = match.string, match.start()
    form = data.rfind(b"<form", max(start - _AROUND, 0), start)
    action = _ACTION.search(data, form, start) if form >= 0 else None
    date = _DATE.search(data, match.end(), match.end() + _AROUND)
    if action is None or date is None:
        return None
    target = attribute_text(action[1])
    if target.endswith("/form-submit.jsp"):
        prefix = f"{_ARCHIVE}web/"
    elif target.endswith("/query") and "://" in target:
        prefix = target.removesuffix("query")
    else:
        return None
    return MarkValue(f"{prefix}{attribute_text(date[1])}/{attribute_text(match[1])}")


_TOOLBAR_URL = re.compile(rb'id="wmtbURL"[^>]{0,200}? value="([^"]{1,8192})"')


def _old_wombat(match: re.Match[bytes]) -> MarkValue:
    """The script states the host alone; the toolbar, where there is one, the whole URL."""
    prefix, timestamp, host = (script_string(part or b"") for part in match.groups()[1:])
    if prefix.startswith("/"):
        prefix = _ARCHIVE + prefix[1:]
    before = f"{prefix.rstrip('/')}/{timestamp}/"
    toolbar = _TOOLBAR_URL.search(match.string, match.end())
    if toolbar is not None:
        return MarkValue(before + attribute_text(toolbar[1]))
    return MarkValue(f"{before}http://{host}/", is_guess=True)


_PYWB_VALUES = {
    name: re.compile(rb"wbinfo\.%s\s*=\s*(?:decodeURI\(\s*)?\"([^\"\r\n]{0,8192})\"" % name.encode())
    for name in ("timestamp", "prefix", "mod", "top_url")
}
_ORIGIN = re.compile(r"https?://[^/?#]+")


def _pywb(match: re.Match[bytes]) -> MarkValue:
    """pywb/templates/head_insert.html. Without a modifier, the archive serves the page outside a frame."""
    data, start = match.string, max(match.start() - _AROUND, 0)
    found = {name: pattern.search(data, start, match.end() + _AROUND) for name, pattern in _PYWB_VALUES.items()}
    values = {name: script_string(value[1]) for name, value in found.items() if value is not None}
    url, prefix, timestamp = script_string(match[1]), values.get("prefix", ""), values.get("timestamp", "")
    if prefix.startswith("/"):
        origin = _ORIGIN.match(values.get("top_url", ""))
        prefix = origin[0] + prefix if origin else ""
    return MarkValue(f"{prefix}{timestamp}{values.get('mod', 'mp_')}/{url}" if prefix and timestamp else url)


#: The Wayback Machine's rows begin with those that say most. They are read off pages that it served from 2010 to 2026.
ARCHIVE_MARKS: tuple[Mark, ...] = (
    Mark(
        _WAYBACK,
        "top",
        b"__wm.wombat(",
        re.compile(
            rb'__wm\.wombat\(\s*"([^"]{1,8192})"\s*,\s*"(\d{4,14})"(?:\s*,\s*"([^"]{0,1024})"\s*,\s*"([^"]{0,99})")?'
        ),
        _wombat,
        _INTO_WAYBACK,
        is_archive=True,
    ),
    Mark(
        _WAYBACK,
        "page",
        b'id="wm-ipp-print"',
        re.compile(rb'id="wm-ipp-print"[^<>]{0,200}>\s{0,99}The Wayback Machine - (https?://[^<>\s]{1,8192})'),
        _printed_header,
        _INTO_WAYBACK,
        is_archive=True,
    ),
    Mark(
        _WAYBACK,
        "page",
        b"__wm.bt(",
        re.compile(rb'__wm\.bt\([\d, ]{0,99}"([^"/]{1,99})","([^"]{1,8192})","(\d{4,14})"'),
        _toolbar_script,
        _INTO_WAYBACK,
        is_archive=True,
    ),
    Mark(
        _WAYBACK,
        "top",
        b"WB_wombat_Init(",
        re.compile(
            rb"WB_wombat_Init\(\s*([\"'])([^\"']{1,1024})\1\s*,\s*[\"'](\d{4,14})[\"']\s*,\s*[\"']([^\"']{1,1024})[\"']"
        ),
        _old_wombat,
        _INTO_WAYBACK,
        is_archive=True,
    ),
    Mark(
        _WAYBACK,
        "page",
        b'id="wmtbURL"',
        _TOOLBAR_URL,
        _toolbar_form,
        _INTO_WAYBACK,
        is_archive=True,
    ),
    Mark(
        _PYWB,
        "top",
        b"wbinfo.url",
        re.compile(rb'wbinfo\.url\s*=\s*"([^"\r\n]{1,8192})"'),
        _pywb,
        _INTO_ARCHIVE,
        is_archive=True,
    ),
    Mark(
        _TODAY,
        "head",
        b'<link rel="bookmark" href="http',
        re.compile(
            rb'<link rel="bookmark" href="(https?://archive\.(?:today|is|ph|li|fo|md|vn)/\d{8,14}/https?://[^"]{1,8192})"'
        ),
        _printed_header,
        _INTO_ARCHIVE,
        is_archive=True,
    ),
)
