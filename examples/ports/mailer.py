"""A mailer: the body of a mail, whose readers have no page around it."""

from typing import Any
from urllib.parse import urljoin

import lxml.html

import linkfix


def before(html: str, url: str) -> str:
    tree: Any = lxml.html.fromstring(html)
    for attribute in ("href", "src"):
        for element in tree.xpath(f"//*[@{attribute}]"):
            value = element.attrib[attribute]
            if attribute == "href" and value.startswith("#"):
                continue
            if not value.startswith(("http://", "https://", "mailto:", "data:", "cid:")):
                element.attrib[attribute] = urljoin(url, value)
    return str(lxml.html.tostring(tree, encoding="unicode"))


def after(html: str, url: str) -> str:
    return linkfix.absolutize_fragment(html, url, fragments="absolutize")
