"""Decompression bombs, and the memory that containers take."""

from __future__ import annotations

import base64
import bz2
import gzip
import io
import json
import lzma
import quopri
import random
import zipfile
import zlib
from typing import NamedTuple

import pytest
from support.extras import needed
from support.growth import processor_limit
from support.memory import peak_growth
from support.running_containers import codes, nothing, read, rewritten
from support.web_archives import HTML, URL, http, marked, record, zipped
from support.zip_samples import Sample, archive

from linkfix.containers import (
    BodyFault,
    HeaderBlock,
    Limits,
    cdx,
    decode_body,
    epub,
    har,
    htz,
    maff,
    mime,
    wacz,
    warc,
    xml_elements,
)
from linkfix.containers.part import Allowance
from linkfix.containers.pieces import NotBase64, decode_base64, encode_base64
from linkfix.hooks.generic import from_headers

MB = 1 << 20
NEW = HTML.replace(b"../x.html", b"http://example.com/x.html")
#: A page that every method packs by more than 200 to 1.
BOMB = HTML + bytes(4 * MB)
GOOD = record(http())


class Bomb(NamedTuple):
    """A container with a bomb and a page."""

    module: object
    data: bytes
    packed: bytes
    """The bytes of the bomb that must stay."""


class Kept(io.BytesIO):
    """A stream whose bytes can be had when it was closed."""

    def close(self):
        pass


def fastwarc(name, data):
    """Some data as a writer of fastwarc packs it."""
    streams = needed("fastwarc.stream_io")
    out = Kept()
    writer = getattr(streams, name)(out)
    writer.write(data)
    writer.close()
    return out.getvalue()


def body(packed, *fields):
    return lambda: Bomb(warc, record(http(packed(), *fields)) + GOOD, packed())


def chunked(data):
    return b"%x\r\n%s\r\n0\r\n\r\n" % (len(data), data)


def gzipped():
    return gzip.compress(BOMB, mtime=0)


def zip_file(module, method, pack, name="index.html"):
    data = archive([Sample(name, BOMB, method), Sample("good.html", HTML)])
    return lambda: Bomb(module, data, pack(BOMB))


def deflated(data):
    return zlib.compress(data)[2:-4]


def package(*files):
    return archive([Sample(f"archive/{name}", data, method) for name, data, method in files])


BOMBS = {
    "WARC, gzip": body(gzipped, "Content-Encoding: gzip"),
    "WARC, deflate": body(lambda: zlib.compress(BOMB), "Content-Encoding: deflate"),
    "WARC, gzip twice": body(lambda: gzip.compress(gzipped(), mtime=0), "Content-Encoding: gzip, gzip"),
    "WARC, gzip, chunked": body(lambda: chunked(gzipped()), "Content-Encoding: gzip", "Transfer-Encoding: chunked"),
    "WARC, transfer coding": body(gzipped, "Transfer-Encoding: gzip"),
    "WARC, br": body(lambda: fastwarc("BrotliWriter", BOMB), "Content-Encoding: br"),
    "WARC, zstd": body(lambda: fastwarc("ZstdWriter", BOMB), "Content-Encoding: zstd"),
    "WARC, a gzip member": lambda: Bomb(warc, zipped(record(http(BOMB)), GOOD), zipped(record(http(BOMB)))),
    "WARC, gzip in a gzip member": lambda: Bomb(
        warc,
        zipped(record(http(gzipped(), "Content-Encoding: gzip")), GOOD),
        zipped(record(http(gzipped(), "Content-Encoding: gzip"))),
    ),
    "WARC, a Zstandard frame": lambda: Bomb(
        warc,
        fastwarc("ZstdWriter", record(http(BOMB))) + fastwarc("ZstdWriter", GOOD),
        fastwarc("ZstdWriter", record(http(BOMB))),
    ),
    "WACZ, gzip in a stored WARC": lambda: Bomb(
        wacz,
        package(("a.warc", record(http(gzipped(), "Content-Encoding: gzip")) + GOOD, zipfile.ZIP_STORED)),
        gzipped(),
    ),
    "WACZ, a gzip member": lambda: Bomb(
        wacz, package(("a.warc.gz", zipped(record(http(BOMB)), GOOD), zipfile.ZIP_STORED)), zipped(record(http(BOMB)))
    ),
    "WACZ, a deflated WARC": lambda: Bomb(
        wacz,
        package(("a.warc", record(http(BOMB)), zipfile.ZIP_DEFLATED), ("b.warc", GOOD, zipfile.ZIP_STORED)),
        deflated(record(http(BOMB))),
    ),
    "EPUB, deflate": zip_file(epub, zipfile.ZIP_DEFLATED, deflated),
    "EPUB, bzip2": zip_file(epub, zipfile.ZIP_BZIP2, bz2.compress),
    "MAFF, bzip2": zip_file(maff, zipfile.ZIP_BZIP2, bz2.compress),
    "MAFF, LZMA": zip_file(maff, zipfile.ZIP_LZMA, lambda data: lzma.compress(data, lzma.FORMAT_ALONE)[13:]),
    "HTZ, deflate": zip_file(htz, zipfile.ZIP_DEFLATED, deflated),
    "HTZ, LZMA": zip_file(htz, zipfile.ZIP_LZMA, lambda data: lzma.compress(data, lzma.FORMAT_ALONE)[13:]),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_skipped_and_the_rest_converted(name, monkeypatch):
    monkeypatch.setattr("linkfix.containers.part.UNCHECKED", 1 << 16)
    module, data, packed = BOMBS[name]()
    parts, problems = read(module, data)
    assert ([part.data for part in parts], codes(problems)) == ([HTML], ["part-ratio"])
    assert "more than 200 (--max-ratio) times as many" in problems[0].message
    assert rewritten(module, data, nothing)[0] == data
    made, problems = rewritten(module, data, marked)
    assert codes(problems) == ["part-ratio"]
    assert packed in data
    assert packed in made
    assert [part.data for part in read(module, made)[0]] == [NEW]
    parts, problems = read(module, data, limits=Limits(ratio=100_000))
    assert ([part.data for part in parts], problems) == ([BOMB, HTML], [])


def message(transfer, *bodies):
    head = b"MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n"
    fields = b"Content-Type: text/html\r\nContent-Transfer-Encoding: " + transfer
    return head + b"".join(b"--b\r\n" + fields + b"\r\n\r\n" + body + b"\r\n" for body in bodies) + b"--b--\r\n"


def mhtml(transfer, encode):
    return message(transfer, *[encode(HTML)] * 3)


def har_file(**content):
    entry = {
        "request": {"url": URL},
        "response": {"content": {"mimeType": "text/html", **content}},
    }
    return json.dumps({"log": {"entries": [entry] * 3}}).encode()


def zip_of_three():
    return archive([Sample(f"{number}.html", HTML) for number in range(3)])


#: Containers of three pages.
THREE = {
    "WARC": (warc, GOOD * 3),
    "WARC, gzip": (warc, zipped(GOOD, GOOD, GOOD)),
    "WACZ": (wacz, package(("a.warc", GOOD * 3, zipfile.ZIP_STORED))),
    "WACZ, two archives": (
        wacz,
        package(("a.warc", GOOD, zipfile.ZIP_STORED), ("b.warc.gz", zipped(GOOD, GOOD), zipfile.ZIP_DEFLATED)),
    ),
    "HAR": (har, har_file(text=HTML.decode())),
    "HAR, base64": (har, har_file(text=base64.b64encode(HTML).decode(), encoding="base64")),
    "MIME, base64": (mime, mhtml(b"base64", base64.encodebytes)),
    "MIME, quoted-printable": (mime, mhtml(b"quoted-printable", lambda data: data.replace(b"=", b"=3D"))),
    "MIME, 8bit": (mime, mhtml(b"8bit", bytes)),
    "EPUB": (epub, zip_of_three()),
    "MAFF": (maff, zip_of_three()),
    "HTZ": (htz, zip_of_three()),
}


@pytest.mark.parametrize("name", THREE)
def test_the_rest_is_skipped_beyond_the_total_with_one_problem(name):
    module, data = THREE[name]
    limits = Limits(total=2 * len(HTML) - 1)
    parts, problems = read(module, data, limits=limits)
    assert ([part.data for part in parts], codes(problems)) == ([HTML], ["total-too-large"])
    assert f"more than the {limits.total:,} bytes of --max-total" in problems[0].message
    made, problems = rewritten(module, data, marked, limits=limits)
    assert codes(problems) == ["total-too-large"]
    assert [part.data for part in read(module, made)[0]] == [NEW, HTML, HTML]
    assert [part.data for part in read(module, data, limits=Limits(total=3 * len(HTML)))[0]] == [HTML] * 3


def test_all_parts_together_have_a_ratio_too(monkeypatch):
    monkeypatch.setattr("linkfix.containers.part.UNCHECKED", 10_000)
    data = archive([Sample(f"{number}.html", bytes(6000)) for number in range(20)])
    parts, problems = read(htz, data, limits=Limits(ratio=10))
    assert codes(problems) == ["total-too-large"]
    assert f"from {len(data):,} bytes, more than 10 (--max-ratio) times as many" in problems[0].message
    assert len(parts) == 10 * len(data) // 6000
    assert len(read(htz, data, limits=Limits(ratio=100))[0]) == 20


def test_small_parts_are_decoded_with_any_ratio(monkeypatch):
    monkeypatch.setattr("linkfix.containers.part.UNCHECKED", 1 << 18)
    page = HTML + bytes((1 << 18) - len(HTML))
    for data in (zipped(record(http(page))), record(http(gzip.compress(page), "Content-Encoding: gzip"))):
        parts, problems = read(warc, data)
        assert (len(parts), problems) == (1, [])
    assert codes(read(warc, record(http(gzip.compress(page + b" "), "Content-Encoding: gzip")))[1]) == ["part-ratio"]


@pytest.mark.parametrize(
    ("limits", "code", "option"),
    [
        (Limits(part=99, ratio=2, total=1000), "part-too-large", "99 bytes of --max-size"),
        (Limits(part=1000, ratio=2, total=5000), "part-ratio", "from 100 bytes, more than 2 (--max-ratio)"),
        (Limits(part=1000, ratio=2, total=150), "total-too-large", "150 bytes of --max-total"),
        (Limits(part=1000, ratio=2, total=5000), "total-too-large", "from 500 bytes, more than 2 (--max-ratio)"),
    ],
)
def test_the_limit_that_is_reached_is_named(limits, code, option, monkeypatch):
    monkeypatch.setattr("linkfix.containers.part.UNCHECKED", 10)
    counted = Allowance(limits, 500)
    if code == "total-too-large" and limits.total == 5000:
        counted.spend(900)
    reached = counted.reached(100)
    assert reached.code == code
    assert option in reached.detail
    assert counted.is_spent == (code == "total-too-large")


def test_an_image_that_is_a_bomb_is_no_problem_of_its_page(monkeypatch):
    monkeypatch.setattr("linkfix.containers.part.UNCHECKED", 1 << 16)
    data = archive([Sample("a.png", BOMB), Sample("index.html", HTML)])
    made, problems = rewritten(htz, data, marked)
    assert problems == []
    assert made.startswith(data[: data.index(b"PK\3\4", 4)])


# XML, indexes


def laughs(root):
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    return f'<!DOCTYPE x [<!ENTITY l0 "lol">{entities}]>{root.replace("HERE", "&l9;")}'.encode()


def quadratic(root):
    return f'<!DOCTYPE x [<!ENTITY a "{"a" * 100_000}">]>{root.replace("HERE", "&a;" * 100_000)}'.encode()


MAFF_INDEX = (
    '<R:RDF xmlns:R="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:M="http://maf.mozdev.org/metadata/rdf#">'
    '<M:originalurl R:resource="HERE"/></R:RDF>'
)


@pytest.mark.parametrize("expand", [laughs, quadratic])
@pytest.mark.parametrize(
    ("module", "name", "root"),
    [
        (epub, "META-INF/container.xml", '<rootfile full-path="HERE"/>'),
        (epub, "META-INF/encryption.xml", '<x URI="HERE"/>'),
        (maff, "1/index.rdf", MAFF_INDEX),
    ],
)
def test_entities_are_not_expanded(module, name, root, expand):
    data = archive([Sample(name, expand(root)), Sample("1/index.html", HTML)])
    parts, problems = read(module, data)
    assert [part.name for part in parts] == [name, "1/index.html"]
    assert codes(problems) == ["part-damaged"]
    assert "it declares entities" in problems[0].message


@pytest.mark.parametrize(
    ("module", "name"), [(epub, "META-INF/container.xml"), (epub, "META-INF/encryption.xml"), (maff, "1/index.rdf")]
)
def test_an_index_that_is_too_large_is_not_parsed(module, name, monkeypatch):
    monkeypatch.setattr(module, "LARGEST", 1000)
    data = archive([Sample(name, b"<x>" + b" " * 1000 + b"</x>"), Sample("1/index.html", HTML)])
    parts, problems = read(module, data)
    assert len(parts) == 2
    assert codes(problems) == ["part-too-large"]


def test_default_values_of_attributes_are_not_repeated():
    default = "x" * 100_000
    data = f'<!DOCTYPE x [<!ATTLIST y a CDATA "{default}">]><x>{"<y/>" * 20_000}<y b="1"/></x>'.encode()
    found = [element for element in xml_elements.elements(data) if element.attributes]
    assert found == [("y", {"b": "1"})]
    with pytest.raises(xml_elements.NotXml):
        list(xml_elements.elements(bytes(xml_elements.LARGEST + 1)))


@pytest.mark.growth
@pytest.mark.parametrize("number", [1_000, 30_000])
def test_default_values_of_attributes_take_linear_time(number):
    attributes = " ".join(f'x{each} CDATA "y"' for each in range(number))
    data = f"<!DOCTYPE x [<!ATTLIST y {attributes}>]><x>{'<y/>' * 100_000}</x>".encode()
    with processor_limit(2), pytest.raises(xml_elements.NotXml, match="its DTD declares"):
        list(xml_elements.elements(data))


def cdx_package(indexes, description=b"{}"):
    members = [Sample(f"indexes/{name}", data) for name, data in indexes.items()]
    files = [Sample("archive/a.warc", GOOD, zipfile.ZIP_STORED), *members, Sample("datapackage.json", description)]
    return archive(files)


@pytest.mark.parametrize(
    ("indexes", "description"),
    [
        ({"i.cdxj": b"x" * 1001}, b"{}"),
        ({"i.cdx.gz": gzip.compress(bytes(10_001), mtime=0)}, b"{}"),
        ({"i.cdx.gz": gzip.compress(b"x" * 1001, mtime=0)}, b"{}"),
        ({}, b'{"a": [' + b"[]," * 3000 + b"1]}"),
    ],
    ids=["line", "block", "line in a block", "description"],
)
def test_an_index_that_is_a_bomb_is_copied(indexes, description, monkeypatch):
    monkeypatch.setattr(cdx, "_LINE", 1000)
    monkeypatch.setattr(cdx, "_BLOCK", 10_000)
    monkeypatch.setattr(wacz, "_JSON_SIZE", 8000)
    data = cdx_package(indexes, description)
    made, problems = rewritten(wacz, data, marked)
    assert codes(problems) == ["index-stale"]
    with zipfile.ZipFile(io.BytesIO(made)) as new, zipfile.ZipFile(io.BytesIO(data)) as old:
        changed = [name for name in old.namelist() if new.read(name) != old.read(name)]
    assert set(changed) <= {"archive/a.warc", "datapackage.json"}


# Pieces


@pytest.mark.parametrize("size", [1, 2, 3, 5, 1000])
def test_base64_in_pieces(size):
    for data in (b"", b"a", b"ab", b"abc", bytes(range(256))):
        text = base64.encodebytes(data)
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        assert b"".join(decode_base64(pieces)) == data
        assert b"".join(encode_base64(data)) == base64.b64encode(data)
    for bad in (b"Y", b"YQ=", b"YQ==YQ==", b"Y!Q=", b"YWJj=", b"===="):
        with pytest.raises(NotBase64):
            list(decode_base64([bad[at : at + size] for at in range(0, len(bad), size)]))


def test_the_ratio_of_a_chunked_body_includes_its_chunks():
    fields = HeaderBlock(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    assert decode_body(chunked(HTML), fields, 1000) == HTML
    assert isinstance(decode_body(chunked(HTML), fields, 10), BodyFault)


# Hooks


@pytest.mark.parametrize(
    ("coding", "packed"),
    [("gzip", gzipped), ("br", lambda: fastwarc("BrotliWriter", BOMB)), ("deflate", lambda: zlib.compress(BOMB))],
)
def test_a_response_is_decoded_up_to_its_limit(coding, packed):
    headers = {"Content-Type": "text/html", "Content-Encoding": coding}
    data = packed()
    outcome = from_headers("http://h/", headers, data, max_size=MB)
    assert outcome.body is data
    assert codes(outcome.problems) == ["too-large"]


# Memory


def markup(size):
    """A page of this size that packs by a third, with a link at its beginning."""
    generator = random.Random(1)  # noqa: S311 - noise
    lines = [b"<p>" + generator.randbytes(300).hex().encode() + b"</p>\n" for _ in range(200)]
    out = io.BytesIO()
    out.write(HTML)
    while out.tell() < size:
        out.write(generator.choice(lines))
    return out.getvalue()[:size]


SIZE = 24 * MB


def large_har(page, count=160):
    entries = [
        {
            "request": {
                "method": "GET",
                "url": f"http://example.com/{number}",
                "headers": [{"name": "a", "value": "b"}] * 20,
            },
            "response": {
                "headers": [{"name": "c", "value": "d"}] * 20,
                "content": {"mimeType": "text/html", "text": page[: SIZE // count].decode(), "size": SIZE // count},
            },
        }
        for number in range(count)
    ]
    return json.dumps({"log": {"entries": entries}}).encode()


#: File name -> its bytes for a page, and the allowed growth of memory, in sizes of the page. A changed document is held
#: as its old and its new data. 0.3: neither is held.
GROWTH = {
    "a.warc": (lambda page: record(http(page)), 2.4),
    "b.warc": (lambda page: record(http(gzip.compress(page, 1), "Content-Encoding: gzip")), 2.4),
    "c.warc.gz": (lambda page: gzip.compress(record(http(page)), 1), 3.0),
    "d.htz": (lambda page: archive([Sample("index.html", page)]), 3.0),
    "three.mht": (lambda page: mhtml(b"8bit", lambda _: page[: SIZE // 3]), 1.3),
    "page.html": (lambda page: page, 2.4),
    "image.htz": (lambda page: archive([Sample("index.html", HTML), Sample("a.png", page)]), 0.3),
    "image.warc": (lambda page: record(http(page, content_type="image/png")) + GOOD, 0.3),
    "f.har": (large_har, 0.3),
    "bomb.warc": (
        lambda page: record(http(gzip.compress(HTML + bytes(8 * len(page))), "Content-Encoding: gzip")) + GOOD,
        2.0,
    ),
    "bomb.htz": (lambda page: archive([Sample("index.html", HTML + bytes(8 * len(page)))]), 0.3),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", GROWTH)
def test_memory_holds_a_document_and_no_copies(name, tmp_path):
    make, times = GROWTH[name]
    small, large = tmp_path / f"small-{name}", tmp_path / name
    small.write_bytes(make(markup(len(HTML))))
    large.write_bytes(make(markup(SIZE)))
    options = ["--url", URL]
    bound = times * SIZE
    growth = peak_growth(["absolutize", str(small), *options], ["absolutize", str(large), *options], bound)
    assert growth < bound, f"{growth / SIZE:.2f} times"


#: The bodies of messages that have one part.
BODIES = {
    "8bit.mht": (b"8bit", bytes),
    "base64.eml": (b"base64", base64.encodebytes),
    "one-line.eml": (b"base64", base64.b64encode),
    "quoted-printable.mht": (b"quoted-printable", quopri.encodestring),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BODIES)
def test_memory_holds_a_messages_part_decoded_old_and_new(name, tmp_path):
    transfer, encode = BODIES[name]
    size = 2 * SIZE  # the data read at once are small beside it
    small, large = tmp_path / f"small-{name}", tmp_path / name
    small.write_bytes(message(transfer, encode(markup(len(HTML)))))
    large.write_bytes(message(transfer, encode(markup(size))))
    options = ["--url", URL]
    bound = 2.3 * size
    growth = peak_growth(["absolutize", str(small), *options], ["absolutize", str(large), *options], bound)
    assert growth < bound, f"{growth / size:.2f} times"
