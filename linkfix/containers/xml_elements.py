"""The elements of a small XML file in a container. Entities are refused, and nothing outside the file is read.

Memory use stays small while parsing, too: no element is kept, and default values of attributes are ignored, because a
DTD could repeat them in each element.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, NoReturn
from xml.parsers import expat

from linkfix.containers.pieces import split_pieces
from linkfix.html.xml_outline import AttributeDefaults

#: The maximum size of a file, in bytes.
LARGEST = 1 << 24
_PIECE = 1 << 14


class NotXml(ValueError):
    """Raised if data is not well-formed XML, or declares entities. Internal to the containers."""


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
    parser = expat.ParserCreate(namespace_separator=" ")
    defaults = AttributeDefaults(len(data))

    def add(name: str, attributes: dict[str, str]) -> None:
        defaults.meet_tag()
        found.append(XmlElement(name, attributes))

    parser.StartElementHandler = add
    parser.AttlistDeclHandler = defaults.declare
    parser.EntityDeclHandler = _refuse
    parser.specified_attributes = True
    try:
        for piece in split_pieces(data, size=_PIECE):
            parser.Parse(piece)
            yield from found
            found.clear()
        parser.Parse(b"", True)
    except (
        expat.ExpatError,
        LookupError,
        ValueError,
    ) as error:  # LookupError and ValueError: an encoding that Python lacks, and default values
        raise NotXml(str(error)) from None


def _refuse(*_entity: object) -> NoReturn:
    message = "it declares entities"
    raise NotXml(message)
