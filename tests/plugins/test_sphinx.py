"""The extension of Sphinx, in real builds."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import pytest
from support.audit_trees import write
from support.running import ENVIRONMENT

pytestmark = pytest.mark.skipif(find_spec("sphinx") is None, reason="needs Sphinx (pip install sphinx)")

SETTINGS = 'extensions = ["linkfix.plugins.sphinx"]\nhtml_theme = "basic"\n'
HOME = """Home
====

.. toctree::

   sub/a

`bad <sub/a.html#no>`_

.. raw:: html

   <a href="gone.html">x</a>
"""


def build(folder, *options, settings=SETTINGS):
    write(folder, {"conf.py": settings, "index.rst": HOME, "sub/a.rst": "A\n=\n\n`home <../index.html>`_\n"})
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "--no-color", *options, ".", "out"],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, [line.partition(f"{folder}/")[2] or line for line in done.stderr.splitlines()]


def test_findings_are_warnings_at_the_lines_of_the_sources(tmp_path):
    status, lines = build(tmp_path, "-b", "html")
    assert status == 0
    assert [line.partition(" (index.html:")[0] for line in lines] == [
        "index.rst:8: WARNING: LF102 no element of sub/a.html has this ID: sub/a.html#no",
        "index.rst:12: WARNING: LF101 the site has no such file: gone.html",
    ]
    assert build(tmp_path, "-b", "html", "-W", "-E")[0] == 1


def test_pages_in_folders(tmp_path):
    _, lines = build(tmp_path, "-b", "dirhtml")
    assert [line[:20] for line in lines] == ["index.rst:8: WARNING", "index.rst:12: WARNIN", "sub/a.rst:4: WARNING"]


def test_builders_without_pages_are_not_checked(tmp_path):
    assert build(tmp_path, "-b", "text") == (0, [])


def test_options_choose_the_findings(tmp_path):
    _, lines = build(tmp_path, settings=SETTINGS + 'linkfix_ignore = ["LF101"]\n')
    assert [line[:12] for line in lines] == ["index.rst:8:"]
    _, lines = build(tmp_path, "-E", settings=SETTINGS + 'suppress_warnings = ["linkfix.LF102"]\n')
    assert [line[:13] for line in lines] == ["index.rst:12:"]
    settings = (
        SETTINGS + 'linkfix_root_url = "https://h.example/d/"\nlinkfix_ignore_target = ["gone.html", "sub/a.html"]\n'
    )
    assert build(tmp_path, "-E", settings=settings) == (0, [])


def test_hosts_that_may_be_linked_and_clean_urls(tmp_path):
    settings = SETTINGS + 'linkfix_select = ["LF701", "LF101"]\nlinkfix_ignore_target = ["gone.html"]\n'
    write(tmp_path, {"private.rst": ":orphan:\n\nP\n=\n\n`a <http://localhost:1/>`__ `b <index>`__\n"})
    _, lines = build(tmp_path, settings=settings)
    assert [line.split(":")[0] for line in lines if "private" in line] == ["private.rst"] * 2
    settings += 'linkfix_allow_host = ["localhost"]\nlinkfix_clean_urls = True\n'
    _, lines = build(tmp_path, "-E", settings=settings)
    assert [line for line in lines if "private" in line] == []


def test_a_wrong_option_ends_the_build(tmp_path):
    status, lines = build(tmp_path, settings=SETTINGS + 'linkfix_select = ["LF999"]\n')
    assert status == 2
    assert "linkfix: unknown rule 'LF999'" in "\n".join(lines)
    assert not (tmp_path / "out" / "index.html").exists()


def test_a_fault_of_the_theme_is_one_warning_without_a_source(tmp_path):
    write(tmp_path, {"templates/layout.html": THEME})
    _, lines = build(tmp_path, settings=f'{SETTINGS}templates_path = ["templates"]\nlinkfix_ignore = ["LF102"]\n')
    assert [line.partition("; the first is ")[0] for line in lines if "lone" in line] == [
        "WARNING: LF101 the site has no such file: lone.html (4 pages, but none of their sources"
    ]


THEME = """{% extends "basic/layout.html" %}
{% block footer %}<a href="{{ pathto('lone.html', 1) }}">x</a>{{ super() }}{% endblock %}
"""
