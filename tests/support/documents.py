"""Documents for property tests: random combinations of the pieces of pages."""

from __future__ import annotations

from hypothesis import strategies as st

URL = "https://example.com/dir/sub/page.html?q=1#f"

_WRITTEN = (
    "a b . .. ... / // ? # & &amp; ; : = % %2e %2E%2e %41 + ~ - _ @ ! $ ' ( ) * , [ ] { } | \\ ^ ` é я 中 <"
    " a.html x/ ../ ./ //example.org /y http: https: http:// https://example.com/ HTTP://EXAMPLE.com"
    " mailto:a@b.c javascript:void(0) data:,x tel:1 java&#9;script:x &#x2e; &#47; &copy=3 &lt; &notit;"
    " &colon; {{ }} http://[ http://1.2.3 //127.1/x //xn--a/ //a:80/ http:g https:g ?y #s index.html g;x=1"
    " a:b 1:2 .hidden"
)
_PIECES = [*_WRITTEN.split(), "\t", "\n"]

references = st.lists(st.sampled_from([*_PIECES, " "]), max_size=6).map("".join)
plain = st.from_regex(
    r"(\.\./){0,4}(\./)?/?[a-z0-9._~-]{0,6}(/[a-z0-9.]{0,4}){0,3}(\?[a-z=&;0-9]{0,5})?(#[a-z]{0,3})?", fullmatch=True
)

_ATTRIBUTES = (
    "a href",
    "img src",
    "img srcset",
    "form action",
    "div style",
    "link href",
    "meta http-equiv=refresh content",
    "a ping",
    "object codebase=lib/ archive",
    "iframe srcdoc",
    "svg><use href",
    "svg><a xlink:href",
    "template><base href",
    "base href",
    "body background",
    "p class",
    "q cite",
)


@st.composite
def tags(draw: st.DrawFn) -> str:
    """One element with one attribute that may be a link."""
    name = draw(st.sampled_from(_ATTRIBUTES))
    value = draw(references | plain)
    if name == "iframe srcdoc":
        value = f"<a href={value!r}>".replace("&", "&amp;")
    elif name == "div style":
        value = f"background:url({value})"
    elif name.startswith("meta"):
        value = f"3;url={value}"
    quote = draw(st.sampled_from(['"', "'", ""]))
    forbidden = quote or " \t\n>\"'"
    value = "".join(c for c in value if c not in forbidden) or "x" * (not quote)
    space = draw(st.sampled_from(["=", " = ", "=\n"]))
    end = draw(st.sampled_from([">", " >", "/>", " alt=x>", " href=second>"]))
    return f"<{name}{space}{quote}{value}{quote}{end}"


texts = st.sampled_from(
    [
        "text",
        "\r\n",
        "é&amp;",
        "<!-- <a href=no> -->",
        "<title><a href=no></title>",
        "<script>'<a href=no>'</script>",
        "<style>a{b:url(k.png)}</style>",
        "<textarea><base href=no></textarea>",
        "</svg>",
        "</template>",
        "<svg><style>a{b:url(&amp;k)}</style><title><a href=yes></a></title></svg>",
        "<![CDATA[ <a href=maybe> ]]>",
        "<!doctype html>",
        "<head>",
        "</a>",
        "<",
    ]
)

documents = st.lists(tags() | texts, max_size=8).map("".join)
