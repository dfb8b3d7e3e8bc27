from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.audit_trees import write
from support.growth import processor_limit

from linkfix import Document
from linkfix.auditing import AuditOptions, DestinationKind, Hint, Site, audit
from linkfix.auditing.interpretation import destination_of
from linkfix.auditing.rule import AuditedLink, AuditedPage
from linkfix.auditing.suggestions import (
    IdSuggestions,
    OneEditIndex,
    closest,
    encoded_signs,
    reference_to,
    signs_hint,
    suggest_file,
    with_file_case,
)

SHORT = st.text(alphabet="ab1", max_size=6)


def seen(reference, *files, page="docs/page.html", url="https://h/", head=""):
    """A reference in a page of a tree with these files."""
    names = sorted({page, *files})
    folders = {"", *(name[:end] for name in names for end in range(len(name)) if name[end] == "/")}
    site = Site(url, names, folders)
    document = Document(f"{head}<a href='{reference}'>", url=site.page_url(page))
    link = next(link for link in document.links if link.element == "a")
    return AuditedLink(AuditedPage(page, site.page_url(page), document, site), link, site.destination(link.target))


class TestClosest:
    @pytest.mark.parametrize(
        ("word", "candidate"),
        [
            ("missing-targat", "missing-target"),
            ("missing-target", "missing-targt"),
            ("introdcution", "introduction"),
            ("instalation", "installation"),
            ("xinstallation", "installation"),
            ("configuration-2", "confguration-2"),
            ("set-up-now", "set-upnow"),
        ],
    )
    def test_is_near(self, word, candidate):
        assert closest(word, [candidate, "something-else", ""]) == [candidate]

    @pytest.mark.parametrize(
        ("word", "candidate"),
        [
            ("chapter-2", "chapter-3"),
            ("section12", "section1"),
            ("section", "section1"),
            ("abc", "abd"),
            ("", "a"),
            ("method.join", "method.min"),
            ("installation", "installation"),
            ("introduction", "production"),
            ("installation", "xnstallatiox"),
        ],
    )
    def test_is_not_near(self, word, candidate):
        assert closest(word, [candidate]) == []

    def test_only_the_nearest(self):
        assert closest("installation", ["instalatio", "instalation", "installatiom"]) == ["instalation", "installatiom"]


class TestOneEditIndex:
    WORDS = st.text(alphabet="abc-12", min_size=4, max_size=9)

    @staticmethod
    def find(names, word):
        """The first search's result, which later searches in the index equal."""
        index = OneEditIndex(names)
        found = index.find(word)
        assert [index.find(word) for _ in range(10)] == [found] * 10
        return found

    @given(WORDS, st.sets(WORDS, max_size=8))
    def test_the_index_finds_the_same_as_pairwise_comparison(self, word, names):
        assert self.find(sorted(names), word) == closest(word, sorted(names), 1)

    @given(WORDS, st.data())
    def test_finds_a_word_with_one_edit(self, word, data):
        at = data.draw(st.integers(0, len(word) - 1))
        other = word[:at] + data.draw(st.sampled_from(["", "a", "-", "1"])) + word[at + data.draw(st.integers(0, 1)) :]
        names = [other, "unlike", "chapter-1"]
        assume(len(other) >= 4)
        assert self.find(names, word) == closest(word, sorted(names), 1)

    def test_does_not_look_for_very_long_ones(self):
        assert self.find(["a" * 64], "a" * 63) == ["a" * 64]
        assert self.find(["a" * 65], "a" * 64) == []

    def test_does_not_look_among_very_many(self):
        names = [f"name-{'abcdefghij'[n % 10] * (n // 10)}" for n in range(5001)]
        assert self.find([*names[:4999], "installation"], "instalation") == ["installation"]
        assert self.find([*names, "installation"], "instalation") == []

    @pytest.mark.growth
    def test_an_index_of_names_that_differ_in_one_character_is_quick(self):
        index = OneEditIndex([f"name{chr(0x4E00 + number)}name" for number in range(5000)])
        with processor_limit(20):
            for number in range(2000):
                index.find(f"name{chr(0x7000 + number)}name")


class TestIdSuggestions:
    @pytest.mark.parametrize(
        ("ids", "fragment", "found"),
        [
            (["Chapter"], "chapter", ("Chapter", True)),
            (["STRASSE"], "straße", ("STRASSE", True)),
            (["set-up_now"], "set_Up now", ("set-up_now", True)),
            (["set-up_now"], "set%20up-now", ("set-up_now", True)),
            (["set-up_now"], "set.up now", ("set-up_now", False)),
            (["a-1-1"], "a-11", ("a-1-1", False)),
            (["caf\u00e9"], "cafe\u0301", ("caf\u00e9", True)),
            (["caf\u00e9"], "Caf%C3%A9", ("caf\u00e9", True)),
            (["Gr%C3%BC"], "gr\u00fc", ("Gr%C3%BC", True)),
            (["setupnow"], "Set-Up-Now", ("setupnow", False)),
            (["Intro", "INTRO"], "intro", ("INTRO", False)),
            (["a-b", "a_b"], "a.b", ("a-b", False)),
            (["a-b", "AB"], "ab", ("AB", True)),
            (["installation"], "instalation", ("installation", False)),
            (["install"], "instal", ("install", False)),
            (["installation", "instalatiom"], "instalation", ("instalatiom", False)),
            (["chapter-3"], "chapter-2", None),
            (["chapter"], "contents", None),
            (["", "-"], "--", None),
            ([], "chapter", None),
            (["dep0001-http-outgoing", "dep0002-require"], "dep0001", ("dep0001-http-outgoing", False)),
            (["dep0001-http", "dep0001-net"], "dep0001", None),
            (["chapters"], "chapter", ("chapters", False)),
            (["chapterhouse"], "chapter", None),
            (["a-title"], "a", None),
            (["-launch", "rocket-launch"], "launch", ("rocket-launch", False)),
            (["-launch", "rocket-launch"], "-Launch", ("-launch", True)),
            (["-launch", "rocket-launch"], "%2Dlaunch", ("-launch", True)),
            (["-launch", "a-launch", "rocket-launch"], "launch", ("-launch", False)),
            (["-launch", "big-rocket-launch"], "launch", ("-launch", False)),
        ],
    )
    def test_examples(self, ids, fragment, found):
        assert IdSuggestions(ids).suggest(fragment) == found

    @given(st.lists(st.text()), st.text())
    def test_suggests_one_of_the_ids(self, ids, fragment):
        found = IdSuggestions(ids).suggest(fragment)
        assert found is None or (found[0] in ids and found[0])

    def test_does_not_depend_on_their_order(self):
        assert (
            IdSuggestions(["b-x", "b_x"]).suggest("bx") == IdSuggestions(["b_x", "b-x"]).suggest("bx") == ("b-x", False)
        )

    @pytest.mark.growth
    def test_many_fragments_among_many_ids_are_compared_quickly(self):
        letters = "abcdefghij"

        def word(n):
            return "section-" + "".join(letters[int(digit)] for digit in f"{n:05}")

        ids = IdSuggestions([word(n * 19) for n in range(5000)])
        with processor_limit(10):
            found = [ids.suggest(word(n * 7 + 3)) for n in range(1000)]
        assert sum(one is not None for one in found) > 100


class TestSuggestFile:
    @pytest.mark.parametrize(
        ("reference", "there", "mended"),
        [
            # Percent-encoded twice.
            ("a%2520b.html", "docs/a b.html", "a%20b.html"),
            # From the root, from a folder above, from a folder of the host.
            ("docs/other.html", "docs/other.html", "other.html"),
            ("img/a.png?x=1#y", "img/a.png", "../img/a.png?x=1#y"),
            ("../../img/a.png", "docs/img/a.png", "img/a.png"),
            ("/other.html", "docs/other.html", "/docs/other.html"),
            ("/site/other.html", "other.html", "/other.html"),
            ("/host/site/other.html", "other.html", "/other.html"),
            # A slip.
            ("instalation.html", "docs/installation.html", "installation.html"),
            ("../instalation.html#a", "installation.html", "../installation.html#a"),
            ("/instalation.html", "installation.html", "/installation.html"),
            ("https://h/instalation.html", "installation.html", "https://h/installation.html"),
            ("//h/instalation.html", "installation.html", "//h/installation.html"),
            # Another suffix; a page for a folder, and the other way round; separators; another folder.
            ("guide.htm", "docs/guide.html", "guide.html"),
            ("guide.md#a", "docs/guide.html", "guide.html#a"),
            ("guide.html", "docs/guide.md", "guide.md"),
            ("logo.JPG", "docs/logo.jpeg", "logo.jpeg"),
            ("a.tgz", "docs/a.tar.gz", "a.tar.gz"),
            ("about", "docs/about.html", "about.html"),
            ("about/", "docs/about.html", "about.html"),
            ("v1.2", "docs/v1.2.htm", "v1.2.htm"),
            ("sub.html", "docs/sub/index.html", "sub/index.html"),
            ("setup-guide.html", "docs/setup_guide.html", "setup_guide.html"),
            ("Setup%20Guide.html", "docs/setup-guide.html", "setup-guide.html"),
            ("old/picture.png", "img/picture.png", "../img/picture.png"),
        ],
    )
    def test_the_suggested_reference(self, reference, there, mended):
        missing = seen(reference, there)
        assert missing.destination.kind.name == "MISSING"
        hint = suggest_file(missing)
        assert hint.reference == mended
        assert there in hint.text
        assert not hint.certain

    def test_compressed(self):
        assert suggest_file(seen("a.txt", "docs/a.txt.gz")).reference is None
        assert "the site has docs/a.txt.gz:" in suggest_file(seen("a.txt", "docs/a.txt.gz")).text

    def test_a_file_is_no_folder(self):
        hint = suggest_file(seen("a.html/", "docs/a.html"))
        assert (hint.text, hint.reference) == ("docs/a.html is a file, not a folder", "a.html")

    def test_a_reference_without_a_name(self):
        assert suggest_file(seen(".", "docs/a.html", head="<base href='/none/'>")) is None

    @pytest.mark.parametrize(
        ("reference", "files"),
        [
            ("chapter-2.html", ["docs/chapter-3.html"]),
            ("installxtion.html", ["docs/installation.html", "docs/installbtion.html"]),
            ("https://h/docs/none", ["none/none"]),
            ("a\\b", ["b"]),
            ("/a/b/c/d", ["d"]),
            ("..\\..", []),
            ("old/index.html", ["index.html", "api/index.html"]),
            ("index.html", ["index.html"]),
            ("guide.htm", ["docs/guide.html", "docs/guide.md"]),
            ("data.csv", ["docs/data.json"]),
            ("about", ["docs/about.html", "docs/about.htm"]),
            ("set-up.html", ["docs/set up.html", "docs/set_up.html"]),
            ("old/picture.png", ["img/picture.png", "pictures/picture.png"]),
            ("old/a.png", ["img/a.png"]),
        ],
    )
    def test_nothing_to_tell(self, reference, files):
        assert suggest_file(seen(reference, *files)) is None

    @pytest.mark.growth
    def test_many_missing_files_in_a_large_folder_are_compared_quickly(self):
        letters = "abcdefghij"

        def name(n):
            return "docs/page-" + "".join(letters[int(digit)] for digit in f"{n:05}") + ".html"

        one = seen("none.html", *(name(n * 19) for n in range(4900)))
        with processor_limit(10):
            for n in range(1000):
                destination = one.destination._replace(name=name(n * 7 + 3))
                suggest_file(AuditedLink(one.page, one.link, destination))


class TestReferenceTo:
    @pytest.mark.parametrize(
        ("reference", "name", "head", "mended"),
        [
            ("x?q#f", "docs/a.html", "", "a.html?q#f"),
            ("x", "a.html", "", "../a.html"),
            ("x", "docs/sub/a.html", "", "sub/a.html"),
            ("x", "docs/a:b.html", "", "./a:b.html"),
            ("x", "docs/sub/a:b.html", "", "sub/a:b.html"),
            ("x", "docs/a b?.html", "", "a%20b%3F.html"),
            ("/x#f", "docs/a.html", "", "/docs/a.html#f"),
            ("https://h/x#f", "docs/a.html", "", "https://h/docs/a.html#f"),
            ("x", "docs/a.html", "<base href='https://cdn.example/y/'>", "https://h/docs/a.html"),
            ("x", "docs/a.html", "<base href='/other/dir/'>", "../../docs/a.html"),
            ("x", "docs/a.html", "<base href='/'>", "docs/a.html"),
            ("x", "docs/a.html", "<base href='https://h?/a/b/c'>", "docs/a.html"),
        ],
    )
    def test_is_written_like_the_existing_reference(self, reference, name, head, mended):
        assert reference_to(seen(reference, name, head=head), name) == mended

    def test_in_a_tree_below_a_folder(self):
        one = seen("x", "a.html", url="https://h/up/per/")
        assert reference_to(one, "a.html") == "../a.html"
        assert reference_to(seen("/x", url="https://h/up/per/"), "a.html") == "/up/per/a.html"

    @given(
        st.sampled_from(["docs/sub/", "docs/", "", "other/in/"]),
        st.text(alphabet="a:?#% .&é;@", min_size=1, max_size=5).filter(lambda name: name not in {".", ".."}),
        st.sampled_from(["x", "/x", "https://h/x"]),
    )
    def test_leads_to_the_file(self, folder, name, reference):
        one = seen(reference, folder + name)
        mended = reference_to(one, folder + name)
        again = seen(mended.replace("&", "&amp;").replace("'", "&#39;"), folder + name)
        assert again.destination.name == folder + name


class TestWithFileCase:
    @pytest.mark.parametrize(
        ("reference", "there", "mended"),
        [
            ("Other.html", "docs/other.html", "other.html"),
            ("other.HTML?x#Y", "docs/other.html", "other.html?x#Y"),
            ("./Sub/../Sub/A.html", "docs/sub/a.html", None),
            ("../DOCS/a.html", "docs/a.html", "../docs/a.html"),
            ("/DOCS/A.html", "docs/a.html", "/docs/a.html"),
            ("Sub/", "docs/sub/index.html", "sub/"),
            ("Sub", "docs/sub/index.html", "sub"),
            ("Sub/INDEX.html", "docs/sub/index.html", "sub/index.html"),
            ("%41.html", "docs/a.html", None),
            ("https://h/docs/A.html", "docs/a.html", None),
            ("Sub\\a.html", "docs/sub/a.html", None),
        ],
    )
    def test_examples(self, reference, there, mended):
        one = seen(reference, there)
        assert one.destination.kind.name == "CASE"
        assert with_file_case(one) == mended
        if mended:
            assert seen(mended, there).destination.name == there


class TestSignsInNames:
    """File names with "#", "?" and "%": a hint is a reference that leads to the file."""

    @pytest.mark.parametrize(
        ("reference", "file", "hint"),
        [
            ("c#.png", "docs/c#.png", "c%23.png"),
            ("what?.html", "docs/what?.html", "what%3F.html"),
            ("/c#.png", "c#.png", "/c%23.png"),
            ("https://h/c#.png", "c#.png", "https://h/c%23.png"),
            ("a#b.html#x", "docs/a#b.html", "a%23b.html#x"),
            ("a?b.html?x=1#y", "docs/a?b.html", "a%3Fb.html?x=1#y"),
            ("a?b#c.html", "docs/a?b#c.html", "a%3Fb%23c.html"),
            ("100%#.png", "docs/100%#.png", "100%25%23.png"),
            ("a%20b#.png", "docs/a b#.png", "a%20b%23.png"),
            ("c#.png", "c#.png", "../c%23.png"),
            ("C#.png", "docs/c#.png", "c%23.png"),
            ("100%.pngx", "docs/100%.png", "100%25.png"),
        ],
    )
    def test_the_hint_leads_to_the_file(self, reference, file, hint):
        audited = seen(reference, file)
        assert suggest_file(audited).reference == hint
        assert destination_of(audited, hint).name == file

    @pytest.mark.parametrize("reference", ["gone.html#chapter", "gone.html?x=1", "a?b?c?d?e?f#g"])
    def test_another_file_is_not_suggested(self, reference):
        assert suggest_file(seen(reference, "docs/c#.png")) is None

    def test_the_number_of_signs_that_are_tried_is_limited(self):
        assert len(list(encoded_signs("a" + "?" * 10_000))) <= 10

    @pytest.mark.parametrize(
        ("reference", "file", "hint"),
        [
            ("100%.png", "docs/100%.png", "100%25.png"),
            ("100%20%%.png", "docs/100%20%%.png", "100%2520%25%25.png"),
            ("100%.png", "100%.png", "../100%25.png"),
            ("page.html?off=100%", "docs/other.html", "page.html?off=100%25"),
        ],
    )
    def test_percent_signs_lead_to_the_same_file(self, reference, file, hint):
        audited = seen(reference, file)
        assert signs_hint(audited).reference == hint
        assert destination_of(audited, hint).kind is DestinationKind.FILE


class TestWithDetours:
    """With the rule for detours, hints and fixes name the direct URL, so that the next audit has nothing to report."""

    @pytest.mark.parametrize(
        ("reference", "host", "hint"),
        [
            ("docs/idnex.html#x", None, Hint("did you mean docs/?", "docs/#x", certain=False)),
            ("docs.html", None, Hint("did you mean docs/?", "docs/", certain=False)),
            ("Docs/Index.html?a#x", None, Hint("the file is docs/index.html", "docs/?a#x", certain=True)),
            ("Docs/Other.html", "cloudflare", Hint("the file is docs/other.html", "docs/other", certain=True)),
            ("docs/ohter.html", "cloudflare", Hint("did you mean docs/other?", "docs/other", certain=False)),
            ("docs/ohter.html", "vercel", Hint("did you mean docs/other.html?", "docs/other.html", certain=False)),
        ],
    )
    def test_are_not_written(self, tmp_path, reference, host, hint):
        write(tmp_path, {"docs/index.html": "", "docs/other.html": "", "a.html": f'<a href="{reference}">x</a>'})
        options = AuditOptions(select=("LF10", "detour"), host=host)
        [found] = audit(str(tmp_path), options).findings
        assert found.hint == hint
