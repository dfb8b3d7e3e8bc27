"""Documents that kill or hang the processes of Spark: each is a row, and nothing else is lost."""

from __future__ import annotations

import gzip

import pytest
from support.crawls import page
from support.extras import missing
from support.web_archives import INFO, http, record, zipped

pytest.importorskip("pyspark", reason=missing("pyspark"))

import pyarrow as pa

import linkfix
import linkfix.arrow
import linkfix.spark
from linkfix.spark.tables import Table, read_documents

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("poisoned_sources")]

URL = "http://poison.example/{}"
#: The poison's name -> the problem of its row.
PROBLEMS = {"kill": "process-ended", "hang": "time-limit", "fail": "document-failed", "bomb": "part-too-large"}
#: The time limit per document, in seconds.
SECONDS = 2


def poisoned(kind):
    """A record that does harm: see `support.poisoned`."""
    if kind == "bomb":
        response = http(gzip.compress(bytes(100_000_000)), "Content-Encoding: gzip", content_type="text/html")
    else:
        response = http(f"<a href=x><!-- poison: {kind} -->".encode(), content_type="text/html")
    return record(response, url=URL.format(kind))


@pytest.fixture(scope="module")
def poisoned_sources(spark):
    from support.poisoned import PoisonedLinks, PoisonedPages  # poisons this process

    spark.dataSource.register(PoisonedLinks)
    spark.dataSource.register(PoisonedPages)


@pytest.fixture
def crawl(tmp_path):
    """Makes two WARC files: healthy pages, and such with poison of these kinds among them."""

    def make(*kinds):
        pages = [page(number) for number in range(60)]
        healthy = [record(http(html, content_type="text/html"), url=url) for url, html in pages]
        among = [*healthy[:20], *(one for kind in kinds for one in (poisoned(kind), healthy.pop()))]
        (tmp_path / "poisoned.warc.gz").write_bytes(zipped(INFO, *among))
        (tmp_path / "healthy.warc.gz").write_bytes(zipped(INFO, *healthy[20:]))
        return str(tmp_path), pages

    return make


def links_of(pages):
    """The rows of one process: `tests/arrow` tests that they equal `linkfix.links`."""
    batch = pa.record_batch({"url": [url for url, _ in pages], "html": [html for _, html in pages]})
    batches = linkfix.arrow.links(batch, columns=["page", "start", "target"])
    return sorted((tuple(row.values()) for one in batches for row in one.to_pylist()), key=repr)


@pytest.mark.parametrize("kinds", [["kill"], ["hang"], ["kill", "hang", "fail", "bomb", "kill", "fail"]])
def test_each_document_is_a_row_of_pages(spark, crawl, kinds):
    path, pages = crawl(*kinds)
    found = spark.read.format("poisoned-pages").option("seconds", SECONDS).load(path).collect()
    assert sorted(row.page for row in found) == sorted([url for url, _ in pages] + [URL.format(kind) for kind in kinds])
    problems = {row.page: row.problem for row in found if row.problem}
    assert problems == {URL.format(kind): PROBLEMS[kind] for kind in kinds}
    links = {row.page: row.links for row in found}
    assert all(links[url] == len(linkfix.links(html, url)) for url, html in pages)


def test_no_link_of_another_document_is_lost(spark, crawl):
    path, pages = crawl("kill", "fail", "hang", "bomb")
    schema = "page string, start int, target string"
    found = spark.read.format("poisoned-links").schema(schema).option("seconds", SECONDS).load(path).collect()
    assert sorted(map(tuple, found), key=repr) == links_of(pages)


def test_functions_of_columns_survive_too(spark, crawl):
    path, pages = crawl("kill", "hang")
    frame = spark.read.format("linkfix-warc").load(path).select("url", "html").coalesce(1)
    assert frame.count() == len(pages) + 2
    described = frame.transform(linkfix.spark.pages, seconds=SECONDS).collect()
    assert {row.page: row.problem for row in described if row.problem} == {
        URL.format("kill"): "process-ended",
        URL.format("hang"): "time-limit",
    }
    converted = frame.transform(linkfix.spark.absolutize, seconds=SECONDS).collect()
    before = dict(pages) | {row.url: row.html for row in converted if row.problem}
    assert {row.url: row.problem for row in converted if row.problem} == {
        URL.format("kill"): "process-ended",
        URL.format("hang"): "time-limit",
    }
    assert b"poison: kill" in before[URL.format("kill")]
    for row in converted:
        if not row.problem:
            assert bytes(row.html) == linkfix.absolutize(before[row.url], row.url)


def test_a_wrong_argument_stops_a_job_in_a_child_process_too(spark):
    """A fault of the caller is no problem of a document: it is not reported once per document."""
    frame = spark.createDataFrame([("http://h/", "")], "url string, html string")
    broken = Table("pages", {"html": "nobody"})
    made = frame.mapInArrow(lambda batches: read_documents(broken, batches), "page string")
    with pytest.raises(Exception, match="no column 'nobody'"):
        made.collect()
