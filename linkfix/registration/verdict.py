"""The result type shared by the checks of scheme names, URIs and registration templates."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

__all__ = ["LEVELS", "VERDICTS", "Level", "Verdict", "by_severity"]

Level = Literal["error", "warning", "note"]
"""How severe a verdict is."""
#: The most severe first.
LEVELS: tuple[Level, ...] = ("error", "warning", "note")


class Verdict(NamedTuple):
    """One finding about a scheme name, a URI or a registration template."""

    code: str
    """A key of `VERDICTS`."""
    level: Level
    """"error" for what a specification forbids, "warning" for what it advises against, "note" for information."""
    message: str
    """One sentence: what was found, and what to do about it."""
    section: str
    """The section behind it, such as "RFC 4395 §2.8"."""
    line: int = 0
    """The line of a template, from 1; 0 for none."""

    def __str__(self) -> str:
        return f"{self.level}: {self.message} [{self.code}] ({self.section})"


#: code -> what it means. Codes are part of the public interface and never change their meaning.
VERDICTS: dict[str, str] = {
    # scheme names (`check_name`)
    "name-syntax": "not a scheme name",
    "name-registered": "a scheme of that name is registered",
    "name-case": "names are registered in lower case",
    "name-long": "a name should be short",
    "name-short": "a name should be sufficiently descriptive",
    "name-general": "a name should not be overly general or grandiose",
    "name-taken": "the name belongs to another protocol or format",
    "name-mark": "the name contains a trade mark or service mark",
    "name-used": "the name is in use without being registered",
    "name-near": "the name is easily confused with another",
    "name-private": "a private name, under a reversed domain name",
    "name-experimental": "a prefix x- does not make a name private",
    "name-domain": "the domain name of a private name must be reversed",
    "name-rights": "rights to the name were not checked",
    # URIs (`check_uri`)
    "uri-relative": "the URI has no scheme",
    "uri-scheme": "the text before the colon is not a scheme name",
    "uri-character": "a character that is not allowed in a URI",
    "uri-percent": "a percent sign without two hexadecimal digits",
    "uri-host": "the host is missing or invalid",
    "uri-port": "the port is not a number",
    "uri-unregistered": "the scheme is not registered",
    "uri-historical": "the scheme is historical",
    "uri-case": "the scheme is not in lower case, its canonical form",
    "uri-slashes": "// in a scheme that is not hierarchical",
    "uri-slash": "/ in a scheme that is not hierarchical",
    "uri-dot-segment": "a dot segment",
    "uri-fragment": "a fragment, which is not part of an <absolute-URI>",
    # registration templates (`Template.validate`; on lines: `linkfix schemes template`)
    "template-empty": "the text has no registration template",
    "field-missing": "a field of the template is missing",
    "field-empty": "a field is empty, or its value says nothing",
    "field-repeated": "a field is repeated",
    "field-unknown": "a field that the form does not have",
    "line-unknown": "a line begins like a field, and is read as text of the field before it",
    "text-before": "text before the first field, where no field is read",
    "field-moved": "fields that the form of RFC 7595 leaves to the scheme's specification",
    "status-unknown": "the status is not one of the three",
    "status-unstated": "the form of RFC 2717 has no status",
    "security-none": "the security considerations say nothing",
    "syntax-undefined": "the syntax is neither given nor referred to",
    "contact-unreachable": "a contact without an address",
    "references-incomplete": "cited documents are missing from the references",
    "specification-none": "no specification of the scheme is cited",
}


def by_severity(verdicts: Iterable[Verdict]) -> tuple[Verdict, ...]:
    """Sort verdicts, the most severe first."""
    return tuple(sorted(verdicts, key=lambda verdict: LEVELS.index(verdict.level)))
