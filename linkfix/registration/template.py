"""Registration templates of URI schemes: parsed from text, checked, formatted as text and as JSON.

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
from dataclasses import dataclass
from itertools import groupby
from typing import NoReturn, TypedDict

from linkfix.errors import LinkfixError
from linkfix.registration.template_checks import check
from linkfix.registration.template_fields import (
    FIELDS,
    HEADINGS,
    Form,
    Status,
    TemplateField,
    form_of,
    normalize_heading,
    status_of,
)
from linkfix.registration.template_headings import indentation, is_heading, lines_of
from linkfix.registration.template_reader import read, value_of
from linkfix.registration.verdict import Verdict

__all__ = ["FieldRecord", "InvalidTemplate", "Template", "TemplateField", "TemplateRecord"]

#: The columns of an RFC.
_WIDTH = 72
_HEADING, _VALUE = 3, 6
#: The least room for the words of a line, however deep its indentation.
_NARROWEST = 24
#: A rule of a grammar continues in lines that are indented deeper (RFC 5234 §2.2).
_RULE = re.compile(r"\s*[A-Za-z][\w-]{0,60}\s{0,60}=")
_ORDER = {name: place for place, name in enumerate(FIELDS)}


class InvalidTemplate(LinkfixError):
    """A record that is not one of `Template.to_json`."""


class FieldRecord(TypedDict):
    """A field as JSON."""

    field: str
    """A key of `FIELDS`; the heading of any other field."""
    heading: str
    """The heading as it is written."""
    value: str
    """The field's text."""
    lines: list[int]
    """Its first and its last line, from 1; two zeros for a field that was not read from text."""


class TemplateRecord(TypedDict):
    """A template as JSON. Everything but `fields` follows from them."""

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

    Where a field is repeated, `validate` says so, and the other methods use the first.
    """

    fields: tuple[TemplateField, ...] = ()
    """The fields, in order."""

    @classmethod
    def parse(cls, text: str) -> Template:
        """Parse the first template of a text, in the form of RFC 2717, RFC 4395 or RFC 7595. Never raises.

        If there is none, the result has no fields. The text may be a whole RFC with page breaks. Unknown fields are
        kept. `linkfix.registration.template_reader` says how headings are recognized.
        """
        return next(iter(cls.parse_all(text)), cls())

    @classmethod
    def parse_all(cls, text: str) -> tuple[Template, ...]:
        """Parse all templates of a text. A new one begins with a name after which fields are repeated."""
        return tuple(cls(one.fields) for one in read(text))

    @classmethod
    def new(cls) -> Template:
        """A blank template: each field of RFC 4395 §5.4, with guidance in angle brackets."""
        return cls(
            tuple(
                TemplateField(name, f"<{rule.guidance}>", rule.heading)
                for name, rule in FIELDS.items()
                if rule.missing is not None
            )
        )

    @classmethod
    def from_json(cls, record: object) -> Template:
        """The template of a record of `to_json`; unknown keys are ignored. Raises `InvalidTemplate`.

        A field needs `field`, a name or a heading, and `value`.
        """
        fields = record.get("fields") if isinstance(record, dict) else None
        if not isinstance(fields, list):
            _refuse("a template is an object with a list 'fields'")
        return cls(tuple(_field(position, one) for position, one in enumerate(fields, start=1)))

    def to_json(self) -> TemplateRecord:
        """The template as `json.dumps` takes it."""
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
        """The first field with that name, a key of `linkfix.registration.template_fields.FIELDS` or a heading."""
        return next((one for one in self.fields if one.name == name), None)

    @property
    def scheme(self) -> str | None:
        """The scheme's name as it is written, without quotes, a colon or a full stop; None if the field is missing."""
        field = self.field("name")
        return field.value.strip(" \n\"'‘’“”`.:") if field else None

    @property
    def status(self) -> Status | None:
        """The requested status; None where the template has none, or an unknown one."""
        return status_of(self.fields)

    @property
    def form(self) -> Form:
        """Which RFC's form it has."""
        return form_of(self.fields)

    def validate(self) -> tuple[Verdict, ...]:
        """Check it by RFC 4395: §2 for a permanent scheme, §3 for a provisional, §4 for a historical one.

        The name itself is checked by `linkfix.schemes.check_name(template.scheme)`.
        """
        return check(self.fields)

    def format(self) -> str:
        """Format it in the form and order of RFC 4395 §5.4, in 72 columns; other fields come last.

        Wider paragraphs are refilled, and lines of a grammar folded. `parse` reads the same fields again.
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
    """What the lines of a paragraph share: the indentation. A rule of a grammar is a paragraph of its own."""
    return indentation(line), line if not line or _RULE.match(line) else "prose"


def _fill(lines: list[str], indented: int) -> list[str]:
    """A paragraph, indented; refilled if a line is too wide."""
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
