"""README is short, README and the site are right about names and options, and the site builds without a fault."""

from __future__ import annotations

import ast
import importlib.util
import re
import subprocess
import sys

import pytest
from support.browser.engines import require_chromium
from support.documentation import PAGES
from support.paths import CHECKOUT
from support.prose import faults
from support.running import ENVIRONMENT, process, run

import linkfix
from linkfix.auditing.rules import rules
from linkfix.cli import COMMANDS
from linkfix.cli.next_steps import NEXT_STEPS

DOCS = CHECKOUT / "docs"
#: The parts of README, in this order: a heading, or a text at the beginning of a line.
PARTS = [
    *("# linkfix", "linkfix finds", "```diff", "```sh", "## Why", "## On the command line", "## In Python"),
    *("## In scrapers", "## Formats", "## Speed", "## Documents", "## The project"),
]
LONGEST = 150
#: Options of other programs: setup.py and gdb, pip, pytest and uvx, bench/ and fuzz/, lychee, wget, perf, Pelican,
#: Python's server.
OTHERS = {
    *("--inplace", "--debug", "--force", "--args", "--quiet", "--everything", "--rounds", "--news", "--packages"),
    *("--from", "--directory", "--fatal"),
    *("--slow", "--strangers"),
    *("--mirror", "--page-requisites", "--no-host-directories", "--directory-prefix", "--default-extension"),
    *(
        "--archives",
        "--size",
        "--megabytes",
        "--only",
        "--offline",
        "--include-fragments",
        "--no-children",
        "--no-build-isolation",
    ),
}


def test_readme_is_short_and_has_its_parts_in_order():
    text = (CHECKOUT / "README.md").read_text("utf-8")
    assert len(text.splitlines()) <= LONGEST
    places = [f"\n{text}".find(f"\n{part}") for part in PARTS]
    assert -1 not in places
    assert places == sorted(places)


#: The parts of the navigation, and the most entries of all parts together.
NAVIGATION = ["Tutorials", "How-to guides", "Explanation", "Reference"]
MOST_ENTRIES = 32
#: Pages that contributors read in the checkout.
IN_THE_CHECKOUT = {DOCS / "architecture.md", DOCS / "compiled.md"}


def tables_of_contents():
    """(page, caption, listed pages) of each table of contents."""
    for page in DOCS.rglob("*.md"):
        for toctree in re.findall(r"^```\{toctree\}\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE):
            names = [line for line in toctree.splitlines() if line and not line.startswith(":")]
            caption = re.search(r"^:caption: (.*)$", toctree, re.MULTILINE)
            yield page, caption and caption[1], [(page.parent / f"{name}.md").resolve() for name in names]


def test_every_page_is_in_one_table_of_contents():
    listed = [page for _, _, pages in tables_of_contents() for page in pages]
    assert len(listed) == len(set(listed)) <= MOST_ENTRIES
    assert set(DOCS.rglob("*.md")) - set(listed) == {DOCS / "index.md"} | IN_THE_CHECKOUT


def test_the_navigation_has_four_parts():
    assert [caption for page, caption, _ in tables_of_contents() if page.name == "index.md" and caption] == NAVIGATION


def test_the_site_leaves_out_pages_for_contributors():
    left_out = re.search(r"^exclude_patterns = (\[.*?\])", (DOCS / "conf.py").read_text("utf-8"), re.MULTILINE)[1]
    names = {path.name for path in IN_THE_CHECKOUT}
    assert {name for name in ast.literal_eval(left_out) if name.endswith(".md")} == names
    contributing = (CHECKOUT / "CONTRIBUTING.md").read_text("utf-8")
    assert all(f"(docs/{name})" in contributing for name in names)


def options_of(command):
    return set(re.findall(r"--[a-z][a-z-]+", run(*command, "--help").output))


def test_documented_options_exist():
    schemes = [("schemes", name) for name in ("check", "check-uri", "list", "show", "template")]
    known = set().union(*map(options_of, [(), *((name,) for name in COMMANDS), *schemes]))
    known |= {option.replace("--", "--no-", 1) for option in known}
    for page in (CHECKOUT / "README.md", *DOCS.rglob("*.md")):
        told = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", page.read_text("utf-8")))
        assert told - known - OTHERS == set(), page


def documented():
    """The public names that pages of the reference have: module -> names; empty for all of them."""
    found = {}
    for page in sorted((DOCS / "reference").glob("*.md")):
        text = page.read_text("utf-8")
        for module, names in re.findall(r"^:::\{public\} (\S+)\n(.*?)^:::$", text, re.DOTALL | re.MULTILINE):
            found.setdefault(module, set()).update(names.split())
        for module, name in re.findall(r"^\.\. auto\w+:: (linkfix)\.(\w+)$", text, re.MULTILINE):
            found[module].add(name)
    return found


def test_the_reference_has_every_public_name():
    """For a module without names, the page shows all; `linkfix` has them under headings."""
    names = documented()
    submodules = {"hooks", "schemes", "text"}
    assert names.pop("linkfix") == set(linkfix.__all__) - submodules - {"__version__"}
    assert {module for module, chosen in names.items() if chosen} == set()


def test_the_public_modules_are_the_same_everywhere():
    modules = set(documented())
    listed = ast.parse((DOCS / "site_extension" / "public.py").read_text("utf-8"))
    [tuple_] = [
        node.value
        for node in listed.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "PUBLIC_MODULES"
    ]
    assert set(ast.literal_eval(tuple_)) == modules


def test_documents_in_the_repository_have_no_broken_links():
    """As GitHub shows them: links to files and to headings."""
    pages = [option for page in PAGES for option in ("--include", f"/{page.relative_to(CHECKOUT).as_posix()}")]
    result = run("audit", CHECKOUT, *pages, "--heading-ids", "github")
    assert result.exit_code == 0, result.output
    checked = re.search(r"(\d+) references checked in (\d+) pages", result.output)
    assert int(checked[1]) > len(PAGES)
    assert int(checked[2]) == len(PAGES)


def test_every_problem_and_every_rule_has_a_next_step():
    assert list(NEXT_STEPS) == [*linkfix.PROBLEMS, *(rule.info.code for rule in rules())]
    commands = {option for name in COMMANDS for option in options_of((name,))}
    for code, step in NEXT_STEPS.items():
        assert step[0].isupper(), code
        assert step.endswith("."), code
        assert not faults(step), code
        assert set(re.findall(r"--[a-z][a-z-]+", step)) <= commands, code


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder of the site, which is built without a warning."""
    needed = [
        "sphinx",
        "myst_parser",
        "furo",
        "sphinx_click",
        "aiohttp",
        "httpx",
        "httpx2",
        "playwright",
        "requests",
        "scrapy",
    ]
    missing = [name for name in needed if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}: pip install '.[docs]'")
    folder = tmp_path_factory.mktemp("built")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-nW", "-q", "-d", folder / "doctrees", DOCS, folder / "site"],
        capture_output=True,
        env=ENVIRONMENT,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return folder / "site"


@pytest.mark.slow
def test_the_site_has_no_broken_links(built):
    audited = process("audit", built, "--fail-on", "warning", cwd=built)
    assert audited.returncode == 0, audited.stdout.decode()


#: Blocks of code of which a part is hidden.
CUT = "blocks => blocks.filter(one => one.scrollWidth > one.clientWidth).map(one => one.textContent)"
#: A clipboard that the test can read.
CLIPBOARD = """
Object.defineProperty(navigator, "clipboard", {value: {writeText: async (text) => { window.copied = text; }}});
"""


@pytest.fixture(scope="module")
def chromium():
    playwright = pytest.importorskip("playwright.sync_api")
    path = require_chromium()
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize("width", [1300, 420])
def test_no_line_of_code_is_cut(built, chromium, width):
    page = chromium.new_page(viewport={"width": width, "height": 1000})
    pages = [path for path in built.rglob("*.html") if path.with_suffix(".md").relative_to(built) in names_of_pages()]
    assert len(pages) > 20
    for path in pages:
        page.goto(path.as_uri())
        assert page.eval_on_selector_all("div.highlight > pre", CUT) == [], path


def names_of_pages():
    return {page.relative_to(DOCS) for page in DOCS.rglob("*.md")}


@pytest.mark.slow
@pytest.mark.browser
def test_a_button_copies_commands_without_prompts_and_output(built, chromium):
    context = chromium.new_context()
    context.add_init_script(CLIPBOARD)
    page = context.new_page()
    page.goto((built / "tutorials" / "convert.html").as_uri())
    block = page.locator("div.highlight", has_text="linkfix --version")
    button = block.get_by_role("button", name="Copy commands")
    assert button.evaluate("button => getComputedStyle(button).opacity") == "0"
    button.focus()
    button.press("Enter")
    block.get_by_role("button", name="Copied").wait_for()
    copied = "python3 -m venv .venv\n. .venv/bin/activate\npip install --quiet .\nlinkfix --version"
    assert page.evaluate("window.copied") == copied
    page.goto((built / "tutorials" / "audit.html").as_uri())
    settings = page.locator("div.highlight-toml")
    settings.hover()
    settings.get_by_role("button", name="Copy").click()
    settings.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("window.copied") == 'root-url = "https://lamp.example/"'
    context.close()
