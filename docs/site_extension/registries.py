"""Parts of pages from the registries: problems, rules, verdicts, options, vocabulary."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import fields

from sphinx.pycode import ModuleAnalyzer

from linkfix.auditing.reporters import REPORTERS
from linkfix.auditing.rules import rules as audit_rules
from linkfix.cli.next_steps import NEXT_STEPS
from linkfix.constraints import constraint
from linkfix.hooks.response import Settings
from linkfix.html import json_feed, xml_vocabulary
from linkfix.html import vocabulary as html_vocabulary
from linkfix.model import PROBLEMS, Options, Row
from linkfix.schemes.names import VERDICTS
from site_extension.markdown import code, table

__all__ = ["formats", "problems", "rules", "scrapy_settings", "verdicts", "vocabulary"]

_LABEL = re.compile(r"(Fails|Passes)::")


def problems() -> Iterator[str]:
    """The codes of problems, each with the next step."""
    head = ["code", "meaning", "next step"]
    return table(head, ((code(name), _escaped(meaning), NEXT_STEPS[name]) for name, meaning in PROBLEMS.items()))


def verdicts() -> Iterator[str]:
    """The codes of verdicts about schemes."""
    return table(["code", "meaning"], ((code(name), _escaped(meaning)) for name, meaning in VERDICTS.items()))


def formats() -> Iterator[str]:
    """The formats of the audit's reports."""
    return table(["`--format`", "what it is"], ((code(name), one.summary) for name, one in REPORTERS.items()))


def scrapy_settings() -> Iterator[str]:
    """The settings of the hook for Scrapy: the fields that they set."""
    rows = []
    for owner in (Settings, Options):
        documented = ModuleAnalyzer.for_module(owner.__module__).find_attr_docs()
        for field in fields(owner):
            if field.name not in {"options", "anchors"}:
                default = sorted(field.default) if isinstance(field.default, frozenset) else field.default
                meaning = " ".join(documented[owner.__name__, field.name]).strip()
                valid = constraint(field.name, str(field.type)).expected
                name = code(f"LINKFIX_{field.name.upper()}")
                rows.append([name, _escaped(meaning), _escaped(valid), code(repr(default))])
    return table(["setting", "meaning", "values", "default"], rows)


def rules(family: str) -> Iterator[str]:
    """The rules of the audit whose codes begin with `family`, with their documentation."""
    for info in (rule.info for rule in audit_rules() if rule.info.code.startswith(family)):
        yield f"({info.code.lower()})="
        yield f"### {info.code} {info.name}"
        yield ""
        summary, _, rest = info.help.partition("\n\n")
        opt_in = " Only with `--select`." if info.opt_in else ""
        yield f"*{info.level.value.capitalize()}.* {_escaped(' '.join(summary.split()))}{opt_in}"
        yield ""
        for part in re.split(r"\n\n(?=\S)", rest):
            yield from _part(part)
        yield f"*Next step:* {NEXT_STEPS[info.code]}"
        yield ""


def _part(part: str) -> Iterator[str]:
    """A paragraph of a rule's documentation, or an example."""
    label = _LABEL.match(part)
    if not label:
        yield _escaped(" ".join(part.split()))
        yield ""
        return
    yield f"{label[1]}:"
    yield ""
    yield "````html"
    yield textwrap.dedent(part[label.end() :].strip("\n"))
    yield "````"
    yield ""


def vocabulary(which: str) -> Iterator[str]:
    """The places of URLs: of a namespace, of an opt-in group, of feeds and other XML ("xml"), of JSON Feed
    ("json-feed"), or of the headers of messages ("header").
    """
    if which == "header":
        head = ["field", "syntax", "role", "of", "specification"]
        fields = html_vocabulary.HEADER_FIELDS.values()
        rows = [
            [code(row.attribute), row.syntax, row.role, row.namespace.replace(" ", ", "), row.section] for row in fields
        ]
        yield from table(head, rows)
        return
    if which == "json-feed":
        cells = [[code(row.element), row.syntax, row.role, row.section] for row in json_feed.ROWS]
        yield from table(["member", "syntax", "role", "section"], _merged(cells, column=0))
        return
    rows = html_vocabulary.GROUPS.get(which) or [row for row in html_vocabulary.ROWS if row.namespace == which]
    is_xml = which == "xml"
    head = ["element", "attribute", "if", "syntax", "role", "parsed", "section"]
    cells = [_cells(row) for row in (xml_vocabulary.ROWS if is_xml else rows)]
    if is_xml:  # these have no BASE elements, so that it is of no interest when they are parsed
        head = ["format", *(name for name in head if name != "parsed")]
        cells = [[row.namespace, *cell[:5], cell[6]] for row, cell in zip(xml_vocabulary.ROWS, cells, strict=True)]
    yield from table(head, _merged(_merged(cells, column=1 + is_xml), column=int(is_xml)))


def _cells(row: Row) -> list[str]:
    return [
        "every" if row.element == "*" else code(row.element),
        code(row.attribute) or "its text",
        code(row.guard),
        row.syntax,
        row.role,
        code(row.parsed) if "=" in row.parsed else row.parsed,
        f"HTML {row.section}" if row.section.startswith("§") else row.section,
    ]


def _merged(rows: Iterable[list[str]], column: int) -> list[list[str]]:
    """The rows; rows that differ in one column alone are merged."""
    found: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        found.setdefault((*row[:column], *row[column + 1 :]), []).append(row[column])
    return [[*key[:column], ", ".join(dict.fromkeys(words)), *key[column:]] for key, words in found.items()]


def _escaped(text: str) -> str:
    """Plain text as Markdown; code between backticks stays code."""
    return re.sub(r"([\\*_<>\[\]{}&])(?=(?:[^`]*`[^`]*`)*[^`]*$)", r"\\\1", text)
