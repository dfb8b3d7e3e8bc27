"""The hosts that the pages of a crawl link to, by Polars."""

import polars as pl

links = pl.scan_parquet("links/**/*.parquet").filter(pl.col("role") == "hyperlink")
hosts = links.with_columns(host=pl.col("target").str.extract("^https?://([^/?#]*)")).group_by("host").len()
for host, count in hosts.sort("len", "host", descending=[True, False]).collect().iter_rows():
    print(count, host)
