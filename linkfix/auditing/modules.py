"""The audit of JavaScript imports: which of them are checked, and the effect of the pages' import maps (HTML §8.1.6).

An import in a page follows the import maps of that page. A script file has no map of its own, so its imports are
checked in two ways:

- a URL, as in `./x.js`, by that URL. A finding is dropped if the import map of any page maps the URL to another one.
- a name, as in `vue`, after all pages were read. It must be in the import maps of all pages that load the file,
  directly or through other modules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from linkfix.auditing.findings import Regions, new_finding
from linkfix.auditing.model import Finding, ModuleFacts, PageFacts
from linkfix.auditing.rule import AuditedLink, AuditedPage, LinkRule
from linkfix.auditing.selection import Exemptions
from linkfix.auditing.site import Destination, DestinationKind, Site
from linkfix.document.import_maps import ImportMaps
from linkfix.model import Link
from linkfix.resolvers import RESOLVERS

#: The reason that findings are left out.
MOVED = "import map"
_NAME = "a module name, which needs an import map"
_BUNDLED = "a module that only a bundler finds"
#: The endings that bundlers add to the name of a module or folder, and the suffixes that they find in place of another.
_SUFFIXES = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".tsx", ".vue", ".svelte", ".json")
_ADDED = (*_SUFFIXES, *(f"/index{suffix}" for suffix in _SUFFIXES))
_REPLACED = {".js": (".ts", ".tsx", ".jsx", ".vue"), ".mjs": (".mts",), ".jsx": (".tsx",)}
#: The largest number of modules to follow; real sites have fewer. A module counts once for each different import map.
_STEPS = 1 << 20
_MISSING = frozenset({DestinationKind.MISSING, DestinationKind.NO_INDEX})


class PageModules:
    """The modules of one page or script, collected from its references.

    `rules`: the rules that check names. `destination`: a function from a target to its destination in the tree.

    `exempt`: the exemptions that the comments of the page make.
    """

    def __init__(
        self,
        page: AuditedPage,
        rules: Sequence[LinkRule],
        destination: Callable[[str | None], Destination],
        exempt: Exemptions,
    ) -> None:
        self._page = page
        self._rules = rules
        self._destination = destination
        self._exempt = exempt
        self._imports: set[int] = set()
        self._names: list[Link] = []

    def why_unchecked(self, link: Link) -> str:
        """The reason that the import of a module is not checked; "" if it is checked."""
        place = self._see(link)
        if link.target is None and link.problem is None:
            if self._page.document.import_maps:
                return ""
            self._names.append(link)
            return _NAME
        if place.kind not in _MISSING or place.mount:
            return ""
        name = place.name.rstrip("/")
        stem, dot, suffix = name.rpartition(".")
        others = [name + added for added in _ADDED] + [stem + other for other in _REPLACED.get(dot + suffix, ())]
        return _BUNDLED if any(other in self._page.site.numbers for other in others) else ""

    def _see(self, link: Link) -> Destination:
        place = self._destination(None if link.target is None else link.target.partition("#")[0])
        if place.kind is DestinationKind.FILE:
            self._imports.add(place.number)
        return place

    def facts(self) -> ModuleFacts:
        """The facts about the modules, for the rest of the audit."""
        page, regions = self._page, Regions(self._page.document)
        names = []
        for link in self._names if page.document.kind == "javascript" else ():
            audited = AuditedLink(page, link, self._destination(None))
            for rule in self._rules:
                issue = rule.check(audited)
                if issue is not None and not self._exempt.covers(link.start, rule.info.code):
                    names.append(new_finding(page, regions, rule.info, issue, link))
        maps = page.document.import_maps.texts
        if maps:
            for link in page.document.module_scripts():
                self._see(link)
        return ModuleFacts(frozenset(self._imports), tuple(names), maps)


class ModuleGraph:
    """The modules of a tree, and the pages with import maps that load them."""

    def __init__(self, site: Site, pages: Iterable[PageFacts]) -> None:
        self._site = site
        self._modules: dict[int, tuple[str, ModuleFacts]] = {}
        #: The pages with import maps: name, import maps, and the modules that the page loads.
        self._pages: list[tuple[str, ImportMaps, frozenset[int]]] = []
        for page in pages:
            if page.modules is None:
                continue
            self._modules[site.numbers[page.name]] = page.name, page.modules
            if page.modules.maps:
                maps = ImportMaps(RESOLVERS["whatwg"])
                for text, base in page.modules.maps:
                    maps.add(text, base)
                self._pages.append((page.name, maps, page.modules.imports))
        self._moved = frozenset(url for _, maps, _ in self._pages for url in maps.urls)
        self._folders = tuple(url for url in self._moved if url.endswith("/"))

    def moves(self, one: Finding) -> bool:
        """Whether a finding in a script file is about a module that an import map gives another address."""
        if one.target is None or one.element:
            return False
        return one.target in self._moved or one.target.startswith(self._folders)

    def unmapped(self) -> Iterator[Finding]:
        """Yield the findings about names that an import map lacks.

        The names are in script files, and the import map is in a page that loads the file.
        """
        told: set[tuple[str, int]] = set()
        done: set[tuple[object, int]] = set()
        for page, maps, loaded in self._pages:
            key = maps.key
            pending = [(key, number) for number in loaded]
            while pending:
                place = pending.pop()
                if place in done or place[1] not in self._modules or len(done) >= _STEPS:
                    continue
                done.add(place)
                name, facts = self._modules[place[1]]
                numbers = set(facts.imports)
                for one in facts.names:
                    target = maps.resolve(one.reference, self._site.page_url(name))
                    if target is not None:
                        numbers.add(self._site.destination(target.partition("#")[0]).number)
                    elif (name, one.start) not in told:
                        told.add((name, one.start))
                        yield one._replace(message=one.message.replace("import map", f"import map of {page}", 1))
                pending += [(key, number) for number in numbers]
