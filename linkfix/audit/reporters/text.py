"""The report for people: what to mend first, each place as `path:line:column:`, then what was looked at.

A place begins its line, so that editors and terminals open it. Colours are ANSI codes, for terminals alone.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from itertools import groupby, islice
from typing import TextIO

from linkfix.audit.model import Audit, Cause, Finding, Level
from linkfix.audit.reporters.common import (
    advice,
    base_url,
    clipped,
    judged_nothing,
    location,
    most_first,
    says,
    target,
    totals,
    verdict,
)
from linkfix.display import counted, visible
from linkfix.model import Layer

__all__ = ["write"]

#: How many places of one cause, and how many unread pages, are shown; one more is shown rather than counted.
_SHOWN = 5

#: Select Graphic Rendition (ECMA-48 §8.3.117).
_STYLES = {"error": "1;31", "warning": "1;33", "note": "1;36", "bold": "1", "dim": "2", "good": "1;32"}


def write(audit: Audit, out: TextIO) -> None:
    """Write the report; in colours where `out` is a terminal, unless NO_COLOR is set, or where FORCE_COLOR is."""
    paint = _Paint(on=_is_coloured(out))
    out.writelines(line + "\n" for line in _lines(audit, paint))


class _Paint:
    """Puts text in colours, or leaves it as it is."""

    def __init__(self, *, on: bool) -> None:
        self._on = on

    def __call__(self, style: str, text: str) -> str:
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if self._on and text else text


def _is_coloured(out: TextIO) -> bool:
    """As Python itself decides it: NO_COLOR (https://no-color.org) outweighs FORCE_COLOR, that outweighs the rest."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return os.environ.get("TERM") != "dumb" and out.isatty()


def _lines(audit: Audit, paint: _Paint) -> Iterator[str]:
    blocks = [
        *_causes(audit, paint),
        list(_notes(audit, paint)),
        [*_coverage(audit, paint), paint(_mood(audit), f"linkfix audit: {verdict(audit)}")],
    ]
    for number, block in enumerate(filter(None, blocks)):
        yield from [""] * bool(number)
        yield from block


def _causes(audit: Audit, paint: _Paint) -> Iterator[list[str]]:
    """Each group of places with one cause, and each run of causes of one place."""
    causes = [cause for cause in audit.causes if cause.level is not Level.NOTE]
    if any(_is_group(cause) for cause in causes):
        yield [paint("bold", "Fix these first: one change mends all of a group.")]
    for is_group, run in groupby(causes, key=_is_group):
        if is_group:
            yield from (list(_group(audit, cause, paint)) for cause in run)
        else:
            yield [line for cause in run for line in _single(audit, audit.findings[cause.findings[0]], paint)]


def _is_group(cause: Cause) -> bool:
    return len(cause.findings) > 1


def _group(audit: Audit, cause: Cause, paint: _Paint) -> Iterator[str]:
    """A cause, its first places, and how many more there are; the same hint again is not repeated."""
    findings = [audit.findings[number] for number in cause.findings]
    size = f"{counted(len(findings), 'reference')} in {counted(cause.pages, 'page')}"
    label = f"{cause.code} {visible(cause.name)}"
    yield f"{paint(cause.level.value, size)}: {paint('bold', clipped(cause.text))} [{label}]"
    shown = findings if len(findings) <= _SHOWN + 1 else findings[:_SHOWN]
    said = None
    for finding in shown:
        yield _place(audit, finding, paint)
        if finding.hint != said:
            yield from _hint(finding, paint)
        said = finding.hint
    rest = findings[len(shown) :]
    if rest:
        pages = len({finding.path for finding in rest})
        yield paint("dim", f"    and {len(rest):,} more in {counted(pages, 'page')}")


def _single(audit: Audit, finding: Finding, paint: _Paint) -> Iterator[str]:
    """A finding that has its cause alone, and where its reference leads, unless it says so itself."""
    url = target(audit, finding)
    leads = paint("dim", f" -> {clipped(url)}") if url is not None and url != finding.reference else ""
    yield _place(audit, finding, paint) + leads
    yield from _hint(finding, paint)


def _place(audit: Audit, finding: Finding, paint: _Paint) -> str:
    """A finding as compilers write it."""
    place = paint("bold", f"{visible(location(audit, finding))}:{finding.line}:{finding.column}:")
    return f"{place} {paint(finding.level.value, finding.level.value)} {finding.code} {says(finding)}"


def _hint(finding: Finding, paint: _Paint) -> Iterator[str]:
    if finding.hint:
        yield paint("dim", f"    hint: {advice(finding.hint)}")


def _notes(audit: Audit, paint: _Paint) -> Iterator[str]:
    """Notes by rule: how many, and where one is."""
    notes: dict[str, list[Finding]] = {}
    for cause in audit.causes:
        if cause.level is Level.NOTE:
            notes.setdefault(cause.code, []).extend(audit.findings[number] for number in cause.findings)
    for code, findings in sorted(notes.items(), key=lambda row: -len(row[1])):
        first = findings[0]
        place = f"{visible(location(audit, first))}:{first.line}:{first.column}"
        label = paint("note", counted(len(findings), "note"))
        yield f"{label} {code} {visible(first.name)}: {clipped(first.message)}, such as {place}"


def _coverage(audit: Audit, paint: _Paint) -> Iterator[str]:
    coverage = audit.coverage
    url = base_url(audit)
    root = visible(audit.root)
    if url is None:
        yield f"{root}: where it is served is not known; targets in it are shown as names"
    else:
        inferred = "inferred: " if audit.base_layer is Layer.DEFAULT else ""
        yield f"{root}: served at {visible(url)} ({inferred}{visible(audit.base_where)})"
    yield (
        f"{counted(coverage.files, 'file')}, {counted(coverage.pages, 'page')} of {counted(coverage.bytes, 'byte')}, "
        f"{counted(coverage.links, 'reference')}, {coverage.judged:,} judged, in {audit.seconds:.2f} s"
    )
    yield from _reasons("not judged", coverage.unjudged)
    fragments = coverage.fragments
    yield from _reasons("fragment" if fragments.total() == 1 else "fragments", fragments)
    yield from _reasons("hidden", audit.hidden)
    unread = list(coverage.unread.items())
    shown = unread if len(unread) <= _SHOWN + 1 else list(islice(unread, _SHOWN))
    for name, why in shown:
        yield paint("warning", f"    unread: {clipped(name)}: {clipped(why)}")
    if len(unread) > len(shown):
        yield paint("warning", f"    and {counted(len(unread) - len(shown), 'page')} more unread")


def _reasons(what: str, counts: Counter[str]) -> Iterator[str]:
    if counts.total():
        reasons = ", ".join(f"{number:,} {visible(why)}" for why, number in most_first(counts))
        yield f"    {counts.total():,} {what}: {reasons}"


def _mood(audit: Audit) -> str:
    """The style of the verdict."""
    sums = totals(audit)
    if sums.errors or judged_nothing(audit):
        return "error"
    return "warning" if sums.warnings else "good"
