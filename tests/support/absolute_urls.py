"""The cases of `tests/vectors/absolute_urls/cases.json`; the README beside it describes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple, Self

from support.paths import VECTORS

__all__ = ["FILE", "UrlCase", "Urls", "read_cases", "write_cases"]

FILE = VECTORS / "absolute_urls" / "cases.json"

#: Place -> its absolute URLs, in document order. A place: `a[href]`, or the element's name for its text.
Urls = dict[str, list[str]]


class UrlCase(NamedTuple):
    """A document, and the absolute URLs in it."""

    name: str
    about: str
    url: str
    media_type: str
    charset: str | None
    data: bytes
    places: list[str]
    answers: list[tuple[list[str], Urls]]
    """Who answers, and the answer; several if they disagree."""

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Self:
        """Read a case from the file's form."""
        rest = {name: value for name, value in fields.items() if name not in {"document", "answers"}}
        answers = [(answer["by"], answer["urls"]) for answer in fields["answers"]]
        return cls(**rest, data=fields["document"].encode("latin-1"), answers=answers)

    def to_json(self) -> dict[str, Any]:
        """Return the case in the file's form."""
        fields = self._asdict()
        del fields["data"], fields["answers"]
        answers = [{"by": by, "urls": urls} for by, urls in self.answers]
        return {**fields, "document": self.data.decode("latin-1"), "answers": answers}

    @property
    def kind(self) -> str:
        """The part of the name before the slash."""
        return self.name.partition("/")[0]

    @property
    def by_browsers(self) -> bool:
        """Whether browsers answer; a specification does for feeds."""
        return self.kind != "feed"

    @property
    def expected(self) -> Urls | None:
        """The answer, or None if browsers disagree."""
        return self.answers[0][1] if len(self.answers) == 1 else None


def read_cases() -> tuple[dict[str, str], list[UrlCase]]:
    """Return the versions of the browsers that answered, by name, and the cases."""
    document = json.loads(FILE.read_bytes())
    return document["browsers"], list(map(UrlCase.from_json, document["cases"]))


def write_cases(browsers: Mapping[str, str], cases: list[UrlCase]) -> None:
    """Write the file: a case a line."""
    lines = ",\n".join(json.dumps(case.to_json()) for case in cases)
    FILE.write_text(f'{{"browsers": {json.dumps(browsers)}, "cases": [\n{lines}\n]}}\n', "ascii")
