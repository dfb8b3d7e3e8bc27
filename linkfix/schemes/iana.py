"""The public name of `linkfix.registration.iana`: `python -m linkfix.schemes.iana`."""

from __future__ import annotations

from linkfix.registration.iana import load, main

__all__ = ["load", "main"]

if __name__ == "__main__":
    main()
