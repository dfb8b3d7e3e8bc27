"""The plugin `linkfix.plugins.pelican` of Pelican: broken references of built pages are warnings of Pelican.

In pelicanconf.py:

    PLUGINS = ["linkfix.plugins.pelican"]
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from pelican import signals

from linkfix.auditing.model import AuditFields, Finding
from linkfix.auditing.page_sources import lines_with, read_source
from linkfix.errors import InvalidOption
from linkfix.plugins.built_site import absolutize_file, built_findings, check_options
from linkfix.resolvers import RESOLVERS
from linkfix.urls import hide_passwords

if TYPE_CHECKING:
    from pelican import Pelican

_LOG = logging.getLogger(__name__)
_RESOLVER = RESOLVERS["whatwg"]

#: The settings with lists: those of the option of `linkfix audit` with the same name, and names of built files that get
#: absolute links, such as feeds.
_LISTS = ("LINKFIX_SELECT", "LINKFIX_IGNORE", "LINKFIX_IGNORE_TARGET", "LINKFIX_EXCLUDE", "LINKFIX_ABSOLUTIZE")

#: A link to a source, from which Pelican makes a link to the page or file (its documentation, "Linking to internal
#: content").
_TO_SOURCE = re.compile(r"[{|](?:filename|static|attach)[|}]([^\s\"'<>)]+)")

#: The URL of a site whose URL is not known.
_UNKNOWN = "http://tree.invalid/"

#: The contents of the last build: the path of a source, relative to the folder of sources -> Pelican's object.
_contents: dict[str, Any] = {}


def register() -> None:
    """Connect the plugin. Pelican calls it."""
    signals.initialized.connect(_check_settings)
    signals.all_generators_finalized.connect(_keep_contents)
    signals.finalized.connect(_check)


def _lists(settings: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    found = {}
    for name in _LISTS:
        value: object = settings.get(name, ())
        if not isinstance(value, list | tuple) or not all(isinstance(one, str) for one in value):
            message = f"{name} is not a list of texts: {value!r}"
            raise InvalidOption(message)
        found[name] = tuple(value)
    return found


def _options(settings: Mapping[str, Any]) -> tuple[str | None, AuditFields]:
    """The URL of the site, and the options of the audit."""
    lists = _lists(settings)
    url = settings.get("LINKFIX_ROOT_URL") or settings.get("SITEURL")
    root_url = f"{str(url).rstrip('/')}/" if url else None
    return root_url, AuditFields(
        select=lists["LINKFIX_SELECT"],
        ignore=lists["LINKFIX_IGNORE"],
        ignore_target=lists["LINKFIX_IGNORE_TARGET"],
        exclude=lists["LINKFIX_EXCLUDE"],
    )


def _check_settings(pelican: Pelican) -> None:
    """Refuse wrong settings before the build: Pelican shows an exception and ends."""
    root_url, options = _options(pelican.settings)
    check_options(root_url, options)
    if root_url is None and _lists(pelican.settings)["LINKFIX_ABSOLUTIZE"]:
        message = "LINKFIX_ABSOLUTIZE needs SITEURL"
        raise InvalidOption(message)


def _keep_contents(generators: Sequence[Any]) -> None:
    """Keep the contents of the site: they name the sources."""
    _contents.clear()
    for generator in generators:
        for kind in ("generated_content", "static_content"):
            _contents.update({one.get_relative_source_path(): one for one in generator.context[kind].values() if one})


def _check(pelican: Pelican) -> None:
    """Check the built pages. Errors and warnings of the audit are warnings of Pelican, notes are information."""
    root_url, options = _options(pelican.settings)
    for name in _lists(pelican.settings)["LINKFIX_ABSOLUTIZE"] if root_url else ():
        absolutize_file(pelican.output_path, name, root_url or "")
    sources = {one.save_as: path for path, one in _contents.items() if one.save_as and hasattr(one, "content")}
    references = _SourceLinks(pelican.path, root_url or _UNKNOWN)
    for one in built_findings(pelican.output_path, root_url, sources, references.lines_of, options):
        line = f":{one.line}" if one.line else ""
        text = f"{one.source}{line}: {one.message}" if one.source else one.message
        (_LOG.warning if one.is_warning else _LOG.info)("linkfix: %s", text)


class _SourceLinks:
    """The references of the sources in a folder, and their targets in the built site."""

    def __init__(self, folder: str, root: str) -> None:
        self._folder = folder
        self._root = root
        self._targets = lru_cache(maxsize=16)(self._read)

    def lines_of(self, source: str, finding: Finding) -> list[int]:
        """See `linkfix.plugins.built_site.LinesOf`."""
        text, targets = self._targets(source)
        return targets.get(finding.target or "") or lines_with(text, finding.reference)

    def _read(self, source: str) -> tuple[str, dict[str, list[int]]]:
        """The text of a source, and the targets of its links to sources, each with its lines."""
        text = read_source(str(Path(self._folder, source)))
        found: dict[str, list[int]] = {}
        at, line = 0, 1
        for match in _TO_SOURCE.finditer(text):
            line += text.count("\n", at, match.start())
            at = match.start()
            path, mark, fragment = match[1].partition("#")
            name = normpath(path.lstrip("/") if path.startswith("/") else join(dirname(source), path))
            content = _contents.get(name) or _contents.get(unquote(name))
            target = content and _RESOLVER.resolve(self._root, content.url).target
            if target:
                found.setdefault(hide_passwords(target + mark + fragment), []).append(line)
        return text, found
