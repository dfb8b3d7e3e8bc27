"""The files of hosts: what their rules mean for references, by the hosts' documentation."""

from __future__ import annotations

import json
import re
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.growth import processor_limit

from linkfix.auditing import AuditOptions, audit, fix_references
from linkfix.auditing.hosts.expressions import expression, fault_of, literal_prefix, without_captures
from linkfix.auditing.hosts.find import HOST_KINDS, find_host
from linkfix.auditing.hosts.ignored import Never, ignored_files
from linkfix.auditing.hosts.netlify import DIALECTS, read_redirects
from linkfix.auditing.hosts.rules import HostRule, HostRules, RulePlace
from linkfix.auditing.hosts.templates import glob, parametric, template
from linkfix.auditing.hosts.values import ValuePlaces, read_json

#: The pieces of expressions whose literal beginning is looked for.
PIECES = r"^ a b / \. \( ( (?: (?= (?! ) | * + ? {2} {0,1} [ab] [(] [^|] [|] $ . \d -".split()


def write(root, files):
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")


def page(*references):
    return "<!doctype html><title>t</title>" + "".join(f'<a href="{one}">x</a>' for one in references)


def checked(tmp_path, files, references, folder="", **options):
    """The audit of a tree whose index page has some references."""
    inner = f"{folder}/" if folder else ""
    write(tmp_path, {".git/HEAD": "", **files, f"{inner}index.html": page(*references)})
    return audit(str(tmp_path / folder), AuditOptions(**options))


def broken(result):
    return [one.reference for one in result.findings]


def unjudged(result):
    """The rules for which references were not checked -> their number."""
    words = "a rule of the host that the folder does not decide: "
    return {why.removeprefix(words): count for why, count in result.coverage.unchecked.items() if why.startswith(words)}


class TestNetlify:
    def test_rules_of_both_files_in_order(self, tmp_path):
        toml = (
            '[build]\n  publish = "site"\n[[redirects]]\n  from = "/old"\n  to = "/toml.html"\n'
            '[[redirects]]\n  from = "/news/*"\n  to = "/blog/:splat"\n  status = 302\n'
            '[[redirects]]\n  from = "/lost"\n  to = "/none"\n'
            '[[redirects]]\n  from = "/app/*"\n  to = "/app.html"\n  status = 200\n'
            '[[redirects]]\n  from = "/geo"\n  to = "/new.html"\n  conditions = {Country = ["de"]}\n'
            '[[redirects]]\n  from = "/new.html"\n  to = "/gone"\n'
            '[[redirects]]\n  from = "/shadowed.html"\n  to = "/gone"\n  force = true\n'
        )
        pages = {
            f"site/{name}": page() for name in ("new.html", "toml.html", "blog/a.html", "app.html", "shadowed.html")
        }
        files = {"netlify.toml": toml, "site/_redirects": "/old /new.html\n", **pages}
        references = "/old /news/a.html /news/a /news/b /lost /app/x /geo /new.html /shadowed.html /.netlify/f".split()
        result = checked(tmp_path, files, references, "site")
        assert broken(result) == ["/news/b", "/lost", "/shadowed.html"]
        assert unjudged(result) == {"line 18 of ../netlify.toml": 1, "an address that the host answers itself": 1}
        assert result.settings == "Netlify, _redirects, ../netlify.toml: 8 rules"
        unused = checked(tmp_path, {}, [], "site")
        own = [(one.path, one.line, one.reference) for one in unused.findings]
        assert own == [
            ("../netlify.toml", 12, "/none"),
            ("../netlify.toml", 23, "/gone"),
            ("../netlify.toml", 26, "/gone"),
        ]

    def test_keys_of_the_query(self, tmp_path):
        toml = '[build]\npublish = "/"\n[[redirects]]\nfrom = "/t"\nto = "/docs/:x.html"\nquery = {n = ":x"}\n'
        files = {"netlify.toml": toml, "_redirects": "/q id=:id /docs/:id.html 301\n/q v=1 / 301\n", "docs/a.html": ""}
        references = ["/q?id=a", "/q?id=no", "/q?id=no&x=1", "/q?v=1", "/q?v=2", "/q", "/t?n=a", "/t?n=no"]
        result = checked(tmp_path, files, references)
        assert broken(result) == ["/q?id=no", "/q?v=2", "/q", "/t?n=no"]
        assert unjudged(result) == {"line 1 of _redirects": 1}

    def test_a_file_about_another_folder_does_not_count(self, tmp_path):
        toml = '[build]\npublish = "dist"\n[[redirects]]\nfrom = "/old"\nto = "/"\n'
        result = checked(tmp_path, {"netlify.toml": toml}, ["/old"], "site")
        assert broken(result) == ["/old"]
        assert result.settings == "../netlify.toml: it publishes dist/, not this folder, so it does not count"

    @pytest.mark.parametrize(
        ("file", "build"),
        [
            ("netlify.toml", 'base = "apps/a"\npublish = "dist"'),
            ("netlify.toml", 'base = "/apps/a/"\npublish = "/dist/"'),
            ("netlify.toml", 'base = "apps/a/dist"'),
            ("apps/a/netlify.toml", 'publish = "dist"'),
            ("apps/a/netlify.toml", 'publish = "apps/a/dist"'),
            ("apps/a/netlify.toml", 'base = "apps/a"\npublish = "dist"'),
            ("netlify.toml", 'publish = "x"\n[context.production]\npublish = "apps/a/dist"'),
            ("netlify.toml", 'publish = "dist"\n[context.production.build]\nbase = "apps/a"'),
        ],
    )
    def test_a_package_of_a_repository(self, tmp_path, file, build):
        """As @netlify/config finds the folder that is published (`files.js`, `context.js`)."""
        toml = f'[build]\n{build}\n[[redirects]]\nfrom = "/old"\nto = "/"\n'
        assert not broken(checked(tmp_path, {file: toml}, ["/old"], "apps/a/dist"))
        other = checked(tmp_path, {}, ["/old"], "apps/b/dist")
        assert broken(other) == ["/old"]
        assert ("it publishes " in other.settings) == (file == "netlify.toml")

    def test_rules_of_production(self, tmp_path):
        """A list of `[context.production]` replaces the other list, and other contexts do not count."""
        toml = (
            '[build]\npublish = "."\n[[redirects]]\nfrom = "/a"\nto = "/"\n'
            '[[context.production.redirects]]\nfrom = "/b"\nto = "/"\n'
            '[[context.deploy-preview.redirects]]\nfrom = "/c"\nto = "/"\n'
        )
        result = checked(tmp_path, {"netlify.toml": toml}, ["/a", "/b", "/c"])
        assert broken(result) == ["/a", "/c"]
        assert result.settings == "Netlify, netlify.toml: 1 rule"

    @pytest.mark.parametrize(
        ("file", "content", "words"),
        [
            ("netlify.toml", '[build]\npublish = "../x\u202ey"\n', r"../x\u202ey/"),
            ("vercel.json", {"outputDirectory": "dist"}, "dist/"),
            ("firebase.json", {"hosting": [{"public": "a"}, {"public": "b/"}]}, "a/, b/"),
            ("wrangler.toml", 'pages_build_output_dir = "./out"\n', "out/"),
        ],
    )
    def test_a_file_about_another_folder_is_named(self, tmp_path, file, content, words):
        result = checked(tmp_path, {file: content}, ["/old"], "site")
        assert result.settings == f"../{file}: it publishes {words}, not this folder, so it does not count"
        assert broken(result) == ["/old"]

    @pytest.mark.parametrize("folder", ["", "site"])
    def test_a_symbolic_link_to_a_file_counts(self, tmp_path, folder):
        toml = f'[build]\npublish = "{folder or "."}"\n[[redirects]]\nfrom = "/old"\nto = "/"\n'
        write(tmp_path, {"real/n.toml": toml, f"{folder or 'x'}/x.html": ""})
        (tmp_path / "netlify.toml").symlink_to("real/n.toml")
        assert not broken(checked(tmp_path, {}, ["/old"], folder))

    @pytest.mark.parametrize("folder", ["", "site"])
    def test_a_file_that_cannot_be_read_is_reported(self, tmp_path, folder):
        write(tmp_path, {f"{folder or 'x'}/x.html": "", "netlify.toml": "#" * ((1 << 20) + 1)})
        result = checked(tmp_path, {}, [], folder)
        assert [(one.code, one.path) for one in result.findings] == [("LF901", "../" * bool(folder) + "netlify.toml")]

    @pytest.mark.parametrize("toml", ["[", "redirects = 1", "[[redirects]]\nfrom = 1", "a = [" * 5000])
    def test_a_file_that_is_not_valid(self, tmp_path, toml):
        result = checked(tmp_path, {"netlify.toml": toml}, ["/old"])
        assert [one.reference for one in result.findings if one.code == "LF101"] == ["/old"]
        assert [path for path, _, _ in faults(result)] == ["netlify.toml"]


VERCEL = {
    "cleanUrls": True,
    "redirects": [
        {"source": "/old", "destination": "/docs/intro", "permanent": True},
        {"source": "/blog/:slug", "destination": "/docs/:slug"},
        {"source": "/all/:path*", "destination": "/docs/:path*"},
        {"source": "/n/:id(\\d{1,})", "destination": "/docs/intro"},
        {"source": "/host", "destination": "/docs/intro", "has": [{"type": "host", "value": "x"}]},
        {"source": "/exists", "destination": "/none"},
        {"source": "/((?!keep/).*)/end", "destination": "/docs/$1"},
    ],
    "rewrites": [
        {"source": "/app/(.*)", "destination": "/docs/intro"},
        {"source": "/fn", "destination": "/api/x"},
    ],
}


class TestVercel:
    def test_rules(self, tmp_path):
        files = {"vercel.json": VERCEL, "docs/intro.html": "", "exists.html": ""}
        references = "/old /old/ /docs/intro /docs/intro.html /none /blog/intro /blog/x /blog/a/b /all/intro".split()
        references += "/all /n/12 /n/a /host /exists /app/any/thing /fn /intro/end /keep/intro/end".split()
        result = checked(tmp_path, files, references)
        wrong = ["/old/", "/none", "/blog/x", "/blog/a/b", "/all", "/n/a", "/exists", "/keep/intro/end"]
        assert broken(result) == wrong
        assert unjudged(result) == {"redirects[4] of vercel.json": 1, "an address that the host answers itself": 1}

    def test_values_of_the_query(self, tmp_path):
        def rule(source, target, **has):
            return {"source": source, "destination": target, "has": [{"type": "query", "key": "x", **has}]}

        rules = [
            rule("/key", "/item/:x.html"),
            rule("/named", "/item/:v.html", value="(?<v>.*)"),
            rule("/plain", "/item/7.html", value="7"),
            rule("/digits", "/item/:d.html", value="a(?<d>\\d+)"),
            rule("/object", "/item/:x.html", value={"eq": "7"}),
            rule("/header", "/item/:x.html", type="header"),
            rule("/lost", "/none/a", type="header"),
        ]
        references = ["/key?x=7", "/named?x=7", "/plain?x=7", "/digits?x=a7", "/object?x=7", "/header", "/key?x=7&y"]
        missing = ["/key?x=8", "/named?x=8", "/plain?x=8", "/key", "/plain?y", "/lost"]
        files = {"vercel.json": {"redirects": rules}, "item/7.html": ""}
        result = checked(tmp_path, files, [*references, *missing])
        assert broken(result) == [*missing, "/none/a"]  # the last is in vercel.json
        assert sum(unjudged(result).values()) == 4

    def test_a_slash_after_a_file(self, tmp_path):
        for slash, wanted in ((False, []), (True, ["/a.html/"]), (None, ["/a.html/"])):
            settings = {} if slash is None else {"trailingSlash": slash}
            assert broken(checked(tmp_path, {"vercel.json": settings, "a.html": ""}, ["/a.html/"])) == wanted

    @pytest.mark.parametrize("host", ["vercel", "firebase"])
    def test_references_of_a_page_start_at_the_url_that_the_host_sends_it_at(self, tmp_path, host):
        index, other = ["b", "sub/b", "../sub/b", "pic.png", "sub/pic.png"], ["sub/b", "../sub/b", "sub/pic.png"]
        above, inside = ["b", "../sub/b", "pic.png"], ["sub/b", "sub/pic.png"]
        for slash, from_index, from_page in (
            (False, above, ["../sub/b"]),
            (True, inside, inside),
            (None, inside, ["../sub/b"]),
        ):
            settings = {"cleanUrls": True} if slash is None else {"cleanUrls": True, "trailingSlash": slash}
            files = {
                f"{host}.json": settings if host == "vercel" else {"hosting": {"public": ".", **settings}},
                **dict.fromkeys(("d/sub/b.html", "d/sub/pic.png"), ""),
            }
            index_page = {"d/sub/index.html": page(*index), "d/a.html": page()}
            assert broken(checked(tmp_path, {**files, **index_page}, [])) == from_index, slash
            other_page = {"d/sub/index.html": page(), "d/a.html": page(*other)}
            assert broken(checked(tmp_path, {**files, **other_page}, [])) == from_page, slash

    def test_a_page_keeps_its_suffix_without_clean_urls(self, tmp_path):
        files = {"vercel.json": {"trailingSlash": True}, "a.html": page("b.html", "a/b", "/b"), "b.html": ""}
        assert broken(checked(tmp_path, files, [])) == ["a/b", "/b"]

    def test_without_clean_urls(self, tmp_path):
        assert broken(checked(tmp_path, {"vercel.json": {}, "a.html": ""}, ["/a", "/a.html"])) == ["/a"]

    def test_the_folder_of_the_output(self, tmp_path):
        settings = {"outputDirectory": "dist", "cleanUrls": True}
        assert not broken(checked(tmp_path, {"vercel.json": settings, "dist/a.html": ""}, ["/a"], "dist"))
        assert broken(checked(tmp_path, {"vercel.json": settings, "other/a.html": ""}, ["/a"], "other")) == ["/a"]

    def test_older_routes(self, tmp_path):
        routes = [
            {"src": "/old/(\\w+)", "status": 301, "headers": {"Location": "/$1.html"}},
            {"src": "/.*", "headers": {"x": "y"}, "continue": True},
            {"src": "/closed", "status": 404},
            {"handle": "filesystem"},
            {"src": "/(.*)", "dest": "/index.html"},
        ]
        assert broken(checked(tmp_path, {"vercel.json": {"routes": routes}, "a.html": "", "closed": ""}, [])) == []
        assert broken(checked(tmp_path, {}, ["/old/a", "/old/b", "/closed", "/any"])) == ["/closed"]


class TestFirebase:
    def test_several_sites(self, tmp_path):
        sites = [
            {"target": "a", "public": "one", "redirects": [{"source": "/x", "destination": "/"}]},
            {"target": "b", "public": "two", "redirects": [{"source": "/y", "destination": "/"}]},
        ]
        result = checked(tmp_path, {"firebase.json": {"hosting": sites}}, ["/x", "/y"], "two")
        assert broken(result) == ["/x"]

    @pytest.mark.parametrize(
        ("source", "wrong"),
        [
            ("!/@(css|images)/**", ["/css/x", "/images/a/b"]),
            ("!/route", ["/route", "/route/"]),
            ("!**/{route,x}", ["/route", "/route/", "/css/x"]),
        ],
    )
    def test_a_negated_glob(self, tmp_path, source, wrong):
        hosting = {"public": "public", "redirects": [{"source": source, "destination": "https://e.example/"}]}
        references = ["/route", "/route/", "/css/x", "/images/a/b", "/other/c"]
        result = checked(tmp_path, {"firebase.json": {"hosting": hosting}}, references, "public")
        assert broken(result) == wrong
        assert not unjudged(result)

    @pytest.mark.parametrize("source", ["!/+(css|images)/**", "!css/**", "!/css/:name", "!/.a/*"])
    def test_a_negated_glob_that_is_not_understood(self, tmp_path, source):
        hosting = {"public": "public", "rewrites": [{"source": source, "destination": "/index.html"}]}
        result = checked(tmp_path, {"firebase.json": {"hosting": hosting}}, ["/route", "/css/x"], "public")
        assert not broken(result)
        assert unjudged(result) == {"rewrites[0] of ../firebase.json": 2}

    def test_pages_that_are_not_deployed_are_not_checked(self, tmp_path):
        hosting = {"public": "public", "ignore": ["secret/**"]}
        files = {"firebase.json": {"hosting": hosting}, "public/secret/s.html": page("/gone")}
        result = checked(tmp_path, files, ["/secret/s.html"], "public")
        assert broken(result) == ["/secret/s.html"]
        assert result.coverage.left_out == {"not deployed": 1}
        assert broken(checked(tmp_path, {}, [], "public", include_ignored=True)) == ["/gone"]

    def test_files_of_languages(self, tmp_path):
        files = {"firebase.json": {"hosting": {"public": "public", "i18n": {"root": "/localized-files"}}}}
        files |= {"public/localized-files/fr_ca/x.html": "", "public/localized-files/ALL/y.html": ""}
        result = checked(tmp_path, files, ["/x.html", "/y.html", "/z.html"], "public")
        assert broken(result) == ["/z.html"]
        assert unjudged(result) == {"i18n of ../firebase.json": 2}

    def test_a_function_answers(self, tmp_path):
        hosting = {"public": "public", "rewrites": [{"source": "/fn/**", "function": "f"}]}
        result = checked(tmp_path, {"firebase.json": {"hosting": hosting}}, ["/fn/x", "/x", "/__/auth"], "public")
        assert broken(result) == ["/x"]
        assert unjudged(result) == {"rewrites[0] of ../firebase.json": 1, "an address that the host answers itself": 1}

    def test_the_example_of_the_documentation(self, tmp_path):
        hosting = {"public": "public", "redirects": [{"source": "/foo{,/**}", "destination": "/", "type": 301}]}
        references = ["/foo", "/foo/", "/foo/bar", "/foo/b/c", "/food"]
        assert broken(checked(tmp_path, {"firebase.json": {"hosting": hosting}}, references, "public")) == ["/food"]


class TestAzure:
    def test_routes_and_fallback(self, tmp_path):
        settings = {
            "routes": [
                {"route": "/old", "redirect": "/new.html", "statusCode": 301},
                {"route": "/img/*", "headers": {"x": "y"}},
                {"route": "/gone.html", "statusCode": 410},
                {"route": "/profile*", "rewrite": "/new.html"},
                {"route": "/bad", "redirect": "/none.html"},
            ],
            "navigationFallback": {"rewrite": "/index.html", "exclude": ["/img/*.{png,jpg}", "/css/*"]},
        }
        files = {"staticwebapp.config.json": settings, "new.html": "", "gone.html": ""}
        references = "/old /new /gone.html /profile/x /bad /route /img/a.png /img/a.gif /css/x.css /.auth/me".split()
        result = checked(tmp_path, files, references)
        assert broken(result) == ["/gone.html", "/img/a.png", "/css/x.css"]
        assert result.settings == "Azure Static Web Apps, staticwebapp.config.json: 7 rules"


#: The files `.htaccess` that the programs write, or come with.
CONTROLLERS = {
    "WordPress": (
        "<IfModule mod_rewrite.c>\nRewriteEngine On\n"
        "RewriteRule .* - [E=HTTP_AUTHORIZATION:%{HTTP:Authorization}]\nRewriteBase /\n"
        "RewriteRule ^index\\.php$ - [L]\nRewriteCond %{REQUEST_FILENAME} !-f\nRewriteCond %{REQUEST_FILENAME} !-d\n"
        "RewriteRule . /index.php [L]\n</IfModule>\n"
    ),
    "Drupal": (
        'RewriteEngine on\nRewriteRule "/\\.|^\\.(?!well-known/)" - [F]\nRewriteCond %{REQUEST_FILENAME} !-f\n'
        "RewriteCond %{REQUEST_FILENAME} !-d\nRewriteRule ^ index.php [L]\n"
    ),
    "Laravel": (
        "RewriteEngine On\nRewriteCond %{HTTP:Authorization} .\n"
        "RewriteRule .* - [E=HTTP_AUTHORIZATION:%{HTTP:Authorization}]\n"
        "RewriteCond %{REQUEST_FILENAME} !-d\nRewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule ^ index.php [L]\n"
    ),
    "Symfony": (
        "RewriteEngine On\nRewriteCond %{REQUEST_URI}::$0 ^(/.+)/(.*)::\\2$\nRewriteRule .* - [E=BASE:%1]\n"
        "RewriteCond %{HTTP:Authorization} .+\nRewriteRule ^ - [E=HTTP_AUTHORIZATION:%0]\n"
        'RewriteCond %{ENV:REDIRECT_STATUS} =""\n'
        "RewriteRule ^index\\.php(?:/(.*)|$) %{ENV:BASE}/$1 [R=301,L]\n"
        "RewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule ^ %{ENV:BASE}/index.php [L]\n"
    ),
    "TYPO3": (
        "RewriteEngine On\nRewriteCond $0#%{REQUEST_URI} ([^#]*)#(.*)\\1$\nRewriteRule ^.*$ - [E=CWD:%2]\n"
        "RewriteCond %{REQUEST_FILENAME} !-f\nRewriteCond %{REQUEST_FILENAME} !-d\n"
        "RewriteCond %{REQUEST_FILENAME} !-l\nRewriteRule ^.*$ %{ENV:CWD}index.php [QSA,L]\n"
    ),
    "MediaWiki": (
        "RewriteEngine On\nRewriteCond %{DOCUMENT_ROOT}%{REQUEST_URI} !-f\n"
        "RewriteCond %{DOCUMENT_ROOT}%{REQUEST_URI} !-d\nRewriteRule ^(.*)$ %{DOCUMENT_ROOT}/index.php [L]\n"
    ),
    "Joomla": (
        "RewriteEngine On\nRewriteCond %{REQUEST_URI} !^/index\\.php\nRewriteCond %{REQUEST_FILENAME} !-f\n"
        "RewriteCond %{REQUEST_FILENAME} !-d\nRewriteRule .* index.php [L]\n"
    ),
}


EXTENSIONLESS = r"""
RewriteCond %{THE_REQUEST} \s/+(.+?)\.html[\s?] [NC]
RewriteRule ^ /%1 [R=301,L,NE]
RewriteCond %{REQUEST_FILENAME}.html -f
RewriteRule ^(.+?)/?$ $1.html [L]
"""

DRUPAL = r"""
RewriteCond %{REQUEST_URI} ^(.*)?/(install\.php) [OR]
RewriteCond %{REQUEST_URI} ^(.*)?/(rebuild\.php)
RewriteCond %{REQUEST_URI} !core
RewriteRule ^ %1/core/%2 [L,QSA,R=301]
"""


class TestApache:
    def test_conditions_leave_a_path_unjudged_only_if_they_may_lead_somewhere(self, tmp_path):
        rules = (
            "RewriteEngine On\n"
            "RewriteCond %{HTTPS} off\nRewriteRule ^(.*)$ https://%{HTTP_HOST}/$1 [R=301,L]\n"
            "RewriteCond %{HTTP_HOST} ^www\\.\nRewriteRule ^(.*)$ https://example.com/$1 [R=301,L]\n"
            "RewriteCond %{HTTP_COOKIE} x\nRewriteRule ^member/(.*)$ /$1 [L]\n"
        )
        result = checked(tmp_path, {".htaccess": rules, "a.html": ""}, ["/a.html", "/b", "/member/a.html", "/member/b"])
        assert broken(result) == ["/b", "/member/b"]
        assert unjudged(result) == {"line 7 of .htaccess": 1}

    @pytest.mark.parametrize(
        ("rules", "references", "wrong"),
        [
            (EXTENSIONLESS, "/faq /faq.html /faq/ /no /no.html", "/no /no.html"),
            ("RewriteRule ^faq$ faq.html [END]\nRewriteRule ^faq.html$ /faq [R=301,L]", "/faq /faq.html", ""),
            ("RewriteRule ^faq$ faq.html [L]\nRewriteRule ^faq.html$ /faq [R=301,L]", "/faq", "/faq"),
            ("RewriteRule ^(.+)/$ /$1 [R=301,L]\nRewriteRule ^faq$ faq.html [L]", "/faq/ /no/", "/no/"),
            ("RewriteRule ^faq$ /faq/ [R=301,L]\nRewriteRule ^faq/$ faq.html [L]", "/faq", ""),
            ("RedirectMatch 301 ^/l/ /l/a.html", "/l/a.html", "/l/a.html"),
            (r"RewriteRule ^home$ /faq\.html [R=301,L]", "/home", ""),
            (DRUPAL, "/d/ /no /install.php", "/no /install.php"),
        ],
    )
    def test_recipes(self, tmp_path, rules, references, wrong):
        """As Apache answers: `test_live_hosts` compares them."""
        files = {".htaccess": f"RewriteEngine On\n{rules}\n", "faq.html": "", "l/a.html": "", "d/index.html": ""}
        result = checked(tmp_path, files, references.split())
        assert [one.reference for one in result.findings if one.path == "index.html"] == wrong.split()
        assert not unjudged(result)

    @pytest.mark.growth
    def test_names_after_a_file_take_little_time(self, tmp_path):
        rules = "RewriteEngine On\nRewriteCond %{REQUEST_FILENAME}.html -f\nRewriteRule ^(.+?)/?$ $1.html [L]\n"
        with processor_limit(5):
            result = checked(tmp_path, {".htaccess": rules}, [f"/{'a/' * 50_000}", "/" + "/" * 100_000])
        assert len(broken(result)) <= 2

    def test_a_front_controller_answers_all(self, tmp_path):
        rules = (
            "<IfModule mod_rewrite.c>\nRewriteEngine On\nRewriteCond %{REQUEST_FILENAME} !-f\n"
            "RewriteCond %{REQUEST_FILENAME} !-d\nRewriteRule . /index.html [L]\n</IfModule>\n"
        )
        assert not broken(checked(tmp_path, {".htaccess": rules}, ["/any/thing"]))

    @pytest.mark.parametrize(
        "conditions",
        [("!-f", "!-d", "!-l"), ("!-s", "!-x", "!-h"), ("-s [OR]", "-l [OR]", "-d\nRewriteRule ^ - [L]")],
    )
    def test_conditions_on_links_sizes_and_rights_of_files(self, tmp_path, conditions):
        lines = "\n".join(f"RewriteCond %{{REQUEST_FILENAME}} {one}" for one in conditions)
        rules = f"RewriteEngine On\n{lines}\nRewriteRule . /index.html [L]\n"
        write(tmp_path, {".git/HEAD": "", ".htaccess": rules, "index.html": SPA_PAGE, "a.css": ""})
        result = audit(str(tmp_path), AuditOptions())
        assert sorted(broken(result)) == sorted(SPA_MISSING)
        assert not unjudged(result)

    @pytest.mark.parametrize(
        "rule",
        [
            "RewriteRule ^(.*)$ index.php [L,QSA]",
            "RewriteRule ^(.*)$ index.php?q=$1 [L,QSA]",
            "RewriteRule ^(.*)$ /index.php/$1 [L]",
            "FallbackResource /index.php",
        ],
    )
    def test_a_program_that_answers_all(self, tmp_path, rule):
        """Pages may come from it. Of files that pages load, it would have to make them: a warning."""
        rules = f"RewriteEngine On\nRewriteCond %{{REQUEST_FILENAME}} !-f\n{rule}\n"
        html = "<!doctype html><title>t</title><a href=/route>x</a><img src=no.png><img src=a.png><img src=/i/1>"
        write(tmp_path, {".git/HEAD": "", ".htaccess": rules, "index.php": "", "p.html": html, "a.png": ""})
        result = audit(str(tmp_path), AuditOptions())
        message = (
            "the site has no such file (line 3 of .htaccess leads to the program index.php, which would have to make"
        )
        assert [(one.reference, one.level.value, one.message) for one in result.findings] == [
            ("no.png", "warning", f"{message} it)")
        ]
        assert unjudged(result) == {"line 3 of .htaccess": 2}

    @pytest.mark.parametrize("name", CONTROLLERS)
    @pytest.mark.parametrize("is_there", [True, False])
    def test_programs_that_answer_all(self, tmp_path, name, is_there):
        """A copy of a site has the rules of its program, but not the program: then they decide nothing."""
        pages = ["/post/1/", "/doc.pdf", "/thumb/12"]
        made = ["/favicon.ico", "/sites/default/files/styles/big/public/a.jpg", "/sites/default/files/css/css_x.css"]
        missing = ["/no.css", "/no.jpg", "/files/no.woff2", "/no.js"]
        html = "".join(f"<a href={one}>x</a>" for one in pages)
        html += "".join(f"<img src={one}>" for one in [*made, *missing, "/a.jpg", "/b.php?x=1"])
        files = {".git/HEAD": "", ".htaccess": CONTROLLERS[name], "index.html": f"<!doctype html>{html}", "a.jpg": ""}
        write(tmp_path, files | ({"index.php": ""} if is_there else {}))
        result = audit(str(tmp_path), AuditOptions(ignore=("LF109", "LF5")))
        found = {one.reference: (one.level.value, one.cause) for one in result.findings if one.path == "index.html"}
        if is_there:
            assert {one: (level, cause) for one, (level, cause) in found.items()} == {
                one: ("warning", f"{one.rpartition('/')[0][1:]}/" if "files" in one else one[1:]) for one in missing
            }
            assert sum(result.coverage.unchecked.values()) == len([*pages, *made]) + 1
        else:
            assert set(found) == {*pages, *made, *missing, "/b.php?x=1"}
            assert {level for level, _ in found.values()} == {"error"}
            assert found["/no.jpg"] == ("error", "no.jpg")
            own = [one.reference for one in result.findings if one.path == ".htaccess"]
            assert own == ["/index.php"] * (name in {"WordPress", "MediaWiki"})  # from the root, so it is checked

    def test_a_program_that_answers_what_is_there_is_not_judged(self, tmp_path):
        rules = "RewriteEngine On\nRewriteCond %{REQUEST_URI} !=/index.php\nRewriteRule ^ index.php [L]\n"
        html = "<!doctype html><title>t</title><img src=a.png><img src=b.png>"
        write(tmp_path, {".git/HEAD": "", ".htaccess": rules, "index.php": "", "p.html": html, "a.png": ""})
        result = audit(str(tmp_path), AuditOptions())
        assert broken(result) == ["b.png"]
        assert unjudged(result) == {"line 3 of .htaccess": 1}

    def test_a_program_that_answers_one_path_is_there(self, tmp_path):
        rules = "RewriteEngine On\nRewriteRule ^about$ about.php [L]\n"
        result = checked(tmp_path, {".htaccess": rules, "about.php": ""}, ["/about", "/no"])
        assert broken(result) == ["/no"]
        assert not unjudged(result)

    def test_a_condition_on_links_holds_for_a_link(self, tmp_path):
        write(tmp_path, {"a.html": page(), "b.html": page()})
        (tmp_path / "l").symlink_to("none")
        rules = "RewriteEngine On\nRewriteCond %{REQUEST_FILENAME} -l\nRewriteRule . /a.html [L]\n"
        rules += "RewriteRule ^m$ /b.html [L]\n"
        result = checked(tmp_path, {".htaccess": rules}, ["/l", "/m", "/b.html", "/n"])
        assert broken(result) == ["/n"]
        assert not unjudged(result)

    def test_indexes_of_inner_folders(self, tmp_path):
        files = {
            "d/.htaccess": "DirectoryIndex none.html\n",
            "d/index.html": "",
            "d/e/index.html": "",
            "d/f/.htaccess": "DirectoryIndex own.html\nDirectoryIndex other.html\n",
            "d/f/other.html": "",
            "d/f/index.html": "",
            "g/index.html": "",
        }
        result = checked(tmp_path, files, ["d/", "d/index.html", "d/e/", "d/f/", "g/"])
        assert [(one.code, one.reference) for one in result.findings] == [("LF106", "d/"), ("LF106", "d/e/")]
        references = ["d/index.html", "d/e/index.html", "d/f/index.html", "d/f/other.html", "g/index.html"]
        assert broken(checked(tmp_path, {}, references, select=("detour",))) == ["d/f/other.html", "g/index.html"]
        assert not broken(checked(tmp_path, {}, ["d/", "d/e/"], indexes=("index.html",)))

    def test_inner_folders_with_views(self, tmp_path):
        files = {
            **{f"{one}.html": "" for one in ("m/a", "m/n/a", "m/o/a", "p/a")},
            "m/.htaccess": "Options +MultiViews\n",
            "m/n/.htaccess": "Options -MultiViews\n",
            "m/o/.htaccess": "Options +Indexes\n",
        }
        references = ["m/a", "m/n/a", "m/o/a", "p/a"]
        assert broken(checked(tmp_path, files, references)) == ["m/n/a", "p/a"]
        assert broken(checked(tmp_path, {".htaccess": "Options +MultiViews\n"}, references)) == ["m/n/a"]
        assert not broken(checked(tmp_path, {}, references, clean_urls=True))

    def test_inner_folders_that_show_their_files(self, tmp_path):
        files = {
            "l/.htaccess": "Options +Indexes\n",
            "l/a.txt": "",
            "l/m/.htaccess": "Options -Indexes\n",
            "l/m/a.txt": "",
        }
        files |= {"l/n/.htaccess": "Options FollowSymLinks\n", "l/n/a.txt": "", "l/o/a.txt": "", "p/a.txt": ""}
        assert broken(checked(tmp_path, files, ["l/", "l/m/", "l/n/", "l/o/", "p/"])) == ["l/m/", "l/n/", "p/"]
        assert broken(checked(tmp_path, {".htaccess": "Options Indexes\n"}, ["l/m/", "p/"])) == ["l/m/"]

    def test_targets_are_judged(self, tmp_path):
        rules = "ErrorDocument 404 /404.html\nRedirect /a /b.html\nRedirectMatch ^/c$ /d.html\n"
        rules += "Redirect /l /m\nRedirect /m /l\n"
        result = checked(tmp_path, {".htaccess": rules}, [])
        assert [(one.line, one.code, one.reference) for one in result.findings] == [
            (1, "LF101", "/404.html"),
            (2, "LF101", "/b.html"),
            (3, "LF101", "/d.html"),
            (4, "LF107", "/m"),
            (5, "LF107", "/l"),
        ]
        assert result.findings[3].message == (
            "/l: redirects form a circle (line 5 of .htaccess and line 4 of .htaccess)"
        )

    def test_an_expression_beyond_the_subset_leaves_what_it_may_match_unjudged(self, tmp_path):
        rules = "RedirectMatch ^/x/(a|b)+$ /\nRedirectMatch (?<=q)z /\n"
        result = checked(tmp_path, {".htaccess": rules}, ["/x/ab", "/y"])
        assert not broken(result)
        assert unjudged(result) == {"line 1 of .htaccess": 1, "line 2 of .htaccess": 1}


SLASHES = {"hosting": {"public": ".", "redirects": [{"source": "/loop", "destination": "/loop/", "type": 301}]}}


@pytest.mark.parametrize(
    ("host", "files", "circle"),
    [
        ("cloudflare", {"_redirects": "/loop/* /loop/a 301\n", "loop/a.html": ""}, "/loop/z /loop/a"),
        ("netlify", {"_redirects": "/loop /loop/ 301\n", "loop.html": ""}, ""),
        ("firebase", {"firebase.json": SLASHES, "loop/index.html": ""}, "/loop /loop/"),
    ],
)
def test_a_redirect_to_itself_is_a_circle(tmp_path, host, files, circle):
    """As `wrangler pages dev` and superstatic answer; Netlify ignores such a rule."""
    references = circle.split() or ["/loop", "/loop/"]
    result = checked(tmp_path, files, references, host=host)
    found = [one for one in result.findings if one.path == "index.html"]
    assert [(one.code, one.reference) for one in found] == [("LF107", one) for one in circle.split()]
    assert not (circle and checked(tmp_path, files, references, host=host, select=("detour",)).findings)


DO = ": Netlify and Cloudflare Pages do"


@pytest.mark.parametrize(
    ("host", "files", "level", "message", "hint"),
    [
        ("github-pages", {}, "error", "GitHub Pages finds", "remove the slash"),
        (None, {".htaccess": "Options +MultiViews\n"}, "error", "Apache finds", "remove the slash"),
        (None, {}, "warning", "GitHub Pages and most servers find", f"remove the slash{DO}"),
    ],
)
def test_a_known_host_without_the_form_with_a_slash(tmp_path, host, files, level, message, hint):
    clean = {} if files or host else {"clean_urls": True}
    (found,) = checked(tmp_path, {**files, "about.html": ""}, ["/about/"], host=host, **clean).findings
    assert (found.code, found.level.value, found.hint.text) == ("LF106", level, hint)
    assert found.message == f"about.html has no folder: with the slash, {message} no page"


@pytest.mark.parametrize(
    ("files", "places"),
    [
        ({"_redirects": "/d http://localhost:8888/x 301\n/e https://example.com/ 301\n"}, [1]),
        ({".htaccess": "Redirect 301 /d http://192.168.0.1/x\n"}, [1]),
        ({".htaccess": "RewriteEngine On\nRewriteRule ^d$ http://10.0.0.1/x [R=301,L]\n"}, [2]),
        ({"vercel.json": {"redirects": [{"source": "/d", "destination": "http://localhost/x"}]}}, [1]),
        ({"netlify.toml": '[[redirects]]\nfrom = "/d"\nto = "https://u:p@example.com/x"\n'}, []),
    ],
)
@pytest.mark.parametrize("base_url", [None, "https://site.example/"])
def test_targets_on_hosts_that_the_public_cannot_reach(tmp_path, files, places, base_url):
    found = checked(tmp_path, files, [], base_url=base_url).findings
    assert [(one.code, one.line, one.path) for one in found] == [("LF701", line, next(iter(files))) for line in places]


def test_pages_that_a_host_file_names_for_errors(tmp_path):
    """They are shown at any address: relative references are wrong, and have no certain fix."""
    html = '<!doctype html><title>t</title><link rel="stylesheet" href="../css/a.css"><a href="../index.html">x</a>'
    files = {".htaccess": "ErrorDocument 404 /errors/n.html\n", "errors/n.html": html, "errors/m.html": html}
    files |= {"css/a.css": "", "404.html": page(), "google1234567890abcdef.html": page(), "alone.html": page()}
    files |= {"errors/o/.htaccess": "FallbackResource /errors/o/p.html\n", "errors/o/p.html": page()}
    result = checked(tmp_path, files, [])
    found = [(one.code, one.path, one.reference) for one in result.findings]
    assert found == [("LF702", "errors/n.html", one) for one in ("../css/a.css", "../index.html")]
    result = checked(tmp_path, {}, [], select=("LF110", "detour"))
    found = [(one.code, one.path, bool(one.hint and one.hint.certain)) for one in result.findings]
    expected = [("LF110", "alone.html", False), ("LF110", "errors/m.html", False), ("LF121", "errors/m.html", True)]
    assert sorted(found) == [*expected, ("LF121", "errors/n.html", False)]


class TestHosts:
    @pytest.mark.parametrize(
        ("host", "found"),
        [
            (None, ["/a", "/a/"]),
            ("none", ["/a", "/a/"]),
            ("apache", ["/a", "/a/"]),
            ("firebase", ["/a", "/a/"]),
            ("vercel", ["/a", "/a/"]),
            ("github-pages", ["/a/"]),
            ("netlify", []),
            ("cloudflare", []),
            ("azure", []),
        ],
    )
    def test_pages_without_suffix(self, tmp_path, host, found):
        assert broken(checked(tmp_path, {"a.html": ""}, ["/a", "/a/", "/a.html"], host=host)) == found

    def test_only_the_files_of_the_chosen_host_count(self, tmp_path):
        files = {"_redirects": "/r /\n", ".htaccess": "Redirect /h /index.html\n"}
        assert broken(checked(tmp_path, files, ["/r", "/h"])) == []
        assert broken(checked(tmp_path, {}, ["/r", "/h"], host="apache")) == ["/r"]
        assert broken(checked(tmp_path, {}, ["/r", "/h"], host="cloudflare")) == ["/h"]
        assert broken(checked(tmp_path, {}, ["/r", "/h"], host="none")) == ["/r", "/h"]

    def test_the_domain_names_the_host(self, tmp_path):
        result = checked(tmp_path, {"a.html": ""}, ["/x/a"], base_url="https://me.github.io/x/")
        assert not result.findings
        assert result.settings == "GitHub Pages"

    def test_every_host_is_found_without_files(self, tmp_path):
        for chosen, kind in HOST_KINDS.items():
            found = find_host(str(tmp_path), [], "http://tree.invalid/", chosen)
            assert found.words.partition(":")[0] == (kind.name if chosen else "")
            assert found.words.endswith(f"there is no {kind.files} for this folder") is bool(chosen and kind.files)


def test_messages_name_the_rule_that_leads_to_the_destination(tmp_path):
    rules = "/folder /a\n/page /b.html 301\n/case /UP.html\n/own /b.html 200\n/lost /gone\n/to/* /b.html#no\n"
    rules += "/closed.html /x 404!\n/slashed /b/\n"
    files = {"_redirects": rules, **dict.fromkeys(("a/n.txt", "b.html", "Up.html", "closed.html"), "")}
    references = (
        "/folder /page#no /page#:~:text=no /case /own#no /lost /to/x /closed.html /slashed /b.html#no /a".split()
    )
    result = checked(tmp_path, files, references, select=("LF1", "LF116"), clean_urls=True)
    ends = {one.reference: one.message.partition(" (")[2] for one in result.findings if one.path == "index.html"}
    assert ends == {
        "/folder": "line 1 of _redirects leads to a)",
        "/page#no": "line 2 of _redirects leads to b.html)",
        "/page#:~:text=no": "line 2 of _redirects leads to b.html)",
        "/case": "line 3 of _redirects leads to UP.html)",
        "/own#no": "line 4 of _redirects leads to b.html)",
        "/lost": "line 5 of _redirects leads to gone)",
        "/to/x": "line 6 of _redirects leads to b.html)",
        "/closed.html": "line 7 of _redirects answers 404)",
        "/slashed": "line 8 of _redirects leads to b)",
        "/b.html#no": "",
        "/a": "",
    }


def test_fragments_that_redirects_set_replace_those_of_references(tmp_path):
    files = {"_redirects": "/old/* /b.html#:splat 301\n", "b.html": "<p id=x>"}
    result = checked(tmp_path, files, ["/old/x", "/old/y", "/old/x#z", "/old/y#x", "/b.html#x"])
    assert [(one.code, one.reference) for one in result.findings] == [("LF102", "/old/y"), ("LF102", "/old/y#x")]


def test_messages_about_the_folder_of_the_site_name_the_rule(tmp_path):
    result = checked(
        tmp_path, {".htaccess": "Redirect /s/old /x.html\n", "x.html": ""}, ["/s/old"], base_url="https://h/s/"
    )
    (one,) = [one for one in result.findings if one.path == "index.html"]
    assert (
        one.message == "the reference points outside /s/, the folder of the site (line 1 of .htaccess leads to /x.html)"
    )


def faults(result):
    """The findings about parts of host files that are not valid."""
    found = [one for one in result.findings if one.code == "LF904"]
    assert all(one.level.value == "warning" and one.hint for one in found)
    return [(one.path, one.line, one.message) for one in found]


class TestHostsInHtaccess:
    """Rules that lead to another name of the site's own host, as most files have them."""

    @pytest.mark.parametrize(
        "rules",
        [
            "RewriteCond %{HTTP_HOST} ^www\\.(.*)$ [NC]\nRewriteRule ^ https://%1%{REQUEST_URI} [R=301,L]\n",
            "RewriteCond %{HTTP_HOST} !^www\\. [NC]\nRewriteRule ^(.*)$ https://www.%{HTTP_HOST}/$1 [R=301,L]\n",
            (
                "RewriteCond %{HTTPS} off [OR]\nRewriteCond %{HTTP_HOST} ^www\\.\n"
                "RewriteCond %{HTTP_HOST} ^(?:www\\.)?(.+)$ [NC]\nRewriteRule ^ https://%1%{REQUEST_URI} [NE,R=301]\n"
            ),
        ],
    )
    def test_hide_nothing_that_is_missing(self, tmp_path, rules):
        result = checked(tmp_path, {".htaccess": f"RewriteEngine On\n{rules}", "a.html": ""}, ["/a.html", "/b.html"])
        assert broken(result) == ["/b.html"]
        assert unjudged(result) == {}

    def test_a_group_of_another_condition_is_any_host(self, tmp_path):
        rules = "RewriteEngine On\nRewriteCond %{QUERY_STRING} ^h=(.*)$\nRewriteRule ^ https://%1%{REQUEST_URI} [R]\n"
        result = checked(tmp_path, {".htaccess": rules}, ["/b.html?h=other.example", "/b.html"])
        assert broken(result) == ["/b.html"]
        assert result.coverage.unchecked == {"another site": 1}

    @pytest.mark.parametrize("more", ["", " [NC]"])
    def test_a_text_is_compared(self, tmp_path, more):
        rules = f"RewriteEngine On\nRewriteCond %{{REQUEST_URI}} !=/a.ico{more}\nRewriteRule ^ index.php [L]\n"
        references = ["/a.ico", "/A.ico", "/node"]
        result = checked(tmp_path, {".htaccess": rules, "index.php": ""}, references, ignore=("LF105",))
        assert broken(result) == (references[:2] if more else references[:1])

    @pytest.mark.parametrize("variable", ["HTTP:X-Forwarded-Proto", "ENV:x", "LA-U:REMOTE_USER", "REMOTE_ADDR"])
    def test_variables_that_the_folder_does_not_have(self, tmp_path, variable):
        rules = f"RewriteEngine On\nRewriteCond %{{{variable}}} =x\nRewriteRule ^a$ /b.html\n"
        rules += f"RewriteRule ^c$ /%{{{variable}}}.html\n"
        result = checked(tmp_path, {".htaccess": rules, "b.html": ""}, ["/a", "/c", "/d"])
        assert broken(result) == ["/d"]
        assert unjudged(result) == {"line 3 of .htaccess": 1, "line 4 of .htaccess": 1}

    def test_alternatives_of_which_one_is_not_known(self, tmp_path):
        rules = (
            "RewriteEngine On\nRewriteCond %{HTTP_COOKIE} a [OR]\nRewriteCond %{REQUEST_FILENAME} -f\n"
            "RewriteRule ^(.)$ /d/$1 [R=301]\n"
        )
        result = checked(tmp_path, {".htaccess": rules, "d/a": "", "b": ""}, ["/a", "/b", "/c"])
        assert broken(result) == ["/c"]
        assert unjudged(result) == {"line 4 of .htaccess": 1}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("Indexes +MultiViews", "some options have a sign, + or -, and some have none"),
        ("+Index", "Options has no +index"),
        ("+Indexes -MultiViews", ""),
        ("FollowSymLinks Indexes", ""),
        ("All", ""),
    ],
)
def test_options_that_apache_refuses(tmp_path, words, message):
    found = checked(tmp_path, {".htaccess": f"\nOptions {words}\n"}, []).findings
    assert [(one.code, one.line, one.message) for one in found] == [("LF904", 2, message)] * bool(message)


class TestPlacesOfFaults:
    @pytest.mark.parametrize(
        ("name", "content", "place"),
        [
            (
                "netlify.toml",
                "\ufeff[build]",
                (1, 1, "a byte order mark is before the text: save the file as UTF-8 without one"),
            ),
            ("vercel.json", '\ufeff{"é": 1, "b": 2 "c": 3}', (1, 17, "a comma is missing")),
            (
                "vercel.json",
                '{"a": 1, /* x */ "b": [1, 2,],\n}',
                (1, 28, "a comma is before the end of the list or object"),
            ),
            ("vercel.json", '{\n "a": 1,\n\n}', (2, 8, "a comma is before the end of the list or object")),
            ("vercel.json", "{\"a\": 'b'}", (1, 7, "a value is missing, or has no double quotation marks")),
            ("vercel.json", '{"a": 1} x', (1, 10, "there is text after the end")),
            ("vercel.json", '{"a": "b\n"}', (1, 9, "a text has a line break or another control character")),
            ("netlify.toml", "[build]\npublish site\n", (2, 9, "the key has no = after it")),
            (
                "netlify.toml",
                "[build]\n  publish = site\n",
                (2, 13, "the value is not valid: put text in quotation marks"),
            ),
            ("netlify.toml", "a = 1\na = 2\n", (2, 6, "the key has a value already")),
            ("netlify.toml", "[a]\n[a]\n", (2, 3, "the table is declared twice")),
            ("netlify.toml", "a = [1\n", (1, 1, "nothing ends the list, or a comma is missing")),
        ],
    )
    def test_syntax(self, tmp_path, name, content, place):
        [one] = checked(tmp_path, {name: content}, []).findings
        assert (one.line, one.column, one.message.partition(": ")[2]) == place
        assert one.message.startswith("the file is not valid ")

    def test_a_file_of_one_line(self, tmp_path):
        rules = [{"source": f"/a{number}", "destination": "/"} for number in range(2000)]
        rules[1500] = {"source": "/wrong"}
        settings = json.dumps({"redirects": rules})
        [one] = checked(tmp_path, {"vercel.json": settings}, []).findings
        assert (one.line, one.column) == (1, settings.index("/wrong") + 1)
        assert one.end - one.start <= 200
        assert len(one.excerpt) < 500

    def test_a_pattern_of_firebase(self, tmp_path):
        settings = '{"hosting": {"public": ".",\n"ignore": [\n"a",\n "b",\n "!c"]}}'
        result = checked(tmp_path, {"firebase.json": settings, "b": ""}, ["b"])
        assert [(one.code, one.line, one.column) for one in result.findings if one.code == "LF904"] == [("LF904", 5, 3)]
        assert [one.message for one in result.findings if one.code == "LF101"] == [
            "the file is not deployed: line 4 of firebase.json leaves it out"
        ]


class TestFaults:
    @pytest.mark.parametrize(
        ("name", "content", "line", "message"),
        [
            (
                "netlify.toml",
                '[build]\npublish = "site\n',
                2,
                "the file is not valid TOML: nothing ends the text in this line",
            ),
            ("vercel.json", '{\n "redirects": [\n}', 3, "the file is not valid JSON: a value is missing"),
            (
                "vercel.json",
                "/*\n\n*/ {,}",
                3,
                "the file is not valid JSON: a name in double quotation marks is missing",
            ),
            ("firebase.json", "[]", 1, "the file has no object"),
            ("staticwebapp.config.json", "{", 1, "the file is not valid JSON: a name in double quotation marks"),
            ("vercel.json", '{\n"redirects": {"a": 1}}', 2, "redirects is not a list"),
            ("vercel.json", '{"rewrites":\n[1]}', 1, "rewrites has an entry that is not an object"),
            ("vercel.json", '{"rewrites":\n[{"source": "/a"}]}', 2, "a rule of rewrites has no destination"),
            ("netlify.toml", "\nredirects = 1\n", 2, "redirects is not a list"),
            ("netlify.toml", "[[redirects]]\nfrom = 1\n", 1, "the from of a rule of redirects is not a text"),
            (
                "netlify.toml",
                '[[redirects]]\nfrom = "/a"\nto = ["/"]',
                2,
                "the to of a rule of redirects is not a text",
            ),
            ("netlify.toml", '[[redirects]]\nto = "/"', 1, "a rule of redirects has no from"),
            ("netlify.toml", "[build]\npublish = 3\n", 2, "publish is not a text"),
            ("vercel.json", '{"outputDirectory": ["a"]}', 1, "outputDirectory is not a text"),
            (
                "vercel.json",
                '{"rewrites":\n[{"source": "/a", "destination": {}}]}',
                2,
                "the destination of a rule of rewrites is not a text",
            ),
            ("staticwebapp.config.json", '{\n"routes": 1}', 2, "routes is not a list"),
            ("firebase.json", '{"hosting": {"public": ".",\n"rewrites": {}}}', 2, "rewrites is not a list"),
            ("_redirects", "# a\n\n/x /y 301\n/bad code /b/ abc\n", 4, "the line is not a rule"),
            ("_redirects", "/a /b Country=de", 1, "the line has no status before its conditions"),
            ("_redirects", "/a 404", 1, "the line is not a rule"),
            ("netlify.toml", '[[redirects]]\nfrom = "/a"\nto = "/b"\nstatus = []', 2, "the status of the rule is no"),
            ("netlify.toml", '[[redirects]]\nfrom = "/a"\nstatus = 404', 2, "a rule of redirects has no to"),
            ("_redirects", f"/a /{'b' * 5000}", 1, "the line is longer than 4,096 characters"),
            (
                "vercel.json",
                '{"redirects": [\n{"source": "/x(", "destination": "/"}]}',
                2,
                "the expression of the rule is invalid: a ( has no )",
            ),
            (
                "vercel.json",
                '{"routes": [{"src": "/x)", "dest": "/"}]}',
                1,
                "the expression of the rule is invalid: a ) has no (",
            ),
            (
                "firebase.json",
                '{"hosting": {"public": ".", "redirects": [{"regex": "/[x", "destination": "/"}]}}',
                1,
                "the expression of the rule is invalid: a [ has no ]",
            ),
            (
                ".htaccess",
                "RewriteEngine on\nRewriteRule ^(y( /\n",
                2,
                "the expression of the rule is invalid: a ( has no )",
            ),
            (
                "firebase.json",
                '{"hosting": {"public": ".", "rewrites": [\n{"source": "**", "destination": 3}]}}',
                2,
                "the destination of the rule is not a string",
            ),
            ("firebase.json", '{"hosting": {"public": ".",\n"cleanUrls": "yes"}}', 2, "cleanUrls is not true or false"),
            (
                "staticwebapp.config.json",
                '{"routes": [\n{"route": "/miss*ng", "redirect": "/y"}]}',
                2,
                "the route of the rule has a * that is not at its end",
            ),
            (".htaccess", "RewriteEngine on\nRewriteRule (\n", 2, "the rule has fewer than two words"),
            (".htaccess", "RewriteRule ^c$ /b [Q]\n", 1, "the rule has the unknown flag Q"),
            (".htaccess", "RewriteRule ^c$ /b [R=301, L]\n", 1, "the rule has flags that are not in one pair of"),
            (".htaccess", "RewriteCond %{REQUEST_FILENAME}\n", 1, "the condition has fewer than two words"),
            (".htaccess", "RewriteCond %{HTTPS} off [L]\n", 1, "the condition has the unknown flag L"),
            (".htaccess", "\nRedirect /missing y\n", 2, "the target of the redirect is not a URL, and does not"),
            (".htaccess", "Redirect 999 /missing /y\n", 1, "the redirect has a target, but the status 999 is no"),
            (".htaccess", "#\n<IfModule x>\n", 2, "<IfModule> is not closed"),
            (".htaccess", "#\nRewrteRule ^a$ /b\n", 2, "Apache has no directive RewrteRule: RewriteRule is similar"),
            (".htaccess", "headers set X y\n", 1, "Apache has no directive headers: Header is similar"),
            (".htaccess", "<IfModle mod_alias.c>\n</IfModle>\n", 1, "Apache has no directive IfModle: IfModule is"),
            (".htaccess", "ALIAS /a /b\n", 1, "Alias is allowed only in the server's configuration"),
            (".htaccess", "<Directory /a>\n</Directory>\n", 1, "Directory is allowed only in the server's"),
            (".htaccess", "#\n</Files>\n", 2, "</Files> does not close the section before it"),
            (".htaccess", "RedirectMatch *a /b\n", 1, "the expression of the rule is invalid: * has nothing to repeat"),
        ],
    )
    def test_a_part_that_is_not_valid_is_a_warning_at_its_line(self, tmp_path, name, content, line, message):
        result = checked(tmp_path, {name: content, "y": ""}, ["/missing"])
        ((path, place, words),) = faults(result)
        assert (path, place) == (name, line)
        assert words.startswith(message)
        assert "/missing" in broken(result)  # what does not count decides nothing
        assert "valid" in result.settings

    def test_directives_that_apache_may_know(self, tmp_path):
        rules = "php_value a b\nFooBar baz\nRewriteLog x\nCGIPassAuth on\nAllowed x\n"
        rules += "<IfModule mod_foo.c>\nRedirct /a /b\nAlias /a /b\n</IfModule>\n"
        rules += "<IfModule !mod_rewrite.c>\nRewriteEngin on\n</IfModule>\n<If true>\nHeaders x\n</If>\n"
        assert not faults(checked(tmp_path, {".htaccess": rules}, []))

    def test_a_file_in_utf_16(self, tmp_path):
        (tmp_path / "_redirects").write_bytes("/a /b\n".encode("utf-16"))
        result = checked(tmp_path, {}, ["/a"])
        assert faults(result) == [("_redirects", 1, "the file is not UTF-8")]
        assert result.settings == "_redirects: not valid, so it does not count"

    def test_a_file_above_the_tree(self, tmp_path):
        result = checked(tmp_path, {"netlify.toml": "\n[build"}, [], "site")
        ((path, line, _),) = faults(result)
        assert (path, line) == ("../netlify.toml", 2)

    def test_only_the_first_faults_of_a_file_are_reported(self, tmp_path):
        found = faults(checked(tmp_path, {"_redirects": "a b\n" * 100}, []))
        assert len(found) == 21
        assert found[-1] == ("_redirects", 21, "80 more parts of the file, from here on, not valid")
        [*_, last] = faults(checked(tmp_path, {"_redirects": "a b\n" * 20}, []))
        assert last == ("_redirects", 20, "the line is not a rule, so it does not count")

    def test_valid_lines_that_are_not_read_are_no_faults(self, tmp_path):
        text = (
            "\ufeff# c\r\n\r\nhttps://a.example/* https://b.example/:splat 301!\r\n/a/* 200\r\n/b /index.html # c\r\n"
        )
        assert faults(checked(tmp_path, {"_redirects": text}, [])) == []

    def test_valid_lines_of_apache_are_no_faults(self, tmp_path):
        text = (
            '<IfModule mod_rewrite.c>\n<Files "a">\n</files>\nRewriteEngine on\nRewriteCond %{HTTPS} !=on [NC]\n'
            "RewriteCond expr '%{HTTPS} == \"on\"'\nRewriteRule ^a\\ b$ /b [QSA,END,E=x:y,R=301]\n"
            'RewriteRule ^a$ - "[L, CO=a:b:.c]"\n</IfModule>\nRedirect 410 /x\nRedirect /y\nFoo x\n'
        )
        result = checked(tmp_path, {".htaccess": text, "b": ""}, ["/a%20b", "/c"])
        assert faults(result) == []
        assert broken(result) == ["/c"]

    def test_valid_expressions_of_other_engines_are_no_faults(self):
        texts = [
            r"^a\(b",
            "[(]",
            "[[:alpha:]]+(x)",
            r"\Q(\E",
            "(?#()",
            "[]",
            "[])]",
            "(?x) a # (",
            r"[\]]",
            "(a(b))",
            "^*",
        ]
        assert [text for text in texts if fault_of(text)] == []


@pytest.mark.parametrize(
    ("reference", "hint"),
    [
        ("/about/", "/lamp/about/"),
        ("/about/index.html?a#b", "/lamp/about/index.html?a#b"),
        ("/a%62out/", "/lamp/a%62out/"),
    ],
)
def test_the_hint_for_a_path_outside_the_site_keeps_its_form(tmp_path, reference, hint):
    result = checked(tmp_path, {"about/index.html": page("/lamp/")}, [reference], base_url="https://h.example/lamp/")
    assert [(one.code, one.hint.reference) for one in result.findings if one.code == "LF108"] == [("LF108", hint)]


class TestAnswers:
    @pytest.mark.parametrize(
        ("name", "content", "answer"),
        [
            (".htaccess", "\nRedirect gone /gone\n", "line 2 of .htaccess answers 410"),
            (".htaccess", "RewriteEngine on\nRewriteRule ^gone$ - [F]\n", "line 2 of .htaccess answers 403"),
            (".htaccess", "RewriteEngine on\nRewriteRule ^gone$ - [R=404]\n", "line 2 of .htaccess answers 404"),
            (".htaccess", "Redirect /gone /none", "line 1 of .htaccess leads to none"),
            ("_redirects", "/gone /404.html 404!", "line 1 of _redirects answers 404"),
            ("vercel.json", '{"routes": [{"src": "/gone", "status": 410}]}', "routes[0] of vercel.json answers 410"),
            (
                "staticwebapp.config.json",
                '{"routes": [\n{"route": "/gone", "statusCode": 404}]}',
                "line 2 of staticwebapp.config.json answers 404",
            ),
        ],
    )
    def test_a_rule_that_answers_an_error_leads_nowhere(self, tmp_path, name, content, answer):
        files = {name: content, "gone": "", "404.html": page()}
        messages = [one.message for one in checked(tmp_path, files, ["/gone"]).findings if one.reference == "/gone"]
        assert messages == [f"the site has no such file ({answer})"]

    def test_targets_of_azure_for_errors_are_checked(self, tmp_path):
        settings = '{"responseOverrides": {"404": {"rewrite": "/404x.html"},\n"401": {"redirect": "/in.html"}}}'
        result = checked(tmp_path, {"staticwebapp.config.json": settings, "in.html": page("/")}, ["/in.html"])
        assert [(one.path, one.line, one.reference) for one in result.findings] == [
            ("staticwebapp.config.json", 1, "/404x.html")
        ]

    @pytest.mark.parametrize(
        ("host", "settings"),
        [
            ("vercel", "Vercel: there is no vercel.json for this folder"),
            ("netlify", "Netlify: there is no netlify.toml or _redirects for this folder"),
            ("github-pages", "GitHub Pages"),
        ],
    )
    def test_a_host_without_its_files(self, tmp_path, host, settings):
        assert checked(tmp_path, {}, [], host=host).settings == settings


class TestDetours:
    @pytest.mark.parametrize(
        ("tag", "written"),
        [
            ('<form action="{}" method="post"></form>', "/old"),
            ('<form action="{}"></form>', "/old"),
            ('<form><button formaction="{}">b</button></form>', "/old"),
            ('<a href="/about" ping="{}">x</a>', "/old"),
            ('<a href="{}">x</a>', "/about"),
        ],
    )
    def test_addresses_that_get_data_have_no_certain_fix(self, tmp_path, tag, written):
        html = f"<!doctype html><title>t</title>{tag}"
        files = {".git/HEAD": "", "_redirects": "/old /about 301\n", "about.html": page()}
        write(tmp_path, {**files, "index.html": html.format("/old")})
        options = AuditOptions(select=("detour",), host="cloudflare")
        result = audit(str(tmp_path), options)
        assert [one.reference for one in result.findings] == ["/old"]
        fixed = [one.new.decode() for one in fix_references(result, options)]
        assert fixed == [html.format(written)] * (written != "/old")

    def test_groups_that_are_escaped_have_no_certain_fix(self, tmp_path):
        rule = r"RewriteRule ^enc/(.*)$ /faq.html?w=$1 [R=301,{}L]"
        for flag, is_certain in (("", True), ("B,", False)):
            files = {".htaccess": f"RewriteEngine On\n{rule.format(flag)}\n", "faq.html": ""}
            found = checked(tmp_path, files, ["/enc/%C3%A4"], select=("detour",)).findings
            assert [one.hint.certain for one in found] == [is_certain]

    def found(self, tmp_path, files, references, **options):
        result = checked(tmp_path, files, references, select=("detour",), **options)
        return {one.reference: one.hint.reference if one.hint.certain else None for one in result.findings}

    def test_redirects_and_forms_of_one_url(self, tmp_path):
        redirects = "/old /d/p.html 301\n/older /old 301\n/temp /d/p.html 302\n/s/* /d/:splat 308\n"
        redirects += "/out https://elsewhere.example/ 301\n"
        files = {"_redirects": redirects, "d/index.html": "", "d/p.html": ""}
        references = [
            *(
                "/old?q=1#x",
                "older",
                "/temp",
                "/out",
                "s/p.html",
                "d",
                "d/",
                "d/index.html#y",
                "d/p.html",
                "index.html",
                "",
            ),
            *("./d", "/d?q=1", "http://tree.invalid/d"),
        ]
        assert self.found(tmp_path, files, references) == {
            "/old?q=1#x": "/d/p.html?q=1#x",
            "older": "d/p.html",
            "/temp": None,
            "/out": "https://elsewhere.example/",
            "s/p.html": "d/p.html",
            "d": "d/",
            "d/index.html#y": "d/#y",
            "index.html": "./",
            "./d": "d/",
            "/d?q=1": "/d/?q=1",
            "http://tree.invalid/d": "http://tree.invalid/d/",
        }

    @pytest.mark.parametrize(
        ("host", "found"),
        [
            ("cloudflare", {"a.html": "a", "a/": "a", "d/index.html": "d/", "d": "d/"}),
            ("netlify", {"a/": "a", "d/index.html": "d/", "d": "d/"}),
            ("github-pages", {"d/index.html": "d/", "d": "d/"}),
        ],
    )
    def test_forms_that_hosts_redirect(self, tmp_path, host, found):
        files = {"a.html": "", "d/index.html": ""}
        assert self.found(tmp_path, files, ["a", "a.html", "a/", "d/", "d", "d/index.html"], host=host) == found

    def test_names_in_another_case(self, tmp_path):
        files = {".htaccess": "CheckSpelling On\n", "Guide.html": ""}
        assert self.found(tmp_path, files, ["guide.html#x", "Guide.html"]) == {"guide.html#x": "Guide.html#x"}

    def test_they_are_fixed(self, tmp_path):
        options = AuditOptions(select=("detour",))
        write(tmp_path, {"_redirects": "/old /d/ 301\n", "d/index.html": "", "index.html": page("/old#x", "d?q", "d/")})
        result = audit(str(tmp_path), options)
        (fixed,) = fix_references(result, options)
        assert fixed.new.decode() == page("/d/#x", "d/?q", "d/")

    @pytest.mark.parametrize(
        "settings",
        [
            {"wrangler.toml": "[assets]\ndirectory = 'public'\nhtml_handling = 'drop-trailing-slash'\n"},
            {"public/vercel.json": {"trailingSlash": False}},
            {"firebase.json": {"hosting": {"public": "public", "cleanUrls": True, "trailingSlash": False}}},
        ],
        ids=["cloudflare", "vercel", "firebase"],
    )
    def test_the_direct_url_of_a_folder_above_has_no_slash(self, tmp_path, settings):
        """A reference that ends with `.` or `..` always leads to a URL with a slash: such a one is written with names.

        `--fix` twice changes nothing.
        """
        before = "./ . ../ .. ./?q#f ../?q#f ../../ / /a/b/ c/ ../b/c/ ../x/".split()
        after = "../b ../b ../../a ../../a ../b?q#f ../../a?q#f ../../ / /a/b c c ../x".split()
        with_base, fixed_base = '<base href="/a/b/c/d">', ["../c", "../../b", "../../../a"]
        files = {
            **{f"public/{name}index.html": page() for name in ("", "a/", "a/b/", "a/b/c/", "a/x/")},
            "public/a/b/p.html": page(*before),
            "public/a/b/base.html": with_base + page("./", "../", "../../"),
            "public/a/b/s.css": "a { background: url(./); b: url('../x/') }",
            "public/sitemap.xml": '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
            "<url><loc>https://a.example/a/b/</loc></url></urlset>",
            "public/a/b/index.html": page("./", "../", "b/", "x/", "c/", "../a/x/", ""),
            **settings,
        }
        write(tmp_path, {".git/HEAD": "", **files})
        options = AuditOptions(select=("detour",), base_url="https://a.example/")
        fixed = {}
        for one in fix_references(audit(str(tmp_path / "public"), options), options):
            fixed[one.name] = one.new.decode()
            (tmp_path / "public" / one.name).write_bytes(one.new)
        assert fixed == {
            "a/b/p.html": page(*after),
            "a/b/base.html": with_base + page(*fixed_base),
            "a/b/s.css": "a { background: url(../b); b: url('../x') }",
            "sitemap.xml": files["public/sitemap.xml"].replace("/a/b/", "/a/b"),
            "a/b/index.html": page("../a", "../", "b", "x", "c/", "x", ""),
        }
        assert audit(str(tmp_path / "public"), options).findings == ()

    def fixed(self, tmp_path, files, references, **options):
        """The references after `--fix`."""
        chosen = AuditOptions(select=("detour",), **options)
        write(tmp_path, {"d/index.html": "", **files, "index.html": page(*references)})
        result = audit(str(tmp_path), chosen)
        new = [one.new.decode() for one in fix_references(result, chosen)]
        return new[0] if new else page(*references)

    @pytest.mark.parametrize(
        ("files", "references", "fixed"),
        [
            (
                {".htaccess": "Redirect 301 /q /d/?tab=1\nRedirect 301 /p /d/\n"},
                ["/q", "/q?y=2", "/p?y=2#f", "q"],
                ["/d/?tab=1", "/d/?tab=1", "/d/?y=2#f", "d/?tab=1"],
            ),
            (
                {
                    ".htaccess": "RewriteEngine On\nRewriteRule ^a$ /d/?x=1 [R=301]\n"
                    "RewriteRule ^b$ /d/?x=1 [R=301,QSA]\n"
                    "RewriteRule ^c$ /d/? [R=301]\nRewriteRule ^e$ /d/ [R=301,QSD]\nRewriteRule ^f$ /d/ [R=301]\n"
                },
                ["/a?y=2", "/b?y=2", "/b", "/c?y=2", "/c", "/e?y=2#g", "/f?y=2"],
                ["/d/?x=1", "/d/?x=1&amp;y=2", "/d/?x=1", "/d/", "/d/", "/d/#g", "/d/?y=2"],
            ),
            (
                {"_redirects": "/q1 /d/?tab=1 301\n/q2 /d/ 301\n"},
                ["/q1", "/q1?y=2", "/q2?y=2"],
                ["/d/?tab=1", "/d/?tab=1", "/d/?y=2"],
            ),
            (
                {
                    "vercel.json": {
                        "redirects": [
                            {"source": "/q", "destination": "/d/?tab=1", "permanent": True},
                            {"source": "/p", "destination": "/d/", "permanent": True},
                        ]
                    }
                },
                ["/q", "/q?y=2", "/p?y=2"],
                ["/d/?tab=1", "/q?y=2", "/d/?y=2"],  # how Vercel joins two queries is not documented
            ),
            (
                {"staticwebapp.config.json": {"routes": [{"route": "/q", "redirect": "/d/?x", "statusCode": 301}]}},
                ["/q", "/q?y=2"],
                ["/d/?x", "/q?y=2"],
            ),
        ],
    )
    def test_queries(self, tmp_path, files, references, fixed):
        assert self.fixed(tmp_path, files, references) == page(*fixed)

    @pytest.mark.parametrize(
        ("files", "options", "is_fixed"),
        [
            ({}, {}, False),
            ({}, {"host": "cloudflare"}, False),
            ({}, {"host": "netlify"}, True),
            ({}, {"base_url": "https://x.netlify.app/"}, True),
            ({"netlify.toml": ""}, {}, True),
        ],
    )
    def test_a_line_without_status_is_permanent_only_on_netlify(self, tmp_path, files, options, is_fixed):
        files = {"_redirects": "/old /d/\n/moved /d/ 301\n", **files}
        wanted = page("/d/" if is_fixed else "/old", "/d/")
        assert self.fixed(tmp_path, files, ["/old", "/moved"], **options) == wanted

    @pytest.mark.parametrize(
        ("rules", "references", "fixed"),
        [
            ("/old /d/#there 301\n", ["/old", "/old#own", "old?q"], ["/d/#there", "/d/#there", "d/?q#there"]),
            ("/old /d/ 301\n", ["/old#own", "/old#"], ["/d/#own", "/d/#"]),
            ("/old /old2#a 301\n/old2 /d/ 301\n", ["/old", "/old#own", "/old2#b"], ["/d/#a", "/d/#a", "/d/#b"]),
            ("/old /old2#a 301\n/old2 /d/#b 301\n", ["/old"], ["/d/#b"]),
            ("/old /d/# 301\n", ["/old", "/old#own"], ["/old", "/old#own"]),
            ("/old /d/#there 302\n", ["/old"], ["/old"]),
            ("/old /d/index.html#there 200\n", ["/old#own"], ["/old#own"]),
        ],
    )
    def test_fragments(self, tmp_path, rules, references, fixed):
        """Fetch standard, "location URL": the fragment of the request counts if that of the location is null."""
        assert self.fixed(tmp_path, {"_redirects": rules}, references) == page(*fixed)

    def test_the_fragment_of_a_redirect_is_judged_where_it_is_used(self, tmp_path):
        files = {"_redirects": "/bad /d/#no 301\n/good /d/#yes 301\n", "d/index.html": "<!doctype html><p id=yes>"}
        found = checked(tmp_path, files, ["/bad", "/good"]).findings
        assert [(one.path, one.code, one.reference) for one in found] == [("index.html", "LF102", "/bad")]
        found = checked(tmp_path, files, ["/good"]).findings
        assert [(one.path, one.code, one.reference) for one in found] == [("_redirects", "LF102", "/d/#no")]
        assert self.found(tmp_path, files, ["/bad", "/good"]) == {"/bad": "/d/#no", "/good": "/d/#yes"}

    def test_messages_have_no_made_up_url(self, tmp_path):
        files = {"_redirects": "/q /d/?tab=1 301\n", "d/index.html": ""}
        [one] = checked(tmp_path, files, ["/q"], select=("detour",)).findings
        assert (one.hint.text, one.cause) == ("the direct URL is /d/?tab=1", "/q")
        [one] = checked(tmp_path, files, ["/q"], select=("detour",), base_url="https://a.example/").findings
        assert (one.hint.text, one.cause) == ("the direct URL is https://a.example/d/?tab=1", "https://a.example/q")

    def test_a_rewrite_after_a_redirect_is_not_in_the_direct_url(self, tmp_path):
        rules = "RewriteEngine On\nRewriteRule ^new$ /p.html [L]\nRedirect 301 /old /new\n"
        assert self.found(tmp_path, {".htaccess": rules, "p.html": ""}, ["/old", "/new"]) == {"/old": "/new"}

    def test_only_if_selected(self, tmp_path):
        assert not checked(tmp_path, {"d/index.html": ""}, ["d", "d/index.html"]).findings


class TestExpressions:
    @pytest.mark.parametrize(
        "text",
        [
            "^/a$",
            "^/(.*)$",
            "a|b",
            "[^/]+",
            r"^/\d{4}/\w+\.html$",
            "^/((?!x/).*)$",
            "(?<n>a)?",
            "(?i)A",
            "^(a|b)?c{2,3}$",
        ],
    )
    def test_inside_the_subset(self, text):
        assert expression(text) is not None

    @pytest.mark.parametrize(
        "text",
        [
            "(a+)+",
            "(a|a)*",
            "(a){2}",
            r"(a)\1",
            "(?<=a)b",
            "[[:alpha:]]",
            r"\bx",
            "a**",
            "a++",
            "(",
            ")",
            "[a--b]",
            "x" * 2000,
            "(a|b)" * 40,
            "a?" * 40,
            "(" * 400 + "a" + ")" * 400,
        ],
    )
    def test_outside_the_subset(self, text):
        assert expression(text) is None

    @pytest.mark.growth
    @pytest.mark.parametrize("sign", ["[", "[^", "[\\", "(", "\\"])
    def test_captures_are_removed_in_linear_time(self, sign):
        with processor_limit(5):
            assert len(without_captures(sign * 100_000)) >= len(sign) * 100_000

    def test_prefixes(self):
        expected = {"^/ab/c.*": "/ab/c", "^/ab?": "/a", "/x": "", "^a|b": "", r"^/a\.b": "/a.b", r"\A/a(b|c)": "/a"}
        expected |= {r"^a\(|b": "", "^a[(]|b": "", "^a[|]b": "a", r"^a\|b": "a"}
        assert {one: literal_prefix(one) for one in expected} == expected

    @given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join), st.text("ab/.(|1", max_size=6))
    def test_a_match_has_the_beginning(self, source, text):
        found = expression(source)
        if found is not None and found.pattern.search(text):
            assert text.startswith(found.beginning)
        assert found is None or expression(source, ignore_case=True).beginning == ""

    @given(st.lists(st.sampled_from([*PIECES, ".*", "(.*)"]), max_size=6).map("".join), st.text("ab/\n1", max_size=6))
    def test_the_beginning_of_a_line_changes_no_match(self, source, text):
        found = expression(source)
        if found is not None and not source.endswith("$"):  # "$" is not that of Python
            expected = re.search(source.replace("$", r"\Z"), text, re.ASCII)
            actual = found.pattern.search(text)
            assert (actual and (actual.span(), actual.groups())) == (expected and (expected.span(), expected.groups()))

    @given(
        st.lists(st.lists(st.sampled_from([*PIECES, "(?<n>a)", ".*"]), max_size=5).map("".join), max_size=12),
        st.lists(st.tuples(st.booleans(), st.booleans())),
        st.text("ab/.(|1\n", max_size=6),
    )
    def test_rules_that_are_tried_together_decide_as_by_themselves(self, sources, flags, text):
        def outcome(together):
            with patch("linkfix.auditing.hosts.rules._TRIED_TOGETHER", together):
                rules = HostRules()
                for number, source in enumerate(sources):
                    ignores_case, is_conditional = flags[number] if number < len(flags) else (False, False)
                    found = expression(source, ignore_case=ignores_case)
                    condition = "x" * is_conditional
                    rules.add(
                        HostRule(RulePlace("x", number), expression=found, target=("/", (1,)), condition=condition)
                    )
                return [rules.outcome(f"{one}{text}", "", lambda _path: "") for one in ("", "/", "B")]

        assert outcome(2) == outcome(100)

    @pytest.mark.growth
    @pytest.mark.parametrize(("line", "path"), [("/*/x{} /to{}", "/a/b/x{}"), ("/:a/x{}/* /to{}", "/a/x{}/b")])
    def test_many_rules_without_a_beginning(self, line, path):
        rules = HostRules(ignores_slash=True)
        lines = "\n".join(line.replace("{}", str(number)) for number in range(9000))
        with processor_limit(10):  # 2, and 25 if each rule is tried by itself
            read_redirects(lines, rules, DIALECTS[""])
            paths = [path.replace("{}", str(number)) for number in range(8000, 9500)]
            found = [rules.outcome(one, "", lambda _path: "").effect for one in paths]
        assert sum(one is not None for one in found) == 1000

    @pytest.mark.growth
    def test_many_rules_with_patterns(self, tmp_path):
        count = 2000
        rules = "".join(f"RewriteRule ^old{number}$ /new{number}.html [R=301,L]\n" for number in range(count))
        links = "".join(f"<a href=/old{number}></a>" for number in range(count + 1))
        write(tmp_path, {".htaccess": f"RewriteEngine on\n{rules}", "index.html": links})
        write(tmp_path, {f"new{number}.html": "" for number in range(count)})
        with processor_limit(10):  # 2, and a minute if each rule is asked for each link
            result = audit(str(tmp_path), AuditOptions())
        assert broken(result) == [f"/old{count}"]

    @pytest.mark.growth
    @pytest.mark.parametrize("source", [".*a.*b.*c.*d.*e", "^.*x.*y$", "(a|b)?" * 16 + ".*.*z"])
    def test_time_is_bounded(self, source):
        rules = HostRules()
        for line in range(1000):
            rules.add(HostRule(RulePlace("x", line), expression=expression(source), target=("/",)))
        with processor_limit(20):
            for size in range(10, 2000, 100):
                rules.outcome("/" + "a" * size, "", lambda _path: "")


class TestSources:
    @pytest.mark.parametrize(
        ("source", "path", "matches"),
        [
            ("/a/:b", "/a/x", True),
            ("/a/:b", "/a/x/y", False),
            ("/a/:b", "/a/", False),
            ("/a/:b?", "/a", True),
            ("/a/:b*", "/a", True),
            ("/a/:b*", "/a/x/y", True),
            ("/a/:b+", "/a", False),
            ("/a/:b(\\d+)", "/a/12", True),
            ("/a/:b(\\d+)", "/a/x", False),
            ("/:a-:b", "/x-y", True),
        ],
    )
    def test_parameters(self, source, path, matches):
        assert bool(parametric(source, strict=True).expression.pattern.search(path)) is matches

    def test_what_is_not_understood_has_a_prefix(self):
        assert parametric("/docs/{:a}", strict=True).prefix == "/docs"
        assert glob("/docs/+(a)/x").prefix == "/docs"

    @pytest.mark.parametrize(
        ("source", "matching", "other"),
        [
            ("/foo{,/**}", ["/foo", "/foo/", "/foo/bar", "/foo/b/c"], ["/food", "/", "/a/foo"]),
            ("/foo/{**,x}", ["/foo/", "/foo/b/c"], ["/foo", "/food"]),
            ("/{a,b{c,d}}/*.@(html|txt)", ["/a/x.html", "/bc/x.txt", "/bd/x.html"], ["/b/x.html", "/a/y/x.html"]),
            ("/{a/**,b}/c", ["/a/c", "/a/x/y/c", "/b/c"], ["/b/x/c"]),
        ],
    )
    def test_alternatives_in_globs(self, source, matching, other):
        expression = glob(source).expression
        assert [bool(expression.pattern.search(one)) for one in (*matching, *other)] == [
            *([True] * len(matching)),
            *([False] * len(other)),
        ]

    def test_globs_with_too_many_alternatives_have_a_prefix(self):
        assert glob("/a/" + "{b,c}" * 40) == glob("/a/{" + "," * 2000) == ("", None, "/a")

    def test_templates(self):
        assert template("https://h:80/:a/$1") == ("https://h:80", "/", ("a",), "/", (1,))


def test_values_are_found_in_order():
    data = b'{"a": "x", // "a": "no"\n "b": {"a" : "x"},\n "a": "\\u00e9"}'
    finder = ValuePlaces(data, "x")
    assert [finder.place("a", one, "b[0]").line for one in ("x", "x", "\u00e9", "none")] == [1, 2, 3, 1]
    assert read_json(data) == {"a": "\u00e9", "b": {"a": "x"}}


class TestNamesOfRules:
    """Messages name a rule if its line has several."""

    RULES = ({"source": "/a", "destination": "/gone"}, {"source": "/b", "destination": "/gone/2"})
    RULES_OF_NETLIFY = 'redirects = [{from = "/a", to = "/gone"}, {from = "/b", to = "/gone/2"}]\n'

    def messages(self, tmp_path, files, folder=""):
        found = checked(tmp_path, files, ["/a", "/b"], folder).findings
        return [one.message.partition(" (")[2].partition(" leads")[0] for one in found if one.path == "index.html"]

    @pytest.mark.parametrize(
        ("name", "content", "expected"),
        [
            ("vercel.json", json.dumps({"redirects": RULES}), ["redirects[0]", "redirects[1]"]),
            ("vercel.json", json.dumps({"redirects": [1, *RULES]}), ["redirects[1]", "redirects[2]"]),
            ("vercel.json", json.dumps({"redirects": RULES}, indent=1), ["line 4", "line 8"]),
            ("vercel.json", json.dumps({"redirects": RULES}).replace("}, {", "},\n{"), ["line 1", "line 2"]),
            ("netlify.toml", RULES_OF_NETLIFY, ["redirects[0]", "redirects[1]"]),
            (
                "staticwebapp.config.json",
                '{"routes": [{"route": "/a", "redirect": "/gone"}, {"route": "/b", "redirect": "/gone/2"}]}',
                ["routes[0]", "routes[1]"],
            ),
        ],
    )
    def test_in_one_line(self, tmp_path, name, content, expected):
        assert self.messages(tmp_path, {name: content}) == [f"{one} of {name}" for one in expected]

    def test_of_one_of_several_sites(self, tmp_path):
        sites = [{"public": one, "redirects": self.RULES} for one in ("other", "public")]
        files = {"firebase.json": json.dumps({"hosting": sites})}
        place = "of ../firebase.json"
        assert self.messages(tmp_path, files, "public") == [f"hosting[1].redirects[{n}] {place}" for n in (0, 1)]
        files = {"firebase.json": json.dumps({"hosting": sites}, indent=0)}
        assert self.messages(tmp_path, files, "public") == [f"line {line} {place}" for line in (20, 24)]

    def test_of_settings_of_wrangler(self, tmp_path):
        settings = {"assets": {"directory": ".", "not_found_handling": "single-page-application"}}
        result = checked(tmp_path, {"wrangler.json": settings}, ["/a"])
        assert [why.partition(": ")[2] for why in result.coverage.unchecked] == ["not_found_handling of wrangler.json"]


class TestFilesThatAreNotDeployed:
    def test_ignored_files_are_missing(self, tmp_path):
        ignore = ["firebase.json", "**/.*", "**/node_modules/**", "drafts/**", "*.{bak,tmp}", "a[1"]
        hosting = {"public": "public", "ignore": ignore}
        names = "a.html .secret.html .well-known/x.html b/.c.html node_modules/m.js b/node_modules/m.js drafts/d/e.html"
        names += " x.bak b/x.bak firebase.json a[1"
        files = {"firebase.json": {"hosting": hosting}, **{f"public/{name}": "{}" for name in names.split()}}
        references = [f"/{name}" for name in names.split()]
        result = checked(tmp_path, files, references, "public", ignore=("LF117",))
        missing = ".secret.html b/.c.html node_modules/m.js b/node_modules/m.js drafts/d/e.html x.bak firebase.json"
        assert broken(result) == [f"/{name}" for name in missing.split()]
        message = "the file is not deployed: ignore[{}] of ../firebase.json leaves it out"
        assert [one.message for one in result.findings] == [message.format(number) for number in (1, 1, 2, 2, 3, 4, 0)]

    def test_a_pattern_with_an_exclamation_mark_takes_nothing_back(self, tmp_path):
        hosting = {"public": ".", "ignore": ["drafts/**", "!drafts/a.html", "!(x|index.html|drafts)"]}
        files = {"firebase.json": {"hosting": hosting}, "drafts/a.html": "", "b.html": "", "x": ""}
        result = checked(tmp_path, files, ["drafts/a.html", "b.html", "x"])
        assert [(one.code, one.reference, one.line) for one in result.findings] == [
            ("LF904", "", 1),
            *(("LF101", name, 1) for name in ("drafts/a.html", "b.html")),
        ]
        assert (
            result.findings[0].message
            == "the pattern !drafts/a.html of ignore takes nothing back: ! has no meaning there"
        )

    def test_a_rule_answers_for_an_ignored_file(self, tmp_path):
        hosting = {"public": ".", "ignore": ["old.html"], "redirects": [{"source": "/x", "destination": "/old.html"}]}
        hosting["rewrites"] = [{"source": "/old.html", "destination": "/new.html"}]
        files = {"firebase.json": {"hosting": hosting}, "old.html": "", "new.html": page()}
        assert not broken(checked(tmp_path, files, ["old.html"]))
        hosting["rewrites"] = []
        assert broken(checked(tmp_path, files, ["old.html", "/x"])) == ["old.html", "/x"]

    @pytest.mark.parametrize("ignore", [None, "x", [1, None, ""], {"a": 1}, ["("] * 200])
    def test_values_that_are_not_globs(self, tmp_path, ignore):
        hosting = {"public": ".", "ignore": ignore}
        assert not broken(checked(tmp_path, {"firebase.json": {"hosting": hosting}, "x": ""}, ["x"]))

    def test_several_sites_of_one_folder(self, tmp_path):
        blog = {"target": "blog", "public": "public", "ignore": ["a.html", "b.html"]}
        blog["redirects"] = [{"source": "/old", "destination": "/c.html"}]
        app = {"site": "my-app", "public": "public", "ignore": ["a.html"]}
        other = {"target": "other", "public": "other", "ignore": ["c.html"]}
        files = {"firebase.json": {"hosting": [blog, app, other]}, **{f"public/{one}.html": "" for one in "abc"}}
        result = checked(tmp_path, files, ["a.html", "b.html", "c.html", "/old", "/gone"], "public")
        assert broken(result) == ["a.html", "/gone"]
        assert result.settings == (
            "Firebase, site blog, ../firebase.json: 1 rule, 2 files not deployed; "
            "Firebase, site my-app, ../firebase.json: 0 rules, 1 file not deployed"
        )


class TestWrangler:
    """The settings of Cloudflare's documentation of static assets and of Pages."""

    @pytest.mark.parametrize(
        ("name", "settings", "wrong", "host"),
        [
            (
                "wrangler.jsonc",
                '{"assets": {"directory": "./public/", // x\n "not_found_handling": "404-page"}}',
                ["/x"],
                "Cloudflare Workers",
            ),
            ("wrangler.toml", "pages_build_output_dir = './public'", ["/x"], "Cloudflare Pages"),
            ("wrangler.toml", "main = 'a.js'\nassets = {directory = 'public'}", [], "Cloudflare Workers"),
            (
                "wrangler.json",
                {"assets": {"directory": "public", "html_handling": "none"}},
                ["/a", "/b/", "/x"],
                "Cloudflare Workers",
            ),
            (
                "wrangler.json",
                {"assets": {"directory": "other"}},
                ["/a", "/b/", "/x"],
                "../wrangler.json: it publishes other/",
            ),
            (
                "wrangler.json",
                {"assets": {"directory": 1}, "pages_build_output_dir": [], "main": 1},
                ["/a", "/b/", "/x"],
                "",
            ),
        ],
    )
    def test_the_published_folder(self, tmp_path, name, settings, wrong, host):
        files = {name: settings, "public/a.html": "", "public/b.html": ""}
        result = checked(tmp_path, files, ["/a", "/b/", "/x"], "public", ignore=("LF117",))
        assert broken(result) == wrong
        assert (result.settings or "").split(", ")[0] == host

    def test_urls_are_names_of_files_without_handling(self, tmp_path):
        settings = '{"assets": {"directory": "public", "html_handling": "none",},} // x,}'
        files = {
            "wrangler.jsonc": settings,
            "public/a.html": "",
            "public/b/index.html": "",
            "public/.assetsignore": "a*",
        }
        result = checked(tmp_path, files, ["/", "/a", "/a.html", "/b/", "/b/index.html"], "public", select=("LF1",))
        assert broken(result) == ["/", "/a", "/a.html", "/b/"]
        assert result.settings == "Cloudflare Workers, ../wrangler.jsonc, .assetsignore: 0 rules, 1 file not deployed"

    def test_a_value_that_there_is_not(self, tmp_path):
        settings = "[assets]\ndirectory = 'public'\nhtml_handling = 'drop'\n"
        result = checked(tmp_path, {"wrangler.toml": settings, "public/a.html": ""}, ["/a"], "public")
        assert [(one.code, one.line, one.message) for one in result.findings] == [
            ("LF904", 3, "html_handling has no value drop: the usual one counts")
        ]

    @pytest.mark.parametrize(
        ("settings", "wrong", "words"),
        [
            (  # an environment has its own assets instead of those of the top level: they are not merged
                "assets = {directory = 'public'}\nenv.dev.assets = {directory = 'public', html_handling = 'none'}\n",
                ["/a.html/"],
                "Cloudflare Workers, ../wrangler.toml: 0 rules, environment dev: other assets, not considered",
            ),
            (
                "[env.live.assets]\ndirectory = 'public'\nhtml_handling = 'none'\n",
                ["/", "/a", "/a.html/"],
                "Cloudflare Workers, environment live, ../wrangler.toml: 0 rules",
            ),
            (
                "[assets]\ndirectory = 'other'\n[env.live.assets]\ndirectory = 'public'\n",
                ["/a.html/"],
                "Cloudflare Workers, environment live, ../wrangler.toml: 0 rules",
            ),
            ("env = 1\n[assets]\ndirectory = 'public'", ["/a.html/"], "Cloudflare Workers, ../wrangler.toml: 0 rules"),
            (
                "env = {a = 1}\nassets = {directory = 'x'}",
                ["/a", "/a.html/"],
                "../wrangler.toml: it publishes x/, not this folder, so it does not count",
            ),
        ],
    )
    def test_environments(self, tmp_path, settings, wrong, words):
        files = {"wrangler.toml": settings, "public/a.html": ""}
        result = checked(tmp_path, files, ["/", "/a", "/a.html/", "/a.html"], "public", select=("LF1",))
        assert broken(result) == wrong
        assert (result.settings or "") == words

    def test_pages_read_no_ignore_file(self, tmp_path):
        files = {
            "wrangler.toml": "pages_build_output_dir = 'public'",
            "public/.assetsignore": "a*",
            "public/a.html": "",
        }
        assert not broken(checked(tmp_path, files, ["/a"], "public"))

    def test_an_application_of_one_page(self, tmp_path):
        settings = '[assets]\ndirectory = "public"\nnot_found_handling = "single-page-application"\n'
        files = {"wrangler.toml": settings, "public/b.html": '<img src="/gone.png" alt="">'}
        result = checked(tmp_path, files, ["/route", "/b"], "public")
        assert broken(result) == ["/gone.png"]
        assert "line 3 of ../wrangler.toml" in result.findings[0].message

    @pytest.mark.parametrize(
        ("handling", "direct"),
        [
            ("auto-trailing-slash", ["/a", "/s/"]),
            ("force-trailing-slash", ["/a/", "/s/"]),
            ("drop-trailing-slash", ["/a", "/s"]),
        ],
    )
    def test_slashes(self, tmp_path, handling, direct):
        files = {"wrangler.json": {"assets": {"directory": "public", "html_handling": handling}}}
        files |= {"public/a.html": "", "public/s/index.html": ""}
        result = checked(tmp_path, files, ["/a", "/a/", "/s", "/s/"], "public", select=("LF121",))
        assert {"/a", "/a/", "/s", "/s/"} - {*broken(result)} == {*direct}


NODE_MODULES = "node_modules/a.js x/node_modules/a.js"


class TestIgnoreFiles:
    def test_the_examples_of_vercels_documentation(self, tmp_path):
        files = {".vercelignore": "image\nprivate.html\n", "image/a.png": "", "private.html": page("/gone")}
        files |= {"b/private.html": page(), "images/a.png": "", "b.html": page()}
        references = "image/a.png private.html b/private.html images/a.png b.html".split()
        result = checked(tmp_path, files, references)
        assert broken(result) == ["image/a.png", "private.html", "b/private.html"]
        assert result.findings[0].message == "the file is not deployed: line 1 of .vercelignore leaves it out"
        assert result.coverage.left_out == {"not deployed": 2}
        assert result.settings == "Vercel, .vercelignore: 0 rules, 3 files not deployed"

    def test_an_allow_list(self, tmp_path):
        ignore = "# Ignore everything (folders and files) on root only\n/*\n!vercel.json\n!*.html\n!/css/\ncss/*.MAP\n"
        files = {
            ".vercelignore": ignore,
            "vercel.json": {},
            "css/a.css": "",
            "css/a.map": "",
            "x.js": "",
            "j/x.html": "",
        }
        assert broken(checked(tmp_path, files, list(files)[1:])) == ["css/a.map", "x.js", "j/x.html"]

    @pytest.mark.parametrize("output", ["public", "dist"])
    def test_above_the_tree(self, tmp_path, output):
        files = {".vercelignore": f"./{output}/drafts\n", f"{output}/drafts/a.html": "", f"{output}/drafts.html": ""}
        files |= {"vercel.json": {"outputDirectory": output}} if output == "dist" else {}
        result = checked(tmp_path, files, ["drafts/a.html", "drafts.html"], output)
        assert broken(result) == ["drafts/a.html"]
        assert "line 1 of ../.vercelignore" in result.findings[0].message

    @pytest.mark.parametrize(
        "others",
        [
            {"package.json": {}},
            {"vercel.json": {"buildCommand": "make"}},
            {"vercel.json": {"outputDirectory": "other"}},
            {"netlify.toml": '[build]\n publish = "."'},
        ],
    )
    def test_a_build_or_another_host_may_have_the_file(self, tmp_path, others):
        assert not broken(checked(tmp_path, {".vercelignore": "a.html", "a.html": "", **others}, ["a.html"]))

    def test_cloudflare(self, tmp_path):
        ignore = "_worker.js\n*.psd\n!keep.psd\nnode_modules\n"
        names = "_worker.js a.psd keep.psd b/node_modules/x.js c.html"
        files = {"public/.assetsignore": ignore, **{f"public/{name}": "" for name in names.split()}}
        files["public/_redirects"] = "/old /c\n/a /b 404\n"
        result = checked(tmp_path, files, [*names.split(), "/c", "/old"], "public", ignore=("LF904", "LF121"))
        assert broken(result) == ["_worker.js", "a.psd", "b/node_modules/x.js"]
        words = "Cloudflare Workers, _redirects, .assetsignore: 1 rule, 1 invalid, 3 files not deployed"
        assert result.settings == words
        options = {"ignore": ("LF904", "LF101"), "host": "netlify"}
        assert "not deployed" not in checked(tmp_path, {}, ["a.psd"], "public", **options).settings

    @pytest.mark.parametrize(
        ("host", "settings", "left"),
        [
            (
                "Cloudflare Pages",
                {"wrangler.toml": "pages_build_output_dir = 'public'"},
                f"_headers _redirects _routes.json _worker.js functions/f.js {NODE_MODULES} x/.DS_Store",
            ),
            (
                "Cloudflare Workers",
                {"wrangler.toml": "assets = {directory = 'public'}", "public/.assetsignore": "!/_headers\n"},
                ".assetsignore _redirects",
            ),
            (
                "Vercel",
                {"vercel.json": {}, ".vercelignore": "!public/x/node_modules\n"},
                ".gitignore node_modules/a.js x/.DS_Store",
            ),
            (
                "Netlify",
                {"netlify.toml": "[build]\npublish = 'public'"},
                ".gitignore .github/a .firebase/a x/.DS_Store __MACOSX/a _headers x/_headers",
            ),
            (
                "Netlify",
                {"public/netlify.toml": "[build]\npublish = '.'"},
                ".gitignore .github/a .firebase/a node_modules/a.js x/.DS_Store __MACOSX/a _headers x/_headers",
            ),
            ("Firebase", {"firebase.json": {"hosting": {"public": "public"}}}, "x/firebase-debug.log .firebase/a"),
            ("Azure Static Web Apps", {"public/staticwebapp.config.json": {}}, "x/staticwebapp.config.json"),
            ("GitHub Pages", {}, ".github/a"),
        ],
    )
    def test_files_that_hosts_never_get(self, tmp_path, host, settings, left):
        """As the hosts' own programs say."""
        names = (
            "_headers _routes.json _worker.js functions/f.js node_modules/a.js x/node_modules/a.js x/.DS_Store "
            ".gitignore .well-known/a .github/a .firebase/a x/_headers x/firebase-debug.log __MACOSX/a "
            "x/staticwebapp.config.json"
        ).split()
        names += ["_redirects"] * host.startswith("Cloudflare")  # it would be one of another host
        files = {**dict.fromkeys([f"public/{name}" for name in names], ""), **settings}
        references = [*names, ".assetsignore"] if "public/.assetsignore" in settings else names
        chosen = {"host": "github-pages"} if host == "GitHub Pages" else {}
        result = checked(tmp_path, files, references, "public", ignore=("LF904",), **chosen)
        assert sorted(broken(result)) == sorted(left.split())
        assert {one.message for one in result.findings} == {f"the file is not deployed: {host} leaves it out"}
        assert (result.settings or "").startswith(host)
        assert "not deployed" not in (result.settings or "")

    def test_a_build_may_make_what_vercel_never_gets(self, tmp_path):
        files = {"vercel.json": {"buildCommand": "make"}, "public/node_modules/a.js": ""}
        assert not broken(checked(tmp_path, files, ["node_modules/a.js"], "public"))

    def test_wrangler_reads_no_file_above_the_folder(self, tmp_path):
        files = {".assetsignore": "public/a.html", "public/a.html": ""}
        assert not broken(checked(tmp_path, files, ["a.html"], "public"))

    def test_a_file_in_another_encoding(self, tmp_path):
        write(tmp_path, {".git/HEAD": "", "a.html": ""})
        (tmp_path / ".vercelignore").write_bytes(b"a.html\n\xff\n")
        result = checked(tmp_path, {}, ["a.html"])
        assert [(one.code, one.path, one.line, one.message) for one in result.findings] == [
            ("LF904", ".vercelignore", 2, "the file is not UTF-8")
        ]

    def test_a_file_of_too_many_lines(self, tmp_path):
        result = checked(tmp_path, {"a.html": "", ".vercelignore": "a.html\n" * 1002}, ["a.html"])
        assert [(one.code, one.line, one.message) for one in result.findings] == [
            ("LF904", 1001, "the file has more than 1,000 lines, and is not read")
        ]

    @pytest.mark.growth
    def test_long_files_and_deep_folders(self):
        with processor_limit(20):
            files = [f"{'a/' * 500}{number}.html" for number in range(200)]
            found = ignored_files(Never("Vercel", ()), "**/x/**/y*z\n" * 300, ".vercelignore", ".", files)
        assert not found


@pytest.mark.parametrize("has_rule", [False, True])
def test_detours_are_reported_beside_redirects(tmp_path, has_rule):
    references = ["/a.html", "index.html", "/sub/index.html#s", "/sub/index", "/sub/index/", "index", "/a", "/"]
    files = {"a.html": "", "sub/index.html": '<p id="s">'}
    redirects = [{"source": "/old", "destination": "/a"}] if has_rule else []
    settings = {"cleanUrls": True, "trailingSlash": False, "redirects": redirects}
    hosts = {
        "vercel": {"vercel.json": settings},
        "firebase": {"firebase.json": {"hosting": {"public": ".", **settings}}},
        "cloudflare": {"_redirects": "/old /a 301\n" if has_rule else "# none"},
    }
    for host, own in hosts.items():
        result = checked(tmp_path / host, {**files, **own}, references, host=host, select=("LF121",))
        found = {one.reference: one.hint and one.hint.reference for one in result.findings}
        sub = "/sub/" if host == "cloudflare" else "/sub"
        names = {"/sub/index.html#s": f"{sub}#s", "/sub/index": sub, "/sub/index/": sub}
        assert found == {"/a.html": "/a", "index.html": "./", "index": "./", **names}


def test_the_name_of_an_index_without_its_suffix_is_a_detour(tmp_path):
    files = {"sub/index.html": "", "index/a.html": ""}
    found = checked(tmp_path, files, ["/sub/index", "/index/a"], host="github-pages", select=("LF121",))
    assert [(one.reference, one.hint and one.hint.reference) for one in found.findings] == [("/sub/index", "/sub/")]
    assert broken(checked(tmp_path, files, ["/sub/index"], select=("LF121", "LF101"))) == ["/sub/index"]


def test_cloudflare_reads_rules_again_after_its_own_redirects(tmp_path):
    rules = "/short /none\n/d/ /none\n/moved.html /ok\n/q /ok\n"
    files = {"_redirects": rules, **{f"{name}.html": page() for name in ("short", "d/index", "moved", "ok", "q")}}
    references = [
        "/short.html?x",
        "/short/",
        "/d",
        "/d/index.html",
        "/moved.html",
        "/q.html",
        "/ok/",
        "/ok.html",
    ]
    result = checked(tmp_path, files, references, host="cloudflare")
    assert broken(result) == ["/short.html?x", "/short/", "/d", "/d/index.html"]


SPA_PAGE = """<!doctype html><title>t</title><link rel=stylesheet href=/a.css><link rel=stylesheet href=/no.css>
<link rel=icon href=/no.ico><link rel=prefetch href=/next><script src=/no.js></script><video src=/no.mp4></video>
<img src=/img/no.png srcset="/no2.png 2x"><iframe src=/route></iframe><style>b{background:url(/no.svg)}</style>
<script type=module>import "/no.mjs"</script><a href=/users/1>1</a> <a href=/users/2#top>2</a>
<a href=/index.html>3</a>
"""

SPA_MISSING = ["/no.css", "/no.ico", "/no.js", "/img/no.png", "/no2.png", "/no.mp4", "/no.svg", "/no.mjs"]


class TestRulesForAllPaths:
    """A rule that answers all paths with the start page, as hosts of single-page applications have it."""

    @pytest.mark.parametrize(
        ("name", "content", "place"),
        [
            ("_redirects", "\n/* /index.html 200\n", "line 2"),
            ("netlify.toml", '[[redirects]]\nfrom = "/*"\nto = "/index.html"\nstatus = 200\n', "line 2"),
            ("vercel.json", {"rewrites": [{"source": "/(.*)", "destination": "/index.html"}]}, "rewrites[0]"),
            ("vercel.json", {"rewrites": [{"source": "/:path*", "destination": "/index.html"}]}, "rewrites[0]"),
            (
                "vercel.json",
                {"routes": [{"handle": "filesystem"}, {"src": "/(.*)", "dest": "/index.html"}]},
                "routes[1]",
            ),
            (
                "firebase.json",
                {"hosting": {"public": ".", "rewrites": [{"source": "**", "destination": "/index.html"}]}},
                "rewrites[0]",
            ),
            ("staticwebapp.config.json", {"navigationFallback": {"rewrite": "/index.html"}}, "navigationFallback"),
            (".htaccess", "FallbackResource /index.html", "line 1"),
            (
                ".htaccess",
                "RewriteEngine On\nRewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule . /index.html [L]\n",
                "line 3",
            ),
        ],
    )
    def test_files_are_missing_and_links_are_not_judged(self, tmp_path, name, content, place):
        write(tmp_path, {".git/HEAD": "", name: content, "index.html": SPA_PAGE, "a.css": ""})
        result = audit(str(tmp_path), AuditOptions())
        assert sorted(broken(result)) == sorted(SPA_MISSING)
        place = f"{place} of {name}"
        assert {one.message for one in result.findings if "/" not in one.reference[1:]} == {
            f"the site has no such file ({place} answers with index.html)"
        }
        why = f"a rule of the host that answers all paths with one page: {place}"
        assert result.coverage.unchecked[why] == 4

    def test_a_missing_target_of_the_fallback_of_azure(self, tmp_path):
        settings = '{"navigationFallback": {\n"rewrite": "/gone.html"}}'
        (found,) = checked(tmp_path, {"staticwebapp.config.json": settings}, []).findings
        assert (found.path, found.line, found.reference) == ("staticwebapp.config.json", 2, "/gone.html")

    def test_a_file_that_a_rule_hides(self, tmp_path):
        html = "<!doctype html><title>t</title><script src=/a.js></script><script src=/b.js></script>"
        write(tmp_path, {"_redirects": "/* / 200\n", "index.html": html, "a.js": ""})
        result = audit(str(tmp_path), AuditOptions(host="cloudflare"))
        assert [(one.reference, one.message) for one in result.findings] == [
            ("/a.js", "the file exists, but is not served (line 1 of _redirects answers with index.html)"),
            ("/b.js", "the site has no such file (line 1 of _redirects answers with index.html)"),
        ]

    @pytest.mark.parametrize(
        ("line", "hint"),
        [
            ("/* /index.html 200", "remove the line: without a 404.html, Cloudflare Pages answers paths without"),
            ("/a /b 404", "write one of these, or remove the line"),
            ("/a https://b.example/ 200", "write a path of this site, or the status of a redirect"),
            ("/a", "write: /from /to 301"),
        ],
    )
    def test_the_hint_for_a_line_that_cloudflare_does_not_read(self, tmp_path, line, hint):
        (found,) = checked(tmp_path, {"_redirects": f"{line}\n"}, [], host="cloudflare").findings
        assert found.hint.text.startswith(hint)

    @pytest.mark.parametrize(
        ("host", "what"), [("cloudflare", "the line and 404.html: without"), ("cloudflare-workers", "the line: write")]
    )
    def test_the_hint_for_the_start_page_names_the_error_page_that_is_there(self, tmp_path, host, what):
        files = {"_redirects": "/* /index.html 200\n", "404.html": page()}
        (found,) = checked(tmp_path, files, [], host=host).findings
        assert found.hint.text.startswith(f"remove {what} ")

    def test_excluded_paths_of_azure(self, tmp_path):
        fallback = {"navigationFallback": {"rewrite": "/index.html", "exclude": ["/img/*", "/docs/*"]}}
        files = {"staticwebapp.config.json": fallback, "docs/a.html": ""}
        result = checked(tmp_path, files, ["/docs/a", "/docs/b", "/route"])
        assert broken(result) == ["/docs/b"]

    def test_a_rule_for_one_folder(self, tmp_path):
        files = {"_redirects": "/app/* /app.html 200\n/u/:id /app.html 200\n", "app.html": page()}
        references = ["/app/a", "/app/a/b", "/app", "/u/1", "/u/1/2", "/other"]
        result = checked(tmp_path, files, references)
        assert broken(result) == ["/u/1/2", "/other"]
        why = "a rule of the host that answers all paths with one page: line 1 of _redirects"
        assert result.coverage.unchecked == {why: 2}

    def test_a_rule_for_one_path_does_not_make_an_image_of_a_page(self, tmp_path):
        rules = "/i.png /i.html 200\n/j.png /real.png 200\n"
        write(tmp_path, {"_redirects": rules, "i.html": page(), "real.png": ""})
        write(
            tmp_path, {"index.html": "<!doctype html><title>t</title><img src=i.png><img src=j.png><a href=i.png>x</a>"}
        )
        ((reference, message),) = [
            (one.reference, one.message) for one in audit(str(tmp_path), AuditOptions()).findings
        ]
        assert reference == "i.png"
        assert message == "the site has no such file (line 1 of _redirects answers with i.html)"

    def test_references_of_style_sheets(self, tmp_path):
        css = "@import '/more.css'; b { background: url(no.png) }"
        write(tmp_path, {"_redirects": "/* /index.html 200\n", "index.html": page(), "c/a.css": css})
        assert broken(audit(str(tmp_path), AuditOptions())) == ["/more.css", "no.png"]

    def test_one_address_as_a_hint_and_as_a_style_sheet(self, tmp_path):
        links = "<link rel=prefetch href=/x><link rel=stylesheet href=/x><link rel=prefetch href=/x>"
        write(tmp_path, {"_redirects": "/* /index.html 200\n", "index.html": f"<!doctype html><title>t</title>{links}"})
        assert broken(audit(str(tmp_path), AuditOptions())) == ["/x"]


class TestPublishedFolder:
    """A tree whose host files publish an inner folder: the hint for many references from the root names it."""

    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("netlify.toml", '[build]\npublish = "dist/"\n'),
            ("netlify.toml", '[build]\nbase = "."\npublish = "./dist"\n'),
            ("vercel.json", {"outputDirectory": "dist"}),
            ("firebase.json", {"hosting": {"public": "dist"}}),
            ("firebase.json", {"hosting": [{"public": "dist", "target": "a"}, {"public": "dist", "target": "b"}]}),
            ("wrangler.toml", 'pages_build_output_dir = "./dist"\n'),
            ("wrangler.jsonc", '// c\n{"pages_build_output_dir": "dist"}'),
        ],
    )
    def test_the_hint_names_it(self, tmp_path, name, content):
        assert self.hint(tmp_path, name, content) == f"{name} publishes the folder dist/: audit that folder"

    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("netlify.toml", '[build]\npublish = "../dist"\n'),
            ("netlify.toml", "[build]\npublish = 1\n"),
            ("netlify.toml", "build = 1\n"),
            ("firebase.json", {"hosting": [{"public": "dist"}, {"public": "other"}]}),
            ("wrangler.toml", "pages_build_output_dir = ["),
            ("vercel.json", {"outputDirectory": "none"}),
        ],
    )
    def test_other_values_say_nothing(self, tmp_path, name, content):
        assert "dist" not in self.hint(tmp_path, name, content).partition("path /dist/")[0]

    def hint(self, tmp_path, name, content):
        pages = {f"dist/{letter}.html": page(*(f"/{one}.html" for one in "abcdefgh")) for letter in "abcdefgh"}
        write(tmp_path, {".git/HEAD": "", name: content, "other/x.html": page(), **pages})
        (found,) = [one for one in audit(str(tmp_path), AuditOptions()).findings if one.code == "LF109"]
        return found.hint.text
