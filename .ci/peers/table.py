"""The projects whose tests are run, and where linkfix differs from what they expect."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

__all__ = ["HERE", "PEERS", "Difference", "Peer"]

HERE = Path(__file__).resolve().parent


class Difference(NamedTuple):
    """Tests that fail, and why."""

    tests: str
    """`Class.test_name[case]`, without what there is not; "*" is any text."""
    reason: str

    def covers(self, test: str) -> bool:
        """Whether this test is one of them."""
        return re.fullmatch(re.escape(self.tests).replace(r"\*", ".*"), test) is not None


class Peer(NamedTuple):
    """A project, and what of its tests is run."""

    package: str
    files: tuple[str, ...]
    """The files and folders that are taken from its source distribution; a folder ends with "/"."""
    tests: str | Path
    """The file of tests: one of those, or one beside this that reads those."""
    version: str = ""
    """The version that the differences are of; "": the one that is installed."""
    swapped: dict[str, str] = {}  # noqa: RUF012 - nobody changes it
    """Old text -> new text, in the project's file of tests."""
    chosen: str = ""
    """An expression of pytest's `-k`: which of the tests are run; "": all."""
    differences: tuple[Difference, ...] = ()


_LINK_EXTRACTOR = """
from scrapy.link import Link
from linkfix.hooks.scrapy import LinkExtractor as LxmlLinkExtractor
"""
_SCRAPY = Peer(
    "scrapy",
    ("tests/__init__.py", "tests/test_linkextractors.py", "tests/sample_data/link_extractor/"),
    "tests/test_linkextractors.py",
    swapped={
        "lxmlhtml import LxmlLinkExtractor, ": "lxmlhtml import ",
        "from scrapy.link import Link\n": _LINK_EXTRACTOR,
    },
    differences=(
        Difference("*.test_tags_attrs_wildcard_and_deny", 'attrs="*" means every attribute that can have a link'),
    ),
)

PEERS = (_SCRAPY,)
