"""The pages of VitePress, by `.vitepress/config.*`: the sources that it leaves out, and those with another URL."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from posixpath import normpath

from linkfix.auditing.generators.formats import Value
from linkfix.auditing.hosts.expressions import expression
from linkfix.files.patterns import name_expression
from linkfix.lazy import lazy_pattern

#: A pattern of a file name without alternatives and extended forms, which patterns here do not have.
_PLAIN = lazy_pattern(r"[^!{}()|\\]+")

#: The parts of a rule for paths (path-to-regexp): the name of a parameter, any text, text that stands for itself.
_PART = lazy_pattern(r":(?P<name>\w+)(?P<repeated>[*+]|\(\.[*+]\))?|(?P<any>\(\.\*\))|(?P<text>[\w./@~ -]+)")

#: Two parameters between two slashes: the text between them decides what each may be.
_TWO_PARAMETERS = lazy_pattern(r":\w+[^/]*:\w+")

#: The largest number of rules: each source is compared with them.
_MOST = 500

#: The length of a name, in characters, for which the time of a rule has to be bounded.
_LONGEST = 1000


def excluded_sources(values: Mapping[str, Value]) -> str:
    """An expression for the sources that `srcExclude` leaves out, from their folder; "" if none is certain."""
    listed = (value for key, value in values.items() if re.fullmatch(r"srcExclude/\d+", key))
    found = [normpath(one) for one in listed if isinstance(one, str) and _PLAIN.fullmatch(one)]
    return rf"(?=.*\.md\Z)(?:{'|'.join(map(name_expression, found))})(?:/.*)?" if found else ""


def rewritten_sources(values: Mapping[str, Value]) -> tuple[tuple[str, str], ...] | None:
    """The rules of `rewrites`, as in `Profile.rewrites`; None if they are not known."""
    rules = {key.partition("/")[2]: value for key, value in values.items() if key.startswith("rewrites/")}
    if not rules:
        return () if "rewrites" not in values else None
    rows = [_row(source, page) for source, page in rules.items()]
    found = tuple(row for row in rows if row is not None)
    return found if len(found) == len(rows) <= _MOST else None


def _row(source: str, page: Value) -> tuple[str, str] | None:
    """A rule as a pattern, which ignores case as VitePress does (`resolveRewrites`), and a template."""
    if not isinstance(page, str) or _TWO_PARAMETERS.search(source):
        return None
    names: list[str] = []
    pattern = "".join(_pattern(source, names))
    bounded = expression(f"^{pattern}$")
    if bounded is None or not bounded.is_quick(_LONGEST):
        return None
    groups = [(name, f"\\g<{number}>") for number, name in enumerate(names, 1)]
    named, unnamed = dict(groups), (group for name, group in groups if not name)
    parts = [
        next(unnamed, None) if match["any"] else named.get(match["name"]) if match["name"] else match["text"]
        for match in _PART.finditer(page)
    ]
    is_read = all("".join(match[0] for match in _PART.finditer(one)) == one for one in (source, page))
    known = [part for part in parts if part is not None]
    return (f"(?i:{pattern})", "".join(known)) if is_read and len(known) == len(parts) else None


def _pattern(source: str, names: list[str]) -> Iterator[str]:
    """Yield the parts of the pattern of a rule, and add the name of each parameter; "" for one without a name."""
    for match in _PART.finditer(source):
        if match["text"]:
            yield re.escape(match["text"])
        else:
            names.append(match["name"] or "")
            yield "([^/]+?)" if match["name"] and not match["repeated"] else "(.*)"
