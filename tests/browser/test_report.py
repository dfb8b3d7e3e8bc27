"""The HTML report in a browser: it loads nothing and complains of nothing, and a keyboard is enough to use it."""

from __future__ import annotations

import io
import json
import runpy
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from support.browser.chromium import Chromium, Message, Page, Request, Response
from support.paths import CHECKOUT
from support.samples import AUDITS, HOSTILE, assemble, finding, many

from linkfix.auditing import Audit, Coverage, Folder
from linkfix.auditing.reporters import reporter
from linkfix.display import visible

pytestmark = pytest.mark.browser

URL = "http://report.test/audit.html"

#: key -> further parameters for DevTools
KEYS = {
    "Enter": {"windowsVirtualKeyCode": 13, "text": "\r"},
    "Escape": {"windowsVirtualKeyCode": 27},
    "ArrowLeft": {"windowsVirtualKeyCode": 37},
    "ArrowUp": {"windowsVirtualKeyCode": 38},
    "ArrowRight": {"windowsVirtualKeyCode": 39},
    "ArrowDown": {"windowsVirtualKeyCode": 40},
}
#: Events of a browser that something is wrong, or that a page asks for attention.
COMPLAINTS = {
    "Runtime.consoleAPICalled",
    "Runtime.exceptionThrown",
    "Log.entryAdded",
    "Page.javascriptDialogOpening",
    "Audits.issueAdded",
}

#: A step in the history that no person took: here the tests take them.
HARMLESS = "NavigationEntryMarkedSkippable"


class Report:
    """A report in a tab, and the browser's complaints."""

    def __init__(self, browser: Chromium, html: str, *, url: str = URL, scripts: bool = True) -> None:
        self.url = url
        self.page = Page(browser, {url: Response(html.encode("ascii"), "text/html")}, scripts=scripts)
        self.complaints: list[Message] = []
        handle = self.page._event

        def listen(message: Message) -> None:
            if message["method"] in COMPLAINTS and HARMLESS not in json.dumps(message):
                self.complaints.append(message)
            handle(message)

        browser.listen(self.page._session, listen)
        for domain in ("Runtime", "Log", "Audits"):
            self.page.command(f"{domain}.enable")
        self.page.command("Emulation.setFocusEmulationEnabled", enabled=True)

    def load(self, fragment: str = "") -> None:
        self.page.load(self.url + fragment)

    def ask(self, expression: str) -> object:
        return self.page.evaluate(expression)

    def press(self, *keys: str) -> None:
        for key in keys:
            detail = KEYS.get(key, {"text": key})
            self.page.command("Input.dispatchKeyEvent", type="keyDown", key=key, **detail)
            self.page.command("Input.dispatchKeyEvent", type="keyUp", key=key)

    def choose(self, name: str, value: str) -> None:
        control = f"document.getElementById({json.dumps(name)})"
        self.ask(f"{control}.value = {json.dumps(value)}; {control}.dispatchEvent(new Event('change'))")

    def until(self, expression: str) -> None:
        """Wait for the reaction to a moment's typing."""
        assert self.ask(
            "new Promise((resolve) => { const end = Date.now() + 10000; const look = () => "
            f"({expression}) ? resolve(true) : Date.now() > end ? resolve(false) : setTimeout(look, 10); look(); }})"
        ), expression

    @property
    def status(self) -> object:
        return self.ask("document.getElementById('status').textContent")

    @property
    def fragment(self) -> object:
        return self.ask("location.hash")

    @property
    def focused(self) -> object:
        return self.ask("document.activeElement.textContent")

    def texts(self, selector: str) -> object:
        return self.ask(f"[...document.querySelectorAll({json.dumps(selector)})].map((one) => one.textContent)")

    def count(self, selector: str) -> int:
        number = self.ask(f"document.querySelectorAll({json.dumps(selector)}).length")
        assert isinstance(number, int)
        return number


def html_of(audit: Audit) -> str:
    out = io.StringIO()
    reporter("html")(audit, out)
    return out.getvalue()


@contextmanager
def opened(browser: Chromium, audit: Audit, fragment: str = "") -> Iterator[Report]:
    """A loaded report without complaints in the end."""
    report = Report(browser, html_of(audit))
    with report.page:
        report.load(fragment)
        yield report
        report.ask("new Promise(requestAnimationFrame)")
        assert report.complaints == []
        assert report.page.requests == [Request(URL, "Document")]


def one_cause(number: int) -> Audit:
    return assemble(
        *(finding("LF101", f"p{one // 100}.html", one % 100 + 1, 1, "x", cause="x") for one in range(number))
    )


def tree(number: int) -> Audit:
    """A tree of that many folders in three layers, one in seven of them with broken references."""
    folders = {
        f"part {one % 9}/section {one % 113}/{one}": Folder(1 + 400 // (1 + one), 20, Counter(error=5 * (one % 7 == 0)))
        for one in range(number)
    }
    return assemble(finding("LF101", "part 0/section 0/0/a.html", 1, 1, "x"), folders=folders)


@pytest.mark.parametrize("name", AUDITS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1400])
def test_loads_without_a_complaint_and_fits(browser, name, scheme, width):
    report = Report(browser, html_of(AUDITS[name]))
    with report.page:
        report.page.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False
        )
        report.page.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        report.load()
        assert report.ask("document.documentElement.scrollWidth") <= width
        ground = report.ask("getComputedStyle(document.body).backgroundColor")
        assert ground == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 29)"}[scheme]
        assert report.count("#list > ol > li") == len(AUDITS[name].causes)
        assert report.count("#static") == (not AUDITS[name].findings)
        assert report.complaints == []
        assert report.page.requests == [Request(URL, "Document")]


def test_the_policy_blocks_a_changed_script_and_the_report_stays_readable(browser):
    report = Report(browser, html_of(AUDITS["ordinary"]).replace("const CHUNK = 50;", "const CHUNK = 51;"))
    with report.page:
        report.load()
        assert report.count("#static table") == 2
        assert report.ask("document.getElementById('filters').hidden")
        assert any("Content Security Policy" in json.dumps(complaint) for complaint in report.complaints)


def test_without_scripts_the_tables_are_there_and_the_controls_are_not(browser):
    report = Report(browser, html_of(AUDITS["ordinary"]), scripts=False)
    with report.page:
        report.load()
        seen = report.ask("document.body.innerText")
        for text in (
            "11 errors",
            "no such file in the tree: img/logo.png",
            "guide/01.html:3:12",
            "bad.html",
            "not text",
        ):
            assert text in seen
        for text in ("Group by", "Area by", "Unfold all"):
            assert text not in seen


@pytest.mark.parametrize("text", HOSTILE)
def test_text_never_becomes_structure(browser, text):
    def shape(one: str) -> object:
        audit = assemble(
            finding("LF101", one, 1, 2, one, message=one, target=one, excerpt=f"[{one}]", element=one, cause=one),
            root=one,
            folders={one.replace("/", ""): Folder(1, 1, Counter(error=1))},
            coverage=Coverage(1, 1, 1, 1, 1, Counter({one: 1}), {one: one}),
        )
        with opened(browser, audit) as report:
            assert visible(one) in str(report.ask("document.querySelector('.finding').textContent"))
            return report.ask(
                "[...document.querySelectorAll('*')].map((one) => one.localName + ' ' + one.getAttributeNames().sort())"
            )

    assert shape(text) == shape("x y z")


def test_a_target_is_never_a_link(browser):
    target = "javascript:alert(1)"
    with opened(browser, assemble(finding("LF101", "a.html", 1, 1, target, target=target))) as report:
        assert target in str(report.texts(".finding"))
        assert report.ask(
            "[...document.querySelectorAll('[href]')].every((one) => one.getAttribute('href')[0] === '#')"
        )


def test_causes_come_first_and_unfold_to_their_findings(browser):
    with opened(browser, AUDITS["ordinary"]) as report:
        assert report.status == "15 of 15 findings, 7 causes"
        first = "errorno such file in the tree: img/logo.pngLF101 missing-target, 8 references in 8 files"
        assert str(report.texts("summary")).replace(" ", "").count(first.replace(" ", "")) == 1
        assert report.ask("document.querySelector('#list details').open")
        found = report.texts("#list li:first-child .finding:first-child > *")
        assert found == [
            "error guide/01.html:3:12 img src",
            '<a href="../img/logo.png">',
            "Target: https://example.com/docs/img/logo.png",
            "Fix: did you mean ../img/Logo.png? \u2192 ../img/Logo.png",
        ]
        assert report.texts("#list li:first-child .finding:first-child mark") == ["../img/logo.png"]


def test_search_by_keyboard(browser):
    with opened(browser, AUDITS["ordinary"]) as report:
        report.press("/")
        assert report.ask("document.activeElement.id") == "search"
        report.press(*"INDEX none")
        report.until("document.getElementById('status').textContent.startsWith('2 of 15')")
        assert report.fragment == "#q=INDEX+none"
        report.press("Enter")
        assert "guide/01.html#none" in str(report.focused)
        report.press("Escape")
        assert report.status == "15 of 15 findings, 7 causes"
        assert report.fragment == ""


def test_moving_and_folding_by_keyboard(browser):
    with opened(browser, AUDITS["ordinary"]) as report:
        report.press("j")
        assert "img/logo.png" in str(report.focused)
        report.press("j")
        assert "guide/01.html:3:12" in str(report.focused)
        report.press("ArrowDown", "k")
        assert "guide/01.html:3:12" in str(report.focused)
        assert report.ask("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        report.press("Enter")
        assert report.ask("document.activeElement.localName") == "summary"
        assert not report.ask("document.querySelector('#list details').open")
        report.press("ArrowRight")
        assert report.ask("document.querySelector('#list details').open")
        report.press("ArrowLeft", "j", "Enter")
        assert not report.ask("document.activeElement.parentElement.open")
        report.press("Enter")
        assert report.ask("document.activeElement.parentElement.open")
        report.press("j")
        assert "finding" in str(report.ask("document.activeElement.className"))


def test_single_letter_keys_can_be_disabled(browser):
    with opened(browser, AUDITS["ordinary"]) as report:
        report.ask("document.getElementById('keys').click()")
        report.press("j", "k", "/")
        assert report.ask("document.activeElement === document.body")
        report.ask("document.querySelector('#list summary').focus()")
        report.press("ArrowDown")
        assert "guide/01.html:3:12" in str(report.focused)


@pytest.mark.parametrize(
    ("name", "value", "status", "fragment"),
    [
        ("rule", "LF102", "2 of 15 findings, 1 cause", "#rule=LF102"),
        ("folder", "guide", "8 of 15 findings, 1 cause", "#folder=guide"),
        ("folder", "\u00fcber uns", "1 of 15 findings, 1 cause", "#folder=%C3%BCber+uns"),
        ("by", "page", "15 of 15 findings, 11 pages", "#by=page"),
        ("size", "links", "15 of 15 findings, 7 causes", "#size=links"),
    ],
)
def test_a_view_can_be_chosen_shared_and_undone(browser, name, value, status, fragment):
    with opened(browser, AUDITS["ordinary"]) as report:
        report.choose(name, value)
        assert (report.status, report.fragment) == (status, fragment)
        report.ask("history.back()")
        report.until("location.hash === ''")
        report.until("document.getElementById('status').textContent === '15 of 15 findings, 7 causes'")
    with opened(browser, AUDITS["ordinary"], fragment) as report:
        assert report.status == status
        assert report.ask(f"document.getElementById('{name}').value") == value


def test_levels_can_be_chosen(browser):
    with opened(browser, AUDITS["ordinary"]) as report:
        boxes = "document.querySelectorAll('#levels input')"
        report.ask(f"{boxes}[0].click()")
        assert (report.status, report.fragment) == ("4 of 15 findings, 3 causes", "#level=warning%2Cnote")
        report.ask(f"{boxes}[1].click(); {boxes}[2].click()")
        assert (report.status, report.fragment) == ("0 of 15 findings, 0 causes", "#level=none")
        report.ask("document.getElementById('clear').click()")
        assert (report.status, report.fragment) == ("15 of 15 findings, 7 causes", "")
    with opened(browser, AUDITS["ordinary"], "#level=note&q=url") as report:
        assert report.status == "1 of 15 findings, 1 cause"
        assert report.ask("[...document.querySelectorAll('#levels input')].map((one) => one.checked)") == [
            False,
            False,
            True,
        ]
        report.press("Escape")
        assert report.fragment == "#level=note"
        report.press("Escape")
        assert report.fragment == ""


@pytest.mark.parametrize("fragment", ["#level=x&rule=x&folder=x&by=x&size=x&other=x", "#%", "#=&&=", "#rule-x"])
def test_an_unknown_fragment_changes_nothing(browser, fragment):
    with opened(browser, AUDITS["ordinary"], fragment) as report:
        assert report.status == "15 of 15 findings, 7 causes"


def test_a_link_to_a_rule_opens_it(browser):
    with opened(browser, AUDITS["ordinary"], "#rule-LF102") as report:
        assert report.ask("document.getElementById('rule-LF102').open")
        report.ask("document.querySelector('#list a').click()")
        report.until("document.getElementById('rule-LF101').open")
        assert "LF101" in str(report.focused)


def test_the_picture_is_used_by_keyboard(browser):
    with opened(browser, AUDITS["ordinary"]) as report:
        assert sorted(report.texts("#map button span:first-child")) == ["(pages here)", "guide/", "\u00fcber uns/"]
        assert report.ask("document.querySelectorAll('#map [tabindex=\"0\"]').length") == 1
        report.ask("document.querySelector('#map [tabindex=\"0\"]').focus()")
        report.press("ArrowRight", "ArrowLeft")
        assert report.ask("document.activeElement.getAttribute('aria-label')") == (
            "guide: 8 pages, 80 references, 8 errors (10.0 %), 0 warnings, 0 notes"
        )
        assert "share-3" in str(report.ask("document.activeElement.className"))
        report.press("Enter")
        assert (report.status, report.fragment) == ("8 of 15 findings, 1 cause", "#folder=guide")
        assert report.ask("document.activeElement.getAttribute('aria-current')") == "true"
        assert report.texts("#trail > *") == ["all", "guide"]
        report.ask("document.querySelector('#trail button').focus()")
        report.press("Enter")
        assert report.fragment == ""


def test_it_works_from_a_disk(browser):
    report = Report(browser, html_of(AUDITS["ordinary"]), url="file:///a%20b/audit.html")
    with report.page:
        report.load("#folder=guide")
        report.choose("rule", "LF101")
        assert (report.status, report.fragment) == ("8 of 15 findings, 1 cause", "#rule=LF101&folder=guide")
        assert report.complaints == []


def test_a_big_tree_is_put_together(browser):
    with opened(browser, tree(2000)) as report:
        assert 9 <= report.count("#map button") < 1200
        assert report.count("#folder option") > 2000
        boxes = (
            "(() => { const map = document.getElementById('map').getBoundingClientRect();"
            " return [...document.querySelectorAll('#map button')].map((one) => one.getBoundingClientRect())"
            ".every((one) => one.width > 0 && one.left >= map.left - 1 && one.right <= map.right + 1"
            " && one.top >= map.top - 1 && one.bottom <= map.bottom + 1); })()"
        )
        assert report.ask(boxes)
        report.choose("folder", "part 0/section 0")
        assert report.status == "1 of 1 finding, 1 cause"
        assert report.texts("#trail > *") == ["all", "part 0", "section 0"]


def test_a_folder_without_references_looks_like_none(browser):
    audit = assemble(folders={"a": Folder(1, 0), "b": Folder(1, 1)}, coverage=Coverage(2, 2, 2, 1, 1))
    with opened(browser, audit) as report:
        assert sorted(report.ask("[...document.querySelectorAll('#map button')].map((one) => one.className)")) == [
            "share-0",
            "share-none",
        ]


@pytest.mark.parametrize("make", [many, one_cause])
def test_ten_thousand_findings_do_not_freeze_it(browser, make):
    with opened(browser, make(10_000)) as report:
        assert report.status.startswith("10,000 of 10,000")
        assert report.count("*") < 4000
        timing = "performance.getEntriesByType('navigation')[0]"
        assert report.ask(f"{timing}.domContentLoadedEventEnd - {timing}.responseEnd") < 5000
        spent = report.ask(
            "(() => { const start = performance.now(); const rule = document.getElementById('rule');"
            " rule.value = 'LF101'; rule.dispatchEvent(new Event('change'));"
            " document.body.offsetHeight; return performance.now() - start; })()"
        )
        assert spent < 1000
        report.press("/", *"p12.html")
        report.until("!document.getElementById('status').textContent.startsWith('10,000')")
        report.until("location.hash.includes('p12.html')")
        assert report.count("*") < 4000


def test_more_findings_are_shown_on_request(browser):
    with opened(browser, one_cause(120)) as report:
        assert report.count(".finding") == 50
        assert report.texts(".more button") == ["Show 50 more (70 findings left)"]
        report.ask("document.querySelector('.more button').click()")
        assert report.count(".finding") == 100
        assert report.ask("document.activeElement === document.querySelectorAll('.finding')[50]")
        report.ask("document.querySelectorAll('.finding')[99].focus()")
        report.press("j")
        assert report.count(".finding") == 120
        assert report.count(".more") == 0
        assert report.ask("document.activeElement === document.querySelectorAll('.finding')[100]")


def test_all_can_be_unfolded_and_folded(browser):
    with opened(browser, many(300)) as report:
        report.ask("document.getElementById('unfold').click()")
        report.until("document.querySelectorAll('#list details:not([open])').length === 0")
        report.until("document.querySelectorAll('#list details:not(:has(.finding))').length === 0")
        report.ask("document.getElementById('fold').click()")
        assert report.count("#list details[open]") == 0


def test_assistive_technology_finds_its_way(browser):
    with opened(browser, AUDITS["ordinary"]) as report:
        report.page.command("Accessibility.enable")
        nodes = [
            (node["role"]["value"], node.get("name", {}).get("value", ""))
            for node in report.page.command("Accessibility.getFullAXTree")["nodes"]
            if not node["ignored"]
        ]
        assert {"banner", "main", "contentinfo", "search", "navigation", "status"} <= {role for role, _ in nodes}
        controls = [(role, name) for role, name in nodes if role in {"button", "combobox", "searchbox", "checkbox"}]
        assert len(controls) > 10
        assert all(name.strip() for _, name in controls)
        assert ("searchbox", "Search") in nodes
        assert ("region", "Findings by cause") in nodes


PICTURES = runpy.run_path(str(CHECKOUT / "docs" / "pictures.py"))


@pytest.mark.parametrize(("name", "scheme"), PICTURES["REPORTS"].items())
def test_the_pictures_in_the_documents_have_the_text_of_the_report(browser, name, scheme):
    """If the report has changed: python docs/pictures.py --report"""
    photograph, text_of = PICTURES["photograph"], PICTURES["text_of"]
    assert text_of((PICTURES["FOLDER"] / name).read_bytes()) == text_of(photograph(browser, scheme))
