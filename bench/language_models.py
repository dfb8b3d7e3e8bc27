"""Tools that make text or Markdown of pages: how many of six difficult links each keeps, alone and after linkfix.

    python bench/language_models.py          # the table of docs/scrapers/language-models.md

Alone, a tool gets the response and its URL, as its documentation has it. With linkfix, its script in examples/recipes
runs. Both read one page from a server on this machine. A link counts if its target in browsers stands in the output;
`&amp;` there is `&`, as in HTML and Markdown. Tools that are not installed are left out.
"""

from __future__ import annotations

import asyncio
import logging
import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

import requests

CHECKOUT = Path(__file__).parents[1]
sys.path.insert(0, str(CHECKOUT / "tests"))

from support.scraped_site import ARTICLE, PAGES, serving  # noqa: E402

__all__ = ["TOOLS", "Tool", "alone", "head", "kept", "main", "row", "with_linkfix"]

RECIPES = CHECKOUT / "examples" / "recipes"


class Tool(NamedTuple):
    """A way from a page to text. `module`: what it imports; `recipe`: the name of its script."""

    package: str
    module: str
    alone: Callable[[requests.Response], str]
    recipe: str


# The tools alone. None is imported before it is asked.


def _markdownify(page: requests.Response) -> str:
    from markdownify import markdownify

    return markdownify(page.text)


def _markitdown(page: requests.Response) -> str:
    from markitdown import MarkItDown

    return MarkItDown().convert_response(page).markdown


def _html2text(page: requests.Response) -> str:
    from html2text import HTML2Text

    return HTML2Text(baseurl=page.url, bodywidth=0).handle(page.text)


def _trafilatura(page: requests.Response) -> str:
    import trafilatura

    return trafilatura.extract(page.content, url=page.url, include_links=True, include_images=True) or ""


def _inscriptis(page: requests.Response) -> str:
    from inscriptis import get_text
    from inscriptis.model.config import ParserConfig

    return get_text(page.text, ParserConfig(display_links=True))


def _resiliparse(page: requests.Response) -> str:
    from resiliparse.extract.html2text import extract_plain_text

    return extract_plain_text(page.text, main_content=True, links=True)


def _readability(page: requests.Response) -> str:
    import readability

    return readability.Document(page.content, url=page.url).summary()


def _newspaper(page: requests.Response) -> str:
    import newspaper

    return newspaper.article(page.url).article_html


def _langchain(page: requests.Response, transformer: str, options: dict[str, bool], **how: list[str]) -> str:
    from langchain_community import document_transformers
    from langchain_core.documents import Document

    documents = [Document(page.text, metadata={"source": page.url})]
    made = getattr(document_transformers, transformer)(**options).transform_documents(documents, **how)
    return "\n".join(document.page_content for document in made)


def _crawl4ai(page: requests.Response) -> str:
    from crawl4ai import AsyncWebCrawler
    from crawl4ai.async_crawler_strategy import AsyncHTTPCrawlerStrategy

    async def crawled() -> str:
        async with AsyncWebCrawler(crawler_strategy=AsyncHTTPCrawlerStrategy(), verbose=False) as crawler:
            return str((await crawler.arun(page.url)).markdown)

    return asyncio.run(crawled())


TOOLS = {
    "markdownify": Tool("markdownify", "markdownify", _markdownify, "markdownify_page"),
    "markitdown": Tool("markitdown", "markitdown", _markitdown, "markitdown_page"),
    "html2text": Tool("html2text", "html2text", _html2text, "html2text_page"),
    "trafilatura": Tool("trafilatura", "trafilatura", _trafilatura, "trafilatura_text"),
    "inscriptis": Tool("inscriptis", "inscriptis", _inscriptis, "inscriptis_text"),
    "Resiliparse": Tool("resiliparse", "resiliparse", _resiliparse, "resiliparse_text"),
    "readability-lxml": Tool("readability-lxml", "readability", _readability, "readability_summary"),
    "newspaper4k": Tool("newspaper4k", "newspaper", _newspaper, "newspaper_article"),
    "LangChain Html2TextTransformer": Tool(
        "langchain-community",
        "langchain_community",
        lambda page: _langchain(page, "Html2TextTransformer", {"ignore_links": False}),
        "langchain_html2text",
    ),
    "LangChain MarkdownifyTransformer": Tool(
        "langchain-community",
        "langchain_community",
        lambda page: _langchain(page, "MarkdownifyTransformer", {}),
        "langchain_markdownify",
    ),
    "LangChain BeautifulSoupTransformer": Tool(
        "langchain-community",
        "langchain_community",
        lambda page: _langchain(page, "BeautifulSoupTransformer", {}, tags_to_extract=["p", "a"]),
        "langchain_soup",
    ),
    "Crawl4AI": Tool("crawl4ai", "crawl4ai", _crawl4ai, "crawl4ai_markdown"),
}


def kept(text: str, site: str) -> list[bool]:
    """Whether the target of each link of the page stands in a tool's output."""
    words = set(re.findall(r"""[^\s"'<>()\[\]]+""", text.replace("&amp;", "&")))
    return [target in words for target in PAGES[ARTICLE].absolute_targets(site)]


def alone(tool: Tool, site: str) -> list[bool]:
    """The links that a tool keeps by itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of the tools, about their own state
        logging.getLogger("tldextract").disabled = True  # newspaper's; without a network it says so at length
        return kept(tool.alone(requests.get(site + ARTICLE, timeout=60)), site)


def with_linkfix(tool: Tool, site: str) -> list[bool]:
    """The links that its script prints."""
    command = [sys.executable, "-W", "ignore", RECIPES / f"{tool.recipe}.py", site + ARTICLE]
    return kept(subprocess.run(command, capture_output=True, check=True, encoding="utf-8").stdout, site)


def head() -> list[str]:
    """The first lines of the table."""
    return ["| tool | alone | with linkfix |", "|---|---|---|"]


def row(name: str, by_itself: list[bool], with_it: list[bool]) -> str:
    """A tool's line of the table."""
    return f"| {name} | {sum(by_itself)} of {len(by_itself)} | {sum(with_it)} of {len(with_it)} |"


def main() -> None:
    """Print the table."""
    versions: dict[str, str] = {}
    absent = []
    print(*head(), sep="\n")
    with serving() as site:
        for name, tool in TOOLS.items():
            try:
                versions[tool.package] = version(tool.package)
            except PackageNotFoundError:
                absent.append(name)
                continue
            print(row(name, alone(tool, site.url), with_linkfix(tool, site.url)))
    python = ".".join(map(str, sys.version_info[:3]))
    print(f"\nPython {python}; {', '.join(f'{package} {number}' for package, number in sorted(versions.items()))}")
    print(f"left out, not installed: {', '.join(absent) or 'none'}")


if __name__ == "__main__":
    main()
