"""Constants that compiled and plain modules share. Compiled modules cimport those of `constants.pxd` instead."""

from __future__ import annotations

__all__ = [
    "AMPERSAND",
    "APOSTROPHE",
    "ASTERISK",
    "AT_SIGN",
    "BACKSLASH",
    "CARRIAGE_RETURN",
    "EQUALS",
    "EXCLAMATION_MARK",
    "FORM_FEED",
    "GREATER_THAN",
    "HYPHEN",
    "LEFT_PARENTHESIS",
    "LESS_THAN",
    "LINE_FEED",
    "NO_VALUE",
    "NUMBER_SIGN",
    "QUESTION_MARK",
    "QUOTATION_MARK",
    "SLASH",
    "SPACE_CHARACTER",
    "TAB",
    "UNQUOTED",
]

# Delimiters of markup and of CSS.
TAB, LINE_FEED, FORM_FEED, CARRIAGE_RETURN, SPACE_CHARACTER = b"\t\n\f\r "
EXCLAMATION_MARK, QUOTATION_MARK, NUMBER_SIGN, AMPERSAND, APOSTROPHE = b"!\"#&'"
LEFT_PARENTHESIS, ASTERISK, HYPHEN, SLASH = b"(*-/"
LESS_THAN, EQUALS, GREATER_THAN, QUESTION_MARK, AT_SIGN, BACKSLASH = b"<=>?@\\"

#: In the place of an attribute value's quotation mark: the value has none; the attribute has no value.
UNQUOTED, NO_VALUE = 0, 1
