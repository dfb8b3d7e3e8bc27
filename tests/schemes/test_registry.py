from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.each import for_each
from support.growth import processor_limit
from support.vectors import table

from linkfix import schemes
from linkfix.comparison import distance
from linkfix.schemes import REGISTRY_DATE, Registry, Scheme, lookup, near, search
from linkfix.schemes.registry import packaged_registry
from linkfix.schemes.uses import UNREGISTERED

NAMES = [scheme.name for scheme in packaged_registry()]


class TestTheData:
    def test_number_of_schemes_by_status(self):
        by_status = dict.fromkeys(("permanent", "provisional", "historical"), 0)
        for scheme in packaged_registry():
            by_status[scheme.status] += 1
        assert by_status == {"permanent": 98, "provisional": 264, "historical": 17}

    def test_every_row_of_the_registry_is_found(self):
        rows = table("uri-schemes")
        assert len(rows) == len(packaged_registry())
        for row in rows:
            name, _, remark = row["URI Scheme"].partition(" ")
            scheme = lookup(name)
            assert scheme is not None
            assert scheme.name == name
            assert scheme.status == row["Status"].lower()
            assert scheme.description.split() == row["Description"].split()
            assert scheme.template == row["Template"]
            for said, cell in ((scheme.reference, "Reference"), (scheme.well_known, "Well-Known URI Support")):
                assert said == re.sub(r"https://www.rfc-editor.org/rfc/rfc(\d+)\.html", r"RFC \1", row[cell])
            assert scheme.notes == remark.strip("()")

    def test_the_date_and_the_source_are_known(self):
        assert REGISTRY_DATE == packaged_registry().date == "2024-04"
        assert packaged_registry().source == "iana-uri-schemes-2024-04.csv"

    @pytest.mark.growth
    def test_it_is_read_quickly(self):
        packaged_registry.cache_clear()
        with processor_limit(0.05):
            packaged_registry()


class TestLookup:
    def test_a_row(self):
        assert lookup("ws") == Scheme(
            "ws", "permanent", "WebSocket connections", reference="RFC 6455", well_known="RFC 8307"
        )

    @pytest.mark.parametrize("name", ["mailto", "MAILTO", "MailTo"])
    def test_case_is_ignored(self, name):
        assert lookup(name).name == "mailto"

    def test_a_name_that_was_registered_with_capitals(self):
        found = lookup("machineprovisioningprogressreporter")
        assert found is lookup("machineProvisioningProgressReporter")
        assert found.name == "machineProvisioningProgressReporter"

    def test_a_remark_is_no_part_of_a_name(self):
        assert lookup("shttp").notes == "OBSOLETE"
        assert lookup("shttp (OBSOLETE)") is None

    @pytest.mark.parametrize("name", ["", "foo", "http:", " http", "s\u212aype", "ſms", "http\n", "javascript"])
    def test_unknown_names(self, name):
        assert lookup(name) is None


#: scheme -> relative, its section, hierarchical, special, default port.
SAID = {
    "http": ("always", "RFC 1808 §2.3", True, True, 80),
    "https": ("always", "RFC 2818 §2.4", True, True, 443),
    "file": ("always", "RFC 1808 §2.3", True, True, None),
    "ftp": ("always", "RFC 1808 §2.3", True, True, 21),
    "nntp": ("always", "RFC 1808 §2.3", True, False, 119),
    "ws": ("", "", True, True, 80),
    "wss": ("", "", True, True, 443),
    "gopher": ("sometimes", "RFC 1808 §2.3", True, False, 70),
    "prospero": ("sometimes", "RFC 1808 §2.3", True, False, 1525),
    "wais": ("sometimes", "RFC 1808 §2.3", True, False, 210),
    "mailto": ("never", "RFC 1808 §2.3", False, False, None),
    "news": ("never", "RFC 1808 §2.3", None, False, None),
    "telnet": ("never", "RFC 1808 §2.3", True, False, 23),
    "sip": ("", "", False, False, None),
    "dns": ("", "", None, False, None),
}


@pytest.mark.parametrize("name", SAID)
def test_facts_of_the_texts_about_schemes(name):
    scheme = lookup(name)
    said = (scheme.relative, scheme.relative_section, scheme.hierarchical, scheme.special, scheme.default_port)
    assert said == SAID[name]


class TestSearch:
    @pytest.mark.parametrize(
        ("words", "names"),
        [
            ("gopher", ["gopher"]),
            ("Mail Protocol", ["mupdate"]),
            ("ELECTRONIC mail", ["mailto"]),
            ("coaps", ["coaps", "coaps+tcp", "coaps+ws"]),
            ("z39.50", ["z39.50", "z39.50r", "z39.50s"]),
            ("usenet", ["news", "nntp"]),
            ("no such thing", []),
        ],
    )
    def test_every_word_is_in_name_or_description(self, words, names):
        assert [scheme.name for scheme in search(words)] == names

    def test_names_come_before_descriptions(self):
        found = [scheme.name for scheme in search("http")]
        assert found[:2] == ["http", "https"]
        assert found.index("shttp") < found.index("ipps")  # "Internet Printing Protocol over HTTPS"

    def test_without_words_it_is_all_of_them(self):
        assert [scheme.name for scheme in search(" ")] == NAMES


NEAR = {
    "htpp": "http",
    "htttps": "https",
    "hhtps": "https",
    "HTPP": "http",
    "mialto": "mailto",
    "mailt": "mailto",
    "fpt": "ftp",
    "tle": "tel",
    "magnett": "magnet",
    "javascritp": "javascript",
    "jvascrpt": "javascript",  # two slips in a long name
    "chrome-extenson": "chrome-extension",
    "whatsap": "whatsapp",
    # too far, or too short to tell
    "jvscrpt": None,
    "category": None,
    "ht": None,
    "xmp": None,
    "foo": None,
    "": None,
    # known already
    "http": None,
    "JavaScript": None,
    "wais": None,
    # a historical scheme is not meant
    "modm": None,
    # no name at all
    "mаilto": None,  # the second letter is Cyrillic
    "http" * 20: None,
}


class TestNear:
    @pytest.mark.parametrize("name", NEAR)
    def test_the_similar_name(self, name):
        assert near(name) == NEAR[name]

    @for_each([*NAMES, *UNREGISTERED])
    def test_known_names_have_no_similar_name(self, name):
        assert near(name) is None

    @given(st.sampled_from([*NAMES, *UNREGISTERED]), st.data())
    def test_a_doubled_letter_is_one_edit(self, name, data):
        """It leads back to the name, or to one that is as near."""
        if len(name) < 4 or (lookup(name) and lookup(name).status == "historical"):
            return
        at = data.draw(st.integers(0, len(name) - 1))
        slip = name[:at] + name[at] + name[at:]
        meant = near(slip)
        if lookup(slip) or slip in UNREGISTERED:
            assert meant is None
        else:
            assert distance(meant, slip.lower(), 2) == 1

    @pytest.mark.growth
    @pytest.mark.parametrize("name", ["a" * 40, "ms-settings-" * 3, "a" * 10_000_000, "é" * 10_000_000])
    def test_no_name_takes_long(self, name):
        with processor_limit(0.5):
            assert near(name) is None


def test_a_registry_of_ones_own():
    own = Registry([Scheme("Aaa", "permanent"), Scheme("bbbb", "historical")], "2030-01", "own.csv")
    assert [one.name for one in own] == ["Aaa", "bbbb"]
    assert len(own) == 2
    assert own.lookup("aaa") == own.lookup("AAA") == Scheme("Aaa", "permanent")
    assert own.near("bbb") is None
    assert own.near("htpp") == "http"  # which is in use, whoever registered it
    assert [one.name for one in own.search("b")] == ["bbbb"]


def test_other_names_are_refused():
    with pytest.raises(AttributeError, match=r"module 'linkfix\.schemes\.registry' has no attribute 'DATE'"):
        _ = schemes.registry.DATE
    with pytest.raises(AttributeError, match=r"module 'linkfix\.schemes' has no attribute 'look_up'"):
        _ = schemes.look_up


def test_the_package_exports_the_names_of_its_modules():
    assert sorted(schemes.__all__) == sorted(" ".join(schemes._MODULES.values()).split())
    assert {*schemes.__all__} <= {*dir(schemes)}


@pytest.mark.parametrize(
    "function",
    [
        *(schemes.lookup, schemes.search, schemes.near, schemes.check_name, schemes.check_uri),
        *(schemes.Template.parse, schemes.Template.parse_all),
    ],
)
@pytest.mark.parametrize(("wrong", "given"), [(b"http", "bytes: decode it first"), (None, "NoneType"), ([], "list")])
def test_a_name_is_a_str(function, wrong, given):
    with pytest.raises(TypeError, match=rf"^the \w+ must be a str, not {given}$"):
        function(wrong)
