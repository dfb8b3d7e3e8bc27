from __future__ import annotations

import re
import threading

import pytest
import tinycss2
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.sizes import examples
from support.vectors import CORPUS, needs_corpus

from linkfix.html.syntaxes import SYNTAXES

find = SYNTAXES["css"]


def references(text):
    return [found.reference for found in find(text) if found.kind != "fault"]


# --- Against tinycss2 ---


def flat(nodes):
    """tinycss2's tree as a flat stream of (type, value) with white space and comments left out."""
    pending = [iter(nodes)]
    while pending:
        for node in pending[-1]:
            if node.type == "function":
                yield "function", node.lower_name
                pending.append(iter(node.arguments))
                break
            if node.type.endswith(" block"):
                yield "block", None
                pending.append(iter(node.content))
                break
            if node.type == "error":
                yield node.kind, None
            elif node.type == "at-keyword":
                yield "at-keyword", node.lower_value
            elif node.type not in {"whitespace", "comment"}:
                yield node.type, getattr(node, "value", None)
        else:
            pending.pop()
            if pending:
                yield "end", None


#: (Expected part, token) -> next expected part, in `@namespace <prefix>? [ <string> | <url> ]`.
IN_NAMESPACE = {
    ("prefix", "ident"): "url",
    **{(due, f"{name}()"): "string" for due in ("prefix", "url") for name in ("url", "src")},
}


def oracle(text):
    """The references in tinycss2's tokens, in order; None for a bad one."""
    found, blocks, last, namespace = [], [False], ("", None), None
    for type_, value in flat(tinycss2.parse_component_value_list(text)):
        is_url = namespace in {None, "string"}
        is_string = not namespace and (
            last in {("at-keyword", "import"), ("function", "url"), ("function", "src")} or blocks[-1]
        )
        if (type_ == "url" and is_url) or (type_ == "string" and is_string):
            found.append(re.sub("[\ud800-\udfff]", "\ufffd", value))
        elif (type_ == "bad-url" and is_url) or (type_ == "bad-string" and is_string):
            found.append(None)
        elif type_ in {"function", "block"}:
            blocks.append(value in {"image-set", "-webkit-image-set"})
        elif type_ == "end":
            blocks.pop()
        if type_ not in {"eof-in-string", "eof-in-url"}:
            last = (type_, value)
            here = f"{value}()" if type_ == "function" else type_
            namespace = "prefix" if last == ("at-keyword", "namespace") else IN_NAMESPACE.get((namespace, here))
    return found


# Differences of tinycss2 from CSS Syntax 3: unicode-range tokens, which the standard no longer has outside the
# descriptor of that name; an escaped backslash before the parenthesis that ends a bad URL. A difference of linkfix: it
# takes a number, or a hyphen alone, for the prefix in `@namespace`.
DIFFERENT = re.compile(r"[uU]\+[0-9A-Fa-f?]|(?<!\\)(?:\\\\)+\)|(?i:@namespace)(?:[\t\n\f\r ]|/\*[\s\S]*?\*/)*+[0-9-]")


def agrees_with_tinycss2(text):
    ours = [None if found.kind == "fault" else found.reference for found in find(text)]
    assert ours == oracle(text)


WORDS = ["url(", "URL(", "uRl(", "src(", "image-set(", "-webkit-image-set(", "type(", "var(", "url", "-", "--", "é"]
ESCAPED_WORDS = ["\\75rl(", "u\\72 l(", "ur\\00006c(", "u\\rl(", "\\73\r\nrc(", "\\-", "@\\69mport ", "image\\-set("]
ESCAPES = ["\\29 ", '\\"', "\\)", "\\\\", "\\0 ", "\\110000 ", "\\d800\t", "\\41", "\\e9\f", "\\", "\0"]
STRINGS = ['"a"', "'b'", "'c\\\nd'", '"', "'", "\\'", '"e\\\r\n"', '"\\000066 g"']
MARKS = [*"()[]{},;:#@./*<>!=%+9a", "<!--", "-->", "/*", "*/", "1e3", "1.", "+1", "\x01", "\x7f"]
SPACES = [" ", "\n", "\r\n", "\f", "\t", "/**/"]
AT_RULES = ["@import ", "@IMPORT", "@import/**/", "@namespace p url(n);", '@namespace "n";', "@namespace url( 'n' );"]
WHOLE = ["url(a)", 'url("b")', "url( c )", "url(#d)", '@import "e";', "a{b:url(f)}", "image-set('g' 1x, url(h) 2x)"]

sheets = st.lists(
    st.sampled_from([*WORDS, *ESCAPED_WORDS, *ESCAPES, *STRINGS, *MARKS, *SPACES, *AT_RULES, *WHOLE]), max_size=30
).map("".join)


@settings(deadline=None, max_examples=examples(1000))
@given(sheets)
def test_finds_the_same_as_tinycss2_in_generated_sheets(text):
    assume(not DIFFERENT.search(text))
    # tinycss2 takes a backslash before a newline into an unquoted URL; the standard makes it a bad URL.
    assume("(" not in text or not re.search(r"\\[\n\r\f]", text))
    agrees_with_tinycss2(text)


#: Strings at which the scanner stops, and similar strings.
PIECES = [
    *("@", "@import", "@import ", "@namespace ", "url(", "src(", "image-set(", "u\\72 l(", "im\\61ge-set("),
    *("\\", "\n", "\r\n", "\f", " ", '"', "'", "(", ")", "}", ";", "<!--", "-->", "/*", "*/", "/", "*", "<", "-", "--"),
    *("1", "1.", "+1e3", "#", "a", "é", "\0"),
]
#: As above: a backslash before a newline in an unquoted URL. After a digit, a name is a number's unit, or continues it.
NEWLINE_ESCAPE_IN_URL = re.compile(r"(?is)(?<!\d)(?:url|u\\72 l)\((?!\s*[\"'])(?:[^)\\]|\\[^\n\r\f])*+\\[\n\r\f]")


@settings(deadline=None, max_examples=examples(1000))
@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_finds_the_same_as_tinycss2_at_stops_of_the_scanner(text):
    assume(not DIFFERENT.search(text) and not NEWLINE_ESCAPE_IN_URL.search(text))
    agrees_with_tinycss2(text)


@settings(deadline=None)
@given(st.text())
def test_finds_the_same_as_tinycss2_in_any_text(text):
    assume(not DIFFERENT.search(text))
    agrees_with_tinycss2(text)


@needs_corpus
def test_finds_the_same_as_tinycss2_in_real_pages():
    sheets = [
        sheet
        for page in CORPUS
        for sheet in re.findall(r"(?is)<style[^>]*>(.{,20000}?)</style", page.read_bytes().decode("utf-8", "replace"))
    ]
    for sheet in sheets:
        agrees_with_tinycss2(sheet)
    assert len(sheets) > 100


@pytest.mark.parametrize(
    "text",
    [
        # A sign before a backslash that is no escape.
        "@\\\n",
        "@\\\n@import",
        "#\\\n@import 'a'",
        "<!--@\\\nurl(a)",
        "image-set(@\\\n'a'",
        # The name of a function that the text ends in, after a number and a sign.
        "\n1url(@\\\n@import u\\72 l(",
        "1u\\72 l(@\\\n'a'",
    ],
)
def test_the_scan_ends(text):
    """In a thread of its own: an endless scan does not stop the other tests."""
    scan = threading.Thread(target=find, args=(text,), daemon=True)
    scan.start()
    scan.join(timeout=60)
    assert not scan.is_alive()
    agrees_with_tinycss2(text)


# --- By hand ---


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # url tokens
        ("a{b:url(x.png)}", ["x.png"]),
        ("url( \t\n\f\r\nx\r\n )", ["x"]),
        ("url(x", ["x"]),
        ("url(x ", ["x"]),
        ("URL(x)uRl(y)", ["x", "y"]),
        (r"url(a\62 c\29\))", ["abc))"]),
        ("url(a\\62\r\nc)", ["abc"]),
        (r"url(\000062c\0000620)", ["bcb0"]),
        (r"url(\0 \110000 \d800 )", ["\ufffd\ufffd\ufffd"]),
        ("url(x\\", ["x\ufffd"]),
        ("url(\0\ud800)", ["\ufffd\ufffd"]),
        ("url(a/**/b)", ["a/**/b"]),
        ("url(//x/y)url(data:,<svg>)", ["//x/y", "data:,<svg>"]),
        # strings
        ("url('x')url(\"y\")", ["x", "y"]),
        ("url( 'x' )", ["x"]),
        ("url('x", ["x"]),
        ("url('x\\", ["x"]),
        ("url('x' foo(\"y\"))url(z)", ["x", "z"]),
        ("url('a\\\nb\\\r\nc\\\fd\\\re')", ["abcde"]),
        (r"url('\27\"(')", ["'\"("]),
        ("url('\\62\nc')", ["bc"]),
        ("url('a)b')", ["a)b"]),
        ('url("")', [""]),
        ("src('x')src( /**/'y')src(z)src(var(--a, 'b'))", ["x", "y"]),
        # rules
        ("@import 'x';@import\"y\";@IMPORT/**/ /**/'z'", ["x", "y", "z"]),
        ("@import url(x)print;@import url('y')layer(z)supports(a:b);", ["x", "y"]),
        ("@\\69mport 'x'", ["x"]),
        ("@import x 'y'", []),
        ("@imports 'x';@import-'y';#import 'z';import 'a';@\\000049mports 'b'", []),
        ("@import", []),
        ("@charset 'x';@media 'y'{@layer 'z'}", []),
        ("@namespace url(x);@namespace p url('y');@namespace 'z';@namespace/**/p/**/'a';b{c:url(d)}", ["d"]),
        ("@namespace src('x')", []),
        ("@namespace;a{b:url(c)}", ["c"]),
        ("@namespace @import 'x'", ["x"]),
        ("@namespace #url(a)url(b)", ["b"]),
        ("@namespace url(a b)", []),
        # images
        ("image-set('x' 1x, url(y) 2x, url('z') 3x)", ["x", "y", "z"]),
        ("-WEBKIT-image-set('x')-moz-image-set('y')", ["x"]),
        ("image-set('x' type('image/png'), 'y' type(\"b\"))'c'", ["x", "y"]),
        ("image-set(('x')['y']{'z'}]}'a')'b'", ["a"]),
        ("image-set(image-set('x')'y'", ["x", "y"]),
        ("image-set(foo(url(x))url('y'),'z')", ["x", "y", "z"]),
        ("image-set(src('x' 'y') 'z')", ["x", "z"]),
        ("image-set(/*'x'*/ @a #b 1c 'd'", ["d"]),
        # not tokens that hold a URL
        ("#url(a)@url(b)1url(c)1e3url(d)-url(e)xurl(f)url-(g)_url(h)éurl(i)--url(j)", []),
        ("1.url(a).5url(b)+url(c)+1url(d)1e+url(e)1e+5url(f)%url(g)", ["a", "c", "e", "g"]),
        ("url (a)", []),
        ("url-prefix(a)domain(b)", []),
        ("\u017frc('a')\u212aurl(b)", []),
        ("'url(a)'\"url(b)\"/*url(c)*/", []),
        ("/*'*/url(a)/*", ["a"]),
        ("/**/url(a)/*/url(b)*/", ["a"]),
        ("/ * url(a)", ["a"]),
        ("<!--url(a)-->url(b)", ["a", "b"]),
        ("<!-url(a)<url(b)", ["b"]),
        ("a--url(b)", []),
        # escaped names
        (r"u\72l(a)\75 rl(b)\000055RL(c)u\r\l(d)", ["a", "b", "c", "d"]),
        (r"u\72lx(a)\31url(b)#\75rl(c)", []),
        ("u\\\nurl(a)", ["a"]),
        (r"\73rc('a')image\-set('b')\@import 'c'", ["a", "b"]),
        ("\\", []),
        # bad strings
        ("'a\nurl(b)'", ["b"]),
        ("image-set('a\n'b')", ["b"]),
    ],
)
def test_references(text, expected):
    assert references(text) == expected


@pytest.mark.parametrize("text", ["url(#a)", "url('#a')", r"url(\#a)", "url('\\23 a')", "url()", "url('')", "url( "])
def test_a_fragment_alone_or_nothing_is_local(text):
    (found,) = find(text)
    assert found.kind == "local"


def test_spans_are_without_quotes_and_white_space():
    text = "a{b:url( x\\79 \t) url( 'y\\\n' ) image-set(\"z\")} @import 'a"
    assert [text[found.start : found.end] for found in find(text)] == ["x\\79 ", "y\\\n", "z", "a"]


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("url(a b)url(x)", 4, 7),
        ("url( a'b)url(x)", 5, 8),
        ("url(a\\)b c\\\\)url(x)", 4, 12),
        ("url(a(b)url(x)", 4, 7),
        ("url(/**/'b')url(x)", 4, 11),
        ("url(\x01)url(x)", 4, 5),
        ("url(a\\\nb)url(x)", 4, 8),
        ("url(a b", 4, 7),
        ("url('a\nb)url(x)", 5, 6),
        ("@import 'a\r;url(x)", 9, 10),
        ("image-set('a\\'b\f)url(x)", 11, 15),
        ("src('a\n)url(x)", 5, 6),
    ],
)
def test_unreadable_css_is_a_fault(text, start, end):
    fault, *rest = find(text)
    assert (fault.kind, fault.problem) == ("fault", "css-bad-url")
    assert (fault.start, fault.end, fault.reference) == (start, end, text[start:end])
    assert [found.reference for found in rest] in ([], ["x"])
    assert bool(rest) == text.endswith("url(x)")


@pytest.mark.parametrize(
    ("text", "url", "expected"),
    [
        ("url(x)", "http://x/a-b_c~!*%20?#é\U0001f600", "http://x/a-b_c~!*%20?#é\U0001f600"),
        ("url(x)", "\"'()\\", "\\\"\\'\\(\\)\\\\"),
        ("url(x)", " \t\n\f\r\x01\x7f", "\\20 \\9 \\a \\c \\d \\1 \\7f "),
        ("url('x')", "\"'()\\ ", "\"\\'()\\\\ "),
        ('url("x")', "\"'()\\ ", "\\\"'()\\\\ "),
        ('src("x")', "\n\f\r\x01\x7f", "\\a \\c \\d \\1 \\7f "),
        ('@import "x"', "</style>]]>", "\\3c /style\\3e ]]\\3e "),
        ("url(x)", "</style>", "\\3c /style\\3e "),
        ("image-set('x')", "\0\ud800", "\ufffd\ufffd"),
    ],
)
def test_escapes(text, url, expected):
    (found,) = find(text)
    assert found.escape(url) == expected
    (again,) = find(text[: found.start] + expected + text[found.end :])
    assert again.reference == url.replace("\0", "\ufffd").replace("\ud800", "\ufffd")
