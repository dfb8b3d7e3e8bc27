"""A tree, the audit's verdicts on its references, and the results in Chromium."""

from __future__ import annotations

from support.browser.chromium import Chromium
from support.browser.verdicts import CLAIMED, Reference, Verdict, audits, browsers
from support.browser.web_server import Folder

from linkfix.auditing import Audit, AuditOptions, audit

__all__ = ["Followed"]


class Followed:
    """A tree, the audit's verdicts on its references, and the results in a browser."""

    def __init__(self, browser: Chromium, folder: Folder, names: list[str], *, scripts: bool) -> None:
        self.folder = folder
        self.names = names
        self.scripts = scripts
        self.audit = audited(folder)
        self.said = audits(self.audit)
        self.verdicts, self.hyperlinks = browsers(browser, folder, names, scripts=scripts)

    def disagreements(self) -> dict[Reference, tuple[Verdict, Verdict]]:
        """The references on which the browser and the audit disagree, with both verdicts."""
        claimed = {Reference(one.path, one.reference) for one in self.audit.findings if one.code in CLAIMED}
        disagreements = {}
        for reference, verdict in self.verdicts.items():
            said = self.said.get(reference, Verdict.MISSING if reference in claimed else Verdict.WORKS)
            passed = verdict is Verdict.ELSEWHERE and reference not in self.said
            if verdict is not said and not passed:
                disagreements[reference] = (verdict, said)
        return disagreements


def audited(folder: Folder) -> Audit:
    # One finding in place of all root-relative references that fail would hide which they are.
    found = audit(folder.path, AuditOptions(base_url=folder.url, ignore=("root-relative",)))
    assert not found.coverage.unread
    return found
