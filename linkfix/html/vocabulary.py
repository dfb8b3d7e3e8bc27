"""The elements, attributes and header fields that have URLs: two tables. No other module lists them.

A row is (element, attribute, syntax, role, guard, section, namespace, parsed): see `linkfix.model.Row`. Element "*"
means every element of the namespace without its own row for the attribute; attribute "" is the element's text. The
syntaxes are the names in `linkfix.html.syntaxes`, and "srcdoc". Roles state the purpose of the reference:

    hyperlink   users follow it                resource    it is fetched with the page
    form        data is sent to it             metadata    it describes the page or a part of it
    base        the href of BASE               codebase    the base of the same element's code attributes
    code        resolved against codebase      document    a document inside this one
    anchor      the target of a fragment       mention     a plain text mentions it
    module      a module that a script imports identifier  URLs are compared with it or made of it; it is not fetched

If a BASE element comes after a reference, the time of parsing decides the reference's base. "at once": the reference is
parsed when the element is inserted, when its attribute is set, or in the task that this queues (object and embed,
media). It is not parsed again when the base changes (HTML §2.4.3). All other references are parsed when they are used:
a hyperlink when it is followed, a form when it is submitted, an icon when it is shown.

A section is the HTML standard's (https://html.spec.whatwg.org/) unless it names another text.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from linkfix.encodings.encoding import Encoding
from linkfix.errors import InvalidOption
from linkfix.html.syntaxes import SYNTAXES
from linkfix.kernels.constants import (
    ANCHOR,
    BASE,
    CSS,
    DECISIVE_ATTRIBUTES,
    FLAGS,
    LOCAL_URL,
    OTHER,
    REFRESH,
    SRCSET,
    URL,
)
from linkfix.kernels.names import NameTable, RowIndex
from linkfix.kernels.outline import Record
from linkfix.lazy import lazy_pattern
from linkfix.model import DocumentKind, Options, Row

# The fields of message headers whose values are URLs: one table. No other module lists them.
#
# A row is (element, attribute, syntax, role, guard, section, namespace): see `linkfix.model.Row`. The element is "" and
# the attribute is the field's name in lower case. The namespace names the protocols that register or define the field
# ("mail" is mail, netnews and MIME). The section is the section of the field's specification: see IANA's registries
# "message-headers" and "http-fields". A role is one of the vocabulary's roles, or
#
#     location    the URL of the message itself; it is resolved against the base of the entity around the message
#
# Fields with values that only look like URLs have no row: Content-ID, Message-ID and List-ID are identifiers.


_MAIL, _HTTP, _BOTH = "mail", "http", "mail http"


def _header_rows(table: str) -> dict[str, Row]:
    """The field's name -> its row, from lines of `field | syntax | role | protocols | section`."""
    cells = ([cell.strip() for cell in line.split("|")] for line in table.strip().splitlines())
    return {name: Row("", name, syntax, role, "", section, where) for name, syntax, role, where, section in cells}


HEADER_FIELDS: dict[str, Row] = _header_rows(
    f"""
    archived-at               | header-urls         | hyperlink | {_MAIL} | RFC 5064 §2.1
    base                      | header-absolute-url | location  | {_MAIL} | RFC 1808 §3.1
    content-base              | header-absolute-url | location  | {_BOTH} | RFC 2110 §4.2
    content-location          | header-url          | location  | {_BOTH} | RFC 2557 §4.2, RFC 9110 §8.7
    link                      | header-links        | resource  | {_HTTP} | RFC 8288 §3
    list-archive              | header-urls         | hyperlink | {_MAIL} | RFC 2369 §3.6
    list-help                 | header-urls         | hyperlink | {_MAIL} | RFC 2369 §3.1
    list-owner                | header-urls         | hyperlink | {_MAIL} | RFC 2369 §3.5
    list-post                 | header-urls         | hyperlink | {_MAIL} | RFC 2369 §3.4
    list-subscribe            | header-urls         | hyperlink | {_MAIL} | RFC 2369 §3.3
    list-unsubscribe          | header-urls         | hyperlink | {_MAIL} | RFC 2369 §3.2
    location                  | header-url          | hyperlink | {_HTTP} | RFC 9110 §10.2.2
    refresh                   | header-refresh      | hyperlink | {_HTTP} | HTML §7.8
    snapshot-content-location | header-absolute-url | location  | {_MAIL} | Chromium
    uri                       | header-urls         | resource  | {_HTTP} | RFC 2068 §19.6.2.5
    """
)

"""The field's name, in lower case -> its row."""

#: The fields that set the base of a message's contents: see `linkfix.document.header_lines`.
BASE_FIELDS = ("content-base", "content-location", "base")

#: The names of the fields of HTTP.
HTTP_FIELDS = frozenset(name for name, row in HEADER_FIELDS.items() if _HTTP in row.namespace.split())

#: The kinds of document that are headers -> the protocol of their fields: see `header_records`.
HEADER_KINDS: dict[DocumentKind, str] = {"header": _MAIL, "http-header": _HTTP}

#: The encoding of a value that is not UTF-8 (RFC 6532 §3.1): Chromium reads such lines as Latin-1.
FALLBACK_ENCODING = Encoding("windows-1252", "default", "not UTF-8")

_HEADER_END = lazy_pattern(rb"^\r?\n", re.MULTILINE)


#: A field of a header, and its folded lines (RFC 5322 §2.2, RFC 9112 §5). Group 1 is the name, group 2 the raw value.
ANY_FIELD = lazy_pattern(rb"^([!-9;-~]++)[ \t]*+:([^\n]*+(?:\n[ \t][^\n]*+)*+)", re.MULTILINE)


def header_records(data: bytes, start: int, protocol: str) -> Iterator[Record]:
    """The values with URLs in a header that begins at `start`. The header ends at an empty line or with the data.

    `protocol`: "mail" for all fields, since any field may occur in a message; "http" for those of HTTP.
    """
    header = data[start:]
    end = _HEADER_END.search(header)
    for match in ANY_FIELD.finditer(header, 0, end.start() if end else len(header)):
        row = HEADER_FIELDS.get(match[1].lower().decode("ascii"))
        if row is None or (protocol == _HTTP and _HTTP not in row.namespace.split()):
            continue
        value_end = match.end() - match[2].endswith(b"\r")
        yield Record(row, start + match.start(2), start + value_end, start + match.start(), 0, text=True)


# A vocabulary as arrays of numbers: the index for the outline's lookups of tags and attributes.


NAMESPACES = {"html": 0, "svg": 1, "mathml": 2}

#: A syntax -> the kind of its rows.
_KINDS = {"url": URL, "local-url": LOCAL_URL, "css": CSS, "anchor": ANCHOR, "srcset": SRCSET, "refresh": REFRESH}


def index_rows(rows: Sequence[Row]) -> RowIndex:
    """Return the index of a vocabulary."""
    guards = [row.guard.partition("=") for row in rows]
    # "" is the attribute of text rows, and the guard of rows without a guard.
    attributes = _numbered("", *DECISIVE_ATTRIBUTES, *(row.attribute for row in rows), *(name for name, _, _ in guards))
    elements = _numbered("", *FLAGS, *(row.element for row in rows if row.element != "*"))
    numbered = [rows[0], *rows]
    table = array("i", bytes(4 * len(NAMESPACES) * len(elements) * len(attributes)))
    nexts = array("i", bytes(4 * len(numbered)))
    for places, numbers in _chains(rows, elements, attributes):
        for place in places:
            table[place] = numbers[0]
        for number, following in pairwise(numbers):
            nexts[number] = following
    return RowIndex(
        numbered,
        [(*row[:4], row.namespace) for row in numbered],
        NameTable(list(attributes)[1:]),
        NameTable(list(elements)[1:]),
        array("i", [FLAGS.get(name, 0) for name in elements]),
        [
            table,
            nexts,
            array("i", [0, *(attributes[name] for name, _, _ in guards)]),
            array("i", [0, *map(_kind, rows)]),
        ],
        [None, *(NameTable(words.split()) if words else None for _, _, words in guards)],
    )


def _numbered(*names: str) -> dict[str, int]:
    """Each distinct name -> its number, from 0, in the order of first occurrence."""
    return {name: number for number, name in enumerate(dict.fromkeys(names))}


def _kind(row: Row) -> int:
    if row.role == "base":
        return BASE
    return OTHER if row.role in {"code", "codebase"} else _KINDS.get(row.syntax, OTHER)


def _chains(
    rows: Sequence[Row], elements: dict[str, int], attributes: dict[str, int]
) -> Iterator[tuple[Sequence[int], list[int]]]:
    """The rows of each element and attribute: their positions in the table, and their numbers.

    Rows of "*" come first, so that rows of a named element overwrite them.
    """
    chains: dict[tuple[str, str, str], list[int]] = {}
    for number, row in enumerate(rows, 1):
        chains.setdefault((row.namespace, row.element, row.attribute), []).append(number)
    width = len(attributes)
    height = len(elements)
    for (namespace, element, attribute), numbers in sorted(chains.items(), key=lambda chain: chain[0][1] != "*"):
        first = NAMESPACES[namespace] * height * width + attributes[attribute]
        if element == "*":
            yield range(first, first + height * width, width), numbers
        else:
            yield [first + elements[element] * width], numbers


#: ASCII white space (Infra §4.6).
WHITE_SPACE = "\t\n\f\r "

#: The time of parsing: as soon as the element is inserted, whatever its other attributes.
AT_ONCE = "at once"

#: ASCII whitespace (Infra §4.6).
_WHITE_SPACE = "\t\n\f\r "

_LOWER = {ord(letter): letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}

ROLES = frozenset(
    {
        *("hyperlink", "resource", "form", "metadata", "base", "codebase", "code", "document", "anchor", "mention"),
        *("module", "identifier"),
    }
)


def _rows(namespace: str, table: str) -> tuple[Row, ...]:
    """Rows from lines of `element,… | attribute,… | syntax | role | guard | parsed | section`."""
    rows = []
    for line in table.strip().splitlines():
        elements, attributes, syntax, role, guard, parsed, section = (cell.strip() for cell in line.split("|"))
        rows += [
            Row(element, attribute, syntax, role, guard, section, namespace, parsed)
            for element in elements.split(",")
            for attribute in attributes.split(",")
        ]
    return tuple(rows)


#: The link types whose resource is fetched when the element is inserted (HTML §4.6.8). Icons and manifests are fetched
#: when they are needed.
_FETCHED_RELS = "rel=stylesheet preload modulepreload prefetch preconnect dns-prefetch"

_HTML = _rows(
    "html",
    f"""
    a,area               | href          | url        | hyperlink |                    |          | §4.6.1
    a,area               | ping          | space-list | hyperlink |                    |          | §4.6.1
    applet               | codebase      | url        | codebase  |                    |          | HTML 4.01 §13.4
    applet               | archive       | comma-list | code      |                    |          | HTML 4.01 §13.4
    audio,video          | src           | url        | resource  |                    | at once  | §4.8.11.2
    video                | poster        | url        | resource  |                    | at once  | §4.8.8
    base                 | href          | url        | base      |                    |          | §4.2.3
    bgsound              | src           | url        | resource  |                    |          | §16.2
    blockquote,q         | cite          | url        | metadata  |                    |          | §4.4.4
    ins,del              | cite          | url        | metadata  |                    |          | §4.7.3
    body,table,thead     | background    | url        | resource  |                    | at once  | §16.2
    tbody,tfoot,tr,td,th | background    | url        | resource  |                    | at once  | §16.2
    button,input         | formaction    | url        | form      |                    |          | §4.10.19.6
    command,menuitem     | icon          | url        | resource  |                    |          | W3C HTML 5.1 §4.11.3
    embed                | src           | url        | resource  |                    | at once  | §4.8.6
    embed                | pluginspage   | url        | hyperlink |                    |          | Netscape 4
    form                 | action        | url        | form      |                    |          | §4.10.19.6
    frame,iframe         | longdesc      | url        | metadata  |                    |          | §16.2
    frame                | src           | url        | resource  |                    | at once  | §16.3.1
    head                 | profile       | space-list | metadata  |                    |          | HTML 4.01 §7.4.4.3
    html                 | manifest      | url        | resource  |                    | at once  | §16.2
    iframe               | src           | url        | resource  |                    | at once  | §4.8.5
    iframe               | srcdoc        | srcdoc     | document  |                    | at once  | §4.8.5
    img                  | src           | url        | resource  |                    | at once  | §4.8.3
    img                  | srcset        | srcset     | resource  |                    | at once  | §4.8.3
    img                  | longdesc      | url        | metadata  |                    |          | §16.2
    img                  | lowsrc,dynsrc | url        | resource  |                    |          | §16.2
    input                | src           | url        | resource  |                    | at once  | §4.10.5.1.19
    layer,ilayer         | src           | url        | resource  |                    |          | Netscape 4
    layer,ilayer         | background    | url        | resource  |                    |          | Netscape 4
    link                 | href          | url        | resource  |                    | {_FETCHED_RELS} | §4.2.4
    link                 | imagesrcset   | srcset     | resource  |                    | at once  | §4.2.4
    meta                 | content       | refresh    | hyperlink | http-equiv=refresh | at once  | §4.2.5.3
    object               | codebase      | url        | codebase  |                    |          | HTML 4.01 §13.3
    object               | data          | url        | resource  |                    | at once  | §4.8.7
    object               | classid       | url        | code      |                    |          | HTML 4.01 §13.3
    object               | archive       | space-list | code      |                    |          | HTML 4.01 §13.3
    param                | value         | url        | resource  | valuetype=ref      |          | HTML 4.01 §13.3.2
    script               | src           | url        | resource  |                    | at once  | §4.12.1
    script               |               | importmap  | resource  | type=importmap     | at once  | §8.1.6.1
    script               |               | speculationrules | metadata  | type=speculationrules | at once  | §7.6.1
    source               | src           | url        | resource  |                    | at once  | §4.8.2
    source               | srcset        | srcset     | resource  |                    | at once  | §4.8.2
    style                |               | css        | resource  |                    | at once  | §4.2.6
    track                | src           | url        | resource  |                    | at once  | §4.8.9
    *                    | itemid        | url        | metadata  | itemscope          |          | §5.2.2
    *                    | style         | css        | resource  |                    | at once  | §3.2.6.5
    """,
)

_PAINTED = "fill,stroke,filter,mask,clip-path,marker,marker-start,marker-mid,marker-end,cursor"

_SVG = _rows(
    "svg",
    f"""
    a                    | href,xlink:href | url        | hyperlink |  |          | SVG 2 §16.2
    a                    | ping            | space-list | hyperlink |  |          | SVG 2 §16.2
    image,script,feimage | href,xlink:href | local-url  | resource  |  | at once  | SVG 2 §16.1.1
    use,tref,textpath    | href,xlink:href | local-url  | resource  |  | at once  | SVG 2 §16.1.1
    mpath,cursor         | href,xlink:href | local-url  | resource  |  | at once  | SVG 2 §16.1.1
    lineargradient       | href,xlink:href | local-url  | resource  |  | at once  | SVG 2 §14.2.2
    radialgradient       | href,xlink:href | local-url  | resource  |  | at once  | SVG 2 §14.2.3
    pattern,filter       | href,xlink:href | local-url  | resource  |  | at once  | SVG 2 §14.3
    animate,animatecolor | href,xlink:href | local-url  | resource  |  | at once  | SVG Animations §2.4
    animatemotion,set    | href,xlink:href | local-url  | resource  |  | at once  | SVG Animations §2.4
    animatetransform     | href,xlink:href | local-url  | resource  |  | at once  | SVG Animations §2.4
    discard              | href,xlink:href | local-url  | resource  |  | at once  | SVG Animations §2.4
    altglyph,glyphref    | href,xlink:href | local-url  | resource  |  | at once  | SVG 1.1 §10.14
    color-profile        | href,xlink:href | local-url  | resource  |  | at once  | SVG 1.1 §12.3.3
    font-face-uri        | href,xlink:href | local-url  | resource  |  | at once  | SVG 1.1 §20.8.3
    *                    | {_PAINTED}      | css        | resource  |  | at once  | SVG 2 §6.6
    *                    | style           | css        | resource  |  | at once  | SVG 2 §6.4
    style                |                 | css        | resource  |  | at once  | SVG 2 §6.3
    """,
)

_MATHML = _rows(
    "mathml",
    """
    *                    | href,xlink:href | url        | hyperlink |  |          | MathML 3 §2.1.6
    mglyph               | src           | url        | resource  |  |          | MathML 3 §3.2.1.2
    annotation           | src           | url        | resource  |  |          | MathML 3 §5.1.1
    annotation-xml       | src           | url        | resource  |  |          | MathML 3 §5.1.1
    math                 | altimg        | url        | resource  |  |          | MathML 3 §2.2.1
    *                    | style         | css        | resource  |  | at once  | MathML Core §2.1.5
    """,
)

ROWS = _HTML + _SVG + _MATHML

#: A kind of document that is one value -> the row for the whole document.
WHOLE: dict[DocumentKind, Row] = {
    "css": Row("", "", "css", "resource", "", "CSS"),
    "text": Row("", "", "text", "mention", "", "RFC 2396 Appendix E"),
    "webmanifest": Row("", "", "webmanifest", "metadata", "", "Web Application Manifest"),
    "robots": Row("", "", "robots", "metadata", "", "https://www.sitemaps.org/protocol.html"),
    "javascript": Row("", "", "javascript", "module", "", "§8.1.6.2"),
}

#: A kind of document in `WHOLE` that can have a source map -> the row for the comment that names the source map.
SOURCE_MAPS: dict[DocumentKind, Row] = {
    "css": Row("", "", "css-source-map", "metadata", "", "ECMA-426 §11.1.2.2"),
    "javascript": Row("", "", "source-map", "metadata", "", "ECMA-426 §11.1.2.1"),
}

#: The kinds of document without markup: the kinds in `WHOLE`, and headers, whose fields have separate rows
#: (`linkfix.html.vocabulary`).
WITHOUT_MARKUP: frozenset[DocumentKind] = frozenset({*WHOLE, *HEADER_KINDS})


def records_without_markup(kind: DocumentKind, data: bytes, start: int) -> list[Record]:
    """The record of the whole document and the record of the comment that names its source map; or the fields of a
    header.

    `start`: the offset of the text in `data`, after a byte order mark.
    """
    if kind in HEADER_KINDS:
        return list(header_records(data, start, HEADER_KINDS[kind]))
    end = len(data)
    records = [Record(WHOLE[kind], start, end, start, 0, text=True)]
    if kind in SOURCE_MAPS and b"sourceMappingURL" in data:
        from linkfix.html.syntaxes.text import comment_start  # few documents have one

        comment = comment_start(data)
        if comment >= start:
            records.append(Record(SOURCE_MAPS[kind], comment, end, comment, 0, text=True))
    return records


SOURCE_MAP_SYNTAXES = frozenset(row.syntax for row in SOURCE_MAPS.values())

#: The syntaxes of whole documents whose references are listed and checked, but never rewritten. The imports of a script
#: depend on the page that loads it, and a source map is a file of the code's authors.
LISTED_SYNTAXES = SOURCE_MAP_SYNTAXES | {"javascript"}

#: The syntaxes of header fields.
HEADER_SYNTAXES = frozenset({"header-url", "header-absolute-url", "header-urls", "header-links", "header-refresh"})

#: The syntaxes of references that are always listed, and rewritten only on request -> the option that asks for it.
ON_REQUEST = {"text": "plain_text"} | dict.fromkeys(HEADER_SYNTAXES, "header_fields")

#: The row for module scripts in pages, for callers that list or check references.
MODULES = _rows("html", "script | | javascript | module | type=module | at once | §8.1.4.2")

_LAZY = _rows(
    "html",
    """
    *  | data-src,data-original,data-lazy,data-lazy-src,data-actualsrc   | lazy-url    | resource  | | | lazy loaders
    *  | data-hi-res-src,data-full-url,data-large_image,data-zoom-image  | lazy-url    | resource  | | | lazy loaders
    *  | data-poster,data-thumb,data-background,data-iframe-src,data-url | lazy-url    | resource  | | | lazy loaders
    *  | data-background-image,data-image,data-image-src                 | lazy-url    | resource  | | | lazy loaders
    *  | data-bg,data-bg-hidpi,data-bg-multi,data-bg-multi-hidpi         | lazy-url    | resource  | | | lazy loaders
    *  | data-href                                                       | lazy-url    | hyperlink | | | lazy loaders
    *  | data-srcset,data-lazy-srcset,data-original-set                  | lazy-srcset | resource  | | | lazy loaders
    *  | data-bgset,data-bg-set                                          | lazy-srcset | resource  | | | lazy loaders
    """,
)

_OPEN_GRAPH = (
    "og:url og:image og:image:url og:image:secure_url og:video og:video:url og:video:secure_url og:audio og:audio:url"
    " og:audio:secure_url og:see_also article:author article:publisher music:musician music:song music:album"
    " video:actor video:director video:writer video:series book:author"
)

_TWITTER = (
    "twitter:url twitter:image twitter:image:src twitter:player twitter:player:stream"
    " msapplication-starturl msapplication-tileimage msapplication-config msapplication-square70x70logo"
    " msapplication-square150x150logo msapplication-wide310x150logo msapplication-square310x310logo thumbnail"
)

_ITEMPROPS = "image url contenturl embedurl thumbnailurl logo sameas"

_SOCIAL = _rows(
    "html",
    f"""
    meta | content | url | metadata | property={_OPEN_GRAPH} | | https://ogp.me/
    meta | content | url | metadata | name={_OPEN_GRAPH} | | https://ogp.me/
    meta | content | url | metadata | name={_TWITTER} | | Twitter Cards
    meta | content | url | metadata | property={_TWITTER} | | Twitter Cards
    meta | content | url | metadata | itemprop={_ITEMPROPS} | | §5.2.3
    """,
)

_JSON_LD = _rows("html", "script | | json-ld | metadata | type=application/ld+json | | JSON-LD 1.1 §7")

#: The types of scripts whose text is HTML, for programs that insert it into the page.
_TEMPLATE_TYPES = (
    "type=text/html text/template text/x-template text/x-handlebars text/x-handlebars-template text/x-mustache "
    "text/x-tmpl text/x-jquery-tmpl text/x-underscore-template text/x-jsrender text/ng-template text/x-dot-template"
)

_TEMPLATES = _rows("html", f"script | | html | document | {_TEMPLATE_TYPES} | | template libraries")

#: The names of parameters whose value is a URL: of Flash, QuickTime, RealPlayer, Windows Media Player and Java.
_PARAM_NAMES = "name=movie src url filename data href qtsrc image thumb poster playlist"

_OBJECT_PARAMS = _rows("html", f"param | value | url | resource | {_PARAM_NAMES} | | plug-ins")

#: The name of comments as elements, as in the DOM. No tag has it.
_COMMENT = "#comment"

_SHAPES = "v:shape,v:shapetype,v:group,v:line,v:polyline,v:curve,v:rect,v:roundrect,v:oval,v:arc,v:image"

#: Conditional comments hide HTML from all programs but Internet Explorer, Outlook and Word. Much of it is VML, which
#: Word also saves outside comments.
_CONDITIONAL_COMMENTS = _rows(
    "html",
    f"""
    {_COMMENT}                 |                   | conditional-comment | document | | | Microsoft
    {_SHAPES}                  | href              | url | hyperlink | | | VML
    v:image                    | src               | url | resource  | | | VML
    v:fill,v:stroke,v:imagedata | src              | url | resource  | | | VML
    v:fill,v:stroke,v:imagedata | o:href,o:althref | url | metadata  | | | ECMA-376 Part 4
    """,
)

_ANCHORS = (
    *_rows("html", "* | id | anchor | anchor | | | §3.2.6\n a | name | anchor | anchor | | | §7.4.6.3"),
    *_rows("svg", "* | id | anchor | anchor | | | SVG 2 §5.9.1"),
    *_rows("mathml", "* | id | anchor | anchor | | | MathML Core §2.1.3"),
)

#: The opt-in groups: an option's name -> its rows.
GROUPS: dict[str, tuple[Row, ...]] = {
    "lazy": _LAZY,
    "social": _SOCIAL,
    "json_ld": _JSON_LD,
    "templates": _TEMPLATES,
    "object_params": _OBJECT_PARAMS,
    "conditional_comments": _CONDITIONAL_COMMENTS,
    "anchors": _ANCHORS,
}


#: The roles of references that only name a URL.
_NAMING = frozenset({"base", "location", "identifier", "mention"})


def only_names(row: Row, kind: str) -> bool:
    """Whether a place only names a URL, for others to compare or to publish, so that it stays absolute in a copy.

    `kind`: of the reference (`linkfix.html.syntaxes.Found.kind`). The keys of an import map are relative as its
    addresses are.
    """
    if row.role in _NAMING:
        return kind not in {"specifier", "scope"}
    is_published = row.namespace not in NAMESPACES or row.syntax in {"json-ld", "robots"}
    return is_published or (row.element == "meta" and row.syntax != "refresh")


def is_canonical(row: Row, attribute: Callable[[str], str | None]) -> bool:
    """Whether a reference is the canonical URL of its page (RFC 6596). `attribute`: see `is_parsed_at_once`."""
    return row.element == "link" and "canonical" in ascii_lower(attribute("rel") or "").split()


class RowTable:
    """A vocabulary with lookup by names, for documents that a parser has parsed: trees, XML.

    `attributes`: all attributes in the rows. `guards`: the attributes in the rows' conditions. `texts`: the elements
    whose text has a row. `elements`: the HTML elements with their own rows. `everywhere`: the attributes that count on
    all HTML elements.
    """

    def __init__(self, rows: tuple[Row, ...]) -> None:
        self.attributes: frozenset[str] = frozenset(row.attribute for row in rows if row.attribute)
        conditions = {row.guard for row in rows} | {row.parsed for row in rows} - {AT_ONCE}
        self.guards: frozenset[str] = frozenset(one.partition("=")[0].lstrip("!") for one in conditions if one)
        self.texts: frozenset[str] = frozenset(row.element for row in rows if not row.attribute)
        html = [row for row in rows if row.namespace == "html"]
        self.elements: frozenset[str] = frozenset(row.element for row in html if row.element != "*")
        self.everywhere: frozenset[str] = frozenset(row.attribute for row in html if row.element == "*")
        self._rows: dict[tuple[str, str, str], list[Row]] = {}
        for row in rows:
            self._rows.setdefault((row.namespace, row.element, row.attribute), []).append(row)

    def rows(self, namespace: str, element: str, attribute: str) -> Sequence[Row]:
        """The rows for the attribute (for the text, if ""), with any guards."""
        return self._rows.get((namespace, element, attribute)) or self._rows.get((namespace, "*", attribute)) or ()

    def row(self, namespace: str, element: str, attribute: str, values: Mapping[str, str]) -> Row | None:
        """The first row for the attribute (for the text, if "") with a guard that the attributes `values` satisfy."""
        for row in self.rows(namespace, element, attribute):
            if not row.guard or _satisfies_guard(row, values):
                return row
        return None


def _satisfies_guard(row: Row, values: Mapping[str, str]) -> bool:
    if row.guard.startswith("!"):
        return not _satisfies_guard(row._replace(guard=row.guard[1:]), values)
    name, _, words = row.guard.partition("=")
    if name not in values or not words:
        return name in values
    # http-equiv is an enumerated attribute (HTML §2.3.3): " refresh " is not a keyword.
    value = values[name] if name == "http-equiv" else values[name].strip(_WHITE_SPACE)
    return ascii_lower(value) in words.split()


def is_parsed_at_once(row: Row, attribute: Callable[[str], str | None]) -> bool:
    """Whether a reference is parsed as soon as its element is inserted.

    `attribute`: a callable that returns the value of another attribute of the element, or None.
    """
    if not row.parsed or row.parsed == AT_ONCE:
        return bool(row.parsed)
    name, words = _condition(row.parsed)
    return not words.isdisjoint(ascii_lower(attribute(name) or "").split())


@lru_cache(maxsize=64)
def _condition(text: str) -> tuple[str, frozenset[str]]:
    """The name and the words of a condition, `name=word word`."""
    name, _, words = text.partition("=")
    return name, frozenset(words.split())


def ascii_lower(text: str) -> str:
    """The text in ASCII lowercase (Infra §4.6); `str.lower` would turn the Kelvin sign into "k"."""
    return text.lower() if text.isascii() else text.translate(_LOWER)


def _all_rows(groups: tuple[str, ...], extra: tuple[Row, ...]) -> tuple[Row, ...]:
    for row in extra:
        check_row(row)
    return sum((GROUPS[group] for group in groups), extra + ROWS)


def check_row(row: Row) -> None:
    """Raise `InvalidOption` for a row that a caller may not add."""
    for what, value, known in (
        ("syntax", row.syntax, {*SYNTAXES, "srcdoc"}),
        ("role", row.role, ROLES),
        ("namespace", row.namespace, {"html", "svg", "mathml"}),
    ):
        if value not in known:
            message = (
                f"row {row.element} {row.attribute}: unknown {what} {value!r}, not one of {', '.join(sorted(known))}"
            )
            raise InvalidOption(message)
    if row.parsed not in {"", AT_ONCE} and "=" not in row.parsed:
        message = f"row {row.element} {row.attribute}: parsed {row.parsed!r}: write {AT_ONCE!r}, name=word … or nothing"
        raise InvalidOption(message)
    if row.guard.startswith("!"):
        message = f"row {row.element} {row.attribute}: guard {row.guard!r}: only rows of feeds have one with !"
        raise InvalidOption(message)
    if row.guard.startswith("="):
        message = f"row {row.element} {row.attribute}: guard {row.guard!r}: name the attribute before ="
        raise InvalidOption(message)
    if row.attribute == "*":
        message = f"row {row.element} *: name one attribute; only the element can be *"
        raise InvalidOption(message)
    if not row.attribute and row.element not in {"script", "style"}:
        message = f"row {row.element!r}: only script and style elements can have references in their text"
        raise InvalidOption(message)
    if row.element != row.element.lower() or row.attribute != row.attribute.lower() or not row.element:
        message = f"row {row.element!r} {row.attribute!r}: write names in lower case; an element needs a name"
        raise InvalidOption(message)


def hidden_row(row: Row) -> Row | None:
    """The row for elements of HTML whose values are no longer read as before if a caller adds `row`; None for none.

    >>> hidden_row(Row("a", "href", "css", "resource")).syntax
    'url'
    >>> hidden_row(Row("a", "data-href", "url", "hyperlink"))
    """

    def is_hidden(one: Row) -> bool:
        return row.guard == one.guard or (not row.guard and row.syntax != one.syntax)

    return next((one for one in _HTML if one[:2] == row[:2] and is_hidden(one)), None)


_index = lru_cache(maxsize=32)(lambda groups, extra: index_rows(_all_rows(groups, extra)))

_table = lru_cache(maxsize=32)(lambda groups, extra, more: RowTable(_all_rows(groups, extra) + more))


#: The options of the last document or tree, and their vocabulary: the next one mostly has the same options.
_last: list[tuple[Options | None, RowIndex | None]] = [(None, None)]
_last_of_trees: list[tuple[Options | None, RowTable | None]] = [(None, None)]


def _groups(options: Options) -> tuple[str, ...]:
    return tuple(name for name in GROUPS if getattr(options, name))


def row_index(options: Options) -> RowIndex:
    """The scanner's vocabulary for `options`.

    Raises `InvalidOption` for a caller's row with an unknown syntax, role or namespace.
    """
    last, index = _last[0]
    if options is not last or index is None:
        index = _index(_groups(options), options.rows)
        _last[0] = (options, index)
    return index


def row_table(options: Options, more: tuple[Row, ...] = ()) -> RowTable:
    """The vocabulary for `options` and the rows in `more`, with lookup by names."""
    if more:
        return _table(_groups(options), options.rows, more)
    last, table = _last_of_trees[0]
    if options is not last or table is None:
        table = _table(_groups(options), options.rows, more)
        _last_of_trees[0] = (options, table)
    return table
