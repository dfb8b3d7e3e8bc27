"""The option --conditional-comments of each command that has it."""

from __future__ import annotations

import base64
import email
import quopri

import pytest
from support.running import run

URL = ("--url", "https://h.example/d/")
ON = "--conditional-comments"
PAGE = (
    '<!DOCTYPE html><html lang="en"><title>x</title>\n<a href="b.html">b</a><!--[if mso]>\n'
    '<v:fill src="/c.png" /><![endif]-->\n'
)
MAIL = (
    "From: a@h.example\nSubject: x\nMIME-Version: 1.0\nContent-Type: text/html; charset=utf-8\n"
    "Content-Transfer-Encoding: quoted-printable\nContent-Base: https://h.example/n/\n\n"
    '<p><!--[if mso]><v:fill src=3D"bg.png" color=3D"#fff" /><![endif]--></p>\n'
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "a.html").write_text(PAGE)
    (tmp_path / "site" / "b.html").write_text("<!DOCTYPE html><html lang=en><title>b</title>")
    return tmp_path


def test_links_are_listed_with_their_places():
    listed = run("links", "site/a.html", *URL, ON).stdout.splitlines()
    assert listed[1] == "site/a.html:3:14 v:fill[src] /c.png -> https://h.example/c.png"
    assert len(run("links", "site/a.html", *URL).stdout.splitlines()) == 1


def test_links_become_absolute(folder):
    made = PAGE.replace('"b.html', '"https://h.example/d/b.html')
    assert run("absolutize", "site/a.html", *URL).stdout == made
    made = made.replace('"/c.png', '"https://h.example/c.png')
    assert run("absolutize", "site/a.html", *URL, ON).stdout == made
    (folder / "linkfix.toml").write_text("conditional-comments = true\n")
    assert run("absolutize", "site/a.html", *URL).stdout == made


def test_links_in_a_mail_become_absolute(folder):
    (folder / "m.eml").write_text(MAIL)
    assert run("absolutize", "m.eml").stdout == MAIL
    made = run("absolutize", "m.eml", ON).stdout
    assert 'src=3D"https://h.example/n/bg.png"' in made.replace("=\n", "")


def test_links_become_relative(folder):
    (folder / "site" / "c.png").write_bytes(b"")
    run("relativize", "site", "--root-url", "https://h.example/", "--output", "made", ON)
    assert (folder / "made" / "a.html").read_text() == PAGE.replace("/c.png", "c.png")


def test_links_move(folder):
    moves = ("--from", "https://h.example/", "--to", "https://new.example/n/")
    run("move", "site", "--root-url", "https://h.example/", *moves, "--output", "made", ON)
    assert (folder / "made" / "a.html").read_text() == PAGE.replace("/c.png", "/n/c.png")


def test_links_are_audited():
    assert "c.png" not in run("audit", "site").stdout
    found = run("audit", "site", ON)
    assert found.exit_code == 1
    assert "a.html:3:14: error LF101 the site has no such file: /c.png" in found.stdout


MHTML = (
    b"From: <Saved by Blink>\r\nMIME-Version: 1.0\r\nSnapshot-Content-Location: https://h.example/d/a.html\r\n"
    b'Content-Type: multipart/related; type="text/html"; boundary="b"\r\n\r\n--b\r\nContent-Type: text/html\r\n'
    b"Content-Transfer-Encoding: %b\r\nContent-Location: https://h.example/d/a.html\r\n\r\n%b\r\n--b\r\n"
    b"Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n"
    b"Content-Location: https://h.example/d/bg.png\r\n\r\niVBORw0KGgo=\r\n--b--\r\n"
)


@pytest.mark.parametrize(
    ("transfer", "encode"), [(b"quoted-printable", quopri.encodestring), (b"base64", base64.encodebytes)]
)
def test_links_in_the_comments_of_mhtml_become_absolute(folder, transfer, encode):
    comment = '<!--[if mso]><v:fill src="bg.png" color="#fff" /><a href="shop?é">x</a><![endif]-->'
    page = f'<p>é = "x"</p>\n{comment}\n<p>ü</p>'.encode()
    before = MHTML % (transfer, encode(page).rstrip(b"\n").replace(b"\n", b"\r\n"))
    (folder / "a.mhtml").write_bytes(before)
    assert run("absolutize", "a.mhtml").stdout_bytes == before
    made = run("absolutize", "a.mhtml", ON).stdout_bytes
    parts = [list(email.message_from_bytes(data).walk())[1:] for data in (before, made)]
    old, new = ([part.get_payload(decode=True) for part in of] for of in parts)
    assert [data.replace(b"\r\n", b"\n") for data in old] == [page, b"\x89PNG\r\n\x1a\n".replace(b"\r\n", b"\n")]
    # A reference to another part of the file stays.
    assert new == [
        old[0].replace(b'"shop?', b'"https://h.example/d/shop?').replace('é">'.encode(), b'%C3%A9">'),
        old[1],
    ]
    assert [part.items() for part in parts[1]] == [part.items() for part in parts[0]]
