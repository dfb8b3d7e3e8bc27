"""The outline of a document that is not HTML, by its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from linkfix.document.base import base_choice, has_xml_base
from linkfix.encodings.encoding import Encoding
from linkfix.html.vocabulary import row_index
from linkfix.kernels.outline import Outline
from linkfix.model import DocumentKind, MarkdownDialect, Options
from linkfix.resolvers import Resolver

if TYPE_CHECKING:
    from linkfix.html.json_feed import JsonFeedOutline
    from linkfix.html.xml_outline import XmlOutline
    from linkfix.markdown.outline import MarkdownOutline

    AnyOutline: TypeAlias = Outline | XmlOutline | JsonFeedOutline | MarkdownOutline


def outline_of(
    kind: DocumentKind,
    data: bytes,
    start: int,
    encoding: Encoding,
    options: Options,
    resolver: Resolver,
    *,
    is_mdx: bool,
    wikilinks: str,
    dialect: MarkdownDialect,
) -> AnyOutline:
    """The outline of data[start:]; that of a document without markup is empty. For the rest see `Document`."""
    if kind == "xml":
        from linkfix.html.xml_outline import XmlOutline  # few documents are XML
        from linkfix.html.xml_vocabulary import xml_table

        svg_bases = has_xml_base(options.spec, in_svg=True)
        choice = base_choice(options.feed_base, resolver)
        return XmlOutline(xml_table(options), data, start, svg_bases=svg_bases, base_choice=choice)
    if kind == "json-feed":
        from linkfix.html.json_feed import JsonFeedOutline  # few documents are feeds

        return JsonFeedOutline(data, start, encoding, base_choice(options.feed_base, resolver))
    if kind == "markdown":
        from linkfix.markdown.outline import MarkdownOutline  # few documents are Markdown

        scripting = options.scripting == "on"
        values = row_index(options), data, start, encoding, scripting
        return MarkdownOutline(*values, is_mdx=is_mdx, wikilinks=wikilinks, dialect=dialect)
    return Outline(row_index(options), b"", 0)
