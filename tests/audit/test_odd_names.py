"""Settings files with names that no folder can have, and links to themselves: the audit goes on."""

from __future__ import annotations

import json

import pytest
from support.audit_trees import audited, write

PAGE = {"site/index.html": "<a href=gone.html>a</a>"}

#: A name that is too long for a file system, one with the character that ends names, and a loop of links.
NAMES = ["a" * 300, "a\0b", "loop", "loop/inner"]

SETTINGS = {
    "mkdocs.yml": "site_name: a\ndocs_dir: {0}\nsite_dir: {0}\n",
    "zensical.toml": "[project]\ndocs_dir = {0}\nsite_dir = {0}\n",
    "hugo.toml": "baseURL = 'https://a.example/'\npublishDir = {0}\nstaticDir = {0}\ncontentDir = {0}\n",
    "docusaurus.config.js": "export default {{url: 'https://a.example', baseUrl: '/', staticDirectories: [{0}], "
    "presets: [['classic', {{docs: {{path: {0}}}}}]]}}",
    ".vitepress/config.js": "export default {{srcDir: {0}, outDir: {0}}}",
    "astro.config.mjs": "export default {{srcDir: {0}, outDir: {0}, publicDir: {0}}}",
    "_config.yml": "source: {0}\ndestination: {0}\ncollections_dir: {0}\ncollections: {{a: {{output: true}}}}\n",
    "book.toml": "[book]\nsrc = {0}\n[build]\nbuild-dir = {0}\n",
    "conf.py": "extensions = []\nhtml_static_path = [{0}]\nhtml_extra_path = [{0}]\n",
    "pelicanconf.py": "PATH = {0}\nOUTPUT_PATH = {0}\nSTATIC_PATHS = [{0}]\n",
    ".eleventy.js": "module.exports = () => ({{dir: {{input: {0}, output: {0}, includes: {0}}}}})",
    "netlify.toml": "[build]\npublish = {0}\nbase = {0}\n",
    "vercel.json": '{{"outputDirectory": {0}}}',
    "firebase.json": '{{"hosting": {{"public": {0}}}}}',
    "wrangler.json": '{{"assets": {{"directory": {0}}}, "pages_build_output_dir": {0}}}',
}


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("value", NAMES)
def test_folders_that_cannot_be_there(tmp_path, name, value):
    write(tmp_path, {**PAGE, name: SETTINGS[name].format(json.dumps(value))})
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "site/loop").symlink_to("loop")
    assert [one.reference for one in audited(tmp_path / "site").findings] == ["gone.html"]


def test_links_to_themselves_in_the_tree(tmp_path):
    write(tmp_path, {"index.html": "<a href=loop>1</a><a href=loop/a.html>2</a><a href=index.html>3</a>"})
    (tmp_path / "loop").symlink_to("loop")
    assert [(one.reference, one.name) for one in audited(tmp_path).findings] == [
        ("loop", "link-out-of-tree"),
        ("loop/a.html", "link-out-of-tree"),
    ]
