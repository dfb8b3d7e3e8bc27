"""One self-contained HTML file, to mail, store with a CI run, open from a disk, or print.

The page consists of the files in `assets/`: a frame, a style sheet, a script. This module writes the content that needs
no scripts. The page also contains the findings as JSON, which the script shows, searches and draws. A
Content-Security-Policy (CSP 3) allows only that style sheet and that script, by their hashes. So nothing is loaded, and
markup in a hostile name has no effect. The page is ASCII, so that it reads the same in any encoding.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from html import escape
from importlib.resources import files
from itertools import islice
from string import Template
from typing import TextIO

from linkfix.auditing.model import Audit, Finding, FindingLevel, Folder, RuleInfo
from linkfix.auditing.reporters.common import (
    audited_path,
    base_url,
    checked_files,
    checked_nothing,
    files_text,
    is_whole_file,
    most_first,
    outdated_text,
    settings_text,
    source_text,
    target,
    totals,
    unchecked_text,
    verdict,
)
from linkfix.display import clip, pluralize, visible

_ASSETS = files("linkfix.auditing.reporters") / "assets"
#: The number of causes, findings and folders that are shown without scripts, and the number of unread files.
_FIRST = 100
_UNREAD = 1000
_NUMBER = ' class="number"'
#: Characters in JSON that could end the script element or begin a comment in it (HTML §4.12.1.3).
_IN_SCRIPT = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def write(audit: Audit, out: TextIO) -> None:
    """Write the whole page to `out`, in ASCII."""
    style, page = _asset("report.css"), _asset("report.html")
    script = _asset("tree.js") + _asset("report.js")
    policy = {
        "default-src": "'none'",
        "style-src": _hash(style),
        "script-src": _hash(script),
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    text = Template(page).substitute(
        policy="; ".join(f"{name} {value}" for name, value in policy.items()),
        style=style,
        script=script,
        title=_safe(f"{_headline(audit)} \N{EN DASH} {audited_path(audit)}"),
        root=_safe(audited_path(audit)),
        state=_state(audit),
        verdict=_verdict(audit),
        base=_base(audit),
        totals=_totals(audit),
        folders=_folders(audit),
        causes=_causes(audit),
        findings=_findings(audit),
        coverage=_coverage(audit),
        rules=_rules(audit),
        data=json.dumps(_data(audit), separators=(",", ":")).translate(_IN_SCRIPT),
    )
    out.write(text.encode("ascii", "xmlcharrefreplace").decode("ascii"))


def _asset(name: str) -> str:
    return (_ASSETS / name).read_text(encoding="ascii")


def _hash(text: str) -> str:
    """The source expression that allows an inline element with this text (CSP 3 §2.3.1)."""
    digest = base64.b64encode(hashlib.sha256(text.encode("ascii")).digest()).decode("ascii")
    return f"'sha256-{digest}'"


def _safe(text: str) -> str:
    """Escape untrusted text for the content of an element."""
    return escape(visible(text))


def _headline(audit: Audit) -> str:
    if checked_nothing(audit):
        return _safe(unchecked_text(audit).capitalize())
    return pluralize(audit.count(FindingLevel.ERROR), "error")


def _state(audit: Audit) -> str:
    """The CSS class of the verdict: "good" only if references were checked, none is broken and no page is unread."""
    if checked_nothing(audit) or audit.count(FindingLevel.ERROR):
        return "error"
    return "warning" if audit.count(FindingLevel.WARNING) or audit.coverage.unread else "good"


def _verdict(audit: Audit) -> str:
    text = verdict(audit)
    return _safe(f"{text[0].upper()}{text[1:]}.")


def _base(audit: Audit) -> str:
    url = base_url(audit)
    settings = f"; {_safe(settings_text(audit))}" if audit.settings else ""
    if audit.urls:
        return f"Several sites: {_safe('; '.join(audit.urls))}{settings}"
    if url is None:
        return f"The URL of the site is not known (no --root-url), so targets are shown as names of files{settings}."
    where = f" ({_safe(audit.base_source)})" if audit.base_source else ""
    return f"Served at <code>{_safe(url)}</code>{where}{settings}"


# The content without scripts.


def _totals(audit: Audit) -> str:
    sums, coverage = totals(audit), audit.coverage
    rows = {
        "errors": sums.errors,
        "warnings": sums.warnings,
        "notes": sums.notes,
        "causes": sums.causes,
        "files with findings": sums.pages,
        "pages checked": coverage.pages - coverage.other,
        "other files checked": coverage.other,
        "references": coverage.links,
        "references checked": coverage.checked,
    }
    return "\n".join(f"<div><dt>{name}</dt><dd>{number:,}</dd></div>" for name, number in rows.items())


def _table(caption: str, heads: tuple[str, ...], rows: Iterable[tuple[str | int, ...]]) -> str:
    """A table. Cells are escaped here; numbers and their headings are aligned to the right."""
    body = list(rows)
    first = body[0] if body else heads
    return "\n".join(
        [
            f"<table><caption>{caption}</caption>",
            f"<thead><tr>{''.join(map(_head, heads, first))}</tr></thead>",
            "<tbody>",
            *(f"<tr>{''.join(map(_cell, row))}</tr>" for row in body),
            "</tbody></table>",
        ]
    )


def _head(name: str, below: str | int) -> str:
    return f'<th scope="col"{_NUMBER if isinstance(below, int) else ""}>{name}</th>'


def _cell(value: str | int) -> str:
    return f"<td{_NUMBER}>{value:,}</td>" if isinstance(value, int) else f"<td>{_safe(value)}</td>"


def _first(total: int, noun: str, order: str) -> str:
    return (
        f"The first {_FIRST} of {pluralize(total, noun)}, {order}"
        if total > _FIRST
        else f"{pluralize(total, noun)}, {order}"
    )


def _causes(audit: Audit) -> str:
    if not audit.causes:
        return f"<p>{_verdict(audit)}</p>"
    rows = (
        (cause.text, cause.level.value, f"{cause.code} {cause.name}", len(cause.findings), cause.pages)
        for cause in audit.causes[:_FIRST]
    )
    caption = _first(len(audit.causes), "cause", "worst first")
    return _table(caption, ("Cause", "FindingLevel", "Rule", "Findings", "Files"), rows)


def _findings(audit: Audit) -> str:
    if not audit.findings:
        return ""
    rows = (
        (_place(finding), finding.level.value, finding.code, _message(finding), _line(finding))
        for finding in audit.findings[:_FIRST]
    )
    caption = _first(len(audit.findings), "finding", "by place; enable scripts to search all of them")
    return _table(caption, ("Place", "FindingLevel", "Rule", "Message", "Source line"), rows)


def _folders(audit: Audit) -> str:
    """The folders of the map as a table."""
    rows = sorted(_shown_folders(audit).items(), key=lambda row: (*(-number for number in _levels(row[1])), row[0]))
    cells: Iterable[tuple[str | int, ...]] = (
        (f"{name}/" if name else "(top)", folder.pages, folder.links, *_levels(folder))
        for name, folder in rows[:_FIRST]
    )
    heads = ("Folder", "Pages", "References", *(f"{level.value.title()}s" for level in FindingLevel))
    table = _table(_first(len(rows), "folder", "most errors first"), heads, cells)
    return f"<details><summary>The folders as a table</summary>\n{table}\n</details>"


def _shown_folders(audit: Audit) -> dict[str, Folder]:
    """The folders of the map: those that have a page or a finding."""
    return {name: folder for name, folder in audit.folders.items() if folder.pages or folder.findings.total()}


def _levels(folder: Folder) -> tuple[int, ...]:
    return tuple(folder.findings[level.value] for level in FindingLevel)


def _coverage(audit: Audit) -> str:
    coverage = audit.coverage
    read = (
        f"{files_text(audit)}; "
        f"{checked_files(coverage)} of {coverage.bytes:,} bytes "
        f"were read in {audit.seconds:.2f} s. Of {pluralize(coverage.links, 'reference')}, {coverage.checked:,}"
    )
    share = f" ({coverage.checked / coverage.links:.1%})" if coverage.links else ""
    parts = [f"<p>{read}{share} were checked.</p>"]
    if coverage.unread:
        names = list(islice(coverage.unread.items(), _UNREAD))
        more = len(coverage.unread) - len(names)
        caption = (
            f"{pluralize(len(coverage.unread), 'file')} could not be read{f', the first {_UNREAD:,}' * bool(more)}"
        )
        parts.append(_table(caption, ("File", "Why"), names))
    if coverage.unchecked:
        parts.append(_table("References that were not checked", ("Why", "References"), most_first(coverage.unchecked)))
    if coverage.fragments:
        parts.append(_table("Fragments of files of the site", ("Status", "References"), most_first(coverage.fragments)))
    if audit.hidden:
        parts.append(_table("Hidden findings", ("Why", "Findings"), most_first(audit.hidden)))
    if coverage.left_out:
        parts.append(_table("Skipped files", ("Why", "Files"), most_first(coverage.left_out)))
    if audit.outdated:
        parts.append(f"<p>{outdated_text(audit)}</p>")
    return "\n".join(parts)


def _rules(audit: Audit) -> str:
    found = Counter(finding.code for finding in audit.findings)
    return "\n".join(_rule(rule, found[rule.code]) for rule in audit.rules)


def _rule(rule: RuleInfo, found: int) -> str:
    level = rule.level.value
    return (
        f'<details id="rule-{escape(rule.code)}"><summary><span class="level {level}">{level}</span> '
        f"<h3>{_safe(rule.code)} {_safe(rule.name)}</h3> "
        f'<span class="count">{pluralize(found, "finding")}</span></summary>\n'
        f'<p>{_safe(rule.summary)}</p>\n<div class="help">{_paragraphs(rule.help)}</div>\n</details>'
    )


def _paragraphs(text: str) -> str:
    """The lines of a rule's help, escaped."""
    return "\n".join(map(_safe, text.strip("\n").split("\n")))


# Texts for both the static content and the script.


def _place(finding: Finding) -> str:
    return finding.path if is_whole_file(finding) else f"{finding.path}:{finding.line}:{finding.column}"


def _message(finding: Finding) -> str:
    source = f" ({source_text(finding)})" if finding.source else ""
    return clip(finding.message) + source


def _line(finding: Finding) -> str:
    return finding.excerpt.strip().replace("\t", " ")


def _mark(finding: Finding) -> tuple[str, str, str]:
    """The source line in three parts: before, in and after the reference.

    If the reference is not found, the first part is the whole line. The line is clipped, and the reference in it may
    contain character references. The first spelling that is found is used, at the place closest to the finding's
    column.
    """
    line = finding.excerpt
    for written in (finding.reference, escape(finding.reference, quote=False), escape(finding.reference)):
        start = _nearest(line, written, finding.column - 1) if written else -1
        if start >= 0:
            end = start + len(written)
            return line[:start].lstrip().replace("\t", " "), line[start:end], line[end:].rstrip().replace("\t", " ")
    return _line(finding), "", ""


def _nearest(line: str, text: str, column: int) -> int:
    """The index of the occurrence of `text` in `line` that is closest to `column`; -1 if `text` does not occur."""
    before, after = line.rfind(text, 0, column + len(text)), line.find(text, column)
    return min((found for found in (before, after) if found >= 0), key=lambda found: abs(found - column), default=-1)


# The JSON for the script: `strings` contains each text once, and rows refer to texts by number.


class _Strings(defaultdict[str, int]):
    """A mapping from texts to numbers, in the order of their first use."""

    def __missing__(self, text: str) -> int:
        self[text] = number = len(self)
        return number

    def number(self, text: str) -> int:
        return self[visible(text)]


def _data(audit: Audit) -> dict[str, object]:
    strings = _Strings()
    number = strings.number
    levels = [level.value for level in FindingLevel]
    findings = [_row(audit, finding, strings) for finding in audit.findings]
    causes = [
        (number(cause.code), number(cause.name), number(clip(cause.text)), cause.findings) for cause in audit.causes
    ]
    folders = [
        (number(name), folder.pages, folder.links, *_levels(folder)) for name, folder in _shown_folders(audit).items()
    ]
    rules = [(number(rule.code), number(rule.summary)) for rule in audit.rules]
    return {
        "levels": levels,
        "findings": findings,
        "causes": causes,
        "folders": folders,
        "rules": rules,
        "strings": list(strings),
    }


def _row(audit: Audit, finding: Finding, strings: _Strings) -> tuple[int | None, ...]:
    number = strings.number
    hint = finding.hint
    return (
        finding.level.rank,
        number(finding.code),
        number(finding.name),
        number(finding.path),
        0 if is_whole_file(finding) else finding.line,
        finding.column,
        number(f"{finding.element} {finding.attribute}".strip()),
        number(clip(finding.reference)),
        number(clip(target(audit, finding) or "")),
        number(_message(finding)),
        number(clip(hint.text) if hint else ""),
        None if hint is None or hint.reference is None else number(clip(hint.reference)),
        hint is not None and hint.certain,
        *map(number, _mark(finding)),
    )
