"""Finding a capture in WARC files as pywb does (pywb.warcserver: cdx_resolve_revisits, ResolvingLoader), by warcio's
reading; and pywb itself, if an interpreter has it.

An answer is a pair: the HTTP status, and the body with the codings undone that the headers state, strictly.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest
from support.extras import needed

#: A Python interpreter that has pywb: the other tests' dependencies do not fit pywb's.
PYWB = os.environ.get("LINKFIX_PYWB_PYTHON") or (sys.executable if find_spec("pywb") else "")
needs_pywb = pytest.mark.skipif(
    not PYWB, reason="no pywb: install it in an environment of its own, and set LINKFIX_PYWB_PYTHON to its Python"
)
#: The response for a revisit without its original.
LOST = (503, b"")


class Capture(NamedTuple):
    """A record as an index has it."""

    url: str
    date: str
    kind: str
    digest: str
    record: dict
    http: object
    body: bytes


def captures(*archives):
    """The captures in the content of WARC files."""
    warcio = needed("warcio")
    found = []
    for data in archives:
        for one in warcio.ArchiveIterator(io.BytesIO(data), no_record_parse=False):
            if one.rec_type not in {"response", "resource", "revisit"}:
                continue
            body = one.raw_stream.read()
            fields = {name.lower(): value for name, value in one.rec_headers.headers}
            digest = fields.get("warc-payload-digest") or (
                "-"
                if one.rec_type == "revisit"
                else "sha1:" + base64.b32encode(hashlib.sha1(body, usedforsecurity=False).digest()).decode()
            )
            url, date = fields["warc-target-uri"], fields["warc-date"]
            found.append(Capture(url, date, one.rec_type, digest, fields, one.http_headers, body))
    return sorted(found, key=lambda capture: capture.date)


def replay(archives, url, date):
    """The response for a URL at a date."""
    found = captures(*archives)
    capture = next(one for one in found if (one.url, one.date) == (url, date))
    original = capture if capture.kind != "revisit" else _original(found, capture)
    if original is None:
        return LOST
    http = capture.http if capture.http is not None and capture.http.headers else original.http
    body = original.body
    if http is None:
        return 200, body
    if (http.get_header("Transfer-Encoding") or "") == "chunked":
        body = _dechunk(body)
    if (http.get_header("Content-Encoding") or "") == "gzip":
        body = gzip.decompress(body)
    length = http.get_header("Content-Length")
    assert length is None or int(length) == len(original.body), "the length of the body that is served"
    return int(http.get_statuscode()), body


def _original(found, revisit):
    same = [one for one in found if one.kind != "revisit" and one.digest == revisit.digest and one.url == revisit.url]
    if same and revisit.digest != "-" and same[0].date <= revisit.date:
        return same[0]
    url, date = (revisit.record.get(f"warc-refers-to-{what}") for what in ("target-uri", "date"))
    fitting = [one for one in found if one.kind != "revisit" and one.url == url and revisit.digest in {"-", one.digest}]
    return min(fitting, key=lambda one: abs(_number(one.date) - _number(date or revisit.date)), default=None)


def _number(date):
    return int("".join(filter(str.isdigit, date)))


def _dechunk(body):
    out = b""
    while body:
        size, _, body = body.partition(b"\r\n")
        out += body[: int(size, 16)]
        body = body[int(size, 16) + 2 :]
    return out


def replay_with_pywb(paths, *captures_, kind="id_"):
    """pywb's response for each (url, date) from WARC and WACZ files. `kind`: "id_" for stored bodies, "mp_" for what
    browsers get.
    """
    asked = [f"{''.join(filter(str.isdigit, date))}{kind} {url}" for url, date in captures_]
    script = Path(__file__).with_name("replay_with_pywb.py")
    command = [PYWB, str(script), *asked, "--", *map(str, paths)]
    made = subprocess.run(command, capture_output=True, text=True, check=True)
    answers = json.loads(made.stdout.splitlines()[-1])
    return [(answers[one][0], answers[one][1].encode("latin-1")) for one in asked]


@contextmanager
def replay_server(*paths):
    """The URL of pywb, which serves WARC and WACZ files at /c/TIME/URL."""
    script = Path(__file__).with_name("replay_with_pywb.py")
    command = [PYWB, str(script), "serve", "--", *map(str, paths)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        yield next(line for line in process.stdout if line.startswith("http://")).strip()  # pywb writes lines before
        process.stdin.close()
        process.wait(timeout=60)
