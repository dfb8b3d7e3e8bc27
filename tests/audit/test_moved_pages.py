"""Pages whose front matter gives them another URL than that of their file, as the generators built them."""

from __future__ import annotations

from typing import ClassVar

import pytest
from support.audit_trees import audited, told, write

from linkfix.auditing import AuditOptions, audit

ELEVENTY = "export default {dir: {input: 'src'}};"
DOCUSAURUS = "module.exports = {url: 'https://e.example', baseUrl: '/', presets: [['classic', {}]]};"
STARLIGHT = (
    "export default defineConfig({site: 'https://e.example', integrations: [starlight({"
    "locales: {root: {label: 'E'}, fr: {label: 'F'}}})]});"
)


def page(settings):
    """A source with front matter."""
    return f"---\n{settings}\n---\nx\n"


def wrong(folder, files, tree=""):
    """The references with a missing target, each with the text of its hint."""
    write(folder, files)
    found = audit(str(folder / tree), AuditOptions())
    return {one.reference: one.hint.text if one.hint else "" for one in found.findings if one.code == "LF101"}


def links(*paths):
    return " ".join(f"[x]({path})" for path in paths)


def at(name, path):
    return f"the page of {name} is at {path}"


@pytest.mark.parametrize(
    ("files", "right", "expected"),
    [
        pytest.param(
            {
                "_config.yml": "title: x\n",
                "about.md": page("permalink: /who/"),
                "start.md": page("permalink: /"),
                "sub/b.md": page("permalink: z"),
                "old.html": page("permalink: /new.html"),
                "named.md": page("permalink: /a/:title/"),
                "styled.md": page("permalink: pretty"),
                "again.md": page("permalink: /more/\nredirect_from: /again/"),
                "_posts/2024-01-05-one.md": page("permalink: /own/"),
                "README.md": links("about", "old.html"),
            },
            [
                "/who/",
                "/who",
                "/",
                "/z",
                "/new",
                "/a/any",
                "/pretty",
                "/again/",
                "/own/",
                "about.md",
            ],
            {
                "/about/": at("about.md", "/who/"),
                "about": at("about.md", "/who/"),
                "/start": at("start.md", "/"),
                "/sub/b": at("sub/b.md", "/z"),
                "/old.html": at("old.html", "/new.html"),
                "/named": "",
                "/styled": at("styled.md", "/pretty"),
                "/2024/01/05/one.html": at("_posts/2024-01-05-one.md", "/own/"),
            },
            id="jekyll",
        ),
        pytest.param(
            {
                "eleventy.config.js": ELEVENTY,
                "src/about.md": page("permalink: /who/index.html"),
                "src/off.md": page("permalink: false"),
                "src/any.md": page("permalink: /x/{{ y }}/"),
                "src/titled.md": page("title: My Title 2\npermalink: /blog/{{ title | slugify }}/"),
                "src/other.md": page("title: It's\npermalink: /other/{{ title | slug }}/"),
                "src/computed.md": page("permalink: /x/\neleventyComputed:\n  permalink: /computed/"),
            },
            ["/who/", "/x/anything/", "/any/", "/computed/", "/blog/my-title-2/", "/other/x/"],
            {
                "/blog/other-title/": "",
                "/titled/": at("src/titled.md", "/blog/my-title-2/"),
                "/about/": at("src/about.md", "/who/index.html"),
            },
            id="eleventy",
        ),
        pytest.param(
            {
                "hugo.toml": 'baseURL = "https://e.example/"\n[permalinks]\nnews = "/n/:slug/"\n',
                "content/about.md": page("url: /who/"),
                "content/about.fr.md": page("url: qui"),
                "content/plain.fr.md": page("title: P"),
                "content/a/b/one.md": page("slug: two"),
                "content/a/b/bundle/index.md": page("slug: other"),
                "content/section/_index.md": page("slug: s"),
                "content/number.md": page("slug: 1.0"),
                "content/news/c.md": page("slug: d"),
            },
            [
                *("/who/", "/fr/qui/", "/fr/plain/", "/a/b/two/", "/a/b/other/", "/section/", "/number/", "/n/d/"),
                "/a/b/",
            ],
            {
                "/about/": at("content/about.md", "/who/"),
                "/a/b/one/": at("content/a/b/one.md", "/a/b/two/"),
                "/news/c/": "",
            },
            id="hugo",
        ),
        pytest.param(
            {
                "astro.config.mjs": STARLIGHT,
                "src/content/docs/a/one.md": page("slug: a/uno"),
                "src/content/docs/fr/a/two.md": page("slug: fr/deux"),
                "src/pages/own.md": page("slug: none"),
            },
            ["/a/uno/", "/fr/a/uno/", "/fr/deux/", "/own/"],
            {
                "/a/one/": at("src/content/docs/a/one.md", "/a/uno/"),
                "/fr/a/two/": at("src/content/docs/fr/a/two.md", "/fr/deux/"),
            },
            id="starlight",
        ),
        pytest.param(
            {
                "docusaurus.config.js": DOCUSAURUS,
                "docs/one.md": page("slug: /two"),
                "blog/2024-01-05-post.md": page("slug: own"),
                "blog/2024-01-06-dated.md": page("title: T"),
            },
            ["/docs/two", "/blog/own", "/blog/2024/01/06/dated"],
            {
                "/docs/one": at("docs/one.md", "/docs/two"),
                "/blog/2024/01/05/post": "",
                "/blog/2024/01/07/dated": "",
            },
            id="docusaurus",
        ),
    ],
)
def test_the_url_of_the_file_is_broken(tmp_path, files, right, expected):
    folders = ("src/content/docs/", "content/", "docs/", "src/")
    folder = next((one for one in folders if any(name.startswith(one) for name in files)), "")
    found = wrong(tmp_path, {**files, f"{folder}links.md": page("title: L") + links(*right, *expected)})
    assert found.keys() == expected.keys()
    assert {one: text for one, text in expected.items() if text} == {
        one: found[one] for one, text in expected.items() if text
    }


class TestRewritesOfVitePress:
    """As VitePress 1.6 builds the same sources: links count from the rewritten page."""

    RULES: ClassVar = {
        "packages/:pkg/src/:slug(.*)": ":pkg/:slug",
        "old.md": "new/place.md",
        "ix.md": "sub/index.md",
        "P/:a.md": ":a/one.md",
    }
    FILES: ClassVar = dict.fromkeys(
        ("old.md", "ix.md", "p/one-two.md", "packages/core/src/b.md", "packages/deep/x.md", "q/[name].md"),
        "# T\n",
    )

    @pytest.mark.parametrize(("folder", "settings"), [("", ""), ("src/", "srcDir: 'src', ")])
    @pytest.mark.parametrize(
        ("page", "right", "expected"),
        [
            (
                "index.md",
                ["/new/place", "/sub/", "/core/b.html", "core/b.md", "/one-two/one", "/packages/deep/x", "/q/any"],
                {
                    "/old": at("old.md", "/new/place"),
                    "old.md": at("old.md", "/new/place"),
                    "/ix": at("ix.md", "/sub/index"),
                    "packages/core/src/b.md": at("packages/core/src/b.md", "/core/b"),
                    "/packages/core/src/b.html#t": at("packages/core/src/b.md", "/core/b"),
                },
            ),
            (
                "packages/core/src/a.md",
                ["./b.md", "b", "../new/place.md", "../packages/deep/x.md", "/core/b#t"],
                {
                    "../../deep/x.md": "",
                    "../../../index.md": "",
                    "/core/b#gone": "",
                },
            ),
        ],
    )
    def test_the_path_of_a_source_is_broken(self, tmp_path, folder, settings, page, right, expected):
        rules = ", ".join(f"'{one}': '{path}'" for one, path in self.RULES.items())
        files = {**self.FILES, "index.md": "# I\n", page: f"# A\n\n{links(*right, *expected)}"}
        write(tmp_path, {f"docs/{folder}{name}": text for name, text in files.items()})
        write(tmp_path, {"docs/.vitepress/config.mts": f"export default {{{settings}rewrites: {{{rules}}}}}"})
        findings = audit(str(tmp_path / "docs"), AuditOptions()).findings
        assert [one.reference for one in findings] == list(expected)
        hints = {one.reference: one.hint.text.replace(f"of {folder}", "of ") for one in findings if one.hint}
        assert {one: hints.get(one) for one in expected if expected[one]} == {k: v for k, v in expected.items() if v}

    def test_at_a_host_of_repositories_the_files_count(self, tmp_path):
        files = {".vitepress/config.mjs": "export default {rewrites: {'old.md': 'new.md'}}", "old.md": ""}
        found = audited(tmp_path, {**files, "a.md": links("old.md", "old")}, heading_ids="github")
        assert told(found) == []

    def test_rules_for_pages_of_a_dynamic_route_make_pages(self, tmp_path):
        rules = "'api/foo.md': 'special.md', 'api/x-:name.md': 'x/:name.md', 'b/:name.md': 'y/:name.md'"
        files = {".vitepress/config.mjs": f"export default {{rewrites: {{{rules}}}}}", "api/[name].md": ""}
        assert list(wrong(tmp_path, {**files, "a.md": links("/special", "/x/any", "/api/bar", "/y/any")})) == ["/y/any"]


def test_permalinks_of_hugo_replace_the_path_of_the_file(tmp_path):
    files = {
        "hugo.toml": "baseURL = 'https://e.example'\n[permalinks]\nposts = '/p/:year/:slug/'\nnews = '/n/:filename/'\n",
        "content/posts/a.md": page("date: 2024-01-02\ntitle: A B"),
        "content/posts/b.md": page("date: 2024-01-02\nslug: mine"),
        "content/posts/_index.md": page("title: S"),
        "content/news/f.md": page("slug: other"),
    }
    right = ("/p/2024/a-b/", "/p/2024/mine/", "/posts/", "/n/f/")
    expected = {
        "/posts/a/": at("content/posts/a.md", "/p/2024/a-b/"),
        "/posts/b/": at("content/posts/b.md", "/p/2024/mine/"),
        "/posts/mine/": "",
        "/news/f/": at("content/news/f.md", "/n/f/"),
        "/news/other/": "",
    }
    assert wrong(tmp_path, {**files, "content/links.md": page("title: L") + links(*right, *expected)}) == expected


def test_relative_paths_in_a_bundle_of_hugo_count_from_its_page(tmp_path):
    files = {
        "hugo.toml": "baseURL = 'https://e.example'\n[permalinks]\nposts = '/p/:slug/'\n",
        "content/posts/a/index.md": page("slug: one")
        + links("b.png", "../two/", "../b/", "../../img/c.png", "gone.png"),
        "content/posts/a/b.png": "",
        "content/posts/b.md": page("slug: two") + links("c.png", "../one/b.png", "/p/one/b.png"),
        "content/posts/c.png": "",
        "static/img/c.png": "",
    }
    assert list(wrong(tmp_path, files)) == ["../b/", "gone.png", "c.png"]


def test_at_a_host_of_repositories_the_file_counts(tmp_path):
    files = {"_config.yml": "title: x\n", "about.md": page("permalink: /who/"), "a.md": links("about.md", "about")}
    found = audited(tmp_path, files, heading_ids="github")
    assert told(found) == []


def test_a_missing_page_of_a_language_in_the_folder_of_sources(tmp_path):
    docs = {"guide.md": "", "fr/index.md": "", "index.md": links("/fr/guide/", "/fr/gone/", "/de/gone/")}
    files = {f"src/content/docs/{name}": text for name, text in docs.items()}
    found = wrong(tmp_path, {"astro.config.mjs": STARLIGHT, **files}, "src/content/docs")
    assert list(found) == ["/fr/gone/", "/de/gone/"]


class TestJekyll:
    """The page of a post or of a document of a collection has the URL that Jekyll 4.3 gives it, and no other."""

    FILES: ClassVar = {
        "_posts/2024-01-05-one.md": page("title: Other"),
        "sub/_posts/2024-1-6-Two_x.md": page("categories: [a, B]"),
        "_posts/2024-01-07-dated.md": page("date: 2024-02-03"),
        "_posts/2024-01-08-bare.md": "x",
        "_posts/in/2024-01-09-timed.md": page("date: 2024-01-09 23:30:00 -0800\ncategory: Foo Bar"),
        "_posts/2024-01-10-s.md": page("slug: My Slug!\ncategories: x y"),
        "_posts/2024-01-11-own.md": page("permalink: /own/:title/:year"),
        "_posts/2024-01-14-Grüße_日本²x.md": page("categories:\n  - Größe & Co"),
        "_posts/2024-01-15-none.md": page("categories: []\ncategory:"),
        "_posts/2024-01-16-null.md": page("categories:"),
        "_docs/guide/b.md": page("slug: bee"),
        "_docs/2024-02-01-c.md": page("x: y"),
        "_docs/computed.md": page("slug: !x y"),
        "about.md": page("x: y"),
    }
    DOCS = "collections:\n  docs:\n    output: true\n"
    DEFAULTS = """\
permalink: pretty
collections: {docs: {output: true, permalink: "/m/:path"}}  # in braces
defaults:
  -
    scope:
      path: ""
      type: "posts"
    values:
      permalink: /typed/:categories/:title/
      categories: [q]
  - scope:
      path: "sub"
    values:
      permalink: /:title/
  - # the longer path counts
    scope: {path: _docs/gui, type: docs}
    values: {permalink: "/guides/:slug/"}
  - scope: {path: "_p*ts/in", type: post}
    values: {permalink: "/globbed/:title"}
"""

    @pytest.mark.parametrize(
        ("settings", "right", "wrong_ones"),
        [
            pytest.param(
                "title: x\n",
                [
                    *("2024/01/05/one.html", "sub/a/b/2024/01/06/Two_x.html", "2024/02/03/dated", "2024/01/08/bare"),
                    "gr%C3%B6%C3%9Fe%20&%20co/2024/01/14/Gr%C3%BC%C3%9Fe_%E6%97%A5%E6%9C%AC-x",
                    *("2024/01/15/none", "2024/01/16/null"),
                    *("foo%20bar/2024/01/10/timed", "x/y/2024/01/10/My-Slug!.html", "own/own/2024"),
                ],
                [
                    "2024/01/06/one.html",
                    "blog/one/",
                    "x/2024/01/05/one",
                    "2024/01/07/dated",
                    "foo%20bar/2024/01/12/timed",
                ],
                id="date",
            ),
            pytest.param(
                f"permalink: /blog/:year/:title/\n{DOCS}    permalink: /manual/:path/\n",
                [
                    "blog/2024/one/",
                    "blog/2024/Two_x/",
                    "blog/2024/timed",
                    "manual/guide/b/",
                    "manual/2024-02-01-c",
                    "about/",
                ],
                ["blog/2023/one/", "2024/01/05/one/", "docs/guide/b", "guide/b", "sub/a/b/2024/01/06/Two_x"],
                id="literal",
            ),
            pytest.param(
                f"permalink: none\n{DOCS}", ["one", "sub/a/b/Two_x", "docs/guide/b.html"], ["2024/one"], id="none"
            ),
            pytest.param(
                f"permalink: ordinal\n{DOCS}",
                ["2024/005/one.html", "docs/2024-02-01-c"],
                ["2024/01/05/one"],
                id="ordinal",
            ),
            pytest.param("permalink: weekdate\n", ["2024/W01/Fri/one.html"], ["2024/W02/Fri/one.html"], id="weekdate"),
            pytest.param(
                "permalink: /:categories/:short_year-:i_month-:i_day/:long_month/:short_day/:y_day/:slug:output_ext\n"
                f"{DOCS}    permalink: /:collection/:name_:title/:w_year\n",
                ["sub/a/b/24-1-6/January/Sat/006/two-x.html", "docs/2024-02-01-c_c/2024", "docs/computed_any/2024"],
                ["sub/a/b/24-1-6/January/Sat/006/Two_x.html", "docs/b_b/2024"],
                id="parts",
            ),
            pytest.param(
                DEFAULTS,
                ["typed/q/one/", "Two_x/", "globbed/timed", "guides/bee/", "m/2024-02-01-c", "own/own/2024"],
                ["2024/01/05/one/", "typed/one/", "m/guide/b", "typed/q/foo%20bar/timed"],
                id="defaults",
            ),
            pytest.param(
                "collections:\n  posts:\n    permalink: /p/:title\n", ["p/one"], ["2024/01/05/one"], id="posts"
            ),
            pytest.param("permalink: *style\n", ["any/one", "2024/01/05/one"], ["2024/01/05/two"], id="unknown"),
            pytest.param("defaults: *shared\n", ["any/one", "own/own/2024"], ["any/three"], id="unknown defaults"),
            pytest.param("languages: [en, fr]\n", ["fr/2024/01/05/one"], ["fr/three"], id="languages"),
        ],
    )
    def test_only_the_built_url_is_right(self, tmp_path, settings, right, wrong_ones):
        paths = [f"/{one}" for one in (*right, *wrong_ones)]
        files = {"_config.yml": settings, **self.FILES, "links.md": page("x: y") + links(*paths)}
        assert list(wrong(tmp_path, files)) == [f"/{one}" for one in wrong_ones]

    def test_hints_name_the_url(self, tmp_path):
        settings = f"permalink: /blog/:title/\n{self.DOCS}    permalink: /manual/:path/\n"
        files = {
            "_config.yml": settings,
            **self.FILES,
            "links.md": page("x: y") + links("/docs/guide/b", "/2024/01/05/one"),
        }
        assert wrong(tmp_path, files) == {
            "/docs/guide/b": at("_docs/guide/b.md", "/manual/guide/b/"),
            "/2024/01/05/one": at("_posts/2024-01-05-one.md", "/blog/one/"),
        }

    def test_relative_links_count_from_the_page(self, tmp_path):
        files = {"about.md": page("x: y"), "_posts/2024-01-06-two.md": page("x: y")}
        right, others = ["../two/", "../../about/", "2024-01-06-two.md"], ["about/"]
        files["_posts/2024-01-05-one.md"] = page("x: y") + links(*right, *others)
        assert list(wrong(tmp_path, {"_config.yml": "permalink: /blog/:title/\n", **files})) == others

    @pytest.mark.parametrize(
        ("style", "right", "expected"),
        [
            (
                "pretty",
                ["/about/", "about", "about/index.html", "crew/anna/", "_pages/h/", "other/", "file.html"],
                {
                    "about.html": at("about.md", "/about/"),
                    "other.html": at("other.html", "/other/"),
                    "/about.html": at("about.md", "/about/"),
                    "crew/anna.html": "",
                    "pages/h/": at("_pages/h.md", "/_pages/h/"),
                    "/abuot/": "did you mean /about/?",
                    "/gone/": "",
                },
            ),
            (
                "date",
                ["/about.html", "about", "crew/anna.html", "_pages/h.html", "other.html", "file.html"],
                {
                    "about/": at("about.md", "/about.html"),
                    "crew/anna/": "",
                    "abuot.html": "did you mean /about.html?",
                    "crew/annna.html": "did you mean /crew/anna.html?",
                },
            ),
        ],
    )
    def test_pages_have_the_end_of_the_style(self, tmp_path, style, right, expected):
        settings = f"permalink: {style}\ninclude: [_pages]\ncollections: {{crew: {{output: true}}}}\n"
        names = ("about.md", "_crew/anna.md", "_pages/h.md", "other.html")
        files = {
            "_config.yml": settings,
            "file.html": "x",
            "_site/gone/index.html": "x",
            **dict.fromkeys(names, page("x: y")),
        }
        assert wrong(tmp_path, {**files, "index.md": page("x: y") + links(*right, *expected)}) == expected

    def test_all_relative_paths_count_from_the_page_alone(self, tmp_path):
        right = ["../../a.png", "../../guide/k.html", "../../../other.html", "other.md"]
        others = ["a.png", "guide/k.html", "../../gone/", "../t9/", "other.html"]
        files = dict.fromkeys(("a.png", "b.md", "other.md", "guide/k.md"), page("x: y"))
        text = links(*right, *others)
        files |= {"t.md": page("permalink: /zz/t/") + text, "u.md": page("permalink: /yy.html") + "[x](other.html)"}
        write(tmp_path, {"_config.yml": "title: x\n", **files})
        found = [one for one in audit(str(tmp_path), AuditOptions()).findings if one.code == "LF101"]
        assert [one.reference for one in found] == others
        targets = ["zz/t/a.png", "zz/t/guide/k.html", "gone/", "zz/t9/", "zz/t/other.html"]
        assert [one.target.removeprefix("http://tree.invalid/") for one in found] == targets

    def test_folders_of_sources_and_of_collections(self, tmp_path):
        settings = f"source: src\ncollections_dir: all\n{self.DOCS}    permalink: /manual/:path/\n"
        files = {"src/all/_docs/a.md": page("x: y"), "src/all/_posts/2024-01-05-one.md": page("x: y")}
        right, others = ["/manual/a/", "/2024/01/05/one"], ["/docs/a", "/all/2024/01/05/one"]
        files["src/links.md"] = page("x: y") + links(*right, *others)
        assert list(wrong(tmp_path, {"_config.yml": settings, **files})) == others


def test_a_readme_that_jekyll_leaves_out_is_not_the_index(tmp_path):
    files = {"_config.yml": "exclude: [README.md]\n", "README.md": "[x](README.md)", "a/README.md": page("x: y")}
    files["index.md"] = page("x: y") + links("README.md", "/README.html", "a/README.md", "/a/README.html", "index.md")
    assert list(wrong(tmp_path, files)) == ["README.md", "/README.html"]


@pytest.mark.parametrize(
    ("settings", "folder", "hints"),
    [
        ({"astro.config.mjs": "export default { base: '/l' };"}, "src/content/docs", ("/l/a/beginning/", "/set/up/")),
        ({"hugo.toml": "baseURL = 'https://e.example/'"}, "content", ("/a/beginning/", "/a/up/")),
        ({".vitepress/config.mts": "export default {};"}, "", ("/a/beginning", None)),
    ],
)
def test_hints_are_urls_as_the_generator_writes_them(tmp_path, settings, folder, hints):
    slug = "slug: set/up" if folder.startswith("src") else "slug: up"
    pages = {"a/b.md": "[x](/a/begining) [y](/a/c)", "a/beginning.md": "", "a/c.md": f"---\n{slug}\n---\n"}
    write(tmp_path, settings | {f"{folder}/{name}".lstrip("/"): text for name, text in pages.items()})
    found = audit(str(tmp_path / folder), AuditOptions()).findings
    texts = [one.hint.text for one in found if one.hint is not None]
    assert texts == [f"did you mean {hints[0]}?", f"the page of a/c.md is at {hints[1]}"][: 1 + (hints[1] is not None)]


@pytest.mark.parametrize(
    ("files", "setting", "links_to", "is_certain"),
    [
        ({"hugo.toml": "baseURL = 'https://e.example'\n"}, "draft: true", ["/b/", '{{< ref "b" >}}'], True),
        ({"hugo.toml": "baseURL = 'https://e.example'\n"}, "draft: false", ["/b/"], False),
        ({"hugo.toml": "buildDrafts = true\nbaseURL = 'https://e.example'\n"}, "draft: true", ["/b/"], False),
        ({"_config.yml": "permalink: pretty\n"}, "published: false", ["/b/", "b.md", "{% link b.md %}"], True),
        ({"_config.yml": "permalink: pretty\nunpublished: true\n"}, "published: false", ["/b/", "b.md"], False),
    ],
)
def test_a_source_that_front_matter_keeps_out_has_no_page(tmp_path, files, setting, links_to, is_certain):
    folder = "content/" if "hugo.toml" in files else ""
    files = {**files, f"{folder}b.md": page(setting), f"{folder}d.md": page(setting) + links(*links_to)}
    found = wrong(tmp_path, {**files, f"{folder}a.md": page("x: y") + links(*links_to)})
    hints = dict.fromkeys(links_to, f"no page is made of {folder}b.md") if is_certain else {}
    assert {one.split("/}")[0]: text for one, text in found.items()} == hints
