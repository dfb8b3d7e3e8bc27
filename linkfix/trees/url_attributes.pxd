cimport cython

from linkfix.kernels.byte_spans cimport ByteSpans
from linkfix.kernels.bytesearch cimport one_byte_each
from linkfix.kernels.constants cimport CSS, SRCSET
from linkfix.kernels.memory cimport new_link
from linkfix.kernels.plain cimport PlainReferences
from linkfix.trees.context cimport ElementKind, UrlAttribute
from linkfix.trees.element cimport TreeColumns

cdef object Link, PART, LOCAL_PART, IS_ESCAPED
cdef Py_ssize_t REMEMBERED, LONGEST
cdef bint IS_PLAIN

cdef class UrlAttributes:
    cdef PlainReferences plain
    cdef object base, fallback, decide, convert_text, note
    cdef bint keeps_fragments
    cdef list links
    cdef dict decided, local
    cdef ByteSpans several
    cdef readonly Py_ssize_t rewritten

    @cython.locals(write=object, number=Py_ssize_t, attribute=object, value=object, line=object)
    cpdef object convert(self, TreeColumns columns, object convert_other)

    @cython.locals(
        count=Py_ssize_t, decision=tuple, reference=object, target=object, base=object, new=object, problem=object,
        found=tuple, error=object,
    )
    cdef object _convert(
        self, object node, ElementKind kind, UrlAttribute attribute, str value, object line, object write
    )

    @cython.locals(memo=dict, key=object, decision=tuple)
    cdef tuple _decide(self, object row, str value, bint is_local)

    @cython.locals(plain=PlainReferences, data=bytes, encoded=object, target=str, before=str, colon=str, _=str, is_absolute=bint)
    cpdef tuple decide_plain(self, str value)

    @cython.locals(
        is_css=bint, data=bytes, several=ByteSpans, count=Py_ssize_t, spans=cython.p_longlong, decisions=list,
        at=Py_ssize_t, pieces=list, changed=Py_ssize_t, done=Py_ssize_t, reference=object,
        target=object, base=object, new=object, problem=object, start=Py_ssize_t,
    )
    cpdef tuple convert_several(self, ElementKind kind, object row, str text, object line)

    @cython.locals(spans=cython.p_longlong, decisions=list, at=Py_ssize_t, decision=tuple)
    cdef list _decide_parts(self, str text, Py_ssize_t count, bint is_css)

    @cython.locals(is_fragment=bint, decision=tuple)
    cdef tuple _decide_part(self, str reference, bint is_css)

    cdef object _add_link(
        self, ElementKind kind, object row, str reference, object target, object base, object line, object problem,
    )
