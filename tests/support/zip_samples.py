"""Zip archives for tests, as Python's zipfile writes them."""

from __future__ import annotations

import io
import struct
import zipfile
from dataclasses import dataclass

from hypothesis import strategies as st

METHODS = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]


class Pipe(io.RawIOBase):
    """A stream that cannot seek: zipfile then writes data descriptors."""

    def __init__(self):
        super().__init__()
        self.data = bytearray()

    def writable(self):
        return True

    def write(self, data):
        self.data += data
        return len(data)


@dataclass
class Sample:
    """A member of an archive; `wide`: written in the form of ZIP64."""

    name: str
    data: bytes
    method: int = zipfile.ZIP_DEFLATED
    comment: bytes = b""
    extra: bytes = b""
    wide: bool = False


def archive(samples, *, streamed=False, prefix=b"", comment=b""):
    """The bytes of an archive; `streamed`: as a stream that cannot seek makes it write."""
    out = Pipe() if streamed else io.BytesIO()
    out.write(prefix)
    with zipfile.ZipFile(out, "w") as made:
        made.comment = comment
        for sample in samples:
            info = zipfile.ZipInfo(sample.name, (2026, 11, 22, 1, 2, 4))
            info.compress_type = sample.method
            info.comment = sample.comment
            info.extra = sample.extra
            with made.open(info, "w", force_zip64=sample.wide) as file:
                file.write(sample.data)
    return bytes(out.data) if streamed else out.getvalue()


def as_zip64(data, *, moved=0, full=True):
    """The archive with the end records of zip64 (APPNOTE §4.3.14-16).

    `moved`: the number of bytes added to its offsets. `full`: the numbers of the end record become all ones.
    """
    at = data.rindex(b"PK\5\6")
    count, length, offset = struct.unpack_from("<H2L", data, at + 10)
    record = b"PK\6\6" + struct.pack("<Q2H2L4Q", 44, 45, 45, 0, 0, count, count, length, offset + moved)
    locator = b"PK\6\7" + struct.pack("<LQL", 0, at, 1)
    numbers = b"\xff" * 12 if full else data[at + 8 : at + 16] + struct.pack("<L", offset + moved)
    start = data.index(b"PK\1\2", at - length)
    directory = bytearray(data[start:at])
    for record_at in _records(directory):
        field = slice(record_at + 42, record_at + 46)
        directory[field] = (int.from_bytes(directory[field], "little") + moved).to_bytes(4, "little")
    return data[:start] + bytes(directory) + record + locator + data[at : at + 8] + numbers + data[at + 20 :]


def _records(directory):
    at = 0
    while at < len(directory):
        yield at
        at += 46 + sum(struct.unpack_from("<3H", directory, at + 28))


def pages(**files):
    """An archive of texts: names are as they are given in `files`."""
    return archive([Sample(name, text.encode()) for name, text in files.items()])


def contents(data):
    """The content as zipfile reads it, CRCs checked: names, data, and the directory fields that must not change."""
    with zipfile.ZipFile(io.BytesIO(data)) as made:
        return [
            (info.filename, made.read(info), info.compress_type, info.comment, info.date_time, info.external_attr)
            for info in made.infolist()
        ], made.comment


samples = st.builds(
    Sample,
    st.text(st.characters(categories=["L", "N"], include_characters="/._- "), min_size=1, max_size=12),
    st.one_of(st.binary(max_size=300), st.binary(max_size=5).map(lambda data: data * 200)),
    st.sampled_from(METHODS),
    st.binary(max_size=8),
    st.sampled_from([b"", b"\xfe\xca\x02\x00ab"]),
    st.booleans(),
)
archives = st.builds(
    archive,
    st.lists(samples, max_size=5, unique_by=lambda sample: sample.name),
    streamed=st.booleans(),
    prefix=st.sampled_from([b"", b"#!/bin/sh\n"]),
    comment=st.sampled_from([b"", b"a comment"]),
)
