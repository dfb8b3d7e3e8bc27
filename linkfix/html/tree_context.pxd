cimport cython

cdef int HTML, SVG, MATHML, NAMESPACE, HTML_POINT, TEXT_POINT, SEARCH_DEPTH, UNKNOWN
cdef int RAW_TEXT, SCRIPT, PLAINTEXT, BREAKOUT, VOID, SPECIAL, SCOPE, TABLE, SVG_POINT, MATH_POINT, TEMPLATE
cdef int SVG_ROOT, MATH_ROOT, ANNOTATION, FONT, GLYPH, PARAGRAPH, ROOT

cdef class TreeContext:
    cdef int[::1] flags
    cdef int[::1] numbers
    cdef int[::1] kinds
    cdef int[::1] opens
    cdef Py_ssize_t room, depth
    cdef readonly Py_ssize_t templates
    cdef readonly bint foreign

    @cython.locals(flags=int, kind=int)
    cpdef int start(self, int number, bint self_closing, bint marked) except -1

    cdef bint _is_html_start(self, int kind, int flags) noexcept

    cdef int _foreign_kind(self, int namespace, int flags, bint marked) noexcept

    @cython.locals(depth=Py_ssize_t)
    cdef void _push(self, int number, int kind) except *

    @cython.locals(number=int)
    cdef void _cut(self, Py_ssize_t depth) except *

    @cython.locals(depth=Py_ssize_t, kind=int)
    cdef void _break_out(self) except *

    @cython.locals(flags=int, index=Py_ssize_t, lowest=Py_ssize_t)
    cpdef void end(self, int number) except *

    @cython.locals(bound=int)
    cdef void _close_inner(self, int number, int flags, Py_ssize_t index, Py_ssize_t lowest) except *

    @cython.locals(slot=int)
    cdef void _close_outer(self, int number, int flags) except *
