"""The elements of a small XML file inside a container. Nothing outside of it is read, and it has no entities."""

from __future__ import annotations

from typing import NamedTuple, NoReturn
from xml.parsers import expat

__all__ = ["NotXml", "XmlElement", "elements"]


class NotXml(ValueError):
    """The data are not well-formed XML, or declare entities. It never leaves the containers."""


class XmlElement(NamedTuple):
    """A start tag: its name and its attributes' names, each "NAMESPACE NAME" or "NAME"; values are decoded."""

    name: str
    attributes: dict[str, str]


def elements(data: bytes) -> list[XmlElement]:
    """The start tags of a document, in document order. Raises `NotXml`."""
    found: list[XmlElement] = []
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = lambda name, attributes: found.append(XmlElement(name, attributes))
    parser.EntityDeclHandler = _refuse
    try:
        parser.Parse(data, True)  # noqa: FBT003 - expat's own interface
    except (expat.ExpatError, LookupError, ValueError) as error:  # the last two: an encoding that Python has not
        raise NotXml(str(error)) from None
    return found


def _refuse(*_entity: object) -> NoReturn:
    message = "it declares entities"
    raise NotXml(message)
