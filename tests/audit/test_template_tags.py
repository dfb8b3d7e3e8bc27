"""Tags in references that a site generator fills in, as Jekyll, Hugo and Eleventy do for the same sources."""

from __future__ import annotations

import time

import pytest
from support.audit_trees import write

from linkfix.auditing import AuditOptions, audit
from linkfix.auditing.template_tags import UNKNOWN_TAG, tag_of, with_other_quotes, without_blocks
from linkfix.markdown.tags import filled_text

JEKYLL = {
    "_config.yml": "baseurl: /lamp\nurl: https://e.example\nexclude: [README.md]\n",
    "README.md": "x",
    "index.md": "---\n---\n",
    "about.md": "---\n---\n# About\n",
    "a b/x.md": "---\n---\n",
    "logo.png": b"x",
    "_posts/in/2024-01-01-x.md": "---\n---\n# Part\n",
}
HUGO = {
    "hugo.toml": "baseURL = 'https://e.example/'\n",
    "content/docs/b.md": "---\ntitle: B\n---\n## Part\n",
    "content/docs/c/index.md": "---\ntitle: C\n---\n",
    "content/docs/d.fr.md": "---\ntitle: D\n---\n",
}


def checked(folder, files):
    """The references that are wrong, and the number of those with a tag whose value is not known."""
    write(folder, files)
    found = audit(str(folder), AuditOptions())
    assert not any(one.hint and one.hint.reference for one in found.findings)
    return [one.reference for one in found.findings], found.coverage.unchecked.get(UNKNOWN_TAG, 0)


def in_markdown(*references):
    return "---\ntitle: L\n---\n" + "\n\n".join(f"[x]({one})" for one in references)


def in_html(*references):
    return "---\ntitle: L\n---\n" + "\n".join(f'<a href="{one}">x</a>' for one in references)


@pytest.mark.parametrize(
    ("name", "page"),
    [("links.md", in_markdown), ("links.md", in_html), ("links.html", in_html), ("_layouts/links.html", in_html)],
)
class TestJekyll:
    RIGHT = (
        *("{% link about.md %}", "{%- link about.md -%}#about", "{% link /logo.png %}", "{% post_url 2024-01-01-x %}"),
        *("{% post_url in/2024-01-01-x %}#part", "{{ '/about/' | relative_url }}", "{{'about'|absolute_url}}?x#about"),
        *("{{ site.baseurl }}/about", "{{site.url}}{{site.baseurl}}/about.html#about", "{{ site.baseurl }}"),
        *("{{ '/about/' | prepend: site.baseurl }}", "{{ site.baseurl }}{% link about.md %}"),
        *("{{ 'https://other.example/' | relative_url }}", "{% link _posts/in/2024-01-01-x.md %}"),
    )
    WRONG = (
        *("{% link gone.md %}", "{% link about %}", "{% link README.md %}", "{% link about.md %}#gone"),
        *("{% post_url 2024-01-02-x %}", "{{ '/gone/' | relative_url }}", "{{ site.baseurl }}/gone#x"),
        "{{ '/gone.png' | prepend: site.baseurl | prepend: site.url }}",
    )
    UNKNOWN = (
        "{{ page.url }}",
        "{{ site.baseurl }}{{ p.url }}",
        "{% link {{ x }}.md %}",
        "{{ '/x' | f }}",
        "{{ x }}/y",
    )

    def test_tags_are_checked_if_their_value_is_known(self, tmp_path, name, page):
        unknown = self.UNKNOWN[:-3] if name.startswith("_") else self.UNKNOWN
        found, number = checked(tmp_path, {**JEKYLL, name: page(*self.RIGHT, *self.WRONG, *unknown)})
        assert found == list(self.WRONG)
        assert number == len(unknown) * (not name.startswith("_"))


def test_what_is_no_tag_in_jekyll(tmp_path):
    raw = "{% raw %}\n[x]({% link gone.md %})\n{% endraw %}\n\n`[x]({% link gone.md %})`\n\n"
    text = "---\n---\n" + raw + "[x]: {% link gone.md %} 'title'\n[x] [y]({% link about.md %} \"t\") {{ z }}"
    found, number = checked(tmp_path, {**JEKYLL, "a.md": text, "static.html": '<a href="{{ x }}">x</a>'})
    assert (found, number) == (["{% link gone.md %}", "{{ x }}"], 0)


def test_marks_in_marks_are_no_end_of_a_value(tmp_path):
    page = in_html('{{ "/about/" | relative_url }}', '{{ "/gone/" | relative_url }}')
    assert checked(tmp_path, {**JEKYLL, "a.html": page}) == (["{{ '/gone/' | relative_url }}"], 0)


def test_a_tag_in_a_value_adds_no_id(tmp_path):
    page = "---\nx: y\n---\n<a class='a' href=\"{{ site.baseurl }}{{ '/about/' | relative_url }}\">x</a> [x](#a)\n\n"
    block = "{% comment %}\n## A\n{% endcomment %}\n"
    assert checked(tmp_path, {**JEKYLL, "a.md": page + block})[0] == ["#a"]
    assert checked(tmp_path, {**JEKYLL, "a.md": f'{page}<b>x</b> a="{{{{ b }}}}'})[0] == []


def test_pages_of_hugo(tmp_path):
    right = ('{{< ref "b.md" >}}', '{{< relref "/docs/b#part" >}}', '{{% ref "docs/c" %}}', '{{< ref "b" >}}#part')
    wrong = ('{{< ref "gone.md" >}}', '{{< relref "/docs/gone" >}}', '{{< ref "b.md" >}}#gone')
    unknown = ('{{< ref "d" >}}', '{{< ref path="b.md" lang="fr" >}}', "{{< other >}}")
    files = {**HUGO, "content/docs/a.md": in_markdown(*right, *wrong, *unknown)}
    assert checked(tmp_path, files) == (list(wrong), len(unknown))


def test_urls_of_eleventy(tmp_path):
    files = {".eleventy.js": "module.exports = {dir: {input: 'src'}};", "src/b.md": "# B\n"}
    page = in_markdown("{{ '/b/' | url }}#b", "{{ '/gone/' | url }}", "{{ page.url }}", "{{ '../b/' | url }}")
    assert checked(tmp_path, {**files, "src/a.md": page}) == (["{{ '/gone/' | url }}"], 1)


def test_without_a_generator_a_tag_is_no_link(tmp_path):
    assert checked(tmp_path, {"a.md": in_markdown("{% link gone.md %}")}) == ([], 0)


def test_links_in_comments_and_code_of_tags_are_in_no_page(tmp_path):
    blocks = [
        "{% comment %}[x](/c/)\n\n## Part\n{%- endcomment -%}",
        "{% highlight html linenos %}\n<a href='/h/'>x</a>\n{% endhighlight %}",
        "{% raw %}{% comment %}[x](/raw/){% endcomment %}{% endraw %}",
        "{% comment %}[x](/open/)",
    ]
    found = checked(tmp_path / "jekyll", {**JEKYLL, "a.md": "---\nx: y\n---\n" + "\n\n".join(blocks)})
    assert found == (["/raw/", "/open/"], 0)
    text = "{{< highlight html >}}<a href='/h/'>x</a>{{< / highlight >}} [x](/gone/)"
    assert checked(tmp_path / "hugo", {**HUGO, "content/a.md": text}) == (["/gone/"], 0)


@pytest.mark.growth
@pytest.mark.parametrize(
    "text",
    [
        "{% raw %}",
        "](",
        "]({{",
        "]({% a",
        "[a]: {{ b",
        "{{" * 50,
        "]({{ a }}",
        "[",
        "=\"{{ '",
        "{% comment %}{% raw %}",
        "{%- ",
    ],
)
def test_time_is_bounded(text):
    started = time.process_time()
    filled_text(text * 100_000)
    with_other_quotes((text * 100_000).encode())
    without_blocks("jekyll", (text * 100_000).encode())
    tag_of("jekyll", text * 100_000)
    tag_of("jekyll", "{{ 'a'" + " " * 900 + "| relative_url" + " " * 80 + "x")
    assert time.process_time() - started < 3


def test_hints_have_the_tag(tmp_path):
    wrong = ['{{ "/Logo.png" | relative_url }}?x', "{{ site.baseurl }}/Logo.png", "{% link Logo.png %}"]
    write(tmp_path, {**JEKYLL, "links.md": in_markdown(*wrong)})
    hints = {one.reference: one.hint for one in audit(str(tmp_path), AuditOptions()).findings}
    assert {reference: hint and (hint.reference, hint.certain) for reference, hint in hints.items()} == {
        wrong[0]: ('{{ "/logo.png" | relative_url }}?x', False),
        wrong[1]: ("{{ site.baseurl }}/logo.png", False),
        wrong[2]: (None, False),
    }
