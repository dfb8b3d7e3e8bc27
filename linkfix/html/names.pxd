cimport cython

from linkfix.html.bytesearch cimport is_name
from linkfix.html.cells cimport ints

cdef object array
cdef bytes LOWER
cdef int LOWER_CASE

cdef int _slot(Py_ssize_t length, int first, int last) noexcept

@cython.final
cdef class NameTable:
    cdef readonly list names
    cdef list memory
    cdef int *heads
    cdef int *nexts
    cdef int *starts
    cdef bytes text

    @cython.locals(length=Py_ssize_t, number=int, at=Py_ssize_t)
    cpdef int find(self, bytes data, Py_ssize_t start, Py_ssize_t end) noexcept
