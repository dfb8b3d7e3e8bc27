"""The IDs of Markdown pages: made only where a fragment asks for them."""

from __future__ import annotations

import pickle

from support.audit_trees import audited, told

from linkfix.auditing.source_ids import SourceIds
from linkfix.markdown.heading_ids import Heading

FILES = {"a.md": "# One\n\n[b](b.md#two) [b](b.md#gone)\n", "b.md": "# Two\n", "c.md": "# Three\n\n[a](a.md)\n"}


def test_only_pages_that_fragments_lead_to(tmp_path, monkeypatch):
    made = []
    make = SourceIds.make

    def counted(self, in_html):
        made.append([heading.text for heading in self.headings])
        return make(self, in_html)

    monkeypatch.setattr(SourceIds, "make", counted)
    assert told(audited(tmp_path, FILES)) == [("a.md", "missing-fragment", "b.md#gone")]
    assert made == [["Two"]]


def test_the_parts_go_from_process_to_process():
    parts = SourceIds("github", [Heading("A b", "A b", "A b")], ["c"], {"d": 1}, ["#e"], None, None)
    assert pickle.loads(pickle.dumps(parts)) == parts  # noqa: S301 - our own bytes
    ids, facts = parts.make((b"f",))
    assert ids == {b"a-b", b"fn-d", b"fnref-d", b"#e"}
    assert sorted(facts.disputed) == ["fn-d", "fnref-d"]
