cimport cython

from linkfix.kernels.bytesearch cimport find_byte, find_member, is_name
from linkfix.kernels.constants cimport LESS_THAN, NUMBER_SIGN, REFRESH, SLASH
from linkfix.kernels.outline cimport IN_TEMPLATE, Outline
from linkfix.kernels.visitor cimport RecordVisitor

cdef bytes NOT_IN_FRAGMENT

cdef class ReferenceIndex(RecordVisitor):
    cdef readonly list anchors, others
    cdef readonly dict references
    cdef readonly Py_ssize_t templated
    cdef readonly bint has_refresh

    @cython.locals(raw=bytes, same=list)
    cdef int on_url(self, Py_ssize_t start, Py_ssize_t end) except -1

    cdef int on_anchor(self, Py_ssize_t start, Py_ssize_t end) except -1

    cdef int on_other(self) except -1


cdef class PlainReferenceCounts:
    cdef object page
    cdef set own
    cdef bint local
    cdef Py_ssize_t before
    cdef readonly Py_ssize_t checked, root_relative, own_fragments, external
    cdef readonly set linked
    cdef readonly dict wanted
    cdef readonly list unchecked, empty, rest

    @cython.locals(
        raw=bytes, places=list, numbers=list, length=Py_ssize_t, mark=Py_ssize_t, fragment=bytes, path=bytes,
        number=object, reason=object,
    )
    cpdef object count(self, dict references, dict known, dict unchecked, object file_number, object learn_external)

    @cython.locals(others=list, place=object)
    cdef list _leave_before(self, bytes raw, list places)

    @cython.locals(place=object)
    cdef int _count_other(self, bytes raw, list numbers, object learn_external) except -1

    @cython.locals(key=tuple)
    cdef int _count_file(self, bytes raw, object number, bytes fragment, Py_ssize_t count) except -1


cpdef bint is_plain_fragment(bytes raw, Py_ssize_t start) except -1

@cython.locals(length=Py_ssize_t, end=Py_ssize_t, at=Py_ssize_t)
cpdef bint has_tag(bytes data, bytes name) except -1
