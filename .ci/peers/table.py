"""The projects whose tests are run, and linkfix's differences from their expectations."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

__all__ = ["HERE", "PEERS", "Difference", "Peer"]

HERE = Path(__file__).resolve().parent


class Difference(NamedTuple):
    """Tests that fail, and why."""

    tests: str
    """`Class.test_name[case]`, without missing parts; "*" is any text."""
    reason: str

    def covers(self, test: str) -> bool:
        """Whether this test is one of them."""
        return re.fullmatch(re.escape(self.tests).replace(r"\*", ".*"), test) is not None


class Peer(NamedTuple):
    """A project, and the tests of it that are run."""

    package: str
    files: tuple[str, ...]
    """The files and folders that are taken from its source distribution; a folder ends with "/"."""
    tests: str | Path
    """The file of tests: one of the project's, or one beside this file that reads the project's tests."""
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

_NOTHING_RESOLVED = "test_holds_where_the_reader_resolves_nothing"
_FEEDPARSER = Peer(
    "feedparser",
    ("tests/",),
    HERE / "feeds.py",
    version="6.0.14",
    differences=(
        Difference(
            f"{_NOTHING_RESOLVED}[wellformed/base/http_*_base64_base_*]",
            "HTML in base64 (Atom 0.3) is left alone, with the problem content-base64",
        ),
        Difference(
            f"{_NOTHING_RESOLVED}[wellformed/base/http_*_id_base_*]",
            "an id of Atom stays as it is: readers compare it character by character (RFC 4287 §4.2.6.1)",
        ),
        Difference(
            f"{_NOTHING_RESOLVED}[wellformed/base/feed_link_xml_base_iri.xml]",
            "an empty reference means the document, and stays",
        ),
        Difference(
            f"{_NOTHING_RESOLVED}[wellformed/base/http_item_description_spaces.xml]",
            "white space around a URL stays: it is no part of it, and HTML strips it",
        ),
        Difference(
            "*[wellformed/base/rel_uri_with_unicode_character.xml]",
            "an absolute URL is written in ASCII, as the URL Standard serializes it: À is %C3%80",
        ),
    ),
)

_TINYCSS2 = Peer(
    "tinycss2",
    ("tests/",),
    HERE / "style_sheets.py",
    version="1.5.1",
    differences=tuple(
        Difference(
            f"test_the_encoding_is_the_expected_one[{case}]",
            "the encoding of the page that refers to a style sheet decides here, and linkfix reads a style sheet alone",
        )
        for case in (22, 23, 25)
    ),
)

_W3LIB_IMPORT = "from w3lib.html import (\n"
_W3LIB_NAMES = "    get_base_url,\n    get_meta_refresh,\n"
_FIRST_COUNTS = "the first attribute of a name counts (HTML §13.2.5.33); w3lib takes a later one"
_LEFT_ALONE = (
    "ISO-2022-JP with an escape sequence that changes nothing cannot be written again as it was: the document is left "
    "alone, with the problem encoding-round-trip"
)
_IN_SCRIPT = "the text of a script is never markup, and linkfix cannot be told to take it for that"
_W3LIB = Peer(
    "w3lib",
    ("tests/__init__.py", "tests/test_html.py"),
    "tests/test_html.py",
    version="2.5.0",
    swapped={
        _W3LIB_IMPORT + _W3LIB_NAMES: "from w3lib_functions import get_base_url, get_meta_refresh\n" + _W3LIB_IMPORT,
    },
    chosen="TestGetBaseUrl or TestGetMetaRefresh",
    differences=(
        Difference("TestGetBaseUrl.test_get_base_url_split_by_a_dropped_escape", _LEFT_ALONE),
        Difference("TestGetMetaRefresh.test_get_meta_refresh_split_by_a_dropped_escape", _LEFT_ALONE),
        Difference(
            "TestGetMetaRefresh.test_get_meta_refresh_unterminated_tag",
            "a tag that the document ends in is no tag (HTML §13.2.5, eof-in-tag)",
        ),
        Difference("TestGetMetaRefresh.test_unterminated_ignored_tag", _IN_SCRIPT),
        Difference("TestGetMetaRefresh.test_inside_script", _IN_SCRIPT),
        Difference(
            "TestGetMetaRefresh.test_inside_noscript",
            "what noscript has is listed and rewritten for readers without scripts, whether scripts run or not",
        ),
        Difference("TestGetMetaRefresh.test_get_meta_refresh_no_catastrophic_backtracking_single_tag", _FIRST_COUNTS),
        Difference("TestGetMetaRefresh.test_first_content_attribute_with_a_payload_wins", _FIRST_COUNTS),
        Difference("TestGetMetaRefresh.test_http_equiv_without_refresh", _FIRST_COUNTS),
        Difference(
            "TestGetMetaRefresh.test_get_meta_refresh_content_non_ascii_whitespace",
            "U+00A0 after the semicolon begins the URL (HTML, shared declarative refresh steps); w3lib has none",
        ),
    ),
)

PEERS = (_SCRAPY, _FEEDPARSER, _TINYCSS2, _W3LIB)
