"""The layers that can give a document its base URL, by each specification: one table.

A specification is chosen whole: what `--spec` names decides which layers there are, what each takes a base from, in
which order, and what the layers are called. `linkfix.document.base` goes by this table alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from linkfix.model import BaseSource, Layer


class LayerRule(NamedTuple):
    """One layer of one specification."""

    sources: tuple[BaseSource, ...]
    """What it takes a base from, in order. An entity's come before those of the entity around it."""
    name: str
    """What the specification calls it."""
    section: str = ""
    """The section that defines it, "" where sections have no numbers."""

    @property
    def title(self) -> str:
        """Its name in a sentence."""
        return f"the {self.name}" if " " in self.name else f"the {self.name} layer"


#: RFC 2110 §5, with RFC 1808's field after its own. RFC 2557 §5, which replaced it, no longer has Content-Base.
_FIELDS = (BaseSource.CONTENT_BASE, BaseSource.CONTENT_LOCATION, BaseSource.BASE_FIELD)
#: RFC 2557 §5 (e) has the second one, where the application that RFC 2396 §5.1.4 speaks of has no default of its own.
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
    # HTML has no default, and no messages: what RFC 2557 §5 puts around a document is like the page around a srcdoc.
    "whatwg": {
        Layer.EMBEDDED: LayerRule((BaseSource.BASE_ELEMENT,), "base element", "4.2.3"),
        Layer.ENCAPSULATING: LayerRule((BaseSource.ENCLOSING_DOCUMENT, *_FIELDS), "about base URL", "2.4.3"),
        Layer.RETRIEVAL: LayerRule((BaseSource.RETRIEVAL,), "document's URL", "2.4.3"),
        Layer.DEFAULT: LayerRule(_DEFAULTS, "default base URL"),
    },
}
"""Name of the specification, a key of `linkfix.resolvers.RESOLVERS` -> its layers, innermost first."""


def has_xml_base(spec: str, *, in_svg: bool) -> bool:
    """Whether `xml:base` counts in an XML document by a specification. `in_svg`: its root element is SVG's.

    Browsers have removed it, and SVG 2 after them. The RFCs leave it to the format, and SVG 1.1 has it.

    >>> has_xml_base("whatwg", in_svg=True), has_xml_base("rfc3986", in_svg=True), has_xml_base("whatwg", in_svg=False)
    (False, True, True)
    """
    return spec != "whatwg" or not in_svg


def sources_of(layer: Layer, spec: str) -> tuple[BaseSource, ...]:
    """What a layer of a specification takes a base from, in order; none where the specification lacks it."""
    rule = LAYERS[spec].get(layer)
    return () if rule is None else rule.sources
