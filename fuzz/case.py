"""One input: a document, a container or a settings file, with the facts from outside it. And its file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple, Unpack

import linkfix
from linkfix import OptionFields

__all__ = ["Case", "Finding", "Kind", "read_findings", "write_finding"]

#: The kind of an input.
Kind = Literal["document", "container", "settings"]


@dataclass(frozen=True)
class Case:
    """One input."""

    kind: Kind
    """The kind of `data`."""
    data: bytes
    """The document, the container or the settings file."""
    url: str | None = None
    """The retrieval URL."""
    charset: str | None = None
    """The transport's label."""
    type_: str = "text/html"
    """A document's media type, a container's format, a settings file's command."""
    options: dict[str, Any] = field(default_factory=dict)
    """Further keywords of `linkfix.Document`, other than the defaults."""

    def with_data(self, data: bytes) -> Case:
        """The same input with other data."""
        return replace(self, data=data)

    @property
    def fields(self) -> dict[str, Any]:
        """The keywords of `linkfix.Document`, beside the data."""
        return {"url": self.url, "charset": self.charset, "media_type": self.type_, **self.options}

    # Results that several invariants need are made once.

    def document(self, **changed: Unpack[OptionFields]) -> linkfix.Document[bytes]:
        """A new document of this input, with some options changed. Raises `LinkfixError`."""
        return linkfix.Document(self.data, **{**self.fields, **changed})

    @cached_property
    def links(self) -> list[linkfix.Link]:
        """The document's links. Raises `LinkfixError`."""
        return self.document().links

    @cached_property
    def conversion(self) -> linkfix.Conversion[bytes]:
        """The conversion of the document. Raises `LinkfixError`."""
        return self.document().convert()

    @cached_property
    def converted(self) -> Case:
        """The converted document as an input."""
        return self.with_data(self.conversion.data)

    @cached_property
    def left_alone(self) -> bool:
        """Whether the document was left alone as a whole: it is no text, or does not survive decoding."""
        return bool({problem.code for problem in self.conversion.problems} & {"binary", "encoding-round-trip"})

    @property
    def becomes_binary(self) -> bool:
        """Whether the converted document is taken for no text, with its NUL bytes: a URL alone looked like markup."""
        return b"\0" in self.data and self.converted.left_alone


class Finding(NamedTuple):
    """A case that breaks an invariant."""

    invariant: str
    """The name of the invariant."""
    case: Case
    """The input."""
    message: str
    """The observed violation."""


def write_finding(path: Path, finding: Finding) -> None:
    """Write a finding as one line of JSON. Bytes are written as the code points of the same numbers."""
    case = finding.case
    row = {
        "invariant": finding.invariant,
        "kind": case.kind,
        "type": case.type_,
        "url": case.url,
        "charset": case.charset,
        "options": case.options,
        "data": case.data.decode("latin-1"),
        "message": finding.message,
    }
    path.write_text(json.dumps(row) + "\n", "ascii")


def read_findings(path: Path) -> Iterator[Finding]:
    """The findings in a file, one a line; lines with "#" are comments."""
    for line in path.read_text("ascii").splitlines():
        if line and not line.startswith("#"):
            row = json.loads(line)
            data = row["data"].encode("latin-1")
            case = Case(row["kind"], data, row["url"], row["charset"], row["type"], row["options"])
            yield Finding(row["invariant"], case, row["message"])
