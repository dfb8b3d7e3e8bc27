cimport cython

from linkfix.html.cells cimport ints
from linkfix.html.constants cimport ANCHOR, BASE, CSS, LOCAL_URL, OTHER, REFRESH, SRCSET, URL
from linkfix.html.names cimport NameTable

cdef object array
cdef int TYPE, HTTP_EQUIV, CONTENT

@cython.final
cdef class RowIndex:
    cdef readonly list rows
    cdef list heads
    cdef readonly NameTable attributes, elements
    cdef NameTable integration_encodings, hidden, policy
    cdef readonly object flags
    cdef int head, html, image, img, width, height
    cdef list memory
    cdef int *table
    cdef int *nexts
    cdef int *guards
    cdef int *kinds
    cdef list guard_words
