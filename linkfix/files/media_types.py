"""Media types: what a file's name, its first bytes, or a Content-Type field says."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from linkfix.files.data_formats import (
    GENERIC_TYPES,
    JSON,
    JSON_FEED,
    JSON_SUFFIX,
    XML_HEADER,
    XML_PAGE_TYPES,
    XML_SUFFIXES,
    find_root,
    is_xml_name,
    page_type,
    sniff_data,
    sniff_json_feed,
    sniff_xml,
)
from linkfix.lazy import lazy_pattern

#: A name's last suffix (lower case) -> the media type of a document.
MEDIA_TYPES = {
    ".html": "text/html",
    ".htm": "text/html",
    ".shtml": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".xht": "application/xhtml+xml",
    ".svg": "image/svg+xml",
    ".css": "text/css",
    ".rss": "application/rss+xml",
    ".atom": "application/atom+xml",
    ".webmanifest": "application/manifest+json",
}

#: The media type of a robots.txt: linkfix's own name for what servers send as text/plain.
ROBOTS = "text/x-robots"

#: Whole names (lower case) -> the media type of a document; "" where only the content can tell.
_NAMES = {"robots.txt": ROBOTS, "manifest.json": ""}

#: A name's last suffix (lower case) -> the media type of a script: its references are listed, and never rewritten.
SCRIPTS = {".js": "text/javascript", ".mjs": "text/javascript"}

#: The media type of a document -> the suffix to give its file: the first of `MEDIA_TYPES`.
SUFFIXES = {type_: suffix for suffix, type_ in reversed(MEDIA_TYPES.items())}

#: The suffixes of pages' sources -> their media type. Where a page is asked for, they are none.
_SOURCES = {**dict.fromkeys((".md", ".markdown", ".mdown", ".mkd"), "text/markdown"), ".mdx": "text/mdx"}

#: Suffixes of programs whose output is saved under the program's name, and no suffix: the content decides.
SERVED_SUFFIXES = frozenset(
    {"", ".asp", ".aspx", ".cfm", ".cgi", ".do", ".jsp", ".jspx", ".php", ".php3", ".phtml", ".pl"}
)

#: The suffixes of these programs.
PROGRAM_SUFFIXES = SERVED_SUFFIXES - {""}

#: Those of them that sources have as well: only a whole page is output.
_SOURCE_SUFFIXES = frozenset({".pl"})

#: MIME Sniffing §5.2: how many bytes of a resource decide its type.
RESOURCE_HEADER = 1445

#: The number of bytes of a file that decide its type.
HEADER = max(RESOURCE_HEADER, XML_HEADER)

#: The suffixes that leave it to the content.
_UNDECIDED = SERVED_SUFFIXES | XML_SUFFIXES | {JSON_SUFFIX}

#: MIME Sniffing §7.1 "rules for identifying an unknown MIME type": the rows whose result is text/html. Beyond them, any
#: white space ends a tag's name, and an XML declaration may come first, for XHTML that was served as HTML.
_HTML_TAG = lazy_pattern(
    rb"(?:\xef\xbb\xbf)?[\t\n\f\r ]*(?:<\?xml [^>]*>[\t\n\f\r ]*)?"
    rb"<(?:!DOCTYPE HTML|HTML|HEAD|SCRIPT|IFRAME|H1|DIV|FONT|TABLE|A|STYLE|TITLE|B|BODY|BR|P|!--)[\t\n\f\r >]",
    re.IGNORECASE,
)

_XML_DECLARATION = lazy_pattern(rb"(?:\xef\xbb\xbf)?[\t\n\f\r ]*+<\?xml[\t\n\r ]")

#: The elements with which `_HTML_TAG` lets a page begin.
_HTML_ROOTS = frozenset(b"html head script iframe div font table a style title b body br p".split()) | {b"h"}

#: The beginning of a whole page or other document.
_DOCUMENT = lazy_pattern(
    rb"(?:\xef\xbb\xbf)?[\t\n\f\r ]*+<(?:!DOCTYPE HTML|HTML|HEAD|!--|\?xml|rss|feed|urlset)[\t\n\f\r >]",
    re.IGNORECASE,
)

#: The source of a program, not its output.
_PROGRAM = lazy_pattern(rb"<\?(?!xml)|<%")


def media_type(name: str) -> str | None:
    """The media type of a document that a file name (no folder) states, in any case of its letters.

    "" where only the content can tell, None where it is no document's name. A query that was saved in the name does not
    count (`page.html?q=1`, `page.html@q=1`), nor does a suffix added after one (`page.php?q=1.html`).

    >>> media_type("page.HTM?q=1"), media_type("view.php"), media_type("logo.png")
    ('text/html', '', None)
    """
    whole = name.lower()
    if "?" not in whole and "@" not in whole:  # what the rest gives, sooner
        if whole in _NAMES:
            return _NAMES[whole]
        suffix = os.path.splitext(whole)[1]
        return MEDIA_TYPES.get(suffix, "" if suffix in _UNDECIDED else None)
    path, plain = whole.partition("?")[0], _plain_name(whole)
    if plain in _NAMES:
        return _NAMES[plain]
    suffixes = [os.path.splitext(candidate)[1] for candidate in (plain, path)]
    for suffix in suffixes:
        if suffix in MEDIA_TYPES:
            return MEDIA_TYPES[suffix]
    is_undecided = (suffixes[0] or suffixes[1]) in _UNDECIDED
    return "" if is_undecided or os.path.splitext(whole)[1] in MEDIA_TYPES else None


def _plain_name(name: str) -> str:
    """A name without the query that was saved in it."""
    return name.partition("?")[0].partition("@")[0]


def script_type(name: str) -> str:
    """The media type of a script that a file name (no folder) states; "" where it is no script's name.

    >>> script_type("app.js?v=2"), script_type("app.json")
    ('text/javascript', '')
    """
    return SCRIPTS.get(os.path.splitext(name.lower().partition("?")[0])[1], "")


def source_type(name: str) -> str | None:
    """The media type of the source of a page that a file name states; None where it is no source's name.

    >>> source_type("README.md"), source_type("index.html")
    ('text/markdown', None)
    """
    return _SOURCES.get(os.path.splitext(name)[1].lower())


def media_type_of_suffix(name: str) -> str:
    """The media type, of any kind of file, that a name's last suffix stands for; "" for none.

    >>> media_type_of_suffix("img/logo.PNG")
    'image/png'
    """
    return _all_suffixes().get(os.path.splitext(name)[1].lower(), "")


def suffix_of_media_type(type_: str) -> str:
    """The suffix that the names of files with a media type end with; "" for none.

    >>> suffix_of_media_type("image/png"), suffix_of_media_type("application/octet-stream")
    ('.png', '')
    """
    suffixes = (suffix for suffix, known in _all_suffixes().items() if known == type_)
    return "" if type_ == "application/octet-stream" else next(suffixes, "")


@cache
def _all_suffixes() -> dict[str, str]:
    """The table that Python comes with, the same on every system."""
    from mimetypes import MimeTypes  # it takes milliseconds, and most runs ask for no other media type

    return MimeTypes().types_map[True]


def sniff_html(head: bytes) -> str | None:
    """`text/html` where a file's first bytes are those of an HTML document (MIME Sniffing §7.1), else None.

    >>> sniff_html(b"<!doctype html><title>x"), sniff_html(b"%PDF-1.7")
    ('text/html', None)
    """
    return "text/html" if _HTML_TAG.match(head) and not _PROGRAM.search(head) and not _is_foreign_xml(head) else None


def _is_foreign_xml(head: bytes) -> bool:
    """Whether an XML declaration is followed by a root element that neither HTML nor XHTML has."""
    if not _XML_DECLARATION.match(head):
        return False
    root, _ = find_root(head)
    return root is not None and root[1].lower() not in _HTML_ROOTS


#: Members of web application manifests that manifests of browser extensions and of build tools do not have.
_WEB_MANIFEST = lazy_pattern(
    rb"""(?:\xef\xbb\xbf)?\s*\{(?=[\s\S]*?"(?:start_url"\s*:\s*"|icons"\s*:\s*\[|screenshots"\s*:\s*\[))"""
)

_OTHER_MANIFEST = lazy_pattern(rb'"(?:manifest_version|@context)"\s*:')


def sniff(name: str, head: bytes) -> str | None:
    """The media type of a file whose name (no folder) leaves it to the content: see `media_type`. None for no document.

    `head`: its first `HEADER` bytes. A file named as XML is a document where `sniff_xml` knows it, one named as JSON
    where it is a JSON Feed; one with the name of a program can be HTML, too.

    >>> sniff("feed.php", b"<rss>"), sniff("a.php", b"<html>"), sniff("a.xml", b"<html>")
    ('application/rss+xml', 'text/html', None)
    >>> sniff("manifest.json", b'{"start_url": "/"}'), sniff("manifest.json", b'{"manifest_version": 3, "icons": []}')
    ('application/manifest+json', None)
    """
    if _plain_name(name.lower()) in _NAMES:
        is_manifest = _WEB_MANIFEST.match(head) and not _OTHER_MANIFEST.search(head)
        return MEDIA_TYPES[".webmanifest"] if is_manifest else None
    suffix = os.path.splitext(_plain_name(name.lower()))[1]
    if suffix == JSON_SUFFIX:
        return sniff_json_feed(head)
    if suffix in _SOURCE_SUFFIXES and not _DOCUMENT.match(head):
        return None
    return sniff_data(head) or (None if is_xml_name(name) else sniff_html(head[:RESOURCE_HEADER]))


def guess_media_type(name: str, data: bytes) -> str:
    """The media type of a file that states none, by its name and content; "" for none."""
    last = os.path.basename(name)
    stated = media_type(last)
    if stated:
        return stated
    sniffed = sniff(last, data[:HEADER]) if stated == "" else None
    return sniffed or media_type_of_suffix(name)


# The type of a file that a caller names, if neither its name nor its first bytes show a document.


#: The advice for a file that is not a page.
AS_PAGE = "to read it as a page, give --media-type text/html"

#: Suffixes of plain texts (RFC 2046 §4.1).
_TEXT_SUFFIXES = (".txt", ".text")

#: Suffixes that Python's table lacks, or has another meaning for -> the media type. "": the content tells.
_OTHERS = {
    suffix: type_
    for type_, suffixes in {
        "application/json": ".geojson .har .ipynb .json5 .jsonc .jsonl .jsonld .map .ndjson",
        "application/toml": ".toml",
        "application/yaml": ".yaml .yml",
        "text/javascript": ".cjs .cts .jsx .mts .ts .tsx",
        "text/x-scss": ".less .sass .scss .styl",
        "application/rtf": ".rtf",
        "application/xml": ".csproj .gml .gpx .kml .plist .resx .tei .tmx .vcxproj .xaml .xlf .xliff .xsd",
        "text/calendar": ".ics",
        "text/x-build": ".cmake .gradle .mk .ninja",
        "text/x-diff": ".diff .patch",
        "text/x-po": ".po .pot",
        "text/x-source": ".cc .clj .cljs .cpp .cs .cxx .dart .elm .erl .ex .exs .fs .fsx .go .gql .graphql .groovy .hh"
        " .hpp .hs .java .jl .kt .kts .lua .ml .mli .mm .nim .pas .pl .pm .proto .pyi .pyx .pxd .r .rb .rs .scala .sql"
        " .swift .tcl .tf .thrift .vb .vim .zig",
        "text/x-script": ".bash .bat .cmd .fish .ps1 .zsh",
        "text/x-config": ".cfg .conf .env .ini .lock .properties",
        "font/woff2": ".woff2",
        "image/avif": ".avif",
        "image/webp": ".webp",
        # Pages are saved under these names, and templates have them.
        "": ".a .bin .dot .me .ms .o .obj .sgm .sgml .src .t .tr",
    }.items()
    for suffix in suffixes.split()
} | dict.fromkeys(SERVED_SUFFIXES - {".pl"}, "")

#: Whole names (lower case) of files that are no pages -> the media type.
_OTHER_NAMES = dict.fromkeys(("dockerfile", "containerfile"), "text/x-config") | dict.fromkeys(
    ("makefile", "gnumakefile", "jenkinsfile", "rakefile", "gemfile", "vagrantfile", "cmakelists.txt"), "text/x-build"
)

#: Suffixes of archives and of documents in archives -> the media type. None of them is a page that got a wrong name.
_ARCHIVES = {
    suffix: type_
    for type_, suffixes in {
        "application/epub+zip": ".epub",
        "application/java-archive": ".ear .jar .war",
        "application/vnd.ms-outlook": ".msg",
        "application/vnd.oasis.opendocument": ".odp .ods .odt",
        "application/vnd.openxmlformats-officedocument": ".docx .pptx .xlsx",
        "application/warc": ".warc",
        "application/x-7z-compressed": ".7z",
        "application/x-bzip2": ".bz2 .tbz2",
        "application/x-gzip": ".gz .tgz",
        "application/x-lz4": ".lz4",
        "application/x-rar-compressed": ".rar",
        "application/x-tar": ".tar",
        "application/x-xz": ".txz .xz",
        "application/zip": ".zip",
        "application/zstd": ".zst",
    }.items()
    for suffix in suffixes.split()
}

#: Prefixes that servers put before JSON so that scripts of other sites cannot read it.
_JSON_PREFIX = lazy_pattern(rb"(?:\xef\xbb\xbf)?[\t\n\r ]*+(?:\)\]\}'?,?|(?:for|while) ?\((?:;;|1)\);)?+[\t\n\r ]*+")

#: The beginnings that no template language has: `{"`, `{}`, `[{"`. What follows may be JSON with faults.
_OBJECT = lazy_pattern(rb'(?:\[[\t\n\r ]*+)?\{[\t\n\r ]*+["}]')

#: RFC 8259 §2: the tokens, and the comments that some programs write.
_JSON_TOKEN = lazy_pattern(
    rb"""[\t\n\r ]*+(?://[^\n]*+[\t\n\r ]*+|/\*.*?\*/[\t\n\r ]*+)*+
    (?:([\[{])|([\]}])|([,:])
      |("(?:[^"\\\x00-\x1f]++|\\.)*+(?:"|\\?\Z)|-?[0-9]++(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+|true|false|null)
      |(\Z))""",
    re.DOTALL | re.VERBOSE,
)

#: Its groups.
_OPENING, _CLOSING, _MARK, _SCALAR, _END = range(1, 6)

_STRING = lazy_pattern(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)

#: The maximum depth of nested arrays and objects.
_JSON_DEPTH = 100

#: A function's name, and the beginning of JSON or of an object of JavaScript that is its argument. `{{` begins none.
_JSONP = lazy_pattern(
    rb"(?:\xef\xbb\xbf)?[\t\n\r ]*+(?:/\*\*/)?[\t\n\r ]*+"
    rb"(?:typeof [\w$.]++ === 'function' && )?[A-Za-z_$][\w$.]*+[\t ]*+\([\t\n\r ]*+(?=[\[{](?![{%#]))"
)


def is_json(head: bytes) -> bool:
    """Whether a resource is JSON (RFC 8259), one value or several in lines of their own. `head`: its first bytes.

    Faults inside of an object do not count; other text after a value does.

    >>> is_json(b'[1, "<a href>"]'), is_json(b"[1] a note"), is_json(b'"<p>"'), is_json(b"{{ x }}")
    (True, False, True, False)
    """
    prefix = _JSON_PREFIX.match(head[:HEADER])
    at = prefix.end() if prefix else 0
    return _json_end(head[at:HEADER]) == HEADER


def _is_jsonp(head: bytes) -> bool:
    """Whether the first bytes are JSONP: a call of a function with JSON or with a JavaScript object."""
    begin = _JSONP.match(head)
    if begin is None:
        return False
    argument = head[begin.end() : HEADER]
    end = _json_end(argument)
    return end == HEADER or argument.startswith(b"{") or argument[end:].lstrip().startswith(b")")


def _json_end(text: bytes) -> int:
    """Return the end of the JSON at the beginning of a text: `HEADER` if all is JSON, 0 if there is none."""
    depth = at = done = 0
    wants_value = True
    while (token := _JSON_TOKEN.match(text, at)) is not None and token.lastindex != _END:
        kind = token.lastindex
        if not depth:
            may_follow = _begins_json(token) and (not done or b"\n" in text[done : token.end()])
        else:
            may_follow = wants_value or kind not in {_OPENING, _SCALAR}
        if not may_follow or depth > _JSON_DEPTH:
            break
        depth += (kind == _OPENING) - (kind == _CLOSING)
        wants_value = kind in {_OPENING, _MARK}
        at = token.end()
        if not depth:
            done = at
    is_all = token is not None and token.lastindex == _END
    if not depth:
        return HEADER if is_all and done else done
    is_cut = len(text) - at < len(b"false") and len(text) > RESOURCE_HEADER  # in the last token
    return HEADER if depth <= _JSON_DEPTH and (is_all or is_cut or _OBJECT.match(text)) else 0


def _begins_json(token: re.Match[bytes]) -> bool:
    """Whether a token begins a text that is JSON: no number and no word, and no quotation mark before other text."""
    return token.lastindex == _OPENING or (token.lastindex == _SCALAR and _STRING.fullmatch(token[_SCALAR]) is not None)


#: The first bytes of texts -> the media type.
_TEXTS = (
    (lazy_pattern(rb"#!"), "text/x-script"),
    (lazy_pattern(rb"%YAML "), "application/yaml"),
    (lazy_pattern(rb"\{\\rtf"), "application/rtf"),
)

#: Formats that may begin like text, and do not begin as a text may.
_SIGNED_TEXTS = frozenset(
    {
        *("application/pdf", "application/postscript", "application/zstd"),
        *("image/gif", "image/jpeg", "image/webp", "audio/aiff", "audio/wave", "video/avi"),
    }
)


def type_if_named(name: str, *, is_html: bool) -> str:
    """The media type of a file that is a document where a caller names it; "" for none. `is_html`: as it looks."""
    if is_xml_name(name) or media_type_of_suffix(name.partition("?")[0]) in GENERIC_TYPES:
        return "application/xml"
    if name.lower().endswith(_TEXT_SUFFIXES):
        return "" if is_html else "text/plain"
    return source_type(name) or ""


def stated_type(name: str) -> str:
    """The media type, of any kind of file but plain text, that a name's last suffix states; "" for none.

    >>> stated_type("a.html"), stated_type("a.MD"), stated_type("a.yaml"), stated_type("a.txt"), stated_type("a.php")
    ('text/html', 'text/markdown', 'application/yaml', '', '')
    """
    suffix = os.path.splitext(name)[1].lower()
    known = MEDIA_TYPES.get(suffix) or _SOURCES.get(suffix) or _ARCHIVES.get(suffix) or _OTHERS.get(suffix)
    type_ = _all_suffixes().get(suffix, "") if known is None else known
    return "" if type_ in {"text/plain", "application/octet-stream"} else type_


class OtherFile(NamedTuple):
    """A file that is no page."""

    problem: str
    """The code of the problem that this is."""
    media_type: str

    @property
    def text(self) -> str:
        """The media type, and the advice."""
        return f"{self.media_type}; {AS_PAGE}" if self.problem == "media-type" else self.media_type


def other_file(name: str, head: bytes) -> OtherFile | None:
    """Return the type of a file that is not a page; None if it may be a page, such as a fragment of HTML.

    `head`: its first bytes.

    >>> other_file("feed.json", b"{}"), other_file("header.tmpl", b"<ul>")
    (OtherFile(problem='media-type', media_type='application/json'), None)
    >>> other_file("logo", b"GIF89a"), other_file("feed.json", b"<!doctype html>")
    (OtherFile(problem='media-type', media_type='image/gif'), None)
    """
    sniffed = DeclaredType().media_type(head)
    is_source = os.path.splitext(name.partition("?")[0].lower())[1] in _SOURCE_SUFFIXES and not _DOCUMENT.match(head)
    if sniffed == "text/html" and not is_archive_name(name) and not is_source:
        return None
    if is_binary(head):
        return OtherFile("binary", _type_of_name(name) or binary_type(head) or sniffed)
    type_ = _type_of_name(name) or _type_of_text(head)
    if not type_ and _XML_DECLARATION.match(head) and not (sniff_html(head) or sniff_xml(head) or page_type(head)):
        type_ = "application/xml"
    type_ = type_ or binary_type(head)
    return OtherFile("media-type", type_) if type_ else None


def _type_of_text(head: bytes) -> str:
    """The media type of a text that its first bytes tell; "" for others."""
    if is_json(head):
        return "application/json"
    if _is_jsonp(head):
        return "text/javascript"
    return next((type_ for pattern, type_ in _TEXTS if pattern.match(head)), "")


def _type_of_name(name: str) -> str:
    """The media type that a name's suffix stands for; a saved query does not count (`app.js?v=1`)."""
    for one in dict.fromkeys((name, name.partition("?")[0])):
        if one.lower() in _OTHER_NAMES:
            return _OTHER_NAMES[one.lower()]
        suffix = os.path.splitext(one.lower())[1]
        type_ = _OTHERS.get(suffix)
        if type_ := _ARCHIVES.get(suffix) or (media_type_of_suffix(one) if type_ is None else type_):
            return type_
    return ""


def is_archive_name(name: str) -> bool:
    """Whether a file with this name (no folder) is no page, however it begins.

    >>> is_archive_name("crawl.gz"), is_archive_name("page.php")
    (True, False)
    """
    return os.path.splitext(name.lower().partition("?")[0])[1] in _ARCHIVES


#: Media types by name that do not exclude an archive.
_ANY_TEXT_OR_DATA = frozenset({"", "text/plain", "application/octet-stream", "application/x-gzip"})


def may_be_any(name: str) -> bool:
    """Whether a file with this name (no folder) may be anything.

    >>> may_be_any("crawl.dat"), may_be_any("crawl.gz"), may_be_any("logo.png")
    (True, True, False)
    """
    return _type_of_name(name) in _ANY_TEXT_OR_DATA


# The media type of a response: what its header fields declare, and what its first bytes make of that.
#
# Fetch §2.2.2 "extract a MIME type" reads all values of Content-Type, MIME Sniffing §7 determines the *computed MIME
# type*. Chromium reads some values and first bytes as HTML that the standards do not; those are read too.


_TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]++"  # noqa: S105 - RFC 9110 §5.6.2, no password

#: Almost every value.
_PLAIN = lazy_pattern(rf"({_TOKEN}/{_TOKEN})(?:; ?charset=({_TOKEN}))?", re.IGNORECASE)

#: RFC 9110 §5.6.4. A string that does not end ends with the value (Fetch, "collect an HTTP quoted string").
_QUOTED = r'"(?:[^"\\]++|\\[\s\S])*+(?:"|\\?$)'

#: A member of a list (Fetch §2.2.2 "get, decode, and split").
_MEMBER = lazy_pattern(rf'(?:[^",]++|{_QUOTED})*+')

#: MIME Sniffing §4.4. White space and "(" end a subtype, as in Chromium.
_ESSENCE = lazy_pattern(rf"[\t\n\r ]*+({_TOKEN}/{_TOKEN})(?=[\t\n\r ;(]|$)")

_PARAMETER = lazy_pattern(rf";[\t\n\r ]*+([^;=]*+)(?:=({_QUOTED}|[^;]*+))?[^;]*+")

_ESCAPE = lazy_pattern(r"\\([\s\S])")

_WHITE_SPACE = "\t\n\r "

#: Says nothing, and takes nothing's place (Fetch §2.2.2).
_ANY = "*/*"

#: MIME Sniffing §7: types that leave it to the content.
_UNKNOWN = frozenset({"", _ANY, "unknown/unknown", "application/unknown"})

#: Types that servers give whatever they do not know.
_INDISTINCT = frozenset(
    {"text/plain", "application/octet-stream", "binary/octet-stream", "application/x-download", "application/download"}
)

_OPEN = _UNKNOWN | _INDISTINCT

_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})

#: MIME Sniffing §7.1, the rows whose result is text/html. Chromium does not ask for a space or ">" after the name.
_HTML = lazy_pattern(
    rb"[\t\n\f\r ]*+<(?:!DOCTYPE HTML|HTML|HEAD|SCRIPT|IFRAME|H1|DIV|FONT|TABLE|A|STYLE|TITLE|B|BODY|BR|P|!--)",
    re.IGNORECASE,
)

#: The other rows, and those of §6.1, §6.2 and §6.4.
_SIGNATURES = tuple(
    (lazy_pattern(pattern, re.DOTALL), type_)
    for pattern, type_ in (
        (rb"[\t\n\f\r ]*+<\?xml", "text/xml"),
        (rb"%PDF-", "application/pdf"),
        (rb"%!PS-Adobe-", "application/postscript"),
        (rb"\xfe\xff|\xff\xfe|\xef\xbb\xbf", "text/plain"),
        (rb"\0\0[\x01\x02]\0", "image/x-icon"),
        (rb"BM", "image/bmp"),
        (rb"GIF8[79]a", "image/gif"),
        (rb"RIFF.{4}WEBPVP", "image/webp"),
        (rb"\x89PNG\r\n\x1a\n", "image/png"),
        (rb"\xff\xd8\xff", "image/jpeg"),
        (rb"FORM.{4}AIFF", "audio/aiff"),
        (rb"ID3", "audio/mpeg"),
        (rb"OggS\0", "application/ogg"),
        (rb"MThd\0\0\0\x06", "audio/midi"),
        (rb"RIFF.{4}AVI ", "video/avi"),
        (rb"RIFF.{4}WAVE", "audio/wave"),
        (rb"\0.{3}ftyp", "video/mp4"),
        (rb"\x1aE\xdf\xa3", "video/webm"),
        (rb"\x1f\x8b\x08", "application/x-gzip"),
        (rb"PK\x03\x04", "application/zip"),
        (rb"Rar \x1a\x07\0", "application/x-rar-compressed"),
    )
)

#: Further rows: those of §6.3, and what programs and archives begin with.
_FURTHER_SIGNATURES = tuple(
    (lazy_pattern(pattern, re.DOTALL), type_)
    for pattern, type_ in (
        (rb"%!PS", "application/postscript"),
        (rb"\0asm", "application/wasm"),
        (rb"wOFF", "font/woff"),
        (rb"wOF2", "font/woff2"),
        (rb"OTTO", "font/otf"),
        (rb"\x00\x01\x00\x00|true\x00", "font/ttf"),
        (rb"ttcf", "font/collection"),
        (rb".{34}LP", "application/vnd.ms-fontobject"),
        (rb"\x7fELF|MZ|\xca\xfe\xba\xbe|[\xcf\xce]\xfa\xed\xfe", "application/octet-stream"),
        (rb"Rar!\x1a\x07", "application/x-rar-compressed"),
        (rb"BZh[1-9]1AY&SY", "application/x-bzip2"),
        (rb"\xfd7zXZ\0", "application/x-xz"),
        (rb"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
        (rb"\x28\xb5\x2f\xfd", "application/zstd"),
    )
)

_BOMS = (b"\xfe\xff", b"\xff\xfe", b"\xef\xbb\xbf")

#: MIME Sniffing §3: *binary data bytes*.
_BINARY = lazy_pattern(rb"[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]")


class _AnyType(frozenset[str]):
    """A set that has every media type. It is not empty, though no type can be counted."""

    __slots__ = ()

    def __contains__(self, _: object) -> bool:
        return True

    def __bool__(self) -> bool:
        return True


#: All media types, as a set that tells only whether it has one.
ANY_TYPE: frozenset[str] = _AnyType()


class MimeType(NamedTuple):
    """The media type and charset of a Content-Type."""

    essence: str = ""
    """Type and subtype, lower case; "" for none."""
    charset: str | None = None
    """The charset parameter, as it is written."""

    @property
    def is_unknown(self) -> bool:
        """Whether the content is to tell the type."""
        return self.essence in _UNKNOWN


class DeclaredType(NamedTuple):
    """The declared type of a resource."""

    own: MimeType = MimeType()
    """By its own header."""
    identified: MimeType = MimeType()
    """The type that a crawler found (WARC-Identified-Payload-Type)."""
    no_sniff: bool = False
    """Whether bytes must not make a page of an unknown type (Fetch §3.6, "X-Content-Type-Options")."""

    def media_type(self, head: bytes) -> str:
        """The media type; never "". `head`: the resource, decoded, or its first `HEADER` bytes."""
        essence = self.own.essence
        if essence in _HTML_TYPES:  # whatever the bytes, and a crawler, say
            return essence
        head = head[:HEADER]
        if self._identified_counts and (essence in _OPEN or _HTML.match(head[:RESOURCE_HEADER])):
            essence = self.identified.essence
        if essence in _UNKNOWN:
            essence = _sniff(head[:RESOURCE_HEADER], no_sniff=self.no_sniff)
        elif essence == "text/plain" and not self.no_sniff and is_binary(head):
            essence = "application/octet-stream"  # MIME Sniffing §7.2
        if essence in GENERIC_TYPES:
            return page_type(head) or essence
        return (sniff_json_feed(head) or essence) if essence == JSON else essence

    def may_be(self, wanted: Collection[str]) -> bool:
        """Whether there are first bytes that make it one of the `wanted` media types."""
        if self.states_one_of(wanted):
            return True
        if self.own.essence in _UNKNOWN:
            return "text/plain" in wanted if self.no_sniff else bool(wanted)
        if JSON in self.essences and JSON_FEED in wanted:
            return True
        return not self.essences.isdisjoint(GENERIC_TYPES) and any(type_ in wanted for type_ in XML_PAGE_TYPES)

    def states_one_of(self, wanted: Collection[str]) -> bool:
        """Whether an essence that is declared and may count is one of the `wanted` media types."""
        return self.own.essence in wanted or (self._identified_counts and self.identified.essence in wanted)

    @property
    def essences(self) -> frozenset[str]:
        """The essences that are declared and may count; "" for none."""
        return frozenset({self.own.essence, self.identified.essence if self._identified_counts else self.own.essence})

    @property
    def _identified_counts(self) -> bool:
        """Whether what was identified can be the type: in place of none or an indistinct one, or, where it is HTML and
        the bytes look so, of any that is not.
        """
        own, identified = self.own.essence, self.identified.essence
        return identified not in _OPEN if own in _OPEN else own not in _HTML_TYPES and identified in _HTML_TYPES


#: The header fields that declare a type.
TypeField = Literal["content-type", "x-content-type-options"]


def declared_type(fields: Callable[[TypeField], Iterable[str]], identified: Iterable[str] = ()) -> DeclaredType:
    """Return the declared type of a resource.

    `fields`: gives the values of all header fields of a name (lower case), in order. `identified`: what a crawler
    found.
    """
    return _declared_type(tuple(fields("content-type")), tuple(fields("x-content-type-options")), tuple(identified))


@lru_cache(maxsize=64)  # the responses of a site have few values
def _declared_type(types: tuple[str, ...], options: tuple[str, ...], identified: tuple[str, ...]) -> DeclaredType:
    members = _members(", ".join(options))
    no_sniff = bool(members) and members[0].strip(_WHITE_SPACE).lower() == "nosniff"
    return DeclaredType(extract_mime_type(types), extract_mime_type(identified), no_sniff)


def extract_mime_type(values: Iterable[str]) -> MimeType:
    """The MIME type of the values of all Content-Type fields, in order (Fetch §2.2.2 "extract a MIME type").

    >>> extract_mime_type(["text/html; charset=utf-8, text/html", "*/*"])
    MimeType(essence='text/html', charset='utf-8')
    >>> extract_mime_type(["html"])
    MimeType(essence='', charset=None)
    """
    found = MimeType()
    for value in values:
        if plain := _PLAIN.fullmatch(value):
            found = _follow(found, MimeType(plain[1].lower(), plain[2]))
            continue
        for member in _members(value):
            if essence := _ESSENCE.match(member):
                found = _follow(found, MimeType(essence[1].lower(), _charset(member, essence.end())))
    return found


def _follow(before: MimeType, found: MimeType) -> MimeType:
    """The MIME type where `found` is the value after those that gave `before`."""
    if found.essence == _ANY and before.essence not in {"", _ANY}:
        return before
    is_same = found.essence == before.essence
    return found._replace(charset=before.charset) if is_same and found.charset is None else found


def _members(value: str) -> list[str]:
    """The members of a list."""
    if not value:
        return []
    if "," not in value:
        return [value]
    members = []
    at = 0
    while member := _MEMBER.match(value, at):
        members.append(member[0])
        at = member.end() + 1
        if at > len(value):
            break
    return members


def _charset(member: str, start: int) -> str | None:
    """The first charset parameter of a MIME type whose essence ends at `start`; None where it has none, or no value."""
    at = member.find(";", start)
    while at >= 0 and (parameter := _PARAMETER.match(member, at)):
        at = parameter.end()
        value = parameter[2]
        if parameter[1].lower() == "charset" and value:
            if not value.startswith('"'):
                return value.rstrip(_WHITE_SPACE) or None
            return _ESCAPE.sub(r"\1", value[1:].removesuffix('"')) or None
    return None


def is_binary(head: bytes) -> bool:
    """Whether a resource is no text (MIME Sniffing §7.2 "rules for distinguishing if a resource is text or binary")."""
    return not head.startswith(_BOMS) and _BINARY.search(head[:RESOURCE_HEADER]) is not None


def binary_type(head: bytes) -> str:
    r"""The media type of a resource that is no text, by its first bytes (MIME Sniffing §6, §7.1); "" for others.

    A short signature counts only where the resource is binary, since a text can begin so.

    >>> binary_type(b"GIF89a<a href>"), binary_type(b"BMW: <a href>"), binary_type(b"BM6\0\0\0")
    ('image/gif', '', 'image/bmp')
    """
    if head.startswith(b"<"):
        return ""
    for pattern, type_ in (*_SIGNATURES, *_FURTHER_SIGNATURES):
        if not type_.startswith("text/") and pattern.match(head) and (type_ in _SIGNED_TEXTS or is_binary(head)):
            return type_
    return ""


def _sniff(head: bytes, *, no_sniff: bool) -> str:
    """The type of a resource that has none (MIME Sniffing §7.1 "rules for identifying an unknown MIME type")."""
    if no_sniff:
        return "text/plain"  # as in browsers: what else it may be is no page
    if _HTML.match(head):
        return "text/html"
    for pattern, type_ in _SIGNATURES:
        if pattern.match(head):
            return type_
    return "application/octet-stream" if is_binary(head) else "text/plain"
