"""Findings: made from the issues of rules, with fingerprints, and grouped by cause."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from linkfix.audit.model import Cause, Finding, Hint, RuleInfo
from linkfix.audit.region import Regions
from linkfix.audit.rule import AuditedPage, Issue, Rule
from linkfix.credentials import hide_passwords, may_have_passwords
from linkfix.model import Link

try:  # hashlib's own, without OpenSSL, which takes longer to load than a small audit has to
    from _sha2 import sha256  # type: ignore[import-not-found,unused-ignore]
except ImportError:
    try:
        from _sha256 import sha256  # type: ignore[import-not-found,unused-ignore]  # Python 3.11
    except ImportError:  # a build of Python without its own
        from hashlib import sha256

__all__ = ["file_finding", "finding", "group_by_cause", "with_fingerprints"]


def _hide_passwords(finding: Finding) -> Finding:
    """The finding without the passwords of the URLs in it: reports are kept, sent and published. Its excerpt has none.

    A hint whose reference has one is without it: nobody shall write "…" into a page.
    """
    hint, target = finding.hint, finding.target
    texts = (finding.message, finding.reference, target, finding.cause, *((hint[:2]) if hint else ()))
    if not may_have_passwords("".join(filter(None, texts))):
        return finding
    reference = hide_passwords(finding.reference)
    # On a base with the same scheme, `https:me:secret@h` is a path. Other texts have it without the scheme.
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


def finding(page: AuditedPage, regions: Regions, rule: Rule[Any], issue: Issue, link: Link | None) -> Finding:
    """The finding for an issue of a link or of the page, with its place; it has no fingerprint yet."""
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
    """The finding for an issue of a file as a whole, or ("") of the tree."""
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
    """Findings sorted by path, place and code, each with its fingerprint.

    A fingerprint depends on the rule, the page, the element and attribute, the reference, and the number of equal ones
    before it; not on lines, columns or messages. So it stays the same when other parts of the page change.
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
    """The causes of findings: the worst level first, then those with the most findings."""
    groups: dict[tuple[str, str], list[int]] = {}
    for number, finding in enumerate(findings):
        groups.setdefault((finding.code, finding.cause), []).append(number)
    result = []
    for (code, text), numbers in groups.items():
        worst = min((findings[number] for number in numbers), key=lambda one: one.level.rank)
        pages = len({findings[number].path for number in numbers})
        result.append(Cause(code, worst.name, worst.level, text, tuple(numbers), pages))
    return tuple(sorted(result, key=lambda one: (one.level.rank, -len(one.findings), one.code, one.text)))
