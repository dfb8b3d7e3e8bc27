"""Hooks that make the links of other libraries absolute: one module per HTTP client, crawler and parser.

Clients and crawlers: `aiohttp`, `httpx`, `httpx2`, `requests`, `scrapy`, `playwright`, and `generic` for any other
client. Parsed trees: `bs4`, `lxml`, `parsel`, `selectolax`. Each module imports only its own library. The common part
of the clients, such as `Settings` and `Outcome`, is in `linkfix.hooks.response`.
"""

from __future__ import annotations

from linkfix.trees import TREES, absolutize_tree

__all__ = ["TREES", "absolutize_tree"]
