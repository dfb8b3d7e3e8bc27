"""URI schemes by RFC 4395: the registry, and checks of a name, a URI and a registration template.

>>> from linkfix import schemes
>>> schemes.lookup("wais").status, schemes.near("htpp")
('historical', 'http')

Names are imported at first use: importing `linkfix.schemes.uses` does not read the registry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linkfix.registration.iana import load
    from linkfix.registration.names import check_name
    from linkfix.registration.template import FieldRecord, InvalidTemplate, Template, TemplateRecord
    from linkfix.registration.template_fields import Field, Form
    from linkfix.registration.uris import check_uri
    from linkfix.registration.verdict import VERDICTS, Level, Verdict
    from linkfix.schemes.registry import REGISTRY_DATE, Registry, Scheme, Status, lookup, near, search
    from linkfix.schemes.uses import Relative

__all__ = [
    "REGISTRY_DATE",
    "VERDICTS",
    "Field",
    "FieldRecord",
    "Form",
    "InvalidTemplate",
    "Level",
    "Registry",
    "Relative",
    "Scheme",
    "Status",
    "Template",
    "TemplateRecord",
    "Verdict",
    "check_name",
    "check_uri",
    "load",
    "lookup",
    "near",
    "search",
]

if not TYPE_CHECKING:
    from linkfix.lazy import lazy_attributes

    _MODULES = {
        "linkfix.registration.iana": "load",
        "linkfix.registration.names": "check_name",
        "linkfix.registration.template": "FieldRecord InvalidTemplate Template TemplateRecord",
        "linkfix.registration.template_fields": "Field Form",
        "linkfix.registration.uris": "check_uri",
        "linkfix.registration.verdict": "VERDICTS Level Verdict",
        "linkfix.schemes.registry": "REGISTRY_DATE Registry Scheme Status lookup near search",
        "linkfix.schemes.uses": "Relative",
    }
    __getattr__, __dir__ = lazy_attributes(__name__, _MODULES)
