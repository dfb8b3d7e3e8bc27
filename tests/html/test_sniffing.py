from __future__ import annotations

import pytest
import webencodings.labels
from hypothesis import example, given
from hypothesis import strategies as st
from support.each import for_each
from support.growth import processor_limit
from support.vectors import by_file

from linkfix import PROBLEMS
from linkfix.encodings import lookup
from linkfix.html import sniff
from linkfix.html.sniffing import PRESCAN_BYTES

NAMES = sorted(set(webencodings.labels.LABELS.values()))
KINDS = ("html", "xml", "css")


def decided(encoding):
    return encoding.name, encoding.source, encoding.where, encoding.bom


# The tests of html5lib

ENCODING_TESTS = by_file("encoding")

#: (file, number of the test): the offset of the meta that a prescan of 1,024 bytes does not reach. A parser does, and
#: starts again with the encoding that it names ("change the encoding", HTML §13.2.3.4): so do we, and report it.
BEYOND_THE_PRESCAN = {
    ("tests1.dat", 47): 2035,  # after a comment of 2,048 bytes
    ("tests1.dat", 48): 2036,  # of 2,049
    ("tests1.dat", 49): 4083,  # of 4,096
    ("tests1.dat", 50): 4084,  # of 4,097
    ("tests1.dat", 51): 8179,  # of 8,192
    ("tests1.dat", 52): 8180,  # of 8,193
    ("tests1.dat", 53): 8332,  # of 8,192, and a script
}


def conformance_tests(*files):
    found = []
    for file in files:
        for number, test in enumerate(ENCODING_TESTS[file]):
            data = test["data"].encode("latin-1")
            found.append(pytest.param(file, number, data, test["encoding"], id=f"{file}-{number}"))
    return found


CONFORMANCE_TESTS = conformance_tests("tests1.dat", "tests2.dat", "test-yahoo-jp.dat")


@pytest.mark.parametrize(("file", "number", "data", "label"), CONFORMANCE_TESTS)
def test_conformance(file, number, data, label):
    encoding = sniff(data)
    late = BEYOND_THE_PRESCAN.get((file, number))
    assert encoding.name == lookup(label)
    if late is not None:
        [(code, message, offset)] = encoding.problems
        assert (code, offset) == ("charset-late", late)
        assert f"declares {lookup(label)}" in message


def test_all_conformance_tests_were_read():
    read = [parameters.values[:2] for parameters in CONFORMANCE_TESTS]
    assert len(read) == 82
    assert set(BEYOND_THE_PRESCAN) <= set(read)


@pytest.mark.xfail(strict=True, reason="the meta is what a script writes, and linkfix runs no scripts")
@pytest.mark.parametrize(("file", "number", "data", "label"), conformance_tests("scripted/tests1.dat"))
def test_scripted_conformance(file, number, data, label):
    assert sniff(data).name == lookup(label), (file, number)


@pytest.mark.xfail(strict=True, reason="nothing is declared, and linkfix does not guess")
@pytest.mark.parametrize(("file", "number", "data", "label"), conformance_tests("chardet/test_big5.txt"))
def test_chardet_conformance(file, number, data, label):
    assert sniff(data).name == lookup(label), (file, number)


# Labels


@for_each(sorted(webencodings.labels.LABELS.items()))
def test_every_label_everywhere(label, name):
    not_utf_16 = "utf-8" if name.startswith("utf-16") else name
    assert lookup(f" {label.upper()}\t") == name
    assert sniff(b"", transport=label).name == name
    assert sniff(f'@charset "{label}";'.encode(), kind="css").name == not_utf_16
    assert sniff(f'<?xml version="1.0" encoding="{label}"?>'.encode(), kind="xml").name == not_utf_16
    meta = "windows-1252" if name == "x-user-defined" else not_utf_16
    assert sniff(f'<meta charset="{label}">'.encode()).name == meta
    assert sniff(f'<meta http-equiv="content-type" content="text/html; charset={label}">'.encode()).name == meta


# Order of the sources


@pytest.mark.parametrize(
    ("kind", "mark", "name"),
    [
        (kind, mark, name)
        for kind in KINDS
        for mark, name in ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le"))
    ],
)
def test_a_byte_order_mark_has_priority(kind, mark, name):
    for rest in (b"", b"<meta charset=koi8-r>", b"<?xml encoding='koi8-r'?>", b'@charset "koi8-r";', b"\0\0"):
        encoding = sniff(mark + rest, transport="koi8-u", kind=kind)
        assert decided(encoding) == (name, "bom", "byte order mark", len(mark))
        assert encoding.problems == ()


@pytest.mark.parametrize("data", [b"\xef", b"\xef\xbb", b"\xfe", b"\xff", b"\xfe\xbb\xbf", b" \xef\xbb\xbf"])
def test_no_byte_order_mark(data):
    assert sniff(data).source == "default"


@pytest.mark.parametrize("kind", KINDS)
def test_the_transport_decides_before_the_document(kind):
    for data in (b"", b"<meta charset=koi8-r>", b"<?xml encoding='koi8-r'?>", b'@charset "koi8-r";', b"<\0?\0x\0m\0"):
        assert decided(sniff(data, transport="UTF-16", kind=kind)) == ("utf-16le", "transport", "transport charset", 0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("label", ["", "none", "\ud800"])
def test_an_unknown_label_of_the_transport_is_skipped(kind, label):
    encoding = sniff(b"<?xml encoding='koi8-r'?>", transport=label, kind=kind)
    assert encoding.source == ("default" if kind == "css" else "xml-declaration")
    [(code, message, offset)] = encoding.problems
    assert (code, offset) == ("charset-unknown", 0)
    assert message.startswith("transport charset: ")


@pytest.mark.parametrize(
    ("kind", "data", "expected"),
    [
        ("html", b"", ("windows-1252", "default", "the default for HTML", 0)),
        ("html", b"<p><meta charset=koi8-r>", ("koi8-r", "meta", "meta charset at byte 17", 0)),
        (
            "html",
            b"<meta http-equiv=content-type content=charset=koi8-r>",
            ("koi8-r", "meta", "meta http-equiv at byte 46", 0),
        ),
        (
            "html",
            b"<?xml encoding='koi8-r'?>",
            ("koi8-r", "xml-declaration", "XML declaration at byte 16", 0),
        ),
        (
            "html",
            b"<\0?\0x\0",
            ("utf-16le", "xml-declaration", "UTF-16 XML declaration at byte 0", 0),
        ),
        ("html", b'@charset "koi8-r";', ("windows-1252", "default", "the default for HTML", 0)),
        ("xml", b"", ("utf-8", "default", "the default for XML", 0)),
        ("xml", b"<html/>", ("utf-8", "default", "the default for XML", 0)),
        ("xml", b"<meta charset=koi8-r>", ("utf-8", "default", "the default for XML", 0)),
        (
            "xml",
            b'<?xml version="1.0" encoding="ISO-8859-1"?>',
            ("windows-1252", "xml-declaration", "XML declaration at byte 30", 0),
        ),
        # XML 1.0 appendix F.1 takes four bytes; HTML takes six, and an x.
        ("xml", b"<\0?\0", ("utf-16le", "xml-declaration", "UTF-16 XML declaration at byte 0", 0)),
        ("xml", b"\0<\0?", ("utf-16be", "xml-declaration", "UTF-16 XML declaration at byte 0", 0)),
        ("html", b"<\0?\0", ("windows-1252", "default", "the default for HTML", 0)),
        # CSS Syntax §3.2: these bytes, and no others.
        ("css", b'@charset "koi8-r";', ("koi8-r", "css-charset", "@charset at byte 10", 0)),
        ("css", b'@charset " KOI8-R\n";', ("koi8-r", "css-charset", "@charset at byte 10", 0)),
        ("css", b'@charset "koi8-r" ;', ("utf-8", "default", "the default for CSS", 0)),
        ("css", b"@charset 'koi8-r';", ("utf-8", "default", "the default for CSS", 0)),
        ("css", b'@charset  "koi8-r";', ("utf-8", "default", "the default for CSS", 0)),
        ("css", b'@CHARSET "koi8-r";', ("utf-8", "default", "the default for CSS", 0)),
        ("css", b' @charset "koi8-r";', ("utf-8", "default", "the default for CSS", 0)),
        ("css", b"<meta charset=koi8-r>", ("utf-8", "default", "the default for CSS", 0)),
    ],
)
def test_the_declared_encoding_is_used(kind, data, expected):
    encoding = sniff(data, kind=kind)
    assert decided(encoding) == expected
    assert encoding.problems == ()


def test_an_xml_declaration_may_be_long():
    data = b"<?xml " + b" " * PRESCAN_BYTES + b"encoding='koi8-r'?>"
    assert sniff(data, kind="xml").name == "koi8-r"
    assert sniff(data, kind="html").source == "default"


def test_a_css_label_may_not_be_long():
    label = b" " * (PRESCAN_BYTES - len(b'@charset "koi8-r";')) + b"koi8-r"
    assert sniff(b'@charset "' + label + b'";', kind="css").name == "koi8-r"
    assert sniff(b'@charset " ' + label + b'";', kind="css").source == "default"


# Problems


@pytest.mark.parametrize(
    ("kind", "data", "problem"),
    [
        ("html", b"<meta charset=utf-7>", ("charset-unknown", "meta charset: unknown encoding label 'utf-7'", 14)),
        ("html", b"<meta charset=''>", ("charset-unknown", "meta charset: unknown encoding label ''", 15)),
        (
            "html",
            b"<meta http-equiv=content-type content=charset=\xe9>",
            ("charset-unknown", "meta http-equiv: unknown encoding label '\ufffd'", 46),
        ),
        (
            "xml",
            b"<?xml version='1.0' encoding='UTF-32'?>",
            ("charset-unknown", "XML declaration: unknown encoding label 'UTF-32'", 30),
        ),
        ("css", b'@charset "x";', ("charset-unknown", "@charset: unknown encoding label 'x'", 10)),
        (
            "html",
            b"<meta charset=hz-gb-2312>",
            ("encoding-unsupported", "meta charset at byte 14: browsers do not support this encoding", 14),
        ),
        (
            "css",
            b'@charset "iso-2022-kr";',
            ("encoding-unsupported", "@charset at byte 10: browsers do not support this encoding", 10),
        ),
    ],
)
def test_problems_of_a_declaration(kind, data, problem):
    assert sniff(data, kind=kind).problems == (problem,)


def test_a_message_is_short_for_any_label():
    [(_, message, _)] = sniff(b"<?xml encoding='" + b"x" * 100_000 + b"'?>", kind="xml").problems
    assert message == f"XML declaration: unknown encoding label '{'x' * 40}'"


FOUND = "WARC-Identified-Payload-Type"


@pytest.mark.parametrize(
    ("data", "transport", "kind", "expected"),
    [
        (b"<p>", None, "html", ("koi8-r", "identified", FOUND, 0)),
        (b"<p>", "none", "html", ("koi8-r", "identified", FOUND, 0)),
        (b"a{}", None, "css", ("koi8-r", "identified", FOUND, 0)),
        (b"<p>", "utf-8", "html", ("utf-8", "transport", "transport charset", 0)),
        (b"\xef\xbb\xbf<p>", None, "html", ("utf-8", "bom", "byte order mark", 3)),
        (b"<meta charset=utf-8>", None, "html", ("utf-8", "meta", "meta charset at byte 14", 0)),
        (b"<?xml encoding='utf-8'?>", None, "xml", ("utf-8", "xml-declaration", "XML declaration at byte 16", 0)),
        (b" " * 2000 + b"<meta charset=utf-8>", None, "html", ("utf-8", "meta", "meta charset at byte 2014", 0)),
    ],
)
def test_the_encoding_by_a_crawler_is_between_the_document_and_the_default(data, transport, kind, expected):
    """HTML §13.2.3.2: the *likely encoding*, such as that of an earlier visit."""
    assert decided(sniff(data, transport=transport, kind=kind, identified="koi8-r")) == expected


def test_an_unknown_label_of_a_crawler_is_skipped():
    encoding = sniff(b"<p>", identified="klingon")
    assert decided(encoding) == ("windows-1252", "default", "the default for HTML", 0)
    assert [code for code, _, _ in encoding.problems] == ["charset-unknown"]


def test_a_late_meta_is_reported_with_the_encoding_in_use():
    (problem,) = sniff(b" " * 2000 + b"<meta charset=utf-8>", identified="koi8-r").problems
    assert problem[1].endswith("a parser that does not start again uses koi8-r")
    assert sniff(b" " * 2000 + b"<meta charset=koi8-r>", identified="koi8-r").problems == ()


def test_an_unsupported_encoding_of_the_transport():
    encoding = sniff(b"<p>", transport="iso-2022-cn")
    assert encoding.name == "replacement"
    message = "transport charset: browsers do not support this encoding"
    assert encoding.problems == (("encoding-unsupported", message, 0),)


def test_all_faults_are_reported():
    data = b"<meta charset=a><meta charset=b><meta charset=hz-gb-2312>"
    assert [(code, offset) for code, _, offset in sniff(data, transport="c").problems] == [
        ("encoding-unsupported", 46),
        ("charset-unknown", 0),
        ("charset-unknown", 14),
        ("charset-unknown", 30),
    ]


PADDING = b"<p>" + b"x" * PRESCAN_BYTES
COMMENT_IN_BODY = b"<p><!--" + b"x" * 65000 + b"-->"


@pytest.mark.parametrize(
    ("data", "offset"),
    [
        (PADDING + b"<meta charset=utf-8>", 1041),
        (PADDING + b"<META CHARSET=UTF-8>", 1041),
        (PADDING + b"<meta http-equiv=content-type content=charset=utf-8>", 1073),
        (PADDING + b"<meta charset=none><meta charset=utf-8>", 1060),
        (COMMENT_IN_BODY + b"<meta charset=utf-8>", 65024),
    ],
)
def test_a_late_meta_in_the_body(data, offset):
    """Chromium does not take it; the standard would. See tests/browser/test_facts.py."""
    encoding = sniff(data)
    assert (encoding.name, encoding.source) == ("windows-1252", "default")
    label = f"meta {'http-equiv' if offset == 1073 else 'charset'} at byte {offset}"
    message = f"{label} declares utf-8 after the first 1,024 bytes and outside the head; browsers use windows-1252"
    assert encoding.problems == (("charset-late", message, offset),)


COMMENT = b"<!--" + b"x" * PRESCAN_BYTES + b"-->"


@pytest.mark.parametrize(
    "data",
    [
        COMMENT + b"<meta charset=utf-8>",
        b"<html><head>" + COMMENT + b"<title><body></title><link rel=x><META CHARSET='UTF-8'>",
        COMMENT + b"<script>'<meta charset=koi8-r>'</script><style><p></style><meta charset=utf-8>",
        COMMENT + b"<meta name=x><meta charset=none><meta charset=utf-8>",
        # Its label lies within the first 1,024 bytes, the end of its tag beyond.
        b"<meta charset=utf-8 title='" + COMMENT + b"'>",
        b"<!--" + b"x" * 200_000 + b"--><meta charset=utf-8>",
    ],
)
def test_a_late_meta_in_the_head(data):
    encoding = sniff(data)
    offset = data.lower().rindex(b"utf-8")
    assert (encoding.name, encoding.source) == ("utf-8", "meta")
    assert encoding.where == f"meta charset at byte {offset}"
    message = (
        f"meta charset at byte {offset} declares utf-8 after the first 1,024 bytes; a parser that does not start again"
    )
    assert encoding.problems == (("charset-late", f"{message} uses windows-1252", offset),)


@pytest.mark.parametrize(
    "data",
    [
        PADDING + b"<meta charset=latin1>",  # declares the chosen encoding
        PADDING + b"<a charset=utf-8>",
        PADDING + b"<!-- <meta charset=utf-8> -->",
        PADDING + b"<meta charset=none>",
        b"<meta charset=latin1>" + PADDING + b"<meta charset=utf-8>",  # something has decided
        b"<?xml encoding='latin1'?>" + PADDING + b"<meta charset=utf-8>",
        b"<?xml " + b" " * PRESCAN_BYTES + b"encoding='utf-8'?><p charset>",  # too late, but no meta
        b"<p><!--" + b"x" * 65536 + b"--><meta charset=utf-8>",  # nobody would see it
    ],
)
def test_no_late_meta(data):
    assert sniff(data).problems == ()


@pytest.mark.parametrize("options", [{"transport": "latin1"}, {"kind": "xml"}, {"kind": "css"}])
def test_no_late_meta_if_no_meta_is_used(options):
    assert sniff(PADDING + b"<meta charset=utf-8>", **options).problems == ()


def test_a_late_meta_after_an_unknown_transport():
    problems = sniff(PADDING + b"<meta charset=utf-8>", transport="none").problems
    assert [code for code, _, _ in problems] == ["charset-unknown", "charset-late"]


class TestProperties:
    @given(
        data=st.binary(max_size=80)
        | st.sampled_from([b"<meta charset=", b"<?xml encoding='", b"\xff\xfe"]).flatmap(
            lambda start: st.binary(max_size=20).map(lambda rest: start + rest)
        ),
        transport=st.none() | st.text(max_size=8) | st.sampled_from(["utf-8", "none", "\ud800"]),
        kind=st.sampled_from(KINDS),
    )
    @example(data=b"", transport=None, kind="html")
    def test_never_raises_and_returns_a_known_encoding(self, data, transport, kind):
        encoding = sniff(data, transport=transport, kind=kind)
        assert encoding.name in NAMES
        assert 0 <= encoding.bom <= min(3, len(data))
        for code, message, offset in encoding.problems:
            assert code in PROBLEMS
            assert message
            assert 0 <= offset <= len(data)
        encoding.decode(data).encode()

    @given(data=st.binary(max_size=80), kind=st.sampled_from(KINDS))
    def test_the_same_document_has_the_same_encoding(self, data, kind):
        assert sniff(data, kind=kind) == sniff(data, kind=kind)


@pytest.mark.growth
def test_the_work_is_bounded():
    """Only the start of a document is scanned, and the search for a late meta is limited too."""
    data = b"<meta charset=none " + b"<a b='c' charset" * 4_000_000
    with processor_limit(5):
        assert sniff(data).source == "default"
