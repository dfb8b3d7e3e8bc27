"""How a reference reads: as a URL of a scheme, as a path, or as something else that was meant.

There is one reading for each reference. Rules about schemes and about what is mistaken for one report one reading
each, so that one fault is reported once.
"""

from __future__ import annotations

import enum
import re
from functools import lru_cache
from typing import NamedTuple

from linkfix.audit.rule import Place, PlaceKind, Seen
from linkfix.audit.schemes import given_up, is_known
from linkfix.edit_distance import distance
from linkfix.html.syntaxes.url import PLACEHOLDER
from linkfix.model import Link
from linkfix.resolvers import RESOLVERS
from linkfix.schemes.uses import SPECIAL, WITHOUT_HIERARCHY
from linkfix.urls import SCHEME, strip_url

__all__ = [
    "CLAIMED",
    "Reading",
    "ReadingKind",
    "Slashless",
    "is_path",
    "is_placeholder",
    "reading",
    "same_target",
    "slashless",
    "special_scheme",
    "would_be",
]

_WHATWG = RESOLVERS["whatwg"]
_SCHEME_AND_COLON = re.compile(rf"({SCHEME}):")
#: How much of a reference is looked at to read it, in characters; the rest of longer ones tells no more.
_HEAD = 4096


class ReadingKind(enum.Enum):
    """What a reference is, or was meant to be."""

    PATH = "relative, and nothing else was meant"
    SCHEME = "absolute, with a scheme in use"
    GIVEN_UP = "absolute, with a scheme that is historical or that no browser follows"
    SLASHED = "absolute, with slashes after a scheme that has no use for them"
    MISSPELT = "the scheme, or what separates it, is misspelt"
    DRIVE = "a drive of one computer is read as a scheme"
    HOST_PORT = "a host with a port is read as a scheme"
    COLON = "the name of a file has a colon"
    ABBREVIATED = "a host is read as the name of a file"
    MAIL = "a mail address is read as the name of a file"
    UNKNOWN = "absolute, with a scheme that is not known"


class Reading(NamedTuple):
    """`scheme`: lower case, as browsers see it, "" for none. `mended`: what was meant, where that can be told."""

    kind: ReadingKind
    scheme: str = ""
    mended: str | None = None


class Slashless(NamedTuple):
    """A reference `scheme:rest` that ought to have a host and has not. `same_scheme`: as the base's. `is_host`: what
    `rest` begins with looks like one.
    """

    scheme: str
    rest: str
    same_scheme: bool
    is_host: bool


#: Readings that explain why there is no such file: their rules report it, and no other has to.
CLAIMED = frozenset({ReadingKind.MISSPELT, ReadingKind.ABBREVIATED, ReadingKind.MAIL})

_PATH = Reading(ReadingKind.PATH)


def special_scheme(link: Link) -> str:
    """The scheme of the target, where the reference has slashes, a query and so on by the rules of special schemes.

    It is the reference's own or the base's; "" where the scheme is not special or there is none.
    """
    match = _SCHEME_AND_COLON.match(strip_url(link.reference[:_HEAD])) or _SCHEME_AND_COLON.match(link.base or "")
    scheme = match[1].lower() if match else ""
    return scheme if scheme in SPECIAL else ""


def is_path(link: Link) -> bool:
    """Whether a reference is a relative one with a path, or a query: no scheme, no host, not only a fragment."""
    text = strip_url(link.reference[:_HEAD])
    slashes = text[:2].replace("\\", "/")
    return bool(text) and not _SCHEME_AND_COLON.match(text) and slashes != "//" and not text.startswith("#")


def is_placeholder(link: Link) -> bool:
    """Whether a reference has a template's placeholder in it."""
    return PLACEHOLDER.search(link.reference) is not None


def same_target(seen: Seen, reference: str) -> bool:
    """Whether browsers go to the same place when `reference` stands in the place of the one that is there."""
    return (
        seen.link.target is not None
        and _WHATWG.resolve(seen.link.base, reference, seen.page.document.encoding.name).target == seen.link.target
    )


def slashless(link: Link) -> Slashless | None:
    """What a reference is that has a scheme with hosts and fewer than two slashes after it; None where it is none."""
    text = strip_url(link.reference[:_HEAD])
    match = _SCHEME_AND_COLON.match(text)
    scheme = match[1].lower() if match else ""
    if match is None or scheme not in SPECIAL or scheme == "file" or link.problem is not None:
        return None
    rest = strip_url(link.reference)[match.end() :]
    if len(rest) - len(rest.lstrip("/\\")) >= len("//"):
        return None
    host, slash, _ = rest.lstrip("/\\").partition("/")
    same = (link.base or "").startswith(f"{scheme}:")
    return Slashless(scheme, rest, same, _is_host(host, slash=bool(slash)))


def would_be(seen: Seen, reference: str) -> Place:
    """What another reference in the same place would lead to."""
    return seen.page.site.place(_WHATWG.resolve(seen.link.base, reference, seen.page.document.encoding.name).target)


@lru_cache(maxsize=1)  # several rules ask about one reference in turn
def reading(seen: Seen) -> Reading:
    """The reading of a reference."""
    link = seen.link
    text = strip_url(link.reference[:_HEAD])
    if not text or text[0] in "#?" or link.problem == "template-syntax" or text[:5].lower() == "data:":
        return _PATH
    whole = strip_url(link.reference)
    if seen.place.kind is not PlaceKind.FILE:
        mended = _mended(whole)
        if mended is not None:
            return Reading(ReadingKind.MISSPELT, mended=mended)
    match = _SCHEME_AND_COLON.match(text)
    if match is None:
        return _relative(seen, whole)
    scheme, rest = match[1].lower(), whole[match.end() :]
    if is_known(scheme):
        return _known(seen, scheme, whole, rest)
    return _unknown(seen, scheme, whole, rest)


def _known(seen: Seen, scheme: str, text: str, rest: str) -> Reading:
    # Wikis have files such as "File:a.png", and the registry has schemes with such names.
    a_file = scheme not in SPECIAL or (scheme == "file" and rest[:1] not in {"/", "\\"})
    if a_file and _in_tree(seen, f"./{text}"):
        return Reading(ReadingKind.COLON, scheme, f"./{text}")
    if given_up(scheme):
        return Reading(ReadingKind.GIVEN_UP, scheme)
    if scheme in WITHOUT_HIERARCHY and rest.startswith("//"):
        return Reading(ReadingKind.SLASHED, scheme, text[: len(scheme) + 1] + rest.lstrip("/"))
    return Reading(ReadingKind.SCHEME, scheme)


def _unknown(seen: Seen, scheme: str, text: str, rest: str) -> Reading:
    if _in_tree(seen, f"./{text}"):
        return Reading(ReadingKind.COLON, scheme, f"./{text}")
    if len(scheme) == 1:
        return Reading(ReadingKind.DRIVE, scheme)
    corrected = _corrected(scheme, rest)
    if corrected is not None:
        return Reading(ReadingKind.MISSPELT, scheme, f"{corrected}:{rest}")
    suffix = scheme.rpartition(".")[2] if "." in scheme else ""
    if suffix not in _SUFFIXES and _is_host_port(scheme, rest):
        return Reading(ReadingKind.HOST_PORT, scheme, f"http://{text}")
    if suffix in _SUFFIXES or _FILE_NAME.fullmatch(rest):
        return Reading(ReadingKind.COLON, scheme, f"./{text}")
    return Reading(ReadingKind.UNKNOWN, scheme)


def _relative(seen: Seen, text: str) -> Reading:
    first = _SEGMENT_END.split(text, maxsplit=1)[0]
    if ":" in first and not (_is_host(first.partition(":")[0], slash=True) and seen.place.kind is PlaceKind.MISSING):
        return Reading(ReadingKind.COLON, "", f"./{text}")
    if seen.place.kind is not PlaceKind.MISSING:
        return _PATH
    if seen.link.role == "hyperlink" or seen.link.element == "link":  # rel=author, and rev=made of old
        mail = _MAIL.fullmatch(text)
        if mail and mail[1].rpartition(".")[2].lower() not in _SUFFIXES:
            return Reading(ReadingKind.MAIL, "", f"mailto:{text}")
    bare = text.removeprefix("/")
    host, slash, _ = bare.partition("/")
    if _is_host(_SEGMENT_END.split(host, maxsplit=1)[0].partition(":")[0], slash=bool(slash)):
        return Reading(ReadingKind.ABBREVIATED, "", f"https://{bare}")
    return _PATH


def _in_tree(seen: Seen, reference: str) -> bool:
    return would_be(seen, reference).kind is PlaceKind.FILE


# Misspellings

_QUOTES = "\"'`´“”„‟‘’‚‛«»‹›″′"
#: What was meant -> how it is mistaken: quotation marks of a word processor inside HTML's own; a scheme before a
#: scheme; another separator than "://".
_QUOTED = re.compile(
    rf"[{_QUOTES}]+\s*((?:https?|ftp)://[^{_QUOTES}]*|mailto:[^{_QUOTES}]*)[{_QUOTES}]*", re.IGNORECASE
)
_DOUBLED = re.compile(r"(?:(?:https?|ftp):/{0,3}|//)(https?|ftp):?//(.*)", re.IGNORECASE | re.DOTALL)
_SEPARATOR = re.compile(r"(https?|ftp)(?!://[^/\\])([;:,./ ]{0,3}//+)(?=[^/\\?#])(.*)", re.IGNORECASE | re.DOTALL)

#: Slips that are not near enough to tell by their letters. The rest of the reference has to fit.
_SLIPS = {
    **dict.fromkeys(("fpt", "ftpp", "fttp", "tfp"), "ftp"),
    **dict.fromkeys(("e-mail", "email", "mail"), "mailto"),
    **dict.fromkeys(("fon", "phone", "telefon", "telephone"), "tel"),
}
#: Scheme -> what follows the colon.
_FITS = {
    "https": re.compile(r"//[^/].*", re.DOTALL),
    "http": re.compile(r"//[^/].*", re.DOTALL),
    "ftp": re.compile(r"//[^/].*", re.DOTALL),
    "mailto": re.compile(r"[^@/]+@.*", re.DOTALL),
    "tel": re.compile(r"\+?[0-9][0-9() .\-]{4,}"),
    "javascript": re.compile(r".*[();].*", re.DOTALL),
}


def _mended(text: str) -> str | None:
    """What was meant by a reference whose scheme is right and stands or is separated wrongly."""
    quoted = _QUOTED.fullmatch(text)
    if quoted:
        return quoted[1].rstrip()
    match = _DOUBLED.fullmatch(text) or _SEPARATOR.fullmatch(text)
    return f"{match[1].lower()}://{match[match.lastindex or 0]}" if match else None


#: How many slips there may be in a scheme's name: short names are near to too many others.
_MOST_SLIPS = {"http": 2, "https": 2, "mailto": 2, "javascript": 2}


def _corrected(scheme: str, rest: str) -> str | None:
    """The scheme that was meant by one that is not known: the nearest of those that the rest fits."""
    slip = _SLIPS.get(scheme)
    near = [(0, slip)] if slip else []
    for intended, most in _MOST_SLIPS.items():
        # What is two slips from http: and begins otherwise is often another scheme: smtp:, ntp:.
        most_here = most if scheme[0] == intended[0] else most - 1
        slips = distance(scheme, intended, most_here)
        if slips <= most_here:
            near.append((slips, intended))
    return next((intended for _, intended in sorted(near) if _FITS[intended].fullmatch(rest)), None)


# Hosts, files, and mail addresses


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SEGMENT_END = re.compile(r"[/\\?#]")
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?", re.IGNORECASE)
_PORT = re.compile(r"[0-9]{1,5}(?=[/?#]|\Z)")
_FILE_NAME = re.compile(
    r"[^/?#:]+\.(?:x?html?|php|pdf|png|jpe?g|gif|svg|webp|css|m?js|txt|xml|md)(?:[?#].*)?", re.DOTALL
)
#: HTML §4.10.5.1.5 without the characters that hardly any address has and paths do.
_MAIL = re.compile(
    r"[A-Za-z0-9._+'\-]+@((?:[A-Za-z0-9](?:[A-Za-z0-9\-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63})(?:\?[^#]*)?"
)

#: Ends of files' names that could be taken for the end of a host's.
_SUFFIXES = _words(
    """
    asp aspx avif bz2 cgi css csv gif gz htm html ico jpeg jpg js jsp json md mjs mp3 mp4 pdf php pl png ps py rb rs
    rst sh shtml svg tar tgz txt ttf webm webp woff woff2 xhtml xml xz zip
    """
)
#: The same word ends the names of modules and packages too: a "/" has to follow, or a third label to come before.
_TOP_LEVELS = _words("biz co de dev eu fr info io jp net nl ru se uk us")
_CERTAIN_TOP_LEVELS = frozenset({"com", "edu", "gov", "org"})
#: First labels of Java's packages and .NET's namespaces, which are turned round.
_TURNED_ROUND = frozenset({"com", "edu", "io", "java", "javax", "microsoft", "net", "org", "sun", "system"})


def _is_host(text: str, *, slash: bool) -> bool:
    """Whether the first segment of a path looks like a host (RFC 2396 Appendix F). `slash`: another one follows."""
    labels = text.lower().split(".")
    if len(labels) < 2 or not all(map(_LABEL.fullmatch, labels)) or not _SUFFIXES.isdisjoint(labels):  # noqa: PLR2004
        return False
    if labels[0] == "www":
        return len(labels) > 2 and labels[-1].isalpha()  # noqa: PLR2004
    if labels[0] in _TURNED_ROUND:
        return False
    return labels[-1] in _CERTAIN_TOP_LEVELS or (labels[-1] in _TOP_LEVELS and (slash or len(labels) > 2))  # noqa: PLR2004


def _is_host_port(host: str, rest: str) -> bool:
    """Whether what is read as a scheme looks like a host with a port after it."""
    port = _PORT.match(rest)
    if port is None or not all(map(_LABEL.fullmatch, host.split("."))):
        return False
    return host == "localhost" or "." in host or (len(port[0]) > 1 and rest[port.end() :].startswith("/"))
