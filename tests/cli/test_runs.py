"""Whole runs as processes: signals, terminals, pipes."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time

import pytest
from support.running import ENVIRONMENT, command, process, terminal

from linkfix.files import atomic

FILES = 800
URL = "https://example.com/s/"
OLD = b"<p>" + b'<a href="x.html">x</a>\n' * 40
NEW = OLD.replace(b'"x.html"', b'"https://example.com/s/x.html"')

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and terminals as Unix has them")


@pytest.fixture
def site(tmp_path):
    root = tmp_path / "site"
    root.mkdir()
    for number in range(FILES):
        (root / f"{number:04}.html").write_bytes(OLD)
    return root


def hear_of_hangups():
    """Undo `nohup` for a process, if the tests themselves run under it."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def stopped(site, number, *arguments):
    """Start a run, send its process group (for SIGKILL: the process alone) a signal when some files are done."""
    last = site / f"{FILES // 20:04}.html"
    with subprocess.Popen(
        command("absolutize", site, "--root-url", URL, "--in-place", *arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        start_new_session=True,
        preexec_fn=hear_of_hangups,  # noqa: PLW1509 - no other thread is at work
    ) as run:
        while last.stat().st_size == len(OLD) and run.poll() is None:
            time.sleep(0.001)
        if number in {signal.SIGINT, signal.SIGHUP}:
            os.killpg(run.pid, number)
        else:
            run.send_signal(number)
        _, message = run.communicate(timeout=60)
    deadline = time.monotonic() + 20
    while group_alive(run.pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not group_alive(run.pid)
    return run.returncode, message.decode()


def group_alive(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def states(site):
    """The numbers of old and new files; every name that is neither a page nor a temporary file, and every torn file."""
    pages = [path.read_bytes() for path in site.glob("*.html")]
    strange = [path.name for path in site.iterdir() if path.suffix != ".html" and not atomic.is_temporary(path.name)]
    return pages.count(OLD), pages.count(NEW), strange


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize(
    ("number", "code", "said"),
    [
        (
            signal.SIGINT,
            130,
            r"to resume: linkfix absolutize --resume (\S+)\nto undo: linkfix undo \1\nlinkfix: interrupted; .+\n",
        ),
        (
            signal.SIGHUP,
            129,
            r"to resume: linkfix absolutize --resume (\S+)\nto undo: linkfix undo \1\nlinkfix: hung up; .+\n",
        ),
        (signal.SIGTERM, 143, r""),
        (signal.SIGKILL, -9, r""),
    ],
)
def test_a_run_that_is_stopped_leaves_every_file_old_or_new(site, jobs, number, code, said):
    returned, message = stopped(site, number, "--jobs", jobs)
    old, new, strange = states(site)
    assert old + new == FILES
    assert old > 0
    assert new > 0
    assert strange == []
    assert returned == code
    assert re.fullmatch(said, message)
    if number != signal.SIGKILL:
        assert len(list(site.iterdir())) == FILES
    done = process("absolutize", site, "--root-url", URL, "--in-place", "--jobs", jobs, cwd=site.parent)
    assert done.returncode == 0
    assert states(site) == (0, FILES, [])


@pytest.mark.slow
def test_a_pipe_gets_no_progress(site):
    done = process("absolutize", site, "--root-url", URL, "--output", "out", cwd=site.parent)
    assert re.fullmatch(
        r"800 files, 32,000 links, 32,000 made absolute, 0 problems in \d+\.\d\d s\n", done.stderr.decode()
    )
    assert done.stdout == b""


@pytest.mark.slow
def test_a_terminal_gets_progress_while_it_lasts(site):
    (site / "0001.html").write_bytes(OLD + b'<a href="http://[">')
    (site / "0799.html").write_bytes(OLD + b'<a href="http://[\x1b[31m">')
    output = terminal("absolutize", "site", "--root-url", URL, "--in-place", "--jobs", "1", cwd=site.parent)
    assert re.search(r"\d+ files  \[#*-*\] \d+%  \d+:\d\d left  \d+\.\d of \d+\.\d MB  \d", output)
    lines = [line.rpartition("\r")[2] for line in output.split("\r\n")]
    assert any(line.startswith("site/0001.html:41:") for line in lines)
    assert any(line.startswith("site/0799.html:41:") for line in lines)
    assert lines[-3].startswith("800 files, 32,002 links, 32,000 made absolute, 2 problems in ")
    assert lines[-2].startswith("to undo: linkfix undo site.linkfix-")
    assert "\x1b[31m" not in output


def test_a_short_run_on_a_terminal_is_its_summary_alone(tmp_path):
    (tmp_path / "page.html").write_bytes(OLD)
    output = terminal("absolutize", "page.html", "--url", URL, "--in-place", "--no-journal", cwd=tmp_path)
    assert re.fullmatch(r"1 file, 40 links, 40 made absolute, 0 problems in \d+\.\d\d s\r\n", output)


def test_a_diff_on_a_terminal_is_safe(tmp_path):
    (tmp_path / "page.html").write_bytes(b'<p>\x1b]0;title\x07\ttab \xe9\n<a href="x">\n')
    output = terminal("absolutize", "page.html", "--url", URL, "--diff", "--quiet", cwd=tmp_path)
    assert output.replace("\r", "") == (
        "--- a/page.html\n+++ b/page.html\n@@ -1,2 +1,2 @@\n <p>\\x1b]0;title\\x07\ttab \\xe9\n"
        '-<a href="x">\n+<a href="https://example.com/s/x">\n'
    )


@pytest.mark.slow
def test_quiet_prints_nothing(site):
    done = process("absolutize", site, "--root-url", URL, "--in-place", "--quiet", cwd=site.parent)
    assert (done.stdout, done.stderr, done.returncode) == (b"", b"", 0)
