"""One HTML file of a page and what it shows."""

from __future__ import annotations

import base64
import re
from urllib.parse import unquote

import pytest

from linkfix import Envelope
from linkfix.document.single_file import Resource, SingleFile

PNG = b"\x89PNG\r\n\x1a\n"
TYPES = {
    "png": "image/png",
    "css": "text/css",
    "html": "text/html",
    "js": "text/javascript",
    "svg": "image/svg+xml",
    "woff2": "font/woff2",
}
POLICY = b"""<meta http-equiv="Content-Security-Policy" content="script-src 'none'"/>"""


def made(page, problems=None, *, charset=None, max_size=1 << 20, scripts="keep", images="one", **files):
    """The single file of a page at https://h/p. `files`: others, by name with "_" for the dot."""

    def find(url):
        name = url.removeprefix("https://h/")
        data = files.get(name.replace(".", "_"))
        media_type = TYPES.get(name.rpartition(".")[2], "text/html")
        return None if data is None else Resource(data, media_type, Envelope(url, media_type=media_type))

    note = (lambda _: None) if problems is None else problems.append
    page = Resource(page, "text/html", Envelope("https://h/p", charset, "text/html"))
    return SingleFile(find, note, max_size=max_size, scripts=scripts, images=images).page(page)


def url(data, type_):
    return b"data:%s;base64,%s" % (type_.encode(), base64.b64encode(data))


IMAGE = url(PNG, "image/png")


def opened(data):
    """The contents of the data: URLs in a document, and of those in them."""
    for type_, text in re.findall(rb"data:([^,]*);base64,([A-Za-z0-9+/=]*)", data):
        content = base64.b64decode(text)
        yield type_.decode(), content
        yield from opened(content)


def test_pictures_are_embedded_and_other_links_become_absolute():
    page = (
        b"<img src=a.png><a href=a.png></a><a href=b.html></a><img src=none.png>"
        b"<link rel=icon href=a.png><link rel=author href=a.png>"
    )
    assert made(page, a_png=PNG, b_html=b"x") == (
        b"<img src=%s><a href=https://h/a.png></a><a href=https://h/b.html></a><img src=https://h/none.png>"
        b"<link rel=icon href=%s><link rel=author href=https://h/a.png>" % (IMAGE, IMAGE)
    )


def test_style_sheets_have_their_imports_and_fonts():
    page = made(
        b"<link rel=stylesheet href=a.css><style>@import 'b.css'; p { background: url(i.png) }</style>",
        a_css=b"@import url(b.css); p { background: url(i.png) }",
        b_css=b"@font-face { src: url(f.woff2) } p { background: url(none.png) }",
        i_png=PNG,
        f_woff2=b"font",
    )
    types = [type_ for type_, _ in opened(page)]
    sheet = "text/css;charset=windows-1252"
    assert types == [sheet, sheet, "font/woff2", "image/png", sheet, "font/woff2", "image/png"]
    assert dict(opened(page))["font/woff2"] == b"font"
    inner = [content for type_, content in opened(page) if type_.startswith("text/css")][1]
    assert inner == b"@font-face { src: url(%s) } p { background: url(https://h/none.png) }" % url(
        b"font", "font/woff2"
    )


def test_the_encoding_of_a_style_sheet_is_that_of_its_page():
    sheet = b"p::before { content: '\xff' }"
    page = made(b"<meta charset=windows-1251><link rel=stylesheet href=a.css>", a_css=sheet)
    assert list(opened(page)) == [("text/css;charset=windows-1251", sheet)]
    page = made(b"<meta charset=windows-1251><link rel=stylesheet href=a.css>", a_css=b'@charset "koi8-r";' + sheet)
    assert [type_ for type_, _ in opened(page)] == ["text/css;charset=koi8-r"]


def test_the_page_declares_its_encoding():
    assert made(b"<head><p>\xff", charset="windows-1251") == b'<head><meta charset="windows-1251"><p>\xff'


@pytest.mark.parametrize(
    ("images", "srcset"),
    [("one", b"%s 2x" % IMAGE), ("all", b"%s 1x, %s 2x" % (IMAGE, IMAGE))],
)
def test_pictures_of_a_srcset(images, srcset):
    page = b"<img srcset='a.png 1x, b.png 2x, none.png 3x' src=a.png>"
    assert made(page, images=images, a_png=PNG, b_png=PNG) == b"<img srcset='%s' src=%s>" % (srcset, IMAGE)


def test_a_srcset_without_pictures_goes_if_there_is_another():
    page = b"<picture><source srcset='none.png 2x'><img src=a.png srcset=none.png></picture><img srcset=none.png>"
    assert made(page, a_png=PNG) == b"<picture><source><img src=%s></picture><img srcset=https://h/none.png>" % IMAGE


def test_fragments_stay_on_data_urls():
    page = made(b"<img src=a.svg#part><svg><use href=a.svg#id /></svg>", a_svg=b"<svg/>")
    assert page == b"<img src=%s#part><svg><use href=https://h/a.svg#id /></svg>" % url(
        b"<svg/>", "image/svg+xml;charset=utf-8"
    )


def test_frames_are_embedded_and_pages_that_links_lead_to_are_not():
    page = made(b"<iframe src=a.html#x></iframe><a href=a.html>", a_html=b"<img src=i.png><a href=p>", i_png=PNG)
    inner = b"<img src=%s><a href=https://h/p>" % IMAGE
    frame = url(inner, "text/html;charset=windows-1252")
    assert page == b"<iframe src=%s#x></iframe><a href=https://h/a.html>" % frame


def test_documents_in_themselves_are_empty():
    page = made(b"<iframe src=a.html></iframe><iframe src=p></iframe>", p=b"", a_html=b"<iframe src=a.html></iframe>")
    assert b"<iframe src=data:,></iframe>" in dict(opened(page)).popitem()[1]
    page = made(
        b"<link rel=stylesheet href=a.css>", a_css=b"@import 'b.css'; @import 'a.css'", b_css=b"@import 'a.css'"
    )
    assert [content for _, content in opened(page)][-1] == b"@import 'data:,'"


def test_deep_documents_are_a_problem():
    problems = []
    files = {f"s{number}_css": b"@import 's%d.css'" % (number + 1) for number in range(50)}
    made(b"<link rel=stylesheet href=s0.css>", problems, max_size=1 << 24, **files)
    assert [problem.code for problem in problems] == ["embed-depth"]


def test_many_times_nested_style_sheets_take_bounded_space():
    problems = []
    files = {
        f"s{number}_css": b"@import 's%d.css'; @import 's%d.css?';" % (number + 1, number + 1) for number in range(40)
    }
    files["s12_css"] = b"a" * 1000
    page = made(b"<link rel=stylesheet href=s0.css>", problems, max_size=100_000, **files)
    assert len(page) < 200_000
    assert {problem.code for problem in problems} == {"embed-limit"}


def test_a_file_that_does_not_fit_stays_absolute():
    problems = []
    page = made(b"<img src=a.png><img src=b.png>", problems, max_size=100, a_png=bytes(200), b_png=PNG)
    assert page == b"<img src=https://h/a.png><img src=%s>" % IMAGE
    (problem,) = problems
    assert (problem.code, problem.message.rpartition(": ")[2], problem.start) == ("embed-limit", "https://h/a.png", 9)


def test_scripts_are_kept_or_stopped():
    page = b"<!doctype html><html><head><script src=a.js></script><iframe src=f.html></iframe>"
    files = {"a_js": b"1", "f_html": b"<script>2</script>"}
    kept = made(page, **files)
    assert b"script-src" not in kept
    assert ("text/javascript;charset=windows-1252", b"1") in opened(kept)
    stopped = made(page, scripts="drop", **files)
    assert stopped.startswith(b"<!doctype html><html><head>" + POLICY + b"<script src=https://h/a.js></script>")
    assert [content for _, content in opened(stopped)] == [POLICY + b"<script>2</script>"]


def test_policies_that_refuse_data_urls_go():
    page = (
        b"<meta http-equiv=Content-Security-Policy content=\"default-src 'self'\"><img src=a.png integrity crossorigin>"
    )
    assert made(page, a_png=PNG) == b"<img src=%s>" % IMAGE


def test_base_goes():
    assert made(b"<base href=/d/ target=x><img src=../a.png>", a_png=PNG) == b"<base target=x><img src=%s>" % IMAGE


def test_links_of_named_files_stay():
    find = {"https://files.invalid/a.png": Resource(PNG, "image/png", Envelope(), by_name=True)}.get
    page = Resource(b"<img src=a.png><a href=b.html>", "text/html", Envelope("https://files.invalid/p"), by_name=True)
    made = SingleFile(find, lambda _: None, max_size=1000, scripts="keep").page(page)
    assert made == b"<img src=%s><a href=b.html>" % IMAGE


def test_passwords_do_not_stay_in_problems():
    problems = []
    made(b"<img src=https://me:secret@h/x.png>", problems, max_size=0)
    page = Resource(b"<img src='https://me:secret@h/x'>", "text/html", Envelope("https://h/p"))
    SingleFile(lambda _: Resource(b"x", "image/png", Envelope()), problems.append, max_size=0).page(page)
    assert [unquote(problem.message).count("secret") for problem in problems] == [0]
