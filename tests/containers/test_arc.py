"""ARC files, and WARC and ARC files in LZ4 frames."""

from __future__ import annotations

import gzip
import io
import re

import pytest
from support.extras import needed
from support.growth import assert_linear
from support.running import run
from support.running_containers import codes, nothing, read, rewritten
from support.warc_files import warc_record

from linkfix import Document
from linkfix.containers import Limits, container, recognise

arc = container("arc")
warc = container("warc")

PAGE = b"<a href=x.html>x</a>"
URL = "http://example.com/docs/page.html"
VERSION_1 = b"1 0 Alexa Internet\nURL IP-address Archive-date Content-type Archive-length\n"
VERSION_2 = (
    b"2 0 Alexa Internet\n"
    b"URL IP-address Archive-date Content-type Result-code Checksum Location Offset Filename Archive-length\n"
)


def http(body=PAGE, type_="text/html", **fields):
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in {"Content-Type": type_, **fields}.items()]
    return "\r\n".join(["HTTP/1.1 200 OK", *lines, "", ""]).encode() + body


def member(block=None, url=URL, between="text/html", ip="192.0.2.1"):
    block = http() if block is None else block
    return f"{url} {ip} 20030101000000 {between} {len(block)}\n".encode() + block + b"\n"


def version(text=VERSION_1):
    return member(text, "filedesc://old.arc", "text/plain", "0.0.0.0")  # noqa: S104 - as crawlers write it


IMAGE = member(http(b"image", "image/png"), "http://example.com/i.png", "image/png")
MEMBERS = [version(), member(), IMAGE, member(b"a.example\t1\tIN", "dns:a.example", "text/dns")]
ARC = b"".join(MEMBERS)
GZIP = b"".join(gzip.compress(one, mtime=0) for one in MEMBERS)


def lz4(data):
    out = io.BytesIO()
    writer = needed("fastwarc.stream_io").Lz4Writer(out)
    writer.write(data)
    writer.finish()
    writer.flush()
    return out.getvalue()


def absolute(part):
    return Document(part.data, envelope=part.envelope).convert().data if part.media_type == "text/html" else None


@pytest.mark.parametrize(
    "data", [ARC, GZIP, gzip.compress(ARC), b"\n" + ARC, MEMBERS[1], ARC.replace(b"filedesc", b"x")]
)
def test_the_parts(data):
    (part,), problems = read(arc, data)
    assert (part.data, part.media_type, part.envelope.url) == (PAGE, "text/html", URL)
    assert part.envelope.where == "the URL of the ARC record"
    assert re.fullmatch(rf"offset \d+ {URL}", part.name)
    assert problems == []
    assert recognise(data[:4096], "a") == "arc"


@pytest.mark.parametrize("data", [ARC, GZIP, gzip.compress(ARC)])
def test_without_a_change_the_bytes_are_the_same(data):
    assert rewritten(arc, data, nothing) == (data, [])


def test_only_the_record_changes_and_its_length():
    made, problems = rewritten(arc, ARC, absolute)
    new = http(b"<a href=http://example.com/docs/x.html>x</a>", Content_Length=44)
    assert made == ARC.replace(MEMBERS[1], member(new))
    assert problems == []
    assert rewritten(arc, made, absolute) == (made, [])


def test_a_changed_record_is_a_member_of_its_own():
    made, problems = rewritten(arc, GZIP, absolute)
    assert gzip.decompress(made) == rewritten(arc, ARC, absolute)[0]
    first = gzip.compress(MEMBERS[0], mtime=0)
    assert made.startswith(first)
    assert made.endswith(b"".join(gzip.compress(one, mtime=0) for one in MEMBERS[2:]))
    assert problems == []


def test_a_coded_body_is_written_without_its_codings():
    block = http(gzip.compress(PAGE, mtime=0), Content_Encoding="gzip", Content_Length=99, ETag="1")
    made, problems = rewritten(arc, version() + member(block), absolute)
    line, _, response = made.removeprefix(version()).partition(b"\n")
    head, _, body = response.partition(b"\r\n\r\n")
    assert body == b"<a href=http://example.com/docs/x.html>x</a>\n"
    assert int(line.rpartition(b" ")[2]) == len(response) - 1
    assert (b"Content-Encoding" in head, b"Content-Length: 44" in head) == (False, True)
    assert problems == []


@pytest.mark.parametrize(
    ("record", "url", "charset"),
    [
        (member(between="text/html 200 ABC - 1024 a.arc"), URL, None),
        (member(b"<a href=y>"), URL, None),
        (member(ip="2001:db8::1"), URL, None),
        (member(ip="-"), URL, None),
        (member(url="http://example.com/a b"), "http://example.com/a%20b", None),
        (member(http(type_="text/html; charset=koi8-r")), URL, "koi8-r"),
        (member(b"<a href=y>", between="text/html;charset=koi8-r"), URL, "koi8-r"),
        (member().replace(b"\n", b"\r\n", 1), URL, None),
    ],
)
def test_lines(record, url, charset):
    data = version(VERSION_2) + record
    (part,), problems = read(arc, data)
    assert (part.envelope.url, part.envelope.charset, problems) == (url, charset, [])
    made, problems = rewritten(arc, data, absolute)
    assert len(read(arc, made)[0]) == 1
    assert problems == []


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data.replace(PAGE, b"<a href"),
        lambda data: re.sub(rb"(text/html \d)\d+", rb"\1", data),
        lambda data: re.sub(rb"(text/html \d+)", rb"\g<1>00", data),
        lambda data: data.replace(VERSION_1, VERSION_1 * 2),
        lambda data: data[:200] + bytes(range(256)) + data[200:],
        lambda data: b"filedesc:\n" + data,
    ],
)
def test_damage_is_a_problem_and_other_records_are_read(damage):
    data = damage(ARC.replace(MEMBERS[1], member(http(Date="0123456789012345678"))))
    assert data != ARC
    more = data + member(b"<a href=z>", "http://later.example/")
    parts, problems = read(arc, more)
    assert set(codes(problems)) == {"container-damaged"}
    assert parts[-1].envelope.url == "http://later.example/"
    made, _ = rewritten(arc, more, absolute)
    assert b"<a href=http://later.example/z>" in made
    assert rewritten(arc, more, nothing)[0] == more


def test_limits():
    data = version() + member() * 3
    assert codes(read(arc, data, limits=Limits(part=10))[1]) == ["part-too-large"] * 3
    assert codes(read(arc, data, limits=Limits(parts=2))[1]) == ["too-many-parts"]
    assert codes(read(arc, data, limits=Limits(total=30))[1]) == ["total-too-large"]


def test_warcio_reads_what_is_written():
    iterator = needed("warcio.archiveiterator")
    for data in (ARC, GZIP):
        made, _ = rewritten(arc, data, absolute)
        records = [
            (record.rec_headers.get_header("uri"), record.content_stream().read())
            for record in iterator.ArchiveIterator(io.BytesIO(made))
            if record.rec_type == "response"
        ]
        assert records[0] == (URL, b"<a href=http://example.com/docs/x.html>x</a>")
        assert [url for url, _ in records] == [URL, "http://example.com/i.png", "dns:a.example"]


@pytest.mark.parametrize("name", ["old.arc", "old.eml", "old.warc", "old", "-"])
def test_commands(tmp_path, name):
    given = "-" if name == "-" else tmp_path / name
    stdin = ARC if name == "-" else None
    if name != "-":
        given.write_bytes(ARC)
    assert "x.html -> http://example.com/docs/x.html" in run("links", given, stdin=stdin).stdout
    assert b"<a href=http://example.com/docs/x.html>" in run("absolutize", given, stdin=stdin).stdout_bytes
    assert run("unpack", "--raw", given, "-o", tmp_path / "out", stdin=stdin).exit_code == 0
    assert (tmp_path / "out/example.com/docs/page.html").read_bytes() == PAGE


def test_other_files_named_so(tmp_path):
    (tmp_path / "a.arc").write_bytes(b"x" * 99)
    (tmp_path / "b.arc").write_bytes(b"ArC\x01" + bytes(99))
    made = run("links", tmp_path)
    assert "a.arc:1:1" in made.stderr
    assert "b.arc" not in made.stderr


@pytest.mark.growth
@pytest.mark.parametrize(
    "line", [b"http:// - 20030101 " * 5 + b"\n", b"http:\n", b"http://" + b"a" * 300, b"\n a: - 20030101 1"]
)
def test_time_is_linear(line):
    assert_linear(lambda count: lambda: read(arc, line * count), 200)


class TestLz4:
    WARC = warc_record(URL, PAGE) + warc_record("http://example.com/2", b"<a href=y>")

    def test_warc(self):
        data = lz4(warc_record(URL, PAGE)) + lz4(warc_record("http://example.com/2", b"text"))
        parts, problems = read(warc, data)
        assert ([part.data for part in parts], problems) == ([PAGE, b"text"], [])
        assert recognise(data, "crawl.warc.lz4") == "warc"
        assert rewritten(warc, data, nothing) == (data, [])
        made, problems = rewritten(warc, data, lambda part: b"<p>new" if part.data == PAGE else None)
        assert ([part.data for part in read(warc, made)[0]], problems) == ([b"<p>new", b"text"], [])
        assert made.endswith(lz4(warc_record("http://example.com/2", b"text")))
        assert made.count(b"\x04\x22\x4d\x18") == 2

    def test_all_records_in_one_frame(self):
        made, problems = rewritten(warc, lz4(self.WARC), absolute)
        assert (len(read(warc, made)[0]), problems) == (2, [])
        assert made.count(b"\x04\x22\x4d\x18") == 2

    def test_large_blocks(self):
        body = bytes(range(256)) * 20_000
        data = lz4(warc_record(URL, b"<a href=x.html>" + body)) + lz4(warc_record(URL, PAGE))
        parts, problems = read(warc, data)
        assert ([len(part.data) for part in parts], problems) == ([15 + len(body), len(PAGE)], [])

    @pytest.mark.parametrize("cut", [1, 4, 20, 60])
    def test_a_frame_without_an_end(self, cut):
        first = lz4(warc_record(URL, PAGE))
        data = first + first[:-cut]
        parts, problems = read(warc, data)
        assert ([part.data for part in parts], codes(problems)) == ([PAGE], ["container-damaged"])
        assert rewritten(warc, data, nothing)[0] == data

    def test_a_damaged_frame(self):
        first = lz4(warc_record(URL, PAGE))
        broken = bytearray(first)
        broken[40] ^= 0xFF
        broken[41] ^= 0xFF
        parts, problems = read(warc, first + bytes(broken) + first)
        assert parts[0].data == PAGE
        assert codes(problems) == ["part-damaged"]
        assert len(parts) == 2

    def test_arc(self):
        data = b"".join(map(lz4, MEMBERS))
        (part,), problems = read(arc, data)
        assert (part.data, problems, recognise(data, "a.arc.lz4")) == (PAGE, [], "arc")
        made, _ = rewritten(arc, data, absolute)
        assert read(arc, made)[0][0].data == b"<a href=http://example.com/docs/x.html>x</a>"

    def test_without_the_extra(self, monkeypatch):
        data = lz4(warc_record(URL, PAGE))
        monkeypatch.setitem(__import__("sys").modules, "fastwarc.stream_io", None)
        (problem,) = read(warc, data)[1]
        assert problem.code == "extra-needed"
        assert "install linkfix[warc]" in problem.message
        assert rewritten(warc, data, absolute)[0] == data
