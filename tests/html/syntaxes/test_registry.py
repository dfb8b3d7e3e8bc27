"""Properties of every syntax: correct spans, replaceable URLs, linear time."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.each import for_each
from support.growth import processor_limit
from support.sizes import examples

import linkfix.html.syntaxes as package
from linkfix import PROBLEMS
from linkfix.html.syntaxes import SYNTAXES

#: The kinds of finds that are URLs in their place.
URLS = {"url", "specifier", "scope"}
# For each syntax, pieces of texts: its special strings, whole and broken off.
PIECES = {
    "url": ["a", "#", " ", "\t", "\x00", "\x1f", "\xa0", "http://x/", "?q"],
    "srcset": ["a", "data:,", ",", " ", "\t", "(", ")", "1x", "2w", "3h", "-1x", "1.5e1x", "\xa0", "\x0b"],
    "space-list": ["a", "http://x/", ",", " ", "\n", "\f", "\x0b"],
    "anchor": ["a", "#", " ", "http://x/"],
    "lazy-url": [
        *["a", "url(", "URL(", ")", ",", " ", "linear-gradient(", '"', "'", "{w}", "{", "}", "//", "https:", "b:", "("],
        *['{"a":1}', "[1]", "\\", "#a", "data:,"],
    ],
    "lazy-srcset": [
        *["a", "data:,", ",", " ", " | ", "|", "[", "]", " [b]", "(", ")", "1x", "2w", "{w}", "{w}w", "url(", "'"],
    ],
    "comma-list": ["a", "http://x/", ",", " ", "\n", "\x00"],
    "refresh": ["0", "5", ".", ";", ",", " ", "\t", "url", "URL", "=", "'", '"', "a", "http://x/"],
    "css": [
        *["a", "-", "_", "9", "\0", "é", " ", "\n", "\r\n", "#", "@", ":", ";", "{", "}", "(", ")", "[", "]", "<!--"],
        *["url(", "URL(", "src(", "\\75 rl(", "image-set(", "-webkit-image-set(", "type(", "@import ", "@namespace "],
        *['"', "'", '"a"', "'b'", '"c', "\\", "\\\n", "\\22", "\\)", "/*", "*/", "/", "*", "url(#a)", "url()", "<"],
    ],
    "importmap": ['{"imports":{', '"scopes":{', '"./a":"./b"', '"./c/":{', "}", ",", '"', "\\", ":", "[", "1", " "],
    "speculationrules": ['{"prefetch":[', '{"urls":["a","b"]', '"where":', '"source":"list"', "]", "}", ",", '"', "\\"],
    "text": [
        *["http://x/", "mailto:a@b", "www.a.bc", "<", "URL:", ">", '"', "'", "(", ")", "[", "]"],
        *[" ", "\n", ",", ".", "a", "é", "。", "//", ":"],
    ],
    "webmanifest": [
        *['{"start_url":"a"', '"icons":[{"src":"b"', '"shortcuts":', '"scope":"c"', '{"url":"d"', "{", "["],
        *["]", "}", ",", '"', ":", "1", "null"],
    ],
    "robots": ["Sitemap: a", "sitemap:", "SITEMAP :b", "Disallow: /x", "\n", "\r", "\r\n", " ", "\t", "#", "http://x/"],
    "javascript": [
        *["import ", "export ", "from ", '"./a"', "'b'", "`./c`", '"', "'", "`", "${", "}", "{", "(", ")", "* as x "],
        *[
            "import './d';",
            'import("./e")',
            "//",
            "/*",
            "*/",
            "/",
            "[",
            "]",
            "\\",
            "\n",
            "a",
            " ",
            ",",
            ";",
            "<!--",
            "-->",
        ],
        *["return ", "if", "=", "++", ".", "\u2028", "é"],
    ],
    "source-map": [
        "//# sourceMappingURL=",
        "/*# sourceMappingURL=",
        "//@",
        "a",
        "*/",
        "//",
        "\n",
        " ",
        '"',
        "`",
        "data:",
    ],
    "markdown": ["a", "\\", "(", ")", "&amp;", "&", "#", "\\_", " ", "\x1f", "<", "|", "http://x/", "é"],
    "json-ld": ['{"@id":"a"', '{"url":["b","c"]', '"image":"d"', "{", "[", "]", "}", ",", '"', ":", "1", '"\\u0061"'],
}
PIECES["header-refresh"] = [*PIECES["refresh"], "<", ">", "é", "\r\n "]
PIECES["local-url"] = PIECES["wikilink"] = PIECES["url"]
PIECES["header-url"] = [
    *["a", "http://x/", "<", ">", '"', "URL:", " ", "\t", "\r\n ", "\n\t", "(", ")", ";", "é", "“", "”", "\x0b"],
    *["=?utf-8?q?a?=", "=?utf-8?b?Yg==?=", "=?", "?="],
]
PIECES["header-absolute-url"] = PIECES["header-url"]
PIECES["header-urls"] = [
    "<a>",
    "<http://x/>",
    "<",
    ">",
    ",",
    " ",
    "\r\n ",
    "(",
    ")",
    "(b)",
    "\\",
    "URL:",
    "NO",
    "é",
    "\t",
]
PIECES["header-links"] = [
    *[
        "<a>",
        "<",
        ">",
        ",",
        ";",
        "=",
        " ",
        "\r\n ",
        '"',
        "\\",
        '; anchor="b"',
        '; anchor="',
        "; rel=next",
        '; title="<c>"',
    ],
    *["\t", "é", "a"],
]
PIECES["opensearch-template"] = [
    *PIECES["url"],
    "{searchTerms}",
    "{a?}",
    "{",
    "}",
    "/",
    ".",
    "..",
    "%2e",
    "\\",
    "https:",
]
PIECES["css-source-map"] = PIECES["source-map"]

# JSON is rarely well-formed by chance.
WELL_FORMED = {
    "importmap": '{"imports":{"./a.js":"../b.js","bare":"/c.js","d":null},"scopes":{"./e/":{"f":"./g\\u002ejs"}},'
    '"integrity":{"/h.js":"sha384-x"}}',
    "speculationrules": '{"prefetch":[{"urls":["a","b"]},{"where":{"href_matches":"/*"}}],"prerender":['
    '{"source":"list","urls":["\\/c"]}]}',
    "webmanifest": '{"start_url":".","scope":"/","icons":[{"src":"a\\u002epng"},{"src":"b"}],"shortcuts":['
    '{"url":"c","icons":[{"src":"d"}]}],"share_target":{"action":"/e"}}',
    "javascript": 'import a, {b as c} from "./a.js";export * from \'../b.js\'; d(`${import("/c.js")}`); import(`./d`)',
    "source-map": "let a\n//# sourceMappingURL=a.js.map\n",
    "css-source-map": "a{}\n/*# sourceMappingURL=a.css.map */\n",
    "robots": "User-agent: *\r\nDisallow: /a\r\nSitemap: https://x/a.xml # map\r\n",
    "json-ld": '[{"@id":"#a","@graph":[{"url":"b","image":["c",{"contentUrl":"d\\"e"}]}]},{"sameAs":[]}]',
}


def texts(syntax):
    made = st.lists(st.sampled_from(PIECES[syntax]), max_size=24).map("".join)
    return st.one_of(made, st.just(WELL_FORMED[syntax])) if syntax in WELL_FORMED else made


def nasty_urls(syntax):
    """Absolute URLs with characters that need escaping somewhere; not at the ends, for syntaxes that trim a URL."""
    alphabet = "abc/?#%,;:=()[]'\"\\<>&!*- \t\n\r\f\x01\x7f\u2028é\U0001f600"
    # A brace makes a URL template of a JSON-LD string. In a text, a URI needs a host.
    host = "x/" if syntax == "text" else ""
    return st.text(alphabet if syntax == "json-ld" else alphabet + "{}", max_size=12).map(
        lambda tail: f"http://{host}{tail}/"
    )


def spliced(text, found, urls):
    """`text` with `urls` in the place of `found`, and the spans that they then have."""
    pieces, spans, length, position = [], [], 0, 0
    for one, url in zip(found, urls, strict=True):
        escaped = one.escape(url)
        pieces += [text[position : one.start], escaped]
        length += one.start - position
        spans.append((length, length + len(escaped)))
        length += len(escaped)
        position = one.end
    return "".join([*pieces, text[position:]]), spans


@pytest.mark.parametrize("syntax", SYNTAXES)
@settings(deadline=None)
@given(data=st.data())
def test_spans_are_in_order_disjoint_and_inside_the_text(syntax, data):
    text = data.draw(texts(syntax))
    position = 0
    for found in SYNTAXES[syntax](text):
        assert position <= found.start <= found.end <= len(text)
        position = found.end
        assert found.problem is None or found.problem in PROBLEMS
        assert found.kind != "fault" or found.problem


@pytest.mark.parametrize("syntax", SYNTAXES)
@settings(deadline=None, max_examples=examples(300))
@given(data=st.data())
def test_new_urls_are_read_back_and_nothing_else_changes(syntax, data):
    text = data.draw(texts(syntax))
    before = SYNTAXES[syntax](text)
    replaced = [found for found in before if found.kind in URLS]
    # Each ends differently: two equal names in one JSON object would be one.
    urls = [data.draw(nasty_urls(syntax)) + str(number) for number in range(len(replaced))]
    new_text, spans = spliced(text, replaced, urls)

    after = SYNTAXES[syntax](new_text)
    assert [found.kind for found in after] == [found.kind for found in before]
    assert [found.problem for found in after] == [found.problem for found in before]
    again = [found for found in after if found.kind in URLS]
    assert [(found.start, found.end) for found in again] == spans
    escapes_fully = syntax in {"css", "importmap", "speculationrules", "json-ld", "webmanifest", "javascript"}
    written = [new_text[start:end] for start, end in spans]
    expected = urls if escapes_fully else written
    if syntax.startswith("lazy-") and [found.reference for found in again] != written:
        expected = urls  # the value is CSS
    if syntax == "markdown":  # characters that no destination can have are percent-encoded
        expected = [
            "".join(f"%{ord(one):02X}" if one in "\x7f`<>" or one <= " " else one for one in url) for url in urls
        ]
    assert [found.reference for found in again] == expected


@pytest.mark.parametrize("syntax", ["css", "importmap", "speculationrules", "json-ld", "webmanifest", "javascript"])
def test_a_new_url_cannot_end_the_element_or_section_that_it_is_in(syntax):
    text = {"css": "url(a)"}.get(syntax) or WELL_FORMED[syntax]
    escape = SYNTAXES[syntax](text)[0].escape
    for danger in ["</style>", "</script>", "<!--", "]]>", "\n", "\r", "\f"]:
        assert danger not in escape(f"http://x/{danger}")


@for_each(SYNTAXES)
def test_an_empty_text_and_white_space_are_no_trouble(syntax):
    read_as_one = {
        "url",
        "local-url",
        "lazy-url",
        "importmap",
        "speculationrules",
        "json-ld",
        "webmanifest",
        "markdown",
        "wikilink",
    }
    empty = syntax in read_as_one
    for text in ["", " ", "\n\t "]:
        found = SYNTAXES[syntax](text)
        assert [one.reference for one in found] == [""] * empty
        assert all((one.start, one.end) == (len(text), len(text)) for one in found)


HOSTILE = ["(", "\\", '"', "/*", "url(", ",", "[", '{"a":', "{", "url('", "image-set(", "@namespace ", "a\\", "a ", "#"]


@pytest.mark.growth
@pytest.mark.parametrize("syntax", SYNTAXES)
@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_texts_take_linear_time(syntax, piece):
    text = piece * (300_000 // len(piece))
    with processor_limit(10):
        SYNTAXES[syntax](text)
        # Some tenths of a second; anything quadratic takes minutes.


def test_the_syntaxes_know_of_nothing_but_their_own_package():
    imported = set()
    for path in Path(package.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.level > 1:
                imported.add((path.name, node.module))
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
                imported |= {(path.name, name) for name in names if name.startswith("linkfix")}
    # Allowed imports: `linkfix.lazy`, the compiled search in CSS, and `linkfix.text`,
    # which is a syntax of its own. Encoded-words of header fields have a charset; delimiters are those of texts.
    imported = {(name, module) for name, module in imported if module != "linkfix.lazy"}
    assert imported == {
        ("css.py", "linkfix.kernels.css_skip"),
        *(("header_field.py", f"linkfix.{name}") for name in ("encodings.encoding", "text", "urls")),
        ("text.py", "linkfix"),
        ("url.py", "linkfix.urls"),
    }
