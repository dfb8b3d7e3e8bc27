"""Causes that have something in common are one family, and none is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.growth import assert_linear
from support.samples import assemble, finding

from linkfix.auditing import FindingLevel, RuleInfo, group_by_cause
from linkfix.auditing.findings import families

CODES = {"file": "LF101", "fragment": "LF102", "other": "LF201"}
NAMES = st.text(alphabet="ab1/-.#", min_size=1, max_size=8)


def audit_of(kind, causes, **fields):
    """An audit with a finding for each cause: a text, or a text and the page that it was found in."""
    code = CODES.get(kind, "LF201")
    pairs = [cause if isinstance(cause, tuple) else (cause, "page.html") for cause in causes]
    found = [
        finding(code, page, line, cause=text, level=FindingLevel.ERROR, **fields)
        for line, (text, page) in enumerate(pairs, start=1)
    ]
    rules = (RuleInfo(code, "name", FindingLevel.ERROR, "Summary.", "Help.\n", cause_kind=kind),)
    ordered = assemble(*found).findings
    return assemble(*found, causes=group_by_cause(ordered), rules=rules)


def families_of(kind, *causes):
    """The texts of the families, and the number of causes of each."""
    return {one.text: len(one.causes) for one in families(audit_of(kind, causes))}


def test_files_with_numbers():
    files = [f"gio/api-index-2-{n}.html" for n in (8, 10, 26)]
    assert families_of("file", *files, "gio/api-index-deprecated.html") == {
        "3 files gio/api-index-2-*.html": 3,
        "gio/api-index-deprecated.html": 1,
    }


def test_files_of_one_folder_and_suffix():
    assert families_of("file", "api/fs.json", "api/all.json", "api/net.json", "api/esm.md") == {
        "3 files api/*.json": 3,
        "api/esm.md": 1,
    }


def test_a_file_that_many_pages_refer_to_stands_alone():
    """One fix, in a template; the others are mistakes in pages."""
    of_template = [("guide/abuot.html", f"{page}.html") for page in "abcdefgh"]
    mistakes = [(f"guide/{name}.html", "a.html") for name in ("confg", "instal", "usge")]
    found = families(audit_of("file", [*of_template, *mistakes]))
    assert [(one.text, len(one.findings)) for one in found] == [("guide/abuot.html", 8), ("3 files guide/*.html", 3)]


def test_files_that_all_pages_refer_to_are_one_group():
    causes = [(f"guide/{name}.html", f"{page}.html") for name in ("one", "two", "six") for page in "abcdefgh"]
    found = families(audit_of("file", causes))
    assert [(one.text, len(one.findings)) for one in found] == [("3 files guide/*.html", 24)]


def test_the_end_of_a_pattern_is_no_part_of_a_word():
    assert families_of("file", "blog/nine", "blog/three", "blog/twelve") == {"3 files blog/*": 3}


def test_one_file_in_several_folders():
    assert families_of("file", "de/mod/perchild.html", "ja/mod/perchild.html", "ko/mod/perchild.html", "ko/x.html") == {
        "3 files */mod/perchild.html": 3,
        "ko/x.html": 1,
    }


def test_unlike_files_at_the_top_stay_apart():
    assert families_of("file", "search", "src/timeline", "copyright") == {
        "search": 1,
        "src/timeline": 1,
        "copyright": 1,
    }


def test_many_files_below_a_folder():
    files = [f"old/{name}/{name}{name}.{name}" for name in "abcdefghij"]
    assert families_of("file", *files, "new/x.html") == {"10 files old/*": 10, "new/x.html": 1}


def test_urls_by_the_folder_that_has_them_all():
    urls = [f"file:///home/me/{name}" for name in ("index.html", "a/b.html", "a/c.html", "d/e.html")]
    assert families_of("url", *urls) == {"4 files file:///home/me/*.html": 4}


def test_fragments_of_one_page():
    assert families_of("fragment", "a.html#one", "a.html#one", "a.html#two", "b.html#three") == {
        "2 fragments of a.html, such as #one": 2,
        "b.html#three": 1,
    }


def test_pages_that_lack_the_same():
    assert families_of("fragment", "de/x.html#a", "fr/x.html#a", "ja/y.html#a") == {
        "de/x.html#a; also missing in 2 other pages, such as fr/x.html": 3
    }


def test_a_page_of_all_pages():
    causes = [(f"{page}#{name}", page) for page, name in (("fs.html", "a"), ("fs.html", "b"), ("net.html", "c"))]
    everything = [(f"all.html#{name}", "all.html") for name in "abcd"]
    assert families_of("fragment", *causes, *everything) == {
        "4 fragments of all.html, such as #a; also missing in 2 other pages, such as fs.html": 7
    }


def test_a_part_elsewhere_is_no_twin():
    """Another page's references to different pages have nothing in common."""
    causes = ["one.html#a", "one.html#b", "two.html#a"]
    assert families_of("fragment", *causes) == {"2 fragments of one.html, such as #a": 2, "two.html#a": 1}


def made_images(count, suffix="svg"):
    """Fragments that images lack; each image has a number of its own in its IDs, and another number of lines."""
    pages = [(f"{'abcd'[n]}.{suffix}", n) for n in range(count)]
    return [(f"{page}#image-{7 * n}-line-{line}", page) for page, n in pages for line in range(n + 1)]


def test_made_images_lack_ids_with_their_own_numbers():
    """The example is from the image that lacks the most."""
    page = ("z.html#image-7-line-2", "z.html")
    assert families_of("fragment", *made_images(3), page) == {
        "6 fragments of 3 files that only they refer to, such as c.svg#image-14-line-0": 6,
        "z.html#image-7-line-2": 1,
    }


def test_two_images_or_images_that_another_page_refers_to_stay_apart():
    assert families_of("fragment", *made_images(2)) == {
        "a.svg#image-0-line-0": 1,
        "2 fragments of b.svg, such as #image-7-line-0": 2,
    }
    causes = [text for text, _ in made_images(3)]
    assert len(families_of("fragment", *causes)) == 3


def test_other_causes_by_message():
    assert families_of("other", *map(str, range(9))) == {str(number): 1 for number in range(9)}
    assert families_of("other", *map(str, range(10))) == {"10 times: a placeholder was left unfilled": 10}


@pytest.mark.parametrize("kind", ["file", "fragment", "url", "other"])
@given(causes=st.lists(st.tuples(NAMES, NAMES), max_size=40))
def test_no_finding_is_lost(kind, causes):
    audit = audit_of(kind, causes)
    found = families(audit)
    assert sorted(number for one in found for number in one.findings) == list(range(len(audit.findings)))
    assert sorted(cause.text for one in found for cause in one.causes) == sorted(cause.text for cause in audit.causes)
    assert all(one.pages == len({audit.findings[number].path for number in one.findings}) for one in found)


@pytest.mark.growth
@pytest.mark.parametrize("kind", ["file", "fragment"])
def test_many_causes_take_linear_time(kind):
    """Each page lacks an ID of its own and one that all lack, in pages with different names."""

    def prepare(size):
        pages = [f"folder{n % 7}/{'abcdefghij'[n % 10]}{n}x.html" for n in range(size)]
        audit = audit_of(kind, [(f"{page}#{name}", "z.html") for page in pages for name in ("all", page)])
        return lambda: families(audit)

    assert_linear(prepare, 500)
