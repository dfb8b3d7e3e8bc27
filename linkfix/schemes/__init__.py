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
    from linkfix.schemes.iana import load
    from linkfix.schemes.names import check_name
    from linkfix.schemes.registry import REGISTRY_DATE, Registry, Scheme, lookup, near, search
    from linkfix.schemes.template import Template
    from linkfix.schemes.uris import check_uri
    from linkfix.schemes.verdict import VERDICTS, Verdict

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
    "linkfix.schemes.iana": "load",
    "linkfix.schemes.names": "check_name",
    "linkfix.schemes.registry": "REGISTRY_DATE Registry Scheme lookup near search",
    "linkfix.schemes.template": "Template",
    "linkfix.schemes.uris": "check_uri",
    "linkfix.schemes.verdict": "VERDICTS Verdict",
}
__getattr__, __dir__ = lazily(__name__, _MODULES)
