"""The members of a zip archive as Python's zipfile, Info-ZIP's unzip and Java's ZipFile read them."""

from __future__ import annotations

import atexit
import lzma
import os
import shutil
import subprocess
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import IO, cast

__all__ = ["READERS", "Reading", "reads"]

#: The CRC-32 of each file of an archive, in the order of its directory; None if a program cannot read all of them.
Reading = list[int] | None

_JAVA = """
import java.io.*;
import java.util.*;
import java.util.zip.*;

class ReadZip {
    public static void main(String[] arguments) throws IOException {
        BufferedReader names = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        for (String name; (name = names.readLine()) != null;) {
            StringBuilder found = new StringBuilder("read");
            try (ZipFile archive = new ZipFile(name)) {
                for (Enumeration<? extends ZipEntry> all = archive.entries(); all.hasMoreElements();) {
                    ZipEntry entry = all.nextElement();
                    CRC32 crc = new CRC32();
                    crc.update(archive.getInputStream(entry).readAllBytes());
                    if (crc.getValue() != entry.getCrc()) throw new IOException("CRC");
                    if (!entry.isDirectory()) found.append(" ").append(crc.getValue());
                }
            } catch (Exception error) {
                found = new StringBuilder(error.toString().replace("\\n", " "));
            }
            System.out.println(found);
        }
    }
}
"""


@cache
def _programs() -> dict[str, str]:
    """Name -> path of the programs that are installed. Java compiles the source, so it needs javac."""
    found = {name: shutil.which(name) for name in ("unzip", "java", "javac")}
    return {name: path for name, path in found.items() if path and (name != "java" or found["javac"])}


def _by_zipfile(path: str) -> Reading:
    try:
        with zipfile.ZipFile(path) as archive:
            return [zlib.crc32(archive.read(info)) for info in archive.infolist() if not info.is_dir()]
    except (OSError, EOFError, LookupError, ValueError, RuntimeError, zipfile.BadZipFile, zlib.error, lzma.LZMAError):
        return None


def _by_unzip(path: str) -> Reading:
    """`unzip -p` prints the files one after the other, so their CRC is of all of them."""
    ran = subprocess.run([_programs()["unzip"], "-p", path], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    is_empty = b"zipfile is empty" in ran.stderr
    # 1: there are warnings, of bytes before the archive for instance.
    return [zlib.crc32(ran.stdout)] if ran.returncode in {0, 1} and not is_empty else [0] if is_empty else None


@cache
def _java() -> tuple[IO[str], IO[str]]:
    """The standard input and output of a process that reads archives. It is kept, since it takes long to start."""
    folder = tempfile.mkdtemp(prefix="read-zip-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    source = Path(folder, "ReadZip.java")
    source.write_text(_JAVA, "ascii")
    process = subprocess.Popen(
        [_programs()["java"], os.fspath(source)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    atexit.register(process.kill)
    return cast("IO[str]", process.stdin), cast("IO[str]", process.stdout)


def _by_java(path: str) -> Reading:
    paths, answers = _java()
    print(path, file=paths, flush=True)
    word, *numbers = answers.readline().split()
    return [int(number) for number in numbers] if word == "read" else None


#: The installed programs. Java reads only stored or deflated members.
READERS: dict[str, Callable[[str], Reading]] = {
    "zipfile": _by_zipfile,
    **{name: read for name, read in (("unzip", _by_unzip), ("java", _by_java)) if name in _programs()},
}


def reads(data: bytes) -> dict[str, Reading]:
    """The members of an archive, as each program reads them."""
    with tempfile.TemporaryDirectory(prefix="read-zip-") as folder:
        path = Path(folder, "archive.zip")
        path.write_bytes(data)
        return {name: read(os.fspath(path)) for name, read in READERS.items()}
