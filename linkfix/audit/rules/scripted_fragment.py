"""Only a script of the page knows the name after "#".

No element has the name; a script in the page names it, or looks at the fragment and sends readers on. Without scripts
they land at the top.

Fails::

    <a href="#old">kept for old links</a>
    <script>const to = {"#old": "other.html"}[location.hash]; if (to) location = to;</script>

Passes::

    <a href="#new" id="new">there without scripts</a> <script>const names = ["#new"];</script>
"""

from __future__ import annotations

from linkfix.audit.model import Level
from linkfix.audit.rule import FragmentFate, Issue, LostFragment

__all__ = ["CODE", "LEVEL", "check_fragment"]

CODE = "LF104"
LEVEL = Level.NOTE


def check_fragment(lost: LostFragment) -> Issue | None:
    """Report a fragment that works with scripts alone."""
    if lost.fate is not FragmentFate.SCRIPTED:
        return None
    where = "the page" if lost.own else lost.name
    return Issue(f"only a script of {where} knows that name", cause=f"{lost.name}#{lost.fragment}")
