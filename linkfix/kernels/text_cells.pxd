cimport cython

from linkfix.kernels.cells cimport ints
from linkfix.kernels.making cimport append_span

cdef object array

@cython.final
cdef class TextCells:
    cdef readonly bytearray data, valid
    cdef readonly object offsets
    cdef int *ends
    cdef readonly Py_ssize_t count, nulls

    cdef int add(self, bytes text) except -1

    cdef int add_joined(self, bytes prefix, bytes data, Py_ssize_t start, Py_ssize_t end) except -1

    cdef int add_span(self, bytes data, Py_ssize_t start, Py_ssize_t end) except -1
