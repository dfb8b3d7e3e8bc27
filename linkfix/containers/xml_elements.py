"""The elements of an XML file in a container. Entities are refused, and nothing outside the file is read.

Memory use stays small while parsing, too: no element is kept, and default values of attributes are ignored, because a
DTD could repeat them in each element.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, NoReturn, Protocol
from xml.parsers import expat

from linkfix.containers.pieces import split_pieces
from linkfix.html.xml_outline import AttributeDefaults

#: The maximum size of a file, in bytes.
LARGEST = 1 << 24
_PIECE = 1 << 14


class NotXml(ValueError):
    """Raised if data is not well-formed XML, or declares entities, with an offset. Internal to the containers."""

    def __init__(self, detail: str, offset: int = 0) -> None:
        super().__init__(detail)
        self.offset = offset


class XmlElement(NamedTuple):
    """A start tag."""

    name: str
    """The name: "NAMESPACE NAME", or "NAME" for an element without a namespace."""
    attributes: dict[str, str]
    """The decoded values of the attributes, by name. Names have the form of `name`."""


def elements(data: bytes) -> Iterator[XmlElement]:
    """Yield the start tags of a document, in document order. Raises `NotXml` after the start tags before the fault."""
    if len(data) > LARGEST:
        message = f"it has more than {LARGEST:,} bytes"
        raise NotXml(message)
    found: list[XmlElement] = []
    parser = _parser(len(data), lambda name, attributes: found.append(XmlElement(name, attributes)), " ")
    for _ in _parsed(parser, split_pieces(data, size=_PIECE)):
        yield from found
        found.clear()


class ElementHandler(Protocol):
    """The functions that `parse` calls for the parts of a document. Offsets are byte offsets of tags."""

    def start(self, name: str, offset: int) -> None:
        """Begin an element."""

    def end(self, name: str, offset: int) -> None:
        """End an element. The end of an empty element has the offset of its only tag."""

    def text(self, text: str) -> None:
        """Add text to the innermost element."""


def parse(pieces: Iterable[bytes], size: int, handler: ElementHandler) -> None:
    """Parse a document of `size` bytes without namespaces. Raises `NotXml`, and what the handler raises."""
    parser = _parser(size, lambda name, _attributes: handler.start(name, parser.CurrentByteIndex), None)
    parser.EndElementHandler = lambda name: handler.end(name, parser.CurrentByteIndex)
    parser.CharacterDataHandler = handler.text
    for _ in _parsed(parser, pieces):
        pass


def _parser(size: int, start: Callable[[str, dict[str, str]], None], separator: str | None) -> expat.XMLParserType:
    """Return a parser that calls `start` for each start tag."""
    parser = expat.ParserCreate(namespace_separator=separator)
    defaults = AttributeDefaults(size)

    def meet(name: str, attributes: dict[str, str]) -> None:
        defaults.meet_tag()
        start(name, attributes)

    parser.StartElementHandler = meet
    parser.AttlistDeclHandler = defaults.declare
    parser.EntityDeclHandler = _refuse
    parser.specified_attributes = True
    return parser


def _parsed(parser: expat.XMLParserType, pieces: Iterable[bytes]) -> Iterator[None]:
    """Parse pieces; yield after each one. Raises `NotXml`."""
    try:
        for piece in pieces:
            parser.Parse(piece)
            yield
        parser.Parse(b"", True)
    except NotXml:
        raise
    except (
        expat.ExpatError,
        LookupError,
        ValueError,
    ) as error:  # LookupError and ValueError: an encoding that Python lacks, and default values
        raise NotXml(str(error), max(parser.CurrentByteIndex, 0)) from None


def _refuse(*_entity: object) -> NoReturn:
    message = "it declares entities"
    raise NotXml(message)
