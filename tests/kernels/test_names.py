"""A name is found in place as a dictionary finds it, in any case."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from linkfix.kernels.names import NameTable

#: Names of fewer and of more than eight bytes, which begin and end alike.
NAME = st.text("ab-1", min_size=1, max_size=10)
#: Text around a name: other bytes that equal a letter without case, and NUL.
AROUND = st.sampled_from([b"", b"a", b"=", b"\0", b"aaaaaaaaa"])


@given(st.lists(NAME, unique=True, max_size=40), NAME | st.text("abAB-1\0\r!", min_size=1, max_size=10), AROUND, AROUND)
def test_names_are_found_in_any_case(names, name, before, after):
    lower = "".join(chr(ord(c) + 32) if "A" <= c <= "Z" else c for c in name)
    expected = names.index(lower) + 1 if lower in names else 0
    data = before + name.encode() + after
    assert NameTable(names).find(data, len(before), len(before) + len(name)) == expected
