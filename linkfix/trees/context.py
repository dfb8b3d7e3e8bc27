"""The inherited state of an element of a parsed tree.

It has the element's namespace (if the tree has none), whether the element is in a template, and the values of
`xml:base` that apply to it. Each library names elements in its own way. Each name is interpreted once per context, and
then looked up.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Any

from linkfix.html.vocabulary import WHITE_SPACE, RowTable, ascii_lower
from linkfix.html.xml_outline import MAX_NESTED_XML_BASES, NAMESPACES, XLINK, XML, XML_BASE
from linkfix.model import Row

HTML_URI = "http://www.w3.org/1999/xhtml"

_PREFIXES = {"": "", XLINK: "xlink:", XML: "xml:"}
_ROOTS = {"svg": "svg", "math": "mathml"}
#: HTML §13.2.6: elements of foreign content whose children are HTML; in MathML except for mglyph and malignmark.
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
#: HTML §13.2.5.1, §13.2.6.4: elements that contain only text. A simpler parser may find elements in that text; they are
#: ignored.
TEXT_ONLY = frozenset({"iframe", "noembed", "noframes", "plaintext", "script", "style", "textarea", "title", "xmp"})
#: Elements whose kind depends on their attributes in foreign content (HTML §13.2.6, §13.2.6.5).
_DEPEND_ON_ATTRIBUTES = frozenset({"font", "annotation-xml"})
#: Syntaxes of one URL and of several URLs that depend only on the value, and roles with another base than the
#: document's.
ONE_URL = frozenset({"url", "local-url"})
SEVERAL_URLS = frozenset({"css", "srcset"})
OTHER_BASES = frozenset({"base", "code"})


#: The maximum length of remembered names, in characters: of an element, and of its attributes together. And the maximum
#: number of names that are kept from one document to the next.
LONGEST = 1024
_MOST_LEARNED = 4096


class UrlAttribute:
    """An attribute of an element kind whose references depend only on its value and the document's base.

    `key`: the library's name. `row`: the vocabulary's row. `is_local`: a reference
    that is only a fragment always means its own document. `has_one`: the value is one URL. `is_early`: the base is the
    document's fallback base, since the references are parsed before the BASE element that decides.
    """

    def __init__(self, key: str, row: Row, is_early: bool = False) -> None:
        self.key: str = key
        self.row: Row = row
        self.is_local: bool = row.syntax == "local-url"
        self.has_one: bool = row.syntax in ONE_URL
        self.is_early: bool = is_early


class Shape:
    """The shape of elements of a given kind with given attribute names.

    `attributes`: their URL attributes, in order. `guards`: pairs of an attribute name (the library's) and words. An
    element needs the slow path if the attribute's value is one of the words, or if there are no words. It can then have
    other references. `needs_look`: whether every such element needs the slow path.
    """

    def __init__(
        self,
        attributes: tuple[UrlAttribute, ...],
        guards: tuple[tuple[str, tuple[str, ...]], ...],
        needs_look: bool,
    ) -> None:
        self.attributes: tuple[UrlAttribute, ...] = attributes
        self.guards: tuple[tuple[str, tuple[str, ...]], ...] = guards
        self.needs_look: bool = needs_look
        self.is_empty: bool = not (attributes or guards or needs_look)

    def is_guard(self, words: tuple[str, ...], value: object) -> bool:
        """Whether a guard attribute's value asks for the slow path. The value is None if it is empty."""
        if not words or type(value) is not str:
            return not words or value is not None
        return ascii_lower(value.strip(WHITE_SPACE)) in words


#: The shape of elements that need the slow path, and the shape of elements without references.
CLOSER, NO_REFERENCES = Shape((), (), True), Shape((), (), False)


class ElementKind:
    """The vocabulary's view of an element.

    `namespace`: "html", "svg" or "mathml"; "" if the vocabulary does not have it. `name`: its name in that namespace.
    `has_text`: whether its text can contain references. `has_rows`: whether it can have references in attributes other
    than those that count on all HTML elements. `inner`: the context of its children, without an `xml:base` of its own.
    `shapes`: the library's attribute names of each such element so far -> see `Context.shape`.
    """

    def __init__(self, namespace: str, name: str, has_text: bool, has_rows: bool, inner: Context) -> None:
        self.namespace: str = namespace
        self.name: str = name
        self.has_text: bool = has_text
        self.has_rows: bool = has_rows
        self.inner: Context = inner
        self.shapes: dict[tuple[Any, ...], Shape] = {}


class Context:
    """The inherited state of an element's children.

    `kinds`: the elements seen so far, by the library's name. `xml`: whether names are those of an XML document.
    `own_bases`: values of `xml:base`, outermost first. `root`: the context of the document's root element; None if it
    is this context. The root's `learned` counts the names that it and its related contexts remember.
    """

    def __init__(
        self,
        table: RowTable,
        xml: bool,
        state: str = "html",
        in_template: bool = False,
        own_bases: tuple[str, ...] = (),
        in_noscript: bool = False,
        related: dict[tuple[str, bool, bool], Context] | None = None,
        root: Context | None = None,
    ) -> None:
        self._table = table
        self._state = state
        self._related = {} if related is None else related
        self._related[state, in_template, in_noscript] = self
        self.xml: bool = xml
        self.in_template: bool = in_template
        self.in_noscript: bool = in_noscript
        self.own_bases: tuple[str, ...] = own_bases
        self.kinds: dict[Hashable, ElementKind] = {}
        self.root: Context | None = root
        self.learned: int = 0

    @property
    def everywhere(self) -> frozenset[str]:
        """The attributes that can have references on all HTML elements."""
        return self._table.everywhere

    def _learn(self, names: int) -> None:
        root = self.root or self
        root.learned += names

    @property
    def attributes(self) -> frozenset[str]:
        """The attributes that can have references, by the vocabulary's names."""
        return self._table.attributes | {XML_BASE.attribute} if self.xml else self._table.attributes

    def attribute(self, uri: str, local: str) -> str:
        """An attribute's name in the vocabulary, or "". `uri`: its namespace, or ""."""
        prefix = _PREFIXES.get(uri)
        if prefix is None:
            return ""
        name = prefix + (local if self.xml else ascii_lower(local))
        return name if name in self.attributes or name in self._table.guards else ""

    @property
    def has_too_many_bases(self) -> bool:
        """Whether more `xml:base` apply than are resolved (`linkfix.html.xml_outline.MAX_NESTED_XML_BASES`)."""
        return len(self.own_bases) > MAX_NESTED_XML_BASES

    def kind(self, key: Hashable, uri: str, local: str, get: Callable[[str], str | None]) -> ElementKind:
        """The kind of an element. It is kept in `kinds[key]` if the name alone determines it.

        `uri`: the element's namespace; "" if the tree has none. `local`: its name in that namespace. `get`: returns an
        attribute by name.
        """
        depends = False
        if self.xml:
            namespace = NAMESPACES.get(uri, "")
            name = ascii_lower(local) if namespace == "svg" else local
            state = self._state
        else:
            name = ascii_lower(local)
            depends = not uri and name in _DEPEND_ON_ATTRIBUTES and self._state != "html"
            marked = depends and _is_marked(name, get)
            namespace = NAMESPACES.get(uri, "") if uri else self._namespace(name, marked=marked)
            if name == "image" and namespace == "html":
                name = "img"  # HTML §13.2.6.4.7: "Don't ask."
            state = _inside(namespace, name, marked=marked) if self._state != "raw" else "raw"
        in_template = self.in_template or (namespace == "html" and name == "template")
        in_noscript = self.in_noscript or (namespace == "html" and name == "noscript" and not self.xml)
        inner = self._related.get((state, in_template, in_noscript)) or Context(
            self._table,
            self.xml,
            state,
            in_template,
            self.own_bases,
            in_noscript,
            self._related,
            self.root or self,
        )
        has_text = bool(namespace) and name in self._table.texts
        has_rows = self.xml or namespace != "html" or name in self._table.elements
        found = ElementKind(namespace, name, has_text, has_rows, inner)
        if not depends and len(local) <= LONGEST:
            self.kinds[key] = found
            self._learn(1)
        return found

    def shape(self, kind: ElementKind, keys: tuple[Any, ...], known: Callable[[Any, Context], str]) -> Shape:
        """The shape of an element in this context, kept in `kind.shapes`; `CLOSER` if the element needs the slow path.

        `keys`: the library's names of its attributes. `known`: returns the vocabulary's name of an attribute, or "".
        """
        names: list[str] = []
        for key in keys:
            names.append(known(key, self))  # noqa: PERF401 - compiled functions have no closures
        shape = self._shape(kind, keys, names)
        if sum(map(len, keys)) <= LONGEST:
            kind.shapes[keys] = shape
            self._learn(len(keys))
        return shape

    def _shape(self, kind: ElementKind, keys: tuple[Any, ...], names: list[str]) -> Shape:
        if self.xml:
            return CLOSER if kind.has_text or not self.attributes.isdisjoint(names) else NO_REFERENCES
        guards: list[tuple[str, tuple[str, ...]]] = []
        if kind.has_text and self._row_without_guard(kind, "", keys, names, guards) is not None:
            return CLOSER
        if kind.name == "meta" and "http-equiv" in names:  # it may state a policy
            guards.append((keys[names.index("http-equiv")], ("content-security-policy",)))
        found: list[UrlAttribute] = []
        for at, name in enumerate(names):
            row = self._row_without_guard(kind, name, keys, names, guards) if name else None
            if row is not None:
                is_usual = row.syntax in ONE_URL or row.syntax in SEVERAL_URLS
                if keys[at] != name or not is_usual or row.role in OTHER_BASES:
                    return CLOSER
                for key in keys:
                    if key.endswith(":" + name):
                        return CLOSER  # selectolax takes "a:href" for "href"
                found.append(UrlAttribute(name, row))
        return Shape(tuple(found), tuple(guards), False) if found or guards else NO_REFERENCES

    def _row_without_guard(
        self, kind: ElementKind, name: str, keys: tuple[Any, ...], names: list[str], guards: list[Any]
    ) -> Row | None:
        """The first row without a guard for an attribute, "" for the text. Earlier rows whose guard attribute the
        element has are added to `guards`.
        """
        for row in self._table.rows(kind.namespace, kind.name, name):
            if not row.guard:
                return row
            guard, _, words = row.guard.partition("=")
            if guard in names:
                guards.append((keys[names.index(guard)], tuple(words.split())))
        return None

    def _namespace(self, name: str, *, marked: bool) -> str:
        """The namespace that HTML's parser gives to an element here, for a tree without namespaces (HTML §13.2.6)."""
        state = self._state
        if state == "raw":
            return ""
        if state in {"svg", "mathml", "annotation"} and name not in _BREAKOUT and not (name == "font" and marked):
            return "svg" if state == "svg" or (state == "annotation" and name == "svg") else "mathml"
        if state == "text" and name in _GLYPHS:
            return "mathml"
        return _ROOTS.get(name, "html")

    def with_base(self, own_base: str) -> Context:
        """The same context with one more `xml:base`."""
        if self.has_too_many_bases:
            return self
        bases = (*self.own_bases, own_base)
        return Context(self._table, True, self._state, self.in_template, bases)


def root_context(table: RowTable, *, xml: bool, tree_class: type) -> Context:
    """The context of a document's root element. For HTML, it is kept with all names that it has learned; all trees of a
    class write names alike.
    """
    if xml:
        return Context(table, True)
    kept = _kept(table, tree_class)
    if not kept or kept[0].learned > _MOST_LEARNED:
        kept[:] = [Context(table, False)]
    return kept[0]


@lru_cache(maxsize=32)
def _kept(_table: RowTable, _tree_class: type) -> list[Context]:
    """The cached root context, in a list; an empty list if there is none."""
    return []


def _is_marked(name: str, get: Callable[[str], str | None]) -> bool:
    if name == "annotation-xml":
        return (get("encoding") or "").lower() in _POINT_ENCODINGS
    return get("color") is not None or get("face") is not None or get("size") is not None


def _inside(namespace: str, name: str, *, marked: bool) -> str:
    """The state of an element's children: a namespace, a MathML text integration point, an annotation or raw text."""
    if namespace == "svg":
        return "html" if name in _SVG_POINTS else "svg"
    if namespace != "mathml":
        return "raw" if name in TEXT_ONLY else "html"
    if name in _MATHML_POINTS:
        return "text"
    if name == "annotation-xml":
        return "html" if marked else "annotation"
    return "mathml"
