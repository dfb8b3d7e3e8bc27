cimport cython

from linkfix.kernels.byte_spans cimport ByteSpans
from linkfix.kernels.bytesearch cimport find_byte, lacks_references
from linkfix.kernels.constants cimport (
    AMPERSAND, CSS, LESS_THAN, LOCAL_URL, NUMBER_SIGN, REFRESH, SPACE_CHARACTER, SRCSET, URL,
)
from linkfix.kernels.edits cimport Edits
from linkfix.kernels.outline cimport FOREIGN, TEXT, WIDTH, Outline
from linkfix.kernels.plain cimport DOCUMENT, LEAVE, NUMBER, PAGE, PREFIX, RESOLVE, PlainReferences

cdef object SPECIAL

cdef class Splicer:
    cdef bytes data
    cdef PlainReferences plain, text_plain
    cdef ByteSpans values
    cdef bint reads_values
    cdef object resolve, keeps
    cdef Edits edits
    cdef Py_ssize_t text_shift, before_base
    cdef readonly Py_ssize_t seen, rewritten

    @cython.locals(
        data=bytes, cells=cython.p_longlong, kinds=cython.p_int, plain=PlainReferences,
        number=Py_ssize_t, at=Py_ssize_t, kind=int, verdict=Py_ssize_t, start=Py_ssize_t, end=Py_ssize_t,
    )
    cpdef object run(self, Outline outline)

    cpdef bytes apply(self)

    @cython.locals(data=bytes, verdict=Py_ssize_t)
    cdef Py_ssize_t _write_url(self, PlainReferences plain, int kind, Py_ssize_t start, Py_ssize_t end) except -1

    @cython.locals(
        data=bytes, edits=Edits, plain=PlainReferences, count=Py_ssize_t, spans=cython.p_longlong, at=Py_ssize_t,
        before=Py_ssize_t, rewritten=Py_ssize_t, verdict=Py_ssize_t,
    )
    cdef bint _write_several(self, int kind, Py_ssize_t start, Py_ssize_t end, int bits) except -1

    @cython.locals(data=bytes, verdict=Py_ssize_t)
    cdef Py_ssize_t _write_one(self, PlainReferences plain, int kind, Py_ssize_t start, Py_ssize_t end) except -1

    @cython.locals(
        before=Py_ssize_t, verdict=Py_ssize_t, text_plain=PlainReferences, is_fragment=bint, has_ampersand=bint,
        target=bytes,
    )
    cdef Py_ssize_t _write_unless_kept(
        self, PlainReferences plain, Py_ssize_t start, Py_ssize_t end
    ) except -1

    @cython.locals(edits=Edits, start=Py_ssize_t, end=Py_ssize_t, text=bytes)
    cdef void _write_others(self, Py_ssize_t number) except *

@cython.locals(found=Edits, start=Py_ssize_t, end=Py_ssize_t, text=bytes)
cpdef bytes splice(bytes data, list edits)
