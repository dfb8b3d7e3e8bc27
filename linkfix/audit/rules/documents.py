"""LF901 and LF902: unreadable pages, and pages of a doubtful encoding."""

from __future__ import annotations

from collections.abc import Iterator

from linkfix.audit.model import Hint, Level
from linkfix.audit.page_problems import has_problems, problem_issues
from linkfix.audit.rule import AuditedPage, Issue, page_rule

_UNREADABLE = {
    "encoding-unsupported": b"",
    "encoding-round-trip": b"",
    "xml-not-well-formed": b"\n\r",
    "xml-entity": b"\n\r",
    "markdown-unread": b"\n\r",
    "extra-needed": b"",
    "binary": b"",
    "self-extracting": b"",
    "too-large": b"",
    "srcdoc-depth": b"",
}
_LABEL_END = b"\"'>; \t\n\f\r"


@page_rule("LF901", Level.ERROR, reports_unread=True, concerns=has_problems)
def unjudged_page(page: AuditedPage) -> Iterator[Issue]:
    """The page or a part of it cannot be read, so its references were not checked.

    Possible reasons: Browsers do not support its encoding, or it has bytes that are invalid in its encoding. It is XML
    that is not well-formed; browsers show an error instead of the rest. A text of a feed contains entities that the
    feed declares. The file is not text, is an archive that unpacks itself, or is larger than --max-size. The Markdown
    cannot be parsed. srcdoc documents are nested too deeply.

    Fails::

        <meta charset="iso-2022-kr"><a href="other.html">other</a>

    Passes::

        <meta charset="utf-8"><a href="other.html">other</a>
    """
    return (issue._replace(cause=page.name) for issue in problem_issues(page, _UNREADABLE))


@page_rule("LF902", Level.WARNING, concerns=has_problems)
def encoding_doubtful(page: AuditedPage) -> Iterator[Issue]:
    """The page declares its encoding in a way that some programs do not understand.

    Browsers do not know the label, or its meta comes after the first 1,024 bytes, where some programs do not look.
    These programs decode other characters. In the query of a reference, this changes the target (HTML §13.2.3.2).

    Fails::

        <meta charset="utf-88"><a href="other.html">other</a>

    Passes::

        <meta charset="utf-8"><a href="other.html">other</a>
    """
    hint = Hint('write <meta charset="utf-8">, or the correct label, at the beginning of the head')
    return problem_issues(page, {"charset-unknown": _LABEL_END, "charset-late": _LABEL_END}, hint)
