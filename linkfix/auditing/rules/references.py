"""LF301 to LF303, LF307 to LF309, LF312 and LF313: references that programs read differently than intended."""

from __future__ import annotations

import re
from collections import defaultdict
from ipaddress import AddressValueError, IPv4Address

from linkfix.auditing.interpretation import (
    InterpretationKind,
    destination_of,
    excess_dots,
    has_placeholder,
    interpretation,
    is_relative_path,
    keeps_target,
    missing_slashes_of,
)
from linkfix.auditing.model import FindingLevel, Hint
from linkfix.auditing.rule import AuditedLink, Issue, containing, link_rule
from linkfix.auditing.site import DestinationKind
from linkfix.display import pluralize
from linkfix.lazy import lazy_pattern
from linkfix.resolvers import RESOLVERS
from linkfix.urls import strip_url

_AUTHORITY = lazy_pattern(r"(?:[A-Za-z][A-Za-z0-9+.\-]*:)?[/\\]{2,}([^/\\?#]*)")
#: The forbidden domain code points (URL standard §3.1) after percent-decoding. White space has its own message.
_FORBIDDEN = lazy_pattern(r"[\x00-\x1f<>\[\]^|%\x7f]")
_HIGHEST_PORT = 65535
_NUMBER = lazy_pattern(r"[0-9]+|0[xX][0-9A-Fa-f]*")


@link_rule("LF301", FindingLevel.ERROR, concerns=lambda link: link.problem == "unresolvable")
def unresolvable(audited: AuditedLink) -> Issue | None:
    """The reference cannot be parsed as a URL.

    Browsers ignore it. Other rules report a misspelling before the host (`misspelt-scheme`), a placeholder
    (`template-syntax`), and a base URL to which no reference can be relative (`no-base`).

    Fails::

        <a href="http://[::1/">the bracket is not closed</a>

    Fails::

        <a href="https://example.com:80a/">a port is a number</a>

    Passes::

        <a href="http://[::1]/">there</a>
    """
    link = audited.link
    if link.problem != "unresolvable":
        return None
    if interpretation(audited).kind in {InterpretationKind.MISSPELLED, InterpretationKind.SLASHED}:
        return None
    match = _AUTHORITY.match(strip_url(link.reference))
    if match is None:
        return None if is_relative_path(link) else Issue("not a URL: it has no host")
    return Issue(_authority_fault(match[1].rpartition("@")[2]), _without_white_space(audited))


def _authority_fault(host_and_port: str) -> str:
    """The fault of a host and its port, as a clause."""
    host, colon, port = host_and_port.rpartition(":")
    if host_and_port.startswith("["):
        host, bracket, port = host_and_port.partition("]")
        if not bracket:
            return "not a URL: the bracket of the IPv6 address is not closed"
        colon, port = port[:1], port[1:]
    if not colon:
        host, port = host_and_port, ""
    if colon and not (port.isascii() and (port.isdigit() or not port)):
        return "not a URL: the port is not a number"
    if port and (len(port.lstrip("0")) > len(str(_HIGHEST_PORT)) or int(port) > _HIGHEST_PORT):
        return f"not a URL: the port is above {_HIGHEST_PORT}"
    return f"not a URL: {_host_fault(host)}"


def _host_fault(host: str) -> str:
    if not host:
        return "it has no host"
    if host.startswith("["):
        return "the text in brackets is not an IPv6 address"
    if any(map(str.isspace, host)):
        return "the host contains white space"
    if _FORBIDDEN.search(host):
        return "the host contains a forbidden character"
    if _NUMBER.fullmatch(host.rstrip(".").rpartition(".")[2]) and not _is_ipv4(host):
        return "the host ends in a number, but is not an IPv4 address"
    return "the host is not a valid domain name"


def _is_ipv4(host: str) -> bool:
    try:
        IPv4Address(host)
    except AddressValueError:
        return False
    return True


def _without_white_space(audited: AuditedLink) -> Hint | None:
    link = audited.link
    reference = "".join(link.reference.split())
    if reference == link.reference or RESOLVERS["whatwg"].resolve(link.base, reference).target is None:
        return None
    return Hint("remove the white space", reference)


@link_rule("LF302", FindingLevel.WARNING, concerns=containing(":"))
def same_scheme_relative(audited: AuditedLink) -> Issue | None:
    """The reference has the base's scheme and no host.

    If the base is https too, browsers read `https:page.html` as relative, for backwards compatibility. By RFC 3986
    §5.2.2, it is an absolute URL without a host. If the base has another scheme, the rule is `missing-slashes`.

    Fails::

        <a href="https:other.html">relative only in browsers</a>

    Passes::

        <a href="other.html">relative everywhere</a>

    Passes::

        <a href="http:other.html">another scheme than the base's</a>
    """
    found = missing_slashes_of(audited.link)
    if found is None or not found.is_base_scheme or interpretation(audited).kind is not InterpretationKind.SCHEME:
        return None
    rest = found.rest or "#"
    kind = audited.destination.kind
    if kind in {DestinationKind.MISSING, DestinationKind.OUTSIDE} and found.is_host:
        hint = Hint("if it is a host, write the slashes", found.scheme + "://" + rest.lstrip("/\\"))
    else:
        certain = kind is DestinationKind.FILE and keeps_target(audited, rest)
        hint = Hint("remove the scheme", rest, certain)
    return Issue(f"browsers read this as relative, RFC 3986 as an absolute {found.scheme}: URL without a host", hint)


@link_rule("LF303", FindingLevel.WARNING, concerns=containing(":"))
def colon_in_first_segment(audited: AuditedLink) -> Issue | None:
    """A file name or a host is read as a scheme.

    The text before the first colon of a reference is its scheme, so a relative path cannot have a colon in its first
    segment (RFC 3986 §4.2). Write `./` before the path. For a drive (`C:`), the rule is `local-file`. Other unknown
    schemes are `unknown-scheme` or `misspelt-scheme`.

    Fails::

        <a href="chapter1:intro.html">a file</a>

    Fails::

        <a href="localhost:8000/x">a host with a port</a>

    Passes::

        <a href="./chapter1:intro.html">a file</a>

    Passes::

        <a href="folder/a:b.html">not in the first segment</a>
    """
    kind, scheme, intended = interpretation(audited)
    if kind is InterpretationKind.HOST_PORT:
        return Issue(
            "a host with a port is read as a scheme with a path", Hint("write the scheme before the host", intended)
        )
    if kind is not InterpretationKind.COLON or intended is None:
        return None
    hint = Hint("write ./ before it", intended, destination_of(audited, intended).kind is DestinationKind.FILE)
    if scheme:
        return Issue("the text before the colon is read as a scheme", hint)
    return Issue("the first segment has a colon: browsers read it as a path, but RFC 3986 forbids it", hint)


#: The parts of an authority: the text before the user information, the user information, and the host after it.
_USERINFO = lazy_pattern(r"((?:[A-Za-z][A-Za-z0-9+.\-]*:)?[/\\]{2,})([^/\\?#]*)@([^/\\?#@]*)")


@link_rule("LF307", FindingLevel.WARNING, concerns=containing("@"))
def credentials(audited: AuditedLink) -> Issue | None:
    """The reference contains a password.

    Everybody who reads the page can read the password, and so can every program that handles the reference (RFC 3986
    §3.2.1, §7.5). Browsers show a warning or ignore it. A user name without a password is not reported.

    Fails::

        <a href="https://user:secret@elsewhere.example/">with a password</a>

    Passes::

        <a href="ftp://anonymous@elsewhere.example/">without</a>
    """
    if "@" not in audited.link.reference or has_placeholder(audited.link):
        return None
    text = strip_url(audited.link.reference)
    match = _USERINFO.match(text)
    if match is None or not match[2].partition(":")[2]:
        return None
    # The message and the cause must not contain the password.
    return Issue(
        "the reference contains a password that every reader of the page can see",
        Hint("remove the user information, and change the password", match[1] + match[3] + text[match.end() :]),
        cause=f"a password for {match[3] or 'no host'}",
    )


@link_rule("LF308", FindingLevel.ERROR, concerns=lambda link: link.kind is DestinationKind.MISSING)
def abbreviated_reference(audited: AuditedLink) -> Issue | None:
    """The reference is a host without "https://" before it.

    People read `www.example.com/x` as a URL. Browsers read it as the name of a file beside the page (RFC 2396 Appendix
    F). The rule reports only names that the site does not have. With a port, it is `colon-in-first-segment`.

    Fails::

        <a href="www.example.com/x">no scheme</a>

    Passes::

        <a href="https://www.example.com/x">a scheme</a>

    Passes::

        <a href="other.html">a file</a>
    """
    kind, _, intended = interpretation(audited)
    if kind is not InterpretationKind.ABBREVIATED:
        return None
    message = "a host without a scheme is read as a file name, and the site has no such file"
    return Issue(message, Hint("write the scheme", intended))


@link_rule("LF309", FindingLevel.ERROR, concerns=lambda link: link.kind is DestinationKind.MISSING)
def mail_without_scheme(audited: AuditedLink) -> Issue | None:
    """The hyperlink is a mail address without "mailto:" before it.

    Browsers read it as the name of a file beside the page. The rule reports only names that the site does not have.

    Fails::

        <a href="someone@example.com">write</a>

    Passes::

        <a href="mailto:someone@example.com">write</a>

    Passes::

        <a href="img@2x.png">a file</a>
    """
    kind, _, intended = interpretation(audited)
    if kind is not InterpretationKind.MAIL:
        return None
    message = "a mail address without mailto: is read as a file name, and the site has no such file"
    return Issue(message, Hint("write mailto: before it", intended, "?" not in audited.link.reference))


#: The standards. Fielding's proposal of 1994 was no standard: if only its target differs, nothing is reported.
_STANDARDS = frozenset({"rfc1808", "rfc2396", "rfc3986", "whatwg"})
#: References on which the standards may disagree: with a query, parameters or percent-encoded dots. On all others they
#: agree, apart from normal forms and mistakes that other rules report.
_AMBIGUOUS = lazy_pattern(r"[^?#;]*[?;]|[^?#]*%2e", re.IGNORECASE)
_LAST_SEGMENT = lazy_pattern(r"[^?#]*/([^/?#]*)")


@link_rule("LF312", FindingLevel.NOTE, concerns=containing("?", ";", "%"))
def ambiguous_reference(audited: AuditedLink) -> Issue | None:
    """The standards resolve the reference to different targets.

    RFC 1808, RFC 2396, RFC 3986 and the URL standard disagree on it, so older programs and browsers find different
    targets. The best-known example is `?x`: RFC 2396 appends it to the folder, the other standards to the page. The
    rule does not report different normal forms of one target. Other rules report `same-scheme-relative`, `above-root`,
    `backslash` and `colon-in-first-segment`.

    Fails::

        <a href="?x">a query alone</a>

    Fails::

        <a href=";x">parameters alone</a>

    Passes::

        <a href="page.html?x">a path</a>

    Passes::

        <a href="../docs/./other.html">normal forms of one target</a>
    """
    link = audited.link
    if link.problem or link.base is None or not _AMBIGUOUS.match(link.reference) or not is_relative_path(link):
        return None
    if interpretation(audited).kind is not InterpretationKind.PATH or "\\" in link.reference:
        return None
    targets = _targets(audited, strip_url(link.reference))
    if sum(not _STANDARDS.isdisjoint(names) for names in targets.values()) <= 1:
        return None
    root = audited.page.site.url
    parts = [f"{', '.join(names)}: {url.removeprefix(root) or '/'}" for url, names in targets.items()]
    return Issue(f"the target depends on the standard ({'; '.join(parts)})", _unambiguous(audited))


def _targets(audited: AuditedLink, reference: str) -> dict[str, list[str]]:
    """Target in one normal form, without fragment and empty query -> the names of the resolvers with this target."""
    encoding = audited.page.document.encoding.name
    found: dict[str, list[str]] = defaultdict(list)
    for name, resolver in RESOLVERS.items():
        target = resolver.resolve(audited.link.base, reference, encoding).target
        normal = RESOLVERS["whatwg"].resolve(None, target, encoding).target if target else None
        if normal is not None:
            found[normal.partition("#")[0].removesuffix("?")].append(name)
    return found


def _unambiguous(audited: AuditedLink) -> Hint | None:
    """A hint at another reference to the target in browsers, on which all standards agree; None for none."""
    link = audited.link
    reference = strip_url(link.reference)
    last = _LAST_SEGMENT.match(link.base or "")
    wanted = (link.target or "").partition("#")[0].removesuffix("?")
    for other in (f"{last[1]}{reference}" if last else "", f"./{reference}"):
        if other and list(_targets(audited, other)) == [wanted]:
            return Hint("write the whole path, as browsers read it", other, certain=True)
    return None


@link_rule("LF313", FindingLevel.WARNING, concerns=containing("..", "%", "\t", "\n", "\r"))
def above_root(audited: AuditedLink) -> Issue | None:
    """The reference has ".." segments above the root of its base URL.

    It has more ".." segments than the base URL has folders. Browsers drop the extra segments (URL standard §4.4, path
    state). RFC 2396 §5.2 step 6g also allows programs to keep them or to report an error. Usually the page was moved,
    or was written for another folder.

    Fails::

        <a href="../../index.html">two folders up from the first</a>

    Passes::

        <a href="../docs/other.html">one</a>
    """
    if audited.destination.kind in {DestinationKind.MISSING, DestinationKind.AROUND}:  # already reported, or correct
        return None
    excess = excess_dots(audited.link)
    if excess is None:
        return None
    hint = None
    if keeps_target(audited, excess.without):
        is_file = audited.destination.kind is DestinationKind.FILE
        # If a tree's place on its host is not known, the tree may be deeper in it.
        certain = is_file and audited.page.site.known and audited.page.document.kind != "markdown"
        hint = Hint("remove what browsers drop" if is_file else "browsers read it like this", excess.without, certain)
    return Issue(f'its ".." go {pluralize(excess.number, "folder")} above the root: browsers stay at the root', hint)
