"""The file is there, and nothing in it has the name after "#".

Browsers look for an element with that `id`, as written and then percent-decoded, and for an `a` element with that
`name` (HTML §7.4.6.3); "" and "top" are the top of the page. Where none is found, the reader lands at the top.
Ranges of lines (`#12-34`, both of which have to be there), text fragments (`#:~:text=`) and pages that send their
readers on together with the fragment are understood.

Fails::

    <a href="other.html#nowhere">nowhere</a>

Fails::

    <p id="here"></p> <a href="#Here">names are case-sensitive</a>

Fails::

    <template><p id="inside"></p></template> <a href="#inside">a template's content is not in the page</a>

Passes::

    <a href="other.html#chapter">there</a> <a href="#top">top</a> <a href="#">top</a>

Passes::

    <a href="listing.html#3-7">lines 3 to 7</a> <a href="moved.html#chapter">a redirect that carries it on</a>

Passes::

    <a href="other.html#Gru%C3%9F">percent-encoded</a> <a href="other.html#:~:text=chapter">text</a>
"""

from __future__ import annotations

from linkfix.audit.model import Hint, Level
from linkfix.audit.rule import FragmentFate, Issue, LostFragment

__all__ = ["CODE", "LEVEL", "check_fragment"]

CODE = "LF102"
LEVEL = Level.ERROR


def check_fragment(lost: LostFragment) -> Issue | None:
    """Report a fragment that nothing has."""
    if lost.fate is not FragmentFate.DEAD:
        return None
    hint = None
    if lost.near is not None:
        name, sure = lost.near
        hint = Hint(f"did you mean #{name}?", lost.with_fragment(name), certain=sure and not lost.onto)
    where = f"{lost.onto}, where {lost.name} leads," if lost.onto else "the page" if lost.own else lost.name
    return Issue(f"nothing in {where} has that name", hint, cause=f"{lost.name}#{lost.fragment}")
