"""Site generators: their table, their settings files, and what these say about a folder."""

from __future__ import annotations

from linkfix.auditing.generators.model import (
    NO_SETTINGS,
    NO_SOURCES,
    InnerSites,
    SiteRoots,
    SiteSettings,
    SourceSettings,
)
from linkfix.auditing.generators.search import find_inner_sites, find_settings, find_sources
from linkfix.auditing.generators.table import GENERATORS

__all__ = [
    "GENERATORS",
    "NO_SETTINGS",
    "NO_SOURCES",
    "InnerSites",
    "SiteRoots",
    "SiteSettings",
    "SourceSettings",
    "find_inner_sites",
    "find_settings",
    "find_sources",
]
