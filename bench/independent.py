"""A checker of broken references that shares nothing with linkfix: another parser (lexbor), its own rules.

It reads every page of a tree as a browser would, served by a plain static server, and says which references lead to no
file and which fragments to no element. It is written to be right and short, not fast; `agreement.py` compares it with
`linkfix audit`.
"""

from __future__ import annotations

import argparse
import codecs
import multiprocessing
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote_to_bytes, urlsplit

import tinycss2
from selectolax.lexbor import LexborHTMLParser, LexborNode

__all__ = ["Broken", "check"]

# Element -> attributes with one URL (HTML, index of attributes, and HTML 4.01 for what is obsolete but still fetched).
ONE = {
    "a": ("href",),
    "area": ("href",),
    "link": ("href",),
    "base": (),
    "img": ("src", "longdesc", "lowsrc"),
    "image": ("src",),
    "script": ("src",),
    "iframe": ("src", "longdesc"),
    "frame": ("src", "longdesc"),
    "source": ("src",),
    "video": ("src", "poster"),
    "audio": ("src",),
    "track": ("src",),
    "embed": ("src",),
    "input": ("src", "formaction"),
    "button": ("formaction",),
    "form": ("action",),
    "object": ("data",),
    "blockquote": ("cite",),
    "q": ("cite",),
    "ins": ("cite",),
    "del": ("cite",),
    "html": ("manifest",),
}
EVERYWHERE = ("background",)
SETS = {"img": ("srcset",), "source": ("srcset",), "link": ("imagesrcset",)}
SELECTOR = (
    "[href],[src],[data],[action],[formaction],[poster],[cite],[longdesc],[lowsrc],[background],[manifest],[srcset],"
    "[imagesrcset],[style],[srcdoc],meta[http-equiv],style"
)
PAGE = re.compile(r"\.x?html?$", re.IGNORECASE)
INDEX = ("index.html", "index.htm")
SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
META_CHARSET = re.compile(rb"""<meta\s[^>]*?charset\s*=\s*["']?\s*([\w:.-]+)""", re.IGNORECASE)
REFRESH = re.compile(r"""\s*[\d.]+\s*(?:[;,]\s*|\s)(?:url\s*=\s*)?(?:"([^"]*)"?|'([^']*)'?|(.+))""", re.IGNORECASE | re.DOTALL)
CANDIDATE = re.compile(r"[\s,]*([^\s,](?:\S*[^\s,])?)(?:,+|\s+(?:[^(),]|\([^)]*\))*(?:,|$)|$)")
WHITE = "".join(map(chr, range(33)))
LINES = re.compile(r"[1-9][0-9]*-[1-9][0-9]*")
CARRIES = re.compile(r"""location\.replace\(\s*["']([^"']*)["']\s*\+\s*location\.search\s*\+\s*location\.hash\s*\)""")


class Reference(NamedTuple):
    """A reference of a page; `element` and `attribute` are "" in a style sheet."""

    element: str
    attribute: str
    value: str


class Page(NamedTuple):
    """What a page says. `refresh`: where a script sends its readers, fragment and all, or None."""

    name: str
    base: str | None
    references: list[Reference]
    ids: frozenset[str]
    carried: str | None
    rustdoc_source: bool


class Broken(NamedTuple):
    """A reference that does not work: `kind` is "target" or "fragment"; `goes_to` is the file that it means."""

    page: str
    element: str
    attribute: str
    reference: str
    kind: str
    why: str
    goes_to: str


def _decode(data: bytes) -> str:
    if data.startswith(codecs.BOM_UTF8):
        return data[3:].decode("utf-8", "replace")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    found = META_CHARSET.search(data[:1024])
    label = found[1].decode("ascii").lower() if found else "utf-8"
    label = {"iso-8859-1": "cp1252", "us-ascii": "cp1252", "iso-8859-9": "cp1254"}.get(label, label)
    try:
        return data.decode(label, "replace")
    except LookupError:
        return data.decode("utf-8", "replace")


def _css(rules: Iterable[object]) -> Iterator[str]:
    """The URLs of component values, by tinycss2's tree; an explicit stack because blocks nest."""
    stack = [iter(rules)]
    while stack:
        for node in stack[-1]:
            kind = getattr(node, "type", "")
            if kind == "url":
                yield node.value  # type: ignore[attr-defined]
            elif kind == "function":
                if node.lower_name in ("url", "src"):  # type: ignore[attr-defined]
                    yield from (a.value for a in node.arguments if a.type == "string")  # type: ignore[attr-defined]
                else:
                    stack.append(iter(node.arguments))  # type: ignore[attr-defined]
                    break
            elif kind == "at-rule" and node.lower_at_keyword == "import":  # type: ignore[attr-defined]
                for part in node.prelude:  # type: ignore[attr-defined]
                    if part.type == "string":
                        yield part.value
                        break
                stack.append(iter(node.prelude))  # type: ignore[attr-defined]
                break
            else:
                inner = [
                    part
                    for part in (getattr(node, "prelude", None), getattr(node, "content", None))
                    if isinstance(part, list)
                ]
                if inner:
                    stack.append(iter([token for part in inner for token in part]))
                    break
        else:
            stack.pop()


def _sheet(text: str) -> list[str]:
    low = text.lower()
    if "url" not in low and "@import" not in low and "\\" not in low:
        return []
    return list(_css(tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True)))


def _style(text: str) -> list[str]:
    low = text.lower()
    return list(_css(tinycss2.parse_component_value_list(text))) if "url" in low or "\\" in low else []


def _references(tree: LexborHTMLParser) -> Iterator[Reference]:
    for node in tree.css(SELECTOR):
        element = node.tag or ""
        attributes = node.attributes
        for name in (*ONE.get(element, ()), *EVERYWHERE):
            if name in attributes:
                yield Reference(element, name, attributes[name] or "")
        for name in SETS.get(element, ()):
            for value in CANDIDATE.findall(attributes.get(name) or ""):
                yield Reference(element, name, value)
        if element == "meta" and (attributes.get("http-equiv") or "").lower() == "refresh":
            found = REFRESH.fullmatch(attributes.get("content") or "")
            if found:
                yield Reference(element, "content", found[1] or found[2] or found[3] or "")
        if element == "style":
            for value in _sheet(node.text()):
                yield Reference("style", "", value)
        for value in _style(attributes.get("style") or ""):
            yield Reference(element, "style", value)
    for node in tree.css("svg *"):
        for name, value in node.attributes.items():
            if name == "xlink:href" or (name == "href" and (node.tag or "") not in ONE):
                yield Reference(node.tag or "", name, value or "")


def _carried(tree: LexborHTMLParser) -> str | None:
    for script in tree.css("script"):
        found = CARRIES.fullmatch(script.text().strip().rstrip(";"))
        if found:
            return found[1]
    return None


def _ids(tree: LexborHTMLParser) -> frozenset[str]:
    ids = {node.attributes["id"] for node in tree.css("[id]")}
    ids |= {node.attributes["name"] for node in tree.css("a[name]")}
    return frozenset(one for one in ids if one)


def read(root: str, name: str) -> Page:
    """Read one page, or style sheet, of a tree."""
    text = _decode(Path(root, name).read_bytes())
    if name.lower().endswith(".css"):
        return Page(name, None, [Reference("", "", value) for value in _sheet(text)], frozenset(), None, False)
    tree = LexborHTMLParser(text)
    bases = [node.attributes["href"] for node in tree.css("base[href]")]
    body: LexborNode | None = tree.body
    source = body is not None and {"rustdoc", "source"} <= set((body.attributes.get("class") or "").split())
    return Page(name, bases[0] or "" if bases else None, list(_references(tree)), _ids(tree), _carried(tree), source)


def _read(job: tuple[str, str]) -> Page:
    return read(*job)


def _split(reference: str) -> tuple[str | None, str | None, str, str | None]:
    """Scheme, authority, path and fragment of a reference as a browser reads it where the base is http."""
    text = reference.strip(WHITE).translate({9: None, 10: None, 13: None})
    text, mark, fragment = text.partition("#")
    kept = fragment if mark else None
    found = SCHEME.match(text)
    scheme = found[1].lower() if found else None
    if found:
        text = text[found.end() :]
    if scheme not in (None, "http", "https"):
        return scheme, None, text, kept
    text = text.partition("?")[0].replace("\\", "/")
    if scheme and not text.startswith("/"):  # "http:x" is relative to a base of the same scheme
        return None, None, text, kept
    if scheme or text.startswith("//"):
        authority, _, path = text.lstrip("/").partition("/")
        return scheme, authority.lower(), "/" + path, kept
    return None, None, text, kept


def _merge(base: str, path: str) -> str:
    """The path of a reference on a path: segments, with dots removed, "%2e" being a dot."""
    segments = [] if path.startswith("/") else base.split("/")[1:-1]
    parts = path.removeprefix("/").split("/")
    for place, part in enumerate(parts):
        dots = part.lower().replace("%2e", ".")
        last = place == len(parts) - 1
        if dots == "..":
            del segments[-1:]
        elif dots != ".":
            segments.append(part)
            continue
        if last:
            segments.append("")
    return "/" + "/".join(segments)


class Tree:
    """A tree served at a base URL. `names` are its files, `folders` its folders."""

    def __init__(self, root: str, url: str) -> None:
        """Walk a tree, through symbolic links too."""
        self.root = root
        parts = urlsplit(url)
        self.scheme, self.host, self.prefix = parts.scheme, parts.netloc.lower(), parts.path.rpartition("/")[0] + "/"
        self.names: set[str] = set()
        self.folders = {""}
        seen = {os.path.realpath(root)}
        for folder, folders, files in os.walk(root, followlinks=True):
            here = os.path.relpath(folder, root).replace(os.sep, "/")
            start = "" if here == "." else here + "/"
            for name in list(folders):
                real = os.path.realpath(os.path.join(folder, name))
                if os.path.realpath(folder).startswith(real + os.sep):
                    folders.remove(name)
            self.folders.update(start + name for name in folders)
            self.names.update(start + name for name in files if os.path.exists(os.path.join(folder, name)))
        self.seen = seen

    def file(self, path: str) -> tuple[str | None, str]:
        """The file that a path of the server means, or None and why there is none."""
        if not path.startswith(self.prefix):
            return None, "outside"
        try:
            name = unquote_to_bytes(path[len(self.prefix) :]).decode()
        except UnicodeError:
            return None, "no such file"
        if name in self.names:
            return name, ""
        folder = name.rstrip("/")
        if folder in self.folders:
            for index in INDEX:
                whole = f"{folder}/{index}".removeprefix("/")
                if whole in self.names:
                    return whole, ""
            return None, "folder without index"
        return None, "no such file"


def _has(page: Page, fragment: str) -> bool:
    fragment = fragment.partition(":~:")[0]
    if fragment in page.ids:
        return True
    decoded = unquote_to_bytes(fragment).decode("utf-8", "replace")
    return decoded in page.ids or decoded.lower() in ("", "top")


def _lines(page: Page, fragment: str) -> bool:
    """rustdoc's source pages mark lines "12-34" by script; both ends are anchors of their own."""
    return page.rustdoc_source and bool(LINES.fullmatch(fragment)) and all(n in page.ids for n in fragment.split("-"))


class Judge:
    """Judges the references of pages, all of which have been read."""

    def __init__(self, tree: Tree, pages: dict[str, Page]) -> None:
        """Take the tree and its pages by name."""
        self.tree = tree
        self.pages = pages

    def url(self, name: str) -> str:
        """The path of a file on the server, as it is in its URL (only what would be misread is escaped)."""
        return self.tree.prefix + name.replace("%", "%25").replace("?", "%3F").replace("#", "%23")

    def base(self, page: Page) -> tuple[bool, str]:
        """Is the base on this server, and its path."""
        own = self.url(page.name)
        if page.base is None:
            return True, own
        scheme, authority, path, _ = _split(page.base)
        if scheme not in (None, "http", "https"):
            return (True, own) if scheme in ("data", "javascript") else (False, "")
        if authority is not None:
            return authority == self.tree.host, _merge("/", path)
        return True, _merge(own, path) if path else own

    def judge(self, page: Page) -> Iterator[Broken]:
        """The broken references of a page."""
        here, base = self.base(page)
        for reference in page.references:
            scheme, authority, path, fragment = _split(reference.value)
            if scheme not in (None, "http", "https"):
                continue
            if authority is None and not here:
                continue
            if authority is not None and authority != self.tree.host:
                continue
            if not path and not fragment:
                continue  # the page itself, or (an empty src) nothing at all
            local = reference.value.startswith("#") and (reference.element == "" or reference.attribute == "style")
            whole = base if not path else _merge(base, path)
            if local:
                continue
            name, why = self.tree.file(whole)
            if name is None:
                if why != "outside":
                    yield Broken(page.name, *reference, "target", why, whole)
                else:
                    yield Broken(page.name, *reference, "outside", why, whole)
                continue
            if fragment and (why := self.fragment(name, fragment)):
                yield Broken(page.name, *reference, "fragment", why, name)

    def fragment(self, name: str, fragment: str) -> str:
        """Why a fragment leads nowhere, or ""."""
        target = self.pages.get(name)
        if target is None or not PAGE.search(name) or _has(target, fragment):
            return ""
        if _lines(target, fragment):
            return "*line range"
        if target.carried is not None:
            next_name, why = self.tree.file(_merge(self.url(name), _split(target.carried)[2]))
            if next_name is None:
                return f"redirect stub to nothing ({why})"
            return "*redirect stub" if not self.fragment(next_name, fragment) else "no such element behind a redirect stub"
        return "no such element"


def load(root: str, processes: int = 2) -> tuple[Tree, dict[str, Page]]:
    raise NotImplementedError


def check(root: str, url: str = "http://tree.invalid/", processes: int = 2) -> tuple[list[Broken], dict[str, Page]]:
    """Every broken reference of a tree served at `url`, in the order of pages."""
    tree = Tree(root, url)
    jobs = [(root, name) for name in sorted(tree.names) if PAGE.search(name) or name.endswith(".css")]
    with multiprocessing.Pool(processes) as pool:
        pages = {page.name: page for page in pool.imap(_read, jobs, chunksize=32)}
    judge = Judge(tree, pages)
    return [broken for page in pages.values() for broken in judge.judge(page)], pages


def main() -> None:
    """Print the broken references of a tree, a line each, and their sums."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root")
    parser.add_argument("--url", default="http://tree.invalid/")
    options = parser.parse_args()
    found, pages = check(options.root, options.url)
    for broken in found:
        print("\t".join(broken))
    sums = Counter((broken.kind, broken.why) for broken in found)
    for (kind, why), number in sums.most_common():
        print(f"{number:8}  {kind}: {why}", file=sys.stderr)
    print(sum(len(p.references) for p in pages.values()), "references of", len(pages), "pages", file=sys.stderr)


if __name__ == "__main__":
    main()
