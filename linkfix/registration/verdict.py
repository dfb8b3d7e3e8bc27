"""The noun that all judgements of schemes, URIs and registration templates share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

__all__ = ["LEVELS", "VERDICTS", "Level", "Verdict", "ordered"]

Level = Literal["error", "warning", "note"]
#: The gravest first.
LEVELS: tuple[Level, ...] = ("error", "warning", "note")


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
VERDICTS: dict[str, str] = {
    # What `check_name` says.
    "name-syntax": "it is not the name of a scheme",
    "name-registered": "a scheme of that name is registered",
    "name-case": "names are registered in lower case",
    "name-long": "a name should be short",
    "name-short": "a name should be sufficiently descriptive",
    "name-general": "a name should not be overly general or grandiose",
    "name-taken": "the name belongs to another protocol or format",
    "name-mark": "the name has a trade or service mark in it",
    "name-used": "the name is in use, without registration",
    "name-near": "the name is easily confused with another",
    "name-private": "the name is in its owner's name space",
    "name-experimental": "x- makes no name private",
    "name-domain": "a domain name goes before a private name, in reverse order",
    "name-rights": "rights to the name were not looked up",
    # What `check_uri` says.
    "uri-relative": "it has no scheme",
    "uri-scheme": "what stands before the colon is not the name of a scheme",
    "uri-character": "a character that cannot stand in a URI",
    "uri-percent": "a percent sign that begins no encoded octet",
    "uri-host": "the host is missing, or is none",
    "uri-port": "the port is no number",
    "uri-unregistered": "the scheme is not registered",
    "uri-historical": "the scheme is historical",
    "uri-case": "the scheme is not in its canonical form",
    "uri-slashes": "// in a scheme without hierarchy",
    "uri-slash": "/ in a scheme without hierarchy",
    "uri-dot-segment": "a dot segment",
    "uri-fragment": "a fragment, which is no part of an <absolute-URI>",
    # registration templates (Template.validate)
    "template-empty": "the text has no registration template",
    "field-missing": "a field of the template is missing",
    "field-empty": "a field has nothing in it, or what stands there says nothing",
    "field-repeated": "a field is there twice",
    "field-unknown": "a field that is none of the form",
    "field-moved": "fields that the form of RFC 7595 leaves to the scheme's specification",
    "status-unknown": "the status is none of the three",
    "status-unstated": "the form of RFC 2717 has no status",
    "security-none": "the security considerations say nothing",
    "syntax-undefined": "the syntax is neither there nor referred to",
    "contact-unreachable": "a contact without an address",
    "references-incomplete": "documents are referred to that the references do not have",
    "specification-none": "no text is named that defines the scheme",
}


def ordered(verdicts: Iterable[Verdict]) -> tuple[Verdict, ...]:
    """The verdicts, the gravest first."""
    return tuple(sorted(verdicts, key=lambda verdict: LEVELS.index(verdict.level)))
