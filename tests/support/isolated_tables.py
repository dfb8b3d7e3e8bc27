"""Tables that some documents kill or hang: here, since a process can import nothing from a test file."""

from __future__ import annotations

import os
import signal

from linkfix.spark.tables import Table


class DeadlyTable(Table):
    """Is killed by the document `kill`, and does not end at the document `hang`."""

    def __call__(self, documents):
        html = self.column("html")
        for batch in documents:
            for document in batch.column(html).to_pylist():
                if document == b"kill":
                    os.kill(os.getpid(), signal.SIGKILL)
                while document == b"hang":
                    pass
            yield from super().__call__([batch])
