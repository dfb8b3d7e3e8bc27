"""LF304 to LF306, LF310, LF311 and LF314: characters that a reference should not have."""

from __future__ import annotations

import re

from linkfix.auditing.interpretation import (
    InterpretationKind,
    destination_of,
    has_placeholder,
    interpretation,
    keeps_target,
    missing_slashes_of,
    special_scheme,
)
from linkfix.auditing.model import FindingLevel, Hint
from linkfix.auditing.rule import AuditedLink, Issue, LinkTraits, containing, link_rule
from linkfix.auditing.site import DestinationKind
from linkfix.auditing.suggestions import signs_hint
from linkfix.lazy import lazy_pattern
from linkfix.model import PROBLEMS
from linkfix.resolvers.whatwg import percent_encode_query
from linkfix.schemes.uses import QUERY_IN_DOCUMENT_ENCODING
from linkfix.urls import C0_CONTROL_OR_SPACE, strip_url

#: The URLs in which white space and percent signs are code or data.
_CODE_OR_DATA = lazy_pattern(r"\s*(?:data|javascript|vbscript):", re.IGNORECASE)
_BEFORE_QUERY = lazy_pattern(r"[^?#]*")


@link_rule("LF304", FindingLevel.WARNING, concerns=containing("\\"))
def backslash(audited: AuditedLink) -> Issue | None:
    r"""The path contains a backslash.

    Browsers read it as "/" in http:, https:, ftp:, ws: and file: URLs (URL standard §4.4). RFC 3986 forbids it in URLs:
    servers and other programs read it as part of a name, or refuse it. For a drive (`C:\`), the rule is
    `colon-in-first-segment`; for `http:\x`, it is `missing-slashes`.

    Fails::

        <a href="folder\index.html">a path of one system</a>

    Fails::

        <a href="\"other.html\"">HTML has no such escape: the reference is the backslash</a>

    Passes::

        <a href="folder/index.html">a path</a>

    Passes::

        <a href="other.html?a\b">not in the path</a>
    """
    link = audited.link
    path = _BEFORE_QUERY.match(link.reference)
    if path is None or "\\" not in path[0] or link.problem or not special_scheme(link) or has_placeholder(link):
        return None
    if interpretation(audited).kind in {InterpretationKind.DRIVE, InterpretationKind.MISSPELLED}:
        return None
    if missing_slashes_of(link) is not None:
        return None
    if _escapes_quotation_mark(audited):
        hint = Hint("HTML has no such escapes: write &quot; for a quotation mark in a value")
        return Issue("the quotation mark after the backslash ends the value", hint)
    reference = path[0].replace("\\", "/") + link.reference[path.end() :]
    if strip_url(path[0]).startswith("\\\\"):  # a network share in the form of Windows
        return Issue(r"\\ begins a host name: browsers read it as //", Hint("write slashes", reference))
    return Issue(
        "browsers read the backslash as a slash, but servers and other programs do not",
        Hint("write slashes", reference, keeps_target(audited, reference)),
    )


def _escapes_quotation_mark(audited: AuditedLink) -> bool:
    r"""Whether the author meant a value to continue after its end: `href="\"x"`, a string of a program in the page."""
    if not audited.link.reference.endswith("\\"):
        return False
    data, end = audited.page.document.source.data, audited.link.end
    return data[end : end + 1] in {b'"', b"'"} and bool(data[end + 1 : end + 2].strip(b"\t\n\f\r />"))


_WHITE_SPACE = lazy_pattern(r"[\t\n\f\r ]")
#: URLs of telephone numbers. Hyphens separate the parts of a number (RFC 3966 §3).
_TELEPHONE = lazy_pattern(r"(?:tel|sms):", re.IGNORECASE)
#: A line break and the next line's indentation inside the reference (RFC 2396 Appendix E), or the rest of them.
_WRAPPED = lazy_pattern(r"[^#]*  ")


@link_rule("LF305", FindingLevel.WARNING, concerns=containing("\t", "\n", "\f", "\r", " "))
def white_space_inside(audited: AuditedLink) -> Issue | None:
    """The reference contains white space.

    Browsers remove tabs and line breaks, and percent-encode spaces. Other programs stop at white space or keep it.
    White space around a reference is allowed (HTML §2.4.1). A space only in the fragment is a note: browsers find the
    page, and `missing-fragment` reports a missing ID. White space in a host is `unresolvable`. The rule does not check
    scripts, data: URLs and destinations in Markdown, which are encoded when the page is made.

    Fails::

        <a href="ot
        her.html">a line break</a>

    Fails::

        <a href="with space.html">a space</a>

    Passes::

        <a href="with%20space.html">a space</a>

    Passes::

        <a href=" other.html ">around it</a>
    """
    link = audited.link
    inner = link.reference.strip(C0_CONTROL_OR_SPACE)
    if not _WHITE_SPACE.search(inner) or link.problem or has_placeholder(link) or link.syntax == "markdown":
        return None
    text = strip_url(inner)
    if _CODE_OR_DATA.match(text) or interpretation(audited).kind in {
        InterpretationKind.DRIVE,
        InterpretationKind.MISSPELLED,
        InterpretationKind.UNKNOWN,
        InterpretationKind.OBSOLETE,
    }:
        return None
    level = None
    if text != inner:
        message = "browsers remove the tab or line break in the reference, but other programs do not"
    elif _WHITE_SPACE.search(inner.partition("#")[0]):
        message = "the reference contains a space: browsers percent-encode it, other programs stop there"
    else:
        message, level = "the fragment contains a space: browsers percent-encode it", FindingLevel.NOTE
    return Issue(message, _without_white_space(audited, inner, text), level=level)


def _without_white_space(audited: AuditedLink, inner: str, text: str) -> Hint:
    """A hint at the reference to write instead.

    `inner`: the reference without white space around it. `text`: the text on which the URL parser starts.
    """
    joined = _WHITE_SPACE.sub("", inner)
    if _TELEPHONE.match(text):
        return Hint("write hyphens or nothing between the parts of the number", text.replace(" ", "-"))
    is_missing = audited.destination.kind is DestinationKind.MISSING
    if _WRAPPED.match(text) or (is_missing and destination_of(audited, joined).kind is DestinationKind.FILE):
        return Hint("remove the white space: the reference was probably wrapped", joined)
    reference = text.replace(" ", "%20").replace("\f", "%0C")
    what = "remove the white space" if joined == reference else "write %20 for a space"
    return Hint(what, reference, not is_missing and keeps_target(audited, reference))


_BAD_ESCAPE = lazy_pattern(r"%(?![0-9A-Fa-f]{2})")


@link_rule("LF306", FindingLevel.WARNING, concerns=containing("%"))
def bad_percent_escape(audited: AuditedLink) -> Issue | None:
    """A "%" is not followed by two hexadecimal digits.

    Such a "%" encodes no byte (RFC 3986 §2.1). Browsers keep it. Servers reject it, guess, or misread the next
    characters. The rule does not check scripts, data: URLs and placeholders. In a host, the rule is `unresolvable`.

    Fails::

        <a href="other.html?off=100%">a percent sign</a>

    Passes::

        <a href="other.html?off=100%25">a percent sign</a>
    """
    link = audited.link
    if "%" not in link.reference or link.problem or has_placeholder(link):
        return None
    text = strip_url(link.reference)
    if not _BAD_ESCAPE.search(text) or _CODE_OR_DATA.match(text):
        return None
    return Issue('a "%" is not followed by two hexadecimal digits, so it encodes no byte', signs_hint(audited))


def _may_be_template(link: LinkTraits) -> bool:
    return link.problem == "template-syntax" or not link.contained.isdisjoint("{<")


@link_rule("LF310", FindingLevel.WARNING, reports_templates=True, concerns=_may_be_template)
def template_syntax(audited: AuditedLink) -> Issue | None:
    """The placeholder of a template was not replaced.

    `{{ … }}`, `{% … %}`, `<% … %>`, `${ … }` and `<?` occur in no URL. A generator or server should have replaced them.
    In Markdown, the input of a generator, they are correct. If most references of a page have placeholders, the page is
    itself a template: it has one finding, and its other references are not checked.

    Fails::

        <a href="{{ page.url }}">not replaced</a>

    Fails::

        <a href="https://elsewhere.example/{{ page.id }}">not replaced</a>

    Passes::

        <a href="other.html">replaced</a>
    """
    link = audited.link
    if audited.page.document.kind == "markdown":
        return None
    # In the code or data of other schemes, it may be intended.
    if link.problem == "template-syntax" or (has_placeholder(link) and special_scheme(link)):
        return Issue("the placeholder of a template was not replaced")
    return None


@link_rule("LF311", FindingLevel.WARNING, concerns=containing("?"))
def unencoded_query(audited: AuditedLink) -> Issue | None:
    """The query has non-ASCII characters, and the page is not in UTF-8.

    Browsers send the query in the page's encoding (URL standard §4.4, query state), so it changes if the page is
    converted to another encoding. Other programs always send it in UTF-8. In pages in UTF-8 or UTF-16, browsers send
    UTF-8 too.

    Fails::

        <meta charset="windows-1252"><a href="other.html?q=Gruß">bytes of windows-1252</a>

    Passes::

        <meta charset="utf-8"><a href="other.html?q=Gruß">bytes of UTF-8</a>

    Passes::

        <meta charset="windows-1252"><a href="other.html?q=Gru%DF">percent-encoded</a>
    """
    link = audited.link
    encoding = audited.page.document.encoding.name
    before, mark, after = link.reference.partition("?")
    query, crosshatch, fragment = after.partition("#")
    if encoding == "utf-8" or not mark or query.isascii() or "#" in before or link.problem or has_placeholder(link):
        return None
    if special_scheme(link) not in QUERY_IN_DOCUMENT_ENCODING:
        return None
    if interpretation(audited).kind is InterpretationKind.MISSPELLED:
        return None
    written = query.encode("utf-8", "replace").decode()
    encoded = percent_encode_query(written, encoding)
    reference = f"{before}?{encoded}{crosshatch}{fragment}"
    if encoded == percent_encode_query(written, "utf-8") or not keeps_target(audited, reference):
        return None  # queries in style attributes and srcdoc documents are in UTF-8
    return Issue(
        f"browsers send the query in the page's encoding, {encoding}, but other programs in UTF-8",
        Hint("write the percent-encoded form that browsers send", reference, certain=True),
    )


#: The problems of references that browsers read with U+FFFD.
_DAMAGE = frozenset({"undecodable", "lone-surrogate"})


@link_rule("LF314", FindingLevel.WARNING, concerns=lambda link: link.problem in _DAMAGE)
def undecodable(audited: AuditedLink) -> Issue | None:
    """The reference has bytes that are invalid in the page's encoding.

    Browsers read U+FFFD instead of each such byte, so the target is wrong. Usually the page declares a wrong encoding.
    In JSON, the escape of half a surrogate pair is read as U+FFFD too.

    Fails::

        <meta charset="iso-8859-7"><a href="mark®.html">a byte that ISO-8859-7 does not have</a>

    Passes::

        <meta charset="utf-8"><a href="mark®.html">bytes of UTF-8</a>
    """
    if audited.link.problem == "lone-surrogate":
        return Issue(PROBLEMS["lone-surrogate"])
    if audited.link.problem != "undecodable":
        return None
    encoding = audited.page.document.encoding.name
    return Issue(f"the reference has bytes that are invalid in {encoding}, the page's encoding: browsers read U+FFFD")
