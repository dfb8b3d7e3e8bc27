"""WACZ packages (https://specs.webrecorder.net/wacz/1.1.1/): zip archives with WARC files and their indexes.

If a WARC file changes, the dependent values are renewed: the offsets, lengths and digests in the indexes, the sizes and
hashes in `datapackage.json`, and the hash of that file. A signature cannot be renewed. It is removed, with a problem.
Other members keep their content, order and compression method. Bytes before and after the archive stay.
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
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from functools import partial
from typing import IO, Any, BinaryIO, cast

from linkfix.containers import warc
from linkfix.containers.cdx import IndexedPayload, Moves, StaleIndex, lines_of, renew_blocks, renew_lines
from linkfix.containers.formats import CONTAINERS
from linkfix.containers.part import (
    Allowance,
    Change,
    LeaveAlone,
    Limits,
    Note,
    Part,
    container_problem,
    ignore_count,
    ignore_problem,
)
from linkfix.containers.warc_revisits import RevisitOutcomes
from linkfix.containers.web_archive import OutcomesOf, WarcFile
from linkfix.containers.zipped import Damage, Directory, read_directory
from linkfix.files.window import Slice, Window
from linkfix.model import Envelope, Problem
from linkfix.urls import excerpt

_PACKAGE = "datapackage.json"
_PACKAGE_DIGEST = "datapackage-digest.json"
_BLOCKS = (".cdx.gz", ".cdxj.gz")
_LINES = (".cdx", ".cdxj")
#: The maximum size of a JSON file of a package, in bytes. When parsed, it may take thirty times as much memory.
_JSON_SIZE = 1 << 23
_LOCAL_HEADER = 30

#: The exceptions that zipfile raises because of an archive's bytes.
_DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, RuntimeError, ValueError)


def parts(source: BinaryIO, envelope: Envelope, note: Note, limits: Limits) -> Iterator[Part]:
    """Yield the documents of a package's WARC files. `source` must be seekable. Memory holds one record."""
    with ExitStack() as opened:
        package = _open_package(source, note, limits, opened)
        if package is None:
            return
        for entry in package.archives():
            stream = package.stream(entry)
            if stream is not None:
                told = _note_of(entry.filename, entry.header_offset, note)
                found = warc.parts(stream, envelope, told, limits, package.allowance)
                yield from (_prefix_name(entry.filename, part) for part in found)


def archives(source: BinaryIO, limits: Limits, note: Note = ignore_problem) -> Iterator[WarcFile]:
    """Yield the WARC files of a package; see `WebArchive.archives`. `source` must be seekable."""
    with ExitStack() as opened:
        package = _open_package(source, note, limits, opened)
        for entry in package.archives() if package else ():
            stream = package.stream(entry) if package else None
            if stream is not None:
                told = _note_of(entry.filename, entry.header_offset, note)
                yield WarcFile(_archive_key(entry), entry.filename, stream, told)


def rewrite(
    source: BinaryIO,
    out: BinaryIO,
    envelope: Envelope,
    change: Change,
    note: Note,
    limits: Limits,
    *,
    leave_alone: LeaveAlone = ignore_count,
    revisits: OutcomesOf | None = None,
) -> None:
    """Copy a package, with the documents that `change` changes. `source` must be seekable. Memory holds one record, and
    temporary files hold the rest. `revisits`: see `WebArchive.rewrite`.
    """
    with ExitStack() as opened:
        package = _open_package(source, note, limits, opened)
        made: IO[bytes] | None = None
        if package is not None and package.convert_archives(envelope, change, leave_alone, revisits):
            package.renew()
            made = package.write()
            if made is None:
                leave_alone(package.changed)
            elif not package.counts_what_precedes:
                out.writelines(package.before())
        whole = source if made is None else made
        whole.seek(0)
        shutil.copyfileobj(whole, out, 1 << 20)


def _open_package(source: BinaryIO, note: Note, limits: Limits, opened: ExitStack) -> _Package | None:
    try:
        raw = Window(source)
        directory = read_directory(raw, limits.parts)
        return _Package(opened.enter_context(zipfile.ZipFile(source)), directory, raw, note, limits, opened)
    except Damage as damage:
        note(container_problem(damage.code, damage.offset, damage.detail))
    except _DAMAGE as error:
        note(container_problem("container-damaged", 0, str(error)))
    return None


def _archive_key(entry: zipfile.ZipInfo) -> str:
    """Return a unique key of a member. A name alone can occur twice."""
    return f"{entry.filename}@{entry.header_offset}"


def _prefix_name(archive: str, part: Part) -> Part:
    return part._replace(name=f"{archive} {part.name}")


def _note_of(archive: str, offset: int, note: Note) -> Note:
    """Return a `Note` for a WARC file in the package. The offset of a problem becomes the offset of the member."""

    def note_in_package(problem: Problem) -> None:
        message = f"{problem.message} (byte {problem.start} of {archive})"
        note(problem._replace(message=message, start=offset, column=offset + 1))

    return note_in_package


class _Package:
    """An open package."""

    def __init__(
        self,
        package: zipfile.ZipFile,
        directory: Directory,
        raw: Window,
        note: Note,
        limits: Limits,
        opened: ExitStack,
    ) -> None:
        self._package = package
        self._directory = directory
        #: Whether the package's offsets count from the beginning of the file.
        self.counts_what_precedes = directory.ends[0].value == directory.start
        self._raw = raw
        self._note = note
        self._limits = limits
        self.allowance = Allowance(limits, self._raw.size)
        self._opened = opened
        #: The new contents of members, by name.
        self._new_members: dict[str, IO[bytes]] = {}
        #: The number of changed parts.
        self.changed = 0
        #: The moves in each WARC file, by its name without the folder.
        self._moves: dict[str, Moves] = {}

    def archives(self) -> list[zipfile.ZipInfo]:
        """Return the members that are WARC files."""
        return [
            entry
            for entry in self._package.infolist()
            if entry.filename.startswith("archive/") and entry.filename.lower().endswith(CONTAINERS["warc"].suffixes)
        ]

    def stream(self, entry: zipfile.ZipInfo) -> BinaryIO | None:
        """Return a member's content as a seekable stream; None if it cannot be read."""
        try:
            if entry.compress_type == zipfile.ZIP_STORED and not entry.flag_bits & 1:
                header = self._raw.read(entry.header_offset, _LOCAL_HEADER)
                start = entry.header_offset + _LOCAL_HEADER + sum(struct.unpack("<HH", header[26:30]))
                return cast("BinaryIO", io.BufferedReader(Slice(self._raw, start, start + entry.compress_size)))
            if entry.file_size <= self.allowance.own_limit(entry.compress_size):
                file = self._file()
                with self._package.open(entry) as packed:
                    shutil.copyfileobj(packed, file, 1 << 20)
                file.seek(0)
                return cast("BinaryIO", file)
            reached = self.allowance.own_reached(entry.compress_size)
            self._report(reached.code, entry, f"{entry.file_size:,} bytes: {reached.detail}")
        except _DAMAGE as error:
            self._report("part-damaged", entry, str(error))
        return None

    def _file(self) -> IO[bytes]:
        return self._opened.enter_context(tempfile.TemporaryFile())

    def _report(self, code: str, entry: zipfile.ZipInfo, detail: str) -> None:
        self._note(container_problem(code, entry.header_offset, f"{entry.filename}: {detail}"))

    def convert_archives(
        self, envelope: Envelope, change: Change, leave_alone: LeaveAlone, revisits: OutcomesOf | None
    ) -> bool:
        """Convert the WARC files. Return whether anything in them changed."""
        for entry in self.archives():
            stream = self.stream(entry)
            if stream is not None:
                self._convert_archive(entry, stream, envelope, change, leave_alone, revisits)
        return bool(self._new_members)

    def _convert_archive(
        self,
        entry: zipfile.ZipInfo,
        stream: BinaryIO,
        envelope: Envelope,
        change: Change,
        leave_alone: LeaveAlone,
        revisits: OutcomesOf | None,
    ) -> None:
        name, moves, file, old = entry.filename, Moves(), self._file(), Window(stream)

        def on_replace(start: int, end: int, new: warc.Replacement, payload: IndexedPayload | None) -> None:
            pieces = () if payload is None else list(new.pieces)
            moves.add(start, end, new.size, pieces, payload, old.pieces(start, end))

        def change_part(part: Part) -> bytes | None:
            new = change(_prefix_name(name, part))
            self.changed += new is not None
            return new

        def leave_one_alone(count: int) -> None:
            self.changed -= count
            leave_alone(count)

        def outcomes_of(_: str) -> RevisitOutcomes | None:
            return revisits(_archive_key(entry)) if revisits else None

        note = _note_of(name, entry.header_offset, self._note)
        warc.rewrite(
            stream,
            cast("BinaryIO", file),
            envelope,
            change_part,
            note,
            self._limits,
            on_replace,
            leave_alone=leave_one_alone,
            allowance=self.allowance,
            revisits=outcomes_of,
        )
        if moves:
            self._new_members[name] = file
            self._moves[name.rpartition("/")[2]] = moves
        else:
            file.close()

    def renew(self) -> None:
        """Renew the members that depend on the WARC files."""
        entries = self._package.infolist()
        indexes = [entry for entry in entries if entry.filename.startswith("indexes/")]
        blocks: dict[str, Moves] = {}
        moves = partial(_moves_of, self._moves)
        for entry in indexes:
            name = entry.filename.rpartition("/")[2]
            if name.endswith(_BLOCKS):
                blocks[name] = Moves()
                self._renew_index(entry, partial(renew_blocks, moves=moves, moved=blocks[name]), self._moves.values())
            elif name.endswith(_LINES):
                self._renew_index(entry, _lines_renewed(moves), self._moves.values())
        only = next(iter(blocks)) if len(blocks) == 1 else ""
        for entry in indexes:
            if entry.filename.endswith(".idx"):
                self._renew_index(entry, _lines_renewed(partial(_moves_of, blocks), only), blocks.values())
        self._renew_json(_PACKAGE, self._renew_resources)
        if _PACKAGE in self._new_members:
            self._renew_json(_PACKAGE_DIGEST, self._renew_package_digest)

    def _renew_index(
        self, entry: zipfile.ZipInfo, renewed: Callable[[BinaryIO], Iterator[bytes]], moves: Iterable[Moves]
    ) -> None:
        stream = self.stream(entry)
        if stream is None:
            return
        file = self._file()
        try:
            file.writelines(renewed(stream))
        except StaleIndex as reason:
            self._report("index-stale", entry, str(reason))
            return
        self._new_members[entry.filename] = file
        for moved in moves:
            for stated in moved.wrong:
                self._report("digest-wrong", entry, f"{excerpt(stated, 80)!r} stays")
            moved.wrong.clear()

    def _renew_json(self, name: str, renewed: Callable[[zipfile.ZipInfo, dict[str, Any]], None]) -> None:
        """Renew a member that is a JSON object. It stays on one or on several lines. Other white space may change."""
        try:
            entry = self._package.getinfo(name)
        except KeyError:
            return
        stream = self.stream(entry)
        if stream is None:
            return
        text = stream.read(_JSON_SIZE)
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            self._report("index-stale", entry, "not a JSON object")
            return
        renewed(entry, value)
        file = self._file()
        file.write(json.dumps(value, indent=2 if b"\n" in text.strip() else None, ensure_ascii=False).encode())
        self._new_members[name] = file

    def _renew_resources(self, entry: zipfile.ZipInfo, package: dict[str, Any]) -> None:
        resources = package.get("resources")
        for resource in resources if isinstance(resources, list) else ():
            path = resource.get("path") if isinstance(resource, dict) else None
            if isinstance(path, str) and path in self._new_members:
                resource["bytes"] = self._new_members[path].seek(0, io.SEEK_END)
                self._rehash(entry, resource, path)

    def _renew_package_digest(self, entry: zipfile.ZipInfo, value: dict[str, Any]) -> None:
        self._rehash(entry, value, _PACKAGE)
        if value.pop("signedData", None) is not None:
            self._report("signature-dropped", entry, "signedData")

    def _rehash(self, entry: zipfile.ZipInfo, value: dict[str, Any], path: str) -> None:
        """Renew the `hash` of an object that describes a changed member: `algorithm:hexadecimal`. A wrong hash stays.

        `path`: the name of the changed member.
        """
        label, _, stated = str(value.get("hash", "sha256:")).partition(":")
        algorithm = label.lower().replace("-", "")
        if algorithm not in hashlib.algorithms_guaranteed or algorithm.startswith("shake"):
            self._report("digest-unknown", entry, f"hash {excerpt(label, 40)!r}")
            value.pop("hash", None)
            return
        old = self.stream(self._package.getinfo(path))
        if stated and old is not None and _hash(algorithm, old) != stated.lower():
            self._report("digest-wrong", entry, f"the hash of {path} stays")
            return
        value["hash"] = f"{label}:{_hash(algorithm, self._new_members[path])}"

    def before(self) -> Iterator[bytes]:
        """Return the bytes before the package, in pieces."""
        first = min((member.offset for member in self._directory.members), default=self._directory.start)
        return self._raw.pieces(0, first)

    def write(self) -> IO[bytes] | None:
        """Write the package with its new members, and the bytes after it. Bytes before it are included if the offsets
        count them. Return None if an unchanged member cannot be read.
        """
        file = self._file()
        if self.counts_what_precedes:
            file.writelines(self.before())
        try:
            with warnings.catch_warnings(), zipfile.ZipFile(file, "w") as new:
                warnings.simplefilter("ignore", UserWarning)  # about repeated names, which the source has
                new.comment = self._package.comment
                for entry in self._package.infolist():
                    self._write_member(new, entry)
        except _DAMAGE as error:
            self._note(
                container_problem("container-damaged", 0, f"a member cannot be copied, so nothing was changed: {error}")
            )
            return None
        file.seek(0, io.SEEK_END)
        file.writelines(self._raw.pieces(self._directory.end, self._raw.size))
        return file

    def _write_member(self, new: zipfile.ZipFile, entry: zipfile.ZipInfo) -> None:
        info = zipfile.ZipInfo(entry.filename, entry.date_time)
        for name in ("compress_type", "comment", "create_system", "external_attr", "internal_attr"):
            setattr(info, name, getattr(entry, name))
        made = self._new_members.get(entry.filename)
        info.file_size = entry.file_size if made is None else made.seek(0, io.SEEK_END)
        if made is not None:
            made.seek(0)
        with made or self._package.open(entry) as content, new.open(info, "w") as target:
            shutil.copyfileobj(content, target, 1 << 20)


def _hash(algorithm: str, file: IO[bytes] | BinaryIO) -> str:
    file.seek(0)
    made = hashlib.new(algorithm, usedforsecurity=False)
    while piece := file.read(1 << 20):
        made.update(piece)
    return made.hexdigest()


def _lines_renewed(moves: Callable[[str], Moves | None], default: str = "") -> Callable[[BinaryIO], Iterator[bytes]]:
    return lambda stream: renew_lines(lines_of(stream), moves, default)


def _moves_of(moves: dict[str, Moves], name: str) -> Moves | None:
    """Return the moves in a file. `name`: the name in an index, with or without the folder."""
    return moves.get(name.rpartition("/")[2])
