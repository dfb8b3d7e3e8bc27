"""WARC files of exchanges, for tests of unpacking."""

from __future__ import annotations

import hashlib
from itertools import count

#: Numbers for record IDs.
_NUMBERS = count()


def exchange(
    url: str,
    body: bytes = b"",
    media_type: str = "text/html",
    *,
    time: str = "2024-01-01T00:00:00Z",
    status: int = 200,
    method: str = "GET",
    revisit_of: bytes | None = None,
    refers_to: str = "",
    kind: str = "response",
    **fields: str,
) -> bytes:
    """The records of a response and of its request. `revisit_of`: the body that the response has in another record."""
    number = next(_NUMBERS)
    payload = body if revisit_of is None else revisit_of
    http = b"HTTP/1.1 %d X\r\nContent-Type: %s\r\n" % (status, media_type.encode())
    http += b"".join(b"%s: %s\r\n" % (name.replace("_", "-").encode(), text.encode()) for name, text in fields.items())
    response = {
        "WARC-Type": kind if revisit_of is None else "revisit",
        "WARC-Record-ID": f"<urn:uuid:{number}>",
        "WARC-Target-URI": url,
        "WARC-Date": time,
        "WARC-Payload-Digest": f"sha1:{hashlib.sha1(payload, usedforsecurity=False).hexdigest()}",
        "Content-Type": "application/http; msgtype=response",
    }
    if refers_to:
        response["WARC-Refers-To-Target-URI"] = refers_to
        del response["WARC-Payload-Digest"]
    request = {
        "WARC-Type": "request",
        "WARC-Record-ID": f"<urn:uuid:{number}-request>",
        "WARC-Target-URI": url,
        "WARC-Concurrent-To": response["WARC-Record-ID"],
        "Content-Type": "application/http; msgtype=request",
    }
    return _record(response, http + b"\r\n" + body) + _record(request, f"{method} / HTTP/1.1\r\n\r\n".encode())


def _record(fields: dict[str, str], block: bytes) -> bytes:
    header = "".join(f"{name}: {text}\r\n" for name, text in fields.items())
    return b"WARC/1.0\r\n%sContent-Length: %d\r\n\r\n%s\r\n\r\n" % (header.encode(), len(block), block)
