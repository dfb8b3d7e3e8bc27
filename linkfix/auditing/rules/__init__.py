"""The rules of the audit, in modules by family. A new rule is a new function; see `linkfix.auditing.rule`.

A rule's docstring is its documentation: a sentence, paragraphs, and examples that are also its tests. One indented
example follows each line `Fails::` or `Passes::`. An example is an HTML page: `docs/page.html` in the tree that
`tests/support/audit_example.py` makes; with `in an archive`, in a WARC file of that tree.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

from linkfix.auditing.rule import REGISTERED, Rule

__all__ = ["host_rule", "results_rule", "rules", "template_rule", "unread_rule"]

_MODULES = (
    "base",
    "captures",
    "characters",
    "documents",
    "publishing",
    "references",
    "schemes",
    "targets",
    "values",
)


@cache
def rules() -> tuple[Rule[Any], ...]:
    """All rules, sorted by code."""
    for module in _MODULES:
        importlib.import_module(f"{__name__}.{module}")
    return tuple(sorted(REGISTERED, key=lambda rule: rule.info.code))


@cache
def unread_rule() -> Rule[Any]:
    """The rule for files that could not be read."""
    return next(rule for rule in rules() if rule.reports_unread)


@cache
def template_rule() -> Rule[Any]:
    """The rule for placeholders that were not replaced."""
    return next(rule for rule in rules() if rule.reports_templates)


@cache
def host_rule() -> Rule[Any]:
    """The rule for private hosts."""
    return next(rule for rule in rules() if rule.reports_hosts)


@cache
def results_rule() -> Rule[Any]:
    """The rule for the results of a link checker."""
    return next(rule for rule in rules() if rule.reads_results)
