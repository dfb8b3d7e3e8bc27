"""The base of a document or style sheet without a URL, which Blink leaves out of the messages that it saves.

A STYLE element becomes a part whose Content-Location is `cid:css-…@mhtml.blink`, after the part of its document; a
srcdoc or about:blank frame becomes a part with no Content-Location, after the one that refers to it by Content-ID.
Their relative URLs stay as they are, and were relative to the base of that document (CSS Values §4.5.2 "style resource
base URL", HTML §2.4.3 "fallback base URL").
"""

from __future__ import annotations

import re
from dataclasses import replace

from linkfix.containers.part import Part
from linkfix.document.document import Document
from linkfix.errors import LinkfixError
from linkfix.model import Envelope, Layer, Options

__all__ = ["BlinkPages"]

_SHEET = re.compile(r"cid:css-[^@]*@mhtml\.blink")
_FRAME = re.compile(r"frame-[^@]*@mhtml\.blink")
_REFERENCE = re.compile(rb"cid:(frame-[0-9A-Za-z]+@mhtml\.blink)")


class BlinkPages:
    """The HTML parts of one message so far. `options`: those of its documents."""

    def __init__(self, options: Options) -> None:
        self._options = options
        #: The last HTML part, and a list with the envelope of its base, empty until that is needed.
        self._latest: tuple[Part, list[Envelope]] | None = None
        #: Content-ID of a frame -> the same of the part that refers to it first.
        self._containers: dict[str, tuple[Part, list[Envelope]]] = {}

    def add(self, part: Part) -> None:
        """Add the next part, in the order of the message."""
        if part.media_type != "text/html":
            return
        self._latest = part, []
        for match in _REFERENCE.finditer(part.data):
            self._containers.setdefault(match[1].decode("ascii"), self._latest)

    def enclosing(self, envelope: Envelope, media_type: str, location: str, identifier: str) -> Envelope:
        """What encloses a part: `envelope`, or, within it, an envelope with the base of the part's document.

        `location`, `identifier`: the part's Content-Location and Content-ID, "" for none.
        """
        page = None
        if media_type == "text/css" and _SHEET.fullmatch(location):
            page = self._latest
        elif media_type == "text/html" and not location and _FRAME.fullmatch(identifier):
            page = self._containers.get(identifier)
        if page is None:
            return envelope
        part, bases = page
        if not bases:
            bases.append(self._base(part))
        return replace(bases[0], parent=envelope)

    def _base(self, part: Part) -> Envelope:
        """An envelope with the base of a part's document, or without one where it cannot be known."""
        try:
            document = Document(part.data, envelope=part.envelope, options=self._options)
            base = document.document_base
        except LinkfixError:
            return Envelope()
        if base.layer is Layer.DEFAULT:  # which the part has as well
            return Envelope()
        where = f"base of its document, part {part.name}"
        return Envelope(base=base.url, where=where, inherits_base_element=document.decider.fragments_leave_page)
