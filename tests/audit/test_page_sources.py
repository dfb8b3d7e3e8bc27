"""The sources of built pages, and the lines of findings in them."""

from __future__ import annotations

import io
import json

import pytest
from support.audit_trees import write

from linkfix.auditing import AuditOptions, audit
from linkfix.auditing.page_sources import lines_of_reference, lines_with
from linkfix.auditing.reporters import reporter

MKDOCS = "site_name: x\nsite_url: https://e.example/lamp/\n"


def places(folder, files, tree, **options):
    """Each finding as reference, source and line."""
    write(folder, files)
    result = audit(str(folder / tree), AuditOptions(**options))
    return [
        (one.reference, one.source and one.source.path.removeprefix(f"{folder}/"), one.source and one.source.line)
        for one in result.findings
    ]


class TestByName:
    @pytest.mark.parametrize(
        ("files", "tree"),
        [
            ({"mkdocs.yml": MKDOCS, "docs/a.md": "x\n[x](gone/)", "site/a/index.html": "<a href=gone/>"}, "site"),
            (
                {
                    "mkdocs.yml": MKDOCS + "docs_dir: text\n",
                    "text/a.md": "x\n[x](gone/)",
                    "site/a/index.html": "<a href=gone/>",
                },
                "site",
            ),
            (
                {
                    "docusaurus.config.js": "export default {url: 'https://e.example', baseUrl: '/lamp/'}",
                    "docs/02-b/01-a.mdx": "x\n[x](/docs/gone)",
                    "build/docs/b/a/index.html": "<a href=/lamp/docs/gone>",
                },
                "build",
            ),
            (
                {
                    "docs/.vitepress/config.mts": "export default {base: '/lamp/'}",
                    "docs/b/a.md": "x\n[x](../gone.md#y)",
                    "docs/.vitepress/dist/b/a.html": "<a href=/lamp/gone.html#y>",
                },
                "docs/.vitepress/dist",
            ),
            (
                {
                    "hugo.toml": 'baseURL = "https://e.example/lamp/"',
                    "content/a.md": "---\nslug: x\n---\n[x](gone/)",
                    "public/x/index.html": "<a href=gone/>",
                },
                "public",
            ),
            (
                {
                    "_config.yml": "exclude: [index.txt]",
                    "index.md": "---\nx: y\n---\n[x](gone/)",
                    "README.md": "x",
                    "index.txt": "gone/",
                    "_site/index.html": "<a href=gone/>",
                },
                "_site",
            ),
            (
                {
                    "_config.yml": "permalink: pretty\ninclude: [_pages]",
                    "_pages/a.md": "---\nx: y\n---\n[x](gone/)",
                    "_site/_pages/a/index.html": "<a href=gone/>",
                },
                "_site",
            ),
        ],
        ids=["mkdocs", "mkdocs-docs_dir", "docusaurus", "vitepress", "hugo", "jekyll-readme", "jekyll-pages"],
    )
    def test_the_settings_tell_it(self, tmp_path, files, tree):
        source = next(name for name in files if name.endswith((".md", ".mdx")))
        line = files[source].count("\n", 0, files[source].index("gone")) + 1
        assert [(name, number) for _, name, number in places(tmp_path, files, tree)] == [(source, line)]

    @pytest.mark.parametrize(
        ("setting", "page", "source"),
        [
            ("", "a-lamp-lit.html", "blog/one.md"),
            ("", "own.html", "two.md"),
            ("", "pages/about.html", "pages/a.html"),
            ("", "in-rst.html", "three.rst"),
            ("", "tag/own.html", None),
            ("", "one.html", None),
            ("ARTICLE_SAVE_AS = '{date:%Y}-{date:%m}/{slug}/index.html'", "2026-01/own/index.html", "two.md"),
            ("ARTICLE_SAVE_AS = '{category}/{slug}.html'", "x/own.html", "two.md"),
            ("ARTICLE_SAVE_AS = '{category}/{slug}.html'", "tag/own.html", None),
            ("SLUGIFY_SOURCE = 'basename'", "own.html", None),
        ],
    )
    def test_slugs_of_pelican_tell_it(self, tmp_path, setting, page, source):
        files = {
            "pelicanconf.py": f"PATH = 'content'\n{setting}\n",
            "content/blog/one.md": "Title: A Lamp, lit\nDate: 2026-01-02\n\n[x](/gone)",
            "content/two.md": "Title: Two\nSlug: own\n\n[x](/gone)",
            "content/three.rst": "In RST\n######\n\n`x </gone>`_",
            "content/pages/a.html": "<title>About</title><p><a href='/gone'>x</a>",
            "output/b.html": "",
            f"output/{page}": "<a href=/gone>",
        }
        ((_, found, _),) = places(tmp_path, files, "output")
        assert found == (source and f"content/{source}")

    def test_two_sources_are_none(self, tmp_path):
        files = {"docs/a.md": "[x](gone)", "docs/a/index.md": "[x](gone)", "mkdocs.yml": MKDOCS}
        assert places(tmp_path, files | {"site/a/index.html": "<a href=gone>"}, "site") == [("gone", None, None)]

    def test_sources_themselves_have_none(self, tmp_path):
        assert places(tmp_path, {"docs/a.md": "[x](gone.md)", "mkdocs.yml": MKDOCS}, "docs") == [
            ("gone.md", None, None)
        ]

    def test_lines_follow_the_order(self, tmp_path):
        page = "<a href=gone/></a><a href=gone/></a><a href=gone/></a>"
        files = {"mkdocs.yml": MKDOCS, "docs/a.md": "[x](gone/)\n\n[x](gone/)\n", "site/a/index.html": page}
        assert [line for *_, line in places(tmp_path, files, "site")] == [1, 3, 3]

    def test_a_fault_of_the_theme_has_no_source(self, tmp_path):
        pages = {f"site/{name}/index.html": "<a href=/lamp/gone/>" for name in "ab"}
        files = {"mkdocs.yml": MKDOCS, "docs/a.md": "# A", "docs/b.md": "# B"} | pages
        assert places(tmp_path, files, "site") == [("/lamp/gone/", None, None)] * 2

    def test_a_fault_of_one_page_has_the_file_alone(self, tmp_path):
        files = {"mkdocs.yml": MKDOCS, "docs/a.md": "# A", "site/a/index.html": "<a href=/lamp/gone/>"}
        assert places(tmp_path, files, "site") == [("/lamp/gone/", "docs/a.md", 0)]


class TestByLink:
    EDIT = "<a href='https://github.com/x/y/edit/main/docs/a.md'>Edit</a> <a href=gone>x</a>"

    def test_the_link_for_editing_tells_it(self, tmp_path):
        files = {".git/HEAD": "", "docs/a.md": "\n[x](gone)", "out/x.html": self.EDIT}
        assert places(tmp_path, files, "out") == [("gone", "docs/a.md", 2)]

    @pytest.mark.parametrize(
        ("url", "page", "source"),
        [
            ("https://gitlab.com/g/sub/y/-/edit/main/docs/a.md", "x.html", "docs/a.md"),
            ("https://gitlab.com/-/ide/project/g/y/edit/main/-/docs/a.md", "x.html", "docs/a.md"),
            ("https://codeberg.org/x/y/_edit/branch/release/1.0/docs/a.md", "x.html", "docs/a.md"),
            ("https://bitbucket.org/x/y/src/main/docs/a.md?mode=edit", "x.html", "docs/a.md"),
            ("https://bitbucket.org/x/y/src/main/docs/a.md?at=main", "a/index.html", "docs/a.md"),
            ("https://bitbucket.org/x/y/src/main/docs/a.md?at=main", "x.html", None),
            ("https://github.com/x/y/edit/main/src/content/docs/index.md", "x.html", "src/content/docs/index.md"),
            ("https://github.com/x/y/blob/main/src/content/docs/index.md", "index.html", "src/content/docs/index.md"),
            ("https://git.sr.ht/~x/y/tree/main/item/docs/a.md", "a.html", "docs/a.md"),
            ("https://dev.azure.com/o/p/_git/y?path=/docs/a.md&amp;version=GBmain", "a.html", "docs/a.md"),
            ("https://dev.azure.com/o/p/_git/y?version=GBmain&amp;path=%2Fdocs%2Fa.md", "a.html", "docs/a.md"),
            ("https://h.example/y/?query=root/docs/a.md", "a/index.html", "docs/a.md"),
            ("https://h.example/y/?query=root/docs/a.md", "x.html", None),
            ("https://github.com/x/other/edit/main/book/en/part/a.md", "x.html", None),
            ("https://dev.azure.com/o/p/_git/y?path=/../../a.md", "a.html", None),
        ],
    )
    def test_links_of_hosts(self, tmp_path, url, page, source):
        files = {".git/HEAD": "", "docs/a.md": "gone", "src/content/docs/index.md": "gone"}
        files |= {"a.md": "gone"} if "/other/" in url else {}
        files[f"out/{page}"] = f"<a href='{url}'>Edit</a> <a href=gone>x</a>"
        assert places(tmp_path, files, "out") == [("gone", source, source and 1)]

    def test_only_in_a_repository(self, tmp_path):
        files = {"docs/a.md": "\n[x](gone)", "out/x.html": self.EDIT}
        assert places(tmp_path, files, "out") == [("gone", None, None)]

    @pytest.mark.parametrize(
        "url",
        [
            "https://github.com/x/y/edit/main/../../secret.md",
            "https://github.com/x/y/edit/main/link.md",
            "https://github.com/x/y/edit/main/docs/none.md",
            "https://github.com/x/y/edit/main/docs/a.key",
            "https://github.com/x/y/edit/main/%00.md",
            "https://github.com/x/y/blob/main/docs/other.md",
        ],
    )
    def test_only_sources_inside_the_repository(self, tmp_path, url):
        (tmp_path / "secret.md").write_text("gone")
        tree = tmp_path / "y"
        page = f"<a href='{url}'>Edit</a> <a href=gone>x</a>"
        write(tree, {".git/HEAD": "", "docs/a.key": "gone", "docs/other.md": "gone", "out/x.html": page})
        (tree / "link.md").symlink_to(tmp_path / "secret.md")
        assert places(tree, {}, "out") == [("gone", None, None)]

    def test_sphinx(self, tmp_path):
        page = '<a href="../_sources/guide/a.rst.txt">View page source</a> <a href=gone.html>x</a>'
        files = {".git/HEAD": "", "docs/guide/a.rst": "A\n=\n\n`x <gone.html>`__\n", "docs/conf.py": ""}
        files |= {"docs/_build/html/guide/a.html": page, "docs/_build/html/_sources/guide/a.rst.txt": ""}
        assert places(tmp_path, files, "docs/_build/html") == [("gone.html", "docs/guide/a.rst", 4)]


class TestLines:
    @pytest.mark.parametrize(
        ("text", "reference", "lines"),
        [
            ("x\n[x](a/b)", "a/b", [2]),
            ("[x](../b.md#c)", "/lamp/a/b.html#c", [1]),
            ("[x](/a/b)", "/lamp/a/b", [1]),
            ("[x](b.md)", "/lamp/a/b/", [1]),
            ("[x](b.md#other)", "/lamp/a/b/#c", []),
            ("[x](a%20b.md)", "a%20b/", [1]),
            ("[x](b c.md)", "b%20c/", [1]),
            ("[x](../)", "../../", []),
            ("x", "", []),
            ("[x](abb.md)", "b/", []),
            ("[x](fr/about/)", "/about/", []),
            ("[x](../../about/)", "/about/", []),
            ("[x](/guide/b.html)", "/lamp/zh/guide/b.html", []),
            ("[x](/zh/guide/b)", "/lamp/zh/guide/b.html", [1]),
            ("[x](/a/b)", "/lamp/lamp/a/b", []),
            ("[x](c/b.md)\n[x](c/b)", "c/b", [2]),
            ("[x]({filename}b.md)\n[x](b.md)", "b.md", [2]),
            ("[x](c/b.md)\n<a href='c/b.md'>", "c/b.md", [2]),
            ("[x](c/index.md)\n[x](c/README.md)", "c/README.html", [2]),
            ('[x]({{< relref "b.md" >}})', "/lamp/a/b/", [1]),
            ("[x]({% link a/b.md %})", "/lamp/a/b.html", [1]),
            ("[x]({{ site.baseurl }}/a/b/)", "/lamp/a/b/", [1]),
            ("[[b]]", "/lamp/a/b/", [1]),
            ("see b.", "b", [1]),
        ],
    )
    def test_forms(self, text, reference, lines):
        assert lines_of_reference(text, reference, "lamp") == lines

    @pytest.mark.parametrize(
        ("text", "reference", "at", "lines"),
        [
            ("[x](fr/b.md)", "b/", ("index.html", "/y/docs/index.md"), []),
            ("[x](b.md)", "../../b/", ("fr/a/index.html", "/y/docs/fr/a.md"), []),
            ("[x](b.md)", "../b/", ("fr/a/index.html", "/y/docs/fr/a.md"), [1]),
            ("[x](../fr/b.md)", "b/", ("fr/index.html", "/y/docs/fr/index.md"), [1]),
            ("[x](c.md)", "/docs/b/c", ("docs/own/index.html", "/y/docs/b/a.md"), [1]),
        ],
    )
    def test_forms_at_a_place(self, text, reference, at, lines):
        assert lines_of_reference(text, reference, "", at) == lines

    def test_long_texts(self):
        assert lines_of_reference("b." * 100_000 + "/b" * 50_000, "/lamp/b/") == []

    def test_an_empty_reference_is_nowhere(self):
        assert lines_with("a\n", "") == []


class TestReports:
    @pytest.fixture
    def result(self, tmp_path, monkeypatch):
        monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
        monkeypatch.chdir(tmp_path)
        page = "<title>x</title>\n<a href=gone/>x</a>"
        write(tmp_path, {"mkdocs.yml": MKDOCS, "docs/a.md": "x\n\n[x](gone/)", "site/a/index.html": page})
        return audit("site", AuditOptions())

    def written(self, result, form):
        out = io.StringIO()
        reporter(form)(result, out)
        return out.getvalue()

    @pytest.mark.parametrize("form", ["text", "junit", "markdown", "html"])
    def test_they_name_both(self, result, form):
        text = self.written(result, form)
        assert "docs/a.md:3" in text.replace("&#58;", ":")
        assert "a/index.html:2:9" in text.replace("&#58;", ":") or '"a/index.html"' in text

    def test_json(self, result):
        assert json.loads(self.written(result, "json"))["findings"][0]["source"] == {"path": "docs/a.md", "line": 3}

    def test_csv(self, result):
        assert self.written(result, "csv").splitlines()[1].endswith(",docs/a.md,3")

    def test_an_annotation_is_at_the_source(self, result):
        line = self.written(result, "github").splitlines()[0]
        assert line.startswith("::error file=docs/a.md,line=3,title=LF101")
        assert "in the page site/a/index.html:2:9" in line

    def test_sarif(self, result):
        found = json.loads(self.written(result, "sarif"))["runs"][0]["results"][0]
        place, page = found["locations"][0]["physicalLocation"], found["relatedLocations"][0]["physicalLocation"]
        assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("docs/a.md", 3)
        assert (page["artifactLocation"]["uri"], page["region"]["startLine"]) == ("site/a/index.html", 2)
