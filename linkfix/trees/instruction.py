"""The xml-stylesheet processing instructions beside a root element: elements with an href."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from linkfix.html.charrefs import decode, escape_attribute
from linkfix.html.xml_outline import STYLESHEET
from linkfix.trees.context import Context, ElementKind
from linkfix.trees.element import Element

__all__ = ["stylesheet_instruction"]

_HREF = re.compile(r"""(?<!\S)href\s*=\s*(?:"([^"]*)"|'([^']*)')""")


class _Instruction(Element):
    """An xml-stylesheet processing instruction."""

    __slots__ = ("_text", "_write")

    def __init__(self, text: str, write: Callable[[str], None], around: Context, line: int) -> None:
        kind = ElementKind("svg", STYLESHEET.element, False, True, around)  # noqa: FBT003
        super().__init__(None, kind, around, around, line)
        self._text = text
        self._write = write

    def read_attributes(self) -> Iterable[tuple[str, str, str]]:
        match = _HREF.search(self._text)
        return [("href", "href", decode(match[match.lastindex or 0]).text)] if match else []

    def set(self, name: str, value: str | None) -> None:
        written = f'{name}="{escape_attribute(value or "", 34).replace("<", "&lt;")}"'
        self._write(_HREF.sub(lambda _: written, self._text, count=1))

    def texts(self) -> Sequence[str]:
        return ()

    def set_texts(self, new: Mapping[int, str]) -> None:
        raise NotImplementedError

    def ancestors(self) -> Iterable[str]:
        return ()

    def remove(self) -> None:
        raise NotImplementedError


def stylesheet_instruction(text: str, write: Callable[[str], None], around: Context, line: int = 0) -> Element:
    """An xml-stylesheet processing instruction beside the root element (Associating Style Sheets with XML §3).

    `text`: its pseudo-attributes. `write`: puts a new text in its place. `around`: the root element's context.
    """
    return _Instruction(text, write, around, line)
