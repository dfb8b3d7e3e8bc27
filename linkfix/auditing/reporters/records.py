"""The reports as records: one JSON document, JSON lines, and comma-separated values.

docs/audit-report.schema.json describes the JSON reports. New fields may be added under the same `SCHEMA_VERSION`, but
the meaning of a field never changes. `linkfix.display` documents the treatment of formulas and control characters in
comma-separated values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from json.encoder import encode_basestring_ascii
from typing import Any, TextIO

from linkfix import __version__
from linkfix.auditing.model import Audit, Cause, Finding, FindingLevel, Hint, RuleInfo, SourcePlace
from linkfix.auditing.reporters.common import (
    base_url,
    checked_nothing,
    most_first,
    source_path,
    target,
    totals,
    verdict,
    without_surrogates,
)
from linkfix.display import json_text, printable_json, write_rows

#: The version of the format. It increases if readers of the old format would fail.
SCHEMA_VERSION = 1
#: The first characters of an escaped surrogate in a JSON string, in a pair or alone.
_SURROGATE = "\\ud"
#: The columns of comma-separated values.
COLUMNS = (
    *("path", "line", "column", "end_line", "end_column", "start", "end", "level", "code", "name", "message"),
    *("element", "attribute", "reference", "target", "cause", "hint", "hint_reference", "hint_certain"),
    *("excerpt", "fingerprint", "source", "source_line"),
)


def write_json(audit: Audit, out: TextIO) -> None:
    """Write one JSON document, in ASCII, with one line per finding, cause, rule and folder."""
    fields = header(audit) | summary(audit)
    out.write("{\n")
    out.writelines(f"{json_text(key)}: {json_text(value)},\n" for key, value in fields.items())
    _array(out, "rules", map(json_text, rules(audit)), ",\n")
    _array(out, "causes", map(json_text, causes(audit)), ",\n")
    _array(out, "findings", (f"{{{members}}}" for members in findings(audit)), ",\n")
    _array(out, "folders", map(json_text, folders(audit)), "\n}\n")


def write_json_lines(audit: Audit, out: TextIO) -> None:
    """Write JSON lines, in ASCII: one record per line, `type` first: audit, finding, cause, folder, and last summary.

    A report without a summary record is truncated. The findings of a cause are `index` values of finding records.
    """
    out.writelines(line + "\n" for line in _lines(audit))


def write_csv(audit: Audit, out: TextIO) -> None:
    """Write comma-separated values (RFC 4180): a header, and one row per finding.

    Lines end in CRLF: open files with newline="".
    """
    write_rows(out, chain([COLUMNS], (_row(audit, finding) for finding in audit.findings)), line_end="\r\n")


def header(audit: Audit) -> dict[str, Any]:
    """The tool, the tree and its URL."""
    url = base_url(audit)
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "linkfix", "version": __version__},
        "root": without_surrogates(audit.root),
        "base": {
            "url": None if url is None else without_surrogates(url),
            "layer": audit.base_layer.value,
            "where": without_surrogates(audit.base_source),
        },
        "settings": without_surrogates(audit.settings),
    }


def summary(audit: Audit) -> dict[str, Any]:
    """The verdict, the totals, the coverage, and the number of hidden findings."""
    coverage, sums = audit.coverage, totals(audit)
    return {
        "verdict": without_surrogates(verdict(audit)),
        # Keys use "judged" for "checked" because programs rely on them.
        "judged_nothing": checked_nothing(audit),
        "totals": {
            "findings": sums.findings,
            "errors": sums.errors,
            "warnings": sums.warnings,
            "notes": sums.notes,
            "causes": sums.causes,
            "pages_with_findings": sums.pages,
        },
        "coverage": {
            "files": coverage.files,
            "pages": coverage.pages,
            "bytes": coverage.bytes,
            "links": coverage.links,
            "judged": coverage.checked,
            "unjudged": _counts(coverage.unchecked),
            "fragments": _counts(coverage.fragments),
            "left_out": _counts(coverage.left_out),
            "unread": [
                {"path": without_surrogates(name), "why": without_surrogates(why)}
                for name, why in coverage.unread.items()
            ],
        },
        "hidden": _counts(audit.hidden),
        "outdated": audit.outdated,
        "seconds": round(audit.seconds, 3),
    }


def rules(audit: Audit) -> Iterator[dict[str, Any]]:
    """The rules that ran."""
    return map(_rule, audit.rules)


def causes(audit: Audit) -> Iterator[dict[str, Any]]:
    """The causes, the worst first; `findings` are indices of the findings."""
    return map(_cause, audit.causes)


def findings(audit: Audit) -> Iterator[str]:
    """Yield the members of each finding's JSON object, in the order of the audit. They are the fields of `Finding`.

    They are formatted here because a large audit has many findings, and the encoder of `json` takes twice as long.
    """
    for finding in audit.findings:
        members = _members(audit, finding, encode_basestring_ascii)
        if _SURROGATE in members:
            members = _members(audit, finding, _clean_string)
        yield printable_json(members)


def folders(audit: Audit) -> Iterator[dict[str, Any]]:
    """The folders of the tree with their own counts, without inner folders. "" is the root."""
    for name, folder in audit.folders.items():
        yield {
            "path": without_surrogates(name),
            "pages": folder.pages,
            "links": folder.links,
            "findings": {level.value: folder.findings[level.value] for level in FindingLevel},
        }


def _array(out: TextIO, key: str, texts: Iterable[str], end: str) -> None:
    out.write(f"{json_text(key)}: [")
    separator = "\n"
    for text in texts:
        out.write(separator + text)
        separator = ",\n"
    out.write("\n]" + end)


def _lines(audit: Audit) -> Iterator[str]:
    yield json_text({"type": "audit"} | header(audit) | {"rules": list(rules(audit))})
    for index, members in enumerate(findings(audit)):
        yield f'{{"type": "finding", "index": {index}, {members}}}'
    for cause in causes(audit):
        yield json_text({"type": "cause"} | cause)
    for folder in folders(audit):
        yield json_text({"type": "folder"} | folder)
    yield json_text({"type": "summary"} | summary(audit))


def _row(audit: Audit, finding: Finding) -> tuple[str | int | None, ...]:
    hint = finding.hint
    return (
        finding.path,
        finding.line,
        finding.column,
        finding.end_line,
        finding.end_column,
        finding.start,
        finding.end,
        finding.level.value,
        finding.code,
        finding.name,
        finding.message,
        finding.element,
        finding.attribute,
        finding.reference,
        target(audit, finding),
        finding.cause,
        hint.text if hint else None,
        hint.reference if hint else None,
        ("yes" if hint.certain else "no") if hint else None,
        finding.excerpt,
        finding.fingerprint,
        source_path(finding.source.path) if finding.source else None,
        (finding.source.line or None) if finding.source else None,
    )


def _rule(rule: RuleInfo) -> dict[str, Any]:
    return {
        "code": rule.code,
        "name": rule.name,
        "level": rule.level.value,
        "summary": rule.summary,
        "help": rule.help,
        "opt_in": rule.opt_in,
    }


def _cause(cause: Cause) -> dict[str, Any]:
    return {
        "code": cause.code,
        "name": cause.name,
        "level": cause.level.value,
        "text": without_surrogates(cause.text),
        "findings": cause.findings,
        "pages": cause.pages,
    }


def _members(audit: Audit, finding: Finding, text: Callable[[str], str]) -> str:
    """The members of a finding's JSON object. `text`: a function that formats a JSON string."""
    shown = target(audit, finding)
    return (
        f'"code": {text(finding.code)}, "name": {text(finding.name)}, "level": {text(finding.level.value)}, '
        f'"message": {text(finding.message)}, "path": {text(finding.path)}, '
        f'"line": {finding.line}, "column": {finding.column}, '
        f'"end_line": {finding.end_line}, "end_column": {finding.end_column}, '
        f'"start": {finding.start}, "end": {finding.end}, '
        f'"element": {text(finding.element)}, "attribute": {text(finding.attribute)}, '
        f'"reference": {text(finding.reference)}, "target": {"null" if shown is None else text(shown)}, '
        f'"cause": {text(finding.cause)}, "hint": {_hint(finding.hint, text)}, '
        f'"excerpt": {text(finding.excerpt)}, "fingerprint": {text(finding.fingerprint)}, '
        f'"source": {_source(finding.source, text)}'
    )


def _hint(hint: Hint | None, text: Callable[[str], str]) -> str:
    if hint is None:
        return "null"
    reference = "null" if hint.reference is None else text(hint.reference)
    certain = "true" if hint.certain else "false"
    return f'{{"text": {text(hint.text)}, "reference": {reference}, "certain": {certain}}}'


def _source(place: SourcePlace | None, text: Callable[[str], str]) -> str:
    if place is None:
        return "null"
    return f'{{"path": {text(source_path(place.path))}, "line": {place.line or "null"}}}'


def _clean_string(text: str) -> str:
    return encode_basestring_ascii(without_surrogates(text))


def _counts(counts: Counter[str]) -> dict[str, int]:
    return {without_surrogates(what): number for what, number in most_first(counts)}
