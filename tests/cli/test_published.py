"""The man page and the schema of settings say what the options say."""

from __future__ import annotations

import importlib.metadata
import json
import re
import runpy
import shutil
import subprocess
import tomllib

import click
import jsonschema
import pytest
from support.each import for_each
from support.paths import CHECKOUT

from linkfix.cli import COMMANDS, cli
from linkfix.cli.settings import settable_options

SCRIPT = runpy.run_path(str(CHECKOUT / "docs" / "make_files.py"))
FILES, manual, settings_schema = SCRIPT["FILES"], SCRIPT["manual"], SCRIPT["settings_schema"]
CLICK = tuple(map(int, importlib.metadata.version("click").split(".")[:2]))
GROFF = shutil.which("groff")
SCHEMA = json.loads(settings_schema())
COMMAND_OBJECTS = {name: cli.get_command(click.Context(cli), name) for name in COMMANDS}


@pytest.mark.skipif(CLICK < (8, 3), reason="the help of options in this version of click has other words")
@for_each(FILES)
def test_the_file_is_what_the_options_make(name):
    assert (CHECKOUT / "docs" / name).read_text("utf-8") == FILES[name](), "run: python docs/make_files.py"


def test_the_man_page_is_packaged():
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))
    assert project["tool"]["setuptools"]["data-files"] == {"share/man/man1": ["docs/linkfix.1"]}


def test_the_man_page_has_every_command_and_option():
    page = manual().replace("\\-", "-")
    for name, command in COMMAND_OBJECTS.items():
        section = page.partition(f'.SH "LINKFIX {name.upper()}"\n')[2].partition("\n.SH ")[0]
        assert section, name
        for option in command.params:
            if isinstance(option, click.Option) and not option.hidden:
                assert option.opts[-1] in section, (name, option.name)
    for title in ("NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "ENVIRONMENT", "FILES"):
        assert f'.SH "{title}"' in page
    assert page.partition('.SH "EXIT STATUS"\n')[2].count(".TP\n\\fB141") == 1


@pytest.mark.skipif(GROFF is None, reason="groff is not installed")
def test_the_man_page_has_no_fault_in_roff():
    done = subprocess.run([GROFF, "-man", "-ww", "-Tutf8"], input=manual().encode(), capture_output=True, check=True)
    assert done.stderr == b""
    shown = re.sub(r"\x1b\[[\d;]*m|.\x08", "", done.stdout.decode())
    assert "linkfix - find the base URL of a document" in " ".join(shown.split())
    assert "        linkfix absolutize page.html --url https://example.com/dir/page.html -o absolute.html" in shown


def test_the_schema_has_every_setting():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    for name, command in COMMAND_OBJECTS.items():
        settings = settable_options(command)
        assert SCHEMA["properties"].get(name, {}).get("properties", {}).keys() == settings.keys(), name
        assert settings.keys() <= SCHEMA["properties"].keys()


@pytest.mark.parametrize(
    ("text", "is_valid"),
    [
        ('root-url = "https://a.example/"\njobs = 2\nlazy = true\nmax-size = "20M"\ninclude = ["*.html"]\n', True),
        ('root_url = "https://a.example/"\n', True),
        ('[audit]\nfail-on = "note"\n[audit.per-file-ignores]\n"a/*" = ["LF1"]\n', True),
        ('[links]\nformat = "csv"\n', True),
        ('[links]\nformat = "junit"\n', False),
        ('spek = "whatwg"\n', False),
        ('spec = "x"\n', False),
        ("jobs = 0\n", False),
        ('lazy = "yes"\n', False),
        ('include = "*.html"\n', False),
        ('output = "x"\n', False),
        ('[audit]\nper-file-ignores = "x"\n', False),
    ],
)
def test_the_schema_accepts_what_the_commands_accept(text, is_valid):
    assert jsonschema.Draft202012Validator(SCHEMA).is_valid(tomllib.loads(text)) is is_valid
