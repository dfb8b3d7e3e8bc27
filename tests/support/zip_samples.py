"""Zip archives for tests, as Python's zipfile writes them."""

from __future__ import annotations

import io
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


def pages(**files):
    """An archive of texts: names are as they are given in `files`."""
    return archive([Sample(name, text.encode()) for name, text in files.items()])


def contents(data):
    """What zipfile reads, CRCs checked: names, data, and all of the directory that a change must keep."""
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
