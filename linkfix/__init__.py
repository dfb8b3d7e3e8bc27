"""Establishes an HTML document's base URL and makes every link absolute by changing only the bytes of the link.

>>> import linkfix
>>> linkfix.absolutize(b'<a href="../x">', url="https://example.com/dir/page.html")
b'<a href="https://example.com/x">'
>>> print(linkfix.base_url('<base href="/docs/">', url="https://example.com/page.html").url)
https://example.com/docs/
>>> [found.reference for found in linkfix.text.find("see http://example.com/, or not")]
['http://example.com/']

Names and submodules are imported at first use, so that a command that needs no engine starts at once.

Public are the names in `__all__` here, in `linkfix.text`, `linkfix.schemes` and `linkfix.schemes.iana`, and in
`linkfix.hooks` and the modules that it names. All other modules are internal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linkfix import hooks, schemes, text
    from linkfix.api import absolutize, absolutize_fragment, base_url, hyperlinks, links, move, relativize, rewrite
    from linkfix.auditing.api import audit
    from linkfix.auditing.model import (
        Audit,
        AuditFields,
        Cause,
        CauseKind,
        Coverage,
        Finding,
        FindingLevel,
        Folder,
        Hint,
        RuleInfo,
        SourcePlace,
    )
    from linkfix.auditing.repository import Repository
    from linkfix.document.document import Document
    from linkfix.encodings.encoding import Encoding, EncodingSource
    from linkfix.errors import (
        DocumentProblem,
        InvalidBase,
        InvalidJournal,
        InvalidOption,
        InvalidRegistry,
        LinkfixError,
        UnknownCharset,
        UnknownRule,
        UnknownSpec,
    )
    from linkfix.hooks import absolutize_tree
    from linkfix.kernels.compiled import COMPILED
    from linkfix.model import (
        PROBLEMS,
        Base,
        BaseElementMode,
        BaseSource,
        Candidate,
        Conversion,
        DocumentFields,
        DocumentKind,
        Envelope,
        ExcessDots,
        FeedBase,
        FragmentMode,
        HeadingIds,
        Html,
        Layer,
        Link,
        OptionFields,
        Options,
        Problem,
        Resolution,
        Row,
        SameScheme,
        Saver,
        Scripting,
        SiteGenerator,
        SiteHost,
        StatedBase,
        Wikilinks,
    )
    from linkfix.resolvers import resolve
    from linkfix.resolvers.urljoin import urljoin
    from linkfix.trees.conversion import TreeConversion, TreeFields

__all__ = [
    "COMPILED",
    "PROBLEMS",
    "Audit",
    "AuditFields",
    "Base",
    "BaseElementMode",
    "BaseSource",
    "Candidate",
    "Cause",
    "CauseKind",
    "Conversion",
    "Coverage",
    "Document",
    "DocumentFields",
    "DocumentKind",
    "DocumentProblem",
    "Encoding",
    "EncodingSource",
    "Envelope",
    "ExcessDots",
    "FeedBase",
    "Finding",
    "FindingLevel",
    "Folder",
    "FragmentMode",
    "HeadingIds",
    "Hint",
    "Html",
    "InvalidBase",
    "InvalidJournal",
    "InvalidOption",
    "InvalidRegistry",
    "Layer",
    "Link",
    "LinkfixError",
    "OptionFields",
    "Options",
    "Problem",
    "Repository",
    "Resolution",
    "Row",
    "RuleInfo",
    "SameScheme",
    "Saver",
    "Scripting",
    "SiteGenerator",
    "SiteHost",
    "SourcePlace",
    "StatedBase",
    "TreeConversion",
    "TreeFields",
    "UnknownCharset",
    "UnknownRule",
    "UnknownSpec",
    "Wikilinks",
    "__version__",
    "absolutize",
    "absolutize_fragment",
    "absolutize_tree",
    "audit",
    "base_url",
    "hooks",
    "hyperlinks",
    "links",
    "move",
    "relativize",
    "resolve",
    "rewrite",
    "schemes",
    "text",
    "urljoin",
]

__version__ = "0.1.0"

if not TYPE_CHECKING:
    from linkfix.lazy import lazy_attributes

    _MODULES = {
        "linkfix.api": "absolutize absolutize_fragment base_url hyperlinks links move relativize rewrite",
        "linkfix.auditing.api": "audit",
        "linkfix.auditing.model": (
            "Audit AuditFields Cause CauseKind Coverage Finding FindingLevel Folder Hint RuleInfo SourcePlace"
        ),
        "linkfix.auditing.repository": "Repository",
        "linkfix.document.document": "Document",
        "linkfix.encodings.encoding": "Encoding EncodingSource",
        "linkfix.errors": (
            "DocumentProblem InvalidBase InvalidJournal InvalidOption InvalidRegistry LinkfixError UnknownCharset "
            "UnknownRule UnknownSpec"
        ),
        "linkfix.hooks": "absolutize_tree",
        "linkfix.kernels.compiled": "COMPILED",
        "linkfix.model": (
            "PROBLEMS Base BaseElementMode BaseSource Candidate Conversion DocumentFields DocumentKind Envelope "
            "ExcessDots FeedBase FragmentMode HeadingIds Html Layer Link OptionFields Options Problem Resolution Row "
            "SameScheme Saver Scripting SiteGenerator SiteHost StatedBase Wikilinks"
        ),
        "linkfix.resolvers": "resolve",
        "linkfix.resolvers.urljoin": "urljoin",
        "linkfix.trees.conversion": "TreeConversion TreeFields",
    }
    __getattr__, __dir__ = lazy_attributes(__name__, _MODULES, submodules=("hooks", "schemes", "text"))
