"""The interface of a container format: its functions, their limits, the parts that they return, and their problems.

A format never chooses a base. It returns envelopes with their enclosing envelopes, and `linkfix.document.base` decides.
"""

from __future__ import annotations

import contextlib
from collections import abc
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import BinaryIO, NamedTuple, Protocol, TypeAlias
from urllib.parse import unquote

from linkfix.document.base import as_base
from linkfix.files.folder import resolve_reference
from linkfix.model import HTTP_HEADER_TYPE, MARKUP_TYPES, PROBLEMS, Envelope, Options, Problem
from linkfix.resolvers import RESOLVERS
from linkfix.urls import scheme_of, strip_url

#: The defaults of `Limits`.
MAX_RATIO = 200

MAX_TOTAL = 1 << 36


#: A function that opens a file in a container's folder by its name, without following a symbolic link. It raises
#: `OSError`, or `ValueError` for a name that no file can have.
OpenBeside: TypeAlias = Callable[[str], AbstractContextManager[BinaryIO]]


class Limits(NamedTuple):
    """The limits and options for reading a container."""

    part: int = 1 << 30
    """The maximum size of a part, in bytes, with all its encodings decoded."""
    ratio: int = MAX_RATIO
    """The maximum ratio of decoded to encoded bytes, for a part, and of all parts to the container. The first
    `linkfix.containers.part.UNCHECKED` decoded bytes are exempt.
    """
    total: int = MAX_TOTAL
    """The maximum number of decoded bytes of all parts of a container."""
    depth: int = 100
    """The maximum depth of nested entities."""
    parts: int = 10_000_000
    """The maximum number of parts."""
    beside: OpenBeside | None = None
    """Function that opens a file in the container's folder; None if files beside the container are not read."""
    media_types: frozenset[str] = MARKUP_TYPES
    """The media types of wanted parts, in lower case. A format need not return other parts."""
    break_signatures: bool = False
    """Whether data that a signature covers may be changed, which makes the signature invalid."""
    options: Options = Options()
    """The options of the container's documents. A URL in a header is resolved by their specification."""


#: URLs, without fragments. A reference to one of them works within the container.
Siblings: TypeAlias = abc.Container[str]


class Part(NamedTuple):
    """One entity of a container, with its encodings decoded."""

    name: str
    """The part's name in messages, within the container."""
    data: bytes
    media_type: str
    """The media type that the part's header states, in lower case, without parameters, or ""."""
    envelope: Envelope
    """The facts about the part from outside its bytes. The parents are the envelopes of the enclosing entities."""
    siblings: Siblings = frozenset()
    """The absolute URLs, without fragments, of what else is in the container, if references to it work offline."""
    files: frozenset[str] = frozenset()
    """The names of the archive's files, including `name`. Empty in a container whose parts have no file names."""
    labels: frozenset[str] = frozenset()
    """The absolute URLs by which the other parts of a message refer to this one, such as cid: URLs."""
    time: str = ""
    """The time of its capture in UTC, as digits: YYYYMMDDhhmmss; "" if it is not known."""


#: A function that returns the new data of a part; None if the part stays unchanged.
Change = Callable[[Part], bytes | None]

#: A function that is called if the last N parts with new data from `Change` stay unchanged after all, with N.
LeaveAlone = Callable[[int], None]

#: A function that is called with each problem of a container. Offsets are byte offsets in the container.
Note = Callable[[Problem], None]

#: A function that reports a problem, from a code of `PROBLEMS`, the detail and the byte offset.
Report = Callable[[str, str, int], None]


def ignore_count(_count: int) -> None:
    """A `LeaveAlone` that does nothing."""


def ignore_problem(_problem: Problem) -> None:
    """A `Note` that does nothing."""


#: `Container.parts` as a function of a module.
PartsFunction: TypeAlias = Callable[[BinaryIO, Envelope, Note, Limits], Iterator[Part]]


class RewriteFunction(Protocol):
    """`Container.rewrite` as a function of a module."""

    def __call__(
        self,
        source: BinaryIO,
        out: BinaryIO,
        envelope: Envelope,
        change: Change,
        note: Note,
        limits: Limits,
        *,
        leave_alone: LeaveAlone = ignore_count,
    ) -> None:
        """See `Container.rewrite`."""


class Container(Protocol):
    """The functions of a format's module. They never raise because of a container's bytes. `OSError` passes through."""

    def parts(self, source: BinaryIO, envelope: Envelope, note: Note, limits: Limits) -> Iterator[Part]:
        """Yield the parts of a container, in order. `envelope`: the envelope of the container."""

    def rewrite(
        self,
        source: BinaryIO,
        out: BinaryIO,
        envelope: Envelope,
        change: Change,
        note: Note,
        limits: Limits,
        *,
        leave_alone: LeaveAlone = ignore_count,
    ) -> None:
        """Copy a container, with the parts that `change` changes. If no part changes, the copy is byte for byte equal.

        If the new data of a part cannot be written, the part stays unchanged. Then `leave_alone` is called, and `note`
        with the reason.
        """


#: The end of the name of a header, after the name of its message.
HEADER_NAME = " HEADER"


def http_header_part(name: str, header: bytes, url: str | None, where: str, parent: Envelope) -> Part:
    """Return the header of an HTTP message as a part.

    The part has no siblings: software that replays an archive rewrites the fields of responses.

    `name`: the name of the message. `url`: its retrieval URL. `where`, `parent`: see `Envelope`.
    """
    envelope = Envelope(url, media_type=HTTP_HEADER_TYPE, where=where, parent=parent)
    return Part(name + HEADER_NAME, header, HTTP_HEADER_TYPE, envelope)


# The limits on decoded bytes of a container, against decompression bombs.
#
# A part, and all parts together, have two limits: a number of bytes, and a ratio of decoded to encoded bytes. The ratio
# is not checked for the first `UNCHECKED` bytes, because a small part, such as a page of blank lines, may compress very
# well.


#: The number of bytes that are decoded whatever the ratio.
UNCHECKED = 1 << 24


class LimitReached(NamedTuple):
    """The reason why a part is left alone."""

    code: str
    """A code of `linkfix.model.PROBLEMS`."""
    detail: str


class Allowance:
    """The number of bytes of one container that may still be decoded. `size`: the container's size in bytes."""

    def __init__(self, limits: Limits, size: int) -> None:
        self._limits = limits
        self._size = size
        self._total = self._largest_total()
        self._left = self._total
        self._files: set[str] = set()
        #: The maximum size of a part, in bytes.
        self.largest: int = limits.part
        #: Whether a part exceeded the remaining bytes. Then no further part is read.
        self.is_spent: bool = False

    def _largest_total(self) -> int:
        return min(self._limits.total, max(UNCHECKED, self._limits.ratio * self._size))

    def add_file(self, name: str, size: int) -> None:
        """Count a further file of the container, once."""
        if name not in self._files:
            self._files.add(name)
            self._size += size
            before, self._total = self._total, self._largest_total()
            self._left += self._total - before

    def limit(self, encoded: int) -> int:
        """Return the maximum number of decoded bytes for a part with `encoded` bytes."""
        return min(self.own_limit(encoded), self._left)

    def own_limit(self, encoded: int) -> int:
        """Return the maximum number of decoded bytes for a part with `encoded` bytes, regardless of other parts."""
        return min(self.largest, max(UNCHECKED, self._limits.ratio * encoded))

    def spend(self, decoded: int) -> None:
        """Count the decoded bytes of a part."""
        self._left -= decoded

    def reached(self, encoded: int) -> LimitReached:
        """Return the limit that a part with more than `limit(encoded)` bytes reaches."""
        if self.own_limit(encoded) > self._left:
            self.is_spent = True
            if self._total == self._limits.total:
                return LimitReached("total-too-large", f"more than the {self._total:,} bytes of --max-total")
            detail = f"from {self._size:,} bytes, more than {self._limits.ratio:,} (--max-ratio) times as many"
            return LimitReached("total-too-large", detail)
        return self.own_reached(encoded)

    def own_reached(self, encoded: int) -> LimitReached:
        """Return the limit that a part with more than `own_limit(encoded)` bytes reaches."""
        if self.own_limit(encoded) == self.largest:
            return LimitReached("part-too-large", f"more than the {self.largest:,} bytes of --max-size")
        detail = f"from {encoded:,} bytes, more than {self._limits.ratio:,} (--max-ratio) times as many"
        return LimitReached("part-ratio", detail)


# Functions for several container formats: problems, stated URLs, references within an archive.


_WHATWG = RESOLVERS["whatwg"]


def container_problem(code: str, offset: int, detail: str) -> Problem:
    """Return a problem at a byte offset of a container. A container counts as one line."""
    return Problem(code, f"{PROBLEMS[code]}: {detail}", offset, 1, offset + 1)


def digits_of_time(text: str) -> str:
    """The digits of a time in UTC, as in `Part.time`; "" for none.

    >>> digits_of_time("2024-05-01T12:00:00.5+02:00"), digits_of_time("20240501120000"), digits_of_time("May")
    ('20240501100000', '20240501120000', '')
    """
    try:
        time = datetime.fromisoformat(text.strip())
    except ValueError:
        digits = "".join(filter(str.isdecimal, text))[:14]
        return digits if len(digits) == len("YYYYMMDDhhmmss") and digits.isascii() else ""
    with contextlib.suppress(OverflowError):  # in the first or last year that Python knows
        time = time.astimezone(UTC) if time.tzinfo else time
    return f"{time:%Y%m%d%H%M%S}".rjust(14, "0")


def absolute_url(text: str) -> str | None:
    """Return the URL that a container states, without surrounding white space; None if it is not absolute.

    >>> absolute_url(" http://h/a "), absolute_url("a.html")
    ('http://h/a', None)
    """
    url = text.strip()
    return url if scheme_of(url) and as_base(url, _WHATWG) else None


def url_forms(url: str) -> frozenset[str]:
    """Return a URL as `Part.siblings` has it: without its fragment, as written and as the URL standard serializes it.

    >>> sorted(url_forms("HTTP://h/a b#c"))
    ['HTTP://h/a b', 'http://h/a%20b']
    """
    return frozenset(form.partition("#")[0] for form in (url, _WHATWG.normalize(url)) if form)


def map_archive_reference(name: str, names: frozenset[str], reference: str, _base: str | None = None) -> str | None:
    """`Saver.map_reference` for the file `name` of an archive with the files `names`.

    Return "" if the reference names one of these files: it works within the archive and stays. Otherwise return None. A
    query is either a part of the file's name, as savers write it, or has no meaning.

    >>> map_archive_reference("docs/a.html", frozenset({"img/b.png"}), "../img/b.png?v=1")
    ''
    """
    file = resolve_reference(strip_url(reference), name.rpartition("/")[0])
    if file is None:
        return None
    with_query = file.name if file.query is None else f"{file.name}?{unquote(file.query)}"
    return "" if file.name in names or with_query in names else None
