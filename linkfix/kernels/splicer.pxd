cimport cython

from linkfix.kernels.byte_spans cimport ByteSpans
from linkfix.kernels.bytesearch cimport find_byte
from linkfix.kernels.constants cimport AMPERSAND, CSS, LOCAL_URL, NUMBER_SIGN, SPACE_CHARACTER, URL
from linkfix.kernels.edits cimport Edits
from linkfix.kernels.outline cimport TEXT, Outline
from linkfix.kernels.plain cimport DOCUMENT, LEAVE, NUMBER, PAGE, PREFIX, RESOLVE, SKIP, PlainReferences, needs_no_path
from linkfix.kernels.visitor cimport RecordVisitor

cdef object SPECIAL, decode

cdef class Splicer(RecordVisitor):
    cdef bint reads_values, writes_empty, shares_root
    cdef object resolve, keeps
    cdef Edits edits
    cdef Py_ssize_t fallback_shift, text_shift
    cdef readonly Py_ssize_t seen, rewritten

    cpdef object run(
        self, Outline outline, ByteSpans several, tuple of_base, tuple of_fallback, Py_ssize_t before_base,
        object is_parsed_before_base,
    )

    @cython.locals(values=PlainReferences, texts=PlainReferences, shift=Py_ssize_t)
    cdef Py_ssize_t _add_texts(self, tuple pair) except -1

    @cython.locals(values=PlainReferences)
    cdef int use(self, bint fallback) except -1

    cpdef bytes apply(self)

    @cython.locals(data=bytes, plain=PlainReferences, verdict=Py_ssize_t)
    cdef int on_url(self, Py_ssize_t start, Py_ssize_t end) except -1

    @cython.locals(edits=Edits, before=Py_ssize_t, seen=Py_ssize_t, rewritten=Py_ssize_t, shift=Py_ssize_t, are_plain=bint)
    cdef bint on_several(self, Py_ssize_t start, Py_ssize_t end) except -1

    @cython.locals(data=bytes, plain=PlainReferences, verdict=Py_ssize_t)
    cdef bint on_part(self, Py_ssize_t start, Py_ssize_t end) except -1

    @cython.locals(
        before=Py_ssize_t, verdict=Py_ssize_t, texts=PlainReferences, is_fragment=bint, text=bytes, target=bytes
    )
    cdef Py_ssize_t _write_unless_kept(self, PlainReferences plain, Py_ssize_t start, Py_ssize_t end) except -1

    @cython.locals(texts=PlainReferences, raw=bytes, text=bytes, verdict=Py_ssize_t)
    cdef Py_ssize_t _write_decoded(self, PlainReferences plain, Py_ssize_t start, Py_ssize_t end) except -1

    @cython.locals(edits=Edits, start=Py_ssize_t, end=Py_ssize_t, text=bytes)
    cdef int on_other(self) except -1

    cdef bint _count(self, Py_ssize_t verdict) noexcept

@cython.locals(found=Edits, start=Py_ssize_t, end=Py_ssize_t, text=bytes)
cpdef bytes splice(bytes data, list edits)
