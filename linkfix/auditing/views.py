"""The files of a folder as references see them: references of pages, and of the sources that pages are made from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache, partial
from posixpath import dirname, join, normpath, splitext
from typing import NamedTuple
from unicodedata import normalize
from urllib.parse import quote, unquote

from linkfix.auditing.generators.model import NO_SOURCES, SiteRoots, SourceSettings, UnknownPages
from linkfix.auditing.generators.sphinx import SphinxFolder, find_folders
from linkfix.auditing.interpretation import excess_dots, is_known_scheme, is_relative_path, is_root_relative, path_of
from linkfix.auditing.made_pages import MadePages
from linkfix.auditing.made_redirects import place_by_rules
from linkfix.auditing.repository import HOSTS, Repository, WorkTree, find_work_tree
from linkfix.auditing.site import FAILING, FOLDER, Destination, DestinationKind, Site, percent_decode
from linkfix.auditing.source_names import MKDOCS_SUFFIXES, OF_SPHINX, SOURCE_SUFFIXES, is_file_name, mkdocs_page
from linkfix.auditing.unchecked import UNCHECKED
from linkfix.files.patterns import NamePatterns
from linkfix.html.syntaxes.url import PLACEHOLDER
from linkfix.lazy import lazy_pattern
from linkfix.model import Link
from linkfix.resolvers import RESOLVERS
from linkfix.urls import scheme_of, strip_url

#: The destinations in which fragments are looked up.
WITH_FRAGMENTS = frozenset({DestinationKind.FILE, DestinationKind.FOLDER})

#: The size of the cache of destinations.
_DESTINATIONS_REMEMBERED = 1 << 16

#: The heading ID scheme of an unknown program. It may be a host of repositories, or make pages as it likes.
ANY = "any"

#: The heading ID scheme of MkDocs, whose settings say how it makes the links of pages.
_MKDOCS = "mkdocs"

#: The beginnings of aliases and marks in references, with those of `Profile.marked`.
_MARKS = ("@", "{", "|", "%7B", "%7b", "%7C", "%7c")

#: The beginning of references to the root of Zola's content, and the places of that folder in a tree.
_ZOLA = "@/"
_ZOLA_FOLDERS = ("", "content/")

#: The files that MkDocs makes, besides pages, and those of its plugin for a search.
_MADE_BY_MKDOCS = frozenset({"404.html", "sitemap.xml", "sitemap.xml.gz"})
_MADE_BY_SEARCH = frozenset(f"search/{name}" for name in ("search_index.json", "main.js", "worker.js", "lunr.js"))

#: The beginnings of paths in wikilinks that start in the folder of their page.
_RELATIVE = ("./", "../")

_SLASH = lazy_pattern("/")


_RESOLVER = RESOLVERS["whatwg"]


#: The destinations that a page may have in place of its source's.
_ELSEWHERE = frozenset({DestinationKind.OUTSIDE, DestinationKind.AROUND})


class LinkPlace(NamedTuple):
    """The destination of a link, as the page that is made from its document has it."""

    destination: Destination
    link: Link
    """The link, with the base and target that it has in that page."""
    site: Site
    """The names that the destination is one of."""


class View(NamedTuple):
    """The destinations of references in a tree."""

    site: Site
    destination: Callable[[str | None], Destination]
    """A function from a URL without its fragment to its destination."""
    may_leave: bool = False
    """Whether ".." may lead to files around the tree."""
    sphinx: tuple[SphinxFolder, ...] = ()
    """The folders of Sphinx. Sources there can also refer to labels and to files that Sphinx makes."""
    mkdocs: MkDocsLinks | None = None
    """The links of MkDocs' sources; None if another program makes the pages."""
    roots: tuple[SiteRoots, ...] = ()
    """As in `SourceSettings`."""
    repository: Repository | None = None
    """The repository whose URLs at its host lead to files of the tree; None if they lead to another site."""
    notes: WikiLinks | None = None
    """The files by their names, if these also count in links of Markdown."""
    work_tree: WorkTree | None = None
    """The work tree that the tree is a part of, if its sources may be read at the repository's host."""
    templates: tuple[str, ...] = ()
    """As in `SourceSettings`."""
    made: MadePages | None = None
    """The pages that a generator makes of the sources; None if the generator is not known."""

    def is_own(self, url: str) -> bool:
        """Whether a URL shows a file of the tree's repository at its host."""
        return self.repository is not None and self.repository.path_of(url) is not None

    def place_of(self, name: str, link: Link) -> LinkPlace:
        """The place of a link of the page `name`."""
        if link.syntax == "wikilink":
            return LinkPlace(self._named(link), link, self.site)
        if self.mkdocs is not None:
            return self.mkdocs.place_of(name, link)
        if self.may_leave and excess_dots(link) is not None:
            link = self._as_shown(name, link)
        if (aliased := self._aliased(name, link)) is not None:
            is_named = aliased.name and aliased.kind is not DestinationKind.GENERATED
            _, mark, fragment = (link.target or "").partition("#")
            target = self.site.url + quote(aliased.name) + mark + fragment if is_named else link.target
            return LinkPlace(aliased, link._replace(target=target), self.site)
        place = self._destination_of(name, link)
        if self.roots and place.kind in FAILING and is_root_relative(link.reference):
            place = next(self._at_roots(name, link), place)
        if self.work_tree is not None and place.kind in FAILING and is_root_relative(link.reference):
            place = self._in_work_tree(self.work_tree, link) or place
        if place.kind in WITH_FRAGMENTS and self.made is not None and not self.made.leads_to(name, link, place):
            place = self.made.missing(place)
        if self.made is not None and (place.kind in FAILING or place.kind in _ELSEWHERE):
            place, link = place_by_rules(self.made, name, link, place)
        if place.kind in FAILING and self.notes is not None and (url := self.notes.url_of_link(name, link)):
            link = link._replace(target=url)
            place = self.destination(url.partition("#")[0])
        return LinkPlace(place, link, self.site)

    def _at_roots(self, name: str, link: Link) -> Iterator[Destination]:
        """Yield the files of a reference beginning with "/" on the sites that the page `name` may be part of."""
        path = strip_url(link.reference).lstrip("/").partition("#")[0]
        for root in self.roots:
            for folder in root.folders if name.startswith(root.pages) else ():
                found = self.destination(_RESOLVER.resolve(self.site.url + quote(folder), path).target)
                if found.kind in WITH_FRAGMENTS:
                    yield found

    def _in_work_tree(self, work_tree: WorkTree, link: Link) -> Destination | None:
        """The destination of a path from the root of the work tree; None if the work tree lacks it around the tree."""
        path = unquote(path_of(link)).lstrip("/")
        if f"{path}/".startswith(work_tree.folder):
            return self.destination(self.site.url + quote(path[len(work_tree.folder) :]))
        return Destination(DestinationKind.AROUND) if work_tree.has(path) else None

    def has(self, name: str) -> bool:
        """Whether a file of the tree is part of the site that is made from it.

        What Sphinx leaves out of a folder in the tree may be for readers at the host of the repository.
        """
        if name.startswith(self.templates) or (self.is_of_sphinx("") and self.leaves_out(name)):
            return False
        if self.made is not None and not self.made.has(name):
            return False
        return self.mkdocs is None or self.mkdocs.has(name)

    def _named(self, link: Link) -> Destination:
        """The destination of a wikilink. The URL of a folder means its page, which the program makes."""
        place = self.site.destination(link.target)
        is_page = place.kind is DestinationKind.NO_INDEX
        return place._replace(kind=DestinationKind.FOLDER, number=FOLDER) if is_page else place

    def _destination_of(self, name: str, link: Link) -> Destination:
        if self.may_leave and excess_dots(link) is not None:
            return Destination(DestinationKind.AROUND)
        place = self.destination(None if link.target is None else link.target.partition("#")[0])
        if place.kind is DestinationKind.FILE and self.lacks(name, place.name):
            return Destination(DestinationKind.MISSING, place.name, source=place.name)
        if place.kind is DestinationKind.MISSING and link.syntax == "markdown" and self.is_of_sphinx(place.name):
            return place if is_file_name(place.name) else place._replace(kind=DestinationKind.LABEL)
        return place

    def _as_shown(self, name: str, link: Link) -> Link:
        """A link that leads out of the tree, as the host of the repository has it, if it leads to one of its files."""
        base = self.repository.url_of(name) if self.repository is not None else ""
        target = _RESOLVER.resolve(base, link.reference).target if base else None
        return link._replace(base=base, target=target) if target and self.is_own(target) else link

    def _aliased(self, page: str, link: Link) -> Destination | None:
        """The destination of a reference that begins with an alias or a mark; None for any other reference."""
        if not link.reference.lstrip().startswith(_MARKS):
            return None
        if self.made is not None and (found := self.made.marked(page, link)) is not None:
            return found
        name = unquote(path_of(link))
        if link.syntax == "markdown" and name.startswith(_ZOLA):
            inner = name.removeprefix(_ZOLA)
            places = [self.destination(self.site.url + quote(folder + inner)) for folder in _ZOLA_FOLDERS]
            is_source = inner.endswith(".md")  # other programs have other files there
            there = (one for one in places if one.kind is DestinationKind.FILE)
            return next(there, places[0] if is_source else None)
        return None

    def why_unchecked(self, name: str, link: Link) -> str:
        """The reason that a link of the page `name` is not checked, wherever it leads; "" for no reason."""
        is_markdown = link.syntax == "markdown" or link.tag_start == link.start - len("<")
        scheme = scheme_of(link.reference) if is_markdown and self.is_of_sphinx(name) else None
        if scheme is not None and not (is_known_scheme(scheme) or link.reference.startswith("//", len(scheme) + 1)):
            return UNCHECKED[DestinationKind.LABEL]  # `inv:`, `path:`, and the names of other projects
        return self.made.why_unchecked(name, link) if self.made is not None else ""

    def is_of_sphinx(self, name: str) -> bool:
        """Whether a name is in a folder that Sphinx builds a site from."""
        return any(name.startswith(folder.prefix) for folder in self.sphinx)

    def leaves_out(self, name: str) -> bool:
        """Whether Sphinx makes no page of a source."""
        return name.endswith(OF_SPHINX) and any(folder.leaves_out(name) for folder in self.sphinx)

    def is_unbuilt(self, name: str) -> bool:
        """Whether no page is made of a source, by settings or by its front matter."""
        return self.leaves_out(name) or (self.made is not None and self.made.is_draft(name))

    def lacks(self, page: str, name: str) -> bool:
        """Whether a page refers to a source that Sphinx makes no page of. Other documents are about the files."""
        return self.leaves_out(name) and self.is_of_sphinx(page) and not self.leaves_out(page)


class WikiLinks:
    """The pages and files that wikilinks name. `program`: a key of `linkfix.markdown.heading_ids.WIKIS`."""

    def __init__(self, site: Site, program: str) -> None:
        from linkfix.markdown.heading_ids import WIKIS  # few trees have wikilinks

        self._site = site
        self._wiki = WIKIS[program]
        #: Whether names also count in links of Markdown.
        self.reads_links: bool = self._wiki.reads_links

    @cached_property
    def _names(self) -> dict[str, list[str]]:
        """The files by the form of each end of their path. The form of the whole path also begins with a slash.

        A file whose suffix may be left out is there with and without it. An only source file is there alone.
        """
        found: dict[str, list[str]] = {}
        sources: dict[str, list[str]] = {}
        for name in self._site.own_files:
            stem, suffix = splitext(name)
            is_short = self._wiki.suffixes is None or suffix.lower() in self._wiki.suffixes
            for path in dict.fromkeys((name, stem) if is_short else (name,)):
                form = f"/{self._form(path)}"
                for at in (0, *(match.end() for match in _SLASH.finditer(form))):
                    found.setdefault(form[at:], []).append(name)
                    if suffix.lower() in SOURCE_SUFFIXES:
                        sources.setdefault(form[at:], []).append(name)
        return found | {form: names for form, names in sources.items() if len(names) == 1}

    def _form(self, path: str) -> str:
        return normalize("NFC", path).casefold().translate(self._wiki.alike)

    def url(self, page: str, target: str) -> str:
        """The URL that a wikilink of a page stands for. `target`: the text between the brackets, without the label.

        If several files have the name, the program's choice is not certain: the URL has no fragment, so that it is not
        looked up. If no file has it, the URL is that of a missing file.
        """
        if scheme_of(target) is not None and "://" in target:
            return target
        if PLACEHOLDER.search(target):
            return target
        path, mark, text = target.partition("#")
        fragment = f"#{quote(self._wiki.fragment(text), '#/')}" if text.strip() else mark
        path = path.strip().replace("\\", "/")
        if not path:
            return self._site.origin + self._site.url_path(page) + fragment
        names = self._files(page, path)
        if not names:
            name = _whole(page, path)
            return self._site.url + quote(name if is_file_name(name) else f"{name}.md") + fragment
        return self._site.origin + self._site.url_path(names[0]) + (fragment if len(names) == 1 else "")

    def url_of_link(self, page: str, link: Link) -> str | None:
        """The URL that a link of Markdown stands for by the name of a file; None if no file has the name."""
        path = unquote(path_of(link)) if link.syntax == "markdown" and is_relative_path(link) else ""
        names = self._files(page, path) if path else []
        if not names:
            return None
        _, mark, fragment = (link.target or "").partition("#")
        return self._site.origin + self._site.url_path(names[0]) + (mark + fragment if len(names) == 1 else "")

    def _files(self, page: str, path: str) -> list[str]:
        """The files that a path in a wikilink fits. One at this path in the tree wins."""
        whole = _whole(page, path)
        form = self._form(whole)
        found = self._names.get(f"/{form}", [])
        if not found and self._wiki.shows_folders and whole in self._site.folders:
            return [f"{whole}/"]
        if not found and not path.startswith(("/", *_RELATIVE)):
            found = self._names.get(form, [])
        return found


def _whole(page: str, path: str) -> str:
    """The path from the root of the tree that a wikilink of a page states."""
    return normpath(f"/{join(dirname(page), path) if path.startswith(_RELATIVE) else path}").lstrip("/")


class MkDocsLinks:
    """The links of MkDocs' sources, as `mkdocs.structure.pages` makes them.

    MkDocs writes the URL of the page into a link to a source file. It leaves any other reference as it is, and all raw
    HTML. Browsers resolve these against the URL of the built page.
    """

    def __init__(self, site: Site, settings: SourceSettings) -> None:
        self._sources = site
        self._from_root = settings.links_from_root is not False
        self._from_source = settings.links_from_source
        self._blogs, self._unknown = settings.made, settings.unknown
        self._made = _MADE_BY_MKDOCS | _MADE_BY_SEARCH if settings.has_search else _MADE_BY_MKDOCS
        known = settings.directory_urls
        choices = (True, False) if known is None else (known,)
        pages = {mkdocs_page(name, directory_urls=choice) for name in settings.redirected for choice in choices}
        ends = ("", "index.html", "/index.html")
        #: The paths of pages that redirect to others, as links spell them.
        self._redirects = frozenset(page.removesuffix(end) for page in pages for end in ends)
        patterns = [NamePatterns(lines) for lines in settings.excluded]
        made = [
            site.built_by_mkdocs(lambda name: any(one.match(name) for one in patterns), directory_urls=choice)
            for choice in choices
        ]
        #: The view of the built site; two if it is not known which one MkDocs makes.
        self.built: tuple[View, ...] = tuple(map(page_view, made))

    def has(self, name: str) -> bool:
        """Whether MkDocs makes a page from a source file, or copies the file."""
        return bool(self.built[0].site.files[self._sources.numbers[name]])

    def place_of(self, name: str, link: Link) -> LinkPlace:
        """The place of a link of the source file `name`."""
        found = self._place_of(name, link)
        if found.destination.kind in FAILING and self._may_be_made(name, found.destination.name):
            return found._replace(destination=Destination(DestinationKind.GENERATED, found.destination.name))
        return found

    def _may_be_made(self, name: str, target: str) -> bool:
        """Whether a plugin may make the page at a missing path, or moves the page `name` that refers to it."""
        first, _, inner = target.strip("/").partition("/")
        is_new = bool(inner) and first not in self._sources.folders
        is_of_plugin = self._unknown is UnknownPages.ALL or (self._unknown is UnknownPages.FOLDERS and is_new)
        is_of_blog = name.startswith(self._blogs) or f"{target}/".startswith(self._blogs)
        return is_of_plugin or (is_of_blog and self._may_be_of_blog(target))

    def _may_be_of_blog(self, target: str) -> bool:
        """Whether a blog may have a path: it makes pages and feeds, and moves no other file."""
        last = target.rpartition("/")[2]
        if splitext(last)[1].lower() in _MADE_BY_BLOG or not is_file_name(last):
            return True
        return not last.endswith(MKDOCS_SUFFIXES) and bool(self._sources.files_named(last))

    def _place_of(self, name: str, link: Link) -> LinkPlace:
        source = self._source_of(name, link)
        number = self._sources.numbers.get(source) if source else None
        if source and number is not None and self.built[0].site.files[number]:
            return LinkPlace(Destination(DestinationKind.FILE, source, number), link, self._sources)
        places = [self._in_page(view, name, link) for view in self.built]
        found = next((one for one in places if one.destination.kind is DestinationKind.FILE), places[0])
        kind = found.destination.kind
        if kind is DestinationKind.MISSING and found.destination.name in self._made:
            return found._replace(destination=Destination(DestinationKind.AROUND))
        if kind is DestinationKind.MISSING and found.destination.name in self._redirects:
            return found._replace(destination=Destination(DestinationKind.GENERATED))
        suffix = splitext(source)[1]
        if not suffix or kind is DestinationKind.FILE:
            return found
        if source.startswith("../"):
            meant = Destination(DestinationKind.MISSING, source)
            is_page = kind is DestinationKind.OUTSIDE and suffix in MKDOCS_SUFFIXES
            return LinkPlace(meant, link, self._sources) if is_page else found
        url = self._sources.origin + self._sources.url_path(source)
        meant = self._sources.destination(url)  # as in the warnings of MkDocs
        return found if meant.kind is DestinationKind.FILE else LinkPlace(meant, link, self._sources)

    def place_in_nav(self, link: Link) -> Destination:
        """The destination of an entry of `nav`: a source file, or else a file of the built site."""
        name = normpath(link.reference.lstrip("/"))
        if name.startswith("../"):
            return Destination(DestinationKind.MISSING, name)
        found = self._sources.destination(self._sources.url + quote(name))
        built = (view.destination(link.target and link.target.partition("#")[0]) for view in self.built)
        is_built = found.kind is not DestinationKind.FILE and any(one.kind in WITH_FRAGMENTS for one in built)
        return Destination(DestinationKind.AROUND) if is_built else found

    def _source_of(self, name: str, link: Link) -> str:
        """The source file that MkDocs reads a link as; "" if it reads none."""
        path = unquote(path_of(link))
        has_form = link.syntax == "markdown" or self._from_source
        is_read = has_form and path and is_relative_path(link) and not path.startswith("\\")
        if not is_read or (path.startswith("/") and not self._from_root):
            return ""
        return normpath(join(dirname(name), path).lstrip("/"))

    def _in_page(self, view: View, name: str, link: Link) -> LinkPlace:
        """The place of a reference that is as written in the built page."""
        made = view.site.files[self._sources.numbers[name]]
        is_of_page = not (self._from_source and path_of(link))
        if link.base == self._sources.page_url(name) and made and is_of_page:
            base = view.site.page_url(made)
            link = link._replace(base=base, target=_RESOLVER.resolve(base, link.reference).target)
        return LinkPlace(view.destination(link.target and link.target.partition("#")[0]), link, view.site)


#: The folder of templates of Sphinx.
_TEMPLATES_OF_SPHINX = "_templates/"

#: The suffixes of the files that the plugin of a blog makes.
_MADE_BY_BLOG = frozenset({".html", ".htm", ".xml", ".json"})


def page_view(site: Site) -> View:
    """The tree as pages see it."""
    return View(site, lru_cache(maxsize=_DESTINATIONS_REMEMBERED)(site.destination))


def source_view(
    site: Site, heading_ids: str, settings: SourceSettings = NO_SOURCES, repository: Repository | None = None
) -> View:
    """The tree as source files see it.

    `heading_ids`: as in `AuditOptions`; it identifies the program that makes pages from the sources. `settings`: the
    settings of that program.
    """
    if heading_ids == _MKDOCS or settings.file:
        return page_view(site)._replace(mkdocs=MkDocsLinks(site, settings), templates=settings.templates)
    is_hosted = heading_ids in HOSTS and heading_ids != ANY
    sources = site.with_sources(
        shows_folders=heading_ids in HOSTS,
        is_hosted=is_hosted,
        is_mdbook=settings.is_mdbook or heading_ids == ANY,
    )
    sources.routes = frozenset(_routes(settings))
    sphinx = find_folders(settings.root, site.numbers)
    prefixes = [folder.prefix for folder in sphinx]
    view = View(
        sources,
        sources.destination,
        may_leave=True,
        sphinx=sphinx,
        roots=(*settings.roots, *(SiteRoots((folder,), (folder,)) for folder in prefixes if folder)),
        repository=repository,
        work_tree=None if settings.projects or sphinx else find_work_tree(settings.root),
        templates=(*settings.templates, *(folder + _TEMPLATES_OF_SPHINX for folder in prefixes)),
        made=MadePages(sources, settings, is_built=not is_hosted, served=site) if settings.projects else None,
    )
    if settings.projects:
        sources.rules = ()  # they are about the pages: see `place_by_rules`
    found = view.destination if repository is None else partial(_at_host, repository, site.as_hosted(), view)
    return view._replace(destination=lru_cache(maxsize=_DESTINATIONS_REMEMBERED)(found))


def _routes(settings: SourceSettings) -> Iterator[str]:
    """Yield the first segments of the base and of the routes of each project."""
    for project in settings.projects:
        yield from (
            path.partition("/")[0] for path in (project.base, *(path for _, path in project.routes.content)) if path
        )


def _at_host(repository: Repository, hosted: Site, view: View, url: str | None) -> Destination:
    """The destination of a URL, which may show a file of the tree at the repository's host."""
    path = repository.path_of(url) if url is not None else None
    if path is None:
        return view.destination(url)
    name = repository.inner(percent_decode(path))
    if name is None:
        return Destination(DestinationKind.AROUND)
    return hosted.destination(hosted.origin + hosted.url_path(name))


def view_of_pages(sources: View, site: Site) -> View:
    """The tree as its HTML pages see it. MkDocs copies them into the site."""
    built = sources.mkdocs.built if sources.mkdocs is not None else ()
    return built[0] if len(built) == 1 else page_view(site)._replace(roots=sources.roots, made=sources.made)
