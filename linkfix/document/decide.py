"""Decide the target of a reference of a given role against a base, and the URL to write in its place.

Only this module decides. Byte documents, links, rewriting, srcdoc, trees, the audit and the hooks call it, and contain
no rule of HTML or of URLs themselves. `linkfix.document.references` finds the references, and writes a URL in the place
of another.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

from linkfix.constraints import check, check_fields
from linkfix.document.base import (
    EMBEDDED,
    SETTLED_URL,
    as_base,
    document_url,
    fallback_base,
    original_href,
    require_absolute,
    root_of,
)
from linkfix.document.relocation import leads_alike, moved_reference
from linkfix.encodings.encoding import Encoding, lookup
from linkfix.errors import InvalidOption
from linkfix.html.syntaxes.url import PLACEHOLDER, Found
from linkfix.html.values import escape_attribute
from linkfix.html.vocabulary import HEADER_SYNTAXES, only_names, row_index
from linkfix.kernels.columns import PlainLinks
from linkfix.kernels.plain import AFTER_BASE, PlainReferences
from linkfix.lazy import cached_value
from linkfix.model import DOCUMENT_KINDS, Base, Envelope, Options, Resolution, Row
from linkfix.resolvers import ExcessDots, Resolver, SameScheme, resolver
from linkfix.resolvers.common import NO_BASE
from linkfix.urls import scheme_of, specifier_takes_base, without_fragment

# The plain references to a base: see `linkfix.kernels.plain`.


#: The maximum number of folders in a base with plain references. The memory for its prefixes grows with the square of
#: that number.
_MOST_FOLDERS = 100

#: A quotation mark can occur in a host (URL standard §3.1), and nowhere else. The resolver's path knows which one to
#: escape.
_FOLDER = re.compile(r"(https?:)//[^/?#\"]+(?=/)")

#: The number of bases whose texts are kept, for the documents in work. More would only fill the processor's caches.
_KEPT = 16


@lru_cache(maxsize=_KEPT)
def plain_references(  # a cache takes longer for keywords
    base: str,
    fragments: bool,
    escapes: bool = False,
) -> tuple[PlainReferences, PlainReferences] | None:
    """The plain references to a base in the URL standard's serialization: as raw attribute values, and as text.

    `fragments`, `escapes`: as in `PlainReferences`. Returns None if the base is not http or https.
    """
    document = base.partition("#")[0]
    page = document.partition("?")[0]
    beginnings = _beginnings(page[: page.rfind("/") + 1])
    if beginnings is None or not base.isascii():
        return None
    scheme, root, folders = beginnings
    starts = [scheme, root, page.encode(), document.encode()]
    texts = escaped = [*starts, *AFTER_BASE, *folders]
    if "&" in base or "'" in base:
        escaped = [*map(_escaped, starts), *AFTER_BASE, *map(_escaped, folders)]
    return PlainReferences(escaped, fragments, True, escapes), PlainReferences(texts, fragments, False, False)


def _contains(text: str, pattern: str) -> bool:
    """Whether a text contains a pattern, in which "*" is any text.

    >>> _contains("/x?id=%%id%%", "%%*%%"), _contains("/x?id=%%id", "%%*%%")
    (True, False)
    """
    at = 0
    for piece in pattern.split("*"):
        at = text.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return True


def _escaped(text: bytes) -> bytes:
    return escape_attribute(text.decode(), 39).encode()


@lru_cache(maxsize=_KEPT)
def _beginnings(folder: str) -> tuple[bytes, bytes, list[bytes]] | None:
    """The prefixes of the URLs in a folder, which many documents share: "https:", "https://host", and the folders from
    this folder up to the root.
    """
    match = _FOLDER.match(folder)
    if match is None or not folder.isascii() or folder.count("/", match.end()) > _MOST_FOLDERS:
        return None
    folders = []
    while len(folder) > match.end():
        folders.append(folder.encode())
        folder = folder[: folder.rindex("/", 0, -1) + 1]
    return match[1].encode(), match[0].encode(), folders


#: Half of a surrogate pair, from an escape in JSON.
_SURROGATE = re.compile(r"[\ud800-\udfff]")

#: References that are their own targets, if they are ASCII. A data: URL always counts as such: some are megabytes long.
_SETTLED = re.compile(SETTLED_URL + "|data:")

#: RFC 2557 §5 (e): the scheme of URLs that have no meaning outside their message.
MESSAGE = "thismessage:"

#: The syntaxes that encode queries in UTF-8, whatever the document's encoding.
_IN_UTF_8 = frozenset(
    {
        *("css", "text", "webmanifest", "robots", "javascript", "source-map", "css-source-map"),
        *("importmap", "speculationrules", "json-ld", *HEADER_SYNTAXES),
    }
)

#: The roles of references that are resolved against the fallback base.
_OF_FALLBACK = frozenset({"base", "location"})

#: The kinds of references that are their own targets if they are absolute.
_URLS = frozenset({"url", "specifier", "scope"})

#: The kinds of references that cannot be a relative path without a dot, or a fragment.
_SPECIFIERS = frozenset({"specifier", "scope"})

#: The treatments of BASE elements after which they no longer set a base.
REMOVED = frozenset({"drop-href", "empty", "remove"})

#: The maximum number of remembered decisions, and the maximum length of their references in characters.
_REMEMBERED = 4096

_LONGEST = 1024

#: A base up to this length, in characters, is never too long, however many targets repeat it.
_SHORT_BASE = 2000


class Decision(NamedTuple):
    """The target of a reference, and the URL to write in its place."""

    target: str | None
    """The absolute URL, or None."""
    base: str | None
    """The URL that the reference was resolved against."""
    problem: str | None = None
    """A code of `linkfix.model.PROBLEMS`, or None."""
    new: str | None = None
    """The URL to write in its place; None if it stays as it is."""


@lru_cache(maxsize=64)
def _resolver(spec: str, excess_dots: ExcessDots | None, same_scheme: SameScheme | None) -> Resolver:
    return resolver(spec, excess_dots=excess_dots, same_scheme=same_scheme)


def resolver_of(options: Options) -> Resolver:
    """The resolver that `options` ask for. Raises UnknownSpec and InvalidOption."""
    known = _right.get(id(options))
    return _resolver(options.spec, options.excess_dots, options.same_scheme) if known is None else known[1]


#: The last valid options by their identity, each with its resolver, to skip checking them again: a program uses the
#: same options for many documents. It keeps the options, so no other object has their identity.
_right: dict[int, tuple[Options, Resolver]] = {}


def _lacks_base(found: Found) -> bool:
    """Whether a reference is parsed without a base, such as `https:x` in an import map."""
    return found.kind == "specifier" and not specifier_takes_base(found.reference)


def _is_settled(reference: str, base: str | None) -> bool:
    """Whether a reference is its own target.

    If the base has the reference's scheme, some resolvers read the reference as relative. Examples are a data: URL, and
    a URL whose scheme the base writes in capitals; the target then has capitals too.
    """
    if _SETTLED.match(reference) is None or not reference.isascii():
        return False
    return base is None or base[:1].lower() != reference[0] or base.startswith("http")


class Decider:
    """Decides about the references of one document.

    `options`: the caller's options. `base`: the document's base. `envelope`: the other facts from outside the document.
    `query_encoding`: the document's encoding, by its name in the Encoding standard; queries are encoded in it.
    `fragments_leave_page`: whether "#x" refers to another document; None: if a BASE element makes it so.
    `longest_base`: returns the maximum length of a base in characters (None: no limit). It is called only for a long
    base. Every target repeats the base, so a long base could exhaust memory.
    """

    def __init__(
        self,
        options: Options,
        base: Base,
        envelope: Envelope,
        *,
        query_encoding: str = "utf-8",
        fragments_leave_page: bool | None = None,
        longest_base: Callable[[], int] | None = None,
    ) -> None:
        self.options = options
        self.base: Base = base
        self.query_encoding = query_encoding
        self._longest_base = longest_base
        self._envelope = envelope
        self._saver = envelope.saver
        self._relocates = options.locate is not None or options.move is not None
        if fragments_leave_page is None:
            fragments_leave_page = False
            if base.layer is EMBEDDED or envelope.inherits_base_element:
                fragments_leave_page = without_fragment(base.url) != without_fragment(self._own_base)
        self.fragments_leave_page = fragments_leave_page
        self._decisions: dict[tuple[str | None, ...], Decision] = {}
        #: Base -> the last values of `xml:base` that it was combined with, and the resulting base after each.
        self._own_bases: dict[str | None, tuple[tuple[str, ...], tuple[str | None, ...]]] = {}

    @cached_value
    def resolver(self) -> Resolver:
        """The resolver of the options."""
        return resolver_of(self.options)

    @cached_value
    def document_url(self) -> str | None:
        """The URL that the document was retrieved from, or None."""
        return self._envelope.url or document_url(self._envelope, self.resolver)

    @cached_value
    def _own_base(self) -> str | None:
        """The retrieval URL as a base."""
        url = self._envelope.url
        if url and url == self.base.fallback:
            return url  # as most often: it is a base already
        return self.document_url and as_base(self.document_url, self.resolver)

    # Base and encoding of a reference

    def base_for(
        self, row: Row, *, keeps_fallback: bool = False, own_bases: tuple[str, ...] = (), codebase: str | None = None
    ) -> str | None:
        """The base URL of the references in a row of the vocabulary.

        `keeps_fallback`: the references are parsed at once, and the BASE element that decides comes later in the
        document. `own_bases`: the values of `xml:base` around the place, outermost first (XML Base §4). `codebase`: the
        value of the codebase attribute on the same tag.
        """
        base = self.base.fallback if keeps_fallback or row.role in _OF_FALLBACK else self.base.url
        if row.role in _OF_FALLBACK:
            return base
        if own_bases:
            base = self._with_own_bases(base, own_bases)
        if row.syntax == "importmap" and base and not base[0].isalpha():
            return None  # a specifier with the scheme "1", as in RFC 1808, is a bare one (HTML §8.1.6.2)
        if row.role != "code" or not codebase:
            return base
        # HTML 4.01 §13.3: object's and applet's codebase
        target = self._inner_base(base, codebase, self.query_encoding)
        return target if target and self.resolver.is_absolute(target) else base

    def _with_own_bases(self, base: str | None, own_bases: tuple[str, ...]) -> str | None:
        """The base inside elements with `xml:base`. A value that many elements share is resolved once."""
        known, found = self._own_bases.get(base, ((), ()))
        if known == own_bases:
            return found[-1]
        pairs = zip(known, own_bases, found, strict=False)
        bases = [made for _, _, made in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)]
        for reference in own_bases[len(bases) :]:
            outer = bases[-1] if bases else base
            bases.append(self._inner_base(outer, reference) or outer)
        self._own_bases[base] = own_bases, tuple(bases)  # in one step: other threads may ask too
        return bases[-1]

    def _inner_base(self, base: str | None, reference: str, encoding: str = "utf-8") -> str | None:
        """The URL that an attribute such as `xml:base` sets, or None. A base that is too long is not used for it."""
        if self._is_too_long(base) and not self.resolver.is_absolute_reference(reference):
            return None
        return self.resolver.resolve(base or None, reference, encoding).target

    def _encoding_for(self, row: Row) -> str:
        """The encoding of queries. Only HTML uses the document's encoding, because its URLs are encoding-parsed (HTML
        §2.4.2; for CSS see CSS Values 4, "resolve a style resource URL").
        """
        return "utf-8" if row.syntax in _IN_UTF_8 else self.query_encoding

    # References

    @property
    def keeps(self) -> Callable[[str], bool] | None:
        """Function that returns whether a relative reference with this target stays; None if it depends on more."""
        return None if self._removes_base else self.options.keep

    @property
    def _removes_base(self) -> bool:
        return self.options.base_element in REMOVED and self.base_can_go

    def plain(
        self, keeps: Callable[[str], bool] | None = None, *, of_fallback: bool = False
    ) -> tuple[PlainReferences, PlainReferences] | tuple[None, None]:
        """The document's plain references in raw attribute values, and in text.

        None and None if an option requires a decision about each reference. `keeps`: the value of `keeps`, if the
        caller asks it about each target. `of_fallback`: those to the fallback base.
        """
        base = self.base.fallback if of_fallback else self.base.url
        options = self.options
        looks = options.normalize or options.keep is not keeps or self._relocates or bool(options.placeholders)
        if (
            looks
            or self._saver.map_reference is not None
            or options.spec != "whatwg"
            or base is None
            or self._is_too_long(base)
        ):
            return None, None
        return plain_references(base, self.fragments_are_written, options.escape_ampersands) or (None, None)

    @property
    def bases_share_root(self) -> bool:
        """Whether the base and the fallback base have the same scheme and host."""
        return root_of(self.base.url) == root_of(self.base.fallback)

    def percent_encoder(self, encoding: Encoding) -> Callable[[bytes, bool], bytes | None]:
        """Return a function that percent-encodes text of a URL outside ASCII (URL standard §1.3), given its bytes.

        `encoding`: the encoding of these bytes. The function's second argument: whether the text is in a query. It
        returns None if the resolver must decide: for errors of the encoding, and for a query that is not encoded in
        UTF-8.
        """
        query_is_utf_8 = self.query_encoding == "utf-8"

        def encode(data: bytes, is_query: bool) -> bytes | None:
            text = encoding.decode(data)
            if "\ufffd" in text or (is_query and not query_is_utf_8):
                return None
            return b"%" + text.encode().hex("%").upper().encode() if text else b""

        return encode

    def plain_links(self, *, of_fallback: bool = False) -> PlainLinks | None:
        """The plain references with their targets; None if an option requires a decision about each reference.

        `of_fallback`: those to the fallback base.
        """
        base = self.base.fallback if of_fallback else self.base.url
        looks = bool(self.options.placeholders) or self._saver.map_reference is not None
        if base is None or self.options.spec != "whatwg" or looks or self._is_too_long(base):
            return None
        plain = plain_references(base, True)
        return None if plain is None else PlainLinks(base, *plain, self.document_url in {None, base})

    @property
    def fragments_are_written(self) -> bool:
        """Whether references that are only a fragment change."""
        return self.fragments_leave_page or self.options.fragments == "absolutize"

    @property
    def empty_is_written(self) -> bool:
        """Whether an empty reference can change; see `_decide_empty`."""
        return self.options.fragments == "absolutize" or (
            self.fragments_leave_page and self.options.base_element in REMOVED
        )

    def decide(self, found: Found, row: Row, base: str | None, *, damage: str = "") -> Decision:
        """Return the target of a reference, and the URL to write in its place.

        `row`: the vocabulary's row of its place. `base`: see `base_for`. `damage`: see `Value.damage`.
        """
        reference = found.reference
        means_document = (not reference or found.kind == "local") and row.role != "base"
        if self._is_too_long(base) or (means_document and self._is_too_long(self.document_url)):
            if means_document or not (_lacks_base(found) or self.resolver.is_absolute_reference(reference)):
                return Decision(None, None, found.problem or "links-too-large")
            base = None
        if found.kind in {"fault", "bare"}:
            return Decision(None, base, found.problem)
        looks = self.options.normalize or ((self._saver.maps_absolute or self._relocates) and reference[:5] != "data:")
        if found.kind in _URLS and not looks and _is_settled(reference, base):
            return Decision(reference, base, found.problem)
        if len(reference) > _LONGEST:
            return self._relocated(self._decide(found, row, base, damage=damage), found, row)
        encoding = self._encoding_for(row)
        key = (reference, found.kind, found.problem, row.role, base, encoding, damage)
        decision = self._decisions.get(key)
        if decision is None:
            if len(self._decisions) >= _REMEMBERED:
                self._decisions.clear()
            decision = self._relocated(self._decide(found, row, base, damage=damage), found, row)
            self._decisions[key] = decision
        return decision

    def _relocated(self, decision: Decision, found: Found, row: Row) -> Decision:
        """The decision with the reference that `Options.locate` or `Options.move` asks for."""
        target, base, problem, _ = decision
        if not self._relocates or target is None or problem is not None or found.kind == "local":
            return decision
        reference = found.reference
        if self.options.move is not None:
            if not reference and target == self.document_url:  # the document's own address, at its new place too
                return decision._replace(new=None)
            encoding = self._encoding_for(row)
            moved = moved_reference(self.options.move, self.resolver, base, reference, target, encoding)
            return decision._replace(new=self._as_found(moved, found))
        is_local = decision.new is None and reference[:1] in {"", "#"}
        has_base_of_its_own = base not in {self.base.url, self.base.fallback}
        if self.options.locate is None or is_local or has_base_of_its_own or only_names(row, found.kind):
            return decision
        located = self.options.locate(target)
        if located is None or (located.startswith("#") and found.kind in _SPECIFIERS) or PLACEHOLDER.search(located):
            return decision
        if leads_alike(reference, located, target):
            return decision._replace(new=None)
        return decision._replace(new=self._as_found(located, found))

    @staticmethod
    def _as_found(new: str | None, found: Found) -> str | None:
        """A new reference, or None if it is the old one. In an import map, a relative one begins with a dot."""
        if new is not None and found.kind in _SPECIFIERS and not specifier_takes_base(new):
            new = new if scheme_of(new) else f"./{new}"
        return None if new == found.reference else new

    def _is_too_long(self, base: str | None) -> bool:
        """Whether a base is so long that the document's targets would fill the memory."""
        if base is None or len(base) <= _SHORT_BASE or self._longest_base is None:
            return False
        return len(base) > self._longest_base()

    def _decide(self, found: Found, row: Row, base: str | None, *, damage: str) -> Decision:
        reference = found.reference
        if found.kind == "local":
            url = self.document_url or base
            known = url is not None
            return Decision(self.resolver.resolve(url, reference, self.query_encoding).target if known else None, url)
        if not reference and found.kind != "scope":
            return self._decide_empty(row.role, base)
        if found.kind == "abbreviated":
            return self._decide_abbreviated(found)
        if _lacks_base(found):
            decision = self._decide_absolute(reference, base)
        else:
            decision = self._decide_url(reference, base, self._encoding_for(row), is_scope=found.kind == "scope")
        if decision.problem == "message-base" and row.role == "location":
            return decision._replace(problem=None)  # RFC 2557 §4.2: other parts can refer to the part by this URL
        if decision.problem is None and found.problem is not None:
            # a person must decide about the hyphen
            new = None if found.problem == "hyphen-at-line-end" else decision.new
            return decision._replace(problem=found.problem, new=new)
        if decision.problem is None and damage and "\ufffd" in reference:
            return decision._replace(problem=damage)
        if decision.problem is None and not reference.isascii() and _SURROGATE.search(reference):
            return decision._replace(problem="lone-surrogate")
        return decision

    def _decide_absolute(self, reference: str, base: str | None) -> Decision:
        """The decision about a reference that is parsed without a base."""
        resolution = self.resolver.resolve(None, reference)
        target = resolution.target
        if target is None:
            return Decision(None, base, resolution.problem)
        return self._write(target, reference, base) if self.options.normalize else Decision(target, base)

    def _decide_url(self, reference: str, base: str | None, encoding: str, *, is_scope: bool = False) -> Decision:
        """The decision about a reference. `is_scope`: it is compared with URLs, so "" and "#x" mean the base."""
        absolute = self.resolver.is_absolute_reference(reference)
        if not absolute and PLACEHOLDER.search(reference):
            return Decision(None, base, "template-syntax")
        if not absolute and any(_contains(reference, pattern) for pattern in self.options.placeholders):
            return Decision(None, base)
        mapped = None
        if self._saver.map_reference is not None and (self._saver.maps_absolute or not absolute):
            mapped = self._saver.map_reference(reference, base)
        if mapped == "":
            is_missing = self._saver.is_missing is not None and self._saver.is_missing(reference)
            return Decision(None, base, "saved-file-missing" if is_missing else None)
        target = self._plain_target(base, reference) if mapped is None else None
        same_document = False
        if target is None:
            resolution = self._resolve(base, reference if mapped is None else mapped, encoding)
            target, same_document = resolution.target, resolution.same_document
            if target is None or resolution.problem is not None:
                # "#top" means this document even if its URL is not known.
                is_own = not base and reference.startswith("#")
                return Decision(target, base, None if is_own else resolution.problem)
        if absolute and mapped is None:
            return self._write(target, reference, base) if self.options.normalize else Decision(target, base)
        if (same_document or reference.startswith("#")) and not is_scope:
            stays = not self.fragments_are_written
        else:
            stays = self.options.keep is not None and self.options.keep(target)
            stays = stays and self._means_without_base(reference, target, encoding)
        return Decision(target, base) if stays else self._write(target, reference, base)

    def _means_without_base(self, reference: str, target: str, encoding: str) -> bool:
        """Whether a reference that stays has the same target when BASE elements are removed, if they are."""
        if not self._removes_base:
            return True
        return self._resolve(self.base.fallback, reference, encoding).target == target

    @cached_value
    def base_can_go(self) -> bool:
        """Whether BASE elements can be removed: not if references that stay relative would change their meaning.

        They stay in a message, and where the base is a URL such as "mailto:x" (URL §4.4, no scheme state).
        """
        url = self.base.url or ""
        if url.startswith("http") and _is_settled(url, None):
            return True  # a shortcut for most documents
        return bool(url) and not url.startswith(MESSAGE) and self.resolver.resolve(url, "x").target is not None

    def base_href(self, reference: str) -> str | None:
        """The URL to write in the href of the BASE element that decides; None if the href stays."""
        url = self.base.url
        if url and self.options.move is not None:
            return moved_reference(self.options.move, self.resolver, self.base.fallback, reference, url, "utf-8")
        if not url or not self.base_can_go or url == reference:
            return None
        if self.resolver.is_absolute_reference(reference) and original_href(reference, self._envelope.saver) is None:
            return None
        return url if self.is_base_of_its_own(url) else None

    def leaves_base(self, href: str) -> bool:
        """Whether a BASE element that decides stays, whatever it takes to write it: it already has the base."""
        options = self.options
        return href == self.base.url and options.base_element == "keep" and options.move is None

    def blocked_href(self, reference: str) -> str | None:
        """The URL to write in the href of a BASE element that a policy blocks: the base without that element.

        A copy that is read without the policy then has the same base. None if the href stays: it is that URL already,
        or references to fragments would no longer mean the document.
        """
        url = self.base.url
        if url is None or url == reference or without_fragment(url) != without_fragment(self._own_base):
            return None
        return url if self.is_base_of_its_own(url) else None

    def is_base_of_its_own(self, url: str) -> bool:
        """Whether a URL in a BASE element is its own target. With `same_scheme`, the document's URL may matter."""
        if self.resolver.is_absolute_reference(url):
            return True
        return self.resolver.resolve(fallback_base(self._envelope, self.resolver).url, url).target == url

    def _resolve(self, base: str | None, reference: str, encoding: str) -> Resolution:
        """Resolve a reference. Without a base, there is no target if it depends on the base, as for "https:x". But some
        specifications then take every reference for absolute: the target is the reference, with a problem if it is
        relative.
        """
        resolver = self.resolver
        resolution = resolver.resolve(base or "", reference, encoding)
        if base or resolution.target is None or resolution.same_document or resolver.is_absolute_reference(reference):
            return resolution
        if not resolver.empty_base_allowed:
            return NO_BASE
        is_relative = resolver.resolve(None, reference).target is None
        return resolution._replace(problem="no-base") if is_relative else resolution

    def _write(self, target: str, reference: str, base: str | None) -> Decision:
        """The decision to write the target. It must resolve to itself there, which only some resolvers guarantee."""
        if base is not None and base.startswith(MESSAGE) and not self.resolver.is_absolute_reference(reference):
            return Decision(target, base, "message-base")
        new = (self.resolver.normalize(target) if self.options.normalize else None) or target
        if new == reference:
            return Decision(target, base)
        if not self.resolver.is_absolute_reference(new) and self.resolver.resolve(base, new).target != new:
            return Decision(target, base, "relative-target")
        return Decision(target, base, None, new)

    def target(self, reference: str) -> str | None:
        """The target of a hyperlink against the document's base."""
        base = self.base.url
        return self._plain_target(base, reference) or self._resolve(base, reference, self.query_encoding).target

    def _plain_target(self, base: str | None, reference: str) -> str | None:
        """The target of a plain reference; None if it takes the resolver."""
        if base is None or self.options.spec != "whatwg" or not reference.isascii():
            return None
        plain = plain_references(base, True)
        target = plain[1].target(reference.encode()) if plain is not None else None
        return target.decode() if target is not None else None

    def _decide_empty(self, role: str, base: str | None) -> Decision:
        """The decision about an empty reference. A hyperlink's target is the base, a form's the document or the base;
        other elements fetch nothing.

        URL standard; HTML §4.10.22.3 step 12; RFC 2396 §4.2.
        """
        follows_base = role in {"hyperlink", "base"} or (role == "form" and not self.resolver.empty_action_is_document)
        target = None
        if follows_base:
            target = self.resolver.resolve(base or None, "", self.query_encoding).target
            if role == "form" and not target:  # under rfc2396 the same-document reference has no URL
                target = without_fragment(base)
        elif role == "form":
            target = self._own_base or base
        leaves = self.options.base_element in REMOVED and self.fragments_leave_page
        wanted = (leaves and follows_base and role != "base") or self.options.fragments == "absolutize"
        return self._write(target, "", base) if wanted and target else Decision(target, base)

    def _decide_abbreviated(self, found: Found) -> Decision:
        """A reference without its scheme, in plain text (RFC 2396 Appendix F)."""
        from linkfix.text import complete  # only for plain text

        target = self.resolver.resolve(None, complete(found.reference) or found.reference).target
        problem = found.problem if target else "unresolvable"
        return Decision(target, None, problem, None if found.problem else target)


# Checks of a caller's arguments that need no document.

#: The fields of an envelope that are texts, and the caller's words for them.
_TEXTS = ("url", "charset", "identified_charset", "media_type", "default", "content_security_policy")
_WORDS = ("url", "charset", "charset", "media_type", "default_base", "content_security_policy")
_texts_of = itemgetter(*map(Envelope._fields.index, _TEXTS))


def _check_options(options: Options) -> None:
    """Raise InvalidOption and UnknownSpec for an invalid value of an option."""
    check("options", options, "Options")
    check_fields(options)
    checked = resolver_of(options)
    if len(_right) >= _KEPT:
        _right.clear()
    _right[id(options)] = (options, checked)


def check_arguments(envelope: Envelope, options: Options) -> None:
    """Raise the errors of `Document` for a caller's arguments: InvalidOption, UnknownSpec, UnknownCharset, and
    InvalidBase for a URL of the envelope that cannot be a base.
    """
    if id(options) not in _right:
        _check_options(options)
    texts = _texts_of(envelope)
    for value, word in zip(texts, _WORDS, strict=True):
        if value is not None and not isinstance(value, str):
            check(word, value, "str | None")
    url, charset, identified_charset, type_, default, _ = texts
    if url is not None:
        require_absolute(url, resolver_of(options))
    if default is not None:
        require_absolute(default, resolver_of(options))
    if charset is not None:
        lookup(charset)
    if identified_charset is not None:
        lookup(identified_charset)
    if type_ and type_.lower() not in DOCUMENT_KINDS:
        message = f"media type {type_!r}: linkfix reads {', '.join(DOCUMENT_KINDS)}"
        raise InvalidOption(message)


def validate(envelope: Envelope, options: Options) -> None:
    """Raise the errors that `Document` raises for a caller's arguments, without a document."""
    check_arguments(envelope, options)
    row_index(options)
