"""Data sources whose workers some documents kill or hang: where linkfix reads a document, as a fault of it would.

Whoever imports this module has the faults: workers of Spark, and their child processes, which both import it to find
these classes.
"""

from __future__ import annotations

import os
import signal
from typing import ClassVar

from linkfix.arrow import tables as arrow_tables
from linkfix.spark import archives, sources
from linkfix.spark.tables import Table

KILL, HANG, FAIL = b"<!-- poison: kill -->", b"<!-- poison: hang -->", b"<!-- poison: fail -->"


class _Document(arrow_tables.Document):
    def __init__(self, html, *arguments, **fields):
        if KILL in html:
            os.kill(os.getpid(), signal.SIGKILL)
        while HANG in html:
            pass
        if FAIL in html:
            message = "poisoned"
            raise ZeroDivisionError(message)
        super().__init__(html, *arguments, **fields)


class PoisonedTable(Table):
    """Brings this module into the processes that read documents."""


def poison():
    """Have the faults in this process, from now on."""
    arrow_tables.Document = _Document
    archives.Table = PoisonedTable


if os.environ.get("LINKFIX_TESTS_POISON"):
    poison()


class PoisonedPages(sources.PagesSource):
    table: ClassVar = "pages"
    
    @classmethod
    def name(cls):
        return "poisoned-pages"
