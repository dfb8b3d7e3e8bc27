from __future__ import annotations

import pytest
from support.audit_trees import audited, told, write

from linkfix.audit.generators import GENERATORS, NO_SETTINGS, find_settings, infer_heading_ids

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
            ("mkdocs.yml", "site_url: https://e.example/\n", "docs", None, None, False),
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
        ],
    )
    def test_settings(self, tmp_path, name, text, built, url, path, clean):
        settings = found(tmp_path, {name: text}, built)
        assert (settings.url, settings.path, settings.clean_urls) == (url, path, clean)

    @pytest.mark.parametrize("generator", GENERATORS, ids=lambda generator: generator.name)
    def test_an_empty_or_unreadable_file_has_no_settings(self, tmp_path, generator):
        for number, name in enumerate(generator.files):
            project = tmp_path / str(number)
            assert found(project, {name: b"\xff\0{[("}, generator.built)[1:] == NO_SETTINGS[1:]
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
            "export default {'base': '/x/', title: `a ${b} c`, match: /['\"{]/g}",
            "/* base: '/no/' */ const a = {base: '/no/'}\nexport default {\n// base: '/no/'\nbase: '/x/'\n}",
            "const config = {base: '/x/'} satisfies UserConfig\nexport default config",
            "/** @type {import('x').Config} */\nconst config = {base: '/x/'};\nmodule.exports = config;",
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
            "export default () => ({base: '/x/'})",
            "export default defineConfig(({mode}) => ({base: '/x/'}))",
            "const config = {base: '/x/'}\nconfig.base = '/y/'\nexport default config",
            "const config = {base: '/x/'}\nfunction f() { const config = {} }\nexport default config",
            "const other = {base: '/x/'}\nexport default config",
            "const base = {base: '/x/'}",
            "export default {base: '/x/'",
            "export default {a: '\n', base: '/x/'}",
            "export default {a: `${`${b}`}`, base: '/x/'}",
            "export default {base: '//x/'}",
            "export default {base: 'https://cdn.example/x/'}",
            "export default {base: ''}",
        ],
    )
    def test_uncertain(self, tmp_path, text):
        assert found(tmp_path, {".vitepress/config.js": text}, ".vitepress/dist").path is None


class TestPlaces:
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
        assert infer_heading_ids(str(tmp_path / "docs")).scheme == "mkdocs"


class TestAudit:
    @pytest.fixture
    def site(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        write(tmp_path, {"mkdocs.yml": "site_url: https://e.example/docs/"})
        return tmp_path / "site"

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
        ],
    )
    def test_pages_that_disagree_win(self, site, files):
        result = audited(site, PAGES | files, base_url=None)
        assert (result.base_layer.value, result.settings) == ("none", "")

    def test_pages_that_agree(self, site):
        files = {"b.html": "<link rel=canonical href=https://e.example/docs/b.html>"}
        assert audited(site, PAGES | files, base_url=None).base_url == "https://e.example/docs/"

    def test_a_path_alone_needs_no_host(self, tmp_path):
        write(tmp_path, {".vitepress/config.mts": "export default {base: '/docs/', cleanUrls: true}"})
        pages = {"index.html": "<a href=/docs/a>a</a> <a href=/docs/gone>b</a> <a href=/c>c</a>", "a.html": "<p>a"}
        result = audited(tmp_path / ".vitepress/dist", pages, base_url=None)
        assert told(result) == [("index.html", "missing-target", "/docs/gone")]
        assert result.settings.endswith(": base = /docs/, cleanUrls = true")
        assert audited(tmp_path / ".vitepress/dist", base_url=None, clean_urls=False).settings.endswith("base = /docs/")

    def test_settings_beside_sources(self, tmp_path):
        write(tmp_path, {"mkdocs.yml": "site_url: https://e.example/docs/"})
        result = audited(tmp_path / "docs", {"a.md": "# A"}, base_url=None)
        assert result.base_layer.value == "none"
        assert result.settings.endswith("mkdocs.yml: heading-ids = mkdocs")
