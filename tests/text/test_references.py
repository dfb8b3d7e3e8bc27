from __future__ import annotations

import re
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.growth import assert_linear, processor_limit
from support.vectors import SEEDS, needs_seeds, table

from linkfix.text import complete, escape, find, strip_delimiters, undelimited

#: The text in the RFC; the row of `appendix-e` has lost the line breaks within its references.
JIM = """Yes, Jim, I found it under "http://www.w3.org/Addressing/",
      but you can probably pick it up from <ftp://ds.internic.
      net/rfc/>.  Note the warning in <http://www.ics.uci.edu/pub/
      ietf/uri/historical.html#WARNING>."""
JIMS = [
    "http://www.w3.org/Addressing/",
    "ftp://ds.internic.net/rfc/",
    "http://www.ics.uci.edu/pub/ietf/uri/historical.html#WARNING",
]


def references(text, **how):
    return [found.reference for found in find(text, **how)]


class TestAppendixE:
    def test_its_paragraph_has_three_references(self):
        found = find(JIM)
        assert [one.reference for one in found] == JIMS
        assert [one.delimiter for one in found] == ["quotes", "brackets", "brackets"]
        assert [JIM[one.start : one.end] for one in found][1:] == [
            "ftp://ds.internic.\n      net/rfc/",
            "http://www.ics.uci.edu/pub/\n      ietf/uri/historical.html#WARNING",
        ]

    def test_its_paragraph_as_published(self):
        [(text, expected)] = table("appendix-e", "text", "references")
        assert references(text) == expected == JIMS

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("<http://a/b>", "http://a/b"),
            ("<URL:http://a/b>", "http://a/b"),
            ("<url: http://a/b >", "http://a/b"),
            ("<URI:http://a/b#c>", "http://a/b#c"),
            ('"URL:http://a/b"', "http://a/b"),
            ("<http://a/ b\t/c>", "http://a/b/c"),
            ("<\r\n  http://a/\r\n\tb\r\n>", "http://a/b"),
            ('"http://a/\n   b,"', "http://a/b,"),
            ("<http://a/b.>", "http://a/b."),
            ("<mailto:joe@a.example>", "mailto:joe@a.example"),
            ("<MAILTO:joe@a.example>", "MAILTO:joe@a.example"),
            ("<URL:../x>", "../x"),
            ("<URL:x?y#z>", "x?y#z"),
            ("<URL:#z>", "#z"),
            ("<URL:private:z>", "private:z"),
            ('"uri:/x"', "/x"),
        ],
    )
    def test_between_delimiters(self, text, expected):
        found = find(f"before {text}, after")
        assert [one.reference for one in found] == [expected]
        assert found[0].delimiter == ("quotes" if text[0] == '"' else "brackets")
        written = f"before {text}, after"[found[0].start : found[0].end]
        assert "".join(written.split()) == expected
        assert written == written.strip()

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("<http://a/b", "http://a/b"),  # nothing closes it
            ("<http://a/b\n\nc>", "http://a/b"),  # a paragraph ends
            ("<http://a/b|a label>", "http://a/b"),
            ('"http://a/b is it"', "http://a/b"),  # a quotation, no delimiters
            ('<http://a/b "c">', "http://a/b"),
            ('<a href="http://a/b">', "http://a/b"),
            ("<a href='http://a/b'>", "http://a/b"),
        ],
    )
    def test_white_space_ends_references_without_complete_delimiters(self, text, expected):
        assert references(text) == [expected]

    @pytest.mark.parametrize(
        "text", ["<../x>", '"../x"', "URL:../x", "<URL:>", "<x>", "<URL: >", "<http:>", "<note:x>", '"C:\\x"']
    )
    def test_a_relative_reference_needs_the_prefix_and_the_delimiters(self, text):
        assert references(text) == []

    def test_the_excluded_characters_end_it(self):
        """§2.4.3: control, space, delims and unwise; "#" and "%" have a meaning, and brackets are a host's in RFC 2732.

        So does a closing bracket without an opening one.
        """
        excluded = {*map(chr, range(0x20)), " ", "\x7f", *'<>#%"', *"{}|\\^[]`"}
        ends = {one for one in map(chr, range(0x80)) if references(f"http://a/b{one}c") == ["http://a/b"]}
        assert ends == excluded - {*"#%["} | {")"}

    @pytest.mark.parametrize(
        "end", [*".,;:!?'\"", "...", ").", "),", "]", "”", "»", "。", "）", "…", "—", "?!", "'.", "`"]
    )
    def test_punctuation_after_it_is_not_taken(self, end):
        assert references(f"http://a/b{end}") == ["http://a/b"]
        assert references(f"http://a/b{end} c") == ["http://a/b"]

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("(http://a/b)", ["http://a/b"]),
            ("(http://a/b_(c))", ["http://a/b_(c)"]),
            ("(see http://a/b_(c)_d.)", ["http://a/b_(c)_d"]),
            ("[x](http://a/b) [http://c/]", ["http://a/b", "http://c/"]),
            ("http://a/b[0](1)", ["http://a/b[0](1)"]),
            ("http://a/(b]c", ["http://a/(b"]),
            ("http://[::1]:80/x", ["http://[::1]:80/x"]),
            ("'http://a/','http://b/'", ["http://a/", "http://b/"]),
            ("*http://a/* _http://b/_ ~http://c/~", ["http://a/", "http://b/", "http://c/"]),
            ("http://a/b*c_d~e'f", ["http://a/b*c_d~e'f"]),
            ("http://a/{id}", ["http://a/"]),
            ("see:http://a/b", ["http://a/b"]),
            ("the end.http://a/b", ["http://a/b"]),
            ("git+ssh://a/b svn.x://a", ["git+ssh://a/b", "svn.x://a"]),
            ("unheard-of://a/b", ["unheard-of://a/b"]),
            ("HTTP://A/B", ["HTTP://A/B"]),
            ("mailto:joe@a.example, urn:isbn:1 URN:ISBN:1", ["mailto:joe@a.example", "urn:isbn:1", "URN:ISBN:1"]),
            ("file:/etc/hosts file:///etc/hosts", ["file:/etc/hosts", "file:///etc/hosts"]),
            ("href=mailto:joe@a.example", ["mailto:joe@a.example"]),
            ("tel:+1-816-555-1212.", ["tel:+1-816-555-1212"]),
        ],
    )
    def test_between_white_space(self, text, expected):
        assert references(text) == expected

    @pytest.mark.parametrize(
        "text",
        [
            *["note:this", "10:30", "C:\\x", "C:/x", "C://x", "std::x", "data::x", "INFO:root:x", "Data:x", "x: //y"],
            *[
                "joe@a.example",
                "<joe@a.example>",
                "http:",
                "http://",
                "http://...",
                "http:x",
                "http:///x",
                "file:x",
                "a.b",
            ],
            *[
                "/data:x",
                "$data:x",
                "my_data:x",
                "//a/b",
                "www.w3.org",
                "localhost:8080/x",
                "x" * 64 + "://a",
                ":://",
            ],
        ],
    )
    def test_text_without_references(self, text):
        assert references(text) == []

    def test_internationalized_references_and_the_punctuation_around_them(self):
        text = "访问http://例子.测试/路径？q＝1。又见《http://b.example/ä–ö》、“http://c.example/é”"
        assert references(text) == ["http://例子.测试/路径", "http://b.example/ä–ö", "http://c.example/é"]


class TestHyphens:
    """No whitespace should be introduced after a hyphen ("-") character. [...] the interpreter of a URI containing a
    line break immediately after a hyphen should ignore all unescaped whitespace around the line break, and should be
    aware that the hyphen may or may not actually be part of the URI.
    """

    @pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r", "  \n\t ", "\n    "])
    def test_between_delimiters(self, line_break):
        (found,) = find(f"<http://a/b-{line_break}c-d-{line_break}e>")
        assert (found.reference, found.alternatives) == ("http://a/b-c-d-e", ("http://a/bc-de",))
        assert found.hyphen

    def test_without_delimiters_the_next_line_may_belong_to_it(self):
        (found,) = find("http://a/b-\n  c, d")
        assert found.reference == "http://a/b-"
        assert found.alternatives == ("http://a/b-c", "http://a/bc")

    @pytest.mark.parametrize(
        "text", ["<http://a/b-c\nd>", "<http://a/b- c>", "http://a/b- c", "http://a/b-", "http://a/b-\n"]
    )
    def test_no_doubt_without_a_line_break_after_it(self, text):
        assert [found.hyphen for found in find(text)] == [False]

    def test_no_problem_if_the_next_line_begins_with_a_uri(self):
        assert [(one.reference, one.hyphen) for one in find("http://a/-\nhttp://b/")] == [
            ("http://a/-", False),
            ("http://b/", False),
        ]


class TestAppendixF:
    @pytest.mark.parametrize(
        ("text", "reference", "completed"),
        [
            ("www.w3.org/Addressing/.", "www.w3.org/Addressing/", "http://www.w3.org/Addressing/"),
            ("(WWW2.w3.org)", "WWW2.w3.org", "http://WWW2.w3.org"),
            ("<ftp.a.example/x>", "ftp.a.example/x", "ftp://ftp.a.example/x"),
            ('"www.a.\nexample"', "www.a.example", "http://www.a.example"),
            ("<URL:www.a.example>", "www.a.example", "http://www.a.example"),
            ("www.a.example:8080?q#f!", "www.a.example:8080?q#f", "http://www.a.example:8080?q#f"),
            ("www.a.example:x", "www.a.example", "http://www.a.example"),
            ("www.a.example,x", "www.a.example", "http://www.a.example"),
            ("www.bücher.example/ä", "www.bücher.example/ä", "http://www.bücher.example/ä"),
            ("www.a.xn--p1ai", "www.a.xn--p1ai", "http://www.a.xn--p1ai"),
        ],
    )
    def test_found_and_completed_on_request(self, text, reference, completed):
        assert [(one.reference, one.completed) for one in find(text, abbreviated=True)] == [(reference, completed)]
        assert complete(reference) == completed
        assert [one.completed for one in find(text)] == ([None] if "URL:" in text else [])

    @pytest.mark.parametrize(
        "text",
        [
            *["www.example", "ftp.exe", "www.a.b", "www.", "www..a.example", "www.joe.a@a.example", "x@www.a.example"],
            *["a.www.a.example", "/www.a.example", "my-www.a.example", "wwwx.a.example", "w3.org", "www.a.example@b"],
        ],
    )
    def test_text_without_abbreviated_references(self, text):
        assert find(text, abbreviated=True) == []

    @pytest.mark.parametrize("reference", ["http://www.a.example/", "../x", "", "a", "www.a.example,x", "www.a"])
    def test_other_references_are_not_completed(self, reference):
        assert complete(reference) is None

    def test_a_uri_that_contains_a_reference_is_one_reference(self):
        assert references("http://www.a.example/www.b.example", abbreviated=True) == [
            "http://www.a.example/www.b.example"
        ]


uris = st.builds(
    "{}://{}/{}".format,
    st.sampled_from(["http", "ftp", "gopher", "x-y.z"]),
    st.from_regex(r"[a-z0-9]{1,8}(\.[a-z]{2,5})?(:[0-9]{1,4})?", fullmatch=True),
    st.from_regex(r"([A-Za-z0-9/?&=;,.~_%é漢-]{0,20}[a-z0-9/])?", fullmatch=True),
)
wrappers = st.sampled_from(["<{}>", "<URL:{}>", "<uri: {} >", '"{}"', "({})", "{}", "{}.", "[{}],", "“{}”", "「{}」"])
between = st.sampled_from([" ", "\n", " and ", " - a (b) ", " joe@a.example ", "\t10:30 ", ' "q" ', " < 3 > 2 "])


class TestProperties:
    @given(st.lists(st.tuples(between, wrappers, uris), max_size=6), between)
    def test_known_uris_in_a_text_are_found_with_their_spans(self, pieces, last):
        text, expected = "", []
        for before, wrapper, uri in pieces:
            text += before + wrapper.partition("{}")[0]
            expected.append((uri, len(text), len(text) + len(uri)))
            text += uri + wrapper.partition("{}")[2]
        assert [(one.reference, one.start, one.end) for one in find(text + last)] == expected

    @given(uris, st.data())
    def test_a_uri_broken_within_brackets_is_whole(self, uri, data):
        cuts = data.draw(st.lists(st.integers(1, len(uri) - 1), max_size=3, unique=True).map(sorted))
        # A wrapped URI is not recognizable before the ":" of its scheme.
        cuts = [cut for cut in cuts if cut > uri.index(":") + 3]
        written = "".join(
            data.draw(st.sampled_from(["\n", "\r\n  ", " ", "\n\t"])) + uri[start:end]
            for start, end in zip([0, *cuts], [*cuts, len(uri)], strict=True)
        ).lstrip()
        (found,) = find(f"x <{written}> y")
        assert found.reference == uri
        assert found.hyphen == bool(re.search(r"-\s*[\r\n]", written))

    @given(st.text(alphabet="ab:/.-<>\"'()[] \n\rwURLhttp@é。", max_size=60), st.booleans())
    def test_spans_are_disjoint_and_hold_the_reference(self, text, abbreviated):
        done = 0
        for found in find(text, abbreviated=abbreviated):
            assert done <= found.start < found.end
            assert "".join(text[found.start : found.end].split()) == found.reference
            done = found.end

    @given(st.text(alphabet="ab/?#.,;'()[]*_<>\" \n\\{é。\u2028", max_size=20), st.sampled_from(['"{}"', "<{}>", "{}"]))
    def test_escaped_references_are_found_whole(self, tail, wrapper):
        delimiter = {"{}": "space", "<{}>": "brackets", '"{}"': "quotes"}[wrapper]
        url = escape(f"http://a.example/{tail}", delimiter)
        assert references("x " + wrapper.format(url) + " y") == [url]


#: Pieces that could make a search slow.
HOSTILE = [
    *[
        "a",
        ".",
        "a.",
        "a:",
        "data:",
        "<",
        '"',
        "'",
        "(",
        "<URL:",
        "<URL: ",
        "<http:",
        "://",
        "www.",
        "www.a.",
        "http://....",
    ],
    *["http://a(", "http://a)", '"http://a', "'http://a'", "http://a-\n", "<http://a\n", "<a:  ", " ", "é", "ab+c-d.e"],
]


class TestTime:
    @pytest.mark.growth
    @pytest.mark.parametrize("unit", HOSTILE)
    def test_grows_with_the_length_of_the_text(self, unit):
        assert_linear(lambda length: partial(find, unit * (length // len(unit)), abbreviated=True), 50_000)

    @pytest.mark.growth
    def test_a_hundred_megabytes_without_white_space(self):
        text = "x" * 50_000_000 + "://a" + "y" * 50_000_000
        with processor_limit(20):
            assert [(one.start, one.end) for one in find(text)] == []
            (found,) = find("http://" + text[-50_000_000:])
            assert found.end == 50_000_007


@needs_seeds
@pytest.mark.parametrize(
    ("name", "brackets", "quotes", "space", "some"),
    [
        ("001_1f79f2fb65a889bc.txt", 1, 0, 2, "http://www.w3.org/TR/webarch/"),
        ("002_2469b255e0259651.txt", 10, 2, 0, "http://www.ics.uci.edu/pub/ietf/html/"),
        ("003_dce64beaf347fbf3.txt", 6, 4, 54, "news:comp.infosystems.www.servers.unix"),
        ("004_0f522c65b0513d3d.txt", 15, 1, 0, "http://www.ics.uci.edu/dir/grad/Software/fielding"),
    ],
)
def test_references_in_the_texts_of_the_specifications(name, brackets, quotes, space, some):
    found = find((SEEDS / name).read_text("utf-8"))
    kinds = [one.delimiter for one in found]
    assert [kinds.count(kind) for kind in ("brackets", "quotes", "space")] == [brackets, quotes, space]
    assert some in [one.reference for one in found]


@pytest.mark.parametrize("function", [find, complete, strip_delimiters, undelimited])
@pytest.mark.parametrize(("wrong", "given"), [(b"x", "bytes: decode it first"), (None, "NoneType")])
def test_a_text_is_a_str(function, wrong, given):
    with pytest.raises(TypeError, match=rf"^the \w+ must be a str, not {given}$"):
        function(wrong)
    with pytest.raises(TypeError, match=rf"^the URL must be a str, not {given}$"):
        escape(wrong, "space")
