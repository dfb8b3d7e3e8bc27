"""A hook of a site generator: the HTML of a page for its feed."""

from urllib.parse import urljoin

from bs4 import BeautifulSoup

import linkfix

ATTRIBUTES = {
    "a": "href",
    "img": "src",
    "video": "src",
    "audio": "src",
    "source": "src",
    "iframe": "src",
    "link": "href",
}


def before(html: str, url: str) -> str:
    soup = BeautifulSoup(html, "html.parser")
    for name, attribute in ATTRIBUTES.items():
        for element in soup.find_all(name):
            if element.get(attribute):
                element[attribute] = urljoin(url, str(element[attribute]))
    return str(soup)


def after(html: str, url: str) -> str:
    return linkfix.absolutize_fragment(html, url, fragments="absolutize")
