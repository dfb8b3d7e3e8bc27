"""The settings files of generators as they are found: above or in a folder, inside the repository, the user's own."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from linkfix.auditing.generators.formats import SPREAD, UNKNOWN, Value, read_text
from linkfix.auditing.generators.table import Generator
from linkfix.files import atomic
from linkfix.files.folder import is_repository_root, reason_to_doubt

#: The largest settings file that is read, in bytes, and the number of folders above DIR that are searched.
_LARGEST = 1 << 18
_LEVELS = 6

#: The largest number of characters of a value.
_LONGEST = 1000

#: The largest number of characters of a value of several lines.
_LONGEST_BLOCK = 10_000


def projects(root: str) -> Iterator[Path]:
    """Yield the folders above `root` that may be the project's, as far as the root of the repository."""
    folder = Path(root)
    for _ in range(_LEVELS):
        if is_repository_root(folder) or folder.parent == folder:
            return
        folder = folder.parent
        yield folder


def _read(path: Path) -> tuple[bytes | None, str]:
    """The content of a settings file, and why it may be somebody else's; None if there is no such file."""
    try:
        file = atomic.read(str(path), limit=_LARGEST)
        return file.data, reason_to_doubt(path, None, file.status)
    except OSError:
        return None, ""


class GeneratorFile(NamedTuple):
    """A settings file that was read."""

    project: Path
    path: Path
    values: Mapping[str, Value]
    doubt: str
    """Why the file may be somebody else's; "" if it is the user's own."""
    replaced: str = ""
    """The name of another file in the folder that does not count beside it: see `Generator.replaced_by`."""


def without_replaced(files: list[tuple[Generator, GeneratorFile]]) -> list[tuple[Generator, GeneratorFile]]:
    """The settings files of a folder without those that another one replaces: see `Generator.replaced_by`."""
    replaced = {generator.replaced_by: file.path.name for generator, file in files}
    kept = {generator.name for generator, _ in files}
    return [
        (generator, file._replace(replaced=replaced.get(generator.name, "")))
        for generator, file in files
        if generator.replaced_by not in kept
    ]


def read_settings(generator: Generator, project: Path) -> Iterator[GeneratorFile]:
    """Yield each settings file of a generator."""
    for name in generator.files:
        data, doubt = _read(project / name)
        if data is None:
            continue
        is_sure = not doubt and not _has_variants(generator, project)
        values = read_text(name, data.decode("utf-8-sig", "replace")) if is_sure else UNKNOWN
        values = {key: value if _is_plain(value) else None for key, value in values.items()}
        if generator.table and any(key.startswith(generator.table) for key in values):
            start = len(generator.table)
            values = {key[start:]: one for key, one in values.items() if key.startswith(generator.table)}
        if generator.parent_key in values:
            values[SPREAD] = None
        if generator.ignores_case:
            folded = {key.lower(): value for key, value in values.items()}
            values = folded if len(folded) == len(values) else UNKNOWN
        if name in generator.shared_files and not _is_own(generator, project, values):
            continue
        yield GeneratorFile(project, project / name, values, doubt)


def text_of_settings(file: GeneratorFile) -> str:
    """The text of a settings file; "" if it may be somebody else's."""
    data, doubt = _read(file.path)
    return "" if data is None or doubt else data.decode("utf-8-sig", "replace")


def _is_own(generator: Generator, project: Path, values: Mapping[str, Value]) -> bool:
    """Whether a settings file is the generator's, and not that of another program."""
    has_key = any(key.partition("/")[0] in generator.own_keys for key in values)
    return has_key or any(os.path.isdir(project / folder) for folder in generator.own_folders)


def _has_variants(generator: Generator, project: Path) -> bool:
    """Whether other settings may replace those of the files: which ones, the command of the build says."""
    if not generator.variants:
        return False
    try:
        return any(path.name != "_default" and os.path.isdir(path) for path in (project / generator.variants).iterdir())
    except OSError:
        return False


def _is_plain(value: Value) -> bool:
    """Whether a value can be a URL, a path or a list of patterns: only then does its text go any further."""
    if not isinstance(value, str):
        return True
    lines = value.split("\n")
    return len(value) <= (_LONGEST if len(lines) == 1 else _LONGEST_BLOCK) and all(map(str.isprintable, lines))


def key_of(generator: Generator, key: str) -> str:
    """A key as it is in the values of a settings file."""
    return key.lower() if generator.ignores_case else key


def folder_of(generator: Generator, file: GeneratorFile, key: str, default: str) -> str:
    """The real path of the folder that a setting names; "" if it is not known."""
    name = file.values.get(key_of(generator, key), default)
    try:
        return os.path.realpath(file.project / name) if isinstance(name, str) and name else ""
    except ValueError:  # text that file names cannot have here
        return ""


def built_folder(generator: Generator, file: GeneratorFile) -> str:
    """The real path of the folder that the generator builds; "" if it is not known."""
    return folder_of(generator, file, generator.built_key, generator.built)


def source_folder(generator: Generator, file: GeneratorFile) -> str:
    """The real path of the folder of the sources; "" if it is not known."""
    return folder_of(generator, file, generator.sources_key, generator.sources)


def asset_folder(generator: Generator, file: GeneratorFile, root: str) -> str:
    """The folder of assets beside or in the sources at `root`; "" if there is none in the project."""
    folder = folder_of(generator, file, generator.assets_key, generator.assets)
    if generator.has_assets_in_content:
        folder = os.path.realpath(f"{folder_of(generator, file, generator.content_key, os.curdir)}/{generator.assets}")
    is_inside = folder and Path(folder).is_relative_to(os.path.realpath(file.project))
    return folder if is_inside and not Path(root).is_relative_to(folder) and os.path.isdir(folder) else ""


def in_words(generator: Generator, file: GeneratorFile) -> str:
    """The generator and its settings file, in words, with a file beside it that does not count."""
    words = f"{generator.name}, {short_path(file.path)}"
    return f"{words} (not {file.replaced})" if file.replaced else words


def short_path(path: Path) -> str:
    """A real path as a person would type it here."""
    here = Path(os.path.realpath(os.curdir))
    return path.relative_to(here).as_posix() if path.is_relative_to(here) else str(path)
