"""The elements of a small XML file in a container. Entities are refused, and nothing outside the file is read.

Small means small when it is parsed, too: no element is kept, and default values of attributes, which a DTD could repeat
in each of them, are not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, NoReturn
from xml.parsers import expat

from linkfix.containers.pieces import split_pieces
from linkfix.html.attribute_defaults import AttributeDefaults

#: The largest file, in bytes.
LARGEST = 1 << 24
_PIECE = 1 << 14


class NotXml(ValueError):
    """The data is not well-formed XML, or declares entities. Internal to the containers."""


class XmlElement(NamedTuple):
    """A start tag."""

    name: str
    """"NAMESPACE NAME", or "NAME" without a namespace."""
    attributes: dict[str, str]
    """Names in the same form -> decoded values."""


def elements(data: bytes) -> Iterator[XmlElement]:
    """Yield the start tags of a document, in document order. Raises `NotXml`, after those before the fault."""
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
    ) as error:  # the last two: an encoding that Python lacks, and defaults
        raise NotXml(str(error)) from None


def _refuse(*_entity: object) -> NoReturn:
    message = "it declares entities"
    raise NotXml(message)
