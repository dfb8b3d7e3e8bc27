"""A place in a document that can have references, as an object: outlines hold them as numbers."""

from __future__ import annotations

from typing import NamedTuple

from linkfix.model import Row


class Record(NamedTuple):
    """An attribute's value, or an element's text, that can have references. Positions are byte offsets."""

    row: Row
    """The vocabulary's row."""
    start: int
    """Where the raw value begins, without its quotation mark."""
    end: int
    """Where the raw value ends."""
    tag_start: int
    """Where the element's start tag begins."""
    quote: int
    """The value's quotation mark, as a byte; UNQUOTED or NO_VALUE (`linkfix.html.constants`)."""
    text: bool = False
    """It is the element's text, not an attribute's value."""
    foreign: bool = False
    """It is the text of an SVG or MathML element, which has character references."""
    in_template: bool = False
    """The element is in a template, and so not part of the page."""
    in_frameset: bool = False
    """The element is not in the tree: its tag is in a frameset, after one, or in the body that one replaced."""
    in_noscript: bool = False
    """The element is in a noscript, whose content is text where scripts are on."""
    sections: bool = False
    """It is the text of an XML element, of which runs of text and CDATA sections are read as one."""
