from __future__ import annotations

import re
from collections import Counter
from html import unescape
from itertools import pairwise

import markdown
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from support.growth import assert_linear

from linkfix.html.syntaxes import SYNTAXES
from linkfix.markdown import page as page_module
from linkfix.markdown import read_markdown
from linkfix.model import MarkdownDialect


def written(text, *kinds):
    """The source texts of the places of some kinds."""
    return [source(text, place) for place in read_markdown(text).places if place.kind in (kinds or "link")]


def source(text, place):
    return text.encode()[place.start : place.end].decode()


def found(text):
    """The references of a text, by kind: the decoded ones."""
    places = read_markdown(text).places
    return Counter(
        (place.kind, SYNTAXES["markdown"](source(text, place))[0].reference)
        for place in places
        if place.kind in {"link", "image", "definition"}
    )


def of_parser(text):
    """The same, by the tokens of another parser."""
    parser = MarkdownIt("commonmark", {"store_labels": True, "maxNesting": 40}).enable(["table", "strikethrough"])
    parser.normalizeLink = lambda url: url
    parser.validateLink = lambda _: True
    environment = {}
    counts = Counter()
    for block in parser.parse(text, environment):
        for token in block.children or ():
            if token.markup == "autolink" or "label" in token.meta:
                continue
            if token.type == "link_open":
                counts["link", token.attrs["href"]] += 1
            elif token.type == "image":
                counts["image", token.attrs["src"]] += 1
    definitions = [*environment.get("references", {}).items()]
    definitions += [(one["label"], one) for one in environment.get("duplicate_refs", [])]
    for label, one in definitions:
        if not label.startswith("^") and one["href"] not in {"", "#"}:
            counts["definition", one["href"]] += 1
    return counts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a](b.md)", ["b.md"]),
        ("[a](<b c.md> 'title')", ["b c.md"]),
        ("[a]( \n b.md\n'title')", ["b.md"]),
        ("[a]()", [""]),
        ("[a](<>)", [""]),
        ("[a](b\\)c(d))", ["b\\)c(d)"]),
        ("[a [b](c)](d)", ["c"]),
        ("[a](b", []),
        ("\\[a](b)", []),
        ("`[a](b)` ``[c](d) ` ``", []),
        ("    [a](b)", []),
        ("```\n[a](b)\n```", []),
        ("~~~ x\n[a](b)", []),
        ("<!-- [a](b) -->", []),
        ("<div>\n[a](b)\n</div>", []),
        ("<div>\n\n[a](b)\n\n</div>", ["b"]),
        ("# [a](b) #", ["b"]),
        ("#\t[#](#)\t###", ["#"]),
        ("[a](b)\n===", ["b"]),
        ("> - > [a](b)\nlazy [c](d)", ["b", "d"]),
        ("1.\ta\n\n\t[a](b)\n\t[c](d)", ["b", "d"]),
        ("- a\n\n      code [x](y)\n- [c](d)", ["d"]),
        ("*[a](b)* ~~[c](d)~~ **[e](f)**", ["b", "d", "f"]),
        ("x | y\n--|--\n[a](b) | [c](d)\n[e](f)", ["b", "d", "f"]),
        ("> | x |\n> |---|\n> | `\\|` [a](b\\|c) \\| [d](e) |", ["b\\|c", "e"]),
        ("|a|\n|-|\n| [x](y) | [too](many) |", ["y"]),
        ("[a](b)  \n[c](d)\\\n[e](f)", ["b", "d", "f"]),
        ("a\xa0\n[b](c)\xa0", ["c"]),
        ("\xa0\n\u3000[b](c)\n\x1c[d](e)\x85", ["c", "e"]),
        ("> \xa0\n> \xa0\n> [b](c)", ["c"]),
        ("x|y\n-|-\n\xa0|[a](b)", ["b"]),
        ("[ä](ö) [€](𝄞)", ["ö", "𝄞"]),
        ("[a\u2028](b\u2028c)\u2028# [d](e)", ["b\u2028c", "e"]),  # U+2028 ends no line
        # The examples of GFM's section "Tables" (198 to 205), with links.
        ("| [a](b) | bar |\n| --- | --- |\n| baz | [c](d) |", ["b", "d"]),
        ("| abc | [d](e) |\n:-: | -----------:\nbar | [a](b)", ["e", "b"]),
        ("| f\\|oo  |\n| ------ |\n| b `\\|` [a](b) |\n| b **\\|** [c](d) |", ["b", "d"]),
        ("| abc | def |\n| --- | --- |\n| bar | [a](b) |\n> [c](d)", ["b", "d"]),
        ("| abc | def |\n| --- | --- |\n| bar | baz |\n[a](b)\n\n[c](d)", ["b", "d"]),
        ("| abc | [a](b) |\n| --- |\n| bar | [c](d) |", ["b", "d"]),
        ("| abc | def |\n| --- | --- |\n| [a](b) |\n| bar | [c](d) | [e](f) |", ["b", "d"]),
        ("| abc | [a](b) |\n| --- | --- |", ["b"]),
    ],
)
def test_links(text, expected):
    assert written(text, "link") == expected
    assert found(text) == of_parser(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a](b\fc) [d](e\vf)", []),  # CommonMark §6.3: no ASCII control characters
        ("[a](\vb) [c](d\f) [e](f\v'g')", ["b", "d", "f"]),  # white space in GFM (0.29 §2.1), not in CommonMark 0.31
        ("[a](b\u2028c)", ["b\u2028c"]),
        ("<i>\n|-|-|\n[a](b)", []),  # raw HTML, which no line of a table ends
        ("<div>x\n|-|\n[a](b)\n\n[c](d)", ["d"]),
    ],
)
def test_links_that_other_parsers_read_in_other_ways(text, expected):
    """By the specifications: cmark-gfm has links with form feeds, and markdown-it has tables in raw HTML."""
    assert written(text, "link") == expected


@pytest.mark.parametrize(
    ("text", "references"),
    [
        ("[^1]: [é](b.md)\n[^2]: <bb:c>\n[^3]: ![d](e) '[f](g)'\n", ["b.md", "bb:c", "e", "g"]),
        ("> [^1]:\n>     [a](b.md)\n\n[^1]: [a](c.md)\n[^1]: d.md\n", ["b.md", "c.md"]),
        ("[^1]: `[a](b.md)`\n[^2]: see [a](c.md)\n", ["c.md"]),
    ],
)
def test_references_in_footnotes(text, references):
    assert written(text, "link", "image", "autolink", "definition") == references


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("![a](b)", [("image", "b")]),
        ("[![a](b)](c)", [("image", "b"), ("link", "c")]),
        ("![a [b](c) <i d> <http://e>](f)", [("image", "f")]),
        ("![![![![a](1)](2)](3)](4)", [("image", "4")]),
        ("[a]: b", [("definition", "b")]),
        ("[a]:\n   <b c>\n  'd'\n[e]: f", [("definition", "b c"), ("definition", "f")]),
        ("> [a\\]\n> b]: c\n\n[a\\] b]", [("definition", "c")]),
        ("[a]: b\n[A]: c\n\n[a] [a][] ![x][a]", [("definition", "b"), ("definition", "c")]),
        ("[a]: b c", []),
        ("[^1]: b\n[//]: # (a comment)\n[x]: <>", []),
        ("[a](b c) [d]\n\n[a]: x", [("definition", "x")]),
        ("<https://a.example/b*c> <me@example.com>", [("autolink", "https://a.example/b*c")]),
        ("a <b c='d'\ne> <script> </textarea> f", [("html", "<b c='d'\ne>")]),
        ("> a <b\n> c>", [("html", "<b"), ("html", "c>")]),
        ("- <div\n  id=a>\n  b", [("html", "<div"), ("html", "id=a>"), ("html", "b")]),
        ("-\t<p>\n\tb", [("html", "<p>"), ("html", "b")]),
    ],
)
def test_other_places(text, expected):
    assert [(place.kind, source(text, place)) for place in read_markdown(text).places] == expected
    assert found(text) == of_parser(text)


PIECES = st.sampled_from(
    [
        *["[", "]", "(", ")", "<", ">", "!", "a", "b.md", " ", "\n", "\n\n", "> ", "- ", "    ", "\t", "|", "\\", "`"],
        *["```", "*", "_", "# ", "[a](b)", "![a](b)", "\n\n[a]: x\n\n", "[a]", "\n===\n", "\n|-|-|\n", "<i>", "&amp;"],
        *["\u2028", "1. ", "'", '"', "[x](<y z>)", "~~", "\xa0", "<!--", "-->", "\\|", "{#i}", "é"],
    ]
)


@given(st.lists(PIECES, max_size=40).map("".join))
def test_the_places_of_any_text_are_those_of_another_parser(text):
    # The other parser sees a table in the first line of raw HTML, which is none in GFM.
    assume(not re.search(r"<.*\n[ >\t]*\|-\|-", text))
    page = read_markdown(text)
    assert not page.unplaced
    assert found(text) == of_parser(text)
    for place in page.places:
        assert 0 <= place.outer <= place.start <= place.end <= len(text.encode())
    html = [place for place in page.places if place.kind == "html"]
    assert all(one.end <= other.start for one, other in pairwise(html))


def test_a_place_that_is_not_that_of_the_text_is_not_used(monkeypatch):
    monkeypatch.setattr(page_module, "_same", lambda *_: False)
    page = read_markdown("a\n\n[b](c)")
    assert page.unplaced == [3]
    assert page.places == []


@pytest.mark.parametrize("mark", ["!!! note", '!!! x "A b"', "??? tip", "???+ tip", '=== "Tab"', '===! "Tab"'])
def test_indented_content_of_mkdocs(mark):
    text = f"# A\n\n{mark}\n\n    [b](c)\n\n    {mark}\n        d\n\n        [e](f)\n\n        ## G\n\n"
    text += "            [code](no)\n"
    assert written(text, "link") == ["c", "f"]
    assert [heading.text for heading in read_markdown(text).headings] == ["A", "G"]


@pytest.mark.parametrize("mark", ["!!!", "???", "==="])
def test_blocks_that_no_extension_reads(mark):
    text = f'{mark} "a"\n\n    [b](c)\n'
    assert len(read_markdown(text, MarkdownDialect(blocks=(mark,))).places) == 1
    others = tuple({"!!!", "???", "==="} - {mark})
    assert (
        read_markdown(text, MarkdownDialect(blocks=others)).places
        == read_markdown(text, MarkdownDialect(blocks=())).places
        == []
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$$ [m](x) $$", []),
        ("$$\n[m](x)\n$$\n\n[a](b)", ["b"]),
        ("a ($[m](x)$) b", []),
        ("> $$\n> [m](x)\n> $$", []),
        ("$[m](x)$ [a](b) $y$ [c](d)", ["b", "d"]),
        ("for $5 a [m](x) or $6 a [y](z)", ["x", "z"]),
        ("$5 [m](x) $6", ["x"]),
        ("US$[m](x)$", ["x"]),
        ("$[m](x)$5", ["x"]),
        ("\\$[m](x)$ \\$$ [a](b) $$", ["x", "b"]),
        ("$$ [m](x)\n\n$$ [a](b)", ["x", "b"]),
        ("`$$` [a](b) `$$` `$` [c](d) `$`", ["b", "d"]),
        ("$A `x` [a](b)$", ["b"]),
        ("    $$\n\n[a](b) $$", ["b"]),
    ],
)
def test_references_in_math(text, expected):
    data = text.encode()
    page = read_markdown(text, MarkdownDialect(has_math=True))
    assert [data[place.start : place.end].decode() for place in page.places] == expected
    assert len(read_markdown(text).places) == text.count("](")


@pytest.mark.growth
@pytest.mark.parametrize("unit", ["$", "$$", "$$ a\n", "$a", "$$\n  \n", "$[a](b) ", "$a$ "])
def test_math_takes_linear_time(unit):
    def prepare(size):
        text = "[a](b) " + unit * size
        return lambda: read_markdown(text, MarkdownDialect(has_math=True))

    assert_linear(prepare, 1000)


OWN = "https://github.com/o/r"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("é {}/blob/main/a.md.", ["{}/blob/main/a.md"]),
        ("({}/a) and *{}/b*", ["{}/a", "{}/b"]),
        ("{}/a_(b) ({}/c_(d))", ["{}/a_(b)", "{}/c_(d)"]),
        ("{}/a)!) {}/b&amp;&quot; {}/c;", ["{}/a", "{}/b", "{}/c;"]),
        ("{}", ["{}"]),
        ("{}.git {}-old/a {}s/b", []),
        ("HTTPS://GitHub.com/O/R/a", ["HTTPS://GitHub.com/O/R/a"]),
        ('see:{}/a x{}/b "{}/c', []),
        ("`{}/a` <{}/b>", ["{}/b"]),
        ("```\n{}/a\n```\n\n    {}/b\n", []),
        ("[{}/a](b)", ["b"]),
        ("[x]: {}/a\n\n[x]", ["{}/a"]),
        ("https://github.com/o/other/a https://h.example/{}", []),
        ("<p>\n{}/a\n</p>", []),
    ],
)
def test_bare_urls_of_one_place(text, expected):
    text = text.replace("{}", OWN)
    places = read_markdown(text, MarkdownDialect(bare_urls="github.com/o/r")).places
    found = [text.encode()[one.start : one.end].decode() for one in places if one.kind != "html"]
    assert found == [one.replace("{}", OWN) for one in expected]


@pytest.mark.growth
@pytest.mark.parametrize("unit", ["!", ")", "(", ";", "&a;", "&", ")!", f" {OWN}/", f"[{OWN}/a](b) "])
def test_bare_urls_take_linear_time(unit):
    def prepare(size):
        text = f"{OWN}/" + unit * size
        return lambda: read_markdown(text, MarkdownDialect(bare_urls="github.com/o/r"))

    assert_linear(prepare, 1000)


def of_python_markdown(text, *extensions):
    """The references of links and images in the HTML of Python-Markdown."""
    html = markdown.markdown(text, extensions=extensions)
    return [unescape(one) for one in re.findall(r'<(?:a href|img alt="[^"]*" src)="([^"]*)"', html)]


SPACED = [
    "[a](my page.md)",
    '[a](my page.md "title")',
    "![a](my pic.png 'a ti(tle')",
    "[a](a b (c).md)",
    "[a]( a b.md )",
    '[a](a "b" c.md)',
    "[a](it's b.md) and more",
    "[a](b's c.md \"it's\")",
    "[a](a (b.md and more",
    "`[a](b c)` \\[a](b c.md) [a]  (b c.md)",
    "[![i](a b.png)](c d.md)",
    "[`a`](x y.md) [b][] [c [d]](e f.md)",
    "# [a](b c.md)",
    "- x\n- [a](b c.md)\n\n> [a](ä ö.md)",
    "<div>\n[a](b c.md)\n</div>\n\n    [a](b c)\n",
    "x <i title=b> [a](<b c.md>) [a](b.md 'c') [a](b.md)",
    "[a\n\nb](c d.md) ](e f.md)",
    "[a](b.md (c))",
    "[a](b c.md",
]


@pytest.mark.parametrize("text", SPACED)
def test_destinations_with_spaces_are_those_of_python_markdown(text):
    places = [
        one for one in read_markdown(text, MarkdownDialect(has_spaces=True)).places if one.kind in {"link", "image"}
    ]
    expected = of_python_markdown(text)
    if text.startswith("[!["):  # the image in a link comes after it in the HTML
        expected.reverse()
    if text.endswith("(c))"):
        expected = ["b.md"]  # a title in parentheses is one for CommonMark only
    assert [source(text, place) for place in places] == expected
    for place in places:
        start = text.encode()[place.outer :]
        assert start.startswith((b"[", b"![") if place.kind == "link" else b"![")
    assert "<" in text or not any(" " in one for one in written(text))


IN_HTML = [
    "<div markdown>\n[a](b.md)\n</div>",
    '<div class="grid cards" markdown="1">\n- [a](b.md)\n\n</div>\n[c](d.md)',
    "<div markdown=block>\n# [a](b.md)\n<p>[x](no)</p>\n\n[c](d.md)\n</div>",
    "<div markdown='0'>\n[a](no)\n</div>\n\n[a](b.md)",
    "<div>\n<div markdown>\n[a](no)\n</div>\n</div>\n\n[a](b.md)",
    "<div markdown>\n<div>\n[a](no)\n</div>\n</div>\n\n[a](b.md)",
    "<div markdown>\n<div markdown>\n[a](b.md)\n</div>\n<div markdown>\n[c](d.md)\n</div>\n</div>",
    "<div markdown\n  class='ä'>\n[ä](ö.md)\n</div>",
    "<pre markdown>\n[a](no)\n</pre>",
    "<p markdown>\n[a](b.md)\n</p>\n\n<section markdown='span'>\n[a](b.md)\n</section>",
    "<div markdown>\n    [a](no)\n</div>",
    "<!--\n<div markdown>\n-->\n\n<div>\n[a](no)\n</div>",
    "<div>\n[a](no)\n</div>",
    "</div>\n<div markdown>\n[a](b.md)",
]


@pytest.mark.parametrize("text", IN_HTML)
def test_markdown_in_html_is_that_of_python_markdown(text):
    places = [one for one in read_markdown(text, MarkdownDialect(in_html=True)).places if one.kind == "link"]
    assert [source(text, place) for place in places] == of_python_markdown(text, "md_in_html")


def test_tags_around_markdown_keep_their_references_and_ids():
    text = "é\n\n<div markdown id=x style='background:url(a)'>\n## H\n</div>\n"
    page = read_markdown(text, MarkdownDialect(in_html=True))
    assert [source(text, one) for one in page.places] == ["<div markdown id=x style='background:url(a)'>"]
    assert [one.text for one in page.headings] == ["H"]


@pytest.mark.growth
@pytest.mark.parametrize(
    "unit",
    ["[a](b c", "[", "]( ", "[a](b c)", "[a](' ", '[a]("b) ', "((", "<div markdown>\n", "</div>\n", "<div markdown '"],
)
def test_links_of_python_markdown_take_linear_time(unit):
    def prepare(number):
        text = "<p markdown>\n" + unit * number
        return lambda: read_markdown(text, MarkdownDialect(has_spaces=True, in_html=True))

    assert_linear(prepare, 1000)


#: Titles of MkDocs' blocks, and the references that they have.
TITLES = [
    ('!!! note "see [x](b) ![y](c.png)"', ["b", "c.png"]),
    ('!!! note inline end "[x](b)"', ["b"]),
    ('!!! note "[x](b) and a `code"', ["b"]),
    ('!!! note "ä! `[x](no)`"', []),
    ('??? tip "a "b" [x](c \'d\')"', ["c"]),
    ('???+ tip "<https://a.example/b> [x][r]"', ["https://a.example/b"]),
    ('=== "[x](b)"', ["b"]),
    ('===! "![x](b)"', ["b"]),
    ('===+ "<a href=b>"', ["<a href=b>"]),
]


@pytest.mark.parametrize(("title", "expected"), TITLES)
@pytest.mark.parametrize("indentation", ["", "    "])
def test_titles_of_mkdocs_are_markdown(title, expected, indentation):
    mark = "- item\n\n" if indentation else ""
    text = f"{mark}{indentation}{title}\n{indentation}    body [y](z)\n"
    assert written(text, "link", "image", "autolink", "html") == [*expected, "z"]


def test_an_odd_backtick_in_a_title_without_links_changes_nothing():
    assert written('!!! note "the ` key"\n    `[a](no)` [b](c)') == ["c"]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("a {#b}", ["b"]),
        ("a {: #b .c } d {.e #f}", ["b", "f"]),
        ("a {b#c} {#} #d", []),
        ("`{#a}` no", ["a"]),  # code spans are not distinguished: an additional ID makes no false finding
        ("(target)=\n# Heading", ["target"]),
        ("(not)= here", []),
        # As pymdownx.blocks makes them.
        ("^a^{#\\_b} c", ["_b"]),
        ("/// html | div#a.b\nText\n///", ["a"]),
        ("//// figure-caption | #a-1\nText\n////", ["a-1"]),
        ("/// details | T\n    attrs: {class: a, id: 'own'}\nB\n///", ["own"]),
        ("a /// html | div#a", []),
        ("// html | div#a", []),
    ],
)
def test_the_ids_that_attributes_state(text, ids):
    assert read_markdown(text).ids == ids


@pytest.mark.parametrize(
    ("text", "is_generated"),
    [
        ("::: package.module\n    options:", True),
        ("::: mkdocs-click\n    :module: a", True),
        ("## ::: package", True),
        ("::: note\na\n:::\n\n::: tip", True),
        ("::: note\na\n:::", False),
        (":::note A title\na.b\n:::", False),
        ("<div>{{ macro }}</div>", True),
        ('--8<-- "a.md"', True),
        ("{% include a %}", True),
        ("{{ macro() }}", True),
        ("```\n{{ code }}\n```", False),
        ("`{{ code }}` and `{% more %}`", False),
        ("`{{ code }}` {{ macro }}", True),
    ],
)
def test_text_that_a_program_completes(text, is_generated):
    assert read_markdown(text).is_generated is is_generated


@pytest.mark.growth
@pytest.mark.parametrize(
    ("before", "piece"),
    [
        ("<div>\n", "<a "),
        ("<div>\n", "<!-- "),
        ("<div>\n", '<a "'),
        ("<div></div>é", "<p></p>"),
        ("<i>é</i>\n", "# a\n"),
    ],
)
def test_pieces_of_raw_html_take_linear_time(before, piece):
    def prepare(number):
        text = before + piece * number
        return lambda: read_markdown(text)

    assert_linear(prepare, 1000)
