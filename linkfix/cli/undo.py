"""The command `linkfix undo`: restore the files that a run changed in place, from the run's journal.

A file that changed again after the run stays as it is, and is reported.
"""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from pathlib import Path

import click

from linkfix.cli import COMMANDS
from linkfix.cli.help import Command
from linkfix.cli.journal import checked_roots, find_journal, short_path, shown_folders, typed
from linkfix.cli.options import journal_root, quiet_option
from linkfix.cli.settings import ExistingPath
from linkfix.display import pluralize, visible, visible_path
from linkfix.runs.journal import Journal
from linkfix.runs.undo import undo


@click.command(
    "undo",
    short_help=COMMANDS["undo"].summary,
    cls=Command,
    examples={
        "Restore a folder": "linkfix undo site",
        "List the files that would be restored": "linkfix undo site --dry-run",
    },
)
@click.argument("journal", metavar="JOURNAL|PATH", type=ExistingPath())
@journal_root("was moved, or is neither the folder of the journal nor inside it")
@click.option(
    "--keep-hard-links/--no-keep-hard-links",
    help="Overwrite a file with several names (hard links), so that it is restored under all of them, also outside the "
    "folder. By default, the name in the folder becomes a separate file.",
)
@click.option("--dry-run", is_flag=True, help="Change nothing; list the files that would be restored.")
@quiet_option("Print only errors, and files that changed after the run.")
@click.pass_context
def command(ctx: click.Context, /, **_: object) -> None:
    """Undo a run: restore the files that linkfix changed in place.

    JOURNAL is the journal of 'linkfix absolutize --in-place' or 'linkfix audit --fix'. PATH is the changed folder or
    file: the last run that is not undone yet has its journal beside it or in its git directory. The bytes and the
    modification time of each file are restored. Files that changed after the run are listed and skipped. If an undo was
    stopped, run it again.

    Exit codes: 0 success; 1 some files changed after the run; 2 wrong usage, or a file that could not be read or
    written.
    """
    parameters = ctx.params
    quiet, dry_run, keep_hard_links = (parameters[name] for name in ("quiet", "dry_run", "keep_hard_links"))
    counts: Counter[str] = Counter()
    separated = 0
    found = find_journal(ctx, parameters["journal"])
    with Journal(found.path) as journal:
        roots = _roots(ctx, journal)
        if not quiet:
            click.echo(f"{'would undo' if dry_run else 'undoing'} changes in {_shown(journal, roots)}", err=True)
        for one in undo(journal, roots, dry_run=dry_run, keep_hard_links=keep_hard_links):
            counts[one.action] += 1
            separated += one.separated and not keep_hard_links
            name = visible_path(short_path(one.path))
            if one.message:
                click.echo(f"{name}: {visible(one.message)}", err=True)
            elif dry_run and one.action == "restored":
                click.echo(name)
        if not (dry_run or counts["failed"]) and roots == list(journal.header.roots):  # not of a moved or copied folder
            with contextlib.suppress(OSError):  # a journal that only its reader has
                journal.note_undone()
    if not quiet:
        _print_summary(counts, dry_run=dry_run)
        if separated:
            would = "would separate" if dry_run else "separated"
            links = f"{would} the hard links of {pluralize(separated, 'file')}: --keep-hard-links keeps them together"
            click.echo(links, err=True)
        if found.earlier and not (dry_run or counts["failed"]):
            name = typed(os.path.realpath(parameters["journal"]))
            runs = pluralize(found.earlier, "earlier run")
            click.echo(f"{name} was changed by {runs}: run linkfix undo {name} again", err=True)
    ctx.exit(2 if counts["failed"] else int(counts["changed"] > 0))


def _roots(ctx: click.Context, journal: Journal) -> list[str]:
    """Return the roots of a journal's trees. Raises `UsageError`."""
    roots = checked_roots(ctx, journal, "linkfix undo")
    for root in roots:
        if not Path(root).is_dir():
            message = f"the folder {visible(root)} no longer exists: if it was moved, give --root DIR"
            raise click.UsageError(message, ctx)
    return roots


def _shown(journal: Journal, roots: list[str]) -> str:
    """The changed folders, or the one file that the run changed, as a message names them."""
    files = {change.file for change in journal.changes}
    if len(files) != 1:
        return shown_folders(roots)
    (file,) = files
    return shown_folders([str(Path(roots[file.root], *file.name.split("/")))])


def _print_summary(counts: Counter[str], *, dry_run: bool) -> None:
    parts = [
        f"{pluralize(counts['restored'], 'file')} {'to restore' if dry_run else 'restored'}",
        *([f"{counts['same']:,} unchanged"] if counts["same"] else []),
        *([f"{counts['changed']:,} changed after the run and skipped"] if counts["changed"] else []),
        *([pluralize(counts["failed"], "error")] if counts["failed"] else []),
    ]
    click.echo(", ".join(parts), err=True)
