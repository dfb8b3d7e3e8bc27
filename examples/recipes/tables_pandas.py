"""A column of HTML with absolute links, and the problems of its documents, with pandas."""

import pandas as pd
import pyarrow as pa

import linkfix.arrow

crawl = pd.DataFrame({"url": ["http://a.example/b/c"], "html": ["<a href=../d>d</a>"], "crawled": [2026]})
table = pa.Table.from_pandas(crawl, preserve_index=False)
crawl = pa.Table.from_batches(linkfix.arrow.absolutize(table)).to_pandas()
print(crawl["html"][0])
pages = pa.Table.from_batches(linkfix.arrow.pages(table, columns=["page", "links", "problem"])).to_pandas()
print(pages.to_csv(index=False), end="")
