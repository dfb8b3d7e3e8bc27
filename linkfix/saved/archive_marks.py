"""The marks of web archives: what they write into the pages that they serve, and which URL of the archive it states.

The archive is where such a page was retrieved from, and the links that it rewrote point into it. Its URLs have the form
PREFIX/TIMESTAMP[MODIFIER]/URL; a modifier such as "im_" or "mp_" says how the archive rewrites what it sends.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from linkfix.html.places import is_attribute_at
from linkfix.lazy import lazy_pattern
from linkfix.saved.mark import Mark, MarkValue, attribute_text, script_string

__all__ = ["ARCHIVE_MARKS"]

_ARCHIVE = "https://web.archive.org/"
_WAYBACK, _PYWB, _TODAY = "the Wayback Machine", "pywb", "archive.today"
_INTO_WAYBACK = "the page was retrieved from the archive, and its links point into it: /web/TIMESTAMP/URL"
_INTO_ARCHIVE = "the page was retrieved from the archive, and its links point into it"
_URL = "the URL"
#: A string of a script, without its quotation marks.
_STRING = rb"((?:[^\"\\\r\n]|\\[^\r\n]){1,8192}+)"
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


_ACTION = lazy_pattern(rb"[\t\n\f\r ]action=\"([^\"]{1,1024})\"")
_DATE = lazy_pattern(rb"name=\"date\"[^>]{0,200}? value=\"(\d{4,14})\"")


def _toolbar_form(match: re.Match[bytes]) -> MarkValue | None:
    """The form states URL and time. Where it is sent tells the archive: OpenWayback is the program of others too."""
    data, start = match.string, match.start()
    form = data.rfind(b"<form", max(start - _AROUND, 0), start)
    action = _ACTION.search(data, form, start) if form >= 0 else None
    date = _DATE.search(data, match.end(), match.end() + _AROUND)
    if action is None or date is None:
        return None
    target = attribute_text(action[1])
    if target.endswith(("/form-submit.jsp", "/web/submit")):
        prefix = f"{_ARCHIVE}web/"
    elif target.endswith("/query") and "://" in target:
        prefix = target.removesuffix("query")
    else:
        return None
    return MarkValue(f"{prefix}{attribute_text(date[1])}/{attribute_text(match[1])}")


_TOOLBAR_URL = lazy_pattern(rb'id="wmtbURL"[^>]{0,200}? value="([^"]{1,8192})"')


def _old_wombat(match: re.Match[bytes]) -> MarkValue:
    """The script states the host alone; the toolbar, where there is one, the whole URL."""
    prefix, timestamp, host = (script_string(part or b"") for part in match.groups()[1:])
    if prefix.startswith("/"):
        prefix = _ARCHIVE + prefix[1:]
    before = f"{prefix.rstrip('/')}/{timestamp}/"
    toolbar = _TOOLBAR_URL.search(match.string, match.end())
    if toolbar is not None and is_attribute_at(match.string, toolbar.start()):
        return MarkValue(before + attribute_text(toolbar[1]))
    return MarkValue(f"{before}http://{host}/", guess="states the host alone")


_PYWB_VALUES = {
    name: lazy_pattern(rb"wbinfo\." + name + rb"\s*=\s*(?:decodeURI\(\s*)?\"" + _STRING + rb"?\"")
    for name in (b"timestamp", b"prefix", b"mod", b"top_url")
}
_ORIGIN = lazy_pattern(r"https?://[^/?#]+")


def _pywb(match: re.Match[bytes]) -> MarkValue:
    """pywb/templates/head_insert.html. Without a modifier, the archive serves the page outside a frame."""
    data, start = match.string, max(match.start() - _AROUND, match.pos)
    end = min(match.end() + _AROUND, match.endpos)
    found = {name: pattern.search(data, start, end) for name, pattern in _PYWB_VALUES.items()}
    values = {name.decode(): script_string(value[1] or b"") for name, value in found.items() if value is not None}
    url, prefix, timestamp = script_string(match[1]), values.get("prefix", ""), values.get("timestamp", "")
    if prefix.startswith("/"):
        origin = _ORIGIN.match(values.get("top_url", ""))
        prefix = origin[0] + prefix if origin else ""
    return MarkValue(f"{prefix}{timestamp}{values.get('mod', 'mp_')}/{url}" if prefix and timestamp else url)


def _pywb_frame(match: re.Match[bytes]) -> MarkValue | None:
    """pywb/templates/frame_insert.html: the page that shows the archived one in a frame."""
    url, prefix, timestamp = (script_string(part or b"") for part in match.groups())
    if not _ORIGIN.match(prefix):
        return None
    return MarkValue(f"{prefix}{timestamp}{'/' if timestamp else ''}{url}")


_TODAY_HOST = rb"https?://archive\.(?:today|is|ph|li|fo|md|vn)/"
_LONG = _TODAY_HOST + rb"(?:\d{8,14}|\d{4}\.\d\d\.\d\d-\d{6})/https?://[^\"]{1,8192}"
_TODAY_CANONICAL = lazy_pattern(rb'<link rel="canonical" href="' + _TODAY_HOST)
_SEARCH = lazy_pattern(rb'action="(' + _TODAY_HOST + rb')search/"')
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _today_bookmark(match: re.Match[bytes]) -> MarkValue:
    """Any page may bookmark one of the archive's. The archive's own have their short URL there as the canonical one."""
    canonical = _TODAY_CANONICAL.search(match.string, max(match.start() - _AROUND, 0), match.end() + _AROUND)
    is_own = canonical is not None and is_attribute_at(match.string, canonical.start())
    return MarkValue(attribute_text(match[1]), guess="" if is_own else "is not confirmed by a canonical link")


def _today_form(match: re.Match[bytes]) -> MarkValue | None:
    """The form above the page: the URL, and the time in milliseconds since 1970."""
    data, start = match.string, match.start()
    form = data.rfind(b"<form", max(start - _AROUND, 0), start)
    action = _SEARCH.search(data, form, start) if form >= 0 else None
    if action is None:
        return None
    time = _EPOCH + timedelta(seconds=int(match[2]) // 1000)
    return MarkValue(f"{attribute_text(action[1])}{time:%Y%m%d%H%M%S}/{attribute_text(match[1])}")


#: The Wayback Machine's rows begin with those that say most. They are read off pages that it served from 2010 to 2026.
ARCHIVE_MARKS: tuple[Mark, ...] = (
    Mark(
        _WAYBACK,
        "top",
        b"__wm.wombat(",
        lazy_pattern(
            rb'__wm\.wombat\(\s*"' + _STRING + rb'"\s*,\s*"(\d{4,14})"(?:\s*,\s*"([^"]{0,1024})"\s*,\s*"([^"]{0,99})")?'
        ),
        _wombat,
        _INTO_WAYBACK,
        is_archive=True,
        inside="script",
        evidence="`__wm.wombat(…)` in the script at the top",
        strength=_URL,
    ),
    Mark(
        _WAYBACK,
        "page",
        b'id="wm-ipp-print"',
        lazy_pattern(rb'id="wm-ipp-print"[^<>]{0,200}>\s{0,99}The Wayback Machine - (https?://[^<>\s]{1,8192})'),
        _printed_header,
        _INTO_WAYBACK,
        is_archive=True,
        inside="tag",
        evidence='the header for prints, `id="wm-ipp-print"`',
        strength=_URL,
    ),
    Mark(
        _WAYBACK,
        "page",
        b"__wm.bt(",
        lazy_pattern(rb'__wm\.bt\([\d, ]{0,99}"([^"/]{1,99})","' + _STRING + rb'","(\d{4,14})"'),
        _toolbar_script,
        _INTO_WAYBACK,
        is_archive=True,
        inside="script",
        evidence="`__wm.bt(…)`, the toolbar's script",
        strength=_URL,
    ),
    Mark(
        _WAYBACK,
        "top",
        b"WB_wombat_Init(",
        lazy_pattern(
            rb"WB_wombat_Init\(\s*([\"'])([^\"']{1,1024})\1\s*,\s*[\"'](\d{4,14})[\"']\s*,\s*[\"']([^\"']{1,1024})[\"']"
        ),
        _old_wombat,
        _INTO_WAYBACK,
        is_archive=True,
        inside="script",
        evidence="`WB_wombat_Init(…)` in the script at the top",
        strength="the host; the rest is the toolbar's, or what the archive rewrote; the root of the host is a guess",
    ),
    Mark(
        _WAYBACK,
        "page",
        b'id="wmtbURL"',
        _TOOLBAR_URL,
        _toolbar_form,
        _INTO_WAYBACK,
        is_archive=True,
        inside="tag",
        evidence="the toolbar's form, `id=\"wmtbURL\"` (OpenWayback's too)",
        strength=_URL,
    ),
    Mark(
        _PYWB,
        "top",
        b"wbinfo.url",
        lazy_pattern(rb'wbinfo\.url\s*=\s*"' + _STRING + rb'"'),
        _pywb,
        _INTO_ARCHIVE,
        is_archive=True,
        inside="script",
        evidence="`wbinfo.url`, with `wbinfo.timestamp`, `.prefix` and `.mod`",
        strength=_URL,
    ),
    Mark(
        _PYWB,
        "page",
        b"new ContentFrame({",
        lazy_pattern(
            rb'new ContentFrame\(\{"url":\s*"' + _STRING + rb'"[^"]{0,99}"prefix":\s*"' + _STRING + rb'"'
            rb'\s*,\s*"request_ts":\s*"(\d{0,14})"'
        ),
        _pywb_frame,
        _INTO_ARCHIVE,
        is_archive=True,
        inside="script",
        evidence="`new ContentFrame(…)` in the page around the archived one",
        strength=_URL,
    ),
    Mark(
        _TODAY,
        "head",
        b'<link rel="bookmark" href="http',
        lazy_pattern(rb'<link rel="bookmark" href="(' + _LONG + rb')"'),
        _today_bookmark,
        _INTO_ARCHIVE,
        is_archive=True,
        inside="tag",
        evidence="`link rel=bookmark` in the head",
        strength="the URL; without a canonical link to the archive, a guess",
    ),
    Mark(
        _TODAY,
        "head",
        b'<link rel="canonical" href="http',
        lazy_pattern(rb'<link rel="canonical" href="(' + _LONG + rb')"'),
        _printed_header,
        _INTO_ARCHIVE,
        is_archive=True,
        inside="tag",
        evidence="`link rel=canonical` with a time and a URL in its path",
        strength=_URL,
    ),
    Mark(
        _TODAY,
        "head",
        b'name="q" value="http',
        lazy_pattern(
            rb'name="q" value="(https?://[^"]{1,8192})"[^<>]{0,200}><input[^<>]{0,200}? name="t" value="(\d{13})"'
        ),
        _today_form,
        _INTO_ARCHIVE,
        is_archive=True,
        inside="tag",
        evidence='the form above the page, `name="q"` and `name="t"`',
        strength=_URL,
    ),
)
