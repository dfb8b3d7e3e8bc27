from __future__ import annotations

from itertools import takewhile

from hypothesis import given
from hypothesis import strategies as st

from linkfix.comparison import common_prefix

SHORT = st.text(alphabet="ab", max_size=9)


@given(SHORT, SHORT)
def test_it_is_as_long_as_both_are_alike(one, other):
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    assert common_prefix(one, other) == common_prefix(one.encode(), other.encode()) == alike
