"""The report for people: findings by families of causes, each place as `path:line:column:`, then the coverage.

A place begins its line, so that editors and terminals can open it. A hint is marked "fix" if `--fix` writes it. The
report stays short enough to read, and states what it omits. Colours are ANSI codes, only for terminals.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from itertools import chain, groupby, islice
from typing import TextIO

from linkfix.auditing.findings import Family, families
from linkfix.auditing.model import Audit, Cause, Finding, FindingLevel
from linkfix.auditing.reporters.common import (
    Totals,
    audited_path,
    base_url,
    checked_files,
    checked_nothing,
    counts_by_level,
    files_text,
    hint_text,
    location,
    message_with_reference,
    most_first,
    next_steps,
    outdated_text,
    settings_text,
    source_text,
    target,
    totals,
    unit,
    verdict,
)
from linkfix.display import MESSAGE_LENGTH, clip, pluralize, visible, visible_path
from linkfix.model import Layer

#: The number of places per family, and of unread pages, that are shown. One more is shown instead of "1 more".
_SHOWN = 5
#: The number of lines for families with their places, and the number of further families that get one line each.
_LINES, _NAMED = 120, 30
#: The number of lines in a group besides its places.
_FRAME = 3

#: Select Graphic Rendition (ECMA-48 §8.3.117).
_STYLES = {"error": "1;31", "warning": "1;33", "note": "1;36", "bold": "1", "dim": "2", "good": "1;32"}


def write(audit: Audit, out: TextIO, *, full: bool = False, color: bool | None = None) -> None:
    """Write the report.

    `full`: whether to show every place of every cause. `color`: whether to use colours; None: if `out` is a terminal
    and NO_COLOR is not set, or if FORCE_COLOR is set.
    """
    paint = _Paint(on=_is_coloured(out) if color is None else color)
    out.writelines(line + "\n" for line in _lines(audit, paint, full=full))


class _Paint:
    """A function that adds colours to text, if colours are on."""

    def __init__(self, *, on: bool) -> None:
        self._on = on

    def __call__(self, style: str, text: str) -> str:
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if self._on and text else text


def _is_coloured(out: TextIO) -> bool:
    """Whether to use colours. As in Python itself, NO_COLOR (https://no-color.org) overrides FORCE_COLOR.

    FORCE_COLOR overrides the rest.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return os.environ.get("TERM") != "dumb" and out.isatty()


def _lines(audit: Audit, paint: _Paint, *, full: bool) -> Iterator[str]:
    found = [
        one
        for one in families(audit)
        if full or one.level is not FindingLevel.NOTE or _is_selected(audit, one.causes[0])
    ]
    notes = [] if full else list(_notes(audit, paint))
    sizes = pluralize(groups := len(found) + len(notes), unit(audit, groups))
    blocks = [
        *_families(audit, found, sizes, paint, full=full),
        list(chain.from_iterable(notes)),
        [
            *_coverage(audit, paint),
            *(paint("dim", step) for step in next_steps(audit)),
            paint(_verdict_style(audit), f"linkfix audit: {verdict(audit, sizes)}"),
        ],
    ]
    for number, block in enumerate(filter(None, blocks)):
        yield from [""] * bool(number)
        yield from block


def _families(audit: Audit, found: list[Family], sizes: str, paint: _Paint, *, full: bool) -> Iterator[list[str]]:
    """Yield the blocks of families: one for each family of several findings, one for each run of smaller families.

    The first block has the totals of several findings. The last block names the omitted families.
    """
    is_grouped = any(map(_is_group, found))
    if is_grouped or len(found) > 1:
        yield [paint("bold", _heading_of_all(totals(audit), sizes, is_grouped=is_grouped))]
    left = len(found) * _LINES if full else _LINES
    shown = 0
    for is_group, run in groupby(found, key=_is_group):
        singles: list[str] = []
        for family in run:
            most = _SHOWN if family.level is not FindingLevel.NOTE else max(_SHOWN, left - _FRAME)
            most = len(family.findings) if full else most
            block = list(_group(audit, family, paint, most) if is_group else _single(audit, family, paint))
            left -= len(block) + is_group
            if left < 0 and not full:
                break
            shown += 1
            if is_group:
                yield block
            else:
                singles += block
        yield singles
        if left < 0 and not full:
            yield list(_rest(audit, found[shown:], paint))
            return


def _heading_of_all(sums: Totals, sizes: str, *, is_grouped: bool) -> str:
    advice = "; one fix often solves a whole group" if is_grouped else ""
    return f"{counts_by_level(sums)} ({sizes}), the largest first{advice}."


def _is_group(family: Family) -> bool:
    return len(family.findings) > 1


def _is_selected(audit: Audit, cause: Cause) -> bool:
    """Whether the rule of a cause was selected by name or code."""
    return cause.code in audit.selected


def _group(audit: Audit, family: Family, paint: _Paint, most: int) -> Iterator[str]:
    """The lines about a family: its first places, at most `most` or one more, and the number of the rest.

    A hint that equals the previous hint is not repeated.
    """
    findings = [audit.findings[number] for number in family.findings]
    yield _heading(family, paint)
    shown = findings if len(findings) <= most + 1 else findings[:most]
    last_hint = None
    for finding in shown:
        yield _place(audit, finding, paint)
        yield from _source(finding, paint)
        if finding.hint != last_hint:
            yield from _hint(finding, paint)
        last_hint = finding.hint
    rest = findings[len(shown) :]
    if rest:
        pages = len({finding.path for finding in rest})
        yield paint("dim", f"    and {len(rest):,} more in {pluralize(pages, 'file')}")


def _heading(family: Family, paint: _Paint) -> str:
    size = f"{family.size} in {pluralize(family.pages, 'file')}"
    return f"{paint(family.level.value, size)}: {paint('bold', clip(family.text))} [{visible(family.rule)}]"


def _single(audit: Audit, family: Family, paint: _Paint) -> Iterator[str]:
    """The lines about the only finding of a family. The target is shown if it differs from the reference."""
    finding = audit.findings[family.findings[0]]
    url = target(audit, finding)
    arrow = paint("dim", f" -> {clip(url)}") if url is not None and url != finding.reference else ""
    yield _place(audit, finding, paint) + arrow
    yield from _source(finding, paint)
    yield from _hint(finding, paint)


def _rest(audit: Audit, found: list[Family], paint: _Paint) -> Iterator[str]:
    """The remaining families: one line for each of the first, and the number of unnamed families."""
    named = found[:_NAMED]
    for family in named:
        yield _heading(family, paint) if _is_group(family) else next(_single(audit, family, paint))
    rest = found[len(named) :]
    if rest:
        rules = Counter(family.rule for family in rest)
        number = sum(len(family.findings) for family in rest)
        yield paint(
            "bold",
            f"and {pluralize(len(rest), 'smaller group')} with {pluralize(number, 'finding')}: "
            + ", ".join(f"{count:,} of {visible(rule)}" for rule, count in most_first(rules)),
        )
    yield paint("dim", "Some places are not shown: --full prints all places.")


def _place(audit: Audit, finding: Finding, paint: _Paint) -> str:
    """The finding in the format of compilers."""
    place = paint("bold", f"{visible_path(location(audit, finding))}:{finding.line}:{finding.column}:")
    return f"{place} {paint(finding.level.value, finding.level.value)} {finding.code} {message_with_reference(finding)}"


def _hint(finding: Finding, paint: _Paint) -> Iterator[str]:
    if finding.hint:
        yield paint("dim", f"    {hint_text(finding.hint)}")


def _source(finding: Finding, paint: _Paint) -> Iterator[str]:
    if finding.source:
        yield paint("dim", f"    {source_text(finding)}")


def _notes(audit: Audit, paint: _Paint) -> Iterator[list[str]]:
    """Yield the lines about the notes of each rule: their number, the place of the first, and their fixes."""
    notes: dict[str, list[Finding]] = {}
    for cause in audit.causes:
        if cause.level is FindingLevel.NOTE and not _is_selected(audit, cause):
            notes.setdefault(cause.code, []).extend(audit.findings[number] for number in cause.findings)
    for code, findings in sorted(notes.items(), key=lambda row: -len(row[1])):
        first = findings[0]
        place = f"{visible(location(audit, first))}:{first.line}:{first.column}"
        label = paint("note", pluralize(len(findings), "note"))
        lines = [f"{label} {code} {visible(first.name)}: {clip(first.message)}, such as {place}"]
        fixes = list(
            dict.fromkeys(hint_text(one.hint) for one in findings if one.hint is not None and one.hint.certain)
        )
        lines += [paint("dim", f"    {text}") for text in fixes[:_SHOWN]]
        if len(fixes) > _SHOWN:
            lines.append(paint("dim", f"    and {len(fixes) - _SHOWN:,} more fixes"))
        yield lines


def _coverage(audit: Audit, paint: _Paint) -> Iterator[str]:
    coverage = audit.coverage
    url = base_url(audit)
    root = visible_path(audited_path(audit))
    if audit.urls:
        yield f"several sites: {visible('; '.join(audit.urls))}"
    elif url is None:
        option = "" if audit.archive else " (no --root-url)"
        yield f"{root}: the URL of the site is not known{option}, so targets are shown as file names"
    else:
        inferred = "inferred: " if audit.base_layer is Layer.DEFAULT else ""
        yield f"{root}: served at {clip(url, MESSAGE_LENGTH)} ({inferred}{visible(audit.base_source)})"
    if audit.settings:
        yield f"    {visible(settings_text(audit))}"
    yield (
        f"{files_text(audit)}; "
        f"{checked_files(coverage)} of {pluralize(coverage.bytes, 'byte')}, "
        f"{pluralize(coverage.links, 'reference')}, {coverage.checked:,} checked, in {audit.seconds:.2f} s"
    )
    yield from _reasons("not checked", coverage.unchecked)
    fragments = coverage.fragments
    yield from _reasons("fragment" if fragments.total() == 1 else "fragments", fragments)
    yield from _reasons("hidden", audit.hidden)
    yield from _reasons("file skipped" if coverage.left_out.total() == 1 else "files skipped", coverage.left_out)
    if audit.outdated:
        yield f"    {outdated_text(audit)}"
    unread = list(coverage.unread.items())
    shown = unread if len(unread) <= _SHOWN + 1 else list(islice(unread, _SHOWN))
    for name, why in shown:
        yield paint("warning", f"    unread: {clip(name)}: {clip(why)}")
    if len(unread) > len(shown):
        yield paint("warning", f"    and {pluralize(len(unread) - len(shown), 'file')} more unread")


def _reasons(what: str, counts: Counter[str]) -> Iterator[str]:
    if counts.total():
        reasons = ", ".join(f"{number:,} {visible(why)}" for why, number in most_first(counts))
        yield f"    {counts.total():,} {what}: {reasons}"


def _verdict_style(audit: Audit) -> str:
    """The style of the verdict."""
    sums = totals(audit)
    if sums.errors or checked_nothing(audit):
        return "error"
    return "warning" if sums.warnings else "good"
