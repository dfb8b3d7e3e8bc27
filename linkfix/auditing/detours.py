"""The detours of references that work: by a redirect of the host, or by another form of the same file's URL."""

from __future__ import annotations

from typing import NamedTuple

from linkfix.auditing.site import Destination, DestinationKind, Site, path_of_url, percent_decode

#: The kinds of destinations that a reference may lead to by a detour.
_REACHED = frozenset({DestinationKind.FILE, DestinationKind.EXTERNAL})

#: The suffixes of pages that clean URLs leave out.
_PAGES = (".html", ".htm")


_ADDS_SLASH = "the host redirects to the URL with a slash at the end"

_REMOVES_SLASH = "the host redirects to the URL without the slash"


class Detour(NamedTuple):
    """The way of a reference that works, but not directly."""

    words: str
    """Why it is not direct, as a clause."""
    url: str
    """The direct URL, with the fragment that a redirect sets. Without one, that of the reference stays.

    The fragment of a redirect replaces that of the reference (Fetch standard, "location URL" of a response).
    """
    is_certain: bool
    """Whether all redirects on the way are permanent, and the query and fragment of the direct URL are certain."""


def detour(site: Site, target: str) -> Detour | None:
    """The way that a URL takes to a file, if another URL leads there directly; None if it is direct."""
    url = target.partition("#")[0]
    if not site.is_own(url) or site.mounts:
        return None
    found, end, possible, redirects = site.walk(url)
    if found.kind not in _REACHED or possible:
        return None
    is_own = site.is_own(end)
    words, direct = "", path_of_url(end)
    if found.kind is DestinationKind.FILE and is_own:
        # With rules, the end of the way may be the direct URL already. Only redirects of rules lead elsewhere.
        words, direct = _straightened(site, found, direct if redirects else path_of_url(url))
    if redirects:
        ways = list(dict.fromkeys(one.place.words() for one in redirects))
        words = f"{ways[0]} redirects it" if len(ways) == 1 else f"{', then '.join(ways)} redirect it"
    if not words:
        return None
    _, mark, query = end.partition("?")
    url = (site.origin + direct if is_own else end.partition("?")[0]) + mark + query
    fragment = f"#{found.fragment}" if found.fragment else ""
    # A redirect with an empty fragment drops the fragment of the reference: no URL of a link says that.
    is_certain = all(one.is_permanent and one.is_exact and one.target[-1:] != "#" for one in redirects)
    return Detour(words, url + fragment, is_certain)


def _straightened(site: Site, found: Destination, path: str) -> tuple[str, str]:
    """Why a path leads to a file by a detour, and the direct path; "" and the path for none."""
    host = site.host
    if not path.startswith(site.prefix):
        return "", path
    name = percent_decode(path.removeprefix(site.prefix))
    folder, _, last = found.name.rpartition("/")
    above = f"{folder}/" if folder else ""
    stem = found.name.rpartition(".")[0]
    is_index = last in site.indexes_in(above) and site.number(above) == found.number
    has_clean_urls = site.has_clean_urls(stem)
    forms = {found.name, *([above, folder] if is_index else []), *([stem, f"{stem}/"] if has_clean_urls else [])}
    if name not in forms:
        near = next((one for one in forms if one.casefold() == name.casefold()), None)
        return ("", path) if near is None else ("the name is in another case", site.url_path(near))
    slash = host.trailing_slash
    words = ""
    if is_index and (name == found.name or name.rstrip("/") == stem):
        words = "the URL of the folder leads to this file"
    elif is_index and folder and name == folder and host.adds_slash and slash is not False:
        words = _ADDS_SLASH
    elif is_index and folder and name == above and slash is False:
        words = _REMOVES_SLASH
    elif not is_index and found.name.endswith(_PAGES) and has_clean_urls:
        if name == found.name and host.strips_suffix:
            words = "the host redirects to the URL without the suffix"
        elif name == f"{stem}/" and host.serves_slashed and not slash:
            words = _REMOVES_SLASH
        elif name == stem and slash:
            words = _ADDS_SLASH
    return (words, site.url_path(site.direct_name(found.name))) if words else ("", path)
