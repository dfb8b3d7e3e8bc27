"""Passes over CSS in bulk, to where a reference may begin. Compiled, the body in `css_skip.pxd` takes the place of the
regular expression.
"""

from __future__ import annotations

import re

try:
    import cython
except ImportError:
    from linkfix.html import plain as cython

__all__ = ["skip"]

_SPACE = r"[\t\n\f\r ]"
_STRING = rf"(?:[^%s\\\n\f\r]++|\\(?:[0-9A-Fa-f]{{1,6}}(?:\r\n|{_SPACE})?|\r\n|[^0-9A-Fa-f]|\Z))"

_SKIP = re.compile(
    rf"""
    (?:
        [^"'\\/(@]++
      | "{_STRING % '"'}*+"?
      | '{_STRING % "'"}*+'?
      | /(?:\*(?:[^*]++|\*(?!/))*+(?:\*/)?)?
      | @(?!(?i:import|namespace))
      | \((?<!(?i:url|src|set)\()
    )*+
    """,
    re.VERBOSE,
)


def skip(text: str, position: int) -> int:
    """The first place from `position` on that a scanner of references must look at, or the end.

    That is a backslash outside of strings, an at-rule that has a reference, or the parenthesis of a function whose name
    ends as one does that has one. Strings and comments are passed over whole (CSS Syntax Level 3 §4.3).
    """
    if cython.compiled:
        return c_skip(text, position)  # type: ignore[name-defined,no-any-return]  # noqa: F821 - in css_skip.pxd
    match = _SKIP.match(text, position)
    return match.end() if match else position
