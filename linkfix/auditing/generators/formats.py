"""Readers of settings files: YAML, TOML, JSON, and the exported object of JavaScript and TypeScript.

Each reader returns the literals at the top of a file, and None for each other value there. All of a file in a form that
it does not know is unknown.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from linkfix.auditing.hosts.values import InvalidHostFile, read_toml
from linkfix.lazy import lazy_pattern

if TYPE_CHECKING:
    import ast

#: A literal value; None for a value that is not a literal.
Value = str | bool | None

#: The key that stands for values from elsewhere, which may set or replace any other key.
SPREAD = "..."
UNKNOWN: Mapping[str, Value] = {SPREAD: None}


def read_text(name: str, text: str) -> Mapping[str, Value]:
    """The settings in a file. `name`: the name of the file, whose suffix says how it is read."""
    return _READERS.get(name.rpartition(".")[2], _read_javascript)(text)


def _read_yaml(text: str) -> Mapping[str, Value]:
    """The settings of a YAML file.

    The key of an inner setting, and of an item of a list, begins with the key of its parent: `validation/links`. In a
    list of `_NUMBERED`, the number of the item follows, as in JavaScript. Of the
    forms of YAML, only those count in which a line is certainly a setting. A text in quotes or a list that goes on in
    the next lines could have lines that look like one.
    """
    values: dict[str, Value] = {}
    #: The settings around a line, with twice their column: a hyphen may be below the first letter of its setting.
    around: list[tuple[int, str]] = []
    #: The lines of each text that keeps its line breaks; and those of the text at the current line.
    blocks: dict[str, list[str]] = {}
    block: list[str] = []
    #: The key of each item with a number, and a slash.
    numbers: set[str] = set()
    for level, column, content in _yaml_lines(text):
        if level == _IN_BLOCK:
            block.append(content)
            continue
        block = []
        key, colon, value = content.partition(":")
        is_item = level % 2 == 1
        parent = _parent(around, level, numbers)
        if is_item and parent in numbers and (not content.strip() or content.startswith("#")):
            continue
        if parent:
            values[parent[:-1]] = None  # the text of the setting goes on, or it has settings of its own
        if (_YAML_INNER_KEY if parent else _YAML_KEY).fullmatch(key) and colon and not value[:1].strip(" \t"):
            path = parent + key.strip().strip("\"'")
            around.append((2 * column, path))
            if path in values:
                values[path] = None
                blocks.pop(path, None)
            else:
                values[path] = _scalar(value, plain=True)
                if _YAML_LITERAL.fullmatch(value):
                    blocks[path] = block
            values |= {f"{path}/{name}": True for name in _yaml_list(value)}
            values |= {f"{path}/{name}": inner for name, inner in _yaml_map(value)}
        elif parent:
            name = _scalar(content, plain=True) if is_item else None
            values[parent + name if isinstance(name, str) else parent + SPREAD] = True
        elif not is_item:
            return UNKNOWN
    return values | {path: "\n".join(lines) for path, lines in blocks.items()}


def _parent(around: list[tuple[int, str]], level: int, numbers: set[str]) -> str:
    """The key of the setting around a line, with a slash at the end; "" at the top. `level`: as in `_yaml_lines`.

    `around`, `numbers`: as in `_read_yaml`. They are changed.
    """
    while around and around[-1][0] >= level:
        around.pop()
    if around and level % 2 == 1 and around[-1][1] in _NUMBERED:
        item = f"{around[-1][1]}/{len(numbers)}"
        numbers.add(f"{item}/")
        around.append((level, item))
    return f"{around[-1][1]}/" if around else ""


def _yaml_lines(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the lines that may have settings: level, column of the content, and content.

    The level is twice the column of the line, and one more for an item of a list. A line that may belong to a text in
    quotes has no content. A line of a text without quotes has the level `_IN_BLOCK`.
    """
    lines = _lines(text)
    block = -1  # the column of a setting whose text is in the next lines
    indentation = 0  # that of the text
    is_first = True
    for line in ["?"] if lines is None else lines:
        content = line.lstrip(" ")
        column = len(line) - len(content)
        if content.strip() and column > block >= 0:
            indentation = indentation or column
            yield _IN_BLOCK, 0, line[indentation:]
            continue
        if not content.strip() or content.lstrip().startswith("#"):
            continue
        block, indentation = -1, 0
        if not _CLOSED.fullmatch(line):
            yield 0, 0, ""
        elif line.rstrip() != "---" or not is_first:
            item = _YAML_ITEM.match(content)
            start = item.end() if item else 0
            block = column + start if _YAML_BLOCK.search(content, start) else -1
            yield 2 * column + (item is not None), column + start, content[start:]
        is_first = False


def _yaml_list(text: str) -> list[str]:
    """The items of a list of names in brackets: `[a, "b"]`. An empty list has the item ""; other values have none."""
    match = _YAML_FLOW.fullmatch(text)
    return [name.strip().strip("\"'") for name in match[1].split(",")] if match else []


def _yaml_map(text: str) -> list[tuple[str, Value]]:
    """The settings in braces: `{output: true, permalink: "/r/:name/"}`, also in each other. Other values have none."""
    found: list[tuple[str, Value]] = []
    around: list[str] = []
    start = _YAML_OPEN.match(text)
    at = start.end() if start else len(text)
    while (match := _YAML_PAIR.match(text, at)) and len(around) < _DEEPEST:
        key, value, closing, comma = match.groups()
        around.append(key)
        found.append(("/".join(around), None if value is None else _scalar(value, plain=True)))
        at = match.end()
        if value is None:
            continue
        closed = closing.count("}")
        if closed >= len(around):
            is_whole = closed == len(around) and not comma and _YAML_END.match(text, at)
            return found if is_whole else []
        del around[-1 - closed :]
        if not comma:
            break
    return []


def _read_toml(text: str) -> Mapping[str, Value]:
    """The settings of a TOML file. The key of a setting of a table begins with the table's: `output/html/site-url`."""
    try:
        return dict(_toml_values(read_toml(text.encode()), ""))
    except InvalidHostFile:
        return UNKNOWN


def _toml_values(table: Mapping[str, object], start: str) -> Iterator[tuple[str, Value]]:
    """Yield the settings of a table, as those of YAML. `start`: the beginning of their keys."""
    for key, value in table.items():
        yield start + key, value if isinstance(value, str | bool) else None
        if isinstance(value, dict):
            yield from _toml_values(value, f"{start}{key}/")
        for one in value if isinstance(value, list) else ():
            yield f"{start}{key}/{one if isinstance(one, str) else SPREAD}", True


def _lines(text: str) -> list[str] | None:
    """The lines of a file; None if it has other line breaks, which not all readers know."""
    lines = text.splitlines()
    return lines if len(lines) <= text.count("\n") + 1 else None


def _scalar(text: str, *, plain: bool) -> Value:
    """The literal that is the rest of a line. `plain`: whether text without quotes is one, too."""
    match = _SCALAR.fullmatch(text)
    if match is None:
        words = _YAML_WORDS.fullmatch(text) if plain else None
        return words[1] if words is not None else None
    double, single, word = match.groups()
    if word is not None:
        return _YAML_BOOLEANS.get(word.lower(), word) if plain else _BOOLEANS.get(word)
    return double if double is not None else single


_BOOLEANS = {"true": True, "false": False}
_YAML_BOOLEANS = {**_BOOLEANS, "yes": True, "no": False, "on": True, "off": False}
_SCALAR = lazy_pattern(r"[ \t]*(?:\"([^\"\\]*)\"|'([^'\\]*)'|([\w./][^\s#'\"\[\]{},]*))[ \t]*(?:[ \t]#.*)?")
#: Text without quotes in the rest of a line, with marks and spaces in it (YAML 1.2.2 §7.3.3).
_YAML_WORDS = lazy_pattern(r"[ \t]*([\w./](?:[^\s#:]|:(?=\S)|(?<=\S)#|[ \t]++(?=[^\s#]))*+)[ \t]*(?:[ \t]#.*)?")
_YAML_INNER_KEY = lazy_pattern(r"[A-Za-z_][\w.-]*[ \t]*|\"[\w.-]+\"[ \t]*|'[\w.-]+'[ \t]*")
_YAML_ITEM = lazy_pattern(r"-(?:[ \t]+|$)")
#: A list of names in brackets, the mark of a text in the next lines, and that of one that keeps its line breaks.
_YAML_NAME = r"(?:[\w./-]+|\"[^\"\\,]+\"|'[^',]+')"
_YAML_FLOW = lazy_pattern(
    rf"[ \t]*\[[ \t]*((?:{_YAML_NAME}(?:[ \t]*,[ \t]*{_YAML_NAME})*+)?)[ \t]*\][ \t]*(?:[ \t]#.*)?"
)
#: The beginning of settings in braces; one of them, or the beginning of inner ones; and the rest of the line.
_YAML_OPEN = lazy_pattern(r"[ \t]*\{")
_YAML_PAIR = lazy_pattern(
    r"[ \t]*([\w-]+)[ \t]*:[ \t]+(?:\{|([\w./][^\s#'\"\[\]{},]*+|\"[^\"\\,]*\"|'[^'\\,]*')"
    r"((?:[ \t]*+(?:,[ \t]*+(?=\}))?\})*+)[ \t]*+(,?))"
)
_YAML_END = lazy_pattern(r"(?:(?<=[ \t])#.*)?\Z")
_YAML_BLOCK = lazy_pattern(r"(?:^|[ \t])[|>][-+0-9]{0,2}[ \t]*(?:[ \t]#.*)?\Z")
_YAML_LITERAL = lazy_pattern(r"[ \t]*\|[-+]?[ \t]*(?:[ \t]#.*)?")
_IN_BLOCK = -1
#: The settings that are lists of settings with the same keys.
_NUMBERED = frozenset({"defaults"})
_YAML_KEY = lazy_pattern(r"[A-Za-z_][\w-]*[ \t]*|\"[\w-]+\"[ \t]*|'[\w-]+'[ \t]*")
#: A line of YAML in which each text in quotes ends. Other quotes are plain text, or in a comment.
_CLOSED = lazy_pattern(
    r"(?:(?<![^\s\[{,])(?:\"(?:[^\"\\]|\\.)*+\"|'(?:[^']|'')*+')|(?<!\S)#.*"
    r"|(?<=[^\s\[{,])[\"']|(?<=\S)#|[^\"'#]++)*+"
)


def _read_json(text: str) -> Mapping[str, Value]:
    try:
        table = json.loads(text)
    except (ValueError, RecursionError):
        return UNKNOWN
    rows = table.items() if isinstance(table, dict) else ()
    return {key: value if isinstance(value, str | bool) else None for key, value in rows}


def python_statements(text: str) -> list[ast.stmt] | None:
    """The statements of a Python file, which is not run; None if they cannot be read. Raises `SyntaxError`."""
    import ast  # few projects have such a file
    import warnings

    try:
        with warnings.catch_warnings(action="ignore"):
            return ast.parse(text).body
    except SyntaxError:
        raise
    except (ValueError, RecursionError, MemoryError):  # the last two: expressions of very many levels
        return None


def _read_python(text: str) -> Mapping[str, Value]:
    """The settings of a Python file: the variables that a statement without a condition sets once or last."""
    import ast

    try:
        statements = python_statements(text)
    except SyntaxError:
        return UNKNOWN
    if statements is None:
        return UNKNOWN
    values: dict[str, Value] = {}
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.ImportFrom) and any(one.name == "*" for one in node.names):
                values = {SPREAD: None}
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                values[node.id] = None
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant):
            value = statement.value.value
            names = [target.id for target in statement.targets if isinstance(target, ast.Name)]
            values |= dict.fromkeys(names, value if isinstance(value, str | bool) else None)
    return values


_READERS: dict[str, Callable[[str], Mapping[str, Value]]] = {
    "yml": _read_yaml,
    "yaml": _read_yaml,
    "toml": _read_toml,
    "json": _read_json,
    "py": _read_python,
}

#: The tokens of JavaScript and TypeScript, as far as an object of literals needs them (ECMA-262 §12).
_TOKEN = lazy_pattern(
    r"(?P<skip>[\s\ufeff]++|//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/)"
    r"|(?P<string>\"[^\"\\\n]*+\"|'[^'\\\n]*+'|`[^`\\$]*+`)"
    r"|(?P<other>\"(?:[^\"\\\n]++|\\.)*+\"|'(?:[^'\\\n]++|\\.)*+'"
    r"|`(?:[^`\\$]++|\\.|\$(?!\{)|\$\{[^`{}]*+\})*+`)"
    r"|(?P<name>[\w$]++)|(?P<sign>(?!/\*)[^\"'`])",
    re.DOTALL,
)
_REGULAR_EXPRESSION = lazy_pattern(r"/(?:[^\\/\[\n]++|\\.|\[(?:[^\]\\\n]++|\\.)*+\])++/\w*+")

_OPENING, _CLOSING = frozenset("{[("), frozenset("}])")
#: The largest number of lexemes of a script, and of those of a variable's type.
_LEXEMES, _TYPE = 50_000, 40
#: A function that returns its argument as it is, as far as the settings here go: `defineConfig`, `withMermaid`.
_WRAPPER = lazy_pattern(r"(?:define|with)\w*")


class _Lexeme(NamedTuple):
    kind: str
    text: str


def _read_javascript(text: str) -> Mapping[str, Value]:
    tokens = _tokens(text)
    starts = _exported(tokens)
    if starts is None:
        return UNKNOWN
    found = [*(_properties(tokens, start) for start in starts), _called(tokens)]
    times = Counter(key for values in found for key in values)
    return {key: value if times[key] == 1 else None for values in found for key, value in values.items()}


def _tokens(text: str) -> list[_Lexeme]:
    """The lexemes of a script; none if it is too long, or has a text that is not understood."""
    found: list[_Lexeme] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None or len(found) > _LEXEMES:
            return []
        kind = match.lastgroup or ""
        if match[0] == "/" and not (found and (found[-1].kind != "sign" or found[-1].text in _CLOSING)):
            match = _REGULAR_EXPRESSION.match(text, position)
            if match is None:
                return []
            kind = "other"
        if kind != "skip":
            found.append(_Lexeme(kind, match[0]))
        position = match.end()
    return found


def _texts(tokens: list[_Lexeme], start: int, number: int) -> list[str]:
    return [token.text for token in tokens[start : start + number]]


def _exported(tokens: list[_Lexeme]) -> list[int] | None:
    """The indexes of the braces that begin the objects with settings; None if it is not certain which ones those are.

    They are the default export, or what it returns, and the export `config` beside it, as Eleventy reads it.
    """
    names = [at for at, token in enumerate(tokens) if token.kind == "name"]
    exports = ((at, words) for at in names for words in _NAMED_EXPORTS)
    named = {at: at + len(words) for at, words in exports if _texts(tokens, at, len(words)) == words}
    places = [at for at in names if tokens[at].text == "exports" or _texts(tokens, at, 2) == ["export", "default"]]
    places = [at for at in places if at - 2 not in named]  # without those of `module.exports.config`
    if len(places) != 1 or len(named) > 1:
        return None
    before = places[0] - 2 * (tokens[places[0]].text == "exports")
    words = ["export", "default"] if before == places[0] else ["module", ".", "exports", "="]
    if before < 0 or _texts(tokens, before, len(words)) != words:
        return None
    found = _of_default(tokens, names, before + len(words))
    for at in named.values():
        start = _operand(tokens, at)
        if found is None or start is None or tokens[start].text != "{":
            return None
        found += [start] * (start not in found)
    return found


#: The beginnings of an export with the name `config`.
_NAMED_EXPORTS = (["export", "const", "config", "="], ["module", ".", "exports", ".", "config", "="])


def _of_default(tokens: list[_Lexeme], names: list[int], at: int) -> list[int] | None:
    """The object of the default export, as in `_exported`; none for a function that returns nothing.

    If the object is that of a constant, nothing but the export may name the constant: other code could change it.
    `names`: the indexes of the names. `at`: the index of the first lexeme of the export.
    """
    inner, calls = _argument(tokens, at)
    body = _body(tokens, inner)
    if body is not None:
        return _returned(tokens, body, calls)
    start = _operand(tokens, at)
    if start is None or tokens[start].text == "{":
        return None if start is None else [start]
    declared, *others = [one for one in names if tokens[one].text == tokens[start].text and one != start] or [0]
    if others or declared == 0 or tokens[declared - 1].text != "const":
        return None
    for number in range(declared + 1, min(declared + _TYPE, len(tokens))):
        if tokens[number].text == "=":
            start = _operand(tokens, number + 1)
            return [start] if start is not None and tokens[start].text == "{" else None
    return None


def _body(tokens: list[_Lexeme], at: int) -> int | None:
    """The index of the body of a function; None for no function."""
    at += _texts(tokens, at, 1) == ["async"]
    is_arrow = _texts(tokens, at, 1) != ["function"]
    if not is_arrow:
        at += 1 + (_texts(tokens, at + 1, 1) != ["("])
    if _texts(tokens, at, 1) != ["("] and not (is_arrow and _texts(tokens, at + 1, 2) == ["=", ">"]):
        return None
    at = _end(tokens, at)
    at = _type_end(tokens, at + 1) if _texts(tokens, at, 1) == [":"] else at
    return at if not is_arrow else at + 2 if _texts(tokens, at, 2) == ["=", ">"] else None


#: The words before the parentheses of a statement, and those before a block without parentheses.
_STATEMENTS = frozenset({"if", "for", "while", "switch", "catch", "with"})
_BLOCKS = frozenset({"else", "try", "do", "finally"})


def _returned(tokens: list[_Lexeme], at: int, calls: int) -> list[int] | None:
    """The object that the function with the body at an index returns, as in `_exported`; none if it returns nothing.

    `calls`: the number of calls around the function.
    """
    if _texts(tokens, at, 2) == ["(", "{"]:
        end = _cast_end(tokens, _end(tokens, at + 1))
        return [at + 1] if _texts(tokens, end, 1) == [")"] and _is_closed(tokens, end + 1, calls) else None
    if _texts(tokens, at, 1) != ["{"] or (calls and not _is_closed(tokens, _end(tokens, at), calls)):
        return None
    found = list(_returns(tokens, at))
    if not found:
        return []
    start = found[0] + 1 if len(found) == 1 else at
    is_always = tokens[found[0] - 1].text not in {")", "else"} and sum(map(_nesting, tokens[at : found[0]])) == 1
    return [start] if len(found) == 1 and is_always and _texts(tokens, start, 1) == ["{"] else None


def _returns(tokens: list[_Lexeme], at: int) -> Iterator[int]:
    """Yield the indexes of `return` in a function, but not those in functions in it. `at`: the index of its brace."""
    end, before = _end(tokens, at), at
    at += 1
    while at < end:
        token = tokens[at]
        if token.text == "return" and token.kind == "name":
            yield at
        if token.text == "(" and token.kind == "sign":
            inner = _end(tokens, at)
            is_block = tokens[before].text in _STATEMENTS and _texts(tokens, inner, 1) == ["{"]
            before, at = at, inner + is_block  # into the block, and past any other call or list of parameters
            continue
        is_function = token.text == "{" and tokens[at - 1].text not in _BLOCKS
        before, at = at, _end(tokens, at) if is_function else at + 1


#: A method of Eleventy -> the setting that its first argument is.
_METHODS = {"setInputDirectory": "dir/input", "setOutputDirectory": "dir/output"}


def _called(tokens: list[_Lexeme]) -> dict[str, Value]:
    """The settings that calls of methods make; None for those that are computed, or under a condition."""
    found: dict[str, Value] = {}
    depth = 0
    for at, token in enumerate(tokens):
        depth += _nesting(token)
        if token.text in _METHODS and _texts(tokens, at - 1, 1) == ["."] and _texts(tokens, at + 1, 1) == ["("]:
            key = _METHODS[token.text]
            is_literal = [one.kind for one in tokens[at + 2 : at + 3]] == ["string"] and _texts(tokens, at + 3, 1) == [
                ")"
            ]
            is_sure = key not in found and depth == 1 and _begins_statement(tokens, at - 2)
            found[key] = tokens[at + 2].text[1:-1] if is_literal and is_sure else None
    return found


def _begins_statement(tokens: list[_Lexeme], at: int) -> bool:
    """Whether a statement without a condition begins at an index. A semicolon may be left out before it."""
    before = tokens[at - 1]
    if before.text == ")":
        depth, start = 0, at - 1
        while start and (depth := depth + _nesting(tokens[start])):
            start -= 1
        return tokens[start - 1].text not in _STATEMENTS
    return before.text in {"{", "}", ";"} if before.kind == "sign" else before.text not in _BLOCKS


def _operand(tokens: list[_Lexeme], at: int) -> int | None:
    """The index of the object or name that is a whole expression, without the calls of wrappers around it."""
    at, calls = _argument(tokens, at)
    is_whole = _is_closed(tokens, _cast_end(tokens, _end(tokens, at)), calls)
    return at if is_whole and at < len(tokens) and (tokens[at].kind == "name" or tokens[at].text == "{") else None


def _argument(tokens: list[_Lexeme], at: int) -> tuple[int, int]:
    """The index of the expression in the calls of wrappers at an index, and the number of these calls."""
    calls = 0
    while _WRAPPER.fullmatch("".join(_texts(tokens, at, 1))):
        inner = _arguments_end(tokens, at + 1)
        if _texts(tokens, inner, 1) != ["("]:
            break
        at = inner + 1
        calls += 1
    return at, calls


def _is_closed(tokens: list[_Lexeme], at: int, calls: int) -> bool:
    """Whether calls with one argument end at an index, and a whole expression with them."""
    for _ in range(calls):
        at += _texts(tokens, at, 1) == [","]
        if _texts(tokens, at, 1) != [")"]:
            return False
        at += 1
    return _is_statement_end(tokens, at)


def _cast_end(tokens: list[_Lexeme], at: int) -> int:
    """The index after the types that follow an expression in TypeScript: `as any`, `satisfies UserConfig`."""
    while _texts(tokens, at, 1) in _CASTS:
        at = _type_end(tokens, at + 1)
    return at


#: The words between an expression and its type.
_CASTS = (["as"], ["satisfies"])


def _type_end(tokens: list[_Lexeme], at: int) -> int:
    """The index after a type of TypeScript: `vite.UserConfig<Theme>[]`. Other forms end where they stop to be one."""
    at += 1
    while _texts(tokens, at, 1) == ["."]:
        at += 2
    at = _arguments_end(tokens, at)
    return at + 2 if _texts(tokens, at, 2) == ["[", "]"] else at


def _arguments_end(tokens: list[_Lexeme], at: int) -> int:
    """The index after the arguments of a type: `<string, A<B>>`; `at` if there are none."""
    depth = 0
    for number in range(at, min(at + _TYPE, len(tokens))):
        text, is_arrow = tokens[number].text, tokens[number - 1].text == "="
        depth += (text == "<") - (text == ">" and not is_arrow)
        if not depth:
            return at if number == at else number + 1
    return at


def _is_statement_end(tokens: list[_Lexeme], at: int) -> bool:
    """Whether no expression goes on at an index: it is the end, a semicolon, or the word of the next statement."""
    return at >= len(tokens) or tokens[at].text == ";" or tokens[at].kind == "name"


def _end(tokens: list[_Lexeme], start: int) -> int:
    """The index after a lexeme, or after the bracket that closes it."""
    depth = 0
    for at in range(start, len(tokens)):
        depth += _nesting(tokens[at])
        if not depth:
            return at + 1
    return len(tokens)


def _nesting(token: _Lexeme) -> int:
    return (token.kind == "sign") * ((token.text in _OPENING) - (token.text in _CLOSING))


def _properties(tokens: list[_Lexeme], start: int) -> Mapping[str, Value]:
    """The properties of the object that begins at `start`, and of its inner objects: `themeConfig/navbar/title`."""
    found = _inner(tokens, start, 0)
    return UNKNOWN if found is None else found


def _inner(tokens: list[_Lexeme], start: int, depth: int) -> dict[str, Value] | None:
    """The values of an object or an array; None if nothing ends it. The key of an item of an array is its number."""
    values: dict[str, Value] = {}
    is_object, at, number = tokens[start].text == "{", start + 1, 0
    while at < len(tokens) and tokens[at].text not in _CLOSING:
        key = SPREAD if tokens[at].text == "." else str(number)
        after = at
        if is_object:
            is_named = tokens[at].kind in {"name", "string"} and _texts(tokens, at + 1, 1) in _AFTER_KEY
            key = tokens[at].text.strip("\"'`") if is_named else SPREAD
            after = at + 2 if _texts(tokens, at + 1, 1) == [":"] else len(tokens)
        read = _value(tokens, after, depth)
        if key == SPREAD and not is_object:
            values[SPREAD] = None
        elif key == SPREAD or (key in values and len(read) > 1):
            values = {SPREAD: None}  # properties from elsewhere may replace those before
        else:
            values |= {f"{key}/{name}".rstrip("/"): value for name, value in read.items()}
        at, number = _next_item(tokens, at), number + 1
    return values if at < len(tokens) else None


def _next_item(tokens: list[_Lexeme], at: int) -> int:
    """The index after the comma that ends an item, or of the bracket that ends all items."""
    while at < len(tokens) and tokens[at].text not in _CLOSING:
        if tokens[at] == _COMMA:
            return at + 1
        at = _end(tokens, at)
    return at


#: The lexemes after the name of a property. After another one, as in `get url() {}`, it is not the name.
_AFTER_KEY = ([":"], [","], ["}"], ["("])
_COMMA = _Lexeme("sign", ",")

#: The lexemes that may follow a whole value, and the number of objects in each other that are read.
_AFTER_VALUE = frozenset({",", "satisfies", "as", *_CLOSING})
_DEEPEST = 12

#: The call that stands for the name of a package.
_NAMED = ["require", ".", "resolve", "("]


def _value(tokens: list[_Lexeme], at: int, depth: int) -> dict[str, Value]:
    """The values of an expression: that of its own has the key "". It is None if the expression is no literal.

    What is neither a literal nor an object may have any inner value: `SPREAD`. The options of a call are values, too:
    `starlight()/title`.
    """
    if _texts(tokens, at, 4) == _NAMED and _texts(tokens, at + 5, 1) == [")"]:
        at += 4
    while _texts(tokens, at, 1) == ["("]:
        at += 1
    if at >= len(tokens):
        return {"": None, SPREAD: None}
    value, end = tokens[at], _end(tokens, at)
    is_whole = _is_whole(tokens, end)
    if value.kind == "sign" and value.text in {"{", "["}:
        found = _inner(tokens, at, depth + 1) if is_whole and depth < _DEEPEST else None
        return {"": None, **({SPREAD: None} if found is None else found)}
    if value.kind == "name" and _texts(tokens, at + 1, 2) == ["(", "{"] and depth < _DEEPEST:
        options = _inner(tokens, at + 2, depth + 1) or {}
        return {"": None, SPREAD: None, **{f"{value.text}()/{name}": one for name, one in options.items()}}
    literal = value.text[1:-1] if value.kind == "string" else _BOOLEANS.get(value.text)
    return {"": literal} if is_whole and literal is not None else {"": None, SPREAD: None}


def _is_whole(tokens: list[_Lexeme], at: int) -> bool:
    """Whether a value ends here, but for parentheses and a type. `[a].filter(Boolean)` goes on."""
    while _texts(tokens, at, 1) == [")"]:
        at += 1
    return at < len(tokens) and tokens[at].text in _AFTER_VALUE
