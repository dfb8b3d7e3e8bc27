"""One source, two speeds: the compiled modules and the plain ones give the same, and the work grows with the input."""

from __future__ import annotations

import json
import os
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from support.edge_values import FIXED_VALUES, ampersands, document_of
from support.growth import assert_linear
from support.paths import CHECKOUT
from support.sizes import sized
from support.vectors import CORPUS

import linkfix

PACKAGE = Path(linkfix.__file__).parent
MEDIA_TYPES = {
    ".html": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".svg": "image/svg+xml",
    ".css": "text/css",
}
DOCUMENTS = [path for path in sorted((CHECKOUT / "fixtures").rglob("*")) if path.suffix in MEDIA_TYPES]
PAGES = DOCUMENTS + CORPUS[:20]

SCRIPT = """
import hashlib, json, sys
import linkfix
from linkfix.kernels.link_table import LinkTable
from linkfix.model import LINK_COLUMNS
from linkfix.kernels.link_table import TextCells
types = json.loads(sys.argv[1])
found = [linkfix.COMPILED]
for line in sys.stdin:
    path = line.rstrip("\\n")
    data = open(path, "rb").read()
    kind = types["." + path.rpartition(".")[2]]
    document = linkfix.Document(data, url="https://example.com/a/b.html?c#d", media_type=kind)
    digest = hashlib.sha256(document.absolutize()).hexdigest()
    columns = document.link_columns()
    table = LinkTable(LINK_COLUMNS, columns.count, 1 << 30)
    taken = [table.open(columns, path, 0, document.column_units), table.add(0), columns.count]
    for column in table.take():
        if isinstance(column, TextCells):
            taken += [column.nulls, column.data.hex(), column.valid.hex(), list(column.offsets[: columns.count + 1])]
        else:
            taken.append(list(column[: columns.count]))
    taken = hashlib.sha256(repr(taken).encode()).hexdigest()
    found.append([path, digest, document.links, document.problems, str(document.base), taken])
print(json.dumps(found))
"""


def run(paths: list[Path], package: Path) -> list:
    environment = {**os.environ, "PYTHONPATH": str(package.parent), "PYTHONSAFEPATH": "1"}
    lines = "".join(f"{path}\n" for path in paths)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps(MEDIA_TYPES)],
        input=lines,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.skipif(not linkfix.COMPILED, reason="no module is compiled here")
def test_compiled_equals_plain(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "linkfix", ignore=shutil.ignore_patterns("*.so", "*.pyd", "__pycache__"))
    edges = tmp_path / "edges.html"
    edges.write_text("".join(document_of([*FIXED_VALUES, *ampersands()], quote) for quote in ('"', "'", "")), "utf-8")
    pages = [*PAGES, edges]
    compiled = run(pages, PACKAGE)
    plain = run(pages, tmp_path / "linkfix")
    assert (compiled[0], plain[0]) == (True, False)
    assert len(compiled) == len(pages) + 1 > 40
    for one, other in zip(compiled[1:], plain[1:], strict=True):
        assert one == other


HOSTILE = {
    "<": b"<",
    "tags": b"<p>",
    "nested": b"<div>",
    "nested svg": b"<svg><g>",
    "svg end tags": b"<svg></zz>",
    "points": b"<svg><foreignObject><i></b>",
    "templates": b"<template>",
    "attributes": b"<a " + b"a=b " * 50 + b">",
    "one tag": b" a='b' href=x",
    "unclosed comment": b"<!-- ",
    "unclosed script": b"<script><!--",
    "script escapes": b"<!--<script>",
    "cdata": b"<svg><![CDATA[",
    "references": b"<a href='x?&amp;y'>",
    "odd references": b"<a href='\xe9&#x2e;'>",
    "ampersands": b"<a href='" + b"&amp" * 30 + b"'>",
    "base": b"<base href=/x/>",
    "srcset": b"<img srcset='a 1x, b 2x'>",
    "style": b"<p style='background:url(x)'>",
    "quotes": b"<a href=\"'",
    "colons": b"<a href=a/b:c:d:e:f:g>",
    "metas": b"<meta charset=x http-equiv=refresh content='1;url=x'>",
}


@pytest.mark.growth
@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE.keys())
def test_doubling_the_input_doubles_the_work(piece: bytes) -> None:
    def prepare(size: int) -> Callable[[], object]:
        return partial(linkfix.absolutize, piece * (size // len(piece)), url="https://example.com/a/")

    assert_linear(prepare, max(sized(60_000), 12_000))


#: Values with many references: the text before, one reference, the text after. All have a bare "&", so that the writer
#: checks the value.
LISTS = {
    "srcset": (b'<img srcset="', b"x?a&b 1x, ", b'">'),
    "unquoted srcset": (b"<img srcset=", b"x?a&b,&#32;", b">"),
    "ping": (b'<a ping="', b"x?a&b ", b'">'),
    "archive of object": (b'<object archive="', b"x?a&b ", b'">'),
    "archive of applet": (b'<applet archive="', b"x?a&b,", b'">'),
    "style attribute": (b'<p style="', b"background:url(x?a&b);", b'">'),
    "style attribute, not ASCII": (b'<p style="', b"background:url(x?\xc3\xa9&b);", b'">'),
    "style attribute, not valid": (b'<p style="', b"background:url(x?\xe9&b);", b'">'),
    "image-set in references": (b'<p style="', b"a:image-set(&quot/x&quot 1x);", b'">'),
    "style element": (b"<style>", b"a{background:url(x?a&b)}", b"</style>"),
    "style in svg": (b"<svg><style>", b"a{background:url(x?a&amp;b)}<!---->", b"</style>"),
    "srcdoc": (b'<iframe srcdoc="', b"<a href='x?a&b'>", b'">'),
    "srcdoc in references": (b'<iframe srcdoc="', b"<a href=&quot/x&quot>", b'">'),
    "import map": (b'<script type=importmap>{"imports":{"a":"./x"', b',"b":"./x?a&b"', b"}}</script>"),
    "speculation rules": (
        b'<script type=speculationrules>{"prefetch":[{"urls":["/x"',
        b',"/x?a&b"',
        b"]}]}</script>",
    ),
    "linked data": (b'<script type=application/ld+json>{"url":["x"', b',"x?a&b"', b"]}</script>"),
    "refresh pragmas": (b"", b'<meta http-equiv=refresh content="0;url=&quot/x?a&b&quot">', b""),
    "bases": (b"", b'<base href=" /x ">', b""),
}


def _rewrite(html: bytes, url: str) -> bytes:
    return linkfix.rewrite(html, lambda link: f"{link.reference}z", url=url, json_ld=True)


@pytest.mark.growth
@pytest.mark.parametrize(
    "work",
    [partial(linkfix.absolutize, json_ld=True), partial(linkfix.links, json_ld=True), _rewrite],
    ids=["absolutize", "links", "rewrite"],
)
@pytest.mark.parametrize(("before", "one", "after"), LISTS.values(), ids=LISTS.keys())
def test_twice_the_references_in_a_value_are_twice_the_work(
    before: bytes, one: bytes, after: bytes, work: Callable[..., object]
) -> None:
    def prepare(count: int) -> Callable[[], object]:
        return partial(work, before + one * count + after, url="https://example.com/a/")

    assert_linear(prepare, sized(1_000), 4)


def test_srcdoc_in_srcdoc_has_a_limit() -> None:
    html = "<a href=x>"
    for _ in range(12):
        html = '<iframe srcdoc="' + html.replace("&", "&amp;").replace('"', "&quot;") + '"></iframe>'
    document = linkfix.Document(html, url="https://example.com/")
    assert document.links == []
    assert [problem.code for problem in document.problems] == ["srcdoc-depth"]
    assert document.absolutize() == html


@pytest.mark.slow
def test_the_benchmark_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.syspath_prepend(str(CHECKOUT / "bench"))
    bench = runpy.run_path(str(CHECKOUT / "bench" / "engine.py"))
    bench["main"](["--rounds", "1", f"fixtures={CHECKOUT / 'fixtures' / 'site'}"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"linkfix {linkfix.__version__}, ")
    assert lines[-1].split()[0] == "fixtures"
