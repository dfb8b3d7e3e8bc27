"""A link extractor with Scrapy's interface that finds all links of linkfix's vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Unpack

from lxml import etree
from scrapy.http import TextResponse
from scrapy.link import Link
from scrapy.linkextractors import IGNORED_EXTENSIONS
from scrapy.linkextractors.lxmlhtml import LxmlLinkExtractor
from scrapy.utils.misc import arg_to_iter, rel_has_nofollow

from linkfix.errors import InvalidOption
from linkfix.hooks.lxml import known_attributes
from linkfix.hooks.scrapy_response import PageResolver, page_resolver
from linkfix.html.vocabulary import GROUPS, ROLES, ROWS, row_index
from linkfix.model import OptionFields, Options, Row, make_options
from linkfix.trees.context import Context, ElementKind
from linkfix.trees.conversion import absolutize_elements
from linkfix.trees.element import Element, TreeColumns
from linkfix.urls import strip_url

_text_of = etree.XPath("string()")
#: Roles that do not count as links: base URLs, and names of fragments.
_NOT_LINKS = frozenset({"base", "codebase", "anchor", "document"})
_TEXTS = ("script", "style")
#: Scrapy's defaults. With `roles`, each default means every tag or attribute that can have a link.
_TAGS, _ATTRS = ("a", "area"), ("href",)


class LinkExtractor(LxmlLinkExtractor):
    """Scrapy's `LinkExtractor` for every kind of link, by the page's own base. No page can make it raise.

    The parameters have Scrapy's names, order, defaults and meaning, except:

    - Attributes are read as in HTML: `srcset` gives all of its candidates, `content` of a refresh its URL, `style` the
      URLs of its CSS. Any other named attribute (`data-url`) has one URL, and so has `href` on other elements.
    - `attrs="*"` means every attribute that can have a link, not `class` and `id`. Scrapy reads each of them as a URL.
    - `strip` has no effect, since browsers strip all URLs.

    `roles` selects links by purpose: "hyperlink" (followed by a user), "resource" (fetched with the page: images,
    scripts, style sheets, frames), "form", "metadata", "code". With `roles`, the defaults of `tags` and `attrs` are all
    tags and attributes that can have a link. With more roles than "hyperlink", no extensions are denied by default.

    `options`: the fields of `linkfix.Options`; `lazy`, `social`, `json_ld` and `rows` add places of links. Raises
    InvalidOption for an unknown role or a wrong option.
    """

    def __init__(
        self,
        allow: Any = (),
        deny: Any = (),
        allow_domains: str | Iterable[str] = (),
        deny_domains: str | Iterable[str] = (),
        restrict_xpaths: str | Iterable[str] = (),
        tags: str | Iterable[str] | None = _TAGS,
        attrs: str | Iterable[str] | None = _ATTRS,
        canonicalize: bool = False,
        unique: bool = True,
        process_value: Callable[[Any], Any] | None = None,
        deny_extensions: str | Iterable[str] | None = None,
        restrict_css: str | Iterable[str] = (),
        strip: bool = True,
        restrict_text: Any = None,
        deny_tags: str | Iterable[str] = (),
        deny_attrs: str | Iterable[str] = (),
        *,
        roles: str | Iterable[str] = (),
        **options: Unpack[OptionFields],
    ) -> None:
        self.roles: frozenset[str] = frozenset(arg_to_iter(roles)) or ROLES - _NOT_LINKS
        for role in sorted(self.roles - (ROLES - _NOT_LINKS)):
            message = f"unknown role {role!r}: use one of {', '.join(sorted(ROLES - _NOT_LINKS))}"
            raise InvalidOption(message)
        if deny_extensions is None:
            deny_extensions = () if roles and self.roles != {"hyperlink"} else IGNORED_EXTENSIONS
        super().__init__(
            allow=allow,
            deny=deny,
            allow_domains=allow_domains,
            deny_domains=deny_domains,
            restrict_xpaths=restrict_xpaths,
            canonicalize=canonicalize,
            unique=unique,
            process_value=process_value,
            deny_extensions=deny_extensions,
            restrict_css=restrict_css,
            strip=strip,
            restrict_text=restrict_text,
        )
        self.every_tag: bool = tags is not _TAGS and "*" in arg_to_iter(tags)
        self.tags: frozenset[str] = _names("*" if roles and tags is _TAGS else tags)
        self.attrs: frozenset[str] = _names("*" if roles and attrs is _ATTRS else attrs)
        self.deny_tags: frozenset[str] = _names(deny_tags)
        self.deny_attrs: frozenset[str] = _names(deny_attrs)
        rows = self._new_rows(make_options(options))
        self.fields: OptionFields = {**options, "rows": (*options.get("rows", ()), *rows)}
        row_index(Options(**self.fields))  # raises InvalidOption for wrong rows of the caller

    def _new_rows(self, options: Options) -> Iterator[Row]:
        """Rows for named attributes that are not in the vocabulary."""
        groups = (rows for group, rows in GROUPS.items() if getattr(options, group))
        rows = sum(groups, options.rows + ROWS)
        known = {(row.element, row.attribute) for row in rows if row.namespace == "html" or row.element != "*"}
        role = "hyperlink" if "hyperlink" in self.roles else min(self.roles)
        for attribute in sorted(self.attrs - {"*"}):
            holders = {element for element, held in known if held == attribute}
            for tag in sorted(self.tags):
                # A given "*" means all elements; the vocabulary's elements keep their own rows.
                if not holders & {tag, "*"} and not (tag == "*" and holders and not self.every_tag):
                    yield Row(tag, attribute, "url", role)

    def extract_links(self, response: TextResponse) -> list[Link]:
        """Extract the links of a page that the extractor's parameters allow, in document order."""
        if not (isinstance(response, TextResponse) and self.tags and self.attrs):
            return []
        resolver = page_resolver(response)
        if self.restrict_xpaths:
            roots = [selector.root for path in self.restrict_xpaths for selector in response.xpath(path)]
        else:
            roots = [response.selector.root]
        before = _before_base(response.selector.root, resolver)
        roots = [root for root in roots if etree.iselement(root)]
        links = [link for root in roots for link in self._found(root, len(roots), resolver, before)]
        return self._process_links(links)

    def _found(self, root: Any, parts: int, resolver: PageResolver, before: set[Any]) -> Iterator[Link]:
        """The links in an element that have a role, element and attribute of the extractor.

        `parts`: the number of such elements. `before`: the page's elements before a late BASE.
        """
        nodes = list(self._nodes(root))
        late = _LateBase(sum(node in before for node in nodes), resolver.envelope.base or "") if before else None
        envelope = resolver.envelope._replace(base=resolver.fallback) if before else resolver.envelope
        for link in absolutize_elements(_ScrapyTree(nodes, late), envelope=envelope, parts=parts, **self.fields).links:
            node = nodes[link.line]
            if link.target is None or not self._is_selected(link.element, link.attribute, link.role):
                continue
            value = self.link_extractor.process_attr(link.target)
            url = value if value is None or value == link.target else resolver.join(value)
            if url is not None:
                yield Link(url, str(_text_of(node)), nofollow=rel_has_nofollow(node.get("rel")))

    def _nodes(self, root: Any) -> Iterator[Any]:
        """The elements that can have such links. BASE is excluded: the base is known."""
        attributes = None if "*" in self.attrs else {*self.attrs, "srcdoc"}
        names = [etree.Element] if "*" in self.tags else [f"{{*}}{tag}" for tag in sorted(self.tags)]
        for node in root.iter(*names):
            held = node.keys()
            if node.tag != "base" and (not attributes.isdisjoint(held) if attributes else held or node.tag in _TEXTS):
                yield node

    def _is_selected(self, element: str, attribute: str, role: str) -> bool:
        return (
            role in self.roles
            and not self.tags.isdisjoint((element, "*"))
            and not self.attrs.isdisjoint((attribute, "*"))
            and element not in self.deny_tags
            and attribute not in self.deny_attrs
        )


class _ScrapyElement(Element):
    """An element of Scrapy's tree, read only. Its `line` is its index, by which a link refers to it."""

    __slots__ = ()

    def __init__(self, node: Any, number: int, outer: Context) -> None:
        kind = _kind(node, outer)
        super().__init__(node, kind, outer, kind.inner, number)

    def read_attributes(self) -> Iterable[tuple[str, str, str]]:
        return known_attributes(self.node, lambda key: self.outer.attribute(*_split(key)))

    def texts(self) -> Sequence[str]:
        return (self.node.text or "",)

    def set(self, name: str, value: str | None) -> None:
        pass

    def set_texts(self, new: Mapping[int, str]) -> None:
        pass

    def remove(self) -> None:
        pass


class _LateBase(NamedTuple):
    """The BASE element that decides."""

    at: int
    """The number of selected elements before it."""
    url: str
    """The base URL that it sets."""


class _KnownBase(_ScrapyElement):
    """A BASE element with a known URL, which is not one of the selected elements."""

    __slots__ = ()

    def __init__(self, url: str, outer: Context) -> None:
        node = etree.Element("base", href=url)
        Element.__init__(self, node, _kind(node, outer), outer, outer, 0, False)

    def ancestors(self) -> Iterable[str]:
        return ()


class _ScrapyTree:
    """Selected elements of Scrapy's tree, in document order. `late`: the BASE element after some of them."""

    def __init__(self, nodes: Sequence[Any], late: _LateBase | None = None) -> None:
        self.nodes = nodes
        self.late = late

    def is_xml(self) -> bool:
        return False

    def columns(self, around: Context) -> TreeColumns:
        contexts = {None: around}
        elements: list[Element] = [
            _ScrapyElement(node, number, _inside(node.getparent(), contexts)) for number, node in enumerate(self.nodes)
        ]
        if self.late is not None:
            elements.insert(self.late.at, _KnownBase(self.late.url, around))
        return TreeColumns(_never, _ScrapyElement, elements)

    def bases_before_frameset(self, *, scripting: bool) -> None:
        return None


def _never(_node: object, _name: str, _value: str) -> None:
    """Set nothing: no attribute is written on its own."""


def _before_base(root: Any, resolver: PageResolver) -> set[Any]:
    """The elements before a late BASE; none if the tree does not contain that BASE."""
    if resolver.late_href is None or not etree.iselement(root):
        return set()
    before: set[Any] = set()
    for node in root.getroottree().iter(etree.Element):
        if node.tag == "base" and strip_url(node.get("href") or "") == resolver.late_href:
            return before
        before.add(node)
    return set()


def _split(name: str) -> tuple[str, str]:
    """Split a name of lxml into its namespace (or "") and its local name."""
    uri, _, local = name.rpartition("}")
    return uri[1:], local


def _kind(node: Any, outer: Context) -> ElementKind:
    return outer.kinds.get(node.tag) or outer.kind(node.tag, *_split(node.tag), node.get)


def _inside(node: Any, contexts: dict[Any, Context]) -> Context:
    """The context of an element's children. `contexts`: a cache of the contexts of all elements."""
    unknown = []
    while node not in contexts:
        unknown.append(node)
        node = node.getparent()
    around = contexts[node]
    for each in reversed(unknown):
        around = contexts[each] = _kind(each, around).inner
    return around


def _names(names: str | Iterable[str] | None) -> frozenset[str]:
    return frozenset(name.lower() for name in arg_to_iter(names))
