"""The repository that holds the audited folder, and the hosts that show it: GitHub, GitLab and Bitbucket.

The files of git are read as data, and git never runs. They count if they are the user's own, and if the git directory
names this work tree: the files of a work tree can come from anybody.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from linkfix.files import atomic
from linkfix.files.folder import git_directory, reason_to_doubt
from linkfix.lazy import lazy_pattern


class Host(NamedTuple):
    """The fragments that a host's pages know besides the IDs of a file."""

    lines: re.Pattern[str]
    """The form of one line or a range of lines. The groups are the numbers of the first and the last line."""
    prefix: str = ""
    """The prefix of the IDs in a page, which a fragment may have or leave out."""
    ignores_case: bool = False
    """Whether a script finds IDs in lower case for fragments in any case."""
    has_readme: bool = False
    """Whether the README of a folder has the ID `readme`."""


#: `#L10`, `#L10-L20`, `#L10C5-L20C3`; on GitLab also `#L10-20`.
_LINES = re.compile(r"L(\d{1,18})(?:C\d+)?(?:-L?(\d{1,18})(?:C\d+)?)?")

_GITHUB = Host(_LINES, "user-content-", ignores_case=True, has_readme=True)

#: The scheme of heading IDs -> the host whose pages may show the sources; `any` may be each of them.
HOSTS = {
    "any": _GITHUB,
    "github": _GITHUB,
    "gitlab": Host(_LINES, "user-content-", has_readme=True),
    "bitbucket": Host(re.compile(r"lines-(\d{1,18})(?::(\d{1,18}))?")),
}

#: The largest file of git that is read, in bytes.
_LARGEST = 1 << 18

#: The branches that are the current one on most hosts, or may be shown as it.
_BRANCHES = ("HEAD", "main", "master")

_BRANCH = lazy_pattern(r"ref: refs/heads/(\S+)\s*")

_SECTION = lazy_pattern(r"\s*\[([^\]\n]*)\]")

_REMOTE = lazy_pattern(r'remote\s+"([^"\\]*)"\s*', re.IGNORECASE)

_URL_KEY = lazy_pattern(r"\s*url\s*=\s*\"?([^\s\"#;]+)", re.IGNORECASE)

#: The forms of a remote (git-clone(1), "Git URLs"): a URL, or `user@host:path`. The groups are the host and the path.
_LOCATIONS = (
    lazy_pattern(r"(?:https?|ssh|git)://(?:[^/@]*@)?([\w.-]+)(?::\d+)?/+([^?#]+)"),
    lazy_pattern(r"(?:[^/@:]+@)?(\w[\w-]*(?:\.[\w-]+)+):(?![/\\])([^?#]+)"),
)

#: The part of a URL between the repository and the branch: on GitHub and Gitea, on GitLab (`/-/`), on Bitbucket.
_SHOWN = lazy_pattern(r"(?:/-)?/(?:blob|tree|raw|blame|edit|commits|src/branch|src|annotate)/(?:refs/heads/)?")

_GITHUB_COM = "github.com/"

_RAW_HOST, _RAW = "raw.githubusercontent.com", lazy_pattern(r"/(?:refs/heads/)?")


class Repository(NamedTuple):
    """The repository of the audited folder, as its host shows it."""

    place: str
    """The host and the path of the repository, in lower case: `github.com/owner/name`."""
    folder: str
    """The path of the audited folder in the work tree, with a final slash; "" for the work tree itself."""
    branches: tuple[str, ...]

    def url_of(self, name: str) -> str:
        """The URL at which the host shows a file of the audited folder; "" if its form is not known."""
        if not self.place.startswith(_GITHUB_COM):
            return ""
        return f"https://{self.place}/blob/{quote(self.branches[0])}/{quote(self.folder + name)}"

    def path_of(self, url: str) -> str | None:
        """The percent-encoded path in the work tree that a URL of the host shows; None for any other URL."""
        scheme, _, rest = url.partition("://")
        if scheme not in {"http", "https"}:
            return None
        rest = rest.partition("#")[0].partition("?")[0]
        for place, shown in self._places():
            after = rest[len(place) :]
            if rest[: len(place)].lower() != place or after[:1] not in {"", "/"}:
                continue
            if not after.strip("/") and place == self.place:
                return ""
            match = shown.match(after)
            if match is not None:
                return self._after_branch(after[match.end() :])
        return None

    def inner(self, path: str) -> str | None:
        """The name in the audited folder of a decoded path in the work tree; None outside the folder."""
        return path[len(self.folder) :] if f"{path}/".startswith(self.folder) else None

    def _places(self) -> Iterator[tuple[str, re.Pattern[str]]]:
        yield self.place, _SHOWN
        path = self.place.partition("/")[2]
        if self.place.startswith(_GITHUB_COM):
            yield f"{_RAW_HOST}/{path}", _RAW

    def _after_branch(self, rest: str) -> str | None:
        for branch in self.branches:
            if rest == branch or rest.startswith(f"{branch}/"):
                return rest[len(branch) + 1 :]
        return None


class WorkTree(NamedTuple):
    """The work tree around the audited folder, whose root is where hosts begin paths with a slash."""

    root: str
    """Its real path."""
    folder: str
    """The path of the audited folder in it, with a final slash."""

    def has(self, path: str) -> bool:
        """Whether it has a file or a folder at a path, which does not lead out of it."""
        whole = os.path.normpath(f"{self.root}/{path}")
        return "\0" not in path and whole.startswith(f"{self.root}{os.sep}") and os.path.lexists(whole)


def find_work_tree(root: str) -> WorkTree | None:
    """The work tree of git that the folder at the real path `root` is a part of; None if there is none around it."""
    top = next((one for one in Path(root).parents if os.path.lexists(one / ".git")), None) if root else None
    is_top = top is None or os.path.lexists(f"{root}/.git")
    return None if is_top else WorkTree(str(top), f"{os.path.relpath(root, top).replace(os.sep, '/')}/")


def find_repository(root: str) -> Repository | None:
    """The repository that holds the folder at the real path `root`; None if its host is not known. Never raises."""
    top = next((one for one in (Path(root), *Path(root).parents) if os.path.lexists(one / ".git")), None)
    if top is None:
        return None
    try:
        git = git_directory(top)
        place = git and _place(_read(_common(git) / "config"))
        if not git or not place:
            return None
        branch = _BRANCH.fullmatch(_read(git / "HEAD"))
    except (OSError, ValueError):  # a NUL in a path, for one
        return None
    inner = os.path.relpath(root, top).replace(os.sep, "/")
    branches = (branch[1], *_BRANCHES) if branch is not None else _BRANCHES
    return Repository(place, "" if inner == "." else f"{inner}/", tuple(dict.fromkeys(branches)))


def _common(git: Path) -> Path:
    """The git directory with the configuration: for a linked work tree, the one that its own directory is in."""
    named = git / "commondir"
    if not os.path.isfile(named):
        return git
    above = Path(os.path.realpath(git)).parent.parent
    if os.path.realpath(git / _read(named).strip()) != str(above):
        raise ValueError
    return above


def _read(path: Path) -> str:
    """The text of one of git's files; "" if it may be somebody else's. Raises `OSError`."""
    file = atomic.read(str(path), limit=_LARGEST)
    return "" if reason_to_doubt(path, None, file.status) else file.data.decode("utf-8", "replace")


def _place(config: str) -> str | None:
    """The host and the path of the remote `origin`, else of the only remote."""
    urls: dict[str, str] = {}
    remote = None
    for line in config.splitlines():
        section = _SECTION.match(line)
        if section is not None:
            name = _REMOTE.fullmatch(section[1])
            remote = name[1] if name is not None else None
            line = line[section.end() :]  # noqa: PLW2901
        url = _URL_KEY.match(line)
        if url is not None and remote is not None:
            urls.setdefault(remote, url[1])
    url_of_remote = urls.get("origin") or (next(iter(urls.values())) if len(urls) == 1 else "")
    for form in _LOCATIONS:
        match = form.fullmatch(url_of_remote)
        if match is not None:
            path = match[2].strip("/").removesuffix(".git")
            return f"{match[1]}/{path}".lower() if path else None
    return None
