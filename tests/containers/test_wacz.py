"""WACZ packages: the converted parts; valid indexes, sizes and hashes afterwards."""

from __future__ import annotations

import gzip
import io
import json
import random
import re
import zipfile
from functools import partial

import pytest
from support.running_containers import codes, read
from support.running_containers import rewritten as written
from support.web_archives import (
    HTML,
    INFO,
    REQUEST,
    URL,
    assert_valid,
    http,
    lines,
    marked,
    members,
    package,
    packed,
    record,
    sha1,
    sha256,
    zipped,
)

from fuzz.zip_readers import reads
from linkfix import Envelope
from linkfix.containers import CONTAINERS, Limits, container

wacz = container("wacz")

#: The same bytes each time: they are in the names of tests, which processes have to agree on.
compress = partial(gzip.compress, mtime=0)

NEW = HTML.replace(b"../x.html", b"http://example.com/x.html")
OTHER = "http://example.com/other"


def page(url, body=HTML):
    return record(http(body), f"WARC-Payload-Digest: {sha1(body)}", url=url)


IMAGE = record(http(b"\x89PNG", content_type="image/png"), f"WARC-Payload-Digest: {sha1(b'PNG')}", url=OTHER)
RECORDS = [INFO, REQUEST, page(URL), IMAGE, page(URL + "?2"), IMAGE]


def blocks(index, size=2):
    """An index in compressed blocks, and the index of these."""
    data, heads = b"", [b'!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}\n']
    for at in range(0, len(index), size):
        packed = zipped(b"".join(index[at : at + size]))
        key = index[at].split(b" {")[0]
        place = {"offset": len(data), "length": len(packed), "digest": sha256(packed)}
        heads.append(key + b" " + json.dumps(place).encode() + b"\n")
        data += packed
    return data, b"".join(heads)


INDEX = [*lines(RECORDS)]
BLOCKS, BLOCK_INDEX = blocks(INDEX)
PAGES = b'{"format": "json-pages-1.0"}\n'
MEMBERS = {
    "archive/data.warc.gz": zipped(*RECORDS),
    "indexes/index.cdx.gz": BLOCKS,
    "indexes/index.idx": BLOCK_INDEX,
    "indexes/index.cdxj": b"".join(INDEX),
    "pages/pages.jsonl": PAGES,
}
WACZ = package(MEMBERS)


def test_parts():
    outer = Envelope("http://archive.example/a.wacz")
    parts, notes = read(wacz, WACZ, envelope=outer)
    assert [part.envelope.url for part in parts] == [URL, URL + "?2"]
    assert all(part.name.startswith("archive/data.warc.gz urn:uuid:") for part in parts)
    assert (parts[0].data, parts[0].envelope.parent, notes) == (HTML, outer, [])


def test_an_unchanged_package_is_copied():
    assert written(wacz, WACZ, lambda _: None) == (WACZ, [])
    assert written(wacz, b"junk" + WACZ, lambda _: None) == (b"junk" + WACZ, [])


@pytest.mark.parametrize("chosen", [[URL], [URL + "?2"], [URL, URL + "?2"]])
def test_a_changed_package_is_valid(chosen):
    new, notes = written(wacz, WACZ, lambda part: marked(part) if part.envelope.url in chosen else None)
    assert notes == []
    content, index = assert_valid(new)
    assert list(content) == list(members(WACZ))
    assert content["pages/pages.jsonl"] == PAGES
    assert [part.data == NEW for part in read(wacz, new)[0]] == [url in chosen for url in (URL, URL + "?2")]
    assert len(index) == len(INDEX)
    heads = content["indexes/index.idx"].splitlines()
    assert heads[0] == BLOCK_INDEX.splitlines()[0]
    found = []
    for head in heads[1:]:
        place = json.loads(head[head.index(b"{") :])
        block = content["indexes/index.cdx.gz"][place["offset"] : place["offset"] + place["length"]]
        assert place["digest"] == sha256(block)
        found += gzip.decompress(block).splitlines(keepends=True)
    assert found == index


def test_other_fields_and_spacing_of_an_index_stay():
    line = (
        b'com,example)/ 2026 {"url":"http://x/\\"offset\\": 9", "offset":0 ,"length" : 9,"status":200,"filename":"b"}\n'
    )
    other = b'com,example)/ 2026 {"offset": "7", "filename": "unknown.warc.gz"}\n'
    data = package(MEMBERS | {"indexes/index.cdxj": b"\n" + line.replace(b'"b"', b'"data.warc.gz"') + other})
    new, notes = written(wacz, data, marked)
    expected = line.replace(b'"b"', b'"data.warc.gz"')
    assert (members(new)["indexes/index.cdxj"], notes) == (b"\n" + expected + other, [])


def test_a_plain_warc_and_deflated_members():
    plain = {
        "archive/data.warc": b"".join(RECORDS),
        "indexes/index.cdxj": b"".join(lines(RECORDS, name="data.warc", pack=bytes)),
    }
    data = package(plain, deflated=("archive/data.warc", "indexes/index.cdxj", "datapackage.json"))
    new, notes = written(wacz, data, marked)
    assert notes == []
    assert_valid(new)
    assert [part.data for part in read(wacz, new)[0]] == [NEW, NEW]
    with zipfile.ZipFile(io.BytesIO(new)) as archive:
        kinds = {entry.filename: entry.compress_type for entry in archive.infolist()}
        assert {entry.date_time for entry in archive.infolist()} == {(2026, 11, 22, 0, 0, 0)}
    assert kinds["archive/data.warc"] == kinds["indexes/index.cdxj"] == zipfile.ZIP_DEFLATED
    assert kinds["datapackage-digest.json"] == zipfile.ZIP_STORED


def test_several_archives_and_records_of_any_order():
    generator = random.Random(3)  # noqa: S311 - the order is what matters
    chosen = [page(f"{URL}?{n}", HTML * (1 + n % 7)) for n in range(40)]
    one, two = [INFO, *chosen[:20]], [*chosen[20:], IMAGE]
    index = [*lines(one, name="one.warc.gz"), *lines(two, name="archive/two.warc.gz".rpartition("/")[2])]
    generator.shuffle(index)
    data = package(
        {
            "archive/one.warc.gz": zipped(*one),
            "archive/two.warc.gz": zipped(*two),
            "indexes/index.cdxj": b"".join(index),
        }
    )
    new, notes = written(wacz, data, lambda part: marked(part) if generator.random() < 0.5 else None)
    assert notes == []
    assert_valid(new)


def test_a_changed_package_has_no_signature():
    data = package(MEMBERS, signed=True)
    assert written(wacz, data, lambda _: None) == (data, [])
    new, notes = written(wacz, data, marked)
    content, _ = assert_valid(new)
    assert "signedData" not in json.loads(content["datapackage-digest.json"])
    assert codes(notes) == ["signature-dropped"]


@pytest.mark.parametrize(
    "index",
    [
        b" CDX N b a m s k r M S V g\ncom,example)/ 2026 http://x/ text/html 200 X - - 9 0 data.warc.gz\n",
        b"com,example)/ 2026 {not json}\n",
        b"com,example)/ 2026 {1}\n" + b"{" * 10000,
        b'com,example)/ 2026 {"offset": "x", "filename": "data.warc.gz"}\n',
        b'com,example)/ 2026 {"offset": {"a": 1}, "filename": "data.warc.gz"}\n',
        INDEX[0].replace(b"sha1:", b"blake9:"),
    ],
)
def test_an_index_that_cannot_be_renewed_is_copied_and_named(index):
    data = package({**MEMBERS, "indexes/index.cdxj": index})
    new, notes = written(wacz, data, marked)
    assert codes(notes) == ["index-stale"]
    assert "indexes/index.cdxj" in notes[0].message
    assert members(new)["indexes/index.cdxj"] == index
    assert [part.data for part in read(wacz, new)[0]] == [NEW, NEW]


@pytest.mark.parametrize("index", [BLOCKS[:-5], b"junk", compress(b"not cdxj\n")])
def test_a_broken_index_of_blocks_is_copied_and_named(index):
    new, notes = written(wacz, package({**MEMBERS, "indexes/index.cdx.gz": index}), marked)
    assert codes(notes)[0] == "index-stale"
    assert members(new)["indexes/index.cdx.gz"] == index


def test_a_crowded_member_has_no_place_in_an_index():
    crowded = {
        "archive/data.warc.gz": compress(b"".join(RECORDS)),
        "indexes/index.cdxj": INDEX[0].replace(b'"offset": "%d"' % len(zipped(*RECORDS[:2])), b'"offset": "0"'),
    }
    _, notes = written(wacz, package(crowded), marked)
    assert codes(notes) == ["index-stale"]


@pytest.mark.parametrize(
    "text", [b"{", b"[]", b"[" * 100000, b"\xff\xfe", b'{"resources": 1}', b'{"resources": [1, {}]}']
)
def test_an_invalid_description(text):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("archive/data.warc.gz", zipped(*RECORDS))
        archive.writestr("datapackage.json", text)
    new, notes = written(wacz, out.getvalue(), marked)
    assert [part.data for part in read(wacz, new)[0]] == [NEW, NEW]
    assert codes(notes) == ([] if text.startswith(b'{"') else ["index-stale"])


def test_a_hash_of_an_unknown_kind_is_dropped():
    out = io.BytesIO()
    resource = {"path": "archive/data.warc.gz", "hash": "blake9:00", "bytes": 1}
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("archive/data.warc.gz", zipped(*RECORDS))
        archive.writestr("datapackage.json", json.dumps({"resources": [resource]}))
    new, notes = written(wacz, out.getvalue(), marked)
    (made,) = json.loads(members(new)["datapackage.json"])["resources"]
    assert (codes(notes), list(made)) == (["digest-unknown"], ["path", "bytes"])


WRONG = "0" * 64


@pytest.mark.parametrize(("name", "wrong"), [("digest", sha1(b"x")), ("recordDigest", f"sha256:{WRONG}")])
def test_a_wrong_digest_in_an_index_stays_and_is_named(name, wrong):
    line = re.sub(rf'("{name}": ")[^"]*'.encode(), rf"\g<1>{wrong}".encode(), INDEX[0])
    data = package({**MEMBERS, "indexes/index.cdxj": b"".join([line, *INDEX[1:]])})
    new, notes = written(wacz, data, marked)
    made = members(new)["indexes/index.cdxj"].splitlines()[0]
    assert (codes(notes), wrong.encode() in made) == (["digest-wrong"], True)
    old, renewed = (json.loads(one[one.index(b"{") :]) for one in (line, made))
    assert {key for key in old if old[key] != renewed[key]} == {"digest", "recordDigest", "length"} - {name}


@pytest.mark.parametrize(
    ("named", "stays"),
    [("archive/data.warc.gz", "datapackage.json"), ("datapackage.json", "datapackage-digest.json")],
)
def test_a_wrong_hash_of_a_member_stays_and_is_named(named, stays):
    old = members(WACZ)
    right, wrong = sha256(old[named]).encode(), f"sha256:{WRONG}".encode()
    data = packed({**old, stays: old[stays].replace(right, wrong)})
    new, notes = written(wacz, data, marked)
    assert codes(notes) == (["digest-wrong"] if stays.endswith("digest.json") else ["digest-wrong", "digest-wrong"])
    assert WRONG.encode() in members(new)[stays]


def test_a_record_with_bytes_after_its_coded_body_stays():
    coded = http(compress(HTML) + b"more", "Content-Encoding: gzip")
    data = package({"archive/data.warc.gz": zipped(INFO, record(coded))})
    counts = []
    new, notes = written(wacz, data, marked, leave_alone=counts.append)
    assert (new, counts, set(codes(notes))) == (data, [1], {"part-damaged"})


def test_damage_in_an_archive_is_named_by_its_member():
    data = package({**MEMBERS, "archive/data.warc.gz": zipped(*RECORDS) + zipped(RECORDS[2])[:-20]})
    parts, notes = read(wacz, data)
    assert (len(parts), codes(notes)) == (2, ["container-damaged"])
    assert f"(byte {len(zipped(*RECORDS))} of archive/data.warc.gz)" in notes[0].message


@pytest.mark.parametrize("cut", [100, len(WACZ) - 5])
def test_a_damaged_package_is_copied(cut):
    data = WACZ[:cut]
    parts, notes = read(wacz, data)
    assert (parts, codes(notes)) == ([], ["container-damaged"])
    new, notes = written(wacz, data, marked)
    assert (new, codes(notes)) == (data, ["container-damaged"])


def test_a_member_that_cannot_be_copied_leaves_the_package_unchanged():
    data = bytearray(WACZ)
    data[data.index(PAGES)] ^= 1
    new, notes = written(wacz, bytes(data), marked)
    assert (new, codes(notes)) == (bytes(data), ["container-damaged"])


def test_a_deflated_archive_over_the_limit():
    data = package({"archive/data.warc": b"".join(RECORDS)}, deflated=("archive/data.warc",))
    parts, notes = read(wacz, data, limits=Limits(part=100))
    assert (parts, codes(notes)) == ([], ["part-too-large"])


def test_any_damage_is_copied():
    generator = random.Random(4)  # noqa: S311 - noise
    for _ in range(150):
        data = bytearray(WACZ)
        for _ in range(3):
            data[generator.randrange(len(data))] = generator.randrange(256)
        assert written(wacz, bytes(data), lambda _: None)[0] == bytes(data)
        read(wacz, written(wacz, bytes(data), marked)[0])


@pytest.mark.parametrize(
    ("head", "name", "is_one"),
    [
        (WACZ[:4096], "a.zip", True),
        (b"PK\3\4" + bytes(26) + b"pages/", "a.WACZ", True),
        (b"PK\3\4" + bytes(26) + b"pages/", "a.zip", False),
        (b"", "a.wacz", False),
    ],
)
def test_recognise(head, name, is_one):
    assert CONTAINERS["wacz"].recognise(head, name) is is_one


@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf", package({"pages/old.jsonl": b"{}"})])
@pytest.mark.parametrize("after", [b"", b"</html>"])
def test_bytes_before_and_after_a_package_stay(before, after):
    new, notes = written(wacz, before + WACZ + after, marked)
    assert (new.startswith(before), new.endswith(after), notes) == (True, True, [])
    alone, _ = written(wacz, WACZ, marked)
    assert members(new) == members(alone)
    assert {name: reading for name, reading in reads(new).items() if reading is None} == {}


def test_a_package_from_which_programs_read_different_archives_is_copied():
    data = WACZ + WACZ[WACZ.rindex(b"PK\5\6") :]
    new, notes = written(wacz, data, marked)
    assert (new, codes(notes)) == (data, ["container-damaged"])
