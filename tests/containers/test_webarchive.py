"""Safari's web archives, as plistlib writes them, and hostile ones."""

from __future__ import annotations

import io
import plistlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.growth import assert_linear
from support.running import run
from support.running_containers import codes, nothing, read, rewritten

from linkfix import Document, Envelope
from linkfix.containers import Limits, Window, container, recognise
from linkfix.containers.property_lists import InvalidPropertyList, property_list

webarchive = container("webarchive")

FORMATS = [plistlib.FMT_BINARY, plistlib.FMT_XML]


def resource(url, data, media_type="text/html", encoding="UTF-8"):
    return {
        "WebResourceData": data,
        "WebResourceFrameName": "",
        "WebResourceMIMEType": media_type,
        "WebResourceTextEncodingName": encoding,
        "WebResourceURL": url,
    }


def page(data=b'<a href="b.html">', **more):
    return {"WebMainResource": resource("https://example.com/dir/", data)} | more


def site():
    """An archive with a style sheet, an image and a frame in a frame."""
    inner = {"WebMainResource": resource("https://frames.example/2/", b"<a href=z>", encoding="ISO-8859-1")}
    frame = {"WebMainResource": resource("https://frames.example/1/", b"<a href=y>"), "WebSubframeArchives": [inner]}
    others = [
        resource("https://example.com/dir/i.png", b"image" * 100, "image/png", ""),
        resource("https://example.com/dir/s.css#x", b"a{background:url(i.png)}", "text/css"),
    ]
    return page(WebSubresources=others, WebSubframeArchives=[frame])


def resources(archive):
    yield archive["WebMainResource"]
    yield from archive.get("WebSubresources", ())
    for frame in archive.get("WebSubframeArchives", ()):
        yield from resources(frame)


def changed(archive, change):
    """The archive with changed data, as plistlib makes it."""
    for one in resources(archive):
        one["WebResourceData"] = change(one)
    return archive


def dump(archive, form):
    return plistlib.dumps(archive, fmt=form, sort_keys=False)


def absolute(part):
    is_document = part.media_type in {"text/html", "text/css"}
    return Document(part.data, envelope=part.envelope).convert().data if is_document else None


@pytest.mark.parametrize("form", FORMATS)
def test_the_parts(form):
    whole = Envelope("https://archive.example/")
    parts, problems = read(webarchive, dump(site(), form), envelope=whole)
    assert sorted((part.name, part.envelope.url, part.media_type, part.envelope.charset) for part in parts) == [
        ("WebMainResource", "https://example.com/dir/", "text/html", "UTF-8"),
        ("WebSubframeArchives[0].WebMainResource", "https://frames.example/1/", "text/html", "UTF-8"),
        (
            "WebSubframeArchives[0].WebSubframeArchives[0].WebMainResource",
            "https://frames.example/2/",
            "text/html",
            "ISO-8859-1",
        ),
        ("WebSubresources[0]", "https://example.com/dir/i.png", "image/png", None),
        ("WebSubresources[1]", "https://example.com/dir/s.css#x", "text/css", "UTF-8"),
    ]
    assert {part.envelope.where for part in parts} == {"WebResourceURL"}
    assert {part.envelope.parent for part in parts} == {whole}
    assert {part.siblings for part in parts} == {
        frozenset(
            {
                "https://example.com/dir/",
                "https://example.com/dir/i.png",
                "https://example.com/dir/s.css",
                "https://frames.example/1/",
                "https://frames.example/2/",
            }
        )
    }
    assert [part.data for part in parts if part.media_type == "image/png"] == [b"image" * 100]
    assert problems == []


@pytest.mark.parametrize("form", FORMATS)
def test_without_a_change_the_bytes_are_the_same(form):
    data = dump(site(), form)
    assert rewritten(webarchive, data, nothing) == (data, [])
    assert rewritten(webarchive, data, lambda part: part.data) == (data, [])


@pytest.mark.parametrize("form", FORMATS)
def test_changed_data_is_written_as_plistlib_writes_it(form):
    made, problems = rewritten(webarchive, dump(site(), form), absolute)
    expected = changed(
        site(),
        lambda one: re.sub(
            rb'(href="?|url\()(?=[a-z])',
            b"\\1" + one["WebResourceURL"].rpartition("/")[0].encode() + b"/",
            one["WebResourceData"],
        ),
    )
    assert plistlib.loads(made) == expected
    assert made == dump(expected, form)
    assert problems == []


@pytest.mark.parametrize("form", FORMATS)
@given(
    st.lists(
        st.tuples(st.integers(0, 80_000), st.integers(0, 80_000)),
        min_size=1,
        max_size=4,
        unique_by=(lambda x: x[0], lambda x: x[1]),
    )
)
def test_data_of_any_size(form, sizes):
    def of(number):
        return page(b"<p>", WebSubresources=[resource("http://h/", bytes(pair[number])) for pair in sizes])

    replaced = {bytes(old): bytes(new) for old, new in sizes}
    made, problems = rewritten(webarchive, dump(of(0), form), lambda part: replaced.get(part.data))
    assert (plistlib.loads(made), problems) == (of(1), [])


@pytest.mark.parametrize("form", FORMATS)
def test_large_data(form):
    new = bytes(range(256)) * 9000
    made, _ = rewritten(webarchive, dump(page(b"x" * 300), form), lambda _: new)
    assert made == dump(page(new), form)
    again, _ = rewritten(webarchive, made, lambda _: b"x" * 300)
    assert plistlib.loads(again) == page(b"x" * 300)


@pytest.mark.parametrize(
    "layout",
    [b"<data>%s</data>", b"<data>\n\t%s\n\t</data>", b"<data >\r\n%s\r\n</data>", b"<data> %s</data>"],
)
@pytest.mark.parametrize("old", [b"PGEg\naHJl\nZj14\nPg==", b"PGEgaHJlZj14Pg=="])
def test_the_lines_of_an_xml_list_stay_as_they_are(layout, old):
    data = dump(page(b"?"), plistlib.FMT_XML)
    start, end = data.index(b"<data>"), data.index(b"</data>") + 7
    data = data[:start] + layout % old + data[end:]
    made, problems = rewritten(webarchive, data, absolute)
    assert plistlib.loads(made) == page(b"<a href=https://example.com/dir/x>")
    assert problems == []
    gap = layout.split(b"%s")[0][6:] if b"\n" in layout else b""
    assert made[:start] == data[:start]
    assert made.endswith(data[-200:])
    assert gap.strip(b" >") in made[start : start + 20]


def test_strings_in_utf_16():
    archive = {"WebMainResource": resource("https://example.com/é\U0001f600/", b"<a href=x>")}
    (part,), problems = read(webarchive, dump(archive, plistlib.FMT_BINARY))
    assert (part.envelope.url, problems) == ("https://example.com/é\U0001f600/", [])


@pytest.mark.parametrize(
    ("archive", "code"),
    [
        ({"WebMainResource": {"WebResourceURL": "http://h/"}}, "part-missing"),
        ({"WebMainResource": {"WebResourceURL": "http://h/", "WebResourceData": "text"}}, "part-missing"),
        ({"WebMainResource": resource("", b"<a href=x>")}, "part-url"),
        ({"WebMainResource": resource("b.html", b"<a href=x>")}, "part-url"),
        ({}, "container-damaged"),
        ([], "container-damaged"),
        ("x", "container-damaged"),
    ],
)
@pytest.mark.parametrize("form", FORMATS)
def test_an_archive_that_lacks_something(archive, code, form):
    data = dump(archive, form)
    assert codes(read(webarchive, data)[1]) == [code]
    assert rewritten(webarchive, data, nothing)[0] == data


@pytest.mark.parametrize("form", FORMATS)
def test_values_of_other_types_are_no_resources(form):
    data = dump(page(WebSubresources=[1, "x", [], b"y"], WebSubframeArchives=[2, {"WebMainResource": []}], x=1.5), form)
    parts, problems = read(webarchive, data)
    assert ([part.name for part in parts], problems) == (["WebMainResource"], [])


def test_two_parts_with_the_same_data():
    """Programs of macOS write equal data once."""
    same = b"<a href=x>"
    archive = page(same, WebSubresources=[resource("https://example.com/other/", same)])
    data = dump(archive, plistlib.FMT_BINARY)
    assert data.count(same) == 1
    left = []
    made, problems = rewritten(webarchive, data, absolute, leave_alone=left.append)
    assert (made, codes(problems), left) == (data, ["part-shared"], [2])
    made, problems = rewritten(webarchive, data, lambda _: b"new")
    assert {one["WebResourceData"] for one in resources(plistlib.loads(made))} == {b"new"}
    assert problems == []


def test_limits():
    data = dump(site(), plistlib.FMT_BINARY)
    assert codes(read(webarchive, data, limits=Limits(part=300))[1]) == ["part-too-large"]
    assert codes(read(webarchive, data, limits=Limits(total=100))[1]) == ["total-too-large"]
    assert codes(read(webarchive, data, limits=Limits(parts=2))[1]) == ["too-many-parts"]
    assert len(read(webarchive, data, limits=Limits(parts=2))[0]) == 2


@pytest.mark.parametrize("form", FORMATS)
def test_too_deep(form):
    archive = page()
    for _ in range(120):
        archive = {"WebMainResource": resource("http://h/", b"x"), "WebSubframeArchives": [archive]}
    (problem,) = read(webarchive, dump(archive, form))[1]
    assert problem.code == "container-damaged"
    assert "more than 200 deep" in problem.message


@pytest.mark.parametrize(
    "declared",
    [b'<!ENTITY a "b">', b'<!ENTITY a SYSTEM "file:///etc/passwd">', b'<!ENTITY % a "b">'],
)
def test_entities_are_refused(declared):
    data = b"<!DOCTYPE plist [" + declared + b"]><plist><dict><key>WebMainResource</key><dict/></dict></plist>"
    (problem,) = read(webarchive, data)[1]
    assert "it declares entities" in problem.message


@pytest.mark.parametrize(
    "text", [b"<plist><dict>", b"<plist>\xff</plist>", b"<?xml version='1.0' encoding='x'?><plist/>"]
)
def test_damaged_xml(text):
    assert codes(read(webarchive, text)[1]) == ["container-damaged"]
    assert rewritten(webarchive, text, absolute)[0] == text


def test_xml_in_utf_16_is_a_problem():
    data = dump(site(), plistlib.FMT_XML).decode().replace("UTF-8", "UTF-16").encode("utf-16")
    assert "UTF-16" in read(webarchive, data)[1][0].message


@pytest.mark.parametrize("text", [b"!", b"PGE", b"<!-- x -->PGEg"])
def test_data_that_is_not_base64_stays(text):
    data = dump(page(b"?"), plistlib.FMT_XML)
    data = re.sub(rb"<data>[^<]*", b"<data>" + text, data)
    assert codes(read(webarchive, data)[1]) == ["part-damaged"]
    assert rewritten(webarchive, data, absolute)[0] == data


class TestHostileBinary:
    @pytest.mark.parametrize("size", [0, 8, 20, 39, 100, 300])
    def test_cut_off(self, size):
        data = dump(site(), plistlib.FMT_BINARY)[:size].ljust(8, b"\0")
        data = b"bplist00" + data[8:]
        assert codes(read(webarchive, data)[1]) == ["container-damaged"]
        assert rewritten(webarchive, data, absolute)[0] == data

    @given(st.data())
    def test_changed_bytes(self, draw):
        data = bytearray(dump(site(), plistlib.FMT_BINARY))
        for _ in range(draw.draw(st.integers(1, 4))):
            data[draw.draw(st.integers(8, len(data) - 1))] = draw.draw(st.integers(0, 255))
        read(webarchive, bytes(data))
        rewritten(webarchive, bytes(data), lambda part: part.data + b"x" * 1000)
        assert rewritten(webarchive, bytes(data), nothing)[0] == bytes(data)

    @staticmethod
    def list_of(objects, root=0):
        """A binary list of encoded objects, with references and offsets of two bytes."""
        body = b"bplist00"
        table = b""
        for one in objects:
            table += len(body).to_bytes(2, "big")
            body += one
        trailer = bytes(6) + b"\2\2" + b"".join(n.to_bytes(8, "big") for n in (len(objects), root, len(body)))
        return body + table + trailer

    def test_a_list_in_itself(self):
        data = self.list_of([b"\xa1\0\0"])
        (problem,) = read(webarchive, data)[1]
        assert "overlap" in problem.message

    def test_collections_that_share_their_bytes(self):
        """Each of many objects is the same long array."""
        count = 200
        array = b"\xaf\x10" + bytes([count]) + b"".join(n.to_bytes(2, "big") for n in range(1, count + 1))
        body = b"bplist00" + array
        table = (8).to_bytes(2, "big") * (count + 1)
        numbers = (count + 1, 0, len(body))
        data = body + table + bytes(6) + b"\2\2" + b"".join(n.to_bytes(8, "big") for n in numbers)
        assert "overlap" in read(webarchive, data)[1][0].message

    @pytest.mark.parametrize(
        "one",
        [b"\xdf\x13" + b"\x7f" * 8, b"\xaf\x13" + b"\xff" * 8, b"\x4f\x13" + b"\x7f" * 8, b"\x5f\x13" + b"\x7f" * 8],
    )
    def test_huge_counts(self, one):
        assert codes(read(webarchive, self.list_of([one]))[1]) == ["container-damaged"]

    def test_a_change_of_bytes_that_two_objects_share_is_refused(self):
        window = Window(self.list_of([b"\xa2\0\1\0\2", b"\x46\x42abcde", b"\x42ab"]))
        data = window.read(0, window.size)
        inner = data.index(b"\x42abcde")
        data = data.replace(
            (len(data) and data.index(b"\x42ab", inner + 1)).to_bytes(2, "big"), inner.to_bytes(2, "big")
        )
        opened = property_list(Window(data))
        outer, _ = opened.value(frozenset())
        with pytest.raises(InvalidPropertyList, match="overlap"):
            list(opened.edits([(outer, b"x")]))

    def test_wider_offsets(self):
        archive = page(b"x", WebSubresources=[resource("http://h/", b"y" * 20)])
        data = dump(archive, plistlib.FMT_BINARY)
        made, _ = rewritten(webarchive, data, lambda part: b"z" * (1 << 20) if part.data == b"x" else None)
        assert plistlib.loads(made)["WebMainResource"]["WebResourceData"] == b"z" * (1 << 20)
        assert rewritten(webarchive, made, nothing)[0] == made


def test_recognised():
    for form in FORMATS:
        data = dump(site(), form)
        assert recognise(data[:4096], "page.WebArchive") == recognise(data[:4096], "") == "webarchive"
        other = dump({"x": 1}, form)
        assert recognise(other, "settings.plist") == ""
        assert recognise(other, "page.webarchive") == "webarchive"
    assert recognise(b"<html>", "page.webarchive") == ""


def test_a_stream_that_cannot_seek():
    class Pipe(io.BytesIO):
        def seek(self, *_):
            raise io.UnsupportedOperation

    data = dump(site(), plistlib.FMT_BINARY)
    problems = []
    assert len(list(webarchive.parts(Pipe(data), Envelope(), problems.append, Limits()))) == 5
    assert problems == []


def test_commands(tmp_path):
    path = tmp_path / "page.webarchive"
    path.write_bytes(dump(site(), plistlib.FMT_BINARY))
    assert "!WebMainResource:1:10 a[href] b.html -> https://example.com/dir/b.html" in run("links", path).stdout
    assert run("absolutize", path, "-o", tmp_path / "new.webarchive").exit_code == 0
    made = plistlib.loads((tmp_path / "new.webarchive").read_bytes())
    assert made["WebMainResource"]["WebResourceData"] == b'<a href="https://example.com/dir/b.html">'
    assert made["WebSubresources"][1]["WebResourceData"] == b"a{background:url(i.png)}"  # --keep-parts
    assert run("unpack", path, "-o", tmp_path / "out").exit_code == 0
    assert (tmp_path / "out/example.com/dir/i.png").read_bytes() == b"image" * 100


@pytest.mark.growth
@pytest.mark.parametrize("form", FORMATS)
def test_time_is_linear(form):
    def work(count):
        others = [resource(f"http://h/{number}", b"<a href=%d>" % number) for number in range(count)]
        data = dump(page(WebSubresources=others), form)
        return lambda: rewritten(webarchive, data, absolute)

    assert_linear(work, 200)
