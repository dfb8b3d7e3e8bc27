"""The plugin of MkDocs, in real builds."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import pytest
from support.audit_trees import write
from support.running import ENVIRONMENT

pytestmark = pytest.mark.skipif(find_spec("mkdocs") is None, reason="needs mkdocs (pip install mkdocs)")

SETTINGS = "site_name: x\nsite_url: https://h.example/p/\ntheme: {name: null, custom_dir: theme}\nplugins:\n  - linkfix"
HOME = "# Home\n\n[ok](guide/a.md#part) and\n[bad](guide/a.md#no)\n\n<img src=gone.png alt> <a href=raw.html>raw</a>\n"
GUIDE = "# A\n\n## Part\n\nSee [home](../index.md), [gone](/gone/), [ref].\n\n[ref]: #nope\n"
THEME = "<!DOCTYPE html>\n<title>x</title>{{ page.content }}"


def site(folder, settings=SETTINGS, **files):
    write(folder, {"mkdocs.yml": settings, "theme/main.html": THEME, "docs/index.md": HOME, "docs/guide/a.md": GUIDE})
    write(folder, {f"docs/{name}": text for name, text in files.items()})


def build(folder, *options):
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", *options],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, [line.partition("linkfix: ")[2] for line in done.stderr.splitlines() if "linkfix: " in line]


def test_findings_are_warnings_at_the_lines_of_the_sources(tmp_path):
    site(tmp_path)
    status, lines = build(tmp_path)
    assert status == 0
    assert lines == [
        "docs/guide/a.md:7: LF102 no element of the page has this ID: #nope (guide/a/index.html:4:71)",
        "docs/index.md:4: LF102 no element of guide/a/index.html has this ID: guide/a/#no (index.html:4:10)",
        "docs/index.md:6: LF101 the site has no such file: gone.png (index.html:5:13)",
        "docs/index.md:6: LF101 the site has no such file: raw.html (index.html:5:35)",
    ]
    assert build(tmp_path, "--strict")[0] == 1


def test_options_choose_the_findings(tmp_path):
    site(tmp_path, f"{SETTINGS}:\n      ignore: [LF101]\n      ignore_target: [guide/a/]\n")
    assert build(tmp_path)[1] == []
    site(tmp_path, f"{SETTINGS}:\n      select: [LF101]\n")
    assert [line[:18] for line in build(tmp_path)[1]] == ["docs/index.md:6: L"] * 2
    site(tmp_path, f"{SETTINGS}:\n      enabled: false\n")
    assert build(tmp_path)[1] == []


def test_hosts_that_may_be_linked(tmp_path):
    page = {"docs/index.md": "[a](http://localhost:8000/) [b](http://10.0.0.1/)\n"}
    site(tmp_path, f"{SETTINGS}:\n      select: [LF701]\n")
    write(tmp_path, page)
    assert [line.split(":")[2][:6] for line in build(tmp_path)[1]] == [" LF701"] * 2
    site(tmp_path, f"{SETTINGS}:\n      select: [LF701]\n      allow_host: [localhost]\n")
    write(tmp_path, page)
    assert len(build(tmp_path)[1]) == 1


def test_each_option_that_plugins_share_is_a_setting():
    from linkfix.plugins.built_site import SETTINGS as SHARED
    from linkfix.plugins.mkdocs import LinkfixConfig

    assert set(SHARED) <= set(LinkfixConfig().keys())


def test_a_wrong_option_ends_the_build_with_one_message(tmp_path):
    site(tmp_path, f"{SETTINGS}:\n      select: [LF999]\n")
    status, lines = build(tmp_path)
    assert status == 1
    assert len(lines) == 1
    assert "LF999" in lines[0]
    assert not (tmp_path / "site").exists()


def test_a_fault_of_the_navigation_is_one_warning_without_a_source(tmp_path):
    site(tmp_path, **{"index.md": "# A\n", "guide/a.md": "# B\n\n[x](../gone.html)\n", "guide/b.md": "# C\n"})
    menu = THEME + "<a href='{{ 'gone.html'|url }}'>x</a><a href='{{ 'lone.html'|url }}' hidden>y</a>"
    write(tmp_path, {"theme/main.html": menu})
    everywhere = "3 pages, but none of their sources; the first is guide/a/index.html"
    assert build(tmp_path)[1] == [
        "docs/guide/a.md:3: LF101 the site has no such file: ../gone.html (guide/a/index.html:3:13)",
        f"LF101 the site has no such file: ../../gone.html ({everywhere}:3:45)",
        f"LF101 the site has no such file: ../../lone.html ({everywhere}:3:76)",
    ]


def test_links_to_one_target_have_their_own_lines(tmp_path):
    text = "a [x](gone.html) b\n\nc\n\n[y](gone.html)\n\n[z](gone.html?n)\n"
    site(tmp_path, **{"index.md": text, "guide/a.md": ""})
    assert [line.split()[0] for line in build(tmp_path)[1]] == [f"docs/index.md:{line}:" for line in (1, 5, 7)]


def test_a_page_without_a_source(tmp_path):
    site(tmp_path)
    write(tmp_path, {"docs/raw.html": '<!DOCTYPE html><a href="away.html">x</a>', "docs/gone.png": ""})
    assert "LF101 the site has no such file: away.html (raw.html:1:25)" in build(tmp_path)[1]


FEED = '<?xml version="1.0"?><rss version="2.0"><channel><item><link>guide/a/</link></item></channel></rss>'


def test_absolute_links_in_a_feed(tmp_path):
    site(tmp_path, f"{SETTINGS}:\n      absolutize: [feed.xml]\n")
    write(tmp_path, {"docs/feed.xml": FEED})
    build(tmp_path)
    made = (tmp_path / "site" / "feed.xml").read_text()
    assert made == FEED.replace("guide/a/", "https://h.example/p/guide/a/")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (SETTINGS, "absolutize: missing.xml: No such file or directory"),
        (SETTINGS.replace("site_url: https://h.example/p/", ""), "absolute links need site_url in mkdocs.yml"),
    ],
)
def test_absolute_links_that_cannot_be_written(tmp_path, settings, message):
    site(tmp_path, f"{settings}:\n      absolutize: [missing.xml]\n")
    status, lines = build(tmp_path)
    assert (status, lines) == (1, [message])


def test_control_characters_and_passwords_are_not_shown(tmp_path):
    site(tmp_path, **{"b.md": "[x](https://me:secret@h.example/p/gone) <a href='gone\x1b[31m'>y</a>\n"})
    lines = "\n".join(build(tmp_path)[1])
    assert "secret" not in lines
    assert "\x1b" not in lines
    assert lines.count("docs/b.md:1: ") >= 2
