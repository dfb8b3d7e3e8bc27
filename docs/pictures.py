"""Draw the pictures of the site from tables of its pages: `python docs/pictures.py` writes docs/pictures/*.svg.

A picture has a title and a description, and colours for light and dark screens. `tests/test_pictures.py` compares the
files with the pages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple

__all__ = ["FOLDER", "PICTURES", "drawn"]

DOCS = Path(__file__).resolve().parent
FOLDER = DOCS / "pictures"

WIDTH = 720
STYLE = """
  text { font: 14px system-ui, sans-serif; fill: #1f2328; }
  .strong { font-weight: 600; }
  .quiet { fill: #59636e; font-size: 13px; }
  .card { fill: #ffffff; }
  .box { fill: #f6f8fa; stroke: #d1d9e0; }
  .line { stroke: #59636e; fill: none; stroke-width: 1.5; }
  .own { fill: #1a7f37; }
  .other { fill: #8c959f; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .quiet { fill: #9198a1; }
    .card { fill: #0d1117; }
    .box { fill: #151b23; stroke: #3d444d; }
    .line { stroke: #9198a1; }
    .own { fill: #3fb950; }
    .other { fill: #656c76; }
  }
"""

#: The rows of the speed page that are drawn, with their titles.
SPEEDS = {
    "absolutize, documentation": "absolutize, Python's documentation",
    "links, API pages": "links, Rust's API pages",
    "audit of python": "audit, Python's documentation",
}
#: Pixels: the first bar's x, the longest bar, the height of a bar, and the distance of two.
BAR_X, LONGEST, BAR, STEP = 110, 480, 16, 24
#: Pixels: the height of a layer's box, and the distance of two.
BOX, LAYER_STEP = 64, 92


class Speed(NamedTuple):
    """The seconds of linkfix for a piece of work, and those of others by name."""

    own: float
    others: dict[str, float]


def speeds(page: str) -> dict[str, Speed]:
    """The measured rows of the speed page, by name."""
    rows = re.findall(r"^(\S.*?) {2,}([\d.]+) s {2,}(.*)$", page, re.MULTILINE)
    return {
        name: Speed(
            float(own),
            {other: float(seconds) for other, seconds in re.findall(r"(?:as fast as|of) ([\w -]+) \(([\d.]+) s", rest)},
        )
        for name, own, rest in rows
    }


def layers(page: str) -> list[list[str]]:
    """The rows of the table of layers: the RFC's name, HTML's word, the source."""
    _, _, table = page.partition("| layer | HTML's word | source |\n|---|---|---|\n")
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.partition("\n\n")[0].splitlines()]


def speed_bars() -> str:
    """Bars of processor time, to a scale of its own for each piece of work."""
    found = {SPEEDS[name]: row for name, row in speeds(_page("speed")).items() if name in SPEEDS}
    parts: list[str] = []
    told: list[str] = []
    y = 28
    for title, (own, others) in found.items():
        bars = {"linkfix": own, **others}
        told.append(f"{title}: {', '.join(f'{name} {seconds:.3f} s' for name, seconds in bars.items())}.")
        parts.append(_text(16, y, title, "strong"))
        for name, seconds in bars.items():
            y += STEP
            length = max(2, round(LONGEST * seconds / max(bars.values())))
            kind = "own" if name == "linkfix" else "other"
            parts += [
                _text(16, y, name),
                f'<rect class="{kind}" x="{BAR_X}" y="{y - 13}" width="{length}" height="{BAR}" rx="2"/>',
                _text(BAR_X + length + 8, y, f"{seconds:.3f} s", "quiet"),
            ]
        y += STEP + 14
    parts.append(_text(16, y, "Processor time. Each group has a scale of its own.", "quiet"))
    return _svg("Processor time of linkfix and others", " ".join(told), parts, y + 20)


def base_ladder() -> str:
    """The layers of the base URL, from the inside out."""
    rows = layers(_page("base"))
    parts: list[str] = []
    told: list[str] = []
    for number, (name, word, source) in enumerate(rows):
        y = 16 + number * LAYER_STEP
        plain = source.replace("`", "")
        first, _, rest = plain.partition(": ")
        parts += [
            f'<rect class="box" x="16" y="{y}" width="{WIDTH - 32}" height="{BOX}" rx="6"/>',
            _text(32, y + 26, f"{number + 1}. {name}", "strong"),
            _text(32, y + 48, word.strip("()"), "quiet"),
            _text(220, y + 26, first),
            _text(220, y + 48, rest, "quiet"),
        ]
        if number:
            parts += [
                f'<path class="line" d="M60 {y - LAYER_STEP + BOX} V{y - 2} m-4 -6 l4 6 l4 -6"/>',
                _text(76, y - 9, "if it has no base URL", "quiet"),
            ]
        told.append(f"{number + 1}. {name} ({word.strip('()')}): {plain}.")
    height = 16 + (len(rows) - 1) * LAYER_STEP + BOX + 16
    return _svg("The first layer with a base URL is used", " ".join(told), parts, height)


#: The name of a file in `FOLDER` -> the function that draws it.
PICTURES: dict[str, Callable[[], str]] = {"base-layers.svg": base_ladder, "speed.svg": speed_bars}


def drawn() -> Iterator[tuple[Path, str]]:
    """The files, and their texts."""
    for name, draw in PICTURES.items():
        yield FOLDER / name, draw()


def _page(name: str) -> str:
    return (DOCS / f"{name}.md").read_text("utf-8")


def _text(x: int, y: int, text: str, kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text x="{x}" y="{y}"{named}>{escape(text, quote=False)}</text>'


def _svg(title: str, description: str, parts: list[str], height: int) -> str:
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="title description">',
        f'<title id="title">{escape(title, quote=False)}</title>',
        f'<desc id="description">{escape(description, quote=False)}</desc>',
        f"<style>{STYLE}</style>",
        f'<rect class="card" width="{WIDTH}" height="{height}" rx="8"/>',
        *parts,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the files."""
    FOLDER.mkdir(exist_ok=True)
    for path, text in drawn():
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
