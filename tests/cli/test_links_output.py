from __future__ import annotations

import csv
import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support import running
from support.extras import needed
from support.kills import killed_after, moments, seconds_of, temporary_files
from support.paths import CHECKOUT
from support.systems import is_root
from support.warc_files import warc_record

import linkfix
from linkfix.cli import links, links_output
from linkfix.display import unguard
from linkfix.urls import cut_data_url

FIXTURES = CHECKOUT / "fixtures"
SITE = str(FIXTURES / "site")
WARC = FIXTURES / "warc" / "site.warc.gz"
URL = ["--root-url", "https://lamp.example/"]


def run(*arguments):
    return running.run("links", *map(str, arguments))


def listed(*arguments):
    """The rows that the command lists, with `data:` URLs as tables have them."""
    found = [json.loads(line) for line in run(*arguments, "--format", "jsonl").stdout.splitlines()]
    return [row | {name: row[name] and cut_data_url(row[name]) for name in ("reference", "target")} for row in found]


def read(path):
    """The rows of a table, without the page's URL."""
    rows = pq.read_table(path) if path.suffix == ".parquet" else pa.ipc.open_file(path).read_all()
    return [{name: value for name, value in row.items() if name != "page"} for row in rows.to_pylist()]


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("paths", [[SITE, *URL], [str(WARC)], [str(FIXTURES)]], ids=["site", "warc", "everything"])
def test_a_file_has_the_links_that_are_listed(tmp_path, paths, jobs):
    path = tmp_path / "links.parquet"
    made = run(*paths, "--output", path, "--jobs", jobs)
    assert made.exit_code == 0
    rows = read(path)
    assert rows == listed(*paths)
    assert f"{len(rows):,} links" in made.stderr


def test_every_format_has_the_same_rows(tmp_path):
    rows = listed(SITE, *URL)
    for suffix in ("parquet", "arrow"):
        path = tmp_path / f"links.{suffix}"
        assert run(SITE, *URL, "--output", path).exit_code == 0
        assert read(path) == rows
    path = tmp_path / "links.jsonl"
    assert run(SITE, *URL, "--output", path).exit_code == 0
    assert [json.loads(line) for line in path.read_text().splitlines()] == [
        {"path": row["path"], "page": page, **row}
        for row, page in zip(rows, pq.read_table(tmp_path / "links.parquet")["page"].to_pylist(), strict=True)
    ]
    path = tmp_path / "links.csv"
    assert run(SITE, *URL, "--output", path).exit_code == 0
    with path.open(newline="") as file:
        cells = [[unguard(cell) for cell in row] for row in csv.reader(file)]
    assert cells[0][0] == "path"
    found = [dict(zip(cells[0], row, strict=True)) for row in cells[1:]]
    assert [row["target"] for row in found] == [row["target"] or "" for row in rows]


def test_urls_are_stored_by_their_differences_and_words_by_a_dictionary(tmp_path):
    path = tmp_path / "links.parquet"
    assert run(WARC, "--output", path).exit_code == 0
    group = pq.ParquetFile(path).metadata.row_group(0)
    encodings = {group.column(n).path_in_schema: group.column(n).encodings for n in range(group.num_columns)}
    for name in ("path", "page", "reference", "target", "base"):
        assert "DELTA_BYTE_ARRAY" in encodings[name]
    for name in ("element", "attribute", "syntax", "role", "problem"):
        assert "RLE_DICTIONARY" in encodings[name]


def test_columns_are_chosen(tmp_path):
    path = tmp_path / "links.parquet"
    assert run(WARC, "--output", path, "--columns", "target, path").exit_code == 0
    table = pq.read_table(path)
    assert table.schema.names == ["target", "path"]
    assert table.to_pylist() == [{"target": row["target"], "path": row["path"]} for row in listed(WARC)]


def test_standard_input_is_a_table_too(tmp_path):
    path = tmp_path / "links.jsonl"
    arguments = ["links", "-", "--url", "http://h/d/", "--output", str(path), "--columns", "target"]
    assert running.run(*arguments, stdin=b"<a href=x>").exit_code == 0
    assert path.read_text() == '{"target": "http://h/d/x"}\n'
    assert running.run("links", "-", "--output", tmp_path, stdin=b"<a href=x>").exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--output", "old.txt"], "old.txt: the suffix must be one of .parquet, .arrow, .csv, .jsonl"),
        (["--output", "new.xlsx"], "new.xlsx: the suffix must be one of .parquet, .arrow, .csv, .jsonl"),
        (["--output", "none/new.csv"], "the folder of none/new.csv does not exist"),
        (["--output", "new.csv", "--columns", "nonsense"], "no column 'nonsense': the columns are path, page"),
        (["--output", "new.csv", "--format", "csv"], "--format is for standard output"),
        (["--columns", "path"], "--columns is for tables: add --output"),
        (["--jobs", "2"], "--jobs is for tables: add --output"),
    ],
)
def test_wrong_usage_is_reported(tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    for name in ("old.parquet", "old.txt"):
        (tmp_path / name).write_text("old")
    made = run(SITE, *arguments)
    assert made.exit_code == 2
    assert message in made.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["old.parquet", "old.txt"]


def test_without_pyarrow_the_extra_is_named(tmp_path):
    program = "import sys; sys.modules['pyarrow'] = None; from linkfix.__main__ import main; main()"
    for name, said in {
        "x.csv": "--output needs pyarrow: pip install 'linkfix[arrow]' (--format csv and jsonl need nothing)",
        "x.xlsx": "x.xlsx: the suffix must be one of .parquet, .arrow, .csv, .jsonl (a folder has none",
    }.items():
        command = [sys.executable, "-c", program, "links", SITE, "--output", str(tmp_path / name)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 2
        assert said in done.stderr


def test_the_suffixes_that_are_checked_without_pyarrow():
    assert tuple(links_output.SINKS) == links.TABLE_SUFFIXES


# Folders


@pytest.fixture
def crawl(tmp_path):
    """A folder of two WARC files, in folders, and two documents."""
    folder = tmp_path / "crawl"
    (folder / "a").mkdir(parents=True)
    shutil.copy(WARC, folder / "a" / "one.warc.gz")
    shutil.copy(WARC, folder / "two.warc.gz")
    (folder / "index.html").write_bytes(b"<a href=x>")
    (folder / "a" / "page.html").write_bytes(b"<a href=/y>")
    return folder


def files(folder):
    return {str(path.relative_to(folder)): path for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_folder_gets_a_file_for_each_source(tmp_path, crawl):
    output = tmp_path / "links"
    assert run(crawl, "--output", output).exit_code == 0
    made = files(output)
    assert list(made) == ["a/one.warc.gz.parquet", "documents.parquet", "two.warc.gz.parquet"]
    rows = listed(crawl)
    assert read(made["two.warc.gz.parquet"]) == [row for row in rows if "two.warc" in row["path"]]
    assert [row["path"] for row in read(made["documents.parquet"])] == [
        row["path"] for row in rows if ".warc" not in row["path"]
    ]


def test_a_stopped_run_is_resumed(tmp_path, crawl):
    output = tmp_path / "links"
    assert run(crawl, "--output", output).exit_code == 0
    times = {name: path.stat().st_mtime_ns for name, path in files(output).items()}
    files(output)["two.warc.gz.parquet"].unlink()
    (crawl / "index.html").write_bytes(b"<a href=changed>")
    again = run(crawl, "--output", output)
    assert again.exit_code == 0
    assert "1 file skipped" in again.stderr
    after = {name: path.stat().st_mtime_ns for name, path in files(output).items()}
    assert after.keys() == times.keys()
    assert {name for name in times if after[name] != times[name]} == {"documents.parquet", "two.warc.gz.parquet"}
    assert [row["reference"] for row in read(output / "documents.parquet")] == ["/y", "changed"]


def test_a_source_that_changed_is_read_again(tmp_path, crawl):
    output = tmp_path / "links"
    assert run(crawl / "two.warc.gz", "--output", output).exit_code == 0
    later = (crawl / "two.warc.gz").stat().st_mtime + 100
    os.utime(crawl / "two.warc.gz", (later, later))
    again = run(crawl / "two.warc.gz", "--output", output)
    assert "skipped" not in again.stderr
    os.utime(crawl / "two.warc.gz", (0, 0))
    assert "1 file skipped" in run(crawl / "two.warc.gz", "--output", output).stderr


@pytest.mark.parametrize("more", [["--columns", "path"], ["--lazy"], ["--root-url", "http://h/"]])
def test_a_folder_of_other_tables_is_refused(tmp_path, crawl, more):
    output = tmp_path / "links"
    assert run(crawl, "--output", output).exit_code == 0
    refused = run(crawl, "--output", output, *more)
    assert refused.exit_code == 2
    assert "was written with other columns or options" in refused.stderr


def test_several_paths_have_folders_of_their_own(tmp_path, crawl):
    output = tmp_path / "links"
    assert run(crawl / "a", crawl / "two.warc.gz", "--output", output).exit_code == 0
    assert list(files(output)) == ["a/documents.parquet", "a/one.warc.gz.parquet", "two.warc.gz.parquet"]
    other = tmp_path / "other"
    other.mkdir()
    shutil.copy(WARC, other / "two.warc.gz")
    refused = run(crawl / "two.warc.gz", other / "two.warc.gz", "--output", output)
    assert refused.exit_code == 2
    assert "two PATHs are named 'two.warc.gz'" in refused.stderr


def test_unreadable_files_are_reported_and_the_others_written(tmp_path, crawl):
    (crawl / "bad.warc.gz").write_bytes(WARC.read_bytes()[:-30])
    (crawl / "index.html").chmod(0)
    made = run(crawl, "--output", tmp_path / "links.parquet")
    if not is_root():
        assert made.exit_code == 2
    assert "[container-damaged]" in made.stderr
    assert len(read(tmp_path / "links.parquet")) > 100


def test_temporary_files_of_killed_runs_are_removed(tmp_path, crawl):
    output = tmp_path / "links"
    for folder in (output, output / "a"):
        folder.mkdir()
        (folder / ".linkfix-0123456789abcdef.tmp").write_bytes(b"half")
    assert run(crawl, "--output", output).exit_code == 0
    assert temporary_files(output) == []


@pytest.mark.slow
def test_a_killed_run_leaves_complete_files_and_is_resumed(tmp_path, crawl):
    """Killed at many points, and run again until all work is done: the files equal those of an undisturbed run."""
    for n in range(6):
        shutil.copy(WARC, crawl / f"{n}.warc.gz")
    peace, output = tmp_path / "peace", tmp_path / "links"
    whole = seconds_of("links", crawl, "--output", peace, "--jobs", "2")
    for moment in sorted(moments(whole, seed=16)):
        killed_after(moment, "links", crawl, "--output", output, "--jobs", "2")
        for name, path in files(output).items() if output.exists() else ():
            if path.suffix == ".parquet":
                assert pq.read_table(path) == pq.read_table(peace / name)
    assert run(crawl, "--output", output, "--jobs", "2").exit_code == 0
    assert [*files(output)] == [*files(peace)]
    assert all(pq.read_table(path) == pq.read_table(peace / name) for name, path in files(output).items())


def test_a_row_group_has_a_limited_number_of_rows(tmp_path, monkeypatch):
    monkeypatch.setattr("linkfix.arrow.tables._GROUP_ROWS", 100)
    monkeypatch.setattr("linkfix.arrow.tables.BATCH_ROWS", 30)
    path = tmp_path / "links.parquet"
    assert run(WARC, "--output", path, "--jobs", 1).exit_code == 0
    metadata = pq.ParquetFile(path).metadata
    assert metadata.num_row_groups > 3
    assert max(metadata.row_group(n).num_rows for n in range(metadata.num_row_groups)) <= 100
    assert read(path) == listed(WARC)


def test_the_library_returns_the_rows_of_the_table(tmp_path):
    path = tmp_path / "links.parquet"
    assert run(FIXTURES / "site/elements/images.html", "--url", "http://h/", "--output", path).exit_code == 0
    html = (FIXTURES / "site/elements/images.html").read_bytes()
    assert len(read(path)) == len(linkfix.links(html, url="http://h/"))


# Slices of a WARC file


@pytest.fixture
def records():
    """The records of a WARC file without compression, one by one."""
    pages = (b"<a href=%d><img src='data:image/png;base64,AAAA'>" % number * 20 for number in range(300))
    return [warc_record(f"http://h/{number}/", page) for number, page in enumerate(pages)]


def compressed(kind, records):
    if kind == "plain":
        return ".warc", b"".join(records)
    if kind == "gz":
        return ".warc.gz", b"".join(gzip.compress(record) for record in records)
    if kind == "gz of one member":
        return ".warc.gz", gzip.compress(b"".join(records))
    assert kind == "zst"
    return ".warc.zst", b"".join(pa.compress(record, "zstd", asbytes=True) for record in records)


@pytest.mark.parametrize(
    "kind", ["gz", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("plain", "gz of one member", "zst"))]
)
def test_a_large_warc_file_is_split_among_processes(tmp_path, monkeypatch, records, kind):
    suffix, data = compressed(kind, records)
    crawl = tmp_path / "crawl"
    crawl.mkdir()
    (crawl / f"m{suffix}").write_bytes(data)
    (crawl / "a.html").write_bytes(b"<a href=first>")
    (crawl / "z.html").write_bytes(b"<a href=last>")
    one, output = tmp_path / "one.parquet", tmp_path / "links"
    whole = run(crawl, "--output", one, "--jobs", 1)
    assert whole.exit_code == 0
    monkeypatch.setattr(links_output, "_SLICE_BYTES", len(data) // 7)
    tasks = []
    spread = links_output.map_in_order
    monkeypatch.setattr(
        links_output,
        "map_in_order",
        lambda work, jobs, **options: spread(work, (tasks.append(job) or job for job in jobs), **options),
    )
    two = tmp_path / "two.parquet"
    split = run(crawl, "--output", two, "--jobs", 2)
    assert split.exit_code == 0
    assert len([task for task in tasks if task.within]) in {7, 8}
    assert pq.read_table(two) == pq.read_table(one)
    assert split.stderr.partition(" in ")[0] == whole.stderr.partition(" in ")[0]
    assert run(crawl, "--output", output, "--jobs", 2).exit_code == 0
    assert list(files(output)) == ["documents.parquet", f"m{suffix}.parquet"]
    rows = read(one)
    assert read(output / f"m{suffix}.parquet") == [row for row in rows if ".warc" in row["path"]]
    assert [row["reference"] for row in read(output / "documents.parquet")] == ["first", "last"]
    assert "skipped" in run(crawl, "--output", output, "--jobs", 2).stderr


def test_a_warc_file_that_lacks_a_slice_is_not_complete(tmp_path, monkeypatch, records):
    """Nor is it there: the next run makes it."""
    path, output = tmp_path / "m.warc", tmp_path / "links"
    path.write_bytes(b"".join(records))
    monkeypatch.setattr(links_output, "_SLICE_BYTES", path.stat().st_size // 3)
    add = links_output._TableParts.add

    def lose(parts, result):
        if result.task.within[0]:
            Path(result.task.part).unlink()
        add(parts, result)

    with monkeypatch.context() as patch:
        patch.setattr(links_output._TableParts, "add", lose)
        run(path, "--output", output, "--jobs", 2)
    assert files(output) == {}
    assert run(path, "--output", output, "--jobs", 2).exit_code == 0
    assert len(read(output / "m.warc.parquet")) == 300 * 40


@pytest.mark.parametrize("rows", [1, 2, 3, 7, 100])
@pytest.mark.parametrize("columns", ["path", "target,path", "start,path,page,element"])
def test_each_link_has_the_path_of_its_document_for_any_batches(tmp_path, monkeypatch, rows, columns):
    monkeypatch.setattr("linkfix.arrow.tables.BATCH_ROWS", rows)
    path = tmp_path / "links.arrow"
    assert run(WARC, "--output", path, "--columns", columns, "--jobs", "1").exit_code == 0
    names = [name for name in columns.split(",") if name != "page"]
    assert read(path) == [{name: row[name] for name in names} for row in listed(str(WARC))]
    with pa.ipc.open_file(path) as reader:
        sizes = [reader.get_batch(number).num_rows for number in range(reader.num_record_batches)]
    assert max(sizes) <= rows


def test_long_paths_make_batches_smaller(tmp_path, monkeypatch):
    """A name in a WARC file may have many kilobytes, and each of its links has it."""
    monkeypatch.setattr("linkfix.arrow.tables.BATCH_BYTES", 100_000)
    archive = tmp_path / "a.warc"
    archive.write_bytes(warc_record(f"http://h/{'x' * 5000}", b"<a href=x>" * 100))
    path = tmp_path / "links.arrow"
    assert run(archive, "--output", path, "--columns", "path,start", "--jobs", "1").exit_code == 0
    with pa.ipc.open_file(path) as reader:
        batches = [reader.get_batch(number) for number in range(reader.num_record_batches)]
    assert sum(batch.num_rows for batch in batches) == 100
    assert max(batch.nbytes for batch in batches) <= 100_000


def test_tables_of_links_are_made_without_pandas(tmp_path):
    """Importing pandas takes as long as reading many pages."""
    needed("pandas")
    path = tmp_path / "links.parquet"
    script = (
        "import sys\nfrom linkfix.cli import main\n"
        f"sys.argv = ['linkfix', 'links', {str(WARC)!r}, '--output', {str(path)!r}, '--jobs', '1']\n"
        "try:\n    main()\nexcept SystemExit:\n    print('pandas' in sys.modules)\n"
    )
    made = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert made.stdout == "False\n"
    assert path.exists()


@pytest.mark.parametrize(("given", "expected"), [(None, "1"), ("4", "4")])
def test_numpy_starts_no_threads_by_default(tmp_path, monkeypatch, given, expected):
    """They wait busily, one for each core, in each process."""
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", given or "")
    if given is None:
        monkeypatch.delenv("OPENBLAS_NUM_THREADS")
    assert run(WARC, "--output", tmp_path / "links.parquet").exit_code == 0
    assert os.environ["OPENBLAS_NUM_THREADS"] == expected
