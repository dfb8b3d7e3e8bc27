from __future__ import annotations

import io
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.growth import assert_linear

from linkfix.containers import Window
from linkfix.containers.har import JsonSpans
from linkfix.html.syntaxes.json_data import parse
from linkfix.html.syntaxes.json_reader import InvalidJson

values = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abc") | st.text(), inner, max_size=4),
    max_leaves=30,
)
texts = st.builds(
    lambda value, ascii_only, indent: json.dumps(value, ensure_ascii=ascii_only, indent=indent),
    values,
    st.booleans(),
    st.sampled_from([None, 1, "\t"]),
)
changed_texts = texts.flatmap(
    lambda text: st.tuples(st.just(text), st.integers(0, len(text)), st.sampled_from('"\\{}[],:0e-.tu \n\x01'))
)


def is_faulty(text):
    """Whether the parser that reads a text as a whole finds that it is not JSON."""
    try:
        parse(text)
    except InvalidJson:
        return True
    return False


@pytest.fixture(params=[1, 2, 7, 64, 1 << 20])
def piece(request, monkeypatch):
    monkeypatch.setattr("linkfix.html.syntaxes.json_reader.STEP", request.param)


def spans(text):
    return JsonSpans(Window(io.BytesIO(text.encode("utf-8", "surrogatepass"))))


@pytest.mark.usefixtures("piece")
@given(texts)
def test_members_equal_the_members_that_json_reads(text):
    read = json.loads(text)
    data = text.encode("utf-8", "surrogatepass")
    value = spans(text).whole(0, {"a": {"b": {}}, "c": {}})
    for path in (["a"], ["a", "b"], ["c"]):
        expected = read
        for name in path:
            expected = expected.get(name, ...) if isinstance(expected, dict) else ...
        found = value.member(*path)
        assert (... if found is None else json.loads(data[found.start : found.end])) == expected


@pytest.mark.usefixtures("piece")
@given(changed_texts)
@example(('{"a":1}', 6, ","))
@example(("[1]", 2, ","))
@example(("[" * 40, 40, "]"))
@example(('"\\u12"', 4, "\\"))
@example(("1", 1, "."))
def test_values_are_valid_if_the_whole_text_is(changed):
    text, at, put = changed
    for broken in (text[:at] + put + text[at + 1 :], text[:at] + put + text[at:], text[:at], text):
        try:
            spans(broken).whole(0, {"a": {"b": {}}})
        except InvalidJson:
            assert is_faulty(broken), broken
        else:
            assert not is_faulty(broken), broken


@pytest.mark.usefixtures("piece")
def test_elements_with_their_members():
    text = '{"x": [{"a": 1}, [2, [3]], {"b": "é"}, "s", {"\\u0061": {"b": "last", "b": 5}}]}'
    json_text = spans(text)
    array = json_text.whole(0, {"x": {}}).member("x")
    found = list(json_text.elements(array, {"a": {"b": {}}}))
    data = text.encode()
    assert [json.loads(data[one.start : one.end]) for one in found] == json.loads(text)["x"]
    assert [list(one.members) for one in found] == [["a"], [], [], [], ["a"]]
    last = found[-1].member("a", "b")
    assert data[last.start : last.end] == b"5"
    assert json_text.elements(found[0], {}) is None
    assert json_text.elements(None, {}) is None


def test_the_place_of_an_error():
    with pytest.raises(InvalidJson) as raised:
        spans('{"a": [1, 2, {"b": tru}]}').whole(0, {})
    assert raised.value.position == 19


@pytest.mark.growth
@pytest.mark.parametrize("text", ["[" * 8, '[{"a":[1,2],"b":', '{"k":[1,1,1,1],"d":', '["' + "x" * 50 + '",'])
def test_deep_and_wide_texts_take_linear_time(text):
    def prepare(size):
        json_text = spans(text * size)

        def work():
            with pytest.raises(InvalidJson):
                json_text.whole(0, {})

        return work

    assert_linear(prepare, 4000)


@pytest.mark.parametrize("value", ["1.5", "-2e+10", "false", '"\\u00e9"', "[1.5, {}]"])
def test_a_value_may_be_cut_anywhere_by_the_end_of_a_piece(value):
    for left in range(1, len(value) + 2):
        start = '{"a": "'
        filled = start + "x" * ((1 << 20) - len(start) - len('", "n": ') - left) + '", "n": '
        found = spans(f'{filled}{value}, "m": 1}}').whole(0, {"n": {}, "m": {}}).members
        assert (found["n"].start, found["n"].end) == (len(filled), len(filled) + len(value))
        assert found["m"].start == found["n"].end + len(', "m": ')
