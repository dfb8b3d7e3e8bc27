"""The steps of action.yml, run in a shell as GitHub's runner runs them."""

from __future__ import annotations

import json
import re
import sys
import textwrap

import pytest
from support.paths import CHECKOUT
from support.running import bash

ACTION = CHECKOUT / "action.yml"
pytestmark = [
    pytest.mark.skipif(not ACTION.is_file(), reason="action.yml is not installed with the package"),
    pytest.mark.skipif(sys.platform == "win32", reason="the runner's shell is bash"),
]

#: An interpreter that makes an environment of programs that are there already, since an installation takes minutes.
PYTHON = r"""#!/bin/sh
mkdir -p "$3/bin"
printf '#!/bin/sh\necho "$@" > "$RUNNER_TEMP/installed"\n' > "$3/bin/pip"
printf '#!/bin/sh\nexec "%s" -m linkfix "$@"\n' "$INTERPRETER" > "$3/bin/linkfix"
chmod +x "$3/bin/pip" "$3/bin/linkfix"
"""


def steps():
    """The scripts of the steps."""
    text = ACTION.read_text("utf-8").partition("  steps:\n")[2]
    return [
        textwrap.dedent(block) for block in re.findall(r"^      run: \|\n((?:        .*\n|\n)+)", text, re.MULTILINE)
    ]


@pytest.fixture
def runner(tmp_path):
    """A function that runs all steps in a checkout, and returns the last step."""
    checkout, temporary, programs = tmp_path / "checkout", tmp_path / "temp", tmp_path / "programs"
    for folder in (checkout / "public", temporary, programs):
        folder.mkdir(parents=True)
    (checkout / "public/index.html").write_text("<a href=gone.html>x</a> <a href=index.html>y</a>")
    (programs / "python3").write_text(PYTHON)
    (programs / "python3").chmod(0o755)

    def run(**inputs):
        environment = {
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(CHECKOUT),
            "GITHUB_WORKSPACE": str(checkout),
            "RUNNER_TEMP": str(temporary),
            "INTERPRETER": sys.executable,
            **{f"GITHUB_{name}": str(temporary / name.lower()) for name in ("PATH", "OUTPUT", "STEP_SUMMARY")},
            "DIR": "",
            "ROOT_URL": "",
            "ARGUMENTS": "",
            "SARIF": "linkfix.sarif",
            **inputs,
        }
        for script in steps():
            added = temporary / "path"
            path = ":".join(
                [*(added.read_text().split() if added.is_file() else []), str(programs), "/usr/bin", "/bin"]
            )
            last = bash(f"set -eo pipefail\n{script}", checkout, **environment, PATH=path)
            if last.returncode:
                break
        return last

    run.checkout, run.temporary = checkout, temporary
    return run


def test_a_broken_link_fails_the_step_after_everything_is_written(runner):
    done = runner(DIR="public\n", ROOT_URL="https://e.example/")
    assert done.returncode == 1, done.stderr.decode()
    output = done.stdout.decode()
    assert "public/index.html:1:9: error LF101" in output
    assert "::error file=public/index.html,line=1" in output
    assert json.loads((runner.checkout / "linkfix.sarif").read_bytes())["runs"][0]["results"]
    assert (runner.temporary / "step_summary").read_text().startswith("## linkfix audit")
    assert (runner.temporary / "output").read_text() == "sarif=linkfix.sarif\n"
    assert (runner.temporary / "installed").read_text().split()[-1] == str(CHECKOUT)


def test_arguments_are_lines_and_no_shell_reads_them(runner):
    (runner.checkout / "a b").mkdir()
    (runner.checkout / "a b/index.html").write_text("<a href=index.html>y</a>")
    done = runner(DIR="a b", ARGUMENTS="--select=LF1\r\n--ignore-target=$(touch trap)\n", SARIF="out.sarif")
    assert done.returncode == 0, done.stderr.decode()
    assert sorted(path.name for path in runner.checkout.iterdir()) == ["a b", "out.sarif", "public"]


def test_a_folder_is_no_option(runner):
    (runner.checkout / "--list-rules").mkdir()
    (runner.checkout / "--list-rules/index.html").write_text("<a href=gone.html>y</a>")
    done = runner(DIR="--list-rules", ARGUMENTS="--select=LF1")
    assert (done.returncode, b"index.html:1:9: error LF101" in done.stdout) == (1, True)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a.sarif\nother=b.sarif", "has several lines"),
        ("a.sarif\rb.sarif", "has several lines"),
        ("a.txt", "does not end with .sarif"),
        ("out/.sarif", "does not end with .sarif"),
        ("", "does not end with .sarif"),
    ],
)
def test_a_name_that_is_none_of_a_sarif_file_is_refused(runner, name, message):
    done = runner(DIR="public", SARIF=name)
    assert done.returncode == 2
    assert done.stdout.decode().startswith(f"::error::The input 'sarif' {message}: ")
    assert not (runner.temporary / "output").exists()


def test_a_file_that_is_not_written_is_not_named(runner):
    (runner.checkout / "linkfix.sarif").write_text("of a former run")
    done = runner(DIR="public", ARGUMENTS="--write-baseline=known.json")
    assert (done.returncode, (runner.checkout / "known.json").is_file()) == (0, True)
    assert not (runner.temporary / "output").exists()


def test_wrong_usage_ends_with_its_message(runner):
    done = runner(DIR="missing")
    assert done.returncode == 2
    assert b"'missing' does not exist" in done.stderr
    assert not (runner.temporary / "step_summary").exists()


def test_scripts_contain_no_expressions():
    """The runner would put the text of an input into the script."""
    assert len(steps()) == 2
    assert not [script for script in steps() if "${{" in script]


def test_each_input_reaches_the_script():
    text = ACTION.read_text("utf-8")
    inputs = re.findall(r"^  ([a-z-]+):\n    description", text.partition("outputs:")[0], re.MULTILINE)
    assert set(inputs) == set(re.findall(r"\$\{\{ inputs\.([a-z-]+) \}\}", text))
