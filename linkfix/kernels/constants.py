"""Bytes by name, and the roles of elements in tree construction. Compiled modules cimport them from `constants.pxd`."""

from __future__ import annotations

# Delimiters of markup, of CSS and of other values.
TAB, LINE_FEED, FORM_FEED, CARRIAGE_RETURN, SPACE_CHARACTER = b"\t\n\f\r "

EXCLAMATION_MARK, QUOTATION_MARK, NUMBER_SIGN, AMPERSAND, APOSTROPHE = b"!\"#&'"

LEFT_PARENTHESIS, RIGHT_PARENTHESIS, ASTERISK, COMMA, HYPHEN, FULL_STOP, SLASH = b"()*,-./"

DIGIT_ZERO, SEMICOLON, LESS_THAN, EQUALS, GREATER_THAN, QUESTION_MARK, AT_SIGN = b"0;<=>?@"

BACKSLASH, RIGHT_BRACKET, LOWER_W, LOWER_X = b"\\]wx"

#: Values in place of an attribute value's quotation mark: the value is unquoted; the attribute has no value.
UNQUOTED, NO_VALUE = 0, 1

#: The kinds of the vocabulary's rows that compiled code distinguishes.
OTHER, URL, LOCAL_URL, BASE, CSS, ANCHOR, SRCSET, REFRESH = range(8)

#: Kinds of bytes that follow a byte from 0x80 on: the start of another character, a part of the same one, or either,
#: which depends on the bytes after it.
APART, JOINED, UNCLEAR = range(3)


# Properties of elements for tree construction (HTML §13.2.6), as bits, and the numbers of the attributes it checks.
#


RAW_TEXT = 1  # its text ends at its own end tag (RAWTEXT and RCDATA)

SCRIPT = 2

PLAINTEXT = 4

BREAKOUT = 8  # its start tag ends foreign content (§13.2.6.5)

VOID = 16

SPECIAL = 32  # HTML elements of the category "special" (§13.2.4.2)

SCOPE = 64  # bounds "has an element in scope"

TABLE = 128  # its end tag searches the table scope, bounded only by table and template

SVG_INTEGRATION_POINT = 256

MATH_INTEGRATION_POINT = 512

TEMPLATE = 1024

SVG_ROOT = 2048

MATH_ROOT = 4096

ANNOTATION = 8192

FONT = 16384

GLYPH = 32768  # mglyph, malignmark: foreign even at a text integration point

P_OR_BR = 65536  # their end tags end foreign content too

OUTERMOST = 131072  # encloses all other elements: inside an svg or math element its tags open and close nothing

FORM = 262144  # its end tag removes only the form from the stack, and closes nothing inside it (§13.2.6.4.7)

NOSCRIPT = 524288

IN_HEAD = 1048576  # its start tag does not begin the body (§13.2.6.4.4)

IN_HEAD_NOSCRIPT = 2097152  # its start tag does not end a noscript in the head (§13.2.6.4.5)

ENDS_HEAD = 4194304  # its end tag ends the head and, except for </head>, begins the body

NOT_FRAMESET_OK = 8388608  # its start tag sets the frameset-ok flag to "not ok" (§13.2.6.4.7)

INPUT = 16777216  # its start tag also sets the flag to "not ok", unless its type is hidden

FRAMESET = 33554432

IN_FRAMESET = 67108864  # its start tag is not dropped in or after a frameset

META = 134217728

HEAD = 268435456

TABLE_ROOT = 536870912  # outside a table, start tags of the other TABLE elements create no element (§13.2.6.4.7)

NAMES_IN_HEAD = "html head base basefont bgsound link meta title noscript noframes style script template"

NAMES_NOT_FRAMESET_OK = (
    "applet area body br button dd dt embed hr iframe image img keygen li listing marquee object pre select"
    " table template textarea wbr xmp"
)

_ELEMENTS = (
    (RAW_TEXT, "iframe noembed noframes style textarea title xmp"),
    (SCRIPT, "script"),
    (PLAINTEXT, "plaintext"),
    (
        BREAKOUT,
        (
            "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu"
            " meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var"
        ),
    ),
    (VOID, "area base basefont bgsound br col embed frame hr img image input keygen link meta param source track wbr"),
    (
        SPECIAL,
        (
            "address applet area article aside base basefont bgsound blockquote body br button caption center col"
            " colgroup dd details dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2"
            " h3 h4 h5 h6 head header hgroup hr html iframe img input keygen li link listing main marquee menu"
            " meta nav noembed noframes noscript object ol p param plaintext pre script search section select"
            " source style summary table tbody td template textarea tfoot th thead title tr track ul wbr xmp"
        ),
    ),
    (SCOPE, "applet caption html table td th marquee object template"),
    (TABLE, "table tbody tfoot thead tr td th caption"),
    (TABLE_ROOT, "table"),
    (SVG_INTEGRATION_POINT, "foreignobject desc title"),
    (MATH_INTEGRATION_POINT, "mi mo mn ms mtext"),
    (TEMPLATE, "template"),
    (SVG_ROOT, "svg"),
    (MATH_ROOT, "math"),
    (ANNOTATION, "annotation-xml"),
    (FONT, "font"),
    (GLYPH, "mglyph malignmark"),
    (P_OR_BR, "p br"),
    (OUTERMOST, "html head body frameset"),
    (FORM, "form"),
    (NOSCRIPT, "noscript"),
    (IN_HEAD, NAMES_IN_HEAD),
    (IN_HEAD_NOSCRIPT, "html head basefont bgsound link meta noscript noframes style"),
    (ENDS_HEAD, "html head body br"),
    (NOT_FRAMESET_OK, NAMES_NOT_FRAMESET_OK),
    (INPUT, "input"),
    (FRAMESET, "frameset"),
    (IN_FRAMESET, "html frameset frame noframes"),
    (META, "meta"),
    (HEAD, "head"),
)


def _flags() -> dict[str, int]:
    flags: dict[str, int] = {}
    for bit, names in _ELEMENTS:
        for name in names.split():
            flags[name] = flags.get(name, 0) | bit
    # These elements get numbers so that their end tags find the elements to close.
    for name in ("a", "b", "i", "u", "em", "span", "strong", "code", "small", "big", "s", "tt", "font", "label", "g"):
        flags.setdefault(name, 0)
    return flags


#: An element's name -> the bits above. An element's number is the index of its flags in `TreeContext.flags`.
FLAGS = _flags()

#: Attributes that decide how the tree builder treats `font`, `annotation-xml` and `input`, numbered from 1: see
#: `TreeContext.start`. The last ones are the attributes of a meta that states a policy.
DECISIVE_ATTRIBUTES = ("color", "face", "size", "encoding", "type", "http-equiv", "content")

COLOR, FACE, SIZE, ENCODING, TYPE, HTTP_EQUIV, CONTENT = range(1, 8)
