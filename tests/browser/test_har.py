"""A HAR that Chromium's traffic was recorded in works after its conversion: Playwright records and replays it."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from support.browser.engines import require_chromium
from support.extras import missing
from support.running import run
from support.running_containers import codes, rewritten

pytest.importorskip("playwright", reason=missing("playwright"))

from playwright.sync_api import sync_playwright

from linkfix import Document
from linkfix.containers import container

har = container("har")

pytestmark = pytest.mark.browser

PAGE = '<!doctype html><meta charset=utf-8><p>é</p><a href="b.html">x</a>\n'.encode()


class Site(BaseHTTPRequestHandler):
    """The page, in gzip at /d/gzip, with header fields that describe it."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        is_coded = self.path.endswith("gzip")
        body = gzip.compress(PAGE) if is_coded else PAGE
        digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
        fields = {"Content-Type": "text/html", "ETag": '"1"', "Repr-Digest": f"sha-256=:{digest}:"}
        self.send_response(200)
        for name, value in (fields | ({"Content-Encoding": "gzip"} if is_coded else {})).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Nothing is printed."""


@pytest.fixture
def url():
    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/d/"
        server.shutdown()


@pytest.mark.parametrize("name", ["x.zip", "x.har.zip", "x.har"])
def test_a_converted_har_with_attached_bodies_is_replayed(url, tmp_path, name):
    recorded = tmp_path / name
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=require_chromium()) as browser:
        context = browser.new_context(record_har_path=recorded, record_har_content="attach")
        page = context.new_page()
        for path in ("plain", "gzip"):  # one content, and so one file
            page.goto(url + path).body()
        context.close()
        made = tmp_path / f"made{recorded.suffix}"
        assert run("absolutize", recorded, "--output", made).exit_code == 0
        replay = browser.new_context().new_page()
        replay.route_from_har(made, not_found="abort")
        for path in ("plain", "gzip"):
            replay.goto(url + path)
            assert replay.locator("p").text_content() == "é"
            assert replay.locator("a").get_attribute("href") == url + "b.html"


def test_a_converted_har_is_replayed(url, tmp_path):
    recorded, made = tmp_path / "recorded.har", tmp_path / "made.har"
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=require_chromium()) as browser:
        context = browser.new_context(record_har_path=recorded, record_har_content="embed")
        page = context.new_page()
        for name in ("plain", "gzip"):
            page.goto(url + name).body()  # the recorder has it then, on a loaded machine too
        context.close()
        entries = json.loads(recorded.read_bytes())["log"]["entries"]
        assert ["<p>" in entry["response"]["content"].get("text", "") for entry in entries] == [True, True]
        data, problems = rewritten(
            har, recorded.read_bytes(), lambda part: Document(part.data, envelope=part.envelope).convert().data
        )
        made.write_bytes(data)
        replay = browser.new_context().new_page()
        replay.route_from_har(made, not_found="abort")
        for name in ("plain", "gzip"):
            replay.goto(url + name)
            assert replay.locator("p").text_content() == "é"
            assert replay.locator("a").get_attribute("href") == url + "b.html"
    plain, coded = (entry["response"] for entry in json.load(io.BytesIO(data))["log"]["entries"])
    fields = {field["name"].lower(): field["value"] for field in plain["headers"]}
    new = plain["content"]["text"].encode()
    assert fields["content-length"] == str(len(new))
    assert fields["repr-digest"] == f"sha-256=:{base64.b64encode(hashlib.sha256(new).digest()).decode()}:"
    assert plain["content"]["size"] == len(new)
    assert not {"etag", "content-length", "repr-digest"} & {field["name"].lower() for field in coded["headers"]}
    assert codes(problems) == ["digest-unknown"]
