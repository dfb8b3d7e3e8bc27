"""IANA's registry of URI schemes (RFC 4395 §5, now RFC 7595): the package's data, and functions to find schemes in it.

The data is read at first use. `linkfix.schemes.iana` writes the data from IANA's file, and reads newer files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, cast

from linkfix.comparison import distance
from linkfix.errors import check_str
from linkfix.schemes.uses import (
    DEFAULT_PORTS,
    HIERARCHICAL,
    RELATIVE,
    SPECIAL,
    UNREGISTERED,
    WITHOUT_HIERARCHY,
    Relative,
)

#: The status of a scheme (RFC 4395 §2, §3, §4).
Status: TypeAlias = Literal["permanent", "provisional", "historical"]

#: The data file, in this package.
DATA = "uri-schemes.tsv"
#: The day or month of the package's registry: "YYYY-MM" or "YYYY-MM-DD".
REGISTRY_DATE: str

#: The maximum length of a name to compare, in characters: the longest registered name has 36.
_LONGEST = 40
#: In names below this length, only a transposition counts as a typo: short names are close to too many other names.
_SHORT = 4
#: Names of at least this length may have two typos, shorter names one.
_LONG = 8


class Scheme(NamedTuple):
    """A registered scheme."""

    name: str
    """The name as registered. One name has capitals; schemes are case-insensitive (RFC 3986 §3.1)."""
    status: Status
    """"permanent", "provisional" or "historical"."""
    description: str = ""
    """The registry's description."""
    reference: str = ""
    """The documents that define the scheme, separated by "; ", such as "RFC 6068"; "" if there are none."""
    template: str = ""
    """The path of the registration template below https://www.iana.org/assignments/uri-schemes/, or ""."""
    well_known: str = ""
    """The document that defines well-known URIs (RFC 8615) for the scheme, or ""."""
    notes: str = ""
    """The registry's remarks, such as "OBSOLETE"."""

    @property
    def relative(self) -> Relative:
        """The use of relative references: "never", "always", "sometimes", or "" if no specification says."""
        return RELATIVE[self.name][0] if self.name in RELATIVE else ""

    @property
    def relative_section(self) -> str:
        """The section that states the value of `relative`, such as "RFC 1808 §2.3", or ""."""
        return RELATIVE[self.name][1] if self.name in RELATIVE else ""

    @property
    def hierarchical(self) -> bool | None:
        """Whether "//" and a host follow the colon; None if both are allowed, or if the syntax is not known here."""
        if self.name in HIERARCHICAL:
            return True
        return False if self.name in WITHOUT_HIERARCHY else None

    @property
    def special(self) -> bool:
        """Whether the scheme is a special scheme of the URL standard (§4.2)."""
        return self.name in SPECIAL

    @property
    def default_port(self) -> int | None:
        """The default port, by RFC 1738 or the URL standard; None if the scheme has none."""
        return DEFAULT_PORTS.get(self.name)


class Registry:
    """The registry at one date. Iteration yields its schemes in the registry's order."""

    def __init__(self, schemes: Iterable[Scheme], date: str, source: str) -> None:
        self.date = date
        """The date: "YYYY-MM" or "YYYY-MM-DD"; "" if it is not known."""
        self.source = source
        """The name of the file."""
        self._schemes = {scheme.name.lower(): scheme for scheme in schemes}

    def __len__(self) -> int:
        return len(self._schemes)

    def __iter__(self) -> Iterator[Scheme]:
        return iter(self._schemes.values())

    def lookup(self, name: str) -> Scheme | None:
        """The scheme with this name, case-insensitively (RFC 3986 §3.1), or None."""
        check_str("name", name)
        return self._schemes.get(name.lower()) if name.isascii() else None

    def search(self, words: str) -> list[Scheme]:
        """The schemes that contain every word in their name or description, the best matches first.

        Names that equal a word come first, then names that begin with a word, then names that contain a word.
        """
        check_str("words", words)
        wanted = words.lower().split()

        def rank(scheme: Scheme) -> int:
            name = scheme.name.lower()
            if name in wanted:
                return 0
            if name.startswith(tuple(wanted)):
                return 1
            return 2 if any(word in name for word in wanted) else 3

        return sorted((one for one in self if all(word in _text(one) for word in wanted)), key=rank)

    def near(self, name: str) -> str | None:
        """The scheme, registered or in use, that a misspelt name probably means, in lower case; None if none is near.

        The names differ by one typo, or by two if the name has 8 characters or more. Of several schemes, the result is
        the closest, then the most used. It is None for a known name, and never a historical scheme.
        """
        check_str("name", name)
        word = name.lower()
        if len(word) > _LONGEST or not word.isascii() or word in self._schemes or word in UNREGISTERED:
            return None
        nearest: str | None = None
        limit = 2 if len(word) >= _LONG else 1
        for other in self._in_use:
            typos = distance(word, other, limit)
            if typos <= limit and (len(word) >= _SHORT or sorted(word) == sorted(other)):
                nearest, limit = other, typos - 1
                if not limit:
                    break
        return nearest

    @cached_property
    def _in_use(self) -> tuple[str, ...]:
        """The names of all schemes that are not historical, the most used first."""
        by_status: dict[str, list[str]] = {"permanent": [], "provisional": [], "historical": []}
        for name, scheme in self._schemes.items():
            by_status[scheme.status].append(name)
        first = [*SPECIAL, *RELATIVE, *WITHOUT_HIERARCHY, *by_status["permanent"], *UNREGISTERED]
        historical = frozenset(by_status["historical"])
        return tuple(name for name in dict.fromkeys([*first, *by_status["provisional"]]) if name not in historical)


def _text(scheme: Scheme) -> str:
    return f"{scheme.name}\n{scheme.description}".lower()


@cache
def packaged_registry() -> Registry:
    """The package's registry."""
    from pkgutil import get_data  # few runs ask the registry

    data = get_data(__package__, DATA)
    assert data is not None  # noqa: S101 - the loader of a package can read its files
    lines = data.decode("utf-8").splitlines()
    about = dict(line[2:].split(": ", 1) for line in lines if line.startswith("# ") and ": " in line)
    rows = (line.split("\t") for line in lines if not line.startswith("#"))
    schemes = (Scheme(name, cast("Status", status), *rest) for name, status, *rest in rows)
    return Registry(schemes, about["date"], about["source"])


def lookup(name: str) -> Scheme | None:
    """The registered scheme with this name, case-insensitively, or None.

    >>> lookup("MAILTO").status, lookup("mailto").reference, lookup("mailto").relative
    ('permanent', 'RFC 6068', 'never')
    """
    return packaged_registry().lookup(name)


def search(words: str) -> list[Scheme]:
    """The registered schemes that contain all these words: see `Registry.search`.

    >>> [scheme.name for scheme in search("mail")]
    ['mailserver', 'mailto', 'ms-settings-emailandaccounts', 'mupdate']
    """
    return packaged_registry().search(words)


def near(name: str) -> str | None:
    """The scheme, registered or in use, that a misspelt name probably means, or None: see `Registry.near`.

    >>> near("htpp"), near("mialto"), near("http")
    ('http', 'mailto', None)
    """
    check_str("name", name)
    return _near(name)


@lru_cache(maxsize=1024)
def _near(name: str) -> str | None:
    return packaged_registry().near(name)


if not TYPE_CHECKING:  # otherwise a type checker would accept every misspelt name as a str

    def __getattr__(name: str) -> str:
        if name != "REGISTRY_DATE":
            message = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(message)
        return packaged_registry().date
