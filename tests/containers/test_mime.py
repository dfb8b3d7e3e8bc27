from __future__ import annotations

import codecs
import email
import email.policy
import io
import itertools
from email.message import Message
from urllib.parse import urljoin

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.each import for_each
from support.growth import processor_limit
from support.paths import FIXTURES
from support.sizes import examples
from support.vectors import table

from linkfix import PROBLEMS, Document, Encoding, Envelope, Layer
from linkfix.containers import CONTAINERS, Limits, Window, mime, mime_entities, mime_transfer, pieces
from linkfix.files import window
from linkfix.files.window import WindowPositions
from linkfix.kernels.positions import Positions
from linkfix.resolvers import RESOLVERS

PUBLISHED = {name: message.encode("latin-1") for name, message in table("mime", "name", "message")}
OURS = [*sorted((FIXTURES / "mime").iterdir()), *sorted(FIXTURES.glob("saved/chromium/*.mhtml"))]
SAMPLES = {path.name: path.read_bytes() for path in OURS} | PUBLISHED
IETF = "http://www.ietf.cnri.reston.va.us"


def read(data, envelope=None, limits=None):
    problems = []
    found = list(mime.parts(io.BytesIO(data), envelope or Envelope(), problems.append, limits or Limits()))
    assert all(problem.code in PROBLEMS for problem in problems)
    assert all(0 <= problem.start <= len(data) for problem in problems)
    return found, problems


def write(data, change, limits=None):
    problems = []
    out = io.BytesIO()
    mime.rewrite(io.BytesIO(data), out, Envelope(), change, problems.append, limits or Limits())
    return out.getvalue(), problems


def document(part, **options):
    return Document(part.data, envelope=part.envelope, **options)


def base(part, spec="whatwg"):
    return document(part, spec=spec).base


def pages(data, envelope=None):
    return [part for part in read(data, envelope)[0] if part.media_type == "text/html"]


def crlf(text):
    return text.replace("\n", "\r\n").encode()


# The examples of RFC 2110 §9 and RFC 2557 §9

THIS = "thismessage:/"
EXAMPLES = [
    ("rfc2110-9.1", "1", THIS, Layer.DEFAULT, {"http://www.resnova.com/": "http://www.resnova.com/"}),
    ("rfc2110-9.2", "1", THIS, Layer.DEFAULT, {f"{IETF}/images/ietflogo.gif": f"{IETF}/images/ietflogo.gif"}),
    ("rfc2110-9.3", "1", f"{IETF}/", Layer.ENCAPSULATING, {"/images/ietflogo.gif": f"{IETF}/images/ietflogo.gif"}),
    ("rfc2110-9.4", "1", THIS, Layer.DEFAULT, {"cid:foo4*foo1@bar.net": "cid:foo4*foo1@bar.net"}),
    ("rfc2557-9.1", "1", THIS, Layer.DEFAULT, {f"{IETF}/": f"{IETF}/"}),
    ("rfc2557-9.2", "1", THIS, Layer.DEFAULT, {f"{IETF}/images/ietflogo.gif": f"{IETF}/images/ietflogo.gif"}),
    (
        "rfc2557-9.3",
        "1",
        f"{IETF}/",
        Layer.ENCAPSULATING,
        {f"images/ietflogo{n}.gif": f"{IETF}/images/ietflogo{n}.gif" for n in (1, 2, 3)},
    ),
    ("rfc2557-9.4", "1", THIS, Layer.DEFAULT, {"ietflogo.gif": "thismessage:/ietflogo.gif"}),
    ("rfc2557-9.5", "1", THIS, Layer.DEFAULT, {"cid:foo4@foo1@bar.net": "cid:foo4@foo1@bar.net"}),
    ("rfc2557-9.6", "1", THIS, Layer.DEFAULT, {f"{IETF}/images/ietflogo.gif": f"{IETF}/images/ietflogo.gif"}),
    (
        "rfc2557-9.6",
        "3.1",
        f"{IETF}/more-info",
        Layer.ENCAPSULATING,
        {"images/ietflogo.gif": f"{IETF}/images/ietflogo.gif"},
    ),
    # The quotation mark is the RFC's.
    (
        "rfc2557-9.6",
        "4.1",
        f"{IETF}/even-more-info",
        Layer.ENCAPSULATING,
        {'images/ietflogo2d.gif"': f"{IETF}/images/ietflogo2d.gif%22"},
    ),
]


@pytest.mark.parametrize(("example", "name", "expected", "layer", "targets"), EXAMPLES)
def test_examples_of_the_rfcs(example, name, expected, layer, targets):
    found, _ = read(PUBLISHED[example])
    page = document(next(part for part in found if part.name == name))
    assert (page.base.url, page.base.layer) == (expected, layer)
    assert targets.items() <= {link.reference: link.target for link in page.links}.items()


@pytest.mark.parametrize(
    ("example", "siblings"),
    [
        ("rfc2110-9.2", {"cid:foo3*foo1@bar.net", f"{IETF}/images/ietflogo.gif"}),
        ("rfc2110-9.3", {f"{IETF}/images/ietflogo.gif"}),
        ("rfc2557-9.3", {f"{IETF}/images/ietflogo{n}.gif" for n in (1, 2, 3)}),
        ("rfc2557-9.4", {"thismessage:/ietflogo.gif"}),
        (
            "rfc2557-9.6",
            {"cid:foo3@foo1@bar.net", "cid:foo4@foo1@bar.net", "cid:4@foo@bar.net", f"{IETF}/more-info"}
            | {f"{IETF}/even-more-info"}
            | {f"{IETF}/images/ietflogo{n}.gif" for n in ("", "2", "2d")},
        ),
    ],
)
def test_siblings_of_the_rfcs_examples(example, siblings):
    found, _ = read(PUBLISHED[example])
    assert {part.siblings for part in found} == {frozenset(siblings)}


def test_a_content_location_with_cid_is_no_base():
    """RFC 2557 §9.5: "this header is disregarded"."""
    found, _ = read(PUBLISHED["rfc2557-9.5"])
    assert base(replace_type(found[1])).url == THIS


def replace_type(part):
    return part._replace(envelope=part.envelope._replace(media_type="text/html"))


# Chromium's files


def test_chromiums_parts_have_their_location_as_base():
    found = pages(PUBLISHED["chromium/relative_url"])
    links = document(found[0]).links
    assert found[0].siblings >= {link.target for link in links}
    assert base(found[0]).where == "Content-Location of part 1"
    frames = pages(PUBLISHED["chromium/multi_frames_contentid"])
    assert [base(part).url for part in frames] == ["http://localhost/"] * 5
    assert {link.target for part in frames for link in document(part).links} <= {
        "http://localhost/",
        *frames[0].siblings,
    }


def test_a_snapshots_url_is_its_retrieval_url():
    data = (FIXTURES / "saved/chromium/frames.mhtml").read_bytes()
    page = "http://127.0.0.1:8765/elements/frames.html"
    srcdoc = next(part for part in pages(data) if part.name == "9")
    found = base(srcdoc)
    assert (found.url, found.layer) == (page, Layer.ENCAPSULATING)
    assert found.where == "base of its document, part 1"  # the one that refers to it by Content-ID
    assert page in {candidate.reference for candidate in found.rejected}
    given = next(part for part in pages(data, Envelope(url="http://given.example/")) if part.name == "9")
    assert base(given).url == page
    _, problems = read(data, Envelope(url="http://given.example/"))
    assert [problem.code for problem in problems] == ["sources-disagree"]
    assert read(data, Envelope(url=f"{page}#top"))[1] == []
    assert [candidate.reference for candidate in base(given).rejected] == ["http://given.example/", page, THIS]
    assert "http://127.0.0.1:8765/docs/reference/api.html" in srcdoc.siblings  # its Content-Location has a fragment


def test_a_style_sheet_of_blink_has_a_cid_as_location():
    data = (FIXTURES / "saved/chromium/frames.mhtml").read_bytes()
    sheet = next(part for part in read(data)[0] if part.name == "12")
    assert sheet.media_type == "text/css"
    assert "cid:css-ed193afa-f376-4c16-b95a-cd9365dd5a3f@mhtml.blink" in sheet.siblings
    assert base(sheet).where == "base of its document, part 11"
    assert base(sheet).url == "http://127.0.0.1:8765/docs/"  # its BASE


# Made ones


def test_a_saved_page():
    data = (FIXTURES / "mime/saved.mht").read_bytes()
    found, problems = read(data)
    assert problems == []
    assert [(part.name, part.media_type, part.envelope.charset) for part in found] == [
        ("1", "text/html", "Windows-1252"),
        ("2", "image/png", None),
        ("3", "text/css", "utf-8"),
    ]
    here = "http://lanterns.example/shop/a-page-with-a-name-that-is-folded/"
    assert base(found[0]).url == f"{here}index.html"
    assert found[0].siblings >= {f"{here}dot.png", "cid:page@lanterns.example"}
    assert base(found[2]).url == "http://lanterns.example/css/%C3%B6l%20und%20lampen.css"
    assert [link.target for link in document(found[0], keep=found[0].siblings.__contains__).links][
        1
    ] == f"{here}dot.png"
    changed, _ = write(data, lambda part: document(part).convert().data if part.name != "2" else None)
    old, new = data.split(b"\r\n"), changed.split(b"\r\n")
    assert all(len(line) <= 76 for line in new[20:30])
    kept = [line for line in old if line in new]
    assert [line for line in old if line not in kept and b"href" not in line and b"url(" not in line] == []
    again, _ = read(changed)
    assert b'href="http://lanterns.example/shop/docs/guide.html"' in again[0].data
    assert b"\xd6l f\xfcr Lampen" in again[0].data
    assert again[2].data == "body { background: url(http://lanterns.example/img/dot.png) } /* Öl */".encode()


def test_a_forwarded_mail():
    data = (FIXTURES / "mime/forwarded.eml").read_bytes()
    found, problems = read(data)
    assert [(part.name, part.media_type) for part in found] == [
        ("1.1", "text/plain"),
        ("1.2", "text/html"),
        ("2.1", "text/html"),
    ]
    assert [(problem.code, problem.line) for problem in problems] == [("mime-encoding", 42)]
    assert "x-uuencode" in problems[0].message
    assert [(base(part).url, base(part).where) for part in found[1:]] == [
        ("http://lanterns.example/news/", "Content-Base of part 1"),
        ("http://tower.example/log/today.html", "Base of the message in part 2"),
    ]
    assert found[1].siblings == {"thismessage:/attached/page.html"}
    assert found[2].siblings == frozenset()
    changed, _ = write(data, lambda part: document(part).convert().data if part.media_type == "text/html" else None)
    start = data.index(b"Content-Type: message/rfc822")
    first = data[:start].replace(b'"prices', b'"http://lanterns.example/news/prices')
    assert changed.startswith(first)
    assert changed.endswith(data[data.index(b"--outer\nContent-Type: text/html; name") :])
    assert b'href="http://tower.example/log/lamp.html"' in read(changed)[0][2].data
    assert max(map(len, changed[len(first) :].splitlines())) == 76


def test_a_truncated_file_yields_its_parts():
    data = (FIXTURES / "mime/truncated.mht").read_bytes()
    found, problems = read(data)
    assert [(part.media_type, len(part.data)) for part in found] == [("text/html", 275), ("image/png", 30)]
    assert [problem.code for problem in problems] == ["mime-boundary"]
    assert problems[0].start == len(data)


# The layers


def nested(bases):
    """Five nested entities, and the base that each states."""
    text = ""
    for level in range(5):
        header = f"Content-Base: {bases[level]}\n" if bases[level] else ""
        text += f"{header}Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n" if level < 4 else header
    closing = "".join(f"\n--b{level}--\n" for level in reversed(range(4)))
    return crlf(f"{text}Content-Type: text/html\n\n<a href=x>{closing}")


@for_each(itertools.product(itertools.product([False, True], repeat=5), RESOLVERS))
def test_five_entities_with_a_base_at_each_level(present, spec):
    bases = [f"http://h{level}/d/" if stated else "" for level, stated in enumerate(present)]
    (page,), problems = read(nested(bases), Envelope(url="http://retrieved/d/"))
    assert problems == []
    found = document(page, spec=spec)
    stated = [url for url in reversed(bases) if url]
    knows_field = spec not in {"fielding1994", "rfc1808"}
    expected = stated[0] if stated and knows_field else "http://retrieved/d/"
    assert found.base.url == expected
    assert found.base.layer is (Layer.RETRIEVAL if expected == "http://retrieved/d/" else Layer.ENCAPSULATING)
    assert [link.target for link in found.links] == [f"{expected}x"]
    rejected = [candidate.reference for candidate in found.base.rejected]
    if knows_field:
        retrieved = ["http://retrieved/d/"] if stated else []
        assert rejected == [*stated[1:], *retrieved, THIS]
    else:
        assert rejected == stated


HEADINGS = [
    ("Content-Base: http://a/b/\nContent-Location: http://c/d", "http://a/b/", "Content-Base of the message"),
    ("Content-Location: http://c/d\nBase: <URL:http://e/f>", "http://c/d", "Content-Location of the message"),
    ("Base: <URL:http://e/f>", "http://e/f", "Base of the message"),
    ("base : <url: http://e/\n\t f g >", "http://e/fg", "Base of the message"),
    ("Base: http://e/f", "http://e/f", "Base of the message"),
    ('Content-Base: "http://a/b/"', "http://a/b/", "Content-Base of the message"),
    ("Content-Base: relative/\nBase: <URL:http://e/f>", "http://e/f", "Base of the message"),
    ("Content-Location: http://c/d\nContent-Location: http://x/y", "http://c/d", "Content-Location of the message"),
    ("Content-Location:\n http://c\n /d/\n e", "http://c/d/e", "Content-Location of the message"),
    ("Content-Location: http://c/d (a comment)", "http://c/d", "Content-Location of the message"),
    ("Content-Location: http://c/d ; words", "http://c/d", "Content-Location of the message"),
    ("Content-Location: http://c/d_(e);f", "http://c/d_(e);f", "Content-Location of the message"),
    ("Content-Location: http://c/d e", "http://c/d%20e", "Content-Location of the message"),
    ("Content-Location: =?us-ascii?q?http=3A//c/?=\n =?utf-8*de?B?w7Y=?=", "http://c/%C3%B6", None),
    ("Content-Location: =?nonsense?q?http=3A//c/?=", "http://r/=?nonsense?q?http=3A//c/?=", None),
    ("Content-Location: =?utf-8?b?w7Y?=", "http://r/=?utf-8?b?w7Y?=", None),
    ("Content-Location: d/e", "http://r/d/e", "Content-Location of the message (d/e), relative to retrieval URL"),
    ("Content-Base: http://a/b/\nContent-Location: d/e", "http://a/b/", "Content-Base of the message"),
    ("Content-Location: about:blank", "http://r/", "retrieval URL"),
    ("Content-Location: (a (b)) http://c/d (e)", "http://c/d", "Content-Location of the message"),
    ("Content-Location: (a)\n d", "http://r/d", "Content-Location of the message (d), relative to retrieval URL"),
    ("Content-Location: (a).html", "http://r/(a).html", None),
    ("Base: (a)<URL:http://e/f>", "http://e/f", "Base of the message"),
    ("Content-Base: (a) http://a/b/", "http://a/b/", "Content-Base of the message"),
    ("Content-Location:", "http://r/", "retrieval URL"),
]


@pytest.mark.parametrize(("heading", "expected", "where"), HEADINGS)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_base_in_a_heading(heading, expected, where, end):
    data = f"{heading}\nContent-Type: text/html\n\n".replace("\n", end).encode()
    (page,), _ = read(data, Envelope(url="http://r/"))
    assert base(page).url == expected
    assert where in {None, base(page).where}


def test_fields_that_do_not_count_are_listed_with_the_reason():
    heading = "Base: http://b/\nBase: http://b2/\nContent-Base: mailto:x@y\nContent-Location: cid:z\n"
    (page,), problems = read(f"{heading}Content-Type: text/html\n\n".encode())
    found = base(page)
    assert found.url == "http://b/"
    unfit = "not a URL that can be a base"
    assert [(one.reference, one.where, one.reason) for one in found.rejected if one.layer is Layer.ENCAPSULATING] == [
        ("mailto:x@y", "Content-Base of the message", unfit),
        ("http://b2/", "Base of the message", "only the first Base is used"),
        ("cid:z", "Content-Location of the message", unfit),
    ]
    assert [problem.message.partition(": ")[2] for problem in problems] == [
        f"Content-Base 'mailto:x@y' is {unfit}",
        "2 fields Base; the first is used",
    ]


def test_bytes_of_a_heading_that_are_not_utf_8_are_latin_1():
    (page,), _ = read(b"Content-Location: http://h/\xf6\nContent-Type: text/html\n\n")
    assert base(page).url == "http://h/%C3%B6"


def test_the_documents_own_url_is_its_content_location():
    data = b"Content-Base: http://a/b/\nContent-Location: http://c/d\nContent-Type: text/html\n\n<form action></form>"
    (page,), _ = read(data, Envelope(url="http://r/"))
    assert [link.target for link in document(page).links] == ["http://c/d"]


def test_a_relative_location_is_resolved_by_the_enclosing_entity():
    heading = b"Content-Location: http://h/m/\nContent-Type: multipart/related; boundary=b\n\n--b\n"
    part = b"Content-Type: text/html\nContent-Location: p/index.html\n%s\n\n<a href=x>\n--b--"
    (page,), _ = read(heading + part % b"X: y")
    assert base(page).url == "http://h/m/p/index.html"
    (page,), _ = read(heading + part % b"Content-Base: http://own/")
    assert page.siblings == {"http://own/p/index.html"}
    (page,), _ = read(heading + part % b"Base: <URL:http://own/>")
    assert page.siblings == {"http://own/p/index.html"}


def test_the_callers_default_comes_before_this_message():
    (page,), _ = read(b"Content-Type: text/html\n\n", Envelope(default="http://default/", parent=Envelope()))
    assert base(page).url == "http://default/"


@pytest.mark.parametrize("spec", ["rfc2396", "rfc3986", "whatwg"])
def test_this_message_serves_every_resolver_that_has_a_default(spec):
    (page,), _ = read(b"Content-Type: text/html\n\n<a href=a/b?c>")
    found = document(page, spec=spec)
    assert found.base.url == THIS
    assert [link.target for link in found.links] == ["thismessage:/a/b?c"]


@pytest.mark.parametrize(("spec", "url", "target"), [("fielding1994", None, "a/b?c"), ("rfc1808", "", "a/b?c")])
def test_a_text_of_before_this_message_does_not_have_it(spec, url, target):
    (page,), _ = read(b"Content-Type: text/html\n\n<a href=a/b?c>")
    found = document(page, spec=spec)
    assert (found.base.url, found.base.rejected) == (url, ())
    assert [(link.target, link.problem) for link in found.links] == [(target, "no-base")]


# A model of RFC 2557 §5: (b) the own Content-Location, (c) those around it, (e) thismessage:/

LOCATIONS = st.sampled_from(
    ["", "", "http://a.example/x/y", "http://b.example/", "p", "q/r", "/s", "../t", "?u", "cid:v@w", "//c.example/z"]
)
TREES = st.recursive(
    LOCATIONS.map(lambda location: (location, None)),
    lambda inner: st.tuples(LOCATIONS, st.lists(inner, min_size=1, max_size=3)),
    max_leaves=8,
)


def written(tree, path="b"):
    location, children = tree
    heading = f"Content-Location: {location}\n" if location else ""
    if children is None:
        return f"{heading}Content-Type: text/html\n\n<a href=x>"
    delimited = "".join(f"--{path}\n{written(child, f'{path}{n}')}\n" for n, child in enumerate(children))
    return f"{heading}Content-Type: multipart/related; boundary={path}\n\n{delimited}--{path}--"


def model(tree, around):
    location, children = tree
    absolute = location if location.startswith(("http:", "cid:")) else urljoin(around, location) if location else ""
    here = absolute if absolute.startswith("http:") else around
    return [here] if children is None else [url for child in children for url in model(child, here)]


@given(TREES, st.booleans())
@settings(deadline=None)
def test_the_base_is_that_of_rfc_2557s_text(tree, with_line_ends):
    data = crlf(written(tree)) if with_line_ends else written(tree).encode()
    found, problems = read(data, Envelope(url="http://retrieved.example/d/"))
    assert [base(part).url for part in found] == model(tree, "http://retrieved.example/d/")
    assert problems == []


# Structure


def names(data, **limits):
    found, problems = read(data, limits=Limits(**limits))
    return {part.name: part.data for part in found}, [problem.code for problem in problems]


MIXED = b"Content-Type: multipart/mixed; boundary=%s\n\n"
STRUCTURES = [
    ("preamble and epilogue", MIXED % b"b" + b"pre\n--b\n\none\n--b--\nepi\n--b\n\nno", {"1": b"one"}, []),
    ("padding", MIXED % b"b" + b"--b \t\n\none\n--b-- \t\n", {"1": b"one"}, []),
    ("crlf", (MIXED % b"b" + b"--b\n\none\n\n--b--\n").replace(b"\n", b"\r\n"), {"1": b"one\r\n"}, []),
    ("no last line end", MIXED % b"b" + b"--b\n\none\n--b--", {"1": b"one"}, []),
    ("no heading", MIXED % b"b" + b"--b\n\n--b\n\n\n--b--", {"1": b"", "2": b""}, []),
    ("no body", MIXED % b"b" + b"--b\nX: y\n--b\n\nz\n--b--", {"1": b"", "2": b"z"}, []),
    ("unclosed", MIXED % b"b" + b"--b\n\none\n", {"1": b"one\n"}, ["mime-boundary"]),
    ("never comes", MIXED % b"b" + b"--c\n\none\n--b--", {"1": b"--c\n\none\n--b--"}, ["mime-boundary"]),
    ("no boundary", b"Content-Type: multipart/mixed\n\n--b\n\none", {"1": b"--b\n\none"}, ["mime-boundary"]),
    (
        "a prefix of the inner",
        MIXED % b"b" + b"--b\n" + MIXED % b"bb" + b"--bb\n\none\n--bb--\n--b\n\ntwo\n--b--",
        {"1.1": b"one", "2": b"two"},
        [],
    ),
    (
        "a prefix of the outer",
        MIXED % b"bb" + b"--bb\n" + MIXED % b"b" + b"--b\n\none\n--b--\n--bb\n\ntwo\n--bb--",
        {"1.1": b"one", "2": b"two"},
        [],
    ),
    (
        "with dashes at its end",
        MIXED % b"b--" + b"--b--\n" + MIXED % b"b" + b"--b\n\none\n--b--\n--b--\n\ntwo\n--b----",
        {"1.1": b"one", "2": b"two"},
        [],
    ),
    (
        "the same twice",
        MIXED % b"b" + b"--b\n" + MIXED % b"b" + b"--b\n\none\n--b--\n--b\n\ntwo\n--b--",
        {"1.1": b"one", "2": b"two"},
        [],
    ),
    (
        "the inner unclosed",
        MIXED % b"b" + b"--b\n" + MIXED % b"c" + b"--c\n\none\n--b\n\ntwo\n--b--",
        {"1.1": b"one", "2": b"two"},
        ["mime-boundary"],
    ),
    ("only a prefix", MIXED % b"b" + b"--b\n\n--bc\n-- b\n--b--c\n--b--", {"1": b"--bc\n-- b\n--b--c"}, []),
    ("quoted", MIXED % b'"a \\"b; c"' + b'--a "b; c\n\none\n--a "b; c--', {"1": b"one"}, []),
    (
        "in pieces",
        b"Content-Type: multipart/mixed;\n boundary*0*=us-ascii'en'a%20;\n boundary*1=b\n\n--a b\n\none\n--a b--",
        {"1": b"one"},
        [],
    ),
    (
        "a digest",
        (MIXED % b"b").replace(b"mixed", b"digest") + b"--b\n\nX: y\n\none\n--b\nContent-Type: text/plain\n\n2\n--b--",
        {"1.1": b"one", "2": b"2"},
        [],
    ),
    (
        "a message in a message",
        b"Content-Type: message/rfc822\n\nContent-Type: message/rfc822\n\nX: y\n\nz",
        {"1.1.1": b"z"},
        [],
    ),
    (
        "an encoded message",
        b"Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\nQQ==",
        {"1": b"A"},
        ["mime-encoding"],
    ),
    ("no heading at all", b"<p>text", {"1": b"<p>text"}, ["mime-header"]),
    ("empty", b"", {"1": b""}, []),
    ("a byte order mark", b"\xef\xbb\xbf\r\nX: y\r\n\r\nz", {"1": b"z"}, []),
    ("a mailbox's line", b"From x Sun Nov 22 03:00:00 2026\nX: y\n\nz", {"1": b"z"}, []),
    ("a stray line", b"X: y\nstray\nContent-Transfer-Encoding: base64\n\nQQ==", {"1": b"A"}, ["mime-header"]),
    ("no empty line", b"X: y\n<p>text: this", {"1": b"<p>text: this"}, ["mime-header"]),
]


@pytest.mark.parametrize(
    ("data", "expected", "problems"), [row[1:] for row in STRUCTURES], ids=[row[0] for row in STRUCTURES]
)
def test_structure(data, expected, problems):
    assert names(data) == (expected, problems)
    assert write(data, lambda _: None)[0] == data


@pytest.mark.parametrize(
    ("heading", "media_type", "charset", "problems"),
    [
        (b"", "text/plain", None, []),
        (b"Content-Type: TEXT/Html; Charset=UTF-8\n", "text/html", "UTF-8", []),
        (b"Content-Type: text/html (c); name=a; charset = utf-8 (c)\n", "text/html", "utf-8", []),
        (b"Content-Type: text/html;\n\tcharset*=us-ascii''utf%2D8\n", "text/html", "utf-8", []),
        (b'Content-Type: text/html; charset="utf-8\n', "text/html", "utf-8", []),
        (b"Content-Type: text/html; charset=x-none\n", "text/html", None, ["charset-unknown"]),
        (b"Content-Type: text/html; charset*0*=''%75; charset*1*=tf; charset*2=-8\n", "text/html", "utf-8", []),
        (b"Content-Type: text\n", "text/plain", None, []),
        (b"Content-Type: text/html\nContent-Type: text/css\n", "text/html", None, []),
    ],
)
def test_media_type_and_charset(heading, media_type, charset, problems):
    (part,), noted = read(heading + b"\nx")
    assert (part.media_type, part.envelope.media_type, part.envelope.charset) == (media_type, media_type, charset)
    assert [problem.code for problem in noted] == problems


def test_the_limits():
    deep = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(4)) + b"\nx"
    assert names(deep, depth=4)[0] == {"1.1.1.1": b"x"}
    found, problems = names(deep, depth=3)
    assert found == {"1.1.1": b"--b3\n\nx"}
    assert "mime-limit" in problems
    many = MIXED % b"b" + b"--b\n\nx\n" * 9 + b"--b--"
    found, problems = names(many, parts=5)
    assert list(found) == ["1", "2", "3", "4"]
    assert problems[0] == "mime-limit"
    assert names(many, part=10) == ({}, ["too-large"])
    out, problems = write(many, lambda _: b"y", Limits(part=10))
    assert (out, [problem.code for problem in problems]) == (many, ["too-large"])
    out, _ = write(many, lambda part: part.data.upper(), Limits(parts=5))
    assert out == many.replace(b"\nx", b"\nX", 4)


@pytest.mark.growth
@pytest.mark.parametrize(
    "data",
    [
        MIXED % b"b"
        + b"".join(b"--b\nContent-Type: text/html\nContent-Location: %d\n\nx\n" % n for n in range(30_000)),
        b"".join(MIXED % b"b%d" % n + b"--b%d\n" % n for n in range(30_000)),
        b"Content-Type: message/rfc822\n\n" * 100_000,
        b"Content-Location: http://h/" + b"\n =?a?q?" * 300_000,
        b"Content-Type: text/html" + b';a="' * 500_000,
        MIXED % b"b" + b"--b " * 500_000,
        MIXED % b"b" + b"--\n" * 500_000,
        b"X: y\n" * 500_000,
        b"Content-Transfer-Encoding: quoted-printable\n\n" + b"= " * 1_000_000,
    ],
    ids=["parts", "multiparts", "messages", "encoded-words", "parameters", "padding", "dashes", "fields", "spaces"],
)
def test_takes_no_more_than_linear_time(data):
    with processor_limit(60):  # quadratic: hours
        found, _ = read(data)
        assert write(data, lambda _: None)[0] == data
    assert len(found) <= 100_000


# Transfer encodings


def single(transfer, body):
    return b"Content-Type: text/html\r\nContent-Transfer-Encoding: %s\r\n\r\n%s" % (transfer, body)


DECODED = [
    (b"7bit", b"a=3D", b"a=3D", True),
    (b"8BIT", b"\xe9", b"\xe9", True),
    (b" binary (c)", b"\0\r", b"\0\r", True),
    (b"base64", b"QUJD\r\nRA==\r\n", b"ABCD", True),
    (b"base64", b" QU JD \n", b"ABC", True),
    (b"base64", b"QUJDR", b"ABC", False),
    (b"base64", b"QUJDRA", b"ABCD", False),
    (b"base64", b"QU*JD", b"ABC", False),
    (b"base64", b"QQ==QQ==", b"A", False),
    (b"quoted-printable", b"a=3D=3d=\r\nb =20\r\nc \t\r\nd=", b"a==b  \r\nc\r\nd", True),
    (b"quoted-printable", b"a= \t\nb\rc=0D=0A\n", b"ab\rc\r\n\n", True),
    (b"quoted-printable", b"a=g1=", b"a=g1", False),
    (b"quoted-printable", b"==41=4", b"=A=4", False),
]


@pytest.mark.parametrize(("transfer", "body", "data", "valid"), DECODED)
def test_decodes(transfer, body, data, valid):
    (part,), problems = read(single(transfer, body))
    assert part.data == data
    assert [problem.code for problem in problems] == ([] if valid else ["mime-encoding"])
    assert problems == [] or problems[0].line == 4


WRITTEN = [
    (b"8bit", b"caf\xe9 x", b"caf\xe9 http://h/x", b"caf\xe9 http://h/x"),
    (b"base64", b"QUJD\r\nREVG\r\nRw==\r\n\r\n", b"ABCDEFGHI", b"QUJD\r\nREVG\r\nR0hJ\r\n\r\n"),
    (b"base64", b"QUJD\nREVG\nRw==", b"", b""),
    (b"base64", b"QUJD", b"A" * 60, b"QUFB" * 19 + b"\r\n" + b"QUFB"),
    (b"base64", b"QUFB" * 30, b"A" * 90 + b"B", b"QUFB" * 30 + b"\r\nQg=="),
    (
        b"quoted-printable",
        b"=61b =3D c\r\n=64 \r\n",
        b"ab = http://h/?q=1\r\nd\r\n",
        b"=61b =3D http://h/?q=3D1\r\n=64 \r\n",
    ),
    (b"quoted-printable", b"a=3db c\n", b"a=b \xe9\n", b"a=3db =e9\n"),
    (b"quoted-printable", b"a c\r\nx", b"a \r\nx\t", b"a=20\r\nx=09"),
    (b"quoted-printable", b"", b"=\r\n\n \xff", b"=3D\r\n=0A =FF"),
    (b"quoted-printable", b"a\r\nb\r\nc", b"a\r\nnew\r\nb\r\nc", b"a\r\nnew\r\nb\r\nc"),
    (b"quoted-printable", b"=61\r\nb\r\n=63", b"a\r\nc", b"=61\r\n=63"),
    (b"quoted-printable", b"x" * 75 + b"=\r\ny=\r\n=7A", b"x" * 75 + b"Yz", b"x" * 75 + b"=\r\nY=\r\n=7A"),
    (
        b"quoted-printable",
        b'<a href=3D"p">' + b"x" * 60 + b"=\r\n=78y\r\n",
        b'<a href="http://h/p">' + b"x" * 61 + b"y\r\n",
        b'<a href=3D"http://h/p">' + b"x" * 52 + b"=\r\n" + b"x" * 8 + b"=\r\n=78y\r\n",
    ),
    (b"quoted-printable", b"x" * 76 + b"\r\n", b"y" * 76 + b"\r\n", b"y" * 76 + b"\r\n"),
    (b"quoted-printable", b"x\r\n", b"y" * 75 + b" \r\n", b"y" * 75 + b"=\r\n=20\r\n"),
    (b"quoted-printable", b"x\r\n", b"y" * 75 + b"--b--\r\n", b"y" * 75 + b"=\r\n=2D-b--\r\n"),
]


@pytest.mark.parametrize(("transfer", "body", "new", "expected"), WRITTEN)
def test_writes_in_the_bodys_own_way(transfer, body, new, expected):
    data = single(transfer, body)
    out, problems = write(data, lambda _: new)
    assert out == single(transfer, expected)
    assert problems == []
    assert read(out)[0][0].data == new


@pytest.mark.parametrize(
    ("data", "new", "reason"),
    [
        (single(b"7bit", b"a"), b"\xe9", "cannot be written in its 7bit"),
        (single(b"base64", b"QUJDR"), b"ABCD", "cannot be written in its base64"),
        (MIXED % b"b" + b"--b\n\na\n--b--", b"a\n--b", "has a delimiter"),
    ],
)
def test_parts_that_cannot_be_written_are_skipped(data, new, reason):
    out, problems = write(data, lambda _: new)
    assert out == data
    assert problems[-1].code == "mime-left-alone"
    assert reason in problems[-1].message


TEXT = st.text(alphabet="ab =\"'<>/\r\n\té-.", max_size=120).map(lambda text: text.encode("latin-1"))


@given(TEXT, TEXT, st.sampled_from([b"8bit", b"base64", b"quoted-printable"]))
@settings(deadline=None, max_examples=examples(300))
def test_written_parts_are_read_back(body, new, transfer):
    data = single(transfer, body)
    out, problems = write(data, lambda _: new)
    if not any(problem.code == "mime-left-alone" for problem in problems):
        assert read(out)[0][0].data == new
    if transfer == b"quoted-printable" and all(len(line) <= 76 for line in body.split(b"\n")):
        assert all(len(line.removesuffix(b"\r")) <= 76 for line in out.split(b"\n"))


# In pieces


def small_pieces(monkeypatch, size):
    """Read and encode `size` bytes at a time."""
    monkeypatch.setattr(window, "_BUFFER", size)
    monkeypatch.setattr(pieces, "_ENCODED", size)
    monkeypatch.setattr(mime_entities, "_HEAD", 1)
    monkeypatch.setattr(mime_transfer, "_STEP", 3)


def outcomes(data):
    """The parts, the rewritten message, and the problems."""
    return (
        read(data),
        write(data, lambda part: part.data.replace(b"a", b"a\n=b")),
        write(data, lambda part: part.data[1:]),
    )


@given(st.data(), st.integers(8, 60))
@settings(deadline=None, max_examples=examples(200))
def test_pieces_of_any_size_have_the_same_result(draw, size):
    alphabet = [*PIECES, b"a", b"aaa=41", b"=\r\n", b" \r\n", b"QUJD", b"--b\n", b"\r", *TRANSFERS]
    text = st.lists(st.sampled_from(alphabet) | st.binary(max_size=9), max_size=40).map(b"".join)
    sample = st.sampled_from([data for data in SAMPLES.values() if len(data) < 10_000])
    body = st.builds(single, st.sampled_from([b"8bit", b"base64", b"quoted-printable"]), text)
    data = draw.draw(text | sample | body)
    expected = outcomes(data)
    with pytest.MonkeyPatch.context() as monkeypatch:
        small_pieces(monkeypatch, size)
        assert outcomes(data) == expected


TRANSFERS = [b"Content-Transfer-Encoding: base64\n\n", b"Content-Transfer-Encoding: quoted-printable\r\n\r\n"]


@given(TEXT, st.integers(8, 30))
@settings(deadline=None, max_examples=examples(100))
def test_positions_in_pieces_equal_positions_in_the_whole(data, size):
    offsets = [*range(len(data) + 1), 0]
    whole = Positions(data, Encoding("windows-1252", "default", ""))
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(window, "_BUFFER", size)
        found = WindowPositions(Window(io.BytesIO(data)))
        assert [found.of(offset) for offset in offsets] == [whole.of(offset) for offset in offsets]
        assert [WindowPositions(Window(data)).of(offset) for offset in offsets] == [whole.of(o) for o in offsets]


LINES = st.lists(st.sampled_from([b"a\n", b"b\r\n", b'<a href="x">\n', b"=c d\n", b"\n", b"e"]), max_size=30).map(
    b"".join
)


@given(LINES, LINES, st.booleans())
@settings(deadline=None, max_examples=examples(300))
def test_changes_turn_the_old_into_the_new(old, new, small):
    with pytest.MonkeyPatch.context() as monkeypatch:
        if small:
            monkeypatch.setattr(mime_transfer, "_ITEMS", 4)  # a diff has several rounds, and may be another one
            monkeypatch.setattr(mime_transfer, "_STEP", 3)
        out, done = b"", 0
        for start, end, text in mime_transfer.changes(old, new):
            assert done <= start <= end
            out += old[done:start] + text
            done = end
    assert out + old[done:] == new


def test_a_stream_that_is_read_once_is_read_too():
    class Once(io.BytesIO):
        def seek(self, *_):
            raise io.UnsupportedOperation

    data = SAMPLES[next(iter(SAMPLES))]
    assert [part.data for part in mime.parts(Once(data), Envelope(), print, Limits())] == [
        part.data for part in read(data)[0]
    ]


# Byte for byte, whatever it is


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_come_back_byte_for_byte(name):
    data = SAMPLES[name]
    assert CONTAINERS["mime"].recognise(data[:4096], "unnamed")
    assert write(data, lambda _: None)[0] == data
    assert write(data, lambda part: part.data)[0] == data


@given(st.data())
@settings(deadline=None, max_examples=examples(200))
def test_mutated_samples_come_back_byte_for_byte(draw):
    data = bytearray(SAMPLES[draw.draw(st.sampled_from(list(SAMPLES)))])
    for _ in range(draw.draw(st.integers(1, 5))):
        at = draw.draw(st.integers(0, len(data)))
        data[at : at + draw.draw(st.integers(0, 40))] = draw.draw(st.sampled_from(PIECES) | st.binary(max_size=9))
    check(bytes(data))


PIECES = [
    b"--",
    b"\n--b",
    b"\r\n\r\n",
    b"\n\n",
    b"=",
    b"\n ",
    b"\0",
    b"Content-Type: multipart/mixed; boundary=b\n\n",
    b"--b--\n",
]


@given(
    st.lists(st.sampled_from([*PIECES, b"a", b"Content-Location: x\n", b"--b\n", b"\r\n"]) | st.binary(max_size=9)).map(
        b"".join
    )
)
@settings(deadline=None, max_examples=examples(300))
def test_any_bytes_come_back(data):
    check(data)


def check(data):
    found, _ = read(data)
    assert write(data, lambda _: None)[0] == data
    for part in found:
        if part.media_type == "text/html":
            assert base(part).url
    out, problems = write(data, lambda part: part.data + b"x")
    if not any(problem.code == "mime-left-alone" for problem in problems):
        assert [part.data for part in read(out)[0]] == [part.data + b"x" for part in found]


# The standard library's parser, on well-formed messages

BODIES = st.text(alphabet="ab \n-=é", max_size=60)
MESSAGES = st.recursive(
    st.tuples(BODIES, st.sampled_from(["7bit", "8bit", "base64", "quoted-printable"])),
    lambda inner: st.lists(inner, min_size=1, max_size=3) | st.tuples(inner),
    max_leaves=6,
)


def built(tree, path="b"):
    if isinstance(tree, list):
        inner = "".join(f"--{path}\n{built(child, f'{path}-{n}')}\n" for n, child in enumerate(tree))
        return f'Content-Type: multipart/mixed; boundary="{path}"\n\npreamble\n{inner}--{path}--\nepilogue'
    if len(tree) == 1:
        return f"Content-Type: message/rfc822\n\nSubject: s\n{built(tree[0], f'{path}-m')}"
    text, transfer = tree
    text = text.replace("--", "- -").replace(" \n", "\n").rstrip(" ")
    part = Message(policy=email.policy.compat32.clone(max_line_length=0))
    part["Content-Type"] = 'text/html; charset="utf-8"'
    part["Content-Transfer-Encoding"] = transfer
    if transfer in {"base64", "quoted-printable"}:
        codec = {"base64": "base64_codec", "quoted-printable": "quopri_codec"}[transfer]
        body = codecs.encode(text.encode(), codec).decode("ascii").replace("=\n--", "=\n=2D-")
    else:
        body = text if transfer == "8bit" else text.encode("ascii", "replace").decode()
    return f"{part}{body}"


@given(MESSAGES, st.booleans())
@settings(deadline=None, max_examples=examples(200))
def test_payloads_equal_the_payloads_of_the_standard_library(tree, with_line_ends):
    data = crlf(built(tree)) if with_line_ends else built(tree).encode()
    expected = [
        part.get_payload(decode=True) for part in email.message_from_bytes(data).walk() if not part.is_multipart()
    ]
    found, problems = read(data)
    assert [part.data for part in found] == expected
    assert problems == []


@pytest.mark.parametrize(
    ("head", "name", "expected"),
    [
        (b"From: a\r\n", "page.MHT", True),
        (b"<html>", "page.mht", False),
        (b"From: a\nMIME-Version: 1.0\n", "x", True),
        (b"From a Sun\nmime-version: 1.0\n", "x", True),
        (b"From: a\n\nMIME-Version: 1.0\n", "x", False),
        (b"a { color: red }", "x.css", False),
        (b"", "x.eml", False),
    ],
)
def test_recognises_messages(head, name, expected):
    assert CONTAINERS["mime"].recognise(head, name) is expected
