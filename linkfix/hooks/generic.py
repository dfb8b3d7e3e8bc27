"""Any client that gives a URL, headers and bytes: `from_headers`.

    answer = urllib.request.urlopen("https://example.com/")
    outcome = linkfix.hooks.generic.from_headers(answer.url, answer.headers, answer.read())
    outcome.body, outcome.headers  # with absolute links, and what fits it

And a `make_links_absolute` in the place of lxml's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any, Literal, TypeVar, Unpack, cast

from linkfix.containers.http_body import BodyFault, HeaderBlock, decode_body
from linkfix.document.base_element import attribute_spans
from linkfix.document.document import Document
from linkfix.files.media_types import RESOURCE_HEADER, sniff_html
from linkfix.hooks.response import Outcome, Response, SettingFields, absolutize, left_alone, mime_type, settings
from linkfix.html.outline import Record
from linkfix.html.syntaxes import SYNTAXES
from linkfix.model import Envelope, Link, Options, Saver

__all__ = ["Headers", "from_headers", "make_links_absolute"]

#: Pairs of a name and a value, or what has such `items()`: str or bytes, and a list where a name has several values.
Headers = Mapping[Any, Any] | Iterable[tuple[Any, Any]]
Doc = TypeVar("Doc")

#: What becomes of a body whose codings cannot be undone, by fault: others mean that they were undone before.
_FAULTS = {"part-too-large": "too-large", "extra-needed": "extra-needed"}


def from_headers(
    url: str | None,
    headers: Headers,
    body: bytes,
    *,
    history: Iterable[str] = (),
    **fields: Unpack[SettingFields],
) -> Outcome:
    """What becomes of a response, whichever client got it: `body` with absolute links, and the headers that fit it.

    `url`: the last one, after redirects; `history`: those before it, oldest first. `headers`: a mapping, of one value
    or several for a name, or pairs; str or bytes (`http.client`, urllib3, httpx, aiohttp, ASGI …). `body`: as it came,
    or with its Content-Encoding undone whatever the headers still say; a changed body has none. `fields`: those of
    `linkfix.hooks.response.Settings` (`max_size`, `media_types`, `default_base`) and of `linkfix.Options`.

    A response that is not to be changed keeps its body, the same object, and its headers. Raises InvalidBase,
    InvalidOption and UnknownSpec for a caller's mistake, and nothing for what a server can send.

    >>> outcome = from_headers("http://h/a/", {"Content-Type": "text/html"}, b"<a href=x>")
    >>> outcome.body, outcome.headers
    (b'<a href=http://h/a/x>', (('Content-Type', 'text/html'), ('Content-Length', '21')))
    """
    chosen = settings(**fields)
    response = Response(body, url, tuple(_pairs(headers)), tuple(history))
    media_type, _ = mime_type(response.header("content-type"))
    if media_type and media_type not in chosen.media_types:
        return absolutize(response, chosen)
    decoded = _decoded(response, chosen.max_size)
    if isinstance(decoded, BodyFault):
        return left_alone(response, _FAULTS[decoded.code], decoded.detail)
    outcome = absolutize(replace(response, body=decoded), chosen)
    return replace(outcome, body=body) if outcome.body is decoded else outcome


def _pairs(headers: Headers) -> Iterator[tuple[str, str]]:
    """Names and values. httpx's `items()` joins the values of one name, its `multi_items()` does not."""
    items = getattr(headers, "multi_items", None) or getattr(headers, "items", None)
    for name, value in items() if items else headers:
        for one in value if isinstance(value, list | tuple) else (value,):
            yield _text(name), _text(one)


def _text(value: object) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _decoded(response: Response, limit: int) -> bytes | BodyFault:
    """The body without the content codings that are still in force."""
    body = response.body
    codings = [value for name, value in response.headers if name.lower() == "content-encoding"]
    if not codings or sniff_html(body[:RESOURCE_HEADER]):
        return body
    field = f"\nContent-Encoding: {' '.join(', '.join(codings).split())}\n"
    made = decode_body(body, HeaderBlock(field.encode("latin-1", "replace")), limit)
    return body if isinstance(made, BodyFault) and made.code not in _FAULTS else made


class _Every(frozenset[str]):
    """The set of all strings."""

    def __contains__(self, _: object) -> bool:
        return True


def make_links_absolute(
    doc: Doc,
    base_url: str | None = None,
    resolve_base_href: bool = True,  # noqa: FBT001, FBT002 - lxml's signature
    handle_failures: Literal["ignore", "discard"] | None = None,
    *,
    copy: bool = True,
) -> Doc:
    """A drop-in for `lxml.html.make_links_absolute`: `doc`, in the type that it has, with the links that browsers see.

    `doc`: str or bytes, in which nothing but links is changed; or lxml's element or tree, of which it is a deep copy
    unless `copy` is False, as the method `make_links_absolute` has it. `base_url`: the retrieval URL, after redirects;
    None: the one that the tree has. `resolve_base_href`: BASE elements are used (the first that has an href, not the
    last), and removed; if False, they are ignored and stay. `handle_failures`: "discard" takes out an attribute with
    a reference that cannot be resolved, such as `http://[`, and empties an element's text that has one; "ignore" and
    None leave it as it is: nothing is raised for a document, as lxml does for None.

    References to the document itself (`#top`) become absolute, as lxml has them. Raises TypeError and ValueError where
    lxml does, and InvalidBase (a ValueError) for a base URL that is not absolute.

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
        return cast("Doc", _text_made_absolute(doc, base_url, honoured=resolve_base_href, discard=discard))
    given: Any = doc
    document = given if hasattr(given, "getroot") else given.getroottree()
    tree = deepcopy(given) if copy else given
    url = document.docinfo.URL if base_url is None else base_url
    envelope = _envelope(url, honoured=resolve_base_href)
    _make_tree_absolute(tree, envelope, _options(honoured=resolve_base_href), discard=discard)
    return cast("Doc", tree)


def _envelope(base_url: str | None, *, honoured: bool) -> Envelope:
    if base_url is None:
        message = "No base_url given, and the document has no base_url"
        raise TypeError(message)
    return Envelope(base_url, saver=Saver() if honoured else Saver(own_bases=_Every()))


def _options(*, honoured: bool) -> Options:
    return Options(fragments="absolutize", base_element="remove" if honoured else "keep")


def _text_made_absolute(html: bytes | str, base_url: str | None, *, honoured: bool, discard: bool) -> bytes | str:
    document = Document(html, envelope=_envelope(base_url, honoured=honoured), options=_options(honoured=honoured))
    if discard:
        document = Document(_without_failures(document), envelope=document.envelope, options=document.options)
    return document.absolutize()


def _failed(link: Link) -> bool:
    return link.problem == "unresolvable" and link.role != "base"


def _without_failures(document: Document) -> bytes | str:
    """The document without the attributes and texts that have a reference which cannot be resolved."""
    data = document.source.data
    outline = document._outline  # noqa: SLF001 - links do not tell their tags
    spans = [
        span
        for number in range(outline.count)
        if not document.is_srcdoc(number) and any(map(_failed, document.links_of([number])))
        for span in _spans(data, outline.record(number))
    ]
    pieces = []
    done = 0
    for start, end in sorted(spans):
        pieces.append(data[done:start])
        done = end
    return document.source.restore(b"".join([*pieces, data[done:]]) if spans else data)


def _spans(data: bytes, record: Record) -> list[tuple[int, int]]:
    """The bytes to take out for a record: its attribute, or its element's text."""
    if record.text:
        return [(record.start, record.end)]
    return attribute_spans(data, record.tag_start, record.row.attribute.encode())


def _make_tree_absolute(tree: Any, envelope: Envelope, options: Options, *, discard: bool) -> None:  # noqa: ANN401
    from linkfix.hooks import lxml  # noqa: PLC0415 - who has no tree needs no lxml

    made = lxml.absolutize(tree, envelope=envelope, fragments=options.fragments, base_element=options.base_element)
    failed = [link for link in made.links if _failed(link)] if discard else []
    if failed:
        _take_out(tree, failed)


def _take_out(tree: Any, failed: list[Link]) -> None:  # noqa: ANN401
    """Takes out of a tree the attributes and texts that have the references of `failed`. Prefixes do not count."""
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
    """A name without lxml's namespace or a prefix, as HTML has it."""
    return name.rpartition("}")[2].rpartition(":")[2].lower()
