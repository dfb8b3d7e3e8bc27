cimport cython

from linkfix.kernels.memory cimport WIDTH, grown_longs, join_edits, longs, new_longs


@cython.final
cdef class Edits:
    cdef bytes data
    cdef object encode
    cdef list texts
    cdef Py_ssize_t shift, count, capacity
    cdef object memory
    cdef long long *cells

    @cython.locals(shift=Py_ssize_t)
    cdef Py_ssize_t add_texts(self, list texts) except -1

    cdef int push(self, Py_ssize_t start, Py_ssize_t end, Py_ssize_t text) except -1

    @cython.locals(at=Py_ssize_t)
    cdef void put(self, Py_ssize_t number, Py_ssize_t start, Py_ssize_t end, Py_ssize_t text) noexcept

    cdef int push_text(self, Py_ssize_t start, Py_ssize_t end, bytes text) except -1

    @cython.locals(text=object)
    cdef bint push_encoded(self, Py_ssize_t start, Py_ssize_t end, bint is_query) except -1

    cdef bint is_text(self, Py_ssize_t start, Py_ssize_t end) except -1

    cdef bytes apply(self)

    cdef object reserve(self, Py_ssize_t capacity)
