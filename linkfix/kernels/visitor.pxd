cimport cython

from linkfix.kernels.byte_spans cimport ByteSpans
from linkfix.kernels.bytesearch cimport find_byte, lacks_references
from linkfix.kernels.constants cimport AMPERSAND, ANCHOR, BASE, CSS, LESS_THAN, LOCAL_URL, REFRESH, SRCSET, URL
from linkfix.kernels.outline cimport FOREIGN, TEXT, WIDTH, Outline
from linkfix.kernels.plain cimport PlainReferences

cdef class RecordVisitor:
    cdef bytes data
    cdef PlainReferences values, texts
    cdef ByteSpans several
    cdef tuple of_base, of_fallback
    cdef object is_parsed_before_base
    cdef bint has_fallback
    cdef Py_ssize_t before_base, number, tag_start
    cdef int kind, row, bits

    @cython.locals(
        data=bytes, cells=cython.p_longlong, kinds=cython.p_int, number=Py_ssize_t, at=Py_ssize_t, kind=int,
        start=Py_ssize_t, end=Py_ssize_t,
    )
    cdef int visit(self, Outline outline, Py_ssize_t first) except -1

    cdef int read_plain(
        self, ByteSpans several, tuple of_base, tuple of_fallback, Py_ssize_t before_base, object is_parsed_before_base
    ) except -1

    cdef int choose_base(self) except -1

    cdef int use(self, bint fallback) except -1

    cdef int on_url(self, Py_ssize_t start, Py_ssize_t end) except -1

    cdef int on_anchor(self, Py_ssize_t start, Py_ssize_t end) except -1

    cdef int on_base(self, Py_ssize_t start, Py_ssize_t end) except -1

    cdef bint on_several(self, Py_ssize_t start, Py_ssize_t end) except -1

    cdef bint on_part(self, Py_ssize_t start, Py_ssize_t end) except -1

    cdef int on_other(self) except -1

    @cython.locals(data=bytes, several=ByteSpans, count=Py_ssize_t, spans=cython.p_longlong, at=Py_ssize_t)
    cdef bint read_parts(self, Py_ssize_t start, Py_ssize_t end) except -1
