"""`--url-map FILE`: the caller's table of files and their URLs, as CSV or JSON lines; and a table to fill in."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from linkfix.display import unguard, visible, write_rows
from linkfix.errors import InvalidOption
from linkfix.files.descriptors import PATH_MAX
from linkfix.files.folder import FileTree, resolve_reference
from linkfix.resolvers import RESOLVERS
from linkfix.saved.csv_table import csv_rows, line_message, read_table
from linkfix.urls import strip_url

_COLUMNS = ("path", "url")

#: A column that the map may have, and its value for a file whose references lead to files of the map by their paths, as
#: `linkfix unpack` writes them. Other references are relative to a file's URL.
_REFERENCES, BY_PATH = "references", "files"

#: A cell that may be the name of a column: a word, and no file name or URL.
_NAME = re.compile(r"[^\W\d][\w -]*")

#: The character between the name of a container and that of a part.
_PART = "!"


@dataclass(frozen=True, slots=True)
class UrlMap:
    """A table of URLs by path: absolute, relative to the map's folder, or a name in the converted tree."""

    display_name: str
    """The path of the map's file as the caller wrote it."""
    folder: str
    """The real path of the map's folder."""
    rows: dict[str, tuple[str, int]] = field(repr=False)
    """A mapping of paths to (URL, line in the map)."""
    by_path: frozenset[str] = field(default=frozenset(), repr=False)
    """The paths of files whose references lead to files of the map."""
    without_url: frozenset[str] = field(default=frozenset(), repr=False)
    """The paths that the map has without a URL."""

    @classmethod
    def load(cls, path: str) -> UrlMap:
        """Read a map in UTF-8.

        The file is CSV with the columns `path` and `url`, or JSON lines with objects that have these members. CSV
        needs a first line with the names of the columns, unless it has only these two columns. A column or member
        `references` tells files whose references are those of `linkfix unpack`. Others, and rows with an empty URL, are
        ignored. An apostrophe before text that looks like a formula is removed: see `linkfix.display`.

        Raises `InvalidOption` with file and line if the map is invalid, `OSError` if the file cannot be read.
        """
        text = read_table(path)
        read = _json_lines if text.lstrip().startswith("{") else _csv
        rows: dict[str, tuple[str, int]] = {}
        by_path, without_url = set(), set()
        for line, name, url, references in read(path, text):
            if not name:
                raise InvalidOption(line_message(path, line, "the path is empty: give the path of the file"))
            if references == BY_PATH:
                by_path.add(os.path.normpath(name))
            if not url:
                without_url.add(os.path.normpath(name))
                continue
            if not _is_base(url):
                problem = f"{url!r} cannot be the URL of a page: give a URL such as https://host/path"
                raise InvalidOption(line_message(path, line, problem))
            key = os.path.normpath(name)
            other, first = rows.setdefault(key, (url, line))
            if other != url:
                problem = f"{name} has another URL in line {first}: keep one of the two"
                raise InvalidOption(line_message(path, line, problem))
        folder = os.path.realpath(os.path.dirname(path) or os.curdir)
        return cls(path, folder, rows, frozenset(by_path), frozenset(without_url))

    def find(self, tree: FileTree | None, name: str) -> tuple[str, str] | None:
        """Return the URL of a file, and "FILE:LINE" of the map's row; None if the map does not list the file."""
        if tree is None:
            row = self.rows.get(os.path.normpath(name)) if name else None
        else:
            row = next(filter(None, map(self.rows.get, self._keys(tree, name))), None)
        return (row[0], f"{self.display_name}:{row[1]}") if row else None

    def _keys(self, tree: FileTree, name: str) -> Iterator[str]:
        """Yield the paths that the map can have for a file."""
        path = tree.path(name)
        for key in (path, os.path.relpath(path, self.folder), os.path.join(*name.split("/"))):
            yield key
            yield visible(key)  # CSV has visible text

    def leads_by_path(self, tree: FileTree, name: str) -> bool:
        """Whether the references in a file lead to files of the map by their paths."""
        return bool(self.by_path) and not self.by_path.isdisjoint(self._keys(tree, name))

    def url_by_path(self, tree: FileTree, name: str, reference: str, _base: str | None = None) -> str | None:
        """`Saver.map_reference` for such a file: the URL of the file that a reference leads to.

        "" if the map has that file without a URL, None if it does not have it.
        """
        file = resolve_reference(strip_url(reference), name.rpartition("/")[0])
        if file is None:
            return None
        found = self.find(tree, file.name)
        if found is not None:
            return found[0] + file.fragment
        return None if self.without_url.isdisjoint(self._keys(tree, file.name)) else ""

    def unmatched(self, trees: Collection[FileTree]) -> list[tuple[str, int]]:
        """Return the path and the line of each row that is about no file of the trees, in order."""
        rows = [(path, line) for path, (_, line) in self.rows.items() if not self._has_file(path, trees)]
        return sorted(rows, key=lambda row: row[1])

    def _has_file(self, path: str, trees: Collection[FileTree]) -> bool:
        if any(os.path.isfile(os.path.join(folder, path)) for folder in (self.folder, *(tree.root for tree in trees))):
            return True
        ends = [match.start() for match in re.finditer(_PART, path[:PATH_MAX])]  # a part of a container
        return any(os.path.isfile(path[:end]) for end in ends)


class BlankRow(NamedTuple):
    """A row of a table to fill in and to give back as a URL map."""

    path: str
    """The path of the file, as `UrlMap.find` knows it."""
    url: str
    """"": the caller fills it in."""
    suggestion: str
    """A URL that the document may have; "" for none."""
    source: str
    """The place that states the suggestion, in words."""
    option: str
    """The option that makes linkfix use the suggestion."""
    links: int
    """The number of links that stay relative without the URL."""


def blank_map(rows: Iterable[BlankRow]) -> bytes:
    """Return a table to fill in, as CSV."""
    text = io.StringIO(newline="")
    write_rows(text, [BlankRow._fields, *rows])
    return text.getvalue().encode()


def _is_base(url: str) -> bool:
    """Whether a URL can be a base."""
    whatwg = RESOLVERS["whatwg"]
    return whatwg.is_absolute(url) and whatwg.resolve(url, "x").target is not None


def _json_lines(path: str, text: str) -> Iterator[tuple[int, str, str, str]]:
    for line, row in enumerate(text.split("\n"), 1):
        if not row.strip():
            continue
        try:
            value = json.loads(row)
        except (ValueError, RecursionError):
            raise InvalidOption(line_message(path, line, "not JSON: write one object per line")) from None
        members = [value.get(column) for column in _COLUMNS] if isinstance(value, dict) else [None]
        if not all(isinstance(member, str) for member in members):
            problem = 'the strings "path" and "url" are missing: write {"path": "a.html", "url": "https://host/a"}'
            raise InvalidOption(line_message(path, line, problem))
        references = value.get(_REFERENCES)
        yield line, *members, references if isinstance(references, str) else ""


def _csv(path: str, text: str) -> Iterator[tuple[int, str, str, str]]:
    columns = [0, 1]
    references = -1
    first = True
    for line, cells in csv_rows(path, text):
        names = [cell.lower() for cell in cells]
        if first and set(_COLUMNS) <= set(names):
            columns = [names.index(column) for column in _COLUMNS]
            references = names.index(_REFERENCES) if _REFERENCES in names else -1
        elif first and (fault := _header_fault(cells)):
            raise InvalidOption(line_message(path, line, fault))
        elif (first and len(cells) != len(_COLUMNS)) or len(cells) <= max(columns):
            problem = "a path and a URL are missing: name the columns in the first line, path,url"
            raise InvalidOption(line_message(path, line, problem))
        else:
            stated = cells[references] if 0 <= references < len(cells) else ""
            yield line, unguard(cells[columns[0]]), unguard(cells[columns[1]]), stated
        first = False


def _header_fault(cells: list[str]) -> str:
    """Return the fault of a first line that names wrong columns; "" if it names none."""
    if len(cells) == 1 and {*_COLUMNS} <= set(re.split("[;\t]", cells[0].lower())):
        return "the columns are not separated by commas: save the table as CSV with commas"
    missing = [column for column in _COLUMNS if column not in map(str.lower, cells)]
    others = [cell for cell in cells if cell and cell.lower() not in _COLUMNS]
    if len(cells) < len(_COLUMNS) or not all(map(_NAME.fullmatch, others)):
        return ""
    named = ", ".join(map(repr, others))
    return f"the first line has {named}, but no column {' or '.join(map(repr, missing))}: name the columns path,url"
