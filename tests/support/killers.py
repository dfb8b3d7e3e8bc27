"""A converter that a file kills: here, since a process can import nothing from a test file."""

from __future__ import annotations

import os
import signal

from linkfix.runs.journaled import JournaledConverter


class KillingConverter(JournaledConverter):
    """Is killed by the file `deadly.html`."""

    def __reduce__(self):
        return KillingConverter, super().__reduce__()[1]

    def __call__(self, job):
        if job.entry.name.endswith("deadly.html"):
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(job)
