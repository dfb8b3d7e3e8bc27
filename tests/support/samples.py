"""Handmade audits for the tests of every reporter: `AUDITS` by name, and `many` for large ones.

Their rules and messages are not the real ones, so that a change of a rule does not break these tests.
"""

from __future__ import annotations

from collections import Counter

from linkfix import Layer
from linkfix.auditing import Audit, Cause, Coverage, Finding, FindingLevel, Folder, Hint, RuleInfo

__all__ = ["AUDITS", "HOSTILE", "MADE_UP", "RULES", "assemble", "finding", "many"]

RULES = (
    RuleInfo(
        "LF101",
        "missing-target",
        FindingLevel.ERROR,
        "The file that a reference means is not in the tree.",
        "A reference whose target lies in the tree, where no file has that name.\n\nBroken:\n\n"
        '    <img src="img/logo.png">    <!-- img/ has Logo.png -->\n\nRight:\n\n    <img src="img/Logo.png">\n',
    ),
    RuleInfo(
        "LF102",
        "missing-fragment",
        FindingLevel.WARNING,
        "The page has no element with the fragment's ID.",
        'A browser shows the page\'s top instead.\n\n    <a href="page.html#none">\n',
    ),
    RuleInfo(
        "LF201", "template-syntax", FindingLevel.NOTE, "A placeholder was left unfilled.", "See `{{ }}`.\n", opt_in=True
    ),
)
_RULES = {rule.code: rule for rule in RULES}
_MESSAGES = {
    "LF101": "no such file in the tree",
    "LF102": "no element has this ID",
    "LF201": "a placeholder was left unfilled",
}

#: The host of the made-up URL of a tree whose own is unknown; no report shows it.
MADE_UP = "https://tree.invalid/"


def finding(code, path, line=1, column=1, reference="", **fields):
    """A finding of a rule in `RULES`; fields that are not given have defaults."""
    rule = _RULES[code]
    start = fields.pop("start", 100 * line + column)
    values = {
        "code": code,
        "name": rule.name,
        "level": rule.level,
        "message": _MESSAGES[code],
        "path": path,
        "line": line,
        "column": column,
        "end_line": line,
        "end_column": column + len(reference),
        "start": start,
        "end": start + len(reference.encode("utf-8", "surrogatepass")),
        "element": "a",
        "attribute": "href",
        "reference": reference,
        "target": None,
        "cause": reference,
        "hint": None,
        "excerpt": f'<a href="{reference}">',
        "fingerprint": f"{hash_of(code, path, reference):016x}",
    }
    return Finding(**values | fields)


def hash_of(*texts):
    """FNV-1a: the same in every run and on every machine."""
    value = 0xCBF29CE484222325
    for byte in "\0".join(texts).encode("utf-8", "surrogatepass"):
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def assemble(*findings, **fields):
    """The audit with these findings: sorted, with their causes, folders and coverage."""
    ordered = sorted(findings, key=lambda one: (one.path, one.start, one.code))
    groups = {}
    for number, one in enumerate(ordered):
        groups.setdefault((one.code, one.cause), []).append(number)
    causes = [
        Cause(
            code,
            _RULES[code].name,
            _RULES[code].level,
            f"{_MESSAGES[code]}: {cause}" if cause else _MESSAGES[code],
            tuple(numbers),
            len({ordered[number].path for number in numbers}),
        )
        for (code, cause), numbers in groups.items()
    ]
    causes.sort(key=lambda cause: (cause.level.rank, -len(cause.findings)))
    folders = {}
    for path in sorted({one.path for one in ordered}):
        folder = folders.setdefault(path.rpartition("/")[0], Folder())
        folder.pages += 1
        folder.links += 10
        folder.findings.update(one.level.value for one in ordered if one.path == path and len(ordered) < 1000)
    values = {
        "root": "site",
        "base_url": "https://example.com/docs/",
        "base_source": "--root-url",
        "base_layer": Layer.RETRIEVAL,
        "findings": tuple(ordered),
        "causes": tuple(causes),
        "coverage": Coverage(files=40, pages=12, bytes=123_456, links=130, checked=130),
        "rules": RULES,
        "folders": folders,
        "hidden": Counter(),
        "seconds": 0.25,
    }
    return Audit(**values | fields)


def ordinary():
    """Several causes, every level and kind of hint, a whole file, a place of two lines, things hidden and unread."""
    logo = [
        finding(
            "LF101",
            f"guide/{number:02}.html",
            3,
            12,
            "../img/logo.png",
            element="img",
            attribute="src",
            target="https://example.com/docs/img/logo.png",
            cause="img/logo.png",
            hint=Hint("did you mean ../img/Logo.png?", "../img/Logo.png", certain=True),
        )
        for number in range(1, 9)
    ]
    return assemble(
        *logo,
        finding(
            "LF101",
            "index.html",
            10,
            5,
            "a&b.html?x=1",
            target="https://example.com/docs/a&b.html?x=1",
            hint=Hint("a page of nearly that name is there", "a & b.html"),
        ),
        finding("LF101", "index.html", 12, 1, "old/", hint=Hint("the folder was moved or left out")),
        finding("LF101", "über uns/naïve.html", 2, 7, "größe.html", target="https://example.com/docs/gr%C3%B6%C3%9Fe"),
        finding("LF102", "index.html", 20, 9, "guide/01.html#none", end_line=21, end_column=4),
        finding("LF102", "index.html", 22, 9, "guide/02.html#none", cause="guide/01.html#none"),
        finding("LF201", "index.html", 30, 2, "{{ url }}"),
        finding("LF201", "notes only.html", start=0, end=0, end_column=1, element="", attribute="", excerpt=""),
        coverage=Coverage(
            files=40,
            pages=12,
            bytes=123_456,
            links=130,
            checked=117,
            unchecked=Counter({"outside the tree": 10, "mailto:": 3}),
            fragments=Counter({"there": 20, "nowhere": 3}),
            unread={"bad.html": "not text", "big.html": "larger than the limit"},
        ),
        hidden=Counter({"baseline": 4, "comment": 1}),
    )


#: Text in documents and file names that a format, a terminal or a program could act on.
HOSTILE = (
    "\x1b[31mred\x1b]0;title\x07",
    "\u202egnp.exe\u2066",
    "a\r\nb\tc\x00d\x7f\x85\u2028",
    "]]><!--</failure><x>&amp;&#0;",
    "::error file=x::y%0A%25::",
    "\n::set-output name=a::b",
    "##[error]now",
    "a,b;\"c\"'d'",
    "=HYPERLINK(1)",
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\uff1d1",
    "|`a``b`|\\|*_~[x](javascript:y)![z](w)",
    "@octocat #1 https://example.org www.example.org a@example.org",
    "</details></td><script>alert(1)</script><!--",
    "[link](1) {0} {{ x }} $& \\",
    "[link\\](1)",
    "\ud800 \udfff \udce9 \ufffe \uffff",
    "\U0001f600 e\u0301 \u0600",
    "' onload=alert(1) x='",
    " leading and trailing ",
    "x##vso[task.setvariable variable=a]b",
    "##TeamCity[message text='x']",
    "~~~ x",
)


def hostile():
    """Every string of `HOSTILE` in every field with text of documents or names."""
    return assemble(
        *(
            finding(
                ("LF101", "LF102", "LF201")[number % 3],
                "a/" + text.replace("/", "").replace("\x00", "").replace("\ud800", "").replace("\udfff", ""),
                number + 1,
                3,
                text,
                message=text,
                target=f"https://example.com/docs/{text}",
                hint=Hint(text, text),
                excerpt=text,
                cause=text,
                element=text,
            )
            for number, text in enumerate(HOSTILE)
        ),
        root="si\x1bte\udcff",
        base_source="given in \x1b[1mconfig",
        coverage=Coverage(
            files=40,
            pages=30,
            bytes=9,
            links=130,
            checked=125,
            unchecked=Counter({"scheme \x1b[31m|`x`": 5}),
            unread={f"u{text}".replace("\ud800", "").replace("\udfff", ""): text for text in HOSTILE},
        ),
        hidden=Counter({"comment": 2}),
    )


def unserved():
    """The URL of the tree is made up, and no report shows it."""
    return assemble(
        finding("LF101", "a/b.html", 4, 2, "c%20d.html#top", target=f"{MADE_UP}root/a/c%20d.html#top"),
        finding("LF101", "a/b.html", 5, 2, "../../x.html", target=f"{MADE_UP}x.html"),
        finding("LF101", "a/b.html", 6, 2, "http://other.example/", target="http://other.example/"),
        base_url=f"{MADE_UP}root/",
        base_source="made up",
        base_layer=Layer.NONE,
    )


def many(number):
    """An audit of that many findings, a hundred per page, in causes of very different sizes."""
    return assemble(
        *(
            finding(
                ("LF101", "LF102", "LF201")[one % 3],
                f"folder{one // 1000}/page{one // 100}.html",
                one % 100 + 1,
                10,
                f"../img/picture{one % max(1, one // 7 % 1000)}.png",
                target=f"https://example.com/docs/img/picture{one % max(1, one // 7 % 1000)}.png",
                hint=Hint("did you mean this?", f"../img/Picture{one}.png"),
                message=f"there is no picture{one % max(1, one // 7 % 1000)}.png",
            )
            for one in range(number)
        ),
        coverage=Coverage(files=number, pages=number, bytes=number, links=10 * number, checked=10 * number),
    )


AUDITS = {
    "clean": assemble(coverage=Coverage(files=40, pages=12, bytes=123_456, links=130, checked=130)),
    "empty": assemble(coverage=Coverage(), seconds=0.0),
    "nothing": assemble(
        coverage=Coverage(
            files=3,
            pages=2,
            bytes=99,
            links=5,
            unchecked=Counter({"outside the tree": 5}),
            unread={"x.html": "not text"},
        )
    ),
    "ordinary": ordinary(),
    "unserved": unserved(),
    "hostile": hostile(),
}
