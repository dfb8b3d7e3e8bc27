cimport cython

cdef object array
cdef int HTML, SVG, MATHML, NAMESPACE, HTML_INTEGRATION_POINT, TEXT_INTEGRATION_POINT, SCOPE_BOUND, SEARCH_DEPTH, UNKNOWN_SLOTS
cdef int RAW_TEXT, SCRIPT, PLAINTEXT, BREAKOUT, VOID, SPECIAL, SCOPE, TABLE, SVG_INTEGRATION_POINT, MATH_INTEGRATION_POINT, TEMPLATE
cdef int SVG_ROOT, MATH_ROOT, ANNOTATION, FONT, GLYPH, P_OR_BR, OUTERMOST, FORM

cdef class TreeContext:
    cdef int[::1] flags
    cdef int[::1] numbers
    cdef int[::1] kinds
    cdef int[::1] open_counts
    cdef Py_ssize_t capacity, depth
    cdef readonly Py_ssize_t templates
    cdef readonly bint foreign

    @cython.locals(flags=int, kind=int)
    cpdef int start(self, int number, bint self_closing, bint decisive) except -1

    cdef bint _is_html_start(self, int kind, int flags) noexcept

    cdef int _foreign_kind(self, int namespace, int flags, bint decisive) noexcept

    @cython.locals(depth=Py_ssize_t)
    cdef void _push(self, int number, int kind) except *

    @cython.locals(number=int)
    cdef void _pop_to(self, Py_ssize_t depth) except *

    @cython.locals(depth=Py_ssize_t, kind=int)
    cdef void _break_out(self) except *

    @cython.locals(flags=int, index=Py_ssize_t, lowest=Py_ssize_t, passed=int)
    cpdef void end(self, int number) except *

    @cython.locals(bound=int, foreign_bound=int)
    cdef void _close_in_stack(self, int number, int flags, Py_ssize_t index, Py_ssize_t lowest, int passed) except *

    @cython.locals(slot=int)
    cdef void _close_below_stack(self, int number, int flags) except *
