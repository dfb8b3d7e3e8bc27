from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.sizes import examples

from linkfix.html.syntaxes import SYNTAXES
from linkfix.html.syntaxes.json_data import JsonString, parse
from linkfix.html.syntaxes.json_reader import InvalidJson


def refuse(constant):
    raise ValueError(constant)


def oracle(text):
    """The standard library's reading, strict; numbers and literals are None as ours are."""
    return json.loads(text, parse_constant=refuse, parse_int=lambda _: None, parse_float=lambda _: None)


def plain(text, value):
    """Our reading without its spans, which are held against the text."""
    if isinstance(value, JsonString):
        assert text[value.start - 1] == text[value.end] == '"'
        assert json.loads(text[value.start - 1 : value.end + 1]) == value.value
        return value.value
    if isinstance(value, list):
        return [plain(text, element) for element in value]
    if isinstance(value, dict):
        return {plain(text, name): plain(text, nested) for name, nested in value.values()}
    return value


def without_literals(value):
    if isinstance(value, list):
        return [without_literals(element) for element in value]
    if isinstance(value, dict):
        return {name: without_literals(nested) for name, nested in value.items()}
    return None if isinstance(value, bool) else value


PIECES = [
    *["{", "}", "[", "]", ",", ":", '"a"', '"b":', '"', '""', " ", "\t", "\r\n", "\f", "\xa0", "\ufeff", "'", "//"],
    *["0", "1", "-", "00", "1.", ".5", "1.5", "e", "E+1", "1e-9", "+1", "true", "false", "null", "NaN"],
    *['"\\n"', '"\\u0041\\ud83d\\ude00"', '"\\ud800"', '"\\x"', '"\\u12"', '"\\', '"\\u00g0"', '"\n"', '"\x7f"'],
    *['"\0"', "Infinity", "-1", '{"a":1}', '["b",2]', '{"a":"c","a":"d"}', "\u0661"],
]


@settings(deadline=None, max_examples=examples(1000))
@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_accepts_and_rejects_the_same_as_the_standard_library(text):
    try:
        expected = without_literals(oracle(text))
    except ValueError:
        with pytest.raises(InvalidJson) as refusal:
            parse(text)
        assert 0 <= refusal.value.position <= len(text)
    else:
        assert plain(text, parse(text)) == expected


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda nested: st.lists(nested) | st.dictionaries(st.text(), nested),
)


@settings(deadline=None)
@given(values, st.booleans(), st.sampled_from([None, 1, "\t"]))
def test_reads_output_of_the_standard_library(value, ensure_ascii, indent):
    text = json.dumps(value, ensure_ascii=ensure_ascii, indent=indent)
    assert plain(text, parse(text)) == without_literals(oracle(text))


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("", 0),
        (" \n", 2),
        ("[1,]", 3),
        ("[1 2]", 3),
        ('{"a" 1}', 5),
        ('{"a":1,}', 7),
        ("{1:2}", 1),
        ('["a', 3),
        ('["a\nb"]', 3),
        ('["a\\x"]', 3),
        ('["a\\u12g4"]', 4),
        ("[1] x", 4),
        ("[] []", 3),
        ("[}", 1),
        ('{"a":]', 5),
        ("[01]", 2),
        ("\ufeff[]", 0),
        (" // a\n[]", 1),
        ("<!-- [] -->", 0),
        ("[1,\n 'a']", 5),
    ],
)
@pytest.mark.parametrize("syntax", ["importmap", "speculationrules", "json-ld"])
def test_a_text_that_is_no_json_has_one_fault_at_its_error(syntax, text, position):
    (fault,) = SYNTAXES[syntax](text)
    assert fault.escape("x") == "x"
    assert fault[:3] + fault[4:6] == (position, position, "", "fault", "json-syntax")


@pytest.mark.growth
@pytest.mark.parametrize("text", ["[" * 100_000 + "]" * 100_000, '{"a":' * 100_000 + "1" + "}" * 100_000])
def test_depth_has_no_limit(text):
    value, depth = parse(text), 0
    while isinstance(value, (list, dict)):
        depth += 1
        value = value["a"].value if isinstance(value, dict) else value[0] if value else None
    assert depth == 100_000


def test_escapes():
    (found,) = SYNTAXES["json-ld"]('{"@id":"a"}')
    assert found.escape('"\\/\0\n\x1f\x7fé</>\u2028\u2029\ud800\U0001f600') == (
        '\\"\\\\/\\u0000\\u000a\\u001f\x7fé\\u003c/\\u003e\\u2028\\u2029\\ud800\U0001f600'
    )
