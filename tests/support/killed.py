"""Runs the command line, and kills this process at a step of its work with files: `killed.py STEP ARGUMENT...`.

The steps are the calls by which a file is written, made durable or replaced, counted from 1. A step that writes has
written half of its bytes.
"""

from __future__ import annotations

import os
import signal
import sys


def main():
    last = int(sys.argv[1])
    sys.argv = ["linkfix", *sys.argv[2:]]
    count = 0

    def stepping(name):
        real = getattr(os, name)

        def step(*arguments, **fields):
            nonlocal count
            count += 1
            if count == last:
                if name == "write":
                    real(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*arguments, **fields)

        setattr(os, name, step)

    # Before the calls are counted: imported modules test which of them the system has.
    import linkfix.cli.absolutize
    import linkfix.cli.undo

    for name in ("write", "fsync", "fdatasync", "replace", "utime", "unlink"):
        stepping(name)
    linkfix.cli.main()


if __name__ == "__main__":
    main()
