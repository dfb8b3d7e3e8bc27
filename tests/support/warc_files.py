"""Records of WARC files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from support.extras import needed

__all__ = ["check", "warc_record"]


def warc_record(url: str, body: bytes, **fields: str) -> bytes:
    """A response record of an HTML document."""
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
    lines = {"WARC-Type": "response", "WARC-Target-URI": url, "WARC-Date": "2026-01-02T03:04:05Z", **fields}
    header = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    head = f"WARC/1.1\r\n{header}Content-Type: application/http\r\nContent-Length: {len(http)}\r\n\r\n"
    return head.encode() + http + b"\r\n\r\n"


def check(data: bytes, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """The result of `warcio check` on a WARC file."""
    needed("warcio")
    path = tmp_path / "made.warc"
    path.write_bytes(data)
    command = [sys.executable, "-m", "warcio.cli", "check", "-v", str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False)
