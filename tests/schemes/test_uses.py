from __future__ import annotations

import subprocess
import sys

import pytest
from support.each import for_each

from linkfix import resolve
from linkfix.schemes import lookup, uses

TABLES = {
    name: value
    for name, value in vars(uses).items()
    if isinstance(value, dict | frozenset) and name.isupper() and not name.startswith("_")
}


@for_each(TABLES)
def test_names_are_names_in_lower_case(table):
    assert TABLES[table]
    for name in TABLES[table]:
        assert name == name.lower()
        assert resolve(None, f"{name}:x", "rfc3986").target == f"{name}:x"


def test_unregistered_schemes_are_not_in_the_registry():
    """A newer registry may have some of them: then they leave the table."""
    assert [name for name in uses.UNREGISTERED if lookup(name)] == []


@for_each(sorted(TABLES.keys() - {"UNREGISTERED"}))
def test_schemes_in_the_texts_are_in_the_registry(table):
    assert {name for name in TABLES[table] if not lookup(name)} <= {"javascript"}


def test_hierarchy_is_stated_once_for_each_scheme():
    assert not uses.HIERARCHICAL & uses.WITHOUT_HIERARCHY.keys()
    assert not uses.SLASH_IN_SYNTAX - uses.WITHOUT_HIERARCHY.keys()


@for_each(sorted(uses.WITHOUT_HIERARCHY))
def test_the_text_is_named_in_the_registry(scheme):
    """If both name one: the registry names none for some schemes, such as fax and tel."""
    text = uses.WITHOUT_HIERARCHY[scheme].partition(" §")[0]
    registered = lookup(scheme)
    reference = registered.reference if registered else ""
    if text.startswith("RFC") and reference:
        assert text == reference


def test_every_unregistered_scheme_has_a_reason():
    assert all(uses.UNREGISTERED.values())
    assert uses.UNREGISTERED["man"] == uses.UNREGISTERED["itms-apps"] == "iOS and macOS"


@pytest.mark.parametrize(
    "module", ["linkfix.schemes", "linkfix.schemes.uses", "linkfix.resolvers", "linkfix.document.decide"]
)
def test_the_registry_is_not_read_for_them(module):
    program = f"import sys, {module}\nprint('linkfix.schemes.registry' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True, timeout=60)
    assert done.stdout == "False\n"
