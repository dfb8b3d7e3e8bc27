"""Hosts that the public cannot reach: the reader's own computer, addresses of private networks, reserved names."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from ipaddress import AddressValueError, IPv4Address, IPv6Address, ip_network
from typing import NamedTuple

from linkfix.errors import InvalidOption
from linkfix.lazy import lazy_pattern

#: The scheme, the host and the port of a URL as the URL parser writes it (URL standard §4.5).
_HOST = lazy_pattern(r"(?:https?|wss?|ftp)://(?:[^/?#@]*@)?(\[[^\]/?#]*\]|[^/?#:]+)(?::([0-9]+))?(?=[/?#]|\Z)")

_OWN = "is the computer of whoever follows the link"

#: The ends of names that no public host has -> the reason in `PrivateHost`.
_NAMES = {
    "localhost": _OWN,  # RFC 6761 §6.3
    "local": "has a name of local networks (.local)",  # RFC 6762 §3
    "home.arpa": "has a name of home networks (.home.arpa)",  # RFC 8375
    "internal": "has a name of private networks (.internal)",  # ICANN board, resolution 2024.07.29.06
    "test": "has a name for tests, which no public host has (.test)",  # RFC 6761 §6.2
    "invalid": "has a name that no host has (.invalid)",  # RFC 6761 §6.4
}

#: The last labels of such names, sorted; and the number of labels at most.
PRIVATE_LABELS = tuple(sorted({name.rpartition(".")[2] for name in _NAMES}))

_LABELS = 2

#: Reserved for documents (RFC 6761 §6.5): nobody takes it for a host.
_EXAMPLE = "example"

_PRIVATE = "is in a private network"

_LINK = "is on the reader's own link"

#: Networks of addresses -> the reason. Addresses for documents (RFC 5737, RFC 3849) are left out.
_NETWORKS = {
    ip_network(network): reason
    for network, reason in (
        ("127.0.0.0/8", _OWN),
        ("0.0.0.0/8", _OWN),  # RFC 1122 §3.2.1.3: "this host"
        ("10.0.0.0/8", _PRIVATE),  # RFC 1918 §3
        ("172.16.0.0/12", _PRIVATE),
        ("192.168.0.0/16", _PRIVATE),
        ("100.64.0.0/10", _PRIVATE),  # RFC 6598
        ("169.254.0.0/16", _LINK),  # RFC 3927
        ("::1/128", _OWN),
        ("::/128", _OWN),
        ("fc00::/7", _PRIVATE),  # RFC 4193
        ("fe80::/10", _LINK),  # RFC 4291 §2.5.6
    )
}

#: A name without a dot, in Punycode or not.
_SINGLE = lazy_pattern(r"[a-z0-9_-]+")


class PrivateHost(NamedTuple):
    """A host that the public cannot reach."""

    host: str
    """The host as in the URL, without a final dot; an IPv6 address has brackets."""
    port: str
    """The port; "" for the scheme's own."""
    reason: str
    """The reason, as the end of a clause that begins with "the host"."""

    @property
    def place(self) -> str:
        """The host and its port."""
        return f"{self.host}:{self.port}" if self.port else self.host

    @property
    def is_own_computer(self) -> bool:
        """Whether the host is the computer of whoever follows the link."""
        return self.reason == _OWN


@lru_cache(maxsize=1024)  # sites repeat few hosts, and ask for each of their other references
def private_host(origin: str) -> PrivateHost | None:
    """The private host of a URL's origin; None for a host that the public may reach, and for other schemes.

    >>> private_host("http://localhost:3000").place, private_host("http://example.com/")
    ('localhost:3000', None)
    """
    match = _HOST.match(origin)
    if match is None:
        return None
    host = match[1].rstrip(".")
    reason = _of_address(host)
    if reason is None:
        reason = _of_name(host)
    return PrivateHost(host, match[2] or "", reason) if reason else None


def private_host_of(target: str | None) -> PrivateHost | None:
    """The private host of a target; None for any other target."""
    return private_host("/".join(target.split("/", 3)[:3])) if target else None


def _of_address(host: str) -> str | None:
    """The reason that a host with an address is private; "" for a public address, and None for a name."""
    try:
        address = IPv6Address(host[1:-1]) if host.startswith("[") else IPv4Address(host)
    except AddressValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return next((reason for network, reason in _NETWORKS.items() if address in network), "")


def _of_name(host: str) -> str:
    """The reason that a host with a name is private; "" for a name that the public may know."""
    labels = host.split(".")
    if labels[-1] in PRIVATE_LABELS:
        for number in range(1, _LABELS + 1):
            if reason := _NAMES.get(".".join(labels[-number:])):
                return reason
    is_single = len(labels) == 1 and host != _EXAMPLE and _SINGLE.fullmatch(host)
    return "has a name without a dot, which only a local network knows" if is_single else ""


#: The largest port (RFC 9293 §3.1).
_LAST_PORT = 65_535

#: An entry of `AllowedHosts`: perhaps "*.", then a name or an address, perhaps with a port.
_ENTRY = lazy_pattern(r"(\*\.)?(\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?)(?::([0-9]{1,5}))?")


class AllowedHosts:
    """The hosts of `--allow-host`, to which a site may refer. Raises InvalidOption for an entry that is no host.

    An entry is a host with any port, or a host and a port. `*.` at its beginning stands for all names below a name.

    >>> allowed = AllowedHosts(["localhost:3000", "*.local"])
    >>> [allowed.has(private_host(url)) for url in ("http://localhost:3000", "http://localhost", "http://a.local:80")]
    [True, False, True]
    """

    def __init__(self, entries: Iterable[str] = ()) -> None:
        self._entries: list[tuple[str, str, str]] = []
        for entry in entries:
            match = _ENTRY.fullmatch(entry.lower())
            if match is None or int(match[3] or 0) > _LAST_PORT:
                message = f"allow-host {entry!r}: not a host: write for example 'localhost:3000' or '*.local'"
                raise InvalidOption(message)
            self._entries.append((match[1] or "", match[2], match[3] or ""))

    def __bool__(self) -> bool:
        return bool(self._entries)

    def has(self, private: PrivateHost | None) -> bool:
        """Whether a host is allowed."""
        if private is None:
            return False
        host, port, _ = private
        return any(
            (host.endswith(f".{name}") if below else host == name) and wanted in {"", port}
            for below, name, wanted in self._entries
        )
