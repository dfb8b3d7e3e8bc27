"""The table of header fields with URLs, and the fields of a header; Python's email package is the judge."""

from __future__ import annotations

import email
import email.policy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.each import for_each

from linkfix.html import ROLES
from linkfix.html.syntaxes import SYNTAXES
from linkfix.html.vocabulary import BASE_FIELDS, HEADER_FIELDS, ON_REQUEST, header_records


@for_each(HEADER_FIELDS)
def test_every_row_uses_known_words(name):
    row = HEADER_FIELDS[name]
    assert (row.element, row.attribute) == ("", name)
    assert name == name.lower()
    assert row.syntax in SYNTAXES
    assert ON_REQUEST[row.syntax] == "header_fields"
    assert row.role in ROLES | {"location"}
    assert set(row.namespace.split()) <= {"mail", "http"}
    assert row.section


def test_the_fields_that_set_a_base_are_in_the_table():
    assert set(BASE_FIELDS) <= HEADER_FIELDS.keys()


@pytest.mark.parametrize(
    "name", ["List-Id", "List-Unsubscribe-Post", "Content-ID", "Message-ID", "References", "Subject", "DKIM-Signature"]
)
def test_fields_that_look_like_it_have_no_url(name):
    assert list(header_records(f"{name}: <http://h/>\r\n".encode(), 0, "mail")) == []


def records(data, start=0, protocol="mail"):
    return [
        (record.row.attribute, data[record.start : record.end], record.tag_start)
        for record in header_records(data, start, protocol)
    ]


def test_fields_and_their_places():
    data = b"X\r\nList-Help: <a>\r\nLINK \t:<b>,\r\n\t<c>\r\nTo: Base: x\r\nbase:\r\n\r\nList-Help: <d>\r\n"
    assert records(data, 3) == [("list-help", b" <a>", 3), ("link", b"<b>,\r\n\t<c>", 19), ("base", b"", 51)]


def test_lines_without_cr_and_an_end_without_an_empty_line():
    assert records(b"Base: a\nList-Help: <b>") == [("base", b" a", 0), ("list-help", b" <b>", 8)]


def test_a_folded_line_is_no_field():
    assert records(b"Subject: x\r\n Base: a\r\nX-Base: b\r\nBase-X: c\r\n") == []


LINES = [
    "Base: a",
    "Link: <b>",
    "List-Help: <c>",
    "Subject: d",
    " Base: e",
    "\tf",
    "X-Link: <g>",
    "uri:<h>",
    "LOCATION:i",
]


@given(st.lists(st.sampled_from(LINES), max_size=8), st.sampled_from(["\r\n", "\n"]))
def test_the_email_package_finds_the_same_fields(lines, line_end):
    lines = ["To: x", *lines]
    data = "".join(line + line_end for line in lines).encode()
    parsed = email.message_from_bytes(data, policy=email.policy.compat32)
    expected = [(name.lower(), value) for name, value in parsed.items() if name.lower() in HEADER_FIELDS]
    assert [(name, value.decode().lstrip(" ")) for name, value, _ in records(data)] == expected
