cimport cython

from linkfix.kernels.byte_spans cimport ByteSpans
from linkfix.kernels.bytesearch cimport find_byte, lacks_references
from linkfix.kernels.constants cimport (
    AMPERSAND, ANCHOR, CSS, LESS_THAN, LOCAL_URL, NUMBER_SIGN, REFRESH, SPACE_CHARACTER, SRCSET, URL,
)
from linkfix.kernels.memory cimport ascii_text, grown_longs, longs, new_link, new_longs, prefixed_text
from linkfix.kernels.outline cimport FOREIGN, TEXT, WIDTH, Outline
from linkfix.kernels.plain cimport DOCUMENT, LEAVE, NUMBER, PREFIX, RESOLVE, SKIP, PlainReferences
from linkfix.kernels.positions cimport CodePoints, Positions
from linkfix.kernels.tokenizer cimport CLASS, ENDS_TAG_NAME

cdef object Link
cdef Py_ssize_t LINK_WIDTH, LONGEST
cdef int LOWER_H

@cython.final
cdef class LinkColumns:
    cdef bytes data
    cdef Positions positions
    cdef object element_at, note, base
    cdef bint counts_code_points
    cdef readonly Py_ssize_t count
    cdef Py_ssize_t capacity, room
    cdef object memory
    cdef long long *cells
    cdef readonly list others
    cdef list heads
    cdef PlainReferences values, texts
    cdef dict memo, names
    cdef Py_ssize_t named_at
    cdef str named

    cpdef object add(self, object link)

    @cython.locals(
        data=bytes, cells=cython.p_longlong, kinds=cython.p_int, number=Py_ssize_t, at=Py_ssize_t, kind=int, start=Py_ssize_t, end=Py_ssize_t, link=object, is_read=bint,
    )
    cpdef object gather(
        self, Outline outline, object plain, ByteSpans several, object links_of, object decide_url, object decide_part,
        Py_ssize_t first,
    )

    @cython.locals(
        data=bytes, at=Py_ssize_t, row=int, start=Py_ssize_t, end=Py_ssize_t, tag_start=Py_ssize_t, is_local=bint,
        verdict=Py_ssize_t, value=bytes,
    )
    cdef int _push_url(self, int kind, Py_ssize_t number, Outline outline, object decide) except -1

    @cython.locals(
        data=bytes, cells=cython.p_longlong, at=Py_ssize_t, row=int, start=Py_ssize_t, end=Py_ssize_t,
        tag_start=Py_ssize_t, bits=int, plain=PlainReferences, count=Py_ssize_t, before=Py_ssize_t,
        spans=cython.p_longlong, verdict=Py_ssize_t, stands_for_itself=bint, value=bytes,
    )
    cdef bint _push_several(
        self, int kind, Py_ssize_t number, Outline outline, ByteSpans several, object decide
    ) except -1

    @cython.locals(known=tuple, link=object, other=Py_ssize_t, before=Py_ssize_t, length=Py_ssize_t)
    cdef int _remember(
        self, Py_ssize_t number, int row, Py_ssize_t start, bytes value, Py_ssize_t tag_start, object decide
    ) except -1

    @cython.locals(
        values=PlainReferences, texts=PlainReferences, target=bytes, reference=str, head=tuple, end=Py_ssize_t, url=str
    )
    cdef bint _remember_edited(
        self, int row, Py_ssize_t start, bytes value, Py_ssize_t tag_start
    ) except -1

    @cython.locals(data=bytes, verdict=Py_ssize_t)
    cdef Py_ssize_t _verdict(self, PlainReferences plain, Py_ssize_t start, Py_ssize_t end) except -1

    @cython.locals(positions=Positions, line=Py_ssize_t, column=Py_ssize_t)
    cdef int _push_at(
        self, int row, Py_ssize_t start, Py_ssize_t end, Py_ssize_t tag_start, Py_ssize_t verdict
    ) except -1

    @cython.locals(at=Py_ssize_t)
    cdef int _push(
        self, int row, Py_ssize_t start, Py_ssize_t end, Py_ssize_t tag_start, Py_ssize_t line, Py_ssize_t column,
        Py_ssize_t verdict,
    ) except -1

    cdef int _reserve(self, Py_ssize_t more) except -1

    @cython.locals(
        cells=cython.p_longlong, spans=CodePoints, tags=CodePoints, made=list, number=Py_ssize_t, at=Py_ssize_t,
        row=int, start=Py_ssize_t, end=Py_ssize_t, tag_start=Py_ssize_t, verdict=Py_ssize_t, base=object,
        problem=object, link=object, reference=str, target=object, head=tuple, element=str, prefixes=list,
    )
    cpdef list links(self)

    cdef str _target(self, str prefix, str reference, Py_ssize_t start, Py_ssize_t end, Py_ssize_t skipped)

    @cython.locals(data=bytes, text=str)
    cdef str _reference(self, Py_ssize_t start, Py_ssize_t end)

    @cython.locals(data=bytes, end=Py_ssize_t, name=bytes, element=object)
    cdef object element(self, Py_ssize_t tag_start, str namespace)
