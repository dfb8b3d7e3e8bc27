"""The audit as a function of the library."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Unpack

from linkfix.auditing.engine import audit as audit_folder
from linkfix.auditing.model import Audit, AuditFields, AuditOptions
from linkfix.errors import InvalidOption, check_str
from linkfix.model import Options, Problem, unknown_keyword


def audit(
    path: str | os.PathLike[str],
    *,
    root_url: str | None = None,
    progress: Callable[[int, int], None] | None = None,
    note: Callable[[Problem], None] | None = None,
    **options: Unpack[AuditFields],
) -> Audit:
    """Check the references of the pages in a folder or in an archive, offline, as `linkfix audit` does.

    `path`: the folder, or the path of an archive. `root_url`: the URL that the folder is served at; None to infer it.
    `options`: the fields of `AuditOptions`, such as `select`, `ignore`, `include` and `exclude`. `progress`: called
    with the size in bytes and the number of links of each page. `note`: called with each problem of an archive.

    The findings are in `Audit.findings`. Faults of pages raise nothing. Raises a LinkfixError for a caller's mistake,
    `TypeError` for an unknown keyword and for a path of another type, and `OSError` if the archive cannot be read.

    >>> result = audit("fixtures/site", root_url="https://lamp.example/", select=("folder-without-index",))
    >>> finding = result.findings[0]
    >>> finding.path, finding.line, finding.name, finding.reference
    ('docs/guide/intro.html', 8, 'folder-without-index', '../')
    """
    name = _checked(path)
    for keyword in options.keys() - AuditFields.__annotations__.keys():
        raise _unknown(keyword)
    chosen = AuditOptions(base_url=root_url, **options)
    if os.path.isfile(name):
        from linkfix.auditing.archive import audit_archive  # few runs have an archive

        return audit_archive(name, chosen, progress=progress, note=note or _ignore)
    return audit_folder(name, chosen, progress=progress)


#: Options of the command and of `linkfix.Audit`, each with the keyword that is meant.
_OTHER_KEYWORDS = {
    "jobs": "processes",
    "mount": "mounts",
    "index": "indexes",
    "replace": "replacements",
    "base_url": "root_url",
    "baseline": "known",
}
#: Options of the command -> the field of `linkfix.Options`.
_OF_OPTIONS = {"row": "rows"}
_OWN_KEYWORDS = ("root_url", "progress", "note")


def _checked(path: str | os.PathLike[str]) -> str:
    """The path as a str. Raises TypeError and InvalidOption."""
    name = os.fspath(path) if isinstance(path, os.PathLike) else path
    check_str("path of the folder or archive", name)
    if not name:
        message = 'the path of the folder is empty: write "." for the current folder'
        raise InvalidOption(message)
    return name


def _unknown(keyword: str) -> TypeError:
    field = _OF_OPTIONS.get(keyword, keyword)
    if field in Options.__annotations__:
        return TypeError(f"unexpected keyword argument {keyword!r}: write options=linkfix.Options({field}=…)")
    return unknown_keyword(keyword, [*_OWN_KEYWORDS, *AuditFields.__annotations__], _OTHER_KEYWORDS)


def _ignore(_problem: Problem) -> None:
    """A `note` that keeps nothing."""
