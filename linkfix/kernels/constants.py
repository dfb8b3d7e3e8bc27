"""Constants for compiled and plain modules. Compiled modules cimport them from `constants.pxd` instead."""

from __future__ import annotations

# Delimiters of markup, of CSS and of other values.
TAB, LINE_FEED, FORM_FEED, CARRIAGE_RETURN, SPACE_CHARACTER = b"\t\n\f\r "
EXCLAMATION_MARK, QUOTATION_MARK, NUMBER_SIGN, AMPERSAND, APOSTROPHE = b"!\"#&'"
LEFT_PARENTHESIS, RIGHT_PARENTHESIS, ASTERISK, COMMA, HYPHEN, FULL_STOP, SLASH = b"()*,-./"
DIGIT_ZERO, SEMICOLON, LESS_THAN, EQUALS, GREATER_THAN, QUESTION_MARK, AT_SIGN = b"0;<=>?@"
BACKSLASH, LOWER_W, LOWER_X = b"\\wx"

#: Values in place of an attribute value's quotation mark: the value is unquoted; the attribute has no value.
UNQUOTED, NO_VALUE = 0, 1

#: The kinds of the vocabulary's rows that compiled code distinguishes.
OTHER, URL, LOCAL_URL, BASE, CSS, ANCHOR, SRCSET, REFRESH = range(8)
