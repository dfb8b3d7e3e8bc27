"""The hook of Playwright, with a real Chromium: linkfix and the page's own properties agree on each URL."""

from __future__ import annotations

import asyncio
import threading
from functools import partial

import pytest
from support.browser.engines import require_chromium
from support.extras import missing
from support.scraped_site import PAGES, REDIRECTED, START, targets

pytest.importorskip("playwright", reason=missing("playwright"))

from playwright import async_api, sync_api

import linkfix
import linkfix.hooks.playwright as hook
from linkfix import Layer

pytestmark = pytest.mark.browser

HTML = {"Content-Type": "text/html; charset=utf-8"}
HOST = "http://pages.test"
#: The target of each link, as the browser's own properties state it, in document order.
ORACLE = """() => {
    const properties = {A: "href", AREA: "href", LINK: "href", IMG: "src", IFRAME: "src", FORM: "action"};
    return Array.from(document.querySelectorAll("a[href], area, link, img, iframe[src], form[action]"))
        .map(element => [element.localName, element[properties[element.tagName.toUpperCase()]]]);
}"""
COMPARED = {("a", "href"), ("area", "href"), ("link", "href"), ("img", "src"), ("iframe", "src"), ("form", "action")}


def launched(playwright):
    return playwright.chromium.launch(executable_path=require_chromium(), args=["--no-sandbox"])


@pytest.fixture(scope="module", autouse=True)
def _executable():
    require_chromium()


@pytest.fixture(scope="module")
def browser(_executable):
    with sync_api.sync_playwright() as playwright:
        running = launched(playwright)
        yield running
        running.close()


@pytest.fixture(scope="module")
def tab(browser):
    with browser.new_page() as page:
        yield page


@pytest.fixture(scope="module")
def tab_without_scripts(browser):
    with browser.new_page(java_script_enabled=False) as page:
        yield page


def show(page, html, path="/dir/page", headers=HTML, others=None):
    """Has a page show `html` at `HOST`; its other requests are answered from `others`."""
    answers = {HOST + path: (html, headers), **{url: (other, HTML) for url, other in (others or {}).items()}}

    def answer(route):
        body, fields = answers.get(route.request.url, ("<!DOCTYPE html>", HTML))
        route.fulfill(body=body, headers=fields)

    page.unroute_all()
    page.route("**", answer)
    page.goto(HOST + path)
    return page


@pytest.fixture
def visit(tab):
    """`visit(html, …)`: the tab, which shows that. See `show`."""
    yield partial(show, tab)
    tab.unroute_all()


def compared(content):
    """linkfix's targets for the links of `ORACLE`. The property of an unresolvable link is its reference."""
    links = (link for link in content.links if (link.element, link.attribute) in COMPARED)
    return [[link.element, link.target or link.reference] for link in links]


def codes(content):
    return [problem.code for problem in content.problems]


def base_uri(frame):
    return frame.evaluate("document.baseURI")


def read_again(content):
    """The targets of the result, somewhere else."""
    return targets(linkfix.links(content.html, "http://elsewhere.example/", charset=content.encoding))


# A 20 MB page takes Chromium longer than all the others.
@pytest.mark.parametrize("path", [path for path, entry in PAGES.items() if entry.html and path != "/huge/page"])
def test_targets_are_the_browsers(site, tab, path):
    tab.goto(site.url + path)
    content = hook.absolutize(tab)
    expected = PAGES[path].absolute_targets(site.url)
    assert targets(content.links) == expected
    assert compared(content) == tab.evaluate(ORACLE)
    assert content.base.url == base_uri(tab)
    assert "sources-disagree" not in codes(content)
    again = [
        target.replace("http://elsewhere.example/#", site.url + path + "#") for target in read_again(content) if target
    ]
    assert again == [target for target in expected if target]


def test_redirects(site, tab):
    tab.goto(site.url + START)
    content = hook.absolutize(tab)
    assert content.url == site.url + REDIRECTED
    assert targets(content.links) == PAGES[REDIRECTED].absolute_targets(site.url)


@pytest.mark.parametrize("path", ["/json/page", "/text/page"])
def test_other_media_types_stay(site, tab, path):
    tab.goto(site.url + path)
    content = hook.absolutize(tab, media_types={"image/svg+xml"})
    assert (content.html, content.links, content.base, content.encoding) == (tab.content(), [], None, None)


def test_media_types(visit):
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><a href="x"/></svg>'
    page = visit(svg, headers={"Content-Type": "image/svg+xml"})
    assert hook.absolutize(page).html == page.content() == svg
    assert hook.absolutize(page, media_types={"image/svg+xml"}).html == svg.replace('"x"', f'"{HOST}/dir/x"')


def test_a_page_without_relative_links_is_its_content(visit):
    page = visit(
        "<!DOCTYPE html PUBLIC '-//W3C//DTD HTML 4.01//EN'><p>&eacute;<a href=#x>x</a><a href='http://h/'>h</a>"
    )
    content = hook.absolutize(page)
    assert content.html == page.content()
    assert content.rewritten == 0


def test_content_made_by_scripts(visit):
    page = visit("<p id=p></p><script>p.innerHTML = '<a href=made>'; document.title = 't'</script>")
    content = hook.absolutize(page)
    assert f'<a href="{HOST}/dir/made">' in content.html
    assert content.rewritten == 1
    assert page.get_attribute("a", "href") == "made"


def test_names_in_the_way(visit):
    """A form's name hides the document's property of that name."""
    names = ("URL", "baseURI", "characterSet", "contentType", "documentElement", "doctype")
    page = visit("".join(f"<form name={name}></form>" for name in names) + "<a href=x>")
    assert page.evaluate("document.baseURI instanceof HTMLFormElement")
    assert compared(hook.absolutize(page))[-1] == ["a", f"{HOST}/dir/x"]


FRAMES = """<base href="/b/"><meta charset=windows-1251><a href=1></a>
<iframe srcdoc="<a href=2></a><a href='?ж'></a><a href='#x'></a><iframe srcdoc='<a href=3>'></iframe>"></iframe>
<iframe srcdoc="<base href=c/><a href=4>" sandbox></iframe>
<iframe id=filled></iframe><iframe id=written></iframe><iframe src="javascript:'<a href=6>'"></iframe>
<iframe src="http://other.test/d/"></iframe>
<iframe src="data:text/html,<a href=8>"></iframe><iframe id=blob></iframe>
<iframe src="data:text/html,<base href='http://other.test/e/'><a href=9>"></iframe>
<script>
    filled.contentDocument.body.innerHTML = "<a href=5>";
    written.contentDocument.write("<a href=10>");
    written.contentDocument.close();
    blob.src = URL.createObjectURL(new Blob(["<a href=8>"], {type: "text/html"}));
</script>"""


@pytest.fixture(scope="module")
def framed(browser):
    others = {"http://other.test/d/": "<a href=7>"}
    with browser.new_page() as page:
        show(page, FRAMES.encode("cp1251"), headers={"Content-Type": "text/html"}, others=others)
        for frame in page.frames:
            frame.wait_for_selector("a", state="attached")
        yield page


def test_frames(framed):
    """For each frame, every `a.href` and the base: frames that inherit it, and frames with their own."""
    contents = hook.frames(framed, srcdoc_depth=0)
    assert list(contents) == framed.frames
    assert len(contents) == 11
    for frame, content in contents.items():
        oracle = frame.evaluate("Array.from(document.links, link => link.href)")
        assert [link.target or link.reference for link in content.links if link.element == "a"] == oracle
        assert content.base.url == (base_uri(frame) if base_uri(frame).startswith("http") else None)
        assert "sources-disagree" not in codes(content)
    layers = {content.links[-1].reference: content.base.layer for content in contents.values()}
    assert layers["3"] == layers["5"] == layers["6"] == Layer.ENCAPSULATING
    assert layers["4"] == layers["9"] == Layer.EMBEDDED
    assert layers["7"] == Layer.RETRIEVAL
    assert layers["8"] == Layer.NONE


def test_a_single_frame_equals_the_frame_in_its_page(framed):
    for frame, content in hook.frames(framed).items():
        alone = hook.absolutize(frame)
        assert (alone.html, alone.links, alone.base) == (content.html, content.links, content.base)


def test_the_base_of_a_frame_is_explained(framed):
    deepest = hook.absolutize(framed.frames[1].child_frames[0])
    where = "document.baseURI of the parent frame"
    assert str(deepest.base).splitlines() == [
        f"{HOST}/b/  [encapsulating: {where}]",
        f"  not '{HOST}/b/'  [encapsulating: {where}]: {where} comes first",
        f"  not '{HOST}/dir/page'  [retrieval: document.URL]: the about base URL comes first",
        "  not 'about:srcdoc'  [retrieval: document.URL]: references cannot be relative to it",
        "  not 'about:srcdoc'  [retrieval: document.URL]: references cannot be relative to it",
    ]


def test_a_srcdoc_frame_is_as_in_the_page_around(framed):
    """`#x` too, which leads to the base of the page around."""
    around, inner = list(hook.frames(framed).values())[:2]
    assert f'<a href="{HOST}/b/#x">' in inner.html
    assert [link.target for link in inner.links] == [link.target for link in around.links[2 : 2 + len(inner.links)]]


DISAGREEMENTS = {
    "policy": (
        "<base href=/b/>",
        {**HTML, "Content-Security-Policy": "base-uri 'none'; script-src 'none'; require-trusted-types-for 'script'"},
        f"{HOST}/dir/page",
    ),
    "address": ("<base href=./b/><script>history.pushState(0, '', '/new/address')</script>", HTML, f"{HOST}/dir/b/"),
    "in-svg": (
        "<svg id=svg></svg><script>svg.append(Object.assign(document.createElement('base'), {href: '/b/'}))</script>",
        HTML,
        f"{HOST}/b/",
    ),
}


@pytest.mark.parametrize("case", DISAGREEMENTS)
def test_the_browsers_base_is_used(visit, caplog, case):
    markup, headers, base = DISAGREEMENTS[case]
    page = visit(f"{markup}<a href=x></a><a href=#y></a>", headers=headers)
    content = hook.absolutize(page)
    assert content.base.url == base_uri(page) == base
    assert compared(content) == page.evaluate(ORACLE)
    assert read_again(content) == targets(content.links)
    assert codes(content) == ["sources-disagree"]
    assert repr(base) in content.problems[0].message
    assert "document.baseURI is different" in str(content.base)
    assert [record.name for record in caplog.records if "[sources-disagree]" in record.message] == ["linkfix.hooks"]


def test_a_policy_in_a_meta_is_known(visit):
    policy = """<meta http-equiv=Content-Security-Policy content="base-uri 'none'">"""
    page = visit(f"{policy}<base href=/b/><a href=x></a><a href=#y></a>")
    content = hook.absolutize(page)
    assert content.base.url == base_uri(page) == f"{HOST}/dir/page"
    assert compared(content) == page.evaluate(ORACLE)
    assert codes(content) == ["base-blocked"]


def test_the_base_of_a_frame_is_of_when_it_was_made(visit):
    """HTML §2.4.3: the "about base URL" of a srcdoc document is a snapshot."""
    page = visit("<base id=base href=/b/><iframe srcdoc='<a href=x>'></iframe>")
    page.evaluate("base.href = '/c/'")
    around, inner = hook.frames(page).values()
    assert (around.base.url, inner.base.url) == (f"{HOST}/c/", f"{HOST}/b/")
    assert (inner.base.layer, codes(inner)) == (Layer.ENCAPSULATING, ["sources-disagree"])
    assert inner.links[0].target == page.frames[1].evaluate("document.links[0].href") == f"{HOST}/b/x"


NOSCRIPT = "<noscript><base href=/b/><a href=x></a></noscript><a href=x>"


def test_without_scripts_noscript_is_markup(tab_without_scripts):
    page = show(tab_without_scripts, NOSCRIPT)
    content = hook.absolutize(page)
    assert content.base.url == base_uri(page) == f"{HOST}/b/"
    assert codes(content) == []


@pytest.mark.parametrize("policy", ["", "require-trusted-types-for 'script'"])
def test_with_scripts_noscript_is_text(visit, policy):
    page = visit(NOSCRIPT, headers={**HTML, "Content-Security-Policy": policy} if policy else HTML)
    content = hook.absolutize(page)
    assert content.base.url == base_uri(page) == f"{HOST}/dir/page"
    assert [link.target for link in content.links if link.role != "base"] == [f"{HOST}/dir/x"] * 2
    assert content.html.count(f"{HOST}/dir/x") == 2
    assert codes(content) == []


def test_the_argument_states_whether_scripts_are_on(visit):
    content = hook.absolutize(visit(NOSCRIPT), scripting="off")
    assert content.base.url == f"{HOST}/dir/page"
    assert codes(content) == ["sources-disagree"]


def test_another_specification_has_its_own_base(visit):
    """RFC 1808 §10: a BASE is absolute."""
    content = hook.absolutize(visit("<base href=b/><a href=x>"), spec="rfc1808")
    assert content.links[-1].target == f"{HOST}/dir/x"
    assert "sources-disagree" not in codes(content)


def test_a_window_has_the_base_of_its_opener(visit):
    page = visit("<base href=/b/>")
    with page.expect_popup() as opened:
        page.evaluate("void window.open('about:blank').document.body.insertAdjacentHTML('beforeend', '<a href=x>')")
    content = hook.absolutize(opened.value)
    assert (content.base.url, content.base.layer) == (base_uri(opened.value), Layer.ENCAPSULATING)
    assert compared(content) == opened.value.evaluate(ORACLE) == [["a", f"{HOST}/b/x"]]
    assert codes(content) == []


def test_a_page_without_a_url(visit):
    page = visit("")
    page.goto("about:blank")
    page.set_content("<a href=x>")
    assert codes(hook.absolutize(page)) == ["no-base"]
    content = hook.absolutize(page, default_base="http://h/a/")
    assert (content.links[0].target, content.base.layer) == ("http://h/a/x", Layer.DEFAULT)


def test_a_url_as_long_as_its_document(visit, caplog):
    page = visit("")
    page.goto(f"data:text/html,<a href=x>{'x' * 5000}")
    assert codes(hook.absolutize(page)) == ["no-base"]
    assert len(caplog.messages[0]) < 400


def test_unknown_encodings(visit):
    """Their names are labels; nothing is written in them (Encoding §4.3: UTF-8 instead)."""
    page = visit("<a href=?x>", headers={"Content-Type": "text/html; charset=hz-gb-2312"})
    assert hook.absolutize(page).encoding == "replacement"
    page.evaluate("document.body.innerHTML = '<a href=?é>'")
    assert compared(hook.absolutize(page)) == page.evaluate(ORACLE) == [["a", f"{HOST}/dir/page?%C3%A9"]]


def test_a_frame_without_a_document(tab_without_scripts, monkeypatch):
    """It never gets a document, and `frame.content()` would wait for one without end."""
    page = show(tab_without_scripts, """<iframe src="javascript:'<a href=x>'"></iframe>""")
    frame = page.frames[1]
    assert frame.url == ""
    monkeypatch.setattr(hook, "_PATIENCE", 200)
    assert list(hook.frames(page)) == [page.main_frame]
    with pytest.raises(sync_api.TimeoutError):
        hook.absolutize(frame)


def test_a_frame_that_disappears_is_skipped(visit):
    page = visit(
        """<!DOCTYPE html><iframe id=frame srcdoc="<a href=x>"></iframe><iframe srcdoc="<a href=y>"></iframe><script>
        XMLSerializer.prototype.serializeToString = () => (document.getElementById("frame")?.remove(), "");
        </script>"""
    )
    gone = page.frames[1]
    contents = hook.frames(page)
    assert gone.is_detached()
    assert [content.links[-1].target for content in contents.values()] == [f"{HOST}/dir/y", f"{HOST}/dir/y"]
    with pytest.raises(sync_api.Error, match="detached"):
        hook.absolutize(gone)


def test_a_closed_page_is_playwrights_error(browser):
    page = browser.new_page()
    page.close()
    for function in (hook.absolutize, hook.frames):
        with pytest.raises(sync_api.Error, match="closed"):
            function(page)


def test_options(visit):
    page = visit("<base href=/b/><a href=x></a><a data-src=y></a>")
    content = hook.absolutize(page, lazy=True, base_element="remove")
    assert "<base" not in content.html
    assert f'data-src="{HOST}/b/y"' in content.html


def test_mistakes_of_the_caller(tab):
    with pytest.raises(linkfix.UnknownSpec):
        hook.absolutize(tab, spec="none")
    with pytest.raises(linkfix.InvalidBase):
        hook.frames(tab, default_base="x")
    with pytest.raises(TypeError, match="bas"):
        hook.absolutize(tab, bas="x")


def test_the_limit(visit, caplog):
    page = visit("<a href=x>")
    size = len(page.content())
    assert hook.absolutize(page, max_size=size).left_alone == ""
    content = hook.absolutize(page, max_size=size - 1)
    assert (content.html, content.left_alone, codes(content)) == (page.content(), "too-large", ["too-large"])
    assert "[too-large]" in caplog.text


def test_a_fault_of_linkfix_harms_no_crawl(visit, caplog, monkeypatch):
    def fail(*_, **__):
        message = "a fault"
        raise RuntimeError(message)

    page = visit("<a href=x>")
    monkeypatch.setattr(hook, "Document", fail)
    content = hook.absolutize(page)
    assert (content.html, content.links, content.left_alone) == (page.content(), [], "hook-failed")
    assert "a fault" in caplog.text


def test_the_body_of_a_response_is_in_utf_8(site, tab):
    """Why the hook reads the page, and no response: the Content-Type still says windows-1251."""
    response = tab.goto(site.url + "/windows-1251/header")
    assert response.headers["content-type"] == "text/html; charset=windows-1251"
    assert "?q=поиск".encode() in response.body()


def test_async(site):
    """In a thread: the other API runs a loop in the main thread."""
    found = {}

    async def crawl():
        async with async_api.async_playwright() as playwright:
            browser = await launched(playwright)
            page = await browser.new_page()
            await page.goto(site.url + "/windows-1251/header")
            await page.evaluate("document.body.insertAdjacentHTML('beforeend', '<iframe srcdoc=\"<a href=y>\">')")
            found["page"] = await hook.absolutize_async(page)
            found["frame"] = await hook.absolutize_async(page.frames[1])
            found["frames"] = await hook.frames_async(page)
            found["same"] = list(found["frames"]) == page.frames
            found["mistakes"] = []
            for function in (hook.absolutize, hook.frames):
                try:
                    function(page)
                except TypeError as error:
                    found["mistakes"].append(str(error))
            await page.close()
            try:
                await hook.frames_async(page)
            except async_api.Error as error:
                found["error"] = error
            await browser.close()

    thread = threading.Thread(target=asyncio.run, args=[crawl()])
    thread.start()
    thread.join()
    page, frame = found["frames"].values()
    assert found["same"]
    assert found["page"].html == page.html
    assert found["frame"].html == frame.html
    entry = PAGES["/windows-1251/header"]
    assert targets(page.links) == [*entry.absolute_targets(site.url), f"{site.url}/windows-1251/y"]
    assert targets(frame.links) == [f"{site.url}/windows-1251/y"]
    assert "closed" in str(found["error"])
    assert [message.rpartition(": use ")[2] for message in found["mistakes"]] == [
        "await linkfix.hooks.playwright.absolutize_async()",
        "await linkfix.hooks.playwright.frames_async()",
    ]


@pytest.mark.parametrize("function", ["absolutize", "frames"])
def test_other_objects_than_pages_are_refused(tab, function):
    for wrong in ("http://h/", None, type(tab)):
        with pytest.raises(TypeError, match=rf"^linkfix.hooks.playwright.{function}\(\) takes a Page.* not "):
            getattr(hook, function)(wrong)
    with pytest.raises(TypeError, match=rf"API, not playwright.*Page: use linkfix.hooks.playwright.{function}\(\)$"):
        getattr(hook, f"{function}_async")(tab).send(None)
