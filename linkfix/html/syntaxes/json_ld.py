"""JSON-LD, the text of a `script type="application/ld+json"`: syntax "json-ld" (JSON-LD 1.1 §7)."""

from __future__ import annotations

from collections.abc import Iterator

from .found import Found
from .json_text import JsonObject, JsonString, JsonValue, find_strings, strings_in

#: Members whose strings are references: JSON-LD's own, then schema.org's terms of type URL.
_URL_TERMS = frozenset(
    (
        "@context",
        "@id",
        "acquireLicensePage",
        "actionableFeedbackPolicy",
        "archivedAt",
        "codeRepository",
        "contentUrl",
        "correctionsPolicy",
        "discussionUrl",
        "diversityPolicy",
        "downloadUrl",
        "embedUrl",
        "ethicsPolicy",
        "hasMap",
        "image",
        "installUrl",
        "isBasedOn",
        "isPartOf",
        "item",
        "license",
        "logo",
        "mainEntityOfPage",
        "masthead",
        "missionCoveragePrioritiesPolicy",
        "noBylinesPolicy",
        "ownershipFundingInfo",
        "paymentUrl",
        "publishingPrinciples",
        "relatedLink",
        "replyToUrl",
        "sameAs",
        "screenshot",
        "serviceUrl",
        "significantLink",
        "target",
        "thumbnailUrl",
        "tourBookingPage",
        "trackingUrl",
        "unnamedSourcesPolicy",
        "url",
        "usageInfo",
        "verificationFactCheckingPolicy",
    )
)


def _sets_base(node: JsonObject) -> bool:
    """Whether the node's own context sets the base IRI (JSON-LD 1.1 §4.1.3) instead of the document."""
    context = node["@context"].value if "@context" in node else None
    definitions = context if isinstance(context, list) else [context]
    return any(isinstance(definition, dict) and "@base" in definition for definition in definitions)


def _is_reference(string: JsonString) -> bool:
    """Whether a string is a reference, not a blank node identifier (JSON-LD 1.1 §4.5.1) or URI template (RFC 6570)."""
    return not string.value.startswith("_:") and "{" not in string.value


def _references(root: JsonValue) -> Iterator[JsonString]:
    pending = [root]
    while pending:
        value = pending.pop()
        if isinstance(value, list):
            pending += value
        elif isinstance(value, dict) and not _sets_base(value):
            for term, (_, nested) in value.items():
                if term in _URL_TERMS:
                    yield from filter(_is_reference, strings_in(nested))
                if term != "@context":
                    pending.append(nested)


def find(text: str) -> list[Found]:
    """Find the references of a JSON-LD document: `@id`, `@context`, and schema.org's terms for URLs, at any depth.

    A node whose context sets `@base` is ignored with everything in it. Terms are recognized by name: an `@context` that
    redefines them is not evaluated.
    """
    return find_strings(text, _references)
