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
    except KeyboardInterrupt:  # during the import; `run` handles later ones
        with contextlib.suppress(OSError, AttributeError):  # AttributeError: standard error is closed
            sys.stderr.write("linkfix: interrupted\n")
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
