"""What findings have in common: their order, fingerprints and causes."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence

from linkfix.audit.model import Cause, Finding, Hint
from linkfix.audit.rules import rules

__all__ = ["causes", "fingerprinted", "tree_finding"]


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
