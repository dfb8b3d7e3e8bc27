"""Judges the fields of a registration template by RFC 4395: what is missing, and what says nothing.

§2 holds for permanent schemes, §3 for provisional and §4 for historical ones; a template that states no status is
judged as a permanent one, as §6 has it. Whether the name is a good one is `linkfix.registration.names`' to say.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator
from typing import NamedTuple

from linkfix.registration.template_fields import FIELDS, Field, Form, Status, form_of, status_of
from linkfix.registration.verdict import Level, Verdict

__all__ = ["check"]

#: Values that say nothing: "None", "N/A", "TBD", "There are no known security issues."
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
#: Fields for which nothing is no answer. (Security considerations that are none have a verdict of their own.)
_SUBSTANTIAL = frozenset({"name", "status", "syntax", "semantics", "contact"})
#: Longer values say something.
_SHORT = 90

#: A rule of a grammar (`name = …`, `name := …`, `<name> ::= …`), or a form with brackets: `iax:[user@]host`.
_RULE = re.compile(
    r"""^[ ]*<?[A-Za-z][A-Za-z0-9_-]{0,60}>?[ ]{0,60}(?:::?|/)?=[ ]{0,60}\S   # a rule
    | "[^"\n]{1,60}"[ ]{1,60}["A-Za-z(\[]                              # literals in a row
    | [a-z][a-z0-9+.-]{0,60}:\S{0,60}[\[<{]""",
    re.VERBOSE | re.MULTILINE,
)
#: Words that point to a text.
_POINTER = re.compile(
    r"\b(?:sections?|appendi(?:x|ces)|chapters?|rfc|document|specification|above|below|draft|std|bcp|w3c|iso)\b"
    r"|\[[A-Za-z0-9]|://|same as",
    re.IGNORECASE,
)
_CITATION = re.compile(r"\[([A-Z][A-Za-z0-9._-]{1,30}|\d{1,3})\]")
#: References that are given in another part of the document.
_ELSEWHERE = re.compile(r"\bsections?\b|\bthis (?:document|specification|rfc)\b", re.IGNORECASE)
_RFC = re.compile(r"RFC[ _-]?0*(\d+)", re.IGNORECASE)
_ADDRESS = re.compile(r"@|://|\b(?:mailto|tel|xmpp):|\+\d|\d{3}", re.IGNORECASE)
_REASON = re.compile(r"\b(?:because|since|reasons?|as it is|proprietary|confidential|unpublished)\b", re.IGNORECASE)

#: Where a status is explained.
_STATUS_SECTIONS: dict[Status, str] = {"permanent": "2", "provisional": "3", "historical": "4"}
#: A message lists no more.
_LISTED = 8
#: How grave security considerations are that say nothing, and where that is said.
_SECURITY: dict[Status, tuple[Level, str]] = {
    "permanent": ("error", "2.7"),
    "provisional": ("error", "3"),
    "historical": ("warning", "7"),
}


class _Template(NamedTuple):
    """What the checks look at. `first`: of each field that has a name of `FIELDS`, the one that comes first."""

    fields: tuple[Field, ...]
    first: dict[str, Field]
    form: Form
    stated: Status | None
    status: Status
    line: int

    def value(self, name: str) -> str:
        """A field's text, or "" where there is none, or the guidance of a blank template, or nothing that could do."""
        field = self.first.get(name)
        if field is None or (name in FIELDS and _is_guidance(field)):
            return ""
        return "" if name in _SUBSTANTIAL and _is_nothing(field.value) else field.value.strip()

    def answered(self, name: str) -> bool:
        """Whether the field has a text, or the one of RFC 2717 that asks for the same."""
        return bool(self.value(name) or (FIELDS[name].older and self.value(FIELDS[name].older)))


def check(fields: tuple[Field, ...]) -> tuple[Verdict, ...]:
    """The verdicts on a template's fields, by line; on what is not there, at the line where the template begins."""
    if not fields:
        return (_verdict("template-empty", "error", "the text has no field of a registration template", "5.4"),)
    first: dict[str, Field] = {}
    for field in fields:
        first.setdefault(field.name, field)
    stated = status_of(fields)
    template = _Template(fields, first, form_of(fields), stated, stated or "permanent", fields[0].line)
    found = [verdict for judge in _CHECKS for verdict in judge(template)]
    return tuple(sorted(found, key=lambda verdict: verdict.line))


def _verdict(code: str, level: Level, message: str, section: str, line: int = 0) -> Verdict:
    return Verdict(code, level, message, section if section.startswith("RFC") else f"RFC 4395 §{section}", line)


def _is_guidance(field: Field) -> bool:
    return " ".join(field.value.split()) == f"<{FIELDS[field.name].guidance}>"


def _is_nothing(value: str) -> bool:
    text = " ".join(value[: _SHORT * 2].split()).strip(" .;()<>'\"")
    return len(value.strip()) <= _SHORT and _NOTHING.fullmatch(text) is not None


def _missing(template: _Template) -> Iterator[Verdict]:
    """§5.4: "the fields that must be supplied"; an empty field is as good as none."""
    moved = []
    for name, row in FIELDS.items():
        if row.missing is None or template.answered(name):
            continue
        field = template.first.get(name)
        level = row.missing[template.status]
        section = row.section if template.status == "permanent" else _STATUS_SECTIONS[template.status]
        if name in {"status", "contact", "change_controller"}:
            section = "5.4"
        if field is not None:
            yield _verdict("field-empty", level, f"{row.heading!r} says nothing", section, field.line)
        elif template.form == "RFC 7595":
            if row.kept:
                message = f"{row.heading!r} is missing"
                yield _verdict("field-missing", "error", message, "RFC 7595 §7.4", template.line)
            else:
                moved.append(row.heading)
        elif name == "status" and template.form == "RFC 2717":
            message = "no status: the form of RFC 2717 has none, and its schemes were entered as permanent"
            yield _verdict("status-unstated", "warning", message, "6", template.line)
        else:
            yield _verdict("field-missing", level, f"{row.heading!r} is missing", section, template.line)
    if moved:
        message = f"in the form of RFC 7595, the scheme's specification answers for {', '.join(map(repr, moved))}"
        yield _verdict("field-moved", "note", message, "RFC 7595 §7.4", template.line)


def _repeated(template: _Template) -> Iterator[Verdict]:
    for field in template.fields:
        first = template.first[field.name]
        if field is not first:
            heading = field.heading or field.name
            message = f"{heading!r} is there a second time, in line {field.line}; the first is in line {first.line}"
            yield _verdict("field-repeated", "error", message, "5.4", field.line)


def _unknown(template: _Template) -> Iterator[Verdict]:
    for name, field in template.first.items():
        if name not in FIELDS:
            yield _verdict("field-unknown", "note", f"{name!r} is no field of the form", "5.4", field.line)


def _status(template: _Template) -> Iterator[Verdict]:
    value = template.value("status")
    if value and template.stated is None:
        shown = textwrap.shorten(value[: 2 * _SHORT], _SHORT // 2, placeholder="…")
        message = f"the status is {shown!r}, and has to be permanent, provisional or historical"
        yield _verdict("status-unknown", "error", message, "5.4", template.first["status"].line)


def _security(template: _Template) -> Iterator[Verdict]:
    value = template.value("security")
    if _is_nothing(value):
        level, section = _SECURITY[template.status]
        message = f"the security considerations are {value!r}: that is no analysis"
        yield _verdict("security-none", level, message, section, template.first["security"].line)


def _syntax(template: _Template) -> Iterator[Verdict]:
    value = template.value("syntax")
    if value and not _RULE.search(value) and not _POINTER.search(value):
        level: Level = "note" if template.status == "historical" else "warning"
        message = "the syntax has neither a grammar nor a word on where it is defined"
        yield _verdict("syntax-undefined", level, message, "2.2", template.first["syntax"].line)


def _contact(template: _Template) -> Iterator[Verdict]:
    names = ["contact", *(["change_controller"] if template.status == "provisional" else [])]
    for name in names:
        value = template.value(name)
        if value and not _ADDRESS.search(value) and not _POINTER.search(value):
            message = f"{FIELDS[name].heading!r} does not say how to reach anyone"
            yield _verdict("contact-unreachable", "warning", message, "5.4", template.first[name].line)


def _references(template: _Template) -> Iterator[Verdict]:
    """§5.4: "Include full citations for all referenced documents"."""
    references = template.first.get("references") or template.first.get("publications")
    given = template.value(references.name) if references else ""
    if references is None or not given or _ELSEWHERE.search(given):
        return
    cited: dict[str, None] = {}
    for field in template.fields:
        if field is not references:
            cited |= dict.fromkeys(match[1] for match in _CITATION.finditer(field.value))
    present = {match[1] for match in _CITATION.finditer(given)} | {f"RFC{match[1]}" for match in _RFC.finditer(given)}
    absent = [citation for citation in cited if citation not in present]
    if absent:
        more = f" and {len(absent) - _LISTED} more" if len(absent) > _LISTED else ""
        message = f"the references do not have {', '.join(f'[{name}]' for name in absent[:_LISTED])}{more}"
        yield _verdict("references-incomplete", "warning", message, "5.4", references.line)


def _specification(template: _Template) -> Iterator[Verdict]:
    """§3: reasons where no specification is cited; §4: "some indication to where the scheme was previously defined"."""
    texts = [template.value(field.name) for field in template.first.values() if field.name != "name"]
    if template.status == "permanent" or any(map(_POINTER.search, texts)):
        return
    if template.status == "historical":
        message = "nothing says where the scheme was defined or documented"
        yield _verdict("specification-none", "warning", message, "4", template.line)
    elif not any(map(_REASON.search, texts)):
        message = "neither a specification is cited nor a reason given why there is none"
        yield _verdict("specification-none", "warning", message, "3", template.line)


_CHECKS: tuple[Callable[[_Template], Iterator[Verdict]], ...] = (
    *(_missing, _repeated, _unknown, _status),
    *(_security, _syntax, _contact, _references, _specification),
)
