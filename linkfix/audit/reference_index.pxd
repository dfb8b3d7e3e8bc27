cimport cython

from linkfix.html.bytesearch cimport find_byte, is_name, lacks_references
from linkfix.html.constants cimport ANCHOR, CSS, LESS_THAN, LOCAL_URL, REFRESH, URL
from linkfix.html.outline cimport IN_TEMPLATE, TEXT, WIDTH, Outline

cdef class ReferenceIndex:
    cdef readonly list anchors, others
    cdef readonly dict references
    cdef readonly Py_ssize_t templated
    cdef readonly bint has_refresh

    @cython.locals(
        data=bytes, cells=cython.p_longlong, kinds=cython.p_int, references=dict, number=Py_ssize_t,
        at=Py_ssize_t, kind=int, start=Py_ssize_t, end=Py_ssize_t, bits=int, raw=bytes, same=list,
    )
    cdef void _gather(self, Outline outline) except *


@cython.locals(length=Py_ssize_t, end=Py_ssize_t, at=Py_ssize_t)
cpdef bint has_tag(bytes data, bytes name) except -1
