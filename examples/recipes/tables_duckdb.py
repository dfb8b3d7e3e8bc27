"""The links whose target was not captured: an anti join, by DuckDB."""

import duckdb
import pyarrow as pa

import linkfix.arrow

batches = linkfix.arrow.warc("crawl.warc.gz", columns=["url"])
captures = pa.RecordBatchReader.from_batches(pa.schema([("url", pa.string())]), batches)
missing = duckdb.sql("""
    SELECT target, count(*) AS links, min(page) AS page
    FROM 'links/**/*.parquet' AS link
    ANTI JOIN captures ON captures.url = split_part(link.target, '#', 1)
    WHERE role = 'hyperlink' AND target LIKE 'http%'
    GROUP BY target
    ORDER BY links DESC, target
""")
for target, count, page in missing.fetchall() if missing else ():
    print(count, target, page)
