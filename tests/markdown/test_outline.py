from __future__ import annotations

import math
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.growth import assert_linear

import linkfix
from linkfix import Document
from linkfix.auditing import AuditOptions, audit
from linkfix.markdown import outline, page
from linkfix.markdown.outline import MAX_MARKDOWN

URL = "https://site.example/docs/page.md"


def document(data, **fields):
    return Document(data, url=URL, media_type="text/markdown", **fields)


def absolute(data, **fields):
    return document(data, **fields).absolutize()


def references(data, **fields):
    return [(link.element, link.attribute, link.reference) for link in document(data, **fields).links]


def codes(data, **fields):
    return [problem.code for problem in document(data, **fields).problems]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"[a](b.md)", b"[a](https://site.example/docs/b.md)"),
        (b"![a](<b c.png> 'd')", b"![a](<https://site.example/docs/b%20c.png> 'd')"),
        (b"[a]: b\r\n[c]: <d>\r\n", b"[a]: https://site.example/docs/b\r\n[c]: <https://site.example/docs/d>\r\n"),
        (b"[a](b\\_c&amp;d)", b"[a](https://site.example/docs/b_c&d)"),
        (b"[a](b\\)c)", b"[a](https://site.example/docs/b\\)c)"),
        (b"|x|\n|-|\n|[a](b\\|c)|", b"|x|\n|-|\n|[a](https://site.example/docs/b\\|c)|"),
        (
            b"a <a href=b>c</a>\n\n<img src='d'>",
            b"a <a href=https://site.example/docs/b>c</a>\n\n<img src='https://site.example/docs/d'>",
        ),
        (b"---\na: [x](y)\n---\n[a](b)", b"---\na: [x](y)\n---\n[a](https://site.example/docs/b)"),
        (b"+++\na = '[x](y)'\n+++\n[a](b)", b"+++\na = '[x](y)'\n+++\n[a](https://site.example/docs/b)"),
        (b'{\n"a": "[x](y)"\n}\n[a](b)', b'{\n"a": "[x](y)"\n}\n[a](https://site.example/docs/b)'),
        (
            "---\na: [é](y)\n---\r\n[é](b)".encode(),
            "---\na: [é](y)\n---\r\n[é](https://site.example/docs/b)".encode(),
        ),
        (b"---\n\n[a](b)\n\n---", b"---\n\n[a](https://site.example/docs/b)\n\n---"),
        (b"---\n[a](b)", b"---\n[a](https://site.example/docs/b)"),
        (b"\xef\xbb\xbf[a](b)", b"\xef\xbb\xbf[a](https://site.example/docs/b)"),
        (b"\xff\xc3\xa9 [\xff](<#\xff>) [a](b)", b"\xff\xc3\xa9 [\xff](<#\xff>) [a](https://site.example/docs/b)"),
        (b"a\r[b](c)\r\n[d](e)\n", b"a\r[b](https://site.example/docs/c)\r\n[d](https://site.example/docs/e)\n"),
        (b"x\0y [a](b)" + b" " * 2000, b"x\0y [a](b)" + b" " * 2000),  # binary
        (b"`[a](b)` <https://x.example/> [t](#t) [m](mailto:a@b)", None),
        (b"<style>a { b: url(c) }</style>\n", b"<style>a { b: url(https://site.example/docs/c) }</style>\n"),
        (b"prose has <style> in it, and [a](b)", b"prose has <style> in it, and [a](https://site.example/docs/b)"),
        (b"> <a title='\n> x' href=b>", b"> <a title='\n> x' href=https://site.example/docs/b>"),
        (b"<p>\n<a href='b\n\nc'>", None),
        (b"|a|\n|-|\n|<a href='b\\|c'>|", None),
        (b"<img src='\nb\n' alt>", b"<img src='\nhttps://site.example/docs/b\n' alt>"),
        (b"<img srcset='//a 1x,\n //b 2x'>", b"<img srcset='https://a/ 1x,\n https://b/ 2x'>"),
        (b"> <a href='b\n> c'>", None),  # the marks of the quotation are in the value
        (
            b"<base href='https://other.example/'>\n\n[a](b)",
            b"<base href='https://other.example/'>\n\n[a](https://site.example/docs/b)",
        ),
        (b'<iframe srcdoc="<a href=b>"></iframe>', b'<iframe srcdoc="<a href=https://site.example/docs/b>"></iframe>'),
    ],
)
def test_only_the_bytes_of_links_change(before, after):
    made = absolute(before)
    assert made == (before if after is None else after)
    assert absolute(made) == made


def test_a_text_is_returned_as_a_text():
    assert absolute("é [a](ü.md)") == "é [a](https://site.example/docs/%C3%BC.md)"
    assert linkfix.absolutize("[a](b)", URL, media_type="text/markdown") == "[a](https://site.example/docs/b)"


@pytest.mark.parametrize("charset", ["windows-1252", "shift_jis", "utf-16le", "gb18030", "koi8-r"])
def test_encodings(charset):
    text = "\u0444 [\u0444](\u0444.md) x [b](c)" if charset != "windows-1252" else "é [é](é.md) x [b](c)"
    codec = {"gb18030": "gb18030", "utf-16le": "utf-16-le", "koi8-r": "koi8_r"}.get(charset, charset)
    data = text.encode(codec)
    assert [one for *_, one in references(data, charset=charset)] == [text[text.index("](") + 2 : text.index(")")], "c"]
    assert absolute(data, charset=charset).decode(codec).endswith("[b](https://site.example/docs/c)")


def test_a_text_that_does_not_survive_its_encoding_is_skipped():
    data = b"\x81\xff [a](b)"
    assert absolute(data, charset="shift_jis") == data
    assert codes(data, charset="shift_jis") == ["encoding-round-trip"]


def test_elements_of_references():
    data = b"# [a](b) ![c](d)\n\n[e]: f\n\n<https://g.example/> <img src=h id=i>\n"
    assert references(data) == [
        ("a", "href", "b"),
        ("img", "src", "d"),
        ("a", "href", "f"),
        ("a", "href", "https://g.example/"),
        ("img", "src", "h"),
    ]
    link = document(data).links[1]
    assert (data[link.start : link.end], link.line, link.column, data[link.tag_start :][:2]) == (b"d", 1, 15, b"![")


def test_line_and_column_count_characters():
    (link,) = document("é\né [a](ü)".encode()).links
    assert (link.line, link.column, link.reference) == (2, 7, "ü")


class TestLimits:
    def test_a_large_file_is_skipped(self):
        data = b"[a](b) " * (MAX_MARKDOWN // 7 + 1)
        assert absolute(data) is data
        assert codes(data) == ["too-large"]

    def test_a_fault_of_the_parser(self, monkeypatch):
        class PanicException(BaseException):  # pyo3's: the parser raises it for a bug
            pass

        def fail(*_, **__):
            raise PanicException

        monkeypatch.setattr(outline, "read_markdown", fail)
        assert codes(b"[a](b)") == ["markdown-unread"]

    def test_no_other_exception_is_taken_for_a_fault_of_the_parser(self, monkeypatch):
        def fail(*_, **__):
            raise KeyboardInterrupt

        monkeypatch.setattr(outline, "read_markdown", fail)
        with pytest.raises(KeyboardInterrupt):
            codes(b"[a](b)")

    def test_a_missing_library_is_named(self, monkeypatch):
        page._parser.cache_clear()
        monkeypatch.setitem(sys.modules, "pyromark", None)
        (problem,) = document(b"[a](b)").problems
        assert problem.code == "extra-needed"
        assert "pip install pyromark" in problem.message

    def test_a_reference_without_a_place(self, monkeypatch):
        monkeypatch.setattr("linkfix.markdown.page._same", lambda *_: False)
        (problem,) = document(b"\n\n[a](b)").problems
        assert (problem.code, problem.line, problem.start) == ("markdown-unread", 3, 2)
        assert absolute(b"[a](b)") == b"[a](b)"


@given(st.text(st.sampled_from("[](a)<b>!\n\r |-#>`\\é\u2028&;:/*{}"), max_size=60))
def test_converting_twice_is_converting_once(text):
    data = text.encode()
    made = absolute(data)
    assert absolute(made) == made


PATTERNS = {
    "[": "[",
    "![": "![",
    "[a](": "[a](",
    "<": "<",
    "`": "`a``",
    "<a ": "<a ",
    "> ": "> ",
    "- ": "- ",
    "*a_": "*a_ ",
    "[a][": "[a][",
    "[![": "[![",
    "{#": "{#",
    "[x](y)": "é[x](y)",
    "<!--": "a <!--",
    "[a]: x": "[a]: x\n",
    "|": "|a\n|-\n",
    "[\n": "[\n",
    "# a": "# a\n",
    "<div>": "<div>\n",
    "data:": "A",
    "head": "# {a\n",
    "&": "[x](&a)",
    "<![CDATA[": "<![CDATA[",
    "(": "[x](" + "(" * 30,
    "emphasis": "*a **a ",
    "strikethrough": "~~a ",
    "[a]": "[a] ",
    "![a](b)": "![a](b) ",
    "<a href>": "<a href=b>",
    "<pre>": "<pre>",
    "<?": "a <?",
    "1. ": "1. ",
    "> - ": "> - ",
    "\\": "\\",
    "&amp;": "&amp;",
    "[^a]": "[^a]",
}

#: Name -> a function from a size to a text that is no repetition of one piece.
TEXTS = {
    "columns": lambda size: "|a" * size + "|\n" + "|-" * size + "|\n" + "|[a](b)" * size,
    "missing cells": lambda size: "|a" * 300 + "|\n" + "|-" * 300 + "|\n" + "|[a](b)\n" * size,
    "runs of backticks": lambda size: " ".join("`" * number for number in range(1, math.isqrt(size * 20))),
    "deeper quotations": lambda size: "\n".join("> " * number + "a" for number in range(math.isqrt(size * 20))),
    "deeper lists": lambda size: "\n".join("  " * number + "- a" for number in range(math.isqrt(size * 20))),
    "definitions": lambda size: "".join(f"[a{number}]: x\n" for number in range(size)),
    "uses": lambda size: "".join(f"[a{number}]: x\n\n[a{number}] " for number in range(size)),
    "a long heading": lambda size: "# " + "a [b](c) " * size,
    "a heading of many lines": lambda size: "a [b](c)\n" * size + "===\n",
    "metadata": lambda size: "---\n" + "a: b\n" * size + "---\n",
}


@pytest.mark.growth
@pytest.mark.parametrize("name", PATTERNS)
def test_no_text_takes_more_than_its_length(name):
    def prepare(size):
        data = (PATTERNS[name] * size).encode()
        return lambda: document(data).links

    assert_linear(prepare, 500)


@pytest.mark.growth
@pytest.mark.parametrize("name", TEXTS)
def test_no_text_of_many_pieces_takes_more_than_its_length(name):
    def prepare(size):
        data = TEXTS[name](size).encode()
        return lambda: (document(data).links, absolute(data))

    assert_linear(prepare, 500)


@pytest.mark.growth
@pytest.mark.parametrize("name", [*PATTERNS, *TEXTS])
def test_no_audit_of_a_text_takes_more_than_its_length(tmp_path, name):
    def prepare(size):
        text = TEXTS[name](size) if name in TEXTS else PATTERNS[name] * size
        (tmp_path / "a.md").write_text(text, "utf-8")
        return lambda: audit(str(tmp_path), AuditOptions(base_url=URL))

    assert_linear(prepare, 500)
