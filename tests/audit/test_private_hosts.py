"""LF701: references to hosts that the public cannot reach, and `--allow-host`."""

from __future__ import annotations

import pytest
from support.audit_trees import audited, told, write
from support.running import run

from linkfix.auditing import AuditOptions, audit
from linkfix.auditing.private_hosts import AllowedHosts, private_host_of
from linkfix.errors import InvalidOption
from linkfix.resolvers import RESOLVERS

OWN = "is the computer of whoever follows the link"
PRIVATE = "is in a private network"


def found(tmp_path, files, **fields):
    """The references that LF701 reports."""
    return [one[2] for one in told(audited(tmp_path, files, select=("LF701",), **fields))]


def links(*urls):
    return "".join(f'<a href="{url}">text</a>\n' for url in urls)


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("http://localhost/", OWN),
        ("http://LOCALHOST:8000/x", OWN),
        ("https://app.localhost/", OWN),
        ("http://localhost./", OWN),
        ("ws://127.0.0.1:35729/", OWN),
        ("http://127.255.0.1/", OWN),
        ("http://2130706433/", OWN),
        ("http://0x7f.1/", OWN),
        ("http://0177.0.0.1/", OWN),
        ("http://0.0.0.0:4000/", OWN),
        ("http://[::1]:3000/", OWN),
        ("http://[::ffff:127.0.0.1]/", OWN),
        ("http://me:pw@localhost/", OWN),
        ("http://10.1.2.3/", PRIVATE),
        ("http://172.16.0.1/", PRIVATE),
        ("http://172.31.255.255/", PRIVATE),
        ("http://192.168.178.1/", PRIVATE),
        ("http://100.64.0.1/", PRIVATE),
        ("http://[fd12::1]/", PRIVATE),
        ("http://169.254.169.254/", "is on the reader's own link"),
        ("http://[fe80::1]/", "is on the reader's own link"),
        ("http://printer.local/", "has a name of local networks (.local)"),
        ("http://nas.home.arpa/", "has a name of home networks (.home.arpa)"),
        ("http://git.corp.internal/", "has a name of private networks (.internal)"),
        ("https://app.test/", "has a name for tests, which no public host has (.test)"),
        ("https://x.invalid/", "has a name that no host has (.invalid)"),
        ("http://intranet/wiki", "has a name without a dot, which only a local network knows"),
    ],
)
def test_private_hosts(url, what):
    private = private_host_of(RESOLVERS["whatwg"].resolve(None, url).target)
    assert private is not None
    assert private.reason == what


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/",
        "https://localhost.example/",
        "https://example/",
        "https://local.example.com/",
        "http://8.8.8.8/",
        "http://172.32.0.1/",
        "http://172.15.0.1/",
        "http://192.169.0.1/",
        "http://100.128.0.1/",
        "http://192.0.2.1/",  # for documents (RFC 5737)
        "http://[2001:db8::1]/",
        "http://[2606:4700::1]/",
        "http://arpa.example.org/",
        "https://1.1.168.192.in-addr.arpa/",
        "mailto:me@localhost",
        "ssh://localhost/",
        "file://localhost/x",
    ],
)
def test_other_hosts(url):
    assert private_host_of(RESOLVERS["whatwg"].resolve(None, url).target) is None


@pytest.mark.parametrize(
    "html",
    [
        '<a href="http://localhost:3000/a">the page</a>',
        '<a href="//localhost:3000/a">the page</a>',
        '<img src="http://localhost:3000/a">',
        '<link rel=canonical href="http://localhost:3000/a">',
        '<form action="http://localhost:3000/a"></form>',
        '<p style="background: url(http://localhost:3000/a)">',
        '<img srcset="http://localhost:3000/a 2x">',
        '<base href="http://localhost:3000/"><a href="a">the page</a>',
        '<area href="http://localhost:3000/a" alt="localhost:3000">',
    ],
)
def test_every_reference_counts(tmp_path, html):
    result = audited(tmp_path, {"index.html": html}, select=("LF701",))
    assert [(one.level, one.cause) for one in result.findings] == [("warning", "localhost:3000")]


@pytest.mark.parametrize(
    "html",
    [
        '<a href="http://localhost:3000/">http://localhost:3000/</a>',
        '<a href="http://localhost:3000/x">open <b>localhost:3000</b></a>',
        '<a href="http://0x7f.1/">127.0.0.1</a>',
        '<a href="http://0x7f.1/">http://0x7f.1</a>',
        '<a href="http://intranet/">http://intranet</a>',
        "<code>http://localhost:3000/</code> http://localhost:3000/",
        '<!-- <a href="http://localhost:3000/">x</a> -->',
        '<a href="https://site.example/">the page</a>',
        '<a href="http://{{host}}/">x</a>',
        '<a href="http://http://a.example/">x</a>',  # LF405
    ],
)
def test_what_is_not_reported(tmp_path, html):
    assert found(tmp_path, {"index.html": html}) == []


def test_a_word_is_no_host(tmp_path):
    html = '<a href="http://intranet/">the intranet</a>'
    assert found(tmp_path, {"index.html": html}) == ["http://intranet/"]


@pytest.mark.parametrize("first", ["text", "http://localhost/"])
def test_each_link_has_its_own_text(tmp_path, first):
    """The result for one link is not taken for another, on its page and on others."""
    second = "text" if first != "text" else "http://localhost/"
    page = f'<a href="http://localhost/">{first}</a> <a href="http://localhost/">{second}</a>'
    result = audited(tmp_path, {"a.html": page, "b.html": page}, select=("LF701",))
    column = page.index("http", page.index(">text") - 20) + 1
    assert [(one.path, one.column) for one in result.findings] == [("a.html", column), ("b.html", column)]


def test_plain_references_are_not_taken_for_public_ones(tmp_path):
    urls = ["https://a.test/x", "https://b.example/x", "https://a.local/", "https://c.internal/y?z"]
    assert found(tmp_path, {"a.html": links(*urls), "b.html": links(*urls)}) == [urls[0], *urls[2:]] * 2


def test_references_to_one_host_have_one_cause(tmp_path):
    urls = ["http://localhost:1/a", "http://localhost:1/b", "http://127.0.0.1/", "http://0x7f.1/c"]
    result = audited(tmp_path, {"a.html": links(*urls)}, select=("LF701",))
    assert sorted((cause.text, len(cause.findings)) for cause in result.causes) == [
        ("127.0.0.1", 2),
        ("localhost:1", 2),
    ]


def test_the_hint_names_the_file(tmp_path):
    files = {"d/a.html": '<a href="http://localhost:8000/b/c.html?x#y">c</a>', "b/c.html": "<p id=y>"}
    (finding,) = audited(tmp_path, files, select=("LF701",)).findings
    assert finding.hint.reference == "../b/c.html?x#y"
    assert not finding.hint.certain


@pytest.mark.parametrize(
    ("root", "reported"),
    [
        ("http://localhost:8000/", ["http://localhost:3000/", "http://nas.local/"]),
        ("http://localhost:8000/docs/", ["http://localhost:3000/", "http://nas.local/"]),
        ("http://wiki.local/", ["http://localhost:8000/", "http://localhost:3000/"]),
        ("https://site.example/", ["http://localhost:8000/", "http://localhost:3000/", "http://nas.local/"]),
    ],
)
def test_the_site_s_own_host(tmp_path, root, reported):
    files = {"index.html": links("http://localhost:8000/", "http://localhost:3000/", "http://nas.local/")}
    assert found(tmp_path, files, base_url=root) == reported


def test_the_address_of_a_development_server_is_not_inferred(tmp_path):
    page = '<link rel=canonical href="http://localhost:1313/sub/{0}"><a href="/sub/b.html">b</a> <a href="/gone">x</a>'
    root = write(tmp_path, {name: page.format(name) for name in ("a.html", "b.html", "c.html")})
    result = audit(root, AuditOptions(select=("LF701", "LF101")))
    assert result.base_layer == "none"
    assert {one.reference for one in result.findings if one.code == "LF701"} == {
        f"http://localhost:1313/sub/{name}.html" for name in "abc"
    }
    assert all(one.reference != "/sub/b.html" for one in result.findings)


def test_a_sitemap_has_one_finding(tmp_path):
    xml = (
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://localhost/a</loc></url></urlset>'
    )
    result = audited(tmp_path, {"sitemap.xml": xml, "index.html": ""})
    assert [one.code for one in result.findings] == ["LF411"]
    result = audit(str(tmp_path), AuditOptions())
    assert [one.code for one in result.findings] == ["LF701"]


def test_a_redirect_to_another_site_is_not_private(tmp_path):
    files = {"_redirects": "/ext https://other.example/ 301\n", "index.html": '<a href="/ext">x</a>'}
    assert told(audit(write(tmp_path, files), AuditOptions(select=("LF701",)))) == []


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("[the page](http://localhost:3000/)", True),
        ("[the page](<http://localhost:3000/>)", True),
        ("[a]\n\n[a]: http://localhost:3000/", True),
        ("[localhost:3000](http://localhost:3000/)", False),
        ("<http://localhost:3000/>", False),
        ("`http://localhost:3000/`", False),
        ('<a href="http://localhost:3000/">the page</a>', True),
    ],
)
def test_markdown(tmp_path, text, reported):
    assert bool(found(tmp_path, {"a.md": text})) is reported


class TestAllowedHosts:
    URLS = (
        "http://localhost:3000/",
        "http://localhost/",
        "http://[::1]:80/",
        "http://a.local/",
        "http://b.a.local:81/",
        "http://local/",
    )

    @pytest.mark.parametrize(
        ("entries", "allowed"),
        [
            ((), ()),
            (("localhost:3000",), (0,)),
            (("LocalHost",), (0, 1)),
            (("[::1]",), (2,)),
            (("*.local",), (3, 4)),
            (("*.local:81",), (4,)),
            (("local", "a.local"), (3, 5)),
        ],
    )
    def test_entries(self, tmp_path, entries, allowed):
        result = audited(tmp_path, {"a.html": links(*self.URLS)}, select=("LF701",), allow_host=entries)
        assert [one.reference for one in result.findings] == [
            url for number, url in enumerate(self.URLS) if number not in allowed
        ]
        assert result.hidden["allow-host"] == len(allowed)

    @pytest.mark.parametrize(
        "entry", ["", "http://localhost", "localhost/x", "*", "a b", "x:", "x:1234567", "x:65536", "-"]
    )
    def test_wrong_entries(self, entry):
        with pytest.raises(InvalidOption, match="not a host: write for example 'localhost:3000'"):
            AllowedHosts([entry])

    def test_other_findings_stay(self, tmp_path):
        files = {"a.html": '<a href="http://me:pw@localhost/">x</a>'}
        result = audited(tmp_path, files, allow_host=("localhost",))
        assert [one.code for one in result.findings] == ["LF307"]

    def test_the_option_and_the_setting(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        write(tmp_path, {"site/a.html": links("http://localhost:3000/", "a.html")})
        strict = ("audit", "site", "--fail-on", "warning")
        assert run(*strict).exit_code == 1
        assert run(*strict, "--allow-host", "localhost:3000").exit_code == 0
        write(tmp_path, {"linkfix.toml": '[audit]\nallow-host = ["localhost"]\n'})
        assert run(*strict).exit_code == 0
        result = run("audit", "site", "--allow-host", "http://x/")
        assert result.exit_code == 2
        assert "not a host: write for example 'localhost:3000'" in result.stderr
