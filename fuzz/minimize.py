"""Makes a found case small: every part is left out without which the same invariant is still broken."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from fuzz.case import Case

__all__ = ["minimize"]

_TOKEN = re.compile(rb"<!--.*?-->|<[^<>]*>|[^<]+|<", re.DOTALL)
_WORD = re.compile(rb"[A-Za-z0-9]+|[\x80-\xff]+|[\s\S]")
#: The simplest URL that most cases need no more than.
_SIMPLE = "http://h/"


def minimize(case: Case, fails: Callable[[Case], bool], seconds: float) -> Case:
    """A small case for which `fails` is true, as it is for `case`; the smallest found within `seconds`."""
    limit = time.monotonic() + seconds

    def still_fails(tried: Case) -> bool:
        return time.monotonic() < limit and fails(tried)

    case = _with_fewer_facts(case, still_fails)
    before = b""
    while case.data != before and time.monotonic() < limit:
        before = case.data
        for split in (_TOKEN.findall, _WORD.findall, _bytes):
            case = _with_fewer(case, split(case.data), still_fails)
    return _with_fewer_facts(case, still_fails)


def _bytes(data: bytes) -> list[bytes]:
    return [data[at : at + 1] for at in range(len(data))]


def _with_fewer_facts(case: Case, fails: Callable[[Case], bool]) -> Case:
    """Without options, charset and URL, as far as they do not matter."""
    for name in list(case.options):
        tried = replace(case, options={key: value for key, value in case.options.items() if key != name})
        if fails(tried):
            case = tried
    for changed in ({"charset": None}, {"charset": "utf-8"}, {"url": None}, {"url": _SIMPLE}):
        tried = replace(case, **changed)
        if tried != case and fails(tried):
            case = tried
            if None in changed.values():
                continue
    return case


def _with_fewer(case: Case, pieces: Sequence[bytes], fails: Callable[[Case], bool]) -> Case:
    """With as few of the pieces as can be: halves are tried first, then ever smaller parts (Zeller's ddmin)."""
    kept = list(pieces)
    size = len(kept) // 2
    while size:
        at = 0
        while at < len(kept):
            tried = case.with_data(b"".join(kept[:at] + kept[at + size :]))
            if fails(tried):
                del kept[at : at + size]
            else:
                at += size
        size //= 2
    return case.with_data(b"".join(kept))
