"""Tables of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from linkfix.display import visible

__all__ = ["code", "table"]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The lines of a table."""
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    yield from (f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows)
    yield ""


def code(text: str) -> str:
    """A text as code, with invisible characters escaped; nothing for no text."""
    text = visible(text)
    ticks = "``" if "`" in text else "`"
    space = " " if "`" in text else ""
    return f"{ticks}{space}{text}{space}{ticks}" if text else ""
