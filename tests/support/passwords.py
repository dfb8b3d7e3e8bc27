"""URLs with a password, as the URL engine reads them: `generated` makes the same ones every time."""

from __future__ import annotations

import random
from functools import cache

import ada_url

__all__ = ["SECRET", "generated"]

#: In the password of each URL, and nowhere else.
SECRET = "S3cr3t"  # noqa: S105 - a mark, no password
_SCHEMES = ("https:", "HTTP:", "ws:", "wss:", "ftp:", "foo:", "git+ssh:", "h\nttps:", "ht\ttp:", "foo\n:")
_SLASHES = ("/", "\\", "", "\t", "\n", "\r", "/", "//", "\\\\")
_PIECES = (
    *"/\\?#@:ab \t\n\r\"'<>.[]&`|{}^;=,!$()*+-_~é",
    *("…", "%40", "&#64;", "\\u0040", "me", "corp.example", "https:", "//", "n", "40"),
)


@cache
def generated(number: int, seed: int = 0) -> tuple[str, ...]:
    """`number` URLs whose password, as the URL engine reads them, has `SECRET` in it."""
    chosen = random.Random(seed)  # noqa: S311 - no secrets: the same ones every time

    def some(pieces: tuple[str, ...], most: int) -> str:
        return "".join(chosen.choices(pieces, k=chosen.randrange(most)))

    made = []
    while len(made) < number:
        user = some(_PIECES, 4) + ":" * chosen.randrange(2) + some(_PIECES, 3)
        host = some(_PIECES, 2) + "h" + chosen.choice(("", "/", "?", "#", "\\")) + some(_PIECES, 4)
        url = some((" ", "\n"), 2) + chosen.choice(_SCHEMES) + some(_SLASHES, 5)
        url += f"{user}{SECRET}{some(_PIECES, 4)}@{host}"
        try:
            password = ada_url.URL(url).password
        except ValueError:
            continue
        if SECRET in password:
            made.append(url)
    return tuple(made)
