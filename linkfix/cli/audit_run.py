"""One audit as the command line asks for it, and `--fix`: corrections are shown, or written until none is left."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import click

from linkfix.audit import baseline
from linkfix.audit.checkout import Changes, changes, narrow
from linkfix.audit.engine import audit
from linkfix.audit.fix import FixedFile, fix_references
from linkfix.audit.listing import list_tree
from linkfix.audit.model import Audit
from linkfix.audit.options import AuditOptions
from linkfix.cli.journal import LazyJournal
from linkfix.cli.progress import Progress
from linkfix.cli.report import format_message, format_problem, removed_line, write_diff
from linkfix.containers import FORMATS
from linkfix.display import pluralize, visible, visible_path
from linkfix.encodings.labels import lookup
from linkfix.files import atomic
from linkfix.files.descriptors import FilePath
from linkfix.files.folder import EntryKind, FileTree, selector
from linkfix.journal.records import FileId
from linkfix.journal.replacing import FileReplacement, replace_files
from linkfix.journal.writer import GROUP_FILES, GROUP_SIZE
from linkfix.runs.diff import difference
from linkfix.runs.reader import unread_problem
from linkfix.runs.workers import core_count

__all__ = ["AuditRun", "apply_fixes", "print_fixes"]

#: How often --fix audits and corrects: a corrected reference may need another correction, but not for ever.
_ROUNDS = 10
#: The parameters that are fields of `AuditOptions` by the same name.
_FIELDS = frozenset(AuditOptions.__dataclass_fields__)
#: How many archives are named that were not checked.
_NAMED = 3


class AuditRun(NamedTuple):
    """An audit that can be repeated."""

    folder: str
    """The folder, as it was given."""
    options: AuditOptions
    """How its pages are checked."""
    changes: Changes | None
    """What git says has changed, if only findings about that are wanted."""
    quiet: bool
    """Whether only the report and errors are printed."""

    @classmethod
    def of(cls, parameters: dict[str, Any]) -> AuditRun:
        """The audit that a command's parameters ask for. Raises `LinkfixError` and `OSError`."""
        if parameters["charset"] is not None:
            lookup(parameters["charset"])
        options = AuditOptions(
            **{name: value for name, value in parameters.items() if name in _FIELDS},
            base_url=parameters["root_url"],
            processes=parameters["jobs"] or core_count(),
        )
        if parameters["baseline"] and not parameters["write_baseline"]:
            options = replace(options, known=baseline.read(parameters["baseline"]))
        folder, revision = parameters["folder"], parameters["diff_base"]
        changed = None if revision is None else changes(folder, revision)
        return cls(folder, options, changed, parameters["quiet"])

    def audit(self) -> Audit:
        """Audit the folder as it is now."""
        with Progress(drawn=sys.stderr.isatty() and not self.quiet, measure=self._size) as progress:
            result = audit(
                self.folder, self.options, progress=lambda size, links: progress.advance(size=size, links=links)
            )
        changed = self.changes
        return result if changed is None else narrow(result, lambda finding: changed.affect(result, finding))

    def _size(self) -> int:
        return list_tree(os.path.realpath(self.folder), selector(self.options.include, self.options.exclude)).size

    def tidy(self, file: FixedFile, tidied: set[Path]) -> None:
        """Remove what a killed run left behind in the folder of a file, unless it is one of those that are `tidied`."""
        folder = Path(file.path).parent
        if folder not in tidied:
            tidied.add(folder)
            removed = atomic.remove_leftovers(FilePath(str(folder), file.root))
            if removed:
                self.say(removed_line(len(removed)))

    def say_archives(self, result: Audit) -> None:
        """Say which archives of pages in the folder were not checked: the audit reads files only."""
        tree = FileTree(os.path.realpath(self.folder), formats=FORMATS)
        chosen = selector(self.options.include, self.options.exclude)
        entries = [
            tree.entry(name, chosen=chosen) for name in result.files if name.lower().endswith(FORMATS.suffixes())
        ]
        for entry in entries:
            if entry.kind is EntryKind.UNREAD:
                self.say(format_problem(str(Path(self.folder, entry.name)), unread_problem(entry.text)))
        containers = [entry.name for entry in entries if entry.kind is EntryKind.CONTAINER]
        if containers:
            names = ", ".join(map(visible, containers[:_NAMED])) + (", …" if len(containers) > _NAMED else "")
            count = pluralize(len(containers), "archive")
            self.say(f"linkfix audit: {count} not checked ({names}): 'linkfix unpack' makes a folder of an archive")

    def say(self, line: str) -> None:
        """Print a line on standard error, unless the run is quiet."""
        if not self.quiet:
            click.echo(line, err=True)


def print_fixes(result: Audit, run: AuditRun) -> bool:
    """Print the corrections as a diff. Returns whether a file could not be read."""
    failed = False
    for one in fix_references(result, run.options):
        name = str(Path(run.folder, one.name))
        if one.error:
            failed = True
            click.echo(format_message(name, one.error), err=True)
        write_diff(difference(name, one.old, one.new, one.encoding))
    return failed


def apply_fixes(result: Audit, run: AuditRun, journal: LazyJournal) -> tuple[Audit, bool]:
    """Write the corrections. Returns an audit of the result, and whether a file could not be read or written."""
    references = failed = 0
    names: set[str] = set()
    tidied: set[Path] = set()
    for _ in range(_ROUNDS):
        done = 0
        for one in _write_fixes(result, run, journal, tidied):
            name = str(Path(run.folder, one.name))
            if one.error:
                failed += 1
                click.echo(format_message(name, one.error), err=True)
                continue
            done += len(one.findings)
            names.add(one.name)
            for finding in one.findings:
                new = finding.hint.reference if finding.hint else ""
                change = visible(f"{finding.reference} -> {new}")
                run.say(f"{visible_path(name)}:{finding.line}:{finding.column}: {change} [{finding.code}]")
        if not done:
            break
        references += done
        result = run.audit()
        if failed:
            break
    run.say(f"corrected {pluralize(references, 'reference')} in {pluralize(len(names), 'file')}")
    return result, bool(failed)


def _write_fixes(result: Audit, run: AuditRun, journal: LazyJournal, tidied: set[Path]) -> Iterator[FixedFile]:
    """Write the corrections of one round; yield the files, those that could not be read or written with the reason."""
    root = os.path.realpath(run.folder)
    for group in _groups(fix_references(result, run.options)):
        replacements = [
            FileReplacement(FileId(0, _name(one.path, root)), one.file, one.old, one.new, one.status)
            for one in group
            if one.status is not None
        ]
        for one in group:
            if not one.error:
                run.tidy(one, tidied)
        errors = iter(replace_files(journal.writer() if replacements else None, replacements))
        for one in group:
            error = next(errors) if one.status is not None else None
            yield one._replace(error=error.strerror or str(error)) if error else one


def _name(path: str, root: str) -> str:
    return os.path.relpath(path, root).replace(os.sep, "/")


def _groups(files: Iterator[FixedFile]) -> Iterator[list[FixedFile]]:
    """The files in the groups whose old bytes are made durable together."""
    group: list[FixedFile] = []
    for one in files:
        group.append(one)
        if len(group) == GROUP_FILES or sum(len(file.old) for file in group) > GROUP_SIZE:
            yield group
            group = []
    if group:
        yield group
