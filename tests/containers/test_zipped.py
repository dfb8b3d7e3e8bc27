from __future__ import annotations

import hashlib
import io
import shutil
import subprocess
import zipfile
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.running_containers import codes, nothing, read, rewritten
from support.zip_samples import METHODS, Sample, archive, archives, as_zip64, contents, pages

from linkfix import Envelope
from linkfix.containers import Limits, zipped
from linkfix.containers.part import UNCHECKED

#: Bytes that no method compresses.
NOISE = b"".join(hashlib.sha256(bytes([number])).digest() for number in range(256))
UNZIP = shutil.which("unzip")


def describer(_archive, envelope):
    return lambda _member, _head: ("text/html", envelope)


plain = SimpleNamespace(
    parts=lambda *given: zipped.parts(*given, describer), rewrite=lambda *given: zipped.rewrite(*given, describer)
)


def test_parts_are_the_files_with_their_names_and_data():
    data = archive([Sample("a/", b""), Sample("a/é.html", b"1"), Sample("b\\c.css", b"2" * 500)])
    parts, problems = read(plain, data)
    assert [(part.name, part.data) for part in parts] == [("a/é.html", b"1"), ("b/c.css", b"2" * 500)]
    assert problems == []


@given(archives)
def test_members_that_zipfile_reads_are_read(data):
    parts, problems = read(plain, data)
    expected = [(name, content) for name, content, *_ in contents(data)[0] if not name.endswith("/")]
    assert [(part.name, part.data) for part in parts] == expected
    assert problems == []


@given(archives)
def test_without_a_change_the_bytes_are_the_same(data):
    assert rewritten(plain, data, nothing) == (data, [])
    assert rewritten(plain, data, lambda part: part.data)[1] == []


@given(archives, st.binary(max_size=2000), st.sets(st.integers(0, 4)))
def test_zipfile_reads_the_changed_members(data, new, which):
    names = [name for name, *_ in contents(data)[0] if not name.endswith("/")]
    chosen = {name for number, name in enumerate(names) if number in which}
    made, problems = rewritten(plain, data, lambda part: new if part.name in chosen else None)
    members, comment = contents(data)
    expected = [(name, new if name in chosen else old, *rest) for name, old, *rest in members]
    assert contents(made) == (expected, comment)
    assert problems == []
    again, _ = rewritten(plain, made, nothing)
    assert again == made


@pytest.mark.skipif(UNZIP is None, reason="unzip is not installed")
@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("wide", [False, True])
def test_unzip_accepts_the_output(tmp_path, streamed, wide):
    samples = [Sample(f"{method}.html", b"<a href=x>" * 50, method, wide=wide) for method in METHODS[:3]]
    data = archive(samples, streamed=streamed, comment=b"c")
    made, _ = rewritten(plain, data, lambda part: part.data.replace(b"x", b"https://example.com/x"))
    (tmp_path / "made.zip").write_bytes(made)
    ran = subprocess.run([UNZIP, "-t", tmp_path / "made.zip"], capture_output=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert b"At least one" not in ran.stdout


@pytest.mark.parametrize("method", METHODS)
def test_a_changed_member_keeps_its_method_and_other_header_fields(method):
    data = archive([Sample("a.html", b"old" * 100, method, extra=b"\xfe\xca\x02\x00ab")])
    made, _ = rewritten(plain, data, lambda _: b"new" * 90)
    old, new = (zipfile.ZipFile(io.BytesIO(one)).infolist()[0] for one in (data, made))
    assert (new.compress_type, new.extra, new.flag_bits, new.file_size) == (method, old.extra, old.flag_bits, 270)
    assert made[:14] == data[:14]


def test_unchanged_members_are_copied_compressed():
    data = archive([Sample("a.html", b"a"), Sample("b.bin", NOISE[:2000])])
    made, _ = rewritten(plain, data, lambda part: b"aaaa" if part.name == "a.html" else None)
    at = data.index(b"b.bin")
    end = data.index(b"PK\1\2")
    assert data[at:end] in made


def test_the_level_of_deflate_is_read_from_the_flags():
    text = NOISE.hex().encode()
    data = bytearray(archive([Sample("a.txt", text)]))
    for at in (data.index(b"PK\3\4") + 6, data.index(b"PK\1\2") + 8):
        data[at] |= 0x6  # super fast
    fast, _ = rewritten(plain, bytes(data), lambda part: part.data)
    normal, _ = rewritten(plain, archive([Sample("a.txt", text)]), lambda part: part.data)
    assert len(fast) > len(normal)


def test_an_empty_archive_is_copied():
    data = archive([], comment=b"nothing")
    assert rewritten(plain, data, lambda _: b"x") == (data, [])


def test_names_of_old_archives_are_code_page_437():
    data = archive([Sample("x.html", b"1")]).replace(b"x.html", b"\x81.html")
    assert [part.name for part in read(plain, data)[0]] == ["ü.html"]


# Damage


def damaged(data, change):
    made = bytearray(data)
    change(made)
    return bytes(made)


def set_bytes(at, new):
    def change(made):
        made[at : at + len(new)] = new

    return change


TWO = archive([Sample("a.html", b"first" * 40), Sample("b.html", b"second" * 40)])
DIRECTORY = TWO.index(b"PK\1\2")
SECOND = TWO.index(b"PK\1\2", DIRECTORY + 4)
DAMAGES = {
    "the data of the first": (set_bytes(40, b"\xff\xff\xff\xff"), ["part-damaged"], ["b.html"]),
    "the CRC of the first": (set_bytes(DIRECTORY + 16, b"abcd"), ["part-damaged"], ["b.html"]),
    "the size of the first": (set_bytes(DIRECTORY + 24, b"\x01\0\0\0"), ["part-damaged"], ["b.html"]),
    "the offset of the second": (set_bytes(SECOND + 42, b"\x03\0\0\0"), ["part-damaged"] * 2, []),
    "both at the same place": (set_bytes(SECOND + 42, b"\0\0\0\0"), ["part-damaged"] * 2, []),
    "an offset beyond the end": (set_bytes(SECOND + 42, b"\xf0\xff\xff\x7f"), ["part-damaged"], ["a.html"]),
    "a signature": (set_bytes(0, b"XX"), ["part-damaged"], ["b.html"]),
    "an unknown method": (
        lambda made: (set_bytes(8, b"\x63")(made), set_bytes(DIRECTORY + 10, b"\x63")(made)),
        ["part-encoding"],
        ["b.html"],
    ),
    "encrypted": (
        lambda made: (set_bytes(6, b"\x01")(made), set_bytes(DIRECTORY + 8, b"\x01")(made)),
        ["part-encrypted"],
        ["b.html"],
    ),
    "encrypted, as the directory alone says": (set_bytes(DIRECTORY + 8, b"\x01"), ["part-encrypted"], ["b.html"]),
    # §4.4.4: bit 5, which zipfile refuses.
    "a patch of another file": (set_bytes(DIRECTORY + 8, b"\x20"), ["part-encoding"], ["b.html"]),
    "a patch, as the local header alone says": (set_bytes(6, b"\x20"), ["part-encoding"], ["b.html"]),
    "a record's length": (set_bytes(SECOND + 28, b"\xff\xff"), ["container-damaged"], []),
    "a record's signature": (set_bytes(SECOND, b"XX"), ["container-damaged"], []),
    "the end is cut off": (lambda made: made.__delitem__(slice(-30, None)), ["container-damaged"], []),
    "cut in half": (lambda made: made.__delitem__(slice(len(made) // 2, None)), ["container-damaged"], []),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_reported_and_the_rest_is_read_and_kept(damage):
    change, expected, readable = DAMAGES[damage]
    data = damaged(TWO, change)
    parts, problems = read(plain, data)
    assert (codes(problems), [part.name for part in parts]) == (expected, readable)
    made, problems = rewritten(plain, data, nothing)
    assert (made, codes(problems)) == (data, expected)
    made, _ = rewritten(plain, data, lambda part: part.data + b"!")
    assert (made == data) == (not readable)
    assert [part.data[-1:] for part in read(plain, made)[0]] == [b"!"] * len(readable)


@pytest.mark.parametrize("method", METHODS[1:])
def test_a_member_with_bytes_after_its_compressed_data_is_skipped(method):
    data = archive([Sample("a.html", b"text" * 99, method), Sample("b.html", b"1")])
    with zipfile.ZipFile(io.BytesIO(data)) as made:
        packed = made.getinfo("a.html").compress_size
    start = 30 + len("a.html")
    at = data.index(b"PK\1\2")
    longer = bytearray(data[: start + packed] + b"more" + data[start + packed :])
    for field in (18, at + 4 + 20):
        longer[field : field + 4] = (packed + 4).to_bytes(4, "little")
    second = longer.index(b"PK\1\2", at + 10)
    for field in (second + 42, longer.rindex(b"PK\5\6") + 16):
        longer[field : field + 4] = (int.from_bytes(longer[field : field + 4], "little") + 4).to_bytes(4, "little")
    made, problems = rewritten(plain, bytes(longer), lambda part: part.data + b"!")
    assert codes(problems) == ["part-damaged"]
    assert [part.name for part in read(plain, made)[0]] == ["b.html"]
    assert b"more" in made


@given(archives, st.data())
def test_no_bytes_raise_and_no_bytes_are_lost(data, drawn):
    made = bytearray(data)
    for _ in range(drawn.draw(st.integers(0, 4))):
        made[drawn.draw(st.integers(0, len(made) - 1))] = drawn.draw(st.integers(0, 255))
    cut = bytes(made[: drawn.draw(st.integers(0, len(made)))])
    for broken in (bytes(made), cut):
        assert rewritten(plain, broken, nothing)[0] == broken
        rewritten(plain, broken, lambda part: part.data + b"more")


def test_members_that_overlap_are_no_bomb():
    """One kernel, with many records that all lead to it."""
    data = archive([Sample("a", b"\0" * 100_000)])
    start, end = data.index(b"PK\1\2"), data.rindex(b"PK\5\6")
    tail = bytearray(data[end:])
    count = 1000
    tail[8:12] = count.to_bytes(2, "little") * 2
    tail[12:16] = (count * (end - start)).to_bytes(4, "little")
    bomb = data[:start] + data[start:end] * count + bytes(tail)
    parts, problems = read(plain, bomb)
    assert parts == []
    assert codes(problems).count("part-damaged") == count
    assert rewritten(plain, bomb, lambda _: b"x")[0] == bomb


@pytest.mark.parametrize(
    ("sample", "limits", "code"),
    [
        (Sample("a", b"12345"), Limits(part=4), "part-too-large"),
        (Sample("a", bytes(UNCHECKED + 1), zipfile.ZIP_BZIP2), Limits(), "part-ratio"),
        (Sample("a", bytes(UNCHECKED + 1), zipfile.ZIP_LZMA), Limits(), "part-ratio"),
    ],
)
def test_large_members_and_bombs_are_skipped(sample, limits, code):
    data = archive([sample, Sample("b", b"1")])
    parts, problems = read(plain, data, limits=limits)
    assert ([part.name for part in parts], codes(problems)) == (["b"], [code])
    made, _ = rewritten(plain, data, lambda _: b"22", limits=limits)
    assert [content for _, content, *_ in contents(made)[0]] == [sample.data, b"22"]


def test_a_size_that_lies_ends_the_decompression():
    data = archive([Sample("a", b"\0" * 1_000_000)])
    sizes = (1_000_000).to_bytes(4, "little")
    lying = data.replace(sizes, (10).to_bytes(4, "little"))
    assert codes(read(plain, lying)[1]) == ["part-damaged"]


def test_more_members_than_the_limit():
    data = pages(a="1", b="2", c="3")
    parts, problems = read(plain, data, limits=Limits(parts=2))
    assert (parts, codes(problems)) == ([], ["too-many-parts"])
    assert rewritten(plain, data, lambda _: b"x", limits=Limits(parts=2))[0] == data


def test_a_repeated_name_is_reported_and_both_are_converted():
    with pytest.warns(UserWarning, match="Duplicate"):
        data = archive([Sample("a", b"1"), Sample("a", b"2")])
    made, problems = rewritten(plain, data, lambda part: part.data * 3)
    assert [content for _, content, *_ in contents(made)[0]] == [b"111", b"222"]
    assert codes(problems) == ["part-name-repeated"]


def test_symbolic_links_are_no_parts():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        info = zipfile.ZipInfo("index.html")
        info.external_attr = 0o120777 << 16
        info.create_system = 3
        made.writestr(info, "../other.html")
    assert read(plain, out.getvalue())[0] == []


def test_data_after_an_archive_stays():
    data = archive([Sample("a", b"1")]) + b"</html>"
    made, _ = rewritten(plain, data, lambda _: b"longer")
    assert (made.endswith(b"</html>"), read(plain, made)[0][0].data) == (True, b"longer")


def test_a_part_that_no_longer_fits_is_skipped(monkeypatch):
    data = pages(a="1", b="2")
    monkeypatch.setattr(zipped.Archive, "_room", lambda _: 3)
    made, problems = rewritten(plain, data, lambda _: b"1234567" if _.name == "a" else b"33")
    assert [content for _, content, *_ in contents(made)[0]] == [b"1", b"33"]
    assert codes(problems) == ["part-too-large"]


def test_the_maximum_size_of_an_archive_without_zip64(tmp_path):
    with (tmp_path / "sparse.zip").open("w+b") as file:
        file.seek(0xFFFF0000)
        with zipfile.ZipFile(file, "w") as made:
            made.writestr("a", b"1")
        room = zipped.Archive(file, nothing, Limits())._room()
    header, name, content = 30, 1, 1
    assert 0xFFFF0000 + header + name + content + room == 0xFFFFFFFE


def test_an_end_that_states_another_place_or_another_count():
    at = TWO.rindex(b"PK\5\6")
    for where, new in [
        (at + 16, b"\xff\xff\xff\x7f"),
        (at + 12, b"\xff\xff\xff\x7f"),
        (at + 10, b"\x03"),
        (at + 4, b"\x01"),
    ]:
        data = damaged(TWO, set_bytes(where, new))
        assert codes(read(plain, data)[1]) == ["container-damaged"]
        assert rewritten(plain, data, lambda _: b"x")[0] == data


@pytest.mark.parametrize("prefix", [b"", b"#!/bin/sh\n"])
def test_zip64_end_records_move(prefix):
    data = as_zip64(prefix + archive([Sample("a", b"1"), Sample("b", b"2")]), moved=len(prefix))
    made, problems = rewritten(plain, data, lambda _: b"longer than it was")
    assert [content for _, content, *_ in contents(made)[0]] == [b"longer than it was"] * 2
    assert (problems, read(plain, made)[1], rewritten(plain, data, nothing)[0]) == ([], [], data)
    at = made.rindex(b"PK\6\7")
    assert made[int.from_bytes(made[at + 8 : at + 16], "little") :].startswith(b"PK\6\6")


@pytest.mark.parametrize("counted", [False, True])
def test_offsets_may_include_data_before_an_archive(counted):
    data = archive([Sample("a", b"1"), Sample("b", b"2")])
    prefix = b"#!/bin/sh\n" * 30
    if counted:
        made = io.BytesIO(prefix)
        with zipfile.ZipFile(made, "a") as whole:
            for name, content in (("a", b"1"), ("b", b"2")):
                whole.writestr(name, content)
        data = made.getvalue()
    else:
        data = prefix + data
    new, problems = rewritten(plain, data, lambda _: b"longer than it was")
    assert [content for _, content, *_ in contents(new)[0]] == [b"longer than it was"] * 2
    assert (new[: len(prefix)], problems) == (prefix, [])


def test_offsets_in_zip64_extra_fields_move():
    """A record whose offset is all ones has it in its zip64 extra field (APPNOTE §4.5.3)."""
    data = archive([Sample("a", b"1"), Sample("b", b"2")])
    record = data.rindex(b"PK\1\2")
    end = data.rindex(b"PK\5\6")
    offset = data[record + 42 : record + 46]
    wide = bytearray(data[record:end] + b"\x01\0\x08\0" + offset + b"\0" * 4)
    wide[30:32], wide[42:46] = b"\x0c\0", b"\xff" * 4
    tail = bytearray(data[end:])
    tail[12:16] = (end - data.index(b"PK\1\2") + 12).to_bytes(4, "little")
    made = data[:record] + bytes(wide) + bytes(tail)
    new, problems = rewritten(plain, made, lambda part: b"longer than it was" if part.name == "a" else None)
    assert [content for _, content, *_ in contents(new)[0]] == [b"longer than it was", b"2"]
    assert (problems, rewritten(plain, made, nothing)[0]) == ([], made)


def test_streams_errors_pass_through():
    class Broken(io.BytesIO):
        def read(self, *_):
            raise OSError(5, "broken")

    with pytest.raises(OSError, match="broken"):
        list(zipped.parts(Broken(b"PK"), Envelope(), nothing, Limits(), describer))
