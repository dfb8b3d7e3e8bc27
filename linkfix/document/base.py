"""The base URL of a document, and the reasons against the other candidates (HTML §2.4.3, §4.2.3; RFC 1808 §3; RFC 3986
§5.1).

The layers, innermost first: a BASE element in the document, the enclosing entity, the retrieval URL, the default. The
first layer that gives a usable URL decides. The specification defines which layers exist, and the sources of each: the
table `LAYERS`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote_to_bytes

from linkfix.errors import InvalidBase
from linkfix.html.syntaxes.url import PLACEHOLDER, find
from linkfix.lazy import lazy_pattern
from linkfix.model import Base, BaseElementMode, BaseSource, Candidate, Envelope, FeedBase, Layer, Saver
from linkfix.resolvers import RESOLVERS, Resolver
from linkfix.urls import hide_passwords

if TYPE_CHECKING:
    from linkfix.html.feed_links import BaseChoice

# The layers that can give a document its base URL, for each specification: one table.
#
# A specification is chosen as a whole. `--spec` decides which layers exist, the sources of each layer, their order, and
# the layers' names. `linkfix.document.base` uses this table alone.


#: Two layers that small documents ask for often. Python 3.11 calls a function for each `Layer.EMBEDDED`.
EMBEDDED, RETRIEVAL = Layer.EMBEDDED, Layer.RETRIEVAL


class LayerRule(NamedTuple):
    """One layer of one specification."""

    sources: tuple[BaseSource, ...]
    """The layer's sources, in order. An entity's own sources come before the sources of its enclosing entity."""
    name: str
    """The layer's name in the specification."""
    section: str = ""
    """The section that defines it; "" if sections have no numbers."""

    @property
    def title(self) -> str:
        """The layer's name in a sentence."""
        return f"the {self.name}" if " " in self.name else f"the {self.name} layer"


#: RFC 2110 §5, followed by RFC 1808's field. RFC 2557 §5, which replaced it, no longer has Content-Base.
_FIELDS = (BaseSource.CONTENT_BASE, BaseSource.CONTENT_LOCATION, BaseSource.BASE_FIELD)

#: A JSON Feed states its own URL, although its specification defines no base. RFC 2557 §5 (e) defines the last source,
#: for an application without a default of its own (RFC 2396 §5.1.4).
_DEFAULTS = (BaseSource.FEED, BaseSource.CALLER, BaseSource.THIS_MESSAGE)

LAYERS: Mapping[str, Mapping[Layer, LayerRule]] = {
    # A base is "known from the context of its retrieval" or "embedded within the object itself".
    "fielding1994": {
        Layer.EMBEDDED: LayerRule((BaseSource.BASE_ELEMENT,), "embedded"),
        Layer.RETRIEVAL: LayerRule((BaseSource.ENCLOSING_DOCUMENT, BaseSource.RETRIEVAL), "retrieval"),
    },
    "rfc1808": {
        Layer.EMBEDDED: LayerRule((BaseSource.BASE_ELEMENT_IN_HEAD,), "embedded", "3.1"),
        Layer.ENCAPSULATING: LayerRule((BaseSource.ENCLOSING_DOCUMENT, BaseSource.BASE_FIELD), "encapsulating", "3.2"),
        Layer.RETRIEVAL: LayerRule((BaseSource.RETRIEVAL,), "retrieval", "3.3"),
        Layer.DEFAULT: LayerRule((BaseSource.EMPTY,), "default", "3.4"),
    },
    "rfc2396": {
        Layer.EMBEDDED: LayerRule((BaseSource.BASE_ELEMENT_IN_HEAD,), "embedded", "5.1.1"),
        Layer.ENCAPSULATING: LayerRule((BaseSource.ENCLOSING_DOCUMENT, *_FIELDS), "encapsulating", "5.1.2"),
        Layer.RETRIEVAL: LayerRule((BaseSource.RETRIEVAL,), "retrieval", "5.1.3"),
        Layer.DEFAULT: LayerRule(_DEFAULTS, "default", "5.1.4"),
    },
    "rfc3986": {
        Layer.EMBEDDED: LayerRule((BaseSource.BASE_ELEMENT,), "embedded", "5.1.1"),
        Layer.ENCAPSULATING: LayerRule((BaseSource.ENCLOSING_DOCUMENT, *_FIELDS), "encapsulating", "5.1.2"),
        Layer.RETRIEVAL: LayerRule((BaseSource.RETRIEVAL,), "retrieval", "5.1.3"),
        Layer.DEFAULT: LayerRule(_DEFAULTS, "default", "5.1.4"),
    },
    # HTML has no default and no messages. An entity that encloses a document (RFC 2557 §5) is treated like the page
    # around a srcdoc.
    "whatwg": {
        Layer.EMBEDDED: LayerRule((BaseSource.BASE_ELEMENT,), "base element", "4.2.3"),
        Layer.ENCAPSULATING: LayerRule((BaseSource.ENCLOSING_DOCUMENT, *_FIELDS), "about base URL", "2.4.3"),
        Layer.RETRIEVAL: LayerRule((BaseSource.RETRIEVAL,), "document's URL", "2.4.3"),
        Layer.DEFAULT: LayerRule(_DEFAULTS, "default base URL"),
    },
}

"""Name of the specification, a key of `linkfix.resolvers.RESOLVERS` -> its layers, innermost first."""


def has_xml_base(spec: str, *, in_svg: bool) -> bool:
    """Whether `xml:base` counts in an XML document under a specification. `in_svg`: whether its root element is SVG.

    Browsers have removed `xml:base`, and so has SVG 2. The RFCs leave it to the format, and SVG 1.1 has it.

    >>> has_xml_base("whatwg", in_svg=True), has_xml_base("rfc3986", in_svg=True), has_xml_base("whatwg", in_svg=False)
    (False, True, True)
    """
    return spec != "whatwg" or not in_svg


def sources_of(layer: Layer, spec: str) -> tuple[BaseSource, ...]:
    """The sources of a layer under a specification, in order; empty if the specification has no such layer."""
    rule = LAYERS[spec].get(layer)
    return () if rule is None else rule.sources


# The BASE elements that a page's Content-Security-Policy allows: the directive base-uri (CSP3 §6.3.1).
#
# A policy comes with the response, or in a meta element of the head, where it holds for the elements that follow. Only
# its directive base-uri matters here. Report-Only policies block nothing (CSP3 §3.2), so they are ignored. A URL must
# match one source expression of each policy's source list. An empty list, and `'none'` alone, match nothing (CSP3
# §6.7.2.7).
#
# If Chromium, Firefox and WebKit all depart from the text, linkfix does what they do. `*` also matches ws and wss. Port
# 80 also matches port 443 if the scheme is an upgrade. An IPv4 address is an ordinary host. A meta element counts
# anywhere in the head.


_WORD = lazy_pattern("[^\t\n\f\r ]+")

_SCHEME = "[A-Za-z][A-Za-z0-9+.-]*"

_LABEL = "[A-Za-z0-9-]++"

_PCHAR = r"(?:[A-Za-z0-9._~!$&'()*+=:@-]|%[0-9A-Fa-f]{2})"

#: CSP3 §2.3.1, "scheme-source" and "host-source".
_SCHEME_SOURCE = lazy_pattern(f"({_SCHEME}):")

_HOST_SOURCE = lazy_pattern(
    rf"(?:({_SCHEME})://)?(\*|(?:\*\.)?{_LABEL}(?:\.{_LABEL})*+\.?)(?::([0-9]+|\*))?(/(?:{_PCHAR}++(?:/{_PCHAR}*+)*+)?)?"
)

#: The parts of a URL in the serialization of the URL standard.
_URL = lazy_pattern(r"([a-z][a-z0-9+.-]*):(?://(?:[^/?#@]*@)?(\[[^\]]*\]|[^/?#:]*)(?::([0-9]+))?)?([^?#]*)")

_DEFAULT_PORTS = {"http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21"}

#: CSP3 §6.7.2.9: a scheme -> the other schemes that it matches.
_UPGRADES = {"http": {"https"}, "ws": {"wss", "http", "https"}, "wss": {"https"}}

_SHOWN = 100


class Policy(NamedTuple):
    """The base-uri directive of one policy. `str(policy)` shows it."""

    sources: tuple[str, ...]
    """The source list of its directive base-uri."""
    where: str
    """The place of the policy, in words."""
    start: int = -1
    """The offset of the meta element that states the policy, in bytes of the document's data. -1 if the policy holds
    from the start of the document, or if the offset is not known.
    """

    def __str__(self) -> str:
        text = hide_passwords(" ".join(("base-uri", *self.sources)))
        return f"{text[:_SHOWN]}{'…' * (len(text) > _SHOWN)}, {self.where}"


class _Url(NamedTuple):
    """The parts of a URL. `port` is "" for the scheme's default port."""

    scheme: str
    host: str | None
    port: str
    path: str

    @property
    def has_origin(self) -> bool:
        """Whether its origin is not opaque (URL §4.7)."""
        return self.scheme in _DEFAULT_PORTS


def header_policies(value: str | None, where: str = "header of the response") -> list[Policy]:
    """The policies with a directive base-uri in the value of a Content-Security-Policy header field (CSP3 §2.2.2).

    >>> [policy.sources for policy in header_policies("default-src *, base-uri 'self' h.example")]
    [("'self'", 'h.example')]
    """
    parsed = (meta_policy(serialized, where) for serialized in (value.split(",") if value else ()))
    return [policy for policy in parsed if policy is not None]


def meta_policy(serialized: str, where: str, start: int = -1) -> Policy | None:
    """Parse a policy, such as the content of a meta element. None if it has no directive base-uri.

    CSP3 §2.2.1. Only header fields have lists of policies: here a comma belongs to its source expression.
    """
    for directive in serialized.split(";"):
        words = _WORD.findall(directive) if directive.isascii() else []
        if words and words[0].lower() == "base-uri":
            return Policy(tuple(words[1:]), where, start)  # the first directive of a name counts
    return None


def inherited(envelope: Envelope, policies: Iterable[Policy]) -> list[Policy]:
    """The policies that a srcdoc document inherits from the document around it (HTML §7.1.6, "determine navigation
    params policy container"). These are the policies of the response, and `policies`.
    """
    around = " of the document around"
    every = [*header_policies(envelope.content_security_policy), *policies]
    return [one._replace(where=one.where.removesuffix(around) + around, start=-1) for one in every]


def blocking_policy(url: str, policies: Iterable[Policy], document_url: str | None) -> Policy | None:
    """The first policy that does not allow a base URL (CSP3 §6.3.1.1). None if all policies allow it.

    `document_url`: the URL that the document was retrieved from; its origin is `'self'`. If it is not known, any http
    or https origin may be `'self'`.

    >>> blocking_policy("https://h.example/d/", header_policies("base-uri 'self'"), "http://h.example/") is None
    True
    """
    base = _parse(url)
    own = _parse(document_url) if document_url else None
    for policy in policies:
        if base is None or not any(_matches(base, source, own) for source in policy.sources):
            return policy
    return None


def _parse(url: str) -> _Url | None:
    target = RESOLVERS["whatwg"].resolve(None, url).target
    parts = _URL.match(target) if target else None
    return _Url(parts[1], parts[2], parts[3] or "", parts[4]) if parts else None


def _matches(url: _Url, source: str, own: _Url | None) -> bool:
    """CSP3 §6.7.2.8, "does url match expression in origin". `'none'` and other keywords match nothing."""
    if own is None:  # the document's own origin is not known
        own = url if url.scheme in {"http", "https"} else _Url("", None, "", "")
    origin = own.scheme if own.has_origin else ""
    if source == "*" and url.scheme in {"http", "https", "ws", "wss", origin}:
        return True
    if source.lower() == "'self'":
        return own.has_origin and _is_self(url, own)
    scheme = _SCHEME_SOURCE.fullmatch(source)
    if scheme:
        return _scheme_matches(scheme[1].lower(), url.scheme)
    host = _HOST_SOURCE.fullmatch(source)
    return (
        host is not None
        and bool(url.host)
        and _scheme_matches((host[1] or origin).lower(), url.scheme)
        and _host_matches(host[2].lower(), url)
        and _port_matches(host[3], url)
        and _path_matches(host[4] or "", url.path)
    )


def _is_self(url: _Url, own: _Url) -> bool:
    if url.host != own.host or url.port != own.port:
        return False  # "" stands for either scheme's default port
    return url.scheme in {own.scheme, "https", "wss"} or (own.scheme, url.scheme) == ("http", "ws")


def _scheme_matches(pattern: str, scheme: str) -> bool:
    """CSP3 §6.7.2.9."""
    return pattern == scheme or scheme in _UPGRADES.get(pattern, ())


def _host_matches(pattern: str, url: _Url) -> bool:
    """CSP3 §6.7.2.10."""
    host = url.host or ""
    if not url.has_origin or host.startswith("["):  # no domain
        return False
    return pattern in {"*", host} or (pattern.startswith("*.") and host.endswith(pattern[1:]))


def _port_matches(pattern: str | None, url: _Url) -> bool:
    """CSP3 §6.7.2.11."""
    if pattern == "*":
        return True
    default = _DEFAULT_PORTS[url.scheme]
    port = (pattern.lstrip("0") or "0") if pattern else default
    return port == (url.port or default) or (port == "80" and default == "443" and url.port == "")


def _path_matches(pattern: str, path: str) -> bool:
    """CSP3 §6.7.2.12. A pattern that ends in a slash matches everything below."""
    if not pattern or (pattern == "/" and not path):
        return True
    pieces, others = pattern.split("/"), path.split("/")
    if pieces[-1]:
        if len(pieces) != len(others):
            return False
    elif len(pieces) > len(others):
        return False
    else:
        pieces.pop()
    return all(unquote_to_bytes(one) == unquote_to_bytes(other) for one, other in zip(pieces, others, strict=False))


#: URLs that are absolute for every resolver and are their own targets: no dot segments, nothing to encode, a host of
#: plain labels. Without "++", each label would take memory.
SETTLED_URL = r"https?://(?:(?!xn--)[a-z0-9-]++\.)++[a-z]{2,9}(?=/)(?![^?#]*(?:/\.|%2[eE]))[!#-&(-;=?-\[\]_a-z~]*\Z"


_match_settled = re.compile(SETTLED_URL).match

#: The maximum length of a URL whose check is remembered, in characters, and the number of such URLs. A document's URL
#: is checked several times, and all pages of a site may have the same BASE.
_REMEMBERED_LENGTH, _REMEMBERED = 2000, 64


@lru_cache(maxsize=_REMEMBERED)
def _is_short_settled(url: str) -> bool:
    return _match_settled(url) is not None


def _is_settled(url: str) -> bool:
    """Whether a URL is absolute for every resolver, its own target, and free of placeholders."""
    return _is_short_settled(url) if len(url) <= _REMEMBERED_LENGTH else _match_settled(url) is not None


#: The sources that somebody wrote outside the document, each with its layer.
_WRITTEN = (
    (Layer.ENCAPSULATING, BaseSource.CONTENT_BASE),
    (Layer.ENCAPSULATING, BaseSource.CONTENT_LOCATION),
    (Layer.ENCAPSULATING, BaseSource.BASE_FIELD),
    (Layer.DEFAULT, BaseSource.FEED),
    (Layer.DEFAULT, BaseSource.CALLER),
)

#: The reason why an href is no base if the URL of the page would make it one.
URL_NEEDED = "a relative URL, and the URL of the page is not known"
#: The reason why a BASE element after the first does not count.
NOT_FIRST = "only the first BASE element with an href is used"
#: HTML §4.2.3 "set the frozen base URL": these schemes cannot be a base.
_REFUSED_SCHEMES = ("data:", "javascript:")


class BaseElement(NamedTuple):
    """A BASE element that has an href."""

    href: str
    """The decoded value."""
    where: str
    """The place of the element, in words."""
    excluded: str = ""
    """The reason why it cannot count, or ""."""
    start: int = -1
    """The offset of its tag, in bytes; -1 if it is not known."""
    in_body: bool = False
    """Whether the tag is after the head. May be unknown if the specification does not ask for it."""


def _outward(envelope: Envelope) -> Iterator[Envelope]:
    """An entity, and the entities that enclose it, from the inside out."""
    inner: Envelope | None = envelope
    while inner is not None:
        yield inner
        inner = inner.parent


def require_absolute(url: str, resolver: Resolver) -> None:
    """Raise InvalidBase for a caller's URL that cannot be a base."""
    if as_base(url, resolver) is None:
        message = f"{url!r} cannot be a base URL; give an absolute URL such as https://host/path"
        raise InvalidBase(message)


def reason_dropped(*, in_template: bool, in_noscript: bool, in_frameset: bool) -> str:
    """The reason why HTML's parser drops a BASE element from the document's tree, or ""."""
    if in_template:
        return "in a template"
    if in_noscript:
        return "in noscript, which is text if scripts run"
    return "in or after a frameset, or in the body that it replaced: the parser drops it" if in_frameset else ""


def reason_excluded(href: str, envelope: Envelope, mode: BaseElementMode) -> str:
    """The reason why a BASE element does not count, although it is in the tree: the saver wrote it, or `mode` is
    "ignore". Else "".
    """
    if mode == "ignore":
        return "the option base_element ignores BASE elements"
    return f"added by {envelope.saver.name}" if href in envelope.saver.own_bases else ""


def document_url(envelope: Envelope, resolver: Resolver) -> str | None:
    """The retrieval URL of the document itself, or the URL in its Content-Location (RFC 2557 §4.2)."""
    if envelope.url:
        return envelope.url
    has_location = BaseSource.CONTENT_LOCATION in sources_of(Layer.ENCAPSULATING, resolver.name)
    for entity in _outward(envelope):
        if entity.url:
            return entity.url
        for stated in entity.stated if has_location else ():
            if stated.source is BaseSource.CONTENT_LOCATION:
                return stated.url
    return None


def as_base(url: str, resolver: Resolver) -> str | None:
    """Return `url` as a base, in the form that the resolver gives to a reference. None if it is not absolute.

    RFC 3986 §5.1: such a reference "must be converted to absolute form", without dot segments. §5.2.2 copies the path
    of an empty reference, or of `?y`, from the base unchanged. If that path had dot segments, the written URL would
    resolve to another one.
    """
    return url if _is_settled(url) else _as_base(url, resolver)


def root_of(url: str | None) -> list[str]:
    """The scheme and the host of a URL in the resolver's form, or less."""
    return (url or "").split("/", 3)[:3]


def base_choice(feed_base: FeedBase, resolver: Resolver) -> BaseChoice:
    """The choice of the base of a feed's HTML, for links that `resolver` can resolve."""
    from linkfix.html.feed_links import BaseChoice  # few documents are feeds

    return BaseChoice(feed_base, lambda link: resolver.resolve("https://h.invalid/", link).target is not None)


@lru_cache(maxsize=1024)
def _as_base(url: str, resolver: Resolver) -> str | None:
    return resolver.resolve(None, url).target if resolver.is_absolute(url) else None


def _given(entity: Envelope, source: BaseSource) -> Iterator[tuple[str, str]]:
    """The URLs of an entity from one source, each with its place in words."""
    if source is BaseSource.ENCLOSING_DOCUMENT and entity.base:
        yield entity.base, entity.where or "the enclosing entity"
    # a URL that is both is listed once
    elif source is BaseSource.RETRIEVAL and entity.url and entity.url != entity.base:
        yield entity.url, entity.where or "retrieval URL"
    elif source is BaseSource.CALLER and entity.default:
        yield entity.default, "default base"
    elif source is BaseSource.EMPTY and entity.parent is None:
        yield "", "the empty string: all references are treated as absolute"
    for stated in entity.stated:
        if stated.source is source:
            yield stated.url, stated.where


def _candidates(entities: Sequence[Envelope], spec: str) -> Iterator[tuple[Layer, BaseSource, str, str]]:
    """The candidates outside the document that a specification accepts: layer, source, URL and place.

    Within a layer, an entity's own candidates come first. But a default belongs to the application, whichever entity it
    was given for.
    """
    for layer, rule in LAYERS[spec].items():
        pairs: Iterable[tuple[Envelope, BaseSource]] = product(entities, rule.sources)
        if layer is Layer.DEFAULT:
            pairs = ((entity, source) for source, entity in product(rule.sources, entities))
        for entity, source in pairs:
            for url, where in _given(entity, source):
                yield layer, source, url, where


def _not_taken(entity: Envelope, resolver: Resolver) -> Iterator[Candidate]:
    """The candidates of an entity that the specification rejects, without thismessage:/, which nobody wrote."""
    taken = {source for rule in LAYERS[resolver.name].values() for source in rule.sources}
    for layer, source in _WRITTEN:
        for url, where in _given(entity, source) if source not in taken else ():
            yield Candidate(layer, url, where, f"{resolver.name} does not use it as a base")


def _outranked(base: Base, layer: Layer, resolver: Resolver) -> str:
    """The reason why a candidate of a layer lost to the base."""
    return f"{base.where if base.layer is layer else LAYERS[resolver.name][base.layer].title} comes first"


def fallback_base(envelope: Envelope, resolver: Resolver) -> Base:
    """The base URL of a document without a BASE element (HTML §2.4.3 "fallback base URL")."""
    if envelope.url and not (
        envelope.base or envelope.parent or envelope.default or envelope.rejected or envelope.stated
    ):
        form = as_base(envelope.url, resolver)  # a shortcut for most documents
        if form is not None:
            return Base(form, RETRIEVAL, envelope.where or "retrieval URL", (), form)
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
        return Base(None, Layer.NONE, "no source gives a base URL", tuple(rejected))
    return base._replace(rejected=tuple(rejected)) if rejected else base


def href_base(href: str, fallback: str | None, resolver: Resolver, encoding: str = "utf-8") -> tuple[str | None, str]:
    """The base URL that a BASE element's href gives, and ""; or None and the reason."""
    if _is_settled(href):
        return href, ""
    if len(href) <= _REMEMBERED_LENGTH and len(fallback or "") <= _REMEMBERED_LENGTH:
        return _short_href_base(href, fallback, resolver, encoding)
    return _href_base(href, fallback, resolver, encoding)


def _href_base(href: str, fallback: str | None, resolver: Resolver, encoding: str) -> tuple[str | None, str]:
    href = find(href)[0].reference
    if PLACEHOLDER.search(href):
        return None, "the placeholder of a template"
    if href.lower().startswith(_REFUSED_SCHEMES):
        return None, f"a {href.partition(':')[0].lower()}: URL cannot be a base"
    if not resolver.relative_base_allowed:
        if resolver.is_absolute(href):
            return href, ""
        return None, f"not an absolute URL, which {resolver.name} requires"
    needs_base = fallback is None and not resolver.is_absolute_reference(href)
    target = None if needs_base else resolver.resolve(fallback, href, encoding).target
    if target is None:
        return None, URL_NEEDED if needs_base else "not a URL"
    if target.lower().startswith(_REFUSED_SCHEMES):
        return None, f"a {target.partition(':')[0]}: URL cannot be a base"
    if not target.startswith(("http://", "https://")) and not resolver.is_absolute(target):
        return None, f"references cannot be relative to a {target.partition(':')[0]}: URL"
    return target, ""


_short_href_base = lru_cache(maxsize=_REMEMBERED)(_href_base)


def _blocking_policy(url: str, envelope: Envelope, resolver: Resolver, policies: Sequence[Policy]) -> Policy | None:
    """The policy that forbids a BASE element to set a URL, or None (HTML §4.2.3, CSP3 §6.3.1.1)."""
    if envelope.content_security_policy is None and not policies:
        return None
    all_policies = [*header_policies(envelope.content_security_policy), *policies]
    return blocking_policy(url, all_policies, document_url(envelope, resolver)) if all_policies else None


def original_href(href: str, saver: Saver) -> str | None:
    """Return the original href of a BASE element that a web archive rewrote; None if the element counts as it is."""
    if not saver.maps_absolute or saver.map_reference is None:
        return None
    return saver.map_reference(href, None) or None


def _in_tree_order(elements: Iterable[BaseElement], saver: Saver) -> Iterable[BaseElement]:
    """BASE elements, with those that the saver turned into comments: they count as elements."""
    if not saver.bases:
        return elements
    commented = [BaseElement(*original[1:]) for original in saver.bases]
    return sorted([*elements, *commented], key=lambda element: element.start)


def _base_with(
    element: BaseElement,
    fallback: Base,
    envelope: Envelope,
    resolver: Resolver,
    encoding: str = "utf-8",
    policies: Sequence[Policy] = (),
) -> tuple[Base, str]:
    """The base of a document, without rejected candidates, and the reason why the element does not set it, or "".

    `element`: the first BASE element that can count. `fallback`: the base without it. For the rest see `establish`.
    """
    href = original_href(element.href, envelope.saver) or element.href
    url, reason = href_base(href, fallback.url, resolver, encoding)
    problem = "base-unusable"
    if url is not None:
        in_force = [policy for policy in policies if policy.start <= element.start] if policies else ()
        policy = _blocking_policy(url, envelope, resolver, in_force)
        if policy is None:
            is_outside = element.in_body and BaseSource.BASE_ELEMENT_IN_HEAD in sources_of(EMBEDDED, resolver.name)
            in_body = "base-in-body" if is_outside else None
            return Base(url, EMBEDDED, element.where, (), fallback.url, element.start, in_body), ""
        problem = "base-blocked"
        reason = f"the Content-Security-Policy does not allow it ({policy})"
    return Base(fallback.url, fallback.layer, fallback.where, (), fallback.url, problem=problem), reason


def decided_base(
    first: BaseElement | None,
    fallback: Base,
    envelope: Envelope,
    resolver: Resolver,
    encoding: str = "utf-8",
    policies: Sequence[Policy] = (),
) -> tuple[Base, str]:
    """The base that `establish` gives, without rejected candidates, and the reason why `first` does not set it, or "".

    `first`: the document's first BASE element that can count. `fallback`: the base without it.
    """
    deciding = first
    if envelope.saver.bases:
        deciding = next(iter(_in_tree_order([] if first is None else [first], envelope.saver)))
    if deciding is None:
        return fallback, ""
    base, reason = _base_with(deciding, fallback, envelope, resolver, encoding, policies)
    return base, reason if deciding is first or base.layer is EMBEDDED else NOT_FIRST


def establish(
    elements: Iterable[BaseElement],
    envelope: Envelope,
    resolver: Resolver,
    encoding: str = "utf-8",
    policies: Sequence[Policy] = (),
) -> Base:
    """Establish the document's base URL.

    `elements`: the document's BASE elements with an href, in tree order. `encoding`: the document's encoding, by its
    name in the Encoding standard; the query of a relative href is encoded in it. `policies`: policies besides the
    envelope's, each for the elements after its `start`.
    """
    fallback = fallback_base(envelope, resolver)
    base: Base | None = None
    rejected: list[Candidate] = []
    for element in _in_tree_order(elements, envelope.saver):
        reason = element.excluded
        if not reason and base is None:
            base, reason = _base_with(element, fallback, envelope, resolver, encoding, policies)
        elif not reason:
            reason = NOT_FIRST
        if reason:
            rejected.append(Candidate(EMBEDDED, element.href, element.where, reason, element.start))
    if base is None:
        base = fallback
    elif base.layer is EMBEDDED and fallback.url:
        reason = f"{LAYERS[resolver.name][EMBEDDED].title} comes first"
        rejected.append(Candidate(fallback.layer, fallback.url, fallback.where, reason))
    return base._replace(rejected=(*rejected, *fallback.rejected))
