"""Where the links of saved pages lead, beside where they led on the site that was saved."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from support.paths import TESTS

from linkfix.document.document import Document
from linkfix.files.folder import EntryKind, FileTree
from linkfix.saved.retrieval import Retrieval

__all__ = ["TABLE", "differences", "documents", "expected", "targets"]

#: The differences that are the saver's own doing: tree, page, count (lost is negative), place, target.
TABLE = TESTS / "saved" / "differences.tsv"

_ESCAPE = re.compile("%[0-9a-f]{2}", re.IGNORECASE)


def documents(root, layout="auto"):
    """The documents of a tree: name, envelope, problems, bytes, and the document as the ladder reads it."""
    tree = FileTree(str(root.resolve()))
    retrieval = Retrieval(layout=layout)
    for entry in tree.entries():
        if entry.kind is EntryKind.DOCUMENT:
            data = Path(tree.path(entry.name)).read_bytes()
            envelope, problems = retrieval.envelope(tree, entry.name, data, entry.media_type)
            yield entry.name, envelope, problems, data, Document(data, envelope=envelope)


def targets(document):
    """How often which element leads where. A BASE is no link; the case of a percent-encoding says nothing."""
    return Counter(
        f"{link.element}[{link.attribute}]\t"
        + _ESCAPE.sub(lambda match: match[0].upper(), link.target or f"({link.reference})")
        for link in document.links
        if link.element != "base"
    )


def differences(name, root, site, site_url):
    """The rows of `TABLE` that a tree gives."""
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
    """The rows of `TABLE` for a tree, and what each one's reason is."""
    rows = {}
    reason = ""
    for line in TABLE.read_text("utf-8").splitlines():
        if line.startswith("# "):
            reason = line[2:]
        elif line.split("\t")[0] == name:
            rows[line] = reason
    return rows
