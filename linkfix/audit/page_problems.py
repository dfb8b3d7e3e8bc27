"""The problems of a page as issues, for the rules about values and documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

from linkfix.audit.model import Hint
from linkfix.audit.page_document import PageDocument
from linkfix.audit.rule import AuditedPage, Issue
from linkfix.model import Problem


@lru_cache(maxsize=1)
def _problems(document: PageDocument) -> tuple[Problem, ...]:
    return document.problems_so_far()


def has_problems(document: PageDocument) -> bool:
    """Whether `problem_issues` can yield an issue for a page."""
    return bool(_problems(document))


def problem_issues(page: AuditedPage, ends: dict[str, bytes], hint: Hint | None = None) -> Iterator[Issue]:
    """Yield an issue for each problem of the page whose code is in `ends`.

    `ends`: code -> the bytes that end the place of the problem. Without such bytes, the place is empty.
    """
    document = page.document
    found = [problem for problem in _problems(document) if problem.code in ends]
    if not found:
        return
    data = document.source.data
    offset = _data_offsets(document)
    for problem in sorted(found, key=lambda problem: problem.start):
        start = min(offset(problem.start), len(data))
        stops = ends[problem.code]
        end = min(start + bool(stops), len(data))
        while stops and end < len(data) and data[end] not in stops:
            end += 1
        _, separator, detail = problem.message.partition(": ")
        yield Issue(problem.message, hint, detail if separator else page.name, (start, end))


def _data_offsets(document: PageDocument) -> Callable[[int], int]:
    """Return a function from an offset in the file, as in problems, to an offset in the page's data.

    Call the function with ascending offsets.
    """
    source = document.source
    if source.data is source.html:
        return lambda offset: offset
    html, encoding = source.html, document.encoding
    done = [encoding.bom, 0]

    def data_offset(offset: int) -> int:
        piece = html[done[0] : offset]
        text = piece if isinstance(piece, str) else encoding.decode(piece)
        done[1] += len(text.encode("utf-8", "surrogatepass"))
        done[0] = max(offset, done[0])
        return done[1]

    return data_offset
