"""The quick scan of CSS, srcset and refresh finds the same as the slow one, or leaves the value to it."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from itertools import product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.growth import processor_limit
from support.paths import CHECKOUT
from support.sizes import examples
from support.vectors import CORPUS, needs_corpus

from linkfix import Document, Encoding, Row
from linkfix.document import Finder
from linkfix.kernels.byte_spans import ByteSpans
from linkfix.kernels.constants import CSS, JOINED, REFRESH, SRCSET, UNCLEAR
from linkfix.kernels.outline import Record
from linkfix.kernels.second_bytes import second_bytes

KINDS = {"css": CSS, "srcset": SRCSET, "refresh": REFRESH}
#: The bytes around a value.
BEFORE, AFTER = b'<p a="', b'">'
#: Whether a value is text: compiled functions take no keywords.
TEXT, ATTRIBUTE = True, False


def plain_class():
    """`ByteSpans` as plain Python, whether or not it is compiled."""
    name = "linkfix.kernels.plain_byte_spans"
    spec = spec_from_file_location(name, CHECKOUT.joinpath("linkfix", "kernels", "byte_spans.py"))
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module.ByteSpans


BOTH = (ByteSpans, plain_class())


def encoding(name):
    return Encoding(name, "meta", "")


def quick(cls, syntax, data, *, text, name="utf-8"):
    """The spans by bytes; None if the value is not plain."""
    spans = cls(name if encoding(name).has_ascii_trails else "")
    count = spans.find(KINDS[syntax], data, len(BEFORE), len(data) - len(AFTER), text)
    if count < 0:
        return None
    assert count == spans.count
    found = numbers(spans)
    return [(found[2 * number], found[2 * number + 1]) for number in range(count)]


def numbers(spans):
    """The numbers in memory, which is an array or, compiled, a bytearray."""
    return memoryview(spans.memory).cast("B").cast("q")


def slow(syntax, data, *, text, name="utf-8"):
    """The spans that the syntax finds; None if one has a fault or a problem."""
    record = Record(
        Row("x", "y", syntax, "resource", "", ""), len(BEFORE), len(data) - len(AFTER), 0, ord('"'), text=text
    )
    finder = Finder(data, encoding(name), encoding(name), xml=False)
    references = list(finder.references(record))
    if any(one.found.problem for one in references):
        return None
    return [one.span() for one in references]


def agree(syntax, value, *, text, name="utf-8"):
    """Whether the quick scan finds anything; asserts that it finds the same as the slow scan."""
    data = BEFORE + value + AFTER
    found = [quick(cls, syntax, data, text=text, name=name) for cls in BOTH]
    assert found[0] == found[1]
    if found[0] is not None:
        assert found[0] == slow(syntax, data, text=text, name=name)
    return found[0] is not None


CSS_PIECES = [
    *("url(", "URL(", "uRl( ", "src(", "image-set(", "-webkit-image-set(", "inset(", "-url(", "1url(", "_src(", "set("),
    *(
        "@import",
        "@import ",
        "@IMPORT/**/",
        "@importurl(",
        "@namespace ",
        "@namespaced",
        "@imp\\ort",
        "@\\69mport",
        "@",
    ),
    *("a", "a.png", "/b?c=1", "#", "#d", "data:x/y;base64,AAAA", "http://h/i.gif", "é", "…", "\0", "\x01", "\x7f", "-"),
    *(
        '"',
        "'",
        "(",
        ")",
        "{",
        "}",
        ";",
        ":",
        ",",
        "/",
        "*",
        "/*",
        "*/",
        "/**/",
        "<!--",
        "-->",
        "<",
        "!",
        ".",
        "0",
        "+",
    ),
    *(" ", "\n", "\r\n", "\f", "\t", "\r"),
    *(
        "\\",
        "\\(",
        "\\)",
        '\\"',
        "\\/",
        "\\\n",
        "\\\r\n",
        "\\75rl(",
        "u\\72 l(",
        "\\41\n",
        "\\000041",
        "\\0000411",
        "\\é",
    ),
    *('url("a")', "url('b')", "url( c )", "url()", "url( )", "url(#d)", '@import "e";', "src('f')", "url(g h)", '"i"'),
]
REFERENCE_PIECES = [
    *(
        "&quot;",
        "&quot;",
        "url(&quot;",
        "&quot;)",
        "&amp;",
        "&",
        "& ",
        "&a=b",
        "&copy=1",
        "&copy",
        "&quot",
        "&#40;",
        "&#",
    ),
    *("&lpar;", "&AMP;", "&QUOT;", "&Quot;", "&Amp;", "&unknown;", "&apos;", "&#x22;", "&comma;", "&sol;", "&bsol;"),
]
SRCSET_PIECES = [
    *("a.png", "/b?c=1", "é", "d,e", ",", ",,", " ", "\n", "\t\r", "\f", "\v", "(", ")", "#f", "data:,x"),
    *(
        " 1x",
        " 2.5x",
        " .5x",
        " 1.x",
        " 1e3x",
        " -1x",
        " 100w",
        " 0w",
        " 00w",
        " 01w",
        " 1h",
        " 1w 2h",
        " 2W",
        " w",
        " x",
    ),
    *(", ", " 1x, ", " 2x,", "\0"),
]
REFRESH_PIECES = [
    *(
        "0",
        "5",
        "1.5",
        ".",
        ".5",
        "0;",
        "0,",
        "3 ",
        ";",
        ",",
        " ",
        "\n",
        "\x01",
        "\0",
        "url=",
        "URL =",
        "url",
        " = ",
        "=",
    ),
    *('"', "'", "http://h/a", "/b", "c d", "é", "x;y"),
]


def values(*pieces):
    return st.lists(st.sampled_from([one for some in pieces for one in some]), max_size=14).map("".join)


def encoded(text, name):
    return encoding(name).encode(text, "xmlcharrefreplace")


@settings(deadline=None, max_examples=examples(2000))
@given(values(CSS_PIECES))
@example("<!--url(a)")
@example("\\<!--url(a)")
@example("a<!--url(b)")
@example("<!---url(a)")
@example("@importurl(a)")
@example("url(a")
@example("url(")
@example('url("a')
@example('@import"a')
@example("@import/*")
@example("@import/*/ 'a'")
@example("@x\\(url(a)")
@example("'\\41\n' url(a)")
@example(".a\\/b{}url(a)")
def test_style_sheets(value):
    agree("css", encoded(value, "utf-8"), text=True)


@settings(deadline=None, max_examples=examples(2000))
@given(values(CSS_PIECES, REFERENCE_PIECES))
@example("url(&quot;/a.png&quot;) no-repeat, url(b.png)")
@example("url( &quot;/a.png?b=1&amp;c=2&quot; )")
@example("url(&quot;a")
@example("url(a&quot;b&quot;)")
@example("url('a&quot;b')")
@example("src(/**/&quot;a&quot;)")
@example("font-family:&quot;url(a)&quot;;src:url(b)")
@example("font-family:&quot;url(a)")
@example("&amp;url(a)")
def test_style_attributes(value):
    agree("css", encoded(value, "utf-8"), text=False)


@settings(deadline=None, max_examples=examples(1000))
@given(values(SRCSET_PIECES, REFERENCE_PIECES))
def test_srcsets(value):
    agree("srcset", encoded(value, "utf-8"), text=False)


@settings(deadline=None, max_examples=examples(1000))
@given(values(REFRESH_PIECES, REFERENCE_PIECES))
@example("0; url=")
@example("0; url='")
@example("0; url=&amp;")
def test_refreshes(value):
    agree("refresh", encoded(value, "utf-8"), text=False)


#: A second byte of these can be ASCII; in the other multi-byte encodings none is.
ASCII_TRAILS = ("gbk", "gb18030", "big5", "shift_jis", "euc-kr")


@settings(deadline=None, max_examples=examples(1000))
@given(
    st.sampled_from(["utf-8", "windows-1252", "koi8-u", "euc-jp", *ASCII_TRAILS]),
    st.sampled_from(sorted(KINDS)),
    st.lists(
        st.sampled_from([*"表能ソ", *CSS_PIECES, *SRCSET_PIECES, *REFRESH_PIECES]).map(
            lambda piece: piece.encode("cp932", "replace")
        )
        | st.sampled_from(
            [bytes([lead, trail]) for lead, trail in product((0x81, 0x95, 0xE0, 0xFE, 0xFF), b'\\@|"(0ul')]
        )
        | st.binary(min_size=1, max_size=4),
        max_size=10,
    ).map(b"".join),
    st.booleans(),
)
def test_encodings(name, syntax, value, text):
    agree(syntax, value, text=text and syntax == "css", name=name)


@pytest.mark.parametrize("name", ["euc-jp", *ASCII_TRAILS])
def test_second_bytes_are_those_of_the_decoder(name):
    table = second_bytes(name)
    decode = encoding(name).decode
    for first, second in product(range(0x80, 0x100), range(0x100)):
        pair = decode(bytes([first, second, 0x0A]))[:-1]
        apart = decode(bytes([first, 0x0A]))[:-1] + decode(bytes([second, 0x0A]))[:-1]
        kind = table[(first - 0x80) * 256 + second]
        if kind == UNCLEAR:
            assert second in b"0123456789" or (name, first) in {("euc-jp", 0x8F), ("big5", 0x88)}
        else:
            assert (kind == JOINED) == (pair != apart)
            assert len(pair) == 2 - kind


@pytest.mark.parametrize("name", ASCII_TRAILS)
@pytest.mark.parametrize("text", [True, False])
def test_bytes_of_other_characters_are_no_syntax(name, text):
    """The second byte of each of these is a backslash, a quotation mark's neighbour, or a letter of "url"."""
    decode = encoding(name).decode
    leads = [bytes([lead]) for lead in range(0x81, 0xFF) if (name, lead) != ("big5", 0x88)]
    pairs = [
        lead + bytes([second])
        for lead, second in product(leads, b"\\@[`ulrA~")
        if len(decode(lead + bytes([second]))) == 1
    ]
    assert pairs
    value = b"".join(b"." + pair + b"{a:url(b) " + pair + b"(c)}" for pair in pairs)
    assert agree("css", value, text=text, name=name)
    assert agree("css", b"".join(b"/*" + pair + b"*/src('" + pair + b"');" for pair in pairs), text=text, name=name)


@pytest.mark.parametrize("value", [b"\x810\x810url(a)", b"a:\x840url(b)", b"\x900\x81"])
def test_characters_of_four_bytes_are_left_to_the_syntaxes(value):
    assert not agree("css", value, text=True, name="gb18030")


@pytest.mark.parametrize("name", ["utf-8", "windows-1252", "koi8-u", "euc-jp", "x-user-defined", *ASCII_TRAILS])
def test_encodings_with_second_bytes_in_the_range_of_ascii(name):
    hidden = any(
        len(encoding(name).decode(bytes([lead, trail]))) == 1 and trail < 0x80
        for lead, trail in product(range(0x80, 0x100), range(0x80))
    )
    assert encoding(name).has_ascii_trails == hidden == (name in ASCII_TRAILS)


@pytest.mark.parametrize(
    ("syntax", "value", "text"),
    [
        ("css", b"", True),
        ("css", b"a{color:red}", True),
        ("css", b'@import "a.css";@import url(b.css);c{d:url( e ),URL("f")}', True),
        ("css", "/* é */ a{b:url(é.png)}", True),
        ("css", rb'.md\:flex,.w-1\/2,.\[\&\>a\]{b:"\f101";c:url(d)}', True),
        ("css", b"a{b:url(data:image/svg+xml;base64,AAAA)}", True),
        ("css", b"a{b:url(#c);d:url()}", True),
        ("css", b"a{b:url(c", True),
        ("css", b"a{b:url('c", True),
        ("css", b"background:url(&quot;/a.png?b=1&amp;c=2&quot;) 0 0", False),
        ("css", b"background:url(/a.png?b=1&c=2&amp;d=3)", False),
        ("css", b"font-family:&quot;a b&quot;;background:url('c')", False),
        ("css", "font-family:宋体;background:url(a)", False),
        ("srcset", b"a.png", False),
        ("srcset", b"a.png 1x, b.png 2.5x,c.png 300w , d,e", False),
        ("srcset", b"/a?b=1&amp;c=2 640w, /a?b=1&c=2 1024w", False),
        ("refresh", b"5", False),
        ("refresh", b"0;url=/a?b&amp;c", False),
        ("refresh", b"0; URL='/a'", False),
    ],
)
def test_common_text_is_plain(syntax, value, text):
    assert agree(syntax, value if isinstance(value, bytes) else value.encode(), text=text)


@pytest.mark.parametrize(
    ("syntax", "value"),
    [
        ("css", b"a{b:url(c d)}"),
        ("css", b"a{b:url('c\n')}"),
        ("css", rb"a{b:url(\63)}"),
        ("css", rb"a{b:u\72 l(c)}"),
        ("css", b"a{b:image-set('c' 1x)}"),
        ("css", b"@namespace url(http://h/);"),
        ("srcset", b"a.png 1y"),
        ("srcset", b"a.png 0w"),
    ],
)
def test_rare_text_is_not_plain(syntax, value):
    assert not agree(syntax, value, text=syntax == "css")


@pytest.mark.parametrize("cls", BOTH)
def test_one_value_after_another(cls):
    spans = cls("")
    many = b"url(a)" * 1000
    assert spans.find(CSS, many, 0, len(many), TEXT) == 1000
    assert list(numbers(spans)[:2000]) == [at for start in range(4, 6000, 6) for at in (start, start + 1)]
    assert spans.find(CSS, b"url(b)", 0, 6, TEXT) == spans.count == 1
    assert list(numbers(spans)[:2]) == [4, 5]
    assert spans.find(CSS, b"url(&quot;b&quot;)", 0, 18, ATTRIBUTE) == 1
    assert spans.find(CSS, b"url(&amp;)", 0, 10, ATTRIBUTE) == 1
    assert spans.find(CSS, many, 6, 6, TEXT) == spans.count == 0


@needs_corpus
@pytest.mark.parametrize("syntax", ["css", "srcset"])
def test_real_pages(syntax):
    seen = plain = 0
    for page in CORPUS:
        document = Document(page.read_bytes(), url="https://example.org/")
        outline = document._outline
        for number in range(outline.count):
            record = outline.record(number)
            if record.row.syntax != syntax or record.foreign:
                continue
            value = outline.data[record.start : record.end]
            seen += 1
            plain += agree(syntax, value, text=record.text, name=document._working.name)
    assert seen > 200
    assert plain >= 0.95 * seen


HOSTILE = [
    *(
        "(",
        "\\",
        "a\\",
        "\\(",
        "\\\n",
        "@",
        "@import",
        "@i\\",
        '"',
        "'",
        "/*",
        "/",
        "*",
        "url(",
        "url('",
        "src(",
        "set(",
    ),
    *(
        "image-set",
        "&",
        "&amp;",
        "&quot;",
        "url(&quot;",
        "a&b=",
        ",",
        "a,",
        "a ",
        "a 1x,",
        "0",
        "a 0",
        "<!--",
        "-",
        " ",
    ),
]


@pytest.mark.growth
@pytest.mark.parametrize("cls", BOTH)
@pytest.mark.parametrize("syntax", KINDS)
@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_values_take_linear_time(cls, syntax, piece):
    value = piece.encode() * (100_000 // len(piece))
    with processor_limit(10):
        quick(cls, syntax, BEFORE + value + AFTER, text=False)
        quick(cls, syntax, BEFORE + value + AFTER, text=True)
        # Some tenths of a second; anything quadratic takes minutes.
