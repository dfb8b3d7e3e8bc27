"""The registry of resolvers: a specification's name -> what resolves references as that specification says.

A new resolver is a new module beside these, with a class that satisfies `Resolver`, and its row in `RESOLVERS`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from linkfix.encodings.codecs import lookup
from linkfix.errors import InvalidBase, InvalidOption, UnknownSpec
from linkfix.model import Resolution
from linkfix.resolvers.fielding1994 import Fielding1994
from linkfix.resolvers.interface import CHOICES, ExcessDots, Resolver, SameScheme
from linkfix.resolvers.rfc1808 import RFC1808
from linkfix.resolvers.rfc2396 import RFC2396
from linkfix.resolvers.rfc3986 import RFC3986
from linkfix.resolvers.whatwg import WHATWG

__all__ = ["RESOLVERS", "ExcessDots", "Resolver", "SameScheme", "resolve", "resolver"]

#: name -> the resolver with its text's own choices, oldest text first.
RESOLVERS: dict[str, Resolver] = {
    Fielding1994.name: Fielding1994(),
    RFC1808.name: RFC1808(),
    RFC2396.name: RFC2396(),
    RFC3986.name: RFC3986(),
    WHATWG.name: WHATWG(),
}


def resolver(
    spec: str = "whatwg", *, excess_dots: ExcessDots | None = None, same_scheme: SameScheme | None = None
) -> Resolver:
    """Get the resolver of the specification `spec`, a key of `RESOLVERS`.

    `excess_dots` ("keep", "drop", "error"): what becomes of ".." segments that climb above the root. `same_scheme`
    ("absolute", "relative"): what `http:g` is on an http base. None: as the text's own examples have it.
    Raises `UnknownSpec`, and `InvalidOption` where the text leaves no such choice open or has no such value.

    >>> resolver("rfc2396", excess_dots="drop")
    RFC2396(excess_dots='drop', same_scheme='absolute')
    """
    found = RESOLVERS.get(spec)
    if found is None:
        message = f"no resolver is called {spec!r}: choose one of {', '.join(RESOLVERS)}"
        raise UnknownSpec(message)
    given: dict[str, Any] = {
        choice: value
        for choice, value in (("excess_dots", excess_dots), ("same_scheme", same_scheme))
        if value is not None
    }
    for choice, value in given.items():
        _check(found, choice, value)
    return replace(found, **given) if given else found


def _check(found: Resolver, choice: str, value: str) -> None:
    if value not in CHOICES[choice]:
        message = f"{choice} cannot be {value!r}: choose one of {', '.join(CHOICES[choice])}"
        raise InvalidOption(message)
    if choice not in found.choices:
        others = ", ".join(name for name, other in RESOLVERS.items() if choice in other.choices)
        message = f"{found.name} leaves no choice about {choice}: leave the option out, or use it with {others}"
        raise InvalidOption(message)


def resolve(  # noqa: PLR0913  the options are by keyword
    base: str | None,
    reference: str,
    spec: str = "whatwg",
    *,
    excess_dots: ExcessDots | None = None,
    same_scheme: SameScheme | None = None,
    encoding: str = "utf-8",
) -> Resolution:
    """Resolve one reference against a base, which is an absolute URL or None, as `spec` says.

    The options are those of `resolver`. `encoding`: a label of the encoding of the document that the reference stands
    in. Without a base only absolute references have a target; the others have the problem "no-base".
    Raises `InvalidBase` where `base` is not absolute, `UnknownCharset`, and what `resolver` raises.

    >>> resolve("http://a/b/c/d;p?q", "../g?y#s")
    Resolution(target='http://a/b/g?y#s', same_document=False, problem=None)
    >>> resolve(None, "../g").problem
    'no-base'
    """
    found = resolver(spec, excess_dots=excess_dots, same_scheme=same_scheme)
    if base is not None and _is_relative(found, base):
        message = f"the base {base!r} is not an absolute URL under {found.name}: give one such as 'http://example.org/'"
        raise InvalidBase(message)
    return found.resolve(base, reference, lookup(encoding))


def _is_relative(found: Resolver, base: str) -> bool:
    """Say whether `base` needs a base itself. One that is absolute and yet unfit for relative references does not."""
    resolution = found.resolve(None, base)
    return resolution.target is None or resolution.same_document
