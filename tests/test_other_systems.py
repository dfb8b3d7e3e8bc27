"""Windows and macOS, imitated on Linux: all modules import, and commands have the same results as here.

The tests' workflow runs the suite on the systems themselves.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sys

import pytest
import support.other_systems
from support.kills import contents, temporary_files
from support.modules import OWN_MODULES
from support.paths import CHECKOUT
from support.running import ENVIRONMENT
from support.warc_files import warc_record

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it imitates other systems on Linux")

SITE = CHECKOUT / "fixtures" / "site"
URL = ("--root-url", "https://lamp.example/")
SYSTEMS = ["windows", "macos"]


@pytest.fixture(scope="module")
def customized(tmp_path_factory):
    """A folder that makes each Python that starts with it seem to run elsewhere."""
    folder = tmp_path_factory.mktemp("customized")
    shutil.copy(support.other_systems.__file__, folder / "sitecustomize.py")
    return folder


@pytest.fixture
def python(customized):
    """Runs Python on a system."""

    def run(system, *arguments, **environment):
        path = os.pathsep.join([str(customized), ENVIRONMENT.get("PYTHONPATH", "")])
        return subprocess.run(
            [sys.executable, *map(str, arguments)],
            env=ENVIRONMENT | {"PYTHONPATH": path, "LINKFIX_TESTS_SYSTEM": system} | environment,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=120,
            check=False,
        )

    return run


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """The site's files after a conversion on this system."""
    output = tmp_path_factory.mktemp("here") / "site"
    command = [sys.executable, "-m", "linkfix", "absolutize", SITE, *URL, "--output", output]
    subprocess.run(command, env=ENVIRONMENT, check=True, capture_output=True, timeout=60)
    return contents(output)


@functools.cache
def said_here(arguments):
    """The result of a command on this system."""
    command = [sys.executable, "-m", "linkfix", *map(str, arguments)]
    return subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False)


def test_the_imitation_behaves_like_the_system(python, tmp_path):
    program = (
        "import os, sys\n"
        "assert sys.platform == 'win32' and not hasattr(os, 'O_NOFOLLOW')\n"
        "try:\n    import fcntl\n"
        "except ModuleNotFoundError:\n    pass\n"
        "else:\n    sys.exit('fcntl')\n"
        f"os.chdir({str(tmp_path)!r})\n"
        "with open('a', 'w') as file:\n"
        "    try:\n        os.replace('a', 'b')\n"
        "    except PermissionError:\n        pass\n"
        "    else:\n        sys.exit('an open file')\n"
        "os.replace('a', 'b')\n"
        "for name in ('aux.html', 'a:b', 'x.'):\n"
        "    try:\n        os.open(name, os.O_CREAT)\n"
        "    except OSError:\n        pass\n"
        "    else:\n        sys.exit(name)\n"
        "print('imitated')\n"
    )
    done = python("windows", "-c", program)
    assert done.stdout == "imitated\n", done.stderr


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_module_can_be_imported(python, system):
    names = [
        name
        for name in OWN_MODULES
        if not name.startswith(("linkfix.hooks.", "linkfix.plugins.", "linkfix.spark", "linkfix.arrow"))
    ]
    program = f"import importlib\nfor name in {names!r}:\n    importlib.import_module(name)\nprint('imported')\n"
    done = python(system, "-c", program)
    assert done.stdout == "imported\n", done.stderr


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_folder_is_converted(python, here, tmp_path, system, jobs):
    output = tmp_path / "output"
    done = python(system, "-m", "linkfix", "absolutize", SITE, *URL, "--output", output, "--jobs", jobs, "--quiet")
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    assert contents(output) == here
    assert temporary_files(tmp_path) == []


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_folder_is_converted_in_place_and_back(python, here, tmp_path, system):
    folder, journal = tmp_path / "site", tmp_path / "journal"
    shutil.copytree(SITE, folder)
    done = python(
        system,
        "-m",
        "linkfix",
        "absolutize",
        folder,
        *URL,
        "--in-place",
        "--journal",
        journal,
        "--quiet",
        "--jobs",
        "2",
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    assert contents(folder) == here
    done = python(system, "-m", "linkfix", "undo", journal)
    assert done.returncode == 0, done.stderr
    assert contents(folder) == contents(SITE)
    assert temporary_files(tmp_path) == []


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize(
    "arguments",
    [
        ("audit", SITE, *URL, "--format", "json", "--jobs", "2"),
        ("links", SITE, *URL, "--format", "jsonl"),
        ("links", CHECKOUT / "fixtures" / "warc" / "site.warc.gz", "--format", "jsonl"),
        ("base", SITE / "index.html", "--url", "https://lamp.example/"),
    ],
    ids=["audit", "links", "warc", "base"],
)
def test_commands_print_the_same(python, system, arguments):
    expected = said_here(arguments)
    done = python(system, "-m", "linkfix", *arguments)
    assert done.returncode == expected.returncode
    times = re.compile(r"\b\d+\.\d+(?=,| s)")
    assert times.sub("", done.stdout) == times.sub("", expected.stdout) != ""
    assert times.sub("", done.stderr) == times.sub("", expected.stderr)


def test_names_for_urls_are_valid_on_windows(python, tmp_path):
    paths = ["aux.html", "COM1", "a:b?c=*", "end.", "end%20", "%3Cx%3E", "q%7C%22"]
    (tmp_path / "odd.warc").write_bytes(b"".join(warc_record(f"http://h/{path}", b"<a href=x>") for path in paths))
    done = python("windows", "-m", "linkfix", "unpack", tmp_path / "odd.warc", "--output", tmp_path / "odd")
    assert done.returncode == 0, done.stderr
    assert len(contents(tmp_path / "odd")) == len(paths) + 2  # and a list of their URLs, and an index page


@pytest.mark.parametrize("encoding", ["cp1252", "cp437", "ascii"])
def test_text_that_the_console_cannot_show_does_not_stop_a_run(python, tmp_path, encoding):
    (tmp_path / "日本.html").write_text("<a href=ü/日本.html>", "utf-8")
    for arguments in (["links", tmp_path, "--format", "text"], ["audit", tmp_path]):
        done = python("windows", "-m", "linkfix", *arguments, PYTHONIOENCODING=encoding, PYTHONUTF8="0")
        assert "Traceback" not in done.stderr
        assert done.returncode in {0, 1}
        assert ".html" in done.stdout
