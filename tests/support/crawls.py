"""A crawl: WARC files made of pages, whose links are known."""

from __future__ import annotations

from support.paths import FIXTURES
from support.web_archives import INFO, http, record, zipped

#: Pages with differences: encodings, BASE, srcset, a query in another encoding, no links.
SITE = sorted((FIXTURES / "site").rglob("*.html"))


def page(number):
    """The URL and the HTML of a page."""
    if number % 7 == 0:
        path = SITE[number % len(SITE)]
        return f"https://example.com/site/{number}/{path.name}", path.read_bytes()
    links = "".join(
        f"<a href='../{number}/{link}?a=1&amp;b=&copy=2'>x</a><img srcset='a{link}.png 2x, b.png'>"
        for link in range(number % 5)
    )
    return f"https://example.com/dir/{number}.html", f"<base href='/b{number % 3}/'><p>{links}".encode()


def archive(pages, *, pack=zipped):
    """A WARC file of (URL, HTML)."""
    return pack(INFO, *(record(http(html, content_type="text/html"), url=url) for url, html in pages))


def crawl(folder, *, files=3, pages=40):
    """Make a folder of WARC files. Returns their pages."""
    folder.mkdir(parents=True, exist_ok=True)
    made = [page(number) for number in range(files * pages)]
    for number in range(files):
        (folder / f"{number}.warc.gz").write_bytes(archive(made[number * pages : (number + 1) * pages]))
    return made
