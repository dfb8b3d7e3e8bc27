cimport cython

from linkfix.trees.context cimport Context, ElementKind, UrlAttribute

cdef object ascii_lower, is_parsed_at_once
cdef int DEEPEST

cdef class Element:
    cdef readonly object node
    cdef readonly ElementKind kind
    cdef readonly Context outer, context
    cdef readonly Py_ssize_t line
    cdef readonly bint inside
    cdef dict _names, _values

    @cython.locals(known=str, name=object, value=object)
    cdef tuple _read(self)

    @cython.locals(kind=ElementKind)
    cpdef bint is_base(self) except -1

    @cython.locals(kind=ElementKind, values=dict)
    cpdef object policy(self)

    @cython.locals(depth=Py_ssize_t, name=str)
    cpdef bint is_in_head(self) except -1

    cpdef object ancestors(self)

    cpdef object read_attributes(self)

cdef class TreeColumns:
    cdef readonly object write, make
    cdef readonly list nodes, kinds, attributes, values, lines

    cpdef object add(self, object node, ElementKind kind, UrlAttribute attribute, str value, object line)

    cpdef object add_element(self, Element element)

    @cython.locals(number=Py_ssize_t, node=object, attribute=object, element=Element)
    cpdef object mark_early(self, Element last, Context around)

    @cython.locals(found=list, number=Py_ssize_t, attribute=object, element=Element)
    cpdef list bases(self)

    @cython.locals(found=list, number=Py_ssize_t, attribute=object, element=Element)
    cpdef list policy_metas(self)
