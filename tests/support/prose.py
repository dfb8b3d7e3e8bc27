"""Rules for plain English in documents, docstrings and messages: short sentences, and no clause as an opening."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

__all__ = ["OPENINGS", "faults", "messages", "sentences"]

#: The maximum number of words of a sentence.
LONGEST_SENTENCE = 40
#: Openings of clauses, as an expression. A noun or an imperative is easier to read.
OPENINGS = "What|Where|How|Gives|That which"

_CLAUSE = re.compile(rf"(?:{OPENINGS}) ")
#: A span of code is one word, and so is a list of such spans.
_CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
_CODE_LIST = re.compile(r"`code`(?:(?:,| and| or|, and|, or)\s+`code`)+")
_SENTENCE_END = re.compile(r"""(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)["')\]*]*\s+""")
#: Sentences have one of these words; lists of words and tables do not.
_ENGLISH = re.compile(r"\b(?:the|an?|is|are|of|to|and|or|not|no)\b", re.IGNORECASE)


def sentences(paragraph: str) -> list[str]:
    """Split a paragraph into sentences. Spans of code become one word."""
    return _SENTENCE_END.split(_CODE_LIST.sub("`code`", _CODE.sub("`code`", paragraph)))


def faults(paragraph: str) -> list[str]:
    """Return the faults of a paragraph: long sentences, and a clause as its opening. A question may begin so."""
    long = [f"{len(one.split())} words: {one}" for one in sentences(paragraph) if len(one.split()) > LONGEST_SENTENCE]
    text = paragraph.lstrip("*[")
    is_clause = _CLAUSE.match(text[:1].upper() + text[1:]) and not paragraph.rstrip("*").endswith("?")
    return [*long, *([f"a clause: {paragraph}"] if is_clause else [])]


def messages(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the line and text of each message in a module: the literals and f-strings that are English.

    Docstrings are not messages. A value in an f-string is the word "VALUE". Each line of a text is a message.
    """
    skipped: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(id(node.value))
        elif isinstance(node, ast.JoinedStr):
            skipped.update(id(part) for part in node.values)
    for node in ast.walk(tree):
        text = "" if id(node) in skipped else _text(node)
        for line in text.splitlines():
            if _ENGLISH.search(line):
                yield node.lineno, line.strip()  # type: ignore[attr-defined]


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) or "VALUE" for part in node.values)
    return ""
