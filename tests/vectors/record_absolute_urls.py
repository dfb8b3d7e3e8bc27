"""Records the answers of the installed browsers in `absolute_urls/cases.json`; feeds keep theirs.

    python tests/vectors/record_absolute_urls.py [NAME …]

NAME: the cases, or kinds of cases, to ask about (default: all). `tests/browser/test_absolute_urls.py` tests that the
answers still hold; record again if a new version of a browser differs.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.absolute_urls import Urls, read_cases, write_cases
from support.browser.absolute import answers
from support.browser.engines import ENGINES, Running


def grouped(given: dict[str, Urls]) -> list[tuple[list[str], Urls]]:
    """The different answers, each with the browsers that gave it."""
    different: list[tuple[list[str], Urls]] = []
    for name, urls in given.items():
        names = next((names for names, known in different if known == urls), None)
        if names is None:
            different.append(([name], urls))
        else:
            names.append(name)
    return different


def main(names: list[str]) -> None:
    """Ask, and write the file."""
    _, cases = read_cases()
    asked = [case for case in cases if case.by_browsers and (not names or {case.name, case.kind} & set(names))]
    running = Running()
    try:
        versions = {name: running[name].version() for name in ENGINES}
        given = {name: list(answers(running[name], asked)) for name in ENGINES}
    finally:
        running.close()
    found = {case.name: grouped({name: given[name][number] for name in ENGINES}) for number, case in enumerate(asked)}
    write_cases(versions, [case._replace(answers=found.get(case.name, case.answers)) for case in cases])


if __name__ == "__main__":
    main(sys.argv[1:])
