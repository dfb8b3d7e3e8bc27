"""The nouns of an audit, and nothing that acts: findings, what they have in common, and what was looked at at all.

A *page* is a document of the tree; names of files are relative to the tree's root, with "/" between folders, on every
system. *Judged* is a reference of which the tree or its own text tells whether it works.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from linkfix.model import Layer

__all__ = ["Audit", "Cause", "Coverage", "Finding", "Folder", "Hint", "Level", "RuleInfo"]


class Level(enum.StrEnum):
    """How bad a finding is; `rank` orders them, the worst is 0. The words are those of SARIF 2.1.0 §3.27.10."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"

    @property
    def rank(self) -> int:
        """0 for an error, 1 for a warning, 2 for a note."""
        return list(Level).index(self)


class Hint(NamedTuple):
    """What would mend a finding, in words; `reference` is what to write in its place, where that can be told.

    `certain`: it is right beyond doubt, so that `--fix` writes it.
    """

    text: str
    reference: str | None = None
    certain: bool = False


class RuleInfo(NamedTuple):
    """What reports say of a rule.

    `code` ("LF101") and `name` ("missing-target") never change their meaning. `summary` is one sentence, `help` the
    whole documentation, plain text in paragraphs with indented examples.
    """

    code: str
    name: str
    level: Level
    summary: str
    help: str
    opt_in: bool = False


class Finding(NamedTuple):
    """What a rule found at one place.

    `path`: the file's name in the tree. `line` and `column` count from 1, columns in characters; `end_line` and
    `end_column` are those of the first character after the place. `start:end` is the span in bytes of the file as it
    is (`fix` edits it); both are 0 where the finding is of the file as a whole. `element`, `attribute`, `reference`
    and `target` as in `linkfix.model.Link`, "" or None where no reference is meant. `cause` names what has to be
    mended: findings with the same code and cause fall away together. `excerpt` is the source line, clipped around the
    place, on one line. `fingerprint` stays the same when other parts of the file change. `hint`: see `Hint`.

    Everything that comes from documents or names is as it was there, control characters and all: who shows it makes
    it safe.
    """

    code: str
    name: str
    level: Level
    message: str
    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    start: int
    end: int
    element: str
    attribute: str
    reference: str
    target: str | None
    cause: str
    hint: Hint | None
    excerpt: str
    fingerprint: str


class Cause(NamedTuple):
    """Findings that one change would mend. `findings` are numbers of `Audit.findings`, in their order."""

    code: str
    name: str
    level: Level
    text: str
    findings: tuple[int, ...]
    pages: int


@dataclass(slots=True)
class Folder:
    """A folder of the tree: counts of what is in it itself, without the folders in it."""

    pages: int = 0
    links: int = 0
    findings: Counter[str] = field(default_factory=Counter)  # a level's value -> how many


@dataclass(slots=True)
class Coverage:
    """What was looked at.

    `files`: of the tree; `pages`: documents that were judged; `bytes`: theirs. `links`: references of those;
    `judged`: of which it could be told whether they work. `unjudged`: why the others not -> how many.
    `fragments`: what becomes of those of references into the tree, in words -> how many references.
    `unread`: names of documents that could not be judged -> why.
    """

    files: int = 0
    pages: int = 0
    bytes: int = 0
    links: int = 0
    judged: int = 0
    unjudged: Counter[str] = field(default_factory=Counter)
    unread: dict[str, str] = field(default_factory=dict)
    fragments: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Audit:
    """What an audit found.

    `root`: the folder as it was given. `base_url`: the URL that it is served at, `base_where` says in words where that
    is from; `base_layer` is RETRIEVAL where the caller gave it, DEFAULT where it was inferred, NONE where it is made
    up (and then it must not be shown: show names in the tree). `findings` are sorted by path, place and code;
    `causes` by level, then the most findings first. `rules`: those that ran. `folders`: name -> counts. `hidden`: why
    findings were left out ("baseline", "comment", "per-file-ignores", "unchanged") -> how many. `seconds` is wall time.
    """

    root: str
    base_url: str
    base_where: str
    base_layer: Layer
    findings: tuple[Finding, ...]
    causes: tuple[Cause, ...]
    coverage: Coverage
    rules: tuple[RuleInfo, ...]
    folders: Mapping[str, Folder]
    hidden: Counter[str]
    seconds: float = 0.0

    def count(self, level: Level) -> int:
        """How many findings have that level."""
        return sum(finding.level is level for finding in self.findings)
