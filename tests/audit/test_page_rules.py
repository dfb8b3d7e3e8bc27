from __future__ import annotations

import pytest
from support.growth import processor_limit

from linkfix import Options
from linkfix.auditing import Site
from linkfix.auditing.page_document import PageDocument, base_tags
from linkfix.auditing.rule import AuditedPage
from linkfix.auditing.rules import rules

URL = "https://host.example/docs/page.html"
SITE = Site("https://host.example/", ["docs/page.html"], ["", "docs"])


def document(text, encoding="utf-8", **known):
    data = text if isinstance(text, bytes) else text.encode(encoding)
    return PageDocument(data, url=URL, options=Options(anchors=True, **known.pop("options", {})), **known)


def issues(name, text, **known):
    """The issues that a rule reports on a page: messages, levels, and the texts of their spans."""
    rule = next(rule for rule in rules() if rule.info.name == name.replace("_", "-"))
    page = document(text, **known)
    assert isinstance(page.links, list)  # the rules are called after all references were checked
    found = list(rule.check(AuditedPage("docs/page.html", URL, page, SITE)))
    return [(one, page.source.data[slice(*one.span)].decode()) for one in found]


def held(name, text, **known):
    return [text for _, text in issues(name, text, **known)]


def messages(name, text, **known):
    return [issue.message for issue, _ in issues(name, text, **known)]


class TestBaseTags:
    @pytest.mark.parametrize(
        ("text", "inside"),
        [
            ('<base href="/">', [""]),
            ('<base target="x">', []),
            ("<p>no base</p>", []),
            ('<!-- <base href="/"> -->', []),
            ('<script>"<base href=/>"</script><a title="<base href=/>">', []),
            ('<template><div></template><base href="/">', [""]),
            ('<template><base href="/"></template>', ["template"]),
            ('<svg><base href="/"/></svg>', ["svg"]),
            ('<math><base href="/"/></math>', ["mathml"]),
            ('<noscript><base href="/"></noscript><base href="/">', ["noscript", ""]),
            ('<head></head><base href="/">', [""]),
            ('<style><p></style><script><p></script><base href="/">', [""]),
            ('<p><base href="/">', ["body"]),
            ('<body><BASE HREF="/">', ["body"]),
        ],
    )
    def test_positions(self, text, inside):
        assert [tag.inside for tag in base_tags(document(text))] == inside

    def test_spans_and_hrefs(self):
        [tag] = base_tags(document('é<base  href=" /a&amp;b ">'))
        data = document('é<base  href=" /a&amp;b ">').source.data
        assert tag.href == "/a&b"
        assert data[tag.start : tag.end] == b'<base  href=" /a&amp;b ">'
        assert data[slice(*tag.href_span)] == b" /a&amp;b "

    def test_in_xhtml(self):
        text = '<html xmlns="http://www.w3.org/1999/xhtml"><body><base href="/x/"/></body></html>'
        page = document(text, media_type="application/xhtml+xml")
        assert [(tag.href, tag.inside) for tag in base_tags(page)] == [("/x/", "")]
        assert held("base_relative", text, media_type="application/xhtml+xml") == ["/x/"]

    @pytest.mark.growth
    def test_many_take_linear_time(self):
        text = '<noscript></noscript><base href="/">' * 20000
        with processor_limit(20):
            assert len(held("base_repeated", text)) == 19999


class TestBaseRelative:
    @pytest.mark.parametrize("href", ["/docs/", "x/", "//host.example/", "?q", "."])
    def test_relative(self, href):
        assert held("base_relative", f'<base href="{href}">') == [href]

    @pytest.mark.parametrize("href", ["https://h/", " https://h/ ", "http&#58;//h/", "data:,x"])
    def test_absolute_or_none(self, href):
        assert held("base_relative", f'<base href="{href}">') == []

    def test_only_the_base_in_use(self):
        assert held("base_relative", '<base href="https://h/"><base href="x/">') == []


class TestBaseRepeated:
    def test_names_the_line_of_the_first(self):
        text = '<head>\n<base href="/a/">\n<base href="/b/"><base href="/c/">'
        assert held("base_repeated", text) == ["/b/", "/c/"]
        assert messages("base_repeated", text)[0].endswith("in line 2")

    @pytest.mark.parametrize(
        "other", ["<noscript>{}</noscript>", "<svg>{}</svg>", "<template>{}</template>", "<!--{}-->"]
    )
    def test_an_ineffective_base_is_no_repetition(self, other):
        base = '<base href="/a/">'
        assert held("base_repeated", other.format(base) + base) == []
        assert held("base_repeated", base + other.format(base)) == []


class TestBaseLate:
    def test_counts_and_names_the_first(self):
        text = '<link rel=icon href="https://x.example/i">\n<link href=a><img src=b>\n<base href="/other/"><img src=c>'
        assert messages("base_late", text) == [
            "BASE comes after 1 reference that it changes, the first in line 2",
            "BASE comes after 1 reference that ignores it, the first in line 2",
        ]
        assert held("base_late", text) == ["/other/", "/other/"]
        text = text.replace("<link href=a>", "<a href=a></a><form action=b></form>").replace("<img src=b>", "")
        assert messages("base_late", text) == ["BASE comes after 2 references that it changes, the first in line 2"]

    @pytest.mark.parametrize(
        "before",
        [
            '<link href="/root">',
            '<link href="https://x.example/">',
            '<link href="../docs/../root">',
            '<svg><use href="#x"/></svg>',
            "<p id=x name=y>",
            '<base target="x">',
        ],
    )
    def test_references_that_do_not_depend_on_the_base(self, before):
        assert held("base_late", before + '<base href="/other/">') == []

    @pytest.mark.parametrize(
        "before",
        [
            '<meta http-equiv=refresh content="0; url=x">',
            '<script type=importmap>{"imports": {"a": "./a.js"}}</script>',
            '<iframe srcdoc="<a href=x>"></iframe>',
            "<img src=x>",
            "<link rel=stylesheet href=x>",
            "<p style='background: url(x)'>",
        ],
    )
    def test_references_that_keep_the_earlier_base(self, before):
        [message] = messages("base_late", before + '<base href="/other/">')
        assert message == "BASE comes after 1 reference that ignores it, the first in line 1"

    def test_a_fragment_alone_is_changed_too(self):
        assert held("base_late", '<a href="#x">x</a><base href="/other/">') == ["/other/"]

    def test_a_base_without_effect(self):
        assert held("base_late", '<link href="x"><base href="./">') == []


class TestBaseInNoscript:
    @pytest.mark.parametrize("scripting", ["off", "on"])
    @pytest.mark.parametrize("text", ["{}", "<p>{}", "<template></template>{}"])
    def test_is_noted_and_nothing_else(self, text, scripting):
        html = text.format('<noscript><base href="data:,x"></noscript>')
        page = {"options": {"scripting": scripting}}
        assert held("base_in_noscript", html, **page) == ['<base href="data:,x">']
        assert held("base_misplaced", html, **page) == []
        assert held("base_unusable", html, **page) == (["data:,x"] if scripting == "off" else [])

    @pytest.mark.parametrize("text", ['<noscript></noscript><base href="/">', '<!-- <noscript><base href="/"> -->'])
    def test_elsewhere(self, text):
        assert held("base_in_noscript", text) == []

    def test_in_text_that_only_looks_like_it(self):
        html = '<noscript><p title="</noscript><base href=/x/>">'
        assert held("base_in_noscript", html, options={"scripting": "on"}) == []


class TestBaseUnusable:
    @pytest.mark.parametrize(
        ("href", "reason"),
        [
            ("data:,x", "a data: URL cannot be a base"),
            ("JavaScript:x", "a javascript: URL cannot be a base"),
            ("http://[", "not a URL"),
            ("{{ base }}", "the placeholder of a template"),
        ],
    )
    def test_the_message_has_the_reason(self, href, reason):
        text = f'<svg><base href="/s/"/></svg><base href="{href}"><base href="/later/">'
        assert held("base_unusable", text) == [href]
        assert messages("base_unusable", text) == [f"this BASE is ignored: {reason}"]

    @pytest.mark.parametrize("href", ["mailto:x", "about:blank"])
    def test_nothing_can_be_relative_to_it(self, href):
        [message] = messages("base_unusable", f'<base href="{href}"><a href="x">')
        assert "all relative references fail" in message

    def test_only_the_first_counts(self):
        assert held("base_unusable", '<base href="/a/"><base href="data:,x">') == []


class TestBaseMisplaced:
    def test_in_the_body_is_a_note_for_the_base_in_use(self):
        text = '<p><base href="/a/"><base href="/b/">'
        [(issue, tag)] = issues("base_misplaced", text)
        assert (issue.level.value, tag) == ("note", '<base href="/a/">')

    def test_elsewhere_a_warning_each(self):
        text = '<svg><base href="/a/"/></svg><template><base href="/b/"></template>'
        assert [issue.level for issue, _ in issues("base_misplaced", text)] == [None, None]


class TestBaseElsewhere:
    def test_counts_links_alone(self):
        text = '<base href="/other/">\n<a href="#a"><a href=" #b"><svg><use href="#c"/></svg><a href="x#d">'
        assert messages("base_elsewhere", text) == [
            "BASE makes 2 links to a fragment leave the page, the first in line 2"
        ]

    @pytest.mark.parametrize("base", ["", "page.html", "/docs/page.html#x"])
    def test_a_base_that_is_the_page(self, base):
        assert held("base_elsewhere", f'<base href="{base}"><a href="#a">') == []


class TestRefresh:
    @pytest.mark.parametrize(
        ("content", "said"),
        [
            ("-1; url=x", "negative"),
            ("x", "does not begin with a time"),
            ("url=x", "does not begin with a time"),
            ("5url=x", "';', ',' or a space is missing"),
            ("0", "the time is 0"),
            (" 00 ;", "the time is 0"),
            ("0;url=", "URL is empty"),
            ("0; url=''", "URL is empty"),
            ("0;url='x", "is not closed, so the URL extends to the end"),
            ("0;'x", "is not closed, so the URL extends to the end"),
            ("0;url=x'", "no opening quote and becomes part"),
            ("0;url x", "'=' is missing"),
            ("0; URL: x", "'=' is missing"),
        ],
    )
    def test_faults(self, content, said):
        text = f'<meta http-equiv="Refresh" content="{content}">'
        [message] = messages("malformed_refresh", text)
        assert said in message
        assert held("malformed_refresh", text) == [content]

    @pytest.mark.parametrize(
        "content",
        ["", " ", "5", "5;", "0.5", ".5;url=x", "0;x", "0,x", "0 x", "0; url = 'x' y", "0;URL='a b'", "3; urls.html"],
    )
    def test_no_faults(self, content):
        assert messages("malformed_refresh", f'<meta http-equiv="refresh" content="{content}">') == []

    @pytest.mark.parametrize(
        "text",
        ['<meta name="refresh" content="x">', '<template><meta http-equiv="refresh" content="x"></template>'],
    )
    def test_no_pragma(self, text):
        assert messages("malformed_refresh", text) == []


class TestProblems:
    def test_srcset(self):
        text = '<img srcset="a 1x, b 2q, c d 1w"><link rel=preload as=image imagesrcset="e -1w">'
        assert held("malformed_srcset", text) == ["b", "c", "e"]

    @pytest.mark.parametrize("kind", ["importmap", "speculationrules"])
    def test_json(self, kind):
        assert held("malformed_import_map", f'<script type={kind}>{{"a": nil}}</script>') == ["nil"]

    def test_json_ld_is_opted_into(self):
        text = '<script type="application/ld+json">{]</script>'
        assert held("malformed_import_map", text) == []
        assert held("malformed_import_map", text, options={"json_ld": True}) == ["]"]

    def test_css(self):
        text = (
            "<style>p { background: url(a b.png) } q { background: url('c d') }</style><p style='background: url(e f)'>"
        )
        assert held("malformed_css", text) == ["a b.png", "e f"]

    def test_the_same_text_has_the_same_cause(self):
        found = issues("malformed_css", "<p style='background: url(a b)'><p style='background: url(a b)'>")
        assert [issue.cause for issue, _ in found] == ["a b", "a b"]

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-8"])
    def test_spans_are_of_the_data_in_every_encoding(self, encoding):
        text = 'é<img srcset="é 1q">\n<base href="/é/"><img alt="é" srcset="ж 1q, b 2q">'
        assert held("malformed_srcset", text, encoding=encoding, charset=encoding) == ["é", "ж", "b"]
        assert held("base_late", text, encoding=encoding, charset=encoding) == ["/é/"]

    @pytest.mark.parametrize(
        ("data", "known"),
        [
            (b'<meta charset="iso-2022-kr"><a href=x>', {}),
            (b"<a href=x>\x1b$B\xff", {"charset": "iso-2022-jp"}),
            (b"\0\0\0\0GIF", {}),
            (b"<svg><a", {"media_type": "image/svg+xml"}),
            (b'<iframe srcdoc="x"></iframe>', {"options": {"srcdoc_depth": 0}}),
        ],
    )
    def test_pages_that_could_not_be_checked(self, data, known):
        assert len(messages("unjudged_page", data, **known)) == 1

    def test_an_unknown_label_and_a_late_label(self):
        assert held("encoding_doubtful", '<meta charset="utf-88">') == ["utf-88"]
        late = "<!--" + "x" * 1100 + '--><meta charset="utf-8">'
        assert held("encoding_doubtful", late) == ["utf-8"]
        assert held("encoding_doubtful", '<meta charset="utf-8">') == []


class TestMistakenComment:
    @pytest.mark.parametrize(
        ("text", "expected", "hint"),
        [
            ("linkfix-ignore LF999", "the comment names the unknown rule 'LF999'", "--list-rules shows the codes"),
            ("linkfix-ignore LF101: why", "the unknown rule 'why'", "--list-rules shows the codes and names; a reason"),
            ("linkfix-ignore LF101, mising-target", "the unknown rule 'mising-target'", "did you mean missing-target?"),
            ("linkfix-ignore-file broken-links", "the unknown rule 'broken-links'", "did you mean missing-target?"),
            ("linkfix-ignore-next-line", "linkfix-ignore-next-line is not a comment of", "write linkfix-ignore on the"),
            ("linkfix-ignore-strat LF101", "linkfix-ignore-strat is not a comment of", "write linkfix-ignore on the"),
            ("linkfix-ignore-start", "linkfix-ignore-start has no end, so it hides", "write <!-- linkfix-ignore-end"),
        ],
    )
    def test_is_reported_with_a_next_step(self, text, expected, hint):
        ((issue, place),) = issues("mistaken_comment", f"<p>\n<!-- {text} -->x")
        assert expected in issue.message
        assert issue.hint.text.startswith(hint)
        assert place == f"<!-- {text} -->"

    def test_the_innermost_start_is_ended_first(self):
        text = "<!--linkfix-ignore-start--><!--linkfix-ignore-start LF102-->x<!--linkfix-ignore-end-->"
        assert held("mistaken_comment", text) == ["<!--linkfix-ignore-start-->"]

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "<!-- linkfix-ignore -->",
            "<!-- linkfix-ignore lf1, missing-target all -->",
            "<!-- linkfix-ignore - LF101 -->",
            "<!-- linkfix-ignore-end -->",
            "<!-- linkfix-ignored LF999 -->",
            "<style>/* linkfix-ignore-start */ x /* linkfix-ignore-end */</style>",
            "<!-- linkfix-ignore LF101 -- why -->",
        ],
    )
    def test_other_comments_pass(self, text):
        assert messages("mistaken_comment", text) == []

    @pytest.mark.growth
    def test_time_is_linear(self):
        with processor_limit(5):
            assert len(messages("mistaken_comment", "<!-- linkfix-ignore LF999 -->x" * 20_000)) == 20_000


class TestImageMaps:
    """HTML §2.3.9, "rules for parsing a hash-name reference"."""

    @pytest.mark.parametrize(
        "text",
        [
            '<img usemap="#m"><map name=m></map>',
            '<map id=m></map><IMG USEMAP="#m">',
            '<img usemap="#a&amp;b"><map name="a&#38;b"></map>',
            '<img usemap="other.html#m"><map name=m></map>',
            '<img usemap="#"><img usemap="">',
            '<template><img usemap="#m"></template>',
            '<script>"<img usemap=#m>"</script><!-- <img usemap=#m> -->',
            '<p title="<img usemap=#m>">',
        ],
    )
    def test_maps_that_are_there(self, text):
        assert held("missing_image_map", text) == []

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ('<img usemap="#M"><map name=m></map>', "#M"),
            ("<img usemap=m><map name=m></map>", "m"),
            ('<img useMap="#m"><template><map name=m></map></template>', "#m"),
            ('<img usemap="#m"><p id=m><map></map>', "#m"),
        ],
    )
    def test_missing_maps(self, text, value):
        assert held("missing_image_map", text) == [value]
        assert document(text).may_use_image_maps

    def test_hints(self):
        ((issue, _),) = issues("missing_image_map", '<img usemap="#M"><map name=m></map>')
        assert issue.hint.reference == "#m"
        ((issue, _),) = issues("missing_image_map", "<img usemap=m>")
        assert (issue.message, issue.hint) == ('usemap must begin with "#"', None)

    @pytest.mark.growth
    def test_many_images(self):
        with processor_limit(20):
            assert len(held("missing_image_map", '<img usemap="#x"><map name=y></map>' * 50_000)) == 50_000
