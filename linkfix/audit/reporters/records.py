"""The JSON values of an audit, which the JSON document and JSON lines consist of.

docs/audit-report.schema.json describes them. Fields may be added under the same `SCHEMA_VERSION`; their meaning never
changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from linkfix import __version__
from linkfix.audit.model import Audit, Cause, Finding, Hint, Level, RuleInfo
from linkfix.audit.reporters.common import (
    base_url,
    judged_nothing,
    most_first,
    target,
    totals,
    verdict,
    without_surrogates,
)

__all__ = ["SCHEMA_VERSION", "causes", "findings", "folders", "header", "rules", "summary"]

#: Of the format: counts up if readers of the old one would fail.
SCHEMA_VERSION = 1


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
            "where": without_surrogates(audit.base_where),
        },
    }


def summary(audit: Audit) -> dict[str, Any]:
    """The verdict, the totals, the coverage, and what was left out."""
    coverage, sums = audit.coverage, totals(audit)
    return {
        "verdict": without_surrogates(verdict(audit)),
        "judged_nothing": judged_nothing(audit),
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
            "judged": coverage.judged,
            "unjudged": _counts(coverage.unjudged),
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


def findings(audit: Audit) -> Iterator[dict[str, Any]]:
    """Every finding, in the order of the audit."""
    return (_finding(audit, finding) for finding in audit.findings)


def folders(audit: Audit) -> Iterator[dict[str, Any]]:
    """The folders of the tree, with counts of what is in each one itself; "" is the root."""
    for name, folder in audit.folders.items():
        yield {
            "path": without_surrogates(name),
            "pages": folder.pages,
            "links": folder.links,
            "findings": {level.value: folder.findings[level.value] for level in Level},
        }


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


#: The texts of a finding.
_TEXTS = ("message", "path", "element", "attribute", "reference", "target", "cause", "excerpt")


def _finding(audit: Audit, finding: Finding) -> dict[str, Any]:
    """The fields of `Finding`, in their order."""
    record = finding._asdict()
    record["level"] = finding.level.value
    record["target"] = target(audit, finding)
    record["hint"] = None if finding.hint is None else _hint(finding.hint)
    for name in _TEXTS:
        text = record[name]
        if text is not None and not text.isascii():
            record[name] = without_surrogates(text)
    return record


def _hint(hint: Hint) -> dict[str, Any]:
    reference = None if hint.reference is None else without_surrogates(hint.reference)
    return {"text": without_surrogates(hint.text), "reference": reference, "certain": hint.certain}


def _counts(counts: Counter[str]) -> dict[str, int]:
    return {without_surrogates(what): number for what, number in most_first(counts)}
