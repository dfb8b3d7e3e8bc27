"""`--url-map FILE`: the caller's table of which file came from which URL, as CSV or JSON lines."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from linkfix.display import unguard
from linkfix.errors import InvalidOption
from linkfix.files.folder import FileTree
from linkfix.resolvers import RESOLVERS

_COLUMNS = ("path", "url")


@dataclass(frozen=True, slots=True)
class UrlMap:
    """A table of URLs by path: absolute, relative to the map's folder, or else a name in the tree that is converted."""

    display_name: str
    """The map's file as the caller named it."""
    folder: str
    """The real path of the map's folder."""
    rows: dict[str, tuple[str, int]] = field(repr=False)
    """Path -> URL and the line that states it."""

    @classmethod
    def load(cls, path: str) -> UrlMap:
        """Read a map in UTF-8: CSV with the columns `path` and `url` (named in the first line, or these two alone), or
        JSON lines, objects with these members. Other columns and members, and rows with an empty URL, are ignored. An
        apostrophe before what looks like a formula is removed: see `linkfix.display`.

        Raises `InvalidOption` with file and line for what is neither, `OSError` where the file cannot be read.
        """
        with open(path, "rb") as file:
            data = file.read()
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise InvalidOption(_message(path, line, "not UTF-8: save the file in that encoding")) from None
        read = _json_lines if text.lstrip().startswith("{") else _csv
        rows: dict[str, tuple[str, int]] = {}
        for line, name, url in read(path, text):
            if not name:
                raise InvalidOption(_message(path, line, "the path is empty: give the file's"))
            if not url:
                continue
            if not _is_base(url):
                problem = f"{url!r} is not a URL that a page can come from: give one as https://host/path"
                raise InvalidOption(_message(path, line, problem))
            key = os.path.normpath(name)
            other, first = rows.setdefault(key, (url, line))
            if other != url:
                problem = f"{name} has another URL in line {first}: keep one of the two"
                raise InvalidOption(_message(path, line, problem))
        return cls(path, os.path.realpath(os.path.dirname(path) or os.curdir), rows)

    def find(self, tree: FileTree | None, name: str) -> tuple[str, str] | None:
        """The URL of a file and the line of the map that states it; None where there is none."""
        if tree is None:
            row = self.rows.get(os.path.normpath(name)) if name else None
        else:
            path = tree.path(name)
            relative = os.path.relpath(path, self.folder)
            row = self.rows.get(path) or self.rows.get(relative) or self.rows.get(os.path.join(*name.split("/")))
        return (row[0], f"{self.display_name}:{row[1]}") if row else None


def _message(path: str, line: int, problem: str) -> str:
    return f"{path}:{line}: {problem}"


def _is_base(url: str) -> bool:
    """Whether a URL can be a base."""
    whatwg = RESOLVERS["whatwg"]
    return whatwg.is_absolute(url) and whatwg.resolve(url, "x").target is not None


def _json_lines(path: str, text: str) -> Iterator[tuple[int, str, str]]:
    for line, row in enumerate(text.split("\n"), 1):
        if not row.strip():
            continue
        try:
            value = json.loads(row)
        except (ValueError, RecursionError):
            raise InvalidOption(_message(path, line, "not JSON: each line is an object of its own")) from None
        members = [value.get(column) for column in _COLUMNS] if isinstance(value, dict) else [None]
        if not all(isinstance(member, str) for member in members):
            problem = 'it has no "path" and "url" that are strings: write {"path": "a.html", "url": "https://host/a"}'
            raise InvalidOption(_message(path, line, problem))
        yield line, *members


def _csv(path: str, text: str) -> Iterator[tuple[int, str, str]]:
    reader = csv.reader(_lines(text), strict=True)
    columns = [0, 1]
    first = True
    before = 0
    try:
        for row in reader:
            line, before = before + 1, reader.line_num
            cells = [cell.strip() for cell in row]
            if not any(cells):
                continue
            names = [cell.lower() for cell in cells]
            if first and set(_COLUMNS) <= set(names):
                columns = [names.index(column) for column in _COLUMNS]
            elif (first and len(cells) != len(_COLUMNS)) or len(cells) <= max(columns):
                problem = "it needs a path and a URL: name the columns in the first line, path,url"
                raise InvalidOption(_message(path, line, problem))
            else:
                yield line, unguard(cells[columns[0]]), unguard(cells[columns[1]])
            first = False
    except csv.Error as error:
        raise InvalidOption(_message(path, reader.line_num, f"not CSV: {error}")) from None


def _lines(text: str) -> Iterable[str]:
    """Lines with their line ends. `str.splitlines` would also end them at U+2028 and others."""
    return (line + "\n" for line in text.replace("\r\n", "\n").split("\n"))
