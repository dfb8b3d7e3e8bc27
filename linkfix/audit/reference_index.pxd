cimport cython

from linkfix.html.bytesearch cimport lacks_references
from linkfix.html.outline cimport ANCHOR, CSS, IN_TEMPLATE, LOCAL_URL, TEXT, URL, WIDTH, Outline

cdef class ReferenceIndex:
    cdef readonly list anchors, others
    cdef readonly dict references
    cdef readonly Py_ssize_t templated

    @cython.locals(
        data=bytes, cells=cython.longlong[::1], kinds=cython.int[::1], references=dict, number=Py_ssize_t,
        at=Py_ssize_t, kind=int, start=Py_ssize_t, end=Py_ssize_t, bits=int, raw=bytes, same=list,
    )
    cdef void _gather(self, Outline outline) except *
