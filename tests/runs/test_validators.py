"""Programs that check archives find in an archive that linkfix wrote what they find in its source, and no more."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import zipfile
from collections import Counter

import pytest
from support.archived_site import Missing, archive, served
from support.extras import needed
from support.running import run

pytestmark = pytest.mark.slow  # the programs crawl, and start for seconds


@pytest.fixture(scope="module")
def site():
    with served() as url:
        yield url


def made(name, site, folder):
    try:
        return archive(name, site, folder, None)
    except Missing as reason:
        pytest.skip(str(reason))


def checked(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize("options", [(), ("--no-keep-parts",), ("--headers",)])
@pytest.mark.parametrize("name", ["wget.warc.gz", "warcio.warc.gz"])
def test_warcio_finds_no_wrong_digest(site, tmp_path, name, options):
    needed("warcio")
    source, out = made(name, site, tmp_path), tmp_path / "out.warc.gz"
    assert run("absolutize", source, "-o", out, *options).exit_code == 0
    assert out.read_bytes() != source.read_bytes()
    found = checked(sys.executable, "-m", "warcio.cli", "check", "-v", out)
    assert found.returncode == 0, found.stdout
    assert "digest pass" in found.stdout


def test_wacz_validates_the_package(site, tmp_path):
    source, out = made("wget.wacz", site, tmp_path), tmp_path / "out.wacz"
    assert run("absolutize", source, "-o", out, "--no-keep-parts").exit_code == 0
    assert out.read_bytes() != source.read_bytes()
    found = checked("wacz", "validate", "-f", out)
    assert found.returncode == 0, found.stdout + found.stderr


def with_base(source, path, base):
    """Copy a book, but give a chapter a BASE and relative links, and no picture or style sheet, which BASE moves."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(path, "w") as new:
        for entry in old.infolist():
            data = old.read(entry)
            if entry.filename.endswith("ch001.xhtml"):
                data = re.sub(rb"<link [^>]*/>", f'<base href="{base}/docs/"/>'.encode(), data)
                data = re.sub(rb"<img [^>]*/>", b"", data).replace(f'href="{base}/images'.encode(), b'href="../images')
            new.writestr(entry, data)


def complaints(path):
    """The number of places of each complaint of epubcheck about a book."""
    program = shutil.which("epubcheck")
    java = shutil.which("java")
    if program is None or java is None:
        pytest.skip("epubcheck is not installed: apt-get install epubcheck")
    report = checked(java, "-jar", program, path, "--json", "-")
    found = json.loads(report.stdout[report.stdout.index("{") : report.stdout.rindex("}") + 1])
    return Counter({(one["ID"], one["severity"]): len(one["locations"]) for one in found["messages"]})


def test_epubcheck_finds_no_new_error(site, tmp_path):
    source, out = tmp_path / "book.epub", tmp_path / "out.epub"
    with_base(made("pandoc.epub", site, tmp_path), source, site)
    before = complaints(source)
    assert run("absolutize", source, "-o", out).exit_code == 0
    with zipfile.ZipFile(out) as book:
        assert f'href="{site}/images.html"'.encode() in book.read("EPUB/text/ch001.xhtml")
    assert complaints(out) <= before
