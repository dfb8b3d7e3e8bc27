"""Sources and targets of rules with parameters: path-to-regexp, `$1`, and globs, as expressions and templates."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from linkfix.auditing.hosts.expressions import Expression, expression, without_captures
from linkfix.auditing.hosts.rules import HostRule, Template
from linkfix.lazy import lazy_pattern

#: A part of a source in path-to-regexp: an escaped character, a parameter, perhaps with an expression, or a character.
_PART = lazy_pattern(
    r"\\(?P<escaped>.)|(?P<parameter>:(?P<name>\w+)(?:\((?P<own>(?:[^()\\]|\\.|\([^()]*\))+)\))?"
    r"|\((?P<unnamed>(?:[^()\\]|\\.|\([^()]*\))+)\))(?P<repeat>[?*+]?)|(?P<plain>[^\\:(){}])"
)

_PARENTHESES = lazy_pattern(r"\\.|\[(?:\\.|[^\]\\])*\]|[()]")

_SEGMENT = "[^/]+"


def fault_of_source(text: str) -> str:
    """Why path-to-regexp rejects a source, as a clause; "" if it may accept it. Other brackets are plain characters."""
    depth = 0
    for found in _PARENTHESES.finditer(text):
        depth = max(0, depth + (found[0] == "(") - (found[0] == ")"))
    return "a ( has no )" if depth else ""


class RuleSource(NamedTuple):
    """A source that was translated."""

    path: str = ""
    """The path, if it has no parameters."""
    expression: Expression | None = None
    prefix: str = ""
    """The beginning of all paths that it matches; it counts if there is neither a path nor an expression."""


def parametric(text: str, *, strict: bool, ignore_case: bool = False) -> RuleSource:
    r"""A source in the syntax of path-to-regexp: `/blog/:year(\\d+)/:slug*`. `strict`: a slash at the end counts."""
    pieces: list[str] = []
    literal: list[str] = []
    position = 0
    has_parameters = False
    while position < len(text):
        part = _PART.match(text, position)
        if part is None:
            return RuleSource(prefix=_prefix(text))
        position = part.end()
        if part["parameter"] is None:
            literal.append(part["escaped"] or part["plain"])
            continue
        has_parameters = True
        before = literal.pop() if literal and literal[-1] in "./" else ""
        pieces.append(re.escape("".join(literal)))
        literal.clear()
        own = part["own"] or part["unnamed"]
        name = part["name"] or ""
        if name.isdecimal():
            return RuleSource(prefix=_prefix(text))
        if part["repeat"] in {"*", "+"} and (own or not before):
            return RuleSource(prefix=_prefix(text))
        inner = own or (_SEGMENT if part["repeat"] in {"", "?"} else ".*[^/]")
        named = f"?P<{name}>" if name else ""
        group = f"{re.escape(before)}({named}{without_captures(inner)})"
        pieces.append(f"(?:{group})?" if part["repeat"] in {"?", "*"} else group)
    if not has_parameters and not ignore_case:
        return RuleSource("".join(literal))
    pieces.append(re.escape("".join(literal)).removesuffix("" if strict else "/"))
    found = expression("^" + "".join(pieces) + ("" if strict else "/?") + "$", ignore_case=ignore_case)
    return RuleSource(expression=found, prefix="" if found else _prefix(text))


_PLAIN = lazy_pattern(r"[A-Za-z0-9/_.~-]*(?=/|\Z)")


def _prefix(text: str) -> str:
    """The folders of a source before its first parameter or other sign."""
    return _PLAIN.match(text)[0]  # type: ignore[index]  # it matches any text


_NAME = lazy_pattern(r":(\w+)[*+?]?|\$(\w+)", re.ASCII)

_ORIGIN = lazy_pattern("[a-z]+://[^/]*", re.IGNORECASE)


def template(target: str, *, has_colons: bool = True) -> Template:
    """A target with the names and numbers of groups: `$1`, `$name`, and `:name` if `has_colons`."""
    origin = _ORIGIN.match(target)
    end = origin.end() if origin else 0
    parts: list[str | tuple[str | int]] = [target[:end]]
    for found in _NAME.finditer(target, end):
        name = found[2] or (found[1] if has_colons else "")
        if name:
            parts += [target[end : found.start()], (int(name) if name.isdecimal() else name,)]
            end = found.end()
    return tuple(part for part in (*parts, target[end:]) if part != "")


def has_groups(target: Template) -> bool:
    """Whether a target depends on the path."""
    return any(not isinstance(part, str) for part in target)


#: A part of a glob as minimatch reads it.
_GLOB = lazy_pattern(
    r"(?P<folders>(?<=/)\*\*/)|(?P<rest>(?<=/)\*\*\Z)|(?P<segment>(?<=/)\*(?=/|\Z))|(?P<stars>\*+)(?!\()|(?P<any>\?(?!\())"
    r"|(?P<open>[@?!]\()|(?P<set>\[[!^]?\]?[^\]/\\]*\])"
    r"|(?P<plain>[A-Za-z0-9/_.~%=&$:;#'<>\"^ -]|\\(?P<escaped>.))|(?P<sign>[|,)}@!+])(?!\()"
)

#: The expressions for parts of a glob.
_PIECES = {"folders": "(?:.*/)?", "rest": ".*", "segment": "[^/]+", "stars": "[^/]*", "any": "[^/]"}

#: The beginning of a group of alternatives -> the signs that separate and end it, and its expression.
_GROUPS = {
    "@(": ("|", ")", "(?:", ")"),
    "?(": ("|", ")", "(?:", ")?"),
    "!(": ("|", ")", "(?!(?:", ")(?:/|$))[^/]*"),
}

#: The innermost alternatives in braces.
_BRACES = lazy_pattern(r"(?<!\\)\{([^{}\\]*,[^{}\\]*)\}")

#: The largest number of globs that alternatives in braces stand for, and the length of a glob that is expanded.
_MOST_GLOBS = 32

_LONGEST = 1000

#: A glob without wildcards.
_IS_PLAIN = lazy_pattern(r"[A-Za-z0-9/_.~%=&$:;#'<>\"^ -]*(?<!/)")


def _expanded(text: str) -> list[str]:
    """The globs that alternatives in braces stand for, as minimatch expands them; empty for too many."""
    plain: list[str] = []
    found = [text] if len(text) <= _LONGEST else []
    while found:
        if len(found) + len(plain) > _MOST_GLOBS:
            return []
        one = found.pop()
        braces = _BRACES.search(one)
        if braces is None:
            plain.append(one)
        else:
            found += [one[: braces.start()] + part + one[braces.end() :] for part in reversed(braces[1].split(","))]
    return plain


def glob(text: str, *, has_dots: bool = False) -> RuleSource:
    """A source in the syntax of minimatch. A slash at the end of a path makes no difference if the source has none.

    `has_dots`: whether wildcards match names that begin with a dot.
    """
    if _IS_PLAIN.fullmatch(text):
        return RuleSource(path=text)
    globs = [_glob_pieces(one, has_dots=has_dots) for one in _expanded(text)]
    known = [one for one in globs if one is not None]
    if not known or len(known) < len(globs):
        return RuleSource(prefix=_prefix(text))
    found = expression(f"^(?:{'|'.join(known)})$" if len(known) > 1 else f"^{known[0]}$")
    return RuleSource(expression=found, prefix="" if found else _prefix(text))


def negated(source: RuleSource) -> RuleSource:
    """A source for all paths that another, from a glob, does not match; for any path if that one is not known."""
    inner = source.expression.pattern.pattern if source.expression else f"^{re.escape(source.path)}/?$"
    is_known = source.expression is not None or source.path != ""
    found = expression(f"^(?!{inner}).*$") if is_known else None
    return RuleSource(expression=found, prefix="" if found else "/")


def _glob_pieces(text: str, *, has_dots: bool) -> str | None:
    """The expression for a glob without braces; None if it is not understood. `has_dots`: as in `glob`."""
    pieces: list[str] = []
    groups: list[tuple[str, str, str, str]] = []
    position = 0
    while position < len(text):
        part = _GLOB.match(text, position)
        if part is None:
            return None
        kind, sign, position = str(part.lastgroup), part[0], part.end()
        if kind == "open":
            groups.append(_GROUPS[sign])
            pieces.append(groups[-1][2])
        elif groups and sign == groups[-1][0]:
            pieces.append("|")
        elif groups and sign == groups[-1][1]:
            pieces.append(groups.pop()[3])
        elif kind == "set":
            pieces.append(sign.replace("[!", "[^", 1))
        else:
            pieces.append(_PIECES.get(kind) or re.escape(part["escaped"] or sign))
    if groups:
        return None
    hidden = "" if has_dots or "/." in text else "(?!.*/[.])"
    end = "" if text.endswith("/") else "/?"
    return f"{hidden}{''.join(pieces)}{end}"


def with_source(rule: HostRule, source: RuleSource) -> HostRule:
    """A rule with its source."""
    return replace(rule, source=source.path, expression=source.expression, prefix=source.prefix)
