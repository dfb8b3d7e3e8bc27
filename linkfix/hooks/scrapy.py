"""Scrapy: every page that a spider gets has absolute links, and `response.urljoin` and `follow` go by its own base.

    # settings.py
    ADDONS = {"linkfix.hooks.scrapy.LinkfixAddon": 540}
    # in a spider
    yield from response.follow_all(css="a::attr(href)")
    response.linkfix.links  # and .base, .problems, .rewritten, .encoding: see linkfix.hooks.response.Outcome

Settings: `LINKFIX_ENABLED`, and `LINKFIX_` with the name, in capitals, of each field of
`linkfix.hooks.response.Settings` and of `linkfix.Options` (`LINKFIX_MAX_SIZE`, `LINKFIX_LAZY`). A request with
`meta={"linkfix": False}` gets its page as it was sent. Statistics: `linkfix/responses`, `linkfix/rewritten`,
`linkfix/left_alone/<code>`, `linkfix/problems/<code>`.

Also an item loader's processor (`url_in = absolutize`) and a `LinkExtractor` that knows every kind of link.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from collections.abc import Set as AbstractSet
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.settings import BaseSettings
from scrapy.statscollectors import StatsCollector
from scrapy.utils.misc import load_object

from linkfix.errors import InvalidOption
from linkfix.hooks import response as clients
from linkfix.hooks.response import Outcome, Settings, seen_before
from linkfix.hooks.scrapy_links import LinkExtractor
from linkfix.hooks.scrapy_response import Absolutized, absolutized, page_of, received
from linkfix.model import Row

__all__ = ["PRIORITY", "LinkExtractor", "LinkfixAddon", "LinkfixMiddleware", "absolutize", "settings_of"]

#: Where the middleware stands among those of Scrapy: content codings are undone (590) and redirects followed (600)
#: before it sees a response, and a refresh that is to be followed (580) is absolute already.
PRIORITY = 585


def _rows(settings: BaseSettings, name: str) -> tuple[Row, ...]:
    return tuple(Row(*row) for row in settings.get(name))


_READERS: dict[str, Callable[[BaseSettings, str], object]] = {
    "max_size": BaseSettings.getint,
    "media_types": BaseSettings.getlist,
    "default_base": BaseSettings.get,
    "spec": BaseSettings.get,
    "excess_dots": BaseSettings.get,
    "same_scheme": BaseSettings.get,
    "fragments": BaseSettings.get,
    "normalize": BaseSettings.getbool,
    "base_element": BaseSettings.get,
    "lazy": BaseSettings.getbool,
    "social": BaseSettings.getbool,
    "json_ld": BaseSettings.getbool,
    "plain_text": BaseSettings.getbool,
    "rows": _rows,
    "keep": lambda settings, name: load_object(settings[name]),
    "srcdoc_depth": BaseSettings.getint,
}
_PREFIX = "LINKFIX_"


def settings_of(settings: BaseSettings) -> Settings:
    """What a crawl's `LINKFIX_*` settings ask for. Raises InvalidOption for a value or a name that is none of them.

    `LINKFIX_KEEP` is a function or its import path; a row of `LINKFIX_ROWS` is what `linkfix.Row` takes.
    """
    fields: dict[str, Any] = {}
    made = Settings()
    given = [name for name in settings if isinstance(name, str) and name.startswith(_PREFIX)]
    known = ["LINKFIX_ENABLED", *(_PREFIX + name.upper() for name in _READERS)]
    for name in sorted(set(given) - set(known)):
        message = f"{name}: there is no such setting; there are {', '.join(known)}"
        raise InvalidOption(message)
    for field, read in _READERS.items():
        name = _PREFIX + field.upper()
        if settings.get(name) is None:
            continue
        try:
            fields[field] = read(settings, name)
            made = clients.settings(**fields)
        except (ValueError, TypeError, NameError, ImportError) as error:
            message = f"{name}={settings.get(name)!r}: {error}"
            raise InvalidOption(message) from None
    return made


class LinkfixAddon:
    """The add-on: it installs the middleware, unless that is installed or `LINKFIX_ENABLED` is false."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Adds the middleware to DOWNLOADER_MIDDLEWARES."""
        _check_enabled(settings)
        settings.setdefault_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", LinkfixMiddleware, PRIORITY)


class LinkfixMiddleware:
    """The downloader middleware. It can be installed without the add-on: `{LinkfixMiddleware: PRIORITY}`.

    `settings`: see `settings_of`. `stats`: where it counts.
    """

    def __init__(self, settings: Settings | None = None, stats: StatsCollector | None = None) -> None:
        self.settings: Settings = settings or Settings()
        self.stats = stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> LinkfixMiddleware:
        """Makes one by a crawler's settings. Raises InvalidOption, which stops the crawl before it starts."""
        _check_enabled(crawler.settings)
        return cls(settings_of(crawler.settings), crawler.stats)

    def process_response(self, request: Request, response: Response, spider: object = None) -> Response:  # noqa: ARG002
        """The response, with absolute links and `linkfix` if it is HTML. `spider`: what Scrapy before 2.14 tells."""
        if not isinstance(response, HtmlResponse) or request.meta.get("linkfix") is False:
            return response
        if isinstance(response, Absolutized):
            seen_before(response.url)
            return response
        outcome = clients.absolutize(received(response, request.meta.get("redirect_urls", ())), self.settings)
        self._count(outcome)
        return absolutized(response, outcome)

    def _count(self, outcome: Outcome) -> None:
        if self.stats is None:
            return
        self.stats.inc_value("linkfix/responses")
        self.stats.inc_value("linkfix/rewritten", outcome.rewritten)
        if outcome.left_alone:
            self.stats.inc_value(f"linkfix/left_alone/{outcome.left_alone}")
        for problem in outcome.problems:
            self.stats.inc_value(f"linkfix/problems/{problem.code}")


def _check_enabled(settings: BaseSettings) -> None:
    try:
        enabled = settings.getbool("LINKFIX_ENABLED", default=True)
    except ValueError as error:
        message = f"LINKFIX_ENABLED={settings.get('LINKFIX_ENABLED')!r}: {error}"
        raise InvalidOption(message) from None
    if not enabled:
        message = "LINKFIX_ENABLED is false"
        raise NotConfigured(message)


def absolutize(value: Any, loader_context: MutableMapping[str, Any] | None = None) -> Any:  # noqa: ANN401 - a processor
    """An item loader's processor: absolute URLs of the references that a page has, by the page's own base.

    `url_in = absolutize` and `url_in = MapCompose(absolutize)` do the same. The page is the loader's `response`, which
    it gets with absolute links or without. What is no str, blank, or cannot be resolved stays as it is, and so does
    everything where the loader has no response. Never raises.
    """
    response = (loader_context or {}).get("response")
    if not isinstance(response, TextResponse):
        return value
    page = page_of(response)
    if isinstance(value, (list, tuple, AbstractSet, Iterator)):
        return [_absolute(each, page.join) for each in value]
    return _absolute(value, page.join)


def _absolute(value: Any, join: Callable[[str], str | None]) -> Any:  # noqa: ANN401
    return join(value) or value if isinstance(value, str) and value.strip() else value
