"""Hooks that make the links of other libraries absolute: a module for each HTTP client, crawler and parser.

Clients and crawlers: `aiohttp`, `httpx`, `httpx2`, `requests`, `scrapy`, `playwright`, and `generic` for any other
client. Parsed trees: `bs4`, `lxml`, `parsel`, `selectolax`. Each module imports its own library and no other. What
clients share, `Settings` and `Outcome` among it, is in `linkfix.hooks.response`.
"""

from __future__ import annotations

from linkfix.trees import TREES, absolutize_tree

__all__ = ["TREES", "absolutize_tree"]
