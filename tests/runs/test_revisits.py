"""Revisit records of WARC files: a replay after a conversion has the same pages, with the links of its own URL."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.memory import peak
from support.replay import LOST, needs_pywb, replay, replay_with_pywb
from support.running_containers import codes
from support.sizes import examples
from support.web_archives import HTML, INFO, REQUEST, assert_valid, http, lines, package, record, sha1, zipped

from linkfix import Envelope
from linkfix.containers import container
from linkfix.containers.warc_revisits import PayloadRecord, RecordPlace, RevisitIndex
from linkfix.runs import Converter, InputPath, RunSettings
from linkfix.runs.convert import convert

wacz, warc = container("wacz"), container("warc")

A = "http://a.example/docs/page.html"
B = "http://b.example/other/page.html"
#: A's folder, so that most links are the same.
SIBLING = "http://a.example/docs/page.html?session=1"
FIRST, SECOND, THIRD = (f"2026-0{month}-01T00:00:00Z" for month in (1, 2, 3))
IDENTICAL = "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest"
PACK = {"plain": b"".join, "gzip": lambda records: zipped(*records)}


@pytest.fixture(params=PACK)
def pack(request):
    return PACK[request.param]


def at(url):
    """The page with the links that it has at a URL."""
    return HTML.replace(b"../x.html", url.split("/")[0].encode() + b"//" + url.split("/")[2].encode() + b"/x.html")


def capture(block, *fields, url=A, date=FIRST, kind="response", **more):
    return record(block, *fields, kind=kind, url=url, **more).replace(b"2026-11-22T00:00:00Z", date.encode())


def original(*fields, url=A, date=FIRST, body=HTML, coded=None):
    stored = body if coded is None else coded
    block = http(stored, f"Content-Length: {len(stored)}", *fields)
    return capture(block, f"WARC-Payload-Digest: {sha1(stored)}", url=url, date=date)


def revisit(*fields, url=A, date=SECOND, refers_to=(A, FIRST), body=HTML, digest=None, block=None):
    """A revisit record; `refers_to`: nothing, as old crawlers write, or a URL and a date."""
    refers = zip(("Target-URI", "Date"), refers_to, strict=False)
    return capture(
        http(b"", f"Content-Length: {len(body)}", *fields) if block is None else block,
        f"WARC-Payload-Digest: {digest or sha1(body)}",
        IDENTICAL,
        *(f"WARC-Refers-To-{name}: {value}" for name, value in refers),
        url=url,
        date=date,
        kind="revisit",
    )


def converted(folder, files, *, revisits="keep", **settings_):
    """The files after a run over a folder with them, in order, and the run's problems."""
    source, output = folder / "in", folder / f"out-{revisits}"
    source.mkdir()
    for name, data in files.items():
        (source / name).write_bytes(data)
    made = RunSettings(revisits=revisits, output=str(output), **settings_)
    outcomes = list(convert([InputPath.of(str(source))], made))
    assert {outcome.action for outcome in outcomes} <= {"converted", "same"}
    problems = [problem for outcome in outcomes for problem in outcome.problems]
    return [(output / name).read_bytes() for name in files], problems


def again(folder, files, **more):
    """That a second conversion changes nothing."""
    (folder / "again").mkdir()
    return converted(folder / "again", {f"{number}.warc": data for number, data in enumerate(files)}, **more)[0]


@pytest.mark.parametrize("mode", ["keep", "expand"])
@pytest.mark.parametrize("url", [A, B])
def test_a_wrong_digest_stays_with_all_that_have_it(tmp_path, pack, mode, url):
    wrong = sha1(b"another page")
    one = original().replace(sha1(HTML).encode(), wrong.encode())
    data = pack([one, revisit(digest=wrong, url=url)])
    assert [replay([data], *which) for which in ((A, FIRST), (url, SECOND))] == [(200, HTML)] * 2
    (new,), problems = converted(tmp_path, {"a.warc": data}, revisits=mode)
    if mode == "keep" and url == B:
        assert (new, codes(problems)) == (data, ["payload-shared"])
        return
    assert set(codes(problems)) == {"digest-wrong"}
    assert [replay([new], *which) for which in ((A, FIRST), (url, SECOND))] == [(200, at(A)), (200, at(url))]
    assert "".join(_records(new)).count(f"WARC-Payload-Digest: {wrong}\r\n") == 2


def test_a_payload_with_bytes_after_its_coding_stays_with_its_revisits(tmp_path):
    coded = gzip.compress(HTML, mtime=0) + b"more"
    data = original("Content-Encoding: gzip", coded=coded) + revisit("Content-Encoding: gzip", body=coded)
    for mode in ("keep", "expand"):
        (tmp_path / mode).mkdir()
        (new,), problems = converted(tmp_path / mode, {"a.warc": data}, revisits=mode)
        assert (new, set(codes(problems))) == (data, {"part-damaged"})


# --- the page's own URL


@pytest.mark.parametrize("refers_to", [(A, FIRST), (f"<{A}>", FIRST), (A,), ()], ids=["full", "brackets", "url", "old"])
@pytest.mark.parametrize("turned", [False, True])
def test_a_revisit_of_the_same_url_follows(tmp_path, pack, refers_to, turned):
    records = [original(), REQUEST, revisit(refers_to=refers_to), revisit(refers_to=refers_to, date=THIRD)]
    data = pack([INFO, *(reversed(records) if turned else records)])
    (new,), problems = converted(tmp_path, {"a.warc": data})
    assert problems == []
    assert [replay([new], A, date) for date in (FIRST, SECOND, THIRD)] == [(200, at(A))] * 3
    assert again(tmp_path, [new]) == [new]


@pytest.mark.parametrize("order", [*itertools.permutations(["a.warc", "b.warc.gz", "c.warc"])])
def test_revisits_in_other_files(tmp_path, order):
    contents = [b"".join([INFO, original()]), zipped(INFO, revisit()), revisit(date=THIRD, refers_to=())]
    names = dict(zip(order, contents, strict=True))
    new, problems = converted(tmp_path, {name: names[name] for name in sorted(names)})
    assert problems == []
    assert [replay(new, A, date) for date in (FIRST, SECOND, THIRD)] == [(200, at(A))] * 3


def test_in_place_and_only_later_records_change(tmp_path):
    other = revisit(url=B, refers_to=(B, FIRST), body=b"<p>something else")
    unrelated = capture(http(b"\x89PNG", content_type="image/png"), f"WARC-Payload-Digest: {sha1(b'PNG')}", url=B)
    before = {"a.warc": original() + unrelated, "b.warc": other + revisit() + other}
    for name, data in before.items():
        (tmp_path / name).write_bytes(data)
    list(convert([InputPath.of(str(tmp_path))], RunSettings(in_place=True)))
    new = [(tmp_path / name).read_bytes() for name in before]
    assert replay(new, A, SECOND) == (200, at(A))
    assert new[0].endswith(unrelated)
    assert new[1].startswith(other)
    assert new[1].endswith(other)
    assert new[1].count(b"WARC-Type: revisit") == 3


def test_nothing_but_digests_and_lengths_changes(tmp_path):
    (new,), _ = converted(tmp_path, {"a.warc": original() + revisit("X-Kept:  as it is ")})
    block = http(b"", f"Content-Length: {len(HTML)}", "X-Kept:  as it is ")
    block_now = http(b"", f"Content-Length: {len(at(A))}", "X-Kept:  as it is ")
    expected = (
        revisit("X-Kept:  as it is ").replace(block, block_now).replace(sha1(block).encode(), sha1(block_now).encode())
    )
    assert new.endswith(expected.replace(sha1(HTML).encode(), sha1(at(A)).encode()))


@pytest.mark.parametrize("form", ["hex", "HEX", "sha256", "none"])
def test_digests_of_every_form(tmp_path, form):
    algorithm = "sha256" if form == "sha256" else "sha1"
    value = hashlib.new(algorithm, HTML).hexdigest()
    stated = f"{algorithm.upper() if form == 'HEX' else algorithm}:{value.upper() if form == 'HEX' else value}"
    first = original().replace(sha1(HTML).encode(), stated.replace("sha256", "SHA-256").encode())
    if form == "none":
        first = original().replace(f"WARC-Payload-Digest: {sha1(HTML)}\r\n".encode(), b"")
    (new,), _ = converted(
        tmp_path, {"a.warc": first + revisit(digest=sha1(HTML) if form in {"hex", "none"} else stated)}
    )
    digests = [line.split()[1] for line in new.splitlines() if line.startswith(b"WARC-Payload-Digest")]
    if form == "sha256":
        assert digests == [
            b"SHA-256:" + hashlib.sha256(at(A)).hexdigest().encode(),
            b"sha256:" + hashlib.sha256(at(A)).hexdigest().encode(),
        ]
    elif form in {"hex", "none"}:
        assert digests[-1].decode() == sha1(at(A))
    else:
        assert set(digests) == {
            b"SHA1:" + hashlib.new("sha1", at(A), usedforsecurity=False).hexdigest().upper().encode()
        }


def test_the_fields_of_its_http_header_follow(tmp_path):
    coded = gzip.compress(HTML, mtime=0)
    fields = ["Content-Encoding: gzip", 'ETag: "v1"', "Content-MD5: Q2hlY2sgSW50ZWdyaXR5IQ=="]
    data = original(*fields, coded=coded) + revisit(*fields, body=coded) + revisit(*fields, body=coded, date=THIRD)
    assert replay([data], A, SECOND) == (200, HTML)
    (new,), problems = converted(tmp_path, {"a.warc": data})
    assert problems == []
    assert [replay([new], A, date) for date in (FIRST, SECOND, THIRD)] == [(200, at(A))] * 3
    for name in (b"Content-Encoding", b"ETag", b"Content-MD5"):
        assert name not in new


def test_digest_fields_follow_if_they_are_equal(tmp_path):
    def field(data):
        return f"Repr-Digest: sha-256=:{base64.b64encode(hashlib.sha256(data).digest()).decode()}:"

    data = original(field(HTML)) + revisit(field(HTML)) + revisit(field(b"x"), date=THIRD)
    (new,), problems = converted(tmp_path, {"a.warc": data})
    assert problems == []
    assert new.count(field(at(A)).encode()) == 2
    assert new.count(b"Repr-Digest") == 2


# --- another URL


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("split", [False, True])
@pytest.mark.parametrize("coded", [False, True])
def test_a_revisit_of_another_url(tmp_path, pack, turned, split, coded):
    stored = gzip.compress(HTML, mtime=0)
    fields, body = (["Content-Encoding: gzip"], stored) if coded else ([], HTML)
    records = [original(*fields, coded=body), revisit(*fields, body=body), revisit(*fields, body=body, url=B)]
    records = records[::-1] if turned else records
    parts = [records[:2], records[2:]] if split else [records]
    files = {f"{number}.warc": pack([INFO, *one]) for number, one in enumerate(parts)}
    before = list(files.values())
    asked = [(A, FIRST), (A, SECOND), (B, SECOND)]
    assert [replay(before, *one) for one in asked] == [(200, HTML)] * 3

    kept, problems = converted(tmp_path, files)
    assert (kept, codes(problems)) == (before, ["payload-shared"])
    assert f"{A}: {B}" in problems[0].message

    (tmp_path / "expand").mkdir()
    expanded, problems = converted(tmp_path / "expand", files, revisits="expand")
    assert problems == []
    assert [replay(expanded, *one) for one in asked] == [(200, at(A)), (200, at(A)), (200, at(B))]
    (now,) = [record for data in expanded for record in _records(data) if B in record]
    assert "WARC-Type: response" in now
    assert not any(name in now for name in ("WARC-Refers-To", "WARC-Profile"))
    assert again(tmp_path, expanded, revisits="expand") == expanded
    assert again(tmp_path / "expand", expanded) == expanded


def _records(data):
    text = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    return ["WARC/1.0" + one for one in text.decode("latin-1").split("WARC/1.0")[1:]]


@pytest.mark.parametrize("mode", ["keep", "expand"])
@pytest.mark.parametrize(
    ("body", "url"),
    [
        (HTML, SIBLING),
        (b'<!DOCTYPE html><base href="http://c.example/"><a href=x>', B),
        (b'<!DOCTYPE html><a href="http://c.example/">', B),
    ],
    ids=["same folder", "base", "absolute"],
)
def test_another_url_with_the_same_links_is_no_reason(tmp_path, mode, body, url):
    data = original(body=body) + revisit(body=body, url=url)
    (new,), problems = converted(tmp_path, {"a.warc": data}, revisits=mode)
    assert problems == []
    assert new.count(b"WARC-Type: revisit") == 1
    status, page = replay([new], url, SECOND)
    assert (status, page) == replay([new], A, FIRST)
    assert (page != body) == (b"http://c.example/" not in body or b"base" in body)


def test_a_digest_alone_may_refer_to_every_page_with_it(tmp_path):
    """Old crawlers name no URL; without a capture of its own, a revisit can be one of any URL."""
    data = original() + revisit(url=B, refers_to=())
    assert replay([data], B, SECOND) == LOST
    (kept,), problems = converted(tmp_path, {"a.warc": data})
    assert (kept, codes(problems)) == (data, ["payload-shared"])
    (tmp_path / "2").mkdir()
    (new,), problems = converted(tmp_path / "2", {"a.warc": data}, revisits="expand")
    assert [replay([new], *one) for one in [(A, FIRST), (B, SECOND)]] == [(200, at(A)), (200, at(B))]


def test_full_captures_of_both_urls_are_no_reason(tmp_path):
    data = original() + original(url=B) + revisit() + revisit(url=B, refers_to=())
    (new,), problems = converted(tmp_path, {"a.warc": data})
    assert problems == []
    found = [replay([new], url, date) for url in (A, B) for date in (FIRST, SECOND)]
    assert found == [(200, at(A))] * 2 + [(200, at(B))] * 2


def test_an_unchanged_page_is_skipped(tmp_path):
    body = b"<!DOCTYPE html><p>no links"
    data = original(body=body) + revisit(body=body) + revisit(body=body, url=B)
    assert converted(tmp_path, {"a.warc": data}) == ([data], [])


@pytest.mark.parametrize(
    "block",
    [b"", http(b"", status="304 Not Modified"), b"HTTP/1.1 200 OK\r\nno end"],
    ids=["empty", "not modified", "no end"],
)
def test_without_a_header_of_its_own_it_gets_the_original_s(tmp_path, block):
    data = original('ETag: "1"') + revisit(url=B, block=block)
    (new,), problems = converted(tmp_path, {"a.warc": data}, revisits="expand")
    assert (replay([new], B, SECOND), problems) == ((200, at(B)), [])
    assert b"ETag" not in new


def test_a_resource_is_expanded_to_a_resource(tmp_path):
    first = capture(HTML, f"WARC-Payload-Digest: {sha1(HTML)}", kind="resource", content_type="text/html")
    data = first + revisit("WARC-Truncated: length", url=B, block=b"")
    (new,), _ = converted(tmp_path, {"a.warc": data}, revisits="expand")
    last = _records(new)[-1]
    assert "WARC-Type: resource" in last
    assert "Content-Type: text/html\r\n" in last
    assert replay([new], B, SECOND) == (200, at(B))


def test_truncated_is_taken_from_the_original(tmp_path):
    shortened = "WARC-Truncated: length"
    for number, (of_original, count) in enumerate([([], 0), ([shortened], 2)]):
        first = original().replace(
            b"WARC-Record-ID", b"".join(f"{one}\r\n".encode() for one in of_original) + b"WARC-Record-ID"
        )
        last = revisit(url=B).replace(b"WARC-Profile", f"{shortened}\r\nWARC-Profile".encode())
        (tmp_path / str(number)).mkdir()
        (new,), _ = converted(tmp_path / str(number), {"a.warc": first + last}, revisits="expand")
        assert new.count(shortened.encode()) == count


@pytest.mark.parametrize(("own", "expected"), [((), "koi8-r"), (("utf-8",), "utf-8")])
def test_the_identified_type_is_taken_from_the_revisit_or_the_original(tmp_path, own, expected):
    field = "WARC-Identified-Payload-Type: text/html; charset="
    first = original().replace(b"WARC-Record-ID", f"{field}koi8-r\r\nWARC-Record-ID".encode())
    added = "".join(f"{field}{charset}\r\n" for charset in own)
    last = revisit(url=B).replace(b"WARC-Profile", f"{added}WARC-Profile".encode())
    (new,), _ = converted(tmp_path, {"a.warc": first + last}, revisits="expand")
    fields = [line for line in _records(new)[-1].split("\r\n") if "identified" in line.lower()]
    assert [line.lower() for line in fields] == [f"{field}{expected}".lower()]


def test_server_not_modified_is_unchanged(tmp_path):
    """It has no payload digest: replay finds the capture by its URL and date."""
    profile = "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified"
    refers = [f"WARC-Refers-To-Target-URI: {A}", f"WARC-Refers-To-Date: {FIRST}"]
    last = capture(http(b"", status="304 Not Modified"), profile, *refers, kind="revisit", date=SECOND)
    (new,), problems = converted(tmp_path, {"a.warc": original() + last})
    assert (new.endswith(last), problems) == (True, [])
    assert b"x.html" in replay([new], A, SECOND)[1]


# --- WACZ; standard input; several records in a member; damage


def test_a_package(tmp_path):
    records = [INFO, original(), revisit(), revisit(url=B)]
    index = b"".join(sorted(lines(records)))
    data = package({"archive/data.warc.gz": zipped(*records), "indexes/index.cdxj": index})
    (kept,), problems = converted(tmp_path, {"a.wacz": data})
    assert (kept, codes(problems)) == (data, ["payload-shared"])
    (tmp_path / "expand").mkdir()
    (new,), problems = converted(tmp_path / "expand", {"a.wacz": data}, revisits="expand")
    assert problems == []
    content, made = assert_valid(new)
    assert [b'"mime": "text/html"' in line for line in made] == [True, False, True]
    found = [replay([content["archive/data.warc.gz"]], *one) for one in [(A, FIRST), (A, SECOND), (B, SECOND)]]
    assert found == [(200, at(A)), (200, at(A)), (200, at(B))]


def test_archives_of_a_package_and_beside_it(tmp_path):
    first, last = zipped(original()), revisit(date=THIRD)
    inner = {"archive/1.warc.gz": zipped(revisit()), "archive/2.warc.gz": first}
    inner["indexes/index.cdxj"] = b"".join(lines([revisit()], name="1.warc.gz")) + b"".join(
        lines([original()], name="2.warc.gz")
    )
    (new, beside), problems = converted(
        tmp_path, {"a.wacz": package(inner, deflated=("archive/1.warc.gz",)), "b.warc": last}
    )
    content, _ = assert_valid(new)
    archives = [content["archive/1.warc.gz"], content["archive/2.warc.gz"], beside]
    assert ([replay(archives, A, date) for date in (FIRST, SECOND, THIRD)], problems) == ([(200, at(A))] * 3, [])


def test_several_records_in_a_member(tmp_path):
    data = gzip.compress(INFO + revisit() + original() + REQUEST, mtime=0) + zipped(revisit(date=THIRD))
    (new,), problems = converted(tmp_path, {"a.warc.gz": data})
    assert ([replay([new], A, date) for date in (FIRST, SECOND, THIRD)], problems) == ([(200, at(A))] * 3, [])


@pytest.mark.parametrize(("module", "data"), [(warc, original() + revisit()), (wacz, None)])
def test_a_single_stream_is_surveyed_too(module, data):
    if data is None:
        data = package({"archive/a.warc": original() + revisit(), "indexes/index.cdxj": b""})
    out = io.BytesIO()
    Converter(RunSettings()).convert_container(module, io.BytesIO(data), out, Envelope(), "-")
    assert out.getvalue().count(sha1(at(A)).encode()) == 2
    assert sha1(HTML).encode() not in out.getvalue()


@pytest.mark.slow
def test_several_processes(tmp_path):
    (tmp_path / "a.warc").write_bytes(revisit())
    for number in range(60):
        (tmp_path / f"b{number}.warc").write_bytes(
            original() if number == 50 else revisit(date=f"2026-03-{1 + number % 28:02}T00:00:00Z")
        )
    list(convert([InputPath.of(str(tmp_path))], RunSettings(in_place=True), processes=2))
    new = [path.read_bytes() for path in sorted(tmp_path.iterdir())]
    assert replay(new, A, SECOND) == (200, at(A))
    assert sum(data.count(sha1(at(A)).encode()) for data in new) == 61


def test_an_unreadable_file_does_not_stop_others(tmp_path):
    for name, data in {"a.warc": original(), "b.warc": revisit(), "c.warc": b"WARC/1.0\r\n"}.items():
        (tmp_path / name).write_bytes(data)
    jobs = convert([InputPath.of(str(tmp_path))], RunSettings(in_place=True))
    (tmp_path / "b.warc").chmod(0)
    assert next(jobs).action == "converted"
    assert [outcome.action for outcome in jobs][-1] == "same"


@settings(max_examples=examples(60), deadline=None)
@given(st.data())
def test_any_damage_is_survived(data):
    records = [original(), revisit(), revisit(url=B), original(url=B), revisit(url=B, refers_to=())]
    whole = bytearray(data.draw(st.sampled_from([b"".join(records), zipped(*records)])))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(whole)))
        whole[start : start + data.draw(st.integers(0, 60))] = data.draw(st.binary(max_size=20))
    for mode in ("keep", "expand"):
        converter = Converter(RunSettings(revisits=mode))
        first, second = io.BytesIO(), io.BytesIO()
        converter.convert_container(warc, io.BytesIO(whole), first, Envelope(), "-")
        converter.convert_container(warc, io.BytesIO(first.getvalue()), second, Envelope(), "-")


@pytest.mark.growth
def test_memory_does_not_grow_with_the_number_of_records(tmp_path):
    def records(count):
        for number in range(count):
            digest = f"sha1:{number:040x}"
            url = f"http://a.example/{number}"
            yield PayloadRecord(RecordPlace(number, 0), digest, url, None)
            yield PayloadRecord(RecordPlace(number, 1), digest, url, url)

    def fill(name, count):
        index = RevisitIndex(str(tmp_path / name))
        index.add("file", records(count))
        assert index.complete()
        assert sum(1 for _ in index.revisited("file")) == count
        index.close()
        return peak()

    assert fill("many", 400_000) - fill("few", 1000) < 30_000


# --- pywb


@needs_pywb
@pytest.mark.slow
@pytest.mark.parametrize("mode", ["keep", "expand"])
def test_pywb_serves_the_same_pages(tmp_path, mode):
    files = {
        "1.warc.gz": zipped(INFO, original(), revisit(), revisit(date=THIRD, refers_to=())),
        "2.warc": INFO + revisit(url=B),
    }
    asked = [(A, FIRST), (A, SECOND), (A, THIRD), (B, SECOND)]
    converted(tmp_path, files, revisits=mode)
    before = replay_with_pywb([tmp_path / "in" / name for name in files], *asked)
    after = replay_with_pywb([tmp_path / f"out-{mode}" / name for name in files], *asked)
    assert before == [(200, HTML)] * 4
    assert after == (before if mode == "keep" else [(200, at(A))] * 3 + [(200, at(B))])


@needs_pywb
@pytest.mark.slow
def test_pywb_serves_a_package(tmp_path):
    records = [INFO, original(), revisit(), revisit(url=B)]
    index = b"".join(sorted(lines(records)))
    data = package({"archive/data.warc.gz": zipped(*records), "indexes/index.cdx": index})
    converted(tmp_path, {"a.wacz": data}, revisits="expand")
    found = replay_with_pywb([tmp_path / "out-expand" / "a.wacz"], (A, FIRST), (A, SECOND), (B, SECOND))
    assert found == [(200, at(A)), (200, at(A)), (200, at(B))]
