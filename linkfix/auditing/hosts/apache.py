"""The rules of `.htaccess`, in every folder of a tree, as Apache 2.4 applies them.

Redirects of mod_alias (`Redirect`, `RedirectMatch`) count in all folders above a path, the innermost first. Rules of
mod_rewrite count only in the innermost folder that has any. They run first, but a redirect of mod_alias wins over a
rewrite that sends no redirect. Both apply before it is known whether a file exists.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from linkfix.auditing.hosts.directives import fault_of_directive, fault_of_options
from linkfix.auditing.hosts.expressions import expression, fault_of, literal_prefix
from linkfix.auditing.hosts.rules import (
    ASKED,
    FILE,
    PATH,
    PERMANENT,
    QUERY,
    Asked,
    HostRule,
    HostRules,
    Lookup,
    QueryUse,
    Read,
    RuleOutcome,
    RulePlace,
    Targets,
    Template,
    Test,
    decoded,
    file_path,
    is_absolute,
)
from linkfix.lazy import lazy_pattern

#: A word of a directive, perhaps in quotation marks, or with spaces after a backslash.
_WORD = lazy_pattern(r""""((?:[^"\\]|\\.)*+)"|'((?:[^'\\]|\\.)*+)'|((?:\\\s|\S)++)""")

#: A section and its argument.
_SECTION = lazy_pattern(r"<(/?)(\w+)\s*([^>]*)>?")

#: The words for statuses of mod_alias.
_STATUSES = {"permanent": 301, "temp": 302, "seeother": 303, "gone": 410}

_ALIASES = {
    "redirect": (302, False),
    "redirectpermanent": (301, False),
    "redirecttemp": (302, False),
    "redirectmatch": (302, True),
}

#: A variable, a group of the rule, or a group of a condition, in a substitution or in the text of a condition.
_VARIABLE = lazy_pattern(r"%\{([^{}]+)\}|\$(\d)|%(\d)|\\(.)")

#: The variables whose values a request for a link shows.
_VARIABLES: Mapping[str, Template] = {
    "REQUEST_URI": ((PATH,),),
    "REQUEST_FILENAME": ((FILE,),),
    "SCRIPT_FILENAME": ((FILE,),),
    "QUERY_STRING": ((QUERY,),),
    "THE_REQUEST": ("GET ", (ASKED,), " HTTP/1.1"),
}

#: A test of a path -> the results of a lookup with which it succeeds, and those that do not decide it.
_PATH_TESTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "-f": (("file",), ()),
    "-d": (("folder",), ()),
    "-s": (("file",), ()),  # a file that is not empty: empty ones are rare
    "-x": ((), ("file", "folder")),
    **dict.fromkeys(("-l", "-L", "-h"), (("link",), ("file", "folder"))),
}

#: Flags of rules that change which rules run next.
_JUMPS = frozenset({"c", "chain", "n", "next", "s", "skip"})

#: The least number of words of a condition or rule.
_FEWEST = 2

#: The flags that Apache 2.4 knows: those of conditions, and those of rules.
_CONDITION_FLAGS = frozenset({"nc", "nocase", "or", "ornext", "nv", "novary"})

_RULE_FLAGS = frozenset(
    {
        *("b", "bnp", "backrefnoplus", "bctls", "bne", "c", "chain", "co", "cookie", "dpi", "discardpath", "e", "env"),
        *("end", "f", "forbidden", "g", "gone", "h", "handler", "l", "last", "n", "next", "nc", "nocase", "ne"),
        *("noescape", "ns", "nosubreq", "p", "proxy", "pt", "passthrough", "qsa", "qsappend", "qsd", "qsdiscard"),
        *("qsl", "qslast", "r", "redirect", "s", "skip", "t", "type", "unsafeallow3f", "unsafeprefixstat"),
    }
)

#: A host of the site itself in a target: with "www." or without, also as a group of a condition on the host.
_SAME_HOST = lazy_pattern(r"https?://(?:www\.)?%\{(?:HTTP_HOST|SERVER_NAME)\}(?=/|%|\$|\Z)", re.IGNORECASE)

_MATCHED_HOST = lazy_pattern(r"https?://(?:www\.)?%\d(?=/|%\{|\$|\Z)", re.IGNORECASE)

_DOCUMENT_ROOT = "%{DOCUMENT_ROOT}"

_HOSTS = frozenset({"%{HTTP_HOST}", "%{SERVER_NAME}"})

#: The folder of the file, which the rules of Symfony, Laminas and TYPO3 put into a variable.
_OWN_FOLDER = lazy_pattern(r"%\{ENV:(?:BASE\}/|CWD\})")

#: The path after the name of a program in a target, for the program to read (`AcceptPathInfo`).
_PATH_INFO = lazy_pattern(r"(\.(?:php\d?|phtml|cgi|pl))/[^?]*")

#: The quotation marks around a text that a condition compares (`=""`).
_QUOTES = "\"'"

_ERROR = 400

_REDIRECT = range(300, 400)

#: The modules that are assumed to be there: the directives that count belong to them.
_MODULES = frozenset(
    name
    for module in ("alias", "autoindex", "dir", "negotiation", "rewrite", "speling")
    for name in (f"mod_{module}.c", f"{module}_module")
)

_SECTIONS = frozenset({"ifmodule", "ifdefine", "ifversion", "if", "elseif", "else", "files", "filesmatch", "limit"})


_NOTHING_ASKED = Asked()


class _Directive(NamedTuple):
    """A directive outside of sections that do not apply."""

    name: str
    words: tuple[str, ...]
    line: int
    start: int
    """The start of the line in the data, in bytes."""
    condition: str
    """The section around it whose condition the tree cannot show; "" for none."""


def _directives(data: bytes, reject: Callable[[int, str], None]) -> Iterator[_Directive]:
    """Yield the directives of a file. `reject`: is told the line and the mistake of what is not valid."""
    sections: list[tuple[str, str, int]] = []
    start, number = 0, 0
    kept, kept_start, kept_number = "", 0, 1
    for raw in data.split(b"\n"):
        line = raw.decode("utf-8", "surrogateescape").strip()
        number += 1
        if not kept:
            kept_start, kept_number = start, number
        start += len(raw) + 1
        if line.endswith("\\"):
            kept += line[:-1] + " "
            continue
        line, kept = (kept + line).strip(), ""
        if line.startswith("<"):
            section = _SECTION.match(line)
            if section is not None and section[1]:
                if not sections or sections.pop()[0].lower() != section[2].lower():
                    reject(kept_number, f"</{section[2]}> does not close the section before it")
            elif section is not None:
                _check_name(section[2], sections, kept_number, reject)
                sections.append((section[2], _effect_of_section(section[2].lower(), section[3]), kept_number))
        elif line and not line.startswith("#") and all(effect != "no" for _, effect, _ in sections):
            words = tuple(
                found[3] or re.sub(r'\\(["\\])', r"\1", found[1] or found[2] or "") for found in _WORD.finditer(line)
            )
            condition = next((effect for _, effect, _ in sections if effect), "")
            _check_name(words[0], sections, kept_number, reject)
            yield _Directive(words[0].lower(), words[1:], kept_number, kept_start, condition)
    for name, _, opened in sections:
        reject(opened, f"<{name}> is not closed")


def _check_name(name: str, sections: list[tuple[str, str, int]], line: int, reject: Callable[[int, str], None]) -> None:
    """Reject a directive or section that Apache certainly reads, and refuses."""
    fault = "" if any(effect for _, effect, _ in sections) else fault_of_directive(name)
    if fault:
        reject(line, fault)


def _effect_of_section(name: str, argument: str) -> str:
    """Empty for a section that applies; "no" for one that does not; else its name, as a condition."""
    if name == "ifmodule" and argument.strip().removeprefix("!") in _MODULES:
        return "no" if argument.startswith("!") else ""
    return f"<{name}>" if name in _SECTIONS else ""


class _ApacheFolder(NamedTuple):
    """The rules of one file."""

    root: str
    """The path of its folder, with a slash at the end, decoded."""
    redirects: HostRules
    rewrites: HostRules | None
    """None if the file says nothing about mod_rewrite."""
    fallback: HostRules


class ApacheRules(HostRules):
    """The rules of all files `.htaccess` of a tree. `prefix`: the path of the tree."""

    def __init__(self, prefix: str) -> None:
        super().__init__(is_decoded=True, repeats=True)
        self._prefix = decoded(prefix)
        self._folders: dict[str, _ApacheFolder] = {}
        self.forced = True

    def __len__(self) -> int:
        return sum(len(one.redirects) + len(one.rewrites or ()) + len(one.fallback) for one in self._folders.values())

    def outcome(self, path: str, query: str, lookup: Lookup, asked: Asked = _NOTHING_ASKED) -> RuleOutcome:
        """The decision on a percent-encoded path."""
        whole = decoded(path)
        above = self._above(whole)
        rewrites = next((one for one in above if one.rewrites is not None and one.root != f"{whole}/"), None)
        first = RuleOutcome(None)
        if rewrites is not None and rewrites.rewrites is not None and not asked.has_ended:
            first = rewrites.rewrites.outcome(path, query, lookup, asked)
            if first.effect is not None and first.effect.rewrites:
                own = file_path(whole, rewrites.root, lookup)
                if decoded(first.effect.target.partition("?")[0]) == own:  # "initial URL equal rewritten URL"
                    first = first._replace(effect=None)
            if first.effect is not None and not (first.effect.rewrites or first.effect.keeps):
                return first
        possible = first.possible
        for folder in above:
            found = folder.redirects.outcome(path, query, lookup)
            possible += found.possible
            if found.effect is not None:
                return RuleOutcome(found.effect, possible)
        if first.effect is not None and not first.effect.keeps:
            return RuleOutcome(first.effect, possible)
        for folder in above:
            found = folder.fallback.outcome(path, query, lookup)
            possible += found.possible
            if found.effect is not None:
                return RuleOutcome(found.effect, possible)
        return RuleOutcome(None, possible)

    def _above(self, path: str) -> list[_ApacheFolder]:
        """The folders with files `.htaccess` that a path is in, the innermost first."""
        found = []
        end = len(path)
        while end >= 0:
            folder = self._folders.get(path[: end + 1] if end < len(path) else f"{path}/")
            if folder is not None:
                found.append(folder)
            end = path.rfind("/", 0, end)
        return found

    def read(self, data: bytes, name: str, inner: str) -> Read:
        """Add the rules of a file. `inner`: the folder of the site that they are about, with a slash at the end."""
        root = self._prefix + inner
        folder = _ApacheFolder(
            root,
            HostRules(is_decoded=True),
            HostRules(is_decoded=True, root=root),
            HostRules(is_decoded=True),
        )
        reader = _HtaccessReader(folder, name, self)
        for directive in _directives(data, reader.reject):
            reader.read(directive, data)
        self._folders[root] = folder if reader.has_rewrites else folder._replace(rewrites=None)
        return Read(
            reader.targets,
            clean_urls=reader.has_views,
            indexes=reader.indexes,
            lists_folders=reader.lists_folders,
            ignores_case=reader.ignores_case,
            error_pages=tuple(reader.error_pages),
        )


class _HtaccessReader:
    """Reads the directives of one file."""

    def __init__(self, folder: _ApacheFolder, name: str, rules: HostRules) -> None:
        self.folder = folder
        self.rules = rules
        self.name = name
        self.targets: Targets = []
        self.has_rewrites = self.ignores_case = False
        self.error_pages: list[str] = []
        self.has_views: bool | None = None
        self.lists_folders: bool | None = None
        self.indexes: tuple[str, ...] | None = None
        self._is_on = False
        self._base = folder.root
        self._tests: list[tuple[Test | None, bool]] = []
        self._conditions: list[str] = []

    def reject(self, line: int, message: str) -> None:
        """Note what is not valid: Apache answers all paths of the folder with an error then."""
        self.rules.reject(RulePlace(self.name, line), message, "correct it: Apache answers with the error 500")

    def read(self, one: _Directive, data: bytes) -> None:
        """Read a directive; most of them have nothing to do with references."""
        if one.name in _ALIASES:
            self._redirect(one, data, *_ALIASES[one.name])
        elif one.name.startswith("rewrite"):
            self._read_rewriting(one, data)
        elif one.words:
            self._read_other(one, one.words[0], data)

    def _read_rewriting(self, one: _Directive, data: bytes) -> None:
        """Read a directive of mod_rewrite."""
        self.has_rewrites = True
        if one.name == "rewriteengine":
            self._is_on = one.words[:1] != () and one.words[0].lower() == "on"
        elif one.name == "rewritebase" and one.words:
            self._base = one.words[0].rstrip("/") + "/"
        elif one.name == "rewritecond":
            self._condition(one)
        elif one.name == "rewriterule":
            self._rewrite(one, data)

    def _read_other(self, one: _Directive, word: str, data: bytes) -> None:
        """Read a directive of another module. `word`: its first word."""
        if one.name == "errordocument" and one.words[1:] and one.words[1].startswith("/"):
            self._target(one, one.words[1], data)
            self.error_pages.append(one.words[1])
        elif one.name == "fallbackresource" and word.startswith("/"):
            source = expression(f"^{_escaped(self.folder.root.rstrip('/'))}(?:/|$)")
            rule = HostRule(RulePlace(self.name, one.line), expression=source, target=(word,), rewrites=True)
            self.folder.fallback.add(replace(rule, condition=one.condition))
            self._target(one, word, data)
        elif one.name == "directoryindex" and not one.condition:
            names = () if word.lower() == "disabled" else one.words
            known = (self.indexes or ()) if names else ()  # several lines in one file add up
            if not names or any("/" not in name for name in names):
                self.indexes = (*known, *(name for name in names if "/" not in name))
        elif one.name == "options":
            names = tuple(name.lower() for name in one.words)
            if (fault := fault_of_options(names)) and not one.condition:
                self.reject(one.line, fault)
            self.has_views = _option(names, {"multiviews"}, self.has_views)
            self.lists_folders = _option(names, {"indexes", "all"}, self.lists_folders)
        elif one.name in {"checkspelling", "checkcaseonly"}:
            self.ignores_case = self.ignores_case or word.lower() == "on"

    def _target(self, one: _Directive, target: str, data: bytes, text: str = "") -> None:
        """Add a target. `text`: what the server reads there, if it is another text."""
        raw = target.encode("utf-8", "surrogateescape")
        start = data.find(raw, one.start + len(one.name))
        if start >= 0:
            self.targets.append((text or target, start, start + len(raw)))

    def _redirect(self, one: _Directive, data: bytes, status: int, is_expression: bool) -> None:
        words = list(one.words)
        if one.name in {"redirect", "redirectmatch"} and words:
            known = _STATUSES.get(words[0].lower())
            if known is None and words[0].isdecimal():
                known = int(words[0])
            if known is not None:
                status = known
                words.pop(0)
        place = RulePlace(self.name, one.line)
        target = words[1] if len(words) > 1 else ""
        if not words or (status in _REDIRECT and not target):
            return  # with one word, it is about all paths of the folder
        if target and status not in _REDIRECT:
            self.reject(one.line, f"the redirect has a target, but the status {status} is no redirect")
            return
        if target and not (is_expression or target.startswith("/") or "://" in target):
            self.reject(one.line, "the target of the redirect is not a URL, and does not begin with /")
            return
        if is_expression:
            if self.rules.rejects(place, fault_of(words[0])):
                return
            source = expression(words[0])
            prefix = "" if source else literal_prefix(words[0])
            parts = _template(target)
        else:
            path = words[0]
            is_root = path.endswith("/")
            source = expression(f"^{_escaped(path)}{'(.*)' if is_root else '(/.*)?'}$")
            prefix, parts = path, (target, (1,))
        rule = HostRule(place, "", source, prefix, parts or (), force=True, condition=one.condition)
        rule = replace(rule, is_permanent=status in PERMANENT, status=0 if target else status)
        self.folder.redirects.add(rule if parts is not None else replace(rule, is_program=True))
        is_fixed = len(parts or ()) == 1 if is_expression else not target.endswith("/")
        if target and is_fixed:
            self._target(one, target, data)

    def _condition(self, one: _Directive) -> None:
        text, pattern, *more = (*one.words, "", "")
        flags = _flags(more[0] if more else "")
        if fault := _words_fault(one.words, _CONDITION_FLAGS):
            self.reject(one.line, f"the condition {fault}")
        is_or = "or" in flags or "ornext" in flags
        is_wanted = not pattern.startswith("!")
        pattern = pattern.removeprefix("!")
        if pattern.startswith("="):
            pattern = f"^{re.escape(pattern[1:].strip(_QUOTES))}$"
        parts = _template(text.replace(_DOCUMENT_ROOT, ""))
        test = None
        if parts is not None and pattern in _PATH_TESTS:
            kinds, unclear = _PATH_TESTS[pattern]
            test = Test(parts, kinds, is_wanted=is_wanted, unclear=unclear)
        elif parts is not None and pattern and not pattern.startswith(("-", "<", ">", "expr")):
            if self.rules.rejects(RulePlace(self.name, one.line), fault_of(pattern)):
                return
            found = expression(pattern, ignore_case=not flags.keys().isdisjoint({"nc", "nocase"}))
            test = Test(parts, (), found, is_wanted) if found else None
        if test is None:
            self._conditions.append(text.upper() if text.upper() in _HOSTS else text or one.name)
        self._tests.append((test, is_or))

    def _rewrite(self, one: _Directive, data: bytes) -> None:
        tests, conditions = _joined(self._tests), [*self._conditions, *filter(None, [one.condition])]
        is_host = bool(self._tests) and self._tests[-1][0] is None and self._conditions[-1] in _HOSTS
        self._tests, self._conditions = [], []
        if fault := _words_fault(one.words, _RULE_FLAGS):
            self.reject(one.line, f"the rule {fault}")
            return
        if not self._is_on:
            return
        pattern, target, *more = one.words
        flags = _flags(more[0] if more else "")
        status = _status(flags, target)
        source = None
        if self.rules.rejects(RulePlace(self.name, one.line), fault_of(pattern.removeprefix("!"))):
            return
        if not pattern.startswith("!"):
            source = expression(pattern, ignore_case=not flags.keys().isdisjoint({"nc", "nocase"}))
        is_last = not flags.keys().isdisjoint({"l", "last", "end"})
        is_same = target == "-" and not status
        if is_same and not is_last:
            return  # it sets a variable
        target = _OWN_FOLDER.sub("", _SAME_HOST.sub("", target), count=1).removeprefix(_DOCUMENT_ROOT)
        target = _MATCHED_HOST.sub("", target) if is_host else target
        if not status:
            target = _PATH_INFO.sub(r"\1", target, count=1)
        parts: Template | None = ()
        if not is_same and status < _ERROR:
            parts = _template(target.removeprefix("./"))
        is_unknown = source is None or parts is None or not _JUMPS.isdisjoint(flags)
        rule = HostRule(
            RulePlace(self.name, one.line),
            "",
            source,
            literal_prefix(pattern) if source is None and not pattern.startswith("!") else "",
            parts or (),
            self._base,
            force=True,
            rewrites=not status and not is_same,
            keeps=is_same,
            condition=" ".join(conditions),
            is_program=is_unknown,
            tests=tests,
            ends="end" in flags,
            is_permanent=status in PERMANENT,
            query=_query_use(flags),
            is_exact=flags.keys().isdisjoint({"b", "backrefnoplus", "bnp", "bctls", "bne"}),
            status=status if status >= _ERROR else 0,
        )
        if self.folder.rewrites is not None:
            self.folder.rewrites.add(rule)
        is_fixed = parts is not None and len(parts) == 1 and isinstance(parts[0], str)
        if is_fixed and (target.startswith("/") or is_absolute(target)) and not is_same:
            self._target(one, target, data, "".join(map(str, parts or ())))


def _option(names: tuple[str, ...], wanted: set[str], before: bool | None) -> bool | None:
    """Whether the names of `Options` turn one on that has some names; `before` if they say nothing about it."""
    if not wanted.isdisjoint(name.lstrip("+") for name in names):
        return True
    # Options without a sign replace those of the folder above.
    is_off = any(f"-{one}" in names for one in wanted) or not all(name.startswith(("+", "-")) for name in names)
    return False if is_off else before


def _query_use(flags: Mapping[str, str]) -> QueryUse:
    """The use of the query by a rule of mod_rewrite."""
    if not flags.keys().isdisjoint({"qsd", "qsdiscard"}):
        return QueryUse.OWN
    return QueryUse.DEFAULT if flags.keys().isdisjoint({"qsa", "qsappend"}) else QueryUse.BOTH


def _status(flags: Mapping[str, str], target: str) -> int:
    """The status that a rule sends; 0 for a rewrite."""
    if not flags.keys().isdisjoint({"f", "forbidden"}):
        return 403
    if not flags.keys().isdisjoint({"g", "gone"}):
        return 410
    for key in ("r", "redirect"):
        if key in flags:
            word = flags[key].lower()
            return int(word) if word.isdecimal() else _STATUSES.get(word, 302)
    return 302 if re.match("[a-z]+://", target, re.IGNORECASE) else 0


def _joined(tests: list[tuple[Test | None, bool]]) -> tuple[tuple[Test, ...], ...]:
    """The tests of a rule, in the groups that OR joins. Those of a group with an unknown test are a condition."""
    found: list[tuple[Test, ...]] = []
    group: list[Test | None] = []
    for test, joins in tests:
        group.append(test)
        if joins:
            continue
        known = [one for one in group if one is not None]
        if len(known) == len(group):  # else it is a condition, whatever the others are
            found.append(tuple(known))
        group = []
    return tuple(found)


def _words_fault(words: tuple[str, ...], known: frozenset[str]) -> str:
    """The mistake in the words of a condition or rule, as what it does; "" for none. `known`: the flags it may have."""
    _, _, flags, *_ = (*words, "", "", "")
    if len(words) < _FEWEST:
        return "has fewer than two words"
    if flags and not (flags.startswith("[") and flags.endswith("]")):
        return "has flags that are not in one pair of brackets without spaces"
    wrong = next((name for name in _flags(flags) if name not in known and name.isalpha()), "")
    return f"has the unknown flag {wrong.upper()}" if wrong else ""


def _flags(text: str) -> dict[str, str]:
    """The flags of a rule or condition, in lower case, with their values."""
    words = (word.strip().partition("=") for word in text.strip("[]").split(","))
    return {name.lower(): value for name, _, value in words if name}


def _template(text: str) -> Template | None:
    """A substitution as a template; None if it has variables that the path does not show."""
    parts: list[str | tuple[str | int]] = []
    end = 0
    for found in _VARIABLE.finditer(text):
        parts.append(text[end : found.start()])
        end = found.end()
        if found[1]:
            value = _VARIABLES.get(found[1].upper())
            if value is None:
                return None
            parts += value
        elif found[4]:
            parts.append(found[4])
        else:
            parts.append((int(found[2]),) if found[2] else (f"%{found[3]}",))
    return _merged([*parts, text[end:]])


def _merged(parts: list[str | tuple[str | int]]) -> Template:
    """A template without empty texts, and with one text in place of neighbours."""
    merged: list[str | tuple[str | int]] = []
    for part in parts:
        if isinstance(part, str) and merged and isinstance(merged[-1], str):
            merged[-1] += part
        elif part != "":
            merged.append(part)
    return tuple(merged)


def _escaped(path: str) -> str:
    return "".join(one if one.isalnum() or one in "/_" else re.escape(one) for one in path)
