"""The inputs of a run: number n of a seed is always the same, however long the run is."""

from __future__ import annotations

from random import Random
from typing import Any

from fuzz import pieces, seeds
from fuzz.case import Case
from fuzz.containers import FORMATS, container
from fuzz.mutate import mutate, mutate_lines, window
from linkfix.model import HEADER_TYPES, MARKUP_TYPES
from linkfix.resolvers import RESOLVERS
from linkfix.resolvers.common import CHOICES

__all__ = ["make"]

_ENCODINGS = (
    *("utf-8", "utf-8", "utf-8", "windows-1252", "windows-1251", "iso-8859-2", "shift_jis", "gb18030", "gbk", "big5"),
    *("euc-kr", "euc-jp", "utf-16le", "utf-16be", "iso-2022-jp", "koi8-u"),
)
#: Labels without a Python codec of that name, and invalid labels.
_LABELS = ("x-user-defined", "replacement", "hz-gb-2312", "utf-7", "utf-32", "macintosh", "nonsense", "")
_BOMS = {"utf-8": b"\xef\xbb\xbf", "utf-16le": b"\xff\xfe", "utf-16be": b"\xfe\xff"}

#: Keywords of `linkfix.Document`, and values beside the default.
_OPTIONS: dict[str, tuple[Any, ...]] = {
    "spec": ("fielding1994", "rfc1808", "rfc2396", "rfc3986"),
    "fragments": ("absolutize",),
    "normalize": (True,),
    "base_element": ("drop-href", "remove", "insert"),
    "escape_ampersands": (True,),
    "lazy": (True,),
    "social": (True,),
    "json_ld": (True,),
    "templates": (True,),
    "object_params": (True,),
    "conditional_comments": (True,),
    "plain_text": (True,),
    "header_fields": (True,),
    "anchors": (True,),
    "srcdoc_depth": (0, 1),
    "scripting": ("on",),
    "content_security_policy": (
        "base-uri 'self'",
        "base-uri *",
        "base-uri http://h:*/d/",
        "base-uri",
        "img-src x, base-uri b:",
    ),
}
_SETTINGS = (
    *(
        'root-url = "http://h/"',
        'default-base = "x"',
        'spec = "rfc3986"',
        "lazy = true",
        'lazy = "yes"',
        "normalize = 1",
    ),
    *('max-size = "20M"', "max-size = -1", 'fragments = "keep"', 'base-element = "insert"', "[links]", "[absolutize]"),
    *(
        '[audit]\nignore = ["LF1"]',
        'output = "x"',
        "[tool.linkfix]",
        'charset = "utf-8"',
        'charset = ["a"]',
        "json-ld = {}",
    ),
    *("a.b.c = 1", "spec = 2026-11-22", 'include = ["*.html"]', "exclude = [1]", '"" = 1', "'spec' = 'whatwg'", "["),
)


def _options(random: Random) -> dict[str, Any]:
    if random.random() < 0.5:
        return {}
    names = random.sample(list(_OPTIONS), random.choice((1, 1, 2, 3)))
    options = {name: random.choice(_OPTIONS[name]) for name in sorted(names)}
    for choice, values in CHOICES.items():
        if choice in RESOLVERS[options.get("spec", "whatwg")].choices and random.random() < 0.3:
            options[choice] = random.choice(values)
    return options


def _document(random: Random) -> Case:
    others = (*sorted(MARKUP_TYPES - {"text/html"}), "text/javascript", "text/plain", *sorted(HEADER_TYPES))
    type_ = random.choices(("text/html", *others), (3 * len(others), *[1] * len(others)))[0]
    known = seeds.documents(type_)
    how = random.random()
    if type_ != "text/html":
        data = window(random, random.choice(known))
        if type_ == "text/css" and how < 0.7:
            data = pieces.sheet(random).encode("utf-8", "replace")
    elif how < 0.5:
        data = pieces.document(random).encode("utf-8", "replace")
    else:
        data = window(random, random.choice(known))
    if how > 0.3:
        data = mutate(random, data, window(random, random.choice(known)))
    charset: str | None = "utf-8"
    if random.random() < 0.4:
        encoding = random.choice(_ENCODINGS)
        text = data.decode("utf-8", "replace")
        data = text.encode(encoding, "xmlcharrefreplace" if random.random() < 0.9 else "ignore")
        if random.random() < 0.2:
            data = _BOMS.get(encoding, b"") + data
        charset = random.choice((encoding, encoding, None, "utf-8", "windows-1252"))
    if random.random() < 0.05:
        charset = random.choice(_LABELS)
    if random.random() < 0.05:
        data = mutate(random, data, b"")
    url = random.choice(pieces.BASES) if random.random() < 0.7 else random.choice((None, pieces.BASES[0]))
    return Case("document", data, url, charset, type_, _options(random))


def _settings(random: Random) -> Case:
    lines = random.sample(_SETTINGS, random.randrange(1, 4))
    data = mutate_lines(random, "\n".join(lines).encode())
    return Case("settings", data, type_=random.choice(("absolutize", "links", "base", "audit", "unpack")))


def make(seed: int, number: int) -> Case:
    """Input `number` of `seed`."""
    random = Random(f"{seed}:{number}")
    kind = random.choices(("document", "container", "settings"), (40, 4, 1))[0]
    if kind == "document":
        return _document(random)
    if kind == "settings":
        return _settings(random)
    format_ = random.choice(sorted(FORMATS))
    return Case("container", container(random, format_), random.choice((None, pieces.BASES[0])), type_=format_)
