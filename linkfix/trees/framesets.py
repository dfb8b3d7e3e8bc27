"""Which BASE elements HTML's tree construction drops for a frameset, and parsers that are simpler than HTML's keep.

A frameset takes the body's place as long as nothing came that shows in a body (the *frameset-ok flag*, HTML
§13.2.4.5): what the body held goes, and so does a BASE that comes later (§13.2.6.4.7, §13.2.6.4.20). libxml2 and
html.parser leave both where they stood. The tree is gone through as its source was, up to what settles the question,
which in most documents is the first word of the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any, NamedTuple

from linkfix.html.element_flags import NAMES_IN_HEAD, NAMES_NOT_FRAMESET_OK
from linkfix.html.vocabulary import WHITE_SPACE
from linkfix.trees.context import TEXT_ONLY

__all__ = ["Token", "before_frameset"]

_NOT_FRAMESET_OK = frozenset(NAMES_NOT_FRAMESET_OK.split())
#: Elements that neither begin a body nor show in one.
_NEITHER = frozenset(NAMES_IN_HEAD.split()) - _NOT_FRAMESET_OK
_FOREIGN = frozenset({"svg", "math"})
#: In how many elements it is looked for what an element is in: no input makes that quadratic.
_DEEPEST = 512


class Token(NamedTuple):
    """The start of an element, or a run of text, as the source of a tree had it."""

    node: Any
    """The library's element; of a text, the one that holds it."""
    name: str
    """The element's name, in lower case; "" for a text."""
    text: str
    """The text; "" for an element."""
    attributes: Mapping[str, object]
    """The element's."""


def before_frameset(
    tokens: Iterable[Token], names_around: Callable[[Any], Iterable[str]], *, implies_body: bool, scripting: bool
) -> list[Any] | None:
    """The BASE elements that a frameset leaves; None where no frameset takes the body's place.

    `tokens`: the document's. `names_around`: the names of a library's element and those around it, innermost first, in
    lower case. `implies_body`: the parser makes a body where the source has none. One without attributes is taken for
    that: a source that has its own shows that, and no frames.
    """
    text_only = TEXT_ONLY | {"noscript"} if scripting else TEXT_ONLY
    kept: list[Any] = []
    has_body = False
    is_ok = True
    for token in tokens:
        if token.name == "base" and not has_body:
            kept.append(token.node)
        outer = None if _is_neutral(token, implies_body=implies_body) else _names_outside(token, names_around)
        if outer is None or not outer.isdisjoint(text_only) or (token.name and not outer.isdisjoint(_FOREIGN)):
            continue
        if token.name == "frameset" and "template" not in outer:
            return kept
        is_ok = is_ok and not _shows(token)
        has_body = has_body or (token.name != "template" and "template" not in outer)
        if has_body and not is_ok:
            return None
    return None


def _is_neutral(token: Token, *, implies_body: bool) -> bool:
    """Whether it neither begins a body nor shows in one."""
    if token.name == "body":
        return implies_body and not token.attributes
    return token.name in _NEITHER if token.name else not token.text.strip(WHITE_SPACE)


def _names_outside(token: Token, names_around: Callable[[Any], Iterable[str]]) -> frozenset[str]:
    """The names of the elements that it is in."""
    return frozenset(islice(names_around(token.node), 1 if token.name else 0, _DEEPEST))


def _shows(token: Token) -> bool:
    """Whether it keeps a frameset from taking the place of the body that it is in."""
    if token.name == "input":
        return str(token.attributes.get("type", "")).lower() != "hidden"
    return token.name in _NOT_FRAMESET_OK or bool(token.text.strip(WHITE_SPACE + "\0"))
