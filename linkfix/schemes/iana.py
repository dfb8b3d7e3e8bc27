"""Reads IANA's registry of URI schemes from a CSV file, and updates the package's data from it.

python -m linkfix.schemes.iana uri-schemes-1.csv --date 2024-04 --output linkfix/schemes/uri-schemes.tsv
"""

from __future__ import annotations

from linkfix.registration.iana import load, main

__all__ = ["load", "main"]

if __name__ == "__main__":
    main()
