"""The help of commands as a page. It is plain text, which sphinx-click takes for reStructuredText."""

from __future__ import annotations

import re

from click import Context
from sphinx.application import Sphinx

from linkfix.cli.help import Command

__all__ = ["add_to"]

_MARKUP = re.compile(r"([\\*`|_])")
#: Quoted texts and options in the help: code.
_CODE = re.compile(r"(?<![\w'])'([^'\n]+)'(?![\w'])|(?<![\w`-])(--[a-z][a-z-]*)")
#: sphinx-click's additions to the help of an option.
_ADDED = (":default:", ":options:")
_EXAMPLE = re.compile(r"Example: (.+)")


def add_to(app: Sphinx) -> None:
    """Listen to sphinx-click."""
    app.connect("sphinx-click-process-description", _escape)
    app.connect("sphinx-click-process-options", _escape_help)
    app.connect("sphinx-click-process-epilog", _show_examples)


def _escape(_app: Sphinx, _context: Context, lines: list[str]) -> None:
    """Paragraphs: a quoted text can continue in the next line."""
    paragraphs = " ".join(line or "\n" for line in lines).split("\n")
    lines[:] = [line for paragraph in paragraphs for line in (_prose(paragraph.strip()), "")]


def _escape_help(_app: Sphinx, _context: Context, lines: list[str]) -> None:
    """Each option is a directive, with its help indented below it."""
    lines[:] = [
        _prose(line) if line.startswith(" ") and not line.lstrip().startswith(_ADDED) else line for line in lines
    ]


def _show_examples(_app: Sphinx, context: Context, lines: list[str]) -> None:
    """The examples of a command, or `Example: COMMAND; COMMAND`, on one line."""
    if isinstance(context.command, Command):
        lines[:] = [".. rubric:: Examples", ""]
        for purpose, command in context.command.examples.items():
            lines += [f"{_prose(purpose)}:", "", ".. code-block:: text", "", f"    {command}", ""]
        return
    found = _EXAMPLE.fullmatch(" ".join(filter(None, lines)))
    if found:
        commands = re.split(r"; (?=linkfix )", found[1])
        shown = (f"    {command}" for command in commands)
        lines[:] = [".. rubric:: Example", "", ".. code-block:: text", "", *shown, ""]


def _prose(line: str) -> str:
    """A line of help as reStructuredText."""
    parts, end = [], 0
    for code in _CODE.finditer(line):
        parts += [_MARKUP.sub(r"\\\1", line[end : code.start()]), f"``{code[1] or code[2]}``"]
        end = code.end()
    return "".join([*parts, _MARKUP.sub(r"\\\1", line[end:])])
