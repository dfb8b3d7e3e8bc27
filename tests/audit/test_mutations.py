"""One fault put into a clean tree: exactly the affected references are reported, by the right rule."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from support.audit_trees import audited, clean, relative, write


def expected(made, name, concerned):
    return Counter(
        (page, name, f"{relative(page, file)}{'#' * bool(fragment)}{fragment}")
        for page, file, fragment in made.references
        if concerned(page, file, fragment)
    )


def told(found):
    return Counter((one.path, one.name, one.reference) for one in found.findings)


SEEDS = range(12)


def target_of(made):
    """A file that other pages refer to, with and without fragments."""
    counts = Counter(file for page, file, _ in made.references if page != file)
    return counts.most_common(1)[0][0]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_clean_tree_is_clean(tmp_path, seed):
    made = clean(seed)
    found = audited(tmp_path, made.files())
    assert not found.findings
    assert (found.coverage.links, found.coverage.checked) == (len(made.references), len(made.references))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_file_is_renamed(tmp_path, seed):
    made = clean(seed)
    write(tmp_path, made.files())
    gone = target_of(made)
    (tmp_path / gone).rename(tmp_path / "renamed.txt")
    found = audited(tmp_path)
    assert told(found) == expected(made, "missing-target", lambda page, file, _: file == gone and page != gone)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_name_changes_its_case(tmp_path, seed):
    made = clean(seed)
    write(tmp_path, made.files())
    old = target_of(made)
    folder, _, last = old.rpartition("/")
    new = f"{folder}/{last.upper()}".lstrip("/")
    (tmp_path / old).rename(tmp_path / new)
    found = audited(tmp_path)
    wanted = expected(made, "case-mismatch", lambda page, file, _: file == old and page != old)
    mine = Counter(
        (new, "case-mismatch", f"{relative(old, file)}{'#' * bool(fragment)}{fragment}")
        for page, file, fragment in made.references
        if page == old == file
    )
    assert told(found) == wanted + mine
    assert all(one.hint.certain for one in found.findings)


@pytest.mark.parametrize("seed", SEEDS)
def test_an_id_is_dropped(tmp_path, seed):
    made = clean(seed)
    target = target_of(made)
    dropped = Counter(f for _, file, f in made.references if file == target and f).most_common(1)[0][0]
    made.ids[target].remove(dropped)
    found = audited(tmp_path, made.files())
    assert told(found) == expected(made, "missing-fragment", lambda _, file, f: (file, f) == (target, dropped))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_page_moves_to_another_folder(tmp_path, seed):
    made = clean(seed)
    write(tmp_path, made.files())
    moved = next(page for page, file, _ in made.references if page != file and page != target_of(made))
    (tmp_path / "else/where").mkdir(parents=True)
    (tmp_path / moved).rename(tmp_path / "else/where/moved.html")
    found = audited(tmp_path)
    elsewhere = Counter((one.path, one.name, one.reference) for one in found.findings if "moved" not in one.path)
    assert elsewhere == expected(made, "missing-target", lambda page, file, _: file == moved and page != moved)
    assert {one.path for one in found.findings} - {page for page, _, _ in elsewhere} == {"else/where/moved.html"}


LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


def with_one_letter_changed(name, chance):
    """The name with one letter or digit replaced, left out, added, or with two neighbours exchanged."""
    at = chance.choice([n for n, one in enumerate(name) if one in LETTERS])
    new = chance.choice([one for one in LETTERS if one != name[at]])
    return chance.choice([name[:at] + new + name[at + 1 :], name[:at] + name[at + 1 :], name[:at] + new + name[at:]])


@pytest.mark.parametrize("seed", range(40))
def test_a_changed_letter_is_never_corrected(tmp_path, seed):
    """Whether an ID that is close is the one that was meant, nobody can tell: many trees have both."""
    made = clean(seed)
    chance = random.Random(seed)  # noqa: S311 - the same tree each time
    target = target_of(made)
    for number, name in enumerate(made.ids[target]):
        made.ids[target][number] = with_one_letter_changed(name, chance)
    pages = made.files()
    folder, slash, last = target.rpartition("/")
    if seed % 2:
        pages[folder + slash + with_one_letter_changed(last.removesuffix(".html"), chance) + ".html"] = pages.pop(
            target
        )
    found = audited(tmp_path, pages)
    assert found.findings
    assert [one for one in found.findings if one.hint and one.hint.certain] == []
