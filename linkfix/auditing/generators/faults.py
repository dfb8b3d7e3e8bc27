"""The settings files that are not valid, so that their generators do not read them."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from linkfix.auditing.generators.formats import python_statements
from linkfix.auditing.generators.settings_files import (
    GeneratorFile,
    built_folder,
    projects,
    read_settings,
    source_folder,
)
from linkfix.auditing.generators.table import GENERATORS, Generator
from linkfix.auditing.hosts.rules import HostFault, HostFile
from linkfix.auditing.hosts.values import InvalidHostFile, decoded_text, read_json, read_toml
from linkfix.files import atomic
from linkfix.lazy import lazy_pattern

_HINT = "correct the file: the generator cannot read it"

#: A name that many programs have for their settings: it counts beside a folder of Hugo.
_COMMON = "config."
_OF_HUGO = ("content", "layouts", "themes", "archetypes")


def invalid_settings(root: str, names: Callable[[Generator], bool]) -> Iterator[tuple[HostFile, HostFault]]:
    """Yield the settings files that are about the tree at the real path `root` and are not valid, with their fault.

    `names`: whether the user's options allow a generator. The names of files begin at the tree. Never raises.
    """
    for project in itertools.chain([Path(root)], projects(root)):
        found = [
            (generator, file)
            for generator in filter(names, GENERATORS)
            for file in read_settings(generator, project)
            if not file.doubt and _is_about(generator, file, root)
        ]
        for _, file in found:
            name = os.path.relpath(file.path, root).replace(os.sep, "/")
            read = _READERS.get(file.path.suffix)
            try:
                data = atomic.read(str(file.path)).data
                if read is not None:
                    read(data)
            except InvalidHostFile as error:
                yield HostFile(name, data, []), HostFault(error.place(name, data), error.message, _HINT)
            except OSError:
                continue
        if found:
            return


def _is_about(generator: Generator, file: GeneratorFile, root: str) -> bool:
    """Whether a settings file is about a tree, as far as names of folders say."""
    project = Path(os.path.realpath(file.project))
    is_sure = not file.path.name.startswith(_COMMON) or any(os.path.isdir(project / one) for one in _OF_HUGO)
    folders = [built_folder(generator, file), source_folder(generator, file), str(project)]
    inner = (str(project / one) for one in generator.roots if one)
    return is_sure and (root in folders or any(Path(root).is_relative_to(one) for one in inner))


#: The lines of YAML that are never valid: a tab in the indentation of a setting, and a second colon in plain text.
_YAML_TAB = lazy_pattern(r"[ ]*\t[ \t]*(?:- +)?[A-Za-z_][\w-]*:(?:[ \t]|$)")
_YAML_COLON = lazy_pattern(r" *(?:- +)?[A-Za-z_][\w-]*: +[^\s\"'\[\]{}&*!|>%@`#][^\"'#\[\]{}]*?: +[^\s#].*")
#: A line in which a text or a list begins that goes on in the next lines, and one of a text without quotes.
_YAML_OPEN = lazy_pattern(r"[^\"'\[\]{}#]*(?:\"[^\"]*|'[^']*|\[[^\]]*|\{[^}]*)")
_YAML_BLOCK = lazy_pattern(r"(?:[^#]*[\s:-])?[|>][-+0-9]{0,2}[ \t]*(?:#.*)?")
#: The mark after a key that begins a text in quotes or a list, and those that end them; what may follow a quote.
_YAML_MARK = lazy_pattern(r" *(?:- +)?[A-Za-z_][\w-]*: +([\"'\[{])")
_YAML_ENDS = {'"': '"', "'": "'", "[": "]", "{": "}"}
_YAML_AFTER_QUOTE = lazy_pattern(r"[ \t]*(?:[ \t]#.*)?\r?")
#: A setting whose value is in the next lines, and the first of these if it is an item or a setting.
_YAML_PARENT = lazy_pattern(r" *[A-Za-z_][\w-]*:[ \t]*(?:[ \t]#.*)?")
_YAML_CHILD = lazy_pattern(r" *(?:- |-\Z|[A-Za-z_][\w-]*:(?: |\Z))")


def _is_never_ended(lines: list[str], number: int) -> bool:
    """Whether certainly nothing ends the text or the list that begins at the end of a line. `number`: from 1."""
    match = _YAML_MARK.match(lines[number - 1])
    if match is None:
        return False
    end = _YAML_ENDS[match[1]]
    last = next((line for line in lines[number:] if end in line), None)
    if last is None:
        return True
    before, _, after = last.partition(end)
    is_escaped = "\\" in before or after.startswith(end)
    return end == match[1] and not is_escaped and _YAML_AFTER_QUOTE.fullmatch(after) is None


class _Indentation:
    """The column of the last setting whose value is in the next lines, and that of the value."""

    def __init__(self) -> None:
        self._parent = -1
        self._inner: int | None = None
        self._is_next = False

    def is_wrong(self, text: str, column: int) -> bool:
        """Whether the next line of a file is certainly between the two columns."""
        if self._is_next:
            self._inner = column if column > self._parent and _YAML_CHILD.match(text) else None
        wrong = self._inner is not None and self._parent < column < self._inner
        self._is_next = _YAML_PARENT.fullmatch(text) is not None
        if self._is_next or column <= self._parent:
            self._parent, self._inner = column, None
        return wrong


def _check_yaml(data: bytes) -> None:
    """Raise `InvalidHostFile` for mistakes that are certain without a parser; nothing after a long text or list."""
    block: int | None = None
    indentation = _Indentation()
    lines = decoded_text(data).split("\n")
    for number, line in enumerate(lines, 1):
        text = line.rstrip("\r")
        column = len(text) - len(text.lstrip(" "))
        if block is not None and (not text.strip() or column > block):
            continue
        block = None
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        if indentation.is_wrong(text, column):
            message = "the file is not valid YAML: the line has the indentation of no other line around it"
            raise InvalidHostFile(message, number)
        if _YAML_OPEN.fullmatch(text):
            if _is_never_ended(lines, number):
                message = "the file is not valid YAML: nothing ends the text or the list that begins in this line"
                raise InvalidHostFile(message, number)
            return
        if _YAML_TAB.match(text):
            message = "the file is not valid YAML: a tab in the indentation"
            raise InvalidHostFile(message, number)
        if _YAML_COLON.fullmatch(text):
            message = "the file is not valid YAML: a second colon in a value without quotes"
            raise InvalidHostFile(message, number)
        if _YAML_BLOCK.fullmatch(text):
            block = column


def _check_python(data: bytes) -> None:
    """Raise `InvalidHostFile` for a file that Python does not compile."""
    try:
        python_statements(decoded_text(data))
    except SyntaxError as error:
        message = f"the file is not valid Python: {error.msg}"
        raise InvalidHostFile(message, error.lineno or 1) from None


_READERS: dict[str, Callable[[bytes], object]] = {
    ".py": _check_python,
    ".json": read_json,
    ".toml": read_toml,
    ".yml": _check_yaml,
    ".yaml": _check_yaml,
}
