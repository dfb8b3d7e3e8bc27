"""docs/servers.md: its blocks are parts of the examples, which run."""

from __future__ import annotations

import runpy
import shutil
import subprocess
import sys
from types import ModuleType, SimpleNamespace

import httpx
import pytest
from support.documentation import blocks, examples_with
from support.extras import needed
from support.paths import CHECKOUT
from support.running import ENVIRONMENT
from support.scraped_site import PAGES, serving

import linkfix

EXAMPLES = CHECKOUT / "examples" / "servers"
ADDON = EXAMPLES / "mitmproxy_addon.py"
#: Of the page's links in the examples.
MADE = "<a href=https://example.com/docs/next>next page</a>"


def test_every_block_is_a_part_of_one_example():
    shown = [path for block in blocks(CHECKOUT / "docs" / "servers.md", "python") for path in examples_with(block)]
    assert sorted(shown) == sorted(EXAMPLES.glob("*.py"))


def test_starlette():
    needed("starlette")
    app = runpy.run_path(str(EXAMPLES / "starlette_site.py"))["app"]
    from starlette.testclient import TestClient

    assert TestClient(app).get("/docs/page").text == MADE


def test_flask():
    needed("flask")
    app = runpy.run_path(str(EXAMPLES / "flask_site.py"))["app"]
    assert app.test_client().get("/docs/page").text == MADE


def test_a_proxy_with_a_prefix():
    needed("flask")
    site = runpy.run_path(str(EXAMPLES / "prefixed_site.py"))["site"]
    with httpx.Client(transport=httpx.WSGITransport(site), base_url="http://any.example") as client:
        text = client.get("/docs/page").text
        moved = client.get("/docs/page/", follow_redirects=False)
    assert text == "<a href=https://example.com/shop/docs/next>next page</a> <a href=https://other.example/>other</a>"
    assert moved.status_code == 404


class Fields(dict):
    """The part of mitmproxy's `Headers` that the add-on uses."""

    def items(self, multi=False):
        assert multi
        return super().items()


class Answer(SimpleNamespace):
    """The part of mitmproxy's `Response` that the add-on uses."""

    def get_content(self, strict=True):
        assert not strict
        return self.content


def answer_of(body, **headers):
    return Answer(content=body, headers=Fields(headers))


@pytest.fixture
def addon(monkeypatch):
    """The add-on's function, without mitmproxy, which needs an environment of its own."""
    flow = ModuleType("mitmproxy.http")
    flow.HTTPFlow = object
    monkeypatch.setitem(sys.modules, "mitmproxy", ModuleType("mitmproxy"))
    monkeypatch.setitem(sys.modules, "mitmproxy.http", flow)
    response = runpy.run_path(str(ADDON))["response"]
    return lambda answer: response(SimpleNamespace(response=answer, request=SimpleNamespace(pretty_url="http://h/a/")))


def test_the_add_on_changes_pages(addon):
    answer = answer_of(b"<a href=x>", **{"content-type": "text/html", "etag": '"a"', "date": "today"})
    addon(answer)
    assert answer.content == b"<a href=http://h/a/x>"
    assert answer.headers == {"content-type": "text/html", "date": "today"}


def test_the_add_on_leaves_all_else(addon):
    addon(None)
    for answer in (
        answer_of(None, etag='"a"'),
        answer_of(b"<a href=x>", **{"content-type": "text/plain", "etag": '"a"'}),
        answer_of(b"<a href=http://x/>", **{"content-type": "text/html", "etag": '"a"'}),
    ):
        body = answer.content
        addon(answer)
        assert answer.content is body
        assert answer.headers["etag"] == '"a"'


@pytest.mark.slow
def test_mitmproxy(tmp_path):
    """With the program, where it is installed: its requirements do not go with those of the tests."""
    program = shutil.which("mitmdump")
    if program is None:
        pytest.skip("mitmdump is not installed: pipx install mitmproxy && pipx inject mitmproxy linkfix")
    environment = ENVIRONMENT | {"HOME": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    command = [program, "-s", ADDON, "--listen-host", "127.0.0.1", "--listen-port", "0", "--set", f"confdir={tmp_path}"]
    with serving() as site, subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            line = next(line for line in process.stdout if "listening at" in line)
            proxy = f"http://127.0.0.1:{line.strip().rstrip('.').rpartition(':')[2]}"
            with httpx.Client(proxy=proxy, trust_env=False) as client:
                pages = {path: client.get(site.url + path) for path in ("/base-late/page", "/windows-1251/meta")}
        finally:
            process.kill()
    for path, page in pages.items():
        links = linkfix.links(page.content, str(page.url))
        assert [link.reference for link in links if link.role != "base"] == PAGES[path].absolute_targets(site.url)
