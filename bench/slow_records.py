"""The records of pages that leave the fast way, by reason: `python bench/engine.py --slow [NAME=FOLDER …]`.

A record is a place with references. The fast way decides plain references in compiled code. Python decides each record
that is not plain. The script notes these records, their time and their values, and puts each in the first row of
`REASONS` that holds.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from unittest.mock import patch

import linkfix

__all__ = ["print_reasons"]

#: The methods of a document that decide one record in Python, by the function that calls them.
WAYS = {"absolutize": ["_edits"], "links": ["_links_of", "_link_of_url", "_link_of_part"]}

_SCHEME = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]*:")
_SPACES = bytes(range(0x21))


class _Slow(NamedTuple):
    """A record that left the fast way."""

    page: int
    nanoseconds: int
    reason: str


class _Place(NamedTuple):
    """The facts about a record that the reasons use."""

    syntax: str
    role: str
    raw: bytes
    before_base: bool
    is_plain_base: bool


def _is_absolute(place: _Place) -> bool:
    return _SCHEME.match(place.raw.strip(_SPACES)) is not None


#: The reasons in words. The first that holds counts.
REASONS: list[tuple[str, Callable[[_Place], bool]]] = [
    ("the href of BASE", lambda place: place.role == "base"),
    ("before BASE", lambda place: place.before_base),
    ("the base is not http(s), or is not plain", lambda place: not place.is_plain_base),
    ("numeric character reference", lambda place: b"&#" in place.raw),
    ("CSS with an escape", lambda place: place.syntax == "css" and b"\\" in place.raw),
    ("CSS that is not ASCII", lambda place: place.syntax == "css" and not place.raw.isascii()),
    ("CSS, other", lambda place: place.syntax == "css"),
    ("srcset", lambda place: place.syntax == "srcset"),
    ("head[profile]", lambda place: place.syntax == "space-separated"),
    ("another syntax", lambda place: place.syntax not in {"url", "local-url"}),
    ("fragment alone", lambda place: place.raw.startswith(b"#")),
    ("white space around, or within", lambda place: bool(re.search(rb"^[\0- ]|[\0- ]$|[\t\n\r]", place.raw))),
    ("mailto", lambda place: place.raw[:7].lower() == b"mailto:"),
    ("absolute, not ASCII", lambda place: _is_absolute(place) and not place.raw.isascii()),
    ("relative, not ASCII", lambda place: not place.raw.isascii()),
    ("named character reference", lambda place: bool(re.search(rb"&(?!amp;)[A-Za-z0-9]+(?![A-Za-z0-9=])", place.raw))),
    ("template syntax", lambda place: bool(re.search(rb"\{|<%|\$", place.raw))),
    ("absolute, other", _is_absolute),
    ("empty", lambda place: not place.raw),
    ("relative, other", lambda _: True),
]


def _reason(document: Any, number: int) -> str:
    # ruff: noqa: SLF001 - no user needs these facts
    record = document._record(number)
    row = record.row
    place = _Place(
        row.syntax,
        row.role,
        document._data[record.start : record.end],
        number < document.records_before_base,
        document.decider.plain_links() is not None,
    )
    return f"{next(name for name, holds in REASONS if holds(place))}, {row.syntax}"


@contextmanager
def _noting(names: list[str]) -> Iterator[list[tuple[int, str]]]:
    """Have the methods `names` of documents add nanoseconds and reason of each record to the yielded list."""
    found: list[tuple[int, str]] = []
    depth = [0]

    def noted(method: Callable[..., object]) -> Callable[..., object]:
        def run(document: Any, number: int, *others: object) -> object:
            depth[0] += 1
            before = time.perf_counter_ns()
            result = method(document, number, *others)
            after = time.perf_counter_ns()
            depth[0] -= 1
            if not depth[0]:  # inner documents and `_link_of_url` call the same methods
                found.append((after - before, _reason(document, number)))
            return result

        return run

    patches = [patch.object(linkfix.Document, name, noted(getattr(linkfix.Document, name))) for name in names]
    for one in patches:
        one.start()
    try:
        yield found
    finally:
        for one in patches:
            one.stop()


def print_reasons(documents: list[bytes], url: str) -> None:
    """Print, for each function, the reasons: records, pages, and shares of the time of all such records."""
    for way, names in WAYS.items():
        run = getattr(linkfix, way)
        for document in documents:
            run(document, url=url)  # tables that are made at first use do not count
        found: list[_Slow] = []
        for page, document in enumerate(documents):
            with _noting(names) as noted:
                run(document, url=url)
            found += [_Slow(page, *one) for one in noted]
        total = sum(one.nanoseconds for one in found) or 1
        print(f"{way}: {len(found):,} records, {total / 1e6:.2f} ms")
        print(f"{'records':>9}{'pages':>7}{'share':>8}  reason, syntax")
        by_reason: dict[str, list[_Slow]] = {}
        for one in found:
            by_reason.setdefault(one.reason, []).append(one)
        shares = {reason: sum(one.nanoseconds for one in some) / total for reason, some in by_reason.items()}
        for reason in sorted(shares, key=shares.__getitem__, reverse=True):
            some = by_reason[reason]
            print(f"{len(some):>9,}{len({one.page for one in some}):>7,}{shares[reason]:>8.1%}  {reason}")
