"""The text of an import map, of speculation rules or of JSON-LD is not JSON.

Browsers then ignore all of it: no module specifier is mapped, and modules that are imported by bare names do not load
(HTML §8.1.6.1, "parse an import map string"). The place is where reading stops. JSON-LD is looked at with --json-ld.

Fails::

    <script type="importmap">{"imports": {"app": "./app.js",}}</script>

Passes::

    <script type="importmap">{"imports": {"app": "https://host.example/app.js"}}</script>
"""

from __future__ import annotations

from collections.abc import Iterator

from linkfix.audit.model import Level
from linkfix.audit.pages import problem_issues
from linkfix.audit.rule import Issue, Page

__all__ = ["CODE", "LEVEL", "check_page"]

CODE = "LF503"
LEVEL = Level.ERROR

_ENDS = {"json-syntax": b"\t\n\r ,:]}<"}


def check_page(page: Page) -> Iterator[Issue]:
    """Report texts that have to be JSON and are not."""
    return problem_issues(page, _ENDS)
