"""Jinja: a filter for templates that makes the links of a piece of HTML absolute.

Run it: `python examples/recipes/filter_jinja.py URL`.
"""

import sys

import jinja2
from markupsafe import Markup

import linkfix


def absolute(html: str, url: str) -> str:
    made = linkfix.absolutize_fragment(html, url, fragments="absolutize")
    return Markup(made) if isinstance(html, Markup) else made  # noqa: S704 - other text is escaped, as without the filter


environment = jinja2.Environment(autoescape=True)
environment.filters["absolute"] = absolute
source = environment.from_string("<div>{{ body|absolute(url) }}</div>")
body = Markup('<p><a href="../x?a=1&amp;b=2">x</a> <a href="#note">1</a> <img srcset="i.png 2x">')
print(source.render(body=body, url=sys.argv[1]))
print(source.render(body="<a href=x>", url=sys.argv[1]))
