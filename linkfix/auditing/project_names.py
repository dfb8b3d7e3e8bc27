"""The names of files in the folder of a project, and the parts of it that settings tell: sources, templates.

The name of a file in the tree is its name; that in the folder of its project is its inner name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from posixpath import join, normpath, relpath

from linkfix.auditing.generators.model import SourceProject
from linkfix.auditing.generators.profiles import KEYS, profile_of
from linkfix.auditing.generators.table import GENERATORS
from linkfix.auditing.source_names import SOURCE_SUFFIXES


def inner_name(project: SourceProject, name: str) -> str:
    """The name of a file in the folder of its project."""
    if not name.startswith(project.folder):
        return relpath(name, project.folder)
    return project.prefix + name[len(project.folder) :]


def normal_name(project: SourceProject, path: str) -> str:
    """The name of a file in the folder of its project, by a path from there, which may lead out of it and back."""
    return relpath(join(project.at, path), project.at)


def name_of_inner(project: SourceProject, inner: str) -> str:
    """The name in the tree of a file in the folder of its project; "" if it is outside the tree."""
    if project.prefix:
        return inner[len(project.prefix) :] if inner.startswith(project.prefix) else ""
    return normpath(join(project.folder, inner))


def built_folders(project: SourceProject) -> Iterator[str]:
    """Yield the folder that a generator builds, unless settings name another: its pages are no sources."""
    return (row.built for row in GENERATORS if row.built and KEYS[row.name] == project.site)


def is_template(project: SourceProject, name: str) -> bool:
    """Whether a file is a template, which is a part of pages."""
    return profile_of(project).templates.match(inner_name(project, name)) is not None


def is_left_out(project: SourceProject, inner: str) -> bool:
    """Whether settings leave a file out of the site, by its inner name."""
    if project.excluded is not None and project.excluded.fullmatch(inner) is not None:
        return True
    return project.listed is not None and inner.lower().endswith(SOURCE_SUFFIXES) and inner not in project.listed


def is_content(project: SourceProject, name: str) -> bool:
    """Whether a file is in a folder of sources."""
    return is_in_content(project, inner_name(project, name))


def is_in_content(project: SourceProject, inner: str) -> bool:
    """Whether an inner name is in a folder of sources."""
    return _folders(profile_of(project).content).match(inner) is not None


@cache
def _folders(content: tuple[tuple[str, str], ...]) -> re.Pattern[str]:
    """The folders of sources as one pattern."""
    return re.compile("|".join(folder for folder, _ in content))


def is_no_url(project: SourceProject, path: str) -> bool:
    """Whether a path is neither the name of a source nor the URL of a page, though a source has that name.

    It begins with the folder of the sources, or has other upper and lower case.
    """
    folder = f"/{project.folder}{project.sources}"
    is_of_folder = bool(project.sources) and not project.prefix and path.startswith(folder)
    return has_other_case(project, path) or (is_of_folder and not path.lower().endswith(SOURCE_SUFFIXES))


def has_other_case(project: SourceProject, path: str) -> bool:
    """Whether a path that is no name of a source has upper case, and URLs of pages have none."""
    is_name = path.lower().endswith(SOURCE_SUFFIXES)
    return project.routes.lowers_names and not is_name and path != path.lower()
