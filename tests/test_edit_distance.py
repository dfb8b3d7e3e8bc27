from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from linkfix.comparison import distance

SHORT = st.text(alphabet="ab1", max_size=6)


def slips(one, other):
    """The distance by its definition (optimal string alignment), without a limit."""
    table = {(0, 0): 0}
    for i, j in product(range(len(one) + 1), range(len(other) + 1)):
        if (i, j) == (0, 0):
            continue
        ways = []
        if i:
            ways.append(table[i - 1, j] + 1)
        if j:
            ways.append(table[i, j - 1] + 1)
        if i and j:
            ways.append(table[i - 1, j - 1] + (one[i - 1] != other[j - 1]))
        if i > 1 and j > 1 and one[i - 2 : i] == other[j - 2 : j][::-1]:
            ways.append(table[i - 2, j - 2] + 1)
        table[i, j] = min(ways)
    return table[len(one), len(other)]


@given(SHORT, SHORT, st.integers(0, 4))
def test_it_is_that_of_the_definition_up_to_its_limit(one, other, limit):
    assert distance(one, other, limit) == min(slips(one, other), limit + 1)
