"""The code blocks of README and of the pages in docs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from support.paths import CHECKOUT

__all__ = ["EXAMPLES", "PAGES", "Block", "blocks", "examples_with"]

#: The pages whose blocks tests run.
PAGES = [CHECKOUT / "README.md", *sorted((CHECKOUT / "docs").glob("*.md"))]
#: The scripts that pages show parts of.
EXAMPLES = sorted((CHECKOUT / "examples").rglob("*.py"))

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


class Block(NamedTuple):
    """What stands between two lines of three backticks, with the language that the first one names."""

    page: str
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def blocks(page: Path, language: str) -> list[Block]:
    """The code blocks of a page that are in a language."""
    text = page.read_text("utf-8")
    return [
        Block(page.name, text.count("\n", 0, found.start()) + 1, found[1], found[2])
        for found in _BLOCK.finditer(text)
        if found[1] == language
    ]


def examples_with(block: Block) -> list[Path]:
    """The scripts in examples/ of which the block is a contiguous part, in whole lines."""
    return [path for path in EXAMPLES if f"\n{block.text}" in f"\n{path.read_text('utf-8')}"]
