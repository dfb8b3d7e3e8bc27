"""The process of the command: it ends at once, and loses nothing by that."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.systems import needs_full_device

from linkfix import __main__ as process
from linkfix.cli.report import buffered_output

PROGRAM = [sys.executable, "-m", "linkfix"]


def run(*arguments, code=None, **options):
    command = PROGRAM if code is None else [sys.executable, "-c", code]
    return subprocess.run([*command, *arguments], capture_output=True, text=True, check=False, **options)


@pytest.mark.parametrize(
    ("arguments", "status"),
    [(["--version"], 0), (["resolve", "http://h/", "x"], 0), (["nothing"], 2), (["base", "no"], 2)],
)
def test_the_exit_status_is_the_command_lines(arguments, status):
    assert run(*arguments, input="").returncode == status


def test_all_output_arrives(tmp_path):
    page = tmp_path / "page.html"
    page.write_text("<a href=x></a>\n" * 20_000, "utf-8")
    shown = run("absolutize", str(page), "--url", "http://h/")
    assert shown.stdout == "<a href=http://h/x></a>\n" * 20_000
    assert shown.returncode == 0


class Narrow(io.RawIOBase):
    """Takes so many bytes at a time: a pipe that is not buffered may take fewer than it is given."""

    def __init__(self, width):
        self.width = width
        self.calls = []

    def writable(self):
        return True

    def write(self, data):
        self.calls.append(bytes(data[: self.width]))
        return len(self.calls[-1])


@pytest.mark.parametrize("width", [1 << 20, 7])
def test_an_unbuffered_stream_gets_all_of_a_report_in_as_few_calls_as_it_takes(monkeypatch, width):
    narrow = Narrow(width)
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(narrow, "utf-8", "backslashreplace", write_through=True))
    with buffered_output() as out:
        out.writelines(f"line {number} é \udcff\n" for number in range(100))
    text = b"".join(narrow.calls)
    assert text == "".join(f"line {number} é \\udcff{os.linesep}" for number in range(100)).encode()
    assert len(narrow.calls) == -(-len(text) // width)


def test_an_unbuffered_report_is_the_same(tmp_path):
    (tmp_path / "page.html").write_text("<a href=x></a>\n" * 100, "utf-8")
    shown = [
        run("audit", str(tmp_path), "--format", "csv", env={**os.environ, "PYTHONUNBUFFERED": value})
        for value in ("", "1")
    ]
    assert shown[0].stdout == shown[1].stdout
    assert shown[0].stdout.count("\n") == 101
    assert [one.returncode for one in shown] == [1, 1]


@needs_full_device
def test_output_that_cannot_be_written_is_an_error():
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        shown = subprocess.run([*PROGRAM, "--version"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert shown.returncode != 0
    assert "No space left on device" in shown.stderr


def test_exit_handlers_run():
    shown = run(
        "--version", code="import atexit; atexit.register(print, 'handled')\nfrom linkfix.__main__ import main; main()"
    )
    assert shown.stdout.endswith("handled\n")
    assert shown.returncode == 0


@pytest.mark.parametrize(
    "before",
    [
        "import threading, time; threading.Thread(target=lambda: (time.sleep(0.3), print('ended'))).start()",
        (
            "import weakref, sys; sys.setprofile(lambda *_: None); class_ = type('C', (), {}); one = class_(); "
            "weakref.finalize(one, print, 'ended')"
        ),
    ],
)
def test_a_thread_that_runs_and_a_profile_that_is_taken_are_not_cut_off(before):
    shown = run("--version", code=f"{before}\nfrom linkfix.__main__ import main; main()")
    assert "ended\n" in shown.stdout
    assert shown.returncode == 0


def test_the_collector_is_on_while_a_command_runs(monkeypatch):
    monkeypatch.setattr(os, "_exit", lambda _: None)
    monkeypatch.setattr("linkfix.cli.main", lambda: sys.exit(0 if process.gc.isenabled() else 1))
    monkeypatch.setattr("atexit._run_exitfuncs", lambda: None)
    with pytest.raises(SystemExit) as ended:
        process.main()
    process.gc.unfreeze()
    assert ended.value.code == 0
