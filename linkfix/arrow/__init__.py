"""Tables of the links and pages of many documents, in Arrow: iterators of record batches, in constant memory.

    import pyarrow.parquet
    import linkfix.arrow

    batches = linkfix.arrow.links(linkfix.arrow.warc("crawl.warc.gz"), columns=["page", "element", "target"])
    for batch in batches: ...

`warc` returns the documents of a WARC file as rows. `links`, `pages` and `absolutize` take rows with a column of
documents, from `warc` or elsewhere. A document that cannot be read is a row of `pages` with its `problem`; all other
documents are read.

Needs pyarrow: install linkfix[arrow].

    WARC file ── reading (warc) ─▶ rows ┐
    batches of the caller ──────────────┴─ reading (Reading) ─▶ documents, or why one is not read
    documents ── tables, kernels/link_table ─▶ batches ── tables (SINKS) ─▶ .parquet, .arrow, .csv, .jsonl

`batches` has the schemas. `linkfix.spark` and `linkfix links --output` stand on these modules: they divide files among
processes, and survive a document that ends one.
"""

from __future__ import annotations

from linkfix.errors import Needs

with Needs("linkfix.arrow", "pyarrow", "arrow"):
    import pyarrow as pa

from linkfix.arrow.batches import LINKS_SCHEMA, PAGES_SCHEMA, WARC_SCHEMA, absolutized_schema, links_schema
from linkfix.arrow.reading import DocumentColumns, warc
from linkfix.arrow.tables import absolutize, links, pages

__all__ = [
    "LINKS_SCHEMA",
    "PAGES_SCHEMA",
    "WARC_SCHEMA",
    "DocumentColumns",
    "absolutize",
    "absolutized_schema",
    "links",
    "links_schema",
    "pages",
    "warc",
]

del pa
