"""Replays pages of WARC and WACZ files with pywb; an interpreter runs it that has pywb.

`python replay_with_pywb.py CAPTURE... -- FILE...` writes a JSON object: capture -> [status, body in latin-1]. A capture
is a URL, or a time and a URL. The stored body is asked for, or what browsers get if "mp_" ends the time.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def main() -> None:
    """Make a collection of the files, and ask for each URL."""
    arguments = sys.argv[1:]
    captures = arguments[: arguments.index("--")]
    files = [str(Path(name).resolve()) for name in arguments[arguments.index("--") + 1 :]]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        manager = [sys.executable, "-c", "from pywb.manager.manager import main; main()"]
        subprocess.run([*manager, "init", "c"], check=True, capture_output=True)
        subprocess.run([*manager, "add", "--unpack-wacz", "c", *files], check=True, capture_output=True)
        sys.stdout.write(json.dumps(replay(captures)) + "\n")


def replay(captures: list[str]) -> dict[str, list[object]]:
    """pywb's response for each capture."""
    from pywb.apps.frontendapp import FrontEndApp  # only this interpreter has it
    from werkzeug.test import Client  # as above

    client = Client(FrontEndApp(config_file=None))
    answers = {}
    for capture in captures:
        time, _, page = capture.rpartition(" ")
        response = client.get(f"/c/{time if time.endswith('_') else f'{time or 2027}id_'}/{page}")
        answers[capture] = [response.status_code, response.get_data().decode("latin-1")]
    return answers


if __name__ == "__main__":
    main()
