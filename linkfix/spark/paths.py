"""The files of a table, and their slices.

Paths without a scheme are paths of this machine and of any mounted file system. URLs (`s3://`, `gs://`, `abfs://`,
`hdfs://`, `file://`) are read by pyarrow's file systems, on the workers and without a Java machine. Their credentials
come from the workers' environment, not from Spark. `linkfix.spark.read` reads files that only Spark can open.
"""

from __future__ import annotations

import glob
import io
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from typing import Any, BinaryIO, NamedTuple, cast

from linkfix.errors import InvalidOption

#: The suffixes of WARC files in a folder.
SUFFIXES = (".warc", ".warc.gz", ".warc.zst")
#: The default size of a partition, in bytes: the size by which Spark divides its own files.
SLICE_SIZE = 1 << 27
#: The size of a read from a remote file, in bytes.
_BUFFER = 1 << 22

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_SPECIAL = re.compile(r"[*?\[]")
#: Hadoop's scheme of a file system -> pyarrow's name.
_SCHEMES = {"s3a": "s3", "s3n": "s3", "gs": "gs", "abfss": "abfss"}


class FileSlice(NamedTuple):
    """A slice of a file."""

    path: str
    """A local path, or a URL."""
    start: int
    """The start of the slice, in bytes."""
    end: int


class _ListedFile(NamedTuple):
    path: str
    size: int


def file_slices(patterns: Iterable[str], slice_size: int) -> list[FileSlice]:
    """The slices of all files that match the patterns: files, folders at any depth, and globs. Each file occurs once.

    Raises InvalidOption if a pattern matches no file.
    """
    slices: dict[FileSlice, None] = {}
    for pattern in patterns:
        found = list(_remote(pattern) if _URL.match(pattern) else _local(pattern))
        if not found:
            message = f"no WARC file in {pattern}; in folders, they are named *{', *'.join(SUFFIXES)}"
            raise InvalidOption(message)
        for path, size in found:
            for start in range(0, max(size, 1), slice_size):
                slices[FileSlice(path, start, min(start + slice_size, max(size, 1)))] = None
    return list(slices)


@contextmanager
def open_file(path: str) -> Iterator[BinaryIO]:
    """Open a file of `file_slices`. Raises OSError."""
    if not _URL.match(path):
        with open(path, "rb") as file:
            yield file
        return
    system, inner = _file_system(path)
    with system.open_input_file(inner) as remote, io.BufferedReader(cast("io.RawIOBase", remote), _BUFFER) as file:
        yield file


def _local(pattern: str) -> Iterator[_ListedFile]:
    names = [pattern] if os.path.exists(pattern) else sorted(glob.glob(pattern, recursive=True))
    for name in names:
        path = os.path.abspath(name)
        if not os.path.isdir(path):
            yield _ListedFile(path, os.path.getsize(path))
            continue
        for folder, folders, files in os.walk(path):
            folders.sort()
            for file in sorted(files):
                if file.endswith(SUFFIXES):
                    inside = os.path.join(folder, file)
                    yield _ListedFile(inside, os.path.getsize(inside))


def _remote(pattern: str) -> Iterator[_ListedFile]:
    from pyarrow.fs import FileSelector, FileType  # pyarrow loads its file systems separately

    scheme, _, rest = pattern.partition("://")
    segments = rest.rstrip("/").split("/")
    special = next((number for number, text in enumerate(segments) if _SPECIAL.search(text)), len(segments))
    root = f"{scheme}://{'/'.join(segments[:special])}"
    system, inner = _file_system(root)
    # A file system returns its own paths, which end like the URLs.
    inner = inner.rstrip("/")
    wanted = segments[special:]
    info = system.get_file_info(inner)
    listed = [info]
    if info.type == FileType.Directory:
        listed = sorted(system.get_file_info(FileSelector(inner, recursive=True)), key=lambda one: str(one.path))
    for one in listed:
        name = one.path[len(inner) :].strip("/")
        if one.type == FileType.File and _is_wanted(name, wanted):
            yield _ListedFile(f"{root.rstrip('/')}/{name}" if name else root, one.size)


def _is_wanted(name: str, wanted: list[str]) -> bool:
    """Whether the segments of a glob match a file, or a folder that contains it. `name`: its path below the root."""
    parts = name.split("/") if name else []
    if len(parts) < len(wanted) or not all(map(fnmatchcase, parts, wanted)):
        return False
    return len(parts) == len(wanted) or name.endswith(SUFFIXES)


def _file_system(url: str) -> tuple[Any, str]:
    """The pyarrow file system of a URL, and the path in it. Raises InvalidOption if there is none."""
    from pyarrow import ArrowInvalid, ArrowNotImplementedError  # as above
    from pyarrow.fs import FileSystem

    scheme, _, rest = url.partition("://")
    try:
        return cast("tuple[Any, str]", FileSystem.from_uri(f"{_SCHEMES.get(scheme.lower(), scheme)}://{rest}"))
    except (ArrowInvalid, ArrowNotImplementedError, OSError) as error:
        reason = str(error).partition("\n")[0]
        message = f"{url} cannot be opened ({reason}); linkfix.spark.read opens all files that Spark can open"
        raise InvalidOption(message) from error
