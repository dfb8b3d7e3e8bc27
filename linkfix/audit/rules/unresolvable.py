"""The reference cannot be parsed as a URL.

Browsers do nothing with it. What is misspelt before the host is `misspelt-scheme`, a placeholder is
`template-syntax`, a base URL that nothing can be relative to is `no-base`.

Fails::

    <a href="http://[::1/">the bracket is not closed</a>

Fails::

    <a href="https://example.com:80a/">a port is a number</a>

Passes::

    <a href="http://[::1]/">there</a>
"""

from __future__ import annotations

import re
from ipaddress import AddressValueError, IPv4Address

from linkfix.audit.model import Hint, Level
from linkfix.audit.references import ReadingKind, is_path, reading
from linkfix.audit.rule import Issue, Seen
from linkfix.resolvers import RESOLVERS
from linkfix.urls import SCHEME, strip_url

__all__ = ["CODE", "LEVEL", "check_link"]

CODE = "LF301"
LEVEL = Level.ERROR

_AUTHORITY = re.compile(rf"(?:{SCHEME}:)?[/\\]{{2,}}([^/\\?#]*)")
#: URL standard §3.1, "forbidden domain code point", after percent-decoding; white space is told by itself.
_FORBIDDEN = re.compile(r"[\x00-\x1f<>\[\]^|%\x7f]")
_HIGHEST_PORT = 65535
_NUMBER = re.compile(r"[0-9]+|0[xX][0-9A-Fa-f]*")


def check_link(seen: Seen) -> Issue | None:
    """Report a reference that has no target because it, or its base, is no URL to resolve."""
    link = seen.link
    if link.problem != "unresolvable" or reading(seen).kind in {ReadingKind.MISSPELT, ReadingKind.SLASHED}:
        return None
    match = _AUTHORITY.match(strip_url(link.reference))
    if match is None:
        return None if is_path(link) else Issue("it is no URL: it has no host")
    return Issue(_fault(match[1].rpartition("@")[2]), _without_white_space(seen))


def _fault(host_and_port: str) -> str:
    """What is wrong with what stands between the slashes and the path."""
    host, colon, port = host_and_port.rpartition(":")
    if host_and_port.startswith("["):
        host, bracket, port = host_and_port.partition("]")
        if not bracket:
            return "it is no URL: the bracket of its IPv6 address is not closed"
        colon, port = port[:1], port[1:]
    if not colon:
        host, port = host_and_port, ""
    if colon and not (port.isascii() and (port.isdigit() or not port)):
        return "it is no URL: its port is not a number"
    if port and (len(port.lstrip("0")) > len(str(_HIGHEST_PORT)) or int(port) > _HIGHEST_PORT):
        return f"it is no URL: its port is above {_HIGHEST_PORT}"
    return f"it is no URL: {_host_fault(host)}"


def _host_fault(host: str) -> str:
    if not host:
        return "it has no host"
    if host.startswith("["):
        return "what stands in brackets is no IPv6 address"
    if any(map(str.isspace, host)):
        return "there is white space in its host"
    if _FORBIDDEN.search(host):
        return "its host has a character that no host can have"
    if _NUMBER.fullmatch(host.rstrip(".").rpartition(".")[2]) and not _is_ipv4(host):
        return "its host ends in a number and is no IPv4 address"
    return "its host is not a valid domain name"


def _is_ipv4(host: str) -> bool:
    try:
        IPv4Address(host)
    except AddressValueError:
        return False
    return True


def _without_white_space(seen: Seen) -> Hint | None:
    reference = "".join(seen.link.reference.split())
    if reference == seen.link.reference or RESOLVERS["whatwg"].resolve(seen.link.base, reference).target is None:
        return None
    return Hint("remove the white space", reference)
