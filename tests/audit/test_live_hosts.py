"""The audit's verdict on URLs of a tree, against the answers of the servers that read its host files."""

from __future__ import annotations

import http.client
import json
import os
import pwd
import re
import shutil
import signal
import socket
import string
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, urljoin, urlsplit

import pytest

from linkfix.auditing import AuditOptions, audit
from linkfix.auditing.hosts.directives import ALLOWED, OF_SERVER, fault_of_directive
from linkfix.auditing.hosts.firebase import read_firebase
from linkfix.auditing.hosts.rules import HostRules
from linkfix.auditing.hosts.templates import parametric
from linkfix.auditing.hosts.values import ValuePlaces

pytestmark = pytest.mark.slow

APACHE = shutil.which("apache2") or shutil.which("apache2", path="/usr/sbin")
NODE = shutil.which("node")
MODULES = Path("/usr/lib/apache2/modules")

#: The number of redirects that are followed.
REDIRECTS = 20


def has_module(name):
    """Whether node finds a module."""
    return (
        NODE is not None
        and not subprocess.run([NODE, "-e", f"require({name!r})"], capture_output=True, check=False).returncode
    )


def program(name):
    """The path of a program of npm; None if there is none."""
    return shutil.which(name) or next(
        (
            found
            for folder in os.environ.get("NODE_PATH", "").split(":")
            if (found := shutil.which(name, path=f"{folder}/.bin"))
        ),
        None,
    )


@contextmanager
def running(words, port, folder):
    """A server of node, which keeps its own files in a folder. Ends the programs that it started, too."""
    home = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "CI": "true", "WRANGLER_LOG_PATH": str(folder)}
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(
            [str(word) for word in words],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=folder,
            env={**os.environ, **home, "WRANGLER_SEND_METRICS": "false"},
            start_new_session=True,
        )
    try:
        wait_for(port, 300)
        yield
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for(port, seconds=10):
    for _ in range(seconds * 10):
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    pytest.fail("the server does not answer")


def is_served(port, path):
    """Whether a path leads to a page, after redirects."""
    for _ in range(REDIRECTS):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        connection.close()
        if answer.status not in {301, 302, 303, 307, 308}:
            return answer.status == 200
        location = quote(answer.headers["Location"], string.printable)
        url = urljoin(f"http://127.0.0.1:{port}{path}", location)
        if urlsplit(url).port != port:
            return True  # another site
        path = url.split(f":{port}", 1)[1]
    return False


def write(root, files):
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content or "<!doctype html><title>t</title>", "utf-8")


def verdicts(root, paths, **options):
    """Path -> whether the audit finds no mistake in a link to it; and how many links it did not judge."""
    (root / "index.html").write_text(
        "<!doctype html><title>t</title>" + "".join(f'<a href="{path}">x</a>' for path in paths), "utf-8"
    )
    found = audit(str(root), AuditOptions(ignore=("LF102", "LF109", "LF117"), **options))  # servers get no fragments
    broken = {one.reference for one in found.findings if one.path == "index.html"}
    unjudged = sum(
        n for why, n in found.coverage.unchecked.items() if why.startswith("a rule of the host that the folder")
    )
    return {path: path not in broken for path in paths}, unjudged


HTACCESS = r"""
Redirect 301 /old.html /new.html
Redirect /pre /dir
RedirectMatch 301 ^/was/(.*)$ /is/$1
RedirectMatch 404 \.secret$
Redirect gone /gone.html
RedirectPermanent /perm.html /new.html
RedirectTemp /temp.html /nowhere.html
ErrorDocument 404 /404.html
<IfModule mod_rewrite.c>
RewriteEngine On
RewriteBase /
RewriteRule ^short$ dir/page.html [L]
RewriteRule ^rel/(.+)\.htm$ /is/$1.html [R=301,L]
RewriteCond %{REQUEST_FILENAME} !-f
RewriteCond %{REQUEST_FILENAME} !-d
RewriteCond %{REQUEST_FILENAME}.html -f
RewriteRule ^(.+)$ $1.html [L]
RewriteRule ^hidden\.html$ - [F]
RewriteRule ^LOUD/(.*)$ is/$1 [NC,L]
RewriteRule ^keep\.html$ - [L]
RewriteRule ^keep\.html$ /nowhere [R,L]
RewriteCond %{REQUEST_URI} !^/q/b
RewriteRule ^q/(.*)$ is/$1 [R=302,L]
RewriteRule ^(\d+)/(\d+)$ /is/y.html [L]
RewriteRule ^loop1$ /loop2 [R,L]
RewriteRule ^loop2$ /loop1 [R,L]
RewriteRule ^two$ /old.html [R,L]
RewriteRule ^int$ old.html [L]
RewriteCond %{REQUEST_FILENAME} -f [OR]
RewriteCond %{REQUEST_FILENAME} -d
RewriteRule ^ - [L]
RewriteRule ^dir/(?!page).*\.php$ /dir/ [R,L]
RewriteCond %{THE_REQUEST} \s/+ix/index\.html[\s?]
RewriteRule ^ix/index\.html$ /ix/ [R=301,L]
</IfModule>
"""

APACHE_FILES = {
    ".htaccess": HTACCESS,
    **dict.fromkeys("new.html 404.html hidden.html keep.html dir/index.html dir/page.html is/x.html".split(), ""),
    **dict.fromkeys("is/y.html gone.html a.secret ix/index.html noindex/file.html sub/main.html".split(), ""),
    **dict.fromkeys("sub/deep/z.html sub/deep/main.html plain/z.html sp_ace/é.html fb/app.html".split(), ""),
    **dict.fromkeys("fb/real.html sect/index.html Up/Case.html".split(), ""),
    "sub/.htaccess": (
        "DirectoryIndex main.html\nRedirect /sub/r.html /new.html\nRedirect /sub/bad.html /sub/nothing.html\n"
        "RewriteEngine On\nRewriteRule ^in$ main.html [L]\nRewriteRule ^up$ ../new.html [L]\n"
        "RewriteRule ^abs$ /new.html [L]\n"
    ),
    "plain/.htaccess": "Redirect 302 /plain/p /is\n",
    "fb/.htaccess": "FallbackResource /fb/app.html\n",
    "sect/.htaccess": "<IfModule !mod_alias.c>\nRedirect /sect/a /new.html\n</IfModule>\n",
}

APACHE_PATHS = """
/ /index.html /new.html /new /old.html /old.html/ /old.htm /old.html/x /pre /pre/ /pre/page.html /pre/none /prefix
/was/ /was/x.html /was/none /was /a.secret /b.secret /gone.html /gone /perm.html /temp.html /short /short/ /dir /dir/
/dir/page /dir/page.html /dir/page/ /rel/x.htm /rel/z.htm /rel/x.html /hidden.html /hidden /loud/x.html /LOUD/y.html
/Loud/z.html /keep.html /keep /q/x.html /q/b /q/b.html /q/ /q/none /12/34 /12/ab /loop1 /loop2 /two /int
/ix/index.html /ix/ /ix /noindex/ /noindex /noindex/file.html /noindex/file /sub/ /sub /sub/main.html /sub/main
/sub/r.html /sub/bad.html /sub/in /sub/up /sub/abs /sub/deep/ /sub/deep/z.html /sub/deep/z /sub/in/ /sub/none /plain/
/plain/p /plain/p/x.html /plain/p/none /plain/z /plain/z.html /plain/px /sp_ace/%C3%A9.html /sp_ace/%C3%A9 /sp_ace/
/fb/ /fb /fb/x /fb/x/y /fb/real.html /fb/real /sect/a /sect/ /Up/Case.html /up/case.html /Up/case /404.html /404 /none
/none/ /none/x.html /is/x /is/x/ /is/ /is/x.html?q=1 /old.html?q=1 /dir/index /index /index/ /is/./x.html
/is/../new.html /%6Eew.html /dir//page.html /was//x.html /sub/deep/none /two/ /int/ /temp.html/ /perm /perm.html?x
/dir/a.php /dir/page.php /dir/pages.php /a.php /pre?x=1 /pre/index.html /pre/page /was/y.html /was/z.html /was/y
/rel/y.htm /rel/a/b.htm /loud/y.html /loud/ /LOUD /loud /q/y.html /q/x /q/y /q/bx /0/0 /1/ /1/2/3 /a/1 /two?x /int?x
/short?x /sub/r.htm /sub/r.html/ /sub/r.html/x /sub/up/ /sub/abs/ /sub/deep /sub/deep/main.html /sub/index.html
/sub/new.html /plain /plain/p/ /plain/p/y.html /plain/p/z.html /plain/index.html /fb/app.html /fb/app /fb/none.html
/fb/x.html /sect /sect/index.html /sect/b /Up/ /Up /UP/Case.html /is /is/y /is/y.html /is/z.html /ix/index /ix/x
/keep.html?x /hidden.html?x /gone.html?x /gone.html/x /new.html?a=b&c=d /dir/./page.html /new.htm /old /perm.html/
/temp /was/x /was/is/x.html /rel/dir/page.htm /LOUD/none /q/b/x /99/100 /a/b/c /sub/x/y /sub/deep/index.html
/plain/p/x /fb/deep/er.html /ix/index.html?x /hidden.html/ /secret /x.secret /dir/x.secret /pre/dir
/dir/../dir/page.html /x/../new.html /noindex/../new.html /noindex/x /noindex/file.htm
""".split()


@pytest.mark.skipif(APACHE is None, reason="no apache2: apt-get install apache2")
def test_apache(tmp_path):
    root = tmp_path / "tree"
    write(root, APACHE_FILES)
    with apache(tmp_path, root) as port:
        judged, unjudged = verdicts(root, APACHE_PATHS)
        answers = {path: is_served(port, path) for path in APACHE_PATHS}
    assert len(set(APACHE_PATHS)) >= 200
    assert unjudged == 0
    assert judged == answers


#: Recipes: the paths below the folder of a file `.htaccess` -> the file.
RECIPES = {
    "extensionless/: faq faq.html faq/ faq.html?x no no.html d/ d faq/x": r"""
        RewriteCond %{THE_REQUEST} \s/+(.+?)\.html[\s?] [NC]
        RewriteRule ^ /%1 [R=301,L,NE]
        RewriteCond %{REQUEST_FILENAME}.html -f
        RewriteRule ^(.+?)/?$ $1.html [L]
    """,
    "methods/: faq faq.html no.html": r"""
        RewriteCond %{THE_REQUEST} ^[A-Z]{3,}\s/+(.+)\.html
        RewriteRule ^ /%1 [R=301,L]
        RewriteRule ^faq$ faq.html [L]
    """,
    "ended/: faq faq.html no": r"""
        RewriteRule ^faq$ faq.html [END]
        RewriteRule ^faq.html$ /ended/faq [R=301,L]
    """,
    "last/: faq faq.html no": r"""
        RewriteRule ^faq$ faq.html [L]
        RewriteRule ^faq.html$ /last/faq [R=301,L]
    """,
    "unslashed/: faq/ faq no/ d/ faq.html/": r"""
        RewriteCond %{REQUEST_FILENAME} !-d
        RewriteRule ^(.+)/$ /unslashed/$1 [R=301,L]
        RewriteRule ^faq$ faq.html [L]
    """,
    "slashed/: faq faq/ faq.html": r"""
        RewriteRule ^faq$ /slashed/faq/ [R=301,L]
        RewriteRule ^faq/$ faq.html [L]
    """,
    "matched/: st/ st": r"""
        RedirectMatch 301 ^/matched/st/$ /matched/st
        RewriteRule ^st$ faq.html [L]
    """,
    "loop/: faq.html fa d/": "RedirectMatch 301 ^/loop/f /loop/faq.html",
    "itself/: faq.html d/ faq.html/": r"""
        RewriteRule ^faq\.html/?$ faq.html [L]
        RewriteRule ^d/$ d/ [L]
    """,
    "escaped/: home": r"RewriteRule ^home$ /escaped/faq\.html [R=301,L]",
    "drupal/: d/ no install.php old.html core/old.html": r"""
        RewriteCond %{REQUEST_URI} ^(.*)?/(install\.php) [OR]
        RewriteCond %{REQUEST_URI} ^(.*)?/(old\.html)
        RewriteCond %{REQUEST_URI} !core
        RewriteRule ^ %1/core/%2 [L,QSA,R=301]
    """,
    "joined/: faq no b": r"""
        RewriteCond %{REQUEST_FILENAME} -d [OR]
        RewriteCond %{REQUEST_FILENAME}.html -f
        RewriteCond %{REQUEST_URI} !q [OR]
        RewriteCond %{REQUEST_URI} /(fa)q
        RewriteRule ^([^/.]+)$ %1q.html [L]
    """,
    "pathinfo/: faq.html/x faq.html/y gone/a no/x d/index.html/x": r"""
        RewriteCond %{REQUEST_FILENAME} -f
        RewriteRule ^(.+)/x$ $1 [L]
        RewriteCond %{REQUEST_FILENAME} !-d
        RewriteRule ^gone/(.*)$ %{REQUEST_FILENAME} [L]
    """,
}

RECIPE_FILES = ("faq.html", "d/index.html", "core/old.html", "core/install.php.html")


@pytest.mark.skipif(APACHE is None, reason="no apache2: apt-get install apache2")
def test_recipes_of_apache(tmp_path):
    root = tmp_path / "tree"
    paths = []
    for about, rules in RECIPES.items():
        folder, _, words = about.partition(": ")
        write(root / folder, {".htaccess": f"RewriteEngine On\n{rules}\n", **dict.fromkeys(RECIPE_FILES, "")})
        paths += [f"/{folder}{one}" for one in words.split()]
    with apache(tmp_path, root) as port:
        judged, unjudged = verdicts(root, paths)
        answers = {path: is_served(port, path) for path in paths}
    assert unjudged == 0
    assert judged == answers


REFUSED = (
    "RewrteRule ^a$ /b",
    "Headers set X y",
    "<IfModle x>\n</IfModle>",
    "Alias /a /b",
    "<Directory /a>\n</Directory>",
    "Options Indexes +MultiViews",
    "Options -Indexes FollowSymLinks",
    "Options +Index",
)


@pytest.mark.skipif(APACHE is None, reason="no apache2: apt-get install apache2")
def test_directives_that_apache_refuses(tmp_path):
    for number, text in enumerate(REFUSED):
        write(tmp_path / "tree", {f"{number}/.htaccess": text, f"{number}/a.html": ""})
    with apache(tmp_path, tmp_path / "tree") as port:
        assert not any(is_served(port, f"/{number}/a.html") for number in range(len(REFUSED)))


LOADED = """
mpm_event access_compat alias auth_basic authn_core authn_file authz_core authz_groupfile autoindex dir env expires
filter headers http2 include log_debug mime negotiation proxy rewrite session setenvif socache_shmcb speling ssl
""".split()

#: A directive, perhaps a section, with the file of its module, in the list of `apache2 -L`, and where it is allowed.
LISTED = re.compile(r"^<?(\w+) \([\w.]+\)\n(?:\t.*\n)*?\tAllowed in (.*)", re.MULTILINE)


@pytest.mark.skipif(APACHE is None, reason="no apache2: apt-get install apache2")
def test_no_directive_of_apache_is_taken_for_another(tmp_path):
    loads = [f"LoadModule {one}_module {MODULES}/mod_{one}.so" for one in LOADED]
    (tmp_path / "conf").write_text("\n".join([f"ServerRoot {tmp_path}\nErrorLog {tmp_path}/log\nListen 1", *loads, ""]))
    words = [APACHE, "-f", str(tmp_path / "conf"), "-L"]
    listed = dict(LISTED.findall(subprocess.run(words, capture_output=True, check=False, text=True).stdout))
    assert {*ALLOWED.values()} <= listed.keys() >= {*OF_SERVER.values()}
    assert all(".htaccess" in listed[name] for name in ALLOWED.values())
    found = {name: fault_of_directive(name) for name, place in listed.items()}
    assert {name for name, fault in found.items() if fault} == {*OF_SERVER.values()}
    assert not [name for name in OF_SERVER.values() if ".htaccess" in listed[name]]


@contextmanager
def apache(folder, root):
    """Apache with a configuration of its own. Yields the port."""
    port = free_port()
    modules = "mpm_event authz_core authz_host dir alias rewrite mime negotiation".split()
    lines = [
        f"ServerRoot {folder}\nListen 127.0.0.1:{port}\nPidFile {folder}/pid\nErrorLog {folder}/error.log",
        *("ServerName localhost", *(f"LoadModule {one}_module {MODULES}/mod_{one}.so" for one in modules)),
        f"TypesConfig /etc/mime.types\nDocumentRoot {root}\nMutex file:{folder} default",
        "<Directory />\nAllowOverride None\n</Directory>",
        f"<Directory {root}>\nAllowOverride All\nOptions FollowSymLinks\nRequire all granted\n</Directory>",
    ]
    if os.geteuid() == 0:  # a server of root needs another user, who can read the tree
        user = pwd.getpwnam("nobody")
        lines.insert(0, f"User nobody\nGroup #{user.pw_gid}")
        for one in (root, *root.parents):
            if one.owner() == "root" and one != Path("/") and not one.stat().st_mode & 0o001:
                one.chmod(one.stat().st_mode | 0o755)
    (folder / "conf").write_text("\n".join(lines) + "\n")
    server = subprocess.Popen([APACHE, "-f", str(folder / "conf"), "-DFOREGROUND"])
    try:
        wait_for(port)
        yield port
    finally:
        server.terminate()
        server.wait(20)


FIREBASE = {
    "redirects": [
        {"source": "/old", "destination": "/new", "type": 301},
        {"source": "/old2.html", "destination": "/new.html", "type": 302},
        {"source": "/foo/:x/bar/:y*", "destination": "/is/:y", "type": 301},
        {"source": "/g/**", "destination": "/new.html", "type": 301},
        {"source": "/h/*/z", "destination": "/new.html", "type": 301},
        {"source": "/i/@(one|two)", "destination": "/new.html", "type": 301},
        {"source": "/j/{one,two}/k", "destination": "/new.html"},
        {"source": "/blog/:post", "destination": "/is/:post", "type": 301},
        {"regex": "^/re/(\\d+)$", "destination": "/new.html"},
        {"regex": "/rx/(?<n>[a-z]+)", "destination": "/is/:n"},
        {"source": "/l1", "destination": "/l2"},
        {"source": "/l2", "destination": "/l1"},
        {"source": "/dir/page.html", "destination": "/new.html"},
        {"source": "/lost", "destination": "/nowhere"},
        {"source": "/u?x", "destination": "/new.html"},
        {"source": "/ext", "destination": "https://example.com/"},
        {"source": "/**/deep/*.txt", "destination": "/new.html"},
        {"source": "/trail/", "destination": "/new.html"},
        {"source": "/[ab]/c", "destination": "/new.html"},
        {"source": "/!(n)/neg", "destination": "/new.html"},
        {"source": "/Case", "destination": "/new.html"},
        {"source": "/slash", "destination": "/slash/"},
    ],
    "rewrites": [
        {"source": "/app/**", "destination": "/app.html"},
        {"source": "/app2", "destination": "/missing.html"},
        {"source": "/wild*", "destination": "/app.html"},
        {"glob": "/gl/*.x", "destination": "/app.html"},
    ],
}

FIREBASE_FILES = dict.fromkeys(
    (
        *("new.html", "dir/index.html", "dir/page.html", "is/x.html", "is/y.html", "slash/index.html"),
        *("app.html", ".hid/a.html", "noindex/f.html", "a_b.html", "2.html"),
    ),
    "",
)

FIREBASE_PATHS = """
/slash /slash/
/ /index.html /index /new /new.html /new/ /old /old/ /old/x /Old /old2.html /old2 /foo/a/bar/x /foo/a/bar/y.html
/foo/a/bar/ /foo/a/bar /foo/a/bar/none /foo/bar /g /g/ /g/a /g/a/b /g/.h /g/a/.h /h/a/z /h/a/b/z /h//z /h/.a/z /h/a/z/
/i/one /i/two /i/three /i/ /i/one/ /j/one/k /j/two/k /j/x/k /blog/x /blog/x.html /blog/none /blog/ /blog/x/y /blog/y/
/re/12 /re/ab /re/12/ /rx/x /a/rx/y /rx/none /rx/X /l1 /l2 /dir /dir/ /dir/index.html /dir/index /dir/page.html
/dir/page /dir/page/ /lost /uax /ux /uabx /ext /deep/a.txt /a/deep/b.txt /a/b/deep/c.txt /a/deep/b/c.txt /deep/.a.txt
/trail /trail/ /a/c /b/c /c/c /n/neg /m/neg /Case /case /app /app/ /app/x /app/x/y /app/.x /app2 /app2/ /wild /wilder
/wild/ /wild/x /gl/a.x /gl/a.y /gl/.x /is/x /is/x.html /is/x/ /is /is/ /is/none /noindex /noindex/ /noindex/f /.hid/a
/.hid/a.html /a_b /a_b.html /%6Eew /none /none/ /none.html /dir//page /is//x.html /2 /2.html /2/ /new.html?q=1
/old?q=1
""".split()

SUPERSTATIC = """
const {server} = require("superstatic");
const [port, cwd, config] = process.argv.slice(1);
server({port, hostname: "127.0.0.1", cwd, config: JSON.parse(config)}).listen();
"""


@pytest.mark.skipif(not has_module("superstatic"), reason="no superstatic: npm install it, and set NODE_PATH")
@pytest.mark.parametrize("clean_urls", [False, True])
@pytest.mark.parametrize("trailing_slash", [None, True, False])
def test_firebase(tmp_path, clean_urls, trailing_slash):
    hosting = {"public": "public", "cleanUrls": clean_urls, **FIREBASE}
    if trailing_slash is not None:
        hosting["trailingSlash"] = trailing_slash
    write(tmp_path, {"firebase.json": json.dumps({"hosting": hosting}), ".git/HEAD": "x"})
    write(tmp_path / "public", FIREBASE_FILES)
    judged, unjudged = verdicts(tmp_path / "public", FIREBASE_PATHS)
    port = free_port()
    words = [NODE, "-e", SUPERSTATIC, str(port), str(tmp_path), json.dumps(hosting)]
    server = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(port)
        answers = {path: is_served(port, path) for path in FIREBASE_PATHS}
    finally:
        server.kill()
        server.wait()
    assert unjudged == 0
    assert judged == answers


NEGATED = "!/@(css|images)/** !/route !/**/x !**/{route,x} !**".split()

NEGATED_PATHS = "/ /route /route/ /css /css/x /css/x/y /images/a/b /cssx/a /a/route /x /a/.b/x /.x /.a/b /.a/.b".split()

MATCHER = """
const {configMatcher} = require("superstatic/lib/utils/patterns.js");
const [sources, paths] = process.argv.slice(1).map(JSON.parse);
const matches = (source) => paths.filter((path) => configMatcher(path.replace(/(.)\\/$/, "$1"), {source}));
console.log(JSON.stringify(Object.fromEntries(sources.map((source) => [source, matches(source)]))));
"""


@pytest.mark.skipif(not has_module("superstatic"), reason="no superstatic: npm install it, and set NODE_PATH")
def test_negated_sources_of_firebase():
    words = [NODE, "-e", MATCHER, json.dumps(NEGATED), json.dumps(NEGATED_PATHS)]
    expected = json.loads(subprocess.run(words, capture_output=True, check=True, text=True).stdout)
    for source in NEGATED:
        rules = HostRules(is_decoded=True, ignores_slash=True)
        site = {"redirects": [{"source": source, "destination": "/z"}]}
        read_firebase(site, ValuePlaces(json.dumps(site).encode(), "firebase.json"), rules)
        outcomes = {path: rules.outcome(path, "", lambda _: "") for path in NEGATED_PATHS}
        assert not any(one.possible for one in outcomes.values())
        assert [path for path, one in outcomes.items() if one.effect] == expected[source], source


VERCEL_REDIRECTS = [
    {"source": "/old", "destination": "/new"},
    {"source": "/old2.txt", "destination": "/new.html"},
    {"source": "/blog/:post", "destination": "/is/:post"},
    {"source": "/a/:x/b/:y", "destination": "/is/:y"},
    {"source": "/lost", "destination": "/nowhere"},
    {"source": "/ext", "destination": "https://example.com/"},
    {"source": "/plain.txt", "destination": "/nowhere"},
    {"source": "/two", "destination": "/old"},
]

VERCEL_NAMES = (
    "new.html dir/index.html dir/page.html nodir/x.html is/x.html is/y.html plain.txt both.html both/index.html"
)

VERCEL_PATHS = """
/ /index.html /index /new /new.html /new/ /new.html/ /old /old/ /old/x /old2.txt /old2 /blog/x /blog/y /blog/none
/blog /blog/ /blog/x/y /a/1/b/x /a/1/b/none /a/1/b /lost /lost/ /ext /plain.txt /plain /two /two/ /dir /dir/ /blog/x/
/dir/index.html /dir/index /dir/page /dir/page.html /dir/page/ /dir/none /nodir/x /nodir/x.html /nodir/x/ /is/x
/is/x.html /is/x/ /is/none /none /none/ /none.html /none/x /new?x=1 /old?x=1 /new.html?x /both.html /dir/page?x
""".split()

SERVE = """
const handler = require("serve-handler");
const [port, config] = process.argv.slice(1);
require("http").createServer((one, two) => handler(one, two, JSON.parse(config))).listen(port, "127.0.0.1");
"""


@pytest.mark.skipif(not has_module("serve-handler"), reason="no serve-handler: npm install it, and set NODE_PATH")
@pytest.mark.parametrize("clean_urls", [False, True])
@pytest.mark.parametrize("trailing_slash", [None, True, False])
def test_rules_that_serve_shares_with_vercel(tmp_path, clean_urls, trailing_slash):
    """`serve` reads the keys of `vercel.json` that had the same meaning when both came from one company."""
    settings = {"cleanUrls": clean_urls, "redirects": VERCEL_REDIRECTS}
    if trailing_slash is not None:
        settings["trailingSlash"] = trailing_slash
    root = tmp_path / "tree"
    write(root, {**dict.fromkeys(VERCEL_NAMES.split(), ""), "vercel.json": json.dumps(settings)})
    # On Vercel, a slash at the end of a path counts in sources if `trailingSlash` is not set: see the next test.
    paths = [path for path in VERCEL_PATHS if trailing_slash is not None or path not in {"/old/", "/two/", "/blog/x/"}]
    judged, unjudged = verdicts(root, paths)
    port = free_port()
    with running([NODE, "-e", SERVE, port, json.dumps({**settings, "public": str(root)})], port, tmp_path):
        answers = {path: is_served(port, path) for path in paths}
    assert unjudged == 0
    assert {path: is_fine for path, is_fine in judged.items() if is_fine is not answers[path]} == {}


SOURCES = r"""
/old /b/:slug /p/:path* /p/:path+ /q/:a? /x/(.*) /post/:id(\d{1,}) /((?!api/).*) /sl/ /a-:b-c /:a/:b/:c
/f.:ext
""".split()

TRIED = """
/old /old/ /b/x /b/x/ /b/x/y /b /b/ /p /p/ /p/a /p/a/b /p/a/ /q /q/ /q/a /x /x/ /x/a/b /post/12 /post/a /post/
/api/x /apix / /sl /sl/ /a-x-c /a--c /1/2/3 /1/2 /1/2/3/ /f.txt /f. /f.a/b
""".split()

ROUTES = """
const {getTransformedRoutes} = require("@vercel/routing-utils");
const [sources, paths] = process.argv.slice(1).map(JSON.parse);
const matches = (source) => {
  const {routes} = getTransformedRoutes({redirects: [{source, destination: "/z"}]});
  return paths.filter((path) => new RegExp(routes[0].src).test(path));
};
console.log(JSON.stringify(Object.fromEntries(sources.map((source) => [source, matches(source)]))));
"""


@pytest.mark.skipif(
    not has_module("@vercel/routing-utils"),
    reason="no node with @vercel/routing-utils: npm install it, and set NODE_PATH",
)
def test_sources_of_vercel():
    words = [NODE, "-e", ROUTES, json.dumps(SOURCES), json.dumps(TRIED)]
    expected = json.loads(subprocess.run(words, capture_output=True, check=True, text=True).stdout)
    for source in SOURCES:
        found = parametric(source, strict=True)
        matches = [
            path
            for path in TRIED
            if (found.path == path if found.expression is None else found.expression.pattern.search(path))
        ]
        assert matches == expected[source], source


REDIRECTS_FILES = dict.fromkeys(
    (
        *(
            "404.html",
            "new.html",
            "dir/index.html",
            "dir/page.html",
            "nodir/x.html",
            "to.html",
            "is/x.html",
            "is/y.html",
            "self/a.html",
            "add.html",
            "cut.html",
        ),
        *("app.html", "both.html", "both/index.html", "2.html", "is/a.b.html", "plain.txt", "shadowed.html", "é.html"),
    ),
    "",
)

#: Rules that both Netlify and Cloudflare Pages know, though not with the same meaning.
REDIRECTS_RULES = """# comment
/old /new
/old2 /new.html 301
/old3/ /new 302 # comment
/html.html /new
/gone /nowhere
/shadowed /nowhere
/w/* /is/:splat
/v/*  /is/:splat 302
/p/:name/x /is/:name
/p2/:name.html /is/:name
/p3/:a/:b /is/:b
/p4/x-:name /is/:name
/m*n /new
/c* /new
/ext https://example.com/
/frag /new#there
/hash#there /new
/query /new?x=1
/r /to 200
/r2 /to.html 200
/r3/* /is/:splat 200
/r4/* /app 200
/r5 /missing 200
/loop1 /loop2
/loop2 /loop1
/two /old
/dir/page /nowhere
/nodir/ /to
/Case /new
/n/:a/:ab /is/:ab
/late/x /nowhere
/late/* /new
/status /new 308
/no target
/b\u00fc /new
/self/* /self/a 301
/add /add/ 301
/cut/ /cut 301
"""

NETLIFY_RULES = """
/forced /new 301!
/new2 /to 404
/dir /nowhere 301!
/q id=:id /is/:id 301
/q2 v=1 /new 301
/lang /new Language=de
/served/* 200
/two/*/parts /is/:splat
/s/b/*a /new
/role /nowhere 404!
/to/* /new 301
"""

REDIRECTS_PATHS = """
/ /index /index.html /index/ /new /new.html /new/ /new.html/ /NEW /old /old/ /old.html /old/x /Old /old2 /old2/ /old3
/old3/ /html.html /html /gone /gone/ /shadowed /shadowed.html /shadowed/ /w /w/ /w/x /w/x.html /w/none /w/x/ /w/y /wx
/v /v/ /v/x /v/y.html /v/none /p/x/x /p/y/x /p/x/x/ /p/none/x /p/x /p/x/y /p/a.b/x /p2/x.html /p2/x /p2/none.html /p2/
/p3/1/x /p3/1/x/ /p3/1/none /p3/1 /p3/1/x/y /p4/x-x /p4/x- /p4/x /p4/y-x /p4/x-none /man /mn /m/n /m /c /cx /c/x
/cat/s/x
/ext /ext/ /frag /frag/ /hash /hash/ /query /query/ /query?y=2 /r /r/ /r2 /r2/ /r3/x /r3/y.html /r3/none /r3 /r3/ /r4/x
/r4/a/b /r4 /r4/ /r5 /r5/ /loop1 /loop2 /two /two/ /dir /dir/ /dir/index /dir/index.html /dir/page /dir/page.html
/dir/page/ /dir/none /dir/index/ /nodir /nodir/ /nodir/x /nodir/x.html /nodir/x/ /Case /case /CASE /n/x/y /n/1/2 /n/x
/late/x /late/y /late /late/ /status /status/ /no /both /both/ /both.html /both/index.html /2 /2.html /2/ /is /is/ /is/x
/is/x.html /is/x/ /is/a.b /is/a.b.html /is/none /plain.txt /plain /plain.txt/ /%C3%A9 /%C3%A9.html /%C3%A9/ /b%C3%BC
/none /none/ /none/x /none.html /404 /404.html /404/ /%6Eew /old?q=1 /w/x?q=1 /w/a.b /v/a.b /r3/a.b /app /app/ /app/x
/forced /forced/ /new2 /new2/ /q?id=x /q?id=none /q /q2?v=1 /q2?v=2 /q2 /lang /served/x /served /two/x/parts
/two/none/parts /two/parts /s/b/a /s/b/xa /role /to /to/ /to.html /to/x /to/x/y /is/../new /./new /dir/../to.html
/w/is /v/x/y /p2/y /p2/y/x /p3/x/y /p3/y/x /p4/x-y /m-n /mxn/ /mxny /ca/ /html/ /old3/x /two?x /ext?x /gone/x /loop1/
/frag?x /dir?x /dir/index?x /nodir?x /Case/ /late/x/y /n/x/x /is/y /is/y.html /to?x /app?x /both?x /2/x /hash?x /r3/x/
/self/a /self/z /self/a.html /add /add/ /cut /cut/
/r4/x.html /p/x/x?y /n/y/x/ /w/../new /r2?x /late/x/ /late/y/ /status?x /2?x /both/x /dir/pag /nodir/none /nodir/y.html
""".split()


def check_redirects(tmp_path, rules, words, paths=REDIRECTS_PATHS, **options):
    """Compare the audit of a tree with `_redirects` and the answers of a server."""
    root = tmp_path / "tree"
    write(root, {**REDIRECTS_FILES, "_redirects": rules})
    judged, unjudged = verdicts(root, paths, **options)
    port = free_port()
    with running([NODE, *words(port, root)], port, tmp_path):
        answers = {path: is_served(port, path) for path in paths}
    assert len(set(paths)) >= 200
    assert unjudged == 0
    assert {path: is_fine for path, is_fine in judged.items() if is_fine is not answers[path]} == {}


@pytest.mark.skipif(program("netlify") is None, reason="no netlify: npm install netlify-cli, and set NODE_PATH")
def test_netlify(tmp_path):
    def words(port, root):
        flags = f"--offline --internal-disable-edge-functions --port {port} --staticServerPort {free_port()}"
        return [program("netlify"), "dev", *flags.split(), "--dir", root]

    check_redirects(tmp_path, REDIRECTS_RULES + NETLIFY_RULES, words, host="netlify")


@pytest.mark.skipif(program("wrangler") is None, reason="no wrangler: npm install it, and set NODE_PATH")
def test_cloudflare(tmp_path):
    def words(port, root):
        flags = f"--ip 127.0.0.1 --port {port} --compatibility-date 2026-01-01"
        return [program("wrangler"), "pages", "dev", root, *flags.split()]

    check_redirects(tmp_path, REDIRECTS_RULES + NETLIFY_RULES, words, host="cloudflare")
