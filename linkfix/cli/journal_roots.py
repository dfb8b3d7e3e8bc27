"""Which folders a journal may change. Whoever wrote it chose its roots, so that they are not trusted.

Roots in the journal's own folder count, since whoever put the journal there could put files there too. Other roots,
and all roots of a journal that another user owns, count only where --root names them.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path

import click

from linkfix.cli.trust import reason_to_doubt
from linkfix.display import visible
from linkfix.files import atomic
from linkfix.journal.reader import Journal

__all__ = ["checked_roots", "root_arguments", "short_path", "shown_folders", "typed"]


def checked_roots(ctx: click.Context, journal: Journal, command: str) -> list[str]:
    """The folders that the trees of a journal are in now: those of --root, else those of its header.

    `command`: what is typed before the journal. Raises `UsageError` where --root has to name them, and where it names
    another number of folders.
    """
    roots = list(journal.header.roots)
    given = [os.path.realpath(root) for root in ctx.params["root"]]
    if given:
        if len(given) != len(roots):
            message = f"--root is given once for each folder of a journal, and this one is of {len(roots):,}"
            raise click.UsageError(message, ctx)
        return roots if set(given) == set(roots) else given
    doubt = _doubt(journal, str(ctx.params.get("resume") or ctx.params["journal"]))
    if doubt:
        shown = " ".join([command, typed(journal.path), *_arguments(roots)])
        these = "that folder is" if len(roots) == 1 else "these folders are"
        message = f"{doubt}: if {these} meant, {shown}"
        raise click.UsageError(message, ctx)
    return roots


def _doubt(journal: Journal, given: str) -> str:
    """Why the roots of a journal may be a stranger's; "" for those that count. `given`: its path as it was given."""
    outside = [root for root in journal.header.roots if not _is_beside(journal.path, root)]
    if outside:
        return f"{visible(outside[0])} is not in the folder of the journal {typed(journal.path)}"
    is_journal = os.path.realpath(given) == journal.path  # it may be the folder that the journal is beside
    doubt = reason_to_doubt(Path(given if is_journal else journal.path), None, journal.status)
    return f"{typed(journal.path)} cannot be trusted: {visible(doubt)}" if doubt else ""


def _is_beside(journal: str, root: str) -> bool:
    """Whether a root is the folder that a journal is in, or below it, and no symbolic link leads out."""
    return Path(root).is_absolute() and atomic.is_inside(os.path.realpath(root), str(Path(journal).parent))


def root_arguments(journal: str, roots: Sequence[str]) -> list[str]:
    """The words of --root for an own journal, as they are typed: none where its roots count without it."""
    return [] if all(_is_beside(journal, root) for root in roots) else _arguments(roots)


def _arguments(roots: Sequence[str]) -> list[str]:
    return [f"--root {typed(root)}" for root in roots]


def shown_folders(roots: Sequence[str]) -> str:
    """Folders as a message names them."""
    return ", ".join(visible(short_path(root)) for root in roots)


def typed(path: str) -> str:
    """A real path as a person would type it here, quoted."""
    return visible(shlex.quote(short_path(path)))


def short_path(path: str) -> str:
    """A real path as a person would type it here."""
    here = os.path.realpath(os.curdir)
    return os.path.relpath(path, here) if atomic.is_inside(path, here) else path
