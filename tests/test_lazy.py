"""Values that are computed at first use."""

from linkfix.lazy import cached_value


class Counting:
    """Counts the calls of its property."""

    calls = 0

    @cached_value
    def value(self) -> int:
        """The number of calls so far."""
        self.calls += 1
        return self.calls


def test_a_value_is_computed_once_for_each_instance():
    first, second = Counting(), Counting()
    assert (first.value, first.value, first.calls) == (1, 1, 1)
    assert (second.value, second.calls) == (1, 1)


def test_a_value_can_be_set_and_forgotten():
    counting = Counting()
    counting.value = 7
    assert (counting.value, counting.calls) == (7, 0)
    del counting.value
    assert (counting.value, counting.calls) == (1, 1)


def test_the_class_has_the_property_with_its_documentation():
    assert isinstance(Counting.value, cached_value)
    assert Counting.value.__doc__ == "The number of calls so far."
