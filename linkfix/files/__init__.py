"""Files on disk: folders, media types, atomic replacement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkfix.lazy import lazy_attributes

if TYPE_CHECKING:
    from linkfix.files.data_formats import DATA_TYPES, GENERIC_TYPES, sniff_xml
    from linkfix.files.descriptors import FilePath, join_inside, open_folder, open_parent
    from linkfix.files.folder import (
        HEAD_SIZE,
        EntryKind,
        FileReference,
        FileTree,
        readings,
        resolve_reference,
        selector,
    )
    from linkfix.files.media_types import (
        HEADER,
        ROBOTS,
        SERVED_SUFFIXES,
        DeclaredType,
        declared_type,
        extract_mime_type,
        guess_media_type,
        is_binary,
        media_type,
        media_type_of_suffix,
        sniff,
    )

__all__ = [
    "DATA_TYPES",
    "GENERIC_TYPES",
    "HEADER",
    "HEAD_SIZE",
    "ROBOTS",
    "SERVED_SUFFIXES",
    "DeclaredType",
    "EntryKind",
    "FilePath",
    "FileReference",
    "FileTree",
    "declared_type",
    "extract_mime_type",
    "guess_media_type",
    "is_binary",
    "join_inside",
    "media_type",
    "media_type_of_suffix",
    "open_folder",
    "open_parent",
    "readings",
    "resolve_reference",
    "selector",
    "sniff",
    "sniff_xml",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_attributes(
        __name__,
        {
            "linkfix.files.data_formats": "DATA_TYPES GENERIC_TYPES sniff_xml",
            "linkfix.files.descriptors": "FilePath join_inside open_folder open_parent",
            "linkfix.files.folder": "EntryKind FileReference FileTree HEAD_SIZE readings resolve_reference selector",
            "linkfix.files.media_types": (
                "DeclaredType HEADER ROBOTS SERVED_SUFFIXES declared_type extract_mime_type "
                "guess_media_type is_binary media_type media_type_of_suffix sniff"
            ),
        },
    )
