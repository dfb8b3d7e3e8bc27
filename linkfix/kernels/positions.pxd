cimport cython

from linkfix.kernels.bytesearch cimport count_code_points, count_joined, count_utf_8, find_byte, is_ascii
from linkfix.kernels.constants cimport CARRIAGE_RETURN, LINE_FEED

cdef object second_bytes

@cython.final
cdef class Positions:
    cdef bytes data
    cdef object encoding
    cdef str table_of
    cdef Py_ssize_t start, offset, characters
    cdef readonly Py_ssize_t line, column
    cdef bint has_returns, is_single_byte, is_utf_8

    cdef void _rewind(self) noexcept

    cpdef tuple of(self, Py_ssize_t offset)

    @cython.locals(data=bytes, splits=bint, stop=Py_ssize_t, after=Py_ssize_t, at=Py_ssize_t)
    cdef int move_to(self, Py_ssize_t offset) except -1

    @cython.locals(data=bytes, count=Py_ssize_t)
    cdef Py_ssize_t _count(self, Py_ssize_t start, Py_ssize_t end) except -1

@cython.final
cdef class CodePoints:
    cdef bytes data
    cdef Py_ssize_t offset, count

    cdef Py_ssize_t at(self, Py_ssize_t offset) noexcept
