"""What a document needs to be the same when a browser opens it from a file, without the header of its response.

A file has no charset parameter, so the document has to declare its encoding. A file has no CORS headers either, so
browsers refuse it to an element with the attribute `crossorigin`; and they refuse a file whose bytes changed to an
element with the attribute `integrity`.
"""

from __future__ import annotations

from collections.abc import Callable

from linkfix.document.base_element import attribute_spans
from linkfix.document.document import Document
from linkfix.encodings.encoding import Encoding
from linkfix.kernels.splicer import splice
from linkfix.lazy import lazy_pattern
from linkfix.model import Envelope

#: The attributes that make a browser refuse a file.
_REFUSING = (b"integrity", b"crossorigin")

_MAY_REFUSE = lazy_pattern(rb"(?i)integrity|crossorigin")

#: The elements with these attributes (HTML §2.5.4, §2.5.6).
_ELEMENTS = frozenset({"link", "script", "img", "audio", "video"})

_ATTRIBUTES = rb"""(?:[^>"']++|"[^"]*+"|'[^']*+')*+>"""

#: What comes before the content of the head.
_BEFORE_HEAD = lazy_pattern(
    rb"(?is)(?:\xef\xbb\xbf)?(?:[\t\n\f\r ]++|<!--.{0,400}?-->|<\?[^>]{0,200}+>)*+"
    rb"(?:<!doctype" + _ATTRIBUTES + rb")?+[\t\n\f\r ]*+"
    rb"(?:<html(?=[\t\n\f\r />])" + _ATTRIBUTES + rb")?+[\t\n\f\r ]*+"
    rb"(?:<head(?=[\t\n\f\r />])" + _ATTRIBUTES + rb")?+"
)

#: HTML §4.2.5.4: a declaration has to be in the first 1,024 bytes.
_PRESCANNED = 1024

_XML_DECLARATION = lazy_pattern(rb"(?:\xef\xbb\xbf)?<\?xml[\t\n\r ][^>]*+\?>")

_CHARSET_RULE = lazy_pattern(rb'@charset "[^"]*+";')

_MARKS = {"utf-16le": b"\xff\xfe", "utf-16be": b"\xfe\xff"}


def without_refusals(document: Document[bytes], is_file: Callable[[str], bool]) -> bytes:
    """The bytes of an HTML document without the attributes that make a browser refuse the files that it refers to.

    `is_file`: whether a target becomes a file.
    """
    data = document.source.html
    if document.kind != "html" or not document.encoding.ascii_compatible or not _MAY_REFUSE.search(data):
        return data
    links = (link for link in document.links if link.element in _ELEMENTS and link.target and is_file(link.target))
    tags = sorted({link.tag_start for link in links})
    spans = {span for tag in tags for name in _REFUSING for span in attribute_spans(data, tag, name)}
    return splice(data, [(start, end, b"") for start, end in sorted(spans)])


def with_encoding(data: bytes, document: Document[bytes], envelope: Envelope) -> bytes:
    """A document that declares its encoding, if only the response or the crawler stated it.

    `document`, `envelope`: as in the container. `data`: the document's bytes, in the same encoding.
    """
    encoding = document.encoding
    if not (envelope.charset or envelope.identified_charset) or encoding.bom:
        return data
    if (
        data.isascii() and encoding.ascii_compatible and encoding.name != "iso-2022-jp"
    ):  # every other encoding reads it alike
        return data
    bare = envelope._replace(charset=None, identified_charset=None)
    if Document(data, envelope=bare).encoding.name == encoding.name:
        return data
    if not encoding.ascii_compatible:
        return _MARKS.get(encoding.name, b"") + data
    declare = {"html": _with_meta, "xml": _with_xml_declaration, "css": _with_charset_rule}.get(document.kind)
    return data if declare is None else declare(data, encoding)


def _with_meta(data: bytes, encoding: Encoding) -> bytes:
    element = b'<meta charset="%s">' % encoding.name.encode()
    before = _BEFORE_HEAD.match(data[: _PRESCANNED - len(element)])
    at = before.end() if before else 0
    return data[:at] + element + data[at:]


def _with_xml_declaration(data: bytes, encoding: Encoding) -> bytes:
    declaration = _XML_DECLARATION.match(data)
    rest = data[declaration.end() :] if declaration else data
    return b'<?xml version="1.0" encoding="%s"?>' % encoding.name.encode() + rest


def _with_charset_rule(data: bytes, encoding: Encoding) -> bytes:
    rule = _CHARSET_RULE.match(data)
    return b'@charset "%s";' % encoding.name.encode() + data[rule.end() if rule else 0 :]
