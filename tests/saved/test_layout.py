from __future__ import annotations

from urllib.parse import quote, unquote, urlsplit

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from linkfix.saved.neighbours import HTTrackIndex, Location, host_of_folder, httrack_path, locate, wget_path

AUTHORITIES = [
    ("example.com", None, "example.com"),
    ("example.com:8080", "wget", "example.com:8080"),
    ("example.com+8080", "wget", "example.com:8080"),
    ("example.com_8080", "httrack", "example.com:8080"),
    ("example.com_8080", "wget", None),
    ("example.com+8080", "httrack", None),
    ("127.0.0.1+8765", None, "127.0.0.1:8765"),
    ("localhost_80", None, "localhost:80"),
    ("localhost", None, "localhost"),
    ("xn--e1afmkfd.xn--p1ai", None, "xn--e1afmkfd.xn--p1ai"),
    ("b\u00fccher.example", None, "b\u00fccher.example"),
    ("a_b.example.org", None, "a_b.example.org"),
    ("example", None, None),
    ("page_files", None, None),
    ("page.html", None, None),
    ("node.js", None, None),
    ("v1.2", None, None),
    ("..", None, None),
    (".git", None, None),
    ("", None, None),
    ("a b.com", None, None),
    ("example.com:port", None, None),
]


@pytest.mark.parametrize(("folder", "layout", "expected"), AUTHORITIES)
def test_host_of_folder(folder, layout, expected):
    assert host_of_folder(folder, layout) == expected


LOCATIONS = [
    ("/m", "h.example/a/b.html", Location("h.example/", "", "h.example", "", "a/b.html")),
    ("/m", "https/h.example/b.html", Location("https/h.example/", "", "h.example", "https", "b.html")),
    ("/m/http", "h.example/b.html", Location("h.example/", "", "h.example", "http", "b.html")),
    ("/m", "x/h.example/to/i.example/b.html", Location("x/h.example/", "", "h.example", "", "to/i.example/b.html")),
    ("/m/h.example", "a/b.html", Location("", "", "h.example", "", "a/b.html")),
    ("/m/ftp/h.example/a", "b.html", Location("", "a/", "h.example", "ftp", "a/b.html")),
    ("/m", "h.example", None),
    ("/m", "a/b.html", None),
]


@pytest.mark.parametrize(("root", "name", "expected"), LOCATIONS)
def test_locate(root, name, expected):
    assert locate(root, name, "wget") == expected


def test_a_folder_of_the_host_belongs_to_the_tree():
    assert LOCATIONS[0][2].folder_of("a/") == "h.example/a/"
    assert LOCATIONS[5][2].folder_of("a/c/") == "c/"
    assert LOCATIONS[5][2].folder_of("d/") is None


WGET = [
    ("index.html", "/"),
    ("a/index.html", "/a/"),
    ("a/page.html", "/a/page.html"),
    ("page.html?q=1", "/page.html?q=1"),
    ("page.html?q=1.html", "/page.html?q=1"),
    ("page.html@q=1.html", "/page.html?q=1"),
    ("page.html@q=1.orig", "/page.html?q=1"),
    ("page.html.orig", "/page.html"),
    ("index.html@p=3.html", "/?p=3"),
    ("list@p=3", "/list?p=3"),
    ("ledger.xhtml.html", "/ledger.xhtml"),
    ("view.php.html", "/view.php"),
    ("view.php?a=b.css", "/view.php?a=b"),
    ("about.html", "/about.html"),
    ("jquery@3.6.0.min.js", "/jquery@3.6.0.min.js"),
    ("photo@2x.png", "/photo@2x.png"),
    ("style.css@v2.css", "/style.css?v2"),
    ("api.html@path=..%2Fshelf%2F.%2Ftop.html", "/api.html?path=../shelf/./top"),
    ("a%3Ab/c%2Ad", "/a:b/c*d"),
    ("a%7Cb?x%3Fy", "/a%7Cb?x?y"),
    ("100%", "/100%25"),
    ("a b#c", "/a%20b%23c"),
    ("caf\u00e9", "/caf%C3%A9"),
    ("caf\udce9", "/caf%E9"),
    ("caf%E9", "/caf%E9"),
    (".html", "/.html"),
]


@pytest.mark.parametrize(("name", "path"), WGET)
def test_wget_path(name, path):
    assert wget_path(name) == path


def test_httrack_path():
    assert httrack_path("a/index.html") == "/a/"
    assert httrack_path("index-2.html") == "/index-2.html"
    assert httrack_path("a@b=c?.html") == "/a@b=c%3F.html"


# wget's rules, from URL to name (url.c, `url_file_name`), and back

UNIX, WINDOWS = frozenset("/"), frozenset('"*/:<>?\\|')


def wget_name(path, query, *, windows=False, ascii_only=False, adjust=False):
    """The name that wget gives to a page."""
    unsafe = WINDOWS if windows else UNIX

    def element(text):
        plain = unquote(text, errors="surrogateescape")
        return "".join(
            quote(char, safe="", errors="surrogateescape")
            if char in unsafe or ord(char) < 32 or (ascii_only and not char.isascii())
            else char
            for char in plain
        )

    segments = path.split("/")
    name = "/".join(element(segment) for segment in segments[:-1]) + "/" + element(segments[-1] or "index.html")
    if query:
        name += ("@" if windows else "?") + element(query)
    return name.lstrip("/") + (".html" if adjust and query else "")


# URLs that file names keep whole: no empty or dot segment, no part that looks like a suffix or an @, no % and no escape
# of a character that stays escaped.
SEGMENT = st.text("abcxyz019-_~!$&'()*+,;=: \u00e9\u4e16|", min_size=1, max_size=8)
FILE = st.one_of(st.just(""), st.builds("{}.{}".format, SEGMENT, st.sampled_from(["html", "php", "htm"])))
QUERY = st.text("abcxyz019-_~=&/?:*\u00e9 ", min_size=1, max_size=10)


@given(
    st.lists(SEGMENT, max_size=3),
    FILE,
    st.one_of(st.none(), QUERY),
    st.booleans(),
    st.booleans(),
)
def test_wget_names_lead_back(folders, file, query, windows, ascii_only):
    assume(file != "index.html")
    path = "".join(f"/{folder}" for folder in folders) + f"/{file}"
    quoted = quote(path, safe="/!$&'()*+,;=:~"), query and quote(query, safe="/?!$&'()*+,;=:~")
    name = wget_name(*quoted, windows=windows, ascii_only=ascii_only, adjust=True)
    back = urlsplit("http://h" + wget_path(name))
    assert unquote(back.path) == path
    assert unquote(back.query) == (query or "")


# HTTrack's list

HEAD_SIZE = "date\tsize\tflags\tcode\tstatus\tMIME\tEtag\tURL\tlocalfile\t(from URL)\n"


def row(url, file, code=200):
    return f"22:25:52\t1/1\t---M--\t{code}\tadded ('OK')\ttext/html\tdate:x\t{url}\t{file}\t(from )\n"


def load(tmp_path, text):
    (tmp_path / "hts-cache").mkdir()
    (tmp_path / "hts-cache" / "new.txt").write_text(text, "utf-8")
    return HTTrackIndex.load(str(tmp_path))


def test_httrack_list(tmp_path):
    text = HEAD_SIZE
    text += row("http://h:81/", "./h_81/index.html")
    text += row("http://h:81/a?b", "/home/user/mirrors/x/h_81/a1b2.html")
    text += row("http://h:81/c", f"{tmp_path}/other/c.html")
    text += row("http://elsewhere/d", "/home/user/mirrors/x/flat/d.html")
    text += row("javascript:0", "./h_81/e.html")
    text += "a line that was cut"
    index = load(tmp_path, text)
    assert index.rows == {
        "h_81/index.html": ("http://h:81/", 2),
        "h_81/a1b2.html": ("http://h:81/a?b", 3),
        "other/c.html": ("http://h:81/c", 4),
    }


def test_httrack_names_of_error_pages(tmp_path):
    text = HEAD_SIZE + row("http://h/fog.vtt", "./h/fog.html")
    text += row("http://h/fog.webm", "./h/fog.1.delayed", 404)
    text += row("http://h/Fog.mp4", "./h/Fog.2.delayed", 404)
    text += row("http://h/x", "./h/x.3.delayed", 404)
    expected = {"h/fog-2.html": "http://h/fog.webm", "h/Fog-3.html": "http://h/Fog.mp4", "h/x.html": "http://h/x"}
    assert load(tmp_path, text).failed == expected


def test_no_httrack_list(tmp_path):
    assert HTTrackIndex.load(str(tmp_path)) is None
    assert HTTrackIndex.load(f"{tmp_path}/not/there") is None
