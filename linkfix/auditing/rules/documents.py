"""LF112, LF113, LF410 to LF412, and LF901 to LF904: pages, scripts, sitemaps and settings as files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from operator import attrgetter

from linkfix.auditing.hosts.rules import HostFault
from linkfix.auditing.model import FindingLevel, Hint
from linkfix.auditing.page_document import PageDocument
from linkfix.auditing.rule import (
    DECLARE_UTF_8,
    AuditedLink,
    AuditedPage,
    AuditedSettings,
    Issue,
    has_problems,
    link_rule,
    page_rule,
    problem_issues,
    settings_rule,
)
from linkfix.auditing.selection import comment_faults
from linkfix.auditing.site import DestinationKind
from linkfix.display import pluralize
from linkfix.files.data_formats import GENERIC_TYPES
from linkfix.html.vocabulary import SOURCE_MAP_SYNTAXES
from linkfix.lazy import lazy_pattern
from linkfix.urls import scheme_of, strip_url

_UNREADABLE = {
    "encoding-unsupported": b"",
    "encoding-round-trip": b"",
    "xml-not-well-formed": b"\n\r",
    "xml-entity": b"\n\r",
    "markdown-unread": b"\n\r",
    "extra-needed": b"",
    "binary": b"",
    "self-extracting": b"",
    "too-large": b"",
    "srcdoc-depth": b"",
}

_LABEL_END = b"\"'>; \t\n\f\r"


@page_rule("LF901", FindingLevel.ERROR, reports_unread=True, concerns=has_problems)
def unjudged_page(page: AuditedPage) -> Iterator[Issue]:
    """The page or a part of it cannot be read, so its references were not checked.

    Possible reasons: Browsers do not support its encoding, or it has bytes that are invalid in its encoding. It is XML
    that is not well-formed; browsers show an error instead of the rest. A text of a feed contains entities that the
    feed declares. The file is not text, is an archive that unpacks itself, or is larger than --max-size. The Markdown
    cannot be parsed. srcdoc documents are nested too deeply.

    Fails::

        <meta charset="iso-2022-kr"><a href="other.html">other</a>

    Passes::

        <meta charset="utf-8"><a href="other.html">other</a>
    """
    return (issue._replace(cause=page.name) for issue in problem_issues(page, _UNREADABLE))


def _may_have_doubtful_encoding(document: PageDocument) -> bool:
    return has_problems(document) or bool(document.misread_names)


@page_rule("LF902", FindingLevel.WARNING, concerns=_may_have_doubtful_encoding)
def encoding_doubtful(page: AuditedPage) -> Iterator[Issue]:
    """The page declares its encoding in a way that some programs do not understand.

    Browsers do not know the label, or its meta comes after the first 1,024 bytes, where some programs do not look.
    These programs decode other characters. In the query of a reference, this changes the target (HTML §13.2.3.2).

    Or the page declares no encoding, and IDs or references with characters beyond ASCII are valid UTF-8. Browsers read
    them as windows-1252, unless the server states the encoding (then give --charset utf-8).

    Fails::

        <p id="Gruß">no encoding</p>

    Fails::

        <meta charset="utf-88"><a href="other.html">other</a>

    Passes::

        <meta charset="utf-8"><a href="other.html">other</a>
    """
    hint = Hint('write <meta charset="utf-8">, or the correct label, at the beginning of the head')
    yield from problem_issues(page, {"charset-unknown": _LABEL_END, "charset-late": _LABEL_END}, hint)
    misread = page.document.misread_names
    if misread:
        count = f"{len(misread):,} of its IDs and references"
        message = f"the page declares no encoding, so browsers misread {count}, which are in UTF-8"
        yield Issue(message, Hint(DECLARE_UTF_8), page.name, (misread[0].start, misread[0].end))


@page_rule("LF903", FindingLevel.WARNING, concerns=attrgetter("may_have_exemptions"))
def mistaken_comment(page: AuditedPage) -> Iterator[Issue]:
    """A comment that should hide findings names an unknown rule, or is a start without an end.

    An unknown rule hides nothing. After a start, findings are hidden up to the end comment; without one, to the end of
    the page.

    Fails::

        <!-- linkfix-ignore mising-target --><a href="other.html">other</a>

    Fails::

        <!-- linkfix-ignore-start LF101 --><a href="other.html">other</a>

    Passes::

        <!-- linkfix-ignore missing-target --><a href="other.html">other</a>

    Passes::

        <!-- linkfix-ignore-start LF101 --><a href="other.html">other</a><!-- linkfix-ignore-end -->
    """
    for fault in comment_faults(page.document):
        yield Issue(fault.message, Hint(fault.hint), span=(fault.start, fault.end))


# LF410 to LF412: the addresses in sitemaps and of sitemaps (robots.txt), by the protocol of sitemaps.org.


#: The elements of a sitemap whose text is an address, including Google's extensions.
_ADDRESSES = frozenset({"loc", "image:loc", "video:thumbnail_loc", "video:content_loc", "video:player_loc"})


def _is_address(audited: AuditedLink) -> bool:
    """Whether a reference is an address in a sitemap."""
    link = audited.link
    is_sitemap = audited.page.document.envelope.media_type in GENERIC_TYPES
    return is_sitemap and link.element in _ADDRESSES and not link.attribute and link.problem in {None, "no-base"}


@link_rule("LF410", FindingLevel.ERROR, concerns=lambda link: link.element in _ADDRESSES)
def relative_in_sitemap(audited: AuditedLink) -> Issue | None:
    """An address in a sitemap is not an absolute URL.

    An address "must begin with the protocol (such as http)" (sitemaps.org, "XML tag definitions"). Search engines do
    not resolve relative addresses, and ignore them. This also applies to a sitemap index, and to the addresses in
    Google's extensions for images and videos.

    Fails, as sitemap.xml::

        <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>/docs/other.html</loc></url></urlset>

    Passes, as sitemap.xml::

        <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
          <url><loc>https://site.example/docs/other.html</loc></url>
        </urlset>
    """
    link = audited.link
    if not _is_address(audited) or scheme_of(strip_url(link.reference)) is not None:
        return None
    is_known = audited.page.site.known and link.target is not None
    text = "write the absolute URL" if is_known else "write the absolute URL, or use --fix with --root-url"
    hint = Hint(text, link.target if is_known else None, certain=is_known)
    return Issue("an address in a sitemap must be an absolute URL, with https:// and the host", hint)


@link_rule("LF411", FindingLevel.WARNING, concerns=lambda link: link.element == "loc")
def other_host_in_sitemap(audited: AuditedLink) -> Issue | None:
    """A sitemap lists a page of another host or protocol.

    "All URLs listed in the Sitemap must use the same protocol … and reside on the same host as the Sitemap"
    (sitemaps.org, "Sitemap file location"). Search engines ignore other URLs, unless the robots.txt of their host names
    this sitemap. The rule needs a known URL of the site. It does not check addresses of images and videos.

    Fails, as sitemap.xml::

        <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
          <url><loc>http://www.site.example/docs/other.html</loc></url>
        </urlset>

    Passes, as sitemap.xml::

        <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
          <url><loc>https://site.example/docs/other.html</loc></url>
        </urlset>
    """
    link, site = audited.link, audited.page.site
    if audited.destination.kind is not DestinationKind.EXTERNAL or not site.known:
        return None
    if link.element != "loc" or not _is_address(audited) or scheme_of(strip_url(link.reference)) is None:
        return None
    where = "/".join((link.target or "").split("/", 3)[:3])
    hint = Hint(f"list only pages of {site.origin}, or name this sitemap in {where}/robots.txt")
    return Issue(f"the sitemap belongs to {site.origin}, but this page does not", hint, where)


@link_rule("LF412", FindingLevel.WARNING, concerns=lambda link: link.syntax == "robots")
def relative_robots_url(audited: AuditedLink) -> Issue | None:
    """A Sitemap line of robots.txt has a relative URL.

    The line must have "the complete URL" (sitemaps.org, "Specifying the Sitemap location in your robots.txt file").
    Most crawlers ignore a relative URL and do not find the sitemap. With --root-url, --fix writes the absolute URL.

    Fails, as robots.txt::

        Sitemap: /index.html

    Passes, as robots.txt::

        Sitemap: https://site.example/index.html
    """
    link = audited.link
    if link.syntax != "robots" or scheme_of(strip_url(link.reference)) is not None:
        return None
    is_known = audited.page.site.known and link.target is not None
    hint = Hint("write the absolute URL", link.target if is_known else None, certain=is_known)
    return Issue("the URL of a sitemap must be absolute: most crawlers ignore this URL", hint)


# LF112 and LF113: modules that a page imports, and the source maps of scripts and style sheets.


#: The text before the argument of `import()`, and the number of bytes to search for it.
_ARGUMENT = lazy_pattern(rb"\bimport[^\"'`();]*\((?:\s|/\*[^*]*\*/)*+[\"'`]\Z")

_LOOK_BACK = 256


@link_rule("LF112", FindingLevel.ERROR, concerns=lambda link: link.role == "module")
def unmapped_module(audited: AuditedLink) -> Issue | None:
    """A module of the page imports a name that the page's import map does not contain.

    The name is not a URL (it does not begin with `/`, `./` or `../`), and the import map has no entry with an address
    for it. Browsers throw a TypeError and do not run the script (HTML §8.1.6.2, "resolve a module specifier"). The rule
    checks modules in the page and in files that the page loads. Names in other files are only counted, and so are names
    in `import("…")`, which may be for other programs, such as Node.js.

    Fails::

        <script type="importmap">{"imports": {"app": "./style.css"}}</script>
        <script type="module">import "ap";</script>

    Passes::

        <script type="importmap">{"imports": {"app": "./style.css"}}</script>
        <script type="module">import "app";</script>

    Passes::

        <script type="module">import "a-name-for-a-bundler";</script>

    Passes::

        <script type="importmap">{"imports": {"app": "./style.css"}}</script>
        <script type="module">if (typeof process == "object") await import("node:fs");</script>
    """
    link = audited.link
    if link.role != "module" or link.target is not None or link.problem is not None or _is_dynamic(audited):
        return None
    hint = Hint('if it is a file, write "./" before it; otherwise, add it to the import map')
    return Issue("the import map has no address for this name, so browsers do not run the script", hint)


def _is_dynamic(audited: AuditedLink) -> bool:
    """Whether a module is the argument of `import()`."""
    data, start = audited.page.document.source.data, audited.link.start
    return _ARGUMENT.search(data[max(start - _LOOK_BACK, 0) : start]) is not None


@link_rule("LF113", FindingLevel.NOTE, concerns=lambda link: link.syntax in SOURCE_MAP_SYNTAXES)
def missing_source_map(audited: AuditedLink) -> Issue | None:
    """The source map of a script or style sheet is missing.

    The file ends with a `sourceMappingURL` comment. Browsers request the map only when the developer tools are open, so
    readers notice nothing, but the server logs a 404.

    Fails, as docs/app.js::

        let a = 1;
        //# sourceMappingURL=app.js.map

    Fails, as docs/app.css::

        p { color: black }
        /*# sourceMappingURL=app.css.map */

    Passes, as docs/app.js::

        let a = 1;
    """
    if audited.link.syntax not in SOURCE_MAP_SYNTAXES or audited.destination.kind is not DestinationKind.MISSING:
        return None
    return Issue("the source map is missing", cause="source maps")


#: The largest number of faults of a file that are reported, and the largest number of bytes of each that are shown.
_FAULTS, _SHOWN = 20, 200


@settings_rule("LF904", FindingLevel.WARNING)
def invalid_settings(settings: AuditedSettings) -> Iterator[Issue]:
    """A file of a host or of a site generator is not valid, or a rule in it is not, so it does not count.

    The host does not follow such a rule of `_redirects`, `.htaccess`, `vercel.json` or the like, nor does the audit.
    If the settings of a site generator are not valid, the audit does not know them. The first faults of a file are
    reported at their places, and the number of the others.

    Fails, as _redirects::

        /old new.html

    Passes, as _redirects::

        /old /docs/other.html
    """
    file, faults = settings.file, list(settings.faults)
    ends = [found.start() for found in re.finditer(rb"\r?\n|\Z", file.data)]
    starts = [0, *(found.end() for found in re.finditer(rb"\n", file.data))]
    if len(faults) > _FAULTS:
        message = f"{pluralize(len(faults) - _FAULTS, 'more part')} of the file, from here on, not valid"
        faults[_FAULTS:] = [HostFault(faults[_FAULTS].place, message, "correct the parts before these first")]
    for place, message, hint in faults:
        start = max(place.at, starts[place.line - 1])
        end = min(max(ends[place.line - 1], start), start + _SHOWN)
        yield Issue(message, Hint(hint), file.name, (start, end))
