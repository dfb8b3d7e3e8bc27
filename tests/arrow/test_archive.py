from __future__ import annotations

import gzip
import itertools
import random
from functools import partial

import pytest
from support.paths import CHECKOUT, SHARED
from support.running_containers import read
from support.warc_files import warc_record

import linkfix
import linkfix.arrow
from linkfix.containers import container
from linkfix.urls import cut_data_url

ARCHIVES = sorted([*(CHECKOUT / "fixtures/warc").rglob("*.warc*"), *(SHARED / "warc").glob("*")])


def rows(batches):
    return [row for batch in batches for row in batch.to_pylist()]


@pytest.mark.parametrize("path", ARCHIVES, ids=lambda path: path.name)
def test_links_of_an_archive_equal_the_links_of_its_parts(path):
    """As `linkfix links` reads it: the container's parts, each a document with its envelope."""
    parts, noted = read(container("warc"), path.read_bytes())
    expected = []
    for part in parts:
        for link in linkfix.Document(part.data, envelope=part.envelope).links:
            row = {"page": part.envelope.url, **link._asdict()}
            expected.append(row | {name: row[name] and cut_data_url(row[name]) for name in ("reference", "target")})
    assert rows(linkfix.arrow.links(linkfix.arrow.warc(path))) == expected
    found = rows(linkfix.arrow.warc(path))
    assert [row["html"] for row in found if row["html"] is not None] == [part.data for part in parts]
    assert sorted(row["detail"] for row in found if row["problem"]) == sorted(problem.message for problem in noted)


@pytest.mark.parametrize("path", ARCHIVES, ids=lambda path: path.name)
def test_slices_have_each_row_once(path):
    whole = rows(linkfix.arrow.warc(path))
    size = path.stat().st_size
    chance = random.Random(1)  # noqa: S311
    for count in (1, 2, 5, 40):
        cuts = [0, *sorted(chance.randrange(size + 1) for _ in range(count)), size]
        sliced = []
        for start, end in itertools.pairwise(cuts):
            sliced += rows(linkfix.arrow.warc(path, start=start, end=end))
        assert sliced == whole, cuts


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_records_of_an_archive_in_an_archive_are_not_found(tmp_path, suffix):
    """A slice may begin in a record whose data are a WARC file, which a compressed member stores as they are."""
    pack, store = (gzip.compress, partial(gzip.compress, compresslevel=0)) if suffix else (bytes, bytes)
    page = b"<a href=x>"
    stored = [warc_record(f"http://inner/{n}", bytes(range(256)) * 12) for n in range(100)]
    inner = b"".join(map(pack, stored))
    outer = [warc_record("http://h/0", page), warc_record("http://h/a", inner), warc_record("http://h/1", page)]
    path = tmp_path / f"a.warc{suffix}"
    path.write_bytes(b"".join(map(store, outer)))
    assert path.read_bytes().count(inner[300:400]) >= 1
    size = path.stat().st_size
    whole = rows(linkfix.arrow.warc(path, columns=["url"]))
    assert [row["url"] for row in whole] == ["http://h/0", "http://h/a", "http://h/1"]
    for cut in range(1, size, size // 50):
        parts = [*linkfix.arrow.warc(path, end=cut, columns=["url"])]
        parts += linkfix.arrow.warc(path, start=cut, columns=["url"])
        assert rows(parts) == whole


def test_a_row_has_the_offset_of_its_record(tmp_path):
    path = tmp_path / "a.warc.gz"
    records = [gzip.compress(warc_record(f"http://h/{n}", b"<a href=x>")) for n in range(3)]
    path.write_bytes(b"".join(records))
    found = rows(linkfix.arrow.warc(path, file="s3://x"))
    assert [row["url"] for row in found] == ["http://h/0", "http://h/1", "http://h/2"]
    for row, record in zip(found, records, strict=True):
        assert path.read_bytes()[row["offset"] : row["offset"] + row["length"]] == record
        assert (row["file"], row["status"], row["media_type"]) == ("s3://x", 200, "text/html")
        assert row["date"].isoformat() == "2026-01-02T03:04:05+00:00"
    with path.open("rb") as source:
        assert rows(linkfix.arrow.warc(source, file="s3://x")) == found


def test_a_damaged_archive_is_a_row_of_pages(tmp_path):
    path = tmp_path / "a.warc.gz"
    records = [gzip.compress(warc_record(f"http://h/{n}", b"<a href=x>"), mtime=0) for n in range(3)]
    path.write_bytes(records[0] + records[1][:-20] + records[2])
    found = rows(linkfix.arrow.pages(linkfix.arrow.warc(path)))
    assert [(row["page"], row["problem"] and row["problem"].partition("-")[2]) for row in found] == [
        ("http://h/0", None),
        (None, "damaged"),
        ("http://h/2", None),
    ]
