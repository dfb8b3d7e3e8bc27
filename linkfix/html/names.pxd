cimport cython

from linkfix.html.bytesearch cimport is_name

cdef object array
cdef bytes LOWER
cdef int LOWER_CASE

cdef int _slot(Py_ssize_t length, int first, int last) noexcept

@cython.final
cdef class NameTable:
    cdef readonly list names
    cdef int[::1] heads
    cdef int[::1] nexts
    cdef int[::1] starts
    cdef bytes text

    @cython.locals(length=Py_ssize_t, number=int, at=Py_ssize_t)
    cpdef int find(self, bytes data, Py_ssize_t start, Py_ssize_t end) noexcept
