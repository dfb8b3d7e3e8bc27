"""Registration templates of URI schemes: parsing from text, checking, and formatting as text and JSON.

>>> template = Template.parse('''
...    URI scheme name: geo
...    Status: permanent
...    Security considerations: None.
... ''')
>>> template.scheme, template.status
('geo', 'permanent')
>>> for verdict in template.validate()[-1:]:
...     print(verdict.line, verdict)
4 error: the security considerations are 'None.', which is not an analysis [security-none] (RFC 4395 §2.7)
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple, NoReturn, TypedDict

from linkfix.errors import LinkfixError, check_str
from linkfix.schemes.names import Level, Verdict
from linkfix.schemes.registry import Status
from linkfix.schemes.template_reader import (
    FIELDS,
    HEADINGS,
    Form,
    ReadTemplate,
    TemplateField,
    form_of,
    indentation,
    is_heading,
    lines_of,
    normalize_heading,
    read,
    status_of,
    value_of,
)

# Checks of a registration template's fields by RFC 4395: missing fields, and fields without content.
#
# §2 applies to permanent schemes, §3 to provisional and §4 to historical schemes; a template without a status is
# checked as a permanent scheme (§6). `linkfix.schemes.names` checks the name.


#: Values without content: "None", "N/A", "TBD", "There are no known security issues."
_NOTHING = re.compile(
    r"""(?:there\ (?:are|is)\ )?(?:
        none(?:\ (?:known|identified|so\ far|at\ this\ time))? | n\.?/?a | nil | nothing | unknown | unspecified
        | not\ (?:applicable|known|yet\ known|available|specified|relevant) | does\ not\ apply
        | t\.?b\.?[ads] | to\ (?:be|do)(?:\ \w+)? | todo | xxx+ | [-?*_]+
        | no\ (?:\w+\ ){0,2}(?:issues?|considerations?|concerns?|implications?|risks?|impacts?|problems?)
          (?:\ (?:are|is|were|have\ been|at\ this\ time|apply|exist)(?:\ \w+){0,2})?
    )""",
    re.VERBOSE | re.IGNORECASE,
)

#: Fields that cannot be "none". (Security considerations have a separate verdict.)
_SUBSTANTIAL = frozenset({"name", "status", "syntax", "semantics", "contact"})

#: The maximum length of an empty phrase, in characters.
_SHORT = 90

#: A rule of a grammar (`name = …`, `name := …`, `<name> ::= …`), or a form with brackets: `iax:[user@]host`.
_GRAMMAR_RULE = re.compile(
    r"""^[ ]*<?[A-Za-z][A-Za-z0-9_-]{0,60}>?[ ]{0,60}(?:::?|/)?=[ ]{0,60}\S   # a rule
    | "[^"\n]{1,60}"[ ]{1,60}["A-Za-z(\[]                              # literals in a row
    | [a-z][a-z0-9+.-]{0,60}:\S{0,60}[\[<{]""",
    re.VERBOSE | re.MULTILINE,
)

#: Words that refer to a document.
_POINTER = re.compile(
    r"\b(?:sections?|appendi(?:x|ces)|chapters?|rfc|document|specification|above|below|draft|std|bcp|w3c|iso)\b"
    r"|\[[A-Za-z0-9]|://|same as",
    re.IGNORECASE,
)

_CITATION = re.compile(r"\[([A-Z][A-Za-z0-9._-]{1,30}|\d{1,3})\]")

#: Words for references in another part of the document.
_ANOTHER_PART = re.compile(r"\bsections?\b|\bthis (?:document|specification|rfc)\b", re.IGNORECASE)

_RFC = re.compile(r"RFC[ _-]?0*(\d+)", re.IGNORECASE)

_ADDRESS = re.compile(r"@|://|\b(?:mailto|tel|xmpp):|\+\d|\d{3}", re.IGNORECASE)

_REASON = re.compile(r"\b(?:because|since|reasons?|as it is|proprietary|confidential|unpublished)\b", re.IGNORECASE)

#: The section about each status.
_STATUS_SECTIONS: dict[Status, str] = {"permanent": "2", "provisional": "3", "historical": "4"}

#: The maximum number of items that a message lists.
_LISTED = 8

#: A status -> the level of a verdict on empty security considerations, and its section.
_SECURITY: dict[Status, tuple[Level, str]] = {
    "permanent": ("error", "2.7"),
    "provisional": ("error", "3"),
    "historical": ("warning", "7"),
}


class _CheckedTemplate(NamedTuple):
    """A template prepared for the checks."""

    fields: tuple[TemplateField, ...]
    """All fields, in order."""
    first: dict[str, TemplateField]
    """A field's name -> the first field with this name."""
    form: Form
    """The RFC that defines the template's form."""
    stated: Status | None
    """The status in the template."""
    status: Status
    """The status for the checks."""
    line: int
    """The template's first line."""

    def value(self, name: str) -> str:
        """A field's text; "" if the field is missing, has a blank template's guidance, or has no content."""
        field = self.first.get(name)
        if field is None or (name in FIELDS and _is_guidance(field)):
            return ""
        return "" if name in _SUBSTANTIAL and _is_nothing(field.value) else field.value.strip()

    def has_value(self, name: str) -> bool:
        """Whether the field, or its equivalent in RFC 2717, has text."""
        return bool(self.value(name) or (FIELDS[name].older and self.value(FIELDS[name].older)))


def check(fields: tuple[TemplateField, ...]) -> tuple[Verdict, ...]:
    """Check a template's fields. Verdicts are sorted by line; those on missing fields have the first line."""
    if not fields:
        return (_verdict("template-empty", "error", "the text has no field of a registration template", "5.4"),)
    first: dict[str, TemplateField] = {}
    for field in fields:
        first.setdefault(field.name, field)
    stated = status_of(fields)
    template = _CheckedTemplate(fields, first, form_of(fields), stated, stated or "permanent", fields[0].line)
    found = [verdict for one in _CHECKS for verdict in one(template)]
    return tuple(sorted(found, key=lambda verdict: verdict.line))


def check_lines(template: ReadTemplate) -> tuple[Verdict, ...]:
    """Return a verdict on each line of a text that looks like a field, but was not read as a field."""
    found = []
    first, last = template.before
    if first:
        lines, come = (f"lines {first} to {last}", "come") if last > first else (f"line {first}", "comes")
        message = f"{lines} {come} before the first field, {template.fields[0].heading!r}: fields there are not read"
        found.append(_verdict("text-before", "note", message, "5.4", first))
    for line in template.doubtful:
        message = f"{line.heading!r} looks like a field, but is read as text of {line.field.heading!r}"
        found.append(_verdict("line-unknown", "note", message, "5.4", line.line))
    return tuple(found)


def _verdict(code: str, level: Level, message: str, section: str, line: int = 0) -> Verdict:
    return Verdict(code, level, message, section if section.startswith("RFC") else f"RFC 4395 §{section}", line)


def _is_guidance(field: TemplateField) -> bool:
    return " ".join(field.value.split()) == f"<{FIELDS[field.name].guidance}>"


def _is_nothing(value: str) -> bool:
    text = " ".join(value[: _SHORT * 2].split()).strip(" .;()<>'\"")
    return len(value.strip()) <= _SHORT and _NOTHING.fullmatch(text) is not None


def _missing(template: _CheckedTemplate) -> Iterator[Verdict]:
    """Yield verdicts on missing fields of "the fields that must be supplied" (§5.4). Empty fields count as missing."""
    moved = []
    for name, rule in FIELDS.items():
        if rule.missing is None or template.has_value(name):
            continue
        field = template.first.get(name)
        level = rule.missing[template.status]
        section = rule.section if template.status == "permanent" else _STATUS_SECTIONS[template.status]
        if name in {"status", "contact", "change_controller"}:
            section = "5.4"
        if field is not None:
            yield _verdict(
                "field-empty",
                level,
                f"{rule.heading!r} is empty, or has only a phrase such as 'none': fill it in",
                section,
                field.line,
            )
        elif template.form == "RFC 7595":
            if rule.in_rfc7595:
                message = f"{rule.heading!r} is missing"
                yield _verdict("field-missing", "error", message, "RFC 7595 §7.4", template.line)
            else:
                moved.append(rule.heading)
        elif name == "status" and template.form == "RFC 2717":
            message = "the form of RFC 2717 has no status: the scheme would be registered as permanent"
            yield _verdict("status-unstated", "warning", message, "6", template.line)
        else:
            yield _verdict("field-missing", level, f"{rule.heading!r} is missing", section, template.line)
    if moved:
        message = f"RFC 7595 moved {', '.join(map(repr, moved))} from the form to the scheme's specification"
        yield _verdict("field-moved", "note", message, "RFC 7595 §7.4", template.line)


def _check_repetition(template: _CheckedTemplate) -> Iterator[Verdict]:
    for field in template.fields:
        first = template.first[field.name]
        if field is not first:
            heading = field.heading or field.name
            message = f"{heading!r} is repeated in line {field.line}; it is first in line {first.line}"
            yield _verdict("field-repeated", "error", message, "5.4", field.line)


def _unknown(template: _CheckedTemplate) -> Iterator[Verdict]:
    for name, field in template.first.items():
        if name not in FIELDS:
            yield _verdict("field-unknown", "note", f"{name!r} is not a field of the form", "5.4", field.line)


def _status(template: _CheckedTemplate) -> Iterator[Verdict]:
    value = template.value("status")
    if value and template.stated is None:
        excerpt = textwrap.shorten(value[: 2 * _SHORT], _SHORT // 2, placeholder="…")
        message = f"unknown status {excerpt!r}: use permanent, provisional or historical"
        yield _verdict("status-unknown", "error", message, "5.4", template.first["status"].line)


def _security(template: _CheckedTemplate) -> Iterator[Verdict]:
    value = template.value("security")
    if _is_nothing(value):
        level, section = _SECURITY[template.status]
        message = f"the security considerations are {value!r}, which is not an analysis"
        yield _verdict("security-none", level, message, section, template.first["security"].line)


def _syntax(template: _CheckedTemplate) -> Iterator[Verdict]:
    value = template.value("syntax")
    if value and not _GRAMMAR_RULE.search(value) and not _POINTER.search(value):
        level: Level = "note" if template.status == "historical" else "warning"
        message = "the syntax has no grammar and does not say where it is defined"
        yield _verdict("syntax-undefined", level, message, "2.2", template.first["syntax"].line)


def _contact(template: _CheckedTemplate) -> Iterator[Verdict]:
    names = ["contact", *(["change_controller"] if template.status == "provisional" else [])]
    for name in names:
        value = template.value(name)
        if value and not _ADDRESS.search(value) and not _POINTER.search(value):
            message = f"{FIELDS[name].heading!r} does not say how to reach anyone"
            yield _verdict("contact-unreachable", "warning", message, "5.4", template.first[name].line)


def _references(template: _CheckedTemplate) -> Iterator[Verdict]:
    """Yield a verdict on missing citations: "Include full citations for all referenced documents" (§5.4)."""
    references = template.first.get("references") or template.first.get("publications")
    given = template.value(references.name) if references else ""
    if references is None or not given or _ANOTHER_PART.search(given):
        return
    cited: dict[str, None] = {}
    for field in template.fields:
        if field is not references:
            cited |= dict.fromkeys(match[1] for match in _CITATION.finditer(field.value))
    present = {match[1] for match in _CITATION.finditer(given)} | {f"RFC{match[1]}" for match in _RFC.finditer(given)}
    absent = [citation for citation in cited if citation not in present]
    if absent:
        more = f" and {len(absent) - _LISTED} more" if len(absent) > _LISTED else ""
        names = ", ".join(f"[{name}]" for name in absent[:_LISTED])
        message = f"cited documents are missing from the references: {names}{more}"
        yield _verdict("references-incomplete", "warning", message, "5.4", references.line)


def _specification(template: _CheckedTemplate) -> Iterator[Verdict]:
    """Yield a verdict if no specification is cited.

    §3 asks for reasons in this case; §4 asks for "some indication to where the scheme was previously defined".
    """
    texts = [template.value(field.name) for field in template.first.values() if field.name != "name"]
    if template.status == "permanent" or any(map(_POINTER.search, texts)):
        return
    if template.status == "historical":
        message = "the template does not say where the scheme was defined or documented"
        yield _verdict("specification-none", "warning", message, "4", template.line)
    elif not any(map(_REASON.search, texts)):
        message = "the template cites no specification and does not say why there is none"
        yield _verdict("specification-none", "warning", message, "3", template.line)


_CHECKS: tuple[Callable[[_CheckedTemplate], Iterator[Verdict]], ...] = (
    *(_missing, _check_repetition, _unknown, _status),
    *(_security, _syntax, _contact, _references, _specification),
)


#: The number of columns of an RFC.
_WIDTH = 72

_HEADING, _VALUE = 3, 6

#: The minimum width for the words of a line, with any indentation, in columns.
_NARROWEST = 24

#: The start of a grammar rule; the rule continues in lines with deeper indentation (RFC 5234 §2.2).
_RULE = re.compile(r"\s*[A-Za-z][\w-]{0,60}\s{0,60}=")

_ORDER = {name: place for place, name in enumerate(FIELDS)}


class InvalidTemplate(LinkfixError):
    """A record does not have the form of `Template.to_json`."""


class FieldRecord(TypedDict):
    """A field as JSON."""

    field: str
    """A key of `FIELDS`; for an unknown field, its heading."""
    heading: str
    """The heading as written."""
    value: str
    """The field's text."""
    lines: list[int]
    """The field's first and last line, from 1; two zeros if the field was not read from text."""


class TemplateRecord(TypedDict):
    """A template as JSON. All other values follow from `fields`."""

    scheme: str | None
    """See `Template.scheme`."""
    status: Status | None
    """See `Template.status`."""
    form: Form
    """See `Template.form`."""
    fields: list[FieldRecord]
    """The fields, in order."""


@dataclass(frozen=True, slots=True)
class Template:
    """A registration template (RFC 4395 §5.4).

    If a field is repeated, `validate` reports it, and the other methods use the first occurrence.
    """

    fields: tuple[TemplateField, ...] = ()
    """The fields, in order."""

    @classmethod
    def parse(cls, text: str) -> Template:
        """Parse the first template of a text, in the form of RFC 2717, RFC 4395 or RFC 7595. Never raises.

        If the text has no template, the result has no fields. The text may be a whole RFC with page breaks. Unknown
        fields are kept. `linkfix.schemes.template_reader` describes the recognition of headings.
        """
        return next(iter(cls.parse_all(text)), cls())

    @classmethod
    def parse_all(cls, text: str) -> tuple[Template, ...]:
        """Parse all templates of a text. A name begins a new template if fields are repeated after it."""
        check_str("text", text)
        return tuple(cls(one.fields) for one in read(text))

    @classmethod
    def new(cls) -> Template:
        """Return a blank template: each field of RFC 4395 §5.4, with guidance in angle brackets."""
        return cls(
            tuple(
                TemplateField(name, f"<{rule.guidance}>", rule.heading)
                for name, rule in FIELDS.items()
                if rule.missing is not None
            )
        )

    @classmethod
    def from_json(cls, record: object) -> Template:
        """Return the template for a record from `to_json`; unknown keys are ignored. Raises `InvalidTemplate`.

        Each field needs `field` (a name or a heading) and `value`.
        """
        fields = record.get("fields") if isinstance(record, dict) else None
        if not isinstance(fields, list):
            _refuse("a template is an object with a list 'fields'")
        return cls(tuple(_field(position, one) for position, one in enumerate(fields, start=1)))

    def to_json(self) -> TemplateRecord:
        """The template as a record for `json.dumps`."""
        return {
            "scheme": self.scheme,
            "status": self.status,
            "form": self.form,
            "fields": [
                {"field": one.name, "heading": one.heading, "value": one.value, "lines": [one.line, one.end]}
                for one in self.fields
            ],
        }

    def field(self, name: str) -> TemplateField | None:
        """The first field with this name, a key of `linkfix.schemes.template_reader.FIELDS` or a heading."""
        return next((one for one in self.fields if one.name == name), None)

    @property
    def scheme(self) -> str | None:
        """The scheme's name as written, without quotes, a colon or a full stop; None if the field is missing."""
        field = self.field("name")
        return field.value.strip(" \n\"'‘’“”`.:") if field else None

    @property
    def status(self) -> Status | None:
        """The requested status; None if the template has no status or an unknown status."""
        return status_of(self.fields)

    @property
    def form(self) -> Form:
        """The RFC that defines the template's form."""
        return form_of(self.fields)

    def validate(self) -> tuple[Verdict, ...]:
        """Check the template by RFC 4395: §2 for a permanent scheme, §3 for a provisional, §4 for a historical scheme.

        The name itself is checked by `linkfix.schemes.check_name(template.scheme)`.
        """
        return check(self.fields)

    def format(self) -> str:
        """Format the template in the form and order of RFC 4395 §5.4, in 72 columns; other fields come last.

        Wider paragraphs are refilled, and lines of a grammar are folded. `parse` reads the same fields back.
        """
        fields = sorted(self.fields, key=lambda one: _ORDER.get(one.name, len(_ORDER)))
        return "\n".join(map(_block, fields))


def _block(field: TemplateField) -> str:
    rule = FIELDS.get(field.name)
    lines = [f"{' ' * _HEADING}{rule.heading if rule else field.name}:"]
    for (indent, _), paragraph in groupby(field.value.split("\n"), key=_paragraph):
        lines += _fill(list(paragraph), indent)
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _paragraph(line: str) -> tuple[int, str]:
    """The key for grouping lines into paragraphs: equal indentation; each grammar rule is a separate paragraph."""
    return indentation(line), line if not line or _RULE.match(line) else "prose"


def _fill(lines: list[str], indented: int) -> list[str]:
    """The lines of an indented paragraph, refilled if a line is too wide."""
    indent = " " * (_VALUE + indented)
    if all(_VALUE + len(line) <= _WIDTH for line in lines):
        return [" " * _VALUE + line for line in lines]
    line = " ".join(line.strip(" ") for line in lines)
    return textwrap.wrap(
        line,
        max(_WIDTH, len(indent) + _NARROWEST),
        initial_indent=indent,
        subsequent_indent=indent + "  " * bool(_RULE.match(line)),
        expand_tabs=False,
        replace_whitespace=False,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _field(position: int, record: object) -> TemplateField:
    if not isinstance(record, dict):
        _refuse(f"field {position} is not an object")
    name, value, heading = record.get("field"), record.get("value"), record.get("heading", "")
    if not (isinstance(name, str) and isinstance(value, str) and isinstance(heading, str)):
        _refuse(f"field {position} needs the strings 'field' and 'value'")
    lines = record.get("lines", [0, 0])
    if not isinstance(lines, list) or [type(line) for line in lines] != [int, int]:
        _refuse(f"field {position}: 'lines' must be two integers")
    if name not in FIELDS:
        name = HEADINGS.get(normalize_heading(name), name)
        if name not in FIELDS and not is_heading(name):
            _refuse(f"field {position}: {name!r} cannot be a heading")
    return TemplateField(name, value_of(lines_of(value)), heading, *lines)


def _refuse(message: str) -> NoReturn:
    raise InvalidTemplate(message)
