"""Checks the name of a URI scheme by RFC 4395 §2.8 and the registry (§3, §5.2)."""

from __future__ import annotations

import re

from linkfix.registration.verdict import Verdict, by_severity
from linkfix.schemes.registry import Registry, packaged_registry
from linkfix.schemes.uses import UNREGISTERED

__all__ = ["LONG", "check_name"]

#: A longer name is not "short": nine in ten of the permanent names have less than half as many characters.
LONG = 20
#: A shorter name is hardly "sufficiently descriptive and distinguished".
_SHORT = 3

_ALLOWED = re.compile(r"[A-Za-z0-9+.-]")
_PARTS = re.compile(r"[+.-]+")
#: "overly general or grandiose in scope": as the whole name or as one part of it.
_GENERAL = frozenset(
    """
    all any anything app application common data everything file general generic global id identifier info internet
    link local location locator main misc name net network object open page path pointer private protocol public ref
    reference resource scheme service site standard store test thing uniform unique universal uri url urn web world
    """.split()  # noqa: SIM905 - a paragraph of words reads better than a list
)
#: Protocols and formats without a scheme of the same name: "associated with some other application or protocol".
_TAKEN = frozenset(
    """
    arp atom bgp dhcp dnssec ftps gif gre html icmp ike imaps ip ipsec ipv4 ipv6 jpeg json kerberos ldaps lmtp mime mqtt
    netbios nntps ntp ospf pdf pgp png pop3 pop3s ppp pptp quic radius rpc rss saml scp smtp smtps soap socks spdy spf
    ssl sql svg syslog tcp tls udp utf8 webdav webrtc wsdl xml yaml zip
    """.split()  # noqa: SIM905
)
#: Well-known marks; no list of marks is complete.
_MARKS = frozenset(
    """
    adobe airbnb amazon android apple bing bluetooth cisco cocacola disney dropbox ebay facebook fedex firefox github
    gmail google ibm ikea instagram intel java kodak lego linkedin linux mastercard mcdonalds microsoft mozilla netflix
    nike nintendo nokia nvidia oracle paypal pepsi pinterest playstation reddit samsung shell skype slack sony spotify
    steam tesla tiktok toyota twitter uber unix visa whatsapp wikipedia windows xerox yahoo youtube zoom
    """.split()  # noqa: SIM905
)
#: The labels that reversed domain names begin with, and other domain names end with.
_DOMAINS = frozenset({"com", "org", "net", "edu", "gov", "mil", "int", "info", "io", "dev", "app", "biz"})
_REVERSED = re.compile(r"([a-z]{2,})([.-])([a-z0-9]+)")
_FORWARD = re.compile(r"[a-z0-9.-]+([.-])([a-z]+)\Z")


def check_name(name: str, registry: Registry | None = None) -> tuple[Verdict, ...]:
    """Check a scheme name by RFC 4395: errors first, then warnings, then notes. The result is never empty.

    `name` has no colon. Of a name with a syntax error (RFC 3986 §3.1) nothing else is checked. `registry` is used
    instead of the package's.

    >>> for verdict in check_name("Htpp"):
    ...     print(verdict)
    error: 'Htpp' must be registered in lower case: 'htpp' [name-case] (RFC 4395 §2.8)
    warning: 'htpp' is easily confused with 'http' (permanent) [name-near] (RFC 4395 §1)
    note: rights to the name were not checked [name-rights] (RFC 4395 §2.8)
    """
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
            what = f"{name!r}: {character!r} (character {at}) is not allowed in a scheme name"
            return Verdict("name-syntax", "error", f"{what}: use letters, digits, '+', '-' and '.'", section)
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
    message = f"{name!r} is in use without being registered: {UNREGISTERED[name]}"
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
