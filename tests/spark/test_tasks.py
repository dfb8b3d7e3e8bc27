"""The first attempt of a task and later ones, without Spark."""

from __future__ import annotations

import io
import signal
import time

import pytest
from support.extras import missing

pytest.importorskip("pyspark", reason=missing("pyspark"))

import pyarrow as pa
import support.isolated_tables
from support.warc_files import warc_record

import linkfix.arrow
from linkfix.spark import tables
from linkfix.spark.tables import Table

needs_clock = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no such clock")


class Context:
    """The part of a task's context that is asked for."""

    def __init__(self, attempt):
        self._attempt = attempt

    def attemptNumber(self):  # noqa: N802 - Spark's name
        return self._attempt


@pytest.fixture
def attempt(monkeypatch):
    """Says which attempt the task is; None: that there is no task."""

    def say(number):
        monkeypatch.setattr(tables.TaskContext, "get", lambda: None if number is None else Context(number))

    return say


def documents(*htmls):
    return pa.record_batch({"url": [f"http://h/{n}" for n in range(len(htmls))], "html": pa.array(htmls, pa.binary())})


def rows(batches):
    return [row for batch in batches for row in batch.to_pylist()]


HTMLS = [b"<a href=x>" * (number % 3) for number in range(200)]


@pytest.mark.parametrize("seconds", [60, None])
@pytest.mark.parametrize("number", [None, 0, 1])
@pytest.mark.parametrize("name", ["links", "pages", "absolutize"])
def test_every_attempt_has_the_same_rows(attempt, name, number, seconds):
    attempt(number)
    batches = [documents(*HTMLS[:130]), documents(*HTMLS[130:])]
    expected = rows(getattr(linkfix.arrow, name)(batches))
    assert rows(tables.read_documents(Table(name, {"seconds": seconds}), batches)) == expected


@needs_clock
def test_a_first_attempt_is_timed_while_it_reads_documents_and_no_longer(attempt, monkeypatch):
    attempt(0)
    noted = []
    monkeypatch.setattr(signal, "setitimer", lambda _which, seconds: noted.append(seconds))

    def given():
        noted.append("read")
        yield documents(*HTMLS[:65])
        noted.append("read")

    made = tables.read_documents(Table("links", {"seconds": 3, "columns": ["target"]}), given())
    noted.extend("rows" for _ in made)
    assert noted.count("read") == 2
    assert set(noted) - {"read", "rows"} == {0, 6}
    clock = 0
    for one in noted:
        assert not (isinstance(one, str) and clock), noted
        clock = clock if isinstance(one, str) else one
    assert clock == 0


@needs_clock
@pytest.mark.parametrize("carry", [[], ["file"]])
def test_reading_a_warc_file_is_not_timed(attempt, monkeypatch, carry):
    """Its documents are, one by one; where something is carried, in slices of batches."""
    attempt(0)
    monkeypatch.setattr("linkfix.arrow.batches.BATCH_BYTES", 1 << 20)
    noted = []
    monkeypatch.setattr(signal, "setitimer", lambda _which, seconds: noted.append(seconds))

    class Source(io.BytesIO):
        def read(self, size=-1):
            noted.append("read")
            return super().read(size)

    page = b"<a href=x>" + bytes(400_000)
    source = Source(b"".join(warc_record(f"http://h/{number}", page) for number in range(10)))
    keywords = {"seconds": 3, "columns": ["target"], **({"carry": carry} if carry else {})}
    found = rows(tables.read_documents(Table("links", keywords), linkfix.arrow.warc(source)))
    assert [row["target"] for row in found] == ["http://h/x"] * 10
    assert noted.count("read") > 3
    assert noted.count(6) >= (5 if carry else 10)
    clock = 0
    for one in noted:
        assert not (one == "read" and clock), noted
        clock = clock if one == "read" else one
    assert clock == 0


@needs_clock
def test_the_clock_stops_while_no_row_is_read(attempt):
    attempt(0)
    made = tables.read_documents(Table("links", {"seconds": 3}), [documents(*HTMLS)])
    next(made)
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    made.close()
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


@needs_clock
def test_a_clock_of_another_program_is_unchanged(attempt):
    attempt(0)
    before = signal.signal(signal.SIGALRM, lambda *_: None)
    try:
        assert len(rows(tables.read_documents(Table("links", {}), [documents(*HTMLS)]))) == 199
        assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    finally:
        signal.signal(signal.SIGALRM, before)


LOST = {
    "links": [],
    "pages": [("process-ended", "signal 9")],
    "absolutize": [("process-ended", b"kill")],
}


@pytest.mark.parametrize("name", LOST)
def test_a_document_that_ends_its_process_is_lost_alone(attempt, name):
    attempt(1)
    table = support.isolated_tables.DeadlyTable(name, {"seconds": 60})
    batch = documents(b"<a href=x>", b"kill", b"<a href=y>")
    made = rows(tables.read_documents(table, [batch]))
    healthy = [batch.take([0]), batch.take([2])]
    assert [row for row in made if row["problem"] is None] == rows(getattr(linkfix.arrow, name)(healthy))
    lost = [(row["problem"], row.get("detail") or row.get("html")) for row in made if row["problem"]]
    assert lost == LOST[name]


@pytest.mark.slow
def test_a_document_that_takes_too_long_is_lost_alone(attempt):
    attempt(1)
    start = time.monotonic()
    table = support.isolated_tables.DeadlyTable("pages", {"seconds": 1})
    made = rows(tables.read_documents(table, [documents(b"hang", b"<a href=y>")]))
    assert [(row["problem"], row["links"]) for row in made] == [("time-limit", 0), (None, 1)]
    assert made[0]["page"] == "http://h/0"
    assert time.monotonic() - start < 30


def test_a_lost_document_has_its_problem_in_the_columns_that_the_caller_names(attempt):
    attempt(1)
    batch = documents(b"kill").rename_columns(["url", "body"]).append_column("why", pa.array([None], pa.string()))
    fields = {"html": "body", "problem": "why", "seconds": 60}
    table = support.isolated_tables.DeadlyTable("absolutize", fields)
    (row,) = rows(tables.read_documents(table, [batch]))
    assert row == {"url": "http://h/0", "body": b"kill", "why": "process-ended"}
    (row,) = rows(tables.read_documents(support.isolated_tables.DeadlyTable("pages", fields), [batch]))
    assert (row["problem"], row["detail"], row["page"]) == ("process-ended", "signal 9", "http://h/0")
