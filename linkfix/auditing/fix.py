"""Fix the references whose hints are certain, changing only the bytes of these references.

A finding is identified by its span and its reference, so that a reference that changed after the audit is not touched.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from linkfix.auditing.listing import PageFile, list_tree
from linkfix.auditing.model import Audit, AuditOptions, Finding
from linkfix.document.document import Document
from linkfix.files import atomic
from linkfix.files.descriptors import FilePath
from linkfix.files.folder import selector
from linkfix.html.vocabulary import MODULES
from linkfix.model import Link, MarkdownDialect


class FixedFile(NamedTuple):
    """A file with references that can be fixed."""

    name: str
    """The file's name in the tree."""
    old: bytes
    new: bytes
    encoding: str
    path: str
    """The file's path on disk."""
    status: os.stat_result | None
    """The file's status when it was read, for `linkfix.files.atomic.write`."""
    findings: tuple[Finding, ...]
    """The findings that are fixed."""
    error: str = ""
    """The reason that the file could not be read; "" if it was read."""
    root: str = ""
    """The real path of the tree."""

    @property
    def file(self) -> FilePath:
        """The path, for functions that follow no symbolic link on the way to it."""
        return FilePath(self.path, self.root)


def fix_references(audit: Audit, options: AuditOptions) -> Iterator[FixedFile]:
    """Yield the files of an audit that can be fixed. This writes nothing.

    If one reference has several certain hints, the first hint is used. The next audit finds the rest.
    """
    certain: dict[str, list[Finding]] = {}
    for finding in audit.findings:
        if finding.hint is not None and finding.hint.certain and finding.hint.reference is not None:
            certain.setdefault(finding.path, []).append(finding)
    if not certain:
        return
    chosen = selector(options.include, options.exclude)
    pages = {page.name: page for page in list_tree(os.path.realpath(audit.root), chosen).pages}
    for name, findings in certain.items():
        page = pages.get(name)
        if page is None:
            continue
        try:
            one = _fix_page(page, findings, options, audit.repository.place if audit.repository else "")
        except OSError as error:
            one = FixedFile(name, b"", b"", "", page.path, None, (), error.strerror or str(error), page.root)
        if one.error or one.new != one.old:
            yield one


def _fix_page(page: PageFile, findings: list[Finding], options: AuditOptions, bare_urls: str) -> FixedFile:
    old, status, _ = atomic.read(page.file, limit=options.max_size)
    document = Document(
        old,
        charset=options.charset,
        media_type=page.media_type,
        options=replace(options.options, rows=(*MODULES, *options.options.rows)),
    )
    # Dialects read more links than CommonMark. Only those of findings are written.
    document.dialect = MarkdownDialect(has_spaces=True, in_html=True, bare_urls=bare_urls)
    wanted: dict[tuple[int, int, str], Finding] = {}
    for finding in findings:
        wanted.setdefault((finding.start, finding.end, finding.reference), finding)
    used: list[Finding] = []

    def replacement(link: Link) -> str | None:
        finding = wanted.pop((link.start, link.end, link.reference), None)
        if finding is None or finding.hint is None:
            return None
        used.append(finding)
        return finding.hint.reference

    new = document.rewrite(replacement)
    return FixedFile(page.name, old, new, document.encoding.name, page.path, status, tuple(used), root=page.root)
