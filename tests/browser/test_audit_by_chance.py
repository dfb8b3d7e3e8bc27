"""For random references, the audit's verdicts are those of Chromium."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from random import Random
from urllib.parse import unquote

import pytest
from support.browser.chromium import Chromium
from support.browser.followed import Followed
from support.browser.odd_tree import document, links
from support.browser.verdicts import Verdict
from support.browser.web_server import Folder

pytestmark = [pytest.mark.browser, pytest.mark.slow]  # Chromium follows each reference

NAMES = ("a", "B c", "ü", "Ж", "日", "x&y", "p+q", "r;s", "100%", "q#r", "t'u", "i.j", "~", "[k]")
FOLDERS = ("", "d/", "d/e f/", "ü/", "Ж/Q/")
IDS = ("i", "I", "a b", "ü", "%41", "A", "x&y", "1", "日本", "[]", "#", "top", "?", "/")


def quoted(text: str, chance: Random) -> str:
    """A text as it may be written in a URL: percent-encoded where necessary, and a few other characters too."""
    needed = "%#?"
    return "".join(
        "".join(f"%{byte:02{chance.choice('xX')}}" for byte in one.encode())
        if one in needed or chance.random() < 0.1
        else one
        for one in text
    )


def slipped(reference: str, chance: Random) -> str:
    """A reference with something done to it that may or may not matter."""
    slip = chance.randrange(16)
    path, mark, fragment = reference.partition("#")
    at = chance.randrange(len(path) + 1)
    if slip < 5:
        path = (path.swapcase(), path + "/", "../" + path, "./" + path, path.replace("/", "\\"))[slip]
    elif slip < 10:
        path = path[:at] + ("\t", "\n", " ", ".", "%2e")[slip - 5] + path[at:]
    elif slip < 13:
        path = (path + "?q=/../x", path[:at] + path[at + 1 :], path.rpartition("/")[0])[slip - 10]
    else:
        fragment = (fragment.swapcase(), fragment + "%20", "x" + fragment)[slip - 13]
    return f"{path}{mark}{fragment}"


def by_chance(root: Path, chance: Random) -> list[str]:
    """Write a tree whose references are right, and slipped in one case of two; its pages."""
    names = {chance.choice(FOLDERS) + chance.choice((f"{name}.html", f"{name}/index.html")) for name in NAMES}
    ids = {name: chance.sample(IDS, 4) for name in sorted(names)}
    for name, own in ids.items():
        up = "../" * name.count("/")
        references = []
        for _ in range(25):
            target = chance.choice(list(ids))
            path = target.removesuffix("index.html") if chance.random() < 0.5 else target
            fragment = chance.choice(["", f"#{quoted(chance.choice(ids[target]), chance)}"])
            reference = up + quoted(path, chance) + fragment
            references.append(slipped(reference, chance) if chance.random() < 0.5 else reference)
        anchors = "".join(f'<p id="{one.replace("&", "&amp;")}">x</p>' for one in own)
        path_ = root / name
        path_.parent.mkdir(parents=True, exist_ok=True)
        path_.write_bytes(document(anchors + links(references)))
    (root / "index.html").write_bytes(document(""))
    return list(ids)


@pytest.mark.parametrize("seed", range(3))
def test_they_agree_on_references_by_chance(browser: Chromium, tmp_path: Path, seed: int) -> None:
    names = by_chance(tmp_path, Random(seed))  # noqa: S311 - no secret
    if (tmp_path / "INDEX.HTML").exists():
        pytest.skip("the file system does not tell upper and lower case apart")
    followed = Followed(browser, Folder(str(tmp_path), "http://tree.test/"), names, scripts=False)
    slashes = re.compile(r"[/\\][\t\n.]*[/\\]")
    assert {
        reference: verdicts
        for reference, verdicts in followed.disagreements().items()
        if not slashes.search(unquote(reference.text.partition("#")[0]))
    } == {}
    assert min(Counter(followed.verdicts.values())[one] for one in (Verdict.WORKS, Verdict.MISSING, Verdict.LOST)) > 10
