"""The schemes of the real templates are registered as their RFCs asked: none with another status."""

from __future__ import annotations

import pytest
from support.shared import SHARED, needs_shared

from linkfix.schemes import Template, lookup

TEMPLATES = sorted((SHARED / "iana" / "templates").glob("[!_]*.txt"))
#: RFC 2717's form has no status: "all URL name schemes in the existing table should be entered as URI schemes, with
#: 'permanent' status" (RFC 4395 §6).
BEFORE_STATUS = {"dns", "snmp", "tftp"}


@needs_shared
def test_all_are_there():
    assert len(TEMPLATES) == 29


@needs_shared
@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name.partition(".")[0])
def test_status(path):
    template = Template.parse(path.read_text("utf-8"))
    scheme = lookup(template.scheme)
    assert scheme is not None
    asked = template.status or ("permanent" if template.scheme in BEFORE_STATUS else None)
    assert scheme.status == asked
