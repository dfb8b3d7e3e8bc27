"""The suffixes of each container format's files: what a walk over a folder asks before any format is imported."""

from __future__ import annotations

__all__ = ["SUFFIXES"]

#: Format, as in `linkfix.containers.CONTAINERS` -> the suffixes of its files, lower case, with dots.
SUFFIXES: dict[str, tuple[str, ...]] = {
    "epub": (".epub",),
    "wacz": (".wacz",),
    "maff": (".maff",),
    "htz": (".htz", ".zip"),
    "warc": (".warc", ".warc.gz", ".warc.zst"),
    "har": (".har",),
    "mime": (".mht", ".mhtml", ".eml"),
}
