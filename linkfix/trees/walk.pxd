cimport cython

from linkfix.trees.context cimport Context, ElementKind, Shape, UrlAttribute
from linkfix.trees.element cimport TreeColumns

cdef Py_ssize_t NUMBERED

cdef class Walk:
    cdef TreeColumns columns
    cdef object known, kind_of, inside

    @cython.locals(stack=list, owner=object, end=object, node=object, kind=ElementKind, inner=Context)
    cpdef object lxml(self, object top, object nodes, Context around, object following, object keys, object get)

    @cython.locals(
        is_asked=bint, marks=dict, nodes=object, stack=list, owner=object, end=object, waiting=list, node=object, kind=ElementKind, inner=Context,
        outer=Context, contents=list, number=object, more=set, is_read=bint, of_name=set,
    )
    cpdef object lexbor(self, object top, Context around, object following, object marked)

    @cython.locals(stack=list, node=object, outer=Context, inner=Context, kind=ElementKind, child=object)
    cpdef object soup(self, object top, Context around, object tag_class, object whole_class)

    @cython.locals(names=tuple, shape=Shape, line=object, needs_look=bint, key=object, words=tuple, attribute=UrlAttribute)
    cdef object _see(self, object node, ElementKind kind, Context outer, Context inner, object keys, object get)

    @cython.locals(child=object)
    cdef bint _has_elements(self, object node) except -1

    @cython.locals(attributes=object, name=object)
    cdef bint _any_known(self, Context outer, object names) except -1

    @cython.locals(keys=tuple, shape=Shape, key=object, words=tuple, attribute=UrlAttribute)
    cdef bint _add(self, object node, ElementKind kind, Context outer, object values, object line) except -1
