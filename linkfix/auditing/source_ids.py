"""The IDs of a Markdown page. They are made only for pages that fragments lead to, since there are many schemes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from linkfix.markdown.heading_ids import Heading


class HeadingFacts(NamedTuple):
    """The IDs of headings that a correction must not take for certain, and those that replace others."""

    disputed: frozenset[str]
    """The IDs that not every program makes which may build the page."""
    not_at_github: frozenset[str]
    """The IDs in the page's Markdown that GitHub does not make."""
    explicit: Mapping[str, str]
    """The ID that a heading would have without its explicit one -> the explicit ID."""


class SourceIds(NamedTuple):
    """The parts of a Markdown page that its IDs are made of."""

    scheme: str
    """The scheme for the IDs of headings."""
    headings: list[Heading]
    stated: list[str]
    """The IDs in attributes, except the IDs of headings."""
    footnotes: Mapping[str, int]
    """As in `linkfix.markdown.page.MarkdownPage`."""
    names: list[str]
    """The names for wikilinks; empty if the page's program has none."""
    reads_attributes: bool | None
    """Whether MkDocs reads attributes in braces; None if that is not known."""
    mark: str | None
    """The mark of footnotes: see `linkfix.auditing.generators.model.SourceSettings`."""

    def make(self, in_html: Iterable[bytes]) -> tuple[set[bytes], HeadingFacts]:
        """The IDs of headings and footnotes and the IDs in attributes, all in UTF-8, and the facts about them.

        `in_html`: the IDs in raw HTML.
        """
        from linkfix.markdown.heading_ids import heading_ids, reads_attributes  # few trees have Markdown

        html = {one.decode("utf-8", "replace") for one in in_html}
        is_mkdocs = self.scheme == "mkdocs"
        is_plain = is_mkdocs and self.reads_attributes is False
        stated = self.stated if reads_attributes(self.scheme) and not is_plain else []
        plain = [one._replace(text=one.raw_text, explicit_id="") for one in self.headings] if is_mkdocs else []
        notes = {} if is_mkdocs and self.mark == "" else self.footnotes
        headings = plain if is_plain else self.headings
        made = heading_ids(headings, self.scheme, {*stated, *html}, notes, self.mark or ":")
        ids, disputed = {*stated, *made.ids}, set(made.disputed)
        if is_mkdocs and self.reads_attributes is None:
            others = heading_ids(plain, self.scheme, html).ids
            disputed |= made.ids ^ others
            ids |= others
        facts = HeadingFacts(
            frozenset(disputed.difference(stated, html)),
            frozenset(made.not_at_github.union(stated) - html),
            made.explicit,
        )
        return {one.encode("utf-8", "replace") for one in ids.union(self.names)}, facts
