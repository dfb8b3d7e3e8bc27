"""No report has a password of a URL, as the URL engine reads it: 10,000 URLs with `--everything`, in one page."""

from __future__ import annotations

import html

import pytest
from support.audit_trees import audited
from support.passwords import SECRET, generated
from support.reports import report
from support.sizes import examples

from linkfix.auditing.reporters import REPORTERS

FORMS = generated(examples(10_000))


def attribute(url):
    """A URL as an attribute's value. Characters that the parser normalizes are written as character references."""
    return html.escape(url).replace("\r", "&#13;")


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """The fault of one link is in the line of others: each is at the edge of an excerpt."""
    links = "".join(
        f'<a href="{attribute(url)}">{"x" * (number % 160)}</a><a href=gone></a>' for number, url in enumerate(FORMS)
    )
    return audited(tmp_path_factory.mktemp("site"), {"index.html": links}, select=("all",))


def test_every_url_is_checked(found):
    assert found.coverage.links == 2 * len(FORMS)
    assert sum(finding.reference == "gone" for finding in found.findings) == len(FORMS)
    assert sum("…@" in finding.reference for finding in found.findings) > len(FORMS) / 2


@pytest.mark.parametrize("name", REPORTERS)
def test_no_report_has_a_password(found, name):
    assert SECRET not in report(name, found)
