"""Convert the URL attributes of a parsed tree, whose references depend only on their values and the document's base.

Most links are in such attributes, and repeat or are plain (`linkfix.kernels.plain`); each text is decided once. Values
that can have several URLs are read as bytes (`linkfix.kernels.byte_spans`). All other references go back to the
caller.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

try:
    import cython
except ImportError:
    from linkfix.kernels import no_cython as cython

from linkfix.kernels.byte_spans import ByteSpans
from linkfix.kernels.plain import PlainReferences
from linkfix.model import Link, Row
from linkfix.trees.context import ElementKind, UrlAttribute
from linkfix.trees.element import Element, TreeColumns

if not cython.compiled:
    from linkfix.kernels.bytesearch import one_byte_each
    from linkfix.kernels.constants import CSS, SRCSET
    from linkfix.kernels.memory import new_link


#: The decision about one URL: the reference, its target, the base, the new value or None, a problem's code or None.
WholeDecision = tuple[str, str | None, str | None, str | None, str | None]

#: The maximum number of remembered texts, and their maximum length in characters.
REMEMBERED = 4096
LONGEST = 1024
#: Whether this runs as plain Python.
IS_PLAIN = not cython.compiled
#: Rows for one of several URLs in a value: any URL, and in CSS a URL that is only a fragment.
PART, LOCAL_PART = Row("*", "", "url", "resource"), Row("*", "", "local-url", "resource")
#: Finds characters that some syntax escapes in a URL (`linkfix.html.syntaxes.css`, `srcset`).
IS_ESCAPED = re.compile(r"[\0-\x20\"'()\\<>\x7f\ud800-\udfff]|\A,|,\Z").search


class UrlAttributes:
    """Converts the URL attributes of a tree.

    `plain`: the plain references, as text; None if `decide` must decide each. `base`: the document's base. `fallback`:
    its fallback base, for attributes that are early. `keeps_fragments`: whether references that are only a fragment
    stay. `decide`: decides a value that is one URL, in a row of the vocabulary, with a base. `convert_text`: converts
    any other value of an element in a line, by its row; it returns the new value and the number of changes. `note`:
    receives a problem's code, detail and line. `links`: receives the links. After `convert`, `rewritten` counts the
    references that changed.
    """

    def __init__(
        self,
        plain: PlainReferences | None,
        base: str | None,
        fallback: str | None,
        keeps_fragments: bool,
        decide: Callable[[Row, str, str | None], WholeDecision],
        convert_text: Callable[[ElementKind, int, Row, str, str | None], tuple[str, int]],
        note: Callable[[str, str, int], None],
        links: list[Link],
    ) -> None:
        self.plain: PlainReferences | None = plain
        self.base: str | None = base
        self.fallback: str | None = fallback
        self.keeps_fragments: bool = keeps_fragments
        self.decide: Callable[[Row, str, str | None], WholeDecision] = decide
        self.convert_text: Callable[[ElementKind, int, Row, str, str | None], tuple[str, int]] = convert_text
        self.note: Callable[[str, str, int], None] = note
        self.links: list[Link] = links
        self.rewritten: int = 0
        self.decided: dict[str | Row, WholeDecision] = {}
        self.local: dict[str | Row, WholeDecision] = {}
        self.several: ByteSpans = ByteSpans("")

    def convert(self, columns: TreeColumns, convert_other: Callable[[Element], None]) -> None:
        """Convert the places in the columns, in order. `convert_other` receives elements that need the slow path."""
        write = columns.write
        for number, attribute in enumerate(columns.attributes):
            if attribute is None:
                convert_other(columns.nodes[number])
            else:
                value, line = columns.values[number], columns.lines[number]
                self._convert(columns.nodes[number], columns.kinds[number], attribute, value, line, write)

    def _convert(
        self,
        node: Any,
        kind: ElementKind,
        attribute: UrlAttribute,
        value: str,
        line: int,
        write: Callable[[Any, str, str], object],
    ) -> None:
        count = 1
        new: str | None
        if attribute.has_one:
            if attribute.is_early:
                decision = self.decide(attribute.row, value, self.fallback)
            else:
                decision = self._decide(attribute.row, value, attribute.is_local)
            reference, target, base, new, problem = decision
            if problem is not None:
                self.note(problem, reference, line)
            self._add_link(kind, attribute.row, reference, target, base, line, problem)
        else:
            found = None if attribute.is_early else self.convert_several(kind, attribute.row, value, line)
            if found is None:
                base = self.fallback if attribute.is_early else self.base
                found = self.convert_text(kind, line, attribute.row, value, base)
            new, count = found
            if not count:
                return
        if new is not None:
            try:
                write(node, attribute.key, new)
            except ValueError as error:
                self.note("tree-left-alone", f"{kind.name}: {error}", line)
            else:
                self.rewritten += count

    def _decide(self, row: Row, value: str, is_local: bool) -> WholeDecision:
        """The decision about a value that is one URL. For an empty reference, it depends on the row.

        `is_local`: whether a reference that is only a fragment is local.
        """
        memo = self.local if is_local else self.decided
        key = value or row
        decision = memo.get(key)
        if decision is None:
            if not is_local or not value.startswith("#"):
                decision = self.decide_plain(value)
            if decision is None:
                decision = self.decide(row, value, self.base)
            if len(value) <= LONGEST and (decision[0] or not value):
                if len(memo) >= REMEMBERED:
                    memo.clear()
                memo[key] = decision
        return decision

    def decide_plain(self, value: str) -> WholeDecision | None:
        """The decision about a plain reference, or about one that is its own target; None for any other reference."""
        plain = self.plain
        if plain is None or not value:
            return None
        if not value.isascii():
            return None
        if value.startswith("data:"):
            return (value, value, self.base, None, None) if value[len(value) - 1] > " " else None
        if IS_PLAIN and value.startswith("http"):
            return None  # the decider has a regular expression for these
        data = value.encode()
        encoded = plain.target(data)
        if encoded is None:
            return None
        target = value if encoded is data else encoded.decode()
        if target == value or (self.keeps_fragments and value.startswith("#")):
            return value, target, self.base, None, None
        before, colon, _ = value.partition(":")
        is_absolute = bool(colon) and "/" not in before and "?" not in before and "#" not in before
        return value, target, self.base, None if is_absolute else target, None

    def convert_several(self, kind: ElementKind, row: Row, text: str, line: int) -> tuple[str, int] | None:
        """Convert a value or an element's text that can have several URLs. Returns the new text and the number of
        changes. Returns None without changes if the value needs the slow path.
        """
        is_css = row.syntax == "css"
        if is_css and "(" not in text and "@" not in text and "\\" not in text:
            return text, 0
        if not is_css and row.syntax != "srcset":
            return None
        data = one_byte_each(text)
        if b"\0" in data:
            return None  # CSS replaces it
        several = self.several
        count = several.find(CSS if is_css else SRCSET, data, 0, len(data), True)
        if count < 0:
            return None
        decisions = self._decide_parts(text, count, is_css)
        if decisions is None:
            return None
        spans = several.spans
        pieces: list[str] = []
        changed = done = at = 0
        for reference, target, base, new, problem in decisions:
            self._add_link(kind, row, reference, target, base, line, problem)
            if new is not None:
                start = spans[at]
                pieces += (text[done:start], new)
                done = spans[at + 1]
                changed += 1
            at += 2
        if not changed:
            return text, 0
        pieces.append(text[done:])
        return "".join(pieces), changed

    def _decide_parts(self, text: str, count: int, is_css: bool) -> list[WholeDecision] | None:
        """The decision about each URL that `several` found; None if any needs the slow path."""
        spans = self.several.spans
        decisions: list[WholeDecision] = []
        at = 0
        while at < 2 * count:
            decision = self._decide_part(text[spans[at] : spans[at + 1]], is_css)
            if decision is None:
                return None
            decisions.append(decision)
            at += 2
        return decisions

    def _decide_part(self, reference: str, is_css: bool) -> WholeDecision | None:
        """The decision about one of several URLs; None for the slow path: it has a problem, or must be escaped."""
        if not reference or reference[0] <= " " or reference[len(reference) - 1] <= " ":
            return None
        is_fragment = reference.startswith("#")
        if not reference.isascii() or (is_fragment and not is_css):
            decision = self.decide_plain(reference)
        else:
            decision = self._decide(LOCAL_PART if is_fragment else PART, reference, is_fragment)
        if decision is None or decision[4] is not None or (decision[3] is not None and IS_ESCAPED(decision[3])):
            return None
        return decision

    def _add_link(
        self,
        kind: ElementKind,
        row: Row,
        reference: str,
        target: str | None,
        base: str | None,
        line: int,
        problem: str | None,
    ) -> None:
        self.links.append(new_link(Link, kind.name, row, reference, target, base, 0, 0, line, 0, problem, 0))
