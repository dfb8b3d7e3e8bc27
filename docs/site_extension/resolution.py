"""The examples of the texts, as each resolver resolves them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from linkfix.model import Resolution
from linkfix.resolvers import RESOLVERS
from site_extension.markdown import code, table
from site_extension.vectors import rows

__all__ = ["examples"]

#: The text before the target of a same-document reference in RFC 2396.
_CURRENT_DOCUMENT = "(current document)"
#: The rows of Fielding's message that its own rule 3d2 contradicts: see `tests/resolvers/test_published_tables.py`.
_ERRATA = {("fielding1994", "g/./h"), ("fielding1994", "g/../h")}


def examples(spec: str, *sections: str) -> Iterator[str]:
    """A table for each base that the examples of a text have.

    Raises ValueError if the text's own resolver disagrees with the text.
    """
    chosen = [row for row in rows("resolution") if row["spec"] == spec and row["section"] in sections]
    for base, group in groupby(chosen, key=itemgetter("base")):
        shown_rows = list(group)
        yield f"Base: {code(base)}"
        yield ""
        yield from table(["reference", *RESOLVERS], (_row(spec, row) for row in shown_rows))
        for row in shown_rows:
            if (spec, row["reference"]) in _ERRATA:
                reference, expected = code(row["reference"]), code(row["expected"])
                yield f"† {reference}: the text has {expected}, which its rule 3d2 contradicts.\n"


def _row(spec: str, row: dict[str, str]) -> list[str]:
    found = {name: resolver.resolve(row["base"], row["reference"]) for name, resolver in RESOLVERS.items()}
    own, published = found[spec].target, row["expected"].removeprefix(_CURRENT_DOCUMENT)
    is_erratum = (spec, row["reference"]) in _ERRATA
    if (own == published) is is_erratum:
        message = f"{spec} {row['reference']!r}: {own!r}, and the text has {published!r}"
        raise ValueError(message)
    cells = [_cell(result, own) for result in found.values()]
    return [(code(row["reference"]) or "(empty)") + " †" * is_erratum, *cells]


def _cell(result: Resolution, own: str | None) -> str:
    """A target; in bold if it differs from the text's."""
    shown = code(result.target) or "(empty)" if result.target is not None else str(result.problem)
    return shown if result.target == own else f"**{shown}**"
