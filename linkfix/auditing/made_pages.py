"""The pages that generators make from the sources of a tree: their URLs, and the paths without a source.

A source can have several possible URLs, since settings that a program computes are not known: a reference is right if
it may lead to a page. The table of conventions is `linkfix.auditing.generators.profiles`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from functools import cache, cached_property, lru_cache
from posixpath import dirname, join, normpath, relpath, splitext
from urllib.parse import quote, unquote

from linkfix.auditing.generators.model import ContentPlugin, SourceProject, SourceSettings, UnknownPages
from linkfix.auditing.generators.profiles import PROFILES, Profile, profile_of
from linkfix.auditing.interpretation import excess_dots, path_of
from linkfix.auditing.page_tables import FILE, TEMPLATES, VARIABLE, in_other_languages, page_url, pages_of
from linkfix.auditing.page_tables import PagesBeside as _Beside
from linkfix.auditing.page_tables import ProjectPages as _Pages
from linkfix.auditing.project_files import project_files
from linkfix.auditing.project_names import (
    built_folders,
    has_other_case,
    inner_name,
    is_content,
    is_in_content,
    is_left_out,
    is_no_url,
    is_template,
    name_of_inner,
    normal_name,
)
from linkfix.auditing.site import Destination, DestinationKind, Site
from linkfix.auditing.source_names import SOURCE_SUFFIXES, is_form_of, is_of_bundle, path_in_site, reference_in_site
from linkfix.auditing.source_urls import (
    ANYWHERE,
    adds_base,
    compiled,
    is_named,
    path_form,
    paths_by_name,
)
from linkfix.auditing.suggestions import OneEditIndex
from linkfix.auditing.template_tags import FILLING, SOURCE, tag_of, with_other_quotes, without_blocks
from linkfix.lazy import lazy_pattern
from linkfix.model import Link
from linkfix.resolvers import RESOLVERS
from linkfix.urls import scheme_of, strip_url

_RESOLVER = RESOLVERS["whatwg"]

#: The beginnings of files with front matter.
_FRONT_MATTER = (b"---", b"+++", b"\xef\xbb\xbf---")

#: The names of pages about the files of a project, which may refer to any of them.
_ABOUT_FILES = lazy_pattern(r"(?:.*/)?readme\.\w+", re.IGNORECASE)

#: The suffixes of the sources that Docusaurus reads a link as, and its folder of translations: which of them are there
#: decides what their links lead to.
_DOCS = (".md", ".mdx")
_TRANSLATIONS = "i18n/"

#: The beginning of the pattern of a folder beside the project.
_BESIDE = r"\.\./"

#: The source of mdBook that lists the others. Its links are names of files.
_LIST = "SUMMARY.md"

#: The suffixes that Pelican has a reader for (`pelican.readers`).
_READ = (".md", ".markdown", ".mkd", ".mdown", ".rst", ".html", ".htm")

#: The hint about a missing source that the list of mdBook names.
_WRITTEN = "the next build writes this chapter, with its title alone, unless build.create-missing is false"

#: The number of names in the end of the URL of a post: its date, and its name.
_DATED = 4

#: The largest number of folders between a page bundle and its files.
_DEPTH = 8

#: The scheme of paths that Docusaurus neither changes nor checks.
_UNCHECKED_PATH = "pathname:"


#: The number of files whose project is remembered.
_NAMES = 1 << 10


class MadePages:
    """The pages of the projects in a tree.

    `site`: the tree, as sources see it. `is_built`: whether the site counts, not the sources at a host of repositories.
    `served`: the tree with the rules of its host, which are about the pages.
    """

    def __init__(self, site: Site, settings: SourceSettings, *, is_built: bool, served: Site) -> None:
        self._site = site
        self.served: Site = served
        self._settings = settings
        #: The innermost folder first.
        self._projects = sorted(settings.projects, key=lambda project: -len(project.folder))
        self._has_excluded = is_built and any(one.excluded or one.listed is not None for one in settings.projects)
        self._has_rewrites = is_built and any(project.routes.rewrites for project in settings.projects)
        self._may_move = self._has_rewrites or (
            is_built and any(PROFILES[project.site].url_keys for project in settings.projects)
        )
        self._has_folders_alone = any(profile_of(project).slash_is_folder for project in settings.projects)
        self._is_exact = is_built and any(project.routes.is_exact for project in settings.projects)
        self._has_drafts = is_built and any(project.routes.unbuilt for project in settings.projects)
        self._has_marks = any(profile_of(project).marks for project in settings.projects)
        #: Whether references may have tags that a generator fills in.
        self.fills_tags: bool = is_built and any(project.site in FILLING for project in settings.projects)
        self._has_plugins = any(project.routes.plugins for project in settings.projects)
        self._project_of: Callable[[str], SourceProject | None] = lru_cache(maxsize=_NAMES)(self._find_project)

    @cached_property
    def _made(self) -> dict[SourceProject, _Pages]:
        return {}

    @cached_property
    def _urls(self) -> dict[SourceProject, OneEditIndex]:
        return {}

    @cached_property
    def _around(self) -> dict[SourceProject, _Beside]:
        return {}

    def why_unchecked(self, name: str, link: Link) -> str:
        """The reason that a link of a page is not checked, wherever it leads; "" for no reason."""
        project = self._project_of(name)
        text = strip_url(link.reference)
        if project is None:
            return ""
        if not text.startswith(("/", SOURCE)) and scheme_of(text) is None and is_template(project, name):
            return "in a template of the site generator"
        if text.startswith(_UNCHECKED_PATH) and project.site == "docusaurus":
            return "a path that Docusaurus does not check (pathname:)"
        return "an alias of the program that builds the site" if profile_of(project).aliases.match(text) else ""

    def has_tags(self, name: str, data: bytes) -> bool:
        """Whether a generator fills tags in that the references of a page have. `data`: the page."""
        project = self._project_of(name) if self.fills_tags else None
        if project is None or project.site not in FILLING:
            return False
        is_source = name.lower().endswith(SOURCE_SUFFIXES) or data.startswith(_FRONT_MATTER)
        return is_source or project.site == "eleventy" or is_template(project, name)

    def without_tags(self, name: str, data: bytes) -> bytes:
        """The data of a page that `has_tags` without what tags leave out, at the same places."""
        project = self._project_of(name)
        return data if project is None else with_other_quotes(without_blocks(project.site, data))

    def filled(self, name: str, reference: str) -> str:
        """A reference of the page `name` with the value of the tag in it; the reference itself if this is not known."""
        project = self._project_of(name)
        tag = tag_of(project.site, reference) if project is not None else None
        if project is None or tag is None:
            return reference
        if tag.kind == "path":
            is_whole = project.site == "eleventy" or scheme_of(tag.text) is not None
            return (tag.text if is_whole else "/" + tag.text.lstrip("/")) + tag.rest if tag.text else tag.rest or "/"
        source = {"source": self._linked, "post": self._post, "ref": self._ref}[tag.kind](project, name, tag.text)
        return SOURCE + quote(source) + tag.rest if source is not None else reference

    def _linked(self, project: SourceProject, name: str, path: str) -> str | None:
        """The name in the project of the file of Jekyll's `link`."""
        urls = project.routes.jekyll
        folder = "" if urls is None else urls.root + (urls.folder if path.startswith("_") else "")
        return folder + path.lstrip("/")

    def _post(self, project: SourceProject, name: str, path: str) -> str | None:
        """The name in the project of the post of Jekyll's `post_url`: its folder may be left out."""
        last = path.rpartition("/")[2]
        files = (one for suffix in (*SOURCE_SUFFIXES, *TEMPLATES) for one in self._site.files_named(last + suffix))
        found = next((one for one in files if "_posts/" in f"/{one}"), f"{project.folder}_posts/{path}.md")
        return inner_name(project, found)

    def _ref(self, project: SourceProject, name: str, path: str) -> str | None:
        """The name in the project of the page of Hugo's `ref`; None if it is not known.

        Its folder may be left out, and there may be a name with a language.
        """
        inner = inner_name(project, name)
        rows = (folder.match(inner) for folder, _ in compiled(profile_of(project).content))
        root = next((match[0] for match in rows if match is not None), None)
        path = path.partition("#")[0]
        if root is None or not path:
            return None
        folders = [root] if path.startswith("/") else [f"{dirname(inner)}/", root]
        names = [normpath(folder + path.strip("/")) for folder in folders]
        ends = ("", ".md", "/index.md", "/_index.md")
        found = (one + end for one in names for end in ends if name_of_inner(project, one + end) in self._site.numbers)
        last = names[0].rpartition("/")[2].partition(".")[0].lower()
        return next(found, None if last in self._pages(project).words else names[-1])

    def is_excluded(self, name: str) -> bool:
        """Whether settings leave a file out of the site."""
        project = self._project_of(name) if self._has_excluded else None
        return project is not None and is_left_out(project, inner_name(project, name))

    def has(self, name: str) -> bool:
        """Whether the links of a file are part of the site. So are those of the file that lists its sources."""
        return not self.is_excluded(name) or name.rpartition("/")[2] == _LIST

    def names_headings(self, name: str) -> bool:
        """Whether headings of a source may have IDs that are made of their text."""
        project = self._project_of(name)
        return project is None or project.routes.names_headings

    def is_plain(self, page: str, name: str, path: str) -> bool:
        """Whether a path of a page leads to the file `name`, whatever the link is. See `leads_to`."""
        if self._counts_from(page, path) is not None:
            return False
        is_source = name.lower().endswith(SOURCE_SUFFIXES)
        has_other_urls = self._has_plugins or self._has_marks or self._has_rewrites or _README.search(name) is not None
        has_other_urls |= self._has_folders_alone and path.endswith("/")
        has_other_urls |= any(is_no_url(project, path) for project in self._projects)
        is_own = not self._is_draft("", name) and not self.is_excluded(name) and not (is_source and has_other_urls)
        return is_own and not self._is_moved(name, path)

    def plugin_of(self, name: str) -> ContentPlugin | None:
        """The plugin of Docusaurus that decides what the links of a source lead to; None for none."""
        project = self._project_of(name) if self._has_plugins else None
        return None if project is None else _plugin_of(profile_of(project), inner_name(project, name))

    def source_number(self, name: str, path: str) -> int | None:
        """The number of the source that a path leads to in links of Markdown, in the folder of the source `name`.

        None if the URL of the page decides, or if there is none.
        """
        project, plugin = self._project_of(name), self.plugin_of(name)
        is_read = path.lower().endswith(_DOCS)
        found = self._source_at(project, plugin, name, path) if project and plugin and is_read else None
        return found.number if found is not None and found.kind is DestinationKind.FILE else None

    def leads_to(self, name: str, link: Link, found: Destination) -> bool:
        """Whether a link of the source `name` may lead to the page of the file at its path, or to that of a folder.

        In the built site, Docusaurus has the files of sources at other URLs.
        """
        if name.rpartition("/")[2] == _LIST:
            return True
        if found.kind is DestinationKind.FILE and self._lacks(name, found.name):
            return False
        is_page = found.kind is DestinationKind.FOLDER or found.name.lower().endswith(SOURCE_SUFFIXES)
        path = _local_path(link)
        is_elsewhere = self._counts_from(name, path) is not None and not is_of_bundle(name, found.name)
        if is_elsewhere or (found.mount and self.moves_away(name, path)):
            return False
        if found.kind is DestinationKind.FILE and self._is_moved(found.name, path) and not _ABOUT_FILES.fullmatch(name):
            return False
        project = self._project_of(name) if is_page and path else None
        if project is None:
            return True
        is_no_page = _moves(project, path) or is_no_url(project, path)
        if is_no_page or not is_named(profile_of(project), found.name, path):
            return False
        if self._has_rewrites and not path.startswith("/") and name in self._rewritten(project):
            return False  # it counts from the page
        return not self._has_plugins or _plugin_of(profile_of(project), inner_name(project, name)) is None

    def moves_away(self, name: str, path: str) -> bool:
        """Whether a relative path leads elsewhere from the page of the source `name` than from the source.

        So it is if each page is the index of a folder of its own: a file served at the root is one level further up.
        """
        project = self._project_of(name) if path and not path.startswith("/") else None
        return project is not None and _has_own_folders(project)

    def page_folder(self, name: str) -> str | None:
        """The folder that relative references of the source `name` count from, by the only URL of its page.

        It is from the root of the site, without slashes at its ends. None if that of the source may decide, too.
        """
        project = self._project_of(name) if self._is_exact else None
        if project is None or not project.routes.is_exact:
            return None
        pages = self._pages(project)
        url = self._url_of(project, name) if name in pages.moved or name in pages.exact else None
        return dirname(url).strip("/") if url else None

    def _counts_from(self, name: str, path: str) -> str | None:
        """The folder of a page, if a path in its source counts from it alone: see `page_folder`."""
        is_relative = path and not path.startswith("/") and not path.lower().endswith(SOURCE_SUFFIXES)
        return self.page_folder(name) if is_relative else None

    def _lacks(self, page: str, name: str) -> bool:
        """Whether the site lacks a file that a page of the tree refers to. A README is about the files themselves."""
        project = self._project_of(page)
        is_page = project is not None and project.listed is not None  # mdBook makes a page of a README
        is_missing = self.is_excluded(name) or self._is_draft(page, name)
        return is_missing and (is_page or _ABOUT_FILES.fullmatch(page) is None)

    def is_draft(self, name: str) -> bool:
        """Whether front matter keeps a source out of the site."""
        return self._is_draft("", name)

    def _is_draft(self, page: str, name: str) -> bool:
        """Whether front matter keeps a source out of the site, but not the page that refers to it."""
        project = self._project_of(name) if self._has_drafts else None
        drafts = self._pages(project).unbuilt if project is not None else ()
        return name in drafts and page not in drafts

    def _is_moved(self, name: str, path: str) -> bool:
        """Whether a path of a file is not that of its page, which has another URL. So is its name, after a rewrite."""
        project = self._project_of(name) if self._may_move and path else None
        if project is None:
            return False
        is_name = path.lower().endswith(SOURCE_SUFFIXES)
        if is_name:
            return name in self._rewritten(project)
        pages = self._pages(project)
        return name in pages.moved or not is_form_of(pages.exact.get(name, ""), path)

    def _rewritten(self, project: SourceProject) -> Collection[str]:
        """The sources whose links, and links to whose names, count from the URLs of pages, since rules move these."""
        return self._pages(project).moved if project.routes.rewrites else ()

    def missing(self, found: Destination) -> Destination:
        """The missing page at a path that leads to a source or a folder, but not in the site. See `leads_to`."""
        if found.mount:
            return Destination(DestinationKind.MISSING, found.name.removeprefix(found.mount).lstrip("/"))
        name = found.name
        project = self._project_of(name) if found.kind is DestinationKind.FILE else None
        url = self._url_of(project, name) if project is not None else None
        is_source = name.lower().endswith((*SOURCE_SUFFIXES, *TEMPLATES))
        source = name if found.kind is DestinationKind.FILE and url != "" and is_source else ""
        return Destination(DestinationKind.MISSING, name, source=source, moved=(url or "", ""))

    def _url_of(self, project: SourceProject, name: str) -> str | None:
        """The path of the page of a source; "" if it may be one of several, and None for no page."""
        pages = self._pages(project)
        urls = pages.urls.get(name, [])
        usual = f"/{urls[0]}" if len(urls) == 1 else "" if urls else None
        path = pages.moved.get(name, pages.exact.get(name, usual))
        return "" if path and VARIABLE.search(path) else path

    def ids(self, name: str) -> tuple[bytes, ...]:
        """The IDs that the generator adds to the page of a source."""
        project = self._project_of(name)
        return tuple(sorted(profile_of(project).ids)) if project is not None else ()

    def heading_ids(self, name: str) -> str:
        """The scheme for the IDs of a source's headings; "" if it is not known."""
        project = self._project_of(name)
        return profile_of(project).heading_ids if project is not None else ""

    def knows_base(self, name: str) -> bool:
        """Whether the base of the site of a page is known. Then `--root-url` explains no missing file."""
        project = self._project_of(name)
        return project is not None and project.base is not None

    def marked(self, name: str, link: Link) -> Destination | None:
        """The destination of a link of the source `name` that has the mark of a source; None for any other link."""
        project = self._project_of(name) or next((one for one in self._projects if name.startswith(one.folder)), None)
        profile = profile_of(project) if project is not None else None
        path = unquote(path_of(link))
        if project is not None and self.fills_tags and path.startswith(SOURCE):
            return self._file_named(project, name, path.removeprefix(SOURCE))
        if project is None or profile is None or not (profile.marks or link.syntax == "markdown"):
            return None
        match = profile.marked.fullmatch(path)
        if match is None or match.lastgroup is None:
            return None
        if match.lastgroup == "made":
            return Destination(DestinationKind.GENERATED, path)
        places = list(self._marked(project, name, match.lastgroup, match[match.lastgroup]))
        found = next((one for one in places if one.kind is DestinationKind.FILE), None)
        if found is not None and match.groupdict().get("copied") and _is_only_page(project, found.name):
            meant = profile.marks + path[match.end("copied") + 1 :] + _rest(link)
            return Destination(DestinationKind.MISSING, found.name, source=found.name, moved=("", meant))
        return found or places[0]

    def _file_named(self, project: SourceProject, page: str, inner: str) -> Destination:
        """The file with a name in the project, for a link of a page."""
        name = name_of_inner(project, inner)
        if not name or name.startswith("../"):
            return Destination(DestinationKind.AROUND)
        if name not in self._site.numbers or self.is_excluded(name):
            return Destination(DestinationKind.MISSING, name)
        if self._is_draft(page, name):
            return Destination(DestinationKind.MISSING, name, source=name)
        return Destination(DestinationKind.FILE, name, self._site.numbers[name])

    def _marked(self, project: SourceProject, name: str, start: str, path: str) -> Iterator[Destination]:
        """Yield the possible destinations of a path that begins at a folder, as in `Profile.marked`.

        If the folder of the sources is not known, it may be any around the source.
        """
        page = inner_name(project, name)
        is_known = is_in_content(project, page)
        folders = ["" if start == "project" else dirname(page)]
        if start == "content" and is_known:
            rows = compiled(profile_of(project).content)
            folders = [match[0] for folder, _ in rows if (match := folder.match(page))]
        elif start == "content":
            folders = [page[: match.start()] for match in re.finditer(r"(?<![^/])(?=.)", page)]
        for folder in folders:
            inner = normal_name(project, join(folder, path))
            source = name_of_inner(project, inner)
            is_outside = inner.startswith("../") or (is_known and not is_in_content(project, inner))
            if start != "project" and is_outside:
                yield Destination(DestinationKind.MISSING, f"../{inner}")
            elif not source or source.startswith("../"):
                yield Destination(DestinationKind.AROUND)
            else:
                yield self._site.destination(self._site.url + quote(source))

    def place_of(self, name: str, link: Link) -> tuple[Destination, Link] | None:
        """The destination of a link of the source `name` in the built site, and the link there; None for none."""
        project, path = self._project_of(name), _local_path(link)
        if project is None or not path:
            return None
        if (unwritten := self._unwritten(project, name, path)) is not None:
            return unwritten, link
        plugin = _plugin_of(profile_of(project), inner_name(project, name))
        if plugin is None:
            is_moved = _moves(project, path)
            place = self._in_site(project, name, link, path, is_source=is_moved)
            return place or (self._former if is_moved else self._at_former_path)(project, name, link, path)
        is_source = path.lower().endswith(_DOCS)
        if is_source and link.syntax == "markdown" and (found := self._source_at(project, plugin, name, path)):
            return found, self._in_project(project, name, link)
        place = self._in_site(project, name, link, path, is_source=is_source)
        return place or self._moved(project, plugin, name, path, link)

    def _unwritten(self, project: SourceProject, name: str, path: str) -> Destination | None:
        """The missing source at a path that mdBook writes itself when it builds the book; None for any other path."""
        inner = (
            normal_name(project, join(dirname(inner_name(project, name)), path)) if project.routes.writes_listed else ""
        )
        source = name_of_inner(project, inner)
        if inner not in (project.listed or ()) or not source or source in self._site.numbers:
            return None
        return Destination(DestinationKind.MISSING, source, why=_WRITTEN)

    def meant(self, name: str, link: Link, found: Destination) -> tuple[Destination, Link]:
        """The missing destination of a link of the source `name`, and the link, as the page of the source has them.

        With it is the only page that has a similar URL.
        """
        path = _local_path(link)
        folder = self._counts_from(name, path)
        if folder is None:
            return self._similar(name, link, found), link
        base = self._site.url + quote(f"{folder}/".lstrip("/"))
        link = link._replace(base=base, target=_RESOLVER.resolve(base, strip_url(link.reference)).target)
        inner = path_in_site(folder, path) + "/" * path.endswith("/")
        missing = found._replace(kind=DestinationKind.MISSING, name=inner.lstrip("/"))
        return self._similar(name, link, missing), link

    def _similar(self, name: str, link: Link, missing: Destination) -> Destination:
        """The missing destination of a link, with the only page that has a similar URL."""
        project, path = self._project_of(name), _local_path(link)
        is_explained = missing.kind is not DestinationKind.MISSING or missing.source or missing.why
        if is_explained or project is None or not path:
            return missing
        profile, pages = profile_of(project), self._pages(project)
        if project not in self._urls:
            self._urls[project] = OneEditIndex(pages.files)
        ways = dict.fromkeys(path_form(way, profile) for way, _ in self._paths(project, profile, pages, name, path))
        if (source := next((pages.files[one] for one in ways if one in pages.files), "")) and adds_base(profile, link):
            at = path.removeprefix(f"/{project.base}")  # it begins with the base, which the generator adds
            return missing._replace(source=source, moved=(at, quote(at) + _rest(link)))
        found = {one for way in ways for one in self._urls[project].find(way)}
        if len(found) != 1 or path.lower().endswith(SOURCE_SUFFIXES):
            return missing
        form = found.pop()
        source = pages.files[form]
        url = pages.exact.get(source) or pages.moved.get(source) or page_url(profile, form)
        has_base = project.base and not adds_base(profile, link)
        whole = f"/{project.base}{url}" if has_base else url
        folder = dirname(pages.exact.get(name, ""))
        is_known = source in pages.exact and project.base is not None and (path.startswith("/") or folder)
        meant = whole if path.startswith("/") else reference_in_site(folder or "/", url)
        return missing._replace(why=f"did you mean {whole}?", moved=("", meant if is_known else ""))

    def _former(self, project: SourceProject, name: str, link: Link, path: str) -> tuple[Destination, Link] | None:
        """The missing page of a path to a source: see `_moves`. The links of mdBook have to lead to `index.md`."""
        inner = normal_name(project, join(dirname(inner_name(project, name)), path))
        if marks := profile_of(project).marks:
            source = name_of_inner(project, inner)
            missing = Destination(DestinationKind.MISSING, source or f"../{inner}")
            is_there = source in self._site.numbers
            return missing._replace(source=source * is_there, moved=("", (marks + link.reference) * is_there)), link
        inner = _README.sub("README.md", inner)
        source = name_of_inner(project, inner)
        url = next(iter(self._pages(project).urls.get(source, ())), None)
        if url is None:
            return None
        moved = f"/{url}/".replace("//", "/"), _README.sub("index.md", path) + _rest(link)
        return Destination(DestinationKind.MISSING, source, source=source, moved=moved), link

    def _at_former_path(
        self, project: SourceProject, name: str, link: Link, path: str
    ) -> tuple[Destination, Link] | None:
        """The missing page at the path that its source would give it, but for front matter and settings."""
        profile, pages = profile_of(project), self._pages(project)
        paths = (path_form(one, profile) for one, _ in self._paths(project, profile, pages, name, path))
        ways = list(paths)
        if (draft := next((pages.drafts[one] for one in ways if one in pages.drafts), None)) is not None:
            return Destination(DestinationKind.MISSING, draft, source=draft), link
        source = next((pages.former[one] for one in ways if one in pages.former), None)
        url = self._url_of(project, source) if source is not None else None
        if source is None or not url:
            return None
        return Destination(DestinationKind.MISSING, source, source=source, moved=(url, "")), link

    def url_paths(self, name: str, link: Link) -> Iterator[str]:
        """Yield the paths that a link of the source `name` may lead to, from the root of the host of its page."""
        project, path = self._project_of(name), _local_path(link)
        if project is None or not path:
            yield from [path] * path.startswith("/")
            return
        profile, base = profile_of(project), f"/{project.base}" if project.base else ""
        if path.startswith("/"):
            yield base * adds_base(profile, link) + path
            return
        for way, _ in self._paths(project, profile, self._pages(project), name, path):
            yield f"{base}/{way.rstrip('/')}{'/' * (path.endswith('/') and way != '')}"

    def at_url(self, name: str, link: Link, path: str) -> Destination | None:
        """The destination in the built site of a path from the root of its host; None for none.

        `link`: a link of the source or the settings file `name`.
        """
        around = (one for one in self._projects if one.folder and name.startswith(one.folder))
        only = self._projects[0] if len(self._projects) == 1 else None
        project = self._project_of(name) or next(around, only)
        if project is None:
            return Destination(DestinationKind.GENERATED, path)  # it is not known which site the path is on
        at = name if name.startswith(project.folder) else project.folder + name.rpartition("/")[2]
        found = self._in_site(project, at, link._replace(reference=quote(path), syntax="url"), path)
        return found[0] if found is not None else None

    def _in_site(
        self, project: SourceProject, name: str, link: Link, path: str, *, is_source: bool = False
    ) -> tuple[Destination, Link] | None:
        """The destination of a link by the URL of its page. `is_source`: whether its path can be no page."""
        profile, pages, text = profile_of(project), self._pages(project), strip_url(link.reference)
        made = None
        is_whole = path.startswith("/") and project.base is not None and adds_base(profile, link)
        paths = [(path.lstrip("/"), "")] if is_whole else self._paths(project, profile, pages, name, path)
        for one, base in dict(paths).items():
            link = link._replace(base=base, target=_RESOLVER.resolve(base, text).target) if base else link
            key = one.strip("/") if is_source else path_form(one, profile)
            found = self._known(project, pages, name, path, (one, key))
            if found is not None and project.base is None and not one and path.strip("/"):
                made = Destination(DestinationKind.GENERATED, one), link  # the base, or a page that is missing
            elif found is not None:
                return found, link
            patterns = (profile.made, profile.of_theme) if project.routes.has_theme else (profile.made,)
            is_made = any(form.fullmatch(key) or form.fullmatch(one.strip("/")) for form in patterns)
            is_listed = profile.lists_folders and (key in pages.folders or not key)
            if is_made or is_listed or any(form.fullmatch(key) for form in pages.variable):
                made = Destination(DestinationKind.GENERATED, one), link
            elif made is None and self._is_beside(project, profile, key, one):
                made = Destination(DestinationKind.AROUND, one), link
            elif made is None and self._may_be(project, pages, key, path):
                made = Destination(DestinationKind.GENERATED, one), link
        return made

    def _source_at(self, project: SourceProject, plugin: ContentPlugin, name: str, path: str) -> Destination | None:
        """The source that Docusaurus reads a path in the source `name` as (`resolveMarkdownLinkPathname`)."""
        inner = inner_name(project, name)
        folders = [match[0] for match in [re.match(plugin.folders, inner)] if match is not None]
        at = [dirname(inner)] if not path.startswith("/") else []
        folders = at if path.startswith(("./", "../")) else [*at, *folders, ""]
        for folder in folders:
            source = normal_name(project, join(folder, path.lstrip("/")))
            if re.match(plugin.folders, source) is None:
                continue
            if (found := name_of_inner(project, source)) in self._pages(project).urls:
                return self._at(found)
            beside = self._beside(project)
            if beside is not None and source in beside.pages.urls:
                return Destination(DestinationKind.AROUND, source)
        return None

    def _in_project(self, project: SourceProject, name: str, link: Link) -> Link:
        """The link of a source as its whole project has it: its ".." may lead out of the tree, and back."""
        if excess_dots(link) is None:
            return link
        base = self._site.url + quote(f"{dirname(inner_name(project, name))}/".lstrip("/"))
        return link._replace(base=base, target=_RESOLVER.resolve(base, link.reference).target)

    def _moved(
        self, project: SourceProject, plugin: ContentPlugin, name: str, path: str, link: Link
    ) -> tuple[Destination, Link] | None:
        """The missing destination of a link to the path of a source, and not to that of its page."""
        inner = inner_name(project, name)
        beside = self._beside(project)
        around = beside.pages.urls if beside is not None else {}
        ways = [way for way, _ in self._paths(project, profile_of(project), self._pages(project), name, path)]
        for meant in (
            way + suffix for way in (*ways, normal_name(project, join(dirname(inner), path))) for suffix in ("", *_DOCS)
        ):
            source = name_of_inner(project, meant)
            if meant.lower().endswith(_DOCS) and (source in self._site.numbers or meant in around):
                urls = self._pages(project).urls.get(source) or around.get(meant, [])
                moved = _moved_to(project, plugin, (inner, meant), urls, link)
                shown = source if source and meant.startswith("../") else meant
                missing = Destination(DestinationKind.MISSING, source or meant, source=shown, moved=moved)
                return missing, self._in_project(project, name, link)
        return None

    def _known(
        self, project: SourceProject, pages: _Pages, name: str, path: str, in_site: tuple[str, str]
    ) -> Destination | None:
        """The source or the file in the tree for a path in the page of a source.

        `in_site`: the path from the root of the site, and its form.
        """
        from_root, key = in_site
        profile = profile_of(project)
        if _README.search(from_root) and is_left_out(project, _README.sub("README.md", from_root)):
            return None  # and not the index
        drafts = pages.drafts if name in pages.unbuilt else {}
        source = drafts.get(key) or _source(project, pages, key)
        is_page = source is not None and (source in pages.moved or is_named(profile, source, path))
        is_url = source in pages.moved or not has_other_case(project, path)
        if source is not None and is_page and is_url and is_form_of(pages.exact.get(source, ""), path):
            return self._at(source)
        is_from_root = path.startswith("/") or project.routes.is_exact
        in_form = from_root if path.startswith("/") else from_root + "/" * path.endswith("/")
        if is_from_root and (found := self._file(project, name, in_form)) is not None:
            return found
        if profile.lists_folders and (found := self._in_bundle(profile, pages, from_root)) is not None:
            return found
        is_source = profile.marks and from_root.lower().endswith(SOURCE_SUFFIXES)
        return self._copied(project, from_root) if profile.copies_files and not is_source else None

    def _in_bundle(self, profile: Profile, pages: _Pages, path: str) -> Destination | None:
        """The file of a page bundle of Hugo that is published at a path; None if there is none."""
        folder, rest = path, ""
        for _ in range(_DEPTH):
            folder, _, last = folder.rpartition("/")
            rest = f"{last}/{rest}" if rest else last
            source = pages.files.get(path_form(folder, profile), "")
            name = normpath(join(dirname(source), rest))
            if is_of_bundle(source, name) and name in self._site.numbers:
                return Destination(DestinationKind.FILE, name, self._site.numbers[name])
        return None

    def _is_beside(self, project: SourceProject, profile: Profile, key: str, path: str) -> bool:
        """Whether a part of the project outside the tree has the page or the file at a path."""
        beside = self._beside(project)
        if beside is None:
            return False
        pages, files, served = beside
        is_page = _source(project, pages, key) is not None
        is_listed = profile.lists_folders and key in pages.folders
        named = files.get(path.rpartition("/")[2], ()) if profile.copies_files else ()
        is_copied = path in served or any(one.endswith(f"/{path}") for one in named)
        return is_page or is_listed or is_copied or any(form.fullmatch(key) for form in pages.variable)

    def _may_be(self, project: SourceProject, pages: _Pages, key: str, path: str) -> bool:
        """Whether settings or programs that are not known may make a page."""
        routes = project.routes
        if project.locales is None and any(one in pages.files for one in in_other_languages(pages, key)):
            return True
        is_project = not project.folder and not project.prefix  # then folders beside it are outside the tree
        beside = (route for folder, route in routes.content if is_project and folder.startswith(_BESIDE))
        if any(f"{key}/".startswith(route) for route in beside):
            return True
        if project.rewrites or key in {path_form(one, profile_of(project)) for one in routes.pages}:
            return True
        if FILE.search(key):  # it would be in a folder that is served
            return False
        if profile_of(project).moves_pages:
            return True
        if routes.unknown is UnknownPages.FOLDERS and path.startswith("/"):
            folders = {route.partition("/")[0] for _, route in routes.content}
            return key.partition("/")[0] not in pages.folders | folders
        return routes.unknown is UnknownPages.ALL and path.startswith("/")

    def _find_project(self, name: str) -> SourceProject | None:
        """The project that a source or a template is part of; None for a file beside them, such as a README."""
        inside = (one for one in self._projects if name.startswith(one.folder) or _has_sources_beside(one))
        return next((one for one in inside if is_content(one, name) or is_template(one, name)), None)

    def _paths(
        self, project: SourceProject, profile: Profile, pages: _Pages, name: str, path: str
    ) -> Iterator[tuple[str, str]]:
        """Yield the paths from the root of the site that a path may be in the page of a source.

        Beside a relative path is the URL of the page, without the site's path on its host; else "".
        """
        if path.startswith("/"):
            whole = path.lstrip("/")
            base = whole.partition("/")[0] if project.base is None else project.base
            is_file = project.base is None and FILE.search(base)
            if base and not is_file and f"{whole}/".startswith(f"{base}/"):
                yield whole[len(base) :].lstrip("/"), ""
            yield whole, ""
            return
        exact = self._counts_from(name, path)
        if exact is not None:
            yield path_in_site(exact, path), self._site.url + quote(f"{exact}/".lstrip("/"))
            return
        inner = inner_name(project, name)
        urls = pages.urls.get(name, ())
        is_name = path.lower().endswith(SOURCE_SUFFIXES)  # relative to the source, and not to its page
        is_certain = _plugin_of(profile, inner) is not None or (name in pages.moved and self._url_of(project, name))
        beginnings = paths_by_name(profile, inner) if not urls or not is_certain else ()
        shows_folders = _has_own_folders(project)
        if profile.slash_is_folder and splitext(inner)[0].rpartition("/")[2] in profile.folder_pages:
            shows_folders = True  # the URL of this page ends with a slash
        for url in (*urls, *beginnings):
            for folder in (dirname(url),) if is_name else (url,) if shows_folders else (url, dirname(url)):
                joined = normpath(join(folder, path))
                if not joined.startswith(".."):
                    yield "" if joined == "." else joined, self._site.url + quote(f"{folder}/".lstrip("/"))

    def _at(self, source: str) -> Destination:
        if source.lower().endswith(SOURCE_SUFFIXES):
            return Destination(DestinationKind.FILE, source, self._site.numbers[source])
        return Destination(DestinationKind.GENERATED, source)

    def _file(self, project: SourceProject, name: str, path: str) -> Destination | None:
        """The file of the tree, or of a folder that is served beside it, for a path from the root of the site."""
        roots = (
            root.folders for root in self._settings.roots if name.startswith(root.pages) or project.folder in root.pages
        )
        folders = dict.fromkeys(("", project.folder, *(folder for some in roots for folder in some)))
        found = (self._site.destination(self._site.url + quote(folder + path)) for folder in folders)
        files = (one for one in found if one.kind is DestinationKind.FILE)
        profile = profile_of(project)
        has_other_urls = profile.marks or _plugin_of(profile, inner_name(project, name)) is not None
        made = SOURCE_SUFFIXES if has_other_urls else ()
        is_there = (
            one
            for one in files
            if is_named(profile, one.name, path)
            and not (
                self.is_excluded(one.name)
                or self._is_draft(name, one.name)
                or one.name.lower().endswith(made)
                or (one.name.lower().endswith(SOURCE_SUFFIXES) and is_no_url(project, f"/{path}"))
                or self._is_moved(one.name, path)
            )
        )
        return next(is_there, None)

    def _copied(self, project: SourceProject, path: str) -> Destination | None:
        """The file of the tree that is copied to a path, if there is one.

        Settings may say so of any file whose name ends with the path.
        """
        for folder, place in project.copied:
            if place and not f"{path}/".startswith(f"{place}/"):
                continue
            inner = normpath(f"{folder}/{path[len(place) :]}")
            name = name_of_inner(project, inner)
            if name in self._site.numbers:
                return Destination(DestinationKind.FILE, name, self._site.numbers[name])
            beside = None if name else self._beside(project)
            if beside is not None and f"/{inner}" in beside.files.get(inner.rpartition("/")[2], ()):
                return Destination(DestinationKind.AROUND, path)
        names = self._site.files_named(path.rpartition("/")[2]) if splitext(path)[1] else ()
        found = next((name for name in names if f"/{name}".endswith(f"/{path}")), None)
        return Destination(DestinationKind.FILE, found, self._site.numbers[found]) if found else None

    def _pages(self, project: SourceProject) -> _Pages:
        if project not in self._made:
            self._made[project] = self._read(project)
        return self._made[project]

    def _read(self, project: SourceProject) -> _Pages:
        """Read the front matter of the sources of a project in the tree."""
        indexes = profile_of(project).indexes
        built = tuple(f"{project.folder}{one}/" for one in built_folders(project))
        own = (
            name
            for name in self._site.own_files
            if (
                self._project_of(name) is project
                and not name.startswith(built)
                and not is_template(project, name)
                and not self.is_excluded(name)
            )
            or (name.startswith(project.folder) and indexes.fullmatch(inner_name(project, name)))
        )
        pages = pages_of(profile_of(project), ((name, inner_name(project, name), self._settings.root) for name in own))
        urls = (url.strip("/") + "/" for url in pages.moved.values() if url.count("/") > 1)
        self._site.routes |= {url.partition("/")[0] for url in (*urls, *pages.folders) if url}
        return pages

    def _beside(self, project: SourceProject) -> _Beside | None:
        """The part of a project outside the tree; None if the tree is no folder of it."""
        if not project.prefix or normpath(join(project.at, project.prefix)) != self._settings.root:
            return None
        if project not in self._around:
            self._around[project] = self._read_beside(project, profile_of(project))
        return self._around[project]

    def _read_beside(self, project: SourceProject, profile: Profile) -> _Beside:
        """Read the files of a project that the tree is a folder of, without those of the tree."""
        tree, root = self._settings.root, project.at
        built = (f"{root}/{one}" for one in built_folders(project))
        names = [name for name in project_files(root, {tree, *built}) if not is_left_out(project, name)]
        sources = (
            (name, name, root) for name in names if is_in_content(project, name) or profile.indexes.fullmatch(name)
        )
        served = frozenset(name[match.end() :] for name in names if (match := profile.served.match(name)))
        files: dict[str, list[str]] = {}
        for name in names:
            files.setdefault(name.rpartition("/")[2], []).append(f"/{name}")
        return _Beside(pages_of(profile, sources), files, served)


#: The folder whose pages Starlight makes in each language.
_TRANSLATED = "/content/docs/"


def _source(project: SourceProject, pages: _Pages, key: str) -> str | None:
    """The source of a page; for a language of Starlight that does not have the page, that of the default language."""
    ends = ("/".join(key.split("/")[-number:]) for number in (1, _DATED))
    found = pages.files.get(key) or next((one for end in ends if (one := pages.files.get(ANYWHERE + end))), None)
    default, *others = project.locales or ("",)
    for other in others:
        if found is None and other and f"{key}/".startswith(other):
            source = pages.files.get((default + key[len(other) :]).rstrip("/"), "")
            found = source if source and _TRANSLATED in f"/{inner_name(project, source)}" else None
    return found


def _moved_to(
    project: SourceProject, plugin: ContentPlugin, names: tuple[str, str], urls: list[str], link: Link
) -> tuple[str, str]:
    """The path of the page of a source, and a reference to it: see `Destination.moved`.

    `names`: the source with the link, and that of the page. `urls`: the possible paths of the page.
    """
    inner, meant = names
    if not urls or VARIABLE.search(urls[0]):
        return "", ""
    at = reference = quote(f"/{urls[0]}")
    if link.syntax != "markdown":  # Docusaurus adds the base to the URLs of Markdown
        reference = f"/{project.base}{at}" if project.base else at * (project.base is not None)
    elif re.match(plugin.folders, meant):
        reference = quote(relpath(meant, dirname(inner)))
    return at, reference and reference + _rest(link)


def _has_own_folders(project: SourceProject) -> bool:
    """Whether each page is certainly the index of a folder of its own."""
    return profile_of(project).ends_with_slash and project.routes.is_exact


def _rest(link: Link) -> str:
    """The query and the fragment of a reference."""
    return re.sub(r"\A[^?#]*", "", strip_url(link.reference))


#: The name that mdBook makes `index.html` from, in a link to it or to its page.
_README = lazy_pattern(r"(?<![^/])readme\.(?:md|html)\Z", re.IGNORECASE)


def _moves(project: SourceProject, path: str) -> bool:
    """Whether a path leads to the former name of a page, or to a source without the mark that this needs."""
    is_source = profile_of(project).marks and path.lower().endswith(SOURCE_SUFFIXES)
    return bool(is_source) or (project.routes.moves_readme and _README.search(path) is not None)


@cache
def _has_sources_beside(project: SourceProject) -> bool:
    """Whether a project in the tree has sources outside its own folder."""
    return bool(project.folder) and any(folder.startswith(_BESIDE) for folder, _ in project.routes.content)


def _local_path(link: Link) -> str:
    """The path of a reference to the same site, decoded; "" for no path, or for another reference."""
    text = strip_url(link.reference)
    is_local = scheme_of(text) is None and not text.startswith(("//", "@"))
    return unquote(path_of(link)) if is_local else ""


def _plugin_of(profile: Profile, inner: str) -> ContentPlugin | None:
    """The plugin of Docusaurus that certainly decides the links of a source."""
    if not profile.plugins or inner.startswith(_TRANSLATIONS):
        return None
    return next((one for one in profile.plugins if re.match(one.folders, inner)), None)


def _is_only_page(project: SourceProject, name: str) -> bool:
    """Whether a file becomes a page, and is certainly not copied as it is, too."""
    return not project.routes.copies_sources and name.endswith(_READ)
