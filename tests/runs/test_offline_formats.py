"""Unpacking of single pages for reading: Safari's web archives, SingleFile's pages that unpack themselves, and pages
after their HTTP header.
"""

from __future__ import annotations

import base64
import csv
import plistlib

import pytest
from support.running import run
from support.zip_samples import Sample, archive

PNG = b"\x89PNG\r\n\x1a\n"


def resource(url, data, media_type="text/html", encoding="UTF-8", **more):
    """A resource as WebKit writes it (LegacyWebArchive.cpp)."""
    return {
        "WebResourceData": data,
        "WebResourceFrameName": "",
        "WebResourceMIMEType": media_type,
        "WebResourceTextEncodingName": encoding,
        "WebResourceURL": url,
        **more,
    }


PAGE = (
    '<title>A page</title><img src=i.png><img src="/\u043a.png"><link rel=stylesheet href=s.css>'
    "<iframe src=//frames.example/1/></iframe><iframe src=about:blank></iframe><a href=b>"
).encode()
SHEET = b"a{background:url(i.png)}"
#: Of a subresource, WebKit archives the response with NSKeyedArchiver. It is not needed.
RESPONSE = plistlib.dumps({"$archiver": "NSKeyedArchiver", "$objects": ["$null", "https://no/"]})
INNER = {"WebMainResource": resource("https://frames.example/2/", b"<p>\xe9<a href=../1/>", encoding="ISO-8859-1")}
FRAME = {
    "WebMainResource": resource("https://frames.example/1/", b"<a href=https://example.com/dir/#x><iframe src=/2/>"),
    "WebSubframeArchives": [INNER],
}
SITE = {
    "WebMainResource": resource("https://example.com/dir/", PAGE),
    "WebSubresources": [
        resource("https://example.com/dir/i.png", PNG, "image/png", "", WebResourceResponse=RESPONSE),
        resource("https://example.com/%D0%BA.png", PNG + b"2", "image/png", ""),
        resource("https://example.com/dir/s.css", SHEET, "text/css"),
        resource("", b"<p>no URL"),
    ],
    "WebSubframeArchives": [
        FRAME,
        {"WebMainResource": resource("about:blank", b"<p>one")},
        {"WebMainResource": resource("about:blank", b"<p>two")},
    ],
}
FORMATS = pytest.mark.parametrize("form", [plistlib.FMT_BINARY, plistlib.FMT_XML])


def saved(tmp_path, form, site=SITE):
    path = tmp_path / "page.webarchive"
    path.write_bytes(plistlib.dumps(site, fmt=form, sort_keys=False))
    return path


def unpack(path, *options, code=0):
    """The files by their paths, and what the command says."""
    out = path.parent / "out"
    result = run("unpack", path, "--output", out, *options)
    assert result.exit_code == code, result.output
    found = {one.relative_to(out).as_posix(): one.read_bytes() for one in out.rglob("*") if one.is_file()}
    return found, result.stderr


def rows(files):
    return list(csv.DictReader(files["manifest.csv"].decode().splitlines()))


@FORMATS
def test_a_web_archive(tmp_path, form):
    found, said = unpack(saved(tmp_path, form))
    listed = rows(found)
    index = found.pop("index.html").decode()
    del found["manifest.csv"]
    assert found == {
        "example.com/dir/index.html": b"<title>A page</title><img src=i.png><img src="
        b'"../%D0%BA.png"><link rel=stylesheet href=s.css><iframe src=../../frames.example/1/index.html></iframe>'
        b"<iframe src=about:blank></iframe><a href=https://example.com/dir/b>",
        "example.com/dir/i.png": PNG,
        "example.com/\u043a.png": PNG + b"2",
        "example.com/dir/s.css": SHEET,
        "part-5.html": b"<p>no URL",
        "frames.example/1/index.html": b"<a href=../../example.com/dir/index.html#x><iframe src=../2/index.html>",
        "frames.example/2/index.html": b"<p>\xe9<a href=../1/index.html>",
        "blank.html": b"<p>one",
        "blank-2.html": b"<p>two",
    }
    assert [(row["path"], row["url"], row["wanted"], row["part"]) for row in listed][:3] == [
        ("example.com/dir/index.html", "https://example.com/dir/", "", "WebMainResource"),
        ("example.com/dir/i.png", "https://example.com/dir/i.png", "", "WebSubresources[0]"),
        ("example.com/\u043a.png", "https://example.com/%D0%BA.png", "", "WebSubresources[1]"),
    ]
    assert {row["path"] for row in listed} == {*found, "index.html"}
    assert '<a href="example.com/dir/index.html">A page</a></td><td>https://example.com/dir/</td>' in index
    assert index.count("<tr><td>") == 6
    assert said.count("[part-url]") == said.count("\n") - 1 == 1


@FORMATS
@pytest.mark.parametrize("options", [["--raw"], ["--links", "keep"]])
def test_a_web_archive_as_it_is(tmp_path, form, options):
    found, _ = unpack(saved(tmp_path, form), *options)
    assert found["example.com/dir/index.html"] == PAGE
    assert found["frames.example/2/index.html"] == b"<p>\xe9<a href=../1/>"
    assert found["example.com/dir/i.png"] == PNG
    assert ("index.html" in found) == ("--raw" not in options)


def data_url(data, type_):
    return b"data:%s;base64,%s" % (type_, base64.b64encode(data))


@FORMATS
def test_a_web_archive_as_one_file(tmp_path, form):
    result = run("unpack", saved(tmp_path, form), "--single-file", "--scripts", "keep", "--output", "-")
    image = data_url(PNG, b"image/png")
    inner = data_url(b"<p>\xe9<a href=https://frames.example/1/>", b"text/html;charset=windows-1252")
    frame = b"<a href=https://example.com/dir/#x><iframe src=" + inner + b">"
    assert result.stdout_bytes == (
        b'<title>A page</title><img src=%s><img src="%s"><link rel=stylesheet href=%s><iframe src=%s></iframe>'
        b"<iframe src=about:blank></iframe><a href=https://example.com/dir/b>"
        % (
            image,
            data_url(PNG + b"2", b"image/png"),
            data_url(b"a{background:url(%s)}" % image, b"text/css;charset=utf-8"),
            data_url(frame, b"text/html;charset=utf-8"),
        )
    )


HEAD = (
    b"<!DOCTYPE html> <html data-sfz><!--\n Page saved with SingleFile \n url: https://example.com/d/ \n-->"
    b"<meta charset=windows-1252><title></title><body hidden><script>/* unpacks */</script><!--"
)
TAIL = b"--><sfz-extra-data>AQCAAAEBBYAABAHwgAA==</sfz-extra-data></body></html>"
MEMBERS = [
    Sample(
        "index.html",
        b"<img src=images/0.png><iframe src=frames/0/index.html></iframe><a href=b.html>",
        comment=b"https://example.com/d/",
    ),
    Sample("manifest.json", b"{}"),
    Sample("images/0.png", PNG, comment=b"https://example.com/d/x.png"),
    Sample("frames/0/index.html", b"<img src=images/1.png><a href=c>", comment=b"https://frames.example/f/"),
    Sample("frames/0/images/1.png", PNG + b"1"),
]


def self_extracting(tmp_path, cut=0):
    path = tmp_path / "page.zip.html"
    data = archive(MEMBERS, prefix=HEAD) + TAIL
    path.write_bytes(data[: len(data) - cut])
    return path


def test_a_page_that_unpacks_itself(tmp_path):
    found, said = unpack(self_extracting(tmp_path))
    assert [(row["path"], row["url"]) for row in rows(found)] == [
        ("index.html", "https://example.com/d/"),
        ("manifest.json", ""),
        ("images/0.png", "https://example.com/d/x.png"),
        ("frames/0/index.html", "https://frames.example/f/"),
        ("frames/0/images/1.png", ""),
        ("index-2.html", ""),
    ]
    assert found["index.html"] == (
        b"<img src=images/0.png><iframe src=frames/0/index.html></iframe><a href=https://example.com/d/b.html>"
    )
    assert found["frames/0/index.html"] == b"<img src=images/1.png><a href=https://frames.example/f/c>"
    assert found["frames/0/images/1.png"] == PNG + b"1"
    assert '<a href="frames/0/index.html">' in found["index-2.html"].decode()
    assert said.startswith("6 files, 0 problems;")
    assert said.endswith("out/index-2.html\n")


@pytest.mark.parametrize("options", [["--raw"], ["--links", "keep"]])
def test_a_page_that_unpacks_itself_as_it_is(tmp_path, options):
    found, _ = unpack(self_extracting(tmp_path), *options)
    assert {one.name: one.data for one in MEMBERS}.items() <= found.items()


def test_a_page_that_unpacks_itself_as_one_file(tmp_path):
    """The archive has no file for the links, and a data: URL is no base: so they are absolute."""
    result = run("unpack", self_extracting(tmp_path), "--single-file", "--scripts", "keep", "--output", "-")
    frame = b"<img src=%s><a href=https://frames.example/f/c>" % data_url(PNG + b"1", b"image/png")
    assert result.stdout_bytes == b"<img src=%s><iframe src=%s></iframe><a href=https://example.com/d/b.html>" % (
        data_url(PNG, b"image/png"),
        data_url(frame, b"text/html;charset=windows-1252"),
    )


RESPONSE_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=koi8-r\r\nContent-Location: /no\r\n\r\n"


def after_header(tmp_path):
    path = tmp_path / "page.html"
    path.write_bytes(RESPONSE_HEAD + b"<a href=x>\xc1</a><a href=#y>")
    return path


def test_a_page_after_its_header(tmp_path):
    found, said = unpack(after_header(tmp_path), "--url", "https://u:secret@h/d/p?q")
    assert [(row["path"], row["url"], row["charset"]) for row in rows(found)] == [
        ("h/d/p@q.html", "https://h/d/p?q", "koi8-r"),
        ("index.html", "", "utf-8"),
    ]
    assert found["h/d/p@q.html"].startswith(b'<meta charset="koi8-r"><a href=https://')
    assert found["h/d/p@q.html"].endswith(b"h/d/x>\xc1</a><a href=#y>")
    assert said.startswith("2 files, 0 problems;")
    assert "secret" not in said + found["index.html"].decode() + found["manifest.csv"].decode()


def test_a_page_after_its_header_without_a_url(tmp_path):
    found, said = unpack(after_header(tmp_path))
    assert found["part-1.html"] == b'<meta charset="koi8-r"><a href=x>\xc1</a><a href=#y>'
    assert "[no-base]" in said


@pytest.mark.parametrize("options", [["--raw"], ["--links", "keep"]])
def test_a_page_after_its_header_as_it_is(tmp_path, options):
    found, _ = unpack(after_header(tmp_path), *options)
    assert found["part-1.html"] == b"<a href=x>\xc1</a><a href=#y>"


def test_a_page_after_its_header_as_one_file(tmp_path):
    options = ["--single-file", "--scripts", "keep", "--output", "-", "--url", "https://h/d/p"]
    result = run("unpack", after_header(tmp_path), *options)
    assert result.stdout_bytes == b'<meta charset="koi8-r"><a href=https://h/d/x>\xc1</a><a href=#y>'


@pytest.mark.parametrize("kind", ["binary", "xml", "zip", "http"])
@pytest.mark.parametrize("options", [[], ["--raw"], ["--links", "keep"]])
def test_what_is_cut_off_is_a_problem(tmp_path, kind, options):
    if kind == "zip":
        path = self_extracting(tmp_path, cut=len(TAIL) + 100)
    elif kind == "http":
        path = tmp_path / "page.http"
        path.write_bytes(RESPONSE_HEAD[:-6])
    else:
        path = saved(tmp_path, plistlib.FMT_BINARY if kind == "binary" else plistlib.FMT_XML)
        path.write_bytes(path.read_bytes()[:-40])
    result = run("unpack", path, *options, "--output", tmp_path / "out")
    assert result.exit_code == 2
    assert result.stderr.count("[container-damaged]") == 1
    assert f"{path}: nothing in it can be read" in result.stderr
    assert not [one for one in (tmp_path / "out").rglob("*") if one.is_file()]
    result = run("unpack", path, "--single-file", "--output", "-")
    assert (result.exit_code, result.stdout_bytes) == (2, b"")
    assert "it has no page" in result.stderr
