cimport cython

from linkfix.kernels.bytesearch cimport find_byte
from linkfix.kernels.columns cimport LINK_WIDTH, OF_FALLBACK, LinkColumns
from linkfix.kernels.constants cimport AMPERSAND
from linkfix.kernels.memory cimport append_span, ints
from linkfix.kernels.plain cimport LEAVE, NUMBER, PREFIX, SKIP, PlainReferences
from linkfix.kernels.positions cimport CodePoints

cdef object array, cut_data_url, to_utf8
cdef tuple LINK_COLUMNS, FIELDS, CELLS
cdef int PATH, PAGE, ELEMENT, ATTRIBUTE, SYNTAX, ROLE, REFERENCE, TARGET, BASE, PROBLEM
cdef int START, END, LINE, COLUMN, TAG_START
cdef bytes DATA
cdef Py_ssize_t DATA_LENGTH, DATA_LONGEST, ROW
cdef int LOWER_D, COMMA, SEMICOLON

@cython.final
cdef class TextCells:
    cdef readonly bytearray data, valid
    cdef readonly object offsets
    cdef int *ends
    cdef readonly Py_ssize_t count, nulls

    cdef int add(self, bytes text) except -1

    cdef int add_joined(self, bytes prefix, bytes data, Py_ssize_t start, Py_ssize_t end) except -1

    cdef int add_span(self, bytes data, Py_ssize_t start, Py_ssize_t end) except -1


@cython.final
cdef class LinkTable:
    cdef readonly list names
    cdef readonly Py_ssize_t rows, room, count, size
    cdef bytearray asked, any_element
    cdef list heads, head_texts, others, bases, prefixes, columns
    cdef LinkColumns links
    cdef bytes path, page
    cdef object units
    cdef Py_ssize_t left, row_size

    @cython.locals(kind=int)
    cpdef object clear(self)

    @cython.locals(kind=int, number=Py_ssize_t, head=tuple)
    cpdef Py_ssize_t open(self, LinkColumns links, object page, Py_ssize_t more, object units=*, object path=*) except -1

    @cython.locals(texts=list, link=object, text=object)
    cdef list _field(self, LinkColumns links, int field)

    @cython.locals(links=LinkColumns, last=Py_ssize_t, kind=int)
    cpdef Py_ssize_t add(self, Py_ssize_t first) except -1

    @cython.locals(columns=list)
    cpdef list take(self)

    @cython.locals(number=Py_ssize_t, size=Py_ssize_t)
    cdef Py_ssize_t _last(self, LinkColumns links, Py_ssize_t first) except -1

    @cython.locals(
        at=Py_ssize_t, row=Py_ssize_t, start=Py_ssize_t, end=Py_ssize_t, verdict=Py_ssize_t, asked=bytearray,
        size=Py_ssize_t, kind=int, length=Py_ssize_t, of_fallback=bint,
    )
    cdef Py_ssize_t _row_size(self, LinkColumns links, Py_ssize_t number) except -1

    @cython.locals(column=TextCells)
    cdef int _add_same(self, int kind, bytes text, Py_ssize_t count) except -1

    @cython.locals(column=TextCells, others=list, number=Py_ssize_t, at=Py_ssize_t, row=Py_ssize_t)
    cdef int _add_names(self, LinkColumns links, int kind, Py_ssize_t first, Py_ssize_t last) except -1

    @cython.locals(column=TextCells, others=list, known=list, number=Py_ssize_t, verdict=Py_ssize_t)
    cdef int _add_known(self, LinkColumns links, int kind, Py_ssize_t first, Py_ssize_t last) except -1

    @cython.locals(column=TextCells, others=list, number=Py_ssize_t, at=Py_ssize_t, verdict=Py_ssize_t)
    cdef int _add_references(self, LinkColumns links, Py_ssize_t first, Py_ssize_t last) except -1

    @cython.locals(
        column=TextCells, others=list, number=Py_ssize_t, at=Py_ssize_t, start=Py_ssize_t, end=Py_ssize_t,
        verdict=Py_ssize_t, prefix=bytes, of_fallback=bint,
    )
    cdef int _add_targets(self, LinkColumns links, Py_ssize_t first, Py_ssize_t last) except -1

    @cython.locals(cut=Py_ssize_t)
    cdef int _add_plain(self, TextCells column, LinkColumns links, Py_ssize_t start, Py_ssize_t end) except -1

    @cython.locals(
        column=cython.p_int, place=int, is_offset=bint, spans=CodePoints, unit=object, number=Py_ssize_t,
        row=Py_ssize_t, value=Py_ssize_t,
    )
    cdef int _add_numbers(self, LinkColumns links, int kind, Py_ssize_t first, Py_ssize_t last) except -1

@cython.locals(
    size=Py_ssize_t, bases=list, number=Py_ssize_t, at=Py_ssize_t, row=Py_ssize_t, verdict=Py_ssize_t, link=object,
    prefixes=list, of_fallback=bint,
)
cpdef Py_ssize_t links_size(LinkColumns links) except -1

cdef bytes _utf_8(object text)

cdef Py_ssize_t _length(bytes text) noexcept

@cython.locals(stop=Py_ssize_t)
cdef Py_ssize_t _cut(bytes data, Py_ssize_t start, Py_ssize_t end) except -1
