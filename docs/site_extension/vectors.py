"""Tables of published facts: tests/vectors, whose README says where each is from."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["absolute_urls", "rows", "source"]

_FOLDER = Path(__file__).parents[2] / "tests" / "vectors"


@cache
def _lines(name: str) -> list[str]:
    return (_FOLDER / f"{name}.jsonl").read_text("ascii").splitlines()


def rows(name: str) -> list[dict[str, Any]]:
    """The rows of a table."""
    columns = _comment(name, "columns").split(", ")
    return [dict(zip(columns, json.loads(line), strict=True)) for line in _lines(name) if not line.startswith("#")]


def source(name: str) -> str:
    """The source of a table."""
    return _comment(name, "source")


def absolute_urls() -> list[dict[str, Any]]:
    """The documents whose links browsers have resolved."""
    cases: list[dict[str, Any]] = json.loads((_FOLDER / "absolute_urls" / "cases.json").read_bytes())["cases"]
    return cases


def _comment(name: str, kind: str) -> str:
    start = f"# {kind}: "
    return next(line.removeprefix(start) for line in _lines(name) if line.startswith(start))
