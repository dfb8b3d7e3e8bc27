"""LangChain: a document of Markdown, by markdownify, with links resolved as in browsers.

Run it: `python examples/recipes/langchain_markdownify.py URL`.
"""

import sys

import requests
from langchain_community.document_transformers import MarkdownifyTransformer
from langchain_core.documents import Document

from linkfix.hooks.requests import install

session = install(requests.Session(), escape_ampersands=True)
page = session.get(sys.argv[1], timeout=60)
documents = [Document(page.text, metadata={"source": page.url})]
documents = MarkdownifyTransformer().transform_documents(documents)

print(*(document.page_content for document in documents), sep="\n")
