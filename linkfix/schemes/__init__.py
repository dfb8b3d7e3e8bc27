"""URI schemes by RFC 4395: the registry, and what is to be said of a name, a URI or a registration template.

>>> from linkfix import schemes
>>> schemes.lookup("wais").status, schemes.near("htpp")
('historical', 'http')

Names are imported when they are first used: who asks `linkfix.schemes.uses` what the texts say of a scheme does not
read the registry.
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
