"""The settings files of generators that are not valid: none of their settings counts."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from linkfix.auditing.generators.settings_files import (
    GeneratorFile,
    built_folder,
    projects,
    read_settings,
    source_folder,
)
from linkfix.auditing.generators.table import GENERATORS, Generator
from linkfix.auditing.hosts.rules import HostFault, HostFile, RulePlace
from linkfix.auditing.hosts.values import InvalidHostFile, decoded_text, read_json, read_toml
from linkfix.files import atomic
from linkfix.lazy import lazy_pattern

_HINT = "correct the file: none of its settings counts"

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
                yield HostFile(name, data, []), HostFault(RulePlace(name, error.line), error.message, _HINT)
            except OSError:
                continue
        if found:
            return


def _is_about(generator: Generator, file: GeneratorFile, root: str) -> bool:
    """Whether a settings file is about a tree, as far as names of folders say."""
    project = Path(os.path.realpath(file.project))
    is_sure = not file.path.name.startswith(_COMMON) or any((project / one).is_dir() for one in _OF_HUGO)
    folders = [built_folder(generator, file), source_folder(generator, file), str(project)]
    inner = (str(project / one) for one in generator.roots if one)
    return is_sure and (root in folders or any(Path(root).is_relative_to(one) for one in inner))


#: The lines of YAML that are never valid: a tab in the indentation of a setting, and a second colon in plain text.
_YAML_TAB = lazy_pattern(r"[ ]*\t[ \t]*(?:- +)?[A-Za-z_][\w-]*:(?:[ \t]|$)")
_YAML_COLON = lazy_pattern(r" *(?:- +)?[A-Za-z_][\w-]*: +[^\s\"'\[\]{}&*!|>%@`#][^\"'#\[\]{}]*?: +[^\s#].*")
#: A line in which a text or a list begins that goes on in the next lines, and one of a text without quotes.
_YAML_OPEN = lazy_pattern(r"[^\"'\[\]{}#]*(?:\"[^\"]*|'[^']*|\[[^\]]*|\{[^}]*)")
_YAML_BLOCK = lazy_pattern(r"(?:[^#]*[\s:-])?[|>][-+0-9]{0,2}[ \t]*(?:#.*)?")


def _check_yaml(data: bytes) -> None:
    """Raise `InvalidHostFile` for mistakes that are certain without a parser; nothing after a long text or list."""
    block: int | None = None
    for number, line in enumerate(decoded_text(data).split("\n"), 1):
        text = line.rstrip("\r")
        column = len(text) - len(text.lstrip(" "))
        if block is not None and (not text.strip() or column > block):
            continue
        block = None
        if _YAML_OPEN.fullmatch(text):
            return
        if _YAML_TAB.match(text):
            message = "the file is not valid YAML: a tab in the indentation"
            raise InvalidHostFile(message, number)
        if _YAML_COLON.fullmatch(text):
            message = "the file is not valid YAML: a second colon in a value without quotes"
            raise InvalidHostFile(message, number)
        if _YAML_BLOCK.fullmatch(text):
            block = column


_READERS: dict[str, Callable[[bytes], object]] = {
    ".json": read_json,
    ".toml": read_toml,
    ".yml": _check_yaml,
    ".yaml": _check_yaml,
}
