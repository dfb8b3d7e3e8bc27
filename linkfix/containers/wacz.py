"""WACZ packages (https://specs.webrecorder.net/wacz/1.1.1/): a zip archive with WARC files and indexes of them.

When a WARC file in it changes, what depends on it is renewed: the offsets, lengths and digests of its indexes, the
sizes and hashes of `datapackage.json`, and the hash of that. A signature cannot be: it is left out, and that is said.
Other members keep their content, order and compression method.
"""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import struct
import tempfile
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from typing import IO, Any, BinaryIO, cast

from linkfix.containers import warc
from linkfix.containers.cdx import Moves, Stale, renewed_blocks, renewed_lines
from linkfix.containers.common import container_problem
from linkfix.containers.part import Change, Limits, Note, Part
from linkfix.containers.window import Slice, Window
from linkfix.model import Envelope, Problem

__all__ = ["SUFFIXES", "parts", "recognise", "rewrite"]

SUFFIXES = (".wacz",)

_PACKAGE = "datapackage.json"
_PACKAGE_DIGEST = "datapackage-digest.json"
_BLOCKS = (".cdx.gz", ".cdxj.gz")
_LINES = (".cdx", ".cdxj")
#: A JSON file of a package is no larger, in bytes.
_JSON = 1 << 28
_LOCAL_HEADER = 30

#: What zipfile raises for what an archive's bytes are.
_DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, RuntimeError, ValueError)


def recognise(head: bytes, name: str) -> bool:
    """Whether a file with these first bytes and this name is one."""
    return head.startswith(b"PK\3\4") and (
        name.lower().endswith(SUFFIXES) or head[_LOCAL_HEADER:].startswith((b"archive/", _PACKAGE.encode()))
    )


def parts(source: BinaryIO, envelope: Envelope, note: Note, limits: Limits) -> Iterator[Part]:
    """The documents of its WARC files. `source` must be seekable; memory holds one record."""
    with ExitStack() as opened:
        package = _opened(source, note, limits, opened)
        for entry in package.archives() if package else ():
            stream = package.stream(entry) if package else None
            if stream is not None:
                found = warc.parts(stream, envelope, _within(entry.filename, entry.header_offset, note), limits)
                yield from (_named(entry.filename, part) for part in found)


def rewrite(  # noqa: PLR0913, PLR0917 - see Container.rewrite
    source: BinaryIO, out: BinaryIO, envelope: Envelope, change: Change, note: Note, limits: Limits
) -> None:
    """Copy it, with the documents that `change` changes. `source` must be seekable; memory holds one record, temporary
    files the rest.
    """
    with ExitStack() as opened:
        package = _opened(source, note, limits, opened)
        made: IO[bytes] | None = None
        if package is not None and package.converted(envelope, change):
            package.renew()
            made = package.written()
        whole = source if made is None else made
        whole.seek(0)
        shutil.copyfileobj(whole, out, 1 << 20)


def _opened(source: BinaryIO, note: Note, limits: Limits, opened: ExitStack) -> _Package | None:
    try:
        return _Package(opened.enter_context(zipfile.ZipFile(source)), source, note, limits, opened)
    except _DAMAGE as error:
        note(container_problem("container-damaged", 0, str(error)))
        return None


def _named(archive: str, part: Part) -> Part:
    return part._replace(name=f"{archive} {part.name}")


def _within(archive: str, offset: int, note: Note) -> Note:
    """A note on a WARC file in the package: offsets are those of its own bytes, so the place is that of its member."""

    def noted(problem: Problem) -> None:
        message = f"{problem.message} (byte {problem.start} of {archive})"
        note(problem._replace(message=message, start=offset, column=offset + 1))

    return noted


class _Package:
    """An opened package. `_made`: new content of members, by name."""

    def __init__(
        self, package: zipfile.ZipFile, source: BinaryIO, note: Note, limits: Limits, opened: ExitStack
    ) -> None:
        self._package = package
        self._raw = Window(source)
        self._note = note
        self._limits = limits
        self._opened = opened
        self._made: dict[str, IO[bytes]] = {}
        self._moves: dict[str, Moves] = {}

    def archives(self) -> list[zipfile.ZipInfo]:
        """The members that are WARC files."""
        return [
            entry
            for entry in self._package.infolist()
            if entry.filename.startswith("archive/") and entry.filename.lower().endswith(warc.SUFFIXES)
        ]

    def stream(self, entry: zipfile.ZipInfo) -> BinaryIO | None:
        """A member's content, seekable; None where it cannot be read."""
        try:
            if entry.compress_type == zipfile.ZIP_STORED and not entry.flag_bits & 1:
                header = self._raw.read(entry.header_offset, _LOCAL_HEADER)
                start = entry.header_offset + _LOCAL_HEADER + sum(struct.unpack("<HH", header[26:30]))
                return cast("BinaryIO", io.BufferedReader(Slice(self._raw, start, start + entry.compress_size)))
            if entry.file_size <= self._limits.part:
                file = self._file()
                with self._package.open(entry) as packed:
                    shutil.copyfileobj(packed, file)
                file.seek(0)
                return cast("BinaryIO", file)
            self._tell("part-too-large", entry, f"{entry.file_size:,} bytes that are not stored as they are")
        except _DAMAGE as error:
            self._tell("part-damaged", entry, str(error))
        return None

    def _file(self) -> IO[bytes]:
        return self._opened.enter_context(tempfile.TemporaryFile())

    def _tell(self, code: str, entry: zipfile.ZipInfo, detail: str) -> None:
        self._note(container_problem(code, entry.header_offset, f"{entry.filename}: {detail}"))

    def converted(self, envelope: Envelope, change: Change) -> bool:
        """Convert the WARC files, and say whether anything in them changed."""
        for entry in self.archives():
            stream = self.stream(entry)
            if stream is None:
                continue
            name, moves, file = entry.filename, Moves(), self._file()

            def moved(start: int, end: int, new: warc.Replacement, payload: bytes | None, *, to: Moves = moves) -> None:
                to.add(start, end, new.size, None if payload is None else b"".join(new.pieces), payload)

            def changed(part: Part, *, archive: str = name) -> bytes | None:
                return change(_named(archive, part))

            note = _within(name, entry.header_offset, self._note)
            warc.rewritten(stream, cast("BinaryIO", file), envelope, changed, note, self._limits, moved)
            if moves:
                self._made[name] = file
                self._moves[name.rpartition("/")[2]] = moves
            else:
                file.close()
        return bool(self._made)

    def renew(self) -> None:
        """Make again what depends on the WARC files."""
        entries = self._package.infolist()
        indexes = [entry for entry in entries if entry.filename.startswith("indexes/")]
        blocks: dict[str, Moves] = {}
        for entry in indexes:
            name = entry.filename.rpartition("/")[2]
            if name.endswith(_BLOCKS):
                blocks[name] = Moves()
                self._index(entry, partial(_renewed_blocks, moves=self._moved, moved=blocks[name]))
            elif name.endswith(_LINES):
                self._index(entry, partial(renewed_lines, moves=self._moved))
        only = next(iter(blocks)) if len(blocks) == 1 else ""
        for entry in indexes:
            if entry.filename.endswith(".idx"):
                self._index(entry, partial(renewed_lines, moves=lambda name: blocks.get(_base(name)), default=only))
        self._json(_PACKAGE, self._renew_resources)
        if _PACKAGE in self._made:
            self._json(_PACKAGE_DIGEST, self._renew_digest)

    def _moved(self, name: str) -> Moves | None:
        return self._moves.get(_base(name))

    def _index(self, entry: zipfile.ZipInfo, renewed: Callable[[BinaryIO], Iterator[bytes]]) -> None:
        stream = self.stream(entry)
        if stream is None:
            return
        file = self._file()
        try:
            file.writelines(renewed(stream))
        except Stale as reason:
            self._tell("index-stale", entry, str(reason))
            return
        self._made[entry.filename] = file

    def _json(self, name: str, renewed: Callable[[zipfile.ZipInfo, dict[str, Any]], None]) -> None:
        """Renew a member that is a JSON object; its line breaks are kept, its spacing is ours."""
        try:
            entry = self._package.getinfo(name)
        except KeyError:
            return
        stream = self.stream(entry)
        if stream is None:
            return
        text = stream.read(_JSON)
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            self._tell("index-stale", entry, "not a JSON object")
            return
        renewed(entry, value)
        file = self._file()
        file.write(json.dumps(value, indent=2 if b"\n" in text.strip() else None, ensure_ascii=False).encode())
        self._made[name] = file

    def _renew_resources(self, entry: zipfile.ZipInfo, package: dict[str, Any]) -> None:
        resources = package.get("resources")
        for resource in resources if isinstance(resources, list) else ():
            path = resource.get("path") if isinstance(resource, dict) else None
            if isinstance(path, str) and path in self._made:
                resource["bytes"] = self._made[path].seek(0, io.SEEK_END)
                self._rehash(entry, resource, self._made[path])

    def _renew_digest(self, entry: zipfile.ZipInfo, value: dict[str, Any]) -> None:
        self._rehash(entry, value, self._made[_PACKAGE])
        if value.pop("signedData", None) is not None:
            self._tell("signature-dropped", entry, "signedData")

    def _rehash(self, entry: zipfile.ZipInfo, value: dict[str, Any], file: IO[bytes]) -> None:
        """Renew the hash of an object that says the content of a file: `algorithm:hexadecimal`."""
        label = str(value.get("hash", "sha256:")).partition(":")[0]
        algorithm = label.lower().replace("-", "")
        if algorithm not in hashlib.algorithms_guaranteed or algorithm.startswith("shake"):
            self._tell("digest-unknown", entry, f"hash {label[:40]!r}")
            value.pop("hash", None)
            return
        file.seek(0)
        made = hashlib.new(algorithm, usedforsecurity=False)
        while piece := file.read(1 << 20):
            made.update(piece)
        value["hash"] = f"{label}:{made.hexdigest()}"

    def written(self) -> IO[bytes] | None:
        """The package with what was made; None where one of its other members cannot be read."""
        file = self._file()
        try:
            with warnings.catch_warnings(), zipfile.ZipFile(file, "w") as new:
                warnings.simplefilter("ignore", UserWarning)  # of names that stand twice: they do in the source
                new.comment = self._package.comment
                for entry in self._package.infolist():
                    self._write(new, entry)
        except _DAMAGE as error:
            self._note(
                container_problem("container-damaged", 0, f"a member cannot be copied, nothing was changed: {error}")
            )
            return None
        return file

    def _write(self, new: zipfile.ZipFile, entry: zipfile.ZipInfo) -> None:
        info = zipfile.ZipInfo(entry.filename, entry.date_time)
        for name in ("compress_type", "comment", "create_system", "external_attr", "internal_attr"):
            setattr(info, name, getattr(entry, name))
        made = self._made.get(entry.filename)
        info.file_size = entry.file_size if made is None else made.seek(0, io.SEEK_END)
        if made is not None:
            made.seek(0)
        with made or self._package.open(entry) as content, new.open(info, "w") as target:
            shutil.copyfileobj(content, target, 1 << 20)


def _renewed_blocks(stream: BinaryIO, moves: Callable[[str], Moves | None], moved: Moves) -> Iterator[bytes]:
    return renewed_blocks(Window(stream), moves, moved)


def _base(name: str) -> str:
    return name.rpartition("/")[2]
