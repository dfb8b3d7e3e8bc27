"""On request: the HTML in conditional comments, and VML."""

from __future__ import annotations

import re

import lxml.html
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.paths import SHARED

import linkfix
from linkfix import Options, Row
from linkfix.hooks import lxml as lxml_hook

URL = "https://h.example/d/p"
D = "https://h.example/d/"


def converted(html, url=URL, **fields):
    return linkfix.absolutize(html, url, conditional_comments=True, **fields)


def links(html, **fields):
    return linkfix.links(html, URL, conditional_comments=True, **fields)


#: A mail with a background for Outlook, columns that only Outlook has, and a button; each `{}` is the folder.
MAIL = """\
<html xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"><head>
<!--[if gte mso 9]><xml><o:OfficeDocumentSettings><o:AllowPNG/></o:OfficeDocumentSettings></xml><![endif]-->
<!--[if mso]><link rel="stylesheet" href="{}outlook.css"><style>td {{ background: url({}td.png) }}</style><![endif]-->
</head><body><table><tr><td background="{}bg.jpg" width="600">
<!--[if gte mso 9]>
<v:rect fill="true" stroke="false" style="width:600px;height:150px"><v:fill type="tile" src="{}bg.jpg" color="#eee" />
<v:textbox inset="0,0,0,0"><![endif]-->
<div><a href="{}shop">Shop</a></div>
<!--[if gte mso 9]></v:textbox></v:rect><![endif]-->
<!--[if mso | IE]><table><tr><td background='{}column.png' width=300><![endif]--><p>one</p>
<!--[if mso | IE]></td><td background={}second.png><![endif]--><p>two</p>
<!--[if mso | IE]></td></tr></table><![endif]-->
<!--[if mso]><v:roundrect href="{}buy?a=1&amp;b=2" arcsize="9%"><center>Buy</center></v:roundrect><![endif]-->
<!--[if !mso]><!--><a href="{}buy?a=1&amp;b=2">Buy</a><!--<![endif]-->
<![if !mso]><img src="{}footer.png" alt=""><![endif]>
</td></tr></table></body></html>
"""
IN_COMMENTS = ["outlook.css", "td.png", "bg.jpg", "column.png", "second.png", "buy?a=1&b=2"]


def test_a_mail():
    before, after = MAIL.replace("{}", "").replace("{{", "{").replace("}}", "}"), MAIL.format(*[D] * 10)
    assert converted(before) == after
    assert converted(after) == after
    assert converted(before.encode("utf-16le"), charset="utf-16le") == after.encode("utf-16le")
    ordinary = {link.reference for link in linkfix.links(before, URL)}
    assert ordinary == {"bg.jpg", "shop", "buy?a=1&b=2", "footer.png"}
    found = [(link.element, link.attribute, link.reference) for link in links(before)]
    assert ("v:fill", "src", "bg.jpg") in found
    assert ("v:roundrect", "href", "buy?a=1&b=2") in found
    assert {reference for *_, reference in found} == ordinary | set(IN_COMMENTS)


def test_the_bytes_of_comments_stay_by_default():
    before = MAIL.replace("{}", "").replace("{{", "{").replace("}}", "}")
    comments = re.compile(r"<!--\[if (?!!mso\]><!).*?-->", re.DOTALL)
    assert comments.findall(linkfix.absolutize(before, URL)) == comments.findall(before)


def test_words_pages():
    """Word saves a picture twice, and VML outside comments too."""
    html = (
        '<p><!--[if gte vml 1]><v:shape id="_1" style=\'width:9pt\' href="http://a.example/"><v:imagedata '
        'src="p_files/image001.png" o:href="../original.png"/></v:shape><![endif]--><![if !vml]>'
        '<img src="p_files/image001.png" v:shapes="_1"><![endif]></p>\n'
        '<v:imagedata src="image002.emz" o:althref="x.pct"/>'
    )
    made = converted(html)
    assert made == html.replace('"p_files', f'"{D}p_files').replace('"../', '"https://h.example/').replace(
        '"image002', f'"{D}image002'
    ).replace('"x.pct', f'"{D}x.pct')
    assert linkfix.absolutize(html, URL).count(D) == 1


@pytest.mark.parametrize(
    "comment",
    [
        "<!--[if mso]><a href=x>",
        "<!--[if mso]><a href=x> -->",
        "<!--[if mso]><a href=x><![endif]",
        "<!--[if mso]><a href=x><![endif]--",
        "<!--[if mso]><a href=x><![endif]--!>",
        "<!--[if mso]><a href=x><![endif]><i>-->",
        "<!--[if mso><a href=x><![endif]-->",
        "<!--[if mso]<![endif]-->",
        "<!--[if mso]><![endif]-->",
        "<!--[if mso]><!-->",
        "<!--[if mso]><!-- x --> <!--<![endif]-->",
        "<!--[if]-->",
        "<!--[if",
        "<!--[ifx]-->",
        "<!-- [if mso]><a href=x><![endif]-->",
        "<!--[endif]-->",
        "<!--<![endif]-->",
        "<!--[if mso]><a href=x<![endif]-->",
        "<!--[if mso]><script>'<a href=x>'</script><![endif]-->",
        "<!--[if mso]><!--<a href=x> <b>-->",
        "<!--[if mso]",
        "<!--[if mso>[x]><a href=x><![endif]-->",
        "<!--[if mso]><a href=x><![endif]<b>-->",
        "<title><!--[if mso]><a href=x><![endif]--></title>",
        "<script><!--[if mso]><a href=x><![endif]--></script>",
        "<svg><style><!--[if mso]><a href=x><![endif]--></style></svg>",
        "<svg><![CDATA[<!--[if mso]><a href=x><![endif]-->]]></svg>",
    ],
)
def test_other_comments_stay(comment):
    assert converted(comment) == comment
    assert links(comment) == []
    assert converted(f"{comment}<!---->") == f"{comment}<!---->"


@pytest.mark.parametrize("comment", ["<!--[IF MSO]>{}<![ENDIF]-->", "<!--[if (gt IE 5)&(lt IE 7)]>{}<! [endif] -->"])
@pytest.mark.parametrize(
    "around", ["{}", "<template>{}</template>", "<noscript>{}</noscript>", "<svg>{}</svg>", "<select>{}"]
)
def test_where_comments_are(comment, around):
    html = around.replace("{}", comment)
    for fields in ({}, {"scripting": "on"}):
        made = converted(html.replace("{}", "<a href=x>y</a><base href=z>"), **fields)
        assert made == html.replace("{}", f"<a href={D}x>y</a><base href=z>")


def test_in_a_srcdoc_and_in_a_template_script():
    html = """<iframe srcdoc='&lt;!--[if mso]&gt;<v:fill src=a>&lt;![endif]--&gt;'></iframe>"""
    assert converted(html) == html.replace("=a", f"={D}a")
    html = "<script type=text/html><!--[if mso]><v:fill src=a><![endif]--></script>"
    assert converted(html) == html
    assert converted(html, templates=True) == html.replace("=a", f"={D}a")
    html = '<!--[if mso]><iframe srcdoc="<a href=a>"></iframe><script type=text/html><a href=a></script><![endif]-->'
    assert converted(html, templates=True) == html.replace("=a", f"={D}a")


def test_a_base_in_a_comment_does_not_count():
    html = '<!--[if mso]><base href="/no/"><a href=a><![endif]--><a href=b><!--[if mso]><a href=c><![endif]-->'
    assert converted(html) == html.replace("=a", f"={D}a").replace("=b", f"={D}b").replace("=c", f"={D}c")
    assert linkfix.Document(html, url=URL, conditional_comments=True).base.url == URL


@pytest.mark.parametrize("base_element", ["keep", "drop-href", "empty", "remove", "ignore"])
def test_a_base_in_a_comment_stays(base_element):
    html = '<base href="/b/"><!--[if mso]><base href="/no/"><a href=a><![endif]-->'
    page_base = {
        "keep": '<base href="https://h.example/b/">',
        "drop-href": "<base>",
        "empty": '<base href="">',
        "remove": "",
        "ignore": '<base href="/b/">',
    }[base_element]
    link = D + "a" if base_element == "ignore" else "https://h.example/b/a"
    made = converted(html, base_element=base_element)
    assert made == f'{page_base}<!--[if mso]><base href="/no/"><a href={link}><![endif]-->'


def test_a_base_in_a_comment_stays_if_links_become_relative():
    html = f'<!--[if mso]><base href="{D}no/"><a href="{D}a">x</a><![endif]-->'
    made = linkfix.relativize(html, URL, conditional_comments=True)
    assert made == html.replace(f'<a href="{D}a">', '<a href="a">')


def test_the_base_of_the_page_counts_in_comments():
    html = '<!--[if mso]><a href=a><![endif]--><base href="/b/"><!--[if mso]><a href=a><a href="#f"><![endif]-->'
    made = converted(html)
    base = "https://h.example/b/"
    assert made == html.replace("=a", f"={base}a").replace('"#f', f'"{base}#f').replace('"/b/', f'"{base}')
    assert converted(html, base_element="ignore").count(f"={D}a") == 2


@pytest.mark.parametrize("fragments", ["keep", "absolutize"])
def test_fragments(fragments):
    html = "<!--[if mso]><a href='#x'>y</a><![endif]--><a href='#x'>y</a>"
    made = converted(html, fragments=fragments)
    assert made == (html if fragments == "keep" else html.replace("#x", f"{URL}#x"))


def test_queries_have_the_encoding_of_the_page():
    html = "<!--[if mso]><a href='?é'><![endif]--><script type=text/html><a href='?é'></script><a href='?é'>"
    made = converted(html.encode("latin-1"), charset="iso-8859-1", templates=True)
    assert made == html.replace("?é", f"{URL}?%E9").encode("ascii")


def test_a_character_that_the_encoding_lacks():
    html = "<!--[if mso]><a href='a'><![endif]--><script type=text/html><a href='a'></script><a href='a'>"
    made = converted(
        html.encode("latin-1"), "https://h.example/日/", charset="iso-8859-1", spec="rfc3986", templates=True
    )
    assert made == html.replace("'a'", "'https://h.example/&#26085;/a'").encode("ascii")


@pytest.mark.parametrize("encoding", ["utf-8", "windows-1252", "utf-16le", "shift_jis"])
def test_positions(encoding):
    html = '<p>§</p>\n§<!--[if mso]>\n§ <img alt="§" src="a.png"><![endif]-->'
    data = html.encode(encoding)
    (link,) = links(data, charset=encoding)
    assert (link.line, link.column) == (3, html.splitlines()[2].index("a.png") + 1)
    assert data[link.start : link.end] == "a.png".encode(encoding)
    assert data[link.tag_start :].startswith("<img".encode(encoding))
    (link,) = links(html)
    assert html[link.start : link.end] == "a.png"


# A new URL does not end the comment.


@pytest.mark.parametrize(
    ("before", "url", "after"),
    [
        ("<a href=b-&#45;>", URL, f"<a href={D}b-&#45;>"),
        ("<a href='b-&#45;'>", URL, f"<a href='{D}b--'>"),
        ("<a href='b-&#45;&gt;c'>", "https://h.example/", "<a href='https://h.example/b--%3Ec'>"),
        ("<style>a{b:url('c-\\2d >')}</style>", URL, f"<style>a{{b:url('{D}c--%3E')}}</style>"),
        ("<a href=b->", "https://h.example/a--/", "<a href=https://h.example/a--/b&#45;>"),
    ],
)
def test_a_new_url_does_not_end_the_comment(before, url, after):
    assert converted(f"<!--[if mso]>{before}<![endif]-->x", url) == f"<!--[if mso]>{after}<![endif]-->x"


@pytest.mark.parametrize("url", ["a-->b", "a--!>b", "-->", "--", "a--!", ">", "--!"])
@pytest.mark.parametrize(
    "place",
    [
        "<a href=x>",
        "<a href='x'>",
        "<v:fill src=x/y>",
        "<style>a{b:url(x)}</style>",
        "<style>@import 'x';</style>",
        "<img srcset='x 2x'>",
        "<p style='a:url(x)'>",
        "<iframe srcdoc='<a href=x>'></iframe>",
        "<script type=importmap>{'imports': {'a': './x'}}</script>".replace("'", '"'),
        "<script type=text/html><a href=x></script>",
    ],
)
def test_no_text_of_a_caller_ends_the_comment(place, url):
    html = f"<!--[if mso]>{place}<![endif]--><b>"
    document = linkfix.Document(html, url=URL, conditional_comments=True, templates=True)
    assert document.links
    made = document.rewrite(lambda _: url)
    assert made != html
    assert re.findall("--!?>", made) == ["-->"]
    assert made.endswith("<![endif]--><b>")


# Other options, and other ways in.


def test_other_options():
    html = (
        '<!--[if mso]><x-a to=a><p data-src=b><param name=movie value=c><a href="*|url|*"><a href="d?*|e|*">'
        '<a href="f?a&amp;b"><![endif]-->'
    )
    made = converted(
        html,
        rows=(Row("x-a", "to", "url", "hyperlink"),),
        lazy=True,
        object_params=True,
        placeholders=("*|*|*",),
        escape_ampersands=True,
    )
    for name in ("a>", "b>", "c>"):
        html = html.replace(f"={name}", f"={D}{name}")
    assert made == html.replace('"f?', f'"{D}f?')


def test_links_that_move_or_become_relative():
    html = f'<!--[if mso]><a href="{D}a">x</a><v:fill src="/b/c"><![endif]-->'
    document = linkfix.Document(
        html,
        url=URL,
        conditional_comments=True,
        base_element="remove",
        locate=lambda target: target.removeprefix(D) if target.startswith(D) else None,
    )
    assert document.convert().data == '<!--[if mso]><a href="a">x</a><v:fill src="https://h.example/b/c"><![endif]-->'
    moved = converted(html, move=lambda url: url.replace("/b/", "/new/"))
    assert moved == html.replace("/b/", "/new/")


def test_the_options_are_fields():
    assert Options(conditional_comments=True).conditional_comments
    assert not Options().conditional_comments


def test_parsed_trees_have_vml_and_template_scripts():
    html = (
        "<v:fill src=a></v:fill><!--[if mso]><a href=b><![endif]-->"
        "<script type=text/html><base href=/no/><a href=c></script>"
    )
    tree = lxml.html.fromstring(f"<div>{html}</div>")
    lxml_hook.absolutize(tree, URL, conditional_comments=True, templates=True)
    text = lxml.html.tostring(tree, encoding="unicode")
    assert f'<v:fill src="{D}a">' in text
    assert "<!--[if mso]><a href=b><![endif]-->" in text
    assert f"<base href=/no/><a href={D}c>" in text


# Another parser reads what the comments hide.

_NAMES = st.sampled_from(
    ["a", "b-", "--", "é", "?q=1&amp;r", "../c", "#f", "", "//i.example/x", "d e", "&#45;-", "data:,"]
)
_PLACES = st.sampled_from(
    ["<a href='{}'>t</a>", '<img src="{}">', "<td background='{}'>", "<v:fill src='{}' />", "<link rel=x href='{}'>",
     "<p>-->".replace("-->", "--"), "<iframe src='{}'></iframe>", "<a name=n>", "<script>'{}'</script>"]
)  # fmt: skip
_COMMENTS = st.sampled_from(["<!--[if mso]>{}<![endif]-->", "<!--[if gte IE 9]>\n{} <![endif]-->"])
_PIECES = st.tuples(st.booleans(), _COMMENTS, st.lists(st.tuples(_PLACES, _NAMES), max_size=4))


def _piece(hidden, comment, places):
    html = "".join(place.replace("{}", name) for place, name in places)
    return comment.replace("{}", html) if hidden else f"<p>{html}</p>"


_ATTRIBUTES = {
    ("a", "href"),
    ("img", "src"),
    ("td", "background"),
    ("v:fill", "src"),
    ("link", "href"),
    ("iframe", "src"),
}


def _targets(html):
    """The URLs in a page and in its conditional comments, as lxml reads them."""
    found = []
    for element in lxml.html.fromstring(f"<div>{html}</div>").iter():
        if isinstance(element, lxml.html.HtmlComment):
            match = re.fullmatch(r"\[if [^\]]*\]>(.*)<!\[endif\]", element.text or "", re.DOTALL)
            assert match
            if match[1].strip():
                found += _targets(match[1])
        elif isinstance(element.tag, str):
            values = ((name, element.get(name)) for name in ("href", "src", "background"))
            found += [value for name, value in values if value is not None and (element.tag, name) in _ATTRIBUTES]
    return found


@given(st.lists(_PIECES, max_size=5))
@example([(True, "<!--[if mso]>{}<![endif]-->", [("<a href='{}'>t</a>", "&#45;-"), ("<td background='{}'>", "b-")])])
def test_another_parser_finds_the_same_targets(pieces):
    html = "".join(_piece(*piece) for piece in pieces)
    made = converted(html)
    assert converted(made) == made
    expected = [
        one if not one or one.startswith(("#", "data:")) else linkfix.resolve(URL, one).target for one in _targets(html)
    ]
    assert _targets(made) == expected
    found = [link.reference for link in links(html)]
    assert sorted(found) == sorted(_targets(html))


@given(st.text(alphabet="<>!-[]ifmso&#45;=' \"ahrefx/\0é"), st.text(alphabet="<>!-[]endif ahref=x'\"/"))
def test_any_comment(condition, content):
    html = f"<!--[if {condition}]>{content}<a href='x-'>{content}<![endif]--><a href=y>"
    made = converted(html)
    assert converted(made) == made
    pairs = zip(links(made), links(html), strict=True)
    assert all((one.element, one.target) == (other.element, other.target) for one, other in pairs)
    ends = re.compile("--!?>")
    assert len(ends.findall(made)) == len(ends.findall(html))


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared, the folder of saved pages")
def test_saved_pages():
    """Pages of the shared folder with conditional comments: only links change, and a second run changes nothing."""
    checked = 0
    for folder in ("savers", "real", "mime", "corpus", "cases"):
        for path in sorted((SHARED / folder).rglob("*")):
            if not path.is_file() or path.stat().st_size > 1 << 20 or b"<!--[if" not in (data := path.read_bytes()):
                continue
            checked += 1
            made = converted(data)
            assert converted(made) == made
            for link in reversed(links(data)):
                assert data[link.start : link.end] or not link.reference
            kept = linkfix.Document(data, url=URL, conditional_comments=True).rewrite(lambda _: "")
            again = linkfix.Document(made, url=URL, conditional_comments=True).rewrite(lambda _: "")
            assert kept == again
    assert checked
