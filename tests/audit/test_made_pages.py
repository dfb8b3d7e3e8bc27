"""The URLs of pages that generators make from sources."""

from __future__ import annotations

import re

import pytest
from support.audit_trees import audited, told, write
from support.growth import processor_limit

from linkfix.auditing import AuditOptions, Hint, audit
from linkfix.auditing.generators.jekyll import excluded_files
from linkfix.errors import InvalidOption

MADE = "made by the site generator"

DOCUSAURUS = "export default {url: 'https://e.example', baseUrl: '/lamp/'};"
VITEPRESS = "export default defineConfig({base: '/lamp/'});"
ASTRO = "export default defineConfig({site: 'https://e.example', base: '/lamp'});"
HUGO = 'baseURL = "https://e.example/lamp/"\n'
JEKYLL = "url: https://e.example\nbaseurl: /lamp\n"
ELEVENTY = """\
export default function (config) {
  config.addFilter("x", (y) => { return y; });
  return {pathPrefix: "/lamp/"};
}
"""


def references(found):
    return [finding.reference for finding in found.findings]


def sources(folder, files, tree="", **options):
    """The references with a finding, and the number of those to what a generator makes, of an audit of sources."""
    write(folder, files)
    result = audit(str(folder / tree), AuditOptions(**options))
    return references(result), result.coverage.unchecked[MADE]


class TestPages:
    """Each row: files, the tree, the references of its page that are right, those of what is made, and wrong ones."""

    @pytest.mark.parametrize(
        ("files", "tree", "page", "right", "made", "wrong"),
        [
            pytest.param(
                {
                    "docusaurus.config.js": DOCUSAURUS,
                    "docs/intro.md": "---\nslug: /start\n---\n# I\n",
                    "docs/02-guide/01-b.md": "# B\n",
                    "docs/02-guide/c.md": "---\nid: third\n---\n",
                    "docs/guide2/guide2.md": "# G\n",
                    "blog/2026-01-02-hello.md": "---\nslug: hi\n---\n",
                    "blog/2026-02-03-other/index.md": "# O\n",
                    "versioned_docs/version-1.0/old.md": "# Old\n",
                    "src/pages/about.md": "# A\n",
                    "static/files/a.zip": b"x",
                },
                "",
                "docs/02-guide/a.mdx",
                [
                    *("/docs/start", "/docs/guide/b", "b", "../guide/b", "/docs/guide/third", "/blog/hi", "/about"),
                    *("/lamp/docs/start", "/blog/2026/02/03/other", "/docs/1.0/old", "@site/docs/intro.md"),
                    *("/files/a.zip", "/lamp/files/a.zip", "./01-b.md", "/docs/guide2", "/docs/guide/b/"),
                ],
                [
                    *("/blog/archive", "/blog/tags/x", "/docs/tags", "/docs/category/guide", "/blog/rss.xml"),
                    *("/sitemap.xml", "/search"),
                ],
                ["/docs/gone", "gone", "@site/docs/gone.md", "/blog/2026/02/03/gone", "/lamp/gone", "/files/b.zip"],
                id="docusaurus",
            ),
            pytest.param(
                {
                    "docs/.vitepress/config.mts": VITEPRESS,
                    "docs/index.md": "# I\n",
                    "docs/deep/page.md": "# P\n",
                    "docs/packages/[name].md": "# N\n",
                    "docs/public/logo.png": b"x",
                },
                "docs",
                "docs/guide.md",
                ["/deep/page", "/deep/page.html", "/", "/logo.png"],
                ["/packages/one", "/404.html"],
                ["/deep/gone", "/gone.png", "/lamp/deep/page", "/lamp/", "/lamp/logo.png"],
                id="vitepress",
            ),
            pytest.param(
                {
                    "astro.config.mjs": ASTRO,
                    "src/content/docs/index.mdx": "# I\n",
                    "src/content/docs/guides/b.md": "# B\n",
                    "src/content/docs/guides/My Page.md": "# M\n",
                    "src/content/docs/guides/c.md": "---\nslug: other/name\n---\n",
                    "public/logo.png": b"x",
                },
                "src/content/docs",
                "src/content/docs/guides/a.md",
                ["/lamp/guides/b/", "../b/", "/lamp/other/name/", "/lamp/logo.png", "/lamp/guides/my-page/", "#_top"],
                ["/lamp/sitemap-index.xml", "/lamp/pagefind/pagefind.js"],
                ["/lamp/guides/gone/", "../gone/", "/lamp/other/gone/", "#gone"],
                id="starlight",
            ),
            pytest.param(
                {
                    "hugo.toml": HUGO,
                    "content/posts/b.md": "---\nslug: second\naliases: [/old/]\n---\n",
                    "content/posts/c.md": '+++\nurl = "/far/away/"\naliases = ["/older/"]\n+++\n',
                    "content/_index.md": "",
                    "static/logo.png": b"x",
                },
                "content",
                "content/posts/a.md",
                ["../second/", "/posts/second/", "/lamp/far/away/", "/old/", "/older/", "/lamp/logo.png", "/lamp/"],
                ["/tags/", "/lamp/categories/x/", "/lamp/posts/", "/posts/index.xml", "/index.xml"],
                ["../gone/", "/lamp/gone/", "/posts/gone/", "/gone.png"],
                id="hugo",
            ),
            pytest.param(
                {
                    "_config.yml": JEKYLL + "include: [_pages]\n",
                    "index.md": "---\n---\n",
                    "_posts/2026-01-02-hello.md": "---\n---\n",
                    "_pages/about.md": "---\npermalink: /about/\nredirect_from:\n  - /me/\n---\n",
                },
                "",
                "guide.md",
                ["/about/", "/lamp/about/", "/me/", "/2026/01/02/hello.html"],
                ["/feed.xml", "/lamp/tags/x/"],
                ["/gone/", "/2026/01/02/gone.html", "/news/2026/01/02/hello/"],
                id="jekyll",
            ),
            pytest.param(
                {
                    "eleventy.config.js": ELEVENTY,
                    "src/b.md": "---\npermalink: /elsewhere/\n---\n",
                    "src/posts.md": "---\npermalink: '/posts/{{ number }}/'\n---\n",
                    "src/public/logo.png": b"x",
                },
                "src",
                "src/guide/a.md",
                ["/elsewhere/", "/lamp/elsewhere/", "/logo.png", "../../elsewhere/"],
                ["/posts/7/"],
                ["/gone/", "/lamp/gone/", "../gone/", "/gone.png"],
                id="eleventy",
            ),
        ],
    )
    def test_they_are_known(self, tmp_path, files, tree, page, right, made, wrong):
        text = "# A\n\n" + "\n".join(f"[x]({one})" for one in [*right, *made, *wrong])
        found, generated = sources(tmp_path, {**files, page: text}, tree)
        assert (sorted(found), generated) == (sorted(wrong), len(made))

    def test_without_settings_nothing_is_made(self, tmp_path):
        found, generated = sources(
            tmp_path, {"a.md": "[x](/docs/tags) [x](/b/)", "b2.md": "---\npermalink: /b/\n---\n"}
        )
        assert (found, generated) == (["/docs/tags", "/b/"], 0)

    def test_fragments_are_looked_up_in_them(self, tmp_path):
        files = {
            "docs/.vitepress/config.mts": VITEPRESS,
            "docs/a.md": "[x](/b#part) [x](/b#gone) <a href=/lamp/b#part> <a href=/lamp/b#away>",
            "docs/b.md": "## Part\n",
        }
        found, _ = sources(tmp_path, files, "docs")
        assert found == ["/b#gone", "/lamp/b#away"]

    @pytest.mark.parametrize(
        ("link", "hint", "reference"),
        [
            ("[x](/confg)", "did you mean /config?", None),
            ("[x](confg)", "did you mean /config?", None),
            ("[x](/lamp/config#a)", "the page of config.md is at /config", "/config#a"),
            ("<a href=/lamp/confg>", "did you mean /lamp/config?", None),
        ],
    )
    def test_hints_know_that_vitepress_adds_the_base_to_links_of_markdown(self, tmp_path, link, hint, reference):
        files = {"docs/.vitepress/config.mts": VITEPRESS, "docs/a.md": link, "docs/config.md": "# A"}
        write(tmp_path, files)
        (finding,) = audit(str(tmp_path / "docs"), AuditOptions()).findings
        assert finding.hint == Hint(hint, reference)

    def test_a_source_that_is_left_out_is_not_the_page_itself(self, tmp_path):
        settings = "export default {srcExclude: ['**/README.md']};"
        files = {"docs/.vitepress/config.mjs": settings, "docs/README.md": "# R\n", "docs/b.md": "# B\n"}
        page = "[x](README.md) [x](b.md) [x](./b.md)"
        assert sources(tmp_path, {**files, "docs/a.md": page}, "docs") == (["README.md"], 0)

    @pytest.mark.parametrize(
        ("settings", "wrong"),
        [
            ("defineConfig({srcDir: 'pages'} as any)", ["/b", "c"]),
            ("defineConfig(async () => { return {srcDir: 'pages'} })", ["/b", "c"]),
            ("{...shared, srcDir: 'pages'}", ["/b", "c"]),
            ("mix({srcDir: 'pages'})", ["c"]),
            ("{srcDir: folder}", ["c"]),
            ("{...shared}", ["c"]),
        ],
    )
    def test_a_root_of_vitepress_that_is_not_known_is_not_judged(self, tmp_path, settings, wrong):
        page = "[a](/a) [b](/b) [c](c)"
        files = {"docs/.vitepress/config.ts": f"export default {settings}", "docs/pages/a.md": ""}
        write(tmp_path, {**files, "docs/pages/i.md": page})
        result = audit(str(tmp_path / "docs"), AuditOptions())
        assert references(result) == wrong
        assert ("settings in a form that is not read" in result.settings) is (wrong == ["c"])

    @pytest.mark.parametrize(
        ("settings", "options", "wrong"),
        [
            ("{}", {}, ["#whats-new", "b#a_b"]),
            ("{}", {"heading_ids": "github"}, ["#what-s-new", "b#a-b"]),
            ("{}", {"heading_ids": "any"}, []),
            ("{markdown: {anchor: {slugify}}}", {}, []),
        ],
    )
    def test_headings_have_the_ids_of_vitepress(self, tmp_path, settings, options, wrong):
        page = "# What's new\n[a](#what-s-new) [b](#whats-new) [c](b#a-b) [d](b#a_b)"
        files = {".vitepress/config.ts": f"export default {settings}", "a.md": page, "b.md": "# a_b"}
        assert sorted(sources(tmp_path, files, **options)[0]) == wrong

    @pytest.mark.parametrize(
        ("name", "right", "wrong"),
        [
            (
                "a/README.md",
                ["a/README", "a/README.md", "/a/README.html", "/a/README#r"],
                ["a", "a/", "/a/", "/a/readme", "./a/index", "/a/index.md"],
            ),
            ("a/index.md", ["a/", "/a/", "./a/index", "/a/index.md"], ["./a/README", "/a/README.md"]),
            ("a.md", ["a", "/a", "./a.md"], ["a/", "/a/"]),
        ],
    )
    def test_vitepress_makes_the_page_of_a_folder_only_from_its_index(self, tmp_path, name, right, wrong):
        """The wrong ones are dead links for VitePress 1.6.4."""
        page = " ".join(f"[x]({one})" for one in (*right, *wrong))
        files = {".vitepress/config.ts": "export default {}", name: "# R", "i.md": page}
        assert sorted(sources(tmp_path, files)[0]) == sorted(wrong)

    @pytest.mark.parametrize(
        ("settings", "tree", "folder"),
        [
            ({"docs/.vitepress/config.ts": VITEPRESS}, "docs", "docs/public"),
            ({"hugo.toml": 'title = "x"'}, "content", "static"),
        ],
    )
    @pytest.mark.parametrize(
        ("link", "expected"),
        [
            ("![x](/img/logo.png)", ("LF105", Hint("the file is /img/Logo.png", "/img/Logo.png", certain=True))),
            ("![x](/img/Lgoo.png)", ("LF101", Hint("did you mean /img/Logo.png?", "/img/Logo.png"))),
            ("![x](/img/none.jpg)", ("LF101", None)),
        ],
    )
    def test_hints_know_the_files_that_are_served_at_the_root(self, tmp_path, settings, tree, folder, link, expected):
        write(tmp_path, {**settings, f"{tree}/a.md": link, f"{folder}/img/Logo.png": b"x"})
        (finding,) = audit(str(tmp_path / tree), AuditOptions()).findings
        assert (finding.code, finding.hint) == expected
        assert "no folder" not in finding.message

    def test_rewrites_are_not_known(self, tmp_path):
        unbounded = f"rewrites: {{'{'(.*)' * 8}x.md': 'b.md'}}"  # in the time that it takes
        for settings in (
            "rewrites: (id) => id.slice(4)",
            "rewrites: {'a{/:x}?': 'b'}",
            "rewrites: {'a': at('x')}",
            unbounded,
        ):
            text = f"export default {{{settings}}}"
            files = {"docs/.vitepress/config.mts": text, f"docs/{'b' * 200}.md": "[x](/gone) [y](gone)"}
            assert sources(tmp_path, files, "docs") == ([], 2)

    @pytest.mark.parametrize(
        "rules",
        [
            "'packages/:pkg/src/(.*)': ':pkg/(.*)'",
            "'packages/:name/src/:rest*': ':name/:rest*'",
            "'packages/core/src/a.md': 'core/a.md', 'packages/core/src/b.md': 'core/b.md'",
        ],
    )
    @pytest.mark.parametrize(("folder", "settings"), [("", ""), ("src/", "srcDir: 'src', ")])
    def test_rewrites(self, tmp_path, rules, folder, settings):
        page = "[a](/core/b) [b](./b.md) [c](../index.md) [d](/core/gone) [e](./gone.png) [f](./gone)"
        files = {f"docs/{folder}packages/core/src/a.md": page, f"docs/{folder}packages/core/src/b.md": "# B"}
        files |= {f"docs/{folder}index.md": "[a](core/a) [b](/core/b#b) [c](/core/b#c) [d](./gone)"}
        files["docs/.vitepress/config.mts"] = f"export default {{{settings}rewrites: {{{rules}}}}}"
        wrong = ["./gone", "./gone", "./gone.png", "/core/b#c", "/core/gone"]
        assert sorted(sources(tmp_path, files, "docs")[0]) == wrong

    @pytest.mark.parametrize(("folder", "settings"), [("", ""), ("src/", "srcDir: 'src', ")])
    def test_sources_that_settings_leave_out(self, tmp_path, folder, settings):
        page = "[a](/drafts/d) [b](drafts/d.md) [c](/README) [d](/a/README) [e](/a/b) [f](/other/x)"
        names = ("drafts/d.md", "README.md", "a/b.md", "other/x.md")
        files = {f"docs/{folder}{name}": "[x](gone)" for name in names}
        text = f"export default {{{settings}srcExclude: ['./drafts/**', 'READ?E.md', '{{other,b}}/*.md', more()]}}"
        write(tmp_path, {**files, f"docs/{folder}index.md": page, "docs/.vitepress/config.ts": text})
        result = audit(str(tmp_path / "docs"), AuditOptions())
        assert sorted(references(result)) == ["/README", "/a/README", "/drafts/d", "drafts/d.md", "gone", "gone"]
        assert result.coverage.left_out == {"not part of the built site": 2}

    def test_files_that_jekyll_leaves_out(self, tmp_path):
        """As Jekyll 4.3 builds the same files; `x/_p.md` is in no folder that it reads."""
        settings = (
            "include: [_pages, '.well-known']\nexclude:\n  - '*.log'\n  - /tool\n  - scripts/\n"
            "collections:\n  notes:\n    output: true\n  hidden:\n    permalink: /h/\n"
        )
        right = "_pages/p.md .well-known/x.txt _notes/n.md script.js vendor/x.js"
        wrong = "_drafts/d.md .hidden.html a/b.log tools/x.js scripts/s.md x/_p.md draft~ _hidden/h.md"
        files = dict.fromkeys(wrong.split(), "---\n---\n[x](gone)") | dict.fromkeys(right.split(), "---\n---\n")
        page = "---\n---\n" + " ".join(f"[x]({name})" for name in (right + " " + wrong).split())
        write(tmp_path, {**files, "_config.yml": settings, "index.md": page, "README.md": "[x](tools/x.js) [x](gone)"})
        result = audit(str(tmp_path), AuditOptions())
        assert references(result) == ["gone", *wrong.split()]
        assert result.coverage.left_out == {"not part of the built site": 6}
        assert references(audit(str(tmp_path), AuditOptions(heading_ids="github"))).count("gone") == 5

    @pytest.mark.parametrize(
        ("settings", "wrong"),
        [
            ("title: x\n", ["_p/a.md", "vendor/bundle/x.js"]),
            ("exclude: []\n", ["_p/a.md"]),
            ("exclude: [a: b]\n", ["_p/a.md"]),
            ("include: [a: b]\n", []),
            ("collections: [p]\n", ["_p/a.md", "vendor/bundle/x.js"]),
            ("collections: *p\n", []),
            ("collections_dir: p\n", []),
        ],
    )
    def test_settings_of_jekyll_that_are_not_known_leave_out_less(self, tmp_path, settings, wrong):
        files = {"_config.yml": settings, "_p/a.md": "---\n---\n", "vendor/bundle/x.js": ""}
        page = "---\n---\n[x](_p/a.md) [x](vendor/bundle/x.js)"
        assert sources(tmp_path, {**files, "index.md": page})[0] == wrong

    @pytest.mark.parametrize(
        ("name", "text", "adds"),
        [
            ("Gemfile.lock", "GEM\n  specs:\n    jekyll (4.3.1)\n      addressable (~> 2.4)\n", True),
            (
                "Gemfile.lock",
                "GEM\n  specs:\n    github-pages (228)\n      jekyll (= 3.9.3)\n    jekyll (3.9.3)\n",
                False,
            ),
            ("Gemfile", "gem 'jekyll', '~> 4.3'\n", True),
            ("Gemfile", "gem 'github-pages'\n", False),
            ("Gemfile", "gem 'jekyll', '>= 3.5'\n", False),
            ("other", "", False),
        ],
    )
    def test_exclude_adds_to_the_usual_files_from_jekyll_4_on(self, tmp_path, name, text, adds):
        files = {"_config.yml": "exclude: [own]\n", "vendor/bundle/x.md": "", "own/a.md": "", name: text}
        found = sources(tmp_path, {**files, "index.md": "---\n---\n[x](vendor/bundle/x.md) [x](own/a.md)"})[0]
        assert found == ["vendor/bundle/x.md"] * adds + ["own/a.md"]

    def test_a_folder_that_jekyll_leaves_out_is_checked_if_the_user_names_it(self, tmp_path):
        files = {"_config.yml": "title: x\n", "_drafts/a.md": "[x](gone) [x](b.md)", "_drafts/b.md": ""}
        assert sources(tmp_path, files, "_drafts") == (["gone"], 0)

    @pytest.mark.parametrize(
        ("settings", "wrong"),
        [
            ("title: x\n", ["/assets/main.css", "/assets/js/x.js"]),
            ("theme: minima\n", []),
            ("remote_theme: a/b\n", []),
            ("plugins: *p\n\n? x\n", []),
        ],
    )
    def test_a_style_sheet_without_a_source_may_be_of_a_theme(self, tmp_path, settings, wrong):
        """Without settings of a theme, GitHub adds its own, with one style sheet."""
        page = "---\n---\n[x](/assets/main.css) [x](/assets/js/x.js) [x](/assets/css/style.css)"
        assert sources(tmp_path, {"_config.yml": settings, "index.md": page}) == (wrong, 3 - len(wrong))

    def test_style_sheets_and_scripts_that_jekyll_makes(self, tmp_path):
        made = {f"css/{name}": "---\n---\n" for name in ("a.scss", "b.sass", "c.coffee")}
        page = "[x](/css/a.css) [x](/css/b.css) [x](/css/c.js) [x](/css/d.css) [x](/css/d.scss) [x](/css/e.css)"
        files = {**made, "_config.yml": "title: x\n", "css/d.scss": "a {}\n", "index.md": page}
        assert sources(tmp_path, files) == (["/css/d.css", "/css/e.css"], 3)

    @pytest.mark.growth
    def test_a_pattern_of_jekyll_takes_a_bounded_time(self):
        values = {f"exclude/{'*a' * 100}{number}": True for number in range(50)} | {"exclude": None}
        pattern = re.compile(excluded_files(values, "_site"), re.DOTALL)
        with processor_limit(10):
            assert not pattern.fullmatch("a/" * 2000)

    def test_a_block_and_an_import_are_no_reference(self, tmp_path):
        page = "import X from '@site/src/x';\n\n:::note[A [b](./b.md)]\n[gone](gone.md)\n:::\n"
        files = {"docusaurus.config.js": DOCUSAURUS, "docs/a.mdx": page, "docs/b.md": "# B"}
        assert sources(tmp_path, files) == (["gone.md"], 0)

    @pytest.mark.parametrize("reference", ["pathname:///x.zip", "~/assets/x.png", "@/x.png", "@theme/x"])
    def test_what_only_the_program_knows_is_not_checked(self, tmp_path, reference):
        files = {"docusaurus.config.js": DOCUSAURUS, "docs/a.md": f"[x]({reference}) [y](gone.md)"}
        assert sources(tmp_path, files) == (["gone.md"], 0)


@pytest.mark.parametrize("settings", ["export default {dir: {input: 'src'}}", ELEVENTY])
def test_a_template_may_say_its_url(tmp_path, settings):
    files = {
        "eleventy.config.js": settings,
        "src/posts/two.liquid": "---\npermalink: /custom/\n---\nx\n",
        "src/feed.njk": "---\npermalink: feed.xml\n---\n",
        "src/index.md": "[x](/custom/) [x](/feed.xml) [x](/gone/) [x](/gone.xml)",
    }
    assert sources(tmp_path, files) == (["/gone/", "/gone.xml"], 2)


def test_a_url_may_be_text_without_quotes(tmp_path):
    files = {
        ".eleventy.js": "module.exports = {dir: {input: 'src'}};",
        "src/a.md": "---\npermalink: /blog/{{ page.fileSlug | slug }}/x.html # the address\n---\n",
        "src/b.md": "---\npermalink: /it's a {b}#c/\n---\n",
        "src/index.md": "[x](/blog/a/x.html) [x](</it's a {b}%23c/>) [x](/blog/a/y.html) [x](</it's a {b}/>)",
    }
    assert sources(tmp_path, files) == (["/blog/a/y.html", "/it's a {b}/"], 1)


@pytest.mark.parametrize(
    "beginning",
    [
        '---json\n{"permalink": "/own/"}\n---\n',
        "---js\n{permalink: '/own/', title: 'x'}\n---\n",
        "---\neleventyComputed:\n  permalink: /own/\n---\n",
    ],
)
def test_forms_of_front_matter_of_eleventy(tmp_path, beginning):
    files = {".eleventy.js": "module.exports = {dir: {input: 'src'}};", "src/a.md": beginning}
    assert sources(tmp_path, {**files, "src/index.md": "[x](/own/) [x](/gone/)"})[0] == ["/gone/"]


@pytest.mark.parametrize(
    ("name", "text", "is_hugo"),
    [
        ("config.yml", "blank_issues_enabled: false\n", False),
        ("config.toml", "title = 'x'\nbaseURL = 'https://e.example/'\n", True),
        ("config.json", '{"TEST": "x"}', False),
        ("hugo.toml", "title = 'x'\n", True),
    ],
)
def test_a_file_of_another_program_is_not_hugos(tmp_path, name, text, is_hugo):
    write(tmp_path, {f"a/{name}": text, "a/b.md": "[x](b.md)"})
    assert ("Hugo" in str(audit(str(tmp_path / "a"), AuditOptions()).settings)) is is_hugo
    write(tmp_path, {"a/content/c.md": ""})
    assert "Hugo" in str(audit(str(tmp_path / "a"), AuditOptions()).settings)


def test_links_of_a_readme_of_mdbook(tmp_path):
    files = {"book.toml": "", "src/SUMMARY.md": "[A](README.md)\n", "src/gone.md": ""}
    page = "[x](gone.md) [x](SUMMARY.md) [x](index.md)"
    assert sources(tmp_path, {**files, "src/README.md": page})[0] == ["gone.md", "SUMMARY.md"]


def test_sources_of_docusaurus_beside_the_folder(tmp_path):
    settings = (
        "export default {url: 'https://e.example', baseUrl: '/', presets: [['classic', {docs: {path: '../docs'}}]]};"
    )
    files = {"website/docusaurus.config.js": settings, "docs/a.md": "# A", ".git/HEAD": ""}
    page = "[x](/docs/a) [x](/gone)"
    assert sources(tmp_path, {**files, "website/src/pages/p.md": page}, "website")[0] == ["/gone"]


def test_what_may_be_the_base_is_not_checked(tmp_path):
    files = {
        ".eleventy.js": "module.exports = (c) => read(c);",
        "src/index.md": "[x](/base/) [x](/base/b/) [x](/b/) [x](/base/gone/) [x](/gone.png)",
        "src/b.md": "# B\n",
    }
    assert sources(tmp_path, files) == (["/base/gone/", "/gone.png"], 1)


@pytest.mark.growth
def test_a_url_of_many_placeholders_takes_linear_time(tmp_path):
    form = "/b" + "{{ a }}" * 50 + "end"
    files = {
        ".eleventy.js": "module.exports = {dir: {input: 'src'}};",
        "src/a.njk": f"---\npermalink: {form}\n---\n",
        "src/index.md": f"[x](/{'b' * 2000}end) [y](/{'b' * 2000})",
    }
    with processor_limit(5):
        found, made = sources(tmp_path, files)
    assert (found, made) == ([f"/{'b' * 2000}"], 1)


def test_redirects_of_mdbook_are_pages(tmp_path):
    settings = '[book]\ntitle = "x"\n[output.html.redirect]\n"/old.html" = "a.html"\n"/deep/x=y.html" = "../a.html"\n'
    files = {
        "book.toml": settings,
        "src/SUMMARY.md": "- [A](a.md)\n- [B](sub/b.md)\n",
        "src/sub/b.md": "[x](../old.html) [x](old.html)",
    }
    found, made = sources(tmp_path, {**files, "src/a.md": "[x](old.html) [x](/old.html) [x](gone.html)"})
    assert (found, made) == (["gone.html", "old.html"], 3)


class TestLanguages:
    """The folders of languages."""

    HUGO = (
        "baseURL = 'https://e.example/'\ndefaultContentLanguage = 'en'\n%s[languages.de]\ncontentDir = 'content/de'\n%s"
    )
    ENGLISH = "[languages.en]\ncontentDir = 'content/en'\n"

    @pytest.mark.parametrize(
        ("settings", "wrong"),
        [
            (HUGO % ("", ENGLISH), ["/docs/b/#nutzung"]),
            (HUGO % ("defaultContentLanguageInSubdir = true\n", ENGLISH), ["/docs/b/#usage", "/docs/b/#nutzung"]),
        ],
    )
    def test_hugo_has_one_for_each(self, tmp_path, settings, wrong):
        page = "[x](/docs/b/#usage) [x](/docs/b/#nutzung) [x](/de/docs/b/#nutzung) [x](/en/docs/b/#usage)"
        files = {"content/de/docs/b.md": "## Nutzung\n", "content/en/docs/b.md": "## Usage\n"}
        assert sources(tmp_path, {**files, "hugo.toml": settings, "content/de/a.md": page}) == (wrong, 0)

    def test_a_language_without_a_folder_is_in_the_usual_one(self, tmp_path):
        files = {"hugo.toml": self.HUGO % ("", "[languages.en]\nweight = 1\n"), "content/en/b.md": "## Usage\n"}
        page = "[x](/en/b/#usage) [x](/b/) [x](/gone/)"  # as built by Hugo 0.111
        assert sources(tmp_path, {**files, "content/a.md": page}) == (["/b/", "/gone/"], 0)

    def test_permalinks_of_hugo_are_in_each_language(self, tmp_path):
        files = {
            "hugo.toml": HUGO + "[languages.en]\n[languages.fr]\n[permalinks]\nposts = '/b/:slug/'\n",
            "content/posts/one.fr.md": "---\nslug: un\n---\n",
            "content/posts/one.md": "---\nslug: one\n---\n",
        }
        right = "/fr/b/un/ /b/one/ /fr/ /en/ /fr/posts/ /posts/".split()
        wrong = "/b/un/ /fr/b/one/ /fr/posts/one/ /posts/one/ /de/ /fr/b/".split()
        page = " ".join(f"[x]({one})" for one in right + wrong)
        assert sources(tmp_path, {**files, "content/a.md": page}) == (wrong, 3)

    def test_permalinks_of_hugo_in_the_folder_of_a_language(self, tmp_path):
        start = HUGO + "defaultContentLanguageInSubdir = true\n"
        folders = "[languages.en]\ncontentDir = 'en'\n[languages.de]\ncontentDir = 'de'\n"
        files = {
            "hugo.toml": start + folders + "[permalinks]\nblog = '/b/:slug/'\n",
            "en/blog/a.md": "---\nslug: one\n---\n",
            "de/blog/a.md": "---\nslug: eins\n---\n",
        }
        right, wrong = ["/en/b/one/", "/de/b/eins/"], ["/b/one/", "/de/b/one/"]
        page = " ".join(f"[x]({one})" for one in right + wrong)
        assert sources(tmp_path, {**files, "en/b.md": page}) == (wrong, 0)


class TestPermalinks:
    """Settings that give the pages of a folder their URLs."""

    POSTS = {  # noqa: RUF012
        "content/posts/one.md": "---\ndate: 2024-01-02\nslug: Mine\n---\n[x](../title-two/) [x](gone.md)\n",
        "content/posts/two.md": "+++\ntitle = 'Title Two'\ndate = '2024-01-02'\n+++\n## Part\n",
    }

    @pytest.mark.parametrize("table", ["permalinks", "permalinks.page"])
    def test_hugo_builds_those_of_a_section(self, tmp_path, table):
        page = "[x](/2024/mine/) [x](/2024/title-two/#part) [x](/2024/gone/) [x](/2024/title-two/#gone)"
        settings = f'{HUGO}[{table}]\nposts = "/:year/:slug/"\n'
        found, made = sources(tmp_path, {**self.POSTS, "hugo.toml": settings, "content/_index.md": page})
        assert (found, made) == (["/2024/gone/", "/2024/title-two/#gone", "gone.md"], 0)

    def test_a_text_that_is_not_certain_is_any_text(self, tmp_path):
        files = {
            "hugo.yaml": "baseURL: https://e.example/\npermalinks:\n  posts: /:year/:slug/\n",
            "content/posts/a.md": "---\ntitle: What's new?\n---\n[x](../any/)",
            "content/_index.md": "[x](/2024/any/) [x](/gone/)",
        }
        assert sources(tmp_path, files) == (["/gone/"], 2)

    @pytest.mark.parametrize(
        "collection",
        ["{output: true, permalink: '/r/:name/'}", "\n    output: true\n    permalink: /r/:name/"],
    )
    def test_jekyll_builds_those_of_a_collection(self, tmp_path, collection):
        files = {
            "_config.yml": f"url: https://e.example\ncollections:\n  recipes: {collection}\n",
            "_recipes/soup.md": "---\n---\n## Part\n",
            "index.md": "[x](/r/soup/#part) [x](/r/soup/#gone) [x](/r/gone/) [x](/feed.xml)",
        }
        assert sources(tmp_path, files) == (["/r/soup/#gone", "/r/gone/"], 1)

    def test_the_folders_of_a_page_may_be_in_its_path(self, tmp_path):
        settings = (
            "url: https://e.example\ncollections:\n  docs:\n    output: true\n    permalink: /d/:collection/:path/\n"
        )
        files = {
            "_config.yml": settings,
            "_docs/guide/x.md": "# X\n",
            "index.md": "[x](/d/docs/guide/x/) [x](/d/gone/x/)",
        }
        assert sources(tmp_path, files) == (["/d/gone/x/"], 0)

    def test_a_collection_that_cannot_be_read_may_have_any(self, tmp_path):
        settings = "url: https://e.example\ncollections:\n  recipes: {a: [b], permalink: /r/}\n"
        assert sources(tmp_path, {"_config.yml": settings, "index.md": "[x](/r/any/)"}) == ([], 1)

    def test_those_that_cannot_be_read_are_not_known(self, tmp_path):
        settings = 'baseURL = "https://e.example/"\npermalinks = "/:slug/"\n'
        files = {"hugo.toml": settings, "content/_index.md": "[x](/any/) [x](/gone.png)"}
        assert sources(tmp_path, files) == (["/gone.png"], 1)


#: Settings of Docusaurus with its kinds of content in other places, and a place for one more plugin.
ROUTES = """\
export default {url: 'https://e.example', baseUrl: '/lamp/',
  presets: [['classic', /** @type {O} */ ({
    docs: {routeBasePath: '/manual'},
    blog: {path: './news', routeBasePath: 'n'},
  })]],
  plugins: [
    [require.resolve('@docusaurus/plugin-content-docs'), {id: 'api', path: 'api', routeBasePath: 'ref'} satisfies O],
    %s
  ]};
"""


class TestBeside:
    """An audit of one folder of a project: the pages and files of the project beside it are known."""

    @pytest.mark.parametrize(
        ("files", "page", "right", "wrong"),
        [
            pytest.param(
                {
                    "docusaurus.config.ts": ROUTES % "'plugin-sitemap',",
                    "docs/b.md": "# B",
                    "news/2026-01-02-hi.md": "# H",
                    "src/pages/about.tsx": "x",
                    "api/call.md": "# C",
                    "api_versioned_docs/version-1.0/call.md": "# C",
                    "static/a.png": b"x",
                    "build/old/index.html": "x",
                },
                "docs/a.md",
                ["/manual/b", "/n", "/n/2026/01/02/hi", "/about", "/ref/call", "/ref/1.0/call", "/a.png", "/lamp/n"],
                ["/manual/gone", "/docs/b", "/ref/gone", "/gone", "/api/call", "/n/2026/01/02/no", "/old"],
                id="docusaurus",
            ),
            pytest.param(
                {
                    "docs/.vitepress/config.ts": "export default {srcDir: 'src'}",
                    "docs/src/b.md": "# B",
                    "docs/src/public/a.png": b"x",
                },
                "docs/src/c/a.md",
                ["/b", "../b", "/c/a", "/a.png"],
                ["/src/b", "/gone"],
                id="vitepress",
            ),
            pytest.param(
                {"astro.config.mjs": ASTRO, "src/content/docs/b.md": "# B", "src/pages/x.astro": "x"},
                "src/content/docs/a.md",
                ["/lamp/b/", "/lamp/x/"],
                ["/lamp/gone/"],
                id="starlight",
            ),
            pytest.param(
                {
                    "eleventy.config.js": "module.exports = function (c) { return {dir: {input: 'text'}}; }",
                    "text/b.md": "# B",
                    "text/img/a.png": b"x",
                    "_site/old/index.html": "x",
                },
                "text/posts/a.md",
                ["/b/", "/posts/a/", "/img/a.png"],
                ["/gone/", "/old/"],
                id="eleventy",
            ),
            pytest.param(
                {
                    "hugo.toml": "contentDir = 'text'",
                    "text/b.md": "# B",
                    "static/a.png": b"x",
                    "themes/t/static/css/t.css": "a{}",
                },
                "text/docs/a.md",
                ["/b/", "/docs/a/", "/a.png", "/css/t.css"],
                ["/gone/", "/text/b/"],
                id="hugo",
            ),
            pytest.param(
                {
                    "_config.yml": "title: x",
                    "_posts/2026-01-02-p.md": "# P",
                    "about.md": "---\npermalink: /me/\n---\n",
                    "assets/x.png": b"x",
                    "_site/old/index.html": "x",
                },
                "_docs/a.md",
                ["/docs/a", "/2026/01/02/p.html", "/me/", "/assets/x.png"],
                ["/gone/", "/old/"],
                id="jekyll",
            ),
            pytest.param(
                {"book.toml": "[book]\nsrc = 'text'", "text/b.md": "# B"},
                "text/d/a.md",
                ["/b.html", "a.html"],
                ["/gone.html"],
                id="mdbook",
            ),
        ],
    )
    def test_it_is_known(self, tmp_path, files, page, right, wrong):
        text = "# A\n\n" + "\n".join(f"[x]({one})" for one in [*right, *wrong])
        write(tmp_path, {**files, page: text})
        (tmp_path / ".git").mkdir()
        result = audit(str((tmp_path / page).parent), AuditOptions())
        assert sorted(references(result)) == sorted(wrong)

    @pytest.mark.parametrize(
        ("plugin", "wrong", "made"),
        [
            ("['client-redirects', {redirects: [{from: ['/old', '/o2'], to: '/x'}]}],", ["/manual/no", "/x/y"], 2),
            ("['client-redirects', {createRedirects(path) { return path; }}],", [], 4),
            ("'one-that-is-not-known',", ["/manual/no"], 3),
            ("...others,", ["/manual/no"], 3),
            ("['content-blog', {id: 'x', path: 'x', routeBasePath: route()}],", [], 4),
            ("'plugin-sitemap', ['content-docs', {id: 'x', path: 'x', routeBasePath: 'o2'}],", None, 0),
        ],
    )
    def test_what_plugins_add_is_no_finding(self, tmp_path, plugin, wrong, made):
        page = "[a](/manual/no) [b](/x/y) [c](/old) [d](/o2)"
        files = {"docusaurus.config.js": ROUTES % plugin, "docs/a.md": page}
        expected = ["/manual/no", "/x/y", "/old", "/o2"] if wrong is None else wrong
        assert sources(tmp_path, files, "docs") == (expected, made)

    def test_nothing_at_the_root_is_a_finding_if_the_settings_cannot_be_read(self, tmp_path):
        files = {
            "docusaurus.config.js": "export default make();",
            "docs/a.md": "[a](/manual/no) [b](gone) [c](gone.md)",
        }
        assert sources(tmp_path, files, "docs") == (["gone", "gone.md"], 1)

    @pytest.mark.parametrize(
        ("docs", "found"), [("{}", ["/docs/no", "gone.md"]), ("options", ["gone.md"]), ("{path: x()}", ["gone.md"])]
    )
    def test_options_of_the_preset(self, tmp_path, docs, found):
        files = {
            "docusaurus.config.js": f"export default {{presets: [['classic', {{docs: {docs}, blog: {{}}}}]]}};",
            "docs/a.md": "[a](/docs/no) [b](/docs/b#part) [c](/blog/c) [d](gone.md)",
            "docs/01-b.md": "## Part",
            "blog/c.md": "# C",
        }
        assert sources(tmp_path, files, "docs")[0] == found

    def test_a_link_out_of_the_project_is_not_followed(self, tmp_path):
        (tmp_path / "secret.md").write_text("---\nslug: /secret\n---\n")
        write(tmp_path / "project", {"docusaurus.config.js": DOCUSAURUS, "docs/a.md": "[x](/secret)", "blog/b.md": ""})
        (tmp_path / "project/blog/link.md").symlink_to(tmp_path / "secret.md")
        found, _ = sources(tmp_path / "project", {}, "docs")
        assert found == ["/secret"]


class TestTemplates:
    def test_those_of_jekyll_are_in_the_folder_of_the_sources(self, tmp_path):
        text = """<link href='{{ "/assets/main.css" | relative_url }}'><a href='{{ "/gone/" | relative_url }}'>x</a>"""
        files = {"src/_layouts/default.html": f"{text}<a href='x/'>x</a>", "src/assets/main.scss": "---\n---\n"}
        found, _ = sources(tmp_path, {"_config.yml": "source: src\n", "src/index.md": "", **files})
        assert [one.count("gone") for one in found] == [1]

    @pytest.mark.parametrize(
        ("settings", "template"),
        [("_config.yml", "_layouts/a.html"), (".eleventy.js", "src/_includes/a.html"), ("hugo.toml", "layouts/a.html")],
    )
    def test_only_their_paths_from_the_root_are_checked(self, tmp_path, settings, template):
        page = "<a href='{{ x }}'>x</a><a href='gone.html'>y</a><a href='/gone/'>y</a><a href='/c/'>y</a>"
        write(
            tmp_path,
            {settings: "", template: page, "b.html": "<a href='gone.html'>y</a>", "c.md": "", "content/c.md": ""},
        )
        result = audit(str(tmp_path), AuditOptions())
        assert sorted(told(result)) == sorted(
            [("b.html", "missing-target", "gone.html"), (template, "missing-target", "/gone/")]
        )
        assert result.coverage.unchecked["in a template of the site generator"] == 2


class TestPluginsOfMkDocs:
    @pytest.mark.parametrize(
        ("plugins", "wrong"),
        [
            ("", ["api/x.md", "../blog/2026/01/02/x/", "gone.md", "c/gone.md"]),
            ("plugins: [search, blog]", ["api/x.md", "gone.md", "c/gone.md"]),
            ("plugins: [awesome-pages]", ["api/x.md", "../blog/2026/01/02/x/", "gone.md", "c/gone.md"]),
            ("plugins: [search, gen-files]", []),
            ("plugins: [one-that-is-not-known]", ["../blog/2026/01/02/x/", "gone.md", "c/gone.md"]),
        ],
    )
    def test_pages_that_they_make(self, tmp_path, plugins, wrong):
        page = "[a](api/x.md) [b](../blog/2026/01/02/x/) [c](gone.md) [d](c/gone.md)"

        files = {"mkdocs.yml": plugins, "docs/a.md": page, "docs/c/d.md": "", "docs/blog/index.md": ""}
        found, made = sources(tmp_path, files, "docs")
        assert [one for one in found if one in page] == wrong
        assert made == 4 - len(wrong)

    def test_a_blog_moves_posts_and_no_other_file(self, tmp_path):
        post = "[a](../../img/gone.png) [b](../../img/x.png) [c](x.png) [d](p3.md) [e](../v1.2/) [f](feed.xml)\n"
        files = {"mkdocs.yml": "plugins: [blog]\n", "docs/blog/posts/p2.md": post, "docs/img/x.png": b"x"}
        assert sources(tmp_path, files, "docs") == (["../../img/gone.png", "p3.md"], 3)


def starlight(options):
    return f"import starlight from '@astrojs/starlight';\nexport default {{integrations: [starlight({{{options}}})]}};"


def test_settings_count_for_a_translation_of_docusaurus(tmp_path):
    tree = "i18n/fr/docusaurus-plugin-content-docs/current"
    page = "[a](./guide/01-start.md) [b](/docs/guide/start) [c](/img/logo.png) [d](./gone.md)"
    files = {"docusaurus.config.js": DOCUSAURUS, "docs/guide/01-start.md": "", "static/img/logo.png": b"x"}
    assert sources(tmp_path, {**files, f"{tree}/intro.md": page}, tree) == (["./gone.md"], 0)


class TestLanguagesOfStarlight:
    """A language has the pages of the default one that it does not have itself."""

    PAGE = "[a](/fr/guide/) [b](/fr/guide/#gone) [c](/fr/gone/) [d](/de/guide/) [e](/fr/about/) [f](guide/)"

    @pytest.mark.parametrize(
        ("settings", "english", "wrong", "made"),
        [
            (starlight("defaultLocale: 'en', locales: {en: {}, fr: {}}"), "en/", ["/fr/guide/#gone", "/de/guide/"], 0),
            (starlight("locales: {root: {lang: 'en'}, fr: {}}"), "", ["/fr/guide/#gone", "/de/guide/"], 0),
            (starlight("title: 'x'"), "en/", ["/fr/guide/", "/fr/guide/#gone", "/de/guide/", "guide/"], 0),
            (starlight("defaultLocale: 'en', locales"), "en/", [], 5),
            (starlight("...shared"), "", [], 4),
        ],
    )
    def test_pages_of_the_default_language(self, tmp_path, settings, english, wrong, made):
        docs = {f"src/content/docs/{english}guide.md": "# G", "src/content/docs/fr/index.md": self.PAGE}
        found = sources(tmp_path, {"astro.config.mjs": settings, "src/pages/about.md": "", **docs}, "src")
        always = ["/fr/gone/", *(["/fr/about/"] if made == 0 else [])]
        assert (sorted(found[0]), found[1]) == (sorted([*wrong, *always]), made)

    def test_a_page_of_the_language_wins(self, tmp_path):
        docs = {"en/a.md": "# A", "fr/a.md": "# B", "fr/index.md": "[a](/fr/a/#a) [b](/fr/a/#b)"}
        files = {f"src/content/docs/{name}": text for name, text in docs.items()}
        settings = starlight("defaultLocale: 'en', locales: {en: {}, fr: {}}")
        assert sources(tmp_path, {"astro.config.mjs": settings, **files}) == (["/fr/a/#a"], 0)


def test_a_base_and_a_route_are_no_missing_folder(tmp_path):
    settings = (
        "export default {baseUrl: '/lamp/', plugins: [['content-docs', {id: 'a', path: 'a', routeBasePath: 'ref'}]]}"
    )
    page = "[a](/lamp/a/gone) [b](/ref/gone) [c](/other/gone)"
    write(tmp_path, {"docusaurus.config.js": settings, "a/b.md": page})
    found = audited(tmp_path, base_url=None).findings
    messages = ["the site has no such file", "the site has no such file", "the site has no folder other/"]
    assert [one.message for one in found] == messages


def test_sources_in_the_folder_of_a_blog(tmp_path):
    page = "[a](p1.md) [b](p3.md) [c](../../gone.md) [d](../x/) [e](../../img/gone.png)"
    files = {"mkdocs.yml": "plugins:\n  - blog:\n      blog_dir: news\n", "docs/news/posts/p1.md": "# P"}
    files |= {"docs/news/posts/p2.md": page, "docs/index.md": "[a](news/posts/p4.md) [b](news/2026/)"}
    assert sources(tmp_path, files, "docs") == (["news/posts/p4.md", "p3.md", "../../gone.md", "../../img/gone.png"], 2)


#: Sources of Docusaurus without its settings.
FILES = {"docs/a.md": "[x](/docs/b) [x](/img/x.png) [x](gone)", "docs/01-b.md": "# B", "static/img/x.png": b"x"}


class TestSite:
    """The option `site`."""

    def test_it_names_the_generator_of_sources_without_settings(self, tmp_path):
        write(tmp_path, FILES)
        result = audit(str(tmp_path / "docs"), AuditOptions(site="docusaurus"))
        assert references(result) == ["gone"]
        assert "Docusaurus (--site; no settings file, so the base is not known): it makes" in result.settings

    def test_without_it_the_generator_is_not_known(self, tmp_path):
        found, _ = sources(tmp_path, FILES, "docs")
        assert found == ["/docs/b", "/img/x.png", "gone"]

    def test_a_generator_is_recognized(self, tmp_path):
        files = {**FILES, "docs/c.mdx": "[x](@site/docs/a.md)"}
        write(tmp_path, files)
        result = audit(str(tmp_path / "docs"), AuditOptions())
        assert references(result) == ["gone"]
        assert "Docusaurus (inferred: @site/ in a source): it makes the pages of the sources" in result.settings

    @pytest.mark.parametrize(
        "text",
        ["```mdx\nimport A from '@theme/A'\n[x](@site/a.md)\n```", "Set `onBrokenLinks`, write `[x]({filename}a.md)`."],
    )
    def test_a_page_about_a_generator_is_not_its_source(self, tmp_path, text):
        write(tmp_path, {"docs/a.md": text})
        assert audit(str(tmp_path / "docs"), AuditOptions()).settings == ""

    def test_no_generator(self, tmp_path):
        files = {"docusaurus.config.js": DOCUSAURUS, "a.md": "[x](/docs/tags)"}
        assert sources(tmp_path, files, site="none") == (["/docs/tags"], 0)

    def test_its_settings_count_for_any_built_folder(self, tmp_path):
        files = {"docusaurus.config.js": DOCUSAURUS, "out/index.html": "<a href=/lamp/>x</a>"}
        write(tmp_path, files)
        assert audit(str(tmp_path / "out"), AuditOptions()).base_url == "http://tree.invalid/"
        assert audit(str(tmp_path / "out"), AuditOptions(site="docusaurus")).base_url == "https://e.example/lamp/"

    def test_another_name_is_refused(self):
        with pytest.raises(InvalidOption, match="site"):
            AuditOptions(site="gatsby")  # type: ignore[arg-type]

    def test_front_matter_is_not_followed_out_of_the_tree(self, tmp_path):
        outside = tmp_path / "secret.md"
        outside.write_text("---\nslug: /secret\n---\n")
        tree = tmp_path / "tree"
        write(tree, {"docusaurus.config.js": DOCUSAURUS, "docs/a.md": "[x](/docs/secret)"})
        (tree / "docs/link.md").symlink_to(outside)
        assert told(audited(tree, base_url=None)) == [("docs/a.md", "missing-target", "/docs/secret")]


@pytest.mark.parametrize(
    ("settings", "folder", "broken"),
    [
        ("", "", ["img/pic.png", "../img/pic.png", "/img/none.png"]),
        ("", "content", ["img/pic.png", "../img/pic.png", "/img/none.png"]),
        ("uglyURLs = true\n", "content", ["img/pic.png", "/img/none.png"]),
    ],
)
def test_files_of_static_count_from_the_page_of_hugo(tmp_path, settings, folder, broken):
    """`/posts/a/` is a folder of its own: `../img` is in `/posts/`, unless the page is `/posts/a.html`."""
    references = ["img/pic.png", "/img/pic.png", "../img/pic.png", "../../img/pic.png", "/img/none.png"]
    write(
        tmp_path,
        {
            "hugo.toml": f'baseURL = "https://x.example/"\n{settings}',
            "static/img/pic.png": "",
            "content/posts/a.md": "---\ntitle: A\n---\n" + " ".join(f"![x]({one})" for one in references),
        },
    )
    assert [one.reference for one in audit(str(tmp_path / folder), AuditOptions()).findings] == broken


def broken(root, **options):
    return [one.reference for one in audit(str(root), AuditOptions(**options)).findings]


def test_relative_links_of_a_folder_page_of_vitepress(tmp_path):
    """The URL of `fr/index.md` is `/fr/`, and that of `fr/a.md` is `/fr/a`."""
    links = "[g](guide/) [h](../guide/) [i](/guide/) [j](./a)\n"
    write(
        tmp_path,
        {
            ".vitepress/config.js": "export default {}",
            "guide/index.md": "# G\n",
            "fr/index.md": links,
            "fr/a.md": links,
        },
    )
    found = audit(str(tmp_path), AuditOptions()).findings
    assert [(one.path, one.reference) for one in found] == [("fr/a.md", "guide/"), ("fr/index.md", "guide/")]


@pytest.mark.parametrize("folder", ["", "content"])
@pytest.mark.parametrize("settings", ["", "disablePathToLower = true\n"])
def test_upper_case_in_urls_of_hugo(tmp_path, folder, settings):
    links = "[a](/Docs/A/) [b](/docs/A) [c](/docs/a/) [d](A.md) [e](/docs/One%20Two/) [f](/docs/one-two/)\n"
    write(
        tmp_path,
        {
            "hugo.toml": f'baseURL = "https://x.example/"\n{settings}',
            "content/docs/A.md": "# A\n",
            "content/docs/One Two.md": "# A\n",
            "content/docs/x.md": links,
        },
    )
    wrong = ["/Docs/A/", "/docs/A", "/docs/One%20Two/"] if not settings else []
    assert broken(tmp_path / folder) == wrong


def test_folders_of_sources_are_no_part_of_urls(tmp_path):
    """A host of repositories reads a name that begins with a slash so: the name of a source passes."""
    write(
        tmp_path,
        {
            "hugo.toml": 'baseURL = "https://x.example/"\n',
            "content/docs/a.md": "# A\n",
            "content/docs/x.md": "[a](/content/docs/a/) [b](/docs/a/) [c](/content/docs/a.md) [d](/docs/no/)\n",
        },
    )
    found = audit(str(tmp_path), AuditOptions()).findings
    assert [one.reference for one in found] == ["/content/docs/a/", "/docs/no/"]
    assert all("no such file" in one.message for one in found)  # and not: no such folder


def test_the_hint_about_a_missing_image_is_not_about_pages(tmp_path):
    write(
        tmp_path,
        {
            "_config.yml": "permalink: pretty\n",
            "assets/a.png": "",
            "docs/a.md": "---\npermalink: /p/a/\n---\n![x](../assets/a.png)\n",
        },
    )
    [found] = audit(str(tmp_path), AuditOptions(select=("LF101",))).findings
    assert "no page is made" not in f"{found.message} {found.hint}"
