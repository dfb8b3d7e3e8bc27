"""`install` on sessions of requests: their class, the settings they keep, and the responses processed."""

from __future__ import annotations

import copy
import pickle
import weakref

import pytest
import requests
from support.extras import needed
from support.scraped_site import PAGES, REDIRECTED, REDIRECTS, START, targets

import linkfix.hooks.requests
from linkfix import InvalidOption
from linkfix.hooks.requests import Absolutize, absolutize, install

PATH = "/plain/dir/page"


class Own(requests.Session):
    """A session of a caller's."""

    __attrs__ = [*requests.Session.__attrs__, "note"]  # noqa: RUF012 - as requests has it

    def __init__(self):
        super().__init__()
        self.note = "kept"


class Asking(requests.Session):
    """A session that sends a request again."""

    def send(self, request, **options):
        response = super().send(request, **options)
        if "again" not in request.headers:
            request.headers["again"] = "1"
            return self.send(request, **options)
        return response


def without_environment(session):
    session.trust_env = False
    return session


def pickled(session):
    return pickle.loads(pickle.dumps(session))  # noqa: S301 - its own


def is_absolute(response):
    site = response.url.removesuffix(PATH)
    return targets(response.linkfix.links) == PAGES[PATH].absolute_targets(site) and f'"{site}/' in response.text


@pytest.mark.parametrize("make", [requests.Session, Own])
@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickled])
def test_copies_and_pickles_have_the_hook_and_its_settings(site, make, duplicate):
    session = install(without_environment(make()), lazy=True, max_size=100_000)
    session.headers["x-own"] = "1"
    again = duplicate(session)
    assert type(again) is type(session)
    assert isinstance(again, make)
    assert again.headers == session.headers
    assert getattr(again, "note", "kept") == "kept"
    assert again._linkfix_hook.settings == session._linkfix_hook.settings
    session.close()
    session.adapters.clear()  # a copy sends by itself
    again.mount("http://", requests.adapters.HTTPAdapter())
    assert is_absolute(again.get(site.url + PATH))
    install(again, max_size=1)
    assert again.get(site.url + PATH).linkfix.left_alone == "too-large"
    assert session._linkfix_hook.settings.max_size == 100_000


def test_a_copy_of_a_copy_and_a_session_in_use(site):
    session = install(without_environment(requests.Session()))
    again = pickled(copy.copy(pickled(session)))
    assert is_absolute(session.get(site.url + PATH))
    assert is_absolute(again.get(site.url + PATH))


def test_a_cached_session_cannot_be_pickled_as_before():
    session = install(needed("requests_cache").CachedSession(backend="memory"))
    with pytest.raises(NotImplementedError):
        pickle.dumps(session)


@pytest.mark.parametrize("path", [PATH, START])
@pytest.mark.parametrize("asked", [PATH, START])
def test_a_request_inside_of_a_response_hook_is_processed(site, path, asked):
    session = install(without_environment(requests.Session()))
    inner = []

    def ask(response, **_):
        if len(inner) < len(REDIRECTS) and not response.request.headers.get("x-inner"):
            inner.append(None)
            inner[-1] = session.get(site.url + asked, headers={"x-inner": "1"})

    session.hooks["response"].append(ask)
    response = session.get(site.url + path)
    assert len(inner) == (len(REDIRECTS) if path == START else 1)
    for one in (response, *inner):
        assert targets(one.linkfix.links) == PAGES[one.url.removeprefix(site.url)].absolute_targets(site.url)
        assert f'"{site.url}' in one.text


def test_redirects_are_followed_once_and_only_the_end_is_processed(site):
    session = install(without_environment(requests.Session()))
    response = session.get(site.url + START)
    assert response.url == site.url + REDIRECTED
    assert targets(response.linkfix.links) == PAGES[REDIRECTED].absolute_targets(site.url)
    assert [hop.content for hop in response.history] == [b"<a href=leaf>moved</a>"] * len(REDIRECTS)
    assert not any(hasattr(hop, "linkfix") for hop in response.history)


def test_redirects_that_a_caller_follows_are_processed(site):
    session = install(without_environment(requests.Session()))
    first = session.get(site.url + START, allow_redirects=False)
    assert not first.linkfix.links
    assert first.next.url == site.url + list(REDIRECTS)[1]
    *_, last = session.resolve_redirects(first, first.request)
    assert last.url == site.url + REDIRECTED
    assert targets(last.linkfix.links) == PAGES[REDIRECTED].absolute_targets(site.url)


def test_a_session_that_sends_again_is_processed_once(site, caplog):
    session = install(without_environment(Asking()))
    assert is_absolute(session.get(site.url + PATH))
    assert not caplog.records


def test_an_earlier_replacement_of_send_is_called(site):
    session = without_environment(requests.Session())
    called = []
    plain = session.send

    def send(request, **options):
        called.append(request.url)
        return plain(request, **options)

    session.send = send
    assert is_absolute(install(session).get(site.url + PATH))
    assert called == [site.url + PATH]


def test_no_response_is_kept(site):
    session = install(without_environment(requests.Session()))
    response = weakref.ref(session.get(site.url + PATH))
    assert response() is None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (requests.Session, "not the class requests.sessions.Session"),
        (requests, "not the module requests: pass an object"),
        (None, "not NoneType None"),
        ("session", "not str 'session'"),
    ],
)
def test_other_objects_than_sessions_are_refused(given, said):
    with pytest.raises(TypeError, match=r"^linkfix.hooks.requests.install\(\) takes requests.Session, " + said):
        install(given)


@pytest.mark.parametrize("library", ["httpx", "httpx2"])
@pytest.mark.parametrize("name", ["Client", "AsyncClient"])
def test_a_client_of_another_library_is_named(library, name):
    client = getattr(needed(library), name)()
    with pytest.raises(TypeError, match=rf"not {library}\.{name}: use linkfix.hooks.{library}.install$"):
        install(client)


@pytest.mark.parametrize("library", ["httpx", "httpx2"])
def test_a_response_of_another_library_is_refused(library):
    response = needed(library).Response(200, html="<a href=x>")
    with pytest.raises(TypeError, match=rf"takes requests\.Response, not {library}\.Response"):
        absolutize(response)


@pytest.mark.parametrize("make", [Absolutize, lambda **fields: install(requests.Session(), **fields)])
@pytest.mark.parametrize("stream", ["no", 1, None])
def test_stream_is_a_boolean(make, stream):
    with pytest.raises(InvalidOption, match=r"stream=.*expected True or False"):
        make(stream=stream)


@pytest.mark.parametrize("media_types", [[], (), set(), frozenset()])
def test_no_media_type_is_a_mistake(media_types):
    for make in (
        Absolutize,
        lambda **fields: install(requests.Session(), **fields),
        linkfix.hooks.response.Settings,
    ):
        with pytest.raises(InvalidOption, match=r"media_types=.*one or more"):
            make(media_types=media_types)
