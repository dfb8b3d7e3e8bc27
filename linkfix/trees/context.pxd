cimport cython

cdef frozenset ONE_URL, SEVERAL_URLS, OTHER_BASES
cdef str WHITE_SPACE
cdef Py_ssize_t LONGEST
cdef object ascii_lower

cdef class UrlAttribute:
    cdef readonly object row
    cdef readonly str key
    cdef readonly bint is_local, has_one, is_early

cdef class Shape:
    cdef readonly tuple attributes, guards
    cdef readonly bint is_empty, needs_look

    cpdef bint is_guard(self, tuple words, object value) except -1

cdef Shape CLOSER, NO_REFERENCES

cdef class ElementKind:
    cdef readonly str namespace, name
    cdef readonly bint has_text, has_rows
    cdef readonly Context inner
    cdef readonly dict shapes

cdef class Context:
    cdef object _table
    cdef str _state
    cdef dict _related
    cdef readonly bint xml, in_template, in_noscript
    cdef readonly tuple own_bases
    cdef readonly dict kinds
    cdef readonly Context root
    cdef readonly Py_ssize_t learned

    @cython.locals(root=Context)
    cdef void _learn(self, Py_ssize_t names) except *

    @cython.locals(names=list, key=object, shape=Shape)
    cpdef Shape shape(self, ElementKind kind, tuple keys, object known)

    @cython.locals(guards=list, found=list, at=Py_ssize_t, name=str, row=object, is_usual=bint, key=object)
    cdef Shape _shape(self, ElementKind kind, tuple keys, list names)

    @cython.locals(row=object, guard=str, _=str, words=str)
    cdef object _row_without_guard(self, ElementKind kind, str name, tuple keys, list names, list guards)
