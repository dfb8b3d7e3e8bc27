"""The fields of message headers whose values are URLs: one table. No other module lists them.

A row is (element, attribute, syntax, role, guard, section, namespace): see `linkfix.model.Row`. The element is the
field's name in lower case. The namespace names the protocols that register or define the field ("mail" is mail, netnews
and MIME). The section is the section of the field's specification: see IANA's registries "message-headers" and
"http-fields". A role is one of the vocabulary's roles, or

    location    the URL of the message itself; it is resolved against the base of the entity around the message

Fields with values that only look like URLs have no row: Content-ID, Message-ID and List-ID are identifiers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from linkfix.encodings.encoding import Encoding
from linkfix.kernels.record import Record
from linkfix.lazy import lazy_pattern
from linkfix.model import Row

_MAIL, _HTTP, _BOTH = "mail", "http", "mail http"


def _rows(table: str) -> dict[str, Row]:
    """The field's name -> its row, from lines of `field | syntax | role | protocols | section`."""
    cells = ([cell.strip() for cell in line.split("|")] for line in table.strip().splitlines())
    return {name: Row(name, "", syntax, role, "", section, where) for name, syntax, role, where, section in cells}


HEADER_FIELDS: dict[str, Row] = _rows(
    f"""
    archived-at               | header-urls         | hyperlink | {_MAIL} | RFC 5064 §2.1
    base                      | header-absolute-url | location  | {_MAIL} | RFC 1808 §3.1
    content-base              | header-absolute-url | location  | {_BOTH} | RFC 2110 §4.2
    content-location          | header-url          | location  | {_BOTH} | RFC 2557 §4.2, RFC 9110 §8.7
    link                      | header-links        | resource  | {_HTTP} | RFC 8288 §3
    list-archive              | header-urls         | hyperlink | {_MAIL} | RFC 2369 §3.6
    list-help                 | header-urls         | hyperlink | {_MAIL} | RFC 2369 §3.1
    list-owner                | header-urls         | hyperlink | {_MAIL} | RFC 2369 §3.5
    list-post                 | header-urls         | hyperlink | {_MAIL} | RFC 2369 §3.4
    list-subscribe            | header-urls         | hyperlink | {_MAIL} | RFC 2369 §3.3
    list-unsubscribe          | header-urls         | hyperlink | {_MAIL} | RFC 2369 §3.2
    location                  | header-url          | hyperlink | {_HTTP} | RFC 9110 §10.2.2
    snapshot-content-location | header-absolute-url | location  | {_MAIL} | Chromium
    uri                       | header-urls         | resource  | {_HTTP} | RFC 2068 §19.6.2.5
    """
)
"""The field's name, in lower case -> its row."""
#: The fields that set the base of a message's contents: see `linkfix.document.header_lines`.
BASE_FIELDS = ("content-base", "content-location", "base")

#: The encoding of a value that is not UTF-8 (RFC 6532 §3.1): Chromium reads such lines as Latin-1.
FALLBACK_ENCODING = Encoding("windows-1252", "default", "not UTF-8")

_HEADER_END = lazy_pattern(rb"^\r?\n", re.MULTILINE)


def field_pattern(names: Iterable[str]) -> re.Pattern[bytes]:
    """A pattern for a field with one of these names, and its folded lines (RFC 5322 §2.2.3).

    Group 1 is the field's name, group 2 its raw value.
    """
    alternatives = "|".join(map(re.escape, sorted(names))).encode("ascii")
    return re.compile(rb"^(" + alternatives + rb")[ \t]*+:([^\n]*+(?:\n[ \t][^\n]*+)*+)", re.IGNORECASE | re.MULTILINE)


_URL_FIELD = field_pattern(HEADER_FIELDS)


def header_records(data: bytes, start: int) -> Iterator[Record]:
    """The values with URLs in a header that begins at `start`. The header ends at an empty line or with the data."""
    header = data[start:]
    end = _HEADER_END.search(header)
    for match in _URL_FIELD.finditer(header, 0, end.start() if end else len(header)):
        row = HEADER_FIELDS[match[1].lower().decode("ascii")]
        value_end = match.end() - match[2].endswith(b"\r")
        yield Record(row, start + match.start(2), start + value_end, start + match.start(), 0, text=True)
