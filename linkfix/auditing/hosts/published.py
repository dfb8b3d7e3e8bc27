"""The folder of a tree that its host files publish, if it is not the tree itself: a guess for hints."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple

from linkfix.auditing.hosts.cloudflare import WRANGLER_FILES, wrangler_folder
from linkfix.auditing.hosts.firebase import firebase_sites
from linkfix.auditing.hosts.values import InvalidHostFile, read_json, read_toml, text_of
from linkfix.files import atomic
from linkfix.files.descriptors import FilePath

#: The largest size of a settings file, in bytes.
_LARGEST = 1 << 20


class Published(NamedTuple):
    """A folder that is published, and the file that says so."""

    folder: str
    """Its name from the tree's root, without a slash at the end."""
    file: str


def _of_netlify(settings: dict[str, Any]) -> Iterator[str]:
    build = settings.get("build")
    if isinstance(build, dict) and text_of(build.get("publish")):
        yield f"{text_of(build.get('base'))}/{text_of(build.get('publish'))}"


def _of_firebase(settings: dict[str, Any]) -> Iterator[str]:
    yield from (text_of(site.get("public")) for _, site in firebase_sites(settings))


def _of_wrangler(settings: dict[str, Any]) -> Iterator[str]:
    yield wrangler_folder(settings)


def _of_key(key: str) -> Callable[[dict[str, Any]], Iterator[str]]:
    return lambda settings: iter([text_of(settings.get(key))])


#: A file in the tree's root -> its reader, and the folders that it names.
_FILES: Mapping[str, tuple[Callable[[bytes], dict[str, Any]], Callable[[dict[str, Any]], Iterator[str]]]] = {
    "netlify.toml": (read_toml, _of_netlify),
    "vercel.json": (read_json, _of_key("outputDirectory")),
    "firebase.json": (read_json, _of_firebase),
    **{name: (read, _of_wrangler) for name, read in WRANGLER_FILES.items()},
}


def find_published(root: str, files: Collection[str]) -> Published | None:
    """The only folder in the tree at the real path `root` that its host files publish; None for none, or for several.

    `files`: the names of its files. Never raises.
    """
    found: dict[str, Published] = {}
    for name, (read, folders_of) in _FILES.items():
        if name not in files:
            continue
        try:
            data = atomic.read(FilePath(f"{root}/{name}", root), limit=_LARGEST).data
            folders = list(folders_of(read(data)))
        except (OSError, InvalidHostFile):  # the host's rules are read, too: that reports it
            continue
        for folder in folders:
            parts = [part for part in folder.split("/") if part not in {"", "."}]
            inner = "/".join(parts)
            if inner and ".." not in parts and any(file.startswith(f"{inner}/") for file in files):
                found.setdefault(inner, Published(inner, name))
    return next(iter(found.values())) if len(found) == 1 else None
