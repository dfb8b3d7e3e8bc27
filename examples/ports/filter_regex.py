"""A filter of templates: `{{ body|absolute(url) }}`, by an expression."""

import re
from urllib.parse import urljoin

import linkfix

LINK = re.compile(
    r"""(<(?:a|img|link|script|iframe|source)\b[^>]*?\s(?:href|src)=)(["'])(.*?)\2""", re.IGNORECASE | re.DOTALL
)


def before(html: str, url: str) -> str:
    def replace(found: re.Match[str]) -> str:
        start, quote, value = found.groups()
        if value.startswith(("#", "mailto:", "tel:", "javascript:")):
            return found[0]
        return f"{start}{quote}{urljoin(url, value)}{quote}"

    return LINK.sub(replace, html)


def after(html: str, url: str) -> str:
    return linkfix.absolutize_fragment(html, url, fragments="absolutize")
