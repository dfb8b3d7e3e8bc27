"""Whether a settings file that was found above a folder is the user's own, or may be somebody else's.

It is somebody else's if

- another user owns it, or owns the symbolic link that it is. Root's files are trusted, since root can change everything
  anyway; so are, for root under sudo, the files of the user who called sudo (as git does it: safe.directory). Windows
  has no such owners, and nothing is checked there;
- it lies above the root of the repository that the working folder is in: whoever made that repository, the file is no
  part of it.

A container of a CI service often runs as another user than the owner of the checkout, which looks no different from a
stranger's folder: there the file has to be named, with --config.
"""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["is_repository_root", "reason_to_doubt"]

#: What is in the root of a repository: a folder, or a file in a worktree or submodule.
_MARKS = (".git", ".hg", ".jj")


def is_repository_root(folder: Path) -> bool:
    """Whether a folder is the root of a repository of git, Mercurial or Jujutsu."""
    return any(os.path.lexists(folder / mark) for mark in _MARKS)


def reason_to_doubt(path: Path, repository: Path | None, status: os.stat_result) -> str:
    """Why a settings file may be somebody else's; "" if it is the user's own.

    `repository`: the root that the search for the file has left, or None. `status`: that of the open file.
    """
    if repository is not None:
        return f"the file is above the repository {repository}"
    if not hasattr(os, "geteuid"):
        return ""
    user = os.geteuid()
    trusted = {user, 0}
    caller = os.environ.get("SUDO_UID", "")
    if user == 0 and caller.isdecimal():
        trusted.add(int(caller))
    for owner in (status.st_uid, path.lstat().st_uid):
        if owner not in trusted:
            return f"the file belongs to user {owner}, and this is user {user}"
    return ""
