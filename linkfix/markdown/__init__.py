"""Markdown: the positions of its references and its raw HTML, and the IDs of its headings."""
