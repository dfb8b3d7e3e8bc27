from __future__ import annotations

import json

import pytest
from support.running import run

from linkfix.files import atomic

PAGE = b'<meta charset=koi8-r>\n<base target=x><base href="/b/"><base href="/c/">'


def base(page, *arguments):
    return run("base", "-", *arguments, stdin=page)


def test_every_layer_is_printed_with_its_url_and_the_reason():
    result = base(PAGE, "--url", "https://example.com/p", "--default-base", "https://d/")
    assert result.exit_code == 0
    first, *layers, encoding = result.stdout.splitlines()
    assert first == "(standard input): https://example.com/b/"
    assert [line[:18].strip() for line in layers] == [
        "base element",
        "base element",
        "about base URL",
        "document's URL",
        "default base URL",
    ]
    assert "https://example.com/b/  (line 2," in layers[0]
    assert layers[0].endswith("  used")
    assert "/c/  (line 2," in layers[1]
    assert layers[1].endswith("not used: only the first BASE element with an href is used")
    assert layers[2].split()[-1] == "none"
    assert "https://example.com/p  (given for this document)" in layers[3]
    assert layers[3].endswith("not used: the base element comes first")
    assert "https://d/" in layers[4]
    assert layers[4].endswith("not used: the document's URL comes first")
    assert encoding.split()[:2] == ["encoding", "koi8-r"]
    assert "meta" in encoding


@pytest.mark.parametrize(
    ("arguments", "page", "url", "used"),
    [
        ([], b"<p>", None, None),
        (["--default-base", "http://d/"], b"<p>", "http://d/", "default"),
        (["--url", "http://u/", "--default-base", "http://d/"], b"<p>", "http://u/", "retrieval"),
        (["--url", "http://u/"], b"<base href=data:,x>", "http://u/", "retrieval"),
        (["--url", "http://u/", "--spec", "rfc2396"], b"<base href=x>", "http://u/", "retrieval"),
        (["--url", "http://u/"], b"<base href=x/>", "http://u/x/", "embedded"),
    ],
)
def test_json(arguments, page, url, used):
    row = json.loads(base(page, *arguments, "--format", "json").stdout)
    assert row["url"] == url
    assert row["layer"] == (used or "none")
    assert [layer["layer"] for layer in row["layers"] if layer["used"]] == ([used] if used else [])
    assert {layer["layer"] for layer in row["layers"]} == {"embedded", "encapsulating", "retrieval", "default"}
    assert set(row["encoding"]) == {"name", "source", "where"}


NAMES = {
    "fielding1994": ["embedded", "retrieval"],
    "rfc1808": ["3.1 embedded", "3.2 encapsulating", "3.3 retrieval", "3.4 default"],
    "rfc2396": ["5.1.1 embedded", "5.1.2 encapsulating", "5.1.3 retrieval", "5.1.4 default"],
    "rfc3986": ["5.1.1 embedded", "5.1.2 encapsulating", "5.1.3 retrieval", "5.1.4 default"],
    "whatwg": ["base element", "about base URL", "document's URL", "default base URL"],
}


@pytest.mark.parametrize("spec", NAMES)
def test_layers_have_the_names_of_the_specification(spec):
    names = NAMES[spec]
    head, *lines = base(b"<p>", "--url", "http://h/", "--spec", spec).stdout.splitlines()
    width = max(map(len, names)) + 3
    assert [line[2:width].rstrip() for line in lines] == [*names, "encoding"]
    assert head == "(standard input): http://h/"
    row = json.loads(base(b"<p>", "--url", "http://h/", "--spec", spec, "--format", "json").stdout)
    assert row["spec"] == spec
    sections = [name.split()[0] if name[0].isdigit() else None for name in names]
    for layer, name, section in zip(row["layers"], names, sections, strict=True):
        assert section in {None, layer["section"]}
        assert name.removeprefix(f"{section} ") == layer["name"]


def test_a_layer_outside_the_specification_is_printed_if_it_has_a_url():
    lines = base(b"<p>", "--spec", "fielding1994", "--default-base", "http://d/").stdout.splitlines()
    assert lines[0] == "(standard input): no base URL"
    assert lines[1:4] == [
        "  embedded  none",
        "  retrieval none",
        "  default   http://d/  (default base)  not used: fielding1994 does not use it as a base",
    ]


def test_the_empty_base_of_rfc_1808():
    """§3.4: the base URL is considered to be the empty string."""
    arguments = ["--spec", "rfc1808", "--default-base", "http://d/"]
    lines = base(b"<p>", *arguments).stdout.splitlines()
    assert lines[0] == "(standard input): (empty)"
    assert lines[4:6] == [
        "  3.4 default       (empty)  (the empty string: all references are treated as absolute)  used",
        "  3.4 default       http://d/  (default base)  not used: rfc1808 does not use it as a base",
    ]
    row = json.loads(base(b"<p>", *arguments, "--format", "json").stdout)
    assert (row["url"], row["layer"], row["fallback"]) == ("", "default", "")


def test_a_document_without_a_base_is_reported():
    assert base(b"<p>").stdout.startswith("(standard input): no base URL\n")


def test_text_of_a_document_is_escaped_for_terminals():
    result = base(b'<base href="\x1b[31m//h\xc2\x9b/">', "--charset", "utf-8", "--url", "http://h/")
    assert "\x1b" not in result.stdout
    assert "\x9b" not in result.stdout


@pytest.mark.parametrize(
    ("heading", "page", "arguments", "used"),
    [
        (
            "Content-Base: http://e/\n",
            "<base href=http://b/>",
            ["--url", "http://u/"],
            ["5.1.1", "embedded", "http://b/"],
        ),
        ("Content-Base: http://e/\n", "<p>", ["--url", "http://u/"], ["5.1.2", "encapsulating", "http://e/"]),
        ("", "<p>", ["--url", "http://u/", "--default-base", "http://d/"], ["5.1.3", "retrieval", "http://u/"]),
        ("", "<p>", ["--default-base", "http://d/"], ["5.1.4", "default", "http://d/"]),
    ],
)
def test_the_layers_of_rfc_2396(tmp_path, heading, page, arguments, used):
    """RFC 2396 §5.1: "the innermost defined base URI has the highest precedence"."""
    path = tmp_path / "a.eml"
    path.write_text(f"{heading}Content-Type: text/html\n\n{page}", "ascii")
    lines = run("base", path, "--spec", "rfc2396", *arguments).stdout.splitlines()
    assert [line.split()[:3] for line in lines if line.endswith("  used")] == [used]
    assert sorted({line.split()[0] for line in lines[1:-1]}) == ["5.1.1", "5.1.2", "5.1.3", "5.1.4"]


def test_trees_and_errors(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.html").write_bytes(b"<p>")
    (tmp_path / "b.html").symlink_to("/etc/hostname")
    result = run("base", ".", "--root-url", "http://h/")
    assert result.stdout.startswith("./a.html: http://h/a.html\n")
    assert result.stderr.startswith("./b.html: symbolic link out of the folder")
    assert result.exit_code == 0


def test_system_errors_exit_with_2(tmp_path, monkeypatch):
    def refuse(path, **_):
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(atomic, "read", refuse)
    (tmp_path / "a.html").write_bytes(b"<p>")
    result = run("base", tmp_path / "a.html")
    assert result.stderr == f"{tmp_path}/a.html: Permission denied\n"
    assert result.exit_code == 2
