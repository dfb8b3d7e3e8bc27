"""The reasons that references are not checked, in the words of the report's coverage."""

from __future__ import annotations

from linkfix.audit.page_document import PageDocument
from linkfix.audit.site import DestinationKind
from linkfix.html.syntaxes.url import SCRIPT_PLACEHOLDER
from linkfix.model import Link

OUTSIDE = "on the same host, outside the site"
#: The kind of a destination that cannot be checked -> the reason.
UNCHECKED = {
    DestinationKind.EXTERNAL: "another site",
    DestinationKind.OPAQUE: "no file: mailto:, data:, javascript: and similar",
    DestinationKind.OUTSIDE: OUTSIDE,
    DestinationKind.AROUND: "outside the folder",
    DestinationKind.LABEL: "possible Sphinx labels",
    DestinationKind.NONE: "no target",
}
IN_TEMPLATE = "in a template"
_IN_SRCDOC = "a fragment in a srcdoc document"
_IN_ENTRY = "a fragment in the content of a feed entry"
_URL_TEMPLATE = "a URL template with parameters outside the query"
_FILLED_IN = "with a placeholder for a script"
#: An absolute reference that leads to a missing file under an inferred base URL: the URL may belong to another site.
INFERRED = "missing under the inferred URL of the site (give --root-url to report them)"


def is_inner(document: PageDocument, number: int, link: Link) -> bool:
    """Whether a link of a record is in an inner document: its fragments are not names of the page."""
    return link.reference.startswith("#") and document.holds_document(number)


def why_unchecked(document: PageDocument, number: int, link: Link) -> str:
    """The reason that a link of a record is not checked, wherever it leads; "" if its destination decides."""
    if is_inner(document, number, link):
        return _IN_ENTRY if document.is_data else _IN_SRCDOC
    if link.syntax.startswith("lazy-") and SCRIPT_PLACEHOLDER.search(link.reference):
        return _FILLED_IN
    return _URL_TEMPLATE if link.syntax == "opensearch-template" and "?" not in link.reference else ""
