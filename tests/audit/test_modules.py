"""Scripts, web app manifests and robots.txt in an audit."""

from __future__ import annotations

import subprocess
import sys
from functools import partial

import pytest
from support.audit_trees import BASE, audited, fixed

MAP = '<script type=importmap>{"imports": {"x": "./js/a.js", "y/": "./js/", "./old.js": "./js/a.js"}}</script>'


@pytest.fixture
def run(tmp_path):
    return partial(audited, tmp_path)


def found(result):
    return [(one.code, one.path, one.line, one.column, one.reference) for one in result.findings]


def test_modules_in_files_are_checked_by_their_own_url(run):
    script = 'import "./a.js";\nexport * from "/gone.js"; import("../js/A.js")\n/* linkfix-ignore */ import "./no.js"\n'
    result = run({"js/app.js": script, "js/a.js": "export {}", "js/b.mjs": "\ufeffimport './x.mjs'\n"})
    assert found(result) == [
        ("LF101", "js/app.js", 2, 16, "/gone.js"),
        ("LF105", "js/app.js", 2, 35, "../js/A.js"),
        ("LF101", "js/b.mjs", 1, 9, "./x.mjs"),
    ]
    assert result.hidden == {"comment": 1}
    assert result.coverage.pages == 3


def test_a_case_is_fixed_in_scripts_and_in_modules_of_pages(tmp_path):
    page = "<script type=module>import './JS/a.js'</script>"
    files = {"js/app.js": "import './A.js'", "js/a.js": "export {}", "js/A.css": "", "index.html": page}
    assert fixed(tmp_path, files) == {
        "js/app.js": b"import './a.js'",
        "index.html": b"<script type=module>import './js/a.js'</script>",
    }


def test_modules_in_a_page_go_by_its_import_map(run):
    script = "import 'x'; import 'y/a.js'; import 'y/no.js'; import './old.js'; import 'z'"
    page = f"{MAP}<script type=module>{script}</script>"
    result = run({"index.html": page, "js/a.js": "export {}"})
    assert [one[:2] + one[4:] for one in found(result)] == [
        ("LF101", "index.html", "y/no.js"),
        ("LF112", "index.html", "z"),
    ]
    assert result.findings[0].target == f"{BASE}js/no.js"


def test_names_without_an_import_map_are_counted(run):
    page = "<script type=module>import 'react'; import 'node:fs'</script>"
    result = run({"index.html": page, "js/app.js": "import 'lodash'"})
    assert not result.findings
    assert result.coverage.unchecked == {"a module name, which needs an import map": 3}


@pytest.mark.parametrize(
    ("specifier", "file"),
    [
        ("./a", "js/a.js"),
        ("./a", "js/a.tsx"),
        ("./a", "js/a/index.ts"),
        ("./a", "js/a/index.js"),
        ("./a/", "js/a/index.js"),
        ("./a.js", "js/a.ts"),
        ("./a.mjs", "js/a.mts"),
    ],
)
def test_modules_that_only_bundlers_find_are_counted(run, specifier, file):
    result = run({"js/app.js": f"import '{specifier}'", file: "export {}"})
    assert not result.findings
    assert result.coverage.unchecked == {"a module that only a bundler finds": 1}


def test_modules_that_no_bundler_finds_are_missing(run):
    assert [one[0] for one in found(run({"js/app.js": "import './a'", "js/b.js": "import './c.js'"}))] == ["LF101"] * 2


def test_modules_moved_by_an_import_map_are_skipped(run):
    page = '<script type=importmap>{"imports": {"/js/a.js": "/js/a.1.js", "/lib/": "/js/"}}</script>'
    script = "import './a.js'; import '/lib/b.js'; import './no.js'"
    result = run({"index.html": page, "js/app.js": script, "js/a.1.js": "export {}"})
    assert [one[4] for one in found(result)] == ["./no.js"]
    assert result.hidden == {"import map": 2}


def test_addresses_in_an_import_map_are_not_fetched(run):
    import_map = '{"imports": {"./old/": "./js/", "./x.js": "./js/a.js"}, "scopes": {"/no/": {}}}'
    page = f"<script type=importmap>{import_map}</script>"
    result = run({"index.html": page, "js/a.js": "export {}"})
    assert not result.findings
    assert result.coverage.checked == 1


def test_source_maps_are_notes_with_one_cause(run):
    result = run(
        {
            "a.js": "a()\n//# sourceMappingURL=a.js.map\n",
            "b.css": "a{}\n/*# sourceMappingURL=b.css.map */",
            "c.js": "c()\n//# sourceMappingURL=c.js.map",
            "c.js.map": "{}",
            "d.js": "d()\n//# sourceMappingURL=data:application/json,{}",
            "e.js": "e()\n//# sourceMappingURL=https://maps.example/e.js.map",
        }
    )
    assert found(result) == [("LF113", "a.js", 2, 22, "a.js.map"), ("LF113", "b.css", 2, 22, "b.css.map")]
    assert [cause.text for cause in result.causes] == ["source maps"]
    assert {one.level.value for one in result.findings} == {"note"}


def test_web_app_manifests(run):
    manifest = (
        '{"name": "x", "start_url": "./?source=pwa", "scope": "/none/", "id": "/nowhere",\n'
        ' "icons": [{"src": "no.png"}], "protocol_handlers": [{"protocol": "web+x", "url": "/none?u=%s"}]}'
    )
    extension = '{"manifest_version": 3, "icons": [{"src": "gone.png"}]}'
    result = run(
        {
            "index.html": "<link rel=manifest href=app/manifest.json>",
            "app/index.html": "",
            "app/manifest.json": manifest,
            "b.webmanifest": '{"icons": [,]}',
            "extension/manifest.json": extension,
        }
    )
    assert found(result) == [
        ("LF101", "app/manifest.json", 2, 21, "no.png"),
        ("LF503", "b.webmanifest", 1, 12, ""),
    ]


def test_json_feeds(run):
    feed = (
        '{"version": "https://jsonfeed.org/version/1.1", "icon": "no.png", "items": [\n'
        ' {"id": "gone", "url": "a.html#none", "content_html": "<img src=\\"b.png\\"><a href=\\"a.html\\">"}]}'
    )
    result = run(
        {
            "index.html": "<a href=a.html>a</a>",
            "a.html": "",
            "feed.json": feed,
            "bad.json": '{"version": "https://jsonfeed.org/version/1", }',
            "data.json": '{"url": "gone.html"}',
        }
    )
    assert found(result) == [
        ("LF503", "bad.json", 1, 47, ""),
        ("LF101", "feed.json", 1, 58, "no.png"),
        ("LF102", "feed.json", 2, 25, "a.html#none"),
        ("LF101", "feed.json", 2, 67, "b.png"),
    ]


def test_robots(run):
    robots = b"\xef\xbb\xbfUser-agent: *\r\nDisallow: /none/\r\nSitemap: /map.xml\r\n"
    robots += b"Sitemap: https://site.example/gone.xml\r\n"
    result = run({"robots.txt": robots, "map.xml": "<urlset/>", "docs/robots.txt": b"Sitemap: /gone.xml"})
    assert found(result) == [
        ("LF412", "robots.txt", 3, 10, "/map.xml"),
        ("LF101", "robots.txt", 4, 10, "https://site.example/gone.xml"),
    ]
    hint = result.findings[0].hint
    assert (hint.reference, hint.certain) == ("https://site.example/map.xml", True)


def test_the_hint_for_robots_names_no_host_that_is_not_known(tmp_path):
    (tmp_path / "robots.txt").write_bytes(b"Sitemap: map.xml")
    (tmp_path / "map.xml").write_bytes(b"")
    (finding,) = audited(tmp_path, base_url=None).findings
    assert (finding.code, finding.hint.reference) == ("LF412", None)


def test_fragments_of_scripts_are_not_checked_and_scripts_are_no_orphans(run):
    page = "<link rel=manifest href=b.webmanifest><a href=a.js#x>"
    files = {"index.html": page, "a.js": "a()", "robots.txt": "", "b.webmanifest": '{"start_url": "#x"}'}
    result = run(files, select=("all",))
    assert not result.findings


def test_tags_in_scripts_are_no_base_elements(run):
    script = 'document.write("<base href=\\"/x/\\"><a href=#y>"); let z = "<base href=>"'
    assert not run({"a.js": script, "robots.txt": '# <base href="/x/">\n', "a.css": "/* <base href=x> */"}).findings


def test_ignored_scripts_and_installed_packages_are_skipped(run):
    result = run({"node_modules/a.js": "import './gone.js'", "b.js": "b()"}, include_ignored=False)
    assert not result.findings
    assert result.coverage.left_out == {"in node_modules": 1}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-8-sig"])
def test_encodings(run, encoding):
    result = run({"a.js": "é = 'é'; import('./é.js')".encode(encoding)})
    assert [(one.column, one.reference) for one in result.findings] == [(18, "./é.js")]


def test_mixed_content(run):
    page = "<script type=module>import 'http://other.example/a.js'</script>"
    files = {
        "index.html": page,
        "a.js": "import('http://other.example/a.js')",
        "b.webmanifest": '{"icons":[{"src":"http://o.example/"}]}',
    }
    assert [one.code for one in run(files).findings] == ["LF401"] * 3


def test_a_tree_of_pages_needs_none_of_the_new_readers(tmp_path):
    (tmp_path / "a.html").write_bytes(b"<a href=b.html><script>let a</script><style>a{}</style>")
    program = (
        "import sys\nfrom linkfix.auditing.engine import audit\nfrom linkfix.auditing.model import AuditOptions\n"
        f"audit({str(tmp_path)!r}, AuditOptions())\nprint(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    names = ("javascript", "javascript_text", "source_map", "web_manifest", "robots", "import_map", "json_text")
    idle = {
        *(f"linkfix.html.syntaxes.{name}" for name in names),
        "linkfix.document.import_maps",
        "linkfix.auditing.modules",
    }
    assert not idle & set(done.stdout.split())


class TestNamesInFiles:
    """LF112 in scripts: by the import maps of the pages that load them."""

    PAGE = '<script type=importmap>{"imports": {"x": "./js/x.js", "y/": "./js/"}}</script>'
    APP = "import 'x'; import 'gone'"

    def test_the_map_of_a_page_that_loads_the_script(self, run):
        page = f'{self.PAGE}<script type=" Module" src=js/app.js></script>'
        result = run(
            {"index.html": page, "js/app.js": self.APP, "js/x.js": "import 'y/z.js'", "js/z.js": "import 'no'"}
        )
        assert found(result) == [("LF112", "js/app.js", 1, 21, "gone"), ("LF112", "js/z.js", 1, 9, "no")]
        assert result.findings[0].message.startswith("the import map of index.html has no address")

    def test_modules_in_the_page_load_scripts_as_well(self, run):
        page = f"{self.PAGE}<script type=module>import './js/app.js'</script>"
        assert [one[4] for one in found(run({"index.html": page, "js/app.js": self.APP, "js/x.js": ""}))] == ["gone"]

    def test_imports_in_a_circle_end(self, run):
        page = f"{self.PAGE}<script type=module src=js/x.js></script>"
        files = {
            "index.html": page,
            "js/x.js": "import './y.js'; import 'gone'",
            "js/y.js": "import 'x'; import './x.js'",
        }
        assert [one[4] for one in found(run(files))] == ["gone"]

    def test_a_name_is_reported_once(self, run):
        page = f"{self.PAGE}<script type=module src=js/app.js></script>"
        other = '<script type=importmap>{"imports": {"x": "./js/x.js", "z": null}}</script>'
        other += "<script type=module src=js/app.js></script>"
        files = {"a.html": page, "b.html": page, "c.html": other, "js/app.js": self.APP, "js/x.js": ""}
        assert [one[4] for one in found(run(files))] == ["gone"]

    @pytest.mark.parametrize(
        "page",
        [
            PAGE,
            f"{PAGE}<script src=js/app.js></script>",
            f"{PAGE}<template><script type=module src=js/app.js></script></template>",
            f"{PAGE}<script type=module src=js/gone.js></script>",
            "<script type=module src=js/app.js></script>",
        ],
    )
    def test_no_page_with_a_map_loads_it_as_a_module(self, run, page):
        result = run({"index.html": page, "js/app.js": self.APP}, ignore=("LF101",))
        assert not result.findings
        assert result.coverage.unchecked["a module name, which needs an import map"] == 2

    def test_scopes_go_by_the_url_of_the_script(self, run):
        page = '<script type=importmap>{"scopes": {"/js/lib/": {"gone": "./js/x.js"}}}</script>'
        page += "<script type=module src=js/lib/a.js></script><script type=module src=js/b.js></script>"
        files = {"index.html": page, "js/lib/a.js": "import 'gone'", "js/b.js": "import 'gone'", "js/x.js": ""}
        assert [one[1] for one in found(run(files))] == ["js/b.js"]

    def test_comments_and_dynamic_imports_are_exempt(self, run):
        page = f"{self.PAGE}<script type=module src=js/app.js></script>"
        script = (
            "import 'gone' // linkfix\n/* linkfix-ignore */ import 'gone-2'\nimport(/* x */ 'node:fs'); import('a')"
        )
        result = run({"index.html": page, "js/app.js": script, "js/x.js": ""})
        assert [one[4] for one in found(result)] == ["gone"]

    def test_pages_that_all_differ_are_followed_to_a_limit(self, run, monkeypatch):
        monkeypatch.setattr("linkfix.auditing.modules._STEPS", 3)
        page = f"{self.PAGE}<script type=module src=js/0.js></script>"
        modules = {f"js/{number}.js": f"import './{number + 1}.js'; import 'gone'" for number in range(5)}
        result = run({"index.html": page, **modules, "js/5.js": ""}, select=("LF112",))
        assert [one[1] for one in found(result)] == ["js/0.js", "js/1.js", "js/2.js"]

    def test_several_processes_find_the_same(self, run, monkeypatch):
        monkeypatch.setattr("linkfix.auditing.engine._SMALL", 0)
        page = f"{self.PAGE}<script type=module src=js/app.js></script>"
        files = {"index.html": page, "js/app.js": self.APP, "js/x.js": ""}
        assert [one[4] for one in found(run(files, processes=2))] == ["gone"]
