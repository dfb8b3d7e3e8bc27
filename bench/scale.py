"""Links of many pages: the speed of one core, Parquet from WARC files, and Spark beside plain processes.

    python bench/scale.py FOLDER … [--megabytes 500] [--rounds 3] [--web FOLDER] [--keep FOLDER] [--only PART …]

`FOLDER …` are trees of documentation, whose .html files are pages; `--web` is a folder with `manifest.json` and the web
pages that it names (../shared/corpus if it is there). The WARC files are made of both, in turns, until their pages have
`--megabytes` (of 10^6 bytes); `--keep` makes them only once. One run prints all:

    ways     links and pages a second of processor time, of each way in `scale_ways.py`, on some pages of each kind in
             memory; the ways take turns, and medians count
    parquet  links of the WARC files as Parquet, by one process and by two; processor time of all of their processes,
             wall time, and the most memory that one process has had
    spark    the same by the data source, in a Spark of two cores: its start alone, all files, and all of them twice;
             the last two differ by nothing that does not grow with the input (Java compiles, workers import); and the
             source alone beside two processes, where neither writes what it reads. Each ends when Java's compiler is
             idle, so that what the start has it compile is counted for the start
    month    core-hours for a month of Common Crawl, from what one process took

`--only` runs some of them. It needs Linux and the extras `bench`, `test` and `spark`.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from beside_lychee import ENVIRONMENT
from scale_ways import GRAPH, WAYS, Pages

import linkfix.arrow

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PARTS = ("ways", "parquet", "spark", "month")
#: The number of WARC files.
FILES = 4
#: The pages of a kind that all ways read, in bytes; and the pages that slow ways read.
SAMPLE, SLOW_SAMPLE = 24_000_000, 6_000_000
SLOW = {"BeautifulSoup + urljoin"}
#: A month of Common Crawl: bytes without compression, and pages.
MONTH_BYTES, MONTH_PAGES = 400e12, 2.7e9
#: The folder of the web pages.
WEB = Path(__file__).resolve().parents[2] / "shared" / "corpus"
#: The interval between measurements of processes, in seconds.
_INTERVAL = 0.05


class Cost(NamedTuple):
    """The cost of a command, with all its child processes."""

    cpu: float
    """In seconds."""
    wall: float
    """In seconds."""
    peak: float
    """The most memory that a Python process had, in bytes."""


def web_pages(folder: Path) -> Pages:
    """Real web pages, with their URLs."""
    listed = json.loads((folder / "manifest.json").read_text("utf-8")) if folder.is_dir() else []
    return [(one["url"], (folder / one["file"]).read_bytes()) for one in listed]


def documentation(folders: Iterable[Path], size: int) -> Pages:
    """Pages of documentation, from all folders in turns, up to `size` bytes."""
    files = [sorted(folder.rglob("*.html")) for folder in folders]
    pages: list[tuple[str, bytes]] = []
    for file in filter(None, itertools.chain.from_iterable(itertools.zip_longest(*files))):
        if size <= 0:
            break
        html = file.read_bytes()
        size -= len(html)
        pages.append((f"https://docs.example{quote(str(file))}", html))
    return pages


def all_pages(web: Path, folders: Iterable[Path], size: int) -> dict[str, Pages]:
    """The pages of each kind."""
    kinds = {"web": web_pages(web), "documentation": documentation(folders, size)}
    kinds = {name: pages for name, pages in kinds.items() if pages}
    if not kinds:
        sys.exit("no pages: give folders of .html files")
    return kinds


def make_archives(folder: Path, kinds: dict[str, Pages], size: int) -> tuple[int, int]:
    """Write the WARC files, unless they are there. Returns the number of their pages, and their bytes."""
    stated = folder / "made.json"
    wanted = {"size": size, "kinds": sorted(kinds), "files": FILES}
    if stated.exists() and (made := json.loads(stated.read_text("utf-8")))["wanted"] == wanted:
        return made["pages"], made["bytes"]
    archives = [(folder / f"{number}.warc.gz").open("wb") for number in range(FILES)]
    turns = [itertools.cycle(pages) for pages in kinds.values()]
    written = [0] * len(turns)
    count = 0
    while sum(written) < size:
        kind = written.index(min(written))  # equal numbers of bytes of each kind
        url, html = next(turns[kind])
        written[kind] += len(html)
        archives[count % FILES].write(gzip.compress(record(f"{url}?copy={count}", html), 6))
        count += 1
    for archive in archives:
        archive.close()
    stated.write_text(json.dumps({"wanted": wanted, "pages": count, "bytes": sum(written)}), "utf-8")
    return count, sum(written)


def record(url: str, html: bytes) -> bytes:
    """A response in a WARC file."""
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + html
    head = (
        f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-11-22T00:00:00Z\r\n"
        f"Content-Type: application/http;msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def sample(pages: Pages, size: int) -> Pages:
    """The first pages, up to `size` bytes."""
    sizes = itertools.accumulate(len(html) for _, html in pages)
    return [page for page, sum_ in zip(pages, sizes, strict=True) if sum_ <= size] or pages[:1]


def compare_ways(kinds: dict[str, Pages], rounds: int) -> None:
    """Print the speed of each way."""
    for kind, pages in kinds.items():
        taken: dict[str, list[tuple[float, float]]] = {name: [] for name in WAYS}
        found = {}
        samples = {name: sample(pages, SLOW_SAMPLE if name in SLOW else SAMPLE) for name in WAYS}
        inputs = {name: way.given(samples[name]) for name, way in WAYS.items()}
        for way in WAYS.values():
            way.run(way.given(pages[:2]))  # imports, and objects made once
        for _ in range(rounds):
            for name, way in WAYS.items():
                gc.collect()
                cpu, wall = time.process_time(), time.perf_counter()
                found[name] = way.run(inputs[name])
                taken[name].append((time.process_time() - cpu, time.perf_counter() - wall))
        print(f"\n{kind:32}{'links/s':>12}{'pages/s':>10}{'MB/s':>8}{'wall/CPU':>10}{'links/page':>12}")
        speeds = {}
        for name in WAYS:
            cpu = statistics.median(one for one, _ in taken[name])
            wall = statistics.median(one for _, one in taken[name])
            count, size = len(samples[name]), sum(len(html) for _, html in samples[name])
            speeds[name] = count / cpu
            print(
                f"{name:32}{found[name] / cpu:12,.0f}{count / cpu:10,.0f}{size / cpu / 1e6:8.1f}{wall / cpu:10.2f}"
                f"{found[name] / count:12.1f}",
                flush=True,
            )
        ratio = speeds["columns: page, element, target"] / speeds["turbohtml"]
        print(f"columns read {ratio:.1f} times as many pages as turbohtml (goal: 2)")


def job(*arguments: str | Path) -> list[str]:
    """The words of a command that does a part of the work in a process of its own."""
    return [sys.executable, __file__, "--job", *map(str, arguments)]


def write_parquet(output: Path, archives: list[Path]) -> None:
    """The work of a plain process: the links of WARC files, each as a Parquet file."""
    import pyarrow.parquet as pq  # only these processes need it

    schema = linkfix.arrow.links_schema(GRAPH)
    for archive in archives:
        with pq.ParquetWriter(output / f"{archive.name}.parquet", schema, compression="zstd") as writer:
            for batch in linkfix.arrow.links(linkfix.arrow.warc(archive), columns=GRAPH):
                writer.write_batch(batch)


def read(_output: Path, archives: list[Path]) -> None:
    """The same, but that nothing is written."""
    for archive in archives:
        for _ in linkfix.arrow.links(linkfix.arrow.warc(archive), columns=GRAPH):
            pass


def write_with_spark(output: Path, archives: list[Path], **options: int) -> None:
    """The same by Spark; without archives, only its start and the smallest job. `options`: of the data source."""
    _in_spark(output, archives, "parquet", options)


def read_with_spark(output: Path, archives: list[Path]) -> None:
    """The same, but that nothing is written."""
    _in_spark(output, archives, "noop", {})


def _in_spark(output: Path, archives: list[Path], written_as: str, options: dict[str, int]) -> None:
    from pyspark.sql import SparkSession  # as above

    import linkfix.spark

    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    linkfix.spark.register(spark)
    reader = spark.read.format("linkfix-links").options(**options)
    reader = reader.schema(", ".join(f"{name} string" for name in GRAPH))
    if not archives:
        empty = output.parent / "empty.warc"
        empty.touch()
        archives = [empty]
    written = reader.load([str(archive) for archive in archives]).write.option("compression", "zstd")
    written.format(written_as).mode("overwrite").save(str(output))
    _wait_for_compiler(spark)
    spark.stop()


def _wait_for_compiler(spark: SparkSession) -> None:
    """Wait until Java has compiled everything that the start and the job requested. A job that ends sooner leaves more
    of it undone, and the cost of the start would be counted for the links.
    """
    compiler = spark._jvm.java.lang.management.ManagementFactory.getCompilationMXBean()  # noqa: SLF001 - there is no other
    seen = -1
    while (compiled := compiler.getTotalCompilationTime()) > seen:
        seen = compiled
        time.sleep(1)


JOBS = {"parquet": write_parquet, "read": read, "spark": write_with_spark, "spark-read": read_with_spark}


def measure(*commands: list[str]) -> Cost:
    """Run commands at once."""
    environment = ENVIRONMENT | {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    began = time.perf_counter()
    started = [subprocess.Popen(one, env=environment, stderr=subprocess.PIPE) for one in commands]
    cpu: dict[int, float] = {}
    peak = 0
    while any(process.poll() is None for process in started):
        for pid, name, seconds, memory in processes({process.pid for process in started}):
            cpu[pid] = seconds
            peak = max(peak, memory if "python" in name else 0)
        time.sleep(_INTERVAL)
    wall = time.perf_counter() - began
    for process in started:
        _, errors = process.communicate()
        if process.returncode:
            sys.exit(errors.decode())
    return Cost(sum(cpu.values()), wall, peak)


def processes(roots: set[int]) -> Iterator[tuple[int, str, float, int]]:
    """The processes that these started, and they themselves: number, name, seconds of processor time, peak memory."""
    parents: dict[int, int] = {}
    states: dict[int, tuple[str, float, int]] = {}
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            try:
                name, _, rest = (path / "stat").read_text().partition(" (")[2].rpartition(") ")
                fields = rest.split()
                status = (path / "status").read_text()
            except OSError:  # it ended meanwhile
                continue
            parents[int(path.name)] = int(fields[1])
            memory = status.partition("VmHWM:")[2].split(maxsplit=1)[:1]
            ticks = int(fields[11]) + int(fields[12])
            seconds = ticks / os.sysconf("SC_CLK_TCK")
            states[int(path.name)] = (name, seconds, int(memory[0]) << 10 if memory else 0)
    for pid, state in states.items():
        ancestor = pid
        while ancestor not in roots and ancestor in parents:
            ancestor = parents[ancestor]
        if ancestor in roots:
            yield pid, *state


def compare_engines(scratch: Path, archives: list[Path], size: int, parts: set[str], rounds: int) -> Cost:
    """Print the cost of the WARC files. Returns the cost in one process."""
    print(f"\n{'Parquet from WARC':32}{'CPU s':>10}{'wall s':>10}{'MB/s of CPU':>13}{'peak MB':>10}")

    def row(name: str, *commands: list[str], speed: bool = True) -> Cost:
        """The cost of commands that run at once: of all rounds, the one with the median of processor time."""
        cost = sorted(measure(*commands) for _ in range(rounds))[rounds // 2]
        shown = f"{size / cost.cpu / 1e6:.1f}" if speed else ""
        print(f"{name:32}{cost.cpu:10.1f}{cost.wall:10.1f}{shown:>13}{cost.peak / 1e6:10.0f}", flush=True)
        return cost

    plain, spark = scratch / "plain", scratch / "spark"
    plain.mkdir()
    halves = archives[: len(archives) // 2], archives[len(archives) // 2 :]
    one = row("one process", job("parquet", plain, *archives))
    two = row("two processes", *(job("parquet", plain, *some) for some in halves))
    if "spark" in parts:
        again = _again(scratch, archives)
        only = row("two processes, only reading", *(job("read", plain, *some) for some in halves))
        start = row("Spark: start", job("spark", spark), speed=False)
        full = row("Spark: start, links", job("spark", spark, *archives))
        twice = row("Spark: start, links twice", job("spark", spark, *archives, *again))
        idle = row("Spark: start, no writing", job("spark-read", spark), speed=False)
        source = row("Spark: start, only reading", job("spark-read", spark, *archives))
        own, more, reading = full.cpu - start.cpu, twice.cpu - full.cpu, source.cpu - idle.cpu
        print("Spark without its start, beside two processes (goal: 1.3):")
        print(f"only reading:    {reading:.1f} s of CPU, {reading / only.cpu:.2f}")
        print(f"links:           {own:.1f} s of CPU, {own / two.cpu:.2f}")
        print(f"as much again:   {more:.1f} s of CPU, {more / two.cpu:.2f}")
        print(f"a worker's memory: {full.peak / 1e6:.0f} MB (goal: 400)")
    return one


def _again(scratch: Path, archives: list[Path]) -> list[Path]:
    """The same files under other names."""
    for archive in archives:
        (scratch / f"again-{archive.name}").symlink_to(archive.resolve())
    return [scratch / f"again-{archive.name}" for archive in archives]


def print_month(one: Cost, count: int, size: int) -> None:
    """Print the arithmetic for a month of Common Crawl."""
    by_bytes = MONTH_BYTES / (size / one.cpu) / 3600
    by_pages = MONTH_PAGES / (count / one.cpu) / 3600
    print(f"\nOne process: {size / 1e6:,.0f} MB in {count:,} pages took {one.cpu:.1f} s of CPU")
    print(f"by bytes: 400e12 / ({size:,} / {one.cpu:.1f} s) / 3600 = {by_bytes:,.0f} core-hours")
    print(f"by pages: 2.7e9 / ({count:,} / {one.cpu:.1f} s) / 3600 = {by_pages:,.0f} core-hours")


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--web", type=Path, default=WEB)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--job", choices=JOBS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.job:
        output, *archives = arguments.folders
        JOBS[arguments.job](output, archives)
        return
    for folder in arguments.folders:
        if not folder.is_dir():
            parser.error(f"{folder} is not a folder")
    size = arguments.megabytes * 1_000_000
    kinds = all_pages(arguments.web, arguments.folders, size)
    parts = set(arguments.only)
    if "ways" in parts:
        compare_ways(kinds, arguments.rounds)
    if parts == {"ways"}:
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or Path(temporary, "archives")
        folder.mkdir(parents=True, exist_ok=True)
        count, made = make_archives(folder, kinds, size)
        one = compare_engines(Path(temporary), sorted(folder.glob("*.warc.gz")), made, parts, arguments.rounds)
        if "month" in parts:
            print_month(one, count, made)


if __name__ == "__main__":
    main()
