"""URI schemes: IANA's registry, and checks of scheme names, URIs and registration templates by RFC 4395.

>>> from linkfix import schemes
>>> schemes.lookup("wais").status, schemes.near("htpp")
('historical', 'http')
>>> for verdict in schemes.check_uri("http://a/b c"):
...     print(verdict)
error: ' ' (character 11) is not allowed in a URI: write %20 [uri-character] (RFC 3986 §2)

`lookup`, `search` and `near` find schemes in the package's `Registry` of `REGISTRY_DATE`; `load` reads a newer registry
from IANA's CSV file. `check_name`, `check_uri` and `Template.validate` return `Verdict`s, with codes from `VERDICTS`.
`python -m linkfix.schemes.iana` updates the package's registry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linkfix.schemes.iana import load
    from linkfix.schemes.names import VERDICTS, Level, Verdict, check_name, check_uri
    from linkfix.schemes.registry import REGISTRY_DATE, Registry, Scheme, Status, lookup, near, search
    from linkfix.schemes.template import FieldRecord, InvalidTemplate, Template, TemplateRecord
    from linkfix.schemes.template_reader import Form, TemplateField
    from linkfix.schemes.uses import Relative

__all__ = [
    "REGISTRY_DATE",
    "VERDICTS",
    "FieldRecord",
    "Form",
    "InvalidTemplate",
    "Level",
    "Registry",
    "Relative",
    "Scheme",
    "Status",
    "Template",
    "TemplateField",
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
        "linkfix.schemes.iana": "load",
        "linkfix.schemes.template": "FieldRecord InvalidTemplate Template TemplateRecord",
        "linkfix.schemes.template_reader": "TemplateField Form",
        "linkfix.schemes.names": "VERDICTS Level Verdict check_name check_uri",
        "linkfix.schemes.registry": "REGISTRY_DATE Registry Scheme Status lookup near search",
        "linkfix.schemes.uses": "Relative",
    }
    __getattr__, __dir__ = lazy_attributes(__name__, _MODULES)
