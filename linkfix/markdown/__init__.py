"""Markdown: where its references stand, its raw HTML, and the IDs of its headings."""
