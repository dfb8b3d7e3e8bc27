"""A tokenizer that finds tags and attributes as browsers do (HTML §13.2.5, "Tokenization"), as byte offsets.

It copies nothing and creates no object for a tag. It skips text, comments, DOCTYPEs and CDATA sections; on request, it
stops at conditional comments. The caller supplies the facts that depend on tree construction: whether the current node
is in HTML content, and which element's text is raw. See `linkfix.kernels.tree_context`.
"""

from __future__ import annotations

from typing import NamedTuple

try:
    import cython
except ImportError:
    from linkfix.kernels import no_cython as cython

from linkfix.encodings.character_references import decode

if not cython.compiled:
    from linkfix.kernels.bytesearch import begins_with, find_byte, find_markup, is_name
    from linkfix.kernels.constants import (
        AMPERSAND,
        APOSTROPHE,
        DIGIT_ZERO,
        EQUALS,
        EXCLAMATION_MARK,
        GREATER_THAN,
        HYPHEN,
        LESS_THAN,
        NO_VALUE,
        NUMBER_SIGN,
        QUESTION_MARK,
        QUOTATION_MARK,
        SEMICOLON,
        SLASH,
        UNQUOTED,
    )


#: The kinds of token that `next_tag` returns, by number.
KINDS = ("EOF", "start tag", "end tag", "conditional comment")
EOF, START, END, CONDITIONAL = 0, 1, 2, 3

#: The kinds of text between tags, without comments: white space only; white space and U+0000; other characters.
BLANK, NULLS, VISIBLE = 0, 1, 2

# Classes of bytes, as bits.
SPACE = 1  # ASCII whitespace, with CR, which input preprocessing would turn into LF
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
    """A reader of the tags in data[position:end]: call `next_tag()`, then `next_attribute()` until it returns False.

    After `next_tag()`: `tag_start` (the `<`), `name_start:name_end`. After `next_attribute()`:
    `attribute_start:attribute_end` is the name, `value_start:value_end` the raw value, `quote` its quotation mark (as a
    byte), UNQUOTED or NO_VALUE. After the last attribute: `tag_end` (past the `>`) and `self_closing`.

    `text`: set it to BLANK, and `next_tag()` sets it to the kind of text up to the next tag. Set it to VISIBLE to skip
    that work.

    `conditionals`: set it to True, and `next_tag()` also returns CONDITIONAL for a comment that begins with "[if". Then
    `tag_start:position` is the comment.
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
        self.quote: int = NO_VALUE
        self.tag_end: int = position
        self.self_closing: bool = False
        self.doctype_end: int = 0
        self.text: int = VISIBLE
        self.conditionals: bool = False

    def next_tag(self, cdata: bool) -> int:
        """Move to the next tag; return START, END (or CONDITIONAL, see the class), or EOF if no tag follows.

        `cdata`: the adjusted current node is not in the HTML namespace, so `<![CDATA[` opens a CDATA section
        (§13.2.5.42).
        """
        data = self.data
        end = self.end
        while True:
            at = find_markup(data, self.position, end)
            if self.text < VISIBLE:
                self._look_at_text(self.position, at, True)
            self.tag_start = at
            at += 1
            if at >= end:
                self.position = end
                return EOF
            following = data[at]
            if CLASS[following] & ALPHA:
                self._read_name(at)
                return START
            if following == SLASH:  # §13.2.5.7 end tag open state
                at += 1
                if at >= end:
                    self.position = end
                    return EOF
                if CLASS[data[at]] & ALPHA:
                    self._read_name(at)
                    return END
                self.position = find_byte(data, GREATER_THAN, at, end) + 1  # "</>" or a bogus comment
            elif following == QUESTION_MARK:  # §13.2.5.6, a bogus comment
                self.position = find_byte(data, GREATER_THAN, at, end) + 1
            else:
                self._markup_declaration(at + 1, cdata)
                if self.conditionals and begins_with(data, at, end, b"!--[if"):
                    return CONDITIONAL
            self.position = min(self.position, end)

    def _look_at_text(self, at: int, end: int, decodes: bool) -> None:
        """Update `text` for the text data[at:end].

        `decodes`: the text can have character references, perhaps to white space.
        """
        data = self.data
        while at < end:
            after = at + 1
            if not data[at]:
                self.text = NULLS
            elif decodes and data[at] == AMPERSAND:
                after = self._reference_end(after, end)
                if decode(data[at:after].decode("ascii"), in_attribute=False).text.strip("\t\n\f\r "):
                    self.text = VISIBLE
                    return
            elif not CLASS[data[at]] & SPACE:
                self.text = VISIBLE
                return
            at = after

    def _reference_end(self, at: int, end: int) -> int:
        """The position past the character reference whose "&" is before `at`, if there is one (§13.2.5.72)."""
        data = self.data
        if at < end and data[at] == NUMBER_SIGN:
            at += 1
        while at < end and (CLASS[data[at]] & ALPHA or DIGIT_ZERO <= data[at] < DIGIT_ZERO + 10):
            at += 1
        return at + 1 if at < end and data[at] == SEMICOLON else at

    def _read_name(self, at: int) -> None:
        data = self.data
        end = self.end
        self.name_start = at
        while at < end and not CLASS[data[at]] & ENDS_TAG_NAME:
            at += 1
        self.name_end = at
        self.position = at
        self.self_closing = False

    def _markup_declaration(self, at: int, cdata: bool) -> None:
        """Skip a markup declaration (§13.2.5.42, markup declaration open state). `at`: the offset past the `<!`."""
        data = self.data
        end = self.end
        if at + 1 < end and data[at] == HYPHEN and data[at + 1] == HYPHEN:
            self.position = self._comment_end(at + 2)
        elif cdata and data[at : at + 7] == b"[CDATA[":
            close = data.find(b"]]>", at + 7, end)
            self.position = end if close < 0 else close + 3
            if self.text < VISIBLE:
                self._look_at_text(at + 7, end if close < 0 else close, False)
        else:
            # A DOCTYPE and a bogus comment both end at the first ">", quoted or not (§13.2.5.53 ff.).
            self.position = find_byte(data, GREATER_THAN, at, end) + 1
            if not self.doctype_end and self.position <= end and data[at : at + 7].lower() == b"doctype":
                self.doctype_end = self.position

    def _comment_end(self, start: int) -> int:
        """The position past the ">" that ends a comment (§13.2.5.43-52). `start`: the start of the comment's text."""
        data = self.data
        end = self.end
        at = start
        while True:
            at = find_byte(data, GREATER_THAN, at, end)
            if at >= end:
                return end
            length = at - start
            if length == 0 or (length == 1 and data[start] == HYPHEN):
                return at + 1  # abrupt closing: <!--> and <!--->
            if length >= 2 and data[at - 1] == HYPHEN and data[at - 2] == HYPHEN:
                return at + 1
            if length >= 3 and data[at - 1] == EXCLAMATION_MARK and data[at - 2] == HYPHEN and data[at - 3] == HYPHEN:
                return at + 1  # --!>
            at += 1

    def next_attribute(self) -> bool:
        """Move to the next attribute of the tag; return False if the tag has no further attribute.

        In that case `tag_end` is past the ">", or -1 at the end of the data (§13.2.5: an EOF inside a tag drops the
        tag).
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
            if byte == GREATER_THAN:
                self.tag_end = at + 1
                self.position = at + 1
                return False
            if byte != SLASH:
                return self._read_attribute(at)
            at += 1
            if at < end and data[at] == GREATER_THAN:
                self.self_closing = True
        self.tag_end = -1
        self.position = end
        return False

    def _read_attribute(self, at: int) -> bool:
        """Read the attribute whose name begins at `at` (§13.2.5.33-39)."""
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
        self.quote = NO_VALUE
        if at >= end or data[at] != EQUALS:
            self.value_start = after
            self.value_end = after
            self.position = at
            return True
        at += 1
        while at < end and CLASS[data[at]] & SPACE:
            at += 1
        byte = data[at] if at < end else 0
        if byte in (QUOTATION_MARK, APOSTROPHE):
            close = find_byte(data, byte, at + 1, end)
            self.quote = byte
            self.value_start = at + 1
            self.value_end = close
            self.position = close + 1 if close < end else end
            return True
        self.quote = UNQUOTED
        self.value_start = at
        while at < end and not CLASS[data[at]] & ENDS_UNQUOTED:
            at += 1
        self.value_end = at
        self.position = at
        return True

    def raw_text(self, name: bytes) -> int:
        """Skip the raw text or RCDATA of the element `name` (§13.2.5.2, .3); return the start of its end tag.

        The next tag is then that end tag. Without an end tag the text extends to the end of the data.
        """
        data = self.data
        end = self.end
        at = self.position
        while True:
            at = find_byte(data, LESS_THAN, at, end)
            if at >= end:
                self.position = end
                return end
            if self._is_end_tag(at, name):
                self.position = at
                return at
            at += 1

    def _is_end_tag(self, at: int, name: bytes) -> bool:
        """Whether the "<" at `at` begins an appropriate end tag token (§13.2.5)."""
        data = self.data
        length = len(name)
        after = at + 2 + length
        if after >= self.end or data[at + 1] != SLASH or not CLASS[data[after]] & ENDS_TAG_NAME:
            return False
        return is_name(data, at + 2, name, 0, length)

    def script_text(self) -> int:
        """Skip a script's text (§13.2.5.4, §13.2.5.15-31); return the start of its end tag."""
        data = self.data
        end = self.end
        at = self.position
        while True:
            at = find_byte(data, LESS_THAN, at, end)
            if at >= end:
                self.position = end
                return end
            if self._is_end_tag(at, b"script"):
                self.position = at
                return at
            if at + 3 < end and data[at + 1] == EXCLAMATION_MARK and data[at + 2] == HYPHEN and data[at + 3] == HYPHEN:
                at = self._script_escaped(at + 2)
            else:
                at += 1

    def _script_escaped(self, at: int) -> int:
        """Skip escaped script data (§13.2.5.20-31) from the first dash of its "<!--".

        Return the position past the closing "-->", the start of the script's end tag, or the end of the data.
        """
        data = self.data
        end = self.end
        start = at
        double = False
        while at < end:
            byte = data[at]
            if byte == GREATER_THAN:
                if at - start >= 2 and data[at - 1] == HYPHEN and data[at - 2] == HYPHEN:
                    return at + 1
            elif byte == LESS_THAN:
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
    """One attribute of a tag. Positions are byte offsets."""

    name: str
    """The attribute's name, in lower case."""
    name_start: int
    """The start of the name."""
    start: int
    """The start of the raw value, without its quotation mark."""
    end: int
    """The end of the raw value."""
    quote: int
    """The value's quotation mark, as a byte; UNQUOTED or NO_VALUE."""


def attributes(data: bytes, tag_start: int) -> list[Attribute]:
    """The attributes of the tag at `tag_start`; of duplicates, only the first."""
    tokenizer = Tokenizer(data, tag_start, len(data))
    tokenizer.next_tag(False)
    found: dict[str, Attribute] = {}
    while tokenizer.next_attribute():
        start = tokenizer.attribute_start
        name = data[start : tokenizer.attribute_end].lower().decode("latin-1")
        if name not in found:
            found[name] = Attribute(name, start, tokenizer.value_start, tokenizer.value_end, tokenizer.quote)
    return list(found.values())


def find_attribute(data: bytes, tag_start: int, name: bytes) -> tuple[int, int]:
    """The start and end of the raw value of an attribute of the tag at `tag_start`; of duplicates, of the first.

    `name`: in lower case. Returns -1, -1 if the tag has no such attribute.
    """
    tokenizer = Tokenizer(data, tag_start, len(data))
    tokenizer.next_tag(False)
    while tokenizer.next_attribute():
        start = tokenizer.attribute_start
        if tokenizer.attribute_end - start == len(name) and data[start : tokenizer.attribute_end].lower() == name:
            return tokenizer.value_start, tokenizer.value_end
    return -1, -1


def tag_end(data: bytes, tag_start: int) -> int:
    """The position past the ">" of the tag at `tag_start`."""
    tokenizer = Tokenizer(data, tag_start, len(data))
    tokenizer.next_tag(False)
    while tokenizer.next_attribute():
        pass
    return tokenizer.tag_end
