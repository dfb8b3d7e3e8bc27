"""Browsers' answers: engines.jsonl, with linkfix's answers beside them, and absolute_urls/cases.json."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from linkfix import Document
from site_extension.markdown import code, table
from site_extension.vectors import absolute_urls, rows, source

__all__ = ["browsers", "cases"]

_URL = "http://site.example/dir/page.html"
#: A part of most pages, which is not shown.
_COMMON = (
    "<!DOCTYPE html>",
    "<a href=x>a</a>",
    "<a href=x></a><a href=/y></a><a href=//z.example/></a><a href='#f'></a><a href=''></a><a href='?q'></a>",
)
#: The number of characters of a document that are shown.
_SHOWN = 160
_NAMES = {"chromium": "Chromium", "firefox": "Firefox", "webkit": "WebKit"}


def browsers(*groups: str) -> Iterator[str]:
    """The pages of some groups; without groups, the versions of the engines."""
    if not groups:
        yield source("engines").partition(", by ")[0]
        return
    chosen = [row for row in rows("engines") if row["group"] in groups]
    yield from table(["page", "browsers", "linkfix"], map(_row, chosen))


def cases() -> Iterator[str]:
    """The documents of absolute_urls/cases.json, with all answers."""
    yield from table(["name", "document", "absolute URLs"], map(_case, absolute_urls()))


def _case(case: dict[str, Any]) -> list[str]:
    text = case["document"].encode("latin-1").decode("utf-8", "backslashreplace").removeprefix(_COMMON[0])
    shown = text if len(text) <= _SHOWN else f"…{text[-_SHOWN:]}"
    return [
        code(case["name"]),
        f"{case['about']}<br>{code(shown)}",
        "<br>".join(map(_answer, case["answers"])),
    ]


def _answer(answer: dict[str, Any]) -> str:
    urls = [code(url) for urls in answer["urls"].values() for url in urls] or ["none"]
    by = ", ".join(_NAMES.get(name, name) for name in answer["by"])
    return "<br>".join(urls if answer["by"] == list(_NAMES) else [f"{by}:", *urls])


def _row(row: dict[str, Any]) -> list[str]:
    page = row["html"]
    for part in _COMMON:
        page = page.replace(part, "")
    headers = [f"{name}: {value}" for name, value in row["headers"]]
    notes = [] if row["scripts"] else ["scripts off"]
    policies = ", ".join(value for name, value in row["headers"] if name == "Content-Security-Policy") or None
    found = Document(
        row["html"], url=_URL, scripting="on" if row["scripts"] else "off", content_security_policy=policies
    )
    answers = [(names, base if url == _URL else f"goes to {url}") for names, url, base, _, _ in row["outcomes"]]
    same = len({answer for _, answer in answers}) == 1
    told = [
        _shown(answer) if same else f"{', '.join(_NAMES[name] for name in names)}: {_shown(answer)}"
        for names, answer in (answers[:1] if same else answers)
    ]
    refresh = next((link.target for link in found.links if link.syntax == "refresh" and link.target), None)
    own = (
        f"goes to {refresh}" if refresh and any(answer.startswith("goes") for _, answer in answers) else found.base.url
    )
    return ["<br>".join([*map(code, [page, *headers]), *notes]), "<br>".join(told), _shown(own or "none")]


def _shown(answer: str) -> str:
    words = {_URL: "the page’s URL", "about:blank": code("about:blank")}
    if answer in words:
        return words[answer]
    before, _, url = answer.rpartition(" ")
    return f"{before} {code(url)}".strip()
