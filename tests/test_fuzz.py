"""The fuzzer: faults that it found stay mended, its inputs depend on the seed alone, and it finds planted faults."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from random import Random

import pytest
from support.paths import TESTS

import linkfix
from fuzz.__main__ import main
from fuzz.case import Case, read_findings, write_finding
from fuzz.growth import growth_beyond_linear
from fuzz.inputs import make
from fuzz.invariants import INVARIANTS, check
from fuzz.kills import SCENARIOS, kill_once, reference
from fuzz.minimize import minimize
from fuzz.twin import plain_twin

unix = pytest.mark.skipif(sys.platform == "win32", reason="fork and signals as Unix has them")
removes_leftovers = pytest.mark.skipif(
    find_spec("linkfix.files.atomic") is None, reason="this linkfix does not remove what a killed run leaves behind"
)
FOUND = list(read_findings(TESTS / "fuzz_cases.jsonl"))


@pytest.mark.parametrize("found", FOUND, ids=lambda found: found.invariant)
def test_a_found_case_stays_mended(found):
    assert check(found.invariant, found.case) is None


def test_inputs_depend_on_the_seed_alone():
    assert [make(1, number) for number in range(200)] == [make(1, number) for number in range(200)]
    assert [make(1, number) for number in range(20)] != [make(2, number) for number in range(20)]
    assert {make(1, number).kind for number in range(200)} == {"document", "container", "settings"}


def test_every_invariant_is_documented():
    assert all(invariant.check.__doc__ for invariant in INVARIANTS.values())
    assert len(INVARIANTS) == len({invariant.check for invariant in INVARIANTS.values()})


@pytest.mark.slow
def test_a_run(tmp_path, capsys):
    only = ["--only", "compiled_and_plain_agree", "--only", "containers_raise_nothing"]
    assert main(["--seed", "1", "--count", "150", "--found", str(tmp_path), *only]) == 0
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first == "python -m fuzz --seconds 60 --seed 1"
    assert last.split()[0] in INVARIANTS


def broken_absolutize(case):
    """An invariant that does not hold for documents with a "z" in an attribute and a "y" behind it."""
    return "seen" if b"z" in case.data and b"y" in case.data.partition(b"z")[2] else None


def test_a_found_case_is_made_small_and_can_be_replayed(tmp_path, capsys, monkeypatch):
    broken = INVARIANTS["targets_stay"]._replace(check=broken_absolutize)
    monkeypatch.setitem(INVARIANTS, "targets_stay", broken)
    case = Case("document", b"<p>a</p>" * 20 + b"<a href='zoo' id=x>yes</a>" + b"<!-- -->" * 9, "http://h/a", "utf-8")
    small = minimize(case, lambda tried: check("targets_stay", tried) is not None, 10)
    assert (small.data, small.url, small.charset) == (b"zy", "http://h/", "utf-8")
    monkeypatch.setattr("fuzz.run.make", lambda _seed, _number: case)
    assert main(["--count", "3", "--only", "targets_stay", "--found", str(tmp_path)]) == 1
    [path] = tmp_path.iterdir()
    [found] = read_findings(path)
    assert (found.invariant, found.case, found.message) == ("targets_stay", small, "seen")
    assert main(["--replay", str(path)]) == 1
    monkeypatch.undo()
    assert main(["--replay", str(path)]) == 0
    assert "holds" in capsys.readouterr().out


def test_an_exception_is_found_and_a_mistake_of_a_caller_is_not(monkeypatch):
    def raises(case):
        raise case.options["error"]

    monkeypatch.setitem(INVARIANTS, "targets_stay", INVARIANTS["targets_stay"]._replace(check=raises))
    mistake = linkfix.LinkfixError("x")
    assert check("targets_stay", Case("document", b"", options={"error": mistake})) is None
    message = check("targets_stay", Case("document", b"", options={"error": IndexError("x")}))
    assert message.startswith("IndexError in raises")


def test_bytes_are_written_unchanged(tmp_path):
    case = Case("document", bytes(range(256)), None, "latin-1", options={"lazy": True})
    found = read_findings(TESTS / "fuzz_cases.jsonl")
    write_finding(tmp_path / "case.json", next(found)._replace(case=case))
    assert next(read_findings(tmp_path / "case.json")).case == case


@pytest.mark.skipif(not linkfix.COMPILED, reason="no module is compiled here")
def test_the_plain_twin_is_plain():
    twin = plain_twin()
    document = twin.call(twin.linkfix.Document, b"<a href=x>", url="http://h/")
    assert twin.call(document.absolutize) == b"<a href=http://h/x>"
    assert type(document._outline).__module__ == "linkfix.kernels.outline"
    assert type(document._outline) is not type(linkfix.Document(b"")._outline)
    assert sys.modules[type(document._outline).__module__].__file__.endswith(".so")
    assert sys.modules["linkfix"] is linkfix


@pytest.mark.growth
def test_quadratic_work_is_found():
    def quadratic(data):
        return sum(data.count(b"x", start) for start in range(0, len(data), 8))

    assert growth_beyond_linear(lambda count: b"a" * count, len) is None
    assert growth_beyond_linear(lambda count: b"a" * count, quadratic) is not None


@pytest.mark.slow
@unix
@removes_leftovers
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # the process has threads of pytest-xdist
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_kill_leaves_old_and_new_files(name):
    scenario = SCENARIOS[name]
    known = reference(scenario)
    for seed in range(2):
        how, wrong = kill_once(scenario, known, Random(seed))  # noqa: S311 - moments
        assert how in {"killed", "ended before", "killed, temporary files left"}
        assert wrong == []


@pytest.mark.slow
@unix
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_harm_is_seen(monkeypatch):
    def torn(folder, _arguments):
        (folder / "site" / "part0" / "000.html").write_bytes(b"<p>")
        (folder / "site" / "new.html").touch()
        os._exit(0)

    scenario = SCENARIOS["in place"]
    known = reference(scenario)
    monkeypatch.setattr("fuzz.kills._run", torn)
    _, wrong = kill_once(scenario, known, Random(1))  # noqa: S311 - a moment
    assert "site/part0/000.html is neither old nor new" in wrong
    assert "site/new.html after the rerun" in wrong
