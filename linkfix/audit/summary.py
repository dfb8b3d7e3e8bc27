"""Findings made of what rules say, and what they have in common: their order, fingerprints and causes."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from linkfix.audit.model import Cause, Finding, Hint
from linkfix.audit.region import Regions
from linkfix.audit.rule import Issue, Page
from linkfix.audit.rules import Rule, rules
from linkfix.model import Link

__all__ = ["causes", "finding", "fingerprinted", "tree_finding"]

#: RFC 3986 §3.2.1: what follows the first colon of userinfo.
_PASSWORD = re.compile(r"([/\\]{2}[^/?#@:\s\\]*:)[^/?#@\s\\]+@")


def _masked(text: str) -> str:
    """A text without the passwords of the URLs in it: reports are kept, sent and published."""
    return _PASSWORD.sub(r"\1…@", text) if "@" in text else text


def finding(page: Page, regions: Regions, rule: Rule, issue: Issue, link: Link | None) -> Finding:
    """What a rule said of a link or of the page, with its place; it has no fingerprint yet."""
    if issue.span is not None or link is None:
        region = regions.of(*(issue.span or (0, 0)))
    else:
        region = regions.of(link.start, link.end, (link.line, link.column))
    return Finding(
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
        reference=_masked(link.reference) if link else "",
        target=_masked(link.target) if link and link.target is not None else None,
        cause=issue.cause or (_masked(link.reference) if link else issue.message),
        hint=issue.hint,
        excerpt=_masked(region.excerpt) if region.end else "",
        fingerprint="",
    )


def tree_finding(code: str, path: str, message: str, hint: Hint | None = None, cause: str = "") -> Finding:
    """A finding of a file as a whole, or ("") of the tree."""
    info = next(rule.info for rule in rules() if rule.info.code == code)
    return Finding(
        code=code,
        name=info.name,
        level=info.level,
        message=message,
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
        cause=cause or message,
        hint=hint,
        excerpt="",
        fingerprint="",
    )


def fingerprinted(findings: Iterable[Finding]) -> list[Finding]:
    """Findings sorted by path, place and code, each with its fingerprint.

    It is made of the rule, the page, where in it the reference stands (element and attribute), the reference, and how
    many like it come before: not of lines, columns or messages, so that other changes of the page leave it alone.
    """
    made = []
    before: Counter[tuple[str, ...]] = Counter()
    for finding in sorted(findings, key=lambda one: (one.path, one.start, one.end, one.code)):
        key = (finding.code, finding.path, finding.element, finding.attribute, finding.reference or finding.cause)
        text = "\0".join((*key, str(before[key])))
        before[key] += 1
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        made.append(finding._replace(fingerprint=digest))
    return made


def causes(findings: Sequence[Finding]) -> tuple[Cause, ...]:
    """Findings grouped by what has to be mended: the worst first, then those with the most findings."""
    groups: dict[tuple[str, str], list[int]] = {}
    for number, finding in enumerate(findings):
        groups.setdefault((finding.code, finding.cause), []).append(number)
    made = []
    for (code, text), numbers in groups.items():
        first = min((findings[number] for number in numbers), key=lambda one: one.level.rank)
        pages = len({findings[number].path for number in numbers})
        made.append(Cause(code, first.name, first.level, text, tuple(numbers), pages))
    return tuple(sorted(made, key=lambda one: (one.level.rank, -len(one.findings), one.code, one.text)))
