"""Records `types.jsonl`: the installed Chromium's results for the responses in `tests/support/browser/typed.py`.

    python tests/vectors/record_types.py [--output tests/vectors]

`tests/browser/test_types.py` tests that they still hold; record again if a new version differs.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from support.browser.typed import RESPONSES, shown  # noqa: E402 - it is found now

TITLE = (
    "# Chromium's results for responses with odd header fields: the type of the document (none if it saves a file), its"
    " encoding, and the number of its hyperlinks. A character of a body is a byte."
)
COLUMNS = "fields, body, media_type, charset, links"


def main(arguments: list[str]) -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=HERE, help="folder to write to (default: this one)")
    output: Path = parser.parse_args(arguments).output
    version, found = shown(RESPONSES)
    lines = [
        TITLE,
        f"# source: {version}, by tests/vectors/record_types.py",
        "# licence: facts",
        f"# columns: {COLUMNS}",
    ]
    lines += (
        json.dumps([response.fields, response.body.decode("latin-1"), *made])
        for response, made in zip(RESPONSES, found, strict=True)
    )
    (output / "types.jsonl").write_text("\n".join(lines) + "\n", "ascii")


if __name__ == "__main__":
    main(sys.argv[1:])
