"""The skipping of CSS that has no references. Compiled modules use functions in `css_skip.pxd`, not the expression."""

from __future__ import annotations

import re

from linkfix.lazy import lazy_pattern

try:
    import cython
except ImportError:
    from linkfix.kernels import no_cython as cython


_SPACE = r"[\t\n\f\r ]"
_STRING = rf"(?:[^%s\\\n\f\r]++|\\(?:[0-9A-Fa-f]{{1,6}}(?:\r\n|{_SPACE})?|\r\n|[^0-9A-Fa-f]|\Z))"

_SKIP = lazy_pattern(
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
    """The first position from `position` on at which a reference can begin, or the end.

    That is a backslash outside strings, an at-rule that can have a reference, or a function's parenthesis. The
    function's name must end like the name of a URL function. Strings and comments are skipped (CSS Syntax Level 3
    §4.3).
    """
    if cython.compiled:
        return c_skip(text, position)  # type: ignore[name-defined,no-any-return]  # noqa: F821 - in css_skip.pxd
    match = _SKIP.match(text, position)
    return match.end() if match else position
