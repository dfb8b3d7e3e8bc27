"""The options of an audit."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from linkfix.constraints import check_fields
from linkfix.model import Scripting

__all__ = ["AuditOptions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditOptions:
    """The options of an audit. Raises InvalidOption for a wrong value."""

    base_url: str | None = None
    """The URL that the tree's root is served at; None: it is inferred."""
    select: tuple[str, ...] = ()
    """The rules that run: codes, beginnings of codes ("LF3"), names, or "all"."""
    ignore: tuple[str, ...] = ()
    """Rules that do not run."""
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Patterns as in .gitignore -> rules that are ignored in files that match."""
    ignore_target: tuple[str, ...] = ()
    """Patterns of targets whose findings are left out: see `linkfix.audit.ignored_targets`."""
    mounts: tuple[tuple[str, str], ...] = ()
    """Paths on the tree's host or URLs, and the folders that are served there: references may lead to their files."""
    clean_urls: bool = False
    """Whether the server answers "/a" with "/a.html"."""
    heading_ids: str | None = None
    """How the headings of Markdown get their IDs; None: as settings of MkDocs beside the tree say, else "any"."""
    charset: str | None = None
    """The encoding of the pages, as a Content-Type header would state it."""
    include: tuple[str, ...] = ()
    """Patterns of the files that are checked; other files are only targets."""
    exclude: tuple[str, ...] = ()
    """Patterns of files that are not checked."""
    include_ignored: bool = False
    """Whether files that git ignores, and those in `node_modules/`, are checked too."""
    max_size: int = 1 << 30
    """Files with more bytes are not checked."""
    processes: int = 1
    """The number of processes for a large tree."""
    known: Collection[str] = frozenset()
    """Fingerprints of findings that are left out."""
    only: Collection[str] | None = None
    """The names of the files whose findings are wanted; None: all."""
    lazy: bool = False
    """As in `linkfix.model.Options`, like the next two."""
    social: bool = False
    json_ld: bool = False
    scripting: Scripting | None = None
    """As in `linkfix.model.Options`."""

    def __post_init__(self) -> None:
        check_fields(self)
