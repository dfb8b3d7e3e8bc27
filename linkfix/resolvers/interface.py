"""What a resolver is: the interface of every module here, and the words for the choices that a text may leave open."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Protocol, TypeAlias

from linkfix.model import Resolution

__all__ = ["CHOICES", "NO_BASE", "UNRESOLVABLE", "ExcessDots", "Resolver", "SameScheme"]

ExcessDots: TypeAlias = Literal["keep", "drop", "error"]
SameScheme: TypeAlias = Literal["absolute", "relative"]

#: choice -> its values.
#: `excess_dots`: what becomes of ".." segments that climb above the root (RFC 2396 §5.2 step 6G).
#: `same_scheme`: what `http:g` means where the base is http too (RFC 1808 §5.2, RFC 2396 §5.2 step 3, RFC 3986 §5.2.2).
CHOICES: dict[str, tuple[str, ...]] = {
    "excess_dots": ("keep", "drop", "error"),
    "same_scheme": ("absolute", "relative"),
}

#: A relative reference, and no base to resolve it against.
NO_BASE = Resolution(None, problem="no-base")
#: Not a URL, or relative to a base that no reference can be relative to.
UNRESOLVABLE = Resolution(None, problem="unresolvable")


class Resolver(Protocol):
    """One specification's way from a reference and a base to a target.

    A resolver is a frozen dataclass without state: its fields, if any, are the choices that its text leaves open
    (keys of `CHOICES`), and the fields' defaults are what the text's own examples show.
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]

    name: ClassVar[str]
    #: Which choices the text leaves open.
    choices: ClassVar[frozenset[str]]
    #: Whether a BASE element may hold a relative reference (HTML §4.2.3), or has to be absolute (RFC 1808 §10).
    relative_base_allowed: ClassVar[bool]

    def __hash__(self) -> int:
        """Resolvers with the same choices are the same: what they make of a URL can be cached."""

    def resolve(self, base: str | None, reference: str, encoding: str = "utf-8") -> Resolution:
        """Resolve `reference` against `base`, an absolute URL, or None where there is none. Never raises.

        `encoding` is the name (not a label) in the Encoding standard of the encoding of the document that the
        reference stands in; only `whatwg` has a use for it. Problems: "no-base", "unresolvable", "excess-dots".
        """

    def is_absolute(self, url: str) -> bool:
        """Say whether `url` is fit to be a base: absolute, and such that references can be relative to it."""

    def normalize(self, url: str) -> str | None:
        """Give the specification's normal form of an absolute URL; None where `url` is not one."""
