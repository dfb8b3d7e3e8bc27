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
                "_posts/2024-01-06-two.md": page("permalink: date"),
                "README.md": links("about", "old.html"),
            },
            [
                "/who/",
                "/who",
                "/",
                "/z",
                "/new",
                "/named",
                "/styled",
                "/again/",
                "/own/",
                "/2024/01/06/two",
                "about.md",
            ],
            {
                "/about/": at("about.md", "/who/"),
                "about": at("about.md", "/who/"),
                "/start": at("start.md", "/"),
                "/sub/b": at("sub/b.md", "/z"),
                "/old.html": at("old.html", "/new.html"),
                "/2024/01/05/one.html": "",
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


def test_at_a_host_of_repositories_the_file_counts(tmp_path):
    files = {"_config.yml": "title: x\n", "about.md": page("permalink: /who/"), "a.md": links("about.md", "about")}
    found = audited(tmp_path, files, heading_ids="github")
    assert told(found) == []


def test_a_missing_page_of_a_language_in_the_folder_of_sources(tmp_path):
    docs = {"guide.md": "", "fr/index.md": "", "index.md": links("/fr/guide/", "/fr/gone/", "/de/gone/")}
    files = {f"src/content/docs/{name}": text for name, text in docs.items()}
    found = wrong(tmp_path, {"astro.config.mjs": STARLIGHT, **files}, "src/content/docs")
    assert list(found) == ["/fr/gone/", "/de/gone/"]


class TestPostsOfJekyll:
    """The URL of a post ends with its date and its name, unless a setting may give it another one."""

    POSTS: ClassVar = {
        "_posts/2024-01-05-one.md": page("title: Other"),
        "sub/_posts/2024-1-6-two.md": page("categories: [a, b]"),
        "_posts/2024-01-07-dated.md": page("date: 2024-02-03"),
        "_posts/2024-01-08-empty.md": "---\n---\n",
    }
    RIGHT = ("/2024/01/05/one.html", "/x/2024/01/05/one", "/a/b/2024/01/06/two.html", "/2024/02/03/dated", "/1/empty")
    WRONG = ("/2024/01/06/one.html", "/blog/one/", "/2024/02/06/two")

    @pytest.mark.parametrize(
        ("settings", "is_known"),
        [
            ("title: x\n", True),
            ("permalink: pretty\n", True),
            ("defaults:\n  - scope: {path: ''}\n    values: {layout: post}\n", True),
            ("permalink: /:title/\n", False),
            ("permalink: none\n", False),
            ("defaults:\n  - scope: {path: ''}\n    values: {permalink: '/:title/'}\n", False),
            ("defaults: *shared\n", False),
        ],
    )
    def test_another_date_is_a_finding_if_the_form_of_urls_is_known(self, tmp_path, settings, is_known):
        found = wrong(
            tmp_path, {"_config.yml": settings, **self.POSTS, "a.md": page("x: y") + links(*self.RIGHT, *self.WRONG)}
        )
        assert sorted(found) == (sorted(self.WRONG) if is_known else [])


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
