"""The jobs of the tests of `linkfix.processes`: here, since a process can import nothing from a test file."""

from __future__ import annotations

import os
import signal


def work(job):
    """Return the job's number and the process's; ("die", 70) and ("exit", 70) end the process instead."""
    if job == ("die", 70):
        os.kill(os.getpid(), signal.SIGKILL)
    if job == ("exit", 70):
        os._exit(3)
    return job[1], os.getpid()


def lost(job, reason):
    """The substitute result of a job whose process ended."""
    return job[1], reason
