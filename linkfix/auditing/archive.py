"""The audit of an archive, from the audit of a folder with its files."""

from __future__ import annotations

import os
from dataclasses import replace

from linkfix.auditing.model import Audit, sum_coverage


def in_archive(result: Audit, path: str) -> Audit:
    """Return the audit of an archive. The names of its files have the archive's name before them: `book.epub!a.xhtml`.

    `result`: the audit of a folder with its files. `path`: the path of the archive.
    """
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
