"""The offline audit of a tree of pages: its broken references, and the reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkfix.lazy import lazy_attributes

if TYPE_CHECKING:
    from linkfix.auditing.engine import audit, audit_captures
    from linkfix.auditing.findings import (
        dump_baseline,
        file_finding,
        group_by_cause,
        outdated_entries,
        read_baseline,
        with_fingerprints,
    )
    from linkfix.auditing.fix import FixedFile, fix_references
    from linkfix.auditing.listing import list_tree
    from linkfix.auditing.model import (
        Audit,
        AuditOptions,
        Cause,
        Coverage,
        Finding,
        FindingLevel,
        Folder,
        FragmentReferences,
        Hint,
        RuleInfo,
        SourcePlace,
    )
    from linkfix.auditing.several_trees import audit_sites, audit_trees
    from linkfix.auditing.site import DestinationKind, Site

__all__ = [
    "Audit",
    "AuditOptions",
    "Cause",
    "Coverage",
    "DestinationKind",
    "Finding",
    "FindingLevel",
    "FixedFile",
    "Folder",
    "FragmentReferences",
    "Hint",
    "RuleInfo",
    "Site",
    "SourcePlace",
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
            "linkfix.auditing.engine": "audit audit_captures",
            "linkfix.auditing.findings": (
                "dump_baseline file_finding group_by_cause outdated_entries read_baseline with_fingerprints"
            ),
            "linkfix.auditing.fix": "FixedFile fix_references",
            "linkfix.auditing.listing": "list_tree",
            "linkfix.auditing.model": (
                "Audit AuditOptions Cause Coverage Finding Folder FragmentReferences Hint FindingLevel RuleInfo "
                "SourcePlace"
            ),
            "linkfix.auditing.several_trees": "audit_sites audit_trees",
            "linkfix.auditing.site": "DestinationKind Site",
        },
    )
