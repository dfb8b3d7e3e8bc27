"""IANA's registry of URI schemes (RFC 4395 §5, now RFC 7595): the data of the package, and finding schemes in it.

The data is read when it is first asked for. `linkfix.registration.iana` makes it from IANA's file, and reads newer ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, cached_property, lru_cache
from pkgutil import get_data
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, cast

from linkfix.edit_distance import distance
from linkfix.schemes.uses import (
    DEFAULT_PORTS,
    HIERARCHICAL,
    RELATIVE,
    SPECIAL,
    UNREGISTERED,
    WITHOUT_HIERARCHY,
    Relative,
)

__all__ = ["DATA", "REGISTRY_DATE", "Registry", "Scheme", "Status", "lookup", "near", "packaged", "search"]

#: RFC 4395 §2, §3, §4.
Status: TypeAlias = Literal["permanent", "provisional", "historical"]

#: The data's file, in this package.
DATA = "uri-schemes.tsv"
#: Of what day or month the registry is that the package has: "YYYY-MM" or "YYYY-MM-DD".
REGISTRY_DATE: str

#: No name is compared that is longer: the longest registered one has 36 characters.
_LONGEST = 40
#: In a name of fewer characters only a change of their order is a slip: such names are near to too many others.
_SHORT = 4
#: In a name of so many characters there may be two slips, in others one.
_LONG = 8


class Scheme(NamedTuple):
    """A registered scheme.

    `name` as it is registered (one has capitals, which mean nothing: RFC 3986 §3.1). `reference`: documents, with "; "
    between them, such as "RFC 6068"; "" where the registry has none. `template`: the path of its registration template
    below https://www.iana.org/assignments/uri-schemes/, or "". `well_known`: the document that says that it has
    well-known URIs (RFC 8615), or "". `notes`: the registry's remarks, such as "OBSOLETE".
    """

    name: str
    status: Status
    description: str = ""
    reference: str = ""
    template: str = ""
    well_known: str = ""
    notes: str = ""

    @property
    def relative(self) -> Relative:
        """Its use with relative references, in the words of `linkfix.schemes.uses.Relative`."""
        return RELATIVE[self.name][0] if self.name in RELATIVE else ""

    @property
    def relative_section(self) -> str:
        """Where that is said, such as "RFC 1808 §2.3"; "" where no text says it."""
        return RELATIVE[self.name][1] if self.name in RELATIVE else ""

    @property
    def hierarchical(self) -> bool | None:
        """Whether "//" and a host follow the colon; None where its syntax allows both or none is known here."""
        if self.name in HIERARCHICAL:
            return True
        return False if self.name in WITHOUT_HIERARCHY else None

    @property
    def special(self) -> bool:
        """Whether browsers parse its URLs by the rules of special schemes (URL standard §4.2)."""
        return self.name in SPECIAL

    @property
    def default_port(self) -> int | None:
        """The port of a URL without one, by RFC 1738 or the URL standard; None for none."""
        return DEFAULT_PORTS.get(self.name)


class Registry:
    """The registry of one day. `date`: "YYYY-MM", "YYYY-MM-DD" or "" where that is not known; `source`: a file's name.

    Iterating gives its schemes in its order.
    """

    def __init__(self, schemes: Iterable[Scheme], date: str, source: str) -> None:
        self.date = date
        self.source = source
        self._schemes = {scheme.name.lower(): scheme for scheme in schemes}

    def __len__(self) -> int:
        return len(self._schemes)

    def __iter__(self) -> Iterator[Scheme]:
        return iter(self._schemes.values())

    def lookup(self, name: str) -> Scheme | None:
        """The scheme of that name, upper or lower case (RFC 3986 §3.1), or None. No name has others than ASCII."""
        return self._schemes.get(name.lower()) if name.isascii() else None

    def search(self, words: str) -> list[Scheme]:
        """The schemes that have every one of `words`, or a part of it, in name or description; the nearest first.

        A word that is a name comes before one that a name begins with, that it has, and that only a description has.
        """
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
        """The name, lower case, that was meant by one that is not known: of a scheme that is registered or in use.

        One slip away, in names of 8 characters or more two; the nearest, and of those the most used. Nothing is near to
        a name that is known, and no historical one is meant.
        """
        word = name.lower()
        if len(word) > _LONGEST or not word.isascii() or word in self._schemes or word in UNREGISTERED:
            return None
        nearest: str | None = None
        limit = 2 if len(word) >= _LONG else 1
        for other in self._in_use:
            slips = distance(word, other, limit)
            if slips <= limit and (len(word) >= _SHORT or sorted(word) == sorted(other)):
                nearest, limit = other, slips - 1
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
        given_up = frozenset(by_status["historical"])
        return tuple(name for name in dict.fromkeys([*first, *by_status["provisional"]]) if name not in given_up)


def _text(scheme: Scheme) -> str:
    return f"{scheme.name}\n{scheme.description}".lower()


@cache
def packaged() -> Registry:
    """The registry that the package has."""
    data = get_data(__package__, DATA)
    assert data is not None  # noqa: S101 - the package's loader can read files
    lines = data.decode("utf-8").splitlines()
    about = dict(line[2:].split(": ", 1) for line in lines if line.startswith("# ") and ": " in line)
    rows = (line.split("\t") for line in lines if not line.startswith("#"))
    schemes = (Scheme(name, cast("Status", status), *rest) for name, status, *rest in rows)
    return Registry(schemes, about["date"], about["source"])


def lookup(name: str) -> Scheme | None:
    """The registered scheme of that name, upper or lower case, or None.

    >>> lookup("MAILTO").status, lookup("mailto").reference, lookup("mailto").relative
    ('permanent', 'RFC 6068', 'never')
    """
    return packaged().lookup(name)


def search(words: str) -> list[Scheme]:
    """The registered schemes that have all these words, see `Registry.search`.

    >>> [scheme.name for scheme in search("mail")]
    ['mailserver', 'mailto', 'ms-settings-emailandaccounts', 'mupdate']
    """
    return packaged().search(words)


@lru_cache(maxsize=1024)
def near(name: str) -> str | None:
    """The name of a scheme, registered or in use, that was probably meant, see `Registry.near`; None for none.

    >>> near("htpp"), near("mialto"), near("http")
    ('http', 'mailto', None)
    """
    return packaged().near(name)


if not TYPE_CHECKING:  # a type checker would take every misspelt name for a str

    def __getattr__(name: str) -> str:
        if name != "REGISTRY_DATE":
            message = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(message)
        return packaged().date
