# The regular expression of css_skip.py as functions in C.

from linkfix.kernels.constants cimport (
    APOSTROPHE, ASTERISK, AT_SIGN, BACKSLASH, CARRIAGE_RETURN, FORM_FEED, LEFT_PARENTHESIS, LINE_FEED,
    QUOTATION_MARK, SLASH, SPACE_CHARACTER, TAB,
)
from linkfix.kernels.python_api cimport PyUnicode_DATA, PyUnicode_GET_LENGTH, PyUnicode_KIND, PyUnicode_READ


cdef inline bint is_hex(unsigned int c) noexcept:
    return c'0' <= c <= c'9' or c'a' <= (c | 0x20) <= c'f'


cdef inline bint is_newline(unsigned int c) noexcept:
    return c == LINE_FEED or c == FORM_FEED or c == CARRIAGE_RETURN


cdef inline bint matches(int kind, void *data, Py_ssize_t at, Py_ssize_t end, const char *word) noexcept:
    # Whether text[at:end] begins with the word (in lower case), ASCII case-insensitively.
    cdef Py_ssize_t i = 0
    cdef unsigned int c
    while word[i]:
        if at + i >= end:
            return False
        c = PyUnicode_READ(kind, data, at + i)
        if (c | 0x20) != <unsigned int>word[i]:
            return False
        i += 1
    return True


cdef inline Py_ssize_t string_end(int kind, void *data, Py_ssize_t at, Py_ssize_t end, unsigned int quote) noexcept:
    # The end of the string whose text begins at `at`: past its quotation mark, or at the newline that makes it bad.
    cdef unsigned int c
    cdef int digits
    while at < end:
        c = PyUnicode_READ(kind, data, at)
        if c == quote:
            return at + 1
        if is_newline(c):
            return at
        at += 1
        if c != BACKSLASH or at >= end:
            continue
        c = PyUnicode_READ(kind, data, at)
        digits = 0
        while digits < 6 and at < end and is_hex(PyUnicode_READ(kind, data, at)):
            digits += 1
            at += 1
        if digits:
            if at >= end:
                continue
            c = PyUnicode_READ(kind, data, at)
            if c != SPACE_CHARACTER and c != TAB and not is_newline(c):
                continue
        at += 1
        if c == CARRIAGE_RETURN and at < end and PyUnicode_READ(kind, data, at) == LINE_FEED:
            at += 1
    return at


cdef inline Py_ssize_t comment_end(int kind, void *data, Py_ssize_t at, Py_ssize_t end) noexcept:
    # The position past the comment whose text begins at `at`.
    while at < end:
        if (
            PyUnicode_READ(kind, data, at) == ASTERISK
            and at + 1 < end
            and PyUnicode_READ(kind, data, at + 1) == SLASH
        ):
            return at + 2
        at += 1
    return end


cdef inline Py_ssize_t c_skip(str text, Py_ssize_t at) noexcept:
    cdef int kind = PyUnicode_KIND(text)
    cdef void *data = PyUnicode_DATA(text)
    cdef Py_ssize_t end = PyUnicode_GET_LENGTH(text)
    cdef unsigned int c
    while at < end:
        c = PyUnicode_READ(kind, data, at)
        if c > BACKSLASH or (AT_SIGN < c < BACKSLASH) or (SLASH < c < AT_SIGN) or c < QUOTATION_MARK:
            at += 1
        elif c == QUOTATION_MARK or c == APOSTROPHE:
            at = string_end(kind, data, at + 1, end, c)
        elif c == BACKSLASH:
            return at
        elif c == SLASH:
            at += 1
            if at < end and PyUnicode_READ(kind, data, at) == ASTERISK:
                at = comment_end(kind, data, at + 1, end)
        elif c == AT_SIGN:
            if matches(kind, data, at + 1, end, "import") or matches(kind, data, at + 1, end, "namespace"):
                return at
            at += 1
        elif c == LEFT_PARENTHESIS:
            if at >= 3 and (
                matches(kind, data, at - 3, end, "url")
                or matches(kind, data, at - 3, end, "src")
                or matches(kind, data, at - 3, end, "set")
            ):
                return at
            at += 1
        else:
            at += 1
    return at
