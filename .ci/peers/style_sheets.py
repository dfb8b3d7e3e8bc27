"""css-parsing-tests, which tinycss2's source distribution has: linkfix finds the URLs that the expected tokens have.

For pytest, in the folder of that distribution. A file of tests is a JSON list of inputs, each followed by the expected
tokens.
"""

from __future__ import annotations

import json
import runpy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
import tinycss2

import linkfix
from linkfix.hooks.generic import from_headers

FOLDER = Path("tests/css-parsing-tests")
URL = "https://example.com/css/main.css"
#: Files whose inputs are style sheets, or parts of them that can have a URL.
FILES = (
    *("component_value_list", "one_component_value", "declaration_list", "one_declaration", "blocks_contents"),
    *("rule_list", "one_rule", "stylesheet"),
)
#: Tokens as tinycss2's own tests write them: lists of names, values and lists.
to_json = cast("Callable[[object], Any]", runpy.run_path("tests/test_tinycss2.py")["to_json"])
BAD = (["error", "bad-url"], ["error", "bad-string"])


def cases(name: str) -> Iterator[tuple[Any, Any]]:
    """The inputs of a file, each with its expected tokens."""
    listed = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    return zip(listed[::2], listed[1::2], strict=True)


def first_string(tokens: list[Any]) -> list[Any]:
    """The string at the start of the tokens, good or bad, in a list; an empty list if there is none."""
    first = next((one for one in tokens if one != " "), None)
    return [first] if isinstance(first, list) and (first[0] == "string" or first in BAD) else []


def url_tokens(tokens: list[Any]) -> Iterator[list[Any]]:
    """The tokens that are a URL, good or bad: url tokens, and the strings of `url()` and `@import`."""
    for position, token in enumerate(tokens):
        if not isinstance(token, list) or not token:
            continue
        if token[0] == "url" or token == ["error", "bad-url"]:
            yield token
        elif token[0] == "function" and token[1].lower() == "url":
            yield from first_string(token[2:])
        elif token[0] == "at-rule" and token[1].lower() == "import":
            yield from first_string(token[2])
        elif token[0] == "at-keyword" and token[1].lower() == "import":
            yield from first_string(tokens[position + 1 :])
        yield from url_tokens(token)


EXPECTED = [(f"{name} {number}", css, expected) for name in FILES for number, (css, expected) in enumerate(cases(name))]
INPUTS = [pytest.param(css, expected, id=name) for name, css, expected in EXPECTED]
WITH_URLS = [pytest.param(css, id=name) for name, css, expected in EXPECTED if any(url_tokens([expected]))]
#: Responses; without empty bodies, which are left alone.
BYTES = [
    pytest.param(case, encoding, id=str(number))
    for number, (case, (_, encoding)) in enumerate(cases("stylesheet_bytes"))
    if case["css_bytes"]
]


def tokens_of(css: str) -> list[Any]:
    """The tokens of a style sheet by tinycss2."""
    return cast("list[Any]", to_json(tinycss2.parse_component_value_list(css, skip_comments=True)))


@pytest.mark.parametrize(("css", "expected"), INPUTS)
def test_urls_are_those_of_the_expected_tokens(css: str, expected: list[Any]) -> None:
    tokens = list(url_tokens([expected]))
    document = linkfix.Document(css, url=URL, media_type="text/css")
    assert [link.reference for link in document.links] == [token[1] for token in tokens if token not in BAD]
    assert [problem.code for problem in document.problems] == ["css-bad-url" for token in tokens if token in BAD]


@pytest.mark.parametrize("css", WITH_URLS)
def test_only_urls_change(css: str) -> None:
    tokens = tokens_of(css)
    for token in url_tokens(tokens):
        if token not in BAD and token[1][:1] not in {"", "#"}:
            token[1] = linkfix.resolve(URL, token[1]).target
    assert tokens_of(linkfix.absolutize(css, url=URL, media_type="text/css")) == tokens


@pytest.mark.parametrize(("case", "encoding"), BYTES)
def test_the_encoding_is_the_expected_one(case: dict[str, str], encoding: str) -> None:
    label = case.get("protocol_encoding")
    type_ = f'text/css; charset="{label}"' if label else "text/css"
    outcome = from_headers(URL, {"Content-Type": type_}, case["css_bytes"].encode("latin-1"), media_types=["text/css"])
    assert outcome.document is not None
    assert outcome.document.encoding.name == encoding
