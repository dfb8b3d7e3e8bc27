"""What README and docs show works: Python in a fresh interpreter, commands with the output that is shown.

Blocks that are parts of the scripts in examples/ are run as these (test_examples.py, hooks/test_recipes.py); README's
two commands are run by .ci/run; settings and comments of docs/audit.md are in audit/test_docs.py.
"""

from __future__ import annotations

import ast
import re
import shlex
import subprocess
import sys

import pytest
from support.documentation import PAGES, blocks, examples_with
from support.paths import CHECKOUT, FIXTURES
from support.running import ENVIRONMENT, bash

#: What the names in the blocks stand for.
PRELUDE = """
import lxml.html
html = '<base href="/b/"><a href="x">x</a>'
base, reference = "https://example.com/a/b", "../x"
text = "see http://a.example/x"
tree = lxml.html.document_fromstring(html)
"""
#: What "…" stands for, where blocks leave something to the reader.
LEFT_OUT = {
    "url=…": 'url="https://example.com/dir/page.html"',
    "charset=…": 'charset="utf-8"',
    "lambda link: …": "lambda link: link.target",
}
PYTHON = [block for page in PAGES for block in blocks(page, "python") if not examples_with(block)]
#: Commands that are not run, as expressions, and why.
NOT_RUN = {
    r"python bench/.*": "the output is the figures of one machine",
    r"CC=/bin/false pip install .*": "it installs the package; html/test_compiled.py holds the warning",
    r"CFLAGS=-O0 python setup\.py .*|gdb .*": "they need a compiler and a debugger",
}
#: The files that commands name and that are not in the checkout -> which of the fixtures is one.
FILES = {"crawl.warc.gz": "warc/site.warc.gz"}

#: In the comment after a statement: an attribute of what it gives, or of the module whose function it calls.
ATTRIBUTE = re.compile(r"(?<![\w)])\.(\w+)")


def filled(code):
    for left_out, meant in LEFT_OUT.items():
        code = code.replace(left_out, meant)
    return code


def statements(block):
    """The block's imports, and each other statement with what its comment says that it has."""
    code = filled(block.text)
    lines = code.splitlines()
    imports, others = [], []
    for node in ast.parse(code).body:
        source = ast.get_source_segment(code, node)
        if isinstance(node, ast.Import | ast.ImportFrom):
            imports.append(source)
        elif isinstance(node, ast.Expr | ast.Assign):
            comment = lines[node.end_lineno - 1][node.end_col_offset :]
            others.append((source, ATTRIBUTE.findall(comment)))
    return "\n".join(imports), others


STATEMENTS = [
    pytest.param(imports, statement, attributes, id=f"{block}-{statement[:40]}")
    for block in PYTHON
    for imports, others in [statements(block)]
    for statement, attributes in others
]


def interpreted(*code):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", "\n".join(code)],
        capture_output=True,
        env=ENVIRONMENT,
        timeout=60,
        check=False,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("block", PYTHON, ids=str)
def test_a_block_of_python_runs(block):
    interpreted(PRELUDE, filled(block.text))


@pytest.mark.parametrize(("imports", "statement", "attributes"), STATEMENTS)
def test_a_statement_runs_by_itself_and_gives_what_is_said(imports, statement, attributes):
    """Nothing but the block's own imports comes before it: one statement imports nothing for the next."""
    result = re.sub(r"^\w+ = ", "", statement)
    owner = result.partition("(")[0].rpartition(".")[0]
    interpreted(
        PRELUDE,
        imports,
        f"result = {result}",
        "result = result[0] if isinstance(result, list) else result",
        f"for name in {attributes}:",
        f"    assert hasattr(result, name) or hasattr({owner}, name), name",
    )


def commands(block):
    """(command, the output that is shown after it) of a block."""
    found = []
    for line in block.text.splitlines(keepends=True):
        if line.startswith("$ "):
            found.append([line[2:].rstrip("\n"), ""])
        else:
            found[-1][1] += line
    return found


def pattern(shown):
    """An expression for the output: "⋮" stands for lines that are left out; seconds and the kind of build differ."""
    return "".join(
        "(?:.*\n)*" if line.strip() == "⋮" else line_pattern(line) for line in shown.splitlines(keepends=True)
    )


def line_pattern(line):
    expression = re.sub(r"in\\ \d+\\\.\d+\\ s", r"in [\\d.]+ s", re.escape(line))
    return expression.replace(r"\(compiled\)", r"\((?:compiled|plain)\)")


CONSOLE = [block for page in PAGES for block in blocks(page, "console")]


@pytest.fixture
def folder(tmp_path):
    """A folder like the checkout, where `linkfix` is the command that is tested."""
    (tmp_path / "fixtures").symlink_to(FIXTURES)
    (tmp_path / "examples").symlink_to(CHECKOUT / "examples")
    for name, fixture in FILES.items():
        (tmp_path / name).write_bytes((FIXTURES / fixture).read_bytes())
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "linkfix"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m linkfix "$@"\n', "ascii")
    program.chmod(0o755)
    return tmp_path


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="commands are written for a Unix shell")
@pytest.mark.parametrize("block", CONSOLE, ids=str)
def test_commands_give_the_output_that_is_shown(block, folder):
    for command, shown in commands(block):
        if any(re.fullmatch(expression, command) for expression in NOT_RUN):
            continue
        if command.startswith("cat "):
            (folder / command.removeprefix("cat ")).write_text(shown, "utf-8")
        done = bash(f'PATH="$PWD/bin:$PATH"; {command} 2>&1', folder)
        output = done.stdout.decode()
        if shown:
            assert re.fullmatch(pattern(shown), output), output
        else:
            assert done.returncode == 0, output


def test_every_command_that_is_not_run_is_still_there():
    shown = [command for block in CONSOLE for command, _ in commands(block)]
    for expression in NOT_RUN:
        assert any(re.fullmatch(expression, command) for command in shown), expression
    assert len(shown) > 10
    assert len(PYTHON) > 0
