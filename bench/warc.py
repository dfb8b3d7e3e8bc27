"""MB/s over a WARC file of 2,000 pages, compared with fastwarc reading and writing the same file without a change.

    python bench/warc.py [--pages N] [--rounds N]

The tools take turns on the same file in each round, and medians are printed; MB are the uncompressed sizes of the
pages. "copied": nothing changes; "rewritten": a byte is added to every page, so that each record is written again;
"absolutized": every link is made absolute. It needs fastwarc (extra `warc`).
"""

from __future__ import annotations

import argparse
import gzip
import io
import random
import statistics
import time
import uuid
from functools import partial
from typing import cast

import fastwarc.stream_io
import fastwarc.warc
from engine import SHAPES

from linkfix import Document, Envelope
from linkfix.containers import Change, Limits, Part, warc


def archive(pages: int, *, compressed: bool) -> tuple[bytes, int]:
    """A WARC file, and the size of its pages in bytes."""
    bodies = [make(random.Random(n)) for n in range(20) for make in SHAPES.values()]  # noqa: S311 - the same each time
    records, size = [], 0
    for number in range(pages):
        body = bodies[number % len(bodies)]
        size += len(body)
        made = record(f"https://example.com/docs/{number}/page.html", "text/html; charset=utf-8", body)
        records.append(gzip.compress(made, 6) if compressed else made)
    return b"".join(records), size


def record(url: str, media_type: str, body: bytes) -> bytes:
    """The record of a response."""
    block = f"HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\n\r\n".encode() + body
    head = (
        f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <{uuid.uuid5(uuid.NAMESPACE_URL, url).urn}>\r\n"
        f"WARC-Target-URI: {url}\r\nWARC-Date: 2026-11-22T00:00:00Z\r\n"
        f"WARC-Block-Digest: sha1:{'A' * 32}\r\nContent-Type: application/http;msgtype=response\r\n"
        f"Content-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def copy_with_fastwarc(data: bytes, *, compressed: bool) -> bytes:
    """Read and write every record."""
    out = io.BytesIO()
    writer = fastwarc.stream_io.GzipWriter(out, compression_level=6) if compressed else out
    for record in fastwarc.warc.ArchiveIterator(io.BytesIO(data), parse_http=False, fsspec_args=False):
        record.write(writer)
        if compressed:
            writer.finish()
    if compressed:
        writer.flush()
    return out.getvalue()


def rewrite_with_linkfix(data: bytes, change: Change) -> bytes:
    """Rewrite the file with the pages that `change` changes."""
    out = io.BytesIO()
    warc.rewrite(io.BytesIO(data), out, Envelope(), change, print, Limits())
    return out.getvalue()


def absolutize(part: Part) -> bytes:
    """The page with absolute links."""
    return cast("bytes", Document(part.data, envelope=part.envelope).absolutize())


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    for compressed in (False, True):
        data, size = archive(arguments.pages, compressed=compressed)
        tools = {
            "fastwarc, read and write": partial(copy_with_fastwarc, data, compressed=compressed),
            "linkfix, copied": partial(rewrite_with_linkfix, data, lambda _: None),
            "linkfix, rewritten": partial(rewrite_with_linkfix, data, lambda part: part.data + b"\n"),
            "linkfix, absolutized": partial(rewrite_with_linkfix, data, absolutize),
        }
        times: dict[str, list[float]] = {name: [] for name in tools}
        for _ in range(arguments.rounds):
            for name, tool in tools.items():
                start = time.perf_counter()
                tool()
                times[name].append(time.perf_counter() - start)
        kind = "gzip" if compressed else "plain"
        print(f"{arguments.pages} pages, {size / 1e6:.1f} MB; {kind}: {len(data) / 1e6:.1f} MB")
        for name, seconds in times.items():
            print(f"  {name:26} {size / 1e6 / statistics.median(seconds):8.1f} MB/s")


if __name__ == "__main__":
    main()
