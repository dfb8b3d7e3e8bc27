"""Raw values of URL attributes that are just plain or just not, listed and generated, and documents of them."""

from __future__ import annotations

from html.entities import html5

from hypothesis import strategies as st

__all__ = ["BASES", "FIXED_VALUES", "ampersands", "document_of", "values"]

BASES = [
    "https://example.com/dir/sub/page.html?q#f",
    "http://h",
    "https://a.b/c//d/?x&y=1",
    "http://h:8080/x&y/z'.html",
    "https://deep.test/" + "d/" * 9,
    "https://example.com/a/b?c/d/&e?f'#g/h?i",
    "ftp://files.test/pub/a",
]

_WRITTEN_HOSTS = (
    "h h.example WWW.Example.COM a_b.test 1.2.3.4 0x7f.1 1e3 a.1e3 a.0x7f a.0x 127.1 a.1 x1 a.b. .a a..b xn--a XN--a.b"
    " a.xn--b ab--c.test -a.test a-.test a%2eb a%b é.test u@h u:p@h u@ [::1] [ a:80 a:443 a:0 a:00080 a:8080 a:65535"
    " a:65536 a:99999999999 a: a:b a:8 a:21 h&amp; h&lt; h&#46;b h&period;b h\\b a^b h|b {h} h* h+ h~ h,i"
)
_HOSTS = _WRITTEN_HOSTS.split()
_WRITTEN_SCHEMES = (
    "http https HTTP hTTps ws wss ftp file FILE mailto javascript JavaScript data tel about blob foo a+b-c.d x1 mw-data"
    " android-app view-source"
)
_SCHEMES = _WRITTEN_SCHEMES.split()
_STARTS = ["//", "/", "", ":", "/\\", "\\\\", "///", "?", "#", " //", "\t/", "&#47;/", "&sol;/", "/&#x2f;", "\n//"]
_WRITTEN_RESTS = "/ /p ?q #f \\p : &amp; &copy /é /%2e%2e/x /../x /'?'"
_RESTS = ["", *_WRITTEN_RESTS.split(), "/a b", " ", "\t"]
_WRITTEN_PATHS = (
    ". .. ... ./ ../ .// ..//x ./a:b a:b 1:2 a/b:c .hidden /.hidden /..hidden /. /.. /./x /a/.b/c /%2e /%2E./x /.%2e"
    " /%2f /%20 %2e %2e%2e/x %20x x%2e/y %zz % %2 /% a% /x%2 ../%2e/x ../%41 ..%2f ./. a// //x// a|b C|/x [x]"
    " x[0]?y[]=1 a'b a?'b a#'b 'a ?'&amp;' a^b a?^ a#^ `a a` a?` a#` <a a<b a?b<c a#b<c&gt; &lt;a a&lt;b a?&lt;b&gt;"
    " a#&lt;b&gt; &Lt;a a&Lt; a&LT;b a&lt a&lt=b a&ltx a&quot;b a?&apos; a<%b a<?b a&lt;%b a&lt;?b a<&amp;b a#<% a?<?"
    ' <%=x%> {{x}} a{{b}} a{%b%} ${x} a?{b} a#{b} {} a} \\ a\\b ?a\\b #a\\b #a#b a#b#c ?? a??b #? ## a"b'
    " User_talk:A a~b:c a@b:c a=b:c/d a+b:c a,b:c"
    " /%2Be /%2 /%2E a/%2e %20http://x %20a:b é/b é:b aé:b /é/.. aé?é#é a?é'é mailto:?é'é mailto:?é&amp;é"
    " a?b&#38;c&#x26;d &#109;ailto:x &#32;a a&#32; &#35;a &#0; a&#0; &eacute;a a&eacute;?é &#46;./a ./&#46;./a &#47;/h"
    " .&#46;/a a&#58;b &#123;{a}}"
    " ..?x ..#x .? .. ../.. ../. %2e%2E /% ./% a&b;c a&;b ../../../../../../../../../../../../x"
)
_SPACED = [
    "a b",
    " a",
    "a ",
    "\ta\n",
    "\f a",
    "a\tb",
    "a\nb",
    ".\t./x",
    "/\t/h",
    "ht\ttp://h/",
    ".. /x",
    "a#b c",
    "a b:c",
    *("a b?c d", "a ?b", "a #b", "a  b", "a '?'b c", "é é?é 'é", "é?é", " é"),
]
_CONTROLS = [
    "\x01a",
    "a\x01",
    "\x7f",
    "\0",
    "\0a",
    "a\0",
    " \0 ",
    "a\x1f",
    "\x0bx",
    "é",
    "a?é",
    "#é",
    "\xa0a",
    "\u3000",
]
_PATHS = [*_WRITTEN_PATHS.split(), *_SPACED, *_CONTROLS]
#: Values of each class, and some that belong to none.
FIXED_VALUES = [
    "",
    " ",
    "\n\t",
    *_PATHS,
    *(f"{scheme}:{start}{rest}" for scheme in _SCHEMES for start in _STARTS for rest in ("", "x", "x/y?z#é")),
    *(f"{scheme}//{host}{rest}" for scheme in ("", "http:") for host in _HOSTS for rest in _RESTS),
    *(f"{scheme}:{path}" for scheme in ("mailto", "Tel", "x1", "wss", "file://", "file:///") for path in _PATHS),
    *(f"{scheme}//{host}{rest}" for scheme in ("FTP:", "foo:") for host in _HOSTS for rest in ("", "/p", "?q", ":80")),
]


def ampersands() -> list[str]:
    """A bare "&" before every named character reference that needs no semicolon, and every other name, in each part."""
    legacy = sorted({name.removesuffix(";") for name in html5 if not name.endswith(";")})
    follows = ["", "=", "=1", "x", "9", "X=", ";", ";=", "-", "#f", "&", "&amp;", " ", " b", "<", "/", "%", "é"]
    found = [f"{start}&{name}{follow}" for name in legacy for start in ("?a", "#", "x/") for follow in follows]
    found += [f"?a&{name}b" for name in html5] + [f"?a&{name.removesuffix(';').upper()}=" for name in html5]
    found += [f"&{name}x" for name in legacy] + [f"a&{name}" for name in html5]
    names = ["", "#", "#x", "#9", "#x2e;", "#46;", "#x2f", "#;", "#a", "a" * 40, "a" * 41, "a" * 41 + ";", "9", "amp"]
    return found + [f"x{mark}&{name}{follow}" for name in names for mark in "/?#" for follow in follows]


_PIECES = [*_HOSTS, *_SCHEMES, *_STARTS, *_RESTS, *_PATHS, *":.%&;=aZ0", "2e", "copy", "amp"]
values = st.lists(st.sampled_from(_PIECES), max_size=6).map("".join)


def document_of(values: list[str], quote: str = '"', tag: str = "a href") -> str:
    """A document with each value in an attribute; without quotation marks, only the values that need none."""
    if not quote:
        kept = [value for value in values if value and not set(value) & set(" \t\n\f\r\"'>")]
    else:
        kept = [value for value in values if quote not in value]
    return "".join(f"<{tag}={quote}{value}{quote} title=t>\n" for value in kept)
