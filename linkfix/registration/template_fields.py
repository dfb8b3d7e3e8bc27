"""The fields of a registration template: their headings, their purpose, and which of them are required.

There are three forms, of RFC 2717 (§6), RFC 4395 (§5.4) and RFC 7595 (§7.4), and authors vary all of them. To read
another heading, add it to `HEADINGS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field as member
from itertools import product
from typing import Literal, NamedTuple

from linkfix.registration.verdict import Level
from linkfix.schemes.registry import Status

__all__ = [
    "FIELDS",
    "HEADINGS",
    "STATUSES",
    "FieldRule",
    "Form",
    "Status",
    "TemplateField",
    "form_of",
    "normalize_heading",
    "status_of",
]

Form = Literal["RFC 2717", "RFC 4395", "RFC 7595"]
"""The text whose form a registration template has."""
#: RFC 4395 §5.4.
STATUSES: dict[str, Status] = {"permanent": "permanent", "provisional": "provisional", "historical": "historical"}


@dataclass(frozen=True, slots=True)
class TemplateField:
    """A field of a template. Fields with the same name and value are equal."""

    name: str
    """A key of `FIELDS`; the heading of any other field."""
    value: str
    """Its lines, without their common indentation and without blank lines around them; "" for an empty field."""
    heading: str = member(default="", compare=False)
    """The heading as it is written."""
    line: int = member(default=0, compare=False)
    """Its first line, from 1; 0 for a field that was not read from text."""
    end: int = member(default=0, compare=False)
    """Its last line, from 1; 0 for a field that was not read from text."""


class FieldRule(NamedTuple):
    """What the specifications say of a field."""

    heading: str
    """As in RFC 4395 §5.4, or as in RFC 2717 §6 for a field of that form only."""
    section: str
    """The section of RFC 4395 about its content."""
    guidance: str
    """What belongs in the field, in short."""
    missing: dict[Status, Level] | None
    """The level of its absence, for each status; None for a field of RFC 2717 only."""
    in_rfc7595: bool = False
    """Whether the form of RFC 7595 §7.4 has it too."""
    older: str = ""
    """The field of RFC 2717 with the same purpose, or ""."""


def _missing(permanent: Level, provisional: Level, historical: Level) -> dict[Status, Level]:
    return {"permanent": permanent, "provisional": provisional, "historical": historical}


#: The fields, in the order of RFC 4395 §5.4, which asks for all of them. The guidelines are required for permanent
#: schemes (§2) and recommended for provisional ones, which need a name, a contact and security considerations (§3). A
#: historical scheme needs a reference to its definition (§4). All need security considerations (§7).
FIELDS: dict[str, FieldRule] = {
    "name": FieldRule(
        "URI scheme name",
        "2.8",
        "The name without its colon: lower-case letters, digits, '+', '.' and '-', beginning with a letter. Short "
        "and descriptive, not too general, and not a trade mark.",
        _missing("error", "error", "error"),
        in_rfc7595=True,
    ),
    "status": FieldRule(
        "Status",
        "5.4",
        "One of permanent, provisional and historical.",
        _missing("error", "error", "error"),
        in_rfc7595=True,
    ),
    "syntax": FieldRule(
        "URI scheme syntax",
        "2.2",
        "The grammar of what follows the name, as ABNF, or where it is defined. Every URI must match absolute-URI of "
        "RFC 3986; '//' only before an authority; say which reserved characters are delimiters.",
        _missing("error", "warning", "note"),
    ),
    "semantics": FieldRule(
        "URI scheme semantics",
        "2.3",
        "What a URI identifies and how software gets from it to the resource; the operations that are defined, even "
        "if there is only one.",
        _missing("error", "warning", "note"),
        older="usage",
    ),
    "usage": FieldRule("Intended usage", "2.3", "", None),
    "encoding": FieldRule(
        "Encoding considerations",
        "2.6",
        "How characters become octets and octets become URI characters, and what that means for IRIs.",
        _missing("error", "warning", "note"),
    ),
    "applications": FieldRule(
        "Applications/protocols that use this URI scheme name",
        "2.5",
        "Which applications and protocols use it, with references to what defines them.",
        _missing("error", "warning", "note"),
        in_rfc7595=True,
    ),
    "interoperability": FieldRule(
        "Interoperability considerations",
        "5.4",
        "What may keep implementations from working together: unusual encodings, incompatible character sets or "
        "versions of a protocol.",
        _missing("error", "warning", "note"),
    ),
    "security": FieldRule(
        "Security considerations",
        "2.7",
        "How the use of such URIs affects the security of systems; which considerations of RFC 3986 §7 apply.",
        _missing("error", "error", "warning"),
    ),
    "contact": FieldRule(
        "Contact",
        "5.4",
        "Whom to contact for further information, and how to reach them.",
        _missing("error", "error", "error"),
        in_rfc7595=True,
    ),
    "change_controller": FieldRule(
        "Author/Change controller",
        "5.4",
        "Who may change the registration, and how to reach them; important for a provisional scheme.",
        _missing("note", "error", "note"),
        in_rfc7595=True,
    ),
    "publications": FieldRule("Relevant publications", "5.4", "", None),
    "references": FieldRule(
        "References",
        "5.4",
        "Full citations of all documents cited in the other fields.",
        _missing("error", "warning", "warning"),
        in_rfc7595=True,
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


def normalize_heading(heading: str) -> str:
    """A heading as a key of `HEADINGS`: case folded, one space between words, none around a slash."""
    return " ".join(heading.casefold().split()).replace(" /", "/").replace("/ ", "/")


#: A heading, normalized -> the key of its field.
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


def status_of(fields: Sequence[TemplateField]) -> Status | None:
    """The requested status; None where the template has none, or an unknown one."""
    for field in fields:
        if field.name == "status":
            first, *_ = field.value.split() or [""]
            return STATUSES.get(first.strip("'\"‘’“”.,;:()").casefold())
    return None


def form_of(fields: Sequence[TemplateField]) -> Form:
    """Which RFC's form a template has.

    RFC 2717 has no status. RFC 7595 says "scheme" where RFC 4395 says "URI scheme", and has no field for the syntax.
    """
    names = {field.name for field in fields}
    if "status" not in names and not names.isdisjoint({"usage", "publications"}):
        return "RFC 2717"
    new = any(field.name == "name" and normalize_heading(field.heading) in _NEW_NAMES for field in fields)
    return "RFC 7595" if new and "syntax" not in names else "RFC 4395"
