"""LangChain: a document of text, by BeautifulSoup, with links resolved as in browsers.

Run it: `python examples/recipes/langchain_soup.py URL`.
"""

import sys

import requests
from langchain_community.document_transformers import BeautifulSoupTransformer
from langchain_core.documents import Document

from linkfix.hooks.requests import install

session = install(requests.Session(), escape_ampersands=True)
page = session.get(sys.argv[1], timeout=60)
documents = [Document(page.text, metadata={"source": page.url})]
documents = BeautifulSoupTransformer().transform_documents(documents, tags_to_extract=["p", "a"])

print(*(document.page_content for document in documents), sep="\n")
