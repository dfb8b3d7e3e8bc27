"""The table of invariants: the check, its kind of input, and its frequency."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import NamedTuple

import linkfix
from fuzz import documents, others
from fuzz.case import Case, Kind

__all__ = ["INVARIANTS", "RAISES_NOTHING_ELSE", "Invariant", "check"]


class Invariant(NamedTuple):
    """An invariant of every input of a kind."""

    kind: Kind
    """The kind of input that it is about."""
    check: Callable[[Case], str | None]
    """Returns the observed violation; None if the invariant holds."""
    every: int = 1
    """It is checked for every n-th input of its kind."""

    @property
    def name(self) -> str:
        """The function's name."""
        return self.check.__name__


def only_linkfix_errors_are_raised(case: Case) -> str | None:
    """Converting a document and asking for its base, links and problems raises `LinkfixError` or nothing."""
    document = case.document()
    str(document.base)
    problems = (*document.convert().problems, *document.problems)
    unknown = {problem.code for problem in problems} - linkfix.PROBLEMS.keys()
    return f"unknown codes {unknown}" if unknown else None


#: It is checked first, and the only one if it raises `LinkfixError`.
RAISES_NOTHING_ELSE = only_linkfix_errors_are_raised.__name__

_TABLE = (
    Invariant("document", only_linkfix_errors_are_raised),
    Invariant("document", documents.absolutizing_twice_changes_nothing),
    Invariant("document", documents.only_bytes_of_links_change),
    Invariant("document", documents.spans_hold_the_references),
    Invariant("document", documents.targets_stay),
    Invariant("document", documents.relative_links_have_the_same_targets),
    Invariant("document", documents.moved_links_have_the_new_targets),
    Invariant("document", documents.new_urls_are_read_back),
    Invariant("document", documents.counts_are_of_what_was_written),
    Invariant("document", documents.compiled_and_plain_agree),
    Invariant("document", documents.str_and_bytes_agree),
    Invariant("document", documents.quick_and_slow_ways_agree),
    Invariant("document", documents.resolver_gives_the_targets),
    Invariant("document", documents.parsers_find_the_same_links),
    Invariant("document", documents.tree_and_bytes_agree),
    Invariant("document", documents.work_grows_with_the_input, every=40),
    Invariant("document", others.audit_raises_nothing, every=25),
    Invariant("container", others.containers_raise_nothing),
    Invariant("container", others.unchanged_containers_are_copied),
    Invariant("container", others.changed_parts_are_read_back),
    Invariant("container", others.zip_files_stay_readable),
    Invariant("settings", others.settings_raise_nothing),
)
#: Name -> invariant.
INVARIANTS: dict[str, Invariant] = {invariant.name: invariant for invariant in _TABLE}


def check(name: str, case: Case) -> str | None:
    """The violation of the invariant by a case: its message, or the exception that it raises; None if it holds."""
    try:
        return INVARIANTS[name].check(case)
    except linkfix.LinkfixError:
        return None  # the input is a caller's mistake
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} in {place.name}, line {place.lineno}: {error}"
