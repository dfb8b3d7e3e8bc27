"""Jinja: a filter for templates that makes the links of a piece of HTML absolute.

Run it: `python examples/recipes/filter_jinja.py URL`.
"""

import sys

import jinja2
from markupsafe import Markup, soft_str

import linkfix


def absolute(html: object, url: str) -> str:
    text = soft_str(html)  # lazy text, None and numbers become text, and what is safe stays so
    made = linkfix.absolutize_fragment(text, url, fragments="absolutize")
    return Markup(made) if isinstance(text, Markup) else made  # noqa: S704 - other text is escaped, as without the filter


environment = jinja2.Environment(autoescape=True)
environment.filters["absolute"] = absolute
source = environment.from_string("<div>{{ body|absolute(url) }}</div>")
body = Markup('<p><a href="../x?a=1&amp;b=2">x</a> <a href="#note">1</a> <img srcset="i.png 2x">')
print(source.render(body=body, url=sys.argv[1]))
print(source.render(body="<a href=x>", url=sys.argv[1]))
print(source.render(body=None, url=sys.argv[1]))
