"""References that the audit reports are broken in Chromium; references that it passes work there."""

from __future__ import annotations

import re
from collections import Counter
from http import HTTPStatus
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

import pytest
from support.browser.chromium import Chromium
from support.browser.followed import Followed
from support.browser.odd_tree import write_odd_tree
from support.browser.verdicts import CODES, Reference, Verdict, page_url, targets
from support.browser.web_server import Folder, ServedPage

pytestmark = [pytest.mark.browser, pytest.mark.slow]  # Chromium follows each reference

WORKS, MISSING, NO_INDEX, LOST = list(Verdict)[:4]


class Difference(NamedTuple):
    """A disagreement of the audit and Chromium, for references of which `page reference` matches `pattern`.

    `scripts`: with scripts (True), without (False), or both (None).
    """

    browser: Verdict
    audit: Verdict
    pattern: str
    reason: str
    scripts: bool | None = None


#: All of them; one that is not seen any more is a failure too.
DIFFERENCES = [
    Difference(WORKS, MISSING, r"docs//|(docs|日本)/hub\.html \./\\$", "this server merges slashes, and others do not"),
    Difference(NO_INDEX, WORKS, r" xhtml/$", "other servers have index.xhtml among the names of an index"),
    Difference(
        MISSING, WORKS, r" a(%20| )b\.html$", "savers name files as URLs are written; a file a%20b.html is there"
    ),
    Difference(MISSING, WORKS, r" (what|saved(\.html)?)\?", "savers keep the query in a file's name"),
    Difference(LOST, WORKS, r"#L1-(L)?2$", "code viewers take them for lines; both ends are there"),
    Difference(LOST, WORKS, r"#(stray-\w+|nested-form)$", "tags that the parser ignores: linkfix builds no tree"),
    Difference(WORKS, LOST, r"#gone:~:text=", "the text is found; a browser that does not look for it finds nothing"),
    Difference(LOST, WORKS, r"pic\.svg#(t=|xywh=|svgView)", "fragments of media are no names"),
    Difference(LOST, WORKS, r"pic\.svg#(?i:to(p|%70)|%[57]4op)", "the image does not scroll: nothing tells its top"),
    Difference(
        LOST, WORKS, r"(stub|carrying)/\S+#here$", "a name of a page that sends its readers on, which may be slow"
    ),
    Difference(
        LOST, WORKS, r" \.\./stub/to-gone\.html#", "that it leads to a missing file is reported there", scripts=False
    ),
    Difference(LOST, WORKS, r"^resources\.html #in-docs$", "a fragment alone, in a srcdoc document, is not checked"),
    Difference(
        LOST,
        WORKS,
        r"carrying/script-only\.html#(gone|in-docs)$",
        "where a script sends readers is not known",
        scripts=True,
    ),
    Difference(LOST, WORKS, r"#in-noscript", "noscript counts as markup: its readers have no scripts", scripts=True),
]
#: The path percent-encode set (URL standard §1.3) does not have U+007C, and Chromium's has it.
BAR = str.maketrans({"|": "%7C"})


@pytest.fixture(scope="module", params=[("http://tree.test/", False), ("https://tree.test/a/b/", True)])
def followed(request: pytest.FixtureRequest, browser: Chromium, tmp_path_factory: pytest.TempPathFactory) -> Followed:
    base, scripts = request.param
    root = tmp_path_factory.mktemp("tree")
    write_odd_tree(root, base)
    if (root / "PAGE.HTML").exists():
        pytest.skip("the file system does not tell upper and lower case apart")
    return Followed(browser, Folder(str(root), base), pages(root, scripts=scripts), scripts=scripts)


#: Pages whose references are not followed: redirect pages, and pages made for no scripts, or for scripts. References
#: that scripts do not touch are followed once.
SKIPPED = {
    False: re.compile(r"(stub|carrying)/|docs/to-carrying"),
    True: re.compile(r"(stub|carrying)/|docs/to-stub|base/(.*noscript|late-)|.*-(1251|sjis|utf16)\.html"),
}


def pages(root: Path, *, scripts: bool) -> list[str]:
    """The pages whose references are followed."""
    names = [str(path.relative_to(root)) for path in root.rglob("*.*html") if "linked" not in path.parts]
    return sorted(name for name in names if not SKIPPED[scripts].match(name))


def matches(difference: Difference, reference: Reference, verdicts: tuple[Verdict, Verdict]) -> bool:
    text = f"{reference.page} {reference.text}"
    return verdicts == difference[:2] and re.search(difference.pattern, text) is not None


def test_they_agree(followed: Followed) -> None:
    expected = [one for one in DIFFERENCES if one.scripts in {None, followed.scripts}]
    disagreements = followed.disagreements()
    unexpected = {
        reference: verdicts
        for reference, verdicts in disagreements.items()
        if not any(matches(one, reference, verdicts) for one in expected)
    }
    assert unexpected == {}
    seen = Counter(followed.verdicts.values())
    assert seen.total() > 1500
    assert set(seen) == set(Verdict)


def test_the_differences_are_still_there(followed: Followed) -> None:
    disagreements = followed.disagreements().items()
    expected = [one for one in DIFFERENCES if one.scripts in {None, followed.scripts}]
    assert [
        one.pattern for one in expected if not any(matches(one, *disagreement) for disagreement in disagreements)
    ] == []


def test_all_that_is_reported_is_followed(followed: Followed) -> None:
    names = set(followed.names)
    assert {reference for reference in followed.said if reference.page in names} <= set(followed.verdicts)


def test_targets_are_the_same(followed: Followed) -> None:
    resolved = {name: targets(followed.folder, name) for name in followed.names}
    different = {}
    for reference, url in followed.hyperlinks.items():
        target = resolved[reference.page][reference.text]
        if target is None:  # the element has its value as it is then
            target = reference.text
        if target.translate(BAR) != url.translate(BAR):
            different[reference] = (target, url)
    assert different == {}


def test_a_name_in_other_case_is_there(followed: Followed) -> None:
    found = [one for one in followed.audit.findings if one.code == "LF105"]
    assert len(found) > 20
    for one in found:
        assert one.hint is not None
        assert one.target is not None
        near = one.hint.text.removeprefix("the file is ")
        assert followed.folder.answer(page_url(followed.folder.url, near)).status == HTTPStatus.OK
        wanted = unquote(re.split("[?#]", one.target)[0]).removeprefix(followed.folder.url).rstrip("/")
        there = {near, near.removesuffix("/index.html")}
        assert wanted not in there
        assert wanted.casefold() in {name.casefold() for name in there}


def test_sheets(followed: Followed, browser: Chromium) -> None:
    """CSS Values §4.5.1: references in a style sheet are relative to the sheet."""
    missing = {one.target for one in followed.audit.findings if one.path.startswith("css/") and one.code in CODES}
    assert len(missing) > 4
    with ServedPage(browser, followed.folder, scripts=followed.scripts) as tab:
        tab.load(page_url(followed.folder.url, "docs/styled.html"))
        tab.wait(lambda: missing | {f"{followed.folder.url}pic.svg"} <= set(tab.statuses))
        own = {url: status for url, status in tab.statuses.items() if "favicon" not in url}
    assert {url for url, status in own.items() if status != HTTPStatus.OK} == missing
    assert own[f"{followed.folder.url}pic.svg"] == HTTPStatus.OK
