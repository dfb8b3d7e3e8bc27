"""The four texts that linkfix implements, split into sections and paragraphs, and docs/seeds.md, which answers them.

The page has a row for each clause; a row cites paragraphs. The rule that numbers them is mechanical:

1. Page headers and footers are removed (`_PAGE`; in RFC 4395, where a page is one line, `_RFC4395_PAGE`).
2. A heading is a line with the number of a section ("2.1.", "Appendix A.", "C.1.") and at most 80 characters after it,
   which do not end like a sentence. In RFC 4395 it is a title of the table of contents, after its number.
3. A paragraph is a block of lines between empty lines. A line that begins a list item begins a paragraph too. A fenced
   block is one paragraph. In RFC 4395, which has no line breaks, a paragraph is a sentence or a list item.
4. In Fielding's message each rule is a section of its own ("rule 3d2"); "text" is the part before the rules, and
   "examples" the part after them.

Paragraphs are counted from 1 in each section, without the paragraphs of its subsections.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from support.paths import CHECKOUT

__all__ = ["DOCUMENTS", "Seed", "faults", "paragraphs", "places"]

_PAGE = re.compile(
    r"RFC ?1808|Relative Uniform Resource Locators(?: June 1995)?|June 1995|Fielding|\[Page \d\]|### RFC\.net"
    r"|Page 4 of 17"
)
_RFC4395_PAGE = re.compile(r"^RFC 4395 New URI Schemes February 2006 (.*) Hansen, et al\. Best Current Practice PAGE ")
_RFC4395_TITLE = re.compile(r"(\d(?:\.\d)*)\. ([^.]+?) (?:\. )+\d+")
#: After the end of a sentence or item, and before a sentence, an item, or its mark. "5. If" is not divided.
_RFC4395_BREAK = re.compile(r"(?:(?<=[.:;])|(?<=\.\)))(?<! \d\.) (?=[A-Z]|o [A-Za-z]|\d\. [A-Z])")

_HEADING = re.compile(r"(?:#+ |- )?(?:Appendix )?(\d+(?:\.\d+)*|[A-G](?:\.\d)?)\. .{,80}(?<![.:,;])")
#: The headings without a number that follow the sections in scope.
_END = ("Authors' Addresses", "Index")
_ITEM = re.compile(r"\s*(?:- |\d\. )")
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

    clause: str
    says: str
    linkfix: str
    held_by: str


_PARTS = re.compile(r"^## (.+)\n((?:(?!## ).*\n?)*)", re.MULTILINE)
#: A table of clauses; other tables of the page begin with other cells.
_TABLE = re.compile(r"^\| clause \|.*\n\|-.*\n((?:\|.*\n)+)", re.MULTILINE)
_CELLS = re.compile(r"(?<!\\)\|")
#: In the introduction: the number of clauses of a document, and of those that a test holds.
_COUNTS = re.compile(r"^\| \[(.+)\]\(#.+\) \| (\d+) \| (\d+) \|$", re.MULTILINE)
_WITHOUT = re.compile(r"^No behaviour: ((?:.+\n)+)", re.MULTILINE)
_PLACE = re.compile(
    r"(?:§(?P<number>(?:\d+|[A-G])(?:\.\d+)*)|(?P<own>rule \w+|text|examples))"
    r"(?P<step>[^¶§,;]*)(?:¶(?P<paragraphs>\d+(?:–\d+)?(?:, ¶?\d+(?:–\d+)?)*))?"
)
_TEST = re.compile(r"`tests/([\w/]+\.py)::([\w:]+)`")
_REASON = re.compile(r"— \S.{9,}")


def places(citation: str, known: dict[str, int]) -> list[tuple[str, int]]:
    """The (section, paragraph) pairs of a citation such as "§4 step 6c ¶12, §5.2 ¶3–5".

    A section of one paragraph needs no number. `known`: the number of paragraphs of each section. Raises ValueError for
    a citation that names no paragraph, or one that does not exist.
    """
    found = []
    for place in _PLACE.finditer(citation):
        section = place["number"] or place["own"]
        last = known.get(section, 0)
        for each in (place["paragraphs"] or f"1–{min(last, 1)}").replace("¶", "").split(", "):
            low, _, high = each.partition("–")
            numbers = range(int(low), int(high or low) + 1)
            if not numbers or numbers[-1] > last or (not place["paragraphs"] and last != 1):
                message = f"no paragraph {place[0].strip()!r}"
                raise ValueError(message)
            found += [(section, number) for number in numbers]
    if not found:
        message = f"no paragraph in {citation!r}"
        raise ValueError(message)
    return found


def _clauses(text: str, found: list[str]) -> list[Clause]:
    """The rows of the tables in a document's part of the page; those without four cells are added to `found`."""
    lines = "".join(_TABLE.findall(text)).splitlines()
    rows = [[cell.strip() for cell in _CELLS.split(line)[1:-1]] for line in lines]
    found += [f"not four cells with words in them: {row}" for row in rows if len(row) != 4 or not all(row)]
    return [Clause(*row) for row in rows if len(row) == 4]


@cache
def _tests(path: str) -> frozenset[str]:
    """The names of the tests in a file of tests/, without running it: functions, and `Class::method`."""
    file = CHECKOUT / "tests" / path
    body = ast.parse(file.read_text("utf-8")).body if file.is_file() else []
    names = []
    for node in body:
        methods = node.body if isinstance(node, ast.ClassDef) else ()
        names += [f"{node.name}::{one.name}" for one in methods if isinstance(one, ast.FunctionDef)]
        names += [node.name] if isinstance(node, ast.FunctionDef) else []
    return frozenset(name for name in names if name.rpartition("::")[2].startswith("test_"))


def _held_by(clause: Clause) -> Iterator[str]:
    """The faults of the last cell of a row: it has names of tests with commas between them, or a dash and a reason."""
    tests = _TEST.findall(clause.held_by)
    if _TEST.sub("", clause.held_by).replace(", ", "") if tests else not _REASON.fullmatch(clause.held_by):
        yield f"{clause.clause}: neither tests nor a dash and a reason: {clause.held_by}"
    for path, name in tests:
        if name not in _tests(path):
            yield f"{clause.clause}: no test tests/{path}::{name}"


def _cited(clause: str, known: dict[str, int], found: list[str]) -> set[tuple[str, int]]:
    """The paragraphs that a citation names; a fault of it is added to `found`."""
    try:
        return set(places(clause, known))
    except ValueError as error:
        found.append(f"{clause}: {error}")
        return set()


def faults(page: str, document: str, known: dict[str, int]) -> list[str]:
    """The faults of a document's part of docs/seeds.md. `known`: the number of paragraphs of each section."""
    heading = DOCUMENTS[document].heading
    text = dict(_PARTS.findall(page)).get(heading)
    if text is None:
        return [f"no part {heading!r}"]
    found: list[str] = []
    rows = _clauses(text, found)
    found += [fault for row in rows for fault in _held_by(row)]
    answered = set().union(*(_cited(row.clause, known, found) for row in rows))
    without = set().union(*(_cited(line, known, found) for line in _WITHOUT.findall(text)))
    every = {(section, number) for section, last in known.items() for number in range(1, last + 1)}
    found += [f"{section} ¶{number}: no row" for section, number in sorted(every - answered - without)]
    found += [f"{section} ¶{number}: a row, and no behaviour" for section, number in sorted(answered & without)]
    counts = (len(rows), sum(bool(_TEST.search(row.held_by)) for row in rows))
    stated = [(int(all_), int(tested)) for name, all_, tested in _COUNTS.findall(page) if name == heading]
    if stated != [counts]:
        found.append(f"the page counts {stated}; there are {counts[0]} clauses, {counts[1]} with a test")
    return found
