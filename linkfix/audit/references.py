"""What a reference is by its text, and what another reference in its place would mean. Rules share these questions."""

from __future__ import annotations

from typing import NamedTuple

from linkfix.audit.hosts import is_host
from linkfix.audit.rule import AuditedLink
from linkfix.audit.site import Destination
from linkfix.html.syntaxes.url import PLACEHOLDER
from linkfix.model import Link
from linkfix.resolvers import RESOLVERS
from linkfix.schemes.uses import SPECIAL
from linkfix.urls import scheme_of, strip_url

__all__ = [
    "HEAD",
    "MissingSlashes",
    "destination_of",
    "has_placeholder",
    "is_relative_path",
    "is_root_relative",
    "keeps_target",
    "missing_slashes_of",
    "special_scheme",
]

_WHATWG = RESOLVERS["whatwg"]
#: How many characters of a long reference are enough to tell what it is.
HEAD = 4096


def special_scheme(link: Link) -> str:
    """The special scheme (URL standard §3.1) whose rules for slashes and queries apply to a reference.

    It is the reference's own or the base's; "" where that is not special or there is none.
    """
    scheme = scheme_of(strip_url(link.reference[:HEAD])) or scheme_of(link.base or "") or ""
    return scheme if scheme in SPECIAL else ""


def is_relative_path(link: Link) -> bool:
    """Whether a reference is a relative one with a path or a query: no scheme, no host, not a fragment alone."""
    text = strip_url(link.reference[:HEAD])
    slashes = text[:2].replace("\\", "/")
    return bool(text) and scheme_of(text) is None and slashes != "//" and not text.startswith("#")


def is_root_relative(reference: str) -> bool:
    """Whether a reference begins with one slash."""
    return reference.startswith("/") and not reference.startswith("//")


def has_placeholder(link: Link) -> bool:
    """Whether a reference contains a template's placeholder."""
    return PLACEHOLDER.search(link.reference) is not None


def keeps_target(audited: AuditedLink, reference: str) -> bool:
    """Whether browsers resolve another reference in this place to the same target."""
    return audited.link.target is not None and _target(audited, reference) == audited.link.target


def destination_of(audited: AuditedLink, reference: str) -> Destination:
    """What the target of another reference in this place is in the tree."""
    return audited.page.site.destination(_target(audited, reference))


def _target(audited: AuditedLink, reference: str) -> str | None:
    return _WHATWG.resolve(audited.link.base, reference, audited.page.document.encoding.name).target


class MissingSlashes(NamedTuple):
    """A reference `scheme:rest` with fewer than two slashes, whose scheme has hosts."""

    scheme: str
    rest: str
    is_base_scheme: bool
    is_host: bool
    """Whether `rest` begins with what looks like a host."""


def missing_slashes_of(link: Link) -> MissingSlashes | None:
    """The parts of a reference that lacks slashes after its scheme; None where it lacks none."""
    scheme = scheme_of(strip_url(link.reference[:HEAD]))
    if scheme is None or scheme not in SPECIAL or scheme == "file" or link.problem is not None:
        return None
    rest = strip_url(link.reference)[len(scheme) + 1 :]
    if len(rest) - len(rest.lstrip("/\\")) >= len("//"):
        return None
    host, slash, _ = rest.lstrip("/\\").partition("/")
    is_base_scheme = (link.base or "").startswith(f"{scheme}:")
    return MissingSlashes(scheme, rest, is_base_scheme, is_host(host, is_followed=bool(slash)))
