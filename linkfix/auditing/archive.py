"""The audit of an archive: as a folder if its files refer to each other by name, else by the URLs of its captures."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace

from linkfix.auditing.engine import audit, audit_captures
from linkfix.auditing.findings import file_finding, group_by_cause, with_fingerprints
from linkfix.auditing.model import Audit, AuditOptions, sum_coverage
from linkfix.auditing.rule import Issue
from linkfix.auditing.rules import unread_rule
from linkfix.auditing.selection import chosen_codes
from linkfix.containers import CONTAINERS, recognise
from linkfix.errors import InvalidOption
from linkfix.files.folder import HEAD_SIZE
from linkfix.model import Problem


def archive_format(path: str) -> str:
    """The format of a file that is an archive: a key of `CONTAINERS`; "" for any other file, and for a folder."""
    if not os.path.isfile(path):
        return ""
    with open(path, "rb") as file:
        return recognise(file.read(HEAD_SIZE), path)


def audit_archive(
    path: str,
    options: AuditOptions,
    *,
    progress: Callable[[int, int], None] | None = None,
    note: Callable[[Problem], None],
) -> Audit:
    """Check the references of the documents in an archive. `note`: called with each problem of the archive.

    The names of its files have the archive's name before them: `book.epub!a.xhtml`. Raises the same errors as `audit`,
    `InvalidOption` for another file, and `OSError`.
    """
    format_ = archive_format(path)
    if not format_:
        message = f"{path} is neither a folder nor an archive: give the folder that contains it"
        raise InvalidOption(message)
    lost: dict[str, None] = {}

    def see(problem: Problem) -> None:
        note(problem)
        if problem.code in _LOST and len(lost) < _MOST:
            lost[problem.message] = None

    if CONTAINERS[format_].keeps_names:
        from linkfix.runs.archive_files import archive_files

        with archive_files(path, format_, options.max_size, see) as folder:
            result = audit(folder, options, progress=progress)
    else:
        from linkfix.runs.captured_documents import captured_documents

        given = [name for name in _FOR_FOLDERS if getattr(options, name) not in {None, False}]
        if given:
            words = ", ".join(_FOR_FOLDERS[name] for name in given)
            message = f"{path} has URLs of its own: leave out {words}"
            raise InvalidOption(message)
        with captured_documents(path, format_, options.max_size, see) as captures:
            result = audit_captures(captures, options, progress=progress)
    return _with_name(_with_losses(result, list(lost), options), path)


#: The problems of archives that keep a document from being read.
_LOST = frozenset(
    {
        *("container-damaged", "part-damaged", "part-encoding", "part-segmented", "part-too-large"),
        *("total-too-large", "too-many-parts"),
    }
)

#: The number of problems that become findings.
_MOST = 100

#: The options that depend on the files of a folder, in words.
_FOR_FOLDERS = {
    "base_url": "the root URL",
    "clean_urls": "clean URLs",
    "indexes": "index names",
    "site": "the site generator",
    "heading_ids": "heading IDs",
    "wikilinks": "wikilinks",
    "include_ignored": "ignored files",
}


def _with_losses(result: Audit, lost: list[str], options: AuditOptions) -> Audit:
    """An audit with a finding for each document of the archive that could not be read. `lost`: the reasons."""
    rule = unread_rule().info
    made = with_fingerprints([file_finding(rule, "", Issue(text, cause=text)) for text in lost])
    if rule.code not in chosen_codes(options):
        return result
    new = [one for one in made if one.fingerprint not in options.known]
    findings = (*result.findings, *new)
    return replace(result, findings=findings, causes=group_by_cause(findings) if new else result.causes)


def _with_name(result: Audit, path: str) -> Audit:
    """The audit of an archive, from the audit of its files. `path`: the path of the archive.

    No correction is certain: `--fix` writes only files of a folder.
    """
    folder, name = os.path.split(path)
    prefix = f"{name}!"

    def named(inner: str) -> str:
        return prefix + inner if inner else name

    return replace(
        result,
        root=folder or os.curdir,
        archive=name,
        findings=tuple(
            finding._replace(path=named(finding.path), hint=finding.hint and finding.hint._replace(certain=False))
            for finding in result.findings
        ),
        superseded={
            code: tuple(finding._replace(path=named(finding.path)) for finding in found)
            for code, found in result.superseded.items()
        },
        coverage=sum_coverage([result.coverage], [prefix]),
        files=[named(file) for file in result.files],
        pages=frozenset(map(named, result.pages)),
    )
