from __future__ import annotations

import os

import pytest

from linkfix.auditing import AuditOptions, Hint, audit, fix_references

OPTIONS = AuditOptions()


@pytest.fixture
def site(tmp_path):
    (tmp_path / "there.html").write_bytes(b"<p>there</p>")
    return tmp_path


def with_hints(found, *hints):
    """An audit whose findings on a reference that is gone have these hints, a finding each."""
    gone = [finding for finding in found.findings if finding.code == "LF101"]
    findings = tuple(finding._replace(hint=hint) for finding in gone for hint in hints)
    return found.__class__(**{**{name: getattr(found, name) for name in found.__slots__}, "findings": findings})


def mended(site, *hints, options=OPTIONS):
    return list(fix_references(with_hints(audit(str(site), options), *hints), options))


@pytest.mark.parametrize(
    ("encoding", "old", "new"),
    [
        ("utf-8", "é <a href=gone.html class=x>é</a>\r\n", "é <a href=there.html class=x>é</a>\r\n"),
        ("utf-16", "é <a href='gone.html'>é</a>", "é <a href='there.html'>é</a>"),
        ("shift_jis", '<p>表<a href="gone.html">表</a>', '<p>表<a href="there.html">表</a>'),
        ("utf-8", '<a href="./gone&#46;html"><a href=" gone.html ">', '<a href="there.html"><a href=" there.html ">'),
        ("utf-8", "<iframe srcdoc=\"é <a href='gone.html'>\">", "<iframe srcdoc=\"é <a href='there.html'>\">"),
        ("utf-8", "<style>a { b: url(gone.html) }</style>", "<style>a { b: url(there.html) }</style>"),
        ("utf-8", '<img srcset="there.html 1x, gone.html 2x">', '<img srcset="there.html 1x, there.html 2x">'),
        ("utf-8", '<base href="/x/"><a href="gone.html">', '<base href="/x/"><a href="there.html">'),
    ],
)
def test_only_the_reference_changes(site, encoding, old, new):
    (site / "page.html").write_bytes(old.encode(encoding))
    [one] = mended(site, Hint("", "there.html", certain=True), options=AuditOptions(charset=encoding))
    assert one.new.decode(encoding) == new
    assert (one.name, one.old, one.error) == ("page.html", old.encode(encoding), "")
    assert one.new.startswith(old.encode(encoding)[:2])


@pytest.mark.parametrize(
    "hint", [None, Hint("", "there.html"), Hint("", None, certain=True), Hint("", "gone.html", certain=True)]
)
def test_uncertain_or_ineffective_fixes_are_not_made(site, hint):
    (site / "page.html").write_bytes(b'<a href="gone.html">')
    assert mended(site, hint) == []


def test_the_first_of_two_hints_for_one_reference_is_used(site):
    (site / "page.html").write_bytes(b'<a href="gone.html">')
    [one] = mended(site, Hint("", "there.html", certain=True), Hint("", "other.html", certain=True))
    assert one.new == b'<a href="there.html">'
    assert len(one.findings) == 1


def test_a_file_that_changed_since_is_left(site):
    page = site / "page.html"
    page.write_bytes(b'<a href="gone.html"><a href="gone.html">')
    found = with_hints(audit(str(site), OPTIONS), Hint("", "there.html", certain=True))
    page.write_bytes(b'<a href="GONE.html"><a href="gone.html">')
    [one] = fix_references(found, OPTIONS)
    assert one.new == b'<a href="GONE.html"><a href="there.html">'
    page.write_bytes(b"x")
    assert list(fix_references(found, OPTIONS)) == []
    page.unlink()
    assert list(fix_references(found, OPTIONS)) == []


def test_an_unreadable_file_is_reported(site, monkeypatch):
    (site / "page.html").write_bytes(b'<a href="gone.html">')
    found = with_hints(audit(str(site), OPTIONS), Hint("", "there.html", certain=True))

    def refuse(path, **_):
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr("linkfix.auditing.fix.atomic.read", refuse)
    [one] = fix_references(found, OPTIONS)
    assert (one.name, one.error, one.new) == ("page.html", "Permission denied", b"")


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="no symbolic links")
def test_a_symbolic_link_to_a_page_is_fixed_in_its_target(site):
    (site / "page.html").write_bytes(b'<a href="gone.html">')
    (site / "linked.html").symlink_to("page.html")
    for one in mended(site, Hint("", "there.html", certain=True)):
        assert one.path == os.path.realpath(site / "page.html")
