"""Header fields that describe a body, by the published examples of their specifications."""

from __future__ import annotations

import base64
import gzip
import hashlib

import pytest
from support.running_containers import codes

from linkfix import PROBLEMS, Problem
from linkfix.containers.http_body import BODY_HEADERS, renew_body_headers

#: RFC 9530 Appendix B.1, B.3: a representation, and the same with another content.
HELLO = b'{"hello": "world"}\n'
HELLO_256 = "RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg="
HELLO_512 = "YMAam51Jz/jOATT6/zvHrLVgOYTGFy1d6GJiOHTohq4yP+pgk4vf2aCsyRZOtw8MjkM7iw7yZ/WkppmM44T3qg=="
SHORTER = b'{"hello": "world"}'
SHORTER_256 = "X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE="


def renew(fields, old, new):
    """The renewed fields, and the problems."""
    told = []
    made = renew_body_headers(
        fields,
        [old, gzip.decompress(old)] if old.startswith(b"\x1f\x8b") else [old],
        new,
        lambda *one: told.append(one),
    )
    problems = [Problem(code, detail, 0, 1, 1) for code, detail in told]
    assert {problem.code for problem in problems} <= PROBLEMS.keys()
    return made, problems


@pytest.mark.parametrize(
    ("name", "value", "renewed"),
    [
        ("repr-digest", f"sha-256=:{HELLO_256}:", f"sha-256=:{SHORTER_256}:"),
        ("content-digest", f"sha-256=:{HELLO_256}:", f"sha-256=:{SHORTER_256}:"),
        ("digest", f"SHA-256={HELLO_256}", f"SHA-256={SHORTER_256}"),
        ("digest", f"id-sha-256={HELLO_256.rstrip('=')}", f"id-sha-256={SHORTER_256}"),
        ("content-length", "19", "18"),
        ("content-length", "unknown", "18"),
        ("etag", 'W/"a"', None),
        ("content-md5", "Q2hlY2sgSW50ZWdyaXR5IQ==", None),
        ("content-encoding", "gzip", None),
        ("transfer-encoding", "chunked", None),
    ],
)
def test_each_field_is_renewed_or_dropped(name, value, renewed):
    assert renew({name: value}, HELLO, SHORTER) == ({name: renewed}, [])


def test_every_member_of_a_list_of_digests_is_renewed():
    value = f"sha-512=:{HELLO_512}:,  sha-256=:{HELLO_256}:;note=1"
    expected = base64.b64encode(hashlib.sha512(SHORTER).digest()).decode()
    made, problems = renew({"content-digest": value}, HELLO, SHORTER)
    assert (made, problems) == ({"content-digest": f"sha-512=:{expected}:, sha-256=:{SHORTER_256}:"}, [])


@pytest.mark.parametrize("form", [lambda body: body, gzip.decompress])
def test_a_digest_covers_the_content_with_or_without_its_coding(form):
    coded = gzip.compress(HELLO, mtime=0)
    stated = base64.b64encode(hashlib.sha256(form(coded)).digest()).decode()
    assert renew({"repr-digest": f"sha-256=:{stated}:"}, coded, SHORTER) == (
        {"repr-digest": f"sha-256=:{SHORTER_256}:"},
        [],
    )


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (f"sha-256=:{SHORTER_256}:", "digest-wrong"),
        ("sha-256=:A:", "digest-wrong"),
        ("unixsum=:AAA=:", "digest-unknown"),
        (f"sha-256={HELLO_256}:", "digest-unknown"),
        ("sha-256", "digest-unknown"),
        ('sha-256="text"', "digest-unknown"),
    ],
)
def test_a_wrong_or_unknown_digest_is_dropped_and_reported(value, code):
    made, problems = renew({"repr-digest": value}, HELLO, SHORTER)
    assert (made, codes(problems)) == ({"repr-digest": None}, [code])
    made, problems = renew({"repr-digest": f"{value}, sha-256=:{HELLO_256}:"}, HELLO, SHORTER)
    assert (made, codes(problems)) == ({"repr-digest": f"sha-256=:{SHORTER_256}:"}, [code])


def test_other_fields_are_not_named():
    assert renew({"date": "today", "last-modified": "yesterday", "age": "1"}, HELLO, SHORTER) == ({}, [])
    assert renew({}, HELLO, SHORTER) == ({}, [])


def test_each_row_names_its_section():
    assert all("RFC " in row.section and "§" in row.section for row in BODY_HEADERS.values())
