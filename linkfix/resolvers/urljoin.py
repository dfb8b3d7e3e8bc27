"""A drop-in for `urllib.parse.urljoin` that joins as browsers do."""

from __future__ import annotations

from typing import AnyStr
from urllib.parse import urljoin as join_by_urllib

from linkfix.encodings.encoding import codec, lookup
from linkfix.resolvers import RESOLVERS

_WHATWG = RESOLVERS["whatwg"]


def urljoin(
    base: AnyStr,
    url: AnyStr,
    allow_fragments: bool = True,
    *,
    encoding: str = "utf-8",
) -> AnyStr:
    """Join a base URL and a reference as browsers do: the result of `new URL(url, base).href`.

    A drop-in for `urllib.parse.urljoin`: both arguments are str, or both bytes (else TypeError). `encoding`: a label of
    the document's encoding, used to encode the query and to decode bytes. A reference that cannot be resolved is
    returned unchanged. If the base is empty, the result is `url`. If `url` is empty, the result is the base without its
    fragment.

    Without `allow_fragments`, and for a base that is not absolute, the result is urllib's. Raises UnknownCharset.
    The standard: https://url.spec.whatwg.org/#concept-basic-url-parser

    >>> urljoin("http://example.com/a/b", "///x"), urljoin("app:/a/b", "../c"), urljoin("http://h/", "http://[")
    ('http://x/', 'app:/c', 'http://[')
    >>> urljoin("http://example.com/?a", "?q=поиск", encoding="windows-1251")
    'http://example.com/?q=%EF%EE%E8%F1%EA'
    """
    if not base:
        return url
    if url and isinstance(base, str) is not isinstance(url, str):
        message = "Cannot mix str and non-str arguments"
        raise TypeError(message)
    name = lookup(encoding)
    if allow_fragments:
        absolute = base if isinstance(base, str) else base.decode("utf-8", "replace")
        reference = url if isinstance(url, str) else codec(name).decode(url or b"")
        target = _WHATWG.resolve(absolute, reference, name).target
        if target is not None:
            return target if isinstance(base, str) else target.encode()
        if _WHATWG.is_absolute(absolute):
            return url
    try:
        return join_by_urllib(base, url, allow_fragments)
    except ValueError:
        return url
