"""Errors for arguments that belong to another hook, or to none."""

from __future__ import annotations

from linkfix.urls import excerpt

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
#: The maximum length of a wrong value in a message, in characters.
_SHOWN = 80


def library_of(value: object) -> str:
    """The library in `_MEANT` that a value's class (or the class itself) comes from, or ""."""
    kind = value if isinstance(value, type) else type(value)
    packages = (base.__module__.partition(".")[0] for base in kind.__mro__)
    return next((package for package in packages if package in _MEANT), "")


def wrong_argument(call: str, expected: str, value: object, meant: str | None = None) -> TypeError:
    """The error for an argument of a wrong type.

    `call`: the function. `expected`: the valid arguments, in words. `value`: the wrong argument. `meant`: the right way
    for this value; None: the entry of the value's library.
    """
    kind = value if isinstance(value, type) else type(value)
    if kind.__module__ == "builtins" and kind is not value:
        given = f"{kind.__name__} {excerpt(repr(value), _SHOWN)}"
    else:
        given = f"{'the class ' if kind is value else ''}{kind.__module__}.{kind.__qualname__}"
    if meant is None:
        meant = _MEANT.get(library_of(value), "")
    if kind is value or meant == call:
        meant = ""
    message = f"{call}() takes {expected}, not {given}{f': use {meant}' if meant else ''}"
    return TypeError(message)
