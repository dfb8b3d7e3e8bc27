from __future__ import annotations

import pytest
from support.extras import missing

pytest.importorskip("pyspark", reason=missing("pyspark"))

from linkfix import InvalidOption, Options
from linkfix.spark.sources import ARCHIVE_OPTIONS, OPTIONS, read_options


def test_every_option_with_a_text_form_is_accepted():
    assert set(Options.__annotations__) - set(OPTIONS) == {"rows", "keep"}
    assert set(OPTIONS) - set(Options.__annotations__) == {"default_base", "max_size", "seconds", "media_types"}
    booleans = {name for name, type_ in Options.__annotations__.items() if type_ == "bool"}
    assert {name for name, reader in OPTIONS.items() if reader is OPTIONS["lazy"]} == booleans


def test_options_are_distinguished():
    options = read_options(
        {
            "path": "a",
            "slice_size": "7",
            "MAX_SIZE": "9",
            "media_types": "text/html, text/css",
            "lazy": "True",
            "seconds": "1.5",
        }
    )
    assert options.paths == ["a"]
    assert options.slice_size == 7
    media_types = frozenset({"text/html", "text/css"})
    assert options.keywords == {"max_size": 9, "media_types": media_types, "lazy": True, "seconds": 1.5}


def test_several_paths():
    assert read_options({"paths": '["a", "b,c"]'}).paths == ["a", "b,c"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "nothing to read: give paths to load()"),
        ({"path": "a", "lasy": "true"}, "unknown option lasy: use one of anchors, base_element, "),
        ({"path": "a", "rows": "x"}, "unknown option rows"),
        ({"path": "a", "lazy": "yes"}, "lazy='yes': expected true or false"),
        ({"path": "a", "max_size": "8M"}, "max_size='8M': expected a whole number"),
        ({"path": "a", "slice_size": "0"}, "slice_size='0': expected a whole number of bytes, 1 or more"),
        ({"path": "a", "seconds": "a minute"}, "seconds='a minute': expected a number of seconds"),
    ],
)
def test_a_wrong_option(options, message):
    with pytest.raises(InvalidOption) as caught:
        read_options(options)
    assert message in str(caught.value)


def test_the_table_of_documents_takes_no_options_of_links():
    with pytest.raises(InvalidOption, match="unknown option lazy: use one of max_size, media_types, slice_size"):
        read_options({"path": "a", "lazy": "true"}, ARCHIVE_OPTIONS)
