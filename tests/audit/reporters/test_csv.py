from __future__ import annotations

import csv
import io

from support.reports import report
from support.samples import AUDITS

from linkfix.auditing.reporters.records import COLUMNS
from linkfix.display import unguard, visible

FORMULA = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"


def rows(audit):
    return list(csv.DictReader(io.StringIO(report("csv", audit), newline=""), strict=True))


def test_a_row_a_finding():
    text = report("csv", AUDITS["ordinary"])
    assert text.startswith(",".join(COLUMNS) + "\r\n")
    first, *rest = rows(AUDITS["ordinary"])
    assert len(rest) == 14
    assert first == {
        "path": "guide/01.html",
        "line": "3",
        "column": "12",
        "end_line": "3",
        "end_column": "27",
        "start": "312",
        "end": "327",
        "level": "error",
        "code": "LF101",
        "name": "missing-target",
        "message": "no such file in the tree",
        "element": "img",
        "attribute": "src",
        "reference": "../img/logo.png",
        "target": "https://example.com/docs/img/logo.png",
        "cause": "img/logo.png",
        "hint": "did you mean ../img/Logo.png?",
        "hint_reference": "../img/Logo.png",
        "hint_certain": "yes",
        "excerpt": '<a href="../img/logo.png">',
        "fingerprint": AUDITS["ordinary"].findings[0].fingerprint,
        "source": "",
        "source_line": "",
    }


def test_hostile_text_comes_back_and_is_no_formula():
    read = rows(AUDITS["hostile"])
    assert len(read) == len(AUDITS["hostile"].findings)
    for row, one in zip(read, AUDITS["hostile"].findings, strict=True):
        assert list(row) == list(COLUMNS)
        assert not any(cell[:1] in FORMULA for cell in row.values() if cell)
        assert unguard(row["reference"]) == visible(one.reference)
        assert row["line"] == str(one.line)
