"""Facts about a reference for several rules: its kind (URL, path, or a mistake), its excess "..", its host.

A reference has exactly one interpretation. Each rule about schemes and mistakes reports one kind of interpretation, so
that no mistake is reported twice.
"""

from __future__ import annotations

import enum
import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from linkfix.auditing.page_document import PageDocument
from linkfix.auditing.rule import AuditedLink
from linkfix.auditing.site import Destination, DestinationKind, Site
from linkfix.comparison import distance
from linkfix.files.media_types import media_type
from linkfix.html.syntaxes.url import PLACEHOLDER
from linkfix.kernels.tokenizer import attributes
from linkfix.lazy import lazy_pattern
from linkfix.model import PAGE_TYPES, Link
from linkfix.resolvers import RESOLVERS
from linkfix.resolvers.common import split
from linkfix.schemes.registry import lookup
from linkfix.schemes.uses import SPECIAL, UNREGISTERED, WITHOUT_HIERARCHY
from linkfix.urls import DIRECTIVES, scheme_of, strip_url

# Texts that look like a host or a mail address, and not like the name of a file (RFC 2396 Appendix F).


_LABEL = lazy_pattern(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?", re.IGNORECASE)

_PORT = lazy_pattern(r"[0-9]{1,5}(?=[/?#]|\Z)")

#: A mail address as in HTML §4.10.5.1.5, without the characters that are common in paths and very rare in addresses.
_MAIL = lazy_pattern(
    r"[A-Za-z0-9._+'\-]+@((?:[A-Za-z0-9](?:[A-Za-z0-9\-]{0,61}[A-Za-z0-9])?\.)++[A-Za-z]{2,63})(?:\?[^#]*)?"
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: The suffixes of file names that look like a top-level domain.
FILE_SUFFIXES = _words(
    """
    asp aspx avif bz2 cgi css csv gif gz htm html ico jpeg jpg js jsp json md mjs mp3 mp4 pdf php pl png ps py rb rs
    rst sh shtml svg tar tgz txt ttf webm webp woff woff2 xhtml xml xz zip
    """
)

#: Top-level domains that also end the names of modules and packages. A "/" or a third label has to confirm them.
_TOP_LEVEL = _words("biz co de dev eu fr info io jp net nl ru se uk us")

_CERTAIN_TOP_LEVEL = frozenset({"com", "edu", "gov", "org"})

#: The first labels of reversed domain names: Java's packages and .NET's namespaces.
_REVERSED = frozenset({"com", "edu", "io", "java", "javax", "microsoft", "net", "org", "sun", "system"})

_TWO_LABELS, _THREE_LABELS = 2, 3


def is_host(text: str, *, is_followed: bool) -> bool:
    """Whether the first segment of a path looks like a host. `is_followed`: whether a slash follows the segment."""
    labels = text.lower().split(".")
    if len(labels) < _TWO_LABELS or not all(map(_LABEL.fullmatch, labels)) or not FILE_SUFFIXES.isdisjoint(labels):
        return False
    if labels[0] == "www":
        return len(labels) >= _THREE_LABELS and labels[-1].isalpha()
    if labels[0] in _REVERSED:
        return False
    is_confirmed = is_followed or len(labels) >= _THREE_LABELS
    return labels[-1] in _CERTAIN_TOP_LEVEL or (labels[-1] in _TOP_LEVEL and is_confirmed)


def is_host_and_port(host: str, rest: str) -> bool:
    """Whether `host:rest` looks like a host with a port."""
    port = _PORT.match(rest)
    if port is None or not all(map(_LABEL.fullmatch, host.split("."))):
        return False
    return host == "localhost" or "." in host or (len(port[0]) > 1 and rest[port.end() :].startswith("/"))


def is_mail_address(text: str) -> bool:
    """Whether a text is a mail address, perhaps with a query, and not a file name with an "@" in it."""
    match = _MAIL.fullmatch(text)
    return match is not None and match[1].rpartition(".")[2].lower() not in FILE_SUFFIXES


# Questions that several rules ask: the kind of a reference by its text, and the target of another reference in its
# place.


_WHATWG = RESOLVERS["whatwg"]

#: The number of characters that are enough to classify a long reference.
CLASSIFIED_LENGTH = 4096


def special_scheme(link: Link) -> str:
    """The special scheme (URL standard §3.1) whose rules for slashes and queries apply to a reference; "" for none.

    It is the scheme of the reference, or else the scheme of the base. The result is "" if that scheme is not special.
    """
    scheme = scheme_of(strip_url(link.reference[:CLASSIFIED_LENGTH])) or scheme_of(link.base or "") or ""
    return scheme if scheme in SPECIAL else ""


def is_relative_path(link: Link) -> bool:
    """Whether a reference is relative and has a path or a query: no scheme, no host, no mere fragment."""
    text = strip_url(link.reference[:CLASSIFIED_LENGTH])
    slashes = text[:2].replace("\\", "/")
    return bool(text) and scheme_of(text) is None and slashes != "//" and not text.startswith("#")


def is_root_relative(reference: str) -> bool:
    """Whether a reference begins with one slash."""
    return reference.startswith("/") and not reference.startswith("//")


def has_placeholder(link: Link) -> bool:
    """Whether a reference contains a template's placeholder."""
    return PLACEHOLDER.search(link.reference) is not None


def keeps_target(audited: AuditedLink, reference: str) -> bool:
    """Whether browsers resolve another reference in the same place to the same target."""
    return audited.link.target is not None and _target(audited, reference) == audited.link.target


def destination_of(audited: AuditedLink, reference: str) -> Destination:
    """The destination of another reference in the same place."""
    return audited.page.site.destination(_target(audited, reference))


def _target(audited: AuditedLink, reference: str) -> str | None:
    return _WHATWG.resolve(audited.link.base, reference, audited.page.document.encoding.name).target


def is_for_program(link: Link) -> bool:
    """Whether a program of the server may answer at the address of a form: its name is not that of a page."""
    name = strip_url(link.reference).partition("#")[0].partition("?")[0].rpartition("/")[2]
    return link.role == "form" and media_type(name) not in PAGE_TYPES


#: The attributes that make a host answer a form: then its address is the page to show afterwards.
_ANSWERED_BY_HOST = frozenset({"netlify", "data-netlify"})

#: The attributes with the method of a form, in a form and in its buttons (HTML §4.10.19.6).
_METHODS = frozenset({"method", "formmethod"})


def is_posted(document: PageDocument, link: Link) -> bool:
    """Whether a link is the address of a form that is sent with POST, which only a program can answer."""
    if link.role != "form" or document.kind != "html":
        return False
    values = tag_attributes(document, link)
    is_post = any(values.get(name, b"").strip().lower() == b"post" for name in _METHODS)
    return is_post and _ANSWERED_BY_HOST.isdisjoint(values) and is_for_program(link)


#: The names of pages that a server shows instead of a missing or forbidden one, at its address.
_ERROR_PAGE = lazy_pattern(r"(?:.*/)?[45][0-9x][0-9x](?:\.x?html?|/index\.x?html?)", re.DOTALL)


def is_error_page(name: str) -> bool:
    """Whether a page is shown at other addresses than its own: `404.html`, `404/index.html`."""
    return _ERROR_PAGE.fullmatch(name) is not None


def is_shown_for_errors(site: Site, name: str) -> bool:
    """Whether a host shows a page at any address: an error page of the site's root, or one that a host file names."""
    named = site.host.error_pages
    return ("/" not in name and is_error_page(name)) or (bool(named) and site.url_path(name) in named)


def is_own_address(document: PageDocument, link: Link) -> bool:
    """Whether a link is the page's statement of its own address, or of its translations, and no link to follow."""
    if link.element not in {"link", "meta"} or document.kind != "html":
        return False
    values = tag_attributes(document, link)
    relations = values.get("rel", b"").lower().split()
    is_translation = b"alternate" in relations and "hreflang" in values
    return b"canonical" in relations or is_translation or values.get("property", b"").lower() == b"og:url"


def tag_attributes(document: PageDocument, link: Link) -> dict[str, bytes]:
    """The attributes of a link's tag, with their raw values."""
    data, start = document.source.data, link.tag_start
    return {one.name: data[one.start : one.end] for one in attributes(data, start)} if start >= 0 else {}


#: The end of a `url()` and the hint after it that the font is in SVG (CSS Fonts 4 §4.3). Only `@font-face` has hints.
_SVG_FONT = lazy_pattern(rb"""["']?\s*+\)\s*+format\(\s*+["']?svg["']?\s*+\)""", re.IGNORECASE)

#: The number of bytes after a reference that are searched for the hint.
_AFTER = 100


#: The roles of references that are loaded with a page.
_LOADED = frozenset({"resource", "module"})

#: The link types that fetch something for the page (HTML §4.6.7).
_FETCHED = frozenset(
    {b"apple-touch-icon", b"icon", b"manifest", b"mask-icon", b"modulepreload", b"prefetch", b"preload", b"stylesheet"}
)


#: The rel parameter of a link in a header field, after its URL (RFC 8288 §3.3).
_REL = lazy_pattern(rb'[^>]{0,8}>(?:[^,"]|"[^"]*")*?;[ \t]*rel[ \t]*=[ \t]*"?([^",;]*)', re.IGNORECASE)


def is_loaded(document: PageDocument, link: Link) -> bool:
    """Whether a browser loads the target of a link for the document."""
    if link.role not in _LOADED:
        return False
    if link.syntax == "header-links":
        match = _REL.match(document.source.data, link.end)
        rel = match[1] if match else b""
    elif link.element == "link":
        rel = tag_attributes(document, link).get("rel", b"")
    else:
        return True
    return not _FETCHED.isdisjoint(rel.lower().split())


#: The elements that show a document, or may do so.
_FRAMES = frozenset({"iframe", "frame", "embed", "object", "layer", "ilayer", "param"})

#: The elements whose address for a script that loads it later is that of an image or another medium.
_MEDIA = frozenset({"img", "source", "video", "audio", "picture"})


def needs_file(document: PageDocument, link: Link) -> bool:
    """Whether a page is of no use as the target of a link: it has to be an image, a style sheet, a script, a font, …"""
    if link.element in _FRAMES or (link.syntax == "lazy-url" and link.element not in _MEDIA):
        return False
    if link.element == "link" and b"prefetch" in tag_attributes(document, link).get("rel", b"").lower().split():
        return False
    return is_loaded(document, link)


def is_svg_font(document: PageDocument, link: Link) -> bool:
    """Whether a link is a font in SVG: browsers load none, and other formats stand beside it."""
    if link.syntax != "css":
        return False
    return _SVG_FONT.match(document.source.data[link.end : link.end + _AFTER]) is not None


#: The reference of a behavior that Internet Explorer has built in: it is no reference to an ID.
_BUILT_IN = "#default#"


def is_built_in_behavior(link: Link) -> bool:
    """Whether a link is the value of `behavior` for a feature of Internet Explorer: `url(#default#VML)`."""
    return link.syntax == "css" and link.reference[: len(_BUILT_IN)].lower() == _BUILT_IN


class MissingSlashes(NamedTuple):
    """A reference `scheme:rest` with fewer than two slashes, whose scheme has hosts."""

    scheme: str
    rest: str
    is_base_scheme: bool
    is_host: bool
    """Whether the beginning of `rest` looks like a host. After a slash, this is any name that no file has."""


def missing_slashes_of(link: Link) -> MissingSlashes | None:
    """The parts of a reference that lacks slashes after its scheme; None if it lacks no slashes."""
    scheme = scheme_of(strip_url(link.reference[:CLASSIFIED_LENGTH]))
    if scheme is None or scheme not in SPECIAL or scheme == "file" or link.problem is not None:
        return None
    rest = strip_url(link.reference)[len(scheme) + 1 :]
    if len(rest) - len(rest.lstrip("/\\")) >= len("//"):
        return None
    host, slash, _ = rest.lstrip("/\\").partition("/")
    labels = host.lower().split(".")
    is_name = len(labels) >= _TWO_LABELS and all(map(_LABEL.fullmatch, labels)) and labels[-1].isalpha()
    is_plain = is_name and rest.startswith("/") and FILE_SUFFIXES.isdisjoint(labels)
    is_base_scheme = (link.base or "").startswith(f"{scheme}:")
    return MissingSlashes(scheme, rest, is_base_scheme, is_plain or is_host(host, is_followed=bool(slash)))


class InterpretationKind(enum.Enum):
    """The kinds of interpretations: facts and mistakes."""

    if not TYPE_CHECKING:
        __hash__ = object.__hash__  # Enum's own is a function in Python, and each member is one object

    PATH = "relative"
    SCHEME = "absolute, with a scheme in use"
    OBSOLETE = "absolute, with a scheme that is historical or that browsers no longer follow"
    SLASHED = "absolute, with slashes after a scheme that has no hierarchy"
    MISSPELLED = "the scheme or its separator is misspelled"
    DRIVE = "a drive letter is read as a scheme"
    HOST_PORT = "a host with a port is read as a scheme"
    COLON = "a file name with a colon"
    ABBREVIATED = "a host is read as a file name"
    MAIL = "a mail address is read as a file name"
    UNKNOWN = "absolute, with an unknown scheme"


class Interpretation(NamedTuple):
    """The interpretation of one reference."""

    kind: InterpretationKind
    scheme: str = ""
    """The scheme that browsers see, in lower case; "" for none."""
    intended: str | None = None
    """The intended reference; None if it is not known."""

    @property
    def explains_missing_target(self) -> bool:
        """Whether the report of this mistake already explains the missing file."""
        return self.kind in _NOT_FOUND


_PATH = Interpretation(InterpretationKind.PATH)

_NOT_FOUND = frozenset({InterpretationKind.MISSPELLED, InterpretationKind.ABBREVIATED, InterpretationKind.MAIL})

_SEGMENT_END = lazy_pattern(r"[/\\?#]")

_FILE_NAME = lazy_pattern(
    r"[^/?#:]+\.(?:x?html?|php|pdf|png|jpe?g|gif|svg|webp|css|m?js|txt|xml|md)(?:[?#].*)?", re.DOTALL
)


@lru_cache(maxsize=1)  # several rules ask about one link in turn
def interpretation(audited: AuditedLink) -> Interpretation:
    """The interpretation of a link's reference."""
    link = audited.link
    text = strip_url(link.reference[:CLASSIFIED_LENGTH])
    if not text or text[0] in "#?" or link.problem == "template-syntax" or text[:5].lower() == "data:":
        return _PATH
    if link.role == "module" and link.target is None:
        return _PATH  # a name: only an import map can give it an address
    whole = text if len(link.reference) <= CLASSIFIED_LENGTH else strip_url(link.reference)
    if audited.destination.kind is not DestinationKind.FILE:
        intended = _with_separator(whole)
        if intended is not None:
            return Interpretation(InterpretationKind.MISSPELLED, intended=intended)
    scheme = scheme_of(text)
    if scheme is None:
        return _relative(audited, whole)
    rest = whole[len(scheme) + 1 :]
    if is_known_scheme(scheme):
        return _known(audited, scheme, whole, rest)
    return _unknown(audited, scheme, whole, rest)


def _known(audited: AuditedLink, scheme: str, text: str, rest: str) -> Interpretation:
    # Wikis have files such as "File:a.png", and the registry contains schemes with such names.
    may_be_file = scheme not in SPECIAL or (scheme == "file" and rest[:1] not in {"/", "\\"})
    if may_be_file and _is_file(audited, f"./{text}"):
        return Interpretation(InterpretationKind.COLON, scheme, f"./{text}")
    if why_obsolete(scheme):
        return Interpretation(InterpretationKind.OBSOLETE, scheme)
    if scheme in WITHOUT_HIERARCHY and rest.startswith("//"):
        return Interpretation(InterpretationKind.SLASHED, scheme, text[: len(scheme) + 1] + rest.lstrip("/"))
    return Interpretation(InterpretationKind.SCHEME, scheme)


def _unknown(audited: AuditedLink, scheme: str, text: str, rest: str) -> Interpretation:
    if _is_file(audited, f"./{text}"):
        return Interpretation(InterpretationKind.COLON, scheme, f"./{text}")
    if len(scheme) == 1:
        return Interpretation(InterpretationKind.DRIVE, scheme)
    corrected = _correct_scheme(scheme, rest)
    if corrected is not None:
        return Interpretation(InterpretationKind.MISSPELLED, scheme, f"{corrected}:{rest}")
    suffix = scheme.rpartition(".")[2] if "." in scheme else ""
    if suffix not in FILE_SUFFIXES and is_host_and_port(scheme, rest):
        return Interpretation(InterpretationKind.HOST_PORT, scheme, f"http://{text}")
    if suffix in FILE_SUFFIXES or _FILE_NAME.fullmatch(rest):
        return Interpretation(InterpretationKind.COLON, scheme, f"./{text}")
    return Interpretation(InterpretationKind.UNKNOWN, scheme)


def _relative(audited: AuditedLink, text: str) -> Interpretation:
    is_missing = audited.destination.kind is DestinationKind.MISSING
    first = _SEGMENT_END.split(text, maxsplit=1)[0]
    if ":" in first and not (is_missing and is_host(first.partition(":")[0], is_followed=True)):
        return Interpretation(InterpretationKind.COLON, "", f"./{text}")
    if not is_missing:
        return _PATH
    link = audited.link
    if (link.role == "hyperlink" or link.element == "link") and is_mail_address(text):  # rel=author, the old rev=made
        return Interpretation(InterpretationKind.MAIL, "", f"mailto:{text}")
    bare = text.removeprefix("/")
    host, slash, _ = bare.partition("/")
    if is_host(_SEGMENT_END.split(host, maxsplit=1)[0].partition(":")[0], is_followed=bool(slash)):
        return Interpretation(InterpretationKind.ABBREVIATED, "", f"https://{bare}")
    return _PATH


def _is_file(audited: AuditedLink, reference: str) -> bool:
    """Whether a relative reference with a colon leads to a file."""
    may_climb = ".." in reference or "%" in reference
    if not may_climb and not audited.page.site.may_have_colons:
        return False
    return destination_of(audited, reference).kind is DestinationKind.FILE


# Schemes in use, and obsolete ones

#: The schemes of links that browsers no longer follow, registered or not.
_NOT_FOLLOWED = frozenset({"gopher", "livescript", "mocha", "vbscript", "view-source", "wyciwyg"})


def is_known_scheme(name: str) -> bool:
    """Whether a scheme is or was in use, registered or not. `name`: the scheme in lower case.

    The registry is read only for names that browsers do not implement themselves.
    """
    return name in SPECIAL or name in UNREGISTERED or name in _NOT_FOLLOWED or lookup(name) is not None


def why_obsolete(name: str) -> str:
    """The reason that links should no longer use a scheme, as a clause ("is …"); "" for a scheme in use.

    `name`: the scheme in lower case.
    """
    if name in SPECIAL or name in UNREGISTERED:
        return ""
    if name in _NOT_FOLLOWED:
        return "is obsolete: browsers no longer follow its links"
    scheme = lookup(name)
    if scheme is None:
        return ""
    if scheme.status == "historical":
        return "is registered as historical"
    return "is registered as obsolete" if "OBSOLETE" in scheme.notes else ""


# Misspelled schemes and separators

_QUOTES = "\"'`´“”„‟‘’‚‛«»‹›″′"

#: A URL in quotation marks of a word processor, inside the quotation marks of HTML.
_QUOTED = lazy_pattern(
    rf"[{_QUOTES}]+\s*((?:https?|ftp)://[^{_QUOTES}]*|mailto:[^{_QUOTES}]*)[{_QUOTES}]*", re.IGNORECASE
)

#: A URL in brackets, as in prose. The closing bracket may be missing.
_BRACKETED = lazy_pattern(r"([(\[{<])\s*((?:https?|ftp)://.+|mailto:.+)", re.IGNORECASE | re.DOTALL)

_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}

#: A scheme before a scheme.
_DOUBLED = lazy_pattern(r"(?:(?:https?|ftp):/{0,3}|//)(https?|ftp):?//(.*)", re.IGNORECASE | re.DOTALL)

#: A wrong separator instead of "://".
_SEPARATOR = lazy_pattern(r"(https?|ftp)(?!://[^/\\])([;:,./ ]{0,3}//+)(?=[^/\\?#])(.*)", re.IGNORECASE | re.DOTALL)

#: Misspelled schemes that the edit distance does not find -> the intended scheme. The rest of the reference has to fit
#: it.
_MISSPELLED = {
    **dict.fromkeys(("fpt", "ftpp", "fttp", "tfp"), "ftp"),
    **dict.fromkeys(("e-mail", "email", "mail"), "mailto"),
    **dict.fromkeys(("fon", "phone", "telefon", "telephone"), "tel"),
}

#: Scheme -> the form of the text after its colon.
_FORMS = {
    "https": lazy_pattern(r"//[^/].*", re.DOTALL),
    "http": lazy_pattern(r"//[^/].*", re.DOTALL),
    "ftp": lazy_pattern(r"//[^/].*", re.DOTALL),
    "mailto": lazy_pattern(r"[^@/]+@.*", re.DOTALL),
    "tel": lazy_pattern(r"\+?[0-9][0-9() .\-]{4,}"),
    "javascript": lazy_pattern(r".*[();].*", re.DOTALL),
}

#: Scheme -> the largest edit distance of a misspelling. Shorter names are too similar to many other schemes.
_MAX_DISTANCES = {"http": 2, "https": 2, "mailto": 2, "javascript": 2}


def _with_separator(text: str) -> str | None:
    """The intended reference, if the scheme is spelled right but misplaced or has a wrong separator; else None."""
    if ":" not in text and "//" not in text:  # each pattern needs ":" or "//"
        return None
    quoted = _QUOTED.fullmatch(text)
    if quoted:
        return quoted[1].rstrip()
    bracketed = _BRACKETED.fullmatch(text)
    if bracketed:
        url = bracketed[2].rstrip()
        return url if bracketed[1] in url else url.removesuffix(_CLOSING[bracketed[1]])
    match = _DOUBLED.fullmatch(text) or _SEPARATOR.fullmatch(text)
    return f"{match[1].lower()}://{match[match.lastindex or 0]}" if match else None


def _correct_scheme(scheme: str, rest: str) -> str | None:
    """The scheme that was intended instead of an unknown one: the nearest scheme that the rest fits; None for none."""
    listed = _MISSPELLED.get(scheme)
    near = [(0, listed)] if listed else []
    for intended, limit in _MAX_DISTANCES.items():
        # With a different first letter, two edits often lead to another scheme: smtp:, ntp:.
        allowed = limit if scheme[0] == intended[0] else limit - 1
        edits = distance(scheme, intended, allowed)
        if edits <= allowed:
            near.append((edits, intended))
    return next((intended for _, intended in sorted(near) if _FORMS[intended].fullmatch(rest)), None)


# References with more ".." than folders to leave (RFC 2396 §5.2 step 6g; URL standard §4.4, path state).


#: URL standard §3.1, "double-dot URL path segment" and "single-dot URL path segment".
_DOUBLE_DOT = frozenset({"..", ".%2e", "%2e.", "%2e%2e"})

_SINGLE_DOT = frozenset({".", "%2e"})


def path_of(link: Link) -> str:
    """The part of a reference before its query and its fragment, as written."""
    return re.split("[?#]", strip_url(link.reference), maxsplit=1)[0]


class ExcessDots(NamedTuple):
    """Double-dot segments above the root."""

    number: int
    without: str
    """The reference without the segments that browsers drop."""


def excess_dots(link: Link) -> ExcessDots | None:
    """The excess double-dot segments of a reference; None if it has none."""
    text = strip_url(link.reference)
    if ".." not in text and "%" not in text:
        return None
    if link.base is None or link.problem not in {None, "excess-dots"} or not is_relative_path(link):
        return None
    path = path_of(link)
    written = path.replace("\\", "/") if special_scheme(link) else path
    depth = 0 if written.startswith("/") else split(link.base).path.count("/") - 1
    kept, count = _without_excess(written, depth)
    return ExcessDots(count, (kept or "./") + text[len(path) :]) if count else None


def _without_excess(path: str, depth: int) -> tuple[str, int]:
    """A path without its excess double-dot segments, and the number of these segments.

    `depth`: the depth of the folder that the path starts in; 0 for the root.
    """
    kept: list[str] = []
    count = 0
    for segment in path.split("/"):
        form = segment.lower()
        if form in _DOUBLE_DOT and depth <= 0:
            count += 1
            continue
        kept.append(segment)
        if form in _DOUBLE_DOT:
            depth -= 1
        elif form not in _SINGLE_DOT and (segment or len(kept) > 1):
            depth += 1
    return "/".join(kept), count


def fragment_of(target: str, place: Destination, *, directives: bool = False) -> str:
    """The fragment that a target identifies in its file.

    `place`: the destination of the target. `directives`: whether to keep fragment directives.
    """
    fragment = place.fragment or target.partition("#")[2]
    return fragment if directives else fragment.partition(DIRECTIVES)[0]
