"""The fields of a HAR that describe a changed body, as browsers write them."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.running_containers import codes, nothing, read, rewritten

from linkfix.containers import container

har = container("har")

URL = "http://h.example/dir/a.html"
OLD = '<a href="b.html">é</a>\n'
NEW = '<a href="http://h.example/dir/b.html">é</a>\n'
GROWN = len(NEW) - len(OLD)


def change(part):
    """The link made absolute."""
    return part.data.replace(b'"b.h', b'"http://h.example/dir/b.h')


def chrome(*headers, text=OLD, **more):
    """An entry as Chrome writes it; `more`: members of the response, `content_NAME` for members of its content."""
    content = {"size": len(text.encode()), "mimeType": "text/html", "compression": 0, "text": text}
    content |= {name.removeprefix("content_"): more.pop(name) for name in list(more) if name.startswith("content_")}
    return {
        "_initiator": {"type": "other"},
        "_priority": "VeryHigh",
        "_resourceType": "document",
        "cache": {},
        "request": {"method": "GET", "url": URL, "headers": [], "headersSize": 500, "bodySize": 0},
        "response": {
            "status": 200,
            "statusText": "OK",
            "httpVersion": "HTTP/1.1",
            "headers": [{"name": name, "value": value} for name, value in headers],
            "cookies": [],
            "content": content,
            "redirectURL": "",
            "headersSize": 150,
            "bodySize": len(text.encode()),
            "_transferSize": 900,
            "_error": None,
        }
        | more,
        "time": 1.5,
    }


def written(entry, creator="WebInspector", **how):
    log = {"version": "1.2", "creator": {"name": creator, "version": "537.36"}, "pages": [], "entries": [entry]}
    return json.dumps({"log": log}, **how).encode()


def converted(entry, **how):
    """The response of the converted entry, and the problems."""
    made, problems = rewritten(har, written(entry, **how), change)
    return json.loads(made)["log"]["entries"][0]["response"], problems


def digest_of(data):
    return f"sha-256=:{base64.b64encode(hashlib.sha256(data).digest()).decode()}:"


@pytest.mark.parametrize("how", [{}, {"indent": 2}, {"separators": (",", ":")}, {"ensure_ascii": False}])
def test_an_entry_of_chrome_that_was_not_compressed(how):
    size = len(NEW.encode())
    entry = chrome(("Date", "today"), ("Content-Length", str(size - GROWN)), ("Server", "x"))
    response, problems = converted(entry, **how)
    expected = json.loads(json.dumps(entry["response"]))
    expected["content"] |= {"text": NEW, "size": size}
    expected["headers"][1]["value"] = str(size)
    expected |= {"bodySize": size, "headersSize": -1}
    assert (response, list(response), problems) == (expected, list(expected), [])


def test_an_entry_of_chrome_that_was_compressed():
    coded = gzip.compress(OLD.encode())
    headers = [
        ("content-encoding", "gzip"),
        ("content-length", str(len(coded))),
        ("etag", '"x"'),
        ("date", "today"),
        ("repr-digest", digest_of(coded)),
        ("content-md5", "x"),
    ]
    entry = chrome(*headers, bodySize=len(coded), headersSize=-1, content_compression=len(OLD.encode()) - len(coded))
    response, problems = converted(entry)
    assert response["headers"] == [
        {"name": "content-encoding", "value": "gzip"},
        {"name": "date", "value": "today"},
    ]
    assert (response["content"]["size"], response["bodySize"]) == (len(NEW.encode()), -1)
    assert "compression" not in response["content"]
    assert (response["headersSize"], response["_transferSize"]) == (-1, 900)
    # Playwright writes 0 if the coded body is the larger one.
    response, _ = converted(chrome(*headers, bodySize=100, content_compression=0))
    assert "compression" not in response["content"]
    assert codes(problems) == ["digest-unknown"]


def test_an_entry_of_firefox():
    """Its bodySize is that of the transfer."""
    page = OLD.encode("utf-8")
    entry = chrome(
        ("Content-Type", "text/html; charset=utf-8"),
        ("Transfer-Encoding", "chunked"),
        ("Repr-Digest", digest_of(page)),
        text=base64.b64encode(page).decode(),
        content_encoding="base64",
        content_size=len(page),
        bodySize=len(page) + 200,
        headersSize=200,
    )
    del entry["response"]["content"]["compression"], entry["response"]["_transferSize"]
    response, problems = converted(entry, creator="Firefox", indent=2)
    assert base64.b64decode(response["content"]["text"]).decode() == NEW
    assert (response["content"]["size"], response["bodySize"], response["headersSize"]) == (len(NEW.encode()), -1, -1)
    assert [field["value"] for field in response["headers"]] == [
        "text/html; charset=utf-8",
        "chunked",
        digest_of(NEW.encode()),
    ]
    assert problems == []


@pytest.mark.parametrize(
    ("charset", "size", "renewed"),
    [
        ("utf-8", len(OLD.encode()), len(NEW.encode())),
        ("windows-1252", len(OLD), len(NEW)),
        ("utf-16le", 2 * len(OLD), 2 * len(NEW)),
        ("utf-8", len(OLD.encode()) + 3, len(NEW.encode()) + 3),  # a byte order mark, which is not in the text
        ("utf-8", 100_000, 100_000 + GROWN),  # a text that was cut
        ("utf-8", 0, len(NEW.encode())),
        ("utf-8", -1, -1),
        ("nonsense", len(OLD.encode()), len(NEW.encode())),
        ("koi8-r", len(OLD.encode()), len(NEW.encode())),  # which has no "é"
    ],
)
def test_the_size_grows_by_as_much_as_the_body(charset, size, renewed):
    kind = f"text/html; charset={charset}"
    response, _ = converted(chrome(content_size=size, content_mimeType=kind, bodySize=size))
    assert response["content"]["size"] == renewed
    assert response["bodySize"] == (renewed if size > 0 else size)


@pytest.mark.parametrize("size", [-1, 0])
def test_a_body_size_that_is_unknown_or_of_a_cached_response_stays(size):
    assert converted(chrome(bodySize=size))[0]["bodySize"] == size


def test_sizes_that_are_no_whole_numbers_stay():
    response, _ = converted(chrome(bodySize=1.5, headersSize="x", content_size=None, content_compression="y"))
    assert (response["bodySize"], response["headersSize"]) == (1.5, "x")
    assert (response["content"]["size"], response["content"]["compression"]) == (None, "y")


def test_digests_are_computed_from_the_sent_bytes():
    headers = [("Repr-Digest", digest_of(OLD.encode("windows-1252"))), ("Content-Digest", digest_of(b"other"))]
    response, problems = converted(chrome(*headers, content_mimeType="text/html; charset=windows-1252"))
    assert response["headers"] == [{"name": "Repr-Digest", "value": digest_of(NEW.encode("windows-1252"))}]
    assert codes(problems) == ["digest-wrong"]


DROPPED, KEPT = ("ETag", "x"), ("Date", "y")


@given(st.lists(st.sampled_from([DROPPED, KEPT]), max_size=6), st.sampled_from([None, 1]))
def test_dropped_fields_leave_a_list(headers, indent):
    response, _ = converted(chrome(*headers, content_compression=7), indent=indent)
    assert [tuple(field.values()) for field in response["headers"]] == [one for one in headers if one is KEPT]
    assert response["headersSize"] == (-1 if DROPPED in headers else 150)


def test_the_last_of_several_members_with_one_name_is_used():
    entry = written(chrome(("ETag", "x")), separators=(",", ":"))
    again = b'"headers":[{"name":"ETag","name":"X","value":"1"},2,[3]],"bodySize":4,"cookies":[]'
    made, _ = rewritten(har, entry.replace(b'"cookies":[]', again), change)
    response = json.loads(made)["log"]["entries"][0]["response"]
    assert response["headers"] == [{"name": "X", "value": "1"}, 2, [3]]
    assert b'"headers":[{"name":"ETag","value":"x"}]' in made
    assert response["bodySize"] == len(NEW.encode())


def test_strange_responses_are_written_all_the_same():
    for strange in (
        {"headers": {"ETag": 1}},
        {"headers": [[["name"]], {"name": 1, "value": "x"}, {"name": "ETag"}, {"value": "x"}, None, "ETag"]},
        {"headers": "ETag", "bodySize": [1], "headersSize": {"size": 1}},
        {"a": [[[[[[{"headers": [{"name": "ETag", "value": "x"}]}]]]]]], "bodySize": -1, "headersSize": -1},
    ):
        entry = chrome() | {"response": {"content": {"text": OLD}} | strange}
        response, problems = converted(entry)
        assert (response["content"].pop("text"), problems) == (NEW, [])
        assert response == {"content": {}} | strange


def test_unchanged_entries_stay_byte_for_byte():
    data = written(chrome(("ETag", "x"), ("Content-Length", "3"), content_compression=5))
    assert rewritten(har, data, nothing) == (data, [])
    assert rewritten(har, data, lambda part: part.data) == (data, [])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 300) | st.text(max_size=5) | st.sampled_from(["ETag", "content-md5"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["headers", "name", "value", "content", "size", "bodySize", '"\\']), inner)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["headers", "bodySize", "headersSize", "x", "[", '"']), JSON), JSON)
def test_any_response_stays_json_with_the_same_members(members, size):
    entry = chrome() | {"response": members | {"content": {"size": size, "text": OLD, "compression": 1}}}
    response, _ = converted(entry)
    assert response["content"]["text"] == NEW
    assert "compression" not in response["content"]
    assert response.keys() == entry["response"].keys()
    for name in members.keys() - {"headers", "bodySize", "headersSize"}:
        assert response[name] == members[name]
    assert read(har, written(chrome() | {"response": response}))[0][0].data == NEW.encode()
