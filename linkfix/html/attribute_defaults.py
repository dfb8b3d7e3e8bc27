"""Limits for the attribute declarations of a DTD.

Expat goes through all declarations of an element for each of its tags, and for each further declaration, even if nobody
asks for default values.
"""

from __future__ import annotations

#: The maximum number of attributes that a DTD may declare for one element. XHTML's largest element has 34.
_MOST_DECLARED = 1000
#: Limit on how often expat goes through a declaration for tags: max(`_LEAST`, `_RATIO` × the document's bytes).
_RATIO, _LEAST = 20, 1 << 20


class TooManyDefaults(ValueError):
    """A document's DTD would take too much time. The message says why."""


class AttributeDefaults:
    """Counts for the parser of a document of `size` bytes. `declare` is its `AttlistDeclHandler`."""

    def __init__(self, size: int) -> None:
        self._left = max(_LEAST, _RATIO * size)
        self._declared: dict[str, int] = {}
        #: The largest number of attributes declared for one element.
        self.most: int = 0

    def declare(self, element: str, *_attribute: object) -> None:
        """Count a declaration. Raises `TooManyDefaults`."""
        count = self._declared[element] = self._declared.get(element, 0) + 1
        self.most = max(self.most, count)
        if count > _MOST_DECLARED:
            message = f"its DTD declares more than {_MOST_DECLARED:,} attributes of an element"
            raise TooManyDefaults(message)

    def meet_tag(self) -> None:
        """Count a start tag as if its element had the most declarations. Raises `TooManyDefaults`.

        In an entity, the tag's element is not known.
        """
        self._left -= self.most
        if self._left < 0:
            message = "its DTD declares too many attributes for the number of its elements"
            raise TooManyDefaults(message)
