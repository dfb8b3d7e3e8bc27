"""A checker of broken references that shares nothing with linkfix: another parser (lexbor), and rules of its own.

It reads each page of a tree as a browser would that gets it from a plain static server, the tree at the server's root,
and says which references lead to no file, and which fragments to no element. It is made to be right and short, not
fast; `agreement.py` holds `linkfix audit` against it.

    python bench/independent.py TREE [--url http://host/path/]    a line each; sums on standard error
"""

from __future__ import annotations

import argparse
import codecs
import multiprocessing
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote_to_bytes, urlsplit

import tinycss2
from selectolax.lexbor import LexborHTMLParser

__all__ = ["LINE_RANGE", "WHITE", "Broken", "check"]

#: Element -> attributes of one URL: HTML's index of attributes, and those of HTML 4.01 that browsers still fetch or
#: follow.
ONE: dict[str, tuple[str, ...]] = {
    "a": ("href",),
    "area": ("href",),
    "audio": ("src",),
    "blockquote": ("cite",),
    "button": ("formaction",),
    "del": ("cite",),
    "embed": ("src",),
    "form": ("action",),
    "frame": ("src", "longdesc"),
    "html": ("manifest",),
    "iframe": ("src", "longdesc"),
    "image": ("src",),
    "img": ("src", "longdesc", "lowsrc"),
    "input": ("src", "formaction"),
    "ins": ("cite",),
    "link": ("href",),
    "object": ("data",),
    "q": ("cite",),
    "script": ("src",),
    "source": ("src",),
    "track": ("src",),
    "video": ("src", "poster"),
}
SETS = {"img": "srcset", "link": "imagesrcset", "source": "srcset"}
SELECTOR = ",".join(
    [f"[{name}]" for name in sorted({name for names in ONE.values() for name in names} | set(SETS.values()))]
    + ["[background]", "[style]", "meta[http-equiv]", "style"]
)
#: Functions of CSS whose strings are URLs.
STRINGS = {"url", "src", "image-set", "-webkit-image-set"}
#: Why a fragment that no element has is not broken, though a checker that knows no scripts says so.
LINES, STUB = "a script shows the lines", "a script carries the fragment on"

PAGE = re.compile(r"\.x?html?$", re.IGNORECASE)
INDEX = ("index.html", "index.htm")
WHITE = "".join(map(chr, range(33)))  # C0 control or space: stripped at both ends of a URL
SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
META_CHARSET = re.compile(rb"""<meta\s[^>]*?charset\s*=\s*["']?\s*([\w:.-]+)""", re.IGNORECASE)
REFRESH = re.compile(
    r"""\s*[\d.]+\s*(?:[;,]\s*|\s)(?:url\s*=\s*)?(?:"([^"]*)"?|'([^']*)'?|(.+))""", re.IGNORECASE | re.DOTALL
)
CANDIDATE = re.compile(r"[\s,]*([^\s,](?:\S*[^\s,])?)(?:,+|\s+(?:[^(),]|\([^)]*\))*(?:,|$)|$)")
LINE_RANGE = re.compile(r"[1-9][0-9]*-[1-9][0-9]*")
CARRIES = re.compile(r"""location\.replace\(\s*(["'])([^"']*)\1\s*\+\s*location\.search\s*\+\s*location\.hash\s*\);?""")
HOPS = 20


class Reference(NamedTuple):
    """A reference of a page; `element` and `attribute` are "" in a style sheet."""

    element: str
    attribute: str
    value: str


class Page(NamedTuple):
    """The facts of a page.

    `ids`: possible targets of fragments. `carried`: the URL to which a script sends readers on, fragment included.
    `numbered`: whether it is a source text of rustdoc, with an element for each line.
    """

    name: str
    base: str | None
    references: tuple[Reference, ...]
    ids: frozenset[str] = frozenset()
    carried: str | None = None
    numbered: bool = False


class Broken(NamedTuple):
    """A reference that does not work. `kind`: "target" or "fragment"; "" if only a script makes it work; "climbs" if it
    works only while the tree's root is the host's, at which a browser stops.

    `goes_to`: the file, or the path if there is no file.
    """

    page: str
    element: str
    attribute: str
    reference: str
    kind: str
    why: str
    goes_to: str


def decode(data: bytes) -> str:
    """Text of a page: BOM, else its `meta`, else windows-1252; labels as browsers read them."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    if data.startswith(codecs.BOM_UTF8):
        return data[3:].decode("utf-8", "replace")
    found = META_CHARSET.search(data[:1024])
    label = found[1].decode("ascii").lower() if found else "windows-1252"
    label = {"iso-8859-1": "cp1252", "us-ascii": "cp1252", "iso-8859-9": "cp1254", "euc-kr": "cp949"}.get(label, label)
    try:
        return data.decode(label, "replace")
    except LookupError:
        return data.decode("cp1252", "replace")


def css_urls(text: str) -> Iterator[str]:
    """The URLs of a style sheet or of declarations, by tinycss2's tree."""
    if not re.search(r"url|@import|\\", text, re.IGNORECASE):
        return
    stack: list[Iterator[Any]] = [iter(tinycss2.parse_component_value_list(text, skip_comments=True))]
    importing = False
    while stack:
        for token in stack[-1]:
            if token.type == "url" or (token.type == "string" and importing):
                yield token.value
            elif token.type == "function" and token.lower_name in STRINGS:
                yield from (argument.value for argument in token.arguments if argument.type == "string")
            importing = (token.type == "at-keyword" and token.lower_value == "import") or (
                importing and token.type == "whitespace"
            )
            inner = getattr(token, "arguments", None) or getattr(token, "content", None)
            if inner:
                stack.append(iter(inner))
                break
        else:
            stack.pop()


def attribute_references(element: str, attributes: dict[str, str]) -> Iterator[Reference]:
    """The references in an element's attributes, except in CSS and SVG."""
    for name in (*ONE.get(element, ()), "background"):
        if name in attributes:
            yield Reference(element, name, attributes[name])
    if element in SETS:
        for value in CANDIDATE.findall(attributes.get(SETS[element], "")):
            yield Reference(element, SETS[element], value)
    if element == "meta" and attributes.get("http-equiv", "").lower() == "refresh":
        found = REFRESH.fullmatch(attributes.get("content", ""))
        if found:
            yield Reference(element, "content", found[1] or found[2] or found[3] or "")


def references(tree: LexborHTMLParser) -> Iterator[Reference]:
    """The references of a document; `noscript` is markup, a `template` is not."""
    for node in {node.mem_id: node for node in tree.css(SELECTOR)}.values():  # a match of two selectors comes twice
        element = node.tag or ""
        attributes = {name: value or "" for name, value in node.attributes.items()}
        yield from attribute_references(element, attributes)
        for attribute, text in (
            ("", node.text() if element == "style" else ""),
            ("style", attributes.get("style", "")),
        ):
            for value in css_urls(text):
                yield Reference(element, attribute, value)
    for node in tree.css("svg *"):
        for name, value in node.attributes.items():
            if name == "xlink:href" or (name == "href" and node.tag not in ONE):
                yield Reference(node.tag or "", name, value or "")


def read(root: str, name: str) -> Page:
    """A page, or a style sheet, of a tree."""
    data = Path(root, name).read_bytes()
    if name.endswith(".css"):
        text = data.decode("utf-8", "replace")
        return Page(name, None, tuple(Reference("", "", value) for value in css_urls(text)))
    tree = LexborHTMLParser(decode(data))
    base = next((node.attributes["href"] or "" for node in tree.css("base[href]")), None)
    ids = {node.attributes["id"] for node in tree.css("[id]")} | {
        node.attributes["name"] for node in tree.css("a[name]")
    }
    scripts = (CARRIES.fullmatch(node.text().strip()) for node in tree.css("script"))
    return Page(
        name,
        base,
        tuple(references(tree)),
        frozenset(one for one in ids if one),
        next((found[2] for found in scripts if found), None),
        bool(tree.css("body.rustdoc.source")),
    )


def _read(job: tuple[str, str]) -> Page:
    return read(*job)


class Url(NamedTuple):
    """A reference in parts, as a browser splits it on an http base; the query is left out."""

    scheme: str
    authority: str | None
    path: str
    fragment: str

    @classmethod
    def split(cls, reference: str) -> Url:
        """Split a reference."""
        text = reference.strip(WHITE).translate({9: None, 10: None, 13: None})
        text, _, fragment = text.partition("#")
        found = SCHEME.match(text)
        scheme = found[1].lower() if found else ""
        text = text[found.end() :] if found else text
        if scheme not in {"", "http", "https"}:
            return cls(scheme, None, text, fragment)
        text = text.partition("?")[0].replace("\\", "/")
        if not text.startswith("//") and not (scheme and text.startswith("/")):
            return cls("", None, text, fragment)  # "http:x" is relative, too
        authority, _, path = text.lstrip("/").partition("/")
        return cls(scheme, authority.lower(), "/" + path, fragment)


def merge(base: str, path: str) -> str:
    """The path that a reference means on a base path. Dots go, "%2e" is a dot; nothing is above the root."""
    if not path:
        return base
    segments = [] if path.startswith("/") else base.split("/")[1:-1]
    parts = path.removeprefix("/").split("/")
    for part in parts:
        dots = part.lower().replace("%2e", ".")
        if dots == "..":
            del segments[-1:]
        elif dots != ".":
            segments.append(part)
    if dots in {".", ".."}:
        segments.append("")
    return "/" + "/".join(segments)


def climbs(base: str, path: str, prefix: str) -> bool:
    """Has a path more ".." than there are folders between its base and the tree's root (if it begins with "/", any)."""
    depth = 0 if path.startswith("/") else base.count("/") - prefix.count("/")
    for part in path.removeprefix("/").split("/"):
        depth += {"..": -1, ".": 0}.get(part.lower().replace("%2e", "."), 1)
        if depth < 0:
            return True
    return False


class Server:
    """A tree as a server sees it: names below `prefix` of `host`. Symbolic links are replaced by their targets."""

    def __init__(self, root: str, url: str) -> None:
        """Walk a tree."""
        parts = urlsplit(url)
        self.host, self.prefix = parts.netloc.lower(), parts.path.rpartition("/")[0] + "/"
        self.names: set[str] = set()
        self.folders = {""}
        for folder, folders, files in os.walk(root, followlinks=True):
            real = os.path.realpath(folder) + os.sep
            folders[:] = [one for one in folders if not real.startswith(os.path.realpath(f"{folder}/{one}") + os.sep)]
            start = os.path.relpath(folder, root).replace(os.sep, "/") + "/"
            start = "" if start == "./" else start
            self.folders.update(start + one for one in folders)
            self.names.update(start + one for one in files if Path(folder, one).exists())

    def find(self, path: str) -> tuple[str | None, str]:
        """The file of a path, or None and the reason."""
        try:
            name = unquote_to_bytes(path[len(self.prefix) :]).decode()
        except UnicodeError:
            return None, "no such file"
        if name in self.names:
            return name, ""
        folder = name.removesuffix("/")
        if folder not in self.folders:
            return None, "no such file"
        for index in INDEX:
            inner = f"{folder}/{index}".removeprefix("/")
            if inner in self.names:
                return inner, ""
        return None, "a folder without an index"

    def path(self, name: str) -> str:
        """The path of a file, with the ambiguous characters escaped."""
        return self.prefix + name.replace("%", "%25").replace("?", "%3F").replace("#", "%23")


class Judge:
    """Judges the references of pages when all have been read."""

    def __init__(self, server: Server, pages: dict[str, Page]) -> None:
        """Take a tree and its pages, by name."""
        self.server = server
        self.pages = pages

    def base(self, page: Page) -> str | None:
        """The path of the document base URL; None if that is on another host."""
        own = self.server.path(page.name)
        if page.base is None:
            return own
        url = Url.split(page.base)
        if url.scheme in {"data", "javascript"}:
            return own
        if url.scheme not in {"", "http", "https"} or url.authority not in {None, self.server.host}:
            return None
        return merge(own, url.path)

    def judge(self, page: Page) -> Iterator[Broken]:
        """The broken references of a page."""
        base = self.base(page)
        for reference in page.references:
            url = Url.split(reference.value)
            if url.scheme not in {"", "http", "https"} or url.authority not in {None, self.server.host}:
                continue
            if url.authority is None and base is None:
                continue
            if not url.path and reference.attribute in {"", "style"}:
                continue  # url(#x) of CSS is always local
            svg = not url.path and reference.element not in ONE  # and so is `use href=#x`
            path = merge(self.server.path(page.name) if svg else base or "/", url.path)
            if not path.startswith(self.server.prefix):
                continue
            name, why = self.server.find(path)
            if name is not None and climbs(base or "/", url.path, self.server.prefix):
                yield Broken(page.name, *reference, "climbs", "above the root, and there is such a file below it", name)
            if name is None:
                yield Broken(page.name, *reference, "target", why, path)
            elif url.fragment:
                kind, why = self.fragment(name, url.fragment)
                if why:
                    yield Broken(page.name, *reference, kind, why, name)

    def fragment(self, name: str, fragment: str) -> tuple[str, str]:
        """The fault of a fragment, as `kind` and `why` of `Broken`; both "" if an element has it."""
        fragment = fragment.partition(":~:")[0]
        decoded = unquote_to_bytes(fragment).decode("utf-8", "replace")
        stub = False
        for _ in range(HOPS):
            page = self.pages.get(name)
            if page is None or not PAGE.search(name):
                break
            if {fragment, decoded} & page.ids or decoded.lower() in {"", "top"}:
                break
            if page.numbered and LINE_RANGE.fullmatch(fragment) and page.ids.issuperset(fragment.split("-")):
                return "", LINES
            if page.carried is None:
                return "fragment", "no such element behind a redirect" if stub else "no such element"
            stub = True
            on, why = self.server.find(merge(self.server.path(name), Url.split(page.carried).path))
            if on is None:
                return "fragment", f"redirected to nothing: {why}"
            name = on
        return ("", STUB) if stub else ("", "")


def check(root: str, url: str = "http://tree.invalid/", processes: int = 2) -> tuple[list[Broken], int, int]:
    """The broken references in a tree served at `url`, by page, and the numbers of pages and references read."""
    server = Server(root, url)
    jobs = [(root, name) for name in sorted(server.names) if PAGE.search(name) or name.endswith(".css")]
    with multiprocessing.Pool(processes) as pool:
        pages = {page.name: page for page in pool.imap(_read, jobs, chunksize=32)}
    judge = Judge(server, pages)
    found = [broken for page in pages.values() for broken in judge.judge(page)]
    return found, len(pages), sum(len(page.references) for page in pages.values())


def main() -> None:
    """Print the broken references in a tree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree")
    parser.add_argument("--url", default="http://tree.invalid/", help="where the tree is served")
    options = parser.parse_args()
    found, pages, references_ = check(options.tree, options.url)
    for broken in found:
        if broken.kind:
            print("\t".join(broken))
    for (kind, why), number in Counter((broken.kind or "works", broken.why) for broken in found).most_common():
        print(f"{number:9,}  {kind}: {why}", file=sys.stderr)
    print(f"{references_:9,}  references of {pages:,} pages and style sheets", file=sys.stderr)


if __name__ == "__main__":
    main()
