"""Which texts look like a host or a mail address, and not like the name of a file (RFC 2396 Appendix F)."""

from __future__ import annotations

import re

from linkfix.lazy import lazy_pattern

__all__ = ["FILE_SUFFIXES", "is_host", "is_host_and_port", "is_mail_address"]

_LABEL = lazy_pattern(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?", re.IGNORECASE)
_PORT = lazy_pattern(r"[0-9]{1,5}(?=[/?#]|\Z)")
#: HTML §4.10.5.1.5 without the characters that hardly any address has and paths do.
_MAIL = lazy_pattern(
    r"[A-Za-z0-9._+'\-]+@((?:[A-Za-z0-9](?:[A-Za-z0-9\-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63})(?:\?[^#]*)?"
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Suffixes of file names that could be taken for a top-level domain.
FILE_SUFFIXES = _words(
    """
    asp aspx avif bz2 cgi css csv gif gz htm html ico jpeg jpg js jsp json md mjs mp3 mp4 pdf php pl png ps py rb rs
    rst sh shtml svg tar tgz txt ttf webm webp woff woff2 xhtml xml xz zip
    """
)
#: Top-level domains that also end the names of modules and packages: a "/" or a third label has to confirm them.
_TOP_LEVEL = _words("biz co de dev eu fr info io jp net nl ru se uk us")
_CERTAIN_TOP_LEVEL = frozenset({"com", "edu", "gov", "org"})
#: First labels of reversed domain names: Java's packages and .NET's namespaces.
_REVERSED = frozenset({"com", "edu", "io", "java", "javax", "microsoft", "net", "org", "sun", "system"})
_TWO_LABELS, _THREE_LABELS = 2, 3


def is_host(text: str, *, is_followed: bool) -> bool:
    """Whether the first segment of a path looks like a host. `is_followed`: a slash comes after it."""
    labels = text.lower().split(".")
    if len(labels) < _TWO_LABELS or not all(map(_LABEL.fullmatch, labels)) or not FILE_SUFFIXES.isdisjoint(labels):
        return False
    if labels[0] == "www":
        return len(labels) >= _THREE_LABELS and labels[-1].isalpha()
    if labels[0] in _REVERSED:
        return False
    is_confirmed = is_followed or len(labels) >= _THREE_LABELS
    return labels[-1] in _CERTAIN_TOP_LEVEL or (labels[-1] in _TOP_LEVEL and is_confirmed)


def is_host_and_port(host: str, rest: str) -> bool:
    """Whether `host:rest` looks like a host with a port."""
    port = _PORT.match(rest)
    if port is None or not all(map(_LABEL.fullmatch, host.split("."))):
        return False
    return host == "localhost" or "." in host or (len(port[0]) > 1 and rest[port.end() :].startswith("/"))


def is_mail_address(text: str) -> bool:
    """Whether a text is a mail address, perhaps with a query, and not a file name with an "@" in it."""
    match = _MAIL.fullmatch(text)
    return match is not None and match[1].rpartition(".")[2].lower() not in FILE_SUFFIXES
