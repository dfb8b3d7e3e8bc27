"""URI schemes: IANA's registry, and checks of scheme names, URIs and registration templates by RFC 4395.

>>> from linkfix import schemes
>>> schemes.lookup("wais").status, schemes.near("htpp")
('historical', 'http')
>>> for verdict in schemes.check_uri("http://a/b c"):
...     print(verdict)
error: ' ' (character 11) is not allowed in a URI: write %20 [uri-character] (RFC 3986 §2)

`lookup`, `search` and `near` find schemes in the package's `Registry` of `REGISTRY_DATE`; `load` reads a newer one from
a CSV file of IANA. `check_name`, `check_uri` and `Template.validate` give `Verdict`s, whose codes are in `VERDICTS`.
`python -m linkfix.schemes.iana` updates the package's registry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkfix.lazy import lazily

if TYPE_CHECKING:
    from linkfix.registration.iana import load
    from linkfix.registration.names import check_name
    from linkfix.registration.template import Template
    from linkfix.registration.uris import check_uri
    from linkfix.registration.verdict import VERDICTS, Verdict
    from linkfix.schemes.registry import REGISTRY_DATE, Registry, Scheme, lookup, near, search

__all__ = [
    "REGISTRY_DATE",
    "VERDICTS",
    "Registry",
    "Scheme",
    "Template",
    "Verdict",
    "check_name",
    "check_uri",
    "load",
    "lookup",
    "near",
    "search",
]

_MODULES = {
    "linkfix.registration.iana": "load",
    "linkfix.registration.names": "check_name",
    "linkfix.schemes.registry": "REGISTRY_DATE Registry Scheme lookup near search",
    "linkfix.registration.template": "Template",
    "linkfix.registration.uris": "check_uri",
    "linkfix.registration.verdict": "VERDICTS Verdict",
}
__getattr__, __dir__ = lazily(__name__, _MODULES)
