"""The folder in which a browser saves the files of a page, beside it: `page_files` for `page.html`.

Chromium writes "_files" in every language (`SavePackage::GetSaveInfo`), and so does Firefox now (contentAreaUtils.js,
`internalPersist`); older releases translated it (`filesFolder`). Internet Explorer and Office translate it: the
suffixes are those of Microsoft's `DefaultWebOptions.FolderSuffix`, where ".files" is that of all other languages.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Container
from itertools import islice
from urllib.parse import unquote_to_bytes

from linkfix.lazy import lazy_pattern

#: How the names of such folders end, lower case.
SUFFIXES = (
    *("_files", ".files", "-dateien", "-filer", "_archivos", "_arquivos", "_bestanden", "_bylos", "_datoteke"),
    *("_dosyalar", "_elemei", "_failid", "_fails", "_fajlovi", "_ficheiros", "_fichiers", "_file", "_fitxategiak"),
    *("_fitxers", "_pliki", "_soubory", "_tiedostot"),
)
_IN_REFERENCE = lazy_pattern("|".join(f"{re.escape(suffix)}[/\\\\]" for suffix in SUFFIXES).encode(), re.IGNORECASE)

#: The longest name of a file, in bytes; what can stand before a name in a reference.
_LONGEST, _BEFORE_NAME = 255, lazy_pattern(rb"[/\\\"'(=,>]")
#: How many references of a page are looked at.
_REFERENCES = 4096


def page_stem(folder: str) -> str:
    """The name of the page, without its suffix, that a folder of this name belongs to; "" for any other folder.

    >>> page_stem("My page_files"), page_stem("Meine Seite-Dateien"), page_stem("images"), page_stem("_files")
    ('My page', 'Meine Seite', '', '')
    """
    lower = folder.lower()
    if not lower.endswith(SUFFIXES):
        return ""
    suffix = next((one for one in SUFFIXES if lower.endswith(one)), "")
    return folder[: len(folder) - len(suffix)] if suffix else ""


def is_companion(folder: str) -> bool:
    """Whether a folder of this name may hold the files of a saved page."""
    return bool(page_stem(folder))


def has_companion(data: bytes) -> bool:
    """Whether a page may have references into such a folder."""
    return _IN_REFERENCE.search(data) is not None


def companions_in(data: bytes, folders: Container[str]) -> set[str]:
    """Which of some such folders, by the keys of their names, a page may refer to. What can stand before a name may be
    a part of it too, so that each such place is tried, the nearest first.
    """
    found: set[str] = set()
    text = unquote_to_bytes(data.replace(b"&amp;", b"&"))
    seen: set[bytes] = set()
    for match in islice(_IN_REFERENCE.finditer(text), _REFERENCES):
        before = text[max(match.start() - _LONGEST, 0) : match.end() - 1]
        names = [before[delimiter.end() :].lstrip() for delimiter in _BEFORE_NAME.finditer(before)]
        if names and names[-1] not in seen:
            seen.add(names[-1])
            keys = (name_key(os.fsdecode(name)) for name in reversed(names))
            found |= set(islice((key for key in keys if key in folders), 1))
    return found


def name_key(name: str) -> str:
    """What is alike in names that differ only in case or in Unicode normalization, as file systems and archivers make
    them.

    >>> name_key("CAFE\u0301_files") == name_key("caf\u00e9_files")
    True
    """
    return (
        name.lower() if name.isascii() else unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
    )
