"""An add-on for mitmproxy: the pages that it receives have absolute links."""

from mitmproxy.http import HTTPFlow

from linkfix.hooks.generic import from_headers

DESCRIBE_THE_OLD_BODY = ("etag", "accept-ranges", "content-md5", "content-digest", "repr-digest", "digest")


def response(flow: HTTPFlow) -> None:
    """Make the links of a page absolute that the proxy has received."""
    answer = flow.response
    body = answer.get_content(strict=False) if answer else None
    if answer is None or not body:
        return
    page = from_headers(flow.request.pretty_url, answer.headers.items(multi=True), body)
    if page.body is not body:
        answer.content = page.body  # mitmproxy encodes it again, and renews Content-Length
        for name in DESCRIBE_THE_OLD_BODY:
            answer.headers.pop(name, None)
