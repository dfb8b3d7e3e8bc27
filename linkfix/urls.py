"""The text of URLs: stripping, the syntax of schemes, and the passwords that messages leave out."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator

from linkfix.lazy import lazy_pattern

#: The delimiter between a fragment and its directives (URL Fragment Text Directives §3.1).
DIRECTIVES = ":~:"

#: The characters that the URL parser strips from both ends (URL standard §4.4 step 1).
C0_CONTROL_OR_SPACE = "".join(map(chr, range(0x21)))

#: The characters that the URL parser removes everywhere (URL standard §4.4 step 3).
_NO_TAB_OR_NEWLINE = str.maketrans("", "", "\t\n\r")

#: An expression for a scheme (RFC 3986 §3.1; URL standard §4.3 "URL-scheme string"), without the colon.
SCHEME = r"[A-Za-z][A-Za-z0-9+.\-]*+"

_SCHEME_AND_COLON = lazy_pattern(rf"({SCHEME}):")

#: The special schemes (URL standard §4.2) without file:, whose URLs have no user information. After the colon, any
#: number of slashes or backslashes comes before the authority.
AUTHORITY_SCHEMES = ("https", "http", "wss", "ws", "ftp")

_REMOVED = "[\t\n\r]*"

#: An expression for a scheme of `AUTHORITY_SCHEMES` with its colon, and any characters that the URL parser removes.
SPECIAL_SCHEME = "(?:" + "|".join(_REMOVED.join(f"{scheme}:") for scheme in AUTHORITY_SCHEMES) + ")"

_CREDENTIALS = lazy_pattern(
    rf"\A([\x00-\x20]*(?:{SPECIAL_SCHEME}{_REMOVED}[/\\\t\n\r]*|[/\\]{_REMOVED}[/\\][/\\\t\n\r]*))[^/\\?#]*@"
    rf"|\A([\x00-\x20]*(?!{SPECIAL_SCHEME})[A-Za-z][A-Za-z0-9+.\-\t\n\r]*+:{_REMOVED}/{_REMOVED}/)[^/?#]*@",
    re.IGNORECASE,
)


def strip_url(text: str) -> str:
    r"""Strip a reference as the URL parser does (URL standard §4.4 steps 1 and 3).

    >>> strip_url(" java\tscript:x ")
    'javascript:x'
    """
    if text.isprintable() and text[:1] != " " and text[-1:] != " ":  # true of nearly all: nothing to strip
        return text
    return text.strip(C0_CONTROL_OR_SPACE).translate(_NO_TAB_OR_NEWLINE)


def scheme_of(text: str) -> str | None:
    """The scheme of a stripped reference, in lower case; None if the reference has no scheme.

    >>> scheme_of("HTTP:g"), scheme_of("a/b:c")
    ('http', None)
    """
    match = _SCHEME_AND_COLON.match(text)
    return match[1].lower() if match else None


def specifier_takes_base(specifier: str) -> bool:
    """Whether a module specifier that is a URL is parsed with a base; False for a scheme (HTML §8.1.6.2).

    >>> specifier_takes_base("../a.js"), specifier_takes_base("https:a.js")
    (True, False)
    """
    return specifier.startswith(("/", "./", "../"))


def without_credentials(url: str) -> str:
    """An absolute URL without its user name and password, which must not be logged, kept or passed on.

    >>> without_credentials("https://me:secret@example.com/x")
    'https://example.com/x'
    """
    return _CREDENTIALS.sub(r"\1\2", url) if "@" in url else url


def without_fragment(url: str | None) -> str | None:
    """A URL without its fragment; None if `url` is None or empty.

    >>> without_fragment("https://example.com/a?b#c")
    'https://example.com/a?b'
    """
    return url.partition("#")[0] if url else None


# Passwords in a text: finding the user information of URLs (RFC 3986 §3.2.1), and hiding the passwords in it.
#
# User information is found as the URL parser finds it (URL standard §4.4 "authority state"). It begins after slashes,
# or after a special scheme with any number of slashes. It ends at the last "@" before "/", "\", "?" or "#". Quotes,
# spaces and line ends are part of it. The password follows its first colon.
#
# In source code a URL may be escaped. So the search decodes escapes too: character references of HTML and XML, and
# backslash escapes of CSS, JSON, JavaScript, Markdown and Python's `repr`.


_SPECIAL_SCHEME = lazy_pattern(SPECIAL_SCHEME, re.IGNORECASE)

_SPECIAL_ENDS = tuple(f"{scheme}:" for scheme in AUTHORITY_SCHEMES)

_SLASHES = "/\\"

#: The length of the longest of these ends; and the size of the text before an authority that mostly contains one.
_LONGEST_END = max(map(len, _SPECIAL_ENDS))

_TAIL = 32

#: The characters that end an authority. In a URL whose scheme is not special, a backslash does not end it.
_DELIMITERS, _END = "/\\?#", lazy_pattern(r"[/\\?#]")

_OTHER_DELIMITERS, _OTHER_END = "/?#", lazy_pattern("[/?#]")

#: An "@", escaped or not. Most texts have none, and are not searched further.
_AT = lazy_pattern(r"@|&(?:amp;)*(?:commat;|#0*64(?![0-9])|#[xX]0*40(?![0-9A-Fa-f]))|\\(?:u\{?0*|x|0{0,4})40")

#: Character references: numeric references of all characters, and named references of URL delimiters and "&".
_REFERENCE = lazy_pattern(r"&(?:(?:#[0-9]+|#[xX][0-9A-Fa-f]+);?|(?:amp|colon|sol|bsol|commat|quest|num|Tab|NewLine);)")

_ESCAPE = lazy_pattern(
    r"\\(?:u\{([0-9A-Fa-f]{1,8})\}|u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|([0-9A-Fa-f]{1,6})[ \t\n\f]?"
    r"|([!-/:-@\[-`{-~])|[nrt])"
)

#: The number of nested levels of escapes that are decoded: srcdoc in a page, JSON in a script's string.
_DEPTH = 3


#: The possible first characters of a `data:` URL: from its scheme, or stripped by the URL standard's parser.
_DATA_BEGINNINGS = frozenset(["d", "D", *map(chr, range(0x21))])
#: The scheme and media type, without parameters. The two names of a media type have at most 127 characters each (RFC
#: 6838 §4.2).
_DATA = lazy_pattern(r"[\x00-\x20]*[Dd][Aa][Tt][Aa]:[^,;]{0,255}")


def cut_data_url(url: str) -> str:
    """Return the URL; a `data:` URL (RFC 2397) is cut before its parameters and its data.

    >>> cut_data_url("data:image/png;base64,AAAA"), cut_data_url("a.png")
    ('data:image/png', 'a.png')
    """
    cut = _DATA.match(url) if url[:1] in _DATA_BEGINNINGS else None
    return cut[0] if cut else url


def excerpt(text: str, length: int = 100) -> str:
    """Return the first `length` characters of a text from outside, for a message, without the passwords in it.

    >>> excerpt("https://me:secret@example.com/x", 16)
    'https://me:…@exa'
    """
    return hide_passwords(text)[:length]


def hide_passwords(text: str, *, everywhere: bool = False) -> str:
    """`text` with "…" for the password of each URL in it. Hide passwords before you cut a text.

    `everywhere`: also hide passwords if neither slashes nor a special scheme come before the user information.

    >>> hide_passwords("not found: https://me:secret@example.com/x")
    'not found: https://me:…@example.com/x'
    """
    spans = password_spans(text, everywhere=everywhere)
    if not spans:
        return text
    pieces: list[str] = []
    done = 0
    for start, end in spans:
        pieces += (text[done:start], "…")
        done = end
    return "".join((*pieces, text[done:]))


def may_have_passwords(text: str) -> bool:
    """Whether a text can contain a password: a quick test, False for most texts."""
    return "@" in text or "&" in text or "\\" in text


def password_spans(text: str, *, everywhere: bool = False) -> list[tuple[int, int]]:
    """The spans of the passwords in a text, in code points, ascending and disjoint. See `hide_passwords`."""
    if not may_have_passwords(text) or not _AT.search(text):
        return []
    spans = list(_spans(text, everywhere=everywhere))
    places: list[Callable[[int], int]] = []
    for pattern, meaning in (*((_REFERENCE, _referenced),) * _DEPTH, *((_ESCAPE, _escaped),) * _DEPTH):
        decoded = _decode(text, pattern, meaning)
        if decoded is None:
            continue
        text, place = decoded
        places.append(place)
        for start, end in _spans(text, everywhere=everywhere):
            for before in reversed(places):
                start, end = before(start), before(end)  # noqa: PLW2901 - from each decoded text to its source
            spans.append((start, end))
    return _apart(spans)


def _spans(text: str, *, everywhere: bool) -> Iterator[tuple[int, int]]:
    """The spans of the passwords of unescaped URLs in a text, in linear time."""
    for before, start, at in _before_at(text, _DELIMITERS, _END):
        user = start if everywhere else _user_information(text, before, start, at)
        colon = text.find(":", user, at) if user >= 0 else -1
        if 0 <= colon < at - 1:
            yield colon + 1, at
    if "\\" not in text:
        return
    for before, start, at in _before_at(text, _OTHER_DELIMITERS, _OTHER_END):
        slashes, scheme = _prefix(text, before, start)
        colon = text.find(":", start, at)
        if slashes >= 2 and scheme.endswith(":") and not scheme.endswith(_SPECIAL_ENDS) and 0 <= colon < at - 1:
            yield colon + 1, at


def _before_at(text: str, delimiters: str, end: re.Pattern[str]) -> Iterator[tuple[int, int, int]]:
    """Each segment between delimiters that contains "@": the start of the segment before it, its own start, and the
    offset of its last "@".
    """
    before = stop = 0
    while (at := text.find("@", stop)) >= 0:
        start = max(stop, *(text.rfind(mark, stop, at) + 1 for mark in delimiters))
        found = end.search(text, at)
        stop = found.start() if found else len(text)
        yield before, start, text.rfind("@", at, stop)
        before = start


def _user_information(text: str, before: int, start: int, at: int) -> int:
    """The start of the user information that ends at `at`; -1 if there is no user information."""
    slashes, scheme = _prefix(text, before, start)
    if slashes >= 2 or (slashes and scheme.endswith(_SPECIAL_ENDS)):
        return start
    found = _SPECIAL_SCHEME.search(text, start, at)
    return found.end() if found else -1


def _prefix(text: str, before: int, start: int) -> tuple[int, str]:
    """The number of slashes directly before `start`, and the end of the text before these slashes, in lower case."""
    for first in (max(start - _TAIL, before), before):
        head = text[first:start].translate(_NO_TAB_OR_NEWLINE)
        scheme = head.rstrip(_SLASHES)
        if len(scheme) >= _LONGEST_END:
            break
    return len(head) - len(scheme), scheme.lower()


def _decode(
    text: str, pattern: re.Pattern[str], meaning: Callable[[re.Match[str]], str]
) -> tuple[str, Callable[[int], int]] | None:
    """The decoded text, and a function that maps its offsets to offsets in `text`; None if `text` has no escapes."""
    pieces: list[str] = []
    starts, sources, exact = [], [], []  # for each piece: start in the result, start in `text`, is it unchanged
    length = done = 0
    for found in pattern.finditer(text):
        for piece, source, same in ((text[done : found.start()], done, True), (meaning(found), found.start(), False)):
            if piece:
                starts.append(length)
                sources.append(source)
                exact.append(same)
                pieces.append(piece)
                length += len(piece)
        done = found.end()
    if not done:
        return None
    starts.append(length)
    sources.append(done)
    exact.append(True)

    def place(offset: int) -> int:
        number = bisect_right(starts, offset) - 1
        return sources[number] + (offset - starts[number] if exact[number] else 0)

    return "".join((*pieces, text[done:])), place


def _referenced(found: re.Match[str]) -> str:
    """The decoded text of a character reference."""
    import html  # few texts need it

    return html.unescape(found[0])


def _escaped(found: re.Match[str]) -> str:
    """The decoded text of a backslash escape."""
    digits = found[1] or found[2] or found[3] or found[4]
    if digits:
        code = int(digits, 16)
        return chr(code) if code <= 0x10FFFF else "\N{REPLACEMENT CHARACTER}"
    return found[5] or "\n"


def _apart(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans in order; spans that touch or overlap are merged."""
    apart: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if apart and start <= apart[-1][1]:
            apart[-1] = apart[-1][0], max(end, apart[-1][1])
        else:
            apart.append((start, end))
    return apart
