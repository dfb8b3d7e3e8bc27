cimport cython

from linkfix.kernels.bytesearch cimport find_byte
from linkfix.kernels.constants cimport (
    AMPERSAND, ANNOTATION, BASE, COLOR, CONTENT, ENCODING, FACE, FONT, FRAMESET, GREATER_THAN, HTTP_EQUIV, INPUT, META,
    NOSCRIPT, PLAINTEXT, RAW_TEXT, RIGHT_BRACKET, SCRIPT, SIZE, TYPE,
)
from linkfix.kernels.memory cimport grown_longs, ints, longs, new_ints, new_longs
from linkfix.kernels.names cimport LOWER, NameTable, RowIndex
from linkfix.kernels.tokenizer cimport BLANK, CLASS, CONDITIONAL, END, EOF, SPACE, VISIBLE, Tokenizer
from linkfix.kernels.tree_context cimport DROPPED, TreeContext

cdef object decode
cdef NameTable INTEGRATION_ENCODINGS, HIDDEN, POLICY
cdef int WIDTH, QUOTE, TEXT, FOREIGN, IN_TEMPLATE, IN_NOSCRIPT, IN_FRAMESET

@cython.locals(decoded=object)
cdef bytes _decoded(bytes data, Py_ssize_t start, Py_ssize_t end)

@cython.locals(position=Py_ssize_t)
cdef bint _passes_end(Tokenizer tokenizer, bytes data) noexcept

@cython.final
cdef class Outline:
    cdef RowIndex index
    cdef readonly bytes data
    cdef readonly Py_ssize_t count, head_count, head_end, html_end, doctype_end
    cdef readonly list bases, policies
    cdef Py_ssize_t capacity
    cdef bint has_frameset
    cdef list memory
    cdef long long *cells
    cdef Tokenizer tokenizer
    cdef TreeContext context
    cdef bint scripting
    cdef int around
    cdef long long tag
    cdef long long *seen
    cdef long long *value_starts
    cdef long long *value_ends
    cdef int *quotes
    cdef int *order

    cpdef Py_ssize_t row_number(self, Py_ssize_t number)
    cpdef Py_ssize_t start(self, Py_ssize_t number)
    cpdef Py_ssize_t tag_start(self, Py_ssize_t number)

    @cython.locals(at=Py_ssize_t, cells=cython.p_longlong, bits=int)
    cpdef object record(self, Py_ssize_t number)

    @cython.locals(
        tokenizer=Tokenizer, context=TreeContext, data=bytes, index=RowIndex, elements=NameTable, kind=int, number=int,
    )
    cdef int _scan(self) except -1

    @cython.locals(data=bytes, first=Py_ssize_t, last=Py_ssize_t, is_whole=bint, around=int)
    cdef object _conditional(self, Py_ssize_t start, Py_ssize_t end)

    @cython.locals(value=cython.uint)
    cdef int _hash(self, Py_ssize_t start, Py_ssize_t end) noexcept

    @cython.locals(
        tag_start=Py_ssize_t, tag=cython.longlong, attribute_count=int, attribute=int, flags=int, decisive=bint,
        around=int, namespace=int, slot=int,
    )
    cdef object _start_tag(
        self, int number, Tokenizer tokenizer, TreeContext context, RowIndex index, bytes data
    )

    @cython.locals(i=int, attribute=int, row=int)
    cdef object _push_attributes(self, int slot, int count, Py_ssize_t tag_start, int around)

    cdef bint _has_decisive_attribute(self, int flags) except -1

    @cython.locals(number=Py_ssize_t)
    cdef void _replace_body(self) except *

    @cython.locals(data=bytes, start=Py_ssize_t, end=Py_ssize_t)
    cdef bint _is_value(self, int attribute, NameTable words) except -1

    @cython.locals(has_content=bint)
    cdef void _meta(self, Py_ssize_t tag_start) except *

    @cython.locals(tokenizer=Tokenizer, start=Py_ssize_t, end=Py_ssize_t)
    cdef object _text(self, int number, int flags, int row, Py_ssize_t tag_start, int around)

    @cython.locals(
        tokenizer=Tokenizer, context=TreeContext, outer=int, start=Py_ssize_t, last=Py_ssize_t, text=int,
        end=Py_ssize_t,
    )
    cdef object _noscript(self, int around)

    @cython.locals(tokenizer=Tokenizer, start=Py_ssize_t, end=Py_ssize_t)
    cdef int _foreign_text(self, int row, Py_ssize_t tag_start, int around) except -1

    @cython.locals(index=RowIndex, guard=int)
    cdef object _push_rows(self, int row, Py_ssize_t start, Py_ssize_t end, Py_ssize_t tag_start, int bits)

    @cython.locals(words=NameTable, data=bytes)
    cdef bint _satisfies_guard(self, int row, Py_ssize_t start, Py_ssize_t end) except -1

    @cython.locals(at=Py_ssize_t)
    cdef int _push(
        self, int row, Py_ssize_t start, Py_ssize_t end, Py_ssize_t tag_start, int bits
    ) except -1

    cdef int _grow(self) except -1
