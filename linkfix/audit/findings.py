"""Findings: made from the issues of rules, given fingerprints, and grouped by cause."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

from linkfix.audit.model import Cause, Finding, Hint, RuleInfo
from linkfix.audit.page_document import PageDocument
from linkfix.audit.rule import AuditedPage, Issue, Rule
from linkfix.html.values import byte_offsets
from linkfix.model import Link
from linkfix.urls import hide_passwords, may_have_passwords, password_spans

# The place of a finding: lines and columns, bytes of the file, and the source line.


#: The number of bytes of a line that are shown before and after a place.
_BEFORE, _AFTER = 100, 160


class Region(NamedTuple):
    """A place in a page; see `linkfix.audit.model.Finding`."""

    line: int
    column: int
    end_line: int
    end_column: int
    start: int
    end: int
    excerpt: str


class Regions:
    """The places of spans in one document's working data. Fast for spans in ascending order."""

    def __init__(self, document: PageDocument) -> None:
        self._data = document.source.data
        self._encoding = document.source.working
        self._positions = document.positions
        self._unit = document.source.units()

    def of(self, start: int, end: int, at: tuple[int, int] | None = None) -> Region:
        """The place of data[start:end]. `at`: its line and column, if known."""
        data = self._data
        line, column = at or self._positions.of(start)
        text = self._encoding.decode(data[start:end])
        end_line, end_column = line, column + len(text)
        if "\n" in text or "\r" in text:
            lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
            end_line, end_column = line + len(lines) - 1, len(lines[-1]) + 1
        unit = self._unit
        return Region(line, column, end_line, end_column, unit(start), unit(end), self._excerpt(start, end))

    def _excerpt(self, start: int, end: int) -> str:
        data = self._data
        end = min(end, start + _AFTER)
        low, high = max(start - _BEFORE, 0), min(end + _AFTER, len(data))
        first = max(low, data.rfind(b"\n", low, start) + 1, data.rfind(b"\r", low, start) + 1)
        for mark in (b"\n", b"\r"):
            at = data.find(mark, end, high)
            high = at if at >= 0 else high
        last = high
        text = self._shown(first, last)
        # The clipped text may begin or end within a character.
        if first > 0 and data[first - 1] not in b"\r\n":
            text = "…" + text.lstrip("\ufffd…")
        if last < len(data) and data[last] not in b"\r\n":
            text = text.rstrip("\ufffd…") + "…"
        return " ".join(text.split())

    def _shown(self, first: int, last: int) -> str:
        """The text of data[first:last], with "…" for each password, or part of a password, in it."""
        data, decode = self._data, self._encoding.decode
        starts, ends = self._passwords
        pieces: list[str] = []
        for number in range(bisect_right(ends, first), len(starts)):
            start, end = starts[number], ends[number]
            if start >= last:
                break
            pieces += (decode(data[first : max(first, start)]), "…")
            first = min(end, last)
        return "".join((*pieces, decode(data[first:last])))

    @cached_property
    def _passwords(self) -> tuple[list[int], list[int]]:
        """The beginnings and the ends of all passwords in the page, in bytes.

        The whole page is searched because an excerpt may contain only a part of a URL.
        """
        data, encoding = self._data, self._encoding
        if encoding.has_ascii_trails:
            text = encoding.decode(data)
            offset = byte_offsets(data, text, encoding)
        else:  # each ASCII byte is the character itself
            text, offset = data.decode("latin-1"), int
        spans = password_spans(text)
        return [offset(start) for start, _ in spans], [offset(end) for _, end in spans]


try:  # the implementation inside hashlib, without OpenSSL: loading OpenSSL takes longer than a small audit
    from _sha2 import sha256  # type: ignore[import-not-found,unused-ignore]
except ImportError:
    try:
        from _sha256 import sha256  # type: ignore[import-not-found,unused-ignore]  # Python 3.11
    except ImportError:  # a Python build without its own implementation
        from hashlib import sha256


def _hide_passwords(finding: Finding) -> Finding:
    """The finding without the passwords in its URLs. The excerpt has none already.

    Reports are kept, sent and published. If the reference of a hint contains a password, the hint loses the reference:
    nobody should write "…" into a page.
    """
    hint, target = finding.hint, finding.target
    texts = (finding.message, finding.reference, target, finding.cause, *((hint[:2]) if hint else ()))
    if not may_have_passwords("".join(filter(None, texts))):
        return finding
    reference = hide_passwords(finding.reference)
    # With a base of the same scheme, `https:me:secret@h` is a path. Other texts contain it without the scheme.
    hide = partial(hide_passwords, everywhere=reference != finding.reference)
    if hint is not None:
        is_shown = hint.reference is None or hide(hint.reference) == hint.reference
        hint = Hint(hide(hint.text), hint.reference if is_shown else None, hint.certain and is_shown)
    return finding._replace(
        message=hide(finding.message),
        reference=reference,
        target=target and hide(target),
        cause=hide(finding.cause),
        hint=hint,
    )


def new_finding(page: AuditedPage, regions: Regions, rule: Rule[Any], issue: Issue, link: Link | None) -> Finding:
    """The finding for an issue of a link or of the page, with its place. Its fingerprint is still empty."""
    if issue.span is not None or link is None:
        region = regions.of(*(issue.span or (0, 0)))
    else:
        region = regions.of(link.start, link.end, (link.line, link.column))
    found = Finding(
        code=rule.info.code,
        name=rule.info.name,
        level=issue.level or rule.info.level,
        message=issue.message,
        path=page.name,
        line=region.line,
        column=region.column,
        end_line=region.end_line,
        end_column=region.end_column,
        start=region.start,
        end=region.end,
        element=link.element if link else "",
        attribute=link.attribute if link else "",
        reference=link.reference if link else "",
        target=link.target if link else None,
        cause=issue.cause or (link.reference if link else issue.message),
        hint=issue.hint,
        excerpt=region.excerpt if region.end else "",
        fingerprint="",
    )
    return _hide_passwords(found)


def file_finding(rule: RuleInfo, path: str, issue: Issue) -> Finding:
    """The finding for an issue of a whole file. `path`: the file's name; "" for the tree."""
    found = Finding(
        code=rule.code,
        name=rule.name,
        level=issue.level or rule.level,
        message=issue.message,
        path=path,
        line=1,
        column=1,
        end_line=1,
        end_column=1,
        start=0,
        end=0,
        element="",
        attribute="",
        reference="",
        target=None,
        cause=issue.cause or issue.message,
        hint=issue.hint,
        excerpt="",
        fingerprint="",
    )
    return _hide_passwords(found)


def with_fingerprints(findings: Sequence[Finding]) -> list[Finding]:
    """Sort findings by path, place and code, and add their fingerprints.

    A fingerprint depends on the rule, the page, the element and attribute, the reference, and the number of equal
    findings before it. It does not depend on lines, columns or messages. So it stays the same when other parts of the
    page change.
    """
    result = []
    before: dict[tuple[str, ...], int] = {}
    for finding in sorted(findings, key=lambda one: (one.path, one.start, one.end, one.code)):
        key = (finding.code, finding.path, finding.element, finding.attribute, finding.reference or finding.cause)
        number = before.get(key, 0)
        before[key] = number + 1
        text = "\0".join((*key, str(number)))
        digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        result.append(Finding(*finding[:-1], fingerprint=digest))
    return result


def group_by_cause(findings: Sequence[Finding]) -> tuple[Cause, ...]:
    """The causes of findings, sorted by level (worst first), then by the number of findings (largest first)."""
    groups: dict[tuple[str, str], list[int]] = {}
    for number, finding in enumerate(findings):
        groups.setdefault((finding.code, finding.cause), []).append(number)
    result = []
    for (code, text), numbers in groups.items():
        worst = min((findings[number] for number in numbers), key=lambda one: one.level.rank)
        pages = len({findings[number].path for number in numbers})
        result.append(Cause(code, worst.name, worst.level, text, tuple(numbers), pages))
    return tuple(sorted(result, key=lambda one: (one.level.rank, -len(one.findings), one.code, one.text)))
