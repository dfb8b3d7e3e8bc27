"""What the texts say of single schemes: the only place where a resolver's module learns a scheme's name."""

from __future__ import annotations

__all__ = ["DEFAULT_PORTS", "GENERIC_SYNTAX", "NEVER_RELATIVE", "NO_RELATIVE_FORM", "QUERY_IN_DOCUMENT_ENCODING"]

#: Fielding 1994: schemes that "cannot be used in relative form".
NO_RELATIVE_FORM = frozenset({"gopher", "mailto", "news", "telnet", "wais"})

#: RFC 1808 §2.3: schemes that "are never used with relative URLs".
NEVER_RELATIVE = frozenset({"mailto", "news", "telnet"})

#: RFC 1808 §2.3: schemes that "can always be parsed using the generic-RL syntax", and https (RFC 2818 §2.4): those
#: "known to always use the <hier_part> syntax" of RFC 2396 §5.2 step 3.
GENERIC_SYNTAX = frozenset({"file", "ftp", "http", "https", "nntp"})

#: RFC 1738 §3, RFC 2818 §2.3.
DEFAULT_PORTS = {
    "ftp": "21",
    "gopher": "70",
    "http": "80",
    "https": "443",
    "nntp": "119",
    "prospero": "1525",
    "telnet": "23",
    "wais": "210",
}

#: URL standard, query state: the special schemes without ws and wss.
QUERY_IN_DOCUMENT_ENCODING = frozenset({"file", "ftp", "http", "https"})
