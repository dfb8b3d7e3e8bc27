"""Data sources whose workers some documents kill or hang, where linkfix begins to read one: as a fault of its own.

Whoever imports this module has the faults: the workers of Spark and their child processes, which import it to find
these classes, and the test that registers them.
"""

from __future__ import annotations

import os
import signal

from linkfix.arrow import reading
from linkfix.spark import sources, tables
from linkfix.spark.tables import Table

KILL, HANG, FAIL = b"<!-- poison: kill -->", b"<!-- poison: hang -->", b"<!-- poison: fail -->"


class PoisonedDocument(reading.Document):
    """Acts on its first bytes."""

    def __init__(self, html, *arguments, **fields):
        data = html.encode() if isinstance(html, str) else html
        if KILL in data:
            os.kill(os.getpid(), signal.SIGKILL)
        while HANG in data:
            pass
        if FAIL in data:
            message = "poisoned"
            raise ZeroDivisionError(message)
        super().__init__(html, *arguments, **fields)


class PoisonedTable(Table):
    """Brings this module into the processes that read documents."""


class PoisonedLinks(sources.LinksSource):
    """`poisoned-links`."""

    @classmethod
    def name(cls):
        return "poisoned-links"


class PoisonedPages(sources.PagesSource):
    """`poisoned-pages`."""

    @classmethod
    def name(cls):
        return "poisoned-pages"


reading.Document = PoisonedDocument
tables.Table = PoisonedTable
