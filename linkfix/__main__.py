"""`python -m linkfix`, and the command `linkfix`."""

from __future__ import annotations

import contextlib
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line, and end the process."""
    try:
        from linkfix.cli import main as run  # Ctrl-C is handled from here on

        run()
    except KeyboardInterrupt:  # while modules are imported: `run` handles it from then on
        with contextlib.suppress(OSError, AttributeError):  # the latter: it is closed
            sys.stderr.write("linkfix: interrupted\n")
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
