"""RFC 3986, "Uniform Resource Identifier (URI): Generic Syntax" (January 2005), by its §5.2 and §6.2.2."""

from __future__ import annotations

import re
import string
from dataclasses import dataclass
from typing import ClassVar

from linkfix.model import Resolution, SameScheme
from linkfix.resolvers.common import (
    NO_BASE,
    UNRESOLVABLE,
    URI,
    is_scheme,
    lower_host,
    merge,
    recompose,
    separate_path,
    split,
    strip_reference,
)

_DOTS = frozenset({".", ".."})
_TRIPLET = re.compile(r"%[0-9A-Fa-f]{2}")
#: §2.3. Percent-encoded unreserved characters, with upper-case and lower-case digits -> the characters.
_UNRESERVED = {
    form: character
    for character in f"{string.ascii_letters}{string.digits}-._~"
    for form in (f"%{ord(character):02X}", f"%{ord(character):02x}")
}


@dataclass(frozen=True, slots=True)
class RFC3986:
    """The resolver `rfc3986`.

    >>> print(RFC3986().resolve("http://a/b/c/d;p?q", "../../../g"))
    http://a/g
    """

    name: ClassVar[str] = "rfc3986"
    choices: ClassVar[frozenset[str]] = frozenset({"same_scheme"})
    empty_base_allowed: ClassVar[bool] = False
    relative_base_allowed: ClassVar[bool] = True
    empty_action_is_document: ClassVar[bool] = False

    same_scheme: SameScheme = "absolute"
    """The meaning of `http:g` on an http base: "absolute" (a strict parser), or "relative" (the backward compatibility
    of §5.2.2 and §5.4.2).
    """

    def resolve(self, base: str | None, reference: str, encoding: str = "utf-8") -> Resolution:
        """Resolve a URI reference (§5.2.2).

        A reference is same-document if its target differs from the base at most in the fragment (§4.4).
        """
        uri = split(strip_reference(reference))
        base_uri = _UNKNOWN if not base else split(strip_reference(base))
        if self.same_scheme == "relative" and _lower(uri.scheme) == _lower(base_uri.scheme):  # not strict
            uri = uri._replace(scheme=None)
        if uri.scheme is None and base_uri.scheme is None:
            return NO_BASE if not base else UNRESOLVABLE
        target = _transform(base_uri, uri)
        return Resolution(recompose(target), same_document=target[:4] == base_uri[:4])

    def is_absolute_reference(self, reference: str) -> bool:
        """Whether `reference` has a scheme, and no base can make it relative (§5.2.2)."""
        uri = split(strip_reference(reference))
        return is_scheme(uri.scheme) and (self.same_scheme == "absolute" or uri.authority is not None)

    def is_absolute(self, url: str) -> bool:
        """Whether `url` is a URI, not a relative reference (§4.3, §5.1). Its fragment does not matter."""
        return is_scheme(split(strip_reference(url)).scheme)

    def normalize(self, url: str) -> str | None:
        """Apply syntax-based normalization (§6.2.2).

        >>> RFC3986().normalize("eXAMPLE://a/./b/../b/%63/%7bfoo%7d")
        'example://a/b/c/%7Bfoo%7D'
        """
        uri = split(strip_reference(url))
        if not is_scheme(uri.scheme):
            return None
        authority = uri.authority
        if authority is not None:
            authority = _percent_encoding(lower_host(_percent_encoding(authority)))
        path = separate_path(remove_dot_segments(_percent_encoding(uri.path)), authority)
        query, fragment = (part if part is None else _percent_encoding(part) for part in (uri.query, uri.fragment))
        return recompose(URI(_lower(uri.scheme), authority, path, query, fragment))


_UNKNOWN = URI(None, None, "", None, None)


def _lower(scheme: str | None) -> str | None:
    return None if scheme is None else scheme.lower()


def _transform(base: URI, uri: URI) -> URI:
    """Transform a reference into its target: §5.2.2, after the step for non-strict parsers."""
    scheme, authority, path, query, fragment = uri
    if scheme is not None or authority is not None:
        scheme = base.scheme if scheme is None else scheme
        path = remove_dot_segments(path)
    else:
        scheme, authority = base.scheme, base.authority
        if not path:
            path = base.path
            query = base.query if query is None else query
        elif path.startswith("/"):
            path = remove_dot_segments(path)
        else:
            # §5.2.3: "a defined authority component and an empty path" merge to an absolute path.
            base_path = base.path or ("" if authority is None else "/")
            path = remove_dot_segments(merge(base_path, path))
    return URI(scheme, authority, separate_path(path, authority), query, fragment)


def remove_dot_segments(path: str) -> str:
    """Remove dot segments (§5.2.4) in one pass. The output buffer is a list of segments, each with its slash.

    >>> remove_dot_segments("/a/b/c/./../../g"), remove_dot_segments("mid/content=5/../6")
    ('/a/g', 'mid/6')
    """
    segments = path.split("/")
    start = next((i for i, segment in enumerate(segments) if segment not in _DOTS), None)  # A
    if start is None:  # D
        return ""
    first, segments = segments[start], segments[start + 1 :]
    output = [first] if first else []  # E
    for segment in segments:
        if segment == "..":  # C
            if output:
                output.pop()
        elif segment != ".":  # not B
            output.append(f"/{segment}")
    if segments and segments[-1] in _DOTS:  # B and C leave a slash in the input
        output.append("/")
    return "".join(output)


def _percent_encoding(text: str) -> str:
    """Decode unreserved characters, and convert the other triplets to upper case (§6.2.2.1, §6.2.2.2)."""
    return _TRIPLET.sub(lambda triplet: _UNRESERVED.get(triplet[0], triplet[0].upper()), text)
