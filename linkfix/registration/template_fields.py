"""The fields of a registration template: a table of what each is called, is for, and who has to fill it in.

Three forms have been used, RFC 2717's (§6), RFC 4395's (§5.4) and RFC 7595's (§7.4), and authors vary all of them. A
form that is not read yet is a heading in `HEADINGS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field as member
from itertools import product
from typing import Literal, NamedTuple

from linkfix.registration.verdict import Level
from linkfix.schemes.registry import Status

__all__ = ["FIELDS", "HEADINGS", "STATUSES", "Field", "Form", "Row", "Status", "form_of", "normal", "status_of"]

Form = Literal["RFC 2717", "RFC 4395", "RFC 7595"]
#: RFC 4395 §5.4.
STATUSES: dict[str, Status] = {"permanent": "permanent", "provisional": "provisional", "historical": "historical"}


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a template, as it was found.

    `name`: a key of `FIELDS`; of a field that is none of them, its heading. `value`: its lines without the
    indentation that all of them share, without blank lines around it; "" where there is nothing. `heading`: as it is
    written. `line:end`: its first and its last line, counted from 1; 0 where it comes from no text. Fields are equal
    that have the same name and value.
    """

    name: str
    value: str
    heading: str = member(default="", compare=False)
    line: int = member(default=0, compare=False)
    end: int = member(default=0, compare=False)


class Row(NamedTuple):
    """What is known of a field.

    `heading`: as RFC 4395 §5.4 has it (RFC 2717 §6 for a field that it does not have). `section`: where RFC 4395 says
    what belongs there. `guidance`: the same in short. `missing`: how grave it is that the field is not there, for each
    status; None for a field of RFC 2717 alone. `kept`: RFC 7595 §7.4 still has it. `older`: the field of RFC 2717 that
    answers the same question.
    """

    heading: str
    section: str
    guidance: str
    missing: dict[Status, Level] | None
    kept: bool = False
    older: str = ""


def _missing(permanent: Level, provisional: Level, historical: Level) -> dict[Status, Level]:
    return {"permanent": permanent, "provisional": provisional, "historical": historical}


#: The keys of fields, in the order of RFC 4395 §5.4. §5.4 asks for every field, §2 makes its guidelines a requirement
#: of permanent schemes; §3 recommends them for provisional ones, and requires the name, a contact and the security
#: considerations; §4 asks of a historical one where it was defined, §7 security considerations of all.
FIELDS: dict[str, Row] = {
    "name": Row(
        "URI scheme name",
        "2.8",
        "The name without its colon: lower-case letters, digits, '+', '.' and '-', beginning with a letter. Short, "
        "telling, neither over-general nor somebody's trade mark.",
        _missing("error", "error", "error"),
        kept=True,
    ),
    "status": Row(
        "Status",
        "5.4",
        "One of permanent, provisional and historical.",
        _missing("error", "error", "error"),
        kept=True,
    ),
    "syntax": Row(
        "URI scheme syntax",
        "2.2",
        "The grammar of what follows the name, as ABNF, or where it is defined. Every URI has to match absolute-URI of "
        "RFC 3986; '//' only before an authority; say which reserved characters are delimiters.",
        _missing("error", "warning", "note"),
    ),
    "semantics": Row(
        "URI scheme semantics",
        "2.3",
        "What a URI identifies and how software gets from it to the resource; the operations that are defined, even "
        "if it is only one.",
        _missing("error", "warning", "note"),
        older="usage",
    ),
    "usage": Row("Intended usage", "2.3", "", None),
    "encoding": Row(
        "Encoding considerations",
        "2.6",
        "How characters become octets and octets become URI characters, and what that means for IRIs.",
        _missing("error", "warning", "note"),
    ),
    "applications": Row(
        "Applications/protocols that use this URI scheme name",
        "2.5",
        "Which applications and protocols use it, with references to what defines them.",
        _missing("error", "warning", "note"),
        kept=True,
    ),
    "interoperability": Row(
        "Interoperability considerations",
        "5.4",
        "What may keep implementations from working together: unusual encodings, character sets that do not fit, "
        "versions of a protocol that are incompatible.",
        _missing("error", "warning", "note"),
    ),
    "security": Row(
        "Security considerations",
        "2.7",
        "What using such URIs means for the security of systems; which of the considerations of RFC 3986 §7 apply.",
        _missing("error", "error", "warning"),
    ),
    "contact": Row(
        "Contact",
        "5.4",
        "Who gives further information, and how to reach them.",
        _missing("error", "error", "error"),
        kept=True,
    ),
    "change_controller": Row(
        "Author/Change controller",
        "5.4",
        "Who may change the registration, and how to reach them; it matters for a provisional one.",
        _missing("note", "error", "note"),
        kept=True,
    ),
    "publications": Row("Relevant publications", "5.4", "", None),
    "references": Row(
        "References",
        "5.4",
        "Full citations of all documents that the other fields refer to.",
        _missing("error", "warning", "warning"),
        kept=True,
        older="publications",
    ),
}

_SCHEMES = ("uri scheme", "url scheme", "scheme", "iri scheme", "uri/iri scheme", "resource identifier (ri) scheme")
_ACTORS = (
    *("applications/protocols", "applications and/or protocols", "applications and protocols"),
    *("applications or protocols", "applications", "protocols"),
)
_USES = ("that use", "which use", "using")
_USED = ("this", "the")
_ENDS = ("", " name", " include", " name include")


def normal(heading: str) -> str:
    """A heading as `HEADINGS` has it: no capitals, one space between words, none around a slash."""
    return " ".join(heading.casefold().split()).replace(" /", "/").replace("/ ", "/")


#: A heading, made `normal` -> the field that it is of.
HEADINGS: dict[str, str] = {
    **{f"{scheme} name": "name" for scheme in _SCHEMES},
    **dict.fromkeys(("status", "requested status", "status requested"), "status"),
    **{
        f"{scheme} {word}": key
        for scheme, (word, key) in product(
            _SCHEMES,
            (
                *(("status", "status"), ("syntax", "syntax"), ("semantics", "semantics")),
                ("encoding considerations", "encoding"),
            ),
        )
    },
    "encoding considerations": "encoding",
    "character encoding considerations": "encoding",
    "intended usage": "usage",
    **{
        f"{actors} {use} {used} {scheme}{end}": "applications"
        for actors, use, used, scheme, end in product(_ACTORS, _USES, _USED, _SCHEMES, _ENDS)
    },
    "interoperability considerations": "interoperability",
    "security considerations": "security",
    **dict.fromkeys(("contact", "contact information", "contact person"), "contact"),
    **dict.fromkeys(("author", "author/change controller", "authors/change controller"), "change_controller"),
    "change controller": "change_controller",
    "relevant publications": "publications",
    **dict.fromkeys(("references", "reference"), "references"),
}

_NEW_NAMES = frozenset(f"{scheme} name" for scheme in _SCHEMES[2:])


def status_of(fields: Sequence[Field]) -> Status | None:
    """The status that a template asks for; None where it has none, or none of the three."""
    for field in fields:
        if field.name == "status":
            first, *_ = field.value.split() or [""]
            return STATUSES.get(first.strip("'\"‘’“”.,;:()").casefold())
    return None


def form_of(fields: Sequence[Field]) -> Form:
    """Which text's form a template has.

    RFC 2717 has no status; RFC 7595 says "scheme" where RFC 4395 says "URI scheme", and has no field for the syntax.
    """
    names = {field.name for field in fields}
    if "status" not in names and not names.isdisjoint({"usage", "publications"}):
        return "RFC 2717"
    new = any(field.name == "name" and normal(field.heading) in _NEW_NAMES for field in fields)
    return "RFC 7595" if new and "syntax" not in names else "RFC 4395"
