"""Which BASE elements a page's Content-Security-Policy allows: the directive base-uri (CSP3 §6.3.1).

A policy comes with the response, or in a meta element of the head, for what follows it. Of its directives only base-uri
matters here. Report-Only policies block nothing (CSP3 §3.2), so they are not asked for. A URL has to match one source
expression of each policy's source list; an empty list, and `'none'` alone, match nothing (CSP3 §6.7.2.7).

Where Chromium, Firefox and WebKit all depart from the text, so does this: `*` matches ws and wss too, port 80 also 443
of a scheme that is its upgrade, an IPv4 address is a host like another, and a meta element counts in all of the head.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from linkfix.credentials import hide_passwords
from linkfix.lazy import lazy_pattern
from linkfix.model import Envelope
from linkfix.resolvers import RESOLVERS

__all__ = ["Policy", "blocking_policy", "header_policies", "inherited", "meta_policy"]

_WORD = lazy_pattern("[^\t\n\f\r ]+")
_SCHEME = "[A-Za-z][A-Za-z0-9+.-]*"
_LABEL = "[A-Za-z0-9-]+"
_PCHAR = r"(?:[A-Za-z0-9._~!$&'()*+=:@-]|%[0-9A-Fa-f]{2})"
#: CSP3 §2.3.1, "scheme-source" and "host-source".
_SCHEME_SOURCE = lazy_pattern(f"({_SCHEME}):")
_HOST_SOURCE = lazy_pattern(
    rf"(?:({_SCHEME})://)?(\*|(?:\*\.)?{_LABEL}(?:\.{_LABEL})*\.?)(?::([0-9]+|\*))?(/(?:{_PCHAR}+(?:/{_PCHAR}*)*)?)?"
)
#: The parts of a URL as the URL standard serializes it.
_URL = lazy_pattern(r"([a-z][a-z0-9+.-]*):(?://(?:[^/?#@]*@)?(\[[^\]]*\]|[^/?#:]*)(?::([0-9]+))?)?([^?#]*)")
_DEFAULT_PORTS = {"http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21"}
#: CSP3 §6.7.2.9: a scheme -> what else it matches.
_UPGRADES = {"http": {"https"}, "ws": {"wss", "http", "https"}, "wss": {"https"}}
_SHOWN = 100


class Policy(NamedTuple):
    """What a policy says of BASE. `str(policy)` shows it."""

    sources: tuple[str, ...]
    """The source list of its directive base-uri."""
    where: str
    """Where the policy was found, in words."""
    start: int = -1
    """Where the meta element begins that states it, in bytes of the document's data; -1 where it holds from the start
    of the document, or that is not known."""

    def __str__(self) -> str:
        text = hide_passwords(" ".join(("base-uri", *self.sources)))
        return f"{text[:_SHOWN]}{'…' * (len(text) > _SHOWN)}, {self.where}"


class _Url(NamedTuple):
    """The parts of a URL. `port`: "" for its scheme's default."""

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
    parsed = (meta_policy(serialized, where) for serialized in (value or "").split(","))
    return [policy for policy in parsed if policy is not None]


def meta_policy(serialized: str, where: str, start: int = -1) -> Policy | None:
    """The policy that a text states, as the content of a meta element does; None for one without base-uri.

    CSP3 §2.2.1. A list of policies is a matter of header fields: here a comma belongs to its source expression.
    """
    for directive in serialized.split(";"):
        words = _WORD.findall(directive) if directive.isascii() else []
        if words and words[0].lower() == "base-uri":
            return Policy(tuple(words[1:]), where, start)  # the first of a name counts
    return None


def inherited(envelope: Envelope, policies: Iterable[Policy]) -> list[Policy]:
    """The policies of a document, its response's and others, as a srcdoc document in it has them (HTML §7.1.6,
    "determine navigation params policy container").
    """
    around = " of the document around"
    every = [*header_policies(envelope.content_security_policy), *policies]
    return [one._replace(where=one.where.removesuffix(around) + around, start=-1) for one in every]


def blocking_policy(url: str, policies: Iterable[Policy], document_url: str | None) -> Policy | None:
    """The first policy that does not allow a base URL (CSP3 §6.3.1.1), None where all do.

    `document_url`: the URL that the document was retrieved from, whose origin is `'self'`. Where it is not known, any
    http or https origin may be that.

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
    if own is None:  # what the document's own origin would say is not known
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
