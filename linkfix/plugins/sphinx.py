"""The extension `linkfix.plugins.sphinx` of Sphinx: broken references of built pages are warnings of Sphinx.

In conf.py:

    extensions = ["linkfix.plugins.sphinx"]

A warning has the type `linkfix` and the code as its subtype: `suppress_warnings = ["linkfix.LF312"]` hides a rule.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sphinx.errors import ConfigError
from sphinx.util import logging

from linkfix import __version__
from linkfix.auditing.model import AuditFields, Finding
from linkfix.auditing.page_sources import lines_with, read_source
from linkfix.errors import LinkfixError
from linkfix.plugins.built_site import SETTINGS, built_findings, check_options, options_of

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config

_LOG = logging.getLogger(__name__)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension."""
    for name, kind in SETTINGS.items():
        types = {list, tuple} if kind is list else {kind, type(None)}
        app.add_config_value(f"linkfix_{name}", [] if kind is list else None, "", types=frozenset(types))
    app.add_config_value("linkfix_root_url", None, "", types=frozenset({str}))
    app.connect("config-inited", _check_options)
    app.connect("build-finished", _check)
    return {"version": __version__, "parallel_read_safe": True, "parallel_write_safe": True}


def _options(config: Config) -> tuple[str | None, AuditFields]:
    """The URL of the site, and the options of the audit."""
    values = {name: getattr(config, f"linkfix_{name}") for name in SETTINGS}
    return config.linkfix_root_url or config.html_baseurl or None, options_of(values)


def _check_options(_app: Sphinx, config: Config) -> None:
    """Refuse wrong options before the build."""
    try:
        check_options(*_options(config))
    except LinkfixError as fault:
        message = f"linkfix: {fault}"
        raise ConfigError(message) from fault


def _check(app: Sphinx, error: Exception | None) -> None:
    """Check the built pages. Errors and warnings of the audit are warnings of Sphinx, notes are information."""
    if error is not None or app.builder.format != "html":
        return
    folder, env = Path(app.outdir), app.env
    pages = {docname: Path(_page(app, docname)) for docname in env.found_docs}
    sources = {path.relative_to(folder).as_posix(): name for name, path in pages.items() if path.is_relative_to(folder)}
    text_of = lru_cache(maxsize=16)(lambda docname: read_source(str(env.doc2path(docname))))

    def lines_of(docname: str, finding: Finding) -> list[int]:
        return lines_with(text_of(docname), finding.reference)

    root_url, options = _options(app.config)
    try:
        for one in built_findings(str(folder), root_url, sources, lines_of, options):
            location = (one.source, one.line) if one.source else None
            log = _LOG.warning if one.is_warning else _LOG.info
            log("%s", one.message, location=location, type="linkfix", subtype=one.finding.code)
    except LinkfixError as fault:
        message = f"linkfix: {fault}"
        raise ConfigError(message) from fault


def _page(app: Sphinx, docname: str) -> str:
    """The path of the page that is made from a document."""
    return str(app.builder.get_outfilename(docname))  # type: ignore[attr-defined]  # builders of HTML have it
