"""Changes of a document for a browser that opens it from a file, without the header of its response.

A file has no charset parameter, so the document has to declare its encoding. A file has no CORS headers either, so
browsers refuse it to an element with the attribute `crossorigin`; and they refuse a file whose bytes changed to an
element with the attribute `integrity`. A policy of the page allows the site's own host, which no file is of. Of the
candidates of a srcset, a browser takes one that suits the screen, whether or not there is a file of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from linkfix.document.base_element import attribute_spans
from linkfix.document.document import Document
from linkfix.document.references import Reference
from linkfix.encodings.encoding import Encoding
from linkfix.kernels.splicer import Edit, splice
from linkfix.kernels.tokenizer import tag_end
from linkfix.lazy import lazy_pattern
from linkfix.model import Envelope

#: The attributes that make a browser refuse a file.
_REFUSING = (b"integrity", b"crossorigin")

_MAY_REFUSE = lazy_pattern(rb"(?i)integrity|crossorigin|srcset|content-security-policy")

#: The elements with these attributes (HTML §2.5.4, §2.5.6).
_ELEMENTS = frozenset({"link", "script", "img", "audio", "video"})

_ATTRIBUTES = rb"""(?:[^>"']++|"[^"]*+"|'[^']*+')*+>"""

_SRCSETS = frozenset({"srcset", "lazy-srcset"})

#: The characters between two candidates of a srcset.
_SEPARATOR = b"\t\n\f\r ,"

_DESCRIPTOR = lazy_pattern(rb"[\t\n\f\r ]([0-9]{1,9}(?:\.[0-9]{1,9})?)[xwh]$")

#: The beginning of a page, up to the content of its head.
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


def fit_to_files(document: Document[bytes], is_file: Callable[[str], bool], *, one_candidate: bool = False) -> bytes:
    """The bytes of an HTML document without what makes a browser refuse, or pass over, the files that it refers to.

    `is_file`: whether a target becomes a file. `one_candidate`: of each srcset, keep only the largest candidate.
    """
    data = document.source.html
    if document.kind != "html" or not document.encoding.ascii_compatible or not _MAY_REFUSE.search(data):
        return data
    edits: list[Edit] = [(tag, tag_end(data, tag), b"") for tag in document.policy_tags]
    with_files: set[int] = set()
    values: dict[int, list[tuple[Reference, bool]]] = {}
    for reference, decision in document.references():
        record = reference.record
        found = decision.target is not None and decision.problem is None and is_file(decision.target)
        if record.row.syntax in _SRCSETS:
            values.setdefault(record.start, []).append((reference, found))
        elif found and record.row.element in _ELEMENTS:
            with_files.add(record.tag_start)
    for tag in with_files:
        edits += ((*span, b"") for name in _REFUSING for span in attribute_spans(data, tag, name))
    for candidates in values.values():
        edits += _fit_srcset(data, candidates, with_files, one_candidate=one_candidate)
    return splice(data, sorted(set(edits)))


def _fit_srcset(
    data: bytes, candidates: list[tuple[Reference, bool]], with_files: set[int], *, one_candidate: bool
) -> Iterator[Edit]:
    """The edit that leaves the candidates of a srcset that are files; nothing if it would leave no picture."""
    record = candidates[0][0].record
    starts = [reference.span()[0] for reference, _ in candidates]
    texts = [data[start:end].rstrip(_SEPARATOR) for start, end in zip(starts, [*starts[1:], record.end], strict=True)]
    kept = [text for text, (_, found) in zip(texts, candidates, strict=True) if found]
    if one_candidate:
        kept = sorted(kept, key=_density)[-1:]
    if kept and len(kept) < len(texts):
        yield record.start, record.end, b", ".join(kept)
    elif not kept and (record.row.element == "source" or record.tag_start in with_files):
        name = record.row.attribute.encode()
        yield from ((*span, b"") for span in attribute_spans(data, record.tag_start, name))


def _density(candidate: bytes) -> float:
    """The number of a candidate's descriptor, such as "2x" or "640w"."""
    descriptor = _DESCRIPTOR.search(candidate)
    return float(descriptor[1]) if descriptor else 1.0


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
    return in_head(data, b'<meta charset="%s">' % encoding.name.encode())


def in_head(data: bytes, element: bytes) -> bytes:
    """An HTML or XHTML page with one more element, the first in its head."""
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
