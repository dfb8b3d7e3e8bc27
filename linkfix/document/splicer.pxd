cimport cython

from linkfix.html.bytesearch cimport lacks_references
from linkfix.html.names cimport NameTable
from linkfix.html.outline cimport CSS, LOCAL_URL, TEXT, URL, WIDTH, Outline

cdef int ODD, PLAIN, ALPHA, SLASH, DOT, COLON, QUESTION, HASH, AMPERSAND, PERCENT, DIGIT
cdef int RESOLVE, LEAVE, PREFIX
cdef bytes BYTES, HTTPS

cdef class Prefixes:
    cdef bytes scheme, root, page, document
    cdef bint fragments
    cdef list folders
    cdef int deepest

cdef class Splicer:
    cdef Outline outline
    cdef bytes data
    cdef Prefixes prefixes
    cdef bint plain
    cdef object resolve
    cdef list pieces
    cdef Py_ssize_t done, skip
    cdef readonly Py_ssize_t seen, rewritten
    cdef bytes prefix
    cdef NameTable opaque

    @cython.locals(
        outline=Outline, data=bytes, cells=cython.longlong[::1], kinds=cython.int[::1], plain=bint, number=Py_ssize_t,
        at=Py_ssize_t, kind=int, verdict=int, bits=int, start=Py_ssize_t, end=Py_ssize_t,
    )
    cpdef bytes run(self)

    cdef void _put(self, list edits) except *

    @cython.locals(data=bytes, prefixes=Prefixes, first=int, at=Py_ssize_t)
    cdef int _classify(self, Py_ssize_t start, Py_ssize_t end) except -1

    @cython.locals(data=bytes, prefixes=Prefixes, at=Py_ssize_t, up=int, length=int, after=Py_ssize_t)
    cdef int _dotted(self, Py_ssize_t start, Py_ssize_t end) except -1

    @cython.locals(data=bytes, length=Py_ssize_t, at=Py_ssize_t)
    cdef int _absolute(self, Py_ssize_t start, Py_ssize_t colon, Py_ssize_t end) except -1

    @cython.locals(data=bytes, at=Py_ssize_t, label=Py_ssize_t)
    cdef Py_ssize_t _host_end(self, Py_ssize_t start, Py_ssize_t end) except -1

    @cython.locals(data=bytes, at=Py_ssize_t, kind=int, slashed=bint)
    cdef bint _rest_is_plain(self, Py_ssize_t start, Py_ssize_t end) except -1

    @cython.locals(data=bytes, at=Py_ssize_t, kind=int)
    cdef bint _query_is_plain(self, Py_ssize_t start, Py_ssize_t end) except -1

    @cython.locals(data=bytes, at=Py_ssize_t, kind=int)
    cdef bint _fragment_is_plain(self, Py_ssize_t start, Py_ssize_t end) except -1

    @cython.locals(data=bytes)
    cdef bint _is_ampersand(self, Py_ssize_t at, Py_ssize_t end) except -1
