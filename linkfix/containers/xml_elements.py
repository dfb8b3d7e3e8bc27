"""The elements of a small XML file in a container. Entities are refused, and nothing outside the file is read."""

from __future__ import annotations

from typing import NamedTuple, NoReturn
from xml.parsers import expat

__all__ = ["NotXml", "XmlElement", "elements"]


class NotXml(ValueError):
    """The data is not well-formed XML, or declares entities. Internal to the containers."""


class XmlElement(NamedTuple):
    """A start tag."""

    name: str
    """"NAMESPACE NAME", or "NAME" without a namespace."""
    attributes: dict[str, str]
    """Names in the same form -> decoded values."""


def elements(data: bytes) -> list[XmlElement]:
    """The start tags of a document, in document order. Raises `NotXml`."""
    found: list[XmlElement] = []
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = lambda name, attributes: found.append(XmlElement(name, attributes))
    parser.EntityDeclHandler = _refuse
    try:
        parser.Parse(data, True)  # noqa: FBT003 - expat's own interface
    except (expat.ExpatError, LookupError, ValueError) as error:  # the last two: an encoding that Python lacks
        raise NotXml(str(error)) from None
    return found


def _refuse(*_entity: object) -> NoReturn:
    message = "it declares entities"
    raise NotXml(message)
