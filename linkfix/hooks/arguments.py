"""What hooks say of arguments that are meant for another hook, or are no such thing at all."""

from __future__ import annotations

#: A library's package -> the way to make its links absolute.
_MEANT = {
    "aiohttp": "aiohttp.ClientSession(middlewares=(linkfix.hooks.aiohttp.absolutize,))",
    "bs4": "linkfix.hooks.bs4.absolutize",
    "httpx": "linkfix.hooks.httpx.install",
    "httpx2": "linkfix.hooks.httpx2.install",
    "lxml": "linkfix.hooks.lxml.absolutize",
    "parsel": "linkfix.hooks.parsel.absolutize",
    "playwright": "linkfix.hooks.playwright.absolutize",
    "requests": "linkfix.hooks.requests.install",
    "scrapy": "linkfix.hooks.scrapy.LinkfixAddon",
    "selectolax": "linkfix.hooks.selectolax.absolutize",
}
#: How much of a wrong value a message shows, in characters.
_SHOWN = 80


def library_of(value: object) -> str:
    """The library in `_MEANT` that a value's class comes from, or the class that it is; "" for others."""
    kind = value if isinstance(value, type) else type(value)
    packages = (base.__module__.partition(".")[0] for base in kind.__mro__)
    return next((package for package in packages if package in _MEANT), "")


def wrong_argument(call: str, expected: str, value: object, meant: str | None = None) -> TypeError:
    """The error for a value that a function does not take.

    `call`: the function. `expected`: what it takes. `meant`: what to use instead; None: what the value's library has.
    """
    kind = value if isinstance(value, type) else type(value)
    if kind.__module__ == "builtins" and kind is not value:
        given = f"{kind.__name__} {repr(value)[:_SHOWN]}"
    else:
        given = f"{'the class ' if kind is value else ''}{kind.__module__}.{kind.__qualname__}"
    if meant is None:
        meant = _MEANT.get(library_of(value), "")
    if kind is value or meant == call:
        meant = ""
    message = f"{call}() takes {expected}, not {given}{f': use {meant}' if meant else ''}"
    return TypeError(message)
