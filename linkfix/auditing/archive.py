"""The audit of an archive: as a folder if its files refer to each other by name, else by the URLs of its captures."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace

from linkfix.auditing.engine import audit, audit_captures
from linkfix.auditing.model import Audit, AuditOptions, sum_coverage
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
    if CONTAINERS[format_].keeps_names:
        from linkfix.runs.archive_files import archive_files

        with archive_files(path, format_, options.max_size, note) as folder:
            return _with_name(audit(folder, options, progress=progress), path)
    from linkfix.runs.captured_documents import captured_documents

    with captured_documents(path, format_, options.max_size, note) as captures:
        return _with_name(audit_captures(captures, options, progress=progress), path)


def _with_name(result: Audit, path: str) -> Audit:
    """The audit of an archive, from the audit of its files. `path`: the path of the archive."""
    folder, name = os.path.split(path)
    prefix = f"{name}!"

    def named(inner: str) -> str:
        return prefix + inner if inner else name

    return replace(
        result,
        root=folder or os.curdir,
        archive=name,
        findings=tuple(finding._replace(path=named(finding.path)) for finding in result.findings),
        superseded={
            code: tuple(finding._replace(path=named(finding.path)) for finding in found)
            for code, found in result.superseded.items()
        },
        coverage=sum_coverage([result.coverage], [prefix]),
        files=[named(file) for file in result.files],
        pages=frozenset(map(named, result.pages)),
    )
