"""Files with several archives in them, beside the members that zipfile, unzip and Java read from them."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.paths import SHARED
from support.running_containers import codes, nothing, read, rewritten
from support.zip_samples import Sample, archive, as_zip64

from fuzz.zip_readers import READERS, reads
from linkfix import Envelope
from linkfix.containers import container, recognise, zipped
from linkfix.containers.zipped import Archive, Describe

CASES = SHARED / "cases" / "containers"
SIGNATURE = b"PK\5\6"


class Plain:
    """A format whose members are all pages."""

    @staticmethod
    def describer(_archive: Archive, envelope: Envelope) -> Describe:
        return lambda _member, _head: ("text/html", envelope)

    def parts(self, *given):
        return zipped.parts(*given, self.describer)

    def rewrite(self, *given):
        return zipped.rewrite(*given, self.describer)


def zipped_pages(*contents, comment=b""):
    samples = [Sample(f"{number}.html", content.encode()) for number, content in enumerate(contents)]
    return archive(samples, comment=comment)


def with_comment(data, comment):
    """The archive, which has no comment, with a comment that is not checked for signatures."""
    return data[:-2] + struct.pack("<H", len(comment)) + comment


def between(data, inserted):
    """The archive with bytes between its directory and its end record."""
    at = data.rindex(SIGNATURE)
    return data[:at] + inserted + data[at:]


OLD, NEW = zipped_pages("old", "old too"), zipped_pages("new", "new too")
AGREED = {
    "an archive": NEW,
    "an older copy before it": OLD + NEW,
    "an older copy without its end before it": OLD[: OLD.rindex(SIGNATURE)] + NEW,
    "itself before it": NEW + NEW,
    "a comment that is the archive": with_comment(OLD, NEW),
    "a byte order mark before it": b"\xef\xbb\xbf" + NEW,
    "a program before it": b"MZ" + bytes(5000) + NEW,
    "text after it": NEW + b"</html>",
    "text after an archive with a comment": with_comment(NEW, b"a comment") + b"</html>",
    "zip64": as_zip64(NEW),
    "zip64 whose end record has the numbers too": as_zip64(NEW, full=False),
    "zip64 after what its offsets count": as_zip64(OLD + NEW, moved=len(OLD)),
}
#: Archives that some readers refuse or read differently.
CONTESTED = {
    "a signature in the comment": with_comment(NEW, SIGNATURE),
    "an end record in the comment": with_comment(NEW, SIGNATURE + bytes(30)),
    "the end record of another archive after it": NEW + OLD[OLD.rindex(SIGNATURE) :],
    "an archive with a longer comment": with_comment(NEW, b"a comment")[:-3],
    "a comment that is an archive, cut off": with_comment(OLD, NEW)[:-9],
    "something between the directory and its end": between(NEW, b"PK\5\5\x04\0abcd"),
    "zip64 after what its offsets do not count": b"#!/bin/sh\n" + as_zip64(NEW),
    "zip64 and text after it": as_zip64(NEW) + b"</html>",
    "zip64 with a locator that leads elsewhere": as_zip64(NEW).replace(b"PK\6\6", b"PK\6\5"),
    "zip64 on two disks": as_zip64(NEW)[:-26] + b"\2\0\0\0" + as_zip64(NEW)[-22:],
    "zip64 that contradicts the end record": as_zip64(NEW, full=False).replace(
        struct.pack("<2L", len(NEW) - 22 - NEW.index(b"PK\1\2"), NEW.index(b"PK\1\2")), struct.pack("<2L", 1, 1)
    ),
}


def longer(part):
    return part.data + b", and longer"


def agree(readings):
    """Whether all programs read the same; `unzip` gives one number, which is compared by itself."""
    return None not in readings.values() and readings["zipfile"] == readings.get("java", readings["zipfile"])


@pytest.mark.parametrize("name", AGREED)
def test_the_archive_that_all_programs_read_is_converted_for_all_of_them(name):
    data = AGREED[name]
    parts, problems = read(Plain(), data)
    assert ([part.data for part in parts], problems) == ([b"new", b"new too"], [])
    made, problems = rewritten(Plain(), data, longer)
    assert problems == []
    assert agree(reads(data))
    assert reads(made) == reads(zipped_pages("new, and longer", "new too, and longer"))
    assert rewritten(Plain(), data, nothing)[0] == data


@pytest.mark.parametrize("name", CONTESTED)
def test_a_file_from_which_programs_read_different_archives_is_copied_and_named(name):
    data = CONTESTED[name]
    assert len(READERS) < 3 or not agree(reads(data))
    assert codes(read(Plain(), data)[1]) == ["container-damaged"]
    made, problems = rewritten(Plain(), data, longer)
    assert (made, codes(problems)) == (data, ["container-damaged"])


pieces = st.sampled_from(
    [b"", OLD, NEW, OLD[:-22], NEW[-22:], NEW[:-5], SIGNATURE, SIGNATURE + bytes(18), b"x", b"PK\1\2", as_zip64(NEW)]
)


@given(st.lists(pieces, min_size=1, max_size=4), st.sampled_from([None, b"", b"c", SIGNATURE, NEW]))
def test_all_programs_read_a_converted_archive_alike(parts, comment):
    data = b"".join(parts)
    if comment is not None:
        data += with_comment(OLD, comment)
    made, problems = rewritten(Plain(), data, longer)
    if made != data:
        assert problems == []
        assert agree(reads(made)), reads(data)


def test_a_member_with_different_names_in_its_headers_stays():
    """zipfile refuses it, unzip and Java take the directory's name."""
    made = NEW.replace(b"0.html", b"9.html", 1)
    changed, problems = rewritten(Plain(), made, longer)
    assert codes(problems) == ["part-damaged"]
    assert [part.name for part in read(Plain(), changed)[0]] == ["1.html"]


def test_a_member_encrypted_only_by_its_local_header():
    made = bytearray(NEW)
    made[6] |= 1
    assert codes(rewritten(Plain(), bytes(made), longer)[1]) == ["part-encrypted"]


@pytest.mark.skipif(not CASES.is_dir(), reason="no cases in ../shared/cases/containers; they are not ours to copy")
@pytest.mark.parametrize("suffix", ["epub", "htz", "maff"])
def test_archives_of_strangers_can_be_opened_after_they_were_converted(suffix):
    paths = sorted(CASES.glob(f"*.{suffix}"))
    assert paths
    for path in paths:
        data = path.read_bytes()
        module = container(recognise(data[:4096], path.name))
        for whole in (data, data + data):
            made, problems = rewritten(module, whole, lambda part: part.data + b"\n")
            assert made != whole
            before, after = reads(whole), reads(made)
            assert (problems, after["unzip"] is None) == ([], False)
            assert {name for name in after if after[name] is None} == {name for name in before if before[name] is None}
