"""Hook for Scrapy: pages have absolute links, and `response.urljoin` and `follow` use the right base.

    # settings.py
    ADDONS = {"linkfix.hooks.scrapy.LinkfixAddon": 540}
    # in a spider
    yield from response.follow_all(css="a::attr(href)")
    response.linkfix.links  # and .base, .problems, .rewritten, .encoding: see linkfix.hooks.response.Outcome

Settings: `LINKFIX_ENABLED`, and `LINKFIX_` with the name of a field of `linkfix.hooks.response.Settings` or of
`linkfix.Options`, in capitals (`LINKFIX_MAX_SIZE`, `LINKFIX_LAZY`). A request with `meta={"linkfix": False}` is not
processed. Scripts count as off, but as on in pages that scrapy-playwright rendered; `LINKFIX_SCRIPTING` overrides this.
Statistics: `linkfix/responses`, `linkfix/rewritten`, `linkfix/left_alone/<code>`, `linkfix/problems/<code>`.

There are also a processor for item loaders (`url_in = absolutize`) and a `LinkExtractor` for every kind of link.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from collections.abc import Set as AbstractSet
from typing import Any, TypeAlias, TypeGuard

from linkfix.errors import Needs

with Needs("linkfix.hooks.scrapy", "scrapy"):
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.exceptions import NotConfigured
    from scrapy.http import HtmlResponse, Response, TextResponse
    from scrapy.settings import BaseSettings
    from scrapy.statscollectors import StatsCollector
    from scrapy.utils.misc import load_object

from linkfix.errors import InvalidOption
from linkfix.hooks import response as clients
from linkfix.hooks.response import HTML, Outcome, Settings, log_once
from linkfix.hooks.scrapy_links import LinkExtractor
from linkfix.hooks.scrapy_response import Absolutized, page_resolver, settings_for, to_response, with_outcome
from linkfix.model import Options, Row

__all__ = ["PRIORITY", "LinkExtractor", "LinkfixAddon", "LinkfixMiddleware", "absolutize", "settings_of"]

#: The place of the middleware: after content codings are decoded (590) and redirects followed (600). It comes before a
#: refresh is followed (580), whose URL must already be absolute.
PRIORITY = 585


def _rows(settings: BaseSettings, name: str) -> tuple[Row, ...]:
    return tuple(Row(*row) for row in settings.get(name))


_Reader: TypeAlias = Callable[[BaseSettings, str], object]

#: The text of a field's type -> the function that reads its setting; for all other types, `BaseSettings.get`.
_OF_TYPES: dict[str, _Reader] = {
    "bool": BaseSettings.getbool,
    "int": BaseSettings.getint,
    "frozenset[str]": BaseSettings.getlist,
    "tuple[str, ...]": lambda settings, name: tuple(settings.getlist(name)),
    "tuple[Row, ...]": _rows,
    "Callable[[str], bool] | None": lambda settings, name: load_object(settings[name]),
}
_READERS: dict[str, _Reader] = {
    name: _OF_TYPES.get(type_, BaseSettings.get)
    for name, type_ in (Settings.__annotations__ | Options.__annotations__).items()
    if name not in {"options", "anchors", "locate", "move"}  # the last two are functions for one document or site
}
_PREFIX = "LINKFIX_"


def settings_of(settings: BaseSettings) -> Settings:
    """The `Settings` of a crawl's `LINKFIX_*` settings. Raises InvalidOption for a wrong name or value.

    `LINKFIX_KEEP` is a function or its import path; a row of `LINKFIX_ROWS` has the arguments of `linkfix.Row`.
    """
    fields: dict[str, Any] = {}
    made = Settings()
    given = [name for name in settings if isinstance(name, str) and name.startswith(_PREFIX)]
    known = ["LINKFIX_ENABLED", *(_PREFIX + name.upper() for name in _READERS)]
    for name in sorted(set(given) - set(known)):
        message = f"unknown setting {name}: use one of {', '.join(known)}"
        raise InvalidOption(message)
    for field, read in _READERS.items():
        name = _PREFIX + field.upper()
        if settings.get(name) is None:
            continue
        try:
            fields[field] = read(settings, name)
            made = clients.settings(**fields)
        except InvalidOption as error:
            if error.option != field:
                message = f"{name}={settings.get(name)!r}: {error}"
                raise InvalidOption(message) from None
            raise InvalidOption.of(name, settings.get(name), error.expected) from None
        except (ValueError, TypeError, NameError, ImportError) as error:
            message = f"{name}={settings.get(name)!r}: {error}"
            raise InvalidOption(message) from None
    return made


class LinkfixAddon:
    """The add-on. It installs the middleware, unless it is already installed or `LINKFIX_ENABLED` is false."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Add the middleware to DOWNLOADER_MIDDLEWARES."""
        _check_enabled(settings)
        name = "DOWNLOADER_MIDDLEWARES"  # only Scrapy 2.13 and later has a method for this
        installed = settings.getdict(name)
        if LinkfixMiddleware not in map(load_object, installed):
            settings.set(name, {**installed, LinkfixMiddleware: PRIORITY}, settings.getpriority(name) or 0)


class LinkfixMiddleware:
    """The downloader middleware. It can be installed without the add-on: `{LinkfixMiddleware: PRIORITY}`."""

    def __init__(self, settings: Settings | None = None, stats: StatsCollector | None = None) -> None:
        self.settings: Settings = settings or Settings()
        """The settings: see `settings_of`."""
        self.stats = stats
        """The collector of statistics, or None."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> LinkfixMiddleware:
        """Make a middleware from a crawler's settings. Raises InvalidOption, which stops the crawl before it starts."""
        _check_enabled(crawler.settings)
        return cls(settings_of(crawler.settings), crawler.stats)

    def process_response(self, request: Request, response: Response, spider: object = None) -> Response:
        """Process a response of one of the media types. Scrapy before 2.14 passes `spider`."""
        if not self._may_be_processed(response) or request.meta.get("linkfix") is False:
            return response
        if isinstance(response, Absolutized):
            log_once("hook-twice", response.url)
            return response
        settings = settings_for(response, self.settings, request)
        outcome = clients.absolutize(to_response(response, request.meta.get("redirect_urls", ())), settings)
        if not isinstance(response, HtmlResponse) and outcome.document is None and not outcome.left_alone:
            return response  # of another media type
        self._count(outcome)
        return with_outcome(response, outcome)

    def _may_be_processed(self, response: Response) -> TypeGuard[TextResponse]:
        """Whether the class of a response can have a processed media type: Scrapy has one for HTML, and few others."""
        kind = HtmlResponse if self.settings.media_types <= HTML else TextResponse
        return isinstance(response, kind)

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


def absolutize(value: Any, loader_context: MutableMapping[str, Any] | None = None) -> Any:
    """Resolve references by the base of their page, as a processor for item loaders.

    `url_in = absolutize` and `url_in = MapCompose(absolutize)` do the same. The page is the loader's `response`,
    processed by the middleware or not. Values that are not str, are blank or cannot be resolved do not change. Without
    a response, no value changes. Never raises.
    """
    response = (loader_context or {}).get("response")
    if not isinstance(response, TextResponse):
        return value
    join = page_resolver(response).join
    if isinstance(value, (list, tuple, AbstractSet, Iterator)):
        return [_resolve(each, join) for each in value]
    return _resolve(value, join)


def _resolve(value: Any, join: Callable[[str], str | None]) -> Any:
    return join(value) or value if isinstance(value, str) and value.strip() else value
