from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.sizes import examples
from support.vectors import by_file

from linkfix.encodings.character_references import decode
from linkfix.kernels.tokenizer import KINDS, Attribute, Tokenizer, attributes, find_attribute, tag_end

EOF, START, END = map(KINDS.index, ("EOF", "start tag", "end tag"))

IN_HTML = False  # the current node, for `next_tag`

CONFORMANCE = by_file("tokenizer")


def text(raw):
    return raw.decode("utf-8", "surrogatepass")


def name(raw):
    return text(raw.lower()).replace("\0", "\ufffd")


def tags(tokenizer, *, cdata=False):
    """("StartTag", name, decoded attributes, self-closing) and ("EndTag", name), as html5lib's tests have them."""
    found = []
    while kind := tokenizer.next_tag(cdata):
        tag = name(tokenizer.data[tokenizer.name_start : tokenizer.name_end])
        values = {}
        while tokenizer.next_attribute():
            raw = text(tokenizer.data[tokenizer.value_start : tokenizer.value_end])
            key = name(tokenizer.data[tokenizer.attribute_start : tokenizer.attribute_end])
            values.setdefault(key, decode(raw.replace("\r\n", "\n").replace("\r", "\n")).text)
        if tokenizer.tag_end >= 0:
            found.append(("StartTag", tag, values, tokenizer.self_closing) if kind == START else ("EndTag", tag))
    return found


def all_tags(data, *, cdata=False):
    return tags(Tokenizer(data, 0, len(data)), cdata=cdata)


PIECES = [
    *(
        "&",
        "&#",
        "&#x",
        "32",
        "20",
        ";",
        "Tab;",
        "NewLine;",
        "nbsp;",
        "amp",
        "Tab",
        "x",
        " ",
        "\n",
        "\0",
        "\x0b",
        "é",
        "=",
    ),
    *(
        "&#32;",
        "&#x20",
        "&Tab;",
        "&NewLine;",
        "&nbsp;",
        "&#0;",
        "&#10",
        "&#0032;",
        "&" + "a" * 50 + ";",
        "&lt;",
        "&notit;",
    ),
]


@settings(deadline=None, max_examples=examples(1000))
@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_text_is_visible_if_its_decoding_is(text):
    data = text.encode("utf-8")
    tokenizer = Tokenizer(data, 0, len(data))
    tokenizer.text = 0
    assert not tokenizer.next_tag(IN_HTML)
    pieces = [decode(piece, in_attribute=False).text for piece in text.split("\0")]  # NUL ends a character reference
    is_visible = any(piece.strip("\t\n\f\r ") for piece in pieces)
    assert tokenizer.text == (2 if is_visible else 1 if len(pieces) > 1 else 0)


def tags_in_state(source, state, last_start_tag):
    data = source.encode("utf-8", "surrogatepass")
    cdata = state == "CDATA section state"
    if cdata:
        data = b"<![CDATA[" + data
    tokenizer = Tokenizer(data, 0, len(data))
    if state == "Script data state" and last_start_tag in {None, "script"}:
        tokenizer.script_text()
    elif state in {"RCDATA state", "RAWTEXT state", "Script data state"}:
        tokenizer.raw_text((last_start_tag or "x").encode())
    return tags(tokenizer, cdata=cdata)


@pytest.mark.parametrize("file", CONFORMANCE)
def test_html5lib_tokenizer_tests(file):
    different = set()
    count = 0
    for test in CONFORMANCE[file]:
        expected = [tuple(tag) for tag in test["tags"]]
        # "PLAINTEXT state" is left out: the tree context passes over that text, and no tag follows.
        for state in set(test["states"]) - {"PLAINTEXT state"}:
            count += 1
            if tags_in_state(test["input"], state, test["last_start_tag"]) != expected:
                different.add((state, test["input"]))
    assert count
    assert not different


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        # §13.2.5.32-40: names
        (b"<a b=1 B=2 b>", {"b": "1"}),
        (b"<a\tb\nc\fd\re>", {"b": "", "c": "", "d": "", "e": ""}),
        (b"<a\r\nb=c>", {"b": "c"}),
        (b"<a/b=c>", {"b": "c"}),
        (b"<a / b = c>", {"b": "c"}),
        (b"<a =b=c>", {"=b": "c"}),
        (b"<a = b>", {"=": "", "b": ""}),
        (b"<a b==c>", {"b": "=c"}),
        (b"<a b'\"c=d>", {"b'\"c": "d"}),
        (b"<a 'b'=c>", {"'b'": "c"}),
        (b"<a <b=c>", {"<b": "c"}),
        (b"<a B\xc3\x89=c>", {"bÉ": "c"}),
        # values
        (b"<a href=x/>", {"href": "x/"}),
        (b"<a href=x/y b>", {"href": "x/y", "b": ""}),
        (b"<a href= >", {"href": ""}),
        (b"<a href>", {"href": ""}),
        (b"<a href = \r\n 'x'>", {"href": "x"}),
        (b"<a b=\"c\"d='e'f>", {"b": "c", "d": "e", "f": ""}),
        (b'<a b="c>d" e>', {"b": "c>d", "e": ""}),
        (b"<a b=c\"d'e<f`=>", {"b": "c\"d'e<f`="}),
        (b"<a b=&quot;>", {"b": '"'}),
        (b'<a b="x\r\ny\rz">', {"b": "x\ny\nz"}),
    ],
)
def test_attributes_of_a_tag(data, expected):
    assert all_tags(data) == [("StartTag", "a", expected, False)]


@pytest.mark.parametrize(
    ("data", "self_closing"),
    [
        (b"<a/>", True),
        (b"<a />", True),
        (b"<a b/>", True),
        (b"<a b=c />", True),
        (b"<a / >", False),
        (b"<a b=c/>", False),
    ],
)
def test_self_closing(data, self_closing):
    assert all_tags(data)[0][3] is self_closing


@pytest.mark.parametrize(
    "rest",
    [b"", b" ", b" b", b" b ", b" b=", b" b= ", b" b=c", b' b="', b' b="c', b' b="c"', b" b='c", b"/", b" b=c /"],
)
@pytest.mark.parametrize("start", [b"<a", b"</a"])
def test_the_end_of_the_data_inside_a_tag_drops_it(start, rest):
    assert all_tags(b"<p>" + start + rest) == [("StartTag", "p", {}, False)]


@pytest.mark.parametrize(
    "data",
    [
        b"<!--<a>--><p>",
        b"<!--<a>--!><p>",
        b"<!--><p>",
        b"<!---><p>",
        b"<!----><p>",
        b"<!--<!--><p>",
        b"<!--a--b>--><p>",
        b"<!doctype a '<b'><p>",
        b"<!a <b><p>",
        b"<?a <b><p>",
        b"</ <b><p>",
        b"</><p>",
        b"<><1><\xc3\xa9><p>",
        b"<<p>",
        b"a < b<p>",
        b"<![CDATA[<a><p>",
    ],
)
def test_text_that_is_no_tag_is_skipped(data):
    assert all_tags(data) == [("StartTag", "p", {}, False)]


@pytest.mark.parametrize(
    "data", [b"", b"<", b"a<", b"</", b"<!", b"<!-", b"<!--", b"<!--a", b"<!--a--", b"<?", b"<!a", b"</1"]
)
def test_incomplete_markup_at_the_end(data):
    tokenizer = Tokenizer(data, 0, len(data))
    assert tokenizer.next_tag(IN_HTML) == EOF
    assert tokenizer.position == len(data)
    assert tokenizer.next_tag(IN_HTML) == EOF


@pytest.mark.parametrize(
    ("data", "end"), [(b"x<!DocType html>y", 16), (b"<!doctype", 0), (b"<!doc><!doctype><!doctype b>", 16), (b"<p>", 0)]
)
def test_end_of_the_first_complete_doctype(data, end):
    tokenizer = Tokenizer(data, 0, len(data))
    while tokenizer.next_tag(IN_HTML):
        pass
    assert tokenizer.doctype_end == end


def test_cdata_is_for_foreign_content_alone():
    data = b"<![CDATA[<a>]]><p>"
    assert [tag[1] for tag in all_tags(data, cdata=True)] == ["p"]
    assert [tag[1] for tag in all_tags(data, cdata=False)] == ["p"]
    assert [tag[1] for tag in all_tags(b"<![CDATA[>" + data)] == ["p"]
    assert all_tags(b"<![CDATA[<a><p>", cdata=True) == []


def test_only_the_span_is_read():
    data = b"<a><b c=d><e>"
    assert tags(Tokenizer(data, 3, 10)) == [("StartTag", "b", {"c": "d"}, False)]
    assert tags(Tokenizer(data, 3, 9)) == []


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"a</title>", 1),
        (b"a</TITLE >", 1),
        (b"</title/>", 0),
        (b"</titlex></title\n>", 9),
        (b"</tit</title>", 5),
        (b"<</title>", 1),
        (b"<!--</title>-->", 4),
        (b"</title", 7),
        (b"", 0),
    ],
)
def test_end_of_raw_text(data, expected):
    tokenizer = Tokenizer(data, 0, len(data))
    assert tokenizer.raw_text(b"title") == expected
    assert tokenizer.position == expected
    assert tokenizer.next_tag(IN_HTML) == (END if expected < len(data) else EOF)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"a</script>", 1),
        (b"</scripty></SCRIPT\t>", 10),
        (b"<!--</script>", 4),
        # Between "<!--" and "-->", a script start tag hides the end tag (§13.2.5.27 script data double escaped state).
        (b"<!--<script></script></script>", 21),
        (b"<!--<script>--></script>", 15),
        (b"<!--<script/</script/</script>", 21),
        (b"<!--<scripty></script>", 13),
        (b"<!--<script></script><script></script></script>", 38),
        (b"<!--><script></script>", 13),
        (b"<!---><script></script>", 14),
        (b"<!--a--><b></b></script>", 15),
        (b"<!--a--><!--<script></script></script>", 29),
        (b"<!-<script></script>", 11),
        (b"<!--<script></script>", 21),
        (b"<!--", 4),
    ],
)
def test_end_of_a_script(data, expected):
    tokenizer = Tokenizer(data, 0, len(data))
    assert tokenizer.script_text() == expected
    assert tokenizer.position == expected


def test_attributes_returns_spans_of_the_first_of_each_name():
    data = b"<p><a HREF=x href='y' b c=\"d\">"
    assert attributes(data, 3) == [
        Attribute("href", 6, 11, 12, 0),
        Attribute("b", 22, 23, 23, 1),
        Attribute("c", 24, 27, 28, 34),
    ]


@given(st.lists(st.sampled_from(["href", " HREF", "hre", "hreff", " rel", "=", "'a'", "b", "/", '"c>"', " "])))
def test_an_attribute_is_found_as_among_all_of_its_tag(pieces):
    data = f"<a {''.join(pieces)}>".encode()
    expected = {one.name: (one.start, one.end) for one in attributes(data, 0)}
    for name in ("href", "rel"):
        assert find_attribute(data, 0, name.encode()) == expected.get(name, (-1, -1))


@pytest.mark.parametrize("name", ["title", "Textarea", "noscript", "iframe"])
def test_an_end_tag_has_the_whole_name_in_any_case(name):
    data = f"a<b></{name[:-1]}></{name}x></ {name}></{name.swapcase()}>".encode()
    tokenizer = Tokenizer(data, 0, len(data))
    assert tokenizer.raw_text(name.lower().encode()) == data.rindex(b"</")


def test_tag_end_is_past_the_greater_than_sign():
    data = b"<p><a b='>' c=d/><q"
    assert data[: tag_end(data, 3)] == b"<p><a b='>' c=d/>"
    assert tag_end(data, 17) == -1
