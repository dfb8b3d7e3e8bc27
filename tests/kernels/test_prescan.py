from __future__ import annotations

import re

import pytest
import webencodings
from html5lib._inputstream import EncodingParser
from hypothesis import example, given
from hypothesis import strategies as st

from linkfix.kernels.prescan import Label, get_an_xml_encoding, may_declare, prescan, prescan_head

LIMIT = 1024


def declared(data, end=LIMIT):
    found, _ = prescan(data, end)
    return None if found is None else (found.name, found.origin, found.offset)


def name(data, end=LIMIT):
    found, _ = prescan(data, end)
    return found.name if found else None


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'<meta charset="koi8-r">', ("koi8-r", "meta charset", 15)),
        (b"<!DOCTYPE html><html lang=en><head><meta charset=koi8-r>", ("koi8-r", "meta charset", 49)),
        (b"<META\tCHARSET\n=\r' KOI8-R '/>", ("koi8-r", "meta charset", 17)),
        (b"<meta/charset=koi8-r>", ("koi8-r", "meta charset", 14)),
        (b"<meta\x0ccharset=koi8-r>", ("koi8-r", "meta charset", 14)),
        (b"<meta / / charset=koi8-r>", ("koi8-r", "meta charset", 18)),
        (b'<meta name="x"charset="koi8-r">', ("koi8-r", "meta charset", 23)),
        (b'<meta http-equiv=content-type content="text/html;charset=koi8-r">', ("koi8-r", "meta http-equiv", 57)),
        (b"<meta content='charset=koi8-r' HTTP-EQUIV='Content-Type'>", ("koi8-r", "meta http-equiv", 23)),
        # The XML declaration comes last, whatever stands behind it.
        (b"<?xml encoding='koi8-r'?>", ("koi8-r", "XML declaration", 16)),
        (b"<?xml encoding='koi8-r'?><meta charset=koi8-u>", ("koi8-u", "meta charset", 39)),
        (b"<?xml encoding='koi8-r'?><!-- <meta charset=koi8-u>", ("koi8-r", "XML declaration", 16)),
        # Step 2: UTF-16 without a byte order mark, told by `<?x`.
        (b"<\0?\0x\0m\0l\0", ("utf-16le", "UTF-16 XML declaration", 0)),
        (b"\0<\0?\0x\0m\0l", ("utf-16be", "UTF-16 XML declaration", 0)),
    ],
)
def test_declarations_and_their_positions(data, expected):
    assert declared(data) == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        # Steps 14 and 15 of `<meta`, step 17 of "get an XML encoding".
        (b"<meta charset=utf-16>", "utf-8"),
        (b"<meta charset=utf-16be>", "utf-8"),
        (b"<meta http-equiv=content-type content=charset=unicode>", "utf-8"),
        (b"<meta charset=x-user-defined>", "windows-1252"),
        (b"<?xml encoding='utf-16'?>", "utf-8"),
        (b"<?xml encoding='x-user-defined'?>", "x-user-defined"),
        (b"<meta charset=iso-8859-1>", "windows-1252"),
        (b"<meta charset=hz-gb-2312>", "replacement"),
        # `<meta` needs white space or a slash after it.
        (b"<metacharset=koi8-r>", None),
        (b"<meta>charset=koi8-r>", None),
        (b"<metal charset=koi8-r>", None),
        (b"<\0meta charset=koi8-r>", None),
        (b"< meta charset=koi8-r>", None),
        (b"</meta charset=koi8-r>", None),
        # Comments end at the first `-->`, whose dashes may be the opening ones.
        (b"<!--><meta charset=koi8-r>", "koi8-r"),
        (b"<!---><meta charset=koi8-r>", "koi8-r"),
        (b"<!-- <meta charset=koi8-u> --><meta charset=koi8-r>", "koi8-r"),
        (b"<!-- --!><meta charset=koi8-r>", None),
        (b"<!-- - -> <meta charset=koi8-r>", None),
        # Declarations, bogus comments and malformed end tags end at the first `>`.
        (b"<!x <meta charset=koi8-u><meta charset=koi8-r>", "koi8-r"),
        (b"<?x <meta charset=koi8-u><meta charset=koi8-r>", "koi8-r"),
        (b"</ <meta charset=koi8-u><meta charset=koi8-r>", "koi8-r"),
        (b"<!><meta charset=koi8-r>", "koi8-r"),
        (b"</><meta charset=koi8-r>", "koi8-r"),
        # Other tags: a quoted value hides its content, raw text does not.
        (b'<a title="><meta charset=koi8-u>"><meta charset=koi8-r>', "koi8-r"),
        (b"</a title='><meta charset=koi8-u>'><meta charset=koi8-r>", "koi8-r"),
        (b"<script>'<meta charset=koi8-r>'</script>", "koi8-r"),
        (b"<a<meta charset=koi8-u><meta charset=koi8-r>", "koi8-r"),
        (b'<a"<meta charset=koi8-u>"><meta charset=koi8-r>', "koi8-r"),
        (b"<a b=c'><meta charset=koi8-r>", "koi8-r"),
        (b"<a b='c'd='><meta charset=koi8-r>", None),
        (b"<<meta charset=koi8-r>", "koi8-r"),
        (b"<1<meta charset=koi8-r>", "koi8-r"),
        (b"\xff<\xff><meta charset=koi8-r>", "koi8-r"),
        # Attributes: the first of a name counts; a name can begin with `=`, and end at a slash.
        (b"<meta charset=koi8-r charset=koi8-u>", "koi8-r"),
        (b"<meta charset=none charset=koi8-u>", None),
        (b"<meta =charset=koi8-u charset=koi8-r>", "koi8-r"),
        (b"<meta charset charset=koi8-r>", None),
        (b"<meta charset/=koi8-r>", None),
        (b"<meta charset=/koi8-r>", None),
        (b"<meta charset= >", None),
        (b"<meta charset=koi8-r/>", None),
        (b"<meta charset = koi8-r />", "koi8-r"),
        (b"<meta charset=>koi8-r>", None),
        (b"<meta charset=''><meta charset=koi8-r>", "koi8-r"),
        # A charset attribute decides, even in vain; a content needs the pragma.
        (b"<meta http-equiv=content-type content=charset=koi8-u charset=koi8-r>", "koi8-r"),
        (b"<meta http-equiv=content-type content=charset=koi8-u charset=none>", None),
        (b"<meta content=charset=koi8-r>", None),
        (b"<meta http-equiv=refresh content=charset=koi8-r>", None),
        (b"<meta http-equiv=refresh http-equiv=content-type content=charset=koi8-r>", None),
        (b"<meta http-equiv=content-type http-equiv=refresh content=charset=koi8-r>", "koi8-r"),
        (b"<meta http-equiv=content-type content=x content=charset=koi8-r>", None),
        (b"<meta http-equiv='content-type ' content=charset=koi8-r>", None),
        (b"<meta http-equiv=content-type>", None),
        # The bytes must not run out before the end of the tag.
        (b"<meta charset=koi8-r", None),
        (b"<meta charset='koi8-r'", None),
        (b"<meta charset='koi8-r", None),
        (b"<meta charset=", None),
        (b"<meta charset", None),
        (b"<meta charset ", None),
        (b"<meta ", None),
        (b"<meta", None),
        (b"<", None),
        (b"", None),
        (b"<a b", None),
        (b"<a", None),
        (b"</a", None),
        (b"</", None),
        (b"<!", None),
        (b"<\0?\0x", None),
        (b"<\0?\0X\0", None),
    ],
)
def test_steps(data, expected):
    assert name(data) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"charset=koi8-r", "koi8-r"),
        (b"text/html; CharSet \n = \t koi8-r;x", "koi8-r"),
        (b"charset=koi8-r x", "koi8-r"),
        (b"charset='koi8-r'x", "koi8-r"),
        (b"charset=' koi8-r '", "koi8-r"),
        (b"charset charset=koi8-r", "koi8-r"),
        (b"charsetcharset=koi8-r", "koi8-r"),
        (b"xcharset=koi8-r", "koi8-r"),
        (b"charset='koi8-r", None),
        (b"charset='koi8-r; charset=koi8-u", None),
        (b"charset=;charset=koi8-r", None),
        (b"charset=none; charset=koi8-r", None),
        (b"charset=koi8-r'", None),
        (b"charset=", None),
        (b"charset= ", None),
        (b"charset", None),
        (b"charse=koi8-r", None),
        (b"", None),
    ],
)
def test_extracting_an_encoding_from_a_content(content, expected):
    """HTML §2.5.3."""
    assert name(b'<meta http-equiv="content-type" content="' + content + b'">') == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'<?xml version="1.0" encoding="koi8-r"?>', "koi8-r"),
        (b"<?xml version='1.0' encoding='KOI8-R' standalone='no'?>", "koi8-r"),
        (b"<?xmlencoding='koi8-r'>", "koi8-r"),
        (b"<?xml xencoding='koi8-r'>", "koi8-r"),
        (b"<?xml encoding\0\x1f = \x0b'koi8-r'>", "koi8-r"),
        (b"<?xml a='encoding=\"koi8-r\"'>", "koi8-r"),
        (b"<?xml encoding='koi8-r' encoding='koi8-u'>", "koi8-r"),
        (b"<?xml encoding='none' encoding='koi8-r'>", None),
        (b"<?xml encoding encoding='koi8-r'>", None),
        (b"<?xml encoding=koi8-r>", None),
        (b"<?xml encoding='koi8-r\">", None),
        (b"<?xml encoding=' koi8-r'>", None),
        (b"<?xml encoding=''>", None),
        (b"<?xml>encoding='koi8-r'>", None),
        (b"<?xml encoding='koi8-r'", None),
        (b"<?xml encoding", None),
        (b"<?XML encoding='koi8-r'?>", None),
        (b"<?xml ENCODING='koi8-r'?>", None),
        (b" <?xml encoding='koi8-r'?>", None),
    ],
)
def test_get_an_xml_encoding(data, expected):
    unknown = []
    found = get_an_xml_encoding(data, len(data), unknown)
    assert (found and found.name) == expected == name(data)


def test_labels_of_unknown_encodings_are_reported():
    data = (
        b"<?xml encoding='u'?><meta charset=a><meta content='charset=\"b\"' http-equiv=content-type><meta charset=''>"
    )
    assert prescan(data, LIMIT) == (
        None,
        [
            Label(b"a", "meta charset", 34),
            Label(b"b", "meta http-equiv", 60),
            Label(b"", "meta charset", 103),
            Label(b"u", "XML declaration", 16),
        ],
    )


def test_text_without_a_declaration_has_no_label():
    data = (
        b"<meta content=charset=none><meta http-equiv=refresh content=charset=none><a charset=none><!--charset=none-->"
    )
    assert prescan(data, LIMIT) == (None, [])


@pytest.mark.parametrize("meta", [b"<meta charset=koi8-r>", b"<meta http-equiv=content-type content='charset=koi8-r'>"])
def test_the_end_condition(meta):
    data = b" " * (LIMIT - len(meta)) + meta + b"<meta charset=koi8-u>"
    assert name(data) == "koi8-r"
    assert name(b" " + data) is None
    assert name(b" " + data, LIMIT + 1) == "koi8-r"
    assert name(data, len(data) * 2) == "koi8-r"
    for end in range(LIMIT):
        assert name(data, end) is None


def test_the_xml_encoding_is_under_the_end_condition_too():
    """ "Applied to the same bytes that the prescan was applied to"."""
    data = b"<?xml encoding='koi8-r'" + b" " * LIMIT
    data = data[: LIMIT - 1] + b">"
    assert name(data) == "koi8-r"
    assert name(data, LIMIT - 1) is None


@pytest.mark.parametrize(
    "piece", [b"<", b"<a", b"<meta ", b"<!--", b"</", b"<a b", b"=", b"charset=", b"<a b='", b"encoding"]
)
def test_any_repetition_ends(piece):
    """That this ends is the test."""
    assert name(piece * 100_000, 10**7) is None
    start = b"<meta http-equiv=content-type content='"
    assert name(start + piece.replace(b"'", b"") * 100_000 + b"'>", 10**7) is None


# The standard's text as code, byte by byte, without optimizations: `prescan` must agree with it on any bytes.

SPACES = b"\t\n\f\r "
LETTERS = bytes(range(0x41, 0x5B)) + bytes(range(0x61, 0x7B))


class RanOut(Exception):
    pass


class ByTheLetter:
    def __init__(self, data):
        self.data = data
        self.position = 0

    def byte(self):
        if self.position >= len(self.data):
            raise RanOut
        return self.data[self.position]

    def at(self, *alternatives):
        """Whether the bytes at the position are each one of those."""
        here = self.data[self.position : self.position + len(alternatives)]
        return len(here) == len(alternatives) and all(b in a for b, a in zip(here, alternatives, strict=True))

    def prescan(self):
        try:
            return self.loop()
        except RanOut:
            return self.xml_encoding()

    def loop(self):  # noqa: C901  # one algorithm, as in the standard
        if self.data.startswith(b"<\0?\0x\0"):
            return "utf-16le"
        if self.data.startswith(b"\0<\0?\0x"):
            return "utf-16be"
        while True:
            if self.at(b"<", b"!", b"-", b"-"):
                self.position += 2
                while not (self.byte() == 0x3E and self.data[self.position - 2 : self.position] == b"--"):
                    self.position += 1
            elif self.at(b"<", b"Mm", b"Ee", b"Tt", b"Aa", SPACES + b"/"):
                self.position += 5
                encoding = self.meta()
                if encoding is not None:
                    return encoding
            elif self.at(b"<", LETTERS) or self.at(b"<", b"/", LETTERS):
                while self.byte() not in SPACES + b">":
                    self.position += 1
                while self.attribute() is not None:
                    pass
            elif self.at(b"<", b"!/?"):
                self.position += 1
                while self.byte() != 0x3E:
                    self.position += 1
            self.byte()
            self.position += 1

    def meta(self):
        attributes = set()
        got_pragma = False
        need_pragma = None
        charset = None
        while (attribute := self.attribute()) is not None:
            attribute_name, value = attribute
            if attribute_name in attributes:
                continue
            attributes.add(attribute_name)
            if attribute_name == b"http-equiv":
                if value == b"content-type":
                    got_pragma = True
            elif attribute_name == b"content":
                encoding = self.extract(value)
                if encoding not in {None, "failure"} and charset is None:
                    charset = encoding
                    need_pragma = True
            elif attribute_name == b"charset":
                charset = self.get_an_encoding(value)
                need_pragma = False
        if need_pragma is None or (need_pragma and not got_pragma) or charset == "failure":
            return None
        return {"utf-16le": "utf-8", "utf-16be": "utf-8", "x-user-defined": "windows-1252"}.get(charset, charset)

    def attribute(self):  # noqa: C901, PLR0912  # one algorithm, as in the standard
        while self.byte() in SPACES + b"/":
            self.position += 1
        if self.byte() == 0x3E:
            return None
        attribute_name = b""
        while True:
            byte = self.byte()
            if byte == 0x3D and attribute_name:
                self.position += 1
                break
            if byte in SPACES:
                while self.byte() in SPACES:
                    self.position += 1
                if self.byte() != 0x3D:
                    return attribute_name, b""
                self.position += 1
                break
            if byte in b"/>":
                return attribute_name, b""
            attribute_name += bytes([byte]).lower()
            self.position += 1
        while self.byte() in SPACES:
            self.position += 1
        value = b""
        byte = self.byte()
        if byte in b"\"'":
            while True:
                self.position += 1
                if self.byte() == byte:
                    self.position += 1
                    return attribute_name, value
                value += bytes([self.byte()]).lower()
        if byte == 0x3E:
            return attribute_name, b""
        while self.byte() not in SPACES + b">":
            value += bytes([self.byte()]).lower()
            self.position += 1
        return attribute_name, value

    def extract(self, s):
        position = 0
        while True:
            position = s.lower().find(b"charset", position)
            if position < 0:
                return None
            position += 7
            while s[position : position + 1] and s[position] in SPACES:
                position += 1
            if s[position : position + 1] == b"=":
                break
        position += 1
        while s[position : position + 1] and s[position] in SPACES:
            position += 1
        following = s[position : position + 1]
        if not following:
            return None
        if following in (b'"', b"'"):
            end = s.find(following, position + 1)
            return None if end < 0 else self.get_an_encoding(s[position + 1 : end])
        end = position
        while end < len(s) and s[end] not in SPACES + b";":
            end += 1
        return self.get_an_encoding(s[position:end])

    def xml_encoding(self):
        try:
            encoding = self.xml_encoding_steps()
        except RanOut:
            return None
        return {"failure": None, "utf-16le": "utf-8", "utf-16be": "utf-8"}.get(encoding, encoding)

    def xml_encoding_steps(self):
        declaration_end = self.data.find(b">")
        if not self.data.startswith(b"<?xml") or declaration_end < 0:
            return "failure"
        self.position = self.data.find(b"encoding", 0, declaration_end)
        if self.position < 0:
            return "failure"
        self.position += 8
        while self.byte() <= 0x20:
            self.position += 1
        if self.byte() != 0x3D:
            return "failure"
        self.position += 1
        while self.byte() <= 0x20:
            self.position += 1
        quote_mark = self.byte()
        if quote_mark not in b"\"'":
            return "failure"
        self.position += 1
        end = self.data.find(quote_mark, self.position)
        potential = self.data[self.position : end]
        if end < 0 or any(byte <= 0x20 for byte in potential):
            return "failure"
        return self.get_an_encoding(potential)

    def get_an_encoding(self, label):
        encoding = webencodings.lookup(label.decode("latin-1"))
        return encoding.name if encoding else "failure"


PIECES = [
    *(
        b"<meta ",
        b"<META/",
        b"<meta",
        b"<",
        b"</",
        b"<!--",
        b"-->",
        b"--",
        b"<!",
        b"<?xml ",
        b"<?",
        b"<a ",
        b"</b ",
        b">",
    ),
    *(b"charset", b"charset=", b"CharSet = ", b"content=", b"content='", b'content="', b"http-equiv=", b"content-type"),
    *(b"=", b"'", b'"', b"/", b" ", b"\n", b";", b"\0", b"\xff", b"x", b"text/html"),
    *(b"utf-8", b"KOI8-R", b"utf-16", b"x-user-defined", b"none", b"encoding=", b"encoding", b"\x1f"),
    *(b"<meta charset=koi8-r>", b"<meta http-equiv=content-type content='charset=koi8-u'>", b"<?xml encoding='big5'?>"),
]


class TestByTheLetter:
    """ "User agents should not use a pre-scan algorithm that returns different results than the one described"."""

    @given(data=st.lists(st.sampled_from(PIECES), max_size=25).map(b"".join), end=st.integers(0, 200))
    @example(b"<meta content=charset=utf-16 http-equiv=content-type charset=x>", 200)
    def test_on_pieces(self, data, end):
        assert name(data, end) == ByTheLetter(data[:end]).prescan()

    @given(data=st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join), more=st.binary(max_size=8))
    def test_in_a_meta(self, data, more):
        data = b"<?xml encoding='big5'?><meta http-equiv='content-type' " + data + more + b"'><meta charset=koi8-u>"
        assert name(data) == ByTheLetter(data).prescan()

    @given(data=st.binary(max_size=60))
    def test_on_any_bytes(self, data):
        assert name(data) == ByTheLetter(data).prescan()

    @given(data=st.lists(st.sampled_from(PIECES), max_size=25).map(b"".join))
    def test_an_offset_is_that_of_the_label(self, data):
        found, unknown = prescan(data, LIMIT)
        for label, _, offset in unknown:
            assert data[offset : offset + len(label)] == label
        if found and found.offset:
            label = data[found.offset :].split(b">")[0]
            assert any(webencodings.lookup(label[:end].decode("latin-1")) for end in range(1, len(label) + 1))


# html5lib's prescan follows an older text of the standard. It agrees where both texts are the same: not on `<meta/`, on
# an attribute given twice, on a charset that is no label beside a content that has one, on `;` and a lone "charset" in
# a content, on `<!-->`, on a `<` in a tag, on an unfinished tag, on x-user-defined, on XML declarations.

VALUES = st.text(alphabet="abcxyz/ >&?.-_0123\n\u00e9", max_size=12).map(lambda text: text.encode())
LABELS = st.sampled_from([b"utf-8", b"UTF-16", b"koi8-r", b"Shift_JIS", b"latin1", b"big5-hkscs", b"gb2312", b"none"])
QUOTES = st.sampled_from([b'"', b"'"])
GAPS = st.sampled_from([b" ", b"\n", b"\t ", b"\r\n", b"\f"])
TEXTS = st.text(alphabet="abc charset=utf-8 \u4eac>\"'/", max_size=20).map(lambda text: text.encode())


@st.composite
def attributes(draw, given):
    """Attributes, in any order, each in quotes or, if possible, without."""
    out = b""
    for attribute, value in draw(st.permutations(given)):
        bare = value and not set(value) & set(b" \n>") and draw(st.booleans())
        quote = b"" if bare else draw(QUOTES)
        equals = draw(st.sampled_from([b"=", b" = ", b"=\n"]))
        out += draw(GAPS) + attribute + equals + quote + value + quote
    return out + draw(st.sampled_from([b"", b" ", b" /"]))


@st.composite
def tags(draw):
    start = draw(st.sampled_from([b"<html", b"<title", b"<link", b"</script", b"<METADATA", b"<p", b"<body"]))
    names = draw(st.lists(st.sampled_from([b"id", b"lang", b"charset", b"content", b"http-equiv"]), unique=True))
    return start + draw(attributes([(attribute, draw(VALUES)) for attribute in names])) + b">"


@st.composite
def metas(draw):
    label = draw(LABELS)
    content = draw(st.sampled_from([b"text/html; charset=", b"charset = ", b"text/html;charset="])) + label
    pragma = draw(st.sampled_from([b"Content-Type", b"content-type", b"refresh"]))
    given = draw(
        st.sampled_from(
            [
                [(b"charset", label)],
                [(b"charset", label), (b"id", b"x")],
                [(b"http-equiv", pragma), (b"content", content)],
                [(b"content", content)],
                [(b"name", b"viewport"), (b"content", b"width=device-width")],
            ]
        )
    )
    return draw(st.sampled_from([b"<meta", b"<META", b"<Meta"])) + draw(attributes(given)) + b">"


DOCTYPES = st.sampled_from([b"<!DOCTYPE html>", b'<!doctype html PUBLIC "-//W3C//DTD HTML 4.01//EN">', b"<?php x ?>"])
COMMENTS = VALUES.map(lambda text: b"<!-- " + text.replace(b"-", b"") + b" <meta charset=utf-7> -->")
HEADS = st.lists(st.one_of(DOCTYPES, COMMENTS, TEXTS, tags(), metas()), max_size=8).map(b"".join)


@given(head=HEADS)
def test_as_html5lib(head):
    theirs = EncodingParser(head).getEncoding()
    expected = theirs.name if theirs else None
    assert name(head, len(head)) == ("utf-8" if expected in {"utf-16le", "utf-16be"} else expected)


@given(
    st.lists(st.sampled_from([b"<meta", b"<MeTa", b"<met", b"<", b">", b"charset", b"cHarSet", b"char", b" "])),
    st.integers(0, 40),
)
def test_may_declare_searches_meta_for_the_word(pieces, end):
    data = b"".join(pieces)
    expected = re.search(rb"<meta[^>]*?charset", data[:end], re.IGNORECASE) is not None
    assert may_declare(data, end) == expected


HEAD = "script noscript style link meta object title base".split()


@pytest.mark.parametrize(
    ("before", "is_head"),
    [
        *[(f"<{name}></{name}>", True) for name in HEAD],
        *[(f"<{name.upper()}></{name.upper()}>", True) for name in HEAD],
        ("<html><head>", True),
        ("</html>", False),
        ("</head>", False),
        ("<body>", False),
        ("<metas>", False),
        ("<script></scripts><body></script>", True),
        ("<title><body></TITLE>", True),
        ("<!-- <body> -->", True),
        ("<meta charset=unknown>", True),
    ],
)
@pytest.mark.parametrize("meta", ["<meta charset=koi8-r>", "<META/content='charset=koi8-r'\fhttp-equiv=content-type>"])
def test_a_meta_in_the_head_declares_at_any_offset(before, is_head, meta):
    data = (before + meta).encode()
    found = prescan_head(data, len(data))
    assert (found is not None) == is_head
    if found is not None:
        assert found.name == "koi8-r"
        assert found.offset == data.index(b"koi8-r")


@given(
    st.lists(st.sampled_from(["charset", "content", "http-equiv", "content-type", "koi8-r", "=", "'", '"', " ", "/"]))
)
def test_a_meta_is_read_as_in_the_first_bytes(pieces):
    data = f"<meta {''.join(pieces)}>".encode()
    expected, _ = prescan(data, len(data))
    assert prescan_head(data, len(data)) == expected
