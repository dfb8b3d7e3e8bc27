"""Signed mail: the signed bytes are left alone; dkimpy, openssl and gpg are the judges."""

from __future__ import annotations

import base64
import email
import email.policy
import os
import shutil
import subprocess

import dkim
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.growth import processor_limit
from support.running_containers import codes, read, rewritten
from support.sizes import examples

from linkfix.containers import Limits, container

mime = container("mime")

GPG = shutil.which("gpg") or ""
BREAK = Limits(break_signatures=True)
PAGE = b'<p>Hello  there \r\n<a href="a.html">x</a>\t\r\n\r\n<img src="b.png">\r\n'
HEADER = (
    b"From: Ann <ann@h.example>\r\nTo: Bob <bob@h.example>\r\nSubject: a page\r\n"
    b"Date: Sun, 22 Nov 2026 10:00:00 +0000\r\nMessage-ID: <1@h.example>\r\nMIME-Version: 1.0\r\n"
)
SINGLE = HEADER + b"Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: 7bit\r\n\r\n" + PAGE
MULTIPART = (
    HEADER
    + b'Content-Type: multipart/mixed; boundary="="\r\n\r\n'
    + b"--=\r\nContent-Type: text/html\r\n\r\n%s\r\n--=\r\nContent-Type: text/html\r\n\r\n%s\r\n--=--\r\n"
    % (PAGE, PAGE)
)


def absolute(part):
    """The links of an HTML part made absolute, as the decider would."""
    if part.media_type != "text/html":
        return None
    return part.data.replace(b'href="a', b'href="http://h.example/a').replace(b'src="b', b'src="http://h.example/b')


@pytest.fixture(scope="module")
def key():
    """A private key in PEM, and the DNS record of its public key."""
    private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    public = private.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return (
        private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
        b"v=DKIM1; k=rsa; p=" + base64.b64encode(public),
    )


def sign(data, key, **how):
    """The message with a DKIM-Signature before it."""
    return dkim.sign(data, b"s", b"h.example", key[0], **how) + data


def verifies(data, key):
    """Whether the message's DKIM-Signature is valid."""
    return dkim.verify(data, dnsfunc=lambda *_, **__: key[1])


# DKIM


@pytest.mark.parametrize("message", [SINGLE, MULTIPART], ids=["single", "multipart"])
@pytest.mark.parametrize("how", [(b"simple", b"simple"), (b"relaxed", b"relaxed"), (b"relaxed", b"simple")])
def test_a_dkim_signature_covers_the_whole_body(message, how, key):
    data = sign(message, key, canonicalize=how)
    assert verifies(data, key)
    made, problems = rewritten(mime, data, absolute)
    assert made == data
    assert set(codes(problems)) == {"part-signed"}
    assert "DKIM-Signature (d=h.example) of the message" in problems[0].message


@pytest.mark.parametrize("message", [SINGLE, MULTIPART], ids=["single", "multipart"])
def test_signatures_are_broken_with_the_option(message, key):
    data = sign(message, key)
    made, problems = rewritten(mime, data, absolute, limits=BREAK)
    assert not verifies(made, key)
    assert codes(problems) == ["signature-broken"]
    # Only the links change: the signature stays, and a verifier treats it as none (RFC 6376 §6.1).
    assert made == data.replace(b'"a.h', b'"http://h.example/a.h').replace(b'"b.p', b'"http://h.example/b.p')


def test_a_signed_message_without_a_change_has_no_problem(key):
    data = sign(SINGLE, key)
    assert rewritten(mime, data, lambda part: part.data) == (data, [])
    assert rewritten(mime, data, lambda _: None) == (data, [])


@pytest.mark.parametrize("body", [b"simple", b"relaxed"])
@pytest.mark.parametrize("line_end", [b"\r\n", b"\n"])
def test_the_text_after_the_signed_length_is_not_covered(body, line_end, key):
    first = MULTIPART[: MULTIPART.index(b"--=\r\n", MULTIPART.index(PAGE))]
    signed = sign(first, key, length=True, canonicalize=(b"relaxed", body))
    data = (signed + MULTIPART[len(first) :]).replace(b"\r\n", line_end)
    assert verifies(data, key)
    made, problems = rewritten(mime, data, absolute)
    assert verifies(made, key)
    assert codes(problems) == ["part-signed"]
    assert problems[0].message.endswith("part 1: DKIM-Signature (d=h.example) of the message")
    assert made.count(b"http://h.example/") == 2
    made, problems = rewritten(mime, data, absolute, limits=BREAK)
    assert (made.count(b"http://h.example/"), codes(problems)) == (4, ["signature-broken"])


@given(st.data())
@settings(deadline=None, max_examples=examples(40))
def test_a_change_that_is_made_leaves_the_signature_valid(key, draw):
    """Whatever the length is that l= states; and one that is refused would break it."""
    lines = [b"", b" ", b"a", b"a  b \t", b"\tx", b'<a href="a">', b"  "]
    text = b"\r\n".join(draw.draw(st.lists(st.sampled_from(lines), min_size=1, max_size=8))) + b"\r\n"
    body = draw.draw(st.sampled_from([b"simple", b"relaxed"]))
    head = SINGLE[: SINGLE.index(b"\r\n\r\n") + 4]
    # dkimpy signs all of its input: the rest is added afterwards.
    cut = draw.draw(st.sampled_from([at for at in range(len(text) + 1) if text[:at].endswith(b"\n") or at == 0]))
    data = sign(head + text[:cut], key, length=True, canonicalize=(b"relaxed", body)) + text[cut:]
    assume(verifies(data, key))  # not if an empty body, which is signed as a line end, got another first line
    at = draw.draw(st.integers(0, len(text) - 1))
    made, problems = rewritten(mime, data, lambda part: part.data[:at] + b"new" + part.data[at:])
    assert verifies(made, key)
    assert (made == data) == (codes(problems) == ["part-signed"])
    if cut and at >= cut:
        assert made != data


@pytest.mark.parametrize(("value", "covered"), [(b"l=0", False), (b"l=0; l", True), (b"l=x", True), (b"", True)])
def test_a_body_length_of_zero_covers_no_body(value, covered):
    data = b"DKIM-Signature: v=1; d=h; h=from; " + value + b"\r\n" + SINGLE
    made, problems = rewritten(mime, data, absolute)
    assert (made == data, codes(problems)) == (covered, ["part-signed"] if covered else [])


@pytest.mark.parametrize(
    ("fields", "covered"),
    [(b"from:content-md5", True), (b"From : Content-MD5", True), (b"from:content-type", False)],
)
def test_a_header_field_that_a_signature_covers_stays_too(fields, covered):
    digest = b"Content-MD5: Q2hlY2sgSW50ZWdyaXR5IQ==\r\n"
    data = b"DKIM-Signature: v=1; d=h; l=0; h=" + fields + b"\r\n" + digest + SINGLE
    made, problems = rewritten(mime, data, absolute)
    assert (made == data, codes(problems)) == (covered, ["part-signed"] if covered else [])
    assert (digest in made) == covered


@pytest.mark.parametrize(
    ("field", "covered"),
    [
        (b"ARC-Message-Signature: i=1; a=rsa-sha256; d=h; bh=x; b=y", True),
        (b"DomainKey-Signature: a=rsa-sha1; d=h; b=x", True),
        (b"dkim-signature : v=1;\r\n d=h", True),
        # These cover header fields alone.
        (b"ARC-Seal: i=1; a=rsa-sha256; cv=none; d=h; b=y", False),
        (b"ARC-Authentication-Results: i=1; h; dkim=pass", False),
        (b"Authentication-Results: h; dkim=pass", False),
    ],
)
def test_signature_fields_that_cover_a_body(field, covered):
    data = field + b"\r\n" + SINGLE
    made, problems = rewritten(mime, data, absolute)
    assert (made == data, codes(problems)) == (covered, ["part-signed"] if covered else [])


@pytest.mark.parametrize(("length", "covered"), [(0, False), (60, True)])
def test_a_header_that_changes_in_the_covered_part_of_a_body_counts(length, covered):
    """The nested message loses its Content-Length, which is covered; its page is not."""
    inner = b"Content-Length: 1\r\nX: " + b"x" * 200 + b"\r\n" + SINGLE
    data = b"DKIM-Signature: v=1; d=h; l=%d\r\n" % length + HEADER + b"Content-Type: message/rfc822\r\n\r\n" + inner
    made, problems = rewritten(mime, data, absolute)
    assert (made == data, codes(problems)) == (covered, ["part-signed"] if covered else [])


def test_more_signatures_than_are_read_cover_everything():
    data = b"DKIM-Signature: v=1; d=h; l=0\r\n" * 101 + SINGLE
    made, problems = rewritten(mime, data, absolute)
    assert (made, codes(problems)) == (data, ["part-signed"])
    assert problems[0].message.endswith("one of 101 signatures of the message")


def test_an_arc_chain_stays_valid(key):
    signed = sign(SINGLE, key)
    results = b"Authentication-Results: h.example; dkim=pass header.d=h.example\r\n"
    chain = dkim.arc_sign(results + signed, b"s", b"h.example", key[0], b"h.example")
    data = b"".join(chain) + results + signed
    check = dkim.ARC(data)
    assert check.verify(dnsfunc=lambda *_, **__: key[1])[0] == dkim.CV_Pass
    made, problems = rewritten(mime, data, absolute)
    assert (made, codes(problems)) == (data, ["part-signed"])
    assert "ARC-Message-Signature (d=h.example)" in problems[0].message
    made, problems = rewritten(mime, data, absolute, limits=BREAK)
    assert codes(problems) == ["signature-broken", "signature-broken"]
    assert dkim.ARC(made).verify(dnsfunc=lambda *_, **__: key[1])[0] == dkim.CV_Fail


def test_a_signature_is_that_of_its_own_message(key):
    """A forwarded message has its own signature; a page beside it has none."""
    inner = sign(SINGLE, key)
    data = (
        HEADER
        + b'Content-Type: multipart/mixed; boundary="+"\r\n\r\n--+\r\nContent-Type: text/html\r\n\r\n'
        + PAGE
        + b"\r\n--+\r\nContent-Type: message/rfc822\r\n\r\n"
        + inner
        + b"\r\n--+\r\nContent-Type: text/html\r\nDKIM-Signature: v=1; d=h\r\n\r\n"  # means nothing in a body part
        + PAGE
        + b"\r\n--+--\r\n"
    )
    made, problems = rewritten(mime, data, absolute)
    assert made.count(b"http://h.example/") == 4
    assert inner in made
    assert codes(problems) == ["part-signed"]
    assert problems[0].message.endswith("of the message in part 2")
    sealed = sign(data, key)
    made, problems = rewritten(mime, sealed, absolute)
    assert (made, codes(problems)) == (sealed, ["part-signed"] * 3)
    assert problems[1].message.count("DKIM-Signature") == 2


# S/MIME and OpenPGP

ENTITY = b"Content-Type: text/html\r\n\r\n" + PAGE


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("smime")
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=Ann", "-days", "9"]
    openssl(folder, *command, "-keyout", "key.pem", "-out", "cert.pem")
    return folder


def openssl(folder, *command, stdin=b""):
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    return subprocess.run(command, cwd=folder, input=stdin, capture_output=True, check=True).stdout


def smime(folder, data, *more):
    """A message that openssl signs."""
    made = openssl(folder, "openssl", "smime", "-signer", "cert.pem", "-inkey", "key.pem", *more, stdin=data)
    return b"From: ann@h.example\r\n" + made


def smime_verifies(folder, data):
    (folder / "message.eml").write_bytes(data)
    command = ["openssl", "smime", "-verify", "-noverify", "-in", "message.eml", "-out", os.devnull]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode == 0


def test_a_signature_by_openssl_stays_valid(certificate):
    data = smime(certificate, ENTITY, "-sign")
    assert smime_verifies(certificate, data)
    made, problems = rewritten(mime, data, absolute)
    assert (made, codes(problems)) == (data, ["part-signed"])
    assert "multipart/signed (S/MIME)" in problems[0].message
    made, problems = rewritten(mime, data, absolute, limits=BREAK)
    assert made.count(b"http://h.example/") == 2
    assert codes(problems) == ["signature-broken"]
    assert not smime_verifies(certificate, made)
    assert b"smime.p7s" in made


def test_parts_inside_a_signature_are_reported(certificate):
    data = smime(certificate, ENTITY, "-sign", "-nodetach")
    assert b"pkcs7-mime" in data
    for limits in (None, BREAK):
        made, problems = rewritten(mime, data, absolute, limits=limits)
        assert (made, codes(problems)) == (data, ["part-signed"])
        assert "S/MIME signed data, which is not read" in problems[0].message


def test_encrypted_parts_are_reported(certificate):
    data = openssl(certificate, "openssl", "smime", "-encrypt", "-aes256", "cert.pem", stdin=ENTITY)
    parts, problems = read(mime, data)
    assert [part.media_type.removeprefix("application/x-") for part in parts] == ["pkcs7-mime"]
    assert codes(problems) == ["part-encrypted"]
    header = b'Content-Type: multipart/encrypted; boundary=b; protocol="application/pgp-encrypted"\r\n'
    assert codes(read(mime, header + b"\r\n--b\r\n\r\n--b--")[1]) == ["part-encrypted"]


def test_a_signature_without_multipart_signed_covers_its_siblings():
    for header in (
        b"application/pkcs7-signature",
        b"application/pgp-signature; name=x.asc",
        b'application/octet-stream; name="smime.p7s"',
    ):
        data = (
            HEADER
            + b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n"
            + ENTITY
            + b"\r\n--b\r\nContent-Type: "
            + header
            + b"\r\n\r\nx\r\n--b--\r\n"
        )
        made, problems = rewritten(mime, data, absolute)
        assert (made, codes(problems)) == (data, ["part-signed"])
        assert "the signature in part 2" in problems[0].message


@pytest.fixture(scope="module")
def gpg(tmp_path_factory):
    """Runs gpg with a key of its own."""
    home = tmp_path_factory.mktemp("g", numbered=True)
    home.chmod(0o700)
    if not GPG:
        pytest.skip("gpg is not installed")

    def run(*command, stdin=b"", check=True):
        options = ["--homedir", str(home), "--batch", "--quiet", "--passphrase", "", "--pinentry-mode", "loopback"]
        return subprocess.run([GPG, *options, *command], input=stdin, capture_output=True, check=check)

    run("--quick-generate-key", "ann@h.example", "ed25519", "sign", "never")
    yield run
    subprocess.run([GPG + "conf", "--homedir", str(home), "--kill", "all"], capture_output=True, check=False)


def test_pgp_mime_stays_valid(gpg, tmp_path):
    signature = gpg("--armor", "--detach-sign", stdin=ENTITY).stdout
    data = (
        HEADER
        + b'Content-Type: multipart/signed; boundary=b; micalg=pgp-sha512; protocol="application/pgp-signature"\r\n\r\n'
        + b"--b\r\n"
        + ENTITY
        + b"\r\n--b\r\nContent-Type: application/pgp-signature\r\n\r\n"
        + signature
        + b"\r\n--b--\r\n"
    )
    made, problems = rewritten(mime, data, absolute)
    assert (made, codes(problems)) == (data, ["part-signed"])
    assert "multipart/signed (OpenPGP)" in problems[0].message

    def is_valid(message):
        """RFC 3156 §5: the signed entity, without the line end before the delimiter."""
        entity = message.split(b"--b\r\n")[1].removesuffix(b"\r\n")
        (tmp_path / "signature").write_bytes(signature)
        return gpg("--verify", str(tmp_path / "signature"), "-", stdin=entity, check=False).returncode == 0

    assert is_valid(made)
    made, problems = rewritten(mime, data, absolute, limits=BREAK)
    assert (is_valid(made), codes(problems)) == (False, ["signature-broken"])


def test_a_cleartext_signature_covers_its_lines(gpg):
    signed = gpg("--clear-sign", stdin=b"See <URL:../x.html>.\n").stdout
    data = HEADER + b"Content-Type: text/plain\r\n\r\nsee ../before.html\n" + signed + b"see ../after.html\n"

    def change(*names):
        def apply(part):
            text = part.data
            for name in names:
                text = text.replace(b"../" + name, b"http://h.example/" + name)
            return text

        return apply

    def is_valid(message):
        return gpg("--verify", stdin=message.split(b"\r\n\r\n", 1)[1], check=False).returncode == 0

    assert is_valid(data)
    made, problems = rewritten(mime, data, change(b"before", b"after"))
    assert (made.count(b"http://h.example/"), problems, is_valid(made)) == (2, [], True)
    made, problems = rewritten(mime, data, change(b"before", b"x"))
    assert (made, codes(problems)) == (data, ["part-signed"])
    assert "cleartext signature" in problems[0].message
    made, problems = rewritten(mime, data, change(b"x"), limits=BREAK)
    assert (codes(problems), is_valid(made)) == (["signature-broken"], False)


def test_an_unfinished_cleartext_signature_is_ignored():
    data = HEADER + b"Content-Type: text/plain\r\n\r\n-----BEGIN PGP SIGNED MESSAGE-----\r\n../x\r\n"
    assert codes(rewritten(mime, data, lambda part: part.data + b"y")[1]) == []


def test_signed_by_python_reads_the_same(key):
    """The bytes around the change are untouched: Python's parser finds the same header and structure."""
    data = sign(MULTIPART, key)
    made, _ = rewritten(mime, data, absolute, limits=BREAK)
    before, after = (email.message_from_bytes(one, policy=email.policy.SMTP) for one in (data, made))
    assert before.items() == after.items()
    assert [part.items() for part in before.walk()] == [part.items() for part in after.walk()]


BIG = b"--b\r\nContent-Type: text/html\r\n\r\n<a href=a>\r\n" * 5_000 + b"--b--\r\n"
MANY = HEADER + b"Content-Type: multipart/mixed; boundary=b\r\n"


@pytest.mark.growth
@pytest.mark.parametrize(
    "data",
    [
        b"DKIM-Signature: v=1; c=x/relaxed; d=h; l=%d\r\n" % len(BIG) * 5_000 + MANY + b"\r\n" + BIG,
        b"DKIM-Signature: v=1; d=h; l=0\r\n" * 5_000 + MANY + b"\r\n" + BIG,
        b"DKIM-Signature: v=1" + b"; a=b" * 500_000 + b"\r\n" + MANY + b"\r\n" + BIG,
        b"Content-Length: 1\r\n" * 5_000 + MANY + b"\r\n" + BIG,
        b"DKIM-Signature: v=1; d=h; l=0; c=x/relaxed\r\n" + SINGLE + b" \t" * 1_000_000,
        HEADER + b"Content-Type: text/html\r\n\r\n<a href=a>" + b"\n-----BEGIN PGP SIGNED MESSAGE-----" * 50_000,
    ],
    ids=["lengths", "signatures", "tags", "content-lengths", "white-space", "cleartext"],
)
@pytest.mark.parametrize("limits", [Limits(), BREAK])
def test_takes_no_more_than_linear_time(data, limits):
    with processor_limit(30):
        rewritten(mime, data, lambda part: part.data.replace(b"=a", b"=http://h/a"), limits=limits)
