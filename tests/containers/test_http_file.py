"""Pages after their HTTP headers, as `wget --save-headers` and `curl -i` write them."""

from __future__ import annotations

import gzip

import pytest
from support.running import run
from support.running_containers import codes, nothing, read, rewritten

from linkfix import Document, Envelope
from linkfix.containers import Limits, container, recognise

http = container("http")

HEAD = (
    b"HTTP/1.0 200 OK\r\nServer: x\r\nContent-Type: text/html; charset=koi8-r\r\nContent-Length: 15\r\n"
    b"Content-Location: /c/loc.html\r\n\r\n"
)
PAGE = b"<a href=x>\xc1</a>"
NEW = b"<a href=http://h/d/x>\xc1</a>"
WHOLE = Envelope("http://h/d/")


def absolute(part):
    return Document(part.data, envelope=part.envelope).convert().data


def test_the_body_is_the_part():
    (part,), problems = read(http, HEAD + PAGE, envelope=WHOLE)
    assert (part.name, part.data, part.media_type) == ("body", PAGE, "text/html")
    assert (part.envelope.url, part.envelope.charset, part.envelope.parent) == (None, "koi8-r", WHOLE)
    assert problems == []


@pytest.mark.parametrize(
    "head",
    [
        HEAD,
        HEAD.replace(b"\r\n", b"\n"),
        b"HTTP/2 200 \r\ncontent-type: text/html\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 301 Moved\r\nLocation: /d/\r\n\r\nHTTP/1.1 302 Found\r\n\r\n" + HEAD,
        HEAD.replace(b"Server: x", b"Transfer-Encoding: chunked\r\nContent-Encoding: gzip"),
        HEAD.replace(b"200", b"404"),
    ],
)
def test_only_bytes_after_the_header_change(head):
    assert recognise(head + PAGE, "page.html") == "http"
    made, problems = rewritten(http, head + PAGE, absolute, envelope=WHOLE)
    assert (made, problems) == (head + NEW, [])
    assert rewritten(http, head + PAGE, nothing) == (head + PAGE, [])


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n", "container-damaged"),
        (b"HTTP/1.1 200 OK\r\nA: " + b"x" * 70_000 + b"\r\n\r\n" + PAGE, "container-damaged"),
        (HEAD.replace(b"200", b"206") + PAGE, "response-partial"),
        (HEAD + gzip.compress(PAGE), "part-encoding"),
        (HEAD.replace(b"Server: x", b"Content-Encoding: gzip") + gzip.compress(PAGE), "part-encoding"),
    ],
)
def test_what_is_left_alone(data, code):
    parts, problems = read(http, data)
    assert (parts, codes(problems)) == ([], [code])
    made, problems = rewritten(http, data, absolute, envelope=WHOLE)
    assert (made, codes(problems)) == (data, [code])


def test_limits():
    assert codes(read(http, HEAD + PAGE, limits=Limits(part=10))[1]) == ["part-too-large"]
    assert codes(read(http, HEAD + PAGE, limits=Limits(total=10))[1]) == ["total-too-large"]


def test_a_header_without_a_body():
    assert read(http, HEAD) == ([], [])
    assert rewritten(http, HEAD, absolute) == (HEAD, [])


def test_the_content_tells_an_unknown_type():
    (part,), _ = read(http, b"HTTP/1.1 200 OK\r\n\r\n<!doctype html><p>")
    assert part.media_type == "text/html"


@pytest.mark.parametrize(
    "head",
    [b"HTTP/1.1 is a protocol\n", b"HTTP/1.1 200 OK", b"HTTP/1.1 200 OK\nand text\n", b"GET / HTTP/1.1\n\n", PAGE],
)
def test_other_files(head):
    assert recognise(head, "page.html") == ""


class TestMirror:
    @pytest.fixture
    def folder(self, tmp_path):
        folder = tmp_path / "in/www.example.com"
        (folder / "d").mkdir(parents=True)
        for name in ("d/page", "d/page.html", "d/a.php", "index.html"):
            (folder / name).write_bytes(HEAD + PAGE)
        (folder / "d/i.png").write_bytes(HEAD.replace(b"text/html", b"image/png") + b"\x89PNG")
        return tmp_path / "in"

    @pytest.mark.parametrize("layout", ["auto", "wget"])
    def test_the_names_tell_the_urls(self, folder, tmp_path, layout):
        made = run("absolutize", folder, "--layout", layout, "--output", tmp_path / "out")
        assert made.exit_code == 0
        out = tmp_path / "out/www.example.com"
        for name in ("d/page", "d/page.html", "d/a.php"):
            assert (out / name).read_bytes() == HEAD + b"<a href=http://www.example.com/d/x>\xc1</a>", name
        assert (out / "index.html").read_bytes() == HEAD + b"<a href=http://www.example.com/x>\xc1</a>"
        assert (out / "d/i.png").read_bytes() == (folder / "www.example.com/d/i.png").read_bytes()

    def test_other_urls(self, folder):
        path = folder / "www.example.com/d/page"
        for options, url in (
            (["--url", "http://a/b/"], "http://a/b/x"),
            (["--layout", "wget"], "http://www.example.com/d/x"),
        ):
            assert f"page!body:1:9 a[href] x -> {url}" in run("links", path, *options).stdout
        shown = run("links", folder, "--root-url", "http://r/").stdout
        assert "page!body:1:9 a[href] x -> http://r/www.example.com/d/x" in shown

    def test_standard_input(self):
        made = run("absolutize", "-", "--url", "http://h/d/", stdin=HEAD + PAGE)
        assert made.stdout_bytes == HEAD + NEW
