"""The languages of Starlight, by `astro.config.*`: each has the pages of the default language that it does not have."""

from __future__ import annotations

from collections.abc import Mapping

from linkfix.auditing.generators.formats import SPREAD, Value

_OPTIONS = "/starlight()/"


def starlight_locales(values: Mapping[str, Value]) -> tuple[str, ...] | None:
    """The folders of the languages, with a slash at the end, that of the default first; None if they are not known.

    A language at the root of the site has the folder "". A site without languages has none.
    """
    options = next((key.partition(_OPTIONS)[0] + _OPTIONS for key in values if _OPTIONS in key), None)
    if options is None:
        return None
    beginning = f"{options}locales/"
    names = dict.fromkeys(key[len(beginning) :].partition("/")[0] for key in values if key.startswith(beginning))
    if f"{options}{SPREAD}" in values or SPREAD in names:
        return None
    default = values.get(f"{options}defaultLocale", "root")
    if not names or default not in names:
        return None if names else ()
    folders = {name: "" if name == "root" else f"{name.lower()}/" for name in names}
    return folders.pop(str(default)), *folders.values()
