cimport cython

from linkfix.kernels.constants cimport (
    ANNOTATION, BREAKOUT, ENDS_HEAD, FONT, FORM, FRAMESET, GLYPH, HEAD, INPUT, IN_FRAMESET, IN_HEAD,
    IN_HEAD_NOSCRIPT, MATH_INTEGRATION_POINT, MATH_ROOT, NOSCRIPT, NOT_FRAMESET_OK, OUTERMOST, P_OR_BR, SCOPE,
    SPECIAL, SVG_INTEGRATION_POINT, SVG_ROOT, TABLE, TABLE_ROOT, TEMPLATE, VOID,
)
from linkfix.kernels.memory cimport grown_ints, ints, new_ints

cdef int HTML, SVG, MATHML, DROPPED, NAMESPACE, HTML_INTEGRATION_POINT, TEXT_INTEGRATION_POINT, SCOPE_BOUND, SEARCH_DEPTH, UNKNOWN_SLOTS

@cython.final
cdef class TreeContext:
    cdef list memory
    cdef int *flags
    cdef int *numbers
    cdef int *kinds
    cdef int *open_counts
    cdef Py_ssize_t capacity, depth, tables
    cdef readonly Py_ssize_t templates
    cdef readonly bint foreign, before_body, in_frameset
    cdef bint after_head, in_head_noscript, frameset_ok, needs_text

    cdef void text(self, bint visible) noexcept

    @cython.locals(flags=int, kind=int)
    cpdef int start(self, int number, bint self_closing, bint decisive) except -1

    cdef inline int _slot(self, int number) noexcept

    cdef bint _is_head_noscript(self, int flags) except -1

    cdef bint _is_dropped(self, int flags, bint decisive) except -1

    cdef void _begin_frameset(self) except *

    cdef bint _is_html_start(self, int kind, int flags) noexcept

    cdef int _foreign_kind(self, int namespace, int flags, bint decisive) noexcept

    @cython.locals(depth=Py_ssize_t)
    cdef int _push(self, int number, int kind) except -1

    @cython.locals(number=int)
    cdef int _pop_to(self, Py_ssize_t depth) except -1

    cdef void _forget(self, int flags) noexcept

    @cython.locals(depth=Py_ssize_t, kind=int)
    cdef int _break_out(self) except -1

    @cython.locals(flags=int, slot=int, index=Py_ssize_t, lowest=Py_ssize_t, passed=int)
    cpdef object end(self, int number)

    @cython.locals(bound=int, foreign_bound=int)
    cdef object _close_in_stack(self, int number, int flags, Py_ssize_t index, Py_ssize_t lowest, int passed)

    @cython.locals(slot=int)
    cdef object _close_below_stack(self, int number, int flags)
