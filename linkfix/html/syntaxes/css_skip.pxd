# The C body of css_skip.py: the same automaton, a code point at a time.
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_GET_LENGTH, PyUnicode_KIND, PyUnicode_READ


cdef inline bint is_hex(unsigned int c) noexcept:
    return 48 <= c <= 57 or 97 <= (c | 32) <= 102


cdef inline bint is_newline(unsigned int c) noexcept:
    return c == 10 or c == 12 or c == 13


cdef inline bint says(int kind, void *data, Py_ssize_t at, Py_ssize_t end, const char *word) noexcept:
    # Whether the ASCII word stands there, whatever its case.
    cdef Py_ssize_t i = 0
    cdef unsigned int c
    while word[i]:
        if at + i >= end:
            return False
        c = PyUnicode_READ(kind, data, at + i)
        if (c | 32) != <unsigned int>word[i]:
            return False
        i += 1
    return True


cdef inline Py_ssize_t string_end(int kind, void *data, Py_ssize_t at, Py_ssize_t end, unsigned int quote) noexcept:
    # Past the string whose text begins at `at`: its quote, or the newline that makes it a bad string.
    cdef unsigned int c
    cdef int digits
    while at < end:
        c = PyUnicode_READ(kind, data, at)
        if c == quote:
            return at + 1
        if is_newline(c):
            return at
        at += 1
        if c != 92 or at >= end:
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
            if c != 32 and c != 9 and not is_newline(c):
                continue
        at += 1
        if c == 13 and at < end and PyUnicode_READ(kind, data, at) == 10:
            at += 1
    return at


cdef inline Py_ssize_t c_skip(str text, Py_ssize_t at) noexcept:
    cdef int kind = PyUnicode_KIND(text)
    cdef void *data = PyUnicode_DATA(text)
    cdef Py_ssize_t end = PyUnicode_GET_LENGTH(text)
    cdef unsigned int c
    while at < end:
        c = PyUnicode_READ(kind, data, at)
        if c > 92 or (c > 64 and c < 92) or (c > 47 and c < 64) or c < 34:
            at += 1
        elif c == 34 or c == 39:
            at = string_end(kind, data, at + 1, end, c)
        elif c == 92:
            return at
        elif c == 47:
            at += 1
            if at < end and PyUnicode_READ(kind, data, at) == 42:
                at += 1
                while at < end:
                    if PyUnicode_READ(kind, data, at) == 42 and at + 1 < end and PyUnicode_READ(kind, data, at + 1) == 47:
                        at += 2
                        break
                    at += 1
        elif c == 64:
            if says(kind, data, at + 1, end, "import") or says(kind, data, at + 1, end, "namespace"):
                return at
            at += 1
        elif c == 40:
            if at >= 3 and (
                says(kind, data, at - 3, end, "url")
                or says(kind, data, at - 3, end, "src")
                or says(kind, data, at - 3, end, "set")
            ):
                return at
            at += 1
        else:
            at += 1
    return at
