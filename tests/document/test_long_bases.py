"""Each target repeats a long base: references stay as they are if that would fill the memory."""

from __future__ import annotations

import pytest
from support.memory import peak_growth

import linkfix
from linkfix import Document, Envelope

URL = "http://h/a/b"
LONG = b"http://h/" + b"x" * 100_000 + b"/"
BASE = b"<base href='" + LONG + b"'>"
#: Many references, each kind with the number of links beside that of the base.
MANY = {
    "plain": (b"<a href=y>" * 1000, 1000),
    "not ASCII": ("<a href='é'>".encode() * 1000, 1000),
    "empty": (b"<a href=''>" * 1000, 1000),
    "local": (b"<style>a{b:url(#x)}</style>" * 1000, 1000),
    "srcset": (b"<img srcset='" + b"a, " * 1000 + b"'>", 1000),
    "css": (b"<style>" + b"url(a)" * 1000 + b"</style>", 1000),
    "one srcdoc": (b"<iframe srcdoc='" + b"<a href=x>" * 1000 + b"'></iframe>", 1000),
    "srcdocs": (b"<iframe srcdoc='<a href=x>'></iframe>" * 1000, 1000),
    "escaped srcdocs": (b"<iframe srcdoc='&lt;a href&#61;x&gt;'></iframe>" * 1000, 1000),
}


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr("linkfix.document.document.BASES", 1 << 20)


@pytest.mark.parametrize("kind", MANY)
def test_references_are_unchanged(kind):
    body, count = MANY[kind]
    document = Document(BASE + body, url=URL)
    _, *links = document.links
    assert len(links) == count
    assert {(link.target, link.base, link.problem) for link in links} == {(None, None, "links-too-large")}
    assert document.absolutize() == BASE + body
    assert linkfix.absolutize(BASE + body, URL) == BASE + body
    assert {problem.code for problem in document.problems} == {"links-too-large"}
    assert document.base.url == LONG.decode()


def test_a_long_base_does_not_affect_absolute_references():
    document = Document(BASE + b"<a href=y>" * 1000 + b"<a href='http://o/'><a href='mailto:a@b'>", url=URL)
    assert [(link.target, link.problem) for link in document.links[-2:]] == [
        ("http://o/", None),
        ("mailto:a@b", None),
    ]


@pytest.mark.parametrize("kind", [kind for kind in MANY if kind != "local"])
def test_few_references_are_resolved(kind):
    body, count = MANY[kind]
    few = body[: len(body) // 1000] if kind not in {"srcset", "css", "one srcdoc"} else b"<a href=y>"
    assert count == 1000
    _, link = linkfix.links(BASE + few, URL)
    assert (link.target or "").startswith(LONG.decode())


def test_the_url_of_the_document_counts_too():
    url = LONG.decode() + "z"
    body = b"<a href=y>" * 1000
    assert linkfix.absolutize(body, url) == body
    local = b"<base href=http://h/><style>" + b"a{b:url(#x)}" * 1000 + b"</style>"
    _, link, *_ = linkfix.links(local, url)
    assert (link.target, link.problem) == (None, "links-too-large")
    # No more than a base that is short: each of these has the base's 2,000 characters at most.
    assert linkfix.links(b"<a href=y>" * 1000, "http://h/" + "x" * 1980 + "/")[-1].problem is None


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (b"<applet codebase='" + LONG + b"' archive='" + b"a," * 1000 + b"'></applet>", "text/html"),
        (
            b"<feed xmlns='http://www.w3.org/2005/Atom' xml:base='"
            + LONG
            + b"'>"
            + b"<link href='a'/>" * 1000
            + b"</feed>",
            "application/atom+xml",
        ),
    ],
    ids=["codebase", "xml:base"],
)
def test_bases_of_elements_count_too(data, media_type):
    document = Document(data, envelope=Envelope(URL, media_type=media_type))
    assert document.links[-1].problem == "links-too-large"
    assert document.absolutize() == data


def test_a_document_with_a_base_from_elsewhere():
    whole = Document(b"<a href=y>" * 1000, url=URL)
    other = whole.with_base(Document(BASE, url=URL).base)
    assert other.links[-1].problem == "links-too-large"
    assert whole.links[-1].target == "http://h/a/y"


def test_memory(tmp_path):
    small, large = tmp_path / "small.html", tmp_path / "large.html"
    base = b"<base href='http://h/" + b"x" * 1_000_000 + b"/'>"
    small.write_bytes(base)
    large.write_bytes(base + b"<a href=y>" * 10_000)
    bound = 64 << 20
    assert peak_growth(*(["absolutize", str(path), "--url", URL] for path in (small, large)), bound) < bound
