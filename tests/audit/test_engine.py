"""Whole audits: one of each construct, broken and valid, in a made tree; and trees that misbehave."""

from __future__ import annotations

import dataclasses
import os
import sys
from collections import Counter

import pytest
from support.audit_trees import BASE, audited, told, write
from support.growth import processor_limit
from support.sizes import sized

from linkfix import InvalidBase, InvalidOption, Layer, Options, UnknownCharset, UnknownRule
from linkfix.auditing import FindingLevel, engine, listing
from linkfix.auditing.rules import rules
from linkfix.auditing.second_pass import FILE_CHANGED

#: Every kind of place that holds a reference, with one that works and one that does not.
PLACES = """
<a href="{}"></a> <area href="{}"> <link rel="x" href="{}"> <img src="{}"> <script src="{}"></script> <iframe src="{}">
</iframe> <embed src="{}"> <object data="{}"></object> <video src="{}" poster="{}"></video> <source src="{}">
<track src="{}"> <form action="{}"></form> <button formaction="{}"></button> <input src="{}"> <q cite="{}"></q>
<img srcset="{} 2x"> <link imagesrcset="{} 1x"> <a ping="{}"></a> <table background="{}"></table>
<p style="background: url({})"></p> <style>@import "{}"; p {{ background: url('{}') }}</style>
<svg><a xlink:href="{}"></a><use href="{}#i"/><image href="{}"/></svg> <math><mi href="{}"></mi></math>
<blockquote cite="{}"></blockquote> <img longdesc="{}"> <meta http-equiv="refresh" content="5; url={}">
"""
COUNT = PLACES.count("{}")


def test_every_place_of_a_reference_is_checked(tmp_path):
    found = audited(tmp_path, {"a.html": PLACES.format(*["gone.x"] * COUNT)})
    assert [one.name for one in found.findings] == ["missing-target"] * COUNT
    assert {one.reference.partition("#")[0] for one in found.findings} == {"gone.x"}
    assert found.coverage.links == found.coverage.checked == COUNT
    assert len(found.causes) == 1


def test_every_place_of_a_reference_can_be_right(tmp_path):
    files = {
        "a.html": PLACES.format(*["there.svg"] * COUNT),
        "there.svg": '<svg xmlns="http://www.w3.org/2000/svg" id="i"/>',
    }
    found = audited(tmp_path, files)
    assert not found.findings
    assert found.coverage.links == found.coverage.checked == COUNT


TREE = {
    "index.html": '<a href="guide/">1</a><a href="guide">2</a><a href="guide/index.html#one">3</a><a href="/">4</a>',
    "guide/index.html": '<p id="one"></p><a name="two"></a><a href="..">up</a><a href="../index.html">up</a>',
    "guide/%25.html": '<a href="%2525.html">itself</a>',
    "guide/with space.html": '<a href="with%20space.html">itself</a>',
    "guide/Größe.html": '<meta charset=utf-8><a href="Gr%C3%B6%C3%9Fe.html">1</a><a href="Größe.html">2</a>',
    "style.css": "@import 'guide/none.css'; p { background: url(img.png) }",
    "img.png": b"\x89PNG",
    "data.txt.gz": b"\x1f\x8b",
    "empty/readme": "no page",
    "page.html?x=1.html": "<p id=q>",
    "valid.html": """
        <a href="#">top</a> <a href="#top">top</a> <a href="">self</a> <a href="?x">self</a>
        <a href="#v" id="v">self</a>
        <a href="guide/#two">named</a> <a href="https://site.example/guide/">own origin</a>
        <a href="https://elsewhere.example/x">another site</a> <a href="mailto:a@b.example">mail</a>
        <a href="page.html?x=1#q">a query in the file's name</a> <img src="data:image/png;base64,AA==">
        <a href="guide/index.html?ignored#one">a query</a> <a href="//site.example/index.html">no scheme</a>
        <iframe srcdoc="&lt;a href='guide/'>1&lt;/a> &lt;a href='#in' id='in'>2&lt;/a>"></iframe>
    """,
    "broken.html": """
        <a href="gone.html">a file</a> <a href="gone/x.html">a folder</a> <a href="data.txt">compressed</a>
        <a href="INDEX.html">case</a> <a href="empty/">no index</a> <a href="empty">no index</a>
        <a href="guide/#three">fragment</a> <a href="#nowhere">fragment</a> <a href="guide/index.html#ONE">case</a>
        <a href="https://site.example/gone">own origin</a> <a href="guide/index.html/">a file is not a folder</a>
        <a href="page.html?x=2">no such query</a> <a href="img.png%00">NUL</a>
    """,
}
BROKEN = [
    ("gone.html", "missing-target"),
    ("gone/x.html", "missing-target"),
    ("data.txt", "missing-target"),
    ("INDEX.html", "case-mismatch"),
    ("empty/", "folder-without-index"),
    ("empty", "folder-without-index"),
    ("guide/#three", "missing-fragment"),
    ("#nowhere", "missing-fragment"),
    ("guide/index.html#ONE", "missing-fragment"),
    ("https://site.example/gone", "missing-target"),
    ("guide/index.html/", "missing-target"),
    ("page.html?x=2", "missing-target"),
    ("img.png%00", "missing-target"),
]


def test_one_of_each(tmp_path):
    found = audited(tmp_path, TREE, ignore=("LF3",))
    assert [(one.reference, one.name) for one in found.findings if one.path == "broken.html"] == BROKEN
    assert [one for one in told(found) if one[0] != "broken.html"] == [
        ("style.css", "missing-target", "guide/none.css"),
    ]
    coverage = found.coverage
    assert coverage.links == coverage.checked + coverage.unchecked.total()
    assert coverage.unchecked == {
        "another site": 1,
        "no file: mailto:, data:, javascript: and similar": 2,
        "a fragment in a srcdoc document": 1,
    }
    assert (coverage.files, coverage.pages) == (len(TREE), len(TREE) - 3)


def test_each_finding_has_its_position(tmp_path):
    files = {"a.html": "<p>é\r\n<a\nhref='x&amp;y.html'>", "b.html": "<a href=a.html#x>"}
    missing, fragment = audited(tmp_path, files).findings
    assert (missing.line, missing.column, missing.end_line, missing.end_column) == (3, 7, 3, 19)
    assert files["a.html"].encode()[missing.start : missing.end] == b"x&amp;y.html"
    assert (missing.reference, missing.target) == ("x&y.html", f"{BASE}x&y.html")
    assert (missing.element, missing.attribute, missing.excerpt) == ("a", "href", "href='x&amp;y.html'>")
    assert (fragment.line, fragment.column, fragment.excerpt) == (1, 9, "<a href=a.html#x>")


@pytest.mark.parametrize(("base_url", "reference", "name"), [
    ("https://h.example/docs/", "/docs/there.html", None),
    ("https://h.example/docs/", "/there.html", "outside-tree"),
    ("https://h.example/docs/", "/elsewhere.html", None),
    ("https://h.example/docs/", "/docs/gone.html", "missing-target"),
    ("https://h.example/docs/", "/docs", None),
    ("https://h.example/docs/", "https://h.example/docs/gone.html", "missing-target"),
    ("https://h.example/docs/", "https://h.example:8080/docs/gone.html", None),
    ("https://h.example/docs/", "http://h.example/docs/gone.html", None),
    ("https://h.example/docs/", "../docs/there.html", None),
    ("https://h.example/docs/", "../gone.html", None),
    ("https://h.example/", "/there.html", None),
    (None, "/there.html", None),
    (None, "/gone.html", "missing-target"),
])  # fmt: skip
def test_missing_targets_by_site_url(tmp_path, base_url, reference, name):
    files = {"a.html": f'<a href="{reference}">', "there.html": "", "index.html": ""}
    found = audited(tmp_path, files, base_url=base_url)
    assert [one.name for one in found.findings] == ([name] if name else [])


def test_clean_urls(tmp_path):
    files = {"a.html": "<a href=b>1</a><a href=c/>2</a><a href=b#x>3</a>", "b.html": "<p id=x>", "c.html": ""}
    assert len(audited(tmp_path, files).findings) == 3
    found = audited(tmp_path, clean_urls=True).findings
    assert [(one.code, one.level, one.reference) for one in found] == [("LF106", FindingLevel.WARNING, "c/")]
    assert "GitHub Pages" in found[0].message
    assert found[0].hint.reference == "c"


@pytest.mark.parametrize(
    ("reference", "code", "hint"),
    [
        ("About", "LF105", ("the file is about.html", "about", True)),
        ("abuot-us", "LF101", ("did you mean about-us?", "about-us", False)),
        ("abuot-us#x", "LF101", ("did you mean about-us?", "about-us#x", False)),
        ("abuot-us.html", "LF101", ("did you mean about-us.html?", "about-us.html", False)),
        ("set_up", "LF101", ("did you mean set-up?", "set-up", False)),
        ("d/only-here.htm", "LF101", ("did you mean d/only-here.html?", "d/only-here.html", False)),
    ],
)
def test_hints_are_spelled_as_a_site_with_clean_urls_spells_names(tmp_path, reference, code, hint):
    names = ("about.html", "about-us.html", "set-up.html", "d/only-here.html")
    files = {**dict.fromkeys(names, ""), "a.html": f'<a href="{reference}">1</a>'}
    (found,) = audited(tmp_path, files, clean_urls=True).findings
    assert (found.code, found.hint and tuple(found.hint)) == (code, hint)


def test_clean_urls_stand_for_htm_too(tmp_path):
    assert not audited(tmp_path, {"a.html": "<a href=b>1</a>", "b.htm": ""}, clean_urls=True).findings


def test_many_pages_without_their_suffix_are_one_advice(tmp_path):
    files = {f"p{n}.html": "<a href=p1>1</a><a href=/p2>2</a><a href=gone>3</a>" for n in range(4)}
    found = audited(tmp_path, files).findings
    assert [(one.name, one.reference) for one in found] == [("clean-urls", ""), *[("missing-target", "gone")] * 4]
    assert "8 of 12" in found[0].message
    assert "--clean-urls" in found[0].hint.text


def test_few_pages_without_their_suffix_keep_their_findings(tmp_path):
    found = audited(tmp_path, {"a.html": "<a href=b>1</a><a href=/b>2</a>", "b.html": ""}).findings
    assert [one.name for one in found] == ["missing-target"] * 2


class TestFontsInSvg:
    FACE = "@font-face { src: url(a.woff2) format('woff2'), url('f.svg%s') format(%s) }"

    @pytest.mark.parametrize("name", ["svg", "'svg'", '"SVG"'])
    def test_browsers_load_none(self, tmp_path, name):
        files = {
            "s.css": self.FACE % ("#Name", name),
            "f.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
            "a.woff2": "",
        }
        found = audited(tmp_path, files)
        assert not found.findings
        assert found.coverage.unchecked == {"a font in SVG, which browsers do not load": 1}

    def test_another_reference_to_the_same_fragment_fails(self, tmp_path):
        svg = "<svg xmlns='http://www.w3.org/2000/svg'/>"
        page = f"<style>{self.FACE % ('#gone', 'svg')}</style><svg><use href='f.svg#gone'/></svg>"
        found = audited(tmp_path, {"a.html": page, "f.svg": svg, "a.woff2": ""}).findings
        assert [(one.code, one.element) for one in found] == [("LF102", "use")]

    def test_other_formats_are_judged(self, tmp_path):
        found = audited(tmp_path, {"s.css": self.FACE % ("", "'truetype'"), "a.woff2": ""}).findings
        assert [one.reference for one in found] == ["f.svg"]


@pytest.mark.parametrize("reference", ["#default#VML", "#Default#time2"])
def test_a_behavior_of_internet_explorer_is_no_reference_to_an_id(tmp_path, reference):
    found = audited(tmp_path, {"a.html": f"<style>v {{behavior: url({reference})}}</style>"})
    assert not found.findings
    assert found.coverage.unchecked == {"a behavior that Internet Explorer has built in": 1}


def test_other_references_to_ids_in_css_are_judged(tmp_path):
    style = "<style>a {mask: url(#default)} b {mask: url(#default-b)}</style><a href='#default%23VML'>a</a>"
    assert len(audited(tmp_path, {"a.html": style}).findings) == len(("#default", "#default-b", "#default%23VML"))


class TestAddressesOfErrorPages:
    HEAD = (
        "<link rel=canonical href=https://site.example/404/><link rel=alternate hreflang=de href=/de/404/>"
        "<link rel=alternate type=application/rss+xml href=/feed.xml>"
    )

    @pytest.mark.parametrize("name", ["404.html", "de/404/index.html", "50x.html"])
    def test_are_no_links_that_fail(self, tmp_path, name):
        found = audited(tmp_path, {name: self.HEAD}, base_url="https://site.example/")
        assert [one.reference for one in found.findings if "404" in one.reference] == []
        assert [one.reference for one in found.findings] == ["/feed.xml"]

    def test_those_of_other_pages_are(self, tmp_path):
        found = audited(tmp_path, {"a.html": self.HEAD, "404.html": self.HEAD}, base_url="https://site.example/")
        assert [(one.path, one.reference) for one in found.findings] == [
            ("404.html", "/feed.xml"),
            ("a.html", "https://site.example/404/"),
            ("a.html", "/de/404/"),
            ("a.html", "/feed.xml"),
        ]


@pytest.mark.parametrize(
    ("form", "level"),
    [
        ("<form method=post action=/api/x>", None),
        ("<form method=POST action=/api/x.php>", None),
        ("<button formmethod=post formaction=/api/x>", None),
        ("<form method=post netlify action=/api/x>", FindingLevel.WARNING),
        ("<form action=/search>", FindingLevel.WARNING),
        ("<form method=get action=search.php>", FindingLevel.WARNING),
        ("<form action=search.html>", FindingLevel.ERROR),
        ("<form method=post action=done.html>", FindingLevel.ERROR),
    ],
)
def test_programs_may_answer_forms(tmp_path, form, level):
    found = audited(tmp_path, {"a.html": form, "b.html": form.replace("method=post", "")})
    levels = [one.level for one in found.findings if one.path == "a.html"]
    assert levels == ([] if level is None else [level])


def test_a_template_that_was_not_filled_in_is_one_finding(tmp_path):
    page = (
        '<link href="{{ pathto(1) }}"><script src="{{ pathto(2) }}"></script><a href="{{ b }}">1</a><a href=gone>2</a>'
    )
    found = audited(tmp_path, {"_static/macros.html": page})
    assert [(one.code, one.path) for one in found.findings] == [("LF310", "_static/macros.html")]
    assert found.findings[0].message.startswith("3 of 4 references have placeholders")
    assert found.coverage.checked == 0


def test_a_tag_of_a_template_shows_that_a_page_is_one(tmp_path):
    item = "{% for item in items %}<a href='{{ item.url }}'>1</a>{% endfor %}"
    found = audited(tmp_path, {"a.html": item, "b.html": f"{item}<a href=gone>2</a><a href=gone>3</a>"})
    assert [(one.path, one.code, one.cause) for one in found.findings] == [
        ("a.html", "LF310", "templates that were not filled in"),
        ("b.html", "LF310", "{{ item.url }}"),
        ("b.html", "LF101", "gone"),
        ("b.html", "LF101", "gone"),
    ]
    assert found.findings[0].message == "1 of 1 reference has a placeholder: the file is a template, not a page"


def test_a_page_with_a_placeholder_is_no_template(tmp_path):
    page = '<a href="{{ a }}">1</a><a href="{{ b }}">2</a>' + "<a href=gone>3</a>" * 3
    assert [one.code for one in audited(tmp_path, {"a.html": page}).findings] == ["LF310"] * 2 + ["LF101"] * 3


def test_targets_of_unused_redirects_are_judged(tmp_path):
    rules = "# é\n/old /nwe/ 301\n/up /New/\n/x/* /y/:splat\n/f /.netlify/functions/f 200\n/used /gone\n"
    files = {"_redirects": rules, "new/index.html": "", "a.html": "<a href=/used>1</a>"}
    found = audited(tmp_path, files).findings
    assert [(one.path, one.line, one.column, one.reference, one.code) for one in found] == [
        ("_redirects", 2, 6, "/nwe/", "LF101"),
        ("_redirects", 3, 5, "/New/", "LF105"),
        ("a.html", 1, 9, "/used", "LF101"),
    ]


def test_fragments_in_targets_of_redirects_are_judged(tmp_path):
    rules = "/a /#gone\n/b /#there\n/c /other.html#lost 301\n/used /#lost\n/d /#gone\n/e a.txt#x\n/f /none#x\n"
    files = {"_redirects": rules, "index.html": "<a id=there href=/used>1</a>", "other.html": "", "a.txt": ""}
    found = audited(tmp_path, files)
    assert [(one.path, one.line, one.column, one.reference, one.code) for one in found.findings] == [
        ("_redirects", 1, 4, "/#gone", "LF102"),
        ("_redirects", 3, 4, "/other.html#lost", "LF102"),
        ("_redirects", 5, 4, "/#gone", "LF102"),
        ("_redirects", 6, 1, "", "LF904"),  # hosts need a path from the root
        ("_redirects", 7, 4, "/none#x", "LF101"),
        ("index.html", 1, 18, "/used", "LF102"),
    ]
    assert not audited(tmp_path, {}, exclude=("_redirects", "index.html")).findings
    assert [one.code for one in audited(tmp_path, {}, ignore=("LF1",)).findings] == ["LF904"]


@pytest.mark.parametrize(
    ("rule", "reference", "is_judged"),
    [
        ("/q id=:id /new/ 301", "/q?id=1&x=2", False),
        ("/q id=:id /new/ 301", "/q", True),
        ("/q /new/ 302 Country=au,nz", "/q", False),
        ("/q/* /new/ 200! Role=admin", "/q/a", False),
        ("/q /new/ 302 Language=de", "/other", True),
    ],
)
def test_redirects_under_conditions_leave_a_path_unjudged(tmp_path, rule, reference, is_judged):
    files = {"_redirects": rule, "new/index.html": "", "a.html": f"<a href={reference}>1</a>"}
    found = audited(tmp_path, files)
    assert [one.reference for one in found.findings] == [reference] * is_judged
    assert sum("rule of the host" in reason for reason in found.coverage.unchecked) == (not is_judged)


def test_references_with_a_reason_of_their_own_are_left_to_their_rules(tmp_path):
    missing = "".join(f"<a href=/app/x{n}.html>1</a>" for n in range(9))
    own = "<a href=/A.html>2</a><a href=/www.example.com/>3</a><a href=/d/>4</a>"
    found = audited(tmp_path, {"a.html": missing + own, "d/x.txt": ""}).findings
    assert [one.code for one in found] == ["LF109", "LF105", "LF308", "LF106"]
    assert all(f"/app/x{n}.html" in found[0].message for n in range(9))


def test_a_redirect_to_a_missing_file_is_named_at_each_reference(tmp_path):
    rules = "/a /gone\n/b /c\n/c /none.html 301\n/rw/* /no.html 200\n"
    page = "".join(f"<a href={one}>1</a>" for one in ("/a", "b", "/rw/x", "/nothing"))
    found = audited(tmp_path, {"_redirects": rules, "index.html": page}).findings
    assert [(one.code, one.reference, one.message) for one in found] == [
        ("LF101", "/a", "the site has no such file (line 1 of _redirects leads to gone)"),
        ("LF101", "b", "the site has no such file (line 3 of _redirects leads to none.html)"),
        ("LF101", "/rw/x", "the site has no such file (line 4 of _redirects leads to no.html)"),
        ("LF101", "/nothing", "the site has no such file"),
    ]


def test_a_redirect_file_is_honoured(tmp_path):
    files = {
        "_redirects": "/old/* /new/:splat 301\n/away https://elsewhere.example/\n/loop /pool\n/pool /loop\n"
        "/never /gone 302\n",
        "new/page.html": "<p id=x>",
        "a.html": '<a href="/old/page.html#x">1</a><a href="/away">2</a><a href="/old/none.html">3</a>'
        '<a href="/loop">4</a><a href="never">5</a><a href="old/page.html#y">6</a>',
    }
    found = audited(tmp_path, files)
    assert [(one.reference, one.name) for one in found.findings] == [
        ("/old/none.html", "missing-target"),
        ("/loop", "link-out-of-tree"),
        ("never", "missing-target"),
        ("old/page.html#y", "missing-fragment"),
    ]


def test_symbolic_links(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.html").write_text("")
    tree = tmp_path / "tree"
    write(tree, {"d/page.html": "<a href=../e/page.html>1</a><a href=../out/x.html>2</a><a href=round/page.html>3</a>"
                 "<a href=dead.html>4</a>"})  # fmt: skip
    (tree / "e").symlink_to("d")
    (tree / "out").symlink_to("../outside")
    (tree / "d/round").symlink_to("../d")
    (tree / "d/dead.html").symlink_to("nothing")
    found = audited(tree)
    assert Counter((one.reference, one.name, one.level.value) for one in found.findings) == {
        ("../out/x.html", "link-out-of-tree", "warning"): 2,
        ("round/page.html", "link-out-of-tree", "error"): 2,
        ("dead.html", "link-out-of-tree", "error"): 2,
    }


def test_redirect_pages(tmp_path):
    carries = (
        '<meta http-equiv=refresh content="0; url=end.html"><script>location.replace("end.html"+location.hash)</script>'
    )
    files = {
        "a.html": "<a href=carry.html#x>1</a><a href=drop.html#x>2</a><a href=carry.html#y>3</a>"
        "<a href=round.html#x>4</a><a href=twice.html#x>5</a><a href=away.html#x>6</a><a href=drop.html>7</a>",
        "carry.html": carries,
        "twice.html": carries.replace("end.html", "carry.html"),
        "drop.html": '<meta http-equiv=refresh content="0; url=end.html">',
        "round.html": '<meta http-equiv=refresh content="0; url=round2.html">',
        "round2.html": '<meta http-equiv=refresh content="0; url=round.html">',
        "away.html": '<meta http-equiv=refresh content="0; url=https://elsewhere.example/">',
        "end.html": "<p id=x>",
    }
    found = audited(tmp_path, files)
    assert [(one.reference, one.name) for one in found.findings] == [
        ("drop.html#x", "dropped-fragment"),
        ("carry.html#y", "missing-fragment"),
        ("round2.html", "endless-refresh"),
        ("round.html", "endless-refresh"),
    ]
    assert found.findings[0].hint.reference == "end.html#x"
    assert found.coverage.fragments == {
        "found, carried over by a redirect page": 2,
        "dropped by a redirect page": 1,
        "not found": 1,
        "not checked: the page redirects in a circle, or more than 20 times": 1,
        "not checked: the page redirects to another site": 1,
    }


def test_most_root_relative_references_fail_for_one_reason(tmp_path):
    files = {
        f"p{number}.html": f'<a href="/app/p{number}.html">1</a><a href="/app/p0.html">2</a><a href="/app/gone">3</a>'
        for number in range(9)
    }
    found = audited(tmp_path, files)
    assert [(one.name, one.path) for one in found.findings] == [("root-relative", "")]
    assert "/app/" in found.findings[0].hint.text
    assert found.findings[0].message == (
        "27 of 27 references that begin with / have no target, "
        "namely /app/p0.html (in p0.html), /app/gone (in p0.html), "
        + ", ".join(f"/app/p{number}.html (in p{number}.html)" for number in range(1, 9))
    )
    again = audited(tmp_path, base_url="https://site.example/app/")
    assert Counter(one.reference for one in again.findings) == {"/app/gone": 9}


def test_folders_of_a_computer_are_no_root_url(tmp_path):
    files = {f"p{n}.html": f"<script src=/usr/share/javascript/x{n}/{n}.js></script>" for n in range(9)}
    found = audited(tmp_path, files)
    assert found.findings[0].message == (
        "9 of 9 references that begin with / have no target, most of them below /usr/, namely "
        + ", ".join(f"/usr/share/javascript/x{n}/{n}.js (in p{n}.html)" for n in range(9))
    )
    assert "--mount /usr/share/javascript=DIR" in found.findings[0].hint.text


def test_references_outside_the_tree_are_counted(tmp_path):
    files = {f"p{n}.html": "<a href=/usr/share/x.js></a>" for n in range(9)}
    found = audited(tmp_path, files, base_url="https://me:secret@h.example/docs/")
    assert not found.findings
    assert list(found.coverage.unchecked.items()) == [("outside https://me:…@h.example/docs/", 9)]


def test_the_base_url_is_inferred_from_canonical_links(tmp_path):
    files = {
        f"d/{name}": f'<link rel=canonical href="https://h.example/v1/d/{name}"><a href="/v1/d/a.html"></a>'
        f'<a href="https://h.example/v1/d/b.html"></a><a href="https://h.example/v1/other.html"></a>'
        '<a href="/v1/gone"></a>'
        for name in ("a.html", "b.html")
    }
    found = audited(tmp_path, files, base_url=None)
    assert (found.base_url, found.base_layer) == ("https://h.example/v1/", Layer.DEFAULT)
    assert {one.reference for one in found.findings} == {"/v1/gone"}
    assert sum("inferred" in reason for reason in found.coverage.unchecked.elements()) == 2


def test_comments_hide_findings(tmp_path):
    files = {
        "a.html": "<!-- linkfix-ignore -->\n<a href=gone1><a href=b.html#no>\n<a href=gone2>",
        "b.html": "<!-- linkfix-ignore-file missing-target --><a href=gone3><a href=#no>",
    }
    found = audited(tmp_path, files)
    assert [(one.path, one.reference) for one in found.findings] == [("a.html", "gone2"), ("b.html", "#no")]
    assert found.hidden == {"comment": 3}


def test_selected_and_ignored_rules(tmp_path):
    files = {"a.html": "<a href=gone><a href=#no>", "b/c.html": "<a href=gone>"}
    everything = audited(tmp_path, files)
    assert [one.code for one in audited(tmp_path, select=("LF102",)).findings] == ["LF102"]
    assert [one.code for one in audited(tmp_path, ignore=("missing-target",)).findings] == ["LF102"]
    narrowed = audited(tmp_path, per_file_ignores=(("b/", ("LF1",)),))
    assert {one.path for one in narrowed.findings} == {"a.html"}
    assert narrowed.hidden == {"per-file-ignores": 1}
    known = audited(tmp_path, known={everything.findings[0].fingerprint})
    assert known.findings == everything.findings[1:]
    assert known.hidden == {"baseline": 1}
    only = audited(tmp_path, only={"b/c.html"})
    assert ([one.path for one in only.findings], only.hidden) == (["b/c.html"], {"unchanged": 2})
    included = audited(tmp_path, include=("b/",))
    assert (included.coverage.pages, included.coverage.files) == (1, 2)


def test_orphans_are_reported_if_selected(tmp_path):
    files = {"index.html": "<a href=a.html>", "a.html": "<a href=a.html>", "alone.html": "<a href=alone.html>"}
    assert not audited(tmp_path, files).findings
    assert told(audited(tmp_path, select=("orphan-page",))) == [("alone.html", "orphan-page", "")]


def test_wrong_arguments_are_named(tmp_path):
    with pytest.raises(InvalidBase, match="not the absolute URL of a folder"):
        audited(tmp_path, base_url="docs/")
    with pytest.raises(UnknownRule, match="did you mean missing-target"):
        audited(tmp_path, select=("mising-target",))
    with pytest.raises(UnknownCharset):
        audited(tmp_path, charset="utf-9")
    with pytest.raises(InvalidOption, match="does not exist"):
        audited(tmp_path / "none", base_url=None)


def test_nothing_to_check_is_no_success(tmp_path):
    found = audited(tmp_path, {"a.txt": "", "b.html": "<a href=https://elsewhere.example/>"})
    assert (found.coverage.checked, found.coverage.links, found.coverage.pages) == (0, 1, 1)


def test_pages_that_cannot_be_checked_are_reported(tmp_path):
    files = {
        "big.html": "<a href=x>" * 200,
        "binary.html": b"\0\1\2" * 100,
        "odd.html": b"\xff\xfe<\0a\0\xdc",
        "bad.svg": "<svg xmlns='http://www.w3.org/2000/svg'><a href='gone'>",
        "good.html": "<a href=good.html>",
    }
    found = audited(tmp_path, files, max_size=1000)
    assert {one.path for one in found.findings if one.code == "LF901"} == {
        "big.html",
        "binary.html",
        "odd.html",
        "bad.svg",
    }
    assert set(found.coverage.unread) == {"big.html", "binary.html", "odd.html"}
    assert found.coverage.pages == 2


def test_targets_in_an_unreadable_folder_are_not_checked(tmp_path, monkeypatch):
    links = "docs/guide.html#install docs/ docs good.html gone.html".split()
    pages = {"good.html": "".join(f"<a href={link}>" for link in links), "docs/guide.html": "<p>"}
    real = listing.open_folder

    def open_folder(folder):
        if folder.path.endswith("docs"):
            raise PermissionError(13, "Permission denied")
        return real(folder)

    monkeypatch.setattr(listing, "open_folder", open_folder)
    found = audited(tmp_path, pages)
    assert [(one.path, one.code, one.reference) for one in found.findings] == [
        ("docs", "LF901", ""),
        ("good.html", "LF101", "gone.html"),
    ]
    assert found.coverage.unchecked == {"in a folder that cannot be read": 3}
    assert found.coverage.refused == {"docs"}


def test_a_file_removed_during_the_run(tmp_path, monkeypatch):
    write(tmp_path, {"a.html": "<a href=b.html>", "b.html": "<p>"})
    real = engine.list_tree

    def list_tree(root, chosen, **options):
        listing = real(root, chosen, **options)
        (tmp_path / "b.html").unlink()
        return listing

    monkeypatch.setattr(engine, "list_tree", list_tree)
    found = audited(tmp_path)
    assert [(one.path, one.code) for one in found.findings] == [("b.html", "LF901")]


def test_a_file_that_changes_under_the_run(tmp_path, monkeypatch):
    write(tmp_path, {"a.html": "<a href=b.html#no>", "b.html": "<p>"})
    real = engine.check_fragments

    def check(*args, **options):
        os.utime(tmp_path / "a.html", (1, 1))
        return real(*args, **options)

    monkeypatch.setattr(engine, "check_fragments", check)
    (one,) = audited(tmp_path).findings
    assert (one.path, one.code, one.message) == ("a.html", "LF901", FILE_CHANGED)


def test_an_internal_fault_in_one_page_does_not_stop_others(tmp_path, monkeypatch):
    rule = next(rule for rule in rules() if rule.info.name == "missing-target")

    def check(seen):
        if seen.page.name == "a.html":
            raise RuntimeError
        return rule.check(seen)

    broken = tuple(dataclasses.replace(one, check=check) if one is rule else one for one in rules())
    monkeypatch.setattr("linkfix.auditing.reader.rules", lambda: broken)
    found = audited(tmp_path, {"a.html": "<a href=gone>", "b.html": "<a href=gone>"})
    assert told(found) == [("a.html", "unjudged-page", ""), ("b.html", "missing-target", "gone")]
    assert "internal error" in found.findings[0].message


def test_passwords_are_not_reported(tmp_path):
    found = audited(tmp_path, {"a.html": '<a href="https://me:hunter2@site.example/gone">x</a>'})
    assert found.findings
    assert "hunter2" not in repr(found)


def test_levels_are_ordered():
    assert [level.rank for level in FindingLevel] == [0, 1, 2]


@pytest.mark.growth
def test_time_is_linear_in_the_number_of_references(tmp_path):
    count = max(sized(20_000), 5_000)
    ids = "".join(f"<p id=n{number}x>" for number in range(count))
    links = "".join(f"<a href=#m{number}x></a>" for number in range(count))
    with processor_limit(20):
        found = audited(tmp_path, {"a.html": ids + links})
    assert len(found.findings) == count


@pytest.mark.growth
@pytest.mark.parametrize("text", ["<script>", "<script ", "<script>x</script ", "<script></script>"])
def test_scripts_are_searched_in_linear_time(tmp_path, text):
    with processor_limit(10):
        found = audited(tmp_path, {"a.html": "<a href=#x>" + text * sized(50_000)})
    assert [one.name for one in found.findings] == ["missing-fragment"]


@pytest.mark.parametrize(
    "scripts", ["<script>'#x'</script>", "<SCRIPT type=module>\n`#x`", "<script></script><script>'#x'"]
)
def test_names_that_only_a_script_knows(tmp_path, scripts):
    found = audited(tmp_path, {"a.html": f"<a href=#x>{scripts}"})
    assert [one.name for one in found.findings] == ["scripted-fragment"]


def test_scripts_of_the_tree_that_a_page_loads(tmp_path):
    (tmp_path / "js").mkdir()
    (tmp_path / "js/app.js").write_text("add().id = 'two'; add().title = 'three'")
    page = '<script src="js/app.js?v=1"></script><script src=gone.js></script><script src=//cdn.example/x.js></script>'
    found = audited(tmp_path, {"a.html": page + "<a href=#two>1</a><a href=#three>2</a>"})
    assert [(one.reference, one.name) for one in found.findings if one.reference.startswith("#")] == [
        ("#two", "scripted-fragment"),
        ("#three", "missing-fragment"),
    ]
    assert "js/app.js, a script of the page," in next(one.message for one in found.findings if one.reference == "#two")


def test_a_directive_in_a_redirect_is_no_fragment(tmp_path):
    files = {"_redirects": "/old /new.html#:~:text=x\n/older /new.html#a:~:text=x", "new.html": "<p id=a>"}
    found = audited(tmp_path, files | {"a.html": "<a href=old></a><a href=older></a>"})
    assert not found.findings


def test_values_filled_in_by_scripts_are_not_checked(tmp_path):
    page = "<p data-src='a_{width}.jpg'><p data-bg='url(b_{0}.jpg)'><p data-bg='url(gone.jpg)'><p data-src='{a}'>"
    found = audited(tmp_path, {"a.html": page}, options=Options(lazy=True))
    assert told(found) == [("a.html", "missing-target", "gone.jpg")]
    assert found.coverage.unchecked == {"with a placeholder for a script": 3}


def test_a_template_is_no_part_of_the_page(tmp_path):
    page = "<template><img src=gone.png><style>@import 'gone.css'</style></template><a href=a.html>itself</a>"
    xml = '<html xmlns="http://www.w3.org/1999/xhtml"><template><a href="gone"/></template><a href="x.xhtml"/></html>'
    found = audited(tmp_path, {"a.html": page, "x.xhtml": xml})
    assert not found.findings
    assert found.coverage.unchecked == {"in a template": 1}


def test_a_page_that_refreshes_to_nothing_is_checked_itself(tmp_path):
    page = '<meta http-equiv=refresh content="0; url=gone.html"><a href="#none">x</a>'
    assert [one.name for one in audited(tmp_path, {"a.html": page}).findings] == ["missing-target", "missing-fragment"]


def test_a_missing_target_above_the_root_is_reported_once(tmp_path):
    (one,) = audited(tmp_path, {"a.html": "<a href=../../x.html>"}).findings
    assert (one.name, one.message) == (
        "missing-target",
        'the site has no such file, and its ".." go 2 folders above the root',
    )


def test_lines_are_not_percent_decoded(tmp_path):
    found = audited(tmp_path, {"a.html": "<p id=1><p id=2><a href=#1-2>x</a><a href=#1-%32>x</a>"})
    assert [one.reference for one in found.findings] == ["#1-%32"]


def test_a_page_that_a_script_alone_sends_on(tmp_path):
    files = {
        "a.html": "<a href=old.html#x>1</a><a href=hash.html#x>2</a>",
        "old.html": "<script>location.replace('new.html' + location.hash)</script>",
        "hash.html": "<script>if (location.hash == '') open()</script>",
    }
    found = audited(tmp_path, files)
    assert [(one.reference, one.name) for one in found.findings] == [
        ("old.html#x", "scripted-fragment"),
        ("hash.html#x", "missing-fragment"),
    ]


def test_a_lost_fragment_in_srcdoc_is_reported(tmp_path):
    found = audited(tmp_path, {"a.html": """<iframe srcdoc="<a href='b.html#no'><a href='#no'>">""", "b.html": ""})
    assert [(one.reference, one.column) for one in found.findings] == [("b.html#no", 26)]


def test_newlines_in_ids_are_normalized(tmp_path):
    page = '<p id="a\r\nb"><p id="c&#13;d"><a href="#a%0Ab">1</a><a href="#a%0D%0Ab">2</a><a href="#c%0Dd">3</a>'
    assert [one.reference for one in audited(tmp_path, {"a.html": page}).findings] == ["#a%0D%0Ab"]


def test_slashes_that_many_servers_merge(tmp_path):
    (one,) = audited(tmp_path, {"a.html": "<a href=d//b.html>", "d/b.html": ""}).findings
    assert (one.name, one.level, one.hint.reference) == ("missing-target", FindingLevel.WARNING, "d/b.html")


def test_a_page_in_a_frame_or_linked_with_a_query_is_no_orphan(tmp_path):
    files = {"index.html": "<iframe src='a.html?x'></iframe><a href='b.html?x'>b</a>", "a.html": "", "b.html": ""}
    assert not audited(tmp_path, files, select=("orphan-page",)).findings


def test_a_missing_target_by_base_names_the_line_of_base(tmp_path):
    page = '<!doctype html>\n<base href="/archive/"><a href=x.html>x</a><a href=/y.html>y</a><a href="?q">z</a>'
    tree = {"saved/one.html": page, "two.html": "<a href=z.html>z</a>", "b.html": "<base href='/'><a href=w.html>w</a>"}
    found = audited(tmp_path, tree, select=("missing-target",))
    assert [(one.reference, one.message) for one in found.findings if one.reference != "?q"] == [
        ("w.html", "the site has no such file (the reference is relative to BASE in line 1)"),
        ("x.html", "the site has no folder archive/ (the reference is relative to BASE in line 2)"),
        ("/y.html", "the site has no such file"),
        ("z.html", "the site has no such file"),
    ]


def test_a_page_in_utf_8_that_does_not_say_so(tmp_path):
    files = {
        "a.html": "<meta charset=utf-8><a href='b.html#Grüße'>1</a><a href='b.html#gone'>2</a>",
        "b.html": "<p id='Grüße'><a href='#Grüße'>misread alike</a>",
        "c.html": b"<p id='Gr\xfc'><a href=b.html>this one is in windows-1252</a>",
        "d.html": "<p>text in another encoding matters to readers only: Grüße",
    }
    found = audited(tmp_path, files)
    assert told(found) == [
        ("a.html", "missing-fragment", "b.html#Grüße"),
        ("a.html", "missing-fragment", "b.html#gone"),
        ("b.html", "encoding-doubtful", ""),
    ]
    fragment, other, page = found.findings
    assert fragment.message.endswith("browsers read windows-1252; read as UTF-8, an element has it")
    assert fragment.hint.text == page.hint.text == 'write <meta charset="utf-8"> at the beginning of its head'
    assert "UTF-8" not in other.message
    assert "2 of its IDs and references" in page.message
    assert not audited(tmp_path, charset="utf-8", ignore=("LF902",), exclude=("a.html",)).findings


def refresh(content):
    return f'<meta http-equiv=refresh content="{content}">'


class TestEndlessRefresh:
    def test_circles(self, tmp_path):
        files = {
            "index.html": refresh("0; ./"),
            "a.html": refresh("0; url=b.html"),
            "b.html": refresh(" 00.5 ; url='c.html'"),
            "c.html": refresh(".9, a.html"),
            "to-it.html": refresh("0; url=a.html"),
            "base.html": "<base href=/x/>" + refresh("0; url=../base.html"),
        }
        found = audited(tmp_path, files)
        circles = [one for one in found.findings if one.code == "LF114"]
        assert {one.path: one.message.partition("once ")[2] for one in circles} == {
            "index.html": "to itself",
            "base.html": "to itself",
            **dict.fromkeys(
                ("a.html", "b.html", "c.html"), "in a circle of 3 pages: a.html → b.html → c.html → a.html"
            ),
        }
        assert len({one.cause for one in circles}) == 3

    def test_the_finding_is_at_the_refresh(self, tmp_path):
        [one] = audited(tmp_path, {"a.html": "<p>\n" + refresh("0; url=a.html")}).findings
        assert (one.line, one.column, one.element, one.reference) == (2, 42, "meta", "a.html")
        assert one.start == 4 + refresh("0; url=a.html").index("a.html")

    @pytest.mark.parametrize("names", ["", " LF114", " endless-refresh", " LF101"])
    def test_a_comment_at_the_refresh_hides_its_finding(self, tmp_path, names):
        files = {
            "a.html": f"<!-- linkfix-ignore{names} -->\n" + refresh("0; url=b.html"),
            "b.html": refresh("0; url=a.html"),
        }
        found = audited(tmp_path, files)
        is_hidden = "LF101" not in names
        assert {one.path for one in found.findings} == {"b.html", *["a.html"] * (not is_hidden)}
        assert found.hidden["comment"] == is_hidden

    @pytest.mark.parametrize(
        "text",
        [
            refresh("1; url=a.html"),
            refresh("010; url=a.html"),
            refresh("0; url=a.html?seen"),
            refresh("0; url=a.html#top"),
            f"<noscript>{refresh('0; url=a.html')}</noscript>",
            f"<template>{refresh('0; url=a.html')}</template>",
            refresh("0; url=b.html") + refresh("0; url=a.html"),
            refresh("0; url=a.html") + "<script>location = 'b.html'</script>",
            refresh("0; url=b.html"),
        ],
    )
    def test_refreshes_that_end(self, tmp_path, text):
        assert not audited(tmp_path, {"a.html": text, "b.html": "<p id=top>"}).findings

    def test_long_circles_name_some_pages(self, tmp_path):
        files = {f"{n:02}.html": refresh(f"0; url={(n + 1) % 20:02}.html") for n in range(20)}
        found = audited(tmp_path, files)
        assert len(found.findings) == 20
        assert found.findings[7].message.endswith("00.html → 01.html → 02.html → 03.html → 04.html → … → 00.html")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names")
def test_markdown_with_a_question_mark_in_its_name_is_read(tmp_path):
    files = {"what?.md": "[a](gone)", "r?a=1.md": "[a](gone)", "p.php?x=1.md": "<!doctype html><a href=gone>1</a>"}
    found = audited(tmp_path, {**files, "_sources/q?.md": "[a](gone)"}).findings
    assert sorted(one.path for one in found) == ["p.php?x=1.md", "r?a=1.md", "what?.md"]


def test_fragments_and_behaviors_in_inner_html_have_their_reasons(tmp_path):
    behavior = "<style>v { behavior: url(#default#VML) }</style>"
    template = '<script type=text/html><a href="#t"></script>'
    page = f'<!--[if mso]><a href="#none">c</a>{behavior}<![endif]-->{behavior}{template}'
    options = Options(conditional_comments=True, templates=True)
    found = audited(tmp_path, {"a.html": page}, options=options)
    assert found.coverage.unchecked == {
        "a fragment in a conditional comment": 1,
        "a fragment in a template script": 1,
        "a behavior that Internet Explorer has built in": 2,
    }
