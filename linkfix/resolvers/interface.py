"""The interface of resolvers, and the choices that a specification can leave open."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

from linkfix.constraints import choices
from linkfix.model import Resolution

#: The name of a choice -> its possible values.
CHOICES: dict[str, tuple[str, ...]] = {name: choices(name) for name in ("excess_dots", "same_scheme")}

#: The result for a relative reference without a base.
NO_BASE = Resolution(None, problem="no-base")
#: The result for a reference that is not a URL, or relative to a base that cannot have relative references.
UNRESOLVABLE = Resolution(None, problem="unresolvable")


class Resolver(Protocol):
    """A resolver of references by one specification.

    A resolver is a frozen dataclass without state. Its fields, if any, are the choices that the specification leaves
    open (keys of `CHOICES`). Their defaults are the values in the specification's own examples.
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]

    name: ClassVar[str]
    """The specification's name, a key of `linkfix.resolvers.RESOLVERS`."""
    choices: ClassVar[frozenset[str]]
    """The choices that the specification leaves open."""
    empty_base_allowed: ClassVar[bool]
    """Whether "" is the unknown base, against which each reference counts as absolute (RFC 1808 §3.4)."""
    relative_base_allowed: ClassVar[bool]
    """Whether a BASE element's URL may be relative (HTML §4.2.3); otherwise it must be absolute (RFC 1808 §10)."""
    empty_action_is_document: ClassVar[bool]
    """Whether a form's empty action means the document's URL (HTML §4.10.22.3 step 12); otherwise it means the base
    (RFC 2396 §4.2)."""

    def __hash__(self) -> int:
        """Return the hash. Resolvers with the same choices are equal, so that results can be cached by resolver."""

    def resolve(self, base: str | None, reference: str, encoding: str = "utf-8") -> Resolution:
        """Resolve `reference` against `base`, an absolute URL or None. Never raises.

        Resolvers that do not allow an empty base treat it as None.

        `encoding`: the name (not a label) of the encoding of the document that contains the reference; only `whatwg`
        uses it. Problems: "no-base", "unresolvable", "excess-dots".
        """

    def is_absolute_reference(self, reference: str) -> bool:
        """Whether `reference` has the same target against every base."""

    def is_absolute(self, url: str) -> bool:
        """Whether `url` can be a base: it is absolute, and references can be relative to it."""

    def normalize(self, url: str) -> str | None:
        """The specification's normal form of an absolute URL; None if `url` is not one."""
