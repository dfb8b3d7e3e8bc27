cimport cython

from linkfix.kernels.bytesearch cimport is_name, name_slot
from linkfix.kernels.memory cimport ints, new_ints

cdef bytes LOWER
cdef Py_ssize_t SLOTS

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

@cython.final
cdef class RowIndex:
    cdef readonly list rows
    cdef list heads
    cdef readonly NameTable attributes, elements
    cdef readonly object flags
    cdef int head, html, image, img, comment, width, height
    cdef list memory
    cdef int *table
    cdef int *nexts
    cdef int *guards
    cdef int *kinds
    cdef list guard_words
