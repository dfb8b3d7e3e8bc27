from __future__ import annotations

import pickle

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from linkfix import PROBLEMS, Document, Envelope, InvalidBase, InvalidOption, Layer
from linkfix.files import FileTree
from linkfix.saved import LAYOUTS, Retrieval, UrlMap

MARKED = "https://marked.example/a/p"
MARK = f"<!-- saved from url=({len(MARKED):04d}){MARKED} -->"
CANONICAL = (
    '<link rel="canonical" href="https://canonical.example/c"><meta property="og:url" content="https://og.example/">'
)
PAGE = f"<!DOCTYPE html>\n{MARK}\n<html><head>{CANONICAL}</head><body><a href=b>b</a></body></html>"
NAME = "layout.example/d/p.html"


@pytest.fixture
def tree(tmp_path):
    """A tree in which every source states a URL for NAME."""
    root = tmp_path.resolve() / "tree"
    (root / "hts-cache").mkdir(parents=True)
    fields = [
        "22:25:52",
        "1/1",
        "---M--",
        "200",
        "added",
        "text/html",
        "x",
        "https://index.example/i",
        f"./{NAME}",
        "x",
    ]
    (root / "hts-cache" / "new.txt").write_text("head\n" + "\t".join(fields) + "\n")
    (root / NAME).parent.mkdir(parents=True)
    (root / NAME).write_text(PAGE)
    return FileTree(str(root), "https://tree.example/")


def envelope(tree, text=PAGE, name=NAME, known=None, **options):
    retrieval = Retrieval(**options)
    return retrieval.envelope(tree, name, text if isinstance(text, bytes) else text.encode(), "text/html", known)


def url_map(tmp_path):
    path = tmp_path / "map.csv"
    path.write_text(f"tree/{NAME},https://map.example/\n")
    return UrlMap.load(str(path))


def test_the_precedence_of_all_sources(tree, tmp_path):
    options = {
        "url": "https://url.example/",
        "url_map": url_map(tmp_path),
        "layout": "httrack",
        "trust_canonical": True,
    }
    found, problems = envelope(tree, known=Envelope(url="https://container.example/", where="a record"), **options)
    assert found.url == "https://url.example/"
    assert found.where == "given for this document"
    assert [(lost.reference, lost.reason) for lost in found.rejected] == [
        ("https://map.example/", "given for this document comes first"),
        ("https://container.example/", "the caller's URL comes first"),
        (MARKED, "the caller's URL comes first"),
        ("https://index.example/i", "the caller's URL comes first"),
        ("http://layout.example/d/p.html", "the caller's URL comes first"),
        ("https://canonical.example/c", "the caller's URL comes first"),
        ("https://og.example/", "the caller's URL comes first"),
        (f"https://tree.example/{NAME}", "the caller's URL comes first"),
    ]
    assert {problem.code for problem in problems} == {"sources-disagree"}
    assert len(problems) == 6  # all but the page's canonical link


def test_each_source_is_used_if_the_sources_before_it_state_nothing(tree, tmp_path):
    everything = {
        "url": "https://url.example/",
        "url_map": url_map(tmp_path),
        "layout": "httrack",
        "trust_canonical": True,
    }
    steps = [everything.copy()]
    for option in ("url", "url_map"):
        steps.append({key: value for key, value in steps[-1].items() if key != option})
    assert [envelope(tree, **options)[0].url for options in steps] == [
        "https://url.example/",
        "https://map.example/",
        MARKED,
    ]
    bare = PAGE.replace(MARK, "")
    assert envelope(tree, bare, **steps[-1])[0].url == "https://index.example/i"
    other = "layout.example/d/q.html"
    assert envelope(tree, bare, other, **steps[-1])[0].url == "http://layout.example/d/q.html"
    assert envelope(tree, bare, other, trust_canonical=True)[0].url == "https://canonical.example/c"
    assert envelope(tree, bare, other)[0].url == f"https://tree.example/{other}"
    assert envelope(FileTree(tree.root), bare, other)[0].url is None
    assert envelope(None, bare, "page.html")[0] == Envelope(media_type="text/html")


def test_the_losers_are_in_the_base(tree):
    found, _ = envelope(tree)
    base = Document(PAGE.encode(), envelope=found).base
    assert (base.url, base.layer, base.where) == (MARKED, Layer.RETRIEVAL, "the browser's mark in line 2, column 1")
    assert [lost.reference for lost in base.rejected] == ["https://index.example/i", f"https://tree.example/{NAME}"]
    assert "not 'https://index.example/i'  [retrieval: " in str(base)


def test_rejected_sources_are_in_the_base_if_no_source_is_used():
    text = "<!-- saved from url=(0014)about:internet --><html><a href=b>"
    found, (problem,) = envelope(None, text)
    base = Document(text.encode(), envelope=found).base
    assert (base.url, base.layer) == (None, Layer.NONE)
    assert [(lost.reference, lost.reason, lost.start) for lost in base.rejected] == [
        ("about:internet", "about:internet is not the URL of a page", 0)
    ]
    assert problem.code == "marker-bad"


# Problems

BAD = [
    ("javascript:alert(1)", "references cannot be relative to a javascript: URL"),
    ("data:text/html,x", "references cannot be relative to a data: URL"),
    ("mailto:x@example.com", "references cannot be relative to a mailto: URL"),
    ("/a/b.html", "not an absolute URL"),
    ("http://[", "not an absolute URL"),
    ("about:blank", "about:blank is not the URL of a page"),
]


@pytest.mark.parametrize(("url", "reason"), BAD)
def test_a_mark_that_no_page_can_come_from(url, reason):
    found, (problem,) = envelope(None, f"\n<!-- saved from url=({len(url):04d}){url} -->")
    assert found.url is None
    assert (problem.code, problem.start, problem.line, problem.column) == ("marker-bad", 1, 2, 1)
    assert problem.message.startswith(PROBLEMS["marker-bad"])
    assert reason in problem.message
    assert reason in found.rejected[0].reason


@pytest.mark.parametrize("spec", ["whatwg", "rfc3986", "rfc2396", "rfc1808", "fielding1994"])
@pytest.mark.parametrize("url", ["ht\ttp://h/a", " https://h/a", "http:\\\\h\\a", "http:h/a", "//h/a", "HTTP:///h"])
def test_no_mark_raises_with_any_specification(url, spec):
    text = f'<html data-scrapbook-source="{url}"><a href=b>'
    found, _ = envelope(None, text)
    assert len(Document(text.encode(), envelope=found, spec=spec).links) == 1


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_marks_in_utf_16(codec):
    text = f"<!-- \u4e16 -->\n<!-- saved from url=(0099){MARKED} -->\n<html><!-- OriginalSrc: https://h/ -->"
    data = "\ufeff".encode(codec) + text.encode(codec)
    found, (problem,) = envelope(None, data)
    assert found.url == "https://h/"
    assert data[problem.start : problem.start + 4].decode(codec) == "<!"
    assert problem.line == 2


AGREE = [
    ("https://h/a", "https://h/a#top"),
    ("https://h/a", "HTTPS://H:443/a"),
    ("https://h/b/../a", "https://h/a"),
]


@pytest.mark.parametrize(("one", "other"), AGREE)
def test_sources_that_agree(one, other):
    assert envelope(None, f"<html><!-- OriginalSrc: {one} -->", url=other)[1] == ()


def test_sources_that_disagree_are_both_named():
    text = f"<html>\n  <!-- OriginalSrc: {MARKED} -->"
    found, (problem,) = envelope(None, text, url="https://h/a")
    assert found.url == "https://h/a"
    assert (problem.code, problem.line, problem.column) == ("sources-disagree", 2, 3)
    assert problem.message == (
        f"{PROBLEMS['sources-disagree']}: given for this document: https://h/a; "
        f"MaoXian's mark in line 2, column 3: {MARKED}"
    )


def test_a_scheme_that_was_assumed_does_not_disagree(tree):
    text = "<html><!-- Mirrored from index.example/i by HTTrack Website Copier/3.x [XR&CO'2014], DATE -->"
    found, problems = envelope(FileTree(tree.root), text)
    assert (found.url, problems) == ("http://index.example/i", ())


def test_a_place_disagrees_about_the_host_alone(tmp_path):
    text = f"<html><!-- OriginalSrc: {MARKED} -->"
    assert envelope(FileTree(str(tmp_path), "https://marked.example/x/"), text)[1] == ()
    assert [problem.code for problem in envelope(FileTree(str(tmp_path), "https://h/"), text)[1]] == [
        "sources-disagree"
    ]


def test_a_container_without_a_url(tree):
    found, problems = envelope(FileTree(tree.root), "<p>", "x.html", Envelope(url="nonsense", where="a header"))
    assert (found.url, found.rejected[0].reason, problems) == (None, "not an absolute URL", ())
    assert Document(b"<p>", envelope=found).base.url is None


# URLs from the caller


def test_misuse():
    with pytest.raises(InvalidOption, match="layout='curl': expected 'wget', 'httrack' or 'auto'"):
        Retrieval(layout="curl")
    with pytest.raises(InvalidBase, match="'x': not an absolute URL"):
        Retrieval(url="x")
    assert all(Retrieval(layout=layout).layout == layout for layout in LAYOUTS)


def test_it_can_be_sent_to_other_processes(tree, tmp_path):
    retrieval = Retrieval(url_map=url_map(tmp_path), layout="auto", trust_canonical=True)
    other = pickle.loads(pickle.dumps(retrieval))  # noqa: S301 - its own
    assert other.envelope(tree, NAME, PAGE.encode(), "text/html")[0].url == "https://map.example/"
    assert (other.layout, other.trust_canonical) == ("auto", True)


# URLs from a container


def test_a_page_of_an_archive_does_not_have_the_url_of_its_mark():
    text = PAGE.replace("<head>", '<head><!--<base href="/x/">--><base href=".">')
    found, problems = envelope(
        None, text, known=Envelope(url="https://h/d/p", media_type="text/html", where="a record")
    )
    assert (found.url, found.where, found.saver.map_reference) == ("https://h/d/p", "a record", None)
    assert Document(text.encode(), envelope=found).base.url == "https://h/d/"
    assert [problem.code for problem in problems] == ["sources-disagree"]


def test_other_facts_of_a_container_stay():
    outer = Envelope(base="https://outer/", where="Content-Base")
    known = Envelope(charset="utf-8", parent=outer, default="https://default/")
    found, _ = envelope(None, PAGE, known=known)
    assert (found.charset, found.parent, found.default, found.url) == ("utf-8", outer, "https://default/", MARKED)


# URLs from savers


def files(root, **texts):
    for name, text in texts.items():
        path = root / name.replace("__", "/").replace("_html", ".html").replace("_png", ".png")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return FileTree(str(root.resolve()))


def links(tree, name, text, **options):
    document = Document(text.encode(), envelope=envelope(tree, text, name, **options)[0])
    return [link.target for link in document.links], document.convert().data.decode()


def test_the_files_of_a_page_stay(tmp_path):
    text = (
        f"{MARK}<base href='.'><img src='./My%20page_files/a.png'><img src='My page_files/b.png?x#y'>"
        "<img src='other_files/c.png'><img src='d.png'><img src='/My page_files/e.png'>"
        "<img srcset='My%20page_files/f 1x'>"
    )
    (tmp_path / "My page_files").mkdir()
    tree = files(tmp_path, d_png="")
    targets, converted = links(tree, "My page.html", text)
    root = "https://marked.example/"
    elsewhere = [f"{root}a/other_files/c.png", f"{root}a/d.png", f"{root}My%20page_files/e.png"]
    assert targets[1:] == [None, None, *elsewhere, None]  # the first is the BASE
    assert "'./My%20page_files/a.png'" in converted
    assert "'My page_files/b.png?x#y'" in converted
    assert "'My%20page_files/f 1x'" in converted
    assert "<base href='.'>" in converted


@pytest.mark.parametrize("mark", [f"<html><!-- OriginalSrc: {MARKED} -->", f'<html data-scrapbook-source="{MARKED}">'])
def test_files_that_are_beside_a_page_stay(tmp_path, mark):
    tree = files(tmp_path, a__b_png="")
    text = f"{mark}<img src='a/b.png#x'><img src='a/c.png'><img src='../a/b.png'><img src='../../a/b.png'>"
    targets, converted = links(tree, "d.html", text)
    root = "https://marked.example/a/"
    assert targets == [None, f"{root}a/c.png", f"{root}b.png", f"{root}b.png"]
    assert "'a/b.png#x'" in converted


def test_teleport_states_the_original_references():
    text = '<img src="a.gif" tppabs="http://h/i/a.gif?x&amp;y"><a href="a.gif">again</a><a href="b.htm">b</a>'
    targets, converted = links(None, "x", text)
    assert targets == ["http://h/i/a.gif?x&y", "http://h/i/a.gif?x&y", None]
    assert '<img src="http://h/i/a.gif?x&amp;y" tppabs=' in converted


def test_links_between_the_hosts_of_a_mirror(tmp_path):
    tree = files(
        tmp_path, **{"a.example__x_html": "", "b.example+81__d__y_html": "", "b.example+81__z_html@q=1_html": ""}
    )
    text = (
        '<base href=""><a href="../b.example+81/d/y.html#f">y</a><a href="../b.example+81/z.html@q=1.html">z</a>'
        '<a href="x.html">x</a><a href="../../c">out</a><a href="d/none.html">n</a><a href="?q">q</a><a href="#f">f</a>'
    )
    targets, _ = links(tree, "a.example/x.html", text, layout="wget")
    assert targets[1:] == [
        "http://b.example:81/d/y.html#f",
        "http://b.example:81/z.html?q=1",
        "http://a.example/x.html",
        "http://a.example/c",
        "http://a.example/d/none.html",
        "http://a.example/x.html?q",
        "http://a.example/x.html#f",
    ]


def test_the_index_of_a_mirror_has_no_url_and_its_links_lead_to_the_sites(tree):
    text = f'<a href="{NAME}">site</a><img src="fade.gif">'
    found, problems = envelope(FileTree(tree.root), text, "index.html", layout="auto")
    document = Document(text.encode(), envelope=found)
    assert (found.url, problems) == (None, ())
    assert [link.target for link in document.links] == ["https://index.example/i", None]


def test_a_mirror_without_its_list(tmp_path):
    mark = "<html><!-- Mirrored from h.example/{} by HTTrack Website Copier/3.x [XR&CO'2014], DATE -->"
    tree = files(
        tmp_path, **{"h.example__a1_html": mark.format("a?b"), "h.example__c_html": "", "h.example__f_png": ""}
    )
    text = (
        f"{mark.format('d/p')}<a href='../a1.html?b'>a</a><a href='../c.html'>c</a>"
        "<img src=../f.png?new><img src=g.png><base href='/e/'><a href='//other.example/x'>x</a>"
    )
    name = "h.example/d/p.html"
    assert links(tree, name, text, layout="httrack")[0][:4] == [
        "http://h.example/a?b",
        "http://h.example/c.html",
        "http://h.example/f.png?new",
        "http://h.example/d/g.png",  # it is fetched before BASE comes
    ]
    # Without a layout, a file that says nothing of itself has no URL: the reference stays.
    assert links(tree, name, text)[0][:3] == ["http://h.example/a?b", None, None]


@pytest.mark.parametrize("spec", ["whatwg", "rfc3986", "rfc1808"])
@pytest.mark.parametrize(
    "base", ["http://[x", "http://[", "//", "http://a.example:99999999/", "\\\\h\\", "javascript:0"]
)
def test_hostile_bases_in_a_mirror(tmp_path, spec, base):
    tree = files(tmp_path, **{"a.example__x_html": "", "a.example__y_html": ""})
    text = (
        f'<base href="{base}"><a href="y.html">y</a><a href="%00">n</a><a href="../../../..">u</a><a href="\\y">b</a>'
    )
    found, _ = envelope(tree, text, "a.example/x.html", layout="wget")
    document = Document(text.encode(), envelope=found, spec=spec)
    assert len(document.links) == 5
    assert document.convert().links >= 4


def test_layouts_are_used_only_with_the_option_or_with_traces(tmp_path):
    tree = files(
        tmp_path / "mirror", h__x_html="", **{f"sub__folder__h.example__{one}": "" for one in ("x_html", "robots.txt")}
    )
    name = "sub/folder/h.example/x.html"
    assert envelope(tree, "<p>", name)[0].url is None
    assert envelope(tree, "<p>", name, layout="auto")[0].url == "http://h.example/x.html"
    assert envelope(tree, "<p>", name, layout="wget")[0].url == "http://h.example/x.html"
    inner = FileTree(tree.root + "/sub/folder/h.example/docs")
    assert envelope(inner, "<p>", "x.html", layout="auto")[0].url is None
    assert envelope(inner, "<p>", "x.html", layout="wget")[0].url == "http://h.example/docs/x.html"
    assert envelope(tree, "<p>", "https/h.example/x.html", layout="auto")[0].url == "https://h.example/x.html"
    own = FileTree(tree.root + "/sub/folder/h.example", "https://h.example/")
    assert envelope(own, "<p>", "x.html", layout="auto")[0].url == "https://h.example/x.html"


def test_a_frame_without_its_page_is_a_problem(tmp_path):
    text = "<!-- saved from url=(0012)about:srcdoc --><a href=b>"
    found, (problem,) = envelope(files(tmp_path), text, "p_files/saved_resource.html")
    assert (found.url, found.parent, problem.code) == (None, None, "marker-bad")
    tree = files(tmp_path, p_html=f'{MARK}<html><!--<base href="x/">--><base href=".">')
    found, problems = envelope(tree, text, "p_files/saved_resource.html")
    assert (found.base, found.parent.url, problems) == ("https://marked.example/a/x/", MARKED, ())
    assert Document(text.encode(), envelope=found).links[0].target == "https://marked.example/a/x/b"


def test_canonical_is_reported_as_a_guess():
    bare = PAGE.replace(MARK, "")
    assert envelope(None, bare)[0].url is None
    found, problems = envelope(None, bare, trust_canonical=True)
    assert found.url == "https://canonical.example/c"
    assert found.where == "link rel=canonical, line 3, column 41: no specification makes it a base"
    assert problems == ()
    for text in (
        '<link rel=canonical href="/relative">',
        '<!-- <link rel="canonical" href="https://h/"> -->',
        '<meta name="og:url" content="https://h/">',
        "<p>canonical",
    ):
        assert envelope(None, text, trust_canonical=True)[0].url is None


def test_a_page_without_marks_has_no_saver(tmp_path):
    found, problems = envelope(files(tmp_path), "<p>", "x.html")
    assert (found, problems) == (Envelope(media_type="text/html"), ())
    assert envelope(None, "p{}", "x.css")[0].saver.map_reference is None


SEGMENTS = st.text(alphabet="ab.~%?^|\\:;@&'\"`{ }[]\t\u00e9\udc80\u4e00-_", min_size=1, max_size=6).filter(
    lambda name: name not in {".", ".."}
)
TREE_URLS = [
    "https://h/",
    "http://h/docs/",
    "https://H:443/a b/",
    "https://h/a/../b/",
    "https://h/%7e/",
    "https://h",
    "file:///C:/site/",
    "ftp://h/",
    "x:/y/",
]


@given(st.sampled_from(TREE_URLS), st.lists(SEGMENTS, min_size=1, max_size=3), st.sampled_from([None, "auto", "wget"]))
@example("https://h/", ["a?b'c"], None)
@example("https://h/", ["page_files", "a.html"], None)
@example("https://h/", ["example.com", "a.html"], "wget")
@example("file:///", ["C|", "a.html"], None)
def test_the_url_of_a_tree_equals_the_result_of_all_sources(tmp_path_factory, url, segments, layout):
    tree = FileTree(str(tmp_path_factory.getbasetemp()), url)
    known = Envelope(media_type="text/html", charset="utf-8", default="https://default/")
    fast, slow = Retrieval(layout=layout), Retrieval(layout=layout)
    slow._only_tree_states_url = lambda *_: False
    name = "/".join(segments)
    expected = slow.envelope(tree, name, b"<p>x", "text/html", known)
    found = fast.envelope(tree, name, b"<p>x", "text/html", known)
    if expected[0].saver.map_reference is None:
        assert found == expected
    else:  # functions are equal to themselves alone
        assert (found[0].url, found[0].where, found[1]) == (expected[0].url, expected[0].where, expected[1])
        assert type(found[0].saver.map_reference) is type(expected[0].saver.map_reference)


@pytest.mark.parametrize("layout", [None, "auto"])
def test_the_common_case_weighs_nothing(tmp_path, monkeypatch, layout):
    """A page without marks, in a folder that says nothing, below a tree whose URL is given."""
    monkeypatch.setattr(Retrieval, "_other_claims", lambda *_: pytest.fail("sources were weighed"))
    tree = FileTree(str(tmp_path / "site"), "https://h/")
    found, problems = Retrieval(layout=layout).envelope(tree, "a/p.html", b"<p>x", "text/html")
    assert (found.url, problems) == ("https://h/a/p.html", ())


URLS = st.one_of(
    st.sampled_from(
        ["http://h.example/", "https://h.example/a?b#c", "https://H.example", "http://h:80/", "about:srcdoc"]
    ),
    st.from_regex(
        r"(https?|ftp|mailto|file)://?[a-zA-Z0-9.%:@ -]{0,8}(/[a-z.%\"'<> é\\]{0,4}){0,3}[?#]?", fullmatch=True
    ),
)


@given(URLS, st.sampled_from([PAGE, "<a href=b>", ""]), st.booleans(), st.sampled_from([None, "https://base.example/"]))
def test_the_fast_path_for_a_url_from_the_container_equals_the_slow_path(url, text, is_inner, base):
    outer = Envelope(url="https://outer.example/") if is_inner else None
    known = Envelope(url, "utf-8", "text/html", base=base, where="WARC-Target-URI", parent=outer)
    quick = envelope(None, text, "a.warc!b", known)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Retrieval, "_plain_envelope", lambda *_: None)
        assert envelope(None, text, "a.warc!b", known) == quick


@pytest.mark.parametrize(
    ("url", "is_plain"), [("https://h.example/a?b", True), ("https://H.example/", False), ("about:srcdoc", False)]
)
def test_documents_of_containers_with_a_plain_envelope(url, is_plain):
    known = Envelope(url)
    assert (Retrieval()._plain_envelope(None, "a.warc!b", known) is known) is is_plain
    assert Retrieval(trust_canonical=True)._plain_envelope(None, "a.warc!b", known) is None
