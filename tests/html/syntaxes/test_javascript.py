"""Imports of scripts, compared with tree-sitter's grammar of JavaScript if it is installed."""

from __future__ import annotations

import sysconfig
from itertools import islice
from pathlib import Path

import pytest
import tree_sitter
import tree_sitter_javascript
from hypothesis import given, settings
from hypothesis import strategies as st
from support.growth import assert_linear
from support.sizes import examples

from linkfix.html.syntaxes import SYNTAXES
from linkfix.html.syntaxes.javascript import decode, escape

find = SYNTAXES["javascript"]
PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_javascript.language()))


def ours(text):
    return [text[found.start : found.end] for found in find(text) if found.role != "resource"]


def theirs(text):
    """The raw specifiers of imports, and whether the text has errors."""
    data = text.encode()
    tree = PARSER.parse(data)
    specifiers, pending = [], [tree.root_node]
    while pending:
        node = pending.pop()
        source = None
        if node.type in {"import_statement", "export_statement"}:
            source = node.child_by_field_name("source")
        elif node.type == "call_expression" and node.child_by_field_name("function").type == "import":
            arguments = [one for one in node.child_by_field_name("arguments").named_children if one.type != "comment"]
            if arguments and arguments[0].type in {"string", "template_string"}:
                is_whole = all(one.type != "template_substitution" for one in arguments[0].children)
                source = arguments[0] if is_whole else None
        if source is not None:
            specifiers.append(data[source.start_byte + 1 : source.end_byte - 1].decode())
        pending.extend(reversed(node.children))
    return specifiers, tree.root_node.has_error


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('import a from "./a.js"', ["./a.js"]),
        ("import'./a.js'", ["./a.js"]),
        ('import * as a from "/a.js";', ["/a.js"]),
        ('import a, * as b from "../a.js";', ["../a.js"]),
        ('import a, {b as c, "d e" as f, default as g,} from "./a.js" with {type: "json"}', ["./a.js"]),
        ("import {} from './a.js'", ["./a.js"]),
        ("import/**/a/*\n*/from//\n'./a.js'", ["./a.js"]),
        ('import from from "./a.js"', ["./a.js"]),
        ('import as, {as, as as as, from} from "./a.js"', ["./a.js"]),
        ('import source a from "./a.js"; import source from "./b.js"; import source from from "./c.js"', "abc"),
        ('import defer * as a from "./a.js"', ["./a.js"]),
        ('import \\u0061b from "./a.js"; import é from "./b.js"; import $ from "./c.js"', "abc"),
        ('export * from "./a.js"; export * as b from "./b.js"; export * as "x y" from "./c.js"', "abc"),
        ('export {a, b as c, d as "e"} from "./a.js"; export {x}; export default "./no.js"', ["./a.js"]),
        ('export const a = "./no.js"; export function from() {}; import "./a.js"', ["./a.js"]),
        ("import('./a.js'); import(/* webpackChunkName: 'x' */ \"./b.js\", {with: {}}); import(`./c.js`)", "abc"),
        ("x = async () => (await import('./a.js')).default", ["./a.js"]),
        ("import.defer('./a.js'); import.source('./b.js')", ["./a.js", "./b.js"]),
        ("import('./a' + x); import(`./${x}`); import(x); import()", []),
        ("a.import('no'); a . import('no'); a?.import('no'); ({import: 'no'}); class A { import() {} }", []),
        ("[...import('./a.js')]", ["./a.js"]),
        ("reimport('no'); $import('no'); import_('no'); \\u0061import('no'); éimport('no'); x.#import('no')", []),
        ("// and so on.\nimport './a.js'", ["./a.js"]),
        ("`${import('./a.js')} import('no') ${`${import(`./b.js`)}` + {a: {}}} import('no')`", ["./a.js", "./b.js"]),
        ("'import(\"no\")'; \"import 'no'\"; `import 'no'`; /import('no')/; // import('no')\n/* import('no') */", []),
        ("'\\'import(\"no\")'; \"\\\nimport('no')\"; import('./a.js')", ["./a.js"]),
        ("a = b / import('./a.js') / c; d = /[/'\"]import('no')/; e = f[0] / '/'; import('./b.js')", "ab"),
        ("if (a) /'/.test(b); while (a) /'/; for (;;) /'/; (a) / 2; import('./a.js'); '/'", ["./a.js"]),
        ("return /'/; typeof /'/; x = y.return / 2; x = y.typeof / 2; case_ / 2; import('./a.js'); '/'", ["./a.js"]),
        ("x++ / 2; x-- / 2; +/'/; -/'/; 1. / 2; [.../'/]; import('./a.js'); '/'", ["./a.js"]),
        ("{} /'/; x = {} / 2; a => {}\n/'/; x = () => ({}) / 2; ({}) / 2; import('./a.js'); '/'", ["./a.js"]),
        ("for (const a of /'/) ; of / 2; x = `a` / 2; 'a' / 2; import('./a.js'); '/'", ["./a.js"]),
        ("a\n/* c */ / 2; a // c\n / 2; = /* c */ /'/; import('./a.js'); '/'", ["./a.js"]),
        ("#!/usr/bin/env node 'it'\nimport './a.js'", ["./a.js"]),
        ("<!-- it's\nimport('./a.js')\n--> it's\nimport('./b.js'); x-->y; a<!--b\nimport('./c.js')", "abc"),
        ("\ufeffimport './a.js'", ["./a.js"]),
        ("{ import './no.js' } (import './no.js')", []),
        ("import './a.js'; 'unclosed\nimport './no.js'", ["./a.js"]),
        ("import './a.js'; /* import './no.js'", ["./a.js"]),
        ("import './a.js'; ` import './no.js'", ["./a.js"]),
        ("import './a.js'; x = /unclosed\nimport './no.js'", ["./a.js"]),
        ("import './a.js'; } import './no.js'", ["./a.js"]),
        ("import './a.js", []),
        ("import a from './a.js\n'", []),
        ("import type {A} from './a.js'", []),
        ("const a = <p>it's JSX</p>;\nimport './no.js'", []),
        ("imports('no'); exports.from = 'no'; export { a } ; from = 'no'", []),
    ],
)
def test_imports_are_found(text, expected):
    assert ours(text) == (list(expected) if not isinstance(expected, str) else [f"./{name}.js" for name in expected])


def test_a_specifier_that_is_no_url_that_browsers_load_is_bare():
    text = "".join(
        f"import '{one}';"
        for one in (
            "./a",
            "../a",
            "/a",
            "//h/a",
            "https://h/a",
            "data:text/javascript,1",
            "lodash",
            "node:fs",
            ".a",
            "",
        )
    )
    kinds = [found.kind for found in find(text)]
    assert kinds == ["specifier"] * 6 + ["bare"] * 4


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("new URL('a.png', import.meta.url)", ["a.png"]),
        ('new  URL( "../a/b.wasm?x#y" , import . meta . url )', ["../a/b.wasm?x#y"]),
        ("new URL('./', import.meta.url); new URL('api/x', import.meta.url); new URL('..', import.meta.url)", []),
        ("new URL(x, import.meta.url); URL('a.png', import.meta.url); f('a.png', import.meta.url)", []),
        ("new URL('a.png', import.meta.url + x); renew URL('a.png', import.meta.url); import.meta.env", []),
        ("// new URL('a.png', import.meta.url)\n'new URL(\"a.png\", import.meta.url)'", []),
    ],
)
def test_files_that_are_named_by_the_script_s_own_url(text, expected):
    assert [(found.reference, found.role) for found in find(text)] == [(one, "resource") for one in expected]


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (r"./\u002e\x61\u{1F600}\n\'\0", "./.a\U0001f600\n'\0"),
        (r"\ud83d\ude00", "\U0001f600"),
        ("a\\\r\nb\\\u2028c", "abc"),
        (r"\u{110000}\q\ud800", "q\ud800"),
    ],
)
def test_escapes_of_strings(raw, value):
    assert decode(raw) == value


@given(st.text())
def test_an_escaped_text_is_read_back(text):
    assert decode(escape(text)) == text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


_CODE = st.sampled_from(
    [
        *(
            'import "./a";',
            "import b from './b'\n",
            'export {c} from "./c";',
            'export * from "./d";',
            'f(import("./e"));',
        ),
        *(
            "\"import 'n'\";",
            "`import 'n'`;",
            "/* import 'n' */",
            "// import 'n'\n",
            "x = /import 'n'/;",
            "x = a / b / c;",
        ),
        *(
            "if (a) { b }\n",
            "if (a) /'/.test(b);\n",
            "g({h: 1});",
            "x = {i: 1};",
            "x = (1 + 2) / 3;",
            "function j() { return /'/ }\n",
        ),
        *(
            "class K { l() {} }\n",
            "x = `${m + `${n}`}`;",
            "x = y => ({});",
            "x = [/[/'\"]/g];",
            "x = o++ / 2;",
            "p: for (;;) {}\n",
        ),
        *(
            "x = q ? /'/ : 1;",
            "throw /'/;",
            "({}) / 1;",
            "x = typeof /'/;",
            "x = 'it\\'s' / 1;",
            "s.import('n');",
            "x = {a: 1} / 2;",
            "a ? {} : /'/;",
            "do /'/.x; while (0)\n",
            "for (const b of /'/g) {}",
            "x = a\n/b/c;",
            "async () => { await /'/ };",
            "x = `${{}}` / 1;",
            "x = class { static { } m() { return /'/ } };",
            "switch (a) { case /'/: break; default: /'/ }",
            "x ||= /'/;",
            "x = a ?? /'/;",
            "x = !/'/;",
            "({ import: 1, get import() { return 2 } });",
            "label: { }\n/'/;",
            "x = .5 / 2;",
            "\n",
            " ",
        ),
    ]
)


@settings(deadline=None, max_examples=examples(300))
@given(st.lists(_CODE, max_size=12).map("".join))
def test_generated_scripts_have_the_imports_that_another_parser_sees(text):
    expected, has_errors = theirs(text)
    if not has_errors:
        assert ours(text) == expected


def _scripts():
    roots = [Path(sysconfig.get_paths()["purelib"]), *map(Path, ("/usr/share/javascript", "/usr/share/nodejs"))]
    roots += [Path("/usr/lib/node_modules"), Path("/usr/local/lib/node_modules")]
    found = (path for root in roots for path in sorted(root.rglob("*")) if path.suffix in {".js", ".mjs"})
    return list(islice((path for path in found if path.is_file() and path.stat().st_size < 1 << 19), 2000))


@pytest.mark.slow
def test_scripts_of_this_computer_have_the_imports_that_another_parser_sees():
    seen = 0
    for path in _scripts():
        text = path.read_bytes().decode("utf-8", "replace")
        if "import" in text or "export" in text:
            expected, has_errors = theirs(text)
            if not has_errors:
                seen += 1
                assert ours(text) == expected, path
    if not seen:
        pytest.skip("no JavaScript on this computer")


@pytest.mark.growth
@pytest.mark.parametrize(
    "piece",
    [
        *(
            "import ",
            "import{",
            "import/*",
            "import(",
            "import a,",
            "import from ",
            "export{",
            "export*",
            "{import,",
            "import{a,",
        ),
        *(
            "import('a')",
            "new URL('a.b',import.meta.url)",
            ",import.meta.url)",
            "a/",
            "/a",
            "}/",
            "{}/",
            "`${",
            "`",
            "<!--",
            "-->",
        ),
        *("import\u2028", "import defer ", "import source a ", "\\u", "import'a';", "export*from'a';"),
    ],
)
def test_hostile_scripts_take_linear_time(piece):
    def run(size):
        text = piece * (size // len(piece)) + ";import('./x')"
        return lambda: find(text)

    assert_linear(run, 20_000)
