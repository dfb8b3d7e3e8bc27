"""Time and peak memory of `linkfix unpack` on a WARC file of pages and pictures, beside fastwarc.

    python bench/unpack.py [--size MB] [--rounds N] [--only WAY] [--folder FOLDER]

The file is made first, the same each time: after each page come two pictures that it shows, and it links to other pages
of the file. `--size` is that of the compressed file. The ways take turns, and medians are printed; MB are those of the
file. Each way is a process that writes a folder. "fastwarc, bodies" is the least that unpacking can be: a program that
writes each body to a numbered file. Processor time is that of all processes, and memory the largest sum of theirs,
measured every 0.2 s (see `beside_lychee.py`). It needs fastwarc (extra `warc`) and Linux.
"""

from __future__ import annotations

import argparse
import gzip
import random
import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import fastwarc.warc
from beside_lychee import Cost, cost_and_memory
from engine import SHAPES
from warc import record

#: The number of pictures after each page, and their smallest and largest size in bytes.
PICTURES, SMALLEST, LARGEST = 2, 10_000, 60_000

#: The time between two measurements of memory, in seconds.
INTERVAL = 0.2


def records() -> Iterator[bytes]:
    """Compressed records without an end."""
    random_ = random.Random(1)  # noqa: S311 - the same each time
    pages = [make(random.Random(n)) for n in range(20) for make in SHAPES.values()]  # noqa: S311
    number = 0
    while True:
        folder = f"https://example.com/docs/{number}"
        links = f'<p><a href="../{number + 1}/page.html">next</a> <a href="../{number // 2}/page.html">up</a>'
        shown = "".join(f'<img src="{name}.png" alt="">' for name in range(PICTURES))
        body = pages[number % len(pages)].replace(b"</body>", f"{links} {shown}</p></body>".encode())
        yield gzip.compress(record(f"{folder}/page.html", "text/html; charset=utf-8", body), 6)
        for name in range(PICTURES):
            picture = b"\x89PNG\r\n\x1a\n" + random_.randbytes(random_.randint(SMALLEST, LARGEST))
            yield gzip.compress(record(f"{folder}/{name}.png", "image/png", picture), 1)
        number += 1


def write_archive(path: Path, size: int) -> None:
    """Write a WARC file of at least so many bytes."""
    with path.open("wb") as file:
        for one in records():
            file.write(one)
            if file.tell() >= size:
                return


def write_bodies(path: str, folder: str) -> None:
    """Write the body of each response with fastwarc."""
    target = Path(folder)
    target.mkdir()
    with Path(path).open("rb") as file:
        for number, one in enumerate(fastwarc.warc.ArchiveIterator(file, parse_http=True, fsspec_args=False)):
            (target / str(number)).write_bytes(one.reader.read())


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=500, metavar="MB")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--only", default="", help="ways with this in their name")
    parser.add_argument("--folder", help="for the files; a temporary folder by default")
    parser.add_argument("--bodies", nargs=2, metavar=("FILE", "FOLDER"), help="only do the work of fastwarc")
    arguments = parser.parse_args()
    if arguments.bodies:
        write_bodies(*arguments.bodies)
        return
    with tempfile.TemporaryDirectory(dir=arguments.folder) as root:
        archive, out = Path(root, "crawl.warc.gz"), Path(root, "out")
        write_archive(archive, arguments.size * 10**6)
        size = archive.stat().st_size / 1e6
        print(f"{size:.1f} MB", flush=True)
        unpack = [sys.executable, "-m", "linkfix", "unpack", str(archive), "-o", str(out), "--quiet"]
        ways = {
            "fastwarc, bodies": [sys.executable, __file__, "--bodies", str(archive), str(out)],
            "unpack --raw": [*unpack, "--raw"],
            "unpack --jobs 1": [*unpack, "--jobs", "1"],
            "unpack --jobs 2": [*unpack, "--jobs", "2"],
        }
        ways = {way: command for way, command in ways.items() if arguments.only in way}
        costs: dict[str, list[tuple[Cost, int]]] = {way: [] for way in ways}
        written: dict[str, list[int]] = {}
        for _ in range(arguments.rounds):
            for way, command in ways.items():
                costs[way].append(cost_and_memory(command, INTERVAL))
                written[way] = [path.stat().st_size for path in out.rglob("*") if path.is_file()]
                shutil.rmtree(out)
        for way, found in costs.items():
            wall = statistics.median(cost.wall for cost, _ in found)
            cpu = statistics.median(cost.cpu for cost, _ in found)
            peak = max(peak for _, peak in found) / 1e6
            print(
                f"  {way:18}{wall:7.1f} s{cpu:7.1f} s of the processor{size / wall:7.1f} MB/s{peak:6.0f} MB of memory"
                f"{len(written[way]):8,} files of {sum(written[way]) / 1e6:,.0f} MB"
            )


if __name__ == "__main__":
    main()
