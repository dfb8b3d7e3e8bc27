from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.audit_example import BASE, FILES, PAGE
from support.each import for_each
from support.growth import processor_limit
from support.host_rules import host_of

from linkfix import Document
from linkfix.auditing import DestinationKind, FindingLevel, Site
from linkfix.auditing.interpretation import _MISSPELLED, _is_file, destination_of, is_known_scheme
from linkfix.auditing.rule import AuditedLink, AuditedPage
from linkfix.auditing.rules import rules
from linkfix.resolvers import RESOLVERS
from linkfix.schemes import search
from linkfix.schemes.uses import UNREGISTERED, WITHOUT_HIERARCHY

#: The rules that check a reference as it is written. The others (LF1xx) check its target.
NAMES = """
    no_base unresolvable same_scheme_relative colon_in_first_segment backslash white_space_inside bad_percent_escape
    credentials abbreviated_reference mail_without_scheme template_syntax unencoded_query ambiguous_reference above_root
    undecodable mixed_content javascript_link unknown_scheme historical_scheme misspelt_scheme needless_slashes
    missing_slashes local_file concealed_script
"""
RULES = [rule for rule in rules() if rule.info.name.replace("-", "_") in NAMES.split()]
WHATWG = RESOLVERS["whatwg"]


def site(url=BASE, *, known=True):
    folders = {name.rpartition("/")[0] for name in FILES} | {""}
    return Site(url, sorted({*FILES, PAGE}), folders, known=known)


def escaped(reference):
    return "".join(f"&#{ord(one)};" if one in '"&<>\t\n\r' else one for one in reference)


def all_seen(html, *, url=BASE, page=PAGE, known=True):
    where = site(url, known=known)
    document = Document(html, url=url + page)
    return [
        AuditedLink(AuditedPage(page, url + page, document, where), link, where.destination(link.target))
        for link in document.links
    ]


def seen(reference, *, url=BASE, element='<a href="{}">x</a>'):
    return all_seen(f'<meta charset="utf-8">{element.format(escaped(reference))}'.encode(), url=url)[0]


def issues(one):
    return {rule.info.code: issue for rule in RULES if (issue := rule.check(one)) is not None}


#: A reference in docs/page.html of https://site.example/ -> the rules that report it.
HOSTILE = {
    # nothing is wrong
    "": "",
    "#": "",
    "#x": "",
    "#a b": "LF305",
    "other.html": "",
    "./other.html": "",
    "other.html#part-2": "",
    "other.html?q=a\\b": "",
    "other.html?q=%C3%9F": "",
    "../docs/other.html": "",
    "..": "",
    "../index.html": "",
    "/docs/other.html": "",
    "//site.example/docs/other.html": "",
    "https://elsewhere.example/": "",
    "HTTPS://Elsewhere.Example:443/": "",
    "https://elsewhere.example/a;b?c:d@e/../f": "",
    "https://web.example/2020/http://example.com/": "",
    "https://elsewhere.example/?u=https://x.example//": "",
    "http://elsewhere.example/": "",
    "mailto:someone@example.com": "",
    "mailto:a@example.com?subject=50%25": "",
    "tel:+1-555-1234": "",
    "data:text/html,a b%zz{{x}}": "",
    "data:image/svg+xml;utf8,<svg xmlns='http://www.w3.org/2000/svg'></svg>": "",
    "news://elsewhere.example/x": "",
    "ftp://anonymous@elsewhere.example/": "",
    "whatsapp://send?text=x": "",
    "urn:isbn:0451450523": "",
    "magnet:?xt=urn:btih:x": "",
    "web+app://x": "",
    "com.example.app:login": "",
    "./chapter1:intro.html": "",
    "folder/a:b.html": "",
    "blob:https://site.example/x": "",
    "view.html": "",
    "image@2x.png": "",
    "lodash@4.17.html": "",
    "index.html.de": "",
    "java.net/index.html": "",
    "System.IO": "",
    "module.name": "",
    "jquery.min.js": "",
    "file:///usr/share/doc/": "LF408",
    "FILE:/x": "LF408",
    "file://server/share/x.html": "LF408",
    # no URL, or none that can be resolved
    "http://": "LF301",
    "https://": "LF301",
    "http:": "LF301",
    "http://[": "LF301",
    "http://[::g]/": "LF301",
    "http://exa mple.com/": "LF301",
    "http://example.com:99999/": "LF301",
    "http://example.com:8o/": "LF301",
    "http://1.2.3.400/": "LF301",
    "http://a<b/": "LF301",
    "http://%zz/": "LF301",
    "//[": "LF301",
    "{{ url }}": "LF310",
    "{% url 'x' %}": "LF310",
    "<%= url %>": "LF310",
    "${base}/x.html": "LF310",
    "a/{{ b }}?c d=%": "LF310",
    "https://{{ host }}/": "LF301 LF310",
    "https://elsewhere.example/{{ id }}": "LF310",
    "https://u:{{ p }}@elsewhere.example/": "LF310",
    # slashes
    "https:": "LF302",
    "https:other.html": "LF302",
    "https:/docs/other.html": "LF302",
    "https:www.example.com/x": "LF302",
    "https:/elsewhere.example/": "LF302",
    "http:elsewhere.example": "LF407",
    "http:/elsewhere.example/": "LF407",
    "http:\\elsewhere.example/": "LF407",
    "ftp:/elsewhere.example/": "LF407",
    "http:///elsewhere.example/": "LF405",
    "http:////elsewhere.example/": "LF405",
    "folder\\index.html": "LF304",
    "\\docs\\other.html": "LF304",
    "\\\\server\\share\\x.html": "LF304",
    "//elsewhere.example\\x": "LF304",
    "https:\\\\elsewhere.example\\x": "LF304",
    "mailto://someone@example.com": "LF406",
    "tel://5551234": "LF406",
    "javascript://void(0)": "LF406",
    "data://text/plain,x": "",
    "sms://5551234": "LF406",
    "urn://isbn:0451450523": "LF406",
    "SIP://someone@example.com": "LF406",
    "about://blank": "LF406",
    "bitcoin://x": "LF406",
    "xmpp://someone@example.com": "",  # RFC 5122 has it
    # colons
    "chapter1:intro.html": "LF303",
    "chapter2:intro.html": "LF303",
    "12:30.html": "LF303",
    "a b:c.html": "LF303 LF305",
    ":x": "LF303",
    "File:a.png": "LF303",
    "C:\\docs\\x.html": "LF408",
    "c:/x": "LF408",
    "localhost:8000/x": "LF303",
    "example.com:8080/x": "LF303",
    "server:8080/x": "LF303",
    "index.html:12": "LF303",
    "Category:Links": "LF403",
    "foo://bar": "LF403",
    "foo:": "LF403",
    # white space, percent signs, credentials, queries
    "ot\nher.html": "LF305",
    "ot\ther.html": "LF305",
    "with space.html": "LF305",
    "no such file.html": "LF305",
    "tel:+1 555 1234": "LF305",
    "mailto:a@example.com?subject=a b": "LF305",
    "https://elsewhere.example/a b": "LF305",
    "https://elsewhere.example/?q=\n": "",
    "100%.html": "LF306",
    "other.html?off=100%&on": "LF306",
    "mailto:a@example.com?subject=50% off": "LF305 LF306",
    "https://user:secret@elsewhere.example/": "LF307",
    "//user:secret@elsewhere.example/": "LF307",
    "https://user:@elsewhere.example/": "",
    "https://user@elsewhere.example/": "",
    "https://user:secret@/": "LF301 LF307",
    "https://elsewhere.example/user:secret@x": "",
    # left out
    "www.example.com": "LF308",
    "www.example.com/x": "LF308",
    "/www.example.com/x": "LF308",
    "www.example.com:80": "LF303",
    "example.org/x.html": "LF308",
    "sub.example.co.uk": "LF308",
    "WWW.EXAMPLE.COM/a b": "LF305 LF308",
    "www.w3.org/Addressing/": "LF308",
    "www.example.com?x": "LF308",
    "someone@example.com": "LF309",
    "some.one@mail.example.com?subject=x": "LF309",
    # dependent on the standard
    "?x": "LF312",
    ";x": "LF312",
    "?": "LF312",
    "..;x": "LF312",
    "other.html?x": "",
    "other.html;x": "",
    "?a b": "LF305 LF312",
    "../../index.html": "LF313",
    "../../gone.html": "",  # missing-target says that it climbs
    "../..": "LF313",
    "/../index.html": "LF313",
    "..\\..\\index.html": "LF304 LF313",
    "%2e%2e/%2e%2e/index.html": "LF313",
    "../../?x": "LF313",
    # schemes
    "javascript:void(0)": "LF402",
    "java\tscript:alert(1)": "LF409",
    "JavaScript: a = b % 2": "LF402",
    "vbscript:x": "LF404",
    "gopher://elsewhere.example/": "LF404",
    "wais://elsewhere.example/": "LF404",
    "fax:+15551234": "LF404",
    "modem://x": "LF404",
    "shttp://elsewhere.example/": "LF404",
    "coap+tcp://elsewhere.example/": "",
    "Z39.50R://elsewhere.example/x": "",
    "machineProvisioningProgressReporter:x": "",
    "chrome-extension://x/y": "",
    "intent://scan/#Intent;scheme=zxing;end": "",
    "htpp:x": "LF403",
    "mialto:": "LF403",
    "coaps+tpc://elsewhere.example/": "LF403",
    "view-source:https://elsewhere.example/": "LF404",
    "htpp://elsewhere.example/": "LF405",
    "hhtps://elsewhere.example/": "LF405",
    "ttp://elsewhere.example/": "LF405",
    "http;//elsewhere.example/": "LF405",
    "http//elsewhere.example/": "LF405",
    "http:://elsewhere.example/": "LF405",
    "https.//elsewhere.example/": "LF405",
    "http ://elsewhere.example/": "LF405",
    "http://http://elsewhere.example/": "LF405",
    "https://https//elsewhere.example/": "LF405",
    "//https://elsewhere.example/": "LF405",
    "http:https://elsewhere.example/": "LF405",
    "\u201dhttps://elsewhere.example/\u201d": "LF405",
    "mailo:someone@example.com": "LF405",
    "email:someone@example.com": "LF405",
    "maito:someone@example.com": "LF405",
    "javascrip:void(0)": "LF405",
    "phone:+15551234": "LF405",
    "fpt://elsewhere.example/": "LF405",
}


@pytest.mark.parametrize("reference", HOSTILE, ids=repr)
def test_rules_that_report_a_reference(reference):
    assert " ".join(sorted(issues(seen(reference)))) == HOSTILE[reference]


def test_every_rule_that_can_be_is_in_the_table():
    reported = set(" ".join(HOSTILE.values()).split())
    in_other_tests = {"LF201", "LF311", "LF314", "LF401"}
    assert reported | in_other_tests == {rule.info.code for rule in RULES}


@for_each(HOSTILE, label=repr)
def test_a_certain_hint_changes_no_target_of_browsers(reference):
    one = seen(reference)
    for code, issue in issues(one).items():
        if issue.hint is None or not issue.hint.certain or code in {"LF303", "LF309", "LF406"}:
            continue
        assert issue.hint.reference != reference
        assert WHATWG.resolve(one.link.base, issue.hint.reference).target == one.link.target


@for_each(HOSTILE, label=repr)
def test_the_suggested_reference_does_not_break_the_same_rule(reference):
    for code, issue in issues(seen(reference)).items():
        if issue.hint is not None and issue.hint.reference is not None:
            assert code not in issues(seen(issue.hint.reference))


@for_each(HOSTILE, label=repr)
def test_messages_are_clauses(reference):
    for issue in issues(seen(reference)).values():
        assert not issue.message.endswith(".")
        assert issue.message[0] in '"\\' or issue.message[0].islower() or issue.message.startswith("\\\\")
        assert "secret" not in issue.message + issue.cause
        assert BASE not in issue.message


MENDED = {
    "C:\\docs\\x.html": None,
    "C:\\site\\docs\\other.html": ("other.html", False),
    "file:///home/me/site/docs/other.html?q#f": ("other.html?q#f", False),
    "file:///home/me/index.html": None,
    "chapter1:intro.html": ("./chapter1:intro.html", True),
    "chapter2:intro.html": ("./chapter2:intro.html", False),
    "File:a.png": ("./File:a.png", True),
    "localhost:8000/x": ("http://localhost:8000/x", False),
    "folder\\index.html": ("folder/index.html", True),
    "\\\\server\\share": ("//server/share", False),
    "ot\nher.html": ("other.html", True),
    "no such file.html": ("no%20such%20file.html", False),
    "oth\n er.html": ("other.html", False),
    "https://elsewhere.example/a?b&   c": ("https://elsewhere.example/a?b&c", False),
    "oth er.html": ("other.html", False),
    "#a  b": ("#a%20%20b", True),
    "with space.html": ("with%20space.html", True),
    "tel:+1 555": ("tel:+1-555", False),
    "100%.html": ("100%25.html", False),
    "https://user:secret@elsewhere.example/x": ("https://elsewhere.example/x", False),
    "www.example.com/x": ("https://www.example.com/x", False),
    "/www.example.com/x": ("https://www.example.com/x", False),
    "someone@example.com": ("mailto:someone@example.com", True),
    "someone@example.com?subject=x": ("mailto:someone@example.com?subject=x", False),
    "?x": ("page.html?x", True),
    ";x": ("./;x", True),
    "../../docs/other.html": ("../docs/other.html", True),
    "../../index.html": ("../index.html", True),
    "https:other.html": ("other.html", True),
    "https:www.example.com/x": ("https://www.example.com/x", False),
    "http:/elsewhere.example/": ("http://elsewhere.example/", True),
    "http://exa mple.com/": ("http://example.com/", False),
    "htpp://elsewhere.example/": ("http://elsewhere.example/", False),
    "hhtps://elsewhere.example/": ("https://elsewhere.example/", False),
    "http:///elsewhere.example/": ("http://elsewhere.example/", True),
    "http://http://elsewhere.example/": ("http://elsewhere.example/", False),
    "\u201dhttps://elsewhere.example/\u201d": ("https://elsewhere.example/", False),
    "(http://elsewhere.example/": ("http://elsewhere.example/", False),
    "https:/elsewhere.example/": ("https://elsewhere.example/", False),
    "https:/a/elsewhere.example/": ("/a/elsewhere.example/", False),
    "https:/elsewhere.html": ("/elsewhere.html", False),
    "(http://elsewhere.example/a)": ("http://elsewhere.example/a", False),
    "(http://elsewhere.example/a(b)": ("http://elsewhere.example/a(b)", False),
    "<mailto:someone@example.com>": ("mailto:someone@example.com", False),
    "email:someone@example.com": ("mailto:someone@example.com", False),
    "mailto://someone@example.com": ("mailto:someone@example.com", True),
    "sms://5551234": ("sms:5551234", False),
    "magnett:x": ("magnet:x", False),
    "htpp:x": ("http:x", False),
    "mialto:": ("mailto:", False),
    "whatsap://send": ("whatsapp://send", False),
    "chrome-extention://x/y": ("chrome-extension://x/y", False),
    "urn://isbn:0451450523": ("urn:isbn:0451450523", False),
    "www.w3.org/Addressing/": ("https://www.w3.org/Addressing/", False),
    "Category:Links": ("./Category:Links", False),
    "foo://bar": None,
    "slice::sort": None,
}


def test_file_urls_are_accepted_in_a_tree_at_a_file_url():
    reported = issues(seen("file:///usr/share/x.html", url="file:///home/me/site/"))
    assert "LF408" not in reported
    assert "LF408" in issues(seen("C:\\docs\\x.html", url="file:///home/me/site/"))


@pytest.mark.parametrize("reference", MENDED, ids=repr)
def test_the_suggested_reference(reference):
    (issue,) = issues(seen(reference)).values()
    assert (issue.hint and issue.hint[1:]) == MENDED[reference]


HOSTS = {
    "http://": "it has no host",
    "http://[::1": "not a URL: the bracket of the IPv6 address is not closed",
    "http://[::g]/": "not a URL: the text in brackets is not an IPv6 address",
    "http://[::1]:x/": "not a URL: the port is not a number",
    "http://a:65536/": "not a URL: the port is above 65535",
    "http://a b/": "not a URL: the host contains white space",
    "http://a|b/": "not a URL: the host contains a forbidden character",
    "http://1.2.3.256/": "not a URL: the host ends in a number, but is not an IPv4 address",
    "http://\u00ad/": "not a URL: the host is not a valid domain name",
    "http:": "it has no host",
}


@pytest.mark.parametrize("reference", HOSTS)
def test_reasons_for_invalid_urls(reference):
    message = issues(seen(reference))["LF301"].message
    assert message.removeprefix("not a URL: ") == HOSTS[reference].removeprefix("not a URL: ")


def test_a_base_that_nothing_can_be_relative_to():
    one = all_seen(b'<base href="mailto:someone@site.example"><a href="other.html">x</a>')[-1]
    assert set(issues(one)) == {"LF201"}


@pytest.mark.parametrize("reference", ["www.example.com/x", "a@b.example", "http//x.example/"])
def test_an_existing_file_is_the_intended_target(reference):
    one = seen(reference)
    destination = one.destination._replace(kind=DestinationKind.FILE)
    assert issues(AuditedLink(one.page, one.link, destination)) == {}


def test_only_hyperlinks_can_be_mail_addresses():
    assert issues(seen("someone@example.com", element='<img src="{}">')) == {}


class TestUnencodedQuery:
    @pytest.mark.parametrize(
        ("encoding", "expected"),
        [("windows-1252", "%DF"), ("shift_jis", "%26%23223%3B"), ("utf-8", None), ("utf-16le", None)],
    )
    def test_the_encoding_counts(self, encoding, expected):
        mark = b"\xff\xfe" if encoding == "utf-16le" else b""
        html = f'<meta charset="{encoding}"><a href="other.html?q=&#223;#x">x</a>'.encode(encoding)
        found = issues(all_seen(mark + html)[0])
        wanted = expected and (f"other.html?q={expected}#x", True)
        assert {code: issue.hint[1:] for code, issue in found.items()} == ({"LF311": wanted} if wanted else {})

    def test_a_style_attribute_is_in_utf8(self):
        html = '<meta charset="windows-1252"><p style="background: url(x?\xdf)">'.encode("cp1252")
        assert issues(all_seen(html)[0]) == {}

    def test_bytes_that_are_not_valid(self):
        html = b'<meta charset="utf-8"><a href="x\xff.html">x</a>'
        assert set(issues(all_seen(html)[0])) == {"LF314"}


MIXED = {
    '<img src="http://x.example/">': "browsers use https: instead",
    '<video src="http://x.example/">': "browsers use https: instead",
    '<img srcset="http://x.example/ 2x">': "block",
    '<img src="http://192.0.2.1/">': "block",
    '<script src="http://x.example/">': "block",
    '<iframe src="http://x.example/">': "block",
    '<p style="background: url(http://x.example/)">': "browsers block it, or use https: for images",
    '<form action="http://x.example/">': "browsers show a warning",
    '<link rel="a Stylesheet" href="http://x.example/">': "block",
    '<LINK href=http://x.example/ rel=icon title="<link rel=x>">': "block",
}
NOT_MIXED = (
    '<a href="http://x.example/">',
    '<link rel="canonical" href="http://x.example/">',
    '<link href="http://x.example/">',
    '<img src="https://x.example/">',
    '<img src="http://localhost/">',
    '<img src="http://a.localhost:80/">',
    '<img src="http://127.0.0.1:8000/">',
    '<script src="http://[::1]/">',
    '<blockquote cite="http://x.example/">',
)


class TestMixedContent:
    @pytest.mark.parametrize("html", MIXED)
    def test_the_message_states_the_behavior_of_browsers(self, html):
        found = issues(all_seen(html.encode())[0])
        assert set(found) == {"LF401"}
        assert MIXED[html] in found["LF401"].message
        assert found["LF401"].hint.reference.startswith("https://")

    @pytest.mark.parametrize("html", NOT_MIXED)
    def test_references_that_are_not_mixed_content(self, html):
        assert issues(all_seen(html.encode())[0]) == {}

    @pytest.mark.parametrize(("url", "known"), [("http://site.example/", True), (BASE, False)])
    def test_the_page_has_to_be_https(self, url, known):
        (one,) = all_seen(b'<script src="http://x.example/"></script>', url=url, known=known)
        assert issues(one) == {}


@pytest.mark.parametrize(
    ("html", "certain"),
    [
        (rb'<a href="\"other.html\"">', False),
        (rb"<a href='folder\'index.html'>", False),
        (rb'<a href="folder\">', True),
        (rb'<a href="folder\" title=x>', True),
        (rb'<a href="folder\index.html">', True),
        (rb"<a href=folder\>", True),
    ],
)
def test_an_escaped_quotation_mark_is_no_slash(html, certain):
    hint = issues(all_seen(html)[0])["LF304"].hint
    assert (hint.certain, bool(hint.reference)) == (certain, certain)


def test_a_concealed_script_is_a_rule_of_its_own():
    assert set(issues(seen("java\nscript:x"))) == {"LF409"}
    assert set(issues(seen("JAVASCRIPT:x"))) == {"LF402"}


@pytest.mark.parametrize(
    ("reference", "level"),
    [
        ("other.html#a b", FindingLevel.NOTE),
        ("#a b", FindingLevel.NOTE),
        ("https://elsewhere.example/x#a b", FindingLevel.NOTE),
        ("with space.html#a", None),
        ("other.html?a b#c d", None),
        ("#a\nb", None),
    ],
)
def test_a_space_in_a_fragment_alone_is_a_note(reference, level):
    assert issues(seen(reference))["LF305"].level is level


class TestTheRegistry:
    """The rules on schemes agree with `linkfix.schemes`."""

    @for_each(one.name for one in search("") if one.status == "historical")
    def test_a_historical_scheme(self, name):
        assert issues(seen(f"{name}:x"))["LF404"].message == "the scheme is registered as historical"

    @for_each(one.name for one in search("") if one.status != "historical")
    def test_a_scheme_in_use_is_known(self, name):
        assert not {"LF403", "LF405"} & issues(seen(f"{name}://elsewhere.example/")).keys()

    @for_each(UNREGISTERED)
    def test_an_unregistered_scheme_is_known(self, name):
        assert not {"LF403", "LF404", "LF405"} & issues(seen(f"{name}:x")).keys()

    @for_each(sorted(WITHOUT_HIERARCHY.keys() - {"fax", "modem", "data"}))
    def test_slashes_after_a_scheme_without_hierarchy(self, name):
        found = issues(seen(f"{name}://x"))["LF406"]
        assert found.message.startswith('"//" begins a ')
        assert name == "javascript" or found.message.endswith(f"({WITHOUT_HIERARCHY[name]})")

    def test_reasons_for_obsolete_schemes(self):
        reasons = {name: issues(seen(f"{name}:x"))["LF404"].message for name in ("shttp", "gopher", "vbscript", "wais")}
        assert reasons == {
            "shttp": "the scheme is registered as obsolete",
            "gopher": "the scheme is obsolete: browsers no longer follow its links",
            "vbscript": "the scheme is obsolete: browsers no longer follow its links",
            "wais": "the scheme is registered as historical",
        }

    @pytest.mark.parametrize("reference", ["session:1.html", "tool:x", "FAX:2", "help:contents"])
    def test_an_existing_file_is_the_intended_target(self, reference):
        where = Site(BASE, sorted([PAGE, f"docs/{reference}"]), {"", "docs"}, known=True)
        document = Document(f"<a href='{reference}'>x</a>", url=BASE + PAGE)
        (link,) = document.links
        one = AuditedLink(AuditedPage(PAGE, BASE + PAGE, document, where), link, where.destination(link.target))
        assert {code: issue.hint.reference for code, issue in issues(one).items()} == {"LF303": f"./{reference}"}

    @for_each(_MISSPELLED)
    def test_a_suspected_misspelling_is_not_a_known_scheme(self, slip):
        assert not is_known_scheme(slip)


def test_slashes_that_make_it_no_url_are_worse():
    assert issues(seen("urn://isbn:0451450523"))["LF406"].level is FindingLevel.ERROR
    assert issues(seen("urn://isbn/0451450523"))["LF406"].level is None


def test_findings_with_one_reason_have_one_cause():
    assert issues(seen("foo:a"))["LF403"].cause == issues(seen("FOO:b"))["LF403"].cause == "foo:"
    assert issues(seen("wais:a"))["LF404"].cause == "wais:"


def test_climbing_out_of_a_tree_below_a_folder_is_no_excess():
    sub = seen("../../other.html", url="https://site.example/sub/")
    assert sub.destination.kind is DestinationKind.OUTSIDE
    assert issues(sub) == {}
    assert "1 folder above" in issues(seen("../../../x", url="https://site.example/sub/"))["LF313"].message
    assert "2 folders above" in issues(seen("../../../index.html"))["LF313"].message


def test_targets_are_named_by_files_of_the_tree():
    message = issues(seen("?x"))["LF312"].message
    assert "rfc2396: docs/?x" in message
    assert re.search(r"whatwg: docs/page\.html\?x", message)


@pytest.mark.growth
@pytest.mark.parametrize(
    "reference",
    [
        *("a" * 200_000, "../" * 60_000, "%" * 200_000, "www." * 50_000, "a.b" * 60_000 + "@", "(" * 200_000 + ":x"),
        *("x?" + "/.." * 60_000, "http:" + "/" * 200_000, "hxtp:" + "(" * 200_000, "\u201d" * 100_000, " a" * 100_000),
    ],
    ids=lambda reference: reference[:8],
)
def test_long_references_take_no_long_time(reference):
    one = seen(reference)
    with processor_limit(2):
        issues(one)


#: Without a name that has a colon; with one; where redirects may lead from one to a file.
COLON_SITES = (
    Site(BASE, ["docs/a.html", "docs/b.html", "docs/sub/index.html"], {"", "docs", "docs/sub"}),
    Site(BASE, ["docs/a.html", "docs/a:b.html", "docs/x:y/index.html"], {"", "docs", "docs/x:y"}),
    Site(BASE, ["docs/a.html"], {"", "docs"}, host=host_of("/docs/a:b /docs/a.html\n/docs/:c /docs/a.html")),
)


@given(
    st.sampled_from(COLON_SITES),
    st.lists(
        st.sampled_from([*"ab:/.?#\\", "a.html", "b.html", "..", "%2e", "%3A", "a:b", "x:y/", "sub/"]), max_size=6
    ),
)
@example(COLON_SITES[0], ["/", "..", "/", "a.html"])
@example(COLON_SITES[0], ["/", "%2e", "%2e", "/", "a.html"])
def test_names_without_colons_are_not_searched_for(where, parts):
    reference = f"./a:{''.join(parts)}"
    url = f"{BASE}docs/page.html"
    document = Document(f'<a href="{reference}">'.encode(), url=url)
    page = AuditedPage("docs/page.html", url, document, where)
    for link in document.links:
        one = AuditedLink(page, link, where.destination(link.target))
        assert _is_file(one, reference) == (destination_of(one, reference).kind is DestinationKind.FILE)
