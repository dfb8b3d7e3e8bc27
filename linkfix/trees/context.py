"""What an element of a parsed tree inherits from its ancestors: its namespace, where the tree has none; whether it is
in a template; the values of `xml:base` that apply to it.

A library names elements in its own way. Each name is interpreted once for each context, and looked up from then on.
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
TEXT_ONLY = frozenset({"iframe", "noembed", "noframes", "plaintext", "script", "style", "textarea", "title", "xmp"})
#: Names of elements whose attributes decide what they are (HTML §13.2.6, §13.2.6.5).
_DEPEND_ON_ATTRIBUTES = frozenset({"font", "annotation-xml"})
#: Syntaxes of one URL and of several that go by nothing but the value, and roles whose base is not the document's.
ONE_URL = frozenset({"url", "local-url"})
SEVERAL_URLS = frozenset({"css", "srcset"})
OTHER_BASES = frozenset({"base", "code"})


#: Names of more characters are not remembered, nor those of an element's attributes together; nor is more than so many
#: names from one document to the next.
LONGEST = 1024
_MOST_LEARNED = 4096


class UrlAttribute:
    """An attribute of some kind of element whose references go by its value and the document's base alone.

    `key`: the library's name. `row`: the vocabulary's, some of whose fields are here too. `is_local`: a fragment alone
    is of its own document always. `has_one`: the value is one URL.
    """

    def __init__(self, key: str, row: Row) -> None:
        self.key: str = key
        self.row: Row = row
        self.attribute: str = row.attribute
        self.syntax: str = row.syntax
        self.role: str = row.role
        self.is_local: bool = row.syntax == "local-url"
        self.has_one: bool = row.syntax in ONE_URL


class Shape:
    """What an element of some kind with attributes of some names has: `attributes` with references, in order.

    `guards`: the library's names of attributes, and words. An element that has one of these as a value, or for no words
    any value, can have other references too: it needs a closer look. With `needs_look` each does.
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
        """Whether a guard attribute's value, None for an empty one, asks for a closer look."""
        if not words or type(value) is not str:
            return not words or value is not None
        return ascii_lower(value.strip(WHITE_SPACE)) in words


#: That of elements that need a closer look, and that of elements without references.
CLOSER, NO_REFERENCES = Shape((), (), True), Shape((), (), False)


class ElementKind:
    """What an element is for the vocabulary.

    `namespace`: "html", "svg" or "mathml"; "" for one that the vocabulary does not have. `name`: its name there.
    `has_text`: whether its text can hold references. `has_rows`: it can have references in other attributes than those
    that count on all of HTML's elements. `inner`: the context of its children, without an `xml:base` of its
    own. `shapes`: the library's names of its attributes, for each such element so far -> see `Context.shape`.
    """

    def __init__(self, namespace: str, name: str, has_text: bool, has_rows: bool, inner: Context) -> None:
        self.namespace: str = namespace
        self.name: str = name
        self.has_text: bool = has_text
        self.has_rows: bool = has_rows
        self.inner: Context = inner
        self.shapes: dict[tuple[Any, ...], Shape] = {}


class Context:
    """What the children of an element inherit.

    `kinds`: the elements seen so far, by the library's name for them. `xml`: names are those of an XML document.
    `own_bases`: values of `xml:base`, outermost first. `root`: the context of the document's root element, this one
    where it is None, whose `learned` tells how many names it and the contexts related to it remember.
    """

    def __init__(
        self,
        table: RowTable,
        xml: bool,
        state: str = "html",
        in_template: bool = False,
        own_bases: tuple[str, ...] = (),
        in_noscript: bool = False,
        closer: bool = False,
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
        self._closer: bool = closer or xml
        self.own_bases: tuple[str, ...] = own_bases
        self.kinds: dict[Hashable, ElementKind] = {}
        self.root: Context | None = root
        self.learned: int = 0

    @property
    def everywhere(self) -> frozenset[str]:
        """The attributes that can have references on all of HTML's elements."""
        return self._table.everywhere

    def _learn(self, names: int) -> None:
        root = self.root or self
        root.learned += names

    @property
    def attributes(self) -> frozenset[str]:
        """The attributes that can have references, by the vocabulary's names."""
        return self._table.attributes | {XML_BASE.attribute} if self.xml else self._table.attributes

    def attribute(self, uri: str, local: str) -> str:
        """An attribute's name as the vocabulary writes it; "" where it has nothing to say of it. `uri`: "" for none."""
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
        """The kind of an element, which is kept in `kinds[key]` where its name alone determines it.

        `uri`: its namespace, "" where the tree has none; `local`: its name there; `get`: gives its attributes.
        """
        if self.xml:
            namespace = NAMESPACES.get(uri, "")
            name = ascii_lower(local) if namespace == "svg" else local
            state = self._state
        else:
            name = ascii_lower(local)
            marked = not uri and name in _DEPEND_ON_ATTRIBUTES and _is_marked(name, get)
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
            self._closer,
            self._related,
            self.root or self,
        )
        has_text = bool(namespace) and name in self._table.texts
        has_rows = self.xml or namespace != "html" or name in self._table.elements
        found = ElementKind(namespace, name, has_text, has_rows, inner)
        if (uri or name not in _DEPEND_ON_ATTRIBUTES) and len(local) <= LONGEST:
            self.kinds[key] = found
            self._learn(1)
        return found

    def shape(self, kind: ElementKind, keys: tuple[Any, ...], known: Callable[[Any, Context], str]) -> Shape:
        """What an element here has, which `kind.shapes` keeps; `CLOSER` where it needs a closer look.

        `keys`: the library's names of its attributes; `known`: gives the vocabulary's, "" for none.
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
        if self._closer:
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
        """The first row without a guard of an attribute, "" for the text. Those before it that an element with such
        attributes can satisfy are added to `guards`.
        """
        for row in self._table.rows(kind.namespace, kind.name, name):
            if not row.guard:
                return row
            guard, _, words = row.guard.partition("=")
            if guard in names:
                guards.append((keys[names.index(guard)], tuple(words.split())))
        return None

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
        return Context(self._table, True, self._state, self.in_template, bases)


def root_context(table: RowTable, *, xml: bool, tree_class: type, closer: bool = False) -> Context:
    """The context of a document's root element. HTML's is kept with all that it has learned of names, which are written
    alike in all trees of a class. `closer`: every element with references needs a closer look.
    """
    if closer and not xml:
        return Context(table, False, "html", False, (), False, True)
    if xml:
        return Context(table, True)
    kept = _kept(table, tree_class)
    if not kept or kept[0].learned > _MOST_LEARNED:
        kept[:] = [Context(table, False)]
    return kept[0]


@lru_cache(maxsize=32)
def _kept(_table: RowTable, _tree_class: type) -> list[Context]:
    """The root context that is kept, if there is one."""
    return []


def _is_marked(name: str, get: Callable[[str], str | None]) -> bool:
    if name == "annotation-xml":
        return (get("encoding") or "").lower() in _POINT_ENCODINGS
    return get("color") is not None or get("face") is not None or get("size") is not None


def _inside(namespace: str, name: str, *, marked: bool) -> str:
    """What the children of an element are in: a namespace, a MathML text integration point, an annotation, raw text."""
    if namespace == "svg":
        return "html" if name in _SVG_POINTS else "svg"
    if namespace != "mathml":
        return "raw" if name in TEXT_ONLY else "html"
    if name in _MATHML_POINTS:
        return "text"
    if name == "annotation-xml":
        return "html" if marked else "annotation"
    return "mathml"
