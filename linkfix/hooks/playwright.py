"""Hook for Playwright: the current content of a page or frame with absolute links, by the browser's own base URL.

    content = linkfix.hooks.playwright.absolutize(page)  # or a frame; in async code: await absolutize_async(page)
    content.html  # page.content() with absolute links
    content.links  # and .base, .problems, .rewritten, .url, .encoding
    linkfix.hooks.playwright.frames(page)  # the same for every frame, each by its own base

The page in the browser does not change. As in `page.content()`, content made by scripts is included, and shadow roots
are not. A BASE in `noscript` counts only if scripts do not run in the page; `scripting` overrides this. Links in
`noscript` are rewritten in either case.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict, TypeVar, Unpack

from linkfix.errors import Needs

with Needs("linkfix.hooks.playwright", "playwright"):
    from playwright import async_api, sync_api

from linkfix.document.base import fallback_base
from linkfix.document.decide import resolver_of
from linkfix.document.document import Document
from linkfix.encodings.encoding import get_encoding
from linkfix.hooks.response import (
    Inspection,
    SettingFields,
    Settings,
    log_failure,
    log_problems,
    settings,
    with_scripting,
    wrong_argument,
)
from linkfix.model import PROBLEMS, Base, Candidate, Envelope, Layer, Problem
from linkfix.urls import hide_passwords, without_credentials, without_fragment

__all__ = ["Content", "absolutize", "absolutize_async", "frames", "frames_async"]

AnyFrame = TypeVar("AnyFrame", sync_api.Frame, async_api.Frame)

#: Reads a document's properties at one moment. `html` equals `page.content()`. The properties are read from their
#: prototypes, since a form or image with the same name shadows them on the document (HTML §3.1.7).
_FACTS = """whole => {
    const of = (kind, name) => Reflect.get(kind.prototype, name, document);
    const html = () => {
        const doctype = of(Document, "doctype");
        const root = of(Document, "documentElement");
        return (doctype ? new XMLSerializer().serializeToString(doctype) : "") + (root ? root.outerHTML : "");
    };
    /* The scripting flag of this document's HTML parser (HTML §13.2.4.5): whether noscript is text. */
    const scripting = () => {
        const probe = Document.prototype.createElementNS.call(document, "http://www.w3.org/1999/xhtml", "div");
        try {
            probe.innerHTML = "<noscript><b></b></noscript>";
        } catch {  /* Trusted Types */
            return matchMedia("(scripting: enabled)").matches;
        }
        return probe.firstChild.firstElementChild === null;
    };
    return {
        html: whole ? html() : "",
        scripting: scripting(),
        url: of(Document, "URL"),
        base: of(Node, "baseURI"),
        charset: of(Document, "characterSet"),
        media_type: of(Document, "contentType"),
    };
}"""

#: Our layer -> the layer of the browser's base, if the two bases differ. The browser took it from a BASE that is not in
#: the markup, or from the opener of the window.
_UNSEEN = {Layer.RETRIEVAL: Layer.EMBEDDED, Layer.DEFAULT: Layer.ENCAPSULATING, Layer.NONE: Layer.ENCAPSULATING}
#: The maximum length of a URL in a message, in characters.
_SHOWN = 200
#: The time to wait for the document of a frame that was never navigated, in milliseconds: some never get one.
_PATIENCE = 1000.0


class _Facts(TypedDict):
    """The result of `_FACTS`."""

    html: str
    """The markup; "" if it was not requested."""
    scripting: bool
    """Whether scripts run in the document, as its context's `java_script_enabled` says."""
    url: str
    """`document.URL`."""
    base: str
    """`document.baseURI`."""
    charset: str
    """`document.characterSet`."""
    media_type: str
    """`document.contentType`."""


@dataclass
class Content(Inspection):
    """The content of a page or frame. Spans of its links are code points of the markup from the browser."""

    html: str
    """The markup with absolute links."""
    url: str
    """`document.URL`."""


def absolutize(page_or_frame: sync_api.Page | sync_api.Frame, **fields: Unpack[SettingFields]) -> Content:
    """The current content of a frame, or of a page's main frame, with absolute links.

    `fields`: the fields of `linkfix.hooks.response.Settings` and of `linkfix.Options`. `max_size` is in characters.
    `default_base` is for pages without a URL, such as the pages of `page.set_content()`.

    The base is `document.baseURI`. The document and its URL may give another base, because a Content-Security-Policy
    refused BASE, or because a script changed the URL after BASE was read. Then there is a problem `sources-disagree`.
    With a `spec` other than whatwg, the base is the one that the specification defines. Queries are encoded in
    `document.characterSet`.

    Documents of other media types are returned unchanged. Raises InvalidBase, InvalidOption and UnknownSpec for wrong
    arguments, and TypeError for an object that is not a page or frame of this API. Raises Playwright's errors for a
    page that is closed, being navigated, or without a document. Nothing that a document contains raises.
    """
    chosen = settings(**fields)
    _check(page_or_frame, "absolutize", sync_api.Page, sync_api.Frame)
    lineage = _lineage(page_or_frame.main_frame if isinstance(page_or_frame, sync_api.Page) else page_or_frame)
    return _content([_read(frame, whole=frame is lineage[0]) for frame in lineage], chosen)


async def absolutize_async(page_or_frame: async_api.Page | async_api.Frame, **fields: Unpack[SettingFields]) -> Content:
    """`absolutize` for Playwright's async API."""
    chosen = settings(**fields)
    _check(page_or_frame, "absolutize_async", async_api.Page, async_api.Frame)
    lineage = _lineage(page_or_frame.main_frame if isinstance(page_or_frame, async_api.Page) else page_or_frame)
    return _content([await _read_async(frame, whole=frame is lineage[0]) for frame in lineage], chosen)


def frames(page: sync_api.Page, **fields: Unpack[SettingFields]) -> dict[sync_api.Frame, Content]:
    """The current content of each frame of a page, in the order of `page.frames`: see `absolutize`.

    A frame that disappears meanwhile or has no document is omitted. For the main frame, Playwright's error is raised.
    """
    chosen = settings(**fields)
    _check(page, "frames", sync_api.Page)
    facts: dict[sync_api.Frame, _Facts] = {}
    for frame in page.frames:
        try:
            facts[frame] = _read(frame, whole=True)
        except sync_api.Error:
            if frame is page.main_frame:
                raise
    return _contents(facts, chosen)


async def frames_async(page: async_api.Page, **fields: Unpack[SettingFields]) -> dict[async_api.Frame, Content]:
    """`frames` for Playwright's async API."""
    chosen = settings(**fields)
    _check(page, "frames_async", async_api.Page)
    facts: dict[async_api.Frame, _Facts] = {}
    for frame in page.frames:
        try:
            facts[frame] = await _read_async(frame, whole=True)
        except async_api.Error:
            if frame is page.main_frame:
                raise
    return _contents(facts, chosen)


def _check(given: object, function: str, *kinds: type) -> None:
    """Raise TypeError for an object of Playwright's other API, or of neither."""
    if isinstance(given, kinds):
        return
    names = " or ".join(kind.__name__ for kind in kinds)
    api = "async" if function.endswith("_async") else "sync"
    other = function.removesuffix("_async") if api == "async" else f"{function}_async"
    is_other = isinstance(given, (sync_api.Page, sync_api.Frame, async_api.Page, async_api.Frame))
    call = f"linkfix.hooks.playwright.{function}"
    meant = f"{'await ' if api == 'sync' else ''}linkfix.hooks.playwright.{other}()" if is_other else None
    raise wrong_argument(call, f"a {names} of Playwright's {api} API", given, meant)


def _read(frame: sync_api.Frame, *, whole: bool) -> _Facts:
    """Read the properties of a frame's document. `whole`: whether to read its markup too."""
    # `frame.evaluate` would wait forever for a frame that never gets a document.
    handle = frame.wait_for_function(_FACTS, arg=whole, timeout=_timeout(frame))
    facts: _Facts = handle.json_value()
    handle.dispose()
    return facts


async def _read_async(frame: async_api.Frame, *, whole: bool) -> _Facts:
    handle = await frame.wait_for_function(_FACTS, arg=whole, timeout=_timeout(frame))
    facts: _Facts = await handle.json_value()
    await handle.dispose()
    return facts


def _timeout(frame: AnyFrame) -> float | None:
    """The time to wait for a frame's document, in milliseconds; None means the page's own time limit."""
    return None if frame.url else _PATIENCE


def _lineage(frame: AnyFrame) -> list[AnyFrame]:
    """A frame and the ancestors that its base can come from, innermost first (HTML §2.4.3 "fallback base URL")."""
    lineage = [frame]
    while lineage[-1].url.partition(":")[0] in {"", "about"} and (around := lineage[-1].parent_frame):
        lineage.append(around)
    return lineage


def _contents(facts: dict[AnyFrame, _Facts], chosen: Settings) -> dict[AnyFrame, Content]:
    return {
        frame: _content([facts[around] for around in _lineage(frame) if around in facts], chosen) for frame in facts
    }


def _content(lineage: Sequence[_Facts], chosen: Settings) -> Content:
    facts = lineage[0]
    try:
        content = _absolutize(lineage, chosen)
    except Exception as error:  # noqa: BLE001 - no page may end a crawl, not even by a fault of linkfix
        log_failure(_shorten(facts["url"]))
        return _left_alone(facts, "hook-failed", type(error).__name__)
    log_problems(_shorten(facts["url"]), content.problems)
    return content


def _shorten(url: str) -> str:
    """Shorten a URL for a message: a data: URL may be long."""
    url = hide_passwords(without_credentials(url))
    return f"{url[:_SHOWN]}…" if len(url) > _SHOWN else url


def _left_alone(facts: _Facts, code: str, detail: str) -> Content:
    problem = Problem(code, f"{PROBLEMS[code]}: {detail}", 0, 1, 1)
    return Content(facts["html"], facts["url"], problems=(problem,), left_alone=code)


def _absolutize(lineage: Sequence[_Facts], chosen: Settings) -> Content:
    facts = lineage[0]
    html = facts["html"]
    if facts["media_type"] not in chosen.media_types:
        return Content(html, facts["url"])
    if len(html) > chosen.max_size:
        return _left_alone(facts, "too-large", f"{len(html):,} characters")
    options = with_scripting(chosen.options, on=facts["scripting"])
    document = Document(html, envelope=_envelope(lineage, chosen), options=options)
    document, noted = _with_browser_base(document, facts["base"])
    conversion = document.convert()
    problems = (*noted, *conversion.problems)
    return Content(conversion.data, facts["url"], rewritten=conversion.rewritten, problems=problems, document=document)


def _is_base(url: str) -> bool:
    """Whether references can be relative to a URL that the browser wrote: its path is not opaque (URL §4.1)."""
    return url.partition(":")[2].startswith("/")


def _envelope(lineage: Sequence[_Facts], chosen: Settings) -> Envelope:
    """The envelope of a frame's document. `lineage`: the frame's facts, followed by its ancestors' facts."""
    envelope: Envelope | None = None
    inherited: str | None = None
    for facts in reversed(lineage):
        url, charset = facts["url"], facts["charset"]
        known = charset if get_encoding(charset) else None
        if _is_base(url):
            envelope = Envelope(url, known, facts["media_type"], where="document.URL", default=chosen.default_base)
        else:
            envelope = Envelope(
                None,
                known,
                facts["media_type"],
                base=inherited,
                where="document.baseURI of the parent frame" if inherited else "",
                parent=envelope,
                inherits_base_element=envelope is not None,
                default=chosen.default_base,
                rejected=(
                    Candidate(Layer.RETRIEVAL, _shorten(url), "document.URL", "references cannot be relative to it"),
                ),
            )
        inherited = facts["base"] if _is_base(facts["base"]) else None
    return envelope or Envelope()


def _with_browser_base(document: Document[str], base: str) -> tuple[Document[str], tuple[Problem, ...]]:
    """The document, with the browser's base if its own differs; and a problem if the difference is unexpected."""
    resolver = resolver_of(document.options)
    ours = document.document_base
    if resolver.name != "whatwg" or not _is_base(base) or without_fragment(base) == without_fragment(ours.url):
        return document, ()
    fallback = fallback_base(document.envelope, resolver)
    if without_fragment(base) == without_fragment(fallback.url):
        theirs = fallback
    else:
        theirs = Base(base, _UNSEEN.get(ours.layer, ours.layer), "document.baseURI", (), fallback.url, ours.start)
    lost = () if ours.url is None else (Candidate(ours.layer, ours.url, ours.where, "document.baseURI is different"),)
    others = (candidate for candidate in ours.rejected if candidate.reference != theirs.url)
    chosen = theirs._replace(rejected=(*lost, *others))
    if ours.url is None or ours.layer is Layer.DEFAULT:  # a window inherits the base of its opener
        return document.with_base(chosen), ()
    message = f"the base URL in the browser, {base!r}, is used; by the document, it would be {ours.url!r}"
    # A reader of the result would see another base than the browser, so "#x" must name its document.
    document = document.with_base(chosen, fragments_leave_page=True)
    return document, (Problem("sources-disagree", message, 0, 1, 1),)
