"""Kills runs at random moments: `python -m fuzz.kills --count 300`.

After a kill, every file is as it was or as it was to become; the same command again completes the run; and nothing is
left over then. A run is a process of its own that has imported linkfix already, so that a kill meets it at work.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import secrets
import shutil
import signal
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import NamedTuple, NoReturn

from linkfix.cli import COMMANDS, cli
from linkfix.files.atomic import is_temporary

__all__ = ["SCENARIOS", "Scenario", "kill_once", "main"]

_PAGE = b"<!doctype html><title>t</title>" + b'<p><a href="../x.html?a=1&amp;b=2">x</a> <img src=../Y.png></p>\n' * 60
_ROOT_URL = "https://example.com/s/"

#: Exit codes of completed runs; 1: the audit found something.
_SUCCESS = {0, 1}

#: File name -> content; for a link, its target.
State = dict[str, bytes]


def _site(folder: Path) -> None:
    """A folder of pages and other files."""
    for number in range(48):
        path = folder / "site" / f"part{number % 4}" / f"{number:03}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_PAGE)
    (folder / "site" / "y.png").write_bytes(b"\x89PNG" + bytes(5000))
    (folder / "site" / "link.html").symlink_to("part0/000.html")


def _warc_record(number: int) -> bytes:
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%b" % (len(_PAGE), _PAGE)
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{number:032}>\r\n"
        f"WARC-Date: 2026-11-22T00:00:00Z\r\nWARC-Target-URI: https://example.com/s/{number}.html\r\n"
        f"Content-Type: application/http;msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
    )
    return head.encode() + http + b"\r\n\r\n"


def _containers(folder: Path) -> None:
    """A folder of containers."""
    site = folder / "site"
    site.mkdir()
    for number in range(4):
        (site / f"{number}.warc").write_bytes(b"".join(map(_warc_record, range(30))))
        head = b"MIME-Version: 1.0\r\nContent-Type: text/html\r\nContent-Location: https://example.com/m/\r\n\r\n"
        (site / f"{number}.mht").write_bytes(head + _PAGE.replace(b"\n", b"\r\n") * 10)
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            mark = b"<!--\n Page saved with SingleFile \n url: https://example.com/z.html \n-->"
            archive.writestr(zipfile.ZipInfo("index.html"), mark + _PAGE * 10)
        (site / f"{number}.htz").write_bytes(out.getvalue())


class Scenario(NamedTuple):
    """A run that is killed."""

    prepare: Callable[[Path], None]
    """Makes the input of the run in an empty folder."""
    arguments: tuple[str, ...]
    """The command line of the run, in that folder."""
    before: tuple[tuple[str, ...], ...] = ()
    """Command lines of runs that come first."""
    again: tuple[str, ...] = ()
    """The command line after a kill, if there is a journal; the same command line if it is empty."""
    gives_back: bool = False
    """Whether `again` gives the old files, not the new ones."""


_IN_PLACE = ("absolutize", "site", "--root-url", _ROOT_URL, "--in-place", "--quiet")
_OUTPUT = ("absolutize", "site", "--root-url", _ROOT_URL, "--output", "out", "--quiet")

_JOURNAL = "site.journal"
_JOURNALED = (*_IN_PLACE, "--jobs", "1", "--journal", _JOURNAL)

#: Those of journals; with two processes too, as each writes to the journal.
_JOURNALS = {
    "undo": Scenario(_site, ("undo", _JOURNAL), before=(_JOURNALED,)),
    "undo of containers": Scenario(_containers, ("undo", _JOURNAL), before=(_JOURNALED,)),
    "in place, then undo": Scenario(_site, _JOURNALED, again=("undo", _JOURNAL), gives_back=True),
    "in place, then resume": Scenario(_site, _JOURNALED, again=("absolutize", "--resume", _JOURNAL, "--quiet")),
    "two processes, then resume": Scenario(
        _site,
        (*_IN_PLACE, "--jobs", "2", "--journal", _JOURNAL),
        again=("absolutize", "--resume", _JOURNAL, "--quiet"),
    ),
}

SCENARIOS = {
    "in place": Scenario(_site, (*_IN_PLACE, "--jobs", "1")),
    "in place, two processes": Scenario(_site, (*_IN_PLACE, "--jobs", "2")),
    "output": Scenario(_site, (*_OUTPUT, "--jobs", "1")),
    "containers in place": Scenario(_containers, (*_IN_PLACE, "--jobs", "1")),
    "containers to a folder": Scenario(_containers, (*_OUTPUT, "--jobs", "1")),
    "audit --fix": Scenario(_site, ("audit", "site", "--root-url", _ROOT_URL, "--fix", "--jobs", "1", "--quiet")),
    **(_JOURNALS if "undo" in COMMANDS else {}),
}


def _state(folder: Path) -> State:
    """The files of a folder. Journals are no leftovers: they stay until nobody wants to undo."""
    found = {}
    for path in folder.rglob("*"):
        if path.suffix == ".journal":
            continue
        if path.is_symlink():
            found[str(path.relative_to(folder))] = os.fsencode(path.readlink())
        elif path.is_file():
            found[str(path.relative_to(folder))] = path.read_bytes()
    return found


def _stamp(folder: Path) -> tuple[int, ...]:
    """Changes as soon as a file is made anywhere in the folder."""
    stamps = []
    for parent, _, _ in os.walk(folder):
        with contextlib.suppress(FileNotFoundError):
            stamps.append(os.stat(parent).st_mtime_ns)  # noqa: PTH116 - names come from os.walk
    return tuple(stamps)


def _start(folder: Path, arguments: tuple[str, ...]) -> int:
    """Start a run in a process group of its own; returns its process ID."""
    pid = os.fork()
    if not pid:
        _run(folder, arguments)
    return pid


def _run(folder: Path, arguments: tuple[str, ...]) -> NoReturn:
    """Be the run."""
    code = 70
    try:
        os.setpgid(0, 0)
        os.chdir(folder)
        with open(os.devnull, "w") as nowhere:  # noqa: PTH123 - for its descriptor
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
        cli.main(list(arguments), prog_name="linkfix")
    except SystemExit as done:
        code = done.code if isinstance(done.code, int) else 1
    finally:
        os._exit(code)


def _wait(pid: int) -> int:
    """The exit code of a run; that of a killed one is negative."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _complete(folder: Path, arguments: tuple[str, ...]) -> None:
    """Do a run that nobody kills. Raises `RuntimeError` if it fails."""
    code = _wait(_start(folder, arguments))
    if code not in _SUCCESS:
        message = f"linkfix {' '.join(arguments)} ended with {code}"
        raise RuntimeError(message)


class Reference(NamedTuple):
    """The run of a scenario that nobody kills."""

    old: State
    """The files before."""
    new: State
    """The files afterwards."""
    seconds: float
    """The time from the first file that it makes to its end."""


def reference(scenario: Scenario) -> Reference:
    """Do a scenario's run once."""
    with tempfile.TemporaryDirectory(prefix="kills-") as name:
        folder = Path(name)
        _prepare(scenario, folder)
        old, stamp = _state(folder), _stamp(folder)
        pid = _start(folder, scenario.arguments)
        while _stamp(folder) == stamp and os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            time.sleep(0.0002)
        start = time.monotonic()
        code = _wait(pid)
        if code not in _SUCCESS:
            message = f"linkfix {' '.join(scenario.arguments)} ended with {code}"
            raise RuntimeError(message)
        known = Reference(old, _state(folder), time.monotonic() - start)
    if known.new == old:
        message = f"linkfix {' '.join(scenario.arguments)} changes nothing"
        raise RuntimeError(message)
    return known


def _prepare(scenario: Scenario, folder: Path) -> None:
    scenario.prepare(folder)
    for arguments in scenario.before:
        _complete(folder, arguments)


def kill_once(scenario: Scenario, known: Reference, random: Random) -> tuple[str, list[str]]:
    """Kill a run once. Returns whether the run was still at work, as a word, and the faults afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="kills-"))
    try:
        _prepare(scenario, folder)
        stamp = _stamp(folder)
        pid = _start(folder, scenario.arguments)
        while _stamp(folder) == stamp and os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            time.sleep(0.0002)
        time.sleep(random.uniform(0, known.seconds))
        whole_group = random.random() < 0.5
        with contextlib.suppress(ProcessLookupError):
            (os.killpg if whole_group else os.kill)(pid, signal.SIGKILL)
        how = "killed" if _wait(pid) < 0 else "ended before"
        _wait_for_group(pid)
        wrong, left = _compare(_state(folder), known)
        if how == "killed" and left:
            how = "killed, temporary files left"
        wanted = known.new
        if scenario.again and (folder / _JOURNAL).exists():
            _complete(folder, scenario.again)
            wanted = known.old if scenario.gives_back else known.new
        else:
            _complete(folder, scenario.arguments)
        after = _state(folder)
        wrong += [f"{name} after the rerun" for name in sorted(after.keys() ^ wanted.keys())]
        wrong += [f"{name} differs after the rerun" for name in after if wanted.get(name, after[name]) != after[name]]
    except RuntimeError as error:
        return "killed", [str(error)]
    else:
        return how, wrong
    finally:
        shutil.rmtree(folder)


def _wait_for_group(group: int) -> None:
    """Wait until the processes that a killed run started have noticed and ended."""
    with contextlib.suppress(ProcessLookupError):
        while True:
            os.killpg(group, 0)
            time.sleep(0.005)


def _compare(state: State, known: Reference) -> tuple[list[str], list[str]]:
    """Which files are neither old nor new, and which are temporary."""
    wrong, left = [], []
    for name, data in state.items():
        if is_temporary(Path(name).name):
            left.append(name)
        elif data not in {known.old.get(name), known.new.get(name)}:
            wrong.append(f"{name} is neither old nor new")
    wrong += [f"{name} is gone" for name in known.old.keys() & known.new.keys() if name not in state]
    return wrong, left


def main(arguments: list[str]) -> int:
    """Run the command line; returns the exit code: 1 if a kill did harm."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.kills", description="Kill runs of linkfix at random moments.")
    parser.add_argument("--count", type=int, default=300, help="how many runs to kill, of all scenarios together (300)")
    parser.add_argument("--seed", type=int, help="what the moments are made from (a new one)")
    parser.add_argument("--only", action="append", choices=SCENARIOS, help="this scenario; repeatable")
    chosen = parser.parse_args(arguments)
    seed = secrets.randbelow(1 << 32) if chosen.seed is None else chosen.seed
    names = chosen.only or list(SCENARIOS)
    print(f"python -m fuzz.kills --count {chosen.count} --seed {seed}", flush=True)
    start = time.monotonic()
    harm = 0
    for number, name in enumerate(names):
        count = chosen.count * (number + 1) // len(names) - chosen.count * number // len(names)
        known = reference(SCENARIOS[name])
        random = Random(f"{seed}:{name}")
        outcomes: Counter[str] = Counter()
        for _ in range(count):
            how, wrong = kill_once(SCENARIOS[name], known, random)
            outcomes[how] += 1
            harm += bool(wrong)
            for fault in wrong[:3]:
                print(f"{name}: {fault}", flush=True)
        told = ", ".join(f"{number} {how}" for how, number in sorted(outcomes.items()))
        print(f"{name}: {told}; a run works for {known.seconds:.2f} s", flush=True)
    print(f"{chosen.count} runs, {harm} with harm, in {time.monotonic() - start:.0f} s")
    return 1 if harm else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
