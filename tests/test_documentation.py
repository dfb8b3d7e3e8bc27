"""The examples in README and on the site work: Python in a fresh interpreter, commands with the output shown.

Blocks that are parts of the scripts in examples/ are run as these (test_examples.py, hooks/test_recipes.py); README's
two commands are run by .ci/run. `ELSEWHERE` says which test has the blocks that are neither. The blocks of a tutorial
are followed from the first to the last, in one folder.
"""

from __future__ import annotations

import ast
import contextlib
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time

import click
import pytest
from support.documentation import PAGES, PRELUDE, all_blocks, blocks, examples_with
from support.each import for_each
from support.paths import CHECKOUT, FIXTURES, TESTS
from support.prose import faults, sentences
from support.running import ENVIRONMENT, bash, run

import linkfix
from linkfix.auditing.rules import rules
from linkfix.cli import COMMANDS, cli
from linkfix.cli.help import Command

#: Each is followed as a whole.
TUTORIALS = [page for page in PAGES if page.parent.name == "tutorials"]
SINGLE = [page for page in PAGES if page not in TUTORIALS]
PYTHON = [block for page in SINGLE for block in blocks(page, "python") if not examples_with(block)]
#: Commands that are not run, as expressions, and why.
NOT_RUN = {
    r"(\S*/)?pip install .*|python3? -m venv .*|\. \.venv/bin/activate": "they make an environment, as .ci/run does",
    r"(\S*/)?python bench/.*|bash fuzz/.*|(\S*/)?python -m fuzz.*": "it prints one machine's figures, or takes minutes",
    r"CC=/bin/false pip install .*": "it installs the package; kernels/test_compiled.py holds the warning",
    r"(LINKFIX_\w+=1 )?(\S*/)?python setup\.py .*|CFLAGS=-O0 .*": "a build takes a minute; .ci/run builds so",
    r"lychee .*": "it asks hosts; audit/test_external.py runs these commands with a server of its own",
    r"wget .*|linkfix audit mirror .*": "the same",
    r"gdb .*|perf .*|cython .*": "they need a compiler, a debugger, or a profiler",
    r"find linkfix -name '\*\.so' -delete.*": "it would delete what is tested",
    r"(LINKFIX_\w+=\w+ )?\S*/(pytest|ruff|pyright|sphinx-build) .*": "tests, lint, the site; .ci/run runs them",
    r"bash \.ci/run .*": "it runs these tests",
    r"\S*python docs/make_files\.py": "it writes into the checkout; cli/test_published.py compares its files",
}
#: The files that commands name and that are not in the checkout -> which of the fixtures is one.
FILES = {"crawl.warc.gz": "warc/site.warc.gz", "page.html": "site/docs/guide/intro.html"}
#: The folders in commands that are not in the checkout; each has a page.
FOLDERS = (
    *("public", "javascript", "api/public", "docs/build", "blog/public", "_site"),
    *("docs/_build/html", "docs/.vitepress/dist"),
)
#: A language, and a page that has it -> the test that its blocks are in.
ELSEWHERE = {
    ("sh", "README.md"): "../.ci/run",
    ("toml", "docs/audit.md"): "audit/test_docs.py",
    ("html", "docs/audit.md"): "audit/test_docs.py",
    ("text", "docs/audit.md"): "audit/test_docs.py",
    ("cython", "docs/compiled.md"): "kernels/test_compiled.py",
    ("text", "docs/architecture.md"): "test_architecture.py",
    ("bash", "docs/scale.md"): "spark/test_scripts.py",
    ("text", "docs/install.md"): "test_public.py",
}

#: In the comment after a statement: an attribute of its result, or of the module whose function it calls.
ATTRIBUTE = re.compile(r"(?<![\w)])\.(\w+)")


def statements(block):
    """The block's imports, and each other statement with the value in its comment."""
    code = block.text
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
    interpreted(PRELUDE, block.text)


@pytest.mark.parametrize(("imports", "statement", "attributes"), STATEMENTS)
def test_a_statement_runs_alone_with_the_documented_result(imports, statement, attributes):
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


def is_run(command):
    return not any(re.fullmatch(expression, command) for expression in NOT_RUN)


def check(command, shown, done):
    """Fail unless a command printed the lines that are shown; with none, or only "⋮", it must succeed."""
    output = done.stdout.decode()
    if shown.strip() in {"", "⋮"}:
        assert done.returncode == 0, output
    assert done.returncode in {0, 1}, output  # 1: a finding; more: a refused command
    if shown:
        assert re.fullmatch(pattern(shown), output), f"$ {command}\n{output}"


def pattern(shown):
    """An expression for the output: "⋮" replaces lines that are left out; seconds and the kind of build differ."""
    return "".join(
        "(?:.*\n)*" if line.strip() == "⋮" else line_pattern(line) for line in shown.splitlines(keepends=True)
    )


def line_pattern(line):
    expression = re.sub(r"in\\ \d+\\\.\d+\\ s", r"in [\\d.]+ s", re.escape(line))
    return expression.replace(r"\(compiled\)", r"\((?:compiled|plain)\)")


CONSOLE = [block for page in SINGLE for block in blocks(page, "console")]


@pytest.fixture
def folder(tmp_path):
    """A folder like the checkout, where `linkfix` is the command that is tested."""
    (tmp_path / "fixtures").symlink_to(FIXTURES)
    (tmp_path / "examples").symlink_to(CHECKOUT / "examples")
    for name, fixture in FILES.items():
        (tmp_path / name).write_bytes((FIXTURES / fixture).read_bytes())
    for name in FOLDERS:
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "index.html").write_text("<title>t</title><a href=index.html>here</a>")
    (tmp_path / "bin").mkdir()
    for name, module in (("linkfix", "-m linkfix"), ("python", ""), ("python3", "")):
        program = tmp_path / "bin" / name
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {module} "$@"\n', "ascii")
        program.chmod(0o755)
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "bin").symlink_to(tmp_path / "bin")
    return tmp_path


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="commands are written for a Unix shell")
@pytest.mark.parametrize("block", CONSOLE, ids=str)
def test_commands_print_the_documented_output(block, folder):
    if "absolute/" in block.text and block.page == "README.md":  # README's first command makes it
        convert(folder)
    follow(block, folder)


def follow(block, folder):
    """Run the commands of a block; `cat FILE` shows a file that the reader makes."""
    for command, shown in commands(block):
        if not is_run(command):
            continue
        if re.fullmatch(r"cat \S+", command):
            file = folder / command.removeprefix("cat ")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(shown, "utf-8")
        check(command, shown, bash(f'PATH="$PWD/bin:$PATH"; {command} 2>&1', folder))


def convert(folder):
    """Run the conversion of README's first command."""
    _, _, conversion = blocks(CHECKOUT / "README.md", "sh")[0].text.rpartition("&&")
    return bash(f"{conversion.strip()} --strict 2>&1", folder)


@pytest.mark.skipif(sys.platform == "win32", reason="commands are written for a Unix shell")
def test_the_first_command_ends_without_a_problem_and_leaves_nothing_to_git(folder):
    done = convert(folder)
    assert done.returncode == 0, done
    assert re.search(rb", 0 problems in ", done.stdout), done
    made = [path.name for path in folder.iterdir() if path.name not in {"fixtures", "examples", "bin", *FILES}]
    ignored = (CHECKOUT / ".gitignore").read_text("utf-8").splitlines()
    assert {"/absolute/", ".venv*/"} <= set(ignored)
    assert set(made) - {name.partition("/")[0] for name in FOLDERS} == {"absolute", ".venv"}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="commands are written for a Unix shell")
@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_is_followed_word_by_word(page, folder):
    """Files are saved under the names that the text gives. The server gets a free port."""
    with contextlib.ExitStack() as stack:
        port = str(free_port())
        text = page.read_text("utf-8")
        for block in (one._replace(text=one.text.replace("8000", port)) for one in all_blocks(page)):
            if block.language != "console":
                before = "".join(text.splitlines(keepends=True)[: block.line - 1])
                [name] = re.findall(r"[Ss]ave this as `([\w.]+)`[^`]*\Z", before)
                (folder / name).write_text(block.text, "utf-8")
            elif (command := block.text.removeprefix("$ ").strip()).startswith("python3 -m http.server"):
                stack.enter_context(serving(command, port, folder))
            else:
                follow(block, folder)
    left = {path.name for path in folder.iterdir()} - {"fixtures", "examples", "bin", ".venv", *FILES}
    assert left == {name.partition("/")[0] for name in FOLDERS}


def free_port():
    with socket.create_server(("localhost", 0)) as server:
        return server.getsockname()[1]


@contextlib.contextmanager
def serving(command, port, folder):
    """Run the server of a second terminal."""
    words = [sys.executable, *shlex.split(command)[1:]]
    with subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            for _ in range(100):
                with contextlib.suppress(OSError), socket.create_connection(("localhost", int(port)), 1):
                    break
                time.sleep(0.1)
            yield
        finally:
            server.terminate()


def test_there_are_three_tutorials():
    assert {page.stem for page in TUTORIALS} == {"convert", "audit", "scraper"}


#: A command within a sentence. In capitals: what the reader replaces.
INLINE = [
    pytest.param(words, id=f"{page.relative_to(CHECKOUT).as_posix()}: {words}")
    for page in PAGES
    if page.name != "CHANGELOG.md"
    for words in dict.fromkeys(re.findall(r"(?<!`)`(linkfix [a-z][^`]*)`(?!`)", page.read_text("utf-8")))
]


@pytest.mark.parametrize("words", INLINE)
def test_a_command_within_a_sentence_exists(words):
    known = dict(every_command())
    [_, *given] = words.replace("…", "").split()
    name = "linkfix"
    while given and f"{name} {given[0]}" in known:
        name += f" {given.pop(0)}"
    assert name != "linkfix", f"no command of {list(known)}"
    options = {option for one in known[name].params for option in (*one.opts, *one.secondary_opts)}
    assert {word.partition("=")[0] for word in given if re.match("--[a-z]", word)} <= options | {"--help"}


def test_every_command_that_is_not_run_is_still_there():
    shown = [command for page in PAGES for block in blocks(page, "console") for command, _ in commands(block)]
    for expression in NOT_RUN:
        assert any(re.fullmatch(expression, command) for command in shown), expression
    assert len(shown) > 10
    assert len(PYTHON) > 0


@pytest.mark.parametrize("block", [block for page in PAGES for block in blocks(page, "diff")], ids=str)
def test_a_documented_difference_equals_the_conversion(block):
    """The first line is a comment with the page's URL."""
    context, *lines = block.text.splitlines()
    old, new = (["".join(line[1:]) for line in lines if line[0] == sign] for sign in "-+")
    assert linkfix.absolutize("\n".join(old), re.search(r"<!-- (\S+) -->", context)[1]) == "\n".join(new)


@pytest.mark.parametrize(
    "block", [block for page in SINGLE for block in blocks(page, "toml") if block.page != "docs/audit.md"], ids=str
)
def test_settings_are_accepted(block, folder, monkeypatch):
    (folder / "pyproject.toml").write_text(block.text, "utf-8")
    monkeypatch.chdir(folder)
    result = run("links", "public")
    assert result.exit_code == 0, result.output
    assert ",https://example.com/docs/index.html," in result.output


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="commands are written for a Unix shell")
def test_the_steps_of_ci_run(folder):
    page = CHECKOUT / "docs" / "audit.md"
    steps, job, hook = blocks(page, "yaml")
    (folder / "bin/pip").write_text("#!/bin/sh\n", "ascii")
    (folder / "bin/pip").chmod(0o755)
    for command in re.findall(r"^    - (.*)", job.text, re.MULTILINE):
        done = bash(f'PATH="$PWD/bin:$PATH"; {command}', folder)
        assert done.returncode == 0, done
    [junit] = re.findall(r"junit: (\S+)\}", job.text)
    [html] = re.findall(r"paths: \[(\S+)\]", job.text)
    assert (folder / junit).read_text().startswith("<?xml")
    assert (folder / html).read_text().startswith("<!DOCTYPE html>")
    hooks = (CHECKOUT / ".pre-commit-hooks.yaml").read_text("utf-8")
    [name] = re.findall(r"id: (\S+)", hook.text)
    assert f"- id: {name}\n" in hooks
    [entry], [arguments] = re.findall(r"entry: (.*)", hooks), re.findall(r"args: \[(.*)\]", hook.text)
    done = bash(f'PATH="$PWD/bin:$PATH"; {entry} {arguments.replace(",", "")}', folder)
    assert done.returncode == 0, done
    assert f"rev: v{linkfix.__version__}" in hook.text, page
    action = (CHECKOUT / "action.yml").read_text("utf-8")
    [inputs] = re.findall(r"uses: your/.*@v(\S+)\n  with: \{(\w+): ", steps.text)
    assert inputs[0] == linkfix.__version__
    assert f"\n  {inputs[1]}:\n" in action
    [sarif] = re.findall(r"sarif_file: (\S+)\}", steps.text)
    assert f"default: {sarif}\n" in action


#: A block that is an error: the module that is imported, and the library that is not there.
MISSING = re.compile(r"ModuleNotFoundError: ((\S+) needs (\S+): .*)\n")


def test_an_import_without_its_library_has_the_documented_error():
    for block in (block for page in PAGES for block in blocks(page, "text")):
        for message, module, library in MISSING.findall(block.text):
            said = interpreted(
                f"import sys\nsys.modules[{library!r}] = None",
                f"try:\n    import {module}\nexcept ModuleNotFoundError as error:\n    print(error)",
            )
            assert said == f"{message}\n", block


RUN_HERE = {"python", "console", "diff", "toml", "yaml"}


@for_each(PAGES, label=lambda page: page.relative_to(CHECKOUT).as_posix())
def test_every_block_is_in_a_test(page):
    for block in all_blocks(page):
        test = ELSEWHERE.get((block.language, block.page))
        assert block.language in RUN_HERE or test or MISSING.fullmatch(block.text), block
        if test and test.endswith(".py"):
            assert page.name in (TESTS / test).read_text("utf-8"), block
    assert len(blocks(page, "sh")) == (2 if page == CHECKOUT / "README.md" else 0)


def every_command(command=cli, name="linkfix"):
    """(name, command) of each command and group."""
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for below in command.list_commands(context):
            yield from every_command(command.get_command(context, below), f"{name} {below}")


def examples():
    """The examples in the help of each command."""
    found = []
    for _, command in every_command():
        example = re.fullmatch("Example: (.*)", command.epilog or "")
        found += command.examples.values() if isinstance(command, Command) else [example[1]] if example else []
    return found


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="commands are written for a Unix shell")
@pytest.mark.parametrize("example", examples())
def test_examples_of_the_help_run(example, folder):
    for name in ("saved", "site"):
        shutil.copytree(FIXTURES / "site" / "docs", folder / name)
    shutil.copy(FIXTURES / "mime" / "saved.mht", folder / "page.mhtml")
    example = example.replace("curl URL |", "cat page.html |").replace("URL", "https://a.example/")
    example = example.replace("~/.config/fish/completions/", "")
    mirror = folder / "mirror" / "a.example"
    mirror.mkdir(parents=True)
    (mirror / "index.html").write_text('<a href="https://a.example/">')
    (folder / "urls.csv").write_text("path,url\nsaved/guide/intro.html,https://a.example/\n")
    (folder / "moves.csv").write_text("from,to\nhttps://a.example/,https://b.example/\n")
    before = ""
    if example.startswith("linkfix undo"):
        before = "linkfix absolutize site --root-url https://a.example/ --in-place;"
    if "crawl/manifest.csv" in example:
        before = "linkfix unpack crawl.warc.gz -o crawl;"
    done = bash(f'PATH="$PWD/bin:$PATH"; {before} {example}', folder)
    assert done.returncode in {0, 1}, done  # the site has broken references, a blank template empty fields
    assert b"Error" not in done.stderr, done


def test_every_command_has_an_example():
    for name in COMMANDS:
        assert any(f"linkfix {name} " in example for example in examples()), name


#: Documents in plain English: short sentences, and no clause where a noun would do. docs/seeds.md quotes the standards.
PROSE = [
    *(CHECKOUT / name for name in ("README.md", "SECURITY.md", "CONTRIBUTING.md", "RELEASING.md")),
    *(page for page in sorted((CHECKOUT / "docs").rglob("*.md")) if page.name != "seeds.md"),
]
#: The examples in the help of a rule.
RULE_EXAMPLES = re.compile(r"^\w+::\n(?:    .*\n|\n)*", re.MULTILINE)
LIST_ITEM = re.compile(r"^\s*(?:[-*]|\d+\.) +")


def paragraphs(page):
    """The texts of the paragraphs, list items and headings: no code block, directive, table or comment."""
    text = re.sub(r"^( *)(```+|:::+).*?^\1\2$", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"\]\([^()\s]*\)", "]", text).replace(" ·", ".")  # a list of links
    found = [""]
    for line in text.splitlines():
        if not line.strip() or line.startswith("#") or line.lstrip().startswith("|") or LIST_ITEM.match(line):
            found.append("")
        if not line.lstrip().startswith("|"):
            found[-1] += LIST_ITEM.sub("", line.lstrip("#")).strip() + " "
        if line.startswith("#"):
            found.append("")
    return [one.strip() for one in found if one.strip()]


@pytest.mark.parametrize(
    ("paragraph", "lengths"),
    [
        ("One two. Three `a b. C` four, e.g. five.", [2, 5]),
        ("`--a`, `--b C` and `--c` are three names.", [4]),
        ('He said "one." `Two` (three.) four? **Five.** 6 linkfix', [3, 2, 1, 1, 2]),
        ("Of part 2. (`a`, `b`). Two more.", [3, 1, 2]),
    ],
)
def test_words_of_sentences(paragraph, lengths):
    assert [len(sentence.split()) for sentence in sentences(paragraph)] == lengths


@pytest.mark.parametrize(
    ("paragraph", "found"),
    [
        (f"{'word ' * 39}end. Short.", []),
        (f"Short. {'word ' * 40}end.", [f"41 words: {'word ' * 40}end."]),
        ("What it is.", ["a clause: What it is."]),
        ("what it is", ["a clause: what it is"]),
        ("That which is here.", ["a clause: That which is here."]),
        ("**What is it?**", []),
        ("Whatever it is.", []),
    ],
)
def test_faults_of_prose(paragraph, found):
    assert faults(paragraph) == found


@for_each(PROSE, label=lambda page: page.relative_to(CHECKOUT).as_posix())
def test_documents_are_plain(page):
    found = [fault for paragraph in paragraphs(page) for fault in faults(paragraph)]
    assert not found, "\n".join(found)


def shown_texts():
    """(name, paragraph) of each text that the command and reports show: help of commands and options, help of rules."""
    texts = [(name, text) for name, command in every_command() for text in help_texts(command)]
    texts += [(rule.info.code, RULE_EXAMPLES.sub("", f"{rule.info.help}\n")) for rule in rules()]
    return [
        (name, " ".join(paragraph.split())) for name, text in texts for paragraph in re.split(r"\n\s*\n", text.strip())
    ]


def help_texts(command):
    options = [option.help for option in command.params if isinstance(option, click.Option)]
    purposes = command.examples if isinstance(command, Command) else ()
    return [text for text in (command.help, command.short_help, command.epilog, *options, *purposes) if text]


def test_help_is_plain():
    texts = shown_texts()
    assert len(texts) > 300
    found = [f"{name}: {fault}" for name, text in texts for fault in faults(text)]
    assert not found, "\n".join(found)
