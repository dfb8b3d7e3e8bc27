"""The ignored files, compared with git's."""

from __future__ import annotations

import os
import random
import shutil
import subprocess

import pytest
from support.growth import processor_limit

from linkfix.files.patterns import ignore_scope

GIT = shutil.which("git") or ""
pytestmark = pytest.mark.skipif(not GIT, reason="git is not installed")

NAMES = ["a.html", "keep.html", "b.txt", "build/x.html", "build/keep.html", "docs/a.html", "docs/build/y.html"]
NAMES += [
    "docs/deep/er/a.html",
    "docs/deep/keep.html",
    "site/index.html",
    "site/sub/a b.html",
    "größe/ü.html",
    "#x.html",
]
PATTERNS = ["build/", "*.html", "!keep.html", "/a.html", "docs/*", "docs/**/a.html", "!docs/deep/", "deep", "er/"]
PATTERNS += [
    "# comment",
    "",
    "\\#x.html",
    "a b.html",
    "*.txt  ",
    "[ab].*",
    "?.html",
    "**/build",
    "!/docs",
    "gr*e/",
    "!",
]
PATTERNS += ["docs/**", "/**/x.html", "d*s/*", "a\\ b.html", "**", "[]-]x", "\\!x", "site/**/index.html", "si**te/"]
PATTERNS += [
    "site/sub",
    "!site/sub/",
    "/docs/deep/*",
    "!er",
    "*",
    "!*/",
    "!*.html",
    "***",
    "a\\",
    "[",
    "//",
    "[!a]*",
    "[a-z]*.html",
    "[^b]*",
]


@pytest.fixture
def repository(tmp_path):
    subprocess.run([GIT, "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".git/info").mkdir(exist_ok=True)
    for name in NAMES:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    return tmp_path


def ignored_by_git(root):
    listed = "\0".join(NAMES).encode()
    command = [GIT, "-c", "core.excludesFile=", "-C", str(root), "check-ignore", "-z", "--stdin"]
    done = subprocess.run(command, input=listed, stdout=subprocess.PIPE, check=False)
    return {name.decode() for name in done.stdout.split(b"\0") if name}


def ignored(root):
    """By linkfix, which walks from the root inwards."""
    found = set()
    for name in NAMES:
        scope, path = ignore_scope(os.path.realpath(root)), os.path.realpath(root)
        *folders, last = name.split("/")
        for folder in folders:
            path = f"{path}/{folder}"
            scope = scope.inner(path)
        if scope.ignores(f"{path}/{last}", is_folder=False):
            found.add(name)
    return found


@pytest.mark.parametrize("seed", range(80))
def test_as_git_does(repository, seed):
    chance = random.Random(seed)  # noqa: S311 - the same files each time
    for name in (".gitignore", "docs/.gitignore", "docs/deep/.gitignore", ".git/info/exclude"):
        lines = chance.sample(PATTERNS, chance.randrange(6)) if chance.random() < 0.6 else []
        (repository / name).write_text("\n".join(lines) + "\n" * chance.randrange(2), "utf-8")
    assert ignored(repository) == ignored_by_git(repository)


def scope_of(path):
    return ignore_scope(os.path.realpath(path))


def test_a_folder_in_no_repository(tmp_path):
    (tmp_path / ".gitignore").write_text("*.html\n")
    assert scope_of(tmp_path) is None


def test_patterns_above_count_below(repository):
    (repository / ".gitignore").write_text("/docs/a.html\n")
    (repository / "docs/.gitignore").write_text("b.html\n")
    scope = scope_of(repository / "docs")
    path = os.path.realpath(repository / "docs")
    names = ["a.html", "b.html", "c.html"]
    assert [scope.ignores(f"{path}/{name}", is_folder=False) for name in names] == [True, True, False]


def test_a_folder_that_is_ignored_and_named_is_read(repository):
    (repository / ".gitignore").write_text("build/\n*.html\n")
    (repository / "build/.gitignore").write_text("keep.html\n")
    scope = scope_of(repository / "build")
    path = os.path.realpath(repository / "build")
    assert [scope.ignores(f"{path}/{name}", is_folder=False) for name in ("x.html", "keep.html")] == [False, True]


def test_a_worktree_has_a_file_for_git(repository):
    shutil.rmtree(repository / ".git")
    (repository / ".git").write_text("gitdir: elsewhere\n")
    (repository / ".gitignore").write_text("a.html\n")
    assert scope_of(repository).ignores(f"{os.path.realpath(repository)}/a.html", is_folder=False)


@pytest.mark.parametrize("content", [b"\xff.html\n", b"x" * (2 << 20), b"\0\n"])
def test_odd_files(repository, content):
    (repository / ".gitignore").write_bytes(content)
    assert not scope_of(repository).ignores(f"{os.path.realpath(repository)}/a.html", is_folder=False)


@pytest.mark.growth
@pytest.mark.parametrize("pattern", ["*a" * 40 + "b", "**/a*/" * 40 + "b", "a**/" * 40, "[" * 1000, "?*" * 60 + "b"])
def test_a_hostile_pattern_takes_no_time(repository, pattern):
    (repository / ".gitignore").write_text(pattern + "\n")
    scope = scope_of(repository)
    with processor_limit(1):
        for path in ("a" * 250, "a/" * 1000 + "a", "aa/" * 1000 + "a" * 250):
            assert not scope.ignores(f"{os.path.realpath(repository)}/{path}", is_folder=False)
