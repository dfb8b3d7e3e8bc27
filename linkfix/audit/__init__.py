"""The offline audit of a tree of pages: its broken references, and the reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkfix.lazy import lazy_attributes

if TYPE_CHECKING:
    from linkfix.audit.engine import audit, audit_captures
    from linkfix.audit.findings import (
        dump_baseline,
        file_finding,
        group_by_cause,
        outdated_entries,
        read_baseline,
        with_fingerprints,
    )
    from linkfix.audit.fix import FixedFile, fix_references
    from linkfix.audit.listing import list_tree
    from linkfix.audit.model import (
        Audit,
        AuditOptions,
        Cause,
        Coverage,
        Finding,
        Folder,
        FragmentReferences,
        Hint,
        Level,
        RuleInfo,
    )
    from linkfix.audit.redirects import Redirects
    from linkfix.audit.several_trees import audit_sites, audit_trees
    from linkfix.audit.site import DestinationKind, Site

__all__ = [
    "Audit",
    "AuditOptions",
    "Cause",
    "Coverage",
    "DestinationKind",
    "Finding",
    "FixedFile",
    "Folder",
    "FragmentReferences",
    "Hint",
    "Level",
    "Redirects",
    "RuleInfo",
    "Site",
    "audit",
    "audit_captures",
    "audit_sites",
    "audit_trees",
    "dump_baseline",
    "file_finding",
    "fix_references",
    "group_by_cause",
    "list_tree",
    "outdated_entries",
    "read_baseline",
    "with_fingerprints",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_attributes(
        __name__,
        {
            "linkfix.audit.engine": "audit audit_captures",
            "linkfix.audit.findings": (
                "dump_baseline file_finding group_by_cause outdated_entries read_baseline with_fingerprints"
            ),
            "linkfix.audit.fix": "FixedFile fix_references",
            "linkfix.audit.listing": "list_tree",
            "linkfix.audit.model": (
                "Audit AuditOptions Cause Coverage Finding Folder FragmentReferences Hint Level RuleInfo"
            ),
            "linkfix.audit.redirects": "Redirects",
            "linkfix.audit.several_trees": "audit_sites audit_trees",
            "linkfix.audit.site": "DestinationKind Site",
        },
    )
