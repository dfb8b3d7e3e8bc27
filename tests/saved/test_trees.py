"""The savers' trees, converted: every link has its target on the saved site."""

from __future__ import annotations

from collections import Counter

import pytest
from support.fixtures_site import FIXTURES, ROOT, SITE
from support.saved_trees import TABLE, differences, documents, expected, targets
from support.vectors import write_saver_trees

SAMPLE_ROOT = "http://127.0.0.1:18765/"
TREES = ["wget", "wget-converted", "httrack", "chromium"]
SAMPLE_TREES = ["wget-plain", "wget-k-E", "httrack-3.49-4", "wget-warc"]


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    return write_saver_trees(tmp_path_factory.mktemp("samples"))


@pytest.mark.parametrize("name", TREES)
def test_links_keep_their_targets(name):
    assert differences(name, FIXTURES / "saved" / name, SITE, ROOT) == set(expected(name))


@pytest.mark.parametrize("name", SAMPLE_TREES)
def test_links_of_the_samples_keep_their_targets(name, samples):
    assert differences(name, samples / name, samples / "site-original", SAMPLE_ROOT) == set(expected(name))


def test_every_difference_has_a_reason_and_a_tree():
    rows = [row for name in TREES + SAMPLE_TREES for row in expected(name).items()]
    lines = TABLE.read_text("utf-8").splitlines()
    assert all(reason for _, reason in rows)
    assert len(rows) == len([line for line in lines if not line.startswith("# ")])


@pytest.mark.parametrize("name", ["wget", "wget-converted", "httrack"])
def test_converted_pages_have_the_same_targets(name):
    """The converted bytes alone, read as a page of no saver, have the same targets."""
    for page, envelope, _problems, _data, document in documents(FIXTURES / "saved" / name):
        if envelope.url is not None:
            converted = document.convert().data
            again = type(document)(converted, url=envelope.url, media_type=envelope.media_type)
            assert targets(again) == targets(document), page


# URLs of retrieval

HTTRACK = [
    ("index.html", ""),
    ("index-2.html", "index.html"),
    ("docs/page.html", "docs/page.html"),
    ("docs/baseda4c5.html", "docs/based.html?x=1&y=2"),
    ("docs/page5835.html", "docs/page.html?q=1"),
    ("docs/page6009.html", "docs/page.html?q=%e9"),
    ("docs/latin1.html", "docs/latin1.html"),
    ("docs/sub/index.html", "docs/sub/"),
    ("docs/sub/deep.html", "docs/sub/deep.html"),
    ("missing.html", "missing.html"),
    ("css/main.css", "css/main.css"),
    ("css/other.css", "css/other.css"),
]
WGET = [
    ("index.html", ""),
    ("docs/page.html", "docs/page.html"),
    ("docs/based.html?x=1&y=2{}", "docs/based.html?x=1&y=2"),
    ("docs/page.html?q=1{}", "docs/page.html?q=1"),
    ("docs/page.html?q=é{}", "docs/page.html?q=%C3%A9"),
    ("docs/latin1.html", "docs/latin1.html"),
    ("docs/sub/index.html", "docs/sub/"),
    ("docs/sub/deep.html", "docs/sub/deep.html"),
    ("css/main.css", "css/main.css"),
    ("css/other.css", "css/other.css"),
]
URLS = {
    "httrack-3.49-4": {f"127.0.0.1_18765/{name}": SAMPLE_ROOT + url for name, url in HTTRACK} | {"index.html": None},
    "wget-plain": {f"127.0.0.1:18765/{name.format('')}": SAMPLE_ROOT + url for name, url in WGET},
    "wget-k-E": {f"127.0.0.1:18765/{name.format('.html')}": SAMPLE_ROOT + url for name, url in WGET}
    | {f"127.0.0.1:18765/{name.format('.orig')}": SAMPLE_ROOT + url for name, url in WGET if "{}" in name},
    "wget-warc": {
        f"127.0.0.1:18765/{name}": SAMPLE_ROOT + url for name, url in WGET if name.startswith(("index", "css"))
    },
}


@pytest.mark.parametrize("name", URLS)
def test_the_samples_have_the_urls_that_they_were_made_from(name, samples):
    found = {page: envelope.url for page, envelope, *_ in documents(samples / name)}
    assert found == URLS[name]


def test_pages_in_no_tree_of_hosts_have_none(samples):
    found = list(documents(samples / "wget-single-k"))
    assert [(page, envelope.url) for page, envelope, *_ in found] == [("based.html", None), ("page.html", None)]


@pytest.mark.parametrize("name", TREES)
def test_no_saver_disagrees_with_itself(name):
    assert not [(page, problems) for page, _, problems, *_ in documents(FIXTURES / "saved" / name) if problems]


CHROMIUM = {
    "index.html": "index.html",
    "frames.html": "elements/frames.html",
    "foreign.html": "base/foreign.html",
    "images.html": "elements/images.html",
    "styles.html": "elements/styles.html",
    "windows-1251.html": "encoding/windows-1251.html",
    "foreign_files/api.html": "docs/reference/api.html",
    "frames_files/api.html": "docs/reference/api.html#lamp",
    "windows-1251_files/setup.html": "docs/guide/setup.html?%EB%E0%EC%EF%E0",
}


def test_chromium_states_the_urls_of_pages():
    found = {page: envelope.url for page, envelope, *_ in documents(FIXTURES / "saved" / "chromium")}
    assert {page: url for page, url in found.items() if url} == {page: ROOT + url for page, url in CHROMIUM.items()}


def test_chromium_frames_without_a_url_keep_the_targets_of_srcdocs():
    """The links of a page's srcdoc documents equal the links of the files that Chromium made of them."""
    files = [one for one in documents(FIXTURES / "saved" / "chromium") if one[0].startswith("frames_files/saved")]
    files += [one for one in documents(FIXTURES / "saved" / "chromium") if one[0] == "frames_files/setup.html"]
    in_files = sum((targets(document) for *_, document in files), Counter())
    lost = {
        row.split("\t")[3] + "\t" + row.split("\t")[4]: -int(row.split("\t")[2])
        for row, reason in expected("chromium").items()
        if "\tframes.html\t" in row and "srcdoc" in reason
    }
    assert {link: count for link, count in in_files.items() if link in lost} == lost
    assert all(envelope.parent and envelope.parent.url == ROOT + "elements/frames.html" for _, envelope, *_ in files)


def test_the_files_of_a_page_stay_beside_it():
    for page, _, _, data, document in documents(FIXTURES / "saved" / "chromium"):
        converted = document.convert().data
        for match in {part.split('"')[0] for part in data.decode("latin-1").split('="./')[1:]}:
            assert f'="./{match}"' in converted.decode("latin-1"), page


def test_a_base_of_the_browser_is_no_base():
    page = next(one for one in documents(FIXTURES / "saved" / "chromium") if one[0] == "foreign.html")
    base = page[4].base
    assert (base.url, base.layer.value) == (ROOT, "embedded")
    assert "turned into a comment" in base.where
    assert [(lost.reference, lost.reason) for lost in base.rejected if lost.reference == "."] == [
        (".", "added by the browser")
    ] * 2
    assert b'--><base href="." target="_top">' in page[4].convert().data
