"""LF601 to LF603: references in an archive to URLs that the archive has only as errors, or not at all."""

from __future__ import annotations

from http import HTTPStatus

from linkfix.auditing.interpretation import is_loaded
from linkfix.auditing.model import FindingLevel, Hint
from linkfix.auditing.rule import AuditedLink, Issue, link_rule
from linkfix.auditing.site import Destination, DestinationKind


@link_rule(
    "LF601", FindingLevel.ERROR, cause_kind="file", concerns=lambda link: link.kind is DestinationKind.ERROR_RESPONSE
)
def error_response(audited: AuditedLink) -> Issue | None:
    """The archive has an error as the response at the target.

    The reference was broken when the archive was made: the server answered with a status code of 400 or higher. If the
    archive has another response at the same URL that is no error, that one counts.

    Fails, in an archive::

        <a href="gone.html">the response is 404 Not Found</a>

    Passes, in an archive::

        <a href="other.html">captured</a>
    """
    destination = audited.destination
    if destination.kind is not DestinationKind.ERROR_RESPONSE:
        return None
    return Issue(f"the response in the archive is {_status(destination)}", cause=destination.name)


def _status(destination: Destination) -> str:
    """The status code with its name: 404 Not Found."""
    code = int(destination.near)
    known = {one.value: one.phrase for one in HTTPStatus}
    return f"{code} {known[code]}" if code in known else str(code)


@link_rule(
    "LF602", FindingLevel.WARNING, cause_kind="file", concerns=lambda link: link.kind is DestinationKind.UNCAPTURED
)
def missing_capture(audited: AuditedLink) -> Issue | None:
    """The archive does not have a file that the document loads.

    When the archive is replayed, the image, style sheet, script or frame is missing. A browser that captures pages
    loads only what it shows: other candidates of a srcset and other formats of a font are missing, too.

    Fails, in an archive::

        <img src="gone.png" alt="">

    Passes, in an archive::

        <img src="img.png" alt=""> <a href="https://elsewhere.example/">a host without captured pages</a>
    """
    if audited.destination.kind is not DestinationKind.UNCAPTURED or not is_loaded(audited.page.document, audited.link):
        return None
    hint = Hint("capture the file, and add it to the archive")
    return Issue("the archive does not have this file", hint, audited.destination.name)


@link_rule("LF603", FindingLevel.NOTE, cause_kind="file", concerns=lambda link: link.kind is DestinationKind.UNCAPTURED)
def uncaptured_page(audited: AuditedLink) -> Issue | None:
    """The archive of a crawler does not have the target of a hyperlink, though it has pages of that host.

    Only formats of crawlers count: WARC, WACZ and ARC. Other archives contain the pages that somebody saved. It is a
    note, since crawls have limits.

    Fails, in an archive::

        <a href="uncaptured.html">not captured</a>

    Passes, in an archive::

        <a href="other.html">captured</a> <a href="https://elsewhere.example/">a host without captured pages</a>
    """
    if audited.destination.kind is not DestinationKind.UNCAPTURED or is_loaded(audited.page.document, audited.link):
        return None
    return Issue("the archive does not have this page", cause=audited.destination.name)
