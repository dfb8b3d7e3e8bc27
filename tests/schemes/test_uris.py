from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from linkfix.schemes import VERDICTS, Registry, Scheme, check_uri

# RFC 3986 Appendix A, with the names it has there.
_UNRESERVED = r"[A-Za-z0-9\-._~]"
_PCT = r"%[0-9A-Fa-f]{2}"
_SUB = r"[!$&'()*+,;=]"
_PCHAR = rf"(?:{_UNRESERVED}|{_PCT}|{_SUB}|[:@])"
_OCTET = r"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_IPV4 = rf"(?:{_OCTET}\.{_OCTET}\.{_OCTET}\.{_OCTET})"
_H16 = r"[0-9A-Fa-f]{1,4}"
_LS32 = rf"(?:{_H16}:{_H16}|{_IPV4})"
_IPV6 = "|".join(
    [
        rf"(?:{_H16}:){{6}}{_LS32}",
        rf"::(?:{_H16}:){{5}}{_LS32}",
        rf"(?:{_H16})?::(?:{_H16}:){{4}}{_LS32}",
        rf"(?:(?:{_H16}:){{0,1}}{_H16})?::(?:{_H16}:){{3}}{_LS32}",
        rf"(?:(?:{_H16}:){{0,2}}{_H16})?::(?:{_H16}:){{2}}{_LS32}",
        rf"(?:(?:{_H16}:){{0,3}}{_H16})?::{_H16}:{_LS32}",
        rf"(?:(?:{_H16}:){{0,4}}{_H16})?::{_LS32}",
        rf"(?:(?:{_H16}:){{0,5}}{_H16})?::{_H16}",
        rf"(?:(?:{_H16}:){{0,6}}{_H16})?::",
    ]
)
_FUTURE = rf"[vV][0-9A-Fa-f]+\.(?:{_UNRESERVED}|{_SUB}|:)+"
_HOST = rf"(?:\[(?:{_IPV6}|{_FUTURE})\]|(?:{_UNRESERVED}|{_PCT}|{_SUB})*)"
_AUTHORITY = rf"(?:(?:{_UNRESERVED}|{_PCT}|{_SUB}|:)*@)?{_HOST}(?::[0-9]*)?"
_HIER = rf"(?://{_AUTHORITY}(?:/{_PCHAR}*)*|/(?:{_PCHAR}+(?:/{_PCHAR}*)*)?|{_PCHAR}+(?:/{_PCHAR}*)*|)"
ABSOLUTE_URI = re.compile(rf"[A-Za-z][A-Za-z0-9+.\-]*:{_HIER}(?:\?(?:{_PCHAR}|[/?])*)?")


def codes(uri, **fields):
    return [verdict.code for verdict in check_uri(uri, **fields)]


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("https://example.org/a/b?c", []),
        ("mailto:a@example.org", []),
        ("data:text/html,x", []),
        ("tag:example.org,2000:a/b", []),
        ("urn:ietf:rfc:4395", []),
        ("file:///etc/hosts", []),
        ("http://[::1]:80/", []),
        ("http://[v1.a:b]/", []),
        ("ftp://user:pw@example.org/", []),
        ("mailto://a@example.org", ["uri-slashes"]),
        ("geo:1,2/3", ["uri-slash"]),
        ("geo:1/../2", ["uri-dot-segment", "uri-slash"]),
        ("https://example.org/a/../b", ["uri-dot-segment"]),
        ("htpp://example.org/", ["uri-unregistered"]),
        ("javascript:x", ["uri-unregistered"]),
        ("wais://example.org/x", ["uri-historical"]),
        ("HTTP://example.org/", ["uri-case"]),
        ("http://example.org/#f", ["uri-fragment"]),
        ("http://example.org/#f<", ["uri-character", "uri-fragment"]),
        ("http:a", ["uri-host"]),
        ("http:///a", ["uri-host"]),
        ("http://:80/", ["uri-host"]),
        ("coap://:80/", ["uri-host"]),
        ("http://user@/", ["uri-host"]),
        ("http://[::g]/", ["uri-host"]),
        ("http://[fe80::1%25eth0]/", ["uri-host"]),
        ("http://[::1/", ["uri-character", "uri-host"]),
        ("http://a:b/", ["uri-port"]),
        ("http://[::1]x/", ["uri-host"]),
        ("http://[::1]0/", ["uri-host"]),
        ("foo://[::1]@", ["uri-character", "uri-host", "uri-unregistered"]),
        ("foo://[::1]@h", ["uri-character", "uri-unregistered"]),
        ("http://a/[b]", ["uri-character"]),
        ("http://a/b c", ["uri-character"]),
        ("http://é/", ["uri-character"]),
        ("http://a/%zz", ["uri-percent"]),
        ("http://a/%", ["uri-percent"]),
        ("/a", ["uri-relative"]),
        ("a", ["uri-relative"]),
        ("", ["uri-relative"]),
        ("1a:b", ["uri-scheme"]),
        (":b", ["uri-scheme"]),
        ("ä:b", ["uri-scheme"]),
    ],
)
def test_verdicts(uri, expected):
    assert codes(uri) == expected


@pytest.mark.parametrize(
    ("uri", "level"),
    [
        *[("geo:1/../2", "warning"), ("http://a/../2", "note"), ("javascript:x", "note"), ("x:y", "warning")],
        *[("geo:1,2/3", "warning"), ("mailto://a@h", "warning"), ("wais://h/x", "warning"), ("HTTP://h/", "note")],
    ],
)
def test_levels(uri, level):
    assert check_uri(uri)[0].level == level


def test_the_characters_of_ascii_that_a_uri_cannot_have():
    """RFC 2396 §2.4.3: control, space, delims and unwise. A "#" ends the URI, and a "%" needs two digits after it."""
    excluded = {*map(chr, range(0x20)), " ", "\x7f", *'<>#%"', *"{}|\\^[]`"}
    errors = {one for one in map(chr, range(0x80)) if any(v.level == "error" for v in check_uri(f"urn:a{one}b"))}
    assert errors == excluded - {"#"}
    assert check_uri("urn:a%41b") == ()


def test_a_misspelled_scheme_is_reported():
    assert "did you mean 'http'?" in check_uri("htpp://a/")[0].message


def test_another_registry():
    assert codes("lamp:x", registry=Registry([Scheme("lamp", "permanent")], "", "")) == []


_PIECES = st.sampled_from(
    ["a", "Z", "0", ":", "/", "//", "?", "@", "[", "]", "[::1]", "[1::2:3.4.5.6]", "[v1.x]", "%41", "%", "é", " ", "<"]
)


@example("foo://[::1]@")
@given(st.lists(_PIECES, max_size=8).map(lambda pieces: "foo:" + "".join(pieces)))
def test_errors_are_violations_of_the_grammar(uri):
    """RFC 4395 §2.2: all strings also match the <absolute-URI> grammar of RFC 3986 §4.3."""
    verdicts = check_uri(uri)
    errors = [verdict for verdict in verdicts if verdict.level == "error" and "has no host" not in verdict.message]
    assert bool(errors) == (ABSOLUTE_URI.fullmatch(uri) is None)
    assert {verdict.code for verdict in verdicts} <= set(VERDICTS)


@given(st.text())
def test_never_raises(uri):
    assert all(verdict.section for verdict in check_uri(uri))
