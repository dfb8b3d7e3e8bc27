"""A tree with references of every kind, sound and unsound; nothing here says which is which."""

from __future__ import annotations

import html
from collections.abc import Iterable
from pathlib import Path

__all__ = ["document", "links", "write_odd_tree"]

#: It makes a page scroll: the position shows the indicated element.
TALL = '<p style="height: 9000px">'


def document(body: str, head: str = "", encoding: str = "utf-8") -> bytes:
    """A page in an encoding that it declares; "utf-16" means little endian, with a byte order mark."""
    text = f'<!DOCTYPE html><meta charset="{encoding}"><title>x</title>{head}<body>{body}{TALL}'
    return text.encode(encoding, "xmlcharrefreplace")


def links(references: Iterable[str]) -> str:
    """A hyperlink for each reference."""
    return "\n".join(f'<a href="{html.escape(one)}">x</a>' for one in references)


def _words(text: str) -> list[str]:
    """The words of a text. A control picture stands for its control, U+2420 for a space, "∅" for nothing."""
    controls = {0x2400 + code: code for code in range(0x21)}
    return [word.translate(controls).replace("∅", "") for word in text.split()]


#: References to files and folders; {base} is the URL of the tree, {host} its host.
LINKS = [
    *_words(r"""
∅ . ./ .. ../ ../.. ../../.. / page.html ./page.html ././page.html ../page.html ../../page.html
../../../../../../page.html /page.html //{host}/page.html {base}page.html {base}docs {base}docs/ {base}gone.html
{base}Page.html {base}bare/ {base} //{host} //{host}?q HTTP://{host}/page.html HTTPS://{host}/page.html
http://{host}:80/page.html https://{host}:443/gone http:page.html https:page.html http:/page.html
https:/page.html https:///{host}/page.html http://{host}:8080/page.html http://{host}./page.html
http://user@{host}/page.html docs docs/ docs/index.html docs/page.html docs/../page.html docs/./page.html docs/.
docs/.. nowhere/../page.html docs/deep/../../page.html page.html/ page.html/x page.html/../x page.html/..
page.html/../page.html docs//page.html docs// //docs/page.html /docs//page.html Page.html PAGE.HTML Docs/ DOCS
docs/Page.html Docs/page.html DOCS/index.html Bare/ bare bare/ bare/. bare/x htm htm/ htm/index.html xhtml/
gone.html gone/ gone gone/x.html docs/gone.html docs/gone/ p%61ge.html %70age.html page%2Ehtml %50age.html
page.html%20 %20page.html docs%2Fpage.html docs%2F %2e/page.html %2e%2e/page.html .%2E/page.html
docs/%2e%2e/page.html docs/%2E with␠space.html with%20space.html with+space.html with␠␠space.html ␠page.html␠
␉page.html␊ pa␉ge.html pa␊ge.html pa␠ge.html ␌page.html page.html␋ \docs\page.html docs\page.html ..\page.html
\page.html \\{host}\page.html docs\ ./\ naïve.html na%C3%AFve.html na%c3%afve.html Naïve.html NAÏVE.html
na%EFve.html 日本 日本/ 日本/ページ.html %E6%97%A5%E6%9C%AC/ 日本/%E3%83%9A%E3%83%BC%E3%82%B8.html 日本/gone.html Ж.html
ж.html %D0%96.html %D0%B6.html 😀.html %F0%9F%98%80.html 100%.html 100%25.html 100%2525.html a%20b.html
a%2520b.html a␠b.html hash#tag.html hash%23tag.html what?.html what%3F.html semi;colon.html semi%3Bcolon.html
page.html;v=1 a&b.html a&amp;b.html a%26b.html quote'.html quote%27.html dquote".html dquote%22.html <lt>.html
%3Clt%3E.html back%5Cslash.html col:on.html ./col:on.html col%3Aon.html tilde~.html %7Etilde.html tilde%7e.html
@at.html page.html? page.html?q=1 page.html?q#one page.html?a/../b ?q ? docs?q docs/?q=../x gone.html?q bare?q
saved?id=1.html saved%3Fid=1.html saved.html?id=2 dot. ... .../ /... .hidden.html ..page.html |.html [x].html
{{x}}.html ^.html `.html %5Bx%5D.html a,b.html link.html linked linked/ linked/page.html linked/gone.html
linked/../page.html text.txt mailto:a@b.test tel:1 javascript:0 data:,x about:blank other://x/y other:x
c:\page.html http://other.test/page.html //other.test/ //other.test http:// http://[ // /// ////page.html
///page.html ///{host}/page.html /\page.html \/{host}/page.html /./page.html /../page.html /docs/../page.html
/docs /gone.html /Page.html www.other.test/x a@b.example htp://other.test/ page.html#one page.html#gone #own
#gone # docs#in-docs docs/#in-docs docs#gone ../#in-docs gone.html#one bare#one Page.html#one page.html?q#gone
{base}page.html#one {base}page.html#gone htm#one linked#in-docs text.txt#one ?q#own ?q#gone .#one ./#in-docs
日本#お 日本/#%E3%81%8A
"""),
    "nai\u0308ve.html",
]

#: Everything that can have a name, or looks as if it could.
NAMED = """<p id="one">x</p><p id="Case">x</p><p ID='single'>x</p><p id=unquoted/>x</p><br id=br /><p id="">x</p>
<a name="named">x</a><a name="a+b">x</a><a id="both-id" name="both-name">x</a>
<a name="linking" href="page.html">x</a>
<A NAME="upper">x</A><a name="Grün">x</a><img name="img-name"><form name="form-name"></form>
<map name="map-name"></map>
<input name="input-name"><iframe name="frame-name"></iframe><object name="object-name"></object>
<p name="p-name">x</p>
<p id="Größe">x</p><p id="Ж">x</p><p id="日本">x</p><p id="😀">x</p><p id="e\u0301">x</p><p id="a b">x</p>
<p id=" lead">x</p>
<p id="tab&#9;x">x</p><p id="new\nline">x</p><p id="crlf\r\nx">x</p><p id="&#13;cr">x</p><p id="nul\0x">x</p>
<p id="&#0;x">x</p>
<p id="%41">x</p><p id="B">x</p><p id="%C3%A9">x</p><p id="%">x</p><p id="%zz">x</p><p id="\ufffd">x</p>
<p id="x&amp;y">x</p>
<p id="x&z">x</p><p id="&copy;">x</p><p id="&copy=1">x</p><p id="&lt;t&gt;">x</p><p id="t<u">x</p><p id="a/b?c">x</p>
<p id="a#b">x</p>
<p id="a:b">x</p><p id="a;b">x</p><p id="it's">x</p><p id='dq"'>x</p><p id="b\\s">x</p>
<p id="~!@$^*()-_=+[]{}|,.">x</p>
<p id="dup" class=a>x</p><p id="dup" class=b>x</p><p id="first" id="second">x</p><p xml:id="xml-id">x</p>
<p data-id="data">x</p>
<table id=table><tr id=tr><td id=td>x</table><select id=select><option id=option>x</select><ul><li id=li>x</ul>
<svg id="svg"><title id="svg-title">x</title><g id="in-svg"/><a name="svg-name"/><text ID="SvgCase">x</text>
<foreignObject><p id="in-foreign">x</p><a name="in-foreign-name">x</a></foreignObject>
<style><g id=in-svg-style></g></style>
<desc><p id="in-desc">x</p></desc><script id=svg-script type=x><g id=in-svg-script></g></script></svg>
<math id="math"><mi id="in-math">x</mi><mi><a name="in-mi">x</a></mi>
<annotation-xml encoding="text/html"><p id=in-annotation>
</p></annotation-xml></math><svg><![CDATA[<p id="in-cdata">]]></svg><svg><p id="breakout">x</svg>
<template id="template"><p id="in-template">x</p><a name="in-template-name">x</a>
<svg id=svg-in-template></svg></template>
<div><template shadowrootmode="open"><p id="in-shadow">x</p></template></div>
<!-- <p id="in-comment"> --><!--> <p id="after-comment">
<textarea id=textarea><p id="in-textarea"></textarea><xmp id=xmp><p id="in-xmp"></xmp>
<style><p id="in-style"></style>
<noembed><p id="in-noembed"></noembed><noframes><p id="in-noframes"></noframes><iframe><p id="in-iframe"></iframe>
<title id=late-title><p id="in-title"></title><iframe id=srcdoc srcdoc="<p id=in-srcdoc>x"></iframe>
<?pi id="in-pi"?>
<iframe id=frame src="page.html"></iframe><noscript><p id="in-noscript">x</p>
<a name="in-noscript-name">x</a></noscript>
<p title="<p id=in-attribute>">x</p></p id="in-end-tag"><details><p id="in-details">x</details>
<p hidden id="hidden">x</p>
<div id=L1></div><div id=L2></div><p id=user-content-u>x</p><marquee id=marquee></marquee>
<custom-element id=custom></custom-element>
<button id=button><p id=in-button></button><object><p id=in-object></object><video><p id=in-video></video>
<p id=12>x</p>
<body id="late-body"><html id="late-html"><tr id="stray-tr"><td id="stray-td"><head id="stray-head"><col id="stray-col">
<frame id="stray-frame"><frameset id="stray-frameset"><form><form id="nested-form"></form></form><image id="image">
<select><div id="in-select"></div></select><table><p id="fostered">x</p></table><input type=hidden id=hidden-input>
<p id=unclosed-quote"x>x</p><p id = spaced >x</p><p/id=slashed>x</p><p id>x</p><p =id=x id=after-equals>x</p>"""

FRAGMENTS = [
    *_words(r"""
∅ one Case case CASE single unquoted unquoted/ br named a+b a%2Bb both-id both-name linking upper UPPER Grün
Gr%C3%BCn Gr%FCn img-name form-name map-name input-name frame-name object-name p-name Größe Gr%C3%B6%C3%9Fe Ж
%D0%96 %C6 日本 %E6%97%A5%E6%9C%AC %93%FA%96%7B 😀 %F0%9F%98%80 é e%CC%81 a␠b a%20b ␠lead %20lead lead tab%09x
tab␉x tabx new%0Aline new␊line newline crlf%0Ax crlf%0D%0Ax %0Dcr nul%00x nul%EF%BF%BDx nul�x %EF%BF%BDx %41 A
%2541 %42 B %62 %C3%A9 %25C3%25A9 % %25 %zz %25zz %FF %FF%FE %EF%BF%BD � x&y x%26y x&amp;y x&z © &copy; %C2%A9
&copy=1 <t> %3Ct%3E &lt;t&gt; t<u a/b?c a%2Fb%3Fc a#b a%23b a:b a;b it's it%27s dq" dq%22 b\s b%5Cs
~!@$^*()-_=+[]{}|,. dup first second xml-id data table tr td select option li svg svg-title in-svg svg-name
SvgCase svgcase in-foreign in-foreign-name in-svg-style in-desc svg-script in-svg-script math in-math in-mi
in-annotation in-cdata breakout template in-template in-template-name svg-in-template in-shadow in-comment
after-comment textarea in-textarea xmp in-xmp in-style in-noembed in-noframes in-iframe in-title late-title
in-srcdoc srcdoc in-pi frame own in-noscript in-noscript-name in-attribute in-end-tag in-details hidden L1 L2 L3
L1-L2 L1-2 L1-L3 1-2 user-content-u u marquee custom button in-button in-object in-video 12 late-body late-html
stray-tr stray-td stray-head stray-col stray-frame stray-frameset nested-form image in-select fostered
hidden-input unclosed-quote"x spaced slashed id x after-equals top TOP Top %74op %54OP to%70 top%20 ᵗop gone
%67one #one !one /one one?x one%20 one␠ o␉ne o␊ne %6Fne %6fne %256Fne %EF%BB%BFone one:~
 t=10 xywh=0,0,1,1 svgView(viewBox(0,0,1,1)) one= =
& / ? a% %a %4 %4%31
"""),
    "e\u0301",
]

#: Fragments with a directive. They take a fresh page each.
DIRECTIVES = _words(":~:text=x one:~:text=x gone:~:text=x top:~:text=y one%3A~%3Atext=x :~: one:~:")
#: Pages that send their readers on.
STUBS = {
    "drop.html": '<meta http-equiv="refresh" content="0; url=../page.html">',
    "quoted.html": """<META HTTP-EQUIV=Refresh CONTENT="0;URL='../page.html'">""",
    "no-url.html": '<meta http-equiv="refresh" content="0;../page.html">',
    "own.html": '<meta http-equiv="refresh" content="0; url=../page.html#one">',
    "chain.html": '<meta http-equiv="refresh" content="0; url=drop.html">',
    "to-folder.html": '<meta http-equiv="refresh" content="0; url=../docs">',
    "to-gone.html": '<meta http-equiv="refresh" content="0; url=gone.html">',
}
#: Those whose scripts carry the fragment on.
CARRYING = {
    "carry.html": '<script>location.replace("../page.html" + location.hash)</script>' + STUBS["drop.html"],
    "mkdocs.html": '<script>var a=window.location.hash.substr(1);location.href="../page.html"+(a?"#"+a:"")</script>'
    + STUBS["drop.html"],
    "script-only.html": '<script>location.replace("../page.html" + location.hash)</script>',
    "carry-chain.html": '<script>location.replace("drop.html" + location.hash)</script>' + STUBS["chain.html"],
}
STUB_FRAGMENTS = ("", "#one", "#gone", "#in-docs", "#here", "#top")

#: Positions and forms of a BASE.
BASES = {
    "up": '<base href="../">',
    "root": '<base href="/">',
    "docs": '<base href="../docs/">',
    "no-slash": '<base href="../docs">',
    "file": '<base href="../page.html">',
    "gone": '<base href="gone/">',
    "absolute": '<base href="{base}docs/">',
    "network": '<base href="//{host}/docs/">',
    "other": '<base href="http://other.test/">',
    "data": '<base href="data:,x">',
    "mail": '<base href="mailto:x">',
    "empty": '<base href="">',
    "fragment": '<base href="#x">',
    "query": '<base href="?q">',
    "backslash": '<base href="..\\docs\\">',
    "space": '<base href=" ../ ">',
    "charref": '<base href="&#46;./">',
    "two": '<base href="../"><base href="../docs/">',
    "target": '<base target=_top><base href="../">',
    "comment": '<!-- <base href="../"> -->',
    "template": '<template><base href="../"></template>',
    "svg": '<body><svg><base href="../"></svg>',
    "math": '<body><math><base href="../"></math>',
    "foreign": '<body><svg><foreignObject><base href="../"></foreignObject></svg>',
    "noscript": '<noscript><base href="../"></noscript>',
    "title": '<title><base href="../"></title>',
    "script": '<script type=x><base href="../"></script>',
    "body": '<body><p><base href="../">',
    "table": '<body><table><base href="../"></table>',
    "select": '<body><select><base href="../"></select>',
    "textarea": '<body><textarea><base href="../"></textarea>',
    "xmp": '<body><xmp><base href="../"></xmp>',
}
BASE_LINKS = _words("""
∅ #own #gone ?q page.html ../page.html docs/ docs/page.html /page.html up.html page.html#one page.html#gone bare/
Page.html index.html x/../page.html
""")

#: References that are fetched with a page, and others.
RESOURCES = """<img src="pic.svg"><img src="gone.png"><img src="pic.svg#one"><img src="Pic.svg">
<img srcset="pic.svg 1x, gone-2.png 2x"><picture><source srcset="gone-3.png"><img src="./pic.svg"></picture>
<iframe src="docs/page.html"></iframe><iframe src="gone-4.html"></iframe><iframe src="docs"></iframe>
<iframe src="bare"></iframe><object data="docs/index.html"></object><object data="gone-5.svg"></object>
<embed src="gone-6.svg"><video poster="gone-7.png" src="gone-8.mp4"></video><audio><source src="gone-9.mp3"></audio>
<iframe src="docs/page.html#one"></iframe><iframe src="docs/page.html#gone"></iframe>
<input type=image src="gone-10.png">
<form action="gone-11.html"><button formaction="docs/"></button></form>
<blockquote cite="gone-12.html">x</blockquote>
<area href="gone-13.html"><map><area href="page.html#gone-14"></map><p style="background: url(gone-15.png)">x</p>
<p style="background: url('pic.svg')">x</p><svg><a href="gone-16.html"><text>x</text></a>
<image href="gone-17.png" width=9 height=9 /><use href="pic.svg#one"/><use href="pic.svg#gone-18"/></svg>
<script src="gone-19.js" type=x></script><iframe srcdoc="&lt;a href='gone-20.html'>x&lt;/a>
&lt;a href='page.html#one'>x&lt;/a>&lt;a href='page.html#gone-21'>x&lt;/a>&lt;a href='#in-docs'>x&lt;/a>"></iframe>
<iframe srcdoc="&lt;base href='docs/'>&lt;a href='index.html'>x&lt;/a>&lt;a href='gone-22.html'>x&lt;/a>"></iframe>
<template><a href="gone-23.html">x</a><a href="./docs/">x</a></template>
<table background="gone-24.png"><tr><td>x</table>"""
SHEETS = {
    "css/style.css": r"""@import "more.css"; @import url(gone-1.css); p { background: url(../pic.svg) }
        b { background: url("gone-2.png") } i { background: url('../Pic.svg') } u { background: url(\67one-3.png) }""",
    "css/more.css": "a { background: url(gone-4.png) }",
}

#: Pages with `id="one"`, as targets.
PAGES = _words("""
page.html docs/page.html 日本/ページ.html htm/index.htm with␠space.html naïve.html Ж.html 😀.html 100%.html a%20b.html
hash#tag.html what?.html semi;colon.html a&b.html quote'.html dquote".html <lt>.html back\\slash.html col:on.html
tilde~.html @at.html saved?id=1.html saved.html?id=2 dot. .../page.html .hidden.html ..page.html |.html [x].html
{x}.html ^.html `.html a,b.html
""")
FOLDERS = {"index.html": "in-docs", "docs/index.html": "in-docs", "日本/index.html": "お"}
SVG = """<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9000"><g id="one"/><g id="é"/><g xml:id="xml-id"/>
<a name="named"/></svg>"""
XHTML = """<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body>
<p id="one">x</p><p id="Case">x</p><a name="named">x</a><p xml:id="xml-id">x</p><p id="x&amp;y">x</p>
<p id="dq&quot;">x</p>
<x xmlns="urn:x" id="no-html" name="no-html-name"/><template><p id="in-template">x</p></template>
<p name="p-name">x</p>
<![CDATA[<p id="in-cdata">]]><!-- <p id="in-comment"/> --><script type="x"><p id="in-style"/></script>
<svg xmlns="http://www.w3.org/2000/svg"><g id="in-svg"/><a name="svg-name"/></svg><p style="height: 9000px">x</p>
<a href="#one">x</a><a href="#named">x</a><a href="#gone">x</a><a href="#top">x</a></body></html>"""
XML = {"targets.xhtml": XHTML, "pic.svg": SVG}
#: A document's encoding -> how the names of pages in it end.
ENCODINGS = {"utf-8": "", "windows-1251": "-1251", "shift_jis": "-sjis", "utf-16": "-utf16"}


def write_odd_tree(root: Path, base: str) -> None:
    """Write the tree that is served at a URL to a folder."""
    for name, data in {**_linking_pages(base), **_linked_files()}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (root / "link.html").symlink_to("page.html")
    (root / "linked").symlink_to("docs")


def _linking_pages(base: str) -> dict[str, bytes]:
    host = base.split("/")[2]
    own = '<p id="own">x</p>'
    hub = own + links(one.format(base=base, host=host) for one in LINKS)
    pages = {f"hub{ending}.html": document(hub, encoding=encoding) for encoding, ending in ENCODINGS.items()}
    pages |= {"docs/hub.html": document(hub), "日本/hub.html": document(hub)}
    for encoding, ending in ENCODINGS.items():
        fragments = links(f"../targets{ending}.html#{one}" for one in FRAGMENTS)
        pages[f"docs/to-targets{ending}.html"] = document(fragments, encoding=encoding)
    pages["docs/to-texts.html"] = document(links(f"../page.html#{one}" for one in DIRECTIVES))
    pages["docs/to-xml.html"] = document(links(f"../{name}#{one}" for name in XML for one in FRAGMENTS))
    for folder, stubs in (("stub", STUBS), ("carrying", CARRYING)):
        pages |= {f"{folder}/{name}": document("<p id=here>x</p>", text) for name, text in stubs.items()}
        pages[f"docs/to-{folder}.html"] = document(
            links(f"../{folder}/{name}{one}" for name in stubs for one in STUB_FRAGMENTS)
        )
    pages["carrying/drop.html"] = pages["stub/drop.html"]
    for name, text in BASES.items():
        body, markup = own + links(BASE_LINKS), text.format(base=base, host=host)
        pages[f"base/{name}.html"] = document(body, markup)
        pages[f"base/late-{name}.html"] = document(body + markup.removeprefix("<body>"))
    pages["resources.html"] = document(RESOURCES)
    sheet = '<link rel=stylesheet href="../css/style.css">'
    pages["docs/styled.html"] = document("<a>x</a><b>x</b><i>x</i><u>x</u>", sheet)
    return pages


def _linked_files() -> dict[str, bytes]:
    files = {name: text.encode() for name, text in {**SHEETS, **XML}.items()}
    files |= {name: document('<p id="one">x</p>') for name in PAGES}
    files |= {name: document(f'<p id="{one}">x</p>') for name, one in FOLDERS.items()}
    for encoding, ending in ENCODINGS.items():
        files[f"targets{ending}.html"] = document(NAMED + links(f"#{one}" for one in FRAGMENTS), encoding=encoding)
    return {**files, "xhtml/index.xhtml": XHTML.encode(), "bare/file.txt": b"x", "text.txt": b"x"}
