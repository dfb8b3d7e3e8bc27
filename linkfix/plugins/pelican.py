"""The plugin `linkfix.plugins.pelican` of Pelican: broken references of built pages are warnings of Pelican.

In pelicanconf.py:

    PLUGINS = ["linkfix.plugins.pelican"]
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from pelican import signals

from linkfix.auditing.model import AuditFields, Finding
from linkfix.auditing.page_sources import lines_with, read_source
from linkfix.errors import InvalidOption, LinkfixError
from linkfix.plugins.built_site import (
    SETTINGS,
    absolutize_file,
    built_findings,
    check_options,
    check_value,
    options_of,
)
from linkfix.resolvers import RESOLVERS
from linkfix.urls import hide_passwords

if TYPE_CHECKING:
    from pelican import Pelican

_LOG = logging.getLogger(__name__)
_RESOLVER = RESOLVERS["whatwg"]

#: The setting of names of built files that get absolute links, such as feeds, and the one of the site's URL.
_ABSOLUTIZE, _ROOT_URL = "LINKFIX_ABSOLUTIZE", "LINKFIX_ROOT_URL"

#: The settings -> the types of their values. The others are options of `linkfix audit`.
_PREFIX = "LINKFIX_"
_KINDS = {f"{_PREFIX}{name.upper()}": kind for name, kind in SETTINGS.items()} | {_ABSOLUTIZE: list, _ROOT_URL: str}

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


def _options(settings: Mapping[str, Any]) -> tuple[str | None, AuditFields]:
    """The URL of the site, and the options of the audit. Raises `InvalidOption` for wrong settings."""
    for name in sorted(name for name in settings if name.startswith(_PREFIX)):
        if name not in _KINDS:
            near = get_close_matches(name, _KINDS, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(_KINDS)}"
            message = f"unknown setting {name}: {hint}"
            raise InvalidOption(message)
        if settings[name] is not None:
            check_value(name, settings[name], _KINDS[name])
    url = settings.get(_ROOT_URL) or settings.get("SITEURL")
    root_url = f"{str(url).rstrip('/')}/" if url else None
    return root_url, options_of({name: settings.get(f"{_PREFIX}{name.upper()}") for name in SETTINGS})


@contextmanager
def _ending() -> Iterator[None]:
    """End Pelican with one message for an error of the caller. Pelican would print a traceback."""
    try:
        yield
    except LinkfixError as error:
        _LOG.critical("linkfix: %s", error)
        raise SystemExit(1) from error


def _check_settings(pelican: Pelican) -> None:
    """Refuse wrong settings before the build."""
    with _ending():
        root_url, options = _options(pelican.settings)
        check_options(root_url, options)
        if root_url is None and pelican.settings.get(_ABSOLUTIZE):
            message = f"{_ABSOLUTIZE} needs SITEURL"
            raise InvalidOption(message)


def _keep_contents(generators: Sequence[Any]) -> None:
    """Keep the contents of the site: they name the sources."""
    _contents.clear()
    for generator in generators:
        for kind in ("generated_content", "static_content"):
            _contents.update({one.get_relative_source_path(): one for one in generator.context[kind].values() if one})


def _check(pelican: Pelican) -> None:
    """Check the built pages. Errors and warnings of the audit are warnings of Pelican, notes are information."""
    with _ending():
        root_url, options = _options(pelican.settings)
        for name in pelican.settings.get(_ABSOLUTIZE) or () if root_url else ():
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
