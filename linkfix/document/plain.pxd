cimport cython

from linkfix.html.names cimport NameTable

cdef int ODD, PLAIN, ALPHA, SLASH, DOT, COLON, QUESTION, HASH, AMPERSAND, PERCENT, DIGIT
cdef int HYPHEN, SOLIDUS, UPPER_Z, LOWER_A, LOWER_M, LOWER_P, COLON_BYTE, SEMICOLON, TO_LOWER, NOT_ASCII
cdef Py_ssize_t RESOLVE, LEAVE, PREFIX, SKIP, NUMBER, SCHEME, ROOT, PAGE, DOCUMENT, FOLDER
cdef bytes BYTES, HTTPS

cdef class PlainReferences:
    cdef bint fragments, escaped
    cdef list prefixes
    cdef Py_ssize_t deepest
    cdef NameTable opaque

    @cython.locals(end=Py_ssize_t, verdict=Py_ssize_t)
    cpdef object target(self, bytes reference)

    @cython.locals(first=int, at=Py_ssize_t)
    cdef Py_ssize_t classify(self, bytes data, Py_ssize_t start, Py_ssize_t end) except -1

    @cython.locals(at=Py_ssize_t, up=Py_ssize_t, length=int, after=Py_ssize_t)
    cdef Py_ssize_t _dotted(self, bytes data, Py_ssize_t start, Py_ssize_t end) except -1

    @cython.locals(length=Py_ssize_t, at=Py_ssize_t)
    cdef Py_ssize_t _absolute(self, bytes data, Py_ssize_t start, Py_ssize_t colon, Py_ssize_t end) except -1

    @cython.locals(at=Py_ssize_t)
    cdef bint _is_ascii(self, bytes data, Py_ssize_t start, Py_ssize_t end) except -1

    @cython.locals(at=Py_ssize_t, label=Py_ssize_t)
    cdef Py_ssize_t _host_end(self, bytes data, Py_ssize_t start, Py_ssize_t end) except -1

    @cython.locals(at=Py_ssize_t, kind=int, slashed=bint)
    cdef bint _rest_is_plain(self, bytes data, Py_ssize_t start, Py_ssize_t end) except -1

    @cython.locals(at=Py_ssize_t, kind=int)
    cdef bint _query_is_plain(self, bytes data, Py_ssize_t start, Py_ssize_t end) except -1

    @cython.locals(at=Py_ssize_t, kind=int)
    cdef bint _fragment_is_plain(self, bytes data, Py_ssize_t start, Py_ssize_t end) except -1

    cdef bint _is_ampersand(self, bytes data, Py_ssize_t at, Py_ssize_t end) except -1

    @cython.locals(at=Py_ssize_t, start=Py_ssize_t)
    cdef bint _is_serialized(self, bytes data, Py_ssize_t end) except -1
