"""LF701 to LF704: what works on the author's computer and fails where the site is published; what need not be there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain

from linkfix.auditing.external import failure_at
from linkfix.auditing.interpretation import (
    InterpretationKind,
    interpretation,
    is_own_address,
    is_relative_path,
    is_root_relative,
    is_shown_for_errors,
)
from linkfix.auditing.model import FindingLevel, Hint
from linkfix.auditing.page_document import PageDocument, effective_base
from linkfix.auditing.private_hosts import PrivateHost, private_host_of
from linkfix.auditing.rule import (
    AuditedLink,
    AuditedPage,
    Issue,
    LinkTraits,
    TreeFacts,
    link_rule,
    page_rule,
    tree_rule,
)
from linkfix.auditing.site import FAILING, DestinationKind
from linkfix.auditing.suggestions import reference_to
from linkfix.display import pluralize
from linkfix.kernels.tokenizer import tag_end
from linkfix.lazy import lazy_pattern
from linkfix.model import Link
from linkfix.urls import strip_url

#: The end of an A element, and the number of bytes after the tag that are searched for it.
_END = lazy_pattern(rb"</[Aa][\t\n\f\r />]")

_LONGEST_TEXT = 2000

_TAG = lazy_pattern(rb"<[^<>]*>")


def _is_elsewhere(link: LinkTraits) -> bool:
    return link.kind is DestinationKind.EXTERNAL


@link_rule("LF701", FindingLevel.WARNING, reports_hosts=True, concerns=_is_elsewhere)
def private_host(audited: AuditedLink) -> Issue | None:
    """The host of the reference is the reader's own computer, or a host that the public cannot reach.

    Such references get into a site by a development server, or by a link that was copied from an address bar. The rule
    knows loopback, private and link-local addresses in any form (RFC 1122, RFC 1918, RFC 4193: `http://0x7f.1/`), the
    names `localhost`, `*.localhost`, `*.local`, `*.test`, `*.invalid`, `*.home.arpa` and `*.internal` (RFC 6761,
    RFC 6762, RFC 8375), and names without a dot.

    A hyperlink whose text shows the host, as in instructions, is not reported: readers know that they open it
    themselves. `--allow-host localhost:3000` allows a host. The host of `--root-url` is the site's own. If that is a
    host of a private network, other such hosts are not reported. Archives are not checked.

    Fails::

        <a href="http://localhost:3000/docs/other.html">the other page</a>

    Fails::

        <img src="http://192.168.0.7/img.png" alt="">

    Fails::

        <script src="http://2130706433:35729/livereload.js"></script>

    Passes::

        <a href="http://localhost:3000/">Open localhost:3000</a> <code>http://localhost:3000/</code>

    Passes, in a site at http://localhost:3000/::

        <a href="http://localhost:3000/docs/other.html">the other page</a>
    """
    link, site = audited.link, audited.page.site
    if audited.destination.kind is not DestinationKind.EXTERNAL or site.is_captured or link.problem is not None:
        return None
    private = private_host_of(link.target)
    is_own = (link.target or "").startswith(f"{site.origin}/")  # a redirect leads to another site
    if private is None or is_own or (link.element == "loc" and site.known):  # LF411 reports another host in a sitemap
        return None
    own = private_host_of(site.url) if site.known else None
    if own is not None and not own.is_own_computer and not private.is_own_computer:
        return None
    if interpretation(audited).kind is InterpretationKind.MISSPELLED:
        return None
    if link.role == "hyperlink" and _shows(audited, private):
        return None
    return Issue(f"the host {private.reason}", _in_tree(audited, private), private.place)


def _shows(audited: AuditedLink, private: PrivateHost) -> bool:
    """Whether the text of a hyperlink contains its host, as written or as browsers read it."""
    document, link = audited.page.document, audited.link
    data, start = document.source.data, link.tag_start
    if document.kind == "markdown" and link.syntax == "markdown":
        before = data[max(link.start - _LONGEST_TEXT, 0) : link.start]
        text = before[before.rfind(b"[") :] if before.endswith((b"](", b"](<")) else b""
    elif document.kind == "markdown" and link.start <= start + 1:
        return True  # an autolink: its text is the address
    elif link.element == "a":
        first = tag_end(data, start)
        end = _END.search(data, first, first + _LONGEST_TEXT)
        text = _TAG.sub(b"", data[first : end.start()]) if end else b""
    else:
        return False
    written = strip_url(link.reference).partition("//")[2].partition("/")[0].lower()
    shown = document.source.working.decode(text).lower()
    if "." not in private.host and not private.is_own_computer:  # the name may be any word
        return f"//{private.host}" in shown
    return private.host in shown or bool(written and written in shown)


def _in_tree(audited: AuditedLink, private: PrivateHost) -> Hint | None:
    """A hint at the file of the site that a reference to the reader's own computer names; None for no such file."""
    site = audited.page.site
    path = (audited.link.target or "").split("/", 3)[3:]
    place = site.destination(site.origin + "/" + path[0]) if path and private.is_own_computer else None
    if place is None or place.kind is not DestinationKind.FILE or place.mount or not path[0].strip("/"):
        return None
    return Hint(f"the site has a file {place.name}", reference_to(audited, place.name))


@link_rule("LF703", FindingLevel.ERROR, reads_results=True, cause_kind="url", concerns=_is_elsewhere)
def broken_elsewhere(audited: AuditedLink) -> Issue | None:
    """A link checker found the URL on another site broken.

    Only with `--external-results`. linkfix fetches nothing: lychee checks the URLs that `linkfix links --only external`
    lists, and the audit brings its results back to the places of the references. It is a warning if the page may be
    there: the host refused the link checker (403, 429), was busy (5xx), or did not answer in time.

    Fails, with a report of lychee on it::

        <a href="https://elsewhere.example/gone">lychee found it broken</a>

    Passes, with a report of lychee on it::

        <a href="https://elsewhere.example/">lychee found it</a>
    """
    target = audited.link.target
    is_elsewhere = audited.destination.kind is DestinationKind.EXTERNAL
    failure = failure_at(audited.page.site.failures, target) if is_elsewhere else None
    if failure is None:
        return None
    level = None if failure.is_certain else FindingLevel.WARNING
    return Issue(
        f"a link checker found this broken ({failure.text})", cause=(target or "").partition("#")[0], level=level
    )


#: Text by which a script may set the base URL of a page.
_SETS_BASE = (b"<base", b"createElement('base'", b'createElement("base"', b"createElement(`base`")


@page_rule("LF702", FindingLevel.WARNING)
def relative_in_error_page(page: AuditedPage) -> Iterator[Issue]:
    """An error page has a relative reference.

    Hosts answer any missing address with `404.html` of the site's root: GitHub Pages, Netlify, Cloudflare Pages,
    Vercel, Firebase. The page keeps the missing address, so a relative reference has another target in each folder:
    `style.css` is `/a/style.css` at `/a/b`. Begin the reference with `/`, or the page with `<base href="/">`. The same
    holds for other error pages at the root (`500.html`, `50x.html`), and for those that a host file names
    (`ErrorDocument`, `responseOverrides`). Fragments and the page's own address are not
    reported, nor are references without a target, which have a finding of their own.

    With a known URL of the site, `--fix` writes the reference from the root of the host.

    Fails, as 404.html::

        <link rel="stylesheet" href="docs/style.css">

    Passes, as 404.html::

        <link rel="stylesheet" href="/docs/style.css"> <a href="#top">top</a>

    Passes, as 404.html::

        <base href="/"><link rel="stylesheet" href="docs/style.css">

    Passes, as docs/404.html::

        <link rel="stylesheet" href="style.css">
    """
    name, document, site = page.name, page.document, page.site
    if site.is_captured or document.kind != "html" or not is_shown_for_errors(site, name):
        return
    if _has_own_base(document):
        return
    survey = document.reference_index
    for link in document.links_of(sorted(chain(survey.others, *survey.references.values()))):
        if not _depends_on_page(link) or is_own_address(document, link):
            continue
        place = site.destination(link.target)
        if place.kind in FAILING or place.kind is DestinationKind.EXTERNAL:
            continue
        from_root = (link.target or "").removeprefix(site.origin)
        text = (
            "begin it at the root of the host"
            if site.known
            else "if the site is at the root of its host, begin it there"
        )
        hint = Hint(text, from_root, certain=site.known)
        message = "hosts show this page at any address, where a relative reference has another target"
        yield Issue(message, hint, name, link=link)


def _has_own_base(document: PageDocument) -> bool:
    """Whether the base URL of a page is the same at any address, or a script may set it."""
    tag = effective_base(document)
    if tag is not None:
        href = strip_url(tag.href)
        return href.startswith(("/", "\\")) or document.decider.resolver.is_absolute_reference(href)
    return any(text in document.source.data for text in _SETS_BASE)


def _depends_on_page(link: Link) -> bool:
    """Whether the folder of the page decides the target of a link."""
    reference = strip_url(link.reference)
    if link.target is None or link.role in {"base", "codebase", "document", "identifier"} or reference.startswith("?"):
        return False
    return is_relative_path(link) and not is_root_relative(reference.replace("\\", "/"))


@tree_rule("LF704", FindingLevel.NOTE, opt_in=True)
def unused_file(tree: TreeFacts) -> Iterator[tuple[str, Issue]]:
    """Nothing in the site refers to this file.

    Only with `--select unused-file`. A file is used if a page, a style sheet, a script, a feed or a manifest refers to
    it, or if any text file of the site has its name, as scripts and JSON do. Names are compared without regard to case.
    If a script has a hash in the file's name, or the name of its folder as the beginning of a path, the file counts as
    used, too. Pages are not reported (`orphan-page` is for them), nor are files that hosts, browsers and crawlers ask
    for by their names: `robots.txt`, `favicon.ico`, `CNAME`, `.well-known/`, `_redirects`, licences, source maps and
    compressed files beside the file that they belong to.

    The cause is a folder: the highest one that has only unused files, with their number and size.

    Fails, as docs/old.css::

        p { color: black }

    Passes, as robots.txt::

        User-agent: *
    """
    unused = tree.unused()
    counts = Counter(one.group for one in unused.values())
    sizes: Counter[str] = Counter()
    for one in unused.values():
        sizes[one.group] += one.size
    for name, (size, group) in unused.items():
        several = f"{group or 'the root'}: {counts[group]:,} files, {_size(sizes[group])}"
        cause = several if counts[group] > 1 else name
        yield name, Issue(f"nothing in the site refers to this file ({pluralize(size, 'byte')})", cause=cause)


#: The units of sizes: a thousand of one are the next.
_UNITS = ("bytes", "kB", "MB", "GB")

_THOUSAND = 1000


def _size(size: int) -> str:
    """A size for people.

    >>> _size(1), _size(999), _size(1_234_567)
    ('1 byte', '999 bytes', '1.2 MB')
    """
    if size < _THOUSAND:
        return pluralize(size, "byte")
    number, unit = float(size), 0
    while number >= _THOUSAND and unit < len(_UNITS) - 1:
        number, unit = number / _THOUSAND, unit + 1
    return f"{number:,.1f} {_UNITS[unit]}"
