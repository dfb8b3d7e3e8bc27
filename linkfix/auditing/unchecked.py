"""The reasons that references are not checked, in the words of the report's coverage."""

from __future__ import annotations

from linkfix.auditing.interpretation import is_built_in_behavior, is_svg_font
from linkfix.auditing.page_document import PageDocument
from linkfix.auditing.site import Destination, DestinationKind
from linkfix.html.syntaxes.url import SCRIPT_PLACEHOLDER
from linkfix.model import Link

OUTSIDE = "on the same host, outside the site"

#: The kind of a destination that cannot be checked -> the reason.
UNCHECKED = {
    DestinationKind.EXTERNAL: "another site",
    DestinationKind.EMPTY: "captured without content that can be read",
    DestinationKind.OPAQUE: "no file: mailto:, data:, javascript: and similar",
    DestinationKind.OUTSIDE: OUTSIDE,
    DestinationKind.AROUND: "outside the folder",
    DestinationKind.LABEL: "possible Sphinx labels",
    DestinationKind.GENERATED: "made by the site generator",
    DestinationKind.UNREAD: "in a folder that cannot be read",
    DestinationKind.CONDITIONAL: "a rule of the host that the folder does not decide",
    DestinationKind.CAUGHT: "a rule of the host that answers all paths with one page",
    DestinationKind.NONE: "no target",
}


def why_not(place: Destination) -> str:
    """The reason that a destination cannot be checked. For a rule of a host, it names the rule."""
    rule = {DestinationKind.CONDITIONAL: place.near, DestinationKind.CAUGHT: place.redirect}.get(place.kind)
    return f"{UNCHECKED[place.kind]}: {rule}" if rule else UNCHECKED[place.kind]


IN_TEMPLATE = "in a template"

#: Syntax of the place of HTML with fragments that are not names of the page -> the reason.
_IN_INNER = {
    "srcdoc": "a fragment in a srcdoc document",
    "html": "a fragment in a template script",
    "conditional-comment": "a fragment in a conditional comment",
}

_IN_ENTRY = "a fragment in the content of a feed entry"

_URL_TEMPLATE = "a URL template with parameters outside the query"

_FILLED_IN = "with a placeholder for a script"

_SVG_FONT = "a font in SVG, which browsers do not load"

_BUILT_IN = "a behavior that Internet Explorer has built in"

NOT_NEEDED = "not captured, and not needed by a captured page"

POSTED = "a form that is sent to a program (POST)"

OF_ERROR_PAGE = "the own address of an error page"

UNFILLED = "in a template that was not filled in"

#: A reference beginning with "/" that leads to a missing file, if the settings that name the URL are not valid, or in a
#: form that is not known.
INVALID_SETTINGS = "missing, but the settings that name the URL of the site are not valid"
UNREAD_SETTINGS = "missing, but the URL of the site is in a form that is not read (give --root-url)"

#: An absolute reference that leads to a missing file under an inferred base URL: the URL may belong to another site.
INFERRED = "missing under the inferred URL of the site (give --root-url to report them)"


def why_unchecked(document: PageDocument, number: int, link: Link) -> str:
    """The reason that a link of a record is not checked, wherever it leads; "" if its destination decides."""
    if is_built_in_behavior(link):
        return _BUILT_IN
    if link.reference.startswith("#") and (syntax := document.inner_syntax(number)):
        return _IN_ENTRY if document.is_data else _IN_INNER[syntax]
    if is_svg_font(document, link):
        return _SVG_FONT
    if link.syntax.startswith("lazy-") and SCRIPT_PLACEHOLDER.search(link.reference):
        return _FILLED_IN
    return _URL_TEMPLATE if link.syntax == "opensearch-template" and "?" not in link.reference else ""
