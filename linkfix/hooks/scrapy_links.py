"""A link extractor with the interface of Scrapy's whose links are those of linkfix's vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Unpack

from lxml import etree
from scrapy.http import TextResponse
from scrapy.link import Link
from scrapy.linkextractors import IGNORED_EXTENSIONS
from scrapy.linkextractors.lxmlhtml import LxmlLinkExtractor
from scrapy.utils.misc import arg_to_iter, rel_has_nofollow

from linkfix.errors import InvalidOption
from linkfix.hooks.scrapy_response import Page, page_of
from linkfix.html.vocabulary import GROUPS, ROLES, ROWS, row_index
from linkfix.model import OptionFields, Options, Row
from linkfix.trees.context import Context, ElementKind
from linkfix.trees.conversion import absolutize_elements
from linkfix.trees.element import Element

__all__ = ["LinkExtractor"]

_text_of = etree.XPath("string()")
#: What leads nowhere by itself: bases, and names that fragments mean.
_NO_LINKS = frozenset({"base", "codebase", "anchor", "document"})
_TEXTS = ("script", "style")


class LinkExtractor(LxmlLinkExtractor):
    """Scrapy's `LinkExtractor`, of every kind of link, by the page's own base; nothing on a page makes it raise.

    The parameters are Scrapy's, with its meanings and its order, but that an attribute is read as HTML has it: `srcset`
    gives each of its candidates, `content` of a refresh its URL, `style` those of its CSS. Without `tags`, `attrs` and
    `roles` it looks at `a` and `area` for `href`, as Scrapy's. "*" is every element or attribute that can hold a link;
    an attribute that is named and that HTML does not know (`data-url`) holds one URL. `strip` makes no difference:
    browsers strip each URL.

    `roles`: what links are to be for: "hyperlink" (followed by a user), "resource" (fetched with the page: images,
    scripts, style sheets, frames), "form", "metadata", "code". With it, `tags` and `attrs` are "*" unless
    they are given, and where it names more than hyperlinks no extension is denied unless `deny_extensions` is given.

    `options`: the fields of `linkfix.Options`: `lazy`, `social`, `json_ld` and `rows` add to what is looked at. Raises
    InvalidOption for a role or an option that there is not.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - Scrapy's
        self,
        allow: Any = (),  # noqa: ANN401 - regular expressions, one or several
        deny: Any = (),  # noqa: ANN401
        allow_domains: str | Iterable[str] = (),
        deny_domains: str | Iterable[str] = (),
        restrict_xpaths: str | Iterable[str] = (),
        tags: str | Iterable[str] | None = None,
        attrs: str | Iterable[str] | None = None,
        canonicalize: bool = False,  # noqa: FBT001, FBT002
        unique: bool = True,  # noqa: FBT001, FBT002
        process_value: Callable[[Any], Any] | None = None,
        deny_extensions: str | Iterable[str] | None = None,
        restrict_css: str | Iterable[str] = (),
        strip: bool = True,  # noqa: FBT001, FBT002
        restrict_text: Any = None,  # noqa: ANN401
        deny_tags: str | Iterable[str] = (),
        deny_attrs: str | Iterable[str] = (),
        *,
        roles: str | Iterable[str] = (),
        **options: Unpack[OptionFields],
    ) -> None:
        self.roles: frozenset[str] = frozenset(arg_to_iter(roles)) or ROLES - _NO_LINKS
        for role in sorted(self.roles - (ROLES - _NO_LINKS)):
            message = f"roles: {role!r} is none of {', '.join(sorted(ROLES - _NO_LINKS))}"
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
        self.tags: frozenset[str] = _names(("*" if roles else ("a", "area")) if tags is None else tags)
        self.attrs: frozenset[str] = _names(("*" if roles else "href") if attrs is None else attrs)
        self.deny_tags: frozenset[str] = _names(deny_tags)
        self.deny_attrs: frozenset[str] = _names(deny_attrs)
        rows = self._new_rows(Options(**options))
        self.fields: OptionFields = {**options, "rows": (*options.get("rows", ()), *rows)}
        row_index(Options(**self.fields))  # raises for the caller's rows

    def _new_rows(self, options: Options) -> Iterator[Row]:
        """Rows for attributes that are asked for by name and that the vocabulary does not have."""
        groups = (rows for group, rows in GROUPS.items() if getattr(options, group))
        known = {(row.element, row.attribute) for row in sum(groups, options.rows + ROWS)}
        role = "hyperlink" if "hyperlink" in self.roles else min(self.roles)
        for attribute in sorted(self.attrs - {"*"}):
            holders = {element for element, held in known if held == attribute}
            for tag in sorted(self.tags):
                if not holders & {tag, "*"} and not (tag == "*" and holders):
                    yield Row(tag, attribute, "url", role)

    def extract_links(self, response: TextResponse) -> list[Link]:
        """The links of a page that the extractor's parameters let through, in document order."""
        if not isinstance(response, TextResponse):
            return []
        page = page_of(response)
        if self.restrict_xpaths:
            roots = [selector.root for path in self.restrict_xpaths for selector in response.xpath(path)]
        else:
            roots = [response.selector.root]
        links = [link for root in roots if etree.iselement(root) for link in self._found(root, page)]
        return self._process_links(links)

    def _found(self, root: Any, page: Page) -> Iterator[Link]:  # noqa: ANN401 - lxml's
        """The links of an element and what is in it, that are of the roles, elements and attributes asked for."""
        nodes = list(self._nodes(root))
        for link in absolutize_elements(_Tree(nodes), envelope=page.envelope, **self.fields).links:
            node = nodes[link.line]
            if link.target is None or not self._asked_for(link.element, link.attribute, link.role):
                continue
            value = self.link_extractor.process_attr(link.target)
            url = value if value is None or value == link.target else page.join(value)
            if url is not None:
                yield Link(url, str(_text_of(node)), nofollow=rel_has_nofollow(node.get("rel")))

    def _nodes(self, root: Any) -> Iterator[Any]:  # noqa: ANN401
        """The elements that can hold what is asked for; BASE elements do not, and the base is known."""
        attributes = None if "*" in self.attrs else {*self.attrs, "srcdoc"}
        names = [etree.Element] if "*" in self.tags else [f"{{*}}{tag}" for tag in sorted(self.tags)]
        for node in root.iter(*names):
            held = node.keys()
            if node.tag != "base" and (not attributes.isdisjoint(held) if attributes else held or node.tag in _TEXTS):
                yield node

    def _asked_for(self, element: str, attribute: str, role: str) -> bool:
        return (
            role in self.roles
            and not self.tags.isdisjoint((element, "*"))
            and not self.attrs.isdisjoint((attribute, "*"))
            and element not in self.deny_tags
            and attribute not in self.deny_attrs
        )


class _Element(Element):
    """An element of Scrapy's tree: to read, not to change. `line`: its number, by which a link leads back to it."""

    __slots__ = ("node",)

    def __init__(self, node: Any, number: int, outer: Context) -> None:  # noqa: ANN401
        place = _kind(node, outer)
        attributes = ((outer.attribute(*_split(key)), key, value) for key, value in node.attrib.items())
        super().__init__(place, outer, place.inner, attributes, line=number)
        self.node = node

    def texts(self) -> Sequence[str]:
        return (self.node.text or "",)

    def set(self, name: str, value: str | None) -> None:
        pass

    def set_texts(self, new: Mapping[int, str]) -> None:
        pass

    def remove(self) -> None:
        pass


class _Tree:
    """The elements of Scrapy's tree that were chosen, whatever stands between them. `nodes`: in document order."""

    def __init__(self, nodes: Sequence[Any]) -> None:
        self.nodes = nodes

    def is_xml(self) -> bool:
        return False

    def elements(self, around: Context) -> Iterator[Element]:
        contexts = {None: around}
        for number, node in enumerate(self.nodes):
            yield _Element(node, number, _inside(node.getparent(), contexts))


def _split(name: str) -> tuple[str, str]:
    """A name of lxml's as a namespace, "" for none, and a local name."""
    uri, _, local = name.rpartition("}")
    return uri[1:], local


def _kind(node: Any, outer: Context) -> ElementKind:  # noqa: ANN401
    return outer.kinds.get(node.tag) or outer.kind(node.tag, *_split(node.tag), node.get)


def _inside(node: Any, contexts: dict[Any, Context]) -> Context:  # noqa: ANN401
    """What the children of an element inherit. `contexts`: what is known already, and gets known, of others."""
    unknown = []
    while node not in contexts:
        unknown.append(node)
        node = node.getparent()
    around = contexts[node]
    for each in reversed(unknown):
        around = contexts[each] = _kind(each, around).inner
    return around


def _names(names: str | Iterable[str]) -> frozenset[str]:
    return frozenset(name.lower() for name in arg_to_iter(names))
