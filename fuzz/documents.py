"""Invariants of every document, one function each.

Each returns the observed violation, and None if it holds. Inputs that raise `LinkfixError`, a caller's mistake, are
left out before. Every other exception breaks the invariant that raises it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from html import unescape
from random import Random
from types import ModuleType
from typing import Any
from unittest.mock import patch
from urllib.parse import quote

from selectolax.lexbor import LexborHTMLParser

import linkfix
from fuzz.case import Case
from fuzz.growth import growth_beyond_linear
from fuzz.parsers import Fact, by_html5lib, by_lexbor, by_linkfix
from fuzz.twin import plain_twin
from linkfix.document.decide import Decider, resolver_of
from linkfix.document.relocation import UrlMoves, relative_to
from linkfix.html import sniff
from linkfix.html.vocabulary import HEADER_SYNTAXES
from linkfix.model import HEADER_TYPES
from linkfix.resolvers import RESOLVERS
from linkfix.schemes.uses import SPECIAL
from linkfix.urls import scheme_of, strip_url

__all__ = [
    "absolutizing_twice_changes_nothing",
    "compiled_and_plain_agree",
    "counts_are_of_what_was_written",
    "moved_links_have_the_new_targets",
    "new_urls_are_read_back",
    "only_bytes_of_links_change",
    "parsers_find_the_same_links",
    "quick_and_slow_ways_agree",
    "relative_links_have_the_same_targets",
    "resolver_gives_the_targets",
    "spans_hold_the_references",
    "str_and_bytes_agree",
    "targets_stay",
    "tree_and_bytes_agree",
    "work_grows_with_the_input",
]

Facts = Counter[tuple[str, str, str, str | None]]

#: Syntaxes that write a reference as it is, except for character references.
_VERBATIM = frozenset({"url", "local-url", "refresh", "space-list", "comma-list", "srcset"})
#: The beginning and the end of an empty value: writing adds quotation marks, and a missing "=". In a srcdoc document,
#: the marks are character references if the document itself has such marks around it.
_EMPTY_START = re.compile(rb"""[\t\n\f\r ]*=?[\t\n\f\r ]*(?:["']|&(?:amp;)*(?:quot|#34|#39);)?\Z""")
_EMPTY_END = re.compile(rb"""\A(?:["']|&(?:amp;)*(?:quot|#34|#39);)?""")
#: The text that can come before and after a URL in a header field: a fold, a quotation mark.
_AROUND_IN_HEADERS = re.compile(rb'\r?\n \Z|\A"|"\Z')
#: XML §3.3.3: white space in an attribute's value is read as spaces.
_TO_SPACES = str.maketrans("\t\n\r", "   ")
#: A character reference without its semicolon. It gets one if the new URL would fuse with it. A srcdoc document can
#: write it in many ways.
_UNFINISHED = re.compile(rb"&(?:#[0-9]+|#[xX][0-9A-Fa-f]+|[A-Za-z]+[0-9]*)\Z")


def _differ(one: Iterable[Any], other: Iterable[Any], names: tuple[str, str]) -> str | None:
    """The first difference of two sequences."""
    ones, others = list(one), list(other)
    for number, (left, right) in enumerate(zip(ones, others, strict=False)):
        if left != right:
            return f"number {number}: {names[0]} {left!r}, {names[1]} {right!r}"
    if len(ones) != len(others):
        more = (ones, others)[len(others) > len(ones)][min(len(ones), len(others)) :]
        return f"{names[0]} {len(ones)}, {names[1]} {len(others)}; more: {more[:3]!r}"
    return None


def _rewrites_in_place(case: Case) -> bool:
    """Whether BASE elements stay, so that the number of links stays."""
    return case.options.get("base_element") in {None, "keep"}


def absolutizing_twice_changes_nothing(case: Case) -> str | None:
    """A converted document, converted again, is the same."""
    if not _rewrites_in_place(case) and any(problem.code == "unresolvable" for problem in case.conversion.problems):
        return None  # without the BASE that made it so, a reference that stayed has a meaning
    again = case.converted.conversion.data
    once = case.conversion.data
    return None if again == once else f"once {once!r}, twice {again!r}"


def only_bytes_of_links_change(case: Case) -> str | None:
    """The bytes between the links are the same before and after."""
    if not _rewrites_in_place(case) or case.left_alone or case.becomes_binary:
        return None
    before, after = _between(case), _between(case.converted)
    if len(before) != len(after):
        return f"{len(before) - 1} links, {len(after) - 1} afterwards: {case.conversion.data!r}"
    has_srcdoc = b"srcdoc" in _ascii_compatible(case, case.data).lower()
    for number, (old, new) in enumerate(zip(before, after, strict=True)):
        bare_old, bare_new = old, new
        if number and _is_empty(case.links[number - 1]):
            bare_old, bare_new = _EMPTY_END.sub(b"", old), _EMPTY_END.sub(b"", new)
        if number < len(case.links) and _is_empty(case.links[number]):
            bare_old, bare_new = _EMPTY_START.sub(b"", bare_old), _EMPTY_START.sub(b"", bare_new)
        if case.type_ in HEADER_TYPES:
            bare_old, bare_new = (_AROUND_IN_HEADERS.sub(b"", piece) for piece in (bare_old, bare_new))
        if bare_old == bare_new or any(
            one == other + b";" and (_UNFINISHED.search(other) or has_srcdoc)
            for other, one in ((old, new), (bare_old, bare_new))
        ):
            continue
        if case.document().kind == "xml" and _is_around_whole_values(case, number, bare_old, bare_new):
            continue
        return f"piece {number}: {old!r} became {new!r}"
    return None


def _is_around_whole_values(case: Case, number: int, old: bytes, new: bytes) -> bool:
    """Whether a piece has more of a value: in XML, a reference in a value with entities has all of it as its span."""
    behind, _, ahead = new.partition(old)
    ends = [case.data[link.start : link.end] for link in case.links[max(0, number - 1) : number + 1]]
    values = [unescape(value.decode("latin-1")).translate(_TO_SPACES) if b"&" in value else "" for value in ends]
    rests = [unescape(rest.decode("latin-1")) for rest in (behind, ahead)]
    before = values[0] if number else ""
    after = values[-1] if number < len(case.links) else ""
    return old in new and before.endswith(rests[0]) and after.startswith(rests[1])


def _is_empty(link: linkfix.Link) -> bool:
    return not link.end - link.start


def _between(case: Case) -> list[bytes]:
    pieces, done = [], 0
    for link in case.links:
        pieces.append(_ascii_compatible(case, case.data[done : link.start]))
        done = link.end
    return [*pieces, _ascii_compatible(case, case.data[done:])]


def _ascii_compatible(case: Case, data: bytes) -> bytes:
    """Bytes of a document; of one in UTF-16, in UTF-8."""
    encoding = case.document().encoding
    if not encoding.name.startswith("utf-16"):
        return data
    return encoding.decode(data).encode("utf-8", "surrogatepass")


def spans_hold_the_references(case: Case) -> str | None:
    """A link's span is in the document, after the span before it, and its bytes decode to the reference."""
    done = 0
    encoding = case.document().encoding
    for link in case.links:
        if not done <= link.start <= link.end <= len(case.data):
            return f"{link} begins before {done} or ends after {len(case.data)}"
        done = link.end
        raw = case.data[link.start : link.end]
        is_plain = case.type_ == "text/html" and encoding.ascii_compatible and not set(raw) & set(b"&\\\0")
        if is_plain and link.syntax in _VERBATIM and link.problem != "undecodable":
            text = encoding.decode(raw)
            if text != link.reference and "\ufffd" not in text:
                return f"{link} is at {raw!r}"
    return None


#: Syntaxes with no other way to write their delimiters.
_PERCENT_ENCODED = {"refresh", "comma-list", *HEADER_SYNTAXES}
#: The characters that are percent-encoded in a header, and the end of an encoded-word.
_UNSAFE_IN_HEADERS = re.compile(r'[\x00-\x20"<>\\\x7f-\U0010ffff]|\?(?==)')


def _percent_encoded(url: str, syntax: str) -> str:
    if syntax in HEADER_SYNTAXES:
        return _UNSAFE_IN_HEADERS.sub(lambda one: quote(one[0], safe="", errors="replace"), url)
    return url.replace("'", "%27").replace('"', "%22").replace(",", "%2C")


def targets_stay(case: Case) -> str | None:
    """Each link has the same target afterwards."""
    if not _rewrites_in_place(case) or case.left_alone or case.options.get("normalize"):
        return None
    for before, after in zip(case.links, case.converted.links, strict=False):
        if before.target is not None and before.problem is None and before.role != "base":
            wanted, new = before.target, after.target or ""
            if before.syntax in _PERCENT_ENCODED:
                wanted, new = _percent_encoded(wanted, before.syntax), _percent_encoded(new, before.syntax)
            if new != wanted:
                return f"{before.reference!r} meant {before.target!r}; it is {after.reference!r} now, and means {new!r}"
    return None


def relative_links_have_the_same_targets(case: Case) -> str | None:
    """Each link has the same target after `relativize`, without BASE."""
    if _is_no_web_page(case):
        return None
    made = case.document(locate=relative_to(str(case.url)), base_element="drop-href").convert()
    return _lost_target(case, case.with_data(made.data), lambda target: target)


#: The new URL of the host of an input.
_NEW = "https://new.example/in/a/folder/"


def moved_links_have_the_new_targets(case: Case) -> str | None:
    """Each link has the new URL of its target after `move`."""
    is_written = case.type_ not in {"text/javascript", "text/plain", *HEADER_TYPES}
    if (
        not is_written
        or _is_no_web_page(case)
        or not _rewrites_in_place(case)
        or b"security-policy" in case.data.lower()
    ):
        return None
    url = str(RESOLVERS["whatwg"].resolve(None, str(case.url)).target)
    move = UrlMoves({"/".join(url.split("/")[:3]).partition("?")[0].partition("#")[0]: _NEW})
    made = case.document(move=move).convert()
    return _lost_target(case, replace(case.with_data(made.data), url=move(url)), move)


def _is_no_web_page(case: Case) -> bool:
    """Whether an input has no http or https URL, or cannot be written."""
    url = RESOLVERS["whatwg"].resolve(None, case.url).target if case.url else None
    is_web = url is not None and url.startswith(("http://", "https://")) and "@" not in url
    other = {"normalize", "keep", "spec", "content_security_policy"} & case.options.keys()
    return not is_web or bool(other) or case.left_alone or case.becomes_binary


def _lost_target(case: Case, after: Case, wanted: Callable[[str], str]) -> str | None:
    """The first link whose target is not `wanted` of the old one."""
    if after.left_alone:
        return None
    links = [link for link in after.links if link.role != "base"]
    for before, new in zip((link for link in case.links if link.role != "base"), links, strict=False):
        if before.target is None or before.problem is not None or not before.reference:
            continue
        target, found = wanted(before.target), new.target or ""
        if before.syntax in _PERCENT_ENCODED:
            target, found = _percent_encoded(target, before.syntax), _percent_encoded(found, before.syntax)
        if found != target:
            return f"{before.reference!r} should mean {target!r}; it is {new.reference!r} now, and means {found!r}"
    return None


#: Characters that a syntax might take for its own; no quotation marks, white space and commas, which some escape.
_AWKWARD = "https://new.example/a;b/?c&copy=1&lt;x&amp;quot;&notit=\\x(é中)#d&reg"


def new_urls_are_read_back(case: Case) -> str | None:
    """A URL written in the place of a reference is read there afterwards."""
    if case.left_alone:
        return None
    document = case.document()
    wanted: list[str] = []

    def replaced(_link: linkfix.Link) -> str:
        url = f"{_AWKWARD}{len(wanted)}"
        if case.type_ in {"text/plain", "text/x-robots", "text/javascript", *HEADER_TYPES}:
            url = f"https://new.example/{len(wanted)}.js"
        elif not document.encoding.ascii_compatible or document.encoding.name in {"gb18030", "x-user-defined"}:
            url = url.replace("é中", "")  # an encoding that cannot write them, or writes them in two ways
        wanted.append(url)
        return url

    written = document.rewrite(replaced)
    after = case.with_data(written)
    if after.left_alone and b"\0" in case.data:
        return None  # shorter URLs let a NUL byte be among the first ones, by which a file is no text
    if document.encoding.source == "meta" and after.document().encoding.name != document.encoding.name:
        return None  # longer URLs push the declaration behind the bytes that are searched for it
    found = [link.reference for link in after.links]
    difference = _differ(wanted, found, ("written", "read"))
    return difference and f"{difference} in {written!r}"


def counts_are_of_what_was_written(case: Case) -> str | None:
    """`links` is the number of links, and `rewritten` that of the references that differ afterwards."""
    if (
        not _rewrites_in_place(case)
        or case.left_alone
        or case.becomes_binary
        or (case.type_ == "text/plain" and not case.options.get("plain_text"))
        or (case.type_ in HEADER_TYPES and not case.options.get("header_fields"))
    ):
        return None
    conversion = case.conversion
    if conversion.links != len(case.links):
        return f"links={conversion.links}, and there are {len(case.links)}"
    pairs = zip(case.links, case.converted.links, strict=False)
    changed = sum(before.reference != after.reference for before, after in pairs)
    return None if changed == conversion.rewritten else f"rewritten={conversion.rewritten}, and {changed} differ"


def compiled_and_plain_agree(case: Case) -> str | None:
    """The plain twin finds and writes the same."""
    twin = plain_twin()
    if twin is None:
        return None

    def outcome(package: ModuleType) -> tuple[list[Any], bytes]:
        document = package.Document(case.data, **case.fields)
        conversion = document.convert()
        facts = [
            str(conversion.base),
            conversion.links,
            conversion.rewritten,
            conversion.encoding,
            *conversion.problems,
        ]
        return facts + document.links, conversion.data

    compiled, compiled_data = outcome(linkfix)
    plain, plain_data = twin.call(outcome, twin.linkfix)
    if compiled_data != plain_data:
        return f"compiled {compiled_data!r}, plain {plain_data!r}"
    return _differ(compiled, plain, ("compiled", "plain"))


def str_and_bytes_agree(case: Case) -> str | None:
    """A str is converted like its bytes in UTF-8."""
    if case.charset != "utf-8":
        return None
    try:
        text = case.data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    if case.left_alone or text.startswith("\ufeff") or case.type_ != "text/html":
        return None
    made = linkfix.Document(text, **case.fields)
    difference = _differ(
        ((link.reference, link.target, link.line, link.column) for link in made.links),
        ((link.reference, link.target, link.line, link.column) for link in case.links),
        ("str", "bytes"),
    )
    if difference:
        return difference
    one, other = made.convert().data.encode("utf-8", "surrogatepass"), case.conversion.data
    return None if one == other else f"str {one!r}, bytes {other!r}"


def quick_and_slow_ways_agree(case: Case) -> str | None:
    """Without plain references, each reference is decided: the same references come out.

    The links equal the links that `rewrite` shows one by one.
    """
    shown: list[linkfix.Link] = []
    case.document().rewrite(shown.append)
    if shown != case.links:
        return _differ(case.links, shown, ("links", "rewrite"))
    if case.left_alone:
        return None
    with patch.object(Decider, "plain", lambda *_, **__: (None, None)):
        slow = case.document().convert()
    quick = case.conversion
    if (quick.links, quick.rewritten, quick.problems) != (slow.links, slow.rewritten, slow.problems):
        return f"quick {quick!r}, slow {slow!r}"
    if quick.data == slow.data:
        return None  # they may differ, except for the escaping
    ones, others = ([link.reference for link in case.with_data(one.data).links] for one in (quick, slow))
    return _differ(ones, others, ("quick", "slow"))


#: Syntaxes whose queries are in UTF-8 in every document; and the documents in which other queries are not.
_IN_UTF_8 = frozenset(
    {
        *("css", "webmanifest", "robots", "javascript", "source-map", "css-source-map"),
        *("importmap", "speculationrules", "json-ld", *HEADER_SYNTAXES),
    }
)
_PAGES = frozenset({"text/html", "application/xhtml+xml", "image/svg+xml"})
#: The syntaxes of module specifiers: one with a scheme is parsed without a base.
_MODULES = frozenset({"importmap", "javascript"})


def resolver_gives_the_targets(case: Case) -> str | None:
    """A link's target equals the resolver's result for its reference and base."""
    document = case.document()
    resolver = resolver_of(document.options)
    name = document.encoding.name
    for link in case.links:
        if link.problem is not None or not link.reference or link.base is None or link.syntax == "text":
            continue
        if not link.reference.isascii() and (
            link.syntax in _IN_UTF_8 or (case.type_ not in _PAGES and name != "utf-8")
        ):
            continue  # so queries in style attributes and in feeds are
        if link.role == "module" and link.target is None:
            continue  # a name, which means nothing without an import map
        if link.syntax == "header-absolute-url" and link.target is None:
            continue  # a relative one, which means nothing
        if link.syntax in _MODULES and scheme_of(strip_url(link.reference)) in SPECIAL:
            continue  # a prefix of a scope takes the base, other specifiers with a scheme do not
        if b"srcdoc" in case.data.lower() and not link.reference.isascii():
            continue  # and so do the links of srcdoc documents
        if link.reference.startswith("data:"):
            continue  # it may be megabytes: whatever it holds, it is taken as it is
        expected = resolver.resolve(link.base, link.reference, name).target
        if link.target != expected:
            return f"{link} but the resolver gives {expected!r}"
    return None


# Elements whose start tags a tree builder often ignores, or in which it ignores other start tags.
_OFTEN_IGNORED = frozenset(
    {"base", "body", "caption", "col", "colgroup", "form", "frame", "frameset", "head", "html", "isindex", "image"}
    | {"table", "tbody", "td", "tfoot", "th", "thead", "tr", "input"}
)
_IGNORES_TAGS = re.compile(rb"<(?:select|frameset|colgroup|template|table|frame)", re.IGNORECASE)
_IGNORES_FOREIGN_TAGS = re.compile(rb"<(?:select|frameset)", re.IGNORECASE)


def _in_utf8(case: Case) -> bytes:
    """The document in UTF-8, so that every parser decodes it alike."""
    encoding = sniff(case.data, transport=case.charset)
    text = encoding.decode(case.data[encoding.bom :])
    return text.replace("\r\n", "\n").replace("\r", "\n").encode("utf-8", "replace").removeprefix(b"\xef\xbb\xbf")


def parsers_find_the_same_links(case: Case) -> str | None:
    """URL attributes equal those on which lexbor and html5lib agree; also in the converted document."""
    if case.type_ != "text/html":
        return None
    for made in (case, case.converted):
        data = _in_utf8(made)
        if _IGNORES_FOREIGN_TAGS.search(data):
            continue  # links that a tree builder ignores there are not followed
        ours, lexbors = by_linkfix(data), by_lexbor(data)
        missing, extra = lexbors - ours, ours - lexbors
        if _IGNORES_TAGS.search(data):
            extra = set()
        extra = {fact for fact in extra if fact[1] not in _OFTEN_IGNORED}
        if not missing and not extra:
            continue
        html5libs = by_html5lib(data)
        if html5libs is None:
            continue
        missing, extra = missing & html5libs, extra - html5libs
        if missing or extra:
            return f"missing {sorted(missing)}, extra {sorted(extra)} in {data!r}"
    return None


def tree_and_bytes_agree(case: Case) -> str | None:
    """A tree of lexbor gets the links that its own serialization has, and is written as that is converted."""
    if case.type_ != "text/html" or not _rewrites_in_place(case) or case.options.get("anchors"):
        return None
    html = LexborHTMLParser(_in_utf8(case)).html
    tree = LexborHTMLParser(html or "")
    if not html or tree.html != html:
        return None  # it does not survive being written and read
    if case.options.get("scripting") == "on" and "<noscript" in html:
        return None  # lexbor reads it as where scripts are off
    if case.options.get("conditional_comments") and "<!--[if" in html.lower():
        return None  # trees leave comments alone
    fields = case.fields | {"charset": None, "media_type": None}
    document = linkfix.Document(html, **fields)
    facts = _facts(document.links)
    found = _facts(linkfix.absolutize_tree(tree, **fields))
    if found != facts:
        return f"only the tree {dict(found - facts)}, only the bytes {dict(facts - found)} in {html!r}"
    # By their facts: selectolax puts an attribute that it sets before one with a name like ":href".
    made, written = _meant(by_lexbor((tree.html or "").encode())), _meant(by_lexbor(document.absolutize().encode()))
    return None if made == written else f"only the tree {made - written}, only the bytes {written - made}"


def _meant(facts: Iterable[Fact]) -> set[Fact]:
    """Facts with srcdoc documents as lexbor writes them: the quick way of references escapes more than it has to."""
    return {(*fact[:3], _rewritten(fact[3]) if fact[2] == "srcdoc" else fact[3]) for fact in facts}


def _rewritten(srcdoc: str) -> str:
    """A srcdoc document, and those in it, as lexbor writes them."""
    tree = LexborHTMLParser(srcdoc)
    for frame in tree.css("[srcdoc]"):
        frame.attrs["srcdoc"] = _rewritten(frame.attributes["srcdoc"] or "")
    return tree.html or ""


def _facts(links: Iterable[linkfix.Link]) -> Facts:
    return Counter((link.element, link.attribute, link.reference, link.target) for link in links)


def work_grows_with_the_input(case: Case) -> str | None:
    """A document with a repeated part takes time in proportion to its length."""
    random = Random(case.data)
    data = case.data
    start = random.randrange(len(data) + 1)
    end = min(len(data), start + random.choice((1, 2, 5, 10, 40, 1000)))
    if random.random() < 0.3:
        start, end = 0, len(data)
    head, piece, tail = data[:start], data[start:end] or b"&", data[end:]

    def convert(repeated: bytes) -> object:
        return case.with_data(repeated).document().convert()

    growth = growth_beyond_linear(lambda count: head + piece * count + tail, convert)
    return growth and f"{growth}: {head!r}, then {piece!r} many times, then {tail!r}"


#: The kind of a function of this module, for the table.
Check = Callable[[Case], str | None]
