"""SingleFile's self-extracting pages, in the layout that its CLI writes."""

from __future__ import annotations

import struct

import pytest
from support.running import run
from support.running_containers import codes, nothing, read, rewritten
from support.zip_samples import Sample, archive

from linkfix import Document
from linkfix.containers import CONTAINERS, Limits, container, recognise

self_extracting = container("self-extracting")
htz = container("htz")

HEAD = (
    b"<!DOCTYPE html> <html data-sfz><!--\n Page saved with SingleFile \n url: https://example.com/d/ \n-->"
    b"<meta charset=windows-1252><title></title><body hidden><div id=sfz-wait-message>Please wait...</div>"
    b"<script>/* unpacks */</script><!--"
)
TAIL = b"--><sfz-extra-data>AQCAAAEBBYAABAHwgAA==</sfz-extra-data></body></html>"
MEMBERS = [
    Sample("index.html", b'<img src="images/0.png"><a href="b.html">1</a>', comment=b"https://example.com/d/"),
    Sample("manifest.json", b"{}"),
    Sample("images/0.png", b"image", comment=b"https://example.com/d/x.png"),
    Sample("frames/0/index.html", b"<a href=c>2</a>", comment=b"https://frames.example/f/"),
]


def page(members=MEMBERS, *, tail=TAIL, head=HEAD):
    """Offsets in the archive count from the beginning of the file, and the archive has no comment."""
    data = archive(members, prefix=head)
    assert data.endswith(b"\0\0")
    return data + tail


def absolute(part):
    return Document(part.data, envelope=part.envelope).convert().data if part.media_type == "text/html" else None


@pytest.mark.parametrize("tail", [TAIL, b"", b"--></body></html>"])
def test_the_parts_are_those_of_singlefiles_archive(tail):
    parts, problems = read(self_extracting, page(tail=tail))
    assert [part._replace(envelope=None) for part in parts] == [
        part._replace(envelope=None) for part in read(htz, archive(MEMBERS))[0]
    ]
    assert [(part.name, part.envelope.url) for part in parts] == [
        ("index.html", "https://example.com/d/"),
        ("manifest.json", None),
        ("images/0.png", "https://example.com/d/x.png"),
        ("frames/0/index.html", "https://frames.example/f/"),
    ]
    assert problems == []


def test_it_is_never_written():
    left = []
    made, problems = rewritten(self_extracting, page(), absolute, leave_alone=left.append)
    assert (made, codes(problems), left) == (page(), ["self-extracting"], [2])
    assert "2 of its parts would change" in problems[0].message
    assert rewritten(self_extracting, page(), nothing) == (page(), [])
    assert rewritten(self_extracting, page(), lambda part: part.data) == (page(), [])


def test_a_damaged_archive():
    data = page().replace(b"PK\1\2", b"PK\1\3")
    assert codes(read(self_extracting, data)[1]) == ["container-damaged"]
    made, problems = rewritten(self_extracting, data, absolute)
    assert (made, codes(problems)) == (data, ["container-damaged"])


def test_limits():
    assert codes(read(self_extracting, page(), limits=Limits(part=20))[1]) == ["part-too-large"]
    assert codes(read(self_extracting, page(), limits=Limits(parts=3))[1]) == ["too-many-parts"]


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (HEAD, True),
        (b"\xef\xbb\xbf<html data-sfz><!--", True),
        (b"<!doctype html>\n<HTML data-sfz>", True),
        (b'<html data-sfz=""><!--', False),
        (b"<html><!-- <html data-sfz>", False),
    ],
)
def test_recognised(head, expected):
    assert (recognise(head, "page.html") == "self-extracting") is expected
    assert CONTAINERS["self-extracting"].recognise(head, "") is expected


def test_a_page_that_was_unpacked_is_a_page(tmp_path):
    """A browser saves it with the mark of the page that is unpacked, but without the archive."""
    (tmp_path / "a.html").write_bytes(b"<html data-sfz><a href=b>")
    made = run("links", tmp_path / "a.html", "--url", "https://example.com/")
    assert "a.html:1:24 a[href] b -> https://example.com/b" in made.stdout


class TestCommands:
    @pytest.fixture
    def path(self, tmp_path):
        path = tmp_path / "in/page.html"
        path.parent.mkdir()
        path.write_bytes(page())
        return path

    def test_links(self, path):
        for given in (path, path.parent):
            made = run("links", given)
            assert "page.html!index.html:1:34 a[href] b.html -> https://example.com/d/b.html" in made.stdout
            assert (made.stderr, made.exit_code) == ("", 0)
        assert "!index.html:1:34" in run("links", "-", stdin=path.read_bytes()).stdout

    def test_unpack(self, path, tmp_path):
        assert run("unpack", "--raw", path, "-o", tmp_path / "out").exit_code == 0
        assert (tmp_path / "out/index.html").read_bytes() == MEMBERS[0].data
        assert (tmp_path / "out/images/0.png").read_bytes() == b"image"

    @pytest.mark.parametrize("of_folder", [True, False])
    def test_absolutize_says_that_it_stays(self, path, tmp_path, of_folder):
        target = tmp_path / "out" if of_folder else tmp_path / "out/page.html"
        target.parent.mkdir(exist_ok=True)
        made = run("absolutize", path.parent if of_folder else path, "--output", target, "--strict")
        assert (made.exit_code, (tmp_path / "out/page.html").read_bytes()) == (1, page())
        assert "its offsets must not change, so it stays unchanged: 2 of its parts would change" in made.stderr


def test_the_offsets_of_the_samples_are_those_of_the_file():
    data = page()
    end = data.rindex(b"PK\5\6")
    *_, offset, comment = struct.unpack_from("<2LH", data, end + 12)
    assert data.startswith(b"PK\1\2", offset)
    assert comment == 0
