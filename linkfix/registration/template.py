"""Registration templates of URI schemes: read from text, judged, written as text and as JSON.

>>> template = Template.parse('''
...    URI scheme name: geo
...    Status: permanent
...    Security considerations: None.
... ''')
>>> template.scheme, template.status
('geo', 'permanent')
>>> for verdict in template.validate()[-1:]:
...     print(verdict.line, verdict)
4 error: the security considerations are 'None.': that is no analysis [security-none] (RFC 4395 §2.7)
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from itertools import groupby
from typing import NoReturn, TypedDict

from linkfix.errors import LinkfixError
from linkfix.registration.template_checks import check
from linkfix.registration.template_fields import FIELDS, HEADINGS, Field, Form, Status, form_of, normal, status_of
from linkfix.registration.template_reader import indentation, is_heading, lines_of, read, value_of
from linkfix.registration.verdict import Verdict

__all__ = ["Field", "FieldRecord", "InvalidTemplate", "Template", "TemplateRecord"]

#: As RFCs are set.
_WIDTH = 72
_HEADING, _VALUE = 3, 6
#: However deep a line is indented, its words get that much.
_NARROWEST = 24
#: A rule of a grammar goes on in lines that are indented deeper (RFC 5234 §2.2).
_RULE = re.compile(r"\s*[A-Za-z][\w-]{0,60}\s{0,60}=")
_ORDER = {name: place for place, name in enumerate(FIELDS)}


class InvalidTemplate(LinkfixError):
    """A record that is no template as `Template.to_json` gives it."""


class FieldRecord(TypedDict):
    """A field as JSON has it. `lines`: its first and its last line, from 1; two zeros where it comes from no text."""

    field: str
    heading: str
    value: str
    lines: list[int]


class TemplateRecord(TypedDict):
    """A template as JSON has it. All but `fields` follows from these."""

    scheme: str | None
    status: Status | None
    form: Form
    fields: list[FieldRecord]


@dataclass(frozen=True, slots=True)
class Template:
    """A registration template (RFC 4395 §5.4): its fields, in the order in which they stand.

    A field may be there twice; `validate` says so, and everything else takes the first.
    """

    fields: tuple[Field, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Template:
        """Read the first template of a text, in the form of RFC 2717, RFC 4395 or RFC 7595; never raises.

        Where there is none, the template has no fields. The text may be a whole RFC, page breaks and all. See
        `linkfix.registration.template_reader` for how headings are known. Fields that are not known are kept.
        """
        return next(iter(cls.parse_all(text)), cls())

    @classmethod
    def parse_all(cls, text: str) -> tuple[Template, ...]:
        """Read all templates of a text. Another one begins with a name after which fields come again."""
        return tuple(map(cls, read(text)))

    @classmethod
    def new(cls) -> Template:
        """A blank template: each field of RFC 4395 §5.4, and in angle brackets what belongs there."""
        return cls(
            tuple(
                Field(name, f"<{row.guidance}>", row.heading) for name, row in FIELDS.items() if row.missing is not None
            )
        )

    @classmethod
    def from_json(cls, record: object) -> Template:
        """The template of which `to_json` gave the record; more keys do no harm. Raises `InvalidTemplate`.

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

    def field(self, name: str) -> Field | None:
        """The first field with that name, a key of `linkfix.registration.template_fields.FIELDS` or a heading."""
        return next((one for one in self.fields if one.name == name), None)

    @property
    def scheme(self) -> str | None:
        """The scheme's name as it is written, without quotes, a colon or a full stop; None where there is no field."""
        field = self.field("name")
        return field.value.strip(" \n\"'‘’“”`.:") if field else None

    @property
    def status(self) -> Status | None:
        """The status that is asked for; None where the template has none, or none of the three."""
        return status_of(self.fields)

    @property
    def form(self) -> Form:
        """Which text's form it has."""
        return form_of(self.fields)

    def validate(self) -> tuple[Verdict, ...]:
        """What RFC 4395 has to say of it: §2 for a permanent scheme, §3 for a provisional, §4 for a historical one.

        The name itself is judged by `linkfix.registration.names.check_name(template.scheme)`.
        """
        return check(self.fields)

    def format(self) -> str:
        """Write it in the form and the order of RFC 4395 §5.4, in 72 columns; other fields come last.

        Paragraphs that are wider are filled anew, lines of a grammar folded. `parse` reads the same fields again.
        """
        fields = sorted(self.fields, key=lambda one: _ORDER.get(one.name, len(_ORDER)))
        return "\n".join(map(_block, fields))


def _block(field: Field) -> str:
    row = FIELDS.get(field.name)
    lines = [f"{' ' * _HEADING}{row.heading if row else field.name}:"]
    for (indent, _), paragraph in groupby(field.value.split("\n"), key=_paragraph):
        lines += _set(list(paragraph), indent)
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _paragraph(line: str) -> tuple[int, str]:
    """What the lines of one paragraph have in common: the indentation; a rule of a grammar is one by itself."""
    return indentation(line), line if not line or _RULE.match(line) else "prose"


def _set(lines: list[str], indented: int) -> list[str]:
    """A paragraph at its place on the page; filled anew where a line is too wide."""
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


def _field(position: int, record: object) -> Field:
    if not isinstance(record, dict):
        _refuse(f"field {position} is no object")
    name, value, heading = record.get("field"), record.get("value"), record.get("heading", "")
    if not (isinstance(name, str) and isinstance(value, str) and isinstance(heading, str)):
        _refuse(f"field {position} needs 'field' and 'value', which are strings")
    lines = record.get("lines", [0, 0])
    if not isinstance(lines, list) or [type(line) for line in lines] != [int, int]:
        _refuse(f"field {position}: 'lines' has to be two numbers")
    if name not in FIELDS:
        name = HEADINGS.get(normal(name), name)
        if name not in FIELDS and not is_heading(name):
            _refuse(f"field {position}: {name!r} can be no heading")
    return Field(name, value_of(lines_of(value)), heading, *lines)


def _refuse(message: str) -> NoReturn:
    raise InvalidTemplate(message)
