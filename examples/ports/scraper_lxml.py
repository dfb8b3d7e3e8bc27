"""A scraper with requests and lxml: the page, with absolute links."""

from typing import Any

import lxml.html
import requests

from linkfix.hooks.generic import from_response


def before(response: requests.Response) -> str:
    tree: Any = lxml.html.fromstring(response.content)
    tree.make_links_absolute(response.url, handle_failures="ignore")
    return str(lxml.html.tostring(tree, encoding="unicode"))


def after(response: requests.Response) -> bytes:
    return from_response(response, fragments="absolutize").body
