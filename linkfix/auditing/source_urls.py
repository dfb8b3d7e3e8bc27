"""The possible URLs of the page of a source: by its name, by its front matter, and by the settings of its generator.

The table of conventions is `linkfix.auditing.generators.profiles`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from posixpath import dirname, join, splitext

from linkfix.auditing.generators.docusaurus import NUMBER, page_paths, slugs_in
from linkfix.auditing.generators.front_matter import filled, own_url, settings_in, urls_in
from linkfix.auditing.generators.jekyll_urls import jekyll_paths
from linkfix.auditing.generators.profiles import FOLDER_PAGES, Profile
from linkfix.lazy import lazy_pattern
from linkfix.model import Link

#: A suffix that URLs of pages may have.
_SUFFIX = lazy_pattern(r"\.(?:html?|mdx?|markdown)\Z", re.IGNORECASE)

#: The date of a post.
_DATE = lazy_pattern(r"(\d{4})-(\d{1,2})-(\d{1,2})-([^/]+)")

#: The folders of posts.
_POSTS = lazy_pattern(r"(?:.*/)?_posts/.*")

#: The first characters of a path from `source_paths` whose names may be the end of any URL.
ANYWHERE = "*/"

#: The place of a parameter in the path of a rewrite.
_GROUP = lazy_pattern(r"\\g<\d+>")

#: The folder of a language.
LANGUAGE = lazy_pattern(r"([a-z]{2,3}(?:-[a-z]{2,4})?)(?:/|\Z)")

#: A name with a language: `about.fr.md`.
_TRANSLATION = lazy_pattern(r"(.+)\.([a-z]{2,3}(?:-[a-z]{2,4})?)(\.\w+)", re.IGNORECASE)


@cache
def compiled(rows: tuple[tuple[str, str], ...]) -> list[tuple[re.Pattern[str], str]]:
    """The folders of sources, each as a pattern, with the path of its pages."""
    return [(re.compile(folder), path) for folder, path in rows]


def paths_by_name(profile: Profile, inner: str) -> Iterator[str]:
    """Yield the paths of a name in the project from the root of the site, by the folders of the sources."""
    for path, rest in _places(profile, inner):
        match = _TRANSLATION.fullmatch(rest) if profile.has_languages else None
        beginning = dict(profile.languages).get(match[2].lower()) if match is not None else None
        if match is not None and beginning is not None:
            yield beginning + match[1] + match[3]
            continue
        yield path + rest
        if match is not None and not profile.languages:
            yield path + match[1] + match[3]
            yield f"{match[2]}/{path}{match[1]}{match[3]}"


def _places(profile: Profile, inner: str) -> Iterator[tuple[str, str]]:
    """Yield the paths that the pages of a source's folder begin with, each with the name of the source below it.

    A rewrite gives the whole path.
    """
    if (path := rewritten(profile.rewrites, inner)) is not None:
        yield path, ""
        return
    for folder, path in compiled(profile.content):
        match = folder.match(inner)
        if match is not None:
            yield match.expand(path), inner[match.end() :]


@lru_cache(maxsize=1 << 10)
def rewritten(rules: tuple[tuple[str, str], ...], inner: str) -> str | None:
    """The path that rules, as in `Profile.rewrites`, give the page of a source; None if none fits its name."""
    matches = ((pattern.fullmatch(inner), path) for pattern, path in compiled(rules))
    return next((match.expand(path) for match, path in matches if match is not None), None)


def _rewritten_routes(profile: Profile, inner: str) -> Iterator[str]:
    """Yield the paths of rules that may fit pages of a dynamic route, and not the name of its source."""
    start = re.escape(inner.partition("[")[0]).lower()
    for pattern, path in profile.rewrites:
        beginning = pattern.replace("(?i:", "", 1).partition("(")[0].removesuffix(")").lower()
        if beginning.startswith(start) or start.startswith(beginning):
            yield _GROUP.sub("[any]", path)


def listed_pages(profile: Profile, inner: str, text: str) -> Iterator[str]:
    """Yield the paths of the pages that a file of settings makes, such as sidebars."""
    docs = "|".join(one.folders for one in profile.plugins if one.kind == "docs")
    own = [path for path, _ in _places(profile, inner)] if docs and re.match(docs, inner) else []
    routes = own or [re.sub(r"\\\d", ":name", path) for folder, path in profile.content if folder in docs.split("|")]
    for slug in slugs_in(text):
        yield from (path + slug for path in routes)


def source_paths(profile: Profile, inner: str, beginning: str) -> Iterator[str]:
    """Yield the possible paths of the page of a source, from the root of the site.

    `inner`: its name in the project. `beginning`: its first `LARGEST` characters.
    """
    plugin = next((one for one in profile.plugins if re.match(one.folders, inner)), None)
    if plugin is not None:
        values, _ = settings_in(beginning)
        for route, path in _places(profile, inner):
            yield from (join(route, one) for one in page_paths(plugin, path, values))
        return
    if "[" in inner and rewritten(profile.rewrites, inner) is None:
        yield from _rewritten_routes(profile, inner)
    urls, others, names = urls_in(beginning)
    own = list(own_paths(profile, inner, beginning))
    yield from own or _permalinks(profile, inner, beginning)
    yield from _urls(profile, inner, others if own else urls + others, names, is_moved=bool(own))
    dated = _DATE.fullmatch(splitext(inner)[0].rpartition("/")[2])
    if dated is not None and not own and _POSTS.fullmatch(inner):
        yield ANYWHERE + dated[4]


def is_unbuilt(profile: Profile, inner: str, beginning: str) -> bool:
    """Whether front matter keeps a source out of the site. The arguments: as in `source_paths`."""
    values = settings_in(beginning)[0] if profile.unbuilt else {}
    is_section = splitext(inner)[0].rpartition("/")[2] == "_index"  # Hugo lists its pages all the same
    return not is_section and any(values.get(key) is value for key, value in profile.unbuilt)


def usual_paths(profile: Profile, inner: str) -> Iterator[str]:
    """Yield the paths that the name of a source would give its page, but for settings and front matter."""
    for path in paths_by_name(profile._replace(rewrites=()), inner):
        yield path
        yield _DATE.sub(r"\1/\2/\3/\4", path.removeprefix("posts/"))


def own_paths(profile: Profile, inner: str, beginning: str) -> Iterator[str]:
    """Yield the possible paths that settings or front matter give the page of a source; nothing if its name decides.

    The arguments: as in `source_paths`.
    """
    if (path := rewritten(profile.rewrites, inner)) is not None:
        yield splitext(path)[0]
        return
    if profile.jekyll is not None:
        yield from (path.lstrip("/") for path in jekyll_paths(profile.jekyll, inner, settings_in(beginning)[0]))
        return
    key, url = own_url(profile.url_keys, beginning)
    if profile.url_folder not in f"/{inner}":
        return
    if key and key != profile.name_key:
        yield url.lstrip("/")
        roots = {path.partition("/")[0] for path in paths_by_name(profile, inner)} if profile.name_key else ()
        yield from (join(root, url.lstrip("/")) for root in roots if LANGUAGE.fullmatch(root))
        return
    is_section = splitext(inner)[0].rpartition("/")[2] == "_index"  # it keeps its name
    found = [] if is_section else list(_permalinks(profile, inner, beginning))
    yield from found
    for path in paths_by_name(profile, inner) if key and "/" not in url and not found and not is_section else ():
        folder, _, last = splitext(path)[0].rpartition("/")
        yield join(dirname(folder) if last == "index" else folder, url)


def _permalinks(profile: Profile, inner: str, beginning: str) -> Iterator[str]:
    """Yield the paths that the settings give the page of a source in a folder."""
    for path in paths_by_name(profile, inner) if profile.permalinks else ():
        for root in _language_roots(profile, path):
            rest = path[len(root) :]
            for folder, template in compiled(profile.permalinks):
                if folder.match(rest):
                    yield root + filled(template, rest, beginning, has_titles=profile.makes_slugs).lstrip("/")


def _language_roots(profile: Profile, path: str) -> Iterator[str]:
    """Yield the possible beginnings of a path by its language."""
    if profile.languages:
        yield max((one for _, one in profile.languages if path.startswith(one)), key=len, default="")
        return
    yield ""
    match = LANGUAGE.match(path) if profile.has_languages else None
    if match is not None:
        yield match[0]


def _urls(profile: Profile, inner: str, urls: list[str], names: list[str], *, is_moved: bool) -> Iterator[str]:
    """Yield the paths of the page of a source by its name, unless front matter moves it, and by its front matter."""
    for path in paths_by_name(profile, inner):
        stem = splitext(path)[0]
        beginning = path[: len(path) - len(inner.rpartition("/")[2])] if "/" in path else ""
        root = beginning.partition("/")[0]
        stems = dict.fromkeys((stem, NUMBER.sub(r"\1", stem)) if profile.strips_numbers else (stem,))
        for one in stems:
            folder, _, last = one.rpartition("/")
            if profile.strips_numbers and folder.rpartition("/")[2] == last:
                yield folder
            if not is_moved:
                yield _DATE.sub(r"\1/\2/\3/\4", one)
                yield one
            yield from (join(folder, name) for name in names)
            for url in urls:
                if url.startswith("/"):
                    yield url.lstrip("/")
                    yield join(root, url.lstrip("/"))
                elif "://" not in url:
                    yield url
                    yield join(folder, url)
                    yield join(root, url)


def adds_base(profile: Profile, link: Link) -> bool:
    """Whether the generator adds the base of the site to a link that begins with a slash."""
    return profile.adds_base and link.syntax == "markdown" and link.role == "hyperlink"


def is_named(profile: Profile, name: str, path: str) -> bool:
    """Whether a path may lead to the page of a source, by the names at their ends: see `Profile.folder_pages`."""
    stem, written = (splitext(one.rpartition("/")[2])[0].lower() for one in (name, path))
    if not written and profile.slash_is_folder:
        return stem in profile.folder_pages
    return written == stem or stem not in FOLDER_PAGES - profile.folder_pages


def path_form(path: str, profile: Profile) -> str:
    """The form of a path that all its spellings have: without slashes at its ends, an index and a suffix."""
    bare = _SUFFIX.sub("", path.strip("/"))
    folder, _, last = bare.rpartition("/")
    bare = folder if last.lower() in profile.folder_pages else bare
    return bare.lower().replace(" ", "-") if profile.makes_slugs else bare
