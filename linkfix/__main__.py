"""`python -m linkfix`: the same as the command `linkfix`."""

from __future__ import annotations

from linkfix.cli import main

if __name__ == "__main__":
    main()
