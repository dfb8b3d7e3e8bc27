"""An audit with the parameters of the command, which can run again: options, baseline, changes in git, progress.

`linkfix audit` and its fixes use it. It writes no report and decides no exit status.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from linkfix.auditing.archive import archive_format
from linkfix.auditing.engine import audit
from linkfix.auditing.listing import list_tree
from linkfix.auditing.model import Audit, AuditOptions
from linkfix.auditing.mounts import Tree
from linkfix.auditing.selection import Changes, changes, narrow, with_renames
from linkfix.cli.options import fields_of
from linkfix.cli.report import Progress, format_problem, print_problems
from linkfix.containers import FORMATS
from linkfix.containers.formats import unread_problem
from linkfix.display import pluralize, visible
from linkfix.encodings.encoding import lookup
from linkfix.files.folder import EntryKind, FileTree, selector
from linkfix.model import Options
from linkfix.runs.workers import core_count

if TYPE_CHECKING:
    from linkfix.auditing.findings import KnownFinding


#: The largest number of unchecked archives that a message names.
_NAMED = 3


class AuditRun(NamedTuple):
    """An audit that can be repeated."""

    folders: tuple[str, ...]
    """The paths of the folders, as the user gave them."""
    options: AuditOptions
    """The options of the audit."""
    changes: Changes | None
    """The changes that git reports; findings about anything else are left out. None to keep all findings."""
    quiet: bool
    """Whether only the report and errors are printed."""
    trees: tuple[Tree, ...] = ()
    """The other folders of the audit (`--tree`)."""
    baseline: tuple[KnownFinding, ...] = ()
    """The known findings, from the baseline file."""
    archive: str = ""
    """The format of the archive that is audited in place of a folder: a key of `CONTAINERS`; "" for folders."""

    @classmethod
    def of(cls, parameters: dict[str, Any]) -> AuditRun:
        """The audit for a command's parameters. Raises `LinkfixError` and `OSError`."""
        if parameters["charset"] is not None:
            lookup(parameters["charset"])
        options = AuditOptions(
            **fields_of(AuditOptions, parameters),
            options=Options(**fields_of(Options, parameters)),
            base_url=parameters["root_url"],
            processes=parameters["jobs"] or core_count(),
        )
        entries: tuple[KnownFinding, ...] = ()
        if parameters["baseline"] and not parameters["write_baseline"]:
            from linkfix.auditing.findings import read_baseline  # few runs have one

            entries = read_baseline(parameters["baseline"])
            options = replace(options, known=frozenset(entry.fingerprint for entry in entries))
        folders, revision = parameters["dir"], parameters["diff_base"]
        changed = None if revision is None else changes(folders[0], revision)
        trees = tuple(Tree(*tree) for tree in parameters["trees"])
        archive = archive_format(folders[0])
        return cls(folders, options, changed, parameters["quiet"], trees, entries, archive)

    def audit(self) -> Audit:
        """Audit the folder in its current state."""
        with Progress(drawn=sys.stderr.isatty() and not self.quiet, measure=self._size) as progress:
            result = self._audit(lambda size, links: progress.advance(size=size, links=links))
        if self.baseline:
            result = replace(result, outdated=len(self.outdated(result)))
        changed = self.changes
        if len(self.folders) == 1 and not self.trees and not self.archive:
            result = with_renames(result, changed)
        return result if changed is None else narrow(result, lambda finding: changed.affect(result, finding))

    def outdated(self, result: Audit) -> frozenset[KnownFinding]:
        """The entries of the baseline that no longer occur."""
        from linkfix.auditing.findings import outdated_entries  # few runs have one

        return outdated_entries(self.baseline, result)

    @property
    def folder(self) -> str:
        """The path of the first folder."""
        return self.folders[0]

    def _audit(self, progress: Callable[[int, int], None]) -> Audit:
        if self.archive:
            return self._audit_archive(progress)
        if len(self.folders) == 1 and not self.trees:
            return audit(self.folder, self.options, progress=progress)
        from linkfix.auditing.several_trees import audit_sites, audit_trees  # few runs have several folders

        if not self.trees:
            return audit_sites(self.folders, self.options, progress=progress)
        first = Tree(self.options.base_url or "", self.folder)
        return audit_trees([first, *self.trees], self.options, progress=progress)

    def _audit_archive(self, progress: Callable[[int, int], None]) -> Audit:
        from linkfix.auditing.archive import audit_archive  # few runs have an archive
        from linkfix.runs.convert import ContainerCounts

        counts = ContainerCounts()
        result = audit_archive(self.folder, self.options, progress=progress, note=counts.note)
        print_problems(self.folder, counts.problems, counts.problem_count - len(counts.problems))
        return result

    def _size(self) -> int:
        if self.archive:
            return Path(self.folder).stat().st_size
        folders = [*self.folders, *(tree.folder for tree in self.trees)]
        chosen = selector(self.options.include, self.options.exclude)
        return sum(list_tree(os.path.realpath(folder), chosen).size for folder in folders)

    def say_archives(self, result: Audit) -> None:
        """Print which archives of pages in the folder were not checked: the audit reads only files."""
        if self.archive:
            return
        tree = FileTree(os.path.realpath(result.root), formats=FORMATS)
        chosen = selector(self.options.include, self.options.exclude)
        entries = [
            tree.entry(name, chosen=chosen) for name in result.files if name.lower().endswith(FORMATS.suffixes())
        ]
        for entry in entries:
            if entry.kind is EntryKind.UNREAD:
                self.say(format_problem(str(Path(result.root, entry.name)), unread_problem(entry.text, entry.problem)))
        found = [entry.name for entry in entries if entry.kind is EntryKind.CONTAINER]
        if found:
            names = ", ".join(map(visible, found[:_NAMED])) + (", …" if len(found) > _NAMED else "")
            advice = "give an archive alone, as in 'linkfix audit book.epub'"
            self.say(f"linkfix audit: {pluralize(len(found), 'archive')} not checked ({names}): {advice}")

    def names(self, result: Audit) -> Iterator[str]:
        """Yield the names of the files in each folder, as the patterns of options see them."""
        if self.archive:
            yield from (name.partition("!")[2] for name in result.files)
            return
        root = os.path.realpath(result.root)
        for folder in (*self.folders, *(tree.folder for tree in self.trees)):
            inner = os.path.relpath(os.path.realpath(folder), root).replace(os.sep, "/")
            prefix = "" if inner == os.curdir else f"{inner}/"
            yield from (name.removeprefix(prefix) for name in result.files if name.startswith(prefix))

    def say(self, line: str) -> None:
        """Print a line on standard error, unless the run is quiet."""
        if not self.quiet:
            click.echo(line, err=True)
