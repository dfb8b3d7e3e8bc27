"""Invariants of every container and every settings file, one function each, as in `fuzz.documents`."""

from __future__ import annotations

import io
import os
import tempfile
from pathlib import Path

from click.testing import CliRunner

import linkfix
from fuzz.case import Case
from fuzz.seeds import DOCUMENT_TYPES
from fuzz.zip_readers import reads
from linkfix import PROBLEMS, Envelope, Problem
from linkfix.cli import cli
from linkfix.containers import Change, Limits, Part, container
from linkfix.containers.part import LeaveAlone, ignore_count
from linkfix.files import ROBOTS
from linkfix.model import MARKUP_TYPES

__all__ = [
    "audit_raises_nothing",
    "changed_parts_are_read_back",
    "containers_raise_nothing",
    "settings_raise_nothing",
    "unchanged_containers_are_copied",
    "zip_files_stay_readable",
]

_LIMITS = Limits(part=1 << 20, parts=1000)
#: The formats whose files are zip archives.
_ZIPPED = frozenset({"maff", "epub", "htz"})


def _envelope(case: Case) -> Envelope:
    return Envelope(url=case.url)


def _read(case: Case) -> tuple[list[Part], list[Problem]]:
    problems: list[Problem] = []
    found = container(case.type_).parts(io.BytesIO(case.data), _envelope(case), problems.append, _LIMITS)
    return list(found), problems


def _rewritten(case: Case, change: Change, leave_alone: LeaveAlone = ignore_count) -> tuple[bytes, list[Problem]]:
    problems: list[Problem] = []
    out = io.BytesIO()
    container(case.type_).rewrite(
        io.BytesIO(case.data), out, _envelope(case), change, problems.append, _LIMITS, leave_alone=leave_alone
    )
    return out.getvalue(), problems


def _absolute(part: Part) -> bytes | None:
    """The part with absolute links; None if nothing changes."""
    try:
        data = linkfix.Document(part.data, envelope=part.envelope).absolutize()
    except linkfix.LinkfixError:
        return None
    return None if data == part.data else data


def containers_raise_nothing(case: Case) -> str | None:
    """A container's bytes never raise; its faults are problems with known codes."""
    _, problems = _read(case)
    _, more = _rewritten(case, _absolute)
    unknown = {problem.code for problem in problems + more} - PROBLEMS.keys()
    return f"unknown codes {unknown}" if unknown else None


def unchanged_containers_are_copied(case: Case) -> str | None:
    """If no part changes, the copy has the same bytes."""
    data, _ = _rewritten(case, lambda _part: None)
    return None if data == case.data else f"the copy is {data!r}"


def changed_parts_are_read_back(case: Case) -> str | None:
    """A changed part that is written without a problem is read back; a second conversion changes nothing."""
    expected: list[bytes] = []
    changed: list[tuple[int, bytes]] = []  # the place in `expected`, and the old data

    def change(part: Part) -> bytes | None:
        new = _absolute(part)
        if new is not None:
            changed.append((len(expected), part.data))
        if part.media_type in MARKUP_TYPES:
            expected.append(part.data if new is None else new)
        return new

    def leave_alone(count: int) -> None:
        for place, old in changed[len(changed) - count :]:
            expected[place : place + 1] = [old]

    data, problems = _rewritten(case, change, leave_alone)
    if {problem.code for problem in problems} - {problem.code for problem in _read(case)[1]}:
        return None  # writing met with a problem of its own, and said so
    # A format need not give parts of other types, and may give them.
    found = [part.data for part in _read(case.with_data(data))[0] if part.media_type in MARKUP_TYPES]
    if found != expected:
        return f"written {expected!r}, read {found!r}"
    again, _ = _rewritten(case.with_data(data), _absolute)
    return None if again == data else f"once {data!r}, twice {again!r}"


def zip_files_stay_readable(case: Case) -> str | None:
    """An archive that zipfile, unzip or Java reads can be read afterwards, and all that read it read the same files."""
    if case.type_ not in _ZIPPED:
        return None
    data, problems = _rewritten(case, _absolute)
    if data == case.data:
        return None
    before, after = reads(case.data), reads(data)
    lost = [name for name, reading in before.items() if reading is not None and after[name] is None]
    if lost:
        return f"{', '.join(lost)} cannot read it any more"
    # unzip's one number is that of all files.
    counts = {name: len(reading) for name, reading in (*before.items(), *after.items()) if reading is not None}
    counts.pop("unzip", None)
    if len(set(counts.values())) > 1:
        return f"numbers of files: {counts}"
    refused = [name for name in ("zipfile", "unzip") if after.get(name, []) is None]
    return f"{', '.join(refused)} cannot read it" if refused and not problems else None


def audit_raises_nothing(case: Case) -> str | None:
    """The audit of a folder with the document ends with an exit code that means something; repairs do not raise."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        suffix = next((suffix for suffix, type_ in DOCUMENT_TYPES.items() if type_ == case.type_), ".xml")
        Path(folder, "robots.txt" if case.type_ == ROBOTS else f"page{suffix}").write_bytes(case.data)
        Path(folder, "index.html").write_bytes(b'<a href="page.html#x" id=top>')
        code = _invoke("audit", folder, "--no-config", "--jobs", "1", *(["--fix"] if len(case.data) % 2 else []))
        return None if code in {0, 1, 3} else f"exit code {code}"


def _invoke(*arguments: str) -> int:
    """The exit code of a command line; its exceptions are raised here."""
    result = CliRunner().invoke(cli, arguments)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code


_PAGE = b'<a href="x">'


def settings_raise_nothing(case: Case) -> str | None:
    """A settings file gives an exit code that means something, and an error a message that names the file."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        page, config = Path(folder, "page.html"), Path(folder, "linkfix.toml")
        page.write_bytes(_PAGE)
        config.write_bytes(case.data)
        arguments = [case.type_, os.fspath(page), "--config", os.fspath(config)]
        if case.type_ == "unpack":
            arguments += ["--output", os.fspath(Path(folder, "out"))]
        code = _invoke(*arguments)
        if code not in range(4):
            return f"exit code {code}"
        if page.read_bytes() != _PAGE:
            return "the page was changed"
    return None
