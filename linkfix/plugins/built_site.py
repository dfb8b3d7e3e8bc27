"""The audit of a site that a generator has just built, with the sources of its pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeGuard, cast

from linkfix.api import absolutize
from linkfix.auditing.api import audit
from linkfix.auditing.model import AuditFields, AuditOptions, Finding, FindingLevel
from linkfix.auditing.page_sources import LinesOf, lines_in_sources, shared_causes
from linkfix.auditing.selection import chosen_codes
from linkfix.display import clip, visible
from linkfix.errors import InvalidOption
from linkfix.files import atomic
from linkfix.files.descriptors import FilePath
from linkfix.files.media_types import guess_media_type
from linkfix.resolvers import RESOLVERS
from linkfix.urls import hide_passwords

#: The options of the audit that each plugin has as settings, with the type of their values. A list has texts.
SETTINGS: Mapping[str, type[list[str] | str | bool]] = {
    **dict.fromkeys(("select", "ignore", "ignore_target", "allow_host", "exclude"), list),
    "host": str,
    "clean_urls": bool,
}

_IN_WORDS = {list: "a list of texts", str: "a text", bool: "True or False"}


def options_of(values: Mapping[str, object]) -> AuditFields:
    """The options of the audit by the values of a plugin's settings. None and an empty value stand for no setting."""
    given = {name: value for name, value in values.items() if value is not None and value not in ("", [], ())}
    return cast(AuditFields, {one: tuple(value) if is_list(value) else value for one, value in given.items()})


def is_list(value: object) -> TypeGuard[list[object] | tuple[object, ...]]:
    """Whether a value is a list as settings have it."""
    return isinstance(value, list | tuple)


def check_value(name: str, value: object, kind: type) -> None:
    """Raise `InvalidOption` for a value of another type than that of the setting `name`."""
    are_texts = is_list(value) and all(isinstance(one, str) for one in value)
    if not (are_texts if kind is list else isinstance(value, kind)):
        message = f"{name} is not {_IN_WORDS[kind]}: {value!r}"
        raise InvalidOption(message)


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
    lines = lines_in_sources(found, sources, lines_of)
    shared = shared_causes(found, lines)
    told = set()
    for finding, line in zip(found, lines, strict=True):
        cause = finding.code, finding.cause
        if line is not None or not finding.reference or cause not in shared:
            yield SourceFinding(finding, _message(finding), sources.get(finding.path, ""), line)
        elif cause not in told:
            told.add(cause)
            yield SourceFinding(finding, _message(finding, shared[cause]), "", None)


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
