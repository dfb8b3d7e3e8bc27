"""The ignored files, compared with git's."""

from __future__ import annotations

import os
import random
import shutil
import subprocess

import pytest
from support.growth import processor_limit

from linkfix.files.patterns import NamePatterns, ignore_scope

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


def ignored_by_git(root, names=NAMES):
    listed = "\0".join(names).encode()
    command = [GIT, "-c", "core.excludesFile=", "-C", str(root), "check-ignore", "--no-index", "-z", "--stdin"]
    done = subprocess.run(command, input=listed, stdout=subprocess.PIPE, check=False)
    return {name.decode() for name in done.stdout.split(b"\0") if name}


def ignored(root, names=NAMES):
    """By linkfix, which walks from the root inwards."""
    found = set()
    for name in names:
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


#: Pieces of generated patterns.
PIECES = ["a", "b", "ab", "a b", " ", ".", "-", "]", "!", "#", "é", "\t", "?", "*", "*", "**", "***"]
PIECES += ["/", "/", "/**/", "**/", "/**", "[ab]", "[!a]", "[^b]", "[a-c]", "[c-a]", "[a-c-e]", "[a-]", "[-b]", "[é]"]
PIECES += [
    "[]-]",
    "[]a]",
    "[!]]",
    "[/]",
    r"[\]]",
    r"[a\-c]",
    "[[:alpha:]]",
    "[![:punct:]]",
    "[[:digit:]b]",
    "[[:nope:]]",
]
PIECES += ["[[:a]", "[a[:]", "[", r"\a", r"\*", r"\?", r"\[", r"\\", r"\ ", r"\#", r"\!", "\\"]

#: Names of files and folders for them.
PARTS = ["a", "b", "c", "ab", "abc", "-", "]", "a b", "a ", "!", "#", "*", "?", "[", "\\", "é", ".a", "1", "]b", "a.b"]


def generated(seed):
    """Lines of patterns, and paths."""
    chance = random.Random(seed)  # noqa: S311 - the same patterns each time
    lines = []
    for _ in range(chance.choice([1, 1, 1, 2, 3, 4])):
        middle = "".join(chance.choices(PIECES, k=chance.randint(1, 6)))
        line = chance.choice(["", "", "", "!", "/"]) + middle + chance.choice(["", "", "", "/", " ", "  ", r"\ "])
        lines.append(line.replace(r"*\/", "*/"))  # for git an escaped slash after stars is another folder
    return lines, ["/".join(chance.choices(PARTS, k=chance.randint(1, 4))) for _ in range(20)]


@pytest.fixture(scope="module")
def generated_cases(tmp_path_factory):
    """Folders with generated patterns, and the paths that git ignores: folder, lines, paths, ignored paths."""
    top = tmp_path_factory.mktemp("generated")
    subprocess.run([GIT, "init", "-q", str(top)], check=True)
    cases = [generated(seed) for seed in range(150)]
    for number, (lines, _) in enumerate(cases):
        (top / str(number)).mkdir()
        (top / str(number) / ".gitignore").write_text("\n".join(lines) + "\n", "utf-8")
    found = ignored_by_git(top, [f"{number}/{path}" for number, (_, paths) in enumerate(cases) for path in paths])
    return [
        (top / str(number), lines, paths, {path for path in paths if f"{number}/{path}" in found})
        for number, (lines, paths) in enumerate(cases)
    ]


def test_generated_patterns_are_read_as_by_git(generated_cases):
    for folder, lines, paths, expected in generated_cases:
        assert (lines, ignored(folder, paths)) == (lines, expected)
    assert 150 < sum(len(expected) for *_, expected in generated_cases) < 4000


def test_a_pattern_of_names_is_read_as_by_git(generated_cases):
    """But characters are not bytes, a bracket that is not closed is an ordinary character, and so is a `**/` at the end
    after a folder for the files in it.
    """
    count = 0
    for _, lines, paths, expected in generated_cases:
        line = lines[0].strip(" ")
        if len(lines) > 1 or line.startswith("!") or line.endswith("/**/") or not line.isascii():
            continue
        try:
            patterns = NamePatterns(lines)
        except ValueError:
            assert expected == set()
            continue
        found = {path for path in paths if path.isascii() and patterns.match(path)}
        if "[" not in line or expected:
            assert (line, found) == (line, {path for path in expected if path.isascii()})
            count += len(found)
    assert count > 20


#: Parts of the patterns of a list, and names of folders and files for them. Only files have a dot.
LISTED = [
    "a",
    "b",
    "ab",
    "docs",
    "deep",
    "*",
    "?",
    "[ab]",
    "[!a]",
    r"\#x",
    r"\!y",
    r"a\ b",
    r"\*",
    "*.html",
    "keep.html",
]
LISTED += ["a*", "*b", "**", "a.?", r"[\]a]b", "***"]
FOLDERS = ["a", "b", "docs", "ab", "a b", "#x", "!y", "deep", "*", "]b"]
FILES = ["keep.html", "a.html", "b.txt", "a.b", "#x.f", "!y.f", "a b.f", "*.f"]


def list_of_patterns(seed):
    """Several lines of patterns, of which about a third are negated, and names of files."""
    chance = random.Random(seed)  # noqa: S311 - the same patterns each time
    lines = []
    for _ in range(chance.randint(2, 5)):
        middle = "/".join(chance.choices(LISTED, k=chance.choice([1, 1, 1, 2, 2, 3])))
        lines.append(
            chance.choice(["", "", "!"]) + chance.choice(["", "", "/"]) + middle + chance.choice(["", "", "/"])
        )
    names = ["/".join([*chance.choices(FOLDERS, k=chance.randint(0, 3)), chance.choice(FILES)]) for _ in range(25)]
    return lines, names


def folders_of(name):
    """The folders that a file is in, the outermost first."""
    return [name[:end] for end, character in enumerate(name) if character == "/"]


@pytest.fixture(scope="module")
def listed_cases(tmp_path_factory):
    """Lists of patterns, names of files, and the names of files and folders that git ignores."""
    top = tmp_path_factory.mktemp("lists")
    subprocess.run([GIT, "init", "-q", str(top)], check=True)
    cases = [list_of_patterns(seed) for seed in range(200)]
    asked = []
    for number, (lines, names) in enumerate(cases):
        for name in names:
            (top / str(number) / name).parent.mkdir(parents=True, exist_ok=True)  # git asks what is a folder
            asked += [f"{number}/{one}" for one in (name, *folders_of(name))]
        (top / str(number) / ".gitignore").write_text("\n".join(lines) + "\n", "utf-8")
    found = ignored_by_git(top, asked)
    return [
        (lines, names, {one.partition("/")[2] for one in found if one.startswith(f"{number}/")})
        for number, (lines, names) in enumerate(cases)
    ]


def last_line_of(lines, name):
    """The number of the last line that matches a name or a folder that it is in, alone and not negated; -1 for none."""
    numbers = [number for number, line in enumerate(lines) if NamePatterns([line.removeprefix("!")]).match(name)]
    return numbers[-1] if numbers else -1


def test_a_list_of_patterns_is_read_as_by_git(listed_cases):
    """But `a/**/` also matches the files in `a`, `a/*` the folder `a/` as the target of a link, and a negated line may
    take a file out of an ignored folder.
    """
    count = taken_out = 0
    for lines, names, expected in listed_cases:
        if any(line.endswith("**/") and line.strip("!*/") for line in lines):
            continue
        patterns = NamePatterns(lines)
        for name in {*names, *(f"{folder}/" for one in names for folder in folders_of(one))}:
            if name.endswith("/") and any(line.rstrip("/").endswith("/*") for line in lines):
                continue
            found = patterns.match(name)
            if found != (name.rstrip("/") in expected):
                assert not expected.isdisjoint(folders_of(name.rstrip("/"))), (lines, name)
                assert lines[last_line_of(lines, name)].startswith("!"), (lines, name)
                assert not found
                taken_out += 1
            count += found
    assert count > 1000
    assert 0 < taken_out < 200


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
