"""The paths in files of settings, as links at their places: the targets of a host's rules, the pages in `nav`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from posixpath import splitext

from linkfix.auditing.generators.mkdocs import mkdocs_redirects
from linkfix.auditing.generators.model import SourceProject, SourceSettings
from linkfix.auditing.hosts.rules import HostFile
from linkfix.auditing.page_document import PageDocument
from linkfix.auditing.rule import AuditedPage
from linkfix.auditing.site import Site
from linkfix.auditing.source_names import MKDOCS_SUFFIXES
from linkfix.files.atomic import read
from linkfix.files.descriptors import FilePath
from linkfix.lazy import lazy_pattern
from linkfix.model import Link
from linkfix.resolvers import RESOLVERS
from linkfix.urls import scheme_of

#: The largest settings file whose paths are checked, in bytes.
_LARGEST = 1 << 20

#: The redirects of mdBook (format/configuration/renderers), and one of them: the path of a page, and its target.
_REDIRECTS = lazy_pattern(rb"(?m)^[ \t]*\[[ \t]*output\.html\.redirect[ \t]*\].*\n((?:(?![ \t]*\[).*(?:\n|\Z))*+)")
_REDIRECT = lazy_pattern(
    rb"(?m)^[ \t]*(?:\"([^\"\\\n]*)\"|'([^'\n]*)')[ \t]*=[ \t]*(?:\"([^\"\\\n]*)\"|'([^'\n]*)')[ \t]*(?:#.*)?\r?$"
)

#: An entry of `nav` with a title or without: its path, in quotes or plain. A section has no path.
_NAV_ENTRY = lazy_pattern(
    rb"(?m)^[ \t]*(?:-[ \t]+)?"
    rb"(?:(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s\"'\[\]{}&*!|>%@`#,-](?:[^:#\n]|:(?! )|(?<! )#)*+):[ \t]+)?"
    rb"(?:\"([^\"\\\n]+)\"|'([^'\n]+)'|([^\s\"'\[\]{}&*!|>%@`#,-](?:[^:#\n\r]|:(?![ \r\n])|(?<![ \t])#)*+))"
    rb"[ \t]*(?:#.*)?\r?$"
)

_NAV = lazy_pattern(rb"(?m)^nav[ \t]*:[ \t]*(?:#.*)?\r?\n((?:[ \t#-].*(?:\n|\Z)|\r?\n)*+)")


def files_with_paths(sources: SourceSettings) -> list[str]:
    """The settings files of generators whose paths are checked; "" for one that is not there."""
    return [sources.nav or sources.redirects, *(one.file for one in sources.projects if one.listed is not None)]


def settings_page(path: str, name: str, site: Site) -> AuditedPage | None:
    """A settings file as a page. `path`: its path. `name`: its name in the tree. None if it cannot be read."""
    try:
        data = read(FilePath(path, str(Path(path).parent)), limit=_LARGEST).data
    except OSError:  # it was read before, and is gone
        return None
    return AuditedPage(name, site.url, PageDocument(data, url=site.url, media_type="text/plain"), site)


def nav_entries(data: bytes) -> Iterator[tuple[int, int]]:
    r"""The spans of the paths in the `nav` of a settings file of MkDocs. Entries in brackets are passed over.

    >>> data = b"nav:\n- a.md\n- Title: 'b c.md'\n- Section:\n  - https://h.example\n"
    >>> [data[start:end] for start, end in nav_entries(data)]
    [b'a.md', b'b c.md', b'https://h.example']
    """
    nav = _NAV.search(data)
    for match in _NAV_ENTRY.finditer(data, *nav.span(1)) if nav else ():
        start, end = match.span(match.lastindex or 0)
        yield start, start + len(data[start:end].rstrip())


def entries_of_nav(page: AuditedPage) -> Iterator[Link]:
    """Yield the entries of `nav` in the settings of MkDocs, as links."""
    data = page.document.source.data
    for start, end in nav_entries(data):
        link = link_at(page.document, data[start:end].decode("utf-8", "replace"), start, end)
        yield link._replace(syntax="markdown")  # it can have spaces


def redirects_of_mdbook(page: AuditedPage, project: SourceProject) -> Iterator[tuple[str, Link]]:
    """Yield the targets of redirects in `book.toml`, as links of the sources that the pages with redirects would have.

    Each has the name of the source in the tree.
    """
    folder = (project.folder + project.sources).removeprefix(project.prefix)
    data = page.document.source.data
    table = _REDIRECTS.search(data)
    for match in _REDIRECT.finditer(data, *table.span(1)) if table else ():
        key, number = match[1] or match[2] or b"", 3 if match[4] is None else 4
        name = folder + splitext(key.decode("utf-8", "replace").lstrip("/"))[0] + ".md"
        link = link_at(page.document, match[number].decode("utf-8", "replace"), *match.span(number))
        base = page.site.origin + page.site.url_path(name)
        yield name, link._replace(base=base, target=RESOLVERS["whatwg"].resolve(base, link.reference).target)


def redirects_of_mkdocs(page: AuditedPage) -> Iterator[Link]:
    """Yield the targets of redirects in the settings of MkDocs that are sources, as links."""
    data = page.document.source.data
    for _, start, end in mkdocs_redirects(data):
        path = data[start:end].partition(b"#")[0]
        target = path.decode("utf-8", "replace")
        if target.lower().endswith(MKDOCS_SUFFIXES) and scheme_of(target) is None:
            yield link_at(page.document, target, start, start + len(path))._replace(syntax="markdown")


def rule_targets(document: PageDocument, file: HostFile) -> Iterator[Link]:
    """The targets of a host's rules, as links at their places."""
    for target, start, end in file.targets:
        yield link_at(document, target, start, end)


def link_at(document: PageDocument, reference: str, start: int, end: int) -> Link:
    """A path in a file of settings, as a link at its place."""
    base = document.envelope.url or ""
    url = RESOLVERS["whatwg"].resolve(base, reference).target
    line, column = document.positions.of(start)
    return Link("", "", "url", "hyperlink", reference, url, base, start, end, line, column, None, -1)
