"""The published texts agree: classifiers, tested versions, and the targets of wheels."""

from __future__ import annotations

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from support.each import for_each
from support.paths import CHECKOUT

import linkfix

SETTINGS = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))
WORKFLOWS = CHECKOUT / ".github" / "workflows"


def supported():
    """The versions of Python that the classifiers name."""
    pattern = re.compile(r"Programming Language :: Python :: (3\.\d+)")
    return [match[1] for one in SETTINGS["project"]["classifiers"] if (match := pattern.fullmatch(one))]


def test_the_first_version_is_the_required_version():
    assert SETTINGS["project"]["requires-python"] == f">={supported()[0]}"


def test_each_version_is_tested():
    matrix = re.search(r"^ +python: \[(.*)\]$", (WORKFLOWS / "tests.yml").read_text("utf-8"), re.MULTILINE)
    assert matrix is not None
    assert matrix[1] == ", ".join(f'"{version}"' for version in supported())


def test_each_version_has_wheels():
    builds = SETTINGS["tool"]["cibuildwheel"]["build"]
    minors = ",".join(version.partition(".")[2].removeprefix("1") for version in supported())
    assert builds == [f"cp31{{{minors}}}-*", "cp314t-*"]


def test_the_version_is_the_packages():
    assert SETTINGS["project"]["version"] == linkfix.__version__


def test_all_stages_are_documented_for_contributors():
    """CONTRIBUTING.md has a table of the stages of `.ci/run`, and one of the stages of `.ci/nightly`."""
    text = (CHECKOUT / "CONTRIBUTING.md").read_text("utf-8")
    for script in ("run", "nightly"):
        source = (CHECKOUT / ".ci" / script).read_text("utf-8")
        [stages] = re.findall(r'^(?:all_)?stages "(.*)" "\$@"$', source, re.MULTILINE)
        table = text.partition(f"| stage of `.ci/{script}` |")[2].partition("\n\n")[0]
        assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == stages.split()
        for stage in stages.split():
            assert re.search(rf"^{stage}\(\) \{{$", source, re.MULTILINE), stage


def test_called_scripts_exist():
    for workflow in WORKFLOWS.glob("*.yml"):
        scripts = re.findall(r"\.ci/[\w./]+", workflow.read_text("utf-8"))
        assert scripts
        assert all((CHECKOUT / script).is_file() for script in scripts)


# Places that the first release changes

FIRST = runpy.run_path(str(CHECKOUT / ".ci" / "first_release.py"))


@pytest.mark.skipif(not (CHECKOUT / ".git").exists(), reason="the script asks git for the files")
def test_nothing_names_a_release_before_the_first_one():
    done = subprocess.run(
        [sys.executable, ".ci/first_release.py"], check=False, cwd=CHECKOUT, capture_output=True, encoding="utf-8"
    )
    assert (done.returncode, done.stderr) == (0, ""), [
        line for line in done.stdout.splitlines() if "there is no release yet" in line
    ]
    listed = {line.partition(":")[0] for line in done.stdout.splitlines()}
    assert listed >= {"README.md", "pyproject.toml", "linkfix/auditing/reporters/sarif.py", ".readthedocs.yaml"}
    assert "python\n.ci/first_release.py" in (CHECKOUT / "RELEASING.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("path", "line", "expected"),
    [
        ("README.md", "[![x](https://img.shields.io/pypi/v/linkfix)](x)", [True]),
        ("pyproject.toml", 'PyPI = "https://pypi.org/project/linkfix/"', [True]),
        ("docs/a.md", "see https://linkfix.readthedocs.io/en/stable/", [True]),
        ("docs/a.md", "$ pip install linkfix", [True]),
        ("docs/a.md", "run `uvx linkfix audit .`", [True]),
        ("docs/a.md", "`pip install 'linkfix[arrow]'`", [True]),
        ("docs/a.md", "Error: linkfix.arrow needs pyarrow: pip install 'linkfix[arrow]'", []),
        ("docs/a.md", "from the first release on, `pip install linkfix`", [False]),
        ("docs/a.md", "$ pip install .", [False]),
        ("docs/a.md", "`pip install '.[arrow]'`", [False]),
        ("docs/a.md", "pip install '.[arrow,warc]' duckdb", [False]),
        ("docs/a.md", "$ LINKFIX_PLAIN=1 pip install .", []),
        ("README.md", ".venv/bin/pip install --quiet . && x", []),
        ("CONTRIBUTING.md", "$ pip install '.[test]'", []),
        ("README.md", "`uvx --from . linkfix`", [False]),
        ("docs/a.md", "- repo: https://example.com/your/copy/of/linkfix", [False]),
        (".github/workflows/wheels.yml", "url: https://pypi.org/project/linkfix/", []),
    ],
)
def test_a_place_of_the_first_release(path, line, expected):
    assert [one.is_too_early for one in FIRST["found"](path, line)] == expected


# Tools that build a release

LOCK = runpy.run_path(str(CHECKOUT / ".ci" / "lock.py"))
LOCKED = CHECKOUT / ".ci" / "locked"


def locked(name):
    """Package -> the requirements that pin it, each with its hashes: versions may differ with Python."""
    text = (LOCKED / name).read_text("utf-8").replace("\\\n", " ")
    found = {}
    for line in filter(None, text.splitlines()):
        if line.startswith("#"):
            continue
        requirement, *hashes = re.split(r"\s+--hash=", line.strip())
        parsed = Requirement(requirement)
        found.setdefault(canonicalize_name(parsed.name), []).append((parsed, hashes))
    return found


def test_every_lock_is_there():
    assert {path.name for path in LOCKED.iterdir()} == set(LOCK["requirements"]())


def environments():
    """The values of markers on each supported Python and system."""
    for version in supported():
        for system in ("linux", "win32", "darwin"):
            values = {"python_version": version, "python_full_version": f"{version}.9", "sys_platform": system}
            yield default_environment() | values


@for_each(LOCK["requirements"]())
def test_a_lock_has_each_requirement_in_one_version_and_with_hashes(name):
    found = locked(name)
    pins = [pin for pinned in found.values() for pin in pinned]
    assert all(re.fullmatch(r"==[\w.+!]+", str(pin.specifier)) for pin, _ in pins)
    assert all(hashes for _, hashes in pins)
    assert all(re.fullmatch("sha256:[0-9a-f]{64}", one) for _, hashes in pins for one in hashes)
    for wanted in map(Requirement, LOCK["requirements"]()[name]):
        for values in environments():
            pinned = [pin for pin, _ in found[canonicalize_name(wanted.name)] if applies(pin, values)]
            assert len(pinned) == applies(wanted, values), wanted
            assert all(wanted.specifier.contains(next(iter(pin.specifier)).version) for pin in pinned), wanted


def applies(requirement, values):
    return requirement.marker is None or requirement.marker.evaluate(values)


@for_each(LOCK["requirements"]())
def test_a_lock_names_no_registry_and_no_path(name):
    text = (LOCKED / name).read_text("utf-8")
    assert text.startswith(LOCK["HEADER"].format(name=name))
    assert not re.search(r"://|\s--?(?!hash=)[a-z]|[ =]/|\\[^\n]", text.partition("\n")[2])


def test_the_command_for_a_lock_is_documented():
    text = (CHECKOUT / "RELEASING.md").read_text("utf-8")
    assert "`python -m pip install uv`" in text
    assert "`python .ci/lock.py`" in text
    listed = subprocess.run([sys.executable, ".ci/lock.py", "--list"], check=True, cwd=CHECKOUT, capture_output=True)
    assert [line.partition(":")[0] for line in listed.stdout.decode().splitlines()] == list(LOCK["requirements"]())


@for_each(sorted(WORKFLOWS.glob("*.yml")), label=lambda path: path.name)
def test_actions_are_named_by_hash(workflow):
    used = re.findall(r"^ +(?:- )?uses: (.*)$", workflow.read_text("utf-8"), re.MULTILINE)
    assert used
    assert [one for one in used if not re.fullmatch(r"[\w-]+/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one)] == []


def test_one_action_has_one_hash():
    texts = [workflow.read_text("utf-8") for workflow in WORKFLOWS.glob("*.yml")]
    pinned = {one for text in texts for one in re.findall(r"uses: ((\S+)@\S+ # \S+)", text)}
    assert len(pinned) == len({action for _, action in pinned})


def test_dependabot_renews_the_hashes():
    text = (CHECKOUT / ".github" / "dependabot.yml").read_text("utf-8")
    assert re.search(r"^  - package-ecosystem: github-actions\n    directory: /$", text, re.MULTILINE)


def test_build_tools_for_wheels_are_installed_by_hash():
    workflow = (WORKFLOWS / "wheels.yml").read_text("utf-8")
    settings = SETTINGS["tool"]["cibuildwheel"]
    commands = [*re.findall(r"pip install .*", workflow), settings["before-build"], settings["before-test"]]
    assert len(commands) == 4
    assert all("--require-hashes" in command for command in commands)
    named = {name for command in commands for name in re.findall(r"\.ci/locked/([\w.]+)", command)}
    assert named == {path.name for path in LOCKED.iterdir()}
    assert "--no-isolation" in settings["build-frontend"]["args"]


def test_the_publishing_job_runs_nothing_of_its_own():
    _, _, job = (WORKFLOWS / "wheels.yml").read_text("utf-8").partition("\n  publish:\n")
    assert re.findall(r"^      - (\w+): ([^@\n]*)", job, re.MULTILINE) == [
        ("uses", "actions/download-artifact"),
        ("uses", "pypa/gh-action-pypi-publish"),
    ]


@pytest.mark.parametrize("is_compiled", [True, False])
def test_a_bill_of_materials_lists_contents_and_requirements_of_a_wheel(monkeypatch, is_compiled):
    monkeypatch.chdir(CHECKOUT)
    needed = SETTINGS["project"]["dependencies"]
    made = runpy.run_path("setup.py")["bill_of_materials"]("1.2.3", needed, is_compiled=is_compiled)
    assert (made["bomFormat"], made["specVersion"]) == ("CycloneDX", "1.6")
    assert made["metadata"]["component"]["purl"] == "pkg:pypi/linkfix@1.2.3"
    assert made["metadata"]["component"]["licenses"] == [{"license": {"id": SETTINGS["project"]["license"]}}]
    tools = [one["name"] for one in made["metadata"]["tools"]["components"]]
    assert tools == (["setuptools", "Cython"] if is_compiled else ["setuptools"])
    data, *libraries = made["components"]
    assert (data["type"], data["publisher"]) == ("data", "IANA")
    assert [one["properties"][0]["value"] for one in libraries] == sorted(needed)
    assert [one["purl"] for one in libraries] == [
        f"pkg:pypi/{canonicalize_name(Requirement(one).name)}" for one in sorted(needed)
    ]
    assert made["dependencies"] == [
        {"ref": "pkg:pypi/linkfix@1.2.3", "dependsOn": [one["bom-ref"] for one in made["components"]]}
    ]


@pytest.mark.slow
def test_a_wheel_has_its_bill_of_materials(tmp_path):
    (tmp_path / "docs").mkdir()
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE", "docs/linkfix.1"):
        shutil.copy(CHECKOUT / name, tmp_path / name)
    shutil.copytree(CHECKOUT / "linkfix", tmp_path / "linkfix", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    subprocess.run(
        [sys.executable, "-c", "from setuptools.build_meta import build_wheel; build_wheel('dist')"],
        check=True,
        cwd=tmp_path,
        env=os.environ | {"LINKFIX_PLAIN": "1"},
        capture_output=True,
    )
    [wheel] = (tmp_path / "dist").glob("*.whl")
    folder = f"linkfix-{linkfix.__version__}.dist-info"
    with zipfile.ZipFile(wheel) as archive:
        made = json.loads(archive.read(f"{folder}/sboms/linkfix.cdx.json"))
        assert f"{folder}/sboms/linkfix.cdx.json,sha256=" in archive.read(f"{folder}/RECORD").decode()
    assert made["metadata"]["component"]["version"] == linkfix.__version__
    assert len(made["components"]) == len(SETTINGS["project"]["dependencies"]) + 1


@pytest.mark.skipif(os.name == "nt", reason="a script of bash")
@pytest.mark.parametrize("python", ["tools/python", "./tools/python", "../here/tools/python", "python"])
def test_the_sanitizers_run_with_a_python_of_any_path(tmp_path, python):
    """Programs in the places of Python and gcc only print that they run."""
    here = tmp_path / "here"
    tools = here / "tools"
    tools.mkdir(parents=True)
    for name in ("python", "gcc"):
        (tools / name).write_text('#!/bin/sh\n[ "${0##*/}" = gcc ] || echo "$PWD $0 $1" >> "$LOG"\n')
        (tools / name).chmod(0o755)
    log = tmp_path / "log"
    path = f"{tools if python == 'python' else tools / 'none'}:{os.environ['PATH']}"
    environment = os.environ | {"LOG": str(log), "PATH": path, "TMPDIR": str(tmp_path)}
    script = CHECKOUT / "fuzz" / "sanitized.sh"
    command = [shutil.which("bash"), os.path.relpath(script, here), python]
    subprocess.run(command, check=True, cwd=here, env=environment)
    lines = [line.split(" ") for line in log.read_text("utf-8").splitlines()]
    assert [argument for _, _, argument in lines] == ["setup.py", "-m", "-m"]
    assert all(Path(program).samefile(tools / "python") for _, program, _ in lines)
    assert not any(folder.startswith((str(here), str(CHECKOUT))) for folder, _, _ in lines)
