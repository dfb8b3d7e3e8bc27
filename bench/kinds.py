"""Pages that imitate those of strangers: news, pages with BASE, legacy encodings, Japanese; for `engine.py --kinds`.

Each kind has the odd references of real pages (`engine.py --slow` lists their reasons), about as often as real ones do:
a few in a hundred references. The text of a legacy encoding consists of the characters of its own table, so that bytes
of characters look like quotation marks, parentheses and backslashes.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache

from linkfix import Encoding

__all__ = ["KINDS", "documents"]

#: Attributes that leave the fast way in some version or other, with the number of them among a thousand references.
_ODD = {
    "a href='/search&#063;q=1&#038;r={n}'": 3,
    "a href='https://share.test/?text=Zürich {n} für alle'": 3,
    "a href='/straße/{n}'": 2,
    "a href='mailto:?subject=a b&amp;body=https://h.test/{n}'": 2,
    "a href=' https://h.test/{n}\n'": 4,
    "img src='/img/a^{n}.png'": 1,
    "a href='HTTP://WWW.h.test/{n}'": 2,
    "a href='JavaScript:show({n})'": 6,
    "use href='#icon-{n}'": 15,
    "path fill='url(#g{n})'": 4,
    "p style='background:url(&#39;/i/{n}.png&#39;)'": 2,
    "img srcset='/i/{n}.png 1x, /i/{n}-2.png 2x' src=''": 20,
}
_PLAIN = ["a href='/a/{n}.html'", "a href='https://other.test/{n}?a=1&amp;b=2'", "img src='../i/{n}.jpg' alt='x'"]
_SVG = ("use", "path")


@cache
def _letters(encoding: str) -> str:
    """Characters of an encoding outside ASCII, from its own table."""
    first, second = range(0xA1, 0xFA), range(0x40, 0xFF)
    decode = Encoding(encoding, "meta", "").decode
    pairs = (decode(bytes([a, b])) for a in (*range(0x88, 0xA0), *first) for b in second)
    found = [one for one in pairs if len(one) == 1 and one.isalpha() and not one.isascii()]
    return "".join(found[::7]) or "äöüß"


def _reference(source: random.Random) -> str:
    plain = [(1000 - sum(_ODD.values())) / len(_PLAIN)] * len(_PLAIN)
    (attributes,) = source.choices([*_ODD, *_PLAIN], [*_ODD.values(), *plain])
    tag = attributes.format(n=source.randrange(10_000))
    name = tag.split()[0]
    if name in _SVG:
        return f"<svg><{tag}/></svg>"
    return f"<{tag}>x</{name}>" if name != "img" else f"<{tag}>"


def _page(encoding: str, *, size: int, base: str = "", before: int = 0) -> Callable[[random.Random], bytes]:
    """A function that makes a page. `size`: the number of paragraphs. `before`: the references before BASE."""

    def make(source: random.Random) -> bytes:
        letters = _letters(encoding)

        def text(words: int) -> str:
            return " ".join("".join(source.choices(letters, k=source.randrange(2, 9))) for _ in range(words))

        sheet = "".join(f".c{n}:before{{content:'{text(1)}';background:url(/i/{n}.png)}}\n" for n in range(size // 8))
        links = "".join(f'<link rel=stylesheet href="/css/{n}.css">\n' for n in range(before))
        body = "".join(f'<p class="c{n}">{text(12)} {_reference(source)} {text(3)}\n' for n in range(size))
        head = f"<meta charset={encoding}><title>{text(3)}</title>{links}{base}<style>{sheet}</style>"
        page = f"<!DOCTYPE html><html><head>{head}</head><body>&nbsp;{body}</body></html>"
        return Encoding(encoding, "meta", "").encode(page, "xmlcharrefreplace")

    return make


#: Kind -> the functions that make its pages.
KINDS: dict[str, list[Callable[[random.Random], bytes]]] = {
    "news": [_page("utf-8", size=500)],
    "with BASE": [
        _page("utf-8", size=200, base="<base href='/'>", before=1),
        _page("utf-8", size=200, base="<base href='https://example.com/docs/'>", before=30),
    ],
    "legacy encodings": [
        _page(encoding, size=200)
        for encoding in ("gbk", "big5", "shift_jis", "euc-kr", "windows-1251", "windows-1252", "iso-8859-2")
    ],
    "Japanese": [_page("euc-jp", size=150)],
}


def documents(kind: str, count: int = 14) -> list[bytes]:
    """Pages of a kind, always the same."""
    makers = KINDS[kind]
    return [makers[n % len(makers)](random.Random(n)) for n in range(count)]  # noqa: S311
