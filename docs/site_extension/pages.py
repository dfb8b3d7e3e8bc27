"""Pages at their usual places elsewhere in the checkout, and the links to and from them.

A page of `ELSEWHERE` is a stub in docs/ for readers of the repository; on the site it is replaced by its file. Links
are written for the repository: `[…](../SECURITY.md)`. On the site they lead to the file's page. A `<picture>` for light
and dark screens becomes two images, of which the theme shows one.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util import logging

__all__ = ["ELSEWHERE", "add_to", "outside_fences"]

#: The name of a page -> the file, from the root of the checkout.
ELSEWHERE = {
    "security": "SECURITY.md",
    "changes": "CHANGELOG.md",
}
_PAGES = {file: f"docs/{name}.md" for name, file in ELSEWHERE.items()} | {"README.md": "docs/index.md"}
_FENCE = re.compile(r"^(```|:::).*?^\1`*:*$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(\]\()([^\s()]+)(\))")
_PICTURE = re.compile(
    r'^<picture>\n<source media="\(prefers-color-scheme: dark\)" srcset="(.*)">\n'
    r'<img src="(.*?)" alt="(.*)">\n</picture>$',
    re.MULTILINE,
)
#: The classes of the theme for the groups of `_PICTURE`.
_SCREENS = {1: "only-dark", 2: "only-light"}
_logger = logging.getLogger(__name__)


def add_to(app: Sphinx) -> None:
    """Read pages of the checkout, and write links for the site."""
    app.connect("source-read", _read)


def _read(app: Sphinx, name: str, source: list[str]) -> None:
    root = Path(app.srcdir).parent
    place = f"docs/{name}.md"
    if name in ELSEWHERE:
        place = ELSEWHERE[name]
        source[0] = (root / place).read_text("utf-8")
        app.env.note_dependency(str(root / place))
    source[0] = outside_fences(source[0], lambda text: _LINK.sub(lambda link: _rewritten(link, place, name), text))
    source[0] = _PICTURE.sub(_images, source[0])


def _images(picture: re.Match[str]) -> str:
    return "\n\n".join(
        f"```{{image}} {picture[group]}\n:class: {screen}\n:alt: {picture[3]}\n```"
        for group, screen in _SCREENS.items()
    )


def outside_fences(text: str, change: Callable[[str], str]) -> str:
    """The text, with its parts outside code changed."""
    parts, end = [], 0
    for fence in _FENCE.finditer(text):
        parts += [change(text[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*parts, change(text[end:])])


def _rewritten(link: re.Match[str], place: str, name: str) -> str:
    """A link of the file `place` as the page `name` has it."""
    before, reference, after = link.groups()
    path, mark, fragment = reference.partition("#")
    if not path or ":" in path or not path.endswith((".md", "/", ".py", ".json")):
        return link[0]
    target = posixpath.normpath(posixpath.join(posixpath.dirname(place), path))
    target = _PAGES.get(target, target)
    if not target.startswith("docs/"):
        _logger.warning("%s: %s is no page of the site: write it as code", place, reference)
    page = posixpath.relpath(target, posixpath.dirname(f"docs/{name}"))
    return f"{before}{page}{mark}{fragment}{after}"
