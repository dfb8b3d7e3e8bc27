"""The tree for the examples in the rules' docstrings, and a reader of these examples."""

from __future__ import annotations

import json
import re
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

from support.captured import exchange

BASE = "https://site.example/"
PAGE = "docs/page.html"

OTHER = """<!doctype html><meta charset="utf-8"><title>other</title>
<h1 id="chapter">Chapter</h1> <h2 id="part-2">Part 2</h2> <p id="Gruß">Gruß</p> <a name="named">named</a>
"""
LISTING = "".join(f'<span id="{number}">{number}</span>\n' for number in range(1, 21))
MOVED = """<!doctype html><meta charset="utf-8"><title>moved</title>
<meta http-equiv="refresh" content="0; url=other.html">
<script>location.replace("other.html" + location.search + location.hash);</script>
"""
GONE_ON = """<!doctype html><meta charset="utf-8"><title>gone on</title>
<meta http-equiv="refresh" content="0; url=other.html">
"""
PLAIN = '<!doctype html><meta charset="utf-8"><title>page</title><p id="top">text</p>\n'

FILES = {
    "index.html": PLAIN,
    "docs/index.html": PLAIN,
    "docs/other.html": OTHER,
    "docs/Upper.html": PLAIN,
    "docs/folder/index.html": PLAIN,
    "docs/folder/a:b.html": PLAIN,
    "docs/empty/notes.txt": "notes",
    "docs/archive.txt.gz": "",
    "docs/moved.html": MOVED,
    "docs/gone-on.html": GONE_ON,
    "docs/listing.html": LISTING,
    "docs/style.css": "p { color: black }",
    "docs/img.png": "",
    "docs/img@2x.png": "",
    "docs/picture.png": "",
    "docs/with space.html": PLAIN,
    "docs/chapter1:intro.html": PLAIN,
    "docs/File:a.png": "",
}
#: Symbolic links of the tree -> their targets.
LINKS = {"docs/linked.html": "other.html", "docs/outside.html": "../../outside-of-it.html"}


def make(folder: Path, page: str | bytes, name: str = PAGE) -> Path:
    """Write the tree into `folder`, with `page` as the file `name`; a str in UTF-8. Returns its root."""
    root = folder / "site"
    (folder / "outside-of-it.html").write_text(PLAIN, "utf-8")
    for file, text in FILES.items():
        path = root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    for link, target in LINKS.items():
        (root / link).symlink_to(target)
    (root / name).write_bytes(page if isinstance(page, bytes) else page.encode())
    return root


#: A URL of another site, at which nothing is.
GONE = "https://elsewhere.example/gone"


def results(folder: Path) -> str:
    """Write a report of lychee into `folder`: `GONE` is broken. Returns its path."""
    path = folder / "lychee.json"
    status = {"text": "Rejected status code: 404 Not Found", "code": 404}
    path.write_text(json.dumps({"error_map": {"stdin": [{"url": GONE, "status": status}]}}), "utf-8")
    return str(path)


def archive(folder: Path, page: str) -> Path:
    """Write a WARC file into `folder`: the tree's files, `page`, and `docs/gone.html` with status 404."""
    records = [exchange(BASE + name, text.encode(), _TYPES[Path(name).suffix]) for name, text in FILES.items()]
    records.append(exchange(BASE + PAGE, page.encode()))
    records.append(exchange(f"{BASE}docs/gone.html", PLAIN.encode(), status=404))
    path = folder / "site.warc"
    path.write_bytes(b"".join(records))
    return path


_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css",
    ".png": "image/png",
    ".txt": "text/plain",
    ".gz": "application/gzip",
}


class Example(NamedTuple):
    """An example of a rule's docstring."""

    fails: bool
    """Whether the rule finds something in it."""
    page: str
    """The HTML."""
    name: str = PAGE
    """The name of the page in the tree."""
    base_url: str = BASE
    """The URL that the tree is served at."""
    is_archived: bool = False
    """Whether the tree is in an archive: see `archive`."""
    has_results: bool = False
    """Whether lychee found `GONE` broken: see `results`."""


_HEADING = re.compile(
    r"(Fails|Passes)(?:, as (\S+)|, in a site at (\S+)|(, in an archive)|(, with a report of lychee on it))?::"
)


def examples(text: str) -> list[Example]:
    """The examples of a cleaned docstring: the indented blocks after `Fails::` and `Passes::`."""
    found = []
    heading = None
    block: list[str] = []
    for line in [*text.splitlines(), "end"]:
        if heading is not None and (not line or line.startswith(" ")):
            block.append(line)
            continue
        if heading is not None:
            page = dedent("\n".join(block)).strip("\n")
            fields = heading[2] or PAGE, heading[3] or BASE, bool(heading[4]), bool(heading[5])
            found.append(Example(heading[1] == "Fails", page, *fields))
        heading, block = _HEADING.fullmatch(line), []
    return found
