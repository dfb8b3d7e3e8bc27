"""Scanner of HTML, SVG, MathML and XHTML bytes: encoding, tokens, tree context, vocabulary, values, URL syntaxes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkfix.lazy import lazy_attributes

if TYPE_CHECKING:
    from linkfix.html.sniffing import sniff
    from linkfix.html.values import Value
    from linkfix.html.vocabulary import GROUPS, MODULES, ROLES, ROWS, index_rows, row_index, row_table
    from linkfix.html.xml_vocabulary import xml_table

__all__ = ["GROUPS", "MODULES", "ROLES", "ROWS", "Value", "index_rows", "row_index", "row_table", "sniff", "xml_table"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_attributes(
        __name__,
        {
            "linkfix.html.sniffing": "sniff",
            "linkfix.html.values": "Value",
            "linkfix.html.vocabulary": "GROUPS MODULES ROLES ROWS index_rows row_index row_table",
            "linkfix.html.xml_vocabulary": "xml_table",
        },
    )
