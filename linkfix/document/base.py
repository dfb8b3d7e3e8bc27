"""Which base URL a document has, and why the other candidates lost (HTML §2.4.3, §4.2.3; RFC 1808 §3; RFC 3986 §5.1).

The layers, innermost first: a BASE element in the document, the entity that encloses it, the URL that it was retrieved
from, the default. The first layer that gives a usable URL decides. Which layers there are, and what each takes a base
from, is the specification's: see `linkfix.document.layers`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from linkfix.credentials import hide_passwords
from linkfix.document.content_security_policy import Policy, blocking_policy, header_policies
from linkfix.document.layers import LAYERS, sources_of
from linkfix.errors import InvalidBase
from linkfix.html.syntaxes.url import PLACEHOLDER, find
from linkfix.model import Base, BaseSource, Candidate, Envelope, Layer
from linkfix.resolvers import Resolver

__all__ = [
    "SETTLED_URL",
    "BaseElement",
    "as_base",
    "document_url",
    "establish",
    "fallback_base",
    "href_base",
    "quote",
    "reason_dropped",
    "reason_excluded",
    "require_absolute",
]

#: URLs that are absolute for every resolver, which makes them their own targets: no dot segments, nothing to encode, a
#: host of plain labels.
SETTLED_URL = r"https?://(?:(?!xn--)[a-z0-9-]+\.)+[a-z]{2,9}(?=/)(?![^?#]*(?:/\.|%2[eE]))[!#-&(-;=?-\[\]_a-z~]*\Z"
#: How many characters of a URL a message quotes.
_QUOTED = 100
_is_settled = re.compile(SETTLED_URL).match
#: The URL that was found settled last: a document's is asked for several times.
_settled: list[str | None] = [None]
#: What someone wrote of a document from outside it, and the layer where that belongs.
_WRITTEN = (
    (Layer.ENCAPSULATING, BaseSource.CONTENT_BASE),
    (Layer.ENCAPSULATING, BaseSource.CONTENT_LOCATION),
    (Layer.ENCAPSULATING, BaseSource.BASE_FIELD),
    (Layer.DEFAULT, BaseSource.CALLER),
)
#: HTML §4.2.3 "set the frozen base URL": these schemes cannot be a base.
_REFUSED_SCHEMES = ("data:", "javascript:")


class BaseElement(NamedTuple):
    """A BASE element that has an href."""

    href: str
    """The decoded value."""
    where: str
    """Its place, in words."""
    excluded: str = ""
    """Why it cannot count, or ""."""
    start: int = -1
    """Where its tag begins, in bytes; -1 where that is not known."""
    in_body: bool = False
    """Whether it is behind the head; it need not be known where the specification does not ask."""


def _outward(envelope: Envelope) -> Iterator[Envelope]:
    """An entity and those that enclose it."""
    inner: Envelope | None = envelope
    while inner is not None:
        yield inner
        inner = inner.parent


def require_absolute(url: str, resolver: Resolver) -> None:
    """Raise InvalidBase for a URL that a caller gave and that is no base."""
    if as_base(url, resolver) is None:
        message = f"{url!r} is not an absolute URL that references can be relative to; give one as https://host/path"
        raise InvalidBase(message)


def quote(url: str) -> str:
    """The beginning of a URL, for a message."""
    return hide_passwords(url)[:_QUOTED]


def reason_dropped(*, in_template: bool, in_noscript: bool, in_frameset: bool) -> str:
    """Why a BASE element does not count that HTML's parser does not put in the document's tree, or ""."""
    if in_template:
        return "in a template"
    if in_noscript:
        return "in noscript, which is text where scripts are on"
    return "in or after a frameset, or in the body that it replaced: the parser drops it" if in_frameset else ""


def reason_excluded(href: str, envelope: Envelope) -> str:
    """Why a BASE element does not count that the program wrote which saved the document, or ""."""
    return f"{envelope.saver.name} wrote it" if href in envelope.saver.own_bases else ""


def document_url(envelope: Envelope, resolver: Resolver) -> str | None:
    """The URL that the document itself was retrieved from, or that its Content-Location names (RFC 2557 §4.2)."""
    has_location = BaseSource.CONTENT_LOCATION in sources_of(Layer.ENCAPSULATING, resolver.name)
    for entity in _outward(envelope):
        if entity.url:
            return entity.url
        for stated in entity.stated if has_location else ():
            if stated.source is BaseSource.CONTENT_LOCATION:
                return stated.url
    return None


def as_base(url: str, resolver: Resolver) -> str | None:
    """`url` as a base, in the form that the resolver gives it as a reference; None where it is not absolute.

    RFC 3986 §5.1: such a reference "must be converted to absolute form", in which it has no dot segments. §5.2.2 takes
    an empty reference's path, and that of `?y`, from the base as it is: with dot segments in it, what is written would
    mean something else when it is resolved again.
    """
    if url == _settled[0]:
        return url
    if _is_settled(url):
        _settled[0] = url
        return url
    return _as_base(url, resolver)


@lru_cache(maxsize=1024)
def _as_base(url: str, resolver: Resolver) -> str | None:
    return resolver.resolve(None, url).target if resolver.is_absolute(url) else None


def _given(entity: Envelope, source: BaseSource) -> Iterator[tuple[str, str]]:
    """The URLs that an entity has from a source, each with its place in words."""
    if source is BaseSource.ENCLOSING_DOCUMENT and entity.base:
        yield entity.base, entity.where or "the enclosing entity"
    elif source is BaseSource.RETRIEVAL and entity.url and entity.url != entity.base:  # one that is both is said once
        yield entity.url, entity.where or "retrieval URL"
    elif source is BaseSource.CALLER and entity.default:
        yield entity.default, "default base"
    elif source is BaseSource.EMPTY and entity.parent is None:
        yield "", "the empty string: all references are taken for absolute"
    for stated in entity.stated:
        if stated.source is source:
            yield stated.url, stated.where


def _candidates(entities: Sequence[Envelope], spec: str) -> Iterator[tuple[Layer, BaseSource, str, str]]:
    """What a specification can take a base from, outside the document: the layer, the source, the URL, its place.

    In a layer, an entity's own come first; but a default is the application's, whichever entity it was given for.
    """
    for layer, rule in LAYERS[spec].items():
        pairs: Iterable[tuple[Envelope, BaseSource]] = product(entities, rule.sources)
        if layer is Layer.DEFAULT:
            pairs = ((entity, source) for source, entity in product(rule.sources, entities))
        for entity, source in pairs:
            for url, where in _given(entity, source):
                yield layer, source, url, where


def _not_taken(entity: Envelope, resolver: Resolver) -> Iterator[Candidate]:
    """What an entity has and the specification takes no base from. What no one wrote, thismessage:/, is not said."""
    taken = {source for rule in LAYERS[resolver.name].values() for source in rule.sources}
    for layer, source in _WRITTEN:
        for url, where in _given(entity, source) if source not in taken else ():
            yield Candidate(layer, url, where, f"{resolver.name} takes no base from it")


def _outranked(base: Base, layer: Layer, resolver: Resolver) -> str:
    """Why a candidate of a layer lost to the base."""
    return f"{base.where if base.layer is layer else LAYERS[resolver.name][base.layer].title} comes first"


def fallback_base(envelope: Envelope, resolver: Resolver) -> Base:
    """The base URL of a document without a BASE element (HTML §2.4.3 "fallback base URL")."""
    if envelope.url and not (
        envelope.base or envelope.parent or envelope.default or envelope.rejected or envelope.stated
    ):
        form = as_base(envelope.url, resolver)  # most documents, quickly
        if form is not None:
            return Base(form, Layer.RETRIEVAL, envelope.where or "retrieval URL", (), form)
    entities = list(_outward(envelope))
    base: Base | None = None
    rejected: list[Candidate] = []
    for layer, source, url, where in _candidates(entities, resolver.name):
        if base is None:
            form = url if source is BaseSource.EMPTY else as_base(url, resolver)
            if form is not None:
                base = Base(form, layer, where, fallback=form)
            else:
                rejected.append(Candidate(layer, url, where, f"not an absolute URL ({resolver.name})"))
        elif source is not BaseSource.EMPTY:
            rejected.append(Candidate(layer, url, where, _outranked(base, layer, resolver)))
    for entity in entities:
        rejected += _not_taken(entity, resolver)
        rejected += entity.rejected
    if base is None:
        return Base(None, Layer.NONE, "no layer gives a base URL", tuple(rejected))
    return replace(base, rejected=tuple(rejected)) if rejected else base


def href_base(href: str, fallback: str | None, resolver: Resolver, encoding: str = "utf-8") -> tuple[str | None, str]:
    """The base URL that a BASE element's href gives, or None and the reason why there is none."""
    href = find(href)[0].reference
    if PLACEHOLDER.search(href):
        return None, "a template's placeholder"
    if href.lower().startswith(_REFUSED_SCHEMES):
        return None, f"a {href.partition(':')[0].lower()}: URL cannot be a base"
    if not resolver.relative_base_allowed:
        if resolver.is_absolute(href):
            return href, ""
        return None, f"not an absolute URL, which {resolver.name} asks for"
    needs_base = fallback is None and not resolver.is_absolute_reference(href)
    target = None if needs_base else resolver.resolve(fallback, href, encoding).target
    if target is None:
        return None, "not an absolute URL, and there is nothing to resolve it against" if needs_base else "not a URL"
    if target.lower().startswith(_REFUSED_SCHEMES):
        return None, f"a {target.partition(':')[0]}: URL cannot be a base"
    if not resolver.is_absolute(target):
        return None, f"references cannot be relative to a {target.partition(':')[0]}: URL"
    return target, ""


def _blocking_policy(url: str, envelope: Envelope, resolver: Resolver, policies: Sequence[Policy]) -> Policy | None:
    """The policy that keeps a BASE element from setting a URL, if there is one (HTML §4.2.3, CSP3 §6.3.1.1)."""
    all_policies = [*header_policies(envelope.content_security_policy), *policies]
    return blocking_policy(url, all_policies, document_url(envelope, resolver)) if all_policies else None


def establish(
    elements: Sequence[BaseElement],
    envelope: Envelope,
    resolver: Resolver,
    encoding: str = "utf-8",
    policies: Sequence[Policy] = (),
) -> Base:
    """The document's base URL. `elements` are its BASE elements with an href, in tree order.

    `encoding`: the document's, a name of the Encoding standard, which the query of a relative href is written in.
    `policies`: those that hold beside the envelope's, each for the elements after its `start`. BASE elements that a
    saver made comments count as what they were.
    """
    fallback = fallback_base(envelope, resolver)
    if envelope.saver.bases:
        commented = [BaseElement(*original[1:]) for original in envelope.saver.bases]
        elements = sorted([*elements, *commented], key=lambda element: element.start)
    chosen: tuple[str, BaseElement] | None = None
    rejected: list[Candidate] = []
    decided = False
    problem: str | None = None
    for element in elements:
        if element.excluded:
            reason = element.excluded
        elif decided:
            reason = "only the first BASE element with an href counts"
        else:
            decided = True
            url, reason = href_base(element.href, fallback.url, resolver, encoding)
            problem = "base-unusable" if url is None else None
            if url is not None:
                in_force = [policy for policy in policies if policy.start <= element.start]
                policy = _blocking_policy(url, envelope, resolver, in_force)
                if policy is None:
                    chosen = (url, element)
                    continue
                problem = "base-blocked"
                reason = f"the Content-Security-Policy does not allow it ({policy})"
        rejected.append(Candidate(Layer.EMBEDDED, element.href, element.where, reason, element.start))
    if chosen is None and not rejected:
        return fallback
    if chosen is None:
        lost = (*rejected, *fallback.rejected)
        return Base(fallback.url, fallback.layer, fallback.where, lost, fallback.url, problem=problem)
    if fallback.url:
        reason = f"{LAYERS[resolver.name][Layer.EMBEDDED].title} comes first"
        rejected.append(Candidate(fallback.layer, fallback.url, fallback.where, reason))
    url, element = chosen
    lost = (*rejected, *fallback.rejected)
    is_outside = element.in_body and BaseSource.BASE_ELEMENT_IN_HEAD in sources_of(Layer.EMBEDDED, resolver.name)
    problem = "base-in-body" if is_outside else None
    return Base(url, Layer.EMBEDDED, element.where, lost, fallback.url, element.start, problem)
