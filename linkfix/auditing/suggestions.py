"""Suggestions for missing targets: names with a small edit distance, files with another name or in another folder."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import islice
from posixpath import dirname, join, normpath, relpath, splitext
from unicodedata import normalize
from urllib.parse import unquote

from linkfix.auditing.interpretation import destination_of
from linkfix.auditing.model import Hint
from linkfix.auditing.rule import AuditedLink
from linkfix.auditing.site import Destination, DestinationKind, Site, percent_decode
from linkfix.auditing.source_names import source_names
from linkfix.comparison import distance
from linkfix.lazy import lazy_pattern
from linkfix.urls import strip_url

# The file that was probably intended instead of a missing one, after everyday slips.
#
# The slips are: a page instead of the folder of the same name, or the reverse; another suffix of the same kind of file;
# other separators between words. If only one file in the tree has the missing name, it is suggested, in whatever
# folder. Common names are the exception: every folder has an index.


_PAGES = (".html", ".htm", ".xhtml", ".xht", ".shtml")

#: Groups of suffixes that people confuse: after a build, a move, a change of image format, or by habit.
_KINDS = (
    (*_PAGES, ".md", ".mdx", ".markdown", ".rst", ".php", ".asp", ".aspx", ".jsp"),
    (".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif", ".svg"),
    (".js", ".mjs", ".cjs"),
    (".yaml", ".yml"),
    (".tar.gz", ".tgz"),
)

_KIND_OF = {suffix: kind for kind in _KINDS for suffix in kind}

_WORD_SEPARATORS = lazy_pattern(r"[\s_-]+")

#: The shortest name, without its suffix, that is distinctive. Shorter names and names without a suffix are too common.
_SHORTEST = 4


@lru_cache(maxsize=1024)  # references to one missing file often differ in their fragments alone
def similar_file(site: Site, name: str) -> str | None:
    """The file in the same place that was probably intended: the only file that the first matching slip explains."""
    for slip in (_page_or_folder, _other_suffix, _other_separators):
        found = {other for other in slip(site, name) if other != name}
        if found:
            return found.pop() if len(found) == 1 else None
    return None


def _page_or_folder(site: Site, name: str) -> Iterator[str]:
    """The page for the name of a folder, or the index for the name of a page."""
    bare = name.rstrip("/")
    if not bare:
        return
    stem, suffix = splitext(bare)
    if suffix.lower() in _PAGES:
        number = site.number(f"{stem}/")
        if number is not None:
            yield site.files[number]
    else:
        yield from (bare + page for page in _PAGES if bare + page in site.numbers)


def _other_suffix(site: Site, name: str) -> Iterator[str]:
    """The files in the same place with another suffix of the same kind."""
    stem, suffix = splitext(name)
    if stem.endswith(".tar"):
        stem, suffix = splitext(stem)[0], ".tar" + suffix
    for other in _KIND_OF.get(suffix.lower(), ()):
        if stem + other in site.numbers:
            yield stem + other


def _other_separators(site: Site, name: str) -> Iterator[str]:
    """The files in the same folder whose names differ only in case and in the separators between words."""
    folder, slash, last = name.rpartition("/")
    form = _form(last)
    if form:
        yield from (folder + slash + other for other in _names_by_form(site, folder).get(form, ()))


@lru_cache(maxsize=4)
def _names_by_form(site: Site, folder: str) -> dict[str, list[str]]:
    forms: dict[str, list[str]] = {}
    for name in site.names_in(folder):
        forms.setdefault(_form(name), []).append(name)
    return forms


def _form(name: str) -> str:
    return _WORD_SEPARATORS.sub("-", name.casefold()).strip("-")


def only_file_named(site: Site, name: str) -> str | None:
    """The only file of the tree with the same name, in another folder; None if several files or none have it."""
    last = name.rpartition("/")[2]
    stem, suffix = splitext(last)
    if not suffix or len(stem) < _SHORTEST or site.is_index(last) or stem.lower() == "readme":
        return None
    found = [one for one in site.files_named(last) if _is_built(name) or not _is_built(one)]
    return found[0] if len(found) == 1 else None


def _is_built(name: str) -> bool:
    """Whether a name is in a folder where Sphinx, Jekyll or Eleventy writes pages. Sources do not refer to it."""
    return not {"_build", "_site"}.isdisjoint(name.split("/")[:-1])


#: The largest number of names to compare, and the longest name to compare.
_MANY = 5000

_LONGEST = 64

#: The number of names kept per form: names that are equal after one character (no digit) is removed.
#:
#: Only names that were made for this purpose exceed it.
_KEPT = 64

#: The number of words searched for by comparing all names, before an index of the names pays off.
_FEW = 8

_COMPRESSED = (".gz", ".br", ".zst", ".xz", ".bz2", ".Z")

_DIGITS = lazy_pattern(r"\d+")

_SEPARATORS = lazy_pattern(r"[\s_.:%+-]+")

_PARTS = lazy_pattern(r"[\s_.:/-]+")

_PATH = lazy_pattern(r"[^?#]*")


def closest(word: str, candidates: Iterable[str], limit: int = 2) -> list[str]:
    """The candidates with the smallest edit distance to `word`.

    The distance is at most `limit`, and less than a third of the length of the parts that differ. Digits have to be
    equal: `chapter-2` is not close to `chapter-3`.
    """
    limit = min(limit, (len(word) - 1) // 3)
    numbers = _DIGITS.findall(word)
    found: list[str] = []
    for candidate in candidates:
        if abs(len(candidate) - len(word)) > limit or candidate == word or not candidate:
            continue
        if (candidate[0] != word[0] and candidate[-1] != word[-1]) or _DIGITS.findall(candidate) != numbers:
            continue
        edits = distance(word, candidate, limit)
        if edits > limit or edits >= _differing_length(word, candidate) / 3:
            continue
        if edits < limit:
            limit, found = edits, []
        found.append(candidate)
    return found


def _differing_length(word: str, candidate: str) -> int:
    """The length of the parts of a name that differ. For `method.join` and `method.min`, it is the length of `join`."""
    parts, others = _PARTS.split(word), _PARTS.split(candidate)
    if len(parts) != len(others):
        return len(word)
    return sum(len(part) for part, other in zip(parts, others, strict=True) if part != other)


class OneEditIndex:
    """An index that finds names at an edit distance of 1, in a time that does not depend on the number of names.

    Two words at this distance are equal after one character is removed from either word, or from one of them. Digits
    have to be equal, as in `closest`, so the removed character is no digit.
    """

    def __init__(self, names: Collection[str]) -> None:
        self._names = names if len(names) <= _MANY else ()
        self._asked = 0

    @cached_property
    def _by_rest(self) -> dict[str, list[str]]:
        by_rest: dict[str, list[str]] = {}
        for name in self._names:
            for rest in _rests(name):
                similar = by_rest.get(rest)
                if similar is None:
                    by_rest[rest] = [name]
                elif len(similar) < _KEPT:
                    similar.append(name)
        return by_rest

    def find(self, word: str) -> list[str]:
        """The names at an edit distance of 1, sorted."""
        self._asked += 1
        found: Iterable[str]
        if self._asked > _FEW:
            found = {name for rest in _rests(word) for name in self._by_rest.get(rest, ())}
        else:
            names = self._names if _is_compared(word) else ()
            found = [name for name in names if abs(len(name) - len(word)) <= 1 and _is_compared(name)]
        return closest(word, sorted(found), 1)


def _is_compared(name: str) -> bool:
    return _SHORTEST <= len(name) <= _LONGEST


def _rests(name: str) -> set[str]:
    if not _is_compared(name):
        return set()
    return {name, *[name[:at] + name[at + 1 :] for at, character in enumerate(name) if not character.isdecimal()]}


class IdSuggestions:
    """The IDs of one page, to find the ID that was probably intended."""

    def __init__(self, ids: Iterable[str]) -> None:
        self._ids = sorted(one for one in ids if one)

    @cached_property
    def _tables(self) -> tuple[dict[str, list[str]], ...]:
        """The IDs by each of their forms."""
        tables: tuple[dict[str, list[str]], ...] = ({}, {}, {})
        for one in self._ids:
            for table, form in zip(tables, _forms(one), strict=True):
                table.setdefault(form, []).append(one)
        return tables

    @cached_property
    def _index(self) -> OneEditIndex:
        return OneEditIndex(self._ids)

    def suggest(self, fragment: str) -> tuple[str, bool] | None:
        """The ID that was probably intended, and whether that is certain; None if no ID is similar.

        It is certain if only this ID differs in nothing but case, encoding and separators. Hyphens, underscores and
        spaces are separators. With another letter, or without a separator, it may be another name.
        """
        for table, form, is_proof in zip(self._tables, _forms(fragment), _PROOFS, strict=True):
            same = table.get(form) if form else None
            if same:
                return same[0] if is_proof else self._with_first_word(same[0], fragment), is_proof and len(same) == 1
        found = self._longer(fragment) or self._index.find(fragment)
        return (found[0], False) if found else None

    @cached_property
    def _by_rest(self) -> dict[str, list[str]]:
        """The IDs by their part after the first word, which begins with "-"."""
        found: dict[str, list[str]] = {}
        for one in self._ids:
            word, mark, rest = one.partition("-")
            if word and mark:
                found.setdefault(mark + rest, []).append(one)
        return found

    def _with_first_word(self, one: str, fragment: str) -> str:
        """An ID; for one that begins with "-", where a picture was left out, the only ID that has a word before it."""
        longer = self._by_rest.get(one, []) if one.startswith("-") and not fragment.startswith("-") else []
        return longer[0] if len(longer) == 1 else one

    def _longer(self, fragment: str) -> list[str]:
        """The only ID that begins with the fragment and a separator: for example, an ID after a title was appended."""
        if len(fragment) < _SHORTEST:
            return []
        first = bisect_left(self._ids, fragment)
        longer = [one for one in self._ids[first : first + 2] if one.startswith(fragment)]
        return longer if len(longer) == 1 and _SEPARATORS.match(longer[0], len(fragment)) else []


#: Whether equality in each of `_forms` proves that two names are the same.
_PROOFS = (True, True, False)


def _forms(name: str) -> tuple[str, str, str]:
    """Three forms of a name: without case and encoding; also with one separator for all; also without any separator.

    A form without any character left is "".
    """
    plain = name.isascii() and "%" not in name
    same = name.lower() if plain else normalize("NFC", unquote(name, errors="surrogateescape")).casefold()
    parts = _WORD_SEPARATORS.sub("-", same)
    return same, parts if parts != "-" else "", _SEPARATORS.sub("", same)


def compressed_file(site: Site, name: str) -> Hint | None:
    """A hint at the file with the suffix of a compression format; None if there is no such file."""
    for suffix in _COMPRESSED:
        if name + suffix in site.numbers:
            return Hint(f"the site has {name}{suffix}: the reference works if the server decompresses this file")
    return None


def suggest_file(audited: AuditedLink) -> Hint | None:
    """A hint at the file that was probably intended by a reference with a missing target; None for no suggestion."""
    site, destination = audited.page.site, audited.destination
    if destination.mount:
        return compressed_file(site, destination.name)
    if destination.source:
        return _made_page(destination)
    if audited.link.syntax == "wikilink":
        meant = _note_named(site, destination.name)
        return None if meant is None else Hint(f"did you mean {meant}?")
    path = _PATH.match(audited.link.reference)[0]  # type: ignore[index]  # it matches any text
    if site.sources is not None and audited.link.syntax == "markdown":
        return unencoded_file(_as_source(audited, site.sources)) or _suggest_source(audited, site.sources, path)
    unencoded = unencoded_file(audited)
    if unencoded is not None:
        return unencoded
    for overlay in site.overlays if "." in destination.name else ():
        if (near := _meant(overlay, destination.name)) is not None:
            at = overlay.url_path(near)
            return Hint(f"did you mean {at}?", reference_to_path(audited, at))
    text, meant = _file_meant(site, destination.name, path, dirname(audited.page.name))
    index = join(dirname(destination.name), "index.md")  # the page of a folder, as README.md is
    if not text and destination.name.rpartition("/")[2].lower() == "readme.md" and index in site.numbers:
        text, meant = f"did you mean {index}?", index
    if not text:
        return _explained(destination, audited.link.reference) if destination.why else None
    return Hint(text, None if meant is None else reference_to(audited, meant))


def _made_page(destination: Destination) -> Hint:
    """The hint at the page that is made from a source."""
    path, reference = destination.moved
    text = f"the page of {destination.source} is at {path}" if path else f"no page is made of {destination.source}"
    if reference and not path:
        text = f"the generator writes the URL of the page of {destination.source} only for {reference}"
    return Hint(text, reference or None)


def _explained(destination: Destination, reference: str) -> Hint:
    """The hint of a destination that says why it is missing, with the reference to another page, if it names one."""
    meant = destination.moved[1]
    return Hint(destination.why, meant + _rest_of(reference) if meant else None)


#: The characters of a file name that have another meaning in a reference, and their percent-encoded forms.
_SIGNS = {"%": "%25", "?": "%3F", "#": "%23"}

_SIGN = lazy_pattern("[%?#]")

_QUERY_OR_FRAGMENT = lazy_pattern("[?#]")

_BAD_ESCAPE = lazy_pattern(r"%(?![0-9A-Fa-f]{2})")

#: The number of characters "?" and "#" in a reference that may be part of a file name.
_SIGNS_TRIED = 4


def encoded_signs(reference: str) -> Iterator[str]:
    """Yield the reference with the signs of a file name in its path percent-encoded, the longest name first.

    A "%" of a valid escape is encoded, too, in the second form of each name.
    """
    ends = [sign.start() for sign in islice(_QUERY_OR_FRAGMENT.finditer(reference), _SIGNS_TRIED + 1)]
    for end in reversed([*ends, len(reference)] if len(ends) <= _SIGNS_TRIED else ends):
        name, rest = reference[:end], reference[end:]
        as_written = _BAD_ESCAPE.sub("%25", name).replace("?", "%3F").replace("#", "%23")
        encoded = _SIGN.sub(lambda sign: _SIGNS[sign[0]], name)
        yield from (form + rest for form in dict.fromkeys((as_written, encoded)) if form != name)


def unencoded_file(audited: AuditedLink) -> Hint | None:
    """A hint at the file whose name contains "?", "#" or "%" as the reference does, but not percent-encoded."""
    page, link = audited.page, audited.link
    if not page.site.has_signs:
        return None
    for reference in encoded_signs(strip_url(link.reference)):
        place = destination_of(audited, reference)
        path = _PATH.match(reference)[0]  # type: ignore[index]  # it matches any text
        last = percent_decode(path.rpartition("/")[2])
        if place.kind is DestinationKind.FILE and place.name.rpartition("/")[2].startswith(last):
            written = ", ".join(f"{_SIGNS[sign]} for {sign}" for sign in sorted(set(_SIGN.findall(last))))
            return Hint(f"the file is {place.name}: write {written}", reference)
        meant = place.near if place.kind is DestinationKind.CASE and not place.mount else ""
        text = f"did you mean {meant}?"
        if place.kind is DestinationKind.MISSING and not place.mount:
            text, found = _file_meant(page.site, place.name, path, dirname(page.name))
            meant = found or ""
        if _QUERY_OR_FRAGMENT.search(meant):
            return Hint(text, reference_to(AuditedLink(page, link._replace(reference=reference), place), meant))
    return None


def signs_hint(audited: AuditedLink) -> Hint:
    """A hint at the reference with "%25" for each "%" that begins no escape, and for others of a file's name."""
    text = strip_url(audited.link.reference)
    plain = _BAD_ESCAPE.sub("%25", text)
    place, reference = audited.destination, plain
    if place.kind is DestinationKind.FILE:
        forms = (plain, *encoded_signs(text))
        reference = next((one for one in forms if destination_of(audited, one).name == place.name), plain)
    elif place.kind is DestinationKind.MISSING and (hint := suggest_file(audited)) and hint.reference:
        reference = _BAD_ESCAPE.sub("%25", hint.reference)
    return Hint("write %25 for a percent sign", reference)


@lru_cache(maxsize=1024)  # a page that was never written often has many links
def _note_named(site: Site, name: str) -> str | None:
    """The only file of the tree with a similar name, in any folder and with any suffix; None if there is none."""
    form = _form(splitext(name.rpartition("/")[2])[0])
    names, index = _notes_of(site)
    forms = [form] if form in names else index.find(form)
    found = [one for near in forms for one in names[near]]
    return found[0] if len(found) == 1 else None


@lru_cache(maxsize=1)
def _notes_of(site: Site) -> tuple[dict[str, list[str]], OneEditIndex]:
    names: dict[str, list[str]] = {}
    for name in site.own_files:
        names.setdefault(_form(splitext(name.rpartition("/")[2])[0]), []).append(name)
    return names, OneEditIndex(names)


def _suggest_source(audited: AuditedLink, sources: Site, path: str) -> Hint | None:
    """A hint at the source file that a link was probably written for; None for no suggestion.

    MkDocs makes a link to a page only from a relative link to its source file.
    """
    page = audited.page
    bare = path.lstrip("/")
    folder = dirname(page.name)
    name = normpath(join("" if bare != path else folder, percent_decode(bare)))
    if name in sources.numbers and page.site.built_source(name) is None:
        return Hint(f"{name} is not part of the site: the settings of MkDocs exclude it")
    meant = next((one for one in (name, *source_names(name)) if one in sources.numbers), None)
    text = ""
    if meant is None:
        text, meant = _file_meant(sources, name, path, folder)
    built = meant and page.site.built_source(meant)
    if not built or built == page.name:
        return None
    if built != meant or not text:
        text = f"did you mean {built}?"
    meant = built
    return Hint(text, reference_to(_as_source(audited, sources), meant))


def _as_source(audited: AuditedLink, sources: Site) -> AuditedLink:
    """The link as MkDocs reads it: relative to its source file."""
    page, link = audited.page, audited.link
    link = link._replace(base=sources.page_url(page.name), reference=link.reference.lstrip("/"))
    return AuditedLink(page._replace(site=sources), link, audited.destination)


@lru_cache(maxsize=1024)  # references to one missing file often differ in their fragments alone
def _file_meant(site: Site, name: str, path: str, folder: str) -> tuple[str, str | None]:
    """The text of a hint ("" for none), and the intended file, if a reference to it can be written.

    `name`: the missing file. `path`: the reference without its query and fragment. `folder`: the folder of the page.
    """
    compressed = compressed_file(site, name)
    if compressed is not None:
        return compressed.text, None
    if name.endswith("/") and name[:-1] in site.numbers:
        return f"{name[:-1]} is a file, not a folder", name[:-1]
    plain = percent_decode(name)
    if plain != name and plain in site.numbers:
        return f"the site has {plain}: the reference is percent-encoded twice", plain
    other = _under_another_base(site, name, path, folder)
    if other is not None:
        shown = site.suggested_name(other, path) or other
        return f"the site has {shown}: the reference is probably relative to another folder", other
    meant = _meant(site, name)
    return ("", None) if meant is None else (f"did you mean {site.suggested_name(meant, path) or meant}?", meant)


def _meant(site: Site, name: str) -> str | None:
    """The existing file with a similar name. With clean URLs, names are compared with their suffix, too."""
    names = [name, *site.suffixed(name)]
    searches = (similar_file, _close_name, only_file_named)
    return next((found for search in searches for one in names if (found := search(site, one))), None)


#: The marks of Pelican, which stand before a path from the folder of the source.
_MARK = lazy_pattern(r"[{|](?:filename|static|attach)[|}]")


def reference_to(audited: AuditedLink, name: str) -> str:
    """A reference from the page to a file of the tree, with the query and fragment of the existing reference.

    It keeps the form of the existing reference: root-relative, absolute, or relative to the page's folder. Absolute is
    also the URL of a file at the repository's host, which a relative reference may lead to.
    """
    site = audited.page.site
    path = _PATH.match(audited.link.reference)[0]  # type: ignore[index]  # it matches any text
    mark = _MARK.match(path)
    return (mark[0] if mark else "") + reference_to_path(audited, site.url_path(site.suggested_name(name, path)))


def _rest_of(reference: str) -> str:
    """The query and the fragment of a reference."""
    return reference[len(_PATH.match(reference)[0]) :]  # type: ignore[index]  # it matches any text


def reference_to_path(audited: AuditedLink, path: str) -> str:
    """As `reference_to`, for a path from the host's root."""
    reference = audited.link.reference
    site = audited.page.site
    rest = _rest_of(reference)
    if reference.startswith("//"):
        return site.origin.partition(":")[2] + path + rest
    if reference.startswith("/"):
        return path + rest
    base = audited.link.base or audited.page.url
    is_elsewhere = not base.startswith(site.origin)
    if reference.startswith(site.origin):
        return site.origin + path + rest
    if is_elsewhere or audited.page.document.decider.resolver.is_absolute_reference(reference):
        missing = audited.destination.name.strip("/")
        before, *segments = reference[: len(reference) - len(rest)].rstrip("/").rsplit("/", missing.count("/") + 1)
        if missing and percent_decode("/".join(segments)) == missing:
            return f"{before}/{path.removeprefix(site.prefix)}{rest}"
    if is_elsewhere:
        return site.origin + path + rest
    folder = dirname(base[len(site.origin) :].partition("?")[0].partition("#")[0])
    return _relative_path(path, folder or "/") + rest


def direct_reference(audited: AuditedLink, url: str) -> str:
    """A reference to a URL, in the form of the existing reference, with its fragment.

    A query that both have is written as in the reference. A fragment of the URL replaces that of the reference. The
    URL of another host stays as it is.
    """
    site, link = audited.page.site, audited.link
    bare, mark, fragment = url.partition("#")
    if not site.is_own(url):
        return url if mark else bare + link.reference[len(link.reference.partition("#")[0]) :]
    path, query_mark, query = bare[len(site.origin) :].partition("?")
    reference = reference_to_path(audited, path)
    if query != (link.target or "").partition("#")[0].partition("?")[2]:
        before, *own = reference.partition("#")
        reference = "".join((before.partition("?")[0], query_mark, query, *own))
    return reference.partition("#")[0] + mark + fragment if mark else reference


@lru_cache(maxsize=1024)
def _relative_path(path: str, folder: str) -> str:
    # Only the folder of the path may become "." or "..": these lead to a URL with a slash at the end.
    above, _, last = path.rpartition("/")
    relative = relpath(above or "/", folder)
    relative = f"{relative}/{last}" if relative != "." else last or "./"
    return ("./" if ":" in relative.partition("/")[0] else "") + relative


def with_file_case(audited: AuditedLink) -> str | None:
    """The reference with the file's upper and lower case in its path; None if other changes were needed, too."""
    reference = audited.link.reference
    path = _PATH.match(reference)[0]  # type: ignore[index]  # it matches any text
    rest = reference[len(path) :]
    mark = match[0] if (match := _MARK.match(path)) else ""
    path = path[len(mark) :]
    parts = path.split("/")
    destination = audited.destination
    near = destination.near.removeprefix(f"{destination.mount}/") if destination.mount else destination.near
    wanted = audited.page.site.spelling(near, path).rstrip("/").split("/")
    names = [index for index, part in enumerate(parts) if part not in {"", ".", ".."}]
    if len(names) > len(wanted) or "\\" in path or ":" in path:
        return None
    if audited.page.site.is_index(wanted[-1]) and parts[-1].casefold() != wanted[-1].casefold():
        wanted.pop()
    for index, name in zip(reversed(names), reversed(wanted), strict=False):
        if "%" in parts[index] or percent_decode(parts[index]).casefold() != name.casefold():
            return None
        parts[index] = name
    return reference_to(audited, near) if audited.page.site.finds_detours else mark + "/".join(parts) + rest


def _under_another_base(site: Site, missing: str, path: str, folder: str) -> str | None:
    """The file at the same path below the tree's root, or below a folder that contains the page."""
    if ":" in path or "\\" in path:
        return None
    parts = [part for part in percent_decode(path).split("/") if part not in {"", ".", ".."}]
    if not parts or (len(parts) == 1 and site.is_index(parts[0])):
        return None  # an index is in every folder
    rest = "/".join(parts)
    while True:
        name = f"{folder}/{rest}" if folder else rest
        found = site.listed(name)
        if found is not None and name != missing:
            return found
        if not folder:
            break
        folder = dirname(folder)
    # The tree is in a folder of its host, or has lost its outermost folder.
    for shorter in range(1, min(len(parts), 3)):
        found = site.listed("/".join(parts[shorter:])) if path.startswith("/") else None
        if found is not None:
            return found
    return None


@lru_cache(maxsize=1024)  # references to one missing file often differ in their fragments alone
def _close_name(site: Site, name: str) -> str | None:
    folder, slash, last = name.rpartition("/")
    found = _index_of(site, folder).find(last)
    return folder + slash + found[0] if len(found) == 1 else None


@lru_cache(maxsize=4)
def _index_of(site: Site, folder: str) -> OneEditIndex:
    return OneEditIndex(site.names_in(folder))
