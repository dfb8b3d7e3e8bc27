"""Rules of hosts for sources that a generator makes a site from: redirects from paths that no page has."""

from __future__ import annotations

import json

import pytest

from linkfix.auditing import AuditOptions, audit
from linkfix.auditing.hosts.find import HOST_KINDS

#: The files of a project of each generator; the folder that it builds, the folder whose files it copies to the root,
#: and that of its sources; the URL of the page `new.md`.
PROJECTS = {
    "docusaurus": (
        {
            "docusaurus.config.js": "module.exports = {url: 'https://x.example', baseUrl: '/'};",
            "docs/new.md": "# New\n",
        },
        *("build", "static/", "docs/", "/docs/new"),
    ),
    "vitepress": (
        {".vitepress/config.js": "export default {title: 'x'}", "new.md": "# New\n"},
        *(".vitepress/dist", "public/", "", "/new"),
    ),
    "hugo": (
        {"hugo.toml": 'baseURL = "https://x.example/"\n', "content/new.md": "---\ntitle: New\n---\n# New\n"},
        *("public", "static/", "content/", "/new/"),
    ),
    "jekyll": (
        {"_config.yml": "title: x\nbaseurl: ''\n", "new.md": "---\ntitle: New\n---\n# New\n"},
        *("_site", "", "", "/new.html"),
    ),
    "eleventy": (
        {"eleventy.config.js": "export default () => ({dir: {input: 'src'}})", "src/new.md": "# New\n"},
        *("_site", "src/", "src/", "/new/"),
    ),
    "mdbook": (
        {
            "book.toml": "[book]\ntitle = 'x'\n",
            "src/new.md": "# New\n",
            "src/SUMMARY.md": "[a](page.md)\n[n](new.md)\n",
        },
        *("book", "src/", "src/", "/new.html"),
    ),
    "mkdocs": (
        {
            "mkdocs.yml": "site_name: x\nsite_url: https://x.example/\n",
            "docs/new.md": "# New\n",
            "docs/index.md": "# I\n",
        },
        *("site", "docs/", "docs/", "/new/"),
    ),
}

_REFERENCES = "[a](/old) [b](/older/x) [c](/out) [d](/lost) [e](/geo)"


def write(root, files):
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")


def rules(target):
    """Rules in the form of `_redirects`, each with its line."""
    others = "/out https://other.example/\n/lost /none\n"
    return f"/old {target}\n/older/* {target}#part\n{others}/geo {target} 302 Country=de\n"


def in_toml(text, publish):
    """The same rules in the form of `netlify.toml`."""
    lines = (line.split() for line in text.splitlines())
    tables = [
        f'[[redirects]]\nfrom = "{source}"\nto = "{target}"\n{"conditions = {Country = [1]}" * bool(more)}\n'
        for source, target, *more in lines
    ]
    return f'[build]\npublish = "{publish}"\n' + "".join(tables)


def summary(result):
    found = [(one.path.rpartition("/")[2], one.line, one.reference) for one in result.findings]
    return found, {why: number for why, number in result.coverage.unchecked.items() if "rule of the host" in why}


@pytest.mark.parametrize("folder", ["project", "sources"])
@pytest.mark.parametrize("site", PROJECTS)
class TestEachGenerator:
    def audited(self, root, site, folder, files):
        project, _, _, sources, _ = PROJECTS[site]
        write(root, {".git/HEAD": "", **project, f"{sources}page.md": f"---\ntitle: P\n---\n{_REFERENCES}\n", **files})
        return audit(str(root / (sources if folder == "sources" else "")), AuditOptions(select=("LF101", "LF102")))

    def test_rules_that_are_copied_to_the_root(self, tmp_path, site, folder):
        _, _, served, _, url = PROJECTS[site]
        found, unchecked = summary(self.audited(tmp_path, site, folder, {f"{served}_redirects": rules(url)}))
        assert found == [("page.md", 4, "/older/x"), ("page.md", 4, "/lost")]  # the page has no ID `part`
        assert list(unchecked.values()) == [1]

    def test_rules_about_the_folder_that_is_built(self, tmp_path, site, folder):
        _, built, _, _, url = PROJECTS[site]
        files = {"netlify.toml": in_toml(rules(url), built)}
        found, unchecked = summary(self.audited(tmp_path, site, folder, files))
        assert found == [("page.md", 4, "/older/x"), ("page.md", 4, "/lost")]
        assert list(unchecked.values()) == [1]

    def test_rules_about_another_folder_do_not_count(self, tmp_path, site, folder):
        files = {"netlify.toml": in_toml(rules("/none"), "elsewhere")}
        result = self.audited(tmp_path, site, folder, files)
        found, unchecked = summary(result)
        assert [one[2] for one in found] == ["/old", "/older/x", "/out", "/lost", "/geo"]
        assert not unchecked
        assert "netlify.toml: it publishes elsewhere/, not this folder" in result.settings

    def test_files_of_other_hosts(self, tmp_path, site, folder):
        _, built, served, _, url = PROJECTS[site]
        rule = {"source": "/old", "destination": url}
        files = {
            "apache": {f"{served}.htaccess": f"Redirect 301 /old {url}\n"},
            "azure": {
                f"{served}staticwebapp.config.json": json.dumps({"routes": [{"route": "/old", "redirect": url}]}),
            },
            "firebase": {"firebase.json": json.dumps({"hosting": {"public": built, "redirects": [rule]}})},
            "vercel": {"vercel.json": json.dumps({"outputDirectory": built, "redirects": [rule]})},
            "cloudflare-workers": {
                "wrangler.toml": f'[assets]\ndirectory = "./{built}"\n',
                f"{served}_redirects": f"/old {url}\n",
            },
        }
        for host, own in files.items():
            root = tmp_path / host
            result = self.audited(root, site, folder, own)
            assert "/old" not in [one.reference for one in result.findings], host
            assert HOST_KINDS[host].name in result.settings

    def test_a_page_of_one_page_for_all_paths(self, tmp_path, site, folder):
        """Pages are found before the rule that answers all other paths."""
        project, _, served, sources, url = PROJECTS[site]
        write(tmp_path, {".git/HEAD": "", **project, f"{served}_redirects": f"/* {url} 200\n"})
        write(tmp_path, {f"{sources}page.md": f"---\ntitle: P\n---\n[a]({url}#gone) [b](/any)\n"})
        result = audit(str(tmp_path / (sources if folder == "sources" else "")), AuditOptions())
        assert [(one.code, one.reference) for one in result.findings] == [("LF102", f"{url}#gone")]
        assert [number for why, number in result.coverage.unchecked.items() if "_redirects" in why] == [1]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("netlify.toml", '[build]\npublish = ".vitepress/dist"\n'),
        ("vercel.json", '{"outputDirectory": ".vitepress/dist"}'),
        ("firebase.json", '{"hosting": {"public": ".vitepress/dist", "ignore": ["**/.*", "guide/**"]}}'),
    ],
)
def test_files_that_a_host_leaves_out_are_those_of_the_site(tmp_path, name, text):
    """A source has another name than its page."""
    project = {".vitepress/config.js": "export default {base: '/'}", ".github/C.md": "# C\n"}
    write(tmp_path, {**project, "guide/a.md": "[c](/none) [g](../.github/C.md)\n", name: text})
    result = audit(str(tmp_path), AuditOptions())
    assert [(one.path, one.reference) for one in result.findings] == [("guide/a.md", "/none")]
    assert ".github/C.md" in result.pages


class TestSeveralProjects:
    """Two sites in a repository, each with its own files."""

    @pytest.fixture
    def root(self, tmp_path):
        write(tmp_path, {".git/HEAD": ""})
        for name in "ab":
            rules = (
                f'[[redirects]]\nfrom = "/older-{name}"\nto = "/docs/new"\n',
                '[[redirects]]\nfrom = "/q"\nto = "/docs/none"\n',
            )
            toml = "".join(rules)
            files = {
                "docusaurus.config.js": "module.exports = {url: 'https://x.example', baseUrl: '/'};",
                "docs/new.md": "# New\n",
                "docs/page.md": f"[x](/old-{name}) [y](/older-{name}) [z](/gone)\n",
                "static/_redirects": f"/old-{name} /docs/new\n",
                "netlify.toml": f'[build]\npublish = "build"\n{toml}',
            }
            write(tmp_path, {f"{name}/{file}": text for file, text in files.items()})
        return tmp_path

    def test_the_files_of_all_count_in_the_repository(self, root):
        result = audit(str(root), AuditOptions())
        found = [(one.path, one.reference) for one in result.findings]
        assert [one for one in found if "toml" not in one[0]] == [
            ("a/docs/page.md", "/gone"),
            ("b/docs/page.md", "/gone"),
        ]
        assert [one for one in found if "toml" in one[0]] == [
            ("a/netlify.toml", "/docs/none"),
            ("b/netlify.toml", "/docs/none"),
        ]
        assert "Netlify, a/static/_redirects, a/netlify.toml: 3 rules" in result.settings

    @pytest.mark.parametrize("folder", ["a", "a/docs"])
    def test_the_files_of_one_count_in_its_folder(self, root, folder):
        result = audit(str(root / folder), AuditOptions())
        assert sorted(one.reference for one in result.findings) == ["/docs/none", "/gone"]
        assert "b/" not in result.settings

    def test_a_file_between_the_repository_and_a_project(self, tmp_path):
        for name in "ab":
            toml = f'[build]\nbase = "{name}"\npublish = "docs/.vitepress/dist"\n'
            rule = '[[redirects]]\nfrom = "/old"\nto = "/new"\n'
            write(
                tmp_path,
                {
                    f"{name}/docs/.vitepress/config.js": "export default {}",
                    f"{name}/docs/index.md": "[o](/old)\n",
                    f"{name}/docs/new.md": "# N\n",
                    f"{name}/netlify.toml": toml + rule,
                },
            )
        for folder in (".", "a", "a/docs"):
            assert not audit(str(tmp_path / folder), AuditOptions()).findings, folder

    def test_the_target_of_a_rule_for_the_only_project(self, tmp_path):
        """The file is outside the folder of the project."""
        rules = [{"source": "/a", "destination": "/b"}, {"source": "/c", "destination": "/d"}]
        write(
            tmp_path,
            {
                "docs/.vitepress/config.js": "export default {}",
                "docs/d.md": "# D\n",
                "vercel.json": json.dumps({"redirects": rules}),
            },
        )
        found = audit(str(tmp_path), AuditOptions()).findings
        assert [(one.path, one.reference) for one in found] == [("vercel.json", "/b")]
