"""Regular expressions with endless backtracking end a run with a message; all others have the matches of `re`."""

from __future__ import annotations

import gc
import os
import re
import signal
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.audit_trees import audited
from support.growth import processor_limit

from linkfix import InvalidOption, processes
from linkfix.auditing.selection import IgnoredTargets, LimitedSearches

#: Expressions that take for ever on text that is made for them.
HOSTILE = {
    "(a+)+$": "a" * 60 + "!",
    "(a*)*b": "a" * 60,
    "(a|a)*$": "a" * 60 + "!",
    "(a|aa){1,99}$": "a" * 120 + "!",
    "(?:(?:a?){60})(?:a{60})!": "a" * 70,
    "a?" * 40 + "a" * 40 + "!": "a" * 70,
    "(a|a)" * 40 + "!": "a" * 60,
    "a*" * 12 + "b": "a" * 200,
    ".*a.*b.*c.*d": "abc" * 3000,
    ".*x.*y": "x" * 200_000,
    "(?x) ( a + ) * $": "a" * 60 + "!",
    r"(a*)(a*)(a*)(a*)\1\2\3\4b": "a" * 300,
}


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr("linkfix.auditing.selection._SECONDS", 0.5)


@pytest.mark.growth
@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("source", HOSTILE)
def test_an_expression_that_takes_for_ever_is_an_error(source):
    with processor_limit(5), pytest.raises(InvalidOption, match=r"^ignore-target 'x': the regular expression"):
        LimitedSearches().search("ignore-target 'x'", re.compile(source), HOSTILE[source])


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="no system with SIGSTOP")
def test_time_that_other_work_takes_does_not_count(monkeypatch):
    monkeypatch.setattr("linkfix.auditing.selection._SECONDS", 0.2)
    searches = LimitedSearches()
    assert searches.search("x", re.compile("(a)+"), "a")
    child = searches._child._child._process
    os.kill(child.pid, signal.SIGSTOP)
    threading.Timer(0.5, os.kill, (child.pid, signal.SIGCONT)).start()
    assert searches.search("x", re.compile("(a)+"), "a")


@pytest.mark.growth
@pytest.mark.usefixtures("short")
def test_many_that_take_long_together_are_an_error():
    searches = LimitedSearches()

    def search():
        for _ in range(1_000):
            searches.search("x", re.compile("a*a*a*b"), "a" * 60)

    with processor_limit(5), pytest.raises(InvalidOption, match="takes too long"):
        search()


def test_usual_ones_are_searched_here(monkeypatch):
    monkeypatch.setattr(processes, "Isolated", None)
    searches = LimitedSearches()
    for source in (r"#gone$", r"^https://example\.com/.*\.pdf$", r"^(docs|old)/.*\.(html?|php)$", r"^docs/.*/old/.*"):
        for _ in range(100):
            assert not searches.search(
                "x", re.compile(source), "/some/path/of/usual/length/that/is/no/match/at-all.jpg"
            )


@given(
    source=st.sampled_from(
        ["(ab)+c", "(a|b)*c", "(?x) ( a | b ) + c", r"(a)\1", "^(x/)+y", "a.*b.*c.*d.*e", "(?s)(.+)+"]
    ),
    text=st.text("abcxy/\n", max_size=12),
)
def test_searches_in_a_child_process_find_the_same(source, text):
    expression = re.compile(source)
    assert SEARCHES.search("x", expression, text) == (expression.search(text) is not None)


SEARCHES = LimitedSearches()


@given(
    row=st.sampled_from(
        [
            ("(ab)+", "-"),
            ("(a|b)*c", r"\1\g<0>"),
            (r"(?P<x>a)|(b)", r"\g<x>\2!"),
            ("x*", "-"),
            ("a.*b.*c.*d.*e", ""),
            ("", "x"),
        ]
    ),
    text=st.text("abcxy/\n", max_size=12),
)
def test_replacements_are_those_of_re(row, text):
    source, replacement = row
    expression = re.compile(source)
    assert SEARCHES.replace("x", expression, replacement, text) == expression.sub(replacement, text)


def test_a_result_without_end_is_an_error():
    with pytest.raises(InvalidOption, match=r"^x: a result has more than 65,536 characters: write a shorter"):
        LimitedSearches().replace("x", re.compile("(?=(.*))"), r"\1\1", "a" * 1000)


def test_flags_count_in_the_child_process():
    assert LimitedSearches().search("x", re.compile("(A.)+b", re.DOTALL | re.IGNORECASE), "a\nb")


def test_the_child_process_ends_with_them():
    searches = LimitedSearches()
    assert searches.search("x", re.compile("(a)+"), "a")
    child = searches._child._child._process
    del searches
    gc.collect()
    assert child.wait(10) is not None


@pytest.mark.parametrize("pattern", ["re:(a+)+$", "LF101:re:(a+)+$", "http://example.com/" + "*a" * 12 + "b"])
@pytest.mark.usefixtures("short")
def test_an_audit_ends_with_a_message(tmp_path, pattern):
    page = f"<a href='{'a' * 40}!'>x</a><a href='http:///example.com/{'a' * 100}!'>x</a>"
    with pytest.raises(InvalidOption, match=re.escape(f"{pattern!r}: the regular expression takes too long")):
        audited(tmp_path, {"a.html": page}, ignore_target=(pattern,))


@pytest.mark.usefixtures("short")
def test_an_audit_with_a_replacement_ends_with_a_message(tmp_path):
    page = f"<a href='{'a' * 40}!'>x</a>"
    with pytest.raises(InvalidOption, match=r"^replace '\(a\+\)\+\$=b': the regular expression takes too long"):
        audited(tmp_path, {"a.html": page, "b.html": page}, replacements=("(a+)+$=b",))


@pytest.mark.parametrize("pattern", ["re:a{99999999999999}", "re:" + "(" * 5000 + ")" * 5000])
def test_an_invalid_expression_is_refused(pattern):
    with pytest.raises(InvalidOption, match="not a valid regular expression: "):
        IgnoredTargets([pattern])
