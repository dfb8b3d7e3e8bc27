cimport cython

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
    cdef int[::1] table
    cdef int[::1] nexts
    cdef int[::1] guards
    cdef int[::1] kinds
    cdef list guard_words
