"""The four texts that linkfix implements, split into sections and paragraphs, and the page that answers them.

docs/seeds.md has a row for each clause; a row cites paragraphs. The rule that numbers them is mechanical:

1. Page headers and footers are removed (`_PAGE`; in RFC 4395, where a page is one line, `_RFC4395_PAGE`).
2. A heading is a line of at most 80 characters that begins with the number of a section ("2.1.", "Appendix A.",
   "C.1.") and does not end like a sentence. In RFC 4395 it is a title of the table of contents, after its number.
3. A paragraph is a block of lines between empty lines. A line that begins a list item begins a paragraph too. A fenced
   block is one paragraph. In RFC 4395, which has no line breaks, a paragraph is a sentence or a list item.
4. In Fielding's message each rule is a section of its own ("rule 3d2"); "text" is what comes before the rules, and
   "examples" what comes after them.

Paragraphs are counted from 1 in each section; those of a subsection are not the section's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = ["DOCUMENTS", "Clause", "Seed", "clauses", "paragraphs", "places", "without_behaviour"]

_PAGE = re.compile(
    r"RFC ?1808|Relative Uniform Resource Locators(?: June 1995)?|June 1995|Fielding|\[Page \d\]|### RFC\.net|Page 4 of 17"
)
_RFC4395_PAGE = re.compile(r"^RFC 4395 New URI Schemes February 2006 (.*) Hansen, et al\. Best Current Practice PAGE \d+")
_RFC4395_TITLE = re.compile(r"(\d(?:\.\d)*)\. ([^.]+?) (?:\. )+\d+")
#: After the end of a sentence or item, and before a sentence, an item, or its mark. "5. If" is not divided.
_RFC4395_BREAK = re.compile(r"(?:(?<=[.:;])|(?<=\.\)))(?<! \d\.) (?=[A-Z]|o [A-Za-z]|\d\. [A-Z])")

_HEADING = re.compile(r"(?:#+ |- )?(?:Appendix )?(\d+(?:\.\d+)*|[A-G](?:\.\d)?)\. .{,80}(?<![.:,;])")
#: The headings without a number that follow the sections in scope.
_END = ("Authors' Addresses", "Index")
_ITEM = re.compile(r"\s*(?:- |\d\. |\*)")
_FENCE = "```"

_RULE = re.compile(r"(\d)\. |([a-z])\) |(\d)\) ")


class Seed(NamedTuple):
    """A text, as its file in ../shared/seeds has it."""

    heading: str
    """That of its part of docs/seeds.md."""
    file: str
    scope: tuple[str, ...]
    """The sections whose clauses docs/seeds.md has, with their subsections; of Fielding's message all of them."""


#: By the name in the table `seed-paragraphs`.
DOCUMENTS = {
    "Fielding 1994": Seed("Fielding, 1994", "004_0f522c65b0513d3d.txt", ("text", "rule", "examples")),
    "RFC 1808": Seed("RFC 1808", "002_2469b255e0259651.txt", ("2", "3", "4", "5", "10")),
    "RFC 2396": Seed("RFC 2396", "003_dce64beaf347fbf3.txt", ("2", "3", "4", "5", *"ABCDEFG")),
    "RFC 4395": Seed("RFC 4395", "001_1f79f2fb65a889bc.txt", ("2", "3", "4", "5", "7")),
}


def paragraphs(document: str, folder: Path) -> dict[str, list[str]]:
    """The paragraphs of a document by section; sections without any are left out."""
    seed = DOCUMENTS[document]
    text = (folder / seed.file).read_text("utf-8")
    split = {"Fielding 1994": _fielding, "RFC 4395": _rfc4395}.get(document, _numbered)
    found: dict[str, list[str]] = {}
    for section, paragraph in split(text):
        if re.split(r"[. ]", section)[0] in seed.scope:
            found.setdefault(section, []).append(paragraph)
    return found


def _blocks(text: str) -> Iterator[str]:
    """The paragraphs by rules 1 and 3; headings are among them."""
    block: list[str] = []
    fenced = False
    for line in text.splitlines():
        fence = line.startswith(_FENCE)
        between = not fenced and (not line.strip() or _PAGE.fullmatch(line) is not None)
        heading = not fenced and _HEADING.fullmatch(line) is not None
        if block and (between or heading or (not fenced and (fence or _ITEM.match(line)))):
            yield "\n".join(block)
            block = []
        if not between:
            block.append(line)
        if heading or (fenced and fence):
            yield "\n".join(block)
            block = []
        fenced ^= fence
    if block:
        yield "\n".join(block)


def _numbered(text: str) -> Iterator[tuple[str, str]]:
    """(section, paragraph) of RFC 1808 and RFC 2396."""
    section = ""
    for block in _blocks(text):
        heading = _HEADING.fullmatch(block)
        if heading or block in _END:
            section = heading[1] if heading else ""
        else:
            yield section, block


def _fielding(text: str) -> Iterator[tuple[str, str]]:
    """(section, paragraph) of Fielding's message, without the letter before the appendix."""
    rule: list[str] = []
    section = "text"
    for block in text.partition("\nAPPENDIX B: Relative URLs\n")[2].strip().split("\n\n"):
        mark = _RULE.match(block)
        if block == "Examples:":
            section = "examples"
            continue
        if mark:
            rule = [*rule[: (mark.lastindex or 0) - 1], mark[mark.lastindex or 0]]
            section = f"rule {''.join(rule)}"
        yield section, block


def _rfc4395(text: str) -> Iterator[tuple[str, str]]:
    """(section, paragraph) of RFC 4395."""
    contents, *pages = (found[1] for found in map(_RFC4395_PAGE.match, text.splitlines()) if found)
    body = " ".join(pages)
    end = len(body)
    parts = []
    for number, title in reversed(_RFC4395_TITLE.findall(contents)):
        heading = f"{number}. {title} "
        start = body.rindex(heading, 0, end)
        parts.append((number, body[start + len(heading) : end].strip()))
        end = start
    for number, part in reversed(parts):
        for paragraph in _RFC4395_BREAK.split(part) if part else ():
            yield number, paragraph


# The page


class Clause(NamedTuple):
    """A row of docs/seeds.md."""

    line: int
    clause: str
    says: str
    linkfix: str
    held_by: str


_PARTS = re.compile(r"^## (.+)$", re.MULTILINE)
_CELLS = re.compile(r"(?<!\\)\|")
_PLACE = re.compile(
    r"(?:§(?P<number>(?:\d+|[A-G])(?:\.\d+)*)|(?P<own>rule \w+|text|examples))"
    r"(?P<step>[^¶§,;]*)(?:¶(?P<paragraphs>\d+(?:–\d+)?(?:, ¶?\d+(?:–\d+)?)*))?"
)


def part(page: str, document: str) -> tuple[int, str]:
    """A document's part of the page, from its heading to the next one, and the number of its first line."""
    starts = [(found[1], found.start()) for found in _PARTS.finditer(page)]
    ends = [start for _, start in starts[1:]] + [len(page)]
    for (heading, start), end in zip(starts, ends, strict=True):
        if heading == DOCUMENTS[document].heading:
            return page.count("\n", 0, start) + 1, page[start:end]
    message = f"docs/seeds.md has no part {DOCUMENTS[document].heading!r}"
    raise ValueError(message)


def clauses(page: str, document: str) -> list[Clause]:
    """The rows of a document's tables with four columns."""
    first, text = part(page, document)
    found = []
    for line, row in enumerate(text.splitlines(), first):
        cells = [cell.strip() for cell in _CELLS.split(row)[1:-1]]
        if len(cells) == 4 and cells[0] != "clause" and cells[0].strip("-:"):  # noqa: PLR2004 -- the columns
            found.append(Clause(line, *cells))
    return found


def without_behaviour(page: str, document: str) -> str:
    """The places that the page lists after "No behaviour:"."""
    return " ".join(re.findall(r"^No behaviour: (.+?)\.?$\n(?=\n|\Z)", part(page, document)[1], re.DOTALL | re.MULTILINE))


def places(citation: str, known: dict[str, int]) -> list[tuple[str, int]]:
    """The (section, paragraph) pairs of a citation such as "§4 step 6c ¶12, §5.2 ¶3–5".

    A section that has one paragraph needs no number. `known`: the number of paragraphs of each section.
    """
    found = []
    for place in _PLACE.finditer(citation):
        section = place["number"] or place["own"]
        numbers = place["paragraphs"]
        if section not in known or (numbers is None and known[section] != 1):
            message = f"{place[0]!r} names no paragraph"
            raise ValueError(message)
        for each in (numbers or "1").replace("¶", "").split(", "):
            low, _, high = each.partition("–")
            found += [(section, number) for number in range(int(low), int(high or low) + 1)]
    return found
