"""The process of the command: its exit status, and that no output is lost."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.running import ENVIRONMENT
from support.systems import needs_full_device

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
    """Takes `width` bytes at a time: an unbuffered pipe may take fewer bytes than it is given."""

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


needs_posix = pytest.mark.skipif(sys.platform == "win32", reason="streams and signals as Unix has them")


@pytest.fixture
def site(tmp_path):
    (tmp_path / "site").mkdir()
    for number in range(3):
        (tmp_path / "site" / f"{number}.html").write_text("<a href=x></a><a href='http://['>", "utf-8")
    return tmp_path / "site"


PAGE = ("absolutize", "site/0.html", "--url", "http://h/")
FOLDER = ("absolutize", "site", "--root-url", "http://h/")


@needs_posix
@pytest.mark.parametrize(
    ("arguments", "closed", "status", "said"),
    [
        (("--version",), "1", 2, "linkfix: standard output: it is closed\n"),
        (("--version",), "2", 0, ""),
        (("--version",), "0", 0, ""),
        (("--help",), "1", 2, "linkfix: standard output: it is closed\n"),
        (PAGE, "1", 2, "linkfix: standard output: it is closed\n"),
        (PAGE, "12", 2, ""),
        (PAGE, "2", 0, ""),
        (("absolutize", "-", "--url", "http://h/"), "0", 2, "linkfix: standard input: it is closed\n"),
        (("absolutize", "-", "--url", "http://h/"), "01", 2, "linkfix: standard input: it is closed\n"),
        (("absolutize", "-", "--url", "http://h/"), "012", 2, ""),
        (("links", "site", "--root-url", "http://h/"), "1", 2, "linkfix: standard output: it is closed\n"),
        (
            ("links", "site", "--root-url", "http://h/", "--format", "json"),
            "1",
            2,
            "linkfix: standard output: it is clo",
        ),
        (("links", "-", "--url", "http://h/"), "0", 2, "linkfix: standard input: it is closed\n"),
        (("audit", "site", "--root-url", "http://h/"), "1", 2, "linkfix: standard output: it is closed\n"),
        (("audit", "site", "--root-url", "http://h/", "--format", "json"), "1", 2, "linkfix: standard output: it is "),
        (("base", "site/0.html"), "1", 2, "linkfix: standard output: it is closed\n"),
        (("resolve", "http://h/", "x"), "1", 2, "linkfix: standard output: it is closed\n"),
        (("schemes", "http"), "1", 2, "linkfix: standard output: it is closed\n"),
        (("completion", "bash"), "1", 2, "linkfix: standard output: it is closed\n"),
        (("absolutize", "nothing"), "2", 2, ""),
        (("nothing",), "12", 2, ""),
        ((*FOLDER, "--output", "out"), "0", 0, ""),
        ((*FOLDER, "--output", "out"), "2", 0, ""),
        ((*FOLDER, "--output", "out", "--jobs", "2", "--quiet"), "012", 0, ""),
        ((*FOLDER, "--in-place", "--quiet"), "012", 0, ""),
    ],
)
def test_a_closed_stream_prints_one_message_and_sets_the_right_status(site, arguments, closed, status, said):
    close = " ".join(f"{number}{'<' if number == '0' else '>'}&-" for number in closed)
    shown = subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {close}', "sh", *PROGRAM, *arguments],
        cwd=site.parent,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert shown.returncode == status
    assert "Traceback" not in shown.stderr
    if said:
        assert shown.stderr.startswith(said)
        assert shown.stderr.count("\n") == 1
    elif "2" in closed:
        assert shown.stderr == ""
    if status == 2:
        assert shown.stdout == ""
    for folder in ("out", "site" if "--in-place" in arguments else "out"):
        for path in (site.parent / folder).glob("*"):
            assert path.read_text("utf-8") == "<a href=http://h/x></a><a href='http://['>"


@needs_posix
@pytest.mark.parametrize("closed", ["1", "2", "12"])
def test_no_file_gets_the_number_of_a_closed_stream(site, closed):
    code = (
        f"import os; [os.close(int(number)) for number in {closed!r}]\n"
        "import sys; sys.stdout = None if '1' in sys.argv[-1] else sys.stdout; "
        "sys.stderr = None if '2' in sys.argv[-1] else sys.stderr\n"
        "from linkfix.cli.standard_streams import open_closed_streams; open_closed_streams()\n"
        "import pathlib; file = open(sys.argv[1], 'wb')\n"
        "for number in (1, 2):\n"
        "    try: os.write(number, b'lost')\n"
        "    except OSError: pass\n"
        "file.close(); os._exit(file is None)"
    )
    assert run(str(site / "file"), closed, code=code, env=ENVIRONMENT).returncode == 0
    assert (site / "file").read_bytes() == b""


@needs_posix
@pytest.mark.parametrize("before", ["", "from linkfix import cli"])
def test_an_interruption_during_imports_prints_one_message(before):
    code = (
        f"import sys, os, signal\n{before}\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name in ('click', 'linkfix.cli.resolve'): os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Finder())\n"
        "from linkfix.__main__ import main; main()"
    )
    shown = run("resolve", "http://h/", "x", code=code, env=ENVIRONMENT)
    assert shown.returncode == 130
    assert shown.stderr.strip("\n").startswith("linkfix: interrupted")
    assert "Traceback" not in shown.stderr


@needs_posix
@pytest.mark.parametrize("name", ["SIGINT", "SIGHUP", "SIGTERM"])
def test_a_process_that_starts_gets_no_interruption_of_its_parent(name):
    """The whole group gets the signal between the start of a worker and its first line of ours."""
    code = (
        "import os, signal, subprocess, sys, time\n"
        "class Popen(subprocess.Popen):\n"
        "    def __init__(self, *arguments, **keywords):\n"
        "        super().__init__(*arguments, **keywords)\n"
        "        time.sleep(float(sys.argv[2])); os.killpg(0, getattr(signal, sys.argv[1]))\n"
        "subprocess.Popen = Popen\n"
        "from linkfix.runs.workers import map_in_order\n"
        "import linkfix.cli\n"
        "signal.signal(signal.SIGTERM, linkfix.cli._terminate); signal.signal(signal.SIGHUP, linkfix.cli._hang_up)\n"
        "try:\n"
        "    list(map_in_order(str, range(99), processes=2, lost=str, few=0))\n"
        "except (KeyboardInterrupt, SystemExit) as error:\n"
        "    print(type(error).__name__)\n"
    )
    for delay in ("0", "0.03", "0.3"):
        shown = run(name, delay, code=code, env=ENVIRONMENT, start_new_session=True)
        assert shown.stderr == ""
        expected = {"SIGINT": "KeyboardInterrupt", "SIGHUP": "HungUp", "SIGTERM": "SystemExit"}[name]
        assert (shown.stdout, shown.returncode) == (f"{expected}\n", 0)
