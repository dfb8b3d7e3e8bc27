"""The common part of all clients, without any client."""

from __future__ import annotations

import importlib
import logging
import pickle
import re
import sys

import pytest
from support.passwords import SECRET, generated

import linkfix
from linkfix import Layer, Options, Problem
from linkfix.document import decide
from linkfix.hooks import response as module
from linkfix.hooks.response import (
    Outcome,
    Response,
    Settings,
    absolutize,
    leave_alone,
    log_failure,
    log_once,
    log_problems,
    settings,
)
from linkfix.model import DEFAULT_OPTIONS

URL = "http://h/a/page"
PAGE = b"<a href=x>"
MADE = b"<a href=http://h/a/x>"
HTML = ("Content-Type", "text/html")


def made(body=PAGE, content_type="text/html", url=URL, chosen=Settings(), **fields):  # noqa: B008 - frozen
    return absolutize(Response(body, url, (("Content-Type", content_type),), **fields), chosen)


def codes(outcome):
    return [problem.code for problem in outcome.problems]


@pytest.fixture
def logged(caplog):
    caplog.set_level(logging.DEBUG, "linkfix.hooks")
    return lambda: [(record.name, record.levelname, record.getMessage()) for record in caplog.records]


def test_a_page():
    headers = (("content-TYPE", "text/html"), ("Content-Length", "10"), ("Content-Encoding", "gzip"), ("Vary", "x"))
    outcome = absolutize(Response(PAGE, URL, headers))
    assert outcome.body == MADE
    assert outcome.headers == (headers[0], headers[3], ("Content-Length", str(len(MADE))))
    assert (outcome.rewritten, outcome.problems, outcome.left_alone) == (1, (), "")
    assert [(link.reference, link.target) for link in outcome.links] == [("x", "http://h/a/x")]
    assert outcome.links is outcome.links
    assert (outcome.base.url, outcome.base.layer, outcome.base.where) == (URL, Layer.RETRIEVAL, "the response's URL")
    assert outcome.encoding == "windows-1252"


def test_a_page_with_nothing_to_rewrite_stays():
    response = Response(MADE, URL, (HTML, ("Content-Length", "0"), ("ETag", "e")))
    outcome = absolutize(response)
    assert outcome.body is response.body
    assert outcome.headers is response.headers
    assert (outcome.rewritten, len(outcome.links)) == (0, 1)


def test_headers_that_fit_a_changed_body():
    stale = ("content-encoding", "Content-Length", "Transfer-Encoding", "Content-Digest", "Repr-Digest")
    headers = [(name, "x") for name in (*stale, "Digest", "Content-MD5", "Set-Cookie", "Set-Cookie")]
    renewed = Response(b"", None, tuple(headers)).renewed_headers(5)
    assert renewed == (
        ("Set-Cookie", "x"),
        ("Set-Cookie", "x"),
        ("Content-Length", "5"),
    )


def test_fields_that_no_hook_reads_are_left_out():
    response = Response(b"", URL, (HTML, ("Date", "x"), ("Link", "<a>"), ("LINK", "<b>"), ("Content-Location", "y")))
    assert response.fields == {"content-type": ["text/html"], "link": ["<a>", "<b>"], "content-location": ["y"]}
    assert response.renewed_headers(3) == (*response.headers, ("Content-Length", "3"))


def test_the_last_header_of_a_name_counts():
    response = Response(b"", URL, (HTML, ("content-type", "text/plain")))
    assert response.header("content-type") == "text/plain"
    assert response.header("vary") == ""


@pytest.mark.parametrize("content_type", ["text/plain", "image/svg+xml", "application/json", "x/y"])
def test_other_types_are_skipped(content_type, logged):
    outcome = made(content_type=content_type)
    assert outcome == Outcome(PAGE, (("Content-Type", content_type),))
    assert (outcome.links, outcome.base, outcome.encoding, outcome.declared_codec) == ([], None, None, "")
    assert logged() == []


@pytest.mark.parametrize(("body", "looked_at"), [(b"<!DOCTYPE html>" + PAGE, True), (b"text " + PAGE, False)])
def test_without_a_type_the_body_decides(body, looked_at):
    outcome = absolutize(Response(body, URL))
    assert (outcome.document is not None) is looked_at
    assert (MADE in outcome.body) is looked_at


def test_other_media_types_on_request():
    body = b'<svg xmlns="http://www.w3.org/2000/svg"><a href="x"/></svg>'
    outcome = made(body, "image/svg+xml", chosen=settings(media_types=["image/svg+xml"]))
    assert outcome.body == body.replace(b'"x"', b'"http://h/a/x"')
    assert made(chosen=settings(media_types=["image/svg+xml"])).document is None


def test_a_coded_body_is_skipped(logged):
    outcome = absolutize(Response(PAGE, URL, (HTML, ("Content-Encoding", "br")), coded=True))
    assert (outcome.body, outcome.left_alone, codes(outcome)) == (PAGE, "response-coded", ["response-coded"])
    assert outcome.problems[0].message.endswith(": 'br'")
    assert logged()[0][1] == "WARNING"
    assert made(content_type="image/x", coded=True).left_alone == ""


@pytest.mark.parametrize("coding", ["none", "UTF-8", "binary, 8bit", "text/html"])
def test_a_coding_that_does_not_exist_is_ignored(coding):
    outcome = absolutize(Response(PAGE, URL, (HTML, ("Content-Encoding", coding)), coded=True))
    assert (outcome.body, outcome.left_alone) == (MADE, "")


def test_all_fields_of_the_type_count():
    fields = (("Content-Type", "text/html; charset=koi8-r"), ("content-type", "text/html"))
    assert absolutize(Response(PAGE, URL, fields)).encoding == "koi8-r"
    assert absolutize(Response(PAGE, URL, (*fields, ("Content-Type", "text/plain")))).document is None


def test_nothing_is_sniffed_if_the_server_forbids_it():
    body = b"<!doctype html>" + PAGE
    fields = (("Content-Type", "*/*"), ("X-Content-Type-Options", "NoSniff"))
    assert absolutize(Response(body, URL, fields)).document is None
    assert absolutize(Response(body, URL, fields[:1])).rewritten == 1


def test_the_limit():
    assert made(chosen=settings(max_size=len(PAGE))).body == MADE
    outcome = made(chosen=settings(max_size=len(PAGE) - 1))
    assert outcome.body is PAGE
    assert (outcome.left_alone, outcome.document) == ("too-large", None)
    assert outcome.problems[0].message.endswith("10 bytes")


@pytest.mark.parametrize(
    ("body", "what"),
    [
        (b"%PDF-1.7" + PAGE, "it begins with"),
        (b"\x89PNG\r\n\x1a\n" + PAGE, "it begins with"),
        (b"\x1f\x8b\x08" + PAGE, "it begins with"),
        (b'{"a": "<a href=x>"}', "it is JSON"),
        (b'\xef\xbb\xbf \n["<a href=x>"]', "it is JSON"),
    ],
)
def test_bodies_that_are_no_html_in_spite_of_their_type(body, what):
    outcome = made(body)
    assert outcome.body is body
    assert outcome.left_alone == "not-html"
    assert what in outcome.problems[0].message


@pytest.mark.parametrize("start", [b"{{ template }}", b"[if lt IE 9]", b"[" * 100_000, b"{", b'["\xff"]', b"GIF", b""])
def test_bodies_that_only_look_like_another_format(start):
    assert made(start + PAGE).body == start + MADE


def test_data_that_is_no_text():
    body = b"\x07\0\0\0" * 400 + PAGE
    outcome = made(body)
    assert outcome.body is body
    assert (outcome.left_alone, outcome.rewritten, outcome.declared_codec) == ("binary", 0, "")


@pytest.mark.parametrize(
    ("charset", "body", "encoding", "problems"),
    [
        ("windows-1251", b"<a href='?\xff'>", "windows-1251", []),
        ("bogus", b"<meta charset=windows-1251><a href='?\xff'>", "windows-1251", ["charset-unknown"]),
        ("bog\u00fcs", b"<meta charset=windows-1251><a href='?\xff'>", "windows-1251", ["charset-unknown"]),
        ('"windows-1251"', b"<a href='?\xff'>", "windows-1251", []),
    ],
)
def test_the_charset_of_the_type(charset, body, encoding, problems):
    outcome = made(body, f"text/html; charset={charset}")
    assert (outcome.encoding, codes(outcome)) == (encoding, problems)
    assert outcome.links[0].target == f"{URL}?%FF"


@pytest.mark.parametrize(
    ("content_type", "body", "codec"),
    [
        ("text/html", b"<meta charset=windows-1251>", "cp1251"),
        ("text/html; charset=bogus", b"<meta charset=windows-1251>", "cp1251"),
        ("text/html; charset=utf-8", b"<meta charset=windows-1251>", ""),
        ("text/html", b"", ""),
        ("application/xhtml+xml", b'<?xml version="1.0" encoding="iso-8859-2"?><a/>', "iso8859-2"),
        ("text/html", b"\xef\xbb\xbf", "utf-8-sig"),
        ("text/html; charset=windows-1251", b"\xef\xbb\xbf", "utf-8-sig"),
        ("text/html", "\ufeff<p>".encode("utf-16-le"), "utf-16"),
        ("text/html", "\ufeff<p>".encode("utf-16-be"), "utf-16"),
        ("text/html", b"<meta charset=hz-gb-2312>\x81", ""),
    ],
)
def test_the_codec_that_the_page_declares(content_type, body, codec):
    assert made(body, content_type).declared_codec == codec


@pytest.mark.parametrize("url", [None, "", "page", "/a/page", "http://["])
def test_no_absolute_url(url, logged):
    outcome = made(PAGE + MADE, url=url)
    assert outcome.body == PAGE + MADE
    assert codes(outcome) == ["response-url", "no-base"]
    assert outcome.base.url is None
    assert [(level, message.partition(":")[0]) for _, level, message in logged()] == [
        ("WARNING", (url or "(no URL)").partition(":")[0])
    ] * 2
    defaulted = made(url=url, chosen=settings(default_base="http://d/"))
    assert (defaulted.body, defaulted.base.layer) == (b"<a href=http://d/x>", Layer.DEFAULT)


def test_redirects_and_headers_that_are_no_base():
    headers = (HTML, ("Content-Location", "/wrong/"), ("Base", "http://b/"), ("content-base", "http://c/"))
    outcome = absolutize(Response(PAGE, URL, headers, ("http://1/", "http://2/")))
    assert outcome.base.url == URL
    assert [(lost.layer, lost.reference, lost.where) for lost in outcome.base.rejected] == [
        (Layer.RETRIEVAL, "http://1/", "redirect 1 of 2"),
        (Layer.RETRIEVAL, "http://2/", "redirect 2 of 2"),
        (Layer.ENCAPSULATING, "/wrong/", "Content-Location of the response"),
        (Layer.ENCAPSULATING, "http://b/", "Base of the response"),
        (Layer.ENCAPSULATING, "http://c/", "content-base of the response"),
    ]


def test_settings():
    assert settings() == Settings()
    assert settings(max_size=5, media_types=["text/html"], default_base="http://d/", lazy=True) == Settings(
        options=Options(lazy=True), max_size=5, media_types=frozenset({"text/html"}), default_base="http://d/"
    )
    chosen = settings(fragments="absolutize")
    assert pickle.loads(pickle.dumps(chosen)) == chosen  # noqa: S301 - its own


@pytest.mark.parametrize(
    ("fields", "error", "message"),
    [
        ({"spec": "rfc0"}, linkfix.UnknownSpec, "rfc0"),
        ({"base_element": "burn"}, linkfix.InvalidOption, "base_element"),
        ({"default_base": "d"}, linkfix.InvalidBase, "'d'"),
        ({"media_types": ["text/x", "text/html"]}, linkfix.InvalidOption, "'text/x'"),
        ({"size": 1}, TypeError, "size"),
    ],
)
def test_settings_that_cannot_be(fields, error, message):
    with pytest.raises(error, match=message):
        settings(**fields)


def test_a_fault_of_linkfix_s_own_leaves_the_response_alone(monkeypatch, logged):
    class Broken:
        @classmethod
        def of_checked(cls, *_):
            message = "broken\nhere"
            raise RuntimeError(message)

    monkeypatch.setattr(module, "Document", Broken)
    outcome = made(url="http://h/\x1b[31m")
    assert (outcome.body, outcome.left_alone, codes(outcome)) == (PAGE, "hook-failed", ["hook-failed"])
    assert outcome.problems[0].message.endswith(": RuntimeError")
    [(name, level, message)] = logged()
    assert (name, level) == ("linkfix.hooks", "ERROR")
    assert "\x1b" not in message


def test_elements_nested_deeper_than_calls_can_be():
    depth = sys.getrecursionlimit() * 3
    assert made(b"<div>" * depth + PAGE).body == b"<div>" * depth + MADE


def test_problems_are_logged(logged):
    outcome = made(b"<base href='data:,x'><a href='http://['>\n<a href='//[\x1b[31m&#10;'>", url="http://h/\x1b[1m")
    assert codes(outcome) == ["base-unusable", "unresolvable", "unresolvable"]
    lines = logged()
    assert [(name, level) for name, level, _ in lines] == [
        ("linkfix.hooks", "WARNING"),
        ("linkfix.hooks", "INFO"),
        ("linkfix.hooks", "INFO"),
    ]
    assert not any(set(message) & set("\x1b\n") for _, _, message in lines)
    assert ":1:31: " in lines[1][2]
    assert lines[1][2].endswith(" [unresolvable]")


def test_a_problem_of_all_references_is_logged_once(logged):
    problems = [Problem("no-base", "m", 0, line, 1) for line in range(1, 1202)]
    log_problems(URL, [*problems, Problem("binary", "n", 0, 1, 1)])
    assert [(level, message) for _, level, message in logged()] == [
        ("WARNING", f"{URL}:1:1: m (and 1,200 more) [no-base]"),
        ("WARNING", f"{URL}:1:1: n [binary]"),
    ]


def test_a_late_charset_is_information(logged):
    outcome = made(b"<!--" + b"x" * 1024 + b"--><meta charset=utf-8>" + PAGE)
    assert codes(outcome) == ["charset-late"]
    assert [level for _, level, _ in logged()] == ["INFO"]


def test_a_log_line_is_no_flood(logged):
    made(b"<a href='http://[" + b"x" * 100_000 + b"'>")
    [(_, _, message)] = logged()
    assert len(message) < 1000


def test_a_password_in_a_problem_is_not_logged(logged):
    made(b"<a href='https://me:secret@['>")
    [(_, _, message)] = logged()
    assert "https://me:…@[" in message


def test_no_log_line_has_a_password(logged):
    """In the response's URL, in those of redirects, and in a reference, as the URL engine reads it."""
    forms = generated(1000)
    for url in forms:
        log_problems(url, [Problem("unresolvable", f"not a URL: {url!r}", 0, 1, 1)])
        log_once("hook-twice", url)
    told = [message for _, _, message in logged()]
    assert len(told) >= len(forms)
    assert [message for message in told if SECRET in message] == []


def test_without_a_listener_problems_are_not_logged(caplog):
    with caplog.at_level(logging.WARNING, "linkfix.hooks"):
        log_problems(URL, [Problem("unresolvable", "m", 0, 1, 1)])
        assert caplog.records == []
        log_problems(URL, [Problem("no-base", "m", 0, 1, 1)])
    assert caplog.messages == [f"{URL}:1:1: m [no-base]"]


def test_skipped_responses(logged):
    response = Response(PAGE, None, (HTML,))
    outcome = leave_alone(response, Settings(), "too-large", "5 bytes")
    assert outcome.body is PAGE
    assert outcome.headers is response.headers
    assert (outcome.left_alone, codes(outcome)) == ("too-large", ["too-large"])
    assert [(level, message.split(" ")[0]) for _, level, message in logged()] == [("WARNING", "(no")]


def test_failed(logged):
    try:
        raise KeyError("k")  # noqa: EM101, TRY301 - any
    except KeyError:
        log_failure(None)
    assert logged() == [("linkfix.hooks", "ERROR", f"(no URL): {linkfix.PROBLEMS['hook-failed']}")]


@pytest.mark.parametrize("type_", ["application/rss+xml", "application/atom+xml; charset=utf-8"])
def test_a_feed_that_is_left_alone_is_said_once(monkeypatch, logged, type_):
    monkeypatch.setattr(module, "_warned", set())
    feed = Response(b"<rss><channel><link>/</link></channel></rss>", URL, (("Content-Type", type_),))
    for _ in range(2):
        assert module.absolutize(feed).body is feed.body
    assert [(level, message.endswith("[hook-feed]")) for _, level, message in logged()] == [
        ("WARNING", True),
        ("DEBUG", True),
    ]
    chosen = module.settings(media_types=["application/rss+xml", "application/atom+xml"])
    assert b"<link>http" in module.absolutize(feed, chosen).body
    assert len(logged()) == 2


def test_a_hook_twice_is_a_warning_once(monkeypatch, logged):
    monkeypatch.setattr(module, "_warned", set())
    for url in (None, URL, URL):
        log_once("hook-twice", url)
    assert [(level, message.partition(": ")[0]) for _, level, message in logged()] == [
        ("WARNING", linkfix.PROBLEMS["hook-twice"] + " [hook-twice]"),
        ("DEBUG", URL),
        ("DEBUG", URL),
    ]
    assert all(message.endswith("[hook-twice]") for _, _, message in logged())


@pytest.mark.parametrize("method", ["insert", "keep"])
def test_nothing_is_put_into_nothing(method):
    outcome = made(b"", chosen=settings(base_element=method))
    assert (outcome.body, outcome.document, outcome.problems) == (b"", None, ())


def test_a_part_of_a_page_is_skipped(logged):
    outcome = absolutize(Response(PAGE, URL, (HTML, ("Content-Range", "bytes 10-19/100"))))
    assert (outcome.body, outcome.left_alone) == (PAGE, "response-partial")
    assert logged()[0][2].endswith("so it is skipped: bytes 10-19/100 [response-partial]")


@pytest.mark.parametrize("slashes", ["//", "\\\\", "/\\"])
def test_names_and_passwords_go_nowhere(slashes, logged):
    history = (f"http:{slashes}user:secret@h/before@x",)
    outcome = made(b"<a href=x><a href='http://['>", url=f"http:{slashes}user:secret@h/a/page@x", history=history)
    assert outcome.body == b"<a href=http://h/a/x><a href='http://['>"
    assert "secret" not in f"{outcome.base}{outcome.body}{logged()}"
    assert "before@x" in str(outcome.base)


@pytest.mark.parametrize(
    ("value", "charset"),
    [
        ("text/html, text/html; charset=windows-1251", "windows-1251"),
        ("text/html; charset=windows-1251, text/html", "windows-1251"),
        ("text/plain; charset=koi8-r, text/html; charset=windows-1251", "windows-1251"),
        ("text/plain; charset=koi8-r, text/html", "windows-1252"),
        ("text/html, */", "windows-1252"),
    ],
)
def test_several_types_in_one(value, charset):
    """Fetch §2.2.2, "extract a MIME type"."""
    assert made(content_type=value).encoding == charset


@pytest.mark.parametrize("value", ["x", "*", "text/", ""])
def test_the_body_decides_if_the_type_is_invalid(value):
    """MIME Sniffing §7."""
    assert made(b"<!doctype html>" + PAGE, content_type=value).rewritten == 1
    assert made(b"text", content_type=value).document is None


def test_the_last_of_several_types_counts():
    assert made(content_type="text/html, text/plain").document is None


@pytest.mark.parametrize(
    ("fields", "blocked"),
    [
        ([("content-security-policy", "img-src *"), ("Content-Security-Policy", "base-uri 'self'")], True),
        ([("Content-Security-Policy", "img-src *, base-uri 'none'")], True),
        ([("Content-Security-Policy", "base-uri http://b.test")], False),
        ([("Content-Security-Policy-Report-Only", "base-uri 'none'")], False),
    ],
)
def test_a_base_that_the_response_does_not_allow(fields, blocked):
    body = b'<base href="http://b.test/x/"><a href="y">'
    outcome = absolutize(Response(body, "http://a.test/p", (("Content-Type", "text/html"), *fields)))
    assert codes(outcome) == ["base-blocked"] * blocked
    assert outcome.links[1].target == ("http://a.test/y" if blocked else "http://b.test/x/y")
    assert (b'<base href="http://a.test/p">' in outcome.body) == blocked


@pytest.mark.parametrize(
    ("hook", "function", "expected", "example"),
    [
        ("requests", "install", "requests.Session", "requests.Session()"),
        ("httpx", "install", "httpx.Client or httpx.AsyncClient", "httpx.Client()"),
        ("playwright", "absolutize", "a Page or Frame of Playwright's sync API", ""),
    ],
)
def test_a_module_in_the_place_of_an_object_is_named(hook, function, expected, example):
    library = pytest.importorskip(hook)
    call = getattr(importlib.import_module(f"linkfix.hooks.{hook}"), function)
    such = f", such as {example}" if example else ""
    start = f"linkfix.hooks.{hook}.{function}() takes {expected}, not"
    message = f"{start} the module {hook}: pass an object of that class{such}"
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        call(library)


@pytest.mark.parametrize(
    ("hook", "wrong", "given"),
    [
        ("requests", lambda requests: requests.Session, "the class requests.sessions.Session"),
        ("requests", lambda requests: requests.Response(), "requests.models.Response"),
        ("httpx", lambda httpx: httpx.Client, "the class httpx.Client"),
        ("httpx", lambda httpx: httpx.Response(200), "httpx.Response"),
        ("requests", lambda requests: requests.__name__, "str 'requests'"),
    ],
)
def test_a_class_or_another_object_of_the_library_shows_an_example(hook, wrong, given):
    library = pytest.importorskip(hook)
    install = importlib.import_module(f"linkfix.hooks.{hook}").install
    example = {"requests": "requests.Session()", "httpx": "httpx.Client()"}[hook]
    message = f"not {given}: pass an object of that class, such as {example}"
    with pytest.raises(TypeError, match=f"{re.escape(message)}$"):
        install(wrong(library))


def test_an_unknown_keyword_of_a_hook_gets_a_suggestion():
    with pytest.raises(TypeError, match=r"^unexpected keyword argument 'max_sise': did you mean 'max_size'\?$"):
        settings(max_sise=1)


@pytest.mark.parametrize("type_", ["application/feed+json", "application/json; charset=utf-8"])
def test_a_json_feed_is_processed_on_request(monkeypatch, logged, type_):
    monkeypatch.setattr(module, "_warned", set())
    data = b'{"version": "https://jsonfeed.org/version/1.1", "icon": "/i"}'
    feed = Response(data, URL, (("Content-Type", type_),))
    assert module.absolutize(feed).body is data
    assert [message.endswith("[hook-feed]") for _, _, message in logged()] == [True]
    chosen = module.settings(media_types=["application/feed+json"])
    host = "/".join(URL.split("/")[:3])
    assert module.absolutize(feed, chosen).body == data.replace(b"/i", f"{host}/i".encode())
    other = Response(b'{"version": "1.1", "icon": "/i"}', URL, (("Content-Type", "application/json"),))
    assert module.absolutize(other, chosen).body is other.body


def test_options_are_checked_once_though_hooks_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    checked = []
    monkeypatch.setattr(decide, "check_fields", checked.append)
    hooks = [settings(fragments="absolutize"), settings(normalize=True)]
    assert len(checked) == 2
    for _ in range(3):
        for chosen in hooks:
            outcome = absolutize(Response(b"<a href=x>", "http://h/a/", (("Content-Type", "text/html"),)), chosen)
            assert outcome.body == b"<a href=http://h/a/x>"
    assert len(checked) == 2


def test_the_default_settings_have_the_default_options() -> None:
    assert settings().options is Settings().options is DEFAULT_OPTIONS
