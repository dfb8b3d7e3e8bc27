"""Functions that all reports share: names, places, totals and the verdict, for any format."""

from __future__ import annotations

import os
from collections import Counter
from functools import lru_cache
from pathlib import Path, PurePath
from typing import NamedTuple
from urllib.parse import quote, unquote

from linkfix.auditing.model import Audit, Coverage, Finding, FindingLevel, Hint
from linkfix.display import MESSAGE_LENGTH, clip, escape_match, pluralize, visible, visible_path
from linkfix.lazy import lazy_pattern
from linkfix.model import Layer
from linkfix.urls import hide_passwords

_ORIGIN = lazy_pattern(r"[^:/?#]+://[^/?#]*")

#: The characters before and after a word of a hint; "" is the beginning or the end of the text.
_OPENING, _CLOSING, _SPACE = frozenset({"", " ", "(", "'", '"'}), "'\").,:;?!", frozenset({"", " "})


class Totals(NamedTuple):
    """The sums of an audit."""

    findings: int
    errors: int
    warnings: int
    notes: int
    causes: int
    pages: int
    """Files with findings."""


def totals(audit: Audit) -> Totals:
    """The sums of an audit."""
    return Totals(
        len(audit.findings),
        audit.count(FindingLevel.ERROR),
        audit.count(FindingLevel.WARNING),
        audit.count(FindingLevel.NOTE),
        len(audit.causes),
        len({finding.path for finding in audit.findings}),
    )


_SURROGATE = lazy_pattern("[\\ud800-\\udfff]")


def without_surrogates(text: str) -> str:
    r"""`text` in a form that any Unicode encoding can write, with surrogates as `\xe9` or `\ud800`.

    Names look as `linkfix.display.display_name` returns them.
    """
    return text if text.isascii() else _SURROGATE.sub(escape_match, text)


def message_with_reference(finding: Finding) -> str:
    """The message of a finding and its reference, for people, on one line."""
    message = clip(finding.message, MESSAGE_LENGTH)
    return f"{message}: {clip(finding.reference)}" if finding.reference else message


def hint_text(hint: Hint) -> str:
    """A hint for people, on one line: its kind, its text, and the new reference if the text does not quote it.

    "fix" marks a correction that `--fix` writes, and "hint" any other.
    """
    text = clip(hint.text)
    if hint.reference and not _quotes(hint.text, hint.reference):
        text += f" (write {clip(hint.reference)})"
    return f"{'fix' if hint.certain else 'hint'}: {text}"


def _quotes(text: str, reference: str) -> bool:
    """Whether a text contains a reference as a word of its own: `a.html` is not a word of `docs/a.html`."""
    before, found, after = text.partition(reference)
    return bool(found) and before[-1:] in _OPENING and after.lstrip(_CLOSING)[:1] in _SPACE


def checked_files(coverage: Coverage) -> str:
    """The number of checked pages, and of other checked files."""
    pages, other = coverage.pages - coverage.other, coverage.other
    counts = [pluralize(pages, "page")] if pages or not other else []
    return " and ".join([*counts, *([pluralize(other, "other file" if pages else "file")] if other else [])])


def is_whole_file(finding: Finding) -> bool:
    """Whether a finding is about a whole file, not about a place in it."""
    return not finding.end


def base_url(audit: Audit) -> str | None:
    """The URL that the tree is served at, without its password; None if the URL is made up."""
    return None if audit.base_layer is Layer.NONE else hide_passwords(audit.base_url)


def settings_text(audit: Audit) -> str:
    """A sentence with the settings of site generators that the audit followed; "" for none."""
    return f"settings of {audit.settings}" if audit.settings else ""


def target(audit: Audit, finding: Finding) -> str | None:
    """The target of a finding. If the tree's URL is made up, a target on its host is shown as a name in the tree.

    "/" is the tree's root. A name above the root begins with "/".
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
    return (unquote(path, errors="surrogateescape") or "/") + mark + fragment


def location(audit: Audit, finding: Finding) -> str:
    """The path of the finding's file: the root as the caller gave it, and the name in the tree or archive."""
    if audit.archive:  # names in an archive may be URLs
        return finding.path if audit.root == os.curdir else f"{PurePath(audit.root)}/{finding.path}"
    path = PurePath(audit.root, *finding.path.split("/"))
    return os.path.normpath(path) if ".." in finding.path[:2] else str(path)


def source_location(finding: Finding) -> str:
    """The file and line of the source that a finding's page is made from; "" if it is not known."""
    place = finding.source
    if place is None:
        return ""
    return f"{source_path(place.path)}:{place.line}" if place.line else source_path(place.path)


@lru_cache(maxsize=1024)
def source_path(path: str) -> str:
    """The path of a source relative to the checkout, with "/" between folders; its real path outside the checkout."""
    folder = Path(os.path.realpath(workspace()))
    return Path(path).relative_to(folder).as_posix() if Path(path).is_relative_to(folder) else path


def source_text(finding: Finding) -> str:
    """The place in the source, in words, on one line; "" if it is not known."""
    return f"source: {visible_path(source_location(finding))}" if finding.source else ""


def audited_path(audit: Audit) -> str:
    """The path of the folder or archive, as the caller gave it."""
    return str(PurePath(audit.root, audit.archive)) if audit.archive else audit.root


def files_text(audit: Audit) -> str:
    """The number of all files, in words."""
    return f"{pluralize(audit.coverage.files, 'file')} in the {'archive' if audit.archive else 'folder'}"


def workspace() -> Path:
    """The folder that paths in annotations are relative to: the checkout in GitHub Actions, else the current folder."""
    here = Path.cwd()
    checkout = os.environ.get("GITHUB_WORKSPACE")
    outer = Path(os.path.realpath(checkout)) if checkout else here
    return outer if here.is_relative_to(outer) else here


def prefix(audit: Audit, folder: Path) -> str | None:
    """The path of the tree relative to `folder`: "", or a path that ends with "/". None outside the folder."""
    root = Path(os.path.realpath(audit.root))
    if not root.is_relative_to(folder):
        return None
    parts = root.relative_to(folder).parts
    return "/".join((*parts, ""))


def uri(path: str) -> str:
    """A path with "/" between folders as a URI reference (RFC 3986 §4.1), percent-encoded byte for byte.

    Colons are encoded, too: the first segment of a relative reference may not contain a colon (RFC 3986 §4.2).
    """
    return quote(os.fsencode(path), "/!$&'()*+,;=@")


def checked_nothing(audit: Audit) -> bool:
    """Whether no reference was checked, in any or in one of the folders, so that no findings mean nothing."""
    return not audit.coverage.checked or bool(audit.unchecked_folders and not audit.findings)


def unchecked_text(audit: Audit) -> str:
    """The words "nothing was checked", with the folders if references were checked in others."""
    folders = audit.unchecked_folders if audit.coverage.checked else ()
    return f"nothing was checked in {', '.join(map(visible, folders))}" if folders else "nothing was checked"


def most_first(counts: Counter[str]) -> list[tuple[str, int]]:
    """The names and counts, the largest count first, then by name. Counts of 0 are left out."""
    return sorted(((what, number) for what, number in counts.items() if number), key=lambda row: (-row[1], row[0]))


def outdated_text(audit: Audit) -> str:
    """A sentence with the number of baseline entries that no longer occur, and the option that drops them."""
    number = audit.outdated
    entries = (
        "1 entry of the baseline no longer occurs"
        if number == 1
        else f"{number:,} entries of the baseline no longer occur"
    )
    return f"{entries}: --prune-baseline removes {'it' if number == 1 else 'them'}"


def counts_by_level(sums: Totals) -> str:
    """The number of findings of each level that has any, the most severe first; "" for no findings."""
    levels = ((sums.errors, "error"), (sums.warnings, "warning"), (sums.notes, "note"))
    return ", ".join(pluralize(number, noun) for number, noun in levels if number)


def next_steps(audit: Audit) -> list[str]:
    """The options that correct, explain and hide the findings, in at most two sentences; [] for no findings."""
    steps = []
    certain = sum(finding.hint is not None and finding.hint.certain for finding in audit.findings)
    if certain and not audit.archive:  # `--fix` writes only files of a folder
        has, it = ("has a certain correction", "it") if certain == 1 else ("have a certain correction", "them")
        steps.append(
            f"{pluralize(certain, 'reference')} {has} (fix): "
            f"--fix writes {it}, --fix --diff shows {it}; a hint is only a guess"
        )
    if audit.causes:
        code = audit.causes[0].code
        comment = "" if audit.archive else f" <!-- linkfix-ignore {code} -->,"
        steps.append(f"--explain {code} explains a code; to hide findings: --ignore-target,{comment} --write-baseline")
    return steps


def unit(audit: Audit, groups: int) -> str:
    """The word for the groups of findings that a report shows: causes, unless some groups have several causes."""
    return "group" if groups < len(audit.causes) else "cause"


def verdict(audit: Audit, sizes: str = "") -> str:
    """The result of an audit in one line.

    `sizes`: the number of groups in the report, in words; "" for the number of causes.
    """
    coverage, sums = audit.coverage, totals(audit)
    found = counts_by_level(sums)
    sizes = sizes or pluralize(sums.causes, "cause")
    parts = [f"{found} ({sizes} in {pluralize(sums.pages, 'file')})"] if found else []
    pages = checked_files(coverage)
    if not coverage.checked:
        parts.append(f"NOTHING WAS CHECKED: {pluralize(coverage.links, 'reference')} in {pages}; this is not a success")
    elif not found:
        parts.append(f"no findings: {pluralize(coverage.checked, 'reference')} checked in {pages}")
    else:
        parts.append(f"{pluralize(coverage.checked, 'reference')} checked in {pages}")
    if coverage.checked and audit.unchecked_folders:
        parts.append(unchecked_text(audit).replace("nothing was checked", "NOTHING WAS CHECKED", 1))
    if coverage.unread:
        parts.append(f"{pluralize(len(coverage.unread), 'file')} unread")
    hidden = audit.hidden.total()
    if hidden:
        parts.append(f"{pluralize(hidden, 'finding')} hidden")
    return "; ".join(parts)
