"""A scraper with requests and BeautifulSoup: the links of a page."""

from urllib.parse import urljoin

import requests
from bs4 import BeautifulSoup

import linkfix
from linkfix.hooks.generic import from_response


def before(response: requests.Response) -> list[str]:
    soup = BeautifulSoup(response.text, "html.parser")
    return [urljoin(response.url, str(a["href"])) for a in soup.find_all("a", href=True)]


def after(response: requests.Response) -> list[str]:
    return linkfix.hyperlinks(from_response(response).body, response.url)
