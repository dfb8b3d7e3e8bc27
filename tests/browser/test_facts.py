"""Facts about engines, or Chromium alone, where the specifications are ambiguous: linkfix relies on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pytest
from support.browser.chromium import Chromium
from support.browser.engine import Engine, Response, Tab

from linkfix import Document

pytestmark = pytest.mark.browser

URL = "http://a.test/d/p.html"
FOREIGN = "http://b.test/o/q.html?z#f"

#: U+044E as a query of a windows-1251 document, and as UTF-8.
DOCUMENT, UTF_8 = "%FE", "%D1%8E"


@contextmanager
def opened(
    engine: Engine,
    html: str,
    encoding: str = "utf-8",
    others: Mapping[str, Response] | None = None,
    *,
    scripts: bool = False,
) -> Iterator[Tab]:
    main = Response(html.encode(encoding), f"text/html; charset={encoding}")
    with engine.open(URL, {**(others or {}), URL: main}, scripts=scripts) as page:
        yield page


def evaluated(engine: Engine, html: str, expression: str) -> object:
    with opened(engine, html) as page:
        value: object = page.evaluate(expression)
        return value


def requested(page: Tab, *kinds: str, count: int) -> dict[str, str]:
    """Return path -> query of the requests of these kinds, once there are `count`; the page itself is not counted."""

    def urls() -> list[str]:
        return [url for url, kind in page.requests[1:] if kind in kinds]

    page.wait(lambda: len(urls()) >= count)
    return dict(url.removeprefix("http://a.test/d/").split("?") for url in urls())


def next_document(page: Tab, after: int = 1) -> str:
    """Return the URL that the page or a frame goes to next, the first `after` requests not counted."""
    page.wait(lambda: any(kind == "Document" for _, kind in page.requests[after:]))
    return next(url for url, kind in page.requests[after:] if kind == "Document")


def navigated(page: Tab, action: str) -> str:
    """Return the URL that the page or a frame goes to once `action` has been evaluated."""
    known = len(page.requests)
    page.evaluate(f"void {action}")
    return next_document(page, known)


class TestQueryEncoding:
    """URL §4.4, query state: the encoding is the document's, says HTML §2.4.2; CSS and srcdoc are another matter."""

    REFLECTED = (
        ("<a href='?ю'></a>", "href"),
        ("<area href='?ю'>", "href"),
        ("<link href='?ю'>", "href"),
        ("<img src='?ю'>", "src"),
        ("<script src='?ю'></script>", "src"),
        ("<iframe src='?ю'></iframe>", "src"),
        ("<embed src='?ю'>", "src"),
        ("<object data='?ю'></object>", "data"),
        ("<video src='?ю' poster='?ю'></video>", "src"),
        ("<video poster='?ю'></video>", "poster"),
        ("<source src='?ю'>", "src"),
        ("<track src='?ю'>", "src"),
        ("<input type=image src='?ю'>", "src"),
        ("<form action='?ю'></form>", "action"),
        ("<input formaction='?ю'>", "formAction"),
        ("<button formaction='?ю'></button>", "formAction"),
        ("<blockquote cite='?ю'></blockquote>", "cite"),
        ("<img longdesc='?ю'>", "longDesc"),
        ("<a href='ws://w.test/?ю'></a>", "href"),  # URL §4.4 has UTF-8 for ws and wss
    )

    def test_of_attributes_is_the_documents(self, browser: Chromium) -> None:
        body = "".join(f"<div>{markup}</div>" for markup, _ in self.REFLECTED)
        properties = [property_ for _, property_ in self.REFLECTED]
        script = f"{properties}.map((name, i) => document.querySelectorAll('div')[i].firstElementChild[name])"
        with opened(browser, f"<!DOCTYPE html>{body}", "windows-1251") as page:
            urls = page.evaluate(script)
        assert [url.partition("?")[2] for url in urls] == [DOCUMENT] * len(self.REFLECTED)

    def test_of_images_and_svg_is_the_documents(self, browser: Chromium) -> None:
        html = """<link rel=preload as=image imagesrcset="link?ю 1x"><img srcset="srcset?ю 1x">
            <picture><source srcset="source?ю"><img></picture><body background="body?ю">
            <table background="table?ю"><tr><td background="td?ю">x</table>
            <svg><image href="image?ю" width=5 height=5 /><image xlink:href="xlink?ю" width=5 height=5 />
            <use href="use?ю#x"/><filter id=f><feImage href="feimage?ю"/></filter><rect filter="url(#f)"/></svg>"""
        names = {"link", "srcset", "source", "body", "table", "td", "image", "xlink", "use", "feimage"}
        with opened(browser, f"<!DOCTYPE html>{html}", "windows-1251") as page:
            assert requested(page, "Image", count=len(names)) == dict.fromkeys(names, DOCUMENT)

    def test_of_hyperlinks_in_svg_is_the_documents(self, engine: Engine) -> None:
        with opened(engine, '<svg><a href="?ю"><text>x</text></a></svg>', "windows-1251") as page:
            assert navigated(page, "document.querySelector('a').dispatchEvent(new MouseEvent('click'))") == f"{URL}?%FE"

    def test_of_refresh_is_the_documents(self, browser: Chromium) -> None:
        with opened(browser, '<meta http-equiv=refresh content="0;url=x?ю">', "windows-1251") as page:
            assert next_document(page) == "http://a.test/d/x?%FE"

    def test_of_import_maps_and_modules_is_utf_8_and_a_scheme_takes_no_base(self, browser: Chromium) -> None:
        html = """<script type=importmap>{"imports":{"a":"./map?ю","b":"http:a.test/d/scheme?ю"}}</script>
            <script type=module>import "a"; import "b"; import "./module?ю"; import "http:a.test/d/import?ю"</script>"""
        names = {"map", "scheme", "module", "import"}
        with opened(browser, f"<!DOCTYPE html>{html}", "windows-1251", scripts=True) as page:
            assert requested(page, "Script", count=len(names)) == dict.fromkeys(names, UTF_8)

    def test_of_css_is_the_sheets_but_not_in_attributes_and_imports(self, browser: Chromium) -> None:
        html = """<link rel=stylesheet href="none.css"><link rel=stylesheet href="own.css">
            <style>@import "import?ю"; i { background: url("style?ю") }</style>
            <i>x</i><b>x</b><u>x</u><p style="background: url('attribute?ю')">x</p>
            <svg><rect fill="url(fill?ю#x)" width=5 height=5 /></svg>"""
        others = {
            "http://a.test/d/none.css": Response("u { background: url(undeclared?ю) }".encode("cp1251"), "text/css"),
            "http://a.test/d/own.css": Response(
                b'@charset "utf-8"; @import "own-import?\xd1\x8e"; b { background: url(declared?\xd1\x8e) }', "text/css"
            ),
        }
        with opened(browser, f"<!DOCTYPE html>{html}", "windows-1251", others) as page:
            assert requested(page, "Image", count=5) == {
                "style": DOCUMENT,
                "undeclared": DOCUMENT,
                "declared": UTF_8,
                "attribute": UTF_8,
                "fill": UTF_8,
            }
            imports = "[...document.querySelector('style').sheet.cssRules].slice(0, 1).map(r => r.styleSheet.href)"
            assert page.evaluate(imports) == [f"http://a.test/d/import?{UTF_8}"]

    def test_of_srcdoc_is_utf_8(self, engine: Engine) -> None:
        inner = "<a href=?ю></a><style>p { background: url(?ю) }</style><p>x"
        script = """(() => {
            const inner = document.querySelector("iframe").contentDocument;
            const { backgroundImage } = inner.defaultView.getComputedStyle(inner.querySelector("p"));
            return [inner.characterSet, inner.querySelector("a").search, backgroundImage];
        })()"""
        with opened(engine, f'<iframe srcdoc="{inner}"></iframe>', "windows-1251") as page:
            assert page.evaluate(script) == ["UTF-8", "?%D1%8E", f'url("{URL}?%D1%8E")']


class TestBase:
    """HTML §4.2.3, the base element."""

    @pytest.mark.parametrize(
        ("href", "base_uri"),
        [
            ("../x/", "http://a.test/x/"),
            ("", URL),
            ("#f", f"{URL}#f"),
            ("?q", f"{URL}?q"),
            ("http:x/y", "http://a.test/d/x/y"),
            (" http:\\\\b.test\\o ", "http://b.test/o"),
            ("ftp://b.test/o/", "ftp://b.test/o/"),
            ("mailto:a@b.test", "mailto:a@b.test"),
        ],
    )
    def test_only_the_first_href_counts(self, engine: Engine, href: str, base_uri: str) -> None:
        html = f'<base target=_top><base href="{href}"><base href="http://second.test/">'
        assert evaluated(engine, html, "document.baseURI") == base_uri

    @pytest.mark.parametrize("href", ["data:,x", "JavaScript:0", "java&#9;script:0"])
    def test_an_unusable_base_leaves_the_fallback(self, browser: Chromium, href: str) -> None:
        html = f'<base href="{href}"><base href="http://second.test/">'
        assert evaluated(browser, html, "document.baseURI") == URL

    @pytest.mark.parametrize("href", ["http://[", "//[", "http://b.test:99999/"])
    def test_an_unparsable_base_is_not_replaced(self, browser: Chromium, href: str) -> None:
        """The standard has the fallback base URL instead."""
        html = f'<base href="{href}"><base href="http://second.test/"><a href="x">x</a>'
        result = evaluated(browser, html, "[document.baseURI, document.links[0].href]")
        assert result == ["about:blank", "x"]

    def test_it_applies_to_earlier_links_but_not_to_earlier_loads(self, browser: Chromium) -> None:
        html = """<a href="x">x</a><p style="background: url(style)">x</p>
            <iframe srcdoc="<a href=x>x</a>"></iframe><base href="http://b.test/">"""
        script = """[document.links[0].href, getComputedStyle(document.querySelector("p")).backgroundImage,
            frames[0].document.links[0].href]"""
        expected = ["http://b.test/x", 'url("http://a.test/d/style")', "http://a.test/d/x"]
        assert evaluated(browser, html, script) == expected

    @pytest.mark.parametrize(("scripts", "base_uri"), [(False, "http://b.test/"), (True, URL)])
    def test_noscript_hides_it_if_scripts_run(self, engine: Engine, base_uri: str, *, scripts: bool) -> None:
        html = '<noscript><base href="http://b.test/"></noscript>'
        with opened(engine, html, scripts=scripts) as page:
            assert page.evaluate("document.baseURI") == base_uri

    def test_headers_and_xml_base_set_none(self, engine: Engine) -> None:
        headers = tuple((name, "http://b.test/") for name in ("Content-Location", "Content-Base", "Base", "Location"))
        main = Response(b'<svg xml:base="http://b.test/"/></svg>', "text/html", headers)
        with engine.open(URL, {URL: main}) as page:
            script = "[document.baseURI, document.querySelector('svg').baseURI]"
            assert page.evaluate(script) == [URL, URL]

    def test_xml_base_in_a_picture_sets_none(self, engine: Engine) -> None:
        svg = b'<svg xmlns="http://www.w3.org/2000/svg" xml:base="http://b.test/"><image href="a.png"/></svg>'
        with engine.open(URL, {URL: Response(svg, "image/svg+xml")}) as page:
            assert page.evaluate("document.querySelector('image').baseURI") == URL
            page.wait(lambda: len(page.requests) > 1)
            assert page.requests[1].url == "http://a.test/d/a.png"


class TestSrcdoc:
    """HTML §2.4.3: its fallback base URL is that of the document that has it."""

    SCRIPT = """[...document.querySelectorAll("iframe")].map((frame) => frame.contentDocument.baseURI)"""

    def test_its_base_is_the_containers_and_its_own_base_is_relative_to_that(self, browser: Chromium) -> None:
        html = f"""<base href="{FOREIGN}"><iframe srcdoc="x"></iframe>
            <iframe srcdoc="<base href=in/>"></iframe><iframe srcdoc="<base href=data:,x>"></iframe>"""
        assert evaluated(browser, html, self.SCRIPT) == [
            FOREIGN,
            "http://b.test/o/in/",
            FOREIGN,
        ]

    def test_they_nest(self, engine: Engine) -> None:
        html = """<base href="http://b.test/o/">
            <iframe srcdoc="<base href=in/><iframe srcdoc='&lt;base href=in2/>'></iframe>"></iframe>"""
        assert evaluated(engine, html, "frames[0].frames[0].document.baseURI") == "http://b.test/o/in/in2/"

    def test_a_fragment_leads_out_of_it_to_its_base(self, engine: Engine) -> None:
        html = f"""<base href="{FOREIGN}"><iframe srcdoc="<a href='#x'>x</a><p id=x>"></iframe>"""
        with opened(engine, html) as page:
            assert navigated(page, "frames[0].document.links[0].click()") == FOREIGN.removesuffix("#f")


class TestForeignBase:
    """Values that the base rules, or does not."""

    def test_empty_values(self, engine: Engine) -> None:
        html = f"""<base href="{FOREIGN}"><a href=""></a><form action=""><button formaction=""></button></form>
            <form></form><q cite=""></q><iframe src=""></iframe><svg></svg>"""
        script = """[document.links[0].href, document.forms[0].action, document.forms[1].action,
            document.querySelector("button").formAction, document.querySelector("q").cite, frames[0].document.URL]"""
        base = FOREIGN.removesuffix("#f")
        assert evaluated(engine, html, script) == [base, URL, URL, URL, base, "about:blank"]

    def test_empty_values_load_nothing(self, browser: Chromium) -> None:
        html = f"""<base href="{FOREIGN}"><link rel=stylesheet href=""><img src=""><video src="" poster=""></video>
            <embed src=""><object data=""></object><input type=image src=""><p style="background: url('')">x</p>
            <img src="last">"""
        with opened(browser, html) as page:
            page.wait(lambda: any(url == "http://b.test/o/last" for url, _ in page.requests))
            assert [url for url, kind in page.requests[1:] if kind != "Other"] == ["http://b.test/o/last"]

    def test_fragments_are_foreign_in_links_and_local_in_svg_and_css(self, browser: Chromium) -> None:
        html = f"""<base href="{FOREIGN}"><a href="#r"></a><area href="#r"><img src="#r">
            <style>p {{ mask: url(#r) }}</style><p></p><svg><rect id=r width=9 height=9 />
            <use href="#r"/><use xlink:href="#r"/><use href="q.html?z#r"/>
            <rect fill="url(#r)"/></svg>"""
        script = """[document.links[0].href, document.links[1].href, document.images[0].src,
            ...[...document.querySelectorAll("use")].map((use) => use.getBBox().width),
            getComputedStyle(document.querySelector("[fill]")).fill,
            getComputedStyle(document.querySelector("p")).mask]"""
        foreign = "http://b.test/o/q.html?z#r"
        expected = [foreign, foreign, foreign, 9, 9, 0, 'url("#r")', 'url("#r")']
        assert evaluated(browser, html, script) == expected

    def test_the_documents_own_url_is_as_local_as_a_fragment(self, engine: Engine) -> None:
        html = f'<base href="{FOREIGN}"><svg><rect id=r width=9 height=9 /><use href="{URL}#r"/></svg>'
        assert evaluated(engine, html, "document.querySelector('use').getBBox().width") == 9

    def test_object_codebase_is_no_base(self, browser: Chromium) -> None:
        """HTML 4.01 §13.3 says it is; HTML §4.8.7 knows no codebase."""
        html = '<object codebase="cb/" data="x"></object>'
        script = "[document.querySelector('object').data, document.querySelector('object').codeBase]"
        assert evaluated(browser, html, script) == ["http://a.test/d/x", "http://a.test/d/cb/"]

    def test_template_contents_have_no_base_until_they_are_used(self, browser: Chromium) -> None:
        html = f'<base href="{FOREIGN}"><template><a href="x"></a></template>'
        script = """(() => {
            const { content } = document.querySelector("template");
            return [content.firstChild.href, document.importNode(content, true).firstChild.href];
        })()"""
        assert evaluated(browser, html, script) == ["x", "http://b.test/o/x"]


class TestRefresh:
    """HTML §4.2.5.3, shared declarative refresh steps."""

    @pytest.mark.parametrize(
        ("html", "target"),
        [
            ('<base href="/o/"><meta http-equiv=refresh content="0;url=x">', "http://a.test/o/x"),
            ('<meta http-equiv=refresh content="0;url=x"><base href="/o/">', "http://a.test/d/x"),
            ('<meta http-equiv=refresh content="0,x y">', "http://a.test/d/x%20y"),
            ("<meta http-equiv=refresh content=\"0;url='x'y\">", "http://a.test/d/x"),
            ('<meta http-equiv=refresh content="0 url = x">', "http://a.test/d/x"),
        ],
    )
    def test_the_base_is_the_latest_base_before_it(self, engine: Engine, html: str, target: str) -> None:
        with opened(engine, html, scripts=True) as page:  # without scripts, some engines know no refresh
            assert next_document(page) == target

    def test_a_refresh_with_an_empty_url_is_a_reload(self, browser: Chromium) -> None:
        """Firefox goes to the base URL."""
        with opened(browser, '<base href="/o/"><meta http-equiv=refresh content="0;url=">') as page:
            assert next_document(page) == URL


class TestImportMap:
    """HTML §8.1.6.1: addresses, and keys that look like URLs, are parsed against the base URL of the map's moment."""

    MAP = """<script type=importmap>{"imports": {"a": "./a.js?ю", "./local.js": "/other.js"}}</script>"""
    USE = """<script type=module>import "a"</script><script type=module>import "./local.js"</script>"""

    @pytest.mark.parametrize(
        ("html", "targets"),
        [
            (f'<base href="{FOREIGN}">{MAP}{USE}', {f"http://b.test/o/a.js?{UTF_8}", "http://b.test/other.js"}),
            (f'{MAP}{USE}<base href="{FOREIGN}">', {f"http://a.test/d/a.js?{UTF_8}", "http://a.test/other.js"}),
            (f'{MAP}<base href="{FOREIGN}">{USE}', {f"http://a.test/d/a.js?{UTF_8}", "http://b.test/o/local.js"}),
        ],
    )
    def test_addresses_and_keys(self, browser: Chromium, html: str, targets: set[str]) -> None:
        with opened(browser, html, "windows-1251", scripts=True) as page:
            page.wait(lambda: len([url for url, kind in page.requests if kind == "Script"]) >= 2)
            assert {url for url, kind in page.requests if kind == "Script"} == targets


LATE = '<meta charset="windows-1251">'
SPACE = f"<!-- {'x' * 3000} -->"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (f"<head>{SPACE}{LATE}</head><a href=?q>", "windows-1251"),
        (f"<head><!-- {'x' * 200_000} -->{LATE}</head>", "windows-1251"),
        (f"<head><style>/*{SPACE}*/</style>{LATE}</head>", "windows-1251"),
        (f"<head>{SPACE}<script>'{LATE}'</script></head>", "windows-1252"),
        (f"<head></head><body>{SPACE}{LATE}", "windows-1252"),
        (f"<p>{SPACE}{LATE}", "windows-1252"),
    ],
)
def test_a_late_meta_counts_in_the_head(engine: Engine, html: str, expected: str) -> None:
    data = f"<!doctype html>{html}".encode()
    with engine.open(URL, {URL: Response(data, "text/html")}) as page:
        assert page.evaluate("document.characterSet") == expected
    assert Document(data).encoding.name == expected
