from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.growth import processor_limit
from support.host_rules import redirects_rules

from linkfix.auditing.hosts.rules import Effect, RulePlace

PLACE = RulePlace("_redirects", 1)

#: The effect of a rule that means that there is nothing.
NOTHING = Effect(place=PLACE, is_permanent=False)


def effect(rules, path):
    """The effect on a path of the first rule without conditions that matches; None if no rule does."""
    return rules.outcome(path, "", lambda _path: "").effect


def leads(text, path, host=""):
    """The target of a path; None if no rule matches, or if it leads nowhere."""
    found = effect(redirects_rules(text, host), path)
    return found and (found.target or None)


@pytest.mark.parametrize(
    ("rule", "path", "target"),
    [
        # The examples of Netlify's and Cloudflare's documentation.
        ("/home              /", "/home", "/"),
        ("/blog/my-post.php  /blog/my-post", "/blog/my-post.php", "/blog/my-post"),
        ("/cuties https://www.petsofnetlify.com", "/cuties", "https://www.petsofnetlify.com"),
        ("/authors/c%C3%A9line /authors/about-c%C3%A9line", "/authors/c%C3%A9line", "/authors/about-c%C3%A9line"),
        ("/news/*  /blog/:splat", "/news/2004/01/10/my-story", "/blog/2004/01/10/my-story"),
        (
            "/news/:month/:date/:year/:slug  /blog/:year/:month/:date/:slug",
            "/news/02/12/2004/my-story",
            "/blog/2004/02/12/my-story",
        ),
        ("/news/:year/:month/:date /blog-:year-:month-:date.html", "/news/2004/2/12", "/blog-2004-2-12.html"),
        ("/* /index.html 200", "/any/thing", "/index.html"),
        ("/movies/:title /media/:title", "/movies/alien", "/media/alien"),
        ("/twitch https://twitch.tv", "/twitch", "https://twitch.tv"),
        ("/contact /about#contact 301", "/contact", "/about#contact"),
        ("/search /find?q=1 301", "/search", "/find?q=1"),
        # A slash at the end is neither here nor there.
        ("/a /b", "/a/", "/b"),
        ("/a/ /b", "/a", "/b"),
        ("/ /b", "/", "/b"),
        ("/news/* /blog/:splat", "/news", "/blog/"),
        ("/news/* /blog/:splat", "/news/", "/blog/"),
        ("/:lang/ /:lang.html", "/de", "/de.html"),
        # The rest may be empty; a placeholder that is not in `from` stays.
        ("/news/* /:splat:other", "/news/", "/:other"),
        ("/a https://h:8080/x", "/a", "https://h:8080/x"),
        # In the middle of a segment, or of the path.
        ("/page-:name.html /:name", "/page-v1.2.html", "/v1.2"),
        ("/a/*/z /:splat", "/a/b/c/z", "/b/c"),
        ("/a-*/z /:splat", "/a-b/c/z", "/b/c"),
        # Hand-written paths, against paths as URLs have them.
        ("/über /about", "/%C3%BCber", "/about"),
        ("/a#part /b", "/a", "/b"),
        ("/a.b /c", "/a.b", "/c"),
        ("/:x.b /c", "/axb", None),
        ("/news/* /b", "/newsroom", None),
        ("/:a /b", "/", None),
        ("/:a /b", "/a/b", None),
        ("/a /b", "/A", None),
        ("/a²:x /:x", "/a%C2%B2z", "/z"),
    ],
)
def test_one_rule(rule, path, target):
    assert leads(rule, path) == target


@pytest.mark.parametrize(
    ("rule", "path", "netlify", "cloudflare"),
    [
        ("/o/:a.html /z/:a", "/o/x.html", "/z/:a", "/z/x"),
        ("/o/:a.html /z/:a.html", "/o/x", "/z/x", None),
        ("/x-:a /z/:a", "/x-1", None, "/z/1"),
        ("/x*y /z", "/x1y", None, "/z"),
        ("/x* /z/:splat", "/x1/2", "/z/1/2", "/z/1/2"),
        ("/x/* /z/:splat", "/x", "/z/", None),
        ("/x /z", "/x/", "/z", None),
        ("/x/ /z", "/x", "/z", None),
        ("/x#f /z", "/x", None, "/z"),
        ("/x?q=1 /z", "/x", None, "/z"),
        ("x /z", "/x", None, "/z"),
        ("/n/:a/:ab /z/:ab", "/n/1/2", "/z/1b", "/z/1b"),
        ("/m/:p /z/:px", "/m/1", "/z/1x", "/z/1x"),
        ("/:1 /z/:1", "/q", "/z/q", None),
        ("/x http://h.example/", "/x", "http://h.example/", None),
        ("/x https://h.example/ 200", "/x", "https://h.example/", None),
        ("/x /z 301!", "/x", "/z", None),
        ("/* /index.html 200", "/x", "/index.html", None),
        ("/x/* /y/index 301", "/x/1", "/y/index", None),
        ("/x /index.html", "/x", "/index.html", "/index.html"),
        ("/x /z # 404", "/x", "/z", "/z"),
    ],
)
def test_hosts_differ(rule, path, netlify, cloudflare):
    """As `netlify-redirector` and `wrangler pages dev` answer."""
    assert leads(rule, path, "netlify") == netlify
    assert leads(rule, path, "cloudflare") == cloudflare


def test_paths_that_are_served_as_they_are():
    redirects = redirects_rules("/a/* 200\n/b/* 200! Role=admin\n/* /index.html 200")
    assert effect(redirects, "/a/x") == Effect("", place=PLACE, keeps=True, is_permanent=False)
    assert effect(redirects, "/b/x").target == "/index.html"
    assert [one.keeps for one in redirects.outcome("/b/x", "", lambda _path: "").possible] == [True]


def test_cloudflare_reads_a_number_of_rules_with_wildcards():
    lines = ["/s /t", "/w/* /x", *(f"/r{number} /t" for number in range(100))]
    redirects = redirects_rules("\n".join(lines), "cloudflare")
    assert effect(redirects, "/r98").force
    assert effect(redirects, "/r99") is None
    assert [fault.place.line for fault in redirects.faults] == [102]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("/q id=:id /b/:id 301", "Cloudflare Pages reads lines of two or three words, not of 4: from, to, status"),
        ("/a /b 302 Country=de", "Cloudflare Pages reads lines of two or three words, not of 4: from, to, status"),
        ("/a", "Cloudflare Pages reads lines of two or three words, not of 1: from, to, status"),
        ("/a /b 301!", "Cloudflare Pages knows the statuses 200, 301, 302, 303, 307 and 308"),
        ("/a /b 404", "Cloudflare Pages knows the statuses 200, 301, 302, 303, 307 and 308"),
        ("/a b", "the line is not a rule"),
        ("https://h.example/a /b", "the line is not a rule"),
        ("/a https://h.example/ 200", "Cloudflare Pages does not answer with another site (200)"),
        ("/* /index 200", "the rule would lead to itself: Cloudflare Pages redirects from /index to its folder"),
    ],
)
def test_faults_of_lines_on_cloudflare(line, message):
    (fault,) = redirects_rules(line, "cloudflare").faults
    assert fault.message == f"{message}, so it does not count"


@pytest.mark.parametrize(
    "line",
    [
        "",
        "# /a /b",
        "  # /a /b",
        "/a",
        "/a # /b",
        "a /b",
        "/a b",
        "/a 301",
        "/a /b 30",
        "/a /b moved",
        "/a /b 302 Country=au,nz",
        "/a /b Country=de",
        "/a id=:id /b/:id 301",
        "/a 200! Role=admin",
        "http://blog.example/a https://www.example/a",
        "/" + "a" * 4096 + " /b",
    ],
)
def test_lines_that_are_no_rules_of_every_request(line):
    assert leads(line, "/a") is None
    assert leads(line + "\n/a /c", "/a") == "/c"


@pytest.mark.parametrize("line", ["/a /b # why", "/a\t/b\t301\t#", "\ufeff/a /b", "  /a /b  \r", "/a /b 301 #/a /c"])
def test_comments_and_white_space(line):
    assert leads(line + "\n/other /x", "/a") == "/b"


class TestStatus:
    @pytest.mark.parametrize(
        ("status", "redirect"),
        [
            ("", Effect("/b", place=PLACE)),
            ("301", Effect("/b", place=PLACE)),
            ("302!", Effect("/b", force=True, place=PLACE, is_permanent=False)),
            ("200", Effect("/b", rewrites=True, place=PLACE, is_permanent=False)),
            ("200!", Effect("/b", force=True, rewrites=True, place=PLACE, is_permanent=False)),
            ("404", NOTHING),
            ("404!", NOTHING._replace(force=True)),
            ("410", NOTHING),
            ("451", NOTHING),
        ],
    )
    def test_redirect_for_each_status(self, status, redirect):
        redirects = redirects_rules(f"/a /b {status}")
        number = int(status[:3]) if status.startswith("4") else 0
        assert effect(redirects, "/a") == redirect._replace(status=number)
        assert redirects.forced is redirect.force

    def test_nothing_is_there_though_a_later_rule_has_it(self):
        text = "/gone/* /410.html 410\n/lost /404.html 404\n/* /index.html 200"
        assert leads(text, "/gone/a") is None
        assert leads(text, "/lost") is None
        assert leads(text, "/a") == "/index.html"


class TestOrder:
    def test_the_first_counts(self):
        assert leads("/a /1\n/a /2", "/a") == "/1"
        assert leads("/a/* /1\n/a/b /2", "/a/b") == "/1"
        assert leads("/a/b /1\n/a/* /2", "/a/b") == "/1"
        assert leads("/a/:x /1\n/a/* /2", "/a/b/c") == "/2"
        assert leads("/x/* /1\n/a /2", "/a") == "/2"

    def test_later_rules_are_tried_if_one_does_not_match(self):
        assert leads("/a/* /1\n/b/* /2", "/b/c") == "/2"


@pytest.mark.parametrize("source", ["/:a/:a", "/*/*", "/:splat/*", "/:a:b", "/:a-:b", "/a*b*"])
def test_wildcards_that_hosts_do_not_agree_on_match_nothing_else(source):
    redirects = redirects_rules(f"{source} /x", "")
    assert effect(redirects, "/1/1") is None
    assert effect(redirects, "/1-1") is None


class TestTime:
    @pytest.mark.growth
    @pytest.mark.parametrize(
        ("text", "target"),
        [
            ("/" + ":a" * 2000 + "x /b", "/b"),  # one name, which is the whole segment
            ("/" + "".join(f":a{n}" for n in range(500)) + " /b", "/b"),
            ("/*a*b*c /x", None),
            ("/".join(f"{':a' if n else ''}{n or ''}" for n in range(300)) + "/z /b", None),
            ("/*/" + "/".join(f":a{n}" for n in range(100)) + "/z /b", None),
            (" " * 4000 + "/a" + " " * 90, None),
        ],
    )
    def test_is_linear_in_the_path(self, text, target):
        redirects = redirects_rules(text)
        with processor_limit(2):
            found = effect(redirects, "/" + "a" * 100_000)
            assert (found and found.target) == target
            assert effect(redirects, "/a" * 20_000) is None

    @pytest.mark.growth
    def test_rules_with_wildcards_are_bounded(self):
        redirects = redirects_rules("".join(f"/a{n}/* /b\n" for n in range(100_000)) + "/exact /c")
        with processor_limit(2):
            assert [effect(redirects, f"/x{n}") for n in range(200)] == [None] * 200
        assert effect(redirects, "/a9998/x") == Effect("/b", place=RulePlace("_redirects", 9999))
        assert effect(redirects, "/a10000/x") is None
        assert effect(redirects, "/exact") == Effect("/c", place=RulePlace("_redirects", 100_001))


@given(st.text(), st.text(alphabet="/:*ab.#?%é[(\\"))
def test_any_text_is_taken(text, path):
    redirects = redirects_rules(f"{text}\n/{path} /target\n")
    redirect = effect(redirects, "/" + path)
    assert redirect is None or redirect.target
