"""Checks a URI by RFC 4395 §2.2: the syntax of `<absolute-URI>` (RFC 3986 §4.3), "//", "/" and dot segments."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator

from linkfix.registration.verdict import Verdict, by_severity
from linkfix.schemes.registry import Registry, packaged_registry
from linkfix.schemes.uses import SLASH_IN_SYNTAX, UNREGISTERED, WITHOUT_HIERARCHY
from linkfix.urls import SCHEME

__all__ = ["check_uri"]

#: RFC 3986 Appendix B.
_COMPONENTS = re.compile(r"(?:([^:/?#]*):)?(?://([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?", re.DOTALL)
_SCHEME = re.compile(rf"{SCHEME}\Z")
#: RFC 3986 §2.2, §2.3: any character that is not allowed in a URI.
_OTHER = re.compile(r"[^A-Za-z0-9._~!$&'()*+,;=:@/?#\[\]%-]")
_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_BRACKET = re.compile(r"[\[\]]")
_LITERAL = re.compile(r"\A([^:/?#]*://(?:[^/?#\[\]]*@)?)\[[^/?#\[\]]*\](?![^/?#]*@)")
_PORT = re.compile(r"[0-9]*\Z")
#: RFC 3986 §3.2.2, IPvFuture.
_FUTURE = re.compile(r"v[0-9A-Fa-f]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+\Z", re.IGNORECASE)
#: Schemes whose URIs name a host: RFC 9110 §4.2.1, RFC 6455 §3, RFC 1738 §3.2.
_HOSTED = frozenset({"http", "https", "ws", "wss", "ftp"})
_GRAMMAR = "RFC 3986 §4.3"
_STRUCTURE = "RFC 4395 §2.2"


def check_uri(uri: str, registry: Registry | None = None) -> tuple[Verdict, ...]:
    """Check that a URI matches `<absolute-URI>` and the structure of its scheme: errors, then warnings, then notes.

    The result is empty for a URI without faults. `registry` is used instead of the package's.

    >>> for verdict in check_uri("mailto://a@example.org"):
    ...     print(verdict)
    warning: '//' after 'mailto:', whose URIs are not hierarchical [uri-slashes] (RFC 4395 §2.2)
    """
    match = _COMPONENTS.match(uri)
    assert match is not None  # noqa: S101 - the expression matches every string
    scheme, authority, path, _query, fragment = match.groups()
    if scheme is None:
        return (Verdict("uri-relative", "error", f"{uri!r} has no scheme: a URI begins with one", _GRAMMAR),)
    if not _SCHEME.match(scheme):
        return (Verdict("uri-scheme", "error", f"{scheme!r} is not a scheme name", "RFC 3986 §3.1"),)
    return by_severity(
        [
            *_characters(uri),
            *_authority(scheme.lower(), authority),
            *_registration(scheme, registry or packaged_registry()),
            *_hierarchy(scheme.lower(), authority, path),
            *_fragment(fragment),
        ]
    )


def _characters(uri: str) -> Iterator[Verdict]:
    """The first character of each kind that is not allowed."""
    other = _OTHER.search(uri)
    if other:
        encoded = "".join(f"%{byte:02X}" for byte in other[0].encode("utf-8", "surrogatepass"))
        message = f"{other[0]!r} (character {other.start() + 1}) is not allowed in a URI: write {encoded}"
        yield Verdict("uri-character", "error", message, "RFC 3986 §2")
    percent = _PERCENT.search(uri)
    if percent:
        message = f"'%' (character {percent.start() + 1}) without two hexadecimal digits: a percent sign is written %25"
        yield Verdict("uri-percent", "error", message, "RFC 3986 §2.1")
    bracket = _BRACKET.search(_LITERAL.sub(r"\1", uri, count=1))
    if bracket:
        message = f"{bracket[0]!r} is allowed only around an IP address: write %{ord(bracket[0]):02X}"
        yield Verdict("uri-character", "error", message, "RFC 3986 §3.2.2")


def _authority(scheme: str, authority: str | None) -> Iterator[Verdict]:
    if not authority:
        if scheme in _HOSTED:
            yield Verdict("uri-host", "error", f"a {scheme!r} URI needs a host: {scheme}://host/", "RFC 3986 §3.2.2")
        return
    host, port = _host_and_port(authority.rpartition("@")[2])
    if not _PORT.match(port):
        yield Verdict("uri-port", "error", f"{port!r} is not a port number", "RFC 3986 §3.2.3")
    if host.startswith("[") and not _is_address(host):
        yield Verdict("uri-host", "error", f"{host!r} is not an IP address in brackets", "RFC 3986 §3.2.2")
    if not host and (scheme in _HOSTED or port or "@" in authority):
        yield Verdict("uri-host", "error", f"{authority!r} has no host", "RFC 3986 §3.2.2")


def _host_and_port(text: str) -> tuple[str, str]:
    if text.startswith("["):
        host, bracket, rest = text.partition("]")
        return (host + bracket, rest[1:]) if rest[:1] in {"", ":"} else (text, "")
    host, _, port = text.partition(":")
    return host, port


def _is_address(host: str) -> bool:
    inside = host[1:-1] if host.endswith("]") else ""
    if _FUTURE.match(inside):
        return True
    try:
        ipaddress.IPv6Address(inside)
    except ValueError:
        return False
    return "%" not in inside  # zone identifiers (RFC 6874) are obsolete


def _registration(scheme: str, registry: Registry) -> Iterator[Verdict]:
    found = registry.lookup(scheme)
    used = UNREGISTERED.get(scheme.lower())
    if found is None and used:
        message = f"{scheme.lower()!r} is in use without being registered: {used}"
        yield Verdict("uri-unregistered", "note", message, "RFC 4395 §3")
    elif found is None:
        other = registry.near(scheme)
        message = f"the scheme {scheme.lower()!r} is not registered" + (f": did you mean {other!r}?" if other else "")
        yield Verdict("uri-unregistered", "warning", message, "RFC 4395 §5.2")
    elif found.status == "historical":
        message = f"{found.name!r} is historical: no longer in common use, or not recommended"
        yield Verdict("uri-historical", "warning", message, "RFC 4395 §4")
    if scheme != scheme.lower():
        message = f"{scheme!r}: the canonical form is {scheme.lower()!r}"
        yield Verdict("uri-case", "note", message, "RFC 3986 §3.1")


def _hierarchy(scheme: str, authority: str | None, path: str) -> Iterator[Verdict]:
    dots = next((segment for segment in path.split("/") if segment in {".", ".."}), None)
    if scheme not in WITHOUT_HIERARCHY:
        if dots is not None:
            message = f"the segment {dots!r} is removed on resolution: other URIs are equivalent"
            yield Verdict("uri-dot-segment", "note", message, "RFC 3986 §5.2.4")
        return
    if authority is not None:
        message = f"'//' after '{scheme}:', whose URIs are not hierarchical"
        yield Verdict("uri-slashes", "warning", message, _STRUCTURE)
    if dots is not None:
        message = f"the segment {dots!r} in a scheme that has no relative references"
        yield Verdict("uri-dot-segment", "warning", message, _STRUCTURE)
    if "/" in path.removeprefix("/" if authority is not None else "") and scheme not in SLASH_IN_SYNTAX:
        message = "'/' in a scheme that has no relative references: write %2F"
        yield Verdict("uri-slash", "warning", message, _STRUCTURE)


def _fragment(fragment: str | None) -> Iterator[Verdict]:
    if fragment is not None:
        message = f"{fragment!r} is a fragment, which is not part of an <absolute-URI>"
        yield Verdict("uri-fragment", "note", message, _GRAMMAR)
