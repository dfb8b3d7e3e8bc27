cimport cython

from linkfix.kernels.bytesearch cimport begins_with, css_name_end, find_byte, find_member, hide_trails, is_ascii, skip_css
from linkfix.kernels.constants cimport (
    AMPERSAND, APOSTROPHE, ASTERISK, AT_SIGN, BACKSLASH, COMMA, CSS, DIGIT_ZERO, EQUALS, FULL_STOP, HYPHEN,
    LEFT_PARENTHESIS, LOWER_W, LOWER_X, NUMBER_SIGN, QUOTATION_MARK, RIGHT_PARENTHESIS, SEMICOLON, SPACE_CHARACTER,
    SRCSET,
)
from linkfix.kernels.memory cimport grown_longs, longs, new_longs

cdef object second_bytes
cdef Py_ssize_t NOT_PLAIN
cdef bytes IN_CSS, IN_CSS_ATTRIBUTE, DOUBLE_QUOTED, SINGLE_QUOTED, REFERENCE_QUOTED, UNQUOTED_URL, NO_NAME
cdef bytes SPACE, NO_SPACE, NO_SEPARATOR, NO_DIGIT, NO_TIME, AFTER_TIME, NO_ALPHANUMERIC

cdef class ByteSpans:
    cdef str encoding
    cdef readonly Py_ssize_t count
    cdef Py_ssize_t capacity
    cdef readonly object memory
    cdef long long *spans
    cdef bint quoted

    @cython.locals(hidden=bytes, found=Py_ssize_t, at=Py_ssize_t)
    cpdef Py_ssize_t find(self, int kind, bytes data, Py_ssize_t start, Py_ssize_t end, bint text) except -2

    @cython.locals(references=bint)
    cdef Py_ssize_t _find(self, int kind, bytes data, Py_ssize_t start, Py_ssize_t end, bint text) except -2

    cdef void _push(self, Py_ssize_t start, Py_ssize_t end) except *

    @cython.locals(at=Py_ssize_t, after=Py_ssize_t)
    cdef bint _references_are_plain(self, int kind, bytes data, Py_ssize_t start, Py_ssize_t end) except -1

    cdef bint _is_quote(self, bytes data, Py_ssize_t at, Py_ssize_t end) except -1

    @cython.locals(at=Py_ssize_t, first=Py_ssize_t, byte=int)
    cdef Py_ssize_t _css(self, bytes data, Py_ssize_t start, Py_ssize_t end, bint references) except -2

    @cython.locals(argument=Py_ssize_t, after=Py_ssize_t, is_set=bint)
    cdef Py_ssize_t _function(self, bytes data, Py_ssize_t first, Py_ssize_t at, Py_ssize_t end) except -2

    @cython.locals(start=Py_ssize_t, before=int)
    cdef bint _is_whole_name(self, bytes data, Py_ssize_t first, Py_ssize_t end, bytes name) except -1

    @cython.locals(after=Py_ssize_t, is_namespace=bint)
    cdef Py_ssize_t _at_rule(self, bytes data, Py_ssize_t at, Py_ssize_t end) except -2

    @cython.locals(after=Py_ssize_t)
    cdef Py_ssize_t _escaped_name(self, bytes data, Py_ssize_t first, Py_ssize_t at, Py_ssize_t end) except -2

    cdef Py_ssize_t _space_and_comments_end(self, bytes data, Py_ssize_t at, Py_ssize_t end) except -2

    @cython.locals(quote=int, start=Py_ssize_t, stop=Py_ssize_t)
    cdef Py_ssize_t _string(self, bytes data, Py_ssize_t at, Py_ssize_t end, bint is_url) except -2

    @cython.locals(stop=Py_ssize_t, after=Py_ssize_t)
    cdef Py_ssize_t _unquoted_url(self, bytes data, Py_ssize_t start, Py_ssize_t end) except -2

    @cython.locals(at=Py_ssize_t, after=Py_ssize_t, stop=Py_ssize_t)
    cdef Py_ssize_t _srcset(self, bytes data, Py_ssize_t start, Py_ssize_t end) except -2

    @cython.locals(first=Py_ssize_t)
    cdef Py_ssize_t _descriptor_end(self, bytes data, Py_ssize_t at, Py_ssize_t end) except -2

    @cython.locals(at=Py_ssize_t, equals=Py_ssize_t, stop=Py_ssize_t)
    cdef Py_ssize_t _refresh(self, bytes data, Py_ssize_t start, Py_ssize_t end) except -2
