"""The registry of resolvers. Each is a module with a class that satisfies `Resolver`, and a row in `RESOLVERS`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from linkfix.constraints import check
from linkfix.encodings.encoding import lookup
from linkfix.errors import InvalidBase, InvalidOption, UnknownSpec, check_str
from linkfix.lazy import LazyTable
from linkfix.model import ExcessDots, Options, Resolution, SameScheme
from linkfix.resolvers.common import Resolver

__all__ = ["RESOLVERS", "ExcessDots", "Resolver", "SameScheme", "resolve", "resolver", "root_url"]

#: Name of the specification -> its resolver, with the choices of the specification's own examples; oldest first.
RESOLVERS: Mapping[str, Resolver] = LazyTable(
    {
        "fielding1994": "linkfix.resolvers.fielding1994:Fielding1994",
        "rfc1808": "linkfix.resolvers.rfc1808:RFC1808",
        "rfc2396": "linkfix.resolvers.rfc2396:RFC2396",
        "rfc3986": "linkfix.resolvers.rfc3986:RFC3986",
        "whatwg": "linkfix.resolvers.whatwg:WHATWG",
    }
)


def resolver(
    spec: str = "whatwg", *, excess_dots: ExcessDots | None = None, same_scheme: SameScheme | None = None
) -> Resolver:
    """The resolver of the specification `spec`, a key of `RESOLVERS`.

    `excess_dots` ("keep", "drop", "error"): the treatment of ".." segments that climb above the root. `same_scheme`
    ("absolute", "relative"): the meaning of `http:g` on an http base. None: as in the specification's own examples.
    Raises `UnknownSpec`, and `InvalidOption` for an unknown value or for a choice that the specification does not leave
    open.

    >>> resolver("rfc2396", excess_dots="drop")
    RFC2396(excess_dots='drop', same_scheme='absolute')
    """
    check("spec", spec, "str")
    found = RESOLVERS.get(spec)
    if found is None:
        message = f"unknown spec {spec!r}: choose one of {', '.join(RESOLVERS)}"
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
    check(choice, value, Options.__annotations__[choice])
    if choice not in found.choices:
        others = ", ".join(name for name, other in RESOLVERS.items() if choice in other.choices)
        message = f"{choice} is not an option of {found.name}: leave it out, or use it with {others}"
        raise InvalidOption(message)


def resolve(
    base: str | None,
    reference: str,
    spec: str = "whatwg",
    *,
    excess_dots: ExcessDots | None = None,
    same_scheme: SameScheme | None = None,
    encoding: str = "utf-8",
) -> Resolution:
    """Resolve a reference against a base by the specification `spec`.

    `base`: an absolute URL; None for no base; or "" for an unknown base URL. With "", `fielding1994` and `rfc1808`
    treat each reference as absolute and return it unchanged (rule 1; RFC 1808 §3.4, §4 step 1); the other resolvers
    treat "" as None.

    The options are the options of `resolver`. `encoding`: a label of the encoding of the document that contains the
    reference. Without a base, absolute references have a target; with `rfc2396`, same-document references have a target
    too. All other references have the problem "no-base". Raises `InvalidBase` for any other `base`, `UnknownCharset`,
    and the exceptions of `resolver`.

    >>> resolve("http://a/b/c/d;p?q", "../g?y#s")
    Resolution(target='http://a/b/g?y#s', same_document=False, problem=None)
    >>> print(resolve(None, "../g"))
    (none): the reference is relative, and no base URL is known (give the URL of the page or its folder) [no-base]
    >>> print(resolve("", "../g", "rfc1808"))
    ../g
    """
    for name, value in (("base", base), ("reference", reference)):
        if name == "reference" or value is not None:
            check_str(name, value)
    found = resolver(spec, excess_dots=excess_dots, same_scheme=same_scheme)
    if base and _is_relative(found, base):
        message = f"the base {base!r} is not an absolute URL under {found.name}: give one such as 'http://example.org/'"
        raise InvalidBase(message)
    return found.resolve(base, reference, lookup(encoding))


def _is_relative(found: Resolver, base: str) -> bool:
    """Whether `base` itself needs a base. An absolute URL without relative references does not need one."""
    resolution = found.resolve(None, base)
    return resolution.target is None or resolution.same_document


#: The suffixes of pages, which few folders have.
_PAGES = (".html", ".htm", ".xhtml", ".xht", ".shtml", ".php", ".asp", ".aspx", ".jsp")


def root_url(url: str, index_names: Collection[str]) -> str:
    """Normalize the absolute URL of a tree's root. The result ends with a slash. The URL of an index file becomes the
    URL of its folder.

    `index_names`: the names of index files.

    Raises `InvalidBase` if it is not the URL of a folder.

    >>> root_url("HTTPS://example.com/docs", ()), root_url("https://example.com/docs/a.html", ("a.html",))
    ('https://example.com/docs/', 'https://example.com/docs/')
    """
    whatwg = RESOLVERS["whatwg"]
    folder = url if url.endswith("/") or url.rpartition("/")[2] in index_names else url + "/"
    target = whatwg.resolve(folder, "./").target if whatwg.is_absolute(url) else None
    if target is None or "?" in url or "#" in url:
        message = f"{url!r} is not the absolute URL of a folder: give one such as 'https://example.com/docs/'"
        raise InvalidBase(message)
    name = target[:-1].partition("://")[2].rpartition("/")
    if not url.endswith("/") and name[1] and name[2].lower().endswith(_PAGES):
        parent = target[: -len(name[2]) - 1]
        message = f"{url!r} is the URL of a page: give the URL of its folder, {parent!r} ({target!r} if it is a folder)"
        raise InvalidBase(message)
    return target
