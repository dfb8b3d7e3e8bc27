r"""References in plain text: finding them, and removing the delimiters around them.

RFC 2396 Appendix E defines the delimiters of URIs in text, Appendix F abbreviated references. Nothing here resolves a
reference or depends on documents.

>>> from linkfix import text
>>> [found.reference for found in text.find("It is, as I said, in <URL:http://www.w3.org/\n  Addressing/>.")]
['http://www.w3.org/Addressing/']
>>> text.strip_delimiters("<URL:../x>")
'../x'
"""

from __future__ import annotations

from linkfix.text.delimiters import strip_delimiters, undelimited
from linkfix.text.references import Delimiter, TextReference, complete, escape, find

__all__ = ["Delimiter", "TextReference", "complete", "escape", "find", "strip_delimiters", "undelimited"]
