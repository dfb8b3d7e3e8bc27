cimport cython

cdef bytes LOWER

cdef class NameTable:
    cdef readonly list names
    cdef int[::1] heads
    cdef int[::1] nexts
    cdef int[::1] starts
    cdef bytes text

    @cython.locals(length=Py_ssize_t, text=bytes, slot=int, number=int, at=Py_ssize_t, i=Py_ssize_t)
    cpdef int find(self, bytes data, Py_ssize_t start, Py_ssize_t end) noexcept
