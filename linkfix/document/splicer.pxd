cimport cython

from linkfix.document.plain cimport LEAVE, NUMBER, PREFIX, RESOLVE, SKIP, PlainReferences
from linkfix.html.bytesearch cimport lacks_references
from linkfix.html.outline cimport CSS, LOCAL_URL, TEXT, URL, WIDTH, Outline

cdef int NUMBER_SIGN
cdef Py_ssize_t LARGE

cdef class Splicer:
    cdef Outline outline
    cdef bytes data
    cdef PlainReferences plain
    cdef object resolve
    cdef list pieces
    cdef Py_ssize_t done
    cdef readonly Py_ssize_t seen, rewritten

    @cython.locals(
        outline=Outline, data=bytes, cells=cython.longlong[::1], kinds=cython.int[::1], plain=PlainReferences,
        number=Py_ssize_t, at=Py_ssize_t, kind=int, verdict=Py_ssize_t, start=Py_ssize_t, end=Py_ssize_t,
    )
    cpdef bytes run(self)

    cdef void _copy_until(self, Py_ssize_t end) except *

    @cython.locals(start=Py_ssize_t, end=Py_ssize_t, text=bytes)
    cdef void _put(self, list edits) except *
