"""The marks of web archives count where archives put them, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from support.growth import assert_linear

from linkfix.saved import find_marks

URL = "https://example.com/a/page.html?x=1&y=2"
WAYBACK = "https://web.archive.org/web/20230329232414/"
WOMBAT = f'__wm.wombat("{URL}","20230329232414");'
WBINFO = f'wbinfo.url = "{URL}";'
BOOKMARK = f'<link rel="bookmark" href="https://archive.today/20171216074022/{URL}">'
FORM = (
    f'<form action="/web/form-submit.jsp"><input id="wmtbURL" value="{URL}"><input name="date" value="20150224052217">'
)
#: The text of a mark, at a place that no archive uses.
ELSEWHERE = [
    f"<!-- <script>{WOMBAT}</script> -->",
    f"<p>{WOMBAT}</p>",
    f"<p title='{WOMBAT}'>",
    f"<p title='<script>{WOMBAT}</script>'>",
    f"<textarea><script>{WOMBAT}</script></textarea>",
    f"<title>{WOMBAT}</title>",
    f"<style><script>{WOMBAT}</script></style>",
    f"<plaintext><script>{WOMBAT}</script>",
    f"<script>var s = '{WOMBAT}';</script>",
    f"<script>var s = '; {WOMBAT} ';</script>",
    f"<script>var s = 'it\\'s; {WOMBAT}';</script>",
    f"<script>var s = `\n{WOMBAT}\n`;</script>",
    f"<script>// {WOMBAT}\n</script>",
    f"<script>/* \n{WOMBAT}\n */</script>",
    f"<script>'unclosed; {WOMBAT}</script>",
    f'<script type="application/json">{WOMBAT}</script>',
    f"<script type=text/template>{WOMBAT}</script>",
    f"<script src='{WOMBAT}'></script>",
    f"<script>var s = '\\n{WBINFO}';</script>",
    f"<p>{WBINFO}",
    f'<script>s = \'__wm.bt(1,1,"web","{URL}","20121225000539",1996)\'</script>',
    '<script>s = \'WB_wombat_Init("https://web.archive.org/web/", "20230329232414", "h:80")\'</script>',
    """<script>s = 'new ContentFrame({"url": "http://h/", "prefix": "http://a/", "request_ts": ""})'</script>""",
    f"<!-- {BOOKMARK} -->",
    f"<script>s = '{BOOKMARK}'</script>",
    f"<p title='{BOOKMARK}'>",
    f"<textarea>{FORM}</textarea>",
    f"<p title='{FORM}'>",
    f'<!-- <div id="wm-ipp-print">The Wayback Machine - {WAYBACK}http://h/</div> -->',
    f"""<div title='id="wm-ipp-print"'>The Wayback Machine - {WAYBACK}http://h/</div>""",
    f"""<div data-x='id="wm-ipp-print">The Wayback Machine - {WAYBACK}http://h/'></div>""",
    f'<xmp><link rel="canonical" href="https://archive.is/20170201/{URL}"></xmp>',
]


@pytest.mark.parametrize("text", ELSEWHERE)
def test_marks_of_archives_are_used_only_in_their_places(text):
    assert find_marks(f"<!DOCTYPE html><html>{text}<p>rest".encode()) == []


#: Text before a mark in the script of an archive.
BEFORE = [
    "",
    "//<![CDATA[\n",
    "/* it's \" */ ",
    'var a = "//", b = \'/*\', c = `"`, d = 4 / 2; ',
    "x = 'it\\'s';\r\n// \"\r\n",
    "var a = 'a\\\nb';",
]


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("tag", ["<script>", '<script type="text/javascript">', "<SCRIPT async type='module'>"])
def test_marks_of_archives_in_scripts(before, tag):
    text = f"<html><p title='<script>'><!-- ' --><style>'</style>{tag}{before}{WOMBAT}</script>"
    (found,) = find_marks(text.encode())
    assert found.value.url == f"{WAYBACK}{URL}"


def test_values_of_another_script_do_not_count():
    """pywb writes them all into one."""
    text = f'<script>{WBINFO}</script><script>wbinfo.timestamp = "2020"; wbinfo.prefix = "http://other/";</script>'
    assert [found.value.url for found in find_marks(text.encode())] == [URL]


def test_each_archive_has_one_mark():
    """Its script and its toolbar may have another scheme: both are the archive's, and the one that says most counts."""
    text = (
        '<html><script>__wm.wombat("https://h/us","20230417025426","https://web.archive.org/","web");</script><script>'
        '__wm.bt(700,27,25,2,"web","http://h/us","20230417025426",1996);</script><form action="/web/form-submit.jsp">'
        '<input id="wmtbURL" value="http://h/"><input name="date" value="2010">'
    )
    urls = [found.value.url for found in find_marks(text.encode())]
    assert urls == ["https://web.archive.org/web/20230417025426/https://h/us"]


def test_a_bookmark_alone_is_a_guess():
    (found,) = find_marks(f"<html><head>{BOOKMARK}".encode())
    assert found.value.guess == "is not confirmed by a canonical link"
    in_comment = f'<html><head><!-- <link rel="canonical" href="https://archive.is/YWPHo"> -->{BOOKMARK}'
    assert find_marks(in_comment.encode())[0].value.guess
    own = f'<html><head><link rel="canonical" href="https://archive.is/YWPHo">{BOOKMARK}'
    assert not find_marks(own.encode())[0].value.guess


def test_a_stated_url_is_preferred_to_a_guess():
    form = (
        '<form action="https://archive.is/search/"><input name="q" value="https://h/"><input type="hidden" name="t" '
        'value="1525559335681">'
    )
    (found,) = find_marks(f"<html><head>{BOOKMARK}<body>{form}".encode())
    assert (found.value.url, found.value.guess) == ("https://archive.is/20180505222855/https://h/", "")


# Hostile pages

HOSTILE = [
    b"<!--",
    b"<!-- -->",
    b"<script>",
    b"<a>",
    b'<a b="',
    b"<title>",
    b"'\\",
    b"'a'",
    b"`",
    b"/*",
    b"/",
    b"//",
    b'wbinfo.url = "\\',
    b'new ContentFrame({"url": "',
    b'id="wmtbURL"',
]


@pytest.mark.growth
@pytest.mark.parametrize("unit", HOSTILE)
@pytest.mark.parametrize("mark", [b'__wm.bt(1,"web","http://h/","20200101");', b'<input id="wmtbURL" value="x">'])
@pytest.mark.parametrize("start", [b"", b"<script>"])
def test_marks_behind_hostile_text_take_linear_time(unit, mark, start):
    def prepare(size: int) -> Callable[[], object]:
        return partial(find_marks, start + unit * (size // len(unit)) + mark + b"</script>")

    assert_linear(prepare, 20_000)
