"""Mends the findings whose hints are certain, in the bytes of their references alone.

A finding is found again by its span and its reference: a file that was changed since the audit is left as it is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple, cast

from linkfix.audit.listing import PageFile, listed
from linkfix.audit.model import Audit, Finding
from linkfix.audit.options import AuditOptions
from linkfix.document.document import Document
from linkfix.files import atomic
from linkfix.files.folder import selector
from linkfix.model import Link

__all__ = ["Fixed", "fixed"]


class Fixed(NamedTuple):
    """A file that can be mended: its name in the tree, its content and what that becomes, its encoding.

    `path`: where it is on disk, `status`: its status when it was read (for `linkfix.files.atomic.write`). `findings`: those
    that are mended. `error`: why the file could not be read, and then nothing is.
    """

    name: str
    old: bytes
    new: bytes
    encoding: str
    path: str
    status: os.stat_result | None
    findings: tuple[Finding, ...]
    error: str = ""


def fixed(audit: Audit, options: AuditOptions) -> Iterator[Fixed]:
    """The files of an audit that can be mended, one after the other; nothing is written here.

    Of several certain hints for one reference the first is followed: the next audit finds what is left.
    """
    certain: dict[str, list[Finding]] = {}
    for finding in audit.findings:
        if finding.hint is not None and finding.hint.certain and finding.hint.reference is not None:
            certain.setdefault(finding.path, []).append(finding)
    if not certain:
        return
    chosen = selector(options.include, options.exclude)
    pages = {page.name: page for page in listed(os.path.realpath(audit.root), chosen).pages}
    for name, findings in certain.items():
        page = pages.get(name)
        if page is None:
            continue
        try:
            one = _fixed(page, findings, options)
        except OSError as error:
            one = Fixed(name, b"", b"", "", page.path, None, (), error.strerror or str(error))
        if one.error or one.new != one.old:
            yield one


def _fixed(page: PageFile, findings: list[Finding], options: AuditOptions) -> Fixed:
    old, status = atomic.read(page.path, limit=options.max_size)
    document = Document(
        old,
        charset=options.charset,
        media_type=page.media_type,
        lazy=options.lazy,
        social=options.social,
        json_ld=options.json_ld,
    )
    wanted: dict[tuple[int, int, str], Finding] = {}
    for finding in findings:
        wanted.setdefault((finding.start, finding.end, finding.reference), finding)
    mended: list[Finding] = []

    def mend(link: Link) -> str | None:
        finding = wanted.pop((link.start, link.end, link.reference), None)
        if finding is None or finding.hint is None:
            return None
        mended.append(finding)
        return finding.hint.reference

    new = cast("bytes", document.rewrite(mend))
    return Fixed(page.name, old, new, document.encoding.name, page.path, status, tuple(mended))
