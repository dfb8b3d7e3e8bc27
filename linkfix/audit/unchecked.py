"""The reasons that references are not checked, in the words of the report's coverage."""

from __future__ import annotations

from linkfix.audit.page_document import PageDocument
from linkfix.audit.site import DestinationKind
from linkfix.html.syntaxes.url import SCRIPT_PLACEHOLDER
from linkfix.model import Link

OUTSIDE = "on the same host, outside the tree"
#: The kind of a destination that cannot be checked -> the reason.
UNCHECKED = {
    DestinationKind.EXTERNAL: "another site",
    DestinationKind.OPAQUE: "no place: mailto:, data:, javascript: and the like",
    DestinationKind.OUTSIDE: OUTSIDE,
    DestinationKind.AROUND: "outside the tree",
    DestinationKind.LABEL: "perhaps labels, which Sphinx knows",
    DestinationKind.NONE: "no target",
}
IN_TEMPLATE = "within a template"
_IN_SRCDOC = "a fragment within a srcdoc document"
_IN_ENTRY = "a fragment within the content of a feed's entry"
_URL_TEMPLATE = "the template of a URL, with parameters outside its query"
_FILLED_IN = "with a placeholder that a script fills in"
#: An absolute reference that leads to a missing file under an inferred base URL: the URL may be another tree's.
INFERRED = "absolute, and not in the tree under the inferred base URL"


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
