"""The noun that all judgements of schemes, URIs and registration templates share."""

from __future__ import annotations

from typing import Literal, NamedTuple

__all__ = ["VERDICTS", "Level", "Verdict"]

Level = Literal["error", "warning", "note"]


class Verdict(NamedTuple):
    """What is to be said of a scheme's name, a URI or a template.

    `code`: a key of `VERDICTS`. `level`: "error" where a text forbids it, "warning" where it advises against it,
    "note" for what is good to know. `section`: the text behind it, such as "RFC 4395 §2.8". `line`: of a template,
    counted from 1; 0 for none.
    """

    code: str
    level: Level
    message: str
    section: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.level}: {self.message} [{self.code}] ({self.section})"


#: code -> what it means. Codes are part of the public interface and never change their meaning.
VERDICTS: dict[str, str] = {}
