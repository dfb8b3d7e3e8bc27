"""What several reporters say alike: names, places, totals and the verdict. Knows no format."""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path, PurePath
from typing import NamedTuple
from urllib.parse import quote, unquote

from linkfix.audit.model import Audit, Finding, Hint, Level
from linkfix.display import counted, visible
from linkfix.model import Layer

__all__ = [
    "Totals",
    "advice",
    "base_url",
    "clipped",
    "is_whole_file",
    "judged_nothing",
    "location",
    "most_first",
    "plain",
    "prefix",
    "says",
    "target",
    "totals",
    "uri",
    "verdict",
    "workspace",
]

#: Surrogates are no text: those of PEP 383 are bytes of a name, the others are shown as code units.
_SURROGATES = {code: f"\\u{code:04x}" for code in range(0xD800, 0xE000)} | {
    0xDC00 + byte: f"\\x{byte:02x}" for byte in range(0x80, 0x100)
}
#: How much of a reference or a message is shown where people read: a data: URL may be megabytes long.
_CLIP = 200
_ORIGIN = re.compile(r"[^:/?#]+://[^/?#]*")


class Totals(NamedTuple):
    """How many findings there are of each level, causes, and pages with findings."""

    findings: int
    errors: int
    warnings: int
    notes: int
    causes: int
    pages: int


def totals(audit: Audit) -> Totals:
    """The sums of an audit."""
    return Totals(
        len(audit.findings),
        audit.count(Level.ERROR),
        audit.count(Level.WARNING),
        audit.count(Level.NOTE),
        len(audit.causes),
        len({finding.path for finding in audit.findings}),
    )


def plain(text: str) -> str:
    r"""`text` as any Unicode encoding can write it, for machines: surrogates as `\xe9` or `\ud800`, all else as it is.

    Names come out as `linkfix.display.shown` has them.
    """
    return text if text.isascii() else text.translate(_SURROGATES)


def clipped(text: str) -> str:
    """`text` for people: `linkfix.display.visible`, and not longer than they can read."""
    return visible(text if len(text) <= _CLIP else text[: _CLIP - 1] + "…")


def says(finding: Finding) -> str:
    """The message and the reference it is about, for people, on one line."""
    message = clipped(finding.message)
    return f"{message}: {clipped(finding.reference)}" if finding.reference else message


def advice(hint: Hint) -> str:
    """A hint for people, on one line: its words, and what to write where they do not quote it."""
    is_quoted = hint.reference is None or hint.reference in hint.text
    return clipped(hint.text) if is_quoted else f"{clipped(hint.text)} (write {clipped(hint.reference or '')})"


def is_whole_file(finding: Finding) -> bool:
    """Whether the finding is of the file, and not of a place in it."""
    return not finding.end


def base_url(audit: Audit) -> str | None:
    """The URL that the tree is served at; None where it is made up."""
    return None if audit.base_layer is Layer.NONE else audit.base_url


def target(audit: Audit, finding: Finding) -> str | None:
    """The target; where the tree's URL is made up, a target on its host as a name in the tree.

    A name begins with "/" where it lies above the tree's root.
    """
    url = finding.target
    if url is None or audit.base_layer is not Layer.NONE:
        return url
    origin = _ORIGIN.match(audit.base_url)
    host = origin[0] if origin else audit.base_url
    if not url.startswith((audit.base_url, host + "/", host + "?", host + "#")) and url != host:
        return url
    rest = url[len(audit.base_url) :] if url.startswith(audit.base_url) else url[len(host) :]
    path, mark, fragment = rest.partition("#")
    return unquote(path, errors="surrogateescape") + mark + fragment


def location(audit: Audit, finding: Finding) -> str:
    """The file's path as one opens it from the folder in which the audit was run."""
    return str(PurePath(audit.root, *finding.path.split("/")))


def workspace() -> Path:
    """The folder that code scanning and annotations count paths from: the checkout in GitHub Actions, else this one."""
    here = Path.cwd()
    checkout = os.environ.get("GITHUB_WORKSPACE")
    outer = Path(checkout).resolve() if checkout else here
    return outer if here.is_relative_to(outer) else here


def prefix(audit: Audit, folder: Path) -> str | None:
    """What makes a name in the tree one counted from `folder`: "", or ends with "/". None: the tree is not in it."""
    root = Path(audit.root).resolve()
    if not root.is_relative_to(folder):
        return None
    parts = root.relative_to(folder).parts
    return "/".join((*parts, ""))


def uri(path: str) -> str:
    """A path with "/" between folders as a URI reference (RFC 3986 §4.1), percent-encoded byte for byte.

    Colons too: the first segment of a relative reference may hold none (RFC 3986 §4.2).
    """
    return quote(os.fsencode(path), "/!$&'()*+,;=@")


def judged_nothing(audit: Audit) -> bool:
    """Whether the audit tells nothing at all, so that no findings is no good news."""
    return not audit.coverage.judged


def most_first(counts: Counter[str]) -> list[tuple[str, int]]:
    """What was counted and how often, the most first, then by name; nothing that was counted 0 times."""
    return sorted(((what, number) for what, number in counts.items() if number), key=lambda row: (-row[1], row[0]))


def verdict(audit: Audit) -> str:
    """What an audit comes to, in one line."""
    coverage, sums = audit.coverage, totals(audit)
    levels = ((sums.errors, "error"), (sums.warnings, "warning"), (sums.notes, "note"))
    found = ", ".join(counted(number, noun) for number, noun in levels if number)
    parts = [f"{found} ({counted(sums.causes, 'cause')} in {counted(sums.pages, 'page')})"] if found else []
    pages = counted(coverage.pages, "page")
    if judged_nothing(audit):
        parts.append(f"NOTHING WAS JUDGED: {counted(coverage.links, 'reference')} in {pages}; this is no success")
    elif not found:
        parts.append(f"no findings: {counted(coverage.judged, 'reference')} judged in {pages}")
    else:
        parts.append(f"{counted(coverage.judged, 'reference')} judged in {pages}")
    if coverage.unread:
        parts.append(f"{counted(len(coverage.unread), 'page')} unread")
    hidden = audit.hidden.total()
    if hidden:
        parts.append(f"{counted(hidden, 'finding')} hidden")
    return "; ".join(parts)
