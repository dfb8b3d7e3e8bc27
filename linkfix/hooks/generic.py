"""Hook for any client: `from_response`, and `from_headers` for a URL, header fields and a body.

    outcome = linkfix.hooks.generic.from_response(requests.get("https://example.com/"))

    answer = urllib.request.urlopen("https://example.com/")
    outcome = linkfix.hooks.generic.from_headers(answer.url, answer.headers, answer.read())
    outcome.body, outcome.headers  # with absolute links, and the header fields that fit it

`make_links_absolute` is a replacement for the function of lxml.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import replace
from inspect import iscoroutinefunction
from operator import attrgetter
from typing import Any, Literal, TypeVar, Unpack, cast
from urllib.parse import urljoin

from linkfix.containers.http_body import BodyFault, HeaderBlock, decode_body
from linkfix.document.base_element import attribute_spans
from linkfix.document.document import Document
from linkfix.errors import InvalidBase
from linkfix.files.media_types import RESOURCE_HEADER, declared_type, is_binary, sniff_html
from linkfix.hooks.response import (
    DEFAULT_SETTINGS,
    Outcome,
    Response,
    SettingFields,
    Settings,
    absolutize,
    leave_alone,
    settings,
    with_scripting,
    wrong_argument,
)
from linkfix.html.syntaxes import SYNTAXES
from linkfix.kernels.outline import Record
from linkfix.model import Envelope, Html, Link, Options
from linkfix.urls import excerpt, hide_passwords, scheme_of

__all__ = ["Headers", "Url", "from_headers", "from_response", "make_links_absolute"]

#: A URL: str, bytes, or an object of httpx, httpx2, yarl (aiohttp), urllib3, urllib.parse or ada_url.
Url = Any

#: Header fields: a mapping, or pairs of name and value. Names and values are str or bytes; a value may be a list.
Headers = Mapping[Any, Any] | Iterable[tuple[Any, Any]]
Doc = TypeVar("Doc")

#: The code for bytes after the end of a coded body: some clients read such bytes, others do not.
_REST = "rest"
_NO_HISTORY: tuple[Url, ...] = ()
_CALL = "linkfix.hooks.generic.from_headers"
_FROM = "linkfix.hooks.generic.from_response"
#: Faults of content codings -> the problem. After any other fault, a body that is text was decoded by the client.
_FAULTS = {"part-too-large": "too-large", "extra-needed": "extra-needed", _REST: "response-coded"}


def from_headers(
    url: Url | None,
    headers: Headers,
    body: bytes,
    *,
    history: Iterable[Url] = _NO_HISTORY,
    settings: Settings | None = None,
    **fields: Unpack[SettingFields],
) -> Outcome:
    """Make the links of a response absolute, whichever client received it.

    `url`: the URL after redirects. `history`: the URLs before it, oldest first. Each is a str, bytes, or a URL of
    httpx, httpx2, yarl, urllib3, urllib.parse or ada_url. `headers`: a mapping or pairs, of str or bytes
    (`http.client`, urllib3, httpx, aiohttp, ASGI …). `body`: the body, either encoded as its Content-Encoding says, or
    decoded, whatever the headers say. A changed body is decoded. Brotli needs brotli or fastwarc; Zstandard needs
    Python 3.14, backports.zstd, zstandard or fastwarc. `fields`: the fields of `linkfix.hooks.response.Settings`
    (`max_size`, `media_types`, `default_base`) and of `linkfix.Options`. `settings`: made once for many responses by
    `linkfix.hooks.response.settings`, instead of `fields`.

    If nothing changes, the outcome has the same body object and the same headers. Raises InvalidBase, InvalidOption and
    UnknownSpec for wrong arguments, and TypeError for arguments of wrong types. Nothing that a server sends raises.

    >>> outcome = from_headers("http://h/a/", {"Content-Type": "text/html"}, b"<a href=x>")
    >>> outcome.body, outcome.headers
    (b'<a href=http://h/a/x>', (('Content-Type', 'text/html'), ('Content-Length', '21')))
    """
    chosen = _chosen(_CALL, settings, fields)
    if not isinstance(body, bytes):
        raise wrong_argument(_CALL, "a body of bytes", body, "")
    pairs = header_pairs(headers, _CALL)
    before = () if history is _NO_HISTORY else _history_texts(history)
    address = None if url is None else _url_text(url, "a URL, str or bytes or None, as the first argument")
    return absolutize_coded(Response(body, address, pairs, before), chosen)


def _history_texts(history: Iterable[Url]) -> tuple[str, ...]:
    if not _is_several(history):
        raise wrong_argument(_CALL, "a history that is a list of URLs", history, "")
    return tuple(_url_text(one, "a history of URLs ([one.url for one in response.history])") for one in history)


def _is_several(value: object) -> bool:
    """Whether an argument is a mapping, a list or the like."""
    return hasattr(value, "__iter__") and not isinstance(value, _TEXTS)


#: Types that can be iterated over, but are no list.
_TEXTS = (str, bytes)


def _chosen(call: str, made: Settings | None, fields: SettingFields) -> Settings:
    """The settings of a call: those that were made once, or those in its keywords."""
    if made is None:
        return settings(**fields) if fields else DEFAULT_SETTINGS
    if not isinstance(made, Settings):
        raise wrong_argument(call, "settings made by linkfix.hooks.response.settings()", made, "")
    if fields:
        message = f"{call}() takes settings= or the keywords {', '.join(fields)}, not both"
        raise TypeError(message)
    return made


def absolutize_coded(response: Response, chosen: Settings) -> Outcome:
    """Make the links of a response absolute whose body may have its content codings."""
    body = response.body
    codings = response.values("content-encoding")
    if not codings or not declared_type(response.values).may_be(chosen.media_types):
        return absolutize(response, chosen)
    decoded = _decode(body, codings, chosen.max_size)
    if isinstance(decoded, BodyFault):
        return leave_alone(response, chosen, _FAULTS.get(decoded.code, "response-coded"), decoded.detail)
    outcome = absolutize(replace(response, body=decoded), chosen)
    return replace(outcome, body=body) if outcome.body is decoded else outcome


def from_response(
    response: Any,
    url: Url | None = None,
    *,
    body: bytes | None = None,
    settings: Settings | None = None,
    **fields: Unpack[SettingFields],
) -> Outcome:
    """Make the links of a response absolute: the URL, header fields and body are read from the client's own object.

    `response`: of requests, niquests, httpx, httpx2, curl_cffi, urllib3, `urllib.request`, `http.client`, aiohttp or
    treq, or any other with `url`, `headers` and `content`; or a driver of Selenium. `url`: the URL, instead of the
    response's own; for responses that do not know theirs, the URL of the request: those of urllib3 (whose URL is a
    path) and `http.client`. `body`: the body,
    for clients that read it asynchronously (`await response.read()` of aiohttp, `await response.content()` of treq).
    `settings`, `fields`: see `from_headers`.

    A response of a hook gives that hook's outcome. A driver's page is read as UTF-8, with the result of its scripts.
    Raises TypeError for an object that is not a response, and if an argument is missing, and the errors of
    `from_headers`. Nothing that a server sends raises, but reading a body may raise the client's errors.
    """
    chosen = _chosen(_FROM, settings, fields)
    made = getattr(response, "linkfix", None)
    if isinstance(made, Outcome):
        return made
    if body is not None and not isinstance(body, bytes):
        raise wrong_argument(_FROM, "a body of bytes", body, "")
    given = None if url is None else _url_text(url, _URL, _FROM)
    if given is not None and not _is_absolute(given):
        message = f"{_FROM}() needs an absolute URL as url=, not {hide_passwords(excerpt(repr(given)))}"
        raise InvalidBase(message)
    if isinstance(source := getattr(response, "page_source", None), str):
        page = Response(source.encode("utf-8", "replace"), given or _known_url(response), (("Content-Type", _TYPE),))
        return absolutize(page, replace(chosen, options=with_scripting(chosen.options, on=True)))
    if isinstance(response, type) or not hasattr(response, "headers"):
        raise wrong_argument(_FROM, "a response with headers", response)
    before = [*_hops(response)]
    known = _known_url(response)
    if given is not None and _is_absolute(known):
        known = given
    elif given is not None:
        before, known = _redirected(given, response)
    if not _is_absolute(known):
        message = f"{_FROM}() needs url=, since a {type(response).__qualname__} does not know the URL of its request"
        raise TypeError(message)
    received = Response(
        _body(response) if body is None else body, known, header_pairs(response.headers, _FROM), tuple(before)
    )
    return absolutize_coded(received, chosen)


#: The Content-Type of a browser's page.
_TYPE = "text/html; charset=utf-8"
_URL = "a URL, str or bytes or None, as the argument url"


def _is_absolute(url: str | None) -> bool:
    return url is not None and scheme_of(url) is not None


def _known_url(response: Any) -> str | None:
    """The URL that a response knows: its own, that of its request (treq), or a driver's."""
    for path in ("url", "request.absoluteURI", "current_url"):
        try:
            found = attrgetter(path)(response)
        except (AttributeError, RuntimeError):  # httpx raises the second if a response was made without a request
            continue
        if found is not None and not callable(found):
            return _url_text(found, _URL)
    return None


def _hops(response: Any) -> Iterator[str]:
    """The URLs before the redirects, oldest first. httpx has requests in its history that were sent again."""
    history = getattr(response, "history", ())
    for hop in (history() if callable(history) else history) or ():
        url = _known_url(hop)
        if url is not None and getattr(hop, "has_redirect_location", True):
            yield url


def _redirected(url: str, response: Any) -> tuple[list[str], str]:
    """The URLs before the redirects, and the last URL, for a response that does not know it.

    `url`: the URL of the request. urllib3 keeps the Location of each redirect.
    """
    before = []
    for hop in getattr(getattr(response, "retries", None), "history", ()):
        if hop.redirect_location:
            before.append(url)
            url = urljoin(url, hop.redirect_location)  # as urllib3 does
    return before, url


def _body(response: Any) -> bytes:
    """The body of a response that is read, or that can be read at once."""
    for name in ("content", "data"):
        found = getattr(response, name, None)
        if isinstance(found, bytes):
            return found
    read = getattr(response, "read", None)
    if callable(read) and not iscoroutinefunction(read):
        found = read()
        if isinstance(found, bytes):
            return found
    message = f"{_FROM}() needs body=, since it cannot read the body of a {type(response).__qualname__}"
    raise TypeError(message)


def _url_text(url: Url, expected: str, call: str = _CALL) -> str:
    """The text of a URL. Raises TypeError for any other object."""
    if isinstance(url, str):
        return url
    if isinstance(url, bytes):
        return url.decode("utf-8", "surrogateescape")
    if callable(geturl := getattr(url, "geturl", None)):  # urllib.parse
        return _url_text(geturl(), expected, call)
    if isinstance(href := getattr(url, "href", None), str):  # ada_url
        return href
    if hasattr(url, "scheme") and hasattr(url, "host") and not isinstance(url, type):
        return str(url)
    raise wrong_argument(call, expected, url, "its .url" if hasattr(url, "url") else "")


def header_pairs(headers: Headers, call: str) -> tuple[tuple[str, str], ...]:
    """Pairs of name and value. Raises TypeError for anything else; `call`: the name of the function for the message.

    `items()` of httpx joins the values of a name.
    """
    items: Any = headers
    for method in ("multi_items", "getAllRawHeaders", "items"):  # of httpx and curl_cffi, treq, all others
        if hasattr(headers, method):
            items = getattr(headers, method)()
            break
    if not _is_several(items):
        raise wrong_argument(call, "headers that are a mapping or pairs", headers, "")
    pairs = tuple(items)
    for pair in pairs:
        name, value = pair
        if type(name) is not str or type(value) is not str or type(pair) is not tuple:
            return tuple(_text_pairs(pairs))
    return pairs  # as in most clients


def _text_pairs(pairs: Iterable[tuple[Any, Any]]) -> Iterator[tuple[str, str]]:
    for name, value in pairs:
        for one in value if isinstance(value, list | tuple) else (value,):
            yield _text(name), _text(one)


def _text(value: object) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _decode(body: bytes, codings: list[str], limit: int) -> bytes | BodyFault:
    """A body without the content codings that it still has. `codings`: the values of its Content-Encoding."""
    if sniff_html(body[:RESOURCE_HEADER]):
        return body
    field = f"\nContent-Encoding: {' '.join(', '.join(codings).split())}\n"
    rest: list[str] = []
    made = decode_body(body, HeaderBlock(field.encode("latin-1", "replace")), limit, rest.append)
    if rest:
        return BodyFault(_REST, ", ".join(rest))
    return body if isinstance(made, BodyFault) and made.code not in _FAULTS and not is_binary(body) else made


def make_links_absolute(
    doc: Doc,
    base_url: str | None = None,
    resolve_base_href: bool = True,
    handle_failures: Literal["ignore", "discard"] | None = None,
    *,
    copy: bool = True,
) -> Doc:
    """Replace `lxml.html.make_links_absolute`, but resolve links as browsers do.

    `doc`: a str or bytes, in which only links change, or an element or tree of lxml. The result has the same type.
    `copy`: whether to copy a tree before changing it, as in the method `make_links_absolute`. `base_url`: the URL after
    redirects; None: the URL of the tree. `resolve_base_href`: whether to use the first BASE with an href (lxml uses the
    last one) and remove all BASE elements. Otherwise they are ignored and kept. `handle_failures`: "discard" removes
    attributes with a reference that cannot be resolved, such as `http://[`, and empties the text of elements with one.
    "ignore" and None leave such references; unlike in lxml, None never raises for a document.

    References to the document itself (`#top`) become absolute, as in lxml. Raises TypeError and ValueError if lxml
    does, and InvalidBase (a ValueError) for a base URL that is not absolute.

    >>> make_links_absolute('<base href=b/><a href=x>', "http://h/a/")
    '<a href=http://h/a/b/x>'
    """
    if handle_failures not in {None, "ignore", "discard"}:
        message = f"unexpected value for handle_failures: {handle_failures!r}"
        raise ValueError(message)
    discard = handle_failures == "discard"
    if isinstance(doc, str | bytes):
        if not copy:
            message = f"copy=False: a {type(doc).__name__} cannot be changed in place"
            raise TypeError(message)
        text: Any = doc
        return cast("Doc", _convert_text(text, base_url, use_base=resolve_base_href, discard=discard))
    given: Any = doc
    document = given if hasattr(given, "getroot") else given.getroottree()
    tree = deepcopy(given) if copy else given
    url = document.docinfo.URL if base_url is None else base_url
    _convert_tree(tree, _envelope(url), _options(use_base=resolve_base_href), discard=discard)
    return cast("Doc", tree)


def _envelope(base_url: str | None) -> Envelope:
    if base_url is None:
        message = "No base_url given, and the document has no base_url"
        raise TypeError(message)
    return Envelope(base_url)


def _options(*, use_base: bool) -> Options:
    return Options(fragments="absolutize", base_element="remove" if use_base else "ignore")


def _convert_text(html: Html, base_url: str | None, *, use_base: bool, discard: bool) -> Html:
    document = Document(html, envelope=_envelope(base_url), options=_options(use_base=use_base))
    if discard:
        document = Document(_without_failures(document), envelope=document.envelope, options=document.options)
    return document.absolutize()


def _is_failure(problem: str | None, role: str) -> bool:
    return problem == "unresolvable" and role != "base"


def _without_failures(document: Document[Html]) -> Html:
    """The document without the attributes and texts that contain a reference that cannot be resolved."""
    data = document.source.data
    records = dict.fromkeys(
        reference.record
        for reference, decision in document.references()
        if _is_failure(decision.problem, reference.record.row.role)
    )
    pieces = []
    done = 0
    for start, end in sorted(span for record in records for span in _spans(data, record)):
        pieces.append(data[done:start])
        done = end
    return document.source.restore(b"".join(pieces) + data[done:] if records else data)


def _spans(data: bytes, record: Record) -> list[tuple[int, int]]:
    """The spans to remove for a record, in bytes: its attribute, or the text of its element."""
    if record.text:
        return [(record.start, record.end)]
    return attribute_spans(data, record.tag_start, record.row.attribute.encode())


def _convert_tree(tree: Any, envelope: Envelope, options: Options, *, discard: bool) -> None:
    from linkfix.hooks import lxml  # needed only for trees

    made = lxml.absolutize(tree, envelope=envelope, fragments=options.fragments, base_element=options.base_element)
    failed = [link for link in made.links if _is_failure(link.problem, link.role)] if discard else []
    if failed:
        _remove(tree, failed)


def _remove(tree: Any, failed: list[Link]) -> None:
    """Remove the attributes and texts with the references of `failed` from a tree. Prefixes of names are ignored."""
    syntaxes = {(link.element, _local(link.attribute)): link.syntax for link in failed}
    references = {(link.element, _local(link.attribute), link.reference) for link in failed}
    for node in tree.iter("*"):
        for key in ("", *node.attrib):
            place = (_local(node.tag), _local(key))
            if place not in syntaxes:
                continue
            founds = SYNTAXES[syntaxes[place]]((node.get(key) if key else node.text) or "")
            if not any((*place, found.reference) in references for found in founds):
                continue
            if key:
                del node.attrib[key]
            else:
                node.text = ""


def _local(name: str) -> str:
    """A name of lxml in lower case, without namespace and prefix."""
    return name.rpartition("}")[2].rpartition(":")[2].lower()
