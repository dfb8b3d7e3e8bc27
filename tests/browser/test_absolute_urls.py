"""Browsers have the absolute URLs that `tests/vectors/absolute_urls` says."""

from __future__ import annotations

import pytest
from support.absolute_urls import read_cases
from support.browser.absolute import answers
from support.browser.engine import Engine

pytestmark = [pytest.mark.browser, pytest.mark.slow]

_, CASES = read_cases()
ASKED = [case for case in CASES if case.by_browsers]


def test_browsers_answer_as_recorded(engine: Engine) -> None:
    """If a new version of one does not: python tests/vectors/record_absolute_urls.py"""
    recorded = {case.name: next(urls for names, urls in case.answers if engine.name in names) for case in ASKED}
    found = {case.name: urls for case, urls in zip(ASKED, answers(engine, ASKED), strict=True)}
    assert {name: urls for name, urls in found.items() if urls != recorded[name]} == {}
