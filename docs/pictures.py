"""Draw the pictures of the site: `python docs/pictures.py` writes docs/pictures/*.svg.

They show tables of the site's pages, and the output of commands. A picture has a title and a description, and colours
for light and dark screens. `tests/test_pictures.py` compares the files with the pages and the commands.

`python docs/pictures.py --report` needs Chromium, and writes the pictures of the HTML report, docs/pictures/*.png. Each
contains the text of its page, which `tests/browser/test_report.py` compares with the report.
"""

from __future__ import annotations

import base64
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from html import escape
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from support.browser.chromium import Chromium

__all__ = ["FOLDER", "PICTURES", "REPORTS", "SIZE", "drawn", "photograph", "text_of"]

DOCS = Path(__file__).resolve().parent
CHECKOUT = DOCS.parent
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
  .cells text { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
  .cells text { font-size: 13px; }
  .bad { fill: #b3261e; }
  .good { fill: #116329; }
  .gone { fill: #ffcecb; }
  .come { fill: #aceebb; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .quiet { fill: #9198a1; }
    .card { fill: #0d1117; }
    .box { fill: #151b23; stroke: #3d444d; }
    .line { stroke: #9198a1; }
    .own { fill: #3fb950; }
    .other { fill: #656c76; }
    .bad { fill: #ff9d94; }
    .good { fill: #7ee787; }
    .gone { fill: #67231f; }
    .come { fill: #1b4721; }
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
#: A terminal: its columns; in pixels, the width of a cell, the distance of two lines, and the margin.
COLUMNS, CELL, LINE, MARGIN = 100, 7.8, 19, 16
#: Select Graphic Rendition (ECMA-48 §8.3.117) -> the class of a text.
RENDITIONS = {"0": "", "1": "strong", "2": "quiet", "31": "bad"}
#: The sign of a changed line -> the classes of its text and of the ground behind its changed words; the distance of the
#: lines with the other sign.
CHANGES = {"-": ("bad", "gone", 1), "+": ("good", "come", -1)}

#: Commands of the tutorials, which are run in a folder with their sites.
DIFF = "linkfix absolutize lamp/guide/intro.html --url https://lamp.example/guide/intro.html --diff"
AUDIT = "linkfix audit site --root-url https://lamp.example/"

#: The pictures of the HTML report in `FOLDER` -> the colour scheme; and their width and height in pixels.
REPORTS = {"report-light.png": "light", "report-dark.png": "dark"}
SIZE = (1300, 766)


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


class Piece(NamedTuple):
    """A part of a line in a terminal: its text, the class of the text, and that of the ground behind it."""

    text: str
    kind: str = ""
    ground: str = ""


def output(command: str) -> str:
    """The output of a command on a terminal, in a folder with the tutorials' sites; the time differs, and is left out.

    The site of the tutorial on audits has its two faults.
    """
    with tempfile.TemporaryDirectory() as folder:
        for name in ("lamp", "site"):
            shutil.copytree(CHECKOUT / "fixtures" / "lamp", Path(folder, name))
        site = Path(folder, "site")
        (site / "guide" / "setup.html").rename(site / "guide" / "set-up.html")
        lamps = site / "lamps.html"
        lamps.write_bytes(lamps.read_bytes().replace(b"#hours", b"#opening"))
        done = subprocess.run(
            [sys.executable, "-m", *shlex.split(command)],
            cwd=folder,
            env={name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
            | {"PYTHONPATH": str(CHECKOUT), "PYTHONUTF8": "1", "FORCE_COLOR": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
    if done.returncode not in {0, 1}:  # 1: findings
        sys.exit(done.stdout)
    return re.sub(r"\bin \d+\.\d+ s\b", "in … s", done.stdout)


def diff() -> str:
    """The differences of a page, with the changed words marked."""
    text = output(DIFF)
    return _terminal(DIFF, text, list(_differences(text.splitlines())))


def audit() -> str:
    """The report of an audit, in its own colours."""
    text = output(AUDIT)
    return _terminal(AUDIT, re.sub("\x1b\\[.*?m", "", text), list(map(_rendered, text.splitlines())))


def _rendered(line: str) -> list[Piece]:
    """The parts of a line between codes for colours."""
    first, *rest = re.split("\x1b\\[(.*?)m", line)
    coloured = zip(rest[1::2], rest[::2], strict=True)
    return [
        Piece(first),
        *(Piece(text, " ".join(RENDITIONS[code] for code in codes.split(";"))) for text, codes in coloured),
    ]


def _differences(lines: list[str]) -> Iterator[list[Piece]]:
    """The lines of a patch. Removed lines are compared with the added lines after them."""
    runs = [(sign, list(run)) for sign, run in groupby(lines, key=_sign)]
    for index, (sign, run) in enumerate(runs):
        if sign in CHANGES:
            kind, ground, distance = CHANGES[sign]
            for line, other in zip(run, runs[index + distance][1], strict=True):
                yield [Piece(sign, kind), *_compared(line, other, kind, ground)]
        else:
            yield from ([Piece(line, sign)] for line in run)


def _sign(line: str) -> str:
    """The sign of a changed line; for others, their class."""
    if line.startswith(("---", "+++")):
        return "strong"
    if line.startswith("@@"):
        return "quiet"
    return line[:1] if line[:1] in CHANGES else ""


def _compared(line: str, other: str, kind: str, ground: str) -> Iterator[Piece]:
    """The parts of a line, with a ground behind those words that another line does not have."""
    words, others = (re.findall(r'[^\s"<>]+|.', one[1:]) for one in (line, other))
    for tag, start, end, _, _ in SequenceMatcher(None, words, others, autojunk=False).get_opcodes():
        yield Piece("".join(words[start:end]), kind, ground if tag != "equal" else "")


def _terminal(command: str, text: str, lines: list[list[Piece]]) -> str:
    """A terminal with a command and its output, whose text is the description."""
    prompt = [Piece("$ ", "quiet"), Piece(command, "strong")]
    width, height = round(2 * MARGIN + COLUMNS * CELL), 2 * MARGIN + LINE * (1 + len(lines))
    parts = [
        f'<rect class="box" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"/>',
        '<g class="cells">',
    ]
    for number, line in enumerate([prompt, *lines]):
        parts += _cells(_cut(line), MARGIN + LINE * number)
    return _svg(command, text, [*parts, "</g>"], height, width)


def _cut(line: list[Piece]) -> list[Piece]:
    """A line that fits; an ellipsis is in the place of its rest."""
    if sum(len(piece.text) for piece in line) <= COLUMNS:
        return line
    kept, left = [], COLUMNS - 1
    for piece in line:
        kept.append(piece._replace(text=piece.text[:left]))
        left -= len(kept[-1].text)
    return [*kept, Piece("…", "quiet")]


def _cells(line: list[Piece], y: int) -> Iterator[str]:
    """The texts of a line, each as wide as its cells in any font."""
    column = 0
    for text, kind, ground in line:
        if ground and text:
            place = f'x="{MARGIN + column * CELL:g}" y="{y + 1}" width="{len(text) * CELL:g}" height="{LINE - 2}"'
            yield f'<rect class="{ground}" {place} rx="2"/>'
        for word in re.finditer(r"\S+(?: \S+)*", text):  # SVG drops spaces at the ends, and joins others
            place = f'x="{MARGIN + (column + word.start()) * CELL:g}" y="{y + 14}"'
            named = f' class="{kind}"' if kind else ""
            size = f'textLength="{len(word[0]) * CELL:g}" lengthAdjust="spacingAndGlyphs"'
            yield f"<text {place} {size}{named}>{escape(word[0], quote=False)}</text>"
        column += len(text)


#: The name of a file in `FOLDER` -> the function that draws it.
PICTURES: dict[str, Callable[[], str]] = {
    "audit.svg": audit,
    "base-layers.svg": base_ladder,
    "diff.svg": diff,
    "speed.svg": speed_bars,
}


def drawn() -> Iterator[tuple[Path, str]]:
    """The files, and their texts."""
    for name, draw in PICTURES.items():
        yield FOLDER / name, draw()


def photograph(browser: Chromium, scheme: str) -> bytes:
    """A PNG of the HTML report on a light or a dark screen. It contains the text of the whole page."""
    from support.browser.chromium import Page
    from support.browser.engine import Response

    url = "https://lamp.example/report.html"
    html = output(f"{AUDIT} --format html")
    width, height = SIZE
    with Page(browser, {url: Response(html.encode("utf-8"), "text/html; charset=utf-8")}, scripts=True) as page:
        page.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )
        page.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        page.command("Emulation.setScrollbarsHidden", hidden=True)
        page.load(url)
        png = base64.b64decode(page.command("Page.captureScreenshot", format="png")["data"])
        return _with_text(png, page.evaluate("document.body.innerText"))


#: The type of the chunk of a PNG that has a text in UTF-8, and its keyword, language and flags.
TEXT = b"iTXt", b"Description\0\0\0en\0\0"


def _with_text(png: bytes, text: str) -> bytes:
    """A PNG with a text before its last chunk, which has 12 bytes."""
    kind, head = TEXT
    data = head + text.encode("utf-8")
    chunk = struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return png[:-12] + chunk + png[-12:]


def text_of(png: bytes) -> str:
    """The text in a PNG of `photograph`."""
    _, _, rest = png.rpartition(b"".join(TEXT))
    return rest[:-16].decode("utf-8")  # its checksum, and the last chunk


def _page(name: str) -> str:
    return (DOCS / f"{name}.md").read_text("utf-8")


def _text(x: int, y: int, text: str, kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text x="{x}" y="{y}"{named}>{escape(text, quote=False)}</text>'


def _svg(title: str, description: str, parts: list[str], height: int, width: int = WIDTH) -> str:
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="title description">',
        f'<title id="title">{escape(title, quote=False)}</title>',
        f'<desc id="description">{escape(description, quote=False)}</desc>',
        f"<style>{STYLE}</style>",
        f'<rect class="card" width="{width}" height="{height}" rx="8"/>',
        *parts,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the files; with --report, those that need Chromium."""
    FOLDER.mkdir(exist_ok=True)
    if sys.argv[1:] == ["--report"]:
        sys.path.insert(0, str(CHECKOUT / "tests"))
        from support.browser.chromium import Chromium
        from support.browser.engines import require_chromium

        with Chromium(require_chromium()) as browser:
            for name, scheme in REPORTS.items():
                (FOLDER / name).write_bytes(photograph(browser, scheme))
        return
    for path, text in drawn():
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
