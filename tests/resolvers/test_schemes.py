"""Resolution where the texts name the base's scheme, for each resolver."""

from __future__ import annotations

import pytest
from support.resolutions import UNRESOLVABLE

from linkfix.resolvers import resolver
from linkfix.schemes.uses import GENERIC_SYNTAX, NEVER_RELATIVE, NO_RELATIVE_FORM, RELATIVE, SPECIAL

#: The resolvers, with the older parsers' choice if the text leaves it open.
RESOLVERS = {
    "1994": resolver("fielding1994"),
    "1808": resolver("rfc1808"),
    "1808-": resolver("rfc1808", same_scheme="relative"),
    "2396": resolver("rfc2396"),
    "2396-": resolver("rfc2396", same_scheme="relative"),
    "3986": resolver("rfc3986"),
    "3986-": resolver("rfc3986", same_scheme="relative"),
    "whatwg": resolver("whatwg"),
}

#: A base of each scheme that RFC 1808 §2.3 has, of https, and of what no text names; what `g` and `scheme:g` are there:
#:   rr   both are relative               ra   `scheme:g` is absolute, and its own target
#:   -a   the same, and `g` is nothing, since the base is not fit for relative references
TABLE = """
    base                1994  1808  1808-  2396  2396-  3986  3986-  whatwg
    file:///a/b/c       rr    ra    rr     ra    rr     ra    rr     rr
    ftp://h/a/b/c       rr    ra    rr     ra    rr     ra    rr     rr
    http://h/a/b/c      rr    ra    rr     ra    rr     ra    rr     rr
    https://h/a/b/c     rr    ra    rr     ra    rr     ra    rr     rr
    nntp://h/a/b/c      rr    ra    rr     ra    rr     ra    rr     ra
    gopher://h/a/b/c    -a    ra    rr     ra    ra     ra    rr     ra
    prospero://h/a/b/c  rr    ra    rr     ra    ra     ra    rr     ra
    wais://h/a/b/c      -a    ra    rr     ra    ra     ra    rr     ra
    telnet://h/a/b/c    -a    -a    -a     ra    ra     ra    rr     ra
    mailto:a@h          -a    -a    -a     -a    -a     ra    rr     -a
    news:a.b            -a    -a    -a     -a    -a     ra    rr     -a
    magic://h/a/b/c     rr    ra    rr     ra    ra     ra    rr     ra
"""
_, *COLUMNS = TABLE.split("\n")[1].split()
CASES = [
    pytest.param(cells[0], column, cell, id=f"{cells[0].partition(':')[0]}-{column}")
    for cells in map(str.split, TABLE.strip().split("\n")[1:])
    for column, cell in zip(COLUMNS, cells[1:], strict=True)
]
BASES = {case.values[0].partition(":")[0]: case.values[0] for case in CASES}


@pytest.mark.parametrize(("base", "column", "cell"), CASES)
def test_relative_references_by_scheme(base, column, cell):
    scheme = base.partition(":")[0]
    # `g` replaces the part after the last slash, or everything if there is no slash.
    relative = base[: base.rfind("/") + 1 or len(scheme) + 1] + "g"
    found = RESOLVERS[column]
    g = found.resolve(base, "g")
    assert (g == UNRESOLVABLE) if cell[0] == "-" else (g.target == relative)
    assert found.resolve(base, f"{scheme}:g").target == (relative if cell[1] == "r" else f"{scheme}:g")


def test_every_resolver_is_in_the_table():
    assert [*RESOLVERS] == COLUMNS


def test_every_scheme_that_the_texts_speak_of_is_in_the_table():
    assert {*RELATIVE, *NO_RELATIVE_FORM} <= {*BASES}


class TestTheTexts:
    def test_fielding_1994(self):
        """The schemes that "cannot be used in relative form", "e.g." these."""
        unfit = {scheme for scheme, base in BASES.items() if not RESOLVERS["1994"].is_absolute(base)}
        assert unfit == {"gopher", "telnet", "wais", "mailto", "news"} == NO_RELATIVE_FORM

    @pytest.mark.parametrize(
        ("use", "schemes"),
        [
            ("never", {"mailto", "news", "telnet"}),
            ("sometimes", {"gopher", "prospero", "wais"}),
            ("always", {"file", "ftp", "http", "nntp"}),
        ],
    )
    def test_rfc_1808_section_2_3(self, use, schemes):
        assert {name for name, said in RELATIVE.items() if said == (use, "RFC 1808 §2.3")} == schemes
        assert {RESOLVERS["1808"].is_absolute(BASES[scheme]) for scheme in schemes} == {use != "never"}

    def test_rfc_1808_the_base_decides_for_sometimes(self):
        """They can "whenever the applicable base URL follows the generic-RL syntax": here a search, RFC 1738 §3.9."""
        assert RESOLVERS["1808"].resolve("wais://h/db?words", "g").target == "wais://h/g"

    #: RFC 2396 §1.3, "in common use": whether a base of the kind is hierarchical (§3).
    @pytest.mark.parametrize(
        ("base", "g"),
        [
            ("ftp://ftp.is.co.za/rfc/rfc1808.txt", "ftp://ftp.is.co.za/rfc/g"),
            (
                "gopher://spinaltap.micro.umn.edu/00/Weather/California/Los%20Angeles",
                "gopher://spinaltap.micro.umn.edu/00/Weather/California/g",
            ),
            (
                "http://www.math.uio.no/faq/compression-faq/part1.html",
                "http://www.math.uio.no/faq/compression-faq/g",
            ),
            ("mailto:mduerst@ifi.unizh.ch", None),
            ("news:comp.infosystems.www.servers.unix", None),
            ("telnet://melvyl.ucop.edu/", "telnet://melvyl.ucop.edu/g"),
        ],
    )
    @pytest.mark.parametrize("column", ["2396", "2396-"])
    def test_rfc_2396_the_base_decides_not_its_scheme(self, base, g, column):
        found = RESOLVERS[column]
        assert found.resolve(base, "g").target == g
        assert found.is_absolute(base) == (g is not None)
        scheme = base.partition(":")[0]
        works_around = column == "2396-" and scheme in {"ftp", "http"}
        assert found.resolve(base, f"{scheme}:g").target == (g if works_around else f"{scheme}:g")

    def test_rfc_2396_section_5_2_schemes_that_are_always_hierarchical(self):
        works_around = {s for s, base in BASES.items() if RESOLVERS["2396-"].resolve(base, f"{s}:g").target != f"{s}:g"}
        assert works_around == {"file", "ftp", "http", "https", "nntp"} == GENERIC_SYNTAX

    def test_url_standard_special_schemes(self):
        works_around = {
            s for s, base in BASES.items() if RESOLVERS["whatwg"].resolve(base, f"{s}:g").target != f"{s}:g"
        }
        assert works_around == SPECIAL.keys() & BASES.keys()

    @pytest.mark.parametrize("scheme", sorted(NEVER_RELATIVE))
    def test_never_holds_for_any_base(self, scheme):
        assert RESOLVERS["1808"].resolve(f"{scheme}://h/a/b", "g") == UNRESOLVABLE
