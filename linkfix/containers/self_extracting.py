"""SingleFile's self-extracting page (.html): HTML with a zip archive in it, which a script in the page unpacks.

The archive has the members of SingleFile's zip file: see `linkfix.containers.htz`. The page states offsets of bytes of
the archive, in a form that only the script knows (`<sfz-extra-data>`), so that the file is read and not written. The
end of the HTML follows the archive, and is not its comment.
"""

from __future__ import annotations

import shutil
from functools import partial
from typing import BinaryIO

from linkfix.containers import zipped
from linkfix.containers.htz import describer
from linkfix.containers.part import (
    Change,
    LeaveAlone,
    Limits,
    Note,
    PartsFunction,
    container_problem,
    ignore_count,
)
from linkfix.model import Envelope

parts: PartsFunction = partial(zipped.parts, describer=describer, has_more=True)


def rewrite(
    source: BinaryIO,
    out: BinaryIO,
    envelope: Envelope,
    change: Change,
    note: Note,
    limits: Limits,
    *,
    leave_alone: LeaveAlone = ignore_count,
) -> None:
    """Copy a page. A problem says how many of its parts would change; see `Container.rewrite`."""
    made = ((part.data, change(part)) for part in parts(source, envelope, note, limits))
    results = [(new is not None, new not in {None, old}) for old, new in made]
    if count := sum(differs for _, differs in results):
        note(container_problem("self-extracting", 0, f"{count:,} of its parts would change"))
    leave_alone(sum(is_made for is_made, _ in results))
    source.seek(0)
    shutil.copyfileobj(source, out)
