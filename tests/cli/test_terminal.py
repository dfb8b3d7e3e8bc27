"""Output in a terminal: tables that fit it, and a line of progress."""

import io
import sys
import time

import pytest
from support.running import terminal

from linkfix.cli.report import Progress
from linkfix.cli.tables import print_table, width

ROWS = [
    ["http", "permanent", "Hypertext Transfer Protocol, as everyone knows it and has known it for years", "RFC 9110"],
    ["日本語", "x", "https://example.com/" + "a" * 70, ""],
]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def table(monkeypatch, columns, stream):
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setenv("COLUMNS", str(columns))
    print_table(["scheme", "status", "description", "reference"], ROWS)
    return stream.getvalue().splitlines()


@pytest.mark.parametrize("columns", [50, 79, 80, 100])
def test_a_table_fits_the_terminal_and_loses_nothing(monkeypatch, columns):
    lines = table(monkeypatch, columns, Terminal())
    assert max(map(width, lines)) <= columns
    text = "".join("".join(lines).split())
    assert text.count("a" * 8) >= 1
    start = lines[0].index("description")
    end = lines[0].index("reference")
    column = [line[start:end].rstrip() for line in lines[1:] if "日本語" not in line]
    assert ROWS[0][2] in " ".join(column)


def test_long_words_are_broken(monkeypatch):
    lines = table(monkeypatch, 60, Terminal())
    assert sum(line.count("a") for line in lines) == sum(
        cell.count("a") for row in [["scheme", "status", "description", "reference"], *ROWS] for cell in row
    )
    assert len(lines) > 4


def test_a_table_in_a_pipe_is_not_wrapped(monkeypatch):
    lines = table(monkeypatch, 40, io.StringIO())
    assert len(lines) == 3
    assert lines[1].endswith("RFC 9110")


def test_a_terminal_that_is_too_narrow_gets_wide_lines(monkeypatch):
    lines = table(monkeypatch, 1, Terminal())
    assert max(map(width, lines)) == 6 + 8 * 3 + 2 * 3


def standard_error(monkeypatch):
    """Let standard error be a terminal, on which progress is shown at once."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr("linkfix.cli.report._DELAY", 0)
    monkeypatch.setattr("linkfix.cli.report._INTERVAL", 0.001)
    return stream


def on_screen(text):
    """The lines that a terminal shows."""
    lines = [""]
    column = 0
    for character in text:
        if character == "\r":
            column = 0
        elif character == "\n":
            lines.append("")
            column = 0
        else:
            lines[-1] = lines[-1][:column].ljust(column) + character + lines[-1][column + 1 :]
            column += 1
    return [line.rstrip() for line in lines]


def wait_for(stream, lines):
    """Wait until the terminal shows some lines."""
    for _ in range(10_000):
        if on_screen(stream.getvalue()) == lines:
            break
        time.sleep(0.001)
    assert on_screen(stream.getvalue()) == lines


def test_progress_counts_and_leaves_nothing(monkeypatch):
    errors = standard_error(monkeypatch)
    with Progress(drawn=True, measure=lambda: 4_000_000) as shown:
        shown.advance(size=1_000_000, links=1234)
        wait_for(errors, ["1 file  [#####---------------] 25%  0:00 left  1.0 of 4.0 MB  1,234 links"])
        shown.advance(size=1_000_000, links=1)
        wait_for(errors, ["2 files  [##########----------] 50%  0:00 left  2.0 of 4.0 MB  1,235 links"])
    assert on_screen(errors.getvalue()) == [""]


def test_lines_are_printed_above_it(monkeypatch):
    errors = standard_error(monkeypatch)
    with Progress(drawn=True, measure=lambda: 0) as shown:
        shown.advance(size=500_000, links=0)
        shown.say("page.html: it is broken")
        shown.advance(size=500_000, links=0)
        wait_for(errors, ["page.html: it is broken", "2 files  0:00 so far  1.0 MB  0 links"])


def test_a_file_that_grew_is_not_more_than_all(monkeypatch):
    errors = standard_error(monkeypatch)
    with Progress(drawn=True, measure=lambda: 10) as shown:
        shown.advance(size=30, links=0)
        wait_for(errors, ["1 file  [####################] 100%  0:00 left  0.0 of 0.0 MB  0 links"])


def test_it_is_shown_while_one_file_takes_long(monkeypatch):
    errors = standard_error(monkeypatch)
    with Progress(drawn=True, measure=lambda: 10) as shown:
        shown._started -= 65
        wait_for(errors, ["0 files  1:05 so far  0.0 MB  0 links"])
    assert on_screen(errors.getvalue()) == [""]


def test_nothing_is_shown_of_short_work_or_elsewhere_than_in_a_terminal(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    for drawn in (True, False):
        with Progress(drawn=drawn, measure=pytest.fail) as shown:
            shown.advance(size=1, links=1)
    monkeypatch.setattr("linkfix.cli.report._DELAY", 0)
    with Progress(drawn=False, measure=pytest.fail) as shown:
        time.sleep(0.2)
        shown.advance(size=1, links=1)
    assert stream.getvalue() == ""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind")
def test_the_command_in_a_terminal(tmp_path):
    lines = terminal("schemes", "list", "--status", "historical", cwd=tmp_path).splitlines()
    assert lines[0].split() == ["scheme", "status", "description", "reference"]
    assert 60 < max(map(len, lines)) <= 70
