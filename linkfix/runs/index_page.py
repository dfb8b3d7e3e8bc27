"""The index page of an unpacked archive: its pages with their titles, URLs, times and sizes."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import quote

from linkfix.containers.exchanges import readable_time
from linkfix.display import visible
from linkfix.encodings.encoding import Encoding
from linkfix.lazy import lazy_pattern

#: The beginning of a comment or title.
_BEGINNING = lazy_pattern(rb"(?i)<!--|<title(?:[\t\n\f\r /][^>]*+)?+>")

_TITLE_END = lazy_pattern(rb"(?i)</title")

#: The number of bytes of a page in which its title is searched, and the number of characters that are shown.
_HEAD, _LONGEST = 1 << 16, 200


class ListedPage(NamedTuple):
    """A page of the index."""

    path: str
    title: str
    url: str
    """Without passwords."""
    time: str
    """As in `linkfix.containers.exchanges.Exchange`."""
    size: int
    """In bytes."""


def title_of(data: bytes, encoding: Encoding) -> str:
    """The text of a page's first TITLE, on one line; "" for none."""
    head = data[:_HEAD]
    at = 0
    while beginning := _BEGINNING.search(head, at):
        if beginning[0] == b"<!--":
            at = head.find(b"-->", beginning.end())
            if at < 0:
                break
        else:
            end = _TITLE_END.search(head, beginning.end())
            raw = head[beginning.end() : end.start()] if end else b""
            return " ".join(html.unescape(encoding.decode(raw)).split())[:_LONGEST]
    return ""


def index_page(name: str, pages: Iterable[ListedPage]) -> bytes:
    """The index page of an archive with this name, in order of the pages' URLs and paths. It has no scripts."""
    rows = "".join(map(_row, sorted(pages, key=lambda page: (page.url, page.path))))
    title = _text(name)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Pages of {title}</title>
<style>
body {{ font-family: sans-serif; margin: 2em; }}
table {{ border-collapse: collapse; }}
th, td {{ border-bottom: 1px solid #ccc; padding: 0.3em 1em 0.3em 0; text-align: left; overflow-wrap: anywhere; }}
td:nth-child(n + 3) {{ white-space: nowrap; }}
</style>
</head>
<body>
<h1>Pages of {title}</h1>
<table>
<thead><tr><th>Page</th><th>URL</th><th>Time (UTC)</th><th>Bytes</th></tr></thead>
<tbody>
{rows}</tbody>
</table>
</body>
</html>
""".encode("utf-8", "replace")


def _row(page: ListedPage) -> str:
    link = quote(page.path, "/", errors="surrogateescape")
    cells = (
        f'<a href="{link}">{_text(page.title or page.path)}</a>',
        _text(page.url),
        readable_time(page.time),
        f"{page.size:,}",
    )
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>\n"


def _text(text: str) -> str:
    return html.escape(visible(text))
