"""Trees for tests: pages with known references and IDs, written to a folder."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from linkfix.auditing import AuditOptions, audit, fix_references

BASE = "https://site.example/"


def write(folder, files):
    """Write files, given as name -> content (str is UTF-8), and return the folder as a str."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(folder)


def audited(folder, files=None, **fields):
    """The audit of a folder that is served at BASE, after writing files to it."""
    root = write(folder, files or {})
    return audit(root, AuditOptions(**{"base_url": BASE, **fields}))


def fixed(folder, files=None, **fields):
    """File name -> its content with the certain fixes, after writing files to a folder that is served at BASE."""
    options = AuditOptions(**{"base_url": BASE, **fields})
    return {one.name: one.new for one in fix_references(audit(write(folder, files or {}), options), options)}


def told(found):
    """Findings as (path, rule's name, reference)."""
    return [(one.path, one.name, one.reference) for one in found.findings]


@dataclass
class Made:
    """A tree without faults."""

    ids: dict[str, list[str]] = field(default_factory=dict)
    """Page -> its IDs."""
    references: list[tuple[str, str, str]] = field(default_factory=list)
    """Page, file and fragment."""

    def files(self):
        pages = {}
        for page, ids in self.ids.items():
            body = [f'<p id="{one}">{one}</p>' for one in ids]
            body += [
                f'<a href="{relative(page, file)}{"#" * bool(fragment)}{fragment}">x</a>'
                for origin, file, fragment in self.references
                if origin == page
            ]
            pages[page] = "<!DOCTYPE html>\n<title>x</title>\n" + "\n".join(body)
        return pages


def relative(page, file):
    """The shortest relative reference from a page to a file."""
    here, there = page.split("/")[:-1], file.split("/")
    while here and len(there) > 1 and here[0] == there[0]:
        here, there = here[1:], there[1:]
    return "../" * len(here) + "/".join(there)


def clean(seed, pages=12, references=60):
    """A random tree without faults."""
    chance = random.Random(seed)  # noqa: S311 - the same tree each time
    folders = ["", "guide/", "guide/deep/", "api/"]
    made = Made()
    for number in range(pages):
        made.ids[f"{chance.choice(folders)}page{number}.html"] = [f"part-{number}-{one}" for one in "abc"]
    names = list(made.ids)
    for _ in range(references):
        page, file = chance.choice(names), chance.choice(names)
        made.references.append((page, file, chance.choice(["", *made.ids[file]])))
    return made
