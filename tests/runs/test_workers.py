from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.jobs import lost, work
from support.running import ENVIRONMENT

from linkfix.runs import core_count, map_in_order

JOBS = 400


def some_are_light(job):
    """Jobs of many weights: up to sixteen go together, and some would fill many messages."""
    return (1 / 16, 1 / 16, 1 / 16, 1 / 3, 1, 4096)[job[1] % 6]


def all_are_light(_job):
    return 1 / 16


@pytest.mark.parametrize("weight", [some_are_light, all_are_light])
@pytest.mark.parametrize("processes", [1, 2, 3])
def test_results_come_in_order(processes, weight):
    jobs = ((None, n) for n in range(JOBS))
    results = list(map_in_order(work, jobs, processes=processes, lost=lost, weight=weight))
    assert [number for number, _ in results] == list(range(JOBS))
    assert (os.getpid() in {pid for _, pid in results}) is (processes == 1)


def test_a_few_jobs_start_no_process():
    assert {pid for _, pid in map_in_order(work, [(None, 1), (None, 2)], processes=4, lost=lost)} == {os.getpid()}


@pytest.mark.slow
@pytest.mark.parametrize("weight", [some_are_light, all_are_light, lambda _: 1])
@pytest.mark.parametrize(("how", "reason"), [("die", "signal 9"), ("exit", "exit code 3")])
def test_a_process_that_dies_loses_its_job_alone(how, reason, weight):
    jobs = ((how, n) for n in range(JOBS))
    results = list(map_in_order(work, jobs, processes=2, lost=lost, weight=weight))
    assert [number for number, _ in results] == list(range(JOBS))
    assert results[70] == (70, reason)
    assert all(isinstance(pid, int) for number, pid in results if number != 70)


def test_a_single_process_needs_no_multiprocessing():
    program = (
        "import sys\n"
        "from linkfix.runs.convert import convert\n"
        "from linkfix.runs.workers import map_in_order\n"
        "list(map_in_order(str, range(99), processes=1, lost=print))\n"
        "print([name for name in ('multiprocessing', 'secrets') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, env=ENVIRONMENT, timeout=60, check=True)
    assert done.stdout.strip() == b"[]"


@pytest.mark.parametrize("weight", [all_are_light, lambda _: 1])
def test_jobs_are_read_on_demand(weight):
    taken = 0

    def jobs():
        nonlocal taken
        while True:
            taken += 1
            yield None, taken

    results = map_in_order(work, jobs(), processes=2, lost=lost, weight=weight)
    assert next(results)[0] == 1
    results.close()
    assert taken < 100 if weight is not all_are_light else taken < 1000


def test_core_count():
    assert 1 <= core_count() <= (os.cpu_count() or 1)


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "(zombie)" not in Path(f"/proc/{pid}/status").read_text() if Path("/proc").is_dir() else True


#: The environment of a program that imports `support`.
WITH_SUPPORT = ENVIRONMENT | {
    "PYTHONPATH": os.pathsep.join([ENVIRONMENT["PYTHONPATH"], str(Path(__file__).parent.parent)])
}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is Unix's")
@pytest.mark.parametrize("seconds", [0.01, 60])
def test_processes_end_with_a_parent_that_is_killed(seconds):
    program = (
        "import itertools\n"
        "from linkfix.runs.workers import map_in_order\n"
        "from support.jobs import sleep\n"
        f"jobs = itertools.chain([0] * 20, itertools.repeat({seconds}))\n"
        "for pid in map_in_order(sleep, jobs, processes=2, lost=print):\n"
        "    print(pid, flush=True)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, env=WITH_SUPPORT) as parent:
        assert parent.stdout is not None
        workers = {int(parent.stdout.readline()) for _ in range(20)}
        parent.kill()
    deadline = time.monotonic() + 10
    while any(map(alive, workers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(alive, workers))


def test_a_program_needs_no_main_guard(tmp_path):
    script = tmp_path / "main.py"
    script.write_text(
        "from linkfix.runs.workers import map_in_order\n"
        "from support.jobs import lost, work\n"
        "jobs = [('job', number) for number in range(99)]\n"
        "print([number for number, _ in map_in_order(work, jobs, processes=2, lost=lost)] == list(range(99)))\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, env=WITH_SUPPORT, timeout=60, check=False)
    assert (done.stdout.strip(), done.stderr) == (b"True", b"")


def test_work_that_the_processes_cannot_import_is_refused():
    program = (
        "from linkfix.runs.workers import map_in_order\n"
        "def work(job): return job\n"
        "list(map_in_order(work, range(99), processes=2, lost=print))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, env=ENVIRONMENT, timeout=60, check=False
    )
    assert done.returncode == 1
    assert b"RuntimeError: a child process cannot start" in done.stderr


def test_a_job_that_raises_is_lost_alone():
    jobs = [("raise" if number == 70 else None, number) for number in range(99)]
    results = list(map_in_order(work, jobs, processes=2, lost=lost))
    assert results[70] == (70, "ZeroDivisionError: of job 70")
    assert [number for number, _ in results] == list(range(99))
