"""Replays pages of WARC and WACZ files with pywb; an interpreter runs it that has pywb.

`python replay_with_pywb.py CAPTURE... -- FILE...` writes a JSON object: capture -> [status, body in latin-1]. A capture
is a URL, or a time and a URL. The stored body is asked for, or what browsers get if "mp_" ends the time.

`python replay_with_pywb.py serve -- FILE...` serves the files at a URL that it writes, until its input ends.
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
        if captures == ["serve"]:
            serve()
        else:
            sys.stdout.write(json.dumps(replay(captures)) + "\n")


def serve() -> None:
    """Serve the collection until standard input ends, by pywb's own server."""
    from gevent import monkey  # only this interpreter has it, as all below

    monkey.patch_all()
    from gevent.fileobject import FileObjectThread
    from gevent.pywsgi import WSGIServer
    from pywb.apps.frontendapp import FrontEndApp

    server = WSGIServer(("127.0.0.1", 0), FrontEndApp(config_file=None), log=None)
    server.start()
    sys.stdout.write(f"http://127.0.0.1:{server.server_port}\n")
    sys.stdout.flush()
    FileObjectThread(sys.stdin.buffer).read()
    server.stop()


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
