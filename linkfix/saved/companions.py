"""The folder beside a page in which a browser saves the page's files: `page_files` for `page.html`.

Chromium writes "_files" in every language (`SavePackage::GetSaveInfo`), and so does Firefox now (contentAreaUtils.js,
`internalPersist`); older releases translated it (`filesFolder`). Internet Explorer and Office translate it. Their
suffixes are listed in Microsoft's `DefaultWebOptions.FolderSuffix`; ".files" is the suffix of all other languages.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Container
from itertools import islice
from urllib.parse import unquote_to_bytes

from linkfix.lazy import lazy_pattern

#: The suffixes of such folders' names, in lower case.
SUFFIXES = (
    *("_files", ".files", "-dateien", "-filer", "_archivos", "_arquivos", "_bestanden", "_bylos", "_datoteke"),
    *("_dosyalar", "_elemei", "_failid", "_fails", "_fajlovi", "_ficheiros", "_fichiers", "_file", "_fitxategiak"),
    *("_fitxers", "_pliki", "_soubory", "_tiedostot"),
)
_IN_REFERENCE = lazy_pattern("|".join(f"{re.escape(suffix)}[/\\\\]" for suffix in SUFFIXES).encode(), re.IGNORECASE)

#: The maximum length of a file name, in bytes, and the characters that can stand before a name in a reference.
_LONGEST, _BEFORE_NAME = 255, lazy_pattern(rb"[/\\\"'(=,>]")
#: The maximum number of references of a page that are checked.
_REFERENCES = 4096


def page_stem(folder: str) -> str:
    """Return the name, without its suffix, of the page that a folder of this name belongs to; "" for any other folder.

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
    """Return the keys in `folders` of the companion folders that a page may refer to.

    A character that can stand before a name can also be a part of the name. So the name is tried from each such
    character on, the nearest first.

    `folders`: keys of folder names (see `name_key`).
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
    """Return a key that is equal for names that differ only in case or in Unicode normalization. File systems and
    archivers change both.

    >>> name_key("CAFE\u0301_files") == name_key("caf\u00e9_files")
    True
    """
    return (
        name.lower() if name.isascii() else unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
    )
