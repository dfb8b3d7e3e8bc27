"""An encoding that Scrapy inferred is not taken for one that the server or the caller gave."""

from __future__ import annotations

import pytest
from scrapy import Request
from scrapy.extensions.httpcache import FilesystemCacheStorage
from scrapy.http import HtmlResponse
from scrapy.settings import Settings
from scrapy.spiders import Spider
from scrapy.utils.test import get_crawler

from linkfix.hooks.scrapy import LinkfixMiddleware

URL = "http://h.example/page"
HTML = {"Content-Type": "text/html"}
#: Scrapy infers an encoding from the bytes; browsers go by the byte order mark, the meta, or the default.
BODIES = {
    "nothing": "<a href='?q=é'>".encode("windows-1252"),
    "ASCII": b"<a href=x>",
    "meta": b"<meta charset=windows-1251><a href='?q=\xe9'>",
    "late meta": b"<!--" + b" " * 1100 + b"--><meta charset=windows-1251><a href='?q=\xe9'>",
}


def outcome(response):
    return LinkfixMiddleware().process_response(Request(URL), response).linkfix


def replaced(response, _):
    return response.replace(status=201)


def replaced_twice(response, _):
    return response.replace(flags=["a"]).replace(body=response.body)


def from_dictionary(response, _):
    from scrapy.http import Response  # noqa: F401
    from scrapy.utils.misc import load_object

    made = response.to_dict()
    return load_object(made.pop("_class", HtmlResponse))(**made)


def from_cache(response, folder):
    storage = FilesystemCacheStorage(Settings({"HTTPCACHE_DIR": str(folder)}))
    spider = Spider.from_crawler(get_crawler(Spider), name="s")
    storage.open_spider(spider)
    storage.store_response(spider, Request(URL), response)
    return storage.retrieve_response(spider, Request(URL))


AS_DICTIONARY = pytest.param(
    from_dictionary, marks=pytest.mark.skipif(not hasattr(HtmlResponse, "to_dict"), reason="Scrapy has it since 2.19")
)


@pytest.mark.parametrize("way", [replaced, replaced_twice, AS_DICTIONARY, from_cache])
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_an_inferred_encoding_is_not_an_explicit_encoding(way, body, tmp_path):
    fresh = outcome(HtmlResponse(URL, headers=HTML, body=body))
    response = way(HtmlResponse(URL, headers=HTML, body=body), tmp_path)
    found = outcome(response)
    assert found.document.encoding == fresh.document.encoding
    assert found.document.encoding.source != "transport"
    assert found.body == fresh.body


@pytest.mark.parametrize("way", [replaced, AS_DICTIONARY])
def test_a_given_encoding_stays_given(way, tmp_path):
    response = HtmlResponse(URL, headers=HTML, body="<a href='?q=й'>".encode("koi8-r"), encoding="koi8-r")
    found = outcome(way(response, tmp_path))
    assert (found.document.encoding.name, found.document.encoding.source) == ("koi8-r", "transport")
