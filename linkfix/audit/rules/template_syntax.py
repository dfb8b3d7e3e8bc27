"""A template's placeholder was not filled in.

`{{ … }}`, `{% … %}`, `<% … %>`, `${ … }` and `<?` stand in no URL; a generator or server should have put something in
their place.

Fails::

    <a href="{{ page.url }}">not filled in</a>

Fails::

    <a href="https://elsewhere.example/{{ page.id }}">not filled in</a>

Passes::

    <a href="other.html">filled in</a>
"""

from __future__ import annotations

from linkfix.audit.model import Level
from linkfix.audit.references import is_placeholder, special_scheme
from linkfix.audit.rule import Issue, Seen

__all__ = ["CODE", "LEVEL", "check_link"]

CODE = "LF310"
LEVEL = Level.WARNING


def check_link(seen: Seen) -> Issue | None:
    """Report a placeholder in a reference of which it is a part, not the code or data of another scheme."""
    if seen.link.problem == "template-syntax" or (is_placeholder(seen.link) and special_scheme(seen.link)):
        return Issue("a template's placeholder was not filled in")
    return None
