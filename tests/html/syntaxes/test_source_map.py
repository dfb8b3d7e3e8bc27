from __future__ import annotations

import pytest
from support.growth import assert_linear

from linkfix.html.syntaxes import SYNTAXES
from linkfix.html.syntaxes.text import comment_start

NAME = "sourceMappingURL="
#: Scripts, and the URLs of their source maps by ECMA-426 §11.1.2.1 (as its tests have them, and V8's).
SCRIPTS = [
    (f"a()\n//# {NAME}a.js.map", "a.js.map"),
    (f"a()\n//@ {NAME}a.js.map\n\n", "a.js.map"),
    (f"a();//#{NAME}a.js.map \t\r\n// more\n/* comments */ ", "a.js.map"),
    (f"a()\n/*# {NAME}a.js.map */", "a.js.map"),
    (f"a()\n/*#\n {NAME}a*b.map*/", "a*b.map"),
    (f"//# {NAME}one.map\n//# {NAME}two.map", "two.map"),
    (f"//# {NAME}a.map\na()", None),
    (f"//# {NAME}a.map more", None),
    (f"// # {NAME}a.map", None),
    (f"//# {NAME}", None),
    (f"//# {NAME}data:application/json;base64,e30=", None),
    (f'x = "//# {NAME}" + f', None),
    (f'x = "\\n//# {NAME}a.map"', None),
    (f"x = `\n//# {NAME}a.map`", None),
    (f"x = `\n//# {NAME}a.map\n// `", None),
    (f"/*\n//# {NAME}a.map\n*/", None),
    (f"/*# {NAME}a.map", None),
    ("a()", None),
]


@pytest.mark.parametrize(("text", "expected"), SCRIPTS)
def test_scripts(text, expected):
    found = SYNTAXES["source-map"](text)
    assert [one.reference for one in found] == ([] if expected is None else [expected])
    assert [text[one.start : one.end] for one in found] == [one.reference for one in found]
    if found:
        data = text.encode()
        start = comment_start(data)
        assert data[start : start + 1] == b"/"
        assert [one.reference for one in SYNTAXES["source-map"](data[start:].decode())] == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [(f"a{{}}\n/*# {NAME}a.css.map */\n", ["a.css.map"]), (f"a{{}}\n//# {NAME}a.css.map", []), ("a{}", [])],
)
def test_style_sheets_have_comments_of_one_form(text, expected):
    assert [one.reference for one in SYNTAXES["css-source-map"](text)] == expected


def test_no_comment():
    assert comment_start(b"a()") == comment_start(NAME.encode()) == -1


@pytest.mark.growth
@pytest.mark.parametrize("piece", [f"//# {NAME}", f"//# {NAME}a\n", "/*", "// a\n", f"/*# {NAME}a*", " "])
def test_hostile_texts_take_linear_time(piece):
    def run(size):
        text = f"//# {NAME}a\n" + piece * (size // len(piece))
        return lambda: (SYNTAXES["source-map"](text), comment_start(text.encode()))

    assert_linear(run, 50_000)
