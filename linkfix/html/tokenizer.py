"""Finds tags and attributes as browsers do (HTML §13.2.5, "Tokenization"), as outlines: ranges of the bytes.

Nothing is copied and no object is made for a tag. Text, comments, DOCTYPEs and CDATA sections are passed over. What
must be known from tree construction (is the current node in HTML content; which element starts raw text) is told by
the caller: see `linkfix.html.tree_context`.
"""

from __future__ import annotations

from typing import NamedTuple

try:
    import cython
except ImportError:
    from linkfix.html import plain as cython

if not cython.compiled:
    from linkfix.html.bytesearch import find_byte, find_markup

__all__ = ["COMPILED", "KINDS", "Attribute", "Tokenizer", "attributes", "tag_end"]

#: Whether this module runs compiled.
COMPILED = bool(cython.compiled)

#: What `next_tag` returns, by number.
KINDS = ("EOF", "start tag", "end tag")
EOF, START, END = 0, 1, 2

# What ends what, as bits: HTML's ASCII white space (with CR, which input preprocessing makes LF) is 1.
SPACE = 1
ENDS_TAG_NAME = 2  # §13.2.5.8: white space / >
ENDS_ATTRIBUTE_NAME = 4  # §13.2.5.33: white space / > =
ENDS_UNQUOTED = 8  # §13.2.5.38: white space >
ALPHA = 16


def _classes() -> bytes:
    table = bytearray(256)
    for bits, members in (
        (SPACE | ENDS_TAG_NAME | ENDS_ATTRIBUTE_NAME | ENDS_UNQUOTED, b"\t\n\f\r "),
        (ENDS_TAG_NAME | ENDS_ATTRIBUTE_NAME, b"/"),
        (ENDS_TAG_NAME | ENDS_ATTRIBUTE_NAME | ENDS_UNQUOTED, b">"),
        (ENDS_ATTRIBUTE_NAME, b"="),
        (ALPHA, b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"),
    ):
        for byte in members:
            table[byte] |= bits
    return bytes(table)


CLASS = _classes()


class Tokenizer:
    """Walks data[position:end] tag by tag: `next_tag()`, then `next_attribute()` until it returns False.

    After `next_tag()`: `tag_start` (the `<`), `name_start:name_end`. After `next_attribute()`: `attribute_start:
    attribute_end` is the name, `value_start:value_end` the raw value, `quote` its quote (34, 39), 0 for an unquoted
    value, 1 for an attribute without a value. After the last attribute: `tag_end` (past the `>`) and `self_closing`.
    """

    def __init__(self, data: bytes, position: int, end: int) -> None:
        self.data = data
        self.position: int = position
        self.end = end
        self.tag_start: int = position
        self.name_start: int = position
        self.name_end: int = position
        self.attribute_start: int = position
        self.attribute_end: int = position
        self.value_start: int = position
        self.value_end: int = position
        self.quote: int = 1
        self.tag_end: int = position
        self.self_closing: bool = False
        self.doctype_end: int = 0

    def next_tag(self, cdata: bool) -> int:
        """The next tag's kind: START, END, or EOF when there is none.

        `cdata`: the adjusted current node is not in the HTML namespace, so that `<![CDATA[` opens a CDATA section
        (§13.2.5.42).
        """
        data = self.data
        end = self.end
        while True:
            at = find_markup(data, self.position, end)
            self.tag_start = at
            at += 1
            if at >= end:
                self.position = end
                return EOF
            following = data[at]
            if CLASS[following] & ALPHA:
                self._name(at)
                return START
            if following == 47:  # "/": §13.2.5.7 end tag open state
                at += 1
                if at >= end:
                    self.position = end
                    return EOF
                if CLASS[data[at]] & ALPHA:
                    self._name(at)
                    return END
                self.position = find_byte(data, 62, at, end) + 1  # "</>" or a bogus comment
            elif following == 63:  # "?": §13.2.5.6, a bogus comment
                self.position = find_byte(data, 62, at, end) + 1
            else:
                self._declaration(at + 1, cdata)
            self.position = min(self.position, end)

    def _name(self, at: int) -> None:
        data = self.data
        end = self.end
        self.name_start = at
        while at < end and not CLASS[data[at]] & ENDS_TAG_NAME:
            at += 1
        self.name_end = at
        self.position = at
        self.self_closing = False

    def _declaration(self, at: int, cdata: bool) -> None:
        """§13.2.5.42 markup declaration open state; `at` is past the `<!`."""
        data = self.data
        end = self.end
        if at + 1 < end and data[at] == 45 and data[at + 1] == 45:
            self.position = self._comment_end(at + 2)
        elif cdata and data[at : at + 7] == b"[CDATA[":
            close = data.find(b"]]>", at + 7, end)
            self.position = end if close < 0 else close + 3
        else:
            # A DOCTYPE and a bogus comment both end at the first ">", quoted or not (§13.2.5.53 ff.).
            self.position = find_byte(data, 62, at, end) + 1
            if not self.doctype_end and self.position <= end and data[at : at + 7].lower() == b"doctype":
                self.doctype_end = self.position

    def _comment_end(self, start: int) -> int:
        """§13.2.5.43-52: past the ">" that ends the comment whose text begins at `start`."""
        data = self.data
        end = self.end
        at = start
        while True:
            at = find_byte(data, 62, at, end)
            if at >= end:
                return end
            length = at - start
            if length == 0 or (length == 1 and data[start] == 45):
                return at + 1  # abrupt closing: <!--> and <!--->
            if length >= 2 and data[at - 1] == 45 and data[at - 2] == 45:
                return at + 1
            if length >= 3 and data[at - 1] == 33 and data[at - 2] == 45 and data[at - 3] == 45:
                return at + 1  # --!>
            at += 1

    def next_attribute(self) -> bool:
        """Whether the tag has a further attribute. False: `tag_end` is past the ">", or -1 at the end of the data
        (§13.2.5: an EOF inside a tag drops the tag).
        """
        data = self.data
        end = self.end
        at = self.position
        # §13.2.5.32 before attribute name state, §13.2.5.40 self-closing start tag state
        while True:
            while at < end and CLASS[data[at]] & SPACE:
                at += 1
            if at >= end:
                break
            byte = data[at]
            if byte == 62:
                self.tag_end = at + 1
                self.position = at + 1
                return False
            if byte != 47:
                return self._attribute(at)
            at += 1
            if at < end and data[at] == 62:
                self.self_closing = True
        self.tag_end = -1
        self.position = end
        return False

    def _attribute(self, at: int) -> bool:
        """§13.2.5.33-39: the attribute whose name begins at `at`."""
        data = self.data
        end = self.end
        self.attribute_start = at
        at += 1  # the first byte belongs to the name even if it is "="
        while at < end and not CLASS[data[at]] & ENDS_ATTRIBUTE_NAME:
            at += 1
        self.attribute_end = at
        after = at
        while at < end and CLASS[data[at]] & SPACE:
            at += 1
        self.quote = 1
        if at >= end or data[at] != 61:
            self.value_start = after
            self.value_end = after
            self.position = at
            return True
        at += 1
        while at < end and CLASS[data[at]] & SPACE:
            at += 1
        byte = data[at] if at < end else 0
        if byte == 34 or byte == 39:  # noqa: PLR1714 - compiled, two comparisons of C integers
            close = find_byte(data, byte, at + 1, end)
            self.quote = byte
            self.value_start = at + 1
            self.value_end = close
            self.position = close + 1 if close < end else end
            return True
        self.quote = 0
        self.value_start = at
        while at < end and not CLASS[data[at]] & ENDS_UNQUOTED:
            at += 1
        self.value_end = at
        self.position = at
        return True

    def raw_text(self, name: bytes) -> int:
        """Passes over the raw text or RCDATA of the element `name` (§13.2.5.2, .3): where its end tag begins.

        The end tag itself is the next tag. Without one the text goes to the end.
        """
        data = self.data
        end = self.end
        at = self.position
        while True:
            at = find_byte(data, 60, at, end)
            if at >= end:
                self.position = end
                return end
            if self._is_end_tag(at, name):
                self.position = at
                return at
            at += 1

    def _is_end_tag(self, at: int, name: bytes) -> bool:
        """Whether an appropriate end tag token begins at the "<" at `at`."""
        data = self.data
        length = len(name)
        after = at + 2 + length
        if after >= self.end or data[at + 1] != 47 or not CLASS[data[after]] & ENDS_TAG_NAME:
            return False
        return data[at + 2 : after].lower() == name

    def script_text(self) -> int:
        """Passes over a script's text (§13.2.5.4, §13.2.5.15-31): where its end tag begins."""
        data = self.data
        end = self.end
        at = self.position
        while True:
            at = find_byte(data, 60, at, end)
            if at >= end:
                self.position = end
                return end
            if self._is_end_tag(at, b"script"):
                self.position = at
                return at
            if data[at + 1 : at + 4] == b"!--":
                at = self._script_escaped(at + 2)
            else:
                at += 1

    def _script_escaped(self, at: int) -> int:
        """§13.2.5.20-31, from the first dash of "<!--": past the "-->" that ends the escape, or at the "<" of the
        script's end tag, or the end.
        """
        data = self.data
        end = self.end
        start = at
        double = False
        while at < end:
            byte = data[at]
            if byte == 62:
                if at - start >= 2 and data[at - 1] == 45 and data[at - 2] == 45:
                    return at + 1
            elif byte == 60:
                if self._is_end_tag(at, b"script"):
                    if not double:
                        return at
                    double = False
                elif (
                    not double
                    and at + 7 < end
                    and CLASS[data[at + 7]] & ENDS_TAG_NAME
                    and data[at + 1 : at + 7].lower() == b"script"
                ):
                    double = True
            at += 1
        return end


class Attribute(NamedTuple):
    """One attribute of a tag: its lower-case name and where it begins, the span of the raw value, the quote."""

    name: str
    name_start: int
    start: int
    end: int
    quote: int


def attributes(data: bytes, tag_start: int) -> list[Attribute]:
    """The attributes of the tag at `tag_start`, the first of each name."""
    tokenizer = Tokenizer(data, tag_start, len(data))
    tokenizer.next_tag(False)
    found: dict[str, Attribute] = {}
    while tokenizer.next_attribute():
        start = tokenizer.attribute_start
        name = data[start : tokenizer.attribute_end].lower().decode("latin-1")
        if name not in found:
            found[name] = Attribute(name, start, tokenizer.value_start, tokenizer.value_end, tokenizer.quote)
    return list(found.values())


def tag_end(data: bytes, tag_start: int) -> int:
    """Past the ">" of the tag at `tag_start`."""
    tokenizer = Tokenizer(data, tag_start, len(data))
    tokenizer.next_tag(False)
    while tokenizer.next_attribute():
        pass
    return tokenizer.tag_end
