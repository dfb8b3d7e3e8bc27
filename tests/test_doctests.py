from __future__ import annotations

import doctest
import importlib

from support.each import for_each
from support.modules import OWN_MODULES

#: Modules whose docstrings show how they are used.
WITH_EXAMPLES = {
    "linkfix",
    "linkfix.api",
    "linkfix.html.values",
    "linkfix.resolvers",
    "linkfix.resolvers.fielding1994",
    "linkfix.resolvers.rfc1808",
    "linkfix.resolvers.rfc2396",
    "linkfix.resolvers.rfc3986",
    "linkfix.resolvers.whatwg",
}


def examples(module):
    return [test for test in doctest.DocTestFinder().find(importlib.import_module(module)) if test.examples]


@for_each(OWN_MODULES)
def test_examples(module):
    runner = doctest.DocTestRunner()
    reports = []
    for test in examples(module):
        runner.run(test, out=reports.append)
    assert not runner.failures, "".join(reports)


def test_examples_are_found():
    assert {module for module in OWN_MODULES if examples(module)} >= WITH_EXAMPLES
