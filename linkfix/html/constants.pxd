# The constants of constants.py for compiled modules, which cimport them: no module of this name is compiled.
cdef enum:
    TAB = 0x09
    LINE_FEED = 0x0A
    FORM_FEED = 0x0C
    CARRIAGE_RETURN = 0x0D
    SPACE_CHARACTER = 0x20
    EXCLAMATION_MARK = 0x21
    QUOTATION_MARK = 0x22
    NUMBER_SIGN = 0x23
    AMPERSAND = 0x26
    APOSTROPHE = 0x27
    LEFT_PARENTHESIS = 0x28
    ASTERISK = 0x2A
    HYPHEN = 0x2D
    SLASH = 0x2F
    LESS_THAN = 0x3C
    EQUALS = 0x3D
    GREATER_THAN = 0x3E
    QUESTION_MARK = 0x3F
    AT_SIGN = 0x40
    BACKSLASH = 0x5C
    UNQUOTED = 0
    NO_VALUE = 1
