"""requests: every page that a session gets has absolute links.

    session = requests.Session()
    session.hooks["response"].append(linkfix.hooks.requests.absolutize)
    response = session.get("https://example.com/")  # .content, .text and .iter_content() with absolute links
    response.linkfix.links  # and .base, .problems, .rewritten, .encoding: see linkfix.hooks.response.Outcome

It serves a single request too: `requests.get(url, hooks={"response": absolutize})`. `Absolutize` makes one with other
settings.
"""

from __future__ import annotations

from typing import Any, Unpack

import requests
from urllib3.response import HTTPResponse

from linkfix.hooks.response import Response, SettingFields, Settings, mime_type, seen_before, settings
from linkfix.hooks.response import absolutize as absolutize_response

__all__ = ["Absolutize", "absolutize"]

#: The content codings that urllib3 undoes where a package for them is installed.
_PACKAGED = frozenset({"br", "zstd"})


class Absolutize:
    """A response hook of requests that makes the links of pages absolute.

    `stream`: also of responses to requests with `stream=True`, which are read to the end for it; they are left alone
    otherwise. `fields`: those of `linkfix.hooks.response.Settings` (`max_size`, `media_types`, `default_base`) and of
    `linkfix.Options`. Raises InvalidBase, InvalidOption and UnknownSpec for their values, TypeError for other names.

    A page's `content` is the one with absolute links, and `headers` fit it: no `Content-Encoding`, the new
    `Content-Length`. A page without a link to rewrite keeps both as they were. `raw` is what requests leaves of it once
    `content` is read: at its end. Where the document and not the Content-Type tells the encoding (requests says
    ISO-8859-1 then), `encoding` becomes that, of pages without a link to rewrite too, so that `text` is what browsers
    show. The attribute `linkfix` is no part of a response's pickle.

    Redirects are passed over. Their URLs are in `history`, which requests sets when its hooks are done. An error of
    reading a body is raised as it is without the hook.
    """

    def __init__(self, *, stream: bool = False, **fields: Unpack[SettingFields]) -> None:
        self.stream = stream
        self.settings: Settings = settings(**fields)

    def __call__(self, response: requests.Response, **request: Any) -> requests.Response:  # noqa: ANN401 - as requests
        """The response, with absolute links where it is a page. `request`: what requests tells its hooks."""
        if response.is_redirect:
            return response
        if hasattr(response, "linkfix"):
            seen_before(response.url)
            return response
        if request.get("stream") and not (self.stream and _is_page(response, self.settings)):
            return response
        headers = tuple(response.headers.items())
        body = response.content or b""
        received = Response(body, response.url, headers, coded=_is_coded(response))
        outcome = absolutize_response(received, self.settings)
        if outcome.body is not body:
            response._content = outcome.body  # noqa: SLF001 - requests has no other way to give a response a body
            response.headers.clear()
            response.headers.update(outcome.headers)
        if outcome.declared_codec:
            response.encoding = outcome.declared_codec
        response.linkfix = outcome  # type: ignore[attr-defined]
        return response


def _is_coded(response: requests.Response) -> bool:
    """Whether `content` has a content coding still."""
    codings = {coding.strip() for coding in response.headers.get("content-encoding", "").lower().split(",")}
    return not codings & _PACKAGED <= set(HTTPResponse.CONTENT_DECODERS)


def _is_page(response: requests.Response, chosen: Settings) -> bool:
    """Whether a body that was not read yet is to be: it says that it is a page, and not that it is too large."""
    length = response.headers.get("content-length", "")
    too_large = length.isdecimal() and int(length) > chosen.max_size
    return not too_large and mime_type(response.headers.get("content-type", ""))[0] in chosen.media_types


#: The hook with the settings that nobody asked to be otherwise.
absolutize: Absolutize = Absolutize()
