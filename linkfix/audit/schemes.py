"""What browsers have to do with schemes, which no registry says: those that they do not follow links with any more."""

from __future__ import annotations

from linkfix.schemes.registry import Scheme, lookup
from linkfix.schemes.uses import SPECIAL, UNREGISTERED

__all__ = ["given_up", "is_known"]

#: Registered otherwise or not at all.
_NOT_FOLLOWED = frozenset({"gopher", "livescript", "mocha", "vbscript", "view-source", "wyciwyg"})


def is_known(name: str) -> bool:
    """Whether a scheme is or was in use: registered or by custom. `name`: lower case.

    The registry is read only for names that browsers themselves do not have.
    """
    return name in SPECIAL or name in UNREGISTERED or name in _NOT_FOLLOWED or lookup(name) is not None


def given_up(name: str) -> str:
    """Why links should not have a scheme any more, said of it: "is …"; "" for one in use. `name`: lower case."""
    if name in SPECIAL or name in UNREGISTERED:
        return ""
    if name in _NOT_FOLLOWED:
        return "is one that browsers do not follow links with"
    scheme = lookup(name)
    return _withdrawn(scheme) if scheme else ""


def _withdrawn(scheme: Scheme) -> str:
    if scheme.status == "historical":
        return "is registered as historical"
    return "is registered as obsolete" if "OBSOLETE" in scheme.notes else ""
