"""The folders that Sphinx makes sites from, and the files there that `exclude_patterns` of `conf.py` leaves out."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from linkfix.auditing.generators.formats import python_statements
from linkfix.auditing.hosts.expressions import Expression, expression
from linkfix.auditing.source_names import sphinx_folders
from linkfix.files import atomic
from linkfix.files.descriptors import FilePath
from linkfix.lazy import lazy_pattern

#: The settings file of Sphinx; its largest size that is read, in bytes; and its setting for files that are left out.
SETTINGS = "conf.py"
_LARGEST = 1 << 20
_EXCLUDED = "exclude_patterns"

#: The largest number of patterns, and the length of a name for which the time of a pattern has to be bounded.
_MOST = 100
_LONGEST = 1000

#: The parts of a pattern (`sphinx.util.matching`): stars, a question mark, a set of characters, other text.
_PART = lazy_pattern(r"(?P<any>\*\*)|(?P<star>\*)|(?P<one>\?)|\[(?P<set>!?[^]\\[&~|-]+)\]|(?P<text>[^*?[]+|\[)")


class SphinxFolder(NamedTuple):
    """A folder that Sphinx makes a site from."""

    prefix: str
    """The beginning of the names in it."""
    excluded: tuple[re.Pattern[str], ...]
    """The patterns of the files and folders that are left out, from this folder."""

    def leaves_out(self, name: str) -> bool:
        """Whether Sphinx leaves out a file or a folder around it."""
        if not self.excluded or not name.startswith(self.prefix) or len(name) > _LONGEST:
            return False
        path = PurePosixPath(name[len(self.prefix) :])
        return any(one.fullmatch(str(part)) for part in (path, *path.parents[:-1]) for one in self.excluded)


def find_folders(root: str, names: Collection[str]) -> tuple[SphinxFolder, ...]:
    """The folders of Sphinx in the tree at `root`; "" for a tree that is no folder. `names`: the files of the tree."""
    return tuple(
        SphinxFolder(prefix, tuple(_patterns(root, prefix + SETTINGS)) if root else ())
        for prefix in sphinx_folders(names)
    )


def _patterns(root: str, name: str) -> Iterator[re.Pattern[str]]:
    """Yield the patterns of a settings file. One with patterns that a program computes has none."""
    import ast  # few projects have such a file

    try:
        text = atomic.read(FilePath(f"{root}/{name}", root), limit=_LARGEST).data.decode("utf-8", "replace")
        statements = (python_statements(text) or []) if _EXCLUDED in text else []
    except (OSError, SyntaxError):
        return
    uses = [node for one in statements for node in ast.walk(one) if isinstance(node, ast.Name) and node.id == _EXCLUDED]
    lists = [
        one.value.elts
        for one in statements
        if isinstance(one, ast.Assign) and one.targets[0] in uses and isinstance(one.value, ast.List | ast.Tuple)
    ]
    for item in lists[0][:_MOST] if len(lists) == len(uses) == 1 else ():
        pattern = _expression(item.value) if isinstance(item, ast.Constant) and isinstance(item.value, str) else None
        if pattern is not None and pattern.is_quick(_LONGEST):
            yield pattern.pattern


def _expression(text: str) -> Expression | None:
    """A pattern as an expression. A star matches no slash, and two match all."""
    parts = []
    for match in _PART.finditer(text):
        kind, written = match.lastgroup, match[match.lastgroup or 0]
        negated = f"[^/{written[1:]}]" if written.startswith("!") else f"[{written}]"
        signs = {"any": ".*", "star": "[^/]*", "one": "[^/]", "set": negated}
        parts.append(signs.get(kind or "", re.escape(written)))
    return expression(f"^{''.join(parts)}$")
