"""Templates with full stops after the names of fields, as RFC 4395 §5.4 prints its form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.growth import processor_limit

from linkfix.schemes import VERDICTS, Template
from linkfix.schemes.template import check_lines
from linkfix.schemes.template_reader import FIELDS, HEADINGS, read

#: The names of the fields as §5.4 prints them, and a value for each.
FORM = {
    "name": ("URI scheme name.", "lamp"),
    "status": ("Status.", "permanent"),
    "syntax": ("URI scheme syntax.", 'lamp-URI = "lamp:" 1*DIGIT'),
    "semantics": ("URI scheme semantics.", "Names a lamp by its number. Nothing is retrieved."),
    "encoding": ("Encoding considerations.", "Digits alone."),
    "applications": ("Applications/protocols that use this URI scheme name.", "Switches of lamps."),
    "interoperability": ("Interoperability considerations.", "None known."),
    "security": ("Security considerations.", "Whoever has a number can switch that lamp."),
    "contact": ("Contact.", "A. Uthor <a@example.com>"),
    "change_controller": ("Author/Change controller.", "A. Uthor <a@example.com>"),
    "references": ("References.", "RFC 3986"),
}
EXPECTED = {name: value for name, (_, value) in FORM.items()}
#: Arrangements of a name and its value.
LAYOUTS = {
    "beside": "   {} {}\n\n",
    "beside, two spaces": "   {}  {}\n\n",
    "beside, close together": "{} {}\n",
    "below, indented": "   {}\n      {}\n",
    "below, indented, apart": "   {}\n\n      {}\n\n",
    "below": "   {}\n   {}\n\n",
    "below, close together": "{}\n{}\n",
    "in a list": "   o  {} {}\n",
}


def laid_out(layout, change=str):
    return "".join(layout.format(change(name), value) for name, value in FORM.values())


def pairs(text):
    (template,) = Template.parse_all(text)
    return [(field.name, field.value) for field in template.fields]


def doubts(text):
    return [(verdict.code, verdict.line, verdict.level) for template in read(text) for verdict in check_lines(template)]


class TestTheForm:
    @pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
    def test_it_is_read(self, layout):
        text = laid_out(layout)
        assert pairs(text) == list(EXPECTED.items())
        assert Template.parse(text).validate() == ()
        assert doubts(text) == []

    @pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
    @pytest.mark.parametrize("change", [str.upper, str.lower, str.title])
    def test_in_other_case(self, layout, change):
        assert pairs(laid_out(layout, change)) == list(EXPECTED.items())

    @pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
    @pytest.mark.parametrize("mark", [" .", "  .", "\t.", ":", " :", "\t:"])
    def test_white_space_before_the_mark(self, layout, mark):
        assert pairs(laid_out(layout, lambda name: name[:-1] + mark)) == list(EXPECTED.items())

    @pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
    @pytest.mark.parametrize("end", ["\r\n", "\r"])
    def test_other_line_ends(self, layout, end):
        assert pairs(laid_out(layout).replace("\n", end)) == list(EXPECTED.items())

    @pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
    def test_a_heading_has_its_line_number(self, layout):
        text = laid_out(layout)
        lines = text.split("\n")
        for field in Template.parse(text).fields:
            assert FORM[field.name][0] in lines[field.line - 1]
            assert lines[field.end - 1].endswith(EXPECTED[field.name])

    @pytest.mark.parametrize("mark", [".", ":", " .", ""])
    @pytest.mark.parametrize("second", ["", "   ", "      "])
    @pytest.mark.parametrize("gap", [" ", "\n         "])
    def test_the_longest_name_over_two_lines(self, mark, second, gap):
        gap = gap if mark else "\n         "
        text = (
            f"   URI scheme name{mark}{gap}lamp\n\n   Applications/protocols that use this URI scheme\n"
            f"{second}name{mark}{gap}Switches.\n\n   Contact{mark}{gap}me\n"
        )
        assert pairs(text) == [("name", "lamp"), ("applications", "Switches."), ("contact", "me")]
        assert doubts(text) == []

    def test_other_names_over_two_lines(self):
        text = (
            "   Scheme name. lamp\n   Interoperability\n   considerations. None known.\n"
            "   Applications/protocols that use this\n   scheme name. Switches.\n"
        )
        assert pairs(text) == [("name", "lamp"), ("interoperability", "None known."), ("applications", "Switches.")]

    def test_the_names_of_rfc_7595(self):
        text = (
            "Scheme name. lamp\nStatus. permanent\nApplications/protocols that use this scheme name. Switches.\n"
            "Contact. A. Uthor <a@example.com>\nChange controller. IETF <iesg@ietf.org>\nReferences. RFC 3986\n"
        )
        names = ["name", "status", "applications", "contact", "change_controller", "references"]
        assert [name for name, _ in pairs(text)] == names
        assert Template.parse(text).form == "RFC 7595"

    def test_pages_of_an_rfc(self):
        page = "\n\n\nUthor        Informational        [Page 3]\n\f\nRFC 9999        Lamps        May 2015\n\n\n"
        name, contact = "   URI scheme name. lamp", "   Contact. me"
        text = f"{name}{page}   Status. permanent\n\n{contact}{page}      and you{page}   References. x\n"
        assert pairs(text) == [
            ("name", "lamp"),
            ("status", "permanent"),
            ("contact", "me\n\nand you"),
            ("references", "x"),
        ]
        assert doubts(text) == []
        lines = text.split("\n")
        assert [lines[field.line - 1].split()[0] for field in Template.parse(text).fields] == [
            *("URI", "Status.", "Contact.", "References.")
        ]

    def test_form_feeds_alone(self):
        assert pairs("\f   URI scheme name. lamp\n\f\n   Status. permanent\f\n") == [
            ("name", "lamp"),
            ("status", "permanent"),
        ]

    def test_sections_with_numbers(self):
        text = "1. URI scheme name. lamp\n2. Status. permanent\n3. Contact. me\n   the author\n"
        assert pairs(text) == [("name", "lamp"), ("status", "permanent"), ("contact", "me\nthe author")]

    def test_values_of_several_lines(self):
        text = (
            "   URI scheme name. lamp\n\n   Security considerations. Many.\n   They follow.\n\n      1. One\n\n"
            "   And more.\n\n   Contact. me\n      the author\n"
        )
        assert pairs(text) == [
            ("name", "lamp"),
            ("security", "Many.\nThey follow.\n\n   1. One\n\nAnd more."),
            ("contact", "me\nthe author"),
        ]

    def test_several_templates_in_one_text(self):
        text = "   URI scheme name. a\n   Status. permanent\n\n   URI scheme name. b\n   Status. historical\n"
        other = "   URI scheme name: c\n   Status: historical\n\n"
        found = Template.parse_all(f"{other}{text}\n{other}")
        assert [(one.scheme, one.status) for one in found] == [
            *(("c", "historical"), ("a", "permanent"), ("b", "historical"), ("c", "historical"))
        ]

    def test_without_a_name(self):
        text = "Status. permanent\nContact. me\n"
        assert pairs(text) == [("status", "permanent"), ("contact", "me")]
        assert "field-missing" in {verdict.code for verdict in Template.parse(text).validate()}

    @pytest.mark.parametrize(
        "text",
        [
            "   A scheme has a\n   URI scheme name. This is registered.\n\n   It has a text.\n",
            "   The form has a status.\n   Contact. The end.\n",
            "   3.1.  URI Scheme Name . 5\n   3.2.  Status  . . . . 5\n   3.3.  Contact ..... 6\n",
            "URI scheme name .html\nStatus.html\n",
        ],
    )
    def test_text_that_is_no_template(self, text):
        assert Template.parse_all(text) == ()


class TestBeginningsOfFields:
    """A name begins a line, at the indentation of the first name of its template."""

    @pytest.mark.parametrize(
        "value",
        [
            "It is switched. Status. It has none. Contact. None.",
            "It is switched.\n      Status. It has none.",
            "It is switched.\n\n      Status. It has none.\n      Contact: none",
            "It is switched.\n    Status. It has none.",
            "Many.\n   It is a lamp among lamps, and each of them has the very same\n   status. It has none.",
            "It is a lamp, and has the very same\n   status. It has none.",
            "Some of those lamps have the same\n   URI scheme name. It is theirs.",
            "It is a lamp.\n   It is switched by whoever has got its number, and has no other\n   contact.\n\n   So.",
            "It is a lamp, as in Status. x",
            "It has a\n   status.html of its own.",
        ],
    )
    def test_running_text_is_no_field(self, value):
        text = f"   URI scheme name. lamp\n   Security considerations. {value}\n   References. RFC 3986\n"
        (template,) = Template.parse_all(text)
        assert [field.name for field in template.fields] == ["name", "security", "references"]
        assert template.fields[1].value.split() == value.split()

    def test_a_value_that_begins_with_a_name(self):
        text = (
            "   URI scheme name. lamp\n   Security considerations. Status. It has none.\n   Contact.\n      Status. x\n"
        )
        assert pairs(text) == [("name", "lamp"), ("security", "Status. It has none."), ("contact", "Status. x")]

    @pytest.mark.parametrize(
        "before",
        [
            "Many",
            "Many.\n   And more",
            "Many\n      deeper",
            "Many\n",
            "Many of them, and of others that are like them",
        ],
    )
    def test_a_name_at_the_beginning_of_a_line_is_a_field(self, before):
        text = f"   URI scheme name. lamp\n   Security considerations. {before}\n   Status. permanent\n"
        assert [name for name, _ in pairs(text)] == ["name", "security", "status"]

    @pytest.mark.parametrize("name", ["URI scheme syntax", "uri scheme syntax", "status", "STATUS"])
    @pytest.mark.parametrize("first", ["Security considerations. Many.\n   Lamps", "Security considerations. Lamps"])
    def test_a_name_that_continues_the_sentence_of_a_full_line_is_text(self, name, first):
        for more, field in {"": False, ".": True, ",": False, ")": True, "short": True}.items():
            before, _, last = f"   {first}".rpartition("\n")
            full = before + "\n" * bool(before) + last.ljust(60, "s")
            line = full[:-1] if more == "short" else full + more
            text = f"   URI scheme name. lamp\n{line}\n   {name}. x\n"
            assert len(pairs(text)) == 2 + field
            assert doubts(text) == ([] if field else [("line-unknown", text.count("\n"), "note")])

    def test_with_colons_a_full_stop_begins_none(self):
        text = "   URI scheme name: lamp\n   Contact: me\n   Status. It has none.\n   References: x\n"
        assert pairs(text) == [("name", "lamp"), ("contact", "me\nStatus. It has none."), ("references", "x")]
        assert doubts(text) == [("line-unknown", 3, "note")]

    def test_with_colons_a_full_stop_does_not_set_the_indentation(self):
        text = "URI scheme name: lamp\n   Status: permanent\n   Contact: me\n\nStatus. It has none.\nAt all.\n"
        assert pairs(text) == [("name", "lamp"), ("status", "permanent"), ("contact", "me")]

    def test_with_full_stops_a_colon_begins_a_field(self):
        assert pairs("URI scheme name. lamp\nStatus: permanent\n") == [("name", "lamp"), ("status", "permanent")]


class TestDoubtfulLines:
    @pytest.mark.parametrize(
        ("text", "line"),
        [
            ("URI scheme name. lamp\nCreation date. 2011\nURI scheme syntax. x\n", 2),
            ("URI scheme name. lamp\n\nCreation date. 2011\n\nStatus. permanent\n", 3),
            ("URI scheme name. lamp\nStatus. permanent\nSecurity consideration. None\nContact. me\n", 3),
            ("URI scheme name. lamp\n\nCreation date: 2011\n\nStatus. permanent\n", 3),
            ("URI scheme name. lamp\nContact. me\nand you\nCreation date. 2011\nStatus. permanent\n", 4),
            ("URI scheme name: lamp\nCreation date: 2011\nVersion: 3\nStatus: permanent\n", 3),
            ("URI scheme name: lamp\n\nStatus. permanent\n\nContact: me\n", 3),
        ],
    )
    def test_a_line_like_a_field_in_a_value(self, text, line):
        assert doubts(text) == [("line-unknown", line, "note")]
        (template,) = read(text)
        (one,) = template.doubtful
        assert text.split("\n")[line - 1].startswith(one.heading)
        assert one.field.line < line <= one.field.end
        assert one.field in template.fields

    @pytest.mark.parametrize(
        "text",
        [
            "   URI scheme name. lamp\n\n   Contact.\n      Creation date. 2011\n      Version: 3\n",
            "   URI scheme name. lamp\n\n   Contact. me, who has written so much of all that is said.\n   The end. x\n",
            "   URI scheme name. lamp\n\n   Contact. me\n\n   Dr. Uthor. None. And so on. It is so. See below.\n",
            "   URI scheme name. lamp\n\n   Contact. me\n\n   mailto:a@example.com\n   https://example.com/. x\n",
            "   URI scheme name: lamp\n\n   Contact: me\n\n   Second paragraph. It goes on.\n",
            "   URI scheme name. lamp\n\n   Contact.\n\n   Somebody else. Or me.\n",
            "   URI scheme name. lamp\n\n   Contact. me\n\n   Whoever has got a lamp. Or two.\n",
        ],
    )
    def test_other_lines_have_no_verdict(self, text):
        assert doubts(text) == []

    @pytest.mark.parametrize(
        ("before", "line", "message"),
        [
            ("Title\n", 1, "line 1 comes before"),
            ("\n\nTitle\n\n  Of it\n\n", 3, "lines 3 to 5 come before"),
            ("URI-scheme = lamp\n", 1, "line 1 comes before"),
            ("\ufeff\n \n", 0, ""),
            ("Uthor      Informational      [Page 2]\n\f\nRFC 9999      Lamps      May 2015\n\n", 0, ""),
        ],
    )
    @pytest.mark.parametrize("mark", [".", ":"])
    def test_text_before_the_first_field(self, before, line, message, mark):
        text = f"{before}URI scheme name{mark} lamp\nStatus{mark} permanent\n"
        found = [verdict for template in read(text) for verdict in check_lines(template)]
        assert [(one.code, one.line, one.level) for one in found] == ([("text-before", line, "note")] if line else [])
        assert all(one.message.startswith(message) for one in found)
        assert pairs(text)[-2:] == [("name", "lamp"), ("status", "permanent")]

    def test_text_before_is_reported_only_for_the_first_template(self):
        text = "Title\n\n   URI scheme name. a\n   Status. x\n\nText\n\n   URI scheme name. b\n   Status. x\n"
        assert [template.before for template in read(text)] == [(1, 1), (0, 0)]


#: A line of a template with full stops, or of anything else.
NAMES = [*(name for name, _ in FORM.values()), *sorted(HEADINGS), "Creation date", "The end of the", "name", "3.1."]
LINE = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "", "   ", "   ", "      ", "\t", "o  ", "3.1. ", "4.  ", "\f"]),
    st.sampled_from(NAMES),
    st.sampled_from(["", ".", ". ", " . ", ":", ": ", "..", " .  . . 5", ".\n      ", ".\n   "]),
    st.sampled_from(["", "lamp", "Status. It has none.", "See: RFC 3986. It is so.", "of the"]) | st.text(max_size=12),
)
DISORDER = st.lists(LINE | st.just("") | st.text(max_size=20), max_size=25).flatmap(
    lambda lines: st.sampled_from(["\n", "\r\n", "\r"]).map(lambda end: end.join(lines))
)


class TestProperties:
    @given(DISORDER)
    def test_nothing_raises(self, text):
        lines = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
        templates = read(text)
        for one in templates:
            template = Template(one.fields)
            assert all(verdict.code in VERDICTS for verdict in (*template.validate(), *check_lines(one)))
            assert [field.line for field in one.fields] == sorted({field.line for field in one.fields})
            assert all(field.line <= field.end <= lines for field in one.fields)
            assert not {line.line for line in one.doubtful} & {field.line for field in one.fields}
        assert tuple(Template(one.fields) for one in templates) == Template.parse_all(text)

    @given(DISORDER)
    def test_a_formatted_template_is_read_back(self, text):
        for template in Template.parse_all(text):
            if template.field("name"):
                written = template.format()
                (again,) = Template.parse_all(written)
                assert sorted((one.name, one.value.split()) for one in again.fields) == sorted(
                    (one.name, one.value.split()) for one in template.fields
                )
                assert again.format() == written

    @given(st.permutations(list(FORM)), st.sampled_from(list(LAYOUTS.values())), st.booleans())
    def test_any_order_of_fields(self, names, layout, lower):
        names = ["name", *(name for name in names if name != "name")]
        text = "".join(
            layout.format(FORM[name][0].lower() if lower else FORM[name][0], EXPECTED[name]) for name in names
        )
        assert pairs(text) == [(name, EXPECTED[name]) for name in names]

    def test_a_blank_template_with_full_stops(self):
        text = Template.new().format()
        for rule in FIELDS.values():
            text = text.replace(f"   {rule.heading}:\n", f"   {rule.heading}.\n")
        assert Template.parse(text) == Template.new() or Template.parse(text).format() == Template.new().format()

    @pytest.mark.growth
    @pytest.mark.parametrize(
        "unit",
        [
            *("URI scheme name. a\n", "URI scheme name. a\n\n", "Status. x\n", "status.\n", "Creation date. x\n\n"),
            *("   Status. x\n", "Applications/protocols that use this URI scheme\n", "Security\nconsiderations. x\n"),
            *("Foo: x\n", " .", ". ", "Status . ", "of the\nURI scheme name. a\n", "1. URI scheme name. a\n"),
        ],
    )
    def test_time_is_linear(self, unit):
        text = "   URI scheme name. a\n   Security considerations.\n" + unit * (100_000 // len(unit))
        with processor_limit(10):
            for template in (*read(text + "\n" + text), *read(unit * (100_000 // len(unit)))):
                check_lines(template)
