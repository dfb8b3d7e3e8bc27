"""GitHub Flavored Markdown, for a comment or a job summary: totals, a table of causes, and their folded places.

Special characters in text from documents become character references: such text has no effect as Markdown, HTML, a
mention or a link.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TextIO

from linkfix.auditing.findings import Family, families
from linkfix.auditing.model import Audit, Finding
from linkfix.auditing.reporters.common import (
    audited_path,
    base_url,
    checked_nothing,
    hint_text,
    location,
    most_first,
    outdated_text,
    settings_text,
    source_location,
    totals,
    unit,
    verdict,
)
from linkfix.display import clip, pluralize

#: The size limit in bytes. GitHub accepts a summary of 1 MiB, in UTF-8; the rest is for the sentence about truncation.
LIMIT = 1024 * 1024 - 1024
#: The largest number of rows in the table of causes, and of places in the list of one cause.
_ROWS = 20
_PLACES = 20

#: Characters with a meaning inside a line, or at the beginning of an autolink (GFM §6.9).
_MARKS = re.compile(r"[&<>\\`*_\[\]!|~@#$]|:(?=\S)|(?i:(?<=www))\.")
#: The beginnings of mentions, numbers, emoji and formulas, for which GitHub searches rendered Markdown. A comment after
#: such a character prevents that. In code, GitHub searches only for addresses and formulas.
_SOUGHT, _SOUGHT_IN_CODE = "@#:$", "@$"


def write(audit: Audit, out: TextIO) -> None:
    """Write the report. If it is truncated to `LIMIT` bytes, its last sentence says so."""
    left = LIMIT
    for block in _blocks(audit):
        left -= len(block.encode())
        if left < 0:
            out.write("**The report is truncated here, at the size limit of a summary.** Other formats are complete.\n")
            return
        out.write(block)


def _blocks(audit: Audit) -> Iterator[str]:
    """The blocks of the report. Each is written completely or not at all, and ends with an empty line."""
    coverage, sums = audit.coverage, totals(audit)
    warning = "> [!CAUTION]\n> " if checked_nothing(audit) else ""
    found = families(audit)
    group = unit(audit, len(found))
    yield f"## linkfix audit\n\n{warning}**{verdict(audit, pluralize(len(found), group))}**\n\n"
    yield (
        f"| errors | warnings | notes | {group}s | pages | other files | references | checked |\n"
        "| --: | --: | --: | --: | --: | --: | --: | --: |\n"
        f"| {sums.errors:,} | {sums.warnings:,} | {sums.notes:,} | {len(found):,} "
        f"| {coverage.pages - coverage.other:,} | {coverage.other:,} | {coverage.links:,} | {coverage.checked:,} |\n\n"
    )
    yield from _coverage(audit)
    if found:
        yield f"### {group.capitalize()}s\n\n" + "".join(_table(found, group))
        yield "### Places\n\n"
        for family in found:
            yield "".join(_places(audit, family))


def _coverage(audit: Audit) -> Iterator[str]:
    url = base_url(audit)
    served = (
        "the URL of the site is not known (no --root-url)"
        if url is None
        else f"served at {_code(url)}: {_text(audit.base_source)}"
    )
    sites = f"several sites: {_text('; '.join(audit.urls))}"
    yield f"{sites if audit.urls else f'{_code(audited_path(audit))}, {served}'}\n\n"
    coverage = audit.coverage
    lines = [
        *([f"- {_text(settings_text(audit))}\n"] if audit.settings else []),
        *_reasons("Not checked", coverage.unchecked),
        *_reasons("Fragments", coverage.fragments),
        *_reasons("Hidden", audit.hidden),
        *_reasons("Files skipped", coverage.left_out),
        *([f"- {outdated_text(audit)}\n"] if audit.outdated else []),
    ]
    if lines:
        yield "".join(lines) + "\n"
    unread = coverage.unread
    if unread:
        rows = [f"- {_code(name)}: {_text(why)}\n" for name, why in list(unread.items())[:_PLACES]]
        yield _fold(f"{pluralize(len(unread), 'file')} unread", rows, len(unread) - len(rows))


def _reasons(what: str, counts: Counter[str]) -> Iterator[str]:
    if counts.total():
        yield f"- {what}: " + ", ".join(f"{number:,} {_text(why)}" for why, number in most_first(counts)) + "\n"


def _table(found: list[Family], group: str) -> Iterator[str]:
    yield f"| level | rule | {group} | findings | files |\n| --- | --- | --- | --: | --: |\n"
    for one in found[:_ROWS]:
        numbers = f"{len(one.findings):,} | {one.pages:,}"
        yield f"| {one.level.value} | {_text(one.rule)} | {_code(one.text)} | {numbers} |\n"
    if len(found) > _ROWS:
        yield f"\nand {pluralize(len(found) - _ROWS, group)} more below\n"
    yield "\n"


def _places(audit: Audit, family: Family) -> Iterator[str]:
    shown = [audit.findings[number] for number in family.findings[:_PLACES]]
    title = f"{family.level.value} {family.causes[0].code}: {_code(family.text)}"
    title += f", {family.size}"
    yield _fold(title, [_place(audit, finding) for finding in shown], len(family.findings) - len(shown))


def _place(audit: Audit, finding: Finding) -> str:
    place = _code(f"{location(audit, finding)}:{finding.line}:{finding.column}")
    reference = f": {_code(finding.reference)}" if finding.reference else ""
    hint = f" ({_text(hint_text(finding.hint))})" if finding.hint else ""
    source = f"; source: {_code(source_location(finding))}" if finding.source else ""
    return f"- {place} {_text(finding.message)}{reference}{source}{hint}\n"


def _fold(title: str, rows: list[str], more: int) -> str:
    rest = f"\nand {more:,} more\n" if more else ""
    return f"<details><summary>{title}</summary>\n\n{''.join(rows)}{rest}\n</details>\n\n"


def _text(text: str) -> str:
    """Escape text so that it contains no markup."""
    return _escape(text, _SOUGHT)


def _code(text: str) -> str:
    """Text as an HTML code element: a Markdown code span cannot contain every text inside a table."""
    return f"<code>{_escape(text, _SOUGHT_IN_CODE)}</code>"


def _escape(text: str, sought: str) -> str:
    return _MARKS.sub(lambda mark: f"&#{ord(mark[0])};{'<!-- -->' * (mark[0] in sought)}", clip(text))
