"""The settings of site generators, read as data and never run: the URL of a built folder, and its form of links.

A settings file counts if the folder is the one that the generator builds from it. Only literals count: a value that a
program computes is unknown. If two generators could have built the folder, no settings count.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from linkfix.display import clip
from linkfix.errors import InvalidBase
from linkfix.files import atomic
from linkfix.files.folder import INDEX_NAMES, is_repository_root
from linkfix.lazy import lazy_pattern
from linkfix.resolvers import root_url

#: The largest settings file that is read, in bytes, and the number of folders above DIR that are searched.
_LARGEST = 1 << 20
_LEVELS = 3

#: A literal value; None for a value that is not a literal.
Value = str | bool | None

#: The key that stands for values from elsewhere, which may set or replace any other key.
_SPREAD = "..."


class Generator(NamedTuple):
    """A site generator."""

    name: str
    files: tuple[str, ...]
    """Its settings files, in the folder of the project."""
    built: str
    """The folder that it builds by default, in the folder of the project."""
    built_key: str = ""
    """The key for another such folder."""
    url_key: str = ""
    """The key for the URL of the site."""
    path_key: str = ""
    """The key for the path of the site on its host."""
    clean_urls: tuple[str, bool] | None = None
    """The key and the value for links without `.html`."""
    heading_ids: str = ""
    """Its scheme for the IDs of Markdown headings; "" if the audit does not infer it."""
    other_ids: bytes = b""
    """Text in the settings that means another scheme."""
    ignores_case: bool = False
    """Whether upper and lower case in keys are the same."""


def _named(stems: str, suffixes: str) -> tuple[str, ...]:
    return tuple(f"{stem}.{suffix}" for stem in stems.split() for suffix in suffixes.split())


GENERATORS = (
    Generator(
        "MkDocs",
        ("mkdocs.yml", "mkdocs.yaml"),
        "site",
        "site_dir",
        url_key="site_url",
        heading_ids="mkdocs",
        other_ids=b"slugify",
    ),
    Generator(
        "VitePress",
        _named(".vitepress/config", "js ts mjs mts cjs cts"),
        ".vitepress/dist",
        "outDir",
        path_key="base",
        clean_urls=("cleanUrls", True),
    ),
    Generator(
        "Docusaurus",
        _named("docusaurus.config", "js ts mjs mts cjs cts"),
        "build",
        url_key="url",
        path_key="baseUrl",
        clean_urls=("trailingSlash", False),
    ),
    Generator(
        "Astro", _named("astro.config", "js ts mjs mts cjs cts"), "dist", "outDir", url_key="site", path_key="base"
    ),
    Generator(
        "Hugo",
        _named("hugo config config/_default/hugo config/_default/config", "toml yaml yml json"),
        "public",
        "publishDir",
        url_key="baseURL",
        ignores_case=True,
    ),
    Generator("Jekyll", ("_config.yml", "_config.yaml"), "_site", "destination", url_key="url", path_key="baseurl"),
)


class SiteSettings(NamedTuple):
    """The settings that say how a built folder is served."""

    file: str = ""
    """The generator and its settings file, in words."""
    served: tuple[str, ...] = ()
    """The settings that `url` and `path` come from, in words."""
    url: str | None = None
    """The URL of the folder; None if it is not known."""
    path: str | None = None
    """The path of the folder on its host; None if it is not known."""
    links: tuple[str, ...] = ()
    """The settings that `clean_urls` comes from, in words."""
    clean_urls: bool = False
    """Whether links leave `.html` out."""


NO_SETTINGS = SiteSettings()


def find_settings(root: str) -> SiteSettings:
    """The settings of the generator that built the folder at the real path `root`. Never raises."""
    found = [
        (generator, path, values)
        for project in _projects(root)
        for generator in GENERATORS
        for path, values in _read_settings(generator, project)
        if _builds(generator, values, project, root)
    ]
    if len(found) != 1:
        return NO_SETTINGS
    return _site_settings(*found[0])


class HeadingIds(NamedTuple):
    """The scheme for the IDs of Markdown headings."""

    scheme: str = "any"
    file: str = ""
    """The generator and the settings file that the scheme is inferred from, in words; "" if it is not inferred."""


def infer_heading_ids(root: str) -> HeadingIds:
    """The scheme for a folder of sources: the scheme of the generator whose settings are beside it."""
    for generator in GENERATORS:
        for name in generator.files if generator.heading_ids else ():
            path = Path(root).parent / name
            data = _data(path)
            if data is not None and generator.other_ids not in data:
                return HeadingIds(generator.heading_ids, f"{generator.name}, {_short(path)}")
            if data is not None:
                return HeadingIds()
    return HeadingIds()


def _projects(root: str) -> Iterator[Path]:
    """Yield the folders above `root` that may be the project's, as far as the root of the repository."""
    folder = Path(root)
    for _ in range(_LEVELS):
        if is_repository_root(folder) or folder.parent == folder:
            return
        folder = folder.parent
        yield folder


def _data(path: Path) -> bytes | None:
    try:
        return atomic.read(str(path), limit=_LARGEST).data
    except OSError:
        return None


def _read_settings(generator: Generator, project: Path) -> Iterator[tuple[Path, Mapping[str, Value]]]:
    """Yield the path and the values of each settings file of a generator."""
    for name in generator.files:
        path = project / name
        data = _data(path)
        if data is not None:
            read = _READERS.get(name.rpartition(".")[2], _read_javascript)
            values = read(data.decode("utf-8-sig", "replace"))
            yield path, {key.lower(): value for key, value in values.items()} if generator.ignores_case else values


def _key(generator: Generator, key: str) -> str:
    return key.lower() if generator.ignores_case else key


def _builds(generator: Generator, values: Mapping[str, Value], project: Path, root: str) -> bool:
    """Whether a generator with these settings builds the folder `root`."""
    built = values.get(_key(generator, generator.built_key), generator.built)
    return isinstance(built, str) and "\0" not in built and os.path.realpath(project / built) == root


def _site_settings(generator: Generator, path: Path, values: Mapping[str, Value]) -> SiteSettings:
    url, folder = _served(generator, values)
    keys = [key for key, is_used in ((generator.url_key, url), (generator.path_key, folder)) if key and is_used]
    settings = [(key, _literal(generator, values, key)) for key in keys]
    key, wanted = generator.clean_urls or ("", None)
    clean = wanted is not None and values.get(key) is wanted
    return SiteSettings(
        f"{generator.name}, {_short(path)}",
        tuple(f"{key} = {clip(value)}" for key, value in settings if value),
        url,
        folder,
        (f"{key} = {str(wanted).lower()}",) if clean else (),
        clean,
    )


def _served(generator: Generator, values: Mapping[str, Value]) -> tuple[str | None, str | None]:
    """The URL and the path of the built folder; None for what is not certain."""
    path = _literal(generator, values, generator.path_key)
    if path is None or (path and not _PATH.fullmatch(path)):
        return None, None
    folder = f"/{path.strip('/')}/" if path.strip("/") else "/"
    url = _literal(generator, values, generator.url_key)
    if not url or not _URL.fullmatch(url):
        return None, folder if path.strip("/") else None
    try:
        root = root_url(url, INDEX_NAMES)
        origin = "/".join(root.split("/", 3)[:3])
        if folder == "/":
            return root, root[len(origin) :]
        return (root_url(origin + folder, INDEX_NAMES), folder) if root == f"{origin}/" else (None, None)
    except InvalidBase:
        return None, None


def _literal(generator: Generator, values: Mapping[str, Value], key: str) -> str | None:
    """The text of a setting; "" if it is not set, and None if it is not known."""
    if not key:
        return ""
    value = values.get(_key(generator, key), None if _SPREAD in values else "")
    return value if isinstance(value, str) else None


_PATH = lazy_pattern(r"(?!//)(?!(?:.*/)?\.{1,2}(?:/|\Z))/?[\w~%!$&'()*+,;=@.-][\w~%!$&'()*+,;=@./-]*|/", re.ASCII)
_URL = lazy_pattern(r"https?://[^\s\x00-\x20<>\"'`{}|\\^?#@]+", re.IGNORECASE)


def _short(path: Path) -> str:
    """A real path as a person would type it here."""
    here = Path(os.path.realpath(os.curdir))
    return path.relative_to(here).as_posix() if path.is_relative_to(here) else str(path)


# Readers: each returns the literals at the top of a settings file, and None for each other value there.


def _read_lines(text: str, sign: str, begins: re.Pattern[str], end: str) -> dict[str, Value]:
    """The settings in lines `key sign value`, as far as a line that begins with `end`."""
    values: dict[str, Value] = {}
    for line in text.splitlines():
        if end and line.lstrip().startswith(end):
            break
        written, _, rest = line.partition(sign)
        if not begins.fullmatch(written) or rest[:1].strip(" \t") * (sign == ":"):  # in YAML, a space follows the colon
            continue
        key = written.strip().strip("\"'")
        match = None if key in values else _SCALAR.fullmatch(rest)
        double, single, plain = match.groups() if match else (None, None, None)
        values[key] = next((quoted for quoted in (double, single) if quoted is not None), _BOOLEANS.get(plain or ""))
        if plain and values[key] is None and sign == ":":
            values[key] = plain
    return values


_BOOLEANS = {"true": True, "false": False}
_SCALAR = lazy_pattern(r"[ \t]*(?:\"([^\"\\]*)\"|'([^'\\]*)'|([\w./][^\s#'\"]*))[ \t]*(?:[ \t]#.*)?")
_YAML_KEY = lazy_pattern(r"[A-Za-z_][\w-]*[ \t]*|\"[\w-]+\"[ \t]*|'[\w-]+'[ \t]*")
_TOML_KEY = lazy_pattern(r"[ \t]*(?:[\w-]+|\"[\w-]+\"|'[\w-]+')[ \t]*")


def _read_yaml(text: str) -> dict[str, Value]:
    return _read_lines(text, ":", _YAML_KEY, "")


def _read_toml(text: str) -> dict[str, Value]:
    is_simple = '"""' not in text and "'''" not in text  # a line of a longer string may look like a setting
    return _read_lines(text, "=", _TOML_KEY, "[") if is_simple else {_SPREAD: None}


def _read_json(text: str) -> dict[str, Value]:
    try:
        table = json.loads(text)
    except (ValueError, RecursionError):
        return {_SPREAD: None}
    rows = table.items() if isinstance(table, dict) else ()
    return {key: value if isinstance(value, str | bool) else None for key, value in rows}


_READERS: dict[str, Callable[[str], dict[str, Value]]] = {
    "yml": _read_yaml,
    "yaml": _read_yaml,
    "toml": _read_toml,
    "json": _read_json,
}

#: The tokens of JavaScript and TypeScript, as far as an object of literals needs them (ECMA-262 §12).
_TOKEN = lazy_pattern(
    r"(?P<skip>[\s\ufeff]++|//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/)"
    r"|(?P<string>\"[^\"\\\n]*+\"|'[^'\\\n]*+'|`[^`\\$]*+`)"
    r"|(?P<other>\"(?:[^\"\\\n]++|\\.)*+\"|'(?:[^'\\\n]++|\\.)*+'"
    r"|`(?:[^`\\$]++|\\.|\$(?!\{)|\$\{[^`{}]*+\})*+`)"
    r"|(?P<name>[\w$]++)|(?P<spread>\.\.\.)|(?P<sign>[^\"'`])",
    re.DOTALL,
)
_REGULAR_EXPRESSION = lazy_pattern(r"/(?:[^\\/\[\n]++|\\.|\[(?:[^\]\\\n]++|\\.)*+\])++/\w*+")

_OPENING, _CLOSING = frozenset("{[("), frozenset("}])")
#: The words before a variable that holds the settings.
_DECLARATIONS = frozenset({"const", "let", "var"})
#: The largest number of tokens of a variable's type.
_TYPE = 40


class _Lexeme(NamedTuple):
    kind: str
    text: str


def _read_javascript(text: str) -> dict[str, Value]:
    tokens = _tokens(text)
    start = _exported(tokens) if tokens is not None else None
    return {_SPREAD: None} if tokens is None or start is None else _properties(tokens, start)


def _tokens(text: str) -> list[_Lexeme] | None:
    """The lexemes of a script; None if it has a text that is not understood."""
    found: list[_Lexeme] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            return None
        kind = match.lastgroup or ""
        if match[0] == "/" and not (found and (found[-1].kind != "sign" or found[-1].text in _CLOSING)):
            match = _REGULAR_EXPRESSION.match(text, position)
            if match is None:
                return None
            kind = "other"
        if kind != "skip":
            found.append(_Lexeme(kind, match[0]))
        position = match.end()
    return found


def _texts(tokens: list[_Lexeme], start: int, number: int) -> list[str]:
    return [token.text for token in tokens[start : start + number]]


def _exported(tokens: list[_Lexeme]) -> int | None:
    """The index of the brace that begins the exported object; None if it is not certain which object that is."""
    places = [
        at + len(words)
        for words in (["export", "default"], ["module", ".", "exports", "="])
        for at in range(len(tokens))
        if tokens[at].text == words[0] and _texts(tokens, at, len(words)) == words
    ]
    if len(places) != 1:
        return None
    at = _object(tokens, places[0])
    if at is not None:
        return at
    at = _wrapped(tokens, places[0])
    name = tokens[at].text if at < len(tokens) and tokens[at].kind == "name" else ""
    declared = [
        number + 2
        for number in range(len(tokens) - 1)
        if tokens[number].text in _DECLARATIONS and tokens[number + 1].text == name
    ]
    is_changed = any(
        tokens[number].text == name and _texts(tokens, number + 1, 1) in (["."], ["["]) for number in range(len(tokens))
    )
    if len(declared) != 1 or is_changed:
        return None
    for number in range(declared[0], min(declared[0] + _TYPE, len(tokens))):
        if tokens[number].text == "=":
            return _object(tokens, number + 1)
    return None


def _wrapped(tokens: list[_Lexeme], at: int) -> int:
    """The index of the argument in calls of functions like `defineConfig`."""
    while at + 1 < len(tokens) and tokens[at].kind == "name" and tokens[at + 1].text == "(":
        at += 2
    return at


def _object(tokens: list[_Lexeme], at: int) -> int | None:
    at = _wrapped(tokens, at)
    return at if at < len(tokens) and tokens[at].text == "{" else None


def _properties(tokens: list[_Lexeme], start: int) -> dict[str, Value]:
    """The properties of the object that begins at `start`."""
    values: dict[str, Value] = {}
    depth = 0
    for at in range(start, len(tokens)):
        text = tokens[at].text
        before = tokens[at - 1].text
        if text in _OPENING and tokens[at].kind == "sign":
            depth += 1
        elif text in _CLOSING and tokens[at].kind == "sign":
            depth -= 1
            if not depth:
                return values
        elif depth == 1 and tokens[at - 1].kind == "sign" and (before == "," or at == start + 1):
            if tokens[at].kind == "spread":
                values = {_SPREAD: None}
            elif tokens[at].kind in {"name", "string"}:
                values[text.strip("\"'`")] = _value(tokens, at + 1)
    return {_SPREAD: None}


def _value(tokens: list[_Lexeme], at: int) -> Value:
    """The literal of a property, between its colon and the next property."""
    colon, value, end = (tokens[at : at + 3] + [_Lexeme("", "")] * 3)[:3]
    if colon.text != ":" or end.kind != "sign" or end.text not in {",", "}"}:
        return None
    return value.text[1:-1] if value.kind == "string" else _BOOLEANS.get(value.text)
