"""Work for `linkfix.processes`: here, since a process can import nothing from a test file."""

from __future__ import annotations

import contextlib
import os
import signal
import time


def do(job):
    if job == "pid":
        return os.getpid()
    if job == "raise":
        raise ZeroDivisionError
    if job == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if job == "exit":
        os._exit(7)
    if job == "half":  # of an answer
        for number in range(3, 20):  # one of them is for answers
            with contextlib.suppress(OSError):
                os.write(number, b"\x80\x05")
        os._exit(0)
    while job == "hang":
        pass
    if job == "half a second":
        time.sleep(0.5)
        return "slept"
    if job == "print":
        print("said by the child", flush=True)  # noqa: T201 - it is what is tested
        return "printed"
    return job
