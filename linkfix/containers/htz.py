"""A page in a zip archive (.htz of WebScrapBook, .zip of SingleFile): index.html at its root, with its files.

SingleFile writes each file's retrieval URL into the file's comment in the zip directory. WebScrapBook writes the page's
URL into the page: see `linkfix.saved.markers`. References to files in the archive stay relative. SingleFile's
self-extracting pages contain the same archive: see `linkfix.containers.self_extracting`.
"""

from __future__ import annotations

from functools import partial

from linkfix.containers import zipped
from linkfix.containers.part import PartsFunction, RewriteFunction, absolute_url, map_archive_reference
from linkfix.files.media_types import guess_media_type
from linkfix.model import Envelope, Saver

_NAME = "the archive"
#: The comment that SingleFile writes for any data: URL.
_DATA = "data:"


def describer(archive: zipped.Archive, envelope: Envelope) -> zipped.Describe:
    """See `linkfix.containers.zipped.Describer`."""
    # The archive's URL, if known, is the URL of its page. Other files have a URL only in their comment.
    pages = {min((name for name in archive.files if _is_page(name)), key=_depth, default="")}

    def describe(member: zipped.ZipMember, head: bytes) -> tuple[str, Envelope]:
        media_type = guess_media_type(member.name, head)
        url = None if member.comment == _DATA else absolute_url(member.comment)
        return media_type, Envelope(
            url,
            media_type=media_type or None,
            where=f"the comment of {member.name}" if url else "",
            parent=envelope if member.name in pages else None,
            saver=Saver(_NAME, map_reference=partial(map_archive_reference, member.name, archive.files)),
        )

    return describe


parts: PartsFunction = partial(zipped.parts, describer=describer)
rewrite: RewriteFunction = partial(zipped.rewrite, describer=describer)


def _is_page(name: str) -> bool:
    return name.rpartition("/")[2].lower() in {"index.html", "index.htm", "index.xhtml"}


def _depth(name: str) -> tuple[int, str]:
    return name.count("/"), name
