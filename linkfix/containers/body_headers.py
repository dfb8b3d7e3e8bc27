"""Header fields that describe a body: what each covers, and what becomes of it when the body changes.

The forms of a body, after RFC 9110 §6.4 and §8.1:

- its *content*, as the message has it: with content codings, without transfer codings (and, in MIME, without
  Content-Transfer-Encoding);
- the *representation* of which that is all or, in a partial response, a part. Partial responses are never changed, so
  that both are the same bytes here.

A changed body is written without content codings, so that its content is the data itself. A digest is renewed where it
was right: one that fits no form of the old body, renewed, would vouch for bytes that it never described.

Some fields may come from the origin alone, and are dropped. Last-Modified and cache fields tell of the resource at its
origin, which has not changed, and stay.
"""

from __future__ import annotations

import base64
import binascii
import enum
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple

from linkfix.containers.digests import digest
from linkfix.lazy import lazy_pattern

__all__ = ["BODY_HEADERS", "BodyCoverage", "BodyHeader", "renew_body_headers"]

#: Is called with the code of a problem and the detail.
Tell = Callable[[str, str], None]


class BodyCoverage(enum.Enum):
    """What a field describes."""

    CONTENT = "content"
    """The content of the message (RFC 9110 §6.4)."""
    REPRESENTATION = "representation"
    """The data of the whole representation (RFC 9110 §8.1), even if the content is only a part of it."""
    CODINGS = "codings"
    """How the representation is coded in the content, or the content in the message."""


class BodyHeader(NamedTuple):
    """A row of `BODY_HEADERS`."""

    covers: BodyCoverage
    """What the field describes."""
    renew: Callable[[str, Collection[bytes], bytes, Tell], str | None] | None
    """`renew(value, old, new, tell)`: the value for the `new` content, None where it has to be dropped. None: the
    specification gives nobody but the origin the right to write it.
    """
    section: str
    """The section of the specification."""


def renew_body_headers(
    fields: Mapping[str, str], old: Collection[bytes], new: bytes, tell: Tell
) -> dict[str, str | None]:
    """The fields of `BODY_HEADERS` among `fields`, with their value for new content; None for one that is dropped.

    `fields`: name in lower case -> value, that of several fields of a name joined with ", ". `old`: the old body in
    each form that a digest may cover: as it is stored, without transfer codings, decoded. `new`: the new content, which
    has no codings. `tell` is called with the code and the detail of each problem.

    >>> renew_body_headers({"content-length": "3", "etag": '"a"', "date": "today"}, [b"old"], b"newer", print)
    {'content-length': '5', 'etag': None}
    """
    return {
        name: None if row.renew is None else row.renew(fields[name], old, new, tell)
        for name, row in BODY_HEADERS.items()
        if name in fields
    }


def _renew_length(_value: str, _old: Collection[bytes], new: bytes, _tell: Tell) -> str:
    return str(len(new))


#: An algorithm's name in lower case -> its name in `linkfix.containers.digests`. RFC 3230 §4.1.1, RFC 5843 §2, RFC 9530
#: §5: "sha" is SHA-1; the algorithms that begin with "id-" leave content codings out. Others (unixsum, crc32c, …) are
#: deprecated, and are not renewed.
_ALGORITHMS = {
    "md5": "md5",
    "sha": "sha1",
    "sha-256": "sha256",
    "sha-512": "sha512",
    "id-sha-256": "sha256",
    "id-sha-512": "sha512",
}
#: RFC 9530 §2-§3: a dictionary of structured fields (RFC 9651 §3.2), whose values are byte sequences; RFC 3230 §4.3.2:
#: a list of `algorithm=encoded`. Parameters of a member, which mean nothing here, are left out.
_MEMBER = lazy_pattern(r"\s*([^\s=,;:]+)=(:?)([A-Za-z0-9+/]*={0,2})(:?)(?:;[^,]*)?\s*")


def _renew_digests(value: str, old: Collection[bytes], new: bytes, tell: Tell) -> str | None:
    return ", ".join(_renew_members(value, old, new, tell)) or None


def _renew_members(value: str, old: Collection[bytes], new: bytes, tell: Tell) -> Iterator[str]:
    """The members of a list of digests, renewed, without those that cannot be."""
    for member in filter(str.strip, value.split(",")):
        match = _MEMBER.fullmatch(member)
        algorithm = _ALGORITHMS.get(match[1].lower()) if match else None
        if match is None or algorithm is None or match[2] != match[4]:
            tell("digest-unknown", member.strip()[:80])
        elif not any(_fits(match[3], algorithm, form) for form in old):
            tell("digest-wrong", f"{member.strip()[:80]} is left out")
        else:
            text = base64.b64encode(digest(algorithm, new) or b"").decode("ascii")
            yield f"{match[1]}={match[2]}{text}{match[4]}"


def _fits(written: str, algorithm: str, data: bytes) -> bool:
    try:
        return base64.b64decode(written + "=" * (-len(written) % 4), validate=True) == digest(algorithm, data)
    except binascii.Error:
        return False


_CONTENT, _REPRESENTATION, _CODINGS = BodyCoverage

#: Name in lower case -> what the field covers, and what becomes of it.
BODY_HEADERS: dict[str, BodyHeader] = {
    "content-length": BodyHeader(_CONTENT, _renew_length, "RFC 9110 §8.6"),
    "content-encoding": BodyHeader(_CODINGS, None, "RFC 9110 §8.4"),
    "transfer-encoding": BodyHeader(_CODINGS, None, "RFC 9112 §6.1"),
    # "Message relays and gateways are expressly forbidden from generating" it; "only origin servers or clients may".
    "content-md5": BodyHeader(_CONTENT, None, "RFC 1864 §2, RFC 2616 §14.15"),
    "content-digest": BodyHeader(_CONTENT, _renew_digests, "RFC 9530 §2"),
    "repr-digest": BodyHeader(_REPRESENTATION, _renew_digests, "RFC 9530 §3"),
    # What RFC 3230 calls the instance is the representation (RFC 9530 §1.3).
    "digest": BodyHeader(_REPRESENTATION, _renew_digests, "RFC 3230 §4.3.2"),
    # An opaque validator that the origin server alone assigns: it would name bytes that are not those.
    "etag": BodyHeader(_REPRESENTATION, None, "RFC 9110 §8.8.3"),
}
