"""The layers that can give a document its base URL, for each specification: one table.

A specification is chosen as a whole. `--spec` decides which layers exist, the sources of each layer, their order, and
the layers' names. `linkfix.document.base` uses this table alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from linkfix.model import BaseSource, Layer


class LayerRule(NamedTuple):
    """One layer of one specification."""

    sources: tuple[BaseSource, ...]
    """The layer's sources, in order. An entity's own sources come before the sources of its enclosing entity."""
    name: str
    """The layer's name in the specification."""
    section: str = ""
    """The section that defines it; "" if sections have no numbers."""

    @property
    def title(self) -> str:
        """The layer's name in a sentence."""
        return f"the {self.name}" if " " in self.name else f"the {self.name} layer"


#: RFC 2110 §5, followed by RFC 1808's field. RFC 2557 §5, which replaced it, no longer has Content-Base.
_FIELDS = (BaseSource.CONTENT_BASE, BaseSource.CONTENT_LOCATION, BaseSource.BASE_FIELD)
#: RFC 2557 §5 (e) defines the second source, for an application without a default of its own (RFC 2396 §5.1.4).
_DEFAULTS = (BaseSource.CALLER, BaseSource.THIS_MESSAGE)

LAYERS: Mapping[str, Mapping[Layer, LayerRule]] = {
    # A base is "known from the context of its retrieval" or "embedded within the object itself".
    "fielding1994": {
        Layer.EMBEDDED: LayerRule((BaseSource.BASE_ELEMENT,), "embedded"),
        Layer.RETRIEVAL: LayerRule((BaseSource.ENCLOSING_DOCUMENT, BaseSource.RETRIEVAL), "retrieval"),
    },
    "rfc1808": {
        Layer.EMBEDDED: LayerRule((BaseSource.BASE_ELEMENT_IN_HEAD,), "embedded", "3.1"),
        Layer.ENCAPSULATING: LayerRule((BaseSource.ENCLOSING_DOCUMENT, BaseSource.BASE_FIELD), "encapsulating", "3.2"),
        Layer.RETRIEVAL: LayerRule((BaseSource.RETRIEVAL,), "retrieval", "3.3"),
        Layer.DEFAULT: LayerRule((BaseSource.EMPTY,), "default", "3.4"),
    },
    "rfc2396": {
        Layer.EMBEDDED: LayerRule((BaseSource.BASE_ELEMENT_IN_HEAD,), "embedded", "5.1.1"),
        Layer.ENCAPSULATING: LayerRule((BaseSource.ENCLOSING_DOCUMENT, *_FIELDS), "encapsulating", "5.1.2"),
        Layer.RETRIEVAL: LayerRule((BaseSource.RETRIEVAL,), "retrieval", "5.1.3"),
        Layer.DEFAULT: LayerRule(_DEFAULTS, "default", "5.1.4"),
    },
    "rfc3986": {
        Layer.EMBEDDED: LayerRule((BaseSource.BASE_ELEMENT,), "embedded", "5.1.1"),
        Layer.ENCAPSULATING: LayerRule((BaseSource.ENCLOSING_DOCUMENT, *_FIELDS), "encapsulating", "5.1.2"),
        Layer.RETRIEVAL: LayerRule((BaseSource.RETRIEVAL,), "retrieval", "5.1.3"),
        Layer.DEFAULT: LayerRule(_DEFAULTS, "default", "5.1.4"),
    },
    # HTML has no default and no messages. An entity that encloses a document (RFC 2557 §5) is treated like the page
    # around a srcdoc.
    "whatwg": {
        Layer.EMBEDDED: LayerRule((BaseSource.BASE_ELEMENT,), "base element", "4.2.3"),
        Layer.ENCAPSULATING: LayerRule((BaseSource.ENCLOSING_DOCUMENT, *_FIELDS), "about base URL", "2.4.3"),
        Layer.RETRIEVAL: LayerRule((BaseSource.RETRIEVAL,), "document's URL", "2.4.3"),
        Layer.DEFAULT: LayerRule(_DEFAULTS, "default base URL"),
    },
}
"""Name of the specification, a key of `linkfix.resolvers.RESOLVERS` -> its layers, innermost first."""


def has_xml_base(spec: str, *, in_svg: bool) -> bool:
    """Whether `xml:base` counts in an XML document under a specification. `in_svg`: whether its root element is SVG.

    Browsers have removed `xml:base`, and so has SVG 2. The RFCs leave it to the format, and SVG 1.1 has it.

    >>> has_xml_base("whatwg", in_svg=True), has_xml_base("rfc3986", in_svg=True), has_xml_base("whatwg", in_svg=False)
    (False, True, True)
    """
    return spec != "whatwg" or not in_svg


def sources_of(layer: Layer, spec: str) -> tuple[BaseSource, ...]:
    """The sources of a layer under a specification, in order; empty if the specification has no such layer."""
    rule = LAYERS[spec].get(layer)
    return () if rule is None else rule.sources
