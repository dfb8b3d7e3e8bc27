"""`linkfix audit --fix`: shows corrections, or writes them until no correction is left."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import click

from linkfix.auditing.fix import FixedFile, fix_references
from linkfix.auditing.model import Audit
from linkfix.cli.audit_run import AuditRun
from linkfix.cli.journal import LazyJournal, make_journal, shown_place, undo_hint
from linkfix.cli.report import format_message, removed_line, write_diff
from linkfix.display import pluralize, visible, visible_path
from linkfix.files import atomic
from linkfix.files.descriptors import FilePath
from linkfix.runs.diff import difference
from linkfix.runs.journal import FileId, FileReplacement, groups, replace_files

#: The largest number of rounds of audit and correction. A corrected reference may need another correction.
_ROUNDS = 10


def fix(ctx: click.Context, result: Audit, run: AuditRun) -> tuple[Audit, bool]:
    """Write the corrections, with a journal unless `--no-journal` is given.

    Returns an audit of the corrected files, and whether a file could not be read or written.
    """
    root = os.path.realpath(run.folder)
    wanted = not ctx.params["no_journal"]
    journal = LazyJournal((lambda: make_journal(ctx, [root], root, [root], in_git=True)) if wanted else None)
    try:
        return _apply(result, run, journal)
    finally:
        path = journal.close()
        if path is not None:
            run.say(f"{shown_place(path, root)}\n{undo_hint(path, [root])}")


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


def _apply(result: Audit, run: AuditRun, journal: LazyJournal) -> tuple[Audit, bool]:
    """Write the corrections. Returns an audit of the corrected files, and whether reading or writing a file failed."""
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
    """Write the corrections of one round. Yields each file; `error` is set if it could not be read or written."""
    root = os.path.realpath(run.folder)
    for group in groups(fix_references(result, run.options), lambda one: len(one.old)):
        replacements = [
            FileReplacement(FileId(0, _name(one.path, root)), one.file, one.old, one.new, one.status)
            for one in group
            if one.status is not None
        ]
        for one in group:
            if not one.error:
                _tidy(one, run, tidied)
        errors = iter(replace_files(journal.writer() if replacements else None, replacements))
        for one in group:
            error = next(errors) if one.status is not None else None
            yield one._replace(error=error.strerror or str(error)) if error else one


def _tidy(file: FixedFile, run: AuditRun, tidied: set[Path]) -> None:
    """Remove temporary files that a killed run left in the folder of a file, unless `tidied` contains the folder."""
    folder = Path(file.path).parent
    if folder not in tidied:
        tidied.add(folder)
        removed = atomic.remove_leftovers(FilePath(str(folder), file.root))
        if removed:
            run.say(removed_line(len(removed)))


def _name(path: str, root: str) -> str:
    return os.path.relpath(path, root).replace(os.sep, "/")
