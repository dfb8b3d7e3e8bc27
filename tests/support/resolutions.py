"""The two results of a reference without a target."""

from __future__ import annotations

from linkfix import Resolution

__all__ = ["NO_BASE", "UNRESOLVABLE"]

#: A relative reference without a base.
NO_BASE = Resolution(None, problem="no-base")
#: A reference that is not a URL, or that is relative to a base that cannot have relative references.
UNRESOLVABLE = Resolution(None, problem="unresolvable")
