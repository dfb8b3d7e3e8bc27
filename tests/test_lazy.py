from __future__ import annotations

from linkfix.lazy import cached_property


class Page:
    made = 0

    @cached_property
    def size(self):
        """How large it is."""
        self.made += 1
        return self.made


class Frame(Page):
    pass


def test_a_cached_property_is_made_once_for_each_object():
    page, frame = Page(), Frame()
    assert [page.size, page.size, frame.size] == [1, 1, 1]
    assert (page.made, frame.made) == (1, 1)


def test_a_cached_property_can_be_set_and_made_again():
    page = Page()
    page.size = 7
    assert (page.size, page.made) == (7, 0)
    del page.size
    assert page.size == 1


def test_a_cached_property_of_the_class_is_itself():
    assert Page.size is Page.__dict__["size"]
    assert Page.size.__doc__ == "How large it is."
