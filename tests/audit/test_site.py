from __future__ import annotations

import os

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.growth import processor_limit
from support.host_rules import host_of

from linkfix.auditing import DestinationKind, Site
from linkfix.auditing.site import Destination, percent_decode
from linkfix.resolvers import RESOLVERS

HOST = "https://site.example/"
BELOW = "https://site.example:8080/docs/"


def site(*files, url=HOST, folders=(), redirects=None, **options):
    inner = {name[:end] for name in files for end in range(len(name)) if name[end] == "/"}
    return Site(url, sorted(files), {"", *inner, *folders}, host=host_of(redirects), **options)


def kind_and_name(tree, target):
    found = tree.destination(target)
    return found.kind.name, found.name


class TestDestinations:
    @pytest.mark.parametrize(
        ("path", "name"),
        [
            ("", "index.html"),
            ("index.html", "index.html"),
            ("?x=1", "index.html"),
            ("a.html", "a.html"),
            ("a.html?x=1", "a.html"),
            ("a.html?x=/b.html", "a.html"),
            ("a.html?", "a.html"),
            ("a.html#part", "a.html"),
            ("sub", "sub/index.htm"),
            ("sub/", "sub/index.htm"),
            ("sub/index.htm", "sub/index.htm"),
            ("with%20space.html", "with space.html"),
            ("gr%C3%BC%C3%9Fe.html", "grüße.html"),
            ("gr%c3%bc%c3%9fe.html", "grüße.html"),
            ("latin%FC.html", "latin\udcfc.html"),
            ("100%.html", "100%.html"),
            ("100%25.html", "100%.html"),
            ("50%zz.html", "50%zz.html"),
            ("50%25zz.html", "50%zz.html"),
            ("kept%20as.html", "kept%20as.html"),
            ("a%3Ab.html", "a:b.html"),
            ("~user/%7e.html", "~user/~.html"),
        ],
    )
    @pytest.mark.parametrize("url", [HOST, BELOW])
    def test_files(self, url, path, name):
        names = ["index.html", "a.html", "sub/index.htm", "sub/index.xhtml", "with space.html", "grüße.html"]
        names += ["latin\udcfc.html", "100%.html", "50%zz.html", "kept%20as.html", "a:b.html", "~user/~.html"]
        tree = site(*names, url=url)
        assert tree.destination(url + path) == Destination(DestinationKind.FILE, name, tree.numbers[name])

    @pytest.mark.parametrize(
        ("path", "name"),
        [
            ("b.html", "b.html"),
            ("a.html/", "a.html/"),
            ("a.html%00", "a.html\0"),
            ("sub//a.html", "sub//a.html"),
            ("sub%5Ca.html", "sub\\a.html"),
            ("a.html%20", "a.html "),
            ("%FF", "\udcff"),
            ("sub/..%2Fa.html", "sub/../a.html"),
            ("other/a.html", "other/a.html"),
        ],
    )
    def test_missing(self, path, name):
        assert kind_and_name(site("a.html", "sub/a.html"), HOST + path) == ("MISSING", name)

    @pytest.mark.parametrize("path", ["sub", "sub/", "sub?x=1"])
    def test_a_folder_without_an_index(self, path):
        assert kind_and_name(site("sub/a.html"), HOST + path) == ("NO_INDEX", "sub")

    def test_the_root_without_an_index(self):
        assert kind_and_name(site("a.html"), HOST) == ("NO_INDEX", "")
        assert kind_and_name(site(), HOST) == ("NO_INDEX", "")

    @pytest.mark.parametrize(
        ("target", "kind"),
        [
            (None, "NONE"),
            ("https://site.example:8080/docs/", "FILE"),
            ("https://site.example:8080/docs", "FILE"),
            ("https://site.example:8080/docs?x=1#y", "FILE"),
            ("https://site.example:8080/docsx", "OUTSIDE"),
            ("https://site.example:8080/docs.html", "OUTSIDE"),
            ("https://site.example:8080/Docs/", "OUTSIDE"),
            ("https://site.example:8080/", "OUTSIDE"),
            ("https://site.example:8080", "OUTSIDE"),
            ("https://site.example:8080?x", "OUTSIDE"),
            ("https://site.example:8080/?x=/docs/", "OUTSIDE"),
            ("https://site.example/docs/", "EXTERNAL"),
            ("https://site.example:80801/docs/", "EXTERNAL"),
            ("https://site.example:8080.evil/docs/", "EXTERNAL"),
            ("http://site.example:8080/docs/", "EXTERNAL"),
            ("https://sub.site.example:8080/docs/", "EXTERNAL"),
            ("https://user@site.example:8080/docs/", "EXTERNAL"),
            ("ftp://h/x", "EXTERNAL"),
            ("file:///docs/index.html", "LOCAL"),
            ("mailto:a@site.example", "OPAQUE"),
            ("data:text/html,x", "OPAQUE"),
            ("javascript:void(0)", "OPAQUE"),
            ("about:blank", "OPAQUE"),
            ("", "OPAQUE"),
        ],
    )
    def test_below_a_folder_of_a_host(self, target, kind):
        assert site("index.html", url=BELOW).destination(target).kind.name == kind

    def test_a_host_without_a_slash_is_its_root(self):
        assert kind_and_name(site("index.html"), "https://site.example") == ("FILE", "index.html")
        assert kind_and_name(site("index.html"), "https://site.example?x") == ("FILE", "index.html")

    @pytest.mark.parametrize(
        ("target", "kind"),
        [("in/x.html", "UNREAD"), ("in", "UNREAD"), ("in/", "UNREAD"), ("a/", "UNREAD"), ("a/x", "MISSING")],
    )
    def test_names_that_cannot_be_read(self, target, kind):
        tree = site("b.html", folders=["in", "a"], unread=["in", "a/index.html"])
        assert tree.destination(HOST + target).kind.name == kind

    def test_files_on_this_machine(self):
        tree = site("a.html", url="file:///home/me/site/")
        assert kind_and_name(tree, "file:///home/me/site/a.html") == ("FILE", "a.html")
        assert kind_and_name(tree, "file:///home/me/other.html") == ("OUTSIDE", "/home/me/other.html")
        assert kind_and_name(tree, HOST) == ("EXTERNAL", "")


class TestQueriesInNames:
    @pytest.mark.parametrize(
        "name",
        [
            "page.html?x=1&y=a b",
            "page.html@x=1&y=a b",
            "page.html%3Fx=1&y=a b",
            "page.html?x=1&y=a%20b",
            "page.html?x=1&y=a b.html",
            "page.html@x=1&y=a%20b.html",
        ],
    )
    def test_are_found(self, name):
        assert kind_and_name(site("page.html", name), HOST + "page.html?x=1&y=a%20b") == ("FILE", name)
        assert kind_and_name(site("page.html", name), HOST + "page.html?x=2") == ("FILE", "page.html")
        assert kind_and_name(site(name), HOST + "page.html") == ("MISSING", "page.html")

    def test_a_slash_is_written_as_savers_do(self):
        name = "go.php?to=a%2Fb"
        assert kind_and_name(site(name), HOST + "go.php?to=a/b") == ("FILE", name)
        assert kind_and_name(site(name), HOST + "go.php?to=a%2Fb") == ("FILE", name)

    @pytest.mark.parametrize("folder", ["", "sub/"])
    def test_of_a_folder_are_its_index_file_s(self, folder):
        name = f"{folder}index.html?C=N;O=D"
        tree = site(name, f"{folder}index.html")
        assert kind_and_name(tree, f"{HOST}{folder}?C=N;O=D") == ("FILE", name)
        assert kind_and_name(tree, f"{HOST}{folder}?C=M;O=A") == ("FILE", f"{folder}index.html")

    def test_are_found_without_a_query(self):
        assert kind_and_name(site("a?x=1"), HOST + "a%3Fx=1") == ("FILE", "a?x=1")


class TestCleanUrls:
    def test_stand_for_the_file(self):
        tree = site("a.html", "b/index.html", "b.html", clean_urls=True)
        names = [tree.destination(HOST + path).name for path in ("a", "b", "b/")]
        assert names == ["a.html", "b.html", "b/index.html"]  # as GitHub Pages, Netlify and Cloudflare Pages do
        assert tree.destination(HOST + "a/").kind is DestinationKind.SLASHED
        assert tree.number("a") == tree.numbers["a.html"]
        assert tree.destination(HOST + "c").kind is DestinationKind.MISSING

    def test_are_not_assumed(self):
        assert site("a.html").destination(HOST + "a").kind is DestinationKind.MISSING
        assert site("a.html").number("a") is None


class TestCase:
    @pytest.mark.parametrize(
        ("name", "path"),
        [
            ("a.html", "A.html"),
            ("A.HTML", "a.html"),
            ("Sub/a.html", "sub/a.html"),
            ("Sub/Inner/a.html", "sub/inner/A.html"),
            ("Sub/index.html", "sub/"),
            ("Sub/index.html", "sub"),
            ("Ärger.html", "%C3%A4rger.html"),
        ],
    )
    def test_a_name_that_is_there_in_another(self, name, path):
        tree = site(name)
        assert tree.destination(HOST + path) == Destination(
            DestinationKind.CASE, percent_decode(path), tree.numbers[name], name
        )

    @pytest.mark.parametrize(("name", "path"), [("a.html", "A.html/"), ("Sub/a.html", "sub/"), ("a.html", "b.html")])
    def test_paths_that_are_missing_in_any_case(self, name, path):
        assert site(name).destination(HOST + path).kind is DestinationKind.MISSING

    def test_the_name_in_its_own_case_is_preferred(self):
        assert kind_and_name(site("A.html", "a.html"), HOST + "a.html") == ("FILE", "a.html")


class TestSymbolicLinks:
    @pytest.mark.parametrize("path", ["out", "out/", "out/a/b.html", "sub/out.html", "sub/out.html/x"])
    def test_that_are_not_followed(self, path):
        tree = site("sub/a.html", dangling={"out": "why", "sub/out.html": "why"})
        near = "sub/out.html" if "sub" in path else "out"
        assert tree.destination(HOST + path) == Destination(DestinationKind.UNFOLLOWED, path, near=near)

    def test_others_are_missing(self):
        tree = site("sub/a.html", dangling={"out": "why"})
        assert tree.destination(HOST + "sub/out").kind is DestinationKind.MISSING
        assert tree.destination(HOST + "outer").kind is DestinationKind.MISSING

    @pytest.mark.growth
    def test_a_name_with_many_folders_is_looked_up_quickly(self):
        tree = site("a.html", dangling={"out": "why"})
        with processor_limit(2):
            assert tree.destination(HOST + "a/" * 500_000).kind is DestinationKind.MISSING


class TestRedirects:
    def test_from_a_missing_path(self):
        tree = site("b.html", "sub/x.html", redirects="/a /b.html\n/b.html /c\n/sub /b.html\n/B.html /b.html")
        assert kind_and_name(tree, HOST + "a") == ("FILE", "b.html")
        assert kind_and_name(tree, HOST + "b.html") == ("FILE", "b.html")
        assert kind_and_name(tree, HOST + "sub/") == ("FILE", "b.html")
        assert kind_and_name(tree, HOST + "B.html") == ("FILE", "b.html")
        assert kind_and_name(tree, HOST + "d") == ("MISSING", "d")
        assert kind_and_name(tree, "mailto:/a") == ("OPAQUE", "")

    def test_from_an_existing_path(self):
        tree = site("a.html", "b.html", redirects="/a.html /b.html 301!")
        assert kind_and_name(tree, HOST + "a.html") == ("FILE", "b.html")

    def test_from_a_symbolic_link_out_of_the_tree(self):
        tree = site("b.html", redirects="/a /b.html", dangling={"a": "why"})
        assert kind_and_name(tree, HOST + "a") == ("FILE", "b.html")

    def test_outside_the_tree(self):
        tree = site("b.html", url=BELOW, redirects="/old/* /docs/:splat\n/gone/* /else/:splat")
        assert kind_and_name(tree, "https://site.example:8080/old/b.html") == ("FILE", "b.html")
        assert kind_and_name(tree, "https://site.example:8080/gone/b.html") == ("OUTSIDE", "/else/b.html")

    @pytest.mark.parametrize(
        ("target", "kind"),
        [
            ("https://other.example/x", "EXTERNAL"),
            ("HTTPS://Other.Example", "EXTERNAL"),
            ("//other.example/x", "EXTERNAL"),
            ("https://site.example/b.html", "FILE"),
            ("https://SITE.example:443/b.html", "FILE"),
            ("/x/../b.html?y=1", "FILE"),
            ("https://[/", "EXTERNAL"),
            ("/none", "MISSING"),
        ],
    )
    def test_to_a_url(self, target, kind):
        assert site("b.html", redirects=f"/a {target}").destination(HOST + "a").kind.name == kind

    def test_chains_end_after_twenty(self):
        rules = [f"/{n} /{n + 1}" for n in range(20)]
        tree = site("20", redirects="\n".join(rules))
        assert kind_and_name(tree, HOST + "0") == ("FILE", "20")
        tree = site("21", redirects="\n".join([*rules, "/20 /21"]))
        assert kind_and_name(tree, HOST + "0") == ("UNFOLLOWED", "/0")
        assert kind_and_name(tree, HOST + "1") == ("FILE", "21")

    def test_circles(self):
        tree = site("x.html", redirects="/a /b\n/b /a")
        rules = "line 1 of _redirects and line 2 of _redirects"
        assert tree.destination(HOST + "a?x#y") == Destination(DestinationKind.UNFOLLOWED, "/a", redirect=rules)
        assert tree.destination(HOST + "b").name == "/a"

    @pytest.mark.parametrize("status", ["", "301!", "200!"])
    def test_to_itself_is_ignored(self, status):
        tree = site("sub/index.html", redirects=f"/sub /sub/ {status}\n/none /none {status}")
        assert kind_and_name(tree, HOST + "sub") == ("FILE", "sub/index.html")
        assert kind_and_name(tree, HOST + "sub/") == ("FILE", "sub/index.html")
        assert kind_and_name(tree, HOST + "none") == ("MISSING", "none")

    @pytest.mark.parametrize("force", ["", "!"])
    def test_a_page_for_everything(self, force):
        tree = site("index.html", "a.html", redirects=f"/* /index.html 200{force}")
        assert kind_and_name(tree, HOST + "any/thing") == ("CAUGHT", "index.html")
        assert kind_and_name(tree, HOST + "a.html") == (("CAUGHT", "index.html") if force else ("FILE", "a.html"))
        assert kind_and_name(tree, HOST + "index.html") == ("FILE", "index.html")

    def test_a_page_for_everything_that_is_not_there(self):
        tree = site("a.html", redirects="/* /index.html 200")
        assert kind_and_name(tree, HOST + "any") == ("MISSING", "index.html")

    def test_fragments(self):
        tree = site("b.html", redirects="/a /b.html#part\n/c /a\n/d /b.html\n/e /a#own")
        fragments = [tree.destination(f"{HOST}{path}#of-link").fragment for path in "acde"]
        # Fetch §4.4: the last one that a Location has, else the request's own, which is not the tree's.
        assert fragments == ["part", "part", "", "part"]

    def test_are_used_before_a_file_only_if_they_are_forced(self):
        assert site("a.html", redirects="/x /y").folder(HOST) == ""
        assert site("a.html", redirects="/x /y 301!").folder(HOST) is None


class TestPageUrl:
    @pytest.mark.parametrize(
        ("name", "url"),
        [
            ("index.html", ""),
            ("sub/index.html", "sub/"),
            ("sub/index.htm", "sub/index.htm"),
            ("INDEX.HTML", "INDEX.HTML"),
            ("only/index.xhtml", "only/"),
            ("a b.html", "a%20b.html"),
            ("grüße.html", "gr%C3%BC%C3%9Fe.html"),
            ("\udcff.html", "%FF.html"),
            ("p.html?x=1", "p.html?x=1"),
            ("index.html?x=1", "?x=1"),
            ("a#b.html", "a%23b.html"),
        ],
    )
    def test_examples(self, name, url):
        tree = site("index.html", "sub/index.html", name)
        assert tree.page_url(name) == HOST + url

    @given(
        st.lists(
            st.one_of(
                st.binary(min_size=1).map(lambda data: os.fsdecode(data.replace(b"/", b"").replace(b"\0", b""))),
                st.text(alphabet="aA?#%@/&=.\\'\"; \n2f5C+", min_size=1).map(lambda name: name.replace("/", "")),
                st.sampled_from(
                    ["index.html", "index.htm", "INDEX.HTML", "index.html?x=1", "a", "a.html", "a?x", "a@x"]
                ),
            ).filter(lambda name: name not in {"", ".", ".."}),
            min_size=1,
            max_size=3,
        ).map("/".join),
        st.sets(st.sampled_from(["index.html", "index.htm", "x", "a", "aA", "a?x", "a@x", "a%3Fx", "a%41"])),
        st.sampled_from([HOST, BELOW]),
        st.booleans(),
    )
    @example("p?%2f é", set(), HOST, False)
    @example("index.htm", {"index.html"}, HOST, False)
    @example("p?'%41", set(), HOST, False)
    @example("a%41", {"aA"}, HOST, True)
    def test_leads_back_to_the_page(self, name, others, url, clean):
        files = {name, *(other for other in others if not name.startswith(other + "/"))}
        tree = site(*files, url=url, clean_urls=clean)
        found = tree.page_url(name)
        assert tree.destination(found).name == name
        assert found.startswith(url)
        # As does a reference to it, which the URL parser writes its own way.
        assert tree.destination(RESOLVERS["whatwg"].resolve(None, found).target).name == name


class TestFolder:
    @pytest.mark.parametrize(
        ("url", "folder"),
        [
            ("", ""),
            ("a.html", ""),
            ("sub", ""),
            ("sub/", "sub"),
            ("sub/a.html?x=/y/#/z/", "sub"),
            ("gr%C3%BC%C3%9Fe/a", "grüße"),
            ("none/", None),
            ("sub/a.html/", None),
        ],
    )
    @pytest.mark.parametrize("root", [HOST, BELOW])
    def test_of_a_base_url(self, root, url, folder):
        assert site("sub/a.html", "grüße/a", url=root).folder(root + url) == folder

    @pytest.mark.parametrize("url", ["https://site.example:8080/docs", "https://site.example:8080/", "data:,x", HOST])
    def test_elsewhere(self, url):
        assert site("a.html", url=BELOW).folder(url) is None


class TestNames:
    tree = site("index.html", "a.html", "sub/index.htm", "sub/b.html", "sub/in/c.html")

    def test_number(self):
        assert [self.tree.number(name) for name in ("a.html", "", "sub", "sub/", "none")] == [
            *(self.tree.numbers[name] for name in ("a.html", "index.html", "sub/index.htm", "sub/index.htm")),
            None,
        ]

    def test_has(self):
        names = ["a.html", "", "sub", "sub/in", "none"]
        assert [self.tree.has(name) for name in names] == [True, True, True, False, False]

    def test_names_in(self):
        assert self.tree.names_in("") == ("a.html", "index.html")
        assert self.tree.names_in("sub") == ("b.html", "index.htm")
        assert self.tree.names_in("none") == ()

    def test_name_at_root(self):
        assert self.tree.name_at_root("/sub/b.html") == "sub/b.html"
        assert self.tree.name_at_root("/sub/") == "sub/index.htm"
        assert self.tree.name_at_root("/sub/%62.html") == "sub/b.html"
        assert self.tree.name_at_root("/none") is None

    @pytest.mark.parametrize(
        ("name", "folder"),
        [("b.html", ""), ("sub/x.html", ""), ("no/x/y", "no"), ("sub/no/x", "sub/no"), ("sub/in/x", "")],
    )
    def test_missing_folder(self, name, folder):
        assert self.tree.missing_folder(name) == folder

    def test_url_path(self):
        assert self.tree.url_path("a b?c#d%.html") == "/a%20b%3Fc%23d%25.html"
        assert site(url=BELOW).url_path("a") == "/docs/a"


def test_a_site_without_an_origin_has_everything_elsewhere():
    assert site("a.html", url="data:,x/").origin == ""


names = st.text(alphabet="aB1_-.~%?:@ é/", min_size=1, max_size=8).filter(
    lambda name: not {"", ".", ".."} & set(name.split("/"))
)


@given(st.sets(names | st.sampled_from(["index.html", "a/Index.htm", "a?b.html", "a.html", "a/b.c/d"]), min_size=1))
@pytest.mark.parametrize("url", [HOST, BELOW, "http://site.example/a%20b/"])
@pytest.mark.parametrize("redirects", [None, "/a.html /b.html 301!"])
def test_the_url_of_a_plain_name_equals_the_resolved_name(url, redirects, found):
    tree = site(*found, url=url, redirects=redirects)
    quick = {name: tree.page_url(name) for name in found}
    tree._is_plain = False
    assert quick == {name: tree.page_url(name) for name in found}
