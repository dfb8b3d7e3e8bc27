cimport cython

from linkfix.kernels.byte_spans cimport ByteSpans
from linkfix.kernels.bytesearch cimport find_byte
from linkfix.kernels.constants cimport AMPERSAND, LOCAL_URL, NUMBER_SIGN, SPACE_CHARACTER
from linkfix.kernels.memory cimport ascii_text, grown_longs, longs, new_link, new_longs, prefixed_text
from linkfix.kernels.outline cimport TEXT, Outline
from linkfix.kernels.plain cimport DOCUMENT, LEAVE, NUMBER, PREFIX, RESOLVE, SKIP, PlainReferences
from linkfix.kernels.positions cimport CodePoints, Positions
from linkfix.kernels.tokenizer cimport CLASS, ENDS_TAG_NAME
from linkfix.kernels.visitor cimport RecordVisitor

cdef object Link, decode
cdef str REPLACEMENT
cdef Py_ssize_t LINK_WIDTH, LONGEST, OF_FALLBACK
cdef int LOWER_H

cdef tuple _pair(object plain)

cdef class LinkColumns(RecordVisitor):
    cdef Positions positions
    cdef object links_of_base, links_of_fallback, decode_value, encode
    cdef object element_at, note, base, fallback, links_of, decide_url, decide_part
    cdef bint counts_code_points, local_is_plain
    cdef readonly Py_ssize_t count
    cdef Py_ssize_t capacity, room
    cdef object memory
    cdef long long *cells
    cdef readonly list others
    cdef list heads
    cdef dict memo, names
    cdef Py_ssize_t named_at
    cdef str named

    cpdef object add(self, object link)

    cpdef object gather(
        self, Outline outline, ByteSpans several, object of_base, object of_fallback, Py_ssize_t before_base,
        object is_parsed_before_base,
    )

    @cython.locals(plain=object)
    cdef int use(self, bint fallback) except -1

    cdef int on_base(self, Py_ssize_t start, Py_ssize_t end) except -1

    @cython.locals(
        data=bytes, first=Py_ssize_t, last=Py_ssize_t, is_local=bint, verdict=Py_ssize_t, value=bytes
    )
    cdef int on_url(self, Py_ssize_t start, Py_ssize_t end) except -1

    @cython.locals(before=Py_ssize_t)
    cdef bint on_several(self, Py_ssize_t start, Py_ssize_t end) except -1

    @cython.locals(data=bytes, is_text=bint, has_ampersand=bint, stands_for_itself=bint, is_plain=bint, is_local=bint, verdict=Py_ssize_t, value=bytes)
    cdef bint on_part(self, Py_ssize_t start, Py_ssize_t end) except -1

    @cython.locals(link=object)
    cdef int on_other(self) except -1

    @cython.locals(key=tuple, is_remembered=bint, known=tuple, link=object, other=Py_ssize_t, before=Py_ssize_t, length=Py_ssize_t)
    cdef int _remember(self, Py_ssize_t start, bytes value, object decide) except -1

    @cython.locals(
        texts=PlainReferences, is_remembered=bint, is_local=bint, target=bytes, reference=str, head=tuple, end=Py_ssize_t,
        tag_start=Py_ssize_t, url=str,
    )
    cdef bint _remember_edited(self, Py_ssize_t start, bytes value) except -1

    @cython.locals(data=bytes, verdict=Py_ssize_t)
    cdef Py_ssize_t _verdict(self, PlainReferences plain, Py_ssize_t start, Py_ssize_t end) except -1

    @cython.locals(positions=Positions, line=Py_ssize_t, column=Py_ssize_t)
    cdef int _push(self, Py_ssize_t start, Py_ssize_t end, Py_ssize_t verdict) except -1

    @cython.locals(at=Py_ssize_t)
    cdef int _put(
        self, int row, Py_ssize_t start, Py_ssize_t end, Py_ssize_t tag_start, Py_ssize_t line, Py_ssize_t column,
        Py_ssize_t verdict,
    ) except -1

    cdef int _reserve(self, Py_ssize_t more) except -1

    @cython.locals(texts=PlainReferences)
    cdef list prefixes(self, bint fallback)

    @cython.locals(
        cells=cython.p_longlong, spans=CodePoints, tags=CodePoints, made=list, number=Py_ssize_t, at=Py_ssize_t,
        row=int, start=Py_ssize_t, end=Py_ssize_t, tag_start=Py_ssize_t, verdict=Py_ssize_t, base=object,
        problem=object, link=object, reference=str, target=object, head=tuple, element=str, prefixes=list,
        bases=list, of_fallback=bint, last_line=Py_ssize_t, line=object, column=Py_ssize_t,
    )
    cpdef list links(self)

    @cython.locals(prefix=str)
    cdef str _target(self, list prefixes, str reference, Py_ssize_t start, Py_ssize_t end, Py_ssize_t verdict)

    @cython.locals(data=bytes, text=str)
    cdef str _reference(self, Py_ssize_t start, Py_ssize_t end)

    @cython.locals(data=bytes, end=Py_ssize_t, name=bytes, element=object)
    cdef object element(self, Py_ssize_t tag_start, str namespace)
