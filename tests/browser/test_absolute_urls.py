"""Browsers have the absolute URLs that `tests/vectors/absolute_urls` says."""

from __future__ import annotations

import pytest
from support.absolute_urls import UrlCase, Urls, read_cases
from support.browser.absolute import answers
from support.browser.engine import Engine

pytestmark = [pytest.mark.browser, pytest.mark.slow]

_, CASES = read_cases()
ASKED = [case for case in CASES if case.by_browsers]


def test_browsers_answer_as_recorded(engine: Engine) -> None:
    """If a new version of one does not: python tests/vectors/record_absolute_urls.py"""
    recorded = {case.name: next(urls for names, urls in case.answers if engine.name in names) for case in ASKED}

    def deviations(cases: list[UrlCase]) -> dict[str, Urls]:
        found = zip(cases, answers(engine, cases), strict=True)
        return {case.name: urls for case, urls in found if urls != recorded[case.name]}

    # On a busy machine, the parser may reach BASE before an image that comes earlier is asked for.
    different = deviations(ASKED)
    assert deviations([case for case in ASKED if case.name in different]) == {}
