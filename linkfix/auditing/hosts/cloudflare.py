"""The settings of Cloudflare's Wrangler: the folder that is published, and what answers paths without a file.

`pages_build_output_dir` is for Pages, `assets.directory` for Workers (docs of Workers, "Static assets").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from linkfix.auditing.hosts.expressions import Expression
from linkfix.auditing.hosts.rules import HostRule, HostRules, Read
from linkfix.auditing.hosts.values import ValuePlaces, read_jsonc, read_toml, text_of
from linkfix.display import visible

#: The name of a settings file -> its reader.
WRANGLER_FILES: Mapping[str, Callable[[bytes], dict[str, Any]]] = {
    "wrangler.toml": read_toml,
    "wrangler.json": read_jsonc,
    "wrangler.jsonc": read_jsonc,
}

#: The values of `html_handling` -> whether the URLs of pages end with a slash.
_SLASHES = {"auto-trailing-slash": None, "force-trailing-slash": True, "drop-trailing-slash": False}

#: The value with which the host knows neither clean URLs nor index files.
_NO_HANDLING = "none"

#: The valid values of two settings.
_VALUES = {
    "html_handling": (*_SLASHES, _NO_HANDLING),
    "not_found_handling": ("none", "404-page", "single-page-application"),
}


def _assets(settings: Mapping[str, Any]) -> dict[str, Any]:
    assets = settings.get("assets")
    return assets if isinstance(assets, dict) else {}


def wrangler_folder(settings: Mapping[str, Any]) -> str:
    """The folder that is published, from the settings file; "" for none."""
    return text_of(_assets(settings).get("directory")) or text_of(settings.get("pages_build_output_dir"))


def has_clean_urls(settings: Mapping[str, Any]) -> bool:
    """Whether the host answers `/a` with `a.html`, and `/a/` with `a/index.html`."""
    return text_of(_assets(settings).get("html_handling")) != _NO_HANDLING


def is_worker(settings: Mapping[str, Any]) -> bool:
    """Whether the settings are for Workers, not for Pages."""
    return bool(_assets(settings))


def environments(settings: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each environment of a settings file, in words, with its settings. The first is the top level: "".

    It is the one that is deployed without `--env`. The others have its settings, unless they have their own: these are
    not merged (docs of Wrangler, "Inheritable keys").
    """
    yield "", settings
    named = settings.get("env")
    for name, own in named.items() if isinstance(named, dict) else ():
        if isinstance(own, dict):
            yield f"environment {name}", {**settings, **own}


def read_wrangler(settings: Mapping[str, Any], data: bytes, rules: HostRules, name: str) -> Read:
    """Append the rule for paths without a file: a program (`main`) answers, or the start page."""
    assets = _assets(settings)
    for key, values in _VALUES.items():
        if (value := text_of(assets.get(key))) and value not in values:
            message = f"{key} has no value {visible(value)}: the usual one counts"
            rules.reject(ValuePlaces(data, name).place_of_key(key), message, f"write {' or '.join(values)}")
    is_program = assets != {} and bool(text_of(settings.get("main")))
    if is_program or assets.get("not_found_handling") == "single-page-application":
        key = "main" if is_program else "not_found_handling"
        place = ValuePlaces(data, name).place_of_key(key)
        target = () if is_program else ("/index.html",)
        every_path = Expression(re.compile("/"), 0, 1)
        rules.add(HostRule(place, expression=every_path, target=target, rewrites=True, is_program=is_program))
    indexes = None if has_clean_urls(settings) else ()
    return Read([], indexes=indexes, trailing_slash=_SLASHES.get(text_of(assets.get("html_handling"))))
