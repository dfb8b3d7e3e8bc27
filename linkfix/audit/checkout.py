"""The changes in a git checkout since a revision, and the findings that they may cause."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from linkfix.audit.findings import group_by_cause
from linkfix.audit.model import Audit, Finding, Folder
from linkfix.audit.site import percent_decode
from linkfix.errors import InvalidOption
from linkfix.files.folder import INDEX_NAMES


class Changes(NamedTuple):
    """The names of changed files in the tree.

    A renamed file is deleted under its old name and changed under its new name.
    """

    changed: frozenset[str]
    """The files that are new or have different content."""
    deleted: frozenset[str]

    def affect(self, audit: Audit, finding: Finding) -> bool:
        """Whether a finding is in a changed file, or about a reference to a changed or deleted file."""
        if finding.path in self.changed:
            return True
        target = finding.target
        if target is None or not target.startswith(audit.base_url):
            return False
        name = percent_decode(target[len(audit.base_url) :].partition("#")[0].partition("?")[0])
        folder = name.removesuffix("/")
        names = {name, f"{folder}.html", *(f"{folder}/{index}".lstrip("/") for index in INDEX_NAMES)}
        return not names.isdisjoint(self.deleted | self.changed)


def changes(root: str, revision: str) -> Changes:
    """The changes in the folder `root` since it branched off from a revision: committed, uncommitted or untracked.

    The comparison is with the merge base, so that later changes on the revision's branch do not count. Without a merge
    base (a shallow clone), the comparison is with the revision itself. Raises `InvalidOption` if git cannot tell.
    """
    if revision.startswith("-") or not revision:
        message = f"{revision!r} is not a revision: give a branch, a tag or a commit"
        raise InvalidOption(message)
    if not _git(root, "rev-parse", "--is-inside-work-tree").startswith(b"true"):
        message = f"{root} is not in a git checkout: --diff-base needs one"
        raise InvalidOption(message)
    commit = _git(root, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").decode().strip()
    if not commit:
        message = (
            f"{revision!r} is not a revision of this checkout: fetch it (a shallow clone lacks it), or give another one"
        )
        raise InvalidOption(message)
    if _git(root, "check-ignore", "."):
        message = f"git ignores {root} and cannot list its changes: leave out --diff-base"
        raise InvalidOption(message)
    since = _git(root, "merge-base", commit, "HEAD").decode().strip() or commit
    listed = _git(root, "diff", "--name-status", "--no-renames", "--no-ext-diff", "--relative", "-z", since, "--")
    cells = _names(listed)
    status = dict(zip(cells[1::2], cells[::2], strict=True))
    untracked = _names(_git(root, "ls-files", "-z", "--others", "--exclude-standard"))
    deleted = frozenset(name for name, letter in status.items() if letter == "D")
    return Changes(frozenset([*status, *untracked]) - deleted, deleted)


def _names(output: bytes) -> list[str]:
    return [os.fsdecode(name) for name in output.split(b"\0")[:-1]]


def _git(root: str, *arguments: str) -> bytes:
    """The standard output of git; b"" if git fails.

    Raises `InvalidOption` if git is not installed or refuses to read the folder.
    """
    import subprocess  # few runs need it

    try:
        done = subprocess.run(  # noqa: S603 - a list of arguments, and no shell
            ["git", "-c", "core.fsmonitor=false", "-C", root, *arguments],  # noqa: S607 - the user's own git
            capture_output=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except FileNotFoundError:
        message = "--diff-base needs git, which is not installed"
        raise InvalidOption(message) from None
    if b"dubious ownership" in done.stderr:
        message = f"git refuses to read {root}, which belongs to another user: see 'git config safe.directory'"
        raise InvalidOption(message)
    return done.stdout if not done.returncode else b""


def narrow(audit: Audit, wanted: Callable[[Finding], bool]) -> Audit:
    """An audit with only the wanted findings. The other findings are counted in `hidden` as "unchanged"."""
    findings = [finding for finding in audit.findings if wanted(finding)]
    folders = {name: Folder(folder.pages, folder.links) for name, folder in audit.folders.items()}
    for finding in findings:
        folders[finding.path.rpartition("/")[0]].findings[finding.level.value] += 1
    return replace(
        audit,
        findings=tuple(findings),
        causes=group_by_cause(findings),
        folders=folders,
        hidden=audit.hidden + Counter(unchanged=len(audit.findings) - len(findings)),
    )
