"""The plugin of Pelican, in real builds."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec

import pytest
from support.audit_trees import write
from support.running import ENVIRONMENT

pytestmark = pytest.mark.skipif(
    find_spec("pelican") is None or find_spec("markdown") is None,
    reason="needs Pelican (pip install 'pelican[markdown]')",
)

SETTINGS = """
SITENAME = "Lamp"
SITEURL = "https://lamp.example/blog"
TIMEZONE = "UTC"
PATH = "content"
PLUGINS = ["linkfix.plugins.pelican"]
LINKFIX_EXCLUDE = ["/author", "/category", "/feeds", "/index.html", "/tags.html", "/archives.html"]
"""
ONE = """Title: One
Date: 2020-01-01
Category: posts

[a]({filename}two.md#no), [b]({static}/a.txt)
[c](gone.html) and [d]({filename}/two.md#here)
"""
FILES = {
    "content/one.md": ONE,
    "content/two.md": 'Title: Two\nDate: 2020-01-02\nCategory: posts\n\n<i id="here">\n<a href="#nope">x</a>\n',
    "content/pages/p.md": "Title: P\n\n[one]({filename}../one.md)\n",
    "content/a.txt": "x",
}


def build(folder, *options, settings="", files=FILES):
    write(folder, {"pelicanconf.py": SETTINGS + settings} | files)
    done = subprocess.run(
        [sys.executable, "-m", "pelican", *options],
        cwd=folder,
        env=ENVIRONMENT | {"COLUMNS": "400", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    found = re.findall(r"WARNING +linkfix: (.*?) +\S+\.py:\d+", done.stdout + done.stderr)
    return done.returncode, [line.partition(" (")[0] for line in found], done.stdout + done.stderr


FINDINGS = [
    "one.md:5: LF102 no element of two.html has this ID: https://lamp.example/blog/two.html#no",
    "one.md:6: LF101 the site has no such file: gone.html",
    "two.md:6: LF102 no element of the page has this ID: #nope",
]


def test_findings_are_warnings_at_the_lines_of_the_sources(tmp_path):
    status, lines, _ = build(tmp_path)
    assert (status, lines) == (0, FINDINGS)
    status, lines, _ = build(tmp_path, "--fatal", "warnings")
    assert (status, lines) == (1, FINDINGS[:1])


def test_a_site_without_a_url(tmp_path):
    _, lines, _ = build(tmp_path, settings='SITEURL = ""\n')
    assert lines == [FINDINGS[0].replace("https://lamp.example/blog", ""), *FINDINGS[1:]]


def test_settings_choose_the_findings(tmp_path):
    assert build(tmp_path, settings='LINKFIX_IGNORE = ["LF102"]\n')[1] == FINDINGS[1:2]
    assert build(tmp_path, settings='LINKFIX_SELECT = ["LF101"]\nLINKFIX_IGNORE_TARGET = ["gone.html"]\n')[1] == []


def test_hosts_that_may_be_linked(tmp_path):
    files = FILES | {"content/two.md": "Title: Two\nDate: 2020-01-02\nCategory: posts\n\n[x](http://localhost:8000/)\n"}
    select = 'LINKFIX_SELECT = ["LF701"]\n'
    assert [line[:14] for line in build(tmp_path, settings=select, files=files)[1]] == ["two.md:5: LF70"]
    assert build(tmp_path, settings=select + 'LINKFIX_ALLOW_HOST = ["localhost"]\n', files=files)[1] == []


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ('LINKFIX_SELECT = ["LF999"]\n', "unknown rule 'LF999'"),
        ('LINKFIX_IGNORE = "LF101"\n', "LINKFIX_IGNORE is not a list of texts: 'LF101'"),
        ('LINKFIX_CLEAN_URLS = "yes"\n', "LINKFIX_CLEAN_URLS is not True or False: 'yes'"),
        ('LINKFIX_IGNORES = ["LF101"]\n', "unknown setting LINKFIX_IGNORES: did you mean LINKFIX_IGNORE?"),
        ('LINKFIX_HOST = "nobody"\n', "nobody"),
        ('SITEURL = ""\nLINKFIX_ABSOLUTIZE = ["feeds/all.atom.xml"]\n', "LINKFIX_ABSOLUTIZE needs SITEURL"),
    ],
)
def test_a_wrong_setting_ends_the_build(tmp_path, settings, message):
    status, _, text = build(tmp_path, settings=settings)
    assert status == 1
    assert message in text
    assert "Traceback" not in text
    assert not (tmp_path / "output" / "index.html").exists()


def test_a_feed_gets_links_that_are_relative_to_the_pages_of_its_entries(tmp_path):
    settings = 'LINKFIX_ABSOLUTIZE = ["feeds/all.atom.xml"]\nFEED_DOMAIN = SITEURL\n'
    build(tmp_path, settings=settings)
    feed = (tmp_path / "output" / "feeds" / "all.atom.xml").read_text("utf-8")
    assert 'href="https://lamp.example/blog/gone.html"' in feed.replace("&quot;", '"')
    status, _, text = build(tmp_path, settings='LINKFIX_ABSOLUTIZE = ["gone.xml"]\n')
    assert status == 1
    assert "absolutize: gone.xml: No such file or directory" in text
