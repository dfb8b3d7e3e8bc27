"""LF201 to LF209: the base URL of a page and its BASE element."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, takewhile
from operator import attrgetter

from linkfix.auditing.interpretation import is_error_page, is_relative_path, is_root_relative
from linkfix.auditing.model import FindingLevel, Hint
from linkfix.auditing.page_document import LOCAL, NO_ELEMENT, PageDocument, base_tags, effective_base
from linkfix.auditing.rule import AuditedLink, AuditedPage, Issue, link_rule, page_rule
from linkfix.display import pluralize
from linkfix.model import Layer, Link
from linkfix.resolvers import RESOLVERS, resolve
from linkfix.urls import strip_url

_may_have_base = attrgetter("may_have_base")


@link_rule("LF201", FindingLevel.ERROR, concerns=lambda link: link.problem in {"no-base", "unresolvable"})
def no_base(audited: AuditedLink) -> Issue | None:
    """The reference is relative, and the page has no base URL.

    No source gives a base URL (RFC 3986 §5.1), or no reference can be relative to the base URL: a `mailto:` URL has no
    hierarchical path.

    Fails::

        <base href="mailto:someone@site.example"><a href="other.html">relative to what?</a>

    Passes::

        <a href="other.html">relative to the page</a>
    """
    link = audited.link
    if link.problem == "no-base":
        return Issue("the reference is relative, and the page has no base URL", cause="no base URL")
    if link.problem == "unresolvable" and is_relative_path(link):
        return Issue("no reference can be relative to the base URL of the page", cause="the base URL")
    return None


@page_rule("LF202", FindingLevel.NOTE, concerns=_may_have_base)
def base_relative(page: AuditedPage) -> Iterator[Issue]:
    """The href of BASE is relative.

    Browsers resolve it against the page's own URL, so a copy on another host or in another folder has another base URL.
    HTML allows this (§4.2.3). RFC 1808 §10 and RFC 2396 §5.1.1 require an absolute URL, and programs that follow them
    ignore this BASE. An error page at the root, such as `404.html`, may have a path from the root of the host (LF702):
    hosts show the page at any address of the site.

    Fails::

        <base href="/docs/"><a href="other.html">other</a>

    Passes::

        <base href="https://host.example/docs/"><a href="other.html">other</a>

    Passes, as 404.html::

        <base href="/"><a href="other.html">other</a>
    """
    tag = effective_base(page.document)
    if tag is not None and "/" not in page.name and is_error_page(page.name) and is_root_relative(strip_url(tag.href)):
        return
    if tag is not None and not RESOLVERS["whatwg"].is_absolute_reference(tag.href):
        message = "BASE is relative: it depends on the page's own URL, and old programs ignore it"
        yield Issue(message, Hint("write an absolute URL, with scheme and host"), tag.href, tag.href_span)


@page_rule("LF203", FindingLevel.WARNING, concerns=_may_have_base)
def base_repeated(page: AuditedPage) -> Iterator[Issue]:
    """A second <base href> is ignored.

    Browsers use only the first BASE element with an href (HTML §4.2.3), even if that href is not a valid URL. Often the
    first one comes from a template, and the page adds a second. lxml and other libraries use the last BASE, so they
    find other targets than browsers.

    Fails::

        <base href="https://host.example/docs/"><base href="https://host.example/">

    Passes::

        <base href="https://host.example/docs/"><base target="_blank">
    """
    document = page.document
    tags = [tag for tag in base_tags(document) if tag.is_base_element]
    hint = Hint("keep the intended one, as the first element of the head")
    for tag in tags[1:]:
        line, _ = document.positions.of(tags[0].start)
        yield Issue(f"this BASE is ignored: browsers use the first, in line {line}", hint, tag.href, tag.href_span)


@page_rule("LF204", FindingLevel.WARNING, concerns=_may_have_base)
def base_late(page: AuditedPage) -> Iterator[Issue]:
    """BASE comes after elements whose references depend on it.

    Browsers resolve some references before they reach BASE, against the page's own URL: images, style sheets, scripts,
    frames, media, CSS, a refresh, an import map, srcdoc documents. They resolve hyperlinks, forms and icons later,
    against BASE. HTML §4.2.3 requires BASE before other elements with attributes that take URLs.

    Fails::

        <link rel="stylesheet" href="other.html"><base href="https://host.example/docs/">

    Fails::

        <a href="other.html">other</a><base href="https://host.example/docs/">

    Passes::

        <base href="https://host.example/docs/"><link rel="stylesheet" href="other.html">

    Passes::

        <link rel="stylesheet" href="https://host.example/style.css"><base href="https://host.example/docs/">
    """
    document = page.document
    tag = effective_base(document)
    if tag is None:
        return
    changed: list[Link] = []
    unchanged: list[Link] = []
    for link in takewhile(lambda link: link.start < tag.start, _links(document)):
        if _depends_on_base(document, link):
            (changed if link.base == document.document_base.url else unchanged).append(link)
    hint = Hint("move BASE to the start of the head, after the meta charset")
    ignore = "ignores" if len(unchanged) == 1 else "ignore"
    for links, what in ((changed, "it changes"), (unchanged, f"{ignore} it")):
        if links:
            references = pluralize(len(links), "reference")
            message = f"BASE comes after {references} that {what}, the first in line {links[0].line}"
            yield Issue(message, hint, tag.href, tag.href_span)


def _links(document: PageDocument) -> Iterator[Link]:
    """The links in document order. Each link is made only when it is needed."""
    survey = document.reference_index
    return document.links_of(sorted(chain(survey.others, *survey.references.values())))


def _depends_on_base(document: PageDocument, link: Link) -> bool:
    """Whether the page's other base would give a link another target."""
    base = document.document_base
    is_local = link.syntax in LOCAL and link.reference[:1] in {"#", ""}
    if link.role == "base" or is_local or link.base not in {base.url, base.fallback}:
        return False
    other = base.fallback if link.base == base.url else base.url
    return other is None or resolve(other, link.reference).target != link.target


@page_rule("LF205", FindingLevel.ERROR, concerns=_may_have_base)
def base_unusable(page: AuditedPage) -> Iterator[Issue]:
    """The href of BASE cannot be a base URL.

    Browsers ignore a BASE with a `data:` or `javascript:` URL, an invalid URL, or the placeholder of a template. They
    then resolve references against the page's own URL, and a later BASE does not replace this one (HTML §4.2.3, "set
    the frozen base URL"). Browsers accept other URLs without a hierarchy, such as `mailto:` or `about:blank`. Then
    every relative reference fails.

    Fails::

        <base href="data:text/html,"><a href="other.html">other</a>

    Fails::

        <base href="http://[">

    Passes::

        <base href="https://host.example/docs/">
    """
    hint = Hint("write an http or https URL, or remove BASE")
    base = page.document.document_base
    if base.layer is Layer.EMBEDDED:
        tag = effective_base(page.document)
        if tag is not None and resolve(base.url, "x").target is None:
            message = "this BASE makes all relative references fail: no reference can be relative to such a URL"
            yield Issue(message, hint, tag.href, tag.href_span)
        return
    if base.problem != "base-blocked":
        yield from _ignored(page, hint)


def _ignored(page: AuditedPage, hint: Hint) -> Iterator[Issue]:
    """Yield an issue for the first BASE element: it does not set the base URL."""
    reasons = {candidate.start: candidate.reason for candidate in page.document.document_base.rejected}
    elsewhere = NO_ELEMENT | {"noscript"} if page.document.options.scripting == "on" else NO_ELEMENT
    first = next((tag for tag in base_tags(page.document) if tag.inside not in elsewhere), None)
    if first is not None:
        yield Issue(f"this BASE is ignored: {reasons[first.start]}", hint, first.href, first.href_span)


#: The place of a misplaced BASE tag -> the message about it.
_MISPLACED = {
    "svg": "this tag is not a BASE element, because it is in SVG",
    "mathml": "this tag is not a BASE element, because it is in MathML",
    "template": "this tag is not a BASE element, because it is in a template",
    "frameset": "this tag is not a BASE element, because it is in a frameset, after it, or in a body that it replaces",
    "body": "this BASE is in the body: programs that read only the head miss it",
}


@page_rule("LF206", FindingLevel.WARNING, concerns=_may_have_base)
def base_misplaced(page: AuditedPage) -> Iterator[Issue]:
    """A BASE tag is in a wrong place, where it is ignored or overlooked.

    A tag in SVG, in MathML, in a `template`, in a frameset or after a frameset is not a BASE element. Browsers use a
    BASE in the body, but programs that read only the head miss it (a note). Tags in comments are not reported. For tags
    in `noscript`, see LF208.

    Fails::

        <svg><base href="https://host.example/docs/"></base></svg>

    Passes::

        <head><base href="https://host.example/docs/"></head>

    Passes::

        <!-- <base href="https://host.example/docs/"> -->
    """
    hint = Hint("move BASE to the beginning of the head")
    for tag in base_tags(page.document):
        if tag.inside == "body" and tag.start != page.document.document_base.start:
            continue
        if tag.inside in _MISPLACED:
            level = FindingLevel.NOTE if tag.inside == "body" else None
            yield Issue(_MISPLACED[tag.inside], hint, tag.href, (tag.start, tag.end), level)


@page_rule("LF207", FindingLevel.NOTE, concerns=_may_have_base)
def base_elsewhere(page: AuditedPage) -> Iterator[Issue]:
    """BASE makes links to fragments leave the page.

    `<a href="#top">` is resolved against BASE like every other reference. If BASE is not the page's own URL, the link
    loads another page instead of scrolling this one. (`use href="#x"` of SVG and `url(#x)` of CSS stay on the page.)

    Fails::

        <base href="https://host.example/docs/"><a href="#top">to the top</a>

    Passes::

        <base href="https://host.example/docs/"><a href="other.html#top">other</a>
    """
    tag = effective_base(page.document)
    if tag is None:
        return
    own = page.url.partition("#")[0]
    leaving = [
        link
        for link in page.document.links_of(_fragment_records(page.document))
        if link.role == "hyperlink" and link.target is not None and link.target.partition("#")[0] != own
    ]
    if leaving:
        links = pluralize(len(leaving), "link")
        message = f"BASE makes {links} to a fragment leave the page, the first in line {leaving[0].line}"
        yield Issue(message, Hint("write the file name of the page before the fragment"), tag.href, tag.href_span)


@page_rule("LF208", FindingLevel.NOTE, concerns=_may_have_base)
def base_in_noscript(page: AuditedPage) -> Iterator[Issue]:
    """BASE is in noscript, so the base URL depends on whether scripts run.

    Browsers that run scripts read the content of `noscript` as text and ignore this BASE. Browsers without scripts use
    it. The option --scripting decides which base URL the audit uses.

    Fails::

        <noscript><base href="https://host.example/docs/"></noscript>

    Passes::

        <head><base href="https://host.example/docs/"></head>
    """
    hint = Hint("move BASE out of noscript, to the beginning of the head")
    for tag in base_tags(page.document):
        if tag.inside == "noscript":
            message = "this BASE is in noscript: browsers use it only if scripts are off"
            yield Issue(message, hint, tag.href, (tag.start, tag.end))


def _fragment_records(document: PageDocument) -> list[int]:
    """The numbers of the records with references that begin with "#"."""
    same = (numbers for raw, numbers in document.reference_index.references.items() if raw.lstrip().startswith(b"#"))
    return sorted(chain.from_iterable(same))


@page_rule("LF209", FindingLevel.ERROR, concerns=_may_have_base)
def base_blocked(page: AuditedPage) -> Iterator[Issue]:
    """The page's own Content-Security-Policy does not allow its BASE.

    A policy in a `meta` of the head applies to the BASE after it. If its directive base-uri does not list the URL,
    browsers ignore BASE and resolve references against the page's own URL (HTML §4.2.3, CSP3 §6.3.1). The audit does
    not know policies in header fields.

    Fails::

        <meta http-equiv="Content-Security-Policy" content="base-uri 'none'"><base href="https://host.example/docs/">

    Passes::

        <meta http-equiv="Content-Security-Policy" content="base-uri host.example">
        <base href="https://host.example/docs/">
    """
    if page.document.document_base.problem == "base-blocked":
        yield from _ignored(page, Hint("list its URL in base-uri, or remove BASE"))
