from __future__ import annotations

from array import array

import pytest
from support.growth import processor_limit

from linkfix.auditing import FragmentReferences
from linkfix.auditing.fragments import Script, check_fragments
from linkfix.auditing.model import PageFacts, RedirectPage
from linkfix.auditing.rule import FragmentResult, FragmentStatus


def page(name, *ids, wants=(), media_type="text/html", **more):
    """Facts of a page with these ids, that wants (number of a file, fragment)."""
    fragments = None
    if wants:
        files = array("i", (number for number, _ in wants))
        fragments = FragmentReferences(
            files, b"\0".join(fragment.encode() for _, fragment in wants), array("i", [1] * len(files))
        )
    joined = b"\0".join(one if isinstance(one, bytes) else one.encode() for one in ids)
    return PageFacts(name, 1, 1, ids=joined, media_type=media_type, fragments=fragments, **more)


def redirect(number, *, carries=False):
    return RedirectPage(number, "", "", carries)


def checked(pages, scripts=None):
    numbers = {one.name: number for number, one in enumerate(pages)}
    return check_fragments(pages, numbers, lambda name: [Script(*one) for one in (scripts or {}).get(name, ())])


def fate(fragment, *ids, script="", file="", **about):
    """The result for a fragment of a page with these ids."""
    found = checked([page("from", wants=[(1, fragment)]), page("to", *ids, **about)], {"to": [(file, script)]})
    return found.get((1, fragment.encode()), FragmentResult(FragmentStatus.FOUND))


class TestPotentialIndicatedElement:
    """HTML §7.4.6.3: the fragment as it stands; then percent-decoded; then "top", ASCII case-insensitively."""

    @pytest.mark.parametrize(
        ("fragment", "ids"),
        [
            ("part", ["part"]),
            ("a%20b", ["a%20b"]),
            ("a%20b", ["a b"]),
            ("Gr%C3%BC%C3%9Fe", ["Grüße"]),
            ("gr%c3%bc%c3%9fe", ["grüße"]),
            ("%70art", ["part"]),
            ("100%", ["100%"]),
            ("%zz", ["%zz"]),
            ("%2520", ["%20"]),
            ("%FF", ["\ufffd"]),
            ("top", []),
            ("TOP", []),
            ("%54op", []),
            ("Part", ["part", "Part"]),
        ],
    )
    def test_is_there(self, fragment, ids):
        assert fate(fragment, *ids).status is FragmentStatus.FOUND

    @pytest.mark.parametrize(
        ("fragment", "ids"),
        [
            ("part", []),
            ("part", ["Part"]),
            ("PART", ["part"]),
            ("part", ["part "]),
            ("a+b", ["a b"]),
            ("%252520", ["%20"]),
            ("par", ["part"]),
            ("tops", []),
            ("%00", []),
        ],
    )
    def test_is_not_there(self, fragment, ids):
        assert fate(fragment, *ids).status is FragmentStatus.NOT_FOUND

    def test_a_similar_id_is_suggested(self):
        assert fate("Part%201", "part-1").suggestion == ("part-1", True)
        assert fate("instalation", "Installation", "installatiom").suggestion is None
        assert fate("instalation", "installation").suggestion == ("installation", False)


class TestOtherTypesThanHtml:
    @pytest.mark.parametrize(
        "fragment",
        ["svgView(viewBox(0,0,1,1))", "xywh=1,2,3,4", "t=10", "track=a", "id=x", "only-dark", "gh-light-mode-only"],
    )
    def test_fragments_of_images(self, fragment):
        assert fate(fragment, media_type="image/svg+xml").status is FragmentStatus.PART_OF_MEDIA
        assert fate(fragment).status is FragmentStatus.NOT_FOUND

    def test_ids_of_images(self):
        assert fate("icon", "icon", media_type="image/svg+xml").status is FragmentStatus.FOUND
        for fragment in ("none", "only-darker", "only"):
            assert fate(fragment, "icon", media_type="image/svg+xml").status is FragmentStatus.NOT_FOUND

    def test_style_sheets(self):
        assert fate("default#VML", media_type="text/css").status is FragmentStatus.NOT_A_PAGE

    def test_files_that_are_no_pages(self):
        numbers = {"from": 0}
        found = check_fragments([page("from", wants=[(7, "page=2")])], numbers, lambda _: "")
        assert found == {(7, b"page=2"): FragmentResult(FragmentStatus.NOT_A_PAGE)}

    def test_pages_that_could_not_be_read(self):
        assert fate("x", unread="Permission denied").status is FragmentStatus.UNREAD
        assert fate("x", unread="larger than 10 bytes", is_too_large=True).status is FragmentStatus.TOO_LARGE

    def test_pages_that_programs_add_to(self):
        assert fate("x", "y", is_generated=True).status is FragmentStatus.GENERATED
        assert fate("y", "y", is_generated=True).status is FragmentStatus.FOUND


class TestRangesOfLines:
    IDS = ("3", "7", "L3", "L7", "line-3", "line-7", "c3", "chapter")

    @pytest.mark.parametrize("fragment", ["3-7", "7-3", "3-3", "L3-L7", "L3-7"])
    def test_both_ends_are_there(self, fragment):
        assert fate(fragment, *self.IDS).status is FragmentStatus.FOUND_LINES

    @pytest.mark.parametrize(
        "fragment",
        ["3-8", "8-7", "L3-L8", "3-L7", "c3-7", "chapter-2", "chapter-3-7", "3-", "-3", "3-7-9", "3–7", "%4C3-7"],
    )
    def test_invalid_ranges_are_not_found(self, fragment):
        assert fate(fragment, *self.IDS).status is FragmentStatus.NOT_FOUND

    def test_a_range_that_is_an_id(self):
        assert fate("3-7", "3-7").status is FragmentStatus.FOUND


class TestRedirectPages:
    @pytest.mark.parametrize(
        ("carries", "told"), [(True, FragmentStatus.FOUND_AFTER_REDIRECT), (False, FragmentStatus.LOST_IN_REDIRECT)]
    )
    def test_to_a_page_that_has_it(self, carries, told):
        pages = [
            page("from", wants=[(1, "x"), (1, "top")]),
            page("old", redirect=redirect(2, carries=carries)),
            page("new", "x"),
        ]
        assert checked(pages) == {(1, b"x"): FragmentResult(told, "new")}

    def test_that_has_it_itself(self):
        pages = [page("from", wants=[(1, "x")]), page("old", "x", redirect=redirect(2)), page("new")]
        assert checked(pages) == {}

    def test_to_a_page_that_does_not_have_it(self):
        pages = [page("from", wants=[(1, "X")]), page("old", redirect=redirect(2)), page("new", "x")]
        assert checked(pages) == {(1, b"X"): FragmentResult(FragmentStatus.NOT_FOUND, "new", ("x", True))}

    @pytest.mark.parametrize("lost", [None, 0, 3])
    def test_a_chain_carries_if_all_of_it_does(self, lost):
        chain = [page(f"{n}", redirect=redirect(n + 1, carries=n != lost)) for n in range(5)]
        pages = [*chain, page("5", "x"), page("from", wants=[(0, "x"), (2, "x")])]
        whole = FragmentStatus.FOUND_AFTER_REDIRECT if lost is None else FragmentStatus.LOST_IN_REDIRECT
        rest = FragmentStatus.FOUND_AFTER_REDIRECT if lost in {None, 0} else FragmentStatus.LOST_IN_REDIRECT
        assert checked(pages) == {(0, b"x"): FragmentResult(whole, "5"), (2, b"x"): FragmentResult(rest, "5")}

    @pytest.mark.parametrize(
        ("hops", "told"), [(20, FragmentStatus.FOUND_AFTER_REDIRECT), (21, FragmentStatus.IN_A_CIRCLE)]
    )
    def test_a_chain_is_followed_as_far_as_browsers_do(self, hops, told):
        chain = [page(f"{n}", redirect=redirect(n + 1, carries=True)) for n in range(hops)]
        pages = [*chain, page("end", "x"), page("from", wants=[(0, "x")])]
        assert checked(pages)[0, b"x"].status is told

    def test_a_circle(self):
        pages = [page("a", redirect=redirect(1), wants=[(0, "x")]), page("b", redirect=redirect(0))]
        assert checked(pages) == {(0, b"x"): FragmentResult(FragmentStatus.IN_A_CIRCLE)}

    @pytest.mark.parametrize(
        ("end", "status"),
        [
            (None, FragmentStatus.LEFT_THE_SITE),
            (page("new", unread="Permission denied"), FragmentStatus.UNREAD),
            (page("new", media_type="text/css"), FragmentStatus.NOT_A_PAGE),
        ],
        ids=["no page", "unread", "css"],
    )
    def test_to_a_file_without_ids(self, end, status):
        pages = [page("from", wants=[(1, "x"), (1, "top")]), page("old", redirect=redirect(2 if end else -1))]
        assert checked([*pages, *([end] if end else [])]) == {(1, b"x"): FragmentResult(status)}

    @pytest.mark.growth
    def test_many_redirects_to_one_large_page_are_checked_quickly(self):
        count = 2000
        ids = [f"section-{'abcdefghij'[n % 10]}-{n}" for n in range(5000)]
        pages = [page(f"{n}", redirect=redirect(count)) for n in range(count)]
        pages += [page("large", *ids), page("from", wants=[(n, f"other-{n}") for n in range(count)])]
        with processor_limit(5):
            assert {one.redirected_to for one in checked(pages).values()} == {"large"}


class TestScripts:
    @pytest.mark.parametrize(
        "script",
        ['open("#tab")', "open('#tab')", "open(`#tab`)", "it's; open('#tab')", 'if (location.hash == "#" + "tab")'],
    )
    def test_name_it(self, script):
        assert fate("tab", script=script).status is FragmentStatus.ONLY_IN_SCRIPT
        assert fate("%74ab", script=script).status is FragmentStatus.ONLY_IN_SCRIPT

    @pytest.mark.parametrize(
        "script",
        ["", "open('tab')", "open('#tab2')", "open('#TAB')", "open(\"#tab')", "// #tab", "location.hash = tab"],
    )
    def test_do_not(self, script):
        assert fate("tab", script=script).status is FragmentStatus.NOT_FOUND

    @pytest.mark.parametrize("fragment", ["/guide", "!guide", "!/guide", "/"])
    @pytest.mark.parametrize("file", ["", "js/app.js"])
    def test_that_follow_fragments_have_routes(self, fragment, file):
        found = fate(fragment, script="addEventListener('hashchange', f)", file=file)
        assert (found.status, found.script) == (FragmentStatus.ONLY_IN_SCRIPT, file)
        assert fate(fragment, script="addEventListener('click', f)", file=file).status is FragmentStatus.NOT_FOUND

    @pytest.mark.parametrize(
        "script",
        [
            "e.id = 'tab'",
            "e.setAttribute('id', \"tab\")",
            "html = '<p id=\"tab\">'",
            "$(e).attr('id', 'tab')",
            "h('p', {id: 'tab', key: 1})",
            'html = "<p id=\\"tab\\">"',
        ],
    )
    def test_in_files_that_set_ids(self, script):
        assert fate("tab", script=script, file="a.js").script == "a.js"
        assert fate("tab2", script=script, file="a.js").status is FragmentStatus.NOT_FOUND

    @pytest.mark.parametrize(
        "script", ["open('#tab')", "location.hash == 'tab'", "e.id = 'b'; show('tab')", "valid = 'tab'"]
    )
    def test_in_files_that_set_none(self, script):
        assert fate("tab", script=script, file="a.js").status is FragmentStatus.NOT_FOUND

    def test_are_read_once_and_only_if_a_fragment_is_missing(self):
        asked = []

        def scripts(name):
            asked.append(name)
            return []

        pages = [page("from", wants=[(0, "top"), (1, "x"), (1, "y"), (1, "z")]), page("to", "z"), page("other")]
        found = check_fragments(pages, {one.name: number for number, one in enumerate(pages)}, scripts)
        assert set(found) == {(1, b"x"), (1, b"y")}
        assert asked == ["to"]

    @pytest.mark.growth
    @pytest.mark.parametrize("script", ["call('x', \"#y\"); ", ".id=", "id: 'x", '"id",', "hashchang", ".id   "])
    @pytest.mark.parametrize("file", ["", "a.js"])
    def test_many_fragments_and_a_large_script_are_checked_quickly(self, script, file):
        wants = [(1, f"/lost{n}") for n in range(20_000)]
        scripts = {"to": [(file, script * 200_000)]}
        with processor_limit(10):
            assert len(checked([page("from", wants=wants), page("to")], scripts)) == len(wants)


def test_a_missing_fragment_has_one_result_for_all_pages():
    pages = [page(f"{n}", wants=[(3, "x"), (3, "y")]) for n in range(3)]
    assert set(checked([*pages, page("to", "y")])) == {(3, b"x")}


class TestPagesInUtf8ThatDoNotSaySo:
    """HTML §13.2.3.2: browsers assume windows-1252 in most of the world."""

    @pytest.mark.parametrize("fragment", ["Grüße", "Gr%C3%BC%C3%9Fe"])
    def test_an_id_that_would_be_found(self, fragment):
        result = fate(fragment, "GrÃ¼ÃŸe", encoding="windows-1252")
        assert (result.status, result.misread_as) == (FragmentStatus.NOT_FOUND, "windows-1252")
        assert result.suggestion is None

    @pytest.mark.parametrize(("fragment", "found"), [("Gru", "GrÃ¼"), ("Grü", "Gru"), ("x", "y")])
    def test_other_ids(self, fragment, found):
        assert not fate(fragment, found, encoding="windows-1252").misread_as

    def test_declared_encodings(self):
        assert not fate("Grü", "GrÃ¼").misread_as
