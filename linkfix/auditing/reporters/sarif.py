"""SARIF 2.1.0 (OASIS, errata 01), for code scanning, in ASCII, with one result per line.

Section numbers refer to the SARIF standard. At most 25,000 results are written, the most severe ones. The run's
properties count the rest (`omitted`).

Paths are relative to the checkout, as GitHub expects. For a tree outside the checkout, they are file: URIs.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from linkfix import __version__
from linkfix.auditing.findings import name_in
from linkfix.auditing.model import Audit, Finding, FindingLevel, RuleInfo
from linkfix.auditing.reporters import records
from linkfix.auditing.reporters.common import (
    checked_nothing,
    hint_text,
    is_whole_file,
    message_with_reference,
    prefix,
    source_path,
    target,
    uri,
    verdict,
    without_surrogates,
    workspace,
)
from linkfix.display import clip, json_text

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_BASE_ID = "%SRCROOT%"
#: The largest number of results. GitHub's code scanning rejects a file with more results in a run.
MOST_RESULTS = 25_000

#: References with the same bytes in HTML, CSS and JSON, quoted or not, and in every ASCII-compatible encoding: a fix
#: inserts its text unchanged.
_LITERAL = re.compile(r"[A-Za-z0-9._~/?#%:@+-]+")

#: Characters of embedded links in a message. A backslash makes them literal.
_LINK_MARKS = re.compile(r"[\\\[\]]")


def write(audit: Audit, out: TextIO) -> None:
    """Write the report."""
    places = _ArtifactLocations(audit)
    out.write(f'{{\n"$schema": {json_text(_SCHEMA)},\n"version": "2.1.0",\n"runs": [{{\n')
    out.writelines(f"{json_text(key)}: {json_text(value)},\n" for key, value in _run(audit, places).items())
    out.write('"results": [')
    separator = "\n"
    for result in _results(audit, places):
        out.write(separator + json_text(result))
        separator = ",\n"
    out.write("\n]\n}]\n}\n")


class _ArtifactLocations:
    """The locations of a tree's files: relative to the checkout, or absolute (§3.4.3, §3.4.4)."""

    def __init__(self, audit: Audit) -> None:
        folder = workspace()
        inner = prefix(audit, folder)
        self.base = _folder_uri(folder)
        self._root = _folder_uri(Path(os.path.realpath(audit.root))) if inner is None else uri(inner)
        self._is_inner = inner is not None

    def __call__(self, path: str) -> dict[str, Any]:
        """The artifactLocation of a file of the tree."""
        location = {"uri": name_in(self._root, uri(path)) if self._is_inner else self._root + uri(path)}
        return location | {"uriBaseId": _BASE_ID} if self._is_inner else location

    def of_source(self, path: str) -> dict[str, Any]:
        """The artifactLocation of a source. `path`: its real path."""
        inner = source_path(path)
        is_inner = inner != path
        return {"uri": uri(inner), "uriBaseId": _BASE_ID} if is_inner else {"uri": Path(path).as_uri()}


def _folder_uri(folder: Path) -> str:
    """A folder's file: URI; ends with "/" (§3.14.14)."""
    return folder.as_uri().rstrip("/") + "/"


def _run(audit: Audit, places: _ArtifactLocations) -> dict[str, Any]:
    """The run without its results (§3.14)."""
    summary = records.summary(audit)
    return {
        "tool": {
            "driver": {
                "name": "linkfix",
                "version": __version__,
                "semanticVersion": __version__,
                # First release: "informationUri", the address of the documentation (§3.19).
                "rules": [_rule(rule) for rule in audit.rules],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_BASE_ID: {"uri": places.base}},
        "invocations": [
            {
                "executionSuccessful": not checked_nothing(audit),
                "toolExecutionNotifications": list(_notifications(audit, places)),
            }
        ],
        "properties": {"base": records.header(audit)["base"]}
        | {key: summary[key] for key in ("totals", "coverage", "hidden")}
        | {"omitted": _omitted(audit)},
    }


def _rule(rule: RuleInfo) -> dict[str, Any]:
    """A reportingDescriptor (§3.49)."""
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": _message(rule.summary)},
        "fullDescription": {"text": _message(rule.summary)},
        "help": {"text": _message(rule.help)},
        "defaultConfiguration": {"level": rule.level.value},
    }


def _notifications(audit: Audit, places: _ArtifactLocations) -> Iterator[dict[str, Any]]:
    """The notifications about pages that were not checked (§3.20.21)."""
    if checked_nothing(audit):
        yield {"level": "error", "message": {"text": _message(verdict(audit))}}
    for path, why in audit.coverage.unread.items():
        yield {
            "level": "warning",
            "message": {"text": _message(f"not checked: {clip(why)}")},
            "locations": [{"physicalLocation": {"artifactLocation": places(path)}}],
        }


def _chosen(audit: Audit) -> Sequence[Finding]:
    """At most `MOST_RESULTS` findings: the most severe, in their original order."""
    if len(audit.findings) <= MOST_RESULTS:
        return audit.findings
    severest = sorted(range(len(audit.findings)), key=lambda number: audit.findings[number].level.rank)
    return [audit.findings[number] for number in sorted(severest[:MOST_RESULTS])]


def _omitted(audit: Audit) -> dict[str, int]:
    """The number of omitted findings of each level."""
    written = Counter(finding.level for finding in _chosen(audit))
    return {f"{level.value}s": audit.count(level) - written[level] for level in FindingLevel}


def _results(audit: Audit, places: _ArtifactLocations) -> Iterator[dict[str, Any]]:
    indices = {rule.code: index for index, rule in enumerate(audit.rules)}
    for finding in _chosen(audit):
        lines = [message_with_reference(finding)]
        if finding.hint:
            lines.append(hint_text(finding.hint))
        result = {
            "ruleId": finding.code,
            "ruleIndex": indices.get(finding.code, -1),
            "level": finding.level.value,
            "message": {"text": _message("\n".join(lines))},
            **_locations(finding, places),
            "partialFingerprints": {"linkfix/v1": finding.fingerprint},
            "properties": _properties(audit, finding),
        }
        fix = _fix(finding, places)
        yield result | {"fixes": [fix]} if fix else result


def _locations(finding: Finding, places: _ArtifactLocations) -> dict[str, Any]:
    """The location (§3.28): the line of the source, with the built page as a related location, or else the page."""
    page = {"physicalLocation": {"artifactLocation": places(finding.path)} | _regions(finding)}
    if finding.source is None:
        return {"locations": [page]}
    region = {"region": {"startLine": finding.source.line or 1}}
    source = {"physicalLocation": {"artifactLocation": places.of_source(finding.source.path)} | region}
    related = page | {"id": 1, "message": {"text": "in the built page"}}
    return {"locations": [source], "relatedLocations": [related]}


def _regions(finding: Finding) -> dict[str, Any]:
    """The region (§3.30) and the quoted line around it (§3.29.5). For a whole file, GitHub requires the first line."""
    if is_whole_file(finding):
        return {"region": {"startLine": 1}}
    quoted = {
        "startLine": finding.line,
        "endLine": finding.end_line,
        "snippet": {"text": without_surrogates(finding.excerpt)},
    }
    return {"region": _region(finding)} | ({"contextRegion": quoted} if finding.excerpt else {})


def _region(finding: Finding) -> dict[str, int]:
    return {
        "startLine": finding.line,
        "startColumn": finding.column,
        "endLine": finding.end_line,
        "endColumn": finding.end_column,
        "byteOffset": finding.start,
        "byteLength": finding.end - finding.start,
    }


def _properties(audit: Audit, finding: Finding) -> dict[str, Any]:
    fields = {
        "name": finding.name,
        "element": finding.element,
        "attribute": finding.attribute,
        "reference": finding.reference,
        "target": target(audit, finding),
        "cause": finding.cause,
    }
    return {key: without_surrogates(value) for key, value in fields.items() if value}


def _fix(finding: Finding, places: _ArtifactLocations) -> dict[str, Any] | None:
    """A fix (§3.55), if the new reference is known and needs no escaping anywhere."""
    hint = finding.hint
    if hint is None or hint.reference is None or is_whole_file(finding) or not _LITERAL.fullmatch(hint.reference):
        return None
    replacement = {"deletedRegion": _region(finding), "insertedContent": {"text": hint.reference}}
    return {
        "description": {"text": _message(clip(hint.text))},
        "artifactChanges": [{"artifactLocation": places(finding.path), "replacements": [replacement]}],
    }


def _message(text: str) -> str:
    """A plain text message that has no placeholders (§3.11.5) and no embedded links (§3.11.6)."""
    literal = without_surrogates(text).replace("{", "{{").replace("}", "}}")
    return _LINK_MARKS.sub(r"\\\g<0>", literal) if "](" in literal else literal
