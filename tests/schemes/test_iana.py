from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.growth import processor_limit
from support.vectors import write_registry

import linkfix.schemes
from linkfix import InvalidRegistry, LinkfixError
from linkfix.schemes import Scheme, load
from linkfix.schemes.iana import main, parse, serialize
from linkfix.schemes.registry import DATA

HEAD = "URI Scheme,Template,Description,Status,Well-Known URI Support,Reference"
ROW = "mailto,,Electronic mail address,Permanent,,https://www.rfc-editor.org/rfc/rfc6068.html"
PACKAGED = Path(linkfix.schemes.__file__).with_name(DATA)
#: As IANA has its file on the web: another column, documents in brackets, "-" for no.
LIVE = """\
URI Scheme,Template,Description,Status,Well-Known URI Support,Reference,Notes\r
about,,about,Permanent,-,[RFC6694],\r
android,prov/android,android,Provisional,-,[Adam_Barth][https://developer.android.com/guide],\r
at,prov/at,"at
(see [reviewer notes])",Provisional,-,"[Bryan_Newbold]\n[RFC Errata 4420]",see below\r
http,,Hypertext Transfer Protocol,Permanent,[RFC8615],"[RFC9110, Section 4.2.1]",\r
shttp (OBSOLETE),,Secure Hypertext Transfer Protocol,Permanent,-,[RFC2660][status-change-http-experiments],not used\r
"""


def csv_of(*lines):
    return "\n".join(lines).encode()


def test_the_packages_data_is_made_of_ianas_file(tmp_path):
    source = write_registry(tmp_path)
    output = tmp_path / "schemes.tsv"
    main([str(source), "--date", "2024-04", "--output", str(output)])
    assert output.read_bytes() == PACKAGED.read_bytes()


def test_as_a_program(tmp_path):
    source = write_registry(tmp_path)
    command = [sys.executable, "-m", "linkfix.schemes.iana", str(source), "--date", "2024-04"]
    done = subprocess.run(command, capture_output=True, check=True, timeout=60)
    assert done.stdout == PACKAGED.read_bytes()
    assert done.stderr == b""


def test_the_live_form():
    assert parse(LIVE.encode()) == [
        Scheme("about", "permanent", "about", "RFC 6694"),
        Scheme(
            "android",
            "provisional",
            "android",
            "Adam_Barth; https://developer.android.com/guide",
            template="prov/android",
        ),
        Scheme(
            "at",
            "provisional",
            "at (see [reviewer notes])",
            "Bryan_Newbold; RFC Errata 4420",
            template="prov/at",
            notes="see below",
        ),
        Scheme("http", "permanent", "Hypertext Transfer Protocol", "RFC 9110, Section 4.2.1", well_known="RFC 8615"),
        Scheme(
            "shttp",
            "permanent",
            "Secure Hypertext Transfer Protocol",
            "RFC 2660; status-change-http-experiments",
            notes="OBSOLETE; not used",
        ),
    ]


@pytest.mark.parametrize(
    "data",
    [
        csv_of(HEAD, ROW),
        csv_of(HEAD, ROW, ""),
        csv_of("", HEAD, "", ROW),
        csv_of(HEAD, ROW).replace(b"\n", b"\r\n"),
        csv_of(HEAD, ROW).replace(b"\n", b"\r"),
        b"\xef\xbb\xbf" + csv_of(HEAD, ROW),
        csv_of(HEAD, ROW.replace("Permanent", "permanent")),
        csv_of(f"More,{HEAD}", f"x,{ROW}"),
        csv_of(HEAD, f" {ROW}"),
        csv_of(HEAD.replace("URI Scheme", '"URI Scheme"'), ROW.replace("mailto", '"mailto"')),
        csv_of(HEAD, ROW.replace("Electronic mail address", '"Electronic\n\tmail  address"')),
    ],
    ids=range(11),
)
def test_variations_without_effect(data):
    assert parse(data) == [Scheme("mailto", "permanent", "Electronic mail address", "RFC 6068")]


#: Invalid registry -> message.
NO_REGISTRY = {
    b"": "f: line 1: the column 'URI Scheme' is missing: give a file such as https://www.iana.org/",
    b"\n\n": "f: line 1: the column 'URI Scheme' is missing",
    b"<!DOCTYPE html>\n<title>URI Schemes</title>": "f: line 1: the column 'URI Scheme' is missing",
    b"\n" + csv_of("URI Scheme,Template,Description,Well-Known URI Support,Reference"): "f: line 2: the column "
    "'Status' is missing",
    csv_of(HEAD): "f: line 1: there are no schemes after the header row",
    csv_of(HEAD, ROW, "x,,,Reserved,,"): "f: line 3: 'Reserved' is not a status: expected one of permanent, ",
    csv_of(HEAD, ROW, "x,,,,,"): "f: line 3: '' is not a status",
    csv_of(HEAD, "1x,,,Permanent,,"): "f: line 2: '1x' is not a scheme name (RFC 3986 §3.1)",
    csv_of(HEAD, "a b,,,Permanent,,"): "f: line 2: 'a b' is not a scheme name",
    csv_of(HEAD, ",,,Permanent,,"): "f: line 2: '' is not a scheme name",
    csv_of(HEAD, "schéma,,,Permanent,,"): "f: line 2: 'schéma' is not a scheme name",
    csv_of(HEAD, "x:,,,Permanent,,"): "f: line 2: 'x:' is not a scheme name",
    csv_of(HEAD, ROW, "", ROW): "f: line 4: the scheme 'mailto' is repeated; it is first in line 2",
    csv_of(HEAD, ROW, ROW.upper()): "f: line 3: the scheme 'MAILTO' is repeated; it is first in line 2",
    csv_of(HEAD, ROW, "x,,,Permanent,"): "f: line 3: expected 6 cells, found 5",
    csv_of(HEAD, 'x,,"a\nb",Permanent,,', "y"): "f: line 4: expected 6 cells, found 1",
    csv_of(HEAD, ROW, 'x,,"a', "b"): "f: line 3: the file is not valid CSV: unexpected end of data",
    csv_of(HEAD, ROW, 'x,"a"b,,Permanent,,'): "f: line 3: the file is not valid CSV: ",
    csv_of(HEAD, ROW, "x" * 200_000): "f: line 3: the file is not valid CSV: field larger than field limit",
    csv_of(HEAD, ROW) + b"\nx,,\xe9,Permanent,,": "f: line 3: the file is not UTF-8",
    csv_of(HEAD, ROW).decode().encode("utf-16"): "f: line 1: the file is not UTF-8",
    b"\x89PNG\r\n": "f: line 1: the file is not UTF-8",
}


@pytest.mark.parametrize("data", NO_REGISTRY, ids=range(len(NO_REGISTRY)))
def test_files_that_are_no_registry(data):
    with pytest.raises(InvalidRegistry) as caught:
        parse(data, "f")
    assert str(caught.value).startswith(NO_REGISTRY[data])
    assert isinstance(caught.value, LinkfixError)


@given(st.binary() | st.text().map(lambda text: f"{HEAD}\n{text}".encode("utf-8", "replace")))
def test_other_files_are_refused_in_one_line(data):
    with pytest.raises(InvalidRegistry) as caught:
        parse(data)
    assert "\n" not in str(caught.value)


@pytest.mark.growth
@pytest.mark.parametrize("data", [b"x" * 10_000_000, b"\n" * 3_000_000, b'"' * 10_000_000, b"," * 3_000_000])
def test_a_large_file_takes_no_long_time(data):
    with processor_limit(10), pytest.raises(InvalidRegistry):
        parse(data)


class TestLoad:
    def test_a_newer_file(self, tmp_path):
        path = tmp_path / "newer.csv"
        path.write_bytes(csv_of(HEAD, ROW, "brand-new,,New,Provisional,,"))
        registry = load(path)
        assert registry.lookup("Brand-New") == Scheme("brand-new", "provisional", "New")
        assert registry.lookup("ftp") is None
        assert (registry.date, registry.source) == ("", str(path))

    def test_the_message_names_the_file(self, tmp_path):
        path = tmp_path / "none.csv"
        path.write_bytes(b"x")
        with pytest.raises(InvalidRegistry, match=r"none\.csv: line 1: "):
            load(str(path))

    def test_a_file_that_is_not_there(self, tmp_path):
        with pytest.raises(FileNotFoundError):
            load(tmp_path / "none.csv")


class TestMain:
    @pytest.mark.parametrize("day", ["2024", "2024-13", "2024-02-30", "24-04", "2024-4", "", "2024-04-01x"])
    def test_an_invalid_date(self, day, tmp_path, capsys):
        with pytest.raises(SystemExit) as caught:
            main([str(tmp_path / "x.csv"), "--date", day])
        assert caught.value.code == 2
        assert "argument --date: invalid" in capsys.readouterr().err

    @pytest.mark.parametrize("day", ["2024-04", "2024-02-29"])
    def test_a_date(self, day, tmp_path, monkeypatch):
        path = tmp_path / "x.csv"
        path.write_bytes(csv_of(HEAD, ROW))
        output = io.BytesIO()
        monkeypatch.setattr("sys.stdout", io.TextIOWrapper(output, write_through=True))
        main([str(path), "--date", day])
        text = output.getvalue().decode()
        assert f"\n# date: {day}\n# source: x.csv\n" in text
        assert text.endswith("\nmailto\tpermanent\tElectronic mail address\tRFC 6068\n")

    @pytest.mark.parametrize("content", [None, b"x"])
    def test_an_invalid_file_leaves_the_registry_unchanged(self, content, tmp_path, capsys):
        path, output = tmp_path / "x.csv", tmp_path / "out.tsv"
        output.write_bytes(b"before")
        if content:
            path.write_bytes(content)
        with pytest.raises(SystemExit) as caught:
            main([str(path), "--date", "2024-04", "--output", str(output)])
        assert caught.value.code == 2
        assert "x.csv" in capsys.readouterr().err
        assert output.read_bytes() == b"before"


def test_a_scheme_is_written_without_its_empty_ends():
    text = serialize([Scheme("a", "permanent"), Scheme("b", "historical", "", "RFC 1")], "2024-04", "x.csv")
    assert text.endswith("\na\tpermanent\nb\thistorical\t\tRFC 1\n")
