"""Settings of Eleventy that calls and data files have, as Eleventy 3.1 builds sites with them."""

from __future__ import annotations

import pytest
from support.audit_trees import write

from linkfix.auditing import AuditOptions, audit
from linkfix.auditing.generators.eleventy import copied_folders, permalink_in, permalink_of


def broken(root):
    return [one.reference for one in audit(str(root), AuditOptions(select=("LF101",))).findings]


@pytest.mark.parametrize(
    ("call", "pairs"),
    [
        ('c.addPassthroughCopy({"src/static": "/", \'img/\': `./pics/`})', [("src/static", ""), ("img", "pics")]),
        (
            "c.addPassthroughCopy({\n  fonts: 'assets/fonts',\n  'a.txt': 'b.txt',\n})",
            [("fonts", "assets/fonts"), ("a.txt", "b.txt")],
        ),
        ("// c.addPassthroughCopy({'a': 'b'})", []),
        ("c.addPassthroughCopy('img')", []),
        (
            "c.a('https://x.example/'); c.addPassthroughCopy({a: 'b'}); c.addPassthroughCopy({c: 'd'})",
            [("a", "b"), ("c", "d")],
        ),
        ("c.addPassthroughCopy({'img/**/*.png': 'pics', 'a': `${b}`})", []),
    ],
)
def test_copied_folders(call, pairs):
    assert list(copied_folders(call)) == pairs


@pytest.mark.parametrize(
    ("name", "text", "permalink"),
    [
        ("posts.json", '{"permalink": "/b/{{ page.fileSlug }}/"}', "/b/{{ page.fileSlug }}/"),
        ("posts.json", '{"layout": "x"}', None),
        ("posts.json", '{"permalink": false}', None),
        ("posts.11tydata.js", "export default {permalink: '/b/'}", "/b/"),
        ("posts.11tydata.js", "export default {permalink: (data) => data.x}", "{{ permalink }}"),
    ],
)
def test_permalink_of_a_data_file(name, text, permalink):
    assert permalink_in(name, text) == permalink


@pytest.mark.parametrize(
    ("inner", "path"),
    [
        ("posts/one.md", "/b/one/"),
        ("posts/2024-01-02-one.md", "/b/one/"),
        ("posts/sub/two/index.md", "/b/two/"),
        ("pages/a.md", "/pages/a.html"),
        ("other/a.md", None),
        ("a.md", None),
    ],
)
def test_permalink_of_a_source(inner, path):
    permalinks = {"posts": "/b/{{page.fileSlug}}/", "pages": "{{ page.filePathStem }}.html"}
    assert permalink_of(permalinks, inner) == path


def test_the_pages_of_a_folder_with_data(tmp_path):
    write(
        tmp_path,
        {
            ".eleventy.js": "module.exports = c => {}",
            "posts/posts.json": '{"permalink": "/blog/{{ page.fileSlug }}/"}',
            "posts/hi.md": "# Hi\n",
            "posts/own.md": "---\npermalink: /own/\n---\n",
            "posts/posts-of-others.json": '{"permalink": "/wrong/"}',
            "any/any.11tydata.js": "module.exports = {permalink: d => d.x}",
            "any/a.md": "# A\n",
            "index.md": "[a](/blog/hi/) [b](/posts/hi/) [c](/own/) [d](/blog/own/)\n",
        },
    )
    assert broken(tmp_path) == []  # the pages of `any` may be anywhere
    (tmp_path / "any/any.11tydata.js").unlink()
    found = audit(str(tmp_path), AuditOptions(select=("LF101",))).findings
    assert [one.reference for one in found] == ["/posts/hi/", "/blog/own/"]
    assert found[0].hint.text == "the page of posts/hi.md is at /blog/hi/"


@pytest.mark.parametrize("folder", ["", "src"])
def test_copied_files(tmp_path, folder):
    copied = 'c.addPassthroughCopy({"src/static": "/", "img": "images"});'
    settings = f'module.exports = c => {{{copied} return {{dir: {{input: "src"}}}}}}'
    write(
        tmp_path,
        {
            ".eleventy.js": settings,
            "src/static/pics/p.png": "",
            "src/static/_redirects": "/old / 301\n",
            "img/a.png": "",
            "src/index.md": "[c](/old) ![p](/pics/p.png) ![q](/images/a.png) ![r](/images/b.png) ![s](/pics/no.png)\n",
        },
    )
    assert broken(tmp_path / folder) == ["/images/b.png", "/pics/no.png"]
