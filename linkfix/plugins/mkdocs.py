"""The plugin `linkfix` of MkDocs: broken references of the built site are warnings of MkDocs, at lines of the sources.

In mkdocs.yml:

    plugins:
      - linkfix:
          ignore: [LF312]
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import TYPE_CHECKING
from urllib.parse import unquote

from mkdocs.config import config_options as option
from mkdocs.config.base import Config
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, get_plugin_logger

from linkfix.api import links
from linkfix.auditing.model import AuditFields, Finding
from linkfix.auditing.page_sources import lines_with, read_source
from linkfix.errors import InvalidOption, LinkfixError
from linkfix.model import SOURCE_TYPES
from linkfix.plugins.built_site import SETTINGS, absolutize_file, built_findings, check_options, options_of
from linkfix.resolvers import RESOLVERS
from linkfix.urls import hide_passwords, strip_url

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

_LOG = get_plugin_logger("linkfix")
_RESOLVER = RESOLVERS["whatwg"]

#: The media type that sources are read with.
_MARKDOWN = next(iter(SOURCE_TYPES))

#: The URL of a site whose URL is not known.
_UNKNOWN = "http://tree.invalid/"


class LinkfixConfig(Config):  # type: ignore[no-untyped-call]  # so it is in MkDocs
    """The options of the plugin. Each list has the values of the option of `linkfix audit` with the same name."""

    enabled: option.Type[bool] = option.Type(bool, default=True)
    select: option.ListOfItems[str] = option.ListOfItems(option.Type(str), default=[])
    ignore: option.ListOfItems[str] = option.ListOfItems(option.Type(str), default=[])
    ignore_target: option.ListOfItems[str] = option.ListOfItems(option.Type(str), default=[])
    allow_host: option.ListOfItems[str] = option.ListOfItems(option.Type(str), default=[])
    exclude: option.ListOfItems[str] = option.ListOfItems(option.Type(str), default=[])
    host: option.Optional[str] = option.Optional(option.Type(str))
    clean_urls: option.Optional[bool] = option.Optional(option.Type(bool))
    absolutize: option.ListOfItems[str] = option.ListOfItems(option.Type(str), default=[])
    """Names of built files that get absolute links, such as feeds. They need `site_url`."""


class LinkfixPlugin(BasePlugin[LinkfixConfig]):  # type: ignore[no-untyped-call]  # likewise
    """Checks the built site. Errors and warnings of the audit are warnings of MkDocs, notes are information."""

    def __init__(self) -> None:
        self._files: Files | None = None

    def on_config(self, config: MkDocsConfig) -> None:
        """Refuse wrong options before the build."""
        if not self.config.enabled:
            return
        try:
            check_options(config.site_url or None, self._options())
        except LinkfixError as error:
            message = f"linkfix: {error}"
            raise PluginError(message) from error

    def on_env(self, env: object, /, *, config: MkDocsConfig, files: Files) -> None:
        """Keep the files of the site: they name the sources."""
        self._files = files

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Write absolute links, and check the site."""
        if not self.config.enabled or self._files is None:
            return
        try:
            for name in self.config.absolutize:
                if not config.site_url:
                    message = "absolute links need site_url in mkdocs.yml"
                    raise InvalidOption(message)
                absolutize_file(config.site_dir, name, config.site_url)
            self._check(self._files, config)
        except LinkfixError as error:
            message = f"linkfix: {error}"
            raise PluginError(message) from error

    def _check(self, files: Files, config: MkDocsConfig) -> None:
        sources = {file.dest_uri: file.src_uri for file in files if file.is_documentation_page()}
        references = _References(files, config)
        root_url = config.site_url or None
        for one in built_findings(config.site_dir, root_url, sources, references.lines_of, self._options()):
            place = references.path(one.source) if one.source else ""
            line = f":{one.line}" if one.line else ""
            text = f"{place}{line}: {one.message}" if place else one.message
            (_LOG.warning if one.is_warning else _LOG.info)("%s", text)

    def _options(self) -> AuditFields:
        return options_of({name: self.config[name] for name in SETTINGS})


class _References:
    """The references of the sources, and their targets in the built site."""

    def __init__(self, files: Files, config: MkDocsConfig) -> None:
        self._files = files
        self._root = config.site_url or _UNKNOWN
        self._folder = Path(config.config_file_path or ".").parent
        self._targets = lru_cache(maxsize=16)(self._read)

    def path(self, source: str) -> str:
        """The path of a source, relative to the folder of mkdocs.yml if it is in there."""
        file = self._files.get_file_from_path(source)
        path = Path((file and file.abs_src_path) or source)
        return str(path.relative_to(self._folder) if path.is_relative_to(self._folder) else path)

    def lines_of(self, source: str, finding: Finding) -> list[int]:
        """See `linkfix.auditing.page_sources.LinesOf`."""
        text, targets = self._targets(source)
        return targets.get(finding.target or "") or lines_with(text, finding.reference)

    def _read(self, source: str) -> tuple[str, dict[str, list[int]]]:
        """The text of a source, and the targets of its references, each with its lines."""
        file = self._files.get_file_from_path(source)
        if file is None or file.abs_src_path is None:
            return "", {}
        text = read_source(file.abs_src_path)
        page_url = _RESOLVER.resolve(self._root, file.url).target or self._root
        found: dict[str, list[int]] = {}
        for link in links(text, url=page_url, media_type=_MARKDOWN):
            target = self._target(source, strip_url(link.reference), page_url)
            if target is not None:
                found.setdefault(hide_passwords(target), []).append(link.line)
        return text, found

    def _target(self, source: str, reference: str, page_url: str) -> str | None:
        """The target of a reference as MkDocs builds it: a path to a file of the site becomes the file's URL."""
        path, mark, fragment = reference.partition("#")
        name = normpath(join(dirname(source), unquote(path)))
        file = self._files.get_file_from_path(name) if path else None
        if file is not None:
            reference = (_RESOLVER.resolve(self._root, file.url).target or "") + mark + fragment
        return _RESOLVER.resolve(page_url, reference).target
