"""The code blocks of the documents: the pages of the site, README, and other documents at the root."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from support.paths import CHECKOUT

__all__ = ["EXAMPLES", "PAGES", "PRELUDE", "SCRAPERS", "Block", "all_blocks", "blocks", "examples_with"]

#: The pages whose blocks tests run.
PAGES = [
    *sorted(CHECKOUT.glob("*.md")),
    *sorted((CHECKOUT / "docs").rglob("*.md")),
    CHECKOUT / "bench" / "README.md",
    CHECKOUT / "fuzz" / "README.md",
]
#: Those about frameworks.
SCRAPERS = sorted((CHECKOUT / "docs" / "scrapers").glob("*.md"))
#: The scripts that pages show parts of.
EXAMPLES = sorted((CHECKOUT / "examples").rglob("*.py"))

#: Definitions for the names that the blocks use.
PRELUDE = """
import lxml.html
html = '<base href="/b/"><a href="x">x</a>'
base, reference = "https://example.com/a/b", "../x"
url = "https://example.com/dir/page.html"
text = "see http://a.example/x"
tree = lxml.html.document_fromstring(html)
"""

_BLOCK = re.compile(r"^(```+)([^`\n]*)\n(.*?)^\1$", re.DOTALL | re.MULTILINE)


class Block(NamedTuple):
    """A block between two lines of three backticks, with the language that the first line names."""

    page: str
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def all_blocks(page: Path) -> list[Block]:
    """The code blocks of a page, without its directives."""
    text = page.read_text("utf-8")
    name = page.relative_to(CHECKOUT).as_posix()
    return [
        Block(name, text.count("\n", 0, found.start()) + 1, found[2], found[3])
        for found in _BLOCK.finditer(text)
        if not found[2].startswith("{")
    ]


def blocks(page: Path, language: str) -> list[Block]:
    """The code blocks of a page that are in a language."""
    return [block for block in all_blocks(page) if block.language == language]


def examples_with(block: Block) -> list[Path]:
    """The scripts in examples/ that contain the block, in contiguous whole lines."""
    return [path for path in EXAMPLES if f"\n{block.text}" in f"\n{path.read_text('utf-8')}"]
