from __future__ import annotations

import json
from itertools import groupby, product
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.each import for_each
from support.growth import processor_limit
from support.vectors import table

from linkfix.schemes import VERDICTS, InvalidTemplate, Template
from linkfix.schemes.template_reader import FIELDS, HEADINGS

#: file -> the template in its RFC.
REAL = dict(table("templates", "file", "text"))
TABLE = Path(__file__).parent / "templates.tsv"

#: file -> (line of the heading, field, first words, last words) of each field, as a reader finds them.
READ_BY_HAND = {
    name: [(int(line), field, first, last) for _, line, field, first, last in rows]
    for name, rows in groupby(
        (line.split("\t") for line in TABLE.read_text("utf-8").splitlines() if not line.startswith(("#", "file\t"))),
        key=lambda row: row[0],
    )
}
PROVISIONAL, HISTORICAL = {"rsync.rfc5781.txt"}, {"snews.rfc5538.txt"}
#: RFC 2717's form has no status.
WITHOUT_STATUS = {"dns.rfc4501.txt", "snmp.rfc4088.txt", "tftp.rfc3617.txt"}

NO_STATUS = ("status-unstated", "warning", "RFC 2717's form has no status")
#: file -> line -> the verdict, and the reason.
SAID = {
    "about.rfc6694.txt": {1: ("field-missing", "error", "no interoperability considerations")},
    "acct.rfc7565.txt": {49: ("references-incomplete", "warning", "'None.', but the syntax cites [RFC5234]")},
    "coap.rfc7252.txt": {39: ("references-incomplete", "warning", "[RFC7252] alone, but two others are cited")},
    "coaps.rfc7252.txt": {41: ("references-incomplete", "warning", "[RFC7252] alone, but two others are cited")},
    "dns.rfc4501.txt": {1: ("status-unstated field-missing field-missing", "", "nor security, nor publications")},
    "file.rfc8089.txt": {7: ("field-moved", "note", "RFC 7595's form: five fields are the specification's")},
    "geo.rfc5870.txt": {285: ("references-incomplete", "warning", "the syntax cites [RFC5234]")},
    "imap.rfc5092.txt": {49: ("references-incomplete", "warning", "[MIME], [CATENATE], [SUBMIT], [BURL] are cited")},
    "mailto.rfc6068.txt": {27: ("contact-unreachable", "warning", "'IETF' is no address")},
    "sms.rfc5724.txt": {1: ("field-missing field-missing", "", "the excerpt ends with the contact")},
    "snews.rfc5538.txt": {37: ("references-incomplete", "warning", "security cites [RFC2595]")},
    "snmp.rfc4088.txt": {1: NO_STATUS},
    "stun.rfc7064.txt": {25: ("references-incomplete", "warning", "encoding cites [RFC3986]")},
    "stuns.rfc7064.txt": {26: ("references-incomplete", "warning", "encoding cites [RFC3986]")},
    "tftp.rfc3617.txt": {1: NO_STATUS},
    "tn3270.rfc6270.txt": {1: ("field-missing", "error", "no interoperability considerations")},
    "turn.rfc7065.txt": {25: ("references-incomplete", "warning", "encoding cites [RFC3986]")},
    "turns.rfc7065.txt": {26: ("references-incomplete", "warning", "encoding cites [RFC3986]")},
    "ws.rfc6455.txt": {51: ("references-incomplete", "warning", "three RFCs are cited, RFC 6455 alone is given")},
    "wss.rfc6455.txt": {50: ("references-incomplete", "warning", "three RFCs are cited, RFC 6455 alone is given")},
    "xmpp.rfc5122.txt": {94: ("references-incomplete", "warning", "[ABNF], [URI] and others are cited")},
}

COMPLETE = {
    "name": "example-geo",
    "status": "permanent",
    "syntax": 'example-URI = "example-geo:" 1*DIGIT',
    "semantics": "Identifies an example. Nothing but GET is defined.",
    "encoding": "ASCII alone.",
    "applications": "Example software.",
    "interoperability": "None known.",
    "security": "Those of RFC 3986 §7 apply.",
    "contact": "A. Uthor <a@example.com>",
    "change_controller": "A. Uthor <a@example.com>",
    "references": "RFC 3986",
}


def text_of(fields):
    return "".join(f"   {FIELDS[name].heading}: {value}\n\n" for name, value in fields.items())


def found(fields):
    return [(verdict.code, verdict.level, verdict.section) for verdict in Template.parse(text_of(fields)).validate()]


def pairs(template):
    return [(field.name, field.value) for field in template.fields]


def words(template):
    return sorted((field.name, field.value.split()) for field in template.fields)


class TestRealTemplates:
    def test_the_table_has_all(self):
        assert set(READ_BY_HAND) == {name for name in REAL if not name.startswith("_")}
        assert len(READ_BY_HAND) == 29

    @pytest.mark.parametrize("name", READ_BY_HAND)
    def test_every_field_that_a_reader_finds(self, name):
        (template,) = Template.parse_all(REAL[name])
        rows = READ_BY_HAND[name]
        assert [(field.line, field.name) for field in template.fields] == [row[:2] for row in rows]
        for field, (_, _, first, last) in zip(template.fields, rows, strict=True):
            text = " ".join(field.value.split())
            assert text.startswith(first)
            assert text.endswith(last)

    @for_each(READ_BY_HAND)
    def test_a_field_has_its_line_numbers(self, name):
        lines = REAL[name].splitlines()
        for field in Template.parse(REAL[name]).fields:
            own = "\n".join(lines[field.line - 1 : field.end])
            assert field.heading in lines[field.line - 1]
            assert own.split()[-1:] == field.value.split()[-1:]
            assert lines[field.end - 1].strip()

    @for_each(READ_BY_HAND)
    def test_the_scheme_and_the_status_requested_by_its_rfc(self, name):
        template = Template.parse(REAL[name])
        assert template.scheme == name.partition(".")[0]
        asked = "provisional" if name in PROVISIONAL else "historical" if name in HISTORICAL else "permanent"
        assert template.status == (None if name in WITHOUT_STATUS else asked)

    def test_the_form(self):
        forms = {name: Template.parse(REAL[name]).form for name in READ_BY_HAND}
        older = {file for file, form in table("templates", "file", "form") if form == "RFC 2717"}
        assert {name for name, form in forms.items() if form == "RFC 2717"} == older == WITHOUT_STATUS
        assert {name for name, form in forms.items() if form == "RFC 7595"} == {"file.rfc8089.txt"}

    @pytest.mark.parametrize("name", READ_BY_HAND)
    def test_verdicts_on_real_templates(self, name):
        verdicts = Template.parse(REAL[name]).validate()
        by_line = {line: list(group) for line, group in groupby(verdicts, key=lambda verdict: verdict.line)}
        expected = SAID.get(name, {})
        assert set(by_line) == set(expected)
        for line, (codes, level, _) in expected.items():
            assert [verdict.code for verdict in by_line[line]] == codes.split()
            if level:
                assert {verdict.level for verdict in by_line[line]} == {level}

    @for_each(READ_BY_HAND)
    def test_written_as_a_template_it_is_the_same(self, name):
        template = Template.parse(REAL[name])
        written = template.format()
        again = Template.parse(written)
        assert words(again) == words(template)
        assert again.format() == written
        assert max(map(len, written.splitlines())) <= 72
        assert again.scheme == template.scheme
        assert again.status == template.status

    @for_each(READ_BY_HAND)
    def test_as_json_it_is_the_same(self, name):
        template = Template.parse(REAL[name])
        record = json.loads(json.dumps(template.to_json()))
        again = Template.from_json(record)
        assert again == template
        assert again.to_json() == record

    def test_several_templates_in_one_text(self):
        parts, starts, line = [], [], 1
        for name in READ_BY_HAND:
            text = f"\n99.9.  Next\n\n{REAL[name]}\n\n"
            parts.append(text)
            starts.append(line + 3)
            line += text.count("\n")
        templates = Template.parse_all("".join(parts))
        assert [template.scheme for template in templates] == [name.partition(".")[0] for name in READ_BY_HAND]
        for template, start, rows in zip(templates, starts, READ_BY_HAND.values(), strict=True):
            assert [field.line - start + 1 for field in template.fields] == [row[0] for row in rows]

    @pytest.mark.parametrize(("name", "form"), [("_TEMPLATE-5.4.rfc4395.txt", 11), ("_TEMPLATE-7.4.rfc7595.txt", 11)])
    def test_the_forms_themselves(self, name, form):
        (template,) = Template.parse_all(REAL[name])
        assert len({field.name for field in template.fields} & set(FIELDS)) == form == len(template.fields)

    def test_order_and_headings_are_as_in_the_form(self):
        fields = Template.parse(REAL["_TEMPLATE-5.4.rfc4395.txt"]).fields
        assert [(field.name, field.heading) for field in fields] == [
            (name, row.heading) for name, row in FIELDS.items() if row.missing is not None
        ]


class TestLayouts:
    @pytest.mark.parametrize(
        "text",
        [
            "URI scheme name: foo\nStatus: permanent\nContact: me\nthe author\n",
            "   URI scheme name: foo\n   Status: permanent\n   Contact: me\n      the author\n",
            "URI scheme name: foo\n   Status: permanent\n   Contact: me\n   the author",
            "   URI scheme name.\n      foo\n   Status.\n      permanent\n   Contact.\n      me\n      the author\n",
            "   URI scheme name\n      foo\n\n   Status\n      permanent\n\n   Contact\n      me\n      the author\n",
            "3.1.  URI Scheme Name\n\n   foo\n\n3.2.  Status\n\n   permanent\n\n3.3  Contact\n\n   me\n   the author\n",
            "A.1.  URI Scheme Name\n\nfoo\n\nA.2. Status\n\npermanent\n\nA.3. Contact\n\nme\nthe author\n\nA.3.1. More",
            "1. URI scheme name: foo\n2. Status: permanent\n3. Contact: me\n   the author\n",
            "   o  URI scheme name: foo\n   o  Status: permanent\n   o  Contact: me\n      the author\n",
            "* Scheme name : foo\r\n* STATUS: permanent\r\n* contact: me\r\n  the author\r\n",
            "\ufeffURL scheme name:\tfoo\rStatus:\tpermanent\rContact:\tme\r\tthe author\r",
            "Status: permanent\nContact: me\nthe author\nURI scheme name: foo\n",
        ],
    )
    def test_headings_in_other_layouts(self, text):
        (template,) = Template.parse_all(text)
        value = "me\nthe author\n\nA.3.1. More" if "A.3.1" in text else "me\nthe author"
        assert dict(pairs(template)) == {"name": "foo", "status": "permanent", "contact": value}

    def test_a_heading_over_two_lines(self):
        text = (
            "   URI scheme name: foo\n\n   Applications and/or protocols that use this\n      URI scheme name: Foo\n\n"
            "3.6.  Applications\n"
        )
        assert pairs(Template.parse(text)) == [("name", "foo"), ("applications", "Foo")]
        numbered = (
            "3.1. URI scheme name\n   foo\n3.2. Applications/Protocols That Use\n      This URI Scheme\n\n   Foo\n"
        )
        assert pairs(Template.parse(numbered)) == [("name", "foo"), ("applications", "Foo")]

    @pytest.mark.parametrize(
        "page_break",
        [
            "\n\n\nUthor          Standards Track          [Page 3]\n\f\nRFC 9999      The foo URI      May 2015\n\n\n",
            "\n\nUthor          Informational            [Page iv]\n\nInternet-Draft      foo       March 2011\n\n",
            "\n\n\f\nRFC 9999      The foo URI      May 2015\n\n",
        ],
    )
    def test_page_breaks_are_no_text(self, page_break):
        text = f"   URI scheme name: foo\n   Contact: me{page_break}      and you\n   References: RFC 9999\n"
        template = Template.parse(text)
        assert pairs(template) == [("name", "foo"), ("contact", "me\n\nand you"), ("references", "RFC 9999")]
        lines = text.split("\n")
        assert [lines[field.line - 1].split()[0] for field in template.fields] == ["URI", "Contact:", "References:"]

    def test_a_line_that_is_like_a_page_s_header_is_text(self):
        text = "URI scheme name: foo\nReferences:\nRFC 9999, The foo URI, May 2015\n"
        assert Template.parse(text).field("references").value == "RFC 9999, The foo URI, May 2015"

    def test_a_heading_is_nothing_else_on_its_line(self):
        text = f"   URI scheme name: foo\n\n   Status{' ' * 130}here\n      permanent\n"
        assert [field.name for field in Template.parse(text).fields] == ["name"]

    def test_a_table_of_contents_is_no_template(self):
        text = "   3.1.  URI Scheme Name  . . . . . . . 5\n   3.2.  Status . . . . . . . 5\n"
        assert Template.parse_all(text) == ()

    @pytest.mark.parametrize(
        "after",
        ["13. References\n\n   [X] Foo\n", "Authors' Addresses\n\n   Me\n   Contact: you\n", "9.  Next\n\n   a\n"],
    )
    def test_text_after_a_template_is_not_part_of_it(self, after):
        text = "   URI scheme name: foo\n\n   References: RFC 1\n   and 2.\n\n"
        template = Template.parse(text + after)
        assert template.field("references").value == "RFC 1\nand 2."
        assert template.fields[-1].end == 4

    def test_values_keep_their_lines(self):
        text = (
            '   URI scheme name: foo\n   URI scheme syntax: As\n   follows:\n\n\n      foo = "foo:"\n            bar\n'
        )
        assert Template.parse(text).field("syntax").value == 'As\nfollows:\n\n   foo = "foo:"\n         bar'

    @pytest.mark.parametrize(
        "value",
        ["tel:+1-510-6432252", "mailto:me@example.com", "Note: nothing", "The form is as follows: x", "Joe\nSelf: him"],
    )
    def test_text_with_a_colon_is_no_field(self, value):
        text = f"   URI scheme name: foo\n\n   Contact:\n\n   {value}\n".replace("\nSelf", "\n   Self")
        assert pairs(Template.parse(text)) == [("name", "foo"), ("contact", value)]

    def test_headings_further_in_are_text(self):
        text = "   URI scheme name: foo\n   Contact:\n      Status: full\n      Scheme name: x\n   Status: historical\n"
        assert pairs(Template.parse(text)) == [
            ("name", "foo"),
            ("contact", "Status: full\nScheme name: x"),
            ("status", "historical"),
        ]

    @pytest.mark.parametrize(
        "text",
        [
            "   URI scheme name: foo\n\n   Creation date: 2011\n   or so\n\n   Status: permanent\n",
            "   URI scheme name.\n     foo\n\n   Creation date.\n     2011\n     or so\n\n   Status.\n     permanent\n",
            "3.1. URI Scheme Name\n\n   foo\n\n3.2. Creation date\n\n   2011\n   or so\n\n3.3. Status\n   permanent\n",
        ],
    )
    def test_fields_that_are_not_known_are_kept(self, text):
        template = Template.parse(text)
        assert pairs(template) == [("name", "foo"), ("Creation date", "2011\nor so"), ("status", "permanent")]
        assert ("field-unknown", template.fields[1].line) in [(one.code, one.line) for one in template.validate()]
        assert text.split("\n")[template.fields[1].line - 1].find("Creation date") in {3, 5}
        assert template.format().splitlines()[-3:] == ["   Creation date:", "      2011", "      or so"]


class TestSeveral:
    TWO = "   URI scheme name: a\n   Status: permanent\n\n   URI scheme name: b\n   Status: historical\n"

    def test_a_repeated_field_begins_another_template(self):
        templates = Template.parse_all(self.TWO)
        assert [(one.scheme, one.status, one.fields[0].line) for one in templates] == [
            ("a", "permanent", 1),
            ("b", "historical", 4),
        ]
        assert Template.parse(self.TWO) == templates[0]

    def test_of_another_layout(self):
        first, last = (
            "      Scheme name: c\n      Status: permanent\n\n",
            "3.1. URI Scheme Name\n   d\n3.2. Status\n   x\n",
        )
        text = f"{first}{self.TWO}\n{last}"
        assert [one.scheme for one in Template.parse_all(text)] == ["c", "a", "b", "d"]

    def test_a_name_alone_is_a_field_twice(self):
        text = "   URI scheme name: a\n   URI scheme name: b\n   Status: permanent\n"
        (template,) = Template.parse_all(text)
        assert template.scheme == "a"
        repeated = [verdict for verdict in template.validate() if verdict.code == "field-repeated"]
        assert [(verdict.line, verdict.level) for verdict in repeated] == [(2, "error")]

    def test_a_field_twice_names_both_lines(self):
        template = Template.parse(
            "   URI scheme name: a\n\n   Status: permanent\n   Contact: x@y\n   Status: historical\n"
        )
        (verdict,) = [verdict for verdict in template.validate() if verdict.code == "field-repeated"]
        assert verdict.message == "'Status' is repeated in line 5; it is first in line 3"
        assert verdict.line == 5
        assert template.status == "permanent"


class TestVerdicts:
    def test_a_complete_template(self):
        assert found(COMPLETE) == []

    @for_each(
        product(
            ["permanent", "provisional", "historical"],
            [name for name, row in FIELDS.items() if row.missing],
            [False, True],
        )
    )
    def test_a_field_that_is_missing(self, status, name, empty):
        fields = COMPLETE | {"status": status}
        if empty:
            fields[name] = ""
        else:
            del fields[name]
        level = FIELDS[name].missing["permanent" if name == "status" else status]
        codes = [row[:2] for row in found(fields)]
        assert codes == [("field-empty" if empty else "field-missing", level)]

    def test_fields_required_by_each_status(self):
        grave = {
            status: {name for name, row in FIELDS.items() if row.missing and row.missing[status] == "error"}
            for status in ("permanent", "provisional", "historical")
        }
        assert grave["permanent"] == set(COMPLETE) - {"change_controller"}  # §5.4: "if a provisional registration"
        assert grave["provisional"] == {"name", "status", "security", "contact", "change_controller"}  # §3, §5.4
        assert grave["historical"] == {"name", "status", "contact"}  # §4, §5.4

    @pytest.mark.parametrize(
        ("status", "expected"),
        [
            ("permanent", ("security-none", "error", "RFC 4395 §2.7")),
            ("provisional", ("security-none", "error", "RFC 4395 §3")),
            ("historical", ("security-none", "warning", "RFC 4395 §7")),
        ],
    )
    @pytest.mark.parametrize(
        "value",
        [
            *(
                "None",
                "none.",
                "N/A",
                "n/a",
                "NA",
                "Not applicable.",
                "TBD",
                "TBD.",
                "To be determined",
                "TODO",
                "-",
                "?",
            ),
            *("No security issues.", "There are no known security considerations.", "No security risks are known"),
            *("None known.", "There are no security\n   implications."),
        ],
    )
    def test_security_considerations_without_content(self, status, expected, value):
        assert found(COMPLETE | {"status": status, "security": value}) == [expected]

    @pytest.mark.parametrize(
        "value",
        [
            *("See Section 5", "Those of the protocol.", "[RFC4642]", "See RFC 6940"),
            "No new security concerns except that these addresses are subject to denial-of-service attacks.",
            "There are no security considerations beyond those in RFC 3986.",
        ],
    )
    def test_security_considerations_with_content(self, value):
        assert "security-none" not in [code for code, _, _ in found(COMPLETE | {"security": value})]

    @pytest.mark.parametrize("value", ["standard", "Perm.", "full\n   permanent"])
    def test_an_unknown_status(self, value):
        assert found(COMPLETE | {"status": value}) == [("status-unknown", "error", "RFC 4395 §5.4")]

    @pytest.mark.parametrize("value", ["Permanent.", "'permanent'", "PERMANENT", "permanent (requested)"])
    def test_a_status_as_it_may_be_written(self, value):
        assert Template.parse(text_of(COMPLETE | {"status": value})).status == "permanent"

    @pytest.mark.parametrize(
        ("value", "defined"),
        [
            *(
                ('foo-URI = "foo:" host', True),
                ("<foo> ::= x", True),
                ("foo:[user@]host", True),
                ('"ws:" "//" a', True),
            ),
            *(("See Section 2.", True), ("Defined by RFC 6455", True), ("Same as for 'news'", True)),
            *(("https://example.com/foo", True), ("The name and some characters.", False), ("free text", False)),
        ],
    )
    def test_a_syntax(self, value, defined):
        codes = found(COMPLETE | {"syntax": value})
        assert codes == ([] if defined else [("syntax-undefined", "warning", "RFC 4395 §2.2")])

    @pytest.mark.parametrize("name", ["syntax", "semantics", "contact"])
    @pytest.mark.parametrize("value", ["TBD", "None.", "unknown"])
    def test_fields_that_cannot_be_none(self, name, value):
        assert [code for code, _, _ in found(COMPLETE | {name: value})] == ["field-empty"]

    def test_contacts_with_and_without_an_address(self):
        nobody = {"contact": "The author", "change_controller": "IETF"}
        unreachable = ("contact-unreachable", "warning", "RFC 4395 §5.4")
        assert found(COMPLETE | nobody) == [unreachable]
        assert found(COMPLETE | nobody | {"status": "provisional"}) == [unreachable] * 2

    def test_cited_documents_are_in_the_references(self):
        fields = COMPLETE | {"semantics": "See [FOO], [RFC3986] and [2].", "references": "[1] RFC 3986"}
        (verdict,) = Template.parse(text_of(fields)).validate()
        assert (verdict.code, verdict.message) == (
            "references-incomplete",
            "cited documents are missing from the references: [FOO], [2]",
        )
        assert found(fields | {"references": "[FOO], [2], RFC 3986"}) == []
        assert found(fields | {"references": "See Section 9."}) == []

    @pytest.mark.parametrize(
        ("status", "section"), [("provisional", "RFC 4395 §3"), ("historical", "RFC 4395 §4"), ("permanent", None)]
    )
    def test_a_specification(self, status, section):
        fields = COMPLETE | {"status": status, "security": "Do not trust them.", "references": "None"}
        expected = [("specification-none", "warning", section)] if section else []
        assert found(fields) == expected
        assert found(fields | {"applications": "A game's; proprietary."}) == (
            expected if status == "historical" else []
        )

    def test_fields_of_rfc_2717_replace_their_successors(self):
        older = {
            {"semantics": "usage", "references": "publications"}.get(name, name): value
            for name, value in COMPLETE.items()
            if name != "status"
        }
        assert found(older) == [("status-unstated", "warning", "RFC 4395 §6")]

    def test_the_form_of_rfc_7595_leaves_fields_to_the_specification(self):
        text = (
            "Scheme name: foo\nStatus: permanent\nApplications/protocols that use this scheme name: x\nContact: x@y\n"
        )
        assert [(one.code, one.level, one.section) for one in Template.parse(text).validate()] == [
            ("field-missing", "error", "RFC 7595 §7.4"),
            ("field-missing", "error", "RFC 7595 §7.4"),
            ("field-moved", "note", "RFC 7595 §7.4"),
        ]

    def test_no_template(self):
        (verdict,) = Template.parse("Nothing here.").validate()
        assert (verdict.code, verdict.level, verdict.section) == ("template-empty", "error", "RFC 4395 §5.4")


class TestNew:
    def test_it_has_every_field_and_each_is_still_to_be_filled_in(self):
        text = Template.new().format()
        again = Template.parse(text)
        assert [field.name for field in again.fields] == list(COMPLETE)
        verdicts = again.validate()
        assert {verdict.code for verdict in verdicts} == {"field-empty"}
        assert [verdict.line for verdict in verdicts] == [field.line for field in again.fields]
        assert max(map(len, text.splitlines())) <= 72

    def test_filled_in_it_is_complete(self):
        text = Template.new().format()
        for field in Template.parse(text).fields:
            indented = "\n".join(f"      {line}" for line in field.value.split("\n"))
            assert indented in text
            text = text.replace(indented, f"      {COMPLETE[field.name]}")
        assert dict(pairs(Template.parse(text))) == COMPLETE
        assert Template.parse(text).validate() == ()


class TestJson:
    def test_its_keys(self):
        record = Template.parse("   URI scheme name: foo\n   Status:\n\n      permanent\n").to_json()
        assert record == {
            "scheme": "foo",
            "status": "permanent",
            "form": "RFC 4395",
            "fields": [
                {"field": "name", "heading": "URI scheme name", "value": "foo", "lines": [1, 1]},
                {"field": "status", "heading": "Status", "value": "permanent", "lines": [2, 4]},
            ],
        }

    def test_headings_are_names_too(self):
        record = {
            "fields": [{"field": "URI Scheme Name", "value": " foo\r\n"}, {"field": "Creation date", "value": "x"}]
        }
        assert pairs(Template.from_json(record)) == [("name", "foo"), ("Creation date", "x")]

    @pytest.mark.parametrize(
        "record",
        [
            *(None, [], {}, {"fields": {}}, {"fields": [3]}, {"fields": [{"field": "name"}]}),
            *({"fields": [{"field": 1, "value": "x"}]}, {"fields": [{"field": "name", "value": None}]}),
            *({"fields": [{"field": "", "value": "x"}]}, {"fields": [{"field": "a: b", "value": "x"}]}),
            {"fields": [{"field": "name", "value": "x", "lines": [1]}]},
            {"fields": [{"field": "name", "value": "x", "lines": [True, "2"]}]},
        ],
    )
    def test_an_invalid_record(self, record):
        with pytest.raises(InvalidTemplate, match=r"template|field 1"):
            Template.from_json(record)


word = st.from_regex(r"[a-z0-9<(\"][a-zA-Z0-9.@:/>)\"=;-]{0,11}", fullmatch=True)
prose = st.lists(st.lists(word, min_size=1, max_size=5).map(" ".join) | st.just(""), min_size=1, max_size=4).map(
    lambda lines: "\n".join(lines).strip("\n")
)
#: Lines that may be part of any template, in any disorder.
line = st.builds(
    "{}{}{}{}{}".format,
    st.sampled_from(["", "   ", "      ", "\t", "  "]),
    st.sampled_from(["", "3.1. ", "3.2.  ", "4. ", "o  ", "A.1 "]),
    st.sampled_from(
        [*sorted(HEADINGS), "URI Scheme Name", "Status", "Contact", "Creation date", "some text", "[Page 3]"]
    ),
    st.sampled_from([":", ".", "", ": ", " :"]),
    prose | st.text(max_size=20),
)
disorder = st.lists(line | st.just("") | st.text(max_size=30), max_size=30).map("\n".join)


class TestProperties:
    @given(st.text() | disorder)
    def test_nothing_raises(self, text):
        for template in Template.parse_all(text):
            assert all(verdict.code in VERDICTS for verdict in template.validate())
            assert [field.line for field in template.fields] == sorted({field.line for field in template.fields})
            assert all(field.line <= field.end <= text.count("\n") + text.count("\r") + 1 for field in template.fields)
            assert Template.from_json(template.to_json()) == template

    @given(disorder)
    def test_a_written_template_is_read_again(self, text):
        for template in Template.parse_all(text):
            assume(template.field("name"))
            written = template.format()
            again = Template.parse_all(written)
            assert [words(one) for one in again] == [words(template)]
            assert again[0].format() == written
            if all(len(row) <= 66 for field in template.fields for row in field.value.split("\n")):
                assert sorted(pairs(again[0])) == sorted(pairs(template))

    @given(
        st.permutations([name for name in FIELDS if name != "name"]).flatmap(
            lambda names: st.tuples(st.just(["name", *names]), st.lists(prose, min_size=13, max_size=13))
        ),
        st.sampled_from(["   {}: {}\n\n", "   {}:\n\n      {}\n\n", "   {}.\n      {}\n", "   {}\n      {}\n\n"]),
    )
    def test_any_order_of_fields_and_every_line_of_them(self, made, layout):
        names, values = made
        fields = dict(zip(names, values, strict=True))
        text = "".join(
            layout.format(FIELDS[name].heading, value.replace("\n", "\n      ")) for name, value in fields.items()
        )
        assert [(name, value.split()) for name, value in pairs(Template.parse(text))] == [
            (name, value.split()) for name, value in fields.items()
        ]

    @given(st.lists(st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=1, max_size=30), min_size=1))
    def test_no_line_is_wider_than_72_columns(self, words):
        template = Template.from_json({"fields": [{"field": "semantics", "value": " ".join(words)}]})
        assert max(map(len, template.format().splitlines())) <= 72

    @pytest.mark.growth
    @pytest.mark.parametrize(
        "unit",
        [
            *("a", " ", "\n", "URI scheme name: a\n", "URI scheme name: a\n\n1. x\n\n", "Status\n", "Status\n\n"),
            *(
                "   Applications and/or protocols\n",
                "3.1. Scheme name\n3. x\n",
                "[RFC1]",
                '"a" ',
                "a =",
                "[Page 1",
                "\f",
            ),
            *(
                "Scheme name: a\nStatus: b\n",
                "   Foo bar:\n",
                "RFC ",
                "no security ",
                "Scheme name: a\nNew: x\nStatus: s\n",
            ),
        ],
    )
    def test_time_is_linear(self, unit):
        text = "   URI scheme name: a\n   Security considerations:\n" + unit * (100_000 // len(unit))
        with processor_limit(10):
            for template in Template.parse_all(text + "\n" + text):
                template.validate()
                template.format()
