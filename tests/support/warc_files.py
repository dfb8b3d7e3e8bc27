"""Records of WARC files."""

from __future__ import annotations

__all__ = ["warc_record"]


def warc_record(url: str, body: bytes, **fields: str) -> bytes:
    """A response record of an HTML document."""
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
    lines = {"WARC-Type": "response", "WARC-Target-URI": url, "WARC-Date": "2026-01-02T03:04:05Z", **fields}
    header = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    head = f"WARC/1.1\r\n{header}Content-Type: application/http\r\nContent-Length: {len(http)}\r\n\r\n"
    return head.encode() + http + b"\r\n\r\n"
