"""Checks of the names of URI schemes by RFC 4395 §2.8 and the registry (§3, §5.2), and of URIs."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from linkfix.errors import check_str
from linkfix.schemes.registry import Registry, packaged_registry
from linkfix.schemes.uses import SLASH_IN_SYNTAX, UNREGISTERED, WITHOUT_HIERARCHY
from linkfix.urls import SCHEME

# The result type shared by the checks of scheme names, URIs and registration templates.


Level = Literal["error", "warning", "note"]

"""The severity of a verdict."""

#: The levels, the most severe first.
LEVELS: tuple[Level, ...] = ("error", "warning", "note")


class Verdict(NamedTuple):
    """A fault of a scheme name, a URI or a registration template, or a note on it."""

    code: str
    """A key of `VERDICTS`."""
    level: Level
    """"error": a specification forbids it; "warning": a specification advises against it; "note": information."""
    message: str
    """One sentence with the finding and the advice."""
    section: str
    """The section that the verdict is based on, such as "RFC 4395 §2.8"."""
    line: int = 0
    """The line of a template, from 1; 0 if the verdict has no line."""

    def __str__(self) -> str:
        return f"{self.level}: {self.message} [{self.code}] ({self.section})"


#: A code -> its meaning. Codes are part of the public interface and never change their meaning.
VERDICTS: dict[str, str] = {
    # scheme names (`check_name`)
    "name-syntax": "not a scheme name",
    "name-registered": "a scheme with this name is registered",
    "name-case": "the name must be registered in lower case",
    "name-long": "the name is longer than 20 characters",
    "name-short": "the name is shorter than 3 characters",
    "name-general": "the name is overly general or grandiose",
    "name-taken": "the name belongs to another protocol or format",
    "name-mark": "the name contains a trade mark or service mark",
    "name-used": "the name is in use, but not registered",
    "name-near": "the name is easily confused with another",
    "name-private": "a private name, which begins with a reversed domain name",
    "name-experimental": "the prefix x- does not make a name private",
    "name-domain": "the domain name of a private name must be reversed",
    "name-rights": "rights to the name were not checked",
    # URIs (`check_uri`)
    "uri-relative": "the URI has no scheme",
    "uri-scheme": "the text before the colon is not a scheme name",
    "uri-character": "a character that is not allowed in a URI",
    "uri-percent": "a percent sign without two hexadecimal digits",
    "uri-host": "the host is missing or invalid",
    "uri-port": "the port is not a number",
    "uri-unregistered": "the scheme is not registered",
    "uri-historical": "the scheme is historical",
    "uri-case": "the scheme is not in lower case, its canonical form",
    "uri-slashes": "// in a URI of a scheme that is not hierarchical",
    "uri-slash": "/ in a URI of a scheme that is not hierarchical",
    "uri-dot-segment": "a dot segment (. or ..)",
    "uri-fragment": "a fragment, which is not part of an <absolute-URI>",
    # registration templates (`Template.validate`; on lines: `linkfix schemes template`)
    "template-empty": "the text contains no registration template",
    "field-missing": "a field of the template is missing",
    "field-empty": 'a field is empty, or has only a phrase such as "none"',
    "field-repeated": "a field is repeated",
    "field-unknown": "a field is not part of the form",
    "line-unknown": "a line looks like a field, but is read as text of the previous field",
    "text-before": "text before the first field; fields in it are not read",
    "field-moved": "fields that RFC 7595 moved from the form to the scheme's specification",
    "status-unknown": "the status is not permanent, provisional or historical",
    "status-unstated": "the form of RFC 2717 has no status",
    "security-none": "the security considerations have no analysis",
    "syntax-undefined": "the syntax has no grammar and no reference to one",
    "contact-unreachable": "a contact has no address",
    "references-incomplete": "cited documents are missing from the references",
    "specification-none": "no specification of the scheme is cited",
}


def by_severity(verdicts: Iterable[Verdict]) -> tuple[Verdict, ...]:
    """Sort verdicts, the most severe first."""
    return tuple(sorted(verdicts, key=lambda verdict: LEVELS.index(verdict.level)))


#: The maximum length of a "short" name, in characters: nine in ten permanent names have less than half this length.
LONG = 20

#: The minimum length of a "sufficiently descriptive and distinguished" name, in characters.
_SHORT = 3

_ALLOWED = re.compile(r"[A-Za-z0-9+.-]")

_PARTS = re.compile(r"[+.-]+")

#: Words that are "overly general or grandiose in scope", as a whole name or as part of a name.
_GENERAL = frozenset(
    """
    all any anything app application common data everything file general generic global id identifier info internet
    link local location locator main misc name net network object open page path pointer private protocol public ref
    reference resource scheme service site standard store test thing uniform unique universal uri url urn web world
    """.split()
)

#: Protocols and formats without a scheme of the same name: "associated with some other application or protocol".
_TAKEN = frozenset(
    """
    arp atom bgp dhcp dnssec ftps gif gre html icmp ike imaps ip ipsec ipv4 ipv6 jpeg json kerberos ldaps lmtp mime mqtt
    netbios nntps ntp ospf pdf pgp png pop3 pop3s ppp pptp quic radius rpc rss saml scp smtp smtps soap socks spdy spf
    ssl sql svg syslog tcp tls udp utf8 webdav webrtc wsdl xml yaml zip
    """.split()
)

#: Well-known trade marks and service marks; no list of marks is complete.
_MARKS = frozenset(
    """
    adobe airbnb amazon android apple bing bluetooth cisco cocacola disney dropbox ebay facebook fedex firefox github
    gmail google ibm ikea instagram intel java kodak lego linkedin linux mastercard mcdonalds microsoft mozilla netflix
    nike nintendo nokia nvidia oracle paypal pepsi pinterest playstation reddit samsung shell skype slack sony spotify
    steam tesla tiktok toyota twitter uber unix visa whatsapp wikipedia windows xerox yahoo youtube zoom
    """.split()
)

#: Top-level domains: the first labels of reversed domain names, and the last labels of other domain names.
_DOMAINS = frozenset({"com", "org", "net", "edu", "gov", "mil", "int", "info", "io", "dev", "app", "biz"})

_REVERSED = re.compile(r"([a-z]{2,})([.-])([a-z0-9]+)")

_FORWARD = re.compile(r"[a-z0-9.-]+([.-])([a-z]+)\Z")


def check_name(name: str, registry: Registry | None = None) -> tuple[Verdict, ...]:
    """Check a scheme name by RFC 4395: errors first, then warnings, then notes. The result is never empty.

    `name`: the scheme's name, without a colon. If it has a syntax error (RFC 3986 §3.1), nothing else is checked.
    `registry`: the registry to use instead of the package's.

    >>> for verdict in check_name("Htpp"):
    ...     print(verdict)
    error: 'Htpp' must be registered in lower case: 'htpp' [name-case] (RFC 4395 §2.8)
    warning: 'htpp' is easily confused with 'http' (permanent) [name-near] (RFC 4395 §1)
    note: rights to the name were not checked [name-rights] (RFC 4395 §2.8)
    """
    check_str("name", name)
    syntax = _syntax(name)
    if syntax:
        return (syntax,)
    lower = name.lower()
    chosen = registry or packaged_registry()
    found = [*_check_registration(name, chosen), *_case(name)]
    if chosen.lookup(lower) is None:
        for check in (_length, _scope, _private, _check_use, _rights):
            found += check(lower)
        found += _confusion(lower, chosen)
    return by_severity(found)


def _syntax(name: str) -> Verdict | None:
    section = "RFC 3986 §3.1"
    if not name:
        return Verdict("name-syntax", "error", "the name is empty: a scheme name has at least one letter", section)
    for at, character in enumerate(name, 1):
        if not _ALLOWED.match(character):
            fault = f"{name!r}: {character!r} (character {at}) is not allowed in a scheme name"
            return Verdict("name-syntax", "error", f"{fault}: use letters, digits, '+', '-' and '.'", section)
    if not name[0].isalpha():
        return Verdict("name-syntax", "error", f"{name!r}: a scheme name begins with a letter", section)
    return None


def _check_registration(name: str, registry: Registry) -> list[Verdict]:
    scheme = registry.lookup(name)
    if scheme is None:
        return []
    about = f"{scheme.name!r} is registered ({scheme.status}): {scheme.description or 'no description'}"
    reference = f", {scheme.reference}" if scheme.reference else ""
    return [Verdict("name-registered", "error", f"{about}{reference}: choose another name", "RFC 4395 §5.2")]


def _case(name: str) -> list[Verdict]:
    if name == name.lower():
        return []
    message = f"{name!r} must be registered in lower case: {name.lower()!r}"
    return [Verdict("name-case", "error", message, "RFC 4395 §2.8")]


def _length(name: str) -> list[Verdict]:
    if len(name) > LONG and not _is_reversed(name):
        message = f"{len(name)} characters: a name should be short"
        return [Verdict("name-long", "warning", message, "RFC 4395 §2.8")]
    if len(name) < _SHORT:
        message = f"{name!r} is too short to be descriptive"
        return [Verdict("name-short", "warning", message, "RFC 4395 §2.8")]
    return []


def _scope(name: str) -> list[Verdict]:
    found = []
    parts = _PARTS.split(name)
    general = [] if _is_reversed(name) else [part for part in parts if part in _GENERAL]
    if general:
        message = f"{general[0]!r} is very general: choose a name that describes the scheme"
        found.append(Verdict("name-general", "warning", message, "RFC 4395 §2.8"))
    if name in _TAKEN:
        message = f"{name!r} is the name of another protocol or format"
        found.append(Verdict("name-taken", "warning", message, "RFC 4395 §2.8"))
    marks = [part for part in parts if part in _MARKS]
    if marks and not _is_reversed(name):
        message = f"{marks[0]!r} is a trade mark or service mark: make sure that you may use it"
        found.append(Verdict("name-mark", "warning", message, "RFC 4395 §2.8"))
    return found


def _is_reversed(name: str) -> bool:
    match = _REVERSED.match(name)
    return match is not None and match[1] in _DOMAINS


def _private(name: str) -> list[Verdict]:
    match = _REVERSED.match(name)
    if match is not None and match[1] in _DOMAINS:
        message = f"a private name, for the owner of {match[3]}.{match[1]}"
        return [Verdict("name-private", "note", message, "RFC 4395 §2.8")]
    if name.startswith(("x-", "x.")):
        message = "'x-' does not make a name private: begin with your reversed domain name, as in com-example-info"
        return [Verdict("name-experimental", "warning", message, "RFC 7595 §3.8")]
    match = _FORWARD.match(name)
    if match is not None and match[2] in _DOMAINS:
        message = f"a domain name must be reversed: {match[1].join(reversed(name.split(match[1])))}"
        return [Verdict("name-domain", "warning", message, "RFC 4395 §2.8")]
    return []


def _check_use(name: str) -> list[Verdict]:
    if name not in UNREGISTERED:
        return []
    message = f"{name!r} is in use, but not registered: {UNREGISTERED[name]}"
    return [Verdict("name-used", "warning", message, "RFC 4395 §3")]


def _confusion(name: str, registry: Registry) -> list[Verdict]:
    other = registry.near(name)
    if other is None:
        return []
    scheme = registry.lookup(other)
    message = f"{name!r} is easily confused with {other!r} ({scheme.status if scheme else 'in use'})"
    return [Verdict("name-near", "warning", message, "RFC 4395 §1")]


def _rights(name: str) -> list[Verdict]:
    if _is_reversed(name):
        return []
    message = "rights to the name were not checked"
    return [Verdict("name-rights", "note", message, "RFC 4395 §2.8")]


# Checks of a URI by RFC 4395 §2.2: the syntax of `<absolute-URI>` (RFC 3986 §4.3), "//", "/" and dot segments.


#: RFC 3986 Appendix B.
_COMPONENTS = re.compile(r"(?:([^:/?#]*):)?(?://([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?", re.DOTALL)

_SCHEME = re.compile(rf"{SCHEME}\Z")

#: Any character that is not allowed in a URI (RFC 3986 §2.2, §2.3).
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

    The result is empty for a URI without faults. `registry`: the registry to use instead of the package's.

    >>> for verdict in check_uri("mailto://a@example.org"):
    ...     print(verdict)
    warning: '//' after 'mailto:', whose URIs are not hierarchical [uri-slashes] (RFC 4395 §2.2)
    """
    check_str("URI", uri)
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
    """Yield a verdict on the first character of each kind that is not allowed."""
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
        message = f"{scheme.lower()!r} is in use, but not registered: {used}"
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
