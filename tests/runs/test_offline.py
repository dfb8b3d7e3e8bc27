"""Unpacking for reading: which captures become files, and where their references lead."""

from __future__ import annotations

import csv
import io
import json

import pytest
from support.captured import exchange
from support.growth import assert_linear
from support.running_containers import nothing
from support.zip_samples import Sample, archive

from linkfix import Document, Envelope
from linkfix.containers import Limits
from linkfix.containers import container as format_of
from linkfix.document.from_file import fit_to_files
from linkfix.runs.captured_files import NoCapture
from linkfix.runs.index_page import title_of
from linkfix.runs.offline import Unpacker
from linkfix.runs.unpack import MANIFEST, NoFiles

PNG = b"\x89PNG\r\n\x1a\n"


def unpack(folder, data, format_="warc", note=nothing, **options):
    unpacker = Unpacker(format_of(format_), io.BytesIO(data), Envelope(), Limits(), name="the archive", **options)
    return unpacker.unpack(str(folder), note)


def files(folder):
    """The files but the index page and the manifest, by their paths."""
    found = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return {path: data for path, data in found.items() if path not in {"index.html", MANIFEST}}


def of(folder, *exchanges, **options):
    unpack(folder, b"".join(exchanges), **options)
    return files(folder)


def har(*entries):
    made = [
        {
            "startedDateTime": entry.get("time", "2024-01-01T00:00:00.000Z"),
            "request": {"method": entry.get("method", "GET"), "url": entry["url"]},
            "response": {
                "status": entry.get("status", 200),
                "redirectURL": entry.get("location", ""),
                "headers": [],
                "content": {"text": entry.get("text", ""), "mimeType": entry.get("type", "text/html")},
            },
        }
        for entry in entries
    ]
    return json.dumps({"log": {"entries": made}}).encode()


def test_references_lead_to_the_files_of_other_captures(tmp_path):
    found = of(
        tmp_path,
        exchange(
            "https://h/a/b", b'<link rel=stylesheet href="/s?v=1"><img src=i.png><a href="c#x">c</a><a href="?q=1">'
        ),
        exchange("https://h/s?v=1", b"@import 'more.css'; a { background: url(//cdn/i) }", "text/css"),
        exchange("https://h/more.css", b"", "text/css", status=200),
        exchange("https://h/a/i.png", PNG, "image/png"),
        exchange("https://cdn/i", PNG, "image/png"),
        exchange("https://h/a/c", b"<a href=b>"),
    )
    assert found == {
        "h/a/b.html": b'<link rel=stylesheet href="../s%40v%3D1.css"><img src=i.png><a href="c.html#x">c</a>'
        b'<a href="https://h/a/b?q=1">',
        "h/s@v=1.css": b"@import 'more.css'; a { background: url(../cdn/i.png) }",
        "h/more.css": b"",
        "h/a/i.png": PNG,
        "cdn/i.png": PNG,
        "h/a/c.html": b"<a href=b.html>",
    }


def test_a_revisit_of_nothing_is_a_problem(tmp_path):
    problems = []
    data = exchange("https://h/", b"<p>") + exchange("https://h/lost", revisit_of=b"gone", refers_to="https://h/was")
    data += exchange("https://h/other", revisit_of=b"<p>") + exchange("https://h/none", status=404)
    data += exchange("https://h/again", revisit_of=b"", refers_to="https://h/none")
    unpack(tmp_path, data, note=problems.append)
    assert [problem.code for problem in problems] == ["part-missing"]
    assert "https://h/lost: a revisit record of a record that is not in the archive" in problems[0].message
    assert sorted(files(tmp_path)) == ["h/index.html", "h/other.html"]
    with pytest.raises(NoFiles):
        unpack(tmp_path / "2", exchange("https://h/lost", revisit_of=b"gone"), note=problems.append)
    assert [problem.code for problem in problems] == ["part-missing"] * 2


def test_a_file_is_empty_only_if_an_empty_body_was_captured(tmp_path):
    found = of(
        tmp_path,
        exchange("https://h/", b"<script src=e.js></script><script src=cut.js></script>"),
        exchange("https://h/e.js", b"", "text/javascript", Content_Length="0"),
        exchange("https://h/gzip.css", b"", "text/css", Content_Encoding="gzip"),
        exchange("https://h/cut.js", b"", "text/javascript", Content_Length="7"),
        exchange("https://h/none", b"", status=204),
        exchange("https://h/same", b"", status=304),
        exchange("https://h/error", b"", status=404),
        exchange("https://h/posted", b"", method="POST"),
    )
    page = b"<script src=e.js></script><script src=https://h/cut.js></script>"
    assert found == {"h/index.html": page, "h/e.js": b"", "h/gzip.css": b""}


def test_an_entry_without_a_text_is_empty_if_its_size_is_zero(tmp_path):
    entries = [{"url": f"https://h/{name}", "type": "text/css"} for name in ("empty", "unknown", "lost", "none")]
    made = json.loads(har({"url": "https://h/", "text": "<link rel=stylesheet href=empty>"}, *entries))
    for entry, size in zip(made["log"]["entries"][1:], (0, -1, 9, 0), strict=True):
        entry["response"]["content"] = {"size": size, "mimeType": "text/css"}
    made["log"]["entries"][-1]["response"]["status"] = 204
    unpack(tmp_path, json.dumps(made).encode(), "har")
    assert files(tmp_path) == {"h/index.html": b"<link rel=stylesheet href=empty.css>", "h/empty.css": b""}


def test_references_in_srcset_srcdoc_svg_and_lazy_attributes(tmp_path):
    page = (
        b"<img srcset='/a.png 1x, /b.png 2x' data-src=/a.png><iframe srcdoc='<img src=/a.png>'></iframe>"
        b"<svg><image href=/a.png></svg><p style='background: image-set(\"/a.png\" 1x)'>"
    )
    found = of(tmp_path, exchange("https://h/d/p", page), exchange("https://h/a.png", PNG, "image/png"))
    assert found["h/d/p.html"] == (
        b"<img srcset='../a.png 1x' data-src=../a.png>"
        b"<iframe srcdoc='<img src=../a.png>'></iframe><svg><image href=../a.png></svg>"
        b"<p style='background: image-set(\"../a.png\" 1x)'>"
    )


def test_a_srcset_keeps_what_was_captured(tmp_path):
    page = (
        b"<img srcset=' /a.png 1x,\n /b.png 2x , /c.png 3x'><img srcset='/x 2x'><img src=/a.png srcset='/x 2x'>"
        b"<picture><source srcset=/x><img src=/a.png></picture><img srcset='/a.png, /c.png 2x'>"
    )
    pictures = [exchange(f"https://h/{name}.png", PNG, "image/png") for name in "ac"]
    found = of(tmp_path, exchange("https://h/p", page), *pictures)
    assert found["h/p.html"] == (
        b"<img srcset='a.png 1x, c.png 3x'><img srcset='https://h/x 2x'><img src=a.png>"
        b"<picture><source><img src=a.png></picture><img srcset='a.png, c.png 2x'>"
    )


def test_a_policy_of_the_page_goes(tmp_path):
    page = b"<meta http-equiv=Content-Security-Policy content=\"img-src 'self'\"><meta name=x><img src=a.png>"
    found = of(tmp_path, exchange("https://h/p", page), exchange("https://h/a.png", PNG, "image/png"))
    assert found["h/p.html"] == b"<meta name=x><img src=a.png>"


def test_a_base_element_goes(tmp_path):
    found = of(
        tmp_path,
        exchange("https://h/a", b'<base href="https://other/x/" target=_top><a href=y>y</a><a href=z>z</a>'),
        exchange("https://other/x/y", b"y"),
    )
    assert found["h/a.html"] == b"<base target=_top><a href=../other/x/y.html>y</a><a href=https://other/x/z>z</a>"


@pytest.mark.parametrize(
    ("at", "text"),
    [
        ("", b"new"),
        ("2024", b"new"),
        ("2023", b"middle"),
        ("202206", b"middle"),
        ("20220531", b"old"),
        ("2021", b"old"),
    ],
)
def test_the_latest_capture_up_to_a_time(tmp_path, at, text):
    found = of(
        tmp_path,
        exchange("https://h/a", b"middle", time="2022-06-01T00:00:00Z"),
        exchange("https://h/a", b"new", time="2024-06-01T00:00:00Z"),
        exchange("https://h/a", b"old", time="2021-12-31T23:59:59Z"),
        at=at,
    )
    assert found == {"h/a.html": text}


def test_nothing_was_captured_before_a_time(tmp_path):
    captures = [exchange("https://h/a", b"x", time=f"{year}-05-01T10:00:00Z") for year in (2025, 2024)]
    with pytest.raises(NoCapture, match="the first capture is of 2024-05-01 10:00 UTC"):
        of(tmp_path, *captures, at="2023")
    assert list(tmp_path.iterdir()) == []


def test_an_archive_without_captures_has_none_at_any_time(tmp_path):
    with pytest.raises(NoFiles, match="nothing in it can be read"):
        of(tmp_path, exchange("dns:h", b"x", "text/dns"), at="2023")
    assert files(tmp_path) == {}


@pytest.mark.parametrize("status", [404, 500])
def test_an_error_is_a_file_only_if_nothing_else_was_captured(tmp_path, status):
    found = of(
        tmp_path,
        exchange("https://h/a", b"page"),
        exchange("https://h/a", b"error", status=status, time="2024-02-01T00:00:00Z"),
        exchange("https://h/b", b"error", status=status),
    )
    assert found == {"h/a.html": b"page", "h/b.html": b"error"}


@pytest.mark.parametrize("method", ["POST", "PUT", "HEAD", "OPTIONS"])
def test_only_get_counts(tmp_path, method):
    found = of(
        tmp_path,
        exchange("https://h/a", b"page"),
        exchange("https://h/a", b"answer", method=method, time="2024-02-01T00:00:00Z"),
        exchange("https://h/b", b"answer", method=method),
    )
    assert found == {"h/a.html": b"page"}


def test_references_follow_redirects(tmp_path):
    found = of(
        tmp_path,
        exchange("https://h/", b"<a href=/1#x></a><a href=/loop></a><a href=/gone></a><a href=/back></a>"),
        exchange("https://h/1", b"moved", status=301, Location="/2"),
        exchange("https://h/2", status=302, Location="//other/3"),
        exchange("https://other/3", b"3"),
        exchange("https://h/loop", status=307, Location="/loop"),
        exchange("https://h/gone", status=308, Location="/nowhere"),
        exchange("https://h/back", b"was here", time="2023-01-01T00:00:00Z"),
        exchange("https://h/back", status=303, Location="/nowhere"),
    )
    assert found == {
        "h/index.html": b"<a href=../other/3.html#x></a><a href=https://h/loop></a><a href=https://h/gone></a>"
        b"<a href=back.html></a>",
        "other/3.html": b"3",
        "h/back.html": b"was here",
    }


def test_a_page_after_a_redirect_counts(tmp_path):
    found = of(
        tmp_path,
        exchange("https://h/", b"<a href=a>"),
        exchange("https://h/a", status=301, Location="/b"),
        exchange("https://h/a", b"a", time="2024-02-01T00:00:00Z"),
        exchange("https://h/b", b"b"),
    )
    assert found["h/index.html"] == b"<a href=a.html>"


def test_long_chains_of_redirects_end(tmp_path):
    chain = [exchange(f"https://h/{number}", status=301, Location=f"/{number + 1}") for number in range(5000)]
    found = of(
        tmp_path,
        exchange("https://h/", b"<a href=/0></a><a href=/4990></a>"),
        *chain,
        exchange("https://h/5000", b""),
        exchange("https://h/5000", b"end"),
    )
    assert found["h/index.html"] == b"<a href=https://h/0></a><a href=5000.html></a>"


def test_http_and_https_are_one_site_but_the_exact_url_comes_first(tmp_path):
    found = of(
        tmp_path,
        exchange("http://h/", b"<a href=a></a><a href=https://h/b></a><a href=b></a>"),
        exchange("https://h/a", b"a"),
        exchange("http://h/b", b"b"),
        exchange("https://h/b", b"secure"),
    )
    assert found["h/index.html"] == b"<a href=a.html></a><a href=b-2.html></a><a href=b.html></a>"
    assert (found["h/b.html"], found["h/b-2.html"]) == (b"b", b"secure")


def test_a_redirect_from_http_to_https(tmp_path):
    found = of(
        tmp_path,
        exchange("http://h/", status=301, Location="https://h/"),
        exchange("https://h/", b"<a href=http://h/>"),
    )
    assert found == {"h/index.html": b"<a href=index.html>"}


def test_a_revisit_has_the_payload_of_another_record(tmp_path):
    found = of(
        tmp_path,
        exchange("https://h/a/p", b"<a href=q>", time="2023-01-01T00:00:00Z"),
        exchange("https://h/a/p", b"<a href=r>", time="2024-01-01T00:00:00Z"),
        exchange("https://h/a/p", revisit_of=b"<a href=q>", time="2025-01-01T00:00:00Z"),
        exchange("https://h/b/p", revisit_of=b"<a href=q>"),
        exchange("https://h/c", revisit_of=b"?", refers_to="https://h/d"),
        exchange("https://h/d", b"d"),
        exchange("https://h/e", revisit_of=b"nowhere"),
    )
    assert found == {
        "h/a/p.html": b"<a href=https://h/a/q>",
        "h/b/p.html": b"<a href=https://h/b/q>",
        "h/c.html": b"d",
        "h/d.html": b"d",
    }


def test_records_of_crawlers_are_no_files(tmp_path):
    problems = []
    data = exchange("dns:h", b"1.2.3.4", "text/dns") + exchange(
        "urn:view:https://h/", PNG, "image/png", kind="resource"
    )
    unpack(tmp_path, data + exchange("https://h/", b"<p>"), note=problems.append)
    assert (files(tmp_path), problems) == ({"h/index.html": b"<p>"}, [])


@pytest.mark.parametrize(
    ("url", "media_type", "path"),
    [
        ("https://h/logo", "image/png", "h/logo.png"),
        ("https://h/logo.jpg", "image/png", "h/logo.jpg"),
        ("https://h/logo.php?id=1", "image/jpeg", "h/logo.php@id=1.jpg"),
        ("https://h/app.js?v=1", "application/javascript", "h/app.js@v=1.js"),
        ("https://h/m.mjs", "text/javascript", "h/m.mjs"),
        ("https://h/f.woff2?x", "font/woff2", "h/f.woff2@x.woff2"),
        ("https://h/f", "font/woff2", "h/f.woff2"),
        ("https://h/a.html", "text/plain", "h/a.html.txt"),
        ("https://h/a.html", "application/octet-stream", "h/a.html.bin"),
        ("https://h/a.exe", "application/octet-stream", "h/a.exe"),
        ("https://h/readme", "text/plain", "h/readme.txt"),
        ("https://h/main.css", "text/plain", "h/main.css"),
        ("https://h/main.css?a", "text/css", "h/main.css@a.css"),
        ("https://h/page.html?a", "text/html", "h/page.html@a.html"),
        ("https://h/d.json", "application/json", "h/d.json"),
        ("https://h/d", "application/json", "h/d.json"),
        ("https://h/a%20b/c%3F.html", "text/html", "h/a b/c_.html"),
    ],
)
def test_names_tell_browsers_the_media_type(tmp_path, url, media_type, path):
    assert list(of(tmp_path, exchange(url, b"x", media_type))) == [path]


def test_references_are_escaped(tmp_path):
    found = of(
        tmp_path,
        exchange("https://h/", "<a href='a b?100%25'></a><a href='ü#ü'></a>".encode(), "text/html; charset=utf-8"),
        exchange("https://h/a%20b?100%25", b"1"),
        exchange("https://h/%C3%BC", b"2"),
    )
    assert b"<a href='a%20b%40100%25.html'></a><a href='%C3%BC.html#%C3%BC'></a>" in found["h/index.html"]
    assert {"h/a b@100%.html", "h/ü.html"} < set(found)


@pytest.mark.parametrize(
    ("media_type", "body", "wanted"),
    [
        ("text/html; charset=windows-1251", b"<!DOCTYPE html><html lang=ru><head><title>\xff", None),
        ("text/html; charset=utf-8", b"<p>\xd1\x8f", b'<meta charset="utf-8"><p>\xd1\x8f'),
        ("text/html; charset=utf-8", b"<meta charset=utf-8>\xd1\x8f", b"<meta charset=utf-8>\xd1\x8f"),
        ("text/html", b"<p>\xd1\x8f", b"<p>\xd1\x8f"),
        (
            "text/html; charset=utf-8",
            b"<!-- > --><head data-a='>'>\xd1\x8f",
            b"<!-- > --><head data-a='>'><meta charset=\"utf-8\">\xd1\x8f",
        ),
        ("text/css; charset=windows-1251", b"a{content:'\xff'}", b"@charset \"windows-1251\";a{content:'\xff'}"),
        ("text/css; charset=koi8-r", b'@charset "utf-8";a{}/*\xff', b'@charset "koi8-r";a{}/*\xff'),
        (
            "image/svg+xml; charset=windows-1251",
            b"<svg>\xff</svg>",
            b'<?xml version="1.0" encoding="windows-1251"?><svg>\xff</svg>',
        ),
        ("text/html; charset=utf-16le", "<p>".encode("utf-16le"), b"\xff\xfe" + "<p>".encode("utf-16le")),
    ],
)
def test_a_file_declares_the_encoding_that_the_response_stated(tmp_path, media_type, body, wanted):
    (made,) = of(tmp_path, exchange("https://h/a", body, media_type)).values()
    assert made == (wanted or b'<!DOCTYPE html><html lang=ru><head><meta charset="windows-1251"><title>\xff')


def test_attributes_go_that_make_a_browser_refuse_files(tmp_path):
    page = (
        b'<link rel=stylesheet integrity="sha256-x" href=/s.css crossorigin>'
        b"<script src=https://cdn/x.js integrity=sha256-y crossorigin=anonymous></script><p integrity>"
    )
    found = of(tmp_path, exchange("https://h/p", page), exchange("https://h/s.css", b"a{}", "text/css"))
    assert found["h/p.html"] == (
        b"<link rel=stylesheet href=s.css>"
        b"<script src=https://cdn/x.js integrity=sha256-y crossorigin=anonymous></script><p integrity>"
    )


@pytest.mark.parametrize(
    ("links", "page"),
    [
        ("relative", b"<a href=b.html></a><a href=https://h/c></a>"),
        ("absolute", b"<a href=https://h/b></a><a href=https://h/c></a>"),
        ("keep", b"<a href=b></a><a href=c></a>"),
    ],
)
def test_forms_of_links(tmp_path, links, page):
    found = of(
        tmp_path, exchange("https://h/a", b"<a href=b></a><a href=c></a>"), exchange("https://h/b", b"b"), links=links
    )
    assert found["h/a.html"] == page


def message(*parts):
    head = b'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="b"\r\n\r\n'
    made = b"".join(
        b"--b\r\nContent-Type: %s\r\n%s\r\n\r\n%s\r\n" % (type_, fields, body) for type_, fields, body in parts
    )
    return head + made + b"--b--\r\n"


def test_parts_of_a_message_refer_to_each_other_by_labels_and_locations(tmp_path):
    data = message(
        (
            b"text/html",
            b"Content-Location: https://h/p",
            b'<img src="cid:one@x"><img src="mid:m@x/one@x"><img src="/i"><a href=o>',
        ),
        (b"image/png", b"Content-ID: <one@x>", PNG),
        (b"image/png", b"Content-ID: <two@x>\r\nContent-Location: https://h/i", PNG),
        (b"text/html", b"Content-ID: <frame@x>", b'<img src="cid:two@x"><img src="cid:none@x">'),
    )
    unpack(tmp_path, data, "mime")
    assert files(tmp_path) == {
        "h/p.html": b'<img src="../one%40x.png"><img src="../one%40x.png"><img src="i.png"><a href=https://h/o>',
        "one@x.png": PNG,
        "h/i.png": PNG,
        "frame@x.html": b'<img src="h/i.png"><img src="cid:none@x">',
    }


def test_files_of_an_archive_keep_their_names_and_references(tmp_path):
    data = archive(
        [
            Sample(
                "index.html",
                b'<img src="i/0.png"><a href="https://h/b">b</a><a href="https://h/c">c</a>',
                comment=b"https://h/",
            ),
            Sample("b/index.html", b'<a href="https://h/#x">a</a>', comment=b"https://h/b"),
            Sample("i/0.png", PNG),
        ]
    )
    made = unpack(tmp_path, data, "htz")
    assert made.index_page == "index-2.html"
    found = files(tmp_path)
    assert (tmp_path / "index.html").read_bytes() == (
        b'<img src="i/0.png"><a href="b/index.html">b</a><a href="https://h/c">c</a>'
    )
    assert found["b/index.html"] == b'<a href="../index.html#x">a</a>'
    assert found["i/0.png"] == PNG


def test_a_har_has_exchanges(tmp_path):
    data = har(
        {"url": "https://h/", "text": "<a href=a></a><a href=b></a><a href=c></a>"},
        {"url": "https://h/a", "text": "old", "time": "2024-01-01T10:00:00.000+02:00"},
        {"url": "https://h/a", "text": "new", "time": "2024-01-01T09:00:00.000Z"},
        {"url": "https://h/a", "text": "sent", "method": "POST", "time": "2024-01-02T09:00:00.000Z"},
        {"url": "https://h/b", "status": 302, "location": "/a"},
        {"url": "https://h/c", "text": "missing", "status": 404},
    )
    made = unpack(tmp_path, data, "har")
    assert files(tmp_path) == {
        "h/index.html": b"<a href=a.html></a><a href=a.html></a><a href=c.html></a>",
        "h/a.html": b"new",
        "h/c.html": b"missing",
    }
    assert {row.path: row.time for row in made.rows if row.url} == {
        "h/index.html": "20240101000000",
        "h/a.html": "20240101090000",
        "h/c.html": "20240101000000",
    }


def test_the_index_lists_pages(tmp_path):
    unpack(
        tmp_path,
        exchange(
            "https://h/b", b"<!-- <title>no</title> --><title> <b> &amp;\n x\x07</title>", time="2024-02-03T04:05:06Z"
        )
        + exchange("https://u:secret@h/a'<i>.html", b"12345")
        + exchange("https://h/i", PNG, "image/png"),
    )
    page = (tmp_path / "index.html").read_text("utf-8")
    rows = page[page.index("<tbody>") + 8 : page.index("</tbody>")].splitlines()
    assert rows == [
        (
            '<tr><td><a href="h/a%27_i_.html">h/a&#x27;_i_.html</a></td><td>https://h/a&#x27;&lt;i&gt;.html</td>'
            "<td>2024-01-01 00:00</td><td>5</td></tr>"
        ),
        (
            '<tr><td><a href="h/b.html">&lt;b&gt; &amp; x\\x07</a></td><td>https://h/b</td><td>2024-02-03 04:05</td>'
            "<td>55</td></tr>"
        ),
    ]
    assert "<title>Pages of the archive</title>" in page
    assert "<script" not in page
    assert "secret" not in page


def test_the_manifest_tells_which_references_are_paths(tmp_path):
    unpack(tmp_path, exchange("https://h/a", b"x") + exchange("https://h/i", PNG, "image/png"))
    with (tmp_path / MANIFEST).open(newline="", encoding="utf-8") as file:
        rows = [(row["path"], row["url"], row["time"], row["references"]) for row in csv.DictReader(file)]
    assert rows == [
        ("h/a.html", "https://h/a", "20240101000000", "files"),
        ("h/i.png", "https://h/i", "20240101000000", ""),
        ("index.html", "", "", "files"),
    ]


def test_no_name_leads_out_and_no_password_stays(tmp_path):
    out = tmp_path / "out"
    found = of(
        out,
        exchange("https://me:secret@h/..%2F..%2Fx", b"<a href=https://me:secret@h/b>"),
        exchange("https://h/b", b"b"),
        exchange("file:///../../etc/passwd", b"x", kind="resource"),
    )
    assert found == {
        "h/.._.._x.html": b"<a href=b.html>",
        "h/b.html": b"b",
        "etc/passwd.html": b"x",
    }
    assert "secret" not in (out / MANIFEST).read_text("utf-8")
    assert list(tmp_path.iterdir()) == [out]


def test_a_revisit_without_a_digest_has_the_payload_before_it(tmp_path):
    found = of(
        tmp_path,
        exchange("https://h/a", b"1", time="2021-01-01T00:00:00Z"),
        exchange("https://h/a", b"2", time="2023-01-01T00:00:00Z"),
        exchange("https://h/a", revisit_of=b"?", refers_to="https://h/a", time="2022-01-01T00:00:00Z"),
        at="2022",
    )
    assert found == {"h/a.html": b"1"}


@pytest.mark.growth
def test_many_exchanges_about_one_url_take_linear_time(tmp_path):
    def prepare(number):
        data = b"".join(
            exchange("https://h/a", b"x", time=f"{2000 + index % 20}-01-01T00:00:00Z", status=200 + 300 * (index % 2))
            + exchange("https://h/a", revisit_of=b"?", refers_to="https://h/b")
            for index in range(number)
        )
        return lambda: unpack(tmp_path, data)

    assert_linear(prepare, 50)


@pytest.mark.growth
def test_titles_take_linear_time():
    encoding = Document(b"").encoding
    for text in (b"<!--", b"<title>", b"<title", b"<!-- --> "):
        assert_linear(lambda number, text=text: lambda: title_of(text * number, encoding), 1000)


@pytest.mark.growth
def test_pages_with_many_srcsets_take_linear_time():
    for text in (
        b"<img srcset='a 1x, b 2x' src=c crossorigin>",
        b"<meta http-equiv=content-security-policy content=x>",
    ):
        assert_linear(
            lambda number, text=text: (
                lambda: fit_to_files(
                    Document(text * number, url="https://h/"), lambda target: target.endswith(("a", "c"))
                )
            ),
            50,
        )


def test_an_arc_has_all_files_and_the_latest_of_each(tmp_path):
    def record(url, time, media_type, body):
        http = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\n\r\n%s" % (media_type, body)
        return b"%s 127.0.0.1 %s %s %d\n%s\n" % (url, time, media_type, len(http), http)

    block = b"1 0 x\nURL IP-address Archive-date Content-type Archive-length\n"
    head = b"filedesc://x.arc 0.0.0.0 20240101000000 text/plain %d\n%s\n" % (len(block), block)
    data = head + b"".join(
        [
            record(b"http://h/", b"20240102000000", b"text/html", b"<img src=i>"),
            record(b"http://h/", b"20230102000000", b"text/html", b"old"),
            record(b"http://h/i", b"20240102000000", b"image/png", PNG),
        ]
    )
    unpack(tmp_path, data, "arc")
    assert files(tmp_path) == {"h/index.html": b"<img src=i.png>", "h/i.png": PNG}


def test_a_zipped_har_has_exchanges(tmp_path):
    entries = har(
        {"url": "https://h/", "text": "<a href=a></a>"},
        {"url": "https://h/a", "status": 302, "location": "/b"},
        {"url": "https://h/b", "text": "b"},
    )
    unpack(tmp_path, archive([Sample("har.har", entries)]), "har-zip")
    assert files(tmp_path) == {"h/index.html": b"<a href=b.html></a>", "h/b.html": b"b"}


def test_a_document_whose_process_died_stays_as_captured(tmp_path, monkeypatch):
    def map_and_lose(work, jobs, *, lost, **_):
        return (lost(job, "signal 9") if job.path == "h/b.html" else work(job) for job in jobs)

    monkeypatch.setattr("linkfix.runs.offline.map_in_order", map_and_lose)
    problems = []
    pages = [exchange(f"https://h/{name}", f"<a href={name}>".encode()) for name in "abc"]
    unpack(tmp_path, b"".join(pages), note=problems.append)
    assert files(tmp_path) == {
        "h/a.html": b"<a href=a.html>",
        "h/b.html": b"<a href=b>",
        "h/c.html": b"<a href=c.html>",
    }
    assert [problem.code for problem in problems] == ["process-ended"]
    assert problems[0].message.endswith("because of a bug in linkfix: signal 9")
