"""The files of an archive in a temporary folder, for programs that read folders.

For formats whose files refer to each other by name (`ContainerFormat.keeps_names`). The names in an archive are
untrusted: a file whose name leads out of the folder, or that the system does not take, is left out.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from linkfix.containers import container
from linkfix.containers.part import Limits, container_problem
from linkfix.files import atomic, descriptors
from linkfix.files.descriptors import FilePath
from linkfix.model import Envelope, Problem

#: The maximum number of files in an archive.
_MOST = 100_000


@contextmanager
def archive_files(path: str, format_: str, max_size: int, note: Callable[[Problem], None]) -> Iterator[str]:
    """A temporary folder with the files of an archive, until the context ends. Only the owner can read it.

    Documents have their contents; other files, and documents that cannot be read, are empty. Raises `OSError`.

    `format_`: a key of `CONTAINERS`. `max_size`: the maximum size of a document, in bytes. `note`: called with each
    problem of the archive.
    """
    limits = Limits(part=max_size, parts=_MOST)
    with tempfile.TemporaryDirectory(prefix="linkfix-") as folder:
        root = os.path.realpath(folder)
        names: frozenset[str] = frozenset()
        written: set[str] = set()
        with open(path, "rb") as source:
            for part in container(format_).parts(source, Envelope(), note, limits):
                names = part.files
                written.update(_write(root, [part.name], part.data, note))
        for _ in _write(root, sorted(names - written), b"", note):
            pass
        yield root


def _write(root: str, names: Iterable[str], data: bytes, note: Callable[[Problem], None]) -> Iterator[str]:
    """Write files with some names, and yield those that the system takes."""
    for name in names:
        segments = name.split("/")
        if not all(segments) or not {os.curdir, os.pardir}.isdisjoint(segments) or not _is_plain(name):
            note(container_problem("part-url", 0, f"{name}: not the name of a file in a folder; left out"))
            continue
        target = os.path.join(root, *segments)
        try:
            descriptors.make_folder(os.path.dirname(target), inside=root)
            atomic.write(FilePath(target, root), data)
        except OSError as error:
            note(container_problem("part-damaged", 0, f"{name}: {error.strerror or error}; left out"))
        else:
            yield name


def _is_plain(name: str) -> bool:
    """Whether each system reads a name as a path of the same segments."""
    return "\0" not in name and "\\" not in name and not os.path.splitdrive(name)[0]
