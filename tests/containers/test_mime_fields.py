"""Header fields of messages: parts, bases, output; Python's email package and dkimpy are the judges."""

from __future__ import annotations

import base64
import email
import email.policy
import io
from functools import partial

import dkim
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from hypothesis import given, settings
from hypothesis import strategies as st
from support.paths import FIXTURES
from support.running_containers import codes, nothing, read, rewritten
from support.sizes import examples
from support.vectors import table

from linkfix import Document, Envelope
from linkfix.containers import Limits, mime, mime_entities
from linkfix.containers.mime_writing import changed_fields
from linkfix.document import fallback_base
from linkfix.model import HEADER_TYPE, MARKUP_TYPES
from linkfix.resolvers import RESOLVERS

TYPES = MARKUP_TYPES | {HEADER_TYPE}
WANTED = Limits(media_types=TYPES)
BREAK = WANTED._replace(break_signatures=True)
PUBLISHED = {name: message.encode("latin-1") for name, message in table("mime", "name", "message")}
SAMPLES = {path.name: path.read_bytes() for path in sorted((FIXTURES / "mime").iterdir())} | PUBLISHED
#: A list's message with a page, an attached message, and a part that is itself a header (RFC 6522).
NESTED = (
    b"Base: <URL:http://b.example/d/>\r\nList-Archive: <archive/>\r\nMIME-Version: 1.0\r\n"
    b"Content-Type: multipart/mixed; boundary=b\r\n\r\n"
    b"--b\r\nContent-Type: text/html\r\nContent-Location: p/q.html\r\n\r\n<a href=r>\r\n"
    b"--b\r\nContent-Type: message/rfc822\r\nContent-Base: http://c.example/\r\n\r\n"
    b"List-Help: <help>\r\nContent-Type: multipart/related; boundary=c\r\n\r\n"
    b"--c\r\nContent-Type: text/plain\r\n\r\nx\r\n"
    b"--c\r\nContent-Type: text/css\r\nLink: <s>\r\n\r\na{}\r\n--c--\r\n\r\n"
    b"--b\r\nContent-Type: text/rfc822-headers\r\n\r\nBase: http://o.example/\r\nArchived-At: <m>\r\n\r\n--b--\r\n"
)


def is_section(part):
    """Whether a part is the header of an entity."""
    return part.name.endswith(("HEADER", "MIME"))


def absolute(part, **options):
    """The part with absolute links."""
    if part.media_type not in TYPES:
        return None
    return Document(part.data, envelope=part.envelope, header_fields=True, **options).absolutize()


def only_headers(part):
    return absolute(part) if is_section(part) else None


def links(data):
    """The links of the headers of a message."""
    found = [part for part in read(mime, data, limits=WANTED)[0] if is_section(part)]
    return [
        (part.name, link.attribute, link.reference, link.target)
        for part in found
        for link in Document(part.data, envelope=part.envelope).links
    ]


# Parts


def test_sections_have_the_names_of_imap():
    """RFC 9051 §6.4.5."""
    assert links(NESTED) == [
        ("HEADER", "base", "http://b.example/d/", "http://b.example/d/"),
        ("HEADER", "list-archive", "archive/", "http://b.example/d/archive/"),
        ("1.MIME", "content-location", "p/q.html", "http://b.example/d/p/q.html"),
        ("2.MIME", "content-base", "http://c.example/", "http://c.example/"),
        ("2.HEADER", "list-help", "help", "http://c.example/help"),
        ("2.2.MIME", "link", "s", "http://c.example/s"),
    ]


def test_a_message_with_one_part_has_one_header():
    message = b"List-Help: <a>\nContent-Location: http://h.example/b/c\nContent-Type: text/html\n\n<a href=d>"
    assert [target for _, _, _, target in links(message)] == ["http://h.example/b/a", "http://h.example/b/c"]
    assert [part.name for part in read(mime, message, limits=WANTED)[0]] == ["HEADER", "1"]


@pytest.mark.parametrize("name", SAMPLES)
def test_the_base_of_a_header_is_that_of_its_part(name):
    """But for the parts of Blink that have no URL, whose base is that of their page."""
    parts = {part.name: part for part in read(mime, SAMPLES[name], limits=WANTED)[0]}
    for section in parts.values():
        part = parts.get(section.name.removesuffix(".MIME"))
        if section.name.endswith(".MIME") and part is not None and b"@mhtml.blink" not in section.data:
            base = Document(section.data, envelope=section.envelope).base
            assert base.url == fallback_base(part.envelope, RESOLVERS["whatwg"]).url


def test_headers_are_parts_only_if_selected():
    assert not any(map(is_section, read(mime, NESTED)[0]))
    assert rewritten(mime, NESTED, only_headers) == (NESTED, [])


def test_a_message_without_urls_in_its_header_has_no_more_parts():
    message = b"Subject: x\nMessage-ID: <a@b>\nList-Id: <l.example>\nContent-Type: text/html\n\n<a href=b>"
    assert [part.name for part in read(mime, message, limits=WANTED)[0]] == ["1"]


def test_the_header_of_another_message_is_a_part_of_its_media_type():
    """RFC 6522 §4: the header of a message that could not be delivered. Its own Base counts."""
    part = read(mime, NESTED, limits=WANTED)[0][-1]
    assert (part.name, part.media_type) == ("3", HEADER_TYPE)
    assert [link.target for link in Document(part.data, envelope=part.envelope).links] == [
        "http://o.example/",
        "http://o.example/m",
    ]


# Writing


def test_only_the_urls_change():
    made, problems = rewritten(mime, NESTED, absolute, limits=WANTED)
    expected = NESTED
    for old, new in (
        (b"<archive/>", b"<http://b.example/d/archive/>"),
        (b"p/q.html", b"http://b.example/d/p/q.html"),
        (b"href=r", b"href=http://b.example/d/p/r"),
        (b"<help>", b"<http://c.example/help>"),
        (b"<s>", b"<http://c.example/s>"),
        (b"<m>", b"<http://o.example/m>"),
    ):
        assert expected.count(old) == 1
        expected = expected.replace(old, new)
    assert (made, problems) == (expected, [])
    assert rewritten(mime, made, absolute, limits=WANTED) == (made, [])
    assert links(made) == [(name, field, target, target) for name, field, _, target in links(NESTED)]


@pytest.mark.parametrize("name", SAMPLES)
def test_without_changes_the_copy_is_the_same(name):
    assert rewritten(mime, SAMPLES[name], nothing, limits=WANTED)[0] == SAMPLES[name]
    assert rewritten(mime, SAMPLES[name], lambda part: part.data, limits=WANTED)[0] == SAMPLES[name]


@pytest.mark.parametrize("name", SAMPLES)
def test_bodies_are_written_as_without_headers(name):
    """--headers does not change bodies, and bodies do not change header fields."""
    both, _ = rewritten(mime, SAMPLES[name], absolute, limits=WANTED)
    first, _ = rewritten(mime, SAMPLES[name], only_headers, limits=WANTED)
    data = email.message_from_bytes(both)
    only = email.message_from_bytes(first)
    for one, other in zip(data.walk(), only.walk(), strict=True):
        assert one.items() == other.items()
    bodies, _ = rewritten(mime, SAMPLES[name], absolute)
    for one, other in zip(data.walk(), email.message_from_bytes(bodies).walk(), strict=True):
        assert one.is_multipart() or one.get_payload() == other.get_payload()


def test_leave_alone_receives_a_header_that_stays():
    told = []
    data = b"DKIM-Signature: h=list-help\nList-Help: <a>\nBase: http://h/\n\nx"
    mime.rewrite(io.BytesIO(data), io.BytesIO(), Envelope(), absolute, told.append, WANTED, leave_alone=told.append)
    assert [one if isinstance(one, int) else one.code for one in told] == ["part-signed", 1]


# Content-Length, which counts the bytes inside

COUNTED = (
    b"Content-Length: 1\nList-Help: <a>\nBase: http://h/\nContent-Type: multipart/mixed; boundary=b\n\n"
    b"--b\nContent-Type: text/html\nContent-Location: %s\n\n<a href=%s>\n--b--\n"
)


@pytest.mark.parametrize(
    ("location", "reference", "is_kept"),
    [(b"http://h/", b"http://h/", True), (b"c", b"http://h/", False), (b"http://h/", b"d", False), (b"c", b"d", False)],
)
def test_the_length_of_a_message_is_dropped_if_its_content_changes(location, reference, is_kept):
    made, problems = rewritten(mime, COUNTED % (location, reference), absolute, limits=WANTED)
    new = [b"http://h/" + one if len(one) == 1 else one for one in (location, reference)]
    expected = COUNTED.replace(b"<a>", b"<http://h/a>") % tuple(new)
    assert made == (expected if is_kept else expected.replace(b"Content-Length: 1\n", b""))
    assert problems == []


def test_the_length_of_a_body_stays_if_only_its_header_changes():
    message = b"Content-Length: 9\nBase: http://h/\nList-Help: <a>\nContent-Type: text/html\n\n<a href=#>"
    assert rewritten(mime, message, absolute, limits=WANTED)[0] == message.replace(b"<a>", b"<http://h/a>")


def test_a_header_and_the_fields_about_its_body_change_together():
    page = b"<a href=x>"
    digest = base64.b64encode(b"wrong")
    message = b"Base: http://h/\nContent-MD5: %s\nList-Help: <a>\nContent-Type: text/html\n\n%s" % (digest, page)
    made, _ = rewritten(mime, message, absolute, limits=WANTED)
    assert made == b"Base: http://h/\nList-Help: <http://h/a>\nContent-Type: text/html\n\n<a href=http://h/x>"


# Signatures


@pytest.fixture(scope="module")
def key():
    """A private key in PEM, and the DNS record of its public key."""
    private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    public = private.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return (
        private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
        b"v=DKIM1; k=rsa; p=" + base64.b64encode(public),
    )


SIGNED = (
    b"From: Ann <ann@h.example>\r\nTo: l@h.example\r\nSubject: x\r\nDate: Sun, 22 Nov 2026 10:00:00 +0000\r\n"
    b"Base: http://h.example/\r\nList-Help: <help>\r\nList-Archive: <archive>\r\nMIME-Version: 1.0\r\n"
    b"Content-Type: text/html\r\n\r\n<p>x\r\n"
)


@pytest.mark.parametrize(
    ("covered", "kept"),
    [
        ([b"from", b"subject"], set()),
        ([b"from", b"list-help"], {"list-help"}),
        ([b"From", b"LIST-ARCHIVE"], {"list-archive"}),
        ([b"from", b"list-archive", b"List-Help"], {"list-help", "list-archive"}),
        ([b"from", b"base"], set()),
    ],
)
def test_dkim_covers_the_fields_that_it_names(covered, kept, key):
    """RFC 6376 §3.5, the tag h=. Fields beyond it may change."""
    data = dkim.sign(SIGNED, b"s", b"h.example", key[0], include_headers=covered) + SIGNED
    verifies = partial(dkim.verify, dnsfunc=lambda *_, **__: key[1])
    assert verifies(data)
    made, problems = rewritten(mime, data, absolute, limits=WANTED)
    assert verifies(made)
    everything = data.replace(b"<help>", b"<http://h.example/help>")
    everything = everything.replace(b"<archive>", b"<http://h.example/archive>")
    expected = everything
    for name in kept:
        value = name.removeprefix("list-").encode()
        expected = expected.replace(b"<http://h.example/%s>" % value, b"<%s>" % value)
    assert made == expected
    assert codes(problems) == ["part-signed"] * bool(kept)
    names = ", ".join(sorted(kept))
    assert all(
        problem.message.endswith(f": {names} of the message: DKIM-Signature (d=h.example) of the message")
        for problem in problems
    )
    broken, problems = rewritten(mime, data, absolute, limits=BREAK)
    assert broken == everything
    assert bool(verifies(broken)) == (not kept)
    assert codes(problems) == ["signature-broken"] * bool(kept)


def test_only_signed_fields_stay():
    data = (
        b"DKIM-Signature: d=h; h=from:list-archive:Link\nBase: http://h/\nList-Archive: <a>\nLink: <b>\n"
        b"List-Help: <c>\nContent-Location: d\n\nx"
    )
    made, problems = rewritten(mime, data, absolute, limits=WANTED)
    assert made == data.replace(b"<c>", b"<http://h/c>").replace(b"Location: d", b"Location: http://h/d")
    assert [problem.message.partition(": ")[2] for problem in problems] == [
        "link, list-archive of the message: DKIM-Signature (d=h) of the message"
    ]
    assert rewritten(mime, made, absolute, limits=WANTED)[0] == made


MULTIPART_SIGNED = (
    b"Base: http://h/\nList-Help: <a>\n"
    b"Content-Type: multipart/signed; protocol=application/pgp-signature; boundary=b\n\n"
    b"--b\nContent-Location: c\nContent-Type: text/html\n\nx\n"
    b"--b\nContent-Type: application/pgp-signature\nContent-Location: d\n\ny\n--b--\n"
)


def test_multipart_signed_covers_the_headers_in_it():
    """RFC 1847 §2.1: the first part with its header. The text before it is not covered."""
    made, problems = rewritten(mime, MULTIPART_SIGNED, absolute, limits=WANTED)
    assert made == MULTIPART_SIGNED.replace(b"<a>", b"<http://h/a>")
    assert codes(problems) == ["part-signed", "part-signed"]
    assert "content-location of part 1: multipart/signed (OpenPGP) of the message" in problems[0].message
    made, problems = rewritten(mime, MULTIPART_SIGNED, absolute, limits=BREAK)
    assert made == MULTIPART_SIGNED.replace(b"<a>", b"<http://h/a>").replace(b": c", b": http://h/c").replace(
        b": d", b": http://h/d"
    )
    assert codes(problems) == ["signature-broken"]


def test_a_signature_around_covers_the_headers_inside():
    data = (
        b"DKIM-Signature: d=h; h=from\nBase: http://h/\nList-Help: <a>\nContent-Type: message/rfc822\n\n"
        b"List-Help: <b>\n\nx"
    )
    made, problems = rewritten(mime, data, absolute, limits=WANTED)
    assert made == data.replace(b"<a>", b"<http://h/a>")
    assert codes(problems) == ["part-signed"]


def test_the_fields_that_differ():
    old = b"A: 1\r\nb: 2\r\n 3\r\nB: 4\r\nC : 5\r\nD: 6\r\n\r\n"
    new = b"A: 1\r\nb: 2\r\nB: 0\r\nC : 5\r\nD:6\r\n\r\n"
    assert changed_fields(old, new) == {b"b", b"d"}
    assert changed_fields(old, old) == frozenset()


# Whatever the message

LINES = [
    *["Base: http://h/b/", "List-Help: <a>", "Content-Location: c", "Link: <d>", "Subject: e", "Content-Length: 9"],
    *[
        "Content-Base: http://i/",
        "List-Post: <f>,\n <g>",
        "Archived-At:\n <h>",
        "Content-Type: text/html",
        "X: Base: y",
    ],
]
HEADERS = st.lists(st.sampled_from(LINES), max_size=4, unique_by=lambda line: line.partition(":")[0]).map("\n".join)


@given(HEADERS, HEADERS, HEADERS)
@settings(max_examples=examples(200))
def test_changed_headers_are_read_back(outer, first, second):
    top = outer.replace("Content-Type: text/html", "X-Type: x")
    data = (
        (
            f"{top}\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n"
            f"--b\n{first}\n\n<a href=x>\n--b\n{second}\n\n<a href=y>\n--b--\n"
        )
        .lstrip()
        .encode()
    )
    assert rewritten(mime, data, nothing, limits=WANTED)[0] == data
    made, problems = rewritten(mime, data, only_headers, limits=WANTED)
    before, after = links(data), links(made)
    assert [(name, field, reference) for name, field, reference, _ in after] == [
        (name, field, reference if target.startswith("thismessage:") else target)
        for name, field, reference, target in before
    ]
    assert set(codes(problems)) <= {"mime-header"}
    old, new = email.message_from_bytes(data), email.message_from_bytes(made)
    for one, other in zip(old.walk(), new.walk(), strict=True):
        names = [name for name, _ in one.items()]
        assert [name for name, _ in other.items()] in (names, [name for name in names if name != "Content-Length"])
        assert one.is_multipart() or one.get_payload() == other.get_payload()
    assert rewritten(mime, made, only_headers, limits=WANTED)[0] == made


@pytest.mark.growth
def test_many_headers_take_linear_time():
    part = b"--b\nContent-Type: image/gif\nContent-Location: a%d.gif\n\nx\n"
    data = b"Content-Length: 1\nContent-Location: http://h/\nContent-Type: multipart/related; boundary=b\n\n"
    data += b"".join(part % number for number in range(3000)) + b"--b--\n"
    made, problems = rewritten(mime, data, absolute, limits=WANTED)
    assert problems == []
    assert made.count(b"Content-Location: http://h/a") == 3000


def test_entities_know_whether_their_header_has_links():
    problems = []
    entities = mime_entities.scan(mime.Window(NESTED), lambda *one: problems.append(one), WANTED)
    assert [entity.has_links for entity in entities] == [True, True, True, True, False, True, False]


def test_a_relative_content_location_is_no_problem_in_a_message_without_a_base():
    """RFC 2557 §4.2: other parts refer to it. A reference to anything else means nothing outside the message."""
    data = b"Content-Type: text/html\nContent-Location: a/b\nList-Help: <c>\n\n"
    (header,) = [part for part in mime.parts(io.BytesIO(data), Envelope(), print, WANTED) if part.name == "HEADER"]
    found = Document(header.data, envelope=header.envelope, header_fields=True)
    assert [(link.attribute, link.target, link.problem) for link in found.links] == [
        ("content-location", "thismessage:/a/b", None),
        ("list-help", "thismessage:/a/c", "message-base"),
    ]
    assert found.absolutize() == header.data
