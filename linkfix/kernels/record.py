"""An attribute's value or an element's text that can have references, as an object; outlines store it as numbers."""

from __future__ import annotations

from typing import NamedTuple

from linkfix.model import Row


class Record(NamedTuple):
    """An attribute's value, or an element's text, that can have references. Positions are byte offsets."""

    row: Row
    """The vocabulary's row."""
    start: int
    """The start of the raw value, without its quotation mark."""
    end: int
    """The end of the raw value."""
    tag_start: int
    """The start of the element's start tag."""
    quote: int
    """The value's quotation mark, as a byte; UNQUOTED or NO_VALUE (`linkfix.kernels.constants`)."""
    text: bool = False
    """Whether this is the element's text, not an attribute's value."""
    foreign: bool = False
    """Whether this is the text of an SVG or MathML element, which has character references."""
    in_template: bool = False
    """Whether the element is in a template, and so not part of the page."""
    in_frameset: bool = False
    """Whether the element is missing from the tree because its tag is in a frameset, after a frameset, or in the body
    that a frameset replaced."""
    in_noscript: bool = False
    """Whether the element is in a noscript, whose content is text if scripts are on."""
    sections: bool = False
    """Whether this is the text of an XML element, with runs of text and CDATA sections read as one text."""
