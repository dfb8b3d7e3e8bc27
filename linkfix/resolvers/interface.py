"""The interface of resolvers, and the choices that a specification can leave open."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

from linkfix.constraints import choices
from linkfix.model import Resolution

#: Choice -> its values.
CHOICES: dict[str, tuple[str, ...]] = {name: choices(name) for name in ("excess_dots", "same_scheme")}

#: A relative reference without a base.
NO_BASE = Resolution(None, problem="no-base")
#: Not a URL, or relative to a base that cannot have relative references.
UNRESOLVABLE = Resolution(None, problem="unresolvable")


class Resolver(Protocol):
    """Resolves references as one specification says.

    A resolver is a frozen dataclass without state: its fields, if any, are the choices that the specification leaves
    open (keys of `CHOICES`), with the values that its own examples show as defaults.
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]

    name: ClassVar[str]
    """The specification's name, a key of `linkfix.resolvers.RESOLVERS`."""
    choices: ClassVar[frozenset[str]]
    """The choices that the specification leaves open."""
    empty_base_allowed: ClassVar[bool]
    """Whether an empty base is the unknown one, by which each reference is taken for absolute (RFC 1808 §3.4)."""
    relative_base_allowed: ClassVar[bool]
    """Whether a BASE element can hold a relative reference (HTML §4.2.3), or has to be absolute (RFC 1808 §10)."""
    empty_action_is_document: ClassVar[bool]
    """Whether a form's empty action is the document's URL (HTML §4.10.22.3 step 12), else the base (RFC 2396 §4.2)."""

    def __hash__(self) -> int:
        """Resolvers with the same choices are equal, so that results can be cached by resolver."""

    def resolve(self, base: str | None, reference: str, encoding: str = "utf-8") -> Resolution:
        """Resolve `reference` against `base`, an absolute URL or None. Never raises.

        An empty base is None to those that do not allow it.

        `encoding`: the name (not a label) of the encoding of the document that contains the reference; only `whatwg`
        uses it. Problems: "no-base", "unresolvable", "excess-dots".
        """

    def is_absolute_reference(self, reference: str) -> bool:
        """Whether `reference` means the same against every base."""

    def is_absolute(self, url: str) -> bool:
        """Whether `url` can be a base: it is absolute, and references can be relative to it."""

    def normalize(self, url: str) -> str | None:
        """The specification's normal form of an absolute URL; None if `url` is not one."""
