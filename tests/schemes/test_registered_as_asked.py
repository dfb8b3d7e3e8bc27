"""The schemes of the real templates are registered as their RFCs asked: none with another status."""

from __future__ import annotations

from support.each import for_each
from support.vectors import table

from linkfix.schemes import Template, lookup

TEMPLATES = {file.partition(".")[0]: text for file, text in table("templates", "file", "text") if file[0] != "_"}
#: RFC 2717's form has no status: "all URL name schemes in the existing table should be entered as URI schemes, with
#: 'permanent' status" (RFC 4395 §6).
BEFORE_STATUS = {"dns", "snmp", "tftp"}


def test_all_are_there():
    assert len(TEMPLATES) == 29


@for_each(TEMPLATES)
def test_status(name):
    template = Template.parse(TEMPLATES[name])
    scheme = lookup(template.scheme)
    assert scheme is not None
    asked = template.status or ("permanent" if template.scheme in BEFORE_STATUS else None)
    assert scheme.status == asked
