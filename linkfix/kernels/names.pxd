cimport cython
from libc.stdint cimport uint64_t

from linkfix.kernels.bytesearch cimport is_name, name_slot, name_word
from linkfix.kernels.memory cimport ints, new_ints, new_words, words

cdef bytes LOWER
cdef Py_ssize_t SLOTS, WORD

@cython.final
cdef class NameTable:
    cdef readonly list names
    cdef list memory
    cdef int *heads
    cdef int *nexts
    cdef int *starts
    cdef int *lengths
    cdef uint64_t *words
    cdef bytes text

    @cython.locals(length=Py_ssize_t, word=uint64_t, number=int)
    cpdef int find(self, bytes data, Py_ssize_t start, Py_ssize_t end) noexcept

    cdef int _find_from(self, int number, bytes data, Py_ssize_t start, Py_ssize_t length) noexcept

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
