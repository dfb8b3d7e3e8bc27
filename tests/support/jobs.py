"""The jobs of the tests of `linkfix.processes`: here, since a process can import nothing from a test file."""

from __future__ import annotations

import os
import signal
import time


def work(job):
    """Return the job's number and the process's; ("die", 70) and ("exit", 70) end the process instead."""
    if job == ("die", 70):
        os.kill(os.getpid(), signal.SIGKILL)
    if job == ("exit", 70):
        os._exit(3)
    if job == ("raise", 70):
        message = "of job 70"
        raise ZeroDivisionError(message)
    return job[1], os.getpid()


def lost(job, reason):
    """The substitute result of a job whose process ended."""
    return job[1], reason


def sleep(seconds):
    """Return the process's number after a time."""
    time.sleep(seconds)
    return os.getpid()
