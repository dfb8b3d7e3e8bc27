cimport cython

from linkfix.html.names cimport LOWER, NameTable
from linkfix.html.tokenizer cimport CLASS, END, EOF, SPACE, Tokenizer
from linkfix.html.tree_context cimport ANNOTATION, FONT, PLAINTEXT, RAW_TEXT, SCRIPT, TreeContext

cdef object array, decode
cdef int OTHER, URL, LOCAL_URL, BASE, CSS, ANCHOR
cdef int WIDTH, QUOTE, TEXT, FOREIGN, IN_TEMPLATE

cdef class RowIndex:
    cdef readonly list rows
    cdef readonly NameTable attributes, elements
    cdef NameTable integration_encodings
    cdef readonly object flags
    cdef int head, html, image, img, width, height
    cdef int[::1] table
    cdef int[::1] nexts
    cdef int[::1] guards
    cdef int[::1] kinds
    cdef list guard_words

cdef class Outline:
    cdef RowIndex index
    cdef readonly bytes data
    cdef readonly Py_ssize_t count, head_end, html_end, doctype_end
    cdef readonly list bases
    cdef Py_ssize_t capacity
    cdef long long[::1] cells
    cdef Tokenizer tokenizer
    cdef TreeContext context
    cdef long long tag
    cdef long long[::1] seen
    cdef long long[::1] value_starts
    cdef long long[::1] value_ends
    cdef int[::1] quotes
    cdef int[::1] order

    @cython.locals(at=Py_ssize_t, cells=cython.longlong[::1], bits=int)
    cpdef object record(self, Py_ssize_t number)

    @cython.locals(tokenizer=Tokenizer, context=TreeContext, data=bytes, elements=NameTable, kind=int, number=int)
    cdef void _scan(self) except *

    @cython.locals(value=cython.uint)
    cdef int _hash(self, Py_ssize_t start, Py_ssize_t end) noexcept

    @cython.locals(
        tokenizer=Tokenizer, context=TreeContext, index=RowIndex, data=bytes, tag_start=Py_ssize_t,
        attributes=NameTable, tag=cython.longlong, attribute_count=int, attribute=int, flags=int, decisive=bint,
        in_template=int, namespace=int, slot=int, i=int, row=int, start=Py_ssize_t, end=Py_ssize_t,
    )
    cdef void _start_tag(self, int number) except *

    @cython.locals(start=Py_ssize_t, end=Py_ssize_t)
    cdef bint _has_decisive_attribute(self, int flags) except -1

    @cython.locals(tokenizer=Tokenizer, start=Py_ssize_t, end=Py_ssize_t)
    cdef void _text(self, int number, int flags, int row, Py_ssize_t tag_start, int in_template) except *

    @cython.locals(tokenizer=Tokenizer, start=Py_ssize_t, end=Py_ssize_t)
    cdef void _foreign_text(self, int row, Py_ssize_t tag_start, int in_template) except *

    @cython.locals(index=RowIndex, guard=int)
    cdef void _push_rows(self, int row, Py_ssize_t start, Py_ssize_t end, Py_ssize_t tag_start, int bits) except *

    @cython.locals(words=NameTable, data=bytes)
    cdef bint _satisfies_guard(self, int row, Py_ssize_t start, Py_ssize_t end) except -1

    @cython.locals(at=Py_ssize_t, cells=cython.longlong[::1])
    cdef void _push(
        self, int row, Py_ssize_t start, Py_ssize_t end, Py_ssize_t tag_start, int bits
    ) except *
