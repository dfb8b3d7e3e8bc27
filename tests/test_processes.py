from __future__ import annotations

import io
import os
import pickle
import subprocess
import sys
import time
from pathlib import Path

import pytest
import support.isolated_work as work
from support.running import ENVIRONMENT

from linkfix.processes import Isolated, LostJob, serve

needs_proc = pytest.mark.skipif(not Path("/proc/self/oom_score_adj").exists(), reason="Linux alone has /proc")


@pytest.fixture
def isolated():
    with Isolated(pickle.dumps(work.do), 30) as found:
        yield found


def test_the_work_runs_in_the_child_process(isolated):
    assert isolated("pid") != os.getpid()
    assert isolated("pid") == isolated("pid")


def test_a_large_job_and_result(isolated):
    assert isolated(b"x" * (1 << 22)) == b"x" * (1 << 22)


def test_an_exception_is_raised_here_and_ends_nothing(isolated):
    before = isolated("pid")
    with pytest.raises(ZeroDivisionError):
        isolated("raise")
    assert isolated("pid") == before


@pytest.mark.parametrize(("job", "reason"), [("kill", "signal 9"), ("exit", "exit code 7"), ("half", "exit code 0")])
def test_a_job_that_ends_its_process_is_lost_alone(isolated, job, reason):
    before = isolated("pid")
    with pytest.raises(LostJob, match=reason) as caught:
        isolated(job)
    assert not caught.value.is_late
    assert isolated("pid") not in {before, os.getpid()}


@pytest.mark.slow
def test_a_job_that_does_not_end_is_ended():
    with Isolated(pickle.dumps(work.do), 0.5) as isolated:
        start = time.monotonic()
        with pytest.raises(LostJob, match=r"0\.5 s") as caught:
            isolated("hang")
        assert caught.value.is_late
        assert time.monotonic() - start < 20
        assert isolated("pid")


@pytest.mark.slow
def test_the_limit_is_a_jobs_own():
    with Isolated(pickle.dumps(work.do), 1.5) as isolated:
        for _ in range(4):
            assert isolated("half a second") == "slept"


def test_no_limit():
    with Isolated(pickle.dumps(work.do), None) as isolated:
        assert isolated("half a second") == "slept"


def test_output_of_the_work_is_no_answer(isolated, capfd):
    assert isolated("print") == "printed"
    assert "said by the child" in capfd.readouterr().err


def test_the_child_answers_each_message():
    messages = [(pickle.dumps(work.do), 60), ["a job"], ["raise"], None]
    answers = io.BytesIO()
    serve(io.BytesIO(b"".join(map(pickle.dumps, messages))), answers)
    answers.seek(0)
    ready, answer, (result, error) = (pickle.load(answers) for _ in range(3))  # noqa: S301 - its own
    assert (ready, answer) == ((None, None), ("a job", None))
    assert result is None
    assert isinstance(error, ZeroDivisionError)
    assert not answers.read()


def test_the_process_ends_with_the_context():
    with Isolated(pickle.dumps(work.do), 30) as isolated:
        child = isolated("pid")
    assert has_ended(child)


def test_work_that_cannot_be_had():
    with Isolated(b"no pickle", 30) as isolated, pytest.raises(RuntimeError, match="cannot start"):
        isolated("pid")


@needs_proc
def test_the_child_is_killed_first_if_memory_runs_out(isolated):
    assert Path(f"/proc/{isolated('pid')}/oom_score_adj").read_text("ascii").strip() == "1000"


@pytest.mark.slow
@pytest.mark.parametrize("job", ["pid", "hang"])
def test_a_child_does_not_outlive_its_parent_by_much(job):
    program = (
        "import os, pickle, signal, sys, threading, support.isolated_work as work\n"
        "from linkfix.processes import Isolated\n"
        "isolated = Isolated(pickle.dumps(work.do), 1)\n"
        "print(isolated('pid'), flush=True)\n"
        "threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGKILL)).start()\n"
        f"isolated({job!r})\n"
    )
    tests = str(Path(__file__).parent)
    environment = ENVIRONMENT | {"PYTHONPATH": os.pathsep.join([ENVIRONMENT["PYTHONPATH"], tests])}
    done = subprocess.run(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, env=environment, timeout=60, check=False
    )
    assert done.returncode < 0
    assert has_ended(int(done.stdout))


def has_ended(process):
    """Whether a process ends within seconds."""
    for _ in range(200):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False
