"""The output stays valid: long lines, header fields that describe a body; Python's email package is the judge."""

from __future__ import annotations

import base64
import email
import email.policy
import hashlib
import quopri

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.running_containers import codes, read, rewritten
from support.sizes import examples

from linkfix.containers import container

mime = container("mime")

LONG = b"http://h.example/" + b"a" * 1200
VERSION = b"MIME-Version: 1.0\r\n"
TWO = VERSION + b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n%s\r\n%s\r\n--b--\r\n"


def message(header, body):
    return VERSION + b"Content-Type: text/html\r\n" + header + b"\r\n" + body


def put(new):
    """A change to this data."""
    return lambda _: new


def decoded(data):
    """The payload that Python's email package finds in the message's first leaf, and its transfer encoding."""
    found = email.message_from_bytes(data, policy=email.policy.SMTP)
    leaf = next(part for part in found.walk() if not part.is_multipart())
    return leaf.get_payload(decode=True), leaf.get("Content-Transfer-Encoding", "7bit"), leaf.defects


def longest(data):
    return max(len(line.removesuffix(b"\r")) for line in data.split(b"\n"))


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (b"Content-Transfer-Encoding: 7bit\r\n", b"Content-Transfer-Encoding: quoted-printable\r\n"),
        (b"content-transfer-encoding:\r\n 8bit (comment)\r\n", b"content-transfer-encoding:quoted-printable\r\n"),
        (b"", b"Content-Transfer-Encoding: quoted-printable\r\n"),
        (b"X-Other: 1\r\n", b"X-Other: 1\r\nContent-Transfer-Encoding: quoted-printable\r\n"),
    ],
)
@pytest.mark.parametrize("end", [b"\r\n", b"\n"])
def test_a_line_that_would_be_too_long_makes_the_body_quoted_printable(header, expected, end):
    page = b'<p>caf=E9</p>\r\n<a href="%s">\r\n'
    data = message(header, page % b"a").replace(b"\r\n", end)
    new = (page % LONG).replace(b"\r\n", end)
    made, problems = rewritten(mime, data, put(new))
    assert (longest(made) <= 76, problems) == (True, [])
    assert decoded(made) == (new, "quoted-printable", [])
    assert made.startswith((VERSION + b"Content-Type: text/html\r\n").replace(b"\r\n", end))
    assert [part.data for part in read(mime, made)[0]] == [new]
    head = made[: made.index(end * 2)].replace(b"\r\n", b"\n") + b"\n"
    assert head.endswith(expected.replace(b"\r\n", b"\n"))


@pytest.mark.parametrize("length", [997, 998, 999])
def test_998_bytes_are_the_limit(length):
    data = message(b"", b"<p>\r\n")
    made, _ = rewritten(mime, data, put(b"x" * length + b"\r\n"))
    assert (b"quoted-printable" in made) == (length > 998)
    made, _ = rewritten(mime, data.replace(b"\r\n", b"\n"), put(b"x" * length + b"\n"))
    assert (b"quoted-printable" in made) == (length > 998)


def test_a_body_with_longer_lines_keeps_its_encoding_and_its_bytes():
    """Savers write whole pages on one line in 8bit, which they only call so."""
    body = b"x" * 2000 + b"\r\n<a>\r\n"
    for new in (body.replace(b"<a>", b"<a href>"), body.replace(b"x\r", b"xy\r")):
        assert rewritten(mime, message(b"", body), put(new)) == (message(b"", new), [])


def test_binary_has_no_lines():
    header = b"Content-Transfer-Encoding: binary\r\n"
    assert rewritten(mime, message(header, b"<p>"), put(LONG)) == (message(header, LONG), [])


def test_7bit_data_that_is_not_ascii_any_more_becomes_quoted_printable():
    made, problems = rewritten(mime, message(b"", b"<p>\r\n"), put(b"<p>\xe9\r\n"))
    assert (decoded(made), problems) == ((b"<p>\xe9\r\n", "quoted-printable", []), [])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"Content-Type: text/html\r\n\r\n<p>\r\n", "it has no MIME-Version"),
        (b"From: a\r\nContent-Type: message/delivery-status\r\n" + VERSION + b"\r\nx\r\n", "cannot be encoded"),
        (VERSION + b"Content-Type: multipart/mixed\r\n\r\nx\r\n", "cannot be encoded"),
        (VERSION + b"Content-Type: text/html\r\n<p>", "no empty line"),
        (VERSION + b"Content-Transfer-Encoding: base64\r\n\r\nAA=A", "cannot be written in its base64"),
    ],
)
def test_a_part_that_cannot_be_quoted_printable_is_skipped(data, reason):
    made, problems = rewritten(mime, data, put(b"<" + LONG))
    assert (made, codes(problems)[-1]) == (data, "mime-left-alone")
    assert reason in problems[-1].message


def test_a_body_part_needs_no_mime_version():
    data = TWO % (b"", b"<p>")
    made, problems = rewritten(mime, data, put(b"<" + LONG))
    assert (decoded(made), problems) == ((b"<" + LONG, "quoted-printable", []), [])
    nested = TWO % (b"Content-Type: message/rfc822\r\n", b"From: a\r\nContent-Type: text/html\r\n\r\n<p>")
    assert codes(rewritten(mime, nested, put(LONG))[1]) == ["mime-left-alone"]


LINES = st.lists(
    st.sampled_from([b"", b"a", b"--b", b"--", b"=", b" ", b"\t", b"x" * 75, b"y" * 999, LONG, b"\xe9", b"From a"]),
    max_size=6,
).map(b"\r\n".join)
ENCODERS = {
    b"7bit": lambda data: data,
    b"8bit": lambda data: data,
    b"base64": base64.encodebytes,
    b"quoted-printable": lambda data: quopri.encodestring(data.replace(b"\r\n", b"\n")).replace(b"\n", b"\r\n"),
}


@given(LINES, LINES, st.sampled_from(sorted(ENCODERS)))
@settings(deadline=None, max_examples=examples(300))
def test_all_output_is_valid(old, new, transfer):
    assume(b"--b" not in old and (transfer != b"7bit" or old.isascii()))
    data = TWO % (b"Content-Transfer-Encoding: %s\r\n" % transfer, ENCODERS[transfer](old))
    made, problems = rewritten(mime, data, put(new))
    if made == data:
        assert codes(problems) == ["mime-left-alone"] or decoded(data)[0] == new
    else:
        assert longest(made) <= 998 or longest(data) > 998
        assert (decoded(made)[0], decoded(made)[2], problems) == (new, [], [])


# Header fields that describe the body


def digest_of(data):
    return base64.b64encode(hashlib.sha256(data).digest())


def test_fields_that_describe_a_body_are_renewed_or_dropped():
    header = (
        b"X-First: 1\r\nContent-MD5: Q2hlY2sgSW50ZWdyaXR5IQ==\r\nContent-Length: 3\r\n"
        b'ETag: "x"\r\nContent-Digest: sha-256=:' + digest_of(b"<p>") + b":\r\nContent-Encoding: gzip\r\nX-Last: 1\r\n"
    )
    made, problems = rewritten(mime, message(header, b"<p>"), put(b"<p>new"))
    expected = (
        b"X-First: 1\r\nContent-Length: 6\r\nContent-Digest: sha-256=:"
        + digest_of(b"<p>new")
        + b":\r\nContent-Encoding: gzip\r\nX-Last: 1\r\n"
    )
    assert (made, problems) == (message(expected, b"<p>new"), [])
    assert rewritten(mime, message(header, b"<p>"), put(b"<p>")) == (message(header, b"<p>"), [])


def test_a_message_keeps_a_header():
    """Without one, its first lines could be taken for it."""
    data = b"Content-MD5: x\r\n\r\n\r\nContent-Type: text/html\r\n\r\nx"
    made, problems = rewritten(mime, data, put(data))
    assert (made, codes(problems)) == (data, ["mime-left-alone"])
    assert "its header would have no field left" in problems[0].message


def test_a_wrong_digest_is_dropped_and_reported():
    header = b"Repr-Digest: sha-256=:" + digest_of(b"other") + b":\r\n"
    made, problems = rewritten(mime, message(header, b"<p>"), put(b"<p>new"))
    assert (made, codes(problems)) == (message(b"", b"<p>new"), ["digest-wrong"])


@pytest.mark.parametrize(
    ("stated", "renewed"), [(b"4", b"Content-Length: 8\r\n"), (b"3", b"Content-Length: 6\r\n"), (b"99", b"")]
)
def test_a_content_length_counts_the_encoded_body_or_the_data(stated, renewed):
    header = b"Content-Transfer-Encoding: base64\r\n"
    data = message(header + b"Content-Length: " + stated + b"\r\n", b"PHA+")
    made, _ = rewritten(mime, data, put(b"<p>new"))
    assert made == message(header + renewed, base64.b64encode(b"<p>new"))


def test_the_content_length_of_enclosing_entities_is_dropped():
    data = b"Content-Length: 80\r\n" + TWO % (b"", b"<p>")
    made, problems = rewritten(mime, data, put(b"<p>new"))
    assert (made, problems) == (TWO % (b"", b"<p>new"), [])
    assert rewritten(mime, data, put(b"<p>")) == (data, [])
