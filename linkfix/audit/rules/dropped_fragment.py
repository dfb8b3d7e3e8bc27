"""The page sends its readers on and drops the name after "#".

The page that it leads to has the name, but a refresh goes to its URL as that is written: readers land at the top.
Link to where it leads.

Fails::

    <a href="gone-on.html#chapter">a refresh alone</a>

Passes::

    <a href="moved.html#chapter">its script carries the fragment on</a> <a href="gone-on.html">no fragment</a>
"""

from __future__ import annotations

from linkfix.audit.model import Hint, Level
from linkfix.audit.near import reference_to
from linkfix.audit.rule import FragmentFate, Issue, LostFragment

__all__ = ["CODE", "LEVEL", "check_fragment"]

CODE = "LF103"
LEVEL = Level.WARNING


def check_fragment(lost: LostFragment) -> Issue | None:
    """Report a fragment that a redirect page drops."""
    if lost.fate is not FragmentFate.DROPPED:
        return None
    hint = Hint(f"{lost.onto} has it", reference_to(lost.seen, lost.onto))
    return Issue(f"{lost.name} sends readers on without the name after #", hint, cause=f"{lost.name}#{lost.fragment}")
