"""Writes the files that the options of the commands make: the man page, and the JSON schema of the settings.

python docs/make_files.py
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))  # the package of this checkout

from linkfix.cli.published import FILES  # noqa: E402 - it is found now

for name, make in FILES.items():
    (HERE / name).write_text(make(), "utf-8")
