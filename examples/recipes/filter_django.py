"""Django: a filter for templates that makes the links of a piece of HTML absolute.

In an application, the filter is in `templatetags/links.py`, and templates begin with `{% load links %}`.
Run it: `python examples/recipes/filter_django.py URL`.
"""

import sys

import django
from django import template
from django.conf import settings
from django.template.defaultfilters import stringfilter
from django.utils.safestring import mark_safe
from django.utils.translation import gettext_lazy

import linkfix

register = template.Library()


def absolute(html: str, url: str) -> str:
    return linkfix.absolutize_fragment(html, url, fragments="absolutize")


# Lazy text, None and numbers become text. Text that is not marked as safe is escaped, as without the filter.
register.filter("absolute", stringfilter(absolute), is_safe=True)


settings.configure()
django.setup()
engine = template.Engine(libraries={"links": __name__})
source = engine.from_string("{% load links %}<div>{{ body|absolute:url }}</div>")
body = mark_safe('<p><a href="../x?a=1&amp;b=2">x</a> <a href="#note">1</a> <img srcset="i.png 2x">')
print(source.render(template.Context({"body": body, "url": sys.argv[1]})))
print(source.render(template.Context({"body": "<a href=x>", "url": sys.argv[1]})))
print(source.render(template.Context({"body": gettext_lazy("<a href=x>"), "url": sys.argv[1]})))
print(source.render(template.Context({"body": None, "url": sys.argv[1]})))
