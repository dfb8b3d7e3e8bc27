"""The audit of a site that a generator has just built, with the sources of its pages."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from linkfix.api import absolutize
from linkfix.auditing.api import audit
from linkfix.auditing.model import AuditFields, AuditOptions, Finding, FindingLevel
from linkfix.auditing.selection import chosen_codes
from linkfix.display import clip, visible
from linkfix.errors import InvalidOption
from linkfix.files import atomic
from linkfix.files.descriptors import FilePath
from linkfix.files.media_types import guess_media_type
from linkfix.resolvers import RESOLVERS
from linkfix.urls import hide_passwords

#: A function from a source and a finding in the page that is made from it to the lines of the source that may have the
#: reference, from 1, in the order of the source.
LinesOf = Callable[[str, Finding], Sequence[int]]

#: The maximum size of a source, in bytes.
_LARGEST = 1 << 24

#: The characters of a URL that show that a text goes on before or after a reference. A full stop may end a sentence.
_BEFORE, _AFTER = r"(?<![\w/.%#?&-])", r"(?![\w/%#?&=-])"


class SourceFinding(NamedTuple):
    """A finding, at its place in a source."""

    finding: Finding
    message: str
    """The message, with the code, the reference and the place in the built page. It has no control characters."""
    source: str
    """The source of the page, as a key of the caller's table; "" if the page has none, or if no source has the fault.
    """
    line: int | None
    """The line in the source, from 1; None if it cannot be told."""

    @property
    def is_warning(self) -> bool:
        """Whether the finding is a warning or an error, and no note."""
        return self.finding.level is not FindingLevel.NOTE


def check_options(root_url: str | None, options: AuditFields) -> None:
    """Raise a LinkfixError for wrong options, before a build. The arguments are those of `built_findings`."""
    chosen_codes(AuditOptions(base_url=root_url, **options))


def built_findings(
    folder: str, root_url: str | None, sources: Mapping[str, str], lines_of: LinesOf, options: AuditFields
) -> Iterator[SourceFinding]:
    """Yield the findings of a built site, in the order of its pages.

    `folder`: the folder of the built pages. `root_url`: the URL that it will be served at; None if it is not known.
    `sources`: the name of a page in the folder -> its source. `options`: see `linkfix.audit`.

    A fault of the theme or the navigation is on many pages, and its reference is in none of their sources. Such
    findings with one cause are one finding, without a source.
    """
    found = audit(folder, root_url=root_url, **options).findings
    lines = _lines(found, sources, lines_of)
    causes = [
        (one.code, one.cause) if at is None and one.reference else None for one, at in zip(found, lines, strict=True)
    ]
    pages: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for finding, cause in zip(found, causes, strict=True):
        if cause is not None:
            pages[cause].add(finding.path)
    told = set()
    for finding, line, cause in zip(found, lines, causes, strict=True):
        if cause is None or len(pages[cause]) == 1:
            yield SourceFinding(finding, _message(finding), sources.get(finding.path, ""), line)
        elif cause not in told:
            told.add(cause)
            yield SourceFinding(finding, _message(finding, len(pages[cause])), "", None)


def _lines(found: Sequence[Finding], sources: Mapping[str, str], lines_of: LinesOf) -> list[int | None]:
    """The line of each finding in its source. Findings with one target have the lines in order."""
    numbers: Counter[tuple[str, str, str]] = Counter()
    lines: list[int | None] = []
    for finding in found:
        source = sources.get(finding.path, "")
        places = lines_of(source, finding) if source else ()
        key = source, finding.code, finding.target or finding.reference
        lines.append(places[min(numbers[key], len(places) - 1)] if places else None)
        numbers[key] += 1
    return lines


def _message(finding: Finding, pages: int = 1) -> str:
    """The message for a finding. `pages`: the number of pages with the same fault."""
    reference = f": {clip(hide_passwords(finding.reference))}" if finding.reference else ""
    place = f"{visible(finding.path)}:{finding.line}:{finding.column}" if finding.path else "the whole site"
    if pages > 1:
        place = f"{pages:,} pages, but none of their sources; the first is {place}"
    hint = f"; {visible(finding.hint.text)}" if finding.hint is not None else ""
    return f"{finding.code} {clip(finding.message)}{reference} ({place}{hint})"


def absolutize_file(folder: str, name: str, root_url: str) -> None:
    """Make the links of a built file absolute. Raises `InvalidOption` for a file that cannot be read or written.

    `name`: its name in the folder of the built pages. The HTML in a feed is relative to the page of its item.
    """
    path = FilePath(str(Path(folder, name)), folder)
    try:
        data = atomic.read(path).data
        url = RESOLVERS["whatwg"].resolve(root_url, name).target
        media_type = guess_media_type(name, data) or None
        atomic.write(path, absolutize(data, url=url, media_type=media_type, feed_base="item"))
    except OSError as error:
        message = f"absolutize: {name}: {error.strerror or error}"
        raise InvalidOption(message) from error


def lines_with(text: str, reference: str) -> list[int]:
    r"""The lines of a text that contain a reference, from 1, once for each place.

    >>> lines_with("a [b](c)\nand\nc, cc, c.", "c")
    [1, 3, 3]
    """
    if not reference:
        return []
    found = re.finditer(_BEFORE + re.escape(reference) + _AFTER, text)
    lines, at, line = [], 0, 1
    for match in found:
        line += text.count("\n", at, match.start())
        at = match.start()
        lines.append(line)
    return lines


def read_source(path: str) -> str:
    """The text of a source; "" if it cannot be read, or is very large."""
    try:
        return atomic.read(FilePath(path, str(Path(path).parent)), limit=_LARGEST).data.decode("utf-8", "replace")
    except OSError:
        return ""
