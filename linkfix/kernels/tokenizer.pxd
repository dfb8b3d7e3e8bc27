cimport cython

from linkfix.kernels.bytesearch cimport begins_with, find_byte, find_markup, is_name
from linkfix.kernels.constants cimport (
    AMPERSAND, APOSTROPHE, DIGIT_ZERO, EQUALS, EXCLAMATION_MARK, GREATER_THAN, HYPHEN, LESS_THAN, NO_VALUE,
    NUMBER_SIGN, QUESTION_MARK, QUOTATION_MARK, SEMICOLON, SLASH, UNQUOTED,
)

cdef object decode
cdef bytes CLASS
cdef int EOF, START, END, CONDITIONAL
cdef int BLANK, NULLS, VISIBLE
cdef int SPACE, ENDS_TAG_NAME, ENDS_ATTRIBUTE_NAME, ENDS_UNQUOTED, ALPHA

@cython.final
cdef class Tokenizer:
    cdef readonly bytes data
    cdef public Py_ssize_t position
    cdef readonly Py_ssize_t end, tag_start, name_start, name_end, attribute_start, attribute_end
    cdef readonly Py_ssize_t value_start, value_end, tag_end, doctype_end
    cdef readonly int quote
    cdef readonly bint self_closing
    cdef public int text
    cdef public bint conditionals

    @cython.locals(data=bytes, end=Py_ssize_t, at=Py_ssize_t, following=int)
    cpdef int next_tag(self, bint cdata) except -1

    @cython.locals(data=bytes, after=Py_ssize_t)
    cdef void _look_at_text(self, Py_ssize_t at, Py_ssize_t end, bint decodes) except *

    @cython.locals(data=bytes)
    cdef Py_ssize_t _reference_end(self, Py_ssize_t at, Py_ssize_t end) noexcept

    @cython.locals(data=bytes, end=Py_ssize_t)
    cdef inline void _read_name(self, Py_ssize_t at) noexcept

    @cython.locals(data=bytes, end=Py_ssize_t, close=Py_ssize_t)
    cdef void _markup_declaration(self, Py_ssize_t at, bint cdata) except *

    @cython.locals(data=bytes, end=Py_ssize_t, at=Py_ssize_t, length=Py_ssize_t)
    cdef Py_ssize_t _comment_end(self, Py_ssize_t start) except -1

    @cython.locals(data=bytes, end=Py_ssize_t, at=Py_ssize_t, byte=int)
    cpdef bint next_attribute(self) except -1

    @cython.locals(data=bytes, end=Py_ssize_t, after=Py_ssize_t, byte=int, close=Py_ssize_t)
    cdef inline bint _read_attribute(self, Py_ssize_t at) except -1

    @cython.locals(data=bytes, end=Py_ssize_t, at=Py_ssize_t)
    cpdef Py_ssize_t raw_text(self, bytes name) except -1

    @cython.locals(data=bytes, length=Py_ssize_t, after=Py_ssize_t)
    cdef bint _is_end_tag(self, Py_ssize_t at, bytes name) except -1

    @cython.locals(data=bytes, end=Py_ssize_t, at=Py_ssize_t)
    cpdef Py_ssize_t script_text(self) except -1

    @cython.locals(data=bytes, end=Py_ssize_t, start=Py_ssize_t, byte=int, double=bint)
    cdef Py_ssize_t _script_escaped(self, Py_ssize_t at) except -1

@cython.locals(tokenizer=Tokenizer, start=Py_ssize_t)
cpdef tuple find_attribute(bytes data, Py_ssize_t tag_start, bytes name)
