"""A faulty document, or one over the limits, costs no other document anything."""

from __future__ import annotations

import subprocess
import sys

import pyarrow as pa
import pytest
from support.growth import processor_limit
from support.memory import peak_growth
from support.running import ENVIRONMENT
from support.warc_files import warc_record

import linkfix
import linkfix.arrow
from linkfix.arrow import reading
from linkfix.document.budget import Budget, LinksTooLarge, OverBudget

GOOD = b"<a href=x>"


def rows(batches):
    return [row for batch in batches for row in batch.to_pylist()]


def between(html):
    """A batch of three rows; the middle one is this document."""
    return pa.record_batch({"url": ["http://h/a", "http://h/b", "http://h/c"], "html": [GOOD, html, GOOD]})


def problems(html, **fields):
    batch = between(html)
    given = []
    found = rows(linkfix.arrow.links(batch, on_pages=given.append, **fields))
    described = rows(given)
    assert described == rows(linkfix.arrow.pages(batch, **fields))
    assert [row["problem"] for row in described][::2] == [None, None]
    if described[1]["problem"] is not None:
        assert [row["page"] for row in found] == ["http://h/a", "http://h/c"]
        assert described[1]["links"] == 0
    return described[1]["problem"], described[1]["detail"]


SLOW = {
    "links": "<a href='\t{}'>",
    "css": "<style>{}</style>",
    "srcset": "<img srcset='{}'>",
    "srcdoc": "<iframe srcdoc='{}'>",
}
PIECES = {"links": "<a href='//é%d'>", "css": "url(é%d)", "srcset": "é%d %dw,", "srcdoc": "<a href=é%d>"}


@pytest.mark.slow
@pytest.mark.growth
@pytest.mark.parametrize("kind", SLOW)
def test_the_time_limit_is_checked_between_links_and_in_long_values(kind):
    piece = PIECES[kind]
    pieces = "".join(piece % ((number,) * piece.count("%d")) for number in range(100_000))
    html = (pieces if kind == "links" else SLOW[kind].format(pieces)).encode()
    with processor_limit(20):  # plain and with coverage: 7, and 40 without the limit
        assert problems(html, seconds=0.2) == ("time-limit", "0.2 s")


def problem_of_markdown(piece):
    """The problem of a page of 1.5 MB of Markdown."""
    text = (piece * (1_500_000 // len(piece))).encode()[:1_500_000]
    batch = pa.record_batch({"url": ["http://h/a.md"], "html": [text], "media_type": ["text/markdown"]})
    with processor_limit(20):  # plain and with coverage: 8
        [page] = rows(linkfix.arrow.pages(batch, seconds=0.2))
    return page["problem"], page["detail"]


@pytest.mark.slow
@pytest.mark.growth
@pytest.mark.parametrize("piece", ["[a](b)", "word [x](y) `c`\n\n"])
def test_the_time_limit_is_checked_between_links_of_markdown(piece):
    """The whole of each takes a second and more."""
    assert problem_of_markdown(piece) == ("time-limit", "0.2 s")


@pytest.mark.slow
@pytest.mark.growth
@pytest.mark.parametrize("piece", ["[", "- a b c d e f g h i j k l m\n"])
def test_markdown_without_links_is_read_to_its_end(piece):
    assert problem_of_markdown(piece) == (None, None)


def test_a_base_that_would_be_in_each_link_is_too_much(monkeypatch):
    monkeypatch.setattr(reading, "ROWS", 1 << 20)
    base = b"<base href='http://h/" + b"x" * 10_000 + b"/'>"
    assert problems(base + GOOD * 10) == (None, None)
    problem, detail = problems(base + GOOD * 5000)
    assert problem == "links-too-large"
    assert "characters, more than" in detail
    (found,) = linkfix.arrow.absolutize(between(base + GOOD * 5000))
    assert found["problem"].to_pylist() == [None, "links-too-large", None]
    assert found["html"][1].as_py() == base + GOOD * 5000


@pytest.mark.parametrize("piece", [b"<a href='x y%d'>", b"<a href='\xc3\xa9%d'>", b"<p style='a:url(\\66 %d)'>"])
def test_targets_made_one_by_one_are_counted(monkeypatch, piece):
    """They are in memory before any row is."""
    monkeypatch.setattr(reading, "TARGETS", 1 << 20)
    base = b"<base href='http://h/" + b"x" * 10_000 + b"/'>"
    problem, detail = problems(base + b"".join(piece % number for number in range(2000)))
    assert problem == "links-too-large"
    assert "characters of targets" in detail


@pytest.mark.parametrize(
    "html",
    [
        b"<table>" * 100_000,
        b"<svg>" * 100_000 + b"<a href=x>",
        b"<a " + b"a=b " * 100_000,
        b"\x00" * 100_000,
        b"<iframe srcdoc='" * 5000,
        b"<base href='" + b"x" * 1_000_000,
        b"<meta charset=utf-16>" + bytes(range(256)) * 100,
        b"\xff\xfe" + bytes(range(256)) * 101 + b"\x00",
    ],
    ids=range(8),
)
def test_hostile_documents_do_not_affect_others(html):
    assert problems(html)[0] is None


def test_problems_of_the_row_are_counted():
    batch = pa.record_batch(
        {
            "url": ["http://h/", None],
            "html": [b"<a href=x>", None],
            "problem": ["digest-wrong", "part-too-large"],
            "detail": ["a", "more than there is"],
        }
    )
    one, other = rows(linkfix.arrow.pages(batch))
    assert (one["problem"], dict(one["problems"])) == (None, {"digest-wrong": 1})
    assert (other["problem"], other["detail"]) == ("part-too-large", "more than there is")


def test_an_unrelated_problem_column_is_kept():
    batch = pa.record_batch({"url": ["http://h/"], "html": [GOOD], "problem": [7], "detail": [[1]]})
    assert len(rows(linkfix.arrow.links(batch))) == 1
    with pytest.raises(linkfix.InvalidOption, match="cannot hold problems"):
        rows(linkfix.arrow.absolutize(batch))
    (found,) = linkfix.arrow.absolutize(batch, problem="fault")
    assert found.to_pylist()[0]["problem"] == 7
    assert found.to_pylist()[0]["fault"] is None


def test_text_that_is_not_utf_8_is_a_problem_of_its_row():
    bad = pa.Array.from_buffers(pa.string(), 2, pa.array([b"<a href=x>", b"<a href=\xff>"]).buffers())
    batch = pa.record_batch({"url": ["http://h/", "http://h/"], "html": bad})
    assert [row["problem"] for row in rows(linkfix.arrow.pages(batch))] == [None, "column-type"]
    (made,) = linkfix.arrow.absolutize(batch)
    assert made["problem"].to_pylist() == [None, "column-type"]
    batch = pa.record_batch({"url": bad, "html": [GOOD, GOOD]})
    assert [row["problem"] for row in rows(linkfix.arrow.pages(batch, problem=None))] == [None, "column-type"]


@pytest.mark.parametrize(
    "type_", [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()]
)
def test_documents_of_every_type_are_read(type_):
    html = pa.array(["<a href=x>", None], pa.string()).cast(pa.binary() if "binary" in str(type_) else pa.string())
    html = html.cast(type_)
    for column in (html, html.dictionary_encode()) if "view" not in str(type_) else (html,):
        batch = pa.record_batch({"url": ["http://h/", None], "html": column})
        assert [row["target"] for row in rows(linkfix.arrow.links(batch))] == ["http://h/x"]
        (made,) = linkfix.arrow.absolutize(batch)
        assert made.schema == linkfix.arrow.absolutized_schema(batch.schema)
        assert made["html"].cast(pa.binary()).to_pylist() == [b"<a href=http://h/x>", None]


def test_batches_have_bounded_size_for_any_documents(monkeypatch):
    monkeypatch.setattr("linkfix.arrow.tables.BATCH_ROWS", 7)
    monkeypatch.setattr("linkfix.arrow.tables.BATCH_BYTES", 1000)
    html = [b"<a href=x>" * count for count in (1, 0, 20, 3)] + [b"<a href='" + b"x" * 3000 + b"'><a href=y>"]
    data = {"url": [f"http://h/{n}" for n in range(5)], "html": html, "n": [[n] for n in range(5)]}
    batches = [
        pa.record_batch({name: pa.array(values)[at : at + 2] for name, values in data.items()}) for at in (0, 2, 4)
    ]
    found = list(linkfix.arrow.links(iter(batches), columns=["page", "target"], carry=["n"]))
    assert max(batch.num_rows for batch in found) <= 7
    assert [row["n"] for row in rows(found)] == [[0]] + [[2]] * 20 + [[3]] * 3 + [[4]] * 2
    assert [row["page"][-1] for row in rows(found)] == [str(row["n"][0]) for row in rows(found)]
    assert rows(found) == rows(
        linkfix.arrow.links(pa.Table.from_batches(batches), columns=["page", "target"], carry=["n"])
    )


def test_carried_columns_may_change_type():
    batches = [pa.record_batch({"url": ["http://h/"], "html": [GOOD], "n": value}) for value in ([1], ["a"], ["b"])]
    found = list(linkfix.arrow.links(batches, columns=["page"], carry=["n"]))
    assert [batch["n"].to_pylist() for batch in found] == [[1], ["a", "b"]]


def test_a_budget_is_spent():
    budget = Budget(None, 10)
    budget.spend("x" * 10)
    budget.spend(None)
    with pytest.raises(LinksTooLarge):
        budget.spend("x")
    with pytest.raises(OverBudget, match="1e-09 s"):
        Budget(1e-9, 10).spend("")


@pytest.mark.parametrize("module", ["linkfix.arrow", "linkfix.arrow.tables"])
def test_without_pyarrow_the_extra_is_named(module):
    program = (
        f"import sys; sys.modules['pyarrow'] = None\ntry: import {module}\nexcept ImportError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, env=ENVIRONMENT, text=True)
    assert done.stdout == "linkfix.arrow needs pyarrow: pip install 'linkfix[arrow]'\n"


def test_pyarrow_is_not_imported_before_it_is_needed():
    program = "import sys, linkfix.cli.links; print('pyarrow' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, env=ENVIRONMENT, text=True)
    assert done.stdout == "False\n"


@pytest.mark.slow
@pytest.mark.growth
def test_memory_does_not_grow_with_the_number_of_documents(tmp_path):
    """Ten times as large a WARC file takes hardly more memory."""
    page = b"<a href=x>".join(b"text %d" % n for n in range(3000))
    for name, count in (("small", 300), ("large", 3000)):
        with (tmp_path / f"{name}.warc").open("wb") as file:
            for number in range(count):
                file.write(warc_record(f"http://h/{number}", page))
    commands = [
        ["links", str(tmp_path / f"{name}.warc"), "--output", str(tmp_path / f"{name}.parquet"), "--jobs", "1"]
        for name in ("small", "large")
    ]
    bound = 30 << 20
    assert peak_growth(*commands, bound) < bound
