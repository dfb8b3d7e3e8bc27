"""What an audit is asked to do."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

__all__ = ["AuditOptions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditOptions:
    """How a tree is judged, and which findings are wanted.

    `base_url`: the URL that the tree's root is served at; None: inferred. `select`, `ignore`: codes of rules, their
    beginnings ("LF3"), names, or "all". `per_file_ignores`: patterns as in .gitignore -> such words. `clean_urls`: "/a"
    stands for "/a.html". `charset`: the pages' encoding as a Content-Type header would state it. `include`, `exclude`:
    patterns; other files are no pages, but still targets. `max_size`: larger files, in bytes, are no pages either.
    `processes`: how many work. `known`: fingerprints of findings that are not to be told again. `only`: the names of
    the files whose findings are wanted; None: all. `lazy`, `social`, `json_ld`: as in `linkfix.model.Options`.
    """

    base_url: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    clean_urls: bool = False
    charset: str | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_size: int = 1 << 30
    processes: int = 1
    known: Collection[str] = frozenset()
    only: Collection[str] | None = None
    lazy: bool = False
    social: bool = False
    json_ld: bool = False
