from __future__ import annotations

import pytest

from linkfix.errors import InvalidOption
from linkfix.runs.plan import Source, Task, plan


@pytest.fixture
def site(tmp_path):
    root = tmp_path / "site"
    (root / "void").mkdir(parents=True)
    (root / "index.html").write_bytes(b"<p>")
    return root


def test_refuses_a_source_twice_or_in_another(site):
    with pytest.raises(InvalidOption, match="is given twice"):
        plan([Source.of(str(site)), Source.of(f"{site}/.")], Task())
    with pytest.raises(InvalidOption, match=r"is in .*site: give each file once"):
        plan([Source.of(str(site / "index.html")), Source.of(str(site))], Task())


@pytest.mark.parametrize("output", ["site", "site/deeper/out", ".", "link"])
def test_refuses_an_output_that_overlaps_an_input(site, tmp_path, output):
    (tmp_path / "link").symlink_to(site)
    with pytest.raises(InvalidOption, match="lie in each other"):
        plan([Source.of(str(site))], Task(output=str(tmp_path / output)))


def test_refuses_a_file_whose_output_is_itself_and_no_other(site):
    with pytest.raises(InvalidOption, match="lie in each other"):
        plan([Source.of(str(site / "index.html"))], Task(output=str(site)))
    assert list(plan([Source.of(str(site / "index.html"))], Task(output=str(site / "void"))))


def test_refuses_an_output_over_another_input(tmp_path):
    for name in ("x/site", "y/site/sub"):
        (tmp_path / name).mkdir(parents=True)
    sources = [Source.of(str(tmp_path / "x/site")), Source.of(str(tmp_path / "y/site/sub"))]
    with pytest.raises(InvalidOption, match="lie in each other"):
        plan(sources, Task(output=str(tmp_path / "y")))


def test_refuses_two_sources_with_one_place(tmp_path):
    for name in ("x/page.html", "y/page.html"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_bytes(b"<p>")
    sources = [Source.of(str(tmp_path / "x/page.html")), Source.of(str(tmp_path / "y/page.html"))]
    with pytest.raises(InvalidOption, match="would have the same place"):
        plan(sources, Task(output=str(tmp_path / "out")))
