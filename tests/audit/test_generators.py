from __future__ import annotations

import time

import pytest
from support.audit_trees import audited, told, write

from linkfix.auditing import AuditOptions, audit
from linkfix.auditing.generators import GENERATORS, NO_SETTINGS, find_settings, find_sources, settings_files

PAGES = {"index.html": "<a href=/docs/a.html>a</a>", "a.html": "<p>a"}


DOCUSAURUS = """\
const config: Config = {
  url: 'https://e.example', // the host
  baseUrl: "/docs/",
  trailingSlash: false,
  themeConfig: {navbar: {url: 'https://no.example'}},
};
export default config;
"""


def found(folder, files, built):
    """The settings for the folder `built` in a project with these files."""
    write(folder, files)
    (folder / built).mkdir(parents=True, exist_ok=True)
    return find_settings(str((folder / built).resolve()))


class TestEachGenerator:
    @pytest.mark.parametrize(
        ("name", "text", "built", "url", "path", "clean"),
        [
            ("mkdocs.yml", "site_url: https://e.example/docs/\n", "site", "https://e.example/docs/", "/docs/", False),
            ("mkdocs.yml", "site_url: 'https://e.example' # our host\n", "site", "https://e.example/", "/", False),
            ("mkdocs.yaml", 'site_url: "https://e.example/a b"\n', "site", None, None, False),
            ("mkdocs.yml", "site_url: !ENV [URL, 'https://e.example/']\n", "site", None, None, False),
            ("mkdocs.yml", "site_url: https://a.example/\nsite_url: https://b.example/\n", "site", None, None, False),
            ("mkdocs.yml", "extra:\n  site_url: https://e.example/\n", "site", None, None, False),
            ("mkdocs.yml", "site_url:https://e.example/\n", "site", None, None, False),
            (
                "mkdocs.yml",
                "site_dir: public\nsite_url: https://e.example/\n",
                "public",
                "https://e.example/",
                "/",
                False,
            ),
            ("mkdocs.yml", "site_dir: public\nsite_url: https://e.example/\n", "site", None, None, False),
            ("mkdocs.yml", "site_url: https://e.example/\n", "other", None, None, False),
            ("mkdocs.yml", "site_url: https://e.example/a/\n", "docs", "https://e.example/a/", "/a/", False),
            (
                ".vitepress/config.mts",
                "export default defineConfig({ base: '/docs/', cleanUrls: true })",
                ".vitepress/dist",
                None,
                "/docs/",
                True,
            ),
            (".vitepress/config.ts", "export default {cleanUrls: true}", ".vitepress/dist", None, None, True),
            (
                ".vitepress/config.ts",
                "export default {cleanUrls: isClean, base: './'}",
                ".vitepress/dist",
                None,
                None,
                False,
            ),
            (
                "docusaurus.config.ts",
                DOCUSAURUS,
                "build",
                "https://e.example/docs/",
                "/docs/",
                True,
            ),
            (
                "docusaurus.config.js",
                "module.exports = {url: `https://e.example`, baseUrl: '/', trailingSlash: true};",
                "build",
                "https://e.example/",
                "/",
                False,
            ),
            (
                "docusaurus.config.js",
                "module.exports = {url: 'https://e.example', baseUrl: process.env.BASE || '/'}",
                "build",
                None,
                None,
                False,
            ),
            (
                "astro.config.mjs",
                "export default defineConfig({site: 'https://e.example', base: 'docs'})",
                "dist",
                "https://e.example/docs/",
                "/docs/",
                False,
            ),
            (
                "astro.config.mjs",
                "export default defineConfig({site: 'https://e.example'})",
                "dist",
                "https://e.example/",
                "/",
                False,
            ),
            (
                "hugo.toml",
                "baseURL = 'https://e.example/docs/'\n",
                "public",
                "https://e.example/docs/",
                "/docs/",
                False,
            ),
            ("config.toml", 'baseurl = "https://e.example"\n', "public", "https://e.example/", "/", False),
            ("config.toml", "[params]\nbaseURL = 'https://e.example/docs/'\n", "public", None, None, False),
            ("config.toml", "a = '''\nbaseURL = 'https://e.example/'\n'''\n", "public", None, None, False),
            ("config.toml", "base_url = 'https://zola.example/'\n", "public", None, None, False),
            ("hugo.yaml", "baseURL: https://e.example/\n", "public", "https://e.example/", "/", False),
            ("hugo.json", '{"baseURL": "https://e.example/"}', "public", "https://e.example/", "/", False),
            ("config/_default/hugo.toml", "baseURL='https://e.example/'", "public", "https://e.example/", "/", False),
            (
                "_config.yml",
                "url: https://e.example\nbaseurl: /docs\n",
                "_site",
                "https://e.example/docs/",
                "/docs/",
                False,
            ),
            ("_config.yml", 'url: ""\nbaseurl: "/docs"\n', "_site", None, "/docs/", False),
            ("_config.yml", "title: x\n", "_site", None, None, False),
            (
                "_config.yml",
                (
                    "# x\n---\ntitle: \"it's\"\na: 'b''s' # \" \" for none\nplugins:\n- b#'c # don't\n"
                    "about: >\n  a\n  'b'\nurl: https://e.example\n"
                ),
                "_site",
                "https://e.example/",
                "/",
                False,
            ),
        ],
    )
    def test_settings(self, tmp_path, name, text, built, url, path, clean):
        settings = found(tmp_path, {name: text}, built)
        assert (settings.url, settings.path, settings.clean_urls) == (url, path, clean)

    @pytest.mark.parametrize("generator", GENERATORS, ids=lambda generator: generator.name)
    def test_an_empty_or_unreadable_file_has_no_settings(self, tmp_path, generator):
        for number, name in enumerate(generator.files):
            project = tmp_path / str(number)
            read = found(project, {name: b"\xff\0{[("}, generator.built)
            assert read._replace(file="", served=(), project=None, folder="", is_unread=False) == NO_SETTINGS
            (project / name).unlink()
            (project / name).mkdir()
            assert found(project, {}, generator.built) == NO_SETTINGS


class TestJavaScript:
    """Only a literal at the top of the exported object counts."""

    @pytest.mark.parametrize(
        "text",
        [
            "export default {base: '/x/'}",
            "export default withMermaid(defineConfig({base: '/x/',}))",
            "export default {base: '/y/', base: '/x/'}",
            "export default {...shared, base: '/x/'}",
            "export default {[name]: '/y/', base: '/x/'}",
            "export default withMermaid(\n  defineConfig({base: '/x/', f(a) {}, b}),\n)\nfunction f() {}",
            "const config = withPwa({base: '/x/'})\nexport default defineConfig(config)",
            "export default {'base': '/x/', title: `a ${b} c`, match: /['\"{]/g}",
            "/* base: '/no/' */ const a = {base: '/no/'}\nexport default {\n// base: '/no/'\nbase: '/x/'\n}",
            "const config = {base: '/x/'} satisfies UserConfig\nexport default config",
            "/** @type {import('x').Config} */\nconst config = {base: '/x/'};\nmodule.exports = config;",
            "export default () => ({base: '/x/'})",
            "export default async (c) => ({base: '/x/'});",
            "module.exports = c => ({base: '/x/'});\nfunction f() {}",
            "module.exports = c => { if (a) { b() } c.f(d => { return {} }); return {base: '/x/'} }",
            "export default function f(c) { for (x of y) c(x); c(function () { return 1 }); return {base: '/x/'} }",
            "module.exports = async function(c) {};\nmodule.exports.config = {\n  base: '/x/' };",
            "export default async function(c) { try { f() } catch (e) { g() } };\nexport const config = {base: '/x/'}",
            "export const config = {base: '/x/'};\nexport default config",
            "export const config = {a: 'b', base: '/x/'};\nexport default c => ({c: 'd'})",
            "export default defineConfig(({mode}) => ({base: '/x/'}))",
            "export default defineConfig(async (): Promise<UserConfig> => { await f(); return {base: '/x/'} })",
            "export default withPwa(defineConfig(function () { return {base: '/x/'} as any },))",
            "export default defineConfig({base: '/x/'} as any)",
            "export default defineConfig({base: '/x/'} satisfies vite.UserConfig<A, B<() => C>>[])",
            "export default defineConfigWithTheme<ThemeConfig<string>>({base: '/x/'} as unknown as Config)\nf()",
            "const config = {base: '/x/'}\nexport default defineConfig<A>(config as any)",
        ],
    )
    def test_certain(self, tmp_path, text):
        assert found(tmp_path, {".vitepress/config.js": text}, ".vitepress/dist").path == "/x/"

    @pytest.mark.parametrize(
        "text",
        [
            "export default {base: '/x/', ...shared}",
            "export default {base: '/x/' + y}",
            "export default {base: dev ? '/' : '/x/'}",
            "export default {base: `/${x}/`}",
            "export default {base: '\\x2fx/'}",
            "export default {base}",
            "export default {themeConfig: {base: '/x/'}}",
            "export default {head: [[{base: '/x/'}]]}",
            "export default defineConfig(({mode}) => ({base: '/x/'}), {base: '/y/'})",
            "export default defineConfig(() => ({base: '/x/'})).y",
            "export default defineConfig(() => { return {base: '/x/'} }, f)",
            "export default defineConfig({base: '/x/'} as any || y)",
            "export default defineConfig<A<({base: '/x/'})",
            "const config = {base: '/x/'}\nconfig.base = '/y/'\nexport default config",
            "const config = {base: '/x/'}\nfunction f() { const config = {} }\nexport default config",
            "const other = {base: '/x/'}\nexport default config",
            "const base = {base: '/x/'}",
            "export default c => ({base: '/x/'}).y",
            "export default c => (f(), {base: '/x/'})",
            "export default c => ({base: '/x/'}",
            "export default c => { if (a) { return {base: '/y/'} } return {base: '/x/'} }",
            "export default c => { if (a) return {base: '/x/'} }",
            "export default c => { if (a) { return {base: '/x/'} } }",
            "export default c => { try { return {base: '/x/'} } catch { f() } }",
            "export default c => { return f({base: '/x/'}) }",
            "export const config = {base: '/x/'};\nexport default c => ({base: '/y/'})",
            "export const config = {base: '/x/'};\nexport default c => f(c)",
            "export const config = f();\nexport default {base: '/x/'}",
            "export default {base: '/x/'",
            "export default {a: '\n', base: '/x/'}",
            "export default {a: `${`${b}`}`, base: '/x/'}",
            "export default {base: '//x/'}",
            "export default {base: 'https://cdn.example/x/'}",
            "export default {base: ''}",
            "const config = {base: '/x/'}\nexport default merge(config, {base: '/y/'})",
            "const config = {base: '/x/'}\nexport default defineConfig(config, {base: '/y/'})",
            "const config = {base: '/x/'}\nexport default {...config}.y",
            "const config = {base: '/x/'}.y\nexport default config",
            "export default override({base: '/x/'}, {base: '/y/'})",
            "export default defineConfig({base: '/x/'}, {base: '/y/'})",
            "export default override({base: '/x/'})",
            "export default {base: '/x/'}.y",
            "export default defineConfig({base: '/x/'}) || y",
            "let config = {base: '/x/'}; config = {...config, base: '/y/'}; module.exports = config",
            "const config = {base: '/x/'}; Object.assign(config, {base: '/y/'}); module.exports = config",
            "const config = {base: '/x/'}; const c = config; c.base = '/y/'; module.exports = config",
            "module.exports = {base: '/x/'}; module.exports.base = '/y/'",
            "exports = {base: '/x/'}",
            "export default {base: '/x/', ['base']: process.env.BASE}",
            "export default {base: '/x/', get base() { return y }}",
            "export default {base: '/x/', 'b\\x61se': y}",
            "export default {base: '/x/'} /* and so on",
            "export default defineConfig(",
            "export default",
            "const config =\nexport default config",
        ],
    )
    def test_uncertain(self, tmp_path, text):
        assert found(tmp_path, {".vitepress/config.js": text}, ".vitepress/dist").path is None


class TestUnreadForms:
    """The URL of a site in a form that is not read is not taken for none."""

    @pytest.mark.parametrize(
        ("name", "text", "built", "is_unread"),
        [
            ("_config.yml", "baseurl: >-\n  /s", "_site", True),
            ("_config.yml", "x: &b /s\nbaseurl: *b", "_site", True),
            ("_config.yml", '{"baseurl": "/s"}', "_site", True),
            ("_config.yml", "url: *b\nbaseurl: /s", "_site", False),
            ("_config.yml", "title: x", "_site", False),
            ("pelicanconf.py", "SITEURL = os.environ['X']", "output", True),
            (".vitepress/config.ts", "export default mix({base: '/s/'})", ".vitepress/dist", True),
            (".vitepress/config.ts", "export default {...shared, title: 'x'}", ".vitepress/dist", False),
        ],
    )
    def test_a_missing_path_from_the_root_is_not_judged(self, tmp_path, name, text, built, is_unread):
        write(tmp_path, {name: text})
        pages = {"a.html": "<a href=/t/><a href=gone.html>"}
        result = audited(tmp_path / built, pages, base_url=None)
        missing = {one.reference for one in result.findings if one.code == "LF101"}
        assert (missing == {"gone.html"}) is (is_unread or "/s" in text)
        assert ("in a form that is not read" in result.settings) is is_unread

    def test_the_settings_of_an_environment_of_hugo(self, tmp_path):
        write(tmp_path, {"config/_default/hugo.toml": 'baseURL = "https://e.example/s/"', "config/live/hugo.toml": ""})
        result = audited(tmp_path / "public", {"a.html": "<a href=/s/>"}, base_url=None)
        assert not [one for one in result.findings if one.code == "LF101"]


class TestEleventy:
    """The shapes of its documentation (https://www.11ty.dev/docs/config-shapes/), and the methods of version 3."""

    @pytest.mark.parametrize(
        ("text", "source"),
        [
            ("module.exports = c => ({dir:{input:'views'}});", "views"),
            ("export default (c) => ({dir: {input: 'views'}});", "views"),
            (
                "export default async function(c) {};\nexport const config = {dir: {input: 'views'}};",
                "views",
            ),
            (
                "export default function (c) {\n  c.setInputDirectory('views');\n  c.f('x', () => { return 1 })\n}",
                "views",
            ),
            ('export default function (c) {\n  c.addPlugin(p)\n  c.setInputDirectory("views")\n}', "views"),
            ("export default function (c) {\n  if (x) c.setInputDirectory('views');\n}", ""),
            ("export default function (c) {\n  if (x) { c.setInputDirectory('views'); }\n}", ""),
            ("export default function (c) {\n  c.setInputDirectory(x);\n}", ""),
            ("export default function (c) { c.setInputDirectory('views'); return {dir: {input: 'src'}} }", ""),
        ],
    )
    def test_the_folder_of_the_sources(self, tmp_path, text, source):
        files = {"eleventy.config.js": text, "views/blog/a.md": "# A\n"}
        write(tmp_path, {**files, "views/index.md": "[x](/blog/a/) [y](/gone/)"})
        result = audit(str(tmp_path), AuditOptions())
        assert [one.reference for one in result.findings] == ["/blog/a/"] * (not source) + ["/gone/"]

    @pytest.mark.parametrize("setting", ["c.setOutputDirectory('dist')", "return {dir: {output: 'dist'}}"])
    def test_the_built_folder(self, tmp_path, setting):
        text = f"export default function (c) {{ {setting} }}\nexport const config = {{pathPrefix: '/lamp/'}};"
        assert found(tmp_path, {"eleventy.config.js": text}, "dist").path == "/lamp/"
        assert found(tmp_path, {}, "_site").path is None


class TestYaml:
    """A line counts only if it certainly is a setting."""

    @pytest.mark.parametrize(
        "text",
        [
            'site_name: "a\nsite_url: https://no.example/\n"',
            'site_name: "a\nsite_url: https://no.example/\nb: c"',
            'site_name: "a\\\nsite_url: https://no.example/\nb: c"',
            "site_name: 'a\nsite_url: https://no.example/\nb: c'",
            "site_name: 'it''s\nsite_url: https://no.example/\nb: c'",
            'extra:\n  - a: "b\nsite_url: https://no.example/\n    c"',
            'extra: {a: b, c: "d\nsite_url: https://no.example/\ne: f"}',
            "extra: {a: b,\nsite_url: https://no.example/}",
            "extra: {a: b,\nsite_url: https://no.example/\n}",
            "extra: {a: b,\nsite_url: https://no.example/\n  }",
            "site_url: https://no.example/\n  and more",
            "site_url: https://e.example/\n---\na: b",
            "<<: *shared\nsite_url: https://e.example/",
            "# a\x0bsite_url: https://no.example/",
            "# a\u2028site_url: https://e.example/",
        ],
    )
    def test_uncertain(self, tmp_path, text):
        assert found(tmp_path, {"mkdocs.yml": text}, "site").url is None


class TestMkDocs:
    """The settings that say how MkDocs makes pages."""

    @pytest.mark.parametrize(
        ("text", "directory_urls", "links_from_root", "attributes"),
        [
            ("site_name: x", True, False, False),
            ("use_directory_urls: false", False, False, False),
            ("use_directory_urls: No # x", False, False, False),
            ("use_directory_urls: !ENV [X, true]", None, False, False),
            ("INHERIT: ../base.yml", None, None, None),
            ("INHERIT: ../base.yml\nuse_directory_urls: true", True, None, None),
            ("validation:\n  links:\n    absolute_links: relative_to_docs", True, True, False),
            ("validation:\n  absolute_links: relative_to_docs\n  links:\n    anchors: warn", True, True, False),
            ("validation:\n  absolute_links: warn", True, False, False),
            ("validation: {absolute_links: relative_to_docs}", True, True, False),
            ("validation:\n  links: *shared", True, False, False),
            ("markdown_extensions:\n- attr_list", True, False, True),
            ("markdown_extensions:\n  - toc:\n      permalink: true\n  -   pymdownx.extra\n", True, False, True),
            ("markdown_extensions:\n  attr_list: {}\n  toc:\n    permalink: true", True, False, True),
            ("markdown_extensions:\n- markdown.extensions.extra:\n    x: y\n", True, False, True),
            ("markdown_extensions: [toc, attr_list] # both", True, False, True),
            ("markdown_extensions: [toc]\nplugins: []", True, False, False),
            ("markdown_extensions:\n- toc:\n    attr_list: true", True, False, False),
            ("markdown_extensions: !include x", True, False, None),
            ("markdown_extensions:\n- toc\n- !ENV X", True, False, None),
            ("extra:\n  markdown_extensions:\n  - attr_list", True, False, False),
            (
                "copyright: |\n  markdown_extensions:\n  - attr_list\n\n  it's \"so\nplugins:\n- search",
                True,
                False,
                False,
            ),
            ("plugins:\n- search\n- macros", True, False, None),
            ("hooks:\n- x.py", True, False, None),
            ("site_name: 'x\n", None, None, None),
        ],
    )
    def test_settings(self, tmp_path, text, directory_urls, links_from_root, attributes):
        write(tmp_path, {"mkdocs.yml": text})
        found = find_sources(str(tmp_path / "docs"))
        assert found.file.startswith("MkDocs, ")
        assert (found.directory_urls, found.links_from_root) == (directory_urls, links_from_root)
        assert found.attributes == attributes

    @pytest.mark.parametrize(
        ("settings", "scheme"),
        [
            ("", "mkdocs"),
            ("    permalink: true", "mkdocs"),
            ("    slugify: !!python/object/apply:pymdownx.slugs.slugify\n      kwds:\n        case: lower", "any"),
            ("    separator: _", "any"),
            ("- pymdownx.tabbed:\n    slugify: !!python/name:x", "mkdocs"),
        ],
    )
    def test_other_ids_of_headings(self, tmp_path, settings, scheme):
        write(tmp_path, {"mkdocs.yml": f"markdown_extensions:\n- toc:\n{settings}\n"})
        assert find_sources(str(tmp_path / "docs")).heading_ids == scheme

    def test_the_folder_of_the_sources(self, tmp_path):
        write(tmp_path, {"mkdocs.yml": "docs_dir: a/b"})
        assert find_sources(str(tmp_path / "a/b")).heading_ids == "mkdocs"
        assert find_sources(str(tmp_path / "docs")).heading_ids == "any"


class TestAssets:
    """Folders whose files are served at the root of the site beside the pages."""

    @pytest.mark.parametrize(
        ("settings", "text", "root", "assets"),
        [
            (".vitepress/config.mts", "export default {}", "", "public"),
            ("docs/.vitepress/config.mts", "export default {}", "docs", "docs/public"),
            ("docusaurus.config.ts", "export default {}", "docs", "static"),
            ("docusaurus.config.ts", "export default {staticDirectories: ['x']}", "docs", ""),
            ("hugo.toml", "staticDir = 'files'", "content", "files"),
            ("astro.config.mjs", "export default {publicDir: './files'}", "src/content/docs", "files"),
            ("astro.config.mjs", "export default {publicDir: '../files'}", "src/content/docs", ""),
            ("hugo.toml", "", "public/sub", ""),
            ("hugo.toml", "", "public", ""),
            ("hugo.toml", "", "static/img", ""),
            ("mkdocs.yml", "", "docs", ""),
        ],
    )
    def test_settings(self, tmp_path, settings, text, root, assets):
        project = tmp_path / "project"
        for folder in (root, "public", "static", "files", "docs/public", "../files"):
            (project / folder).mkdir(parents=True, exist_ok=True)
        write(project, {settings: text})
        found = find_sources(str((project / root).resolve()))
        assert found.assets == (str(project / assets) if assets else "")

    def test_their_files_are_targets(self, tmp_path):
        write(tmp_path, {".vitepress/config.js": "export default {}", "public/a.png": b""})
        result = audited(tmp_path, {"index.md": "![x](/a.png) ![y](/gone.png) ![z](a.png)"}, base_url=None)
        assert told(result) == [("index.md", "missing-target", "/gone.png")]
        assert result.settings.endswith("config.js: public/ is served at /")
        (tmp_path / "other").mkdir()
        result = audited(tmp_path, mounts=(("/", str(tmp_path / "other")),))
        assert [one.reference for one in result.findings] == ["/a.png", "/gone.png", "a.png"]

    def test_an_alias_of_the_project(self, tmp_path):
        write(tmp_path, {"docusaurus.config.js": "module.exports = {}"})
        text = "[a](@site/docs/b.md#b) [b](@site/src/x.js) [c](@site/docs/gone.md) [d](@site/docs/b.md#gone)"
        found = audited(tmp_path / "docs", {"a.md": text, "b.md": "# B"})
        assert [reference for *_, reference in told(found)] == ["@site/docs/gone.md", "@site/docs/b.md#gone"]


class TestHostileFiles:
    @pytest.mark.parametrize("value", ["\\ud800", "\\u0000", "a" * 10**5, "a/" * 10**5])
    def test_values_that_no_path_has(self, tmp_path, value):
        text = f'{{"publishDir": "{value}", "baseURL": "https://e.example/{value}"}}'
        assert found(tmp_path, {"hugo.json": text}, "public") == NO_SETTINGS
        assert found(tmp_path, {"hugo.json": text.replace("publishDir", "x")}, "public").url is None

    def test_many_keys_take_linear_time(self, tmp_path):
        text = f"export default {{{''.join(f'a{number}: 1, ' for number in range(9_000))}url: 'https://e.example'}}"
        started = time.process_time()
        assert found(tmp_path, {"docusaurus.config.js": text}, "build").url == "https://e.example/"
        assert time.process_time() - started < 2

    @pytest.mark.parametrize(
        "unit", ["x/*", "x", "a;", "a(", "define(", "{", "[", "`", "${", '"', "/", "/[", " /", "\\"]
    )
    @pytest.mark.parametrize("begin", ["", "export default ", "export default {", "`", "const a = "])
    def test_scripts_take_linear_time(self, tmp_path, begin, unit):
        text = begin + unit * (250_000 // len(unit))
        started = time.process_time()
        assert found(tmp_path, {"docusaurus.config.js": text}, "build").url is None
        assert time.process_time() - started < 2

    @pytest.mark.parametrize(
        "unit",
        [
            "a:\n",
            "- a:\n",
            "- ",
            "a: [a,",
            "a: [a]\n",
            "a: |\n",
            "  a: >",
            "\n",
            '"',
            ' "',
            " '\"",
            "a: ",
            " ",
            ", ",
            "- \n",
            '"\\" ',
        ],
    )
    @pytest.mark.parametrize("name", ["mkdocs.yml", "hugo.toml", "hugo.json"])
    def test_other_files_take_linear_time(self, tmp_path, name, unit):
        text = unit * (250_000 // len(unit))
        started = time.process_time()
        assert found(tmp_path, {name: text}, "public" if "hugo" in name else "site").url is None
        assert time.process_time() - started < 2

    def test_a_large_file_is_not_read(self, tmp_path):
        text = "site_url: https://e.example/\n" + "#" * 10**6
        assert found(tmp_path, {"mkdocs.yml": text}, "site") == NO_SETTINGS


class TestPlaces:
    def test_the_nearest_folder_counts(self, tmp_path):
        files = {
            "mkdocs.yml": "site_dir: a/site\nsite_url: https://far.example/",
            "a/mkdocs.yml": "site_url: https://near.example/",
        }
        assert found(tmp_path, files, "a/site").url == "https://near.example/"

    def test_settings_of_another_user(self, tmp_path, monkeypatch):
        files = {"mkdocs.yml": "site_url: https://e.example/"}
        assert find_sources(str(tmp_path / "docs")).heading_ids == "any"
        assert found(tmp_path, files, "site").url == "https://e.example/"
        assert find_sources(str(tmp_path / "docs")).heading_ids == "mkdocs"
        monkeypatch.setattr(settings_files, "reason_to_doubt", lambda *_: "the file belongs to user 8")
        settings = found(tmp_path, files, "site")
        assert (settings.url, settings.path) == (None, None)
        assert settings.served == ("not followed, since the file belongs to user 8 (give --root-url)",)
        assert find_sources(str(tmp_path / "docs")).heading_ids == "any"

    def test_settings_for_environments_replace_others(self, tmp_path):
        files = {"config/_default/hugo.toml": "baseURL='https://e.example/'", "config/notes.txt": ""}
        assert found(tmp_path, files, "public").url == "https://e.example/"
        assert found(tmp_path, {"config/production/hugo.toml": "title='x'"}, "public").url is None

    def test_a_key_in_two_spellings_is_in_doubt(self, tmp_path):
        files = {"hugo.json": '{"baseURL": "https://a.example/", "baseurl": "https://b.example/"}'}
        assert found(tmp_path, files, "public").url is None

    def test_a_file_that_is_beside_another_folder(self, tmp_path):
        assert found(tmp_path, {"mkdocs.yml": "site_url: https://e.example/"}, "public").url is None
        assert found(tmp_path, {}, "a/site").url is None

    def test_the_search_ends_at_the_root_of_the_repository(self, tmp_path):
        files = {"mkdocs.yml": "site_dir: a/b\nsite_url: https://e.example/"}
        assert found(tmp_path, files, "a/b").url == "https://e.example/"
        (tmp_path / "a/.git").mkdir()
        assert found(tmp_path, files, "a/b") == NO_SETTINGS

    def test_two_generators_are_in_doubt(self, tmp_path):
        files = {
            "hugo.toml": "baseURL='https://a.example/'",
            "mkdocs.yml": "site_dir: public\nsite_url: https://b.example/",
        }
        assert found(tmp_path, files, "public") == NO_SETTINGS

    def test_two_files_of_one_generator_are_in_doubt(self, tmp_path):
        files = {
            "hugo.toml": "baseURL='https://a.example/'",
            "config/_default/hugo.toml": "baseURL='https://b.example/'",
        }
        assert found(tmp_path, files, "public") == NO_SETTINGS

    def test_a_configured_folder_that_is_computed(self, tmp_path):
        text = "export default {base: '/x/', outDir: process.env.OUT}"
        assert found(tmp_path, {".vitepress/config.js": text}, ".vitepress/dist") == NO_SETTINGS

    def test_heading_ids_follow_the_settings_beside_the_sources(self, tmp_path):
        write(tmp_path, {"mkdocs.yml": "site_name: x"})
        assert find_sources(str(tmp_path / "docs")).heading_ids == "mkdocs"


class TestAudit:
    @pytest.fixture
    def site(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        write(tmp_path, {"mkdocs.yml": "site_url: https://e.example/docs/"})
        return tmp_path / "site"

    def test_the_path_is_named_without_the_url_of_a_private_host(self, tmp_path):
        settings = "url: http://localhost:4000\nbaseurl: /x\n"
        write(tmp_path, {"_config.yml": settings, "_site/index.html": "<a href=/x/></a>"})
        found = audit(str(tmp_path / "_site"), AuditOptions())
        assert not found.findings
        assert found.settings.endswith("_config.yml: baseurl = /x")

    def test_the_url_comes_from_the_settings(self, site):
        result = audited(site, PAGES, base_url=None)
        assert not result.findings
        assert (result.base_url, result.base_layer.value) == ("https://e.example/docs/", "default")
        assert result.settings == "MkDocs, mkdocs.yml: site_url = https://e.example/docs/"

    def test_an_explicit_url_wins(self, site):
        result = audited(site, PAGES, base_url="https://other.example/docs/")
        assert (result.base_url, result.settings) == ("https://other.example/docs/", "")

    @pytest.mark.parametrize(
        "files",
        [
            {"b.html": "<link rel=canonical href=https://other.example/docs/b.html>"},
            {"b.html": "<link rel=canonical href=https://e.example/docs/1.0/b.html>"},
            {"sitemap.xml": "<urlset><url><loc>https://other.example/docs/</loc></url></urlset>"},
            {"sitemap.xml": "<urlset><url><loc>https://other.example/docs/</loc></url>" + " " * (1 << 20)},
            {"sitemap.xml": "<urlset><url><loc>https://e.example/docs2</loc></url></urlset>"},
        ],
    )
    def test_pages_that_disagree_win(self, site, files):
        result = audited(site, PAGES | files, base_url=None)
        assert (result.base_layer.value, result.settings) == ("none", "")

    @pytest.mark.parametrize("path", ["", "/", "/a", "/a/"])
    def test_a_sitemap_that_agrees(self, site, path):
        files = {"sitemap.xml": f"<urlset><url><loc>https://e.example/docs{path}</loc></url></urlset>"}
        assert audited(site, PAGES | files, base_url=None).base_url == "https://e.example/docs/"

    def test_a_settings_file_of_another_user_is_named(self, site, monkeypatch):
        monkeypatch.setattr(settings_files, "reason_to_doubt", lambda *_: "the file belongs to user 8")
        result = audited(site, PAGES, base_url=None)
        assert result.base_layer.value == "none"
        assert result.settings.startswith("MkDocs, mkdocs.yml: not followed, since the file belongs to user 8")

    def test_pages_that_agree(self, site):
        files = {"b.html": "<link rel=canonical href=https://e.example/docs/b.html>"}
        assert audited(site, PAGES | files, base_url=None).base_url == "https://e.example/docs/"

    def test_a_path_of_mdbook_in_a_table(self, tmp_path):
        toml = '[build]\nbuild-dir = "out"\n[output.html]\nsite-url = "/mb/"\n[[output.other]]\nsite-url = "/no/"\n'
        write(tmp_path, {"book.toml": toml})
        pages = {
            "index.html": "<a href=a.html>a</a> <a href=/mb/gone.html>b</a>",
            "404.html": "<base href=/mb/><a href=a.html>a</a>",
            "a.html": "<a href=index.html>i</a>",
        }
        result = audited(tmp_path / "out", pages, base_url=None, select=("LF101",))
        assert told(result) == [("index.html", "missing-target", "/mb/gone.html")]
        assert result.settings == f"mdBook, {tmp_path}/book.toml: site-url = /mb/"

    def test_a_path_alone_needs_no_host(self, tmp_path):
        write(tmp_path, {".vitepress/config.mts": "export default {base: '/docs/', cleanUrls: true}"})
        pages = {"index.html": "<a href=/docs/a>a</a> <a href=/docs/gone>b</a> <a href=/c>c</a>", "a.html": "<p>a"}
        result = audited(tmp_path / ".vitepress/dist", pages, base_url=None)
        assert told(result) == [("index.html", "missing-target", "/docs/gone")]
        assert result.settings.endswith(": base = /docs/, cleanUrls = true")
        assert audited(tmp_path / ".vitepress/dist", base_url=None, clean_urls=False).settings.endswith("base = /docs/")

    def test_settings_beside_sources(self, tmp_path):
        write(tmp_path, {"mkdocs.yml": "site_url: https://e.example/docs/\nuse_directory_urls: no"})
        result = audited(tmp_path / "docs", {"a.md": "# A"}, base_url=None)
        assert (result.base_url, result.base_layer.value) == ("https://e.example/docs/", "default")
        assert result.settings.endswith("mkdocs.yml: heading-ids = mkdocs, use_directory_urls = false")


@pytest.mark.parametrize(
    ("settings", "page", "target"),
    [
        ("docs/.vitepress/config.ts", "docs/a.md", "docs/b.md"),
        ("docs/.vitepress/config.ts", "docs/a.md", "docs/public/b.png"),
        ("website/docusaurus.config.js", "website/docs/a.md", "website/static/b.png"),
        ("website/docusaurus.config.js", "website/docs/a.md", "website/docs/b.md"),
        ("hugo.toml", "content/a.md", "content/b.md"),
        ("site/hugo.toml", "site/content/a.md", "site/static/b.png"),
        ("astro.config.mjs", "src/content/docs/a.md", "src/content/docs/b.md"),
        ("docs/_config.yml", "docs/a.md", "docs/b.md"),
        ("book.toml", "src/a.md", "src/b.md"),
    ],
)
def test_a_reference_with_a_slash_may_mean_the_root_of_an_inner_site(tmp_path, settings, page, target):
    name = target.rpartition("/")[2]
    text = "export default {}" if settings.endswith(("js", "ts")) else ""
    files = {settings: text, target: "", page: f"[x](/{name}) [y](/gone.png)", "README.md": f"[x](/{name})"}
    found = audited(tmp_path, files, base_url=None, select=("LF101",))
    assert told(found) == [("README.md", "missing-target", f"/{name}"), (page, "missing-target", "/gone.png")]


class TestInvalidFiles:
    @pytest.mark.parametrize(
        ("name", "text", "folder", "line"),
        [
            ("mkdocs.yml", "site_name: a\nsite_description: a lamp: and more\n", "site", 2),
            ("mkdocs.yml", "site_name: a\ntheme:\n\tname: material\n", "docs", 3),
            ("_config.yml", "title: Lamp\nnav:\n  - title: a: b\n", "_site", 3),
            ("mkdocs.yml", "site_name: a\nsite_url: [https://e.example/\nnav:\n  - a.md\n", "site", 2),
            ("mkdocs.yml", 'site_name: a\nsite_url: "https://e.example/\nnav:\n  - a.md\n', "site", 2),
            ("_config.yml", "title: 'a\nurl: 'https://e.example'\n", "_site", 1),
            ("mkdocs.yml", "plugins:\n  - search\n\n - blog\n", "site", 4),
            ("mkdocs.yml", "a: b\ntheme:\n    name: material\n  language: en\n", "site", 4),
            ("hugo.toml", 'title = "a"\nbaseURL = "https://e.example\n', "public", 2),
            ("hugo.toml", "title = a\n", "content", 1),
            ("hugo.json", '{"title": "a",\n "x" }', "public", 2),
            ("book.toml", "[book\n", "book", 1),
            ("book.toml", "[book\n", "src", 1),
        ],
    )
    def test_they_are_a_warning_at_the_line(self, tmp_path, name, text, folder, line):
        write(tmp_path, {name: text, f"{folder}/index.html": "<p>", ".git/HEAD": ""})
        (one,) = audited(tmp_path / folder, base_url=None).findings
        assert (one.path, one.code, one.level.value, one.line) == (f"../{name}", "LF904", "warning", line)

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            (
                "mkdocs.yml",
                "a: 'b: c: d'\nb: |\n  x: y: z\n\t\nc: d # e: f: g\nd: !!python/name:a.b\ne: https://e.example/a:b\n",
            ),
            ("mkdocs.yml", "a: b\nc: >-\n  d: e: f\n# g: h: i\nnav:\n  - A: a.md\n  - b.md\n"),
            ("mkdocs.yml", 'a: "b\n  c: d: e"\n'),
            ("mkdocs.yml", "a: 'it''s\n  x'' y'\nb: 'c'\n"),
            ("mkdocs.yml", "a: [b,\n  c]\nb: don't\n"),
            ("mkdocs.yml", "a: don't\nb: c\n"),
            ("mkdocs.yml", 'a: "b \\\n  c \\" d"\nb: c\n'),
            ("mkdocs.yml", "a: b\n      - c\n   - d\n"),
            ("mkdocs.yml", "a:\n    b\n  c\nd:\n- e\nf:\n  - g:\n      - h\n    # i\n  - j: |\n     k\n    l\nm: n\n"),
            ("mkdocs.yml", "a:\n  b:\n      - c\n  d: e\nf:\n    g: h\n\n  # i\n    j: k\n"),
            ("config.toml", "[x\n"),
            ("hugo.json", '{"a": 1} // a comment'),
        ],
    )
    def test_no_finding_for_others(self, tmp_path, name, text):
        folder = "site" if name == "mkdocs.yml" else "public"
        write(tmp_path, {name: text, f"{folder}/index.html": "<p>", ".git/HEAD": ""})
        assert audited(tmp_path / folder, base_url=None).findings == ()

    def test_a_folder_that_has_nothing_to_do_with_them(self, tmp_path):
        write(tmp_path, {"book.toml": "[book\n", "other/index.html": "<p>", ".git/HEAD": ""})
        assert audited(tmp_path / "other", base_url=None).findings == ()

    def test_once_in_a_whole_project(self, tmp_path):
        write(tmp_path, {"mkdocs.yml": "a: b: c\n", "docs/a.md": "# A", "site/index.html": "<p>", ".git/HEAD": ""})
        assert [one.path for one in audited(tmp_path, base_url=None).findings] == ["mkdocs.yml"]

    @pytest.mark.parametrize("unit", ["- ", "a: b", " ", "|", ": ", "\t", "> ", "a", "a:  "])
    def test_a_long_line_takes_linear_time(self, tmp_path, unit):
        write(
            tmp_path, {"mkdocs.yml": "a: " + unit * (250_000 // len(unit)), "site/index.html": "<p>", ".git/HEAD": ""}
        )
        started = time.process_time()
        assert {one.code for one in audited(tmp_path / "site", base_url=None).findings} <= {"LF904"}
        assert time.process_time() - started < 2

    @pytest.mark.parametrize(
        ("site", "is_named"), [("vitepress", True), ("mkdocs", False), ("sphinx", False), ("none", False)]
    )
    def test_a_generator_without_settings_is_named(self, tmp_path, site, is_named):
        write(tmp_path, {"mkdocs.yml": "", "out/index.html": "<p>", ".git/HEAD": ""})
        settings = audited(tmp_path / "out", base_url=None, site=site).settings
        assert ("VitePress (--site): no settings file" in settings) == is_named


LINKED = {
    "index.html": "<a href=/docs/b/>b</a> <a href=/docs/gone/>c</a> <a href=gone/>g</a>",
    "b/index.html": "<p>x",
}
NOT_VALID = "missing, but the settings that name the URL of the site are not valid"


class TestSettingsThatAreNotValid:
    """A reference from the root may be right, since the URL of the site is not known."""

    @pytest.mark.parametrize(
        ("name", "text", "built"),
        [
            ("mkdocs.yml", 'site_url: "https://e.example/docs/\nsite_name: L\n', "site"),
            ("mkdocs.yml", 'site_name: L\ntheme: "m\nsite_url: https://e.example/docs/\n', "site"),
            ("zensical.toml", '[project]\nsite_url = "https://e.example/docs/\n', "site"),
            ("book.toml", '[output.html]\nsite-url = "/docs/\n', "book"),
            ("pelicanconf.py", "SITEURL = 'https://e.example/docs\n", "output"),
        ],
    )
    @pytest.mark.parametrize("tree", ["", "built"])
    def test_references_from_the_root_are_not_checked(self, tmp_path, name, text, built, tree):
        write(tmp_path, {name: text, **{f"{built}/{page}": one for page, one in LINKED.items()}})
        result = audit(str(tmp_path / (built if tree else "")), AuditOptions())
        assert [(one.code, one.reference) for one in result.findings if one.code != "LF904"] == [("LF101", "gone/")]
        assert [one.code for one in result.findings].count("LF904") == 1
        assert result.coverage.unchecked[NOT_VALID] == 2

    def test_they_are_checked_with_a_url(self, tmp_path):
        write(tmp_path, {"mkdocs.yml": 'site_url: "https://e.example/docs/\n'})
        found = audited(tmp_path / "site", LINKED, base_url="https://e.example/docs/", select=("LF101",))
        assert [one.reference for one in found.findings] == ["/docs/gone/", "gone/"]
