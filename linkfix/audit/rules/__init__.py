"""The rules of the audit: a module each, found by being here. See `linkfix.audit.rule` for what one is.

A rule's docstring is its documentation: a sentence, paragraphs, and examples that are its tests. After a line
`Fails::` or `Passes::` stands one indented example each, an HTML page (`docs/page.html` of the tree that
`tests/audit/example.py` makes).
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, NamedTuple

from linkfix.audit.model import RuleInfo
from linkfix.audit.rule import Issue, LostFragment, Page, Seen, TreeFacts

__all__ = ["Rule", "rules"]


class Rule(NamedTuple):
    """A rule: what reports say of it, and its checks; it has the one for what it looks at."""

    info: RuleInfo
    check_link: Callable[[Seen], Issue | None] | None
    check_fragment: Callable[[LostFragment], Issue | None] | None
    check_page: Callable[[Page], Iterable[Issue]] | None
    check_tree: Callable[[TreeFacts], Iterable[tuple[str, Issue]]] | None


def _rule(name: str) -> Rule:
    module: Any = importlib.import_module(f"{__name__}.{name}")
    text = inspect.getdoc(module) or ""
    info = RuleInfo(
        code=module.CODE,
        name=name.replace("_", "-"),
        level=module.LEVEL,
        summary=text.partition("\n\n")[0].replace("\n", " "),
        help=text,
        opt_in=getattr(module, "OPT_IN", False),
    )
    checks = (getattr(module, f"check_{what}", None) for what in ("link", "fragment", "page", "tree"))
    return Rule(info, *checks)


@cache
def rules() -> tuple[Rule, ...]:
    """All rules, by code."""
    found = (_rule(module.name) for module in pkgutil.iter_modules(__path__))
    return tuple(sorted(found, key=lambda rule: rule.info.code))
