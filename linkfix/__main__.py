"""The process of the command `linkfix`, and of `python -m linkfix`: how it starts, and how it ends.

A run makes much that stays to its end. Looking for garbage among it costs a tenth of a short run, and giving it back
object by object as much again of every run.

Internal: it can change in any release.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import sys
import threading
from typing import NoReturn

from linkfix.lazy import lazy_module

__all__ = ["main"]


def main() -> NoReturn:
    """Run the command line, and end the process."""
    try:
        _run()
    except KeyboardInterrupt:  # while modules are imported: `run` handles it from then on
        with contextlib.suppress(OSError, AttributeError):  # the latter: it is closed
            sys.stderr.write("linkfix: interrupted\n")
        _leave(130)
        raise SystemExit(130) from None
    except SystemExit as end:
        if isinstance(end.code, int):
            _leave(end.code)
        raise


def _run() -> NoReturn:
    gc.disable()
    lazy_module("inspect", cleandoc=_cleandoc)  # click imports it, a twentieth of a short run, for help texts alone
    from linkfix.cli import main as run  # noqa: PLC0415 - after what keeps its import quick

    gc.freeze()
    gc.enable()
    run()


def _cleandoc(text: str) -> str | None:
    """`inspect.cleandoc` of one line, which the help of an option is; None for more."""
    return text.lstrip() if text.isprintable() else None


def _leave(code: int) -> None:
    """End the process without giving its memory back piece by piece; return where that would lose anything."""
    if threading.active_count() > 1 or sys.getprofile() is not None or sys.gettrace() is not None:
        return
    atexit._run_exitfuncs()  # noqa: SLF001 - there is no public way to run them before `_exit`
    with contextlib.suppress(OSError, ValueError):  # the interpreter's own end says what is the matter
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    main()
