"""What an element of a parsed tree inherits from its ancestors: its namespace, where the tree has none; whether it is
in a template; the values of `xml:base` that apply to it.

A library names elements in its own way. Each name is interpreted once for each context, and looked up from then on.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import NamedTuple

from linkfix.html.vocabulary import RowTable
from linkfix.html.xml_outline import MAX_NESTED_XML_BASES, NAMESPACES, XLINK, XML, XML_BASE

__all__ = ["HTML_URI", "Context", "ElementKind", "root_context"]

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
#: Names of elements whose attributes decide what they are (HTML §13.2.6, §13.2.6.5).
_DEPEND_ON_ATTRIBUTES = frozenset({"font", "annotation-xml"})


class ElementKind(NamedTuple):
    """What an element is for the vocabulary."""

    namespace: str
    """"html", "svg" or "mathml"; "" for one that the vocabulary does not have."""
    name: str
    """Its name there."""
    text: bool
    """Whether its text can hold references."""
    inner: Context
    """The context of its children, without an `xml:base` of its own."""


class Context:
    """What the children of an element inherit.

    `kinds`: the elements seen so far, by the library's name for them. `xml`: names are those of an XML document.
    `own_bases`: values of `xml:base`, outermost first.
    """

    __slots__ = ("_related", "_state", "_table", "in_template", "kinds", "own_bases", "xml")

    def __init__(  # noqa: PLR0913 - what there is to inherit
        self,
        table: RowTable,
        *,
        xml: bool,
        state: str = "html",
        in_template: bool = False,
        own_bases: tuple[str, ...] = (),
        related: dict[tuple[str, bool], Context] | None = None,
    ) -> None:
        self._table = table
        self._state = state
        self._related = {} if related is None else related
        self._related[state, in_template] = self
        self.xml: bool = xml
        self.in_template: bool = in_template
        self.own_bases: tuple[str, ...] = own_bases
        self.kinds: dict[Hashable, ElementKind] = {}

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
    def has_too_many_bases(self) -> bool:
        """Whether more `xml:base` apply than are resolved (`linkfix.html.xml_outline.MAX_NESTED_XML_BASES`)."""
        return len(self.own_bases) > MAX_NESTED_XML_BASES

    def kind(self, key: Hashable, uri: str, local: str, get: Callable[[str], str | None]) -> ElementKind:
        """The kind of an element, which is kept in `kinds[key]` where its name alone determines it.

        `uri`: its namespace, "" where the tree has none; `local`: its name there; `get`: gives its attributes.
        """
        if self.xml:
            namespace = NAMESPACES.get(uri, "")
            name = local.lower() if namespace == "svg" else local
            state = self._state
        else:
            name = local.lower()
            marked = not uri and name in _DEPEND_ON_ATTRIBUTES and _is_marked(name, get)
            namespace = NAMESPACES.get(uri, "") if uri else self._namespace(name, marked=marked)
            if name == "image" and namespace == "html":
                name = "img"  # HTML §13.2.6.4.7: "Don't ask."
            state = _inside(namespace, name, marked=marked) if self._state != "raw" else "raw"
        in_template = self.in_template or (namespace == "html" and name == "template")
        inner = self._related.get((state, in_template)) or Context(
            self._table,
            xml=self.xml,
            state=state,
            in_template=in_template,
            own_bases=self.own_bases,
            related=self._related,
        )
        found = ElementKind(namespace, name, bool(namespace) and name in self._table.texts, inner)
        if uri or name not in _DEPEND_ON_ATTRIBUTES:
            self.kinds[key] = found
        return found

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
        if self.has_too_many_bases:
            return self
        bases = (*self.own_bases, own_base)
        return Context(self._table, xml=True, state=self._state, in_template=self.in_template, own_bases=bases)


def root_context(table: RowTable, *, xml: bool) -> Context:
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
