"""The targets of links in saved pages, compared with those on the original site."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from support.paths import TESTS

from linkfix import Document
from linkfix.files import EntryKind, FileTree
from linkfix.saved import Retrieval

__all__ = ["TABLE", "differences", "documents", "expected", "targets"]

#: The differences that savers cause: tree, page, count (negative where lost), element, target.
TABLE = TESTS / "saved" / "differences.tsv"

_ESCAPE = re.compile("%[0-9a-f]{2}", re.IGNORECASE)


def documents(root, layout="auto"):
    """The documents of a tree: name, envelope, problems, bytes, and the document with that envelope."""
    tree = FileTree(str(root.resolve()))
    retrieval = Retrieval(layout=layout)
    for entry in tree.entries():
        if entry.kind is EntryKind.DOCUMENT:
            data = Path(tree.path(entry.name)).read_bytes()
            envelope, problems = retrieval.envelope(tree, entry.name, data, entry.media_type)
            yield entry.name, envelope, problems, data, Document(data, envelope=envelope)


def targets(document):
    """Element and target -> count; without BASE elements, and with percent-encodings in upper case."""
    return Counter(
        f"{link.element}[{link.attribute}]\t"
        + _ESCAPE.sub(lambda match: match[0].upper(), link.target or f"({link.reference})")
        for link in document.links
        if link.element != "base"
    )


def differences(name, root, site, site_url):
    """The differences of a tree, as rows of `TABLE`."""
    rows = set()
    for page, envelope, _problems, _data, document in documents(root):
        url = envelope.url or ""
        path = url.removeprefix(site_url).partition("#")[0].partition("?")[0]
        original = site / (path + "index.html" if path.endswith("/") or not path else path)
        if not url.startswith(site_url) or not original.is_file():
            continue
        media_type = envelope.media_type
        before = targets(Document(original.read_bytes(), url=url.partition("#")[0], media_type=media_type))
        after = targets(document)
        rows |= {f"{name}\t{page}\t-{count}\t{link}" for link, count in (before - after).items()}
        rows |= {f"{name}\t{page}\t+{count}\t{link}" for link, count in (after - before).items()}
    return rows


def expected(name):
    """The rows of `TABLE` for a tree, each with its reason."""
    rows = {}
    reason = ""
    for line in TABLE.read_text("utf-8").splitlines():
        if line.startswith("# "):
            reason = line[2:]
        elif line.split("\t")[0] == name:
            rows[line] = reason
    return rows
