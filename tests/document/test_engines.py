"""linkfix has the base URL that three browser engines have, and resolves hyperlinks, frames and refresh as they do."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
from support.vectors import table

from linkfix import Document

URL = "http://site.example/dir/page.html"

ROWS = table("engines")
GROUPS = sorted({row["group"] for row in ROWS})

#: Groups in which a refresh that engines ignore is no refresh to linkfix either; in others it may be in noscript.
ABOUT_REFRESH = {"http-equiv", "refresh"}


class Answer(NamedTuple):
    """The URL of a refresh; without a refresh, the base URL, and the targets of hyperlinks and frames."""

    refresh: str | None
    base_uri: str | None
    targets: tuple[str, ...]


def engines_answers(row: dict[str, Any]) -> list[Answer]:
    """The engines' answers for a page. They do not always agree."""
    return [
        Answer(None, base, tuple(target for target in (*links, *frames) if target != "about:blank"))
        if url == URL
        else Answer(url, None, ())  # the rest is the next page's
        for _, url, base, links, frames in row["outcomes"]
    ]


def document(row: dict[str, Any]) -> Document[str]:
    policies = [value for name, value in row["headers"] if name == "Content-Security-Policy"]
    received = {"content_security_policy": ", ".join(policies)} if policies else {}
    return Document(row["html"], url=URL, scripting="on" if row["scripts"] else "off", **received)


def agrees(row: dict[str, Any]) -> bool:
    """Whether linkfix agrees with the engines; if they disagree, with one of them in each respect."""
    found = document(row)
    answers = engines_answers(row)
    # HTML §4.2.5.3, the last steps of the shared declarative refresh steps: none leads to a javascript: URL.
    refreshes = {link.target for link in found.links if link.syntax == "refresh" and link.reference != "javascript:0"}
    if refreshes & {answer.refresh for answer in answers}:
        return True
    if row["group"] in ABOUT_REFRESH and refreshes:
        return False
    # linkfix also has links of elements that the tree builder drops: an engine's are among them.
    own = {link.target or link.reference for link in found.links if link.element in {"a", "frame", "iframe"}}
    return found.base.url in {answer.base_uri for answer in answers} and all(
        own & set(targets) for targets in zip(*(answer.targets for answer in answers), strict=True)
    )


@pytest.mark.parametrize("group", GROUPS)
def test_linkfix_resolves_as_engines_do(group):
    rows = [row for row in ROWS if row["group"] == group]
    assert [(row["html"], row["headers"], row["scripts"]) for row in rows if not agrees(row)] == []
