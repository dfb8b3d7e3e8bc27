"""Random pieces of documents: URLs, the values of each syntax, character references, tags, whole documents.

All choices come from the given `Random`, so that a seed always makes the same documents.
"""

from __future__ import annotations

import html.entities
import json
from collections.abc import Callable, Sequence
from random import Random
from typing import TypeVar

from linkfix import Row
from linkfix.html import GROUPS, ROWS

__all__ = ["BASES", "document", "piece", "reference", "referenced", "sheet", "value"]

T = TypeVar("T")

#: Base URLs, of all kinds.
BASES = (
    "https://example.com/dir/sub/page.html?q=1#f",
    "http://h/",
    "http://h",
    "HTTP://User:Pa%20ss@Example.COM:80/a/../b/./c?x#y",
    "https://example.com/a&b/c=d/e;f?copy=1&lt=2",
    "https://example.com/&quot/'x'/",
    "http://[2001:db8::1]:8080/x/",
    "http://127.1/a/b/",
    "https://xn--bcher-kva.example/ü/",
    "https://bücher.example/é?é#é",
    "ftp://ftp.example.com/pub/;type=a",
    "file:///C:/Users/x/page.html",
    "file:///home/x/page.html",
    "data:text/html,x",
    "about:srcdoc",
    "blob:https://example.com/1234",
    "mailto:a@b.example",
    "urn:isbn:123",
    "custom://host/a/b",
    "custom:/a/b",
    "custom:a/b",
    "view-source:http://h/a/b",
    "1:2http://[",
    "javascript:void(0)",
    "http://h/" + "a/" * 120,
)

_WRITTEN = (
    "a b . .. ... / // /// ? # & &amp; ; : = % %2e %2E%2e %41 %zz + ~ - _ @ ! $ ' ( ) * , [ ] { } | \\ ^ ` é я 中 <"
    ' > " \u00a0 \u2028 \ufeff \U0001f600 &quot &quot; &#34 &#x27 &#x27; &#39; &#x9 &#xA; &#13; &#0; &#x110000; &lt'
    " &lt; &gt &amp &nbsp &nbsp; &copy &copy= &copy; &notin; &notit; &not &para &sect &times &reg &Tab; &NewLine;"
    " &colon; &sol; &num; &quest; &period; &lpar; &rpar; &comma; &apos; &bsol; &lbrace; &AMP &LT &QUOT"
    " a.html x/ ../ ./ //example.org //example.org/ /y http: https: http:// https:A/x http:g https:g"
    " https://example.com/ HTTP://EXAMPLE.com http:/x http:\\\\x mailto:a@b.c javascript:void(0) data:,x tel:1"
    " java&#9;script:x &#x2e; &#47; &#x2f &copy=3 {{ }} {{x}} ${x} <?x?> http://[ http://[::1]/ http://1.2.3"
    " //127.1/x //xn--a/ //a:80/ //a:99999/ ?y #s index.html g;x=1 a:b 1:2 .hidden file:///x file:x C:/x urn:a:b"
    " about:blank blob:x ftp://f/x //\u00e9.example/ %E9 %C3%A9 ?%u00e9 ?é #é \\x \\\\h\\x ..\\x url= url=x 0;url=x"
)
_REFERENCE_PIECES = (*_WRITTEN.split(" "), " ", "\t", "\n", "\r", "\f", "\0", "\x01", "\x7f", "\x85")
_PLAIN = ("a", "b.html", "../", "./", "/", "x/y", "?q=1", "&amp;r=2", "#top", "img/c.png", "-", "_", "é", "%20")

_SPACES = ("", "", "", " ", "\t", "\n", "\f", "\r", "  ", "\r\n")
_NAMES = sorted(html.entities.html5)


def reference(random: Random) -> str:
    """A reference, often an odd one, as it may be written in an attribute."""
    if random.random() < 0.4:
        return "".join(random.choice(_PLAIN) for _ in range(random.randrange(1, 5)))
    if random.random() < 0.1:
        return random.choice(BASES)
    return "".join(random.choice(_REFERENCE_PIECES) for _ in range(random.randrange(6)))


def referenced(random: Random, text: str) -> str:
    """A text with some of its characters written as character references, with and without semicolon."""
    made = []
    rare = random.choice((4, 12, 40))
    for character in text:
        how = random.randrange(rare)
        end = random.choice((";", ";", ""))
        if how == 0:
            made.append(f"&#{ord(character)}{end}")
        elif how == 1:
            made.append(f"&#{random.choice('xX')}{ord(character):{random.choice(('x', 'X', '04x'))}}{end}")
        elif character in '&<>"' and how < 6:
            made.append({"&": "&amp", "<": "&lt", ">": "&gt", '"': "&quot"}[character] + end)
        else:
            made.append(character)
    return "".join(made)


def _space(random: Random) -> str:
    return random.choice(_SPACES)


def _srcset(random: Random) -> str:
    descriptors = ("", " 1x", " 2x", " 100w", " 100w 50h", " 1.5e1x", " x", " -1x", " 1x 2x", " (a,b)", " foo", ",")
    candidates = (
        _space(random) + reference(random) + random.choice(descriptors) for _ in range(random.randrange(1, 4))
    )
    return random.choice((",", ", ", ",,", " , ")).join(candidates)


def _css_url(random: Random) -> str:
    quote = random.choice(("", "", "'", '"', "&quot", "&quot;", "&#39;", "&#x27"))
    text = reference(random)
    if random.random() < 0.2:
        text = text.replace("a", random.choice(("\\61 ", "\\a", "\\", "\\\n", "\\000061", "\\0")))
    closing = random.choice((quote, quote, quote, "", "'"))
    form = random.choice(("url({})", "url({})", "URL( {} )", "u\\72l({})", "url({}", "@import {};", "image-set({} 1x)"))
    form = random.choice((form, form, form, "@import url({}) screen;", "@namespace {};", "src({})", "url-prefix({})"))
    return form.replace("{}", f"{_space(random)}{quote}{text}{closing}{_space(random)}")


def _style(random: Random) -> str:
    declarations = (
        "background:",
        "x:1;background:",
        "/* url(no) */ a:",
        "a:b;",
        "--x:",
        "content:'a' ",
        "}",
        "{",
        "<!--",
    )
    return "".join(random.choice(declarations) + _css_url(random) for _ in range(random.randrange(1, 4)))


def sheet(random: Random) -> str:
    """A style sheet."""
    heads = ("", "@charset 'utf-8';", "/* a */", "p{", "@media x{a{", "@font-face{", "<!--", "\\")
    tails = ("", "}", "}}", "/*", "'", "-->")
    return random.choice(heads) + _style(random) + random.choice(tails)


def _refresh(random: Random) -> str:
    time = random.choice(("0", "5", " 3 ", "1.5", ".5", "", "x", "0.1.2"))
    middle = random.choice((";", ",", "; ", " ", ";;", ""))
    name = random.choice(("url=", "URL = ", "url", "u", "", "url='", 'url="', "url=&quot", "url=&#39;", "'"))
    tail = random.choice(("", "'", '"', "' x", "&quot", " "))
    return time + middle + name + reference(random) + tail


def _list_of(separator: str) -> Callable[[Random], str]:
    def made(random: Random) -> str:
        return separator.join(reference(random) for _ in range(random.randrange(1, 4)))

    return made


def _json_string(random: Random) -> str:
    text = json.dumps(reference(random), ensure_ascii=random.random() < 0.5)
    return text.replace("/", random.choice(("/", "\\/", "\\u002f"))) if random.random() < 0.9 else text[:-1]


def _import_map(random: Random) -> str:
    def entries() -> str:
        return (
            "{" + ",".join(f"{_json_string(random)}:{_json_string(random)}" for _ in range(random.randrange(3))) + "}"
        )

    forms = (
        '{"imports":%s}',
        '{"scopes":{"a/":%s}}',
        '{"imports":%s,"integrity":{"a.js":"x"}}',
        '{"imports":[%s]}',
        "%s",
    )
    return random.choice(forms) % entries() + random.choice(("", "", " ", ",", "<!--"))


def _speculation_rules(random: Random) -> str:
    strings = ",".join(_json_string(random) for _ in range(random.randrange(3)))
    rule = random.choice(('{"urls":[%s]}', '{"source":"list","urls":[%s]}', '{"where":{},"urls":[%s]}', '{"urls":%s}'))
    action = random.choice(("prefetch", "prerender", "other"))
    return json.dumps(action).join(("{", f":[{rule % strings}]}}"))


def _json_ld(random: Random) -> str:
    names = ("@id", "url", "image", "sameAs", "@context", "@type", "name", "logo")
    members = (f'"{random.choice(names)}":{_json_string(random)}' for _ in range(random.randrange(4)))
    text = "{" + ",".join(members) + "}"
    return random.choice((text, f"[{text}]", f'{{"@graph":[{text}]}}', text[:-1]))


def _srcdoc(random: Random) -> str:
    inner = "".join(piece(random, nested=True) for _ in range(random.randrange(3)))
    return inner.replace("&", "&amp;") if random.random() < 0.6 else referenced(random, inner)


def _mention(random: Random) -> str:
    around = ("<{}>", '"{}"', "see {}.", "<URL:{}>", "({})", "www.{}", "{}-\n{}")
    return random.choice(around).replace("{}", reference(random))


def _lazy_url(random: Random) -> str:
    forms = ("{}", "{}", "a_{w}{}", "{}/{0}/a", "{w}{}", '{"a":"{}"}', "rgb(1,2,3)", "linear-gradient(red,blue),{}")
    return random.choice((random.choice(forms).replace("{}", reference(random)), _css_url(random)))


def _lazy_srcset(random: Random) -> str:
    sets = (_srcset(random) + random.choice(("", " [a]", " [(b:c)] [d]", "[e")) for _ in range(random.randrange(1, 4)))
    return random.choice((random.choice((" | ", "|", "| ")).join(sets), _lazy_url(random)))


def _conditional(random: Random) -> str:
    """HTML in a conditional comment."""
    mark = random.choice(("'", '"', ""))
    url = reference(random).replace("-->", "--")
    name = random.choice(("a href", "v:fill src", "img src", "base href", "td background"))
    return random.choice((f"<{name}={mark}{url}{mark}>", f"<style>a{{b:url({url})}}</style>", f"<a href=x{url}--"))


_VALUES: dict[str, Callable[[Random], str]] = {
    "url": reference,
    "local-url": lambda random: random.choice(("", "", "#")) + reference(random),
    "srcset": _srcset,
    "css": _style,
    "lazy-url": _lazy_url,
    "lazy-srcset": _lazy_srcset,
    "refresh": _refresh,
    "space-list": _list_of(" "),
    "comma-list": _list_of(","),
    "importmap": _import_map,
    "speculationrules": _speculation_rules,
    "json-ld": _json_ld,
    "srcdoc": _srcdoc,
    "html": lambda random: f"<a href='{reference(random)}'>x</a>",
    "conditional-comment": _conditional,
    "text": _mention,
    "anchor": reference,
}


def value(random: Random, syntax: str) -> str:
    """A value of a syntax of the vocabulary."""
    return random.choice((_space(random), "")) + _VALUES[syntax](random)


_ROWS: Sequence[Row] = (*ROWS, *(row for rows in GROUPS.values() for row in rows))
_COMMON = [row for row in ROWS if (row.element, row.attribute) in {("a", "href"), ("img", "src"), ("base", "href")}]
#: Rows by their syntax, so that rare syntaxes are as frequent as common ones.
_BY_SYNTAX: dict[str, list[Row]] = {}
for _row in _ROWS:
    _BY_SYNTAX.setdefault(_row.syntax, []).append(_row)


def _cased(random: Random, name: str) -> str:
    return name if random.random() < 0.9 else random.choice((name.upper(), name.title(), name + random.choice("\0/é")))


def _attribute(random: Random, name: str, text: str) -> str:
    """An attribute with a value, in one of the ways to write it."""
    quote = random.choice(('"', '"', "'", ""))
    if random.random() < 0.3:
        text = referenced(random, text)
    if quote == '"':
        text = text.replace('"', random.choice(("&quot;", "&#34;", "")))
    elif quote == "'":
        text = text.replace("'", random.choice(("&#39;", "&apos;", "")))
    elif random.random() < 0.9:
        text = "".join(character for character in text if character not in " \t\n\f\r>")
    mark = random.choice(("=", "=", "=", " = ", "=\n", "\t="))
    return _cased(random, name) + (f"{mark}{quote}{text}{quote}" if random.random() < 0.97 else "")


def _element(random: Random) -> str:
    """A start tag of a row of the vocabulary, with its guard, other attributes, and text if the row needs it."""
    row = random.choice(_COMMON) if random.random() < 0.3 else random.choice(random.choice(list(_BY_SYNTAX.values())))
    name = row.element if row.element != "*" else random.choice(("p", "div", "g", "x-y", "table", "a", "font"))
    attributes = []
    if row.guard:
        guard, _, words = row.guard.partition("=")
        attributes.append(_attribute(random, guard, random.choice(words.split() or [""])))
    if row.attribute:
        attributes.append(_attribute(random, row.attribute, value(random, row.syntax)))
    others = ("id=x", "class='a b'", "href=second>", "src", "style='a:b'", "/", "=", "'", '"', "a=&amp", "xml:base=y/")
    attributes += [random.choice(others) for _ in range(random.randrange(3)) if random.random() < 0.3]
    random.shuffle(attributes)
    space = random.choice(_SPACES) or " "
    end = random.choice((">", ">", ">", " >", "/>", ""))
    if row.syntax == "conditional-comment":
        condition = random.choice(("[if mso]>", "[if mso]>", "[IF gte mso 9]>", "[if !mso]><!", "[if"))
        ending = random.choice(("<![endif]-->", "<![endif]-->", "<![endif]--!>", "-->", "<! [endif] >-->", ""))
        return f"<!--{condition}{value(random, row.syntax)}{ending}"
    tag = f"<{_cased(random, name)} {space.join(attributes)}{end}"
    if not row.attribute:
        tag += value(random, row.syntax) + random.choice((f"</{name}>", f"</{name.upper()} x>", "", f"</{name}"))
    if row.namespace != "html":
        around = "svg" if row.namespace == "svg" else "math"
        tag = f"<{around}>{tag}" + random.choice((f"</{around}>", "", f"</{around}>"))
    return tag


_WRAPPERS = (
    "<!--{}-->",
    "<!--{}--!>",
    "<!-->{}-->",
    "<![CDATA[{}]]>",
    "<svg><![CDATA[{}]]></svg>",
    "<?x {}?>",
    "<!x {}>",
    "</x {}>",
    "<template>{}</template>",
    "<template>{}",
    "<svg>{}</svg>",
    "<svg><foreignObject>{}</foreignObject></svg>",
    "<svg><desc>{}</desc></svg>",
    "<svg><title>{}</svg>",
    "<math>{}</math>",
    "<math><mi>{}</mi></math>",
    "<math><annotation-xml encoding=text/html>{}</math>",
    "<math><annotation-xml>{}</math>",
    "<title>{}</title>",
    "<textarea>{}</textarea>",
    "<script>{}</script>",
    "<script><!--<script>{}</script>--></script>",
    "<style>{}</style>",
    "<noscript>{}</noscript>",
    "<xmp>{}</xmp>",
    "<noembed>{}</noembed>",
    "<iframe>{}</iframe>",
    "<plaintext>{}",
    "<table><tr><td>{}</td></tr></table>",
    "<table>{}</table>",
    "<select>{}</select>",
    "<form>{}</form>",
    "<object>{}</object>",
    "<a href='{}'>",
    '<p title="{}">',
    "<svg><style>{}</style></svg>",
    "<svg><p>{}",
    "<math><mtext><svg>{}",
)
_TEXTS = (
    "text",
    "\r\n",
    "é&amp;",
    "\0",
    "<",
    "</",
    "</>",
    "<!",
    "<!doctype html>",
    "<!DOCTYPE x [<!ENTITY a 'b'>]>",
    "<html>",
    "<head>",
    "<body background=b>",
    "</body>",
    "</svg>",
    "</math>",
    "</template>",
    "</a>",
    "</style>",
    "</script>",
    "-->",
    "]]>",
    "<br/>",
    "<meta charset=utf-8>",
    "<meta http-equiv=content-security-policy content=\"base-uri 'self' //h\">",
    "<meta http-equiv=Content-Security-Policy content='base-uri https:'>",
    "<noscript><base href=n/></noscript>",
    "<meta charset=windows-1251>",
    "<meta charset=x-user-defined>",
    "<meta http-equiv=content-type content='text/html; charset=shift_jis'>",
    "<font color=x>",
    "<frameset><frame src=f>",
    "<object codebase=lib/ archive='a b' classid=c data=d>",
    "<?xml version='1.0'?>",
    "<?xml-stylesheet href='a.css?x&amp;y'?>",
    "&copy",
    "\u2028",
)


def piece(random: Random, *, nested: bool = False) -> str:
    """A piece of a document: an element, a text, or a piece in a context that changes its meaning."""
    how = random.random()
    if how < 0.6:
        return _element(random)
    if how < 0.75:
        return random.choice(_TEXTS)
    if how < 0.78:
        return f"&{random.choice(_NAMES)}"
    inside = "" if nested and how > 0.9 else piece(random, nested=nested)
    return random.choice(_WRAPPERS).replace("{}", inside)


def document(random: Random) -> str:
    """A document of HTML."""
    return "".join(piece(random) for _ in range(random.randrange(1, 9)))
