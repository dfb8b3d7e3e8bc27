"""What an element of a tree in hand has from the elements around it: its namespace, where the tree knows none; whether
it stands in a template; the `xml:base` values that hold for it.

A library tells elements by names of its own. Each name is looked at once for each kind of place that it stands in, so
that to ask about an element is to look it up.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import NamedTuple

from linkfix.html.vocabulary import RowTable
from linkfix.html.xml_outline import MAX_NESTED_XML_BASES, NAMESPACES, XLINK, XML, XML_BASE

__all__ = ["HTML_URI", "Context", "Place", "context"]

HTML_URI = "http://www.w3.org/1999/xhtml"

_PREFIXES = {"": "", XLINK: "xlink:", XML: "xml:"}
_ROOTS = {"svg": "svg", "math": "mathml"}
#: HTML §13.2.6: elements of foreign content whose children are HTML, mglyph and malignmark excepted in MathML's.
_SVG_POINTS = frozenset({"foreignobject", "desc", "title"})
_MATHML_POINTS = frozenset({"mi", "mo", "mn", "ms", "mtext"})
_GLYPHS = frozenset({"mglyph", "malignmark"})
_POINT_ENCODINGS = frozenset({"text/html", "application/xhtml+xml"})
#: HTML §13.2.6.5: elements that end foreign content.
_BREAKOUT_NAMES = (
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta"
    " nobr ol p pre ruby s small span strong strike sub sup table tt u ul var"
)
_BREAKOUT = frozenset(_BREAKOUT_NAMES.split())
#: HTML §13.2.5.1, §13.2.6.4: elements that hold text only; what a simpler parser made of that text is no element.
_TEXT_ONLY = frozenset({"iframe", "noembed", "noframes", "plaintext", "script", "style", "textarea", "title", "xmp"})
#: Names whose element's attributes say what it is (HTML §13.2.6, §13.2.6.5).
_MARKED = frozenset({"font", "annotation-xml"})


class Place(NamedTuple):
    """An element's place: its `namespace`, "" for one that the vocabulary does not have, and its `name` there.

    `text`: its text can hold references. `inner`: the context of its children, but for an `xml:base` of its own.
    """

    namespace: str
    name: str
    text: bool
    inner: Context


class Context:
    """What elements inherit that stand in the same kind of place. `places`: those seen so far, by the library's name.

    `xml`: the names of the tree are an XML document's. `own_bases`: values of `xml:base`, outermost first.
    """

    __slots__ = ("_kin", "_state", "_table", "in_template", "own_bases", "places", "xml")

    def __init__(  # noqa: PLR0913 - what there is to inherit
        self,
        table: RowTable,
        *,
        xml: bool,
        state: str = "html",
        in_template: bool = False,
        own_bases: tuple[str, ...] = (),
        kin: dict[tuple[str, bool], Context] | None = None,
    ) -> None:
        self._table = table
        self._state = state
        self._kin = {} if kin is None else kin
        self._kin[state, in_template] = self
        self.xml = xml
        self.in_template = in_template
        self.own_bases = own_bases
        self.places: dict[Hashable, Place] = {}

    @property
    def attributes(self) -> frozenset[str]:
        """The attributes that can have references, by the vocabulary's names."""
        return self._table.attributes | {XML_BASE.attribute} if self.xml else self._table.attributes

    def attribute(self, uri: str, local: str) -> str:
        """An attribute's name as the vocabulary writes it; "" where it has nothing to say of it. `uri`: "" for none."""
        prefix = _PREFIXES.get(uri)
        if prefix is None:
            return ""
        name = prefix + (local if self.xml else local.lower())
        return name if name in self.attributes or name in self._table.guards else ""

    @property
    def left_alone(self) -> bool:
        """Whether too many `xml:base` stand around (`linkfix.html.xml_outline`)."""
        return len(self.own_bases) > MAX_NESTED_XML_BASES

    def enter(self, key: Hashable, uri: str, local: str, get: Callable[[str], str | None]) -> Place:
        """The place of an element, which `places[key]` is from now on, if its name alone tells it.

        `uri`: its namespace, "" where the tree has none; `local`: its name there; `get`: gives its attributes.
        """
        if self.xml:
            namespace = NAMESPACES.get(uri, "")
            name = local.lower() if namespace == "svg" else local
            state = self._state
        else:
            name = local.lower()
            marked = not uri and name in _MARKED and _is_marked(name, get)
            namespace = NAMESPACES.get(uri, "") if uri else self._namespace(name, marked=marked)
            if name == "image" and namespace == "html":
                name = "img"  # HTML §13.2.6.4.7: "Don't ask."
            state = _inside(namespace, name, marked=marked) if self._state != "raw" else "raw"
        in_template = self.in_template or (namespace == "html" and name == "template")
        inner = self._kin.get((state, in_template)) or Context(
            self._table, xml=self.xml, state=state, in_template=in_template, own_bases=self.own_bases, kin=self._kin
        )
        place = Place(namespace, name, bool(namespace) and name in self._table.texts, inner)
        if uri or name not in _MARKED:
            self.places[key] = place
        return place

    def _namespace(self, name: str, *, marked: bool) -> str:
        """The namespace of an element here in a tree that knows none: what HTML's parser gives it (HTML §13.2.6)."""
        state = self._state
        if state == "raw":
            return ""
        if state in {"svg", "mathml", "annotation"} and name not in _BREAKOUT and not (name == "font" and marked):
            return "svg" if state == "svg" or (state == "annotation" and name == "svg") else "mathml"
        if state == "text" and name in _GLYPHS:
            return "mathml"
        return _ROOTS.get(name, "html")

    def with_base(self, own_base: str) -> Context:
        """The same in an element with that `xml:base`."""
        if self.left_alone:
            return self
        bases = (*self.own_bases, own_base)
        return Context(self._table, xml=True, state=self._state, in_template=self.in_template, own_bases=bases)


def context(table: RowTable, *, xml: bool) -> Context:
    """The context of a document's root element."""
    return Context(table, xml=xml)


def _is_marked(name: str, get: Callable[[str], str | None]) -> bool:
    if name == "annotation-xml":
        return (get("encoding") or "").lower() in _POINT_ENCODINGS
    return any(get(attribute) is not None for attribute in ("color", "face", "size"))


def _inside(namespace: str, name: str, *, marked: bool) -> str:
    """What the children of an element are in: a namespace, a MathML text integration point, an annotation, raw text."""
    if namespace == "svg":
        return "html" if name in _SVG_POINTS else "svg"
    if namespace != "mathml":
        return "raw" if name in _TEXT_ONLY else "html"
    if name in _MATHML_POINTS:
        return "text"
    if name == "annotation-xml":
        return "html" if marked else "annotation"
    return "mathml"
