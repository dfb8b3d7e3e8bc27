from __future__ import annotations

import base64
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.running_containers import codes, nothing, read, rewritten

from linkfix import Document, Envelope
from linkfix.containers import CONTAINERS, Limits, container

har = container("har")

PAGE = '<meta charset=windows-1251><a href="b.html">é</a>\n'


def entry(url="https://example.com/dir/a.html", **content):
    return {
        "request": {"method": "GET", "url": url, "headersSize": -1},
        "response": {"status": 200, "content": {"size": -1, "mimeType": "text/html", **content}, "bodySize": -1},
    }


def har_of(*entries, **how):
    return json.dumps({"log": {"version": "1.2", "entries": entries}}, **how).encode()


def absolute(part):
    return Document(part.data, envelope=part.envelope).convert().data if part.media_type == "text/html" else None


@pytest.mark.parametrize(
    ("mime_type", "field", "expected"),
    [
        ("", "text/html; charset=koi8-r", ("text/html", "koi8-r")),
        ("x-unknown", "text/html; charset=koi8-r", ("text/html", "koi8-r")),
        ("text/html", "text/html; charset=koi8-r", ("text/html", "koi8-r")),
        ("text/html; charset=utf-8", "text/html; charset=koi8-r", ("text/html", "utf-8")),
        ("text/css", "text/html; charset=koi8-r", ("text/css", None)),
        ("x-unknown", "", ("text/html", None)),
    ],
)
def test_the_type_is_the_contents_or_else_that_of_the_header_field(mime_type, field, expected):
    one = entry(text="PGE+", encoding="base64", mimeType=mime_type)
    one["response"]["headers"] = [{"name": "content-TYPE", "value": field}]
    (part,), problems = read(har, har_of(one))
    assert (part.media_type, part.envelope.charset, problems) == (*expected, [])
    assert part.envelope.media_type == expected[0]


def test_a_part_is_a_body_with_its_url_and_the_charset_that_it_has_here():
    data = har_of(
        entry(text=PAGE, mimeType="Text/HTML; charset=windows-1251"),
        entry("https://example.com/x.png", text="aW1hZ2U=", encoding="base64", mimeType="image/png"),
        entry("https://example.com/y", text="PGE+", encoding="base64", mimeType='text/html;charset="koi8-r"'),
        entry("https://example.com/none", size=0),
    )
    parts, problems = read(har, data)
    assert [(part.name, part.data, part.media_type) for part in parts] == [
        ("log.entries[0]", PAGE.encode(), "text/html"),
        ("log.entries[1]", b"image", "image/png"),
        ("log.entries[2]", b"<a>", "text/html"),
        ("log.entries[3]", b"", "text/html"),
    ]
    assert [part.envelope.charset for part in parts] == ["utf-8", None, "koi8-r", "utf-8"]
    assert [part.envelope.url for part in parts] == [
        "https://example.com/dir/a.html",
        "https://example.com/x.png",
        "https://example.com/y",
        "https://example.com/none",
    ]
    assert parts[0].envelope.where == "log.entries[0].request.url"
    assert problems == []


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"_file": "a.html"}, "'a.html'"),
        ({"_file": "../../etc/passwd"}, "'../../etc/passwd'"),
        ({"_file": "a", "mimeType": ""}, "'a'"),
        ({"_file": "a.html", "text": None}, "'a.html'"),
        (
            {"_file": "0123.png", "mimeType": "image/png"},
            "other media types that are in other files (content._file): 1",
        ),
        ({}, "it was not recorded"),
        ({"size": 17}, "it was not recorded"),
        ({"text": None}, "it was not recorded"),
        ({"text": 1}, "it was not recorded"),
    ],
)
def test_an_entry_without_a_body_is_named(content, said):
    data = har_of(entry(**content), entry(text=PAGE))
    parts, problems = read(har, data)
    assert ([part.name for part in parts], codes(problems)) == (["log.entries[1]"], ["part-missing"])
    assert said in problems[0].message
    assert codes(rewritten(har, data, absolute)[1]) == ["part-missing"]


@pytest.mark.parametrize(
    "content", [{"size": 0}, {"mimeType": "image/png"}, {"mimeType": "x-unknown"}, {"_file": "a.html", "text": PAGE}]
)
def test_an_entry_without_a_body_that_may_be_a_document_is_no_problem(content):
    assert read(har, har_of(entry(**content)))[1] == []


def test_the_har_itself_encloses_its_entries():
    whole = Envelope("https://archive.example/x.har")
    assert read(har, har_of(entry(text="")), envelope=whole)[0][0].envelope.parent is whole


@pytest.mark.parametrize("how", [{}, {"indent": 2}, {"ensure_ascii": False}, {"separators": (",", ":")}])
def test_only_the_link_changes_in_the_file(how):
    data = har_of(entry(text=PAGE), entry(text="plain", mimeType="text/plain"), **how)
    made, problems = rewritten(har, data, absolute)
    assert made == data.replace(b"b.html", b"https://example.com/dir/b.html")
    assert problems == []


@pytest.mark.parametrize(
    ("written", "slash"),
    [
        (r"\u003Ca href=\"b.html\"\u003e", "/"),
        (r"<a href='b.html'>\/<\/a>", r"\/"),
        (r"<a href='b.html'>\u002f", r"\u002f"),
        (r"<a href='b.html'>\u00E9\uD83D\uDE00\ud83d\ude01", "/"),
        (r"<a href='b.html'>\b\f\t\u0001\u000a\u005c", "/"),
        (r"<a href='b.html'>\ud800", "/"),
        (r"<a href='b.html'>\udc80", "/"),
        ("<a href='b.html'>é😀\u2028", "/"),
    ],
)
def test_escapes_are_written_as_the_string_writes_them(written, slash):
    data = har_of(entry(text="HERE")).replace(b"HERE", written.encode())
    made, _ = rewritten(har, data, absolute)
    url = "https://example.com/dir/b.html".replace("/", slash)
    assert made == data.replace(b"b.html", url.encode())


@pytest.mark.parametrize("raw", [b"\xff\xc3", b"\xed\xa0\x80", b"\xed\xa0\x80\\udc80\xff"])
def test_bytes_that_are_not_utf_8_stay(raw):
    data = har_of(entry(text="<a href='b.html'>HERE")).replace(b"HERE", raw)
    made, _ = rewritten(har, data, absolute)
    assert made == data.replace(b"b.html", b"https://example.com/dir/b.html")


def test_base64_stays_base64():
    page = base64.b64encode('<meta charset=koi8-r><a href="b?й">'.encode("koi8-r")).decode()
    data = har_of(entry(text=page, encoding="base64"))
    content = json.loads(rewritten(har, data, absolute)[0])["log"]["entries"][0]["response"]["content"]
    assert content["encoding"] == "base64"
    assert base64.b64decode(content["text"]) == (b'<meta charset=koi8-r><a href="https://example.com/dir/b?%CA">')


def test_a_byte_order_mark_and_white_space_stay():
    data = b"\xef\xbb\xbf\r\n" + har_of(entry(text=PAGE)) + b"\n\n"
    made, problems = rewritten(har, data, absolute)
    assert (made, problems) == (data.replace(b"b.html", b"https://example.com/dir/b.html"), [])


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (har_of(entry(text=PAGE))[:-20], "container-damaged"),
        (b"", "container-damaged"),
        (b"{", "container-damaged"),
        (b'{"log": 1}', "container-damaged"),
        (b"[" * 100_000, "container-damaged"),
        (har_of(entry(text="aW1h", encoding="rot13")), "part-encoding"),
        (har_of(entry(text="a", encoding="base64")), "part-damaged"),
        (har_of(entry(text="é", encoding="base64"), ensure_ascii=False), "part-damaged"),
        (har_of(entry("x.html", text="")), "part-url"),
        (har_of({"response": {"content": {"text": ""}}}), "part-url"),
        (har_of(1, None, {}, {"response": []}, {"response": {"content": {"text": 1}}}), None),
    ],
)
def test_bad_files_are_reported_and_kept(data, code):
    made, problems = rewritten(har, data, nothing)
    assert (made, codes(problems)) == (data, [code] if code else [])


def test_a_fault_is_reported_with_its_position():
    data = b"\xef\xbb\xbf" + har_of(entry(text=PAGE))[:-2] + b"!"
    assert read(har, data)[1][0].start == len(data) - 1


def test_limits():
    data = har_of(entry(text=PAGE), entry(text=PAGE))
    made, problems = rewritten(har, data, absolute, limits=Limits(parts=1))
    assert (made.count(b"https://example.com/dir/b.html"), codes(problems)) == (1, ["too-many-parts"])
    size = len(PAGE.encode())
    made, problems = rewritten(har, data, absolute, limits=Limits(part=size - 1))
    assert (made, codes(problems)) == (data, ["part-too-large"] * 2)
    made, problems = rewritten(har, data, absolute, limits=Limits(part=size, total=2 * size - 1))
    assert (made.count(b"https://example.com/dir/b.html"), codes(problems)) == (1, ["total-too-large"])
    assert rewritten(har, data, nothing, limits=Limits(part=size, total=2 * size)) == (data, [])


json_values = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
bodies = st.text(st.characters(codec=None), max_size=20)
entries = st.builds(lambda text, more: {**entry(text=text), "more": more}, bodies, json_values)


@given(st.lists(entries, max_size=4), st.booleans(), st.sampled_from([None, 1]))
def test_without_a_change_the_bytes_are_the_same(made, ascii_only, indent):
    text = json.dumps({"log": {"entries": made}}, ensure_ascii=ascii_only, indent=indent)
    data = text.encode("utf-8", "surrogatepass")
    assert rewritten(har, data, nothing) == (data, [])
    assert json.loads(rewritten(har, data, lambda part: part.data)[0]) == json.loads(data)


@given(st.lists(entries, min_size=1, max_size=3), st.text(st.characters(exclude_categories=["Cs"])))
def test_json_reads_the_inserted_text(made, new):
    data = json.dumps({"log": {"entries": made}}).encode()
    after = json.loads(rewritten(har, data, lambda _: new.encode())[0])
    assert {one["response"]["content"]["text"] for one in after["log"]["entries"]} == {new}


@given(st.binary(max_size=40), st.integers(0, 200))
def test_nothing_raises(garbage, at):
    data = har_of(entry(text=PAGE))
    broken = data[:at] + garbage + data[at + len(garbage) :]
    assert rewritten(har, broken, nothing)[0] == broken


def test_recognised_by_its_first_bytes_or_its_name():
    data = har_of(entry())
    assert CONTAINERS["har"].recognise(data, "anything")
    assert CONTAINERS["har"].recognise(b"\xef\xbb\xbf" + data, "anything")
    assert CONTAINERS["har"].recognise(b'{"x": 1}', "a.HAR")
    assert not CONTAINERS["har"].recognise(b'{"x": 1}', "a.json")
    assert not CONTAINERS["har"].recognise(b"<!DOCTYPE html>", "a.har")


def test_a_stream_that_cannot_seek_is_read():
    class Pipe(io.BytesIO):
        def seek(self, *_):
            raise OSError

    parts = list(har.parts(Pipe(har_of(entry(text=PAGE))), Envelope(), nothing, Limits()))
    assert len(parts) == 1


def test_a_content_security_policy_comes_along():
    headers = [
        {"name": "Content-Security-Policy", "value": "img-src *"},
        {"name": "content-security-policy", "value": "base-uri 'none'"},
        {"name": "Content-Security-Policy-Report-Only", "value": "base-uri a"},
        {"name": 1},
        {},
    ]
    stated = entry(text=PAGE)
    stated["response"]["headers"] = headers
    (part,), _ = read(har, har_of(stated))
    assert part.envelope.content_security_policy == "img-src *, base-uri 'none'"
    for other in ([], {}, None, [1]):
        stated["response"]["headers"] = other
        (part,), _ = read(har, har_of(stated))
        assert part.envelope.content_security_policy is None
