from __future__ import annotations

import pytest
from support.each import for_each

from linkfix import UnknownRule
from linkfix.auditing import AuditOptions
from linkfix.auditing.rules import rules
from linkfix.auditing.selection import chosen_codes, codes_matching, ignored_codes_by_file

ALL = {rule.info.code for rule in rules()}
OPT_IN = {rule.info.code for rule in rules() if rule.info.opt_in}


def named(name):
    return next(rule.info.code for rule in rules() if rule.info.name == name)


class TestWords:
    @for_each(rules(), label=lambda rule: rule.info.name)
    def test_a_code_or_a_name_selects_one_rule(self, rule):
        code, name = rule.info.code, rule.info.name
        for word in (code, code.lower(), name, name.upper()):
            assert codes_matching([word]) == {code}

    @pytest.mark.parametrize("word", ["LF1", "lf1", "LF10", "LF", "LF3"])
    def test_a_prefix_selects_all_its_rules_except_opt_in_rules(self, word):
        assert codes_matching([word]) == {code for code in ALL - OPT_IN if code.startswith(word.upper())}

    def test_all_is_all(self):
        assert codes_matching(["all"]) == ALL
        assert OPT_IN

    def test_several(self):
        assert codes_matching(["missing-target", "LF1", "LF101"]) == codes_matching(["LF1"])
        assert codes_matching([]) == set()

    @pytest.mark.parametrize(
        ("word", "near"),
        [
            ("missing-targat", "missing-target"),
            ("Mising-Target", "missing-target"),
            ("mixed-contents", "mixed-content"),
        ],
    )
    def test_the_most_similar_name_is_suggested(self, word, near):
        with pytest.raises(UnknownRule, match=rf"^unknown rule '{word}'; did you mean {near}\?"):
            codes_matching([word])

    @pytest.mark.parametrize(
        ("word", "near"),
        [
            ("broken-links", "missing-target"),
            ("dead_anchor", "missing-fragment"),
            ("Late", "base-late"),
            ("anchors", "missing-fragment or dropped-fragment or scripted-fragment"),
        ],
    )
    def test_names_with_the_most_words_in_common_are_suggested(self, word, near):
        with pytest.raises(UnknownRule, match=rf"^unknown rule '{word}'; did you mean {near}\? See --list-rules$"):
            codes_matching([word])

    def test_a_word_that_no_name_has_has_no_suggestion(self):
        with pytest.raises(UnknownRule, match=r"^unknown rule 'nonsense'; see --list-rules$"):
            codes_matching(["nonsense"])

    @pytest.mark.parametrize("word", ["", " ", "L", "F1", "101", "LF999", "LFX", "ALL!", "nonsense", "x" * 100_000])
    def test_other_words_are_refused(self, word):
        with pytest.raises(UnknownRule, match="unknown rule"):
            codes_matching(["LF101", word])


class TestChosen:
    def test_all_rules_except_opt_in_rules(self):
        assert chosen_codes(AuditOptions()) == ALL - OPT_IN

    def test_selected(self):
        code = min(OPT_IN)
        assert chosen_codes(AuditOptions(select=(code,))) == {code}
        assert chosen_codes(AuditOptions(select=("LF", code))) == (ALL - OPT_IN) | {code}
        assert chosen_codes(AuditOptions(select=("all",))) == ALL

    def test_ignored(self):
        assert chosen_codes(AuditOptions(ignore=("LF1",))) == ALL - OPT_IN - codes_matching(["LF1"])
        assert chosen_codes(AuditOptions(select=("LF1",), ignore=("LF101",))) == codes_matching(["LF1"]) - {"LF101"}
        assert chosen_codes(AuditOptions(select=("LF101",), ignore=("all",))) == set()

    def test_unknown(self):
        for options in (AuditOptions(select=("no",)), AuditOptions(ignore=("no",))):
            with pytest.raises(UnknownRule):
                chosen_codes(options)


class TestPerFile:
    @pytest.mark.parametrize(
        ("pattern", "name", "passes"),
        [
            ("old/", "old/a.html", True),
            ("old/", "new/old/a.html", True),
            ("/old/", "new/old/a.html", False),
            ("*.css", "a/b.css", True),
            ("/a.html", "sub/a.html", False),
            ("a/**/b.html", "a/x/y/b.html", True),
            ("!a.html", "a.html", False),
        ],
    )
    def test_patterns_are_gitignore_patterns(self, pattern, name, passes):
        of = ignored_codes_by_file(AuditOptions(per_file_ignores=((pattern, ("missing-target",)),)))
        assert of(name) == ({named("missing-target")} if passes else set())

    def test_all_that_match_count(self):
        of = ignored_codes_by_file(
            AuditOptions(per_file_ignores=(("*.html", ("LF101",)), ("old/", ("LF102", "LF101"))))
        )
        assert of("old/a.html") == {"LF101", "LF102"}
        assert of("a.html") == {"LF101"}

    def test_none(self):
        assert ignored_codes_by_file(AuditOptions())("a.html") == frozenset()

    def test_unknown(self):
        with pytest.raises(UnknownRule):
            ignored_codes_by_file(AuditOptions(per_file_ignores=(("*.html", ("no",)),)))
