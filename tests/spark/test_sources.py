"""Spark itself beside one process: the same rows."""

from __future__ import annotations

import pytest
from support.crawls import archive, crawl, page
from support.extras import missing

pytest.importorskip("pyspark", reason=missing("pyspark"))

import linkfix.arrow
import linkfix.spark

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder of WARC files: plain and compressed ones, one in a folder below, one that is cut off."""
    folder = tmp_path_factory.mktemp("crawl")
    crawl(folder)
    (folder / "deep").mkdir()
    plain = archive(map(page, range(200, 230)), pack=lambda *records: b"".join(records))
    (folder / "deep/plain.warc").write_bytes(plain)
    cut = archive(map(page, range(300, 320)))
    (folder / "deep/cut.warc.gz").write_bytes(cut[: len(cut) - 100])
    return folder


def documents(folder):
    for path in sorted(folder.rglob("*.warc*")):
        yield from linkfix.arrow.warc(path)


def rows(batches):
    """The rows of a table, sorted, as Spark's order is undefined."""
    return sorted((tuple(map(plain, row.values())) for batch in batches for row in batch.to_pylist()), key=repr)


def plain(value):
    """A value, as Spark gives it too: maps, and times of the day without a time zone."""
    if isinstance(value, list):
        return dict(value)
    if isinstance(value, bytearray):
        return bytes(value)
    return value.timestamp() if hasattr(value, "timestamp") else value


def collected(frame):
    return sorted((tuple(map(plain, row)) for row in frame.collect()), key=repr)


def test_links_equal_the_links_of_one_process(spark, folder):
    expected = rows(linkfix.arrow.links(documents(folder)))
    assert len(expected) > 1500
    source = spark.read.format("linkfix-links")
    assert collected(source.load(str(folder))) == expected
    assert collected(source.option("slice_size", 3000).load(str(folder))) == expected


def test_documents_and_pages_equal_the_result_of_one_process(spark, folder):
    path = str(folder)
    assert collected(spark.read.format("linkfix-warc").load(path)) == rows(documents(folder))
    pages = rows(linkfix.arrow.pages(documents(folder)))
    assert collected(spark.read.format("linkfix-pages").load(path)) == pages
    assert [row[7] for row in pages if row[7]] == ["container-damaged"]


def test_columns_equal_the_schema(spark, folder):
    reader = spark.read.format("linkfix-links").schema("target string, page string, offset bigint, problem string")
    frame = reader.load([f"{folder}/0.warc.gz", f"{folder}/1.*"])
    batches = (batch for number in (0, 1) for batch in linkfix.arrow.warc(folder / f"{number}.warc.gz"))
    columns = ["target", "page", "problem"]
    expected = linkfix.arrow.links(batches, columns=columns, carry=["offset"])
    assert collected(frame) == rows(batch.select(["target", "page", "offset", "problem"]) for batch in expected)


def test_options_equal_the_options_of_the_library(spark, folder):
    options = {"fragments": "absolutize", "spec": "rfc3986", "lazy": True, "max_size": 600, "default_base": "x:/"}
    frame = spark.read.format("linkfix-pages").options(**options).load(str(folder))
    archives = [linkfix.arrow.warc(path, max_size=600) for path in sorted(folder.rglob("*.warc*"))]
    batches = (batch for one in archives for batch in linkfix.arrow.pages(one, **options))
    assert collected(frame) == rows(batches)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fragment": "keep"}, "unknown option fragment: use one of "),
        ({"spec": "rfc1"}, "rfc1"),
        ({"max_size": "8M"}, "max_size='8M': expected a whole number"),
        ({"lazy": "1"}, "lazy='1': expected true or false"),
        ({}, "no WARC file in "),
    ],
)
def test_a_wrong_option_has_one_clear_message(spark, tmp_path, options, message):
    with pytest.raises(Exception, match=r"InvalidOption|UnknownSpec") as caught:
        spark.read.format("linkfix-links").schema("page string").options(**options).load(str(tmp_path)).collect()
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("schema", "message"),
    [("nobody string", "no column 'nobody'"), ("start string", "the column start is int, not string")],
)
def test_a_wrong_schema_has_one_clear_message(spark, folder, schema, message):
    with pytest.raises(Exception, match=message):
        spark.read.format("linkfix-links").schema(schema).load(str(folder)).collect()


def test_functions_of_columns_equal_the_result_of_one_process(spark, folder):
    frame = spark.read.format("linkfix-warc").load(str(folder)).withColumnRenamed("html", "the body")
    renamed = [
        batch.rename_columns([{"html": "the body"}.get(name, name) for name in batch.schema.names])
        for batch in documents(folder)
    ]
    columns = ["page", "element", "target"]
    made = frame.transform(linkfix.spark.links, columns=columns, carry=["status", "date"], html="the body")
    expected = linkfix.arrow.links(renamed, columns=columns, carry=["status", "date"], html="the body")
    assert collected(made) == rows(expected)
    made = frame.transform(linkfix.spark.pages, columns=["page", "problems", "problem"], html="the body")
    assert collected(made) == rows(
        linkfix.arrow.pages(renamed, columns=["page", "problems", "problem"], html="the body")
    )
    made = frame.transform(linkfix.spark.absolutize, html="the body", base_element="remove")
    assert collected(made) == rows(linkfix.arrow.absolutize(renamed, html="the body", base_element="remove"))


def test_a_function_adds_the_column_of_problems(spark):
    frame = spark.createDataFrame([("http://h/a/", "<a href=x>"), ("http://h/", None)], "url string, html string")
    made = collected(frame.transform(linkfix.spark.absolutize))
    assert made == [("http://h/", None, "document-missing"), ("http://h/a/", "<a href=http://h/a/x>", None)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"columns": ["nobody"]}, "no column 'nobody'"),
        ({"html": "body"}, "no column 'body'"),
        ({"carry": ["body"]}, "no column 'body'"),
        ({"carry": ["page"]}, "two columns 'page'"),
        ({"spec": "rfc1"}, "rfc1"),
        ({"default_base": "x"}, "'x'"),
    ],
)
def test_a_wrong_argument_is_found_before_the_job(spark, arguments, message):
    frame = spark.createDataFrame([("http://h/", "", "")], "url string, html string, page string")
    with pytest.raises(linkfix.LinkfixError, match=message):
        frame.transform(linkfix.spark.links, **arguments)


@pytest.mark.parametrize("table", ["warc", "links", "pages"])
def test_files_that_spark_reads(spark, folder, table):
    """Through Hadoop's file systems: the same rows, except for the names of the files, and for slices."""
    columns = [name for name in spark.read.format(f"linkfix-{table}").load(str(folder)).columns if name != "file"]
    read = linkfix.spark.read(spark, table, f"file:{folder}", columns=columns)
    assert collected(read) == collected(spark.read.format(f"linkfix-{table}").load(str(folder)).select(columns))


def test_files_that_spark_reads_have_their_urls(spark, folder):
    read = linkfix.spark.read(spark, "warc", [f"{folder}/*.warc.gz", f"{folder}/deep/plain.warc"], columns=["file"])
    names = {row.file.rpartition("/")[2] for row in read.collect()}
    assert names == {"0.warc.gz", "1.warc.gz", "2.warc.gz", "plain.warc"}
    assert all(row.file.startswith("file:/") for row in read.collect())


@pytest.mark.parametrize(
    ("table", "arguments", "message"),
    [
        ("link", {}, "no table 'link': use one of warc, links, pages"),
        ("warc", {"spec": "rfc3986"}, "spec: this option is for the table of links, not for the table of documents"),
        ("links", {"columns": ["nobody"]}, "no column 'nobody'"),
        ("links", {"max_size": -1}, "max_size"),
        ("links", {}, "no WARC file in "),
    ],
)
def test_files_that_spark_must_not_read(spark, tmp_path, table, arguments, message):
    with pytest.raises(linkfix.LinkfixError, match=message):
        linkfix.spark.read(spark, table, str(tmp_path), **arguments)


def test_rows_are_not_filtered_by_the_source(spark, folder):
    frame = spark.read.format("linkfix-links").load(str(folder))
    expected = [row[6:7] for row in rows(linkfix.arrow.links(documents(folder))) if row[1] == "img"]
    assert collected(frame.where("element = 'img'").select("target")) == sorted(expected, key=repr)
