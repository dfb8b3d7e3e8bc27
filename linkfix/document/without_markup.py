"""The records of documents without markup: style sheets, scripts, plain text, headers of messages."""

from __future__ import annotations

from linkfix.html.vocabulary import SOURCE_MAPS, WHOLE
from linkfix.kernels.record import Record
from linkfix.model import DocumentKind


def records_without_markup(kind: DocumentKind, data: bytes, start: int) -> list[Record]:
    """The record of the whole document and the record of the comment that names its source map; or the fields of a
    header.

    `start`: the offset of the text in `data`, after a byte order mark.
    """
    if kind == "header":
        from linkfix.html.header_fields import header_records  # few documents are headers

        return list(header_records(data, start))
    end = len(data)
    records = [Record(WHOLE[kind], start, end, start, 0, text=True)]
    if kind in SOURCE_MAPS and b"sourceMappingURL" in data:
        from linkfix.html.syntaxes.text import comment_start  # few documents have one

        comment = comment_start(data)
        if comment >= start:
            records.append(Record(SOURCE_MAPS[kind], comment, end, comment, 0, text=True))
    return records
