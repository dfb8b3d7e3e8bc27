"""Headers of messages as documents: their base, their links, and lines with new URLs (RFC 5322 §2.1.1)."""

from __future__ import annotations

import email
import email.policy
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import linkfix
from linkfix.containers.mime_entities import parse_url
from linkfix.resolvers import RESOLVERS

URL = "http://r.example/d/e"
TYPE = "text/rfc822-headers"
HEADER = (
    "Subject: <a href=x>\r\n"
    "List-Help: <../help> (See\r\n <no>), <mailto:a@b.example>\r\n"
    'Link: </l>; rel=x; anchor="#y"\r\n'
    "Content-Location: <URL:c.html>\r\n"
    "Archived-At: <http://a.example/1>\r\n"
)


def document(text, url=URL, **how):
    return linkfix.Document(text, url=url, media_type=TYPE, **how)


def converted(text, **how):
    return document(text, header_fields=True, **how).convert()


def targets(text, **how):
    return [(link.attribute, link.reference, link.target) for link in document(text, **how).links]


def longest(data):
    return max(len(line.removesuffix(b"\r")) for line in data.split(b"\n"))


@pytest.mark.parametrize("encoding", [None, "utf-8", "utf-8-sig", "utf-16"])
def test_links_and_their_places(encoding):
    text = HEADER if encoding is None else HEADER.encode(encoding)
    found = document(text).links
    assert [(link.attribute, link.role, link.reference, link.target, link.line, link.column) for link in found] == [
        ("list-help", "hyperlink", "../help", "http://r.example/help", 2, 13),
        ("list-help", "hyperlink", "mailto:a@b.example", "mailto:a@b.example", 3, 10),
        ("link", "resource", "/l", "http://r.example/l", 4, 8),
        ("link", "metadata", "#y", "http://r.example/d/c.html#y", 4, 28),
        ("content-location", "location", "c.html", "http://r.example/d/c.html", 5, 24),
        ("archived-at", "hyperlink", "http://a.example/1", "http://a.example/1", 6, 15),
    ]
    assert {link.element for link in found} == {""}
    if encoding in {None, "utf-8", "utf-8-sig"}:
        written = [text[link.start : link.end] for link in found]
        assert written == [link.reference if encoding is None else link.reference.encode() for link in found]


@pytest.mark.parametrize("encoding", [None, "utf-8", "utf-8-sig", "utf-16"])
def test_only_who_asks_gets_a_changed_header(encoding):
    text = HEADER if encoding is None else HEADER.encode(encoding)
    assert document(text).convert().data is text
    new = HEADER.replace("../help", "http://r.example/help").replace("/l>", "http://r.example/l>")
    new = new.replace("c.html", "http://r.example/d/c.html")
    made = converted(text)
    assert made.data == (new if encoding is None else new.encode(encoding))
    assert (made.links, made.rewritten, made.problems) == (6, 3, ())
    assert converted(made.data).data is made.data


def test_the_body_is_not_read():
    assert targets(b"Base: http://h/\r\n\r\nList-Help: <a>\r\n") == [("base", "http://h/", "http://h/")]
    assert targets(b"") == []


# The base: RFC 1808 §3.1, RFC 2110 §4.2, RFC 2557 §4.2


@pytest.mark.parametrize(
    ("fields", "base", "location"),
    [
        ("", URL, URL),
        ("Base: <URL:http://b.example/b/>\n", "http://b.example/b/", "http://b.example/b/"),
        ("Content-Base: http://c.example/c/\n", "http://c.example/c/", "http://c.example/c/"),
        ("Content-Location: http://l.example/l/\n", "http://l.example/l/", URL),
        ("Content-Location: l/\n", "http://r.example/d/l/", URL),
        ("Content-Location: l/\nBase: http://b.example/\n", "http://b.example/l/", "http://b.example/"),
        ("Content-Location: l/\nContent-Base: http://c.example/\n", "http://c.example/", "http://c.example/"),
        ("Content-Base: http://c.example/\nBase: http://b.example/\n", "http://c.example/", "http://c.example/"),
        ("Base: b/\nContent-Base: c/\n", URL, URL),
        ("Content-Location: cid:x\nContent-Location: y\n", URL, URL),
        ("Content-Location: //[\n", URL, URL),
        (
            "Content-Base:\nBase: http://b.example/\nBase: http://b2.example/\n",
            "http://b.example/",
            "http://b.example/",
        ),
    ],
)
def test_the_base_of_a_header(fields, base, location):
    one = document(fields + "Location: x\nSnapshot-Content-Location: http://s.example/\n")
    assert (one.base.url, one.base.fallback) == (base, location)
    by_role = {link.role: link.base for link in one.links}
    assert by_role == {"hyperlink": base, "location": location}


def test_the_reason_for_a_base_is_stated():
    text = "Content-Base: http://c.example/\nContent-Location: l\nBase: http://b.example/\n"
    base = document(text).base
    assert (base.url, base.where) == ("http://c.example/", "Content-Base of the header")
    assert [(other.reference, other.where) for other in base.rejected] == [
        ("http://c.example/l", "Content-Location of the header"),
        ("http://b.example/", "Base of the header"),
        (URL, "retrieval URL"),
    ]


def test_without_a_base_relative_urls_stay_with_a_problem():
    made = converted("List-Help: <a>\nContent-Location: b\n", url=None)
    assert made.rewritten == 0
    assert [problem.code for problem in made.problems] == ["no-base", "no-base"]


def test_a_relative_base_stays_and_is_ignored():
    """RFC 1808 §3.1, RFC 2110 §4.2: it is absolute. Written as an absolute one, it would become the base."""
    made = converted("Base: b/\nContent-Base: c/\nList-Help: <a>\n")
    assert made.data == "Base: b/\nContent-Base: c/\nList-Help: <http://r.example/d/a>\n"
    assert [(problem.code, problem.line) for problem in made.problems] == [("no-base", 1), ("no-base", 2)]
    assert [link.target for link in document("Base: b/\n").links] == [None]


@pytest.mark.parametrize("spec", RESOLVERS)
def test_the_base_of_a_message_serves_its_header(spec):
    """RFC 1808 §3.1. Fielding's text of 1994 knows no messages."""
    expected = "http://r.example/a" if spec == "fielding1994" else "http://b.example/a"
    assert targets("Base: http://b.example/b/c\nList-Help: <../a>\n", spec=spec)[1][2] == expected


@pytest.mark.parametrize("spec", RESOLVERS)
def test_the_specification_orders_the_fields_of_a_header(spec):
    """As for the documents in the message: see containers/test_mime_layers.py."""
    fields = "Base: http://b.example/\nContent-Location: http://l.example/\n"
    expected = {"fielding1994": URL, "rfc1808": "http://b.example/"}.get(spec, "http://l.example/")
    assert document(fields, spec=spec).base.url == expected


# Encodings


@pytest.mark.parametrize("encoding", ["utf-8", "windows-1252"])
def test_a_value_that_is_not_utf_8_is_windows_1252(encoding):
    """Each by itself, as the header of a message is read: the result for one says nothing about another."""
    data = b"Content-Location: %s.html\nList-Help: <\xc3\xbc?\xc3\xbc>\n" % "é".encode(encoding)
    one = document(data)
    assert (one.encoding.name, one.encoding.source) == ("utf-8", "default")
    assert [link.target for link in one.links] == ["http://r.example/d/%C3%A9.html", "http://r.example/d/%C3%BC?%C3%BC"]
    assert [data[link.start : link.end] for link in one.links] == ["é.html".encode(encoding), "ü?ü".encode()]
    assert [link.problem for link in one.links] == [None, None]
    assert converted(data).data.isascii()
    assert parse_url(b" " + "é".encode(encoding)) == "é"


def test_the_transport_may_state_another_encoding():
    assert document("Link: <é>".encode("iso-8859-2"), charset="iso-8859-2").links[0].target.endswith("/%C3%A9")


def test_the_url_replaces_encoded_words():
    text = "Content-Location: =?utf-8?q?=C3=A9?=\r\n =?utf-8?q?.html?= (x)\r\n"
    assert converted(text).data == "Content-Location: http://r.example/d/%C3%A9.html (x)\r\n"


# Long lines

LONG = "http://h.example/" + "b" * 1200 + "/"
#: A URL that grows when it is percent-encoded.
GROWING, GROWN = "http://h.example/" + "é" * 400, "http://h.example/" + "%C3%A9" * 400


@pytest.mark.parametrize("line_end", [b"\r\n", b"\n"])
@pytest.mark.parametrize(
    "field", [b"List-Help: <%s> (c)", b"Archived-At: <%s>", b"Content-Location: %s", b'Base: "%s"']
)
def test_a_long_url_is_folded(field, line_end):
    data = (b"To: x\n" + field % GROWING.encode() + b"\nTo: x\n").replace(b"\n", line_end)
    made = converted(data, normalize=True)
    assert longest(made.data) <= 78 + len(b" (c)")
    assert (made.rewritten, made.problems) == (1, ())
    assert [link.target for link in document(made.data).links] == [GROWN]
    assert made.data.count(b"\n") == made.data.count(line_end)
    assert re.sub(rb"\r?\n ", b"", made.data) == data.replace(GROWING.encode(), GROWN.encode())


@pytest.mark.parametrize(
    ("field", "is_folded"), [("List-Help: <%s>", True), ("Content-Location: %s", True), ("Link: <%s>; a", False)]
)
def test_998_bytes_are_the_limit(field, is_folded):
    base = "http://h.example/" + "b" * (998 - len(field % "") - len("http://h.example//a")) + "/"
    whole = converted(field % "a" + "\n", url=base)
    assert (whole.data, len(whole.data)) == (field % f"{base}a" + "\n", 999)
    made = converted(field % "aa" + "\n", url=base)
    assert made.data == (field % f"\n {base}aa" if is_folded else field % "aa") + "\n"
    assert made.rewritten == is_folded
    assert [problem.code for problem in made.problems] == [] if is_folded else ["line-too-long"]


def test_the_rest_of_the_line_is_included_in_its_length():
    """Each URL of a line is folded by itself, so that no line is too long."""
    base = "http://h.example/" + "b" * 500 + "/"
    text = "List-Help: <a>, <b>, <c> (" + "d" * 400 + ")\n"
    made = converted(text, url=base)
    assert longest(made.data.encode()) <= 998
    assert made.data.replace("\n ", "") == text.replace("<", f"<{base}")
    assert [target for _, _, target in targets(made.data)] == [base + name for name in "abc"]


def test_only_a_url_that_cannot_be_folded_stays():
    text = 'Link: <a>; rel="' + "x" * 900 + '", </b>\nLink: <c>\n'
    made = converted(text, url="http://h.example/" + "b" * 80 + "/")
    assert made.data == text.replace("</b>", "<http://h.example/b>").replace("<c>", f"<http://h.example/{'b' * 80}/c>")
    assert [(problem.code, problem.line, problem.column) for problem in made.problems] == [("line-too-long", 1, 8)]


@pytest.mark.parametrize(("length", "rewritten"), [(0, 2), (500, 1), (520, 0)])
def test_unchanged_urls_are_included_in_the_length_of_the_line(length, rewritten):
    """The first URL may fit into the line only as long as the second one does not stay."""
    base = "http://h.example/" + "b" * 450 + "/"
    made = converted('Link: <a>, <b>; title="' + "x" * length + '"\n', url=base)
    assert (made.rewritten, [problem.code for problem in made.problems]) == (
        rewritten,
        ["line-too-long"] * (2 - rewritten),
    )
    assert longest(made.data.encode()) <= 998
    assert converted(made.data, url=base).data == made.data


def test_a_comment_that_leaves_no_room_keeps_the_url():
    text = "List-Help: <a> (" + "x" * 975 + ")\n"
    made = converted(text)
    assert (made.data, made.rewritten, made.problems[0].code) == (text, 0, "line-too-long")


def test_lines_that_were_too_long_may_grow():
    text = "List-Help: <a>, <b> (" + "x" * 1000 + ")\n"
    assert converted(text).data == text.replace("<", "<http://r.example/d/")


@pytest.mark.parametrize("line_end", ["\r\n", "\n"])
def test_a_folded_line_is_never_blank(line_end):
    """RFC 5322 §3.2.2: a URL that has its line for itself is only folded within."""
    text = f"Content-Location:{line_end} a{line_end}List-Help:{line_end}\t<a>{line_end}"
    made = converted(text, url=LONG)
    assert all(line.strip() for line in made.data.split(line_end)[:-1])
    assert longest(made.data.encode()) <= 998
    assert {target for _, _, target in targets(made.data)} == {LONG + "a"}


def test_http_fields_are_not_folded():
    """RFC 9112 §5.2."""
    text = "Location: a\nURI: <a>\n"
    made = converted(text, url=LONG)
    assert made.data == text
    assert [problem.code for problem in made.problems] == ["line-too-long"] * 2


# Whatever the header

REFERENCES = st.sampled_from(
    ["a", "../b?c=d", "/e", "//f.example/g", "http://h.example/i", "?j", "mailto:k@l", "é", "#m"]
)
FORMS = {
    "List-Help": ["<%s>", "<%s> (x)", "(<x>) <%s>, <%s>", "NO", "<%s>,\r\n <%s>", "\r\n\t<%s>", "<URL:%s>"],
    "Content-Location": ["%s", "<%s>", '"%s"', "<URL:%s> (c)", "\r\n %s", "%s ; x"],
    "Link": ["<%s>", '<%s>; title="<x>, <y>"; anchor="%s"', "<%s>,\r\n <%s>; rel=a"],
    "Archived-At": ["<%s>", "\r\n <%s>"],
    "Base": ["<URL:http://b.example/b/>"],
    "Subject": ["<%s>", "%s"],
}
FIELDS = st.sampled_from([(name, form) for name, forms in FORMS.items() for form in forms])


@given(st.lists(st.tuples(FIELDS, REFERENCES, REFERENCES), max_size=6), st.sampled_from(["\r\n", "\n"]))
def test_the_email_package_reads_each_url_replaced_by_its_target(fields, line_end):
    pieces = [(name, form, (first, second)[: form.count("%s")]) for (name, form), first, second in fields]
    text = "".join(f"{name}: {form % written}\r\n" for name, form, written in pieces).replace("\r\n", line_end)
    data = text.encode()
    assert document(data).convert().data is data
    made = converted(data)
    links = (link for link in document(data).links if link.attribute != "base")
    expected = []
    for name, form, written in pieces:
        values = written if name == "Subject" else tuple(_converted(next(links)) for _ in written)
        expected.append((name, form % values))
    assert _fields(made.data) == _fields("".join(f"{name}: {value}\n" for name, value in expected).encode())
    assert converted(made.data).data is made.data


def _converted(link):
    """The text in a link's place after a conversion: fragments stay."""
    return link.reference if link.reference.startswith("#") else link.target


def _fields(data):
    """The fields that Python's email package reads, without their white space."""
    parsed = email.message_from_bytes(data, policy=email.policy.compat32)
    return [(name, "".join(str(value).split())) for name, value in parsed.raw_items()]
